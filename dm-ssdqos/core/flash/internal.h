/* SPDX-License-Identifier: GPL-2.0 */
/*
 * internal.h - the parts of an emulated drive, for the files of core/flash
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
 *	sched.c		which task's operation a chip gets next
 *	nand.c		planes and channels as servers over the event queue
 *	trip.c		where the time of a host read goes
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

/* Reads and programs of the map under way; further ones wait by page. */
#define FLASH_MAP_OPS_PER_CHIP	4

/* Flash reads that one unit of parity needs at most: what is missing of the
 * stripe, or else the old data and the old parity.
 */
#define FLASH_PARITY_READS	2

#define FLASH_PPM		1000000u

/* An index-linked FIFO. */
struct flash_list {
	u32 head;
	u32 tail;
};

enum flash_block_state {
	FLASH_BLOCK_FREE,
	FLASH_BLOCK_OPEN,	/* pages are being programmed */
	FLASH_BLOCK_CLOSED,	/* full, in a victim bucket */
	FLASH_BLOCK_VICTIM,	/* being emptied */
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
	struct flash_trip *trip;	/* READ of the host: whose it is */
	u64 queued_ns;
	u64 ready_ns;		/* made by the controller: no start before it */
	u32 next;
	u32 order;		/* of arrival, for the fifo scheduler; wraps */
	u32 psn;		/* first unit of the page, or of the block */
	/* relocation: psn; flush: buffer slot; map: page of the map; parity
	 * read: [0] is the program that waits for it
	 */
	u32 src[SSDQOS_MAX_UNITS_PER_PAGE];
	u16 plane;
	u8 kind;		/* enum ssdqos_nand_op */
	u8 task;		/* enum ssdqos_flash_task */
	u8 nr_units;
	u8 nr_reads;		/* program of parity: reads that it waits for */
};

/* A host read on its way through the drive, see trip.c. */
struct flash_trip {
	struct ssdqos_flash_req *req;
	struct flash_trip *next;	/* free list */
	u64 mark_ns;		/* the causes cover the time up to here */
	u64 busy_ns[SSDQOS_NR_TASKS];	/* of the server it waits for, then */
	u64 wait_ns[SSDQOS_NR_WAITS];
};

/* Who has used a server, and since when its present user does. */
struct flash_use {
	u64 start_ns;
	u64 busy_ns[SSDQOS_NR_TASKS];
};

/*
 * A task that empties blocks of a plane:
 *
 *	OFF -> SEEKING -> victim -> COPYING -> ERASING
 *	^       |    ^                            |
 *	+-------+    +----------------------------+
 *
 * SEEKING without a victim stays there until an invalidation makes one.
 */
enum flash_mover_state {
	FLASH_MOVER_OFF,
	FLASH_MOVER_SEEKING,
	FLASH_MOVER_COPYING,
	FLASH_MOVER_ERASING,
};

struct flash_mover {
	u32 victim;
	u32 scan_page;		/* next page of the victim to look at */
	u32 fill[SSDQOS_MAX_UNITS_PER_PAGE];	/* psn of units read, to program */
	u8 nr_fill;
	u8 state;		/* enum flash_mover_state */
	u8 reads;		/* in flight */
	u8 programs;		/* in flight, copybacks included */
	bool no_space;		/* gives its victim up */
};

/* Tasks from SSDQOS_TASK_GC on have a mover in each plane. */
#define FLASH_NR_MOVERS (SSDQOS_NR_TASKS - SSDQOS_TASK_GC)

struct flash_plane {
	struct flash_list wait;	/* issued by the controller, not begun */
	struct flash_list loaded;	/* programs in registers, array busy */
	u32 array_op;
	u8 registers;		/* free ones */
	u8 begun;		/* operations that hold a register or the array */
	u16 chip;
	u16 channel;
	u16 flush_programs;	/* in the queues or running */
	u16 nr_internal;	/* of movers, handed to the chip */
	u32 nr_ops;		/* queued or running, all tasks */
	u32 nr_gc_ops;
	u32 nr_free;
	struct flash_use use;	/* of the array */
	struct flash_list free;
	struct flash_open open[FLASH_NR_STREAMS];
	struct flash_mover mover[FLASH_NR_MOVERS];
	bool erase_empty;	/* gc works on an emptied block only (TRIM erase) */
	bool read_max_stale;	/* @read_max_block has left: look for another */
	u32 read_max_block;	/* closed block with the most reads */
	u32 pe_max;		/* most cycles of a block */
	u32 pe_min_hint;	/* no closed block has fewer */
	u32 min_valid;		/* no victim bucket below this is in use */
	u32 *bucket;		/* by valid units: a block of the ring, oldest */
};

