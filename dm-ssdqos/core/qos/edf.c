// SPDX-License-Identifier: GPL-2.0
/*
 * edf.c - who goes to the drive next; the opening comment of edf.h has the
 * model
 */
#include "asking_way.h"

const char *const ssdqos_edf_decision_names[SSDQOS_EDF_NR_DECISIONS] = {
#define E(name, text) [SSDQOS_EDF_##name] = text,
	SSDQOS_EDF_DECISIONS(E)
#undef E
};

const char *const ssdqos_edf_reason_names[SSDQOS_EDF_NR_REASONS] = {
#define E(name, text) [SSDQOS_EDF_WAITS_##name] = text,
	SSDQOS_EDF_REASONS(E)
#undef E
};

/* ---- requests go ---- */

static void edf_charge_guarantee(struct ssdqos_edf_stream *s,
				 struct ssdqos_edf_req *req)
{
	u64 own_ns = edf_own_ns(req->cost_ns, s->util_ppm);

	s->start_ns = max(s->start_ns, edf_past_ns(s->edf, req->sent_ns));
	s->edf->last_start_ns = s->start_ns;
	edf_lead_lag(s, req->sent_ns);
	s->start_ns += own_ns;
	req->own_ns = own_ns;
	if (edf_lead_may_grant(s))
		edf_lead_give(s, own_ns);
	edf_asking_had(s, own_ns);
	req->deadline_ns = s->start_ns;
}

static void edf_charge_group(struct ssdqos_edf_stream *s,
			     struct ssdqos_edf_req *req)
{
	struct ssdqos_edf *edf = s->edf;

	edf->group_start_ns = max(edf->group_start_ns,
				  edf_past_ns(edf, req->sent_ns));
	edf->last_start_ns = edf->group_start_ns;
	req->own_ns = edf_own_ns(req->cost_ns, edf->group_ppm);
	edf->group_start_ns += req->own_ns;
	req->deadline_ns = edf->group_start_ns;
	/* where turns are all that there is, what went before its own does not say
	 * where they are
	 */
	if (req->decision != SSDQOS_EDF_URGENT || !edf_is_strict(edf))
		edf->last_effort_ns = max(edf->last_effort_ns, s->effort_ns);
	s->effort_ns += edf_virtual_ns(s, req->cost_ns);
	edf_spare_charge(s, req);
}

/* ... to what the client owns, alone or with others. */
static void edf_charge_owned(struct ssdqos_edf_stream *s,
			     struct ssdqos_edf_req *req)
{
	if (s->util_ppm)
		edf_charge_guarantee(s, req);
	else
		edf_charge_group(s, req);
}

static void edf_charge(struct ssdqos_edf_stream *s, struct ssdqos_edf_req *req,
		       u32 decision, u64 now_ns)
{
	s64 more_ns = s->more_ns;

	req->own_ns = 0;
	req->owed_ns = 0;
	switch (decision) {
	case SSDQOS_EDF_RESERVED:
		edf_charge_guarantee(s, req);
		s->stats.dispatched_reserved++;
		break;
	case SSDQOS_EDF_OWED:
		req->owed_ns = edf_lead_pay(s, edf_own_ns(req->cost_ns,
							  s->util_ppm));
		s->stats.dispatched_reserved++;
		break;
	case SSDQOS_EDF_SPARE:
		edf_spare_charge(s, req);
		if (edf_lead_may_grant(s))
			edf_lead_spare(s, req->cost_ns);
		s->stats.dispatched_spare++;
		break;
	case SSDQOS_EDF_BEST_EFFORT:
		edf_charge_group(s, req);
		s->stats.dispatched_best_effort++;
		break;
	case SSDQOS_EDF_URGENT:
		edf_urgent_charge(s, req, now_ns);
		if (!s->util_ppm)
			edf_wake_group(s->edf, now_ns);
		edf_charge_owned(s, req);
		s->stats.dispatched_urgent++;
		break;
	}
	req->more_ns = s->more_ns - more_ns;
}

/* The drive has enough to do to be as fast as its profile. */
static bool edf_is_saturated(const struct ssdqos_edf *edf)
{
	return 2 * edf->in_flight >= edf->cfg.drive_queue_depth;
}

/* The drive's clock goes on. */
static u64 edf_advance(struct ssdqos_edf *edf, u64 now_ns)
{
	if (edf_is_saturated(edf))
		edf->saturated_ns += now_ns - edf->drift.at_ns;
	return ssdqos_drift_advance(&edf->drift, edf->in_flight, now_ns);
}

