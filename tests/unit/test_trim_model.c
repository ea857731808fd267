// SPDX-License-Identifier: GPL-2.0
/*
 * The batcher against a model that keeps a word for each sector: whatever comes, in any order,
 * nothing that was written after its discard was answered is discarded.
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdlib.h>
#include <string.h>
#include <cmocka.h>

#include "../../dm-ssdqos/core/engine/rng.h"
#include "../../dm-ssdqos/core/trim/trim.h"
#include "env.h"

#define SECTORS 2048u
#define AREAS 3u
#define AREA (SECTORS / AREAS + 1)
#define LONGEST 96u
#define OPS 1000000u
/* All of it is compared from time to time, as that takes as long as a thousand operations. */
#define LOOK_EVERY 256u
#define MOST_STEP_NS 2000000u

static struct ssdqos_trim trim;
static struct ssdqos_rng rng;
/* Is a sector to be discarded? */
static bool model[SECTORS];
static struct ssdqos_trim_run *runs[SSDQOS_TRIM_MAX_DEPTH];
static u64 now, forgotten;

static u32 dice(u32 n)
{
	return ssdqos_rng_below(&rng, n);
}

static void set(u64 start, u64 end, bool waits)
{
	for (u64 i = start; i < end; i++)
		model[i] = waits;
}

/* What the batcher leaves out, as it says itself, leaves the model, too. */
static void leave_out(void)
{
	u64 left_out = trim.stats.small_sectors + trim.stats.lost_sectors, gone = 0;
	bool waits[SECTORS] = { false };

	if (left_out == forgotten)
		return;
	for (struct ssdqos_range *x = ssdqos_ranges_from(&trim.waiting, 0); x;
	     x = ssdqos_ranges_from(&trim.waiting, x->end))
		memset(waits + ssdqos_range_start(x), true, x->end - ssdqos_range_start(x));
	for (u32 i = 0; i < SECTORS; i++) {
		gone += model[i] && !waits[i];
		model[i] = model[i] && waits[i];
	}
	assert_true(gone == left_out - forgotten);
	forgotten = left_out;
}

/* ---- all that the set says of itself is so ---- */

static void look_at_range(const struct ssdqos_range *x, u64 before)
{
	u64 from, to;

	assert_true(ssdqos_range_start(x) >= before && x->end > ssdqos_range_start(x));
	for (u64 i = ssdqos_range_start(x); i < x->end; i++)
		assert_true(model[i]);
	ssdqos_ranges_granules(&trim.waiting, x, &from, &to);
	assert_true(x->is_large == (from < to && to - from >= trim.waiting.least));
}

static void look(void)
{
	struct ssdqos_range *x, *before = NULL;
	u64 sectors = 0, nr = 0, large = 0;

	for (x = ssdqos_ranges_from(&trim.waiting, 0); x;
	     x = ssdqos_ranges_from(&trim.waiting, x->end)) {
		look_at_range(x, before ? before->end : 0);
		/* those that touch are of two areas */
		assert_true(!before || before->end < ssdqos_range_start(x) || before->area != x->area);
		sectors += x->end - ssdqos_range_start(x);
		large += x->is_large;
		before = x;
		nr++;
	}
	assert_true(sectors == trim.waiting.sectors && nr == trim.waiting.nr);
	for (u32 i = 0; i < SECTORS; i++)
		sectors -= model[i];
	assert_true(sectors == 0);
	for (x = ssdqos_ranges_large_from(&trim.waiting, 0); x;
	     x = ssdqos_ranges_large_from(&trim.waiting, x->end))
		large--;
	assert_true(large == 0);
	for (x = trim.waiting.oldest; x; x = x->younger, nr--)
		assert_true(!x->younger || (x->younger->since_ns >= x->since_ns && x->younger->older == x));
	assert_true(nr == 0);
}

/* ---- what may happen ---- */

