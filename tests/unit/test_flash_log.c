// SPDX-License-Identifier: GPL-2.0
/*
 * The log: what it says, in which order, and that a full one loses nothing.
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <cmocka.h>

#include "flash_helper.h"

#define ALL_EVENTS ((1u << SSDQOS_FLASH_NR_EVENTS) - 1)
#define NR_REQUESTS 4000
#define MOST_RECORDS 400000

static struct ssdqos_flash_record rec[MOST_RECORDS], other[MOST_RECORDS];

static struct ssdqos_flash *drive(u32 mask)
{
	struct ssdqos_flash_config cfg = helper_config(SSDQOS_FLASH_AUTOSSD);
	struct ssdqos_flash *f;

	cfg.aged_pct = 100;
	f = helper_create(&cfg, 64);
	ssdqos_flash_log_enable(f, mask);
	return f;
}

/* Hands in all requests at once, so that the log fills; taking @chunk at a time. */
static u32 run(struct ssdqos_flash *f, struct ssdqos_flash_record *out, u32 chunk, u32 *stops,
	       u64 *last_ns)
{
	static struct ssdqos_flash_req req[NR_REQUESTS];
	const u64 end_ns = 100000000000ULL;
	u32 i, nr = 0, got;

	*stops = 0;
	for (i = 0; i < NR_REQUESTS; i++)
		helper_submit_units(f, &req[i], i % 4 ? SSDQOS_FLASH_WRITE : SSDQOS_FLASH_READ,
				    i * 37 % 16000, 1 + i % 5);
	while (!ssdqos_flash_advance(f, end_ns)) {
		(*stops)++;
		got = ssdqos_flash_log_take(f, out + nr, chunk);
		assert_true(got == chunk || got < chunk);
		nr += got;
		assert_true(nr < MOST_RECORDS - chunk);
	}
	while ((got = ssdqos_flash_log_take(f, out + nr, chunk)))
		nr += got;
	*last_ns = 0;
	for (i = 0; i < NR_REQUESTS; i++) {
		assert_true(req[i].complete_ns != SSDQOS_NEVER_NS);
		*last_ns = max(*last_ns, req[i].complete_ns);
	}
	return nr;
}

static void names_are_complete(void **state)
{
	u32 i;

	for (i = 0; i < SSDQOS_FLASH_NR_EVENTS; i++)
		assert_non_null(ssdqos_flash_event_names[i]);
	assert_string_equal(ssdqos_flash_event_names[SSDQOS_FLASH_EV_NAND_STARTED], "nand_started");
	for (i = 0; i < SSDQOS_NR_TASKS; i++)
		assert_non_null(ssdqos_flash_task_rows[i].name);
	for (i = 0; i < SSDQOS_NR_NAND_OPS; i++)
		assert_non_null(ssdqos_nand_op_names[i]);
	for (i = 0; i < SSDQOS_FLASH_NR_OPS; i++)
		assert_non_null(ssdqos_flash_op_names[i]);
}

static void one_read_is_two_records(void **state)
{
	struct ssdqos_flash *f = drive(ALL_EVENTS);
	struct ssdqos_flash_req req;

	ssdqos_flash_advance(f, 1000);
	helper_submit_units(f, &req, SSDQOS_FLASH_READ, 7, 1);
	helper_settle(f);
	assert_int_equal(ssdqos_flash_log_take(f, rec, 10), 2);
	assert_int_equal(rec[0].event, SSDQOS_FLASH_EV_NAND_STARTED);
	assert_int_equal(rec[0].time_ns, 1000);
	assert_int_equal(rec[0].task, SSDQOS_TASK_HOST);
	assert_int_equal(rec[0].op, SSDQOS_NAND_READ);
	assert_int_equal(rec[0].units, 1);
	assert_int_equal(rec[1].event, SSDQOS_FLASH_EV_NAND_COMPLETED);
	assert_int_equal(rec[1].time_ns, req.complete_ns);
	assert_int_equal(rec[1].plane, rec[0].plane);
	assert_int_equal(rec[1].block, rec[0].block);
	assert_int_equal(rec[1].page, rec[0].page);
	assert_int_equal(rec[0].block / ssdqos_flash_geo(f)->blocks_per_plane, rec[0].plane);
	assert_true(rec[0].page < ssdqos_flash_geo(f)->pages_per_block);
	assert_int_equal(ssdqos_flash_log_take(f, rec, 10), 0);
	ssdqos_flash_destroy(f);
}

