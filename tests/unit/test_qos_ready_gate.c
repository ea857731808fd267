// SPDX-License-Identifier: GPL-2.0
/*
 * Writes that stop, go and are delayed: whose turn it is, and when.
 */
#include "ready_helper.h"

#define PES READY_MB_A_SECOND "drive_throttle=ready_pes "
/* Stops, and no delays. */
#define FIXED READY_MB_A_SECOND "drive_throttle=static "
#define OPT READY_MB_A_SECOND "drive_throttle=ready_opt "
#define PIECE (64 * 1024)

/* Bytes of the writes that were done, in their order. */
static u32 done[READY_REQUESTS];
static u32 nr_done;
static u64 bytes_of[READY_STREAMS];

static void note(struct ssdqos_ready_stream *s, u32 bytes)
{
	done[nr_done++] = bytes;
	bytes_of[s->id] += bytes;
}

static void listen(void)
{
	nr_done = 0;
	memset(bytes_of, 0, sizeof(bytes_of));
	ready_done = note;
}

/* ---- stops ---- */

static void what_its_period_has_goes(void **state)
{
	struct ssdqos_ready_stream *s;

	ready_set(PES);
	s = ready_add(100);
	assert_true(ready_write(s, PAGE));
	assert_int_equal(ready_last()->decision, SSDQOS_READY_PERIOD);
	assert_true(ready_fill(s, PIECE) < 1 * MB + PIECE);
	assert_true(ready_flash_bytes() >= 1 * MB);
	assert_int_equal(ready_last()->decision, SSDQOS_READY_STOP_PERIOD);
	assert_int_equal(s->stats.stopped, 1);
}

static void what_was_refused_is_free_once(void **state)
{
	struct ssdqos_ready_stream *s;
	u64 before;

	ready_set(PES);
	s = ready_add(100);
	assert_true(ready_write(s, PAGE));
	before = ready->host_bytes;
	ssdqos_ready_refund(ready_last());
	assert_true(ready_write(s, PAGE));
	assert_int_equal(ready->host_bytes, before);
	assert_true(ready_write(s, PAGE));
	assert_int_equal(ready->host_bytes, before + PAGE);
}

static void a_refund_pays_a_part(void **state)
{
	struct ssdqos_ready_stream *s;
	u64 before, used;

	ready_set(PES);
	s = ready_add(100);
	assert_true(ready_write(s, PAGE));
	before = ready->host_bytes;
	used = ready->used_bytes;
	ssdqos_ready_refund(ready_last());
	assert_true(ready_write(s, 3 * PAGE));
	assert_int_equal(ready->host_bytes, before + 2 * PAGE);
	assert_int_equal(ready->used_bytes, used + 2 * PAGE);
}

static void it_goes_in_the_next_period(void **state)
{
	struct ssdqos_ready_stream *s;

	ready_set(PES);
	s = ready_add(100);
	ready_fill(s, PIECE);
	ready_at(1 * S - 1);
	assert_int_equal(ready_next(), 0);
	ready_at(1 * S);
	assert_int_equal(ready_next(), 1);
	assert_int_equal(s->stats.stop_ns, 1 * S);
	assert_int_equal(ready_look().life_stopped, 0);
}

static void writes_of_a_stream_stay_in_order(void **state)
{
	struct ssdqos_ready_stream *s;

	ready_set(PES);
	s = ready_add(100);
	ready_fill(s, PIECE);
	listen();
	/* small enough to go, but not before the one that waits */
	assert_false(ready_write(s, 512));
	assert_int_equal(ready_look().life_stopped, 2);
	ready_at(1 * S);
	assert_false(ready_write(s, 1024));
	ready_next();
	assert_int_equal(nr_done, 3);
	assert_int_equal(done[0], PIECE);
	assert_int_equal(done[1], 512);
	assert_int_equal(done[2], 1024);
}

