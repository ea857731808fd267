// SPDX-License-Identifier: GPL-2.0
/*
 * Who goes to the drive, and when: step by step, with times worked out by hand.
 */
#include "qos_helper.h"

/* The drive completes its oldest request at a time; who is next, and why. */
static void goes_next(u64 ns, const struct ssdqos_edf_stream *s, u32 decision)
{
	qos_at(ns);
	qos_complete(qos_oldest());
	assert_ptr_equal(qos_next(), s);
	assert_int_equal(qos_last_sent()->decision, decision);
}

static void fill(struct ssdqos_edf_stream *s, u32 nr)
{
	while (nr--)
		qos_read(s);
}

/* ---- the order of deadlines ---- */

/* u = 1/2 and e = 100 us: deadlines are 200 us apart. */
static void deadlines_are_cost_by_share(void **state)
{
	struct ssdqos_edf_stream *a = qos_add("util_ppm=500000 drive_queue_depth=1 drive_credit_ms=0");

	assert_int_equal(qos_read(a), SSDQOS_EDF_GO);
	assert_int_equal(qos_last_sent()->decision, SSDQOS_EDF_RESERVED);
	assert_int_equal(qos_last_sent()->cost_ns, QOS_READ_NS);
	assert_int_equal(qos_since(qos_last_sent()->deadline_ns), 200 * US);
	assert_int_equal(qos_write(a), SSDQOS_EDF_WAIT);
	goes_next(200 * US, a, SSDQOS_EDF_RESERVED);
	assert_int_equal(qos_since(qos_last_sent()->deadline_ns), 1000 * US);
	assert_int_equal(qos_read(a), SSDQOS_EDF_WAIT);
	goes_next(1000 * US, a, SSDQOS_EDF_RESERVED);
	assert_int_equal(qos_since(qos_last_sent()->deadline_ns), 1200 * US);
}

/* a: S = 0, 200, ... D = 200, 400, ...; b (u = 1/5): S = 0, 500; D = 500, 1000. */
static void the_earliest_deadline_goes_first(void **state)
{
	struct ssdqos_edf_stream *a = qos_add("util_ppm=500000 drive_queue_depth=1 drive_credit_ms=0");
	struct ssdqos_edf_stream *b = qos_add("util_ppm=200000");

	fill(b, 1);	/* takes the drive */
	fill(b, 3);
	fill(a, 5);
	/* now b: S = 500, and a: S = 0, D = 200 */
	goes_next(100 * US, a, SSDQOS_EDF_RESERVED);
	goes_next(250 * US, a, SSDQOS_EDF_RESERVED);
	assert_int_equal(qos_since(qos_last_sent()->deadline_ns), 400 * US);
	goes_next(500 * US, a, SSDQOS_EDF_RESERVED);
	assert_int_equal(qos_since(qos_last_sent()->deadline_ns), 600 * US);
	/* a: S = 600, D = 800; b: S = 500, D = 1000 */
	goes_next(650 * US, a, SSDQOS_EDF_RESERVED);
	goes_next(700 * US, b, SSDQOS_EDF_RESERVED);
	assert_int_equal(qos_since(qos_last_sent()->deadline_ns), 1000 * US);
}

static void who_is_behind_catches_up(void **state)
{
	struct ssdqos_edf_stream *a = qos_add("util_ppm=500000 drive_queue_depth=1 drive_credit_ms=0");
	struct ssdqos_edf_stream *b = qos_add("weight=100");

	fill(a, 1);
	fill(b, 5);
	fill(a, 5);
	/* the drive stopped for 1 ms: a is owed five requests */
	for (u32 i = 0; i < 5; i++)
		goes_next(1000 * US + i, a, SSDQOS_EDF_RESERVED);
	goes_next(1000 * US + 6, b, SSDQOS_EDF_BEST_EFFORT);
}

/* ---- spare time ---- */

static void who_runs_ahead_is_not_charged(void **state)
{
	struct ssdqos_edf_stream *a = qos_add("util_ppm=500000 drive_queue_depth=1 drive_credit_ms=0");

	fill(a, 4);
	goes_next(100 * US, a, SSDQOS_EDF_SPARE);
	assert_int_equal(qos_since(a->start_ns), 200 * US);
	goes_next(199 * US, a, SSDQOS_EDF_SPARE);
	assert_int_equal(qos_since(a->start_ns), 200 * US);
	goes_next(200 * US, a, SSDQOS_EDF_RESERVED);
	assert_int_equal(qos_since(a->start_ns), 400 * US);
	assert_int_equal(a->stats.dispatched_reserved, 2);
	assert_int_equal(a->stats.dispatched_spare, 2);
}

