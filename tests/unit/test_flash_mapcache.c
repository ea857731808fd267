// SPDX-License-Identifier: GPL-2.0
/*
 * The map in flash: what is in memory, who waits, what is written when.
 *
 * The drive has 64 MiB: 16 pages of the map, of which 8 are in memory.
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <cmocka.h>

#include "../../dm-ssdqos/core/flash/life/life.h"
#include "flash_helper.h"

#define SIZE_MIB 64
#define NR_PAGES 16
#define NR_FRAMES 8
#define ENTRIES SSDQOS_MAP_ENTRIES
#define T_R 50000u
#define X_UNIT 10240u
#define READ_NS (T_R + X_UNIT)

static struct ssdqos_flash_config config(void)
{
	struct ssdqos_flash_config cfg = helper_config(SSDQOS_FLASH_AUTOSSD);

	cfg.map_cache_kib = 4 * NR_FRAMES;
	cfg.channels = 2;
	cfg.chips_per_channel = 2;
	cfg.pages_per_block = 16;
	cfg.aged_pct = 100;
	return cfg;
}

static struct ssdqos_flash *drive(struct ssdqos_flash_config cfg)
{
	struct ssdqos_flash *f = helper_create(&cfg, SIZE_MIB);

	assert_int_equal(f->map.nr_pages, NR_PAGES);
	assert_int_equal(f->map.nr_frames, NR_FRAMES);
	return f;
}

static bool cached(const struct ssdqos_flash *f, u32 page)
{
	return flash_mapcache_has(f, page * ENTRIES);
}

static u64 read_page(struct ssdqos_flash *f, u32 page)
{
	static u32 turn;

	return helper_do(f, SSDQOS_FLASH_READ, page * ENTRIES + turn++ % ENTRIES, 1);
}

/* Sums that must hold whenever nothing is under way. */
static void check_frames(const struct ssdqos_flash *f)
{
	const struct flash_map_cache *mc = &f->map;
	u32 i, nr_cached = 0, nr_dirty = 0, nr_deferred = 0;

	for (i = 0; i < mc->nr_pages; i++) {
		nr_cached += mc->page[i].state == FLASH_MAP_CACHED;
		nr_dirty += mc->page[i].state == FLASH_MAP_CACHED && mc->page[i].dirty;
		nr_deferred += mc->page[i].state == FLASH_MAP_DEFERRED;
		assert_true(mc->page[i].state == FLASH_MAP_CACHED ||
			    mc->page[i].state == FLASH_MAP_DEFERRED ||
			    mc->page[i].state == FLASH_MAP_ABSENT);
		assert_true(mc->page[i].state != FLASH_MAP_ABSENT || !mc->page[i].dirty);
	}
	assert_int_equal(mc->nr_clean + mc->nr_dirty, nr_cached);
	assert_int_equal(mc->nr_dirty, nr_dirty);
	assert_int_equal(mc->nr_deferred, nr_deferred);
	assert_int_equal(mc->nr_used, nr_cached);
	assert_true(mc->nr_used <= mc->nr_frames);
	assert_int_equal(mc->nr_writing + mc->nr_wanted, 0);
}

static void drive_starts_with_pages_in_memory(void **state)
{
	struct ssdqos_flash_config cfg = config();
	struct ssdqos_flash_gauges g;
	struct ssdqos_flash *f;
	u32 i, round;

	for (round = 0; round < 2; round++) {
		cfg.aged_pct = 100 * round;
		f = drive(cfg);
		ssdqos_flash_gauges(f, &g);
		assert_int_equal(g.map_cached_pages, NR_FRAMES);
		assert_int_equal(g.map_hit_milli, 100000);	/* nobody has asked */
		for (i = 0; i < NR_PAGES; i++)
			assert_int_equal(cached(f, i), i % 2 == 0);	/* spread */
		check_frames(f);
		ssdqos_flash_destroy(f);
	}
}

