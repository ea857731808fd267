// SPDX-License-Identifier: GPL-2.0
/*
 * watch.c - windows of a promise, drift of the profile, foreign writers
 *
 * Sliding windows cost a promise no more device time than aligned ones, so
 * admission does not know of them.  For them the scheduler has no windows: S
 * goes on from one request to the next (edf.h), wherever somebody begins to count.
 * And a cost of the profile is a quantile of the windows that begin at each
 * 100 ms of the measurement, which overlap as sliding windows do.  But no owner
 * can do its part early for them; it gets a little more of spare time instead
 * (lead.c).  What differs, too, is how misses come.  A stretch of low service is
 * in eight windows that slide, some of which have it whole, where it may be cut
 * in two halves by the border of aligned ones.
 */
#include "watch.h"

#define PCT 100u
/* Part of a window in which a client may ask for nothing, or of a promise for which it
 * may not ask, before it counts as having asked for less: a client with one request at a
 * time always pauses.
 */
#define WATCH_IDLE_DIVISOR 20u
/* Who is behind by more than a fifth needs a quarter more in the second half. */
#define WATCH_BEHIND_NUMERATOR 5u
#define WATCH_BEHIND_DENOMINATOR 4u
/* One such window may be chance. */
#define WATCH_RISKY_WINDOWS 3u
/* A class that took less of the drive's time than this part of the period
 * says nothing about its costs.
 */
#define DRIFT_MIN_DIVISOR 50u
/* One look may catch writes that were sent before and finished after it. */
#define FOREIGN_LOOKS 2u
/* So little is the file system's or the tool's own housekeeping. */
#define FOREIGN_MIN_BYTES 65536u
#define SECTOR_SHIFT_BYTES 9

/* ---- promise ---- */

static u32 watch_parts(const struct ssdqos_watch *w)
{
	return ssdqos_watch_parts(&w->promise);
}

/* When the first part began: every so many parts, that is a window. */
static u64 watch_first_ns(const struct ssdqos_watch *w)
{
	return w->start_ns - w->part * w->part_ns;
}

/* Part @part begins. */
static void watch_begin(struct ssdqos_watch *w, u32 part, u64 now_ns)
{
	w->start_ns = now_ns;
	w->end_ns = w->part_ns ? now_ns + w->part_ns : SSDQOS_NEVER_NS;
	w->part = part;
	w->asks_since_ns = now_ns;
	w->sums = (struct ssdqos_watch_sums){ 0 };
}

/* ... and may be the first of its window, which is looked at in its middle. */
static void watch_plan_half(struct ssdqos_watch *w)
{
	w->half_ns = w->promise.window_ns ?
		watch_first_ns(w) + w->promise.window_ns / 2 : SSDQOS_NEVER_NS;
}

/**
 * ssdqos_watch_promise - watch something new
 * @w: the windows
 * @promise: what; a length of 0 watches nothing
 * @now_ns: a window begins
 */
void ssdqos_watch_promise(struct ssdqos_watch *w,
			  const struct ssdqos_promise *promise, u64 now_ns)
{
	w->promise = *promise;
	w->part_ns = div64_u64(promise->window_ns, watch_parts(w));
	w->achieved = 0;
	w->counted = 0;
	/* @risk_told stays: who heard of a risk hears of its end */
	w->behind = 0;
	w->whole = false;
	watch_begin(w, 0, now_ns);
	watch_plan_half(w);
}

/* The first @nr parts together, and this one so far. */
static struct ssdqos_watch_sums watch_sums(const struct ssdqos_watch *w, u32 nr,
					   u64 now_ns)
{
	struct ssdqos_watch_sums sums = w->sums;
	u32 i;

	ssdqos_watch_add_asked(w, &sums, now_ns - w->asks_since_ns);
	for (i = 0; i < nr; i++) {
		if (i == w->part)
			continue;
		sums.requests += w->parts[i].requests;
		sums.bytes += w->parts[i].bytes;
		sums.charged_ns += w->parts[i].charged_ns;
		sums.busy_ns += w->parts[i].busy_ns;
		sums.asked_ns += w->parts[i].asked_ns;
	}
	return sums;
}

