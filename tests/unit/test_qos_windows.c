// SPDX-License-Identifier: GPL-2.0
/*
 * Windows that slide, beside aligned ones with the same requests, and beside a reference that adds up
 * each window from all that was ever done.
 */
#include "qos_helper.h"

#include "../../dm-ssdqos/core/engine/rng.h"
#include "../../dm-ssdqos/core/qos/watch.h"

#define PARTS SSDQOS_WATCH_PARTS
#define WINDOW_NS S
#define PART_NS (WINDOW_NS / PARTS)

enum { ALIGNED, SLIDING, KINDS };

static struct ssdqos_watch watch[KINDS];
static struct ssdqos_watch_count count[KINDS];
static u64 now_ns;

/* 100 requests in each second. */
static struct ssdqos_promise promise_of(u32 kind)
{
	return (struct ssdqos_promise){
		.window_ns = WINDOW_NS, .sliding = kind == SLIDING, .unit = SSDQOS_WATCH_REQUESTS,
		.amount = 100, .device_ns = 500 * MS, .slack = 1,
	};
}

static int start(void **state)
{
	memset(watch, 0, sizeof(watch));
	memset(count, 0, sizeof(count));
	now_ns = 5 * S;
	for (u32 kind = 0; kind < KINDS; kind++) {
		const struct ssdqos_promise promise = promise_of(kind);

		ssdqos_watch_promise(&watch[kind], &promise, now_ns);
		ssdqos_watch_asks(&watch[kind], SSDQOS_WATCH_ASKS_ALL, now_ns);
	}
	return 0;
}

static void busy(bool is)
{
	for (u32 kind = 0; kind < KINDS; kind++)
		ssdqos_watch_asks(&watch[kind], is ? SSDQOS_WATCH_ASKS_ALL : 0, now_ns);
}

/* Time passes; windows that end are counted. */
static void pass(u64 ns)
{
	now_ns += ns;
	for (u32 kind = 0; kind < KINDS; kind++) {
		struct ssdqos_watch_count more;
		struct ssdqos_watch_event event;

		ssdqos_watch_roll(&watch[kind], now_ns, &more, &event);
		count[kind].met += more.met;
		count[kind].missed += more.missed;
		count[kind].idle += more.idle;
	}
}

/* A part of a window with so many requests. */
static void part(u64 requests)
{
	for (u32 kind = 0; kind < KINDS; kind++)
		watch[kind].sums.requests += requests;
	pass(PART_NS);
}

static void parts(u32 nr, u64 requests)
{
	while (nr--)
		part(requests);
}

static void counted(u32 kind, u64 met, u64 missed, u64 idle)
{
	assert_int_equal(count[kind].met, met);
	assert_int_equal(count[kind].missed, missed);
	assert_int_equal(count[kind].idle, idle);
}

/* The first ends when a window has passed, then there is one with each part. */
static void a_window_ends_with_each_part(void **state)
{
	parts(PARTS - 1, 13);
	counted(SLIDING, 0, 0, 0);
	part(13);
	counted(SLIDING, 1, 0, 0);
	parts(2 * PARTS, 13);
	counted(SLIDING, 1 + 2 * PARTS, 0, 0);
	counted(ALIGNED, 3, 0, 0);
	assert_int_equal(watch[SLIDING].achieved, 8 * 13);
}

/* Six parts of 16 and two of 2 are enough, four and four are not. */
static void a_low_stretch_between_two_windows(void **state)
{
	parts(PARTS + 6, 16);
	parts(4, 2);
	parts(PARTS + 6, 16);
	counted(ALIGNED, 4, 0, 0);
	/* three low parts, 5 * 16 + 3 * 2, are too many, too */
	counted(SLIDING, 3 * PARTS + 1 - 7, 7, 0);
}

/* As late as the requests of all its parts. */
static void what_is_missing_is_of_the_last_window(void **state)
{
	struct ssdqos_watch_count more;
	struct ssdqos_watch_event event;

	parts(PARTS, 13);
	parts(3, 12);
	watch[SLIDING].sums.requests = 1;
	assert_true(ssdqos_watch_roll(&watch[SLIDING], now_ns + PART_NS, &more, &event));
	assert_int_equal(event.achieved, 4 * 13 + 3 * 12 + 1);
	assert_int_equal(event.windows, 1);
	assert_int_equal(more.span.part, 4);
	assert_true(more.span.idle_ns == 0);
}

