/* SPDX-License-Identifier: GPL-2.0 */
/*
 * series.h - what happened over time: windows, and a CSV row for each of them
 */
#ifndef SSDQOS_SIM_MIRROR_SERIES_H
#define SSDQOS_SIM_MIRROR_SERIES_H

#include "journal.h"
#include "stream.h"

/**
 * struct mirror_series - the windows
 * @file: where rows go to, or NULL
 * @window_ns: length of a window
 * @end_ns: of the window under way, which belongs to it
 * @done: requests completed in it, by enum ssdqos_flash_op
 * @windows: the same of all windows
 */
struct mirror_series {
	FILE *file;
	u64 window_ns;
	u64 end_ns;
	u64 done[SSDQOS_FLASH_NR_OPS];
	struct mirror_windows windows[SSDQOS_FLASH_NR_OPS];
};

/**
 * mirror_series_start - begin with the first window
 * @series: the series
 * @streams: the streams
 * @nr: their number
 * @mirror: the mirror, or NULL
 * @journal: its journal, or NULL
 */
void mirror_series_start(struct mirror_series *series, const struct mirror_stream *streams, u32 nr,
			 const struct ssdqos_mirror *mirror, const struct mirror_journal *journal);

/**
 * mirror_series_step - end the window under way
 * @series: the series
 * @streams: the streams
 * @nr: their number
 * @mirror: the mirror, or NULL
 * @journal: its journal, or NULL
 */
void mirror_series_step(struct mirror_series *series, struct mirror_stream *streams, u32 nr,
			const struct ssdqos_mirror *mirror, const struct mirror_journal *journal);

/**
 * mirror_series_reset - begin with measuring, and with a window
 * @series: the series
 * @now_ns: time
 */
void mirror_series_reset(struct mirror_series *series, u64 now_ns);

#endif
