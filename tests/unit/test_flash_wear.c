// SPDX-License-Identifier: GPL-2.0
/*
 * Static wear levelling: data that never changes gives up its young blocks.
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <cmocka.h>

#include "../../dm-ssdqos/core/flash/life/life.h"
#include "flash_helper.h"

#define SIZE_MIB 64
#define THRESHOLD 10
#define SEEDS 3
#define FIRST_CYCLES 3

static struct ssdqos_flash_config config(u32 threshold)
{
	struct ssdqos_flash_config cfg = helper_config(SSDQOS_FLASH_AUTOSSD);

	cfg.channels = 2;
	cfg.chips_per_channel = 1;
	cfg.planes_per_chip = 1;
	cfg.pages_per_block = 16;
	cfg.op_permille = 150;
	cfg.buffer_kib = 64;
	cfg.wear_start_cycles = threshold;
	return cfg;
}

/* Data everywhere, of which a small part is overwritten again and again. */
static struct ssdqos_flash *hot_and_cold(struct ssdqos_flash_config cfg, u64 seed)
{
	struct helper_load load = { .seed = seed, .nr = 40000, .depth = 16, .max_units = 8,
				    .check_every = 5000 };
	struct ssdqos_flash *f = helper_create(&cfg, SIZE_MIB);
	u32 i;

	for (i = 0; i < f->geo.nr_lpn; i += 128)
		helper_do(f, SSDQOS_FLASH_WRITE, i, 128);
	load.units = f->geo.nr_lpn / 16;
	helper_run(f, &load);
	helper_settle(f);
	helper_check(f);
	return f;
}

static u32 gap(const struct ssdqos_flash *f, u32 plane)
{
	u32 i, least = ~0u, most = 0;

	for (i = 0; i < f->geo.nr_blocks; i++) {
		const struct flash_block *b = &f->blocks[i];

		if (b->plane != plane)
			continue;
		most = b->pe_cycles > most ? b->pe_cycles : most;
		if (b->state == FLASH_BLOCK_CLOSED && b->pe_cycles < least)
			least = b->pe_cycles;
	}
	return most - least;
}

/* Levelling is paced by the erases of others, so the gap is not the threshold: of twelve loads the
 * widest was three and a half times that.
 */
static void gap_stays_bounded_with_a_threshold(void **state)
{
	for (u64 seed = 1; seed <= SEEDS; seed++) {
		struct ssdqos_flash *f = hot_and_cold(config(THRESHOLD), seed);
		const struct ssdqos_flash_stats *s = ssdqos_flash_stats(f);

		assert_true(s->wear_blocks > 20);
		assert_true(s->wear_moved_units > 20 * 60);
		assert_true(gap(f, 0) <= 4 * THRESHOLD);
		assert_true(gap(f, 1) <= 4 * THRESHOLD);
		ssdqos_flash_destroy(f);
	}
}

static void gap_widens_without(void **state)
{
	for (u64 seed = 1; seed <= SEEDS; seed++) {
		struct ssdqos_flash *f = hot_and_cold(config(0), seed);

		assert_int_equal(ssdqos_flash_stats(f)->wear_blocks, 0);
		assert_true(gap(f, 0) > 4 * THRESHOLD);
		assert_true(gap(f, 1) > 4 * THRESHOLD);
		ssdqos_flash_destroy(f);
	}
}

/* Set some cycles by hand; every other block of the plane has FIRST_CYCLES. */
static struct ssdqos_flash *worn(u32 *old, u32 *young)
{
	struct ssdqos_flash_config cfg = config(THRESHOLD);
	struct ssdqos_flash *f = helper_create(&cfg, SIZE_MIB);
	u32 i;

	helper_do(f, SSDQOS_FLASH_WRITE, 0, 1024);
	helper_settle(f);
	for (i = 0; i < f->geo.nr_blocks; i++)
		f->blocks[i].pe_cycles = FIRST_CYCLES;
	*young = f->l2p[4] >> f->geo.block_shift;
	assert_int_equal(f->blocks[*young].state, FLASH_BLOCK_CLOSED);
	*old = f->planes[f->blocks[*young].plane].free.tail;
	/* as if others had erased enough */
	f->planes[f->blocks[*young].plane].wear_credit = ~0u;
	return f;
}

