// SPDX-License-Identifier: GPL-2.0
/*
 * age.c - put a drive into steady state by arithmetic
 *
 * What a block holds, and where in its cycle of collection a plane is, says
 * age_plane.c; what lies next to what says age_deal.c.  Here the logical space is
 * cut into pieces, which are dealt some at a time, from the youngest to the
 * oldest: after sequential writes as they come, else in an order that jumps
 * through the whole space (multiples of a number coprime to their count).  They
 * are dealt plane by plane, so that the working set stays in the cache and what
 * comes next is fetched meanwhile: some 3 ns a unit.  With stripes (rain) a piece
 * is a row of them, one flash page for each plane, and the stripes say what is
 * where.
 *
 * Shares of a deal that lacks pieces are not equal.  Where a plane would get more than it
 * can hold, on a drive with next to no spare, grains go from plane to plane instead.
 *
 * What was written last is in the buffer: age_buffer.c.
 */
#include "life.h"
#include "../../engine/fixed.h"

#define AGE_PCT			100
#define AGE_LINE_UNITS		16	/* map entries in a cache line */
#define AGE_GOLDEN_NUM		618	/* stride / pieces: golden ratio */
#define AGE_GOLDEN_DEN		1000

struct age_run {
	struct ssdqos_flash *f;
	struct flash_age_place place;
	struct flash_age_cursor *cursor;
	u32 end[FLASH_AGE_MAX_PIECES];	/* of each piece that waits to be dealt */
	u32 nr_batch;		/* pieces, or rows of stripes, that wait */
	u32 most_batch;
	bool striped;		/* they are rows of stripes */
	bool short_batch;	/* one of them lacks units */
	u32 plane_shift;	/* the first of a deal, counted from the last plane */
	bool even;		/* grains go from plane to plane */
	u32 next_even;		/* the plane of the next one */
	u32 nr_pieces;		/* of data and its parity */
	u32 nr_filled;		/* of them */
	u64 host_units;		/* units of the host that are placed */
	bool sequential;
	u32 ring;		/* pieces among which to go round */
	u32 first_piece;	/* the youngest */
	u32 stride;		/* to the next one */
	u32 next_piece;		/* of the next batch, to be foreseen */
};

/* Units of data in a piece. */
static u32 age_piece_data(const struct age_run *run)
{
	const struct ssdqos_flash_geo *geo = &run->f->geo;

	if (!geo->stripe_units)
		return run->place.deal.piece_units;
	return (geo->nr_planes << geo->page_shift) / geo->stripe_units *
	       (geo->stripe_units - 1);
}

/* ---- a batch of pieces ---- */

/* How many units of a grain there are; the last one may be short. */
static u32 age_grain_units(const struct age_run *run, u32 entry, u32 *lpn)
{
	u32 piece = entry & FLASH_AGE_PIECE_MASK;

	if (piece >= run->nr_batch)
		return 0;
	*lpn = run->place.base[piece] + (entry >> FLASH_AGE_PIECE_BITS);
	return *lpn >= run->end[piece] ? 0 :
	       min(run->end[piece] - *lpn, run->place.deal.grain_units);
}

/* The plane of a deal's share.  Pages go from plane to plane, and deals from the
 * youngest to the oldest.
 */
static u32 age_plane(const struct age_run *run, u32 share)
{
	u32 nr = run->f->geo.nr_planes;

	if (run->f->cfg.allocation == SSDQOS_FLASH_STATIC)
		return share;
	share += run->plane_shift;
	return nr - 1 - (share < nr ? share : share - nr);
}

static bool age_batch_whole(const struct age_run *run)
{
	return run->nr_batch == run->place.deal.nr_pieces &&
	       !run->short_batch && !run->even;
}

/* The plane of one grain of a deal's share. */
static u32 age_grain_plane(struct age_run *run, u32 share)
{
	u32 plane = run->next_even;

	if (!run->even)
		return age_plane(run, share);
	run->next_even = plane + 1 == run->f->geo.nr_planes ? 0 : plane + 1;
	return plane;
}

