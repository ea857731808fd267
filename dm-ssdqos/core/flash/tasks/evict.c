// SPDX-License-Identifier: GPL-2.0
/*
 * evict.c - the write buffer is written out by stripes (GC-tolerant flush: ttFlash,
 * section 4.5)
 *
 * With rain_flush stripes, units that are written are *held* in the buffer until the
 * stripe to which they belong is written out as a whole:
 *
 *	GATHERING -> (it is chosen) -> WRITING -> (all its data is in flash, and what its
 *	    ^                                      parity follows from was read) -> PARITY
 *	    +---------------- (the parity is in flash) <------------------------------+
 *
 * What is written to it meanwhile is held for the next time.  Its data goes first and its parity
 * last, so that what is in flash can always be rebuilt (dirty.c).
 *
 * Which stripe is next, when the buffer holds more than flush_start_pct or somebody
 * waits for it: a *calm* group of planes is one in which none collects.
 *
 *	1. full stripes, all of whose units have changed, in calm groups
 *	2. full stripes elsewhere: one of their planes collects, so one page waits
 *	   in the buffer, and N - 1 don't
 *	3. partial ones of which nothing goes to a plane that collects
 *	4. other partial ones
 *
 * and of those the one that became so first, group by group.
 *
 * The parity of a partial stripe follows from
 *
 *	the rest	units of the stripe that have not changed: reconstruct-write
 *	what is old	those that have, as they were, and the old parity:
 *			read-modify-write
 *
 * No unit is in both, so if one plane of the group collects, one of the two can be
 * read without waiting for it; of two, that with fewer reads.
 *
 * A stripe of which all has been discarded is forgotten, and its parity with it.
 */
#include "tasks.h"
#include "../../engine/bits.h"

/* From what a parity follows. */
enum evict_way {
	EVICT_FROM_REST,
	EVICT_FROM_OLD,
};

/* What a way costs. */
struct evict_cost {
	u32 reads;
	bool possible;
	bool waits;		/* for a plane that collects */
};

static u32 evict_parity_number(const struct ssdqos_flash *f)
{
	return f->geo.stripe_units - 1;
}

/* The parity of a dirty stripe. */
u32 flash_evict_parity(const struct ssdqos_flash *f, u32 dirty)
{
	return f->buffer.slot[f->dirties.stripe[dirty].parity_slot].lpn;
}

static u32 evict_group(const struct ssdqos_flash *f, u32 dirty)
{
	return f->layout->list_of(f, flash_evict_parity(f, dirty)) / f->geo.stripe_units;
}

/* ---- queues ---- */

/* It is in no queue any more. */
void flash_evict_dequeue(struct ssdqos_flash *f, u32 dirty)
{
	struct flash_dirties *d = &f->dirties;
	struct flash_dirty *s = &d->stripe[dirty];
	u32 group = evict_group(f, dirty);
	struct flash_list *l;

	if (s->queue == FLASH_QUEUE_NONE)
		return;
	l = &d->queue[s->queue][group];
	if (s->prev == SSDQOS_NIL)
		l->head = s->next;
	else
		d->stripe[s->prev].next = s->next;
	if (s->next == SSDQOS_NIL)
		l->tail = s->prev;
	else
		d->stripe[s->next].prev = s->prev;
	if (flash_list_empty(l))
		flash_bits_assign(d->queued[s->queue], group, false);
	s->queue = FLASH_QUEUE_NONE;
}

static void evict_enqueue(struct ssdqos_flash *f, u32 dirty, u32 queue)
{
	struct flash_dirties *d = &f->dirties;
	struct flash_dirty *s = &d->stripe[dirty];
	u32 group = evict_group(f, dirty);
	struct flash_list *l = &d->queue[queue][group];

	s->queue = (u8)queue;
	s->next = SSDQOS_NIL;
	s->prev = flash_list_empty(l) ? SSDQOS_NIL : l->tail;
	if (flash_list_empty(l))
		l->head = dirty;
	else
		d->stripe[l->tail].next = dirty;
	l->tail = dirty;
	flash_bits_assign(d->queued[queue], group, true);
}

/* Has all of it changed?  The last stripe of a drive may have fewer units. */
static bool evict_is_full(const struct ssdqos_flash *f, u32 dirty)
{
	u32 parity = flash_evict_parity(f, dirty), i;
	u64 held = f->dirties.stripe[dirty].held;

	for (i = 0; i < evict_parity_number(f); i++)
		if (!(held >> i & 1) &&
		    f->layout->member(f, parity, i) != SSDQOS_NIL)
			return false;
	return true;
}

