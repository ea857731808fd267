// SPDX-License-Identifier: GPL-2.0
/*
 * epoch.c - epochs: their budget, their delay, their length
 */
#include "internal.h"

/* An expectation is wrong by more than that (section 5.4.4) ... */
#define EPOCH_WRONG_PCT 25
/* ... and so often in a row, before the length is thought about. */
#define EPOCH_WRONG_TIMES 3
/* The ratio (5.8) where nothing had been written: as bad as ten times as much. */
#define EPOCH_FROM_NOTHING_PPM 10000000u
/* Writes that stop all the time want at most so many times as much. */
#define EPOCH_MIN_RUNNING 16
/* Pages of so many windows count, of ten minutes: those of half a day. */
#define EPOCH_PAGES_PART 64

/* ---- the delay ---- */

/* F * (more / less - 1) / m of (5.6) and (5.7), m pages being @capacity. */
static u64 epoch_change_ns(const struct ssdqos_ready *r, u64 more, u64 less,
			   u64 capacity)
{
	u32 rest = READY_ROUND_DOWN;
	u64 page = ready_charge_of(r, SSDQOS_READY_PAGE_BYTES, &rest);
	u64 page_ns, times_fp;

	if (capacity < page || !less)
		return READY_MAX_DELAY_NS;
	page_ns = div64_u64(r->epoch.length_ns, div64_u64(capacity, page));
	times_fp = ready_part_fp(more - less, less);
	if (!page_ns || div64_u64(READY_MAX_DELAY_NS << 20, page_ns) <
	    times_fp >> (SSDQOS_FP_SHIFT - 20))
		return READY_MAX_DELAY_NS;
	return ssdqos_fp_mul(page_ns, times_fp);
}

/* d of an epoch in which @expected is written, after one with @delay_ns. */
static void epoch_set_delay(struct ssdqos_ready *r, u64 delay_ns, u64 expected)
{
	u64 capacity = r->epoch.capacity_bytes;

	if (expected > capacity) {
		r->delay_ns = delay_ns + epoch_change_ns(r, expected, capacity,
							 capacity);
		r->why = SSDQOS_READY_WHY_MORE;
	} else {
		r->delay_ns = delay_ns - min(delay_ns,
					     epoch_change_ns(r, capacity,
							     expected,
							     capacity));
		r->why = r->delay_ns ? SSDQOS_READY_WHY_LESS :
				       SSDQOS_READY_WHY_ENOUGH;
	}
	r->delay_ns = min(r->delay_ns, READY_MAX_DELAY_NS);
}

/* What would have been written as well while writes stopped. */
static u64 epoch_wanted(const struct ssdqos_ready *r, u64 stopped_ns,
			u64 length_ns)
{
	return r->epoch.expected_bytes +
		ready_share(r->epoch.expected_bytes, stopped_ns,
			    length_ns - stopped_ns);
}

static void epoch_decide(struct ssdqos_ready *r, u64 delay_ns, u64 wanted)
{
	struct ssdqos_ready_epoch *e = &r->epoch;

	if (ready_is_over(r)) {
		r->why = SSDQOS_READY_WHY_REACHED;
		r->delay_ns = 0;
	} else if (!r->enforcing) {
		r->why = SSDQOS_READY_WHY_OFF;
		r->delay_ns = 0;
	} else if (ready_plans(r)) {
		ready_horizon_decide(r);
	} else if (!ready_delays(r)) {
		r->why = SSDQOS_READY_WHY_STATIC;
		r->delay_ns = 0;
	} else if (!r->nr_history) {
		r->why = SSDQOS_READY_WHY_FIRST;
		r->delay_ns = 0;
	} else {
		epoch_set_delay(r, delay_ns, wanted);
	}
	if (r->enforcing && r->why != SSDQOS_READY_WHY_REACHED &&
	    e->used_bytes >= e->left_bytes)
		r->why = SSDQOS_READY_WHY_SPENT;
	ready_share_delay(r);
}

/* ---- the budget ---- */

/*
 * ready_period_begin - what may have been written by the end of this second
 */
void ready_period_begin(struct ssdqos_ready *r)
{
	struct ssdqos_ready_epoch *e = &r->epoch;
	u64 period_ns = ready_life_period_ns(r), passed, periods, bytes;

	passed = div64_u64(r->life_ns - e->start_ns, period_ns) + 1;
	if (r->cfg.drive_throttle == SSDQOS_QOS_STATIC) {
		/* what a second does not use is lost, what it borrows is not */
		bytes = ready_share(e->capacity_bytes, period_ns, e->length_ns);
		periods = 1;
		if (r->life_ns >= e->period_end_ns)
			periods += div64_u64(r->life_ns - e->period_end_ns,
					     period_ns);
		e->period_bytes = min(e->period_bytes + bytes * periods,
				      e->used_bytes + bytes);
	} else {
		e->period_bytes = ready_share(e->capacity_bytes,
					      min(passed * period_ns,
						  e->length_ns), e->length_ns);
	}
	e->period_end_ns = e->start_ns + passed * period_ns;
}

