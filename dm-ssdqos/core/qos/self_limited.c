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
 * with: as many as it said (iodepth), or as the drive gets.  And who has a maximum gets
 * no more than that.  If more is promised, the pace (pace.c), the debt (debt.c) and the
 * account of missed windows (budget.c) would keep all others at their least for as long
 * as it likes, for nothing: it is late for good.
 *
 * So who misses a window is *self-limited* if its maximum held it back in it up to the
 * end (miss.c), or if it had no more requests at a time than A(d) < u, on average over the
 * time in which it had any; until a window ends that it meets, or misses for something
 * else.  Nobody is slowed down for who is.  What it owns is still its own, and goes first.
 */
#include "internal.h"

/* Nothing is less, whatever is promised. */
#define SELF_LIMITED_UNKNOWN (~0u)

/*
 * edf_self_limited_reckon - what a client gets alone with few requests at a time
 * @p: the profile, or NULL
 * @c: its guarantee
 * @drive: the drive's parameters
 * @alone_ppm: gets the part of the device time for the depths 1, 2, 4, ...; more than
 *	anybody can be promised where no drive was asked with so few
 */
void edf_self_limited_reckon(const struct ssdqos_profile *p,
			     const struct ssdqos_qos_stream_config *c,
			     const struct ssdqos_qos_drive_config *drive,
			     u32 alone_ppm[SSDQOS_LOAD_DEPTHS])
{
	struct ssdqos_cost_key key = edf_cost_key(c, drive);
	u32 cost_ns = p ? edf_depth_cost(p, c, &key) : SSDQOS_COST_NONE;
	u64 depth = key.depth;
	u32 at, ns;

	for (at = 0; at < SSDQOS_LOAD_DEPTHS; at++) {
		key.depth = min(1ULL << at, depth);
		ns = cost_ns == SSDQOS_COST_NONE ?
			     cost_ns : edf_depth_cost(p, c, &key);
		alone_ppm[at] = SELF_LIMITED_UNKNOWN;
		if (ns != SSDQOS_COST_NONE && ns > cost_ns)
			alone_ppm[at] = (u32)div64_u64((u64)cost_ns *
						       SSDQOS_QOS_PPM, ns);
	}
}

/* Requests that began before the window are all counted in it: an eighth more at a
 * time than there were, in windows of eight latencies.
 */
#define SELF_LIMITED_MEAN_NUMERATOR 8
#define SELF_LIMITED_MEAN_DENOMINATOR 9

/* Had it so few in the window? */
static bool self_limited_is_shallow(const struct ssdqos_edf_stream *s,
				    const struct ssdqos_watch_span *span)
{
	const struct ssdqos_miss_sums sums = edf_miss_since(s, span->part);
	u64 busy_ns = sums.at_ns - min(sums.at_ns, span->idle_ns);
	u64 requests_ns = div64_u64(sums.total_ns, SELF_LIMITED_MEAN_DENOMINATOR) *
			  SELF_LIMITED_MEAN_NUMERATOR;
	u32 at = 0;

	while (at + 1 < SSDQOS_LOAD_DEPTHS && requests_ns > busy_ns << at)
		at++;
	return s->alone_ppm[at] < s->promised_ppm;
}

/*
 * edf_self_limited_count - windows have ended
 */
void edf_self_limited_count(struct ssdqos_edf_stream *s,
			    const struct ssdqos_watch_count *count)
{
	if (count->met)
		s->self_limited = false;
	else if (count->missed)
		s->self_limited = edf_miss_is_limited(s, count->span.part) ||
				  self_limited_is_shallow(s, &count->span);
}
