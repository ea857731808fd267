// SPDX-License-Identifier: GPL-2.0
#include "zipf.h"

#include <stdlib.h>
#include <string.h>

#include "fixlog.h"

#define SINGLE_RANKS 1024ULL
#define BUCKETS_PER_DOUBLING 64ULL
#define COIN_BITS 32

/*
 * Weights are scaled so that their sum stays below this: times the number of buckets it still fits
 * 64 bits.
 */
#define WEIGHT_SUM_BITS 48

static u64 bucket_width(u64 first, u64 count)
{
	const u64 width = first < SINGLE_RANKS ? 1 : first / BUCKETS_PER_DOUBLING;

	return width < count - first ? width : count - first;
}

static u32 count_buckets(u64 count)
{
	u32 buckets = 0;

	for (u64 first = 0; first < count; first += bucket_width(first, count))
		buckets++;
	return buckets;
}

static void fill_buckets(struct zipf *zipf)
{
	u64 first = 0;

	for (u32 i = 0; i < zipf->nr_buckets; i++) {
		zipf->buckets[i].first = first;
		zipf->buckets[i].width = bucket_width(first, zipf->count);
		first += zipf->buckets[i].width;
	}
}

/*
 * width * middle^-theta = width * 2^-(theta * log2(middle)), where twice the middle of the ranks is
 * a whole number.
 */
static u128 bucket_weight(const struct zipf_bucket *bucket, u64 theta_ppm)
{
	const u64 twice_middle = 2 * (bucket->first + 1) + bucket->width - 1;
	const u64 log2_middle = fixlog_log2(twice_middle) - LOG2_ONE;

	return (u128)fixlog_exp2_neg((u64)((u128)log2_middle * theta_ppm / PPM_ONE)) *
	       bucket->width;
}

static u32 excess_bits(u128 sum)
{
	u32 bits = 0;

	while (sum >> bits >> WEIGHT_SUM_BITS)
		bits++;
	return bits;
}

/* Fills weights[], scaled down; returns their sum. */
static u64 scale_weights(u64 *weights, const struct zipf *zipf, u64 theta_ppm, u128 *exact)
{
	u128 sum = 0;
	u64 scaled_sum = 0;
	u32 shift;

	for (u32 i = 0; i < zipf->nr_buckets; i++) {
		exact[i] = bucket_weight(&zipf->buckets[i], theta_ppm);
		sum += exact[i];
	}
	shift = excess_bits(sum);
	for (u32 i = 0; i < zipf->nr_buckets; i++) {
		weights[i] = (u64)(exact[i] >> shift);
		scaled_sum += weights[i];
	}
	return scaled_sum;
}

static u64 coin_threshold(u64 weight, u64 average)
{
	return (u64)(((u128)weight << COIN_BITS) / average);
}

/*
 * Walker's alias tables by Vose's method, in whole numbers. Each bucket's weight times the number
 * of buckets is compared with the sum, which is then the average: a light bucket is filled up to
 * the average by a heavy one, its alias. heap[] holds the light ones from the front and the heavy
 * ones from the back.
 */
static void make_aliases(struct zipf *zipf, u64 *weights, u64 average, u32 *heap)
{
	const u32 count = zipf->nr_buckets;
	u32 light = 0, heavy = count;

	for (u32 i = 0; i < count; i++) {
		weights[i] *= count;
		zipf->buckets[i].alias = i;
		zipf->buckets[i].threshold = 1ULL << COIN_BITS;
		heap[weights[i] < average ? light++ : --heavy] = i;
	}
	while (light && heavy < count) {
		const u32 small = heap[--light], large = heap[heavy];

		zipf->buckets[small].alias = large;
		zipf->buckets[small].threshold = coin_threshold(weights[small], average);
		weights[large] -= average - weights[small];
		if (weights[large] < average) {
			heavy++;
			heap[light++] = large;
		}
	}
}

static int make_tables(struct zipf *zipf, u64 theta_ppm)
{
	u128 *exact = calloc(zipf->nr_buckets, sizeof(*exact));
	u64 *weights = calloc(zipf->nr_buckets, sizeof(*weights));
	u32 *heap = calloc(zipf->nr_buckets, sizeof(*heap));
	const bool has_memory = exact && weights && heap;

	if (has_memory)
		make_aliases(zipf, weights, scale_weights(weights, zipf, theta_ppm, exact), heap);
	free(exact);
	free(weights);
	free(heap);
	return has_memory ? 0 : -1;
}

int zipf_init(struct zipf *zipf, u64 count, u64 theta_ppm)
{
	memset(zipf, 0, sizeof(*zipf));
	zipf->count = count;
	zipf->nr_buckets = count_buckets(count);
	zipf->buckets = calloc(zipf->nr_buckets, sizeof(*zipf->buckets));
	if (!zipf->buckets)
		return -1;
	fill_buckets(zipf);
	scatter_init(&zipf->scatter, count, 0);
	if (!make_tables(zipf, theta_ppm))
		return 0;
	zipf_free(zipf);
	return -1;
}

u64 zipf_rank(const struct zipf *zipf, struct sim_random *random)
{
	const u64 bits = sim_random_next(random);
	const struct zipf_bucket *bucket =
		&zipf->buckets[(bits >> COIN_BITS) * zipf->nr_buckets >> COIN_BITS];

	if ((u32)bits >= bucket->threshold)
		bucket = &zipf->buckets[bucket->alias];
	return bucket->width == 1 ? bucket->first :
				    bucket->first + sim_random_below(random, bucket->width);
}

u64 zipf_scatter(const struct zipf *zipf, u64 rank)
{
	return scatter_number(&zipf->scatter, rank);
}

void zipf_free(struct zipf *zipf)
{
	free(zipf->buckets);
	memset(zipf, 0, sizeof(*zipf));
}
