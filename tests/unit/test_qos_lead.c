// SPDX-License-Identifier: GPL-2.0
/*
 * An owner has time to make up for a stop of the drive within a window.
 */
#include "qos_helper.h"
#include "../../dm-ssdqos/core/qos/internal.h"

#define WINDOW (800 * MS)
/* Two fifths of the device: 4 KiB, which cost 120 us in such windows, take 300 us of the owner's time. */
#define OWNER "util_ppm=400000 window_ms=800"
#define OWN (300 * US)

static int setup(void **state)
{
	qos_start(QOS_PROFILE);
	qos_edf->cfg.drive_lead = 1;
	return 0;
}

/* What a guarantee pays for until then, of a client that always asks. */
static u64 owned_until(struct ssdqos_edf_stream *s, u64 ns)
{
	u64 before = s->stats.dispatched_reserved;

	while (qos_since(qos_now_ns) < ns) {
		qos_read(s);
		qos_complete(qos_last_sent());
		qos_now_ns += OWN / 10;
	}
	return s->stats.dispatched_reserved - before;
}

/* A window in which the drive kept the only request. */
static void miss(struct ssdqos_edf_stream *s)
{
	u64 end_ns = s->watch.start_ns + WINDOW;

	qos_read(s);
	qos_now_ns = end_ns;
	qos_complete(qos_last_sent());
}

static void it_begins_with_an_eighth_of_the_window(void **state)
{
	struct ssdqos_edf_stream *a = qos_add(OWNER);

	assert_int_equal(a->lead_ns, WINDOW / 8);
	a = qos_add("util_ppm=1000 window_ms=10000");
	assert_int_equal(a->lead_ns, 100 * MS);
}

static void each_missed_window_adds_an_eighth_up_to_half_of_it(void **state)
{
	struct ssdqos_edf_stream *a = qos_add(OWNER);

	miss(a);
	assert_int_equal(a->stats.windows_missed, 1);
	assert_int_equal(a->lead_ns, WINDOW / 4);
	miss(a);
	miss(a);
	assert_int_equal(a->lead_ns, WINDOW / 2);
	miss(a);
	assert_int_equal(a->lead_ns, WINDOW / 2);
}

/* ... who always has a request in the drive, too. */
static void busy_until(struct ssdqos_edf_stream *s, u64 ns)
{
	while (qos_since(qos_now_ns) < ns) {
		qos_now_ns += OWN / 10;
		qos_read(s);
		qos_complete(qos_oldest());
	}
}

/* To the end of the window; after so long the drive does nothing for a while. */
static void stop(struct ssdqos_edf_stream *s, u64 after_ns, u64 stop_ns)
{
	u64 begin_ns = qos_since(s->watch.start_ns), windows = s->stats.windows;

	busy_until(s, begin_ns + after_ns);
	qos_now_ns += stop_ns;
	busy_until(s, begin_ns + WINDOW);
	assert_int_equal(s->stats.windows, windows + 1);
	assert_int_equal(s->stats.windows_missed, 0);
}

static void a_stop_wherever_in_a_window_is_learned(void **state)
{
	struct ssdqos_edf_stream *a = qos_add(OWNER);

	qos_read(a);
	stop(a, WINDOW / 4, WINDOW / 4);
	assert_in_range(a->lead_ns, WINDOW / 4 - MS, WINDOW / 4 + MS);
	/* who is early goes faster, which is no longer stop */
	stop(a, WINDOW / 8, WINDOW / 4);
	assert_in_range(a->lead_ns, WINDOW / 4 - 2 * MS, WINDOW / 4 + MS);
	stop(a, WINDOW / 64, WINDOW / 8 * 3);
	assert_in_range(a->lead_ns, WINDOW / 8 * 3 - 2 * MS, WINDOW / 8 * 3 + MS);
}

static void of_no_window_more_than_half(void **state)
{
	struct ssdqos_edf_stream *a = qos_add(OWNER);

	qos_read(a);
	a->lag_ns = WINDOW;
	stop(a, 0, 0);
	assert_int_equal(a->lead_ns, WINDOW / 2);
}

static void who_is_late_for_days_is_late_for_a_window(void **state)
{
	struct ssdqos_edf_stream *a = qos_add(OWNER);
	u64 days_ns = 7 * 86400 * S;

	a->start_ns = qos_now_ns;
	qos_now_ns += days_ns;
	edf_lead_is_late(a, qos_now_ns);
	assert_int_equal(a->lag_ns, WINDOW - WINDOW / 8);
}

