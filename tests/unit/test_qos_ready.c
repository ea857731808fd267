// SPDX-License-Identifier: GPL-2.0
/*
 * Budgets of epochs, delays and lengths of READY, by numbers from the dissertation, section 5.4.
 */
#include <math.h>

#include "ready_helper.h"

#define PES READY_MB_A_SECOND "drive_throttle=ready_pes "
#define OPT READY_MB_A_SECOND "drive_throttle=ready_opt "
#define FIXED READY_MB_A_SECOND "drive_throttle=static "
/* The example of section 5.4.3, times 1000: 3 GB in three epochs of 20 minutes. */
#define THREE_EPOCHS "drive_endurance_gb=3 drive_lifetime_h=1 drive_window_s=1200 "
#define PIECE 10000

static bool is_near(double got, double want, double part)
{
	if (fabs(got - want) <= part * fabs(want))
		return true;
	print_error("%.9g, not %.9g\n", got, want);
	return false;
}

/* So many bytes in pieces, as far as they go; what has gone. */
static u64 write_all(struct ssdqos_ready_stream *s, u64 bytes)
{
	u64 was = ready_flash_bytes();

	for (; bytes; bytes -= min(bytes, (u64)PIECE))
		ready_write(s, (u32)min(bytes, (u64)PIECE));
	return ready_flash_bytes() - was;
}

static void write_pages(struct ssdqos_ready_stream *s, u32 pages)
{
	while (pages--)
		ready_write(s, PAGE);
}

static double delay_ns(void)
{
	return (double)ready_look().life_delay_ns;
}

static u32 why(void)
{
	return (u32)ready_look().life_delay_why;
}

/* ---- the budget of an epoch ---- */

static void what_is_left_is_shared_out_by_time(void **state)
{
	struct ssdqos_ready_stream *s;

	ready_set(PES);
	s = ready_add(100);
	assert_true(is_near((double)ready_look().life_epoch_bytes, 4e6, 1e-6));
	assert_int_equal(ready_look().life_epoch_s, 4);
	ready_at(4 * S);
	assert_true(is_near((double)ready_look().life_epoch_bytes, 18e9 * 4 / 17996, 1e-6));
	assert_int_equal(write_all(s, 900 * KB), 900 * KB);
	ready_at(8 * S);
	assert_true(is_near((double)ready_look().life_epoch_bytes, (18e9 - 9e5) * 4 / 17992, 1e-6));
	assert_int_equal(ready_look().life_left_bytes, 18 * GB - 900 * KB);
}

static void an_epoch_may_have_more_windows(void **state)
{
	ready_set(PES);
	ready_add(100);
	ready_at(9 * S);
	ready_tick();
	ssdqos_ready_search(ready, 5);
	assert_int_equal(ready_look().life_epoch_s, 20);
	assert_true(is_near((double)ready_look().life_epoch_bytes, 18e9 * 20 / 17992, 1e-6));
	/* it began with the current window, at 8 s */
	ready_at(28 * S - 1);
	ready_tick();
	assert_int_equal(ready->epoch.start_ns, 8 * S);
	ready_at(28 * S);
	ready_tick();
	assert_int_equal(ready->epoch.start_ns, 28 * S);
}

static void the_last_epoch_ends_with_the_life(void **state)
{
	struct ssdqos_ready_stream *s;

	ready_set("drive_endurance_gb=36 drive_lifetime_h=1 drive_window_s=1000 "
		  "drive_throttle=ready_opt");
	s = ready_add(100);
	ready_at(3000 * S);
	assert_int_equal(ready_look().life_epoch_s, 600);
	assert_int_equal(ready_look().life_epoch_bytes, 36 * GB);
	assert_int_equal(ready_look().life_spare_bytes, 0);
	/* half of its time, half of its bytes */
	ready_at(3300 * S - 1);
	assert_true(is_near((double)ready_fill(s, 10 * MB), 18e9, 0.001));
}

static void a_life_shorter_than_a_window_has_one_epoch(void **state)
{
	struct ssdqos_ready_stream *s;

	ready_set("drive_endurance_gb=36 drive_lifetime_h=1 drive_window_s=86400 "
		  "drive_throttle=ready_opt");
	s = ready_add(100);
	assert_int_equal(ready_look().life_epoch_s, 3600);
	assert_int_equal(ready_look().life_epoch_bytes, 36 * GB);
	ready_at(1800 * S - 1);
	assert_true(is_near((double)ready_fill(s, 10 * MB), 18e9, 0.001));
}

/* ---- section 5.4.3 ---- */

/* Figure 36: 4.2 MB are wanted of an epoch that has 4 MB. */
static void no_epoch_gets_more_than_its_capacity(void **state)
{
	const u64 wanted[] = { 700 * KB, 1500 * KB, 1200 * KB, 800 * KB };
	const u64 gets[] = { 700 * KB, 2000 * KB, 3000 * KB, 4000 * KB };
	struct ssdqos_ready_stream *s;
	u32 i;

	ready_set(PES);
	s = ready_add(100);
	for (i = 0; i < 4; i++) {
		ready_at(i * S);
		ready_next();
		write_all(s, wanted[i]);
		assert_int_equal(ready_flash_bytes(), gets[i]);
	}
	ready_at(4 * S);
	ready_next();
	assert_int_equal(ready_flash_bytes(), 4200 * KB);
}

/* Figure 37(a) */
static void the_pessimist_spreads_a_burst(void **state)
{
	struct ssdqos_ready_stream *s;
	u64 i;

	ready_set(PES);
	s = ready_add(100);
	write_all(s, 4 * MB);
	for (i = 1; i <= 4; i++) {
		assert_int_equal(ready_flash_bytes(), i * MB);
		ready_at(i * S);
		ready_next();
	}
}

/* Figure 37(b) */
static void the_optimist_lets_it_go(void **state)
{
	struct ssdqos_ready_stream *s;

	ready_set(OPT);
	s = ready_add(100);
	assert_int_equal(write_all(s, 4 * MB), 4 * MB);
	assert_int_equal(s->stats.stopped, 0);
	assert_int_equal(ready_last()->decision, SSDQOS_READY_SPARE);
}

