// SPDX-License-Identifier: GPL-2.0
/*
 * Collection that blocks the drive, runs of writes for which it waits, and the
 * drives of the Ianus paper.
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <cmocka.h>

#include "../../dm-ssdqos/core/flash/life/life.h"
#include "flash_helper.h"

#define SIZE_MIB 64
#define NR_REQUESTS 4000
#define MS 1000000ULL

static const struct helper_load overwrite = {
	.seed = 3, .nr = NR_REQUESTS, .depth = 16, .read_pct = 30, .max_units = 8,
	.check_every = 1000,
};

/* Four chips on two channels, full and about to collect. */
static struct ssdqos_flash_config config(void)
{
	struct ssdqos_flash_config cfg = helper_config(SSDQOS_FLASH_AUTOSSD);

	cfg.channels = 2;
	cfg.chips_per_channel = 2;
	cfg.planes_per_chip = 1;
	cfg.pages_per_block = 16;
	cfg.page_kib = 4;
	cfg.buffer_kib = 256;
	cfg.aged_pct = 100;
	cfg.gc_scope = SSDQOS_FLASH_GC_DRIVE;
	cfg.gc_blocking = SSDQOS_FLASH_GC_BLOCKS_BURSTS;
	return cfg;
}

/* Write until a burst is under way. */
static void reach_burst(struct ssdqos_flash *f)
{
	static struct ssdqos_flash_req req;
	u32 i;

	for (i = 0; !flash_burst_blocks(f); i++) {
		assert_true(i < 100 * f->geo.nr_lpn);
		helper_submit_units(f, &req, SSDQOS_FLASH_WRITE, i * 7 % f->geo.nr_lpn, 1);
		while (req.complete_ns == SSDQOS_NEVER_NS && !flash_burst_blocks(f))
			helper_step(f);
		while (req.complete_ns == SSDQOS_NEVER_NS)
			helper_step(f);
		ssdqos_flash_take_done(f);
	}
}

/* ---- bursts ---- */

static u64 issued_for_host(const struct ssdqos_flash *f)
{
	return f->task[SSDQOS_TASK_HOST].stats.issued + f->task[SSDQOS_TASK_MAP].stats.issued +
	       f->task[SSDQOS_TASK_FLUSH].stats.issued;
}

/* A read of each plane, so of each chip; returns how many. */
static u32 read_all_planes(struct ssdqos_flash *f, struct ssdqos_flash_req *req)
{
	u32 plane, lpn;

	for (plane = 0; plane < f->geo.nr_planes; plane++) {
		for (lpn = 0; f->l2p[lpn] & FLASH_IN_BUFFER || flash_plane_of(f, f->l2p[lpn]) != plane;)
			lpn++;
		helper_submit_units(f, &req[plane], SSDQOS_FLASH_READ, lpn, 1);
	}
	return plane;
}

static void check_held(u64 scheduler, u64 map_cache_kib)
{
	struct ssdqos_flash_config cfg = config();
	struct ssdqos_flash_req req[4];
	struct ssdqos_flash *f;
	u64 issued, burst_ns;
	u32 i, nr;

	cfg.gc_scope = SSDQOS_FLASH_GC_PLANE;	/* others than these wait, too */
	cfg.scheduler = scheduler;
	cfg.map_cache_kib = map_cache_kib;
	f = helper_create(&cfg, SIZE_MIB);
	reach_burst(f);
	nr = read_all_planes(f, req);
	assert_int_equal(nr, f->geo.nr_chips);
	issued = issued_for_host(f);
	while (flash_burst_blocks(f)) {
		assert_int_equal(issued_for_host(f), issued);
		for (i = 0; i < nr; i++)
			assert_true(req[i].complete_ns == SSDQOS_NEVER_NS);
		helper_step(f);
	}
	burst_ns = f->now_ns;
	assert_int_equal(f->burst.nr_collecting, 0);
	assert_true(issued_for_host(f) > issued);
	for (i = 0; i < nr; i++) {
		helper_wait(f, &req[i]);
		assert_true(req[i].complete_ns >= burst_ns + cfg.read_ns);
		if (!map_cache_kib)
			assert_true(req[i].wait_ns[SSDQOS_WAIT_BY_GC] >=
				    burst_ns - req[i].arrival_ns);
	}
	helper_settle(f);
	helper_check(f);
	ssdqos_flash_destroy(f);
}

