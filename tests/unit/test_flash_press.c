// SPDX-License-Identifier: GPL-2.0
/*
 * What a request of the host waits for: it goes over its share, and no one passes
 * it for ever.
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <cmocka.h>

#include "../../dm-ssdqos/core/flash/life/life.h"
#include "flash_helper.h"

#define SIZE_MIB 64
#define T_PROG 500000u
#define X_PAGE 40960u
#define UNITS_PER_PAGE 4
#define BYPASS 5

static struct ssdqos_flash *drive(u32 scheduler, u64 cache)
{
	struct ssdqos_flash_config cfg = helper_config(SSDQOS_FLASH_AUTOSSD);

	cfg.scheduler = scheduler;
	cfg.cache = cache;
	cfg.channels = 4;
	cfg.chips_per_channel = 1;
	cfg.planes_per_chip = 1;
	cfg.pages_per_block = 64;
	cfg.allocation = SSDQOS_FLASH_STATIC;
	cfg.flush_share_permille = 1;
	cfg.share_lend = 1;
	cfg.bypass_max = BYPASS;
	return helper_create(&cfg, SIZE_MIB);
}

/* An operation that waits for chip 0. */
static void put(struct ssdqos_flash *f, u32 task)
{
	struct flash_op *op = flash_op_get(f, (u8)task, SSDQOS_NAND_READ, 0);
	struct flash_chip *chip = &f->chips[0];

	op->nr_units = 1;
	flash_ops_push(f, &chip->queue[task], op);
	chip->tasks |= 1u << task;
	if (f->sched->queued)
		f->sched->queued(f, chip, task);
}

static u32 pick(struct ssdqos_flash *f)
{
	return f->sched->pick(f, &f->chips[0]);
}

/* How long that takes, and what went over its share. */
static u64 four_pages_ns(const char *lend, u64 *lent_ops)
{
	struct ssdqos_flash *f = drive(SSDQOS_FLASH_DEBIT, SSDQOS_FLASH_CACHE_NONE);
	u64 ns;

	ssdqos_flash_set(f, "share_lend", lend, helper_err, sizeof(helper_err));
	ns = helper_do(f, SSDQOS_FLASH_WRITE, 0, 4 * UNITS_PER_PAGE);
	helper_settle(f);
	*lent_ops = ssdqos_flash_stats(f)->lent_ops;
	ssdqos_flash_destroy(f);
	return ns;
}

/* A share of one operation, and a write that waits for four. */
static void debit_lends_what_a_write_waits_for(void **state)
{
	u64 lent_ops;

	assert_int_equal(four_pages_ns("off", &lent_ops), 4 * (X_PAGE + T_PROG));
	assert_int_equal(lent_ops, 0);
	assert_int_equal(four_pages_ns("on", &lent_ops), X_PAGE + T_PROG);
	assert_int_equal(lent_ops, 3);
}

static void check_record(const struct ssdqos_flash_record *rec, u32 event, u32 task, u32 outstanding,
			 u32 limit)
{
	assert_int_equal(rec->event, event);
	assert_int_equal(rec->task, task);
	assert_int_equal(rec->block, outstanding);
	assert_int_equal(rec->page, limit);
}

/* The first one is within the share of one operation, the others are lent. */
static void what_is_lent_is_told(void **state)
{
	struct ssdqos_flash *f = drive(SSDQOS_FLASH_DEBIT, SSDQOS_FLASH_CACHE_NONE);
	struct ssdqos_flash_record rec[8];
	u32 i;

	ssdqos_flash_log_enable(f, 1u << SSDQOS_FLASH_EV_OP_LENT);
	helper_do(f, SSDQOS_FLASH_WRITE, 0, 4 * UNITS_PER_PAGE);
	assert_int_equal(ssdqos_flash_log_take(f, rec, ARRAY_SIZE(rec)), 3);
	for (i = 0; i < 3; i++)
		check_record(&rec[i], SSDQOS_FLASH_EV_OP_LENT, SSDQOS_TASK_FLUSH, i + 1, 1);
	helper_settle(f);
	ssdqos_flash_destroy(f);
}

/* Nobody waits for the buffer: it keeps to its share. */
static void debit_lends_nothing_where_nobody_waits(void **state)
{
	struct ssdqos_flash *f = drive(SSDQOS_FLASH_DEBIT, SSDQOS_FLASH_CACHE_PLP);

	helper_do(f, SSDQOS_FLASH_WRITE, 0, 4 * UNITS_PER_PAGE);
	assert_int_equal(f->task[SSDQOS_TASK_FLUSH].limit, 1);
	assert_int_equal(f->task[SSDQOS_TASK_FLUSH].outstanding, 1);
	assert_int_equal(f->task[SSDQOS_TASK_FLUSH].waiting, 3);
	helper_settle(f);
	ssdqos_flash_destroy(f);
}

