// SPDX-License-Identifier: GPL-2.0
/*
 * state.c - save and load what a drive has become
 *
 * A saved state is the map, the blocks (state, wear, age, order in their
 * lists), the open blocks, the units in the write buffer and the random
 * generator; it belongs to one geometry.  A drive that loads it behaves as
 * the one that saved it, request for request.  Counters and parameters are
 * not part of it.  Numbers are in the machine's byte order, with a checksum.
 *
 *	header | l2p[nr_lpn] | blocks[nr_blocks] | order[nr_blocks]
 *	       | planes[nr_planes] | buffered lpns, oldest first
 *
 * order[] names each block once: the free ones as in their free lists, the
 * closed ones as in their bucket rings, then the rest.
 */
#include "internal.h"
#include "bits.h"

#define STATE_MAGIC	0x31534f5144535344ULL	/* "DSSDQOS1" */
#define STATE_VERSION	1
#define STATE_BUFFERED	FLASH_IN_BUFFER		/* l2p: see the list */

struct state_header {
	u64 magic;
	u64 bytes;
	u64 checksum;		/* of all words behind this one */
	u32 version;
	u32 nr_lpn;
	u32 nr_psn;
	u32 nr_blocks;
	u32 nr_planes;
	u32 block_shift;
	u32 page_shift;
	u32 nr_buffered;
	u32 rotor;
	u32 reserved;
	struct ssdqos_rng rng;
};

struct state_block {
	u64 age_ns;
	u32 pe_cycles;
	u32 read_count;
	u32 done_pages;
	u32 state;
};

struct state_plane {
	u32 open_block[FLASH_NR_STREAMS];
	u32 next_page[FLASH_NR_STREAMS];
	u32 seeking;
	u32 erase_empty;
};

/* The parts of a state in memory. */
struct state_parts {
	struct state_header *header;
	u32 *l2p;
	struct state_block *blocks;
	u32 *order;
	struct state_plane *planes;
	u32 *buffered;
};

static u64 state_bytes(const struct ssdqos_flash *f, u32 nr_buffered)
{
	u64 bytes = sizeof(struct state_header) +
		    (u64)f->geo.nr_blocks * (sizeof(struct state_block) + 4) +
		    (u64)f->geo.nr_planes * sizeof(struct state_plane) +
		    ((u64)f->geo.nr_lpn + nr_buffered) * sizeof(u32);

	return (bytes + 7) & ~7ULL;
}

static void state_split(const struct ssdqos_flash *f, const void *buf,
			struct state_parts *p)
{
	p->header = (struct state_header *)buf;
	p->blocks = (struct state_block *)(p->header + 1);
	p->planes = (struct state_plane *)(p->blocks + f->geo.nr_blocks);
	p->order = (u32 *)(p->planes + f->geo.nr_planes);
	p->l2p = p->order + f->geo.nr_blocks;
	p->buffered = p->l2p + f->geo.nr_lpn;
}

/* FNV-1a over 64-bit words: finds accidents, not forgery. */
static u64 state_checksum(const struct state_header *h)
{
	const u64 *word = (const u64 *)h;
	u64 hash = 0xcbf29ce484222325ULL, i;

	for (i = 3; i < h->bytes / sizeof(u64); i++)
		hash = (hash ^ word[i]) * 0x100000001b3ULL;
	return hash;
}

/* ---- save ---- */

static void state_save_order(const struct ssdqos_flash *f, u32 *order)
{
	u32 plane, valid, block, i, n = 0;

	for (plane = 0; plane < f->geo.nr_planes; plane++) {
		const struct flash_plane *p = &f->planes[plane];

		for (block = p->free.head; block != SSDQOS_NIL;
		     block = f->blocks[block].next)
			order[n++] = block;
		for (valid = 0; valid <= flash_units_per_block(f); valid++) {
			block = p->bucket[valid];
			if (block == SSDQOS_NIL)
				continue;
			do {
				order[n++] = block;
				block = f->blocks[block].next;
			} while (block != p->bucket[valid]);
		}
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
		out[i].seeking = p->gc.state == FLASH_GC_SEEKING;
		out[i].erase_empty = p->gc.erase_empty;
	}
}

