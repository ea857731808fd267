// SPDX-License-Identifier: GPL-2.0
#include "trace.h"

#include <stdlib.h>

#include "../common/lines.h"

#define TIME_FRACTION_DIGITS 3

/**
 * struct trace - a trace being read
 * @lines: the file
 * @options: as given, with defaults filled in
 * @pass: passes finished
 * @rows: rows of this pass
 * @first_ns: time of the first row in the file
 * @last_ns: time of the row read last, as in the file
 * @shift_ns: what this pass adds to the times in the file
 * @skipped_rows: bad rows left out
 * @has_failed: trace_next() has returned an error
 * @error: the sentence about it
 * @first_skipped: the sentence about the first bad row left out
 */
struct trace {
	struct lines lines;
	struct trace_options options;
	u64 pass;
	u64 rows;
	u64 first_ns;
	u64 last_ns;
	u64 shift_ns;
	u64 skipped_rows;
	bool has_failed;
	struct sim_error error;
	struct sim_error first_skipped;
};

/* "12", "12.5", "12.345" microseconds to nanoseconds. */
static inline bool take_time(struct text *text, struct sim_request *request)
{
	u64 ns;
	u64 digit_ns = NS_PER_US;

	if (!text_take_u64(text, &ns) || __builtin_mul_overflow(ns, NS_PER_US, &ns))
		return false;
	request->arrival_ns = ns;
	if (!text_take_char(text, '.'))
		return true;
	if (!text_starts_with_digit(*text))
		return false;
	for (int i = 0; i < TIME_FRACTION_DIGITS && text_starts_with_digit(*text); i++) {
		digit_ns /= DECIMAL_BASE;
		ns += (u64)(*text->at++ - '0') * digit_ns;
	}
	if (ns < request->arrival_ns)
		return false;
	request->arrival_ns = ns;
	return true;
}

static inline bool take_op(struct text *text, struct sim_request *request)
{
	for (u8 op = 0; op < NR_TRACE_OPS; op++) {
		if (text_take_char(text, SIM_OP_LETTERS[op])) {
			request->op = op;
			return true;
		}
	}
	return false;
}

static inline bool take_offset(struct text *text, struct sim_request *request)
{
	return text_take_u64(text, &request->offset_bytes) &&
	       request->offset_bytes < SIM_ADDRESS_MAX_BYTES;
}

static inline bool take_size(struct text *text, struct sim_request *request)
{
	return text_take_u64(text, &request->size_bytes) &&
	       (request->op == SIM_OP_FLUSH) == !request->size_bytes &&
	       request->size_bytes <= SIM_ADDRESS_MAX_BYTES - request->offset_bytes;
}

/* The fields of a row, in order, for the error message; parse_row() is the same, unrolled. */
static const struct trace_field {
	const char *name;
	bool (*take)(struct text *text, struct sim_request *request);
	const char *expected;
} trace_fields[] = {
	{ "time_us", take_time,
	  "microseconds as a number with at most 3 digits behind the point, below 2^64 ns" },
	{ "op", take_op, "R, W, D, F or U" },
	{ "offset_bytes", take_offset, "a whole number below 2^63 - 1" },
	{ "size_bytes", take_size, "a whole number from 1 up, with offset plus size below 2^63; of a flush 0" },
};

static bool parse_row(struct text line, struct sim_request *request)
{
	return take_time(&line, request) && text_take_char(&line, ',') &&
	       take_op(&line, request) && text_take_char(&line, ',') &&
	       take_offset(&line, request) && text_take_char(&line, ',') &&
	       take_size(&line, request) && text_is_empty(line);
}

static int fail_field(struct trace *trace, const struct trace_field *field, struct text value)
{
	struct sim_quote quote;

	return sim_error_set(&trace->error, "%s:%llu: %s is '%s', expected %s", trace->lines.name,
			     trace->lines.number, field->name, sim_quote(&quote, value),
			     field->expected);
}

static u64 count_fields(struct text line)
{
	u64 count = 1;

	for (; line.at < line.end; line.at++)
		count += *line.at == ',';
	return count;
}

