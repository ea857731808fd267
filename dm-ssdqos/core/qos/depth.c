// SPDX-License-Identifier: GPL-2.0
/*
 * depth.c - how many requests the drive has at a time
 *
 * A request waits in the drive behind all that others have there.  Who has few
 * requests at a time then gets few of them done, however early they go, and
 * though spare work is paced (pace.c): what other owners own, or are granted
 * (lead.c), fills the drive as well.  Example: beside 30 reads of 64 KiB, of
 * 128 us each, a read takes 4 ms, so a client with two at a time has 500 a second,
 * and it may be promised 2,000.  Beside six reads it has them.
 *
 * So the drive gets fewer requests at a time while that is so.  In steps of the
 * pace, Q is that number:
 *
 *	Q = max(Q - Q / 4, least)	an owner is behind that has nothing waiting
 *					here, others have more in the drive than
 *					it has, and spare work is at its least
 *	Q = queue depth			an owner that has requests waiting here is
 *					late: it lacks what the drive does with more
 *	Q = min(Q + 1, queue depth)	in any other step
 *
 * A quarter of three is none, so Q gets no lower than that, whatever least is: with two and
 * one drives do so much less that owners miss windows for it, which the promises that fit
 * by the profile don't say.
 *
 * As the last resort, with Q = least nobody is granted more than he owns (lead.c);
 * with a least of two or one Q is never that.
 *
 * With fewer requests at a time a drive does less.  What owners own in the drive
 * at each depth, as its profile says, therefore has to fit:
 *
 *	least = the smallest power of two d with
 *		used x (sum of u x e(d) / e) / (sum of u) <= what can be reserved
 *
 * where e(d) is what the owner's request costs with at most d at a time.  Without
 * a profile, with one of fewer depths, or with more promised than fits, that is
 * the queue depth, and nothing changes.
 */
#include "internal.h"

#define DEPTH_FALL_DIVISOR 4
/* What is a thousand times as slow is of no use, and sums would overflow. */
#define DEPTH_SLOW_MOST_PERMILLE (1000u * SSDQOS_QOS_PERMILLE)

/* What a request costs with so few at a time; SSDQOS_COST_NONE if nothing can be
 * promised, or no drive was asked with so few.
 */
static u32 depth_cost(const struct ssdqos_profile *p,
		      const struct ssdqos_qos_stream_config *c,
		      const struct ssdqos_cost_key *key)
{
	struct ssdqos_cost_source source;

	if (!ssdqos_profile_source(p, key, (u32)c->op, (u32)c->pattern,
				   (u32)c->block_bytes, &source) ||
	    source.depth > key->depth)
		return SSDQOS_COST_NONE;
	return ssdqos_profile_promise(p, key, (u32)c->op, (u32)c->pattern,
				      (u32)c->block_bytes);
}

static u32 depth_permille(u32 ns, u32 cost_ns)
{
	u64 permille = div64_u64((u64)ns * SSDQOS_QOS_PERMILLE, cost_ns);

	return permille <= DEPTH_SLOW_MOST_PERMILLE ? (u32)permille :
						      SSDQOS_COST_NONE;
}

/*
 * edf_depth_slow - how much more a guarantee takes with fewer requests at a time
 * @p: the profile, or NULL
 * @c: the guarantee
 * @drive: the drive's parameters
 * @slow_permille: gets it for the depths 1, 2, 4, ...; SSDQOS_COST_NONE where that
 *	is not known, or far too much
 */
void edf_depth_slow(const struct ssdqos_profile *p,
		    const struct ssdqos_qos_stream_config *c,
		    const struct ssdqos_qos_drive_config *drive,
		    u32 slow_permille[SSDQOS_LOAD_DEPTHS])
{
	struct ssdqos_cost_key key = edf_cost_key(c, drive);
	u32 cost_ns = p ? depth_cost(p, c, &key) : SSDQOS_COST_NONE;
	u64 depth = key.depth;
	u32 at, ns;

	for (at = 0; at < SSDQOS_LOAD_DEPTHS; at++) {
		key.depth = min(1ULL << at, depth);
		ns = cost_ns == SSDQOS_COST_NONE ?
			     cost_ns : depth_cost(p, c, &key);
		slow_permille[at] = ns == SSDQOS_COST_NONE ?
					    ns : depth_permille(ns, cost_ns);
	}
}

/* Do all guarantees fit with so many requests at a time? */
static bool depth_fits(const struct ssdqos_edf *edf, u32 at, u64 used_ppm)
{
	u64 sum = 0, slow = 0, limit_ppm = edf_limit_ppm(&edf->cfg);
	const struct ssdqos_edf_stream *s;

	if (used_ppm > limit_ppm)
		return false;
	for (s = edf->streams; s; s = s->next) {
		if (!s->util_ppm)
			continue;
		/* of device time nobody knows what is asked for with it */
		if (!s->promise_cost_ns ||
		    s->slow_permille[at] == SSDQOS_COST_NONE)
			return false;
		sum += s->util_ppm;
		slow += div64_u64((u64)s->util_ppm * s->slow_permille[at],
				  SSDQOS_QOS_PERMILLE);
	}
	return sum && div64_u64(used_ppm * slow, sum) <= limit_ppm;
}

/*
 * edf_depth_reckon - guarantees have changed, or the drive's parameters
 */
void edf_depth_reckon(struct ssdqos_edf *edf)
{
	u32 depth = (u32)edf->cfg.drive_queue_depth, at = 0;
	u64 used_ppm = ssdqos_edf_used_ppm(edf);

	while (at < SSDQOS_LOAD_DEPTHS && 1u << at < depth &&
	       !depth_fits(edf, at, used_ppm))
		at++;
	edf->depth.least = at < SSDQOS_LOAD_DEPTHS ? min(1u << at, depth) : depth;
	edf->depth.now = depth;
}

/*
 * edf_depth_behind - an owner is behind that has nothing waiting here
 */
void edf_depth_behind(const struct ssdqos_edf_stream *s)
{
	struct ssdqos_edf *edf = s->edf;

	edf->depth.crowded |= edf->in_flight - s->in_flight > s->in_flight;
}

static bool depth_is_late(const struct ssdqos_edf *edf,
			  const struct ssdqos_evq *heap, u64 now_ns)
{
	const struct ssdqos_edf_stream *s;

	if (!heap->nr || ssdqos_evq_next_id(heap) == EDF_GROUP)
		return false;
	s = edf_first(edf, heap);
	return s->start_ns + edf_budget_slack_ns(s) < now_ns;
}

/* Is the next owner that waits here late?  While the drive is full nobody moves
 * those whose time has come from one heap to the other.
 */
static bool depth_starves(const struct ssdqos_edf *edf, u64 now_ns)
{
	return depth_is_late(edf, &edf->ready, now_ns) ||
	       depth_is_late(edf, &edf->early, now_ns);
}

/*
 * edf_depth_end_step - let the depth follow: a step of the pace is over
 */
void edf_depth_end_step(struct ssdqos_edf *edf, u64 now_ns)
{
	const struct ssdqos_pace *p = &edf->pace;
	u32 depth = (u32)edf->cfg.drive_queue_depth;
	struct ssdqos_depth *d = &edf->depth;

	if (depth_starves(edf, now_ns))
		d->now = depth;
	else if (d->crowded && p->rate_ppm <= edf->group_ppm &&
		 edf->cfg.drive_narrow)
		d->now = max(d->now - d->now / DEPTH_FALL_DIVISOR, d->least);
	else
		d->now = min(d->now + 1, depth);
	d->crowded = false;
}
