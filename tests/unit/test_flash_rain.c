// SPDX-License-Identifier: GPL-2.0
/*
 * Stripes with parity: where they lie, what they cost, when they help.
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <cmocka.h>

#include "../../dm-ssdqos/core/flash/life/life.h"
#include "flash_helper.h"

#define SIZE_MIB 64
#define CHANNELS 4
#define T_R 50000u
#define X_UNIT 10240u
#define T_RAM 2000u

static struct ssdqos_flash_config config(void)
{
	struct ssdqos_flash_config cfg = helper_config(SSDQOS_FLASH_AUTOSSD);

	cfg.allocation = SSDQOS_FLASH_STATIC;
	cfg.rain = 1;
	cfg.channels = CHANNELS;
	cfg.chips_per_channel = 2;
	cfg.planes_per_chip = 1;
	cfg.pages_per_block = 16;
	return cfg;
}

static struct ssdqos_flash *drive(struct ssdqos_flash_config cfg)
{
	struct ssdqos_flash *f = helper_create(&cfg, SIZE_MIB);

	assert_int_equal(f->geo.stripe_units, CHANNELS);
	assert_int_equal(f->geo.nr_planes, 2 * CHANNELS);
	return f;
}

static u32 parity_of(const struct ssdqos_flash *f, u32 unit)
{
	return f->geo.parity_lpn + unit / (CHANNELS - 1);
}

/* ---- layout ---- */

static void stripes_lie_across_the_channels(void **state)
{
	struct ssdqos_flash *f = drive(config());
	u32 nr_stripes = f->geo.map_lpn - f->geo.parity_lpn, s, i;

	assert_int_equal(nr_stripes, (f->geo.nr_lpn + 2) / 3);
	for (s = 0; s < nr_stripes; s++) {
		u32 seen = 1u << flash_stripe_plane(f, f->geo.parity_lpn + s) % CHANNELS;
		u32 group = flash_stripe_plane(f, f->geo.parity_lpn + s) / CHANNELS;

		for (i = 3 * s; i < 3 * s + 3 && i < f->geo.nr_lpn; i++) {
			seen |= 1u << flash_stripe_plane(f, i) % CHANNELS;
			assert_int_equal(flash_stripe_plane(f, i) / CHANNELS, group);
		}
		if (i == 3 * s + 3)
			assert_int_equal(seen, 15);
	}
	ssdqos_flash_destroy(f);
}

static void parity_rotates(void **state)
{
	struct ssdqos_flash *f = drive(config());
	u32 s, nr[2 * CHANNELS] = { 0 }, i;

	/* stripes 0, 1 are row 0 of the two groups, 2, 3 row 1 */
	for (s = 0; s < 64; s++) {
		u32 plane = flash_stripe_plane(f, f->geo.parity_lpn + s);

		assert_int_equal(plane, s % 2 * CHANNELS + s / 2 % CHANNELS);
		nr[plane]++;
	}
	for (i = 0; i < 2 * CHANNELS; i++)
		assert_int_equal(nr[i], 8);
	ssdqos_flash_destroy(f);
}

static void member_is_the_inverse_of_plane(void **state)
{
	struct ssdqos_flash *f = drive(config());
	u32 rows = (f->geo.map_lpn - f->geo.parity_lpn + 1) / 2, row, plane, nr = 0;
	u8 *seen = test_calloc(f->geo.map_lpn, 1);

	for (row = 0; row < rows + 2; row++)
		for (plane = 0; plane < f->geo.nr_planes; plane++) {
			u32 lpn = flash_stripe_lpn_at(f, plane, row);

			if (lpn == SSDQOS_NIL)
				continue;
			assert_true(lpn < f->geo.map_lpn);
			assert_int_equal(flash_stripe_plane(f, lpn), plane);
			assert_int_equal(seen[lpn]++, 0);
			nr++;
		}
	assert_int_equal(nr, f->geo.map_lpn);
	test_free(seen);
	ssdqos_flash_destroy(f);
}

