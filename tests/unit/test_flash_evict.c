// SPDX-License-Identifier: GPL-2.0
/*
 * A write buffer that is written out by stripes (ttFlash, section 4.5): which stripe is
 * next, what its parity follows from, and what stays valid until that is in flash.
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <cmocka.h>

#include "stripe_helper.h"

#define CHANNELS STRIPE_CHANNELS
#define NR_DATA STRIPE_NR_DATA
#define SIZE_MIB STRIPE_SIZE_MIB
#define BUFFER_KIB STRIPE_BUFFER_KIB
#define NR_SLOTS (BUFFER_KIB / 4)
#define START_PCT STRIPE_START_PCT
#define START_SLOTS (NR_SLOTS * START_PCT / 100)
#define NR_REQUESTS 6000
#define DEPTH 24

static u32 parity_of(const struct ssdqos_flash *f, u32 unit)
{
	return f->layout->partner(f, unit);
}

/* Until nothing happens any more, whoever waits. */
static void run_out(struct ssdqos_flash *f)
{
	while (ssdqos_flash_next_ns(f) != SSDQOS_NEVER_NS)
		helper_step(f);
}

/* ---- which, and when ---- */

static void units_are_held_until_there_are_enough(void **state)
{
	struct ssdqos_flash *f = stripe_filled(stripe_config(0));
	u32 i;

	/* a unit and a parity each */
	for (i = 0; 2 * i + 2 < START_SLOTS; i++)
		stripe_write(f, i * NR_DATA, 1);
	helper_settle(f);
	assert_int_equal(f->stats.host_programs, 0);
	stripe_write(f, i * NR_DATA, 1);
	helper_settle(f);
	assert_int_equal(f->stats.host_programs, 2);
	assert_int_equal(f->stats.stripes_partial, 1);
	helper_check(f);
	ssdqos_flash_destroy(f);
}

/* A write that waits for room has as much written out as it needs, not all: also while
 * only reads are under way, for parities.
 */
static void a_full_buffer_keeps_the_rest(void **state)
{
	struct ssdqos_flash_config cfg = stripe_config(0);
	struct ssdqos_flash_req req[4];
	struct ssdqos_flash *f;
	u32 i, j;

	cfg.flush_start_pct = 95;
	f = stripe_filled(cfg);
	/* each leaves a parity to be written */
	for (i = 0; f->buffer.nr_used + 1 < NR_SLOTS * 95 / 100; i++)
		helper_do(f, SSDQOS_FLASH_DISCARD, i * NR_DATA, 1);
	assert_int_equal(f->stats.stripes_partial, 0);
	for (j = 0; j < ARRAY_SIZE(req); j++)
		helper_submit_units(f, &req[j], SSDQOS_FLASH_WRITE, (i + j) * NR_DATA, 1);
	helper_settle(f);
	assert_true(f->stats.buffer_stalls + f->stats.space_stalls > 0);
	assert_in_range(f->stats.stripes_partial, 1, 10);
	ssdqos_flash_destroy(f);
}

/* The first one in is not the first one out. */
static void full_stripes_go_first(void **state)
{
	struct ssdqos_flash *f = stripe_filled(stripe_config(0));
	u32 i;

	stripe_write(f, 0, 1);
	for (i = 1; CHANNELS * i <= START_SLOTS; i++)
		stripe_write(f, i * NR_DATA, NR_DATA);
	helper_settle(f);
	assert_true(f->stats.stripes_full > 0);
	assert_int_equal(f->stats.stripes_partial, 0);
	assert_int_equal(f->stats.parity_reads, 0);
	assert_true(f->l2p[0] & FLASH_IN_BUFFER);
	ssdqos_flash_destroy(f);
}