/* parse_row() has refused this line: find out why, field by field. Always returns -1. */
static int explain_row(struct trace *trace, struct text line)
{
	const u64 count = count_fields(line);
	struct sim_request request = { 0 };
	struct sim_quote quote;

	if (count != SIM_ARRAY_SIZE(trace_fields))
		return sim_error_set(
			&trace->error,
			"%s:%llu: the row '%s' has %llu fields, expected the 4 of " TRACE_HEADER,
			trace->lines.name, trace->lines.number, sim_quote(&quote, line), count);
	for (size_t i = 0; i < SIM_ARRAY_SIZE(trace_fields); i++) {
		const struct text value = text_cut(&line, ',');
		struct text rest = value;

		if (!trace_fields[i].take(&rest, &request) || !text_is_empty(rest))
			return fail_field(trace, &trace_fields[i], value);
	}
	return sim_error_set(&trace->error, "%s:%llu: the row '%s' cannot be read",
			     trace->lines.name, trace->lines.number, sim_quote(&quote, line));
}

static int fail_order(struct trace *trace, struct text line)
{
	struct sim_quote quote;

	return sim_error_set(
		&trace->error,
		"%s:%llu: time_us is '%s', expected at least %llu.%03llu as in the row before (ssdqos-sim convert --from csv sorts)",
		trace->lines.name, trace->lines.number, sim_quote(&quote, text_cut(&line, ',')),
		trace->last_ns / NS_PER_US, trace->last_ns % NS_PER_US);
}

static bool is_header(const struct trace *trace, struct text line)
{
	return trace->rows == 0 && text_is(line, TRACE_HEADER);
}

/* 1 with a good row, 0 for a line without a row, -1 with the error set for a bad row. */
static int read_row(struct trace *trace, struct text line, struct sim_request *request)
{
	if (parse_row(line, request))
		return trace->rows && request->arrival_ns < trace->last_ns ?
			       fail_order(trace, line) :
			       1;
	if (text_is_empty(line) || is_header(trace, line))
		return 0;
	return explain_row(trace, line);
}

static void count_skipped(struct trace *trace)
{
	if (trace->skipped_rows++ == 0)
		trace->first_skipped = trace->error;
}

/* 1 with a row of the file, 0 at the end of this pass. */
static int next_row(struct trace *trace, struct sim_request *request)
{
	struct text line;
	int ret;

	while ((ret = lines_next(&trace->lines, &line, &trace->error)) > 0) {
		ret = read_row(trace, line, request);
		if (ret > 0)
			return ret;
		if (ret < 0 && !trace->options.skip_bad_rows)
			return ret;
		if (ret < 0)
			count_skipped(trace);
	}
	return ret;
}

static int fail_time_range(struct trace *trace)
{
	return sim_error_set(
		&trace->error,
		"%s:%llu: with pass %llu of %llu and the time scale the arrival time passes 2^64 ns (584 years)",
		trace->lines.name, trace->lines.number, trace->pass + 1, trace->options.loops);
}

/*
 * t * ppm / 10^6 without a 128-bit division: with t = a * 10^6 + b the result is a * ppm + b * ppm
 * / 10^6, where b * ppm < 10^6 * 10^12 = 10^18 fits.
 */
static bool scale_time(u64 *time_ns, u64 ppm)
{
	u64 whole;

	if (__builtin_mul_overflow(*time_ns / PPM_ONE, ppm, &whole))
		return false;
	return !__builtin_add_overflow(whole, *time_ns % PPM_ONE * ppm / PPM_ONE, time_ns);
}

static bool place_in_time(const struct trace *trace, struct sim_request *request)
{
	if (__builtin_add_overflow(request->arrival_ns, trace->shift_ns, &request->arrival_ns))
		return false;
	return trace->options.scale_ppm == PPM_ONE ||
	       scale_time(&request->arrival_ns, trace->options.scale_ppm);
}

static int start_next_pass(struct trace *trace)
{
	const u64 span_ns = trace->last_ns - trace->first_ns;
	const u64 gap_ns = trace->rows > 1 ? span_ns / (trace->rows - 1) : 0;

	if (__builtin_add_overflow(trace->shift_ns, span_ns, &trace->shift_ns) ||
	    __builtin_add_overflow(trace->shift_ns, gap_ns, &trace->shift_ns))
		return fail_time_range(trace);
	trace->pass++;
	trace->rows = 0;
	return lines_rewind(&trace->lines, &trace->error);
}