static void cache_is_at_least_eight_pages_and_at_most_the_map(void **state)
{
	struct ssdqos_flash_config cfg = config();
	struct ssdqos_flash *f;

	cfg.map_cache_kib = 1;
	f = drive(cfg);
	ssdqos_flash_destroy(f);
	cfg.map_cache_kib = 1000;
	f = helper_create(&cfg, SIZE_MIB);
	assert_int_equal(f->map.nr_frames, NR_PAGES);
	ssdqos_flash_destroy(f);
	cfg.map_cache_kib = 0;
	f = helper_create(&cfg, SIZE_MIB);
	assert_int_equal(f->map.nr_pages, 0);
	assert_int_equal(f->geo.nr_all, f->geo.nr_lpn);
	ssdqos_flash_destroy(f);
}

static void hits_cost_nothing_and_misses_a_read(void **state)
{
	struct ssdqos_flash *f = drive(config());
	const struct ssdqos_flash_stats *s = ssdqos_flash_stats(f);
	struct ssdqos_flash_gauges g;
	struct ssdqos_flash_req req;

	assert_int_equal(read_page(f, 2), READ_NS);
	assert_int_equal(s->map_lookups, 1);
	assert_int_equal(s->map_misses, 0);
	helper_submit_units(f, &req, SSDQOS_FLASH_READ, 3 * ENTRIES, 1);
	assert_int_equal(helper_wait(f, &req), 2 * READ_NS);
	assert_int_equal(req.wait_ns[SSDQOS_WAIT_MAP_MISS], READ_NS);
	assert_int_equal(req.wait_ns[SSDQOS_WAIT_FLASH], READ_NS);
	assert_int_equal(s->map_lookups, 2);
	assert_int_equal(s->map_misses, 1);
	assert_int_equal(s->map_reads, 1);
	assert_int_equal(read_page(f, 3), READ_NS);
	ssdqos_flash_gauges(f, &g);
	assert_int_equal(g.map_hit_milli, 66666);
	check_frames(f);
	ssdqos_flash_destroy(f);
}

static void misses_are_recorded(void **state)
{
	struct ssdqos_flash *f = drive(config());
	struct ssdqos_flash_record rec[3];

	ssdqos_flash_log_enable(f, 1u << SSDQOS_FLASH_EV_MAP_MISSED);
	read_page(f, 4);
	read_page(f, 5);
	assert_int_equal(ssdqos_flash_log_take(f, rec, 3), 1);
	assert_int_equal(rec[0].block, 5);
	ssdqos_flash_destroy(f);
}

static void only_who_needs_the_page_waits(void **state)
{
	struct ssdqos_flash_config cfg = config();
	struct ssdqos_flash_req miss, other, hit, buffered, write;
	struct ssdqos_flash *f;

	cfg.allocation = SSDQOS_FLASH_STATIC;
	f = drive(cfg);
	/* only now: an aged drive has its buffer full up to there */
	assert_int_equal(ssdqos_flash_set(f, "flush_start_pct", "90", helper_err,
					  sizeof(helper_err)), 0);
	/* page 5 of the map is in plane 1, and so on channel 1; the hit is on channel 0 */
	helper_submit_units(f, &write, SSDQOS_FLASH_WRITE, 7 * ENTRIES, 4);
	helper_submit_units(f, &miss, SSDQOS_FLASH_READ, 5 * ENTRIES + 4, 1);
	helper_submit_units(f, &other, SSDQOS_FLASH_READ, 5 * ENTRIES + 12, 1);
	helper_submit_units(f, &hit, SSDQOS_FLASH_READ, 4 * ENTRIES, 1);
	helper_submit_units(f, &buffered, SSDQOS_FLASH_READ, 7 * ENTRIES, 4);
	helper_settle(f);
	assert_int_equal(helper_latency(&write), 2000);
	assert_int_equal(helper_latency(&buffered), 2000);
	assert_int_equal(helper_latency(&hit), READ_NS);
	assert_int_equal(miss.wait_ns[SSDQOS_WAIT_MAP_MISS],
			 other.wait_ns[SSDQOS_WAIT_MAP_MISS]);
	assert_true(miss.wait_ns[SSDQOS_WAIT_MAP_MISS] >= READ_NS);
	assert_int_equal(ssdqos_flash_stats(f)->map_reads, 1);	/* for both */
	assert_int_equal(ssdqos_flash_stats(f)->map_misses, 2);
	ssdqos_flash_destroy(f);
}

