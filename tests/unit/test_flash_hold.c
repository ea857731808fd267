// SPDX-License-Identifier: GPL-2.0
/*
 * Planes that the host can't use while a block is emptied, planes that take turns
 * with that, and reads that go round (ttFlash).
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <unistd.h>
#include <cmocka.h>

#include "../../dm-ssdqos/core/engine/rng.h"
#include "../../dm-ssdqos/core/flash/drive.h"
#include "flash_helper.h"

#define SIZE_MIB 64
#define CHANNELS 4
#define CHIPS 2
#define WIDTH 4
#define DEPTH 24
#define NR_REQUESTS 6000
#define ENOUGH_S 20

/* Eight chips of one plane on four channels, full and about to collect. */
static struct ssdqos_flash_config config(u64 blocking)
{
	struct ssdqos_flash_config cfg = helper_config(SSDQOS_FLASH_AUTOSSD);

	cfg.channels = CHANNELS;
	cfg.chips_per_channel = CHIPS;
	cfg.planes_per_chip = 1;
	cfg.pages_per_block = 16;
	cfg.page_kib = 4;
	cfg.buffer_kib = 256;
	cfg.gc_copyback = 1;
	cfg.aged_pct = 100;
	cfg.gc_blocking = blocking;
	return cfg;
}

static struct ssdqos_flash_config striped(u64 blocking, u64 rotate)
{
	struct ssdqos_flash_config cfg = config(blocking);

	cfg.allocation = SSDQOS_FLASH_STATIC;
	cfg.rain = 1;
	cfg.rotate = rotate;
	return cfg;
}

/* What was seen while a load ran. */
struct seen {
	u32 most_emptying;	/* planes at a time */
	u32 most_in_channel;
	u32 most_in_group;
	u32 most_held;
	u64 parked;		/* operations, at the moments that were looked at */
};

/* Planes that empty a block and are the same modulo, or divided by, a number. */
static u32 most_emptying(const struct ssdqos_flash *f, u32 nr, bool divided)
{
	u32 count[CHANNELS * CHIPS] = { 0 }, most = 0, i;

	for (i = 0; i < f->geo.nr_planes; i++) {
		u32 *of = &count[divided ? i / nr : i % nr];

		*of += f->holds[i].emptying > 0;
		most = max(most, *of);
	}
	return most;
}

static void check_queues(const struct ssdqos_flash *f)
{
	u32 c, task, op;

	for (c = 0; c < f->geo.nr_chips; c++)
		for (task = 0; task < SSDQOS_NR_TASKS; task++)
			for (op = f->chips[c].queue[task].head; op != SSDQOS_NIL; op = f->ops[op].next)
				if (FLASH_HOST_TASKS >> task & 1)
					assert_false(flash_plane_held(f, f->ops[op].plane));
}

/* A plane is held by those that empty a block and hold every n-th plane, itself one. */
static u32 check_holds(const struct ssdqos_flash *f, u64 *parked)
{
	u32 plane, by, held, nr_held = 0, op;

	for (plane = 0; plane < f->geo.nr_planes; plane++) {
		const struct flash_hold *h = &f->holds[plane];

		for (by = 0, held = 0; by < f->geo.nr_planes; by++)
			held += f->holds[by].step && by % f->holds[by].step == plane % f->holds[by].step;
		assert_int_equal(h->held, held);
		nr_held += held > 0;
		assert_true(!h->step || h->emptying);
		assert_true(held || flash_list_empty(&h->parked));
		for (op = h->parked.head; op != SSDQOS_NIL; op = f->ops[op].next)
			(*parked)++;
	}
	assert_int_equal(f->nr_held, nr_held);
	return nr_held;
}

static void look(const struct ssdqos_flash *f, struct seen *s)
{
	s->most_held = max(s->most_held, check_holds(f, &s->parked));
	s->most_emptying = max(s->most_emptying, most_emptying(f, 1, false));
	s->most_in_channel = max(s->most_in_channel, most_emptying(f, CHANNELS, false));
	s->most_in_group = max(s->most_in_group, most_emptying(f, WIDTH, true));
	check_queues(f);
}

