// SPDX-License-Identifier: GPL-2.0
/*
 * Times of flash operations: small scenarios, computed by hand.
 *
 * The drive is autossd's with static allocation and all of its parallelism at
 * 1 GiB: 32 planes; plane p is on channel p % 4 and in chip p % 16.
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <cmocka.h>

#include "flash_helper.h"

#define SIZE_MIB 1024
#define NR_PLANES 32
#define UNITS_PER_PAGE 4
#define PAGES_PER_BLOCK 64

#define T_R 50000u
#define T_PROG 500000u
#define T_ERASE 5000000u
#define X_UNIT 10240u		/* 4 KiB at 400 MB/s */
#define X_PAGE 40960u
#define T_RAM 2000u
#define T_TRIM 20000u

static struct ssdqos_flash_config config(void)
{
	struct ssdqos_flash_config cfg = helper_config(SSDQOS_FLASH_AUTOSSD);

	cfg.allocation = SSDQOS_FLASH_STATIC;
	cfg.pages_per_block = PAGES_PER_BLOCK;
	return cfg;
}

static struct ssdqos_flash *aged_drive(struct ssdqos_flash_config cfg)
{
	cfg.aged_pct = 100;
	return helper_create(&cfg, SIZE_MIB);
}

/* First unit of the k-th logical page of a plane. */
static u32 unit_of(u32 plane, u32 k)
{
	return (k * NR_PLANES + plane) * UNITS_PER_PAGE;
}

static void geometry_is_as_assumed(void **state)
{
	struct ssdqos_flash_config cfg = config();
	struct ssdqos_flash *f = helper_create(&cfg, SIZE_MIB);
	const struct ssdqos_flash_geo *g = ssdqos_flash_geo(f);

	assert_int_equal(g->nr_planes, NR_PLANES);
	assert_int_equal(g->nr_chips, 16);
	assert_int_equal(g->channels, 4);
	assert_int_equal(g->pages_per_block, PAGES_PER_BLOCK);
	assert_int_equal(g->units_per_page, UNITS_PER_PAGE);
	ssdqos_flash_destroy(f);
}

/* As docs/ssdqos-flash.rst says. */
static void memory_is_as_documented(void **state)
{
	enum { UNIT_BYTES = 8, CONTROLLER_BYTES = 1 << 20, HELD_BYTES = 128 };
	struct ssdqos_flash_config cfg;
	struct ssdqos_flash_gauges g;
	struct ssdqos_flash *f;
	u32 preset, mib, most;

	for (preset = 0; ssdqos_flash_params[SSDQOS_FLASH_P_preset].choices[preset]; preset++) {
		for (mib = 64; mib <= 4096; mib *= 4) {
			ssdqos_flash_config_init(&cfg, preset);
			f = helper_create(&cfg, mib);
			ssdqos_flash_gauges(f, &g);
			most = UNIT_BYTES * ssdqos_flash_geo(f)->nr_psn + CONTROLLER_BYTES;
			if (cfg.rain_flush == SSDQOS_FLASH_FLUSH_STRIPES)
				most += HELD_BYTES * (u32)cfg.buffer_kib / 4;
			assert_in_range(g.memory_bytes, UNIT_BYTES * ssdqos_flash_geo(f)->nr_psn / 2, most);
			ssdqos_flash_destroy(f);
		}
	}
}

static void lone_read_is_array_and_transfer(void **state)
{
	struct ssdqos_flash *f = aged_drive(config());
	u32 i;

	for (i = 0; i < 100; i++)
		assert_int_equal(helper_do(f, SSDQOS_FLASH_READ, i * 2617, 1), T_R + X_UNIT);
	assert_int_equal(ssdqos_flash_stats(f)->flash_reads, 100);
	assert_int_equal(ssdqos_flash_stats(f)->queue_blocked_reads, 0);
	assert_int_equal(ssdqos_flash_stats(f)->gc_blocked_reads, 0);
	ssdqos_flash_destroy(f);
}