/* Bytes, not requests, are what they take turns by. */
static void streams_take_turns_by_bytes(void **state)
{
	struct ssdqos_ready_stream *a, *b;
	u32 i;

	ready_set(FIXED);
	a = ready_add(100);
	b = ready_add(100);
	ready_fill(a, PIECE);
	for (i = 0; i < 100; i++)
		ready_write(a, PIECE);
	for (i = 0; i < 1600; i++)
		ready_write(b, PAGE);
	listen();
	ready_run(6 * S);
	assert_true(bytes_of[0] + bytes_of[1] > 5 * MB);
	/* before, a had a period for itself */
	assert_true(bytes_of[1] >= bytes_of[0] - PIECE && bytes_of[1] <= bytes_of[0] + PIECE);
}

/* Who comes late has not saved anything up. */
static void a_pause_gives_no_claim(void **state)
{
	struct ssdqos_ready_stream *a, *b;
	u32 i;

	ready_set(FIXED);
	a = ready_add(100);
	b = ready_add(100);
	for (i = 0; i < 400; i++)
		ready_write(a, PIECE);
	ready_run(10 * S);
	for (i = 0; i < 400; i++)
		ready_write(b, PIECE);
	listen();
	ready_run(16 * S);
	assert_true(bytes_of[0] > bytes_of[1] * 9 / 10 && bytes_of[1] > bytes_of[0] * 9 / 10);
}

static void urgent_writes_never_stop(void **state)
{
	struct ssdqos_ready_stream *s;
	u64 was;

	ready_set(PES);
	s = ready_add(100);
	s->delay_ns = 1 * MS;
	ready_fill(s, PIECE);
	was = ready_look().life_used_bytes;
	listen();
	assert_true(ready_urgent(s, PIECE));
	assert_int_equal(ready_last()->decision, SSDQOS_READY_URGENT);
	/* at once, but not for nothing */
	assert_int_equal(nr_done, 1);
	assert_int_equal(ready_look().life_used_bytes, was + PIECE);
}

/* At the end of a life nothing makes up for them. */
static void urgent_writes_do_not_overdraw(void **state)
{
	struct ssdqos_ready_stream *s;
	u32 i;

	ready_set("drive_endurance_gb=1 drive_used_mb=990 drive_lifetime_h=1 drive_window_s=4 "
		  "drive_throttle=ready_opt");
	s = ready_add(100);
	ready_at(1 * H - 8 * S);
	for (i = 0; i < 10; i++)
		ready_urgent(s, PIECE);
	/* not all of a window's are one burst */
	ready_at(1 * H - 6 * S);
	for (i = 0; i < 10; i++)
		ready_urgent(s, PIECE);
	ready_at(1 * H - 1);
	ready_fill(s, PIECE);
	assert_int_equal(ready_last()->decision, SSDQOS_READY_STOP_SPENT);
	/* twice a burst may come at once */
	assert_in_range(ready_look().life_left_bytes, 20 * PIECE, 21 * PIECE - 1);
	ready_at(1 * H);
	assert_true(ready_next() > 0);
}

static void a_drained_stream_goes_at_once(void **state)
{
	struct ssdqos_ready_stream *s;
	u32 i;

	ready_set(PES);
	s = ready_add(100);
	for (i = 0; i < 100; i++)
		ready_write(s, PIECE);
	assert_true(ready_look().life_stopped > 80);
	ssdqos_ready_drain(s, true);
	assert_int_equal(ssdqos_ready_wake_ns(ready), 0);
	ready_next();
	assert_int_equal(ready_look().life_stopped, 0);
	assert_true(ready_write(s, PIECE));
	assert_int_equal(ready_last()->decision, SSDQOS_READY_DRAIN);
	ssdqos_ready_drain(s, false);
	assert_false(ready_write(s, PIECE));
}

/* One that may go when others may not is first, but not before one that has to. */
static void an_important_stream_does_not_hold_a_drain_up(void **state)
{
	struct ssdqos_ready_stream *important, *other;

	ready_set(PES);
	important = ready_add(0);
	other = ready_add(100);
	ready_fill(important, PIECE);
	assert_false(ready_write(other, PIECE));
	ssdqos_ready_drain(other, true);
	ready_next();
	assert_int_equal(ready_look().life_stopped, 1);
	assert_int_equal(other->lists[SSDQOS_READY_STOPPED].nr, 0);
}

