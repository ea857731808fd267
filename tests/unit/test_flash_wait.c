// SPDX-License-Identifier: GPL-2.0
/*
 * Where the time of a request goes: causes add up to it, to the nanosecond.
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <cmocka.h>

#include "../../dm-ssdqos/core/engine/rng.h"
#include "../../dm-ssdqos/core/flash/life/life.h"
#include "flash_helper.h"

#define SIZE_MIB 64
#define T_R 50000u
#define T_PROG 500000u
#define T_ERASE 5000000u
#define X_UNIT 10240u
#define X_PAGE 40960u
#define T_RAM 2000u
#define LONG_NS 100000000000ULL	/* by then everything has ended */

static u64 sum(const struct ssdqos_flash_req *req)
{
	u64 ns = 0;
	u32 i;

	for (i = 0; i < SSDQOS_NR_WAITS; i++)
		ns += req->wait_ns[i];
	return ns;
}

/* Nothing but these causes. */
static void check_waits(const struct ssdqos_flash_req *req, u64 flash_ns, u64 sched_ns, u32 cause,
			u64 cause_ns)
{
	assert_int_equal(req->wait_ns[SSDQOS_WAIT_FLASH], flash_ns);
	assert_int_equal(req->wait_ns[SSDQOS_WAIT_SCHED], sched_ns);
	assert_int_equal(req->wait_ns[cause], cause_ns);
	assert_int_equal(sum(req), flash_ns + sched_ns + cause_ns);
	assert_int_equal(sum(req), helper_latency(req));
}

/* ---- one cause at a time, computed by hand ---- */

static struct ssdqos_flash_config one_plane(void)
{
	struct ssdqos_flash_config cfg = helper_config(SSDQOS_FLASH_AUTOSSD);

	cfg.channels = 1;
	cfg.chips_per_channel = 1;
	cfg.planes_per_chip = 1;
	cfg.pages_per_block = 64;
	cfg.registers = 1;
	return cfg;
}

static struct ssdqos_flash *written(struct ssdqos_flash_config cfg)
{
	struct ssdqos_flash *f = helper_create(&cfg, SIZE_MIB);

	helper_do(f, SSDQOS_FLASH_WRITE, 0, 512);
	helper_settle(f);
	return f;
}

static void lone_read_is_flash_alone(void **state)
{
	struct ssdqos_flash *f = written(one_plane());
	struct ssdqos_flash_req req;

	helper_submit_units(f, &req, SSDQOS_FLASH_READ, 7, 1);
	helper_settle(f);
	check_waits(&req, T_R + X_UNIT, 0, SSDQOS_WAIT_BY_HOST, 0);
	helper_submit_units(f, &req, SSDQOS_FLASH_READ, 4, 4);
	helper_settle(f);
	check_waits(&req, T_R + X_PAGE, 0, SSDQOS_WAIT_BY_HOST, 0);
	ssdqos_flash_destroy(f);
}

static void memory_is_the_controllers(void **state)
{
	struct ssdqos_flash *f = written(one_plane());
	struct ssdqos_flash_req req;

	helper_submit_units(f, &req, SSDQOS_FLASH_READ, 9000, 1);
	helper_settle(f);
	check_waits(&req, 0, 0, SSDQOS_WAIT_CONTROLLER, T_RAM);
	helper_submit_units(f, &req, SSDQOS_FLASH_WRITE, 9000, 1);
	helper_settle(f);
	check_waits(&req, 0, 0, SSDQOS_WAIT_CONTROLLER, T_RAM);
	ssdqos_flash_destroy(f);
}

/* In front: a read's array and, with one register, its transfer. */
static void wait_for_another_read(void **state)
{
	struct ssdqos_flash *f = written(one_plane());
	struct ssdqos_flash_req a, b;

	helper_submit_units(f, &a, SSDQOS_FLASH_READ, 7, 1);
	helper_submit_units(f, &b, SSDQOS_FLASH_READ, 77, 1);
	helper_settle(f);
	check_waits(&a, T_R + X_UNIT, 0, SSDQOS_WAIT_BY_HOST, 0);
	/* no one's array works while the register is being emptied */
	check_waits(&b, T_R + X_UNIT, X_UNIT, SSDQOS_WAIT_BY_HOST, T_R);
	ssdqos_flash_destroy(f);
}

