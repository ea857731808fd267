// SPDX-License-Identifier: GPL-2.0
/*
 * mapcache.c - which pages of the map are in memory (AutoSSD, section 4.2)
 *
 * The map lies in flash in pages of 4 KiB with 1024 entries each; a cache of
 * map_cache_kib holds the ones in use.  The second level (where the pages lie)
 * is in memory.  A page of the map is a unit with a logical number behind those
 * of the host, so it is moved by garbage collection and aged like any other.
 *
 *	ABSENT -> [DEFERRED ->] WANTED -> FETCHING -> CACHED <-> WRITING
 *	  ^                                             |
 *	  +---------------------------------------------+ evicted, clean
 *
 * The model itself always knows the whole map; the cache decides when the
 * drive could have known it:
 *
 *  - a host read whose page is not CACHED waits for it, and nobody else does;
 *  - a program that has ended changes an entry: its page becomes dirty, and is
 *    fetched first where it is absent.  The task that programmed doesn't wait:
 *    the entry is kept until its page is there.
 *
 * Garbage collection never depends on the map, but the map may depend on it for
 * room.  Collecting changes the map, and writing the map makes garbage: with
 * little spare a drive would collect for its own map for ever.  So the map may
 * write MAP_CREDIT flash pages for each one that the host has written; beyond
 * that, absent pages that have merely changed stay DEFERRED, and pages are
 * written back only where requests wait for their frames.  DEFERRED pages also
 * wait for each other, so that a page is fetched and written for several changes.
 *
 * Replacement is LRU with clean pages first: a fetch takes the frame of the
 * least recently used clean page at once.  Dirty pages are written back, least
 * recently used first and a flash page full at a time, whenever fewer than an
 * eighth of the frames could be had at once.
 *
 * Written pages go to an open block of their own: they change more often than any
 * data, so that block is soon empty, and nothing of it is moved.  Beside data that
 * was moved, which hardly changes, they would leave holes that collection closes by
 * moving the same data again.  What collection does move of the map goes with
 * all that it moves: it has one spare block, so one stream.
 *
 * A drive starts with as many pages in memory as fit, spread over the map.
 */
#include "tasks.h"

/* Write back when fewer than 1/8 of the frames are clean or free. */
#define MAP_CLEAN_SHIFT		3

/* Pages of flash that the map may write for each of the host's, and for how many
 * of those it can save that up.  Changes gather in memory and in DEFERRED pages,
 * so one is plenty where the cache is of use.
 */
#define MAP_CREDIT		1
#define MAP_CREDIT_MAX		1024

/* So many pages (1/16 of the map) stay DEFERRED, to gather further changes. */
#define MAP_DEFER_SHIFT		4

/* Operations for which nobody waits: 1, and 1 for each 4 chips. */
#define MAP_BACKGROUND_SHIFT	2

static u32 map_page_of(u32 lpn)
{
	return lpn >> SSDQOS_MAP_SHIFT;
}

/* ---- lists by index: most recently used first ---- */

static void map_list_push(struct flash_map_cache *mc, struct flash_list *l,
			  u32 i)
{
	struct flash_map_page *page = &mc->page[i];

	page->prev = SSDQOS_NIL;
	page->next = l->head;
	if (flash_list_empty(l))
		l->tail = i;
	else
		mc->page[l->head].prev = i;
	l->head = i;
}

static void map_list_append(struct flash_map_cache *mc, struct flash_list *l,
			    u32 i)
{
	struct flash_map_page *page = &mc->page[i];

	page->next = SSDQOS_NIL;
	page->prev = l->tail;
	if (flash_list_empty(l)) {
		l->head = i;
		page->prev = SSDQOS_NIL;
	} else {
		mc->page[l->tail].next = i;
	}
	l->tail = i;
}

static void map_list_remove(struct flash_map_cache *mc, struct flash_list *l,
			    u32 i)
{
	u32 prev = mc->page[i].prev, next = mc->page[i].next;

	if (prev == SSDQOS_NIL)
		l->head = next;
	else
		mc->page[prev].next = next;
	if (next == SSDQOS_NIL)
		l->tail = prev;
	else
		mc->page[next].prev = prev;
}

static struct flash_list *map_list_of(struct flash_map_cache *mc, u32 i)
{
	return mc->page[i].dirty ? &mc->dirty : &mc->clean;
}

/* A page in memory joins the list of its kind. */
static void map_enlist(struct flash_map_cache *mc, u32 i, bool recent)
{
	if (recent)
		map_list_push(mc, map_list_of(mc, i), i);
	else
		map_list_append(mc, map_list_of(mc, i), i);
	if (mc->page[i].dirty)
		mc->nr_dirty++;
	else
		mc->nr_clean++;
}

