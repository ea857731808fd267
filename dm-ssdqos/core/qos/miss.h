/* SPDX-License-Identifier: GPL-2.0 */
/*
 * miss.h - why was a window missed?
 *
 * An administrator who hears that a promise was not kept wants to know whom to
 * ask.  What is said is the first of these that explains as much as is missing:
 *
 *	errors		so many of its requests failed
 *	paused		for so long the client had no requests
 *	limit		its own maximum has held it back, and was nearly used up
 *	overcommitted	more device time is promised than there is
 *	urgent		flushes, metadata and swap took so much device time, and more
 *			than a drive that was slow has lost
 *	drive		the drive had enough to do for at least half of the time,
 *			and did at least a ninth less than it would by its profile
 *	depth		the client had less than half as many requests at a time
 *			as the drive gets (drive_queue_depth)
 *	others		else: what others have in the drive was in the way
 *
 * All of it follows from sums that are there, or cost an addition a request;
 * they are looked at when a window that was missed ends.
 */
#ifndef SSDQOS_QOS_MISS_H
#define SSDQOS_QOS_MISS_H

#include "../env.h"

/* W(A, NAME, name, text): a reason; A goes to W as it is */
#define SSDQOS_MISS_WHYS(W, A)						\
	W(A, ERRORS, errors, "missed: its requests failed")		\
	W(A, PAUSED, paused, "missed: its client paused")		\
	W(A, LIMIT, limit, "missed: its own maximum held it back")	\
	W(A, OVERCOMMITTED, overcommitted, "missed: more is promised than there is") \
	W(A, URGENT, urgent, "missed: flushes, metadata and swap took the time") \
	W(A, DRIVE, drive, "missed: the drive was slower than its profile") \
	W(A, DEPTH, depth, "missed: its client had few requests at a time") \
	W(A, OTHERS, others, "missed: what others have in the drive was in the way")

enum ssdqos_miss_why {
	SSDQOS_MISS_NONE,
#define W(A, NAME, ...) SSDQOS_MISS_##NAME,
	SSDQOS_MISS_WHYS(W, 0)
#undef W
	SSDQOS_NR_MISS_WHYS,
};

extern const char *const ssdqos_miss_why_names[SSDQOS_NR_MISS_WHYS];

/**
 * struct ssdqos_miss_sums - what is summed up from the beginning
 * @at_ns: of the drive's clock
 * @failed: requests of the stream that failed
 * @limited: times its maximum held one back
 * @done: its requests that were done
 * @total_ns: time that these took
 * @work_ns: the drive's: costs of what it has done
 * @urgent_ns: those of requests that went before their turn
 * @saturated_ns: time in which it had enough to do
 */
struct ssdqos_miss_sums {
	u64 at_ns;
	u64 failed;
	u64 limited;
	u64 done;
	u64 total_ns;
	u64 work_ns;
	u64 urgent_ns;
	u64 saturated_ns;
};

/**
 * struct ssdqos_miss - a window that was missed, or several in a row
 * @sums: of that time; @at_ns is its length
 * @missing_permille: of the promise
 * @window_ns: length of a window
 * @idle_ns: of it, the client had no requests
 * @util_ppm: device time that the stream owns
 * @queue_depth: so many requests the drive gets at a time
 * @limited: it used nearly all of its maximum
 * @profiled: there is a profile
 * @overcommitted: more is promised than there is
 */
struct ssdqos_miss {
	struct ssdqos_miss_sums sums;
	u32 missing_permille;
	u64 window_ns;
	u64 idle_ns;
	u32 util_ppm;
	u64 queue_depth;
	bool limited;
	bool profiled;
	bool overcommitted;
};

u32 ssdqos_miss_why(const struct ssdqos_miss *m);

#endif /* SSDQOS_QOS_MISS_H */
