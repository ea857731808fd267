// SPDX-License-Identifier: GPL-2.0
/*
 * What the drive owes a client whose requests it kept: cut off by the idle rule, paid in spare time.
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

/* Spare work slows down while an owner with nothing waiting is later than it can make up for. */
static void an_owner_behind_slows_spare_work_down(void **state)
{
	struct ssdqos_edf_stream *a = delayed(OWNER "drive_credit_ms=100");
	struct ssdqos_edf_stream *b = qos_add("");

	assert_true(a->edf->pace.behind);
	assert_true(a->edf->pace.rate_ppm == SSDQOS_PACE_FREE);
	qos_at(711 * MS);
	qos_read(b);
	assert_true(a->edf->pace.rate_ppm < SSDQOS_PACE_FREE / 2);
	assert_int_equal(qos_read(b), SSDQOS_EDF_WAIT);
	assert_int_equal(ssdqos_edf_why(b, qos_now_ns), SSDQOS_EDF_WAITS_PACE);
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
	qos_read(a);
	qos_read(a);
	assert_false(a->edf->pace.behind);
	assert_int_equal(a->paused_ns, 200 * MS - 2 * OWN_NS);
	qos_at(5120 * MS);
	qos_read(a);
	assert_true(a->edf->pace.behind);
}

#define TEST(name) cmocka_unit_test_setup_teardown(name, qos_setup, qos_finish)

int main(void)
{
	const struct CMUnitTest tests[] = {
		TEST(time_in_the_drive_is_owed),
		TEST(it_is_paid_without_a_charge),
		TEST(idle_time_is_not_owed),
		TEST(no_more_than_a_window_is_owed),
		TEST(after_a_window_of_idleness_nothing_is_owed),
		TEST(a_new_promise_owes_nothing),
		TEST(it_is_paid_before_spare_time),
		TEST(it_disturbs_no_guarantee),
		TEST(strictness_does_not_keep_it_back),
		TEST(an_owner_behind_slows_spare_work_down),
		TEST(an_owner_in_time_does_not),
		TEST(who_comes_from_a_pause_is_not_behind),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