/* While the controller still makes the first operation, its plane is not busy. */
static void making_is_nobodys_work(void **state)
{
	struct ssdqos_flash_config cfg = one_plane();
	struct ssdqos_flash_req a, b;
	struct ssdqos_flash *f;

	cfg.host_delay_min_ns = 3000;
	cfg.host_delay_max_ns = 3000;
	f = written(cfg);
	helper_submit_units(f, &a, SSDQOS_FLASH_READ, 7, 1);
	helper_submit_units(f, &b, SSDQOS_FLASH_READ, 77, 1);
	helper_settle(f);
	check_waits(&a, T_R + X_UNIT, 0, SSDQOS_WAIT_CONTROLLER, 3000);
	check_waits(&b, T_R + X_UNIT, 3000 + X_UNIT, SSDQOS_WAIT_BY_HOST, T_R);
	ssdqos_flash_destroy(f);
}

static void wait_for_the_channel(void **state)
{
	struct ssdqos_flash_config cfg = one_plane();
	struct ssdqos_flash_req a, b;
	struct ssdqos_flash *f;

	cfg.planes_per_chip = 2;
	cfg.allocation = SSDQOS_FLASH_STATIC;
	f = written(cfg);
	assert_int_equal(ssdqos_flash_geo(f)->nr_planes, 2);
	helper_submit_units(f, &a, SSDQOS_FLASH_READ, 0, 4);
	helper_submit_units(f, &b, SSDQOS_FLASH_READ, 4, 4);
	helper_settle(f);
	check_waits(&a, T_R + X_PAGE, 0, SSDQOS_WAIT_BY_HOST, 0);
	check_waits(&b, T_R + X_PAGE, 0, SSDQOS_WAIT_BY_HOST, X_PAGE);
	ssdqos_flash_destroy(f);
}

static void wait_for_a_program(void **state)
{
	struct ssdqos_flash *f = written(one_plane());
	struct ssdqos_flash_req w, r;
	u32 late = 30000;

	helper_submit_units(f, &w, SSDQOS_FLASH_WRITE, 1000, 4);
	ssdqos_flash_advance(f, helper_now(f) + late);
	helper_submit_units(f, &r, SSDQOS_FLASH_READ, 7, 1);
	helper_settle(f);
	/* what is left of the transfer into the register is nobody's array */
	check_waits(&r, T_R + X_UNIT, X_PAGE - late, SSDQOS_WAIT_BY_FLUSH, T_PROG);
	ssdqos_flash_destroy(f);
}

static void wait_for_the_scheduler(void **state)
{
	struct ssdqos_flash_config cfg = one_plane();
	struct ssdqos_flash_req a, b;
	struct ssdqos_flash *f;

	cfg.chip_queue_depth = 1;
	f = written(cfg);
	helper_submit_units(f, &a, SSDQOS_FLASH_READ, 7, 1);
	ssdqos_flash_advance(f, helper_now(f) + 1000);
	helper_submit_units(f, &b, SSDQOS_FLASH_READ, 77, 1);
	helper_settle(f);
	check_waits(&b, T_R + X_UNIT, T_R + X_UNIT - 1000, SSDQOS_WAIT_BY_HOST, 0);
	ssdqos_flash_destroy(f);
}

static void wait_for_the_controller(void **state)
{
	struct ssdqos_flash_config cfg = one_plane();
	struct ssdqos_flash_req req;
	struct ssdqos_flash *f;

	cfg.lookup_min_ns = 700;
	cfg.lookup_max_ns = 700;
	cfg.host_delay_min_ns = 1100;
	cfg.host_delay_max_ns = 1100;
	f = written(cfg);
	helper_submit_units(f, &req, SSDQOS_FLASH_READ, 7, 1);
	helper_settle(f);
	check_waits(&req, T_R + X_UNIT, 0, SSDQOS_WAIT_CONTROLLER, 1800);
	ssdqos_flash_destroy(f);
}

