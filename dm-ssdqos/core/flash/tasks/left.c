// SPDX-License-Identifier: GPL-2.0
/*
 * left.c - for how long a plane can't be read
 *
 * The controller made all the operations that a plane has before it, so it knows when
 * they will have ended (T_GCtoComplete of ttFlash, section 4.3).  In a plane that is
 * held that is what is left of the block that is being emptied; elsewhere reads
 * come between the copies, and wait for those that the plane was handed.
 *
 * Both are a little too long: what the present operation has done is not taken off.
 */
#include "tasks.h"

/* A page from one place to another. */
static u64 left_page_ns(const struct ssdqos_flash *f)
{
	u64 xfer_ns = f->timing.xfer_unit_ns[f->geo.units_per_page];

	return f->timing.read_ns + f->timing.program_ns +
	       (f->cfg.gc_copyback ? 0 : 2 * xfer_ns);
}

static u64 left_victim_ns(const struct ssdqos_flash *f, u32 block)
{
	u32 units = f->blocks[block].valid;
	u32 pages = (units + f->geo.units_per_page - 1) >> f->geo.page_shift;

	return pages * left_page_ns(f) + f->timing.erase_ns;
}

/* Until the movers of a plane have emptied their blocks. */
static u64 left_movers_ns(const struct ssdqos_flash *f, const struct flash_plane *p)
{
	u64 ns = 0;
	u32 i;

	for (i = 0; i < FLASH_NR_MOVERS; i++)
		if (p->mover[i].state == FLASH_MOVER_COPYING ||
		    p->mover[i].state == FLASH_MOVER_ERASING)
			ns += left_victim_ns(f, p->mover[i].victim);
	return ns;
}

/* Until a plane is held no more.  Planes of a chip that has one array may each hold all of it;
 * elsewhere one does at a time (turn.c).
 */
static u64 left_held_ns(const struct ssdqos_flash *f, u32 plane)
{
	u64 ns = left_movers_ns(f, &f->planes[f->holds[plane].by]);
	u32 i;

	if (!flash_chip_bound(f))
		return ns;
	for (i = f->planes[plane].chip; i < f->geo.nr_planes; i += f->geo.nr_chips)
		if (f->holds[i].step)
			ns = max(ns, left_movers_ns(f, &f->planes[i]));
	return ns;
}

/* Internal work that the array does now, and that waits for it. */
static u64 left_handed_ns(const struct ssdqos_flash *f, const struct flash_plane *p)
{
	u32 i = p->array_op;
	u64 ns = 0;

	if (i != SSDQOS_NIL && flash_task_moves(f->ops[i].task))
		ns = flash_array_ns(f, &f->ops[i]);
	for (i = p->wait.head; i != SSDQOS_NIL; i = f->ops[i].next)
		if (flash_task_moves(f->ops[i].task))
			ns += flash_array_ns(f, &f->ops[i]);
	return ns;
}

/* Time for which internal work keeps reads of a plane waiting, or its chip does if it
 * has one array.
 */
u64 flash_plane_left_ns(const struct ssdqos_flash *f, u32 plane)
{
	const struct flash_plane *p = &f->planes[plane];
	u64 ns = 0;
	u32 i;

	if (flash_plane_held(f, plane))
		return left_held_ns(f, plane);
	if (!flash_plane_internal(f, plane))
		return 0;
	if (!flash_chip_bound(f))
		return left_handed_ns(f, p);
	for (i = p->chip; i < f->geo.nr_planes; i += f->geo.nr_chips)
		ns += left_handed_ns(f, &f->planes[i]);
	return ns;
}