static void a_stop_that_it_bears_teaches_nothing(void **state)
{
	struct ssdqos_edf_stream *a = qos_add(OWNER);

	qos_read(a);
	stop(a, WINDOW / 2, WINDOW / 16);
	assert_int_equal(a->lead_ns, WINDOW / 8 - WINDOW / 8 / 256);
}

static void a_pause_of_the_client_is_no_stop(void **state)
{
	struct ssdqos_edf_stream *a = qos_add(OWNER);

	qos_read(a);
	busy_until(a, WINDOW / 4);
	qos_complete(qos_oldest());
	qos_now_ns += WINDOW / 4;
	stop(a, WINDOW / 2, 0);
	assert_int_equal(a->lead_ns, WINDOW / 8 - WINDOW / 8 / 256);
}

static void who_misses_by_its_own_doing_is_not_earlier_for_it(void **state)
{
	const struct ssdqos_watch_count missed = { .missed = 1 };
	struct ssdqos_edf_stream *a = qos_add("min_iops=1000 window_ms=1000");
	u64 lead_ns = a->lead_ns;

	a->self_limited = true;
	edf_lead_learn(a, &missed);
	assert_int_equal(a->lead_ns, lead_ns);
	a->self_limited = false;
	edf_lead_learn(a, &missed);
	assert_true(a->lead_ns > lead_ns);
}

static void others_go_slower_for_what_was_missed_only(void **state)
{
	struct ssdqos_edf_stream *a = qos_add(OWNER);

	qos_read(a);
	stop(a, WINDOW / 4, WINDOW / 4);
	assert_int_equal(edf_lead_due_ns(a, qos_now_ns + WINDOW / 2), qos_now_ns + WINDOW / 2);
	miss(a);
	assert_true(edf_lead_due_ns(a, qos_now_ns + WINDOW / 2) > qos_now_ns + WINDOW / 2 + WINDOW / 4);
}

static void it_is_two_seconds_at_most(void **state)
{
	struct ssdqos_edf_stream *a = qos_add("util_ppm=400000 window_ms=60000");
	const struct ssdqos_watch_count missed = { .missed = 1 };

	edf_lead_learn(a, &missed);
	assert_int_equal(a->lead_ns, 2000 * MS);
	/* a minute times two seconds has more than 64 bits */
	a->start_ns = a->watch.start_ns + 30000 * MS;
	assert_int_equal(edf_lead_start_ns(a), a->watch.start_ns + 29000 * MS);
	assert_int_equal(edf_lead_reach_ns(a, a->watch.start_ns + 58000 * MS), a->watch.start_ns + 60000 * MS);
}

static void it_fades_where_windows_are_met(void **state)
{
	struct ssdqos_edf_stream *a = qos_add(OWNER);

	owned_until(a, 200 * WINDOW);
	assert_true(a->stats.windows_met >= 199);
	assert_in_range(a->lead_ns, WINDOW / 32, WINDOW / 16);
}

static void the_window_s_part_is_done_before_its_last_eighth(void **state)
{
	struct ssdqos_edf_stream *a = qos_add(OWNER);
	u64 part = WINDOW / OWN;

	assert_in_range(owned_until(a, WINDOW / 2), part / 2 * 8 / 7 - 1, part / 2 * 8 / 7 + 1);
	assert_in_range(owned_until(a, WINDOW * 7 / 8), part - part / 2 * 8 / 7 - 2,
			part - part / 2 * 8 / 7 + 2);
	assert_in_range(owned_until(a, WINDOW), 0, 1);
}

/* Whoever begins in the middle of a window, or was idle for several. */
static void no_more_is_owned_than_without_it(void **state)
{
	struct ssdqos_edf_stream *a = qos_add(OWNER);
	/* with the credit of 100 ms that it had saved up */
	u64 owns_ns = 6 * WINDOW - WINDOW / 3 + 100 * MS, owned;

	qos_at(3 * WINDOW + WINDOW / 3);
	owned = owned_until(a, 9 * WINDOW);
	assert_in_range(owned * OWN, owns_ns - 2 * OWN, owns_ns + 2 * OWN);
}