static void read_over_two_pages_of_the_map(void **state)
{
	struct ssdqos_flash *f = drive(config());
	const struct ssdqos_flash_stats *s = ssdqos_flash_stats(f);

	helper_do(f, SSDQOS_FLASH_READ, 2 * ENTRIES - 8, 8);
	assert_int_equal(s->map_lookups, 1);
	helper_do(f, SSDQOS_FLASH_READ, 4 * ENTRIES - 8, 16);
	assert_int_equal(s->map_lookups, 3);
	assert_int_equal(s->map_misses, 2);
	ssdqos_flash_destroy(f);
}

static void partial_write_needs_the_map(void **state)
{
	struct ssdqos_flash *f = drive(config());
	const struct ssdqos_flash_stats *s = ssdqos_flash_stats(f);

	helper_do(f, SSDQOS_FLASH_WRITE, 3 * ENTRIES, 1);
	assert_int_equal(s->map_lookups, 0);
	assert_int_equal(helper_do_sectors(f, SSDQOS_FLASH_WRITE, (5 * ENTRIES + 1) * 8 + 1, 2),
			 2 * READ_NS + 2000);
	assert_int_equal(s->map_misses, 1);
	assert_int_equal(s->rmw_reads, 1);
	ssdqos_flash_destroy(f);
}

static void least_recently_used_page_goes_first(void **state)
{
	struct ssdqos_flash *f = drive(config());
	u32 i;

	/* in memory: 0 2 4 ... 14; use them again, 0 last but one */
	for (i = 2; i < NR_PAGES; i += 2)
		read_page(f, i);
	read_page(f, 0);
	read_page(f, 2);
	for (i = 1; i < 7; i += 2) {
		read_page(f, i);
		assert_true(cached(f, i));
		assert_false(cached(f, 3 + i));		/* 4, 6, 8 */
	}
	assert_true(cached(f, 0) && cached(f, 2) && cached(f, 10) && cached(f, 12) &&
		    cached(f, 14));
	check_frames(f);
	ssdqos_flash_destroy(f);
}

/* Make some pages of the map dirty: program four units of each. */
static void dirty(struct ssdqos_flash *f, u32 page)
{
	helper_do(f, SSDQOS_FLASH_WRITE, page * ENTRIES, 4);
	helper_settle(f);
}

static void clean_pages_go_before_dirty_ones(void **state)
{
	struct ssdqos_flash *f = drive(config());
	u32 i;

	for (i = 0; i < 6; i += 2)
		dirty(f, i);
	assert_int_equal(f->map.nr_dirty, 3);
	assert_int_equal(ssdqos_flash_stats(f)->map_programs, 0);
	/* 6 to 14 are used later, and leave before 0, 2 and 4 */
	for (i = 6; i < NR_PAGES; i += 2)
		read_page(f, i);
	for (i = 1; i < 9; i += 2)
		read_page(f, i);
	assert_true(cached(f, 0) && cached(f, 2) && cached(f, 4));
	assert_false(cached(f, 6) || cached(f, 8) || cached(f, 10) || cached(f, 12));
	assert_int_equal(ssdqos_flash_stats(f)->map_programs, 0);
	check_frames(f);
	ssdqos_flash_destroy(f);
}

static void dirty_pages_are_written_back_in_time(void **state)
{
	struct ssdqos_flash *f = drive(config());
	const struct ssdqos_flash_stats *s = ssdqos_flash_stats(f);
	u32 i, was[NR_PAGES];

	for (i = 0; i < NR_PAGES; i++)
		was[i] = f->l2p[f->geo.map_lpn + i];
	/* an eighth of the frames, one, is to be clean: the eighth page is too much */
	for (i = 0; i < 14; i += 2)
		dirty(f, i);
	assert_int_equal(s->map_programs, 0);
	assert_int_equal(f->map.nr_clean, 1);
	dirty(f, 14);
	assert_int_equal(s->map_programs, 1);
	assert_int_equal(s->map_write_units, 4);	/* least recently used, a page full */
	for (i = 0; i < NR_PAGES; i += 2) {
		assert_int_equal(f->l2p[f->geo.map_lpn + i] != was[i], i < 8);
		assert_int_equal(f->map.page[i].dirty, i >= 8);
		if (i < 8)
			assert_int_equal(f->p2l[was[i]], SSDQOS_NIL);
	}
	helper_check(f);
	check_frames(f);
	ssdqos_flash_destroy(f);
}

