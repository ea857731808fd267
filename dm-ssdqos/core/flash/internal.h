/* SPDX-License-Identifier: GPL-2.0 */
/*
 * internal.h - the parts of an emulated drive, for the files of core/flash
 *
 * Layers, top to bottom; each file calls the one below and is called back
 * when an operation ends:
 *
 *	host.c		requests: split reads, admit writes, discards, flushes
 *	buffer.c	write buffer: gather units, choose a plane, program
 *	gc.c		garbage collection, one machine for each plane
 *	map.c		logical to physical units, valid counts
 *	block.c		blocks: free lists, open blocks, victim buckets
 *	sched.c		which task's operation a chip gets next
 *	nand.c		planes and channels as servers over the event queue
 */
#ifndef SSDQOS_FLASH_INTERNAL_H
#define SSDQOS_FLASH_INTERNAL_H

#include "flash.h"
#include "../engine/evq.h"
#include "../engine/rng.h"

/* Map entries (l2p): a psn, or a slot of the write buffer, or nothing. */
#define FLASH_UNMAPPED		SSDQOS_NIL
#define FLASH_IN_BUFFER		0x80000000u

/* A garbage collection of one block must gain a page, so its destination
 * never needs more than one block that the host may not take.
 */
#define FLASH_GC_RESERVE_BLOCKS	1

/* Host reads that may be in the flash queues, per chip; further ones wait in
 * arrival order, which bounds memory whatever the host does.
 */
#define FLASH_HOST_OPS_PER_CHIP	16
#define FLASH_HOST_OPS_MIN	1024

/* An index-linked FIFO. */
struct flash_list {
	u32 head;
	u32 tail;
};

enum flash_block_state {
	FLASH_BLOCK_FREE,
	FLASH_BLOCK_OPEN,	/* pages are being programmed */
	FLASH_BLOCK_CLOSED,	/* full, in a victim bucket */
	FLASH_BLOCK_VICTIM,	/* being collected */
};

/* One erase block; 32 bytes. */
struct flash_block {
	u64 change_ns;		/* of its valid count: the age of cost-benefit */
	u32 next;		/* free list, or ring of a victim bucket */
	u32 prev;
	u32 pe_cycles;
	u32 read_count;		/* since the last erase */
	u16 valid;		/* valid units */
	u16 done_pages;		/* programmed */
	u16 plane;
	u8 state;		/* enum flash_block_state */
};

/* Who fills an open block; data of different lifetimes stays apart. */
enum flash_stream {
	FLASH_STREAM_HOST,
	FLASH_STREAM_GC,
	FLASH_NR_STREAMS,
};

struct flash_open {
	u32 block;		/* SSDQOS_NIL if none */
	u32 next_page;
};

/* One NAND operation. */
struct flash_op {
	struct ssdqos_flash_req *req;	/* READ of the host: whose it is */
	u32 next;
	u32 order;		/* of arrival, for the fifo scheduler; wraps */
	u32 psn;		/* first unit of the page, or of the block */
	u32 src[SSDQOS_MAX_UNITS_PER_PAGE];	/* gc: psn; flush: buffer slot */
	u16 plane;
	u8 kind;		/* enum ssdqos_nand_op */
	u8 task;		/* enum ssdqos_flash_task */
	u8 nr_units;
};

/*
 * Garbage collection of a plane:
 *
 *	OFF -> (free < start) -> SEEKING -> victim -> COPYING -> ERASING
 *	^                         |    ^                            |
 *	+---- (free >= stop) -----+    +----------------------------+
 *
 * SEEKING without a victim stays there until an invalidation makes one.
 */
enum flash_gc_state {
	FLASH_GC_OFF,
	FLASH_GC_SEEKING,
	FLASH_GC_COPYING,
	FLASH_GC_ERASING,
};