static void it_waits_for_no_longer_than_its_start(void **state)
{
	struct ssdqos_edf_stream *a = qos_add(OWNER);
	u64 ns, last_ns = 0;

	for (ns = 0; ns < 3 * WINDOW; ns += 7 * MS) {
		a->start_ns = a->watch.start_ns + ns;
		assert_true(edf_lead_start_ns(a) <= a->start_ns);
		assert_true(edf_lead_start_ns(a) + WINDOW / 8 >= a->start_ns);
		assert_true(edf_lead_start_ns(a) >= last_ns);
		last_ns = edf_lead_start_ns(a);
	}
}

static void what_is_due_is_what_may_have_started(void **state)
{
	struct ssdqos_edf_stream *a = qos_add(OWNER);
	u64 ns, begin_ns = a->watch.start_ns;

	qos_at(2 * WINDOW);
	for (ns = 0; ns < 3 * WINDOW; ns += 7 * MS) {
		a->start_ns = begin_ns + ns;
		assert_in_range(edf_lead_reach_ns(a, edf_lead_start_ns(a)), a->start_ns - 2,
				a->start_ns + 2);
	}
	assert_int_equal(edf_lead_reach_ns(a, begin_ns + WINDOW - 1), begin_ns + WINDOW);
	a->watch.start_ns += 5 * WINDOW;
	assert_int_equal(edf_lead_reach_ns(a, begin_ns + WINDOW / 8 * 7), begin_ns + WINDOW);
	a->lead_ns = 0;
	assert_int_equal(edf_lead_reach_ns(a, begin_ns + WINDOW / 2), begin_ns + WINDOW / 2);
}

static void the_longest_window_has_room(void **state)
{
	struct ssdqos_edf_stream *a = qos_add("util_ppm=1000 window_ms=60000");
	u64 begin_ns = a->watch.start_ns, lead_ns = 200 * MS;

	a->lead_ns = lead_ns;
	assert_int_equal(edf_lead_reach_ns(a, begin_ns + 60 * S - lead_ns), begin_ns + 60 * S);
	a->start_ns = begin_ns + 60 * S - 1;
	assert_in_range(edf_lead_start_ns(a), a->start_ns - lead_ns, a->start_ns - lead_ns + 1);
}

static void others_come_first_who_are_owed_more(void **state)
{
	struct ssdqos_edf_stream *a = qos_add(OWNER " drive_queue_depth=1");
	struct ssdqos_edf_stream *b = qos_add("util_ppm=300000 window_ms=5000");

	owned_until(a, WINDOW / 2);
	assert_true(a->start_ns > qos_now_ns);
	qos_read(a);
	qos_read(a);
	qos_read(b);
	qos_complete(qos_oldest());
	assert_ptr_equal(qos_next(), b);
}

static void not_where_it_is_off(void **state)
{
	struct ssdqos_edf_stream *a = qos_add(OWNER);

	assert_int_equal(qos_set(a, "drive_lead=off"), 0);
	miss(a);
	assert_int_equal(a->lead_ns, 0);
}

/* ---- writes ---- */

static void who_was_promised_writes_gets_more_and_early(void **state)
{
	struct ssdqos_edf_stream *a = qos_add("util_ppm=400000 window_ms=8000 op=write");
	u64 own_ns = 7 * MS;

	assert_int_equal(a->lead_ns, 500 * MS);
	a->start_ns = a->watch.start_ns + 4000 * MS;
	assert_int_equal(edf_lead_start_ns(a), a->watch.start_ns + 3750 * MS);
	/* half a second of the seven and a half that are left, in 1024ths */
	assert_int_equal(edf_lead_more_ns(a, own_ns), own_ns * 68 / 1024);
	edf_lead_give(a, own_ns);
	assert_int_equal(a->more_ns, own_ns * 68 / 1024);
	edf_lead_spare(a, QOS_WRITE_NS);
	assert_true(a->more_ns < 0);
	a = qos_add("util_ppm=300000 window_ms=8000");
	assert_int_equal(a->lead_ns, 100 * MS);
	assert_int_equal(edf_lead_more_ns(a, own_ns), 0);
}

#define WRITER "util_ppm=400000 window_ms=100 confidence_permille=900 op=write"
/* A window of ten may be missed: half of that is one in twenty. */
#define WINDOWS_A_MISS 20

static void writer_misses(struct ssdqos_edf_stream *a)
{
	edf_budget_count(a, &(struct ssdqos_watch_count){ .missed = 1 });
}

