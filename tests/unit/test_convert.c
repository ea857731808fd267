// SPDX-License-Identifier: GPL-2.0
/*
 * ssdqos-sim convert: every format, what is left out, what is refused, what the summary says.
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <cmocka.h>

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>
#include <zlib.h>

#include "../../tools/sim/convert/convert.h"
#include "../../tools/sim/load/trace.h"

#define TEXT_BYTES 8192
#define ARGUMENTS_MAX 16
#define HEAD TRACE_HEADER "\n"

static char directory[] = "/tmp/test_convert.XXXXXX";
static char input[64], output[64], packed[64];

static int make_directory(void **state)
{
	(void)state;
	if (!mkdtemp(directory))
		return -1;
	snprintf(input, sizeof(input), "%s/in", directory);
	snprintf(output, sizeof(output), "%s/out.csv", directory);
	snprintf(packed, sizeof(packed), "%s/out.csv.gz", directory);
	return 0;
}

static int remove_directory(void **state)
{
	(void)state;
	unlink(input);
	unlink(output);
	unlink(packed);
	return rmdir(directory);
}

static void write_text(const char *text)
{
	FILE *file = fopen(input, "wb");

	assert_non_null(file);
	fputs(text, file);
	assert_int_equal(fclose(file), 0);
}

static void read_text(const char *name, char *text)
{
	FILE *file = fopen(name, "rb");
	size_t length = file ? fread(text, 1, TEXT_BYTES - 1, file) : 0;

	if (file)
		fclose(file);
	text[length] = '\0';
}

struct result {
	int ret;
	char csv[TEXT_BYTES];
	char report[TEXT_BYTES];
	struct sim_error error;
};

static struct result result;

/* Run with arguments as on the command line, such as "--from spc --unit ms". */
static void run(const char *line, const char *text)
{
	char words[256], *argv[ARGUMENTS_MAX];
	struct convert_options options;
	FILE *report = fmemopen(result.report, TEXT_BYTES, "w");
	int argc = 0;

	write_text(text);
	unlink(output);
	strcpy(result.error.text, "");
	snprintf(words, sizeof(words), "%s -o %s %s", line, output, input);
	for (char *word = strtok(words, " "); word; word = strtok(NULL, " "))
		argv[argc++] = word;
	result.ret = convert_parse_options(&options, argc, argv, &result.error);
	if (!result.ret)
		result.ret = convert_run(&options, report, &result.error);
	fclose(report);
	read_text(output, result.csv);
}

static void assert_csv(const char *expected)
{
	assert_string_equal(result.error.text, "");
	assert_int_equal(result.ret, 0);
	assert_string_equal(result.csv, expected);
}

static void assert_report(const char *expected)
{
	if (!strstr(result.report, expected))
		fail_msg("the report does not say '%s' but\n%s", expected, result.report);
}

static void assert_failure(const char *expected)
{
	assert_int_equal(result.ret, -1);
	assert_string_equal(result.csv, "");
	if (!strstr(result.error.text, expected))
		fail_msg("'%s' does not say '%s'", result.error.text, expected);
}

#define BLKPARSE_TEXT                                                                        \
	"  8,0    1        1     5.000000000  1203  A   W 41945096 + 8 <- (8,1) 2048\n"      \
	"  8,0    1        2     5.000000500  1203  Q  WS 100 + 8 [jbd2/sda1-8]\n"           \
	"  8,0    1        3     5.000001000  1203  G  WS 100 + 8 [jbd2/sda1-8]\n"           \
	"  8,0    1        4     5.000002000  1203  P   N [jbd2/sda1-8]\n"                   \
	"  8,0    1        5     5.000003000  1203  U   N [jbd2/sda1-8] 1\n"                 \
	"  8,0    1        6     5.000004000  1203  D  WS 100 + 8 [jbd2/sda1-8]\n"           \
	"  8,0    0        7     5.000104000     0  C  WS 100 + 8 [0]\n"                     \
	"  8,0    0        8     5.000200000  1204  Q  RA 0 + 256 [dd]\n"                    \
	"  8,0    0        9     5.000300000  1204  Q   D 2048 + 16777216 [fstrim]\n"        \
	"  8,0    0       10     5.000400000  1205  Q FWFSM 8 + 8 [xfsaild]\n"               \
	"  8,0    0       11     5.000500000  1205  Q FWS [xfsaild]\n"                       \
	"  8,0    0       12     5.000600000  1205  Q   N 0 (12 00 00 00 24 00) [hdparm]\n"  \
	"  8,0    0       13     5.000700000  1205  Q   R 36 (12 00 00 00 24 00) [hdparm]\n" \
	"  8,0    0       14     5.000800000  1205  Q  ZR 524288 + 8 [zone]\n"               \
	"  8,0    0        0     5.000900000     0  m   N cfq1203S / activate\n"

