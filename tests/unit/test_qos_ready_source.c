// SPDX-License-Identifier: GPL-2.0
/*
 * Reports of wear that are right, late, or wrong.
 */
#include "ready_helper.h"

/* 1000 cycles of 1 GB; a sixty-fourth of the flash, 15.6 MB, is what may be late. */
#define FLASH "drive_pe_cycles=1000 drive_capacity_mb=1000 drive_window_s=600 "
#define HOST "drive_endurance_gb=1000 drive_capacity_mb=1000 drive_window_s=600 "

static struct ssdqos_ready_stream *s;
static struct ssdqos_wear_report wear;

/* Reports, a second later; counters are of a drive that had written 5 TB before. */
static int report(u64 flash_bytes, u64 host_bytes, u64 used_permyriad)
{
	wear = (struct ssdqos_wear_report){
		.flash_bytes = flash_bytes ? 5000 * GB + flash_bytes : 0,
		.host_bytes = host_bytes ? 5000 * GB + host_bytes : 0,
		.used_permyriad = used_permyriad,
	};
	memset(qos_err, 0, sizeof(qos_err));
	ready_now_ns += S;
	return ssdqos_ready_report(ready, &wear, ready_now_ns, qos_err, sizeof(qos_err));
}

static void write_mb(u32 mb)
{
	while (mb--)
		ready_write(s, 1 * MB);
}

static void start(const char *words)
{
	ready_set(words);
	s = ready_add(100);
}

static u64 used(void)
{
	return (u64)ready_look().life_used_bytes;
}

static void without_an_endurance_it_is_refused(void **state)
{
	assert_int_equal(report(1, 1, 0), -ENOENT);
	assert_string_equal(qos_err, "wear is not counted without drive_endurance_gb or drive_pe_cycles");
}

static void the_first_report_is_where_counting_begins(void **state)
{
	start(FLASH);
	write_mb(100);
	assert_int_equal(ready_look().life_source_age_s, -1);
	assert_int_equal(report(1 * GB, 0, 0), 0);
	assert_int_equal(used(), 200 * MB);
	ready_now_ns += 7 * S;
	assert_int_equal(ready_look().life_source_age_s, 7);
}

static void flash_writes_replace_our_estimate(void **state)
{
	start(FLASH);
	report(1 * GB, 0, 0);
	write_mb(100);
	assert_int_equal(used(), 200 * MB);
	assert_int_equal(report(1 * GB + 130 * MB, 0, 0), 0);
	assert_int_equal(used(), 130 * MB);
	write_mb(100);
	assert_int_equal(report(1 * GB + 630 * MB, 0, 0), 0);
	assert_int_equal(used(), 630 * MB);
}

/* Also for what windows before were charged: the budget is by the cells. */
static void a_correction_reaches_the_cells(void **state)
{
	u32 i;

	start(FLASH "drive_recovery=stated drive_throttle=ready_opt drive_lifetime_h=10000 "
	      "drive_waf_permille=4000");
	report(1 * GB, 0, 0);
	for (i = 0; i < 10; i++) {
		write_mb(100);
		ready_now_ns += 600 * S;
	}
	assert_int_equal(report(2 * GB, 0, 0), 0);
	assert_int_equal(used(), 1 * GB);
	ready_now_ns += 600 * S;
	/* idle for some hours at most, so nothing has recovered yet */
	assert_in_range(ready_look().life_effective_bytes, 999 * GB, 1030 * GB);
	assert_in_range(ready->recovery.cycles_fp >> 22, 3ULL * 1024 - 30, 3ULL * 1024 + 30);
}

static void the_amplification_is_estimated(void **state)
{
	u64 flash = 1 * GB, host = 1 * GB;
	u32 i;

	start(FLASH);
	assert_int_equal(ready_look().life_waf_permille, 2000);
	report(flash, host, 0);
	write_mb(20);
	report(flash += 80 * MB, host += 20 * MB, 0);
	/* a quarter of the way from 2 to 4 */
	assert_int_equal(ready_look().life_waf_permille, 2500);
	for (i = 0; i < 40; i++) {
		write_mb(20);
		report(flash += 80 * MB, host += 20 * MB, 0);
	}
	assert_in_range(ready_look().life_waf_permille, 3990, 4000);
	/* what others write is not ours to amplify */
	for (i = 0; i < 40; i++) {
		write_mb(20);
		report(flash += 240 * MB, host += 120 * MB, 0);
	}
	assert_in_range(ready_look().life_waf_permille, 2000, 2010);
}

