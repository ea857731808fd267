// SPDX-License-Identifier: GPL-2.0
/*
 * Schedulers: which task's operation a chip gets next.
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <cmocka.h>

#include "../../dm-ssdqos/core/flash/life/life.h"
#include "flash_helper.h"

#define SIZE_MIB 64
#define T_R 50000u
#define T_PROG 500000u
#define X_UNIT 10240u
#define X_PAGE 40960u
#define UNITS_PER_PAGE 4

/* A drive of few chips with one plane each, by the papers' rules: what presses is
 * in test_flash_press.c.
 */
static struct ssdqos_flash_config config(u32 scheduler, u32 channels, u32 depth)
{
	struct ssdqos_flash_config cfg = helper_config(SSDQOS_FLASH_AUTOSSD);

	cfg.scheduler = scheduler;
	cfg.share_lend = 0;
	cfg.bypass_max = 0;
	cfg.channels = channels;
	cfg.chips_per_channel = 1;
	cfg.planes_per_chip = 1;
	cfg.pages_per_block = 64;
	cfg.chip_queue_depth = depth;
	cfg.allocation = SSDQOS_FLASH_STATIC;
	cfg.gc_share_permille = 1;
	cfg.scrub_share_permille = 1;
	cfg.wear_share_permille = 1;
	return cfg;
}

static struct ssdqos_flash *drive(struct ssdqos_flash_config cfg)
{
	struct ssdqos_flash *f = helper_create(&cfg, SIZE_MIB);

	assert_int_equal(f->geo.nr_planes, cfg.channels);
	assert_int_equal(f->geo.nr_chips, cfg.channels);
	return f;
}

/* ---- which task is picked, with queues filled by hand ---- */

static void put(struct ssdqos_flash *f, u32 task, u32 kind)
{
	struct flash_op *op = flash_op_get(f, (u8)task, (u8)kind, 0);
	struct flash_chip *chip = &f->chips[0];

	op->nr_units = 1;
	op->order = f->op_order++;
	flash_ops_push(f, &chip->queue[task], op);
	chip->tasks |= 1u << task;
	if (f->sched->queued)
		f->sched->queued(f, chip, task);
}

static void drop(struct ssdqos_flash *f, u32 task)
{
	struct flash_chip *chip = &f->chips[0];

	flash_op_put(f, flash_ops_pop(f, &chip->queue[task]));
	if (flash_list_empty(&chip->queue[task]))
		chip->tasks &= ~(1u << task);
}

static u32 take(struct ssdqos_flash *f)
{
	u32 task = f->sched->pick(f, &f->chips[0]);

	if (task < SSDQOS_NR_TASKS)
		drop(f, task);
	return task;
}

static void put_all(struct ssdqos_flash *f, const u32 *task, u32 nr)
{
	u32 i;

	for (i = 0; i < nr; i++)
		put(f, task[i], SSDQOS_NAND_READ);
}

static void check_takes(struct ssdqos_flash *f, const u32 *task, u32 nr)
{
	u32 i;

	for (i = 0; i < nr; i++)
		assert_int_equal(take(f), task[i]);
	assert_int_equal(take(f), SSDQOS_NR_TASKS);
}

static void fifo_picks_in_order_of_arrival(void **state)
{
	static const u32 order[] = {
		SSDQOS_TASK_WEAR, SSDQOS_TASK_HOST, SSDQOS_TASK_GC, SSDQOS_TASK_GC,
		SSDQOS_TASK_MAP, SSDQOS_TASK_HOST, SSDQOS_TASK_SCRUB, SSDQOS_TASK_FLUSH,
		SSDQOS_TASK_WEAR,
	};
	struct ssdqos_flash *f = drive(config(SSDQOS_FLASH_FIFO, 1, 1));

	put_all(f, order, ARRAY_SIZE(order));
	check_takes(f, order, ARRAY_SIZE(order));
	f->op_order = ~0u - 3;		/* wraps in the middle */
	put_all(f, order, ARRAY_SIZE(order));
	check_takes(f, order, ARRAY_SIZE(order));
	ssdqos_flash_destroy(f);
}

