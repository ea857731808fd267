// SPDX-License-Identifier: GPL-2.0
/*
 * Erases and programs that make way for host reads, computed by hand: one plane.
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>
#include <cmocka.h>

#include "../../dm-ssdqos/core/flash/model.h"
#include "flash_helper.h"

#define SIZE_MIB 64
#define T_R 50000u
#define T_PROG 500000u
#define T_ERASE 5000000u
#define X_UNIT 10240u
#define X_PAGE 40960u
#define T_READ (T_R + X_UNIT)
#define STOP 20000u		/* of programs */
#define E_STOP 100000u		/* of erases */
#define MOST 16u		/* times that an operation makes way */
#define BLOCK_UNITS 256u

static struct ssdqos_flash_config config(u32 registers)
{
	struct ssdqos_flash_config cfg = helper_config(SSDQOS_FLASH_AUTOSSD);

	cfg.channels = 1;
	cfg.chips_per_channel = 1;
	cfg.planes_per_chip = 1;
	cfg.pages_per_block = 64;
	cfg.registers = registers;
	cfg.cache = SSDQOS_FLASH_CACHE_NONE;
	cfg.trim_mode = SSDQOS_FLASH_TRIM_ERASE;
	cfg.trim_ns = 0;
	cfg.trim_step_ns = 0;
	cfg.program_suspend_ns = STOP;
	cfg.erase_suspend_ns = E_STOP;
	return cfg;
}

/* Two blocks are written, and the head of a third one. */
static struct ssdqos_flash *written(const struct ssdqos_flash_config *cfg)
{
	struct ssdqos_flash *f = helper_create(cfg, SIZE_MIB);

	helper_do(f, SSDQOS_FLASH_WRITE, 0, 2 * BLOCK_UNITS + 64);
	helper_settle(f);
	assert_int_equal(ssdqos_flash_geo(f)->nr_planes, 1);
	ssdqos_flash_reset_stats(f);
	return f;
}

static void pass(struct ssdqos_flash *f, u64 ns)
{
	ssdqos_flash_advance(f, helper_now(f) + ns);
}

static void read_one(struct ssdqos_flash *f, struct ssdqos_flash_req *req, u32 unit)
{
	helper_submit_units(f, req, SSDQOS_FLASH_READ, BLOCK_UNITS + unit, 1);
}

static void write_page(struct ssdqos_flash *f, struct ssdqos_flash_req *req)
{
	helper_submit_units(f, req, SSDQOS_FLASH_WRITE, 4 * BLOCK_UNITS, 4);
}

/* The first block has no data any more, and is erased from now on. */
static void erase(struct ssdqos_flash *f)
{
	struct ssdqos_flash_req req;

	helper_submit_units(f, &req, SSDQOS_FLASH_DISCARD, 0, BLOCK_UNITS);
	helper_wait(f, &req);
	assert_true(f->planes[0].array_op != SSDQOS_NIL);
	assert_int_equal(f->ops[f->planes[0].array_op].kind, SSDQOS_NAND_ERASE);
}

static void check_waits(const struct ssdqos_flash_req *req, u64 sched_ns, u32 cause, u64 cause_ns)
{
	u64 sum_ns = 0;
	u32 i;

	for (i = 0; i < SSDQOS_NR_WAITS; i++)
		sum_ns += req->wait_ns[i];
	assert_int_equal(req->wait_ns[SSDQOS_WAIT_FLASH], T_READ);
	assert_int_equal(req->wait_ns[SSDQOS_WAIT_SCHED], sched_ns);
	assert_int_equal(req->wait_ns[cause], cause_ns);
	assert_int_equal(sum_ns, T_READ + sched_ns + cause_ns);
	assert_int_equal(sum_ns, helper_latency(req));
}

static void check_counts(struct ssdqos_flash *f, u32 erases, u32 programs, u32 reads)
{
	const struct ssdqos_flash_stats *s = ssdqos_flash_stats(f);

	assert_int_equal(s->erase_suspends, erases);
	assert_int_equal(s->program_suspends, programs);
	assert_int_equal(s->suspend_reads, reads);
	helper_check(f);
	ssdqos_flash_destroy(f);
}