#define BLKPARSE_SUMMARY                                                                     \
	"CPU0 (8,0):\n Reads Queued:          1,      128KiB\t Writes Queued:           1\n" \
	"\nTotal (8,0):\n Reads Queued:          1\n\n"                                      \
	"Throughput (R/W): 1KiB/s / 1KiB/s\nEvents (8,0): 14 entries\n"                      \
	"Skips: 0 forward (0 -   0.0%)\n"

static void blkparse_takes_queued_requests(void **state)
{
	(void)state;
	run("--from blkparse", BLKPARSE_TEXT BLKPARSE_SUMMARY);
	assert_csv(HEAD "0,W,51200,4096\n199.500,R,0,131072\n299.500,D,1048576,8589934592\n"
			"399.500,W,4096,4096\n");
	assert_report("format blkparse, event Q, time unit s");
	assert_report("4 rows written, 0 bad rows skipped");
	assert_report("R/W/D 1/2/1");
}

static void blkparse_takes_another_event(void **state)
{
	(void)state;
	run("--from blkparse --event D", BLKPARSE_TEXT);
	assert_csv(HEAD "0,W,51200,4096\n");
	run("--from blkparse --event C", BLKPARSE_TEXT);
	assert_csv(HEAD "0,W,51200,4096\n");
	assert_report("event C");
}

static void blkparse_says_which_events_there_are(void **state)
{
	(void)state;
	run("--from blkparse", "8,0 1 1 0.1 7 C R 8 + 8 [0]\n8,0 1 2 0.2 7 C R 8 + 8 [0]\n");
	assert_failure("no request with event Q, events seen: Q 0, D 0, C 2");
}

static void blkparse_skips_bad_rows(void **state)
{
	(void)state;
	run("--from blkparse",
	    "8,0 1 1 0.1 7 Q R 8 + 8 [x]\n8,0 1 2 0.2 7 Q R 8 + x [x]\n"
	    "8,0 1 3 0.3 7 Q R 16 + 8 [x]\r\nlost 3 events\n8,0 1 4 0.4 7 Q R 24 + 8");
	assert_csv(HEAD "0,R,4096,4096\n200000,R,8192,4096\n300000,R,12288,4096\n");
	assert_report(":2: bad row '8,0 1 2 0.2 7 Q R 8 + x [x]' skipped, expected numbers");
	assert_report(":4: bad row 'lost 3 events' skipped, expected 'major,minor");
	assert_report("2 bad rows skipped");
}

static void devices_are_laid_one_after_another(void **state)
{
	const char *text = "8,16 1 1 0.1 7 Q R 8 + 8 [x]\n8,2 1 2 0.2 7 Q R 0 + 8 [x]\n"
			   "8,16 1 3 0.3 7 Q R 0 + 8 [x]\n";

	(void)state;
	run("--from blkparse", text);
	assert_csv(HEAD "0,R,1052672,4096\n100000,R,0,4096\n200000,R,1048576,4096\n");
	assert_report("devices: 2 laid one after another in this order: 8,2 8,16");
	run("--from blkparse --device 8,2", text);
	assert_csv(HEAD "0,R,0,4096\n");
	assert_report("2 of other devices");
	run("--from blkparse --device 8,1", text);
	assert_failure("no request of device '8,1', the devices are: 8,2 8,16");
}

static void fio_version_2_counts_waits(void **state)
{
	(void)state;
	run("--from fio-iolog",
	    "fio version 2 iolog\n/dev/sda add\n/dev/sda open\n/dev/sda read 0 4096\n"
	    "/dev/sda wait 1500 0\n/dev/sda write 4096 8192\n/dev/sda wait 500\n"
	    "/dev/sda trim 0 1048576\n/dev/sda sync 0 0\n/dev/sda datasync\n/dev/sda close\n");
	assert_csv(HEAD "0,R,0,4096\n1500,W,4096,8192\n2000,D,0,1048576\n");
	assert_report("format fio-iolog version 2, time unit us");
	assert_report("0 bad rows skipped");
}

