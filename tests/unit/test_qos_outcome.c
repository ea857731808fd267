// SPDX-License-Identifier: GPL-2.0
/*
 * What fails is no progress of a promise; what is refused is given back.
 */
#include "qos_helper.h"
#include "../../dm-ssdqos/core/engine/rng.h"

#define RANDOM_STEPS 20000

/* A drive whose requests all fail at once, for longer than a window. */
static void who_only_fails_misses_his_windows(void **state)
{
	struct ssdqos_edf_stream *a = qos_add("util_ppm=500000 window_ms=100");

	qos_at(0);
	for (u64 us = 0; us < 1000000; us += 50) {
		qos_at(us * US);
		qos_read(a);
		if (qos_edf->in_flight > 4)
			qos_end(qos_oldest(), SSDQOS_EDF_FAILED);
		while (qos_next())
			;
	}
	assert_true(a->stats.windows_missed >= 9);
	assert_int_equal(a->stats.windows_met, 0);
	assert_true(a->stats.failed > 1000);
	assert_int_equal(a->stats.reads + a->stats.read_bytes, 0);
}

/* No neighbour is slowed down for it: that would help nobody. */
static void who_only_fails_is_nobodys_fault(void **state)
{
	struct ssdqos_edf_stream *a = qos_add("util_ppm=100000 window_ms=100"), *b = qos_add("");
	u32 factor;
	s64 left;

	qos_edf->cfg.drive_debt = 1;
	for (u32 i = 0; i < 100; i++) {
		qos_read(a);
		qos_complete(qos_oldest());
		qos_now_ns += 10 * MS;
	}
	left = a->budget.left;
	factor = qos_edf->debt.factor;
	for (u32 i = 0; i < 20000; i++) {
		qos_now_ns += 250 * US;
		while (a->in_flight + a->queued < 4)
			qos_read(a);
		if (!b->in_flight && !b->queued)
			qos_write(b);
		while (qos_next())
			;
		qos_end(qos_oldest(), qos_oldest()->stream == a ? SSDQOS_EDF_FAILED : SSDQOS_EDF_DONE);
	}
	assert_true(a->stats.windows_missed >= 40);
	assert_int_equal(a->stats.missed_errors, a->stats.windows_missed);
	assert_true(a->budget.left >= left);
	assert_true(qos_edf->debt.factor >= factor);
}

static void who_fails_has_been_charged(void **state)
{
	struct ssdqos_edf_stream *a = qos_add("util_ppm=500000 drive_credit_ms=0 max_iops=10 burst_ms=0");

	qos_read(a);
	qos_end(qos_oldest(), SSDQOS_EDF_FAILED);
	assert_int_equal(qos_since(a->start_ns), 200 * US);
	assert_int_equal(a->stats.charged_ns, QOS_READ_NS);
	assert_int_equal(qos_read(a), SSDQOS_EDF_WAIT);
	assert_int_equal(a->device_hist.n, 0);
}

/* Refused and sent again: it is charged once, and waits for nothing. */
static void a_refused_request_is_charged_once(void **state)
{
	struct ssdqos_edf_stream *a = qos_add("util_ppm=500000 drive_credit_ms=0 max_iops=10 max_mb_s=1 burst_ms=0");

	for (u32 i = 0; i < 100; i++) {
		assert_int_equal(qos_read(a), SSDQOS_EDF_GO);
		assert_int_equal(qos_last_sent()->decision, SSDQOS_EDF_RESERVED);
		qos_end(qos_oldest(), SSDQOS_EDF_REFUSED);
	}
	assert_int_equal(a->stats.refused, 100);
	assert_int_equal(a->stats.charged_ns, 0);
	assert_int_equal(qos_read(a), SSDQOS_EDF_GO);
	assert_int_equal(qos_since(a->start_ns), 200 * US);
}

static void it_lets_go_what_waits_for_it(void **state)
{
	struct ssdqos_edf_stream *a = qos_add("max_iops=10 burst_ms=0");

	qos_read(a);
	assert_int_equal(qos_read(a), SSDQOS_EDF_WAIT);
	assert_null(qos_next());
	qos_end(qos_oldest(), SSDQOS_EDF_REFUSED);
	assert_ptr_equal(qos_next(), a);
}