/* Is the rest of it read, so that it becomes a whole one (lift.c)? */
static bool evict_is_lifted(const struct flash_dirty *s)
{
	return s->state == FLASH_DIRTY_GATHERING && s->reads;
}

/* Something of it is held: in which queue it waits. */
static void evict_queue(struct ssdqos_flash *f, u32 dirty)
{
	struct flash_dirty *s = &f->dirties.stripe[dirty];
	u32 queue = evict_is_full(f, dirty) ? FLASH_QUEUE_FULL :
					      FLASH_QUEUE_PARTIAL;

	if (s->state != FLASH_DIRTY_GATHERING || s->queue == queue || evict_is_lifted(s))
		return;
	flash_evict_dequeue(f, dirty);
	evict_enqueue(f, dirty, queue);
}

/* ---- entering the buffer ---- */

/* Does the parity that is under way not stand for what is written now? */
static bool evict_needs_next(const struct flash_dirty *s)
{
	return s->state != FLASH_DIRTY_GATHERING && s->next_slot == SSDQOS_NIL;
}

/* A slot for the parity of what is about to change; there is one.  @at: where it was. */
static u32 evict_open(struct ssdqos_flash *f, u32 dirty, u32 lpn, u32 at)
{
	u32 parity = f->layout->partner(f, lpn), slot;

	if (dirty != SSDQOS_NIL && !evict_needs_next(&f->dirties.stripe[dirty]))
		return dirty;
	slot = flash_slot_take(f, parity);
	if (dirty == SSDQOS_NIL) {
		dirty = flash_dirty_take(f, slot);
		if (!flash_at_in_buffer(at))
			flash_dirty_replace(f, dirty, parity, at);
	} else {
		f->dirties.of_slot[slot] = dirty;
		f->dirties.stripe[dirty].next_slot = slot;
	}
	return dirty;
}

/* Make room for the parity of a unit of data that enters the buffer next.  False if there
 * is none for both, with @room slots left.
 */
bool flash_evict_enter(struct ssdqos_flash *f, u32 lpn, u32 room)
{
	const struct flash_buffer *b = &f->buffer;
	u32 dirty = flash_dirty_of(f, lpn), need = 1;

	if (dirty == SSDQOS_NIL || evict_needs_next(&f->dirties.stripe[dirty]))
		need++;
	if (b->nr_slots - b->nr_used < need + room)
		return false;
	evict_open(f, dirty, lpn, f->l2p[f->layout->partner(f, lpn)]);
	return true;
}

/* It is in the buffer, and was at @at. */
void flash_evict_entered(struct ssdqos_flash *f, u32 lpn, u32 at)
{
	u32 dirty = flash_dirty_of(f, lpn);

	if (!flash_at_in_buffer(at))
		flash_dirty_replace(f, dirty, lpn, at);
	f->dirties.stripe[dirty].held |= 1ULL << flash_stripe_number_of(f, lpn);
	evict_queue(f, dirty);
}

/* A unit that was in the buffer when the drive's state was saved, of a stripe of which
 * nothing else is known.  There is room for it and for the parity, which may be in flash if
 * that drive wrote out unit by unit.
 */
void flash_evict_restore(struct ssdqos_flash *f, u32 lpn)
{
	u32 parity = f->layout->partner(f, lpn), dirty;

	dirty = evict_open(f, flash_dirty_of(f, lpn), lpn,
			   flash_unit_in_flash(f, parity) ? f->l2p[parity] : FLASH_IN_BUFFER);
	if (flash_unit_is_parity(f, lpn)) {
		evict_queue(f, dirty);
		return;
	}
	flash_slot_take(f, lpn);
	flash_evict_entered(f, lpn, FLASH_IN_BUFFER);
}

/* ---- discards ---- */

/* Nothing is left of a stripe of which nothing is under way: forget it. */
static void evict_drop(struct ssdqos_flash *f, u32 dirty)
{
	u32 parity = flash_evict_parity(f, dirty), i;

	flash_evict_dequeue(f, dirty);
	for (i = 0; i < f->geo.stripe_units; i++)
		flash_dirty_forget(f, dirty, i);
	f->l2p[parity] = FLASH_UNMAPPED;
	flash_mapcache_update(f, parity);
	flash_slot_free(f, f->dirties.stripe[dirty].parity_slot);
	flash_dirty_put(f, dirty);
	f->stats.stripes_dropped++;
}

