// SPDX-License-Identifier: GPL-2.0
/*
 * copy.c - bring members up to date where they are stale, a region at a time
 *
 * A member is stale in a region after a power cut, where the metadata say that it may
 * lack what is newest; after it was away, where something was written meanwhile; or all
 * of it is, if it is a new one.  It is neither read nor written there until the region
 * was copied.  What is in the cache has to be written to it afterwards, like to all: so
 * it does not matter whether the copy has it.
 *
 * A region that somebody waits for is the next one; otherwise they are copied in order,
 * at a rate.  The copy is on stable storage when it is done, so the masks may follow.
 * Before it begins they have to say that the member differs, as it may bring what no flush
 * was for yet, and the superblock that the member is behind.
 *
 * One that can't be read is read from another member that has it.  If none can, that is the
 * end of who it was for, as there is nothing to make it from; but with durability strict one
 * that alone has what is newest elsewhere stays, the region stays stale, and is tried again
 * after all others.  What is in the cache is not for that one then until it is tried again:
 * it would be in the way of all that comes later.
 */
#include "internal.h"

#define COPY_NS_PER_S 1000000000ULL
#define COPY_BYTES_PER_MB 1000000u
/* After a copy that has failed nothing is copied for so long, a drive may have tried hard. */
#define COPY_PAUSE_NS 1000000000ULL
/* And nothing out of order: whoever waits for that region does not hold up all others. */
#define COPY_ORDER_NS 2000000000ULL

/* Does somebody wait for a region that may go before others? */
static bool copy_is_wanted(const struct ssdqos_mirror *m, u64 now_ns)
{
	return m->copy_wanted != SSDQOS_NIL && now_ns >= m->copy_order_ns &&
	       m->regions.regions[m->copy_wanted].stale;
}

static u32 copy_after(const struct ssdqos_regions *r, u32 region)
{
	return region + 1 < r->nr ? region + 1 : 0;
}

/**
 * mirror_copy_walk - look for the region that is copied next, if nobody waits for one
 * @m: the mirror
 *
 * Return: true if it is not found yet.
 */
bool mirror_copy_walk(struct ssdqos_mirror *m)
{
	struct ssdqos_regions *r = &m->regions;
	u32 i;

	for (i = 0; i < MIRROR_WALK; i++) {
		if (!r->nr_stale || r->regions[r->copy_cursor].stale)
			return false;
		r->copy_cursor = copy_after(r, r->copy_cursor);
	}
	return true;
}

/* Who has what is newest there. */
static u8 copy_able(const struct ssdqos_mirror *m, u32 region)
{
	return mirror_able(m) & (u8)~m->regions.regions[region].stale;
}

/* Of these, who was not found unable to read it. */
static u8 copy_sources(const struct ssdqos_mirror *m, u32 region)
{
	u8 able = copy_able(m, region);

	return region == m->unread_region ? able & (u8)~m->unread : able;
}

static u32 copy_source(const struct ssdqos_mirror *m, u32 region)
{
	u8 able = copy_sources(m, region);

	if (!able)
		able = copy_able(m, region);
	if (!able)
		return SSDQOS_MIRROR_NOBODY;
	if (able & mirror_bit(m->lead))
		return m->lead;
	return mirror_first(able);
}

/* Would it be known after a power cut that it was not copied, or in part? */
static bool copy_is_noted(const struct ssdqos_mirror *m, u32 region)
{
	const struct ssdqos_regions *r = &m->regions;

	return m->map_failed ||
	       (!m->super_dirty && !m->super_writing &&
		ssdqos_regions_noted(r, region, r->regions[region].stale));
}

/**
 * mirror_copy_gap_ns - how long so many blocks take at rebuild_mb_s
 * @m: the mirror
 * @blocks: of each member
 */
u64 mirror_copy_gap_ns(const struct ssdqos_mirror *m, u64 blocks)
{
	if (!m->cfg.rebuild_mb_s)
		return 0;
	return div64_u64(blocks * SSDQOS_MIRROR_BLOCK_BYTES * COPY_NS_PER_S,
			 m->cfg.rebuild_mb_s * COPY_BYTES_PER_MB);
}

/* What is in the cache of a region: is it for those who are copied to there? */
static void copy_entries(struct ssdqos_mirror *m, u32 region, u8 to, bool on)
{
	u64 first = (u64)region << m->regions.shift;
	u64 end = first + ssdqos_region_blocks(&m->regions);
	struct ssdqos_mirror_entry *e = ssdqos_mirror_from(&m->cache, first), *next;
	u32 i;

	for (; e && e->node.key < end; e = next) {
		/* it may go */
		next = ssdqos_mirror_next_of(e);
		for (i = 0; i < m->nr && on; i++)
			if (to & mirror_bit(i))
				mirror_entry_gain(m, e, i);
		if (!on)
			mirror_entry_forgo(m, e, to);
	}
}

/**
 * mirror_copy - is a region to be copied now?
 * @m: the mirror
 * @op: gets it
 * @now_ns: the time
 */