/* Its handling is the controller's, what lies in front of it is a queue. */
static void a_command_is_no_wait(void **state)
{
	struct ssdqos_flash_config cfg = one_plane();
	struct ssdqos_flash_req a, b;
	struct ssdqos_flash *f;

	cfg.read_command_ns = 70000;	/* longer than a read: none meets another */
	f = written(cfg);
	helper_submit_units(f, &a, SSDQOS_FLASH_READ, 7, 1);
	helper_submit_units(f, &b, SSDQOS_FLASH_READ, 77, 1);
	helper_settle(f);
	check_waits(&a, T_R + X_UNIT, 0, SSDQOS_WAIT_CONTROLLER, 70000);
	assert_int_equal(a.met, 0);
	assert_int_equal(b.wait_ns[SSDQOS_WAIT_CONTROLLER], 70000);
	assert_int_equal(b.wait_ns[SSDQOS_WAIT_SLOT], 70000);
	assert_int_equal(b.met, SSDQOS_FLASH_MET_QUEUE);
	ssdqos_flash_destroy(f);
}

static void delays_are_between_their_bounds(void **state)
{
	struct ssdqos_flash_config cfg = one_plane();
	u64 least = ~0ULL, most = 0, ns;
	struct ssdqos_flash_req req;
	struct ssdqos_flash *f;
	u32 i;

	cfg.lookup_min_ns = 5;
	cfg.lookup_max_ns = 8;
	cfg.host_delay_min_ns = 100;
	cfg.host_delay_max_ns = 100;
	f = written(cfg);
	for (i = 0; i < 200; i++) {
		helper_submit_units(f, &req, SSDQOS_FLASH_READ, i, 1);
		helper_wait(f, &req);
		ns = req.wait_ns[SSDQOS_WAIT_CONTROLLER];
		least = ns < least ? ns : least;
		most = ns > most ? ns : most;
	}
	assert_int_equal(least, 105);
	assert_int_equal(most, 108);
	ssdqos_flash_destroy(f);
}

static void wait_for_room_in_the_buffer(void **state)
{
	struct ssdqos_flash_config cfg = one_plane();
	struct ssdqos_flash_req req;
	struct ssdqos_flash *f;

	cfg.buffer_kib = 64;
	f = written(cfg);
	helper_submit_units(f, &req, SSDQOS_FLASH_WRITE, 1000, 20);
	helper_settle(f);
	/* one page of five has to be out first */
	assert_int_equal(req.wait_ns[SSDQOS_WAIT_CONTROLLER], T_RAM);
	assert_int_equal(req.wait_ns[SSDQOS_WAIT_SLOT], X_PAGE + T_PROG);
	assert_int_equal(helper_latency(&req), X_PAGE + T_PROG + T_RAM);
	ssdqos_flash_destroy(f);
}

/* ---- what is counted ---- */

/* The part that ends last has waited for nothing; the other has. */
static void one_part_that_waited_is_enough(void **state)
{
	struct ssdqos_flash_config cfg = one_plane();
	struct ssdqos_flash_req a, b;
	struct ssdqos_flash *f;

	cfg.channels = 2;
	cfg.allocation = SSDQOS_FLASH_STATIC;
	f = written(cfg);
	helper_submit_units(f, &a, SSDQOS_FLASH_READ, 0, 1);
	ssdqos_flash_advance(f, helper_now(f) + T_R + X_UNIT - 1000);
	helper_submit_units(f, &b, SSDQOS_FLASH_READ, 3, 5);
	helper_settle(f);
	check_waits(&b, T_R + X_PAGE, 0, SSDQOS_WAIT_BY_HOST, 0);
	assert_int_equal(b.met, SSDQOS_FLASH_MET_QUEUE);
	assert_int_equal(ssdqos_flash_stats(f)->queue_blocked_reads, 1);
	assert_int_equal(ssdqos_flash_stats(f)->reads, 2);
	ssdqos_flash_destroy(f);
}

