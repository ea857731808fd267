// SPDX-License-Identifier: GPL-2.0
/*
 * scrub.c - do members have the same? compare them, and mend what differs
 *
 * A block that is not in the cache is the same on all members that are used and need not
 * be copied to; if it is not, or one can't read it, a drive has not kept what it was given.
 * Regions are compared in order, at rebuild_mb_s:
 *
 *	look --> compare --> look at the next one
 *	             '-----> mend --> look at the next one	something differs
 *
 * While one is compared or to be mended, nothing is sent to members there: reads go on,
 * and writes end in the cache.  Blocks that are in the cache when the comparison begins are
 * left out, as they may be on their way, or differ rightly; so are discards that not all
 * have done.
 *
 * What most members have is taken to be right; of as many, what the leader (of the region,
 * or of all) has.  To mend who differs, it counts as stale in the region, and copy.c does
 * the rest; before, what it was sent from the cache has to be on its stable storage, and
 * what it was not is sent after the copy.  The leader of a region can't be stale there: if
 * it is wrong, that is told, and mended when the region has another leader or none.
 */
#include "internal.h"

/**
 * mirror_scrub_holds - is nothing to be sent to members in a region now?
 * @m: the mirror
 * @region: where
 */
bool mirror_scrub_holds(const struct ssdqos_mirror *m, u32 region)
{
	return region == m->scrub.region &&
	       (m->scrub.step == SSDQOS_MIRROR_SCRUB_COMPARE ||
		m->scrub.step == SSDQOS_MIRROR_SCRUB_MEND);
}

/**
 * ssdqos_mirror_scrub - compare members from the begin, or stop that
 * @m: the mirror
 * @on: begin
 * @now_ns: the time
 *
 * Context: any.
 */
void ssdqos_mirror_scrub(struct ssdqos_mirror *m, bool on, u64 now_ns)
{
	struct ssdqos_mirror_scrub *s = &m->scrub;

	s->again = on;
	s->stop = !on;
	if (on)
		s->next_ns = now_ns;
	/* what is under way ends first */
	if (s->step == SSDQOS_MIRROR_SCRUB_COMPARE)
		return;
	s->step = on ? SSDQOS_MIRROR_SCRUB_LOOK : SSDQOS_MIRROR_SCRUB_OFF;
	s->region = 0;
	s->again = false;
	s->stop = false;
}

static void scrub_go_on(struct ssdqos_mirror *m)
{
	struct ssdqos_mirror_scrub *s = &m->scrub;

	s->step = SSDQOS_MIRROR_SCRUB_LOOK;
	s->region++;
	if (s->again)
		s->region = 0;
	s->again = false;
	if (s->stop || s->region == m->regions.nr) {
		m->stats.scrubs += !s->stop;
		s->step = SSDQOS_MIRROR_SCRUB_OFF;
		s->stop = false;
	}
}

/* Members that have to have the same in a region. */
static u8 scrub_members(const struct ssdqos_mirror *m, u32 region)
{
	return mirror_able(m) & (u8)~m->regions.regions[region].stale;
}

/* Has something to be done first, that needs all of the mirror? */
static bool scrub_has_to_wait(const struct ssdqos_mirror *m)
{
	return m->failing != SSDQOS_NIL || m->coming || m->broken ||
	       m->map_failed || m->draining;
}

/* ---- compare ---- */

static void scrub_skip(struct ssdqos_mirror_scrub *s, u64 first, u64 block,
		       u64 nr)
{
	for (; nr; nr--, block++)
		s->skip[(block - first) / 64] |= 1ULL << ((block - first) % 64);
}