struct flash_gc {
	u32 victim;
	u32 scan_page;		/* next page of the victim to look at */
	u32 fill[SSDQOS_MAX_UNITS_PER_PAGE];	/* psn of units read, to program */
	u8 nr_fill;
	u8 state;		/* enum flash_gc_state */
	u8 reads;		/* in flight */
	u8 programs;		/* in flight, copybacks included */
	bool erase_empty;	/* works on an emptied block only (TRIM erase) */
};

struct flash_plane {
	struct flash_list wait;	/* issued by the controller, not begun */
	struct flash_list loaded;	/* programs in registers, array busy */
	u32 array_op;
	u8 registers;		/* free ones */
	u8 begun;		/* operations that hold a register or the array */
	u16 chip;
	u16 channel;
	u16 flush_programs;	/* in the queues or running */
	u32 nr_ops;		/* queued or running, all tasks */
	u32 nr_gc_ops;
	u32 nr_free;
	struct flash_list free;
	struct flash_open open[FLASH_NR_STREAMS];
	struct flash_gc gc;
	u32 min_valid;		/* no victim bucket below this is in use */
	u32 *bucket;		/* by valid units: a block of the ring, oldest */
};

struct flash_chip {
	struct flash_list queue[SSDQOS_NR_TASKS];
	u32 issued;
	u32 waiting;
};

struct flash_channel {
	struct flash_list wait;
	u32 op;
};

enum flash_slot_state {
	FLASH_SLOT_FREE,
	FLASH_SLOT_PENDING,	/* waits to be programmed */
	FLASH_SLOT_INFLIGHT,	/* being programmed */
};

struct flash_slot {
	struct ssdqos_flash_req *waiter;
	u64 seq;		/* of insertion */
	u32 lpn;
	u32 next;		/* pending list, or free list */
	u32 prev;
	u32 older;		/* all used slots by age, for flushes */
	u32 newer;
	u8 state;
};

struct flash_buffer {
	struct flash_slot *slot;
	struct flash_list *pending;	/* one, or one for each plane */
	u32 *nr_pending;
	unsigned long *ready;		/* lists that can fill a page */
	unsigned long *eligible;	/* planes that can take a program */
	u32 nr_lists;
	u32 nr_ready;			/* bits set in @ready */
	u32 nr_slots;
	u32 nr_used;
	u32 nr_inflight;
	u32 free;
	u32 oldest;
	u32 newest;
	u32 threshold;			/* slots in use to start writing out */
	u32 rotor;			/* where the next search for a plane begins */
	u64 seq;			/* of the last insertion */
	u64 force_seq;			/* up to here pages may be padded */
};

struct flash_req_list {
	struct ssdqos_flash_req *head;
	struct ssdqos_flash_req *tail;
};

struct flash_timing {
	u64 read_ns;
	u64 program_ns;
	u64 erase_ns;
	u64 xfer_unit_ns[SSDQOS_MAX_UNITS_PER_PAGE + 1];	/* by units */
};

struct flash_log {
	struct ssdqos_flash_record *ring;
	u32 size;		/* a power of two */
	u32 mask;		/* of enum ssdqos_flash_event bits */
	u32 head;
	u32 nr;
};

struct ssdqos_flash {
	u64 now_ns;
	struct ssdqos_evq evq;
	struct ssdqos_flash_geo geo;
	struct flash_timing timing;
	u32 *l2p;
	u32 *p2l;		/* lpn of a valid unit, SSDQOS_NIL otherwise */
	struct flash_block *blocks;
	struct flash_plane *planes;
	struct flash_chip *chips;
	struct flash_channel *channels;
	struct flash_op *ops;
	u32 free_op;
	u32 host_ops_left;
	u32 op_order;
	u32 chip_queue_depth;
	u32 plane_programs_max;
	u32 gc_start;		/* effective thresholds, in blocks of a plane */
	u32 gc_stop;
	u32 nr_free;		/* free blocks of the drive */
	u32 nr_free_min;
	u32 mapped;
	struct flash_buffer buffer;
	struct flash_req_list read_wait;
	struct flash_req_list write_wait;
	struct flash_req_list trim_wait;
	struct flash_req_list flush_wait;
	struct flash_req_list done;
	struct ssdqos_flash_req *ram_head;
	struct ssdqos_flash_req *ram_tail;
	const struct flash_alloc_ops *alloc;
	const struct flash_victim_ops *victim;
	const struct flash_sched_ops *sched;
	struct ssdqos_rng rng;
	struct flash_log log;
	struct ssdqos_flash_stats stats;
	struct ssdqos_flash_config cfg;
	u64 memory_bytes;
	void *mem_evq;
	void *mem_buckets;
};