static void an_important_stream_goes_from_its_epoch(void **state)
{
	struct ssdqos_ready_stream *important, *other;

	ready_set(PES);
	important = ready_add(0);
	other = ready_add(100);
	ready_fill(other, PIECE);
	assert_true(ready_write(important, PIECE));
	assert_int_equal(ready_last()->decision, SSDQOS_READY_IMPORTANT);
	/* the others wait until the epoch has made up for it */
	ready_fill(important, PIECE);
	assert_true(ready_flash_bytes() >= 4 * MB && ready_flash_bytes() < 4 * MB + PIECE);
	ready_at(3 * S);
	assert_int_equal(ready_next(), 0);
	ready_at(4 * S);
	assert_int_equal(ready_next(), 2);
}

static void a_stream_that_becomes_important_goes(void **state)
{
	struct ssdqos_ready_stream *a, *b;

	ready_set(PES);
	a = ready_add(100);
	b = ready_add(100);
	ready_fill(b, PIECE);
	assert_false(ready_write(a, PIECE));
	ssdqos_ready_set_stream(b, 0);
	assert_int_equal(ready_next(), 1);
	assert_int_equal(b->lists[SSDQOS_READY_STOPPED].nr, 0);
	/* and the other way round */
	ready_fill(b, PIECE);
	ssdqos_ready_set_stream(b, 100);
	ssdqos_ready_set_stream(a, 0);
	ready_at(1 * S);
	assert_int_equal(ready_next(), 0);
	ready_at(4 * S);
	assert_int_equal(ready_next(), 2);
}

/* A disk that is gone takes nothing: what waits ends, all of it, in its order. */
static void what_waits_can_be_given_up(void **state)
{
	struct ssdqos_ready_stream *stopped, *late;
	u32 i;

	ready_set(PES "drive_delay_at=submission");
	stopped = ready_add(100);
	late = ready_add(100);
	late->delay_ns = 1 * MS;
	assert_false(ready_write(late, PAGE));
	ready_fill(stopped, PIECE);
	for (i = 0; i < 100; i++)
		assert_false(ready_write(stopped, PIECE));
	listen();
	ready_at(1 * S / 2);
	assert_int_equal(ready_fail(), 102);
	assert_int_equal(nr_done, 102);
	assert_int_equal(ready_look().life_stopped, 0);
	assert_int_equal(ready_look().life_late, 0);
	assert_int_equal(stopped->stats.stop_ns, 101 * S / 2);
	assert_int_equal(ssdqos_ready_wake_ns(ready), SSDQOS_NEVER_NS);
	/* and the next one finds everything as it should be */
	assert_int_equal(ready_fail(), 0);
	ready_at(1 * S);
	assert_true(ready_write(stopped, PIECE));
}

/* One byte is left, and costs a thousandth more. */
static void a_write_that_may_not_fit_stops(void **state)
{
	struct ssdqos_ready_stream *s;

	ready_set("drive_pe_cycles=1 drive_capacity_mb=1 drive_waf_permille=1001 "
		  "drive_lifetime_h=1 drive_window_s=3600 drive_throttle=dynamic");
	s = ready_add(0);
	assert_true(ready_write(s, 999000));
	assert_int_equal(ready->used_bytes, 999999);
	assert_false(ready_write(s, 1));
	assert_int_equal(ready_last()->decision, SSDQOS_READY_STOP_SPENT);
}

static void without_a_policy_nothing_waits(void **state)
{
	struct ssdqos_ready_stream *s;

	ready_set(PES);
	s = ready_add(100);
	ready_fill(s, PIECE);
	ready_at(S / 2);
	ready_set("drive_throttle=none");
	assert_int_equal(ssdqos_ready_wake_ns(ready), 0);
	assert_int_equal(ready_next(), 1);
	assert_true(ready_write(s, 100 * MB));
	assert_int_equal(ready_last()->decision, SSDQOS_READY_FREE);
}

/* Requests may come while the parameters change. */
static void without_an_endurance_nothing_is_counted(void **state)
{
	struct ssdqos_ready_stream *s = ready_add(100);

	assert_true(ready_write(s, PIECE));
	ready_at(100 * H);
	assert_true(ready_write(s, PIECE));
	assert_int_equal(ready_last()->decision, SSDQOS_READY_FREE);
	ready_set(READY_MB_A_SECOND);
	assert_int_equal(ready_look().life_used_bytes, 0);
	assert_int_equal(ready_look().life_age_s, 0);
}

