// SPDX-License-Identifier: GPL-2.0
/*
 * Spare work stays for a while near a rate that made owners late.
 */
#include "qos_helper.h"
#include "../../dm-ssdqos/core/qos/internal.h"

#define OWNER "util_ppm=500000 window_ms=2000 confidence_permille=990 "
#define PEAK_PPM 400000ULL
/* Three quarters of it. */
#define PLATEAU_PPM 300000ULL
/* What a step adds without a plateau. */
#define FAST_PPM 10000ULL
#define SEC (1000 * MS)
#define LONG_NS (5 * SEC)
#define SEEN_STEPS 16

static struct ssdqos_edf_stream *owner;
static struct ssdqos_pace *pace;
static struct ssdqos_plateau *plateau;

static int setup(void **state)
{
	qos_start(QOS_PROFILE);
	owner = qos_debt_owner(OWNER);
	pace = &qos_edf->pace;
	plateau = &pace->plateau;
	pace->step_ns = qos_now_ns;
	return 0;
}

/* An owner falls behind a while after it did the last time, and so much was sent at the most. */
static void fell(u64 after_ns, u64 peak_ppm)
{
	qos_now_ns = plateau->fell_ns + after_ns;
	plateau->peak_ppm = peak_ppm;
	edf_plateau_fell(qos_edf, qos_now_ns);
}

static u64 rise_at(u64 rate_ppm)
{
	pace->rate_ppm = rate_ppm;
	return edf_plateau_rise_ppm(qos_edf, FAST_PPM);
}

static u64 after_steps(u64 rate_ppm, u32 steps)
{
	pace->rate_ppm = rate_ppm;
	while (steps--)
		pace->rate_ppm += edf_plateau_rise_ppm(qos_edf, pace->rate_ppm);
	return pace->rate_ppm;
}

static void assert_near(u64 value, u64 wanted)
{
	assert_in_range(value, wanted - wanted / 20, wanted + wanted / 20);
}

/* At the same rate twice, and the second time later. */
static void fell_twice(void)
{
	fell(LONG_NS, PEAK_PPM);
	fell(2 * LONG_NS, PEAK_PPM);
}

static void assert_none(void)
{
	assert_int_equal(rise_at(PLATEAU_PPM), FAST_PPM);
}

static void as_long_as_nobody_fell_behind_there_is_none(void **state)
{
	assert_none();
}

static void nor_if_one_did_once(void **state)
{
	fell(LONG_NS, PEAK_PPM);
	assert_none();
}

static void nor_at_two_rates(void **state)
{
	fell(LONG_NS, 2 * PEAK_PPM);
	fell(2 * LONG_NS, PEAK_PPM);
	assert_none();
	fell(4 * LONG_NS, 2 * PEAK_PPM);
	assert_none();
}

static void up_to_it_the_rate_rises_as_before(void **state)
{
	fell_twice();
	assert_int_equal(rise_at(PLATEAU_PPM / 2), FAST_PPM);
}

static void and_no_further(void **state)
{
	fell_twice();
	assert_int_equal(rise_at(PLATEAU_PPM - 1), 1);
}

static void rates_that_differ_by_a_fifth_are_the_same(void **state)
{
	fell(LONG_NS, PEAK_PPM);
	fell(2 * LONG_NS, PEAK_PPM - PEAK_PPM / 5);
	assert_int_equal(plateau->rate_ppm, PLATEAU_PPM - PLATEAU_PPM / 5);
	fell(4 * LONG_NS, PEAK_PPM);
	assert_int_equal(plateau->rate_ppm, PLATEAU_PPM);
	fell(8 * LONG_NS, PEAK_PPM - PEAK_PPM / 4);
	assert_none();
}

static void then_it_takes_three_seconds_for_a_third_more(void **state)
{
	fell_twice();
	assert_near(after_steps(PLATEAU_PPM, 275), PEAK_PPM);
}

static void and_eight_for_ten_times_as_much(void **state)
{
	fell_twice();
	assert_near(after_steps(PLATEAU_PPM, 777), 10 * PLATEAU_PPM);
}