static void a_burst_holds_what_all_chips_do_for_the_host(void **state)
{
	u64 scheduler;

	for (scheduler = 0; scheduler < 4; scheduler++) {
		check_held(scheduler, 0);
		check_held(scheduler, 16);
	}
}

/* Bursts are counted, and in their time nothing else is. */
static void bursts_and_their_time_are_counted(void **state)
{
	struct ssdqos_flash_config cfg = config();
	struct ssdqos_flash *f = helper_create(&cfg, SIZE_MIB);
	u64 begin_ns;

	reach_burst(f);
	assert_int_equal(f->stats.blocking_bursts, 1);
	assert_true(f->stats.blocking_ns == 0);
	begin_ns = f->burst.since_ns;
	while (flash_burst_blocks(f))
		helper_step(f);
	assert_true(f->stats.blocking_ns == f->now_ns - begin_ns);
	helper_settle(f);
	ssdqos_flash_destroy(f);
}

struct span {
	u64 least_ns;
	u64 most_ns;
	u32 nr;
};

static void note(struct span *s, u64 ns)
{
	s->least_ns = s->nr++ ? min(s->least_ns, ns) : ns;
	s->most_ns = max(s->most_ns, ns);
}

/* Lengths of bursts that the timer ended, and of the pauses behind them. */
static void measure(struct ssdqos_flash *f, struct span *burst, struct span *pause)
{
	static struct ssdqos_flash_req req[32];
	u8 state = f->burst.state;
	u64 since_ns = f->now_ns;
	u32 i, n = 0;

	for (i = 0; i < 32; i++)
		helper_submit_units(f, &req[i], SSDQOS_FLASH_WRITE, n++ * 7 % f->geo.nr_lpn, 1);
	while (pause->nr < 40) {
		helper_step(f);
		if (f->burst.state != state) {
			if (f->burst.state == FLASH_BURST_PAUSING)
				note(burst, f->now_ns - since_ns);
			else if (state == FLASH_BURST_PAUSING)
				note(pause, f->now_ns - since_ns);
			state = f->burst.state;
			since_ns = f->now_ns;
		}
		for (i = 0; i < 32; i++)
			if (req[i].complete_ns != SSDQOS_NEVER_NS)
				helper_submit_units(f, &req[i], SSDQOS_FLASH_WRITE,
						    n++ * 7 % f->geo.nr_lpn, 1);
		ssdqos_flash_take_done(f);
	}
	helper_settle(f);
}

static void bursts_and_pauses_have_their_lengths(void **state)
{
	struct ssdqos_flash_config cfg = config();
	struct span burst = { 0 }, pause = { 0 };
	struct ssdqos_flash *f;

	cfg.gc_burst_ns = 5 * MS;
	cfg.gc_pause_ns = 2 * MS;
	f = helper_create(&cfg, SIZE_MIB);
	measure(f, &burst, &pause);
	assert_true(burst.least_ns == 5 * MS && burst.most_ns == 5 * MS);
	assert_true(pause.least_ns == 2 * MS && pause.most_ns == 2 * MS);
	ssdqos_flash_destroy(f);

	cfg.gc_burst_spread_pct = 40;
	f = helper_create(&cfg, SIZE_MIB);
	burst.nr = 0;
	pause.nr = 0;
	burst.most_ns = 0;
	pause.most_ns = 0;
	measure(f, &burst, &pause);
	assert_in_range(burst.least_ns, 3 * MS, 4 * MS);
	assert_in_range(burst.most_ns, 6 * MS, 7 * MS);
	assert_in_range(pause.least_ns, 12 * MS / 10, 16 * MS / 10);
	assert_in_range(pause.most_ns, 24 * MS / 10, 28 * MS / 10);
	ssdqos_flash_destroy(f);
}