/* 51 ms of rest are a twentieth of each window that has them. */
static void who_rests_is_idle_in_all_windows_that_have_it(void **state)
{
	parts(PARTS, 13);
	busy(false);
	pass(51 * MS);
	busy(true);
	pass(PART_NS - 51 * MS);
	counted(SLIDING, 1, 0, 1);
	parts(PARTS - 1, 12);
	counted(SLIDING, 1, 0, PARTS);
	part(12);
	counted(SLIDING, 1, 1, PARTS);
}

static void a_drive_that_stands_still(void **state)
{
	parts(PARTS, 20);
	/* three of the parts that go are made up for by the others */
	pass(1000000 * WINDOW_NS + 5 * PART_NS + 7);
	counted(SLIDING, 1 + 3, 1000000 * PARTS + 2, 0);
	counted(ALIGNED, 1, 1000000, 0);
	assert_true(watch[SLIDING].start_ns == now_ns - 7);
	assert_int_equal(watch[SLIDING].part, 5);
	parts(PARTS, 13);
	assert_int_equal(watch[SLIDING].achieved, PARTS * 13);
}

static void a_client_that_is_away(void **state)
{
	parts(PARTS, 20);
	busy(false);
	pass(3 * WINDOW_NS);
	counted(SLIDING, 1 + 3, 0, 3 * PARTS - 3);
	busy(true);
	parts(PARTS - 1, 13);
	counted(SLIDING, 1 + 3, 0, 4 * PARTS - 4);
	part(13);
	counted(SLIDING, 1 + 4, 0, 4 * PARTS - 4);
}

/* A promise that begins anew knows nothing of what was before. */
static void another_kind_of_windows_begins_anew(void **state)
{
	struct ssdqos_edf_stream *s = qos_add("min_iops=100");

	qos_at(700 * MS);
	qos_read(s);
	qos_complete(qos_oldest());
	assert_int_equal(s->watch.sums.requests, 1);
	assert_int_equal(qos_set(s, "windows=sliding"), 0);
	assert_true(s->watch.promise.sliding);
	assert_int_equal(s->watch.sums.requests, 0);
	assert_true(s->watch.start_ns == qos_now_ns);
	qos_at(700 * MS + S - 1);
	ssdqos_edf_tick(s, qos_now_ns, qos_events);
	assert_int_equal(s->stats.windows, 0);
	qos_at(700 * MS + 3 * S);
	ssdqos_edf_tick(s, qos_now_ns, qos_events);
	assert_int_equal(s->stats.windows, 2 * PARTS + 1);
	assert_int_equal(qos_set(s, "windows=aligned"), 0);
	qos_at(700 * MS + 6 * S);
	ssdqos_edf_tick(s, qos_now_ns, qos_events);
	assert_int_equal(s->stats.windows, 2 * PARTS + 1 + 3);
}

/* ---- a reference ---- */

enum { HISTORY = 600, SEQUENCES = 60 };

static struct {
	u64 at_ns;
	u64 requests;
	u64 charged_ns;
	bool busy;	/* from then on */
} history[HISTORY];
static u32 nr;

/* What a window that begins there is, from all that was ever done. */
static void reference(u64 begin_ns, struct ssdqos_watch_count *sum)
{
	const struct ssdqos_promise promise = promise_of(ALIGNED);
	u64 end_ns = begin_ns + WINDOW_NS, requests = 0, charged_ns = 0, idle_ns = 0;

	for (u32 i = 0; i < nr; i++) {
		u64 from_ns = max(history[i].at_ns, begin_ns);
		u64 to_ns = i + 1 < nr ? min(history[i + 1].at_ns, end_ns) : end_ns;

		if (!history[i].busy && from_ns < to_ns)
			idle_ns += to_ns - from_ns;
		if (history[i].at_ns < begin_ns || history[i].at_ns >= end_ns)
			continue;
		requests += history[i].requests;
		charged_ns += history[i].charged_ns;
	}
	if (requests + promise.slack >= promise.amount || charged_ns >= promise.device_ns)
		sum->met++;
	else if (idle_ns * 20 > WINDOW_NS)
		sum->idle++;
	else
		sum->missed++;
}

