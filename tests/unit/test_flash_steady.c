// SPDX-License-Identifier: GPL-2.0
/*
 * An aged drive begins where a long-used one is: its planes are all over their
 * cycle of collection, so the first writes of a run meet as much of it as the
 * last ones.
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>
#include <cmocka.h>

#include "../../dm-ssdqos/core/flash/life/life.h"
#include "flash_helper.h"

#define PCT 100
#define SEEDS 10
/* Of a cycle of some hundred pages: planes that differ have different places. */
#define LEAST_PLACES_PCT 60
/* The drive is written so often, and then looked at for so long. */
#define WRITTEN_TIMES 10
#define WINDOW_PCT 25
/* Writes come so much slower than the drive could take them. */
#define PACE_NS 400000
/* Of ten seeds each; the sum of their collections scatters by 2 %. */
#define COLLECTIONS_APART_PCT 8

/* Pages that the host may write to the plane before its collection begins. */
static u32 pages_left(const struct ssdqos_flash *f, u32 plane)
{
	const struct flash_plane *p = &f->planes[plane];
	const struct flash_open *o = &p->open[FLASH_STREAM_HOST];
	u32 open = o->block == SSDQOS_NIL ? 0 : f->geo.pages_per_block - o->next_page;

	return (p->nr_free - f->gc_start) * f->geo.pages_per_block + open;
}

/* How many different places there are, the same one in each half of the cycle? */
static void check_places(const struct ssdqos_flash *f)
{
	u32 span = (f->gc_stop - f->gc_start + 1) * f->geo.pages_per_block, i, j, nr = 0, low = 0;

	for (i = 0; i < f->geo.nr_planes; i++) {
		u32 left = pages_left(f, i);

		assert_true(left <= span);
		low += left < span / 2;
		for (j = 0; j < i && pages_left(f, j) != left; j++)
			;
		nr += j == i;
	}
	print_message("# %u planes: %u places, %u in the second half\n", f->geo.nr_planes, nr, low);
	assert_true(nr * PCT >= f->geo.nr_planes * LEAST_PLACES_PCT);
	assert_in_range(low, f->geo.nr_planes / 4, f->geo.nr_planes * 3 / 4);
}

static void planes_are_all_over_their_cycle(void **state)
{
	struct ssdqos_flash_config cfg = helper_config(SSDQOS_FLASH_TTFLASH);
	struct ssdqos_flash *f;

	cfg.aged_pct = PCT;
	f = helper_create(&cfg, 1024);
	helper_check(f);
	check_places(f);
	ssdqos_flash_destroy(f);
}

/* With gc_scope drive all planes collect together: the drive has one place, and
 * another one with another seed.
 */
static void seed_places_the_drive(void **state)
{
	struct ssdqos_flash_config cfg = helper_config(SSDQOS_FLASH_INTEL510_LIKE);
	u32 seed, planes, least = ~0u, most = 0;

	cfg.aged_pct = PCT;
	cfg.gc_scope = SSDQOS_FLASH_GC_DRIVE;
	for (seed = 1; seed <= SEEDS; seed++) {
		struct ssdqos_flash *f;

		cfg.seed = seed;
		f = helper_create(&cfg, 2048);
		planes = f->geo.nr_planes;
		assert_in_range(f->nr_free, f->gc_start * planes, f->gc_stop * planes);
		least = min(least, f->nr_free);
		most = max(most, f->nr_free);
		ssdqos_flash_destroy(f);
	}
	/* they use more than half of what there is between start and stop */
	assert_true(most - least > 2 * planes);
}

/* One write of so many units after the other, at a steady pace. */
static u64 write_at_pace(struct ssdqos_flash *f, struct ssdqos_rng *rng, u64 nr, u32 units)
{
	static struct ssdqos_flash_req req[HELPER_MAX_DEPTH];
	u64 before = ssdqos_flash_stats(f)->gc_blocks, i;

	for (i = 0; i < nr; i++) {
		struct ssdqos_flash_req *r = &req[i % HELPER_MAX_DEPTH];

		assert_true(i < HELPER_MAX_DEPTH || r->complete_ns != SSDQOS_NEVER_NS);
		assert_true(ssdqos_flash_advance(f, helper_now(f) + units * PACE_NS));
		ssdqos_flash_take_done(f);
		helper_submit_units(f, r, SSDQOS_FLASH_WRITE,
				    ssdqos_rng_below(rng, ssdqos_flash_geo(f)->nr_lpn / units) * units,
				    units);
	}
	helper_settle(f);
	return ssdqos_flash_stats(f)->gc_blocks - before;
}

/* Collections of the first writes to an aged drive, of ten seeds, and of as many
 * to one that was really written for long.
 */
