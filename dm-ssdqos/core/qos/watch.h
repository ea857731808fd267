/* SPDX-License-Identifier: GPL-2.0 */
/*
 * watch.h - is the promise kept, does the profile hold, who else writes?
 *
 * Promise: time is cut into windows of the stream's length (aligned), or into
 * eighths of it, each of which ends a window (sliding).  A window is met if the
 * client got the promised number of requests, or bytes, or device time by the
 * profile (larger requests than declared are fewer), one request less being
 * enough, as it may end just after the window; idle if it was not met but the
 * client had nothing waiting or under way for more than 5 % of it, or asked for less
 * than 95 % of the promise (asking.c) and got at least that; missed otherwise.
 *
 * Risk: at the first request that ends after half of a window, a client that
 * asked for all of it should have its part of the promise.  Three windows
 * in a row in which more than a fifth of that is missing are an event, and so
 * is the first one after them in which it is not.  Windows that overlap are as
 * late as one another, so of sliding ones every eighth is looked at, as if they
 * were aligned.  A window in which no request ends after its half counts if it
 * was missed, and who looks once a second tells that without any request.
 *
 * Profile: the drive has a clock that runs at 1 / n of time's speed while it
 * works on n requests.  What it advances from a request's dispatch to its
 * completion is the device time of that request, and the sum over all is the
 * time in which the drive was busy.  Only requests sent while the drive had
 * enough to do (half its queue depth) are compared with their costs, because
 * costs are measured on a saturated drive.
 *
 * Foreign writer: what the disk has written in a period, by its own
 * statistics, less what came from our streams.
 *
 * The caller serialises; nothing here sleeps.
 */
#ifndef SSDQOS_QOS_WATCH_H
#define SSDQOS_QOS_WATCH_H

#include "../rules/config.h"
#include "../rules/event.h"
#include "miss.h"

/* Averages of the drift: several times the longest usual blocking pattern. */
#define SSDQOS_DRIFT_PERIOD_NS 10000000000ULL

/* One call makes at most so many: a window ends, another one has passed its
 * half, and the profile changes.
 */
#define SSDQOS_WATCH_MAX_EVENTS 3

/* In what a promise is counted. */
enum ssdqos_watch_unit {
	SSDQOS_WATCH_REQUESTS,
	SSDQOS_WATCH_BYTES,
	SSDQOS_WATCH_DEVICE_NS,
};

/**
 * struct ssdqos_promise - what a client gets in each window
 * @window_ns: length; 0 if nothing is promised
 * @sliding: a window ends with each of its parts, not only when it is over
 * @unit: enum ssdqos_watch_unit
 * @amount: per window, in that unit
 * @device_ns: the same as device time
 * @slack: one request, in that unit
 */
struct ssdqos_promise {
	u64 window_ns;
	bool sliding;
	u32 unit;
	u64 amount;
	u64 device_ns;
	u64 slack;
};

/* Parts of a sliding window.  A stretch of low service is seen whole in a window
 * that begins within a sixteenth of where it does.
 */
#define SSDQOS_WATCH_PARTS 8

/* A client that asks for all that it was promised; asking.c says what asks for less. */
#define SSDQOS_WATCH_ASKS_SHIFT 10
#define SSDQOS_WATCH_ASKS_ALL (1U << SSDQOS_WATCH_ASKS_SHIFT)

/* A hundred days; of much longer times the product would not fit. */
#define SSDQOS_WATCH_MOST_NS (1ULL << (64 - SSDQOS_WATCH_ASKS_SHIFT - 1))

/**
 * ssdqos_watch_asked_ns - the part of a time for which a client asked
 * @ns: the time
 * @asks: the part, in SSDQOS_WATCH_ASKS_ALL
 */
static inline u64 ssdqos_watch_asked_ns(u64 ns, u32 asks)
{
	return (min(ns, SSDQOS_WATCH_MOST_NS) * asks) >> SSDQOS_WATCH_ASKS_SHIFT;
}

/**
 * struct ssdqos_watch_sums - what was done in a time
 * @requests: that were completed
 * @bytes: likewise
 * @charged_ns: likewise, as device time
 * @busy_ns: of that time, the client had requests
 * @asked_ns: likewise, by the part of its promise for which it asked
 */
struct ssdqos_watch_sums {
	u64 requests;
	u64 bytes;
	u64 charged_ns;
	u64 busy_ns;
	u64 asked_ns;
};

