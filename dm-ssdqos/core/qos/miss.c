// SPDX-License-Identifier: GPL-2.0
/*
 * miss.c - why was a window missed?  The opening comment of miss.h has the rules
 */
#include "internal.h"

#define PERMILLE 1000u
/* Of the time a drive has to be saturated before its speed can be judged. */
#define MISS_SATURATED_DIVISOR 2
/* A drive that does a ninth less than its profile says is slower: requests cost
 * an eighth more.
 */
#define MISS_SLOW_NUMERATOR 9
#define MISS_SLOW_DENOMINATOR 8
/* Part of a window that a client which is held back may be behind its maximum. */
#define MISS_LIMIT_DIVISOR 20
/* With half of the requests a drive hardly gives more than half as much. */
#define MISS_DEPTH_DIVISOR 2

const char *const ssdqos_miss_why_names[SSDQOS_NR_MISS_WHYS] = {
	[SSDQOS_MISS_NONE] = "none",
#define W(A, NAME, name, text) [SSDQOS_MISS_##NAME] = #name,
	SSDQOS_MISS_WHYS(W, 0)
#undef W
};

/* Where each reason is counted, in struct ssdqos_edf_stats. */
static const u32 miss_counters[SSDQOS_NR_MISS_WHYS] = {
#define W(A, NAME, name, text)						\
	[SSDQOS_MISS_##NAME] =						\
		offsetof(struct ssdqos_edf_stats, missed_##name) / sizeof(u64),
	SSDQOS_MISS_WHYS(W, 0)
#undef W
};

/* @part of @all is as much as is missing. */
static bool miss_explains(const struct ssdqos_miss *m, u64 part, u64 all)
{
	return part && part * PERMILLE >= all * m->missing_permille;
}

/* Device time that the stream owned. */
static u64 miss_owned_ns(const struct ssdqos_miss *m)
{
	return div64_u64(div64_u64(m->sums.at_ns, PERMILLE) * m->util_ppm,
			 SSDQOS_QOS_PPM / PERMILLE);
}

static bool miss_drive_is_slow(const struct ssdqos_miss *m)
{
	return m->profiled &&
	       m->sums.saturated_ns * MISS_SATURATED_DIVISOR >= m->sums.at_ns &&
	       m->sums.work_ns * MISS_SLOW_NUMERATOR <
		       m->sums.saturated_ns * MISS_SLOW_DENOMINATOR;
}

/* Flushes of somebody may be in every window, so what the drive has lost comes first if that is
 * more.
 */
static bool miss_is_urgent(const struct ssdqos_miss *m)
{
	const struct ssdqos_miss_sums *sums = &m->sums;

	return miss_explains(m, sums->urgent_ns, miss_owned_ns(m)) &&
	       !(miss_drive_is_slow(m) &&
		 sums->work_ns + sums->urgent_ns < sums->saturated_ns);
}

static bool miss_depth_is_low(const struct ssdqos_miss *m)
{
	return m->sums.total_ns * MISS_DEPTH_DIVISOR <
	       m->sums.at_ns * m->queue_depth;
}

/**
 * ssdqos_miss_why - the first reason that explains what is missing
 * @m: the window
 *
 * Return: enum ssdqos_miss_why, never NONE.
 */
u32 ssdqos_miss_why(const struct ssdqos_miss *m)
{
	const struct ssdqos_miss_sums *sums = &m->sums;

	if (miss_explains(m, sums->failed, sums->failed + sums->done))
		return SSDQOS_MISS_ERRORS;
	if (miss_explains(m, m->idle_ns, m->window_ns))
		return SSDQOS_MISS_PAUSED;
	if (sums->limited && m->limited)
		return SSDQOS_MISS_LIMIT;
	if (m->overcommitted)
		return SSDQOS_MISS_OVERCOMMITTED;
	if (miss_is_urgent(m))
		return SSDQOS_MISS_URGENT;
	if (miss_drive_is_slow(m))
		return SSDQOS_MISS_DRIVE;
	if (miss_depth_is_low(m))
		return SSDQOS_MISS_DEPTH;
	return SSDQOS_MISS_OTHERS;
}

static struct ssdqos_miss_sums miss_sums(const struct ssdqos_edf_stream *s)
{
	const struct ssdqos_edf *edf = s->edf;

	return (struct ssdqos_miss_sums){
		.at_ns = edf->drift.at_ns,
		.failed = s->stats.failed,
		.limited = s->stats.limited,
		.done = s->total_hist.n,
		.total_ns = s->total_hist.sum_ns,
		.work_ns = edf->work_ns,
		.urgent_ns = edf->urgent_ns,
		.saturated_ns = edf->saturated_ns,
	};
}

/* It has used nearly all that its maximum gave it. */
static bool miss_is_limited(const struct ssdqos_edf_stream *s)
{
	u64 slack_ns = div64_u64(s->watch.promise.window_ns, MISS_LIMIT_DIVISOR);

	return edf_limit_ns(s) + slack_ns > s->edf->drift.at_ns;
}

/*
 * edf_miss_since - what was added since a part of a window began
 */
struct ssdqos_miss_sums edf_miss_since(const struct ssdqos_edf_stream *s,
				       u32 part)
{
	const struct ssdqos_miss_sums *from = &s->part_sums[part];
	struct ssdqos_miss_sums sums = miss_sums(s);

	sums.at_ns -= from->at_ns;
	sums.failed -= from->failed;
	sums.limited -= from->limited;
	sums.done -= from->done;
	sums.total_ns -= from->total_ns;
	sums.work_ns -= from->work_ns;
	sums.urgent_ns -= from->urgent_ns;
	sums.saturated_ns -= from->saturated_ns;
	return sums;
}

/*
 * edf_miss_is_limited - has its maximum held it back in a window, and has it used
 * nearly all of that?
 * @s: the stream
 * @sums: what was added in the window
 */
bool edf_miss_is_limited(const struct ssdqos_edf_stream *s,
			 const struct ssdqos_miss_sums *sums)
{
	return sums->limited && miss_is_limited(s);
}

/*
 * edf_miss_begin - a part of a window begins
 * @s: the stream
 * @parts: so many of them have begun, the last one is the watch's; as nothing
 *	was done meanwhile, all with the same sums
 */
void edf_miss_begin(struct ssdqos_edf_stream *s, u64 parts)
{
	const struct ssdqos_miss_sums sums = miss_sums(s);
	u32 i, nr = (u32)min_t(u64, parts, SSDQOS_WATCH_PARTS);

	for (i = 0; i < nr; i++)
		s->part_sums[(s->watch.part - i) % SSDQOS_WATCH_PARTS] = sums;
}

/*
 * edf_miss_why - why a promise is not kept in a window
 * @s: the stream; the drive's clock has gone on to now
 * @event: what is promised, and was achieved
 * @span: the window; what came since it began is looked at
 *
 * Return: enum ssdqos_miss_why.
 */
u32 edf_miss_why(const struct ssdqos_edf_stream *s,
		 const struct ssdqos_watch_event *event,
		 const struct ssdqos_watch_span *span)
{
	u64 promised = max(event->promised, 1ULL);
	u64 missing = promised - min(event->achieved, promised);
	const struct ssdqos_miss m = {
		.sums = edf_miss_since(s, span->part),
		.missing_permille = (u32)div64_u64(missing * PERMILLE, promised),
		.window_ns = s->watch.promise.window_ns,
		.idle_ns = span->idle_ns,
		.util_ppm = s->util_ppm,
		.queue_depth = s->edf->cfg.drive_queue_depth,
		.limited = miss_is_limited(s),
		.profiled = s->edf->profile,
		.overcommitted = s->edf->overcommitted,
	};

	return ssdqos_miss_why(&m);
}

/*
 * edf_miss_count - windows were missed
 * @s: the stream
 * @windows: how many
 * @why: enum ssdqos_miss_why
 */
void edf_miss_count(struct ssdqos_edf_stream *s, u64 windows, u32 why)
{
	u64 *counters = (u64 *)&s->stats;

	s->missed_why = why;
	counters[miss_counters[why]] += windows;
}