/* A plane collects: others are written out, and that one's page waits in the buffer. */
static void a_plane_that_collects_is_passed_by(void **state)
{
	struct ssdqos_flash *f = stripe_filled(stripe_config(0));
	struct ssdqos_flash_req req;
	u32 held = stripe_plane(f, 0), i;

	stripe_hold(f, held);
	stripe_write(f, 0, NR_DATA);
	helper_submit(f, &req, SSDQOS_FLASH_FLUSH, 0, 0);
	run_out(f);
	assert_true(f->l2p[0] & FLASH_IN_BUFFER);
	for (i = 1; i < NR_DATA; i++)
		assert_false(f->l2p[i] & FLASH_IN_BUFFER);
	assert_true(flash_list_empty(&f->holds[held].parked));
	assert_true(req.complete_ns == SSDQOS_NEVER_NS);
	helper_check(f);
	stripe_release(f, held);
	helper_settle(f);
	assert_false(f->l2p[0] & FLASH_IN_BUFFER);
	assert_true(req.complete_ns != SSDQOS_NEVER_NS);
	ssdqos_flash_destroy(f);
}

/* Of two full stripes the later one goes first, as the other one's group collects. */
static void calm_groups_go_first(void **state)
{
	struct ssdqos_flash *f = stripe_filled(stripe_config(0));
	u32 other = NR_DATA, i;

	assert_int_not_equal(stripe_plane(f, 0) / CHANNELS, stripe_plane(f, other) / CHANNELS);
	stripe_hold(f, stripe_plane(f, 0));
	stripe_write(f, 0, NR_DATA);
	stripe_write(f, other, NR_DATA);
	for (i = 2; f->stats.stripes_full + f->stats.stripes_partial == 0; i++)
		stripe_write(f, i * NR_DATA, 1);
	assert_false(f->dirties.stripe[flash_dirty_of(f, 0)].state);
	assert_true(flash_dirty_of(f, other) == SSDQOS_NIL ||
		    f->dirties.stripe[flash_dirty_of(f, other)].state);
	stripe_release(f, stripe_plane(f, 0));
	stripe_flush(f);
	ssdqos_flash_destroy(f);
}

/* ---- from what parity follows ---- */

static void the_shorter_way_is_read(void **state)
{
	struct ssdqos_flash *f = stripe_filled(stripe_config(0));

	stripe_write(f, 0, 1);	/* old data and old parity, or two others: the same */
	stripe_flush(f);
	assert_int_equal(f->stats.parity_reads, 2);
	assert_int_equal(f->stats.stripes_from_old, 0);
	stripe_write(f, 0, 2);	/* three, or one */
	stripe_flush(f);
	assert_int_equal(f->stats.parity_reads, 3);
	stripe_write(f, 0, 3);
	stripe_flush(f);
	assert_int_equal(f->stats.parity_reads, 3);
	assert_int_equal(f->stats.stripes_full, 1);
	assert_int_equal(f->stats.stripes_partial, 2);
	ssdqos_flash_destroy(f);
}

/* Of the two ways at most one meets the plane of a group that collects. */
static void the_way_goes_round_what_collects(void **state)
{
	struct ssdqos_flash *f = stripe_filled(stripe_config(0));
	struct ssdqos_flash_req req;
	u32 held = stripe_plane(f, 2);

	stripe_write(f, 0, 2);
	stripe_hold(f, held);
	helper_submit(f, &req, SSDQOS_FLASH_FLUSH, 0, 0);
	helper_settle(f);
	/* three reads in place of one that would wait, and nothing does */
	assert_int_equal(f->stats.stripes_from_old, 1);
	assert_int_equal(f->stats.parity_reads, 3);
	assert_true(req.complete_ns != SSDQOS_NEVER_NS);
	stripe_release(f, held);
	ssdqos_flash_destroy(f);
}

static void what_is_replaced_is_valid_until_the_parity_is_there(void **state)
{
	struct ssdqos_flash *f = stripe_filled(stripe_config(0));
	u32 parity = parity_of(f, 0), old = f->l2p[0], old_parity = f->l2p[parity];
	struct ssdqos_flash_req req;

	stripe_write(f, 0, 1);
	assert_int_equal(f->p2l[old], 0);
	assert_int_equal(f->p2l[old_parity], parity);
	assert_int_equal(f->dirties.nr_old, 2);
	helper_submit(f, &req, SSDQOS_FLASH_FLUSH, 0, 0);
	while (f->l2p[parity] & FLASH_IN_BUFFER) {
		assert_int_equal(f->p2l[old], 0);
		assert_int_equal(f->p2l[old_parity], parity);
		/* the parity goes last */
		if (f->dirties.stripe[flash_dirty_of(f, 0)].state == FLASH_DIRTY_PARITY)
			assert_false(f->l2p[0] & FLASH_IN_BUFFER);
		helper_check(f);
		helper_step(f);
	}
	assert_int_equal(f->p2l[old], SSDQOS_NIL);
	assert_int_equal(f->p2l[old_parity], SSDQOS_NIL);
	assert_int_equal(f->dirties.nr_old, 0);
	helper_settle(f);
	ssdqos_flash_destroy(f);
}