static void edf_send(struct ssdqos_edf_stream *s, struct ssdqos_edf_req *req,
		     u32 decision, u64 now_ns)
{
	struct ssdqos_edf *edf = s->edf;

	req->decision = (u8)decision;
	req->sent_ns = now_ns;
	req->clock_ns = edf_advance(edf, now_ns);
	edf_charge(s, req, decision, now_ns);
	if (s->cfg.max_iops || s->cfg.max_mb_s)
		edf_limit_charge(s, req, now_ns);
	edf->batch.under_way_ns += req->cost_ns;
	if (edf->cfg.drive_batch_ms)
		edf_batch_sent(edf, req, now_ns);
	if (edf_is_unowed(decision)) {
		edf_pace_sent(req, now_ns);
		if (edf_debt_holds(s, req))
			edf_debt_sent(edf, req, now_ns);
	}
	s->in_flight++;
	edf->in_flight++;
	req->saturated = edf_is_saturated(edf);
}

/* The first request of a stream leaves the queue. */
static struct ssdqos_edf_req *edf_take(struct ssdqos_edf_stream *s,
				       u32 decision, u64 now_ns)
{
	struct ssdqos_edf *edf = s->edf;
	struct ssdqos_edf_req *req = edf_waiting_take(s);

	edf_send(s, req, decision, now_ns);
	if (s->queued) {
		edf_place(s, now_ns);
	} else {
		edf_unplace(s);
		if (!s->util_ppm)
			edf_place_group(edf, now_ns);
	}
	return req;
}

/* The stream with the earliest deadline of those that are owed time. */
static struct ssdqos_edf_stream *edf_first_owed(struct ssdqos_edf *edf,
						u64 now_ns)
{
	if (edf->ready.nr && ssdqos_evq_next_id(&edf->ready) == EDF_GROUP)
		return edf_group_turn(edf, now_ns);
	return edf_first(edf, &edf->ready);
}

/* Steps end with requests that come.  Who wrote a file at once, and waits until it
 * is there, sends no more: where the owners have none either, all of it would go at
 * the rate that was left beside them.
 */
static void edf_steps_quiet(struct ssdqos_edf *edf, u64 now_ns)
{
	const struct ssdqos_edf_stream *s = edf->streams;

	/* one look tells, until a request comes; and an owner is soon looked at again */
	if (edf->away_ns <= edf->came_ns) {
		if (now_ns - edf->looked_ns < EDF_PACE_STEP_NS)
			return;
		edf->looked_ns = now_ns;
		while (s && !(s->util_ppm && (s->in_flight || s->queued)))
			s = s->next;
		if (s)
			return;
		edf->away_ns = now_ns;
	}
	edf_steps(edf, now_ns);
}

/**
 * ssdqos_edf_next - the request that goes to the drive now
 * @edf: the drive
 * @now_ns: time
 *
 * To be called until it returns NULL, whenever a request was completed or
 * refused to go at once, and at ssdqos_edf_wake_ns().
 * Context: caller serialises; O(log streams).
 * Return: the request, which counts as sent; NULL if none may go now.
 */
struct ssdqos_edf_req *ssdqos_edf_next(struct ssdqos_edf *edf, u64 now_ns)
{
	struct ssdqos_edf_stream *s;

	if (!ssdqos_edf_may_go(edf))
		return NULL;
	if (unlikely(now_ns - edf->came_ns >= EDF_QUIET_NS))
		edf_steps_quiet(edf, now_ns);
	if (edf_is_due(edf, now_ns))
		edf_wake_due(edf, now_ns);
	if (edf_batch_is_on(edf, now_ns)) {
		s = edf_batch_next(edf, now_ns);
		if (s)
			return edf_take(s, edf_batch_right(s), now_ns);
	}
	s = edf_first_owed(edf, now_ns);
	if (s)
		return edf_take(s, s->util_ppm ? SSDQOS_EDF_RESERVED :
						 SSDQOS_EDF_BEST_EFFORT, now_ns);
	s = edf_spare_first(edf, now_ns);
	return s ? edf_take(s, edf_is_owed(s) ? SSDQOS_EDF_OWED :
						SSDQOS_EDF_SPARE, now_ns) : NULL;
}

/* When the first request may go, once the drive has room; 0 is at once. */
static u64 edf_due_ns(const struct ssdqos_edf *edf)
{
	bool group = ssdqos_evq_pending(&edf->ready, EDF_GROUP);
	u64 due_ns = min(ssdqos_evq_next_ns(&edf->limited),
			 ssdqos_evq_next_ns(&edf->early));

	if (edf->ready.nr > group)
		return 0;
	if (group)
		due_ns = min(due_ns,
			     edf_spare_wake_ns(edf_first(edf, &edf->effort)));
	return min(due_ns, edf_spare_due_ns(edf));
}

