// SPDX-License-Identifier: GPL-2.0
/*
 * self_limited.c - an owner that lacks something by its own doing
 *
 * Who has one request at a time, of a drive that needs 30 for its speed, gets a part
 * of it however few others are there.  With d of them, by the profile, that part is
 *
 *	A(d) = e / e(d)
 *
 * where e(d) is what its request costs with d at a time, and e what it was reckoned
 * with: as many as it said (iodepth), or as the drive gets (depth.c).  And who has a
 * maximum gets no more than that.  If more is promised, the pace (pace.c), the debt
 * (debt.c) and the account of missed windows (budget.c) would keep all others at their
 * least for as long as it likes, for nothing: it is late for good.
 *
 * So who misses a window is *self-limited* if its maximum held it back in it up to the
 * end (miss.c), or if it had no more requests at a time than A(d) < p u, on average over the
 * time in which it had any, where p is the part of its promise for which it asked then
 * (asking.c); until a window ends that it meets, or misses for something else.  Who pauses
 * misses no window, however little it has of what it asks for (watch.h).  So a window
 * counts, too, in which it asked for less, and did not get that.  Nobody is slowed down for
 * who is self-limited.  What it owns is still its own, and goes first.
 */
#include "internal.h"

/* Requests that began before the window are all counted in it: an eighth more at a
 * time than there were, in windows of eight latencies.
 */
#define SELF_LIMITED_MEAN_NUMERATOR 8
#define SELF_LIMITED_MEAN_DENOMINATOR 9

/* How many requests it had at a time, as the power of two that is not less.  What has not
 * ended yet counts where nothing has: else it would have had none while the drive stands.
 */
static u32 self_limited_depth(const struct ssdqos_edf_stream *s,
			      const struct ssdqos_miss_sums *sums, u64 busy_ns)
{
	u64 requests_ns = div64_u64(sums->total_ns, SELF_LIMITED_MEAN_DENOMINATOR) *
			  SELF_LIMITED_MEAN_NUMERATOR;
	u32 under_way = sums->done ? 0 : s->queued + s->in_flight;
	u32 at = 0;

	while (at + 1 < SSDQOS_LOAD_DEPTHS &&
	       (requests_ns > busy_ns << at || under_way > 1U << at))
		at++;
	return at;
}

/* Had it too few for what it asked for, in the time in which it had any? */
static bool self_limited_is_shallow(const struct ssdqos_edf_stream *s,
				    const struct ssdqos_miss_sums *sums,
				    const struct ssdqos_watch_span *span, u64 busy_ns)
{
	u32 slow_permille = s->slow_permille[self_limited_depth(s, sums, busy_ns)];
	u64 asked_permille = div64_u64(span->asked_ns * SSDQOS_QOS_PERMILLE,
				       max(s->watch.promise.window_ns - span->idle_ns, 1ULL));

	return slow_permille != SSDQOS_COST_NONE &&
	       slow_permille > SSDQOS_QOS_PERMILLE &&
	       SSDQOS_QOS_PPM * SSDQOS_QOS_PERMILLE <
		       div64_u64(s->promised_ppm * asked_permille, SSDQOS_QOS_PERMILLE) *
		       slow_permille;
}

/* A window was missed, or in one it asked for less and did not get that, which may have been
 * over for long before anybody looked: its sums say how long it was not.  If they were
 * begun anew meanwhile, nobody knows.
 */
static bool self_limited_is(const struct ssdqos_edf_stream *s,
			    const struct ssdqos_watch_count *count)
{
	const struct ssdqos_miss_sums sums = edf_miss_since(s, count->span.part);
	u64 busy_ns = s->watch.promise.window_ns - count->span.idle_ns;

	if (sums.at_ns < s->watch.promise.window_ns)
		return s->self_limited;
	if (count->missed)
		busy_ns = sums.at_ns - min(sums.at_ns, count->span.idle_ns);
	return (count->missed && edf_miss_is_limited(s, &sums)) ||
	       self_limited_is_shallow(s, &sums, &count->span, busy_ns);
}

/*
 * edf_self_limited_count - windows have ended
 */
void edf_self_limited_count(struct ssdqos_edf_stream *s,
			    const struct ssdqos_watch_count *count)
{
	if (count->met)
		s->self_limited = false;
	else if (count->missed || count->lacked)
		s->self_limited = self_limited_is(s, count);
}