/* ---- delays ---- */

static void pages_are_delayed_one_after_the_other(void **state)
{
	struct ssdqos_ready_stream *a, *b;

	ready_set(OPT);
	a = ready_add(100);
	b = ready_add(100);
	a->delay_ns = 2 * MS;
	b->delay_ns = 5 * MS;
	assert_true(ready_write(a, 3 * PAGE));
	assert_int_equal(ready_last()->until_ns, 6 * MS);
	ready_at(1 * MS);
	assert_true(ready_write(a, PAGE + 1));
	assert_int_equal(ready_last()->until_ns, 10 * MS);
	/* somebody else's are not behind these */
	assert_true(ready_write(b, PAGE));
	assert_int_equal(ready_last()->until_ns, 6 * MS);
	assert_int_equal(a->stats.delayed, 2);
	assert_int_equal(a->stats.delay_ns, 15 * MS);
	assert_int_equal(ready_look().life_late, 3);
	/* both of the first at 6 ms */
	ready_at(6 * MS - 1);
	assert_int_equal(ready_next_done(), 0);
	ready_at(6 * MS);
	assert_int_equal(ready_next_done(), 2);
	assert_int_equal(ssdqos_ready_wake_ns(ready), 10 * MS);
	/* after a pause they begin with the time that it is */
	ready_run(20 * MS);
	ready_write(a, PAGE);
	assert_int_equal(ready_last()->until_ns, 22 * MS);
}

static void before_they_go_if_wanted(void **state)
{
	struct ssdqos_ready_stream *s;

	ready_set(OPT "drive_delay_at=submission");
	s = ready_add(100);
	s->delay_ns = 2 * MS;
	listen();
	assert_false(ready_write(s, PAGE));
	assert_false(ready_write(s, PAGE));
	assert_int_equal(ready_flash_bytes(), 0);
	assert_int_equal(ready_look().life_late, 2);
	ready_at(2 * MS);
	assert_int_equal(ready_next(), 1);
	/* not once more when it is done */
	assert_int_equal(nr_done, 1);
	assert_int_equal(ssdqos_ready_wake_ns(ready), 4 * MS);
	assert_int_equal(s->stats.stopped, 0);
	/* changed while it waits, it is not delayed twice */
	ready_set("drive_delay_at=completion");
	s->delay_ns = 2 * MS;
	ready_at(4 * MS);
	assert_int_equal(ready_next(), 1);
	assert_int_equal(nr_done, 2);
}

static void nobody_waits_longer_than_ten_seconds(void **state)
{
	struct ssdqos_ready_stream *s;

	ready_set(OPT);
	s = ready_add(100);
	s->delay_ns = 9 * S;
	ready_write(s, PAGE);
	assert_int_equal(ready_last()->until_ns, 9 * S);
	ready_write(s, PAGE);
	assert_int_equal(ready_last()->until_ns, 10 * S);
	ready_at(1 * S);
	ready_write(s, 1000 * PAGE);
	assert_int_equal(ready_last()->until_ns, 11 * S);
}

static void a_drain_ends_delays(void **state)
{
	struct ssdqos_ready_stream *s;

	ready_set(OPT);
	s = ready_add(100);
	s->delay_ns = 5 * S;
	ready_write(s, PAGE);
	ready_set("drive_delay_at=submission");
	s->delay_ns = 5 * S;
	assert_false(ready_write(s, PAGE));
	ssdqos_ready_drain(s, true);
	assert_int_equal(ssdqos_ready_wake_ns(ready), 0);
	assert_int_equal(ready_next(), 1);
	assert_int_equal(ready_next_done(), 1);
	assert_true(ready_write(s, PAGE));
	assert_int_equal(ready_look().life_late, 0);
	/* and what comes later is not behind them */
	ssdqos_ready_drain(s, false);
	assert_false(ready_write(s, PAGE));
	assert_int_equal(ready_last()->until_ns, 5 * S);
}