/**
 * ssdqos_edf_wake_ns - when to call ssdqos_edf_next() without an event
 * @edf: the drive
 *
 * Return: time, in the past if at once; SSDQOS_NEVER_NS if a completion or a
 * new request has to come first.
 */
u64 ssdqos_edf_wake_ns(const struct ssdqos_edf *edf)
{
	if (!ssdqos_edf_may_go(edf))
		return SSDQOS_NEVER_NS;
	return edf_due_ns(edf);
}

/* ---- requests come ---- */

/* A stream that has nothing waiting gets a request. */
static void edf_wake_stream(struct ssdqos_edf_stream *s,
			    const struct ssdqos_edf_req *req, u64 now_ns)
{
	struct ssdqos_edf *edf = s->edf;
	u64 credit_ns = edf->cfg.drive_credit_ms * EDF_NS_PER_MS;
	u64 floor_ns = edf_floor_ns(edf, credit_ns, now_ns);
	u64 pause_ns = edf_asking_take_pause(s, credit_ns);

	edf_pace_owner_paused(s, pause_ns, now_ns);
	if (s->start_ns < floor_ns)
		edf_asking_idle(s, floor_ns, pause_ns);
	edf_debt_owner_came(s);
	edf_spare_catch_up(s, req);
	edf_pace_owner_came(s, req->cost_ns, now_ns);
}

/* Nobody's guarantee pays for a request; may it go? */
static u32 edf_direct_unowed(struct ssdqos_edf_stream *s,
			     const struct ssdqos_edf_req *req, u64 now_ns)
{
	struct ssdqos_edf *edf = s->edf;

	if (!s->draining && (edf_pace_wake_ns(s, req->cost_ns) > now_ns ||
			     (edf_pace_is_full(&edf->pace) && !edf_pace_is_for(s))))
		return SSDQOS_EDF_NONE;
	if (edf_debt_until_ns(s, req) > now_ns && edf_debt_holds(s, req)) {
		edf->debt.held |= edf->debt.until_ns > now_ns;
		return SSDQOS_EDF_NONE;
	}
	if (!edf_is_strict(edf) || s->draining)
		return SSDQOS_EDF_SPARE;
	if (s->util_ppm || edf->effort.nr)
		return SSDQOS_EDF_NONE;
	edf_wake_group(edf, now_ns);
	return edf->group_start_ns <= now_ns ? SSDQOS_EDF_BEST_EFFORT :
					       SSDQOS_EDF_NONE;
}

/* By which right a request may go without waiting, if by any. */
static u32 edf_direct(struct ssdqos_edf_stream *s,
		      const struct ssdqos_edf_req *req, u64 now_ns)
{
	struct ssdqos_edf *edf = s->edf;

	if (s->queued || ssdqos_edf_is_full(edf) || edf_is_limited(s, now_ns) ||
	    (edf->queued && edf_due_ns(edf) <= now_ns))
		return SSDQOS_EDF_NONE;
	if (s->util_ppm && edf_lead_has_begun(s, now_ns))
		return SSDQOS_EDF_RESERVED;
	if (edf_is_owed(s))
		return SSDQOS_EDF_OWED;
	return edf_direct_unowed(s, req, now_ns);
}

/* By which right, or else for being urgent.  Who drains has no more to come. */
static u32 edf_decide(struct ssdqos_edf_stream *s, struct ssdqos_edf_req *req,
		      u64 now_ns)
{
	u32 decision;

	if (req->urgent && s->draining)
		return SSDQOS_EDF_URGENT;
	decision = edf_direct(s, req, now_ns);
	if (decision || !req->urgent)
		return decision;
	req->reason = (u8)edf_urgent_waits(s, now_ns);
	return req->reason ? SSDQOS_EDF_NONE : SSDQOS_EDF_URGENT;
}

static void edf_append(struct ssdqos_edf_stream *s, struct ssdqos_edf_req *req,
		       u64 now_ns)
{
	s->stats.waited++;
	s->stats.urgent_waited += req->urgent;
	if (edf_waiting_add(s, req))
		edf_place(s, now_ns);
}

/* Closes the windows that are over. */
static u32 edf_roll(struct ssdqos_edf_stream *s, u64 now_ns,
		    struct ssdqos_watch_event *event)
{
	return unlikely(ssdqos_watch_is_over(&s->watch, now_ns)) ?
		       edf_windows_end(s, now_ns, event) : 0;
}

