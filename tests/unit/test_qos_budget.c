// SPDX-License-Identifier: GPL-2.0
/*
 * While a promise misses more windows than it may, spare work does not try again what broke it.
 */
#include "qos_helper.h"
#include "../../dm-ssdqos/core/qos/internal.h"

#define OWNER "util_ppm=500000 window_ms=1000 confidence_permille=990 "
#define STEP (500 * MS)
#define PACE_STEP (10 * MS)
/* One window that is missed pays for itself in 2 / (1 - c) of them. */
#define WINDOWS_A_MISS 200

static int setup(void **state)
{
	qos_start(QOS_PROFILE);
	qos_edf->cfg.drive_budget = 1;
	return 0;
}

static void windows(struct ssdqos_edf_stream *s, u64 met, u64 missed)
{
	const struct ssdqos_watch_count count = { .missed = missed };
	const struct ssdqos_watch_count one = { .met = 1 };

	edf_budget_count(s, &count);
	while (met--)
		edf_budget_count(s, &one);
}

static void a_missed_window_is_made_up_for_by_half_of_what_may_be_missed(void **state)
{
	struct ssdqos_edf_stream *a = qos_add(OWNER);

	assert_false(edf_is_strained(a));
	windows(a, WINDOWS_A_MISS - 1, 1);
	assert_true(edf_is_strained(a));
	windows(a, 1, 0);
	assert_false(edf_is_strained(a));
}

static void one_miss_after_a_good_time_costs_nothing(void **state)
{
	struct ssdqos_edf_stream *a = qos_add(OWNER);

	windows(a, 100 * WINDOWS_A_MISS, 0);
	windows(a, 0, 1);
	assert_false(edf_is_strained(a));
	windows(a, 0, 1);
	assert_true(edf_is_strained(a));
}

static void a_bad_time_is_not_held_against_others_for_ever(void **state)
{
	struct ssdqos_edf_stream *a = qos_add(OWNER);

	windows(a, 8 * WINDOWS_A_MISS - 1, 1000000000000);
	assert_true(edf_is_strained(a));
	windows(a, 1, 0);
	assert_false(edf_is_strained(a));
}

static void of_windows_that_slide_eight_are_one(void **state)
{
	struct ssdqos_edf_stream *a = qos_add(OWNER "windows=sliding");

	windows(a, 100 * WINDOWS_A_MISS, 0);
	windows(a, 0, 8);
	assert_false(edf_is_strained(a));
	windows(a, 0, 1);
	assert_true(edf_is_strained(a));
}

/* A window of a second ends so long after spare work was at its least, and is missed. */
static void missed_after(struct ssdqos_edf_stream *s, u64 least_since_ns, u64 ns)
{
	qos_edf->pace.least_since_ns = least_since_ns;
	s->watch.start_ns = least_since_ns + ns;
	windows(s, 0, 1);
}

static void what_the_drive_misses_by_itself_is_given_back(void **state)
{
	struct ssdqos_edf_stream *a = qos_add(OWNER);
	u64 since_ns = qos_now_ns;

	for (u64 ns = S; ns <= 10 * S; ns += S)
		missed_after(a, since_ns, ns);
	assert_true(edf_is_strained(a));
	qos_edf->debt.known = qos_edf->debt.factor;
	missed_after(a, since_ns, 11 * S);
	assert_false(edf_is_strained(a));
	/* nor are others' writes what it lacked something for */
	assert_true(qos_edf->debt.known > qos_edf->debt.factor);
	missed_after(a, since_ns, 12 * S);
	assert_false(edf_is_strained(a));
	/* no more than that was taken */
	windows(a, 0, 1);
	missed_after(a, since_ns, 13 * S);
	windows(a, WINDOWS_A_MISS - 1, 0);
	assert_false(edf_is_strained(a));
}

/* A drive that stops each few minutes for longer than that stops for what others wrote. */
static void what_was_given_back_is_earned_before_there_is_more(void **state)
{
	struct ssdqos_edf_stream *a = qos_add(OWNER);
	u64 since_ns = qos_now_ns;

	missed_after(a, since_ns, 11 * S);
	missed_after(a, since_ns, 12 * S);
	assert_false(edf_is_strained(a));
	/* the account is full after as many windows as one that is missed costs */
	windows(a, WINDOWS_A_MISS + 2 * WINDOWS_A_MISS - 1, 0);
	missed_after(a, since_ns + 500 * S, 11 * S);
	assert_false(edf_is_strained(a));
	missed_after(a, since_ns + 500 * S, 12 * S);
	assert_true(edf_is_strained(a));
	windows(a, (1 + 1 + 2) * WINDOWS_A_MISS, 0);
	missed_after(a, since_ns + 1000 * S, 11 * S);
	missed_after(a, since_ns + 1000 * S, 12 * S);
	missed_after(a, since_ns + 1000 * S, 13 * S);
	assert_false(edf_is_strained(a));
}

