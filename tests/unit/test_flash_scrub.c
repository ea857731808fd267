// SPDX-License-Identifier: GPL-2.0
/*
 * Read scrubbing: blocks that were read too often are written anew.
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <cmocka.h>

#include "../../dm-ssdqos/core/flash/life/life.h"
#include "flash_helper.h"

#define SIZE_MIB 64
#define PAGES 16
#define BLOCK_UNITS (4 * PAGES)

/* One plane; blocks are filled one after the other. */
static struct ssdqos_flash_config config(void)
{
	struct ssdqos_flash_config cfg = helper_config(SSDQOS_FLASH_AUTOSSD);

	cfg.channels = 1;
	cfg.chips_per_channel = 1;
	cfg.planes_per_chip = 1;
	cfg.pages_per_block = PAGES;
	cfg.scrub_start_reads = 100;
	cfg.scrub_stop_reads = 80;
	return cfg;
}

static struct ssdqos_flash *drive(struct ssdqos_flash_config cfg, u32 blocks)
{
	struct ssdqos_flash *f = helper_create(&cfg, SIZE_MIB);
	u32 i;

	assert_int_equal(f->geo.nr_planes, 1);
	for (i = 0; i < blocks; i++)
		helper_do(f, SSDQOS_FLASH_WRITE, i * BLOCK_UNITS, BLOCK_UNITS);
	helper_settle(f);
	return f;
}

static u32 block_of(const struct ssdqos_flash *f, u32 unit)
{
	return flash_block_of(f, f->l2p[unit]);
}

/* Read a unit of the n-th block written so many times. */
static void wear_out(struct ssdqos_flash *f, u32 n, u32 times)
{
	while (times--)
		helper_do(f, SSDQOS_FLASH_READ, n * BLOCK_UNITS + times % BLOCK_UNITS, 1);
}

static void reads_are_counted_by_block(void **state)
{
	struct ssdqos_flash *f = drive(config(), 3);
	struct ssdqos_flash_gauges g;

	wear_out(f, 1, 7);
	helper_do(f, SSDQOS_FLASH_READ, BLOCK_UNITS, 8);	/* two pages */
	helper_do(f, SSDQOS_FLASH_READ, 0, 1);
	assert_int_equal(f->blocks[block_of(f, BLOCK_UNITS)].read_count, 9);
	assert_int_equal(f->blocks[block_of(f, 0)].read_count, 1);
	assert_int_equal(f->blocks[block_of(f, 2 * BLOCK_UNITS)].read_count, 0);
	assert_int_equal(flash_scrub_max(f, 0), 9);
	ssdqos_flash_gauges(f, &g);
	assert_int_equal(g.read_count_max, 9);
	ssdqos_flash_destroy(f);
}

static void scrubbing_starts_above_its_threshold(void **state)
{
	struct ssdqos_flash *f = drive(config(), 4);
	const struct ssdqos_flash_stats *s = ssdqos_flash_stats(f);
	u32 victim = block_of(f, BLOCK_UNITS), i;

	ssdqos_flash_log_enable(f, 1u << SSDQOS_FLASH_EV_SCRUB_VICTIM_CHOSEN);
	wear_out(f, 1, 100);
	helper_settle(f);
	assert_int_equal(s->scrub_blocks, 0);
	wear_out(f, 1, 1);
	helper_settle(f);
	assert_int_equal(s->scrub_blocks, 1);
	assert_int_equal(s->scrub_moved_units, BLOCK_UNITS);
	assert_int_equal(s->flash_erases, 1);
	assert_int_equal(s->gc_moved_units + s->wear_moved_units, 0);
	assert_int_equal(f->blocks[victim].read_count, 0);
	assert_int_equal(f->blocks[victim].state, FLASH_BLOCK_FREE);
	for (i = 0; i < BLOCK_UNITS; i++)
		assert_true(block_of(f, BLOCK_UNITS + i) != victim);
	helper_check(f);
	ssdqos_flash_destroy(f);
}

