// SPDX-License-Identifier: GPL-2.0
/*
 * entry.c - what a version of a block in the cache goes through
 *
 * An entry is made for all members that are used, and goes when none lacks it on
 * stable storage.  What is written again before is never sent twice: the newer version
 * takes over what the older one had to be sent to, but for two cases, in which the
 * newer one waits for the older one:
 *
 * - it is being sent: the drive might do the two in either order;
 * - durability is volatile, the turn is at its end and what was published before is
 *   written still: the member's state is to be that of a moment.
 *
 * "Fresh" is what the member that answers for it has not been written.  A flush waits
 * for what was fresh when it came.  A version that takes over from a fresh one takes
 * its place, so a block that is written again and again can't hold a flush up; nor is
 * the flush held up by the newer version of what is being sent.
 */
#include "internal.h"
#include "journal.h"

/**
 * mirror_answers - the member that has to have what is to be durable
 * @m: the mirror
 * @region: where
 *
 * It is the leader of the region if that one is written now, or else the member that
 * is to become it.
 */
u32 mirror_answers(const struct ssdqos_mirror *m, u32 region)
{
	const struct ssdqos_region *x = &m->regions.regions[region];
	u8 leads = m->all & (u8)~x->disk, able = m->writers & (u8)~x->stale;

	if (m->cfg.durability == SSDQOS_MIRROR_VOLATILE)
		return m->plain && (able & mirror_bit(m->leader)) ? m->leader :
								    m->lead;
	if (x->disk && mirror_count(leads) == 1 && (leads & able))
		return mirror_first(leads);
	if (!(able & mirror_bit(m->lead)) && able)
		return mirror_first(able);
	return m->lead;
}

/* ---- lists ---- */

static void entry_unfresh(struct ssdqos_mirror *m, struct ssdqos_mirror_entry *e)
{
	if (!e->fresh)
		return;
	ssdqos_mirror_remove(&m->cache, &m->cache.fresh, 0,
			     ssdqos_mirror_slot_of(&m->cache, e));
	e->fresh = false;
}

/**
 * mirror_entry_answered - the member that answers for it was written it
 * @m: the mirror
 * @e: the entry
 * @member: that one; it has to lead the region when a flush is done
 */
void mirror_entry_answered(struct ssdqos_mirror *m,
			   struct ssdqos_mirror_entry *e, u32 member)
{
	u32 region = mirror_region_of(m, e);

	if (m->cfg.durability == SSDQOS_MIRROR_STRICT && e->fresh &&
	    ssdqos_regions_lacks(&m->regions, region, mirror_bit(member)))
		ssdqos_regions_flip(&m->regions, region, true);
	entry_unfresh(m, e);
}

static void entry_unpend(struct ssdqos_mirror *m, struct ssdqos_mirror_entry *e,
			 u32 member)
{
	e->pending &= (u8)~mirror_bit(member);
	/* lists of a member that has failed are not kept */
	if (!(m->out & mirror_bit(member)))
		ssdqos_mirror_remove(&m->cache, &m->cache.pending[member],
				     1 + member,
				     ssdqos_mirror_slot_of(&m->cache, e));
}

static void entry_pend(struct ssdqos_mirror *m, struct ssdqos_mirror_entry *e,
		       u32 member)
{
	e->lacks |= mirror_bit(member);
	e->pending |= mirror_bit(member);
	ssdqos_mirror_append(&m->cache, &m->cache.pending[member], 1 + member,
			     ssdqos_mirror_slot_of(&m->cache, e));
}

/* ---- versions ---- */

static struct ssdqos_mirror_entry *entry_newest(struct ssdqos_mirror *m,
						u64 block)
{
	struct ssdqos_mirror_entry *e = ssdqos_mirror_from(&m->cache, block);

	return e && e->node.key == block ? e : NULL;
}

/* Take it out of the chain of the versions of its block. */
static void entry_unchain(struct ssdqos_mirror *m, struct ssdqos_mirror_entry *e)
{
	struct ssdqos_mirror_entry *x = entry_newest(m, e->node.key);
	u32 slot = ssdqos_mirror_slot_of(&m->cache, e);

	for (; x && x->older != SSDQOS_NIL; x = mirror_at(m, x->older))
		if (x->older == slot) {
			x->older = e->older;
			return;
		}
}

