/* SPDX-License-Identifier: GPL-2.0 */
/*
 * internal.h - what the files of core/flash have of each other; model.h has the structs
 *
 * Layers, top to bottom; each file calls the one below and is called back
 * when an operation ends:
 *
 *	host.c		requests: split reads, admit writes, discards, flushes
 *	rain.c		stripes: parity of writes, reads rebuilt from the rest
 *	mapcache.c	which pages of the map are in memory
 *	buffer.c	write buffer: gather units, choose a plane, program
 *	gc.c, scrub.c, wear.c	which block of a plane is emptied, and when
 *	relocate.c	empty a block: read, program elsewhere, erase
 *	map.c		logical to physical units, valid counts
 *	block.c		blocks: free lists, open blocks, victim buckets
 *	share.c		which share of the drive a task has
 *	press.c		which tasks can't wait
 *	sched.c		which task's operation a chip gets next
 *	nand.c		planes and channels as servers over the event queue
 *	array.c		planes of a chip that share its array
 *	trip.c		where the time of a host read goes
 */
#ifndef SSDQOS_FLASH_INTERNAL_H
#define SSDQOS_FLASH_INTERNAL_H

#include "model.h"

/* ---- addresses ---- */

static inline u32 flash_block_of(const struct ssdqos_flash *f, u32 psn)
{
	return psn >> f->geo.block_shift;
}

/* Blocks are numbered plane by plane: a division is faster than the block's
 * row, which is in no cache on a large drive.
 */
static inline u32 flash_plane_of(const struct ssdqos_flash *f, u32 psn)
{
	return flash_block_of(f, psn) / f->geo.blocks_per_plane;
}

static inline u32 flash_units_per_block(const struct ssdqos_flash *f)
{
	return 1u << f->geo.block_shift;
}

static inline u32 flash_timer_id(const struct ssdqos_flash *f,
				 enum flash_timer timer)
{
	return f->geo.nr_planes + f->geo.channels + timer;
}