static void the_estimate_is_bounded_and_may_be_given(void **state)
{
	u64 flash = 1 * GB;
	u32 i;

	start(FLASH);
	report(flash, 0, 0);
	for (i = 0; i < 100; i++) {
		write_mb(20);
		report(flash += 1 * MB, 0, 0);
	}
	assert_int_equal(ready_look().life_waf_permille, 1000);
	ready_set("drive_waf_permille=3000");
	write_mb(20);
	report(flash += 20 * MB, 0, 0);
	assert_int_equal(ready_look().life_waf_permille, 3000);
}

static void what_others_wrote_is_charged(void **state)
{
	start(HOST);
	report(0, 1 * GB, 0);
	write_mb(100);
	assert_int_equal(report(0, 1 * GB + 150 * MB, 0), 0);
	assert_int_equal(used(), 150 * MB);
	/* flash is not what the endurance is in */
	write_mb(10);
	assert_int_equal(report(9 * GB, 1 * GB + 160 * MB, 0), 0);
	assert_int_equal(used(), 160 * MB);
}

/* Flash comes in bursts, SMART tells of hours at once; what hosts write comes again. */
static void a_correction_is_not_expected_again(void **state)
{
	u32 i;

	start(FLASH "drive_waf_permille=3000");
	report(1 * GB, 0, 0);
	for (i = 0; i < 3; i++) {
		write_mb(10);
		ready_now_ns += 599 * S;
		/* nothing was programmed for long, then all at once */
		assert_int_equal(report(1 * GB + (i > 0) * 90 * MB, 0, 0), 0);
	}
	assert_in_range(ready_look().life_epoch_expected_bytes, 30 * MB - 3 * PAGE, 30 * MB);
	assert_int_equal(ready_look().life_expected_well_permille, 666);
	assert_int_equal(used(), 120 * MB);
}

static void what_others_wrote_is_expected_again(void **state)
{
	start(HOST);
	report(0, 1 * GB, 0);
	write_mb(10);
	assert_int_equal(report(0, 1 * GB + 25 * MB, 0), 0);
	ready_now_ns += 600 * S;
	assert_in_range(ready_look().life_epoch_expected_bytes, 25 * MB - PAGE, 25 * MB);
}

/* ---- wrong ones ---- */

static bool hears(u32 kind)
{
	return ready_hears(ready_now_ns, kind);
}

static void a_counter_that_stands_is_lost(void **state)
{
	start(FLASH);
	report(1 * GB, 0, 0);
	write_mb(10);
	/* it may have large steps */
	assert_int_equal(report(1 * GB, 0, 0), 0);
	assert_false(hears(SSDQOS_WATCH_LIFE_SOURCE_LOST));
	write_mb(10);
	assert_int_equal(report(1 * GB, 0, 0), -EINVAL);
	assert_string_equal(qos_err, "the report of wear can't be true: flash_bytes stands still while we write");
	assert_true(hears(SSDQOS_WATCH_LIFE_SOURCE_LOST));
	assert_int_equal(ready_look().life_source_age_s, -1);
	assert_int_equal(report(1 * GB, 0, 0), -EINVAL);
	assert_false(hears(SSDQOS_WATCH_LIFE_SOURCE_LOST));
	/* our own count goes on */
	assert_int_equal(used(), 2 * 20 * MB);
	assert_int_equal(report(1 * GB + 30 * MB, 0, 0), 0);
	assert_true(hears(SSDQOS_WATCH_LIFE_SOURCE_OK));
	assert_int_equal(ready_look().life_source_age_s, 0);
}

static void a_counter_that_goes_back_begins_anew(void **state)
{
	start(FLASH);
	report(1 * GB, 0, 0);
	write_mb(20);
	assert_int_equal(report(1 * MB, 0, 0), -EINVAL);
	assert_non_null(strstr(qos_err, "a counter went back"));
	assert_int_equal(used(), 40 * MB);
	/* the first good one is a base, the next one corrects */
	assert_int_equal(report(2 * MB, 0, 0), 0);
	write_mb(20);
	assert_int_equal(report(62 * MB, 0, 0), 0);
	assert_int_equal(used(), 100 * MB);
}

