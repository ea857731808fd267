/* SPDX-License-Identifier: GPL-2.0 */
/*
 * model.h - what an emulated drive is made of: the structs of core/flash
 */
#ifndef SSDQOS_FLASH_MODEL_H
#define SSDQOS_FLASH_MODEL_H

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

/* Runs of writes that are told apart: streams that a host mixes. */
#define FLASH_NR_RUNS		4

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
	FLASH_STREAM_GC,	/* whatever is moved */
	FLASH_STREAM_MAP,	/* pages of the map that have changed */
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
	u64 held_ns;		/* of bursts, when it was put into a queue */
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

#define FLASH_ALL_TASKS ((1u << SSDQOS_NR_TASKS) - 1)

/* Tasks before SSDQOS_TASK_GC work for the host. */
#define FLASH_HOST_TASKS ((1u << SSDQOS_TASK_GC) - 1)

/* Tasks from SSDQOS_TASK_GC on have a mover in each plane. */
#define FLASH_NR_MOVERS (SSDQOS_NR_TASKS - SSDQOS_TASK_GC)

/* Valid units below which a closed block is waited for. */
#define FLASH_LOOK_NONE		0	/* by nobody */
#define FLASH_LOOK_EMPTY	1	/* only if none are left */

#define FLASH_NOT_FOUND		(SSDQOS_NIL - 1)	/* in no list, not even its end */

struct flash_plane {
	struct flash_list wait;	/* issued by the controller, not begun */
	struct flash_list loaded;	/* programs in registers, array busy */
	u32 array_op;
	u8 registers;		/* free ones */
	u8 begun;		/* operations that hold a register or the array */
	u16 chip;
	u16 channel;
	u16 flush_programs;	/* in the queues or running */
	u16 reads_first;	/* of @wait, which go before what is loaded */
	u16 nr_internal;	/* of movers, handed to the chip */
	u32 nr_free;
	u32 next_found;		/* list of struct flash_marks; FLASH_NOT_FOUND */
	struct flash_use use;	/* of the array */
	struct flash_list free;
	struct flash_open open[FLASH_NR_STREAMS];
	struct flash_mover mover[FLASH_NR_MOVERS];
	bool erase_empty;	/* gc works on an emptied block only (TRIM erase) */
	bool read_max_stale;	/* @read_max_block has left: look for another */
	u16 look_below;		/* closed blocks with fewer valid units are waited for */
	u32 read_max_block;	/* closed block with the most reads */
	u32 pe_max;		/* most cycles of a block */
	u32 pe_min_hint;	/* no closed block has fewer */
	u32 wear_credit;	/* erases of others since it was levelled */
	u32 min_valid;		/* no victim bucket below this is in use */
	u32 *bucket;		/* by valid units: a block of the ring, oldest */
};

