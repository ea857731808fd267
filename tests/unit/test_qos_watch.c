// SPDX-License-Identifier: GPL-2.0
/*
 * Windows of a promise, drift of the profile, foreign writers.
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>
#include <cmocka.h>

#include "../../dm-ssdqos/core/engine/rng.h"
#include "../../dm-ssdqos/core/qos/watch.h"

#define MS 1000000ULL
#define S 1000000000ULL

static struct ssdqos_watch watch;
static struct ssdqos_drift drift;
static struct ssdqos_foreign foreign;
static struct ssdqos_watch_count count;
static struct ssdqos_watch_event event;

static int start(void **state)
{
	memset(&watch, 0, sizeof(watch));
	memset(&drift, 0, sizeof(drift));
	memset(&foreign, 0, sizeof(foreign));
	return 0;
}

/* ---- promises ---- */

/* 100 requests in each second. */
static const struct ssdqos_promise hundred = {
	.window_ns = S, .unit = SSDQOS_WATCH_REQUESTS, .amount = 100, .device_ns = 500 * MS,
	.slack = 1,
};

/* A window with so many requests, busy for all of it; it is rolled at its end. */
static bool pass(u64 requests, u64 end_ns)
{
	watch.sums.requests += requests;
	return ssdqos_watch_roll(&watch, end_ns, &count, &event);
}

static void counted(u64 met, u64 missed, u64 idle)
{
	assert_int_equal(count.met, met);
	assert_int_equal(count.missed, missed);
	assert_int_equal(count.idle, idle);
}

static void a_window_with_enough_is_met(void **state)
{
	ssdqos_watch_promise(&watch, &hundred, 5 * S);
	ssdqos_watch_asks(&watch, SSDQOS_WATCH_ASKS_ALL, 5 * S);
	assert_false(pass(100, 6 * S - 1));
	counted(0, 0, 0);
	assert_false(pass(0, 6 * S));
	counted(1, 0, 0);
	assert_int_equal(watch.achieved, 100);
	assert_true(watch.start_ns == 6 * S);
	assert_int_equal(watch.sums.requests, 0);
}

/* One request may end just after the window. */
static void one_request_less_is_enough(void **state)
{
	ssdqos_watch_promise(&watch, &hundred, 0);
	ssdqos_watch_asks(&watch, SSDQOS_WATCH_ASKS_ALL, 0);
	assert_false(pass(99, S));
	counted(1, 0, 0);
	assert_true(pass(98, 2 * S));
	counted(0, 1, 0);
}

/* The highest rate in the longest window there may be: 60,000,000,000,000 bytes, all that a product with a
 * million has room for.
 */
static void the_largest_promise_is_at_risk_too(void **state)
{
	const struct ssdqos_promise largest = {
		.window_ns = 60 * S, .unit = SSDQOS_WATCH_BYTES, .amount = 60 * 1000000000000ULL,
		.device_ns = 30 * S, .slack = 4096,
	};
	struct ssdqos_watch_span span;
	u64 now_ns;
	bool told = false;

	ssdqos_watch_promise(&watch, &largest, 0);
	ssdqos_watch_asks(&watch, SSDQOS_WATCH_ASKS_ALL, 0);
	for (now_ns = 30 * S; !told && now_ns < 600 * S; now_ns += 60 * S) {
		ssdqos_watch_roll(&watch, now_ns, &count, &event);
		watch.sums.bytes = largest.amount / 4;
		told = ssdqos_watch_half(&watch, now_ns, &span, &event);
	}
	assert_true(told);
	assert_int_equal(event.kind, SSDQOS_WATCH_PROMISE_AT_RISK);
	assert_int_equal(event.promised, largest.amount / 2);
}

static void a_missed_window_is_an_event(void **state)
{
	ssdqos_watch_promise(&watch, &hundred, 0);
	ssdqos_watch_asks(&watch, SSDQOS_WATCH_ASKS_ALL, 0);
	assert_true(pass(42, S + 7));
	counted(0, 1, 0);
	assert_int_equal(event.kind, SSDQOS_WATCH_PROMISE_MISSED);
	assert_true(event.time_ns == S + 7);
	assert_int_equal(event.promised, 100);
	assert_int_equal(event.achieved, 42);
	assert_int_equal(event.windows, 1);
	assert_true(watch.start_ns == S);
}

