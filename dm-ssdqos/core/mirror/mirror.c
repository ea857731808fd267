// SPDX-License-Identifier: GPL-2.0
/*
 * mirror.c - a mirror whose members take turns
 *
 * After "High performance & low latency in solid-state drives through redundancy"
 * (Ianus), section 5: of n members k are written, and the others serve reads, so no
 * read waits for a write.  After a while they change roles.  What was written lies in
 * a cache until all members have it on stable storage, so
 *
 *	cache + stable storage of any member = what was written last		(1)
 *
 * always, and any member but one may fail.  Reads come from the cache, or if it does
 * not have the block from a member that is not written now.
 *
 *	reading --> syncing --> writing --> idling --> reading		a turn (roles.c)
 *	   any of them --> failed --> rebuilding --> reading		  and failures
 *
 * The one whose turn begins gets first what the others have and it lacks, then what is
 * new.  The turn ends after switch_ms, or when it has caught up if that is later, or when
 * the cache is full of what the others need.
 *
 * What holds after a power cut, when the cache is gone (1 does not help then):
 *
 * - strict: a flush is answered when all that was written before is on stable storage
 *   of a member, and the metadata say of which (regions.c, flush.c).  A member is written
 *   where the metadata say that it differs, only; so after a power cut it is known where
 *   members differ, and who has what was promised.
 * - journal: all that is in the cache is in a journal, too.
 * - volatile: flushes are answered at once.  The state of one member, the leader, is not
 *   touched until another one has all that was written before some later moment; then
 *   that one becomes the leader.  So a power cut takes the writes of the last turns, and
 *   leaves what there was at a moment.
 *
 * If the metadata can't be written, nobody would know after a power cut who has what: then
 * all are written at once, and a flush is answered when all have what was before.  It is
 * tried again, and roles change again when all masks are there.
 *
 * While there is one member, or some have to be copied to, all are written and read
 * ("plain"), and durability volatile is strict.
 *
 * Writes are taken as fast as members do them in the long run: each is done nr times, by
 * k members at a time (section 5.2, "the rate at which writes are accepted is k/2").
 * Below half of the cache they are taken at once; above, at that rate while a fifth
 * is free, and the slower the less there is: writes wait a little each, and do not stand
 * still for seconds when there is no room at all, as members become slower or rest.
 *
 * Files, from above: away.c, roles.c, scrub.c, copy.c, send.c, flush.c, safe.c, entry.c,
 * cache.c, regions.c; and before it begins, grow.c.
 * Integers in, instructions out.  The caller serialises, has the data, executes what
 * ssdqos_mirror_next() says, and tells when it is done.  No call looks at more than some
 * thousands of masks or some hundreds of entries; walks go on with the next call.
 */
#include "internal.h"

/* Until a member was seen writing: 77 MB/s. */
#define MIRROR_FIRST_RATE_NS 53333u
/* They are taken as fast as members do them when this part of the cache is free: 3 of 16. */
#define MIRROR_RATE_ROOM 3
#define MIRROR_RATE_ROOM_DIVISOR 16
/* With less than this part they are not slowed down further, and who has nothing left to
 * write ends his turn as if there was no room.
 */
#define MIRROR_LEAST_ROOM_DIVISOR 16
/* Writes are held to a rate when this part of the cache is used. */
#define MIRROR_FREE_DIVISOR 2
/* Metadata that could not be written are tried again so soon. */
#define MIRROR_MAP_RETRY_NS 100000000ULL
/* After so many tries, a second, it is done without them: clients can't wait for ever. */
#define MIRROR_MAP_TRIES 10u
/* Steps of walks and notes before the lock is let go. */
#define MIRROR_TURNS 8u

const char *const ssdqos_mirror_state_names[SSDQOS_NR_MIRROR_STATES] = {
#define E(name, text) [SSDQOS_MIRROR_##name] = text,
	SSDQOS_MIRROR_STATES(E)
#undef E
};

const char *const ssdqos_mirror_why_names[SSDQOS_NR_MIRROR_WHYS] = {
#define E(name, text) [SSDQOS_MIRROR_WHY_##name] = text,
	SSDQOS_MIRROR_WHYS(E)
#undef E
};

const char *const ssdqos_mirror_stat_names[SSDQOS_NR_MIRROR_STATS] = {
#define S(name, ...) #name,
	SSDQOS_MIRROR_STATS(S)
#undef S
};