/* Blocks that may differ now. */
static void scrub_skip_all(struct ssdqos_mirror *m, u64 first, u64 end)
{
	struct ssdqos_mirror_scrub *s = &m->scrub;
	struct ssdqos_mirror_entry *e = ssdqos_mirror_from(&m->cache, first);
	u32 i;

	memset(s->skip, 0, sizeof(s->skip));
	for (; e && e->node.key < end; e = ssdqos_mirror_next_of(e))
		scrub_skip(s, first, e->node.key, 1);
	for (i = 0; i < m->nr_discards; i++) {
		const struct ssdqos_mirror_discard *d = &m->discards[i];
		u64 from = max(first, d->block);
		u64 to = min(end, d->block + d->nr);

		if (from < to)
			scrub_skip(s, first, from, to - from);
	}
}

/* Who is right if two differ. */
static u32 scrub_source(const struct ssdqos_mirror *m, u32 region, u8 members)
{
	u8 leads = m->all & (u8)~m->regions.regions[region].disk;

	if (mirror_count(leads) == 1 && (leads & members))
		return mirror_first(leads);
	return (members & mirror_bit(m->leader)) ? m->leader :
						   mirror_first(members);
}

/**
 * mirror_scrub - is a region to be compared now?
 * @m: the mirror
 * @op: gets it
 * @now_ns: the time
 */
bool mirror_scrub(struct ssdqos_mirror *m, struct ssdqos_mirror_op *op,
		  u64 now_ns)
{
	struct ssdqos_mirror_scrub *s = &m->scrub;
	u8 members;

	if (s->step != SSDQOS_MIRROR_SCRUB_LOOK || now_ns < s->next_ns ||
	    scrub_has_to_wait(m))
		return false;
	members = scrub_members(m, s->region);
	if (mirror_count(members) < 2)
		return false;
	op->kind = SSDQOS_MIRROR_OP_COMPARE;
	op->member = scrub_source(m, s->region, members);
	op->to = members & (u8)~mirror_bit(op->member);
	op->block = (u64)s->region << m->regions.shift;
	op->nr = (u32)min((u64)ssdqos_region_blocks(&m->regions),
			  m->blocks - op->block);
	op->differ = 0;
	scrub_skip_all(m, op->block, op->block + op->nr);
	s->step = SSDQOS_MIRROR_SCRUB_COMPARE;
	s->next_ns = max(s->next_ns, now_ns) + mirror_copy_gap_ns(m, op->nr);
	return true;
}

/**
 * mirror_scrub_done - a region was compared
 * @m: the mirror
 * @op: it; @differ says in how many blocks somebody differs, or could not read
 * @bad: those, a bit each
 */
void mirror_scrub_done(struct ssdqos_mirror *m,
		       const struct ssdqos_mirror_op *op, u32 bad)
{
	struct ssdqos_mirror_scrub *s = &m->scrub;

	m->stats.compared_blocks += op->nr;
	m->stats.differing_blocks += op->differ;
	s->bad = (u8)bad;
	if (bad)
		s->step = SSDQOS_MIRROR_SCRUB_MEND;
	else
		scrub_go_on(m);
}

/**
 * ssdqos_mirror_judge - who is wrong about a block?
 * @op: the comparison
 * @lost: members that can't read it, a bit each
 * @twins: by member, the first one that has the same
 *
 * Context: any.
 * Return: members, a bit each.
 */
u32 ssdqos_mirror_judge(const struct ssdqos_mirror_op *op, u32 lost,
			const u32 twins[SSDQOS_MIRROR_MAX_MEMBERS])
{
	u32 members = op->to | mirror_bit(op->member), able = members & ~lost;
	u32 votes[SSDQOS_MIRROR_MAX_MEMBERS] = { 0 }, best, i;

	if (!able)
		return members;
	best = (able & mirror_bit(op->member)) ? twins[op->member] :
						 mirror_first((u8)able);
	for (i = 0; i < SSDQOS_MIRROR_MAX_MEMBERS; i++)
		votes[twins[i]] += (able & mirror_bit(i)) ? 1 : 0;
	for (i = 0; i < SSDQOS_MIRROR_MAX_MEMBERS; i++)
		if (votes[i] > votes[best])
			best = i;
	for (i = 0; i < SSDQOS_MIRROR_MAX_MEMBERS; i++)
		if ((able & mirror_bit(i)) && twins[i] != best)
			lost |= mirror_bit(i);
	return lost & members;
}

