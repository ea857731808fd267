// SPDX-License-Identifier: GPL-2.0
/*
 * What the drive owes a client whose requests it kept: cut off by the idle rule, paid in spare time;
 * and who is behind, so that spare work is paced.
 */
#include "qos_helper.h"

/* Half of the device: 4 KiB take 200 us of the owner's time. */
#define OWNER "util_ppm=500000 window_ms=2000 drive_credit_ms=0 "
#define OWN_NS (200 * US)

/* An owner whose request was in the drive for 700 ms. */
static struct ssdqos_edf_stream *delayed(const char *words)
{
	struct ssdqos_edf_stream *a = qos_add(words);

	qos_at(0);
	qos_read(a);
	qos_at(700 * MS);
	qos_complete(qos_oldest());
	assert_int_equal(qos_read(a), SSDQOS_EDF_GO);
	assert_int_equal(qos_last_sent()->decision, SSDQOS_EDF_RESERVED);
	return a;
}

static void time_in_the_drive_is_owed(void **state)
{
	struct ssdqos_edf_stream *a = delayed(OWNER);

	assert_int_equal(a->owed_ns, 700 * MS - OWN_NS);
	assert_int_equal(a->start_ns, qos_now_ns + OWN_NS);
}

static void nothing_is_owed_where_that_is_off(void **state)
{
	struct ssdqos_edf_stream *a = delayed(OWNER "drive_owe=off ");

	assert_int_equal(a->owed_ns, 0);
	assert_int_equal(a->start_ns, qos_now_ns + OWN_NS);
}

static void it_is_paid_without_a_charge(void **state)
{
	struct ssdqos_edf_stream *a = delayed(OWNER);
	u64 virtual_ns = a->virtual_ns;

	assert_int_equal(qos_read(a), SSDQOS_EDF_GO);
	assert_int_equal(qos_last_sent()->decision, SSDQOS_EDF_OWED);
	assert_int_equal(a->owed_ns, 700 * MS - 2 * OWN_NS);
	assert_int_equal(a->start_ns, qos_now_ns + OWN_NS);
	assert_int_equal(a->virtual_ns, virtual_ns);
}

static void idle_time_is_not_owed(void **state)
{
	struct ssdqos_edf_stream *a = qos_add(OWNER);

	qos_at(0);
	qos_read(a);
	qos_at(1 * MS);
	qos_complete(qos_oldest());
	qos_at(700 * MS);
	qos_read(a);
	assert_int_equal(a->owed_ns, 1 * MS - OWN_NS);
}

static void no_more_than_a_window_is_owed(void **state)
{
	struct ssdqos_edf_stream *a = qos_add(OWNER);

	qos_at(0);
	qos_read(a);
	qos_at(5000 * MS);
	qos_read(a);
	assert_int_equal(a->owed_ns, 2000 * MS);
}

static void after_a_window_of_idleness_nothing_is_owed(void **state)
{
	struct ssdqos_edf_stream *a = delayed(OWNER);

	qos_complete(qos_oldest());
	qos_at(2701 * MS);
	qos_read(a);
	assert_int_equal(a->owed_ns, 0);
	qos_read(a);
	assert_int_equal(qos_last_sent()->decision, SSDQOS_EDF_SPARE);
}

static void a_new_promise_owes_nothing(void **state)
{
	struct ssdqos_edf_stream *a = delayed(OWNER);

	assert_int_equal(qos_set(a, "util_ppm=400000"), 0);
	assert_int_equal(a->owed_ns, 0);
}

/* b would be first by its weight; what is owed to a goes before spare time. */
static void it_is_paid_before_spare_time(void **state)
{
	struct ssdqos_edf_stream *a = delayed(OWNER "drive_queue_depth=1");
	struct ssdqos_edf_stream *b = qos_add("weight=10000");

	/* what all without a guarantee own is used up, and b had spare time before */
	b->virtual_ns = QOS_READ_NS;
	b->edf->group_start_ns = qos_now_ns + S;
	assert_int_equal(qos_read(b), SSDQOS_EDF_WAIT);
	assert_int_equal(qos_read(a), SSDQOS_EDF_WAIT);
	qos_complete(qos_oldest());
	assert_ptr_equal(qos_next(), a);
	assert_int_equal(qos_last_sent()->decision, SSDQOS_EDF_OWED);
}

/* ... but not before what another owner may have now. */
static void it_disturbs_no_guarantee(void **state)
{
	struct ssdqos_edf_stream *a = delayed(OWNER "drive_queue_depth=1");
	struct ssdqos_edf_stream *c = qos_add("util_ppm=100000");

	assert_int_equal(qos_read(a), SSDQOS_EDF_WAIT);
	assert_int_equal(qos_read(c), SSDQOS_EDF_WAIT);
	qos_complete(qos_oldest());
	assert_ptr_equal(qos_next(), c);
	assert_int_equal(qos_last_sent()->decision, SSDQOS_EDF_RESERVED);
}