static void check_wear(u32 old_cycles, u32 young_cycles, u32 want_blocks)
{
	struct ssdqos_flash_record rec[2];
	struct ssdqos_flash *f;
	u32 old, young;

	f = worn(&old, &young);
	ssdqos_flash_log_enable(f, 1u << SSDQOS_FLASH_EV_WEAR_VICTIM_CHOSEN);
	f->blocks[old].pe_cycles = old_cycles;
	f->blocks[young].pe_cycles = young_cycles;
	flash_wear_survey(f);
	flash_wear_check(f, f->blocks[young].plane);
	helper_settle(f);
	assert_int_equal(ssdqos_flash_stats(f)->wear_blocks, want_blocks);
	assert_int_equal(ssdqos_flash_stats(f)->wear_moved_units, want_blocks * 64);
	assert_int_equal(f->blocks[young].pe_cycles, young_cycles + want_blocks);
	assert_int_equal(ssdqos_flash_log_take(f, rec, 2), want_blocks);
	if (want_blocks) {
		assert_int_equal(rec[0].block, young);
		assert_int_equal(rec[0].task, SSDQOS_TASK_WEAR);
		assert_int_equal(rec[0].page, 64);
		assert_int_equal(f->blocks[young].state, FLASH_BLOCK_FREE);
	}
	helper_check(f);
	ssdqos_flash_destroy(f);
}

static void least_worn_block_moves_beyond_the_threshold(void **state)
{
	check_wear(FIRST_CYCLES + THRESHOLD, FIRST_CYCLES, 0);
	check_wear(FIRST_CYCLES + THRESHOLD, FIRST_CYCLES - 1, 1);
	check_wear(FIRST_CYCLES + THRESHOLD - 1, FIRST_CYCLES - 1, 0);
}

/* A free block is young for nobody's sake: it will be used as it is. */
static void free_blocks_do_not_count(void **state)
{
	struct ssdqos_flash *f;
	u32 old, young;

	f = worn(&old, &young);
	f->blocks[old].pe_cycles = FIRST_CYCLES + THRESHOLD;
	f->blocks[f->planes[f->blocks[old].plane].free.head].pe_cycles = 0;
	flash_wear_survey(f);
	flash_wear_check(f, f->blocks[old].plane);
	assert_true(ssdqos_flash_idle(f));
	assert_int_equal(ssdqos_flash_stats(f)->wear_blocks, 0);
	ssdqos_flash_destroy(f);
}

static void plane_short_of_blocks_has_other_work(void **state)
{
	struct flash_plane *p;
	struct ssdqos_flash *f;
	u32 old, young, was;

	f = worn(&old, &young);
	p = &f->planes[f->blocks[old].plane];
	f->blocks[old].pe_cycles = 1000;
	flash_wear_survey(f);
	was = p->nr_free;
	p->nr_free = FLASH_GC_RESERVE_BLOCKS + 1;
	flash_wear_check(f, f->blocks[old].plane);
	assert_int_equal(ssdqos_flash_stats(f)->wear_blocks, 0);
	p->nr_free = was;
	flash_wear_check(f, f->blocks[old].plane);
	assert_int_equal(ssdqos_flash_stats(f)->wear_blocks, 1);
	ssdqos_flash_destroy(f);
}

static void survey_finds_both_ends(void **state)
{
	struct ssdqos_flash *f;
	u32 old, young;

	f = worn(&old, &young);
	f->blocks[old].pe_cycles = 50;
	f->blocks[young].pe_cycles = 1;
	flash_wear_survey(f);
	assert_int_equal(flash_wear_spread(f, f->blocks[old].plane), 49);
	assert_int_equal(flash_wear_spread(f, !f->blocks[old].plane), 0);
	ssdqos_flash_destroy(f);
}

#define TEST(name) cmocka_unit_test_setup_teardown(name, helper_start, helper_finish)

int main(void)
{
	const struct CMUnitTest tests[] = {
		TEST(gap_stays_bounded_with_a_threshold),
		TEST(gap_widens_without),
		TEST(least_worn_block_moves_beyond_the_threshold),
		TEST(free_blocks_do_not_count),
		TEST(plane_short_of_blocks_has_other_work),
		TEST(survey_finds_both_ends),
	};

	return cmocka_run_group_tests_name("flash_wear", tests, NULL, NULL);
}