static void age_fill_partly(struct age_run *run, u32 share)
{
	const struct flash_age_deal *deal = &run->place.deal;
	u32 i, nr, lpn, plane;

	for (i = deal->first[share]; i < deal->first[share + 1]; i++) {
		nr = age_grain_units(run, deal->entry[i], &lpn);
		if (!nr)
			continue;
		plane = age_grain_plane(run, share);
		flash_age_put_units(&run->place, &run->cursor[plane], plane,
				    lpn, nr);
	}
}

static void age_fill_share(struct age_run *run, u32 share)
{
	const struct flash_age_deal *deal = &run->place.deal;
	u32 plane = age_plane(run, share), first = deal->first[share];
	u32 nr = deal->first[share + 1] - first;
	struct flash_age_cursor *c = &run->cursor[plane];

	if (!nr)
		return;
	if (age_batch_whole(run))
		flash_age_put_grains(&run->place, c, plane,
				     &deal->entry[first], nr);
	else
		age_fill_partly(run, share);
}

/* The piece after so many steps, of those in the order of age. */
static u32 age_piece_after(const struct age_run *run, u64 steps)
{
	steps = steps * run->stride + run->first_piece;
	return (u32)(steps - div64_u64(steps, run->ring) * run->ring);
}

static u32 age_next_piece(const struct age_run *run, u32 piece)
{
	piece += run->stride;
	return piece < run->ring ? piece : piece - run->ring;
}

/* Pieces lie far apart: before each share of a batch, the map of as large a part
 * of the next one is asked for.
 */
static void age_foresee(struct age_run *run, u32 share)
{
	u32 units = run->place.deal.piece_units, lpn, end;
	u32 nr = run->f->geo.nr_planes, all = run->place.deal.nr_pieces;
	u32 part = (share + 1) * all / nr - share * all / nr;

	while (part--) {
		lpn = run->next_piece * units;
		end = min(lpn + units, run->f->geo.nr_lpn);
		for (; lpn < end; lpn += AGE_LINE_UNITS)
			prefetchw(&run->f->l2p[lpn]);
		run->next_piece = age_next_piece(run, run->next_piece);
	}
}

static void age_fill_plain(struct age_run *run)
{
	u32 share;

	for (share = 0; share < run->f->geo.nr_planes; share++) {
		age_foresee(run, share);
		age_fill_share(run, share);
	}
}

static void age_count_plain(struct age_run *run)
{
	const struct flash_age_deal *deal = &run->place.deal;
	u32 share, i, lpn;

	for (share = 0; share < run->f->geo.nr_planes; share++) {
		u32 end = deal->first[share + 1];

		if (age_batch_whole(run)) {
			run->cursor[age_plane(run, share)].total +=
				end - deal->first[share];
			continue;
		}
		for (i = deal->first[share]; i < end; i++)
			if (age_grain_units(run, deal->entry[i], &lpn))
				run->cursor[age_grain_plane(run, share)].total++;
	}
	for (i = 0; i < run->nr_batch; i++)
		if (run->end[i] <= run->f->geo.nr_lpn)
			run->host_units += run->end[i] - run->place.base[i];
}

static void age_unmap_plain(struct age_run *run)
{
	u32 i;

	for (i = 0; i < run->nr_batch; i++)
		memset(&run->f->l2p[run->place.base[i]], 0xff,
		       sizeof(u32) * (run->end[i] - run->place.base[i]));
}

/* ---- rows of stripes ---- */

/* A plane's unit @i of a row of stripes; units_per_page rows of single units make
 * one here.
 */
static u32 age_striped_lpn(const struct age_run *run, u32 plane, u32 row, u32 i)
{
	return flash_stripe_lpn_at(run->f, plane,
				 (row << run->f->geo.page_shift) + i);
}

static void age_fill_striped(struct age_run *run)
{
	u32 plane, j, i, lpn;

	for (plane = 0; plane < run->f->geo.nr_planes; plane++) {
		struct flash_age_cursor c = run->cursor[plane];

		for (j = 0; j < run->nr_batch; j++)
			for (i = run->f->geo.units_per_page; i--;) {
				lpn = age_striped_lpn(run, plane,
						      run->place.base[j], i);
				if (lpn != SSDQOS_NIL)
					flash_age_put_units(&run->place, &c,
							    plane, lpn, 1);
			}
		run->cursor[plane] = c;
	}
}

