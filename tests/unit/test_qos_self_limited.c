// SPDX-License-Identifier: GPL-2.0
/*
 * An owner that has too few requests at a time for its promise, or a maximum below it: nobody is
 * slowed down for it.
 */
#include "qos_helper.h"
#include "../../dm-ssdqos/core/qos/internal.h"

/* A read takes a millisecond with up to eight at a time, which all go at once. */
#define PROFILE								\
	"ssdqos-profile 1 window_ms 100 "				\
	"cost read rand 4096 1 990 1000000 "				\
	"cost read rand 4096 8 990 125000 "				\
	"cost read rand 4096 32 990 125000 "				\
	"cost write rand 4096 32 990 400000 "
#define WINDOW_NS (100 * MS)

static struct ssdqos_edf_stream *owner, *neighbour;
static u64 latency_ns;

static void begin(const char *profile)
{
	qos_start(profile);
	owner = qos_add("util_ppm=300000 op=read window_ms=100 drive_queue_depth=32 drive_credit_ms=50");
	neighbour = qos_add("");
	latency_ns = MS;
}

static int start(void **state)
{
	begin(PROFILE);
	return 0;
}

static int start_with_one_depth(void **state)
{
	begin(QOS_PROFILE_OF("32"));
	return 0;
}

/* So many of the owner at a time, beside one of the neighbour. */
static void serve(u32 depth, u64 ns)
{
	u64 until_ns = qos_now_ns + ns;

	while (qos_now_ns < until_ns) {
		for (u32 i = 0; i < depth; i++)
			qos_read(owner);
		qos_read(neighbour);
		qos_now_ns += latency_ns;
		while (qos_edf->in_flight) {
			qos_complete(qos_oldest());
			while (qos_next())
				;
		}
	}
}

static void who_has_one_at_a_time_slows_nobody_down(void **state)
{
	serve(1, WINDOW_NS * 9 / 10);
	assert_true(qos_edf->pace.rate_ppm < SSDQOS_PACE_FREE);
	serve(1, 4 * WINDOW_NS);
	assert_in_range(owner->stats.windows_missed, 3, 5);
	assert_true(owner->self_limited);
	assert_true(owner->budget.left < 0);
	assert_false(edf_is_strained(owner));
	serve(1, 20 * WINDOW_NS);
	/* more than all of the drive */
	assert_true(qos_edf->pace.rate_ppm > SSDQOS_QOS_PPM);
}

/* Three are enough by the profile; that each takes twice as long is for others to make up for. */
static void who_has_enough_is_helped(void **state)
{
	latency_ns = 2 * MS;
	serve(4, 10 * WINDOW_NS);
	assert_true(owner->stats.windows_missed >= 8);
	assert_false(owner->self_limited);
	assert_true(edf_is_strained(owner));
	assert_true(qos_edf->pace.rate_ppm < SSDQOS_PACE_FREE);
}

static void who_has_more_again_is_helped_again(void **state)
{
	serve(1, 5 * WINDOW_NS);
	assert_true(owner->self_limited);
	latency_ns = 2 * MS;
	serve(4, 2 * WINDOW_NS);
	assert_false(owner->self_limited);
}

static void who_meets_a_window_is_helped(void **state)
{
	serve(1, 5 * WINDOW_NS);
	assert_true(owner->self_limited);
	serve(8, 2 * WINDOW_NS);
	assert_false(owner->self_limited);
}

/* Reads in order cost half, so 500 of them use half of what it owns. */
static void who_is_held_back_by_its_maximum_slows_nobody_down(void **state)
{
	struct ssdqos_edf_stream *writer = qos_add("");
	u64 sector = 8, factor = qos_edf->debt.factor;

	qos_edf->cfg.drive_debt = 1;
	assert_int_equal(qos_set(owner, "util_ppm=50000 max_iops=500 burst_ms=0"), 0);
	while (qos_since(qos_now_ns) < 4 * S) {
		for (; owner->queued + owner->in_flight < 4; sector += 8)
			qos_submit_at(owner, qos_request(SSDQOS_EDF_KIND_READ, 4096), sector, 0);
		if (writer->queued < 4)
			qos_write(writer);
		qos_serve(qos_now_ns + MS, NULL);
	}
	assert_true(owner->stats.windows_missed > 10);
	assert_true(owner->stats.missed_limit > 10);
	assert_true(owner->self_limited);
	assert_false(edf_is_strained(owner));
	assert_true(qos_edf->debt.factor >= factor / 2);
}

static void a_new_promise_begins_anew(void **state)
{
	serve(1, 5 * WINDOW_NS);
	assert_true(owner->self_limited);
	assert_int_equal(qos_set(owner, "util_ppm=200000"), 0);
	assert_false(owner->self_limited);
}

/* Nobody knows what the drive does with one at a time; also if it is promised more than all of it. */
static void what_was_not_measured_is_not_held_against_it(void **state)
{
	assert_int_equal(qos_set(owner, "util_ppm=1000000 drive_overcommit=on"), 0);
	serve(1, 5 * WINDOW_NS);
	assert_true(owner->stats.windows_missed >= 3);
	assert_false(owner->self_limited);
}

#define TEST(name) cmocka_unit_test_setup_teardown(name, start, qos_finish)

int main(void)
{
	const struct CMUnitTest tests[] = {
		TEST(who_has_one_at_a_time_slows_nobody_down),
		TEST(who_has_enough_is_helped),
		TEST(who_has_more_again_is_helped_again),
		TEST(who_meets_a_window_is_helped),
		cmocka_unit_test_setup_teardown(who_is_held_back_by_its_maximum_slows_nobody_down,
						start_with_one_depth, qos_finish),
		TEST(a_new_promise_begins_anew),
		cmocka_unit_test_setup_teardown(what_was_not_measured_is_not_held_against_it,
						start_with_one_depth, qos_finish),
	};

	return cmocka_run_group_tests_name("qos_self_limited", tests, NULL, NULL);
}