static void map_delist(struct flash_map_cache *mc, u32 i)
{
	map_list_remove(mc, map_list_of(mc, i), i);
	if (mc->page[i].dirty)
		mc->nr_dirty--;
	else
		mc->nr_clean--;
}

static void map_touch(struct flash_map_cache *mc, u32 i, bool dirty)
{
	struct flash_map_page *page = &mc->page[i];

	if (page->state == FLASH_MAP_WRITING) {
		page->dirty |= dirty;
		return;
	}
	if (map_list_of(mc, i)->head == i && (page->dirty || !dirty))
		return;
	map_delist(mc, i);
	page->dirty |= dirty;
	map_enlist(mc, i, true);
}

/* ---- writing back ---- */

/* May the map do what no request waits for?  A few operations at a time, so that
 * those for which one waits find room.
 */
static bool map_may_background(const struct flash_map_cache *mc)
{
	return mc->credit && mc->ops_left > mc->least_ops;
}

static bool map_wants_cleaning(const struct flash_map_cache *mc)
{
	u32 free = mc->nr_clean + mc->nr_frames - mc->nr_used;

	if (!mc->nr_dirty || !mc->ops_left)
		return false;
	free += mc->nr_writing;
	return free < mc->nr_wanted ||
	       (free < mc->least_free && map_may_background(mc));
}

/* A plane for pages of the map, whatever the allocation of data: they are in no
 * stripe, and those of one plane alone would hardly fill a flash page.
 */
static u32 map_pick_plane(struct ssdqos_flash *f)
{
	struct flash_map_cache *mc = &f->map;
	u32 n, plane;

	for (n = 0; n < f->geo.nr_planes; n++) {
		plane = mc->rotor;
		mc->rotor = plane + 1 == f->geo.nr_planes ? 0 : plane + 1;
		if (flash_block_has_space(f, &f->planes[plane],
					  FLASH_STREAM_MAP))
			return plane;
	}
	return SSDQOS_NIL;
}

/* Dirty pages for one program, least recently used first. */
static u32 map_gather(struct ssdqos_flash *f, u32 *src)
{
	struct flash_map_cache *mc = &f->map;
	u32 nr = 0;

	while (nr < f->geo.units_per_page && !flash_list_empty(&mc->dirty)) {
		u32 i = mc->dirty.tail;

		map_delist(mc, i);
		mc->page[i].dirty = false;
		mc->page[i].state = FLASH_MAP_WRITING;
		mc->nr_writing++;
		src[nr++] = i;
	}
	return nr;
}

static bool map_write_back(struct ssdqos_flash *f)
{
	struct flash_map_cache *mc = &f->map;
	u32 plane = map_pick_plane(f);
	struct flash_op *op;

	if (plane == SSDQOS_NIL)
		return false;
	op = flash_op_get(f, SSDQOS_TASK_MAP, SSDQOS_NAND_PROGRAM, plane);
	op->nr_units = (u8)map_gather(f, op->src);
	op->psn = flash_page_take(f, plane, FLASH_STREAM_MAP);
	f->stats.padded_units += f->geo.units_per_page - op->nr_units;
	mc->ops_left--;
	if (mc->credit)
		mc->credit--;
	flash_chip_queue(f, op);
	return true;
}

static void map_clean(struct ssdqos_flash *f)
{
	while (map_wants_cleaning(&f->map) && map_write_back(f))
		;
}

/* ---- fetching ---- */

/* The page is in memory: everybody who waited goes on. */
static void map_arrived(struct ssdqos_flash *f, u32 i)
{
	struct flash_map_page *page = &f->map.page[i];

	page->state = FLASH_MAP_CACHED;
	/* fetched to be changed only: it must not drive out what is looked up */
	map_enlist(&f->map, i, page->waiters.head);
	while (page->waiters.head)
		f->tasks[FLASH_TASK_FIRST]->map_ready(f,
						flash_reqs_pop(&page->waiters));
}

static bool map_frame_get(struct flash_map_cache *mc)
{
	u32 i = mc->clean.tail;

	if (mc->nr_used < mc->nr_frames) {
		mc->nr_used++;
		return true;
	}
	if (i == SSDQOS_NIL)
		return false;
	map_delist(mc, i);
	mc->page[i].state = FLASH_MAP_ABSENT;
	return true;
}

static void map_fetch(struct ssdqos_flash *f, u32 i)
{
	u32 psn = f->l2p[f->geo.map_lpn + i];
	struct flash_op *op;

	f->map.page[i].state = FLASH_MAP_FETCHING;
	if (psn == FLASH_UNMAPPED) {	/* never written: it says nothing */
		map_arrived(f, i);
		return;
	}
	op = flash_op_get(f, SSDQOS_TASK_MAP, SSDQOS_NAND_READ,
			  flash_plane_of(f, psn));
	op->psn = psn;
	op->nr_units = 1;
	op->src[0] = i;
	f->map.ops_left--;
	flash_chip_queue(f, op);
}

