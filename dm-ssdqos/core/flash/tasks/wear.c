// SPDX-License-Identifier: GPL-2.0
/*
 * wear.c - static wear levelling, by threshold
 *
 * Data that is never changed keeps its blocks young while the others age.
 * When a plane's most worn block has wear_start_cycles more program/erase
 * cycles than its least worn closed block, that one is emptied and joins the free
 * blocks, where what is written next will wear it.  One block at a time, and
 * one for every WEAR_ERASES blocks that others have erased in the plane: a gap
 * that is far too wide closes gradually, and an idle drive stays idle.
 *
 * The least worn block is looked for only when a lower bound of its cycles says
 * that the gap may be too wide.  A plane that is short of free blocks has more
 * urgent work.
 */
#include "tasks.h"

/* Levelling adds at most one erase to so many. */
#define WEAR_ERASES 2

/* Least worn closed block of a plane, SSDQOS_NIL if none; O(its blocks). */
static u32 wear_least_worn(struct ssdqos_flash *f, u32 plane)
{
	u32 i = plane * f->geo.blocks_per_plane, least = SSDQOS_NIL;
	u32 end = i + f->geo.blocks_per_plane;

	for (; i < end; i++)
		if (f->blocks[i].state == FLASH_BLOCK_CLOSED &&
		    (least == SSDQOS_NIL ||
		     f->blocks[i].pe_cycles < f->blocks[least].pe_cycles))
			least = i;
	return least;
}

/* Largest difference of cycles in a plane, or a little more. */
u32 flash_wear_spread(struct ssdqos_flash *f, u32 plane)
{
	const struct flash_plane *p = &f->planes[plane];

	return p->pe_max - min(p->pe_max, p->pe_min_hint);
}

static void wear_begin(struct ssdqos_flash *f, u32 plane, u32 victim)
{
	flash_mover_log(f, SSDQOS_FLASH_EV_WEAR_VICTIM_CHOSEN, SSDQOS_TASK_WEAR,
			plane, victim, f->blocks[victim].valid);
	f->planes[plane].wear_credit = 0;
	f->stats.wear_blocks++;
	flash_mover_begin(f, plane, SSDQOS_TASK_WEAR, victim);
}

/* A block was erased: is the gap too wide now? */
void flash_wear_check(struct ssdqos_flash *f, u32 plane)
{
	struct flash_plane *p = &f->planes[plane];
	u32 least;

	if (!f->cfg.wear_start_cycles || f->rest.on || p->wear_credit < WEAR_ERASES ||
	    flash_wear_spread(f, plane) <= f->cfg.wear_start_cycles ||
	    flash_mover(f, plane, SSDQOS_TASK_WEAR)->state != FLASH_MOVER_OFF ||
	    p->nr_free <= FLASH_GC_RESERVE_BLOCKS + 1)
		return;
	least = wear_least_worn(f, plane);
	if (least == SSDQOS_NIL)
		return;
	p->pe_min_hint = f->blocks[least].pe_cycles;
	if (flash_wear_spread(f, plane) > f->cfg.wear_start_cycles &&
	    flash_turn_take(f, plane))
		wear_begin(f, plane, least);
}

/* Another task has erased a block of the plane. */
static void wear_note(struct ssdqos_flash *f, u32 plane)
{
	struct flash_plane *p = &f->planes[plane];

	p->wear_credit = min_t(u32, p->wear_credit + 1, WEAR_ERASES);
}

/* The emptied block was erased. */
static void wear_next(struct ssdqos_flash *f, u32 plane)
{
	flash_mover(f, plane, SSDQOS_TASK_WEAR)->state = FLASH_MOVER_OFF;
}

/* The blocks' wear was set: find what the checks go by. */
void flash_wear_survey(struct ssdqos_flash *f)
{
	u32 i;

	for (i = 0; i < f->geo.nr_planes; i++) {
		f->planes[i].pe_max = 0;
		f->planes[i].pe_min_hint = SSDQOS_NIL;
	}
	for (i = 0; i < f->geo.nr_blocks; i++) {
		struct flash_plane *p = &f->planes[f->blocks[i].plane];

		p->pe_max = max(p->pe_max, f->blocks[i].pe_cycles);
		p->pe_min_hint = min(p->pe_min_hint, f->blocks[i].pe_cycles);
	}
}

static u32 wear_share_error(struct ssdqos_flash *f)
{
	u64 target = f->cfg.wear_target ? f->cfg.wear_target :
					  f->cfg.wear_start_cycles;
	u32 i, most = 0;

	if (!f->cfg.wear_start_cycles)
		return 0;
	for (i = 0; i < f->geo.nr_planes; i++)
		most = max(most, flash_wear_spread(f, i));
	return flash_share_above(most, target);
}

static void wear_moved(struct ssdqos_flash *f, u32 kind, u32 nr_units)
{
	if (kind != SSDQOS_NAND_READ)
		f->stats.wear_moved_units += nr_units;
}

const struct flash_task_ops flash_wear_task = {
	.op_done = flash_mover_op_done,
	.share_error = wear_share_error,
	.block_erased = wear_note,
	.next = wear_next,
	.moved = wear_moved,
};