static void parity_has_flash_of_its_own(void **state)
{
	struct ssdqos_flash_config cfg = config();
	struct ssdqos_flash *with = drive(cfg), *without;

	cfg.rain = 0;
	without = helper_create(&cfg, SIZE_MIB);
	assert_int_equal(without->geo.stripe_units, 0);
	assert_int_equal(without->geo.nr_all, without->geo.nr_lpn);
	assert_int_equal(with->geo.nr_lpn, without->geo.nr_lpn);
	/* a third more, parity being a quarter; rounded up to blocks of all planes */
	assert_in_range(with->geo.nr_psn - without->geo.nr_psn, without->geo.nr_psn / 3 - 1024,
			without->geo.nr_psn / 3 + 1024);
	ssdqos_flash_destroy(with);
	ssdqos_flash_destroy(without);
}

static void rain_keeps_two_channels_on_small_drives(void **state)
{
	struct ssdqos_flash_config cfg = config();
	struct ssdqos_flash *f;

	cfg.channels = 32;
	cfg.chips_per_channel = 64;
	cfg.pages_per_block = 512;
	f = helper_create(&cfg, SIZE_MIB);
	assert_true(f->geo.channels >= 2);
	assert_int_equal(f->geo.stripe_units, f->geo.channels);
	ssdqos_flash_destroy(f);
}

static void ageing_places_all(void **state)
{
	u32 pct, lpn, nr, nr_parity;

	for (pct = 50; pct <= 100; pct += 50) {
		struct ssdqos_flash_config cfg = config();
		struct ssdqos_flash *f;

		cfg.aged_pct = pct;
		f = drive(cfg);
		helper_check(f);
		for (nr = 0, lpn = 0; lpn < f->geo.nr_lpn; lpn++)
			if (f->l2p[lpn] != FLASH_UNMAPPED) {
				nr++;
				assert_int_equal(flash_plane_of(f, f->l2p[lpn]),
						 flash_stripe_plane(f, lpn));
				assert_true(f->l2p[parity_of(f, lpn)] != FLASH_UNMAPPED);
			}
		assert_in_range(nr, f->geo.nr_lpn * pct / 100 - 64, f->geo.nr_lpn * pct / 100 + 64);
		for (nr_parity = 0; lpn < f->geo.map_lpn; lpn++)
			nr_parity += f->l2p[lpn] != FLASH_UNMAPPED;
		assert_in_range(nr_parity, nr / 3, nr / 3 + 64);
		ssdqos_flash_destroy(f);
	}
}

/* ---- writing ---- */

static void whole_stripes_need_no_reads(void **state)
{
	struct ssdqos_flash *f = drive(config());
	const struct ssdqos_flash_stats *s = ssdqos_flash_stats(f);

	/* 96 units in 32 stripes: 16 of data or parity in each of 8 planes */
	helper_do(f, SSDQOS_FLASH_WRITE, 0, 96);
	helper_settle(f);
	assert_int_equal(s->parity_units, 96);
	assert_int_equal(s->host_write_units, 96);
	assert_int_equal(s->flash_programs, 32);
	assert_int_equal(s->host_programs, 32);
	assert_int_equal(s->padded_units, 0);
	assert_int_equal(s->parity_reads, 0);
	assert_int_equal(s->flash_reads, 0);
	helper_check(f);
	ssdqos_flash_destroy(f);
}

static u64 parity_reads_of_write(struct ssdqos_flash *f, u32 unit, u32 nr)
{
	const struct ssdqos_flash_stats *s = ssdqos_flash_stats(f);
	u64 before = s->parity_reads;

	helper_do(f, SSDQOS_FLASH_WRITE, unit, nr);
	assert_int_equal(ssdqos_flash_set(f, "flush_start_pct", "0", helper_err,
					  sizeof(helper_err)), 0);
	helper_do(f, SSDQOS_FLASH_FLUSH, 0, 0);
	helper_settle(f);
	return s->parity_reads - before;
}