/* In a pause the host is served, though planes go on collecting. */
static void a_pause_lets_the_host_in(void **state)
{
	struct ssdqos_flash_config cfg = config();
	struct ssdqos_flash_req req;
	struct ssdqos_flash *f;

	cfg.gc_burst_ns = 1 * MS;
	cfg.gc_pause_ns = 50 * MS;
	f = helper_create(&cfg, SIZE_MIB);
	reach_burst(f);
	helper_submit_units(f, &req, SSDQOS_FLASH_READ, 9, 1);
	while (flash_burst_blocks(f))
		helper_step(f);
	assert_int_equal(f->burst.state, FLASH_BURST_PAUSING);
	assert_true(f->burst.nr_collecting > 0);
	helper_wait(f, &req);
	assert_int_equal(f->burst.state, FLASH_BURST_PAUSING);
	helper_settle(f);
	assert_int_equal(f->burst.state, FLASH_BURST_NONE);
	ssdqos_flash_destroy(f);
}

/* Nobody but a burst waits for a quiet host: the host can't be quiet then. */
static void a_burst_does_not_wait_for_a_quiet_host(void **state)
{
	struct ssdqos_flash_config cfg = config();
	static struct ssdqos_flash_req req[64];
	struct ssdqos_flash *f;
	u32 i;

	cfg.scheduler = SSDQOS_FLASH_DEBIT;
	cfg.gc_share_mode = SSDQOS_FLASH_SHARE_FEEDBACK;
	cfg.gc_share_permille = 500;
	cfg.gc_target = 1;
	cfg.quiet_ns = 10 * MS;
	f = helper_create(&cfg, SIZE_MIB);
	reach_burst(f);
	for (i = 0; i < 64 && flash_burst_blocks(f); i++) {
		ssdqos_flash_advance(f, f->now_ns + 5 * MS);
		helper_submit_units(f, &req[i], SSDQOS_FLASH_READ, i, 1);
	}
	assert_true(i < 64);
	helper_settle(f);
	ssdqos_flash_destroy(f);
}

static void a_burst_ends_when_blocking_is_switched_off(void **state)
{
	struct ssdqos_flash_config cfg = config();
	struct ssdqos_flash_req req;
	struct ssdqos_flash *f = helper_create(&cfg, SIZE_MIB);

	reach_burst(f);
	helper_submit_units(f, &req, SSDQOS_FLASH_READ, 9, 1);
	assert_int_equal(ssdqos_flash_set(f, "gc_blocking", "none", helper_err,
					  sizeof(helper_err)), 0);
	assert_false(flash_burst_blocks(f));
	assert_true(f->burst.nr_collecting > 0);
	assert_int_equal(f->open_tasks, FLASH_ALL_TASKS);
	helper_settle(f);
	assert_int_equal(ssdqos_flash_set(f, "gc_blocking", "bursts", helper_err,
					  sizeof(helper_err)), 0);
	reach_burst(f);
	helper_settle(f);
	helper_check(f);
	ssdqos_flash_destroy(f);
}

static u64 digest(const struct ssdqos_flash_config *cfg)
{
	struct ssdqos_flash *f = helper_create(cfg, SIZE_MIB);
	u64 digest = helper_run(f, &overwrite);

	helper_settle(f);
	helper_check(f);
	assert_true(f->stats.gc_blocks > 50);
	assert_int_equal(f->stats.blocking_bursts > 0,
			 cfg->gc_blocking != SSDQOS_FLASH_GC_BLOCKS_NOTHING);
	ssdqos_flash_destroy(f);
	return digest;
}

