// SPDX-License-Identifier: GPL-2.0
/*
 * age.c - put a drive into steady state by arithmetic
 *
 * What a block holds, and where in its cycle of collection a plane is, says
 * age_plane.c.  Here units are dealt to blocks accordingly.
 *
 * Which unit goes where: logical space is cut into rows of one flash page for
 * each plane.  Rows are dealt in an order that jumps through the whole space
 * (multiples of a number coprime to their count), a row's units go to the
 * planes in a shuffled order (or to their own planes with static allocation),
 * and to shuffled positions of the plane's current block.  The shuffles are
 * made once and rotated.  Some rows are dealt at a time, plane by plane, so
 * that a plane's position stays in registers and the working set in the cache:
 * some 4 ns a unit.  A row of stripes (rain) goes where its stripes say.
 * Neighbours within a row end up in blocks of one age; between rows nothing is
 * related.
 *
 * A controller that writes out from some fill of its buffer on has that much
 * in it: those units are taken out of flash again.
 */
#include "age.h"

#define AGE_PCT			100
#define AGE_BATCH_ROWS		32	/* dealt together: their map fits the L1 cache */
#define AGE_LINE_UNITS		16	/* map entries in a cache line */
#define AGE_ROTATION_STEP	7919	/* a prime: no repeat with the planes */
#define AGE_BUFFER_PART		4	/* at most this part of the data is in the buffer */
#define AGE_GOLDEN_NUM		618	/* row stride / rows: golden ratio */
#define AGE_GOLDEN_DEN		1000

/* Where a plane's next unit goes. */
struct age_cursor {
	struct flash_age_phase phase;
	u32 block;		/* in the plane */
	u32 k;			/* units of it that are placed */
	u32 valid;		/* units that it gets */
	u32 room;		/* units that are programmed */
	u32 psn;		/* its first unit */
	const u16 *position;	/* of its next unit */
	u64 placed;		/* units in blocks before it */
	u64 programmed;		/* units of it and of blocks before it */
	u64 total;		/* units of the plane */
};

struct age_run {
	struct ssdqos_flash *f;
	struct ssdqos_rng rng;
	struct age_cursor *cursor;
	u16 *position;		/* shuffled positions in a block, twice */
	u16 *unit;		/* shuffled units of a row, twice */
	u32 batch[AGE_BATCH_ROWS];	/* rows that wait to be dealt */
	u32 rotation[AGE_BATCH_ROWS];
	u32 nr_batch;
	u32 row_units;
	u32 data_rows;		/* of the host's units and their parity */
	u32 nr_rows;		/* with those of the map's pages behind them */
	u32 fill_rows;		/* of @data_rows */
	u64 host_units;		/* units of the host that are placed */
	u32 first_row;
	u32 stride;		/* from row to row, coprime to their number */
};

static void age_shuffle(struct ssdqos_rng *rng, u16 *a, u32 n)
{
	while (n > 1) {
		u32 j = ssdqos_rng_below(rng, n--);

		swap(a[n], a[j]);
	}
}

/* 0 to @n - 1, shuffled or not, and once more: any rotation can be read from
 * it without wrapping.
 */
static void age_deal(struct ssdqos_rng *rng, u16 *a, u32 n, bool shuffled)
{
	u32 i;

	for (i = 0; i < n; i++)
		a[i] = (u16)i;
	if (shuffled)
		age_shuffle(rng, a, n);
	memcpy(a + n, a, n * sizeof(*a));
}

static u32 age_gcd(u32 a, u32 b)
{
	while (b) {
		u32 t = a % b;

		a = b;
		b = t;
	}
	return a;
}

/* Nothing is valid in a block yet; done block by block, while it is in the
 * cache to be filled.
 */
static void age_clear_block(struct age_run *run, u32 block)
{
	struct ssdqos_flash *f = run->f;

	memset(&f->p2l[block << f->geo.block_shift], 0xff,
	       sizeof(u32) << f->geo.block_shift);
}

