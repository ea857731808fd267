// SPDX-License-Identifier: GPL-2.0
/*
 * Instant ageing: exact counts, sound structures, and a steady state that is
 * one.
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <cmocka.h>

#include "flash_helper.h"

#define STEADY_TOLERANCE_PCT 3

static const u32 fills[] = { 0, 1, 2, 50, 99, 100 };

/* Rows of one page in each plane are filled or left. */
static void check_mapped(const struct ssdqos_flash *f, u32 fill_pct)
{
	const struct ssdqos_flash_geo *g = ssdqos_flash_geo(f);
	u32 row = g->nr_planes * g->units_per_page, nr_rows = (g->nr_lpn + row - 1) / row;
	u32 want = nr_rows * fill_pct / 100 * row, short_by = nr_rows * row - g->nr_lpn;
	struct ssdqos_flash_gauges now;

	ssdqos_flash_gauges(f, &now);
	if (fill_pct == 100)
		assert_int_equal(now.mapped_units, g->nr_lpn);
	else	/* the short last row may be among the filled ones */
		assert_true(now.mapped_units == want || now.mapped_units == want - short_by);
}

static void check_aged(struct ssdqos_flash *f, const struct ssdqos_flash_config *cfg, u32 fill_pct)
{
	const struct ssdqos_flash_geo *g = ssdqos_flash_geo(f);
	struct ssdqos_flash_gauges now;

	helper_check(f);
	check_mapped(f, fill_pct);
	ssdqos_flash_gauges(f, &now);
	/* between the thresholds, with two open blocks still to take; small
	 * drives have lower thresholds
	 */
	assert_true(now.free_blocks >= 2 * g->nr_planes);
	assert_true(now.free_blocks <= g->nr_planes * (cfg->gc_stop_blocks + 2));
	assert_int_equal(now.free_blocks_min, now.free_blocks);
	assert_true(now.wear_min >= cfg->aged_pe_cycles * 9 / 10);
	assert_true(now.wear_max <= cfg->aged_pe_cycles * 11 / 10);
	assert_true(!cfg->aged_reads || now.read_count_max < cfg->aged_reads);
	/* a quarter of the data at most, and never enough to be written out */
	assert_true(now.buffered_units <= now.mapped_units / 4);
	assert_true(ssdqos_flash_next_ns(f) == SSDQOS_NEVER_NS);
}

static void counts_are_exact(void **state)
{
	static const u64 sizes_mib[] = { 64, 257, 1024 };
	struct ssdqos_flash_config cfg;
	struct ssdqos_flash *f;
	u32 preset, alloc, size, i;

	for (preset = 0; preset < SSDQOS_FLASH_NR_PRESETS; preset++)
		for (alloc = 0; alloc < 2; alloc++)
			for (size = 0; size < ARRAY_SIZE(sizes_mib); size++) {
				cfg = helper_config(preset);
				cfg.allocation = alloc;
				f = helper_create(&cfg, sizes_mib[size]);
				for (i = 0; i < ARRAY_SIZE(fills); i++) {
					assert_int_equal(ssdqos_flash_age(f, fills[i], i, helper_err,
									  sizeof(helper_err)), 0);
					check_aged(f, &cfg, fills[i]);
				}
				ssdqos_flash_destroy(f);
			}
}

/* Any shape that can be made can be aged, whatever its size and spare. */
static void every_shape_can_be_aged(void **state)
{
	static const u32 ops[] = { 10, 30, 60, 70, 100, 280, 1000, 4000 };
	struct ssdqos_flash_config cfg;
	struct ssdqos_flash *f;
	u32 i, pages, page_kib, fill, made = 0;

	for (i = 0; i < ARRAY_SIZE(ops); i++)
		for (pages = 4; pages <= 1024; pages *= 8)
			for (page_kib = 4; page_kib <= 16; page_kib *= 2) {
				cfg = helper_config(SSDQOS_FLASH_AUTOSSD);
				cfg.op_permille = ops[i];
				cfg.pages_per_block = pages;
				cfg.page_kib = page_kib;
				cfg.channels = 1 + made % 5;
				cfg.chips_per_channel = 1 + made % 3;
				cfg.allocation = made % 2;
				f = ssdqos_flash_create(&cfg, 64 * MIB_SECTORS + 8 * (made % 100),
							helper_err, sizeof(helper_err));
				if (!f)
					continue;
				made++;
				for (fill = 0; fill <= 100; fill += 20) {
					ssdqos_flash_age(f, fill, made, helper_err,
							 sizeof(helper_err));
					helper_check(f);
					check_mapped(f, fill);
				}
				ssdqos_flash_destroy(f);
			}
	print_message("# %u shapes\n", made);
	assert_true(made > 40);
}