/* What was written while the stripe was on its way has a parity of its own, later. */
static void what_comes_meanwhile_goes_next_time(void **state)
{
	struct ssdqos_flash *f = stripe_filled(stripe_config(0));
	struct ssdqos_flash_req req;

	stripe_write(f, 0, 1);
	helper_submit(f, &req, SSDQOS_FLASH_FLUSH, 0, 0);
	while (f->stats.stripes_partial == 0)
		helper_step(f);
	stripe_write(f, 0, 2);
	helper_settle(f);
	assert_true(f->l2p[0] & FLASH_IN_BUFFER);
	assert_int_equal(f->buffer.nr_used, 3);
	stripe_flush(f);
	assert_int_equal(f->stats.stripes_partial, 2);
	assert_int_equal(f->buffer.nr_used, 0);
	ssdqos_flash_destroy(f);
}

/* ---- reads ---- */

/* Another unit of a dirty stripe is rebuilt from what the parity in flash stands for. */
static void a_dirty_stripe_can_be_rebuilt(void **state)
{
	struct ssdqos_flash *f = stripe_filled(stripe_config(0));
	u32 held = stripe_plane(f, 2);
	struct ssdqos_flash_req req;

	stripe_write(f, 0, 1);
	helper_settle(f);
	/* a mover is at work there for long */
	stripe_hold(f, held);
	f->planes[held].mover[0].state = FLASH_MOVER_COPYING;
	f->planes[held].mover[0].victim = flash_block_of(f, f->l2p[2]);
	helper_submit_units(f, &req, SSDQOS_FLASH_READ, 2, 1);
	helper_settle(f);
	assert_int_equal(f->stats.reconstructed_reads, 1);
	assert_int_equal(f->stats.flash_reads, NR_DATA);
	assert_true(req.complete_ns != SSDQOS_NEVER_NS);
	/* not without what was replaced */
	flash_dirty_forget(f, flash_dirty_of(f, 0), 0);
	helper_submit_units(f, &req, SSDQOS_FLASH_READ, 2, 1);
	helper_settle(f);
	assert_int_equal(f->stats.blocked_reads, 1);
	assert_true(req.complete_ns == SSDQOS_NEVER_NS);
	f->planes[held].mover[0].state = FLASH_MOVER_OFF;
	stripe_release(f, held);
	helper_settle(f);
	ssdqos_flash_destroy(f);
}

/* Who writes a unit again and again does not keep others of its stripe from being rebuilt:
 * written once more before the parity of the last time is in flash, @in_flash or not.
 */
static void check_written_again(bool in_flash, enum ssdqos_flash_op kind)
{
	struct ssdqos_flash *f = stripe_filled(stripe_config(0));
	struct ssdqos_flash_req req;

	stripe_write(f, 0, 1);
	helper_submit(f, &req, SSDQOS_FLASH_FLUSH, 0, 0);
	while (f->stats.stripes_partial == 0 ||
	       (in_flash && (f->l2p[0] & FLASH_IN_BUFFER)))
		helper_step(f);
	assert_true(f->l2p[parity_of(f, 0)] & FLASH_IN_BUFFER);
	helper_do(f, kind, 0, 1);
	helper_settle(f);
	helper_check(f);
	assert_int_equal(f->stats.stripes_partial, 1);
	assert_int_equal(f->stats.stripe_old_lost, 0);
	assert_int_equal(f->dirties.nr_old, 2);
	stripe_occupy(f, stripe_plane(f, 2), 2);
	helper_submit_units(f, &req, SSDQOS_FLASH_READ, 2, 1);
	helper_settle(f);
	assert_int_equal(f->stats.reconstructed_reads, 1);
	assert_int_equal(f->stats.blocked_reads, 0);
	stripe_vacate(f, stripe_plane(f, 2));
	stripe_flush(f);
	assert_int_equal(f->dirties.nr_old, 0);
	ssdqos_flash_destroy(f);
}

