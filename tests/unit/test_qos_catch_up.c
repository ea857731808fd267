// SPDX-License-Identifier: GPL-2.0
/*
 * What an owner lacks for half a second, and its window makes up for, slows nobody down.
 */
#include "qos_helper.h"
#include "../../dm-ssdqos/core/qos/internal.h"

#define OWNER "util_ppm=500000 window_ms=2000 confidence_permille=990 "
#define STEP (500 * MS)
/* Half the credit. */
#define SLACK (50 * MS)
/* Windows with four times the promise, until nearly that is believed. */
#define MANY_WINDOWS 200
#define FOUR_TIMES 400

static struct ssdqos_edf_stream *a;
static u32 factor;

static int setup(void **state)
{
	qos_start(QOS_PROFILE);
	/* with it less is due at a window's end */
	qos_edf->cfg.drive_lead = 0;
	a = qos_debt_owner(OWNER);
	/* there is always one, so it is there where it gets nothing */
	qos_read(a);
	return 0;
}

static void windows(u32 nr, u64 got_pct)
{
	const struct ssdqos_watch_count count = { .met = 1 };

	a->watch.counted = a->watch.promise.amount * got_pct / 100;
	while (nr--)
		edf_catch_up_windows(a, &count);
}

/* Writes wait, and the owner has requests all the time for so much of its promise, and gets so much. */
static void step_of(u64 ns, u64 wants_pct, u64 gets_pct)
{
	qos_edf->debt.held = true;
	factor = qos_edf->debt.factor;
	qos_debt_step(a, ns, wants_pct, gets_pct);
}

static void step(u64 gets_pct) { step_of(STEP, 100, gets_pct); }

static void assert_fell(void) { assert_true(qos_edf->debt.factor < factor); }
static void assert_same(void) { assert_int_equal(qos_edf->debt.factor, factor); }

static void what_a_window_makes_up_for_slows_nobody_down(void **state)
{
	windows(MANY_WINDOWS, FOUR_TIMES);
	step(0);
	assert_same();
}

static void nor_does_it_let_others_do_more(void **state)
{
	windows(MANY_WINDOWS, FOUR_TIMES);
	step(95);
	assert_same();
}

static void no_window_has_told_so_yet(void **state)
{
	step(50);
	assert_fell();
}

static void one_bad_window_is_remembered(void **state)
{
	windows(MANY_WINDOWS, FOUR_TIMES);
	windows(1, 101);
	step(50);
	assert_fell();
}

static void and_forgotten_in_many(void **state)
{
	windows(1, 100);
	/* one and a half times: a quarter of the three quarters of a window that are left */
	windows(12, FOUR_TIMES);
	step(0);
	assert_fell();
	step(FOUR_TIMES);
	windows(8, FOUR_TIMES);
	step(0);
	assert_same();
}

static void windows_that_slide_are_forgotten_as_fast(void **state)
{
	assert_int_equal(qos_set(a, "windows=sliding"), 0);
	windows(8 * 12, FOUR_TIMES);
	assert_in_range(a->catch_up.headroom, EDF_DEBT_ONE * 150 / 100, EDF_DEBT_ONE * 156 / 100);
}

static void windows_in_which_less_was_asked_for_say_nothing(void **state)
{
	const struct ssdqos_watch_count idle = { .idle = 1 };

	windows(MANY_WINDOWS, FOUR_TIMES);
	a->watch.counted = 0;
	edf_catch_up_windows(a, &idle);
	step(0);
	assert_same();
}

static void what_is_lacked_adds_up(void **state)
{
	windows(MANY_WINDOWS, FOUR_TIMES);
	step(0);
	assert_same();
	step(0);
	assert_same();
	/* a second and a half of two */
	step(0);
	assert_fell();
}

static void until_it_was_made_up_for(void **state)
{
	windows(MANY_WINDOWS, FOUR_TIMES);
	for (u32 i = 0; i < 8; i++) {
		step(0);
		assert_same();
		step(250);
	}
}