/* ---- come and go ---- */

static u32 shift_of(u64 n)
{
	u32 shift = 0;

	while (n >>= 1)
		shift++;
	return shift;
}

/**
 * ssdqos_mirror_init - a mirror with nothing in its cache
 * @m: the mirror
 * @cfg: what it goes by; was checked
 * @members: how many
 * @blocks: its size
 *
 * Context: may sleep.  Before it starts, the masks of its regions (ssdqos_regions_load()) may
 * be set.
 * Return: 0, -ENOMEM, or -E2BIG if there would be too many regions.
 */
int ssdqos_mirror_init(struct ssdqos_mirror *m,
		       const struct ssdqos_mirror_config *cfg, u32 members,
		       u64 blocks)
{
	u64 slots = div64_u64(cfg->cache_kib, SSDQOS_MIRROR_BLOCK_KIB);
	u32 shift = shift_of(div64_u64(cfg->region_kib, SSDQOS_MIRROR_BLOCK_KIB));
	int r;

	*m = (struct ssdqos_mirror){
		.cfg = *cfg, .blocks = blocks, .nr = members,
		.all = (u8)((1u << members) - 1),
		/* marks below the first one stand for "before all" */
		.gen = 1, .plain = true,
		.pace.block_ns = MIRROR_FIRST_RATE_NS,
		.failing = SSDQOS_NIL, .joining = SSDQOS_NIL, .leaving = SSDQOS_NIL,
		.urgent_region = SSDQOS_NIL, .copy_wanted = SSDQOS_NIL,
		.unread_region = SSDQOS_NIL,
	};
	r = ssdqos_regions_init(&m->regions, blocks, shift);
	if (r)
		return r;
	r = ssdqos_mirror_cache_init(&m->cache, (u32)slots, members);
	if (r)
		ssdqos_regions_exit(&m->regions);
	return r;
}

/**
 * ssdqos_mirror_exit - give the memory back
 * @m: the mirror; nothing is under way
 *
 * Context: may sleep.
 */
void ssdqos_mirror_exit(struct ssdqos_mirror *m)
{
	ssdqos_mirror_cache_exit(&m->cache);
	ssdqos_regions_exit(&m->regions);
}

/* ---- writes ---- */

static u32 least_room(const struct ssdqos_mirror *m)
{
	return max(m->cache.nr / MIRROR_LEAST_ROOM_DIVISOR, 1U);
}

/* When the next write may come after one of so many blocks. */
static u64 accept_gap_ns(const struct ssdqos_mirror *m, u32 nr)
{
	/* each block is written by all, and so many are written at a time */
	u64 copies_ns = div64_u64(m->pace.block_ns * nr * mirror_count(mirror_in(m)),
				  mirror_count(m->writers));
	u64 room = max(m->cache.nr - m->cache.used, least_room(m));

	return div64_u64(copies_ns * m->cache.nr * MIRROR_RATE_ROOM,
			 MIRROR_RATE_ROOM_DIVISOR * room);
}

/**
 * ssdqos_mirror_take - take slots for a write
 * @m: the mirror
 * @nr: how many; no more than the cache has
 * @slots: gets them
 * @now_ns: the time
 *
 * The caller fills them and calls ssdqos_mirror_publish() for each, or
 * ssdqos_mirror_give_back().
 * Context: any.
 * Return: 0; or when to try again, which is SSDQOS_NEVER_NS if that is when something
 * has been done.
 */
u64 ssdqos_mirror_take(struct ssdqos_mirror *m, u32 nr, u32 *slots, u64 now_ns)
{
	struct ssdqos_mirror_cache *c = &m->cache;
	u32 i;

	if (c->free.nr < nr) {
		ssdqos_mirror_want_room(m);
		return SSDQOS_NEVER_NS;
	}
	if (m->cfg.throttle && c->used > c->nr / MIRROR_FREE_DIVISOR) {
		if (now_ns < m->next_accept_ns) {
			m->waiting |= c->free.nr < least_room(m);
			return m->next_accept_ns;
		}
		m->next_accept_ns = max(m->next_accept_ns, m->last_accept_ns) +
				    accept_gap_ns(m, nr);
	}
	m->last_accept_ns = now_ns;
	m->waiting = false;
	for (i = 0; i < nr; i++) {
		slots[i] = c->free.head;
		ssdqos_mirror_remove(c, &c->free, 0, slots[i]);
	}
	m->reserved += nr;
	c->used += nr;
	return 0;
}