/* Capacity, and what may be borrowed, where something was: c is smaller, and
 * nobody lends again what is owed.
 */
static void epoch_budget_borrowed(struct ssdqos_ready *r, u64 left_ns, u64 fair)
{
	struct ssdqos_ready_epoch *e = &r->epoch;
	u32 own = READY_PERMILLE - (u32)r->cfg.drive_spare_permille;
	u64 less = ready_share(e->fair_bytes, own, READY_PERMILLE);

	less = ssdqos_fp_mul(less, ready_part_fp(e->length_ns, e->fair_ns));
	e->capacity_bytes = min(less, fair);
	if (less < fair)
		e->spare_bytes = e->left_bytes - min(e->left_bytes,
			ssdqos_fp_mul(less, ready_part_fp(left_ns,
							  e->length_ns)));
}

/* Capacity, and what may be borrowed, of an epoch in which @left_ns are left. */
static void epoch_budget(struct ssdqos_ready *r, u64 left_ns, bool borrowed)
{
	struct ssdqos_ready_epoch *e = &r->epoch;
	u64 fair = ready_share(ready_left_to_share(r), e->length_ns, left_ns);

	e->spare_bytes = 0;
	if (borrowed && ready_borrows(r) && e->fair_ns) {
		epoch_budget_borrowed(r, left_ns, fair);
		return;
	}
	e->capacity_bytes = fair;
	e->fair_bytes = fair;
	e->fair_ns = e->length_ns;
	if (ready_borrows(r))
		e->spare_bytes = ready_share(e->left_bytes - fair,
					     r->cfg.drive_spare_permille,
					     READY_PERMILLE);
}

/* Lays out an epoch that began at @start_ns; what it has used is set. */
static void epoch_lay_out(struct ssdqos_ready *r, u32 windows, bool borrowed)
{
	struct ssdqos_ready_epoch *e = &r->epoch;
	u64 target_ns = ready_target_ns(r);
	u64 left_ns = target_ns - min(target_ns, e->start_ns);

	e->windows = windows;
	e->length_ns = windows * ready_window_ns(r);
	e->left_bytes = ssdqos_ready_left_bytes(r) + e->used_bytes;
	if (left_ns && left_ns < e->length_ns)
		e->length_ns = left_ns;
	if (left_ns && r->cfg.drive_throttle == SSDQOS_QOS_STATIC &&
	    e->fair_ns) {
		/* the rate was fixed when the policy began */
		e->capacity_bytes = ssdqos_fp_mul(e->fair_bytes,
						  ready_part_fp(e->length_ns,
								e->fair_ns));
		e->spare_bytes = 0;
	} else if (left_ns) {
		epoch_budget(r, left_ns, borrowed);
	} else {
		e->capacity_bytes = 0;
		e->spare_bytes = 0;
	}
	e->period_end_ns = e->start_ns;
	ready_period_begin(r);
}

/* What hosts wrote in the last windows. */
static u64 epoch_recent_bytes(const struct ssdqos_ready *r, u32 windows)
{
	u32 i, have = min(windows, r->nr_history);
	u64 pages = 0;

	for (i = 1; i <= have; i++)
		pages += r->history[(r->next_history + SSDQOS_READY_HISTORY -
				     i) % SSDQOS_READY_HISTORY];
	if (have && have < windows)
		pages = div64_u64(pages * windows, have);
	return pages * SSDQOS_READY_PAGE_BYTES;
}

/* What the last windows would be charged in an epoch like this one. */
static u64 epoch_recent_charge(const struct ssdqos_ready *r)
{
	const struct ssdqos_ready_epoch *e = &r->epoch;
	u64 bytes = ready_mean_charge(r, epoch_recent_bytes(r, e->windows));

	return ssdqos_fp_mul(bytes, ready_part_fp(e->length_ns, e->windows *
						  ready_window_ns(r)));
}

/* What is expected of an epoch: the same as in the one before. */
static void epoch_expect(struct ssdqos_ready *r)
{
	r->epoch.expected_bytes = epoch_recent_charge(r);
}

/* Was a delay decided on, even if it is none? */
static bool epoch_has_delay(const struct ssdqos_ready *r)
{
	return r->why == SSDQOS_READY_WHY_ENOUGH ||
	       r->why == SSDQOS_READY_WHY_MORE ||
	       r->why == SSDQOS_READY_WHY_LESS;
}