static void submit_any(struct ssdqos_flash *f, struct ssdqos_rng *rng, struct ssdqos_flash_req *req)
{
	u32 nr = 1 + ssdqos_rng_below(rng, 4);
	u32 op = ssdqos_rng_below(rng, 2) ? SSDQOS_FLASH_READ : SSDQOS_FLASH_WRITE;

	helper_submit_units(f, req, op, ssdqos_rng_below(rng, f->geo.nr_lpn - nr), nr);
}

/* Random reads and writes in a closed loop; what holds at any moment is looked at after
 * each event.
 */
static struct seen run(struct ssdqos_flash *f, u64 seed, u32 depth)
{
	static struct ssdqos_flash_req req[DEPTH];	/* the first @depth of them */
	struct ssdqos_rng rng;
	struct seen seen = { 0 };
	u32 i, left = NR_REQUESTS;

	ssdqos_rng_seed(&rng, seed);
	for (i = 0; i < depth; i++)
		submit_any(f, &rng, &req[i]);
	while (left) {
		helper_step(f);
		ssdqos_flash_take_done(f);
		look(f, &seen);
		for (i = 0; i < depth && left; i++)
			if (req[i].complete_ns != SSDQOS_NEVER_NS) {
				submit_any(f, &rng, &req[i]);
				left--;
			}
	}
	helper_settle(f);
	look(f, &seen);
	assert_int_equal(f->nr_held, 0);
	helper_check(f);
	return seen;
}

static struct seen run_depth(const struct ssdqos_flash_config *cfg, u32 depth,
			     struct ssdqos_flash_stats *stats)
{
	struct ssdqos_flash *f = helper_create(cfg, SIZE_MIB);
	struct seen seen = run(f, 7, depth);

	*stats = *ssdqos_flash_stats(f);
	ssdqos_flash_destroy(f);
	assert_true(stats->gc_blocks > 100);
	return seen;
}

static struct seen run_config(const struct ssdqos_flash_config *cfg, struct ssdqos_flash_stats *stats)
{
	return run_depth(cfg, DEPTH, stats);
}

/* ---- what is held ---- */

static void nothing_holds_no_plane(void **state)
{
	struct ssdqos_flash_config cfg = config(SSDQOS_FLASH_GC_BLOCKS_NOTHING);
	struct ssdqos_flash_stats stats;
	struct seen seen = run_config(&cfg, &stats);

	assert_int_equal(seen.most_held, 0);
	assert_int_equal(seen.parked, 0);
	assert_true(seen.most_in_channel > 1);
	assert_int_equal(stats.turns_refused, 0);
}

static void a_plane_is_held_alone(void **state)
{
	struct ssdqos_flash_config cfg = config(SSDQOS_FLASH_GC_BLOCKS_PLANE);
	struct ssdqos_flash_stats stats;
	struct seen seen = run_config(&cfg, &stats);

	assert_true(seen.most_emptying > 1);
	assert_int_equal(seen.most_held, seen.most_emptying);
	assert_true(seen.parked > 0);
	assert_int_equal(stats.turns_refused, 0);
}

static void a_channel_empties_one_block_at_a_time(void **state)
{
	struct ssdqos_flash_config cfg = config(SSDQOS_FLASH_GC_BLOCKS_CHANNEL);
	struct ssdqos_flash_stats stats;
	struct seen seen = run_config(&cfg, &stats);

	assert_int_equal(seen.most_in_channel, 1);
	assert_true(seen.most_emptying > 1);
	assert_int_equal(seen.most_held, seen.most_emptying * CHIPS);
	assert_true(stats.turns_refused > 0);
}

static void a_controller_empties_one_block_at_a_time(void **state)
{
	struct ssdqos_flash_config cfg = config(SSDQOS_FLASH_GC_BLOCKS_CONTROLLER);
	struct ssdqos_flash_stats stats;
	struct seen seen = run_config(&cfg, &stats);

	assert_int_equal(seen.most_emptying, 1);
	assert_int_equal(seen.most_held, CHANNELS * CHIPS);
}

/* A plane holds its channel only when it has next to nothing free. */
static void who_preempts_holds_when_it_must(void **state)
{
	struct ssdqos_flash_config cfg = config(SSDQOS_FLASH_GC_BLOCKS_PREEMPTIVE);
	struct ssdqos_flash_stats stats;
	struct seen seen;

	cfg.gc_hard_blocks = 1;
	cfg.gc_start_blocks = 6;
	cfg.gc_stop_blocks = 8;
	seen = run_config(&cfg, &stats);
	assert_true(seen.most_emptying > 1);
	cfg.gc_hard_blocks = 64;	/* always */
	seen = run_config(&cfg, &stats);
	assert_int_equal(seen.most_in_channel, 1);
	assert_int_equal(seen.most_held, seen.most_emptying * CHIPS);
}