static void lone_read_of_ttflash(void **state)
{
	struct ssdqos_flash_config cfg = helper_config(SSDQOS_FLASH_TTFLASH);
	struct ssdqos_flash *f;

	cfg.aged_pct = 100;
	f = helper_create(&cfg, 256);
	/* 4096 bytes at 41 MB/s: 99,902 ns */
	assert_int_equal(helper_do(f, SSDQOS_FLASH_READ, 1234, 1), 40000 + 99902);
	/* a part of a unit costs as much */
	assert_int_equal(helper_do_sectors(f, SSDQOS_FLASH_READ, 8 * 77 + 3, 2), 40000 + 99902);
	ssdqos_flash_destroy(f);
}

static void read_of_a_page_is_one_operation(void **state)
{
	struct ssdqos_flash_config cfg = config();
	struct ssdqos_flash *f = helper_create(&cfg, SIZE_MIB);

	helper_do(f, SSDQOS_FLASH_WRITE, 0, 8);
	helper_settle(f);
	assert_int_equal(ssdqos_flash_stats(f)->flash_programs, 2);
	assert_int_equal(helper_do(f, SSDQOS_FLASH_READ, 0, 4), T_R + X_PAGE);
	assert_int_equal(ssdqos_flash_stats(f)->flash_reads, 1);
	/* two pages on two channels; one unit of each */
	assert_int_equal(helper_do(f, SSDQOS_FLASH_READ, 0, 8), T_R + X_PAGE);
	assert_int_equal(helper_do(f, SSDQOS_FLASH_READ, 3, 2), T_R + X_UNIT);
	assert_int_equal(ssdqos_flash_stats(f)->flash_reads, 5);
	ssdqos_flash_destroy(f);
}

static void check_two_reads(struct ssdqos_flash_config cfg, u32 unit_a, u32 unit_b, u64 want_a,
			    u64 want_b)
{
	struct ssdqos_flash *f = aged_drive(cfg);
	struct ssdqos_flash_req a, b;

	helper_submit_units(f, &a, SSDQOS_FLASH_READ, unit_a, 1);
	helper_submit_units(f, &b, SSDQOS_FLASH_READ, unit_b, 1);
	helper_settle(f);
	assert_int_equal(helper_latency(&a), want_a);
	assert_int_equal(helper_latency(&b), want_b);
	ssdqos_flash_destroy(f);
}

static void second_register_overlaps_transfer(void **state)
{
	struct ssdqos_flash_config cfg = config();

	check_two_reads(cfg, unit_of(0, 1), unit_of(0, 5), T_R + X_UNIT, 2 * T_R + X_UNIT);
	cfg.registers = 1;
	check_two_reads(cfg, unit_of(0, 1), unit_of(0, 5), T_R + X_UNIT, 2 * T_R + 2 * X_UNIT);
}

static void slow_channel_holds_registers(void **state)
{
	struct ssdqos_flash_config cfg = config();
	struct ssdqos_flash_req req[3];
	struct ssdqos_flash *f;
	u32 i, x = 4096 * 1000 / 40;	/* 102,400 ns: longer than tR */

	cfg.channel_mb_s = 40;
	f = aged_drive(cfg);
	for (i = 0; i < 3; i++)
		helper_submit_units(f, &req[i], SSDQOS_FLASH_READ, unit_of(0, i), 1);
	helper_settle(f);
	/* the third waits for the first one's register, then for the second's transfer */
	assert_int_equal(helper_latency(&req[0]), T_R + x);
	assert_int_equal(helper_latency(&req[1]), T_R + 2 * x);
	assert_int_equal(helper_latency(&req[2]), T_R + 3 * x);
	ssdqos_flash_destroy(f);
}

static void channel_serves_one_at_a_time(void **state)
{
	struct ssdqos_flash_config cfg = config();
	struct ssdqos_flash_req req[8];
	struct ssdqos_flash *f;
	u32 i;

	/* planes 0 and 1: two channels; 0 and 4: one channel, two chips */
	check_two_reads(cfg, unit_of(0, 1), unit_of(1, 1), T_R + X_UNIT, T_R + X_UNIT);
	check_two_reads(cfg, unit_of(0, 1), unit_of(4, 1), T_R + X_UNIT, T_R + 2 * X_UNIT);
	f = aged_drive(cfg);
	for (i = 0; i < 8; i++)
		helper_submit_units(f, &req[i], SSDQOS_FLASH_READ, unit_of(4 * i, 3), 1);
	helper_settle(f);
	for (i = 0; i < 8; i++)
		assert_int_equal(helper_latency(&req[i]), T_R + (i + 1) * X_UNIT);
	ssdqos_flash_destroy(f);
}

