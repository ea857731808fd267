// SPDX-License-Identifier: GPL-2.0
/*
 * The drive never dies: random requests on drives with the least spare that
 * can be made, over all ways in which a drive can be built.
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <cmocka.h>

#include "../../dm-ssdqos/core/engine/rng.h"
#include "flash_helper.h"

#define SIZE_MIB 64
#define NR_DRIVES 60
#define NR_REQUESTS 3000

/* The smallest over-provisioning with which a drive of this shape exists. */
static struct ssdqos_flash *tightest(struct ssdqos_flash_config *cfg, u64 nr_sectors)
{
	cfg->op_permille = helper_least_op_permille(*cfg, nr_sectors);
	return ssdqos_flash_create(cfg, nr_sectors, helper_err, sizeof(helper_err));
}

static u32 pick(struct ssdqos_rng *rng, u32 n)
{
	return ssdqos_rng_below(rng, n);
}

/* Tasks, schedulers and shares, down to the smallest ones. */
static void random_controller(struct ssdqos_rng *rng, struct ssdqos_flash_config *cfg)
{
	cfg->scheduler = pick(rng, 4);
	cfg->map_cache_kib = pick(rng, 3) ? 4u << pick(rng, 6) : 0;
	cfg->rain = cfg->allocation == SSDQOS_FLASH_STATIC && cfg->channels > 1 && pick(rng, 2);
	cfg->lookup_max_ns = pick(rng, 2) * 1000;
	cfg->internal_delay_max_ns = pick(rng, 2) * 3000;
	cfg->scrub_start_reads = pick(rng, 2) ? 1 + pick(rng, 2000) : 0;
	cfg->scrub_stop_reads = cfg->scrub_start_reads ? pick(rng, (u32)cfg->scrub_start_reads) : 0;
	cfg->aged_reads = pick(rng, 3000);
	cfg->wear_start_cycles = pick(rng, 2) ? 1 + pick(rng, 20) : 0;
	cfg->gc_share_permille = 1 + pick(rng, 1000);
	cfg->gc_share_mode = pick(rng, 2);
	cfg->gc_share_p_ppm = pick(rng, 2000);
	cfg->gc_share_i_ppm = pick(rng, 1000001);
	cfg->scrub_share_mode = pick(rng, 2);
	cfg->scrub_share_permille = 1 + pick(rng, 1000);
	cfg->flush_share_permille = 1 + pick(rng, 1000);
	cfg->map_share_permille = 1 + pick(rng, 1000);
	cfg->gc_scope = pick(rng, 2);
	cfg->quiet_ns = pick(rng, 2) * 3000000;
}

/* Collection that blocks, and what commands and writes cost. */
static void random_blocking(struct ssdqos_rng *rng, struct ssdqos_flash_config *cfg)
{
	cfg->gc_blocking = pick(rng, 6);
	cfg->gc_hard_blocks = 1 + pick(rng, 6);
	cfg->gc_ideal = !pick(rng, 8);
	cfg->gc_burst_ns = pick(rng, 2) * (100000 + pick(rng, 20000000));
	cfg->gc_pause_ns = pick(rng, 2) * pick(rng, 20000000);
	cfg->gc_burst_spread_pct = pick(rng, 2) * pick(rng, 101);
	cfg->gc_defer_kib = pick(rng, 2) * pick(rng, 2000);
	cfg->write_granule_kib = pick(rng, 2) ? 4 : 4 << pick(rng, 5);
	cfg->uncached_writes = pick(rng, 4);
	cfg->read_command_ns = pick(rng, 2) * pick(rng, 50000);
	cfg->array_scope = pick(rng, 2);
	cfg->write_command_ns = pick(rng, 2) * pick(rng, 50000);
	cfg->link_mb_s = pick(rng, 2) * (1 + pick(rng, 1000));
}