/* So does the hundredth that those without a promise own, by a sum of its own: two more go at the begin. */
static void spare_time_goes_by_weight(void **state)
{
	struct ssdqos_edf_stream *a = qos_add("drive_queue_depth=1 drive_credit_ms=0");
	struct ssdqos_edf_stream *b = qos_add("weight=300");
	u32 nr[2] = { 1, 0 };

	fill(a, 500);
	fill(b, 500);
	for (u32 i = 1; i <= 400; i++) {
		qos_complete(qos_oldest());
		nr[qos_next() == b]++;
		assert_true(abs((int)(3 * nr[0]) - (int)nr[1]) <= 4 + 2);
	}
	assert_in_range(nr[1], 299, 301);
}

static void owners_share_spare_time_by_weight_too(void **state)
{
	struct ssdqos_edf_stream *a = qos_add("util_ppm=10000 weight=200 drive_queue_depth=1 drive_credit_ms=0");
	struct ssdqos_edf_stream *b = qos_add("util_ppm=10000 weight=100");

	fill(a, 600);
	fill(b, 600);
	for (u64 i = 1; i <= 500; i++) {
		qos_at(i * US);
		qos_complete(qos_oldest());
		qos_next();
	}
	/* within 500 us each was owed one request, and a third of the rest is b's */
	assert_int_equal(a->stats.dispatched_reserved, 1);
	assert_int_equal(b->stats.dispatched_reserved, 1);
	assert_in_range(a->stats.dispatched_spare, 332, 334);
}

/* Who comes later shares from then on; nothing is made up for. */
static void newcomers_do_not_catch_up_in_spare_time(void **state)
{
	struct ssdqos_edf_stream *a = qos_add("drive_queue_depth=1 drive_credit_ms=0");
	struct ssdqos_edf_stream *b = qos_add("weight=100");

	fill(a, 300);
	for (u32 i = 0; i < 100; i++) {
		qos_complete(qos_oldest());
		qos_next();
	}
	fill(b, 100);
	for (u32 i = 0; i < 50; i++) {
		qos_complete(qos_oldest());
		qos_next();
	}
	assert_in_range(50 - (b->queued - 50), 24, 26);
}

/* ---- best effort ---- */

static void best_effort_owns_a_little(void **state)
{
	struct ssdqos_edf_stream *a = qos_add("util_ppm=980000 drive_best_effort_permille=20 drive_queue_depth=1 drive_credit_ms=0");
	struct ssdqos_edf_stream *b = qos_add("");

	fill(a, 1);
	fill(b, 3);
	fill(a, 200);
	/* the group of b: S = 0, D = e / 2 % = 5 ms; a is 102 us a request */
	for (u64 i = 1; i < 49; i++)
		goes_next(i * 103 * US, a, SSDQOS_EDF_RESERVED);
	goes_next(49 * 103 * US, b, SSDQOS_EDF_BEST_EFFORT);
	assert_int_equal(qos_since(qos_last_sent()->deadline_ns), 5000 * US);
	assert_int_equal(b->stats.dispatched_best_effort, 1);
}

static void best_effort_streams_share_their_part_by_weight(void **state)
{
	struct ssdqos_edf_stream *a = qos_add("util_ppm=500000 drive_best_effort_permille=500 drive_mode=strict drive_queue_depth=1 drive_credit_ms=0");
	struct ssdqos_edf_stream *b = qos_add("weight=100");
	struct ssdqos_edf_stream *c = qos_add("weight=400");

	fill(b, 100);
	fill(c, 100);
	for (u64 i = 1; i <= 100; i++) {
		qos_at(i * 200 * US);
		qos_complete(qos_oldest());
		qos_next();
	}
	assert_int_equal(a->stats.dispatched_reserved, 0);
	assert_in_range(c->stats.dispatched_best_effort, 79, 81);
	assert_in_range(b->stats.dispatched_best_effort, 20, 22);
}

/* ---- the idle rule ---- */

static void nobody_saves_up_more_than_the_credit(void **state)
{
	struct ssdqos_edf_stream *a = qos_add("util_ppm=500000 drive_credit_ms=100");

	qos_at(30 * S);
	assert_int_equal(qos_read(a), SSDQOS_EDF_GO);
	assert_int_equal(qos_since(a->start_ns), 30 * S - 100 * MS + 200 * US);
	assert_int_equal(qos_set(a, "drive_credit_ms=0"), 0);
	qos_at(40 * S);
	qos_read(a);
	assert_int_equal(qos_since(a->start_ns), 40 * S + 200 * US);
}

static void a_little_idle_time_is_kept(void **state)
{
	struct ssdqos_edf_stream *a = qos_add("util_ppm=500000 drive_credit_ms=100");

	qos_read(a);
	qos_at(50 * MS);
	qos_complete(qos_oldest());
	qos_read(a);
	assert_int_equal(qos_since(a->start_ns), 400 * US);
}

/* The drive is 5 ms behind with b's; a, who comes now, is not put behind that. */
static void who_comes_to_a_late_drive_is_as_late(void **state)
{
	struct ssdqos_edf_stream *a = qos_add("util_ppm=400000 drive_queue_depth=1 drive_credit_ms=0");
	struct ssdqos_edf_stream *b = qos_add("util_ppm=400000");

	fill(b, 20);
	goes_next(5000 * US, b, SSDQOS_EDF_RESERVED);
	fill(a, 1);
	assert_int_equal(qos_since(a->start_ns), 250 * US);
	goes_next(9000 * US, a, SSDQOS_EDF_RESERVED);
	assert_int_equal(qos_since(qos_last_sent()->deadline_ns), 500 * US);
	goes_next(9500 * US, b, SSDQOS_EDF_RESERVED);
	assert_int_equal(qos_since(qos_last_sent()->deadline_ns), 750 * US);
}