static void chip_takes_as_many_as_its_queue(void **state)
{
	struct ssdqos_flash_config cfg = config();

	/* planes 0 and 16 share chip and channel; 0 and 1 share nothing */
	cfg.chip_queue_depth = 2;
	check_two_reads(cfg, unit_of(0, 1), unit_of(16, 1), T_R + X_UNIT, T_R + 2 * X_UNIT);
	cfg.chip_queue_depth = 1;
	check_two_reads(cfg, unit_of(0, 1), unit_of(16, 1), T_R + X_UNIT, 2 * T_R + 2 * X_UNIT);
	check_two_reads(cfg, unit_of(0, 1), unit_of(1, 1), T_R + X_UNIT, T_R + X_UNIT);
}

/* Planes 0 and 16 are one chip's; their pages are programmed in order of number. */
static struct ssdqos_flash *drive_of_chips(struct ssdqos_flash_config cfg, u32 nr_pages)
{
	struct ssdqos_flash *f;
	u32 k;

	cfg.array_scope = SSDQOS_FLASH_ARRAY_CHIP;
	f = helper_create(&cfg, SIZE_MIB);
	for (k = 0; k < nr_pages; k++) {
		helper_do(f, SSDQOS_FLASH_WRITE, unit_of(0, k), 4);
		helper_do(f, SSDQOS_FLASH_WRITE, unit_of(16, k), 4);
		helper_do(f, SSDQOS_FLASH_WRITE, unit_of(4, k), 4);
	}
	helper_settle(f);
	return f;
}

static void check_chip(struct ssdqos_flash_config cfg, u32 unit_a, u32 unit_b, u64 want_b,
		       u64 want_together)
{
	struct ssdqos_flash *f = drive_of_chips(cfg, 8);
	u64 before = ssdqos_flash_stats(f)->multi_plane_ops;
	struct ssdqos_flash_req a, b;
	u32 i;
	u64 sum = 0;

	helper_submit_units(f, &a, SSDQOS_FLASH_READ, unit_a, 1);
	helper_submit_units(f, &b, SSDQOS_FLASH_READ, unit_b, 1);
	helper_settle(f);
	assert_int_equal(helper_latency(&a), T_R + X_UNIT);
	assert_int_equal(helper_latency(&b), want_b);
	assert_int_equal(ssdqos_flash_stats(f)->multi_plane_ops - before, want_together);
	for (i = 0; i < SSDQOS_NR_WAITS; i++)
		sum += b.wait_ns[i];
	assert_int_equal(sum, want_b);
	ssdqos_flash_destroy(f);
}

static void array_of_a_chip_does_one_thing_at_a_time(void **state)
{
	struct ssdqos_flash_config cfg = config();

	/* page 2 and page 5: one after the other; other chips work meanwhile */
	check_chip(cfg, unit_of(0, 2), unit_of(16, 5), 2 * T_R + X_UNIT, 0);
	check_chip(cfg, unit_of(0, 2), unit_of(4, 5), T_R + 2 * X_UNIT, 0);
	/* the same page: together, and then one after the other over the channel */
	check_chip(cfg, unit_of(0, 2), unit_of(16, 2), T_R + 2 * X_UNIT, 1);
	/* a chip that is busy with another kind of operation */
	cfg.cache = SSDQOS_FLASH_CACHE_NONE;
	check_chip(cfg, unit_of(0, 3), unit_of(0, 4), 2 * T_R + X_UNIT, 0);
}

/* AutoSSD's controller uses "channel and chip parallelism", by its paper. */
static void a_chip_of_autossd_does_one_thing_at_a_time(void **state)
{
	struct ssdqos_flash_config cfg;

	ssdqos_flash_config_init(&cfg, SSDQOS_FLASH_AUTOSSD);
	assert_int_equal(cfg.array_scope, SSDQOS_FLASH_ARRAY_CHIP);
	assert_true(cfg.planes_per_chip > 1);
}