/* Only the last row may be short. */
static void age_count_row(struct age_run *run, u32 row)
{
	const struct ssdqos_flash_geo *geo = &run->f->geo;
	u32 plane, i, lpn;

	if (row + 1 < run->nr_pieces) {
		for (plane = 0; plane < geo->nr_planes; plane++)
			run->cursor[plane].total += geo->units_per_page;
		run->host_units += age_piece_data(run);
		return;
	}

	for (plane = 0; plane < geo->nr_planes; plane++)
		for (i = 0; i < geo->units_per_page; i++) {
			lpn = age_striped_lpn(run, plane, row, i);
			run->cursor[plane].total += lpn != SSDQOS_NIL;
			run->host_units += lpn < geo->nr_lpn;
		}
}

static void age_count_striped(struct age_run *run)
{
	u32 j;

	for (j = 0; j < run->nr_batch; j++)
		age_count_row(run, run->place.base[j]);
}

static void age_unmap_striped(struct age_run *run)
{
	struct ssdqos_flash *f = run->f;
	u32 plane, j, i, lpn;

	for (plane = 0; plane < f->geo.nr_planes; plane++)
		for (j = 0; j < run->nr_batch; j++)
			for (i = 0; i < f->geo.units_per_page; i++) {
				lpn = age_striped_lpn(run, plane,
						      run->place.base[j], i);
				if (lpn != SSDQOS_NIL)
					f->l2p[lpn] = FLASH_UNMAPPED;
			}
}

/* ---- all of them ---- */

/* What is done with a batch. */
struct age_work {
	void (*plain)(struct age_run *run);
	void (*striped)(struct age_run *run);
};

static const struct age_work age_fill = { age_fill_plain, age_fill_striped };
static const struct age_work age_count = { age_count_plain, age_count_striped };
static const struct age_work age_unmap = { age_unmap_plain, age_unmap_striped };

static void age_do_batch(struct age_run *run, const struct age_work *work)
{
	if (!run->nr_batch)
		return;
	(run->striped ? work->striped : work->plain)(run);
	run->nr_batch = 0;
	run->short_batch = false;
	run->plane_shift = (run->plane_shift + run->place.deal.nr_pages) %
			   run->f->geo.nr_planes;
}

static void age_add_piece(struct age_run *run, u32 lpn, u32 limit)
{
	u32 end = min(limit, lpn + run->place.deal.piece_units);

	run->place.base[run->nr_batch] = lpn;
	run->end[run->nr_batch++] = end;
	run->short_batch |= end - lpn < run->place.deal.piece_units;
}

static void age_add(struct age_run *run, u32 piece)
{
	if (run->striped)
		run->place.base[run->nr_batch++] = piece;
	else
		age_add_piece(run, piece * run->place.deal.piece_units,
			      run->f->geo.nr_lpn);
}

/* The map comes first: it lies in the youngest blocks, because it is written
 * most often.
 */
static void age_walk_map(struct age_run *run, const struct age_work *work)
{
	const struct ssdqos_flash_geo *geo = &run->f->geo;
	u32 lpn = geo->map_lpn;

	run->striped = false;
	run->most_batch = run->place.deal.nr_pieces;
	for (; lpn < geo->nr_all; lpn += run->place.deal.piece_units) {
		age_add_piece(run, lpn, geo->nr_all);
		if (run->nr_batch == run->most_batch)
			age_do_batch(run, work);
	}
	age_do_batch(run, work);
}

/* In the order of age; what is not filled comes last. */
static void age_walk_data(struct age_run *run, u32 from, u32 to,
			  const struct age_work *work)
{
	u32 at = age_piece_after(run, from), i;

	run->striped = run->f->geo.stripe_units;
	run->most_batch = run->striped ? FLASH_AGE_MAX_PIECES :
					 run->place.deal.nr_pieces;
	run->next_piece = age_piece_after(run, (u64)from + run->most_batch);
	for (i = from; i < to; i++) {
		age_add(run, run->sequential && i >= run->nr_filled ? i : at);
		if (run->nr_batch == run->most_batch)
			age_do_batch(run, work);
		at = age_next_piece(run, at);
	}
	age_do_batch(run, work);
}

