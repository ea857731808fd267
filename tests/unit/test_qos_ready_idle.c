// SPDX-License-Identifier: GPL-2.0
/*
 * A long time without a write passes at once, and comes to the same as if somebody had looked at it.
 */
#include "ready_helper.h"

#define WINDOW_NS (600 * S)
/* As much work as a call may take, whatever time has passed. */
#define MOST_WINDOWS 200

static const char *const policies[] = {
	"none", "static", "dynamic", "ready_pes", "ready_opt", "horizon"
};

static u64 next_random(u64 *seed)
{
	*seed = *seed * 6364136223846793005ULL + 1442695040888963407ULL;
	return *seed >> 33;
}

/* Some hours of writes, then none for @windows; somebody looks at the end of each, or of all. */
static struct ssdqos_ready live(const char *words, u64 seed, u64 windows, bool looks,
				u32 *history)
{
	struct ssdqos_ready_stream *s;
	u64 rng = seed, i, nr = 1 + next_random(&rng) % 300;
	struct ssdqos_ready was;

	ready_finish(NULL);
	ready_setup(NULL);
	ready_set(words);
	s = ready_add(100);
	for (i = 0; i < nr; i++) {
		ssdqos_ready_bulk(s, next_random(&rng) % 64 * MB, ready_now_ns);
		ready_at((i + 1) * WINDOW_NS);
		ready_tick();
		if (ready->search)
			ssdqos_ready_search(ready, 1 + (u32)(next_random(&rng) % 50));
	}
	for (i = looks ? 1 : windows; i <= windows; i++) {
		ready_at((nr + i) * WINDOW_NS);
		ready_tick();
		ready->search = false;
	}
	was = *ready;
	memcpy(history, ready->history, SSDQOS_READY_HISTORY * sizeof(u32));
	return was;
}

static void check(const char *what, u64 a, u64 b, double most, const char *words, u64 seed)
{
	double off = (double)a - (double)b;

	if (off > most || -off > most)
		fail_msg("%s: %llu, not %llu (%s, seed %llu)", what, a, b, words, seed);
}

/* C(field): what has to be the same; R(field): but for the rounding of M(field), the mean rest. */
#define FIELDS(C, R, M)							\
	C(life_ns) C(used_bytes) C(window_end_ns) C(nr_history)		\
	C(next_history) C(epochs) C(good_epochs) C(held_permille)	\
	C(window_bytes) C(burst_bytes) C(epoch.windows)			\
	C(epoch.done_windows) C(epoch.start_ns) C(epoch.length_ns)	\
	C(epoch.used_bytes) C(epoch.expected_bytes) C(epoch.wrong)	\
	C(why) C(recovery.idle_ns) C(recovery.vth_fp)			\
	M(recovery.mean_idle_ns)				\
	C(plan.seen_ns) C(plan.seen_pages) C(plan.seen_delay_ns)	\
	R(delay_ns) R(epoch.left_bytes) R(epoch.capacity_bytes)		\
	R(epoch.spare_bytes) R(epoch.fair_bytes) R(epoch.period_bytes)

static void compare(const char *words, u64 seed, u64 windows)
{
	static u32 step_history[SSDQOS_READY_HISTORY], skip_history[SSDQOS_READY_HISTORY];
	const struct ssdqos_ready step = live(words, seed, windows, true, step_history);
	const struct ssdqos_ready skip = live(words, seed, windows, false, skip_history);

	if (skip.rolled_windows > MOST_WINDOWS)
		fail_msg("%llu windows: %u at once (%s)", windows, skip.rolled_windows, words);
#define C(field) check(#field, skip.field, step.field, 0, words, seed);
#define R(field) check(#field, skip.field, step.field, 1e-5 * (double)step.field, words, seed);
#define M(field) check(#field, skip.field, step.field, 1e-6 * (double)step.recovery.idle_ns, words, seed);
	FIELDS(C, R, M)
#undef C
#undef R
#undef M
	assert_memory_equal(step_history, skip_history, sizeof(step_history));
}

static void time_without_writes_passes_at_once(void **state)
{
	static const u64 windows[] = { 1, 2, 7, 50, 1008, 8064, 8100, 20000 };
	char words[256];
	u32 i, j, k;

	for (i = 0; i < ARRAY_SIZE(policies); i++) {
		for (j = 0; j < ARRAY_SIZE(windows); j++) {
			for (k = 0; k < 2; k++) {
				snprintf(words, sizeof(words), "drive_throttle=%s %s "
					 "drive_lifetime_h=%u", policies[i], k ?
					 "drive_pe_cycles=20 drive_capacity_mb=1000 "
					 "drive_recovery=fitted" : "drive_endurance_gb=20",
					 j % 2 ? 43800 : 1400);
				compare(words, 1 + j, windows[j]);
			}
		}
	}
}

/* A week of sleep, and years in a drawer, cost what an hour does. */
static void it_takes_no_longer_for_years(void **state)
{
	static u32 history[SSDQOS_READY_HISTORY];
	static const u64 windows[] = { 1008, 8064, 1000000, 5000000 };
	u32 i;

	for (i = 0; i < ARRAY_SIZE(windows); i++) {
		live("drive_throttle=ready_opt drive_pe_cycles=20 drive_capacity_mb=1000 "
		     "drive_recovery=fitted", 3, windows[i], false, history);
		assert_in_range(ready->rolled_windows, 1, 100);
	}
}

/* A write that waits meanwhile, as of a machine that was stopped. */
static void it_passes_with_a_write_that_waits(void **state)
{
	struct ssdqos_ready_stream *s;

	ready_set("drive_endurance_gb=20 drive_throttle=ready_pes drive_max_stop_s=100000000");
	s = ready_add(100);
	ssdqos_ready_bulk(s, 25 * GB, 0);
	assert_false(ready_write(s, PAGE));
	ready_at(20000 * WINDOW_NS);
	ready_tick();
	assert_in_range(ready->rolled_windows, 1, MOST_WINDOWS);
	assert_int_equal(ready_look().life_stopped, 1);
	assert_true(ready->held_permille > 900);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		READY_TEST(time_without_writes_passes_at_once),
		READY_TEST(it_takes_no_longer_for_years),
		READY_TEST(it_passes_with_a_write_that_waits),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