static inline struct flash_mover *flash_mover(struct ssdqos_flash *f, u32 plane,
					      u32 task)
{
	return &f->planes[plane].mover[task - SSDQOS_TASK_GC];
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

/* Those of a chip's tasks that wait for it and may go. */
static inline u32 flash_tasks_ready(const struct ssdqos_flash *f,
				    const struct flash_chip *chip)
{
	return chip->tasks & f->open_tasks;
}

/* Do the planes of a chip share its array? */
static inline bool flash_chip_bound(const struct ssdqos_flash *f)
{
	return f->cfg.array_scope == SSDQOS_FLASH_ARRAY_CHIP;
}

/* Does collection hold back what is done for the host? */
static inline bool flash_gc_blocks(const struct ssdqos_flash *f)
{
	return f->burst.state == FLASH_BURST_BLOCKING;
}

/* For how long has it done so, since the drive was made? */
static inline u64 flash_gc_held_ns(const struct ssdqos_flash *f)
{
	return f->burst.held_ns +
	       (flash_gc_blocks(f) ? f->now_ns - f->burst.since_ns : 0);
}

/* Is the operation internal work that a plane does for its own sake? */
static inline bool flash_task_moves(u32 task)
{
	return task >= SSDQOS_TASK_GC;
}

/* A delay between two bounds, both included. */
static inline u64 flash_delay_ns(struct ssdqos_flash *f, u64 min_ns, u64 max_ns)
{
	if (!max_ns)
		return 0;
	/* spans are below 2^32: seconds of handling make no drive */
	return min_ns + ssdqos_rng_below(&f->rng,
					 (u32)min_t(u64, max_ns - min_ns,
						    0xfffffffeu) + 1);
}

/* ---- index-linked operation lists ---- */

static inline void flash_list_init(struct flash_list *l)
{
	l->head = SSDQOS_NIL;
	l->tail = SSDQOS_NIL;
}

static inline bool flash_list_empty(const struct flash_list *l)
{
	return l->head == SSDQOS_NIL;
}

static inline u32 flash_op_index(const struct ssdqos_flash *f,
				 const struct flash_op *op)
{
	return (u32)(op - f->ops);
}

static inline void flash_ops_push(struct ssdqos_flash *f, struct flash_list *l,
				  struct flash_op *op)
{
	u32 i = flash_op_index(f, op);

	op->next = SSDQOS_NIL;
	if (flash_list_empty(l))
		l->head = i;
	else
		f->ops[l->tail].next = i;
	l->tail = i;
}

static inline struct flash_op *flash_ops_pop(struct ssdqos_flash *f,
					     struct flash_list *l)
{
	struct flash_op *op = &f->ops[l->head];

	l->head = op->next;
	return op;
}

static inline struct flash_op *flash_op_get(struct ssdqos_flash *f, u8 task,
					    u8 kind, u32 plane)
{
	struct flash_op *op = &f->ops[f->free_op];

	f->free_op = op->next;
	op->task = task;
	op->kind = kind;
	op->plane = (u16)plane;
	op->trip = NULL;
	op->ready_ns = 0;
	op->nr_reads = 0;
	return op;
}

static inline void flash_op_put(struct ssdqos_flash *f, struct flash_op *op)
{
	op->next = f->free_op;
	f->free_op = flash_op_index(f, op);
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

/* ---- nand.c ---- */
void flash_nand_init(struct ssdqos_flash *f);
void flash_nand_queue(struct ssdqos_flash *f, struct flash_op *op);
void flash_plane_event(struct ssdqos_flash *f, u32 plane);
void flash_channel_event(struct ssdqos_flash *f, u32 channel);
u64 flash_nand_array_ns(const struct ssdqos_flash *f, const struct flash_op *op);
bool flash_nand_internal(const struct ssdqos_flash *f, u32 plane);
u64 flash_nand_serve(struct ssdqos_flash *f, struct flash_use *use,
		     struct flash_op *op, u64 start_ns, u64 service_ns);
u64 flash_nand_start_ns(const struct ssdqos_flash *f, const struct flash_op *op);
void flash_nand_kick(struct ssdqos_flash *f, u32 task);
void flash_nand_kick_all(struct ssdqos_flash *f);

/* ---- array.c ---- */
void flash_array_start(struct ssdqos_flash *f, struct flash_plane *p,
		       struct flash_op *op);
void flash_array_done(struct ssdqos_flash *f, struct flash_chip *chip);

/* ---- trip.c ---- */
void flash_trips_init(struct ssdqos_flash *f, u32 nr);
struct flash_trip *flash_trip_begin(struct ssdqos_flash *f,
				    struct ssdqos_flash_req *req);
void flash_trip_issued(const struct ssdqos_flash *f, struct flash_trip *trip,
		       u64 waited_ns);
void flash_trip_wait(struct flash_trip *trip, const struct flash_use *use,
		     u32 user, u64 now_ns);
void flash_trip_waited(struct flash_trip *trip, const struct flash_use *use,
		       u32 user, u64 now_ns);
void flash_trip_none(const struct ssdqos_flash *f, struct ssdqos_flash_req *req);
void flash_trip_end(struct ssdqos_flash *f, struct flash_trip *trip);

/* ---- share.c ---- */
void flash_share_tune(struct ssdqos_flash *f);
void flash_share_wake(struct ssdqos_flash *f);
void flash_share_event(struct ssdqos_flash *f);

/* ---- press.c ---- */
bool flash_task_presses(const struct ssdqos_flash *f, u32 task);
bool flash_op_presses(const struct ssdqos_flash *f,
		      const struct flash_chip *chip, u32 task);

/* ---- sched.c ---- */
void flash_sched_opened(struct ssdqos_flash *f);
void flash_sched_quiet_event(struct ssdqos_flash *f);
void flash_sched_goes(struct ssdqos_flash *f, const struct flash_op *op);

/* ---- map.c ---- */
void flash_map_invalidate(struct ssdqos_flash *f, u32 psn);
void flash_map_place(struct ssdqos_flash *f, u32 lpn, u32 psn);
void flash_map_move(struct ssdqos_flash *f, u32 from, u32 to);
void flash_map_unmap(struct ssdqos_flash *f, u32 lpn);

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

/* ---- rain.c ---- */
u32 flash_rain_plane(const struct ssdqos_flash *f, u32 lpn);
u32 flash_rain_member(const struct ssdqos_flash *f, u32 plane, u32 row);
u32 flash_rain_parity_of(const struct ssdqos_flash *f, u32 lpn);
bool flash_rain_stage(struct ssdqos_flash *f, u32 lpn);
u32 flash_rain_parity_reads(struct ssdqos_flash *f, u32 lpn, u32 parent);
bool flash_rain_read(struct ssdqos_flash *f, struct ssdqos_flash_req *req,
		     u32 lpn, u32 nr_units);

/* ---- block.c ---- */
bool flash_block_has_spare(const struct ssdqos_flash *f,
			   const struct flash_plane *p);
bool flash_block_has_space(const struct ssdqos_flash *f,
			   const struct flash_plane *p,
			   enum flash_stream stream);
u32 flash_block_next_page(struct ssdqos_flash *f, u32 plane,
			  enum flash_stream stream);
void flash_block_page_done(struct ssdqos_flash *f, u32 psn);
void flash_block_close(struct ssdqos_flash *f, u32 block);
void flash_block_erased(struct ssdqos_flash *f, u32 block);
void flash_block_free_push(struct ssdqos_flash *f, u32 block);
void flash_bucket_insert(struct ssdqos_flash *f, u32 block);
void flash_bucket_remove(struct ssdqos_flash *f, u32 block);

/* ---- buffer.c ---- */
int flash_buffer_create(struct ssdqos_flash *f);
void flash_buffer_destroy(struct ssdqos_flash *f);
void flash_buffer_clear(struct ssdqos_flash *f);
void flash_buffer_tune(struct ssdqos_flash *f);
bool flash_buffer_insert(struct ssdqos_flash *f, struct ssdqos_flash_req *req,
			 u32 lpn, bool wait);
void flash_buffer_restore(struct ssdqos_flash *f, u32 lpn);
void flash_buffer_drop(struct ssdqos_flash *f, u32 slot);
void flash_buffer_pump(struct ssdqos_flash *f);
void flash_buffer_force(struct ssdqos_flash *f);
void flash_buffer_fill_timeout(struct ssdqos_flash *f);
void flash_buffer_plane_changed(struct ssdqos_flash *f, u32 plane);
u32 flash_buffer_target(const struct ssdqos_flash *f);
bool flash_buffer_is_awaited(const struct ssdqos_flash *f);
bool flash_buffer_is_urgent(const struct ssdqos_flash *f);
bool flash_buffer_out_of_space(const struct ssdqos_flash *f);
u64 flash_buffer_oldest_seq(const struct ssdqos_flash *f);

/* ---- relocate.c ---- */
void flash_mover_begin(struct ssdqos_flash *f, u32 plane, u32 task,
		       u32 victim);
void flash_mover_log(struct ssdqos_flash *f, enum ssdqos_flash_event event,
		     u32 task, u32 plane, u32 block, u32 valid);

/* ---- gc.c ---- */
void flash_gc_check(struct ssdqos_flash *f, u32 plane);
void flash_gc_invalidated(struct ssdqos_flash *f, u32 block);
void flash_gc_tune(struct ssdqos_flash *f);
void flash_gc_next(struct ssdqos_flash *f, u32 plane);
void flash_gc_burst_event(struct ssdqos_flash *f);
bool flash_gc_note_write(struct ssdqos_flash *f, u32 lpn, u32 lpn_end);

/* ---- scrub.c ---- */
void flash_scrub_check(struct ssdqos_flash *f, u32 plane);
void flash_scrub_note(struct ssdqos_flash *f, u32 block);
void flash_scrub_next(struct ssdqos_flash *f, u32 plane);
u32 flash_scrub_max(struct ssdqos_flash *f, u32 plane);
void flash_scrub_survey(struct ssdqos_flash *f);

/* ---- wear.c ---- */
void flash_wear_check(struct ssdqos_flash *f, u32 plane);
void flash_wear_note(struct ssdqos_flash *f, u32 plane);
void flash_wear_next(struct ssdqos_flash *f, u32 plane);
void flash_wear_survey(struct ssdqos_flash *f);
u32 flash_wear_spread(struct ssdqos_flash *f, u32 plane);

/* ---- host.c ---- */
void flash_host_ram_event(struct ssdqos_flash *f);
u64 flash_host_trim_ns(const struct ssdqos_flash *f,
		       const struct ssdqos_flash_req *req);
void flash_host_trim_event(struct ssdqos_flash *f);
void flash_host_start(struct ssdqos_flash *f, struct ssdqos_flash_req *req);
void flash_host_put(struct ssdqos_flash *f, struct ssdqos_flash_req *req);
void flash_host_slots_freed(struct ssdqos_flash *f);
void flash_host_map_ready(struct ssdqos_flash *f,
			  struct ssdqos_flash_req *req);
void flash_host_read_page(struct ssdqos_flash *f,
			  struct ssdqos_flash_req *req, u32 psn, u32 nr_units);

/* ---- flash.c ---- */
void flash_blank(struct ssdqos_flash *f);
void flash_blank_blocks(struct ssdqos_flash *f);
void flash_survey(struct ssdqos_flash *f);
void flash_free_lists_clear(struct ssdqos_flash *f);

/* ---- log ---- */
void flash_log_write(struct ssdqos_flash *f,
		     const struct ssdqos_flash_record *rec);

static inline bool flash_log_wants(const struct ssdqos_flash *f,
				   enum ssdqos_flash_event event)
{
	return unlikely(f->log.mask & (1u << event));
}

#endif /* SSDQOS_FLASH_INTERNAL_H */