static void priority_picks_the_most_important_task(void **state)
{
	static const u32 came[] = {
		SSDQOS_TASK_WEAR, SSDQOS_TASK_SCRUB, SSDQOS_TASK_GC, SSDQOS_TASK_HOST,
		SSDQOS_TASK_FLUSH, SSDQOS_TASK_MAP, SSDQOS_TASK_HOST, SSDQOS_TASK_GC,
	};
	static const u32 goes[] = {
		SSDQOS_TASK_HOST, SSDQOS_TASK_HOST, SSDQOS_TASK_MAP, SSDQOS_TASK_FLUSH,
		SSDQOS_TASK_GC, SSDQOS_TASK_GC, SSDQOS_TASK_SCRUB, SSDQOS_TASK_WEAR,
	};
	struct ssdqos_flash *f = drive(config(SSDQOS_FLASH_PRIORITY, 1, 1));

	put_all(f, came, ARRAY_SIZE(came));
	check_takes(f, goes, ARRAY_SIZE(goes));
	ssdqos_flash_destroy(f);
}

static void wfq_picks_in_proportion_to_shares(void **state)
{
	struct ssdqos_flash_config cfg = config(SSDQOS_FLASH_WFQ, 1, 1);
	u32 taken[SSDQOS_NR_TASKS] = { 0 }, i;
	struct ssdqos_flash *f;

	cfg.gc_share_permille = 600;
	cfg.scrub_share_permille = 200;
	cfg.wear_share_permille = 100;	/* and so the host */
	f = drive(cfg);
	for (i = 0; i < 120; i++) {
		put(f, SSDQOS_TASK_GC, SSDQOS_NAND_READ);
		put(f, SSDQOS_TASK_SCRUB, SSDQOS_NAND_READ);
		put(f, SSDQOS_TASK_WEAR, SSDQOS_NAND_READ);
		put(f, SSDQOS_TASK_HOST, SSDQOS_NAND_READ);
	}
	for (i = 0; i < 100; i++)
		taken[take(f)]++;
	assert_in_range(taken[SSDQOS_TASK_GC], 59, 61);
	assert_in_range(taken[SSDQOS_TASK_SCRUB], 19, 21);
	assert_in_range(taken[SSDQOS_TASK_WEAR], 9, 11);
	assert_in_range(taken[SSDQOS_TASK_HOST], 9, 11);
	ssdqos_flash_destroy(f);
}

/* gc and scrub have equal shares. */
static struct ssdqos_flash *fair_drive(void)
{
	struct ssdqos_flash_config cfg = config(SSDQOS_FLASH_WFQ, 1, 1);

	cfg.gc_share_permille = 400;
	cfg.scrub_share_permille = 400;
	return drive(cfg);
}

/* Programs cost nine times what reads do: 540,960 to 60,240 ns. */
static void wfq_counts_time_not_operations(void **state)
{
	struct ssdqos_flash *f = fair_drive();
	u32 taken[SSDQOS_NR_TASKS] = { 0 }, i;

	for (i = 0; i < 400; i++) {
		put(f, SSDQOS_TASK_GC, SSDQOS_NAND_READ);
		if (i < 100)
			put(f, SSDQOS_TASK_SCRUB, SSDQOS_NAND_PROGRAM);
	}
	for (i = 0; i < 300; i++)
		taken[take(f)]++;
	/* 300 x 60,240 / (540,960 + 60,240) */
	assert_in_range(taken[SSDQOS_TASK_SCRUB], 29, 31);
	ssdqos_flash_destroy(f);
}

/* Who was idle gets its share from now on, and nothing for the past. */
static void wfq_forgets_who_idles(void **state)
{
	struct ssdqos_flash *f = fair_drive();
	u32 taken[SSDQOS_NR_TASKS] = { 0 }, i;

	for (i = 0; i < 200; i++)
		put(f, SSDQOS_TASK_GC, SSDQOS_NAND_READ);
	for (i = 0; i < 100; i++)
		assert_int_equal(take(f), SSDQOS_TASK_GC);
	for (i = 0; i < 100; i++)
		put(f, SSDQOS_TASK_SCRUB, SSDQOS_NAND_READ);
	for (i = 0; i < 40; i++)
		taken[take(f)]++;
	assert_in_range(taken[SSDQOS_TASK_GC], 19, 21);
	assert_in_range(taken[SSDQOS_TASK_SCRUB], 19, 21);
	ssdqos_flash_destroy(f);
}