static void without_blocking_the_lengths_change_nothing(void **state)
{
	struct ssdqos_flash_config cfg = config(), other;
	u64 blocking = digest(&cfg);

	assert_true(digest(&cfg) == blocking);
	cfg.gc_blocking = SSDQOS_FLASH_GC_BLOCKS_NOTHING;
	other = cfg;
	other.gc_burst_ns = 1 * MS;
	other.gc_pause_ns = 1 * MS;
	other.gc_burst_spread_pct = 50;
	assert_true(digest(&cfg) == digest(&other));
	assert_true(digest(&cfg) != blocking);
}

/* ---- runs ---- */

/* Write @nr units one by one; the fewest free blocks of the drive meanwhile. */
static u32 write_units(struct ssdqos_flash *f, u32 nr, u32 stride)
{
	u32 i;

	f->nr_free_min = f->nr_free;
	for (i = 0; i < nr; i++)
		helper_do(f, SSDQOS_FLASH_WRITE, i * stride % f->geo.nr_lpn, 1);
	helper_settle(f);
	return f->nr_free_min;
}

static u32 least_free(struct ssdqos_flash_config cfg, u32 stride)
{
	struct ssdqos_flash *f = helper_create(&cfg, SIZE_MIB);
	u32 least = write_units(f, f->geo.nr_lpn / 2, stride);

	assert_true(f->gc_start > 8);
	least = least / f->geo.nr_planes;
	ssdqos_flash_destroy(f);
	return least;
}

static void collection_waits_for_long_runs(void **state)
{
	struct ssdqos_flash_config cfg = config();

	cfg.gc_start_blocks = 10;
	cfg.gc_stop_blocks = 12;
	assert_true(least_free(cfg, 1) >= 7);
	cfg.gc_defer_kib = 64;
	assert_true(least_free(cfg, 1) <= 3);
	assert_true(least_free(cfg, 7) >= 7);
	cfg.gc_scope = SSDQOS_FLASH_GC_PLANE;
	assert_true(least_free(cfg, 1) <= 3);
	assert_true(least_free(cfg, 7) >= 7);
	/* without a cache there is no use in waiting */
	cfg.cache = SSDQOS_FLASH_CACHE_NONE;
	assert_true(least_free(cfg, 1) >= 7);
}

static void runs_are_told_apart(void **state)
{
	struct ssdqos_flash_config cfg = config();
	struct ssdqos_flash *f = helper_create(&cfg, SIZE_MIB);
	u32 i;

	assert_false(flash_gc_note_write(f, 0, 4));
	assert_true(flash_gc_note_write(f, 4, 8));
	assert_false(flash_gc_note_write(f, 4, 8));
	assert_false(flash_gc_note_write(f, 1000, 1001));
	assert_false(flash_gc_note_write(f, 2000, 2001));
	for (i = 0; i < 10; i++) {
		assert_true(flash_gc_note_write(f, 8 + i, 9 + i));
		assert_int_equal(f->run[f->last_run].units, 9 + i);
		assert_true(flash_gc_note_write(f, 1001 + i, 1002 + i));
		assert_true(flash_gc_note_write(f, 2001 + i, 2002 + i));
	}
	/* four others, and the runs are forgotten */
	for (i = 0; i < 4; i++)
		assert_false(flash_gc_note_write(f, 5000 + 10 * i, 5001 + 10 * i));
	assert_false(flash_gc_note_write(f, 1011, 1012));
	ssdqos_flash_destroy(f);
}

/* ---- saved states ---- */

