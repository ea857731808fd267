// SPDX-License-Identifier: GPL-2.0
/*
 * Shares of tasks: equations 1 to 3 of AutoSSD, and what follows from them.
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <cmocka.h>

#include "../../dm-ssdqos/core/flash/life/life.h"
#include "flash_helper.h"

#define SIZE_MIB 64
#define PERIOD_NS 10000000ULL
#define PPM 1000000ULL

static struct ssdqos_flash_config config(void)
{
	struct ssdqos_flash_config cfg = helper_config(SSDQOS_FLASH_AUTOSSD);

	cfg.scheduler = SSDQOS_FLASH_DEBIT;
	cfg.chips_per_channel = 1;
	cfg.planes_per_chip = 1;
	cfg.pages_per_block = 16;
	cfg.share_period_ns = PERIOD_NS;
	cfg.gc_share_mode = SSDQOS_FLASH_SHARE_FEEDBACK;
	cfg.gc_share_permille = 20;
	cfg.gc_share_p_ppm = 300;
	cfg.gc_share_i_ppm = 950000;
	cfg.scrub_share_permille = 10;
	cfg.wear_share_permille = 30;
	return cfg;
}

static struct ssdqos_flash *drive(struct ssdqos_flash_config cfg)
{
	struct ssdqos_flash *f = helper_create(&cfg, SIZE_MIB);

	assert_int_equal(f->geo.nr_planes, 4);
	return f;
}

static u32 share(const struct ssdqos_flash *f, u32 task)
{
	struct ssdqos_flash_gauges g;

	ssdqos_flash_gauges(f, &g);
	return g.share_ppm[task];
}

static u32 gc_share(const struct ssdqos_flash *f)
{
	return share(f, SSDQOS_TASK_GC);
}

static void set(struct ssdqos_flash *f, const char *key, const char *value)
{
	assert_int_equal(ssdqos_flash_set(f, key, value, helper_err, sizeof(helper_err)), 0);
}

/* ---- equations, step by step ---- */

/* With a target of its own the error is the drive's: 50 blocks too few. */
static void share_follows_equation_1(void **state)
{
	struct ssdqos_flash_config cfg = config();
	struct ssdqos_flash *f;
	u64 want = 20000;
	u32 i;

	f = drive(cfg);
	cfg.gc_target = f->nr_free + 50;
	assert_int_equal(ssdqos_flash_retune(f, &cfg, helper_err, sizeof(helper_err)), 0);
	assert_int_equal(gc_share(f), 20000);
	flash_share_step(f);
	assert_int_equal(gc_share(f), 300 * 50 + 19000);
	flash_share_step(f);
	assert_int_equal(gc_share(f), 15000 + 32300);
	flash_share_step(f);
	assert_int_equal(gc_share(f), 15000 + 44935);
	want = 59935;
	for (i = 0; i < 100; i++) {
		flash_share_step(f);
		want = 15000 + want * 950000 / PPM;	/* rounded down */
		assert_int_equal(gc_share(f), want);
	}
	/* P e / (1 - I), less what rounding takes */
	assert_in_range(want, 297000, 300000);
	ssdqos_flash_destroy(f);
}

static void error_of_gc_is_the_sum_over_planes(void **state)
{
	struct ssdqos_flash *f = drive(config());
	u32 each = f->planes[0].nr_free;

	assert_int_equal(f->nr_free, 4 * each);
	f->gc_start = each;
	flash_share_step(f);
	assert_int_equal(gc_share(f), 20000);	/* enough: at its least */
	f->gc_start = each + 3;
	flash_share_step(f);
	assert_int_equal(gc_share(f), 19000 + 300 * 12);
	f->planes[2].nr_free += 2;		/* one plane has more */
	flash_share_step(f);
	assert_int_equal(gc_share(f), 22600 * 95 / 100 + 300 * 10);
	f->planes[2].nr_free += 20;		/* which is no help to the others */
	flash_share_step(f);
	assert_int_equal(gc_share(f), 24470 * 95 / 100 + 300 * 9);
	f->planes[2].nr_free -= 22;
	ssdqos_flash_destroy(f);
}

