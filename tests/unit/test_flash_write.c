// SPDX-License-Identifier: GPL-2.0
/*
 * Writes: buffer, partial units, what each cache mode promises, and stalls.
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <cmocka.h>

#include "flash_helper.h"

#define SIZE_MIB 256
#define T_R 50000u
#define T_PROG 500000u
#define X_UNIT 10240u
#define X_PAGE 40960u
#define T_RAM 2000u
#define T_FILL 100000u

static struct ssdqos_flash *f;

static struct ssdqos_flash *drive(u32 cache)
{
	struct ssdqos_flash_config cfg = helper_config(SSDQOS_FLASH_AUTOSSD);

	cfg.cache = cache;
	f = helper_create(&cfg, SIZE_MIB);
	return f;
}

/* Nothing leaves the buffer before it is half full. */
static struct ssdqos_flash *lazy_drive(u32 cache)
{
	struct ssdqos_flash_config cfg = helper_config(SSDQOS_FLASH_AUTOSSD);

	cfg.cache = cache;
	cfg.flush_start_pct = 50;
	f = helper_create(&cfg, SIZE_MIB);
	return f;
}

static struct ssdqos_flash *aged_drive(void)
{
	struct ssdqos_flash_config cfg = helper_config(SSDQOS_FLASH_AUTOSSD);

	cfg.aged_pct = 100;
	f = helper_create(&cfg, SIZE_MIB);
	return f;
}

static int finish(void **state)
{
	if (f)
		ssdqos_flash_destroy(f);
	f = NULL;
	return helper_finish(state);
}

static u64 count(const char *name)
{
	const u64 *value = (const u64 *)ssdqos_flash_stats(f);
	u32 i;

	for (i = 0; i < SSDQOS_FLASH_NR_STATS; i++)
		if (!strcmp(ssdqos_flash_stat_names[i], name))
			return value[i];
	fail_msg("no counter %s", name);
	return 0;
}

static u32 buffered(void)
{
	struct ssdqos_flash_gauges g;

	ssdqos_flash_gauges(f, &g);
	return g.buffered_units;
}

static void write_ends_in_the_buffer(void **state)
{
	drive(SSDQOS_FLASH_CACHE_PLP);
	assert_int_equal(helper_do(f, SSDQOS_FLASH_WRITE, 100, 1), T_RAM);
	assert_int_equal(buffered(), 1);
	assert_int_equal(count("host_write_units"), 1);
	assert_int_equal(helper_do(f, SSDQOS_FLASH_READ, 100, 1), T_RAM);
	assert_int_equal(count("ram_read_units"), 1);
	assert_int_equal(count("flash_reads"), 0);
	/* a whole page leaves at once */
	assert_int_equal(helper_do(f, SSDQOS_FLASH_WRITE, 200, 3), T_RAM);
	helper_settle(f);
	assert_int_equal(buffered(), 0);
	assert_int_equal(count("flash_programs"), 1);
	assert_int_equal(count("padded_units"), 0);
	assert_int_equal(helper_do(f, SSDQOS_FLASH_READ, 100, 1), T_R + X_UNIT);
}

static void never_written_units_come_from_memory(void **state)
{
	drive(SSDQOS_FLASH_CACHE_PLP);
	assert_int_equal(helper_do(f, SSDQOS_FLASH_READ, 0, 1), T_RAM);
	assert_int_equal(helper_do(f, SSDQOS_FLASH_READ, 1000, 256), T_RAM);
	assert_int_equal(count("ram_read_units"), 257);
	assert_int_equal(count("flash_reads"), 0);
	assert_int_equal(helper_do_sectors(f, SSDQOS_FLASH_READ, SIZE_MIB * MIB_SECTORS - 1, 1), T_RAM);
}

static void reads_see_data_that_is_being_programmed(void **state)
{
	u64 now;

	drive(SSDQOS_FLASH_CACHE_PLP);
	helper_do(f, SSDQOS_FLASH_WRITE, 0, 4);
	now = helper_now(f);
	ssdqos_flash_advance(f, now + 300000);
	assert_int_equal(helper_do(f, SSDQOS_FLASH_READ, 2, 1), T_RAM);
	helper_settle(f);
	assert_int_equal(helper_do(f, SSDQOS_FLASH_READ, 2, 1), T_R + X_UNIT);
}

static void overwrites_coalesce(void **state)
{
	u32 i;

	lazy_drive(SSDQOS_FLASH_CACHE_PLP);
	for (i = 0; i < 10; i++)
		assert_int_equal(helper_do(f, SSDQOS_FLASH_WRITE, 5, 2), T_RAM);
	assert_int_equal(count("coalesced_units"), 18);
	assert_int_equal(count("host_write_units"), 20);
	assert_int_equal(buffered(), 2);
	helper_check(f);
}

