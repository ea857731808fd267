// SPDX-License-Identifier: GPL-2.0
/*
 * away.c - members that fail, and that come back
 *
 * When a member fails, nothing that is in the cache is sent to it any more; what only it
 * had becomes fresh again, and the regions that it led get another leader with the next
 * flush, which begins at once.  When it comes back, the masks of the metadata say what it
 * lacks, and copy.c brings it.  Both look at all of the cache and all regions, in steps.
 *
 * The superblock says who is behind: who is not used, or does not have all yet.
 */
#include "internal.h"

/* ---- failures ---- */

static void fail_lists(struct ssdqos_mirror *m, u32 member)
{
	const struct ssdqos_mirror_list empty = {
		.head = SSDQOS_NIL, .tail = SSDQOS_NIL,
	};

	m->cache.pending[member] = empty;
	m->cache.written[member] = empty;
	m->members[member].covered = 0;
	m->members[member].flush_wanted = false;
	m->members[member].dirty = false;
	mirror_discards_lose(m, mirror_bit(member));
}

/* One of the others who write, if it has all; it answers for what is new from now on. */
static void fail_next_lead(struct ssdqos_mirror *m)
{
	if (m->writers)
		m->lead = mirror_next_lead(m, m->writers);
	if (!m->writers || !mirror_is_whole(m, m->lead))
		m->lead = mirror_next_lead(m, mirror_able(m));
}

/**
 * ssdqos_mirror_behind - members that are not used, or don't have all yet; a bit each
 * @m: the mirror
 *
 * The superblock has to say so: where masks don't know of anybody who is here and has
 * all, since who had has failed, it has to be one of the others.
 * Context: any.
 */
u8 ssdqos_mirror_behind(const struct ssdqos_mirror *m)
{
	u8 behind = m->out | m->coming;
	u32 i;

	for (i = 0; i < m->nr; i++)
		if (m->regions.stale_of[i])
			behind |= mirror_bit(i);
	return behind;
}

/* Whoever has just come back may lack what nobody has looked at yet. */
static u32 away_unknown(const struct ssdqos_mirror *m)
{
	return m->joining == SSDQOS_NIL ? 0 : m->regions.nr - m->join_region;
}

/**
 * ssdqos_mirror_stale - regions that have to be copied to somebody, or may have to be
 * @m: the mirror
 *
 * Context: any.
 */
u32 ssdqos_mirror_stale(const struct ssdqos_mirror *m)
{
	return min(m->regions.nr_stale + away_unknown(m), m->regions.nr);
}

/**
 * ssdqos_mirror_stale_of - likewise, to one of them
 * @m: the mirror
 * @member: who
 *
 * Context: any.
 */
u32 ssdqos_mirror_stale_of(const struct ssdqos_mirror *m, u32 member)
{
	return m->regions.stale_of[member] +
	       (m->coming & mirror_bit(member) ? away_unknown(m) : 0);
}

/**
 * ssdqos_mirror_is_needed - is a member the only one that has what is newest, somewhere?
 * @m: the mirror
 * @member: who
 *
 * Context: any.
 */
bool ssdqos_mirror_is_needed(const struct ssdqos_mirror *m, u32 member)
{
	u8 others = mirror_able(m) & (u8)~mirror_bit(member);

	return ssdqos_regions_all_stale(&m->regions, others);
}

/**
 * ssdqos_mirror_fail - a member is not to be used any more
 * @m: the mirror
 * @member: who; the last one stays, and one that others have to be copied from
 * @now_ns: the time
 *
 * Context: any.
 */
void ssdqos_mirror_fail(struct ssdqos_mirror *m, u32 member, u64 now_ns)
{
	u8 bit = mirror_bit(member);

	if (m->out & bit)
		return;
	if (ssdqos_mirror_is_needed(m, member)) {
		m->broken = true;
		return;
	}
	m->out |= bit;
	/* a copy to it lacks what comes until it is back; one from it may read another disk */
	m->copy_to &= m->copy_from == member ? 0 : (u8)~bit;
	if (m->coming & bit) {
		m->coming = 0;
		m->joining = SSDQOS_NIL;
	}
	m->stats.failures++;
	m->why = SSDQOS_MIRROR_WHY_FAILURE;
	m->super_dirty = true;
	fail_lists(m, member);
	m->writers &= (u8)~bit;
	if (m->lead == member)
		fail_next_lead(m);
	m->failing = 0;
	m->fail_region = 0;
	mirror_flush_again(m);
	m->fail_mark = m->flush_wanted;
	if (!(m->writers & mirror_bit(m->lead))) {
		/* its turn is over; the next one's begins */
		m->writers = mirror_bit(m->lead);
		m->turn = SSDQOS_MIRROR_TURN_ON;
		m->turn_ns = now_ns;
	}
	mirror_roles_update(m);
}