static u64 watch_achieved(const struct ssdqos_watch *w,
			  const struct ssdqos_watch_sums *sums)
{
	switch (w->promise.unit) {
	case SSDQOS_WATCH_REQUESTS:
		return sums->requests;
	case SSDQOS_WATCH_BYTES:
		return sums->bytes;
	default:
		return sums->charged_ns;
	}
}

static bool watch_met(const struct ssdqos_watch *w,
		      const struct ssdqos_watch_sums *sums)
{
	return watch_achieved(w, sums) + w->promise.slack >= w->promise.amount ||
	       sums->charged_ns >= w->promise.device_ns;
}

/* Did it get as large a part of what was promised as it asked for? */
static bool watch_got_asked(const struct ssdqos_watch *w,
			    const struct ssdqos_watch_sums *sums, u64 amount,
			    u64 of_ns)
{
	u64 got = div64_u64(watch_achieved(w, sums) * SSDQOS_QOS_PERMILLE,
			    max(amount, 1ULL));

	return got >= div64_u64(sums->asked_ns * SSDQOS_QOS_PERMILLE, of_ns);
}

/* Did the client get all that it asked for in a window, or @of_ns of one, in which
 * @amount was promised, and asked for less than that?
 */
static bool watch_asked_less(const struct ssdqos_watch *w,
			     const struct ssdqos_watch_sums *sums, u64 amount,
			     u64 of_ns)
{
	if ((of_ns - sums->busy_ns) * WATCH_IDLE_DIVISOR > of_ns)
		return true;
	if ((of_ns - sums->asked_ns) * WATCH_IDLE_DIVISOR <= of_ns)
		return false;
	return watch_got_asked(w, sums, amount, of_ns);
}

/* ... in each of which the client asked for less. */
static void watch_judge_idle(const struct ssdqos_watch *w,
			     const struct ssdqos_watch_sums *sums, u64 nr,
			     const struct ssdqos_watch_span *span,
			     struct ssdqos_watch_count *count)
{
	count->idle += nr;
	if (!sums->busy_ns)
		return;
	if (watch_got_asked(w, sums, w->promise.amount, w->promise.window_ns)) {
		if (w->achieved)
			count->kept += nr;
		return;
	}
	if (!count->missed && !count->lacked)
		count->span = *span;
	count->lacked += nr;
}

/* Judges @nr windows, in each of which that was done; true if they are missed. */
static bool watch_judge(struct ssdqos_watch *w,
			const struct ssdqos_watch_sums *sums, u64 nr,
			const struct ssdqos_watch_span *span,
			struct ssdqos_watch_count *count)
{
	w->achieved = watch_achieved(w, sums);
	if (watch_met(w, sums)) {
		count->met += nr;
		if (!count->missed)
			w->counted = w->achieved;
		return false;
	}
	if (watch_asked_less(w, sums, w->promise.amount, w->promise.window_ns)) {
		watch_judge_idle(w, sums, nr, span, count);
		return false;
	}
	if (!count->missed)
		count->span = *span;
	count->missed += nr;
	w->counted = w->achieved;
	return true;
}

/* @windows begun: nothing ended since the middle of each, when it would have been
 * looked at.
 */
static void watch_unlooked(struct ssdqos_watch *w, bool missed, u64 windows)
{
	if (!windows)
		return;
	w->behind = missed ? (u32)min_t(u64, w->behind + windows, ~0u) : 0;
}

/* Judges the window that ends with this part; then the next part begins. */
static void watch_close(struct ssdqos_watch *w,
			struct ssdqos_watch_count *count)
{
	u64 end_ns = w->end_ns;
	u32 parts = watch_parts(w), next = (w->part + 1) % parts;
	struct ssdqos_watch_sums sums = watch_sums(w, parts, end_ns);
	struct ssdqos_watch_span span = {
		.part = next,
		.idle_ns = w->promise.window_ns - sums.busy_ns,
		.asked_ns = sums.asked_ns,
	};
	bool missed = false;