static void fill_level_starts_writing_out(void **state)
{
	u32 i;

	lazy_drive(SSDQOS_FLASH_CACHE_PLP);	/* 4 MiB: 1024 units */
	for (i = 0; i < 511; i++)
		helper_do(f, SSDQOS_FLASH_WRITE, i, 1);
	helper_settle(f);
	assert_int_equal(buffered(), 511);
	assert_int_equal(count("flash_programs"), 0);
	helper_do(f, SSDQOS_FLASH_WRITE, 511, 1);
	helper_settle(f);
	assert_true(count("flash_programs") > 0);
	assert_true(buffered() < 512);
}

static void part_of_a_unit_is_read_first(void **state)
{
	aged_drive();
	/* both ends in one unit: read once */
	assert_int_equal(helper_do_sectors(f, SSDQOS_FLASH_WRITE, 8 * 10 + 1, 2),
			 T_R + X_UNIT + T_RAM);
	assert_int_equal(count("rmw_reads"), 1);
	assert_int_equal(count("host_write_units"), 1);
	/* it is in the buffer now */
	assert_int_equal(helper_do_sectors(f, SSDQOS_FLASH_WRITE, 8 * 10 + 5, 1), T_RAM);
	assert_int_equal(count("rmw_reads"), 1);
	/* only a tail */
	assert_int_equal(helper_do_sectors(f, SSDQOS_FLASH_WRITE, 8 * 20, 12), T_R + X_UNIT + T_RAM);
	assert_int_equal(count("rmw_reads"), 2);
	/* only a head */
	assert_int_equal(helper_do_sectors(f, SSDQOS_FLASH_WRITE, 8 * 30 + 4, 12),
			 T_R + X_UNIT + T_RAM);
	assert_int_equal(count("rmw_reads"), 3);
	/* whole units */
	assert_int_equal(helper_do_sectors(f, SSDQOS_FLASH_WRITE, 8 * 40, 24), T_RAM);
	assert_int_equal(count("rmw_reads"), 3);
	/* head and tail, and a whole unit between */
	assert_true(helper_do_sectors(f, SSDQOS_FLASH_WRITE, 8 * 50 + 7, 10) >= T_R + X_UNIT + T_RAM);
	assert_int_equal(count("rmw_reads"), 5);
	assert_int_equal(count("host_write_units"), 1 + 1 + 2 + 2 + 3 + 3);
}

static void part_of_an_unwritten_unit_needs_no_read(void **state)
{
	drive(SSDQOS_FLASH_CACHE_PLP);
	assert_int_equal(helper_do_sectors(f, SSDQOS_FLASH_WRITE, 801, 3), T_RAM);
	assert_int_equal(helper_do_sectors(f, SSDQOS_FLASH_WRITE, 1603, 30), T_RAM);
	assert_int_equal(count("rmw_reads"), 0);
}

static void without_cache_a_write_ends_with_its_program(void **state)
{
	drive(SSDQOS_FLASH_CACHE_NONE);
	assert_int_equal(helper_do(f, SSDQOS_FLASH_WRITE, 0, 4), X_PAGE + T_PROG);
	assert_int_equal(count("padded_units"), 0);
	/* a part of a page waits for more, then it is padded */
	assert_int_equal(helper_do(f, SSDQOS_FLASH_WRITE, 8, 1), T_FILL + X_PAGE + T_PROG);
	assert_int_equal(count("padded_units"), 3);
	assert_int_equal(buffered(), 0);
	assert_int_equal(helper_do(f, SSDQOS_FLASH_FLUSH, 0, 0), T_RAM);
}

static void a_page_fills_before_its_timeout(void **state)
{
	struct ssdqos_flash_req a, b;

	drive(SSDQOS_FLASH_CACHE_NONE);
	helper_submit_units(f, &a, SSDQOS_FLASH_WRITE, 0, 1);
	ssdqos_flash_advance(f, 30000);
	helper_submit_units(f, &b, SSDQOS_FLASH_WRITE, 77, 3);
	helper_settle(f);
	assert_int_equal(helper_latency(&a), 30000 + X_PAGE + T_PROG);
	assert_int_equal(helper_latency(&b), X_PAGE + T_PROG);
	assert_int_equal(count("padded_units"), 0);
}