/*
 * ready_epoch_begin - begin with the current window, whatever was before
 * @windows: length
 *
 * For parameters that have changed, and the end of the life.
 */
void ready_epoch_begin(struct ssdqos_ready *r, u32 windows)
{
	struct ssdqos_ready_epoch *e = &r->epoch;

	e->done_windows = 0;
	e->start_ns = r->window_end_ns - min(r->window_end_ns,
					     ready_window_ns(r));
	e->used_bytes = r->window_bytes;
	e->period_bytes = e->used_bytes;
	e->fair_ns = 0;
	e->wrong = 0;
	epoch_lay_out(r, windows, false);
	epoch_expect(r);
	if (!r->enforcing || !ready_delays(r) || ready_is_over(r) ||
	    ready_plans(r) || !epoch_has_delay(r))
		epoch_decide(r, r->delay_ns, e->expected_bytes);
	/* else the delay stays until the epoch ends */
	e->delay_ns = r->delay_ns;
}

/* Was the expectation right? */
static void epoch_judge(struct ssdqos_ready *r)
{
	struct ssdqos_ready_epoch *e = &r->epoch;
	u64 charge = epoch_recent_charge(r);
	u64 off = charge > e->expected_bytes ? charge - e->expected_bytes :
					       e->expected_bytes - charge;

	r->epochs++;
	if (off <= div64_u64(e->expected_bytes, 100) * EPOCH_WRONG_PCT) {
		r->good_epochs++;
		e->wrong = 0;
	} else if (++e->wrong >= EPOCH_WRONG_TIMES) {
		r->search = !ready_plans(r);
		e->wrong = 0;
	}
}

/* How long writes were held up, as a part of time; the last epochs count. */
static void epoch_count_held(struct ssdqos_ready *r)
{
	u64 held;

	if (r->heaps[SSDQOS_READY_STOPPED].nr) {
		r->stopped_ns += r->life_ns - r->stopped_since_ns;
		r->stopped_since_ns = r->life_ns;
	}
	held = div64_u64(r->held_ns + r->stopped_ns,
			 div64_u64(r->epoch.length_ns, READY_PERMILLE) + 1);
	held = min_t(u64, held, READY_PERMILLE);
	r->held_permille = r->epochs ? (3 * r->held_permille + held) / 4 : held;
	r->held_ns = 0;
}

/* A fixed rate: the epoch begins later by what the last one had too much. */
static void epoch_owe(struct ssdqos_ready *r, u64 bytes)
{
	struct ssdqos_ready_epoch *e = &r->epoch;
	u64 period_ns = ready_life_period_ns(r), periods;

	periods = div64_u64(bytes, max(ready_share(e->capacity_bytes, period_ns,
						   e->length_ns), 1ULL));
	if (!periods) {
		e->period_bytes -= min(e->period_bytes, bytes);
		return;
	}
	e->period_bytes = 0;
	e->period_end_ns = e->start_ns +
		min(periods * period_ns, e->length_ns);
}

/* What counts when the delay is shared out.  Where an epoch is but a window,
 * the ones before count as well, so that delays don't jump.
 */
static u64 epoch_last_pages(const struct ssdqos_ready *r,
			    const struct ssdqos_ready_stream *s)
{
	u64 before = 0;

	/* where nothing was written, nobody has another part of it */
	if (ready_plans(r) && !r->epoch.used_bytes)
		return s->last_pages;
	if (ready_plans(r))
		before = s->last_pages - DIV_ROUND_UP(s->last_pages,
						      EPOCH_PAGES_PART);
	return before + s->pages;
}

/*
 * ready_epoch_end - its windows have passed; the next one begins
 */
