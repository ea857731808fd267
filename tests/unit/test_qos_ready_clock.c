// SPDX-License-Identifier: GPL-2.0
/*
 * Time asleep and without power is part of a life, and a wrong clock is not.
 */
#include "ready_helper.h"

#define DRIVE "drive_endurance_gb=500 drive_lifetime_h=43800 drive_throttle=ready_opt "
#define CELLS "drive_pe_cycles=3000 drive_lifetime_h=43800 drive_recovery=fitted drive_throttle=horizon "
#define WALL_S 1700000000ULL
#define DAY_S 86400ULL
#define YEAR_S (365 * DAY_S)

static u8 header[SSDQOS_READY_HEADER_BYTES];
static u8 history[SSDQOS_READY_HISTORY_BYTES];
static const char *drive = DRIVE;
/* What the clock shows too much. */
static s64 wrong_s;
/* Time of the world, seconds since WALL_S; and when this machine got power. */
static u64 world_s, power_s, slept_s;

static void look(void)
{
	ready_at((world_s - power_s - slept_s) * S);
	ssdqos_ready_clock(ready, (u64)((s64)(WALL_S + world_s) + wrong_s), slept_s * S, ready_now_ns);
	ready_tick();
}

static void pass(u64 seconds)
{
	while (seconds) {
		u64 step = min(seconds, 3600ULL);

		world_s += step;
		seconds -= step;
		look();
	}
}

static void sleeps(u64 seconds)
{
	world_s += seconds;
	slept_s += seconds;
	look();
}

static void power_on(void)
{
	ready_finish(NULL);
	ready_setup(NULL);
	ready_set(drive);
	ready_add(100);
	power_s = world_s;
	slept_s = 0;
}

static void born(s64 wrong)
{
	world_s = 0;
	wrong_s = wrong;
	power_on();
	/* the caller's time is never 0 for long */
	pass(1);
	pass(99);
}

static void save(void)
{
	ssdqos_ready_save_header(ready, 1, (u64)((s64)(WALL_S + world_s) + wrong_s), header);
	ssdqos_ready_save_history(ready, 1, history);
	ssdqos_ready_name_history(header, 1, ssdqos_ready_seal_history(history));
	ssdqos_ready_seal_header(header);
}

/* Without power for some time; the clock shows something else then. */
static void off(u64 seconds, s64 wrong)
{
	save();
	world_s += seconds;
	wrong_s = wrong;
	power_on();
	assert_int_equal(ssdqos_ready_load(ready, header, history, (u64)((s64)(WALL_S + world_s) + wrong_s), 0, qos_err,
					   sizeof(qos_err)), 0);
	look();
}

static s64 age_s(void)
{
	return ready_look().life_age_s;
}

#define assert_age(seconds) assert_in_range(age_s(), (u64)(seconds) - 61, (u64)(seconds) + 61)

static void asleep_it_gets_older(void **state)
{
	born(0);
	pass(DAY_S);
	sleeps(3 * DAY_S);
	assert_age(world_s);
	pass(DAY_S);
	sleeps(10);
	assert_age(world_s);
	/* also without a time of day, which may be wrong */
	born(-(s64)WALL_S / 2);
	pass(DAY_S);
	sleeps(400 * DAY_S);
	assert_age(world_s);
}

static void without_power_it_gets_older(void **state)
{
	u32 i;

	born(0);
	for (i = 0; i < 20; i++) {
		pass(DAY_S / 2);
		off(DAY_S / 2, 0);
		assert_age(world_s);
	}
}

/* A battery that is empty: the time comes from the network, minutes later. */
static void a_clock_that_is_set_right_makes_the_age_right(void **state)
{
	static const s64 wrong[] = { -50 * (s64)YEAR_S, -5 * (s64)DAY_S, 5 * (s64)DAY_S, 300 * (s64)DAY_S,
				     40 * (s64)YEAR_S };
	u32 i;

	for (i = 0; i < ARRAY_SIZE(wrong); i++) {
		born(0);
		pass(10 * DAY_S);
		off(30 * DAY_S, wrong[i]);
		pass(600);
		wrong_s = 0;
		pass(60);
		assert_age(world_s);
		/* it was not, before there was no power again */
		off(DAY_S, wrong[i]);
		pass(7000);
		off(DAY_S, 0);
		assert_age(world_s);
	}
}

