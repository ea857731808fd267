// SPDX-License-Identifier: GPL-2.0
/*
 * The reader of the project trace: what it takes, what it refuses and how it says so.
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <cmocka.h>

#include <glob.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>
#include <zlib.h>

#include "../../tools/sim/load/trace.h"

#define ROWS_MAX 64

/* Folder with traces that cannot be part of the project; their test is skipped without it. */
#define TRACES_ENV "SSDQOS_TRACES"

static char path[] = "/tmp/test_trace.XXXXXX";

static int make_path(void **state)
{
	int fd = mkstemp(path);

	(void)state;
	return fd < 0 ? -1 : close(fd);
}

static int remove_path(void **state)
{
	(void)state;
	return unlink(path);
}

static void write_bytes(const void *bytes, size_t length)
{
	FILE *file = fopen(path, "wb");

	assert_non_null(file);
	assert_int_equal(fwrite(bytes, 1, length, file), length);
	assert_int_equal(fclose(file), 0);
}

struct result {
	struct sim_request rows[ROWS_MAX];
	int count;
	int ret;
	u64 skipped;
	char error[SIM_ERROR_BYTES];
	char first_skipped[SIM_ERROR_BYTES];
};

static struct result read_file(const struct trace_options *options)
{
	struct result result = { .ret = -1 };
	struct sim_error error = { "" };
	struct trace *trace = trace_open(path, options, &error);
	const char *first;

	if (!trace) {
		strcpy(result.error, error.text);
		return result;
	}
	while (result.count < ROWS_MAX &&
	       (result.ret = trace_next(trace, &result.rows[result.count])) > 0)
		result.count++;
	if (result.ret < 0)
		assert_int_equal(trace_next(trace, &result.rows[0]), -1);
	strcpy(result.error, trace_error(trace));
	result.skipped = trace_skipped_rows(trace, &first);
	strcpy(result.first_skipped, first);
	trace_close(trace);
	return result;
}

static struct result read_text(const char *text)
{
	write_bytes(text, strlen(text));
	return read_file(NULL);
}

static void assert_row(const struct sim_request *row, u64 ns, u8 op, u64 offset, u64 size)
{
	assert_int_equal(row->arrival_ns, ns);
	assert_int_equal(row->op, op);
	assert_int_equal(row->offset_bytes, offset);
	assert_int_equal(row->size_bytes, size);
}

static void takes_three_operations_behind_a_header(void **state)
{
	struct result result =
		read_text(TRACE_HEADER "\n0,R,0,4096\n7,W,8192,512\n9,D,0,8589934592\n");

	(void)state;
	assert_string_equal(result.error, "");
	assert_int_equal(result.count, 3);
	assert_row(&result.rows[0], 0, SIM_OP_READ, 0, 4096);
	assert_row(&result.rows[1], 7000, SIM_OP_WRITE, 8192, 512);
	assert_row(&result.rows[2], 9000, SIM_OP_DISCARD, 0, 8589934592ULL);
}

static void takes_fractions_of_a_microsecond(void **state)
{
	struct result result = read_text("1.5,R,0,1\n2.25,R,0,1\n3.125,R,0,1\n"
					 "18446744073709551.615,R,0,1\n");

	(void)state;
	assert_int_equal(result.count, 4);
	assert_int_equal(result.rows[0].arrival_ns, 1500);
	assert_int_equal(result.rows[1].arrival_ns, 2250);
	assert_int_equal(result.rows[2].arrival_ns, 3125);
	assert_int_equal(result.rows[3].arrival_ns, ~0ULL);
}

static void takes_dos_lines_empty_lines_and_no_last_newline(void **state)
{
	struct result result =
		read_text("\xef\xbb\xbf" TRACE_HEADER "\r\n0,R,0,4096\r\n\r\n1,W,0,4096");

	(void)state;
	assert_string_equal(result.error, "");
	assert_int_equal(result.count, 2);
	assert_row(&result.rows[1], 1000, SIM_OP_WRITE, 0, 4096);
}

static void takes_an_empty_file(void **state)
{
	(void)state;
	assert_int_equal(read_text("").ret, 0);
	assert_int_equal(read_text(TRACE_HEADER).ret, 0);
}

static void takes_gzip_whatever_its_name(void **state)
{
	gzFile file = gzopen(path, "wb");
	struct result result;

	(void)state;
	gzputs(file, "0,R,0,4096\n1,W,0,4096\n");
	gzclose(file);
	result = read_file(NULL);
	assert_string_equal(result.error, "");
	assert_int_equal(result.count, 2);
}

