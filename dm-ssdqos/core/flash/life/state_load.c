// SPDX-License-Identifier: GPL-2.0
/*
 * state_load.c - load a saved state: look at everything before anything changes
 */
#include "life.h"
#include "../../engine/bits.h"

/* What lies further back would soon be in the future: ages are differences of u64. */
#define STATE_MAX_AGE_NS (~0ULL >> 1)

/* ---- look ---- */

static const char *state_check_header(const struct ssdqos_flash *f,
				      const struct state_header *h, u64 size)
{
	if (size < sizeof(*h) || h->magic != STATE_MAGIC ||
	    h->version != STATE_VERSION)
		return "it is not a state of this version";
	if (h->nr_lpn != f->geo.nr_lpn || h->nr_psn != f->geo.nr_psn ||
	    h->nr_blocks != f->geo.nr_blocks ||
	    h->nr_planes != f->geo.nr_planes ||
	    h->nr_all != f->geo.nr_all || h->nr_chips != f->geo.nr_chips ||
	    h->block_shift != f->geo.block_shift ||
	    h->page_shift != f->geo.page_shift)
		return "it belongs to a drive of another geometry";
	if (h->nr_buffered > f->buffer.nr_slots)
		return "it has more buffered units than the write buffer";
	if (h->nr_cached > f->map.nr_pages)
		return "it has more pages of the map than there are";
	if (h->bytes > size ||
	    h->bytes != flash_state_bytes(f, h->nr_buffered, h->nr_cached))
		return "it is cut short";
	if (h->checksum != flash_state_checksum(h) || h->rotor >= f->geo.nr_planes ||
	    h->map_rotor >= f->geo.nr_planes)
		return "its checksum is wrong";
	return NULL;
}

static const char *state_check_blocks(const struct ssdqos_flash *f,
				      const struct state_parts *p,
				      unsigned long *seen)
{
	u32 i;

	for (i = 0; i < f->geo.nr_blocks; i++) {
		const struct state_block *b = &p->blocks[i];
		u32 pages;

		if (p->order[i] >= f->geo.nr_blocks ||
		    !flash_bits_assign(seen, p->order[i], true))
			return "its list of blocks is broken";
		if (b->kind >= FLASH_NR_KINDS)
			return "a block's kind is broken";
		pages = flash_kind_pages(&f->geo, b->kind);
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
	u32 pages = flash_kind_pages(&f->geo, p->blocks[block].kind);

	if (next_page == pages)
		return true;
	return next_page < pages &&
	       p->blocks[block].state == FLASH_BLOCK_OPEN &&
	       p->blocks[block].done_pages == next_page;
}

/* Is it the open block of a stream before @s, too?  What that one has filled
 * may have been freed since, and be anybody's.
 */
static bool state_open_block_taken(const struct ssdqos_flash *f,
				   const struct state_plane *plane, u32 s)
{
	u32 other;

	for (other = 0; other < s; other++)
		if (plane->open_block[other] == plane->open_block[s] &&
		    plane->next_page[other] <
		    flash_block_pages(f, plane->open_block[other]))
			return true;
	return false;
}

/* Of a plane: at most one open block for each stream, each used by one, and the
 * block that only garbage collection may take.
 */
static const char *state_check_plane(const struct ssdqos_flash *f,
				     const struct state_parts *p, u32 plane)
{
	u32 first = plane * f->geo.blocks_per_plane, i, s;
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
		if (s >= f->geo.nr_streams || block >= f->geo.nr_blocks ||
		    f->blocks[block].plane != plane ||
		    !state_open_block_fits(f, p, block, next_page))
			return "an open block is broken";
		if (next_page == flash_block_pages(f, block))
			continue;
		if (state_open_block_taken(f, &p->planes[plane], s))
			return "an open block is broken";
		nr_open--;
	}
	if (nr_open)
		return "an open block is broken";
	return nr_free < FLASH_GC_RESERVE_BLOCKS ?
	       "a plane has no free block" : NULL;
}