static void entry_free(struct ssdqos_mirror *m, struct ssdqos_mirror_entry *e)
{
	entry_unfresh(m, e);
	if (e->newest)
		ssdqos_tree_erase(&m->cache.tree, &e->node);
	else
		entry_unchain(m, e);
	ssdqos_regions_gone(&m->regions, mirror_region_of(m, e));
	if (e->record)
		ssdqos_journal_put(m->ring, e->record, 1);
	e->newest = false;
	m->cache.used--;
	ssdqos_mirror_append(&m->cache, &m->cache.free, 0,
			     ssdqos_mirror_slot_of(&m->cache, e));
}

/* What waits for an older version waits for the newest one instead. */
static void entry_pass_on(struct ssdqos_mirror *m, struct ssdqos_mirror_entry *e)
{
	struct ssdqos_mirror_cache *c = &m->cache;
	struct ssdqos_mirror_entry *newest = entry_newest(m, e->node.key);

	if (!newest || !newest->fresh || newest == e || newest->owed <= e->owed)
		return;
	entry_unfresh(m, newest);
	newest->owed = e->owed;
	newest->fresh = true;
	ssdqos_mirror_replace(c, &c->fresh, 0, ssdqos_mirror_slot_of(c, e),
			      ssdqos_mirror_slot_of(c, newest));
	e->fresh = false;
}

/**
 * mirror_entry_settle - let an entry go, if nobody needs it
 * @m: the mirror
 * @e: the entry
 *
 * An older version is needed by who is being sent it, or has to be still, and until the
 * flush that it is counted for is noted.
 */
void mirror_entry_settle(struct ssdqos_mirror *m, struct ssdqos_mirror_entry *e)
{
	if (e->lacks || e->flight || e->pins)
		return;
	if (e->fresh)
		entry_pass_on(m, e);
	entry_free(m, e);
}

/**
 * mirror_entry_blocked - has an older version to be sent first?
 * @m: the mirror
 * @e: the entry
 * @bit: to this member
 */
bool mirror_entry_blocked(struct ssdqos_mirror *m,
			  const struct ssdqos_mirror_entry *e, u8 bit)
{
	u32 slot;

	for (slot = e->older; slot != SSDQOS_NIL; slot = mirror_at(m, slot)->older)
		if ((mirror_at(m, slot)->flight | mirror_at(m, slot)->pending) & bit)
			return true;
	return false;
}

/**
 * mirror_entry_mate - has a member all of a block that it needs to lead the region?
 * @m: the mirror
 * @e: the newest version of the block
 * @member: who
 *
 * What others have been sent may have been promised to be durable.
 */
enum mirror_mate mirror_entry_mate(struct ssdqos_mirror *m,
				   const struct ssdqos_mirror_entry *e,
				   u32 member)
{
	struct ssdqos_mirror_cache *c = &m->cache;
	u32 slot = ssdqos_mirror_slot_of(c, e), need = 0, i;
	const struct ssdqos_mirror_has *has = ssdqos_mirror_has_of(c, slot);

	for (i = 0; i < m->nr; i++)
		if (i != member)
			need = max(need, has[i].sent);
	if (has[member].durable >= need)
		return MIRROR_MATE_DURABLE;
	if (has[member].sent < need)
		return MIRROR_MATE_UNSENT;
	for (; slot != SSDQOS_NIL; slot = mirror_at(m, slot)->older)
		if (mirror_at(m, slot)->flight & mirror_bit(member))
			return MIRROR_MATE_FLIGHT;
	return MIRROR_MATE_WRITTEN;
}

/* Members that have to have the older version, though there is a newer one. */
static u8 entry_sealed(const struct ssdqos_mirror *m,
		       const struct ssdqos_mirror_entry *e)
{
	if (m->cfg.durability != SSDQOS_MIRROR_VOLATILE ||
	    m->turn == SSDQOS_MIRROR_TURN_ON || e->gen > m->seal)
		return 0;
	return m->writers;
}

/* A newer version is there: who has to get the older one still? */
static void entry_supersede(struct ssdqos_mirror *m,
			    struct ssdqos_mirror_entry *old)
{
	u8 keep = entry_sealed(m, old);
	u32 i;

	for (i = 0; i < m->nr; i++) {
		u8 bit = mirror_bit(i);

		/* what was written stays until it is noted that it is durable */
		if (!(old->pending & bit) || (keep & bit))
			continue;
		entry_unpend(m, old, i);
		old->lacks &= (u8)~bit;
		m->stats.merged++;
	}
}

/* What members have of the block. */
static void entry_take_has(struct ssdqos_mirror *m,
			   struct ssdqos_mirror_entry *e,
			   struct ssdqos_mirror_entry *old)
{
	struct ssdqos_mirror_cache *c = &m->cache;
	struct ssdqos_mirror_has *has =
		ssdqos_mirror_has_of(c, ssdqos_mirror_slot_of(c, e));
	const struct ssdqos_region *x =
		&m->regions.regions[mirror_region_of(m, e)];
	u8 lack = x->stale | m->out | m->coming;
	u32 i;

