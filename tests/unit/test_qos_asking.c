// SPDX-License-Identifier: GPL-2.0
/*
 * For how much of its promise a client asks: who asks for less than all is not late for the rest,
 * nor is anything owed to it, nor missed.
 */
#include "qos_helper.h"
#include "../../dm-ssdqos/core/engine/rng.h"
#include "../../dm-ssdqos/core/qos/internal.h"

/* Half of the device: 4 KiB take 200 us of the owner's time, so 5,000 a second are promised. */
#define SHARE "util_ppm=500000 window_ms=1000 drive_credit_ms=100 "
/* With four at a time it asks for all of that; so none of them may take longer than 800 us. */
#define OWNER SHARE "iodepth=8 "
#define HALF_OF_IT (400 * US)
#define OWN_NS (200 * US)
#define ALL SSDQOS_WATCH_ASKS_ALL

#define MOST_AT_ONCE 64

/* Somebody without a promise always has a request in the drive. */
static void neighbour(void)
{
	assert_int_equal(qos_read(qos_add("")), SSDQOS_EDF_GO);
}

/* A client sends a request each @period_ns, whatever becomes of them; each takes so long. */
static void sends_at_a_rate(struct ssdqos_edf_stream *s, u64 period_ns, u64 takes_ns, u64 for_ns)
{
	u64 until_ns = qos_now_ns + for_ns, came_ns = qos_now_ns;
	struct ssdqos_edf_req *sent[MOST_AT_ONCE];
	u32 first = 0, next = 0;

	while (came_ns < until_ns) {
		if (first < next && sent[first % MOST_AT_ONCE]->sent_ns + takes_ns <= came_ns) {
			qos_now_ns = sent[first % MOST_AT_ONCE]->sent_ns + takes_ns;
			qos_complete(sent[first++ % MOST_AT_ONCE]);
			continue;
		}
		qos_now_ns = came_ns;
		came_ns += period_ns;
		assert_int_equal(qos_read(s), SSDQOS_EDF_GO);
		sent[next++ % MOST_AT_ONCE] = qos_last_sent();
		assert_in_range(next - first, 1, MOST_AT_ONCE);
	}
}

static void who_sends_less_is_owed_nothing_and_holds_nobody(void **state)
{
	struct ssdqos_edf_stream *a = qos_add(OWNER);

	neighbour();
	sends_at_a_rate(a, HALF_OF_IT, 500 * US, 3 * S);
	assert_int_equal(a->owed_ns, 0);
	assert_int_equal(a->late_since_ns, 0);
	assert_true(qos_edf->pace.rate_ppm == SSDQOS_PACE_FREE);
}

static void whose_requests_take_too_long_is_behind(void **state)
{
	struct ssdqos_edf_stream *a = qos_add(OWNER);

	neighbour();
	sends_at_a_rate(a, HALF_OF_IT, 2 * MS, 3 * S);
	assert_int_not_equal(a->late_since_ns, 0);
	assert_true(qos_edf->pace.rate_ppm < SSDQOS_PACE_FREE);
}

static void who_gets_what_it_asked_for_has_missed_nothing(void **state)
{
	struct ssdqos_edf_stream *a = qos_add(OWNER);

	sends_at_a_rate(a, HALF_OF_IT, 500 * US, 4 * S);
	assert_int_equal(a->stats.windows_missed, 0);
	assert_in_range(a->stats.windows_idle, 3, 4);
}

static void who_gets_less_than_it_asked_for_has(void **state)
{
	struct ssdqos_edf_stream *a = qos_add(OWNER);

	sends_at_a_rate(a, HALF_OF_IT, 2 * MS, 4 * S);
	assert_in_range(a->stats.windows_missed, 3, 4);
}

static void with_half_of_its_requests_a_client_asks_for_all(void **state)
{
	struct ssdqos_edf_stream *a = qos_add(OWNER);
	u32 i;

	for (i = 1; i <= 8; i++) {
		qos_read(a);
		assert_int_equal(a->asking.part, min(i * ALL / 4, ALL));
	}
	while (a->in_flight > 1)
		qos_complete(qos_oldest());
	assert_int_equal(a->asking.part, ALL / 4);
	qos_complete(qos_oldest());
	assert_int_equal(a->asking.part, 0);
}

