// SPDX-License-Identifier: GPL-2.0
#include "lognormal.h"

#include "fixlog.h"

#define WORD_BITS 64
#define EXP_SIZE (1 << LOGNORMAL_EXP_BITS)
#define REST_BITS (LOG2_SHIFT - LOGNORMAL_EXP_BITS)

/* z is counted in cells, with as many bits behind the point. */
#define Z_SHIFT 32
#define Z_ONE (1LL << Z_SHIFT)

/* 1 / ln(2) * 2^32 */
#define LOG2_E_FIXED 6196328019ULL

/* Gives a mean of more than LOGNORMAL_RATIO_MAX medians. */
#define SPREAD_MAX (5 * LOG2_ONE)

/* Weights of cells are scaled so that their sum fits 64 bits. */
#define WEIGHT_SHIFT 8

/* 2^(fraction / 2^32) with LOG2_SHIFT bits behind the point */
static u64 table_exp2(const struct lognormal *lognormal, u32 fraction)
{
	const u64 *entry = &lognormal->exp2_table[fraction >> REST_BITS];
	const u64 rest = fraction & ((1U << REST_BITS) - 1);

	return entry[0] + ((entry[1] - entry[0]) * rest >> REST_BITS);
}

/* value * 2^(spread * z) */
static u128 stretch(const struct lognormal *lognormal, u64 value, s64 z)
{
	const s64 exponent = (s64)((__int128)z * (s64)lognormal->spread >>
				   (Z_SHIFT + LOGNORMAL_CELL_BITS));
	const s64 whole = exponent >> LOG2_SHIFT;
	const u128 product = (u128)value * table_exp2(lognormal, (u32)exponent) >> LOG2_SHIFT;

	return whole < 0 ? product >> -whole : product << whole;
}

/* 2^x = 2 * 2^-(1 - x) */
static void fill_exp2(struct lognormal *lognormal)
{
	for (u64 i = 0; i <= EXP_SIZE; i++)
		lognormal->exp2_table[i] = fixlog_exp2_neg((EXP_SIZE - i) << REST_BITS) >>
					   (EXP2_SHIFT - LOG2_SHIFT - 1);
}

/*
 * exp(-z^2 / 2) = 2^-(z^2 / 2 / ln(2)) in the middle of a cell, where twice z is a whole number of
 * cells.
 */
static u64 cell_weight(int cell)
{
	const s64 twice_cells = 2 * cell + 1 - LOGNORMAL_CELLS;
	const u64 square = (u64)(twice_cells * twice_cells);

	return fixlog_exp2_neg(square * LOG2_E_FIXED >> (2 * LOGNORMAL_CELL_BITS + 3)) >>
	       WEIGHT_SHIFT;
}

/* Returns the sum of all weights. */
static u64 fill_weights(u64 *weights)
{
	u64 sum = 0;

	for (int i = 0; i < LOGNORMAL_CELLS; i++) {
		weights[i] = cell_weight(i);
		sum += weights[i];
	}
	return sum;
}

static void fill_cells(struct lognormal *lognormal, const u64 *weights, u64 sum)
{
	u64 before = 0;

	for (int i = 0; i < LOGNORMAL_CELLS; i++) {
		lognormal->cells[i] = (u64)(((u128)before << WORD_BITS) / sum);
		before += weights[i];
	}
}

/* The mean, in medians times the sum of all weights. */
static u128 stretched_sum(const struct lognormal *lognormal, const u64 *weights)
{
	u128 sum = 0;

	for (int i = 0; i < LOGNORMAL_CELLS; i++)
		sum += stretch(lognormal, weights[i],
			       (i - LOGNORMAL_CELLS / 2) * Z_ONE + Z_ONE / 2);
	return sum;
}

/* The mean grows with the spread: halve the interval that has the wanted one. */
static void find_spread(struct lognormal *lognormal, const u64 *weights, u128 wanted)
{
	u64 low = 0, high = SPREAD_MAX;

	while (high - low > 1) {
		lognormal->spread = low + (high - low) / 2;
		if (stretched_sum(lognormal, weights) < wanted)
			low = lognormal->spread;
		else
			high = lognormal->spread;
	}
	lognormal->spread = low;
}

void lognormal_init(struct lognormal *lognormal, u64 mean, u64 median)
{
	u64 weights[LOGNORMAL_CELLS];
	const u64 sum = fill_weights(weights);

	lognormal->median = median;
	fill_exp2(lognormal);
	fill_cells(lognormal, weights, sum);
	find_spread(lognormal, weights, (u128)sum * mean / median);
}

/* Normally distributed, in cells. */
static s64 draw_z(const struct lognormal *lognormal, struct sim_random *random)
{
	const u64 bits = sim_random_next(random);
	const u64 fraction = sim_random_next(random) >> (WORD_BITS - Z_SHIFT);
	s64 cell = 0;

	for (int step = LOGNORMAL_CELLS / 2; step; step /= 2)
		if (bits >= lognormal->cells[cell + step])
			cell += step;
	return (cell - LOGNORMAL_CELLS / 2) * Z_ONE + (s64)fraction;
}

u128 lognormal_draw(const struct lognormal *lognormal, struct sim_random *random)
{
	return stretch(lognormal, lognormal->median, draw_z(lognormal, random));
}
