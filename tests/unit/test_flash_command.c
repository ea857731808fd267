// SPDX-License-Identifier: GPL-2.0
/*
 * What a command costs besides its flash: the controller and the interface,
 * the rest of a granule, and writes that go one by one without a cache.
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
#define MS 1000000ULL

/* Four chips on two channels, full. */
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
	return cfg;
}

/* ---- granules ---- */

static void a_random_write_programs_its_granule(void **state)
{
	struct ssdqos_flash_config cfg = config();
	struct ssdqos_flash *f;
	u64 reads;

	cfg.write_granule_kib = 16;
	f = helper_create(&cfg, SIZE_MIB);
	assert_true(helper_do(f, SSDQOS_FLASH_WRITE, 41, 1) >= cfg.read_ns);
	assert_int_equal(f->stats.host_write_units, 1);
	assert_int_equal(f->stats.granule_units, 3);
	assert_in_range(f->stats.rmw_reads, 1, 3);
	helper_settle(f);
	assert_int_equal(f->stats.host_programs, 4);
	/* what continues it brings the rest itself */
	reads = f->stats.rmw_reads;
	helper_do(f, SSDQOS_FLASH_WRITE, 42, 1);
	assert_int_equal(f->stats.granule_units, 3);
	/* whole granules need no rest, parts on both ends do */
	helper_do(f, SSDQOS_FLASH_WRITE, 80, 8);
	assert_int_equal(f->stats.granule_units, 3);
	assert_int_equal(f->stats.rmw_reads, reads);
	helper_do(f, SSDQOS_FLASH_WRITE, 123, 7);
	assert_int_equal(f->stats.granule_units, 3 + 3 + 2);
	assert_int_equal(f->stats.host_write_units, 1 + 1 + 8 + 7);
	ssdqos_flash_destroy(f);
	/* the drive may end inside a granule */
	f = ssdqos_flash_create(&cfg, SIZE_MIB * MIB_SECTORS + SSDQOS_UNIT_SECTORS, helper_err,
				sizeof(helper_err));
	assert_non_null(f);
	helper_do(f, SSDQOS_FLASH_WRITE, f->geo.nr_lpn - 1, 1);
	assert_int_equal(f->stats.granule_units, 0);
	helper_settle(f);
	helper_check(f);
	ssdqos_flash_destroy(f);
}

static void a_granule_keeps_what_is_not_in_flash(void **state)
{
	struct ssdqos_flash_config cfg = config();
	struct ssdqos_flash_req first, second;
	struct ssdqos_flash *f;

	cfg.write_granule_kib = 16;
	cfg.aged_pct = 0;
	f = helper_create(&cfg, SIZE_MIB);
	helper_do(f, SSDQOS_FLASH_WRITE, 41, 1);
	assert_int_equal(f->stats.granule_units, 0);
	assert_int_equal(f->mapped, 1);
	helper_settle(f);
	/* 41 is in flash, 43 in the buffer, 40 nowhere */
	helper_submit_units(f, &first, SSDQOS_FLASH_WRITE, 43, 1);
	helper_wait(f, &first);
	assert_int_equal(f->stats.granule_units, 1);
	helper_submit_units(f, &second, SSDQOS_FLASH_WRITE, 40, 1);
	helper_wait(f, &second);
	assert_int_equal(f->stats.granule_units, 1);
	assert_int_equal(f->mapped, 3);
	helper_settle(f);
	helper_check(f);
	ssdqos_flash_destroy(f);
}

/* ---- writes without a cache ---- */

static void uncached_writes_go_one_by_one(void **state)
{
	struct ssdqos_flash_config cfg = config();
	struct ssdqos_flash_req req[8];
	struct ssdqos_flash *f;
	u32 i;

	cfg.cache = SSDQOS_FLASH_CACHE_NONE;
	cfg.uncached_writes = 1;
	cfg.aged_pct = 0;
	f = helper_create(&cfg, SIZE_MIB);
	for (i = 0; i < 8; i++)
		helper_submit_units(f, &req[i], SSDQOS_FLASH_WRITE, 5 * i, 1);
	for (i = 0; i < 8; i++) {
		helper_wait(f, &req[i]);
		assert_true(helper_latency(&req[i]) >= (i + 1) * cfg.program_ns);
		assert_int_equal(f->nr_uncached, i < 7);
	}
	/* the limit is raised while writes wait for it */
	for (i = 0; i < 8; i++)
		helper_submit_units(f, &req[i], SSDQOS_FLASH_WRITE, 5 * i, 1);
	assert_int_equal(ssdqos_flash_set(f, "uncached_writes", "0", helper_err,
					  sizeof(helper_err)), 0);
	for (i = 0; i < 8; i++)
		assert_true(helper_wait(f, &req[i]) < 5 * cfg.program_ns / 2);
	helper_settle(f);
	assert_int_equal(f->nr_uncached, 0);
	ssdqos_flash_destroy(f);
}

/* ---- commands ---- */

