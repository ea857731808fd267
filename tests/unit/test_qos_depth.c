// SPDX-License-Identifier: GPL-2.0
/*
 * The drive gets fewer requests at a time while an owner waits in it behind others.
 */
#include "qos_helper.h"
#include "../../dm-ssdqos/core/qos/internal.h"

/* As fast with four at a time as with more: 100 us for 4 KiB, 250 us for 16 KiB. */
#define PROFILE								\
	"ssdqos-profile 1 window_ms 1000 "				\
	"cost read rand 4096 1 990 400000 "				\
	"cost read rand 4096 4 990 100000 "				\
	"cost read rand 4096 32 990 100000 "				\
	"cost read rand 16384 1 990 1000000 "				\
	"cost read rand 16384 4 990 250000 "				\
	"cost read rand 16384 32 990 250000 "				\
	"cost write rand 4096 1 990 400000 "				\
	"cost write rand 4096 32 990 400000 "

#define OF_A_SECOND " window_ms=1000 confidence_permille=990 "
#define MOST "min_iops=9000" OF_A_SECOND
#define LITTLE "min_iops=1000" OF_A_SECOND
#define STEP (10 * MS)
#define DEPTH 32
#define ENOUGH_STEPS 100

static int setup(void **state)
{
	qos_start(PROFILE);
	qos_edf->cfg.drive_narrow = 1;
	return 0;
}

static int setup_without_profile(void **state)
{
	qos_start(NULL);
	qos_edf->cfg.drive_narrow = 1;
	return 0;
}

/* Ends a step of the pace. */
static void step(bool crowded)
{
	struct ssdqos_pace *p = &qos_edf->pace;

	qos_edf->depth.crowded = crowded;
	p->behind = crowded;
	p->step_ns = qos_now_ns;
	qos_now_ns += STEP;
	edf_pace_end_step(qos_edf, qos_now_ns);
}

static void steps(u32 nr, bool crowded)
{
	while (nr--)
		step(crowded);
}

static void with_the_least_depth_all_promises_fit(void **state)
{
	struct ssdqos_edf_stream *a = qos_add(LITTLE);

	/* 400 us with one at a time is 40 %, and nothing else is promised */
	assert_int_equal(qos_edf->depth.least, 1);
	qos_set(a, MOST);
	assert_int_equal(qos_edf->depth.least, 4);
	qos_set(a, "min_iops=0");
	assert_int_equal(qos_edf->depth.least, DEPTH);
}

static void what_others_own_counts(void **state)
{
	struct ssdqos_edf_stream *a = qos_add(LITTLE);

	qos_add("min_iops=2000 block_bytes=16384" OF_A_SECOND);
	assert_int_equal(qos_edf->depth.least, 4);
	ssdqos_edf_remove(a);
	qos_streams[0].edf = NULL;
	/* 500,000 ppm alone: of 16 KiB, twice as long is too much, too */
	assert_int_equal(qos_edf->depth.least, 4);
}

static void a_client_with_one_at_a_time_costs_the_same_at_any_depth(void **state)
{
	qos_add("min_iops=2400 iodepth=1" OF_A_SECOND);
	assert_int_equal(qos_edf->depth.least, 1);
}

static void another_depth_of_the_drive_is_reckoned_anew(void **state)
{
	struct ssdqos_edf_stream *a = qos_add(MOST);

	qos_set(a, "drive_queue_depth=2 drive_overcommit=on");
	assert_int_equal(qos_edf->depth.now, 2);
	assert_int_equal(qos_edf->depth.least, 2);
	qos_set(a, "drive_queue_depth=64");
	assert_int_equal(qos_edf->depth.now, 64);
	assert_int_equal(qos_edf->depth.least, 4);
}

static void it_does_not_fall_below_three(void **state)
{
	qos_add(LITTLE);
	assert_int_equal(qos_edf->depth.least, 1);
	qos_edf->pace.rate_ppm = qos_edf->group_ppm;
	steps(ENOUGH_STEPS, true);
	assert_int_equal(qos_edf->depth.now, 3);
}