	e->version = old ? old->version + 1 : SSDQOS_MIRROR_BASE + 1;
	if (old) {
		memcpy(has, ssdqos_mirror_has_of(c, ssdqos_mirror_slot_of(c, old)),
		       m->nr * sizeof(has[0]));
		return;
	}
	for (i = 0; i < m->nr; i++) {
		has[i].sent = (lack & mirror_bit(i)) ? 0 : SSDQOS_MIRROR_BASE;
		has[i].durable = has[i].sent;
	}
}

/* A flush of this mark waits for it, since the member that had the block has failed. */
static void entry_refresh(struct ssdqos_mirror *m, struct ssdqos_mirror_entry *e,
			  u64 mark)
{
	struct ssdqos_mirror_cache *c = &m->cache;

	if (e->fresh && e->owed <= mark)
		return;
	entry_unfresh(m, e);
	e->owed = min(e->owed, mark);
	if (c->fresh.head != SSDQOS_NIL)
		e->owed = min(e->owed, mirror_at(m, c->fresh.head)->owed);
	ssdqos_mirror_prepend(c, &c->fresh, 0, ssdqos_mirror_slot_of(c, e));
	e->fresh = true;
}

/* Take the older version's place among what flushes wait for, if it won't be sent. */
static void entry_take_over(struct ssdqos_mirror *m,
			    struct ssdqos_mirror_entry *e,
			    struct ssdqos_mirror_entry *old)
{
	struct ssdqos_mirror_cache *c = &m->cache;
	u32 slot = ssdqos_mirror_slot_of(c, e);
	u8 answers = mirror_bit(mirror_answers(m, mirror_region_of(m, e)));

	e->fresh = true;
	if (old && old->fresh && !((old->flight | old->pending) & answers)) {
		e->owed = old->owed;
		ssdqos_mirror_replace(c, &c->fresh, 0,
				      ssdqos_mirror_slot_of(c, old), slot);
		old->fresh = false;
		return;
	}
	ssdqos_mirror_append(c, &c->fresh, 0, slot);
}

/* Who an entry is for: not for one that comes back, if that is to look at it later. */
static u8 entry_members(const struct ssdqos_mirror *m, u32 slot)
{
	u8 in = mirror_in(m);

	if (m->joining != SSDQOS_NIL && slot >= m->joining)
		in &= (u8)~m->coming;
	return in;
}

/**
 * mirror_entry_publish - a block has been written
 * @m: the mirror
 * @block: which one
 * @slot: where the data are
 */
void mirror_entry_publish(struct ssdqos_mirror *m, u64 block, u32 slot)
{
	struct ssdqos_mirror_entry *e = mirror_at(m, slot), *old;
	u8 in = entry_members(m, slot);
	bool heir;
	u32 i;

	old = entry_newest(m, block);
	*e = (struct ssdqos_mirror_entry){
		.node.key = block, .gen = m->gen, .owed = m->gen,
		.older = old ? ssdqos_mirror_slot_of(&m->cache, old) : SSDQOS_NIL,
		.newest = true,
	};
	entry_take_has(m, e, old);
	m->regions.regions[ssdqos_region_of(&m->regions, block)].nr++;
	/* if all have to have the older version, who lacks it has to have this one instead */
	heir = old && (m->map_failed || m->flush_all) && (old->pending & mirror_able(m));
	if (old) {
		ssdqos_tree_erase(&m->cache.tree, &old->node);
		old->newest = false;
		entry_supersede(m, old);
	}
	ssdqos_tree_insert(&m->cache.tree, &e->node);
	entry_take_over(m, e, old);
	if (heir)
		entry_refresh(m, e, old->owed);
	for (i = 0; i < m->nr; i++)
		if (in & mirror_bit(i))
			entry_pend(m, e, i);
	if (old)
		mirror_entry_settle(m, old);
}

/* ---- on the way to members ---- */

/* What a member has of a block, one of whose versions is this. */
static struct ssdqos_mirror_has *entry_has(struct ssdqos_mirror *m,
					   struct ssdqos_mirror_entry *e,
					   u32 member)
{
	struct ssdqos_mirror_cache *c = &m->cache;

	if (!e->newest)
		e = entry_newest(m, e->node.key);
	return ssdqos_mirror_has_of(c, ssdqos_mirror_slot_of(c, e)) + member;
}

/**
 * mirror_entry_send - it is being sent to a member
 * @m: the mirror
 * @e: it is pending there
 * @member: that one
 */