static void larger_requests_are_fewer(void **state)
{
	ssdqos_watch_promise(&watch, &hundred, 0);
	ssdqos_watch_asks(&watch, SSDQOS_WATCH_ASKS_ALL, 0);
	watch.sums.charged_ns = 500 * MS;
	assert_false(pass(10, S));
	counted(1, 0, 0);
	watch.sums.charged_ns = 500 * MS - 1;
	assert_true(pass(10, 2 * S));
	counted(0, 1, 0);
}

static void counts_bytes_and_device_time(void **state)
{
	struct ssdqos_promise promise = hundred;

	promise.unit = SSDQOS_WATCH_BYTES;
	promise.amount = 1000000;
	promise.slack = 4096;
	ssdqos_watch_promise(&watch, &promise, 0);
	ssdqos_watch_asks(&watch, SSDQOS_WATCH_ASKS_ALL, 0);
	watch.sums.bytes = 995904;
	assert_false(pass(1, S));
	assert_int_equal(watch.achieved, 995904);
	watch.sums.bytes = 995903;
	assert_true(pass(1, 2 * S));
	promise.unit = SSDQOS_WATCH_DEVICE_NS;
	promise.amount = 500 * MS;
	promise.slack = 10;
	ssdqos_watch_promise(&watch, &promise, 2 * S);
	watch.sums.charged_ns = 500 * MS - 10;
	assert_false(pass(1, 3 * S));
	watch.sums.charged_ns = 500 * MS - 11;
	assert_true(pass(1, 4 * S));
	assert_true(watch.achieved == 500 * MS - 11);
}

/* Nothing waiting for 5 % of a window, or for a nanosecond more. */
/* Nobody looked until long after, and the client has gone meanwhile. */
static void what_was_missed_is_told_of_a_window_that_was_missed(void **state)
{
	ssdqos_watch_promise(&watch, &hundred, 0);
	ssdqos_watch_asks(&watch, SSDQOS_WATCH_ASKS_ALL, 0);
	pass(90, S - 1);
	ssdqos_watch_asks(&watch, 0, S - 1);
	assert_true(pass(0, 10 * S));
	counted(0, 1, 9);
	assert_int_equal(event.achieved, 90);
	assert_int_equal(watch.counted, 90);
	assert_int_equal(watch.achieved, 0);
}

/* The same, but windows slide; a client that asks for all of it. */
static void hundred_that_slide(void)
{
	struct ssdqos_promise slides = hundred;

	slides.sliding = true;
	ssdqos_watch_promise(&watch, &slides, 0);
	ssdqos_watch_asks(&watch, SSDQOS_WATCH_ASKS_ALL, 0);
}

static void of_windows_that_end_together_one_that_was_missed_counts(void **state)
{
	hundred_that_slide();
	pass(50, S / 8);
	pass(60, S);
	counted(1, 0, 0);
	/* without the 50 of the first part */
	assert_true(pass(0, S + S / 8));
	counted(0, 1, 0);
	assert_int_equal(watch.counted, 60);
}

static void a_window_that_was_met_after_it_does_not_count_then(void **state)
{
	hundred_that_slide();
	pass(110, S / 8);
	pass(10, S);
	counted(1, 0, 0);
	/* ten are missed, and then all of 120 are in one that nobody has looked at */
	watch.sums.requests = 0;
	pass(10, S + S / 8);
	counted(0, 1, 0);
	assert_int_equal(watch.counted, 20);
}

static void who_asks_for_less_and_lacks_it_is_told_apart(void **state)
{
	ssdqos_watch_promise(&watch, &hundred, 0);
	ssdqos_watch_asks(&watch, SSDQOS_WATCH_ASKS_ALL, 0);
	pass(0, S / 2);
	ssdqos_watch_asks(&watch, 0, S / 2);
	pass(10, S);
	counted(0, 0, 1);
	assert_int_equal(count.lacked, 1);
	assert_int_equal(count.kept, 0);
	assert_int_equal(count.span.idle_ns, S / 2);
	/* nothing was asked for in this one */
	pass(0, 2 * S);
	counted(0, 0, 1);
	assert_int_equal(count.lacked, 0);
	ssdqos_watch_asks(&watch, SSDQOS_WATCH_ASKS_ALL, 2 * S);
	ssdqos_watch_asks(&watch, 0, 2 * S + S / 2);
	pass(60, 3 * S);
	assert_int_equal(count.lacked, 0);
	assert_int_equal(count.kept, 1);
}