static void check_first_writes(u32 preset)
{
	struct ssdqos_flash_config cfg = helper_config(preset);
	u64 early = 0, late = 0, apart, nr, i;
	struct ssdqos_flash *f;
	struct ssdqos_rng rng;

	cfg.pages_per_block = 16;
	cfg.buffer_kib = 1024;
	cfg.aged_pct = PCT;
	for (cfg.seed = 1; cfg.seed <= SEEDS; cfg.seed++) {
		f = helper_create(&cfg, 64);
		nr = (u64)ssdqos_flash_geo(f)->nr_lpn * WINDOW_PCT / PCT;
		ssdqos_rng_seed(&rng, cfg.seed);
		early += write_at_pace(f, &rng, nr, 1);
		if (cfg.seed == SEEDS) {
			write_at_pace(f, &rng, nr * PCT / WINDOW_PCT * WRITTEN_TIMES, 1);
			for (i = 0; i < SEEDS; i++)
				late += write_at_pace(f, &rng, nr, 1);
			helper_check(f);
		}
		ssdqos_flash_destroy(f);
	}
	apart = early > late ? early - late : late - early;
	print_message("# preset %u: %llu blocks collected, %llu when written %u times\n", preset,
		      early, late, WRITTEN_TIMES);
	assert_true(apart * PCT <= late * COLLECTIONS_APART_PCT);
}

static void first_writes_meet_as_much_collection(void **state)
{
	check_first_writes(SSDQOS_FLASH_TTFLASH);
	check_first_writes(SSDQOS_FLASH_AUTOSSD);
}

/* How far planes of one group of @nr are apart in their cycles, at most: in pages. */
static u32 most_apart(const struct ssdqos_flash *f, u32 nr)
{
	u32 apart = 0, i, j;

	for (i = 0; i < f->geo.nr_planes; i += nr) {
		u32 least = ~0u, most = 0;

		for (j = i; j < i + nr; j++) {
			least = min(least, pages_left(f, j));
			most = max(most, pages_left(f, j));
		}
		apart = max(apart, most - least);
	}
	return apart;
}

/* Do planes of one group have as much valid in each of their blocks? */
static bool blocks_are_alike(const struct ssdqos_flash *f, u32 nr)
{
	u32 per_plane = f->geo.blocks_per_plane, i, j;

	for (i = 0; i < f->geo.nr_planes; i++)
		for (j = 0; j < per_plane; j++)
			if (f->blocks[i * per_plane + j].valid !=
			    f->blocks[(i - i % nr) * per_plane + j].valid)
				return false;
	return true;
}

/* The planes of a large write get their pages, and lose them, together; so they
 * collect together, on an aged drive as on one that was really written.
 */
static void check_twins(u32 flush_start_pct, u32 pattern, u32 want)
{
	struct ssdqos_flash_config cfg = helper_config(SSDQOS_FLASH_TTFLASH);
	u32 units = 16, places = 0, i, j;
	struct ssdqos_flash *f;

	cfg.pages_per_block = 64;
	cfg.op_permille = 400;
	cfg.buffer_kib = 1024;
	cfg.aged_pct = PCT;
	cfg.aged_bs = units * SSDQOS_UNIT_BYTES;
	cfg.aged_pattern = pattern;
	cfg.flush_start_pct = flush_start_pct;
	f = helper_create(&cfg, 256);
	assert_int_equal(f->geo.nr_planes, 64);
	print_message("# flush from %u %% on: planes of %u are %u pages apart, of %u %u\n", flush_start_pct,
		      want, most_apart(f, want), 2 * want, most_apart(f, 2 * want));
	assert_int_equal(most_apart(f, want), 0);
	if (!flush_start_pct)
		assert_true(blocks_are_alike(f, want));
	for (i = 0; i < f->geo.nr_planes; i += want) {
		for (j = 0; j < i && pages_left(f, j) != pages_left(f, i); j++)
			;
		places += j == i;
	}
	/* no two writes' planes have to be at one place */
	assert_true(places * want * PCT >= f->geo.nr_planes * LEAST_PLACES_PCT);
	ssdqos_flash_destroy(f);
}

static void planes_of_a_write_collect_together(void **state)
{
	check_twins(0, SSDQOS_FLASH_AGED_RANDOM, 16);
	check_twins(0, SSDQOS_FLASH_AGED_MIXED, 16);
	/* 204 of 256 pages: the last write is cut behind its twelfth page */
	check_twins(80, SSDQOS_FLASH_AGED_RANDOM, 4);
}

