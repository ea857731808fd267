/* SPDX-License-Identifier: GPL-2.0 */
/*
 * series.h - what happened over time: a CSV row for each interval of a run
 *
 * A row is written when the clock is about to pass the end of its interval, which belongs to it.
 * Taking the state of a drive looks at every block, so a long run may want a window only.
 */
#ifndef SSDQOS_SIM_SERIES_H
#define SSDQOS_SIM_SERIES_H

#include <stdio.h>

#include "../common/types.h"
#include "../../../dm-ssdqos/core/flash/flash.h"

/* Reads up to this size are small, as in the metric of AutoSSD (section 5.2 of the paper). */
#define SERIES_SMALL_SECTORS 128 /* 64 KiB */

#define SERIES_INTERVAL_NS (100 * NS_PER_MS)

/**
 * struct series_options - what is wanted
 * @file: where to, or NULL for no series
 * @interval_ns: length of an interval, at least 1
 * @from_ns: intervals start here
 * @to_ns: and none starts from here on
 */
struct series_options {
	FILE *file;
	u64 interval_ns;
	u64 from_ns;
	u64 to_ns;
};

/**
 * struct series - a series being written
 * @options: what is wanted
 * @start_ns: of the interval under way
 * @end_ns: of it; SSDQOS_NEVER_NS before the first request, and behind the last interval
 * @reads: small reads completed in it
 * @reads_ns: sum of their latencies
 * @reads_max_ns: longest of them
 * @done: requests completed in it, by enum ssdqos_flash_op
 * @before: counters when it started
 */
struct series {
	struct series_options options;
	u64 start_ns;
	u64 end_ns;
	u64 reads;
	u64 reads_ns;
	u64 reads_max_ns;
	u64 done[SSDQOS_FLASH_NR_OPS];
	struct ssdqos_flash_stats before;
};

/**
 * series_is_small_read - whether a request counts as a small read
 * @req: the request
 */
bool series_is_small_read(const struct ssdqos_flash_req *req);

/**
 * series_init - set up a series and write the names of the columns
 * @series: to be filled
 * @options: what is wanted
 */
void series_init(struct series *series, const struct series_options *options);

/**
 * series_start - the first request arrives
 * @series: the series
 * @drive: the drive
 * @now_ns: its arrival; the first interval is the one that has it, or that of the start of the
 * window
 */
void series_start(struct series *series, const struct ssdqos_flash *drive, u64 now_ns);

/**
 * series_count - a request has completed
 * @series: the series
 * @req: the request
 */
void series_count(struct series *series, const struct ssdqos_flash_req *req);

/**
 * series_step - end the interval under way
 * @series: the series
 * @drive: the drive, where all until the end of the interval has happened
 */
void series_step(struct series *series, const struct ssdqos_flash *drive);

/**
 * series_finish - end the last interval
 * @series: the series
 * @drive: the drive
 * @now_ns: end of the run
 */
void series_finish(struct series *series, const struct ssdqos_flash *drive, u64 now_ns);

#endif