/* The example of section 5.4.3, in GB rather than MB. */
static void who_borrows_lives_on_less(void **state)
{
	struct ssdqos_ready_stream *s;
	u32 i;

	ready_set(THREE_EPOCHS "drive_throttle=ready_opt");
	s = ready_add(100);
	assert_true(is_near((double)ready_look().life_epoch_bytes, 1e9, 2e-6));
	assert_true(is_near((double)ready_look().life_spare_bytes, (double)(200 * MB), 2e-6));
	ready_at(1199 * S);
	assert_int_equal(write_all(s, 1100 * MB), 1100 * MB);
	ready_at(1200 * S);
	assert_true(is_near((double)ready_look().life_epoch_bytes, (double)(900 * MB), 2e-6));
	assert_true(is_near((double)ready_look().life_spare_bytes, (double)(100 * MB), 2e-6));
	/* got along with it: the rest is shared out evenly */
	ready_at(2399 * S);
	for (i = 0; i < 800; i++)
		assert_true(ready_write(s, 1 * MB));
	ready_at(2400 * S);
	assert_true(is_near((double)ready_look().life_epoch_bytes, (double)(1100 * MB), 2e-6));
	assert_int_equal(ready_look().life_spare_bytes, 0);
}

static void who_has_borrowed_all_borrows_no_more(void **state)
{
	struct ssdqos_ready_stream *s;

	ready_set(THREE_EPOCHS "drive_throttle=ready_opt");
	s = ready_add(100);
	ready_at(1199 * S);
	assert_int_equal(ready_fill(s, PIECE), 1200 * MB);
	ready_run(1200 * S);
	assert_true(is_near((double)ready_look().life_epoch_bytes, (double)(900 * MB), 2e-6));
	/* a few bytes are rounding */
	assert_in_range(ready_look().life_spare_bytes, 0, 10);
	/* 900 MB in 1200 periods of this epoch */
	assert_in_range(ready_look().life_epoch_used_bytes, 0, 750 * KB + PIECE);
}

/* ... nor when a request was larger than what was left of it. */
static void what_is_too_much_is_not_lent_again(void **state)
{
	struct ssdqos_ready_stream *s;

	ready_set(THREE_EPOCHS "drive_throttle=ready_opt");
	s = ready_add(100);
	ready_at(1199 * S);
	assert_int_equal(ready_fill(s, 7 * MB), 172 * 7 * MB);
	ready_run(1200 * S);
	assert_true(is_near((double)ready_look().life_epoch_bytes, (double)((3000 - 1204) * MB / 2), 2e-6));
	assert_int_equal(ready_look().life_spare_bytes, 0);
}

static void who_needs_less_saves_for_all_later_epochs(void **state)
{
	struct ssdqos_ready_stream *s;

	ready_set(THREE_EPOCHS "drive_throttle=ready_opt");
	s = ready_add(100);
	ready_at(1199 * S);
	write_all(s, 500 * MB);
	ready_at(1200 * S);
	assert_true(is_near((double)ready_look().life_epoch_bytes, (double)(1250 * MB), 2e-6));
	assert_true(is_near((double)ready_look().life_spare_bytes, (double)(125 * MB), 2e-6));
}

static void the_spare_part_is_a_parameter(void **state)
{
	struct ssdqos_ready_stream *s;

	ready_set(THREE_EPOCHS "drive_throttle=dynamic drive_spare_permille=500");
	s = ready_add(100);
	assert_true(is_near((double)ready_look().life_spare_bytes, 1e9, 2e-6));
	ready_at(1199 * S);
	write_all(s, 1500 * MB);
	ready_at(1200 * S);
	assert_true(is_near((double)ready_look().life_epoch_bytes, (double)(500 * MB), 2e-6));
	assert_true(is_near((double)ready_look().life_spare_bytes, (double)(500 * MB), 2e-6));
}

/* ---- the fixed rate ---- */

static void a_fixed_rate_loses_what_a_second_does_not_use(void **state)
{
	struct ssdqos_ready_stream *s;

	ready_set(FIXED);
	s = ready_add(100);
	ready_at(3 * S);
	assert_int_equal(ready_fill(s, PIECE), 1 * MB);
	ready_at(4 * S);
	assert_int_equal(ready_next(), 1);
	/* and stays what it was, whatever is left of the endurance */
	ready_at(4 * H);
	assert_true(is_near((double)ready_look().life_epoch_bytes, (double)(4 * MB), 2e-6));
	ready_at(4 * H + S / 2);
	assert_int_equal(ready_fill(s, PIECE), 1 * MB);
	assert_int_equal(ready->delay_ns, 0);
	assert_int_equal(why(), SSDQOS_READY_WHY_STATIC);
}

static void write_three_mb(struct ssdqos_ready_stream *s, u32 bytes)
{
	ready_write(s, 3 * MB);
}

/* A write larger than a second's part is paid for, by the next epoch if need be. */
static void a_fixed_rate_is_kept_by_large_writes(void **state)
{
	struct ssdqos_ready_stream *s;
	u32 i;

	ready_set(FIXED);
	s = ready_add(100);
	ready_done = write_three_mb;
	ready_at(3500 * MS);
	ready_write(s, 3 * MB);
	for (i = 10; i < 400; i += 10) {
		ready_run(i * S);
		assert_true(ready_flash_bytes() <= i * MB + 3 * MB);
	}
	assert_true(ready_flash_bytes() >= 380 * MB);
}

/* ---- the delay ---- */

static void the_first_epoch_has_none(void **state)
{
	ready_set(OPT);
	ready_add(100);
	assert_int_equal(why(), SSDQOS_READY_WHY_FIRST);
	assert_int_equal(delay_ns(), 0);
}

/*
 * (5.6) with F = 4 s, W = 1500 pages, and c = 0.9 * 4 MB as something was borrowed:
 * 4 s * (6144000 / 3600000 - 1) / (3600000 / 4096) = 3.216 ms.
 */
static void it_rises_by_5_6(void **state)
{
	struct ssdqos_ready_stream *s;

	ready_set(OPT);
	s = ready_add(100);
	write_pages(s, 1500);
	assert_true(ready_hears(4 * S, SSDQOS_WATCH_LIFE_EPOCH));
	assert_int_equal(why(), SSDQOS_READY_WHY_MORE);
	assert_int_equal(ready_look().life_epoch_expected_bytes, 1500 * PAGE);
	assert_true(is_near(delay_ns(), 3.216e6, 0.002));
	assert_int_equal(ready_events[0].delay_ns, ready->delay_ns);
	assert_true(is_near((double)ready_events[0].epoch_bytes, 3.6e6, 1e-3));
	assert_int_equal(s->delay_ns, ready->delay_ns);
	/* and by as much again if as much is written: it is a change, not a value */
	write_pages(s, 1500);
	ready_at(8 * S);
	assert_true(is_near(delay_ns(), 2 * 3.216e6, 0.002));
}

