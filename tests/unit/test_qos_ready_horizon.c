// SPDX-License-Identifier: GPL-2.0
/*
 * The policy "horizon": a burst is not a forecast, waits have a bound, and yet the drive lasts.
 */
#include "ready_helper.h"

#define DAY (24 * H)
/* Of the issue: 1 TB, 600 TB in five years. */
#define NEW_DRIVE "drive_endurance_gb=600000 drive_lifetime_h=43800 drive_throttle=horizon "
/* 1 MB a second for five hours. */
#define HORIZON READY_MB_A_SECOND "drive_throttle=horizon "
#define BOUND_NS (100 * MS)
/* What a request takes on the fastest drive: a delay below that is not seen. */
#define NOISE_NS (10 * US)

static u64 next_random(u64 *seed)
{
	*seed = *seed * 6364136223846793005ULL + 1442695040888963407ULL;
	return *seed >> 33;
}

/* Longest wait of those that were written. */
static u64 longest_ns;

static void write_and_look(struct ssdqos_ready_stream *s, u32 bytes)
{
	assert_true(ready_write(s, bytes));
	assert_int_equal(ready_last()->decision, SSDQOS_READY_PLAN);
	if (s->lists[SSDQOS_READY_AFTER].last == ready_last() && s->lists[SSDQOS_READY_AFTER].nr)
		longest_ns = max(longest_ns, ready_last()->until_ns - ready_now_ns);
}

static void burst(struct ssdqos_ready_stream *s, u64 bytes)
{
	u64 gone;

	longest_ns = 0;
	for (gone = 0; gone < bytes; gone += 1 * MB) {
		write_and_look(s, 1 * MB);
		/* two gigabytes a second */
		ready_run(ready_now_ns + S / 2000);
	}
}

/* ---- what is spared goes first ---- */

static void a_backup_is_restored_at_full_speed(void **state)
{
	struct ssdqos_ready_stream *s;

	ready_set(NEW_DRIVE);
	s = ready_add(100);
	burst(s, 50 * GB);
	assert_in_range(longest_ns, 0, NOISE_NS);
	assert_int_equal(ready->why, SSDQOS_READY_WHY_SPARING);
	/* nor is what comes in the days after it */
	ready_run(1 * DAY);
	burst(s, 1 * GB);
	assert_in_range(longest_ns, 0, NOISE_NS);
}

static void what_a_month_has_spared_goes_at_full_speed(void **state)
{
	struct ssdqos_ready_stream *s;

	ready_set(NEW_DRIVE);
	s = ready_add(100);
	ready_run(30 * DAY);
	assert_int_equal(ready->why, SSDQOS_READY_WHY_AHEAD);
	burst(s, 9800 * GB);
	assert_int_equal(longest_ns, 0);
	assert_int_equal(ready->why, SSDQOS_READY_WHY_AHEAD);
	/* 9.86 TB were */
	burst(s, 140 * GB);
	assert_int_equal(ready->why, SSDQOS_READY_WHY_SPARING);
	assert_in_range(longest_ns, 1, NOISE_NS);
}

static void few_files_do_not_make_a_new_drive_slow(void **state)
{
	struct ssdqos_ready_stream *s;

	/* as an administrator found it: 10 s for four bytes */
	ready_set("drive_endurance_gb=1000 drive_throttle=horizon");
	s = ready_add(100);
	burst(s, 62 * MB);
	ready_run(600 * S);
	longest_ns = 0;
	write_and_look(s, PAGE);
	assert_in_range(longest_ns, 0, NOISE_NS);
}

/* What comes after it in the same hours is no forecast, either. */
static void half_a_drive_in_an_hour_is_no_forecast(void **state)
{
	struct ssdqos_ready_stream *s;

	ready_set(NEW_DRIVE);
	s = ready_add(100);
	burst(s, 500 * GB);
	/* a queue of one goes at 1 GB/s yet */
	assert_in_range(s->delay_ns, 1, 4 * US);
}

/* ---- a load that lasts has one delay ---- */

/* Twice what the drive can take, all of it in the first half of each day. */
#define LASTING_BYTES (4 * 600000 * GB / 43800)
#define LASTING_DAYS 56

struct seen {
	u64 least_ns, most_ns;
};