static void strictness_does_not_keep_it_back(void **state)
{
	struct ssdqos_edf_stream *a = delayed(OWNER "drive_mode=strict");

	assert_int_equal(qos_read(a), SSDQOS_EDF_GO);
	assert_int_equal(qos_last_sent()->decision, SSDQOS_EDF_OWED);
}

/* ---- pacing ---- */

/* Later than can be made up for: the credit is 100 ms, half of that is in time. */
#define PACED OWNER "drive_credit_ms=100"
/* A step of the pacing, and how long who is behind has been late. */
#define STEP_NS (10 * MS)
#define LATE_NS (5 * MS)

/* Somebody else, who has always something to do. */
static struct ssdqos_edf_stream *busy_neighbour(void)
{
	struct ssdqos_edf_stream *b = qos_add("");

	qos_write(b);
	return b;
}

/* Another request of an owner, sent after some time in which the drive kept the one before. */
static void kept_for(struct ssdqos_edf_stream *a, u64 ns)
{
	struct ssdqos_edf_stream *s;

	qos_now_ns += ns;
	do {
		s = qos_oldest()->stream;
		qos_complete(qos_oldest());
		if (s != a)
			qos_write(s);
	} while (s != a);
	qos_read(a);
}

/* It is late by what the drive does, but nobody else has work there. */
static void alone_nobody_is_behind(void **state)
{
	struct ssdqos_edf_stream *a = delayed(PACED);

	kept_for(a, LATE_NS);
	kept_for(a, STEP_NS);
	kept_for(a, STEP_NS);
	assert_false(a->edf->pace.behind);
	assert_true(a->edf->pace.rate_ppm == SSDQOS_PACE_FREE);
}

/* As it is behind a drive's buffer: no write is under way for long. */
static void who_was_there_a_step_ago_counts(void **state)
{
	struct ssdqos_edf_stream *a = delayed(PACED);
	struct ssdqos_edf_stream *b = qos_add("");

	kept_for(a, STEP_NS);
	qos_write(b);
	qos_complete(qos_last_sent());
	kept_for(a, STEP_NS);
	kept_for(a, STEP_NS - 1);
	assert_true(a->edf->pace.behind);
	kept_for(a, 1);
	kept_for(a, STEP_NS);
	assert_false(a->edf->pace.behind);
}

static void nobody_is_slowed_down_where_that_is_off(void **state)
{
	struct ssdqos_edf_stream *b = busy_neighbour();
	struct ssdqos_edf_stream *a = delayed(PACED " drive_pace=off");

	kept_for(a, LATE_NS);
	qos_now_ns += STEP_NS;
	assert_int_equal(qos_read(b), SSDQOS_EDF_GO);
	assert_true(a->edf->pace.rate_ppm == SSDQOS_PACE_FREE);
}

/* Spare work slows down while an owner with nothing waiting is late, and stays late for a while. */
static void an_owner_behind_slows_spare_work_down(void **state)
{
	struct ssdqos_edf_stream *b = busy_neighbour();
	struct ssdqos_edf_stream *a = delayed(PACED);

	kept_for(a, LATE_NS - 1);
	assert_false(a->edf->pace.behind);
	kept_for(a, 1);
	assert_true(a->edf->pace.behind);
	assert_true(a->edf->pace.rate_ppm == SSDQOS_PACE_FREE);
	qos_now_ns += STEP_NS;
	qos_read(b);
	assert_true(a->edf->pace.rate_ppm < SSDQOS_PACE_FREE / 2);
	assert_int_equal(qos_read(b), SSDQOS_EDF_WAIT);
	assert_int_equal(ssdqos_edf_why(b, qos_now_ns), SSDQOS_EDF_WAITS_PACE);
}

/* An owner whose request took long once, and which has made up for it since. */
static struct ssdqos_edf_stream *caught_up(void)
{
	struct ssdqos_edf_stream *a = qos_add(PACED);
	u32 requests = 190 * MS / OWN_NS;

	qos_at(0);
	busy_neighbour();
	qos_read(a);
	kept_for(a, 190 * MS);
	assert_int_equal(a->late_since_ns, qos_now_ns);
	while (requests-- && a->late_since_ns)
		kept_for(a, 4 * US);
	assert_int_equal(a->late_since_ns, 0);
	return a;
}

/* As it is for a client that lost the CPU with a request sent, while the drive had nothing to do. */
static void who_makes_up_for_it_is_not_behind(void **state)
{
	struct ssdqos_edf_stream *a = caught_up();

	kept_for(a, STEP_NS);
	assert_false(a->edf->pace.behind);
	assert_true(a->edf->pace.rate_ppm == SSDQOS_PACE_FREE);
}