/* With a volatile cache a flush writes the buffer out, padded. */
static void parts_of_stripes_need_what_is_missing(void **state)
{
	struct ssdqos_flash_config cfg = config();
	struct ssdqos_flash *f;

	cfg.cache = SSDQOS_FLASH_CACHE_VOLATILE;
	f = drive(cfg);
	helper_do(f, SSDQOS_FLASH_WRITE, 0, 96);
	helper_do(f, SSDQOS_FLASH_FLUSH, 0, 0);
	helper_settle(f);
	assert_int_equal(parity_reads_of_write(f, 30, 3), 0);	/* a stripe */
	assert_int_equal(parity_reads_of_write(f, 33, 2), 1);	/* one is missing */
	assert_int_equal(parity_reads_of_write(f, 36, 1), 2);	/* two are */
	assert_int_equal(parity_reads_of_write(f, 40, 4), 1 + 1);
	assert_int_equal(parity_reads_of_write(f, 300, 1), 0);	/* the rest was never written */
	assert_int_equal(ssdqos_flash_task_stats(f, SSDQOS_TASK_HOST)->issued, 0);
	helper_check(f);
	ssdqos_flash_destroy(f);
}

/* Of wide stripes not more than the old data and the old parity. */
static void wide_stripes_are_updated_from_two_reads(void **state)
{
	struct ssdqos_flash_config cfg = config();
	struct ssdqos_flash *f;

	cfg.cache = SSDQOS_FLASH_CACHE_VOLATILE;
	cfg.channels = 8;
	cfg.chips_per_channel = 1;
	f = helper_create(&cfg, SIZE_MIB);
	assert_int_equal(f->geo.stripe_units, 8);
	helper_do(f, SSDQOS_FLASH_WRITE, 0, 224);
	helper_do(f, SSDQOS_FLASH_FLUSH, 0, 0);
	helper_settle(f);
	assert_int_equal(parity_reads_of_write(f, 7, 1), 2);
	assert_int_equal(parity_reads_of_write(f, 14, 5), 2);
	assert_int_equal(parity_reads_of_write(f, 21, 6), 1);
	ssdqos_flash_destroy(f);
}

/* A write that waits for room has not entered its parity yet, so it does that once. */
static void a_unit_enters_its_parity_once(void **state)
{
	struct ssdqos_flash_config cfg = config();
	struct helper_load load = { .seed = 4, .nr = 4000, .depth = 16, .max_units = 3,
				    .check_every = 500 };
	struct ssdqos_flash *f;

	cfg.aged_pct = 100;
	cfg.buffer_kib = 64;
	f = drive(cfg);
	helper_run(f, &load);
	helper_settle(f);
	assert_true(f->stats.buffer_stalls > 0);
	assert_int_equal(f->stats.parity_units, f->stats.host_write_units);
	helper_check(f);
	ssdqos_flash_destroy(f);
}

/* ---- reading ---- */

/* A plane erases for itself, until it is told that it does no more. */
static void begin_erase(struct ssdqos_flash *f, u32 plane)
{
	struct flash_plane *p = &f->planes[plane];
	struct flash_op *op = flash_op_get(f, SSDQOS_TASK_GC, SSDQOS_NAND_ERASE, plane);

	p->array_op = flash_op_index(f, op);
	p->nr_internal = 1;
}

static void end_erase(struct ssdqos_flash *f, u32 plane)
{
	struct flash_plane *p = &f->planes[plane];

	flash_op_put(f, &f->ops[p->array_op]);
	p->array_op = SSDQOS_NIL;
	p->nr_internal = 0;
	flash_plane_pump(f, p);
}

static struct ssdqos_flash *collecting(struct ssdqos_flash_config cfg, u32 *unit)
{
	struct ssdqos_flash *f;

	cfg.aged_pct = 100;
	f = drive(cfg);
	*unit = 999;
	begin_erase(f, flash_stripe_plane(f, *unit));
	return f;
}

static void end_collecting(struct ssdqos_flash *f, u32 unit)
{
	if (f->planes[flash_stripe_plane(f, unit)].nr_internal)
		end_erase(f, flash_stripe_plane(f, unit));
	helper_settle(f);
	ssdqos_flash_destroy(f);
}

