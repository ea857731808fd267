// SPDX-License-Identifier: GPL-2.0
/*
 * What the tests of the flash drive share.
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>
#include <cmocka.h>

#include "../../dm-ssdqos/core/engine/rng.h"
#include "../../tools/sim/platform/env.h"
#include "flash_helper.h"

#define PCT 100
#define FNV_PRIME 0x100000001b3ULL

char helper_err[256];

int helper_start(void **state)
{
	memset(helper_err, 0, sizeof(helper_err));
	ssdqos_env_warnings = 0;
	ssdqos_env_fail_at = 0;
	ssdqos_env_live = 0;
	return 0;
}

int helper_finish(void **state)
{
	assert_int_equal(ssdqos_env_live, 0);
	assert_int_equal(ssdqos_env_warnings, 0);
	return 0;
}

struct ssdqos_flash_config helper_config(u32 preset)
{
	struct ssdqos_flash_config cfg;
	u32 task;

	ssdqos_flash_config_init(&cfg, preset);
	for (task = 0; task < SSDQOS_NR_TASKS; task++)
		if (ssdqos_flash_task_rows[task].mode != SSDQOS_NIL)
			*ssdqos_flash_config_value(&cfg, ssdqos_flash_task_rows[task].mode) =
				SSDQOS_FLASH_SHARE_STATIC;
	cfg.map_cache_kib = 0;
	cfg.scheduler = SSDQOS_FLASH_FIFO;
	cfg.array_scope = SSDQOS_FLASH_ARRAY_PLANE;
	cfg.read_command_ns = 0;
	cfg.write_command_ns = 0;
	cfg.link_mb_s = 0;
	cfg.lookup_min_ns = 0;
	cfg.lookup_max_ns = 0;
	cfg.host_delay_min_ns = 0;
	cfg.host_delay_max_ns = 0;
	cfg.internal_delay_min_ns = 0;
	cfg.internal_delay_max_ns = 0;
	cfg.gc_scope = SSDQOS_FLASH_GC_PLANE;
	cfg.gc_plane_blocks = 0;
	cfg.rain = 0;
	cfg.rain_flush = SSDQOS_FLASH_FLUSH_UNITS;
	cfg.rain_shift_pct = 0;
	cfg.rotate = SSDQOS_FLASH_ROTATE_OFF;
	cfg.verify = 0;
	cfg.scrub_start_reads = 0;
	cfg.scrub_stop_reads = 0;
	return cfg;
}

struct ssdqos_flash *helper_create(const struct ssdqos_flash_config *cfg, u64 mib)
{
	struct ssdqos_flash *f = ssdqos_flash_create(cfg, mib * MIB_SECTORS, helper_err,
						     sizeof(helper_err));

	if (!f)
		fail_msg("%s", helper_err);
	return f;
}

u32 helper_least_op_permille(struct ssdqos_flash_config cfg, u64 nr_sectors)
{
	struct ssdqos_flash_geo geo;
	u32 low = 5, high = 4000;

	while (low < high) {
		cfg.op_permille = (low + high) / 2;
		if (ssdqos_flash_geo_fit(&geo, &cfg, nr_sectors, helper_err, sizeof(helper_err)))
			low = (u32)cfg.op_permille + 1;
		else
			high = (u32)cfg.op_permille;
	}
	return low;
}

void helper_check(const struct ssdqos_flash *f)
{
	if (ssdqos_flash_check(f, helper_err, sizeof(helper_err)))
		fail_msg("%s", helper_err);
}

u64 helper_now(const struct ssdqos_flash *f)
{
	struct ssdqos_flash_gauges g;

	ssdqos_flash_gauges(f, &g);
	return g.now_ns;
}

void helper_step(struct ssdqos_flash *f)
{
	u64 next_ns = ssdqos_flash_next_ns(f);

	assert_true(next_ns != SSDQOS_NEVER_NS);
	assert_true(ssdqos_flash_advance(f, next_ns));
}

void helper_settle(struct ssdqos_flash *f)
{
	u64 next_ns;

	while ((next_ns = ssdqos_flash_next_ns(f)) != SSDQOS_NEVER_NS)
		assert_true(ssdqos_flash_advance(f, next_ns));
	assert_true(ssdqos_flash_idle(f));
	while (ssdqos_flash_take_done(f))
		;
}

static void submit(struct ssdqos_flash *f, struct ssdqos_flash_req *req, u32 op, u64 sector,
		   u32 nr_sectors, bool fua)
{
	*req = (struct ssdqos_flash_req) {
		.sector = sector,
		.nr_sectors = nr_sectors,
		.op = (u8)op,
		.fua = fua,
		.complete_ns = SSDQOS_NEVER_NS,
	};
	ssdqos_flash_submit(f, req);
}

void helper_submit(struct ssdqos_flash *f, struct ssdqos_flash_req *req, u32 op, u64 sector,
		   u32 nr_sectors)
{
	submit(f, req, op, sector, nr_sectors, false);
}

void helper_submit_units(struct ssdqos_flash *f, struct ssdqos_flash_req *req, u32 op, u64 unit,
			 u32 nr_units)
{
	submit(f, req, op, unit * SSDQOS_UNIT_SECTORS, nr_units * SSDQOS_UNIT_SECTORS, false);
}

void helper_submit_fua(struct ssdqos_flash *f, struct ssdqos_flash_req *req, u64 unit, u32 nr_units)
{
	submit(f, req, SSDQOS_FLASH_WRITE, unit * SSDQOS_UNIT_SECTORS,
	       nr_units * SSDQOS_UNIT_SECTORS, true);
}

u64 helper_wait(struct ssdqos_flash *f, struct ssdqos_flash_req *req)
{
	while (req->complete_ns == SSDQOS_NEVER_NS) {
		u64 next_ns = ssdqos_flash_next_ns(f);

		assert_true(next_ns != SSDQOS_NEVER_NS);
		ssdqos_flash_advance(f, next_ns);
	}
	ssdqos_flash_take_done(f);
	return helper_latency(req);
}

u64 helper_do_sectors(struct ssdqos_flash *f, u32 op, u64 sector, u32 nr_sectors)
{
	struct ssdqos_flash_req req;

	helper_submit(f, &req, op, sector, nr_sectors);
	return helper_wait(f, &req);
}

u64 helper_do(struct ssdqos_flash *f, u32 op, u64 unit, u32 nr_units)
{
	return helper_do_sectors(f, op, unit * SSDQOS_UNIT_SECTORS, nr_units * SSDQOS_UNIT_SECTORS);
}

/* ---- random loads ---- */

