/* SPDX-License-Identifier: GPL-2.0 */
/*
 * model.h - an emulated drive, put together of what each floor has in its types.h
 *
 * What a floor is made of is in its types.h.  Here is what a drive, a plane and a chip
 * have of each floor, and what an event leaves for others.
 */
#ifndef SSDQOS_FLASH_MODEL_H
#define SSDQOS_FLASH_MODEL_H

#include "tasks/types.h"
#include "../engine/evq.h"
#include "../engine/rng.h"

/* Event ids: planes first, then channels, then these. */
enum flash_timer {
	FLASH_TIMER_RAM,
	FLASH_TIMER_TRIM,
	FLASH_TIMER_FILL,
	FLASH_TIMER_SHARE,
	FLASH_TIMER_QUIET,
	FLASH_TIMER_BURST,
	FLASH_TIMER_COMMAND,
	FLASH_TIMER_VERIFY,
	FLASH_NR_TIMERS,
};

/*
 * What an event has changed, for others to act on when it ends (event.c).  The floors
 * that mark it don't know who that is.
 */
struct flash_marks {
	u32 erased;		/* plane in which a block was: SSDQOS_NIL, or one */
	struct flash_list found;	/* planes with a block that somebody waits for */
	bool slots_freed;	/* of the write buffer */
	bool turns_put;		/* to empty a block */
	bool any;		/* of these */
};

/* The drive is to come to rest, see ssdqos_flash_rest(). */
struct flash_rest {
	bool on;
	bool busy;		/* it was not at rest before that */
};

/* 256 bytes, without a gap: a shift finds a plane.  With more than that it is a
 * multiplication, and all of a drive's work takes a hundredth longer.
 */
struct flash_plane {
	/* media */
	struct flash_use use;	/* of the array */
	struct flash_list wait;	/* issued by the controller, not begun */
	struct flash_list loaded;	/* programs in registers, array busy */
	u32 array_op;
	u8 registers;		/* free ones */
	u8 begun;		/* operations that hold a register or the array */
	u16 chip;
	u16 channel;
	u16 reads_first;	/* of @wait, which go before what is loaded */

	/* sched */
	u16 nr_internal;	/* of movers, handed to the chip */

	/* space */
	u16 look_below[FLASH_NR_KINDS];	/* closed blocks with fewer valid units are
					 * waited for
					 */
	u32 nr_free;
	u32 next_found;		/* list of struct flash_marks; FLASH_NOT_FOUND */
	struct flash_list free;
	struct flash_open open[FLASH_NR_STREAMS];
	u32 *bucket[FLASH_NR_KINDS];	/* by valid units: a block of the ring, oldest */
	u32 min_valid[FLASH_NR_KINDS];	/* no victim bucket below this is in use */
	u32 read_max_block;	/* closed block with the most reads */
	u32 pe_max;		/* most cycles of a block */
	u32 pe_min_hint;	/* no closed block has fewer */
	bool read_max_stale;	/* @read_max_block has left: look for another */

	/* tasks */
	bool erase_empty;	/* gc works on an emptied block only (TRIM erase) */
	u16 flush_programs;	/* in the queues or running */
	u32 wear_credit;	/* erases of others since it was levelled */
	struct flash_mover mover[FLASH_NR_MOVERS];
};

static_assert(sizeof(struct flash_plane) <= 256);

struct flash_chip {
	/* media, with array_scope chip */
	struct flash_list array_wait;	/* planes' operations */
	struct flash_use array_use;	/* by the task of the first that began */
	u32 nr_array;			/* planes at work */
	u32 array_page;			/* of its block, which they all work on */
	u8 array_kind;			/* enum ssdqos_nand_op */
	u8 array_task;			/* of the first */

	/* sched */
	struct flash_list queue[SSDQOS_NR_TASKS];
	u32 nr_internal;		/* of movers, handed to the chip */
	u32 issued;
	u32 waiting;
	u32 tasks;			/* that have something in @queue, a bit each */
	u32 passed[SSDQOS_NR_TASKS];	/* operations of others that went before */
	u64 vtime[SSDQOS_NR_TASKS];	/* wfq: device time / share used */
	u64 vnow;			/* wfq: start of what was issued last */
	u64 gap;			/* to 256 bytes: a shift finds a chip */
};

struct ssdqos_flash {
	u64 now_ns;
	struct ssdqos_evq evq;
	struct ssdqos_rng rng;
	struct flash_marks marks;
	struct flash_rest rest;
	struct ssdqos_flash_config cfg;
	struct ssdqos_flash_stats stats;
	u64 memory_bytes;
	void *mem_evq;

	/* media */
	struct ssdqos_flash_geo geo;
	u32 free_op;
	struct flash_timing timing;
	struct flash_plane *planes;
	struct flash_suspend *suspend;	/* by plane; only looked at where that can be */
	struct flash_chip *chips;
	struct flash_channel *channels;
	struct flash_op *ops;
	struct flash_trip *trips;
	struct flash_trip *free_trip;
	struct ssdqos_flash_host_waits host_waits;
	struct flash_burst burst;
	struct flash_log log;

	/* space */
	u32 *l2p;
	u32 *p2l;		/* lpn of a valid unit, SSDQOS_NIL otherwise */
	struct flash_block *blocks;
	u32 nr_free;		/* free blocks of the drive */
	u32 nr_free_min;
	u32 mapped;
	const struct flash_layout_ops *layout;
	struct flash_dirties dirties;
	struct flash_shifts shifts;

	/* sched */
	const struct flash_sched_ops *sched;
	const struct flash_task_ops *const *tasks;	/* a row for each */
	struct flash_task task[SSDQOS_NR_TASKS];
	unsigned long *chips_room;	/* chips that can take an operation */
	u32 chip_queue_depth;
	u32 open_tasks;		/* that may start operations, a bit each */
	u32 within_tasks;	/* with fewer operations outstanding than their limit */
	u32 resting_tasks;	/* held until the host is quiet */
	u32 yielding_tasks;	/* that go after those that work for the host */
	u32 nr_held;		/* planes */
	struct flash_hold *holds;	/* by plane */
	struct flash_press press;
	u32 op_order;		/* of the operation that arrives next; wraps */
	bool share_feedback;	/* the share controller has something to control */
	u64 host_ns;		/* arrival of the last read or write */
	u64 share_step_ns;	/* time of its last step */

	/* tasks: requests */
	u32 host_ops_left;
	u32 nr_uncached;	/* writes being programmed, with uncached_writes */
	struct flash_req_list command_wait;	/* for the controller */
	struct flash_req_list read_wait;
	struct flash_req_list write_wait;
	struct flash_req_list trim_wait;
	struct flash_req_list flush_wait;
	struct flash_req_list done;
	struct ssdqos_flash_req *ram_head;
	struct ssdqos_flash_req *ram_tail;
	u32 event_units;	/* that an event of a discard looks at, one by one */

	/* tasks: write buffer, map, collection */
	struct flash_buffer buffer;
	struct flash_map_cache map;
	struct flash_turns turns;
	struct flash_verify verify;
	u32 gc_start;		/* effective thresholds, in blocks of a plane */
	u32 gc_stop;
	u32 gc_most;		/* gc_scope drive: most that a plane gathers */
	u32 plane_programs_max;
	const struct flash_victim_ops *victim;
	struct flash_run run[FLASH_NR_RUNS];
	u32 last_run;		/* to which the last write belongs */
	bool gc_active;		/* gc_scope drive: from start to stop */
};

#endif /* SSDQOS_FLASH_MODEL_H */
