/* SPDX-License-Identifier: GPL-2.0 */
/*
 * types.h - what space is made of: blocks, streams of open blocks, layouts
 */
#ifndef SSDQOS_FLASH_SPACE_TYPES_H
#define SSDQOS_FLASH_SPACE_TYPES_H

#include "../media/types.h"

/* Map entries (l2p): a psn, or a slot of the write buffer, or nothing. */
#define FLASH_UNMAPPED		SSDQOS_NIL
#define FLASH_IN_BUFFER		0x80000000u

/* A garbage collection of one block must gain a page, so its destination
 * never needs more than one block that the host may not take.  That holds whatever
 * kind the victim is, as long as what is valid in it is a page less than what a block
 * of the destination's kind holds (gc.c).
 */
#define FLASH_GC_RESERVE_BLOCKS	1
/* A plane begins while there is a block for the host beside collection's own. */
#define FLASH_GC_LEAST_START	(FLASH_GC_RESERVE_BLOCKS + 1u)

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
	u8 kind;		/* enum flash_kind, since it was opened last */
};

struct flash_open {
	u32 block;		/* SSDQOS_NIL if none */
	u32 next_page;
};

/* Valid units below which a closed block is waited for. */
#define FLASH_LOOK_NONE		0	/* by nobody */
#define FLASH_LOOK_EMPTY	1	/* only if none are left */

#define FLASH_NOT_FOUND		(SSDQOS_NIL - 1)	/* in no list, not even its end */

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

/* What a dirty stripe knows of a unit in flash that was replaced: where it is, or */
#define FLASH_OLD_LOST		SSDQOS_NIL		/* that it doesn't know */
#define FLASH_OLD_NOTHING	(SSDQOS_NIL - 1)	/* that there was none: zeroes */

/* For which parity an old unit stands. */
enum flash_dirty_parity {
	FLASH_PARITY_IN_FLASH,
	FLASH_PARITY_UNDER_WAY,	/* will be in flash next */
	FLASH_NR_PARITIES,
};

/* Where a stripe is on its way to flash, see evict.c. */
enum flash_dirty_state {
	FLASH_DIRTY_GATHERING,	/* nothing of it */
	FLASH_DIRTY_WRITING,	/* some units of data, or what its parity follows from */
	FLASH_DIRTY_PARITY,	/* its parity */
};

/* In which queue a dirty stripe waits to be written out. */
enum flash_dirty_queue {
	FLASH_QUEUE_FULL,	/* all of it has changed */
	FLASH_QUEUE_PARTIAL,
	FLASH_NR_QUEUES,
	FLASH_QUEUE_NONE = FLASH_NR_QUEUES,
};

/* A stripe that has changed, see dirty.c.  Members are a bit each. */
struct flash_dirty {
	u64 held;		/* have changed since it was written out last */
	u64 writing;		/* those for which the parity under way stands */
	u64 pending;		/* of them, not in flash yet */
	u64 lifted;		/* those for which all of it is to be moved, see lift.c */
	u32 parity_slot;	/* of the buffer */
	u32 next_slot;		/* of the parity after that one; SSDQOS_NIL: none */
	u32 next;		/* queue, or free list */
	u32 prev;
	u16 reads;		/* for its parity, under way */
	u8 state;		/* enum flash_dirty_state */
	u8 queue;		/* enum flash_dirty_queue */
};

struct flash_dirties {
	struct flash_dirty *stripe;	/* NULL: stripes are not held */
	u32 *old;		/* by stripe, parity and member: psn, or FLASH_OLD_* */
	u32 *of_slot;		/* by slot of a parity: dirty stripe */
	u32 *plane_old;		/* old units that are kept valid, by plane */
	u32 plane_old_max;
	u32 nr_old;		/* in all planes */
	u32 nr;
	u32 free;
	u32 nr_out;		/* slots of what is on its way to flash */
	u32 reads_left;		/* flash reads for parity that may be begun */
	u32 rotor;		/* group with which the next search begins */
	u32 lift_rest;		/* stripes to write out before one may be lifted */
	struct flash_list *queue[FLASH_NR_QUEUES];	/* by group */
	unsigned long *queued[FLASH_NR_QUEUES];	/* groups that have something */
};

/* Where stripes stand, see shift.c. */
struct flash_shifts {
	u8 *of_stripe;		/* columns; NULL: they don't move */
	u64 *cycles;		/* of all blocks of a plane */
	unsigned long *worn;	/* planes, by what that says */
	u32 nr_worn;
};

#endif /* SSDQOS_FLASH_SPACE_TYPES_H */
