// SPDX-License-Identifier: GPL-2.0
/*
 * What spare writes have of the time of owners that are away, after those that came back have missed windows.
 */
#include "qos_helper.h"
#include "../../dm-ssdqos/core/qos/internal.h"

/* Half of the device, so spare writes have the other half, and all of it while the owner is away. */
#define OWNER "util_ppm=500000 window_ms=1000 confidence_permille=990 "
#define LEFT_PPM 500000
#define ALL_PPM 1000000
#define STEP (500 * MS)
#define DOUBLES_STEPS 178
/* The highest part that is a trial. */
#define TRIED (EDF_DEBT_ONE - 1)
/* One window that is missed pays for itself in 2 / (1 - c) of them. */
#define WINDOWS_A_MISS 200

static struct ssdqos_edf_stream *a, *b;

static int setup(void **state)
{
	qos_start(QOS_PROFILE);
	qos_edf->cfg.drive_debt = 1;
	/* a rule of its own (test_qos_lend.c) */
	qos_edf->cfg.drive_lend = 0;
	a = qos_add(OWNER);
	b = qos_add("");
	return 0;
}

/* A step ends in which the owner has no requests. */
static void step(void)
{
	qos_at(qos_since(qos_now_ns) + STEP);
	edf_steps(qos_edf, qos_now_ns);
}

static void comes_back(void)
{
	qos_read(a);
	qos_complete(qos_last_sent());
}

/* The owner has been there, and then is away, and somebody else writes or doesn't. */
static void is_away(bool writes)
{
	comes_back();
	step();
	step();
	if (!writes)
		return;
	assert_int_equal(qos_write(b), SSDQOS_EDF_GO);
	qos_complete(qos_last_sent());
}

static void ends(const struct ssdqos_watch_count *count)
{
	edf_budget_count(a, count);
	edf_away_windows(a, count);
}

/* It ends, and the owner has got so much of its promise. */
static void window(u64 got_pct)
{
	const struct ssdqos_watch_count count = { .met = got_pct >= 100, .missed = got_pct < 100 };

	a->watch.counted = a->watch.promise.amount * got_pct / 100;
	ends(&count);
}

static void idle_window(void)
{
	const struct ssdqos_watch_count count = { .idle = 1 };

	ends(&count);
}

static void windows_met(u32 nr)
{
	while (nr--)
		window(100);
}

static u64 left_while_away_ppm(void)
{
	is_away(false);
	return qos_edf->debt.rate_ppm;
}

static void assert_all_is_left(void)
{
	assert_int_equal(left_while_away_ppm(), ALL_PPM);
}

/* Of what its being away adds, others have so much. */
static void assert_left_pct(u32 pct)
{
	u64 ppm = LEFT_PPM + (ALL_PPM - LEFT_PPM) * pct / 100;

	assert_in_range(left_while_away_ppm(), ppm * 99 / 100, ppm * 101 / 100);
}

/* It comes back after others have written with so much of what it left at the most, and gets so much of its promise. */
static void returns_after(u32 most_part, u64 got_pct)
{
	is_away(true);
	comes_back();
	qos_edf->debt.away.part = min(qos_edf->debt.away.part, most_part);
	window(got_pct);
}

static void returns_first(u64 got_pct)
{
	returns_after(EDF_DEBT_ONE, got_pct);
}

static void returns(u64 got_pct)
{
	returns_after(TRIED, got_pct);
}

static void others_have_all_that_an_owner_leaves(void **state)
{
	returns(100);
	assert_all_is_left();
}

static void they_have_as_much_less_as_it_lacked_when_it_came_back(void **state)
{
	returns(40);
	assert_left_pct(40);
	returns(50);
	assert_left_pct(20);
}

static void from_all_of_it_they_fall_far(void **state)
{
	returns_first(99);
	assert_left_pct(12);
	returns_first(99);
	assert_left_pct(6);
}

static void where_less_is_left_yet_it_is_less_still(void **state)
{
	returns_first(7);
	assert_left_pct(7);
}

static void a_window_missed_by_little_costs_them_half(void **state)
{
	returns(99);
	assert_left_pct(50);
}

static void they_never_have_nothing(void **state)
{
	returns(0);
	assert_left_pct(6);
	returns(0);
	assert_left_pct(6);
}

static void beside_the_owner_they_have_what_they_had(void **state)
{
	returns(40);
	comes_back();
	step();
	assert_int_equal(qos_edf->debt.rate_ppm, LEFT_PPM);
}

