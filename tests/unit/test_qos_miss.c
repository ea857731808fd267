// SPDX-License-Identifier: GPL-2.0
/*
 * Why a window was missed, and a promise that is at risk. A drive that works on one request after
 * the other, for its cost or longer, and clients that always have as many as they may.
 */
#include "qos_helper.h"

/* What a drive and its clients do. */
struct scene {
	u64 cost_pct;		/* of its cost, what a request takes */
	u32 depth;		/* requests of the owner at a time */
	u32 others;		/* of its neighbour */
	u32 fails_of_100;	/* requests of the owner fail */
	u64 pause_ns;		/* of each window the owner pauses for so long */
};

static struct ssdqos_edf_stream *owner, *other;
static u32 told[SSDQOS_NR_WATCH_EVENTS], why_told[SSDQOS_NR_WATCH_EVENTS];

static bool rests(const struct scene *scene)
{
	return scene->pause_ns && qos_now_ns % S < scene->pause_ns;
}

static void fill(const struct scene *scene)
{
	while (!rests(scene) && owner->queued + owner->in_flight < scene->depth)
		qos_read(owner);
	while (other->queued + other->in_flight < scene->others)
		qos_write(other);
	while (qos_next())
		;
}

static void hear(u32 nr)
{
	for (u32 i = 0; i < nr; i++) {
		told[qos_events[i].kind]++;
		why_told[qos_events[i].kind] = qos_events[i].missed_why;
	}
}

static void serve(const struct scene *scene)
{
	struct ssdqos_edf_req *req = qos_oldest();
	const bool owns = req->stream == owner;
	static u32 nr;

	qos_at(qos_since(qos_now_ns) + req->cost_ns * scene->cost_pct / 100);
	hear(qos_end(req, owns && nr++ % 100 < scene->fails_of_100 ?
			  SSDQOS_EDF_FAILED : SSDQOS_EDF_DONE));
}

static void play_ms(const struct scene *scene, u64 ms)
{
	const u64 end_ns = qos_now_ns + ms * MS;

	while (qos_now_ns < end_ns) {
		fill(scene);
		if (qos_edf->in_flight)
			serve(scene);
		else
			qos_at(qos_since(qos_now_ns) + MS);
	}
}

static void play(const struct scene *scene, u64 seconds)
{
	play_ms(scene, seconds * 1000);
}

static void cast(const char *promise)
{
	memset(told, 0, sizeof(told));
	owner = qos_add("drive_overcommit=on");
	other = qos_add("");
	if (qos_set(owner, promise))
		fail_msg("%s", qos_err);
}

static void missed_by(const struct ssdqos_edf_stream *s, u32 why)
{
	if (s->missed_why != why)
		fail_msg("%s, not %s; %llu missed", ssdqos_miss_why_names[s->missed_why],
			 ssdqos_miss_why_names[why], s->stats.windows_missed);
	assert_true(s->stats.windows_missed);
}

static void who_gets_all_misses_nothing(void **state)
{
	const struct scene scene = { .cost_pct = 100, .depth = 32, .others = 64 };

	cast("min_iops=8000");
	play(&scene, 10);
	assert_int_equal(owner->stats.windows_missed, 0);
	assert_int_equal(owner->missed_why, SSDQOS_MISS_NONE);
	assert_int_equal(owner->watch.behind, 0);
	assert_int_equal(told[SSDQOS_WATCH_PROMISE_AT_RISK], 0);
}

static void requests_that_fail(void **state)
{
	const struct scene scene = { .cost_pct = 100, .depth = 32, .fails_of_100 = 30 };

	cast("min_iops=8000");
	play(&scene, 5);
	missed_by(owner, SSDQOS_MISS_ERRORS);
	assert_int_equal(owner->stats.missed_errors, owner->stats.windows_missed);
}

/* 4 % of each window: not idle, but as much as is missing. */
static void a_client_that_pauses(void **state)
{
	const struct scene scene = { .cost_pct = 100, .depth = 32, .pause_ns = 40 * MS };

	cast("min_iops=9800 drive_credit_ms=0");
	play(&scene, 5);
	missed_by(owner, SSDQOS_MISS_PAUSED);
	assert_int_equal(owner->stats.missed_paused, owner->stats.windows_missed);
}