/**
 * ssdqos_mirror_give_back - a slot is not needed after all
 * @m: the mirror
 * @slot: one that was taken and not published
 *
 * Context: any.
 */
void ssdqos_mirror_give_back(struct ssdqos_mirror *m, u32 slot)
{
	m->reserved--;
	m->cache.used--;
	ssdqos_mirror_append(&m->cache, &m->cache.free, 0, slot);
}

/**
 * ssdqos_mirror_publish - a block is written: from now on reads get the new data
 * @m: the mirror
 * @block: which one
 * @slot: where the data are
 *
 * Context: any; O(log n).
 */
void ssdqos_mirror_publish(struct ssdqos_mirror *m, u64 block, u32 slot)
{
	m->reserved--;
	m->stats.writes++;
	mirror_entry_publish(m, block, slot);
}

/* ---- reads ---- */

/* Of those who may, the one with the fewest reads. */
static u32 read_choose(const struct ssdqos_mirror *m, u8 able)
{
	u32 best = SSDQOS_MIRROR_NOBODY, i;

	for (i = 0; i < m->nr; i++)
		if ((able & mirror_bit(i)) &&
		    (best == SSDQOS_MIRROR_NOBODY ||
		     m->members[i].reads < m->members[best].reads))
			best = i;
	return best;
}

static u32 read_member(const struct ssdqos_mirror *m, u32 region, u8 tried)
{
	u8 able = mirror_able(m) & (u8)~tried & (u8)~m->regions.regions[region].stale;
	u8 idle = able & (u8)~m->writers;

	return read_choose(m, idle && !m->plain ? idle : able);
}

/**
 * ssdqos_mirror_read - where is something to be read from?
 * @m: the mirror
 * @block: the first block
 * @nr: blocks
 * @tried: members that have failed to read it, a bit each
 * @source: gets where the first of them are, and how many of them
 *
 * A slot is pinned: ssdqos_mirror_unpin() after its data were copied.  If a member has
 * the blocks, ssdqos_mirror_read_done() when it has answered.
 * Context: any; O(log n).
 */
void ssdqos_mirror_read(struct ssdqos_mirror *m, u64 block, u32 nr, u8 tried,
			struct ssdqos_mirror_source *source)
{
	struct ssdqos_mirror_entry *e = ssdqos_mirror_from(&m->cache, block);
	u32 region = ssdqos_region_of(&m->regions, block);
	u64 end = block + nr;

	m->stats.reads++;
	if (e && e->node.key == block) {
		e->pins++;
		m->stats.cache_reads++;
		*source = (struct ssdqos_mirror_source){
			.nr = 1, .member = SSDQOS_MIRROR_NOBODY,
			.slot = ssdqos_mirror_slot_of(&m->cache, e),
		};
		return;
	}
	if (e)
		end = min(end, e->node.key);
	/* the next region may have another source */
	if (m->regions.nr_stale)
		end = min(end, (u64)(region + 1) << m->regions.shift);
	*source = (struct ssdqos_mirror_source){
		.nr = (u32)(end - block), .slot = SSDQOS_NIL,
		.member = read_member(m, region, tried),
	};
	if (source->member != SSDQOS_MIRROR_NOBODY)
		m->members[source->member].reads++;
}

/**
 * ssdqos_mirror_read_other - who else can read what a member could not?
 * @m: the mirror
 * @block: the first block; none of them was in the cache when the read came
 * @nr: blocks
 * @tried: members that have failed to, a bit each
 *
 * Context: any.
 * Return: the member, for ssdqos_mirror_read_done() when it has answered, or
 * SSDQOS_MIRROR_NOBODY.
 */
u32 ssdqos_mirror_read_other(struct ssdqos_mirror *m, u64 block, u32 nr,
			     u8 tried)
{
	u32 region = ssdqos_region_of(&m->regions, block);
	u32 last = ssdqos_region_of(&m->regions, block + nr - 1), member;

	for (; region < last; region++)
		tried |= m->regions.regions[region].stale;
	member = read_member(m, last, tried);
	if (member != SSDQOS_MIRROR_NOBODY)
		m->members[member].reads++;
	return member;
}

/**
 * ssdqos_mirror_has_cached - is a block in the cache?
 * @m: the mirror
 * @block: which one
 *
 * Context: any; O(log n).
 */
