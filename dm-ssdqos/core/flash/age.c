// SPDX-License-Identifier: GPL-2.0
/*
 * age.c - put a drive into steady state by arithmetic
 *
 * What long random overwriting leaves behind is known, so nothing has to be
 * written.  A block is filled, then loses valid units at a constant rate in
 * its share, until it is collected at a valid share u*.  Block number x of n
 * in the order of age (0 <= x <= 1) therefore keeps exp(-x L) of its units,
 * with L = -ln u*, and the mean over all blocks is the drive's valid share
 *
 *	rho = (1 - u*) / L	(Desnoyers, SYSTOR 2012; Bux and Iliadis, 2010)
 *
 * which gives u* by bisection.  The valid units of blocks 0 to x are
 *
 *	C(x) = V (1 - exp(-x L)) / (1 - u*),	V = all valid units of the plane
 *
 * so differences of rounded C add up to V exactly.
 *
 * Which unit goes where: logical space is cut into rows of one flash page for
 * each plane.  Rows are dealt in an order that jumps through the whole space
 * (multiples of a number coprime to their count), a row's units go to the
 * planes in a shuffled order (or to their own planes with static allocation),
 * and to shuffled positions of the plane's current block.  The shuffles are
 * made once and rotated, and the working set stays in the cache: some 3 ns a
 * unit, under a millisecond a GiB.  Neighbours within a row end up in blocks
 * of one age; between rows nothing is related.
 */
#include "internal.h"
#include "../engine/fixed.h"

#define AGE_PCT			100
#define AGE_BISECTIONS		40
#define AGE_MAX_L		(22ULL << SSDQOS_FP_SHIFT)	/* u* = 3e-10 */
#define AGE_WEAR_SPREAD_PCT	10	/* of the mean, up and down */
#define AGE_GOLDEN_NUM		618	/* row stride / rows: golden ratio */
#define AGE_GOLDEN_DEN		1000

/* Where a plane's next unit goes. */
struct age_cursor {
	u32 block;		/* in the plane */
	u32 k;			/* units of it that are placed */
	u32 valid;		/* units that it gets */
	u32 rotation;
	u64 placed;		/* units in blocks before it */
	u64 total;		/* units of the plane */
};

struct age_run {
	struct ssdqos_flash *f;
	struct ssdqos_rng rng;
	struct age_cursor *cursor;
	u16 *position;		/* shuffled positions in a block */
	u16 *plane;		/* plane of a row's units, shuffled */
	u32 row_units;
	u32 nr_rows;
	u32 fill_rows;
	u32 used_blocks;	/* of a plane */
	u64 decay;		/* L, fixed-point */
	u64 one_minus_end;	/* 1 - u*, fixed-point */
};

