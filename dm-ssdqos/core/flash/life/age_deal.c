// SPDX-License-Identifier: GPL-2.0
/*
 * age_deal.c - which units of an aged drive lie next to which
 *
 * A drive writes what it gets one behind the other, a page to a plane and the
 * next page to the next plane, so what one write of the host (aged_bs) was is
 * together in flash: in a page, in the same place of neighbouring planes.  What
 * it lies beside came at the same time, and is from
 *
 *	random		anywhere
 *	sequential	before and behind it
 *	mixed		anywhere; half of the data is in runs of AGE_RUN_UNITS
 *
 * With mixed writes, the runs and the small writes that fall into them come
 * equally often.  A run of the age a has exp(-a h) of its units left, small
 * writes have taken the rest; ages of runs have the density h exp(-a h), so all
 * shares from 0 to 1 are equally likely.
 *
 * With static allocation, the address says which plane, and only the order of
 * what lies in one plane is left.
 *
 * A deal is made once, for some thousand units: pieces of neighbours, so that
 * the map is written by cache lines at least, and so few that it fits the L1
 * cache.  It is repeated with other pieces until all of them are dealt.
 */
#include "life.h"

#define AGE_DEAL_UNITS		4096	/* their map fits the L1 cache */
#define AGE_DEAL_ROWS		2	/* but something for every plane */
#define AGE_LEAST_PIECE		16	/* map entries in a cache line */
#define AGE_RUN_UNITS		256	/* 1 MiB, the largest aged_bs */

/* What a deal is made with. */
struct age_dealer {
	const struct ssdqos_flash *f;
	struct ssdqos_rng *rng;
	struct flash_age_deal *deal;
	u32 nr_units;
	u32 *order;	/* first units of grains, from young to old */
	u32 nr_order;
	u32 *item;	/* chunks, and behind their numbers runs */
	u8 *in_run;	/* the chunk is what is left of a run */
};

u32 flash_age_gcd(u32 a, u32 b)
{
	while (b) {
		u32 t = a % b;

		a = b;
		b = t;
	}
	return a;
}

/* Units of a write of the host. */
u32 flash_age_chunk(const struct ssdqos_flash *f)
{
	return (u32)(f->cfg.aged_bs >> SSDQOS_UNIT_SHIFT);
}

/* Flash pages of a write of the host. */
static u32 age_chunk_pages(const struct ssdqos_flash *f)
{
	return max_t(u32, flash_age_chunk(f) >> f->geo.page_shift, 1);
}

/**
 * flash_age_in_step - how many neighbouring planes have taken the same pages
 * @f: the drive
 *
 * Return: with dynamic allocation all planes, if each collects for itself: where
 * the drive collects as a whole, who is busy when its turn comes is passed over.
 * With static allocation those that get a page each of every write.  A buffer that
 * is written out down to a fill cuts the last write there; what comes again before
 * its rest has left makes pages in the planes of its first part only, so in the long
 * run planes stay together that far.  With stripes, parity comes in between.
 */
u32 flash_age_in_step(const struct ssdqos_flash *f)
{
	u32 pages = age_chunk_pages(f);

	if (f->cfg.aged_pattern == SSDQOS_FLASH_AGED_SEQUENTIAL)
		return f->geo.nr_planes;
	if (f->cfg.allocation == SSDQOS_FLASH_DYNAMIC)
		return f->cfg.gc_scope == SSDQOS_FLASH_GC_PLANE ?
		       f->geo.nr_planes : 1;
	if (f->geo.stripe_units)
		return 1;
	pages = flash_age_gcd(pages, f->buffer.threshold >> f->geo.page_shift);
	return flash_age_gcd(pages, f->geo.nr_planes);
}

/**
 * flash_age_twins - how many of them hold the same in the same places, too
 * @f: the drive
 *
 * Return: those that get a page each of every write; with dynamic allocation only
 * planes of one chip: others do not end what they copy at the same time, so that some
 * have a unit copied that is written again meanwhile, and some have not.
 */
u32 flash_age_twins(const struct ssdqos_flash *f)
{
	u32 nr = flash_age_gcd(flash_age_in_step(f), age_chunk_pages(f));

	if (f->cfg.allocation == SSDQOS_FLASH_STATIC)
		return nr;
	return flash_age_gcd(nr, f->geo.nr_planes / f->geo.nr_chips);
}