/* Erases and programs that make way for reads, where a plane has its own array. */
static void random_suspension(struct ssdqos_rng *rng, struct ssdqos_flash_config *cfg)
{
	if (cfg->array_scope == SSDQOS_FLASH_ARRAY_CHIP)
		return;
	cfg->erase_suspend_ns = pick(rng, 2) * pick(rng, 300000);
	cfg->program_suspend_ns = pick(rng, 2) * pick(rng, 100000);
}

/* Stripes, and planes that take turns where they may. */
static void random_stripes(struct ssdqos_rng *rng, struct ssdqos_flash_config *cfg)
{
	bool holds_groups = cfg->gc_blocking == SSDQOS_FLASH_GC_BLOCKS_CHANNEL ||
			    cfg->gc_blocking == SSDQOS_FLASH_GC_BLOCKS_CONTROLLER;

	if (pick(rng, 3) == 0) {
		cfg->channels = 6;
		cfg->rain_width = cfg->rain * 3;
	}
	cfg->rain_reconstruct = pick(rng, 4) > 0;
	if (cfg->rain && !holds_groups)
		cfg->rotate = pick(rng, 3);
	cfg->rain_flush = cfg->rain && pick(rng, 2);
	cfg->rain_shift_pct = cfg->rain_flush * pick(rng, 2) * (1 + pick(rng, 50));
}

/* What was copied is read, in quiet moments or beside requests. */
static void random_verify(struct ssdqos_rng *rng, struct ssdqos_flash_config *cfg)
{
	cfg->verify = pick(rng, 2);
	cfg->verify_quiet_ns = 10000 + pick(rng, 2) * pick(rng, 2000000);
	cfg->verify_share_permille = 1 + pick(rng, 1000);
	cfg->verify_share_mode = pick(rng, 2);
	cfg->verify_share_p_ppm = pick(rng, 2) * pick(rng, 100000);
	cfg->verify_target = pick(rng, 2) * (1 + pick(rng, 1000));
}

static struct ssdqos_flash_config random_config(struct ssdqos_rng *rng)
{
	struct ssdqos_flash_config cfg = helper_config(pick(rng, 2));

	cfg.channels = 1 + pick(rng, 4);
	cfg.chips_per_channel = 1 + pick(rng, 3);
	cfg.planes_per_chip = 1 + pick(rng, 2);
	cfg.pages_per_block = 4u << pick(rng, 6);
	cfg.page_kib = 4u << pick(rng, 3);
	cfg.registers = 1 + pick(rng, 2);
	cfg.chip_queue_depth = 1 + pick(rng, 4);
	cfg.allocation = pick(rng, 2);
	cfg.cache = pick(rng, 3);
	cfg.buffer_kib = 64u << pick(rng, 4);
	cfg.gc_depth = 1 + pick(rng, 8);
	cfg.gc_policy = pick(rng, 2);
	cfg.gc_copyback = pick(rng, 2);
	cfg.gc_start_blocks = 2 + pick(rng, 4);
	cfg.gc_stop_blocks = cfg.gc_start_blocks + 1 + pick(rng, 4);
	cfg.trim_mode = pick(rng, 2);
	cfg.flush_start_pct = pick(rng, 2) ? 0 : pick(rng, 96);
	cfg.fill_timeout_ns = pick(rng, 2) ? 100000 : 0;
	cfg.aged_pct = pick(rng, 4) ? 100 : pick(rng, 101);
	cfg.seed = pick(rng, 1000);
	random_controller(rng, &cfg);
	random_blocking(rng, &cfg);
	random_suspension(rng, &cfg);
	random_stripes(rng, &cfg);
	random_verify(rng, &cfg);
	return cfg;
}

static struct helper_load random_load(struct ssdqos_rng *rng)
{
	struct helper_load load = {
		.seed = pick(rng, 1000000),
		.nr = NR_REQUESTS,
		.depth = 1 + pick(rng, HELPER_MAX_DEPTH),
		.read_pct = pick(rng, 40),
		.discard_pct = pick(rng, 3) ? 0 : pick(rng, 15),
		.flush_pct = pick(rng, 5),
		.fua_pct = pick(rng, 3) ? pick(rng, 20) : 0,
		.max_units = 1 + pick(rng, 24),
		.any_sector = pick(rng, 2),
		.check_every = 1000,
	};