static void fio_version_3_has_time_stamps(void **state)
{
	const char *text = "fio version 3 iolog\r\n2 Nvme1n1 add\r\n872 Nvme1n1 open\r\n"
			   "878 Nvme1n1 write 0 16384\r\n888 Nvme1n1 read 512 512\r\n"
			   "900 Nvme1n1 wait 5\r\n910 Nvme1n1 jump 1 2\r\n920 Nvme1n1 trim 0 4096";

	(void)state;
	run("--from fio-iolog", text);
	assert_csv(HEAD "0,W,0,16384\n10,R,512,512\n42,D,0,4096\n");
	assert_report("format fio-iolog version 3, time unit us (the format's own");
	assert_report("skipped, expected no action wait in version 3");
	assert_report("skipped, expected an action that fio knows");
	run("--from fio-iolog --unit ms", text);
	assert_csv(HEAD "0,W,0,16384\n10000,R,512,512\n42000,D,0,4096\n");
	assert_report("time unit ms (given with --unit)");
}

static void fio_needs_its_first_line(void **state)
{
	(void)state;
	run("--from fio-iolog", "878 Nvme1n1 write 0 16384\n");
	assert_failure(
		":1: '878 Nvme1n1 write 0 16384' is not format fio-iolog, expected 'fio version 2");
}

static void msr_takes_windows_ticks(void **state)
{
	(void)state;
	run("--from msr", "Timestamp,Hostname,DiskNumber,Type,Offset,Size,ResponseTime\r\n"
			  "128166372003061629,usr,0,Read,7014609920,24576,41286\r\n"
			  "128166372016382155,usr,0,Write,2517696512,4096,703\r\n"
			  "128166372016382156,usr,0,Flush,0,4096,703\r\n"
			  "128166372016382165,usr,0,write,512,512");
	assert_csv(HEAD "0,R,7014609920,24576\n1332052.600,W,2517696512,4096\n"
			"1332053.600,W,512,512\n");
	assert_report("time unit 100ns");
	assert_report(
		":4: bad row '128166372016382156,usr,0,Flush,0,4096,703' skipped, expected Read or Write in field 4");
}

static void msr_chooses_a_disk(void **state)
{
	(void)state;
	run("--from msr --device 1",
	    "100,h,0,Read,0,512,1\n200,h,1,Read,1024,512,1\n300,h,1,Read,0,512,1\n");
	assert_csv(HEAD "0,R,1024,512\n10,R,0,512\n");
}

static void spc_takes_seconds_and_blocks(void **state)
{
	(void)state;
	run("--from spc", "0,20941264,8192,W,0.551706\n 0 , 20939840 ,8192, r,0.554041,extra\r\n"
			  "0,1,8192,X,0.6\n0,-1,8192,R,0.6\n0,20939840,8192,w,0.5540415");
	assert_csv(HEAD "0,W,10721927168,8192\n2335,R,10721198080,8192\n"
			"2335.500,W,10721198080,8192\n");
	assert_report("time unit s");
	assert_report("skipped, expected R or W in field 4");
	assert_report("skipped, expected a block in field 2");
}

static void mqsim_takes_five_columns(void **state)
{
	(void)state;
	run("--from mqsim", "4096000 0 1052672 16 1\n4096001\t0 8 8 0\r\n4096002 0 8 8 2\n"
			    "4096003 0 8 8\n4096004 0 8 8 1 1\n4097000 0 0 1 0\n4098000 0 0 1 0");
	assert_csv(HEAD "0,R,538968064,8192\n0.001,W,4096,4096\n1,W,0,512\n2,W,0,512\n");
	assert_report("time unit ns");
	assert_report("3 bad rows skipped");
	assert_report("expected 1 (read) or 0 (write) in column 5");
	assert_report("bad row '4096003 0 8 8' skipped, expected 5 columns");
	run("--from mqsim --unit ms", "1.5 0 0 1 1\n2 0 0 1 1\n");
	assert_csv(HEAD "0,R,0,512\n500,R,0,512\n");
}

static void csv_is_repaired(void **state)
{
	(void)state;
	run("--from csv", HEAD "5,R,0,512\n 7 , w , 512 , 512 \n6.5,D,0,512\n8,R,-1,512\n");
	assert_csv(HEAD "0,R,0,512\n1.500,D,0,512\n2,W,512,512\n");
	assert_report("1 out of time order now sorted");
	assert_report("1 bad rows skipped");
}