bool ssdqos_mirror_has_cached(const struct ssdqos_mirror *m, u64 block)
{
	const struct ssdqos_mirror_entry *e = ssdqos_mirror_from(&m->cache, block);

	return e && e->node.key == block;
}

/**
 * ssdqos_mirror_unpin - data of a slot were copied
 * @m: the mirror
 * @slot: it was pinned
 *
 * Context: any.
 * Return: whether there is more room now: who waits for it has to be asked again.
 */
bool ssdqos_mirror_unpin(struct ssdqos_mirror *m, u32 slot)
{
	struct ssdqos_mirror_entry *e = mirror_at(m, slot);
	u32 before = m->cache.used;

	e->pins--;
	mirror_entry_settle(m, e);
	return m->cache.used < before;
}

/* ---- instructions ---- */

static u32 writes_in_flight(const struct ssdqos_mirror *m)
{
	u32 n = 0, i;

	for (i = 0; i < m->nr; i++)
		n += m->members[i].in_flight;
	return n;
}

static bool next_of_metadata(struct ssdqos_mirror *m,
			     struct ssdqos_mirror_op *op, u64 now_ns)
{
	if (m->map_tries && now_ns < m->map_retry_ns)
		return false;
	if (ssdqos_regions_write(&m->regions)) {
		op->kind = SSDQOS_MIRROR_OP_MAP;
		op->block = m->regions.index;
		m->stats.maps++;
		return true;
	}
	if (!m->super_dirty || m->super_writing)
		return false;
	m->super_dirty = false;
	m->super_writing = true;
	m->super_ns = now_ns;
	op->kind = SSDQOS_MIRROR_OP_SUPER;
	m->stats.supers++;
	return true;
}

static bool next_of_member(struct ssdqos_mirror *m, u32 member,
			   struct ssdqos_mirror_op *op, u64 now_ns)
{
	struct ssdqos_mirror_member *x = &m->members[member];
	u32 before = writes_in_flight(m), own = x->in_flight;

	if (!(mirror_able(m) & mirror_bit(member)))
		return false;
	op->member = member;
	if (mirror_member_flush(m, member)) {
		op->kind = SSDQOS_MIRROR_OP_FLUSH;
		m->stats.member_flushes++;
		return true;
	}
	if (!mirror_send(m, member, op))
		return false;
	mirror_pace_look(&m->pace, before, before + 1, now_ns);
	mirror_pace_look(&x->pace, own, own + 1, now_ns);
	return true;
}

static bool next_of_members(struct ssdqos_mirror *m,
			    struct ssdqos_mirror_op *op, u64 now_ns)
{
	u32 i;

	for (i = 0; i < m->nr; i++) {
		m->cursor = m->cursor + 1 < m->nr ? m->cursor + 1 : 0;
		if (next_of_member(m, m->cursor, op, now_ns))
			return true;
	}
	return false;
}

/* Notes and walks that are due; whether there may be more. */
static bool mirror_step(struct ssdqos_mirror *m, u64 now_ns)
{
	bool more = mirror_safe_walk(m) | mirror_walk_step(m) |
		    mirror_copy_walk(m);
	u32 i;

	for (i = 0; i < m->nr; i++)
		more |= mirror_member_step(m, i);
	more |= mirror_scrub_step(m);
	more |= mirror_roles_step(m, now_ns);
	more |= mirror_flush_step(m);
	more |= mirror_tidy_step(m);
	return more;
}

/**
 * ssdqos_mirror_next - what is to be done?
 * @m: the mirror
 * @op: gets it
 * @now_ns: the time
 *
 * Context: any; to be called until there is nothing, after whatever else was called,
 * and at ssdqos_mirror_wake_ns().
 * Return: false if there is nothing.
 */
bool ssdqos_mirror_next(struct ssdqos_mirror *m, struct ssdqos_mirror_op *op,
			u64 now_ns)
{
	bool more;
	u32 i;

	op->began_ns = now_ns;
	op->nr = 0;
	op->to = 0;
	for (i = 0; i < MIRROR_TURNS; i++) {
		more = mirror_step(m, now_ns);
		if (next_of_metadata(m, op, now_ns) ||
		    next_of_members(m, op, now_ns) ||
		    mirror_copy(m, op, now_ns) ||
		    mirror_scrub(m, op, now_ns) ||
		    /* what is to be sent may need other masks first */
		    next_of_metadata(m, op, now_ns))
			return true;
		if (!more)
			return false;
	}
	op->kind = SSDQOS_MIRROR_OP_AGAIN;
	return true;
}