/* A hundred at once now and then, and few otherwise, are none that asked for less: they are forgotten. */
static void of_who_does_not_say_the_last_tenths_of_a_second_count(void **state)
{
	struct ssdqos_edf_stream *a = qos_add(SHARE);
	u32 i;

	for (i = 0; i < 8; i++)
		qos_read(a);
	while (a->in_flight > 1)
		qos_complete(qos_oldest());
	assert_int_equal(a->asking.part, ALL / 4);
	for (i = 0; i < 3; i++) {
		qos_now_ns += 100 * MS;
		qos_read(a);
		qos_complete(qos_oldest());
	}
	assert_int_equal(a->asking.part, ALL);
}

static void who_is_promised_nothing_asks_for_all(void **state)
{
	struct ssdqos_edf_stream *b = qos_add("iodepth=8");

	qos_read(b);
	assert_int_equal(b->asking.part, ALL);
}

/* It is to have the credit with which it comes back. */
static void what_it_gets_after_a_long_pause_is_no_pause(void **state)
{
	struct ssdqos_edf_stream *a = qos_add(OWNER);

	qos_at(5 * S);
	qos_read(a);
	assert_int_equal(a->asking.credit_ns, 100 * MS - OWN_NS / 4);
	qos_read(a);
	/* of the first one, as S is so much later, and of the half that it asks for now */
	assert_int_equal(a->paused_ns, 100 * MS - OWN_NS - OWN_NS / 2);
	sends_at_a_rate(a, 10 * US, 100 * US, 20 * MS);
	assert_int_equal(a->asking.credit_ns, 0);
}

static void after_a_short_one_it_is(void **state)
{
	struct ssdqos_edf_stream *a = qos_add(OWNER);

	qos_at(5 * S);
	sends_at_a_rate(a, 10 * US, 100 * US, 20 * MS);
	qos_now_ns += 99 * MS;
	qos_read(a);
	assert_int_equal(a->asking.credit_ns, 0);
}

/* The drive kept its request; then it asks for four fifths, and gets that at once. */
static void who_gets_more_than_it_asks_for_is_paid(void **state)
{
	struct ssdqos_edf_stream *a = qos_add(SHARE "iodepth=1");

	qos_read(a);
	qos_now_ns += 700 * MS;
	qos_complete(qos_oldest());
	qos_read(a);
	assert_in_range(a->owed_ns, 590 * MS, 600 * MS);
	qos_complete(qos_oldest());
	sends_at_a_rate(a, 250 * US, 20 * US, 2 * S);
	assert_int_equal(a->owed_ns, 0);
}

/* Another request of its client comes after the end of the window, and before anybody can be told. */
/* However long they take: they are nothing that was promised. */
static void who_discards_only_asks_for_nothing(void **state)
{
	struct ssdqos_edf_stream *a = qos_add(OWNER);
	s64 left;
	u32 i;

	neighbour();
	for (i = 0; i < 5000; i++) {
		qos_read(a);
		qos_now_ns += OWN_NS;
		qos_complete(qos_last_sent());
	}
	left = a->budget.left;
	for (i = 0; i < 1000; i++) {
		assert_int_equal(qos_submit(a, SSDQOS_EDF_KIND_DISCARD, 1 << 20, 0), SSDQOS_EDF_GO);
		assert_int_equal(a->asking.part, 0);
		qos_now_ns += 10 * MS;
		qos_complete(qos_last_sent());
	}
	assert_int_equal(a->stats.windows_missed, 0);
	assert_true(a->budget.left >= left);
	assert_true(qos_edf->pace.rate_ppm == SSDQOS_PACE_FREE);
	qos_read(a);
	assert_int_equal(a->asking.part, ALL / 4);
}

static void a_missed_window_is_told_all_the_same(void **state)
{
	struct ssdqos_edf_stream *a = qos_add(OWNER);

	qos_read(a);
	qos_read(a);
	qos_read(a);
	qos_read(a);
	qos_now_ns = a->watch.start_ns + S + 1;
	qos_read(a);
	assert_int_equal(a->stats.windows, 0);
	assert_int_equal(qos_complete(qos_oldest()), 1);
	assert_int_equal(qos_events[0].kind, SSDQOS_WATCH_PROMISE_MISSED);
	assert_int_equal(a->stats.windows_missed, 1);
}

