/* SPDX-License-Identifier: GPL-2.0 */
/*
 * tasks.h - who works with flash
 *
 *	host.c		requests: split reads, admit writes, flushes
 *	trim.c		discards
 *	read.c		flash reads for requests
 *	request.c	the end of a request
 *	buffer.c	write buffer: gather units, choose a plane, program
 *	slot.c		its slots, and the lists in which they hang
 *	evict.c		it is written out by stripes
 *	mapcache.c	which pages of the map are in memory
 *	gc.c, scrub.c, wear.c	which block of a plane is emptied, and when
 *	turn.c		which planes may empty a block at a time
 *	relocate.c	empty a block: read, program elsewhere, erase
 *	left.c		how long that will take
 *	rebuild.c	reads that need not wait for it
 *	verify.c	reads of what was only copied inside flash
 *	page.c		a page of a plane to be programmed
 */
#ifndef SSDQOS_FLASH_TASKS_H
#define SSDQOS_FLASH_TASKS_H

#include "../sched/sched.h"

/* What each of them is to the floors below, and to the others. */
#define T(X, NAME, name, ...) extern const struct flash_task_ops flash_##name##_task;
SSDQOS_FLASH_TASKS(T)
#undef T

/* Of a task that empties blocks. */
static inline struct flash_mover *flash_mover(struct ssdqos_flash *f, u32 plane,
					      u32 task)
{
	return &f->planes[plane].mover[task - FLASH_FIRST_MOVER];
}

/* The map entry of a unit will be looked up or changed soon, and on a large
 * drive it is in no cache: ask for it now.
 */
static inline void flash_foresee_unit(const struct ssdqos_flash *f, u32 lpn)
{
	prefetchw(&f->l2p[lpn]);
	if (f->map.page && lpn < f->geo.map_lpn)
		prefetchw(&f->map.page[lpn >> SSDQOS_MAP_SHIFT]);
}

/* Flash reads for parity that may be under way. */
static inline u32 flash_parity_reads_max(const struct ssdqos_flash *f)
{
	if (!f->geo.stripe_units)
		return 0;
	return f->geo.nr_planes * f->plane_programs_max *
	       f->geo.units_per_page * FLASH_PARITY_READS;
}

/* ---- request lists ---- */

static inline void flash_reqs_push(struct flash_req_list *l,
				   struct ssdqos_flash_req *req)
{
	req->next = NULL;
	if (l->head)
		l->tail->next = req;
	else
		l->head = req;
	l->tail = req;
}

static inline struct ssdqos_flash_req *
flash_reqs_pop(struct flash_req_list *l)
{
	struct ssdqos_flash_req *req = l->head;

	l->head = req->next;
	return req;
}

/* Undo a pop. */
static inline void flash_reqs_unpop(struct flash_req_list *l,
				    struct ssdqos_flash_req *req)
{
	if (!l->head)
		l->tail = req;
	req->next = l->head;
	l->head = req;
}

/* ---- page.c ---- */
u32 flash_page_take(struct ssdqos_flash *f, u32 plane,
		    enum flash_stream stream);
void flash_page_done(struct ssdqos_flash *f, u32 psn);
void flash_page_settle_found(struct ssdqos_flash *f);

static inline void flash_page_settle(struct ssdqos_flash *f)
{
	if (unlikely(!flash_list_empty(&f->marks.found)))
		flash_page_settle_found(f);
}

/* ---- request.c ---- */
void flash_req_put(struct ssdqos_flash *f, struct ssdqos_flash_req *req);

/* ---- read.c ---- */
void flash_read_page(struct ssdqos_flash *f, struct ssdqos_flash_req *req,
		     u32 psn, u32 nr_units);
void flash_read_again(struct ssdqos_flash *f, struct ssdqos_flash_req *req,
		      u32 psn, u32 nr_units, const struct flash_trip *of);
void flash_read_drop(struct ssdqos_flash *f, struct flash_op *op);

/* ---- rebuild.c ---- */
bool flash_read_rebuild(struct ssdqos_flash *f, struct ssdqos_flash_req *req,
			u32 lpn, u32 nr_units, u32 *nr_reads);