/* Event ids: planes first, then channels, then these. */
enum flash_timer {
	FLASH_TIMER_RAM,
	FLASH_TIMER_TRIM,
	FLASH_TIMER_FILL,
	FLASH_NR_TIMERS,
};

/* Where the buffer's next page goes. */
struct flash_alloc_ops {
	const char *name;
	u32 (*nr_lists)(const struct ssdqos_flash *f);
	u32 (*list_of)(const struct ssdqos_flash *f, u32 lpn);
	/* true, with the list to take from and the plane to program */
	bool (*pick)(struct ssdqos_flash *f, u32 *list, u32 *plane);
};

/* Which closed block of a plane is collected; SSDQOS_NIL: none gains. */
struct flash_victim_ops {
	const char *name;
	u32 (*pick)(struct ssdqos_flash *f, struct flash_plane *p);
};

/* Which task's head operation a chip gets; some task has one. */
struct flash_sched_ops {
	const char *name;
	u32 (*pick)(struct ssdqos_flash *f, const struct flash_chip *chip);
};

/* What a task does when one of its operations has ended. */
struct flash_task_ops {
	void (*op_done)(struct ssdqos_flash *f, struct flash_op *op);
};

extern const struct flash_alloc_ops flash_alloc_table[];
extern const struct flash_victim_ops flash_victim_table[];
extern const struct flash_sched_ops flash_sched_fifo;
extern const struct flash_task_ops flash_host_task;
extern const struct flash_task_ops flash_buffer_task;
extern const struct flash_task_ops flash_gc_task;
extern const struct flash_task_ops *const flash_task_table[SSDQOS_NR_TASKS];

/* ---- addresses ---- */

static inline u32 flash_block_of(const struct ssdqos_flash *f, u32 psn)
{
	return psn >> f->geo.block_shift;
}

static inline u32 flash_plane_of(const struct ssdqos_flash *f, u32 psn)
{
	return f->blocks[flash_block_of(f, psn)].plane;
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
	op->req = NULL;
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

/* ---- map.c ---- */
void flash_map_invalidate(struct ssdqos_flash *f, u32 psn);
void flash_map_move(struct ssdqos_flash *f, u32 from, u32 to);
void flash_map_unmap(struct ssdqos_flash *f, u32 lpn);

/* ---- block.c ---- */
bool flash_block_has_space(const struct ssdqos_flash *f,
			   const struct flash_plane *p,
			   enum flash_stream stream);
u32 flash_block_next_page(struct ssdqos_flash *f, u32 plane,
			  enum flash_stream stream);
void flash_block_page_done(struct ssdqos_flash *f, u32 psn);
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
bool flash_buffer_out_of_space(const struct ssdqos_flash *f);
u64 flash_buffer_oldest_seq(const struct ssdqos_flash *f);

/* ---- gc.c ---- */
void flash_gc_check(struct ssdqos_flash *f, u32 plane);
void flash_gc_invalidated(struct ssdqos_flash *f, u32 block);
void flash_gc_tune(struct ssdqos_flash *f);

/* ---- host.c ---- */
void flash_host_ram_event(struct ssdqos_flash *f);
void flash_host_trim_event(struct ssdqos_flash *f);
void flash_host_put(struct ssdqos_flash *f, struct ssdqos_flash_req *req);
void flash_host_slots_freed(struct ssdqos_flash *f);

/* ---- flash.c ---- */
void flash_blank(struct ssdqos_flash *f);
void flash_blank_blocks(struct ssdqos_flash *f);
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