/* Fill some blocks, and say how often one was read. */
static void pretend_reads(struct ssdqos_flash *f, u32 reads)
{
	u32 i = 0;

	while (f->blocks[i].state != FLASH_BLOCK_CLOSED)
		i++;
	f->blocks[i].read_count = reads;
	flash_scrub_survey(f);
}

static void error_of_scrub_is_reads_above_target(void **state)
{
	struct ssdqos_flash_config cfg = config();
	struct ssdqos_flash *f;

	cfg.scrub_share_mode = SSDQOS_FLASH_SHARE_FEEDBACK;
	cfg.scrub_share_p_ppm = 7;
	cfg.scrub_share_i_ppm = 500000;
	cfg.scrub_start_reads = 5000;
	cfg.scrub_stop_reads = 4000;
	f = drive(cfg);
	helper_do(f, SSDQOS_FLASH_WRITE, 0, 1024);
	helper_settle(f);
	pretend_reads(f, 5000);
	flash_share_step(f);
	assert_int_equal(share(f, SSDQOS_TASK_SCRUB), 10000);
	pretend_reads(f, 9000);
	flash_share_step(f);
	assert_int_equal(share(f, SSDQOS_TASK_SCRUB), 7 * 4000 + 5000);
	cfg.scrub_target = 8000;
	f->cfg = cfg;
	flash_share_step(f);
	assert_int_equal(share(f, SSDQOS_TASK_SCRUB), 7 * 1000 + 16500);
	f->cfg.scrub_start_reads = 0;		/* no scrubbing, no error */
	flash_share_step(f);
	assert_int_equal(share(f, SSDQOS_TASK_SCRUB), 23500 / 2);
	ssdqos_flash_destroy(f);
}

static void error_of_wear_is_cycles_above_target(void **state)
{
	struct ssdqos_flash_config cfg = config();
	struct ssdqos_flash *f;

	cfg.wear_share_mode = SSDQOS_FLASH_SHARE_FEEDBACK;
	cfg.wear_share_p_ppm = 1000;
	cfg.wear_share_i_ppm = 500000;
	cfg.wear_start_cycles = 10;
	f = drive(cfg);
	f->planes[0].pe_max = 500;
	f->planes[0].pe_min_hint = 490;
	flash_share_step(f);
	assert_int_equal(share(f, SSDQOS_TASK_WEAR), 30000);
	f->planes[1].pe_max = 60;
	f->planes[1].pe_min_hint = 20;
	flash_share_step(f);
	assert_int_equal(share(f, SSDQOS_TASK_WEAR), 1000 * 30 + 15000);
	f->cfg.wear_target = 35;
	flash_share_step(f);
	assert_int_equal(share(f, SSDQOS_TASK_WEAR), 1000 * 5 + 22500 + 2500);
	ssdqos_flash_destroy(f);
}

/* ---- bounds ---- */

static void share_stays_between_floor_and_ceiling(void **state)
{
	struct ssdqos_flash_config cfg = config();
	struct ssdqos_flash *f;

	cfg.share_max_permille = 700;
	cfg.gc_share_p_ppm = 1000000;
	cfg.gc_target = 1000000;
	f = drive(cfg);
	flash_share_step(f);
	assert_int_equal(gc_share(f), 700000);
	/* the floor is the stronger one */
	set(f, "gc_share_permille", "900");
	assert_int_equal(gc_share(f), 900000);
	flash_share_step(f);
	assert_int_equal(gc_share(f), 900000);
	set(f, "gc_share_permille", "1");
	assert_int_equal(gc_share(f), 700000);
	set(f, "gc_target", "1");
	set(f, "gc_share_i_ppm", "0");
	flash_share_step(f);
	assert_int_equal(gc_share(f), 1000);
	ssdqos_flash_destroy(f);
}

