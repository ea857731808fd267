// SPDX-License-Identifier: GPL-2.0
/*
 * Discards are merged, sorted, cut by writes, and sent in time.
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <cmocka.h>

#include "../../dm-ssdqos/core/trim/trim.h"
#include "env.h"

#define MS 1000000ULL
#define AGE (100 * MS)

static struct ssdqos_trim trim;
static struct ssdqos_trim_run *run;
static u64 now;

/* Granules of 8 sectors, discards of 64, one at a time. */
static const struct ssdqos_trim_config usual = {
	.max_age_ns = AGE, .max_sectors = 64, .granule = 8, .depth = 1, .max_ranges = 64,
};

static void begin(const struct ssdqos_trim_config *cfg)
{
	now = 1;
	assert_int_equal(ssdqos_trim_init(&trim, cfg), 0);
}

static int setup(void **state)
{
	begin(&usual);
	return 0;
}

static int finish(void **state)
{
	ssdqos_trim_exit(&trim);
	assert_int_equal(ssdqos_env_warnings, 0);
	return 0;
}

static void take(u64 start, u64 end)
{
	assert_int_equal(ssdqos_trim_take(&trim, 0, start, end, now), end);
}

static void cut(u64 start, u64 end)
{
	assert_int_equal(ssdqos_trim_cut(&trim, start, end), end);
}

static struct ssdqos_trim_run *next_if(bool quiet)
{
	trim.quiet = quiet;
	return ssdqos_trim_next(&trim, now);
}

static void next_is(bool idle, u64 start, u64 end, u32 why)
{
	run = next_if(idle);
	assert_non_null(run);
	assert_int_equal(run->start, start);
	assert_int_equal(run->end, end);
	assert_int_equal(run->why, why);
}

static void sends(bool idle, u64 start, u64 end, u32 why)
{
	next_is(idle, start, end, why);
	ssdqos_trim_done(&trim, run, MS, false);
}

static void nothing_goes(bool idle)
{
	assert_null(next_if(idle));
}

/* ---- when what goes ---- */

static void idle_time_gets_large_runs_upwards(void **state)
{
	take(80, 88);
	take(16, 24);
	take(24, 40);
	take(0, 8);
	nothing_goes(false);
	sends(true, 0, 8, SSDQOS_TRIM_IDLE);
	sends(true, 16, 40, SSDQOS_TRIM_IDLE);
	take(8, 16);
	/* upwards first, then around */
	sends(true, 80, 88, SSDQOS_TRIM_IDLE);
	sends(true, 8, 16, SSDQOS_TRIM_IDLE);
	nothing_goes(true);
	assert_true(ssdqos_trim_is_empty(&trim));
	assert_int_equal(trim.stats.taken, 5);
	assert_int_equal(trim.stats.sent, 4);
	assert_int_equal(trim.stats.sent_sectors, 48);
}

static void less_than_a_granule_waits_for_its_neighbours(void **state)
{
	take(4, 20);
	sends(true, 8, 16, SSDQOS_TRIM_IDLE);
	nothing_goes(true);
	assert_int_equal(trim.waiting.sectors, 8);
	take(0, 4);
	sends(true, 0, 8, SSDQOS_TRIM_IDLE);
	take(20, 24);
	sends(true, 16, 24, SSDQOS_TRIM_IDLE);
	assert_true(ssdqos_trim_is_empty(&trim));
}

static void granules_may_begin_anywhere(void **state)
{
	struct ssdqos_trim_config cfg = usual;

	finish(state);
	cfg.align = 19;
	cfg.granule = 6;
	begin(&cfg);
	take(0, 15);
	sends(true, 1, 13, SSDQOS_TRIM_IDLE);
}

static void not_before(u64 ns)
{
	assert_int_equal(ssdqos_trim_wake_ns(&trim), ns);
	now = ns - 1;
	nothing_goes(false);
	now = ns;
}

/* Thousands that are old don't stop the drive. */
static void what_is_old_goes_evenly(void **state)
{
	struct ssdqos_trim_config cfg = usual;
	u64 evenly;
	u32 nr = 0;

	finish(state);
	cfg.max_ranges = 4096;
	begin(&cfg);
	for (u32 i = 0; i < 1000; i++)
		take(16 * i, 16 * i + 1);
	for (; now < 1 + AGE; now += AGE / 1000) {
		run = next_if(false);
		if (!run)
			continue;
		assert_int_equal(run->start, 16 * nr++);
		ssdqos_trim_done(&trim, run, MS, false);
		evenly = (now - AGE / 2) * 2000 / AGE;
		assert_in_range(nr, evenly / 2, evenly + 2);
	}
	now = 1 + AGE;
	while ((run = next_if(false))) {
		nr++;
		ssdqos_trim_done(&trim, run, MS, false);
	}
	assert_int_equal(nr, 1000);
}