static void chips_with_one_array_are_held_whole(void **state)
{
	struct ssdqos_flash_config cfg = config(SSDQOS_FLASH_GC_BLOCKS_PLANE);
	struct ssdqos_flash_stats stats;
	struct seen seen;

	cfg.chips_per_channel = 1;
	cfg.planes_per_chip = CHIPS;
	cfg.array_scope = SSDQOS_FLASH_ARRAY_CHIP;
	seen = run_config(&cfg, &stats);
	assert_true(seen.most_held >= CHIPS);
	assert_int_equal(seen.most_held % CHIPS, 0);
}

/* As if a block with so many valid units were being emptied. */
static void occupy(struct ssdqos_flash *f, u32 plane, u16 valid)
{
	struct flash_mover *m = flash_mover(f, plane, SSDQOS_TASK_GC);

	m->state = FLASH_MOVER_COPYING;
	m->victim = plane * f->geo.blocks_per_plane;
	f->blocks[m->victim].valid = valid;
	flash_hold(f, plane);
}

static void vacate(struct ssdqos_flash *f, u32 plane)
{
	flash_mover(f, plane, SSDQOS_TASK_GC)->state = FLASH_MOVER_OFF;
	flash_hold_release(f, plane);
}

/* Two planes of a chip hold both of them: until the last one ends, whichever began last. */
static void a_chip_is_held_until_all_its_planes_have_ended(void **state)
{
	struct ssdqos_flash_config cfg = config(SSDQOS_FLASH_GC_BLOCKS_PLANE);
	struct ssdqos_flash *f;
	u64 long_ns, short_ns;
	u32 b;

	cfg.chips_per_channel = 1;
	cfg.planes_per_chip = CHIPS;
	cfg.array_scope = SSDQOS_FLASH_ARRAY_CHIP;
	cfg.aged_pct = 0;
	f = helper_create(&cfg, SIZE_MIB);
	b = f->geo.nr_chips;
	assert_int_equal(f->planes[b].chip, f->planes[0].chip);
	occupy(f, b, 3);
	short_ns = flash_plane_left_ns(f, 0);
	vacate(f, b);
	occupy(f, 0, 10);
	long_ns = flash_plane_left_ns(f, b);
	assert_true(long_ns > short_ns);
	occupy(f, b, 3);
	assert_int_equal(flash_plane_left_ns(f, 0), long_ns);
	assert_int_equal(flash_plane_left_ns(f, b), long_ns);
	vacate(f, b);
	assert_int_equal(flash_plane_left_ns(f, 0), long_ns);
	assert_int_equal(flash_plane_left_ns(f, b), long_ns);
	vacate(f, 0);
	assert_int_equal(flash_plane_left_ns(f, 0), 0);
	ssdqos_flash_destroy(f);
}

/* An upper bound for all of them: no read ever waits for collection. */
static void ideal_collection_is_not_felt(void **state)
{
	struct ssdqos_flash_config cfg = config(SSDQOS_FLASH_GC_BLOCKS_CONTROLLER);
	struct ssdqos_flash_host_waits waits;
	struct ssdqos_flash *f;
	struct seen seen;

	cfg.gc_ideal = 1;
	f = helper_create(&cfg, SIZE_MIB);
	seen = run(f, 7, DEPTH);
	waits = f->host_waits;
	assert_true(f->stats.gc_blocks > 100);
	assert_int_equal(seen.most_held, 0);
	assert_true(waits.ns[SSDQOS_WAIT_BY_GC] == 0);
	ssdqos_flash_destroy(f);
}

/* ---- turns ---- */

static void stripes_groups_take_turns(void **state)
{
	struct ssdqos_flash_config cfg = striped(SSDQOS_FLASH_GC_BLOCKS_PLANE, SSDQOS_FLASH_ROTATE_OFF);
	struct ssdqos_flash_stats stats;
	struct seen seen = run_config(&cfg, &stats);

	assert_true(seen.most_in_group > 1);
	assert_true(stats.blocked_reads > 0);

	cfg.rotate = SSDQOS_FLASH_ROTATE_FORCED;
	seen = run_config(&cfg, &stats);
	assert_int_equal(seen.most_in_group, 1);
	assert_true(stats.turns_refused > 0);
	assert_int_equal(stats.turns_overridden, 0);
	assert_int_equal(stats.blocked_reads, 0);
	assert_true(stats.reconstructed_reads > 0);
}