/* (5.7): 4 s * (3600000 / 3276800 - 1) / (3600000 / 4096) = 0.449 ms less. */
static void it_falls_by_5_7(void **state)
{
	struct ssdqos_ready_stream *s;
	double was, capacity;

	ready_set(OPT);
	s = ready_add(100);
	write_pages(s, 1500);
	ready_at(4 * S);
	was = delay_ns();
	write_pages(s, 800);
	ready_at(8 * S);
	capacity = (double)ready_look().life_epoch_bytes;
	assert_int_equal(why(), SSDQOS_READY_WHY_LESS);
	assert_true(is_near(was - delay_ns(), 4e9 * (capacity / (800 * 4096) - 1) /
			    (capacity / 4096), 0.002));
	/* a little is worth a lot: to nothing */
	write_pages(s, 100);
	ready_at(12 * S);
	assert_int_equal(delay_ns(), 0);
	assert_int_equal(why(), SSDQOS_READY_WHY_ENOUGH);
}

static void it_is_gone_after_an_epoch_without_writes(void **state)
{
	struct ssdqos_ready_stream *s;

	ready_set(OPT);
	s = ready_add(100);
	write_pages(s, 2000);
	ready_at(4 * S);
	assert_true(delay_ns() > 0);
	ready_at(8 * S);
	assert_int_equal(delay_ns(), 0);
	assert_int_equal(s->delay_ns, 0);
}

/* What a page costs of the endurance is part of m, and of W. */
static void amplification_is_counted(void **state)
{
	struct ssdqos_ready_stream *s;

	/* 36 GB of flash writes: 18 cycles of 2 GB */
	ready_set("drive_pe_cycles=18 drive_capacity_mb=2000 drive_waf_permille=2000 "
		  "drive_lifetime_h=5 drive_window_s=4 drive_throttle=ready_opt");
	s = ready_add(100);
	assert_true(is_near((double)ready_look().life_epoch_bytes, 8e6, 1e-6));
	write_pages(s, 1500);
	assert_int_equal(ready_look().life_used_bytes, 2 * 1500 * PAGE);
	assert_int_equal(ready_look().life_host_bytes, 1500 * PAGE);
	ready_at(4 * S);
	assert_true(is_near(delay_ns(), 3.216e6, 0.002));
}

static void odd_amplification_loses_nothing(void **state)
{
	struct ssdqos_ready_stream *s;
	u32 i;

	ready_set("drive_pe_cycles=18 drive_capacity_mb=2000 drive_waf_permille=1337");
	s = ready_add(100);
	for (i = 0; i < 1000; i++)
		ready_write(s, 1023);
	assert_int_equal(ready_look().life_used_bytes, 1000 * 1023 * 1337ULL / 1000);
}

/*
 * Writes that stop for half of the time would have been twice as many: W is twice what it was, and
 * d = 4 s * (2 * 4 MB / 4 MB - 1) / (4 MB / 4096).
 */
static void stops_turn_into_a_delay(void **state)
{
	struct ssdqos_ready_stream *s;
	u32 i;

	ready_set(PES);
	s = ready_add(100);
	for (i = 0; i < 4; i++) {
		ready_at(i * S + S / 2);
		ready_fill(s, PIECE);
		ready_at((i + 1) * S);
		ready_next();
	}
	assert_int_equal(s->stats.stopped, 4);
	assert_int_equal(s->stats.stop_ns, 2 * S);
	assert_true(is_near(delay_ns(), 4e9 / (4e6 / 4096), 0.05));
}

/* A closed loop is slowed down until it stops no more. */
static void write_again(struct ssdqos_ready_stream *s, u32 bytes)
{
	ready_write(s, bytes);
}

static void a_loop_settles_without_stops(void **state)
{
	struct ssdqos_ready_stream *s;
	u64 stop_ns, was;

	ready_set("drive_endurance_gb=18 drive_lifetime_h=5 drive_window_s=60 "
		  "drive_throttle=ready_pes ");
	s = ready_add(100);
	ready_done = write_again;
	ready_write(s, PAGE);
	ready_run(1 * H);
	stop_ns = s->stats.stop_ns;
	was = ready_flash_bytes();
	ready_run(2 * H);
	assert_true(s->stats.stop_ns - stop_ns < H / 20);
	assert_true(is_near((double)(ready_flash_bytes() - was), 3600e6, 0.03));
	assert_true(is_near(delay_ns(), 4.096e6, 0.1));
}

/* ---- priority (section 7.2.3) ---- */

static double mean_delay_ns(struct ssdqos_ready_stream **s, u32 nr)
{
	double sum = 0, pages = 0;
	u32 i;

	for (i = 0; i < nr; i++) {
		sum += (double)(s[i]->last_pages * s[i]->delay_ns);
		pages += (double)s[i]->last_pages;
	}
	return sum / pages;
}

static void the_mean_over_all_pages_is_the_delay(void **state)
{
	struct ssdqos_ready_stream *s[4];
	u32 i;

	ready_set(OPT);
	s[0] = ready_add(0);
	s[1] = ready_add(50);
	s[2] = ready_add(100);
	s[3] = ready_add(300);
	for (i = 0; i < 4; i++)
		write_pages(s[i], 200 + 300 * i);
	ready_at(4 * S);
	assert_true(delay_ns() > 1e6);
	assert_int_equal(s[0]->delay_ns, 0);
	assert_true(is_near((double)s[2]->delay_ns, 2 * (double)s[1]->delay_ns, 1e-6));
	assert_true(is_near((double)s[3]->delay_ns, 3 * (double)s[2]->delay_ns, 1e-6));
	assert_true(is_near(mean_delay_ns(s, 4), (double)ready->delay_ns, 0.02));
	/* at once when a weight changes */
	ssdqos_ready_set_stream(s[3], 0);
	assert_int_equal(s[3]->delay_ns, 0);
	assert_true(is_near(mean_delay_ns(s, 4), (double)ready->delay_ns, 0.02));
}

