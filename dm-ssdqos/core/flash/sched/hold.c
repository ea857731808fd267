// SPDX-License-Identifier: GPL-2.0
/*
 * hold.c - what the host can't use while a block is emptied (ttFlash, section 3)
 *
 * Emptying a block is a loop of commands.  A simple controller does nothing else until
 * the loop ends, a better one nothing else on the channel, and one that keeps
 * books of what each plane does blocks the plane only (section 4.1).  So while a
 * block of a plane is emptied, planes are *held*, by gc_blocking:
 *
 *	plane		the plane, or all of a chip that has one array
 *	channel		all planes of its channel
 *	controller	all planes
 *	preemptive	those of its channel if it has gc_hard_blocks free or fewer;
 *			else none, and the host goes before each copy (sched.h)
 *
 * Planes are numbered so that each of these is every n-th plane.
 *
 * Operations for the host that wait for a held plane are *parked* with it, in order,
 * and go back to the queue of their chip when it is held no more; those that the
 * chip was given before are done.  So between two blocks that are emptied the host
 * gets at least what the chips can take.
 */
#include "sched.h"

/* Every how manieth plane is held along with one; 0 is none at all. */
static u32 hold_step(const struct ssdqos_flash *f, const struct flash_plane *p)
{
	switch (f->cfg.gc_blocking) {
	case SSDQOS_FLASH_GC_BLOCKS_PLANE:
		return flash_chip_bound(f) ? f->geo.nr_chips : f->geo.nr_planes;
	case SSDQOS_FLASH_GC_BLOCKS_CHANNEL:
		return f->geo.channels;
	case SSDQOS_FLASH_GC_BLOCKS_CONTROLLER:
		return 1;
	case SSDQOS_FLASH_GC_BLOCKS_PREEMPTIVE:
		return p->nr_free <= f->cfg.gc_hard_blocks ? f->geo.channels : 0;
	default:
		return 0;
	}
}

/* Park what waits for the plane in the queues of its chip. */
static void hold_park_all(struct ssdqos_flash *f, u32 plane)
{
	u32 rest = f->chips[f->planes[plane].chip].tasks & FLASH_HOST_TASKS;

	for (; rest; rest &= rest - 1)
		flash_chip_park(f, plane, (u32)__ffs(rest));
}

static void hold_plane(struct ssdqos_flash *f, u32 plane, u32 by)
{
	struct flash_hold *h = &f->holds[plane];

	h->by = by;
	if (h->held++)
		return;
	f->nr_held++;
	hold_park_all(f, plane);
}

static void hold_release_plane(struct ssdqos_flash *f, u32 plane)
{
	struct flash_hold *h = &f->holds[plane];
	struct flash_list parked = h->parked;

	if (--h->held)
		return;
	f->nr_held--;
	flash_list_init(&h->parked);
	while (!flash_list_empty(&parked))
		flash_chip_unpark(f, flash_ops_pop(f, &parked));
}

/* A block of the plane begins to be emptied: planes that can't be used meanwhile. */
void flash_hold(struct ssdqos_flash *f, u32 plane)
{
	struct flash_hold *h = &f->holds[plane];
	u32 step, i;

	if (h->emptying++ || f->cfg.gc_ideal)
		return;
	step = hold_step(f, &f->planes[plane]);
	h->step = step;
	if (!step)
		return;
	for (i = plane % step; i < f->geo.nr_planes; i += step)
		hold_plane(f, i, plane);
}

/* It is empty, or was given up. */
void flash_hold_release(struct ssdqos_flash *f, u32 plane)
{
	struct flash_hold *h = &f->holds[plane];
	u32 step = h->step, i;

	if (--h->emptying || !step)
		return;
	h->step = 0;
	for (i = plane % step; i < f->geo.nr_planes; i += step)
		hold_release_plane(f, i);
}

/* Nothing is held. */
int flash_holds_create(struct ssdqos_flash *f)
{
	u64 bytes = (u64)f->geo.nr_planes * sizeof(*f->holds);
	u32 i;

	f->holds = ssdqos_env_alloc(bytes);
	if (!f->holds)
		return -ENOMEM;
	f->memory_bytes += bytes;
	for (i = 0; i < f->geo.nr_planes; i++)
		flash_list_init(&f->holds[i].parked);
	return 0;
}

void flash_holds_destroy(struct ssdqos_flash *f)
{
	ssdqos_env_free(f->holds);
}