/* What was written without metadata is known there when all of them are. */
static void metadata_are_back(struct ssdqos_mirror *m)
{
	if (!m->map_failed || m->regions.nr_dirty || m->regions.writing ||
	    m->super_dirty || m->super_writing)
		return;
	m->map_failed = false;
	/* flushes did without saying who leads */
	if (m->regions.nr_flips) {
		m->flush_wanted = m->gen++;
		m->map_mark = m->flush_wanted;
	}
}

/* Metadata were written, or were not. */
static void metadata_done(struct ssdqos_mirror *m, bool failed, u64 now_ns)
{
	if (!failed) {
		m->map_tries = 0;
		metadata_are_back(m);
		return;
	}
	m->map_retry_ns = now_ns + MIRROR_MAP_RETRY_NS;
	if (++m->map_tries < MIRROR_MAP_TRIES || m->map_failed)
		return;
	m->map_failed = true;
	mirror_flush_without_map(m);
}

/**
 * ssdqos_mirror_done - an instruction has been carried out
 * @m: the mirror
 * @op: it
 * @failed: members that have failed at it, a bit each; of metadata, whether it did
 * @now_ns: the time
 *
 * Context: any.
 */
void ssdqos_mirror_done(struct ssdqos_mirror *m, struct ssdqos_mirror_op *op,
			u32 failed, u64 now_ns)
{
	u32 before = writes_in_flight(m);
	struct ssdqos_mirror_member *x;

	switch (op->kind) {
	case SSDQOS_MIRROR_OP_MAP:
		ssdqos_regions_written(&m->regions, failed);
		metadata_done(m, failed, now_ns);
		break;
	case SSDQOS_MIRROR_OP_SUPER:
		m->super_writing = false;
		m->super_dirty |= !!failed;
		metadata_done(m, failed, now_ns);
		break;
	case SSDQOS_MIRROR_OP_COPY:
		mirror_copy_done(m, op, failed, now_ns);
		break;
	case SSDQOS_MIRROR_OP_COMPARE:
		mirror_scrub_done(m, op, failed);
		break;
	default:
		mirror_send_done(m, op, failed, now_ns);
	}
	if (op->kind == SSDQOS_MIRROR_OP_WRITE) {
		x = &m->members[op->member];
		m->pace.blocks += op->nr;
		mirror_pace_look(&m->pace, before, before - 1, now_ns);
		x->pace.blocks += op->nr;
		mirror_pace_look(&x->pace, x->in_flight + 1, x->in_flight, now_ns);
	}
}

/**
 * ssdqos_mirror_wake_ns - when is ssdqos_mirror_next() to be called, if nothing happens?
 * @m: the mirror; it has nothing to do
 * @now_ns: the time
 *
 * Context: any.
 * Return: SSDQOS_NEVER_NS if never.
 */
u64 ssdqos_mirror_wake_ns(const struct ssdqos_mirror *m, u64 now_ns)
{
	u64 copy_ns = m->regions.nr_stale && !m->copying ? m->next_copy_ns :
							  SSDQOS_NEVER_NS;
	u64 turn_ns = SSDQOS_NEVER_NS;

	if (m->turn == SSDQOS_MIRROR_TURN_IDLE)
		turn_ns = m->idle_ns;
	else if (m->turn == SSDQOS_MIRROR_TURN_ON && !m->broken &&
		 (m->cache.used || m->nr_discards))
		turn_ns = mirror_turn_end_ns(m);
	/* what is due and is not done waits for something else */
	if (turn_ns <= now_ns)
		turn_ns = SSDQOS_NEVER_NS;
	if (copy_ns <= now_ns)
		copy_ns = SSDQOS_NEVER_NS;
	if (m->copy_wanted != SSDQOS_NIL && m->copy_order_ns > now_ns)
		copy_ns = min(copy_ns, m->copy_order_ns);
	if (m->scrub.step == SSDQOS_MIRROR_SCRUB_LOOK &&
	    m->scrub.next_ns > now_ns)
		copy_ns = min(copy_ns, m->scrub.next_ns);
	if (m->map_tries && m->map_retry_ns > now_ns)
		copy_ns = min(copy_ns, m->map_retry_ns);
	return min(turn_ns, copy_ns);
}