/* Figure 3a of AutoSSD: a task at its limit waits, though it came first. */
static void debit_passes_over_a_task_at_its_limit(void **state)
{
	struct ssdqos_flash *f = drive(config(SSDQOS_FLASH_DEBIT, 1, 4));
	struct ssdqos_rng before = f->rng;
	u32 i;

	f->task[SSDQOS_TASK_HOST].limit = 6;
	f->task[SSDQOS_TASK_HOST].outstanding = 6;
	f->task[SSDQOS_TASK_GC].limit = 2;
	f->task[SSDQOS_TASK_GC].outstanding = 1;
	flash_share_count(f);
	put(f, SSDQOS_TASK_HOST, SSDQOS_NAND_READ);
	for (i = 0; i < 50; i++)
		put(f, SSDQOS_TASK_GC, SSDQOS_NAND_READ);
	for (i = 0; i < 50; i++)
		assert_int_equal(take(f), SSDQOS_TASK_GC);
	assert_int_equal(take(f), SSDQOS_NR_TASKS);	/* the host still waits */
	f->task[SSDQOS_TASK_HOST].outstanding = 5;
	flash_share_count(f);
	assert_int_equal(take(f), SSDQOS_TASK_HOST);
	/* nothing was left to chance */
	assert_memory_equal(&f->rng, &before, sizeof(before));
	ssdqos_flash_destroy(f);
}

static void check_skew(struct ssdqos_flash *f, u32 limit_a, u32 used_a, u32 limit_b, u32 used_b,
		       u32 want_a_permille)
{
	u32 i, taken = 0, nr = 4000;

	f->task[SSDQOS_TASK_FLUSH].limit = limit_a;
	f->task[SSDQOS_TASK_FLUSH].outstanding = used_a;
	f->task[SSDQOS_TASK_SCRUB].limit = limit_b;
	f->task[SSDQOS_TASK_SCRUB].outstanding = used_b;
	flash_share_count(f);
	for (i = 0; i < nr; i++) {
		u32 task;

		put(f, SSDQOS_TASK_FLUSH, SSDQOS_NAND_READ);
		put(f, SSDQOS_TASK_SCRUB, SSDQOS_NAND_READ);
		task = take(f);
		assert_true(task == SSDQOS_TASK_FLUSH || task == SSDQOS_TASK_SCRUB);
		taken += task == SSDQOS_TASK_FLUSH;
		task ^= SSDQOS_TASK_FLUSH ^ SSDQOS_TASK_SCRUB;
		drop(f, task);
	}
	/* 3 standard deviations are 24 permille at most */
	assert_in_range(taken * 1000 / nr, want_a_permille - 24, want_a_permille + 24);
}

/* Figure 3b: both may go; who has used less of its limit goes more often. */
static void debit_draws_skewed_towards_unused_shares(void **state)
{
	struct ssdqos_flash *f = drive(config(SSDQOS_FLASH_DEBIT, 1, 4));

	check_skew(f, 8, 0, 8, 0, 500);
	check_skew(f, 4, 0, 4, 2, 667);
	check_skew(f, 4, 3, 4, 0, 200);
	check_skew(f, 40, 20, 2, 1, 500);
	check_skew(f, 10, 9, 100, 10, 100);
	check_skew(f, 3, 3, 4, 3, 24);
	ssdqos_flash_destroy(f);
}

/* ---- drives ---- */

static struct ssdqos_flash_record record[100000];

/* Run until idle; what started, in order.  Returns how many records. */
static u32 trace(struct ssdqos_flash *f)
{
	u64 next_ns;
	u32 nr = 0;

	while ((next_ns = ssdqos_flash_next_ns(f)) != SSDQOS_NEVER_NS) {
		ssdqos_flash_advance(f, next_ns);
		nr += ssdqos_flash_log_take(f, record + nr, ARRAY_SIZE(record) - nr);
	}
	assert_true(ssdqos_flash_idle(f));
	return nr;
}

static void check_order(u32 scheduler, const u32 *want, u32 nr)
{
	struct ssdqos_flash *f = drive(config(scheduler, 1, 1));
	struct ssdqos_flash_req req[5];
	u32 i;

	helper_do(f, SSDQOS_FLASH_WRITE, 400, 64);
	helper_settle(f);
	ssdqos_flash_log_enable(f, 1u << SSDQOS_FLASH_EV_NAND_STARTED);
	helper_submit_units(f, &req[0], SSDQOS_FLASH_WRITE, 0, UNITS_PER_PAGE);
	helper_submit_units(f, &req[1], SSDQOS_FLASH_READ, 400, 1);
	helper_submit_units(f, &req[2], SSDQOS_FLASH_WRITE, 4, UNITS_PER_PAGE);
	helper_submit_units(f, &req[3], SSDQOS_FLASH_READ, 420, 1);
	helper_submit_units(f, &req[4], SSDQOS_FLASH_READ, 440, 1);
	assert_int_equal(trace(f), nr);
	for (i = 0; i < nr; i++)
		assert_int_equal(record[i].task, want[i]);
	ssdqos_flash_destroy(f);
}