/* ---- limits ---- */

/* 10 ms a request; a burst of 50 ms is five more at once. */
static void a_limit_is_exact_to_the_request(void **state)
{
	struct ssdqos_edf_stream *a = qos_add("max_iops=100 burst_ms=50");

	for (u32 i = 0; i < 6; i++)
		assert_int_equal(qos_read(a), SSDQOS_EDF_GO);
	for (u32 i = 0; i < 20; i++)
		assert_int_equal(qos_read(a), SSDQOS_EDF_WAIT);
	assert_int_equal(ssdqos_edf_why(a, qos_now_ns), SSDQOS_EDF_WAITS_LIMIT);
	for (u64 i = 1; i <= 20; i++) {
		assert_true(qos_since(ssdqos_edf_wake_ns(qos_edf)) == i * 10 * MS);
		qos_at(i * 10 * MS - 1);
		assert_null(qos_next());
		qos_at(i * 10 * MS);
		assert_ptr_equal(qos_next(), a);
		assert_null(qos_next());
	}
	assert_true(ssdqos_edf_wake_ns(qos_edf) == SSDQOS_NEVER_NS);
	assert_int_equal(a->stats.limited, 20);
}

/* By its size it would take 21 s of the maximum; it is a request as others are. */
static void a_discard_is_a_small_request(void **state)
{
	struct ssdqos_edf_stream *a = qos_add("max_mb_s=100 max_iops=1000 burst_ms=0");

	assert_int_equal(qos_submit(a, SSDQOS_EDF_KIND_DISCARD, 1u << 31, 0), SSDQOS_EDF_GO);
	assert_int_equal(qos_read(a), SSDQOS_EDF_WAIT);
	qos_at(MS);
	assert_ptr_equal(qos_next(), a);
}

/* 1,000 writes of 1 MB wait for their maximum; a read waits for the one that went. */
static void a_read_does_not_wait_behind_limited_writes(void **state)
{
	struct ssdqos_edf_stream *a = qos_add("max_mb_s=100 burst_ms=0");

	for (u32 i = 0; i < 1000; i++)
		qos_submit(a, SSDQOS_EDF_KIND_WRITE, 1000000, 0);
	qos_at(MS);
	assert_int_equal(qos_read(a), SSDQOS_EDF_WAIT);
	qos_at(10 * MS);
	assert_ptr_equal(qos_next(), a);
	assert_int_equal(qos_last_sent()->kind, SSDQOS_EDF_KIND_READ);
}

/* ... and writes not for ever behind reads. */
static void writes_have_a_turn_among_reads(void **state)
{
	struct ssdqos_edf_stream *a = qos_add("drive_queue_depth=1");
	u32 reads = 0;

	qos_read(a);
	qos_write(a);
	do {
		assert_in_range(reads++, 0, 8);
		qos_read(a);
		qos_complete(qos_oldest());
		assert_ptr_equal(qos_next(), a);
	} while (qos_last_sent()->kind == SSDQOS_EDF_KIND_READ);
	assert_int_equal(reads, 9);
}

static void writes_keep_their_order(void **state)
{
	struct ssdqos_edf_stream *a = qos_add("drive_queue_depth=1");
	struct ssdqos_edf_req *writes[16];

	qos_read(a);
	for (u32 i = 0; i < 16; i++) {
		/* resets of zones are among them */
		writes[i] = qos_request(i % 4 ? SSDQOS_EDF_KIND_WRITE : SSDQOS_EDF_KIND_DISCARD, 4096);
		qos_submit_at(a, writes[i], i * 8, 0);
		qos_read(a);
	}
	for (u32 i = 0; i < 16;) {
		qos_complete(qos_oldest());
		assert_ptr_equal(qos_next(), a);
		if (qos_last_sent()->kind == SSDQOS_EDF_KIND_READ)
			continue;
		assert_ptr_equal(qos_last_sent(), writes[i++]);
	}
}

static void without_a_burst_there_is_one_at_a_time(void **state)
{
	struct ssdqos_edf_stream *a = qos_add("max_iops=1000 burst_ms=0");

	assert_int_equal(qos_read(a), SSDQOS_EDF_GO);
	assert_int_equal(qos_read(a), SSDQOS_EDF_WAIT);
	qos_at(MS);
	assert_ptr_equal(qos_next(), a);
	qos_at(1500 * US);
	assert_int_equal(qos_read(a), SSDQOS_EDF_WAIT);
	qos_at(2 * MS);
	assert_ptr_equal(qos_next(), a);
	/* a pause is not saved up */
	qos_at(10 * MS);
	assert_int_equal(qos_read(a), SSDQOS_EDF_GO);
	assert_int_equal(qos_read(a), SSDQOS_EDF_WAIT);
}