/* The fuller the buffer, the more of it may be on its way. */
static void the_buffer_presses_by_its_fill_level(void **state)
{
	struct ssdqos_flash *f = drive(SSDQOS_FLASH_DEBIT, SSDQOS_FLASH_CACHE_PLP);
	struct flash_task *flush = &f->task[SSDQOS_TASK_FLUSH];
	u32 target = flash_buffer_target(f), slots = 4 * f->chip_queue_depth;

	f->buffer.nr_used = target;
	assert_false(flash_tasks_pressing(f, 1u << SSDQOS_TASK_FLUSH));
	f->buffer.nr_used = target + target / 2;
	flush->outstanding = slots / 2 - 1;
	assert_true(flash_tasks_pressing(f, 1u << SSDQOS_TASK_FLUSH));
	flush->outstanding = slots / 2;
	assert_false(flash_tasks_pressing(f, 1u << SSDQOS_TASK_FLUSH));
	f->buffer.nr_used = 2 * target;
	flush->outstanding = slots - 1;
	assert_true(flash_tasks_pressing(f, 1u << SSDQOS_TASK_FLUSH));
	flush->outstanding = 0;
	f->buffer.nr_used = 0;
	ssdqos_flash_destroy(f);
}

static void collection_presses_in_a_plane_without_room(void **state)
{
	struct ssdqos_flash *f = drive(SSDQOS_FLASH_DEBIT, SSDQOS_FLASH_CACHE_PLP);
	u32 nr_free = f->planes[0].nr_free;

	put(f, SSDQOS_TASK_GC);
	assert_false(flash_chip_pressing(f, &f->chips[0], 1u << SSDQOS_TASK_GC));
	f->planes[0].nr_free = FLASH_GC_RESERVE_BLOCKS;
	assert_true(flash_chip_pressing(f, &f->chips[0], 1u << SSDQOS_TASK_GC));
	f->planes[0].nr_free = nr_free;
	ssdqos_flash_destroy(f);
}

/* The host waits for the end of a burst. */
static void collection_presses_while_it_blocks_the_drive(void **state)
{
	struct ssdqos_flash *f = drive(SSDQOS_FLASH_DEBIT, SSDQOS_FLASH_CACHE_PLP);

	assert_false(flash_tasks_pressing(f, 1u << SSDQOS_TASK_GC));
	f->burst.state = FLASH_BURST_BLOCKING;
	assert_true(flash_tasks_pressing(f, 1u << SSDQOS_TASK_GC));
	f->burst.state = FLASH_BURST_NONE;
	ssdqos_flash_destroy(f);
}

/* A share that is all used up, and another that is not: the host goes first. */
static void debit_lets_the_host_go_first(void **state)
{
	struct ssdqos_flash *f = drive(SSDQOS_FLASH_DEBIT, SSDQOS_FLASH_CACHE_PLP);
	u32 i, task;

	f->task[SSDQOS_TASK_HOST].outstanding = f->task[SSDQOS_TASK_HOST].limit;
	flash_share_count(f);
	put(f, SSDQOS_TASK_SCRUB);
	put(f, SSDQOS_TASK_WEAR);
	for (i = 0; i < 100; i++) {
		task = pick(f);
		assert_true(task == SSDQOS_TASK_SCRUB || task == SSDQOS_TASK_WEAR);
	}
	put(f, SSDQOS_TASK_HOST);
	for (i = 0; i < 100; i++)
		assert_int_equal(pick(f), SSDQOS_TASK_HOST);
	f->task[SSDQOS_TASK_HOST].outstanding = 0;
	ssdqos_flash_destroy(f);
}

static void check_passed(u32 scheduler, u64 cache, u32 task, bool goes)
{
	struct ssdqos_flash *f = drive(scheduler, cache);
	struct flash_chip *chip = &f->chips[0];
	struct ssdqos_flash_record rec;

	put(f, SSDQOS_TASK_HOST);
	put(f, task);
	chip->passed[task] = BYPASS - 1;
	assert_int_equal(pick(f), SSDQOS_TASK_HOST);
	chip->passed[task] = BYPASS;
	ssdqos_flash_log_enable(f, 1u << SSDQOS_FLASH_EV_OP_PASSED);
	assert_int_equal(pick(f), goes ? task : SSDQOS_TASK_HOST);
	assert_int_equal(ssdqos_flash_stats(f)->passed_ops, goes);
	assert_int_equal(ssdqos_flash_log_take(f, &rec, 1), goes);
	if (goes)
		check_record(&rec, SSDQOS_FLASH_EV_OP_PASSED, task, 0, f->task[task].limit);
	ssdqos_flash_set(f, "bypass_max", "0", helper_err, sizeof(helper_err));
	assert_int_equal(pick(f), SSDQOS_TASK_HOST);
	ssdqos_flash_destroy(f);
}