static int next_request(struct trace *trace, struct sim_request *request)
{
	int ret;

	while ((ret = next_row(trace, request)) == 0) {
		if (trace->rows == 0 || trace->pass + 1 >= trace->options.loops)
			return 0;
		if (start_next_pass(trace))
			return -1;
	}
	if (ret < 0)
		return ret;
	if (trace->rows++ == 0)
		trace->first_ns = request->arrival_ns;
	trace->last_ns = request->arrival_ns;
	return place_in_time(trace, request) ? 1 : fail_time_range(trace);
}

int trace_next(struct trace *trace, struct sim_request *request)
{
	int ret;

	if (trace->has_failed)
		return -1;
	ret = next_request(trace, request);
	trace->has_failed = ret < 0;
	return ret;
}

const char *trace_error(const struct trace *trace)
{
	return trace->has_failed ? trace->error.text : "";
}

const char *trace_name(const struct trace *trace)
{
	return trace->lines.name;
}

u64 trace_skipped_rows(const struct trace *trace, const char **first)
{
	if (first)
		*first = trace->first_skipped.text;
	return trace->skipped_rows;
}

u64 trace_progress_ppm(const struct trace *trace)
{
	return (trace->pass * PPM_ONE + lines_read_ppm(&trace->lines)) / trace->options.loops;
}

static void fill_defaults(struct trace_options *options)
{
	if (!options->loops)
		options->loops = 1;
	if (!options->scale_ppm)
		options->scale_ppm = PPM_ONE;
}

static int check_options(const struct trace *trace, struct sim_error *error)
{
	if (trace->options.loops > TRACE_LOOPS_MAX)
		return sim_error_set(error, "--loop is %llu, expected 1 to %llu",
				     trace->options.loops, TRACE_LOOPS_MAX);
	if (trace->options.scale_ppm > TRACE_SCALE_MAX_PPM)
		return sim_error_set(error, "--scale-time is %llu millionths, expected 1 to %llu",
				     trace->options.scale_ppm, TRACE_SCALE_MAX_PPM);
	if (trace->options.loops > 1 && !trace->lines.is_seekable)
		return sim_error_set(error,
				     "%s: --loop %llu needs a regular file that can be read again",
				     trace->lines.name, trace->options.loops);
	return 0;
}

struct trace *trace_open(const char *path, const struct trace_options *options,
			 struct sim_error *error)
{
	struct trace *trace = calloc(1, sizeof(*trace));

	if (!trace) {
		sim_error_set(error, "%s: not enough memory to read it", path);
		return NULL;
	}
	if (options)
		trace->options = *options;
	fill_defaults(&trace->options);
	if (lines_open(&trace->lines, path, trace->options.buffer_bytes, error) ||
	    check_options(trace, error)) {
		trace_close(trace);
		return NULL;
	}
	return trace;
}

void trace_close(struct trace *trace)
{
	if (!trace)
		return;
	lines_close(&trace->lines);
	free(trace);
}

int trace_parse_loops(const char *argument, u64 *loops, struct sim_error *error)
{
	struct sim_quote quote;

	if (text_to_u64(text_of(argument), loops) && *loops >= 1 && *loops <= TRACE_LOOPS_MAX)
		return 0;
	return sim_error_set(error, "--loop is '%s', expected a whole number from 1 to %llu",
			     sim_quote(&quote, text_of(argument)), TRACE_LOOPS_MAX);
}

int trace_parse_scale(const char *argument, u64 *scale_ppm, struct sim_error *error)
{
	struct sim_quote quote;

	if (text_to_scaled(text_of(argument), PPM_ONE, scale_ppm) &&
	    *scale_ppm >= TRACE_SCALE_MIN_PPM && *scale_ppm <= TRACE_SCALE_MAX_PPM)
		return 0;
	return sim_error_set(error,
			     "--scale-time is '%s', expected a number from 0.000001 to 1000000",
			     sim_quote(&quote, text_of(argument)));
}