static void if_all_are_important_none_is_delayed(void **state)
{
	struct ssdqos_ready_stream *s;

	ready_set(OPT);
	s = ready_add(0);
	write_pages(s, 2000);
	ready_at(4 * S);
	assert_true(delay_ns() > 0);
	assert_int_equal(s->delay_ns, 0);
}

static void who_wrote_nothing_pays_with_the_others(void **state)
{
	struct ssdqos_ready_stream *important, *other;

	ready_set(OPT);
	important = ready_add(0);
	other = ready_add(100);
	write_pages(important, 2000);
	ready_at(4 * S);
	assert_int_equal(other->delay_ns, ready->delay_ns);
	/* one that comes now, too */
	assert_int_equal(ready_add(100)->delay_ns, ready->delay_ns);
}

/* ---- length of epochs (section 5.4.4) ---- */

static u32 best_windows(const u32 *pages, u32 nr, u32 most)
{
	u64 sums[32] = { 0 };

	assert_true(nr < ARRAY_SIZE(sums));
	for (u32 i = 0; i < nr; i++)
		sums[i + 1] = sums[i] + pages[i];
	return ssdqos_ready_best_windows(sums, nr, most);
}

/* As in Figure 38: what one window has not, the next one has. */
static void the_best_length_repeats(void **state)
{
	const u32 figure[] = { 3, 6, 3, 6 };
	const u32 seven[] = { 9, 1, 5, 2, 80, 4, 4, 9, 1, 5, 2, 80, 4, 4, 9, 1, 5, 2, 80, 4, 4 };
	const u32 same[] = { 7, 7, 7, 7, 7, 7 };
	const u32 nothing[] = { 0, 0, 0, 0, 5, 5 };

	assert_int_equal(best_windows(figure, 4, 100), 2);
	assert_int_equal(best_windows(seven, 21, 100), 7);
	/* the first of the best */
	assert_int_equal(best_windows(same, 6, 100), 1);
	/* 0 to 5 is a change, and the last ones are whole */
	assert_int_equal(best_windows(nothing, 6, 1), 1);
	assert_int_equal(best_windows(figure, 3, 100), 1);
}

static void the_best_length_is_bounded(void **state)
{
	const u32 figure[] = { 3, 6, 3, 6 };

	assert_int_equal(best_windows(figure, 4, 1), 1);
	assert_int_equal(best_windows(figure, 0, 100), 1);
	assert_int_equal(best_windows(figure, 1, 100), 1);
	/* eight of them are left of the life */
	ready_set(PES);
	assert_int_equal(ssdqos_ready_most_windows(ready), 18000 / 8 / 4);
	ready_at(17990 * S);
	ready_tick();
	assert_int_equal(ssdqos_ready_most_windows(ready), 1);
}

/* Windows with so many pages each, to the end of the last one. */
static void windows(struct ssdqos_ready_stream *s, const u32 *pages, u32 nr)
{
	const u64 begin_ns = ready_now_ns;
	u32 i;

	for (i = 0; i < nr; i++) {
		ready_at(begin_ns + i * 4 * S);
		ready_tick();
		write_pages(s, pages[i]);
	}
	ready_at(begin_ns + nr * 4 * S);
	ready_tick();
}

/* Enough for all, so that no delay interferes. */
#define PLENTY "drive_endurance_gb=180 drive_lifetime_h=5 drive_window_s=4 drive_throttle=ready_opt "

static void three_wrong_expectations_are_a_reason_to_search(void **state)
{
	const u32 begin[] = { 100, 100, 100 }, two[] = { 126, 90 }, third[] = { 112 };
	struct ssdqos_ready_stream *s;

	ready_set(PLENTY);
	s = ready_add(100);
	windows(s, begin, 3);
	/* the first one was wrong, as nothing was expected */
	assert_int_equal(ready->epoch.wrong, 0);
	windows(s, two, 2);
	assert_int_equal(ready->epoch.wrong, 2);
	assert_false(ready->search);
	/* 25 % is still right, and begins anew */
	windows(s, third, 1);
	assert_false(ready->search);
	windows(s, two + 1, 1);
	assert_int_equal(ready->epoch.wrong, 0);
}

static void a_search_finds_the_period_of_the_load(void **state)
{
	const u32 load[] = { 10, 100, 500, 10, 100, 500, 10, 100, 500, 10, 100, 500, 10, 100 };
	static u64 sums[SSDQOS_READY_NR_SUMS];
	struct ssdqos_ready_stream *s;
	u32 nr;

	ready_set(PLENTY);
	s = ready_add(100);
	windows(s, load, 14);
	assert_true(ready->search);
	nr = ssdqos_ready_history(ready, sums);
	assert_int_equal(nr, 14);
	for (u32 i = 0; i < nr; i++)
		assert_int_equal(sums[i + 1] - sums[i], load[i]);
	ssdqos_ready_search(ready, ssdqos_ready_best_windows(sums, nr, 100));
	assert_false(ready->search);
	assert_int_equal(ready_look().life_epoch_s, 12);
	assert_int_equal(ready_look().life_epoch_expected_bytes, 610 * PAGE);
	assert_true(ready_hears(ready_now_ns, SSDQOS_WATCH_LIFE_EPOCH));
}

static void the_history_is_a_ring(void **state)
{
	static u64 sums[SSDQOS_READY_NR_SUMS];
	struct ssdqos_ready_stream *s;
	u32 i;

	ready_set("drive_endurance_gb=18000 drive_window_s=1");
	s = ready_add(100);
	for (i = 0; i < SSDQOS_READY_HISTORY + 10; i++) {
		write_pages(s, i % 7);
		ready_at((i + 1) * S);
		ready_tick();
	}
	assert_int_equal(ssdqos_ready_history(ready, sums), SSDQOS_READY_HISTORY);
	for (i = 0; i < SSDQOS_READY_HISTORY; i++)
		assert_int_equal(sums[i + 1] - sums[i], (i + 10) % 7);
}

static void good_expectations_are_counted(void **state)
{
	const u32 load[] = { 100, 100, 100, 100, 50, 50, 50, 50 };
	struct ssdqos_ready_stream *s;

	ready_set(PLENTY);
	s = ready_add(100);
	windows(s, load, 8);
	/* all but the first, and the change */
	assert_int_equal(ready_look().life_expected_well_permille, 750);
}

