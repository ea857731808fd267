// SPDX-License-Identifier: GPL-2.0
/*
 * plan.c - what should be left by now, and what it takes to keep to that
 *
 * When the policy begins, at t0, L0 bytes are left.  At t, with T the drive's
 * target, there should be left
 *
 *	plan = (used since t0 + L) * p(s)	s = (T - t) / (T - t0)
 *
 * where L is what is left: with cells that recover, both change.  Without, p(s)
 * is s: what is left is shared out evenly.  With them the same bytes are less
 * wear if fewer come early: trapped charge grows fastest in the first cycles,
 * and these leave the less of it the longer cells rest before them.  So the
 * rate begins a tenth, e, below the even one, and rises the later the faster:
 *
 *	p(s) = (1 - e) * s + e * (1 - (1 - s)^4)
 *
 * Most bytes of all fit if the rate begins at nothing and rises evenly: that is
 * what a drive that is never asked for anything in its first year can have.  A
 * tenth costs the first years a tenth more time for each page.
 *
 * What is left is to be spent at f = L * p'(s) / p(s) / (T - t0), whose pages
 * are page / f apart.
 *
 * The delay that is needed.  In the last weeks pages came t apart, and were
 * delayed by d: a client that waits for its writes would have come every t - d.
 * So page / f - (t - d) makes it come at f.  The same holds where many write at
 * once, or where nobody waits, though not at the first try: as long as t is less
 * than page / f, that is more than d was, until it fits.  Who has been seen for
 * less than some days is taken to have been as planned for a part of them.
 *
 * How long it is behind.  Of what is overdrawn, the time in which f would have
 * written it; but no longer than it has been overdrawn.  So ten hours' worth in
 * an hour, a backup that is restored, are an hour, and if that ends, nothing.
 */
#include "internal.h"

/* e is one in so many. */
#define PLAN_RISE_PART 10
/* Loads of so large a part of the life are seen, and of twice that: of five
 * years four weeks.  Loads repeat weekly, if at all.
 */
#define PLAN_SEEN_PART 64
/* As if the load had been as planned for that part of the life, of five years
 * 21 hours, and less by an eighth of what was seen.
 */
#define PLAN_UNSEEN_PART 2048
#define PLAN_UNSEEN_TIMES 8
/* Behind by so large a part of what is left of the life, of five years five
 * hours, is as good as not behind; twice that, and the delay is the whole one.
 */
#define PLAN_BEHIND_PART 8192
/* Longest time between two pages that is to be doubled: products fit. */
#define PLAN_MAX_PAGE_NS (1ULL << 40)
/* No sum of delays has more. */
#define PLAN_MAX_DELAYS_NS (1ULL << 61)

/*
 * ready_plan_begin - what is left is shared out from now on
 */
void ready_plan_begin(struct ssdqos_ready *r)
{
	r->plan.start_ns = r->life_ns;
	r->plan.start_bytes = r->used_bytes;
	r->plan.seen_ns = 0;
	r->plan.seen_pages = 0;
	r->plan.seen_delay_ns = 0;
	r->plan.since_ns = r->life_ns;
	r->plan.look_ns = r->life_ns;
}

/* ---- what should be left ---- */

/* T - t0 */
static u64 plan_ns(const struct ssdqos_ready *r)
{
	return ready_target_ns(r) - min(r->plan.start_ns, r->life_ns);
}

static u64 plan_left_ns(const struct ssdqos_ready *r)
{
	return ready_target_ns(r) - min(ready_target_ns(r), r->life_ns);
}

/* 1 - s */
static u64 plan_gone_fp(const struct ssdqos_ready *r)
{
	return SSDQOS_FP_ONE - min_t(u64, SSDQOS_FP_ONE,
				     ready_part_fp(plan_left_ns(r), plan_ns(r)));
}

static u64 plan_cube_fp(u64 value_fp)
{
	return ssdqos_fp_mul(value_fp, ssdqos_fp_mul(value_fp, value_fp));
}

/* p(s) */
static u64 plan_part_fp(const struct ssdqos_ready *r)
{
	u64 gone_fp = plan_gone_fp(r), part_fp = SSDQOS_FP_ONE - gone_fp;
	u64 fourth_fp = ssdqos_fp_mul(gone_fp, plan_cube_fp(gone_fp));

	if (!ready_recovers(r))
		return part_fp;
	return part_fp + div64_u64(SSDQOS_FP_ONE - fourth_fp - part_fp,
				   PLAN_RISE_PART);
}

/* p'(s) */
static u64 plan_rate_fp(const struct ssdqos_ready *r)
{
	u64 rise_fp = div64_u64(4 * plan_cube_fp(plan_gone_fp(r)),
				PLAN_RISE_PART);

	if (!ready_recovers(r))
		return SSDQOS_FP_ONE;
	return SSDQOS_FP_ONE - SSDQOS_FP_ONE / PLAN_RISE_PART + rise_fp;
}

/*
 * ready_plan_left - what should be left by now
 */