/* ---- one read ---- */

/* @back_ns: from the end of the read's array until the program has its register again */
static void check_program(u32 registers, u64 back_ns)
{
	struct ssdqos_flash_config cfg = config(registers);
	struct ssdqos_flash *f = written(&cfg);
	struct ssdqos_flash_req write, read;
	const u64 late_ns = 100000;

	write_page(f, &write);
	pass(f, late_ns);
	read_one(f, &read, 0);
	helper_settle(f);
	assert_int_equal(helper_latency(&read), STOP + T_READ);
	check_waits(&read, 0, SSDQOS_WAIT_BY_FLUSH, STOP);
	assert_int_equal(helper_latency(&write), X_PAGE + T_PROG + STOP + T_R + back_ns + STOP);
	check_counts(f, 0, 1, 1);
}

static void a_program_makes_way(void **state)
{
	check_program(2, 0);
	check_program(1, X_UNIT);
}

static void an_erase_makes_way(void **state)
{
	struct ssdqos_flash_config cfg = config(1);
	struct ssdqos_flash *f = written(&cfg);
	struct ssdqos_flash_req read, write;
	u64 begin_ns;

	erase(f);
	begin_ns = helper_now(f);
	pass(f, T_ERASE / 2);
	read_one(f, &read, 0);
	pass(f, 1000);
	write_page(f, &write);
	helper_settle(f);
	check_waits(&read, 0, SSDQOS_WAIT_BY_GC, E_STOP);
	assert_int_equal(read.met, SSDQOS_FLASH_MET_GC);
	/* its page is loaded when the erase goes on, and programmed behind it */
	assert_int_equal(write.complete_ns,
			 begin_ns + T_ERASE + E_STOP + T_R + E_STOP + T_PROG);
	assert_int_equal(ssdqos_flash_stats(f)->flash_erases, 1);
	check_counts(f, 1, 0, 1);
}

/* What can't be suspended is waited for, and so is what will have ended by then. */
static void nothing_makes_way_in_vain(void **state)
{
	struct ssdqos_flash_config cfg = config(1);
	struct ssdqos_flash_req read;
	struct ssdqos_flash *f;

	f = written(&cfg);
	erase(f);
	pass(f, T_ERASE - E_STOP);
	read_one(f, &read, 0);
	helper_settle(f);
	check_waits(&read, 0, SSDQOS_WAIT_BY_GC, E_STOP);
	check_counts(f, 0, 0, 0);

	cfg.erase_suspend_ns = 0;
	f = written(&cfg);
	erase(f);
	read_one(f, &read, 0);
	helper_settle(f);
	check_waits(&read, 0, SSDQOS_WAIT_BY_GC, T_ERASE);
	check_counts(f, 0, 0, 0);
}

/* With its only register full, no read could begin; and none waits for ever. */
static void a_loaded_page_leaves_no_register(void **state)
{
	struct ssdqos_flash_config cfg = config(1);
	struct ssdqos_flash *f = written(&cfg);
	struct ssdqos_flash_req read, write;

	erase(f);
	write_page(f, &write);
	pass(f, T_ERASE / 2);
	read_one(f, &read, 0);
	helper_settle(f);
	/* but the program behind it makes way */
	assert_int_equal(read.wait_ns[SSDQOS_WAIT_BY_FLUSH], STOP);
	assert_int_equal(read.wait_ns[SSDQOS_WAIT_BY_GC], T_ERASE / 2);
	assert_int_equal(helper_latency(&read), T_ERASE / 2 + STOP + T_READ);
	check_counts(f, 0, 1, 1);
}

/* ---- several reads ---- */