static void its_own_maximum(void **state)
{
	const struct scene scene = { .cost_pct = 100, .depth = 32 };

	/* what is promised in requests, and limited in bytes */
	cast("min_iops=5000 max_mb_s=10");
	play(&scene, 5);
	missed_by(owner, SSDQOS_MISS_LIMIT);
}

static void more_than_there_is(void **state)
{
	const struct scene scene = { .cost_pct = 100, .depth = 32, .others = 32 };

	cast("min_iops=8000");
	if (qos_set(other, "op=write min_iops=1500"))
		fail_msg("%s", qos_err);
	play(&scene, 5);
	assert_true(owner->stats.windows_missed + other->stats.windows_missed);
	missed_by(owner->stats.windows_missed ? owner : other, SSDQOS_MISS_OVERCOMMITTED);
}

/* Some flushes go in each window; the one in which the drive stood still was missed for that. */
static void flushes_beside_a_slow_drive(void **state)
{
	struct ssdqos_miss miss = {
		.sums = { .at_ns = S, .done = 9900, .total_ns = 32 * S, .work_ns = 600 * MS,
			  .saturated_ns = S, .urgent_ns = 20 * MS },
		.missing_permille = 10, .window_ns = S, .util_ppm = 500000, .queue_depth = 32,
		.profiled = true,
	};

	assert_int_equal(ssdqos_miss_why(&miss), SSDQOS_MISS_DRIVE);
	/* they took more than it lost */
	miss.sums.urgent_ns = 401 * MS;
	assert_int_equal(ssdqos_miss_why(&miss), SSDQOS_MISS_URGENT);
	/* it lost less than a ninth */
	miss.sums.urgent_ns = 20 * MS;
	miss.sums.work_ns = 970 * MS;
	assert_int_equal(ssdqos_miss_why(&miss), SSDQOS_MISS_URGENT);
}

/*
 * Caps and debts keep what goes before its turn from costing anybody a window, so this can only be
 * asked of the rules: half of what was promised is missing, of 500 ms that are owned.
 */
static void flushes_and_metadata(void **state)
{
	struct ssdqos_miss miss = {
		.sums = { .at_ns = S, .done = 5000, .total_ns = 32 * S, .work_ns = S,
			  .saturated_ns = S, .urgent_ns = 250 * MS },
		.missing_permille = 500, .window_ns = S, .util_ppm = 500000, .queue_depth = 32,
		.profiled = true,
	};

	assert_int_equal(ssdqos_miss_why(&miss), SSDQOS_MISS_URGENT);
	miss.sums.urgent_ns--;
	assert_int_equal(ssdqos_miss_why(&miss), SSDQOS_MISS_OTHERS);
	miss.overcommitted = true;
	assert_int_equal(ssdqos_miss_why(&miss), SSDQOS_MISS_OVERCOMMITTED);
}

static void a_slow_drive(void **state)
{
	const struct scene slow = { .cost_pct = 200, .depth = 32, .others = 64 };
	const struct scene fast = { .cost_pct = 100, .depth = 32, .others = 64 };

	cast("min_iops=8000");
	play(&slow, 5);
	missed_by(owner, SSDQOS_MISS_DRIVE);
	assert_int_equal(told[SSDQOS_WATCH_PROMISE_AT_RISK], 1);
	assert_int_equal(why_told[SSDQOS_WATCH_PROMISE_AT_RISK], SSDQOS_MISS_DRIVE);
	assert_true(owner->watch.behind >= 3);
	assert_int_equal(told[SSDQOS_WATCH_PROMISE_SAFE], 0);
	play(&fast, 5);
	assert_int_equal(told[SSDQOS_WATCH_PROMISE_SAFE], 1);
	assert_int_equal(owner->watch.behind, 0);
}

/* ---- how a risk ends ---- */

/* Somebody looks at the stream each second, whether requests end or not. */
static void look(u32 seconds)
{
	for (u32 i = 0; i < seconds; i++) {
		qos_at(qos_since(qos_now_ns) + S);
		hear(ssdqos_edf_tick(owner, qos_now_ns, qos_events));
	}
}

static void risk_is_told(void)
{
	const struct scene slow = { .cost_pct = 200, .depth = 32, .others = 64 };

	cast("min_iops=8000");
	play(&slow, 5);
	assert_int_equal(told[SSDQOS_WATCH_PROMISE_AT_RISK], 1);
	assert_int_equal(told[SSDQOS_WATCH_PROMISE_SAFE], 0);
}

