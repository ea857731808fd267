// SPDX-License-Identifier: GPL-2.0
/*
 * buffer.c - the write buffer: gathers units into flash pages
 *
 * Every host write passes through a slot of the buffer (slot.c), and the map points at the
 * slot from insertion until the program has ended, so reads find the newest data; one
 * that waits to be programmed is overwritten in place.
 * A plane is *eligible* when it has a free page for the host and fewer than
 * its share of programs under way.  Writing out starts at once or from a fill
 * level on (flush_start_pct).
 *
 * With stripes, a unit of data takes its unit of parity along, or finds it here
 * (host.c).  When a page with parity is programmed, what the controller lacks for it is
 * read first: the units of the stripe that are not in the buffer, or the old data
 * and the old parity, whichever is less.  That is rain_flush units; for stripes see evict.c.
 *
 * What a flush waits for: insertions are numbered, used slots hang in a list
 * by age; a flush is over when the oldest used slot is younger than it.
 */
#include "tasks.h"
#include "../../engine/bits.h"

#define BUFFER_PCT 100
#define BUFFER_TARGET_SHIFT 2	/* a quarter of the buffer */

/* ---- planes ---- */

/* Whether the plane can take a program may have changed. */
void flash_buffer_plane_changed(struct ssdqos_flash *f, u32 plane)
{
	const struct flash_plane *p = &f->planes[plane];

	flash_bits_assign(f->buffer.eligible, plane,
			  p->flush_programs < f->plane_programs_max &&
			  flash_block_has_space(f, p, FLASH_STREAM_HOST) &&
			  !(flash_holds_stripes(f) && flash_plane_held(f, plane)));
}

/* Planes begin or end to be held, along with @plane every @step th one: what goes to them waits
 * in the buffer, where others pass it by.
 */
void flash_buffer_held_changed(struct ssdqos_flash *f, u32 plane, u32 step)
{
	u32 i;

	if (!step || !flash_holds_stripes(f))
		return;
	for (i = plane % step; i < f->geo.nr_planes; i += step)
		flash_buffer_plane_changed(f, i);
	flash_mark_slots_freed(f);
}

/* Units in the buffer above which writing them out gains share. */
u32 flash_buffer_target(const struct ssdqos_flash *f)
{
	if (f->cfg.flush_target)
		return (u32)f->cfg.flush_target;
	return f->buffer.nr_slots >> BUFFER_TARGET_SHIFT;
}

/* Does somebody wait for programs? */
static bool buffer_is_awaited(const struct ssdqos_flash *f)
{
	return f->cfg.cache == SSDQOS_FLASH_CACHE_NONE ||
	       flash_buffer_oldest_seq(f) <= f->buffer.force_seq;
}

/* Is nothing on its way to flash?  If there is something to write, it lacks erased blocks, or
 * what fills a page.
 */
bool flash_buffer_rests(const struct ssdqos_flash *f)
{
	return !f->buffer.nr_inflight &&
	       (!flash_holds_stripes(f) ||
		f->dirties.reads_left == flash_parity_reads_max(f));
}

/* ---- writing out ---- */

/* Read what is missing to compute a unit of parity; program @parent waits for it.
 * Returns how many reads that are.
 */
static u32 buffer_read_stripe(struct ssdqos_flash *f, u32 parity, u32 parent)
{
	u32 nr = 0, i;

	for (i = 0; i + 1 < f->geo.stripe_units && nr < FLASH_PARITY_READS; i++) {
		u32 lpn = f->layout->member(f, parity, i);
		struct flash_op *op;

		if (lpn == SSDQOS_NIL || !flash_unit_in_flash(f, lpn))
			continue;
		op = flash_op_get(f, SSDQOS_TASK_FLUSH, SSDQOS_NAND_READ,
				  flash_plane_of(f, f->l2p[lpn]));
		op->psn = f->l2p[lpn];
		op->nr_units = 1;
		op->src[0] = parent;
		f->stats.parity_reads++;
		flash_chip_queue(f, op);
		nr++;
	}
	return nr;
}

