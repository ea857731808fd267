// SPDX-License-Identifier: GPL-2.0
/*
 * Loads of whole lives: their volume is exact, their pattern that of the seed.
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>
#include <cmocka.h>

#include "../../tools/sim/life/load.h"

#define PAGES_PER_GIB 262144.0
#define HOUR_S 3600

static struct sim_error error;

/* Table 8 of the READY paper: GiB an hour, write amplification, GiB of flash, hours. */
static const struct {
	const char *name;
	double gib, waf;
	u64 flash_gib, hours;
} table8[] = {
	{ "proxy", 4.94, 1.93, 32, 168 },
	{ "proj", 2.08, 1.62, 32, 168 },
	{ "exchange", 20.61, 2.24, 128, 24 },
	{ "map", 23.82, 1.68, 128, 24 },
	{ "msnfs", 18.19, 2.26, 128, 6 },
};

static u64 pages_of(const struct life_load *load)
{
	u64 pages = 0;

	for (u64 i = 0; i < load->nr; i++) {
		assert_true(load->bursts[i].pages);
		pages += load->bursts[i].pages;
	}
	return pages;
}

static u64 seconds_of(const struct life_load *load)
{
	u64 seconds = 0;

	for (u64 i = 0; i < load->nr; i++)
		seconds += load->bursts[i].rest_s;
	return seconds;
}

static u32 most_pages(const struct life_load *load)
{
	u32 most = 0;

	for (u64 i = 0; i < load->nr; i++)
		if (load->bursts[i].pages > most)
			most = load->bursts[i].pages;
	return most;
}

static void volume_is_that_of_the_table(void **state)
{
	for (size_t i = 0; i < SIM_ARRAY_SIZE(table8); i++) {
		const double pages = table8[i].gib * table8[i].waf * PAGES_PER_GIB *
			(double)table8[i].hours;
		struct life_load load;

		assert_string_equal(life_load_names((u32)i), table8[i].name);
		assert_int_equal(life_load_named(&load, table8[i].name, NULL, 1, &error), 0);
		assert_int_equal(load.flash_bytes, table8[i].flash_gib << 30);
		assert_int_equal(load.seconds, table8[i].hours * HOUR_S);
		assert_int_equal(seconds_of(&load), load.seconds);
		assert_int_equal(pages_of(&load), load.pages);
		assert_true((double)load.pages <= pages + 1e-3 &&
			    (double)load.pages > pages - 1 - 1e-3);
		life_load_destroy(&load);
	}
	assert_null(life_load_names(SIM_ARRAY_SIZE(table8)));
}

static void seed_decides_the_pattern(void **state)
{
	struct life_load one, same, other;

	assert_int_equal(life_load_named(&one, "map", NULL, 7, &error), 0);
	assert_int_equal(life_load_named(&same, "map", NULL, 7, &error), 0);
	assert_int_equal(life_load_named(&other, "map", NULL, 8, &error), 0);
	assert_int_equal(one.nr, same.nr);
	assert_memory_equal(one.bursts, same.bursts, one.nr * sizeof(*one.bursts));
	assert_int_equal(one.pages, other.pages);
	assert_true(one.nr != other.nr ||
		    memcmp(one.bursts, other.bursts, one.nr * sizeof(*one.bursts)));
	life_load_destroy(&one);
	life_load_destroy(&same);
	life_load_destroy(&other);
}

/* Bursts half as often are twice as large; the volume stays that of the table. */
static void shape_moves_pages_not_the_volume(void **state)
{
	struct life_load own, same, rare;
	struct life_shape shape;

	assert_int_equal(life_load_shape("proxy", &shape, &error), 0);
	assert_int_equal(life_load_named(&own, "proxy", NULL, 3, &error), 0);
	assert_int_equal(life_load_named(&same, "proxy", &shape, 3, &error), 0);
	assert_int_equal(own.nr, same.nr);
	assert_memory_equal(own.bursts, same.bursts, own.nr * sizeof(*own.bursts));
	assert_int_equal(life_shape_set(&shape, "burst_ppm", "100000", &error), 0);
	assert_int_equal(life_load_named(&rare, "proxy", &shape, 3, &error), 0);
	assert_int_equal(pages_of(&rare), pages_of(&own));
	assert_true(most_pages(&rare) > 19 * most_pages(&own) / 10 &&
		    most_pages(&rare) < 21 * most_pages(&own) / 10);
	life_load_destroy(&own);
	life_load_destroy(&same);
	life_load_destroy(&rare);
}