/* Reads of a write's old data wait, too, but the host has not read. */
static void old_data_is_no_host_read(void **state)
{
	struct ssdqos_flash *f = written(one_plane());
	struct ssdqos_flash_req req[8];
	u32 i;

	for (i = 0; i < 8; i++)
		helper_submit(f, &req[i], SSDQOS_FLASH_WRITE, i * 80 + 1, 1);
	helper_settle(f);
	assert_int_equal(ssdqos_flash_stats(f)->rmw_reads, 8);
	assert_int_equal(req[7].met, SSDQOS_FLASH_MET_QUEUE);
	assert_int_equal(ssdqos_flash_stats(f)->reads, 0);
	assert_int_equal(ssdqos_flash_stats(f)->queue_blocked_reads, 0);
	ssdqos_flash_destroy(f);
}

/* ---- all of them ---- */

struct totals {
	u64 ns[SSDQOS_NR_WAITS];
	u32 reads;
	u32 met_gc;
	u32 met_queue;
};

/* What a read met is what it waited for; that of several parts, at least what
 * the one waited for that ended last.
 */
static void check_met(struct totals *t, const struct ssdqos_flash_req *req, bool one_part)
{
	const u64 *ns = req->wait_ns;
	u64 gc_ns = ns[SSDQOS_WAIT_BY_GC], queue_ns = sum(req) - gc_ns - ns[SSDQOS_WAIT_FLASH] -
		    ns[SSDQOS_WAIT_CONTROLLER] - ns[SSDQOS_WAIT_MAP_MISS];
	u32 waited = (gc_ns ? SSDQOS_FLASH_MET_GC : 0) | (queue_ns ? SSDQOS_FLASH_MET_QUEUE : 0);

	assert_int_equal(req->met & waited, waited);
	if (one_part)
		assert_int_equal(req->met, waited);
	t->met_gc += !!(req->met & SSDQOS_FLASH_MET_GC);
	t->met_queue += !!(req->met & SSDQOS_FLASH_MET_QUEUE);
}

static bool is_in_one_unit(const struct ssdqos_flash_req *req)
{
	return req->sector / 8 == (req->sector + req->nr_sectors - 1) / 8;
}

static void count_read(struct ssdqos_flash *f, struct totals *t, const struct ssdqos_flash_req *req)
{
	u32 i;

	assert_true(sum(req) == helper_latency(req));
	if (req->op != SSDQOS_FLASH_READ)
		return;
	for (i = 0; i < SSDQOS_NR_WAITS; i++)
		t->ns[i] += req->wait_ns[i];
	t->reads++;
	check_met(t, req, is_in_one_unit(req) && !ssdqos_flash_config(f)->rain);
}

/* Random requests, 48 at a time; each one's causes add up. */
static void check_sums(struct ssdqos_flash *f, u64 seed, u32 nr, struct totals *t)
{
	static struct ssdqos_flash_req req[48];
	struct ssdqos_flash_req *done, *next;
	u32 units = ssdqos_flash_geo(f)->nr_lpn, submitted = 0;
	const struct ssdqos_flash_stats *s = ssdqos_flash_stats(f);
	u32 reads = t->reads, gc = t->met_gc, queue = t->met_queue;
	struct ssdqos_rng rng;

	ssdqos_rng_seed(&rng, seed);
	for (; submitted < ARRAY_SIZE(req); submitted++)
		helper_submit(f, &req[submitted], submitted % 3 ? SSDQOS_FLASH_READ :
			      SSDQOS_FLASH_WRITE, ssdqos_rng_below(&rng, (units - 20) * 8), 9);
	while (submitted < nr) {
		ssdqos_flash_advance(f, ssdqos_flash_next_ns(f));
		for (done = ssdqos_flash_take_done(f); done; done = next) {
			next = done->next;
			count_read(f, t, done);
			helper_submit(f, done, ssdqos_rng_below(&rng, 10) < 6 ? SSDQOS_FLASH_READ :
				      ssdqos_rng_below(&rng, 40) ? SSDQOS_FLASH_WRITE :
				      SSDQOS_FLASH_DISCARD,
				      ssdqos_rng_below(&rng, (units - 20) * 8),
				      1 + ssdqos_rng_below(&rng, 100));
			submitted++;
		}
	}
	ssdqos_flash_advance(f, helper_now(f) + LONG_NS);
	for (done = ssdqos_flash_take_done(f); done; done = done->next)
		count_read(f, t, done);
	assert_int_equal(t->reads - reads, s->reads);
	assert_int_equal(t->met_gc - gc, s->gc_blocked_reads);
	assert_int_equal(t->met_queue - queue, s->queue_blocked_reads);
}

