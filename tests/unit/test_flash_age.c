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

#include "../../dm-ssdqos/core/flash/life/life.h"
#include "flash_helper.h"

#define STEADY_TOLERANCE_PCT 3
#define MIB_UNITS 256
#define PATTERNS 3
#define DRAWN_DRIVES 150

static const u32 fills[] = { 0, 1, 2, 50, 99, 100 };

/* Pieces are filled or left: of a megabyte at most, or a page for each plane and less
 * than one piece more.
 */
static void check_mapped(const struct ssdqos_flash *f, u32 fill_pct)
{
	const struct ssdqos_flash_geo *g = ssdqos_flash_geo(f);
	u32 row = g->nr_planes * g->units_per_page, most = MIB_UNITS + 2 * row;
	u32 want = (u64)g->nr_lpn * fill_pct / 100;
	struct ssdqos_flash_gauges now;

	ssdqos_flash_gauges(f, &now);
	if (fill_pct == 100 || !fill_pct)
		assert_int_equal(now.mapped_units, want);
	else
		assert_in_range(now.mapped_units, want - min(want, most), want + most);
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

static u32 drawn(struct ssdqos_rng *rng, u32 low, u32 high)
{
	return low + ssdqos_rng_below(rng, high - low + 1);
}

static struct ssdqos_flash_config drawn_config(struct ssdqos_rng *rng)
{
	struct ssdqos_flash_config cfg = helper_config(ssdqos_rng_below(rng, SSDQOS_FLASH_NR_PRESETS));

	cfg.channels = drawn(rng, 2, 11);
	cfg.chips_per_channel = drawn(rng, 1, 9);
	cfg.planes_per_chip = drawn(rng, 1, 3);
	cfg.pages_per_block = 4 << drawn(rng, 0, 6);
	cfg.page_kib = 4 << drawn(rng, 0, 2);
	cfg.op_permille = drawn(rng, 70, 1500);
	cfg.buffer_kib = drawn(rng, 64, 4096);
	cfg.map_cache_kib = drawn(rng, 0, 1) * drawn(rng, 0, 64);
	cfg.allocation = drawn(rng, 0, 1);
	cfg.rain = cfg.allocation && drawn(rng, 0, 1);
	cfg.gc_scope = drawn(rng, 0, 1);
	cfg.flush_start_pct = drawn(rng, 0, 90);
	cfg.aged_pattern = ssdqos_rng_below(rng, PATTERNS);
	cfg.aged_bs = 4096 << drawn(rng, 0, 8);
	return cfg;
}

/* Whatever the pattern, the size of writes and the shape: all is there, and the drive
 * works.
 */
static void any_pattern_can_be_aged(void **state)
{
	struct helper_load load = { .nr = 300, .depth = 8, .read_pct = 50, .max_units = 70 };
	u32 made = 0, i, fill;
	struct ssdqos_rng rng;

	ssdqos_rng_seed(&rng, 11);
	for (i = 0; i < DRAWN_DRIVES; i++) {
		struct ssdqos_flash_config cfg = drawn_config(&rng);
		struct ssdqos_flash *f;

		f = ssdqos_flash_create(&cfg, 64 * MIB_SECTORS + 8 * drawn(&rng, 0, 5000), helper_err,
					sizeof(helper_err));
		if (!f)
			continue;
		made++;
		fill = drawn(&rng, 0, 1) ? 100 : drawn(&rng, 0, 100);
		assert_int_equal(ssdqos_flash_age(f, fill, i, helper_err, sizeof(helper_err)), 0);
		helper_check(f);
		check_mapped(f, fill);
		assert_true(ssdqos_flash_next_ns(f) == SSDQOS_NEVER_NS);
		load.seed = i;
		helper_run(f, &load);
		helper_check(f);
		ssdqos_flash_destroy(f);
	}
	print_message("# %u drives\n", made);
	assert_true(made > DRAWN_DRIVES / 2);
}

static struct ssdqos_flash *aged(u32 pattern, u32 bs, u32 allocation)
{
	struct ssdqos_flash_config cfg = helper_config(SSDQOS_FLASH_AUTOSSD);

	cfg.pages_per_block = 16;
	cfg.allocation = allocation;
	cfg.aged_pct = 100;
	cfg.aged_pattern = pattern;
	cfg.aged_bs = bs;
	return helper_create(&cfg, 256);
}

/* Units whose neighbour is behind them in one page, and pages whose neighbour is in
 * the next plane, per cent.
 */
static void check_neighbours(const struct ssdqos_flash *f, u32 bs, u32 least_pct, u32 most_pct)
{
	u32 in_page = 0, in_next = 0, pages = 0, lpn, chunk = bs / 4096;

	for (lpn = 0; lpn + 4 < f->geo.nr_lpn; lpn++) {
		u32 at = f->l2p[lpn], next = f->l2p[lpn + 1], page = f->l2p[lpn + 4];

		in_page += next == at + 1 && at % 4 != 3;
		if (lpn % 4 || lpn % chunk + 4 >= chunk)
			continue;
		pages++;
		in_next += flash_plane_of(f, page) ==
			   (flash_plane_of(f, at) + 1) % f->geo.nr_planes;
	}
	in_page = in_page * 100 / (f->geo.nr_lpn * 3 / 4);
	in_next = pages ? in_next * 100 / pages : least_pct;
	print_message("# pattern %llu, %u bytes: %u %% in one page, %u %% in the next plane\n",
		      f->cfg.aged_pattern, bs, in_page, in_next);
	assert_in_range(in_page, least_pct, most_pct);
	assert_in_range(in_next, least_pct, 100);
}

/* What was written together lies together. */
static void writes_lie_together(void **state)
{
	static const struct {
		u32 pattern, bs, least_pct, most_pct;
	} cases[] = {
		{ SSDQOS_FLASH_AGED_RANDOM, 4096, 0, 2 },
		{ SSDQOS_FLASH_AGED_RANDOM, 8192, 64, 69 },
		{ SSDQOS_FLASH_AGED_RANDOM, 16384, 99, 100 },
		{ SSDQOS_FLASH_AGED_RANDOM, 65536, 99, 100 },
		{ SSDQOS_FLASH_AGED_SEQUENTIAL, 4096, 99, 100 },
		{ SSDQOS_FLASH_AGED_SEQUENTIAL, 65536, 99, 100 },
		{ SSDQOS_FLASH_AGED_MIXED, 4096, 15, 50 },
		{ SSDQOS_FLASH_AGED_MIXED, 65536, 99, 100 },
	};
	u32 i;

	for (i = 0; i < ARRAY_SIZE(cases); i++) {
		struct ssdqos_flash *f = aged(cases[i].pattern, cases[i].bs, SSDQOS_FLASH_DYNAMIC);

		check_neighbours(f, cases[i].bs, cases[i].least_pct, cases[i].most_pct);
		ssdqos_flash_destroy(f);
	}
}

/* Who goes on writing from begin to end never makes the drive copy anything. */
static void sequential_is_steady(void **state)
{
	u32 allocation, i, at, units = 32;

	for (allocation = 0; allocation < 2; allocation++) {
		struct ssdqos_flash *f = aged(SSDQOS_FLASH_AGED_SEQUENTIAL, 4096 * units, allocation);
		const struct ssdqos_flash_stats *s = ssdqos_flash_stats(f);
		u32 nr = f->geo.nr_lpn, partly = 0;

		for (i = 0; i < f->geo.nr_blocks; i++)
			partly += f->blocks[i].state == FLASH_BLOCK_CLOSED && f->blocks[i].valid &&
				  f->blocks[i].valid < flash_block_units(f, i);
		assert_in_range(partly, 0, f->geo.nr_planes);
		/* the next one in turn is the oldest: it lies in a block that is not whole */
		for (at = 0; at < nr; at++)
			if (f->blocks[flash_block_of(f, f->l2p[at])].state == FLASH_BLOCK_OPEN &&
			    f->blocks[flash_block_of(f, f->l2p[(at + 1) % nr])].state == FLASH_BLOCK_CLOSED)
				break;
		assert_true(at < nr);
		for (i = 0; i < 2 * nr / units; i++)
			helper_do(f, SSDQOS_FLASH_WRITE, (at + 1 + i * units) % (nr - units), units);
		helper_settle(f);
		assert_true(s->gc_blocks > 0);
		print_message("# allocation %u: %llu blocks collected, %llu units moved\n", allocation,
			      s->gc_blocks, s->gc_moved_units);
		assert_true(s->gc_moved_units * 100 <= s->host_write_units);
		ssdqos_flash_destroy(f);
	}
}

static void odd_size_is_refused(void **state)
{
	struct ssdqos_flash_config cfg = helper_config(SSDQOS_FLASH_AUTOSSD);

	cfg.aged_bs = 12288;
	assert_null(ssdqos_flash_create(&cfg, 64 * MIB_SECTORS, helper_err, sizeof(helper_err)));
	assert_string_equal(helper_err,
			    "aged_bs: '12288' is not a power of two from 4096 to 1048576");
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

/* Small blocks and next to no spare: no plane may get more than it holds. */
static void tight_drives_can_be_aged(void **state)
{
	struct ssdqos_flash_config cfg;
	struct ssdqos_rng rng;
	struct ssdqos_flash *f;
	u64 nr_sectors;
	u32 i;

	ssdqos_rng_seed(&rng, 1);
	for (i = 0; i < DRAWN_DRIVES; i++) {
		cfg = helper_config(SSDQOS_FLASH_AUTOSSD);
		cfg.channels = 1 + ssdqos_rng_below(&rng, 6);
		cfg.chips_per_channel = 1 + ssdqos_rng_below(&rng, 3);
		cfg.planes_per_chip = 1 + ssdqos_rng_below(&rng, 2);
		cfg.pages_per_block = 4u << ssdqos_rng_below(&rng, 2);
		cfg.page_kib = 4;
		cfg.allocation = SSDQOS_FLASH_DYNAMIC;
		cfg.map_cache_kib = ssdqos_rng_below(&rng, 2) ? 128 : 0;
		cfg.aged_pct = 100;
		cfg.seed = ssdqos_rng_below(&rng, 1000);
		nr_sectors = 64 * MIB_SECTORS + 8 * ssdqos_rng_below(&rng, 1000);
		cfg.op_permille = helper_least_op_permille(cfg, nr_sectors);
		f = ssdqos_flash_create(&cfg, nr_sectors, helper_err, sizeof(helper_err));
		assert_non_null(f);
		helper_check(f);
		ssdqos_flash_destroy(f);
	}
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
		TEST(any_pattern_can_be_aged),
		TEST(tight_drives_can_be_aged),
		TEST(writes_lie_together),
		TEST(sequential_is_steady),
		TEST(odd_size_is_refused),
		TEST(seed_decides),
		TEST(impossible_fill_is_refused),
		TEST(aged_autossd_is_steady),
		TEST(aged_ttflash_is_steady),
	};

	return cmocka_run_group_tests_name("flash_age", tests, NULL, NULL);
}