/* Give the cursor's block its number of valid units. */
static void age_enter_block(struct age_run *run, struct age_cursor *c,
			    u32 plane)
{
	u32 block = plane * run->f->geo.blocks_per_plane + c->block;
	u64 until;

	age_clear_block(run, block);
	c->room = flash_age_block_units(run->f, &c->phase, c->block);
	c->programmed += c->room;
	until = flash_age_valid_in(&c->phase, c->total, c->programmed);
	c->k = 0;
	c->valid = (u32)min_t(u64, until - min(until, c->placed), c->room);
	c->psn = block << run->f->geo.block_shift;
	c->position = run->position +
		      ssdqos_rng_below(&run->rng, flash_units_per_block(run->f));
}

static void age_leave_block(struct age_run *run, struct age_cursor *c,
			    u32 plane)
{
	u32 block = plane * run->f->geo.blocks_per_plane + c->block;

	run->f->blocks[block].valid = (u16)c->k;
	c->placed += c->k;
}

static void age_next_block(struct age_run *run, struct age_cursor *c,
			   u32 plane)
{
	do {
		age_leave_block(run, c, plane);
		c->block++;
		age_enter_block(run, c, plane);
	} while (!c->valid && c->block + 1 < c->phase.used_blocks);
}

/* A row's units in the order of the planes, units_per_page for each. */
static const u16 *age_units(const struct age_run *run, u32 plane, u32 rotation)
{
	return run->unit + rotation + (plane << run->f->geo.page_shift);
}

/* Is this a row of stripes, whose units do not simply follow each other? */
static bool age_row_striped(const struct age_run *run, u32 row)
{
	return run->f->geo.stripe_units && row < run->data_rows;
}

/* A plane's unit @i of a row of stripes; units_per_page rows of single units make
 * one here.
 */
static u32 age_striped_lpn(const struct age_run *run, u32 plane, u32 row, u32 i)
{
	return flash_rain_member(run->f, plane,
				 (row << run->f->geo.page_shift) + i);
}

/* First unit of a row that is not striped. */
static u32 age_row_lpn(const struct age_run *run, u32 row)
{
	if (row < run->data_rows)
		return row * run->row_units;
	return run->f->geo.map_lpn + (row - run->data_rows) * run->row_units;
}

/* How many units of it there are; the last one may be short. */
static u32 age_row_limit(const struct age_run *run, u32 row)
{
	const struct ssdqos_flash_geo *geo = &run->f->geo;
	u32 end = row < run->data_rows ? geo->nr_lpn : geo->nr_all;

	return min(run->row_units, end - age_row_lpn(run, row));
}

static void age_place(struct age_run *run, struct age_cursor *c, u32 plane,
		      u32 lpn)
{
	u32 psn;

	if (c->k == c->valid)
		age_next_block(run, c, plane);
	while (*c->position >= c->room)
		c->position++;	/* not programmed yet */
	psn = c->psn + *c->position++;
	c->k++;
	run->f->l2p[lpn] = psn;
	run->f->p2l[psn] = lpn;
}

/* Place one plane's share of a row. */
static void age_fill_share(struct age_run *run, struct age_cursor *c,
			   u32 plane, u32 row, const u16 *unit)
{
	const u16 *end = unit + run->f->geo.units_per_page;
	u32 lpn = age_row_lpn(run, row), limit = age_row_limit(run, row);

	for (; unit < end; unit++)
		if (*unit < limit)
			age_place(run, c, plane, lpn + *unit);
}

static void age_fill_striped(struct age_run *run, struct age_cursor *c,
			     u32 plane, u32 row)
{
	u32 i, lpn;

	for (i = 0; i < run->f->geo.units_per_page; i++) {
		lpn = age_striped_lpn(run, plane, row, i);
		if (lpn != SSDQOS_NIL)
			age_place(run, c, plane, lpn);
	}
}

static void age_fill_plane(struct age_run *run, u32 plane)
{
	struct age_cursor c = run->cursor[plane];
	u32 j;

	for (j = 0; j < run->nr_batch; j++)
		if (age_row_striped(run, run->batch[j]))
			age_fill_striped(run, &c, plane, run->batch[j]);
		else
			age_fill_share(run, &c, plane, run->batch[j],
				       age_units(run, plane, run->rotation[j]));
	run->cursor[plane] = c;
}

