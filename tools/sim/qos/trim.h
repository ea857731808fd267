/* SPDX-License-Identifier: GPL-2.0 */
/*
 * trim.h - discards are kept for a while between the clients and the drive
 *
 * What the target's dm/qos/trim.c does, without a kernel around it.
 */
#ifndef SSDQOS_SIM_QOS_TRIM_H
#define SSDQOS_SIM_QOS_TRIM_H

#include "../common/sim_error.h"
#include "below.h"
#include "../../../dm-ssdqos/core/qos/apart.h"
#include "../../../dm-ssdqos/core/qos/discard.h"

/**
 * struct qos_trim_slot - a discard on its way
 * @below: as it is sent
 * @edf: the scheduler's view
 * @run: what was chosen
 * @managed: the scheduler knows it
 * @state: enum qos_trim_state
 */
struct qos_trim_slot {
	struct qos_below_req below;
	struct ssdqos_edf_req edf;
	struct ssdqos_trim_run *run;
	bool managed;
	u8 state;
};

/**
 * struct qos_trim - the batch of a drive
 * @core: what is kept; all zero if discards pass
 * @cfg: as it was asked for
 * @wanted: as it shall be once nothing is kept
 * @is_on: discards are kept
 * @is_wanted: they shall be
 * @below: where they go
 * @edf: who schedules
 * @stream: its view, with who schedules writes
 * @slots: discards on their way
 * @gone: what was done under other parameters
 */
struct qos_trim {
	struct ssdqos_trim core;
	struct ssdqos_trim_config cfg;
	struct ssdqos_trim_config wanted;
	bool is_on;
	bool is_wanted;
	struct qos_below *below;
	const struct ssdqos_apart *edf;
	struct ssdqos_edf_stream stream;
	struct qos_trim_slot slots[SSDQOS_TRIM_MAX_DEPTH];
	struct ssdqos_trim_stats gone;
};

/**
 * qos_trim_init - a drive without a batch
 * @t: to be filled
 * @below: where they go
 * @edf: who schedules
 */
void qos_trim_init(struct qos_trim *t, struct qos_below *below, const struct ssdqos_apart *edf);

/**
 * qos_trim_destroy - free the memory
 * @t: the batch
 */
void qos_trim_destroy(struct qos_trim *t);

/**
 * qos_trim_set - the drive's parameters may be other ones
 * @t: the batch; what is kept goes first
 * @now_ns: time
 */
void qos_trim_set(struct qos_trim *t, u64 now_ns);

/**
 * qos_trim_take - a discard comes
 * @t: the batch
 * @s: whose
 * @req: what the scheduler would know of it
 * @start: its first sector
 * @nr: sectors
 * @now_ns: time
 *
 * Return: it is kept, and done; or it goes its way.
 */
bool qos_trim_take(struct qos_trim *t, struct ssdqos_edf_stream *s,
		   const struct ssdqos_edf_req *req, u64 start, u64 nr, u64 now_ns);

/**
 * qos_trim_cut - a write comes
 * @t: the batch
 * @start: its first sector
 * @nr: sectors
 *
 * Return: it has to wait until qos_trim_holds() says that it needn't.
 */
bool qos_trim_cut(struct qos_trim *t, u64 start, u64 nr);

/**
 * qos_trim_holds - are some of these sectors being discarded?
 * @t: the batch
 * @start: the first sector
 * @nr: sectors
 */
bool qos_trim_holds(const struct qos_trim *t, u64 start, u64 nr);

/**
 * qos_trim_step - send what may be sent
 * @t: the batch
 * @requests: of clients so far
 * @now_ns: time
 */
void qos_trim_step(struct qos_trim *t, u64 requests, u64 now_ns);

/**
 * qos_trim_granted - the scheduler lets a request go
 * @t: the batch
 * @req: the request
 *
 * Return: it was one of the batch; qos_trim_step() sends it.
 */
bool qos_trim_granted(struct qos_trim *t, struct ssdqos_edf_req *req);

/**
 * qos_trim_done - the drive has done a request
 * @t: the batch
 * @req: the request
 * @now_ns: time
 *
 * Return: it was one of the batch.
 */
bool qos_trim_done(struct qos_trim *t, struct qos_below_req *req, u64 now_ns);

/**
 * qos_trim_flush - all goes, and nothing is kept any more
 * @t: the batch
 * @now_ns: time
 */
void qos_trim_flush(struct qos_trim *t, u64 now_ns);

/**
 * qos_trim_is_empty - is nothing kept or under way?
 * @t: the batch
 */
bool qos_trim_is_empty(const struct qos_trim *t);

/**
 * qos_trim_wake_ns - when qos_trim_step() is to be called
 * @t: the batch
 *
 * Return: the time, or SSDQOS_NEVER_NS.
 */
u64 qos_trim_wake_ns(const struct qos_trim *t);

/**
 * qos_trim_stats - what was done
 * @t: the batch
 * @stats: filled
 */
void qos_trim_stats(const struct qos_trim *t, struct ssdqos_trim_stats *stats);

#endif
