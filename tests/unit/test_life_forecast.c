// SPDX-License-Identifier: GPL-2.0
/*
 * Whole lives with loads and drives drawn at random: how long the policy "horizon" makes them, and
 * what is foretold at half of a life, and then happens.
 */
#include "ready_helper.h"

#include "../../tools/sim/life/run.h"

#define DRIVES 60
/* Of the time that is foretold: a load is not every week the same. */
#define TOLERANCE_PCT 6
/* With cells that recover, as these rest otherwise when throttling ends. */
#define RECOVERY_TOLERANCE_PCT 10
/* A window of READY, after which is looked. */
#define LOOK_NS (600 * NS_PER_S)
/* A life that is longer, or shorter, than promised. */
#define LIFETIME_TOLERANCE_PCT 2

static u64 next_random(u64 *seed)
{
	*seed = *seed * 6364136223846793005ULL + 1442695040888963407ULL;
	return *seed >> 33;
}

/* An hour of bursts and rests, that repeats; serves as the load of a few weeks. */
static void draw_load(struct life_load *load, u64 *rng)
{
	static struct life_burst bursts[64];
	u64 i;

	*load = (struct life_load){ .name = "drawn", .flash_bytes = 32ULL << 30,
				    .bursts = bursts, .nr = SIM_ARRAY_SIZE(bursts) };
	for (i = 0; i < load->nr; i++) {
		bursts[i].rest_s = 1 + (u32)(next_random(rng) % 112);
		bursts[i].pages = 1 + (u32)(next_random(rng) % (1000 << next_random(rng) % 4));
		load->seconds += bursts[i].rest_s;
		load->pages += bursts[i].pages;
	}
}

/* So that between a third and three times what the load wants fits the life. */
static void draw_drive(struct ssdqos_qos_drive_config *drive, const struct life_load *load, u64 *rng)
{
	struct ssdqos_qos_config config;
	u64 wanted, cycles;

	ssdqos_qos_config_init(&config);
	*drive = config.drive;
	drive->drive_lifetime_h = 24 * (20 + next_random(rng) % 20);
	drive->drive_waf_permille = 1000;
	drive->drive_throttle = next_random(rng) % (SSDQOS_QOS_HORIZON + 1);
	drive->drive_recovery = next_random(rng) % 3 ? SSDQOS_RECOVERY_NONE : SSDQOS_RECOVERY_FITTED;
	wanted = load->pages * 4096 * (drive->drive_lifetime_h * 3600 / load->seconds);
	cycles = wanted * (333 + next_random(rng) % 2667) / 1000 / load->flash_bytes;
	drive->drive_pe_cycles = cycles ? cycles : 1;
}

static void check(u64 seed, const struct ssdqos_qos_drive_config *drive,
		  const struct life_result *result)
{
	const double tolerance = drive->drive_recovery ? RECOVERY_TOLERANCE_PCT : TOLERANCE_PCT;
	const double foretold_s = (double)result->half.life_forecast_s;
	const double end_s = (double)result->lifetime_ns / NS_PER_S;
	const double target_s = (double)result->target_ns / NS_PER_S;

	/* who is not worn out after three lives, is foretold a long one */
	if (result->lifetime_ns == SSDQOS_NEVER_NS) {
		if (foretold_s < LIFE_MOST_TARGETS * target_s * (100 - tolerance) / 100 && foretold_s >= 0)
			fail_msg("seed %llu: %.0f s foretold, not the end of %.0f", seed, foretold_s,
				 LIFE_MOST_TARGETS * target_s);
		return;
	}
	if (foretold_s < end_s * (100 - tolerance) / 100 ||
	    foretold_s > end_s * (100 + tolerance) / 100)
		fail_msg("seed %llu: %.0f s foretold, %.0f s in the end; policy %llu, %llu cycles, recovery %llu, target %.0f s",
			 seed, foretold_s, end_s, drive->drive_throttle, drive->drive_pe_cycles,
			 drive->drive_recovery, target_s);
	/* nobody lasts longer because throttling ends */
	if (result->half.life_forecast_unthrottled_s > result->half.life_forecast_s &&
	    result->half.life_forecast_s >= 0)
		fail_msg("seed %llu: %lld s without throttling, %lld s with it", seed,
			 result->half.life_forecast_unthrottled_s, result->half.life_forecast_s);
}

