// SPDX-License-Identifier: GPL-2.0
#include "arrival.h"

#include <string.h>

#include "../random/fixlog.h"

#define WORD_BITS 64
#define TABLE_SIZE (1 << ARRIVAL_LOG_BITS)
#define REST_BITS (LOG2_SHIFT - ARRIVAL_LOG_BITS)

/* ln(2) * 2^32 */
#define LN2_FIXED 2977044472ULL

/* @ns / @divisor / intensity, with ARRIVAL_SHIFT bits behind the point. */
static u64 scale_gap(const struct load_job *job, u128 ns, u64 divisor)
{
	return (u64)((ns * PPM_ONE << ARRIVAL_SHIFT) / ((u128)divisor * job->intensity_ppm));
}

static void init_rate(struct arrival *arrival, const struct load_job *job)
{
	arrival->gap = scale_gap(job, NS_PER_S * arrival->burst, job->rate_iops);
	arrival->gap_ln2 = (u64)((u128)arrival->gap * LN2_FIXED >> LOG2_SHIFT);
	for (u64 i = 0; i <= TABLE_SIZE; i++)
		arrival->log2_table[i] =
			fixlog_log2(TABLE_SIZE + i) - ((u64)ARRIVAL_LOG_BITS << LOG2_SHIFT);
}

void arrival_init(struct arrival *arrival, const struct load_job *job)
{
	memset(arrival, 0, sizeof(*arrival));
	arrival->kind = job->arrivals.kind;
	arrival->burst = arrival->kind == LOAD_ARRIVAL_BURST ? job->burst : 1;
	arrival->left = arrival->burst;
	if (arrival->kind == LOAD_ARRIVAL_LOGNORMAL)
		lognormal_init(&arrival->lognormal, scale_gap(job, job->arrivals.mean_ns, 1),
			       scale_gap(job, job->arrivals.median_ns, 1));
	else
		init_rate(arrival, job);
}

/* log2(1 + fraction / 2^32) */
static u64 table_log2(const struct arrival *arrival, u32 fraction)
{
	const u64 *entry = &arrival->log2_table[fraction >> REST_BITS];
	const u64 rest = fraction & ((1U << REST_BITS) - 1);

	return entry[0] + ((entry[1] - entry[0]) * rest >> REST_BITS);
}

/*
 * Exponential with mean gap: -ln(u) * gap = -log2(u) * ln(2) * gap, u uniform in (0, 1).
 *
 * With u = m * 2^-(zeros + 1) and 1 <= m < 2, where zeros are the leading zero bits of the random
 * number, -log2(u) = zeros + 1 - log2(m).
 */
static u64 exponential_gap(const struct arrival *arrival, struct sim_random *random)
{
	const u64 bits = sim_random_next(random) | 1;
	const u64 zeros = (u64)__builtin_clzll(bits);
	const u32 fraction = (u32)(bits << zeros << 1 >> (WORD_BITS - LOG2_SHIFT));
	const u64 minus_log2 = ((zeros + 1) << LOG2_SHIFT) - table_log2(arrival, fraction);

	return (u64)((u128)minus_log2 * arrival->gap_ln2 >> LOG2_SHIFT);
}

static u128 next_gap(const struct arrival *arrival, struct sim_random *random)
{
	switch (arrival->kind) {
	case LOAD_ARRIVAL_FIXED:
		return arrival->gap;
	case LOAD_ARRIVAL_POISSON:
	case LOAD_ARRIVAL_BURST:
		return exponential_gap(arrival, random);
	case LOAD_ARRIVAL_LOGNORMAL:
		return lognormal_draw(&arrival->lognormal, random);
	}
	return 0;
}

void arrival_step(struct arrival *arrival, struct sim_random *random)
{
	u128 gap;

	if (--arrival->left)
		return;
	arrival->left = arrival->burst;
	gap = next_gap(arrival, random) + arrival->fraction;
	arrival->time_ns += (u64)(gap >> ARRIVAL_SHIFT);
	arrival->fraction = gap & ((1ULL << ARRIVAL_SHIFT) - 1);
}
