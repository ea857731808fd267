// SPDX-License-Identifier: GPL-2.0
/*
 * urgent.c - what goes before its turn, and who pays for it
 *
 * Others wait while a flush, metadata or swap does: a file system for its
 * journal, everybody for memory.  So an urgent request that can't go by its
 * client's rights goes at once all the same, if
 *
 *	none of its stream waits already,
 *	fewer than drive_urgent_depth went so and are under way,
 *	its stream owes less than drive_urgent_us of device time for those that
 *	went so before, and
 *	those alone are not ahead of its stream's maximum by more than a burst, and
 *	in strict mode, a stream without a guarantee has had no more than
 *	drive_urgent_us more of what such streams own together than one that waits
 *	for its part of it: who asks for all of that by its own clock, and so owes
 *	nothing, has its part, too.  In other modes there is spare time.
 *
 * It is charged to what its client owns: S of the guarantee, or S of all
 * without a guarantee and the client's V.  So its other requests pay.  The debt
 * is apart from S, for S is ahead after each large write, and a client's journal
 * shall not wait for what its own writes have used.  It decays by what its
 * client owns, so on average nothing goes before its turn that isn't owned.
 *
 * Streams without a guarantee own their part together, hence owe together,
 * too: each of them up to half of what all may, so that one of them does not
 * take from the others what they have for their journals.
 *
 * An urgent request that may not go waits as the first of its stream.  Others
 * make it wait no longer than what its client owns takes to serve it: without
 * a guarantee, and all reserved and used,
 *
 *	(drive_urgent_us + largest request + those of streams before it) /
 *		drive_best_effort_permille
 *
 * which is 0.2 s and a request's 100 times, by default.
 */
#include "internal.h"

#define URGENT_NS_PER_US 1000ULL
/* By default a quarter of the depth: more serves no journal, and a drive that
 * needs its depth to be fast keeps three quarters of its speed for others.
 */
#define URGENT_DEPTH_DIVISOR 4
/* One stream of those without a guarantee, of what they may owe together. */
#define URGENT_SHARE 2
/* Clients that own little owe no more than they own in this time: with it all
 * clients together are ahead of their guarantees by a tenth of a second, as
 * they may be by their credit.
 */
#define URGENT_MAX_NS (100 * EDF_NS_PER_MS)

/*
 * edf_urgent_depth - how many may be under way that went before their turn
 *
 * A slot stays free for who is owed, if the drive has more than one.
 */
u32 edf_urgent_depth(const struct ssdqos_edf *edf)
{
	u64 depth = edf->cfg.drive_queue_depth;
	u64 urgent = edf->cfg.drive_urgent_depth;

	if (!urgent)
		urgent = depth / URGENT_DEPTH_DIVISOR;
	return (u32)max(min(urgent, depth - 1), 1ULL);
}

/* Device time as time of somebody who owns a part of the device. */
static u64 urgent_own_ns(const struct ssdqos_edf *edf, u32 ppm)
{
	return edf_own_ns(edf->cfg.drive_urgent_us * URGENT_NS_PER_US, ppm);
}

/* Has a stream without a guarantee had more of what all such own together than one
 * that waits for its turn, and can have nothing else?  It needs no turn itself, so X
 * is all that tells.
 */
static bool urgent_is_ahead(const struct ssdqos_edf_stream *s)
{
	const struct ssdqos_edf *edf = s->edf;

	if (s->util_ppm || edf->cfg.drive_batch_ms || !edf_is_strict(edf) ||
	    !edf->effort.nr)
		return false;
	return s->effort_ns > ssdqos_evq_next_ns(&edf->effort) +
	       div64_u64(edf->cfg.drive_urgent_us * URGENT_NS_PER_US *
			 SSDQOS_QOS_DEFAULT_WEIGHT, s->cfg.weight);
}