static void reads_that_wait_go_together(void **state)
{
	struct ssdqos_flash_config cfg = config(2);
	struct ssdqos_flash *f = written(&cfg);
	struct ssdqos_flash_req read[3];

	erase(f);
	read_one(f, &read[0], 0);
	pass(f, E_STOP / 2);
	read_one(f, &read[1], 20);
	/* while the second one is read: held as it is */
	pass(f, E_STOP / 2 + T_R + T_R / 2);
	read_one(f, &read[2], 40);
	helper_settle(f);
	check_waits(&read[0], 0, SSDQOS_WAIT_BY_GC, E_STOP);
	assert_int_equal(helper_latency(&read[1]), E_STOP / 2 + T_R + T_READ);
	check_waits(&read[2], 0, SSDQOS_WAIT_BY_HOST, T_R / 2);
	check_counts(f, 1, 0, 3);
}

/* A client that always reads: the erase makes way so many times, then it ends. */
static void reads_without_end_let_it_end(void **state)
{
	struct ssdqos_flash_config cfg = config(2);
	struct ssdqos_flash *f = written(&cfg);
	u32 i, fast = 0, slow = 0, free_reads = 0;
	struct ssdqos_flash_req read;

	erase(f);
	for (i = 0; i < 100; i++) {
		read_one(f, &read, i);
		helper_wait(f, &read);
		if (helper_latency(&read) == T_READ)
			free_reads++;
		else if (helper_latency(&read) == E_STOP + T_READ)
			fast++;
		else
			slow++;
	}
	assert_int_equal(fast, MOST);
	assert_int_equal(slow, 1);
	assert_int_equal(free_reads, 100 - MOST - 1);
	assert_int_equal(ssdqos_flash_stats(f)->flash_erases, 1);
	check_counts(f, MOST, 0, MOST);
}

/* The next program behind one that ended makes way, too. */
static void what_begins_before_a_read_makes_way(void **state)
{
	struct ssdqos_flash_config cfg = config(2);
	struct ssdqos_flash *f = written(&cfg);
	struct ssdqos_flash_req write, read;

	erase(f);
	write_page(f, &write);
	/* too late to stop the erase; the page is loaded, and would be programmed first */
	pass(f, T_ERASE - E_STOP);
	read_one(f, &read, 0);
	helper_settle(f);
	assert_int_equal(read.wait_ns[SSDQOS_WAIT_BY_FLUSH], STOP);
	assert_int_equal(read.wait_ns[SSDQOS_WAIT_BY_GC], E_STOP);
	assert_int_equal(helper_latency(&read), E_STOP + STOP + T_READ);
	check_counts(f, 0, 1, 1);
}

/* ---- parameters, records ---- */

static void a_shared_array_is_refused(void **state)
{
	struct ssdqos_flash_config cfg = config(2);

	cfg.array_scope = SSDQOS_FLASH_ARRAY_CHIP;
	assert_null(ssdqos_flash_create(&cfg, SIZE_MIB * MIB_SECTORS, helper_err,
					sizeof(helper_err)));
	assert_string_equal(helper_err, "erase_suspend_ns: '100000' needs array_scope plane, because planes that share an array can't be suspended apart");
	cfg.erase_suspend_ns = 0;
	assert_null(ssdqos_flash_create(&cfg, SIZE_MIB * MIB_SECTORS, helper_err,
					sizeof(helper_err)));
	assert_non_null(strstr(helper_err, "program_suspend_ns: '20000' needs"));
}

/* What has stopped goes on, although nothing can be suspended any more. */
static void set_while_it_is_held(void **state)
{
	struct ssdqos_flash_config cfg = config(1);
	struct ssdqos_flash *f = written(&cfg);
	struct ssdqos_flash_req read[2];

	erase(f);
	read_one(f, &read[0], 0);
	pass(f, E_STOP + T_R / 2);
	assert_int_equal(ssdqos_flash_set(f, "erase_suspend_ns", "0", helper_err,
					  sizeof(helper_err)), 0);
	assert_int_equal(ssdqos_flash_set(f, "program_suspend_ns", "0", helper_err,
					  sizeof(helper_err)), 0);
	read_one(f, &read[1], 20);
	helper_settle(f);
	check_waits(&read[0], 0, SSDQOS_WAIT_BY_GC, E_STOP);
	/* while the register of the first one is emptied, nobody's array works */
	check_waits(&read[1], X_UNIT, SSDQOS_WAIT_BY_HOST, T_R / 2);
	assert_int_equal(ssdqos_flash_stats(f)->flash_erases, 1);
	check_counts(f, 1, 0, 2);
}

