/* SPDX-License-Identifier: GPL-2.0 */
/*
 * The one-line job that describes a synthetic load, in the words of fio:
 *
 *     randrw rwmixread=70 bs=4k iodepth=32 runtime=10s size=100% seed=1
 *
 * The first word is the kind; the rest are keys, each one row of a table that makes the parser, the
 * checks and the help. The first word can also be the name of a job (named.h), whose keys are
 * then those that the rest does not give.
 */
#ifndef SSDQOS_SIM_LOAD_JOB_H
#define SSDQOS_SIM_LOAD_JOB_H

#include <stdio.h>

#include "../common/sim_error.h"
#include "request.h"

/**
 * enum load_arrival - how requests come in an open loop
 * @LOAD_ARRIVAL_FIXED: at equal distances
 * @LOAD_ARRIVAL_POISSON: at exponentially distributed distances
 * @LOAD_ARRIVAL_BURST: several at the same instant, bursts at exponentially distributed distances
 * @LOAD_ARRIVAL_LOGNORMAL: at log-normally distributed distances
 */
enum load_arrival {
	LOAD_ARRIVAL_FIXED,
	LOAD_ARRIVAL_POISSON,
	LOAD_ARRIVAL_BURST,
	LOAD_ARRIVAL_LOGNORMAL,
};

/**
 * struct load_arrivals - when requests come in an open loop
 * @kind: which distribution
 * @mean_ns: lognormal: mean distance
 * @median_ns: lognormal: median distance
 */
struct load_arrivals {
	enum load_arrival kind;
	u64 mean_ns;
	u64 median_ns;
};

/**
 * struct load_sizes - how large requests are
 * @bytes: per enum sim_op; of geometric sizes the mean
 * @is_geometric: geometrically distributed or all the same
 */
struct load_sizes {
	u64 bytes[NR_SIM_OPS];
	bool is_geometric;
};

/**
 * enum load_pattern - where requests go
 * @LOAD_PATTERN_SEQUENTIAL: one behind the other, from the start again at the end
 * @LOAD_PATTERN_UNIFORM: every block as likely
 * @LOAD_PATTERN_ZIPF: few blocks very often, scattered
 * @LOAD_PATTERN_ONCE: all blocks, each once, in random order; then again
 * @LOAD_PATTERN_HOT: a hot part at the start, uniform within and outside
 */
enum load_pattern {
	LOAD_PATTERN_SEQUENTIAL,
	LOAD_PATTERN_UNIFORM,
	LOAD_PATTERN_ZIPF,
	LOAD_PATTERN_ONCE,
	LOAD_PATTERN_HOT,
};

/**
 * struct load_kind - the first word of a job
 * @name: the word
 * @is_random: random or sequential
 * @is_mixed: reads and writes
 * @op: the operation, of a kind that is not mixed
 */
struct load_kind {
	const char *name;
	bool is_random;
	bool is_mixed;
	u8 op;
};

/**
 * struct load_extent - a number of bytes, or a part of the drive
 * @bytes: when @is_part is false
 * @part_ppm: when @is_part is true
 * @is_part: which of them counts
 */
struct load_extent {
	u64 bytes;
	u64 part_ppm;
	bool is_part;
};

/**
 * struct load_distribution - where a random kind goes
 * @pattern: uniform, zipf or hot
 * @theta_ppm: zipf
 * @hot_access_percent: hot: this part of the requests
 * @hot_space_percent: hot: goes to this part of the space
 */
struct load_distribution {
	enum load_pattern pattern;
	u64 theta_ppm;
	u64 hot_access_percent;
	u64 hot_space_percent;
};

/**
 * struct load_job - a job, read and checked key by key; not yet against a drive
 * @kind: first word
 * @has_mix: @read_ppm was given
 * @read_ppm: share of reads in a mixed kind
 * @sizes: of requests
 * @iodepth: requests kept under way in a closed loop
 * @rate_iops: requests per second in an open loop; 0 for a closed loop
 * @rest_iops: in an open loop that begins again, likewise between its runtimes
 * @arrivals: how they come in an open loop
 * @intensity_ppm: distances between arrivals are divided by this
 * @burst: how many come at once with LOAD_ARRIVAL_BURST
 * @first_ns: the first request comes after this
 * @runtime_ns: stop after this, from the first request on; 0 for never
 * @every_ns: begin again each time this has passed since the start, 0 for never
 * @number_ios: stop after this many; 0 for never
 * @fraction_ppm: only this part of @number_ios
 * @size: how much of the drive
 * @offset: from where
 * @distribution: where random requests go
 * @seed: of the random numbers
 * @thinktime_us: wait in a closed loop between a completion and the next request
 */
struct load_job {
	const struct load_kind *kind;
	bool has_mix;
	u64 read_ppm;
	struct load_sizes sizes;
	u64 iodepth;
	u64 rate_iops;
	u64 rest_iops;
	struct load_arrivals arrivals;
	u64 intensity_ppm;
	u64 burst;
	u64 first_ns;
	u64 runtime_ns;
	u64 every_ns;
	u64 number_ios;
	u64 fraction_ppm;
	struct load_extent size;
	struct load_extent offset;
	struct load_distribution distribution;
	u64 seed;
	u64 thinktime_us;
};

/**
 * load_job_parse - read a job
 * @job: the result
 * @line: the job
 * @error: names key, value and what was expected
 *
 * Return: 0, or -1.
 */
int load_job_parse(struct load_job *job, const char *line, struct sim_error *error);

/**
 * load_job_is_open - open or closed loop
 * @job: from load_job_parse()
 */
bool load_job_is_open(const struct load_job *job);

/**
 * load_job_print_help - print kinds, keys with range, default and meaning, and named loads
 * @file: where to
 */
void load_job_print_help(FILE *file);

#endif
