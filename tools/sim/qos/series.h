/* SPDX-License-Identifier: GPL-2.0 */
/*
 * series.h - completions of streams over time: a CSV row for each interval
 */
#ifndef SSDQOS_SIM_QOS_SERIES_H
#define SSDQOS_SIM_QOS_SERIES_H

#include <stdio.h>

#include "stream.h"

/**
 * struct qos_series - a series being written
 * @file: where to, or NULL for no series
 * @interval_ns: length of an interval
 * @end_ns: of the interval under way, which belongs to it; SSDQOS_NEVER_NS if there is no series
 */
struct qos_series {
	FILE *file;
	u64 interval_ns;
	u64 end_ns;
};

/**
 * qos_series_start - write the names of the columns
 * @series: the series
 * @streams: the streams
 * @nr: their number
 */
void qos_series_start(struct qos_series *series, const struct qos_stream *streams, u32 nr);

/**
 * qos_series_step - end the interval under way
 * @series: the series
 * @streams: the streams; their counts for the interval begin anew
 * @nr: their number
 */
void qos_series_step(struct qos_series *series, struct qos_stream *streams, u32 nr);

#endif