static void commands_are_taken_one_after_the_other(void **state)
{
	struct ssdqos_flash_config cfg = config();
	struct ssdqos_flash_req req[4], trim, last;
	struct ssdqos_flash *f;
	u32 i;

	cfg.read_command_ns = 1 * MS;
	cfg.write_command_ns = 2 * MS;
	cfg.link_mb_s = 4;
	cfg.aged_pct = 0;
	f = helper_create(&cfg, SIZE_MIB);
	/* 4 KiB at 4 MB/s are 1.024 ms; nothing is mapped */
	for (i = 0; i < 4; i++)
		helper_submit_units(f, &req[i], i & 1 ? SSDQOS_FLASH_WRITE : SSDQOS_FLASH_READ, 5 * i, 1);
	helper_submit_units(f, &trim, SSDQOS_FLASH_DISCARD, 0, 4);
	/* who comes later delays nobody */
	ssdqos_flash_advance(f, 1 * MS);
	helper_submit_units(f, &last, SSDQOS_FLASH_DISCARD, 4, 4);
	helper_wait(f, &req[0]);
	assert_true(helper_latency(&req[0]) == 2024000 + cfg.ram_ns);
	helper_wait(f, &req[1]);
	assert_true(helper_latency(&req[1]) == 2024000 + 3024000 + cfg.ram_ns);
	helper_wait(f, &trim);
	assert_true(helper_latency(&trim) == 2 * (2024000 + 3024000) + cfg.trim_ns);
	helper_settle(f);
	/* no time at all: at once, as ever */
	assert_int_equal(ssdqos_flash_set(f, "link_mb_s", "0", helper_err, sizeof(helper_err)), 0);
	assert_int_equal(ssdqos_flash_set(f, "read_command_ns", "0", helper_err,
					  sizeof(helper_err)), 0);
	assert_true(helper_do(f, SSDQOS_FLASH_READ, 1, 1) == cfg.ram_ns);
	ssdqos_flash_destroy(f);
}

/* Time for reads of what was never written, all handed in at once. */
static u64 unmapped_reads_ns(u32 preset, u32 nr, u32 units)
{
	struct ssdqos_flash_req *req = calloc(nr, sizeof(*req));
	struct ssdqos_flash_config cfg;
	struct ssdqos_flash *f;
	u64 took_ns;
	u32 i;

	ssdqos_flash_config_init(&cfg, preset);
	f = helper_create(&cfg, 1024);
	for (i = 0; i < nr; i++)
		helper_submit_units(f, &req[i], SSDQOS_FLASH_READ, i * units, units);
	helper_settle(f);
	took_ns = req[nr - 1].complete_ns;
	ssdqos_flash_destroy(f);
	free(req);
	return took_ns;
}

/* No drive of 2018 is faster than its four lanes of PCIe 3.0, nor does it take
 * a million commands a second.
 */
static void every_preset_has_a_controller_and_an_interface(void **state)
{
	u32 preset;

	for (preset = 0; preset < SSDQOS_FLASH_NR_PRESETS; preset++) {
		assert_true(unmapped_reads_ns(preset, 1000, 64) > 1000ULL * (64 << 12) * 1000 / 3940);
		assert_true(unmapped_reads_ns(preset, 1000, 1) > 1 * MS);
	}
}

/* What a command takes is the controller's time, and what it waits for is not. */
static void commands_are_in_the_waits(void **state)
{
	struct ssdqos_flash_config cfg = config();
	struct ssdqos_flash_req req[3];
	struct ssdqos_flash *f;
	u32 i, k;

	cfg.read_command_ns = 7000;
	f = helper_create(&cfg, SIZE_MIB);
	for (i = 0; i < 3; i++)
		helper_submit_units(f, &req[i], SSDQOS_FLASH_READ, 4096 * i, 1);
	helper_settle(f);
	for (i = 0; i < 3; i++) {
		u64 sum = 0;

		for (k = 0; k < SSDQOS_NR_WAITS; k++)
			sum += req[i].wait_ns[k];
		assert_int_equal(sum, helper_latency(&req[i]));
		assert_int_equal(req[i].wait_ns[SSDQOS_WAIT_CONTROLLER], 7000);
		assert_int_equal(req[i].wait_ns[SSDQOS_WAIT_SLOT], i * 7000);
	}
	ssdqos_flash_destroy(f);
}

#define TEST(name) cmocka_unit_test_setup_teardown(name, helper_start, helper_finish)

int main(void)
{
	static const struct CMUnitTest tests[] = {
		TEST(a_random_write_programs_its_granule),
		TEST(a_granule_keeps_what_is_not_in_flash),
		TEST(uncached_writes_go_one_by_one),
		TEST(commands_are_taken_one_after_the_other),
		TEST(every_preset_has_a_controller_and_an_interface),
		TEST(commands_are_in_the_waits),
	};

	return cmocka_run_group_tests_name("flash_command", tests, NULL, NULL);
}