/* Their delays begin; but not a thousand of them with a lock held. */
static void those_who_stop_no_more_are_delayed_in_batches(void **state)
{
	struct ssdqos_ready_stream *s;
	u32 i, was;

	ready_set(OPT "drive_delay_at=submission");
	s = ready_add(100);
	ready_fill(s, PIECE);
	for (i = 0; i < 1000; i++)
		assert_false(ready_write(s, PAGE));
	s->delay_ns = 1 * S;
	/* they may, all */
	ready_set("drive_throttle=horizon");
	s->delay_ns = 1 * S;
	do {
		was = s->lists[SSDQOS_READY_STOPPED].nr;
		assert_int_equal(ssdqos_ready_wake_ns(ready), 0);
		assert_null(ssdqos_ready_next(ready, ready_now_ns));
		assert_in_range(was - s->lists[SSDQOS_READY_STOPPED].nr, 1, 64);
	} while (s->lists[SSDQOS_READY_STOPPED].nr);
	assert_int_equal(s->lists[SSDQOS_READY_BEFORE].nr, 1001);
	assert_true(ssdqos_ready_wake_ns(ready) > ready_now_ns);
}

static void urgent_writes_are_not_delayed(void **state)
{
	struct ssdqos_ready_stream *s;

	ready_set(OPT "drive_delay_at=submission");
	s = ready_add(100);
	s->delay_ns = 1 * S;
	assert_true(ready_urgent(s, PAGE));
	assert_int_equal(s->stats.delayed, 0);
}

/* ---- the floor ---- */

static void a_floor_is_left_when_nothing_is(void **state)
{
	struct ssdqos_ready_stream *s;
	u32 i;

	/* 1 MB a second is the budget, ten are left anyway */
	ready_set(PES "drive_floor_kb_s=10000");
	s = ready_add(100);
	for (i = 0; i < 2000; i++)
		ready_write(s, PIECE);
	ready_run(10 * S);
	assert_true(ready_flash_bytes() > 100 * MB && ready_flash_bytes() < 102 * MB);
}

/* What was within the budget before is no reason to stop for longer. */
static void a_burst_does_not_use_the_floor_up(void **state)
{
	struct ssdqos_ready_stream *s;
	u64 was;
	u32 i;

	ready_set(OPT "drive_floor_kb_s=2000");
	s = ready_add(100);
	/* all that may be borrowed, which is hundreds of times the floor */
	was = ready_fill(s, 1 * MB);
	assert_true(was > 1000 * MB);
	for (i = 0; i < 1000; i++)
		ready_write(s, PIECE);
	was = ready_flash_bytes();
	ready_run(12 * S);
	assert_true(ready_flash_bytes() - was > 20 * MB);
	assert_true(ready_flash_bytes() - was < 26 * MB);
}

static void a_floor_bounds_delays(void **state)
{
	struct ssdqos_ready_stream *s;

	ready_set(OPT "drive_floor_kb_s=4096");
	s = ready_add(100);
	s->delay_ns = 5 * S;
	ready_write(s, 10 * PAGE);
	assert_int_equal(ready_last()->until_ns, 10 * MS);
}

/* ---- when to be asked again ---- */

static void without_writes_there_is_no_time(void **state)
{
	assert_true(ssdqos_ready_wake_ns(ready) == SSDQOS_NEVER_NS);
	ready_set(PES);
	assert_true(ssdqos_ready_wake_ns(ready) == SSDQOS_NEVER_NS);
}

static void stopped_writes_wake_with_the_period(void **state)
{
	struct ssdqos_ready_stream *s;

	ready_set(PES);
	s = ready_add(100);
	ready_at(300 * MS);
	ready_fill(s, PIECE);
	assert_int_equal(ssdqos_ready_wake_ns(ready), 1 * S);
	/* of the floor, if that comes first; the last piece went 64 KiB ago */
	ready_set("drive_floor_kb_s=1000");
	ready_fill(s, PIECE);
	assert_in_range(ssdqos_ready_wake_ns(ready), 300 * MS, 1300 * MS);
}