static void who_has_missed_nothing_for_long_is_granted_nothing_while_others_miss_too_much(void **state)
{
	struct ssdqos_edf_stream *a = qos_add(WRITER);
	s64 granted_ns = edf_lead_more_ns(a, OWN);

	qos_edf->cfg.drive_budget = 1;
	assert_true(granted_ns > 0);
	qos_edf->debt.strained = true;
	assert_int_equal(edf_lead_more_ns(a, OWN), 0);
	qos_edf->debt.strained = false;
	assert_int_equal(edf_lead_more_ns(a, OWN), granted_ns);
	qos_edf->debt.strained = true;
	writer_misses(a);
	for (u32 i = 0; i < 2 * WINDOWS_A_MISS - 1; i++) {
		edf_budget_count(a, &(struct ssdqos_watch_count){ .met = 1 });
		assert_int_equal(edf_lead_more_ns(a, OWN), granted_ns);
	}
	edf_budget_count(a, &(struct ssdqos_watch_count){ .met = 1 });
	assert_int_equal(edf_lead_more_ns(a, OWN), 0);
}

static void nor_while_others_are_behind_that_nothing_else_helps(void **state)
{
	struct ssdqos_edf_stream *a = qos_add(WRITER);
	s64 granted_ns = edf_lead_more_ns(a, OWN);

	qos_edf->pace.was_behind = true;
	assert_int_equal(edf_lead_more_ns(a, OWN), granted_ns);
	qos_edf->pace.rate_ppm = qos_edf->group_ppm;
	assert_int_equal(edf_lead_more_ns(a, OWN), 0);
	/* nobody is any more */
	qos_edf->pace.was_behind = false;
	assert_int_equal(edf_lead_more_ns(a, OWN), granted_ns);
	qos_edf->pace.was_behind = true;
	/* it is the one that is behind */
	qos_edf->pace.late = a->id;
	assert_int_equal(edf_lead_more_ns(a, OWN), granted_ns);
	/* or one of several */
	qos_edf->pace.late = SSDQOS_PACE_SEVERAL;
	assert_int_equal(edf_lead_more_ns(a, OWN), 0);
	a->late_since_ns = qos_now_ns;
	assert_int_equal(edf_lead_more_ns(a, OWN), granted_ns);
	a->late_since_ns = 0;
	writer_misses(a);
	assert_int_equal(edf_lead_more_ns(a, OWN), granted_ns);
}

static void teaches(struct ssdqos_edf_stream *a, u64 lead_ns)
{
	edf_lead_learn(a, &(struct ssdqos_watch_count){ .missed = 1 });
	assert_int_equal(a->lead_ns, lead_ns);
}

static void what_is_missed_without_a_grant_asks_for_no_longer_lead(void **state)
{
	struct ssdqos_edf_stream *a = qos_add(WRITER);
	struct ssdqos_edf_stream *b = qos_add(WRITER " windows=sliding");
	u64 lead_ns = a->lead_ns, part_ns = b->watch.part_ns;

	qos_edf->debt.strained = true;
	edf_lead_give(a, OWN);
	edf_lead_give(b, OWN);
	qos_edf->debt.strained = false;
	teaches(a, lead_ns);
	teaches(a, lead_ns + a->watch.part_ns / 8);
	/* of those that slide eight have a part in common with such a time */
	for (u32 i = 0; i < 8; i++)
		teaches(b, lead_ns);
	teaches(b, lead_ns + part_ns / 8);
}

/* ---- windows that slide ---- */

#define SLIDING OWNER " windows=sliding"

/* Likewise, of a client that takes nothing as others do. */
static u64 granted_until(struct ssdqos_edf_stream *s, u64 ns)
{
	u64 before = s->stats.dispatched_reserved;

	while (qos_since(qos_now_ns) < ns) {
		if (edf_lead_start_ns(s) <= qos_now_ns || edf_is_owed(s)) {
			qos_read(s);
			qos_complete(qos_last_sent());
		}
		qos_now_ns += OWN / 10;
	}
	return s->stats.dispatched_reserved - before;
}

