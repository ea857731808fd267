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
 * goes over its share, and the host first (sched.c).
 */
#include "../tasks/tasks.h"

/* Operations of writing out that the fill level of the buffer allows. */
static bool press_buffer(const struct ssdqos_flash *f)
{
	u32 target = flash_buffer_target(f), used = f->buffer.nr_used;
	u64 slots = (u64)f->geo.nr_chips * f->chip_queue_depth;

	return used > target &&
	       (u64)f->task[SSDQOS_TASK_FLUSH].outstanding * target <
	       slots * (used - target);
}

/* Pages of the plane that the host can still program. */
static u32 press_room(const struct ssdqos_flash *f, const struct flash_plane *p)
{
	const struct flash_open *o = &p->open[FLASH_STREAM_HOST];
	u32 room = 0;

	if (o->block != SSDQOS_NIL)
		room = f->geo.pages_per_block - o->next_page;
	if (p->nr_free > FLASH_GC_RESERVE_BLOCKS)
		room += (p->nr_free - FLASH_GC_RESERVE_BLOCKS) *
			f->geo.pages_per_block;
	return room;
}

/* Is collection halfway from where it starts to the reserve? */
static bool press_behind(const struct ssdqos_flash *f)
{
	return 2 * f->nr_free <=
	       (f->gc_start + FLASH_GC_RESERVE_BLOCKS) * f->geo.nr_planes;
}

/* Is the plane short of room for the host? */
static bool press_space(const struct ssdqos_flash *f, u32 plane)
{
	u32 pages = f->geo.pages_per_block;

	if (!press_behind(f))
		pages /= 2;
	return press_room(f, &f->planes[plane]) <= pages;
}

/* Does a request wait for the task, whatever chip it works on? */
bool flash_task_presses(const struct ssdqos_flash *f, u32 task)
{
	switch (task) {
	case SSDQOS_TASK_HOST:
		return true;
	case SSDQOS_TASK_MAP:
		return f->map.nr_wanted;
	case SSDQOS_TASK_FLUSH:
		return flash_buffer_is_awaited(f) || press_buffer(f);
	case SSDQOS_TASK_GC:
		return flash_gc_blocks(f);
	default:
		return false;
	}
}

/* Does a request wait for what the task would do next on the chip? */
bool flash_op_presses(const struct ssdqos_flash *f,
		      const struct flash_chip *chip, u32 task)
{
	if (flash_task_presses(f, task))
		return true;
	return task == SSDQOS_TASK_GC &&
	       press_space(f, f->ops[chip->queue[task].head].plane);
}
