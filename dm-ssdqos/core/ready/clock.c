// SPDX-License-Identifier: GPL-2.0
/*
 * clock.c - time without power, or asleep, is part of a drive's life
 *
 * The caller's clock stands still while the machine sleeps, and begins anew
 * with power.  How long it slept is known; how long it was off is only told by
 * the time of day, which may be wrong for a while, or for good.  So a drive has
 * a birth, by the time of day, and
 *
 *	away = time of day - birth - time that it was watched
 *
 * is looked at again and again.  A clock that is set right later makes the age
 * right again, also in a later boot, and a drive never gets younger than the
 * time for which it was watched.
 *
 * Whoever shows a time that is too late, or for a minute one that is too early,
 * takes life back.  What its cells rested in that time they keep, and so does
 * what remembers windows and loads.  So when life comes there again, that time
 * is not passed a second time: a machine that begins each day with a wrong clock
 * would have cells that recover twice.
 *
 * A difference of more than a year, the longest that a worn SSD keeps data
 * without power, is nonsense: nothing changes.  If the time of day goes on like
 * that for a day it is the birth that was wrong, and that is moved.
 */
#include "internal.h"

#define CLOCK_MAX_AWAY_S (365LL * 24 * 3600)
/* Clocks that are read one after the other, and the slewing of one. */
#define CLOCK_TOLERANCE_S 60
#define CLOCK_NONSENSE_NS (24 * READY_NS_PER_H)

static u64 clock_life_ns(const struct ssdqos_ready *r, u64 real_ns)
{
	return min(real_ns, div64_u64(READY_MAX_LIFE_NS,
				      r->cfg.drive_time_scale)) *
		r->cfg.drive_time_scale;
}

/* Life time that has passed before it was taken back: only what is a time of life
 * moves, and not beyond the target, which is reached by ready_roll().
 * Gives how much of @ns that is.
 */
static u64 clock_repeat(struct ssdqos_ready *r, u64 ns)
{
	u64 target_ns = ready_target_ns(r);

	ns = min(ns, r->clock.passed_ns);
	ns = min(ns, target_ns - min(target_ns, r->life_ns + 1));
	if (!ns)
		return 0;
	r->clock.passed_ns -= ns;
	r->life_ns += ns;
	r->window_end_ns += ns;
	r->plan.since_ns += ns;
	ready_epoch_begin(r, r->epoch.windows);
	return ns;
}

/* Time has passed unseen, and none of it was time of stopped writes; life goes
 * on with ready_roll().
 */
static void clock_age(struct ssdqos_ready *r, u64 real_ns)
{
	u64 ns = clock_life_ns(r, real_ns);

	r->now_ns -= real_ns - div64_u64(clock_repeat(r, ns),
					 r->cfg.drive_time_scale);
	r->stopped_since_ns += ns;
}

static void clock_back(u64 *time_ns, u64 ns)
{
	*time_ns -= min(*time_ns, ns);
}

/* It had not passed: the window, and whatever else is a time of life, was then. */
static void clock_rejuvenate(struct ssdqos_ready *r, u64 real_ns)
{
	u64 ns = min(clock_life_ns(r, real_ns),
		     r->window_end_ns - ready_window_ns(r));

	r->life_ns -= ns;
	r->window_end_ns -= ns;
	r->clock.passed_ns = min(r->clock.passed_ns + ns, READY_MAX_LIFE_NS);
	clock_back(&r->floor_ns, ns);
	clock_back(&r->stopped_since_ns, ns);
	r->plan.start_ns = min(r->plan.start_ns, r->life_ns);
	clock_back(&r->plan.since_ns, ns);
	clock_back(&r->plan.look_ns, ns);
	ready_epoch_begin(r, r->epoch.windows);
}

/* By how many seconds the drive is older than it was thought. */
static s64 clock_error_s(const struct ssdqos_ready_clock *c, u64 wall_s)
{
	s64 away_s = (s64)(min(wall_s, READY_MAX_WALL_S) - c->birth_s -
			   div64_u64(c->powered_ns, READY_NS_PER_S));

	return max_t(s64, away_s, 0) -
		(s64)div64_u64(c->away_ns, READY_NS_PER_S);
}

/* For so long, that it is to be believed? */
static bool clock_insists(struct ssdqos_ready_clock *c)
{
	if (!c->nonsense)
		c->nonsense_since_ns = c->powered_ns;
	c->nonsense = true;
	return c->powered_ns - c->nonsense_since_ns >= CLOCK_NONSENSE_NS;
}

static void clock_correct(struct ssdqos_ready *r, u64 wall_s,
			  u64 tolerance_s)
{
	struct ssdqos_ready_clock *c = &r->clock;
	u64 seen_s = div64_u64(c->powered_ns + c->away_ns, READY_NS_PER_S);
	s64 error_s;

	if (!c->birth_s)
		c->birth_s = wall_s - min(wall_s, seen_s);
	error_s = clock_error_s(c, wall_s);
	if (error_s > CLOCK_MAX_AWAY_S || error_s < -CLOCK_MAX_AWAY_S) {
		if (clock_insists(c))
			c->birth_s = wall_s - min(wall_s, seen_s);
		return;
	}
	c->nonsense = false;
	if (error_s >= (s64)tolerance_s) {
		c->away_ns += (u64)error_s * READY_NS_PER_S;
		clock_age(r, (u64)error_s * READY_NS_PER_S);
	} else if (error_s <= -CLOCK_TOLERANCE_S) {
		clock_back(&c->away_ns, (u64)-error_s * READY_NS_PER_S);
		clock_rejuvenate(r, (u64)-error_s * READY_NS_PER_S);
	}
}

/*
 * ready_clock_load - a life goes on that was saved some time ago
 * @r: the drive, as it was saved
 * @wall_s: time of day
 * @now_ns: time
 *
 * What has passed meanwhile does with the next ready_roll().
 */
void ready_clock_load(struct ssdqos_ready *r, u64 wall_s, u64 now_ns)
{
	struct ssdqos_ready_clock *c = &r->clock;

	c->at_ns = now_ns;
	c->nonsense = false;
	clock_correct(r, wall_s, 1);
}

/**
 * ssdqos_ready_clock - look at the time of day
 * @r: the drive
 * @wall_s: seconds since 1970
 * @slept_ns: for how long @now_ns has stood still since the machine has power
 * @now_ns: time
 *
 * To be called whenever somebody looks; the first time says when life began.
 * Context: caller serialises.
 */
void ssdqos_ready_clock(struct ssdqos_ready *r, u64 wall_s, u64 slept_ns,
			u64 now_ns)
{
	struct ssdqos_ready_clock *c = &r->clock;
	u64 slept = slept_ns - min(slept_ns, c->slept_ns);

	if (r->counting && c->begun) {
		ready_roll(r, now_ns);
		c->powered_ns += now_ns - c->at_ns + slept;
		clock_age(r, slept);
		clock_correct(r, wall_s, CLOCK_TOLERANCE_S);
		ready_roll(r, now_ns);
	}
	c->begun = true;
	c->at_ns = now_ns;
	c->slept_ns = slept_ns;
}