/* 5 GB that nobody expected are not within 25 % of nothing. */
static void the_unexpected_is_no_good_expectation(void **state)
{
	struct ssdqos_ready_stream *s;
	u32 i;

	ready_set("drive_endurance_gb=1000000 drive_window_s=600");
	s = ready_add(100);
	for (i = 0; i < 50; i++)
		ready_write(s, 100 * MB);
	ready_at(600 * S);
	assert_int_equal(ready_look().life_expected_well_permille, 0);
}

/* ---- the end ---- */

static void a_worn_out_drive_stops_until_the_target(void **state)
{
	struct ssdqos_ready_stream *s;

	ready_set(OPT "drive_used_mb=18000 drive_max_stop_s=18000");
	s = ready_add(100);
	assert_int_equal(why(), SSDQOS_READY_WHY_SPENT);
	assert_int_equal(ready_look().life_left_bytes, 0);
	assert_int_equal(ready_look().life_epoch_bytes, 0);
	assert_false(ready_write(s, PAGE));
	assert_int_equal(ready_last()->decision, SSDQOS_READY_STOP_SPENT);
	ready_run(5 * H - 1);
	assert_int_equal(ready_flash_bytes(), 0);
	ready_run(5 * H);
	assert_int_equal(ready_flash_bytes(), PAGE);
}

/* Nobody waits for years to be unmounted. */
static void a_write_of_a_worn_out_drive_goes_in_the_end(void **state)
{
	struct ssdqos_ready_stream *s;
	u32 i;

	ready_set(OPT "drive_used_mb=18000");
	s = ready_add(100);
	for (i = 0; i < 500; i++)
		assert_false(ready_write(s, PAGE));
	ready_run(30 * S - 1);
	assert_int_equal(ready_flash_bytes(), 0);
	/* then they go at a quarter of what the life would have a second */
	ready_run(30 * S);
	assert_int_equal(ready_flash_bytes(), PAGE);
	ready_run(31 * S);
	assert_in_range(ready_flash_bytes(), 250 * KB - PAGE, 250 * KB + PAGE);
	ready_run(40 * S);
	assert_int_equal(ready_look().life_stopped, 0);
	/* those that come later wait as long */
	assert_false(ready_write(s, PAGE));
	ready_run(70 * S - 1);
	assert_int_equal(ready_look().life_stopped, 1);
	ready_run(70 * S);
	assert_int_equal(ready_look().life_stopped, 0);
}

static void used_more_than_it_can_take_is_worn_out(void **state)
{
	u32 i;

	for (i = 0; i < 5; i++) {
		char words[256];

		snprintf(words, sizeof(words), READY_MB_A_SECOND
			 "drive_recovery=fitted drive_used_mb=1000000000 drive_throttle=%s",
			 (const char *[]){ "none", "static", "dynamic", "ready_pes", "ready_opt" }[i]);
		ready_set(words);
		assert_int_equal(ready_look().life_left_bytes, 0);
		assert_int_equal(ready_look().life_spare_bytes, 0);
		assert_int_equal(ready_look().life_used_bytes, 1000000 * GB);
		/* it is now, and never will be again */
		assert_int_equal(ready_look().life_forecast_s, ready_look().life_age_s);
	}
}

static void the_budgets_end_is_told(void **state)
{
	struct ssdqos_ready_stream *s;

	ready_set("drive_endurance_gb=1 drive_lifetime_h=1");
	s = ready_add(100);
	write_all(s, GB - PIECE);
	assert_false(ready_hears(1 * S, SSDQOS_WATCH_LIFE_SPENT));
	write_all(s, PIECE);
	assert_true(ready_hears(1 * S, SSDQOS_WATCH_LIFE_SPENT));
	assert_false(ready_hears(2 * S, SSDQOS_WATCH_LIFE_SPENT));
}

static void after_the_target_nothing_is_limited(void **state)
{
	struct ssdqos_ready_stream *s;

	ready_set(OPT);
	s = ready_add(100);
	write_pages(s, 2000);
	assert_false(ready_hears(5 * H - 1, SSDQOS_WATCH_LIFE_REACHED));
	write_pages(s, 2000);
	assert_true(ready_hears(5 * H, SSDQOS_WATCH_LIFE_REACHED));
	assert_false(ready_hears(5 * H + S, SSDQOS_WATCH_LIFE_REACHED));
	assert_int_equal(why(), SSDQOS_READY_WHY_REACHED);
	assert_int_equal(delay_ns(), 0);
	assert_true(ready_write(s, 1000 * MB));
	assert_int_equal(ready_last()->decision, SSDQOS_READY_FREE);
	ready_at(6 * H);
	assert_int_equal(why(), SSDQOS_READY_WHY_REACHED);
	/* a longer life begins to be limited again */
	ready_set("drive_lifetime_h=10");
	assert_int_not_equal(why(), SSDQOS_READY_WHY_REACHED);
	assert_true(ready_fill(s, PIECE) < 18 * GB);
}

static void one_older_than_its_target_is_free(void **state)
{
	ready_set(OPT "drive_age_h=6");
	assert_int_equal(why(), SSDQOS_READY_WHY_REACHED);
	assert_int_equal(ready_look().life_age_s, 6 * 3600);
	assert_true(ready_write(ready_add(100), 100 * MB));
}

/* ---- parameters that change ---- */

static void a_longer_life_has_smaller_budgets(void **state)
{
	struct ssdqos_ready_stream *s;

	ready_set(OPT);
	s = ready_add(100);
	write_pages(s, 1500);
	ready_at(4 * S);
	assert_true(is_near(delay_ns(), 3.216e6, 0.002));
	ready_set("drive_lifetime_h=10");
	assert_true(is_near((double)ready_look().life_epoch_bytes, 2e6, 0.001));
	/* a delay stays until its epoch ends */
	assert_true(is_near(delay_ns(), 3.216e6, 0.002));
	assert_int_equal(why(), SSDQOS_READY_WHY_MORE);
	/* what was written in this window still counts */
	write_pages(s, 200);
	ready_set("drive_lifetime_h=11");
	assert_int_equal(ready_look().life_epoch_used_bytes, 200 * PAGE);
}

static void what_others_are_about_begins_no_epoch(void **state)
{
	struct ssdqos_ready_epoch was;

	ready_set(PES);
	ready_add(100);
	ready_at(9 * S);
	ready_tick();
	ssdqos_ready_search(ready, 10);
	ready_at(21 * S);
	ready_tick();
	was = ready->epoch;
	ready_set("drive_queue_depth=7");
	assert_memory_equal(&was, &ready->epoch, sizeof(was));
}