static bool urgent_owes_too_much(const struct ssdqos_edf_stream *s, u64 now_ns)
{
	const struct ssdqos_edf *edf = s->edf;
	u64 most_ns;

	if (urgent_is_ahead(s))
		return true;
	if (s->urgent_paid_ns <= now_ns &&
	    (s->util_ppm || edf->group_urgent_paid_ns <= now_ns))
		return false;
	if (s->util_ppm)
		return s->urgent_paid_ns - now_ns >=
		       min(urgent_own_ns(edf, s->util_ppm), URGENT_MAX_NS);
	most_ns = urgent_own_ns(edf, edf->group_ppm);
	return s->urgent_paid_ns >= now_ns + most_ns / URGENT_SHARE ||
	       edf->group_urgent_paid_ns >= now_ns + most_ns;
}

static bool urgent_is_limited(const struct ssdqos_edf_stream *s, u64 now_ns)
{
	return s->urgent_limit_ns > now_ns + URGENT_MAX_NS;
}

/*
 * edf_urgent_waits - why may an urgent request not go before its turn?
 * @s: the stream
 * @now_ns: time
 *
 * Return: enum ssdqos_edf_reason; SSDQOS_EDF_WAITS_NOTHING if it may.
 */
u32 edf_urgent_waits(const struct ssdqos_edf_stream *s, u64 now_ns)
{
	const struct ssdqos_edf *edf = s->edf;
	const struct ssdqos_edf_req *first =
		s->lists[SSDQOS_EDF_LIST_URGENT].first;

	if (first)
		return first->reason;
	if (edf->urgent_in_flight >= edf_urgent_depth(edf))
		return SSDQOS_EDF_WAITS_URGENT_CAP;
	if (urgent_owes_too_much(s, now_ns))
		return SSDQOS_EDF_WAITS_URGENT_DEBT;
	if (urgent_is_limited(s, now_ns))
		return SSDQOS_EDF_WAITS_LIMIT;
	return SSDQOS_EDF_WAITS_NOTHING;
}

static void urgent_owe(u64 *paid_ns, u32 cost_ns, u32 ppm, u64 now_ns)
{
	*paid_ns = max(*paid_ns, now_ns) + edf_own_ns(cost_ns, ppm);
}

/*
 * edf_urgent_charge - a request goes before its turn
 * @s: the stream
 * @req: the request
 * @now_ns: time
 *
 * That is besides what it is charged like all others.
 */
void edf_urgent_charge(struct ssdqos_edf_stream *s,
		       const struct ssdqos_edf_req *req, u64 now_ns)
{
	struct ssdqos_edf *edf = s->edf;
	struct edf_limit_steps steps = edf_limit_steps(s, req);

	edf->urgent_in_flight++;
	s->urgent_limit_ns = max(s->urgent_limit_ns, now_ns) +
			     max(steps.iops_ns, steps.bytes_ns);
	urgent_owe(&s->urgent_paid_ns, req->cost_ns,
		   s->util_ppm ? s->util_ppm : edf->group_ppm, now_ns);
	if (!s->util_ppm)
		urgent_owe(&edf->group_urgent_paid_ns, req->cost_ns,
			   edf->group_ppm, now_ns);
}

static void urgent_pay(u64 *paid_ns, u64 own_ns)
{
	*paid_ns -= min(*paid_ns, own_ns);
}

/*
 * edf_urgent_refund - one that went before its turn was refused
 */
void edf_urgent_refund(struct ssdqos_edf_stream *s,
		       const struct ssdqos_edf_req *req)
{
	struct edf_limit_steps steps = edf_limit_steps(s, req);
	u32 group_ppm = s->edf->group_ppm;

	urgent_pay(&s->urgent_limit_ns, max(steps.iops_ns, steps.bytes_ns));
	urgent_pay(&s->urgent_paid_ns,
		   edf_own_ns(req->cost_ns,
			      s->util_ppm ? s->util_ppm : group_ppm));
	if (!s->util_ppm)
		urgent_pay(&s->edf->group_urgent_paid_ns,
			   edf_own_ns(req->cost_ns, group_ppm));
}

/*
 * edf_urgent_settle - a stream's guarantee or maximum is another one
 */
void edf_urgent_settle(struct ssdqos_edf_stream *s)
{
	s->urgent_paid_ns = 0;
	s->urgent_limit_ns = 0;
}