static void age_fill_batch(struct age_run *run)
{
	u32 plane;

	for (plane = 0; plane < run->f->geo.nr_planes; plane++)
		age_fill_plane(run, plane);
}

static void age_unmap_striped(struct age_run *run, u32 row)
{
	struct ssdqos_flash *f = run->f;
	u32 plane, i, lpn;

	for (plane = 0; plane < f->geo.nr_planes; plane++)
		for (i = 0; i < f->geo.units_per_page; i++) {
			lpn = age_striped_lpn(run, plane, row, i);
			if (lpn != SSDQOS_NIL)
				f->l2p[lpn] = FLASH_UNMAPPED;
		}
}

/* Rows that hold nothing. */
static void age_unmap_batch(struct age_run *run)
{
	u32 j;

	for (j = 0; j < run->nr_batch; j++)
		if (age_row_striped(run, run->batch[j]))
			age_unmap_striped(run, run->batch[j]);
		else
			memset(&run->f->l2p[age_row_lpn(run, run->batch[j])],
			       0xff, sizeof(u32) *
			       age_row_limit(run, run->batch[j]));
}

/* Rows lie far apart; this one's map is needed when the batch is full. */
static void age_prefetch_row(struct age_run *run, u32 row)
{
	u32 lpn = age_row_lpn(run, row);
	u32 end = lpn + age_row_limit(run, row);

	for (; lpn < end; lpn += AGE_LINE_UNITS)
		prefetchw(&run->f->l2p[lpn]);
}

static void age_add_row(struct age_run *run, u32 row, u32 j)
{
	bool fixed = run->f->cfg.allocation == SSDQOS_FLASH_STATIC;

	if (!age_row_striped(run, row))
		age_prefetch_row(run, row);
	run->batch[run->nr_batch] = row;
	run->rotation[run->nr_batch++] =
		fixed ? 0 : j * AGE_ROTATION_STEP % run->row_units;
}

static void age_deal_batch(struct age_run *run, void (*deal)(struct age_run *run))
{
	deal(run);
	run->nr_batch = 0;
}

/* Calls @fill for the map's rows and the rows to fill, and @rest (unless NULL)
 * for the others, in the jumping order, batch by batch.  The map comes first:
 * it lies in the youngest blocks, because it is written most often.
 */
static void age_walk_rows(struct age_run *run, void (*fill)(struct age_run *run),
			  void (*rest)(struct age_run *run))
{
	u32 row, nr = rest ? run->data_rows : run->fill_rows, j;

	for (row = run->data_rows; row < run->nr_rows; row++) {
		age_add_row(run, row, row);
		if (run->nr_batch == AGE_BATCH_ROWS || row + 1 == run->nr_rows)
			age_deal_batch(run, fill);
	}
	row = run->first_row;
	for (j = 0; j < nr; j++) {
		age_add_row(run, row, j);
		if (run->nr_batch == AGE_BATCH_ROWS || j + 1 == run->fill_rows ||
		    j + 1 == nr)
			age_deal_batch(run, j < run->fill_rows ? fill : rest);
		row += run->stride;
		if (row >= run->data_rows)
			row -= run->data_rows;
	}
}

static bool age_is_parity(const struct age_run *run, u32 plane, u32 row, u32 i)
{
	return plane % run->f->geo.stripe_units ==
	       ((row << run->f->geo.page_shift) + i) %
	       run->f->geo.stripe_units;
}

static void age_count_striped(struct age_run *run, u32 row)
{
	u32 plane, i, lpn;

	run->host_units += run->row_units / run->f->geo.stripe_units *
			   (run->f->geo.stripe_units - 1);
	if (row + 1 < run->data_rows)
		return;
	for (plane = 0; plane < run->f->geo.nr_planes; plane++)
		for (i = 0; i < run->f->geo.units_per_page; i++) {
			lpn = age_striped_lpn(run, plane, row, i);
			if (lpn != SSDQOS_NIL)
				continue;
			run->cursor[plane].total--;
			/* a place of data, unless the stripe isn't there */
			run->host_units -= !age_is_parity(run, plane, row, i);
		}
}