static void bytes_are_limited_too(void **state)
{
	struct ssdqos_edf_stream *a = qos_add("max_mb_s=1 burst_ms=0");

	assert_int_equal(qos_submit(a, SSDQOS_EDF_KIND_READ, 16384, 0), SSDQOS_EDF_GO);
	assert_int_equal(qos_read(a), SSDQOS_EDF_WAIT);
	assert_int_equal(qos_read(a), SSDQOS_EDF_WAIT);
	assert_true(qos_since(ssdqos_edf_wake_ns(qos_edf)) == 16384 * US);
	qos_at(16384 * US);
	assert_ptr_equal(qos_next(), a);
	assert_null(qos_next());
	assert_true(qos_since(ssdqos_edf_wake_ns(qos_edf)) == (16384 + 4096) * US);
}

/* 4.096 ms a request; three begin within 10 ms. */
static void bytes_have_a_burst_too(void **state)
{
	struct ssdqos_edf_stream *a = qos_add("max_mb_s=1 burst_ms=10");

	for (u32 i = 0; i < 3; i++)
		assert_int_equal(qos_read(a), SSDQOS_EDF_GO);
	assert_int_equal(qos_read(a), SSDQOS_EDF_WAIT);
	assert_true(qos_since(ssdqos_edf_wake_ns(qos_edf)) == 3 * 4096 * US - 10 * MS);
}

static void a_limit_holds_a_guarantee_back(void **state)
{
	struct ssdqos_edf_stream *a = qos_add("util_ppm=900000 max_iops=100 burst_ms=0 drive_queue_depth=1");
	struct ssdqos_edf_stream *b = qos_add("");

	fill(a, 3);
	fill(b, 3);
	goes_next(100 * US, b, SSDQOS_EDF_BEST_EFFORT);
	goes_next(200 * US, b, SSDQOS_EDF_SPARE);
	goes_next(10 * MS, a, SSDQOS_EDF_RESERVED);
}

/* ---- strict ---- */

static void in_strict_mode_nobody_runs_ahead(void **state)
{
	struct ssdqos_edf_stream *a = qos_add("util_ppm=500000 drive_mode=strict drive_credit_ms=0");

	assert_int_equal(qos_read(a), SSDQOS_EDF_GO);
	assert_int_equal(qos_read(a), SSDQOS_EDF_WAIT);
	assert_int_equal(qos_read(a), SSDQOS_EDF_WAIT);
	assert_int_equal(ssdqos_edf_why(a, qos_now_ns), SSDQOS_EDF_WAITS_STRICT);
	assert_true(qos_since(ssdqos_edf_wake_ns(qos_edf)) == 200 * US);
	qos_at(200 * US - 1);
	assert_null(qos_next());
	qos_at(200 * US);
	assert_ptr_equal(qos_next(), a);
	assert_null(qos_next());
	assert_true(qos_since(ssdqos_edf_wake_ns(qos_edf)) == 400 * US);
}

/* What nobody has reserved is theirs: 40 %, 250 us a read. */
static void in_strict_mode_the_rest_is_for_best_effort(void **state)
{
	struct ssdqos_edf_stream *b;

	qos_add("util_ppm=600000 drive_mode=strict drive_credit_ms=0");
	b = qos_add("");
	assert_int_equal(qos_edf->group_ppm, 400000);
	assert_int_equal(qos_read(b), SSDQOS_EDF_GO);
	assert_int_equal(qos_last_sent()->decision, SSDQOS_EDF_BEST_EFFORT);
	assert_int_equal(qos_read(b), SSDQOS_EDF_WAIT);
	assert_int_equal(qos_read(b), SSDQOS_EDF_WAIT);
	assert_true(qos_since(ssdqos_edf_wake_ns(qos_edf)) == 250 * US);
	qos_at(250 * US);
	assert_ptr_equal(qos_next(), b);
	assert_null(qos_next());
	assert_true(qos_since(ssdqos_edf_wake_ns(qos_edf)) == 500 * US);
}

static void another_mode_holds_at_once(void **state)
{
	struct ssdqos_edf_stream *a = qos_add("util_ppm=500000 drive_mode=strict drive_credit_ms=0");

	fill(a, 3);
	assert_null(qos_next());
	assert_int_equal(qos_set(a, "drive_mode=work_conserving"), 0);
	assert_ptr_equal(qos_next(), a);
	assert_int_equal(qos_last_sent()->decision, SSDQOS_EDF_SPARE);
	fill(a, 1);
	assert_ptr_equal(qos_next(), a);
}

/* ---- requests that do not wait ---- */

