// SPDX-License-Identifier: GPL-2.0
/*
 * age_plane.c - what long random overwriting leaves behind
 *
 * It is known, so nothing has to be written.
 *
 * What a block holds: a block is filled, then loses valid units at a constant
 * rate in its share, until it is collected at a valid share u*.  Of the units
 * that are programmed in a plane, those at place x in the order of age
 * (0 <= x <= 1) are therefore valid with a probability of exp(-x L), with
 * L = -ln u*, and the mean over all is the plane's valid share
 *
 *	rho = (1 - u*) / L	(Desnoyers, SYSTOR 2012; Bux and Iliadis, 2010)
 *
 * which gives u* by bisection; the write amplification is 1 / (1 - u*).  The
 * valid units among those from 0 to x are
 *
 *	C(x) = V (1 - exp(-x L)) / (1 - u*),	V = all valid units of the plane
 *
 * so differences of rounded C add up to V exactly.
 *
 * Where in its cycle a plane is: collection ends with gc_stop free blocks.
 * Then the host fills block after block, until one more leaves fewer than
 * gc_start, which takes
 *
 *	H = (gc_stop - gc_start + 1) blocks
 *
 * of writes.  At any rate of writing that the drive can keep up with,
 * collecting is short against that, so a plane that is looked at any time has
 * taken h pages since, all 0 <= h < H equally likely:
 *
 *	free blocks		gc_stop - h / pages of a block, rounded down
 *	the host's open block	the rest of that division
 *
 * The block to which collection copies was left where the last victim fitted:
 * a victim that needs another free block gains none, so collection does not
 * end with it.  It is full to between u* and 1, equally likely.  That of the map
 * is full to any part.
 *
 * Planes that collect each for itself (gc_scope plane) are each at a place of
 * their own, or a group of them is that takes the same pages (age_deal.c): the planes
 * of one large write, or with dynamic allocation, where writes go round, all planes.
 * (They were in step once, and stay so for as long as none is busy when its turn comes;
 * a drive that has too much to do spreads them.)  Where all collect together (drive),
 * one h is drawn for the drive, and planes differ by less than a block.
 *
 * A drive that is written from begin to end has its youngest units valid and no
 * others: blocks are all valid, or empty but for one, and nothing is ever copied.
 * Its planes are in step: all have the same h.
 *
 * A drive that writes faster than it can collect has fewer free blocks; it gets
 * there by writing what it has too many.
 */
#include "life.h"
#include "../../engine/fixed.h"

#define AGE_PCT			100
#define AGE_WEAR_SPREAD_PCT	10	/* of the mean, up and down */
#define AGE_BISECTIONS		40
#define AGE_EXP_ERROR		4	/* of the last digit, at most */
#define AGE_MAX_L		(22ULL << SSDQOS_FP_SHIFT)	/* u* = 3e-10 */

/* A plane that collects nothing yet has more free than collection's own. */
#define AGE_LEAST_FREE		(FLASH_GC_RESERVE_BLOCKS + 1)

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

static void age_solve(struct flash_age_phase *phase, u64 valid)
{
	u64 rho = ssdqos_fp_ratio(valid, phase->used_units);

	phase->decay = age_solve_decay(rho);
	phase->one_minus_end = SSDQOS_FP_ONE - ssdqos_fp_exp_neg(phase->decay);
}

/* Open blocks come first, they are the youngest. */
static u32 age_open_pages(const struct flash_age_phase *phase, u32 block)
{
	u32 s;

	for (s = 0; s < FLASH_NR_STREAMS; s++)
		if (phase->open_pages[s] && !block--)
			return phase->open_pages[s];
	return 0;
}

/* Programmed units of a used block. */
u32 flash_age_block_units(const struct ssdqos_flash *f,
			  const struct flash_age_phase *phase, u32 block)
{
	u32 pages = age_open_pages(phase, block);

	return pages ? pages << f->geo.page_shift : phase->block_units;
}

/* exp(-x L) for @units of a plane; never too large, however many are multiplied,
 * so that C(x) never leaves too much for the last block.
 */
static u64 age_decay_of(const struct flash_age_phase *phase, u64 units)
{
	u64 x = ssdqos_fp_ratio(units, phase->used_units);
	u64 part = ssdqos_fp_exp_neg(ssdqos_fp_mul(x, phase->decay));

	return part - min_t(u64, part, AGE_EXP_ERROR);
}