static void state_save_map(const struct ssdqos_flash *f, u32 *l2p,
			   u32 *buffered)
{
	u32 lpn, s, n = 0;

	for (lpn = 0; lpn < f->geo.nr_lpn; lpn++) {
		u32 at = f->l2p[lpn];

		l2p[lpn] = at != FLASH_UNMAPPED && at & FLASH_IN_BUFFER ?
			   STATE_BUFFERED : at;
	}
	for (s = f->buffer.oldest; s != SSDQOS_NIL; s = f->buffer.slot[s].newer)
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
	return state_bytes(f, f->buffer.nr_used);
}

/**
 * ssdqos_flash_state_bytes_max - largest size of a saved state
 * @f: the drive
 *
 * Return: bytes of a state whose write buffer is full.
 */
u64 ssdqos_flash_state_bytes_max(const struct ssdqos_flash *f)
{
	return state_bytes(f, f->buffer.nr_slots);
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
	state_split(f, buf, &p);
	*p.header = (struct state_header) {
		.magic = STATE_MAGIC,
		.bytes = ssdqos_flash_state_bytes(f),
		.version = STATE_VERSION,
		.nr_lpn = f->geo.nr_lpn,
		.nr_psn = f->geo.nr_psn,
		.nr_blocks = f->geo.nr_blocks,
		.nr_planes = f->geo.nr_planes,
		.block_shift = f->geo.block_shift,
		.page_shift = f->geo.page_shift,
		.nr_buffered = f->buffer.nr_used,
		.rotor = f->buffer.rotor,
		.rng = f->rng,
	};
	state_save_blocks(f, p.blocks);
	state_save_planes(f, p.planes);
	state_save_order(f, p.order);
	state_save_map(f, p.l2p, p.buffered);
	p.header->checksum = state_checksum(p.header);
	return 0;
}

/* ---- load: look at everything before anything changes ---- */

static const char *state_check_header(const struct ssdqos_flash *f,
				      const struct state_header *h, u64 size)
{
	if (size < sizeof(*h) || h->magic != STATE_MAGIC ||
	    h->version != STATE_VERSION)
		return "it is not a state of this version";
	if (h->nr_lpn != f->geo.nr_lpn || h->nr_psn != f->geo.nr_psn ||
	    h->nr_blocks != f->geo.nr_blocks ||
	    h->nr_planes != f->geo.nr_planes ||
	    h->block_shift != f->geo.block_shift ||
	    h->page_shift != f->geo.page_shift)
		return "it belongs to a drive of another geometry";
	if (h->nr_buffered > f->buffer.nr_slots)
		return "it has more buffered units than the write buffer";
	if (h->bytes > size || h->bytes != state_bytes(f, h->nr_buffered))
		return "it is cut short";
	if (h->checksum != state_checksum(h) || h->rotor >= f->geo.nr_planes)
		return "its checksum is wrong";
	return NULL;
}

static const char *state_check_blocks(const struct ssdqos_flash *f,
				      const struct state_parts *p,
				      unsigned long *seen)
{
	u32 i, pages = f->geo.pages_per_block;

	for (i = 0; i < f->geo.nr_blocks; i++) {
		const struct state_block *b = &p->blocks[i];

		if (p->order[i] >= f->geo.nr_blocks ||
		    !flash_bits_assign(seen, p->order[i], true))
			return "its list of blocks is broken";
		if (b->state > FLASH_BLOCK_CLOSED || b->done_pages > pages ||
		    (b->state == FLASH_BLOCK_FREE && b->done_pages) ||
		    (b->state == FLASH_BLOCK_CLOSED && b->done_pages < pages))
			return "a block's state is broken";
	}
	return NULL;
}

/* A block whose last page was taken is closed as far as others see it. */
static bool state_open_block_fits(const struct ssdqos_flash *f,
				  const struct state_parts *p, u32 block,
				  u32 next_page)
{
	if (next_page == f->geo.pages_per_block)
		return true;
	return next_page < f->geo.pages_per_block &&
	       p->blocks[block].state == FLASH_BLOCK_OPEN &&
	       p->blocks[block].done_pages == next_page;
}

