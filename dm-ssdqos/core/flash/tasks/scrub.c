// SPDX-License-Identifier: GPL-2.0
/*
 * scrub.c - read scrubbing (AutoSSD, section 4.2)
 *
 * Reading a block disturbs its neighbours' cells, so data that is read very
 * often has to be written anew.  A plane is scrubbed from the moment when a
 * closed block was read more than scrub_start_reads times since its erase,
 * until no block was read more than scrub_stop_reads times; the block with the
 * most reads goes first.
 *
 * The most-read block is known without a search: a read compares its block
 * with the plane's maximum.  Only when that block has left is the plane looked
 * through.
 */
#include "tasks.h"

/* Look through the plane; O(its blocks), once for each block that was the most
 * read one and has been erased.
 */
static void scrub_survey_plane(struct ssdqos_flash *f, u32 plane)
{
	struct flash_plane *p = &f->planes[plane];
	u32 i = plane * f->geo.blocks_per_plane;
	u32 end = i + f->geo.blocks_per_plane;

	p->read_max_block = SSDQOS_NIL;
	p->read_max_stale = false;
	for (; i < end; i++)
		if (f->blocks[i].state == FLASH_BLOCK_CLOSED &&
		    (p->read_max_block == SSDQOS_NIL ||
		     f->blocks[i].read_count >
		     f->blocks[p->read_max_block].read_count))
			p->read_max_block = i;
}

/* Most reads of a closed block of a plane. */
u32 flash_scrub_max(struct ssdqos_flash *f, u32 plane)
{
	struct flash_plane *p = &f->planes[plane];
	u32 block = p->read_max_block;

	if (p->read_max_stale || block == SSDQOS_NIL ||
	    f->blocks[block].state != FLASH_BLOCK_CLOSED)
		scrub_survey_plane(f, plane);
	block = p->read_max_block;
	return block == SSDQOS_NIL ? 0 : f->blocks[block].read_count;
}

static void scrub_begin(struct ssdqos_flash *f, u32 plane)
{
	u32 victim = f->planes[plane].read_max_block;

	flash_mover_log(f, SSDQOS_FLASH_EV_SCRUB_VICTIM_CHOSEN,
			SSDQOS_TASK_SCRUB, plane, victim,
			f->blocks[victim].valid);
	f->stats.scrub_blocks++;
	flash_mover_begin(f, plane, SSDQOS_TASK_SCRUB, victim);
}

/* Scrub on if a block was read more than @above times and there is room. */
static void scrub_seek(struct ssdqos_flash *f, u32 plane, u64 above)
{
	struct flash_mover *m = flash_mover(f, plane, SSDQOS_TASK_SCRUB);

	m->state = FLASH_MOVER_OFF;
	/* with a whole block to spare, so that it rarely gives up halfway */
	if (f->cfg.scrub_start_reads && !f->rest.on &&
	    f->planes[plane].nr_free > FLASH_GC_RESERVE_BLOCKS &&
	    flash_scrub_max(f, plane) > above && flash_turn_take(f, plane))
		scrub_begin(f, plane);
}

static void scrub_next(struct ssdqos_flash *f, u32 plane)
{
	scrub_seek(f, plane, f->cfg.scrub_stop_reads);
}

/* A block may have been read too often, or there may be room for what has. */
void flash_scrub_check(struct ssdqos_flash *f, u32 plane)
{
	if (flash_mover(f, plane, SSDQOS_TASK_SCRUB)->state == FLASH_MOVER_OFF)
		scrub_seek(f, plane, f->cfg.scrub_start_reads);
}

/* The blocks' reads were set: find the most read ones. */
void flash_scrub_survey(struct ssdqos_flash *f)
{
	u32 i;

	for (i = 0; i < f->geo.nr_planes; i++)
		scrub_survey_plane(f, i);
}

/* A page of a block was read. */
void flash_scrub_note(struct ssdqos_flash *f, u32 block)
{
	struct flash_block *b = &f->blocks[block];
	struct flash_plane *p = &f->planes[b->plane];

	b->read_count++;
	if (b->state != FLASH_BLOCK_CLOSED || p->read_max_stale)
		return;
	if (p->read_max_block == SSDQOS_NIL ||
	    b->read_count > f->blocks[p->read_max_block].read_count)
		p->read_max_block = block;
	if (unlikely(f->cfg.scrub_start_reads &&
		     b->read_count > f->cfg.scrub_start_reads))
		flash_scrub_check(f, b->plane);
}

static u32 scrub_share_error(struct ssdqos_flash *f)
{
	u64 target = f->cfg.scrub_target ? f->cfg.scrub_target :
					   f->cfg.scrub_start_reads;
	u32 i, most = 0;

	if (!f->cfg.scrub_start_reads)
		return 0;
	for (i = 0; i < f->geo.nr_planes; i++)
		most = max(most, flash_scrub_max(f, i));
	return flash_share_above(most, target);
}

static void scrub_moved(struct ssdqos_flash *f, u32 kind, u32 nr_units)
{
	if (kind != SSDQOS_NAND_READ)
		f->stats.scrub_moved_units += nr_units;
}

const struct flash_task_ops flash_scrub_task = {
	.op_done = flash_mover_op_done,
	.share_error = scrub_share_error,
	.next = scrub_next,
	.moved = scrub_moved,
};