/* An hour of somebody who waits for each page, and wants the next one later. */
static void write_for_an_hour(struct ssdqos_ready_stream *s, struct seen *seen)
{
	u64 left, part;

	for (left = LASTING_BYTES; left; left -= part) {
		seen->least_ns = min(seen->least_ns, s->delay_ns);
		seen->most_ns = max(seen->most_ns, s->delay_ns);
		part = min(left, 100 * MB);
		ssdqos_ready_bulk(s, part, ready_now_ns);
		ready_at(ready_now_ns + part / PAGE * s->delay_ns);
		ready_tick();
	}
}

static void a_load_that_lasts_has_one_delay(void **state)
{
	struct seen seen = { .least_ns = ~0ULL };
	struct ssdqos_ready_stream *s;
	u32 hour;

	ready_set(NEW_DRIVE);
	s = ready_add(100);
	for (hour = 0; hour < 24 * LASTING_DAYS; hour++) {
		if (hour == 12 * LASTING_DAYS)
			seen = (struct seen){ .least_ns = ~0ULL };
		if (hour % 24 < 12)
			write_for_an_hour(s, &seen);
		ready_at(ready_now_ns + H);
		ready_tick();
	}
	/* page / f is 1.08 ms, and half of it the load's own time */
	/* in the morning, when the night has spared something, it is shorter */
	assert_in_range(seen.least_ns, 350 * US, 545 * US);
	assert_in_range(seen.most_ns, 545 * US, 580 * US);
}

/* ---- waits have a bound ---- */

struct run {
	double endurance, target_ns;
	u64 over_ns;
};

/* Is less spent than the plan and a tenth of what is left? */
static bool is_within(const struct run *run, u64 more)
{
	const double used = (double)(ready->used_bytes + more);
	const double plan = run->endurance * (double)ready->life_ns / run->target_ns;

	return used < plan + (run->endurance - used) / 10;
}

/* A write waits for the bound at most, unless one before it was allowed to wait longer. */
static void bounded_write(struct run *run, struct ssdqos_ready_stream *s, u32 bytes)
{
	const u64 was_ns = s->stats.delay_ns;
	u64 wait_ns;

	if (!is_within(run, bytes))
		run->over_ns = ready_now_ns;
	write_and_look(s, bytes);
	wait_ns = s->stats.delay_ns - was_ns;
	if (wait_ns > BOUND_NS && (!run->over_ns || ready_now_ns - run->over_ns > 10 * S))
		fail_msg("%llu ns at %llu s", wait_ns, ready_now_ns / S);
	if (s->delay_ns > 3 * PAGE * 1000000ULL / 250)
		fail_msg("%llu ns a page is slower than the floor", s->delay_ns);
}

static void no_write_waits_longer_than_the_bound(void **state)
{
	u64 seed;

	for (seed = 1; seed <= 20; seed++) {
		struct run run = { .endurance = 18e9, .target_ns = 5.0 * H };
		struct ssdqos_ready_stream *s[3];
		u64 rng = seed, long_ns = 0, i, j;

		ready_finish(state);
		ready_setup(state);
		ready_set(HORIZON);
		for (i = 0; i < 3; i++)
			s[i] = ready_add(100);
		for (i = 0; i < 2000; i++) {
			for (j = next_random(&rng) % 64; j; j--)
				ready_look().life_late < READY_REQUESTS - 64 ?
				bounded_write(&run, s[next_random(&rng) % 3],
					      (u32)(PAGE << next_random(&rng) % 9)) : (void)0;
			long_ns = max(long_ns, longest_ns);
			ready_run(ready_now_ns + (S / 1000 << next_random(&rng) % 14));
		}
		/* it was a test of something */
		assert_true(long_ns >= BOUND_NS);
		longest_ns = 0;
	}
}

static void nothing_is_slower_than_the_floor(void **state)
{
	struct ssdqos_ready_stream *s;
	u64 was, i;

	ready_set(HORIZON "drive_used_mb=18000");
	assert_int_equal(ready_look().life_floor_kb_s, 250);
	assert_int_equal(ready->why, SSDQOS_READY_WHY_SPENT);
	s = ready_add(100);
	for (i = 0; i < 4000; i++)
		ready_write(s, PAGE);
	was = ready_look().life_late;
	ready_run(10 * S);
	assert_true((was - (u64)ready_look().life_late) * PAGE >= 10 * 250 * KB * 99 / 100);
	/* by one that is given, if there is one */
	ready_set("drive_floor_kb_s=1000");
	assert_int_equal(ready_look().life_floor_kb_s, 1000);
	assert_true(s->delay_ns <= PAGE * 1000);
}

/* ---- and yet it lasts ---- */