static void urgent_requests_go_at_once(void **state)
{
	struct ssdqos_edf_stream *a = qos_add("util_ppm=500000 max_iops=1 burst_ms=0 drive_queue_depth=1 drive_credit_ms=0");

	fill(a, 2);
	assert_int_equal(a->queued, 1);
	assert_int_equal(qos_submit(a, SSDQOS_EDF_KIND_WRITE, 4096, SSDQOS_EDF_FLAG_URGENT),
			 SSDQOS_EDF_GO);
	assert_int_equal(qos_last_sent()->decision, SSDQOS_EDF_URGENT);
	assert_int_equal(qos_edf->in_flight, 2);
	assert_int_equal(a->stats.dispatched_urgent, 1);
	assert_int_equal(a->stats.dispatched_spare, 0);
	/* they are charged: 200 us for the read, 800 us for the write */
	assert_int_equal(qos_since(a->start_ns), 1000 * US);
}

static void an_urgent_request_moves_what_waits(void **state)
{
	struct ssdqos_edf_stream *a = qos_add("util_ppm=500000 drive_mode=strict drive_credit_ms=0");

	fill(a, 2);
	assert_true(qos_since(ssdqos_edf_wake_ns(qos_edf)) == 200 * US);
	qos_submit(a, SSDQOS_EDF_KIND_READ, 4096, SSDQOS_EDF_FLAG_URGENT);
	assert_true(qos_since(ssdqos_edf_wake_ns(qos_edf)) == 400 * US);
}

static void a_flush_costs_what_the_parameter_says(void **state)
{
	struct ssdqos_edf_stream *a = qos_add("util_ppm=500000 drive_flush_ns=3000 drive_credit_ms=0");

	qos_submit(a, SSDQOS_EDF_KIND_FLUSH, 0, SSDQOS_EDF_FLAG_URGENT);
	assert_int_equal(qos_last_sent()->cost_ns, 3000);
	assert_int_equal(qos_since(a->start_ns), 6000);
	qos_complete(qos_oldest());
	assert_int_equal(a->stats.flushes, 1);
}

static u32 flush_cost(const char *words, u32 flags)
{
	assert_int_equal(qos_set(&qos_streams[0], words), 0);
	qos_submit(&qos_streams[0], SSDQOS_EDF_KIND_FLUSH, 0, SSDQOS_EDF_FLAG_URGENT | flags);
	return qos_last_sent()->cost_ns;
}

static void a_flush_is_not_free(void **state)
{
	qos_add("");
	assert_int_equal(flush_cost("weight=50", 0), MS);
	assert_int_equal(qos_set_profile(QOS_PROFILE "flush 990 900000 800000"), 0);
	assert_int_equal(flush_cost("weight=60", 0), 800 * US);
	assert_int_equal(flush_cost("drive_flush_ns=5000", 0), 5 * US);
}

static void a_flush_of_a_drive_without_a_cache_is(void **state)
{
	qos_add("");
	assert_int_equal(flush_cost("weight=50", SSDQOS_EDF_FLAG_NO_CACHE), 0);
	assert_int_equal(flush_cost("drive_flush_ns=5000", SSDQOS_EDF_FLAG_NO_CACHE), 5 * US);
}

static u32 write_cost(u32 flags)
{
	qos_submit(&qos_streams[0], SSDQOS_EDF_KIND_WRITE, 4096, flags);
	return qos_last_sent()->cost_ns;
}

static void a_write_that_is_flushed_costs_the_flush_too(void **state)
{
	u32 plain_ns;

	qos_add("drive_flush_ns=5000000 drive_queue_depth=8");
	plain_ns = write_cost(0);
	assert_int_equal(write_cost(SSDQOS_EDF_FLAG_FLUSHED), plain_ns + 5 * MS);
}

/* ---- the queue depth ---- */

static void the_drive_gets_its_depth_and_no_more(void **state)
{
	struct ssdqos_edf_stream *a = qos_add("drive_queue_depth=5");

	fill(a, 9);
	assert_int_equal(qos_edf->in_flight, 5);
	assert_int_equal(qos_edf->queued, 4);
	assert_null(qos_next());
	assert_int_equal(ssdqos_edf_why(a, qos_now_ns), SSDQOS_EDF_WAITS_DEPTH);
	assert_true(ssdqos_edf_wake_ns(qos_edf) == SSDQOS_NEVER_NS);
	assert_int_equal(qos_set(a, "drive_queue_depth=7"), 0);
	assert_ptr_equal(qos_next(), a);
	assert_ptr_equal(qos_next(), a);
	assert_null(qos_next());
	assert_int_equal(qos_set(a, "drive_queue_depth=2"), 0);
	for (u32 i = 0; i < 5; i++) {
		qos_complete(qos_oldest());
		assert_null(qos_next());
	}
	qos_complete(qos_oldest());
	assert_ptr_equal(qos_next(), a);
	assert_null(qos_next());
}

static void nobody_overtakes_who_waits(void **state)
{
	struct ssdqos_edf_stream *a = qos_add("drive_queue_depth=1");
	struct ssdqos_edf_stream *b = qos_add("");

	fill(a, 3);
	qos_complete(qos_oldest());
	/* the drive has room, but a waits */
	assert_int_equal(qos_read(b), SSDQOS_EDF_WAIT);
	assert_int_equal(qos_read(a), SSDQOS_EDF_WAIT);
}