static void changed_page_that_is_absent_is_fetched(void **state)
{
	struct ssdqos_flash *f = drive(config());
	const struct ssdqos_flash_stats *s = ssdqos_flash_stats(f);

	dirty(f, 5);
	assert_int_equal(s->map_reads, 0);	/* one in 16 waits for more changes */
	assert_int_equal(f->map.nr_deferred, 1);
	dirty(f, 7);
	assert_int_equal(s->map_misses, 0);	/* nobody had to wait */
	assert_int_equal(s->map_reads, 1);
	assert_true(cached(f, 5));
	assert_int_equal(f->map.nr_deferred, 1);
	assert_true(f->map.page[5].dirty);
	check_frames(f);
	ssdqos_flash_destroy(f);
}

static void without_credit_changes_are_deferred(void **state)
{
	struct ssdqos_flash *f = drive(config());
	const struct ssdqos_flash_stats *s = ssdqos_flash_stats(f);
	u32 i;

	f->map.credit = 0;
	for (i = 0; i < 2; i++) {
		helper_do(f, SSDQOS_FLASH_DISCARD, (5 + 2 * i) * ENTRIES, 4);
		helper_settle(f);
		f->map.credit = 0;
	}
	assert_int_equal(f->map.nr_deferred, 2);
	assert_int_equal(s->map_reads, 0);
	check_frames(f);
	/* a read needs the page: it comes, with the change */
	assert_int_equal(f->map.page[7].state, FLASH_MAP_DEFERRED);
	read_page(f, 7);
	assert_int_equal(f->map.nr_deferred, 1);
	assert_true(cached(f, 7));
	assert_true(f->map.page[7].dirty);
	ssdqos_flash_destroy(f);
}

static void reads_get_frames_without_credit(void **state)
{
	struct ssdqos_flash *f = drive(config());
	const struct ssdqos_flash_stats *s = ssdqos_flash_stats(f);
	u32 i;

	for (i = 0; i < 14; i += 2)
		dirty(f, i);
	f->map.credit = 0;
	read_page(f, 1);	/* takes the last clean one */
	helper_settle(f);
	f->map.credit = 0;
	dirty(f, 1);
	assert_int_equal(f->map.nr_clean, 0);
	f->map.credit = 0;
	assert_int_equal(s->map_programs, 0);
	read_page(f, 3);	/* has to wait for a write */
	assert_int_equal(s->map_programs, 1);
	assert_true(cached(f, 3));
	helper_settle(f);
	check_frames(f);
	ssdqos_flash_destroy(f);
}

static void programs_of_the_host_earn_credit(void **state)
{
	struct ssdqos_flash *f = drive(config());
	u32 i;

	f->map.credit = 0;
	dirty(f, 0);
	assert_int_equal(f->map.credit, 1);
	for (i = 2; i < 14; i += 2)
		dirty(f, i);
	assert_int_equal(f->map.credit, 7);
	dirty(f, 14);
	assert_int_equal(ssdqos_flash_stats(f)->map_programs, 1);
	assert_int_equal(f->map.credit, 7);
	f->map.credit = 1024;
	dirty(f, 0);
	assert_int_equal(f->map.credit, 1024);
	ssdqos_flash_destroy(f);
}

static void map_writes_are_bounded_by_the_hosts(void **state)
{
	u64 seed;

	for (seed = 1; seed <= 4; seed++) {
		struct ssdqos_flash_config cfg = config();
		struct helper_load load = { .seed = seed, .nr = 4000, .depth = 16, .max_units = 1 };
		const struct ssdqos_flash_stats *s;
		struct ssdqos_flash *f;

		cfg.allocation = seed % 2;
		cfg.map_cache_kib = 8;
		cfg.page_kib = 4;	/* each program changes one entry */
		f = helper_create(&cfg, SIZE_MIB);
		s = ssdqos_flash_stats(f);
		f->map.credit = 0;
		helper_run(f, &load);
		helper_settle(f);
		assert_true(s->map_programs > 300);
		assert_true(s->map_programs <= 4 * s->host_programs);
		assert_true(f->map.credit <= 1024);
		check_frames(f);
		ssdqos_flash_destroy(f);
	}
}