/* Who waits for a plane that waits for its chip waits for no task longer than at all. */
static void waits_for_a_chip_are_no_longer_than_the_read(void **state)
{
	struct ssdqos_flash *f = drive_of_chips(config(), 8);
	struct ssdqos_flash_req req[12];
	u32 i, k;

	for (i = 0; i < 12; i++)
		helper_submit_units(f, &req[i], SSDQOS_FLASH_READ,
				    unit_of(i % 3 ? 16 : 0, i % 8), 1);
	helper_settle(f);
	for (i = 0; i < 12; i++)
		for (k = 0; k < SSDQOS_NR_WAITS; k++)
			assert_true(req[i].wait_ns[k] <= helper_latency(&req[i]));
	ssdqos_flash_destroy(f);
}

static void program_of_one_plane_delays_the_other(void **state)
{
	struct ssdqos_flash_config cfg = config();
	struct ssdqos_flash_req write, read, other;
	struct ssdqos_flash *f;

	cfg.cache = SSDQOS_FLASH_CACHE_NONE;
	f = drive_of_chips(cfg, 4);
	helper_submit_units(f, &write, SSDQOS_FLASH_WRITE, unit_of(0, 4), 4);
	ssdqos_flash_advance(f, helper_now(f) + 100000);
	helper_submit_units(f, &read, SSDQOS_FLASH_READ, unit_of(16, 1), 1);
	helper_submit_units(f, &other, SSDQOS_FLASH_READ, unit_of(4, 1), 1);
	helper_settle(f);
	assert_int_equal(helper_latency(&write), X_PAGE + T_PROG);
	assert_int_equal(helper_latency(&read), X_PAGE + T_PROG - 100000 + T_R + X_UNIT);
	assert_int_equal(read.wait_ns[SSDQOS_WAIT_BY_FLUSH], X_PAGE + T_PROG - 100000);
	assert_int_equal(helper_latency(&other), T_R + X_UNIT);
	ssdqos_flash_destroy(f);
}

/* Two planes' programs of the same page begin together when the chip is free. */
static void programs_of_the_same_page_go_together(void **state)
{
	struct ssdqos_flash_config cfg = config();
	struct ssdqos_flash_req read, a, b, c;
	struct ssdqos_flash *f;
	u64 before;

	cfg.cache = SSDQOS_FLASH_CACHE_NONE;
	cfg.read_ns = 200000;
	f = drive_of_chips(cfg, 4);
	before = ssdqos_flash_stats(f)->multi_plane_ops;
	helper_submit_units(f, &read, SSDQOS_FLASH_READ, unit_of(0, 1), 1);
	helper_submit_units(f, &a, SSDQOS_FLASH_WRITE, unit_of(0, 4), 4);
	helper_submit_units(f, &b, SSDQOS_FLASH_WRITE, unit_of(16, 4), 4);
	helper_settle(f);
	assert_int_equal(helper_latency(&a), 200000 + T_PROG);
	assert_int_equal(helper_latency(&b), 200000 + T_PROG);
	assert_int_equal(ssdqos_flash_stats(f)->multi_plane_ops - before, 1);
	/* another page number: one after the other */
	helper_do(f, SSDQOS_FLASH_WRITE, unit_of(0, 5), 4);
	helper_submit_units(f, &read, SSDQOS_FLASH_READ, unit_of(0, 1), 1);
	helper_submit_units(f, &a, SSDQOS_FLASH_WRITE, unit_of(0, 6), 4);
	helper_submit_units(f, &c, SSDQOS_FLASH_WRITE, unit_of(16, 6), 4);
	helper_settle(f);
	assert_int_equal(helper_latency(&a) + helper_latency(&c), 2 * 200000 + 3 * T_PROG);
	assert_int_equal(ssdqos_flash_stats(f)->multi_plane_ops - before, 1);
	ssdqos_flash_destroy(f);
}

