// SPDX-License-Identifier: GPL-2.0
/*
 * pace.c - how much spare work the drive gets
 *
 * An owner is late by its drive, not by its queue here, if a request of it
 * comes when
 *
 *	none of it waits here,
 *	S is in the past, or in the future but not as far as the lead asks that
 *	the stream has learned (lead.c), time for which it did not ask (asking.c) not
 *	counted, by more than the request owns (e / u), and by more than can be made
 *	up for (a sixteenth of the window, or half the credit if that is less; more
 *	where windows had much more than was promised, catch_up.c),
 *	it does not lack that by its own doing (self_limited.c), and
 *	somebody else has requests here, or had some in this step or the one
 *	before: else it waits for the drive itself, and a lower rate of spare
 *	work, which is its own, would only leave the drive idle.
 *
 * It is behind if it stays late for a while, as seen by its requests, such
 * time again not counted.  For a single request may take long for reasons that no
 * pace helps against: its submitter lost the CPU after the request was sent,
 * which with many clients on few CPUs happens all the time.  Who can, makes up
 * for it at once; who can't stays late until half of that is made up for.
 *
 * Time is cut into steps, as for congestion in networks, for it is one: a step
 * in which an owner was behind ends with half the rate of spare work that it
 * saw, another one with a thirty-second more.  A rate and not a number under
 * way, because writes that end in a drive's buffer are never under way for
 * long.  What would be sent in one step may be under way at once, and one
 * request in any case.  Where the next one is larger than what is left of that,
 * those behind it wait as well (spare.c): small ones would fill it for good.
 * The least rate is what streams without a guarantee own together; from there it
 * takes 1.5 s to all of the drive, and longer where it comes near what made owners
 * late before (plateau.c).
 *
 * So each few seconds the rate tries again what made an owner late.  While an owner
 * that is there is strained (budget.c) it does not: it stays below three quarters
 * of what was sent when somebody fell behind, and below a sixteenth less each time
 * that it is not back at that when somebody does again, but for rates that are
 * hardly above the least: nothing is learned from these.  And who is strained is
 * late sooner, by a 64th of its window: a promised rate owns that much more than it
 * costs.  Without a profile nothing is learned, and the rate tries again in any
 * case: the costs are no times then.  With many clients on a full processor one
 * misses a window now and then whatever the drive does, and all others would have
 * hardly more than they own until as many were met as make up for that.
 */
#include "internal.h"

/* Longer than a client takes to make up for a lost CPU with a drive that has
 * nothing else to do, shorter than a step.
 */
#define PACE_LATE_NS 5000000ULL
#define PACE_DECREASE 2
#define PACE_INCREASE 32
/* What is borne is so much less than what was sent when an owner fell behind. */
#define PACE_LACK_DIVISOR 4
#define PACE_DOUBT_DIVISOR 16
/* So much above the least rate is hardly more: a hundredth of the drive. */
#define PACE_HARDLY_PPM 10000ULL
/* Steps over which what was sent is averaged. */
#define PACE_SEEN_STEPS 16

/*
 * edf_pace_learn_anew - costs are others from now on: what is borne is not known
 */
void edf_pace_learn_anew(struct ssdqos_pace *p)
{
	p->known_ppm = SSDQOS_PACE_FREE;
	edf_plateau_learn_anew(&p->plateau);
}

void edf_pace_init(struct ssdqos_pace *p)
{
	edf_pace_learn_anew(p);
	p->rate_ppm = SSDQOS_PACE_FREE;
	p->late = SSDQOS_NIL;
	p->came = SSDQOS_NIL;
	p->came_before = SSDQOS_NIL;
}

/*
 * edf_pace_forget - a stream leaves, or has nothing promised: another one may get its number
 */
void edf_pace_forget(const struct ssdqos_edf_stream *s)
{
	struct ssdqos_pace *p = &s->edf->pace;

	if (p->late == s->id)
		p->late = SSDQOS_NIL;
	if (p->came == s->id)
		p->came = SSDQOS_NIL;
	if (p->came_before == s->id)
		p->came_before = SSDQOS_NIL;
}

/* Nobody else has work here, nor had any lately. */
static bool pace_is_alone(const struct ssdqos_edf_stream *s)
{
	const struct ssdqos_edf *edf = s->edf;
	const struct ssdqos_pace *p = &edf->pace;

	return edf->in_flight == s->in_flight && edf->queued == s->queued &&
	       p->came == s->id &&
	       (p->came_before == s->id || p->came_before == SSDQOS_NIL);
}

/* S is before what is due. */
static u64 pace_late_ns(struct ssdqos_edf_stream *s, u64 now_ns)
{
	u64 late_ns = edf_lead_due_ns(s, now_ns) - s->start_ns;

	edf_pace_excuse(s, late_ns);
	return late_ns - s->paused_ns + s->owed_ns;
}

/* Is that no more than its request owns?  A division, so it comes last. */
static bool pace_owns(const struct ssdqos_edf_stream *s, u32 cost_ns,
		      u64 late_ns)
{
	return late_ns <= div64_u64((u64)cost_ns * SSDQOS_QOS_PPM, s->util_ppm);
}

static void pace_behind(struct ssdqos_edf_stream *s)
{
	struct ssdqos_pace *p = &s->edf->pace;

	p->behind = true;
	edf_depth_behind(s);
	if (p->late == SSDQOS_NIL)
		p->late = s->id;
	else if (p->late != s->id)
		p->late = SSDQOS_PACE_SEVERAL;
}

/*
 * edf_pace_owner_late - a request comes of a stream that has none waiting, and is behind
 * @s: the stream; S is what the idle rule made of it
 * @cost_ns: of the request
 * @now_ns: time
 */
