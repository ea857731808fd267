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

/* Does a request wait for the task, whatever chip it works on? */
bool flash_task_presses(const struct ssdqos_flash *f, u32 task)
{
	const struct flash_task_ops *ops = f->tasks[task];

	return task == FLASH_TASK_FIRST ||
	       (ops->ends_bursts && flash_burst_blocks(f)) ||
	       (ops->presses && ops->presses(f));
}

/* Does a request wait for what the task would do next on the chip? */
bool flash_op_presses(const struct ssdqos_flash *f,
		      const struct flash_chip *chip, u32 task)
{
	const struct flash_task_ops *ops = f->tasks[task];

	return flash_task_presses(f, task) ||
	       (ops->presses_in &&
		ops->presses_in(f, f->ops[chip->queue[task].head].plane));
}
