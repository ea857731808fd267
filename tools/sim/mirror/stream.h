/* SPDX-License-Identifier: GPL-2.0 */
/*
 * stream.h - a stream of the command mirror: who asks
 *
 *	name=reader load="randread bs=16k iodepth=31"
 *	name=log load="write bs=4k" fsync=on
 *	name=search trace=../shared/traces/umass_websearch_60s.csv.gz loop=10 scale=0.5
 *	name=again trace=mine.csv iodepth=31
 */
#ifndef SSDQOS_SIM_MIRROR_STREAM_H
#define SSDQOS_SIM_MIRROR_STREAM_H

#include "../common/pair.h"
#include "../flash/run.h"
#include "../load/client.h"
#include "windows.h"

/**
 * struct mirror_stream - a stream
 * @name: what the user calls it
 * @source: its load, or the name of its trace, as given
 * @fsync: each of its writes is made durable before the next one
 * @load: makes requests; NULL for a trace
 * @client: asks for them
 * @trace: has requests; NULL for a load
 * @options: how the trace is read
 * @depth: so many of the trace are under way, whatever their times; 0: by their times
 * @room: of those, how many more may be
 * @next: of the trace, if @has_next
 * @has_next: there is one
 * @latency: of its requests, by enum ssdqos_flash_op
 * @moved_bytes: by its reads and writes
 * @requests: completed in this window
 * @bytes: likewise
 * @windows: requests by window
 */
struct mirror_stream {
	char name[PAIR_TEXT_BYTES];
	char source[PAIR_TEXT_BYTES];
	bool fsync;
	struct load *load;
	struct client client;
	struct trace *trace;
	struct trace_options options;
	u32 depth;
	u32 room;
	struct sim_request next;
	bool has_next;
	struct ssdqos_hist latency[SSDQOS_FLASH_NR_OPS];
	u64 moved_bytes;
	u64 requests;
	u64 bytes;
	struct mirror_windows windows;
};

/**
 * mirror_stream_init - read the line
 * @stream: all zero; to be filled
 * @line: the line
 * @seed: of the load, unless its job has one
 * @drive_bytes: size of the drive
 * @error: says what is wrong
 *
 * Return: 0, or -1; mirror_stream_destroy() is right either way.
 */
int mirror_stream_init(struct mirror_stream *stream, const char *line, u64 seed, u64 drive_bytes,
		       struct sim_error *error);

/**
 * mirror_stream_start - make the first requests
 * @stream: the stream
 */
void mirror_stream_start(struct mirror_stream *stream);

/**
 * mirror_stream_next_ns - when its next request comes
 * @stream: the stream
 *
 * Return: SSDQOS_NEVER_NS if none does unless something completes.
 */
u64 mirror_stream_next_ns(const struct mirror_stream *stream);

/**
 * mirror_stream_take - the next request, if it has come
 * @stream: the stream
 * @now_ns: time
 * @request: gets it
 *
 * Return: whether it has.
 */
bool mirror_stream_take(struct mirror_stream *stream, u64 now_ns, struct sim_request *request);

/**
 * mirror_stream_completed - one of its requests has completed
 * @stream: the stream
 * @now_ns: when
 */
void mirror_stream_completed(struct mirror_stream *stream, u64 now_ns);

/**
 * mirror_stream_reset - begin with measuring
 * @stream: the stream
 */
void mirror_stream_reset(struct mirror_stream *stream);

/**
 * mirror_stream_stop - make no more requests
 * @stream: the stream
 */
void mirror_stream_stop(struct mirror_stream *stream);

/**
 * mirror_stream_error - what was wrong with its trace
 * @stream: the stream
 *
 * Return: one sentence, empty if nothing was.
 */
const char *mirror_stream_error(const struct mirror_stream *stream);

/**
 * mirror_stream_destroy - free what it has
 * @stream: the stream
 */
void mirror_stream_destroy(struct mirror_stream *stream);

#endif