/* A policy that begins knows what was written before. */
static void a_policy_begins_with_what_is_known(void **state)
{
	struct ssdqos_ready_stream *s;

	ready_set(READY_MB_A_SECOND);
	s = ready_add(100);
	assert_int_equal(why(), SSDQOS_READY_WHY_OFF);
	write_pages(s, 1500);
	ready_at(4 * S);
	ready_set("drive_throttle=ready_pes");
	assert_int_equal(why(), SSDQOS_READY_WHY_MORE);
	/* (5.6) with F = 4 s, W = 1500 pages, c = (18 GB - W) * 4 / 17996 */
	assert_true(is_near(delay_ns(), 4e9 * (6144000 / 3.99952e6 - 1) / (3.99952e6 / 4096),
			    0.005));
	ready_set("drive_throttle=static");
	assert_int_equal(delay_ns(), 0);
	assert_int_equal(why(), SSDQOS_READY_WHY_STATIC);
	ready_set("drive_throttle=none");
	assert_int_equal(why(), SSDQOS_READY_WHY_OFF);
}

static void what_was_used_before_can_be_corrected(void **state)
{
	struct ssdqos_ready_stream *s;

	ready_set("drive_endurance_gb=18 drive_lifetime_h=5 drive_used_mb=9000 drive_age_h=1 "
		  "drive_recovery=stated drive_throttle=ready_pes drive_window_s=4");
	s = ready_add(100);
	assert_int_equal(ready_look().life_age_s, 3600);
	assert_true(is_near((double)ready_look().life_left_bytes, 9e9, 1e-4));
	write_pages(s, 100);
	ready_at(4 * S);
	ready_set("drive_used_mb=6000 drive_age_h=2");
	assert_int_equal(ready_look().life_age_s, 2 * 3600 + 4);
	assert_int_equal(ready_look().life_used_bytes, 6 * GB + 100 * PAGE);
	assert_true(is_near((double)ready_look().life_left_bytes, 12e9, 1e-3));
	ready_set("drive_used_mb=0 drive_age_h=0");
	assert_int_equal(ready_look().life_age_s, 4);
	assert_int_equal(ready_look().life_used_bytes, 100 * PAGE);
	assert_true(is_near((double)ready_look().life_left_bytes, 18e9, 1e-3));
}

static void another_endurance_makes_wear_another_part_of_it(void **state)
{
	struct ssdqos_ready_stream *s;

	ready_set("drive_endurance_gb=18 drive_lifetime_h=500 drive_recovery=stated "
		  "drive_throttle=none drive_window_s=4");
	s = ready_add(100);
	write_all(s, 9 * GB);
	ready_at(4 * S);
	ready_set("drive_throttle=ready_pes");
	assert_true(is_near((double)ready_look().life_left_bytes, 9e9, 1e-4));
	ready_set("drive_endurance_gb=36");
	assert_true(is_near((double)ready_look().life_left_bytes, 27e9, 1e-3));
	assert_int_equal(ready_look().life_used_bytes, 9 * GB);
}

/* The same drive with its endurance in flash writes. */
static void another_unit_makes_used_bytes_others(void **state)
{
	struct ssdqos_ready_stream *s;

	ready_set(READY_MB_A_SECOND "drive_waf_permille=3000");
	s = ready_add(100);
	write_pages(s, 1000);
	ready_at(4 * S);
	ready_set("drive_endurance_gb=0 drive_pe_cycles=54 drive_capacity_mb=1000");
	assert_true(is_near((double)ready_look().life_used_bytes, 3 * 1000 * 4096, 1e-6));
	/* and what is expected, since hosts go on as they did */
	assert_true(is_near((double)ready_look().life_epoch_expected_bytes, 3 * 1000 * 4096, 1e-3));
	ready_set("drive_endurance_gb=18 drive_pe_cycles=0");
	assert_true(is_near((double)ready_look().life_used_bytes, 1000 * 4096, 1e-6));
}

static void counting_that_pauses_goes_on(void **state)
{
	struct ssdqos_ready_stream *s;

	ready_set(READY_MB_A_SECOND "drive_used_mb=5 drive_age_h=1");
	s = ready_add(100);
	write_pages(s, 100);
	ready_at(8 * S);
	ready_set("drive_endurance_gb=0");
	ready_set("drive_endurance_gb=18");
	assert_int_equal(ready_look().life_age_s, 3608);
	assert_int_equal(ready_look().life_used_bytes, 5 * MB + 100 * PAGE);
}

static void windows_of_another_length_have_no_past(void **state)
{
	struct ssdqos_ready_stream *s;

	ready_set(PLENTY);
	s = ready_add(100);
	windows(s, (const u32[]){ 500, 500, 500 }, 3);
	ssdqos_ready_search(ready, 3);
	ready_set("drive_window_s=600");
	assert_int_equal(ready_look().life_epoch_s, 600);
	assert_int_equal(ready_look().life_epoch_expected_bytes, 0);
	assert_int_equal(ready_look().life_used_bytes, 1500 * PAGE);
	write_pages(s, 10);
	ready_at(12 * S + 600 * S);
	assert_int_equal(ready_look().life_epoch_expected_bytes, 10 * PAGE);
}

/* ---- forecast ---- */

static void the_forecast_goes_on_as_it_was(void **state)
{
	struct ssdqos_ready_stream *s;
	u32 i;

	ready_set("drive_endurance_gb=18 drive_lifetime_h=5 drive_window_s=60");
	s = ready_add(100);
	assert_int_equal(ready_look().life_forecast_s, -1);
	for (i = 0; i < 60; i++) {
		ready_at(i * 60 * S);
		write_all(s, 120 * MB);
	}
	ready_at(1 * H);
	/* 2 MB a second: at 9000 s */
	assert_true(is_near((double)ready_look().life_forecast_s, 9000, 0.01));
	assert_int_equal(ready_look().life_forecast_unthrottled_s, ready_look().life_forecast_s);
}

/* ---- nobody gets more ---- */

static u64 next_random(u64 *seed)
{
	*seed = *seed * 6364136223846793005ULL + 1442695040888963407ULL;
	return *seed >> 33;
}

/* A loop, with pauses as it likes. */
static u32 wanted[READY_STREAMS];