static void what_is_old_goes_in_order_whoever_waits(void **state)
{
	take(100, 101);
	now += AGE / 2;
	take(2, 3);
	/* two in the half of the time that is left */
	not_before(1 + AGE * 3 / 4);
	/* the younger one lies before it */
	sends(false, 2, 3, SSDQOS_TRIM_AGE);
	assert_int_equal(ssdqos_trim_wake_ns(&trim), 1 + AGE);
	take(50, 52);
	not_before(1 + AGE * 7 / 8);
	sends(false, 50, 52, SSDQOS_TRIM_AGE);
	not_before(1 + AGE);
	sends(false, 100, 101, SSDQOS_TRIM_AGE);
	take(201, 204);
	not_before(1 + 2 * AGE);
	sends(false, 201, 204, SSDQOS_TRIM_AGE);
}

/* ---- is the drive quiet? ---- */

static void look(u64 at, u64 requests, bool busy, bool goes)
{
	now = at;
	ssdqos_trim_see(&trim, requests, busy, now);
	assert_true(ssdqos_trim_wants(&trim, now) == goes);
}

static void it_waits_until_nobody_has_sent_anything_for_a_while(void **state)
{
	struct ssdqos_trim_config cfg = usual;

	finish(state);
	cfg.max_age_ns = 1000 * MS;
	begin(&cfg);
	look(1 * MS, 1, false, false);
	take(0, 8);
	look(2 * MS, 2, false, false);
	assert_int_equal(ssdqos_trim_wake_ns(&trim), 2 * MS + SSDQOS_TRIM_QUIET_NS);
	look(21 * MS, 2, false, false);
	look(22 * MS, 2, false, true);
	/* one that comes ends it, and so does one that takes long */
	look(23 * MS, 3, false, false);
	look(42 * MS, 3, true, false);
	look(61 * MS, 3, false, false);
	look(62 * MS, 3, false, true);
	sends(true, 0, 8, SSDQOS_TRIM_IDLE);
	look(63 * MS, 3, false, false);
	assert_int_equal(ssdqos_trim_wake_ns(&trim), SSDQOS_NEVER_NS);
}

/* One client is suspended: the others' go on as they are. */
static void a_part_is_flushed(void **state)
{
	take(0, 8);
	take(100, 120);
	take(150, 151);
	take(200, 208);
	ssdqos_trim_flush(&trim, 100, 200);
	assert_int_equal(ssdqos_trim_wake_ns(&trim), 0);
	assert_true(ssdqos_trim_has(&trim, 100, 200));
	sends(false, 100, 120, SSDQOS_TRIM_FLUSH);
	next_is(false, 150, 151, SSDQOS_TRIM_FLUSH);
	assert_int_equal(ssdqos_trim_take(&trim, 0, 160, 170, now), 160);
	take(300, 310);
	assert_true(ssdqos_trim_has(&trim, 100, 200));
	ssdqos_trim_done(&trim, run, MS, false);
	assert_false(ssdqos_trim_has(&trim, 100, 200));
	nothing_goes(false);
	assert_true(ssdqos_trim_wake_ns(&trim) > now);
	ssdqos_trim_end_flush(&trim);
	sends(true, 200, 208, SSDQOS_TRIM_IDLE);
	assert_int_equal(ssdqos_trim_forget(&trim, 200, ~0ULL), ~0ULL);
	assert_int_equal(trim.stats.lost_sectors, 10);
	assert_int_equal(trim.waiting.nr, 1);
	/* two at a time */
	ssdqos_trim_flush(&trim, 100, 200);
	ssdqos_trim_flush(&trim, 0, 10);
	sends(false, 0, 8, SSDQOS_TRIM_FLUSH);
}

static void what_fails_is_counted(void **state)
{
	take(0, 8);
	next_is(true, 0, 8, SSDQOS_TRIM_IDLE);
	ssdqos_trim_done(&trim, run, MS, true);
	assert_int_equal(trim.stats.failed, 1);
	for (u32 i = 1; i < SSDQOS_TRIM_FAILING; i++) {
		assert_false(ssdqos_trim_is_failing(&trim));
		take(0, 8);
		next_is(true, 0, 8, SSDQOS_TRIM_IDLE);
		ssdqos_trim_done(&trim, run, MS, true);
	}
	assert_true(ssdqos_trim_is_failing(&trim));
	take(0, 8);
	sends(true, 0, 8, SSDQOS_TRIM_IDLE);
	assert_false(ssdqos_trim_is_failing(&trim));
	assert_true(ssdqos_trim_is_empty(&trim));
}