/* A host read of units that lie in one flash page.  False if it needs none of flash after all. */
static inline bool flash_read_units(struct ssdqos_flash *f,
				    struct ssdqos_flash_req *req, u32 lpn,
				    u32 nr_units)
{
	u32 nr_reads;

	if (f->layout->member && f->cfg.rain_reconstruct &&
	    flash_read_rebuild(f, req, lpn, nr_units, &nr_reads))
		return nr_reads;
	flash_read_page(f, req, f->l2p[lpn], nr_units);
	return true;
}

void flash_rebuild_parked(struct ssdqos_flash *f, u32 by);

/* ---- left.c ---- */
u64 flash_plane_left_ns(const struct ssdqos_flash *f, u32 plane);

/* ---- turn.c ---- */
int flash_turns_create(struct ssdqos_flash *f);
void flash_turns_destroy(struct ssdqos_flash *f);
bool flash_turn_take(struct ssdqos_flash *f, u32 plane);
void flash_turn_put(struct ssdqos_flash *f, u32 plane);
void flash_turns_tune(struct ssdqos_flash *f);
u32 flash_turn_next(struct ssdqos_flash *f);
void flash_turn_asked(struct ssdqos_flash *f, u32 plane);

/* ---- trim.c ---- */
u64 flash_trim_ns(const struct ssdqos_flash *f,
		  const struct ssdqos_flash_req *req);
void flash_trim_start(struct ssdqos_flash *f, struct ssdqos_flash_req *req);
void flash_trim_event(struct ssdqos_flash *f);

/* ---- host.c ---- */
void flash_host_ram_event(struct ssdqos_flash *f);
void flash_host_start(struct ssdqos_flash *f, struct ssdqos_flash_req *req);
void flash_host_slots_freed(struct ssdqos_flash *f);

/* ---- slot.c ---- */
u32 flash_slot_take(struct ssdqos_flash *f, u32 lpn);
void flash_slot_pend(struct ssdqos_flash *f, u32 slot);
void flash_slot_take_out(struct ssdqos_flash *f, u32 list, u32 slot);
void flash_slot_free(struct ssdqos_flash *f, u32 slot);
void flash_slot_list_ready(struct ssdqos_flash *f, u32 list);
u64 flash_buffer_oldest_seq(const struct ssdqos_flash *f);

/* ---- evict.c ---- */
bool flash_evict_enter(struct ssdqos_flash *f, u32 lpn, u32 room);
void flash_evict_entered(struct ssdqos_flash *f, u32 lpn, u32 at);
void flash_evict_restore(struct ssdqos_flash *f, u32 lpn);
void flash_evict_discard(struct ssdqos_flash *f, u32 lpn, u32 at);
void flash_evict_read_done(struct ssdqos_flash *f, const struct flash_op *op);
void flash_evict_unit_done(struct ssdqos_flash *f, u32 lpn, u32 slot, u32 psn);
void flash_evict_dequeue(struct ssdqos_flash *f, u32 dirty);
u32 flash_evict_parity(const struct ssdqos_flash *f, u32 dirty);
u32 flash_evict_next(const struct ssdqos_flash *f);
bool flash_evict(struct ssdqos_flash *f, u32 dirty);

/* ---- lift.c ---- */
u32 flash_lift_room(const struct ssdqos_flash *f);
bool flash_lift_or_evict(struct ssdqos_flash *f, u32 *nr_chosen);

/* ---- buffer.c ---- */
int flash_buffer_create(struct ssdqos_flash *f);
void flash_buffer_destroy(struct ssdqos_flash *f);
void flash_buffer_clear(struct ssdqos_flash *f);
void flash_buffer_tune(struct ssdqos_flash *f);
bool flash_buffer_insert(struct ssdqos_flash *f, struct ssdqos_flash_req *req,
			 u32 lpn, bool wait);
