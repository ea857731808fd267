// SPDX-License-Identifier: GPL-2.0
/*
 * pace.c - how much spare work the drive gets at a time
 *
 * An owner is behind by its drive, not by its queue here, if a request of it
 * comes when
 *
 *	none of it waits here, and
 *	S is in the past by more than the request owns (e / u), and
 *	most of that time its requests were under way (it did not pause).
 *
 * Additive increase, multiplicative decrease, as for congestion in networks,
 * for it is one: time is cut into steps; a step in which an owner was behind
 * ends with half the spare work under way, another one with an eighth more.
 */
#include "internal.h"

/* Longer than most requests take, shorter than any window by far. */
#define PACE_STEP_NS 10000000ULL
/* As good as no limit: no drive is given so much at a time. */
#define PACE_MAX_NS 10000000000ULL
#define PACE_DECREASE 2
#define PACE_INCREASE 8
/* Where to grow from, when the limit has become one request. */
#define PACE_LEAST_NS 100000ULL

void edf_pace_init(struct ssdqos_pace *p)
{
	p->limit_ns = PACE_MAX_NS;
}

/*
 * edf_pace_owner_came - a request comes of a stream that has none waiting
 * @s: the stream; S is what the idle rule made of it
 * @cost_ns: of the request
 * @now_ns: time
 */
void edf_pace_owner_came(struct ssdqos_edf_stream *s, u32 cost_ns, u64 now_ns)
{
	struct ssdqos_pace *p = &s->edf->pace;
	u64 late_ns, paused_ns;

	if (!s->util_ppm || s->start_ns >= now_ns || !p->under_way_ns)
		return;
	late_ns = now_ns - s->start_ns;
	paused_ns = s->in_flight ? 0 : now_ns - s->done_ns;
	if (late_ns > div64_u64((u64)cost_ns * SSDQOS_QOS_PPM, s->util_ppm) &&
	    2 * paused_ns < late_ns)
		p->behind = true;
}

/*
 * edf_pace_step - let the limit follow, if a step is over
 *
 * Steps without requests are not made up for: nobody was there to wait.
 */
void edf_pace_step(struct ssdqos_edf *edf, u64 now_ns)
{
	struct ssdqos_pace *p = &edf->pace;

	if (now_ns - p->step_ns < PACE_STEP_NS)
		return;
	p->step_ns = now_ns;
	if (p->behind)
		p->limit_ns = min(p->limit_ns, p->under_way_ns) / PACE_DECREASE;
	else
		p->limit_ns = min(p->limit_ns + p->limit_ns / PACE_INCREASE +
				  PACE_LEAST_NS, PACE_MAX_NS);
	p->behind = false;
}