static void not_what_was_missed_before_that(void **state)
{
	struct ssdqos_edf_stream *a = qos_add(OWNER);

	windows(a, 0, 1);
	missed_after(a, qos_now_ns, 11 * S);
	assert_true(edf_is_strained(a));
	windows(a, WINDOWS_A_MISS, 0);
	assert_false(edf_is_strained(a));
}

static void nor_in_between(void **state)
{
	struct ssdqos_edf_stream *a = qos_add(OWNER);
	u64 since_ns = qos_now_ns;

	missed_after(a, since_ns, 5 * S);
	missed_after(a, since_ns + S, 11 * S);
	assert_true(edf_is_strained(a));
	windows(a, WINDOWS_A_MISS, 0);
	assert_false(edf_is_strained(a));
}

static void a_new_promise_begins_anew(void **state)
{
	struct ssdqos_edf_stream *a = qos_add(OWNER);

	windows(a, 0, 1);
	assert_int_equal(qos_set(a, "util_ppm=400000"), 0);
	assert_false(edf_is_strained(a));
}

static void it_can_be_switched_off(void **state)
{
	struct ssdqos_edf_stream *a = qos_add(OWNER);

	windows(a, 0, 1);
	qos_edf->cfg.drive_budget = 0;
	assert_false(edf_is_strained(a));
}

/* The client had a request the whole window, and the drive kept it. */
static void windows_that_are_watched_are_counted(void **state)
{
	struct ssdqos_edf_stream *a = qos_add(OWNER);

	qos_read(a);
	qos_now_ns = a->watch.start_ns + S;
	qos_complete(qos_last_sent());
	assert_int_equal(a->stats.windows_missed, 1);
	assert_true(edf_is_strained(a));
}

/* Ends a step of the debt in which an owner got twice its promise, while writes were held. */
static void plenty(struct ssdqos_edf_stream *owner)
{
	owner->step_work_ns = STEP;
	owner->step_idle_ns = 0;
	qos_asks(owner, true);
	qos_edf->debt.held = true;
	qos_edf->debt.step_ns = qos_now_ns;
	qos_at(qos_since(qos_now_ns) + STEP);
	edf_debt_end_step(qos_edf, qos_now_ns);
	qos_asks(owner, false);
}

static void the_debt_does_not_try_again_what_was_lacked_with(void **state)
{
	struct ssdqos_edf_stream *a = qos_add(OWNER);
	u32 known = qos_edf->debt.factor;

	qos_edf->debt.known = known;
	windows(a, 0, 1);
	for (int i = 0; i < 100; i++)
		plenty(a);
	assert_int_equal(qos_edf->debt.factor, known);
	windows(a, WINDOWS_A_MISS, 0);
	for (int i = 0; i < 100; i++)
		plenty(a);
	assert_true(qos_edf->debt.factor > known);
}

static void up_to_there_it_does(void **state)
{
	struct ssdqos_edf_stream *a = qos_add(OWNER);
	u32 known = qos_edf->debt.factor;

	qos_edf->debt.known = known;
	qos_edf->debt.factor = known / 2;
	windows(a, 0, 1);
	for (int i = 0; i < 100; i++)
		plenty(a);
	assert_in_range(qos_edf->debt.factor, known, known + known / 64);
}

/* Ends a step of the pace in which so much of the device time was spare. */
static void pace(u64 sent_ppm, bool behind)
{
	struct ssdqos_pace *p = &qos_edf->pace;

	p->sent_ns = PACE_STEP * sent_ppm / 1000000;
	p->behind = behind;
	qos_now_ns = p->step_ns + PACE_STEP;
	edf_pace_end_step(qos_edf, qos_now_ns);
}

/* An owner is behind once beside 400,000 ppm, and strained for it or not; 10 s later: */
static u64 rate_after(struct ssdqos_edf_stream *a, bool strained)
{
	if (strained)
		windows(a, 0, 1);
	qos_edf->pace.seen_ppm = 400000;
	pace(400000, true);
	plenty(a);
	for (int i = 0; i < 1000; i++)
		pace(min(qos_edf->pace.rate_ppm, 400000ULL), false);
	return qos_edf->pace.rate_ppm;
}

static void the_pace_stays_below_what_an_owner_fell_behind_with(void **state)
{
	struct ssdqos_edf_stream *a = qos_add(OWNER);
	u64 rate_ppm;

	assert_int_equal(rate_after(a, true), 300000);
	/* again with that */
	pace(300000, true);
	for (int i = 0; i < 1000; i++)
		pace(300000, false);
	rate_ppm = qos_edf->pace.rate_ppm;
	assert_in_range(rate_ppm, 225000, 270000);
	/* on its way up: that tells less */
	pace(200000, true);
	pace(100000, false);
	pace(100000, true);
	assert_true(qos_edf->pace.rate_ppm < 100000);
	for (int i = 0; i < 1000; i++)
		pace(100000, false);
	assert_in_range(qos_edf->pace.rate_ppm, rate_ppm / 2, rate_ppm * 95 / 100);
}