	w->whole = w->whole || !next;
	if (w->whole)
		missed = watch_judge(w, &sums, 1, &span, count);
	count->parts++;
	if (!next && w->half_ns != SSDQOS_NEVER_NS)
		watch_unlooked(w, missed, 1);
	w->parts[w->part] = watch_sums(w, 0, end_ns);
	watch_begin(w, next, end_ns);
	if (!next)
		watch_plan_half(w);
}

/* Parts that are over, and windows in which nothing happened at all: no need to
 * look at each.
 */
static void watch_skip(struct ssdqos_watch *w, u64 now_ns,
		       struct ssdqos_watch_count *count)
{
	const struct ssdqos_watch_sums nothing = {
		.busy_ns = w->asks ? w->promise.window_ns : 0,
		.asked_ns = ssdqos_watch_asked_ns(w->promise.window_ns, w->asks),
	};
	const struct ssdqos_watch_span span = {
		.part = w->part,
		.idle_ns = w->promise.window_ns - nothing.busy_ns,
		.asked_ns = nothing.asked_ns,
	};
	u64 n = div64_u64(now_ns - w->start_ns, w->part_ns);
	bool missed;

	if (!n)
		return;
	missed = watch_judge(w, &nothing, n, &span, count);
	watch_unlooked(w, missed, div64_u64(w->part + n, watch_parts(w)));
	count->parts += n;
	w->parts[w->part] = (struct ssdqos_watch_sums){
		.busy_ns = w->asks ? w->part_ns : 0,
		.asked_ns = ssdqos_watch_asked_ns(w->part_ns, w->asks),
	};
	watch_begin(w, (w->part + (u32)n) % watch_parts(w),
		    w->start_ns + n * w->part_ns);
	watch_plan_half(w);
}

/**
 * ssdqos_watch_roll - close the windows that are over
 * @w: the windows
 * @now_ns: time
 * @count: gets how many were met, missed, idle
 * @event: filled if some were missed
 *
 * Context: caller serialises; a few steps, however long nothing has happened.
 * Return: true if @event was filled.
 */
bool ssdqos_watch_roll(struct ssdqos_watch *w, u64 now_ns,
		       struct ssdqos_watch_count *count,
		       struct ssdqos_watch_event *event)
{
	u32 i;

	*count = (struct ssdqos_watch_count){ 0 };
	if (!ssdqos_watch_is_over(w, now_ns))
		return false;
	for (i = 0; i < watch_parts(w); i++)
		if (ssdqos_watch_is_over(w, now_ns))
			watch_close(w, count);
	watch_skip(w, now_ns, count);
	if (!count->missed)
		return false;
	*event = (struct ssdqos_watch_event){
		.kind = SSDQOS_WATCH_PROMISE_MISSED,
		.time_ns = now_ns,
		.promised = w->promise.amount,
		.achieved = w->counted,
		.windows = count->missed,
	};
	return true;
}

/* What should be there of @all by now.  @all may have all the digits that there is
 * room for beside a million, so its millions come first.
 */
static u64 watch_due(const struct ssdqos_watch *w, u64 all, u64 now_ns)
{
	u64 part_ppm = div64_u64((now_ns - watch_first_ns(w)) * SSDQOS_QOS_PPM,
				 w->promise.window_ns);
	u64 millions = div64_u64(all, SSDQOS_QOS_PPM);

	return millions * part_ppm +
	       div64_u64((all - millions * SSDQOS_QOS_PPM) * part_ppm,
			 SSDQOS_QOS_PPM);
}