/* C(x): @units more of a plane's youngest, which has @valid in all. */
u64 flash_age_valid_in(const struct flash_age_phase *phase,
		       struct flash_age_sum *sum, u64 valid, u32 units)
{
	u64 part;

	sum->units += units;
	if (sum->units >= phase->used_units)
		return valid;
	if (phase->sequential)
		return min(sum->units, valid);
	sum->exp = ssdqos_fp_mul(sum->exp, units == phase->block_units ?
					   phase->block_exp :
					   age_decay_of(phase, units));
	part = min(SSDQOS_FP_ONE - sum->exp, phase->one_minus_end);
	return ssdqos_fp_mul(valid, div64_u64(part << 31,
					      phase->one_minus_end) << 1);
}

/* No block is open, and what is closed was written by the host. */
static void age_rest(const struct ssdqos_flash *f, struct flash_age_phase *phase)
{
	memset(phase, 0, sizeof(*phase));
	phase->block_units = flash_stream_units(f, FLASH_STREAM_HOST);
}

/* Pages of an open block that can be in use: places are dealt for blocks of the host. */
static u32 age_stream_pages(const struct ssdqos_flash *f, u32 stream)
{
	return min(flash_stream_pages(f, stream),
		   flash_stream_pages(f, FLASH_STREAM_HOST));
}

/* All but @nr_free blocks are used. */
static void age_use(const struct ssdqos_flash *f, struct flash_age_phase *phase,
		    u32 nr_free)
{
	u32 nr_open = 0, pages = 0, s;

	for (s = 0; s < FLASH_NR_STREAMS; s++) {
		nr_open += phase->open_pages[s] > 0;
		pages += phase->open_pages[s];
	}
	phase->used_blocks = f->geo.blocks_per_plane - nr_free;
	phase->used_units = (u64)(phase->used_blocks - nr_open) *
			    phase->block_units;
	phase->used_units += pages << f->geo.page_shift;
}

/* A plane with next to nothing over-provisioned: its valid units, and a block
 * that is worth collecting, come before open and free blocks.
 */
static void age_make_fit(const struct ssdqos_flash *f,
			 struct flash_age_phase *phase, u64 valid, u32 nr_free)
{
	u64 need = valid + phase->block_units;
	u32 s;

	age_use(f, phase, nr_free);
	for (s = 0; s < FLASH_NR_STREAMS && phase->used_units < need; s++) {
		phase->open_pages[s] = 0;
		age_use(f, phase, nr_free);
	}
	while (nr_free > AGE_LEAST_FREE && phase->used_units < need)
		age_use(f, phase, --nr_free);
}

/**
 * flash_age_most_valid - what a plane can hold
 * @f: the drive
 *
 * Return: valid units, with a block that is worth collecting beside them.
 */
u64 flash_age_most_valid(const struct ssdqos_flash *f)
{
	return (u64)(f->geo.blocks_per_plane - AGE_LEAST_FREE - 1) *
	       flash_stream_units(f, FLASH_STREAM_HOST);
}

static bool age_sequential(const struct ssdqos_flash *f)
{
	return f->cfg.aged_pattern == SSDQOS_FLASH_AGED_SEQUENTIAL;
}

/**
 * flash_age_begin - what all planes have in common
 * @f: the drive
 * @rng: random numbers
 * @valid: valid units of a plane
 * @cycle: gets it
 */
void flash_age_begin(const struct ssdqos_flash *f, struct ssdqos_rng *rng,
		     u64 valid, struct flash_age_cycle *cycle)
{
	struct flash_age_phase middle;
	u32 pages = age_stream_pages(f, FLASH_STREAM_HOST);

	age_rest(f, &middle);
	age_make_fit(f, &middle, valid, (f->gc_start + f->gc_stop) / 2 + 1);
	age_solve(&middle, valid);
	cycle->gain_pages = (u32)(pages * middle.one_minus_end >>
				  SSDQOS_FP_SHIFT);
	cycle->span_pages = (f->gc_stop - f->gc_start + 1) * pages;
	cycle->since_pages = 0;
	if (age_sequential(f) || f->cfg.gc_scope == SSDQOS_FLASH_GC_PLANE)
		return;
	cycle->since_pages = ssdqos_rng_below(rng, cycle->span_pages - pages +
					      1);
	cycle->span_pages = pages;
}