static void refuses_gzip_that_is_cut(void **state)
{
	u8 bytes[4096];
	gzFile gzip = gzopen(path, "wb");
	FILE *file;
	size_t length;
	struct result result;

	(void)state;
	for (int i = 0; i < 20; i++)
		gzprintf(gzip, "%d,R,%d,4096\n", i, i * 37 % 11);
	gzclose(gzip);
	file = fopen(path, "rb");
	length = fread(bytes, 1, sizeof(bytes), file);
	fclose(file);
	write_bytes(bytes, length - 9);
	result = read_file(NULL);
	assert_int_equal(result.ret, -1);
	assert_non_null(strstr(result.error, "ends too early"));
	bytes[length / 2] ^= 0x55;
	write_bytes(bytes, length);
	assert_int_equal(read_file(NULL).ret, -1);
}

static const struct bad_row {
	const char *text;
	const char *expected;
} bad_rows[] = {
	{ "x,R,0,1\n", ":1: time_us is 'x', expected microseconds" },
	{ "0,R,0,1\n-1,R,0,1\n", ":2: time_us is '-1', expected microseconds" },
	{ "1.2345,R,0,1\n", ":1: time_us is '1.2345'" },
	{ "1.,R,0,1\n", ":1: time_us is '1.'" },
	{ "18446744073709552,R,0,1\n", ":1: time_us is '18446744073709552'" },
	{ "18446744073709551.616,R,0,1\n", ":1: time_us is '18446744073709551.616'" },
	{ "0,r,0,1\n", ":1: op is 'r', expected R, W, D, F or U" },
	{ "0,RW,0,1\n", ":1: op is 'RW', expected R, W, D, F or U" },
	{ "0,,0,1\n", ":1: op is '', expected R, W, D, F or U" },
	{ "0,R,-8388608,1\n", ":1: offset_bytes is '-8388608', expected a whole number" },
	{ "0,R,1.5,1\n", ":1: offset_bytes is '1.5'" },
	{ "0,R,99999999999999999999,1\n", ":1: offset_bytes is '99999999999999999999'" },
	{ "0,R,0,0\n", ":1: size_bytes is '0', expected a whole number from 1 up" },
	{ "0,R,0,4k\n", ":1: size_bytes is '4k'" },
	{ "0,R,9223372036854775806,2\n", ":1: size_bytes is '2'" },
	{ "0,R,0\n", ":1: the row '0,R,0' has 3 fields, expected the 4 of time_us" },
	{ "0,R,0,1,7\n", ":1: the row '0,R,0,1,7' has 5 fields" },
	{ "hello\n", ":1: the row 'hello' has 1 fields" },
	{ "0,R,0,1\n" TRACE_HEADER "\n", ":2: time_us is 'time_us'" },
	{ "5,R,0,1\n\n4.999,R,0,1\n", ":3: time_us is '4.999', expected at least 5.000" },
	{ "\x01\x02,R,0,1\n", ":1: time_us is '?\?'" },
};

static void refuses_bad_rows_and_says_which_field(void **state)
{
	(void)state;
	for (size_t i = 0; i < SIM_ARRAY_SIZE(bad_rows); i++) {
		struct result result = read_text(bad_rows[i].text);

		assert_int_equal(result.ret, -1);
		assert_memory_equal(result.error, path, strlen(path));
		if (!strstr(result.error, bad_rows[i].expected))
			fail_msg("'%s' does not say '%s'", result.error, bad_rows[i].expected);
	}
}

static void leaves_out_bad_rows_on_request(void **state)
{
	const char *text = TRACE_HEADER
		"\n0,R,0,1\n1,R,-5,1\n9,W,0,1\n8,W,0,1\nrubbish\n10,D,0,1\n";
	struct result result;

	(void)state;
	write_bytes(text, strlen(text));
	result = read_file(&(struct trace_options){ .skip_bad_rows = true });
	assert_int_equal(result.ret, 0);
	assert_string_equal(result.error, "");
	assert_int_equal(result.count, 3);
	assert_row(&result.rows[2], 10000, SIM_OP_DISCARD, 0, 1);
	assert_int_equal(result.skipped, 3);
	assert_non_null(strstr(result.first_skipped, ":3: offset_bytes is '-5'"));
}