static void records_say_what_made_way(void **state)
{
	struct ssdqos_flash_config cfg = config(2);
	struct ssdqos_flash *f = written(&cfg);
	struct ssdqos_flash_record rec[4];
	struct ssdqos_flash_req read;
	u64 begin_ns;

	ssdqos_flash_log_enable(f, 1u << SSDQOS_FLASH_EV_NAND_SUSPENDED |
				   1u << SSDQOS_FLASH_EV_NAND_RESUMED);
	erase(f);
	begin_ns = helper_now(f);
	read_one(f, &read, 0);
	helper_settle(f);
	assert_int_equal(ssdqos_flash_log_take(f, rec, 4), 2);
	assert_int_equal(rec[0].event, SSDQOS_FLASH_EV_NAND_SUSPENDED);
	assert_int_equal(rec[0].op, SSDQOS_NAND_ERASE);
	assert_int_equal(rec[0].task, SSDQOS_TASK_GC);
	assert_int_equal(rec[0].time_ns, begin_ns + E_STOP);
	assert_int_equal(rec[1].event, SSDQOS_FLASH_EV_NAND_RESUMED);
	assert_int_equal(rec[1].block, rec[0].block);
	assert_int_equal(rec[1].time_ns, begin_ns + E_STOP + T_R);
	check_counts(f, 1, 0, 1);
}

/* Copies inside the plane make way behind their own read, never in it. */
static void copies_make_way(void **state)
{
	const struct helper_load load = {
		.seed = 5, .nr = 20000, .depth = 8, .read_pct = 50, .max_units = 4,
		.check_every = 1000,
	};
	struct ssdqos_flash_config cfg = config(1);
	struct ssdqos_flash_record rec;
	struct ssdqos_flash *f;
	u64 begun_ns = 0, copies = 0;

	cfg.gc_copyback = 1;
	cfg.aged_pct = 100;
	cfg.page_kib = 4;
	f = helper_create(&cfg, SIZE_MIB);
	helper_run(f, &load);
	assert_in_range(ssdqos_flash_stats(f)->program_suspends, 1000, load.nr * MOST);
	ssdqos_flash_log_enable(f, 1u << SSDQOS_FLASH_EV_NAND_STARTED |
				   1u << SSDQOS_FLASH_EV_NAND_SUSPENDED);
	while (copies < 100) {
		static struct ssdqos_flash_req req;

		if (!copies || req.complete_ns != SSDQOS_NEVER_NS)
			helper_submit_units(f, &req, copies % 2 ? SSDQOS_FLASH_READ :
					    SSDQOS_FLASH_WRITE, copies * 97 % 16000, 1);
		ssdqos_flash_advance(f, ssdqos_flash_next_ns(f));
		while (ssdqos_flash_log_take(f, &rec, 1)) {
			if (rec.op != SSDQOS_NAND_COPYBACK)
				continue;
			if (rec.event == SSDQOS_FLASH_EV_NAND_STARTED)
				begun_ns = rec.time_ns;
			else
				assert_true(rec.time_ns >= begun_ns + T_R + STOP);
			copies++;
		}
	}
	helper_settle(f);
	ssdqos_flash_destroy(f);
}

#define TEST(name) cmocka_unit_test_setup_teardown(name, helper_start, helper_finish)

int main(void)
{
	const struct CMUnitTest tests[] = {
		TEST(a_program_makes_way),
		TEST(an_erase_makes_way),
		TEST(nothing_makes_way_in_vain),
		TEST(a_loaded_page_leaves_no_register),
		TEST(reads_that_wait_go_together),
		TEST(reads_without_end_let_it_end),
		TEST(what_begins_before_a_read_makes_way),
		TEST(a_shared_array_is_refused),
		TEST(set_while_it_is_held),
		TEST(records_say_what_made_way),
		TEST(copies_make_way),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