static void blocked_read_is_reconstructed(void **state)
{
	const struct ssdqos_flash_stats *s;
	struct ssdqos_flash_record rec[2];
	struct ssdqos_flash *f;
	u32 unit;

	f = collecting(config(), &unit);
	s = ssdqos_flash_stats(f);
	ssdqos_flash_log_enable(f, 1u << SSDQOS_FLASH_EV_READ_RECONSTRUCTED);
	/* three others, each on a channel of its own, as fast as one */
	assert_int_equal(helper_do(f, SSDQOS_FLASH_READ, unit, 1), T_R + X_UNIT);
	assert_int_equal(s->reconstructed_reads, 1);
	assert_int_equal(s->flash_reads, 3);
	assert_int_equal(ssdqos_flash_log_take(f, rec, 2), 1);
	assert_int_equal(rec[0].plane, flash_stripe_plane(f, unit));
	assert_int_equal(rec[0].units, 1);
	/* its neighbour lies in another plane */
	helper_do(f, SSDQOS_FLASH_READ, unit + 1, 1);
	assert_int_equal(s->reconstructed_reads, 1);
	assert_int_equal(s->flash_reads, 4);
	end_collecting(f, unit);
}

/* All others of the stripe are in the buffer, or hold nothing: the controller's memory has it. */
static void what_needs_no_read_takes_the_time_of_memory(void **state)
{
	struct ssdqos_flash *f;
	u32 unit, was[CHANNELS], i, lpn;

	f = collecting(config(), &unit);
	for (i = 0; i < CHANNELS; i++) {
		lpn = f->layout->member(f, unit, i);
		was[i] = f->l2p[lpn];
		if (lpn != unit)
			f->l2p[lpn] = lpn == parity_of(f, unit) ? FLASH_IN_BUFFER : FLASH_UNMAPPED;
	}
	assert_int_equal(helper_do(f, SSDQOS_FLASH_READ, unit, 1), T_RAM);
	assert_int_equal(f->stats.reconstructed_reads, 1);
	assert_int_equal(f->stats.flash_reads, 0);
	for (i = 0; i < CHANNELS; i++)
		f->l2p[f->layout->member(f, unit, i)] = was[i];
	end_collecting(f, unit);
}

static void the_right_pages_are_read(void **state)
{
	struct ssdqos_flash_record rec[5];
	struct ssdqos_flash *f;
	u32 unit, i, seen = 0;

	f = collecting(config(), &unit);
	ssdqos_flash_log_enable(f, 1u << SSDQOS_FLASH_EV_NAND_STARTED);
	helper_do(f, SSDQOS_FLASH_READ, unit, 1);
	assert_int_equal(ssdqos_flash_log_take(f, rec, 5), 3);
	for (i = 0; i < 3; i++) {
		assert_int_equal(rec[i].plane / CHANNELS, flash_stripe_plane(f, unit) / CHANNELS);
		seen |= 1u << rec[i].plane % CHANNELS;
	}
	assert_int_equal(seen, 15 & ~(1u << flash_stripe_plane(f, unit) % CHANNELS));
	end_collecting(f, unit);
}

/* What becomes of the read is not waited for. */
static void is_rebuilt(struct ssdqos_flash *f, struct ssdqos_flash_req *req, u32 unit, bool expect)
{
	u64 before = ssdqos_flash_stats(f)->reconstructed_reads;

	helper_submit_units(f, req, SSDQOS_FLASH_READ, unit, 1);
	assert_int_equal(ssdqos_flash_stats(f)->reconstructed_reads - before, expect);
}

