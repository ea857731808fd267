/* SPDX-License-Identifier: GPL-2.0 */
/*
 * Zipf-distributed numbers: rank k (from 1) has the weight k^-theta.
 *
 * The ranks are put into buckets: each of the first 1024 ranks has its own, behind that the ranks
 * of a bucket differ by less than 1/64, and within a bucket all ranks are as likely. A bucket is
 * drawn with Walker's alias method (one table look-up, no division), a rank in it with a second
 * random number. With 2^40 ranks there are about 2,500 buckets.
 *
 * Ranks are then scattered over the numbers from 0 to count - 1 by a fixed one-to-one mapping, so
 * that hot blocks are not neighbours.
 */
#ifndef SSDQOS_SIM_ZIPF_H
#define SSDQOS_SIM_ZIPF_H

#include "../common/types.h"
#include "random.h"
#include "scatter.h"

/* theta in millionths. */
#define ZIPF_THETA_MIN_PPM 10000ULL
#define ZIPF_THETA_MAX_PPM 5000000ULL

/**
 * struct zipf_bucket - ranks that are as likely as each other
 * @first: the first rank, from 0
 * @width: number of ranks
 * @threshold: keep the bucket when 32 random bits are below this; 2^32 means always
 * @alias: else take this bucket
 */
struct zipf_bucket {
	u64 first;
	u64 width;
	u64 threshold;
	u32 alias;
};

/**
 * struct zipf - a distribution
 * @buckets: @nr_buckets of them
 * @nr_buckets: number of buckets
 * @count: numbers are drawn from 0 to this - 1
 * @scatter: where ranks go
 */
struct zipf {
	struct zipf_bucket *buckets;
	u32 nr_buckets;
	u64 count;
	struct scatter scatter;
};

/**
 * zipf_init - set up a distribution
 * @zipf: to be filled
 * @count: how many numbers, at least 1
 * @theta_ppm: skew in millionths, ZIPF_THETA_MIN_PPM to ZIPF_THETA_MAX_PPM
 *
 * Return: 0, or -1 when memory is short.
 */
int zipf_init(struct zipf *zipf, u64 count, u64 theta_ppm);

/**
 * zipf_rank - draw a rank
 * @zipf: the distribution
 * @random: where the random bits come from
 *
 * Return: 0 for the most likely, up to count - 1.
 */
u64 zipf_rank(const struct zipf *zipf, struct sim_random *random);

/**
 * zipf_scatter - the number that belongs to a rank
 * @zipf: the distribution
 * @rank: from 0 to count - 1
 *
 * Return: a number from 0 to count - 1, another one for each rank.
 */
u64 zipf_scatter(const struct zipf *zipf, u64 rank);

/**
 * zipf_free - free the tables
 * @zipf: from zipf_init(), or zeroed
 */
void zipf_free(struct zipf *zipf);

#endif