static void what_is_merged_is_as_old_as_its_oldest_part(void **state)
{
	take(0, 4);
	now += AGE / 2;
	take(4, 8);
	take(16, 20);
	now += AGE / 2;
	take(8, 16);
	sends(false, 0, 20, SSDQOS_TRIM_AGE);
}

static void long_ranges_go_in_pieces_of_whole_granules(void **state)
{
	take(3, 150);
	sends(true, 8, 72, SSDQOS_TRIM_IDLE);
	sends(true, 72, 136, SSDQOS_TRIM_IDLE);
	sends(true, 136, 144, SSDQOS_TRIM_IDLE);
	ssdqos_trim_flush(&trim, 0, ~0ULL);
	sends(false, 3, 8, SSDQOS_TRIM_FLUSH);
	sends(false, 144, 150, SSDQOS_TRIM_FLUSH);
	ssdqos_trim_end_flush(&trim);
	take(3, 150);
	ssdqos_trim_flush(&trim, 0, ~0ULL);
	/* 64 sectors would end in the middle of a granule */
	sends(false, 3, 64, SSDQOS_TRIM_FLUSH);
	sends(false, 64, 128, SSDQOS_TRIM_FLUSH);
	sends(false, 128, 150, SSDQOS_TRIM_FLUSH);
}

static void too_small_is_left_out_at_last(void **state)
{
	struct ssdqos_trim_config cfg = usual;

	finish(state);
	cfg.min_sectors = 32;
	begin(&cfg);
	take(0, 24);
	take(48, 80);
	sends(true, 48, 80, SSDQOS_TRIM_IDLE);
	nothing_goes(true);
	take(24, 31);
	now += AGE;
	nothing_goes(true);
	assert_true(ssdqos_trim_is_empty(&trim));
	assert_int_equal(trim.stats.small_sectors, 31);
	take(0, 24);
	take(24, 32);
	sends(true, 0, 32, SSDQOS_TRIM_IDLE);
}

static void no_more_are_under_way_than_allowed(void **state)
{
	struct ssdqos_trim_config cfg = usual;
	struct ssdqos_trim_run *first;

	finish(state);
	cfg.depth = 2;
	begin(&cfg);
	take(0, 8);
	take(16, 24);
	take(32, 40);
	next_is(true, 0, 8, SSDQOS_TRIM_IDLE);
	first = run;
	next_is(true, 16, 24, SSDQOS_TRIM_IDLE);
	nothing_goes(true);
	assert_int_equal(ssdqos_trim_wake_ns(&trim), SSDQOS_NEVER_NS);
	ssdqos_trim_done(&trim, first, MS, false);
	next_is(true, 32, 40, SSDQOS_TRIM_IDLE);
}

static void no_more_ask_than_there_can_be(void **state)
{
	struct ssdqos_trim_config cfg = usual;

	finish(state);
	cfg.max_sectors = 64;
	begin(&cfg);
	assert_false(ssdqos_trim_may_ask(&trim, 0));
	take(0, 8);
	assert_true(ssdqos_trim_may_ask(&trim, 0));
	assert_false(ssdqos_trim_may_ask(&trim, 1));
	/* two ranges with two pieces' sectors: four pieces at the most */
	take(64, 64 + 120);
	assert_true(ssdqos_trim_may_ask(&trim, 3));
	assert_false(ssdqos_trim_may_ask(&trim, 4));
}

static void areas_are_not_merged(void **state)
{
	take(0, 8);
	assert_int_equal(ssdqos_trim_take(&trim, 1, 8, 16, now), 16);
	assert_int_equal(ssdqos_trim_take(&trim, 1, 4, 8, now), 8);
	sends(true, 8, 16, SSDQOS_TRIM_IDLE);
	ssdqos_trim_flush(&trim, 0, ~0ULL);
	sends(false, 0, 4, SSDQOS_TRIM_FLUSH);
	sends(false, 4, 8, SSDQOS_TRIM_FLUSH);
	assert_true(ssdqos_trim_is_empty(&trim));
}

/* ---- writes ---- */

static void a_later_write_is_never_discarded(void **state)
{
	take(0, 64);
	cut(8, 16);
	cut(60, 70);
	assert_int_equal(trim.stats.cut_sectors, 12);
	sends(true, 0, 8, SSDQOS_TRIM_IDLE);
	sends(true, 16, 56, SSDQOS_TRIM_IDLE);
	nothing_goes(true);
	cut(0, 100);
	assert_true(ssdqos_trim_is_empty(&trim));
}