static void a_promise_that_is_taken_back_is_safe(void **state)
{
	risk_is_told();
	assert_int_equal(qos_set(owner, "min_iops=0"), 0);
	look(3);
	assert_int_equal(told[SSDQOS_WATCH_PROMISE_SAFE], 1);
	assert_int_equal(owner->watch.behind, 0);
}

static void less_that_is_promised_may_be_safe(void **state)
{
	const struct scene slow = { .cost_pct = 200, .depth = 32, .others = 64 };

	risk_is_told();
	assert_int_equal(qos_set(owner, "min_iops=2000"), 0);
	hear(ssdqos_edf_tick(owner, qos_now_ns, qos_events));
	assert_int_equal(told[SSDQOS_WATCH_PROMISE_SAFE], 0);
	play(&slow, 3);
	assert_int_equal(told[SSDQOS_WATCH_PROMISE_SAFE], 1);
}

/* Nobody hears of the same risk twice. */
static void less_that_is_promised_may_still_be_at_risk(void **state)
{
	const struct scene slow = { .cost_pct = 200, .depth = 32, .others = 64 };

	risk_is_told();
	assert_int_equal(qos_set(owner, "min_iops=7500"), 0);
	play(&slow, 5);
	assert_true(owner->watch.behind >= 3);
	assert_int_equal(told[SSDQOS_WATCH_PROMISE_AT_RISK], 1);
	assert_int_equal(told[SSDQOS_WATCH_PROMISE_SAFE], 0);
}

static void who_goes_away_is_safe(void **state)
{
	risk_is_told();
	while (qos_edf->in_flight || qos_next())
		hear(qos_complete(qos_oldest()));
	look(3);
	assert_int_equal(told[SSDQOS_WATCH_PROMISE_SAFE], 1);
}

/* No request ends that could say so. */
static void a_drive_that_stands(void **state)
{
	const struct scene scene = { .cost_pct = 100, .depth = 32 };

	cast("min_iops=8000 window_ms=100");
	play(&scene, 2);
	fill(&scene);
	look(1);
	assert_int_equal(told[SSDQOS_WATCH_PROMISE_AT_RISK], 1);
	look(10);
	assert_int_equal(told[SSDQOS_WATCH_PROMISE_AT_RISK], 1);
	assert_true(owner->watch.behind > 100);
	play(&scene, 2);
	assert_int_equal(told[SSDQOS_WATCH_PROMISE_SAFE], 1);
}

/* A drive may be as fast as its profile with many, and twice as slow with one at a time. */
static void one_request_at_a_time(void **state)
{
	const struct scene scene = { .cost_pct = 200, .depth = 1 };

	cast("min_iops=8000");
	play(&scene, 5);
	missed_by(owner, SSDQOS_MISS_DEPTH);
}

/* A drive that stands still: not even the look at half of a window comes. */
static void a_drive_that_stands_still(void **state)
{
	const struct scene scene = { .cost_pct = 100, .depth = 32 };
	u32 i;

	cast("min_iops=8000");
	fill(&scene);
	for (i = 1; i <= 5; i++) {
		qos_at(i * S);
		hear(ssdqos_edf_tick(owner, qos_now_ns, qos_events));
	}
	missed_by(owner, SSDQOS_MISS_DRIVE);
	assert_int_equal(owner->stats.windows_missed, 5);
	assert_int_equal(owner->watch.behind, 5);
}

/*
 * Half a second between two windows: each of them lacks a quarter, which the rest makes up for. The
 * reason is found in all windows that had enough of it, also where it lies at the begin of one.
 */
static void trouble_between_two_windows(const struct scene *scene, const u64 *missed_why)
{
	const struct scene quiet = { .cost_pct = 100, .depth = 32 };

	play_ms(&quiet, 3750);
	play_ms(scene, 500);
	play_ms(&quiet, 2750);
	assert_int_equal(*missed_why, owner->stats.windows_missed);
}

