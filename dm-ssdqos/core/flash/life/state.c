// SPDX-License-Identifier: GPL-2.0
/*
 * state.c - save and load what a drive has become
 *
 * A saved state is the map, the blocks (state, wear, age, order in their
 * lists), the open blocks, the units in the write buffer, the pages of the map
 * in memory, shares, what the schedulers remember, and the random generator;
 * it belongs to one geometry.  A drive that loads it behaves as
 * the one that saved it, request for request; but with rain_flush stripes, it has lost what
 * its dirty stripes had replaced, and begins anew to write them out; and what the other
 * put off to come to rest begins when blocks are taken next.  Counters and
 * parameters are not part of it.  Numbers are in the machine's byte order, with a checksum.
 *
 *	header | chips[nr_chips] | blocks[nr_blocks] | planes[nr_planes]
 *	       | order[nr_blocks] | l2p[nr_all] | buffered lpns, oldest first
 *	       | pages of the map in memory or to be fetched, first in first out
 *
 * order[] names each block once: the free ones as in their free lists, the
 * closed ones as in their bucket rings, then the rest.
 */
#include "life.h"

u64 flash_state_bytes(const struct ssdqos_flash *f, u32 nr_buffered,
		      u32 nr_cached)
{
	u64 bytes = sizeof(struct state_header) +
		    (u64)f->geo.nr_chips * sizeof(struct state_chip) +
		    (u64)f->geo.nr_blocks * (sizeof(struct state_block) + 4) +
		    (u64)f->geo.nr_planes * sizeof(struct state_plane) +
		    ((u64)f->geo.nr_all + nr_buffered + nr_cached) *
		    sizeof(u32);

	return (bytes + 7) & ~7ULL;
}

/* Pages of the map that are not simply in flash. */
static u32 state_nr_cached(const struct ssdqos_flash *f)
{
	return f->map.nr_clean + f->map.nr_dirty + f->map.nr_deferred;
}

void flash_state_split(const struct ssdqos_flash *f, const void *buf,
		       struct state_parts *p)
{
	p->header = (struct state_header *)buf;
	p->chips = (struct state_chip *)(p->header + 1);
	p->blocks = (struct state_block *)(p->chips + f->geo.nr_chips);
	p->planes = (struct state_plane *)(p->blocks + f->geo.nr_blocks);
	p->order = (u32 *)(p->planes + f->geo.nr_planes);
	p->l2p = p->order + f->geo.nr_blocks;
	p->buffered = p->l2p + f->geo.nr_all;
	p->cached = p->buffered + p->header->nr_buffered;
}

/* FNV-1a over 64-bit words: finds accidents, not forgery. */
u64 flash_state_checksum(const struct state_header *h)
{
	const u64 *word = (const u64 *)h;
	u64 hash = 0xcbf29ce484222325ULL, i;

	for (i = 3; i < h->bytes / sizeof(u64); i++)
		hash = (hash ^ word[i]) * 0x100000001b3ULL;
	return hash;
}

/* The blocks of a ring, oldest first; gives how many are in the order now. */
static u32 state_save_ring(const struct ssdqos_flash *f, u32 first, u32 *order,
			   u32 n)
{
	u32 block = first;

	if (first == SSDQOS_NIL)
		return n;
	do {
		order[n++] = block;
		block = f->blocks[block].next;
	} while (block != first);
	return n;
}

static void state_save_order(const struct ssdqos_flash *f, u32 *order)
{
	u32 plane, kind, valid, block, i, n = 0;

	for (plane = 0; plane < f->geo.nr_planes; plane++) {
		const struct flash_plane *p = &f->planes[plane];

		for (block = p->free.head; block != SSDQOS_NIL;
		     block = f->blocks[block].next)
			order[n++] = block;
		for (kind = 0; kind < FLASH_NR_KINDS; kind++)
			for (valid = 0;
			     valid <= flash_kind_units(&f->geo, kind); valid++)
				n = state_save_ring(f, p->bucket[kind][valid],
						    order, n);
	}
	for (i = 0; i < f->geo.nr_blocks; i++)
		if (f->blocks[i].state == FLASH_BLOCK_OPEN)
			order[n++] = i;
}

static void state_save_blocks(const struct ssdqos_flash *f,
			      struct state_block *out)
{
	u32 i;

	for (i = 0; i < f->geo.nr_blocks; i++) {
		const struct flash_block *b = &f->blocks[i];

		out[i].age_ns = f->now_ns - b->change_ns;
		out[i].pe_cycles = b->pe_cycles;
		out[i].read_count = b->read_count;
		out[i].done_pages = b->done_pages;
		out[i].state = b->state;
		out[i].kind = b->kind;
	}
}

static void state_save_planes(const struct ssdqos_flash *f,
			      struct state_plane *out)
{
	u32 i, s;

	for (i = 0; i < f->geo.nr_planes; i++) {
		const struct flash_plane *p = &f->planes[i];

		for (s = 0; s < FLASH_NR_STREAMS; s++) {
			out[i].open_block[s] = p->open[s].block;
			out[i].next_page[s] = p->open[s].next_page;
		}
		out[i].seeking = p->mover[SSDQOS_TASK_GC - FLASH_FIRST_MOVER].state ==
				 FLASH_MOVER_SEEKING;
		out[i].erase_empty = p->erase_empty;
		out[i].read_max_block = p->read_max_block;
		out[i].pe_min_hint = p->pe_min_hint;
		out[i].wear_credit = p->wear_credit;
	}
}

