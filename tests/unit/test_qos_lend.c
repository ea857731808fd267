// SPDX-License-Identifier: GPL-2.0
/*
 * What spare writes have of the time for which owners that are there don't ask.
 */
#include "qos_helper.h"
#include "../../dm-ssdqos/core/qos/asking_way.h"

/* Half of the device, so spare writes have the other half; of one that asks for a fifth 40 % are left over. */
#define OWNER "util_ppm=500000 window_ms=1000 confidence_permille=990 iodepth=8 "
#define OWNED_PPM 500000
#define LEFT_PPM 500000
#define UNASKED_PPM 400000
#define STEP (500 * MS)
/* Until an average is where it goes to, but for less than a thousandth. */
#define AVERAGE_STEPS 128
#define DOUBLES_STEPS 45
/* Rooms are reckoned in hundredths, and averages end a little above. */
#define NEAR_PPM 10000
#define WINDOWS_A_MISS 200

static struct ssdqos_edf_stream *a;
static bool held, behind;

static int setup(void **state)
{
	qos_start(QOS_PROFILE);
	a = qos_debt_owner(OWNER);
	held = false;
	behind = false;
	return 0;
}

/* Steps in which the owner has requests for so much of its promise, and gets so much of it. */
static void steps(u32 nr, u64 wants_pct, u64 gets_pct)
{
	for (u32 i = 0; i < nr; i++) {
		qos_edf->debt.held = held;
		qos_edf->pace.behinds += behind;
		qos_debt_step(a, STEP, wants_pct, gets_pct);
	}
}

/* A fifth, of a drive that is twice as fast as it has to be. */
static void asks_for_a_fifth(u32 nr) { steps(nr, 10, 20); }

static void assert_lent(u64 ppm)
{
	u64 rate_ppm = qos_edf->debt.rate_ppm;

	assert_in_range(rate_ppm, LEFT_PPM + ppm - min(ppm, NEAR_PPM), LEFT_PPM + ppm);
}

static void assert_part(u32 part) { assert_in_range(qos_edf->debt.lend.part, part - 1, part + 1); }

static void lends_all(void)
{
	held = true;
	asks_for_a_fifth(AVERAGE_STEPS + 2 * DOUBLES_STEPS);
	assert_lent(UNASKED_PPM);
}

static void ends(const struct ssdqos_watch_count *count)
{
	edf_budget_count(a, count);
	edf_lend_windows(a, count);
}

static void window_missed(u64 got_pct)
{
	const struct ssdqos_watch_count count = { .missed = 1 };

	a->watch.counted = a->watch.promise.amount * got_pct / 100;
	ends(&count);
}

/* It has lent all, then asks for so much, and the drive keeps all of that. */
static void gets_nothing(u64 wants_pct)
{
	lends_all();
	a->in_flight++;
	steps(8, wants_pct, 0);
	a->in_flight--;
}

static void who_gets_nothing_lends_less(void **state)
{
	gets_nothing(75);
	assert_true(qos_edf->debt.lend.part < EDF_DEBT_ONE / 2);
}

/* A request that has just come when the step ends, or a flush that takes long. */
static void who_has_just_come_lends_as_before(void **state)
{
	gets_nothing(25);
	assert_part(EDF_DEBT_ONE);
}

static void who_asks_for_all_lends_nothing(void **state)
{
	held = true;
	steps(AVERAGE_STEPS, 100, 100);
	assert_lent(0);
	assert_part(EDF_DEBT_ONE / 4);
}

static void who_asks_for_nearly_all_does_neither(void **state)
{
	steps(AVERAGE_STEPS, 10, 96);
	assert_lent(0);
}

static void a_quarter_is_lent_at_first(void **state)
{
	asks_for_a_fifth(AVERAGE_STEPS);
	assert_lent(UNASKED_PPM / 4);
}

static void more_is_tried_where_it_is_wanted(void **state)
{
	held = true;
	asks_for_a_fifth(DOUBLES_STEPS);
	assert_in_range(qos_edf->debt.lend.part, EDF_DEBT_ONE * 49 / 100, EDF_DEBT_ONE * 52 / 100);
	lends_all();
	assert_part(EDF_DEBT_ONE);
}

/* What it asks for is known by what it got, and by how many requests it has. */
static void who_has_many_requests_asks_for_more(void **state)
{
	steps(AVERAGE_STEPS, 60, 20);
	assert_int_equal(a->asked_ppm * 10ULL / OWNED_PPM, 6);
}

static void less_is_believed_after_a_while(void **state)
{
	asks_for_a_fifth(1);
	assert_in_range(a->asked_ppm, OWNED_PPM * 94ULL / 100, OWNED_PPM * 96ULL / 100);
	asks_for_a_fifth(AVERAGE_STEPS);
	assert_in_range(a->asked_ppm, OWNED_PPM / 5, OWNED_PPM / 5 + OWNED_PPM / 100);
}

static void more_is_believed_at_once(void **state)
{
	lends_all();
	steps(1, 100, 100);
	assert_lent(0);
}

