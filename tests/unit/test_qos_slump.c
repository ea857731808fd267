// SPDX-License-Identifier: GPL-2.0
/*
 * Windows that are missed for longer than any stop lasts are no stop: what helps against one is no help
 * then, and would be in others' way when it is over.
 */
#include "qos_helper.h"
#include "../../dm-ssdqos/core/qos/internal.h"

#define WINDOW (1000 * MS)
#define OWNER "util_ppm=400000 window_ms=1000 confidence_permille=990 "
/* 2 s and four windows. */
#define LONGEST 6

static int setup(void **state)
{
	qos_start(QOS_PROFILE);
	qos_edf->cfg.drive_lead = 1;
	return 0;
}

/* Windows end one after the other, as edf_windows_end() tells of them. */
static void missed(struct ssdqos_edf_stream *s, u64 windows)
{
	const struct ssdqos_watch_count one = { .missed = 1 };

	while (windows--) {
		edf_slump_count(s, &one);
		edf_lead_learn(s, &one);
	}
}

static void met(struct ssdqos_edf_stream *s, u64 lag_ns)
{
	const struct ssdqos_watch_count one = { .met = 1 };

	s->lag_ns = lag_ns;
	edf_slump_count(s, &one);
	edf_lead_learn(s, &one);
}

static void a_stop_teaches_to_be_early(void **state)
{
	struct ssdqos_edf_stream *a = qos_add(OWNER);

	missed(a, LONGEST);
	assert_int_equal(a->lead_ns, WINDOW / 2);
	a->owed_ns = 5 * MS;
	met(a, WINDOW / 4);
	assert_false(edf_is_slump(a));
	assert_in_range(a->lead_ns, WINDOW / 2 - WINDOW / 256, WINDOW / 2);
	assert_int_equal(a->owed_ns, 5 * MS);
}

static void a_slump_teaches_nothing(void **state)
{
	struct ssdqos_edf_stream *a = qos_add(OWNER);
	u64 lead_ns = a->lead_ns;

	a->owed_ns = 5 * MS;
	a->more_ns = 5 * MS;
	missed(a, LONGEST + 1);
	assert_true(edf_is_slump(a));
	assert_int_equal(a->lead_ns, lead_ns);
	assert_int_equal(a->owed_ns, 0);
	assert_int_equal(a->more_ns, 0);
	missed(a, 100);
	assert_int_equal(a->lead_ns, lead_ns);
}

static void windows_that_are_met_in_between_are_no_slump(void **state)
{
	struct ssdqos_edf_stream *a = qos_add(OWNER);

	missed(a, LONGEST);
	met(a, 0);
	missed(a, LONGEST);
	assert_false(edf_is_slump(a));
	assert_in_range(a->lead_ns, WINDOW / 2 - WINDOW / 256, WINDOW / 2);
}

static void who_makes_up_for_something_yet_is_not_stopped(void **state)
{
	struct ssdqos_edf_stream *a = qos_add(OWNER);
	u64 lead_ns = a->lead_ns;

	missed(a, LONGEST + 2);
	met(a, WINDOW);
	assert_true(edf_is_slump(a));
	assert_true(a->lead_ns <= lead_ns);
	/* not for longer than it lacked something */
	met(a, WINDOW);
	met(a, WINDOW / 2);
	assert_false(edf_is_slump(a));
	assert_int_equal(a->lead_ns, WINDOW / 2);
}

static void who_is_in_time_again_learns_again(void **state)
{
	struct ssdqos_edf_stream *a = qos_add(OWNER);

	missed(a, 100);
	met(a, 0);
	assert_false(edf_is_slump(a));
	met(a, WINDOW / 2);
	assert_int_equal(a->lead_ns, WINDOW / 2);
}

static void a_new_promise_begins_anew(void **state)
{
	struct ssdqos_edf_stream *a = qos_add(OWNER);

	missed(a, LONGEST + 1);
	assert_int_equal(qos_set(a, "util_ppm=300000"), 0);
	assert_false(edf_is_slump(a));
}

#define TEST(name) cmocka_unit_test_setup_teardown(name, setup, qos_finish)

int main(void)
{
	const struct CMUnitTest tests[] = {
		TEST(a_stop_teaches_to_be_early),
		TEST(a_slump_teaches_nothing),
		TEST(windows_that_are_met_in_between_are_no_slump),
		TEST(who_makes_up_for_something_yet_is_not_stopped),
		TEST(who_is_in_time_again_learns_again),
		TEST(a_new_promise_begins_anew),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