/* A page with parity needs the rest of the stripes first. */
static void buffer_read_for_parity(struct ssdqos_flash *f, struct flash_op *op)
{
	u32 i;

	for (i = 0; i < op->nr_units; i++) {
		u32 lpn = f->buffer.slot[op->src[i]].lpn;

		if (flash_unit_is_parity(f, lpn))
			op->nr_reads += (u8)
				buffer_read_stripe(f, lpn,
						   flash_op_index(f, op));
	}
}

static void buffer_program(struct ssdqos_flash *f, u32 list, u32 plane)
{
	struct flash_buffer *b = &f->buffer;
	struct flash_op *op = flash_op_get(f, SSDQOS_TASK_FLUSH,
					   SSDQOS_NAND_PROGRAM, plane);
	u32 nr = 0;

	while (nr < f->geo.units_per_page && b->nr_pending[list]) {
		u32 s = b->pending[list].head;

		flash_foresee_unit(f, b->slot[s].lpn);
		flash_slot_take_out(f, list, s);
		b->slot[s].state = FLASH_SLOT_INFLIGHT;
		op->src[nr++] = s;
	}
	op->nr_units = (u8)nr;
	b->nr_inflight += nr;
	f->stats.padded_units += f->geo.units_per_page - nr;
	op->psn = flash_page_take(f, plane, FLASH_STREAM_HOST);
	f->planes[plane].flush_programs++;
	flash_buffer_plane_changed(f, plane);
	b->rotor = plane + 1 == f->geo.nr_planes ? 0 : plane + 1;
	if (f->layout->member && !flash_holds_stripes(f))
		buffer_read_for_parity(f, op);
	if (!op->nr_reads)
		flash_chip_queue(f, op);
}

static bool buffer_wants_out(const struct ssdqos_flash *f)
{
	const struct flash_buffer *b = &f->buffer;

	return b->nr_ready && (b->nr_used >= b->threshold ||
			       flash_holds_stripes(f) ||
			       flash_buffer_oldest_seq(f) <= b->force_seq);
}

/* The next plane to program, and the list to take from; SSDQOS_NIL if there is none. */
static u32 buffer_pick(const struct ssdqos_flash *f, u32 *list)
{
	const struct flash_candidates from = {
		.ready = f->buffer.ready,
		.eligible = f->buffer.eligible,
		.rotor = f->buffer.rotor,
	};

	return f->layout->pick(f, &from, list);
}

static void buffer_program_all(struct ssdqos_flash *f)
{
	u32 list, plane;

	while (buffer_wants_out(f)) {
		plane = buffer_pick(f, &list);
		if (plane == SSDQOS_NIL)
			break;
		buffer_program(f, list, plane);
	}
}

/* Can any plane take a program? */
static bool buffer_has_plane(const struct ssdqos_flash *f)
{
	return flash_bits_next(f->buffer.eligible, NULL, f->geo.nr_planes, 0) !=
	       SSDQOS_NIL;
}

/* Write out what is ready, wherever it can go. */
void flash_buffer_pump(struct ssdqos_flash *f)
{
	u32 nr_chosen = 0;

	flash_page_settle(f);	/* what was overwritten is collected first */
	do {
		buffer_program_all(f);
	} while (flash_holds_stripes(f) && buffer_has_plane(f) &&
		 flash_lift_or_evict(f, &nr_chosen));
}

/* Somebody waits for all that is in the buffer now: pad where needed. */
void flash_buffer_force(struct ssdqos_flash *f)
{
	struct flash_buffer *b = &f->buffer;
	u32 list;

	if (b->force_seq == b->seq)
		return;
	b->force_seq = b->seq;
	for (list = 0; list < b->nr_lists; list++)
		flash_slot_list_ready(f, list);
	flash_chip_kick(f, SSDQOS_TASK_FLUSH);	/* held no longer */
}

/* A part of a page has waited long enough for more. */
void flash_buffer_fill_timeout(struct ssdqos_flash *f)
{
	flash_buffer_force(f);
	flash_buffer_pump(f);
}

static void buffer_arm_fill_timer(struct ssdqos_flash *f)
{
	u32 id = flash_timer_id(f, FLASH_TIMER_FILL);

	if (!ssdqos_evq_pending(&f->evq, id))
		ssdqos_evq_set(&f->evq, id,
			       f->now_ns + f->cfg.fill_timeout_ns);
}