static void what_is_written_again_can_be_rebuilt(void **state)
{
	check_written_again(false, SSDQOS_FLASH_WRITE);
	check_written_again(true, SSDQOS_FLASH_WRITE);
	check_written_again(false, SSDQOS_FLASH_DISCARD);
	check_written_again(true, SSDQOS_FLASH_DISCARD);
}

/* So is what a write of a part of a unit reads. */
static void a_write_of_a_part_goes_round(void **state)
{
	struct ssdqos_flash *f = stripe_filled(stripe_config(0));
	u32 held = stripe_plane(f, 2);
	struct ssdqos_flash_req req;

	stripe_hold(f, held);
	f->planes[held].mover[0].state = FLASH_MOVER_COPYING;
	f->planes[held].mover[0].victim = flash_block_of(f, f->l2p[2]);
	helper_submit(f, &req, SSDQOS_FLASH_WRITE, 2 * SSDQOS_UNIT_SECTORS, 1);
	helper_settle(f);
	assert_int_equal(f->stats.reconstructed_reads, 1);
	assert_true(req.complete_ns != SSDQOS_NEVER_NS);
	f->planes[held].mover[0].state = FLASH_MOVER_OFF;
	stripe_release(f, held);
	helper_settle(f);
	ssdqos_flash_destroy(f);
}

/* ---- discards ---- */

static void a_discarded_stripe_has_no_parity(void **state)
{
	struct ssdqos_flash *f = stripe_filled(stripe_config(0));
	u32 parity = parity_of(f, 0);

	helper_do(f, SSDQOS_FLASH_DISCARD, 0, NR_DATA);
	assert_int_equal(f->l2p[parity], FLASH_UNMAPPED);
	assert_int_equal(f->stats.stripes_dropped, 1);
	assert_int_equal(f->buffer.nr_used, 0);
	assert_int_equal(f->dirties.nr_old, 0);
	helper_check(f);
	/* in the buffer, too */
	stripe_write(f, NR_DATA, NR_DATA);
	helper_do(f, SSDQOS_FLASH_DISCARD, NR_DATA, NR_DATA);
	assert_int_equal(f->stats.stripes_dropped, 2);
	assert_int_equal(f->buffer.nr_used, 0);
	helper_check(f);
	ssdqos_flash_destroy(f);
}

static void parity_follows_a_discarded_unit(void **state)
{
	struct ssdqos_flash *f = stripe_filled(stripe_config(0));
	u32 old = f->l2p[1];

	helper_do(f, SSDQOS_FLASH_DISCARD, 1, 1);
	assert_int_equal(f->l2p[1], FLASH_UNMAPPED);
	assert_int_equal(f->p2l[old], 1);
	stripe_flush(f);
	assert_int_equal(f->stats.stripes_partial, 1);
	assert_int_equal(f->stats.host_programs, 1);
	assert_int_equal(f->p2l[old], SSDQOS_NIL);
	ssdqos_flash_destroy(f);
}

/* ---- who waits ---- */

static void two_may_wait_for_one_unit(void **state)
{
	struct ssdqos_flash *f = stripe_filled(stripe_config(0));
	struct ssdqos_flash_req req[2];

	helper_submit_fua(f, &req[0], 0, 1);
	helper_submit_fua(f, &req[1], 0, 1);
	helper_settle(f);
	assert_true(req[0].complete_ns != SSDQOS_NEVER_NS);
	assert_true(req[1].complete_ns != SSDQOS_NEVER_NS);
	helper_check(f);
	ssdqos_flash_destroy(f);
}

/* ---- loads ---- */