static void never_faster_than_before(void **state)
{
	fell_twice();
	plateau->steps = 1 << 20;
	assert_int_equal(rise_at(SSDQOS_PACE_FREE - 1), FAST_PPM);
}

static void it_is_tried_anew_after_each_fall(void **state)
{
	fell_twice();
	after_steps(PLATEAU_PPM, 500);
	fell(4 * LONG_NS, PEAK_PPM);
	assert_near(after_steps(PLATEAU_PPM, 275), PEAK_PPM);
}

static void what_puts_the_next_fall_off_is_kept(void **state)
{
	fell_twice();
	fell(2 * LONG_NS * 5 / 4, PEAK_PPM);
	assert_int_equal(plateau->rate_ppm, PLATEAU_PPM);
}

static void what_does_not_is_forgotten(void **state)
{
	fell_twice();
	fell(2 * LONG_NS, PEAK_PPM);
	assert_none();
}

static void and_tried_again_the_next_time(void **state)
{
	fell_twice();
	fell(LONG_NS, PEAK_PPM);
	fell(LONG_NS, PEAK_PPM);
	assert_int_equal(plateau->rate_ppm, PLATEAU_PPM);
}

static void less_than_a_sixteenth_of_the_drive_is_none(void **state)
{
	fell(LONG_NS, SSDQOS_QOS_PPM / 12);
	fell(2 * LONG_NS, SSDQOS_QOS_PPM / 12 - 10);
	assert_none();
	fell(LONG_NS, SSDQOS_QOS_PPM / 12);
	fell(2 * LONG_NS, SSDQOS_QOS_PPM / 12 + 10);
	assert_true(rise_at(PLATEAU_PPM) < FAST_PPM);
}

static void nor_is_what_was_not_sent(void **state)
{
	fell(LONG_NS, 0);
	fell(2 * LONG_NS, 0);
	assert_none();
}

static void while_no_owner_is_there_it_does_not_count(void **state)
{
	fell_twice();
	qos_now_ns += SEC;
	edf_debt_end_step(qos_edf, qos_now_ns);
	qos_now_ns += SEC;
	edf_debt_end_step(qos_edf, qos_now_ns);
	assert_none();
}

static void nor_does_it_for_who_has_less_by_its_own_doing(void **state)
{
	fell_twice();
	owner->self_limited = true;
	qos_read(owner);
	qos_now_ns += SEC;
	edf_debt_end_step(qos_edf, qos_now_ns);
	assert_true(owner->is_there);
	assert_none();
}

static void an_owner_that_comes_back_counts_at_once(void **state)
{
	fell_twice();
	for (u32 n = 0; n < 2; n++) {
		qos_now_ns += SEC;
		edf_debt_end_step(qos_edf, qos_now_ns);
	}
	qos_read(owner);
	assert_true(rise_at(PLATEAU_PPM) < FAST_PPM);
}

static void without_a_profile_there_is_none(void **state)
{
	struct ssdqos_profile *profile = qos_edf->profile;

	qos_edf->profile = NULL;
	fell_twice();
	assert_none();
	qos_edf->profile = profile;
}

static void it_can_be_switched_off(void **state)
{
	qos_edf->cfg.drive_plateau = 0;
	fell_twice();
	assert_none();
}

static void another_profile_forgets_it(void **state)
{
	fell_twice();
	edf_pace_learn_anew(pace);
	assert_none();
}

static void pace_step(u64 sent_ppm, bool behind)
{
	pace->sent_ns = sent_ppm * EDF_PACE_STEP_NS / SSDQOS_QOS_PPM;
	pace->behind = behind;
	qos_now_ns = pace->step_ns + EDF_PACE_STEP_NS;
	edf_pace_end_step(qos_edf, qos_now_ns);
}

static void the_pace_remembers_what_it_sent(void **state)
{
	for (u32 time = 0; time < 2; time++) {
		for (u32 n = 0; n < 20 * SEEN_STEPS; n++)
			pace_step(PEAK_PPM, false);
		pace_step(PEAK_PPM, true);
	}
	assert_near(plateau->rate_ppm, PLATEAU_PPM);
}

/* A drive that bears so much, as a mean of some steps: in how many steps somebody is behind in a
 * minute, and what is sent in a step, in the middle.
 */