/* The next page to fetch, first come, first served; SSDQOS_NIL if none. */
static u32 map_next_wanted(const struct flash_map_cache *mc)
{
	if (!flash_list_empty(&mc->wanted))
		return mc->wanted.tail;
	if (mc->nr_deferred <= mc->nr_pages >> MAP_DEFER_SHIFT ||
	    !map_may_background(mc))
		return SSDQOS_NIL;
	return mc->deferred.tail;
}

static void map_unwant(struct flash_map_cache *mc, u32 i)
{
	if (mc->page[i].state == FLASH_MAP_WANTED) {
		map_list_remove(mc, &mc->wanted, i);
		mc->nr_wanted--;
	} else {
		map_list_remove(mc, &mc->deferred, i);
		mc->nr_deferred--;
	}
}

/* Fetch what is wanted, as far as there are frames.  Those who waited may want
 * more: that is dealt with by the outermost call.
 */
static void map_pump(struct ssdqos_flash *f)
{
	struct flash_map_cache *mc = &f->map;

	if (mc->pumping)
		return;
	mc->pumping = true;
	for (;;) {
		u32 i = map_next_wanted(mc);

		if (i == SSDQOS_NIL || !mc->ops_left || !map_frame_get(mc))
			break;
		map_unwant(mc, i);
		map_fetch(f, i);
	}
	map_clean(f);
	mc->pumping = false;
}

static void map_want(struct ssdqos_flash *f, u32 i)
{
	if (f->map.page[i].state == FLASH_MAP_DEFERRED)
		map_unwant(&f->map, i);
	f->map.page[i].state = FLASH_MAP_WANTED;
	map_list_push(&f->map, &f->map.wanted, i);
	f->map.nr_wanted++;
	map_pump(f);
}

static void map_defer(struct ssdqos_flash *f, u32 i)
{
	f->map.page[i].state = FLASH_MAP_DEFERRED;
	f->map.page[i].dirty = true;
	map_list_push(&f->map, &f->map.deferred, i);
	f->map.nr_deferred++;
}

static void map_log_miss(struct ssdqos_flash *f, u32 i)
{
	struct ssdqos_flash_record rec = {
		.time_ns = f->now_ns,
		.event = SSDQOS_FLASH_EV_MAP_MISSED,
		.task = SSDQOS_TASK_HOST,
		.block = i,
	};

	if (flash_log_wants(f, SSDQOS_FLASH_EV_MAP_MISSED))
		flash_log_write(f, &rec);
}

static bool map_in_memory(const struct flash_map_page *page)
{
	return page->state >= FLASH_MAP_CACHED;
}

/* Is the entry of a unit in memory? */
bool flash_mapcache_has(const struct ssdqos_flash *f, u32 lpn)
{
	return !f->map.page || map_in_memory(&f->map.page[map_page_of(lpn)]);
}

/*
 * A request needs the entry of a unit: true if it is in memory; otherwise the
 * request is taken along and comes back through its task's map_ready().
 */
bool flash_mapcache_lookup(struct ssdqos_flash *f,
			   struct ssdqos_flash_req *req, u32 lpn)
{
	u32 i = map_page_of(lpn);
	struct flash_map_page *page;

	if (!f->map.page || req->map_page == i)
		return true;
	req->map_page = i;
	page = &f->map.page[i];
	f->stats.map_lookups++;
	if (map_in_memory(page)) {
		map_touch(&f->map, i, false);
		return true;
	}
	f->stats.map_misses++;
	map_log_miss(f, i);
	req->map_since_ns = f->now_ns;
	flash_reqs_push(&page->waiters, req);
	if (page->state < FLASH_MAP_WANTED)
		map_want(f, i);
	return false;
}

/* The entry of a unit has changed. */
void flash_mapcache_update(struct ssdqos_flash *f, u32 lpn)
{
	u32 i = map_page_of(lpn);
	struct flash_map_page *page;

	if (!f->map.page || lpn >= f->geo.map_lpn)
		return;		/* the second level is in memory */
	page = &f->map.page[i];
	if (map_in_memory(page)) {
		map_touch(&f->map, i, true);
		if (!f->map.pumping)
			map_clean(f);
		return;
	}
	page->dirty = true;
	if (page->state == FLASH_MAP_ABSENT) {
		map_defer(f, i);
		map_pump(f);
	}
}

/* A block was erased: there may be room to write back. */
void flash_mapcache_space(struct ssdqos_flash *f)
{
	if (f->map.page)
		map_pump(f);
}

/* Does nobody want a page that is not there? */
bool flash_mapcache_idle(const struct ssdqos_flash *f)
{
	return !f->map.page || flash_list_empty(&f->map.wanted);
}