/* ---- insertion and removal ---- */

/* Slots that may be overwritten in place: no parity stands for their data yet. */
static bool buffer_may_change(const struct ssdqos_flash *f, const struct flash_slot *s)
{
	return s->state == (flash_holds_stripes(f) ? FLASH_SLOT_HELD :
						     FLASH_SLOT_PENDING);
}

/* The slot of a unit at @at that may be overwritten in place; NULL: it needs another one. */
static struct flash_slot *buffer_in_place(const struct ssdqos_flash *f, u32 at, bool wait)
{
	struct flash_slot *s;

	if (!flash_at_in_buffer(at))
		return NULL;
	s = &f->buffer.slot[at & ~FLASH_IN_BUFFER];
	return buffer_may_change(f, s) && !(wait && s->waiter) ? s : NULL;
}

/* A unit of this lpn that may be overwritten in place. */
static bool buffer_coalesce(struct ssdqos_flash *f,
			    struct ssdqos_flash_req *req, u32 at, bool wait)
{
	struct flash_slot *s = buffer_in_place(f, at, wait);

	if (!s)
		return false;
	if (wait) {
		s->waiter = req;
		req->pending++;
		buffer_arm_fill_timer(f);
	}
	f->stats.coalesced_units++;
	return true;
}

/* A unit takes a slot, and was at @at. */
static void buffer_slot_take(struct ssdqos_flash *f, u32 lpn, u32 at)
{
	struct flash_buffer *b = &f->buffer;
	u32 s = flash_slot_take(f, lpn);

	if (flash_holds_stripes(f))
		flash_evict_entered(f, lpn, at);
	else
		flash_slot_pend(f, s);
	if (b->nr_used > flash_buffer_target(f))
		flash_chip_kick(f, SSDQOS_TASK_FLUSH);
}

/* A unit that was in the buffer when the drive's state was saved. */
void flash_buffer_restore(struct ssdqos_flash *f, u32 lpn)
{
	f->mapped += lpn < f->geo.nr_lpn;
	if (flash_holds_stripes(f))
		flash_evict_restore(f, lpn);
	else
		buffer_slot_take(f, lpn, FLASH_UNMAPPED);
}

static void buffer_take_back(struct ssdqos_flash *f, u32 lpn)
{
	u32 at = f->l2p[lpn];

	buffer_slot_take(f, lpn, at);
	if (!flash_holds_stripes(f))
		flash_map_invalidate(f, at);
}

/* A unit in flash is in the buffer of a drive that was aged, as if it had been written just now.
 * There is room for it and its parity.
 */
void flash_buffer_take_back(struct ssdqos_flash *f, u32 lpn)
{
	if (flash_holds_stripes(f))
		flash_evict_enter(f, lpn, 0);
	else if (f->layout->partner &&
		 flash_unit_in_flash(f, f->layout->partner(f, lpn)))
		buffer_take_back(f, f->layout->partner(f, lpn));
	buffer_take_back(f, lpn);
}

/* Is there room for a unit and its parity?  Else the parity would go without it, and once more. */
static bool buffer_has_room(const struct ssdqos_flash *f, u32 lpn, bool wait)
{
	u32 parity = f->layout->partner(f, lpn);
	u32 need = !buffer_in_place(f, f->l2p[parity], false) +
		   !buffer_in_place(f, f->l2p[lpn], wait);

	return f->buffer.nr_slots - f->buffer.nr_used >= need;
}

/* A unit of data is about to enter: its parity first.  False if there is no room for both. */
bool flash_buffer_enter(struct ssdqos_flash *f, u32 lpn, bool wait)
{
	u32 nr_used = f->buffer.nr_used;

	if (flash_holds_stripes(f)) {
		if (!flash_evict_enter(f, lpn, flash_lift_room(f)))
			return false;
		f->stats.parity_units += f->buffer.nr_used - nr_used;
		return true;
	}
	if (!buffer_has_room(f, lpn, wait))
		return false;
	flash_buffer_insert(f, NULL, f->layout->partner(f, lpn), false);
	f->stats.parity_units++;
	return true;
}