/* All windows since the begin. */
static void compare(u64 begin_ns)
{
	for (u32 kind = 0; kind < KINDS; kind++) {
		u64 step_ns = kind == SLIDING ? PART_NS : WINDOW_NS;
		struct ssdqos_watch_count all = { 0 };

		for (u64 ns = begin_ns; ns + WINDOW_NS <= now_ns; ns += step_ns)
			reference(ns, &all);
		counted(kind, all.met, all.missed, all.idle);
	}
}

static u64 draw_step_ns(struct ssdqos_rng *rng)
{
	/* a border now and then */
	if (!ssdqos_rng_below(rng, 10))
		return PART_NS - now_ns % PART_NS;
	/* and a long pause */
	if (!ssdqos_rng_below(rng, 80))
		return ssdqos_rng_below(rng, 5000000) * US;
	return ssdqos_rng_below(rng, 100000) * US;
}

/* Both look at the middle of the same windows. */
static u32 middles(void)
{
	struct ssdqos_watch_event event[KINDS];
	struct ssdqos_watch_span span;
	bool told[KINDS] = { false, false };

	for (u32 kind = 0; kind < KINDS; kind++)
		if (now_ns >= watch[kind].half_ns)
			told[kind] = ssdqos_watch_half(&watch[kind], now_ns, &span, &event[kind]);
	assert_int_equal(told[ALIGNED], told[SLIDING]);
	assert_int_equal(watch[ALIGNED].behind, watch[SLIDING].behind);
	if (told[ALIGNED])
		assert_memory_equal(&event[ALIGNED], &event[SLIDING], sizeof(event[0]));
	return told[ALIGNED];
}

static u32 play(struct ssdqos_rng *rng)
{
	const u64 begin_ns = now_ns;
	u32 told = 0;
	bool is_busy = true;

	history[0].at_ns = now_ns;
	history[0].busy = true;
	for (nr = 1; nr < HISTORY; nr++) {
		pass(draw_step_ns(rng));
		memset(&history[nr], 0, sizeof(history[nr]));
		history[nr].at_ns = now_ns;
		if (is_busy) {
			history[nr].requests = ssdqos_rng_below(rng, 12);
			history[nr].charged_ns = ssdqos_rng_below(rng, 40 * MS);
		}
		for (u32 kind = 0; kind < KINDS; kind++) {
			watch[kind].sums.requests += history[nr].requests;
			watch[kind].sums.charged_ns += history[nr].charged_ns;
		}
		told += middles();
		is_busy = !is_busy || ssdqos_rng_below(rng, 8);
		history[nr].busy = is_busy;
		busy(is_busy);
	}
	compare(begin_ns);
	return told;
}

static void drawn_requests_are_judged_as_by_the_reference(void **state)
{
	struct ssdqos_watch_count all = { 0 };
	struct ssdqos_rng rng;
	u32 told = 0;

	ssdqos_rng_seed(&rng, 11);
	for (u32 i = 0; i < SEQUENCES; i++) {
		start(state);
		told += play(&rng);
		all.met += count[SLIDING].met;
		all.missed += count[SLIDING].missed;
		all.idle += count[SLIDING].idle;
	}
	/* there was some of everything */
	assert_true(told > SEQUENCES / 4);
	assert_true(min(all.met, min(all.missed, all.idle)) > 100);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test_setup(a_window_ends_with_each_part, start),
		cmocka_unit_test_setup(a_low_stretch_between_two_windows, start),
		cmocka_unit_test_setup(what_is_missing_is_of_the_last_window, start),
		cmocka_unit_test_setup(who_rests_is_idle_in_all_windows_that_have_it, start),
		cmocka_unit_test_setup(a_drive_that_stands_still, start),
		cmocka_unit_test_setup(a_client_that_is_away, start),
		cmocka_unit_test_setup_teardown(another_kind_of_windows_begins_anew, qos_setup, qos_finish),
		cmocka_unit_test_setup(drawn_requests_are_judged_as_by_the_reference, start),
	};

	return cmocka_run_group_tests_name("qos_windows", tests, NULL, NULL);
}
