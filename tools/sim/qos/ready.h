/* SPDX-License-Identifier: GPL-2.0 */
/*
 * ready.h - the drive's lifetime in a run of the command qos
 */
#ifndef SSDQOS_SIM_QOS_READY_H
#define SSDQOS_SIM_QOS_READY_H

#include "run.h"

/**
 * qos_ready_join - the streams share the drive's lifetime
 * @plan: with streams that have joined the scheduler
 */
void qos_ready_join(struct qos_plan *plan);

/**
 * qos_ready_leave - they do no more; nothing of them waits
 * @plan: the plan
 */
void qos_ready_leave(struct qos_plan *plan);

/**
 * qos_ready_set - take over what the scheduler knows of parameters
 * @plan: the plan
 * @now_ns: time
 */
void qos_ready_set(struct qos_plan *plan, u64 now_ns);

/**
 * qos_ready_tick - time passes, and epochs may get another length
 * @plan: the plan
 * @now_ns: time
 * @events: room for SSDQOS_READY_MAX_EVENTS
 *
 * Return: number of events.
 */
u32 qos_ready_tick(struct qos_plan *plan, u64 now_ns, struct ssdqos_watch_event *events);

/**
 * qos_ready_tick_ns - when that is to be called again
 * @plan: the plan
 * @now_ns: time
 *
 * Return: time, SSDQOS_NEVER_NS if wear is not counted.
 */
u64 qos_ready_tick_ns(const struct qos_plan *plan, u64 now_ns);

/**
 * qos_ready_submit - a write comes
 * @plan: the plan
 * @stream: whose
 * @req: with its size
 * @now_ns: time
 *
 * Return: whether it may go on now, rather than when ssdqos_ready_next() says so.
 */
bool qos_ready_submit(struct qos_plan *plan, struct qos_stream *stream,
		      struct ssdqos_ready_req *req, u64 now_ns);

/**
 * qos_ready_complete - the drive has done it
 * @req: of a write, or all zero
 * @now_ns: time
 *
 * Return: whether nobody is told before it comes out of ssdqos_ready_next_done().
 */
bool qos_ready_complete(struct ssdqos_ready_req *req, u64 now_ns);

#endif