/* Shares need no check: they are brought within their bounds. */
static const char *state_check_tasks(const struct ssdqos_flash *f,
				     const struct state_parts *p)
{
	u32 task, i;

	if (p->header->last_run >= FLASH_NR_RUNS)
		return "its runs of writes are broken";
	if (max(p->header->share_age_ns, p->header->host_age_ns) > STATE_MAX_AGE_NS)
		return "its times are broken";
	for (task = 0; task < SSDQOS_NR_TASKS; task++)
		if (p->header->next_chip[task] >= f->geo.nr_chips)
			return "a task's chip is broken";
	for (i = 0; i < f->geo.nr_planes; i++) {
		u32 block = p->planes[i].read_max_block;

		if (block != SSDQOS_NIL &&
		    (block >= f->geo.nr_blocks || f->blocks[block].plane != i))
			return "a plane's most-read block is broken";
	}
	return NULL;
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

/* May a logical unit be in a plane?  Which of its group says by how much its stripe is
 * shifted.
 */
static bool state_plane_fits(const struct ssdqos_flash *f, u32 lpn, u32 plane)
{
	u32 wanted;

	if (f->cfg.allocation != SSDQOS_FLASH_STATIC || lpn >= f->geo.map_lpn)
		return true;
	wanted = f->layout->list_of(f, lpn);
	if (f->shifts.of_stripe)
		return plane / f->geo.stripe_units == wanted / f->geo.stripe_units;
	return plane == wanted;
}

/* Is this a programmed unit, in a plane where the logical unit may be? */
static bool state_unit_fits(const struct ssdqos_flash *f,
			    const struct state_parts *p, u32 lpn, u32 at)
{
	u32 block;

	if (at >= f->geo.nr_psn)
		return false;
	block = flash_block_of(f, at);
	return flash_page_of(f, at) < p->blocks[block].done_pages &&
	       state_plane_fits(f, lpn, f->blocks[block].plane);
}

/* Where stripes are held, a unit of data has its parity in the buffer, too. */
static bool state_lacks_parity(const struct ssdqos_flash *f,
			       const struct state_parts *p, u32 lpn)
{
	return flash_holds_stripes(f) && lpn < f->geo.parity_lpn &&
	       p->l2p[f->layout->partner(f, lpn)] != STATE_BUFFERED;
}

static const char *state_check_buffered(const struct ssdqos_flash *f,
					const struct state_parts *p,
					unsigned long *seen)
{
	u32 i, lpn, nr = p->header->nr_buffered;

	for (i = 0; i < p->header->nr_buffered; i++) {
		lpn = p->buffered[i];
		if (lpn >= f->geo.map_lpn || p->l2p[lpn] != STATE_BUFFERED ||
		    !flash_bits_assign(seen, lpn, true))
			return "its list of buffered units is broken";
		nr += state_lacks_parity(f, p, lpn);
	}
	return nr > f->buffer.nr_slots ?
	       "it has more buffered units than the write buffer" : NULL;
}

static const char *state_check_cached(const struct ssdqos_flash *f,
				      const struct state_parts *p,
				      unsigned long *seen)
{
	u32 i, page, nr_frames = 0;

	for (i = 0; i < p->header->nr_cached; i++) {
		page = p->cached[i] & STATE_PAGE;
		if (page >= f->map.nr_pages ||
		    !flash_bits_assign(seen, page, true))
			return "its list of pages of the map is broken";
		nr_frames += !(p->cached[i] & STATE_DEFERRED);
	}
	return nr_frames > f->map.nr_frames ?
	       "it has more pages of the map in memory than map_cache_kib" :
	       NULL;
}

static const char *state_check_map(const struct ssdqos_flash *f,
				   const struct state_parts *p,
				   unsigned long *seen)
{
	u32 lpn, nr_buffered = 0;

	for (lpn = 0; lpn < f->geo.nr_all; lpn++) {
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
	u32 bits = max(f->geo.nr_psn, f->geo.nr_all);
	unsigned long *seen;
	const char *why;

	seen = ssdqos_env_alloc((u64)flash_bits_words(bits) * sizeof(long));
	if (!seen)
		return "no memory to check it";
	why = state_check_blocks(f, p, seen);
	if (!why)
		why = state_check_planes(f, p);
	if (!why)
		why = state_check_tasks(f, p);
	if (!why) {
		memset(seen, 0, (u64)flash_bits_words(bits) * sizeof(long));
		why = state_check_map(f, p, seen);
	}
	if (!why) {
		memset(seen, 0, (u64)flash_bits_words(bits) * sizeof(long));
		why = state_check_buffered(f, p, seen);
	}
	if (!why) {
		memset(seen, 0, (u64)flash_bits_words(bits) * sizeof(long));
		why = state_check_cached(f, p, seen);
	}
	ssdqos_env_free(seen);
	return why;
}

/* ---- apply ---- */

static void state_load_map(struct ssdqos_flash *f, const struct state_parts *p)
{
	u32 lpn, i;

	for (lpn = 0; lpn < f->geo.nr_all; lpn++) {
		u32 at = p->l2p[lpn];

		if (at == FLASH_UNMAPPED || at == STATE_BUFFERED)
			continue;
		flash_map_place(f, lpn, at);
		if (lpn < f->geo.map_lpn)
			flash_shift_learn(f, lpn, flash_plane_of(f, at));
		f->mapped += lpn < f->geo.nr_lpn;
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
		b->kind = (u8)p->blocks[i].kind;
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
		flash_gc_restore(f, i, p->planes[i].seeking);
		plane->erase_empty = p->planes[i].erase_empty;
		plane->read_max_block = p->planes[i].read_max_block;
		plane->pe_min_hint = p->planes[i].pe_min_hint;
		plane->wear_credit = p->planes[i].wear_credit;
		flash_buffer_plane_changed(f, i);
	}
	f->buffer.rotor = p->header->rotor;
}

/* No write will start collection in a plane without room; a sound state has no victim there.
 * With one plane all others may begin, so they have to be what they were.
 */
static void state_begin_collection(struct ssdqos_flash *f)
{
	u32 i;

	for (i = 0; i < f->geo.nr_planes; i++)
		if (f->planes[i].nr_free <= FLASH_GC_RESERVE_BLOCKS)
			flash_gc_check(f, i);
}

static void state_load_cached(struct ssdqos_flash *f,
			      const struct state_parts *p)
{
	u32 i;

	flash_mapcache_empty(f);
	for (i = 0; i < p->header->nr_cached; i++) {
		u32 page = p->cached[i] & STATE_PAGE;

		if (p->cached[i] & STATE_DEFERRED)
			flash_mapcache_restore_deferred(f, page);
		else
			flash_mapcache_restore(f, page,
					       p->cached[i] & STATE_DIRTY);
	}
	f->map.rotor = p->header->map_rotor;
	flash_mapcache_restore_credit(f, p->header->map_credit);
}

static void state_load_tasks(struct ssdqos_flash *f,
			     const struct state_parts *p)
{
	u32 task, i;

	/* wraps below zero on a younger drive, and back in use */
	f->share_step_ns = f->now_ns - p->header->share_age_ns;
	f->host_ns = f->now_ns - p->header->host_age_ns;
	for (task = 0; task < SSDQOS_NR_TASKS; task++) {
		f->task[task].share_ppm = min(p->header->share_ppm[task],
					      FLASH_PPM);
		f->task[task].next_chip = p->header->next_chip[task];
		for (i = 0; i < f->geo.nr_chips; i++) {
			f->chips[i].vnow = 0;
			f->chips[i].vtime[task] = p->chips[i].vtime[task];
		}
	}
	flash_share_tune(f);
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
		flash_state_split(f, buf, &p);
		why = state_check(f, &p);
	}
	if (why) {
		scnprintf(err, err_size, "load: can't take the state: %s", why);
		return -EBADMSG;
	}
	flash_blank(f);
	state_load_map(f, &p);
	state_load_blocks(f, &p);
	flash_survey(f);
	state_load_cached(f, &p);
	f->gc_active = p.header->gc_active;
	f->last_run = p.header->last_run;
	memcpy(f->run, p.header->run, sizeof(f->run));
	state_load_planes(f, &p);
	state_begin_collection(f);
	state_load_tasks(f, &p);
	f->nr_free_min = f->nr_free;
	f->rng = p.header->rng;
	return 0;
}
