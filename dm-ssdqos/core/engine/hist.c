// SPDX-License-Identifier: GPL-2.0
/*
 * hist.c - reading latency histograms
 */
#include "hist.h"

/**
 * ssdqos_hist_init - empty a histogram
 * @h: the histogram
 */
void ssdqos_hist_init(struct ssdqos_hist *h)
{
	memset(h, 0, sizeof(*h));
	h->min_ns = SSDQOS_NEVER_NS;
}

/**
 * ssdqos_hist_merge - add all values of one histogram to another
 * @to: gets the values
 * @from: keeps its own
 */
void ssdqos_hist_merge(struct ssdqos_hist *to, const struct ssdqos_hist *from)
{
	u32 i;

	to->n += from->n;
	to->sum_ns += from->sum_ns;
	to->min_ns = min(to->min_ns, from->min_ns);
	to->max_ns = max(to->max_ns, from->max_ns);
	for (i = 0; i < SSDQOS_HIST_NR; i++)
		to->bucket[i] += from->bucket[i];
}

/**
 * ssdqos_hist_mean_ns - arithmetic mean
 * @h: the histogram
 *
 * Return: nanoseconds, 0 if there are no values.  Exact.
 */
u64 ssdqos_hist_mean_ns(const struct ssdqos_hist *h)
{
	return h->n ? div64_u64(h->sum_ns, h->n) : 0;
}

/**
 * ssdqos_hist_bucket_low_ns - smallest value that a bucket counts
 * @bucket: 0 to SSDQOS_HIST_NR (the last gives the end of the range)
 */
u64 ssdqos_hist_bucket_low_ns(u32 bucket)
{
	u32 shift = bucket >> SSDQOS_HIST_SUB_BITS;

	if (!shift)
		return bucket;
	shift--;
	return (u64)(bucket - (shift << SSDQOS_HIST_SUB_BITS)) << shift;
}

/* The number of values that must lie at or below the percentile, at least 1. */
static u64 hist_rank(u64 n, u32 ppm)
{
	u64 whole = div64_u64(n, SSDQOS_HIST_PPM);
	u64 rest = n - whole * SSDQOS_HIST_PPM;
	u64 rank = whole * ppm +
		   div64_u64(rest * ppm + SSDQOS_HIST_PPM - 1, SSDQOS_HIST_PPM);

	return max(rank, 1ULL);
}

/**
 * ssdqos_hist_percentile_ns - the value that a share of all values stays below
 * @h: the histogram
 * @ppm: the share in parts per million, 0 to 1,000,000
 *
 * Return: nanoseconds within 0.78 % of the exact order statistic (and never
 * outside the smallest and largest value), 0 if there are no values.
 */
u64 ssdqos_hist_percentile_ns(const struct ssdqos_hist *h, u32 ppm)
{
	u64 rank, seen = 0, middle;
	u32 i;

	if (!h->n)
		return 0;
	rank = hist_rank(h->n, ppm);
	if (rank >= h->n)
		return h->max_ns;
	for (i = 0; i < SSDQOS_HIST_NR - 1; i++) {
		seen += h->bucket[i];
		if (seen >= rank)
			break;
	}
	middle = (ssdqos_hist_bucket_low_ns(i) +
		  ssdqos_hist_bucket_low_ns(i + 1) - 1) / 2;
	return min(max(middle, h->min_ns), h->max_ns);
}
