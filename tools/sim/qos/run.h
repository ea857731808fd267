/* SPDX-License-Identifier: GPL-2.0 */
/*
 * run.h - several streams on a drive or a mirror, through the scheduler
 */
#ifndef SSDQOS_SIM_QOS_RUN_H
#define SSDQOS_SIM_QOS_RUN_H

#include "../flash/run.h"
#include "change.h"
#include "series.h"
#include "trim.h"

/**
 * struct qos_plan - what is to be done
 * @below: the drive, or a mirror
 * @edf: who schedules it; has the streams
 * @ready: its lifetime, with the same streams
 * @streams: the streams
 * @nr_streams: their number
 * @changes: in order of time
 * @nr_changes: their number
 * @runtime_ns: how long
 * @warm_up_ns: nothing before this is counted
 * @bypass: all requests go straight to the drive
 * @silent: the drive tells nobody how worn it is
 * @series: completions by stream
 * @events: for events.h, or NULL
 */
struct qos_plan {
	struct qos_below below;
	struct ssdqos_apart edf;
	struct ssdqos_ready *ready;
	struct qos_stream *streams;
	u32 nr_streams;
	struct qos_change *changes;
	u32 nr_changes;
	u64 runtime_ns;
	u64 warm_up_ns;
	bool bypass;
	bool silent;
	struct qos_series series;
	FILE *events;
};

/* If reads and writes are apart. */
#define QOS_NR_SCHEDULERS 2

/**
 * struct qos_result - what was measured; for each stream, it is in @end of it
 * @run: all requests together
 * @events: by enum ssdqos_watch_event_kind
 * @drift: the drive's costs against the profile, at the end; if reads and writes are apart, those
 *	of reads, then those of writes
 * @life: of the drive, likewise
 * @trim: discards that were kept, likewise
 * @trim_cost_ns: what the last one was charged, or the next one will be; 0 if they pass
 */
struct qos_result {
	struct run_result run;
	u64 events[SSDQOS_NR_WATCH_EVENTS];
	struct ssdqos_drift drift[QOS_NR_SCHEDULERS];
	struct ssdqos_ready_gauges life;
	struct ssdqos_trim_stats trim;
	u32 trim_cost_ns;
};

/**
 * qos_run - do it
 * @plan: what is to be done
 * @result: the measurements, at the end of the runtime; requests that are under way then complete,
 *	but are not counted
 * @error: says what went wrong
 *
 * Return: 0, or -1.
 */
int qos_run(struct qos_plan *plan, struct qos_result *result, struct sim_error *error);

#endif
