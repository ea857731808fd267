/* SPDX-License-Identifier: GPL-2.0 */
/*
 * The progress of a long run: a line that is written over and over on a
 * terminal, one now and then elsewhere, such as in a log.
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

/* In a log, that often; what is done by then needs no line. */
#define PROGRESS_LOG_INTERVAL_NS (30 * NS_PER_S)

/**
 * struct progress - a progress line
 * @file: where to
 * @is_terminal: @file is one
 * @has_line: a line stands on it
 * @start_ns: wall clock at the start
 * @next_ns: wall clock at which the next line may be written
 */
struct progress {
	FILE *file;
	bool is_terminal;
	bool has_line;
	u64 start_ns;
	u64 next_ns;
};

/**
 * progress_start - get ready
 * @progress: the progress line
 * @file: normally the standard error
 */
void progress_start(struct progress *progress, FILE *file);

/**
 * progress_is_due - whether it is worth calling progress_show()
 * @requests: requests so far, going up by one from call to call
 */
static inline bool progress_is_due(u64 requests)
{
	return (requests & PROGRESS_CHECK_MASK) == 0;
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
 * progress_show_years - the same for a drive's life
 * @progress: the progress line
 * @now_ns: the drive's age
 * @most_ns: the age to which it is followed at most
 */
void progress_show_years(struct progress *progress, u64 now_ns, u64 most_ns);

/**
 * progress_note - say what takes long now, on a terminal only
 * @file: normally the standard error
 * @what: the words; none to wipe them
 */
void progress_note(FILE *file, const char *what);

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