void ready_epoch_end(struct ssdqos_ready *r)
{
	struct ssdqos_ready_epoch *e = &r->epoch;
	bool borrowed = e->used_bytes > e->capacity_bytes;
	u64 over = e->used_bytes - min(e->used_bytes, e->period_bytes);
	u64 was_ns = r->delay_ns;
	u32 was_why = r->why;
	u64 stopped_ns, length_ns = e->length_ns;
	struct ssdqos_ready_stream *s;

	ready_plan_seen(r, epoch_recent_bytes(r, e->windows));
	epoch_count_held(r);
	stopped_ns = min(r->stopped_ns, length_ns - length_ns / EPOCH_MIN_RUNNING);
	r->stopped_ns = 0;
	epoch_judge(r);
	for (s = r->streams; s; s = s->next) {
		s->last_pages = epoch_last_pages(r, s);
		s->pages = 0;
	}
	e->done_windows = 0;
	e->start_ns = r->window_end_ns - ready_window_ns(r);
	e->used_bytes = 0;
	/* with a fixed rate, what was too much has to be made up for */
	e->period_bytes = 0;
	/* they become shorter near the end, so that no long one ends the life */
	epoch_lay_out(r, min(e->windows, ready_most_windows(r, e->start_ns)),
		      borrowed);
	if (r->cfg.drive_throttle == SSDQOS_QOS_STATIC)
		epoch_owe(r, over);
	e->delay_ns = r->delay_ns;
	epoch_expect(r);
	epoch_decide(r, e->delay_ns, epoch_wanted(r, stopped_ns, length_ns));
	if (r->enforcing && (r->why != was_why ||
			     (r->delay_ns != was_ns && !ready_plans(r))))
		ready_tell(r, SSDQOS_WATCH_LIFE_EPOCH);
}

/* ---- its length ---- */

/**
 * ssdqos_ready_history - what was written in the last windows
 * @r: the drive
 * @sums: gets up to SSDQOS_READY_NR_SUMS numbers: the n-th is what was written
 *	in the first n windows, from the oldest one on, in pages
 *
 * Context: caller serialises.
 * Return: windows; there is one sum more.
 */
u32 ssdqos_ready_history(const struct ssdqos_ready *r, u64 *sums)
{
	u32 first = r->next_history + SSDQOS_READY_HISTORY - r->nr_history, i;

	sums[0] = 0;
	for (i = 0; i < r->nr_history; i++)
		sums[i + 1] = sums[i] +
			r->history[(first + i) % SSDQOS_READY_HISTORY];
	return r->nr_history;
}

/**
 * ssdqos_ready_most_windows - the longest epoch that makes sense now
 * @r: the drive
 *
 * Return: windows.
 */
u32 ssdqos_ready_most_windows(const struct ssdqos_ready *r)
{
	return ready_most_windows(r, r->life_ns);
}

/* The ratio (5.8) of two epochs, in parts per million. */
static u64 epoch_ratio_ppm(u64 was, u64 is)
{
	u64 off = was > is ? was - is : is - was;

	if (!was)
		return is ? EPOCH_FROM_NOTHING_PPM : 0;
	return min_t(u64, div64_u64(off * 1000000, was), EPOCH_FROM_NOTHING_PPM);
}

/* Mean of the ratios of all neighbours with @windows each, the last ones
 * being whole.
 */
static u64 epoch_mean_ratio_ppm(const u64 *sums, u32 nr, u32 windows)
{
	u32 epochs = nr / windows, i;
	u64 sum = 0, was = 0, is;

	sums += nr - epochs * windows;
	for (i = 0; i < epochs; i++, sums += windows) {
		is = sums[windows] - sums[0];
		if (i)
			sum += epoch_ratio_ppm(was, is);
		was = is;
	}
	return div64_u64(sum, epochs - 1);
}

/**
 * ssdqos_ready_best_windows - the length with which expectations come true
 * @sums: of ssdqos_ready_history()
 * @nr: windows; up to SSDQOS_READY_HISTORY
 * @most: windows of the longest epoch
 *
 * Context: any; divides @nr * ln(@nr) times, so some milliseconds for a full
 * history.
 * Return: windows of an epoch: the first of those with the smallest mean ratio.
 */
u32 ssdqos_ready_best_windows(const u64 *sums, u32 nr, u32 most)
{
	u64 best_ppm = ~0ULL, ppm;
	u32 best = 1, windows;

	for (windows = 1; windows <= min(most, nr / 2); windows++) {
		ppm = epoch_mean_ratio_ppm(sums, nr, windows);
		if (ppm < best_ppm) {
			best_ppm = ppm;
			best = windows;
		}
	}
	return best;
}

/**
 * ssdqos_ready_search - epochs get another length
 * @r: the drive
 * @windows: as ssdqos_ready_best_windows() says
 *
 * The epoch that has begun is laid out anew, and its delay is decided again.
 * Context: caller serialises.
 */
void ssdqos_ready_search(struct ssdqos_ready *r, u32 windows)
{
	r->search = false;
	if (windows == r->epoch.windows || !r->counting || ready_plans(r) ||
	    r->cfg.drive_throttle == SSDQOS_QOS_STATIC)
		return;
	epoch_lay_out(r, windows, false);
	epoch_expect(r);
	if (r->epochs && r->enforcing) {
		epoch_decide(r, r->epoch.delay_ns, r->epoch.expected_bytes);
		ready_tell(r, SSDQOS_WATCH_LIFE_EPOCH);
	}
}