/* A map all of which is in memory costs nothing. */
static void whole_map_in_memory_is_never_written(void **state)
{
	struct ssdqos_flash_config cfg = config();
	struct helper_load load = { .seed = 3, .nr = 5000, .depth = 16, .max_units = 8,
				    .read_pct = 30 };
	struct ssdqos_flash *f;

	cfg.map_cache_kib = 64;
	f = helper_create(&cfg, SIZE_MIB);
	helper_run(f, &load);
	assert_true(ssdqos_flash_stats(f)->map_lookups > 1000);
	assert_int_equal(ssdqos_flash_stats(f)->map_misses, 0);
	assert_int_equal(ssdqos_flash_stats(f)->map_programs, 0);
	ssdqos_flash_destroy(f);
}

/* Pages of the map lie in blocks that are collected, and survive it. */
static void pages_of_the_map_are_collected(void **state)
{
	struct ssdqos_flash_config cfg = config();
	struct helper_load load = { .seed = 5, .nr = 3000, .depth = 16, .max_units = 8,
				    .read_pct = 20, .check_every = 500, .units = 4096 };
	u32 was[NR_PAGES], i, moved = 0;
	struct ssdqos_flash *f;

	f = drive(cfg);
	for (i = 0; i < NR_PAGES; i++)
		was[i] = f->l2p[f->geo.map_lpn + i];
	helper_run(f, &load);
	helper_settle(f);
	for (i = 0; i < NR_PAGES; i++) {
		u32 psn = f->l2p[f->geo.map_lpn + i];

		assert_true(psn < f->geo.nr_psn);
		assert_int_equal(f->p2l[psn], f->geo.map_lpn + i);
		/* the host never changed the upper three quarters */
		moved += i >= NR_PAGES / 4 && psn != was[i] && !f->map.page[i].dirty;
	}
	assert_true(moved > 0);
	check_frames(f);
	ssdqos_flash_destroy(f);
}

/* The map changes more often than any data: beside it, it leaves holes, and
 * collection moves the data again and again.
 */
static void map_is_written_apart_from_data(void **state)
{
	static const u32 most_waf_milli[] = {
		[SSDQOS_FLASH_FIFO] = 3000,	/* in one stream 3189 and 3477 */
		[SSDQOS_FLASH_DEBIT] = 4000,	/* 5501 and 5837 */
	};
	u64 seed;

	for (seed = 1; seed <= 4; seed++) {
		struct ssdqos_flash_config cfg = config();
		struct helper_load load = { .seed = seed, .nr = 40000, .depth = 16,
					    .max_units = 1 };
		const struct ssdqos_flash_stats *s;
		struct ssdqos_flash_gauges g;
		struct ssdqos_flash *f;

		cfg.allocation = seed % 2;
		cfg.scheduler = seed / 2 % 2 ? SSDQOS_FLASH_DEBIT : SSDQOS_FLASH_FIFO;
		f = drive(cfg);
		s = ssdqos_flash_stats(f);
		helper_run(f, &load);
		helper_settle(f);
		ssdqos_flash_gauges(f, &g);
		assert_true(g.waf_milli < most_waf_milli[cfg.scheduler]);
		/* in full flash pages, with stripes or without */
		assert_true(s->map_write_units > 5000);
		assert_int_equal(s->map_write_units, s->map_programs * f->geo.units_per_page);
		check_frames(f);
		helper_check(f);
		ssdqos_flash_destroy(f);
	}
}

/* A map that fits into memory is not written: no block is kept open for it. */
static void map_in_memory_has_no_stream(void **state)
{
	struct ssdqos_flash_config cfg = config();
	struct ssdqos_flash *f = drive(cfg);

	assert_int_equal(f->geo.nr_streams, FLASH_NR_STREAMS);
	ssdqos_flash_destroy(f);
	for (cfg.map_cache_kib = 0; cfg.map_cache_kib <= 64; cfg.map_cache_kib += 64) {
		f = helper_create(&cfg, SIZE_MIB);
		assert_int_equal(f->geo.nr_streams, FLASH_STREAM_MAP);
		ssdqos_flash_destroy(f);
	}
}

static void fresh_map_is_not_read(void **state)
{
	struct ssdqos_flash_config cfg = config();
	struct ssdqos_flash *f;

	cfg.aged_pct = 0;
	f = drive(cfg);
	/* nothing was ever written there: no flash has to be asked */
	dirty(f, 5);
	assert_int_equal(read_page(f, 7), 2000);
	assert_int_equal(ssdqos_flash_stats(f)->map_reads, 0);
	ssdqos_flash_destroy(f);
}

