// SPDX-License-Identifier: GPL-2.0
/*
 * page.c - pages to be programmed, and what tasks have to know of that at once
 *
 * Who takes a free block for a page, or closes one with it, goes on to use the plane.
 * What other tasks do about their planes comes before that, so it can't wait until
 * the event ends.
 */
#include "tasks.h"

static void page_tell_taken(struct ssdqos_flash *f, u32 plane)
{
	u32 task;

	for (task = 0; task < SSDQOS_NR_TASKS; task++)
		if (f->tasks[task]->block_taken)
			f->tasks[task]->block_taken(f, plane);
}

static void page_tell_found(struct ssdqos_flash *f, u32 plane)
{
	u32 task;

	for (task = 0; task < SSDQOS_NR_TASKS; task++)
		if (f->tasks[task]->block_found)
			f->tasks[task]->block_found(f, plane);
}

/* Tell who waits for them of blocks with few valid units. */
void flash_page_settle_found(struct ssdqos_flash *f)
{
	while (!flash_list_empty(&f->marks.found)) {
		u32 plane = f->marks.found.head;

		f->marks.found.head = f->planes[plane].next_found;
		f->planes[plane].next_found = FLASH_NOT_FOUND;
		page_tell_found(f, plane);
	}
}

/* Take the stream's next page; it has space.  Returns its first unit. */
u32 flash_page_take(struct ssdqos_flash *f, u32 plane, enum flash_stream stream)
{
	u32 psn = flash_block_next_page(f, plane, stream);

	if (psn == flash_block_first(f, flash_block_of(f, psn)))
		page_tell_taken(f, plane);
	return psn;
}

/* It was programmed. */
void flash_page_done(struct ssdqos_flash *f, u32 psn)
{
	flash_block_page_done(f, psn);
	flash_page_settle(f);
}
