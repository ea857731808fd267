/* SPDX-License-Identifier: GPL-2.0 */
/*
 * Log-normally distributed times with a given mean and median.
 *
 * The time is median * exp(s * z) with z from the standard normal distribution; in powers of two,
 * which fixed point can do, median * 2^(spread * z) with spread = s / ln(2).
 *
 * z is cut at +-4, once in 16,000 times: with a large s a few times of hours would make up a good
 * part of the mean, and two seeds would give very different loads. The cut leaves the median as it
 * is; spread is chosen such that it leaves the mean, too (without a cut it would follow from
 * mean / median = exp(s^2 / 2)).
 *
 * z is drawn from cells of equal width, within which all values are as likely; that changes the
 * mean by less than 0.01 %.
 */
#ifndef SSDQOS_SIM_LOGNORMAL_H
#define SSDQOS_SIM_LOGNORMAL_H

#include "../common/types.h"
#include "random.h"

/* Largest mean / median. */
#define LOGNORMAL_RATIO_MAX 64ULL

/* z goes up to this, and one is cut into 64 cells. */
#define LOGNORMAL_Z_MAX 4
#define LOGNORMAL_CELL_BITS 6
#define LOGNORMAL_CELLS (2 * LOGNORMAL_Z_MAX << LOGNORMAL_CELL_BITS)

/* Intervals of the table of powers; linear in between, the error is below 2^-24. */
#define LOGNORMAL_EXP_BITS 10

/**
 * struct lognormal - a distribution
 * @median: the median
 * @spread: with LOG2_SHIFT bits behind the point
 * @cells: smallest random number that falls into each cell
 * @exp2_table: 2^(i / 2^LOGNORMAL_EXP_BITS) with LOG2_SHIFT bits behind the point
 */
struct lognormal {
	u64 median;
	u64 spread;
	u64 cells[LOGNORMAL_CELLS];
	u64 exp2_table[(1 << LOGNORMAL_EXP_BITS) + 1];
};

/**
 * lognormal_init - set up a distribution
 * @lognormal: to be filled
 * @mean: from @median to LOGNORMAL_RATIO_MAX times @median
 * @median: at least 1, in the same unit
 */
void lognormal_init(struct lognormal *lognormal, u64 mean, u64 median);

/**
 * lognormal_draw - draw a time
 * @lognormal: the distribution
 * @random: where the random bits come from
 *
 * Return: in the unit of mean and median, below 2^20 times the median.
 */
u128 lognormal_draw(const struct lognormal *lognormal, struct sim_random *random);

#endif