/* Of a plane: at most two open blocks, each used by one stream, and the block
 * that only garbage collection may take.
 */
static const char *state_check_plane(const struct ssdqos_flash *f,
				     const struct state_parts *p, u32 plane)
{
	u32 first = plane * f->geo.blocks_per_plane, i, s, last = SSDQOS_NIL;
	u32 nr_open = 0, nr_free = 0;

	for (i = first; i < first + f->geo.blocks_per_plane; i++) {
		nr_open += p->blocks[i].state == FLASH_BLOCK_OPEN;
		nr_free += p->blocks[i].state == FLASH_BLOCK_FREE;
	}
	for (s = 0; s < FLASH_NR_STREAMS; s++) {
		u32 block = p->planes[plane].open_block[s];
		u32 next_page = p->planes[plane].next_page[s];

		if (block == SSDQOS_NIL)
			continue;
		if (block >= f->geo.nr_blocks ||
		    f->blocks[block].plane != plane ||
		    !state_open_block_fits(f, p, block, next_page))
			return "an open block is broken";
		if (next_page == f->geo.pages_per_block)
			continue;
		if (block == last)
			return "an open block is broken";
		last = block;
		nr_open--;
	}
	if (nr_open)
		return "an open block is broken";
	return nr_free < FLASH_GC_RESERVE_BLOCKS ?
	       "a plane has no free block" : NULL;
}

static const char *state_check_planes(const struct ssdqos_flash *f,
				      const struct state_parts *p)
{
	const char *why = NULL;
	u32 i;

	for (i = 0; i < f->geo.nr_planes && !why; i++)
		why = state_check_plane(f, p, i);
	return why;
}

/* Is this a programmed unit, in a plane where the logical unit may be? */
static bool state_unit_fits(const struct ssdqos_flash *f,
			    const struct state_parts *p, u32 lpn, u32 at)
{
	u32 block, unit;

	if (at >= f->geo.nr_psn)
		return false;
	block = flash_block_of(f, at);
	unit = at - (block << f->geo.block_shift);
	return unit >> f->geo.page_shift < p->blocks[block].done_pages &&
	       (f->cfg.allocation != SSDQOS_FLASH_STATIC ||
		f->blocks[block].plane == f->alloc->list_of(f, lpn));
}

static const char *state_check_buffered(const struct ssdqos_flash *f,
					const struct state_parts *p,
					unsigned long *seen)
{
	u32 i, lpn;

	for (i = 0; i < p->header->nr_buffered; i++) {
		lpn = p->buffered[i];
		if (lpn >= f->geo.nr_lpn || p->l2p[lpn] != STATE_BUFFERED ||
		    !flash_bits_assign(seen, lpn, true))
			return "its list of buffered units is broken";
	}
	return NULL;
}

static const char *state_check_map(const struct ssdqos_flash *f,
				   const struct state_parts *p,
				   unsigned long *seen)
{
	u32 lpn, nr_buffered = 0;

	for (lpn = 0; lpn < f->geo.nr_lpn; lpn++) {
		u32 at = p->l2p[lpn];

		if (at == FLASH_UNMAPPED)
			continue;
		if (at == STATE_BUFFERED)
			nr_buffered++;
		else if (!state_unit_fits(f, p, lpn, at) ||
			 !flash_bits_assign(seen, at, true))
			return "its map is broken";
	}
	return nr_buffered == p->header->nr_buffered ?
	       NULL : "its list of buffered units is broken";
}

static const char *state_check(const struct ssdqos_flash *f,
			       const struct state_parts *p)
{
	u32 bits = max(f->geo.nr_psn, f->geo.nr_blocks);
	unsigned long *seen;
	const char *why;

	seen = ssdqos_env_alloc((u64)flash_bits_words(bits) * sizeof(long));
	if (!seen)
		return "no memory to check it";
	why = state_check_blocks(f, p, seen);
	if (!why)
		why = state_check_planes(f, p);
	if (!why) {
		memset(seen, 0, (u64)flash_bits_words(bits) * sizeof(long));
		why = state_check_map(f, p, seen);
	}
	if (!why) {
		memset(seen, 0, (u64)flash_bits_words(bits) * sizeof(long));
		why = state_check_buffered(f, p, seen);
	}
	ssdqos_env_free(seen);
	return why;
}