/* A region that was led by who has failed is led by somebody else. */
static void fail_region(struct ssdqos_mirror *m, u32 region)
{
	const struct ssdqos_region *x = &m->regions.regions[region];
	u8 able;

	if (x->stale)
		ssdqos_regions_stale(&m->regions, region,
				     x->stale & (u8)~m->out);
	if (!ssdqos_regions_leads(&m->regions, region, m->out)) {
		/* others have been written without that yet */
		if (m->cfg.durability == SSDQOS_MIRROR_JOURNAL && x->nr)
			ssdqos_regions_want(&m->regions, region,
					    x->want | m->out);
		return;
	}
	able = mirror_able(m) & (u8)~x->stale;
	if (m->cfg.durability == SSDQOS_MIRROR_STRICT)
		ssdqos_regions_flip(&m->regions, region, true);
	else
		ssdqos_regions_want(&m->regions, region,
				    m->all & (u8)~(able & (u8)-able));
}

/* What members that have failed lack may go when the metadata say so, if they can. */
static bool fail_entry(struct ssdqos_mirror *m, struct ssdqos_mirror_entry *e)
{
	if (m->cfg.durability == SSDQOS_MIRROR_JOURNAL && !m->map_failed &&
	    (e->lacks & m->out) && !mirror_away_noted(m, mirror_region_of(m, e)))
		return false;
	mirror_entry_lose(m, e, m->fail_mark);
	return true;
}

static bool walk_failing(struct ssdqos_mirror *m)
{
	u32 i;

	for (i = 0; i < MIRROR_WALK && m->fail_region < m->regions.nr; i++)
		fail_region(m, m->fail_region++);
	for (; i < MIRROR_WALK && m->failing < m->cache.nr; i++) {
		if (!fail_entry(m, mirror_at(m, m->failing)))
			return false;
		m->failing++;
	}
	if (m->failing < m->cache.nr)
		return true;
	m->failing = SSDQOS_NIL;
	return true;
}

/* ---- returns ---- */

/**
 * ssdqos_mirror_join - a member that has failed comes back
 * @m: the mirror
 * @member: who; it was not given anything since, and what it was given before is done
 * @all: it is another one: all has to be copied
 * @now_ns: the time
 *
 * Context: any.  Nothing happens if another one is about to, or as long as others don't
 * lead yet where it did, or the metadata can't say what it lacks.
 */
void ssdqos_mirror_join(struct ssdqos_mirror *m, u32 member, bool all,
			u64 now_ns)
{
	struct ssdqos_mirror_member *x = &m->members[member];
	u8 bit = mirror_bit(member);

	if (!(m->out & bit) || m->coming || m->failing != SSDQOS_NIL ||
	    !ssdqos_mirror_knows(m) || m->flush_done < m->fail_mark || x->in_flight || x->flushing)
		return;
	m->out &= (u8)~bit;
	m->coming = bit;
	m->joining = 0;
	m->join_region = 0;
	m->join_all = all;
	m->next_copy_ns = now_ns;
	x->errors = 0;
	m->super_dirty = true;
	mirror_roles_update(m);
}

static void join_region(struct ssdqos_mirror *m, u32 region)
{
	const struct ssdqos_region *x = &m->regions.regions[region];
	u8 mask = x->want | x->disk;

	if (!m->join_all && !(mask & m->coming))
		return;
	ssdqos_regions_stale(&m->regions, region, x->stale | m->coming);
	/* until then nobody may take it for the same as others */
	ssdqos_regions_want(&m->regions, region, x->want | m->coming);
}

static bool walk_joining(struct ssdqos_mirror *m)
{
	u32 member = mirror_first(m->coming), i;

	/* entries first: what leaves the cache meanwhile has left a mask */
	for (i = 0; i < MIRROR_WALK && m->joining < m->cache.nr; i++)
		mirror_entry_gain(m, mirror_at(m, m->joining++), member);
	for (; i < MIRROR_WALK && m->join_region < m->regions.nr; i++)
		join_region(m, m->join_region++);
	if (m->join_region < m->regions.nr)
		return true;
	m->joining = SSDQOS_NIL;
	m->coming = 0;
	/* if nothing has to be copied it has all now */
	m->super_dirty |= !m->regions.stale_of[member];
	m->why = SSDQOS_MIRROR_WHY_JOINED;
	return true;
}

/**
 * mirror_walk_step - go on with what a failure or a return has begun
 * @m: the mirror
 *
 * Return: whether there is more of it.
 */
bool mirror_walk_step(struct ssdqos_mirror *m)
{
	if (m->failing != SSDQOS_NIL)
		return walk_failing(m);
	if (m->joining != SSDQOS_NIL)
		return walk_joining(m);
	return false;
}

/**
 * mirror_tidy_step - go on with saying that members are the same where nothing is in the cache
 * @m: the mirror
 *
 * The last of all steps, as what others take out of the cache may be the last of a region.
 * Return: whether there is more of it.
 */
bool mirror_tidy_step(struct ssdqos_mirror *m)
{
	if (m->failing != SSDQOS_NIL || m->joining != SSDQOS_NIL || m->out ||
	    (!m->tidying && m->cache.used) ||
	    (m->cfg.durability == SSDQOS_MIRROR_VOLATILE && m->nr_discards))
		return false;
	m->tidying = ssdqos_regions_tidy(&m->regions);
	return m->tidying;
}