struct flash_chip {
	struct flash_list queue[SSDQOS_NR_TASKS];
	struct flash_list array_wait;	/* planes' operations, for array_scope chip */
	struct flash_use array_use;	/* by the task of the first that began */
	u32 nr_array;			/* planes at work, with array_scope chip */
	u32 array_page;			/* of its block, which they all work on */
	u8 array_kind;			/* enum ssdqos_nand_op */
	u8 array_task;			/* of the first */
	u32 nr_internal;		/* of movers, handed to the chip */
	u32 issued;
	u32 waiting;
	u32 tasks;			/* that have something in @queue, a bit each */
	u32 passed[SSDQOS_NR_TASKS];	/* operations of others that went before */
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
	u32 weight_ppm;		/* with wfq */
	u32 next_chip;		/* where the next search begins */
	bool at_rest;		/* with feedback, and at its least share */
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

/* Writes of which each begins where one before it ended. */
struct flash_run {
	u32 end;		/* unit behind it */
	u32 units;
};

/*
 * With gc_blocking, collection comes in bursts:
 *
 *	NONE -> (a block is collected) -> BLOCKING -> (none is any more) -> NONE
 *	                                  |      ^
 *	                      gc_burst_ns |      | gc_pause_ns, and there is more
 *	                                  +-> PAUSING -> (no more) -> NONE
 */
enum flash_burst_state {
	FLASH_BURST_NONE,
	FLASH_BURST_BLOCKING,
	FLASH_BURST_PAUSING,
};

struct flash_burst {
	u64 since_ns;		/* BLOCKING: begin */
	u64 held_ns;		/* sum of all bursts that have ended */
	u32 nr_collecting;	/* planes that empty a block */
	u8 state;		/* enum flash_burst_state */
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

/*
 * What an event has changed, for others to act on when it ends (event.c).  The floors
 * that mark it don't know who that is.
 */
struct flash_marks {
	u32 erased;		/* plane in which a block was: SSDQOS_NIL, or one */
	struct flash_list found;	/* planes with a block that somebody waits for */
	bool slots_freed;	/* of the write buffer */
	bool any;		/* of these */
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
	u32 gc_most;		/* gc_scope drive: most that a plane gathers */
	struct flash_burst burst;
	u32 open_tasks;		/* that may start operations, a bit each */
	struct flash_run run[FLASH_NR_RUNS];
	u32 last_run;		/* to which the last write belongs */
	u32 nr_free;		/* free blocks of the drive */
	u32 nr_free_min;
	u32 mapped;
	struct flash_marks marks;
	bool gc_active;		/* gc_scope drive: from start to stop */
	struct flash_buffer buffer;
	struct flash_map_cache map;
	struct flash_task task[SSDQOS_NR_TASKS];
	const struct flash_task_ops *const *tasks;	/* a row for each */
	unsigned long *chips_room;	/* chips that can take an operation */
	struct flash_trip *trips;
	struct flash_trip *free_trip;
	u64 host_ns;		/* arrival of the last read or write */
	u64 share_step_ns;	/* time of the last step of the share controller */
	bool share_feedback;	/* it has something to control */
	u32 nr_uncached;	/* writes being programmed, with uncached_writes */
	struct flash_req_list command_wait;	/* for the controller */
	struct flash_req_list read_wait;
	struct flash_req_list write_wait;
	struct flash_req_list trim_wait;
	struct flash_req_list flush_wait;
	struct flash_req_list done;
	struct ssdqos_flash_req *ram_head;
	struct ssdqos_flash_req *ram_tail;
	const struct flash_layout_ops *layout;
	const struct flash_victim_ops *victim;
	const struct flash_sched_ops *sched;
	struct ssdqos_rng rng;
	struct flash_log log;
	struct ssdqos_flash_stats stats;
	struct ssdqos_flash_host_waits host_waits;
	struct ssdqos_flash_config cfg;
	u64 memory_bytes;
	void *mem_evq;
};

/* Event ids: planes first, then channels, then these. */
enum flash_timer {
	FLASH_TIMER_RAM,
	FLASH_TIMER_TRIM,
	FLASH_TIMER_FILL,
	FLASH_TIMER_SHARE,
	FLASH_TIMER_QUIET,
	FLASH_TIMER_BURST,
	FLASH_TIMER_COMMAND,
	FLASH_NR_TIMERS,
};

/* From what a layout chooses: bitmaps by list, and by plane. */
struct flash_candidates {
	const unsigned long *ready;	/* lists that can fill a page */
	const unsigned long *eligible;	/* planes that can take a program */
	u32 rotor;			/* the plane to begin with */
};

/* Where data goes; what is to be written waits in lists. */
struct flash_layout_ops {
	const char *name;
	bool fixes_plane;	/* a list is a plane */
	u32 (*nr_lists)(const struct ssdqos_flash *f);
	u32 (*list_of)(const struct ssdqos_flash *f, u32 lpn);
	/* the plane to program, SSDQOS_NIL if none, with the list to take from */
	u32 (*pick)(const struct ssdqos_flash *f,
		    const struct flash_candidates *from, u32 *list);
	/* the unit that has to be written along with one of data; NULL: none */
	u32 (*partner)(const struct ssdqos_flash *f, u32 lpn);
	/* the units from each of which the others follow, by number; SSDQOS_NIL
	 * for one that is not there; NULL: each unit stands for itself
	 */
	u32 (*member)(const struct ssdqos_flash *f, u32 lpn, u32 member);
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
	/* tasks that were held back may go again; may be NULL */
	void (*opened)(struct ssdqos_flash *f, struct flash_chip *chip);
	/* SSDQOS_NR_TASKS: none of those that wait may go */
	u32 (*pick)(struct ssdqos_flash *f, struct flash_chip *chip);
	/* may a task hand a chip another operation?  NULL: always */
	bool (*may)(struct ssdqos_flash *f, u32 task);
	/* if so, without what others lend it?  NULL: shares are no limits */
	bool (*within)(struct ssdqos_flash *f, u32 task);
};

/*
 * What a task is to the floors below it, and to the machine that empties blocks.
 * Those know a task by its row only; NULL: it has nothing to say.
 */
struct flash_task_ops {
	/* one of its operations has ended */
	void (*op_done)(struct ssdqos_flash *f, struct flash_op *op);

	/* ---- for the schedulers ---- */

	/* does a request wait for the task, whatever chip it works on? */
	bool (*presses)(const struct ssdqos_flash *f);
	/* do bursts that block the drive end the sooner, the sooner it is done? */
	bool ends_bursts;
	/* does one for what it does in a plane? */
	bool (*presses_in)(const struct ssdqos_flash *f, u32 plane);
	/* is it not to be held until the host is quiet? */
	bool (*urgent)(const struct ssdqos_flash *f);
	/* by how much something is amiss: equations 2 and 3 of share.c */
	u32 (*share_error)(struct ssdqos_flash *f);

	/* ---- of a plane ---- */

	/* a free block of it was taken, and will be programmed now */
	void (*block_taken)(struct ssdqos_flash *f, u32 plane);
	/* it has a closed block with fewer valid units than look_below */
	void (*block_found)(struct ssdqos_flash *f, u32 plane);
	/* another task has erased a block of it */
	void (*block_erased)(struct ssdqos_flash *f, u32 plane);

	/* ---- for what is moved, see relocate.c ---- */

	/* the block that it wanted is empty and erased: the next one, or none */
	void (*next)(struct ssdqos_flash *f, u32 plane);
	/* so many units are read, or (programs and copies) in their new place */
	void (*moved)(struct ssdqos_flash *f, u32 kind, u32 nr_units);
	/* may it take the block that is kept for collection? */
	bool takes_reserve;

	/* ---- for the map ---- */

	/* the page for which a request waited is in memory */
	void (*map_ready)(struct ssdqos_flash *f, struct ssdqos_flash_req *req);
};

/* The most important one.  Requests are for its operations, so they always wait for
 * it; it has what the others leave.
 */
#define FLASH_TASK_FIRST SSDQOS_TASK_HOST

extern const struct flash_victim_ops flash_victim_table[];
extern const struct flash_sched_ops flash_sched_table[];

#endif /* SSDQOS_FLASH_MODEL_H */