static void queue_is_served_in_order_of_arrival(void **state)
{
	struct ssdqos_flash_config cfg = config();
	struct ssdqos_flash_req req[4];
	struct ssdqos_flash *f;
	u32 i;

	cfg.chip_queue_depth = 1;
	f = aged_drive(cfg);
	/* two for plane 16 before two for plane 0 */
	for (i = 0; i < 4; i++)
		helper_submit_units(f, &req[i], SSDQOS_FLASH_READ, unit_of(i < 2 ? 16 : 0, i), 1);
	helper_settle(f);
	for (i = 0; i < 4; i++)
		assert_int_equal(helper_latency(&req[i]), (i + 1) * (T_R + X_UNIT));
	ssdqos_flash_destroy(f);
}

/* fifo: a program that came first goes before a read, whatever their tasks */
static void tasks_are_served_in_order_of_arrival(void **state)
{
	struct ssdqos_flash_config cfg = config();
	struct ssdqos_flash_req first, write, second;
	struct ssdqos_flash *f;

	cfg.chip_queue_depth = 1;
	cfg.cache = SSDQOS_FLASH_CACHE_NONE;
	f = aged_drive(cfg);
	helper_submit_units(f, &first, SSDQOS_FLASH_READ, unit_of(0, 1), 1);
	helper_submit_units(f, &write, SSDQOS_FLASH_WRITE, unit_of(0, 2), 4);
	helper_submit_units(f, &second, SSDQOS_FLASH_READ, unit_of(16, 3), 1);
	helper_settle(f);
	assert_int_equal(helper_latency(&first), T_R + X_UNIT);
	assert_int_equal(helper_latency(&write), T_R + X_UNIT + X_PAGE + T_PROG);
	assert_int_equal(helper_latency(&second), 2 * (T_R + X_UNIT) + X_PAGE + T_PROG);
	ssdqos_flash_destroy(f);
}

static void check_program_then_read(u32 registers, u64 want_write, u64 want_read, u32 want_met)
{
	struct ssdqos_flash_config cfg = config();
	struct ssdqos_flash_req write, read;
	struct ssdqos_flash *f;

	cfg.registers = registers;
	cfg.cache = SSDQOS_FLASH_CACHE_NONE;
	f = aged_drive(cfg);
	helper_submit_units(f, &write, SSDQOS_FLASH_WRITE, unit_of(0, 0), 4);
	helper_submit_units(f, &read, SSDQOS_FLASH_READ, unit_of(0, 7), 1);
	helper_settle(f);
	assert_int_equal(helper_latency(&write), want_write);
	assert_int_equal(helper_latency(&read), want_read);
	assert_int_equal(read.met, want_met);
	assert_int_equal(ssdqos_flash_stats(f)->queue_blocked_reads, !!want_met);
	ssdqos_flash_destroy(f);
}

static void program_then_read(void **state)
{
	/* two registers: the array reads while the program's data is on the
	 * channel, and programs after that
	 */
	check_program_then_read(2, T_R + T_PROG, T_R + X_UNIT, 0);
	/* one: the read waits for the whole program */
	check_program_then_read(1, X_PAGE + T_PROG, X_PAGE + T_PROG + T_R + X_UNIT,
				SSDQOS_FLASH_MET_QUEUE);
}

static void read_waits_for_a_program_that_has_begun(void **state)
{
	struct ssdqos_flash_config cfg = config();
	struct ssdqos_flash *f;
	struct ssdqos_flash_req write, read;
	u64 start;

	cfg.cache = SSDQOS_FLASH_CACHE_NONE;
	f = aged_drive(cfg);
	start = helper_now(f);
	helper_submit_units(f, &write, SSDQOS_FLASH_WRITE, unit_of(0, 0), 4);
	ssdqos_flash_advance(f, start + 100000);
	helper_submit_units(f, &read, SSDQOS_FLASH_READ, unit_of(0, 7), 1);
	helper_settle(f);
	assert_int_equal(helper_latency(&write), X_PAGE + T_PROG);
	assert_int_equal(helper_latency(&read), X_PAGE + T_PROG - 100000 + T_R + X_UNIT);
	ssdqos_flash_destroy(f);
}

