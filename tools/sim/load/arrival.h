/* SPDX-License-Identifier: GPL-2.0 */
/*
 * Arrival times of an open loop.
 */
#ifndef SSDQOS_SIM_ARRIVAL_H
#define SSDQOS_SIM_ARRIVAL_H

#include "../random/lognormal.h"
#include "../random/random.h"
#include "job.h"

/* Distances have 16 bits behind the point, so that 3 requests in 10 ns stay 3 in 10 ns. */
#define ARRIVAL_SHIFT 16

/* Intervals of the logarithm table; linear in between, the error is below 2^-22. */
#define ARRIVAL_LOG_BITS 10

/**
 * struct arrival - state of the arrival process
 * @kind: fixed, poisson, burst or lognormal
 * @time_ns: of the next request
 * @fraction: part of a nanosecond, ARRIVAL_SHIFT bits
 * @gap: mean distance between requests or bursts, ARRIVAL_SHIFT bits behind the point; 0 for
 * lognormal
 * @gap_ln2: @gap * ln(2)
 * @burst: requests in a burst, 1 for the other kinds
 * @left: requests still to come at @time_ns
 * @log2_table: log2(1 + i / 2^ARRIVAL_LOG_BITS) with LOG2_SHIFT bits behind the point
 * @lognormal: distances of the lognormal kind, ARRIVAL_SHIFT bits behind the point
 */
struct arrival {
	enum load_arrival kind;
	u64 time_ns;
	u64 fraction;
	u64 gap;
	u64 gap_ln2;
	u64 burst;
	u64 left;
	u64 log2_table[(1 << ARRIVAL_LOG_BITS) + 1];
	struct lognormal lognormal;
};

/**
 * arrival_init - set up the process
 * @arrival: to be filled; the first request comes at time 0
 * @job: an open loop
 */
void arrival_init(struct arrival *arrival, const struct load_job *job);

/**
 * arrival_step - go to the next request
 * @arrival: the process
 * @random: where the random bits come from
 */
void arrival_step(struct arrival *arrival, struct sim_random *random);

#endif