static void go_on(struct ssdqos_ready_stream *s, u32 bytes)
{
	if (!wanted[s->id])
		return;
	wanted[s->id]--;
	ready_write(s, bytes);
}

static void check_budget(const char *words, u64 seed)
{
	const struct ssdqos_ready_gauges g = ready_look();

	if (ready_now_ns < 1 * H && (u64)g.life_used_bytes > (u64)g.life_effective_bytes)
		fail_msg("%s, seed %llu: %lld of %lld at %llu s", words, seed, g.life_used_bytes,
			 g.life_effective_bytes, ready_now_ns / S);
	if (ready_cfg.drive_recovery == SSDQOS_RECOVERY_NONE &&
	    g.life_used_bytes > g.life_endurance_bytes)
		fail_msg("%s, seed %llu: %lld of %lld at %llu s", words, seed, g.life_used_bytes,
			 g.life_endurance_bytes, ready_now_ns / S);
}

/* Bursts and pauses of all lengths, of clients that are more or less important. */
static void adversary(const char *words, u64 seed)
{
	struct ssdqos_ready_stream *s[3];
	u64 rng = seed, i, ns = 0;

	ready_set(words);
	for (i = 0; i < 3; i++)
		s[i] = ready_add((u32)(50 * i));
	ready_done = go_on;
	memset(wanted, 0, sizeof(wanted));
	while (ns < H) {
		i = next_random(&rng) % 3;
		wanted[i] = (u32)(1ULL << next_random(&rng) % 12);
		if (!s[i]->lists[0].nr && !s[i]->lists[1].nr && !s[i]->lists[2].nr)
			ready_write(s[i], (u32)(512 << next_random(&rng) % 12));
		ns += (S / 100) << next_random(&rng) % 12;
		ready_run(min(ns, H - 1));
		check_budget(words, seed);
	}
	assert_true(is_near((double)ready_look().life_age_s, 3599, 0.001));
	for (i = 0; i < 3; i++)
		ssdqos_ready_drain(s[i], true);
}

static void nobody_gets_more_than_the_budget(void **state)
{
	static const char *const policies[] = { "static", "dynamic", "ready_pes", "ready_opt" };
	static const char *const drives[] = {
		"drive_endurance_gb=1",
		"drive_endurance_gb=2 drive_window_s=7",
		"drive_pe_cycles=20 drive_capacity_mb=100 drive_waf_permille=1700 drive_window_s=30",
		"drive_pe_cycles=20 drive_capacity_mb=100 drive_recovery=fitted drive_window_s=30",
		"drive_pe_cycles=20 drive_capacity_mb=100 drive_recovery=stated drive_used_mb=300",
	};
	char words[256];
	u32 i, j;
	u64 seed;

	for (i = 0; i < ARRAY_SIZE(policies); i++) {
		for (j = 0; j < ARRAY_SIZE(drives); j++) {
			for (seed = 1; seed <= 3; seed++) {
				snprintf(words, sizeof(words),
					 "drive_lifetime_h=1 drive_max_stop_s=3600 "
					 "drive_throttle=%s %s", policies[i],
					 drives[j]);
				ready_finish(state);
				ready_setup(state);
				adversary(words, seed);
			}
		}
	}
}

/* And who wants more all the time gets nearly all of it. */
static void who_wants_all_gets_all(void **state)
{
	static const char *const policies[] = { "static", "dynamic", "ready_pes", "ready_opt",
						"horizon" };
	char words[256];
	u32 i;

	for (i = 0; i < ARRAY_SIZE(policies); i++) {
		ready_finish(state);
		ready_setup(state);
		snprintf(words, sizeof(words), "drive_endurance_gb=2 drive_lifetime_h=1 "
			 "drive_window_s=10 drive_throttle=%s", policies[i]);
		ready_set(words);
		ready_done = write_again;
		ready_write(ready_add(100), 16 * PAGE);
		ready_write(ready_add(100), PAGE);
		ready_run(1 * H - 1);
		ready_done = NULL;
		if (!is_near((double)ready_look().life_used_bytes, 1.98e9, 0.0102))
			fail_msg("%s", policies[i]);
	}
}

/* ---- a life that passes faster ---- */

struct moment {
	u64 flash_bytes;
	u64 delay_ns;
	u64 stopped;
	u32 why;
};

#define MOMENTS 2000

/* The same writes at the same life times; times are multiples of the scale. */
static void record(u64 scale, struct moment *at)
{
	struct ssdqos_ready_stream *s;
	char words[256];
	u64 rng = 7, life_ns = 0;
	u32 i;

	ready_finish(NULL);
	ready_setup(NULL);
	snprintf(words, sizeof(words), "drive_endurance_gb=1 drive_lifetime_h=1 drive_window_s=10 "
		 "drive_throttle=ready_pes drive_time_scale=%llu", scale);
	ready_set(words);
	s = ready_add(100);
	for (i = 0; i < MOMENTS; i++) {
		life_ns += next_random(&rng) % 3600 * 1000000;
		ready_run(life_ns / scale);
		if (next_random(&rng) % 16 < 12)
			ready_write(s, (u32)(1 + next_random(&rng) % 300) * PAGE);
		at[i] = (struct moment){
			.flash_bytes = ready_flash_bytes(),
			.delay_ns = ready->delay_ns,
			.stopped = s->stats.stopped,
			.why = ready->why,
		};
	}
	assert_true(s->stats.stopped > 0);
	assert_true(s->stats.delayed > 0);
	ssdqos_ready_drain(s, true);
}

static void it_is_the_same_life_at_any_speed(void **state)
{
	static struct moment slow[MOMENTS], fast[MOMENTS];
	u32 i;

	record(1, slow);
	record(100, fast);
	for (i = 0; i < MOMENTS; i++)
		if (memcmp(&slow[i], &fast[i], sizeof(slow[i])))
			fail_msg("%u: %llu, %llu; %llu, %llu", i, slow[i].flash_bytes,
				 fast[i].flash_bytes, slow[i].delay_ns, fast[i].delay_ns);
}

static void delays_are_scaled(void **state)
{
	struct ssdqos_ready_stream *s;

	ready_set(OPT "drive_time_scale=1000");
	s = ready_add(100);
	s->delay_ns = 2 * MS;
	ready_write(s, 5 * PAGE);
	assert_int_equal(ready_last()->until_ns, 10 * US);
	ready->delay_ns = 2 * MS;
	assert_int_equal(ready_look().life_delay_ns, 2 * US);
}

