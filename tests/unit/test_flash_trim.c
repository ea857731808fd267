// SPDX-License-Identifier: GPL-2.0
/*
 * Discards: what they unmap, how long they take, and what they free.
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <cmocka.h>

#include "flash_helper.h"

#define SIZE_MIB 256
#define NR_UNITS (SIZE_MIB * 256u)
#define T_RAM 2000u
#define T_TRIM 20000u
#define STEP_UNITS 1024u	/* 4 MiB */
#define MANY_EVENTS 64

static struct ssdqos_flash *f;

static void drive(struct ssdqos_flash_config cfg)
{
	f = helper_create(&cfg, SIZE_MIB);
}

static void aged_drive(u32 granule_kib, u32 mode)
{
	struct ssdqos_flash_config cfg = helper_config(SSDQOS_FLASH_AUTOSSD);

	cfg.aged_pct = 100;
	cfg.trim_granule_kib = granule_kib;
	cfg.trim_mode = mode;
	drive(cfg);
}

static int finish(void **state)
{
	if (f)
		ssdqos_flash_destroy(f);
	f = NULL;
	return helper_finish(state);
}

static u32 mapped(void)
{
	struct ssdqos_flash_gauges g;

	ssdqos_flash_gauges(f, &g);
	return g.mapped_units;
}

static u32 free_blocks(void)
{
	struct ssdqos_flash_gauges g;

	ssdqos_flash_gauges(f, &g);
	return g.free_blocks;
}

/* How many units a discard of these sectors unmaps. */
static u32 unmapped_by(u64 sector, u32 nr)
{
	u32 before = mapped();

	helper_do_sectors(f, SSDQOS_FLASH_DISCARD, sector, nr);
	helper_check(f);
	return before - mapped();
}

static void whole_units_are_unmapped(void **state)
{
	aged_drive(4, SSDQOS_FLASH_TRIM_INVALIDATE);
	assert_int_equal(mapped(), NR_UNITS);
	assert_int_equal(unmapped_by(80, 8), 1);
	assert_int_equal(unmapped_by(80, 8), 0);
	assert_int_equal(unmapped_by(800, 80), 10);
	assert_int_equal(ssdqos_flash_stats(f)->trimmed_units, 11);
	assert_int_equal(ssdqos_flash_stats(f)->discards, 3);
	assert_int_equal(helper_do(f, SSDQOS_FLASH_READ, 10, 1), T_RAM);
	assert_true(helper_do(f, SSDQOS_FLASH_READ, 11, 1) > T_RAM);
}

static void parts_of_units_are_left(void **state)
{
	aged_drive(4, SSDQOS_FLASH_TRIM_INVALIDATE);
	assert_int_equal(unmapped_by(80, 7), 0);
	assert_int_equal(unmapped_by(81, 7), 0);
	assert_int_equal(unmapped_by(81, 14), 0);
	assert_int_equal(unmapped_by(81, 15), 1);	/* unit 11 */
	assert_int_equal(unmapped_by(161, 17), 1);	/* 22 is cut, too */
	assert_int_equal(unmapped_by(247, 18), 2);	/* 31 and 32 */
	assert_true(helper_do(f, SSDQOS_FLASH_READ, 10, 1) > T_RAM);
	assert_int_equal(helper_do(f, SSDQOS_FLASH_READ, 11, 1), T_RAM);
}

static void granule_is_the_least_that_has_an_effect(void **state)
{
	aged_drive(64, SSDQOS_FLASH_TRIM_INVALIDATE);	/* 16 units, 128 sectors */
	assert_int_equal(unmapped_by(0, 120), 0);
	assert_int_equal(unmapped_by(8, 128), 0);
	assert_int_equal(unmapped_by(8, 248), 16);
	assert_int_equal(unmapped_by(256, 128), 16);
	assert_int_equal(unmapped_by(384, 383), 32);
	assert_int_equal(ssdqos_flash_set(f, "trim_granule_kib", "4", helper_err,
					  sizeof(helper_err)), 0);
	assert_int_equal(unmapped_by(0, 8), 1);
}

static void what_it_could_use_is_counted(void **state)
{
	const struct ssdqos_flash_stats *stats;

	aged_drive(64, SSDQOS_FLASH_TRIM_INVALIDATE);
	stats = ssdqos_flash_stats(f);
	assert_int_equal(unmapped_by(0, 120), 0);
	assert_int_equal(stats->discarded_units, 15);
	assert_int_equal(stats->trimmed_units, 0);
	/* parts of units are none */
	assert_int_equal(unmapped_by(3, 4), 0);
	assert_int_equal(stats->discarded_units, 15);
	assert_int_equal(unmapped_by(8, 248), 16);
	assert_int_equal(stats->discarded_units, 15 + 31);
	assert_int_equal(stats->trimmed_units, 16);
}