static void shapes_have_ranges(void **state)
{
	static const struct {
		const char *key, *value, *says;
	} bad[] = {
		{ "burst", "1", "'burst' is not one of quiet_permille, " },
		{ "burst_ppm", "0", "burst_ppm: '0' is not a number from 100 to 999900" },
		{ "burst_ppm", "1000000", "burst_ppm: '1000000' is not a number" },
		{ "burst_pct", "101", "burst_pct: '101' is not a number from 0 to 100" },
		{ "stretch_s", "0", "stretch_s: '0' is not a number from 1 to 604800" },
		{ "spread_permille", "999", "from 1000 to 10000" },
		{ "quiet_permille", "-1", "quiet_permille: '-1' is not a number from 0 to 1000" },
		{ "weekend_permille", "", "weekend_permille: '' is not a number" },
	};
	struct life_shape own, shape;

	assert_int_equal(life_load_shape("map", &own, &error), 0);
	assert_int_equal(life_load_shape("mail", &shape, &error), -1);
	shape = own;
	for (size_t i = 0; i < SIM_ARRAY_SIZE(bad); i++) {
		assert_int_equal(life_shape_set(&shape, bad[i].key, bad[i].value, &error), -1);
		assert_non_null(strstr(error.text, bad[i].says));
		assert_memory_equal(&shape, &own, sizeof(own));
	}
}

/* Rounding carries over, so no second is off by a page, and the sum by none. */
static void scaling_is_exact(void **state)
{
	u64 weights[] = { 0, 1, 1, 1, 0, 4 };
	u64 nothing[] = { 0, 0 };

	assert_true(life_load_scale(weights, SIM_ARRAY_SIZE(weights), 10));
	assert_int_equal(weights[0], 0);
	assert_int_equal(weights[1] + weights[2] + weights[3], 4);
	assert_int_equal(weights[4], 0);
	assert_int_equal(weights[5], 6);
	assert_false(life_load_scale(nothing, SIM_ARRAY_SIZE(nothing), 10));
}

static void trace_gives_the_pattern(void **state)
{
	static const char rows[] = "0,R,0,4096\n2000000,W,0,4097\n2500000,W,0,1\n"
		"5000000,U,0,4096\n9999999,D,0,4096\n";
	char path[] = "/tmp/life-load-XXXXXX";
	int fd = mkstemp(path);
	struct life_load load;

	assert_true(fd >= 0);
	assert_int_equal(write(fd, rows, sizeof(rows) - 1), sizeof(rows) - 1);
	close(fd);
	assert_int_equal(life_load_traced(&load, "proj", path, &error), 0);
	unlink(path);
	/* ten seconds; two of them have writes, of three pages and one */
	assert_int_equal(load.seconds, 10);
	assert_int_equal(load.nr, 2);
	assert_int_equal(pages_of(&load), load.pages);
	assert_int_equal(load.bursts[0].pages, load.pages * 3 / 4);
	assert_int_equal(load.bursts[0].rest_s, 3);
	/* the first two seconds of the cycle follow its last burst */
	assert_int_equal(load.bursts[1].rest_s, 7);
	life_load_destroy(&load);
}

static void refusals(void **state)
{
	struct life_load load;

	assert_int_equal(life_load_named(&load, "mail", NULL, 1, &error), -1);
	assert_non_null(strstr(error.text, "'mail'"));
	assert_int_equal(life_load_traced(&load, "proj", "/nonexistent", &error), -1);
	assert_int_equal(life_load_traced(&load, "proj", "/dev/null", &error), -1);
	assert_non_null(strstr(error.text, "writes nothing"));
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(volume_is_that_of_the_table),
		cmocka_unit_test(seed_decides_the_pattern),
		cmocka_unit_test(shape_moves_pages_not_the_volume),
		cmocka_unit_test(shapes_have_ranges),
		cmocka_unit_test(scaling_is_exact),
		cmocka_unit_test(trace_gives_the_pattern),
		cmocka_unit_test(refusals),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