void flash_age_shuffle(struct ssdqos_rng *rng, u32 *a, u32 n)
{
	while (n > 1) {
		u32 j = ssdqos_rng_below(rng, n--);

		swap(a[n], a[j]);
	}
}

static u32 age_round_up_power(u32 n)
{
	return 1u << fls64(n - 1);
}

/* ---- the order ---- */

/* Units from @unit on that one write left; the last of them is the youngest. */
static void age_order_units(struct age_dealer *d, u32 unit, u32 nr)
{
	u32 end = min(unit + nr, d->nr_units), grain = d->deal->grain_units;

	while (end > unit) {
		end -= grain;
		d->order[d->nr_order++] = end;
	}
}

static void age_order_random(struct age_dealer *d)
{
	u32 chunk = flash_age_chunk(d->f), i;
	u32 nr = DIV_ROUND_UP(d->nr_units, chunk);

	for (i = 0; i < nr; i++)
		d->item[i] = i;
	flash_age_shuffle(d->rng, d->item, nr);
	for (i = 0; i < nr; i++)
		age_order_units(d, d->item[i] * chunk, chunk);
}

/* Pieces come from young to old, so the last one has the lowest addresses. */
static void age_order_sequential(struct age_dealer *d)
{
	u32 i, piece = d->deal->piece_units;

	for (i = 0; i < d->deal->nr_pieces; i++)
		age_order_units(d, i * piece, piece);
}

/* Draw which chunks are left of runs, of the first of @nr_runs next to none and
 * of the last one nearly all; items are the runs and all other chunks.
 */
static u32 age_draw_runs(struct age_dealer *d, u32 nr_chunks, u32 nr_runs)
{
	u32 chunk = flash_age_chunk(d->f), i, nr = 0;

	for (i = 0; i < nr_runs; i++)
		d->item[nr++] = nr_chunks + i;
	for (i = 0; i < nr_chunks; i++) {
		u32 run = i * chunk / AGE_RUN_UNITS;

		d->in_run[i] = ssdqos_rng_below(d->rng, 2 * nr_runs) <
			       2 * run + 1;
		if (!d->in_run[i])
			d->item[nr++] = i;
	}
	return nr;
}

static void age_order_run(struct age_dealer *d, u32 nr_chunks, u32 run)
{
	u32 chunk = flash_age_chunk(d->f);
	u32 first = run * AGE_RUN_UNITS / chunk;
	u32 i = min(first + AGE_RUN_UNITS / chunk, nr_chunks);

	while (i-- > first)
		if (d->in_run[i])
			age_order_units(d, i * chunk, chunk);
}

static void age_order_mixed(struct age_dealer *d)
{
	u32 chunk = flash_age_chunk(d->f), i, nr;
	u32 nr_chunks = DIV_ROUND_UP(d->nr_units, chunk);
	u32 nr_runs = DIV_ROUND_UP(d->nr_units, AGE_RUN_UNITS);

	nr = age_draw_runs(d, nr_chunks, nr_runs);
	flash_age_shuffle(d->rng, d->item, nr);
	for (i = 0; i < nr; i++)
		if (d->item[i] < nr_chunks)
			age_order_units(d, d->item[i] * chunk, chunk);
		else
			age_order_run(d, nr_chunks, d->item[i] - nr_chunks);
}

static void (*const age_orders[])(struct age_dealer *d) = {
	[SSDQOS_FLASH_AGED_RANDOM] = age_order_random,
	[SSDQOS_FLASH_AGED_SEQUENTIAL] = age_order_sequential,
	[SSDQOS_FLASH_AGED_MIXED] = age_order_mixed,
};

/* ---- planes ---- */

static u32 age_plane_of(const struct age_dealer *d, u32 i)
{
	const struct ssdqos_flash_geo *geo = &d->f->geo;
	u32 unit = d->f->cfg.allocation == SSDQOS_FLASH_STATIC ?
		   d->order[i] : i * d->deal->grain_units;

	return (unit >> geo->page_shift) % geo->nr_planes;
}

static u32 age_entry(const struct flash_age_deal *deal, u32 unit)
{
	return unit % deal->piece_units << FLASH_AGE_PIECE_BITS |
	       unit / deal->piece_units;
}

