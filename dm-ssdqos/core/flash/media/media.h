/* SPDX-License-Identifier: GPL-2.0 */
/*
 * media.h - what the hardware is: addresses, servers, where a read's time goes
 *
 *	geometry.c	how the flash is cut up
 *	nand.c		planes and channels as servers over the event queue
 *	array.c		planes of a chip that share its array
 *	suspend.c	erases and programs that make way for host reads
 *	trip.c		where the time of a host read goes
 *	log.c		the ring of records
 */
#ifndef SSDQOS_FLASH_MEDIA_H
#define SSDQOS_FLASH_MEDIA_H

#include "../model.h"

/* ---- geometry.c ---- */
u64 flash_geo_least_spare(const struct ssdqos_flash_geo *geo);

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

/* A block's first physical unit.  Every block has room for the largest kind. */
static inline u32 flash_block_first(const struct ssdqos_flash *f, u32 block)
{
	return block << f->geo.block_shift;
}

/* The page of its block in which a unit lies. */
static inline u32 flash_page_of(const struct ssdqos_flash *f, u32 psn)
{
	return (psn - flash_block_first(f, flash_block_of(f, psn))) >>
	       f->geo.page_shift;
}

static inline u32 flash_timer_id(const struct ssdqos_flash *f,
				 enum flash_timer timer)
{
	return f->geo.nr_planes + f->geo.channels + timer;
}

/* Do the planes of a chip share its array? */
static inline bool flash_chip_bound(const struct ssdqos_flash *f)
{
	return f->cfg.array_scope == SSDQOS_FLASH_ARRAY_CHIP;
}

/* Does collection hold back what is done for the host? */
static inline bool flash_burst_blocks(const struct ssdqos_flash *f)
{
	return f->burst.state == FLASH_BURST_BLOCKING;
}

/* For how long has it done so, since the drive was made? */
static inline u64 flash_burst_held_ns(const struct ssdqos_flash *f)
{
	return f->burst.held_ns +
	       (flash_burst_blocks(f) ? f->now_ns - f->burst.since_ns : 0);
}

/* Does the task empty blocks? */
static inline bool flash_task_moves(u32 task)
{
	return FLASH_MOVING_TASKS >> task & 1;
}

/* Does it take no time at all? */
static inline bool flash_op_is_ideal(const struct ssdqos_flash *f,
				     const struct flash_op *op)
{
	return unlikely(f->cfg.gc_ideal) && flash_task_moves(op->task);
}

