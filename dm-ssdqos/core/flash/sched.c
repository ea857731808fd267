// SPDX-License-Identifier: GPL-2.0
/*
 * sched.c - which task's operation a chip gets next
 *
 * fifo (AutoSSD's "Vanilla"): all tasks share one queue in effect, the
 * operation that came first goes first.
 */
#include "internal.h"

static u32 sched_fifo_pick(struct ssdqos_flash *f,
			   const struct flash_chip *chip)
{
	u32 task, best = SSDQOS_NR_TASKS, best_age = 0;

	for (task = 0; task < SSDQOS_NR_TASKS; task++) {
		u32 age;

		if (flash_list_empty(&chip->queue[task]))
			continue;
		/* the order counter wraps, so compare distances from now */
		age = f->op_order - f->ops[chip->queue[task].head].order;
		if (best == SSDQOS_NR_TASKS || age > best_age) {
			best = task;
			best_age = age;
		}
	}
	return best;
}

const struct flash_sched_ops flash_sched_fifo = {
	.name = "fifo",
	.pick = sched_fifo_pick,
};
