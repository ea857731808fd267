/* SPDX-License-Identifier: GPL-2.0 */
/*
 * events.h - what happened to streams: a CSV row for each event
 *
 * Columns have the names that the fields of the kernel's trace events have.  Where an event has
 * nothing to say, a number is 0 and a word is empty.
 */
#ifndef SSDQOS_SIM_QOS_EVENTS_H
#define SSDQOS_SIM_QOS_EVENTS_H

#include <stdio.h>

#include "../../../dm-ssdqos/core/qos/debt.h"
#include "../../../dm-ssdqos/core/qos/miss.h"
#include "../../../dm-ssdqos/core/ready/ready.h"

/**
 * struct qos_events_write - a write that the drive's lifetime keeps, or has kept
 * @stream: name of its stream
 * @seq: its number among all requests
 * @req: the write
 * @now_ns: time
 */
struct qos_events_write {
	const char *stream;
	u64 seq;
	const struct ssdqos_ready_req *req;
	u64 now_ns;
};

/**
 * qos_events_start - write the names of the columns
 * @file: where to
 */
void qos_events_start(FILE *file);

/**
 * qos_events_watch - something that somebody should hear of
 * @file: where to
 * @name: of the stream, or the drive's
 * @event: what
 * @ready: the drive's lifetime
 */
void qos_events_watch(FILE *file, const char *name, const struct ssdqos_watch_event *event,
		      const struct ssdqos_ready *ready);

/**
 * qos_events_debt - what spare writes may use has changed
 * @file: where to
 * @name: of the stream whose request ended the step
 * @change: what
 */
void qos_events_debt(FILE *file, const char *name, const struct ssdqos_debt_change *change);

/**
 * qos_events_kept - a write stops, or its delay begins
 * @file: where to
 * @write: the write
 */
void qos_events_kept(FILE *file, const struct qos_events_write *write);

/**
 * qos_events_released - a write that was kept before it went goes on
 * @file: where to
 * @write: the write
 */
void qos_events_released(FILE *file, const struct qos_events_write *write);

#endif
