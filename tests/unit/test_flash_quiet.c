// SPDX-License-Identifier: GPL-2.0
/*
 * Quiet times: what is not urgent waits until the host has been quiet, what is
 * urgent doesn't; and collection by the drive.
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <cmocka.h>

#include "../../dm-ssdqos/core/flash/life/life.h"
#include "flash_helper.h"

#define SIZE_MIB 64
#define QUIET_NS 4000000ULL
#define MAX_RECORDS 4096

static struct ssdqos_flash_config config(void)
{
	struct ssdqos_flash_config cfg = helper_config(SSDQOS_FLASH_AUTOSSD);

	cfg.scheduler = SSDQOS_FLASH_DEBIT;
	cfg.quiet_ns = QUIET_NS;
	cfg.cache = SSDQOS_FLASH_CACHE_VOLATILE;
	cfg.flush_share_mode = SSDQOS_FLASH_SHARE_FEEDBACK;
	cfg.flush_share_permille = 800;
	cfg.flush_share_p_ppm = 2000;
	cfg.flush_share_i_ppm = 900000;
	return cfg;
}

static struct ssdqos_flash *drive(const struct ssdqos_flash_config *cfg)
{
	struct ssdqos_flash *f = helper_create(cfg, SIZE_MIB);

	ssdqos_flash_log_enable(f, 1u << SSDQOS_FLASH_EV_NAND_STARTED);
	return f;
}

/* When the first program began; SSDQOS_NEVER_NS if none has. */
static u64 first_program_ns(struct ssdqos_flash *f)
{
	static struct ssdqos_flash_record rec[MAX_RECORDS];
	u32 nr = ssdqos_flash_log_take(f, rec, MAX_RECORDS), i;

	for (i = 0; i < nr; i++)
		if (rec[i].op == SSDQOS_NAND_PROGRAM)
			return rec[i].time_ns;
	return SSDQOS_NEVER_NS;
}

static u32 page_units(const struct ssdqos_flash *f)
{
	return f->geo.units_per_page;
}

static void buffer_is_drained_when_the_host_is_quiet(void **state)
{
	struct ssdqos_flash_config cfg = config();
	struct ssdqos_flash *f = drive(&cfg);
	struct ssdqos_flash_req write, read;

	helper_submit_units(f, &write, SSDQOS_FLASH_WRITE, 0, page_units(f));
	ssdqos_flash_advance(f, 3000000);
	assert_true(first_program_ns(f) == SSDQOS_NEVER_NS);
	helper_submit_units(f, &read, SSDQOS_FLASH_READ, 5000, 1);	/* not quiet yet */
	helper_settle(f);
	/* the controller's transfer comes first, then the array's work */
	assert_true(first_program_ns(f) >= 3000000 + QUIET_NS);
	assert_int_equal(ssdqos_flash_stats(f)->host_programs, 1);
	ssdqos_flash_destroy(f);
}

static void without_quiet_ns_nothing_waits(void **state)
{
	struct ssdqos_flash_config cfg = config();
	struct ssdqos_flash_req write;
	struct ssdqos_flash *f;

	cfg.quiet_ns = 0;
	f = drive(&cfg);
	helper_submit_units(f, &write, SSDQOS_FLASH_WRITE, 0, page_units(f));
	helper_settle(f);
	assert_true(first_program_ns(f) < QUIET_NS);
	ssdqos_flash_destroy(f);
}

static void a_static_share_is_never_held(void **state)
{
	struct ssdqos_flash_config cfg = config();
	struct ssdqos_flash_req write;
	struct ssdqos_flash *f;

	cfg.flush_share_mode = SSDQOS_FLASH_SHARE_STATIC;
	f = drive(&cfg);
	helper_submit_units(f, &write, SSDQOS_FLASH_WRITE, 0, page_units(f));
	helper_settle(f);
	assert_true(first_program_ns(f) < QUIET_NS);
	ssdqos_flash_destroy(f);
}

/* A flush waits for what is held, so it is not held any longer. */
static void a_flush_releases_the_buffer(void **state)
{
	struct ssdqos_flash_config cfg = config();
	struct ssdqos_flash_req write, flush;
	struct ssdqos_flash *f = drive(&cfg);

	helper_submit_units(f, &write, SSDQOS_FLASH_WRITE, 0, page_units(f));
	ssdqos_flash_advance(f, 1000000);
	helper_submit(f, &flush, SSDQOS_FLASH_FLUSH, 0, 0);
	helper_wait(f, &flush);
	assert_true(helper_latency(&flush) < 1000000);
	ssdqos_flash_destroy(f);
}