/**
 * struct ssdqos_watch - a stream's windows
 * @promise: what is watched
 * @part_ns: length of a part; an aligned window is one part
 * @start_ns: begin of the part
 * @end_ns: end of the part; SSDQOS_NEVER_NS if nothing is watched
 * @part: its number; after the last one the first comes again
 * @whole: there was a whole window
 * @parts: sums of the last whole window's parts, by number
 * @asks_since_ns: when the client began to ask for as much as it does, in this part
 * @asks: for how much that is; more than 0 if it has any request
 * @sums: of this part; without what it asked for since @asks_since_ns
 * @achieved: of the last whole window, in the promise's unit
 * @counted: likewise, of the last one that was met or missed; of those that ended
 *	together it is one that was missed
 * @half_ns: when this window will have been looked at in its middle;
 *	SSDQOS_NEVER_NS if it was
 * @behind: windows in a row that were behind then
 * @risk_told: that is known
 */
struct ssdqos_watch {
	struct ssdqos_promise promise;
	u64 part_ns;
	u64 start_ns;
	u64 end_ns;
	u32 part;
	bool whole;
	struct ssdqos_watch_sums parts[SSDQOS_WATCH_PARTS];
	u64 asks_since_ns;
	u32 asks;
	struct ssdqos_watch_sums sums;
	u64 achieved;
	u64 counted;
	u64 half_ns;
	u32 behind;
	bool risk_told;
};

/**
 * struct ssdqos_watch_span - the window that is asked about
 * @part: number of the part with which it began
 * @idle_ns: in which the client had no requests
 * @asked_ns: the rest, by the part of its promise for which it asked
 */
struct ssdqos_watch_span {
	u32 part;
	u64 idle_ns;
	u64 asked_ns;
};

/**
 * struct ssdqos_watch_count - windows that have passed
 * @parts: so many parts are over
 * @met: windows that ended with them, in which the promise was kept
 * @missed: in which it was not
 * @idle: in which the client asked for less
 * @kept: of those, in which it asked for something, and got it
 * @lacked: likewise, and did not get it
 * @span: the first one that was missed, or else the first one of @lacked
 */
struct ssdqos_watch_count {
	u64 parts;
	u64 met;
	u64 missed;
	u64 idle;
	u64 kept;
	u64 lacked;
	struct ssdqos_watch_span span;
};

/**
 * ssdqos_watch_parts - so many windows end in the time of one
 * @promise: the promise
 */
static inline u32 ssdqos_watch_parts(const struct ssdqos_promise *promise)
{
	return promise->sliding ? SSDQOS_WATCH_PARTS : 1;
}

/**
 * ssdqos_watch_is_over - is there something for ssdqos_watch_roll()?
 * @w: the windows
 * @now_ns: time
 */
static inline bool ssdqos_watch_is_over(const struct ssdqos_watch *w, u64 now_ns)
{
	return now_ns >= w->end_ns;
}

/**
 * ssdqos_watch_add_asked - time passes in which a client asks for as much as it does
 * @w: the windows
 * @sums: where it counts
 * @ns: so long
 */
static inline void ssdqos_watch_add_asked(const struct ssdqos_watch *w,
					  struct ssdqos_watch_sums *sums, u64 ns)
{
	if (!w->asks)
		return;
	sums->busy_ns += ns;
	sums->asked_ns += ssdqos_watch_asked_ns(ns, w->asks);
}

/**
 * ssdqos_watch_asks - the client asks for more than before, or for less
 * @w: the windows
 * @asks: for so much of its promise, in SSDQOS_WATCH_ASKS_ALL; 0 if it has no requests,
 *	waiting or under way
 * @now_ns: time; the window that it is in has been rolled to
 */
static inline void ssdqos_watch_asks(struct ssdqos_watch *w, u32 asks, u64 now_ns)
{
	ssdqos_watch_add_asked(w, &w->sums, now_ns - w->asks_since_ns);
	w->asks_since_ns = now_ns;
	w->asks = asks;
}

void ssdqos_watch_promise(struct ssdqos_watch *w,
			  const struct ssdqos_promise *promise, u64 now_ns);
bool ssdqos_watch_roll(struct ssdqos_watch *w, u64 now_ns,
		       struct ssdqos_watch_count *count,
		       struct ssdqos_watch_event *event);
