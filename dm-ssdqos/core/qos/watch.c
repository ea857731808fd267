// SPDX-License-Identifier: GPL-2.0
/*
 * watch.c - windows of a promise, drift of the profile, foreign writers
 */
#include "watch.h"

#define PCT 100u
/* Part of a window in which a client may ask for nothing before it counts as
 * having asked for less: a client with one request at a time always pauses.
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

const char *const ssdqos_watch_event_names[SSDQOS_NR_WATCH_EVENTS] = {
#define E(name, text) [SSDQOS_WATCH_##name] = text,
	SSDQOS_WATCH_EVENTS(E)
#undef E
};

/* ---- promise ---- */

static void watch_begin(struct ssdqos_watch *w, u64 now_ns)
{
	w->start_ns = now_ns;
	w->busy_since_ns = now_ns;
	w->busy_ns = 0;
	w->requests = 0;
	w->bytes = 0;
	w->charged_ns = 0;
	w->half_ns = w->promise.window_ns ?
		now_ns + w->promise.window_ns / 2 : SSDQOS_NEVER_NS;
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
	w->achieved = 0;
	w->behind = 0;
	w->risk_told = false;
	watch_begin(w, now_ns);
}

/**
 * ssdqos_watch_busy - the client begins or ceases to have requests
 * @w: the windows
 * @busy: it has some, waiting or under way
 * @now_ns: time; the window that it is in has been rolled to
 */
void ssdqos_watch_busy(struct ssdqos_watch *w, bool busy, u64 now_ns)
{
	if (w->busy && !busy)
		w->busy_ns += now_ns - w->busy_since_ns;
	if (!w->busy && busy)
		w->busy_since_ns = now_ns;
	w->busy = busy;
}

static u64 watch_achieved(const struct ssdqos_watch *w)
{
	switch (w->promise.unit) {
	case SSDQOS_WATCH_REQUESTS:
		return w->requests;
	case SSDQOS_WATCH_BYTES:
		return w->bytes;
	default:
		return w->charged_ns;
	}
}

static bool watch_met(const struct ssdqos_watch *w)
{
	return w->achieved + w->promise.slack >= w->promise.amount ||
	       w->charged_ns >= w->promise.device_ns;
}

/* Of a window, for which the client had no requests. */
static u64 watch_idle_ns(const struct ssdqos_watch *w, u64 now_ns)
{
	u64 busy_ns = w->busy_ns;

	if (w->busy)
		busy_ns += now_ns - w->busy_since_ns;
	return now_ns - w->start_ns - busy_ns;
}

/* Judges the window that ends now; then the next one begins. */
static void watch_close(struct ssdqos_watch *w,
			struct ssdqos_watch_count *count)
{
	u64 end_ns = w->start_ns + w->promise.window_ns;

	count->idle_ns = watch_idle_ns(w, end_ns);
	w->achieved = watch_achieved(w);
	if (watch_met(w))
		count->met++;
	else if (count->idle_ns * WATCH_IDLE_DIVISOR > w->promise.window_ns)
		count->idle++;
	else
		count->missed++;
	/* nothing ended in its second half, when it would have been looked at */
	if (w->half_ns != SSDQOS_NEVER_NS)
		w->behind = count->missed ? w->behind + 1 : 0;
	watch_begin(w, end_ns);
}

/* Windows in which nothing happened at all: no need to look at each. */
static void watch_skip(struct ssdqos_watch *w, u64 now_ns,
		       struct ssdqos_watch_count *count)
{
	u64 n = div64_u64(now_ns - w->start_ns, w->promise.window_ns);

	if (!n)
		return;
	if (w->busy)
		count->missed += n;
	else
		count->idle += n;
	w->achieved = 0;
	watch_begin(w, w->start_ns + n * w->promise.window_ns);
}

/**
 * ssdqos_watch_roll - close the windows that are over
 * @w: the windows
 * @now_ns: time
 * @count: gets how many were met, missed, idle
 * @event: filled if some were missed
 *
 * Return: true if @event was filled.
 */
bool ssdqos_watch_roll(struct ssdqos_watch *w, u64 now_ns,
		       struct ssdqos_watch_count *count,
		       struct ssdqos_watch_event *event)
{
	*count = (struct ssdqos_watch_count){ 0 };
	if (!w->promise.window_ns ||
	    now_ns < w->start_ns + w->promise.window_ns)
		return false;
	watch_close(w, count);
	watch_skip(w, now_ns, count);
	if (!count->missed)
		return false;
	*event = (struct ssdqos_watch_event){
		.kind = SSDQOS_WATCH_PROMISE_MISSED,
		.time_ns = now_ns,
		.promised = w->promise.amount,
		.achieved = w->achieved,
		.windows = count->missed,
	};
	return true;
}

/* What should be there of @all by now. */
static u64 watch_part(const struct ssdqos_watch *w, u64 all, u64 now_ns)
{
	u64 part_ppm = div64_u64((now_ns - w->start_ns) * SSDQOS_QOS_PPM,
				 w->promise.window_ns);

	return div64_u64(all * part_ppm, SSDQOS_QOS_PPM);
}

static bool watch_is_behind(const struct ssdqos_watch *w, u64 part, u64 now_ns)
{
	u64 device_ns = watch_part(w, w->promise.device_ns, now_ns);

	return (watch_achieved(w) + w->promise.slack) * WATCH_BEHIND_NUMERATOR <
		       part * WATCH_BEHIND_DENOMINATOR &&
	       w->charged_ns * WATCH_BEHIND_NUMERATOR <
		       device_ns * WATCH_BEHIND_DENOMINATOR;
}

/**
 * ssdqos_watch_half - half of a window has passed: will it do?
 * @w: the windows; @w->half_ns has come, windows that are over are closed
 * @now_ns: time
 * @idle_ns: gets for how long the client had no requests
 * @event: filled if the promise has come into danger, or out of it
 *
 * Context: caller serialises; once a window.
 * Return: true if @event was filled.
 */
bool ssdqos_watch_half(struct ssdqos_watch *w, u64 now_ns, u64 *idle_ns,
		       struct ssdqos_watch_event *event)
{
	u64 part = watch_part(w, w->promise.amount, now_ns);
	bool risky;

	w->half_ns = SSDQOS_NEVER_NS;
	*idle_ns = watch_idle_ns(w, now_ns);
	if (*idle_ns * WATCH_IDLE_DIVISOR <= now_ns - w->start_ns &&
	    watch_is_behind(w, part, now_ns))
		w->behind++;
	else
		w->behind = 0;
	risky = w->behind >= WATCH_RISKY_WINDOWS;
	if (risky == w->risk_told || (w->behind && !risky))
		return false;
	w->risk_told = risky;
	*event = (struct ssdqos_watch_event){
		.kind = risky ? SSDQOS_WATCH_PROMISE_AT_RISK :
				SSDQOS_WATCH_PROMISE_SAFE,
		.time_ns = now_ns,
		.promised = part,
		.achieved = watch_achieved(w),
		.windows = w->behind,
	};
	return true;
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
 * ssdqos_drift_roll - close the period if it is over
 * @d: the clock
 * @threshold_pct: beyond this the profile is stale, 0 never; it is ok again
 *	below half of it
 * @now_ns: time
 * @event: filled if the profile's state changes
 *
 * Return: true if @event was filled.
 */
bool ssdqos_drift_roll(struct ssdqos_drift *d, u64 threshold_pct, u64 now_ns,
		       struct ssdqos_watch_event *event)
{
	bool stale;

	if (now_ns - d->period_start_ns < SSDQOS_DRIFT_PERIOD_NS)
		return false;
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