/* ---- classes ---- */

static void sequential_requests_cost_less(void **state)
{
	struct ssdqos_edf_stream *a = qos_add("");
	u64 sector[6] = { 0, 1 << 20, 2 << 20, 3 << 20, 4 << 20, 5 << 20 };

	for (u32 round = 0; round < 3; round++) {
		for (u32 track = 0; track < SSDQOS_EDF_TRACKS; track++, qos_complete(qos_oldest())) {
			qos_submit_at(a, qos_request(SSDQOS_EDF_KIND_READ, 4096), sector[track], 0);
			sector[track] += 8;
			assert_int_equal(qos_last_sent()->pattern,
					 round ? SSDQOS_QOS_SEQ : SSDQOS_QOS_RAND);
			assert_int_equal(qos_last_sent()->cost_ns, round ? 50000 : 100000);
		}
	}
	/* a write does not go on with a read's track, and five tracks are too many */
	qos_submit_at(a, qos_request(SSDQOS_EDF_KIND_WRITE, 4096), sector[0], 0);
	assert_int_equal(qos_last_sent()->pattern, SSDQOS_QOS_RAND);
	qos_submit_at(a, qos_request(SSDQOS_EDF_KIND_READ, 4096), sector[4], 0);
	qos_submit_at(a, qos_request(SSDQOS_EDF_KIND_READ, 4096), sector[0], 0);
	assert_int_equal(qos_last_sent()->pattern, SSDQOS_QOS_RAND);
}

static void a_discard_costs_as_the_smallest_write(void **state)
{
	struct ssdqos_edf_stream *a = qos_add("");

	qos_submit(a, SSDQOS_EDF_KIND_DISCARD, 1 << 30, 0);
	assert_int_equal(qos_last_sent()->cost_ns, QOS_WRITE_NS);
	qos_complete(qos_oldest());
	assert_int_equal(a->stats.discards, 1);
	assert_int_equal(a->stats.write_bytes, 0);
}

/* ---- changes ---- */

static void draining_knows_no_limit(void **state)
{
	struct ssdqos_edf_stream *a = qos_add("util_ppm=100000 max_iops=1 burst_ms=0 drive_mode=strict drive_credit_ms=0");
	struct ssdqos_edf_stream *b = qos_add("max_iops=1 burst_ms=0");

	fill(a, 4);
	fill(b, 4);
	assert_null(qos_next());
	ssdqos_edf_drain(a, true, qos_now_ns);
	for (u32 i = 0; i < 3; i++)
		assert_ptr_equal(qos_next(), a);
	assert_null(qos_next());
	ssdqos_edf_drain(b, true, qos_now_ns);
	for (u32 i = 0; i < 3; i++)
		assert_ptr_equal(qos_next(), b);
	ssdqos_edf_drain(a, false, qos_now_ns);
	fill(a, 1);
	assert_null(qos_next());
}

static void a_weight_changes_in_the_middle(void **state)
{
	struct ssdqos_edf_stream *a = qos_add("drive_queue_depth=1");
	struct ssdqos_edf_stream *b = qos_add("");
	u64 before;

	fill(a, 500);
	fill(b, 500);
	for (u32 i = 0; i < 100; i++) {
		qos_complete(qos_oldest());
		qos_next();
	}
	assert_int_equal(qos_set(b, "weight=900"), 0);
	before = b->queued;
	for (u32 i = 0; i < 100; i++) {
		qos_complete(qos_oldest());
		qos_next();
	}
	assert_in_range(before - b->queued, 89, 91);
}

static void a_guarantee_comes_and_goes_while_requests_wait(void **state)
{
	struct ssdqos_edf_stream *a = qos_add("drive_queue_depth=1 drive_credit_ms=0");
	struct ssdqos_edf_stream *b = qos_add("");

	fill(a, 10);
	fill(b, 10);
	assert_int_equal(qos_set(b, "util_ppm=900000"), 0);
	goes_next(100 * US, b, SSDQOS_EDF_RESERVED);
	assert_int_equal(qos_since(qos_last_sent()->deadline_ns), 111111);
	goes_next(200 * US, b, SSDQOS_EDF_RESERVED);
	assert_int_equal(qos_set(b, "util_ppm=0"), 0);
	assert_int_equal(b->util_ppm, 0);
	goes_next(300 * US, a, SSDQOS_EDF_BEST_EFFORT);
	goes_next(400 * US, b, SSDQOS_EDF_SPARE);
	goes_next(500 * US, b, SSDQOS_EDF_SPARE);
	assert_int_equal(b->stats.dispatched_reserved, 2);
}

static void a_limit_is_taken_away_while_requests_wait(void **state)
{
	struct ssdqos_edf_stream *a = qos_add("max_iops=1 burst_ms=0");

	fill(a, 3);
	assert_null(qos_next());
	assert_int_equal(qos_set(a, "max_iops=0"), 0);
	assert_ptr_equal(qos_next(), a);
	assert_ptr_equal(qos_next(), a);
}