static void check_two_programs(u32 registers, u64 want_a, u64 want_b)
{
	struct ssdqos_flash_config cfg = config();
	struct ssdqos_flash_req a, b;
	struct ssdqos_flash *f;

	cfg.registers = registers;
	cfg.cache = SSDQOS_FLASH_CACHE_NONE;
	f = helper_create(&cfg, SIZE_MIB);
	helper_submit_units(f, &a, SSDQOS_FLASH_WRITE, unit_of(3, 0), 4);
	helper_submit_units(f, &b, SSDQOS_FLASH_WRITE, unit_of(3, 1), 4);
	helper_settle(f);
	assert_int_equal(helper_latency(&a), want_a);
	assert_int_equal(helper_latency(&b), want_b);
	ssdqos_flash_destroy(f);
}

static void two_programs_of_one_plane(void **state)
{
	check_two_programs(2, X_PAGE + T_PROG, X_PAGE + 2 * T_PROG);
	check_two_programs(1, X_PAGE + T_PROG, 2 * (X_PAGE + T_PROG));
}

/* Programs of one plane, and a read that comes while the first is in the array. */
static u64 read_behind_programs(u32 registers, u32 nr_programs, u32 others)
{
	struct ssdqos_flash_config cfg = config();
	struct ssdqos_flash_req write[8], read;
	struct ssdqos_flash *f;
	u32 i;

	cfg.registers = registers;
	cfg.cache = SSDQOS_FLASH_CACHE_NONE;
	f = helper_create(&cfg, SIZE_MIB);	/* nothing to collect */
	helper_do(f, SSDQOS_FLASH_WRITE, unit_of(0, 70), 4);
	helper_settle(f);
	for (i = 0; i < nr_programs; i++)
		helper_submit_units(f, &write[i], SSDQOS_FLASH_WRITE, unit_of(0, i), 4);
	/* the chip's other plane: with two registers its queue is full */
	for (; i < nr_programs + others; i++)
		helper_submit_units(f, &write[i], SSDQOS_FLASH_WRITE, unit_of(16, i), 4);
	ssdqos_flash_advance(f, helper_now(f) + 3 * X_PAGE);
	helper_submit_units(f, &read, SSDQOS_FLASH_READ, unit_of(0, 70), 1);
	helper_settle(f);
	ssdqos_flash_destroy(f);
	return helper_latency(&read);
}

/* A page in the second register has not begun: it is no reason to wait longer. */
static void second_register_does_not_hurt_reads(void **state)
{
	u32 n;

	for (n = 1; n <= 4; n++) {
		assert_int_equal(read_behind_programs(1, n, 0),
				 X_PAGE + T_PROG - 3 * X_PAGE + T_R + X_UNIT);
		assert_int_equal(read_behind_programs(2, n, 0), read_behind_programs(1, n, 0));
		assert_true(read_behind_programs(2, n, 2) <= read_behind_programs(1, n, 2));
	}
}

/* Reads that come all the time don't keep a loaded page from the array. */
static void loaded_page_is_programmed_among_reads(void **state)
{
	enum { NR = 400 };
	static struct ssdqos_flash_req req[NR];
	struct ssdqos_flash_config cfg = config();
	struct ssdqos_flash_req write[4];
	struct ssdqos_flash *f;
	u32 i;

	cfg.cache = SSDQOS_FLASH_CACHE_NONE;
	f = aged_drive(cfg);
	for (i = 0; i < 4; i++)
		helper_submit_units(f, &write[i], SSDQOS_FLASH_WRITE, unit_of(0, i), 4);
	for (i = 0; i < NR; i++) {
		helper_submit_units(f, &req[i], SSDQOS_FLASH_READ, unit_of(0, i + 9), 1);
		ssdqos_flash_advance(f, helper_now(f) + T_R);
	}
	for (i = 0; i < 4; i++)
		assert_true(helper_wait(f, &write[i]) < 4 * (2 * T_PROG + 10 * (T_R + X_UNIT)));
	helper_settle(f);
	ssdqos_flash_destroy(f);
}