bool ssdqos_watch_risk(struct ssdqos_watch *w, u64 now_ns,
		       struct ssdqos_watch_event *event);
bool ssdqos_watch_half(struct ssdqos_watch *w, u64 now_ns,
		       struct ssdqos_watch_span *span,
		       struct ssdqos_watch_event *event);

/**
 * struct ssdqos_drift - the drive's clock, and costs seen against the profile
 * @clock_ns: device time so far, in units of 1 / SSDQOS_DRIFT_CLOCK_SCALE ns
 * @at_ns: when it was read
 * @period_start_ns: begin of the period
 * @seen_ns: device time of this period's requests, by class
 * @cost_ns: what the profile says of them
 * @pct: of the last whole period with enough requests, by class
 * @all_pct: of all classes together
 * @known: @all_pct is a number
 * @stale: it was beyond the threshold
 */
struct ssdqos_drift {
	u64 clock_ns;
	u64 at_ns;
	u64 period_start_ns;
	u64 seen_ns[SSDQOS_QOS_NR_OPS][SSDQOS_QOS_NR_PATTERNS];
	u64 cost_ns[SSDQOS_QOS_NR_OPS][SSDQOS_QOS_NR_PATTERNS];
	s64 pct[SSDQOS_QOS_NR_OPS][SSDQOS_QOS_NR_PATTERNS];
	s64 all_pct;
	bool known;
	bool stale;
};

/* The clock's unit: n requests share a nanosecond without much rounding. */
#define SSDQOS_DRIFT_CLOCK_SHIFT 8

/**
 * ssdqos_drift_advance - let the drive's clock go on
 * @d: the clock
 * @in_flight: requests that the drive had since the last call
 * @now_ns: time
 *
 * Return: the clock.
 */
static inline u64 ssdqos_drift_advance(struct ssdqos_drift *d, u32 in_flight,
				       u64 now_ns)
{
	if (in_flight)
		d->clock_ns += div64_u64((now_ns - d->at_ns)
					 << SSDQOS_DRIFT_CLOCK_SHIFT, in_flight);
	d->at_ns = now_ns;
	return d->clock_ns;
}

/**
 * ssdqos_drift_seen - compare a request's device time with its cost
 * @d: the clock
 * @op: enum ssdqos_qos_op
 * @pattern: enum ssdqos_qos_pattern
 * @seen_ns: device time
 * @cost_ns: by the profile
 */
static inline void ssdqos_drift_seen(struct ssdqos_drift *d, u32 op,
				     u32 pattern, u64 seen_ns, u32 cost_ns)
{
	d->seen_ns[op][pattern] += seen_ns;
	d->cost_ns[op][pattern] += cost_ns;
}

bool ssdqos_drift_close(struct ssdqos_drift *d, u64 threshold_pct, u64 now_ns,
			struct ssdqos_watch_event *event);

/**
 * ssdqos_drift_roll - close the period if it is over
 * @d: the clock
 * @threshold_pct: beyond this the profile is stale, see ssdqos_drift_close()
 * @now_ns: time
 * @event: filled if the profile's state changes
 *
 * Return: true if @event was filled.
 */
static inline bool ssdqos_drift_roll(struct ssdqos_drift *d, u64 threshold_pct,
				     u64 now_ns, struct ssdqos_watch_event *event)
{
	return unlikely(now_ns - d->period_start_ns >= SSDQOS_DRIFT_PERIOD_NS) &&
	       ssdqos_drift_close(d, threshold_pct, now_ns, event);
}

void ssdqos_drift_restart(struct ssdqos_drift *d, u64 now_ns);

/**
 * struct ssdqos_foreign - writes that are not ours
 * @own_bytes: ours, so far
 * @seen_own_bytes: ours, at the last look
 * @seen_disk_sectors: the disk's, at the last look
 * @pct: part that was not ours
 * @looks: looks in a row that said so (or didn't, while @found)
 * @started: there was a look before
 * @found: somebody else writes
 */
struct ssdqos_foreign {
	u64 own_bytes;
	u64 seen_own_bytes;
	u64 seen_disk_sectors;
	u32 pct;
	u32 looks;
	bool started;
	bool found;
};

bool ssdqos_foreign_look(struct ssdqos_foreign *f, u64 disk_sectors,
			 u64 threshold_pct, u64 now_ns,
			 struct ssdqos_watch_event *event);

#endif /* SSDQOS_QOS_WATCH_H */