static void a_wrong_clock_adds_a_year_at_most(void **state)
{
	u64 seed = 7;
	u32 i;

	born(0);
	pass(DAY_S);
	for (i = 0; i < 200; i++) {
		seed = seed * 6364136223846793005ULL + 1442695040888963407ULL;
		off(100, (s64)((seed >> 33) % (60 * YEAR_S)) - 30 * (s64)YEAR_S);
		pass(100);
		assert_in_range(age_s(), DAY_S, world_s + YEAR_S + 61);
	}
	off(100, 0);
	assert_age(world_s);
}

static void without_a_clock_it_ages_while_it_is_watched(void **state)
{
	u64 watched_s;
	u32 i;

	born(-50 * (s64)YEAR_S);
	for (i = 0; i < 10; i++) {
		pass(DAY_S / 4);
		/* always the same time when it gets power */
		off(DAY_S, -50 * (s64)YEAR_S - (s64)world_s - (s64)DAY_S);
	}
	watched_s = 10 * DAY_S / 4 + 100;
	assert_in_range(age_s(), watched_s - 61, watched_s + DAY_S);
}

/* It was set up with a wrong clock: after a day the right one is believed. */
static void a_wrong_birth_is_moved(void **state)
{
	born(-50 * (s64)YEAR_S);
	pass(DAY_S);
	wrong_s = 0;
	pass(DAY_S + 7200);
	assert_age(world_s);
	off(10 * DAY_S, 0);
	assert_age(world_s);
}

static void while_it_gets_younger_nothing_is_lost(void **state)
{
	struct ssdqos_ready_stream *s;
	s64 used;

	born(0);
	pass(100 * DAY_S);
	s = ready_add(100);
	ready_write(s, 1 * MB);
	used = ready_look().life_used_bytes;
	wrong_s = 200 * (s64)DAY_S;
	pass(3600);
	assert_age(world_s + 200 * DAY_S);
	wrong_s = 0;
	pass(3600);
	assert_age(world_s);
	assert_int_equal(ready_look().life_used_bytes, used);
	assert_true(ready->window_end_ns > ready->life_ns);
	assert_true(ready->epoch.start_ns <= ready->life_ns);
}

/* A machine that is on for half a day, and for a minute of that with a wrong clock. */
static struct ssdqos_ready_gauges days_with(s64 wrong, u32 days)
{
	struct ssdqos_ready_gauges g;
	u32 i;

	drive = CELLS;
	born(0);
	while (days--) {
		for (i = 0; i < 12; i++) {
			pass(3600);
			ssdqos_ready_wrote(ready, 12 * GB, ready_now_ns);
		}
		off(DAY_S / 2, wrong);
		pass(60);
		wrong_s = 0;
		pass(60);
	}
	assert_age(world_s);
	g = ready_look();
	drive = DRIVE;
	return g;
}

#define assert_near(value, right)					\
	assert_in_range((u64)(value), (u64)(right) * 98 / 100, (u64)(right) * 102 / 100)

static void cells_rest_once_whatever_the_clock_shows(void **state)
{
	static const s64 wrong[] = { 3600, -3600, DAY_S, -(s64)DAY_S, 10 * (s64)DAY_S, -10 * (s64)DAY_S };
	struct ssdqos_ready_gauges right = days_with(0, 60), g;
	u32 i;

	assert_true(right.life_vth_uv && right.life_forecast_s);
	for (i = 0; i < ARRAY_SIZE(wrong); i++) {
		g = days_with(wrong[i], 60);
		assert_near(g.life_idle_s, right.life_idle_s);
		assert_near(g.life_vth_uv, right.life_vth_uv);
		assert_near(g.life_forecast_s, right.life_forecast_s);
		assert_near(g.life_effective_bytes, right.life_effective_bytes);
	}
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		READY_TEST(asleep_it_gets_older),
		READY_TEST(without_power_it_gets_older),
		READY_TEST(a_clock_that_is_set_right_makes_the_age_right),
		READY_TEST(a_wrong_clock_adds_a_year_at_most),
		READY_TEST(without_a_clock_it_ages_while_it_is_watched),
		READY_TEST(a_wrong_birth_is_moved),
		READY_TEST(cells_rest_once_whatever_the_clock_shows),
		READY_TEST(while_it_gets_younger_nothing_is_lost),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
