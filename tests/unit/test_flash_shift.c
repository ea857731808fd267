// SPDX-License-Identifier: GPL-2.0
/*
 * Stripes that leave worn planes (ttFlash, section 7): which go, where to, and what may
 * happen meanwhile.
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <cmocka.h>

#include "stripe_helper.h"

#define SHIFT_PCT 25
#define DEPTH 24
#define NR_REQUESTS 6000
/* A plane has had so many erases, others a hundredth of it. */
#define MANY_CYCLES 10000
/* Of the units, one in so many is written again and again. */
#define HOT_PART 8

static struct ssdqos_flash_config config(void)
{
	struct ssdqos_flash_config cfg = stripe_config(0);

	cfg.rain_shift_pct = SHIFT_PCT;
	return cfg;
}

/* All planes are as old as that, and some older. */
static void wear(struct ssdqos_flash *f, u32 planes)
{
	u32 i;

	for (i = 0; i < f->geo.nr_planes; i++)
		f->shifts.cycles[i] = planes >> i & 1 ? MANY_CYCLES : MANY_CYCLES / 100;
	flash_shift_tune(f);
}

static struct ssdqos_flash *worn(u32 lpn)
{
	struct ssdqos_flash *f = stripe_filled(config());

	wear(f, 1u << stripe_plane(f, lpn));
	return f;
}

/* Every unit of a stripe is in flash where the stripe has it, each in a plane of its own. */
static void check_stripe(const struct ssdqos_flash *f, u32 lpn)
{
	u32 seen = 0, i;

	for (i = 0; i < STRIPE_CHANNELS; i++) {
		u32 member = f->layout->member(f, lpn, i), at = f->l2p[member];

		assert_false(flash_at_in_buffer(at));
		assert_int_equal(flash_plane_of(f, at), stripe_plane(f, member));
		assert_false(seen >> flash_plane_of(f, at) & 1);
		seen |= 1u << flash_plane_of(f, at);
	}
}

static void a_stripe_leaves_a_worn_plane(void **state)
{
	struct ssdqos_flash *f = worn(0);
	u32 plane = stripe_plane(f, 0), parity = f->layout->partner(f, 0);

	stripe_write(f, 0, 1);
	stripe_flush(f);
	assert_int_equal(f->stats.stripes_shifted, 1);
	assert_int_equal(f->stats.lift_reads, STRIPE_NR_DATA - 1);
	assert_int_equal(f->stats.stripes_full, 1);
	assert_int_not_equal(stripe_plane(f, 0), plane);
	assert_int_not_equal(stripe_plane(f, parity), plane);
	assert_int_equal(stripe_plane(f, 0) / STRIPE_CHANNELS, plane / STRIPE_CHANNELS);
	check_stripe(f, 0);
	assert_int_equal(f->dirties.nr_old, 0);
	/* what is written now does not wear it, so the stripe stays */
	stripe_write(f, 0, 1);
	stripe_flush(f);
	assert_int_equal(f->stats.stripes_shifted, 1);
	assert_int_equal(f->stats.stripes_partial, 1);
	ssdqos_flash_destroy(f);
}

static void others_stay(void **state)
{
	struct ssdqos_flash *f = worn(0);
	u32 i;

	/* of the same group, but nothing of it goes to that plane; and of another one */
	for (i = STRIPE_NR_DATA; i < 12 * STRIPE_NR_DATA; i++)
		if (stripe_plane(f, i) != stripe_plane(f, 0) &&
		    stripe_plane(f, f->layout->partner(f, i)) != stripe_plane(f, 0))
			stripe_write(f, i, 1);
	stripe_flush(f);
	assert_true(f->stats.stripes_full + f->stats.stripes_partial > 0);
	assert_int_equal(f->stats.stripes_shifted, 0);
	assert_int_equal(f->stats.lift_reads, 0);
	ssdqos_flash_destroy(f);
}

static void nothing_moves_without_need(void **state)
{
	struct ssdqos_flash *f = stripe_filled(config());

	/* even planes; all planes of a group; and the parameter is off */
	wear(f, 0);
	stripe_write(f, 0, 1);
	stripe_flush(f);
	wear(f, 0xff);
	stripe_write(f, 0, 1);
	stripe_flush(f);
	wear(f, 1u << stripe_plane(f, 0));
	assert_int_equal(f->shifts.nr_worn, 1);
	assert_int_equal(ssdqos_flash_set(f, "rain_shift_pct", "0", helper_err,
					  sizeof(helper_err)), 0);
	assert_int_equal(f->shifts.nr_worn, 0);
	stripe_write(f, 0, 1);
	stripe_flush(f);
	assert_int_equal(f->stats.stripes_shifted, 0);
	ssdqos_flash_destroy(f);
}