void edf_pace_owner_late(struct ssdqos_edf_stream *s, u32 cost_ns, u64 now_ns)
{
	u64 late_ns = pace_late_ns(s, now_ns);
	u64 slack_ns = edf_budget_slack_ns(s);

	if (late_ns <= slack_ns / 2 || pace_is_alone(s))
		s->late_since_ns = 0;
	else if (late_ns <= slack_ns || pace_owns(s, cost_ns, late_ns))
		return;
	else if (!s->late_since_ns)
		s->late_since_ns = now_ns;
	else if (now_ns - s->late_since_ns >= PACE_LATE_NS)
		pace_behind(s);
}

static u64 pace_sent_ppm(const struct ssdqos_pace *p, u64 step_ns)
{
	return div64_u64(p->sent_ns * SSDQOS_QOS_PPM, step_ns);
}

/* Is a rate of spare work hardly more than the least? */
static bool pace_is_least(const struct ssdqos_edf *edf, u64 rate_ppm)
{
	return rate_ppm <= (u64)edf->group_ppm + PACE_HARDLY_PPM;
}

/* An owner begins to be behind.  A rate that is still on its way up is less to
 * blame than what was known to be borne, and one that has hardly begun not at all.
 */
static void pace_remember(struct ssdqos_edf *edf)
{
	struct ssdqos_pace *p = &edf->pace;
	u64 borne_ppm;

	if (!edf->profile || pace_is_least(edf, p->rate_ppm))
		return;
	if (edf->debt.strained && p->rate_ppm < p->known_ppm)
		borne_ppm = p->known_ppm - div64_u64(p->known_ppm,
						    PACE_DOUBT_DIVISOR);
	else
		borne_ppm = p->seen_ppm - div64_u64(p->seen_ppm,
						   PACE_LACK_DIVISOR);
	p->known_ppm = max_t(u64, borne_ppm, edf->group_ppm);
}

static void pace_slow_down(struct ssdqos_edf *edf, u64 now_ns)
{
	struct ssdqos_pace *p = &edf->pace;
	u64 seen_ppm = pace_sent_ppm(p, now_ns - p->step_ns);

	if (!p->was_behind) {
		edf_plateau_fell(edf, now_ns);
		pace_remember(edf);
	}
	p->rate_ppm = max(min(p->rate_ppm, seen_ppm) / PACE_DECREASE,
			  (u64)edf->group_ppm);
}

static u64 pace_most_ppm(const struct ssdqos_edf *edf)
{
	return edf->profile && edf->debt.strained ? edf->pace.known_ppm :
						    SSDQOS_PACE_FREE;
}

static void pace_speed_up(struct ssdqos_edf *edf)
{
	struct ssdqos_pace *p = &edf->pace;
	u64 rise_ppm = edf_plateau_rise_ppm(edf, p->rate_ppm / PACE_INCREASE);

	p->rate_ppm = min(p->rate_ppm + rise_ppm, pace_most_ppm(edf));
}

/* What is sent in a single step says little: requests are large. */
static void pace_see(struct ssdqos_pace *p, u64 step_ns)
{
	p->seen_ppm = div64_u64(p->seen_ppm * (PACE_SEEN_STEPS - 1) +
				pace_sent_ppm(p, step_ns), PACE_SEEN_STEPS);
	edf_plateau_see(&p->plateau, p->seen_ppm);
	p->was_behind = p->behind;
}

/*
 * edf_pace_end_step - let the rate follow: a step is over
 *
 * Steps without requests are not made up for: nobody was there to wait.
 */
void edf_pace_end_step(struct ssdqos_edf *edf, u64 now_ns)
{
	struct ssdqos_pace *p = &edf->pace;

	p->behinds += p->behind;
	if (p->behind)
		pace_slow_down(edf, now_ns);
	else
		pace_speed_up(edf);
	if (!pace_is_least(edf, min(p->rate_ppm, p->seen_ppm)))
		p->least_since_ns = 0;
	else if (!p->least_since_ns)
		p->least_since_ns = now_ns;
	edf_depth_end_step(edf, now_ns);
	pace_see(p, now_ns - p->step_ns);
	if (p->rate_ppm == SSDQOS_PACE_FREE)
		p->late = SSDQOS_NIL;
	p->step_ns = now_ns;
	p->sent_ns = 0;
	p->came_before = p->came;
	p->came = SSDQOS_NIL;
	p->behind = false;
}

/*
 * edf_pace_slow_wake_ns - edf_pace_wake_ns() where there is a pace
 */
u64 edf_pace_slow_wake_ns(const struct ssdqos_edf_stream *s, u32 cost_ns)
{
	const struct ssdqos_pace *p = &s->edf->pace;

	if (edf_pace_is_for(s))
		return 0;
	if (p->under_way_ns &&
	    (p->under_way_ns + cost_ns) * SSDQOS_QOS_PPM >
		    p->rate_ppm * EDF_PACE_STEP_NS)
		return SSDQOS_NEVER_NS;
	return p->until_ns;
}

/*
 * edf_pace_sent - spare work goes to the drive
 */
void edf_pace_sent(struct ssdqos_edf_req *req, u64 now_ns)
{
	struct ssdqos_pace *p = &req->stream->edf->pace;

	req->paced = !edf_pace_is_for(req->stream);
	if (!req->paced)
		return;
	p->under_way_ns += req->cost_ns;
	p->sent_ns += req->cost_ns;
	p->until_ns = max(p->until_ns, now_ns) +
		div64_u64((u64)req->cost_ns * SSDQOS_QOS_PPM, p->rate_ppm);
	/* a discard may have any size */
	p->until_ns = min(p->until_ns, now_ns + EDF_MOST_WAIT_NS);
}