static void who_asks_for_less_is_idle(void **state)
{
	ssdqos_watch_promise(&watch, &hundred, 0);
	ssdqos_watch_asks(&watch, SSDQOS_WATCH_ASKS_ALL, 0);
	ssdqos_watch_asks(&watch, 0, 300 * MS);
	ssdqos_watch_asks(&watch, SSDQOS_WATCH_ASKS_ALL, 350 * MS);
	assert_true(pass(5, S));
	counted(0, 1, 0);
	ssdqos_watch_asks(&watch, 0, 1300 * MS);
	ssdqos_watch_asks(&watch, SSDQOS_WATCH_ASKS_ALL, 1350 * MS + 1);
	assert_false(pass(5, 2 * S));
	counted(0, 0, 1);
	assert_false(pass(100, 3 * S));
	counted(1, 0, 0);
}

static void idleness_adds_up_from_pauses(void **state)
{
	ssdqos_watch_promise(&watch, &hundred, 0);
	for (u64 ns = 0; ns < S; ns += 10 * MS) {
		ssdqos_watch_asks(&watch, SSDQOS_WATCH_ASKS_ALL, ns + MS);
		ssdqos_watch_asks(&watch, 0, ns + 10 * MS);
	}
	assert_false(pass(5, S));
	counted(0, 0, 1);
}

static void many_windows_pass_at_once(void **state)
{
	ssdqos_watch_promise(&watch, &hundred, 0);
	ssdqos_watch_asks(&watch, SSDQOS_WATCH_ASKS_ALL, 0);
	assert_true(pass(100, 7 * S + 1));
	counted(1, 6, 0);
	assert_int_equal(event.windows, 6);
	assert_true(watch.start_ns == 7 * S);
	ssdqos_watch_asks(&watch, 0, 7 * S + 2);
	assert_false(pass(0, 9 * S));
	counted(0, 0, 2);
}

static void nothing_promised_nothing_watched(void **state)
{
	const struct ssdqos_promise none = { 0 };

	ssdqos_watch_promise(&watch, &none, 0);
	ssdqos_watch_asks(&watch, SSDQOS_WATCH_ASKS_ALL, 0);
	assert_false(pass(0, 100 * S));
	counted(0, 0, 0);
}

static void another_promise_begins_a_window(void **state)
{
	ssdqos_watch_promise(&watch, &hundred, 0);
	ssdqos_watch_asks(&watch, SSDQOS_WATCH_ASKS_ALL, 0);
	watch.sums.requests = 70;
	ssdqos_watch_promise(&watch, &hundred, 700 * MS);
	assert_int_equal(watch.sums.requests, 0);
	assert_false(pass(0, S));
	counted(0, 0, 0);
	assert_true(pass(50, 1700 * MS));
	counted(0, 1, 0);
}

/* ---- drift ---- */

#define CLOCK_NS(clock) ((clock) >> SSDQOS_DRIFT_CLOCK_SHIFT)

static void the_clock_stands_still_while_the_drive_rests(void **state)
{
	assert_int_equal(ssdqos_drift_advance(&drift, 0, 5 * S), 0);
	assert_int_equal(CLOCK_NS(ssdqos_drift_advance(&drift, 1, 5 * S + 100)), 100);
	assert_int_equal(CLOCK_NS(ssdqos_drift_advance(&drift, 0, 9 * S)), 100);
	assert_int_equal(CLOCK_NS(ssdqos_drift_advance(&drift, 4, 9 * S + 400)), 200);
}

/* What all requests see adds up to the time in which the drive was busy. */
static void requests_share_the_busy_time(void **state)
{
	enum { REQUESTS = 10000, DEPTH = 37 };
	u64 sent[DEPTH], now_ns = 0, busy_ns = 0, seen = 0, clock;
	struct ssdqos_rng rng;
	u32 in_flight = 0, nr = 0;

	ssdqos_rng_seed(&rng, 3);
	while (nr < REQUESTS || in_flight) {
		u64 step_ns = 1 + ssdqos_rng_below(&rng, 100000);

		now_ns += step_ns;
		busy_ns += in_flight ? step_ns : 0;
		clock = ssdqos_drift_advance(&drift, in_flight, now_ns);
		if (nr < REQUESTS && in_flight < DEPTH && ssdqos_rng_below(&rng, 2)) {
			sent[in_flight++] = clock;
			nr++;
		} else if (in_flight) {
			u32 i = ssdqos_rng_below(&rng, in_flight);

			seen += clock - sent[i];
			sent[i] = sent[--in_flight];
		}
	}
	/* each of some 20,000 steps rounds by less than a unit for each request under way */
	assert_true(CLOCK_NS(seen) <= busy_ns);
	assert_true(busy_ns - CLOCK_NS(seen) < 20000 * DEPTH >> SSDQOS_DRIFT_CLOCK_SHIFT);
}