	return load;
}

static u64 stress(u64 seed)
{
	struct ssdqos_flash_config cfg;
	struct ssdqos_flash *f;
	struct ssdqos_rng rng;
	struct helper_load load;
	u64 nr_sectors, digest;

	ssdqos_rng_seed(&rng, seed);
	cfg = random_config(&rng);
	nr_sectors = SIZE_MIB * MIB_SECTORS + pick(&rng, 2) * pick(&rng, 5000);
	f = tightest(&cfg, nr_sectors);
	if (!f)
		fail_msg("seed %llu: %s", seed, helper_err);
	load = random_load(&rng);
	digest = helper_run(f, &load);
	helper_settle(f);
	helper_check(f);
	ssdqos_flash_destroy(f);
	return digest;
}

static void tight_drives_complete_every_request(void **state)
{
	const char *only = getenv("UNIT_SEED");
	u64 seed;

	if (only) {
		stress(strtoull(only, NULL, 0));
		return;
	}
	for (seed = 1; seed <= NR_DRIVES; seed++)
		stress(seed);
}

static void two_runs_are_equal(void **state)
{
	u64 seed;

	for (seed = 1; seed <= 6; seed++)
		assert_true(stress(seed) == stress(seed));
	assert_true(stress(1) != stress(2));
}

/* All units, over and over, with nothing to spare. */
static void full_drive_is_overwritten(void **state)
{
	u32 preset, alloc, policy;

	for (preset = 0; preset < 2; preset++)
		for (alloc = 0; alloc < 2; alloc++)
			for (policy = 0; policy < 2; policy++) {
				struct ssdqos_flash_config cfg = helper_config(preset);
				struct helper_load load = { .seed = 21, .nr = 12000, .depth = 32,
							    .max_units = 2, .check_every = 4000 };
				struct ssdqos_flash *f;
				u32 i, nr;

				cfg.allocation = alloc;
				cfg.gc_policy = policy;
				cfg.pages_per_block = 16;
				cfg.buffer_kib = 64;
				f = tightest(&cfg, SIZE_MIB * MIB_SECTORS);
				assert_non_null(f);
				nr = ssdqos_flash_geo(f)->nr_lpn;
				for (i = 0; i < nr; i += 128)
					helper_do(f, SSDQOS_FLASH_WRITE, i, 128);
				helper_run(f, &load);
				assert_true(ssdqos_flash_stats(f)->gc_blocks > 100);
				ssdqos_flash_destroy(f);
			}
}

/* Single units with a stride: every page of every block keeps valid units. */
static void worst_holes_leave_room(void **state)
{
	struct ssdqos_flash_config cfg = helper_config(SSDQOS_FLASH_AUTOSSD);
	struct ssdqos_flash *f;
	u32 round, i, nr;

	cfg.pages_per_block = 16;
	cfg.channels = 2;
	cfg.chips_per_channel = 1;
	cfg.buffer_kib = 64;
	f = tightest(&cfg, SIZE_MIB * MIB_SECTORS);
	assert_non_null(f);
	nr = ssdqos_flash_geo(f)->nr_lpn;
	for (i = 0; i < nr; i += 64)
		helper_do(f, SSDQOS_FLASH_WRITE, i, 64);
	for (round = 0; round < 4; round++)
		for (i = round; i < nr; i += 4)
			helper_do(f, SSDQOS_FLASH_WRITE, i, 1);
	helper_settle(f);
	helper_check(f);
	ssdqos_flash_destroy(f);
}