static void a_stream_leaves_and_another_takes_its_number(void **state)
{
	struct ssdqos_edf_stream *a = qos_add("util_ppm=900000"), *b = qos_add("util_ppm=50000"), *c;
	u32 id = a->id;

	fill(b, 1);
	ssdqos_edf_remove(a);
	a->edf = NULL;
	assert_int_equal(ssdqos_edf_free_ppm(qos_edf), 940000);
	c = qos_add("util_ppm=940000");
	assert_int_equal(c->id, id);
	assert_int_equal(qos_edf->nr_streams, 2);
	assert_int_equal(ssdqos_edf_free_ppm(qos_edf), 0);
	assert_int_equal(qos_read(c), SSDQOS_EDF_GO);
}

static void there_are_not_more_streams_than_numbers(void **state)
{
	struct ssdqos_edf_stream *many = calloc(SSDQOS_QOS_MAX_STREAMS + 1, sizeof(*many));
	u32 i;

	for (i = 0; i < SSDQOS_QOS_MAX_STREAMS; i++)
		assert_int_equal(ssdqos_edf_add(qos_edf, &many[i], qos_now_ns, qos_err,
						sizeof(qos_err)), 0);
	assert_int_equal(ssdqos_edf_add(qos_edf, &many[i], qos_now_ns, qos_err, sizeof(qos_err)),
			 -ENOSPC);
	assert_string_equal(qos_err, "the drive has 1024 streams already, and that is the most");
	for (i = 0; i < SSDQOS_QOS_MAX_STREAMS; i++)
		ssdqos_edf_remove(&many[i]);
	free(many);
}

static void says_when_there_is_something_to_do(void **state)
{
	struct ssdqos_edf_stream *a = qos_add("");

	assert_false(qos_edf->configured);
	qos_set(a, "weight=200");
	assert_true(qos_edf->configured);
	qos_set(a, "weight=100 max_iops=5");
	assert_true(qos_edf->configured);
	qos_set(a, "max_iops=0 util_ppm=5");
	assert_true(qos_edf->configured);
	qos_set(a, "util_ppm=0 drive_mode=strict");
	assert_true(qos_edf->configured);
	qos_set(a, "drive_mode=work_conserving");
	assert_false(qos_edf->configured);
}

/* ---- counting ---- */

static void counts_requests_bytes_and_times(void **state)
{
	struct ssdqos_edf_stream *a = qos_add("drive_queue_depth=1");

	fill(a, 1);
	qos_at(10 * US);
	qos_submit(a, SSDQOS_EDF_KIND_WRITE, 16384, 0);
	qos_at(100 * US);
	qos_complete(qos_oldest());
	qos_next();
	qos_at(700 * US);
	qos_complete(qos_oldest());
	assert_int_equal(a->stats.reads, 1);
	assert_int_equal(a->stats.writes, 1);
	assert_int_equal(a->stats.read_bytes, 4096);
	assert_int_equal(a->stats.write_bytes, 16384);
	assert_int_equal(a->stats.waited, 1);
	assert_int_equal(a->stats.charged_ns, 650 * US);
	assert_int_equal(a->stats.observed_ns, 700 * US);
	assert_int_equal(a->queue_hist.max_ns, 90 * US);
	assert_int_equal(a->device_hist.max_ns, 600 * US);
	assert_int_equal(a->total_hist.max_ns, 690 * US);
	ssdqos_edf_reset_stats(a);
	assert_int_equal(a->stats.reads, 0);
	assert_int_equal(a->total_hist.n, 0);
}

static void windows_are_met_missed_or_idle(void **state)
{
	struct ssdqos_edf_stream *a = qos_add("min_iops=5 window_ms=1000 drive_queue_depth=1");
	u32 i;

	fill(a, 1);
	for (i = 1; i < 6; i++) {	/* five in a window, and one under way */
		qos_at(i * 100 * MS);
		qos_complete(qos_oldest());
		fill(a, 1);
	}
	qos_at(1500 * MS);			/* two in the next */
	assert_int_equal(qos_complete(qos_oldest()), 0);
	fill(a, 1);
	qos_at(1600 * MS);
	qos_complete(qos_oldest());
	fill(a, 1);
	assert_int_equal(a->stats.windows_met, 1);
	qos_at(2000 * MS);
	assert_int_equal(ssdqos_edf_tick(a, qos_now_ns, qos_events), 1);
	assert_int_equal(qos_events[0].kind, SSDQOS_WATCH_PROMISE_MISSED);
	assert_int_equal(qos_events[0].promised, 5);
	assert_int_equal(qos_events[0].achieved, 2);
	assert_int_equal(a->watch.achieved, 2);
	qos_at(2100 * MS);
	qos_complete(qos_oldest());	/* and nothing more */
	qos_at(3000 * MS);
	assert_int_equal(ssdqos_edf_tick(a, qos_now_ns, qos_events), 0);
	assert_int_equal(a->stats.windows, 3);
	assert_int_equal(a->stats.windows_met, 1);
	assert_int_equal(a->stats.windows_missed, 1);
	assert_int_equal(a->stats.windows_idle, 1);
}

