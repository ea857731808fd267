/* SPDX-License-Identifier: GPL-2.0 */
/*
 * stream.h - a stream of the command qos: who asks, and what was promised
 *
 *	name=reader load="randread bs=16k iodepth=31" min_iops=250 window_ms=10000
 *	name=files load="randread bs=4k iodepth=64" urgent=100
 */
#ifndef SSDQOS_SIM_QOS_STREAM_H
#define SSDQOS_SIM_QOS_STREAM_H

#include "../common/pair.h"
#include "../load/client.h"
#include "../load/stream.h"
#include "../../../dm-ssdqos/core/qos/apart.h"
#include "../../../dm-ssdqos/core/ready/ready.h"

/**
 * struct qos_achieved - what a stream got in its windows, idle ones aside
 * @n: windows
 * @sum: of all
 * @min: the least
 */
struct qos_achieved {
	u64 n;
	u64 sum;
	u64 min;
};

/**
 * struct qos_stream - a stream
 * @name: what the user calls it
 * @job: its load, as given
 * @config: what it was promised at first
 * @urgent_pct: part of its requests that are urgent, as metadata are
 * @urgent_sum: grows by @urgent_pct with each request
 * @load: makes requests
 * @client: asks for them
 * @drive: who schedules
 * @edf: the scheduler's part
 * @end: the part of it with the guarantee, at the end of the runtime; it counts all requests
 * @ready: the part of the drive's lifetime
 * @ready_end: its counters at the end of the runtime
 * @latency: of its requests, as it sees them
 * @moved_bytes: by its reads and writes
 * @requests: completed in this interval of the series
 * @bytes: likewise
 * @achieved: by window
 * @windows: windows looked at for @achieved
 * @windows_idle: those of them that were idle
 */
struct qos_stream {
	char name[PAIR_TEXT_BYTES];
	char job[PAIR_TEXT_BYTES];
	struct ssdqos_qos_config config;
	u32 urgent_pct;
	u32 urgent_sum;
	struct load *load;
	struct client client;
	const struct ssdqos_apart *drive;
	struct ssdqos_apart_stream edf;
	struct ssdqos_edf_stream end;
	struct ssdqos_ready_stream ready;
	struct ssdqos_ready_stats ready_end;
	struct ssdqos_hist latency;
	u64 moved_bytes;
	u64 requests;
	u64 bytes;
	struct qos_achieved achieved;
	u64 windows;
	u64 windows_idle;
};

/**
 * qos_stream_set - set a parameter
 * @config: of a stream
 * @pair: the parameter
 * @error: says what is wrong
 *
 * Return: 0, or -1.
 */
int qos_stream_set(struct ssdqos_qos_config *config, const struct pair *pair,
		   struct sim_error *error);

/**
 * qos_stream_init - read the line
 * @stream: all zero; to be filled
 * @line: the line
 * @common: parameters that the line does not give
 * @seed: of the load, unless its job has one
 * @drive_bytes: size of the drive
 * @error: says what is wrong
 *
 * Return: 0, or -1; qos_stream_destroy() is right either way.
 */
int qos_stream_init(struct qos_stream *stream, const char *line,
		    const struct ssdqos_qos_config *common, u64 seed, u64 drive_bytes,
		    struct sim_error *error);

/**
 * qos_stream_urgent - is its next request urgent?
 * @stream: the stream
 *
 * They are as far apart as can be, so a run never depends on chance.
 * Return: true for @urgent_pct of all calls.
 */
bool qos_stream_urgent(struct qos_stream *stream);

/**
 * qos_stream_owner - the part of the scheduler with its guarantee
 * @stream: the stream, which is scheduled
 */
static inline const struct ssdqos_edf_stream *qos_stream_owner(const struct qos_stream *stream)
{
	return ssdqos_apart_owner(stream->drive, &stream->edf);
}

/**
 * qos_stream_look - take over windows that have passed
 * @stream: the stream
 */
void qos_stream_look(struct qos_stream *stream);

/**
 * qos_stream_reset - begin with measuring, and with a window
 * @stream: the stream
 * @now_ns: time
 */
void qos_stream_reset(struct qos_stream *stream, u64 now_ns);

/**
 * qos_stream_end - keep what was measured
 * @stream: the stream
 */
void qos_stream_end(struct qos_stream *stream);

/**
 * qos_stream_kept - was the promise kept?
 * @stream: the stream
 *
 * Return: whether the part of windows that were not missed is at least the confidence.
 */
bool qos_stream_kept(const struct qos_stream *stream);

/**
 * qos_stream_destroy - free the load
 * @stream: the stream, not scheduled any more
 */
void qos_stream_destroy(struct qos_stream *stream);

#endif