void flash_buffer_restore(struct ssdqos_flash *f, u32 lpn);
void flash_buffer_take_back(struct ssdqos_flash *f, u32 lpn);
bool flash_buffer_enter(struct ssdqos_flash *f, u32 lpn, bool wait);
void flash_buffer_discard(struct ssdqos_flash *f, u32 lpn, u32 at);
void flash_buffer_pump(struct ssdqos_flash *f);
void flash_buffer_force(struct ssdqos_flash *f);
void flash_buffer_fill_timeout(struct ssdqos_flash *f);
void flash_buffer_plane_changed(struct ssdqos_flash *f, u32 plane);
void flash_buffer_held_changed(struct ssdqos_flash *f, u32 plane, u32 step);
u32 flash_buffer_target(const struct ssdqos_flash *f);
bool flash_buffer_rests(const struct ssdqos_flash *f);

/* ---- mapcache.c ---- */
int flash_mapcache_create(struct ssdqos_flash *f);
void flash_mapcache_destroy(struct ssdqos_flash *f);
void flash_mapcache_warm(struct ssdqos_flash *f);
void flash_mapcache_empty(struct ssdqos_flash *f);
void flash_mapcache_restore(struct ssdqos_flash *f, u32 page, bool dirty);
void flash_mapcache_restore_deferred(struct ssdqos_flash *f, u32 page);
bool flash_mapcache_lookup(struct ssdqos_flash *f,
			   struct ssdqos_flash_req *req, u32 lpn);
bool flash_mapcache_has(const struct ssdqos_flash *f, u32 lpn);
void flash_mapcache_update(struct ssdqos_flash *f, u32 lpn);
void flash_mapcache_space(struct ssdqos_flash *f);
void flash_mapcache_credit(struct ssdqos_flash *f);
void flash_mapcache_restore_credit(struct ssdqos_flash *f, u32 credit);
bool flash_mapcache_idle(const struct ssdqos_flash *f);

/* ---- relocate.c ---- */
void flash_mover_op_done(struct ssdqos_flash *f, struct flash_op *op);
void flash_mover_begin(struct ssdqos_flash *f, u32 plane, u32 task,
		       u32 victim);
void flash_mover_log(struct ssdqos_flash *f, enum ssdqos_flash_event event,
		     u32 task, u32 plane, u32 block, u32 valid);

/* ---- gc.c ---- */
void flash_gc_check(struct ssdqos_flash *f, u32 plane);
void flash_gc_restore(struct ssdqos_flash *f, u32 plane, bool seeking);
void flash_gc_tune(struct ssdqos_flash *f);
void flash_gc_burst_event(struct ssdqos_flash *f);
bool flash_gc_note_write(struct ssdqos_flash *f, u32 lpn, u32 lpn_end);

/* ---- scrub.c ---- */
void flash_scrub_check(struct ssdqos_flash *f, u32 plane);
void flash_scrub_note(struct ssdqos_flash *f, u32 block);
u32 flash_scrub_max(struct ssdqos_flash *f, u32 plane);
void flash_scrub_survey(struct ssdqos_flash *f);

/* ---- wear.c ---- */
void flash_wear_check(struct ssdqos_flash *f, u32 plane);
u32 flash_wear_spread(struct ssdqos_flash *f, u32 plane);
void flash_wear_survey(struct ssdqos_flash *f);

/* ---- verify.c ---- */
int flash_verify_create(struct ssdqos_flash *f);
void flash_verify_destroy(struct ssdqos_flash *f);
void flash_verify_clear(struct ssdqos_flash *f);
void flash_verify_check(struct ssdqos_flash *f);
void flash_verify_rest(struct ssdqos_flash *f);
void flash_verify_wake(struct ssdqos_flash *f);
void flash_verify_note(struct ssdqos_flash *f, u32 psn);
void flash_verify_forget(struct ssdqos_flash *f, u32 block);

/* A page was written by a copy inside the plane. */
static inline void flash_verify_copied(struct ssdqos_flash *f, u32 psn)
{
	if (unlikely(f->cfg.verify))
		flash_verify_note(f, psn);
}

/* A block will be free. */
static inline void flash_verify_erased(struct ssdqos_flash *f, u32 block)
{
	if (unlikely(f->verify.nr))
		flash_verify_forget(f, block);
}

#endif /* SSDQOS_FLASH_TASKS_H */