static void check_same_future(struct ssdqos_flash_config cfg)
{
	struct ssdqos_flash *a = helper_create(&cfg, SIZE_MIB), *b;
	u64 bytes;
	void *buf;
	u32 i;

	write_units(a, 3 * a->geo.nr_lpn / 4, 1);
	bytes = ssdqos_flash_state_bytes(a);
	buf = malloc(bytes);
	assert_non_null(buf);
	assert_int_equal(ssdqos_flash_save(a, buf, bytes), 0);
	cfg.aged_pct = 0;
	b = helper_create(&cfg, SIZE_MIB);
	assert_int_equal(ssdqos_flash_load(b, buf, bytes, helper_err, sizeof(helper_err)), 0);
	assert_int_equal(a->run[a->last_run].units, b->run[b->last_run].units);
	/* the run goes on, as does what waits for its end */
	for (i = 3 * a->geo.nr_lpn / 4; i < a->geo.nr_lpn; i++)
		assert_true(helper_do(a, SSDQOS_FLASH_WRITE, i, 1) ==
			    helper_do(b, SSDQOS_FLASH_WRITE, i, 1));
	helper_settle(a);
	helper_settle(b);
	assert_true(helper_run(a, &overwrite) == helper_run(b, &overwrite));
	assert_true(a->stats.blocking_bursts > b->stats.blocking_bursts);
	assert_true(b->stats.blocking_bursts > 0);
	helper_settle(a);
	helper_settle(b);
	ssdqos_flash_destroy(b);
	ssdqos_flash_destroy(a);
	free(buf);
}

static void a_loaded_drive_has_the_same_bursts(void **state)
{
	struct ssdqos_flash_config cfg = config();

	check_same_future(cfg);
	cfg.gc_burst_ns = 5 * MS;
	cfg.gc_pause_ns = 2 * MS;
	cfg.gc_burst_spread_pct = 50;
	cfg.gc_start_blocks = 10;
	cfg.gc_stop_blocks = 12;
	cfg.gc_defer_kib = 1024;
	cfg.write_granule_kib = 16;
	check_same_future(cfg);
}

/* ---- the presets ---- */

static struct ssdqos_flash *preset(const char *name, u64 mib)
{
	struct ssdqos_flash_config cfg;

	assert_int_equal(ssdqos_flash_config_set(&cfg, "preset", name, helper_err,
						 sizeof(helper_err)), SSDQOS_FLASH_P_preset);
	cfg.aged_pct = 100;
	return helper_create(&cfg, mib);
}

/* Part of the time that random writes spend blocked, in percent. */
static u64 blocked_pct(const char *name, u32 max_units)
{
	struct helper_load load = { .seed = 1, .nr = max_units > 1 ? 2000 : 40000,
				    .depth = 31, .max_units = max_units };
	struct ssdqos_flash *f = preset(name, 256);
	u64 pct;

	helper_run(f, &load);
	pct = f->stats.blocking_ns * 100 / f->now_ns;
	assert_true(f->stats.blocking_bursts > 5);
	helper_settle(f);
	helper_check(f);
	ssdqos_flash_destroy(f);
	return pct;
}

static void drives_of_the_paper_are_blocked_half_of_the_time(void **state)
{
	assert_in_range(blocked_pct("x25e-like", 1), 40, 80);
	assert_in_range(blocked_pct("x25e-like", 64), 40, 80);
	assert_in_range(blocked_pct("intel510-like", 1), 35, 80);
	assert_in_range(blocked_pct("intel510-like", 64), 35, 80);
}

#define TEST(name) cmocka_unit_test_setup_teardown(name, helper_start, helper_finish)

int main(void)
{
	static const struct CMUnitTest tests[] = {
		TEST(a_burst_holds_what_all_chips_do_for_the_host),
		TEST(bursts_and_their_time_are_counted),
		TEST(bursts_and_pauses_have_their_lengths),
		TEST(a_pause_lets_the_host_in),
		TEST(a_burst_does_not_wait_for_a_quiet_host),
		TEST(a_burst_ends_when_blocking_is_switched_off),
		TEST(without_blocking_the_lengths_change_nothing),
		TEST(collection_waits_for_long_runs),
		TEST(runs_are_told_apart),
		TEST(a_loaded_drive_has_the_same_bursts),
		TEST(drives_of_the_paper_are_blocked_half_of_the_time),
	};

	return cmocka_run_group_tests_name("flash_blocking", tests, NULL, NULL);
}
