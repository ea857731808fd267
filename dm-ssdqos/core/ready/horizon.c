// SPDX-License-Identifier: GPL-2.0
/*
 * horizon.c - the policy "horizon": a burst is not a forecast
 *
 * The paper's policies ask what the last epoch wrote, and delay so that the
 * next one may write the same.  A backup that is restored in the first ten
 * minutes of five years is a forecast of ruin to them, and each page then
 * waits ten seconds.  This one asks how much of the life so far was spent.
 *
 * The plan says what should be left by now, L, and f, what a second may have
 * of it (plan.c).  Less than planned is an overdraft, and a part of what
 * is left, drive_spare_permille, a tenth, is allowed as one:
 *
 *	x = (plan - L) / (L / 10)
 *
 * A tenth, since lives differ by more than that anyway, and yet it is half a
 * year's writes of five: no burst, but years of a load that is too much, take
 * x to 1.
 *
 * The delay of a page has two parts:
 *
 *	ahead_of_plan	x <= 0		d = 0
 *	sparing		0 < x < 1	d = b * needed + 16 y^2 * page / f
 *	overdrawn	1 <= x		the same, 16 * 2^(4 (y - 1)) beyond y = 1
 *	budget_spent	L = 0		d = the floor's
 *
 * The first part is what keeps the load of the last weeks to the plan
 * (ready_plan_needed_ns()), once it has been behind for long enough: b rises
 * from 0 to 1 while it is behind by 1/8192 to 1/4096 of what is left of the life,
 * five to eleven hours of five years.  So a lasting load has one constant delay,
 * by day and night, the shortest with which the drive lasts.  It is there within
 * a day: with cells that recover, each day at full speed at the begin of a life
 * costs a hundredth of what could be written in all of it.
 *
 * The second part is for all that differs from what was seen.  x is a sum: it
 * rises by what is written beyond f, over a tenth of what is left, so it can't
 * change faster than a budget of months allows.  One stream that writes page
 * after page gets d = page / f at x = 1/4 at most; many get f together with as
 * many times that, so it goes on, to 16 of them at x = 1, and to any number
 * beyond.  y is x, but in the last sixteenth of the life less and less: there
 * what a day has more than a night is much of what is left, and no danger.
 *
 * A write waits for those of its stream before it, but not longer than
 *
 *	x < 1		drive_max_delay_ms
 *	1 <= x		2^(20 (x - 1)) times that; from x = 2 on, no bound
 *
 * Who keeps many writes under way may so write more than page / d.  Then x
 * rises to 1: while less is spent than the plan and a tenth, the bound comes
 * before the budget; beyond it the bound grows until f is what is written.
 * Without waiting there would be nothing that could hold a writer back.
 *
 * All who write get the floor together, whatever that costs
 * (ready_floor_kb_s()): drive_floor_kb_s, or a quarter of what the whole life
 * would have a second.  Half of a life by it costs an eighth of the endurance.
 *
 * Worked example.  1 TB, 600 TB in five years: f is 3.8 MB/s, and page / f
 * 1.08 ms.  A backup of 50 GB onto the new drive is an overdraft of 50 GB out of
 * 60 TB, x = 0.0008, and four hours' worth: d is 12 ns.  Another 500 GB in the
 * next hour are 40 hours' worth, but behind by no more than it took: d is 1.5 us
 * at the end of it, 0.2 GB/s for a queue of one.  After a month of rest 9.9 TB are
 * spared, and go without any delay.  A writer that wants 7.6 MB/s for ever is
 * delayed from the tenth hour on, and by 0.5 ms from the second week to the end.
 *
 * Nothing stops, so there are no periods.  An epoch is one window; what is
 * left is looked at anew at its end, and delays are when a thousandth of the
 * allowance was used, or a part of the window has passed.
 */
#include "internal.h"

/* d is so many times page / f at y = 1. */
#define HORIZON_STEEP 16
/* In the last part of the life, one of so many, y is half of x or less. */
#define HORIZON_LAST_PART 16
/* The delay doubles with each quarter of y beyond 1 ... */
#define HORIZON_DELAY_STEPS 4
/* ... and the longest wait with each twentieth. */
#define HORIZON_WAIT_STEPS 20
/* A thousandth of the allowance is no change of a delay that anybody sees. */
#define HORIZON_LOOK_SHIFT 10
/* Nor is what a window's 128th part, some five seconds, can spare. */
#define HORIZON_LOOKS 128
/* Doubled so often, times are longer than a life; and products fit. */
#define HORIZON_MOST_DOUBLINGS 20
/* No bound: longer than any life, and times fit with it. */
#define HORIZON_MAX_WAIT_NS (1ULL << 62)
/* Longest delay of a page that is to be doubled: the same. */
#define HORIZON_MAX_PAGE_NS (1ULL << 40)

/*
 * ready_horizon_allowed - what may be overdrawn
 */
u64 ready_horizon_allowed(const struct ssdqos_ready *r)
{
	return ready_share(ready_horizon_left(r), r->cfg.drive_spare_permille,
			   READY_PERMILLE);
}

/* x */
static u64 horizon_overdraft_fp(const struct ssdqos_ready *r)
{
	u64 left = ready_horizon_left(r), plan = ready_plan_left(r);

	return ready_part_fp(plan - min(plan, left), ready_horizon_allowed(r));
}