static void only_the_first_window_that_counts_is_asked(void **state)
{
	is_away(true);
	comes_back();
	idle_window();
	window(100);
	window(40);
	assert_all_is_left();
	windows_met(2 * WINDOWS_A_MISS);
	window(40);
	is_away(true);
	comes_back();
	idle_window();
	window(40);
	assert_left_pct(12);
}

static void who_finds_the_drive_as_he_left_it_blames_nobody(void **state)
{
	is_away(false);
	comes_back();
	window(40);
	assert_all_is_left();
}

static void what_the_promise_may_miss_costs_nothing(void **state)
{
	windows_met(WINDOWS_A_MISS);
	returns(40);
	assert_all_is_left();
	returns(40);
	assert_left_pct(40);
}

static void steps(u32 nr)
{
	while (nr--)
		step();
}

static void it_comes_back_while_nobody_has_missed_too_much(void **state)
{
	returns(40);
	steps(DOUBLES_STEPS);
	assert_left_pct(40);
	comes_back();
	windows_met(WINDOWS_A_MISS);
	is_away(false);
	steps(DOUBLES_STEPS);
	assert_left_pct(80);
	steps(DOUBLES_STEPS);
	assert_all_is_left();
}

static void who_does_not_come_back_is_not_waited_for(void **state)
{
	returns(40);
	is_away(false);
	steps(1100);
	assert_int_equal(qos_edf->debt.rate_ppm, LEFT_PPM + (ALL_PPM - LEFT_PPM) * 408ULL / 1024);
	steps(100 + 2 * DOUBLES_STEPS);
	assert_int_equal(qos_edf->debt.rate_ppm, ALL_PPM);
}

static void while_all_are_there_it_stays(void **state)
{
	returns(40);
	windows_met(WINDOWS_A_MISS);
	for (int i = 0; i < DOUBLES_STEPS; i++) {
		comes_back();
		step();
	}
	assert_left_pct(40);
}

static void it_can_be_switched_off(void **state)
{
	returns(40);
	qos_edf->cfg.drive_away = 0;
	assert_all_is_left();
	returns(40);
	qos_edf->cfg.drive_away = 1;
	assert_left_pct(40);
}

/* The first window after the pause has a request all the time, and the drive keeps it. */
static void windows_that_are_watched_are_asked(void **state)
{
	is_away(true);
	qos_now_ns = a->watch.start_ns + 2 * S;
	qos_read(a);
	qos_now_ns += S + 1;
	qos_complete(qos_last_sent());
	assert_int_equal(a->stats.windows_missed, 1);
	assert_left_pct(6);
}

static u32 told(struct ssdqos_debt_change *change)
{
	assert_true(ssdqos_edf_take_debt_change(qos_edf, qos_now_ns, change));
	return change->why;
}

static void it_is_told(void **state)
{
	struct ssdqos_debt_change change;

	returns(100);
	is_away(false);
	assert_int_equal(told(&change), SSDQOS_DEBT_WHY_LOAD_CHANGED);
	assert_int_equal(change.away_permille, 1000);
	returns(40);
	is_away(false);
	assert_int_equal(told(&change), SSDQOS_DEBT_WHY_RETURN_LACK);
	assert_in_range(change.away_permille, 397, 401);
	assert_in_range(change.room_ppm, 699000, 701000);
	comes_back();
	windows_met(WINDOWS_A_MISS);
	is_away(false);
	step();
	assert_int_equal(told(&change), SSDQOS_DEBT_WHY_AWAY);
	assert_in_range(change.away_permille, 401, 410);
}

#define TEST(name) cmocka_unit_test_setup_teardown(name, setup, qos_finish)

int main(void)
{
	const struct CMUnitTest tests[] = {
		TEST(others_have_all_that_an_owner_leaves),
		TEST(they_have_as_much_less_as_it_lacked_when_it_came_back),
		TEST(from_all_of_it_they_fall_far),
		TEST(where_less_is_left_yet_it_is_less_still),
		TEST(a_window_missed_by_little_costs_them_half),
		TEST(they_never_have_nothing),
		TEST(beside_the_owner_they_have_what_they_had),
		TEST(only_the_first_window_that_counts_is_asked),
		TEST(who_finds_the_drive_as_he_left_it_blames_nobody),
		TEST(what_the_promise_may_miss_costs_nothing),
		TEST(it_comes_back_while_nobody_has_missed_too_much),
		TEST(who_does_not_come_back_is_not_waited_for),
		TEST(while_all_are_there_it_stays),
		TEST(it_can_be_switched_off),
		TEST(windows_that_are_watched_are_asked),
		TEST(it_is_told),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