static void urgency_is_given_back(void **state)
{
	struct ssdqos_edf_stream *a = qos_add(""), *b = qos_add("");
	u64 group_ns, virtual_ns;

	while (qos_edf->in_flight < qos_edf->cfg.drive_queue_depth)
		qos_read(b);
	qos_edf->group_start_ns = qos_now_ns;
	group_ns = qos_edf->group_start_ns;
	/* where it begins to share spare time */
	virtual_ns = qos_edf->last_virtual_ns;
	for (u32 i = 0; i < 100; i++) {
		assert_int_equal(qos_submit(a, SSDQOS_EDF_KIND_READ, 4096, SSDQOS_EDF_FLAG_URGENT),
				 SSDQOS_EDF_GO);
		assert_int_equal(qos_last_sent()->decision, SSDQOS_EDF_URGENT);
		qos_end(qos_last_sent(), SSDQOS_EDF_REFUSED);
	}
	assert_true(a->urgent_paid_ns <= qos_now_ns);
	assert_int_equal(qos_edf->group_start_ns, group_ns);
	assert_int_equal(a->virtual_ns, virtual_ns);
}

/* What was owed was less than the request, which is refused: no more than that is owed again. */
static void refused_requests_make_no_right(void **state)
{
	struct ssdqos_edf_stream *a = qos_add("util_ppm=500000 window_ms=1000 op=write"), *b = qos_add("");
	u64 owed_ns;
	s64 more_ns;

	qos_write(a);
	qos_complete(qos_oldest());
	qos_read(b);
	a->start_ns = qos_now_ns + S;
	for (owed_ns = 1; owed_ns <= 1000 * US; owed_ns *= 1000) {
		a->owed_ns = owed_ns;
		more_ns = a->more_ns;
		for (u32 i = 0; i < 10; i++) {
			assert_int_equal(qos_submit(a, SSDQOS_EDF_KIND_WRITE, 1 << 20, 0), SSDQOS_EDF_GO);
			assert_int_equal(qos_last_sent()->decision, SSDQOS_EDF_OWED);
			qos_end(qos_last_sent(), SSDQOS_EDF_REFUSED);
			assert_int_equal(a->owed_ns, owed_ns);
			assert_int_equal(a->more_ns, more_ns);
		}
	}
}

/* Whatever ends in whatever way while rules change, accounts stay near the clock. */
static void accounts_hold_whatever_happens(void **state)
{
	static const char *const rules[] = {
		"util_ppm=0", "util_ppm=300000", "util_ppm=1", "max_iops=1000", "max_iops=0",
		"max_mb_s=50", "max_mb_s=0", "weight=1", "weight=10000",
	};
	struct ssdqos_edf_stream *streams[3];
	struct ssdqos_rng rng;

	ssdqos_rng_seed(&rng, 7);
	for (u32 i = 0; i < 3; i++)
		streams[i] = qos_add("");
	for (u32 i = 0; i < RANDOM_STEPS; i++) {
		struct ssdqos_edf_stream *s = streams[ssdqos_rng_below(&rng, 3)];

		if (s->queued < 100)
			qos_submit(s, ssdqos_rng_below(&rng, 4), 4096, ssdqos_rng_below(&rng, 2));
		while (qos_next())
			;
		if (qos_edf->in_flight)
			qos_end(qos_oldest(), ssdqos_rng_below(&rng, 3));
		if (!ssdqos_rng_below(&rng, 50))
			qos_set(s, rules[ssdqos_rng_below(&rng, sizeof(rules) / sizeof(rules[0]))]);
		qos_now_ns += ssdqos_rng_below(&rng, 200000);
		assert_true(qos_edf->group_start_ns < qos_now_ns + 10 * S);
		assert_true(s->virtual_ns < qos_now_ns + 1000 * S);
	}
}

#define TEST(name) cmocka_unit_test_setup_teardown(name, qos_setup, qos_finish)

int main(void)
{
	const struct CMUnitTest tests[] = {
		TEST(who_only_fails_misses_his_windows),
		TEST(who_only_fails_is_nobodys_fault),
		TEST(who_fails_has_been_charged),
		TEST(a_refused_request_is_charged_once),
		TEST(it_lets_go_what_waits_for_it),
		TEST(urgency_is_given_back),
		TEST(refused_requests_make_no_right),
		TEST(accounts_hold_whatever_happens),
	};

	return cmocka_run_group_tests_name("qos_outcome", tests, NULL, NULL);
}