static void time_grows_by_4_mib(void **state)
{
	aged_drive(4, SSDQOS_FLASH_TRIM_INVALIDATE);
	assert_int_equal(helper_do(f, SSDQOS_FLASH_DISCARD, 0, 1), T_TRIM);
	assert_int_equal(helper_do(f, SSDQOS_FLASH_DISCARD, 0, STEP_UNITS), T_TRIM);
	assert_int_equal(helper_do(f, SSDQOS_FLASH_DISCARD, 0, STEP_UNITS + 1), 2 * T_TRIM);
	assert_int_equal(helper_do(f, SSDQOS_FLASH_DISCARD, 7, 10 * STEP_UNITS), 10 * T_TRIM);
	/* one of no effect costs a command */
	assert_int_equal(helper_do_sectors(f, SSDQOS_FLASH_DISCARD, 3, 2), T_TRIM);
}

static void further_steps_have_a_time_of_their_own(void **state)
{
	struct ssdqos_flash_config cfg = helper_config(SSDQOS_FLASH_AUTOSSD);

	cfg.trim_ns = 400000;
	cfg.trim_step_ns = 1000;
	drive(cfg);
	assert_int_equal(helper_do(f, SSDQOS_FLASH_DISCARD, 0, STEP_UNITS), 400000);
	assert_int_equal(helper_do(f, SSDQOS_FLASH_DISCARD, 0, 10 * STEP_UNITS), 409000);
	/* as a command, too */
	cfg.trim_command = 1;
	ssdqos_flash_destroy(f);
	drive(cfg);
	assert_int_equal(helper_do(f, SSDQOS_FLASH_DISCARD, 0, 10 * STEP_UNITS), 409000);
	assert_int_equal(helper_do_sectors(f, SSDQOS_FLASH_DISCARD, 3, 2), 400000);
}

/* What a read of nothing takes behind a discard of a millisecond. */
static u64 read_behind_discard(u64 as_command)
{
	struct ssdqos_flash_config cfg = helper_config(SSDQOS_FLASH_AUTOSSD);
	struct ssdqos_flash_req discard, read;
	u64 latency;

	cfg.trim_ns = 1000000;
	cfg.trim_command = as_command;
	drive(cfg);
	helper_submit(f, &discard, SSDQOS_FLASH_DISCARD, 0, 1);
	helper_submit(f, &read, SSDQOS_FLASH_READ, 0, 1);
	helper_settle(f);
	latency = helper_latency(&read);
	ssdqos_flash_destroy(f);
	f = NULL;
	return latency;
}

static void as_a_command_others_wait_for_it(void **state)
{
	u64 alone = read_behind_discard(0);

	assert_in_range(alone, 1, 100000);
	assert_int_equal(read_behind_discard(1), 1000000 + alone);
}

static void commands_wait_for_each_other(void **state)
{
	struct ssdqos_flash_req req[3];
	u32 i;

	aged_drive(4, SSDQOS_FLASH_TRIM_INVALIDATE);
	for (i = 0; i < 3; i++)
		helper_submit_units(f, &req[i], SSDQOS_FLASH_DISCARD, 5000 * i, 2000);
	helper_settle(f);
	for (i = 0; i < 3; i++)
		assert_int_equal(helper_latency(&req[i]), (i + 1) * 2 * T_TRIM);
}

/* Whoever wants few events at a time does not get one that discards a lot for each of them;
 * at what times things happen is the same.
 */
static void a_step_is_as_long_as_many_events(void **state)
{
	struct ssdqos_flash_req whole, parts;
	u32 left, before, pieces = 0;
	u64 next_ns;

	aged_drive(4, SSDQOS_FLASH_TRIM_INVALIDATE);
	ssdqos_flash_set(f, "trim_step_ns", "0", helper_err, sizeof(helper_err));
	helper_submit_units(f, &whole, SSDQOS_FLASH_DISCARD, 0, NR_UNITS);
	helper_wait(f, &whole);
	assert_int_equal(ssdqos_flash_age(f, 100, 1, helper_err, sizeof(helper_err)), 0);
	helper_submit_units(f, &parts, SSDQOS_FLASH_DISCARD, 0, NR_UNITS);
	while (parts.complete_ns == SSDQOS_NEVER_NS) {
		next_ns = ssdqos_flash_next_ns(f);
		assert_true(next_ns != SSDQOS_NEVER_NS);
		before = mapped();
		left = MANY_EVENTS;
		ssdqos_flash_advance_some(f, next_ns, &left);
		assert_true(before - mapped() <= STEP_UNITS);
		pieces++;
	}
	ssdqos_flash_take_done(f);
	assert_true(pieces >= NR_UNITS / STEP_UNITS);
	assert_int_equal(helper_latency(&parts), helper_latency(&whole));
	assert_int_equal(mapped(), 0);
	helper_check(f);
}

static void buffered_units_are_dropped(void **state)
{
	struct ssdqos_flash_config cfg = helper_config(SSDQOS_FLASH_AUTOSSD);

	cfg.flush_start_pct = 50;
	drive(cfg);
	helper_do(f, SSDQOS_FLASH_WRITE, 0, 100);
	assert_int_equal(unmapped_by(0, 800), 100);
	assert_int_equal(mapped(), 0);
	helper_settle(f);
	assert_int_equal(ssdqos_flash_stats(f)->flash_programs, 0);
	assert_int_equal(helper_do(f, SSDQOS_FLASH_READ, 5, 1), T_RAM);
}