/* Written for long, both kinds of drives have what ageing gives them. */
static void written_planes_stay_in_step(void **state)
{
	struct ssdqos_flash_config cfg = helper_config(SSDQOS_FLASH_TTFLASH);
	struct ssdqos_flash *f;
	struct ssdqos_rng rng;

	cfg.pages_per_block = 16;
	cfg.op_permille = 400;
	cfg.flush_start_pct = 0;
	cfg.buffer_kib = 1024;
	cfg.aged_pct = PCT;
	cfg.aged_bs = 16 * SSDQOS_UNIT_BYTES;
	f = helper_create(&cfg, 64);
	ssdqos_rng_seed(&rng, 1);
	assert_int_equal(most_apart(f, 16), 0);
	write_at_pace(f, &rng, WRITTEN_TIMES * f->geo.nr_lpn / 16, 16);
	assert_int_equal(most_apart(f, 16), 0);
	ssdqos_flash_destroy(f);

	cfg.allocation = SSDQOS_FLASH_DYNAMIC;
	cfg.aged_bs = SSDQOS_UNIT_BYTES;
	f = helper_create(&cfg, 64);
	assert_int_equal(most_apart(f, f->geo.nr_planes), 0);
	write_at_pace(f, &rng, WRITTEN_TIMES * f->geo.nr_lpn, 1);
	assert_in_range(most_apart(f, f->geo.nr_planes), 0, 1);
	ssdqos_flash_destroy(f);
}

/* What a preset keeps free is a part of its paper's drive. */
static void thresholds_scale_with_the_plane(void **state)
{
	struct ssdqos_flash_config cfg = helper_config(SSDQOS_FLASH_TTFLASH), now;
	struct ssdqos_flash *f;
	u32 blocks;

	cfg.op_permille = 1000;
	cfg.gc_plane_blocks = 4096;
	f = helper_create(&cfg, 1024);
	blocks = ssdqos_flash_geo(f)->blocks_per_plane;
	ssdqos_flash_in_force(f, &now);
	assert_int_equal(now.gc_start_blocks, 2);
	assert_int_equal(now.gc_stop_blocks, 3);
	assert_int_equal(now.pages_per_block, ssdqos_flash_geo(f)->pages_per_block);
	ssdqos_flash_destroy(f);

	cfg.gc_plane_blocks = 4 * blocks;
	f = helper_create(&cfg, 1024);
	ssdqos_flash_in_force(f, &now);
	assert_int_equal(now.gc_start_blocks, 4);
	assert_int_equal(now.gc_stop_blocks, 5);	/* 18 / 4 */
	assert_int_equal(now.gc_plane_blocks, blocks);
	/* who sets one means that number */
	assert_int_equal(ssdqos_flash_set(f, "gc_stop_blocks", "9", helper_err,
					  sizeof(helper_err)), -EINVAL);
	assert_int_equal(ssdqos_flash_set(f, "gc_start_blocks", "5", helper_err,
					  sizeof(helper_err)), 0);
	ssdqos_flash_in_force(f, &now);
	assert_int_equal(now.gc_start_blocks, 5);
	assert_int_equal(now.gc_plane_blocks, 0);
	ssdqos_flash_destroy(f);
}

/* A controller that gathers writes up to some fill has them from the beginning. */
static void buffer_is_as_full_as_it_stays(void **state)
{
	struct ssdqos_flash_config cfg = helper_config(SSDQOS_FLASH_TTFLASH);
	struct ssdqos_flash_gauges now;
	struct ssdqos_flash *f;

	cfg.aged_pct = PCT;
	cfg.buffer_kib = 1024;
	for (cfg.rain = 0; cfg.rain < 2; cfg.rain++) {
		cfg.op_permille = 400;
		f = helper_create(&cfg, 256);
		ssdqos_flash_gauges(f, &now);
		assert_in_range(now.buffered_units, f->buffer.threshold - 2, f->buffer.threshold - 1);
		assert_int_equal(now.mapped_units, ssdqos_flash_geo(f)->nr_lpn);
		assert_true(ssdqos_flash_idle(f));
		helper_check(f);
		ssdqos_flash_destroy(f);
	}
}

#define TEST(name) cmocka_unit_test_setup_teardown(name, helper_start, helper_finish)

int main(void)
{
	const struct CMUnitTest tests[] = {
		TEST(planes_are_all_over_their_cycle),
		TEST(seed_places_the_drive),
		TEST(first_writes_meet_as_much_collection),
		TEST(planes_of_a_write_collect_together),
		TEST(written_planes_stay_in_step),
		TEST(thresholds_scale_with_the_plane),
		TEST(buffer_is_as_full_as_it_stays),
	};

	return cmocka_run_group_tests_name("flash_steady", tests, NULL, NULL);
}