static void a_write_waits_for_what_is_under_way(void **state)
{
	take(8, 16);
	next_is(true, 8, 16, SSDQOS_TRIM_IDLE);
	assert_false(ssdqos_trim_holds(&trim, 0, 8));
	assert_true(ssdqos_trim_holds(&trim, 0, 9));
	assert_true(ssdqos_trim_holds(&trim, 15, 30));
	assert_false(ssdqos_trim_holds(&trim, 16, 30));
	ssdqos_trim_done(&trim, run, MS, false);
	assert_false(ssdqos_trim_holds(&trim, 8, 16));
}

/* ---- memory ---- */

static void fill(u64 first, u32 nr)
{
	for (u32 i = 0; i < nr; i++)
		take(first + 16 * i, first + 16 * i + 4);
}

static void the_oldest_go_when_memory_is_short(void **state)
{
	take(4096, 4100);
	fill(0, 55);
	nothing_goes(false);
	assert_in_range(ssdqos_trim_wake_ns(&trim), 1 + AGE / 2, 1 + AGE);
	fill(2048, 1);
	assert_int_equal(ssdqos_trim_wake_ns(&trim), 0);
	/* an eighth of 64 is left with 56, the next one is too much */
	sends(false, 4096, 4100, SSDQOS_TRIM_MEMORY);
	for (u32 i = 0; i < 8; i++)
		sends(false, 16 * i, 16 * i + 4, SSDQOS_TRIM_MEMORY);
	nothing_goes(false);
	assert_int_equal(trim.waiting.nr, 48);
}

static void without_memory_discards_pass(void **state)
{
	fill(0, 63);
	assert_int_equal(ssdqos_trim_take(&trim, 0, 4096, 4100, now), 4096);
	assert_int_equal(trim.stats.passed, 1);
	/* what touches another one needs none, but nobody looks */
	assert_int_equal(trim.waiting.nr, 63);
	/* a cut in the middle takes the last one, then a part is forgotten */
	cut(1, 2);
	assert_int_equal(trim.stats.lost_sectors, 0);
	cut(17, 18);
	assert_int_equal(trim.stats.lost_sectors, 1);
	assert_int_equal(trim.stats.cut_sectors, 2);
	assert_int_equal(trim.waiting.sectors, 63 * 4 - 3);
}

static void no_call_looks_at_more_than_a_step(void **state)
{
	struct ssdqos_trim_config cfg = usual;
	u64 until;

	finish(state);
	cfg.max_ranges = 256;
	begin(&cfg);
	fill(0, 200);
	until = ssdqos_trim_take(&trim, 0, 0, 16 * 200, now);
	assert_int_equal(until, 16 * SSDQOS_RANGES_STEP);
	assert_int_equal(trim.waiting.nr, 200 - SSDQOS_RANGES_STEP + 1);
	while (until < 16 * 200)
		until = ssdqos_trim_take(&trim, 0, until, 16 * 200, now);
	assert_int_equal(trim.waiting.nr, 1);
	assert_int_equal(trim.waiting.sectors, 16 * 200);
	cut(0, 16 * 200);
	fill(0, 200);
	until = ssdqos_trim_cut(&trim, 0, 16 * 200);
	assert_int_equal(until, 16 * SSDQOS_RANGES_STEP);
	while (until < 16 * 200)
		until = ssdqos_trim_cut(&trim, until, 16 * 200);
	assert_true(ssdqos_trim_is_empty(&trim));
}

static void no_memory_at_all_is_said(void **state)
{
	struct ssdqos_trim other;

	ssdqos_env_fail_at = 1;
	assert_int_equal(ssdqos_trim_init(&other, &usual), -ENOMEM);
}

#define TEST(name) cmocka_unit_test_setup_teardown(name, setup, finish)

int main(void)
{
	const struct CMUnitTest tests[] = {
		TEST(idle_time_gets_large_runs_upwards),
		TEST(less_than_a_granule_waits_for_its_neighbours),
		TEST(granules_may_begin_anywhere),
		TEST(what_is_old_goes_evenly),
		TEST(what_is_old_goes_in_order_whoever_waits),
		TEST(it_waits_until_nobody_has_sent_anything_for_a_while),
		TEST(a_part_is_flushed),
		TEST(what_fails_is_counted),
		TEST(what_is_merged_is_as_old_as_its_oldest_part),
		TEST(long_ranges_go_in_pieces_of_whole_granules),
		TEST(too_small_is_left_out_at_last),
		TEST(no_more_are_under_way_than_allowed),
		TEST(no_more_ask_than_there_can_be),
		TEST(areas_are_not_merged),
		TEST(a_later_write_is_never_discarded),
		TEST(a_write_waits_for_what_is_under_way),
		TEST(the_oldest_go_when_memory_is_short),
		TEST(without_memory_discards_pass),
		TEST(no_call_looks_at_more_than_a_step),
		TEST(no_memory_at_all_is_said),
	};

	return cmocka_run_group_tests_name("trim", tests, NULL, NULL);
}