static void absurd_numbers_are_refused(void **state)
{
	const struct {
		u64 flash, host, part;
	} absurd[] = {
		{ 1 * GB + 6000 * MB, 1020 * MB, 0 },	/* 100 times what was written */
		{ ~0ULL - 6000 * GB, 0, 0 },
		{ 0, ~0ULL - 6000 * GB, 0 },
		{ 0, 1002 * GB, 0 },		/* the whole endurance */
		{ 0, 0, 25501 },
		{ 0, 0, ~0ULL },
		{ 0, 0, 0 },
	};
	u32 i;

	for (i = 0; i < ARRAY_SIZE(absurd); i++) {
		ready_finish(state);
		ready_setup(state);
		start(FLASH);
		assert_int_equal(report(1 * GB, 1 * GB, 0), 0);
		write_mb(20);
		if (report(absurd[i].flash, absurd[i].host, absurd[i].part) != -EINVAL)
			fail_msg("%u was taken", i);
		assert_int_equal(used(), 40 * MB);
		assert_int_equal(ready_look().life_waf_permille, 2000);
	}
}

/* ---- percentage used ---- */

static void a_used_drive_says_so(void **state)
{
	start(HOST "drive_throttle=ready_opt drive_recovery=fitted drive_lifetime_h=100");
	write_mb(10);
	/* 40 % may be 39 */
	assert_int_equal(report(0, 0, 4000), 0);
	assert_in_range(used(), 390 * GB - 1000, 390 * GB);
	assert_in_range(ready_look().life_left_bytes, 609 * GB, 611 * GB);
	/* that was long ago: no reason for stops, nor for a delay */
	assert_in_range(ready_look().life_epoch_used_bytes, 0, 10 * MB);
	assert_true(ready_write(s, 1 * MB));
	ready_now_ns += 600 * S;
	assert_int_equal(ready_look().life_delay_ns, 0);
	assert_in_range(ready_look().life_epoch_expected_bytes, 10 * MB, 11 * MB);
}

static void percentages_only_raise_what_is_used(void **state)
{
	start(HOST);
	write_mb(100);
	assert_int_equal(report(0, 0, 100), 0);
	assert_int_equal(used(), 100 * MB);
	ready_set("drive_used_mb=500000");
	assert_int_equal(report(0, 0, 3000), 0);
	assert_int_equal(used(), 500 * GB + 100 * MB);
}

static void one_that_is_worn_out_is(void **state)
{
	start(HOST "drive_throttle=ready_pes");
	assert_int_equal(report(0, 0, 25500), 0);
	assert_int_equal(ready_look().life_left_bytes, 0);
	assert_int_equal(ready_look().life_delay_why, SSDQOS_READY_WHY_SPENT);
	assert_true(hears(SSDQOS_WATCH_LIFE_SPENT));
	assert_false(ready_write(s, PAGE));
}

/* A correction by hand is not taken back by the next report. */
static void a_report_respects_what_was_corrected(void **state)
{
	start(FLASH);
	report(1 * GB, 0, 0);
	write_mb(20);
	ready_set("drive_used_mb=300000");
	assert_int_equal(report(1 * GB + 50 * MB, 0, 0), 0);
	assert_int_equal(used(), 300 * GB + 50 * MB);
}

/* Nor is what a percentage has raised while the counters did not move. */
static void a_report_respects_what_a_percentage_has_raised(void **state)
{
	u64 raised;

	start(FLASH);
	report(1 * GB, 0, 0);
	write_mb(5);
	assert_int_equal(used(), 10 * MB);
	assert_int_equal(report(1 * GB, 0, 4000), 0);
	raised = used();
	assert_in_range(raised, 390 * GB - KB, 390 * GB);
	assert_int_equal(report(1 * GB + 50 * MB, 0, 0), 0);
	assert_int_equal(used(), raised + 40 * MB);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		READY_TEST(without_an_endurance_it_is_refused),
		READY_TEST(the_first_report_is_where_counting_begins),
		READY_TEST(flash_writes_replace_our_estimate),
		READY_TEST(a_correction_reaches_the_cells),
		READY_TEST(the_amplification_is_estimated),
		READY_TEST(the_estimate_is_bounded_and_may_be_given),
		READY_TEST(what_others_wrote_is_charged),
		READY_TEST(a_correction_is_not_expected_again),
		READY_TEST(what_others_wrote_is_expected_again),
		READY_TEST(a_counter_that_stands_is_lost),
		READY_TEST(a_counter_that_goes_back_begins_anew),
		READY_TEST(absurd_numbers_are_refused),
		READY_TEST(a_used_drive_says_so),
		READY_TEST(percentages_only_raise_what_is_used),
		READY_TEST(one_that_is_worn_out_is),
		READY_TEST(a_report_respects_what_was_corrected),
		READY_TEST(a_report_respects_what_a_percentage_has_raised),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