static void asking_for_less_ends_it(void **state)
{
	windows(MANY_WINDOWS, FOUR_TIMES);
	for (u32 i = 0; i < 8; i++) {
		step(0);
		assert_same();
		step_of(STEP, 50, 10);
	}
}

static void a_window_of_a_step_makes_up_for_nothing(void **state)
{
	assert_int_equal(qos_set(a, "window_ms=500"), 0);
	windows(MANY_WINDOWS, FOUR_TIMES);
	step(50);
	assert_fell();
}

static void nor_for_a_stop_that_is_longer(void **state)
{
	windows(MANY_WINDOWS, FOUR_TIMES);
	step_of(5 * STEP, 100, 10);
	assert_fell();
}

static void all_counts_for_who_misses_too_much(void **state)
{
	windows(MANY_WINDOWS, FOUR_TIMES);
	a->budget.left = -1;
	step(50);
	assert_fell();
}

static void a_new_promise_is_believed_nothing(void **state)
{
	windows(MANY_WINDOWS, FOUR_TIMES);
	assert_int_equal(qos_set(a, "window_ms=4000"), 0);
	step(50);
	assert_fell();
}

static void nothing_overflows(void **state)
{
	a->watch.promise.amount = 1;
	a->watch.counted = ~0ULL / 2048;
	edf_catch_up_windows(a, &(struct ssdqos_watch_count){ .met = 1 });
	step_of(STEP, 100, 1000000);
	step(0);
	assert_in_range(a->catch_up.lack_ns, STEP * 9 / 10, STEP);
	step_of(365ULL * 86400 * S, 100, 0);
	assert_int_equal(a->catch_up.lack_ns, 0);
}

static void nor_is_it_late_for_that(void **state)
{
	assert_int_equal(edf_budget_slack_ns(a), SLACK);
	windows(12, FOUR_TIMES);
	assert_in_range(edf_budget_slack_ns(a), 2000 * MS * 50 / 100 / 8, 2000 * MS * 55 / 100 / 8);
	windows(MANY_WINDOWS, FOUR_TIMES);
	/* a quarter of the window at the most */
	assert_int_equal(edf_budget_slack_ns(a), 500 * MS);
	a->budget.left = -1;
	assert_int_equal(edf_budget_slack_ns(a), 2000 * MS / 64);
}

static void nor_late_later_than_any_owner(void **state)
{
	windows(1, 50);
	assert_int_equal(edf_budget_slack_ns(a), SLACK);
}

static void it_can_be_switched_off(void **state)
{
	windows(MANY_WINDOWS, FOUR_TIMES);
	qos_edf->cfg.drive_catch_up = 0;
	step(50);
	assert_fell();
	assert_int_equal(edf_budget_slack_ns(a), SLACK);
}

#define TEST(name) cmocka_unit_test_setup_teardown(name, setup, qos_finish)

int main(void)
{
	const struct CMUnitTest tests[] = {
		TEST(what_a_window_makes_up_for_slows_nobody_down),
		TEST(nor_does_it_let_others_do_more),
		TEST(no_window_has_told_so_yet),
		TEST(one_bad_window_is_remembered),
		TEST(and_forgotten_in_many),
		TEST(windows_that_slide_are_forgotten_as_fast),
		TEST(windows_in_which_less_was_asked_for_say_nothing),
		TEST(what_is_lacked_adds_up),
		TEST(until_it_was_made_up_for),
		TEST(asking_for_less_ends_it),
		TEST(a_window_of_a_step_makes_up_for_nothing),
		TEST(nor_for_a_stop_that_is_longer),
		TEST(all_counts_for_who_misses_too_much),
		TEST(a_new_promise_is_believed_nothing),
		TEST(nothing_overflows),
		TEST(nor_is_it_late_for_that),
		TEST(nor_late_later_than_any_owner),
		TEST(it_can_be_switched_off),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