static void two_writers_wait_for_one_unit(void **state)
{
	struct ssdqos_flash_req a, b;

	drive(SSDQOS_FLASH_CACHE_NONE);
	helper_submit_units(f, &a, SSDQOS_FLASH_WRITE, 5, 1);
	helper_submit_units(f, &b, SSDQOS_FLASH_WRITE, 5, 1);
	helper_settle(f);
	assert_int_equal(helper_latency(&a), T_FILL + X_PAGE + T_PROG);
	assert_int_equal(helper_latency(&b), T_FILL + X_PAGE + T_PROG);
	helper_check(f);
	assert_int_equal(helper_do(f, SSDQOS_FLASH_READ, 5, 1), T_R + X_UNIT);
}

static void volatile_cache_programs_for_flush(void **state)
{
	struct ssdqos_flash_req flush, later;

	drive(SSDQOS_FLASH_CACHE_VOLATILE);
	assert_int_equal(helper_do(f, SSDQOS_FLASH_FLUSH, 0, 0), T_RAM);
	assert_int_equal(helper_do(f, SSDQOS_FLASH_WRITE, 0, 1), T_RAM);
	helper_settle(f);
	assert_int_equal(buffered(), 1);
	helper_submit(f, &flush, SSDQOS_FLASH_FLUSH, 0, 0);
	/* what comes after the flush is not waited for */
	helper_submit_units(f, &later, SSDQOS_FLASH_WRITE, 50, 1);
	helper_wait(f, &flush);
	assert_int_equal(helper_latency(&flush), X_PAGE + T_PROG);
	assert_int_equal(buffered(), 1);
	assert_int_equal(count("padded_units"), 3);
	assert_int_equal(helper_do(f, SSDQOS_FLASH_FLUSH, 0, 0), X_PAGE + T_PROG);
	assert_int_equal(buffered(), 0);
	assert_int_equal(helper_do(f, SSDQOS_FLASH_FLUSH, 0, 0), T_RAM);
}

static void flush_waits_for_programs_under_way(void **state)
{
	u64 now;

	drive(SSDQOS_FLASH_CACHE_VOLATILE);
	now = helper_now(f);
	helper_do(f, SSDQOS_FLASH_WRITE, 0, 4);
	ssdqos_flash_advance(f, now + 100000);
	assert_int_equal(helper_do(f, SSDQOS_FLASH_FLUSH, 0, 0), X_PAGE + T_PROG - 100000);
}

static void flush_empties_a_lazy_buffer(void **state)
{
	lazy_drive(SSDQOS_FLASH_CACHE_VOLATILE);
	helper_do(f, SSDQOS_FLASH_WRITE, 0, 37);
	assert_int_equal(buffered(), 37);
	assert_true(helper_do(f, SSDQOS_FLASH_FLUSH, 0, 0) >= X_PAGE + T_PROG);
	assert_int_equal(buffered(), 0);
	assert_int_equal(count("flash_programs"), 10);
	assert_int_equal(count("padded_units"), 3);
}

/* The last unit of all ends later than the ones before it: one channel. */
static void flush_waits_for_the_last_unit(void **state)
{
	struct ssdqos_flash_config cfg = helper_config(SSDQOS_FLASH_AUTOSSD);

	cfg.cache = SSDQOS_FLASH_CACHE_VOLATILE;
	cfg.flush_start_pct = 50;
	cfg.channels = 1;
	f = helper_create(&cfg, SIZE_MIB);
	helper_do(f, SSDQOS_FLASH_WRITE, 0, 5);
	assert_int_equal(helper_do(f, SSDQOS_FLASH_FLUSH, 0, 0), 2 * X_PAGE + T_PROG);
	assert_int_equal(buffered(), 0);
}

static u64 do_fua(u64 unit, u32 nr)
{
	struct ssdqos_flash_req req;

	helper_submit_fua(f, &req, unit, nr);
	return helper_wait(f, &req);
}

static void volatile_cache_programs_for_fua(void **state)
{
	drive(SSDQOS_FLASH_CACHE_VOLATILE);
	assert_int_equal(do_fua(0, 4), X_PAGE + T_PROG);
	assert_int_equal(do_fua(0, 1), T_FILL + X_PAGE + T_PROG);
	/* the unit is in the buffer already: FUA waits for that one */
	helper_do(f, SSDQOS_FLASH_WRITE, 9, 1);
	assert_int_equal(do_fua(9, 1), T_FILL + X_PAGE + T_PROG);
	assert_int_equal(count("coalesced_units"), 1);
	assert_int_equal(buffered(), 0);
}

static void protected_cache_has_nothing_to_wait_for(void **state)
{
	drive(SSDQOS_FLASH_CACHE_PLP);
	helper_do(f, SSDQOS_FLASH_WRITE, 0, 3);
	assert_int_equal(helper_do(f, SSDQOS_FLASH_FLUSH, 0, 0), T_RAM);
	assert_int_equal(do_fua(8, 4), T_RAM);
	helper_settle(f);
	assert_int_equal(count("padded_units"), 0);
	assert_int_equal(count("flushes"), 1);
}