/* 1,000 rows in a scrambled order, each time three times; the offset tells the order in the input.
 */
static void sorts_stably(void **state)
{
	char *text = malloc(64 * 1000), *at = text;
	struct sim_request request, last = { 0 };
	struct sim_error error;
	struct trace *trace;
	int rows = 0;

	(void)state;
	for (int i = 0; i < 1000; i++)
		at += sprintf(at, "%d,R,%d,512\n", i * 617 % 1000 / 3, 512 * i);
	run("--from csv", text);
	free(text);
	assert_int_equal(result.ret, 0);
	trace = trace_open(output, NULL, &error);
	for (; trace_next(trace, &request) > 0; last = request, rows++)
		if (rows && request.arrival_ns == last.arrival_ns)
			assert_true(request.offset_bytes > last.offset_bytes);
	assert_string_equal(trace_error(trace), "");
	assert_int_equal(rows, 1000);
	trace_close(trace);
}

static void counts_the_footprint_in_pages(void **state)
{
	(void)state;
	run("--from csv",
	    "0,R,0,1\n1,R,4095,2\n2,W,1048576,1048576\n3,R,1052672,4096\n4,D,0,8192\n");
	assert_int_equal(result.ret, 0);
	assert_report("footprint 1.0 MiB in 4 KiB pages, ends at 2.0 MiB");
	run("--from csv", "0,R,0,1048576\n1,W,524288,1048576\n1000001,W,0,1048576\n");
	assert_report(
		"duration 1.000001000 s (mean 2.9 requests/s), R/W/D 1/2/0, footprint 1.5 MiB");
}

static void leaves_out_requests_without_data(void **state)
{
	(void)state;
	run("--from csv", "0,R,0,0\n1,R,0,512\n");
	assert_csv(HEAD "0,R,0,512\n");
	assert_report("1 without data");
}

static void refuses_a_file_that_is_mostly_bad(void **state)
{
	(void)state;
	run("--from spc", "a\nb\n0,1,512,R,0.1\n");
	assert_failure("2 of 3 rows are bad, so this is not format spc");
	run("--from spc", "a\n0,1,512,R,0.1\n");
	assert_int_equal(result.ret, 0);
	run("--from spc", "");
	assert_failure("no request of format spc in 0 lines");
}

static void quotes_only_the_first_bad_rows(void **state)
{
	(void)state;
	run("--from csv",
	    "1,R,0,512\n2,R,0,512\n3,R,0,512\n4,R,0,512\n5,R,0,512\n6,R,0,512\n7,R,0,512\n"
	    "bad1\nbad2\nbad3\nbad4\nbad5\nbad6\nbad7\n");
	assert_int_equal(result.ret, 0);
	assert_report("bad row 'bad5'");
	assert_null(strstr(result.report, "bad row 'bad6'"));
	assert_report("7 bad rows skipped");
}

static void refuses_ranges_beyond_the_end(void **state)
{
	(void)state;
	run("--from csv", "0,R,0,512\n1,R,9223372036854775807,1\n2,R,9223372036854775000,807\n");
	assert_csv(HEAD "0,R,0,512\n2,R,9223372036854775000,807\n");
	run("--from spc", "0,18446744073709551615,512,R,1\n0,0,512,R,1\n");
	assert_csv(HEAD "0,R,0,512\n");
	run("--from mqsim", "0 0 18000000000000000 8 1\n0 1 18000000000000000 8 1\n");
	assert_failure("2 devices one after another pass 2^63 bytes, choose one with --device");
}

static void reads_and_writes_gzip(void **state)
{
	struct sim_error error;
	struct sim_request request;
	struct trace *trace;
	gzFile file = gzopen(input, "wb");
	char *arguments[] = { "--from", "mqsim", "-o", packed, input };
	struct convert_options options;
	FILE *report = fopen("/dev/null", "w");
	u8 magic[2];
	FILE *raw;

	(void)state;
	gzputs(file, "1000 0 8 8 1\n3000 0 8 8 0\n");
	gzclose(file);
	assert_int_equal(convert_parse_options(&options, 5, arguments, &error), 0);
	assert_int_equal(convert_run(&options, report, &error), 0);
	fclose(report);
	raw = fopen(packed, "rb");
	assert_int_equal(fread(magic, 1, 2, raw), 2);
	fclose(raw);
	assert_int_equal(magic[0], 0x1f);
	trace = trace_open(packed, NULL, &error);
	assert_int_equal(trace_next(trace, &request), 1);
	assert_int_equal(trace_next(trace, &request), 1);
	assert_int_equal(request.arrival_ns, 2000);
	assert_int_equal(trace_next(trace, &request), 0);
	trace_close(trace);
}

