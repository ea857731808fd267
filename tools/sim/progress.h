/* SPDX-License-Identifier: GPL-2.0 */
/*
 * The progress line of a long run, on a terminal only.
 *
 *     if (progress_is_due(&progress, requests))
 *             progress_show(&progress, requests, now_ns, trace_progress_ppm(trace));
 */
#ifndef SSDQOS_SIM_PROGRESS_H
#define SSDQOS_SIM_PROGRESS_H

#include <stdio.h>

#include "types.h"

/* The clock is looked at every 2^14 requests, that is some hundred times a second. */
#define PROGRESS_CHECK_MASK ((1ULL << 14) - 1)

/* The line is written at most this often. */
#define PROGRESS_INTERVAL_NS (200 * NS_PER_MS)

/**
 * struct progress - a progress line
 * @file: where to
 * @is_on: whether to write at all
 * @has_line: a line stands on the terminal
 * @start_ns: wall clock at the start
 * @shown_ns: wall clock when the line was written last
 */
struct progress {
	FILE *file;
	bool is_on;
	bool has_line;
	u64 start_ns;
	u64 shown_ns;
};

/**
 * progress_start - get ready
 * @progress: the progress line
 * @file: normally the standard error; nothing is written unless it is a terminal
 */
void progress_start(struct progress *progress, FILE *file);

/**
 * progress_is_due - whether it is worth calling progress_show()
 * @progress: the progress line
 * @requests: requests so far, going up by one from call to call
 */
static inline bool progress_is_due(const struct progress *progress, u64 requests)
{
	return progress->is_on && (requests & PROGRESS_CHECK_MASK) == 0;
}

/**
 * progress_show - write the line, unless it was written just now
 * @progress: the progress line
 * @requests: requests so far
 * @virtual_ns: virtual time so far
 * @done_ppm: how much of the whole that is, 0 when it is not known
 */
void progress_show(struct progress *progress, u64 requests, u64 virtual_ns, u64 done_ppm);

/**
 * progress_end - wipe the line, so that results start on an empty one
 * @progress: the progress line
 */
void progress_end(struct progress *progress);

/**
 * progress_format - make the text of the line
 * @buffer: room for it
 * @bytes: size of @buffer
 * @wall_ns: wall time so far
 * @requests: requests so far
 * @virtual_ns: virtual time so far
 * @done_ppm: how much of the whole that is, 0 when it is not known
 */
void progress_format(char *buffer, size_t bytes, u64 wall_ns, u64 requests, u64 virtual_ns,
		     u64 done_ppm);

#endif