static bool watch_is_behind(const struct ssdqos_watch *w,
			    const struct ssdqos_watch_sums *sums, u64 due,
			    u64 now_ns)
{
	u64 device_ns = watch_due(w, w->promise.device_ns, now_ns);
	u64 achieved = watch_achieved(w, sums) + w->promise.slack;

	return achieved * WATCH_BEHIND_NUMERATOR <
		       due * WATCH_BEHIND_DENOMINATOR &&
	       sums->charged_ns * WATCH_BEHIND_NUMERATOR <
		       device_ns * WATCH_BEHIND_DENOMINATOR;
}

static bool watch_tell_risk(struct ssdqos_watch *w, u64 promised, u64 achieved,
			    u64 now_ns, struct ssdqos_watch_event *event)
{
	bool risky = w->behind >= WATCH_RISKY_WINDOWS;

	if (risky == w->risk_told || (w->behind && !risky))
		return false;
	w->risk_told = risky;
	*event = (struct ssdqos_watch_event){
		.kind = risky ? SSDQOS_WATCH_PROMISE_AT_RISK :
				SSDQOS_WATCH_PROMISE_SAFE,
		.time_ns = now_ns,
		.promised = promised,
		.achieved = achieved,
		.windows = w->behind,
	};
	return true;
}

/**
 * ssdqos_watch_risk - has a promise come into danger, or out of it, without a request?
 * @w: the windows; those that are over are closed
 * @now_ns: time
 * @event: filled if it has
 *
 * A drive that stands ends no request, and nor does a client that went away; and who
 * took a promise away has ended its danger.
 *
 * Context: caller serialises.
 * Return: true if @event was filled.
 */
bool ssdqos_watch_risk(struct ssdqos_watch *w, u64 now_ns,
		       struct ssdqos_watch_event *event)
{
	/* of a new promise nothing is known yet */
	if (w->promise.window_ns && !w->whole)
		return false;
	return watch_tell_risk(w, w->promise.amount, w->achieved, now_ns,
			       event);
}

/**
 * ssdqos_watch_half - half of a window has passed: will it do?
 * @w: the windows; @w->half_ns has come, windows that are over are closed
 * @now_ns: time
 * @span: gets the window so far
 * @event: filled if the promise has come into danger, or out of it
 *
 * Context: caller serialises; once in the time of a window.
 * Return: true if @event was filled.
 */
bool ssdqos_watch_half(struct ssdqos_watch *w, u64 now_ns,
		       struct ssdqos_watch_span *span,
		       struct ssdqos_watch_event *event)
{
	const struct ssdqos_watch_sums sums = watch_sums(w, w->part, now_ns);
	u64 passed_ns = now_ns - watch_first_ns(w);
	u64 due = watch_due(w, w->promise.amount, now_ns);

	w->half_ns = SSDQOS_NEVER_NS;
	*span = (struct ssdqos_watch_span){
		.part = 0,
		.idle_ns = passed_ns - sums.busy_ns,
		.asked_ns = sums.asked_ns,
	};
	if (!watch_asked_less(w, &sums, due, passed_ns) &&
	    watch_is_behind(w, &sums, due, now_ns))
		w->behind++;
	else
		w->behind = 0;
	return watch_tell_risk(w, due, watch_achieved(w, &sums), now_ns,
			       event);
}

/* ---- drift ---- */

/**
 * ssdqos_drift_restart - forget the comparison: the profile is new
 * @d: the clock, which goes on
 * @now_ns: a period begins
 */
void ssdqos_drift_restart(struct ssdqos_drift *d, u64 now_ns)
{
	memset(d->seen_ns, 0, sizeof(d->seen_ns));
	memset(d->cost_ns, 0, sizeof(d->cost_ns));
	memset(d->pct, 0, sizeof(d->pct));
	d->all_pct = 0;
	d->known = false;
	d->stale = false;
	d->period_start_ns = now_ns;
}

static s64 drift_pct(u64 seen_ns, u64 cost_ns)
{
	return (s64)div64_u64(seen_ns * PCT, cost_ns) - (s64)PCT;
}