static void discard(void)
{
	u32 area = dice(AREAS), first = dice(SECTORS - 1);
	u64 end = first + 1 + dice(LONGEST), until = first, came;

	end = end < SECTORS ? end : SECTORS;
	/* mostly its own sectors, sometimes those of another one */
	area = dice(8) ? first / AREA : area;
	do {
		came = until;
		until = ssdqos_trim_take(&trim, area, came, end, now);
		leave_out();
		set(came, until, true);
	} while (until > came && until < end);
}

static void write(void)
{
	u64 first = dice(SECTORS - 1), end = first + 1 + dice(LONGEST), until = first;
	bool held = false;

	end = end < SECTORS ? end : SECTORS;
	while (until < end)
		until = ssdqos_trim_cut(&trim, until, end);
	set(first, end, false);
	leave_out();
	for (u32 i = 0; i < trim.cfg.depth; i++)
		held |= runs[i] && runs[i]->start < end && runs[i]->end > first;
	assert_true(ssdqos_trim_holds(&trim, first, end) == held);
}

/* Whatever goes has come, and was not written since. */
static void go(void)
{
	struct ssdqos_trim_run *run;
	u32 at = 0;

	trim.quiet = dice(2);
	run = ssdqos_trim_next(&trim, now);
	if (!run) {
		leave_out();
		return;
	}
	for (u64 i = run->start; i < run->end; i++)
		assert_true(model[i]);
	set(run->start, run->end, false);
	leave_out();
	assert_true(run->end > run->start && run->end - run->start <= trim.cfg.max_sectors);
	assert_true(run->end - run->start >= trim.cfg.min_sectors);
	while (runs[at])
		at++;
	assert_true(at < trim.cfg.depth);
	runs[at] = run;
}

static void end_one(void)
{
	u32 at = dice(trim.cfg.depth);

	if (!runs[at])
		return;
	ssdqos_trim_done(&trim, runs[at], 0, false);
	runs[at] = NULL;
}

static void flush(void)
{
	u64 start = dice(SECTORS);

	if (dice(2))
		ssdqos_trim_flush(&trim, start, start + dice(SECTORS));
	else
		ssdqos_trim_end_flush(&trim);
}

static void step(void)
{
	switch (dice(8)) {
	case 0: case 1: case 2:
		discard();
		break;
	case 3: case 4:
		write();
		break;
	case 5: case 6:
		go();
		break;
	default:
		end_one();
	}
	if (!dice(200))
		flush();
	now += dice(MOST_STEP_NS);
}

/* One batcher, with parameters drawn. */
static void life(u32 seed, u32 ops)
{
	struct ssdqos_trim_config cfg;

	ssdqos_rng_seed(&rng, seed);
	cfg = (struct ssdqos_trim_config){
		.max_age_ns = 1 + dice(200) * 1000000ULL, .min_sectors = dice(3) ? 0 : dice(32),
		.max_sectors = 32 + dice(256), .granule = 1 + dice(24), .align = dice(40),
		.depth = 1 + dice(8), .max_ranges = 16 + dice(128),
	};
	memset(model, 0, sizeof(model));
	memset(runs, 0, sizeof(runs));
	now = 1;
	forgotten = 0;
	assert_int_equal(ssdqos_trim_init(&trim, &cfg), 0);
	for (u32 i = 0; i < ops; i++) {
		step();
		if (i % LOOK_EVERY == 0)
			look();
	}
	look();
	ssdqos_trim_exit(&trim);
}

static void a_million_operations_go_as_the_model_says(void **state)
{
	const char *more = getenv("SSDQOS_TRIM_OPS");
	u32 ops = more ? (u32)strtoul(more, NULL, 10) : OPS, lives = 20;

	for (u32 seed = 1; seed <= lives; seed++)
		life(seed, ops / lives);
	assert_int_equal(ssdqos_env_warnings, 0);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(a_million_operations_go_as_the_model_says),
	};

	return cmocka_run_group_tests_name("trim_model", tests, NULL, NULL);
}