static void age_count_plain(struct age_run *run, u32 row, u32 rotation)
{
	u32 limit = age_row_limit(run, row), i;

	if (row < run->data_rows)
		run->host_units += limit;
	if (limit == run->row_units)
		return;
	for (i = 0; i < run->row_units; i++)
		if (run->unit[i + rotation] >= limit)
			run->cursor[i >> run->f->geo.page_shift].total--;
}

/* Only a last row may be short: its units don't reach every plane. */
static void age_count_batch(struct age_run *run)
{
	u32 j;

	for (j = 0; j < run->nr_batch; j++)
		if (age_row_striped(run, run->batch[j]))
			age_count_striped(run, run->batch[j]);
		else
			age_count_plain(run, run->batch[j], run->rotation[j]);
}

/* How many units each plane gets. */
static void age_count(struct age_run *run)
{
	u32 i, rows = run->fill_rows + run->nr_rows - run->data_rows;

	for (i = 0; i < run->f->geo.nr_planes; i++)
		run->cursor[i].total = (u64)rows * run->f->geo.units_per_page;
	age_walk_rows(run, age_count_batch, NULL);
}

static void age_begin_planes(struct age_run *run)
{
	struct ssdqos_flash *f = run->f;
	struct flash_age_cycle cycle;
	u32 i;

	flash_age_begin(f, &run->rng, run->cursor[0].total, &cycle);
	for (i = 0; i < f->geo.nr_planes; i++) {
		struct age_cursor *c = &run->cursor[i];

		flash_age_draw(f, &run->rng, &cycle, c->total, &c->phase);
		age_enter_block(run, c, i);
	}
}

static void age_settle_blocks(struct age_run *run)
{
	u32 i;

	flash_free_lists_clear(run->f);
	for (i = 0; i < run->f->geo.nr_planes; i++)
		flash_age_settle(run->f, &run->rng, i, &run->cursor[i].phase);
	run->f->nr_free_min = run->f->nr_free;
}

/* ---- the write buffer ---- */

static void age_buffer_unit(struct ssdqos_flash *f, u32 lpn)
{
	f->mapped -= lpn < f->geo.nr_lpn;	/* counted again there */
	flash_map_invalidate(f, f->l2p[lpn]);
	flash_buffer_restore(f, lpn);
}

/* Is the unit in flash?  It may hold nothing, or be in the buffer already. */
static bool age_in_flash(const struct ssdqos_flash *f, u32 lpn)
{
	return !(f->l2p[lpn] & FLASH_IN_BUFFER);
}

/* What the buffer holds before it is written out, drawn from what there is. */
static void age_fill_buffer(struct age_run *run)
{
	struct ssdqos_flash *f = run->f;
	u32 most = (u32)min_t(u64, f->buffer.threshold,
			      run->host_units / AGE_BUFFER_PART), lpn, parity;

	if (f->cfg.cache == SSDQOS_FLASH_CACHE_NONE)
		return;
	while (f->buffer.nr_used + FLASH_PARITY_READS < most) {
		lpn = ssdqos_rng_below(&run->rng, f->geo.nr_lpn);
		if (!age_in_flash(f, lpn))
			continue;
		if (f->geo.stripe_units) {
			parity = flash_rain_parity_of(f, lpn);
			if (age_in_flash(f, parity))
				age_buffer_unit(f, parity);
		}
		age_buffer_unit(f, lpn);
	}
}

static void age_choose_order(struct age_run *run)
{
	u32 stride = (u32)div64_u64((u64)run->data_rows * AGE_GOLDEN_NUM,
				    AGE_GOLDEN_DEN) | 1;

	while (age_gcd(stride, run->data_rows) != 1)
		stride++;
	run->stride = stride % run->data_rows;
	run->first_row = ssdqos_rng_below(&run->rng, run->data_rows);
}