static struct ssdqos_flash_config busy(u32 scheduler)
{
	struct ssdqos_flash_config cfg = helper_config(SSDQOS_FLASH_AUTOSSD);

	cfg.scheduler = scheduler;
	cfg.channels = 2;
	cfg.chips_per_channel = 2;
	cfg.pages_per_block = 16;
	cfg.aged_pct = 100;
	cfg.map_cache_kib = 32;
	cfg.lookup_max_ns = 1000;
	cfg.host_delay_max_ns = 2000;
	cfg.internal_delay_max_ns = 3000;
	cfg.aged_reads = 1000;
	cfg.scrub_start_reads = 980;
	cfg.scrub_stop_reads = 900;
	cfg.wear_start_cycles = 5;
	cfg.aged_bs = cfg.page_kib << 10;	/* so that pages are all valid, and copied */
	cfg.gc_copyback = 1;
	cfg.verify = 1;
	cfg.verify_share_mode = SSDQOS_FLASH_SHARE_FEEDBACK;
	cfg.verify_share_p_ppm = 100000;
	cfg.verify_target = 1;
	return cfg;
}

/* All but a slot; a task that does nothing makes nobody wait, but those with a share
 * of their own, and the host, all work here.
 */
static bool is_waited_for(u32 cause, const u64 *issued)
{
	u32 task = cause - SSDQOS_WAIT_BY_HOST;

	if (cause < SSDQOS_WAIT_BY_HOST)
		return cause != SSDQOS_WAIT_SLOT;
	assert_true(issued[task] ||
		    (task != SSDQOS_TASK_HOST && ssdqos_flash_task_rows[task].share == SSDQOS_NIL));
	return issued[task];
}

static void causes_add_up_with_every_scheduler(void **state)
{
	u64 issued[SSDQOS_NR_TASKS] = { 0 };
	struct totals t = { .reads = 0 };
	struct ssdqos_flash_config cfg;
	struct ssdqos_flash *f;
	u32 i, k;

	for (i = 0; i < 8; i++) {
		cfg = busy(i % 4);
		cfg.allocation = i / 4;
		cfg.rain = i / 4;
		cfg.registers = 1 + i % 2;
		cfg.erase_suspend_ns = i / 2 % 2 * 100000;
		cfg.program_suspend_ns = i / 4 * 20000;
		f = helper_create(&cfg, SIZE_MIB);
		check_sums(f, i, 4000, &t);
		for (k = 0; k < SSDQOS_NR_TASKS; k++)
			issued[k] += ssdqos_flash_task_stats(f, k)->issued;
		ssdqos_flash_destroy(f);
	}
	assert_true(t.reads > 15000);
	assert_true(t.met_gc > 1000 && t.met_gc < t.reads);
	for (k = 0; k < SSDQOS_NR_WAITS; k++)
		if (!t.ns[k] && is_waited_for(k, issued))
			fail_msg("no read waited for %s", ssdqos_flash_wait_names[k]);
}

/* The host's flash reads and single-unit read requests are the same here. */
static void host_waits_are_the_sum_of_reads(void **state)
{
	struct ssdqos_flash_config cfg = busy(SSDQOS_FLASH_FIFO);
	const struct ssdqos_flash_host_waits *w;
	u64 ns[SSDQOS_NR_WAITS] = { 0 };
	struct ssdqos_flash_req req[60];
	struct ssdqos_flash *f;
	u32 i, k, round;

	f = helper_create(&cfg, SIZE_MIB);
	w = ssdqos_flash_host_waits(f);
	for (round = 0; round < 10; round++) {
		for (i = 0; i < 60; i++)
			helper_submit_units(f, &req[i], i % 3 == 2 ? SSDQOS_FLASH_WRITE :
					    SSDQOS_FLASH_READ, (i * 263 + round) % 8000 +
					    (i % 3 == 2) * 8000, 1);
		helper_settle(f);
		for (i = 0; i < 60; i++)
			for (k = 0; k < SSDQOS_NR_WAITS && i % 3 != 2; k++)
				ns[k] += req[i].wait_ns[k];
	}
	assert_int_equal(w->nr, 400);
	for (k = 0; k < SSDQOS_NR_WAITS; k++)
		assert_int_equal(w->ns[k], ns[k]);
	ssdqos_flash_reset_stats(f);
	assert_int_equal(w->nr + w->ns[SSDQOS_WAIT_FLASH], 0);
	ssdqos_flash_destroy(f);
}

