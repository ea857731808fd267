// SPDX-License-Identifier: GPL-2.0
/*
 * KEY=VALUE words of a line.
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>
#include <cmocka.h>

#include "../../tools/sim/common/pair.h"

static struct sim_error error;

static void takes(struct text *line, const char *key, const char *value)
{
	struct pair pair;

	assert_int_equal(pair_take(line, &pair, &error), 1);
	assert_string_equal(pair.key, key);
	assert_string_equal(pair.value, value);
}

static void refuses(const char *line, const char *why)
{
	struct text rest = text_of(line);
	struct pair pair;

	assert_int_equal(pair_take(&rest, &pair, &error), -1);
	assert_string_equal(error.text, why);
}

static void ends(struct text *line)
{
	struct pair pair;

	assert_int_equal(pair_take(line, &pair, &error), 0);
}

static void cuts_a_line_into_words(void **state)
{
	struct text line = text_of("  name=reader\tmin_iops=250 ");

	takes(&line, "name", "reader");
	takes(&line, "min_iops", "250");
	ends(&line);
	ends(&line);
}

static void quotes_keep_blanks_and_the_other_quotes(void **state)
{
	struct text line = text_of("load=\"rw=randread bs=16k\" a='say \"b\"' empty= none=''");

	takes(&line, "load", "rw=randread bs=16k");
	takes(&line, "a", "say \"b\"");
	takes(&line, "empty", "");
	takes(&line, "none", "");
	ends(&line);
}

static void refuses_what_is_no_pair(void **state)
{
	refuses("reader", "'reader' is not KEY=VALUE");
	refuses("=5", "'=5' is not KEY=VALUE");
	refuses("a b=5", "'a b=5' is not KEY=VALUE");
	refuses("a=\"b c", "'a=\"b c' has quotes that don't match");
	refuses("a='b'c", "'a='b'c' has quotes that don't match");
}

static int take_value_of(size_t characters)
{
	char line[PAIR_TEXT_BYTES + 3] = "k=";
	struct text rest;
	struct pair pair;

	memset(line + 2, 'x', characters);
	rest = text_of(line);
	return pair_take(&rest, &pair, &error);
}

static void refuses_a_value_that_has_no_room(void **state)
{
	assert_int_equal(take_value_of(PAIR_TEXT_BYTES - 1), 1);
	assert_int_equal(take_value_of(PAIR_TEXT_BYTES), -1);
	assert_non_null(strstr(error.text, "has more than 511 characters"));
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(cuts_a_line_into_words),
		cmocka_unit_test(quotes_keep_blanks_and_the_other_quotes),
		cmocka_unit_test(refuses_what_is_no_pair),
		cmocka_unit_test(refuses_a_value_that_has_no_room),
	};

	return cmocka_run_group_tests_name("pair", tests, NULL, NULL);
}
