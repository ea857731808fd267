/* SPDX-License-Identifier: GPL-2.0 */
/*
 * Reader of the project trace, the CSV file ``time_us,op,offset_bytes,size_bytes``.
 *
 * The file is streamed: memory does not grow with it.  A row is
 *
 *   time_us       decimal, at most three digits behind the point (nanoseconds),
 *                 never smaller than in the row before
 *   op            R, W or D; recorded runs also have F (flush) and U (write with FUA)
 *   offset_bytes  whole number
 *   size_bytes    whole number, at least 1; 0 for a flush
 *
 * A header row of just these names may stand first; empty lines are skipped; anything else is an
 * error that names file, line, field and value. A trace is not repaired here: that is the work of
 * ``ssdqos-sim convert --from csv``. On request bad rows are left out and counted instead.
 *
 * With loops = N the file is read N times. A further pass starts one mean gap between arrivals
 * after the last arrival of the pass before. The scale is applied last.
 */
#ifndef SSDQOS_SIM_TRACE_H
#define SSDQOS_SIM_TRACE_H

#include "../common/sim_error.h"
#include "request.h"

#define TRACE_HEADER "time_us,op,offset_bytes,size_bytes"

#define TRACE_LOOPS_MAX 1000000ULL
#define TRACE_SCALE_MIN_PPM 1ULL
#define TRACE_SCALE_MAX_PPM (PPM_ONE * PPM_ONE)

struct trace;

/**
 * struct trace_options - how to read a trace
 * @loops: passes over the file, 1 to TRACE_LOOPS_MAX; 0 means 1
 * @scale_ppm: what arrival times are multiplied by, in millionths: 500000 makes the trace twice as
 * fast; 0 means 1000000
 * @skip_bad_rows: leave out bad rows, also those that go back in time, and count them (see
 * trace_skipped_rows())
 * @buffer_bytes: 0 for the default; for tests
 */
struct trace_options {
	u64 loops;
	u64 scale_ppm;
	bool skip_bad_rows;
	size_t buffer_bytes;
};

/**
 * trace_parse_loops - read the argument of --loop
 * @argument: a whole number
 * @loops: the result
 * @error: says what is wrong with it
 *
 * Return: 0, or -1.
 */
int trace_parse_loops(const char *argument, u64 *loops, struct sim_error *error);

/**
 * trace_parse_scale - read the argument of --scale-time
 * @argument: a decimal such as 0.5
 * @scale_ppm: the result
 * @error: says what is wrong with it
 *
 * Return: 0, or -1.
 */
int trace_parse_scale(const char *argument, u64 *scale_ppm, struct sim_error *error);

/**
 * trace_open - start reading a trace
 * @path: plain or gzip, "-" for the standard input; kept by reference
 * @options: NULL for one pass without scaling
 * @error: says why it failed
 *
 * Return: the reader, or NULL.
 */
struct trace *trace_open(const char *path, const struct trace_options *options,
			 struct sim_error *error);

/**
 * trace_next - the next request
 * @trace: from trace_open()
 * @request: the request, with looped and scaled arrival time
 *
 * Return: 1 with a request, 0 at the end, -1 on an error (see trace_error()), which is also
 * returned from then on.
 */
int trace_next(struct trace *trace, struct sim_request *request);

/**
 * trace_error - what went wrong in trace_next()
 * @trace: from trace_open()
 *
 * Return: one sentence, empty when nothing has.
 */
const char *trace_error(const struct trace *trace);

/**
 * trace_name - what messages call the trace
 * @trace: from trace_open()
 */
const char *trace_name(const struct trace *trace);

/**
 * trace_skipped_rows - how many bad rows were left out
 * @trace: from trace_open()
 * @first: if not NULL, the sentence about the first of them, empty when there was none
 *
 * Return: the number, over all passes.
 */
u64 trace_skipped_rows(const struct trace *trace, const char **first);

/**
 * trace_progress_ppm - how far the reader is
 * @trace: from trace_open()
 *
 * Return: parts per million over all passes, 0 when the size of the input is unknown.
 */
u64 trace_progress_ppm(const struct trace *trace);

/**
 * trace_close - free the reader
 * @trace: from trace_open(), or NULL
 */
void trace_close(struct trace *trace);

#endif
