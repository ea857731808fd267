/* SPDX-License-Identifier: GPL-2.0 */
/*
 * run.h - drive a flash model with a trace or a load and measure
 */
#ifndef SSDQOS_SIM_RUN_H
#define SSDQOS_SIM_RUN_H

#include <stdio.h>

#include "../load/load.h"
#include "../load/request.h"
#include "../load/trace.h"
#include "series.h"
#include "../../../dm-ssdqos/core/engine/hist.h"
#include "../../../dm-ssdqos/core/flash/flash.h"

/**
 * struct run_source - where requests come from: exactly one is set
 * @trace: a trace
 * @load: a synthetic load
 */
struct run_source {
	struct trace *trace;
	struct load *load;
};

/**
 * struct run_output - optional files
 * @requests: a CSV row for each completed request, or NULL
 * @events: a CSV row for each NAND operation and GC decision, or NULL
 * @series: a CSV row for each interval; its file may be NULL
 */
struct run_output {
	FILE *requests;
	FILE *events;
	struct series_options series;
};

/**
 * struct run_result - what was measured
 * @requests: completed
 * @bytes: of all requests
 * @wrapped: requests beyond the capacity, taken modulo
 * @cut: of these, such as passed the end even so, and were made shorter
 * @virtual_ns: from the first arrival to the last completion
 * @wall_ns: of the replay alone
 * @cpu_ns: user and system time of the replay alone
 * @latency: by enum ssdqos_flash_op
 * @latency_read_small: of the reads for which series_is_small_read() holds
 * @read_wait_ns: sums over all reads, by enum ssdqos_flash_wait
 * @stuck: requests that never completed: a broken promise
 */
struct run_result {
	u64 requests;
	u64 bytes;
	u64 wrapped;
	u64 cut;
	u64 virtual_ns;
	u64 wall_ns;
	u64 cpu_ns;
	struct ssdqos_hist latency[SSDQOS_FLASH_NR_OPS];
	struct ssdqos_hist latency_read_small;
	u64 read_wait_ns[SSDQOS_NR_WAITS];
	u64 stuck;
};

/**
 * run_result_init - nothing measured yet
 * @result: to be filled
 */
void run_result_init(struct run_result *result);

/**
 * run_drive - replay everything the source has
 * @drive: the drive
 * @source: the requests
 * @output: files
 * @result: the measurements
 * @error: says what is wrong with the source
 *
 * Return: 0, or -1.
 */
int run_drive(struct ssdqos_flash *drive, const struct run_source *source,
	      const struct run_output *output, struct run_result *result,
	      struct sim_error *error);

#endif