/* The host has programmed a page. */
void flash_mapcache_credit(struct ssdqos_flash *f)
{
	f->map.credit = min_t(u32, f->map.credit + MAP_CREDIT, MAP_CREDIT_MAX);
}

/* As it was when the state was saved; not more than could have been. */
void flash_mapcache_restore_credit(struct ssdqos_flash *f, u32 credit)
{
	f->map.credit = min_t(u32, credit, MAP_CREDIT_MAX);
}

static void map_page_written(struct ssdqos_flash *f, u32 i, u32 psn)
{
	struct flash_map_page *page = &f->map.page[i];
	u32 lpn = f->geo.map_lpn + i;

	if (f->l2p[lpn] != FLASH_UNMAPPED)
		flash_map_invalidate(f, f->l2p[lpn]);
	flash_map_place(f, lpn, psn);
	f->stats.map_write_units++;
	f->map.nr_writing--;
	page->state = FLASH_MAP_CACHED;
	map_enlist(&f->map, i, page->dirty);
}

static void map_op_done(struct ssdqos_flash *f, struct flash_op *op)
{
	u32 i;

	f->map.ops_left++;
	if (op->kind == SSDQOS_NAND_READ) {
		f->stats.map_reads++;
		map_arrived(f, op->src[0]);
	} else {
		f->stats.map_programs++;
		for (i = 0; i < op->nr_units; i++)
			map_page_written(f, op->src[i], op->psn + i);
		flash_page_done(f, op->psn);
	}
	map_pump(f);
}

/* Does a request wait for a page? */
static bool map_presses(const struct ssdqos_flash *f)
{
	return f->map.nr_wanted;
}

const struct flash_task_ops flash_map_task = {
	.op_done = map_op_done,
	.presses = map_presses,
};

/* ---- life ---- */

int flash_mapcache_create(struct ssdqos_flash *f)
{
	struct flash_map_cache *mc = &f->map;

	mc->nr_pages = f->geo.nr_all - f->geo.map_lpn;
	if (!mc->nr_pages)
		return 0;
	mc->nr_frames = f->geo.map_frames;
	/* all of it in memory is never written back */
	mc->least_free = mc->nr_frames == mc->nr_pages ?
			 0 : mc->nr_frames >> MAP_CLEAN_SHIFT;
	mc->ops_left = f->geo.nr_chips * FLASH_MAP_OPS_PER_CHIP;
	mc->least_ops = mc->ops_left - 1 - (f->geo.nr_chips >> MAP_BACKGROUND_SHIFT);
	mc->page = ssdqos_env_alloc((u64)mc->nr_pages * sizeof(*mc->page));
	f->memory_bytes += (u64)mc->nr_pages * sizeof(*mc->page);
	if (!mc->page)
		return -ENOMEM;
	flash_mapcache_empty(f);
	return 0;
}

void flash_mapcache_destroy(struct ssdqos_flash *f)
{
	ssdqos_env_free(f->map.page);
}

/* Nothing in memory. */
void flash_mapcache_empty(struct ssdqos_flash *f)
{
	struct flash_map_cache *mc = &f->map;

	if (!mc->page)
		return;
	memset(mc->page, 0, (u64)mc->nr_pages * sizeof(*mc->page));
	flash_list_init(&mc->clean);
	flash_list_init(&mc->dirty);
	flash_list_init(&mc->wanted);
	flash_list_init(&mc->deferred);
	mc->nr_deferred = 0;
	mc->nr_wanted = 0;
	mc->credit = MAP_CREDIT_MAX;
	mc->nr_used = 0;
	mc->nr_clean = 0;
	mc->nr_dirty = 0;
	mc->rotor = 0;
}

/* A page that was in memory when the state was saved, in the order of use from
 * the least recent on.
 */
void flash_mapcache_restore(struct ssdqos_flash *f, u32 i, bool dirty)
{
	struct flash_map_page *page = &f->map.page[i];

	f->map.nr_used++;
	page->state = FLASH_MAP_CACHED;
	page->dirty = dirty;
	map_enlist(&f->map, i, true);
}

/* A page that had changed without being in memory. */
void flash_mapcache_restore_deferred(struct ssdqos_flash *f, u32 i)
{
	map_defer(f, i);
}

/* As many pages as fit, spread over the map. */
void flash_mapcache_warm(struct ssdqos_flash *f)
{
	struct flash_map_cache *mc = &f->map;
	u32 i;

	flash_mapcache_empty(f);
	if (!mc->page)
		return;
	for (i = 0; i < mc->nr_frames; i++)
		flash_mapcache_restore(f, (u32)div64_u64((u64)i * mc->nr_pages,
							 mc->nr_frames),
				       false);
}