/* Without a cache every program is waited for; nobody waits for wear levelling,
 * but debit owes it its share.
 */
static void reads_pass_what_presses_only_so_often(void **state)
{
	check_passed(SSDQOS_FLASH_PRIORITY, SSDQOS_FLASH_CACHE_NONE, SSDQOS_TASK_FLUSH, true);
	check_passed(SSDQOS_FLASH_PRIORITY, SSDQOS_FLASH_CACHE_PLP, SSDQOS_TASK_FLUSH, false);
	check_passed(SSDQOS_FLASH_PRIORITY, SSDQOS_FLASH_CACHE_NONE, SSDQOS_TASK_WEAR, false);
	check_passed(SSDQOS_FLASH_DEBIT, SSDQOS_FLASH_CACHE_NONE, SSDQOS_TASK_FLUSH, true);
	check_passed(SSDQOS_FLASH_DEBIT, SSDQOS_FLASH_CACHE_NONE, SSDQOS_TASK_WEAR, true);
}

/* Who would go anyway is not let through. */
static void the_only_one_that_may_go_is_not_counted(void **state)
{
	struct ssdqos_flash *f = drive(SSDQOS_FLASH_DEBIT, SSDQOS_FLASH_CACHE_NONE);

	put(f, SSDQOS_TASK_FLUSH);
	f->chips[0].passed[SSDQOS_TASK_FLUSH] = BYPASS;
	assert_int_equal(pick(f), SSDQOS_TASK_FLUSH);
	assert_int_equal(ssdqos_flash_stats(f)->passed_ops, 0);
	ssdqos_flash_destroy(f);
}

/* Reads that never run out and a full buffer: both get on, reads first. */
static void a_flood_of_reads_lets_writes_through(void **state)
{
	struct ssdqos_flash *f = drive(SSDQOS_FLASH_PRIORITY, SSDQOS_FLASH_CACHE_NONE);
	struct flash_task *flush = &f->task[SSDQOS_TASK_FLUSH];
	static struct ssdqos_flash_req read[400];
	struct ssdqos_flash_req req;
	u32 i;

	helper_do(f, SSDQOS_FLASH_WRITE, 0, UNITS_PER_PAGE);
	helper_settle(f);
	for (i = 0; i < ARRAY_SIZE(read); i++)
		helper_submit_units(f, &read[i], SSDQOS_FLASH_READ, i % UNITS_PER_PAGE, 1);
	helper_submit_units(f, &req, SSDQOS_FLASH_WRITE, 64, UNITS_PER_PAGE);
	assert_int_equal(flush->waiting, 1);
	helper_wait(f, &req);
	assert_int_equal(read[ARRAY_SIZE(read) - 1].complete_ns, SSDQOS_NEVER_NS);
	helper_settle(f);
	ssdqos_flash_destroy(f);
}

static void with_wfq_the_host_weighs_as_much_as_all_others(void **state)
{
	struct ssdqos_flash *f = drive(SSDQOS_FLASH_WFQ, SSDQOS_FLASH_CACHE_PLP);
	u32 task, others = 0;

	ssdqos_flash_set(f, "flush_share_permille", "900", helper_err, sizeof(helper_err));
	ssdqos_flash_set(f, "gc_share_permille", "500", helper_err, sizeof(helper_err));
	for (task = SSDQOS_TASK_MAP; task < SSDQOS_NR_TASKS; task++) {
		assert_int_equal(f->task[task].weight_ppm, f->task[task].share_ppm);
		if (task != SSDQOS_TASK_VERIFY)	/* which is off */
			others += f->task[task].share_ppm;
	}
	assert_int_equal(f->task[SSDQOS_TASK_HOST].weight_ppm, others);
	ssdqos_flash_set(f, "share_lend", "off", helper_err, sizeof(helper_err));
	assert_int_equal(f->task[SSDQOS_TASK_HOST].weight_ppm,
			 f->task[SSDQOS_TASK_HOST].share_ppm);
	ssdqos_flash_destroy(f);
}

#define TEST(name) cmocka_unit_test_setup_teardown(name, helper_start, helper_finish)

int main(void)
{
	const struct CMUnitTest tests[] = {
		TEST(debit_lends_what_a_write_waits_for),
		TEST(what_is_lent_is_told),
		TEST(debit_lends_nothing_where_nobody_waits),
		TEST(the_buffer_presses_by_its_fill_level),
		TEST(collection_presses_in_a_plane_without_room),
		TEST(collection_presses_while_it_blocks_the_drive),
		TEST(debit_lets_the_host_go_first),
		TEST(reads_pass_what_presses_only_so_often),
		TEST(the_only_one_that_may_go_is_not_counted),
		TEST(a_flood_of_reads_lets_writes_through),
		TEST(with_wfq_the_host_weighs_as_much_as_all_others),
	};

	return cmocka_run_group_tests_name("flash_press", tests, NULL, NULL);
}