static void a_profile_that_no_longer_holds_is_an_event(void **state)
{
	struct ssdqos_edf_stream *a = qos_add("drive_queue_depth=1 drive_drift_pct=50");
	u32 nr = 0;

	fill(a, 1);
	for (u64 i = 1; i <= 51; i++) {
		qos_at(i * 200 * MS);	/* a read of 100 us takes 200 ms */
		nr += qos_complete(qos_oldest());
		fill(a, 1);
	}
	assert_int_equal(nr, 1);
	assert_int_equal(qos_events[0].kind, SSDQOS_WATCH_PROFILE_STALE);
	assert_true(qos_edf->drift.stale);
}

static void only_our_writes_count_as_ours(void **state)
{
	struct ssdqos_edf_stream *a = qos_add("drive_foreign_pct=5");
	u64 sectors = 5000;

	ssdqos_edf_disk_wrote(qos_edf, sectors, qos_now_ns, qos_events);
	for (u32 i = 0; i < 3; i++) {
		for (u32 j = 0; j < 32; j++, sectors += 8) {
			qos_write(a);
			fill(a, 1);
			qos_complete(qos_oldest());
			qos_complete(qos_oldest());
		}
		assert_int_equal(ssdqos_edf_disk_wrote(qos_edf, sectors, qos_now_ns, qos_events), 0);
	}
	sectors += 256;
	assert_int_equal(ssdqos_edf_disk_wrote(qos_edf, sectors, qos_now_ns, qos_events), 0);
	sectors += 256;
	assert_int_equal(ssdqos_edf_disk_wrote(qos_edf, sectors, qos_now_ns, qos_events), 1);
	assert_int_equal(qos_events[0].kind, SSDQOS_WATCH_FOREIGN_WRITER);
}

static void needs_memory(void **state)
{
	ssdqos_env_fail_at = 1;
	assert_null(ssdqos_edf_create());
	assert_int_equal(ssdqos_env_fail_at, 0);
	ssdqos_edf_destroy(NULL);
}

#define TEST(name) cmocka_unit_test_setup_teardown(name, qos_setup, qos_finish)

int main(void)
{
	const struct CMUnitTest tests[] = {
		TEST(deadlines_are_cost_by_share),
		TEST(the_earliest_deadline_goes_first),
		TEST(who_is_behind_catches_up),
		TEST(who_runs_ahead_is_not_charged),
		TEST(spare_time_goes_by_weight),
		TEST(owners_share_spare_time_by_weight_too),
		TEST(newcomers_do_not_catch_up_in_spare_time),
		TEST(best_effort_owns_a_little),
		TEST(best_effort_streams_share_their_part_by_weight),
		TEST(nobody_saves_up_more_than_the_credit),
		TEST(a_little_idle_time_is_kept),
		TEST(who_comes_to_a_late_drive_is_as_late),
		TEST(a_limit_is_exact_to_the_request),
		TEST(a_discard_is_a_small_request),
		TEST(a_read_does_not_wait_behind_limited_writes),
		TEST(writes_have_a_turn_among_reads),
		TEST(writes_keep_their_order),
		TEST(without_a_burst_there_is_one_at_a_time),
		TEST(bytes_are_limited_too),
		TEST(bytes_have_a_burst_too),
		TEST(a_limit_holds_a_guarantee_back),
		TEST(in_strict_mode_nobody_runs_ahead),
		TEST(in_strict_mode_the_rest_is_for_best_effort),
		TEST(another_mode_holds_at_once),
		TEST(urgent_requests_go_at_once),
		TEST(an_urgent_request_moves_what_waits),
		TEST(a_flush_costs_what_the_parameter_says),
		TEST(a_flush_is_not_free),
		TEST(a_flush_of_a_drive_without_a_cache_is),
		TEST(a_write_that_is_flushed_costs_the_flush_too),
		TEST(the_drive_gets_its_depth_and_no_more),
		TEST(nobody_overtakes_who_waits),
		TEST(sequential_requests_cost_less),
		TEST(a_discard_costs_as_the_smallest_write),
		TEST(draining_knows_no_limit),
		TEST(a_weight_changes_in_the_middle),
		TEST(a_guarantee_comes_and_goes_while_requests_wait),
		TEST(a_limit_is_taken_away_while_requests_wait),
		TEST(a_stream_leaves_and_another_takes_its_number),
		TEST(there_are_not_more_streams_than_numbers),
		TEST(says_when_there_is_something_to_do),
		TEST(counts_requests_bytes_and_times),
		TEST(windows_are_met_missed_or_idle),
		TEST(a_profile_that_no_longer_holds_is_an_event),
		TEST(only_our_writes_count_as_ours),
		TEST(needs_memory),
	};

	return cmocka_run_group_tests_name("qos_edf", tests, NULL, NULL);
}