static u32 minute_of(u64 bears_ppm, u64 *mean_ppm)
{
	u32 falls = pace->behinds, steps = 60 * SEC / EDF_PACE_STEP_NS;
	u64 sum = 0;

	for (u32 n = 0; n < steps; n++) {
		u64 rate_ppm = min(pace->rate_ppm, (u64)SSDQOS_QOS_PPM);

		sum += rate_ppm;
		pace_step(rate_ppm, pace->seen_ppm > bears_ppm);
	}
	*mean_ppm = sum / steps;
	return pace->behinds - falls;
}

static void owners_are_late_less_often_and_others_have_more(void **state)
{
	u64 with_ppm, without_ppm;
	u32 with, without;

	qos_edf->cfg.drive_plateau = 0;
	without = minute_of(PLATEAU_PPM, &without_ppm);
	qos_edf->cfg.drive_plateau = 1;
	with = minute_of(PLATEAU_PPM, &with_ppm);
	assert_true(2 * with < without);
	assert_true(with_ppm > without_ppm);
}

/* It stops twenty times a minute, at any moment and whatever is sent. */
static u64 mean_beside_stops(u32 seed)
{
	u32 steps = 60 * SEC / EDF_PACE_STEP_NS, left = 0;
	u64 sum = 0;

	for (u32 n = 0; n < steps; n++) {
		u64 rate_ppm = min(pace->rate_ppm, (u64)SSDQOS_QOS_PPM);

		seed = seed * 1664525 + 1013904223;
		left = left ? left - 1 : (seed >> 16) % 300 ? 0 : 10;
		sum += rate_ppm;
		pace_step(rate_ppm, left);
	}
	return sum / steps;
}

static void a_drive_that_stops_by_itself_costs_others_little(void **state)
{
	u64 with_ppm = 0, without_ppm = 0;

	for (u32 seed = 1; seed <= 16; seed++) {
		qos_edf->cfg.drive_plateau = 0;
		without_ppm += mean_beside_stops(seed);
		qos_edf->cfg.drive_plateau = 1;
		with_ppm += mean_beside_stops(seed);
	}
	assert_true(10 * with_ppm > 9 * without_ppm);
}

static void a_drive_that_bears_more_is_found_out(void **state)
{
	u64 mean_ppm;

	minute_of(PLATEAU_PPM / 2, &mean_ppm);
	assert_int_equal(minute_of(SSDQOS_QOS_PPM, &mean_ppm), 0);
	assert_true(mean_ppm > 3 * PEAK_PPM / 2);
}

#define TEST(name) cmocka_unit_test_setup_teardown(name, setup, qos_finish)

int main(void)
{
	const struct CMUnitTest tests[] = {
		TEST(as_long_as_nobody_fell_behind_there_is_none),
		TEST(nor_if_one_did_once),
		TEST(nor_at_two_rates),
		TEST(up_to_it_the_rate_rises_as_before),
		TEST(and_no_further),
		TEST(rates_that_differ_by_a_fifth_are_the_same),
		TEST(then_it_takes_three_seconds_for_a_third_more),
		TEST(and_eight_for_ten_times_as_much),
		TEST(never_faster_than_before),
		TEST(it_is_tried_anew_after_each_fall),
		TEST(what_puts_the_next_fall_off_is_kept),
		TEST(what_does_not_is_forgotten),
		TEST(and_tried_again_the_next_time),
		TEST(less_than_a_sixteenth_of_the_drive_is_none),
		TEST(nor_is_what_was_not_sent),
		TEST(while_no_owner_is_there_it_does_not_count),
		TEST(nor_does_it_for_who_has_less_by_its_own_doing),
		TEST(an_owner_that_comes_back_counts_at_once),
		TEST(without_a_profile_there_is_none),
		TEST(it_can_be_switched_off),
		TEST(another_profile_forgets_it),
		TEST(the_pace_remembers_what_it_sent),
		TEST(owners_are_late_less_often_and_others_have_more),
		TEST(a_drive_that_stops_by_itself_costs_others_little),
		TEST(a_drive_that_bears_more_is_found_out),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