/* A digest of when requests complete, with or without a word of what will come. */
/* Parts of the map are written back that were never written. */
static void check_empty_map(struct ssdqos_flash *f)
{
	const struct helper_load load = {
		.seed = 3, .nr = 2000, .depth = 8, .max_units = 4, .check_every = 50,
	};
	u32 i;

	for (i = f->geo.map_lpn; i < f->geo.nr_all; i++)
		assert_int_equal(f->l2p[i], FLASH_UNMAPPED);
	helper_check(f);
	helper_run(f, &load);
	helper_settle(f);
	helper_check(f);
	check_frames(f);
	assert_true(ssdqos_flash_stats(f)->map_write_units > 0);
	ssdqos_flash_destroy(f);
}

static void aged_drive_without_data_has_no_map(void **state)
{
	struct ssdqos_flash_config cfg = config();
	struct ssdqos_flash *f = drive(cfg);

	assert_int_equal(ssdqos_flash_age(f, 0, 1, helper_err, sizeof(helper_err)), 0);
	check_empty_map(f);
	/* one that is made so: it has no piece as small as that */
	cfg.aged_pattern = SSDQOS_FLASH_AGED_MIXED;
	cfg.aged_pct = 1;
	f = drive(cfg);
	assert_int_equal(f->mapped, 0);
	check_empty_map(f);
}

static u64 digest_of_run(bool foreseen)
{
	struct ssdqos_flash_config cfg = config();
	struct ssdqos_rng rng;
	struct ssdqos_flash *f;
	u64 digest = 0;
	u32 i;

	cfg.aged_pct = 60;	/* some of it is not mapped */
	f = drive(cfg);
	ssdqos_rng_seed(&rng, 7);
	for (i = 0; i < 3000; i++) {
		u32 unit = ssdqos_rng_below(&rng, SIZE_MIB << 8);
		u32 op = ssdqos_rng_below(&rng, 2) ? SSDQOS_FLASH_READ : SSDQOS_FLASH_WRITE;

		if (foreseen) {
			ssdqos_flash_foresee(f, op, (u64)unit << 3, false);
			ssdqos_flash_foresee(f, op, (u64)unit << 3, true);
			ssdqos_flash_foresee(f, op, ~0ULL >> i % 64, i % 2);
		}
		digest = digest * 31 + helper_do(f, op, unit, 1);
	}
	helper_settle(f);
	helper_check(f);
	ssdqos_flash_destroy(f);
	return digest;
}

static void to_foresee_requests_changes_nothing(void **state)
{
	assert_int_equal(digest_of_run(true), digest_of_run(false));
}

#define TEST(name) cmocka_unit_test_setup_teardown(name, helper_start, helper_finish)

int main(void)
{
	const struct CMUnitTest tests[] = {
		TEST(drive_starts_with_pages_in_memory),
		TEST(cache_is_at_least_eight_pages_and_at_most_the_map),
		TEST(hits_cost_nothing_and_misses_a_read),
		TEST(misses_are_recorded),
		TEST(only_who_needs_the_page_waits),
		TEST(read_over_two_pages_of_the_map),
		TEST(partial_write_needs_the_map),
		TEST(least_recently_used_page_goes_first),
		TEST(clean_pages_go_before_dirty_ones),
		TEST(dirty_pages_are_written_back_in_time),
		TEST(changed_page_that_is_absent_is_fetched),
		TEST(without_credit_changes_are_deferred),
		TEST(reads_get_frames_without_credit),
		TEST(programs_of_the_host_earn_credit),
		TEST(map_writes_are_bounded_by_the_hosts),
		TEST(whole_map_in_memory_is_never_written),
		TEST(pages_of_the_map_are_collected),
		TEST(map_is_written_apart_from_data),
		TEST(map_in_memory_has_no_stream),
		TEST(fresh_map_is_not_read),
		TEST(aged_drive_without_data_has_no_map),
		TEST(to_foresee_requests_changes_nothing),
	};

	return cmocka_run_group_tests_name("flash_mapcache", tests, NULL, NULL);
}