bool mirror_copy(struct ssdqos_mirror *m, struct ssdqos_mirror_op *op,
		 u64 now_ns)
{
	bool wanted = copy_is_wanted(m, now_ns);
	u32 region;

	if (!m->regions.nr_stale || m->copying || m->coming || m->broken ||
	    (!wanted && (now_ns < m->next_copy_ns ||
			 (m->draining && !mirror_has_no_leader(m)))))
		return false;
	region = wanted ? m->copy_wanted : m->regions.copy_cursor;
	if (!m->regions.regions[region].stale)
		return false;	/* it is being looked for */
	op->member = copy_source(m, region);
	if (op->member == SSDQOS_MIRROR_NOBODY)
		return false;
	op->to = m->regions.regions[region].stale;
	if (!copy_is_noted(m, region))
		return false;
	copy_entries(m, region, (u8)op->to, true);
	op->kind = SSDQOS_MIRROR_OP_COPY;
	op->block = (u64)region << m->regions.shift;
	op->nr = (u32)min((u64)ssdqos_region_blocks(&m->regions),
			  m->blocks - op->block);
	m->copying = true;
	m->copy_region = region;
	m->copy_from = op->member;
	m->copy_to = (u8)op->to;
	m->next_copy_ns = max(m->next_copy_ns, op->began_ns) +
			  mirror_copy_gap_ns(m, op->nr);
	return true;
}

/* Do the metadata say of those who were copied to that they lack it? */
static bool copy_may_stay(const struct ssdqos_mirror *m, u32 region, u8 to)
{
	return m->cfg.durability == SSDQOS_MIRROR_STRICT && !m->map_failed &&
	       ssdqos_regions_noted(&m->regions, region, to);
}

/* Who can't have it is given up; one that is needed elsewhere stays, and tries again. */
static void copy_failed(struct ssdqos_mirror *m, u8 failed, u64 now_ns)
{
	u32 region = m->copy_region, i;
	bool may_stay = copy_may_stay(m, region, failed);
	u8 stay = 0;

	for (i = 0; i < m->nr; i++) {
		if (!(failed & mirror_bit(i)))
			continue;
		if (may_stay && ssdqos_mirror_is_needed(m, i))
			stay |= mirror_bit(i);
		else
			ssdqos_mirror_fail(m, i, now_ns);
	}
	if (!stay)
		return;
	copy_entries(m, region, stay, false);
	m->regions.copy_cursor = copy_after(&m->regions, region);
	m->next_copy_ns = max(m->next_copy_ns, now_ns + COPY_PAUSE_NS);
	m->copy_order_ns = now_ns + COPY_ORDER_NS;
}

/* A read has failed: that is counted, and may be once too often. */
static void member_read_failed(struct ssdqos_mirror *m, u32 member, u64 now_ns)
{
	struct ssdqos_mirror_member *x = &m->members[member];

	x->errors++;
	if (x->errors >= m->cfg.max_errors && !ssdqos_mirror_is_needed(m, member))
		ssdqos_mirror_fail(m, member, now_ns);
}

/* Its source could not read it: may another one? */
static bool copy_tries_other(struct ssdqos_mirror *m, u32 source, u64 now_ns)
{
	u32 region = m->copy_region;

	member_read_failed(m, source, now_ns);
	if (m->unread_region != region)
		m->unread = 0;
	m->unread_region = region;
	m->unread |= mirror_bit(source);
	if (copy_sources(m, region)) {
		m->stats.read_retries++;
		return true;
	}
	/* the next time all of them are asked again */
	m->unread_region = SSDQOS_NIL;
	return false;
}

/**
 * mirror_copy_done - a region was copied, or was not
 * @m: the mirror
 * @op: what was to be done
 * @failed: members that have failed at it, a bit each
 * @now_ns: the time
 *
 * Who has failed meanwhile, and may be back, lacks it still.
 */
void mirror_copy_done(struct ssdqos_mirror *m, struct ssdqos_mirror_op *op,
		      u32 failed, u64 now_ns)
{
	u32 region = m->copy_region;
	u8 stale = m->regions.regions[region].stale;
	u8 behind = ssdqos_mirror_behind(m);

	m->copying = false;
	if (m->copy_wanted == region)
		m->copy_wanted = SSDQOS_NIL;
	if (failed & mirror_bit(op->member)) {
		if (copy_tries_other(m, op->member, now_ns))
			return;
		failed = op->to;
	}
	failed &= m->copy_to;
	copy_failed(m, (u8)failed, now_ns);
	ssdqos_regions_stale(&m->regions, region,
			     stale & (u8)~(m->copy_to & ~failed));
	m->super_dirty |= behind != ssdqos_mirror_behind(m);
	if (m->unread_region == region)
		m->unread_region = SSDQOS_NIL;
	if (m->copy_to & (u8)~failed)
		m->stats.copied_blocks += op->nr;
}

/**
 * ssdqos_mirror_read_done - a member has answered a read
 * @m: the mirror
 * @member: who
 * @failed: it could not
 * @now_ns: the time
 *
 * The caller reads from another one.  After max_errors the member is given up, if others
 * have all that it has.
 * Context: any.
 */
void ssdqos_mirror_read_done(struct ssdqos_mirror *m, u32 member, bool failed,
			     u64 now_ns)
{
	m->members[member].reads--;
	if (!failed)
		return;
	m->stats.read_retries++;
	member_read_failed(m, member, now_ns);
}