static u32 piece;

static void write_again(struct ssdqos_ready_stream *s, u32 bytes)
{
	ready_write(s, piece);
}

/* Life time at which all is used. */
static u64 worn_out_ns(u64 until_ns)
{
	while (ready_now_ns < until_ns && ready->used_bytes < ready->endurance_bytes)
		ready_run(ready_now_ns + 1 * S);
	return ready_now_ns;
}

/* Any number of clients that always want more, with any number of writes under way. */
static void it_lasts_as_long_as_it_shall(void **state)
{
	static const u32 streams[] = { 1, 3, 8 }, depths[] = { 1, 32, 400 };
	u32 i, j, k, n;

	for (i = 0; i < ARRAY_SIZE(streams); i++) {
		for (j = 0; j < ARRAY_SIZE(depths); j++) {
			ready_finish(state);
			ready_setup(state);
			piece = i == 1 ? PAGE : 16 * PAGE;
			ready_set(HORIZON);
			for (k = 0; k < streams[i]; k++)
				ready_add(100);
			/* no drive is infinitely fast: it gets a tenth at the start */
			ready_run(1 * S);
			ready_done = write_again;
			for (k = 0; k < streams[i]; k++)
				for (n = 0; n < depths[j]; n++)
					ready->by_id[k]->delay_ns = 1 * MS,
					ready_write(ready->by_id[k], piece);
			worn_out_ns(5 * H - 1);
			ready_done = NULL;
			if (ready_now_ns < 5 * H * 98 / 100 ||
			    ready->used_bytes < ready->endurance_bytes * 98 / 100)
				fail_msg("%u streams, depth %u: %llu of %llu at %llu s", streams[i],
					 depths[j], ready->used_bytes, ready->endurance_bytes,
					 ready_now_ns / S);
		}
	}
}

/* ---- who is delayed ---- */

static void overdraw(struct ssdqos_ready_stream *s, u64 bytes)
{
	ssdqos_ready_bulk(s, bytes, ready_now_ns);
	ready_tick();
}

/* Half of what is left, again and again, at one moment: no number becomes too large. */
static void the_less_is_left_the_longer_is_the_delay(void **state)
{
	struct ssdqos_ready_stream *s;
	u64 left, was_ns = 0;

	ready_set(HORIZON);
	s = ready_add(100);
	while ((left = (u64)ready_look().life_left_bytes) > PAGE) {
		overdraw(s, left / 2);
		assert_true(ready->delay_ns >= was_ns);
		was_ns = ready->delay_ns;
	}
	assert_int_equal(ready->why, SSDQOS_READY_WHY_OVERDRAWN);
	overdraw(s, PAGE);
	assert_int_equal(ready->why, SSDQOS_READY_WHY_SPENT);
	assert_int_equal(ready->delay_ns, was_ns);
}

static void important_streams_and_metadata_are_not_delayed(void **state)
{
	struct ssdqos_ready_stream *important, *other;

	ready_set(HORIZON);
	important = ready_add(0);
	other = ready_add(100);
	overdraw(important, 500 * MB);
	overdraw(other, 500 * MB);
	ready_at(4 * S);
	ready_tick();
	assert_int_equal(ready->why, SSDQOS_READY_WHY_SPARING);
	assert_int_equal(important->delay_ns, 0);
	/* who is left pays for both */
	assert_in_range(other->delay_ns, ready->delay_ns * 19 / 10, ready->delay_ns * 21 / 10);
	write_and_look(important, PAGE);
	assert_int_equal(important->stats.delayed, 0);
	assert_true(ready_urgent(other, PAGE));
	assert_int_equal(ready_last()->decision, SSDQOS_READY_URGENT);
	assert_int_equal(other->stats.delayed, 0);
	/* an hour of rest later it still does */
	ready_run(1 * H / 10);
	overdraw(other, 400 * MB);
	ready_run(1 * H / 10 + 8 * S);
	assert_int_equal(important->delay_ns, 0);
}

static void a_drained_stream_goes(void **state)
{
	struct ssdqos_ready_stream *s;

	ready_set(HORIZON);
	s = ready_add(100);
	overdraw(s, 2 * GB);
	write_and_look(s, 16 * PAGE);
	assert_int_equal(ready_look().life_late, 1);
	ssdqos_ready_drain(s, true);
	assert_int_equal(ready_next_done(), 1);
	assert_true(ready_write(s, PAGE));
	assert_int_equal(ready_look().life_late, 0);
}

