// SPDX-License-Identifier: GPL-2.0
/*
 * Scaling a drive model to a capacity: what is promised holds for all sizes.
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>
#include <cmocka.h>

#include "../../dm-ssdqos/core/flash/geometry.h"

#define MIB_SECTORS 2048ULL
#define RESERVED_BLOCKS 4	/* of a plane: open, open for GC, spare, slack */
#define MIN_PAGES_PER_BLOCK 64	/* blocks as small as that lose planes rather than pages */
#define GC_LEAST_STOP 3		/* free blocks of a plane when collection stops at the earliest */

static const u32 ops_permille[] = { 5, 6, 10, 50, 70, 100, 150, 280, 500, 999, 1000, 2500, 4000 };

static char err[256];
static u32 nr_fit, nr_refused;

static u64 wanted_units(u64 nr_lpn, u64 permille)
{
	return nr_lpn + (nr_lpn * permille + 999) / 1000;
}

static void check_fit(const struct ssdqos_flash_geo *g, const struct ssdqos_flash_config *cfg,
		      u64 nr_sectors)
{
	u64 per_block = (u64)g->pages_per_block * g->units_per_page;
	u64 nr_psn = g->nr_blocks * per_block, want;

	assert_true(g->nr_lpn == (nr_sectors + 7) / 8);
	assert_true(g->nr_psn == nr_psn);
	assert_true(nr_psn < 1ULL << 31 || nr_psn == 1ULL << 31);
	assert_true(1u << g->block_shift == per_block);
	assert_true(1u << g->page_shift == g->units_per_page);
	assert_true(g->units_per_page * 4 == cfg->page_kib);
	assert_true(g->nr_blocks == g->blocks_per_plane * g->nr_planes);
	assert_true(g->channels >= 1 && g->channels <= cfg->channels);
	assert_true(g->nr_chips % g->channels == 0 && g->nr_planes % g->nr_chips == 0);
	assert_true(g->nr_chips / g->channels <= cfg->chips_per_channel);
	assert_true(g->nr_planes / g->nr_chips <= cfg->planes_per_chip);
	assert_true(g->pages_per_block <= cfg->pages_per_block);
	/* over-provisioning, of data and parity: as much as asked for, less than a block a plane more */
	want = wanted_units(g->map_lpn, cfg->op_permille);
	assert_true(nr_psn >= want);
	assert_true(nr_psn - want < per_block * g->nr_planes);
	/* no state of the drive can get stuck */
	assert_true(nr_psn - g->nr_lpn >= RESERVED_BLOCKS * per_block * g->nr_planes +
					  (u64)g->nr_blocks * (g->units_per_page - 1));
	/* when collection stops there is something to collect: half a block of a plane, beside what is
	 * free and open
	 */
	assert_true(g->pages_per_block <= MIN_PAGES_PER_BLOCK ||
		    2 * (nr_psn - g->nr_all) >= (2 * GC_LEAST_STOP + g->nr_streams + 1) * per_block * g->nr_planes);
}

static void try(const struct ssdqos_flash_config *cfg, u64 nr_sectors)
{
	struct ssdqos_flash_geo geo;
	char part[64];
	int r;

	memset(&geo, 0, sizeof(geo));
	memset(err, 0, sizeof(err));
	r = ssdqos_flash_geo_fit(&geo, cfg, nr_sectors, err, sizeof(err));
	if (!r) {
		check_fit(&geo, cfg, nr_sectors);
		nr_fit++;
		return;
	}
	nr_refused++;
	assert_int_equal(r, -EINVAL);
	snprintf(part, sizeof(part), "op_permille: '%llu'", cfg->op_permille);
	assert_memory_equal(err, part, strlen(part));
	snprintf(part, sizeof(part), "%llu MiB", nr_sectors >> 11);
	assert_non_null(strstr(err, part));
}

static void try_sizes(struct ssdqos_flash_config *cfg)
{
	u64 mib;
	u32 i;

	for (i = 0; i < ARRAY_SIZE(ops_permille); i++) {
		cfg->op_permille = ops_permille[i];
		for (mib = 64; mib <= 1024 * 1024; mib *= 2) {
			try(cfg, mib * MIB_SECTORS);
			if (mib == 1024 * 1024)
				break;
			try(cfg, mib * MIB_SECTORS + 1);
			try(cfg, mib * MIB_SECTORS + 7 * (mib + 13));
			try(cfg, mib * MIB_SECTORS * 3 / 2 + 8);
			try(cfg, mib * MIB_SECTORS * 2 - 1);
		}
	}
}

