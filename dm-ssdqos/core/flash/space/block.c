// SPDX-License-Identifier: GPL-2.0
/*
 * block.c - the life of erase blocks: free, open, closed, victim, free
 *
 * Free blocks of a plane are a FIFO, which levels wear among them.  Closed
 * blocks hang in one ring for each number of valid units; a ring is ordered
 * by the time of the last change, so its first block is the one that has been
 * left alone for longest.  Moving a block between rings is O(1).
 *
 * Nobody above is called.  What others have to know is marked, and settled when the
 * event ends: a plane in which a block was erased, and one that has a closed block
 * with fewer valid units than somebody waits for.
 */
#include "space.h"

void flash_block_free_push(struct ssdqos_flash *f, u32 block)
{
	struct flash_plane *p = &f->planes[f->blocks[block].plane];

	f->blocks[block].next = SSDQOS_NIL;
	if (flash_list_empty(&p->free))
		p->free.head = block;
	else
		f->blocks[p->free.tail].next = block;
	p->free.tail = block;
	p->nr_free++;
	f->nr_free++;
}

static u32 block_free_pop(struct ssdqos_flash *f, struct flash_plane *p)
{
	u32 block = p->free.head;

	p->free.head = f->blocks[block].next;
	p->nr_free--;
	f->nr_free--;
	if (f->nr_free < f->nr_free_min)
		f->nr_free_min = f->nr_free;
	return block;
}

/* Has a stream a block in which pages are left? */
static bool block_is_open(const struct ssdqos_flash *f,
			  const struct flash_open *o)
{
	return o->block != SSDQOS_NIL &&
	       o->next_page < flash_block_pages(f, o->block);
}

/* Can the stream program one more page in this plane? */
bool flash_block_has_space(const struct ssdqos_flash *f,
			   const struct flash_plane *p,
			   enum flash_stream stream)
{
	u32 reserve = flash_streams[stream].takes_reserve ?
		      0 : FLASH_GC_RESERVE_BLOCKS;

	if (block_is_open(f, &p->open[stream]))
		return true;
	return p->nr_free > reserve;
}

/* Can a stream for moved data program a page that garbage collection will
 * not miss?  It needs at most what one whole free block holds.
 */
bool flash_block_has_spare(const struct ssdqos_flash *f,
			   const struct flash_plane *p)
{
	const struct flash_open *o = &p->open[FLASH_STREAM_GC];

	if (block_is_open(f, o))
		return p->nr_free >= FLASH_GC_RESERVE_BLOCKS;
	return p->nr_free > FLASH_GC_RESERVE_BLOCKS;
}

/* A free block is taken for a stream, and becomes of its kind. */
void flash_block_open(struct ssdqos_flash *f, u32 block, u32 stream)
{
	f->blocks[block].state = FLASH_BLOCK_OPEN;
	f->blocks[block].kind = flash_stream_kind(stream);
}

/* Take the stream's next page; it has space.  Returns its first unit, which is the
 * first of its block if a free block was taken.
 */
u32 flash_block_next_page(struct ssdqos_flash *f, u32 plane,
			  enum flash_stream stream)
{
	struct flash_plane *p = &f->planes[plane];
	struct flash_open *o = &p->open[stream];
	u32 psn;

	if (!block_is_open(f, o)) {
		o->block = block_free_pop(f, p);
		o->next_page = 0;
		flash_block_open(f, o->block, stream);
	}
	psn = flash_block_first(f, o->block) +
	      (o->next_page++ << f->geo.page_shift);
	return psn;
}

/* A page of an open block was programmed; the last one closes the block. */
void flash_block_page_done(struct ssdqos_flash *f, u32 psn)
{
	u32 block = flash_block_of(f, psn);
	struct flash_block *b = &f->blocks[block];
	struct flash_plane *p = &f->planes[b->plane];

	if (++b->done_pages < flash_block_pages(f, block))
		return;
	b->change_ns = f->now_ns;
	p->pe_min_hint = min(p->pe_min_hint, b->pe_cycles);
	flash_block_close(f, block);
}

/* Does somebody wait for a closed block with as few valid units? */
void flash_block_look(struct ssdqos_flash *f, u32 block)
{
	const struct flash_block *b = &f->blocks[block];
	struct flash_plane *p = &f->planes[b->plane];

	if (b->valid >= p->look_below[flash_block_kind(f, block)] ||
	    p->next_found != FLASH_NOT_FOUND)
		return;
	p->next_found = SSDQOS_NIL;
	if (flash_list_empty(&f->marks.found))
		f->marks.found.head = b->plane;
	else
		f->planes[f->marks.found.tail].next_found = b->plane;
	f->marks.found.tail = b->plane;
	f->marks.any = true;
}

/* A full block, which may be collected from now on. */
void flash_block_close(struct ssdqos_flash *f, u32 block)
{
	struct flash_block *b = &f->blocks[block];
	struct flash_plane *p = &f->planes[b->plane];

	b->state = FLASH_BLOCK_CLOSED;
	if (p->read_max_block == SSDQOS_NIL ||
	    b->read_count > f->blocks[p->read_max_block].read_count)
		p->read_max_block = block;
	flash_bucket_insert(f, block);
	flash_block_look(f, block);
}

void flash_block_erased(struct ssdqos_flash *f, u32 block)
{
	struct flash_block *b = &f->blocks[block];
	struct flash_plane *p = &f->planes[b->plane];

	if (p->read_max_block == block)
		p->read_max_stale = true;
	p->pe_max = max(p->pe_max, b->pe_cycles + 1);
	b->state = FLASH_BLOCK_FREE;
	b->pe_cycles++;
	b->read_count = 0;
	b->done_pages = 0;
	flash_block_free_push(f, block);
	flash_shift_erased(f, b->plane);
	f->marks.erased = b->plane;
	f->marks.any = true;
}

/* Take all blocks off the free lists, to put some of them back. */
void flash_free_lists_clear(struct ssdqos_flash *f)
{
	u32 i;

	for (i = 0; i < f->geo.nr_planes; i++) {
		flash_list_init(&f->planes[i].free);
		f->planes[i].nr_free = 0;
	}
	f->nr_free = 0;
}

void flash_bucket_insert(struct ssdqos_flash *f, u32 block)
{
	struct flash_block *b = &f->blocks[block];
	struct flash_plane *p = &f->planes[b->plane];
	u32 kind = flash_block_kind(f, block), first = p->bucket[kind][b->valid];

	if (first == SSDQOS_NIL) {
		p->bucket[kind][b->valid] = block;
		b->next = block;
		b->prev = block;
	} else {
		u32 last = f->blocks[first].prev;

		b->next = first;
		b->prev = last;
		f->blocks[last].next = block;
		f->blocks[first].prev = block;
	}
	if (b->valid < p->min_valid[kind])
		p->min_valid[kind] = b->valid;
}

void flash_bucket_remove(struct ssdqos_flash *f, u32 block)
{
	struct flash_block *b = &f->blocks[block];
	u32 *bucket = f->planes[b->plane].bucket[flash_block_kind(f, block)];

	if (b->next == block) {
		bucket[b->valid] = SSDQOS_NIL;
		return;
	}
	f->blocks[b->prev].next = b->next;
	f->blocks[b->next].prev = b->prev;
	if (bucket[b->valid] == block)
		bucket[b->valid] = b->next;
}