void mirror_entry_send(struct ssdqos_mirror *m, struct ssdqos_mirror_entry *e,
		       u32 member)
{
	struct ssdqos_mirror_has *has;

	entry_unpend(m, e, member);
	e->flight |= mirror_bit(member);
	has = entry_has(m, e, member);
	has->sent = max(has->sent, e->version);
}

/**
 * mirror_entry_durable - a member has it on stable storage
 * @m: the mirror
 * @e: the entry; it may have gone afterwards
 * @member: that one
 */
void mirror_entry_durable(struct ssdqos_mirror *m,
			  struct ssdqos_mirror_entry *e, u32 member)
{
	struct ssdqos_mirror_has *has = entry_has(m, e, member);

	has->durable = max(has->durable, e->version);
	e->lacks &= (u8)~mirror_bit(member);
	mirror_entry_settle(m, e);
}

/**
 * mirror_entry_sent - a member was written
 * @m: the mirror
 * @e: what was being sent there
 * @member: that one
 */
void mirror_entry_sent(struct ssdqos_mirror *m, struct ssdqos_mirror_entry *e,
		       u32 member)
{
	u32 answers = mirror_answers(m, mirror_region_of(m, e));
	u8 need = m->map_failed ? mirror_able(m) : mirror_bit(answers);

	e->flight &= (u8)~mirror_bit(member);
	if ((need & mirror_bit(member)) && !((e->pending | e->flight) & need))
		mirror_entry_answered(m, e, answers);
	/* whoever has no cache has it now, but may be told to use one, or be moved to who has */
	ssdqos_mirror_append(&m->cache, &m->cache.written[member], 1 + member,
			     ssdqos_mirror_slot_of(&m->cache, e));
}

/**
 * mirror_entry_lose - members have failed: they won't get it
 * @m: the mirror
 * @e: the entry; it may have gone afterwards
 * @mark: a flush of this mark waits until another one has what only they had
 *
 * What they had may have been promised, this version or one that it has replaced.
 */
void mirror_entry_lose(struct ssdqos_mirror *m, struct ssdqos_mirror_entry *e,
		       u64 mark)
{
	u8 lost = m->out & (u8)~e->flight;
	u32 answers;

	/* it is not used, or all have it */
	if (!e->lacks)
		return;
	e->pending &= (u8)~lost;
	e->lacks &= (u8)~lost;
	answers = mirror_answers(m, mirror_region_of(m, e));
	if (e->newest && ((e->pending | e->flight) & mirror_bit(answers)) &&
	    mirror_entry_mate(m, e, answers) >= MIRROR_MATE_FLIGHT)
		entry_refresh(m, e, mark);
	mirror_entry_settle(m, e);
}

/**
 * mirror_entry_not_sent - a member that has failed was being sent it
 * @m: the mirror
 * @e: the entry; it may have gone afterwards
 * @member: that one
 */
void mirror_entry_not_sent(struct ssdqos_mirror *m,
			   struct ssdqos_mirror_entry *e, u32 member)
{
	u8 bit = mirror_bit(member);

	e->flight &= (u8)~bit;
	if (m->out & bit) {
		/* if not, the walk comes to it */
		if (ssdqos_mirror_slot_of(&m->cache, e) < m->failing)
			mirror_entry_lose(m, e, m->fail_mark);
		return;
	}
	/* the last member's data are here only */
	if (e->newest)
		return;
	e->lacks &= (u8)~bit;
	mirror_entry_settle(m, e);
}

/**
 * mirror_entry_gain - a member that comes back has to get it
 * @m: the mirror
 * @e: the entry
 * @member: that one
 */
void mirror_entry_gain(struct ssdqos_mirror *m, struct ssdqos_mirror_entry *e,
		       u32 member)
{
	if (!e->newest || (e->lacks & mirror_bit(member)))
		return;
	entry_pend(m, e, member);
	*entry_has(m, e, member) = (struct ssdqos_mirror_has){ 0 };
}

/**
 * mirror_entry_forgo - members are not to get it
 * @m: the mirror
 * @e: the newest version of a block; it may have gone afterwards
 * @members: they are stale there, so it was not sent to them; a bit each
 */
void mirror_entry_forgo(struct ssdqos_mirror *m, struct ssdqos_mirror_entry *e,
			u8 members)
{
	u32 i;

	members &= e->pending;
	if (!members)
		return;
	for (i = 0; i < m->nr; i++)
		if (members & mirror_bit(i))
			entry_unpend(m, e, i);
	e->lacks &= (u8)~members;
	mirror_entry_settle(m, e);
}