static u32 state_save_list(const struct flash_map_cache *mc,
			   const struct flash_list *l, u32 flag, u32 *out)
{
	u32 i, n = 0;

	for (i = l->tail; i != SSDQOS_NIL; i = mc->page[i].prev)
		out[n++] = i | flag;
	return n;
}

static void state_save_cached(const struct ssdqos_flash *f, u32 *out)
{
	const struct flash_map_cache *mc = &f->map;

	if (!mc->page)
		return;
	out += state_save_list(mc, &mc->clean, 0, out);
	out += state_save_list(mc, &mc->dirty, STATE_DIRTY, out);
	state_save_list(mc, &mc->deferred, STATE_DEFERRED, out);
}

static void state_save_tasks(const struct ssdqos_flash *f,
			     struct state_parts *p)
{
	u32 task, i;

	p->header->share_age_ns = f->now_ns - f->share_step_ns;
	p->header->host_age_ns = f->now_ns - f->host_ns;
	for (task = 0; task < SSDQOS_NR_TASKS; task++) {
		p->header->share_ppm[task] = f->task[task].share_ppm;
		p->header->next_chip[task] = f->task[task].next_chip;
		for (i = 0; i < f->geo.nr_chips; i++) {
			const struct flash_chip *chip = &f->chips[i];

			p->chips[i].vtime[task] =
				max(chip->vtime[task], chip->vnow) - chip->vnow;
		}
	}
}

/* A unit that waits to be programmed may have been written again (evict.c). */
static bool state_is_newest(const struct ssdqos_flash *f, u32 slot)
{
	return f->l2p[f->buffer.slot[slot].lpn] == (FLASH_IN_BUFFER | slot);
}

static u32 state_nr_buffered(const struct ssdqos_flash *f)
{
	u32 s, n = 0;

	for (s = f->buffer.oldest; s != SSDQOS_NIL; s = f->buffer.slot[s].newer)
		n += state_is_newest(f, s);
	return n;
}

static void state_save_map(const struct ssdqos_flash *f, u32 *l2p,
			   u32 *buffered)
{
	u32 lpn, s, n = 0;

	for (lpn = 0; lpn < f->geo.nr_all; lpn++) {
		u32 at = f->l2p[lpn];

		l2p[lpn] = flash_at_in_buffer(at) ? STATE_BUFFERED : at;
	}
	for (s = f->buffer.oldest; s != SSDQOS_NIL; s = f->buffer.slot[s].newer)
		if (state_is_newest(f, s))
			buffered[n++] = f->buffer.slot[s].lpn;
}

/**
 * ssdqos_flash_state_bytes - size of a saved state
 * @f: the drive
 *
 * Return: bytes for ssdqos_flash_save(), as long as no request comes.
 */
u64 ssdqos_flash_state_bytes(const struct ssdqos_flash *f)
{
	return flash_state_bytes(f, state_nr_buffered(f), state_nr_cached(f));
}

/**
 * ssdqos_flash_state_bytes_max - largest size of a saved state
 * @f: the drive
 *
 * Return: bytes of a state whose write buffer and cache of the map are full.
 */
u64 ssdqos_flash_state_bytes_max(const struct ssdqos_flash *f)
{
	return flash_state_bytes(f, f->buffer.nr_slots, f->map.nr_pages);
}

/**
 * ssdqos_flash_save - write a drive's state to memory
 * @f: the drive; idle
 * @buf: gets the state, aligned to 8
 * @size: ssdqos_flash_state_bytes()
 *
 * Return: 0, -EBUSY if the drive is not idle, -ENOSPC if @size is too small.
 */
int ssdqos_flash_save(const struct ssdqos_flash *f, void *buf, u64 size)
{
	struct state_parts p;

	if (!ssdqos_flash_idle(f))
		return -EBUSY;
	if (size < ssdqos_flash_state_bytes(f))
		return -ENOSPC;
	memset(buf, 0, ssdqos_flash_state_bytes(f));
	*(struct state_header *)buf = (struct state_header) {
		.magic = STATE_MAGIC,
		.bytes = ssdqos_flash_state_bytes(f),
		.version = STATE_VERSION,
		.nr_lpn = f->geo.nr_lpn,
		.nr_psn = f->geo.nr_psn,
		.nr_blocks = f->geo.nr_blocks,
		.nr_planes = f->geo.nr_planes,
		.block_shift = f->geo.block_shift,
		.page_shift = f->geo.page_shift,
		.nr_buffered = state_nr_buffered(f),
		.rotor = f->buffer.rotor,
		.nr_all = f->geo.nr_all,
		.nr_chips = f->geo.nr_chips,
		.nr_cached = state_nr_cached(f),
		.map_rotor = f->map.rotor,
		.map_credit = f->map.credit,
		.gc_active = f->gc_active,
		.last_run = f->last_run,
		.rng = f->rng,
	};
	flash_state_split(f, buf, &p);
	state_save_blocks(f, p.blocks);
	state_save_planes(f, p.planes);
	state_save_order(f, p.order);
	state_save_map(f, p.l2p, p.buffered);
	state_save_cached(f, p.cached);
	state_save_tasks(f, &p);
	memcpy(p.header->run, f->run, sizeof(f->run));
	p.header->checksum = flash_state_checksum(p.header);
	return 0;
}
