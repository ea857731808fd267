// SPDX-License-Identifier: GPL-2.0
/*
 * press.c - which tasks can't wait, because a request of the host waits for them
 *
 *	host	always: its flash reads are what requests wait for
 *	map	a request waits for a page of it
 *	flush	somebody waits for programs (no cache, FUA, a flush), or the
 *		write buffer fills up: from its target on, with a part of all
 *		operations that grows with the fill level, to all of them at
 *		twice the target, so that no write has to wait first
 *	gc	in a plane with no more room for the host than half a block, or
 *		than one if the drive has few free blocks: a victim takes as long
 *		to be emptied as a block to be filled, but what is collected
 *		later has had more time to become invalid; and everywhere, while
 *		a burst of it blocks the drive (gc.c): that ends the sooner
 *
 * A share says what a task may take while the others may need the rest.  Where
 * writes arrive faster than a share lets them out, what is not lent gains nobody
 * anything: the write waits, and the planes idle.  So with share_lend a pressing task
 * goes over its share, and the host first (sched.c).  Each task says in its row of
 * operations whether it presses.
 */
#include "sched.h"

/* The rows of the tasks are there. */
void flash_press_init(struct ssdqos_flash *f)
{
	u32 task;

	for (task = 0; task < SSDQOS_NR_TASKS; task++) {
		const struct flash_task_ops *ops = f->tasks[task];

		f->press.anywhere |= (u32)!!ops->presses << task;
		f->press.in_plane |= (u32)!!ops->presses_in << task;
		f->press.in_bursts |= (u32)ops->ends_bursts << task;
	}
	f->press.anywhere &= ~FLASH_TASK_FIRST_BIT;
}

/* Those of @tasks for which a request waits, whatever chip they work on. */
u32 flash_tasks_pressing(const struct ssdqos_flash *f, u32 tasks)
{
	u32 pressing = tasks & FLASH_TASK_FIRST_BIT, rest;

	if (flash_burst_blocks(f))
		pressing |= tasks & f->press.in_bursts;
	rest = tasks & ~pressing & f->press.anywhere;
	for (; rest; rest &= rest - 1)
		if (f->tasks[__ffs(rest)]->presses(f))
			pressing |= rest & -rest;
	return pressing;
}

/* Those of @tasks, which wait for the chip, for which a request waits: for what the
 * task would do next there, or wherever it works.
 */
u32 flash_chip_pressing(const struct ssdqos_flash *f,
			const struct flash_chip *chip, u32 tasks)
{
	u32 pressing = flash_tasks_pressing(f, tasks);
	u32 rest = tasks & ~pressing & f->press.in_plane;

	for (; rest; rest &= rest - 1) {
		u32 task = (u32)__ffs(rest), op = chip->queue[task].head;

		if (f->tasks[task]->presses_in(f, f->ops[op].plane))
			pressing |= rest & -rest;
	}
	return pressing;
}