/* Parity and data of a stripe are in the same row. */
static void age_count_rows(struct age_run *run, u32 fill_pct)
{
	const struct ssdqos_flash_geo *geo = &run->f->geo;
	u32 units = geo->nr_lpn;

	if (geo->stripe_units)
		units = (geo->map_lpn - geo->parity_lpn) * geo->stripe_units;
	run->data_rows = (units + run->row_units - 1) / run->row_units;
	run->fill_rows = (u32)div64_u64((u64)run->data_rows * fill_pct,
					AGE_PCT);
	run->nr_rows = run->data_rows;
	/* an empty drive has no map either */
	if (run->fill_rows)
		run->nr_rows += (geo->nr_all - geo->map_lpn +
				 run->row_units - 1) / run->row_units;
}

static void age_prepare(struct age_run *run, u32 fill_pct, u64 seed)
{
	struct ssdqos_flash *f = run->f;

	ssdqos_rng_seed(&run->rng, seed);
	run->row_units = f->geo.nr_planes * f->geo.units_per_page;
	age_count_rows(run, fill_pct);
	age_deal(&run->rng, run->position, flash_units_per_block(f), true);
	age_deal(&run->rng, run->unit, run->row_units,
		 f->cfg.allocation == SSDQOS_FLASH_DYNAMIC);
	age_choose_order(run);
}

static void age_close_plane(struct age_run *run, u32 plane)
{
	struct ssdqos_flash *f = run->f;
	struct age_cursor *c = &run->cursor[plane];
	u32 first_block = plane * f->geo.blocks_per_plane, block;

	age_leave_block(run, c, plane);
	for (block = c->block + 1; block < f->geo.blocks_per_plane; block++)
		age_clear_block(run, first_block + block);
}

static void age_apply(struct age_run *run, u32 fill_pct, u64 seed)
{
	struct ssdqos_flash *f = run->f;
	u32 i;

	flash_blank_blocks(f);
	age_prepare(run, fill_pct, seed);
	age_count(run);
	age_begin_planes(run);
	age_walk_rows(run, age_fill_batch, age_unmap_batch);
	for (i = 0; i < f->geo.nr_planes; i++)
		age_close_plane(run, i);
	f->mapped = (u32)run->host_units;
	age_fill_buffer(run);
	age_settle_blocks(run);
	flash_mapcache_warm(f);
	flash_survey(f);
	for (i = 0; i < f->geo.nr_planes; i++)
		flash_buffer_plane_changed(f, i);
}

/**
 * ssdqos_flash_age - replace a drive's state by that of a long-used drive
 * @f: the drive; idle
 * @fill_pct: part of the logical capacity that holds data, 0 to 100
 * @seed: of the random placement
 * @err: gets one sentence on failure
 * @err_size: its size
 *
 * Context: may sleep; takes about a millisecond a GiB.
 *
 * Return: 0, -EBUSY if the drive is not idle, -EINVAL, -ENOMEM; then nothing
 * has changed.
 */
int ssdqos_flash_age(struct ssdqos_flash *f, u32 fill_pct, u64 seed, char *err,
		     u32 err_size)
{
	struct age_run run = { .f = f };
	int r = -ENOMEM;

	if (!ssdqos_flash_idle(f)) {
		scnprintf(err, err_size, "age: the drive is not idle");
		return -EBUSY;
	}
	if (fill_pct > AGE_PCT) {
		scnprintf(err, err_size,
			  "age: '%u' is not a number from 0 to 100 %%", fill_pct);
		return -EINVAL;
	}
	run.cursor = ssdqos_env_alloc(f->geo.nr_planes * sizeof(*run.cursor));
	run.position = ssdqos_env_alloc(2ULL * flash_units_per_block(f) *
					sizeof(u16));
	run.unit = ssdqos_env_alloc(2ULL * f->geo.nr_planes *
				    f->geo.units_per_page * sizeof(u16));
	if (run.cursor && run.position && run.unit) {
		age_apply(&run, fill_pct, seed);
		r = 0;
	} else {
		scnprintf(err, err_size, "age: no memory");
	}
	ssdqos_env_free(run.unit);
	ssdqos_env_free(run.position);
	ssdqos_env_free(run.cursor);
	return r;
}