/* @value * 2^(@steps * (x - 1)), by straight lines between powers of two. */
static u64 horizon_double(u64 value, u64 over_fp, u32 steps)
{
	u64 times_fp = min_t(u64, over_fp, SSDQOS_FP_ONE * HORIZON_MOST_DOUBLINGS);
	u64 doublings;

	times_fp = min_t(u64, times_fp * steps,
			 SSDQOS_FP_ONE * HORIZON_MOST_DOUBLINGS);
	doublings = times_fp >> SSDQOS_FP_SHIFT;
	/* with what is between two powers of two it would be too much for a u64 */
	if (value >= HORIZON_MAX_WAIT_NS >> (doublings + 1))
		return HORIZON_MAX_WAIT_NS;
	value <<= doublings;
	return value + ssdqos_fp_mul(value, times_fp -
				     (doublings << SSDQOS_FP_SHIFT));
}

/* y */
static u64 horizon_feared_fp(const struct ssdqos_ready *r, u64 x_fp)
{
	u64 target_ns = ready_target_ns(r), left_ns = target_ns - r->life_ns;

	return ready_share(x_fp, left_ns,
			   left_ns + target_ns / HORIZON_LAST_PART);
}

static u64 horizon_delay_ns(struct ssdqos_ready *r, u64 x_fp)
{
	u64 page_ns = ready_plan_page_ns(r), y_fp = horizon_feared_fp(r, x_fp);
	u64 needed_ns = min(ready_plan_needed_ns(r, page_ns), HORIZON_MAX_PAGE_NS);
	u64 delay_ns = ssdqos_fp_mul(needed_ns, ready_plan_behind_fp(r));

	if (y_fp < SSDQOS_FP_ONE)
		return delay_ns + ssdqos_fp_mul(page_ns, HORIZON_STEEP *
						ssdqos_fp_mul(y_fp, y_fp));
	return delay_ns + horizon_double(HORIZON_STEEP * page_ns,
					 y_fp - SSDQOS_FP_ONE,
					 HORIZON_DELAY_STEPS);
}

static u64 horizon_wait_ns(const struct ssdqos_ready *r, u64 x_fp)
{
	u64 wait_ns = r->cfg.drive_max_delay_ms * READY_NS_PER_MS;

	if (x_fp < SSDQOS_FP_ONE)
		return wait_ns;
	if (x_fp >= 2 * SSDQOS_FP_ONE)
		return HORIZON_MAX_WAIT_NS;
	return horizon_double(wait_ns, x_fp - SSDQOS_FP_ONE,
			      HORIZON_WAIT_STEPS);
}

static u32 horizon_why(const struct ssdqos_ready *r, u64 x_fp)
{
	if (!ready_horizon_left(r))
		return SSDQOS_READY_WHY_SPENT;
	if (!x_fp)
		return SSDQOS_READY_WHY_AHEAD;
	return x_fp < SSDQOS_FP_ONE ? SSDQOS_READY_WHY_SPARING :
				      SSDQOS_READY_WHY_OVERDRAWN;
}

/* Streams that write, and share the floor. */
static u32 horizon_writers(const struct ssdqos_ready *r)
{
	const struct ssdqos_ready_stream *s;
	u32 nr = 0;

	for (s = r->streams; s; s = s->next)
		nr += s->pages || s->lists[SSDQOS_READY_BEFORE].nr ||
			s->lists[SSDQOS_READY_AFTER].nr;
	return max(nr, 1u);
}

/*
 * ready_horizon_decide - the delay, and why
 * @r: the drive; its policy is in force, and it is not as old as promised
 *
 * Does not share the delay out among the streams.
 */
void ready_horizon_decide(struct ssdqos_ready *r)
{
	u64 x_fp = horizon_overdraft_fp(r);
	u64 most_ns, delay_ns;

	r->plan.most_ns = min(ready_floor_page_ns(r) * horizon_writers(r),
			      READY_MAX_DELAY_NS);
	most_ns = r->plan.most_ns * r->cfg.drive_time_scale;
	delay_ns = min(horizon_delay_ns(r, x_fp), most_ns);

	r->why = horizon_why(r, x_fp);
	if (r->why == SSDQOS_READY_WHY_SPENT)
		delay_ns = most_ns;
	r->delay_ns = min(delay_ns, READY_MAX_DELAY_NS);
	r->plan.wait_ns = horizon_wait_ns(r, x_fp);
	r->plan.look_ns = r->life_ns + ready_window_ns(r) / HORIZON_LOOKS;
	r->plan.look_bytes = r->used_bytes + SSDQOS_READY_PAGE_BYTES +
		(ready_horizon_allowed(r) >> HORIZON_LOOK_SHIFT);
}

/*
 * ready_horizon_look - time has passed, or something was written
 * @r: the drive
 */
void ready_horizon_look(struct ssdqos_ready *r)
{
	u32 was_why = r->why;

	if (!ready_plans(r) || !r->enforcing || ready_is_over(r))
		return;
	ready_horizon_decide(r);
	ready_share_delay(r);
	if (r->why != was_why)
		ready_tell(r, SSDQOS_WATCH_LIFE_EPOCH);
}