/* Lives of as many drives, drawn from @first on, each looked at by @look. */
static void live(u64 first, void (*look)(u64 seed, const struct ssdqos_qos_drive_config *drive,
					 const struct life_result *result))
{
	static struct life_result result;
	struct sim_error error;
	struct life_load load;
	u64 seed;

	for (seed = 1; seed <= DRIVES; seed++) {
		struct life_plan plan = { .load = &load };
		u64 rng = first + seed;

		draw_load(&load, &rng);
		draw_drive(&plan.drive, &load, &rng);
		assert_int_equal(life_run(&plan, &result, &error), 0);
		look(seed, &plan.drive, &result);
	}
}

static void what_is_foretold_happens(void **state)
{
	live(0, check);
}

/*
 * What is told: the target when the drive is as old, and that nothing is left when it is worn out.
 * Both are looked at once a window, or when a burst has ended.
 */
static void check_told(u64 seed, const struct ssdqos_qos_drive_config *drive,
		       const struct life_result *result)
{
	if (result->reached_ns < result->target_ns ||
	    result->reached_ns > result->target_ns + LOOK_NS)
		fail_msg("seed %llu: told at %llu s that %llu s are reached", seed,
			 result->reached_ns / NS_PER_S, result->target_ns / NS_PER_S);
	/* the endurance without recovery is what these go by, and tell of: earlier than the end */
	if (drive->drive_recovery && (drive->drive_throttle == SSDQOS_QOS_STATIC ||
				      drive->drive_throttle == SSDQOS_QOS_DYNAMIC)) {
		if (result->spent_ns > result->lifetime_ns)
			fail_msg("seed %llu: told after the end that nothing is left", seed);
		return;
	}
	if (result->lifetime_ns == SSDQOS_NEVER_NS) {
		if (result->spent_ns != SSDQOS_NEVER_NS)
			fail_msg("seed %llu: told at %llu s that nothing is left, it never wore out", seed,
				 result->spent_ns / NS_PER_S);
		return;
	}
	if (result->spent_ns < result->lifetime_ns * (100 - TOLERANCE_PCT) / 100 ||
	    result->spent_ns > result->lifetime_ns * (100 + TOLERANCE_PCT) / 100)
		fail_msg("seed %llu: told at %llu s that nothing is left, worn out at %llu s", seed,
			 result->spent_ns / NS_PER_S, result->lifetime_ns / NS_PER_S);
}

static void what_is_told_has_happened(void **state)
{
	live(2000, check_told);
}

/* A load that wants more than there is lasts as long as promised, whatever it looks like. */
static void horizon_lasts_as_long_as_promised(void **state)
{
	static struct life_result result;
	struct sim_error error;
	struct life_load load;
	u64 seed, target_ns, longer_ns;

	for (seed = 1; seed <= DRIVES; seed++) {
		struct life_plan plan = { .load = &load, .brief = true };
		u64 rng = 1000 + seed;

		draw_load(&load, &rng);
		draw_drive(&plan.drive, &load, &rng);
		plan.drive.drive_throttle = SSDQOS_QOS_NONE;
		assert_int_equal(life_run(&plan, &result, &error), 0);
		target_ns = result.target_ns;
		/* who wants less is not made to last less either */
		longer_ns = result.lifetime_ns == SSDQOS_NEVER_NS ? SSDQOS_NEVER_NS :
			target_ns * (100 + LIFETIME_TOLERANCE_PCT) / 100;
		plan.drive.drive_throttle = SSDQOS_QOS_HORIZON;
		plan.brief = false;
		assert_int_equal(life_run(&plan, &result, &error), 0);
		if (result.lifetime_ns < target_ns * (100 - LIFETIME_TOLERANCE_PCT) / 100 ||
		    result.lifetime_ns > longer_ns)
			fail_msg("seed %llu: %llu s of %llu", seed, result.lifetime_ns / NS_PER_S,
				 target_ns / NS_PER_S);
	}
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(what_is_foretold_happens),
		cmocka_unit_test(what_is_told_has_happened),
		cmocka_unit_test(horizon_lasts_as_long_as_promised),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