/**
 * ssdqos_edf_submit - a request comes
 * @s: the stream
 * @req: @kind and @bytes are set
 * @sector: where it begins
 * @flags: SSDQOS_EDF_FLAG_*
 * @now_ns: time
 *
 * Context: caller serialises; O(log streams), a few steps if nobody waits.
 * Return: enum ssdqos_edf_verdict.
 */
enum ssdqos_edf_verdict ssdqos_edf_submit(struct ssdqos_edf_stream *s,
					  struct ssdqos_edf_req *req,
					  u64 sector, u32 flags, u64 now_ns)
{
	bool is_discard = req->kind == SSDQOS_EDF_KIND_DISCARD;
	u32 nr = edf_asking_requests(s) + !is_discard, decision;

	req->stream = s;
	req->queued_ns = now_ns;
	req->deadline_ns = 0;
	req->urgent = flags & SSDQOS_EDF_FLAG_URGENT;
	req->paced = false;
	edf_classify(s, req, sector, flags);
	s->edf->came_ns = now_ns;
	edf_asking_count(s, now_ns);
	if (!is_discard)
		edf_asking_came(s, nr, now_ns);
	edf_steps(s->edf, now_ns);
	edf_pace_came(s);
	if (!s->queued)
		edf_wake_stream(s, req, now_ns);
	decision = edf_decide(s, req, now_ns);
	edf_asking_changed(s, nr, now_ns);
	s->discards += is_discard;
	if (!decision) {
		edf_append(s, req, now_ns);
		return SSDQOS_EDF_WAIT;
	}
	edf_send(s, req, decision, now_ns);
	if (decision == SSDQOS_EDF_URGENT)
		edf_place_again(s, now_ns);
	return SSDQOS_EDF_GO;
}

static void edf_refund_guarantee(struct ssdqos_edf_stream *s,
				 const struct ssdqos_edf_req *req)
{
	s->owed_ns = min(s->owed_ns + req->owed_ns,
			 s->cfg.window_ms * EDF_NS_PER_MS);
	s->start_ns -= min(s->start_ns, req->own_ns);
	s->more_ns = min(s->more_ns - req->more_ns, (s64)s->lead_ns);
}

static void edf_refund_group(struct ssdqos_edf_stream *s,
			     const struct ssdqos_edf_req *req)
{
	struct ssdqos_edf *edf = s->edf;

	if (req->decision == SSDQOS_EDF_SPARE)
		return;
	edf->group_start_ns -= min(edf->group_start_ns, req->own_ns);
	s->effort_ns -= min(s->effort_ns, edf_virtual_ns(s, req->cost_ns));
}

/* The drive never had it.  Rules may have changed since it went: what they say
 * now is wrong by this request at most.  The pace stays, it is about the drive.
 */
static void edf_refund(struct ssdqos_edf_stream *s,
		       const struct ssdqos_edf_req *req, u64 now_ns)
{
	edf_limit_refund(s, req);
	if (req->decision == SSDQOS_EDF_URGENT)
		edf_urgent_refund(s, req);
	if (s->util_ppm)
		edf_refund_guarantee(s, req);
	else
		edf_refund_group(s, req);
	if (req->decision == SSDQOS_EDF_SPARE || !s->util_ppm)
		edf_spare_refund(s, req);
	edf_place_again(s, now_ns);
}

static void edf_count(struct ssdqos_edf_stream *s,
		      const struct ssdqos_edf_req *req, u64 seen_ns, u64 now_ns)
{
	switch (req->kind) {
	case SSDQOS_EDF_KIND_READ:
		s->stats.reads++;
		s->stats.read_bytes += req->bytes;
		break;
	case SSDQOS_EDF_KIND_WRITE:
		s->stats.writes++;
		s->stats.write_bytes += req->bytes;
		s->edf->foreign.own_bytes += req->bytes;
		break;
	case SSDQOS_EDF_KIND_DISCARD:
		s->stats.discards++;
		break;
	default:
		s->stats.flushes++;
	}
	s->edf->work_ns += req->cost_ns;
	if (req->decision == SSDQOS_EDF_URGENT)
		s->edf->urgent_ns += req->cost_ns;
	s->stats.charged_ns += req->cost_ns;
	s->stats.observed_ns += seen_ns;
	s->step_work_ns += req->cost_ns;
	ssdqos_hist_add(&s->queue_hist, req->sent_ns - req->queued_ns);
	ssdqos_hist_add(&s->device_hist, now_ns - req->sent_ns);
	ssdqos_hist_add(&s->total_hist, now_ns - req->queued_ns);
	if (req->kind == SSDQOS_EDF_KIND_READ ||
	    req->kind == SSDQOS_EDF_KIND_WRITE) {
		s->watch.sums.requests++;
		s->watch.sums.bytes += req->bytes;
	}
	s->watch.sums.charged_ns += req->cost_ns;
}