/* A stripe holds one unit of each lpn, so a second one has to wait until it goes. */
static bool buffer_is_held(const struct ssdqos_flash *f, u32 at)
{
	return flash_at_in_buffer(at) &&
	       f->buffer.slot[at & ~FLASH_IN_BUFFER].state == FLASH_SLOT_HELD;
}

/*
 * Put one unit into the buffer; @wait: the request is complete only when the
 * unit is programmed.  False if there is no room, or it has to wait for another one.
 */
bool flash_buffer_insert(struct ssdqos_flash *f, struct ssdqos_flash_req *req,
			 u32 lpn, bool wait)
{
	struct flash_buffer *b = &f->buffer;
	u32 at = f->l2p[lpn], s = b->free;

	if (buffer_coalesce(f, req, at, wait))
		return true;
	if (s == SSDQOS_NIL || buffer_is_held(f, at))
		return false;
	if (at == FLASH_UNMAPPED && lpn < f->geo.nr_lpn)
		f->mapped++;
	buffer_slot_take(f, lpn, at);
	if (wait) {
		b->slot[s].waiter = req;
		req->pending++;
		buffer_arm_fill_timer(f);
	}
	if (at != FLASH_UNMAPPED && !(at & FLASH_IN_BUFFER) &&
	    !flash_holds_stripes(f))
		flash_map_invalidate(f, at);
	return true;
}

/* A unit in the buffer was discarded; a program under way is wasted. */
static void buffer_drop(struct ssdqos_flash *f, u32 s)
{
	struct flash_slot *slot = &f->buffer.slot[s];

	if (!buffer_may_change(f, slot))
		return;
	if (slot->waiter)
		flash_req_put(f, slot->waiter);
	if (slot->state == FLASH_SLOT_PENDING)
		flash_slot_take_out(f, f->layout->list_of(f, slot->lpn), s);
	flash_slot_free(f, s);
}

/* A unit was discarded that was at @at, in flash or here. */
void flash_buffer_discard(struct ssdqos_flash *f, u32 lpn, u32 at)
{
	if (at & FLASH_IN_BUFFER)
		buffer_drop(f, at & ~FLASH_IN_BUFFER);
	if (flash_holds_stripes(f))
		flash_evict_discard(f, lpn, at);
	else if (!(at & FLASH_IN_BUFFER))
		flash_map_invalidate(f, at);
}

static void buffer_unit_done(struct ssdqos_flash *f, u32 s, u32 psn)
{
	struct flash_slot *slot = &f->buffer.slot[s];

	if (f->l2p[slot->lpn] == (FLASH_IN_BUFFER | s)) {
		flash_map_place(f, slot->lpn, psn);
		flash_mapcache_update(f, slot->lpn);
	}
	if (flash_holds_stripes(f))
		flash_evict_unit_done(f, slot->lpn, s, psn);
	if (slot->waiter)
		flash_req_put(f, slot->waiter);
	flash_slot_free(f, s);
}

static void buffer_parity_read_done(struct ssdqos_flash *f,
				    const struct flash_op *op)
{
	struct flash_op *parent = &f->ops[op->src[0]];

	if (!--parent->nr_reads)
		flash_chip_queue(f, parent);
}

static void buffer_op_done(struct ssdqos_flash *f, struct flash_op *op)
{
	u32 i;

	if (op->kind == SSDQOS_NAND_READ) {
		if (flash_holds_stripes(f))
			flash_evict_read_done(f, op);
		else
			buffer_parity_read_done(f, op);
		return;
	}
	f->stats.host_programs++;
	f->buffer.nr_inflight -= op->nr_units;
	f->planes[op->plane].flush_programs--;
	for (i = 0; i < op->nr_units; i++)
		buffer_unit_done(f, op->src[i], op->psn + i);
	flash_mapcache_credit(f);
	flash_page_done(f, op->psn);
	flash_buffer_plane_changed(f, op->plane);
	flash_mark_slots_freed(f);
}

/* Operations of writing out that the fill level of the buffer allows. */
static bool buffer_fills_up(const struct ssdqos_flash *f)
{
	u32 target = flash_buffer_target(f), used = f->buffer.nr_used;
	u64 slots = (u64)f->geo.nr_chips * f->chip_queue_depth;

	return used > target &&
	       (u64)f->task[SSDQOS_TASK_FLUSH].outstanding * target <
	       slots * (used - target);
}