static void reads_the_same_through_a_tiny_buffer(void **state)
{
	const char *text = TRACE_HEADER "\r\n0,R,0,4096\r\n1000,W,123456789,4096\n\n2000,D,0,1";

	(void)state;
	write_bytes(text, strlen(text));
	for (size_t bytes = strlen(TRACE_HEADER) + 2; bytes < 2 * strlen(text); bytes++) {
		struct result result = read_file(&(struct trace_options){ .buffer_bytes = bytes });

		assert_string_equal(result.error, "");
		assert_int_equal(result.count, 3);
		assert_row(&result.rows[1], 1000000, SIM_OP_WRITE, 123456789, 4096);
		assert_row(&result.rows[2], 2000000, SIM_OP_DISCARD, 0, 1);
	}
}

static void refuses_a_line_longer_than_the_buffer(void **state)
{
	struct result result;

	(void)state;
	write_bytes("0,R,0,1\n0,R,0,4096\n", 19);
	result = read_file(&(struct trace_options){ .buffer_bytes = 9 });
	assert_int_equal(result.count, 1);
	assert_non_null(strstr(result.error, ":2: the line is longer than 8 bytes"));
}

/* Rows at 10, 12 and 16 us: a pass spans 6 us, the mean gap is 3 us, so a pass starts every 9 us.
 */
static void loops_with_one_mean_gap_between_passes(void **state)
{
	static const u64 expected_ns[] = { 10000, 12000, 16000, 19000, 21000,
					   25000, 28000, 30000, 34000 };
	struct result result;

	(void)state;
	write_bytes("10,R,0,1\n12,R,0,1\n16,R,0,1\n", 27);
	result = read_file(&(struct trace_options){ .loops = 3 });
	assert_int_equal(result.ret, 0);
	assert_int_equal(result.count, SIM_ARRAY_SIZE(expected_ns));
	for (size_t i = 0; i < SIM_ARRAY_SIZE(expected_ns); i++)
		assert_int_equal(result.rows[i].arrival_ns, expected_ns[i]);
}

static void loops_over_one_row_and_over_none(void **state)
{
	(void)state;
	write_bytes("10,R,0,1\n", 9);
	assert_int_equal(read_file(&(struct trace_options){ .loops = 4 }).count, 4);
	write_bytes("", 0);
	assert_int_equal(read_file(&(struct trace_options){ .loops = 4 }).ret, 0);
}

static void scales_time(void **state)
{
	struct result result;

	(void)state;
	write_bytes("0,R,0,1\n3.001,R,0,1\n1000000000,R,0,1\n", 37);
	result = read_file(&(struct trace_options){ .scale_ppm = 500000 });
	assert_int_equal(result.rows[1].arrival_ns, 1500);
	assert_int_equal(result.rows[2].arrival_ns, 500 * NS_PER_S);
	result = read_file(&(struct trace_options){ .scale_ppm = 3 * PPM_ONE, .loops = 2 });
	assert_int_equal(result.rows[1].arrival_ns, 9003);
	assert_int_equal(result.rows[4].arrival_ns, 3 * (1500 * NS_PER_S + 3001));
}

static void refuses_times_beyond_64_bits(void **state)
{
	struct result result;

	(void)state;
	write_bytes("18446744073709551,R,0,1\n", 24);
	result = read_file(&(struct trace_options){ .scale_ppm = 2 * PPM_ONE });
	assert_int_equal(result.ret, -1);
	assert_non_null(strstr(result.error, ":1: with pass 1 of 1"));
	write_bytes("0,R,0,1\n18446744073709551,R,0,1\n", 32);
	result = read_file(&(struct trace_options){ .loops = 2 });
	assert_int_equal(result.count, 2);
	assert_non_null(strstr(result.error, "584 years"));
}

static void reads_arguments(void **state)
{
	struct sim_error error;
	u64 value;

	(void)state;
	assert_int_equal(trace_parse_scale("0.5", &value, &error), 0);
	assert_int_equal(value, 500000);
	assert_int_equal(trace_parse_scale("1000000", &value, &error), 0);
	assert_int_equal(trace_parse_scale("0", &value, &error), -1);
	assert_string_equal(error.text,
			    "--scale-time is '0', expected a number from 0.000001 to 1000000");
	assert_int_equal(trace_parse_scale("1000000.1", &value, &error), -1);
	assert_int_equal(trace_parse_scale("-1", &value, &error), -1);
	assert_int_equal(trace_parse_scale("1e3", &value, &error), -1);
	assert_int_equal(trace_parse_loops("12", &value, &error), 0);
	assert_int_equal(value, 12);
	assert_int_equal(trace_parse_loops("0", &value, &error), -1);
	assert_string_equal(error.text, "--loop is '0', expected a whole number from 1 to 1000000");
	assert_int_equal(trace_parse_loops("", &value, &error), -1);
}