static void chips_are_handed_what_is_picked(void **state)
{
	static const u32 fifo[] = { SSDQOS_TASK_FLUSH, SSDQOS_TASK_HOST, SSDQOS_TASK_FLUSH,
				    SSDQOS_TASK_HOST, SSDQOS_TASK_HOST };
	static const u32 priority[] = { SSDQOS_TASK_FLUSH, SSDQOS_TASK_HOST, SSDQOS_TASK_HOST,
					SSDQOS_TASK_HOST, SSDQOS_TASK_FLUSH };

	check_order(SSDQOS_FLASH_FIFO, fifo, ARRAY_SIZE(fifo));
	check_order(SSDQOS_FLASH_PRIORITY, priority, ARRAY_SIZE(priority));
}

/* Reads and writes that never run out; time of the chip by task, from halfway on. */
static void busy_times(struct ssdqos_flash *f, u64 *busy_ns)
{
	struct helper_load load = { .seed = 3, .nr = 1500, .depth = 48, .read_slots = 16,
				    .max_units = 1, .units = 4096 };
	u32 task;

	helper_run(f, &load);
	for (task = 0; task < SSDQOS_NR_TASKS; task++)
		busy_ns[task] = f->planes[0].use.busy_ns[task];
	load.nr = 20000;
	load.seed = 4;
	helper_run(f, &load);
	for (task = 0; task < SSDQOS_NR_TASKS; task++)
		busy_ns[task] = f->planes[0].use.busy_ns[task] - busy_ns[task];
}

static void check_wfq_time(u64 flush_permille, u32 want_permille)
{
	struct ssdqos_flash_config cfg = config(SSDQOS_FLASH_WFQ, 1, 1);
	u64 busy_ns[SSDQOS_NR_TASKS], flush_ns, read_ns;
	struct ssdqos_flash *f;
	u32 i;

	cfg.flush_share_permille = flush_permille;
	cfg.buffer_kib = 64;
	cfg.channel_mb_s = 100000;	/* the array is all */
	f = drive(cfg);
	for (i = 0; i < 4096; i += 64)
		helper_do(f, SSDQOS_FLASH_WRITE, i, 64);
	helper_settle(f);
	busy_times(f, busy_ns);
	assert_int_equal(ssdqos_flash_stats(f)->gc_blocks, 0);
	flush_ns = busy_ns[SSDQOS_TASK_FLUSH];
	read_ns = busy_ns[SSDQOS_TASK_HOST];
	assert_in_range(flush_ns * 1000 / (flush_ns + read_ns), want_permille * 95 / 100,
			want_permille * 105 / 100);
	ssdqos_flash_destroy(f);
}

/* The host has 997, as nothing empties blocks. */
static void wfq_divides_the_time_of_a_busy_chip(void **state)
{
	check_wfq_time(997, 500);
	check_wfq_time(250, 200);
	check_wfq_time(100, 91);
}

/* What a busy drive looks like after each event. */
static void check_limits(const struct ssdqos_flash *f, u32 *most)
{
	u32 task;

	for (task = 0; task < SSDQOS_NR_TASKS; task++) {
		assert_true(f->task[task].outstanding <= f->task[task].limit);
		if (f->task[task].outstanding > most[task])
			most[task] = f->task[task].outstanding;
	}
}

