/* SPDX-License-Identifier: GPL-2.0 */
/*
 * run.h - several streams on one drive, or on the drives of a mirror
 */
#ifndef SSDQOS_SIM_MIRROR_RUN_H
#define SSDQOS_SIM_MIRROR_RUN_H

#include "device.h"
#include "event.h"
#include "series.h"

/**
 * struct mirror_plan - what is to be done
 * @device: what serves
 * @streams: the streams
 * @nr_streams: their number
 * @events: in order of time
 * @nr_events: their number
 * @runtime_ns: how long
 * @warm_up_ns: nothing before this is counted
 * @series: completions by window
 */
struct mirror_plan {
	struct mirror_device device;
	struct mirror_stream *streams;
	u32 nr_streams;
	struct mirror_event *events;
	u32 nr_events;
	u64 runtime_ns;
	u64 warm_up_ns;
	struct mirror_series series;
};

/**
 * struct mirror_result - what was measured, beside what streams and windows have
 * @run: all requests together
 * @measure: what the mirror has done
 */
struct mirror_result {
	struct run_result run;
	struct mirror_measure measure;
};

/**
 * mirror_run - do it
 * @plan: what is to be done
 * @result: the measurements, at the end of the runtime; requests that are under way then complete,
 *	and the cache is written out, but that is not counted
 * @error: says what went wrong
 *
 * Return: 0, or -1.
 */
int mirror_run(struct mirror_plan *plan, struct mirror_result *result, struct sim_error *error);

#endif