static void of_the_step_in_which_it_comes_nothing_is_known(void **state)
{
	edf_lend_owner_is_there(a);
	asks_for_a_fifth(1);
	assert_int_equal(a->asked_ppm, OWNED_PPM);
	asks_for_a_fifth(1);
	assert_true(a->asked_ppm < OWNED_PPM);
}

/* Everybody was away for ten days. */
static void a_long_step_says_nothing(void **state)
{
	lends_all();
	qos_now_ns += 864000ULL * S;
	qos_edf->debt.step_ns = qos_now_ns - 864000ULL * S;
	edf_asking_count(a, qos_now_ns);
	a->step_work_ns = 1;
	edf_debt_end_step(qos_edf, qos_now_ns);
	assert_int_equal(a->asked_ppm, OWNED_PPM);
	assert_lent(0);
}

static void a_drive_that_is_hardly_fast_enough_gets_less(void **state)
{
	lends_all();
	steps(1, 20, 21);
	assert_part(EDF_DEBT_ONE * 7 / 8);
	steps(40, 20, 20);
	assert_part(EDF_DEBT_LEAST);
}

static void one_that_is_fast_enough_gets_no_more(void **state)
{
	held = true;
	steps(AVERAGE_STEPS, 20, 23);
	assert_part(EDF_DEBT_ONE / 4);
}

static void while_somebody_is_behind_it_gets_less(void **state)
{
	lends_all();
	behind = true;
	asks_for_a_fifth(1);
	assert_part(EDF_DEBT_ONE * 7 / 8);
}

static void a_window_that_is_missed_counts_all_that_was_missing(void **state)
{
	lends_all();
	window_missed(40);
	assert_part(EDF_DEBT_ONE * 40 / 100);
	asks_for_a_fifth(1);
	window_missed(90);
	assert_part(EDF_DEBT_ONE * 20 / 100);
}

static void one_that_the_promise_may_miss_counts_nothing(void **state)
{
	const struct ssdqos_watch_count met = { .met = WINDOWS_A_MISS };

	lends_all();
	ends(&met);
	asks_for_a_fifth(1);
	window_missed(40);
	assert_part(EDF_DEBT_ONE);
}

static void nothing_is_tried_while_a_promise_misses_too_much(void **state)
{
	const struct ssdqos_watch_count kept = { .idle = 1, .kept = 1 };

	lends_all();
	window_missed(40);
	asks_for_a_fifth(DOUBLES_STEPS);
	assert_part(EDF_DEBT_ONE * 40 / 100);
	/* windows in which it asked for less, and got that, make up for it */
	for (u32 i = 0; i < WINDOWS_A_MISS; i++)
		ends(&kept);
	asks_for_a_fifth(2 * DOUBLES_STEPS);
	assert_part(EDF_DEBT_ONE);
}

static void windows_that_are_idle_make_up_for_nothing(void **state)
{
	const struct ssdqos_watch_count idle = { .idle = 1 };

	lends_all();
	window_missed(40);
	for (u32 i = 0; i < WINDOWS_A_MISS; i++)
		ends(&idle);
	assert_true(edf_is_overdrawn(a));
}

static void it_can_be_switched_off(void **state)
{
	lends_all();
	qos_edf->cfg.drive_lend = 0;
	asks_for_a_fifth(1);
	assert_lent(0);
	/* nor is it told as the reason of anything */
	assert_false(qos_edf->debt.lend.somebody);
}

static void it_is_told(void **state)
{
	struct ssdqos_debt_change change;

	asks_for_a_fifth(8);
	assert_true(ssdqos_edf_take_debt_change(qos_edf, qos_now_ns, &change));
	assert_int_equal(change.why, SSDQOS_DEBT_WHY_LEND);
}

#define TEST(name) cmocka_unit_test_setup_teardown(name, setup, qos_finish)

int main(void)
{
	const struct CMUnitTest tests[] = {
		TEST(who_gets_nothing_lends_less),
		TEST(who_has_just_come_lends_as_before),
		TEST(who_asks_for_all_lends_nothing),
		TEST(who_asks_for_nearly_all_does_neither),
		TEST(a_quarter_is_lent_at_first),
		TEST(more_is_tried_where_it_is_wanted),
		TEST(who_has_many_requests_asks_for_more),
		TEST(less_is_believed_after_a_while),
		TEST(more_is_believed_at_once),
		TEST(of_the_step_in_which_it_comes_nothing_is_known),
		TEST(a_long_step_says_nothing),
		TEST(a_drive_that_is_hardly_fast_enough_gets_less),
		TEST(one_that_is_fast_enough_gets_no_more),
		TEST(while_somebody_is_behind_it_gets_less),
		TEST(a_window_that_is_missed_counts_all_that_was_missing),
		TEST(one_that_the_promise_may_miss_counts_nothing),
		TEST(nothing_is_tried_while_a_promise_misses_too_much),
		TEST(windows_that_are_idle_make_up_for_nothing),
		TEST(it_can_be_switched_off),
		TEST(it_is_told),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