static void trim_storm(void **state)
{
	u32 mode;

	for (mode = 0; mode < 2; mode++) {
		struct ssdqos_flash_config cfg = helper_config(SSDQOS_FLASH_AUTOSSD);
		struct helper_load load = { .seed = 31, .nr = 8000, .depth = 64, .read_pct = 10,
					    .discard_pct = 60, .flush_pct = 1, .fua_pct = 5,
					    .max_units = 200, .any_sector = true,
					    .check_every = 2000 };
		struct ssdqos_flash *f;

		cfg.trim_mode = mode;
		cfg.pages_per_block = 16;
		cfg.aged_pct = 100;
		cfg.trim_ns = 0;
		cfg.cache = SSDQOS_FLASH_CACHE_VOLATILE;
		f = helper_create(&cfg, SIZE_MIB);
		helper_run(f, &load);
		helper_settle(f);
		helper_check(f);
		assert_true(ssdqos_flash_stats(f)->trimmed_units > 10000);
		ssdqos_flash_destroy(f);
	}
}

/* All times at zero: events at one instant must not go in circles. */
static void infinitely_fast_drive(void **state)
{
	struct ssdqos_flash_config cfg = helper_config(SSDQOS_FLASH_AUTOSSD);
	struct helper_load load = { .seed = 41, .nr = 20000, .depth = 16, .read_pct = 30,
				    .discard_pct = 5, .max_units = 8, .any_sector = true,
				    .check_every = 5000 };
	struct ssdqos_flash *f;

	cfg.read_ns = 0;
	cfg.program_ns = 0;
	cfg.erase_ns = 0;
	cfg.ram_ns = 0;
	cfg.trim_ns = 0;
	cfg.channel_mb_s = 100000;
	cfg.aged_pct = 100;
	f = helper_create(&cfg, SIZE_MIB);
	helper_run(f, &load);
	ssdqos_flash_destroy(f);
}

static void tunables_may_change_at_any_time(void **state)
{
	static const char *const change[][2] = {
		{ "gc_stop_blocks", "30" }, { "gc_start_blocks", "20" }, { "gc_policy", "greedy" },
		{ "flush_start_pct", "95" }, { "ram_ns", "0" }, { "gc_copyback", "on" },
		{ "trim_mode", "erase" }, { "program_ns", "1" }, { "flush_start_pct", "0" },
		{ "gc_start_blocks", "2" }, { "gc_stop_blocks", "3" }, { "trim_granule_kib", "64" },
		{ "ram_ns", "9000" }, { "gc_copyback", "off" }, { "channel_mb_s", "1" },
		{ "gc_policy", "cost_benefit" }, { "channel_mb_s", "400" }, { "erase_ns", "1" },
	};
	struct ssdqos_flash_config cfg = helper_config(SSDQOS_FLASH_AUTOSSD);
	struct helper_load load = { .nr = 700, .depth = 32, .read_pct = 20, .discard_pct = 5,
				    .max_units = 16, .any_sector = true };
	struct ssdqos_flash_req req[8];
	struct ssdqos_flash *f;
	u32 i, k;

	cfg.aged_pct = 100;
	cfg.pages_per_block = 16;
	f = helper_create(&cfg, SIZE_MIB);
	for (i = 0; i < 2 * ARRAY_SIZE(change); i++) {
		for (k = 0; k < 8; k++)
			helper_submit_units(f, &req[k], SSDQOS_FLASH_WRITE, k * 999 + i, 16);
		assert_int_equal(ssdqos_flash_set(f, change[i % ARRAY_SIZE(change)][0],
						  change[i % ARRAY_SIZE(change)][1], helper_err,
						  sizeof(helper_err)), 0);
		for (k = 0; k < 8; k++)
			helper_wait(f, &req[k]);
		load.seed = i;
		helper_run(f, &load);
		helper_check(f);
	}
	ssdqos_flash_destroy(f);
}

#define TEST(name) cmocka_unit_test_setup_teardown(name, helper_start, helper_finish)

int main(void)
{
	const struct CMUnitTest tests[] = {
		TEST(tight_drives_complete_every_request),
		TEST(two_runs_are_equal),
		TEST(full_drive_is_overwritten),
		TEST(worst_holes_leave_room),
		TEST(trim_storm),
		TEST(infinitely_fast_drive),
		TEST(tunables_may_change_at_any_time),
	};

	return cmocka_run_group_tests_name("flash_stress", tests, NULL, NULL);
}