static void of_windows_that_slide_each_has_an_eighth_of_the_rule(void **state)
{
	struct ssdqos_edf_stream *a = qos_add(SLIDING);

	assert_int_equal(a->lead_ns, WINDOW / 8);
	miss(a);
	assert_int_equal(a->stats.windows_missed, 1);
	assert_int_equal(a->lead_ns, WINDOW / 8 + WINDOW / 64);
	owned_until(a, WINDOW + WINDOW / 4);
	a->lead_ns = WINDOW / 8;
	a->stats.windows_met = 0;
	owned_until(a, 200 * WINDOW);
	assert_true(a->stats.windows_met >= 8 * 198);
	assert_in_range(a->lead_ns, WINDOW / 32, WINDOW / 16);
}

/* ... of what nobody else is promised. */
static void who_slides_gets_more_all_the_time(void **state)
{
	struct ssdqos_edf_stream *a = qos_add(SLIDING);
	u64 part = WINDOW / OWN;
	u32 i;

	for (i = 1; i < 4; i++)
		assert_in_range(granted_until(a, i * WINDOW / 2), part / 2 * 8 / 7 - 8,
				part / 2 * 8 / 7 + 2);
	a->start_ns = a->watch.start_ns + WINDOW / 2;
	assert_int_equal(edf_lead_start_ns(a), a->start_ns);
	assert_int_equal(edf_lead_reach_ns(a, qos_now_ns), qos_now_ns);
}

/* Of 16 windows one ends with a stop that nothing was done for. */
static u64 missed_with_stops(struct ssdqos_edf_stream *a)
{
	u64 stop_ns = 60 * MS;
	u32 i;

	qos_read(a);
	for (i = 1; i <= 4; i++) {
		granted_until(a, i * 2 * WINDOW - stop_ns);
		qos_read(a);
		qos_now_ns += stop_ns;
		qos_complete(qos_last_sent());
	}
	assert_in_range(a->stats.windows_met + a->stats.windows_missed, 8 * 7, 8 * 8);
	return a->stats.windows_missed;
}

static void a_stop_seen_by_who_slides(void **state)
{
	struct ssdqos_edf_stream *a = qos_add(SLIDING);

	qos_read(a);
	busy_until(a, 2 * WINDOW);
	qos_now_ns += WINDOW / 6;
	busy_until(a, 2 * WINDOW + WINDOW / 4);
	assert_in_range(a->lead_ns, WINDOW / 6 - MS, WINDOW / 6 + MS);
}

static void a_stop_is_made_up_for_in_windows_that_slide(void **state)
{
	assert_int_equal(missed_with_stops(qos_add(SLIDING)), 0);
}

static void without_a_lead_it_is_not(void **state)
{
	qos_edf->cfg.drive_lead = 0;
	assert_true(missed_with_stops(qos_add(SLIDING)) >= 4);
}

static void who_slides_comes_before_spare_work_and_after_who_is_owed(void **state)
{
	struct ssdqos_edf_stream *a = qos_add(SLIDING " drive_queue_depth=1");
	struct ssdqos_edf_stream *b = qos_add("util_ppm=300000 window_ms=5000");
	struct ssdqos_edf_stream *c = qos_add("weight=10000");

	qos_edf->group_start_ns = qos_now_ns + S;
	a->start_ns = qos_now_ns + S;
	a->more_ns = 1;
	a->virtual_ns = S;
	qos_read(c);
	qos_read(c);
	qos_read(a);
	qos_read(b);
	qos_complete(qos_oldest());
	assert_ptr_equal(qos_next(), b);
	qos_complete(qos_oldest());
	assert_ptr_equal(qos_next(), a);
	assert_int_equal(qos_oldest()->decision, SSDQOS_EDF_OWED);
	assert_int_equal(a->more_ns, 1 - (s64)OWN);
}

/* Who gets spare time anyway is not given more of it; what was used counts for a window. */
static void spare_time_counts(void **state)
{
	struct ssdqos_edf_stream *a = qos_add(SLIDING);
	u64 part = WINDOW / OWN, ns;

	for (ns = 0; ns < 4 * WINDOW; ns += OWN / 3) {
		qos_now_ns += OWN / 3;
		qos_read(a);
		qos_complete(qos_last_sent());
		assert_true(a->more_ns > -(s64)(WINDOW / 8 + OWN));
	}
	assert_in_range(a->stats.dispatched_reserved, 4 * part, 4 * part + part / 5);
	assert_true(a->stats.dispatched_spare > 7 * part);
	assert_in_range(owned_until(a, qos_since(qos_now_ns) + WINDOW / 4), part / 4 - 2,
			part / 4 + 2);
}

