// SPDX-License-Identifier: GPL-2.0
/*
 * flush.c - when what was written is durable
 *
 * A flush is asked for with a mark: all that was published before has it or a lower one.
 * One at a time is done, for all who asked before it began:
 *
 *	write	what is fresh and owed is sent to who answers for it
 *	sync	members that were written are flushed
 *	map	where a member has got what is to be durable and does not lead, it
 *		becomes the leader on the metadata device; it must have all then that
 *		was promised there before, so what others have is sent first
 *
 * While the metadata can't be written, all members are written what a flush is for, and
 * nothing else until they have; nobody needs to lead then.  A flush that began so ends so:
 * what was written before to who led then is not owed any more, and another one may lead
 * what metadata say that are back.
 *
 * A turn ends with the last two steps, so that who is written next finds nothing to be
 * settled for the one before.
 *
 * A flush of a member counts for what was written before it was sent.  Those entries
 * are noted in steps when it is done.  Nobody asks whether a member has a cache, as that may
 * change: a flush to one that has none ends at once.
 */
#include "internal.h"

/* A member is flushed when what was written since takes this part of the cache. */
#define FLUSH_WRITTEN_DIVISOR 8

/* ---- members ---- */

static bool member_wants_flush(const struct ssdqos_mirror *m, u32 member)
{
	const struct ssdqos_mirror_member *x = &m->members[member];
	const struct ssdqos_mirror_cache *c = &m->cache;

	if (x->flush_wanted || c->written[member].nr > c->nr / FLUSH_WRITTEN_DIVISOR)
		return true;
	/* there is nothing else to do, and room may come of it */
	return (m->waiting || m->draining) && !c->pending[member].nr &&
	       !x->in_flight;
}

/**
 * mirror_member_flush - is a member to be flushed now?
 * @m: the mirror
 * @member: who
 *
 * If so, it counts as begun.
 */
bool mirror_member_flush(struct ssdqos_mirror *m, u32 member)
{
	struct ssdqos_mirror_member *x = &m->members[member];

	if (m->broken || x->flushing || !x->dirty || !member_wants_flush(m, member))
		return false;
	x->flushing = true;
	x->flush_wanted = false;
	x->dirty = false;
	x->covered = m->cache.written[member].nr;
	x->flushes_begun++;
	return true;
}

/**
 * mirror_member_step - note what a member's flush has brought
 * @m: the mirror
 * @member: who
 *
 * Return: whether there is more to note.
 */
bool mirror_member_step(struct ssdqos_mirror *m, u32 member)
{
	struct ssdqos_mirror_member *x = &m->members[member];
	struct ssdqos_mirror_list *written = &m->cache.written[member];
	u32 i;

	if (!x->flushed)
		return false;
	for (i = 0; i < MIRROR_STEP && x->covered; i++, x->covered--) {
		u32 slot = written->head;
		struct ssdqos_mirror_entry *e = mirror_at(m, slot);

		ssdqos_mirror_remove(&m->cache, written, 1 + member, slot);
		mirror_entry_durable(m, e, member);
	}
	if (x->covered)
		return true;
	x->flushed = false;
	x->flushing = false;
	x->flushes_done++;
	return false;
}

/* ---- flushes ---- */

/* Members that have been written are flushed; those that are being, again. */
static void flush_sync(struct ssdqos_mirror *m)
{
	u32 i;

	m->flush = SSDQOS_MIRROR_FLUSH_SYNC;
	m->sync = 0;
	for (i = 0; i < m->nr; i++) {
		struct ssdqos_mirror_member *x = &m->members[i];

		if (!(m->writers & mirror_bit(i)) || !(x->dirty || x->flushing))
			continue;
		x->flush_wanted = x->dirty;
		m->sync |= mirror_bit(i);
		m->sync_at[i] = x->flushes_begun + x->dirty;
	}
}

/**
 * mirror_flush_turn - what was sent becomes durable, as the turn ends
 * @m: the mirror; no flush is being done
 */
void mirror_flush_turn(struct ssdqos_mirror *m)
{
	m->flush_active = 0;
	flush_sync(m);
}

/* Has every member been given all that a flush is for? */
static bool flush_all_given(const struct ssdqos_mirror *m)
{
	u32 fresh = m->cache.fresh.head, i;
	u8 able = mirror_able(m);

	if (fresh != SSDQOS_NIL &&
	    m->cache.entries[fresh].owed <= m->flush_active)
		return false;
	for (i = 0; i < m->nr; i++) {
		u32 head = m->cache.pending[i].head;

		if ((able & mirror_bit(i)) && head != SSDQOS_NIL &&
		    m->cache.entries[head].gen <= m->flush_active)
			return false;
	}
	return true;
}

/**
 * mirror_flush_holds - has what is under way to end before more is sent?
 * @m: the mirror
 *
 * So it is for a flush that all members have to have done.
 */
bool mirror_flush_holds(const struct ssdqos_mirror *m)
{
	return m->flush_all && m->flush == SSDQOS_MIRROR_FLUSH_WRITE &&
	       flush_all_given(m);
}

static bool flush_write_all(struct ssdqos_mirror *m)
{
	u32 head = m->cache.fresh.head, i;
	struct ssdqos_mirror_entry *e = head == SSDQOS_NIL ? NULL :
							     mirror_at(m, head);

	/* one that all were given before */
	if (e && !((e->pending | e->flight) & mirror_able(m))) {
		mirror_entry_answered(m, e,
				      mirror_answers(m, mirror_region_of(m, e)));
		return true;
	}
	if (!flush_all_given(m))
		return false;
	for (i = 0; i < m->nr; i++)
		if (m->members[i].in_flight)
			return false;
	flush_sync(m);
	return true;
}