static void program_under_way_is_wasted(void **state)
{
	drive(helper_config(SSDQOS_FLASH_AUTOSSD));
	helper_do(f, SSDQOS_FLASH_WRITE, 0, 4);
	helper_do(f, SSDQOS_FLASH_DISCARD, 0, 4);
	assert_int_equal(mapped(), 0);
	helper_settle(f);
	helper_check(f);
	assert_int_equal(ssdqos_flash_stats(f)->flash_programs, 1);
	assert_int_equal(helper_do(f, SSDQOS_FLASH_READ, 0, 4), T_RAM);
}

static void discarded_write_still_completes(void **state)
{
	struct ssdqos_flash_config cfg = helper_config(SSDQOS_FLASH_AUTOSSD);
	struct ssdqos_flash_req write;

	cfg.cache = SSDQOS_FLASH_CACHE_NONE;
	drive(cfg);
	helper_submit_units(f, &write, SSDQOS_FLASH_WRITE, 0, 1);
	helper_do(f, SSDQOS_FLASH_DISCARD, 0, 1);
	assert_int_equal(helper_latency(&write), T_TRIM);
	helper_settle(f);
	helper_check(f);
	assert_int_equal(ssdqos_flash_stats(f)->flash_programs, 0);
}

static void discard_ends_a_flush(void **state)
{
	struct ssdqos_flash_config cfg = helper_config(SSDQOS_FLASH_AUTOSSD);
	struct ssdqos_flash_req flush;

	cfg.cache = SSDQOS_FLASH_CACHE_VOLATILE;
	cfg.fill_timeout_ns = 0;
	drive(cfg);
	helper_do(f, SSDQOS_FLASH_WRITE, 0, 1);
	helper_do(f, SSDQOS_FLASH_DISCARD, 0, 1);
	helper_submit(f, &flush, SSDQOS_FLASH_FLUSH, 0, 0);
	assert_int_equal(helper_wait(f, &flush), T_RAM);
}

/* An aged drive has open blocks, two in most planes; all others are free. */
static void check_all_free(void)
{
	const struct ssdqos_flash_geo *geo = ssdqos_flash_geo(f);

	assert_in_range(free_blocks(), geo->nr_blocks - 2 * geo->nr_planes, geo->nr_blocks);
}

static void erase_mode_erases_emptied_blocks(void **state)
{
	u32 before;

	aged_drive(4, SSDQOS_FLASH_TRIM_ERASE);
	before = free_blocks();
	helper_do(f, SSDQOS_FLASH_DISCARD, 0, NR_UNITS);
	helper_settle(f);
	helper_check(f);
	assert_int_equal(mapped(), 0);
	assert_true(ssdqos_flash_stats(f)->flash_erases > 100);
	assert_int_equal(free_blocks(), before + ssdqos_flash_stats(f)->flash_erases);
	check_all_free();
}

static void invalidate_mode_erases_nothing(void **state)
{
	u32 before;

	aged_drive(4, SSDQOS_FLASH_TRIM_INVALIDATE);
	before = free_blocks();
	helper_do(f, SSDQOS_FLASH_DISCARD, 0, NR_UNITS);
	helper_settle(f);
	helper_check(f);
	assert_int_equal(ssdqos_flash_stats(f)->flash_erases, 0);
	assert_int_equal(free_blocks(), before);
	/* until the mode is changed */
	assert_int_equal(ssdqos_flash_set(f, "trim_mode", "erase", helper_err, sizeof(helper_err)), 0);
	helper_settle(f);
	check_all_free();
}

static void trimmed_drive_writes_without_moving(void **state)
{
	struct helper_load load = { .seed = 3, .nr = 30000, .depth = 16, .max_units = 1 };

	aged_drive(4, SSDQOS_FLASH_TRIM_INVALIDATE);
	helper_do(f, SSDQOS_FLASH_DISCARD, 0, NR_UNITS);
	helper_settle(f);
	load.units = NR_UNITS / 8;
	helper_run(f, &load);
	helper_check(f);
	assert_int_equal(ssdqos_flash_stats(f)->gc_moved_units, 0);
}

#define TEST(name) cmocka_unit_test_setup_teardown(name, helper_start, finish)

int main(void)
{
	const struct CMUnitTest tests[] = {
		TEST(whole_units_are_unmapped),
		TEST(parts_of_units_are_left),
		TEST(granule_is_the_least_that_has_an_effect),
		TEST(what_it_could_use_is_counted),
		TEST(time_grows_by_4_mib),
		TEST(further_steps_have_a_time_of_their_own),
		TEST(as_a_command_others_wait_for_it),
		TEST(commands_wait_for_each_other),
		TEST(a_step_is_as_long_as_many_events),
		TEST(buffered_units_are_dropped),
		TEST(program_under_way_is_wasted),
		TEST(discarded_write_still_completes),
		TEST(discard_ends_a_flush),
		TEST(erase_mode_erases_emptied_blocks),
		TEST(invalidate_mode_erases_nothing),
		TEST(trimmed_drive_writes_without_moving),
	};

	return cmocka_run_group_tests_name("flash_trim", tests, NULL, NULL);
}