static void what_finds_no_spare_time_is_lost_beyond_the_lead(void **state)
{
	struct ssdqos_edf_stream *a = qos_add(SLIDING);
	u32 i;

	for (i = 0; i < 8 * WINDOW / OWN; i++)
		edf_lead_give(a, OWN);
	assert_int_equal(a->more_ns, a->lead_ns);
	assert_int_equal(qos_set(a, "window_ms=400"), 0);
	assert_int_equal(a->more_ns, 0);
}

static void a_request_that_the_drive_never_had_grants_nothing(void **state)
{
	struct ssdqos_edf_stream *a = qos_add(SLIDING);

	qos_read(a);
	assert_in_range(a->more_ns, OWN / 7 - OWN / 1024, OWN / 7);
	qos_end(qos_last_sent(), SSDQOS_EDF_REFUSED);
	assert_int_equal(a->more_ns, 0);
}

static void the_largest_request_has_room(void **state)
{
	struct ssdqos_edf_stream *a = qos_add("util_ppm=1 window_ms=800 windows=sliding");
	u64 own_ns = edf_own_ns(~0u, a->util_ppm);

	a->lead_ns = WINDOW / 4;
	assert_in_range(edf_lead_more_ns(a, own_ns), own_ns / 3 - own_ns / 1024, own_ns / 3);
	edf_lead_give(a, own_ns);
	assert_int_equal(a->more_ns, a->lead_ns);
}

static void with_mode_strict_nobody_takes_spare_time(void **state)
{
	struct ssdqos_edf_stream *a = qos_add(OWNER " drive_mode=strict");

	a->start_ns = a->watch.start_ns + WINDOW / 2;
	assert_int_equal(edf_lead_start_ns(a), a->start_ns);
	a = qos_add("util_ppm=1000 window_ms=800 windows=sliding");
	assert_int_equal(edf_lead_more_ns(a, OWN), 0);
}

static void a_new_promise_begins_anew(void **state)
{
	struct ssdqos_edf_stream *a = qos_add(OWNER);

	miss(a);
	assert_int_equal(qos_set(a, "window_ms=400"), 0);
	assert_int_equal(a->lead_ns, 50 * MS);
}

#define TEST(name) cmocka_unit_test_setup_teardown(name, setup, qos_finish)

int main(void)
{
	const struct CMUnitTest tests[] = {
		TEST(who_misses_by_its_own_doing_is_not_earlier_for_it),
		TEST(it_begins_with_an_eighth_of_the_window),
		TEST(each_missed_window_adds_an_eighth_up_to_half_of_it),
		TEST(a_stop_wherever_in_a_window_is_learned),
		TEST(of_no_window_more_than_half),
		TEST(who_is_late_for_days_is_late_for_a_window),
		TEST(a_stop_that_it_bears_teaches_nothing),
		TEST(a_pause_of_the_client_is_no_stop),
		TEST(others_go_slower_for_what_was_missed_only),
		TEST(a_stop_seen_by_who_slides),
		TEST(it_is_two_seconds_at_most),
		TEST(who_was_promised_writes_gets_more_and_early),
		TEST(who_has_missed_nothing_for_long_is_granted_nothing_while_others_miss_too_much),
		TEST(nor_while_others_are_behind_that_nothing_else_helps),
		TEST(what_is_missed_without_a_grant_asks_for_no_longer_lead),
		TEST(it_fades_where_windows_are_met),
		TEST(the_window_s_part_is_done_before_its_last_eighth),
		TEST(no_more_is_owned_than_without_it),
		TEST(it_waits_for_no_longer_than_its_start),
		TEST(what_is_due_is_what_may_have_started),
		TEST(the_longest_window_has_room),
		TEST(others_come_first_who_are_owed_more),
		TEST(not_where_it_is_off),
		TEST(of_windows_that_slide_each_has_an_eighth_of_the_rule),
		TEST(who_slides_gets_more_all_the_time),
		TEST(a_stop_is_made_up_for_in_windows_that_slide),
		TEST(without_a_lead_it_is_not),
		TEST(who_slides_comes_before_spare_work_and_after_who_is_owed),
		TEST(spare_time_counts),
		TEST(what_finds_no_spare_time_is_lost_beyond_the_lead),
		TEST(a_request_that_the_drive_never_had_grants_nothing),
		TEST(the_largest_request_has_room),
		TEST(with_mode_strict_nobody_takes_spare_time),
		TEST(a_new_promise_begins_anew),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