/* Above its target the buffer goes out, whatever the host does. */
static void a_filling_buffer_is_released(void **state)
{
	struct ssdqos_flash_config cfg = config();
	struct ssdqos_flash_req write[3];
	struct ssdqos_flash *f;
	u32 i;

	cfg.flush_target = 2 * 4;
	f = drive(&cfg);
	for (i = 0; i < 2; i++)
		helper_submit_units(f, &write[i], SSDQOS_FLASH_WRITE, i * 4, 4);
	ssdqos_flash_advance(f, 1000000);
	assert_true(first_program_ns(f) == SSDQOS_NEVER_NS);
	helper_submit_units(f, &write[2], SSDQOS_FLASH_WRITE, 8, 4);
	ssdqos_flash_advance(f, 1000001);
	assert_int_equal(f->task[SSDQOS_TASK_FLUSH].outstanding, 3);
	helper_settle(f);
	ssdqos_flash_destroy(f);
}

/* Nothing but the timer remembers what is held; an idle drive has no timer. */
static void held_work_is_never_forgotten(void **state)
{
	struct ssdqos_flash_config cfg = config();
	struct ssdqos_flash_req write;
	struct ssdqos_flash *f = drive(&cfg);

	helper_submit_units(f, &write, SSDQOS_FLASH_WRITE, 0, page_units(f));
	ssdqos_flash_advance(f, 100000);
	assert_false(ssdqos_flash_idle(f));
	helper_settle(f);
	assert_int_equal(f->buffer.nr_used, 0);
	assert_true(ssdqos_flash_next_ns(f) == SSDQOS_NEVER_NS);
	ssdqos_flash_destroy(f);
}

/* ---- collection by the drive ---- */

static u32 collecting(const struct ssdqos_flash *f)
{
	u32 i, nr = 0;

	for (i = 0; i < f->geo.nr_planes; i++)
		nr += f->planes[i].mover[0].state != FLASH_MOVER_OFF;
	return nr;
}

static struct ssdqos_flash *aged(u32 scope)
{
	struct ssdqos_flash_config cfg = helper_config(SSDQOS_FLASH_AUTOSSD);

	cfg.chips_per_channel = 1;
	cfg.planes_per_chip = 1;
	cfg.pages_per_block = 16;
	cfg.aged_pct = 100;
	cfg.gc_scope = scope;
	return helper_create(&cfg, SIZE_MIB);
}

/* Write until some plane collects; how many do then? */
static u32 first_collecting(struct ssdqos_flash *f)
{
	u32 i;

	for (i = 0; !collecting(f) && i < f->geo.nr_lpn; i++)
		helper_do(f, SSDQOS_FLASH_WRITE, i, 4);
	return collecting(f);
}

static void planes_collect_together_or_alone(void **state)
{
	struct ssdqos_flash *f = aged(SSDQOS_FLASH_GC_DRIVE);

	assert_int_equal(f->geo.nr_planes, 4);
	assert_int_equal(first_collecting(f), 4);
	assert_true(f->nr_free < f->gc_start * f->geo.nr_planes);
	helper_settle(f);
	assert_int_equal(collecting(f), 0);
	assert_true(f->nr_free >= f->gc_stop * f->geo.nr_planes);
	helper_check(f);
	ssdqos_flash_destroy(f);

	f = aged(SSDQOS_FLASH_GC_PLANE);
	assert_true(first_collecting(f) < f->geo.nr_planes);
	helper_settle(f);
	ssdqos_flash_destroy(f);
}

#define TEST(name) cmocka_unit_test_setup_teardown(name, helper_start, helper_finish)

int main(void)
{
	static const struct CMUnitTest tests[] = {
		TEST(buffer_is_drained_when_the_host_is_quiet),
		TEST(without_quiet_ns_nothing_waits),
		TEST(a_static_share_is_never_held),
		TEST(a_flush_releases_the_buffer),
		TEST(a_filling_buffer_is_released),
		TEST(held_work_is_never_forgotten),
		TEST(planes_collect_together_or_alone),
	};

	return cmocka_run_group_tests_name("flash_quiet", tests, NULL, NULL);
}