/* ---- mend ---- */

/* Has who differs been sent something there that is not on its stable storage? */
static bool mend_has_to_wait(struct ssdqos_mirror *m,
			     const struct ssdqos_mirror_entry *e)
{
	u32 slot = ssdqos_mirror_slot_of(&m->cache, e), i;
	u8 sent = 0;

	for (; slot != SSDQOS_NIL; slot = mirror_at(m, slot)->older) {
		e = mirror_at(m, slot);
		sent |= (e->lacks & (u8)~e->pending) | e->flight;
	}
	sent &= m->scrub.bad;
	for (i = 0; i < m->nr; i++)
		if (sent & mirror_bit(i))
			m->members[i].flush_wanted = m->members[i].dirty;
	return sent;
}

static bool mend_is_possible(const struct ssdqos_mirror *m)
{
	const struct ssdqos_mirror_scrub *s = &m->scrub;
	u8 good = scrub_members(m, s->region) & (u8)~s->bad;

	if (m->cfg.durability == SSDQOS_MIRROR_VOLATILE &&
	    (s->bad & mirror_bit(m->leader)))
		return false;
	return good && !scrub_has_to_wait(m) &&
	       !ssdqos_regions_leads(&m->regions, s->region, s->bad);
}

static void mend_begin(struct ssdqos_mirror *m, u64 first, u64 end)
{
	struct ssdqos_mirror_scrub *s = &m->scrub;
	struct ssdqos_region *x = &m->regions.regions[s->region];
	struct ssdqos_mirror_entry *e = ssdqos_mirror_from(&m->cache, first);
	u32 i;

	for (; e && e->node.key < end; e = ssdqos_mirror_next_of(e))
		for (i = 0; i < m->nr; i++)
			if (s->bad & mirror_bit(i))
				mirror_entry_gain(m, e, i);
	ssdqos_regions_stale(&m->regions, s->region, x->stale | s->bad);
	ssdqos_regions_want(&m->regions, s->region, x->want | s->bad);
	m->super_dirty = true;
	scrub_go_on(m);
}

static bool scrub_mend(struct ssdqos_mirror *m)
{
	struct ssdqos_mirror_scrub *s = &m->scrub;
	u64 first = (u64)s->region << m->regions.shift;
	u64 end = first + ssdqos_region_blocks(&m->regions);
	struct ssdqos_mirror_entry *e = ssdqos_mirror_from(&m->cache, first);

	s->bad &= scrub_members(m, s->region);
	if (!s->bad || !mend_is_possible(m)) {
		m->stats.not_mended += !!s->bad;
		scrub_go_on(m);
		return true;
	}
	for (; e && e->node.key < end; e = ssdqos_mirror_next_of(e))
		if (mend_has_to_wait(m, e))
			return false;
	mend_begin(m, first, end);
	return true;
}

/**
 * mirror_scrub_step - go on with what is not an instruction
 * @m: the mirror
 *
 * Return: whether it went on.
 */
bool mirror_scrub_step(struct ssdqos_mirror *m)
{
	struct ssdqos_mirror_scrub *s = &m->scrub;
	u32 i;

	if (s->step == SSDQOS_MIRROR_SCRUB_MEND)
		return scrub_mend(m);
	for (i = 0; i < MIRROR_WALK && s->step == SSDQOS_MIRROR_SCRUB_LOOK &&
	     !scrub_has_to_wait(m) &&
	     mirror_count(scrub_members(m, s->region)) < 2; i++) {
		m->stats.not_compared_blocks += ssdqos_region_blocks(&m->regions);
		scrub_go_on(m);
	}
	return i;
}
