// SPDX-License-Identifier: GPL-2.0
/*
 * lift.c - a stripe of which a part has changed becomes a whole one, so that it can be moved
 *
 * A stripe may be moved to other planes of its group only when all of it is written
 * (shift.c).  So the units that have not changed are read into the buffer, where they
 * are held like those that have:
 *
 *	GATHERING (partial) -> (it is next, and would wear a plane that is worn) ->
 *	lifted: the rest is read -> GATHERING (full) -> evict.c writes it out, elsewhere
 *
 * What is written or discarded meanwhile is as ever.  That costs N reads and N writes
 * more at most, so no more than one stripe in LIFT_EVERY is lifted; none if there is
 * no room for it, or a read would wait for a plane that collects: then the stripe goes out as
 * it is.
 */
#include "tasks.h"

/* A lifted stripe takes up to N - 2 writes more where two are the least, so with N = 8 there
 * are a fifth more of them at most.
 */
#define LIFT_EVERY 16

/* Stripes that are chosen in one event at most, so that it has an end when all of the
 * buffer is waited for; the operations that they bring are the next events.
 */
#define LIFT_MOST_AT_ONCE 32

/* A unit that is written, and its parity. */
#define LIFT_WRITE_SLOTS 2

/* May one be lifted now, as some plane is worn? */
static bool lift_is_due(const struct ssdqos_flash *f)
{
	return f->shifts.nr_worn && !f->dirties.lift_rest;
}

/* Slots of the buffer that writes leave free for it; else a buffer that is full all the time
 * would never have room for one.  Not more than lie above the level from which on it
 * is written out, where a write and its parity still find room.
 */
u32 flash_lift_room(const struct ssdqos_flash *f)
{
	u32 level = f->buffer.threshold + LIFT_WRITE_SLOTS;

	if (!lift_is_due(f) || f->buffer.nr_slots <= level)
		return 0;
	return min(f->geo.stripe_units, f->buffer.nr_slots - level);
}

/* Units of a stripe that are in flash and have not changed, or were never written. */
static u64 lift_rest(const struct ssdqos_flash *f, u32 dirty, u32 parity)
{
	u64 rest = 0;
	u32 i;

	for (i = 0; i + 1 < f->geo.stripe_units; i++)
		if (!(f->dirties.stripe[dirty].held >> i & 1) &&
		    f->layout->member(f, parity, i) != SSDQOS_NIL)
			rest |= 1ULL << i;
	return rest;
}

/* Can these be read now, and is there room for them? */
static bool lift_is_possible(const struct ssdqos_flash *f, u32 parity, u64 rest)
{
	u32 nr = 0, at;

	for (; rest; rest &= rest - 1) {
		at = f->l2p[f->layout->member(f, parity, (u32)__ffs64(rest))];
		if (at == FLASH_UNMAPPED)
			continue;
		if (flash_plane_held(f, flash_plane_of(f, at)))
			return false;
		nr++;
	}
	return nr <= f->dirties.reads_left && nr <= f->buffer.nr_slots - f->buffer.nr_used;
}

static void lift_read(struct ssdqos_flash *f, u32 dirty, u32 psn)
{
	struct flash_op *op = flash_op_get(f, SSDQOS_TASK_FLUSH, SSDQOS_NAND_READ,
					   flash_plane_of(f, psn));

	op->psn = psn;
	op->nr_units = 1;
	op->src[0] = dirty;
	f->dirties.reads_left--;
	f->dirties.stripe[dirty].reads++;
	f->stats.lift_reads++;
	flash_chip_queue(f, op);
}

/* All are read before one of them is held, as a stripe whose reads are under way waits. */
static void lift_units(struct ssdqos_flash *f, u32 dirty, u32 parity, u64 units)
{
	u64 rest;
	u32 lpn, at;

	for (rest = units; rest; rest &= rest - 1) {
		at = f->l2p[f->layout->member(f, parity, (u32)__ffs64(rest))];
		if (at != FLASH_UNMAPPED)
			lift_read(f, dirty, at);
	}
	for (rest = units; rest; rest &= rest - 1) {
		lpn = f->layout->member(f, parity, (u32)__ffs64(rest));
		at = f->l2p[lpn];
		if (at != FLASH_UNMAPPED)
			flash_slot_take(f, lpn);
		flash_evict_entered(f, lpn, at);
	}
}

/* A partial stripe is next: does it have to be moved, and is that begun?  Then it is in no queue
 * until its reads have ended.
 */
static bool lift_begin(struct ssdqos_flash *f, u32 dirty)
{
	struct flash_dirty *s = &f->dirties.stripe[dirty];
	u64 changed = s->held | 1ULL << (f->geo.stripe_units - 1);
	u32 parity = flash_evict_parity(f, dirty);
	u64 rest = lift_rest(f, dirty, parity);

	if (!flash_shift_best(f, parity, changed) || !lift_is_possible(f, parity, rest))
		return false;
	f->dirties.lift_rest = LIFT_EVERY;
	s->lifted = changed;
	flash_evict_dequeue(f, dirty);
	lift_units(f, dirty, parity, rest);
	return true;
}

static void lift_log(struct ssdqos_flash *f, u32 parity, u32 by, u32 units)
{
	struct ssdqos_flash_record rec = {
		.time_ns = f->now_ns,
		.event = SSDQOS_FLASH_EV_STRIPE_SHIFTED,
		.task = SSDQOS_TASK_FLUSH,
		.units = (u16)units,
		.plane = f->layout->list_of(f, parity),
		.block = parity - f->geo.parity_lpn,
		.page = by,
	};

	if (flash_log_wants(f, SSDQOS_FLASH_EV_STRIPE_SHIFTED))
		flash_log_write(f, &rec);
}

/* A stripe that was lifted is written out as a whole, so it may be moved. */
static void lift_end(struct ssdqos_flash *f, u32 dirty)
{
	struct flash_dirty *s = &f->dirties.stripe[dirty];
	u32 parity = flash_evict_parity(f, dirty);
	u32 by = flash_shift_best(f, parity, s->lifted);

	if (by) {
		flash_shift_by(f, parity, by);
		f->stats.stripes_shifted++;
		lift_log(f, parity, by, (u32)hweight64(s->lifted));
	}
	s->lifted = 0;
}

/* Choose the next stripe and lift it, or send it on its way; @nr_chosen counts those of one
 * event.  False if none is due, or the next one has to wait.
 */
bool flash_lift_or_evict(struct ssdqos_flash *f, u32 *nr_chosen)
{
	u32 dirty;

	if (*nr_chosen >= LIFT_MOST_AT_ONCE)
		return false;
	dirty = flash_evict_next(f);
	if (dirty == SSDQOS_NIL)
		return false;
	++*nr_chosen;
	if (f->dirties.stripe[dirty].lifted)
		lift_end(f, dirty);
	else if (f->dirties.stripe[dirty].queue == FLASH_QUEUE_PARTIAL &&
		 lift_is_due(f) && lift_begin(f, dirty))
		return true;
	if (!flash_evict(f, dirty))
		return false;
	if (f->dirties.lift_rest)
		f->dirties.lift_rest--;
	return true;
}
