// SPDX-License-Identifier: GPL-2.0
/*
 * An owner whose client has too few requests at a time for its promise: nobody is slowed down
 * for it.
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
	assert_true(owner->shallow);
	assert_true(owner->budget < 0);
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
	assert_false(owner->shallow);
	assert_true(edf_is_strained(owner));
	assert_true(qos_edf->pace.rate_ppm < SSDQOS_PACE_FREE);
}

static void who_has_more_again_is_helped_again(void **state)
{
	serve(1, 5 * WINDOW_NS);
	assert_true(owner->shallow);
	latency_ns = 2 * MS;
	serve(4, 2 * WINDOW_NS);
	assert_false(owner->shallow);
}

static void who_meets_a_window_is_not_shallow(void **state)
{
	serve(1, 5 * WINDOW_NS);
	assert_true(owner->shallow);
	serve(8, 2 * WINDOW_NS);
	assert_false(owner->shallow);
}

static void a_new_promise_begins_anew(void **state)
{
	serve(1, 5 * WINDOW_NS);
	assert_true(owner->shallow);
	assert_int_equal(qos_set(owner, "util_ppm=200000"), 0);
	assert_false(owner->shallow);
}

/* Nobody knows what the drive does with one at a time. */
static void what_was_not_measured_is_not_held_against_it(void **state)
{
	serve(1, 5 * WINDOW_NS);
	assert_true(owner->stats.windows_missed >= 3);
	assert_false(owner->shallow);
}

#define TEST(name) cmocka_unit_test_setup_teardown(name, start, qos_finish)

int main(void)
{
	const struct CMUnitTest tests[] = {
		TEST(who_has_one_at_a_time_slows_nobody_down),
		TEST(who_has_enough_is_helped),
		TEST(who_has_more_again_is_helped_again),
		TEST(who_meets_a_window_is_not_shallow),
		TEST(a_new_promise_begins_anew),
		cmocka_unit_test_setup_teardown(what_was_not_measured_is_not_held_against_it,
						start_with_one_depth, qos_finish),
	};

	return cmocka_run_group_tests_name("qos_shallow", tests, NULL, NULL);
}