/* A block of plane 0 is filled and emptied, and erased by TRIM. */
static void erase_in_front_of_a_read(void **state)
{
	struct ssdqos_flash_config cfg = config();
	struct ssdqos_flash_req read, other;
	struct ssdqos_flash *f;
	u32 k;

	cfg.trim_mode = SSDQOS_FLASH_TRIM_ERASE;
	f = helper_create(&cfg, SIZE_MIB);
	for (k = 0; k <= PAGES_PER_BLOCK; k++)
		helper_do(f, SSDQOS_FLASH_WRITE, unit_of(0, k), 4);
	helper_do(f, SSDQOS_FLASH_WRITE, unit_of(1, 0), 4);
	helper_settle(f);
	/* 8192 units are 8 steps of 4 MiB */
	assert_int_equal(helper_do(f, SSDQOS_FLASH_DISCARD, 0, unit_of(0, PAGES_PER_BLOCK)),
			 8 * T_TRIM);
	helper_submit_units(f, &read, SSDQOS_FLASH_READ, unit_of(0, PAGES_PER_BLOCK), 1);
	helper_submit_units(f, &other, SSDQOS_FLASH_READ, unit_of(1, 0), 1);
	helper_settle(f);
	assert_int_equal(helper_latency(&read), T_ERASE + T_R + X_UNIT);
	assert_int_equal(read.met, SSDQOS_FLASH_MET_GC);
	/* the discard took its data: nothing is left to read from flash */
	assert_int_equal(helper_latency(&other), T_RAM);
	assert_int_equal(ssdqos_flash_stats(f)->flash_erases, 1);
	assert_int_equal(ssdqos_flash_stats(f)->gc_blocked_reads, 1);
	ssdqos_flash_destroy(f);
}

static void more_reads_than_operations_wait_their_turn(void **state)
{
	enum { NR = 3000 };	/* the controller has 1024 host operations */
	static struct ssdqos_flash_req req[NR];
	struct ssdqos_flash *f = aged_drive(config());
	u64 last = 0;
	u32 i;

	for (i = 0; i < NR; i++)
		helper_submit_units(f, &req[i], SSDQOS_FLASH_READ, unit_of(0, i % 2000), 1);
	helper_settle(f);
	for (i = 0; i < NR; i++) {
		assert_true(helper_latency(&req[i]) > last);
		last = helper_latency(&req[i]);
	}
	assert_int_equal(last, NR * T_R + X_UNIT);
	ssdqos_flash_destroy(f);
}

static void live_change_leaves_begun_operations_alone(void **state)
{
	struct ssdqos_flash *f = aged_drive(config());
	struct ssdqos_flash_req a, b;

	helper_submit_units(f, &a, SSDQOS_FLASH_READ, unit_of(0, 0), 1);
	assert_int_equal(ssdqos_flash_set(f, "read_ns", "70000", helper_err, sizeof(helper_err)), 0);
	helper_submit_units(f, &b, SSDQOS_FLASH_READ, unit_of(1, 0), 1);
	helper_settle(f);
	assert_int_equal(helper_latency(&a), T_R + X_UNIT);
	assert_int_equal(helper_latency(&b), 70000 + X_UNIT);
	assert_int_equal(ssdqos_flash_config(f)->read_ns, 70000);
	ssdqos_flash_destroy(f);
}

static void refused_change_changes_nothing(void **state)
{
	struct ssdqos_flash *f = aged_drive(config());
	struct ssdqos_flash_config before = *ssdqos_flash_config(f);

	assert_int_equal(ssdqos_flash_set(f, "channels", "8", helper_err, sizeof(helper_err)), -EBUSY);
	assert_memory_equal(helper_err, "channels: '8'", 13);
	assert_int_equal(ssdqos_flash_set(f, "read_ns", "x", helper_err, sizeof(helper_err)), -EINVAL);
	assert_memory_equal(helper_err, "read_ns: 'x'", 12);
	assert_int_equal(ssdqos_flash_set(f, "gc_stop_blocks", "3", helper_err, sizeof(helper_err)),
			 -EINVAL);
	assert_int_equal(ssdqos_flash_set(f, "nonsense", "3", helper_err, sizeof(helper_err)), -ENOENT);
	assert_memory_equal(ssdqos_flash_config(f), &before, sizeof(before));
	assert_int_equal(helper_do(f, SSDQOS_FLASH_READ, 9, 1), T_R + X_UNIT);
	ssdqos_flash_destroy(f);
}