/* What did not work is no progress, and nothing to learn from, but that the drive
 * had time for it.
 */
static void edf_count_failed(struct ssdqos_edf_stream *s,
			     const struct ssdqos_edf_req *req, u64 seen_ns,
			     enum ssdqos_edf_outcome outcome)
{
	if (outcome == SSDQOS_EDF_REFUSED) {
		s->stats.refused++;
		return;
	}
	s->stats.failed++;
	s->step_work_ns += req->cost_ns;
	s->stats.charged_ns += req->cost_ns;
	s->stats.observed_ns += seen_ns;
}

/**
 * ssdqos_edf_complete - the drive has done a request
 * @req: it came from ssdqos_edf_submit() or ssdqos_edf_next()
 * @outcome: what became of it
 * @now_ns: time
 * @events: room for SSDQOS_WATCH_MAX_EVENTS
 *
 * Context: caller serialises; a few steps.
 * Return: number of @events that somebody should hear of.
 */
u32 ssdqos_edf_complete(struct ssdqos_edf_req *req,
			enum ssdqos_edf_outcome outcome, u64 now_ns,
			struct ssdqos_watch_event *events)
{
	struct ssdqos_edf_stream *s = req->stream;
	struct ssdqos_edf *edf = s->edf;
	u64 clock_ns = edf_advance(edf, now_ns);
	u64 seen_ns = (clock_ns - req->clock_ns) >> SSDQOS_DRIFT_CLOCK_SHIFT;
	u32 nr;

	edf_asking_count(s, now_ns);
	edf->in_flight--;
	edf->urgent_in_flight -= req->decision == SSDQOS_EDF_URGENT;
	s->in_flight--;
	s->done_ns = now_ns;
	if (req->paced)
		edf->pace.under_way_ns -= req->cost_ns;
	edf->batch.under_way_ns -= req->cost_ns;
	nr = edf_roll(s, now_ns, events);
	if (likely(outcome == SSDQOS_EDF_DONE))
		edf_count(s, req, seen_ns, now_ns);
	else
		edf_count_failed(s, req, seen_ns, outcome);
	if (unlikely(now_ns >= s->watch.half_ns))
		nr += edf_window_half(s, now_ns, &events[nr]);
	if (outcome == SSDQOS_EDF_REFUSED)
		edf_refund(s, req, now_ns);
	if (unlikely(req->kind == SSDQOS_EDF_KIND_DISCARD))
		s->discards--;
	edf_asking_changed(s, edf_asking_requests(s), now_ns);
	if (edf->profile && req->saturated && outcome == SSDQOS_EDF_DONE &&
	    req->kind <= SSDQOS_EDF_KIND_WRITE)
		ssdqos_drift_seen(&edf->drift, req->op, req->pattern, seen_ns,
				  req->cost_ns);
	nr += ssdqos_drift_roll(&edf->drift, edf->cfg.drive_drift_pct, now_ns,
				&events[nr]);
	return nr;
}

/**
 * ssdqos_edf_tick - close windows that ended without a completion
 * @s: the stream
 * @now_ns: time
 * @events: room for SSDQOS_WATCH_MAX_EVENTS
 *
 * Context: caller serialises.
 * Return: number of @events that somebody should hear of.
 */
u32 ssdqos_edf_tick(struct ssdqos_edf_stream *s, u64 now_ns,
		    struct ssdqos_watch_event *events)
{
	u32 nr;

	edf_advance(s->edf, now_ns);
	nr = edf_roll(s, now_ns, events);
	nr += edf_window_risk(s, now_ns, &events[nr]);
	return nr + ssdqos_drift_roll(&s->edf->drift,
				      s->edf->cfg.drive_drift_pct, now_ns,
				      &events[nr]);
}

/**
 * ssdqos_edf_disk_wrote - look for writes that are not ours
 * @edf: the drive
 * @sectors: that the disk has written so far, by its own statistics
 * @now_ns: time
 * @events: room for SSDQOS_WATCH_MAX_EVENTS
 *
 * Context: caller serialises; once a second or so.
 * Return: number of @events that somebody should hear of.
 */
u32 ssdqos_edf_disk_wrote(struct ssdqos_edf *edf, u64 sectors, u64 now_ns,
			  struct ssdqos_watch_event *events)
{
	return ssdqos_foreign_look(&edf->foreign, sectors,
				   edf->cfg.drive_foreign_pct, now_ns, events);
}