static bool evict_is_empty(const struct ssdqos_flash *f, u32 dirty)
{
	u32 parity = flash_evict_parity(f, dirty), i, lpn;

	for (i = 0; i < evict_parity_number(f); i++) {
		lpn = f->layout->member(f, parity, i);
		if (lpn != SSDQOS_NIL && f->l2p[lpn] != FLASH_UNMAPPED)
			return false;
	}
	return true;
}

/* Something of it was discarded, or it has been lifted. */
static void evict_changed(struct ssdqos_flash *f, u32 dirty)
{
	const struct flash_dirty *s = &f->dirties.stripe[dirty];

	if (s->state == FLASH_DIRTY_GATHERING && !evict_is_lifted(s) &&
	    evict_is_empty(f, dirty))
		evict_drop(f, dirty);
	else
		evict_queue(f, dirty);
}

/* A unit of data was discarded that was at @at, in flash or in the buffer.  Without room for
 * the parity that follows from that, the stripe goes on as if the unit were there.
 */
void flash_evict_discard(struct ssdqos_flash *f, u32 lpn, u32 at)
{
	u32 dirty = flash_dirty_of(f, lpn);

	if (f->buffer.free == SSDQOS_NIL &&
	    (dirty == SSDQOS_NIL || evict_needs_next(&f->dirties.stripe[dirty]))) {
		if (!(at & FLASH_IN_BUFFER))
			flash_map_invalidate(f, at);
		return;
	}
	dirty = evict_open(f, dirty, lpn, f->l2p[f->layout->partner(f, lpn)]);
	if (!(at & FLASH_IN_BUFFER))
		flash_dirty_replace(f, dirty, lpn, at);
	f->dirties.stripe[dirty].held |= 1ULL << flash_stripe_number_of(f, lpn);
	evict_changed(f, dirty);
}

/* ---- from what a parity follows ---- */

/* Unit @i of a stripe as a way reads it; FLASH_OLD_NOTHING: it doesn't. */
static u32 evict_source(const struct ssdqos_flash *f, u32 dirty, u32 i,
			enum evict_way way)
{
	bool changed = i == evict_parity_number(f) ||
		       f->dirties.stripe[dirty].held >> i & 1;
	enum evict_way its_way = changed ? EVICT_FROM_OLD : EVICT_FROM_REST;

	if (way != its_way)
		return FLASH_OLD_NOTHING;
	return flash_dirty_source(f, flash_evict_parity(f, dirty), i);
}

static struct evict_cost evict_cost(const struct ssdqos_flash *f, u32 dirty,
				    enum evict_way way)
{
	struct evict_cost cost = { .possible = true };
	u32 i, psn;

	for (i = 0; i < f->geo.stripe_units; i++) {
		psn = evict_source(f, dirty, i, way);
		if (psn == FLASH_OLD_LOST)
			cost.possible = false;
		if (psn == FLASH_OLD_LOST || psn == FLASH_OLD_NOTHING)
			continue;
		cost.reads++;
		cost.waits |= flash_plane_held(f, flash_plane_of(f, psn));
	}
	return cost;
}

static enum evict_way evict_way(const struct ssdqos_flash *f, u32 dirty,
				struct evict_cost *cost)
{
	struct evict_cost old;

	*cost = evict_cost(f, dirty, EVICT_FROM_REST);
	if (!cost->reads)
		return EVICT_FROM_REST;
	old = evict_cost(f, dirty, EVICT_FROM_OLD);
	if (!old.possible || old.waits > cost->waits ||
	    (old.waits == cost->waits && old.reads >= cost->reads))
		return EVICT_FROM_REST;
	*cost = old;
	return EVICT_FROM_OLD;
}

static void evict_read(struct ssdqos_flash *f, u32 dirty, enum evict_way way)
{
	u32 i;

	for (i = 0; i < f->geo.stripe_units; i++) {
		u32 psn = evict_source(f, dirty, i, way);
		struct flash_op *op;

		if (psn == FLASH_OLD_NOTHING)
			continue;
		op = flash_op_get(f, SSDQOS_TASK_FLUSH, SSDQOS_NAND_READ,
				  flash_plane_of(f, psn));
		op->psn = psn;
		op->nr_units = 1;
		op->src[0] = dirty;
		f->stats.parity_reads++;
		f->dirties.reads_left--;
		f->dirties.stripe[dirty].reads++;
		flash_chip_queue(f, op);
	}
}