static void without_a_profile_it_stays(void **state)
{
	qos_add("util_ppm=100000" OF_A_SECOND);
	steps(ENOUGH_STEPS, true);
	assert_int_equal(qos_edf->depth.now, DEPTH);
}

/* As this profile has 32 at a time only, fewer might be slower. */
static void what_was_not_measured_is_not_tried(void **state)
{
	assert_int_equal(qos_set_profile(QOS_PROFILE_OF("32")), 0);
	qos_add(LITTLE);
	steps(ENOUGH_STEPS, true);
	assert_int_equal(qos_edf->depth.now, DEPTH);
}

static void with_too_much_promised_it_stays(void **state)
{
	qos_add("min_iops=20000 drive_overcommit=on" OF_A_SECOND);
	steps(ENOUGH_STEPS, true);
	assert_int_equal(qos_edf->depth.now, DEPTH);
}

static void it_falls_to_the_least_and_comes_back(void **state)
{
	u32 before;

	qos_add(MOST);
	steps(ENOUGH_STEPS, true);
	assert_int_equal(qos_edf->depth.now, 4);
	before = qos_edf->depth.now;
	step(false);
	assert_int_equal(qos_edf->depth.now, before + 1);
	steps(ENOUGH_STEPS, false);
	assert_int_equal(qos_edf->depth.now, DEPTH);
}

static void spare_work_is_held_back_first(void **state)
{
	qos_add(MOST);
	step(true);
	assert_true(qos_edf->pace.rate_ppm == qos_edf->group_ppm);
	assert_true(qos_edf->depth.now < DEPTH);
	steps(ENOUGH_STEPS, false);
	qos_edf->pace.sent_ns = STEP;
	step(true);
	assert_true(qos_edf->pace.rate_ppm > qos_edf->group_ppm);
	assert_int_equal(qos_edf->depth.now, DEPTH);
}

static void it_can_be_switched_off(void **state)
{
	qos_add(MOST "drive_narrow=off");
	steps(ENOUGH_STEPS, true);
	assert_int_equal(qos_edf->depth.now, DEPTH);
}

static void the_drive_gets_no_more(void **state)
{
	struct ssdqos_edf_stream *a = qos_add(MOST);
	u32 i;

	step(false);
	qos_edf->depth.now = 4;
	for (i = 0; i < 4; i++)
		assert_int_equal(qos_read(a), SSDQOS_EDF_GO);
	assert_int_equal(qos_read(a), SSDQOS_EDF_WAIT);
	qos_complete(qos_oldest());
	assert_ptr_equal(qos_next(), a);
}

/* Has the drive so many of each when the first is behind: is it because of the second? */
static bool crowds(u32 own, u32 others)
{
	struct ssdqos_edf_stream *a = &qos_streams[0];

	a->in_flight = own;
	qos_edf->in_flight = own + others;
	edf_depth_behind(a);
	a->in_flight = qos_edf->in_flight = 0;
	return qos_edf->depth.crowded;
}

static void whose_own_requests_fill_the_drive_waits_for_nobody(void **state)
{
	qos_add(MOST);
	assert_false(crowds(16, 16));
	assert_false(crowds(1, 0));
	assert_true(crowds(2, 30));
}

static void an_owner_that_waits_here_gets_all_of_it_back(void **state)
{
	struct ssdqos_edf_stream *a = qos_add(MOST);
	u32 i;

	step(false);
	qos_edf->depth.now = 4;
	for (i = 0; i < 5; i++)
		qos_read(a);
	assert_int_equal(a->queued, 1);
	step(true);
	assert_int_equal(qos_edf->depth.now, 4);
	/* a second later its deadline is long over, and it still waits */
	qos_now_ns += S;
	step(true);
	assert_int_equal(qos_edf->depth.now, DEPTH);
}