struct run {
	struct ssdqos_flash *f;
	const struct helper_load *load;
	struct ssdqos_rng rng;
	struct ssdqos_flash_req req[HELPER_MAX_DEPTH];
	u32 number[HELPER_MAX_DEPTH];
	u32 submitted;
	u32 completed;
	u64 digest;
};

static u32 random_op(struct run *run, u32 slot)
{
	const struct helper_load *load = run->load;
	u32 x = ssdqos_rng_below(&run->rng, PCT);

	if (load->read_slots)
		return slot < load->read_slots ? SSDQOS_FLASH_READ : SSDQOS_FLASH_WRITE;
	if (x < load->read_pct)
		return SSDQOS_FLASH_READ;
	x -= load->read_pct;
	if (x < load->discard_pct)
		return SSDQOS_FLASH_DISCARD;
	x -= load->discard_pct;
	return x < load->flush_pct ? SSDQOS_FLASH_FLUSH : SSDQOS_FLASH_WRITE;
}

static void random_submit(struct run *run, u32 slot)
{
	const struct helper_load *load = run->load;
	u32 scale = load->any_sector ? 1 : SSDQOS_UNIT_SECTORS;
	u32 units = load->units ? load->units : ssdqos_flash_geo(run->f)->nr_lpn;
	u32 all = units * SSDQOS_UNIT_SECTORS / scale;
	u32 most = (load->max_units ? load->max_units : 1) * SSDQOS_UNIT_SECTORS / scale;
	u32 op = random_op(run, slot);
	u32 nr = 1 + ssdqos_rng_below(&run->rng, most);
	u32 at = ssdqos_rng_below(&run->rng, all - nr + 1);
	bool fua = ssdqos_rng_below(&run->rng, PCT) < load->fua_pct;

	if (op == SSDQOS_FLASH_FLUSH)
		at = nr = 0;
	run->number[slot] = run->submitted++;
	submit(run->f, &run->req[slot], op, (u64)at * scale, nr * scale,
	       fua && op == SSDQOS_FLASH_WRITE);
}

static void take_done(struct run *run)
{
	struct ssdqos_flash_req *req = ssdqos_flash_take_done(run->f), *next;

	for (; req; req = next) {
		u32 slot = (u32)(req - run->req);

		next = req->next;
		assert_true(req->complete_ns >= req->arrival_ns);
		run->digest = (run->digest ^ run->number[slot]) * FNV_PRIME;
		run->digest = (run->digest ^ helper_latency(req)) * FNV_PRIME;
		run->digest = (run->digest ^ req->met) * FNV_PRIME;
		run->completed++;
		if (run->load->check_every && run->completed % run->load->check_every == 0)
			helper_check(run->f);
		if (run->submitted < run->load->nr)
			random_submit(run, slot);
	}
}

u64 helper_run(struct ssdqos_flash *f, const struct helper_load *load)
{
	static struct run run;
	u32 slot;

	memset(&run, 0, sizeof(run));
	run.f = f;
	run.load = load;
	ssdqos_rng_seed(&run.rng, load->seed);
	assert_true(load->depth <= HELPER_MAX_DEPTH);
	for (slot = 0; slot < load->depth && run.submitted < load->nr; slot++)
		random_submit(&run, slot);
	take_done(&run);
	while (run.completed < load->nr) {
		u64 next_ns = ssdqos_flash_next_ns(f);

		if (next_ns == SSDQOS_NEVER_NS)
			fail_msg("seed %llu: the drive sleeps on %u requests", load->seed,
				 run.submitted - run.completed);
		assert_true(ssdqos_flash_advance(f, next_ns));
		take_done(&run);
	}
	return run.digest;
}