static void debit_never_lends_more_than_the_limit(void **state)
{
	struct ssdqos_flash_config cfg = config(SSDQOS_FLASH_DEBIT, 4, 4);
	static struct ssdqos_flash_req req[400];
	u32 most[SSDQOS_NR_TASKS] = { 0 }, i;
	struct ssdqos_flash *f;

	cfg.gc_share_permille = 190;	/* 3.04 of 16 */
	cfg.flush_share_permille = 300;	/* 4.8 */
	cfg.aged_pct = 100;
	f = drive(cfg);
	assert_int_equal(f->task[SSDQOS_TASK_GC].limit, 3);
	assert_int_equal(f->task[SSDQOS_TASK_FLUSH].limit, 5);
	assert_int_equal(f->task[SSDQOS_TASK_SCRUB].limit, 1);
	assert_int_equal(f->task[SSDQOS_TASK_HOST].limit, 13);	/* 808 permille */
	for (i = 0; i < ARRAY_SIZE(req); i++)
		helper_submit_units(f, &req[i], i % 4 ? SSDQOS_FLASH_WRITE : SSDQOS_FLASH_READ,
				    i * 2617 % 16000, 8);
	check_limits(f, most);
	while (ssdqos_flash_next_ns(f) != SSDQOS_NEVER_NS) {
		ssdqos_flash_advance(f, ssdqos_flash_next_ns(f));
		check_limits(f, most);
	}
	for (i = 0; i < ARRAY_SIZE(req); i++)
		assert_true(req[i].complete_ns != SSDQOS_NEVER_NS);
	assert_int_equal(most[SSDQOS_TASK_GC], 3);
	assert_int_equal(most[SSDQOS_TASK_FLUSH], 5);
	ssdqos_flash_destroy(f);
}

static u64 four_pages_ns(u32 scheduler)
{
	struct ssdqos_flash_config cfg = config(scheduler, 4, 4);
	struct ssdqos_flash *f;
	u64 ns;

	cfg.flush_share_permille = 1;
	cfg.cache = SSDQOS_FLASH_CACHE_NONE;
	f = drive(cfg);
	ns = helper_do(f, SSDQOS_FLASH_WRITE, 0, 4 * UNITS_PER_PAGE);
	helper_settle(f);
	ssdqos_flash_destroy(f);
	return ns;
}

/* With a share of one operation, pages go one after the other. */
static void debit_alone_leaves_chips_idle(void **state)
{
	assert_int_equal(four_pages_ns(SSDQOS_FLASH_DEBIT), 4 * (X_PAGE + T_PROG));
	assert_int_equal(four_pages_ns(SSDQOS_FLASH_WFQ), X_PAGE + T_PROG);
	assert_int_equal(four_pages_ns(SSDQOS_FLASH_PRIORITY), X_PAGE + T_PROG);
	assert_int_equal(four_pages_ns(SSDQOS_FLASH_FIFO), X_PAGE + T_PROG);
}

/* All planes collect with one operation between them: all get on. */
static void debit_lets_chips_take_turns(void **state)
{
	struct ssdqos_flash_config cfg = config(SSDQOS_FLASH_DEBIT, 4, 4);
	u32 nr[4] = { 0 }, i, done = 0;
	struct ssdqos_flash *f;
	u64 next_ns;

	cfg.aged_pct = 100;
	cfg.pages_per_block = 16;
	cfg.gc_start_blocks = 2;
	cfg.gc_stop_blocks = 3;
	f = drive(cfg);
	ssdqos_flash_log_enable(f, 1u << SSDQOS_FLASH_EV_NAND_COMPLETED);
	ssdqos_flash_set(f, "gc_stop_blocks", "9", helper_err, sizeof(helper_err));
	ssdqos_flash_set(f, "gc_start_blocks", "8", helper_err, sizeof(helper_err));
	assert_int_equal(f->task[SSDQOS_TASK_GC].limit, 1);
	while (done < 200) {
		next_ns = ssdqos_flash_next_ns(f);
		assert_true(next_ns != SSDQOS_NEVER_NS);
		ssdqos_flash_advance(f, next_ns);
		done += ssdqos_flash_log_take(f, record + done, 1);
	}
	for (i = 0; i < done; i++)
		nr[record[i].plane]++;
	for (i = 0; i < 4; i++)
		assert_in_range(nr[i], 49, 51);
	ssdqos_flash_destroy(f);
}

