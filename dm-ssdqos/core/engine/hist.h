/* SPDX-License-Identifier: GPL-2.0 */
/*
 * hist.h - latency histogram with bounded relative error
 *
 * Log-linear buckets: every power of two is cut into 64, values below 64 have
 * a bucket each.  A value is reported as the middle of its bucket, so the
 * relative error is at most 1/128 = 0.78 %.  Range 0 to 2^44 ns = 4.9 hours;
 * what is longer is counted in the last bucket and shows in @max exactly.
 * One add costs a shift and three increments.  Caller owns and serialises.
 */
#ifndef SSDQOS_CORE_HIST_H
#define SSDQOS_CORE_HIST_H

#include "../env.h"

#define SSDQOS_HIST_SUB_BITS 6
#define SSDQOS_HIST_SUB (1u << SSDQOS_HIST_SUB_BITS)
#define SSDQOS_HIST_MAX_BITS 44
#define SSDQOS_HIST_NR \
	((SSDQOS_HIST_MAX_BITS - SSDQOS_HIST_SUB_BITS + 1) * SSDQOS_HIST_SUB)

/* Percentiles are asked for in parts per million: 99.99 % is 999,900. */
#define SSDQOS_HIST_PPM 1000000u

/**
 * struct ssdqos_hist - counts by value
 * @n: number of values
 * @sum_ns: their sum
 * @min_ns: the smallest, SSDQOS_NEVER_NS if there is none
 * @max_ns: the largest
 * @bucket: counts
 */
struct ssdqos_hist {
	u64 n;
	u64 sum_ns;
	u64 min_ns;
	u64 max_ns;
	u64 bucket[SSDQOS_HIST_NR];
};

void ssdqos_hist_init(struct ssdqos_hist *h);
void ssdqos_hist_merge(struct ssdqos_hist *to, const struct ssdqos_hist *from);
u64 ssdqos_hist_mean_ns(const struct ssdqos_hist *h);
u64 ssdqos_hist_percentile_ns(const struct ssdqos_hist *h, u32 ppm);
u64 ssdqos_hist_bucket_low_ns(u32 bucket);

static inline u32 ssdqos_hist_bucket(u64 value_ns)
{
	u32 shift;

	if (value_ns < SSDQOS_HIST_SUB)
		return (u32)value_ns;
	if (value_ns >> SSDQOS_HIST_MAX_BITS)
		return SSDQOS_HIST_NR - 1;
	shift = (u32)fls64(value_ns) - 1 - SSDQOS_HIST_SUB_BITS;
	return (shift << SSDQOS_HIST_SUB_BITS) + (u32)(value_ns >> shift);
}

/**
 * ssdqos_hist_add - count one value
 * @h: the histogram
 * @value_ns: the value
 */
static inline void ssdqos_hist_add(struct ssdqos_hist *h, u64 value_ns)
{
	h->n++;
	h->sum_ns += value_ns;
	if (value_ns < h->min_ns)
		h->min_ns = value_ns;
	if (value_ns > h->max_ns)
		h->max_ns = value_ns;
	h->bucket[ssdqos_hist_bucket(value_ns)]++;
}

#endif /* SSDQOS_CORE_HIST_H */