static void presets_fit_all_sizes(void **state)
{
	struct ssdqos_flash_config cfg;
	u32 preset;

	for (preset = 0; preset < SSDQOS_FLASH_NR_PRESETS; preset++) {
		ssdqos_flash_config_init(&cfg, preset);
		nr_fit = 0;
		try_sizes(&cfg);
		assert_true(nr_fit > 500);
	}
}

static void extreme_shapes_fit_or_are_refused(void **state)
{
	static const u32 shape[][4] = {
		/* channels, chips, planes, pages */
		{ 1, 1, 1, 4 }, { 1, 1, 1, 4096 }, { 64, 64, 8, 4096 }, { 64, 64, 8, 4 },
		{ 3, 5, 7, 64 }, { 63, 1, 1, 256 }, { 1, 63, 16, 128 }, { 5, 1, 1, 8 },
	};
	struct ssdqos_flash_config cfg;
	u32 i, page_kib;

	nr_fit = 0;
	nr_refused = 0;
	for (i = 0; i < ARRAY_SIZE(shape); i++)
		for (page_kib = 4; page_kib <= 16; page_kib *= 2) {
			ssdqos_flash_config_init(&cfg, SSDQOS_FLASH_AUTOSSD);
			cfg.channels = shape[i][0];
			cfg.chips_per_channel = shape[i][1];
			cfg.planes_per_chip = shape[i][2];
			cfg.pages_per_block = shape[i][3];
			cfg.page_kib = page_kib;
			assert_int_equal(ssdqos_flash_config_check(&cfg, err, sizeof(err)), 0);
			try_sizes(&cfg);
		}
	assert_true(nr_fit > 5000);
	assert_true(nr_refused > 100);	/* little over-provisioning with large pages */
}

static void real_size_keeps_the_whole_model(void **state)
{
	struct ssdqos_flash_config cfg;
	struct ssdqos_flash_geo g;

	ssdqos_flash_config_init(&cfg, SSDQOS_FLASH_AUTOSSD);
	assert_int_equal(ssdqos_flash_geo_fit(&g, &cfg, 200000000000ULL / 512, err, sizeof(err)), 0);
	assert_int_equal(g.channels, 4);
	assert_int_equal(g.nr_chips, 16);
	assert_int_equal(g.nr_planes, 32);
	assert_int_equal(g.pages_per_block, 512);
	ssdqos_flash_config_init(&cfg, SSDQOS_FLASH_TTFLASH);
	assert_int_equal(ssdqos_flash_geo_fit(&g, &cfg, (228ULL << 30) / 512, err, sizeof(err)), 0);
	assert_int_equal(g.channels, 8);
	assert_int_equal(g.nr_planes, 64);
	assert_int_equal(g.pages_per_block, 256);
}

static void size_has_a_range(void **state)
{
	static const u64 bad[] = { 0, 1, 64 * MIB_SECTORS - 1, (1ULL << 31) + 1, ~0ULL };
	struct ssdqos_flash_config cfg;
	struct ssdqos_flash_geo g;
	char part[64];
	u32 i;

	ssdqos_flash_config_init(&cfg, SSDQOS_FLASH_AUTOSSD);
	for (i = 0; i < ARRAY_SIZE(bad); i++) {
		assert_int_equal(ssdqos_flash_geo_fit(&g, &cfg, bad[i], err, sizeof(err)), -EINVAL);
		snprintf(part, sizeof(part), "length: '%llu' is not from 131072 to 2147483648", bad[i]);
		assert_memory_equal(err, part, strlen(part));
	}
	assert_int_equal(ssdqos_flash_geo_fit(&g, &cfg, 131072, err, sizeof(err)), 0);
	assert_int_equal(ssdqos_flash_geo_fit(&g, &cfg, 2147483648, err, sizeof(err)), 0);
}

static void impossible_over_provisioning_is_refused(void **state)
{
	struct ssdqos_flash_config cfg;
	struct ssdqos_flash_geo g;

	/* with 16 KiB pages a page may hold one valid unit of four */
	ssdqos_flash_config_init(&cfg, SSDQOS_FLASH_AUTOSSD);
	cfg.op_permille = 5;
	cfg.pages_per_block = 4;
	assert_int_equal(ssdqos_flash_geo_fit(&g, &cfg, 131072, err, sizeof(err)), -EINVAL);
	assert_string_equal(err, "op_permille: '5' leaves no workable drive of 64 MiB; use more over-provisioning or another capacity");
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(presets_fit_all_sizes),
		cmocka_unit_test(extreme_shapes_fit_or_are_refused),
		cmocka_unit_test(real_size_keeps_the_whole_model),
		cmocka_unit_test(size_has_a_range),
		cmocka_unit_test(impossible_over_provisioning_is_refused),
	};

	return cmocka_run_group_tests_name("geometry", tests, NULL, NULL);
}