static void says_when_it_cannot_write(void **state)
{
	struct convert_options options;
	struct sim_error error;
	char *arguments[] = { "--from", "mqsim", "-o", "/dev/full", input };
	FILE *report = fopen("/dev/null", "w");

	(void)state;
	write_text("1000 0 8 8 1\n");
	assert_int_equal(convert_parse_options(&options, 5, arguments, &error), 0);
	assert_int_equal(convert_run(&options, report, &error), -1);
	assert_non_null(strstr(error.text, "/dev/full: cannot be written: No space left"));
	options.output = "/nonexistent/out";
	assert_int_equal(convert_run(&options, report, &error), -1);
	assert_non_null(strstr(error.text, "/nonexistent/out: cannot be opened for writing"));
	fclose(report);
}

static const struct bad_line {
	const char *line;
	const char *expected;
} bad_lines[] = {
	{ "", "--from FORMAT is missing" },
	{ "--from vscsi",
	  "--from is 'vscsi', expected one of blkparse, fio-iolog, msr, spc, mqsim, csv" },
	{ "--from msr --unit days", "--unit is 'days', expected one of ns, 100ns, us, ms, s" },
	{ "--from msr --event Q", "--event is given, but format msr has one event only" },
	{ "--from blkparse --event X", "--event is 'X', expected one of the letters QDC" },
	{ "--from blkparse --event QD", "--event is 'QD', expected one letter" },
	{ "--form msr", "'--form' is not an option" },
	{ "--from msr other", "is a second input file" },
};

static void refuses_bad_arguments(void **state)
{
	char *no_value[] = { "--from" }, *no_input[] = { "--from", "msr" };
	struct convert_options options;

	(void)state;
	for (size_t i = 0; i < SIM_ARRAY_SIZE(bad_lines); i++) {
		run(bad_lines[i].line, "0,R,0,512\n");
		assert_failure(bad_lines[i].expected);
	}
	assert_int_equal(convert_parse_options(&options, 1, no_value, &result.error), -1);
	assert_string_equal(result.error.text, "--from has no value, expected FORMAT");
	assert_int_equal(convert_parse_options(&options, 2, no_input, &result.error), -1);
	assert_non_null(strstr(result.error.text, "the input file is missing"));
}

static void prints_every_format_in_its_help(void **state)
{
	char help[TEXT_BYTES];
	FILE *file = fmemopen(help, sizeof(help), "w");

	(void)state;
	convert_print_help(file);
	fclose(file);
	assert_non_null(strstr(help, "blkparse"));
	assert_non_null(strstr(help, "fio-iolog"));
	assert_non_null(strstr(help, "--unit"));
	assert_non_null(strstr(help, "100ns"));
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(blkparse_takes_queued_requests),
		cmocka_unit_test(blkparse_takes_another_event),
		cmocka_unit_test(blkparse_says_which_events_there_are),
		cmocka_unit_test(blkparse_skips_bad_rows),
		cmocka_unit_test(devices_are_laid_one_after_another),
		cmocka_unit_test(fio_version_2_counts_waits),
		cmocka_unit_test(fio_version_3_has_time_stamps),
		cmocka_unit_test(fio_needs_its_first_line),
		cmocka_unit_test(msr_takes_windows_ticks),
		cmocka_unit_test(msr_chooses_a_disk),
		cmocka_unit_test(spc_takes_seconds_and_blocks),
		cmocka_unit_test(mqsim_takes_five_columns),
		cmocka_unit_test(csv_is_repaired),
		cmocka_unit_test(sorts_stably),
		cmocka_unit_test(counts_the_footprint_in_pages),
		cmocka_unit_test(leaves_out_requests_without_data),
		cmocka_unit_test(refuses_a_file_that_is_mostly_bad),
		cmocka_unit_test(quotes_only_the_first_bad_rows),
		cmocka_unit_test(refuses_ranges_beyond_the_end),
		cmocka_unit_test(reads_and_writes_gzip),
		cmocka_unit_test(says_when_it_cannot_write),
		cmocka_unit_test(refuses_bad_arguments),
		cmocka_unit_test(prints_every_format_in_its_help),
	};

	return cmocka_run_group_tests_name("convert", tests, make_directory, remove_directory);
}
