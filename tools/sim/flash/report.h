/* SPDX-License-Identifier: GPL-2.0 */
/*
 * report.h - the results of a simulation, for people and for scripts
 */
#ifndef SSDQOS_SIM_REPORT_H
#define SSDQOS_SIM_REPORT_H

#include <stdio.h>

#include "../common/json.h"
#include "run.h"
#include "verify.h"

/**
 * struct report_setup - what came before the run, and behind it
 * @cpu_ns: user and system time of making the drive, ageing included
 * @load: the job of a synthetic load, NULL for a trace
 * @verify: whether the drive's tables agree at the end
 */
struct report_setup {
	u64 cpu_ns;
	const char *load;
	struct verify verify;
};

/**
 * report_json - write the contract's JSON (docs/simulator.rst)
 * @file: where to
 * @drive: the drive after the run
 * @result: what was measured
 * @setup: what came before
 *
 * Return: 0, or -1 if writing failed.
 */
int report_json(FILE *file, const struct ssdqos_flash *drive, const struct run_result *result,
		const struct report_setup *setup);

/**
 * report_per_s_milli - a rate
 * @num: of something
 * @ns: in so much time
 *
 * Return: thousandths per second, 0 if there was no time.
 */
u64 report_per_s_milli(u64 num, u64 ns);

/**
 * report_hist - write number, mean and percentiles as an object
 * @json: where to
 * @key: its name
 * @h: what was measured
 */
void report_hist(struct json *json, const char *key, const struct ssdqos_hist *h);

/**
 * report_result - write how many requests there were, how fast and how late
 * @json: where to, an open object
 * @result: what was measured
 * @setup: what came before
 */
void report_result(struct json *json, const struct run_result *result,
		   const struct report_setup *setup);

/**
 * report_drive - write what the drive did
 * @json: where to, an open object
 * @drive: the drive
 */
void report_drive(struct json *json, const struct ssdqos_flash *drive);

/**
 * report_text - print a short table
 * @file: where to
 * @drive: the drive after the run
 * @result: what was measured
 * @setup: what came before
 */
void report_text(FILE *file, const struct ssdqos_flash *drive, const struct run_result *result,
		 const struct report_setup *setup);

/**
 * report_cdf - write how many small reads were not slower than a latency, as CSV
 * @file: where to
 * @result: what was measured
 *
 * A row for each bucket of the histogram that has values, with the largest value it can have.
 */
void report_cdf(FILE *file, const struct run_result *result);

#endif