static void chips_take_turns_among_one_tasks_reads(void **state)
{
	struct ssdqos_flash_config cfg = config(SSDQOS_FLASH_DEBIT, 4, 4);
	struct ssdqos_flash_req req[16];
	struct ssdqos_flash *f;
	u32 i;

	cfg.gc_share_permille = 999;	/* leaves the host a tenth: 2 of 16 */
	f = drive(cfg);
	helper_do(f, SSDQOS_FLASH_WRITE, 0, 64);
	helper_settle(f);
	assert_int_equal(f->task[SSDQOS_TASK_HOST].limit, 2);
	ssdqos_flash_log_enable(f, 1u << SSDQOS_FLASH_EV_NAND_STARTED);
	/* four of each plane, plane by plane */
	for (i = 0; i < 16; i++)
		helper_submit_units(f, &req[i], SSDQOS_FLASH_READ, (i / 4 + i % 4 * 4) * 4, 1);
	assert_int_equal(trace(f), 16);
	/* the first two were alone; then plane after plane */
	for (i = 2; i < 10; i++)
		assert_int_equal(record[i].plane, (i - 2) % 4);
	ssdqos_flash_destroy(f);
}

static void schedulers_may_change_with_operations_queued(void **state)
{
	static const char *const name[] = { "fifo", "priority", "wfq", "debit" };
	struct ssdqos_flash_config cfg = config(SSDQOS_FLASH_FIFO, 2, 2);
	struct ssdqos_flash_req req[32];
	struct ssdqos_flash *f;
	u32 from, to, i;

	cfg.aged_pct = 100;
	f = drive(cfg);
	for (from = 0; from < 4; from++)
		for (to = 0; to < 4; to++) {
			ssdqos_flash_set(f, "scheduler", name[from], helper_err,
					 sizeof(helper_err));
			for (i = 0; i < 32; i++)
				helper_submit_units(f, &req[i], i & 1, i * 450 + to * 16, 8);
			ssdqos_flash_advance(f, helper_now(f) + T_R);
			assert_true(f->chips[0].waiting && f->chips[1].waiting);
			assert_int_equal(ssdqos_flash_set(f, "scheduler", name[to], helper_err,
							  sizeof(helper_err)), 0);
			for (i = 0; i < 32; i++)
				helper_wait(f, &req[i]);
			helper_settle(f);
			helper_check(f);
			for (i = 0; i < SSDQOS_NR_TASKS; i++)
				assert_int_equal(f->task[i].outstanding + f->task[i].waiting, 0);
		}
	ssdqos_flash_destroy(f);
}

static void tasks_are_counted_when_issued(void **state)
{
	struct ssdqos_flash *f = drive(config(SSDQOS_FLASH_FIFO, 1, 1));
	const struct ssdqos_flash_task_stats *host, *flush;
	struct ssdqos_flash_req a, b;

	helper_do(f, SSDQOS_FLASH_WRITE, 0, 4);
	helper_settle(f);
	ssdqos_flash_reset_stats(f);
	host = ssdqos_flash_task_stats(f, SSDQOS_TASK_HOST);
	flush = ssdqos_flash_task_stats(f, SSDQOS_TASK_FLUSH);
	assert_int_equal(host->issued + flush->issued, 0);
	helper_submit_units(f, &a, SSDQOS_FLASH_READ, 0, 1);
	helper_submit_units(f, &b, SSDQOS_FLASH_READ, 1, 1);
	helper_submit_units(f, &b, SSDQOS_FLASH_READ, 1, 1);
	assert_int_equal(host->issued, 1);
	helper_settle(f);
	assert_int_equal(host->issued, 3);
	assert_int_equal(host->wait_ns, 3 * (T_R + X_UNIT));
	assert_int_equal(flush->issued, 0);
	ssdqos_flash_destroy(f);
}

#define TEST(name) cmocka_unit_test_setup_teardown(name, helper_start, helper_finish)

int main(void)
{
	const struct CMUnitTest tests[] = {
		TEST(fifo_picks_in_order_of_arrival),
		TEST(priority_picks_the_most_important_task),
		TEST(wfq_picks_in_proportion_to_shares),
		TEST(wfq_counts_time_not_operations),
		TEST(wfq_forgets_who_idles),
		TEST(debit_passes_over_a_task_at_its_limit),
		TEST(debit_draws_skewed_towards_unused_shares),
		TEST(chips_are_handed_what_is_picked),
		TEST(wfq_divides_the_time_of_a_busy_chip),
		TEST(debit_never_lends_more_than_the_limit),
		TEST(debit_alone_leaves_chips_idle),
		TEST(debit_lets_chips_take_turns),
		TEST(chips_take_turns_among_one_tasks_reads),
		TEST(schedulers_may_change_with_operations_queued),
		TEST(tasks_are_counted_when_issued),
	};

	return cmocka_run_group_tests_name("flash_sched", tests, NULL, NULL);
}