struct flash_chip {
	struct flash_list queue[SSDQOS_NR_TASKS];
	u32 issued;
	u32 waiting;
	u64 vtime[SSDQOS_NR_TASKS];	/* wfq: device time / share used */
	u64 vnow;			/* wfq: start of what was issued last */
};

struct flash_channel {
	struct flash_list wait;
	u32 op;
	struct flash_use use;
};

/* A task in the whole drive. */
struct flash_task {
	unsigned long *chips;	/* where it has operations waiting */
	u32 waiting;		/* operations in the queues of the chips */
	u32 outstanding;	/* operations handed to chips: AutoSSD's debit */
	u32 limit;		/* of @outstanding with the debit scheduler */
	u32 share_ppm;
	u32 next_chip;		/* where the next search begins */
	struct ssdqos_flash_task_stats stats;
};

enum flash_map_page_state {
	FLASH_MAP_ABSENT,
	FLASH_MAP_DEFERRED,	/* has changed; to be fetched when there is room */
	FLASH_MAP_WANTED,	/* a request waits for it */
	FLASH_MAP_FETCHING,
	FLASH_MAP_CACHED,
	FLASH_MAP_WRITING,	/* cached and being written */
};

struct flash_req_list {
	struct ssdqos_flash_req *head;
	struct ssdqos_flash_req *tail;
};

/* A page of the map. */
struct flash_map_page {
	struct flash_req_list waiters;
	u32 prev;		/* clean or dirty list, most recent first */
	u32 next;		/* or the queue of wanted ones */
	u8 state;		/* enum flash_map_page_state */
	bool dirty;
};

struct flash_map_cache {
	struct flash_map_page *page;	/* NULL: all of the map is in memory */
	u32 nr_pages;
	u32 nr_frames;
	u32 nr_used;		/* frames: cached, being fetched or written */
	u32 nr_clean;
	u32 nr_dirty;
	u32 nr_writing;
	u32 nr_wanted;
	u32 credit;		/* programs that need no one who waits */
	u32 least_free;		/* write back when fewer can be had at once */
	struct flash_list clean;
	struct flash_list dirty;
	struct flash_list wanted;
	struct flash_list deferred;
	u32 nr_deferred;
	u32 ops_left;
	u32 least_ops;		/* left for those for which a request waits */
	u32 rotor;		/* plane for the next program */
	bool pumping;
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
	bool gc_active;		/* gc_scope drive: from start to stop */
	u32 nr_free;		/* free blocks of the drive */
	u32 nr_free_min;
	u32 mapped;
	struct flash_buffer buffer;
	struct flash_map_cache map;
	struct flash_task task[SSDQOS_NR_TASKS];
	unsigned long *chips_room;	/* chips that can take an operation */
	struct flash_trip *trips;
	struct flash_trip *free_trip;
	u64 host_ns;		/* arrival of the last read or write */
	u64 share_step_ns;	/* time of the last step of the share controller */
	bool share_feedback;	/* it has something to control */
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
	struct ssdqos_flash_host_waits host_waits;
	struct ssdqos_flash_config cfg;
	u64 memory_bytes;
	void *mem_evq;
	void *mem_buckets;
	void *mem_chip_bits;
};