/* ---- on the way to flash ---- */

static void evict_log(struct ssdqos_flash *f, u32 dirty, enum evict_way way, u32 reads)
{
	u32 parity = flash_evict_parity(f, dirty);
	struct ssdqos_flash_record rec = {
		.time_ns = f->now_ns,
		.event = SSDQOS_FLASH_EV_STRIPE_EVICTED,
		.task = SSDQOS_TASK_FLUSH,
		.op = f->dirties.stripe[dirty].queue == FLASH_QUEUE_FULL ?
		      SSDQOS_FLASH_PARITY_FULL :
		      way == EVICT_FROM_OLD ? SSDQOS_FLASH_PARITY_OLD :
					      SSDQOS_FLASH_PARITY_REST,
		.units = (u16)hweight64(f->dirties.stripe[dirty].held),
		.plane = f->layout->list_of(f, parity),
		.block = parity - f->geo.parity_lpn,
		.page = reads,
	};

	if (flash_log_wants(f, SSDQOS_FLASH_EV_STRIPE_EVICTED))
		flash_log_write(f, &rec);
}

static void evict_count(struct ssdqos_flash *f, u32 dirty, enum evict_way way)
{
	if (f->dirties.stripe[dirty].queue == FLASH_QUEUE_FULL)
		f->stats.stripes_full++;
	else
		f->stats.stripes_partial++;
	f->stats.stripes_from_old += way == EVICT_FROM_OLD;
}

/* All that the parity waits for has happened. */
static void evict_parity_goes(struct ssdqos_flash *f, u32 dirty)
{
	struct flash_dirty *s = &f->dirties.stripe[dirty];

	if (s->state != FLASH_DIRTY_WRITING || s->reads || s->pending)
		return;
	s->state = FLASH_DIRTY_PARITY;
	flash_slot_pend(f, s->parity_slot);
}

/* What is held of it is to be programmed, and then its parity. */
static void evict_data_goes(struct ssdqos_flash *f, u32 dirty)
{
	struct flash_dirty *s = &f->dirties.stripe[dirty];
	u32 parity = flash_evict_parity(f, dirty), i, at;
	u64 rest;

	s->writing = s->held;
	s->held = 0;
	for (rest = s->writing; rest; rest &= rest - 1) {
		i = (u32)__ffs64(rest);
		at = f->l2p[f->layout->member(f, parity, i)];
		if (at == FLASH_UNMAPPED)	/* discarded */
			continue;
		s->pending |= 1ULL << i;
		f->dirties.nr_out++;
		flash_slot_pend(f, at & ~FLASH_IN_BUFFER);
	}
	f->dirties.nr_out++;
}

/* A stripe is written out.  False if its parity needs more reads than may be begun now. */
static bool evict_stripe(struct ssdqos_flash *f, u32 dirty)
{
	struct evict_cost cost;
	enum evict_way way = evict_way(f, dirty, &cost);

	if (cost.reads > f->dirties.reads_left)
		return false;
	evict_log(f, dirty, way, cost.reads);
	evict_count(f, dirty, way);
	flash_evict_dequeue(f, dirty);
	f->dirties.stripe[dirty].state = FLASH_DIRTY_WRITING;
	evict_read(f, dirty, way);
	evict_data_goes(f, dirty);
	evict_parity_goes(f, dirty);
	return true;
}

/* A read for a parity has ended, or of what is lifted. */
void flash_evict_read_done(struct ssdqos_flash *f, const struct flash_op *op)
{
	u32 dirty = op->src[0];
	bool lifted = evict_is_lifted(&f->dirties.stripe[dirty]);

	f->dirties.reads_left++;
	f->dirties.stripe[dirty].reads--;
	if (lifted)
		evict_changed(f, dirty);
	else
		evict_parity_goes(f, dirty);
	flash_mark_slots_freed(f);
}

/* The parity of what was written out is at @psn. */
static void evict_end(struct ssdqos_flash *f, u32 dirty, u32 psn)
{
	struct flash_dirty *s = &f->dirties.stripe[dirty];
	u32 parity = flash_evict_parity(f, dirty);
	u64 rest;

	for (rest = s->writing; rest; rest &= rest - 1)
		flash_dirty_parity_done(f, dirty, (u32)__ffs64(rest));
	flash_dirty_parity_done(f, dirty, evict_parity_number(f));
	s->writing = 0;
	s->state = FLASH_DIRTY_GATHERING;
	if (s->next_slot == SSDQOS_NIL) {
		flash_dirty_put(f, dirty);
		return;
	}
	s->parity_slot = s->next_slot;
	s->next_slot = SSDQOS_NIL;
	flash_dirty_place(f, dirty, parity, FLASH_PARITY_IN_FLASH, psn);
	evict_queue(f, dirty);
}