/* ---- policies change, a life goes on ---- */

static void those_who_have_stopped_go(void **state)
{
	struct ssdqos_ready_stream *s;

	ready_set(READY_MB_A_SECOND "drive_throttle=ready_pes");
	s = ready_add(100);
	ready_fill(s, 64 * KB);
	assert_int_equal(ready_look().life_stopped, 1);
	ready_set("drive_throttle=horizon");
	assert_int_equal(ssdqos_ready_wake_ns(ready), 0);
	assert_int_equal(ready_next(), 1);
}

static void what_is_left_is_shared_out_anew(void **state)
{
	struct ssdqos_ready_stream *s;

	ready_set(READY_MB_A_SECOND);
	s = ready_add(100);
	overdraw(s, 9 * GB);
	ready_run(1 * H);
	/* half is left: that is what is planned from here on */
	ready_set("drive_throttle=horizon");
	ready_run(1 * H + 8 * S);
	assert_int_equal(ready->why, SSDQOS_READY_WHY_AHEAD);
	overdraw(s, 900 * MB);
	assert_int_equal(ready->why, SSDQOS_READY_WHY_OVERDRAWN);
	/* more time, less a second */
	ready_set("drive_lifetime_h=20");
	assert_int_equal(ready->why, SSDQOS_READY_WHY_AHEAD);
	/* what changes nothing to share out, changes no plan */
	ready_run(1 * H + 16 * S);
	overdraw(s, 300 * MB);
	ready_set("drive_max_delay_ms=50");
	assert_int_equal(ready->why, SSDQOS_READY_WHY_SPARING);
	assert_int_equal(ready_look().life_max_wait_ns, 50 * MS);
}

static void wear_of_the_past_is_no_overdraft(void **state)
{
	struct ssdqos_wear_report report = { .used_permyriad = 5000 };
	char err[256];

	ready_set(HORIZON);
	ready_add(100);
	ready_run(10 * S);
	assert_int_equal(ssdqos_ready_report(ready, &report, ready_now_ns, err, sizeof(err)), 0);
	assert_int_equal(ready->why, SSDQOS_READY_WHY_AHEAD);
	/* what comes later is wear */
	report.used_permyriad = 6000;
	assert_int_equal(ssdqos_ready_report(ready, &report, ready_now_ns, err, sizeof(err)), 0);
	assert_int_equal(ready->why, SSDQOS_READY_WHY_OVERDRAWN);
}

static void the_plan_survives(void **state)
{
	u8 header[SSDQOS_READY_HEADER_BYTES];
	struct ssdqos_ready_gauges was, now;
	struct ssdqos_ready_stream *s;
	char err[256];

	ready_set(HORIZON "drive_used_mb=2000 drive_age_h=1");
	s = ready_add(100);
	overdraw(s, 1 * GB);
	ready_run(1 * H);
	was = ready_look();
	ssdqos_ready_save_header(ready, 1, 1000, header);
	ssdqos_ready_seal_header(header);
	ready_finish(state);
	ready_setup(state);
	ready_set(HORIZON "drive_used_mb=2000 drive_age_h=1");
	assert_int_equal(ssdqos_ready_load(ready, header, NULL, 1000, 0, err, sizeof(err)), 0);
	now = ready_look();
	assert_int_equal(now.life_plan_bytes, was.life_plan_bytes);
	assert_int_equal(now.life_delay_ns, was.life_delay_ns);
	assert_int_equal(now.life_delay_why, was.life_delay_why);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		READY_TEST(a_backup_is_restored_at_full_speed),
		READY_TEST(what_a_month_has_spared_goes_at_full_speed),
		READY_TEST(few_files_do_not_make_a_new_drive_slow),
		READY_TEST(half_a_drive_in_an_hour_is_no_forecast),
		READY_TEST(a_load_that_lasts_has_one_delay),
		READY_TEST(no_write_waits_longer_than_the_bound),
		READY_TEST(nothing_is_slower_than_the_floor),
		READY_TEST(it_lasts_as_long_as_it_shall),
		READY_TEST(the_less_is_left_the_longer_is_the_delay),
		READY_TEST(important_streams_and_metadata_are_not_delayed),
		READY_TEST(a_drained_stream_goes),
		READY_TEST(those_who_have_stopped_go),
		READY_TEST(what_is_left_is_shared_out_anew),
		READY_TEST(wear_of_the_past_is_no_overdraft),
		READY_TEST(the_plan_survives),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