static void each_delay_counts_for_itself(void **state)
{
	struct ssdqos_edf_stream *a = caught_up();

	kept_for(a, 190 * MS);
	assert_false(a->edf->pace.behind);
	kept_for(a, LATE_NS);
	assert_true(a->edf->pace.behind);
}

/* Time is made up for, but for less than half of what can be. */
static void who_hardly_makes_up_for_it_stays_late(void **state)
{
	struct ssdqos_edf_stream *a = qos_add(PACED);
	u64 since_ns;

	qos_at(0);
	busy_neighbour();
	qos_read(a);
	a->paused_ns = 0;
	kept_for(a, 55 * MS);
	since_ns = a->late_since_ns;
	assert_int_equal(since_ns, qos_now_ns);
	while (qos_now_ns - a->start_ns > 40 * MS)
		kept_for(a, 10 * US);
	assert_int_equal(a->late_since_ns, since_ns);
	assert_false(a->edf->pace.behind);
	kept_for(a, 15 * MS);
	assert_true(a->edf->pace.behind);
}

static void a_pause_makes_nobody_behind(void **state)
{
	struct ssdqos_edf_stream *a = delayed(PACED);

	qos_complete(qos_oldest());
	busy_neighbour();
	qos_now_ns += 40 * MS;
	qos_read(a);
	assert_false(a->edf->pace.behind);
	kept_for(a, LATE_NS);
	assert_true(a->edf->pace.behind);
}

static void an_owner_in_time_does_not(void **state)
{
	struct ssdqos_edf_stream *a = qos_add(OWNER "drive_credit_ms=100");
	struct ssdqos_edf_stream *b = qos_add("");

	qos_at(0);
	qos_read(a);
	qos_at(20 * MS);
	qos_complete(qos_oldest());
	qos_read(a);
	qos_at(40 * MS);
	qos_read(b);
	assert_int_equal(qos_read(b), SSDQOS_EDF_GO);
	assert_true(a->edf->pace.rate_ppm == SSDQOS_PACE_FREE);
}

/* Its credit is from idle time: no drive has kept it waiting. */
static void who_comes_from_a_pause_is_not_behind(void **state)
{
	struct ssdqos_edf_stream *a = qos_add(OWNER "drive_credit_ms=200");

	qos_at(5000 * MS);
	busy_neighbour();
	qos_read(a);
	qos_read(a);
	assert_false(a->edf->pace.behind);
	assert_int_equal(a->paused_ns, 200 * MS - 2 * OWN_NS);
	qos_at(5120 * MS);
	qos_read(a);
	qos_at(5130 * MS);
	qos_read(a);
	assert_true(a->edf->pace.behind);
}

/* Its guarantee is in time, and nothing of what the lead wants is done: halfway through a window of 2 s, whose lead
 * begins with 100 ms.
 */
static struct ssdqos_edf_stream *halfway(u64 lead_ns)
{
	struct ssdqos_edf_stream *a = qos_add(PACED " drive_lead=on");

	busy_neighbour();
	qos_now_ns = a->watch.start_ns + S;
	a->start_ns = qos_now_ns;
	a->lead_ns = lead_ns;
	qos_read(a);
	a->paused_ns = 0;
	kept_for(a, LATE_NS);
	kept_for(a, LATE_NS);
	return a;
}

static void who_cannot_be_as_early_as_its_lead_is_behind(void **state)
{
	assert_true(halfway(500 * MS)->edf->pace.behind);
}

static void nobody_has_to_be_early_where_no_window_was_missed_for_it(void **state)
{
	assert_false(halfway(100 * MS)->edf->pace.behind);
}

#define TEST(name) cmocka_unit_test_setup_teardown(name, qos_setup, qos_finish)

int main(void)
{
	const struct CMUnitTest tests[] = {
		TEST(time_in_the_drive_is_owed),
		TEST(nothing_is_owed_where_that_is_off),
		TEST(it_is_paid_without_a_charge),
		TEST(idle_time_is_not_owed),
		TEST(no_more_than_a_window_is_owed),
		TEST(after_a_window_of_idleness_nothing_is_owed),
		TEST(a_new_promise_owes_nothing),
		TEST(it_is_paid_before_spare_time),
		TEST(it_disturbs_no_guarantee),
		TEST(strictness_does_not_keep_it_back),
		TEST(alone_nobody_is_behind),
		TEST(who_was_there_a_step_ago_counts),
		TEST(an_owner_behind_slows_spare_work_down),
		TEST(nobody_is_slowed_down_where_that_is_off),
		TEST(who_makes_up_for_it_is_not_behind),
		TEST(each_delay_counts_for_itself),
		TEST(who_hardly_makes_up_for_it_stays_late),
		TEST(a_pause_makes_nobody_behind),
		TEST(an_owner_in_time_does_not),
		TEST(who_comes_from_a_pause_is_not_behind),
		TEST(who_cannot_be_as_early_as_its_lead_is_behind),
		TEST(nobody_has_to_be_early_where_no_window_was_missed_for_it),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