/* ---- load: apply ---- */

static void state_load_map(struct ssdqos_flash *f, const struct state_parts *p)
{
	u32 lpn, i;

	for (lpn = 0; lpn < f->geo.nr_lpn; lpn++) {
		u32 at = p->l2p[lpn];

		if (at == FLASH_UNMAPPED || at == STATE_BUFFERED)
			continue;
		f->l2p[lpn] = at;
		f->p2l[at] = lpn;
		f->blocks[flash_block_of(f, at)].valid++;
		f->mapped++;
	}
	for (i = 0; i < p->header->nr_buffered; i++)
		flash_buffer_restore(f, p->buffered[i]);
}

static void state_load_blocks(struct ssdqos_flash *f,
			      const struct state_parts *p)
{
	u32 i;

	flash_free_lists_clear(f);
	for (i = 0; i < f->geo.nr_blocks; i++) {
		struct flash_block *b = &f->blocks[i];

		/* wraps below zero on a younger drive, and back in use */
		b->change_ns = f->now_ns - p->blocks[i].age_ns;
		b->pe_cycles = p->blocks[i].pe_cycles;
		b->read_count = p->blocks[i].read_count;
		b->done_pages = (u16)p->blocks[i].done_pages;
		b->state = (u8)p->blocks[i].state;
	}
	for (i = 0; i < f->geo.nr_blocks; i++) {
		u32 block = p->order[i];

		if (f->blocks[block].state == FLASH_BLOCK_FREE)
			flash_block_free_push(f, block);
		else if (f->blocks[block].state == FLASH_BLOCK_CLOSED)
			flash_bucket_insert(f, block);
	}
}

static void state_load_planes(struct ssdqos_flash *f,
			      const struct state_parts *p)
{
	u32 i, s;

	for (i = 0; i < f->geo.nr_planes; i++) {
		struct flash_plane *plane = &f->planes[i];

		for (s = 0; s < FLASH_NR_STREAMS; s++) {
			plane->open[s].block = p->planes[i].open_block[s];
			plane->open[s].next_page = p->planes[i].next_page[s];
		}
		plane->gc.state = p->planes[i].seeking ? FLASH_GC_SEEKING :
							 FLASH_GC_OFF;
		plane->gc.erase_empty = p->planes[i].erase_empty;
		flash_buffer_plane_changed(f, i);
		/* no write will start it here; a sound state has no victim */
		if (plane->nr_free <= FLASH_GC_RESERVE_BLOCKS)
			flash_gc_check(f, i);
	}
	f->buffer.rotor = p->header->rotor;
}

/**
 * ssdqos_flash_load - replace a drive's state by a saved one
 * @f: the drive; idle, of the geometry of the drive that was saved
 * @buf: what ssdqos_flash_save() wrote, aligned to 8; it is not trusted
 * @size: its size
 * @err: gets one sentence on failure
 * @err_size: its size
 *
 * Context: may sleep.
 * Return: 0, -EBUSY if the drive is not idle, -EBADMSG if the state can't be
 * loaded; then nothing has changed.
 */
int ssdqos_flash_load(struct ssdqos_flash *f, const void *buf, u64 size,
		      char *err, u32 err_size)
{
	struct state_parts p;
	const char *why;

	if (!ssdqos_flash_idle(f)) {
		scnprintf(err, err_size, "load: the drive is not idle");
		return -EBUSY;
	}
	why = state_check_header(f, buf, size);
	if (!why) {
		state_split(f, buf, &p);
		why = state_check(f, &p);
	}
	if (why) {
		scnprintf(err, err_size, "load: can't take the state: %s", why);
		return -EBADMSG;
	}
	flash_blank(f);
	state_load_map(f, &p);
	state_load_blocks(f, &p);
	state_load_planes(f, &p);
	f->nr_free_min = f->nr_free;
	f->rng = p.header->rng;
	return 0;
}