/* Turns are passed over only where that is counted. */
static void turns_are_overridden_for_room(void **state)
{
	struct ssdqos_flash_config cfg = striped(SSDQOS_FLASH_GC_BLOCKS_PLANE, SSDQOS_FLASH_ROTATE_ON);
	struct ssdqos_flash_stats stats;
	struct seen seen;

	cfg.gc_start_blocks = 3;
	cfg.gc_stop_blocks = 4;
	seen = run_config(&cfg, &stats);
	assert_true(stats.turns_overridden > 0);
	assert_true(seen.most_in_group > 1);

	/* one plane of four can keep up with a host that waits for each program */
	cfg.cache = SSDQOS_FLASH_CACHE_NONE;
	cfg.gc_start_blocks = 16;
	cfg.gc_stop_blocks = 18;
	cfg.op_permille = 400;
	seen = run_depth(&cfg, 1, &stats);
	assert_int_equal(stats.turns_overridden, 0);
	assert_int_equal(seen.most_in_group, 1);
	assert_int_equal(stats.blocked_reads, 0);
}

/* Scrubbing and wear levelling wait for the turn, too. */
static void all_that_empties_blocks_takes_turns(void **state)
{
	struct ssdqos_flash_config cfg = striped(SSDQOS_FLASH_GC_BLOCKS_NOTHING, SSDQOS_FLASH_ROTATE_FORCED);
	struct ssdqos_flash_stats stats;
	struct seen seen;

	cfg.aged_reads = 1000;
	cfg.scrub_start_reads = 900;
	cfg.scrub_stop_reads = 850;
	cfg.aged_pe_cycles = 100;
	cfg.wear_start_cycles = 5;
	seen = run_config(&cfg, &stats);
	assert_true(stats.scrub_blocks > 0);
	assert_true(stats.wear_blocks > 0);
	assert_int_equal(seen.most_in_group, 1);
}

/* Two planes wait for a third, to collect and to scrub, and then find nothing to collect: each
 * is to have its turn once, not to hand it to the other for ever.
 */
static void a_turn_is_for_all_that_empties_blocks(void **state)
{
	struct ssdqos_flash_config cfg = config(SSDQOS_FLASH_GC_BLOCKS_CONTROLLER);
	struct ssdqos_flash *f;
	u32 i;

	cfg.aged_pct = 0;
	cfg.scrub_start_reads = 100;
	cfg.scrub_stop_reads = 80;
	f = helper_create(&cfg, SIZE_MIB);
	helper_do(f, SSDQOS_FLASH_WRITE, 0, 1024);	/* all of it is valid */
	helper_settle(f);
	f->gc_start = f->gc_stop = f->geo.blocks_per_plane;
	assert_true(flash_turn_take(f, 2));
	for (i = 0; i < 2; i++) {
		assert_true(flash_scrub_max(f, i) == 0);
		f->blocks[f->planes[i].read_max_block].read_count = 101;
		flash_gc_check(f, i);
		assert_int_equal(flash_mover(f, i, SSDQOS_TASK_GC)->state, FLASH_MOVER_SEEKING);
	}
	flash_turn_put(f, 2);
	alarm(ENOUGH_S);	/* nothing else would end it */
	flash_settle_marks(f);
	alarm(0);
	assert_int_equal(f->stats.scrub_blocks, 1);
	helper_settle(f);
	assert_int_equal(f->stats.scrub_blocks, 2);
	assert_int_equal(f->stats.gc_blocks, 0);
	helper_check(f);
	ssdqos_flash_destroy(f);
}

static void turns_may_change_at_any_time(void **state)
{
	static const char *const values[] = { "off", "forced", "on", "off", "on", "forced" };
	static const char *const levels[] = { "plane", "preemptive", "none", "bursts", "plane", "none" };
	struct ssdqos_flash_config cfg = striped(SSDQOS_FLASH_GC_BLOCKS_PLANE, SSDQOS_FLASH_ROTATE_ON);
	struct ssdqos_flash *f = helper_create(&cfg, SIZE_MIB);
	u32 i;

	for (i = 0; i < ARRAY_SIZE(values); i++) {
		assert_int_equal(ssdqos_flash_set(f, "rotate", values[i], helper_err, sizeof(helper_err)), 0);
		assert_int_equal(ssdqos_flash_set(f, "gc_blocking", levels[i], helper_err,
						  sizeof(helper_err)), 0);
		run(f, i, DEPTH);
	}
	ssdqos_flash_destroy(f);
}