static void host_has_what_the_movers_leave(void **state)
{
	struct ssdqos_flash_config cfg = config();
	struct ssdqos_flash *f;

	cfg.gc_share_mode = SSDQOS_FLASH_SHARE_STATIC;
	cfg.map_share_permille = 1000;
	cfg.flush_share_permille = 300;
	f = drive(cfg);		/* 4 chips with 4 operations each */
	assert_int_equal(share(f, SSDQOS_TASK_HOST), 940000);
	assert_int_equal(share(f, SSDQOS_TASK_MAP), 1000000);
	assert_int_equal(f->task[SSDQOS_TASK_HOST].limit, 15);
	assert_int_equal(f->task[SSDQOS_TASK_MAP].limit, 15);	/* no more than the host */
	assert_int_equal(f->task[SSDQOS_TASK_FLUSH].limit, 5);	/* 4.8 */
	assert_int_equal(f->task[SSDQOS_TASK_GC].limit, 1);	/* 0.3, but something */
	set(f, "gc_share_permille", "800");
	assert_int_equal(share(f, SSDQOS_TASK_HOST), 160000);
	assert_int_equal(f->task[SSDQOS_TASK_GC].limit, 13);	/* 12.8 */
	set(f, "scrub_share_permille", "800");
	assert_int_equal(share(f, SSDQOS_TASK_HOST), 100000);	/* its least */
	assert_int_equal(f->task[SSDQOS_TASK_HOST].limit, 2);	/* 1.6 */
	ssdqos_flash_destroy(f);
}

/* ---- time ---- */

static struct ssdqos_flash_record record[100000];

static u32 take_records(struct ssdqos_flash *f, u32 nr)
{
	return nr + ssdqos_flash_log_take(f, record + nr, ARRAY_SIZE(record) - nr);
}

static u32 collect_garbage(struct ssdqos_flash *f)
{
	struct helper_load load = { .seed = 8, .nr = 400, .depth = 32, .max_units = 8 };
	u32 nr;

	ssdqos_flash_reset_stats(f);
	helper_run(f, &load);
	nr = take_records(f, 0);
	helper_settle(f);
	return take_records(f, nr);
}

static void check_record(const struct ssdqos_flash_record *rec, u32 old_ppm)
{
	u64 want = rec->block * 300 + (u64)rec->plane * 950000 / PPM;

	assert_int_equal(rec->event, SSDQOS_FLASH_EV_SHARE_CHANGED);
	assert_int_equal(rec->task, SSDQOS_TASK_GC);
	assert_int_equal(rec->plane, old_ppm);
	assert_int_equal(rec->page, want < 20000 ? 20000 : want > 800000 ? 800000 : want);
}

static void changes_are_recorded_and_follow_equation_1(void **state)
{
	struct ssdqos_flash_config cfg = config();
	u32 nr, i, old_ppm = 20000, rises = 0;
	struct ssdqos_flash *f;

	cfg.aged_pct = 100;
	f = drive(cfg);
	ssdqos_flash_log_enable(f, 1u << SSDQOS_FLASH_EV_SHARE_CHANGED);
	nr = collect_garbage(f);
	assert_true(nr > 20);
	assert_int_equal(ssdqos_flash_stats(f)->share_changes, nr);
	for (i = 0; i < nr; i++) {
		check_record(&record[i], old_ppm);
		/* all at steps of one clock, as the plane was never without work */
		assert_int_equal((record[i].time_ns - record[0].time_ns) % PERIOD_NS, 0);
		rises += record[i].page > old_ppm;
		old_ppm = record[i].page;
	}
	assert_true(rises > 5);
	assert_int_equal(gc_share(f), old_ppm);
	ssdqos_flash_destroy(f);
}

static void idle_drive_has_no_event(void **state)
{
	struct ssdqos_flash_config cfg = config();
	struct ssdqos_flash *f;
	u32 ppm;

	f = drive(cfg);
	assert_true(ssdqos_flash_next_ns(f) == SSDQOS_NEVER_NS);
	cfg.aged_pct = 100;
	ssdqos_flash_destroy(f);
	f = drive(cfg);
	assert_true(ssdqos_flash_next_ns(f) == SSDQOS_NEVER_NS);
	collect_garbage(f);
	assert_true(ssdqos_flash_idle(f));
	ppm = gc_share(f);
	ssdqos_flash_advance(f, helper_now(f) + 100 * PERIOD_NS);
	assert_int_equal(gc_share(f), ppm);
	ssdqos_flash_destroy(f);
}

static u32 stepped(u32 ppm, u64 i_ppm, u32 steps)
{
	while (steps--) {
		ppm = (u32)(ppm * i_ppm / PPM);
		if (ppm < 20000)
			ppm = 20000;
	}
	return ppm;
}