static void late_wake_up_changes_no_time(void **state)
{
	struct ssdqos_flash *f = aged_drive(config());
	struct ssdqos_flash_req a, b, *done;

	helper_submit_units(f, &a, SSDQOS_FLASH_READ, unit_of(0, 0), 1);
	helper_submit_units(f, &b, SSDQOS_FLASH_READ, unit_of(4, 0), 1);
	assert_int_equal(ssdqos_flash_next_ns(f), T_R);
	assert_null(ssdqos_flash_take_done(f));
	assert_true(ssdqos_flash_advance(f, 123456789));
	done = ssdqos_flash_take_done(f);
	assert_ptr_equal(done, &a);
	assert_ptr_equal(done->next, &b);
	assert_null(done->next->next);
	assert_int_equal(a.complete_ns, T_R + X_UNIT);
	assert_int_equal(b.complete_ns, T_R + 2 * X_UNIT);
	assert_int_equal(helper_now(f), 123456789);
	assert_true(ssdqos_flash_advance(f, 5));
	assert_int_equal(helper_now(f), 123456789);
	ssdqos_flash_destroy(f);
}

/* Reads of all planes, whose events have the same times, one event after the other. */
static void so_many_events_and_no_more(void **state)
{
	struct ssdqos_flash *whole = aged_drive(config()), *pieces = aged_drive(config());
	struct ssdqos_flash_req req[2][NR_PLANES];
	u64 now_ns = 20 * (T_R + X_PAGE);
	u32 i, left, steps = 0;

	for (i = 0; i < NR_PLANES; i++) {
		helper_submit_units(whole, &req[0][i], SSDQOS_FLASH_READ, i, 1);
		helper_submit_units(pieces, &req[1][i], SSDQOS_FLASH_READ, i, 1);
	}
	assert_true(ssdqos_flash_advance(whole, now_ns));
	left = 0;
	assert_false(ssdqos_flash_advance_some(pieces, now_ns, &left));
	assert_int_equal(ssdqos_flash_now_ns(pieces), 0);
	do {
		assert_int_equal(left, 0);
		assert_true(ssdqos_flash_now_ns(pieces) < now_ns);
		left = 1;
		steps++;
	} while (!ssdqos_flash_advance_some(pieces, now_ns, &left));
	assert_true(steps >= 2 * NR_PLANES);
	assert_int_equal(ssdqos_flash_now_ns(pieces), now_ns);
	for (i = 0; i < NR_PLANES; i++)
		assert_true(req[0][i].complete_ns == req[1][i].complete_ns);
	ssdqos_flash_destroy(whole);
	ssdqos_flash_destroy(pieces);
}

#define TEST(name) cmocka_unit_test_setup_teardown(name, helper_start, helper_finish)

int main(void)
{
	const struct CMUnitTest tests[] = {
		TEST(geometry_is_as_assumed),
		TEST(memory_is_as_documented),
		TEST(lone_read_is_array_and_transfer),
		TEST(lone_read_of_ttflash),
		TEST(read_of_a_page_is_one_operation),
		TEST(second_register_overlaps_transfer),
		TEST(slow_channel_holds_registers),
		TEST(channel_serves_one_at_a_time),
		TEST(chip_takes_as_many_as_its_queue),
		TEST(array_of_a_chip_does_one_thing_at_a_time),
		TEST(a_chip_of_autossd_does_one_thing_at_a_time),
		TEST(waits_for_a_chip_are_no_longer_than_the_read),
		TEST(program_of_one_plane_delays_the_other),
		TEST(programs_of_the_same_page_go_together),
		TEST(queue_is_served_in_order_of_arrival),
		TEST(tasks_are_served_in_order_of_arrival),
		TEST(program_then_read),
		TEST(read_waits_for_a_program_that_has_begun),
		TEST(two_programs_of_one_plane),
		TEST(second_register_does_not_hurt_reads),
		TEST(loaded_page_is_programmed_among_reads),
		TEST(erase_in_front_of_a_read),
		TEST(more_reads_than_operations_wait_their_turn),
		TEST(live_change_leaves_begun_operations_alone),
		TEST(refused_change_changes_nothing),
		TEST(late_wake_up_changes_no_time),
		TEST(so_many_events_and_no_more),
	};

	return cmocka_run_group_tests_name("flash_time", tests, NULL, NULL);
}