/* A unit of a stripe was programmed: data, or its parity, at @psn. */
void flash_evict_unit_done(struct ssdqos_flash *f, u32 lpn, u32 slot, u32 psn)
{
	struct flash_dirty *s;
	u64 member;
	u32 dirty;

	f->dirties.nr_out--;
	if (flash_unit_is_parity(f, lpn)) {
		evict_end(f, f->dirties.of_slot[slot], psn);
		return;
	}
	dirty = flash_dirty_of(f, lpn);
	s = &f->dirties.stripe[dirty];
	member = 1ULL << flash_stripe_number_of(f, lpn);
	if (s->held & member)	/* it has been replaced meanwhile */
		flash_dirty_place(f, dirty, lpn, FLASH_PARITY_UNDER_WAY, psn);
	s->pending &= ~member;
	evict_parity_goes(f, dirty);
}

/* ---- which stripe is next ---- */

static bool evict_is_calm(const struct ssdqos_flash *f, u32 group)
{
	u32 first = group * f->geo.stripe_units, i;

	for (i = first; i < first + f->geo.stripe_units; i++)
		if (flash_plane_held(f, i))
			return false;
	return true;
}

/* Does nothing of it go to a plane that collects? */
static bool evict_goes_calmly(const struct ssdqos_flash *f, u32 dirty)
{
	u32 parity = flash_evict_parity(f, dirty);
	u64 rest = f->dirties.stripe[dirty].held | 1ULL << evict_parity_number(f);
	u32 lpn;

	for (; rest; rest &= rest - 1) {
		lpn = f->layout->member(f, parity, (u32)__ffs64(rest));
		if (flash_plane_held(f, f->layout->list_of(f, lpn)))
			return false;
	}
	return true;
}

/* The first stripe of a queue, from the rotor's group on; with @calm one that meets
 * no collection.  SSDQOS_NIL if there is none.
 */
static u32 evict_first(const struct ssdqos_flash *f, u32 queue, bool calm)
{
	const struct flash_dirties *d = &f->dirties;
	u32 nr = f->geo.nr_planes / f->geo.stripe_units, group = d->rotor, i;

	for (i = 0; i < nr; i++) {
		u32 found = flash_bits_next(d->queued[queue], NULL, nr, group);

		if (found == SSDQOS_NIL)
			return SSDQOS_NIL;
		if (!calm || !f->nr_held ||
		    (queue == FLASH_QUEUE_FULL ? evict_is_calm(f, found) :
		     evict_goes_calmly(f, d->queue[queue][found].head)))
			return d->queue[queue][found].head;
		group = found + 1 == nr ? 0 : found + 1;
	}
	return SSDQOS_NIL;
}

static u32 evict_choose(const struct ssdqos_flash *f)
{
	u32 queue, dirty = SSDQOS_NIL;

	for (queue = 0; queue < FLASH_NR_QUEUES && dirty == SSDQOS_NIL; queue++) {
		dirty = evict_first(f, queue, true);
		if (dirty == SSDQOS_NIL)
			dirty = evict_first(f, queue, false);
	}
	return dirty;
}

/* Does the buffer hold more than it should, or does somebody wait for it? */
static bool evict_is_due(const struct ssdqos_flash *f)
{
	const struct flash_buffer *b = &f->buffer;

	return b->nr_used - f->dirties.nr_out >= b->threshold ||
	       flash_buffer_oldest_seq(f) <= b->force_seq;
}

/* The stripe that is to go next; SSDQOS_NIL if none is due. */
u32 flash_evict_next(const struct ssdqos_flash *f)
{
	return evict_is_due(f) ? evict_choose(f) : SSDQOS_NIL;
}

/* Send it on its way.  False if it has to wait. */
bool flash_evict(struct ssdqos_flash *f, u32 dirty)
{
	u32 group = evict_group(f, dirty);

	if (!evict_stripe(f, dirty))
		return false;
	f->dirties.rotor = (group + 1) % (f->geo.nr_planes / f->geo.stripe_units);
	return true;
}