static void collection_in_the_way_is_blamed(void **state)
{
	struct ssdqos_flash_config cfg = one_plane();
	const struct ssdqos_flash_host_waits *w;
	struct ssdqos_flash_req req;
	struct ssdqos_flash *f;
	u32 i;

	cfg.aged_pct = 100;
	cfg.pages_per_block = 16;
	cfg.buffer_kib = 64;
	f = helper_create(&cfg, SIZE_MIB);
	w = ssdqos_flash_host_waits(f);
	while (!ssdqos_flash_stats(f)->gc_starts)
		helper_do(f, SSDQOS_FLASH_WRITE, 0, 16);
	assert_int_equal(w->ns[SSDQOS_WAIT_BY_GC], 0);
	for (i = 0; i < 100; i++) {
		helper_submit_units(f, &req, SSDQOS_FLASH_READ, 500 + i, 1);
		helper_wait(f, &req);
		assert_true(sum(&req) == helper_latency(&req));
		if (req.wait_ns[SSDQOS_WAIT_BY_GC])
			assert_true(req.met & SSDQOS_FLASH_MET_GC);
	}
	assert_true(w->ns[SSDQOS_WAIT_BY_GC] > T_ERASE / 2);
	ssdqos_flash_destroy(f);
}

/* Delays are drawn from all of their range, short ones as ever. */
static void delays_reach_both_ends(void **state)
{
	static const u64 spans_ns[] = { 0, 1, 999, 0xfffffffe, 0xffffffff, 1ULL << 32, 2 * SSDQOS_MAX_NS };
	struct ssdqos_flash_config cfg = one_plane();
	struct ssdqos_flash *f = helper_create(&cfg, SIZE_MIB);
	struct ssdqos_rng rng = f->rng;
	u64 low_ns, high_ns, ns;
	u32 i, n;

	for (i = 0; i < ARRAY_SIZE(spans_ns); i++) {
		low_ns = ~0ULL;
		high_ns = 0;
		for (n = 0; n < 1000; n++) {
			ns = flash_delay_ns(f, 7, 7 + spans_ns[i]) - 7;
			if (spans_ns[i] < 0xffffffff)
				assert_true(ns == ssdqos_rng_below(&rng, (u32)spans_ns[i] + 1));
			low_ns = min(low_ns, ns);
			high_ns = max(high_ns, ns);
		}
		assert_true(low_ns <= spans_ns[i] / 64);
		assert_true(high_ns <= spans_ns[i] && high_ns >= spans_ns[i] - spans_ns[i] / 64);
	}
	assert_int_equal(flash_delay_ns(f, 0, 0), 0);
	ssdqos_flash_destroy(f);
}

#define TEST(name) cmocka_unit_test_setup_teardown(name, helper_start, helper_finish)

int main(void)
{
	const struct CMUnitTest tests[] = {
		TEST(lone_read_is_flash_alone),
		TEST(memory_is_the_controllers),
		TEST(wait_for_another_read),
		TEST(making_is_nobodys_work),
		TEST(wait_for_the_channel),
		TEST(wait_for_a_program),
		TEST(wait_for_the_scheduler),
		TEST(wait_for_the_controller),
		TEST(a_command_is_no_wait),
		TEST(one_part_that_waited_is_enough),
		TEST(old_data_is_no_host_read),
		TEST(delays_are_between_their_bounds),
		TEST(wait_for_room_in_the_buffer),
		TEST(causes_add_up_with_every_scheduler),
		TEST(host_waits_are_the_sum_of_reads),
		TEST(collection_in_the_way_is_blamed),
		TEST(delays_reach_both_ends),
	};

	return cmocka_run_group_tests_name("flash_wait", tests, NULL, NULL);
}