/* Event ids: planes first, then channels, then these. */
enum flash_timer {
	FLASH_TIMER_RAM,
	FLASH_TIMER_TRIM,
	FLASH_TIMER_FILL,
	FLASH_TIMER_SHARE,
	FLASH_TIMER_QUIET,
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

/* Which task's head operation a chip gets. */
struct flash_sched_ops {
	const char *name;
	/* an operation was put into the chip's queue of the task; may be NULL */
	void (*queued)(struct ssdqos_flash *f, struct flash_chip *chip,
		       u32 task);
	/* SSDQOS_NR_TASKS: none of those that wait may go */
	u32 (*pick)(struct ssdqos_flash *f, struct flash_chip *chip);
	/* may a task hand a chip another operation?  NULL: always */
	bool (*may)(struct ssdqos_flash *f, u32 task);
};

/* What a task does when one of its operations has ended. */
struct flash_task_ops {
	void (*op_done)(struct ssdqos_flash *f, struct flash_op *op);
};

extern const struct flash_alloc_ops flash_alloc_table[];
extern const struct flash_victim_ops flash_victim_table[];
extern const struct flash_sched_ops flash_sched_table[];
extern const struct flash_task_ops flash_host_task;
extern const struct flash_task_ops flash_map_task;
extern const struct flash_task_ops flash_buffer_task;
extern const struct flash_task_ops flash_mover_task;
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

static inline struct flash_mover *flash_mover(struct ssdqos_flash *f, u32 plane,
					      u32 task)
{
	return &f->planes[plane].mover[task - SSDQOS_TASK_GC];
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
void flash_nand_kick(struct ssdqos_flash *f, u32 task);
void flash_nand_kick_all(struct ssdqos_flash *f);

/* ---- trip.c ---- */
void flash_trips_init(struct ssdqos_flash *f, u32 nr);
struct flash_trip *flash_trip_begin(struct ssdqos_flash *f,
				    struct ssdqos_flash_req *req);
void flash_trip_wait(struct flash_trip *trip, const struct flash_use *use,
		     u32 user, u64 now_ns);
void flash_trip_waited(struct flash_trip *trip, const struct flash_use *use,
		       u32 user, u64 now_ns);
void flash_trip_end(struct ssdqos_flash *f, struct flash_trip *trip);

/* ---- share.c ---- */
void flash_share_tune(struct ssdqos_flash *f);
void flash_share_wake(struct ssdqos_flash *f);
void flash_share_event(struct ssdqos_flash *f);
bool flash_share_at_rest(const struct ssdqos_flash *f, u32 task);

/* ---- sched.c ---- */
void flash_sched_quiet_event(struct ssdqos_flash *f);

/* ---- map.c ---- */
void flash_map_invalidate(struct ssdqos_flash *f, u32 psn);
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
bool flash_buffer_is_urgent(const struct ssdqos_flash *f);
bool flash_buffer_out_of_space(const struct ssdqos_flash *f);
u64 flash_buffer_oldest_seq(const struct ssdqos_flash *f);

/* ---- relocate.c ---- */
void flash_mover_begin(struct ssdqos_flash *f, u32 plane, u32 task,
		       u32 victim);
void flash_mover_next(struct ssdqos_flash *f, u32 plane, u32 task);

/* ---- gc.c ---- */
void flash_gc_check(struct ssdqos_flash *f, u32 plane);
void flash_gc_invalidated(struct ssdqos_flash *f, u32 block);
void flash_gc_tune(struct ssdqos_flash *f);
void flash_gc_next(struct ssdqos_flash *f, u32 plane);

/* ---- scrub.c ---- */
void flash_scrub_check(struct ssdqos_flash *f, u32 plane);
void flash_scrub_note(struct ssdqos_flash *f, u32 block);
void flash_scrub_next(struct ssdqos_flash *f, u32 plane);
u32 flash_scrub_max(struct ssdqos_flash *f, u32 plane);
void flash_scrub_survey(struct ssdqos_flash *f);

/* ---- wear.c ---- */
void flash_wear_check(struct ssdqos_flash *f, u32 plane);
void flash_wear_next(struct ssdqos_flash *f, u32 plane);
void flash_wear_survey(struct ssdqos_flash *f);
u32 flash_wear_spread(struct ssdqos_flash *f, u32 plane);

/* ---- host.c ---- */
void flash_host_ram_event(struct ssdqos_flash *f);
void flash_host_trim_event(struct ssdqos_flash *f);
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