static void see(u32 op, u32 pattern, u64 seen_ns, u32 cost_ns, u32 nr)
{
	while (nr--)
		ssdqos_drift_seen(&drift, op, pattern, seen_ns, cost_ns);
}

static void gauges_are_by_class(void **state)
{
	see(SSDQOS_QOS_READ, SSDQOS_QOS_RAND, 120000, 100000, 5000);
	see(SSDQOS_QOS_WRITE, SSDQOS_QOS_SEQ, 50000, 100000, 5000);
	assert_false(ssdqos_drift_roll(&drift, 50, SSDQOS_DRIFT_PERIOD_NS - 1, &event));
	assert_false(drift.known);
	assert_false(ssdqos_drift_roll(&drift, 50, SSDQOS_DRIFT_PERIOD_NS, &event));
	assert_true(drift.known);
	assert_int_equal(drift.pct[SSDQOS_QOS_READ][SSDQOS_QOS_RAND], 20);
	assert_int_equal(drift.pct[SSDQOS_QOS_WRITE][SSDQOS_QOS_SEQ], -50);
	assert_int_equal(drift.pct[SSDQOS_QOS_WRITE][SSDQOS_QOS_RAND], 0);
	assert_int_equal(drift.all_pct, -15);
}

/* One period of reads that cost so many percent of the profile. */
static bool period(u64 pct)
{
	static u64 now_ns;

	now_ns = drift.period_start_ns + SSDQOS_DRIFT_PERIOD_NS;
	see(SSDQOS_QOS_READ, SSDQOS_QOS_RAND, pct * 1000, 100000, 5000);
	return ssdqos_drift_roll(&drift, 50, now_ns, &event);
}

static void a_profile_becomes_stale_and_good_again(void **state)
{
	assert_false(period(100));
	assert_false(period(150));
	assert_true(period(151));
	assert_int_equal(event.kind, SSDQOS_WATCH_PROFILE_STALE);
	assert_int_equal(event.drift_pct, 51);
	assert_true(drift.stale);
	assert_false(period(180));
	assert_false(period(126));	/* not below half of the threshold */
	assert_true(drift.stale);
	assert_true(period(125));
	assert_int_equal(event.kind, SSDQOS_WATCH_PROFILE_OK);
	assert_int_equal(event.drift_pct, 25);
	assert_false(period(150));
	assert_false(drift.stale);
}

static void few_requests_say_nothing(void **state)
{
	see(SSDQOS_QOS_READ, SSDQOS_QOS_RAND, 1000000, 1000, 199);
	assert_false(ssdqos_drift_roll(&drift, 50, SSDQOS_DRIFT_PERIOD_NS, &event));
	assert_false(drift.known);
	assert_false(ssdqos_drift_roll(&drift, 50, 2 * SSDQOS_DRIFT_PERIOD_NS, &event));
	see(SSDQOS_QOS_READ, SSDQOS_QOS_RAND, 1000000, 1000, 200);
	assert_true(ssdqos_drift_roll(&drift, 50, 3 * SSDQOS_DRIFT_PERIOD_NS, &event));
	assert_true(drift.known);
}

static void no_threshold_never_stale(void **state)
{
	see(SSDQOS_QOS_READ, SSDQOS_QOS_RAND, 1000000, 1000, 1000);
	assert_false(ssdqos_drift_roll(&drift, 0, SSDQOS_DRIFT_PERIOD_NS, &event));
	assert_int_equal(drift.all_pct, 99900);
	assert_false(drift.stale);
}

static void a_new_profile_forgets_the_comparison(void **state)
{
	u64 clock;

	period(100);
	assert_true(period(300));
	clock = ssdqos_drift_advance(&drift, 1, 12345);
	see(SSDQOS_QOS_READ, SSDQOS_QOS_RAND, 900000, 1000, 5000);
	ssdqos_drift_restart(&drift, 50 * S);
	assert_false(drift.stale);
	assert_false(drift.known);
	assert_int_equal(drift.all_pct, 0);
	assert_int_equal(drift.pct[SSDQOS_QOS_READ][SSDQOS_QOS_RAND], 0);
	assert_true(drift.clock_ns == clock);
	assert_false(period(100));
	assert_int_equal(drift.all_pct, 0);
	assert_true(drift.known);
}

/* ---- foreign writers ---- */

static u64 disk_sectors;

/* A second in which we write and somebody else does. */
static bool look(u64 own_bytes, u64 foreign_bytes)
{
	foreign.own_bytes += own_bytes;
	disk_sectors += (own_bytes + foreign_bytes) / 512;
	return ssdqos_foreign_look(&foreign, disk_sectors, 5, 0, &event);
}