static void age_walk_filled(struct age_run *run, const struct age_work *work)
{
	run->plane_shift = 0;
	run->next_even = 0;
	if (run->nr_filled)
		age_walk_map(run, work);
	age_walk_data(run, 0, run->nr_filled, work);
}

/* What holds nothing; an empty drive has no map either. */
static void age_unmap_rest(struct age_run *run)
{
	if (!run->nr_filled)
		age_walk_map(run, &age_unmap);
	age_walk_data(run, run->nr_filled, run->nr_pieces, &age_unmap);
}

/* ---- the whole ---- */

static void age_fill_buffer(struct age_run *run)
{
	const struct flash_age_recent recent = {
		.rng = &run->place.rng,
		.host_units = run->host_units,
		.nr_pieces = run->nr_filled,
		.piece_units = age_piece_data(run),
		.first_piece = run->first_piece,
		.sequential = run->sequential,
	};

	if (run->f->cfg.cache != SSDQOS_FLASH_CACHE_NONE)
		flash_age_buffer(run->f, &recent);
}

/* Sequential writes go up, so from young to old it goes down. */
static void age_choose_order(struct age_run *run)
{
	u32 stride;

	run->ring = run->sequential ? max_t(u32, run->nr_filled, 1) :
				      run->nr_pieces;
	run->first_piece = ssdqos_rng_below(&run->place.rng, run->ring);
	if (run->sequential) {
		run->stride = run->ring - 1;
		return;
	}
	stride = (u32)div64_u64((u64)run->ring * AGE_GOLDEN_NUM,
				AGE_GOLDEN_DEN) | 1;
	while (flash_age_gcd(stride, run->ring) != 1)
		stride++;
	run->stride = stride % run->ring;
}

/* Parity and data of a stripe are in the same row. */
static void age_count_pieces(struct age_run *run, u32 fill_pct)
{
	const struct ssdqos_flash_geo *geo = &run->f->geo;
	u32 units = geo->nr_lpn, piece = run->place.deal.piece_units;

	if (geo->stripe_units) {
		units = (geo->map_lpn - geo->parity_lpn) * geo->stripe_units;
		piece = geo->nr_planes << geo->page_shift;
	}
	run->nr_pieces = DIV_ROUND_UP(units, piece);
	run->nr_filled = (u32)div64_u64((u64)run->nr_pieces * fill_pct,
					AGE_PCT);
}

/* What a plane draws, its twins draw. */
static void age_seed_twins(struct age_run *run)
{
	u64 seed = 0;
	u32 i;

	if (run->place.nr_twins == 1)
		return;
	for (i = 0; i < run->f->geo.nr_planes; i++) {
		if (i % run->place.nr_twins == 0)
			seed = ssdqos_rng_next(&run->place.rng);
		ssdqos_rng_seed(&run->cursor[i].rng, seed);
	}
}

static void age_begin_planes(struct age_run *run)
{
	struct ssdqos_flash *f = run->f;
	struct flash_age_cycle cycle;
	u32 i, grain = run->place.deal.grain_units, since = 0;
	u32 in_step = flash_age_in_step(f);

	flash_age_begin(f, &run->place.rng, run->cursor[0].total * grain,
			&cycle);
	age_seed_twins(run);
	for (i = 0; i < f->geo.nr_planes; i++) {
		struct flash_age_cursor *c = &run->cursor[i];

		if (i % in_step == 0)
			since = flash_age_since(&cycle, &run->place.rng);
		flash_age_draw(f, flash_age_rng(&run->place, c), &cycle, since,
			       c->total * grain, &c->phase);
		c->sum.exp = SSDQOS_FP_ONE;
		flash_age_enter_block(&run->place, c, i);
	}
}

static void age_settle_blocks(struct age_run *run)
{
	u32 i;

	flash_free_lists_clear(run->f);
	for (i = 0; i < run->f->geo.nr_planes; i++)
		flash_age_settle(run->f, &run->place.rng, i,
				 &run->cursor[i].phase);
	run->f->nr_free_min = run->f->nr_free;
}