static void age_shuffle(struct ssdqos_rng *rng, u16 *a, u32 n)
{
	while (n > 1) {
		u32 j = ssdqos_rng_below(rng, n--);

		swap(a[n], a[j]);
	}
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

/* L such that (1 - exp(-L)) / L = rho; the left side falls with L. */
static u64 age_solve_decay(u64 rho)
{
	u64 low = 1, high = AGE_MAX_L;
	int i;

	for (i = 0; i < AGE_BISECTIONS; i++) {
		u64 mid = low + (high - low) / 2;
		u64 mean = SSDQOS_FP_ONE - ssdqos_fp_exp_neg(mid);

		if (mean > ssdqos_fp_mul(rho, mid))
			low = mid;
		else
			high = mid;
	}
	return high;
}

/* C(x) for the first @blocks blocks of a plane. */
static u64 age_cumulative(const struct age_run *run, u64 total, u32 blocks)
{
	u64 x, part;

	if (blocks >= run->used_blocks)
		return total;
	x = ssdqos_fp_ratio(blocks, run->used_blocks);
	part = SSDQOS_FP_ONE - ssdqos_fp_exp_neg(ssdqos_fp_mul(x, run->decay));
	return ssdqos_fp_mul(total,
			     div64_u64(part << 31, run->one_minus_end) << 1);
}

/* Give the cursor's block its number of valid units. */
static void age_enter_block(struct age_run *run, struct age_cursor *c)
{
	u32 most = flash_units_per_block(run->f);
	u64 upto = age_cumulative(run, c->total, c->block + 1);

	c->k = 0;
	c->valid = (u32)min_t(u64, upto - min(upto, c->placed), most);
	c->rotation = ssdqos_rng_below(&run->rng, most);
}

static void age_next_block(struct age_run *run, struct age_cursor *c)
{
	do {
		c->placed += c->valid;
		c->block++;
		age_enter_block(run, c);
	} while (!c->valid && c->block + 1 < run->used_blocks);
}

static u32 age_place(struct age_run *run, u32 plane)
{
	struct ssdqos_flash *f = run->f;
	struct age_cursor *c = &run->cursor[plane];
	u32 block, at;

	if (c->k == c->valid)
		age_next_block(run, c);
	block = plane * f->geo.blocks_per_plane + c->block;
	at = (c->k++ + c->rotation) & (flash_units_per_block(f) - 1);
	f->blocks[block].valid++;
	return (block << f->geo.block_shift) + run->position[at];
}

static void age_fill_row(struct age_run *run, u32 row, u32 rotation)
{
	struct ssdqos_flash *f = run->f;
	u32 lpn = row * run->row_units, i;

	for (i = 0; i < run->row_units && lpn < f->geo.nr_lpn; i++, lpn++) {
		u32 at = i + rotation, psn;

		if (at >= run->row_units)
			at -= run->row_units;
		psn = age_place(run, run->plane[at]);
		f->l2p[lpn] = psn;
		f->p2l[psn] = lpn;
	}
}

/* Calls @visit for every row to fill, in the jumping order. */
static void age_walk_rows(struct age_run *run, u32 first,
			  void (*visit)(struct age_run *run, u32 row, u32 j))
{
	u32 stride = (u32)div64_u64((u64)run->nr_rows * AGE_GOLDEN_NUM,
				    AGE_GOLDEN_DEN) | 1;
	u32 row = first, j;

	while (age_gcd(stride, run->nr_rows) != 1)
		stride++;
	stride %= run->nr_rows;
	for (j = 0; j < run->fill_rows; j++) {
		visit(run, row, j);
		row += stride;
		if (row >= run->nr_rows)
			row -= run->nr_rows;
	}
}

static void age_visit_fill(struct age_run *run, u32 row, u32 j)
{
	bool fixed = run->f->cfg.allocation == SSDQOS_FLASH_STATIC;

	/* a prime step, so that rotations don't repeat with the planes */
	age_fill_row(run, row, fixed ? 0 : j * 7919 % run->row_units);
}

/* Only the last row may be short: its units don't reach every plane. */
static void age_visit_count(struct age_run *run, u32 row, u32 j)
{
	struct ssdqos_flash *f = run->f;
	u32 i, from = f->geo.nr_lpn - row * run->row_units;
	u32 rotation = f->cfg.allocation == SSDQOS_FLASH_STATIC ?
		       0 : j * 7919 % run->row_units;

	for (i = from; i < run->row_units; i++)
		run->cursor[run->plane[(i + rotation) % run->row_units]].total--;
}

/* How many units each plane gets. */
static void age_count(struct age_run *run, u32 first)
{
	u32 i;

	for (i = 0; i < run->f->geo.nr_planes; i++)
		run->cursor[i].total = (u64)run->fill_rows *
				       run->f->geo.units_per_page;
	age_walk_rows(run, first, age_visit_count);
}

static void age_solve(struct age_run *run)
{
	struct ssdqos_flash *f = run->f;
	u64 valid = (u64)run->fill_rows * f->geo.units_per_page;
	u32 keep = f->gc_start + (f->gc_stop - f->gc_start) / 2;
	u32 least, i;
	u64 rho;

	/* what the open blocks will take comes on top of what is kept free */
	keep += FLASH_NR_STREAMS;
	least = (u32)((valid + flash_units_per_block(f) - 1) >>
		      f->geo.block_shift) + 1;
	run->used_blocks = f->geo.blocks_per_plane - keep;
	run->used_blocks = max(run->used_blocks, least);
	rho = ssdqos_fp_ratio(valid, (u64)run->used_blocks <<
			      f->geo.block_shift);
	run->decay = age_solve_decay(rho);
	run->one_minus_end = SSDQOS_FP_ONE - ssdqos_fp_exp_neg(run->decay);
	for (i = 0; i < f->geo.nr_planes; i++)
		age_enter_block(run, &run->cursor[i]);
}

static void age_wear(struct age_run *run, struct flash_block *b)
{
	const struct ssdqos_flash_config *cfg = &run->f->cfg;
	u32 spread = (u32)cfg->aged_pe_cycles * AGE_WEAR_SPREAD_PCT / AGE_PCT;

	b->pe_cycles = (u32)cfg->aged_pe_cycles - spread +
		       ssdqos_rng_below(&run->rng, 2 * spread + 1);
	b->read_count = cfg->aged_reads ?
		ssdqos_rng_below(&run->rng, (u32)cfg->aged_reads) : 0;
}

static void age_settle_blocks(struct age_run *run)
{
	struct ssdqos_flash *f = run->f;
	u32 i;

	flash_free_lists_clear(f);
	for (i = 0; i < f->geo.nr_blocks; i++) {
		struct flash_block *b = &f->blocks[i];

		age_wear(run, b);
		if (i % f->geo.blocks_per_plane >= run->used_blocks) {
			b->read_count = 0;
			flash_block_free_push(f, i);
			continue;
		}
		b->state = FLASH_BLOCK_CLOSED;
		b->done_pages = (u16)f->geo.pages_per_block;
		b->change_ns = f->now_ns;
		flash_bucket_insert(f, i);
	}
	f->nr_free_min = f->nr_free;
}

static void age_prepare(struct age_run *run, u32 fill_pct, u64 seed)
{
	struct ssdqos_flash *f = run->f;
	u32 i;

	ssdqos_rng_seed(&run->rng, seed);
	run->row_units = f->geo.nr_planes * f->geo.units_per_page;
	run->nr_rows = (f->geo.nr_lpn + run->row_units - 1) / run->row_units;
	run->fill_rows = (u32)div64_u64((u64)run->nr_rows * fill_pct, AGE_PCT);
	for (i = 0; i < flash_units_per_block(f); i++)
		run->position[i] = (u16)i;
	age_shuffle(&run->rng, run->position, flash_units_per_block(f));
	for (i = 0; i < run->row_units; i++)
		run->plane[i] = (u16)(i >> f->geo.page_shift);
	if (f->cfg.allocation == SSDQOS_FLASH_DYNAMIC)
		age_shuffle(&run->rng, run->plane, run->row_units);
}

static void age_apply(struct age_run *run, u32 fill_pct, u64 seed)
{
	struct ssdqos_flash *f = run->f;
	u32 first, i;

	flash_blank(f);
	age_prepare(run, fill_pct, seed);
	first = ssdqos_rng_below(&run->rng, run->nr_rows);
	age_count(run, first);
	age_solve(run);
	age_walk_rows(run, first, age_visit_fill);
	for (i = 0; i < f->geo.nr_planes; i++)
		f->mapped += (u32)run->cursor[i].total;
	age_settle_blocks(run);
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
	run.position = ssdqos_env_alloc((u64)flash_units_per_block(f) *
					sizeof(u16));
	run.plane = ssdqos_env_alloc((u64)f->geo.nr_planes *
				     f->geo.units_per_page * sizeof(u16));
	if (run.cursor && run.position && run.plane) {
		age_apply(&run, fill_pct, seed);
		r = 0;
	} else {
		scnprintf(err, err_size, "age: no memory");
	}
	ssdqos_env_free(run.plane);
	ssdqos_env_free(run.position);
	ssdqos_env_free(run.cursor);
	return r;
}
