// SPDX-License-Identifier: GPL-2.0
/*
 * Parsing and printing the value of one tunable.
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>
#include <cmocka.h>

#include "../../dm-ssdqos/core/param.h"

#define UNTOUCHED 0x5a5a5a5a5a5aULL

static const char *const colours[] = { "red", "green", "dark_blue", NULL };

static const struct ssdqos_param rows[] = {
	{ .name = "size_kib", .unit = "KiB", .min = 64, .max = 1048576 },
	{ .name = "seed", .unit = "", .min = 0, .max = ~0ULL },
	{ .name = "colour", .unit = "", .min = 0, .max = 2, .choices = colours },
};

enum { SIZE, SEED, COLOUR };

static char err[256];

static void accepts(u32 row, const char *text, u64 want)
{
	u64 value = UNTOUCHED;

	assert_int_equal(ssdqos_param_parse(&rows[row], text, &value, err, sizeof(err)), 0);
	assert_true(value == want);
}

static void refuses(u32 row, const char *text, const char *why)
{
	u64 value = UNTOUCHED;

	memset(err, 0, sizeof(err));
	assert_int_equal(ssdqos_param_parse(&rows[row], text, &value, err, sizeof(err)), -EINVAL);
	assert_true(value == UNTOUCHED);
	assert_string_equal(err, why);
}

static void finds_rows_by_name(void **state)
{
	assert_int_equal(ssdqos_param_find(rows, 3, "size_kib"), 0);
	assert_int_equal(ssdqos_param_find(rows, 3, "colour"), 2);
	assert_int_equal(ssdqos_param_find(rows, 2, "colour"), -ENOENT);
	assert_int_equal(ssdqos_param_find(rows, 3, "size"), -ENOENT);
	assert_int_equal(ssdqos_param_find(rows, 3, "size_kib2"), -ENOENT);
	assert_int_equal(ssdqos_param_find(rows, 3, "Seed"), -ENOENT);
	assert_int_equal(ssdqos_param_find(rows, 3, ""), -ENOENT);
}

static void takes_numbers_in_range(void **state)
{
	accepts(SIZE, "64", 64);
	accepts(SIZE, "1048576", 1048576);
	accepts(SIZE, "000100", 100);
	accepts(SEED, "0", 0);
	accepts(SEED, "18446744073709551615", ~0ULL);
	accepts(SEED, "18446744073709551610", ~0ULL - 5);
	accepts(SEED, "18446744073709551609", ~0ULL - 6);
}

static void takes_binary_suffixes(void **state)
{
	accepts(SIZE, "1k", 1024);
	accepts(SIZE, "1K", 1024);
	accepts(SIZE, "1m", 1048576);
	accepts(SIZE, "1M", 1048576);
	accepts(SEED, "3g", 3ULL << 30);
	accepts(SEED, "3G", 3ULL << 30);
	accepts(SEED, "0g", 0);
	accepts(SEED, "17179869183g", 17179869183ULL << 30);
}

static void refuses_what_is_no_number_or_out_of_range(void **state)
{
	static const char *const bad[] = {
		"63", "1048577", "0", "1024k1", "2M", "", "x", "-64", "+64", " 64", "64 ", "0x40",
		"64.0", "64kk", "k", "64ki", "6 4", "18446744073709551616", "18446744073709551680",
		"99999999999999999999999999", "18014398509482048k",
	};
	char want[256];
	u32 i;

	for (i = 0; i < ARRAY_SIZE(bad); i++) {
		snprintf(want, sizeof(want),
			 "size_kib: '%s' is not a number from 64 to 1048576 KiB", bad[i]);
		refuses(SIZE, bad[i], want);
	}
	refuses(SEED, "18446744073709551616",
		"seed: '18446744073709551616' is not a number from 0 to 18446744073709551615");
	refuses(SEED, "17179869184g",
		"seed: '17179869184g' is not a number from 0 to 18446744073709551615");
	refuses(SEED, "184467440737095516150",
		"seed: '184467440737095516150' is not a number from 0 to 18446744073709551615");
}

static void takes_choices_by_name_only(void **state)
{
	accepts(COLOUR, "red", 0);
	accepts(COLOUR, "dark_blue", 2);
	refuses(COLOUR, "blue", "colour: 'blue' is not one of red, green, dark_blue");
	refuses(COLOUR, "Red", "colour: 'Red' is not one of red, green, dark_blue");
	refuses(COLOUR, "1", "colour: '1' is not one of red, green, dark_blue");
	refuses(COLOUR, "", "colour: '' is not one of red, green, dark_blue");
	refuses(COLOUR, "redd", "colour: 'redd' is not one of red, green, dark_blue");
}

static void survives_a_short_error_buffer(void **state)
{
	char guarded[16];
	u64 value;
	u32 size;

	for (size = 0; size < sizeof(guarded); size++) {
		memset(guarded, '#', sizeof(guarded));
		ssdqos_param_parse(&rows[COLOUR], "puce", &value, guarded, size);
		assert_int_equal(guarded[size], '#');
		if (size)
			assert_int_equal(strlen(guarded), size - 1);
	}
}

static void prints_what_it_parses(void **state)
{
	static const u64 numbers[] = { 0, 1, 64, 1048576, ~0ULL - 6, ~0ULL - 5, ~0ULL };
	char text[32];
	u32 i;

	for (i = 0; i < ARRAY_SIZE(numbers); i++) {
		int n = ssdqos_param_format(&rows[SEED], numbers[i], text, sizeof(text));

		assert_int_equal(n, strlen(text));
		accepts(SEED, text, numbers[i]);
	}
	for (i = 0; colours[i]; i++) {
		ssdqos_param_format(&rows[COLOUR], i, text, sizeof(text));
		assert_string_equal(text, colours[i]);
		accepts(COLOUR, text, i);
	}
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(finds_rows_by_name),
		cmocka_unit_test(takes_numbers_in_range),
		cmocka_unit_test(takes_binary_suffixes),
		cmocka_unit_test(refuses_what_is_no_number_or_out_of_range),
		cmocka_unit_test(takes_choices_by_name_only),
		cmocka_unit_test(survives_a_short_error_buffer),
		cmocka_unit_test(prints_what_it_parses),
	};

	return cmocka_run_group_tests_name("param", tests, NULL, NULL);
}