/* Where every place is worn, or what has to be read would wait, it goes out as it is. */
static void it_does_not_wait(void **state)
{
	struct ssdqos_flash *f = worn(0);
	u32 held = stripe_plane(f, 2);

	stripe_write(f, 0, 1);
	stripe_hold(f, held);
	helper_submit(f, &(struct ssdqos_flash_req){ }, SSDQOS_FLASH_FLUSH, 0, 0);
	while (f->stats.stripes_partial + f->stats.stripes_full == 0)
		helper_step(f);
	assert_int_equal(f->stats.stripes_partial, 1);
	assert_int_equal(f->stats.lift_reads, 0);
	stripe_release(f, held);
	helper_settle(f);
	ssdqos_flash_destroy(f);
}

/* The reads of a lifted stripe are under way: what happens to it then? */
static struct ssdqos_flash *lifting(struct ssdqos_flash_req *flush)
{
	struct ssdqos_flash *f = worn(0);

	stripe_write(f, 0, 1);
	helper_submit(f, flush, SSDQOS_FLASH_FLUSH, 0, 0);
	while (f->stats.lift_reads == 0)
		helper_step(f);
	assert_int_equal(f->stats.stripes_full + f->stats.stripes_partial, 0);
	return f;
}

static void what_is_written_meanwhile_goes_along(void **state)
{
	struct ssdqos_flash_req flush;
	struct ssdqos_flash *f = lifting(&flush);

	stripe_write(f, 0, 2);
	helper_settle(f);
	assert_int_equal(f->stats.stripes_full, 1);
	assert_int_equal(f->stats.stripes_shifted, 1);
	assert_true(flush.complete_ns != SSDQOS_NEVER_NS);
	check_stripe(f, 0);
	helper_check(f);
	ssdqos_flash_destroy(f);
}

static void what_is_discarded_meanwhile_is_gone(void **state)
{
	struct ssdqos_flash_req flush;
	struct ssdqos_flash *f = lifting(&flush);

	helper_do(f, SSDQOS_FLASH_DISCARD, 0, STRIPE_NR_DATA);
	helper_settle(f);
	helper_check(f);
	assert_int_equal(f->stats.stripes_dropped, 1);
	assert_int_equal(f->buffer.nr_used, 0);
	assert_int_equal(f->dirties.reads_left, flash_parity_reads_max(f));
	assert_true(flush.complete_ns != SSDQOS_NEVER_NS);
	/* and what comes then is as ever */
	stripe_write(f, 0, STRIPE_NR_DATA);
	stripe_flush(f);
	check_stripe(f, 0);
	ssdqos_flash_destroy(f);
}

/* A stripe of which other units were never written has nothing to read. */
static void a_stripe_of_one_unit_moves(void **state)
{
	struct ssdqos_flash *f = stripe_filled(config());
	u32 lpn = 100 * STRIPE_NR_DATA, plane = stripe_plane(f, lpn);

	wear(f, 1u << plane);
	stripe_write(f, lpn, 1);
	stripe_flush(f);
	assert_int_equal(f->stats.lift_reads, 0);
	assert_int_equal(f->stats.stripes_shifted, 1);
	assert_int_not_equal(flash_plane_of(f, f->l2p[lpn]), plane);
	ssdqos_flash_destroy(f);
}

/* A buffer that is full all the time has room to lift one. */
static void a_full_buffer_leaves_room(void **state)
{
	struct ssdqos_flash_req req[HELPER_MAX_DEPTH];
	struct ssdqos_flash *f = worn(0);
	u32 i, nr = 0;

	for (i = 0; nr < HELPER_MAX_DEPTH; i++)
		if (stripe_plane(f, i) == stripe_plane(f, 0))
			helper_submit_units(f, &req[nr++], SSDQOS_FLASH_WRITE, i, 1);
	helper_settle(f);
	assert_true(f->stats.buffer_stalls + f->stats.space_stalls > 0);
	assert_true(f->stats.stripes_shifted > 0);
	for (i = 0; i < nr; i++)
		assert_true(req[i].complete_ns != SSDQOS_NEVER_NS);
	stripe_flush(f);
	ssdqos_flash_destroy(f);
}