static int age_prepare(struct age_run *run, u32 fill_pct, u64 seed)
{
	struct ssdqos_flash *f = run->f;

	ssdqos_rng_seed(&run->place.rng, seed);
	run->place.f = f;
	run->sequential = f->cfg.aged_pattern == SSDQOS_FLASH_AGED_SEQUENTIAL;
	run->cursor = ssdqos_env_alloc(f->geo.nr_planes * sizeof(*run->cursor));
	if (!run->cursor ||
	    flash_age_deal_make(f, &run->place.rng, &run->place.deal) ||
	    flash_age_place_make(&run->place))
		return -ENOMEM;
	age_count_pieces(run, fill_pct);
	age_choose_order(run);
	return 0;
}

/* Is a plane to hold more than it can?  Stripes say what is where, and are equal. */
static bool age_is_too_much(const struct age_run *run)
{
	u64 most = flash_age_most_valid(run->f);
	u32 i;

	if (run->f->cfg.allocation == SSDQOS_FLASH_STATIC)
		return false;
	for (i = 0; i < run->f->geo.nr_planes; i++)
		if (run->cursor[i].total * run->place.deal.grain_units > most)
			return true;
	return false;
}

/* How much each plane will hold. */
static void age_count_planes(struct age_run *run)
{
	u32 i;

	age_walk_filled(run, &age_count);
	if (!age_is_too_much(run))
		return;
	for (i = 0; i < run->f->geo.nr_planes; i++)
		run->cursor[i].total = 0;
	run->host_units = 0;
	run->even = true;
	age_walk_filled(run, &age_count);
}

static void age_apply(struct age_run *run)
{
	struct ssdqos_flash *f = run->f;
	u32 i;

	flash_blank_blocks(f);
	age_count_planes(run);
	age_begin_planes(run);
	age_walk_filled(run, &age_fill);
	age_unmap_rest(run);
	for (i = 0; i < f->geo.nr_planes; i++)
		flash_age_close_plane(&run->place, &run->cursor[i], i);
	f->mapped = (u32)run->host_units;
	age_fill_buffer(run);
	age_settle_blocks(run);
	flash_mapcache_warm(f);
	flash_survey(f);
	for (i = 0; i < f->geo.nr_planes; i++)
		flash_buffer_plane_changed(f, i);
}

static int age_try(struct ssdqos_flash *f, u32 fill_pct, u64 seed)
{
	struct age_run *run = ssdqos_env_alloc(sizeof(*run));
	int r;

	if (!run)
		return -ENOMEM;
	run->f = f;
	r = age_prepare(run, fill_pct, seed);
	if (!r)
		age_apply(run);
	flash_age_place_free(&run->place);
	flash_age_deal_free(&run->place.deal);
	ssdqos_env_free(run->cursor);
	ssdqos_env_free(run);
	return r;
}

/**
 * ssdqos_flash_age - replace a drive's state by that of a long-used drive
 * @f: the drive; idle
 * @fill_pct: part of the logical capacity that holds data, 0 to 100
 * @seed: of the random placement
 * @err: gets one sentence on failure
 * @err_size: its size
 *
 * Context: may sleep; takes one to two milliseconds a GiB.
 *
 * Return: 0, -EBUSY if the drive is not idle, -EINVAL, -ENOMEM; then nothing
 * has changed.
 */
int ssdqos_flash_age(struct ssdqos_flash *f, u32 fill_pct, u64 seed, char *err,
		     u32 err_size)
{
	int r;

	if (!ssdqos_flash_idle(f)) {
		scnprintf(err, err_size, "age: the drive is not idle");
		return -EBUSY;
	}
	if (fill_pct > AGE_PCT) {
		scnprintf(err, err_size,
			  "age: '%u' is not a number from 0 to 100 %%", fill_pct);
		return -EINVAL;
	}
	r = age_try(f, fill_pct, seed);
	if (r)
		scnprintf(err, err_size, "age: no memory");
	return r;
}