/* A share that has decayed for a time is as if it had been stepped. */
static void check_decay(u64 i_ppm, u32 periods)
{
	struct ssdqos_flash_config cfg = config();
	struct ssdqos_flash *f;

	cfg.gc_share_i_ppm = i_ppm;
	f = drive(cfg);
	f->task[SSDQOS_TASK_GC].share_ppm = 777777;
	ssdqos_flash_advance(f, periods * PERIOD_NS + PERIOD_NS - 1);
	flash_share_wake(f, SSDQOS_TASK_GC);
	assert_int_equal(gc_share(f), stepped(777777, i_ppm, periods));
	assert_int_equal(share(f, SSDQOS_TASK_HOST), PPM - 40000 - gc_share(f));
	/* from here on the steps go on, a period later */
	assert_true(ssdqos_flash_next_ns(f) == helper_now(f) + PERIOD_NS);
	helper_settle(f);
	assert_int_equal(gc_share(f), stepped(777777, i_ppm, periods + 1));
	ssdqos_flash_destroy(f);
}

static void idle_time_decays_like_steps(void **state)
{
	static const u32 periods[] = { 0, 1, 2, 7, 50, 999, 1000, 1001, 100000 };
	u32 i;

	for (i = 0; i < ARRAY_SIZE(periods); i++) {
		check_decay(950000, periods[i]);
		check_decay(500000, periods[i]);
		check_decay(1000000, periods[i]);
		check_decay(0, periods[i]);
	}
}

static void static_share_never_moves(void **state)
{
	struct ssdqos_flash_config cfg = config();
	struct ssdqos_flash *f;

	cfg.gc_share_mode = SSDQOS_FLASH_SHARE_STATIC;
	cfg.aged_pct = 100;
	f = drive(cfg);
	ssdqos_flash_log_enable(f, 1u << SSDQOS_FLASH_EV_SHARE_CHANGED);
	assert_int_equal(collect_garbage(f), 0);
	assert_true(ssdqos_flash_stats(f)->gc_blocks > 10);
	assert_int_equal(gc_share(f), 20000);
	assert_int_equal(ssdqos_flash_stats(f)->share_changes, 0);
	ssdqos_flash_destroy(f);
}

static void shares_can_be_changed(void **state)
{
	struct ssdqos_flash *f = drive(config());

	ssdqos_flash_log_enable(f, 1u << SSDQOS_FLASH_EV_SHARE_CHANGED);
	set(f, "scrub_share_permille", "40");
	assert_int_equal(take_records(f, 0), 1);
	assert_int_equal(record[0].task, SSDQOS_TASK_SCRUB);
	assert_int_equal(record[0].plane, 10000);
	assert_int_equal(record[0].page, 40000);
	assert_int_equal(record[0].block, 0);
	set(f, "gc_target", "100000");
	flash_share_step(f);
	assert_int_equal(gc_share(f), 800000);
	set(f, "share_max_permille", "500");
	assert_int_equal(gc_share(f), 500000);
	/* what feedback has found stays, whatever else changes */
	set(f, "gc_share_permille", "30");
	set(f, "read_ns", "1");
	assert_int_equal(gc_share(f), 500000);
	set(f, "gc_share_mode", "static");
	assert_int_equal(gc_share(f), 30000);
	set(f, "gc_share_mode", "feedback");
	assert_int_equal(gc_share(f), 30000);
	flash_share_step(f);
	assert_int_equal(gc_share(f), 500000);
	ssdqos_flash_destroy(f);
}

#define TEST(name) cmocka_unit_test_setup_teardown(name, helper_start, helper_finish)

int main(void)
{
	const struct CMUnitTest tests[] = {
		TEST(share_follows_equation_1),
		TEST(error_of_gc_is_the_sum_over_planes),
		TEST(error_of_scrub_is_reads_above_target),
		TEST(error_of_wear_is_cycles_above_target),
		TEST(share_stays_between_floor_and_ceiling),
		TEST(host_has_what_the_movers_leave),
		TEST(changes_are_recorded_and_follow_equation_1),
		TEST(idle_drive_has_no_event),
		TEST(idle_time_decays_like_steps),
		TEST(static_share_never_moves),
		TEST(shares_can_be_changed),
	};

	return cmocka_run_group_tests_name("flash_share", tests, NULL, NULL);
}