/**
 * flash_age_since - how many pages planes have taken since they collected
 * @cycle: flash_age_begin()
 * @rng: random numbers
 *
 * Return: the number.
 */
u32 flash_age_since(const struct flash_age_cycle *cycle, struct ssdqos_rng *rng)
{
	return cycle->since_pages + ssdqos_rng_below(rng, cycle->span_pages);
}

/**
 * flash_age_draw - where in its cycle a plane is
 * @f: the drive
 * @rng: random numbers
 * @cycle: flash_age_begin()
 * @since: flash_age_since()
 * @valid: valid units of the plane
 * @phase: gets it
 */
void flash_age_draw(const struct ssdqos_flash *f, struct ssdqos_rng *rng,
		    const struct flash_age_cycle *cycle, u32 since, u64 valid,
		    struct flash_age_phase *phase)
{
	u32 pages = age_stream_pages(f, FLASH_STREAM_HOST);
	u32 gc_pages = age_stream_pages(f, FLASH_STREAM_GC);
	u32 map_pages = age_stream_pages(f, FLASH_STREAM_MAP);

	age_rest(f, phase);
	phase->open_pages[FLASH_STREAM_HOST] = since % pages;
	phase->sequential = age_sequential(f);
	if (!phase->sequential)
		phase->open_pages[FLASH_STREAM_GC] =
			(gc_pages - ssdqos_rng_below(rng, cycle->gain_pages + 1)) %
			gc_pages;
	if (f->geo.nr_streams > FLASH_STREAM_MAP)
		phase->open_pages[FLASH_STREAM_MAP] = ssdqos_rng_below(rng,
								       map_pages);
	age_make_fit(f, phase, valid, f->gc_stop - since / pages);
	age_solve(phase, valid);
	phase->block_exp = age_decay_of(phase, phase->block_units);
}

static void age_wear(const struct ssdqos_flash *f, struct ssdqos_rng *rng,
		     struct flash_block *b)
{
	const struct ssdqos_flash_config *cfg = &f->cfg;
	u32 spread = (u32)cfg->aged_pe_cycles * AGE_WEAR_SPREAD_PCT / AGE_PCT;

	b->pe_cycles = (u32)cfg->aged_pe_cycles - spread +
		       ssdqos_rng_below(rng, 2 * spread + 1);
	b->read_count = cfg->aged_reads ?
		ssdqos_rng_below(rng, (u32)cfg->aged_reads) : 0;
}

static void age_open_block(struct ssdqos_flash *f, u32 plane, u32 stream,
			   u32 block, u32 pages)
{
	flash_block_open(f, block, stream);
	f->blocks[block].done_pages = (u16)pages;
	f->planes[plane].open[stream].block = block;
	f->planes[plane].open[stream].next_page = pages;
}

static void age_close_block(struct ssdqos_flash *f, u32 block)
{
	flash_block_open(f, block, FLASH_STREAM_HOST);
	f->blocks[block].state = FLASH_BLOCK_CLOSED;
	f->blocks[block].done_pages = (u16)flash_block_pages(f, block);
	f->blocks[block].change_ns = f->now_ns;
	flash_bucket_insert(f, block);
}

/**
 * flash_age_settle - make a plane's blocks what its phase says
 * @f: the drive; units lie in their blocks, free lists are empty
 * @rng: random numbers
 * @plane: the plane
 * @phase: flash_age_draw()
 */
void flash_age_settle(struct ssdqos_flash *f, struct ssdqos_rng *rng, u32 plane,
		      const struct flash_age_phase *phase)
{
	u32 first = plane * f->geo.blocks_per_plane, i, s = 0;

	for (i = first; i < first + f->geo.blocks_per_plane; i++) {
		age_wear(f, rng, &f->blocks[i]);
		while (s < FLASH_NR_STREAMS && !phase->open_pages[s])
			s++;
		if (s < FLASH_NR_STREAMS) {
			age_open_block(f, plane, s, i, phase->open_pages[s]);
			s++;
		} else if (i - first < phase->used_blocks) {
			age_close_block(f, i);
		} else {
			f->blocks[i].read_count = 0;
			flash_block_free_push(f, i);
		}
	}
}
