/* SPDX-License-Identifier: GPL-2.0 */
/*
 * types.h - a task, as those who choose among tasks see it, and how they choose
 */
#ifndef SSDQOS_FLASH_SCHED_TYPES_H
#define SSDQOS_FLASH_SCHED_TYPES_H

#include "../space/types.h"

struct flash_chip;

#define FLASH_PPM		1000000u

#define FLASH_ALL_TASKS ((1u << SSDQOS_NR_TASKS) - 1)

/* How tasks work, see SSDQOS_FLASH_TASKS. */
enum flash_task_works {
	FLASH_WORKS_FOR_HOST,
	FLASH_WORKS_OWN,
	FLASH_WORKS_MOVES,
};

/* Those that work in a way: a bit each. */
#define FLASH_TASK_BIT(HOW, NAME, name, works, ...)			\
	| (FLASH_WORKS_##works == (HOW)) << SSDQOS_TASK_##NAME
#define FLASH_TASKS_WITH(HOW) (0 SSDQOS_FLASH_TASKS_WITH(FLASH_TASK_BIT, HOW))
#define FLASH_HOST_TASKS FLASH_TASKS_WITH(FLASH_WORKS_FOR_HOST)
#define FLASH_MOVING_TASKS FLASH_TASKS_WITH(FLASH_WORKS_MOVES)

/* What a task's share is. */
enum flash_task_share {
	FLASH_SHARE_NONE,
	FLASH_SHARE_STATIC,
	FLASH_SHARE_FEEDBACK,
};

#define FLASH_SHARE_BIT(HOW, NAME, name, works, share, ...)		\
	| (FLASH_SHARE_##share == (HOW)) << SSDQOS_TASK_##NAME
#define FLASH_FEEDBACK_TASKS						\
	(0 SSDQOS_FLASH_TASKS_WITH(FLASH_SHARE_BIT, FLASH_SHARE_FEEDBACK))

/* The most important one.  Requests are for its operations, so they always wait for
 * it; it has what the others leave.
 */
#define FLASH_TASK_FIRST SSDQOS_TASK_HOST
#define FLASH_TASK_FIRST_BIT (1u << FLASH_TASK_FIRST)

/* What keeps the host from using a plane, see hold.c. */
struct flash_hold {
	struct flash_list parked;	/* operations for the host, until it is over */
	u32 by;			/* plane whose block is being emptied, the last that began */
	u32 step;		/* every how manieth plane it holds along; 0: none */
	u16 held;		/* how many hold it: nothing is begun for the host */
	u8 emptying;		/* blocks that movers are at */
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
	struct ssdqos_flash_task_stats stats;
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
	/* is it switched off, so that nobody leaves it a share?  NULL: never */
	bool (*is_off)(const struct ssdqos_flash *f);
	/* has it work for which it has not queued an operation yet?  NULL: never */
	bool (*has_more)(const struct ssdqos_flash *f);
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

/* Which tasks can press at all, by their rows: a bit each. */
struct flash_press {
	u32 anywhere;		/* presses */
	u32 in_plane;		/* presses_in */
	u32 in_bursts;		/* ends_bursts */
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
	/* may a task hand a chip another operation?  One that is within its share, and
	 * does not rest, may; so it isn't asked for that.  NULL: always
	 */
	bool (*may)(struct ssdqos_flash *f, u32 task);
	/* may it without what others lend it, in the same way?  NULL: shares are no
	 * limits
	 */
	bool (*within)(struct ssdqos_flash *f, u32 task);
};

extern const struct flash_sched_ops flash_sched_table[];

#endif /* SSDQOS_FLASH_SCHED_TYPES_H */