static void set_turns(struct ssdqos_flash *f, u64 rotate, u32 start, u32 stop)
{
	struct ssdqos_flash_config cfg = f->cfg;

	cfg.rotate = rotate;
	cfg.gc_start_blocks = start;
	cfg.gc_stop_blocks = stop;
	assert_int_equal(ssdqos_flash_retune(f, &cfg, helper_err, sizeof(helper_err)), 0);
}

/* Turns go off when a plane waits for one, which then needs none; and come back. */
static void check_off_and_on(u64 seed)
{
	static struct ssdqos_flash_req req[HELPER_MAX_DEPTH];
	struct ssdqos_flash_config cfg = helper_config(SSDQOS_FLASH_AUTOSSD);
	struct ssdqos_flash *f;
	struct ssdqos_rng rng;
	u32 k, i;

	cfg.allocation = SSDQOS_FLASH_STATIC;
	cfg.rain = 1;
	cfg.rotate = SSDQOS_FLASH_ROTATE_FORCED;
	cfg.gc_blocking = SSDQOS_FLASH_GC_BLOCKS_PLANE;
	cfg.channels = CHANNELS;
	cfg.chips_per_channel = CHIPS;
	cfg.planes_per_chip = 1;
	cfg.pages_per_block = 16;
	cfg.op_permille = 800;
	cfg.buffer_kib = 512;
	cfg.gc_start_blocks = 8;
	cfg.gc_stop_blocks = 12;
	cfg.aged_pct = 100;
	f = helper_create(&cfg, SIZE_MIB);
	ssdqos_rng_seed(&rng, seed);
	for (k = 0; k < 20000; k++) {
		if (k % 100 == 50)
			set_turns(f, SSDQOS_FLASH_ROTATE_OFF, 2, 3);
		if (k % 100 == 51 + seed % 5)
			set_turns(f, SSDQOS_FLASH_ROTATE_FORCED, 8, 12);
		for (i = 0; i < ARRAY_SIZE(req); i++)
			if (!k || req[i].complete_ns != SSDQOS_NEVER_NS)
				helper_submit_units(f, &req[i], SSDQOS_FLASH_WRITE,
						    ssdqos_rng_below(&rng, f->geo.nr_lpn - 4), 1);
		/* writes wait, so something has to come */
		assert_true(ssdqos_flash_next_ns(f) != SSDQOS_NEVER_NS);
		ssdqos_flash_advance(f, max(f->now_ns + 200000, ssdqos_flash_next_ns(f)));
		ssdqos_flash_take_done(f);
	}
	helper_settle(f);
	helper_check(f);
	ssdqos_flash_destroy(f);
}

static void turns_leave_nothing_behind(void **state)
{
	u64 seed;

	for (seed = 0; seed < 20; seed++)
		check_off_and_on(seed);
}

/* ---- reads that go round ---- */

/* Write until a plane is held, and return it. */
static u32 reach_hold(struct ssdqos_flash *f)
{
	static struct ssdqos_flash_req req;
	u32 i, plane;

	for (i = 0;; i++) {
		assert_true(i < 100 * f->geo.nr_lpn);
		helper_submit_units(f, &req, SSDQOS_FLASH_WRITE, i * 7 % f->geo.nr_lpn, 1);
		while (req.complete_ns == SSDQOS_NEVER_NS)
			helper_step(f);
		ssdqos_flash_take_done(f);
		for (plane = 0; f->nr_held && plane < f->geo.nr_planes; plane++)
			if (f->holds[plane].held)
				return plane;
	}
}

static u32 unit_in(const struct ssdqos_flash *f, u32 plane)
{
	u32 lpn = 0;

	while (f->l2p[lpn] & FLASH_IN_BUFFER || flash_plane_of(f, f->l2p[lpn]) != plane ||
	       f->l2p[f->layout->partner(f, lpn)] & FLASH_IN_BUFFER)
		lpn++;
	return lpn;
}