static u64 loaded(struct ssdqos_flash_config cfg, u64 seed)
{
	struct helper_load load = { .seed = seed, .nr = NR_REQUESTS, .depth = DEPTH,
				    .read_pct = 30, .discard_pct = 5, .fua_pct = 5,
				    .flush_pct = 1, .max_units = 4, .any_sector = true,
				    .check_every = 200 };
	struct ssdqos_flash *f = helper_create(&cfg, SIZE_MIB);
	u64 digest = helper_run(f, &load);

	helper_settle(f);
	helper_check(f);
	assert_true(f->stats.stripes_partial > 0);
	assert_int_equal(f->dirties.reads_left, flash_parity_reads_max(f));
	ssdqos_flash_destroy(f);
	return digest;
}

/* Reads of an aged drive are never blocked while its planes take turns. */
static void no_read_is_blocked(void **state)
{
	struct ssdqos_flash_config cfg = stripe_config(100);
	struct helper_load load = { .seed = 5, .nr = 4 * NR_REQUESTS, .depth = 3, .read_pct = 93,
				    .max_units = 1, .check_every = 500 };
	struct ssdqos_flash *f;

	cfg.op_permille = 800;
	cfg.rotate = SSDQOS_FLASH_ROTATE_ON;
	cfg.gc_copyback = 1;
	/* time to wait for a turn */
	cfg.gc_start_blocks = 8;
	cfg.gc_stop_blocks = 10;
	f = helper_create(&cfg, SIZE_MIB);
	helper_run(f, &load);
	assert_true(f->stats.gc_blocks > 10);
	assert_true(f->stats.reconstructed_reads > 10);
	assert_int_equal(f->stats.turns_overridden, 0);
	assert_in_range(f->stats.blocked_reads, 0, NR_REQUESTS / 1000);
	ssdqos_flash_destroy(f);
}

static void every_load_comes_to_its_end(void **state)
{
	u32 cache, copyback, pct;

	for (cache = 0; cache < 3; cache++)
		for (copyback = 0; copyback < 2; copyback++)
			for (pct = 0; pct < 95; pct += 47) {
				struct ssdqos_flash_config cfg = stripe_config(100);

				cfg.cache = cache;
				cfg.gc_copyback = copyback;
				cfg.flush_start_pct = pct;
				cfg.page_kib = 4 << cache;
				cfg.op_permille = 500 + 300 * copyback;
				assert_true(loaded(cfg, 7 + pct) == loaded(cfg, 7 + pct));
			}
}

/* With nothing to spare nothing is kept, and parity follows from the rest. */
static void a_tight_drive_keeps_nothing(void **state)
{
	struct ssdqos_flash_config cfg = stripe_config(100);
	struct helper_load load = { .seed = 3, .nr = NR_REQUESTS, .depth = DEPTH,
				    .max_units = 2, .check_every = 500 };
	struct ssdqos_flash *f;

	cfg.op_permille = helper_least_op_permille(cfg, SIZE_MIB * MIB_SECTORS);
	f = helper_create(&cfg, SIZE_MIB);
	helper_run(f, &load);
	assert_true(f->stats.stripe_old_lost > 0);
	assert_true(f->dirties.nr_old <= f->dirties.plane_old_max * f->geo.nr_planes);
	helper_settle(f);
	helper_check(f);
	ssdqos_flash_destroy(f);
}

/* A drive that loads a state has what was in the buffer there, and goes on. */
static void a_state_has_the_buffer(void **state)
{
	struct ssdqos_flash_config cfg = stripe_config(100);
	struct helper_load load = { .seed = 9, .nr = 1000, .depth = DEPTH, .max_units = 3 };
	struct ssdqos_flash *f, *g;
	u64 bytes;
	void *buf;
	u32 i;

	cfg.op_permille = 800;
	cfg.page_kib = 16;
	f = helper_create(&cfg, SIZE_MIB);
	g = helper_create(&cfg, SIZE_MIB);
	helper_run(f, &load);
	helper_settle(f);
	assert_true(f->buffer.nr_used > START_SLOTS / 2);
	bytes = ssdqos_flash_state_bytes(f);
	buf = test_calloc(1, bytes);
	assert_int_equal(ssdqos_flash_save(f, buf, bytes), 0);
	assert_int_equal(ssdqos_flash_load(g, buf, bytes, helper_err, sizeof(helper_err)), 0);
	helper_check(g);
	for (i = 0; i < f->geo.nr_lpn; i++)
		assert_int_equal(f->l2p[i] & FLASH_IN_BUFFER, g->l2p[i] & FLASH_IN_BUFFER);
	assert_int_equal(g->dirties.nr_old, 0);
	helper_run(g, &load);
	helper_settle(g);
	helper_check(g);
	test_free(buf);
	ssdqos_flash_destroy(f);
	ssdqos_flash_destroy(g);
}