static void victims_are_recorded(void **state)
{
	struct ssdqos_flash *f = drive(config(), 4);
	u32 victim = block_of(f, 2 * BLOCK_UNITS);
	struct ssdqos_flash_record rec[2];

	ssdqos_flash_log_enable(f, 1u << SSDQOS_FLASH_EV_SCRUB_VICTIM_CHOSEN);
	helper_do(f, SSDQOS_FLASH_DISCARD, 2 * BLOCK_UNITS, 10);
	wear_out(f, 2, 150);
	helper_settle(f);
	assert_int_equal(ssdqos_flash_log_take(f, rec, 2), 1);
	assert_int_equal(rec[0].task, SSDQOS_TASK_SCRUB);
	assert_int_equal(rec[0].block, victim);
	assert_int_equal(rec[0].page, BLOCK_UNITS - 10);
	ssdqos_flash_destroy(f);
}

/* The most read one first, until none is above the lower threshold. */
static void scrubbing_goes_on_to_the_lower_threshold(void **state)
{
	struct ssdqos_flash *f = drive(config(), 6);
	u32 block[6], i, nr;
	struct ssdqos_flash_record rec[8];

	for (i = 0; i < 6; i++)
		block[i] = block_of(f, i * BLOCK_UNITS);
	wear_out(f, 0, 80);
	wear_out(f, 1, 81);
	wear_out(f, 2, 95);
	wear_out(f, 3, 90);
	wear_out(f, 4, 50);
	ssdqos_flash_log_enable(f, 1u << SSDQOS_FLASH_EV_SCRUB_VICTIM_CHOSEN);
	wear_out(f, 5, 101);
	helper_settle(f);
	nr = ssdqos_flash_log_take(f, rec, 8);
	assert_int_equal(nr, 4);
	assert_int_equal(rec[0].block, block[5]);
	assert_int_equal(rec[1].block, block[2]);
	assert_int_equal(rec[2].block, block[3]);
	assert_int_equal(rec[3].block, block[1]);
	assert_int_equal(f->blocks[block[0]].read_count, 80);
	ssdqos_flash_destroy(f);
}

static void no_threshold_no_scrubbing(void **state)
{
	struct ssdqos_flash_config cfg = config();
	struct ssdqos_flash *f;

	cfg.scrub_start_reads = 0;
	cfg.scrub_stop_reads = 0;
	f = drive(cfg, 2);
	wear_out(f, 1, 500);
	assert_int_equal(ssdqos_flash_stats(f)->scrub_blocks, 0);
	/* and as soon as there is one, there is work */
	cfg.scrub_start_reads = 500;
	assert_int_equal(ssdqos_flash_retune(f, &cfg, helper_err, sizeof(helper_err)), 0);
	assert_true(ssdqos_flash_idle(f));
	cfg.scrub_start_reads = 499;
	assert_int_equal(ssdqos_flash_retune(f, &cfg, helper_err, sizeof(helper_err)), 0);
	helper_settle(f);
	assert_int_equal(ssdqos_flash_stats(f)->scrub_blocks, 1);
	ssdqos_flash_destroy(f);
}

static void open_blocks_are_left_alone(void **state)
{
	struct ssdqos_flash *f = drive(config(), 2);

	helper_do(f, SSDQOS_FLASH_WRITE, 2 * BLOCK_UNITS, BLOCK_UNITS - 4);
	helper_settle(f);
	while (f->blocks[block_of(f, 2 * BLOCK_UNITS)].read_count < 300)
		helper_do(f, SSDQOS_FLASH_READ, 2 * BLOCK_UNITS, 1);
	helper_settle(f);
	assert_int_equal(ssdqos_flash_stats(f)->scrub_blocks, 0);
	/* closed, and read once more */
	helper_do(f, SSDQOS_FLASH_WRITE, 3 * BLOCK_UNITS, 4);
	helper_settle(f);
	wear_out(f, 2, 1);
	helper_settle(f);
	assert_int_equal(ssdqos_flash_stats(f)->scrub_blocks, 1);
	ssdqos_flash_destroy(f);
}

/* What it needs at most is there, or it does not begin. */
static void scrubbing_waits_for_a_block_to_spare(void **state)
{
	struct ssdqos_flash *f = drive(config(), 4);
	u32 was = f->planes[0].nr_free;

	f->planes[0].nr_free = FLASH_GC_RESERVE_BLOCKS;
	wear_out(f, 1, 120);
	helper_settle(f);
	assert_int_equal(ssdqos_flash_stats(f)->scrub_blocks, 0);
	f->planes[0].nr_free = was;
	wear_out(f, 1, 1);
	helper_settle(f);
	assert_int_equal(ssdqos_flash_stats(f)->scrub_blocks, 1);
	helper_check(f);
	ssdqos_flash_destroy(f);
}