static void a_read_of_a_held_plane_is_rebuilt(void **state)
{
	struct ssdqos_flash_config cfg = striped(SSDQOS_FLASH_GC_BLOCKS_PLANE, SSDQOS_FLASH_ROTATE_FORCED);
	struct ssdqos_flash_req req;
	struct ssdqos_flash *f;
	u32 plane, victim;
	u64 on;

	for (on = 0; on <= 1; on++) {
		cfg.rain_reconstruct = on;
		f = helper_create(&cfg, SIZE_MIB);
		plane = reach_hold(f);
		victim = flash_mover(f, plane, SSDQOS_TASK_GC)->victim;
		helper_submit_units(f, &req, SSDQOS_FLASH_READ, unit_in(f, plane), 1);
		while (req.complete_ns == SSDQOS_NEVER_NS &&
		       flash_mover(f, plane, SSDQOS_TASK_GC)->victim == victim)
			helper_step(f);
		/* it ends while that block is still being emptied, or not before */
		assert_int_equal(req.complete_ns != SSDQOS_NEVER_NS, on);
		assert_int_equal(f->stats.reconstructed_reads, on);
		helper_wait(f, &req);
		helper_settle(f);
		ssdqos_flash_destroy(f);
	}
}

/* A read that has waited for its chip when the block begins to be emptied goes round then. */
static void a_read_that_waits_goes_round_later(void **state)
{
	struct ssdqos_flash_config cfg = striped(SSDQOS_FLASH_GC_BLOCKS_PLANE, SSDQOS_FLASH_ROTATE_FORCED);
	struct ssdqos_flash_stats stats;

	cfg.chip_queue_depth = 1;
	run_config(&cfg, &stats);
	assert_true(stats.reconstructed_late > 0);
	assert_true(stats.reconstructed_late <= stats.reconstructed_reads);
}

/* ---- what is refused ---- */

static void check_refused(struct ssdqos_flash_config cfg, const char *sentence)
{
	assert_null(ssdqos_flash_create(&cfg, SIZE_MIB * MIB_SECTORS, helper_err, sizeof(helper_err)));
	assert_string_equal(helper_err, sentence);
}

static void what_does_not_fit_is_refused(void **state)
{
	struct ssdqos_flash_config cfg = striped(SSDQOS_FLASH_GC_BLOCKS_PLANE, SSDQOS_FLASH_ROTATE_ON);

	cfg.rain_width = 2;
	check_refused(cfg, "rain_width: '2' is not a divisor of channels (4) from 3 on, or 0");
	cfg.rain_width = 3;
	check_refused(cfg, "rain_width: '3' is not a divisor of channels (4) from 3 on, or 0");
	cfg.rain_width = 0;
	cfg.gc_blocking = SSDQOS_FLASH_GC_BLOCKS_CHANNEL;
	check_refused(cfg, "rotate: needs gc_blocking none, plane or preemptive, because others block planes of all groups");
	cfg.gc_blocking = SSDQOS_FLASH_GC_BLOCKS_PLANE;
	cfg.rain = 0;
	check_refused(cfg, "rotate: needs rain 'on', because planes take turns within the stripes' groups");
}

#define TEST(name) cmocka_unit_test_setup_teardown(name, helper_start, helper_finish)

int main(void)
{
	const struct CMUnitTest tests[] = {
		TEST(nothing_holds_no_plane),
		TEST(a_plane_is_held_alone),
		TEST(a_channel_empties_one_block_at_a_time),
		TEST(a_controller_empties_one_block_at_a_time),
		TEST(who_preempts_holds_when_it_must),
		TEST(chips_with_one_array_are_held_whole),
		TEST(a_chip_is_held_until_all_its_planes_have_ended),
		TEST(ideal_collection_is_not_felt),
		TEST(stripes_groups_take_turns),
		TEST(turns_are_overridden_for_room),
		TEST(all_that_empties_blocks_takes_turns),
		TEST(a_turn_is_for_all_that_empties_blocks),
		TEST(turns_may_change_at_any_time),
		TEST(turns_leave_nothing_behind),
		TEST(a_read_of_a_held_plane_is_rebuilt),
		TEST(a_read_that_waits_goes_round_later),
		TEST(what_does_not_fit_is_refused),
	};

	return cmocka_run_group_tests_name("flash_hold", tests, NULL, NULL);
}