/* ---- numbers as large as they come ---- */

static void check_sane(void)
{
	const struct ssdqos_ready_gauges g = ready_look();
	const s64 *value = (const s64 *)&g;
	u32 i;

	for (i = 0; i < SSDQOS_READY_NR_GAUGES; i++)
		if (value[i] < -1)
			fail_msg("%s: %lld", ssdqos_ready_gauge_names[i], value[i]);
	assert_true(g.life_left_bytes >= g.life_epoch_bytes - g.life_epoch_used_bytes);
}

static void the_largest_numbers_fit(void **state)
{
	static const char *const drives[] = {
		"drive_endurance_gb=1000000000",
		"drive_pe_cycles=1000000 drive_capacity_mb=1000000000 drive_recovery=fitted",
		"drive_pe_cycles=1000000 drive_capacity_mb=1000000000 drive_waf_permille=100000",
		"drive_endurance_gb=1 drive_used_mb=1000000000000 drive_recovery=fitted",
		"drive_endurance_gb=1 drive_window_s=86400 drive_spare_permille=500 "
		"drive_floor_kb_s=1",
		"drive_pe_cycles=1 drive_capacity_mb=1 drive_window_s=1 drive_spare_permille=0",
	};
	char words[256];
	u32 i, policy;

	for (i = 0; i < ARRAY_SIZE(drives); i++) {
		for (policy = 0; policy < 6; policy++) {
			struct ssdqos_ready_stream *s;
			u64 ns, age_s = 0;

			ready_finish(state);
			ready_setup(state);
			snprintf(words, sizeof(words), "drive_lifetime_h=876000 "
				 "drive_time_scale=%u drive_throttle=%s %s",
				 policy & 1 ? 1 : 1000000, (const char *[]){ "none", "static",
				 "dynamic", "ready_pes", "ready_opt", "horizon" }[policy], drives[i]);
			ready_set(words);
			s = ready_add(100);
			for (ns = 1; ns < 1000 * H; ns *= 3) {
				ready_at(ns);
				ready_tick();
				ready_write(s, 16 * 1024 * 1024);
				check_sane();
				assert_true((u64)ready_look().life_age_s >= age_s);
				age_s = (u64)ready_look().life_age_s;
			}
			ssdqos_ready_drain(s, true);
		}
	}
}

static void years_without_a_call_pass_quickly(void **state)
{
	struct ssdqos_ready_stream *s;

	ready_set("drive_endurance_gb=100000 drive_recovery=fitted drive_throttle=ready_opt");
	s = ready_add(100);
	ready_write(s, 100 * MB);
	ready_at(30000 * H);
	assert_int_equal(ready_look().life_age_s, 30000 * 3600);
	assert_true(ready_look().life_idle_s > 29000 * 3600LL);
	assert_int_equal(delay_ns(), 0);
	/* windows are where they would have been */
	assert_int_equal(ready->window_end_ns, 30000 * H + 600 * S);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		READY_TEST(what_is_left_is_shared_out_by_time),
		READY_TEST(an_epoch_may_have_more_windows),
		READY_TEST(the_last_epoch_ends_with_the_life),
		READY_TEST(a_life_shorter_than_a_window_has_one_epoch),
		READY_TEST(no_epoch_gets_more_than_its_capacity),
		READY_TEST(the_pessimist_spreads_a_burst),
		READY_TEST(the_optimist_lets_it_go),
		READY_TEST(who_borrows_lives_on_less),
		READY_TEST(who_has_borrowed_all_borrows_no_more),
		READY_TEST(what_is_too_much_is_not_lent_again),
		READY_TEST(who_needs_less_saves_for_all_later_epochs),
		READY_TEST(the_spare_part_is_a_parameter),
		READY_TEST(a_fixed_rate_loses_what_a_second_does_not_use),
		READY_TEST(a_fixed_rate_is_kept_by_large_writes),
		READY_TEST(the_first_epoch_has_none),
		READY_TEST(it_rises_by_5_6),
		READY_TEST(it_falls_by_5_7),
		READY_TEST(it_is_gone_after_an_epoch_without_writes),
		READY_TEST(amplification_is_counted),
		READY_TEST(odd_amplification_loses_nothing),
		READY_TEST(stops_turn_into_a_delay),
		READY_TEST(a_loop_settles_without_stops),
		READY_TEST(the_mean_over_all_pages_is_the_delay),
		READY_TEST(if_all_are_important_none_is_delayed),
		READY_TEST(who_wrote_nothing_pays_with_the_others),
		READY_TEST(the_best_length_repeats),
		READY_TEST(the_best_length_is_bounded),
		READY_TEST(three_wrong_expectations_are_a_reason_to_search),
		READY_TEST(a_search_finds_the_period_of_the_load),
		READY_TEST(the_history_is_a_ring),
		READY_TEST(good_expectations_are_counted),
		READY_TEST(the_unexpected_is_no_good_expectation),
		READY_TEST(a_worn_out_drive_stops_until_the_target),
		READY_TEST(a_write_of_a_worn_out_drive_goes_in_the_end),
		READY_TEST(used_more_than_it_can_take_is_worn_out),
		READY_TEST(the_budgets_end_is_told),
		READY_TEST(after_the_target_nothing_is_limited),
		READY_TEST(one_older_than_its_target_is_free),
		READY_TEST(a_longer_life_has_smaller_budgets),
		READY_TEST(what_others_are_about_begins_no_epoch),
		READY_TEST(a_policy_begins_with_what_is_known),
		READY_TEST(what_was_used_before_can_be_corrected),
		READY_TEST(another_endurance_makes_wear_another_part_of_it),
		READY_TEST(another_unit_makes_used_bytes_others),
		READY_TEST(counting_that_pauses_goes_on),
		READY_TEST(windows_of_another_length_have_no_past),
		READY_TEST(the_forecast_goes_on_as_it_was),
		READY_TEST(nobody_gets_more_than_the_budget),
		READY_TEST(who_wants_all_gets_all),
		READY_TEST(it_is_the_same_life_at_any_speed),
		READY_TEST(delays_are_scaled),
		READY_TEST(the_largest_numbers_fit),
		READY_TEST(years_without_a_call_pass_quickly),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