static void full_buffer_stalls_writes(void **state)
{
	struct ssdqos_flash_config cfg = helper_config(SSDQOS_FLASH_AUTOSSD);
	static struct ssdqos_flash_record rec[1000];
	struct ssdqos_flash_req req[20];
	u32 i, nr, stalled = 0, resumed = 0;

	cfg.buffer_kib = 64;
	f = helper_create(&cfg, SIZE_MIB);
	ssdqos_flash_log_enable(f, 1u << SSDQOS_FLASH_EV_WRITE_STALLED |
				   1u << SSDQOS_FLASH_EV_WRITE_RESUMED);
	for (i = 0; i < 20; i++)
		helper_submit_units(f, &req[i], SSDQOS_FLASH_WRITE, 64 * i, 16);
	helper_settle(f);
	for (i = 0; i < 20; i++)
		assert_true(req[i].complete_ns != SSDQOS_NEVER_NS);
	assert_int_equal(helper_latency(&req[0]), T_RAM);
	for (i = 1; i < 20; i++)
		assert_true(req[i].complete_ns >= req[i - 1].complete_ns);
	assert_true(count("buffer_stalls") > 0);
	assert_true(count("buffer_stall_ns") > 0);
	assert_int_equal(count("space_stalls"), 0);
	nr = ssdqos_flash_log_take(f, rec, ARRAY_SIZE(rec));
	for (i = 0; i < nr; i++) {
		stalled += rec[i].event == SSDQOS_FLASH_EV_WRITE_STALLED;
		resumed += rec[i].event == SSDQOS_FLASH_EV_WRITE_RESUMED;
		assert_int_equal(rec[i].op, SSDQOS_FLASH_STALL_BUFFER);
	}
	assert_int_equal(stalled, count("buffer_stalls"));
	assert_int_equal(resumed, stalled);
}

/* 16 MiB for a buffer of 64 KiB: one request, many times the buffer. */
static void request_may_be_larger_than_the_buffer(void **state)
{
	struct ssdqos_flash_config cfg = helper_config(SSDQOS_FLASH_AUTOSSD);

	cfg.buffer_kib = 64;
	f = helper_create(&cfg, SIZE_MIB);
	assert_true(helper_do(f, SSDQOS_FLASH_WRITE, 3, 4096) > T_PROG);
	assert_int_equal(count("host_write_units"), 4096);
	assert_int_equal(count("buffer_stalls"), 1);
	helper_settle(f);
	helper_check(f);
}

static void want_of_erased_blocks_stalls_writes(void **state)
{
	struct ssdqos_flash_config cfg = helper_config(SSDQOS_FLASH_AUTOSSD);
	struct helper_load load = { .seed = 1, .nr = 20000, .depth = 32, .max_units = 4,
				    .check_every = 5000 };

	cfg.aged_pct = 100;
	cfg.buffer_kib = 64;
	cfg.erase_ns = 1000000000;	/* collecting takes a second a block */
	f = helper_create(&cfg, 64);
	helper_run(f, &load);
	assert_true(count("space_stalls") > 0);
	assert_true(count("space_stall_ns") > 0);
	helper_settle(f);
	helper_check(f);
}

#define TEST(name) cmocka_unit_test_setup_teardown(name, helper_start, finish)

int main(void)
{
	const struct CMUnitTest tests[] = {
		TEST(write_ends_in_the_buffer),
		TEST(never_written_units_come_from_memory),
		TEST(reads_see_data_that_is_being_programmed),
		TEST(overwrites_coalesce),
		TEST(fill_level_starts_writing_out),
		TEST(part_of_a_unit_is_read_first),
		TEST(part_of_an_unwritten_unit_needs_no_read),
		TEST(without_cache_a_write_ends_with_its_program),
		TEST(a_page_fills_before_its_timeout),
		TEST(two_writers_wait_for_one_unit),
		TEST(volatile_cache_programs_for_flush),
		TEST(flush_waits_for_programs_under_way),
		TEST(flush_empties_a_lazy_buffer),
		TEST(flush_waits_for_the_last_unit),
		TEST(volatile_cache_programs_for_fua),
		TEST(protected_cache_has_nothing_to_wait_for),
		TEST(full_buffer_stalls_writes),
		TEST(request_may_be_larger_than_the_buffer),
		TEST(want_of_erased_blocks_stalls_writes),
	};

	return cmocka_run_group_tests_name("flash_write", tests, NULL, NULL);
}