/* A window that slides is granted more than it pays for; not while that is in somebody's way. */
static void with_the_least_depth_nobody_is_granted_more(void **state)
{
	struct ssdqos_edf_stream *a;

	qos_edf->cfg.drive_lead = 1;
	a = qos_add(MOST "windows=sliding");
	assert_true(edf_lead_more_ns(a, MS) > 0);
	steps(ENOUGH_STEPS, true);
	assert_int_equal(edf_lead_more_ns(a, MS), 0);
	step(false);
	assert_true(edf_lead_more_ns(a, MS) > 0);
}

static void who_misses_windows_keeps_what_it_is_granted(void **state)
{
	struct ssdqos_edf_stream *a;

	qos_edf->cfg.drive_lead = 1;
	a = qos_add(MOST "windows=sliding");
	steps(ENOUGH_STEPS, true);
	edf_budget_count(a, &(struct ssdqos_watch_count){ .missed = 1 });
	a->budget.left = 0;
	assert_int_equal(edf_lead_more_ns(a, MS), 0);
	a->budget.left = -1;
	assert_true(edf_lead_more_ns(a, MS) > 0);
}

/* ---- a client with two at a time beside another owner with 32 ---- */

static struct ssdqos_edf_stream *shallow, *deep;

static void again(struct ssdqos_edf_stream *s, struct ssdqos_edf_req *req)
{
	qos_submit(s, SSDQOS_EDF_KIND_READ, s == deep ? 16384 : 4096, 0);
}

/* ... which keeps what it is granted if it missed a window lately. */
static u64 missed_beside_another_owner(const char *words, bool missed_before)
{
	u32 i;

	/* with that the other owner has 111 % of what it was promised, and the drive is full */
	qos_edf->cfg.drive_lead = 1;
	shallow = qos_add("min_iops=1500 iodepth=4" OF_A_SECOND);
	deep = qos_add("min_iops=3300 block_bytes=16384 windows=sliding" OF_A_SECOND);
	qos_set(deep, words);
	if (missed_before)
		edf_budget_count(deep, &(struct ssdqos_watch_count){ .missed = 1 });
	for (i = 0; i < 2; i++)
		again(shallow, NULL);
	for (i = 0; i < DEPTH; i++)
		again(deep, NULL);
	qos_serve(qos_now_ns + 20 * S, again);
	assert_int_equal(deep->stats.windows_missed, 0);
	assert_true(shallow->stats.windows >= 19);
	return shallow->stats.windows_missed;
}

static void a_shallow_client_gets_what_it_was_promised(void **state)
{
	assert_in_range(missed_beside_another_owner("", true), 0, 1);
}

static void or_where_the_other_one_can_do_without_a_grant(void **state)
{
	assert_in_range(missed_beside_another_owner("drive_narrow=off", false), 0, 1);
}

static void it_would_not_without_either(void **state)
{
	assert_in_range(missed_beside_another_owner("drive_narrow=off", true), 10, 20);
}

#define TEST(name) cmocka_unit_test_setup_teardown(name, setup, qos_finish)

int main(void)
{
	const struct CMUnitTest tests[] = {
		TEST(it_does_not_fall_below_three),
		TEST(with_the_least_depth_all_promises_fit),
		TEST(what_others_own_counts),
		TEST(a_client_with_one_at_a_time_costs_the_same_at_any_depth),
		TEST(another_depth_of_the_drive_is_reckoned_anew),
		cmocka_unit_test_setup_teardown(without_a_profile_it_stays, setup_without_profile, qos_finish),
		TEST(what_was_not_measured_is_not_tried),
		TEST(with_too_much_promised_it_stays),
		TEST(it_falls_to_the_least_and_comes_back),
		TEST(spare_work_is_held_back_first),
		TEST(it_can_be_switched_off),
		TEST(the_drive_gets_no_more),
		TEST(whose_own_requests_fill_the_drive_waits_for_nobody),
		TEST(an_owner_that_waits_here_gets_all_of_it_back),
		TEST(with_the_least_depth_nobody_is_granted_more),
		TEST(who_misses_windows_keeps_what_it_is_granted),
		TEST(a_shallow_client_gets_what_it_was_promised),
		TEST(or_where_the_other_one_can_do_without_a_grant),
		TEST(it_would_not_without_either),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