/* One that wrote out unit by unit has data in its buffer whose parity is in flash: whoever
 * loads that keeps the parity for as long as the stripe is dirty.
 */
static void a_state_of_units_has_parity_in_flash(void **state)
{
	struct ssdqos_flash_config cfg = stripe_config(100);
	struct helper_load load = { .seed = 9, .nr = 1000, .depth = DEPTH, .max_units = 3 };
	struct ssdqos_flash *f, *g;
	u32 i, nr = 0;
	u64 bytes;
	void *buf;

	cfg.op_permille = 800;
	cfg.cache = SSDQOS_FLASH_CACHE_VOLATILE;
	g = helper_create(&cfg, SIZE_MIB);
	cfg.rain_flush = SSDQOS_FLASH_FLUSH_UNITS;
	f = helper_create(&cfg, SIZE_MIB);
	helper_run(f, &load);
	helper_settle(f);
	for (i = 0; i < f->geo.nr_lpn; i++)
		nr += flash_at_in_buffer(f->l2p[i]) && !flash_at_in_buffer(f->l2p[parity_of(f, i)]);
	assert_true(nr > 0);
	bytes = ssdqos_flash_state_bytes(f);
	buf = test_calloc(1, bytes);
	assert_int_equal(ssdqos_flash_save(f, buf, bytes), 0);
	assert_int_equal(ssdqos_flash_load(g, buf, bytes, helper_err, sizeof(helper_err)), 0);
	helper_check(g);
	load.nr = NR_REQUESTS;	/* collection moves what is kept */
	helper_run(g, &load);
	stripe_flush(g);
	assert_int_equal(g->dirties.nr_old, 0);
	test_free(buf);
	ssdqos_flash_destroy(f);
	ssdqos_flash_destroy(g);
}

static void stripes_are_needed(void **state)
{
	struct ssdqos_flash_config cfg = stripe_config(0);

	cfg.rain = 0;
	assert_int_equal(ssdqos_flash_config_check(&cfg, helper_err, sizeof(helper_err)), -EINVAL);
	assert_string_equal(helper_err, "rain_flush: 'stripes' needs rain 'on', because there are no stripes without");
}

#define TEST(name) cmocka_unit_test_setup_teardown(name, helper_start, helper_finish)

int main(void)
{
	const struct CMUnitTest tests[] = {
		TEST(units_are_held_until_there_are_enough),
		TEST(a_full_buffer_keeps_the_rest),
		TEST(full_stripes_go_first),
		TEST(a_plane_that_collects_is_passed_by),
		TEST(calm_groups_go_first),
		TEST(the_shorter_way_is_read),
		TEST(the_way_goes_round_what_collects),
		TEST(what_is_replaced_is_valid_until_the_parity_is_there),
		TEST(what_comes_meanwhile_goes_next_time),
		TEST(a_dirty_stripe_can_be_rebuilt),
		TEST(what_is_written_again_can_be_rebuilt),
		TEST(a_write_of_a_part_goes_round),
		TEST(a_discarded_stripe_has_no_parity),
		TEST(parity_follows_a_discarded_unit),
		TEST(two_may_wait_for_one_unit),
		TEST(every_load_comes_to_its_end),
		TEST(no_read_is_blocked),
		TEST(a_tight_drive_keeps_nothing),
		TEST(a_state_has_the_buffer),
		TEST(a_state_of_units_has_parity_in_flash),
		TEST(stripes_are_needed),
	};

	return cmocka_run_group_tests_name("flash_evict", tests, NULL, NULL);
}