static void trouble_is_seen_by_windows_that_slide(void **state)
{
	const struct scene scenes[] = {
		{ .cost_pct = 200, .depth = 32 },
		{ .cost_pct = 100, .depth = 32, .fails_of_100 = 50 },
	};

	cast("min_iops=8000");
	trouble_between_two_windows(&scenes[0], &owner->stats.missed_drive);
	trouble_between_two_windows(&scenes[1], &owner->stats.missed_errors);
	assert_int_equal(owner->stats.windows_missed, 0);
	for (u32 i = 0; i < 2; i++) {
		qos_finish(state);
		qos_setup(state);
		cast("min_iops=8000 windows=sliding");
		trouble_between_two_windows(&scenes[i], i ? &owner->stats.missed_errors :
							    &owner->stats.missed_drive);
		/* those with all of it */
		assert_int_equal(owner->stats.windows_missed, 5);
	}
}

static void reasons_add_up_for(const char *promise)
{
	const struct scene scenes[] = {
		{ .cost_pct = 130, .depth = 32, .others = 64 },
		{ .cost_pct = 100, .depth = 2, .others = 64 },
		{ .cost_pct = 100, .depth = 32, .fails_of_100 = 50 },
	};
	const struct ssdqos_edf_stats *stats;
	u64 sum = 0;

	cast(promise);
	for (u32 i = 0; i < 12; i++)
		play(&scenes[i % 3], 2);
	stats = &owner->stats;
#define W(A, NAME, name, ...) sum += stats->missed_##name;
	SSDQOS_MISS_WHYS(W, 0)
#undef W
	assert_true(stats->windows_missed > 5);
	assert_int_equal(sum, stats->windows_missed);
}

static void reasons_add_up(void **state)
{
	reasons_add_up_for("min_iops=9000");
}

static void reasons_add_up_when_windows_slide(void **state)
{
	reasons_add_up_for("min_iops=9000 windows=sliding");
}

/* A new promise, or counting from zero, has nothing to do with what was before. */
static void begins_anew(void **state)
{
	const struct scene slow = { .cost_pct = 200, .depth = 32, .others = 64 };

	cast("min_iops=8000");
	play(&slow, 5);
	ssdqos_edf_reset_stats(owner);
	play(&slow, 2);
	missed_by(owner, SSDQOS_MISS_DRIVE);
	assert_in_range(owner->stats.windows_missed, 1, 3);
	if (qos_set(owner, "min_iops=3000"))
		fail_msg("%s", qos_err);
	assert_int_equal(owner->watch.behind, 0);
	play(&slow, 3);
	assert_int_equal(owner->watch.behind, 0);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test_setup_teardown(who_gets_all_misses_nothing, qos_setup, qos_finish),
		cmocka_unit_test_setup_teardown(requests_that_fail, qos_setup, qos_finish),
		cmocka_unit_test_setup_teardown(a_client_that_pauses, qos_setup, qos_finish),
		cmocka_unit_test_setup_teardown(its_own_maximum, qos_setup, qos_finish),
		cmocka_unit_test_setup_teardown(more_than_there_is, qos_setup, qos_finish),
		cmocka_unit_test_setup_teardown(flushes_and_metadata, qos_setup, qos_finish),
		cmocka_unit_test_setup_teardown(flushes_beside_a_slow_drive, qos_setup, qos_finish),
		cmocka_unit_test_setup_teardown(a_slow_drive, qos_setup, qos_finish),
		cmocka_unit_test_setup_teardown(a_promise_that_is_taken_back_is_safe, qos_setup, qos_finish),
		cmocka_unit_test_setup_teardown(less_that_is_promised_may_be_safe, qos_setup, qos_finish),
		cmocka_unit_test_setup_teardown(less_that_is_promised_may_still_be_at_risk, qos_setup, qos_finish),
		cmocka_unit_test_setup_teardown(who_goes_away_is_safe, qos_setup, qos_finish),
		cmocka_unit_test_setup_teardown(a_drive_that_stands, qos_setup, qos_finish),
		cmocka_unit_test_setup_teardown(one_request_at_a_time, qos_setup, qos_finish),
		cmocka_unit_test_setup_teardown(a_drive_that_stands_still, qos_setup, qos_finish),
		cmocka_unit_test_setup_teardown(trouble_is_seen_by_windows_that_slide, qos_setup, qos_finish),
		cmocka_unit_test_setup_teardown(reasons_add_up, qos_setup, qos_finish),
		cmocka_unit_test_setup_teardown(reasons_add_up_when_windows_slide, qos_setup, qos_finish),
		cmocka_unit_test_setup_teardown(begins_anew, qos_setup, qos_finish),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