static void reconstruction_has_conditions(void **state)
{
	struct ssdqos_flash_req req[6];
	const struct ssdqos_flash_stats *s;
	struct ssdqos_flash *f;
	u32 unit, was;

	f = collecting(config(), &unit);
	s = ssdqos_flash_stats(f);
	begin_erase(f, flash_stripe_plane(f, unit + 1));
	is_rebuilt(f, &req[3], unit, false);		/* two of the stripe */
	end_erase(f, flash_stripe_plane(f, unit + 1));
	is_rebuilt(f, &req[0], unit, true);
	was = f->l2p[parity_of(f, unit)];
	f->l2p[parity_of(f, unit)] = FLASH_UNMAPPED;
	is_rebuilt(f, &req[1], unit, false);		/* no parity */
	f->l2p[parity_of(f, unit)] = was;
	was = f->host_ops_left;
	f->host_ops_left = 2;
	is_rebuilt(f, &req[2], unit, false);		/* no room for three */
	f->host_ops_left = was - 1;
	assert_int_equal(s->blocked_reads, 3);
	ssdqos_flash_set(f, "rain_reconstruct", "off", helper_err, sizeof(helper_err));
	is_rebuilt(f, &req[4], unit, false);
	ssdqos_flash_set(f, "rain_reconstruct", "on", helper_err, sizeof(helper_err));
	assert_int_equal(s->blocked_reads, 3);		/* it was not tried */
	end_erase(f, flash_stripe_plane(f, unit));
	helper_settle(f);
	is_rebuilt(f, &req[5], unit, false);		/* no internal work */
	end_collecting(f, unit);
}

/* A light load, so that planes rarely collect at the same time. */
static u64 blocked_reads(bool reconstruct, u64 *reconstructed)
{
	struct ssdqos_flash_config cfg = config();
	struct helper_load load = { .seed = 4, .nr = 20000, .depth = 2, .read_pct = 97,
				    .max_units = 2, .check_every = 2000 };
	struct ssdqos_flash *f;
	u64 blocked;

	cfg.aged_pct = 100;
	cfg.rain_reconstruct = reconstruct;
	cfg.scheduler = SSDQOS_FLASH_PRIORITY;
	f = drive(cfg);
	helper_run(f, &load);
	helper_settle(f);
	assert_true(ssdqos_flash_stats(f)->gc_blocks > 20);
	*reconstructed = ssdqos_flash_stats(f)->reconstructed_reads;
	blocked = ssdqos_flash_stats(f)->gc_blocked_reads;
	ssdqos_flash_destroy(f);
	return blocked;
}

static void reconstruction_avoids_collection(void **state)
{
	u64 with, without, nr;

	without = blocked_reads(false, &nr);
	assert_int_equal(nr, 0);
	with = blocked_reads(true, &nr);
	assert_true(nr > 50);
	assert_true(with < without * 3 / 4);
}

static void without_rain_there_is_none_of_it(void **state)
{
	struct ssdqos_flash_config cfg = config();
	struct helper_load load = { .seed = 4, .nr = 3000, .depth = 8, .read_pct = 50,
				    .max_units = 8 };
	const struct ssdqos_flash_stats *s;
	struct ssdqos_flash *f;

	cfg.rain = 0;
	cfg.aged_pct = 100;
	f = helper_create(&cfg, SIZE_MIB);
	s = ssdqos_flash_stats(f);
	helper_run(f, &load);
	assert_int_equal(s->parity_units + s->parity_reads + s->reconstructed_reads, 0);
	ssdqos_flash_destroy(f);
}

#define TEST(name) cmocka_unit_test_setup_teardown(name, helper_start, helper_finish)

int main(void)
{
	const struct CMUnitTest tests[] = {
		TEST(stripes_lie_across_the_channels),
		TEST(parity_rotates),
		TEST(member_is_the_inverse_of_plane),
		TEST(parity_has_flash_of_its_own),
		TEST(rain_keeps_two_channels_on_small_drives),
		TEST(ageing_places_all),
		TEST(whole_stripes_need_no_reads),
		TEST(parts_of_stripes_need_what_is_missing),
		TEST(wide_stripes_are_updated_from_two_reads),
		TEST(a_unit_enters_its_parity_once),
		TEST(blocked_read_is_reconstructed),
		TEST(what_needs_no_read_takes_the_time_of_memory),
		TEST(the_right_pages_are_read),
		TEST(reconstruction_has_conditions),
		TEST(reconstruction_avoids_collection),
		TEST(without_rain_there_is_none_of_it),
	};

	return cmocka_run_group_tests_name("flash_rain", tests, NULL, NULL);
}