static void seed_decides(void **state)
{
	struct ssdqos_flash_config cfg = helper_config(SSDQOS_FLASH_AUTOSSD);
	struct helper_load load = { .seed = 4, .nr = 3000, .depth = 8, .read_pct = 50,
				    .max_units = 8 };
	u64 digest[3];
	u32 i;

	cfg.aged_pct = 100;
	for (i = 0; i < 3; i++) {
		struct ssdqos_flash *f;

		cfg.seed = i == 2 ? 8 : 7;
		f = helper_create(&cfg, 64);
		digest[i] = helper_run(f, &load);
		ssdqos_flash_destroy(f);
	}
	assert_true(digest[0] == digest[1]);
	assert_true(digest[0] != digest[2]);
}

static void impossible_fill_is_refused(void **state)
{
	struct ssdqos_flash_config cfg = helper_config(SSDQOS_FLASH_AUTOSSD);
	struct ssdqos_flash *f = helper_create(&cfg, 64);
	struct ssdqos_flash_gauges g;

	helper_do(f, SSDQOS_FLASH_WRITE, 0, 8);
	helper_settle(f);
	assert_int_equal(ssdqos_flash_age(f, 101, 1, helper_err, sizeof(helper_err)), -EINVAL);
	assert_string_equal(helper_err, "age: '101' is not a number from 0 to 100 %");
	ssdqos_flash_gauges(f, &g);
	assert_int_equal(g.mapped_units, 8);
	ssdqos_flash_destroy(f);
}

/*
 * Write amplification of random writes of so many drive writes, x 1000.  What
 * was written to blocks that were free before and are not now cost no garbage
 * collection; it is left out: a saturated drive lives from its last free
 * blocks, an aged one begins between its thresholds.
 */
static u64 measure_waf(struct ssdqos_flash *f, u64 seed, u32 drive_writes_pct)
{
	const struct ssdqos_flash_geo *geo = ssdqos_flash_geo(f);
	const struct ssdqos_flash_stats *s = ssdqos_flash_stats(f);
	struct helper_load load = { .seed = seed, .depth = 32, .max_units = 1 };
	struct ssdqos_flash_gauges before, after;
	u64 programmed, drained;

	load.nr = (u32)((u64)geo->nr_lpn * drive_writes_pct / 100);
	ssdqos_flash_gauges(f, &before);
	ssdqos_flash_reset_stats(f);
	helper_run(f, &load);
	ssdqos_flash_gauges(f, &after);
	programmed = (s->flash_programs + s->flash_copybacks) * geo->units_per_page;
	drained = ((u64)before.free_blocks - after.free_blocks) << geo->block_shift;
	return (programmed - drained) * 1000 / (s->host_write_units - drained);
}

/* Small blocks: as many in a plane as real drives have, but a small drive. */
static void check_steady(u32 preset, u32 policy, u32 allocation)
{
	struct ssdqos_flash_config cfg = helper_config(preset);
	struct ssdqos_flash *f;
	u64 early, late, apart;

	cfg.gc_policy = policy;
	cfg.allocation = allocation;
	cfg.pages_per_block = 8;
	cfg.aged_pct = 100;
	f = helper_create(&cfg, 1024);
	assert_true(ssdqos_flash_geo(f)->blocks_per_plane > 300);
	early = measure_waf(f, 1, 50);
	measure_waf(f, 2, 50);
	late = measure_waf(f, 3, 50);
	apart = early > late ? early - late : late - early;
	print_message("# preset %u, policy %u, allocation %u: waf %llu, later %llu (thousandths)\n",
		      preset, policy, allocation, early, late);
	helper_check(f);
	ssdqos_flash_destroy(f);
	assert_true(late > 1000);
	assert_true(apart * 100 <= late * STEADY_TOLERANCE_PCT);
}

static void aged_autossd_is_steady(void **state)
{
	check_steady(SSDQOS_FLASH_AUTOSSD, SSDQOS_FLASH_GREEDY, SSDQOS_FLASH_DYNAMIC);
	check_steady(SSDQOS_FLASH_AUTOSSD, SSDQOS_FLASH_COST_BENEFIT, SSDQOS_FLASH_DYNAMIC);
}

static void aged_ttflash_is_steady(void **state)
{
	check_steady(SSDQOS_FLASH_TTFLASH, SSDQOS_FLASH_GREEDY, SSDQOS_FLASH_STATIC);
}

#define TEST(name) cmocka_unit_test_setup_teardown(name, helper_start, helper_finish)

int main(void)
{
	const struct CMUnitTest tests[] = {
		TEST(counts_are_exact),
		TEST(every_shape_can_be_aged),
		TEST(seed_decides),
		TEST(impossible_fill_is_refused),
		TEST(aged_autossd_is_steady),
		TEST(aged_ttflash_is_steady),
	};

	return cmocka_run_group_tests_name("flash_age", tests, NULL, NULL);
}