static void it_tries_again_if_nobody_is_strained(void **state)
{
	assert_int_equal(rate_after(qos_add(OWNER), false), SSDQOS_PACE_FREE);
}

static void without_a_profile_the_pace_tries_again(void **state)
{
	struct ssdqos_edf_stream *a = qos_add(OWNER);

	assert_int_equal(qos_set_profile(NULL), 0);
	assert_int_equal(rate_after(a, true), SSDQOS_PACE_FREE);
	assert_true(qos_edf->debt.strained);
	/* and what was seen with costs that are no times is not known of a profile's */
	assert_int_equal(qos_set_profile(QOS_PROFILE), 0);
	for (int i = 0; i < 1000; i++)
		pace(min(qos_edf->pace.rate_ppm, 400000ULL), false);
	assert_int_equal(qos_edf->pace.rate_ppm, SSDQOS_PACE_FREE);
}

static void nor_does_it_heed_what_a_profile_has_taught_that_is_gone(void **state)
{
	assert_int_equal(rate_after(qos_add(OWNER), true), 300000);
	assert_int_equal(qos_set_profile(NULL), 0);
	for (int i = 0; i < 1000; i++)
		pace(min(qos_edf->pace.rate_ppm, 400000ULL), false);
	assert_int_equal(qos_edf->pace.rate_ppm, SSDQOS_PACE_FREE);
}

static void the_least_rate_is_left(void **state)
{
	struct ssdqos_edf_stream *a = qos_add(OWNER);

	windows(a, 0, 1);
	plenty(a);
	for (int i = 0; i < 100; i++)
		pace(0, i & 1);
	assert_true(qos_edf->pace.rate_ppm >= qos_edf->group_ppm);
}

/* A drive that stands still for a minute has owners late whatever others send. */
static void a_rate_at_its_least_tells_nothing(void **state)
{
	struct ssdqos_edf_stream *a = qos_add(OWNER);

	assert_int_equal(rate_after(a, true), 300000);
	for (int i = 0; i < 20; i++)
		pace(10000, true);
	assert_int_not_equal(qos_edf->pace.least_since_ns, 0);
	for (int i = 0; i < 1000; i++)
		pace(10000, i % 10 < 5);
	assert_int_not_equal(qos_edf->pace.least_since_ns, 0);
	for (int i = 0; i < 1000; i++)
		pace(qos_edf->pace.rate_ppm, false);
	assert_in_range(qos_edf->pace.rate_ppm, 200000, 300000);
	assert_int_equal(qos_edf->pace.least_since_ns, 0);
}

static void an_owner_that_is_away_strains_nobody(void **state)
{
	struct ssdqos_edf_stream *a = qos_add(OWNER);

	windows(a, 0, 1);
	plenty(a);
	assert_true(qos_edf->debt.strained);
	qos_at(qos_since(qos_now_ns) + STEP);
	edf_debt_end_step(qos_edf, qos_now_ns);
	assert_false(qos_edf->debt.strained);
}

#define TEST(name) cmocka_unit_test_setup_teardown(name, setup, qos_finish)

int main(void)
{
	const struct CMUnitTest tests[] = {
		TEST(a_missed_window_is_made_up_for_by_half_of_what_may_be_missed),
		TEST(one_miss_after_a_good_time_costs_nothing),
		TEST(a_bad_time_is_not_held_against_others_for_ever),
		TEST(of_windows_that_slide_eight_are_one),
		TEST(what_the_drive_misses_by_itself_is_given_back),
		TEST(what_was_given_back_is_earned_before_there_is_more),
		TEST(not_what_was_missed_before_that),
		TEST(nor_in_between),
		TEST(a_new_promise_begins_anew),
		TEST(it_can_be_switched_off),
		TEST(windows_that_are_watched_are_counted),
		TEST(the_debt_does_not_try_again_what_was_lacked_with),
		TEST(up_to_there_it_does),
		TEST(the_pace_stays_below_what_an_owner_fell_behind_with),
		TEST(it_tries_again_if_nobody_is_strained),
		TEST(without_a_profile_the_pace_tries_again),
		TEST(nor_does_it_heed_what_a_profile_has_taught_that_is_gone),
		TEST(the_least_rate_is_left),
		TEST(a_rate_at_its_least_tells_nothing),
		TEST(an_owner_that_is_away_strains_nobody),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