/* Takes the sums of the period over into the gauges; false if it had too few
 * requests to say something.
 */
static bool drift_take(struct ssdqos_drift *d)
{
	const u64 least_ns = div64_u64(SSDQOS_DRIFT_PERIOD_NS, DRIFT_MIN_DIVISOR);
	u64 seen_ns = 0, cost_ns = 0;
	u32 op, pattern;

	for (op = 0; op < SSDQOS_QOS_NR_OPS; op++) {
		for (pattern = 0; pattern < SSDQOS_QOS_NR_PATTERNS; pattern++) {
			u64 seen = d->seen_ns[op][pattern];
			u64 cost = d->cost_ns[op][pattern];

			seen_ns += seen;
			cost_ns += cost;
			if (seen >= least_ns && cost)
				d->pct[op][pattern] = drift_pct(seen, cost);
		}
	}
	memset(d->seen_ns, 0, sizeof(d->seen_ns));
	memset(d->cost_ns, 0, sizeof(d->cost_ns));
	if (seen_ns < least_ns || !cost_ns)
		return false;
	d->all_pct = drift_pct(seen_ns, cost_ns);
	d->known = true;
	return true;
}

/**
 * ssdqos_drift_close - a period is over: does the profile still say what the drive does?
 * @d: the clock
 * @threshold_pct: beyond this the profile is stale, 0 never; it is ok again
 *	below half of it
 * @now_ns: time
 * @event: filled if the profile's state changes
 *
 * Return: true if @event was filled.
 */
bool ssdqos_drift_close(struct ssdqos_drift *d, u64 threshold_pct, u64 now_ns,
			struct ssdqos_watch_event *event)
{
	bool stale;

	d->period_start_ns = now_ns;
	if (!drift_take(d))
		return false;
	stale = threshold_pct && d->all_pct > (s64)(d->stale ?
		threshold_pct / 2 : threshold_pct);
	if (stale == d->stale)
		return false;
	d->stale = stale;
	*event = (struct ssdqos_watch_event){
		.kind = stale ? SSDQOS_WATCH_PROFILE_STALE :
				SSDQOS_WATCH_PROFILE_OK,
		.time_ns = now_ns,
		.drift_pct = d->all_pct,
	};
	return true;
}

/* ---- foreign writers ---- */

/**
 * ssdqos_foreign_look - compare what the disk wrote with what we sent
 * @f: the comparison
 * @disk_sectors: written by the disk so far, as its statistics have it
 * @threshold_pct: part that has to be foreign; 0 is never
 * @now_ns: time
 * @event: filled if the answer changes
 *
 * Return: true if @event was filled.
 */
bool ssdqos_foreign_look(struct ssdqos_foreign *f, u64 disk_sectors,
			 u64 threshold_pct, u64 now_ns,
			 struct ssdqos_watch_event *event)
{
	u64 disk = (disk_sectors - f->seen_disk_sectors) << SECTOR_SHIFT_BYTES;
	u64 own = f->own_bytes - f->seen_own_bytes;
	u64 foreign = disk > own ? disk - own : 0;
	bool started = f->started, found;

	f->seen_disk_sectors = disk_sectors;
	f->seen_own_bytes = f->own_bytes;
	f->started = true;
	if (!started)
		return false;
	f->pct = disk ? (u32)div64_u64(foreign * PCT, disk) : 0;
	found = threshold_pct && foreign >= FOREIGN_MIN_BYTES &&
		f->pct >= threshold_pct;
	f->looks = found == f->found ? 0 : f->looks + 1;
	if (f->looks < FOREIGN_LOOKS)
		return false;
	f->looks = 0;
	f->found = found;
	*event = (struct ssdqos_watch_event){
		.kind = found ? SSDQOS_WATCH_FOREIGN_WRITER :
				SSDQOS_WATCH_FOREIGN_WRITER_GONE,
		.time_ns = now_ns,
		.foreign_pct = f->pct,
	};
	return true;
}
