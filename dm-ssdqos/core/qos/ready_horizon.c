// SPDX-License-Identifier: GPL-2.0
/*
 * ready_horizon.c - the policy "horizon": a burst is not a forecast
 *
 * The paper's policies ask what the last epoch wrote, and delay so that the
 * next one may write the same.  A backup that is restored in the first ten
 * minutes of five years is a forecast of ruin to them, and each page then
 * waits ten seconds.  This one asks how much of the life so far was spent.
 *
 * The plan.  When the policy begins, at t0, L0 bytes are left.  They are shared
 * out by time, so at t, with T the drive's target, there should be left
 *
 *	plan = (used since t0 + L) * (T - t) / (T - t0)
 *
 * where L is what is left: with cells that recover, both change.  Less than
 * that is an overdraft, and a part of what is left, drive_spare_permille, a
 * tenth, is allowed as one:
 *
 *	x = (plan - L) / (L / 10)
 *
 * A tenth, since lives differ by more than that anyway, and yet it is half a
 * year's writes of five: no burst, but years of a load that is too much, take
 * x to 1.
 *
 * The delay of a page.  What is left would last with f = L / (T - t), whose
 * pages are page / f apart.  d is a part of that:
 *
 *	ahead_of_plan	x <= 0		d = 0
 *	sparing		0 < x < 1	d = 16 x^2 * page / f
 *	overdrawn	1 <= x		d = 16 * 2^(4 (x - 1)) * page / f
 *	budget_spent	L = 0		d = the floor's
 *
 * x is a sum: it rises by what is written beyond f, over a tenth of what is
 * left.  So d can't change faster than a budget of months allows.  It settles
 * where what is written is f: d depends on x alone, and x on the past alone,
 * a system of first order, which does not swing.  There x stays, L goes to 0
 * with T - t, and the drive lasts until T.  Squared, so that what is spared,
 * and somewhat more, goes at full speed.  One stream that writes page after
 * page gets d = page / f at x = 1/4 at most; many get f together with as many
 * times that, so it goes on, to 16 of them at x = 1, and to any number beyond.
 * The sooner it is there the better, with cells that recover: trapped charge
 * grows most in the first cycles, so these should rest the longest.
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
 * 1.08 ms.  A backup of 50 GB onto the new drive is an overdraft of 50 GB out
 * of 60 TB, x = 0.0008, and d 12 ns.  After a month of rest 9.9 TB are spared,
 * and go without any delay; the next 600 GB have one of 2 us a page at most.  A
 * writer that wants 7.6 MB/s for ever reaches x = 0.18 in a month, d = 0.54 ms,
 * and stays there for the other years.
 *
 * Nothing stops, so there are no periods.  An epoch is one window; what is
 * left is looked at anew at its end, and delays are when a thousandth of the
 * allowance was used, or a second has passed.
 */
#include "ready_internal.h"

/* d is so many times page / f at x = 1. */
#define HORIZON_STEEP 16
/* The delay doubles with each quarter of x beyond 1 ... */
#define HORIZON_DELAY_STEPS 4
/* ... and the longest wait with each twentieth. */
#define HORIZON_WAIT_STEPS 20
/* A thousandth of the allowance is no change of a delay that anybody sees. */
#define HORIZON_LOOK_SHIFT 10
/* Doubled so often, times are longer than a life; and products fit. */
#define HORIZON_MOST_DOUBLINGS 20
/* No bound: longer than any life, and times fit with it. */
#define HORIZON_MAX_WAIT_NS (1ULL << 62)
/* Longest delay of a page that is to be doubled: the same. */
#define HORIZON_MAX_PAGE_NS (1ULL << 40)

/*
 * ready_plan_begin - what is left is shared out from now on
 */
void ready_plan_begin(struct ssdqos_ready *r)
{
	r->plan.start_ns = r->life_ns;
	r->plan.start_bytes = r->used_bytes;
}

/*
 * ready_horizon_left - what is left, but for what never stops
 */
u64 ready_horizon_left(const struct ssdqos_ready *r)
{
	u64 left = ready_left_to_share(r);

	return left - min(left, r->epoch.used_bytes);
}

/*
 * ready_plan_left - what should be left by now
 */
u64 ready_plan_left(const struct ssdqos_ready *r)
{
	u64 target_ns = ready_target_ns(r);
	u64 used = r->used_bytes - min(r->used_bytes, r->plan.start_bytes);

	if (r->life_ns >= target_ns)
		return 0;
	return ready_share(used + ready_horizon_left(r),
			   target_ns - r->life_ns,
			   target_ns - min(r->plan.start_ns, r->life_ns));
}

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
	value <<= doublings;
	return value + ssdqos_fp_mul(value, times_fp -
				     (doublings << SSDQOS_FP_SHIFT));
}

/* page / f */
static u64 horizon_page_ns(const struct ssdqos_ready *r)
{
	u32 rest = READY_ROUND_UP;
	u64 page = ready_charge_of(r, SSDQOS_READY_PAGE_BYTES, &rest);
	u64 pages = div64_u64(ready_horizon_left(r), max(page, 1ULL));
	u64 left_ns = ready_target_ns(r) - r->life_ns;

	return min(div64_u64(left_ns, max(pages, 1ULL)), HORIZON_MAX_PAGE_NS);
}

static u64 horizon_delay_ns(const struct ssdqos_ready *r, u64 x_fp)
{
	u64 page_ns = horizon_page_ns(r);

	if (x_fp < SSDQOS_FP_ONE)
		return ssdqos_fp_mul(page_ns, HORIZON_STEEP * ssdqos_fp_mul(x_fp, x_fp));
	return horizon_double(HORIZON_STEEP * page_ns, x_fp - SSDQOS_FP_ONE,
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