static void refuses_what_cannot_be_opened(void **state)
{
	struct sim_error error;

	(void)state;
	assert_null(trace_open("/nonexistent/file", NULL, &error));
	assert_non_null(strstr(error.text, "/nonexistent/file: cannot be opened: No such file"));
}

static void refuses_a_directory(void **state)
{
	struct sim_error error;
	struct sim_request request;
	struct trace *trace = trace_open("/tmp", NULL, &error);

	(void)state;
	assert_non_null(trace);
	assert_int_equal(trace_next(trace, &request), -1);
	assert_non_null(
		strstr(trace_error(trace), "/tmp: cannot be read after line 0: Is a directory"));
	trace_close(trace);
}

static void refuses_to_loop_over_a_pipe(void **state)
{
	struct sim_error error;

	(void)state;
	assert_null(trace_open("/dev/null", &(struct trace_options){ .loops = 2 }, &error));
	assert_non_null(strstr(error.text, "--loop 2 needs a regular file"));
}

static void counts_progress_over_all_passes(void **state)
{
	struct sim_error error;
	struct sim_request request;
	struct trace *trace;
	u64 last = 0;

	(void)state;
	write_bytes("0,R,0,1\n1,R,0,1\n", 16);
	trace = trace_open(path, &(struct trace_options){ .loops = 2, .buffer_bytes = 9 }, &error);
	while (trace_next(trace, &request) > 0) {
		assert_true(trace_progress_ppm(trace) >= last);
		last = trace_progress_ppm(trace);
	}
	assert_int_equal(last, PPM_ONE);
	trace_close(trace);
}

static void check_trace(const char *name)
{
	struct sim_error error;
	struct sim_request request;
	struct trace *trace =
		trace_open(name, &(struct trace_options){ .skip_bad_rows = true }, &error);
	u64 rows = 0;
	int ret;

	assert_non_null(trace);
	while ((ret = trace_next(trace, &request)) > 0)
		rows++;
	print_message("%s: %llu rows, %llu bad\n", name, rows, trace_skipped_rows(trace, NULL));
	assert_int_equal(ret, 0);
	assert_true(rows > 1000);
	assert_true(trace_skipped_rows(trace, NULL) <= 1);
	trace_close(trace);
}

static void takes_the_research_traces(void **state)
{
	char pattern[4096];
	glob_t names;

	(void)state;
	if (!getenv(TRACES_ENV))
		skip();
	snprintf(pattern, sizeof(pattern), "%s/*.csv.gz", getenv(TRACES_ENV));
	assert_int_equal(glob(pattern, 0, NULL, &names), 0);
	for (size_t i = 0; i < names.gl_pathc; i++)
		check_trace(names.gl_pathv[i]);
	globfree(&names);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(takes_three_operations_behind_a_header),
		cmocka_unit_test(takes_fractions_of_a_microsecond),
		cmocka_unit_test(takes_dos_lines_empty_lines_and_no_last_newline),
		cmocka_unit_test(takes_an_empty_file),
		cmocka_unit_test(takes_gzip_whatever_its_name),
		cmocka_unit_test(refuses_gzip_that_is_cut),
		cmocka_unit_test(refuses_bad_rows_and_says_which_field),
		cmocka_unit_test(leaves_out_bad_rows_on_request),
		cmocka_unit_test(reads_the_same_through_a_tiny_buffer),
		cmocka_unit_test(refuses_a_line_longer_than_the_buffer),
		cmocka_unit_test(loops_with_one_mean_gap_between_passes),
		cmocka_unit_test(loops_over_one_row_and_over_none),
		cmocka_unit_test(scales_time),
		cmocka_unit_test(refuses_times_beyond_64_bits),
		cmocka_unit_test(reads_arguments),
		cmocka_unit_test(refuses_what_cannot_be_opened),
		cmocka_unit_test(refuses_a_directory),
		cmocka_unit_test(refuses_to_loop_over_a_pipe),
		cmocka_unit_test(counts_progress_over_all_passes),
		cmocka_unit_test(takes_the_research_traces),
	};

	return cmocka_run_group_tests_name("trace", tests, make_path, remove_path);
}
