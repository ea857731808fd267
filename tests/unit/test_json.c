// SPDX-License-Identifier: GPL-2.0
/*
 * The JSON writer and the text of the progress line.
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <cmocka.h>

#include <stdio.h>
#include <string.h>

#include "../../tools/sim/common/json.h"
#include "../../tools/sim/common/progress.h"

#define TEXT_BYTES 4096

static char text[TEXT_BYTES];
static struct json json;
static FILE *file;

static void start(void)
{
	memset(text, 0, sizeof(text));
	file = fmemopen(text, sizeof(text), "w");
	json_start(&json, file);
}

static int finish(void)
{
	int ret = json_finish(&json);

	fclose(file);
	return ret;
}

static void writes_nested_values(void **state)
{
	(void)state;
	start();
	json_begin_object(&json, NULL);
	json_u64(&json, "requests", ~0ULL);
	json_s64(&json, "delta", -5);
	json_fixed(&json, "waf", 1034, 3);
	json_fixed(&json, "whole", 7, 0);
	json_bool(&json, "aged", true);
	json_null(&json, "none");
	json_begin_array(&json, "list");
	json_u64(&json, NULL, 1);
	json_string(&json, NULL, "two");
	json_end(&json);
	json_begin_object(&json, "empty");
	json_end(&json);
	json_end(&json);
	assert_int_equal(finish(), 0);
	assert_string_equal(text, "{\n  \"requests\": 18446744073709551615,\n  \"delta\": -5,\n"
				  "  \"waf\": 1.034,\n  \"whole\": 7,\n  \"aged\": true,\n"
				  "  \"none\": null,\n  \"list\": [\n    1,\n    \"two\"\n  ],\n"
				  "  \"empty\": {}\n}\n");
}

static void escapes_strings(void **state)
{
	(void)state;
	start();
	json_string(&json, NULL,
		    "a\"b\\c\n\t\x01 \xc3\xa9 \xf0\x9f\x98\x80 \xff \xc3 \xed\xa0\x80");
	assert_int_equal(finish(), 0);
	assert_string_equal(text, "\"a\\\"b\\\\c\\u000a\\u0009\\u0001 \xc3\xa9 \xf0\x9f\x98\x80 "
				  "\\ufffd \\ufffd \\ufffd\\ufffd\\ufffd\"\n");
}

static void notices_a_missing_key(void **state)
{
	(void)state;
	start();
	json_begin_object(&json, NULL);
	json_u64(&json, NULL, 1);
	json_end(&json);
	assert_int_equal(finish(), -1);
}

static void notices_a_key_in_an_array(void **state)
{
	(void)state;
	start();
	json_begin_array(&json, NULL);
	json_u64(&json, "key", 1);
	json_end(&json);
	assert_int_equal(finish(), -1);
}

static void notices_wrong_nesting(void **state)
{
	(void)state;
	start();
	json_begin_object(&json, NULL);
	assert_int_equal(finish(), -1);
	start();
	json_u64(&json, NULL, 1);
	json_end(&json);
	assert_int_equal(finish(), -1);
	start();
	json_u64(&json, NULL, 1);
	json_u64(&json, NULL, 2);
	assert_int_equal(finish(), -1);
	start();
	for (int i = 0; i < JSON_DEPTH_MAX + 5; i++)
		json_begin_array(&json, NULL);
	for (int i = 0; i < JSON_DEPTH_MAX; i++)
		json_end(&json);
	assert_int_equal(finish(), -1);
	start();
	assert_int_equal(finish(), -1);
}

static void notices_a_full_disk(void **state)
{
	(void)state;
	file = fopen("/dev/full", "w");
	json_start(&json, file);
	json_u64(&json, NULL, 1);
	assert_int_equal(finish(), -1);
}

static void progress_shows_percent_rate_and_eta(void **state)
{
	(void)state;
	progress_format(text, sizeof(text), 2 * NS_PER_S, 4000000, 1500 * NS_PER_MS, 25500);
	assert_string_equal(
		text, "2.5 %  4000000 requests  1.500 s virtual  2000000 requests/s  ETA 1:16");
	progress_format(text, sizeof(text), NS_PER_S, 10, 0, 0);
	assert_string_equal(text, "10 requests  0.000 s virtual  10 requests/s");
}

/* Short work says nothing there, long work a line now and then. */
static void progress_in_a_log_is_rare(void **state)
{
	struct progress progress;

	(void)state;
	assert_true(progress_is_due(0));
	assert_false(progress_is_due(1));
	file = tmpfile();
	progress_start(&progress, file);
	progress_show(&progress, 1, 1, 1);
	progress_end(&progress);
	progress_note(file, "making the drive");
	assert_int_equal(ftell(file), 0);
	progress.start_ns -= PROGRESS_LOG_INTERVAL_NS;
	progress.next_ns -= PROGRESS_LOG_INTERVAL_NS;
	progress_show_years(&progress, 365 * 24 * 3600 * NS_PER_S, 2 * 365 * 24 * 3600 * NS_PER_S);
	progress_show(&progress, 1, 1, 1);
	progress_end(&progress);
	rewind(file);
	assert_int_equal(fread(text, 1, sizeof(text), file), 37);
	assert_memory_equal(text, "ssdqos-sim: 1.00 years, at most 2.00\n", 37);
	fclose(file);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(writes_nested_values),
		cmocka_unit_test(escapes_strings),
		cmocka_unit_test(notices_a_missing_key),
		cmocka_unit_test(notices_a_key_in_an_array),
		cmocka_unit_test(notices_wrong_nesting),
		cmocka_unit_test(notices_a_full_disk),
		cmocka_unit_test(progress_shows_percent_rate_and_eta),
		cmocka_unit_test(progress_in_a_log_is_rare),
	};

	return cmocka_run_group_tests_name("json", tests, NULL, NULL);
}