/* A delay between two bounds, both included. */
static inline u64 flash_delay_ns(struct ssdqos_flash *f, u64 min_ns, u64 max_ns)
{
	u64 span_ns = max_ns - min_ns;
	u32 shift = 0, most;

	if (!max_ns)
		return 0;
	/* what is drawn has 32 bits: seconds are drawn in steps of some nanoseconds */
	while (unlikely(span_ns >> shift > 0xfffffffeu))
		shift++;
	most = (u32)(span_ns >> shift);
	return min_ns + ((u64)ssdqos_rng_below(&f->rng, most + 1) << shift);
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

/* ---- log.c ---- */
void flash_log_write(struct ssdqos_flash *f,
		     const struct ssdqos_flash_record *rec);
void flash_log_op(struct ssdqos_flash *f, enum ssdqos_flash_event event,
		  const struct flash_op *op);

static inline bool flash_log_wants(const struct ssdqos_flash *f,
				   enum ssdqos_flash_event event)
{
	return unlikely(f->log.mask & (1u << event));
}

/* ---- one thing that serves operations: the array of a plane, a channel ---- */

/* Time of the array for an operation. */
static inline u64 flash_array_ns(const struct ssdqos_flash *f,
				 const struct flash_op *op)
{
	if (flash_op_is_ideal(f, op))
		return 0;
	switch (op->kind) {
	case SSDQOS_NAND_READ:
		return f->timing.read_ns;
	case SSDQOS_NAND_PROGRAM:
		return f->timing.program_ns;
	case SSDQOS_NAND_ERASE:
		return f->timing.erase_ns;
	default:
		return f->timing.read_ns + f->timing.program_ns;
	}
}

/* A server begins to serve an operation; returns when it will have done so. */
static inline u64 flash_serve(struct ssdqos_flash *f, struct flash_use *use,
			      struct flash_op *op, u64 start_ns, u64 service_ns)
{
	use->start_ns = start_ns;
	if (op->trip) {
		op->trip->wait_ns[SSDQOS_WAIT_CONTROLLER] +=
			start_ns - f->now_ns;
		op->trip->wait_ns[SSDQOS_WAIT_FLASH] += service_ns;
		op->trip->mark_ns = start_ns + service_ns;
	}
	return start_ns + service_ns;
}

/* When a server that is free can begin with an operation. */
static inline u64 flash_start_ns(const struct ssdqos_flash *f,
				 const struct flash_op *op)
{
	return max(f->now_ns, op->ready_ns);
}

/* It has done so. */
static inline void flash_served(const struct ssdqos_flash *f,
				struct flash_use *use,
				const struct flash_op *op)
{
	use->busy_ns[op->task] += f->now_ns - use->start_ns;
}

/* ---- array.c ---- */
void flash_array_share(struct ssdqos_flash *f, struct flash_plane *p,
		       struct flash_op *op);
void flash_array_done(struct ssdqos_flash *f, struct flash_chip *chip);

/* An array works on an operation, alone or with others of its chip. */
static inline void flash_array_run(struct ssdqos_flash *f, struct flash_op *op,
				   u64 start_ns)
{
	ssdqos_evq_set(&f->evq, op->plane,
		       flash_serve(f, &f->planes[op->plane].use, op, start_ns,
				   flash_array_ns(f, op)));
}

/* The array of a plane takes an operation: at once, or when its chip can. */
static inline void flash_array_start(struct ssdqos_flash *f,
				     struct flash_plane *p,
				     struct flash_op *op)
{
	p->array_op = flash_op_index(f, op);
	if (flash_chip_bound(f))
		flash_array_share(f, p, op);
	else
		flash_array_run(f, op, flash_start_ns(f, op));
}

/* ---- suspend.c ---- */
void flash_suspend_tune(struct ssdqos_flash *f);
void flash_suspend_ask(struct ssdqos_flash *f, struct flash_plane *p);
bool flash_suspend_stopped(struct ssdqos_flash *f, struct flash_plane *p,
			   struct flash_op *op);
void flash_suspend_next(struct ssdqos_flash *f, struct flash_plane *p);
bool flash_suspend_freed(struct ssdqos_flash *f, struct flash_plane *p);

static inline struct flash_suspend *
flash_suspend_of(const struct ssdqos_flash *f, const struct flash_plane *p)
{
	return &f->suspend[p - f->planes];
}

/* Does something make way for reads in a plane? */
static inline bool flash_suspended(const struct ssdqos_flash *f,
				   const struct flash_plane *p)
{
	return unlikely(f->timing.suspends) && flash_suspend_of(f, p)->state;
}

/* ---- nand.c ---- */
void flash_nand_init(struct ssdqos_flash *f);
void flash_plane_take(struct ssdqos_flash *f, struct flash_plane *p,
		      struct flash_op *op);
void flash_plane_begin(struct ssdqos_flash *f, struct flash_plane *p);
struct flash_op *flash_plane_event(struct ssdqos_flash *f, u32 plane);
struct flash_op *flash_channel_event(struct ssdqos_flash *f, u32 channel);
void flash_program_ended(struct ssdqos_flash *f, struct flash_plane *p);

static inline void flash_nand_count(struct ssdqos_flash *f,
				    const struct flash_op *op)
{
	switch (op->kind) {
	case SSDQOS_NAND_READ:
		f->stats.flash_reads++;
		break;
	case SSDQOS_NAND_PROGRAM:
		f->stats.flash_programs++;
		break;
	case SSDQOS_NAND_ERASE:
		f->stats.flash_erases++;
		break;
	default:
		f->stats.flash_copybacks++;
	}
}

/* An operation that has ended gives back what it held of its plane. */
static inline void flash_plane_release(struct ssdqos_flash *f,
				       struct flash_plane *p,
				       const struct flash_op *op)
{
	if (flash_log_wants(f, SSDQOS_FLASH_EV_NAND_COMPLETED))
		flash_log_op(f, SSDQOS_FLASH_EV_NAND_COMPLETED, op);
	p->begun--;
	if (op->kind != SSDQOS_NAND_ERASE)
		p->registers++;
	flash_nand_count(f, op);
}

/* Mostly nothing waits. */
static inline void flash_plane_pump(struct ssdqos_flash *f,
				    struct flash_plane *p)
{
	if (!flash_list_empty(&p->wait))
		flash_plane_begin(f, p);
}

/* All that follows from the end of an operation has been done: the page that was
 * loaded meanwhile, unless reads go before it, or what waited for a read's register.
 */
static inline void flash_plane_resume(struct ssdqos_flash *f,
				      struct flash_plane *p, u32 kind)
{
	if (kind == SSDQOS_NAND_PROGRAM)
		flash_program_ended(f, p);
	else if (unlikely(f->timing.suspends) && flash_suspend_freed(f, p))
		flash_plane_pump(f, p);
}

/* ---- trip.c ---- */
void flash_trips_init(struct ssdqos_flash *f, u32 nr);
struct flash_trip *flash_trip_begin(struct ssdqos_flash *f,
				    struct ssdqos_flash_req *req);
void flash_trip_issued(const struct ssdqos_flash *f, struct flash_trip *trip,
		       u64 waited_ns);
void flash_trip_parked(const struct ssdqos_flash *f, struct flash_trip *trip);
struct flash_trip *flash_trip_again(struct ssdqos_flash *f,
				    const struct flash_trip *of);
void flash_trip_drop(struct ssdqos_flash *f, struct flash_trip *trip);
void flash_trip_wait(struct flash_trip *trip, const struct flash_use *use,
		     u32 user, u64 now_ns);
void flash_trip_waited(struct flash_trip *trip, const struct flash_use *use,
		       u32 user, u64 now_ns);
void flash_trip_none(const struct ssdqos_flash *f, struct ssdqos_flash_req *req);
void flash_trip_end(struct ssdqos_flash *f, struct flash_trip *trip);

#endif /* SSDQOS_FLASH_MEDIA_H */
