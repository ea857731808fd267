// SPDX-License-Identifier: GPL-2.0
/*
 * blank.c - a drive that was never written, and one that is at rest
 */
#include "life.h"

static void flash_blank_plane(struct ssdqos_flash *f, u32 plane)
{
	struct flash_plane *p = &f->planes[plane];
	u32 i, kind;

	flash_list_init(&p->free);
	p->nr_free = 0;
	for (i = 0; i < FLASH_NR_STREAMS; i++)
		p->open[i].block = SSDQOS_NIL;
	for (kind = 0; kind < FLASH_NR_KINDS; kind++) {
		for (i = 0; i <= flash_kind_units(&f->geo, kind); i++)
			p->bucket[kind][i] = SSDQOS_NIL;
		p->min_valid[kind] = flash_kind_units(&f->geo, kind);
		p->look_below[kind] = FLASH_LOOK_EMPTY;
	}
	p->next_found = FLASH_NOT_FOUND;
	memset(p->mover, 0, sizeof(p->mover));
	p->erase_empty = false;
	p->read_max_block = SSDQOS_NIL;
	p->wear_credit = 0;
}

/* All of a drive that was never written but its map, which takes longest. */
void flash_blank_blocks(struct ssdqos_flash *f)
{
	u32 i;

	f->mapped = 0;
	f->nr_free = 0;
	f->gc_active = false;
	f->rest.busy = false;
	f->burst.nr_collecting = 0;
	memset(f->run, 0, sizeof(f->run));
	f->last_run = 0;
	for (i = 0; i < f->geo.nr_planes; i++)
		flash_blank_plane(f, i);
	for (i = 0; i < f->geo.nr_blocks; i++) {
		memset(&f->blocks[i], 0, sizeof(f->blocks[i]));
		f->blocks[i].plane = (u16)(i / f->geo.blocks_per_plane);
		flash_block_free_push(f, i);
	}
	f->nr_free_min = f->nr_free;
	flash_shifts_clear(f);
	flash_buffer_clear(f);
	flash_verify_clear(f);
}

/* A drive that was never written: no operation may be under way. */
void flash_blank(struct ssdqos_flash *f)
{
	memset(f->l2p, 0xff, (u64)f->geo.nr_all * sizeof(u32));
	memset(f->p2l, 0xff, (u64)f->geo.nr_psn * sizeof(u32));
	flash_blank_blocks(f);
}

/* The blocks are what they are now: find what scrubbing, wear levelling and
 * shifting go by.
 */
void flash_survey(struct ssdqos_flash *f)
{
	flash_wear_survey(f);
	flash_scrub_survey(f);
	flash_shift_survey(f);
}

/**
 * ssdqos_flash_idle - has the drive nothing to do?
 * @f: the drive
 *
 * Return: true if no event is pending and no request is inside.  Units may
 * still be in the write buffer.
 */
bool ssdqos_flash_idle(const struct ssdqos_flash *f)
{
	return ssdqos_evq_next_ns(&f->evq) == SSDQOS_NEVER_NS &&
	       !f->read_wait.head && !f->write_wait.head &&
	       !f->trim_wait.head && !f->flush_wait.head && !f->ram_head &&
	       flash_mapcache_idle(f);
}