u64 ready_plan_left(const struct ssdqos_ready *r)
{
	u64 used = r->used_bytes - min(r->used_bytes, r->plan.start_bytes);

	if (r->life_ns >= ready_target_ns(r))
		return 0;
	return ssdqos_fp_mul(used + ready_horizon_left(r), plan_part_fp(r));
}

/* L / f */
static u64 plan_span_ns(const struct ssdqos_ready *r)
{
	if (!ready_recovers(r))
		return plan_left_ns(r);
	return ready_share(plan_ns(r), plan_part_fp(r), plan_rate_fp(r));
}

/*
 * ready_plan_page_ns - page / f
 */
u64 ready_plan_page_ns(const struct ssdqos_ready *r)
{
	u32 rest = READY_ROUND_UP;
	u64 page = ready_charge_of(r, SSDQOS_READY_PAGE_BYTES, &rest);
	u64 pages = div64_u64(ready_horizon_left(r), max(page, 1ULL));

	return min(div64_u64(plan_span_ns(r), max(pages, 1ULL)),
		   PLAN_MAX_PAGE_NS);
}

/* ---- what is written ---- */

/* Time goes on: what was seen long ago counts half. */
static void plan_forget(struct ssdqos_ready *r)
{
	struct ssdqos_ready_plan *p = &r->plan;

	if (p->seen_ns < 2 * div64_u64(plan_ns(r), PLAN_SEEN_PART))
		return;
	p->seen_ns /= 2;
	p->seen_pages /= 2;
	p->seen_delay_ns /= 2;
}

/*
 * ready_plan_seen - an epoch has ended
 * @r: the drive
 * @bytes: what hosts have written in it
 */
void ready_plan_seen(struct ssdqos_ready *r, u64 bytes)
{
	struct ssdqos_ready_plan *p = &r->plan;

	if (!ready_plans(r) || ready_is_over(r))
		return;
	p->seen_ns += r->epoch.windows * ready_window_ns(r);
	p->seen_pages += div64_u64(bytes, SSDQOS_READY_PAGE_BYTES);
	p->seen_delay_ns = min(p->seen_delay_ns + r->held_ns,
			       PLAN_MAX_DELAYS_NS);
	plan_forget(r);
}

/*
 * ready_plan_rest - windows have passed in which nothing was written
 * @r: the drive
 * @windows: how many
 *
 * As if each had been an epoch; what was seen is nothing after 64 halves.
 */
void ready_plan_rest(struct ssdqos_ready *r, u64 windows)
{
	u64 memory_ns = 2 * div64_u64(plan_ns(r), PLAN_SEEN_PART), more;

	if (!ready_plans(r) || ready_is_over(r))
		return;
	while (windows) {
		more = memory_ns - min(memory_ns, r->plan.seen_ns);
		more = max(div64_u64(more + ready_window_ns(r) - 1,
				     ready_window_ns(r)), 1ULL);
		more = min(more, windows);
		r->plan.seen_ns += more * ready_window_ns(r);
		windows -= more;
		plan_forget(r);
	}
}

/*
 * ready_plan_needed_ns - the delay with which a page comes every page / f
 * @r: the drive
 * @page_ns: page / f
 */
u64 ready_plan_needed_ns(const struct ssdqos_ready *r, u64 page_ns)
{
	const struct ssdqos_ready_plan *p = &r->plan;
	u64 most_ns = div64_u64(plan_ns(r), PLAN_UNSEEN_PART);
	u64 unseen_ns = most_ns - min(most_ns, div64_u64(p->seen_ns, PLAN_UNSEEN_TIMES));
	u64 pages = p->seen_pages + div64_u64(unseen_ns, max(page_ns, 1ULL));
	u64 all_ns = p->seen_ns + unseen_ns, own_ns;

	if (!pages)
		return 0;
	/* many at once are delayed for longer than time has passed */
	if (all_ns < p->seen_delay_ns)
		return page_ns + div64_u64(p->seen_delay_ns - all_ns, pages);
	own_ns = div64_u64(all_ns - p->seen_delay_ns, pages);
	return page_ns - min(page_ns, own_ns);
}

/* ---- how long it is behind ---- */

/*
 * ready_plan_behind_fp - the part of that delay that is in force
 * @r: the drive
 *
 * Return: fixed point, from 0 to 1.
 */
u64 ready_plan_behind_fp(struct ssdqos_ready *r)
{
	u64 left = ready_horizon_left(r), plan = ready_plan_left(r);
	u64 none_ns = div64_u64(plan_left_ns(r), PLAN_BEHIND_PART);
	u64 worth_ns = ready_share(plan_span_ns(r), plan - min(plan, left),
				   max(left, 1ULL));
	u64 behind_ns;

	r->plan.since_ns = max(min(r->plan.since_ns, r->life_ns),
			       r->life_ns - min(r->life_ns, worth_ns));
	behind_ns = r->life_ns - r->plan.since_ns;
	return min_t(u64, ready_part_fp(behind_ns - min(behind_ns, none_ns),
					max(none_ns, 1ULL)), SSDQOS_FP_ONE);
}