static bool flush_begin(struct ssdqos_mirror *m)
{
	if (m->flush_wanted <= m->flush_done ||
	    m->turn != SSDQOS_MIRROR_TURN_ON)
		return false;
	m->flush_active = m->flush_wanted;
	m->flush = SSDQOS_MIRROR_FLUSH_WRITE;
	m->flush_all = m->map_failed;
	return true;
}

static bool flush_write(struct ssdqos_mirror *m)
{
	u32 head = m->cache.fresh.head, answers;
	struct ssdqos_mirror_entry *e;

	if (m->flush_all)
		return flush_write_all(m);
	if (head == SSDQOS_NIL || mirror_at(m, head)->owed > m->flush_active) {
		flush_sync(m);
		return true;
	}
	e = mirror_at(m, head);
	answers = mirror_answers(m, mirror_region_of(m, e));
	if ((e->pending | e->flight) & mirror_bit(answers))
		return false;
	/* somebody else had to answer for it when this one was sent it */
	mirror_entry_answered(m, e, answers);
	return true;
}

static bool flush_synced(struct ssdqos_mirror *m)
{
	u32 i;

	for (i = 0; i < m->nr; i++)
		if ((m->out & mirror_bit(i)) ||
		    m->members[i].flushes_done >= m->sync_at[i])
			m->sync &= (u8)~mirror_bit(i);
	if (m->sync)
		return false;
	m->flush = SSDQOS_MIRROR_FLUSH_MAP;
	m->map_cursor = 0;
	m->urgent_region = SSDQOS_NIL;
	return true;
}

/* What is missing most for a member to lead a region. */
static enum mirror_mate flush_mates(struct ssdqos_mirror *m, u32 region,
				    u32 member)
{
	u64 block = (u64)region << m->regions.shift;
	u64 end = block + ssdqos_region_blocks(&m->regions);
	struct ssdqos_mirror_entry *e = ssdqos_mirror_from(&m->cache, block);
	enum mirror_mate most = MIRROR_MATE_DURABLE;

	for (; e && e->node.key < end; e = ssdqos_mirror_next_of(e)) {
		enum mirror_mate mate = mirror_entry_mate(m, e, member);

		most = max(most, mate);
	}
	return most;
}

/* The next region that is to be led by another member, or SSDQOS_NIL; in steps. */
static u32 flush_next_flip(struct ssdqos_mirror *m)
{
	struct ssdqos_regions *r = &m->regions;
	u32 i;

	while (m->map_cursor < r->nr) {
		u32 index = m->map_cursor / SSDQOS_MIRROR_MAP_REGIONS;

		if (!r->blocks[index].nr_flips) {
			m->map_cursor = (index + 1) * SSDQOS_MIRROR_MAP_REGIONS;
			continue;
		}
		for (i = m->map_cursor; i < r->nr &&
		     i / SSDQOS_MIRROR_MAP_REGIONS == index; i++)
			if (r->regions[i].flip) {
				m->map_cursor = i;
				return i;
			}
		m->map_cursor = i;
	}
	m->map_cursor = r->nr;
	return SSDQOS_NIL;
}

static bool flush_end(struct ssdqos_mirror *m)
{
	if ((m->out & mirror_bit(m->leader)) && mirror_is_whole(m, m->lead)) {
		m->leader = m->lead;
		m->super_dirty = true;
	}
	if (mirror_has_no_leader(m))
		return false;
	if (!m->map_failed &&
	    (m->regions.nr_owed || m->super_dirty || m->super_writing ||
	     (m->regions.writing && m->regions.writing_owed)))
		return false;
	if (!mirror_safe_flushed(m))
		return false;
	m->flush = SSDQOS_MIRROR_FLUSH_NONE;
	m->flush_all = false;
	m->flush_done = max(m->flush_done, m->flush_active);
	return true;
}

static bool flush_map(struct ssdqos_mirror *m)
{
	u32 region = m->map_failed ? SSDQOS_NIL : flush_next_flip(m), leader;

	m->urgent_region = SSDQOS_NIL;
	if (region == SSDQOS_NIL)
		return flush_end(m);
	leader = mirror_answers(m, region);
	if (m->regions.regions[region].stale & mirror_bit(leader)) {
		m->copy_wanted = region;
		return false;
	}
	switch (flush_mates(m, region, leader)) {
	case MIRROR_MATE_UNSENT:
		m->urgent_region = region;
		return false;
	case MIRROR_MATE_FLIGHT:
		return false;
	case MIRROR_MATE_WRITTEN:
		flush_sync(m);
		return true;
	case MIRROR_MATE_DURABLE:
		break;
	}
	ssdqos_regions_want(&m->regions, region,
			    m->all & (u8)~mirror_bit(leader));
	ssdqos_regions_owe(&m->regions, region);
	ssdqos_regions_flip(&m->regions, region, false);
	return true;
}

/**
 * mirror_flush_step - go on with the flush, if there is one
 * @m: the mirror
 *
 * Return: whether it went on.
 */
bool mirror_flush_step(struct ssdqos_mirror *m)
{
	/* what could not be written is not durable anywhere */
	if (m->failing != SSDQOS_NIL || m->leaving != SSDQOS_NIL || m->broken)
		return false;
	switch (m->flush) {
	case SSDQOS_MIRROR_FLUSH_NONE:
		return flush_begin(m);
	case SSDQOS_MIRROR_FLUSH_WRITE:
		return flush_write(m);
	case SSDQOS_MIRROR_FLUSH_SYNC:
		return flush_synced(m);
	default:
		return flush_map(m);
	}
}
