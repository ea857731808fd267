/* SPDX-License-Identifier: GPL-2.0 */
/*
 * types.h - what tasks are made of: requests that wait, buffers, movers
 */
#ifndef SSDQOS_FLASH_TASKS_TYPES_H
#define SSDQOS_FLASH_TASKS_TYPES_H

#include "../sched/types.h"

struct flash_plane;

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

/* Whose turn it is to empty a block, by domain: see turn.c. */
struct flash_turns {
	u32 *holder;		/* plane; SSDQOS_NIL: nobody's */
	u32 *last;		/* plane that had it last */
	u32 *of;		/* by plane: domain whose turn it has; SSDQOS_NIL: none */
	unsigned long *wanting;	/* planes that wait for one */
	unsigned long *due;	/* domains with one that was given back */
	u32 offered;		/* plane that is asked what it wants; SSDQOS_NIL: none */
};

/* Flash pages that were copied and not read since: see verify.c. */
struct flash_verify {
	unsigned long *pages;	/* which */
	unsigned long *blocks;	/* that have some */
	unsigned long *reading;	/* planes in which one is being read */
	u16 *nr_of;		/* by block: how many */
	u32 nr;
	u32 nr_reads;		/* under way */
	u32 next_plane;		/* where the next search begins */
};

struct flash_req_list {
	struct ssdqos_flash_req *head;
	struct ssdqos_flash_req *tail;
};

enum flash_slot_state {
	FLASH_SLOT_FREE,
	FLASH_SLOT_HELD,	/* waits for the rest of its stripe */
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

enum flash_map_page_state {
	FLASH_MAP_ABSENT,
	FLASH_MAP_DEFERRED,	/* has changed; to be fetched when there is room */
	FLASH_MAP_WANTED,	/* a request waits for it */
	FLASH_MAP_FETCHING,
	FLASH_MAP_CACHED,
	FLASH_MAP_WRITING,	/* cached and being written */
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

/* Tasks that empty blocks have a mover in each plane.  They stand together in the list
 * of tasks, so that a subtraction finds it: a table takes 0.5 % more instructions.
 */
#define FLASH_FIRST_MOVER ((u32)__builtin_ctz(FLASH_MOVING_TASKS))
#define FLASH_NR_MOVERS __builtin_popcount(FLASH_MOVING_TASKS)

static_assert(FLASH_MOVING_TASKS ==
	      ((1 << FLASH_NR_MOVERS) - 1) << FLASH_FIRST_MOVER);

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
	u32 fill[SSDQOS_MAX_UNITS_PER_PAGE];	/* psn of units read, to program */
	u16 scan_page;		/* next page of the victim to look at */
	u8 nr_fill;
	u8 state;		/* enum flash_mover_state */
	u8 reads;		/* in flight */
	u8 programs;		/* in flight, copybacks included */
	bool no_space;		/* gives its victim up */
};

/* Runs of writes that are told apart: streams that a host mixes. */
#define FLASH_NR_RUNS		4

/* Writes of which each begins where one before it ended. */
struct flash_run {
	u32 end;		/* unit behind it */
	u32 units;
};

/* Which closed block of a plane is collected; SSDQOS_NIL: none gains. */
struct flash_victim_ops {
	const char *name;
	u32 (*pick)(struct ssdqos_flash *f, struct flash_plane *p);
};

extern const struct flash_victim_ops flash_victim_table[];

#endif /* SSDQOS_FLASH_TASKS_TYPES_H */