/* Sort by plane; within one the order stays. */
static void age_split(struct age_dealer *d)
{
	u32 *first = d->deal->first, i, plane, nr = d->f->geo.nr_planes;

	for (i = 0; i < d->nr_order; i++)
		first[age_plane_of(d, i) + 1]++;
	for (i = 0; i < nr; i++)
		first[i + 1] += first[i];
	for (i = d->nr_order; i--;) {
		plane = age_plane_of(d, i);
		d->deal->entry[--first[plane + 1]] =
			age_entry(d->deal, d->order[i]);
	}
	/* what was the end of a plane is now its beginning */
	for (i = 0; i < nr; i++)
		first[i] = first[i + 1];
	first[nr] = d->nr_order;
}

/* ---- the deal ---- */

/* A unit of parity moves with none of the others in its page. */
static u32 age_grain(const struct ssdqos_flash *f)
{
	if (f->geo.stripe_units)
		return 1;
	if (f->cfg.aged_pattern == SSDQOS_FLASH_AGED_SEQUENTIAL)
		return f->geo.units_per_page;
	return min(flash_age_chunk(f), f->geo.units_per_page);
}

/* A power of two. */
static u32 age_lump(const struct ssdqos_flash *f, u32 row_units)
{
	u32 pages = flash_age_chunk(f) / row_units;

	if (f->cfg.aged_pattern != SSDQOS_FLASH_AGED_RANDOM || pages < 2)
		return 1;
	return 1u << (fls64(pages) - 1);
}

static void age_deal_shape(const struct ssdqos_flash *f,
			   struct flash_age_deal *deal)
{
	u32 row = f->geo.nr_planes << f->geo.page_shift;
	u32 units = max_t(u32, AGE_DEAL_UNITS, AGE_DEAL_ROWS * row);
	u32 piece = max_t(u32, AGE_LEAST_PIECE, flash_age_chunk(f));

	piece = max(piece, units / FLASH_AGE_MAX_PIECES);
	if (f->cfg.aged_pattern == SSDQOS_FLASH_AGED_MIXED)
		piece = max_t(u32, piece, AGE_RUN_UNITS);
	piece = age_round_up_power(piece);
	/* the place in a piece has to say which plane */
	if (f->cfg.allocation == SSDQOS_FLASH_STATIC)
		piece = DIV_ROUND_UP(piece, row) * row;
	deal->grain_units = age_grain(f);
	deal->lump_grains = age_lump(f, row);
	deal->page_grains = f->cfg.aged_pattern == SSDQOS_FLASH_AGED_MIXED ?
			    f->geo.units_per_page / deal->grain_units : 1;
	deal->piece_units = piece;
	deal->nr_pieces = max_t(u32, units / piece, 1);
	deal->nr_pages = deal->nr_pieces * piece >> f->geo.page_shift;
}

static void age_dealer_free(struct age_dealer *d)
{
	ssdqos_env_free(d->in_run);
	ssdqos_env_free(d->item);
	ssdqos_env_free(d->order);
}

static int age_dealer_alloc(struct age_dealer *d)
{
	u64 nr = d->nr_units;

	d->order = ssdqos_env_alloc(nr * sizeof(u32));
	/* as many chunks as units, and as many runs */
	d->item = ssdqos_env_alloc(2 * nr * sizeof(u32));
	d->in_run = ssdqos_env_alloc(nr);
	d->deal->entry = ssdqos_env_alloc(nr * sizeof(u32));
	d->deal->first = ssdqos_env_alloc((d->f->geo.nr_planes + 1ULL) *
					  sizeof(u32));
	return d->order && d->item && d->in_run && d->deal->entry &&
	       d->deal->first ? 0 : -ENOMEM;
}

/**
 * flash_age_deal_make - make the deal of a drive
 * @f: the drive
 * @rng: random numbers
 * @deal: zeroed
 *
 * Return: 0 or -ENOMEM; flash_age_deal_free() in any case.
 */
int flash_age_deal_make(const struct ssdqos_flash *f, struct ssdqos_rng *rng,
			struct flash_age_deal *deal)
{
	struct age_dealer d = { .f = f, .rng = rng, .deal = deal };
	int r;

	age_deal_shape(f, deal);
	d.nr_units = deal->nr_pieces * deal->piece_units;
	r = age_dealer_alloc(&d);
	if (!r) {
		age_orders[f->cfg.aged_pattern](&d);
		age_split(&d);
	}
	age_dealer_free(&d);
	return r;
}

/**
 * flash_age_deal_free - free what flash_age_deal_make() allocated
 * @deal: the deal
 */
void flash_age_deal_free(struct flash_age_deal *deal)
{
	ssdqos_env_free(deal->first);
	ssdqos_env_free(deal->entry);
}