static void aged_blocks_were_read(void **state)
{
	struct ssdqos_flash_config cfg = config();
	u32 i, nr_closed = 0, nr_above = 0;
	struct ssdqos_flash *f;
	u64 sum = 0;

	cfg.aged_pct = 100;
	cfg.aged_reads = 1000;
	cfg.scrub_start_reads = 995;
	cfg.scrub_stop_reads = 900;
	f = drive(cfg, 0);
	for (i = 0; i < f->geo.nr_blocks; i++) {
		const struct flash_block *b = &f->blocks[i];

		assert_true(b->read_count < 1000);
		if (b->state != FLASH_BLOCK_CLOSED)
			continue;
		nr_closed++;
		sum += b->read_count;
		nr_above += b->read_count > 900;
		assert_true(b->read_count <= flash_scrub_max(f, 0));
	}
	/* uniform: a mean of 500, a tenth above 900 */
	assert_in_range(sum / nr_closed, 460, 540);
	assert_in_range(nr_above, nr_closed / 20, nr_closed / 6);
	ssdqos_flash_destroy(f);
}

/* The most read block is known without a search, whatever happens. */
static void maximum_is_never_behind(void **state)
{
	struct ssdqos_flash_config cfg = config();
	struct helper_load load = { .nr = 200, .depth = 8, .read_pct = 50, .max_units = 16,
				    .units = 2048 };
	struct ssdqos_flash *f;
	u32 i, most;

	cfg.aged_pct = 100;
	cfg.aged_reads = 100;
	cfg.scrub_start_reads = 80;
	cfg.scrub_stop_reads = 75;
	f = drive(cfg, 0);
	for (load.seed = 0; load.seed < 40; load.seed++) {
		helper_run(f, &load);
		most = 0;
		for (i = 0; i < f->geo.nr_blocks; i++)
			if (f->blocks[i].state == FLASH_BLOCK_CLOSED &&
			    f->blocks[i].read_count > most)
				most = f->blocks[i].read_count;
		assert_int_equal(flash_scrub_max(f, 0), most);
	}
	assert_true(ssdqos_flash_stats(f)->scrub_blocks > 10);
	ssdqos_flash_destroy(f);
}

/* Short of blocks, collection goes first: it is never held up. */
static void collection_is_never_deprived(void **state)
{
	struct ssdqos_flash_config cfg = config();
	struct helper_load load = { .seed = 6, .nr = 6000, .depth = 8, .read_pct = 94,
				    .max_units = 8, .check_every = 1000 };
	struct ssdqos_flash *f;
	u32 i;

	cfg.op_permille = 120;
	cfg.aged_pct = 100;
	cfg.aged_reads = 100;
	cfg.scrub_start_reads = 60;	/* nearly everything has to move */
	cfg.scrub_stop_reads = 20;
	f = drive(cfg, 0);
	assert_int_equal(ssdqos_flash_set(f, "gc_copyback", "off", helper_err,
					  sizeof(helper_err)), 0);
	for (i = 0; i < 4; i++) {
		load.seed = i;
		helper_run(f, &load);
	}
	helper_settle(f);
	helper_check(f);
	assert_true(ssdqos_flash_stats(f)->scrub_blocks > 50);
	assert_true(ssdqos_flash_stats(f)->gc_blocks > 50);
	assert_true(f->planes[0].nr_free >= FLASH_GC_RESERVE_BLOCKS);
	ssdqos_flash_destroy(f);
}

#define TEST(name) cmocka_unit_test_setup_teardown(name, helper_start, helper_finish)

int main(void)
{
	const struct CMUnitTest tests[] = {
		TEST(reads_are_counted_by_block),
		TEST(scrubbing_starts_above_its_threshold),
		TEST(victims_are_recorded),
		TEST(scrubbing_goes_on_to_the_lower_threshold),
		TEST(no_threshold_no_scrubbing),
		TEST(open_blocks_are_left_alone),
		TEST(scrubbing_waits_for_a_block_to_spare),
		TEST(aged_blocks_were_read),
		TEST(maximum_is_never_behind),
		TEST(collection_is_never_deprived),
	};

	return cmocka_run_group_tests_name("flash_scrub", tests, NULL, NULL);
}