static void records_tell_the_whole_story(void **state)
{
	struct ssdqos_flash *f = drive(ALL_EVENTS);
	const struct ssdqos_flash_stats *s = ssdqos_flash_stats(f);
	u32 by_event[SSDQOS_FLASH_NR_EVENTS] = { 0 }, by_op[SSDQOS_NR_NAND_OPS] = { 0 };
	u32 nr, i, stops;
	u64 last_ns;

	nr = run(f, rec, 100, &stops, &last_ns);
	assert_true(stops > 0);
	for (i = 0; i < nr; i++) {
		assert_true(!i || rec[i].time_ns >= rec[i - 1].time_ns);
		assert_true(rec[i].event < SSDQOS_FLASH_NR_EVENTS);
		by_event[rec[i].event]++;
		if (rec[i].event == SSDQOS_FLASH_EV_NAND_COMPLETED)
			by_op[rec[i].op]++;
	}
	assert_int_equal(by_event[SSDQOS_FLASH_EV_NAND_STARTED],
			 by_event[SSDQOS_FLASH_EV_NAND_COMPLETED]);
	assert_int_equal(by_op[SSDQOS_NAND_READ], s->flash_reads);
	assert_int_equal(by_op[SSDQOS_NAND_PROGRAM], s->flash_programs);
	assert_int_equal(by_op[SSDQOS_NAND_ERASE], s->flash_erases);
	assert_int_equal(by_event[SSDQOS_FLASH_EV_GC_STARTED], s->gc_starts);
	assert_int_equal(by_event[SSDQOS_FLASH_EV_GC_VICTIM_CHOSEN], s->gc_blocks);
	assert_true(s->gc_blocks > 0);
	assert_int_equal(by_event[SSDQOS_FLASH_EV_GC_STOPPED], s->gc_starts);
	assert_int_equal(by_event[SSDQOS_FLASH_EV_WRITE_STALLED], s->buffer_stalls + s->space_stalls);
	assert_int_equal(by_event[SSDQOS_FLASH_EV_WRITE_RESUMED],
			 by_event[SSDQOS_FLASH_EV_WRITE_STALLED]);
	ssdqos_flash_destroy(f);
}

static void full_log_stops_the_clock_and_loses_nothing(void **state)
{
	struct ssdqos_flash *a = drive(ALL_EVENTS), *b = drive(ALL_EVENTS), *c = drive(0);
	u32 nr_a, nr_b, stops_a, stops_b, stops_c, i;
	u64 last_a, last_b, last_c;

	nr_a = run(a, rec, 8192, &stops_a, &last_a);
	nr_b = run(b, other, 1, &stops_b, &last_b);
	assert_int_equal(run(c, other + nr_b, 1, &stops_c, &last_c), 0);
	assert_true(stops_a > 0);
	assert_true(stops_b > stops_a);
	assert_int_equal(stops_c, 0);
	assert_int_equal(nr_a, nr_b);
	for (i = 0; i < nr_a; i++) {
		assert_int_equal(rec[i].time_ns, other[i].time_ns);
		assert_int_equal(rec[i].event, other[i].event);
		assert_int_equal(rec[i].block, other[i].block);
		assert_int_equal(rec[i].page, other[i].page);
	}
	/* watching changes nothing */
	assert_true(last_a == last_b && last_a == last_c);
	ssdqos_flash_destroy(a);
	ssdqos_flash_destroy(b);
	ssdqos_flash_destroy(c);
}

static void mask_chooses_events(void **state)
{
	struct ssdqos_flash *f = drive(1u << SSDQOS_FLASH_EV_GC_VICTIM_CHOSEN);
	u32 nr, i, stops;
	u64 last_ns;

	nr = run(f, rec, 100, &stops, &last_ns);
	assert_int_equal(nr, ssdqos_flash_stats(f)->gc_blocks);
	for (i = 0; i < nr; i++)
		assert_int_equal(rec[i].event, SSDQOS_FLASH_EV_GC_VICTIM_CHOSEN);
	ssdqos_flash_destroy(f);
}

/* One event may write many records: the largest drive with every event on. */
static void largest_burst_fits(void **state)
{
	struct ssdqos_flash_config cfg = helper_config(SSDQOS_FLASH_AUTOSSD);
	struct ssdqos_flash *f;
	u32 total = 0, got;

	cfg.pages_per_block = 4;
	cfg.page_kib = 4;
	cfg.channels = 16;
	cfg.chips_per_channel = 16;
	cfg.planes_per_chip = 8;
	cfg.op_permille = 1000;
	cfg.aged_pct = 100;
	f = helper_create(&cfg, 512);
	assert_int_equal(ssdqos_flash_geo(f)->nr_planes, 2048);
	ssdqos_flash_log_enable(f, ALL_EVENTS);
	helper_do(f, SSDQOS_FLASH_DISCARD, 0, 512 * 256);
	ssdqos_flash_log_take(f, rec, MOST_RECORDS);
	/* every plane starts to erase in one call */
	assert_int_equal(ssdqos_flash_set(f, "trim_mode", "erase", helper_err, sizeof(helper_err)), 0);
	while (!ssdqos_flash_advance(f, 10000000000000ULL))
		total += ssdqos_flash_log_take(f, rec, MOST_RECORDS);
	while ((got = ssdqos_flash_log_take(f, rec, MOST_RECORDS)))
		total += got;
	assert_true(total >= 2048 * 4);
	assert_true(ssdqos_flash_idle(f));
	ssdqos_flash_destroy(f);
}

#define TEST(name) cmocka_unit_test_setup_teardown(name, helper_start, helper_finish)

int main(void)
{
	const struct CMUnitTest tests[] = {
		TEST(names_are_complete),
		TEST(one_read_is_two_records),
		TEST(records_tell_the_whole_story),
		TEST(full_log_stops_the_clock_and_loses_nothing),
		TEST(mask_chooses_events),
		TEST(largest_burst_fits),
	};

	return cmocka_run_group_tests_name("flash_log", tests, NULL, NULL);
}