static void a_state_has_the_places(void **state)
{
	struct ssdqos_flash *f = worn(0), *g;
	struct ssdqos_flash_config cfg = *ssdqos_flash_config(f);
	u64 bytes;
	void *buf;

	stripe_write(f, 0, 1);
	stripe_flush(f);
	assert_int_equal(f->stats.stripes_shifted, 1);
	g = helper_create(&cfg, STRIPE_SIZE_MIB);
	bytes = ssdqos_flash_state_bytes(f);
	buf = test_calloc(1, bytes);
	assert_int_equal(ssdqos_flash_save(f, buf, bytes), 0);
	assert_int_equal(ssdqos_flash_load(g, buf, bytes, helper_err, sizeof(helper_err)), 0);
	check_stripe(g, 0);
	assert_int_equal(stripe_plane(g, 0), stripe_plane(f, 0));
	/* ageing begins anew */
	assert_int_equal(ssdqos_flash_age(g, 100, 1, helper_err, sizeof(helper_err)), 0);
	helper_check(g);
	assert_int_not_equal(stripe_plane(g, 0), stripe_plane(f, 0));
	test_free(buf);
	ssdqos_flash_destroy(f);
	ssdqos_flash_destroy(g);
}

/* ---- somebody writes one plane's units only ---- */

static u32 group_wear(u64 shift_pct, u64 seed)
{
	struct ssdqos_flash_config cfg = stripe_config(100);
	struct ssdqos_flash_gauges g;
	struct ssdqos_rng rng;
	struct ssdqos_flash *f;
	u32 unit, nr;

	cfg.aged_pe_cycles = 0;
	cfg.op_permille = 800;
	cfg.rain_shift_pct = shift_pct;
	f = helper_create(&cfg, STRIPE_SIZE_MIB);
	ssdqos_rng_seed(&rng, seed);
	for (nr = 0; nr < 4 * NR_REQUESTS;) {
		unit = (u32)ssdqos_rng_below(&rng, f->geo.nr_lpn / HOT_PART);
		/* those that were in its plane at first */
		if (unit % STRIPE_NR_DATA || unit / STRIPE_NR_DATA % STRIPE_CHIPS)
			continue;
		stripe_write(f, unit, 1);
		if (++nr % 1000 == 0)
			helper_check(f);
	}
	stripe_flush(f);
	ssdqos_flash_gauges(f, &g);
	ssdqos_flash_destroy(f);
	return g.wear_group_pct;
}

static void wear_is_even(void **state)
{
	u64 seed;

	for (seed = 1; seed <= 3; seed++) {
		assert_true(group_wear(0, seed) > 150);
		assert_in_range(group_wear(5, seed), 100, 115);
	}
}

/* ---- any load ---- */

static u64 loaded(u64 seed, bool padded)
{
	struct ssdqos_flash_config cfg = stripe_config(100);
	struct helper_load load = {
		.seed = seed, .nr = NR_REQUESTS, .depth = DEPTH, .read_pct = 20,
		.discard_pct = 10, .flush_pct = 1, .fua_pct = 10, .max_units = 5,
		.check_every = 500,
	};
	struct ssdqos_flash *f;
	u64 now;

	cfg.aged_pe_cycles = 0;
	cfg.op_permille = 800;
	cfg.rain_shift_pct = 1;
	cfg.rotate = SSDQOS_FLASH_ROTATE_ON;
	cfg.page_kib = padded ? 16 : 4;
	f = helper_create(&cfg, STRIPE_SIZE_MIB);
	wear(f, 0x5);
	helper_run(f, &load);
	stripe_flush(f);
	assert_true(f->stats.stripes_shifted > 0);
	now = helper_now(f);
	ssdqos_flash_destroy(f);
	return now;
}

static void every_load_comes_to_its_end(void **state)
{
	u64 seed;

	for (seed = 1; seed <= 4; seed++)
		assert_true(loaded(seed, seed & 1) == loaded(seed, seed & 1));
}

static void whole_stripes_are_needed(void **state)
{
	struct ssdqos_flash_config cfg = config();

	cfg.rain_flush = SSDQOS_FLASH_FLUSH_UNITS;
	assert_int_equal(ssdqos_flash_config_check(&cfg, helper_err, sizeof(helper_err)), -EINVAL);
	assert_string_equal(helper_err, "rain_shift_pct: '25' needs rain_flush stripes, because only what is written as a whole can move");
}

#define TEST(name) cmocka_unit_test_setup_teardown(name, helper_start, helper_finish)

int main(void)
{
	const struct CMUnitTest tests[] = {
		TEST(a_stripe_leaves_a_worn_plane),
		TEST(others_stay),
		TEST(nothing_moves_without_need),
		TEST(it_does_not_wait),
		TEST(what_is_written_meanwhile_goes_along),
		TEST(what_is_discarded_meanwhile_is_gone),
		TEST(a_stripe_of_one_unit_moves),
		TEST(a_full_buffer_leaves_room),
		TEST(a_state_has_the_places),
		TEST(wear_is_even),
		TEST(every_load_comes_to_its_end),
		TEST(whole_stripes_are_needed),
	};

	return cmocka_run_group_tests_name("flash_shift", tests, NULL, NULL);
}