static bool buffer_presses(const struct ssdqos_flash *f)
{
	return buffer_is_awaited(f) || buffer_fills_up(f);
}

/* Does somebody wait for programs, or soon for room? */
static bool buffer_is_urgent(const struct ssdqos_flash *f)
{
	return buffer_is_awaited(f) ||
	       f->buffer.nr_used > flash_buffer_target(f);
}

static u32 buffer_share_error(struct ssdqos_flash *f)
{
	return flash_share_above(f->buffer.nr_used, flash_buffer_target(f));
}

const struct flash_task_ops flash_flush_task = {
	.op_done = buffer_op_done,
	.presses = buffer_presses,
	.urgent = buffer_is_urgent,
	.share_error = buffer_share_error,
	.block_taken = flash_buffer_plane_changed,
};

/* ---- life ---- */

/* The least number of slots with which no state can block itself: a part of
 * a page may be stuck in each list, and a page more must still fit.
 */
static u32 buffer_least_slots(const struct ssdqos_flash *f)
{
	return (f->buffer.nr_lists + 1) * f->geo.units_per_page;
}

void flash_buffer_tune(struct ssdqos_flash *f)
{
	struct flash_buffer *b = &f->buffer;

	b->threshold = b->nr_slots * (u32)f->cfg.flush_start_pct / BUFFER_PCT;
}

int flash_buffer_create(struct ssdqos_flash *f)
{
	struct flash_buffer *b = &f->buffer;
	u32 words = flash_bits_words(f->geo.nr_planes);

	b->nr_lists = f->layout->nr_lists(f);
	b->nr_slots = (u32)f->cfg.buffer_kib >> 2;
	b->nr_slots = max(b->nr_slots, buffer_least_slots(f));
	b->slot = ssdqos_env_alloc((u64)b->nr_slots * sizeof(*b->slot));
	b->pending = ssdqos_env_alloc((u64)b->nr_lists * sizeof(*b->pending));
	b->nr_pending = ssdqos_env_alloc((u64)b->nr_lists * sizeof(u32));
	b->ready = ssdqos_env_alloc((u64)words * sizeof(long));
	b->eligible = ssdqos_env_alloc((u64)words * sizeof(long));
	if (!b->slot || !b->pending || !b->nr_pending || !b->ready ||
	    !b->eligible)
		return -ENOMEM;
	f->memory_bytes += (u64)b->nr_slots * sizeof(*b->slot) +
			   (u64)b->nr_lists * (sizeof(*b->pending) + 4) +
			   2 * words * sizeof(long);
	flash_buffer_tune(f);
	return 0;
}

void flash_buffer_destroy(struct ssdqos_flash *f)
{
	struct flash_buffer *b = &f->buffer;

	ssdqos_env_free(b->eligible);
	ssdqos_env_free(b->ready);
	ssdqos_env_free(b->nr_pending);
	ssdqos_env_free(b->pending);
	ssdqos_env_free(b->slot);
}

/* Everything empty; planes' eligibility from their blocks. */
void flash_buffer_clear(struct ssdqos_flash *f)
{
	struct flash_buffer *b = &f->buffer;
	u32 i;

	for (i = 0; i < b->nr_slots; i++) {
		b->slot[i].state = FLASH_SLOT_FREE;
		b->slot[i].next = i + 1 < b->nr_slots ? i + 1 : SSDQOS_NIL;
	}
	for (i = 0; i < b->nr_lists; i++) {
		flash_list_init(&b->pending[i]);
		b->nr_pending[i] = 0;
		flash_bits_assign(b->ready, i, false);
	}
	b->free = 0;
	b->oldest = SSDQOS_NIL;
	b->newest = SSDQOS_NIL;
	b->nr_used = 0;
	b->nr_ready = 0;
	b->nr_inflight = 0;
	b->rotor = 0;
	b->seq = 0;
	b->force_seq = 0;
	flash_dirties_clear(f);
	f->dirties.reads_left = flash_parity_reads_max(f);
	for (i = 0; i < f->geo.nr_planes; i++)
		flash_buffer_plane_changed(f, i);
}