static void two_looks_find_a_foreign_writer(void **state)
{
	disk_sectors = 1000000;
	assert_false(look(0, 0));	/* whatever was before */
	assert_false(look(1 << 20, 1 << 20));
	assert_int_equal(foreign.pct, 50);
	assert_true(look(1 << 20, 1 << 20));
	assert_int_equal(event.kind, SSDQOS_WATCH_FOREIGN_WRITER);
	assert_int_equal(event.foreign_pct, 50);
	assert_true(foreign.found);
	assert_false(look(1 << 20, 0));
	assert_true(foreign.found);
	assert_false(look(1 << 20, 1 << 20));
	assert_false(look(1 << 20, 0));
	assert_true(look(1 << 20, 0));
	assert_int_equal(event.kind, SSDQOS_WATCH_FOREIGN_WRITER_GONE);
	assert_false(foreign.found);
}

static void one_look_may_be_chance(void **state)
{
	look(0, 0);
	for (u32 i = 0; i < 10; i++)
		assert_false(look(1 << 20, i % 2 ? 1 << 20 : 0));
	assert_false(foreign.found);
}

static void little_is_not_foreign(void **state)
{
	look(0, 0);
	for (u32 i = 0; i < 4; i++)
		assert_false(look(1 << 20, 49152));	/* 4.5 %, less than 64 KiB */
	for (u32 i = 0; i < 4; i++)
		assert_false(look(0, 65536 - 512));	/* all of it, but little */
	assert_false(look(0, 65536));
	assert_true(look(0, 65536));
}

static void more_of_ours_than_the_disk_says_is_not_foreign(void **state)
{
	look(0, 0);
	for (u32 i = 0; i < 4; i++) {
		foreign.own_bytes += 2 << 20;
		disk_sectors += 2048;
		assert_false(ssdqos_foreign_look(&foreign, disk_sectors, 5, 0, &event));
		assert_int_equal(foreign.pct, 0);
	}
}

static void no_threshold_nobody_foreign(void **state)
{
	for (u64 i = 0; i < 5; i++)
		assert_false(ssdqos_foreign_look(&foreign, i << 20, 0, 0, &event));
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test_setup(a_window_with_enough_is_met, start),
		cmocka_unit_test_setup(one_request_less_is_enough, start),
		cmocka_unit_test_setup(a_missed_window_is_an_event, start),
		cmocka_unit_test_setup(the_largest_promise_is_at_risk_too, start),
		cmocka_unit_test_setup(larger_requests_are_fewer, start),
		cmocka_unit_test_setup(counts_bytes_and_device_time, start),
		cmocka_unit_test_setup(what_was_missed_is_told_of_a_window_that_was_missed, start),
		cmocka_unit_test_setup(of_windows_that_end_together_one_that_was_missed_counts, start),
		cmocka_unit_test_setup(a_window_that_was_met_after_it_does_not_count_then, start),
		cmocka_unit_test_setup(who_asks_for_less_and_lacks_it_is_told_apart, start),
		cmocka_unit_test_setup(who_asks_for_less_is_idle, start),
		cmocka_unit_test_setup(idleness_adds_up_from_pauses, start),
		cmocka_unit_test_setup(many_windows_pass_at_once, start),
		cmocka_unit_test_setup(nothing_promised_nothing_watched, start),
		cmocka_unit_test_setup(another_promise_begins_a_window, start),
		cmocka_unit_test_setup(the_clock_stands_still_while_the_drive_rests, start),
		cmocka_unit_test_setup(requests_share_the_busy_time, start),
		cmocka_unit_test_setup(gauges_are_by_class, start),
		cmocka_unit_test_setup(a_profile_becomes_stale_and_good_again, start),
		cmocka_unit_test_setup(few_requests_say_nothing, start),
		cmocka_unit_test_setup(no_threshold_never_stale, start),
		cmocka_unit_test_setup(a_new_profile_forgets_the_comparison, start),
		cmocka_unit_test_setup(two_looks_find_a_foreign_writer, start),
		cmocka_unit_test_setup(one_look_may_be_chance, start),
		cmocka_unit_test_setup(little_is_not_foreign, start),
		cmocka_unit_test_setup(more_of_ours_than_the_disk_says_is_not_foreign, start),
		cmocka_unit_test_setup(no_threshold_nobody_foreign, start),
	};

	return cmocka_run_group_tests_name("qos_watch", tests, NULL, NULL);
}