/* A period does not end after its epoch. */
static void stopped_writes_wake_with_the_epoch(void **state)
{
	struct ssdqos_ready_stream *s;

	/* at 10^4 times the speed a period is 10 s: an epoch has one and a fifth */
	ready_set("drive_endurance_gb=36 drive_lifetime_h=10 drive_window_s=12 "
		  "drive_throttle=ready_pes drive_time_scale=10000");
	assert_int_equal(ssdqos_ready_period_ns(ready), 1 * MS);
	s = ready_add(100);
	ready_fill(s, PIECE);
	assert_true(ready_flash_bytes() < 10 * MB + PIECE);
	assert_int_equal(ssdqos_ready_wake_ns(ready), 1 * MS);
	ready_at(1 * MS);
	ready_next();
	ready_fill(s, PIECE);
	assert_int_equal(ssdqos_ready_wake_ns(ready), 1200 * US);
	ready_at(1200 * US);
	assert_int_equal(ready_next(), 1);
}

/* Times that the scale does not divide are rounded up: nobody wakes in vain. */
static void wake_times_are_scaled(void **state)
{
	struct ssdqos_ready_stream *s;

	ready_set(PES "drive_time_scale=7");
	s = ready_add(100);
	ready_fill(s, PIECE);
	assert_int_equal(ssdqos_ready_wake_ns(ready), 142857143);
	ready_at(142857142);
	assert_int_equal(ready_next(), 0);
	ready_at(142857143);
	assert_int_equal(ready_next(), 1);
}

static void stopped_writes_wake_at_the_target(void **state)
{
	struct ssdqos_ready_stream *s;

	/* a second of the drive is less than the tenth of a millisecond */
	ready_set("drive_endurance_gb=36 drive_lifetime_h=10 drive_window_s=14 "
		  "drive_throttle=ready_pes drive_time_scale=10000");
	s = ready_add(100);
	ready_at(3600 * MS - 1);
	/* it may all be written, but not more */
	ready_fill(s, 100 * MB);
	assert_int_equal(ssdqos_ready_wake_ns(ready), 3600 * MS);
	ready_at(3600 * MS);
	/* a write of somebody else is the first to see it */
	ready_write(ready_add(100), PAGE);
	assert_int_equal(ssdqos_ready_wake_ns(ready), 0);
	assert_int_equal(ready_next(), 1);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		READY_TEST(what_its_period_has_goes),
		READY_TEST(what_was_refused_is_free_once),
		READY_TEST(a_refund_pays_a_part),
		READY_TEST(it_goes_in_the_next_period),
		READY_TEST(writes_of_a_stream_stay_in_order),
		READY_TEST(streams_take_turns_by_bytes),
		READY_TEST(a_pause_gives_no_claim),
		READY_TEST(urgent_writes_never_stop),
		READY_TEST(urgent_writes_do_not_overdraw),
		READY_TEST(a_drained_stream_goes_at_once),
		READY_TEST(an_important_stream_does_not_hold_a_drain_up),
		READY_TEST(an_important_stream_goes_from_its_epoch),
		READY_TEST(a_stream_that_becomes_important_goes),
		READY_TEST(what_waits_can_be_given_up),
		READY_TEST(a_write_that_may_not_fit_stops),
		READY_TEST(without_a_policy_nothing_waits),
		READY_TEST(without_an_endurance_nothing_is_counted),
		READY_TEST(pages_are_delayed_one_after_the_other),
		READY_TEST(before_they_go_if_wanted),
		READY_TEST(nobody_waits_longer_than_ten_seconds),
		READY_TEST(a_drain_ends_delays),
		READY_TEST(those_who_stop_no_more_are_delayed_in_batches),
		READY_TEST(urgent_writes_are_not_delayed),
		READY_TEST(a_floor_is_left_when_nothing_is),
		READY_TEST(a_burst_does_not_use_the_floor_up),
		READY_TEST(a_floor_bounds_delays),
		READY_TEST(without_writes_there_is_no_time),
		READY_TEST(stopped_writes_wake_with_the_period),
		READY_TEST(stopped_writes_wake_with_the_epoch),
		READY_TEST(wake_times_are_scaled),
		READY_TEST(stopped_writes_wake_at_the_target),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