static void no_time_is_too_long_to_be_counted(void **state)
{
	u64 year_ns = 366 * 86400 * S;

	assert_in_range(ssdqos_watch_asked_ns(year_ns, ALL), 100 * 86400 * S, year_ns);
	assert_int_equal(ssdqos_watch_asked_ns(S, ALL / 4), S / 4);
}

/* ---- against the rule itself ---- */

#define DRAWS 3000
#define MOST_WAITING 40
#define PEAK_NS (100 * MS)

/* The most at a time, as the opening comment of asking.c has it. */
static u32 peak, peak_before;
static u64 peak_since_ns;

static void reckon_peak(u32 nr)
{
	u64 period_ns = qos_now_ns - peak_since_ns;

	if (period_ns >= PEAK_NS) {
		peak_before = period_ns < 2 * PEAK_NS ? peak : 0;
		peak = 0;
		peak_since_ns = qos_now_ns;
	}
	peak = max(peak, nr);
}

static u32 part_by_the_rule(const struct ssdqos_edf_stream *s, u32 nr)
{
	u32 most = s->cfg.iodepth ? s->cfg.iodepth : max(peak, peak_before);
	u32 half = (most + 1) / 2;

	if (!nr || !s->util_ppm || nr >= half)
		return nr ? ALL : 0;
	return max(nr * ALL / half, 1);
}

/* Requests, and discards, that come and end, and what the client says, as it happens. */
static void what_is_asked_follows_the_rule_whatever_happens(void **state)
{
	static const char *const said[] = { "iodepth=8", "iodepth=0", "iodepth=1", "iodepth=33", "util_ppm=0", "util_ppm=400000" };
	struct ssdqos_edf_stream *a = qos_add(SHARE);
	struct ssdqos_rng rng;
	u32 i, nr;

	peak = 0;
	peak_before = 0;
	peak_since_ns = 0;
	ssdqos_rng_seed(&rng, 1);
	for (i = 0; i < DRAWS; i++) {
		u32 drawn = ssdqos_rng_below(&rng, 100);

		if (drawn < 3) {
			assert_int_equal(qos_set(a, said[ssdqos_rng_below(&rng, ARRAY_SIZE(said))]), 0);
			continue;
		}
		qos_now_ns += drawn < 95 ? ssdqos_rng_below(&rng, 2 * MS) : ssdqos_rng_below(&rng, 300 * MS);
		nr = a->queued + a->in_flight - a->discards;
		if (drawn < 10) {
			qos_submit(a, SSDQOS_EDF_KIND_DISCARD, 4096, 0);
		} else if (drawn < 52 && nr < MOST_WAITING) {
			reckon_peak(++nr);
			qos_read(a);
		} else if (a->in_flight) {
			nr -= qos_oldest()->kind != SSDQOS_EDF_KIND_DISCARD;
			qos_complete(qos_oldest());
		} else {
			continue;
		}
		assert_int_equal(a->asking.part, part_by_the_rule(a, nr));
		while (qos_next())
			;
	}
}

#define TEST(name) cmocka_unit_test_setup_teardown(name, qos_setup, qos_finish)

int main(void)
{
	const struct CMUnitTest tests[] = {
		TEST(who_sends_less_is_owed_nothing_and_holds_nobody),
		TEST(whose_requests_take_too_long_is_behind),
		TEST(who_gets_what_it_asked_for_has_missed_nothing),
		TEST(who_gets_less_than_it_asked_for_has),
		TEST(with_half_of_its_requests_a_client_asks_for_all),
		TEST(of_who_does_not_say_the_last_tenths_of_a_second_count),
		TEST(who_is_promised_nothing_asks_for_all),
		TEST(what_it_gets_after_a_long_pause_is_no_pause),
		TEST(after_a_short_one_it_is),
		TEST(who_gets_more_than_it_asks_for_is_paid),
		TEST(who_discards_only_asks_for_nothing),
		TEST(a_missed_window_is_told_all_the_same),
		TEST(no_time_is_too_long_to_be_counted),
		TEST(what_is_asked_follows_the_rule_whatever_happens),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
