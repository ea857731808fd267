/* SPDX-License-Identifier: GPL-2.0 */
/*
 * internal.h - what the files of core/qos share
 */
#ifndef SSDQOS_QOS_INTERNAL_H
#define SSDQOS_QOS_INTERNAL_H

#include "edf.h"

/* The streams without a guarantee, as one, in the heaps early and ready. */
#define EDF_GROUP SSDQOS_QOS_MAX_STREAMS
#define EDF_NR_IDS (SSDQOS_QOS_MAX_STREAMS + 1)

#define EDF_NS_PER_MS 1000000ULL
#define EDF_NS_PER_S 1000000000ULL
#define EDF_BYTES_PER_MB 1000000ULL
#define EDF_BYTES_PER_KIB 1024ULL

static inline bool edf_is_strict(const struct ssdqos_edf *edf)
{
	return edf->cfg.drive_mode == SSDQOS_QOS_STRICT;
}

/* Did a guarantee pay for a request? */
static inline bool edf_is_unowed(u32 decision)
{
	return decision == SSDQOS_EDF_SPARE ||
	       decision == SSDQOS_EDF_BEST_EFFORT;
}

/* Time that passes for the owner of @ppm of the device while it uses @cost_ns. */
static inline u64 edf_own_ns(u64 cost_ns, u32 ppm)
{
	return div64_u64(cost_ns * SSDQOS_QOS_PPM, ppm);
}

/* Owed by the drive, or granted beyond what it owns (lead.c). */
static inline bool edf_is_owed(const struct ssdqos_edf_stream *s)
{
	return s->owed_ns || s->more_ns > 0;
}

/* Has it missed more windows than it may (budget.c)? */
static inline bool edf_is_overdrawn(const struct ssdqos_edf_stream *s)
{
	return s->budget.left < 0;
}

/* ... and could have met them? */
static inline bool edf_is_strained(const struct ssdqos_edf_stream *s)
{
	return edf_is_overdrawn(s) && !s->self_limited && s->edf->cfg.drive_budget;
}

/* Whose turn it is in a heap. */
static inline struct ssdqos_edf_stream *
edf_first(const struct ssdqos_edf *edf, const struct ssdqos_evq *heap)
{
	return heap->nr ? edf->by_id[ssdqos_evq_next_id(heap)] : NULL;
}

/**
 * struct edf_demand - what a guarantee takes
 * @util_ppm: part of the device time that it owns
 * @promised_ppm: of that, what was promised; the rest is margin
 * @cost_ns: of one request; 0 if the guarantee is device time
 */
struct edf_demand {
	u64 util_ppm;
	u64 promised_ppm;
	u32 cost_ns;
};

/* For how long a request uses up the maximum, in requests and in bytes. */
struct edf_limit_steps {
	u64 iops_ns;
	u64 bytes_ns;
};

struct ssdqos_cost_key edf_cost_key(const struct ssdqos_qos_stream_config *c,
				    const struct ssdqos_qos_drive_config *drive);
int edf_demand(const struct ssdqos_profile *p,
	       const struct ssdqos_qos_stream_config *c,
	       const struct ssdqos_qos_drive_config *drive,
	       struct edf_demand *d, char *err, u32 err_size);
void edf_load_init(struct ssdqos_edf_load *l,
		   const struct ssdqos_qos_drive_config *drive);
void edf_load_add(struct ssdqos_edf_load *l,
		  const struct ssdqos_qos_stream_config *c, u64 util_ppm);
void edf_load_of(const struct ssdqos_edf *edf,
		 const struct ssdqos_edf_stream *self,
		 const struct ssdqos_qos_drive_config *drive,
		 struct ssdqos_edf_load *l);
u32 edf_load_mix_permille(const struct ssdqos_profile *p,
			  const struct ssdqos_edf_load *l);
u64 edf_load_room_ppm(const struct ssdqos_profile *p,
		      const struct ssdqos_edf_load *l);
u64 edf_load_used(const struct ssdqos_profile *p,
		  const struct ssdqos_edf_load *l);
u64 edf_limit_ppm(const struct ssdqos_qos_drive_config *c);
u32 edf_asked_param(const struct ssdqos_qos_stream_config *c);
u64 edf_asked(const struct ssdqos_qos_stream_config *c);
struct ssdqos_qos_drive_config
edf_said_drive(const struct ssdqos_edf *edf,
	       const struct ssdqos_qos_config *cfg);
void edf_miss_begin(struct ssdqos_edf_stream *s, u64 parts);
u32 edf_miss_why(const struct ssdqos_edf_stream *s,
		 const struct ssdqos_watch_event *event,
		 const struct ssdqos_watch_span *span);
void edf_miss_count(struct ssdqos_edf_stream *s, u64 windows, u32 why);
u32 edf_windows_end(struct ssdqos_edf_stream *s, u64 now_ns,
		    struct ssdqos_watch_event *event);
void edf_windows_end_unheard(struct ssdqos_edf_stream *s, u64 now_ns);
u32 edf_window_half(struct ssdqos_edf_stream *s, u64 now_ns,
		    struct ssdqos_watch_event *event);
u32 edf_window_risk(struct ssdqos_edf_stream *s, u64 now_ns,
		    struct ssdqos_watch_event *event);
void edf_classify(struct ssdqos_edf_stream *s, struct ssdqos_edf_req *req,
		  u64 sector, u32 flags);
u32 edf_discard_cost(struct ssdqos_edf_stream *s,
		     const struct ssdqos_edf_req *req, u64 sector);
void edf_plateau_learn_anew(struct ssdqos_plateau *p);
void edf_plateau_see(struct ssdqos_plateau *p, u64 sent_ppm);
void edf_plateau_fell(struct ssdqos_edf *edf, u64 now_ns);
u64 edf_plateau_rise_ppm(struct ssdqos_edf *edf, u64 most_ppm);
void edf_pace_learn_anew(struct ssdqos_pace *p);
void edf_pace_init(struct ssdqos_pace *p);
void edf_pace_forget(const struct ssdqos_edf_stream *s);
u64 edf_pace_slow_wake_ns(const struct ssdqos_edf_stream *s, u32 cost_ns);
void edf_pace_sent(struct ssdqos_edf_req *req, u64 now_ns);
void edf_pace_owner_late(struct ssdqos_edf_stream *s, u32 cost_ns, u64 now_ns);
void edf_depth_slow(const struct ssdqos_profile *p,
		    const struct ssdqos_qos_stream_config *c,
		    const struct ssdqos_qos_drive_config *drive,
		    u32 slow_permille[SSDQOS_LOAD_DEPTHS]);
void edf_depth_reckon(struct ssdqos_edf *edf);
void edf_depth_behind(const struct ssdqos_edf_stream *s);
void edf_depth_end_step(struct ssdqos_edf *edf, u64 now_ns);
void edf_pace_end_step(struct ssdqos_edf *edf, u64 now_ns);
void edf_debt_learn_anew(struct ssdqos_debt *d);
void edf_debt_init(struct ssdqos_debt *d);
void edf_debt_reckon(struct ssdqos_edf *edf);
void edf_debt_end_step(struct ssdqos_edf *edf, u64 now_ns);
void edf_debt_owner_is_there(struct ssdqos_edf_stream *s);
void edf_away_init(struct ssdqos_away *a);
bool edf_away_is_overdrawn(const struct ssdqos_edf *edf, u64 now_ns);
void edf_away_end_step(struct ssdqos_edf *edf, u64 now_ns);
u64 edf_away_room_ppm(const struct ssdqos_edf *edf, u64 room_ppm);
void edf_away_is_back(struct ssdqos_edf_stream *s);
void edf_away_windows(struct ssdqos_edf_stream *s, const struct ssdqos_watch_count *count);
u32 edf_away_why(struct ssdqos_away *a);
void edf_lend_init(struct ssdqos_lend *l);
void edf_lend_begin(struct ssdqos_edf *edf);
void edf_lend_owner_is_there(struct ssdqos_edf_stream *s);
void edf_lend_owner(struct ssdqos_edf_stream *s, u64 step_ns);
bool edf_lend_is_scarce(const struct ssdqos_edf *edf);
void edf_lend_end_step(struct ssdqos_edf *edf);
u64 edf_lend_room_ppm(const struct ssdqos_edf *edf, u64 there_ppm);
void edf_lend_windows(struct ssdqos_edf_stream *s, const struct ssdqos_watch_count *count);
void edf_catch_up_begin(struct ssdqos_edf_stream *s);
void edf_catch_up_windows(struct ssdqos_edf_stream *s, const struct ssdqos_watch_count *count);
void edf_catch_up_rest(struct ssdqos_edf_stream *s);
u64 edf_catch_up_slack_ns(const struct ssdqos_edf_stream *s);
u64 edf_catch_up_got(struct ssdqos_edf_stream *s, u64 got, u64 step_ns);
void edf_order_reckon(struct ssdqos_edf *edf);
void edf_order_sent(struct ssdqos_edf *edf, const struct ssdqos_edf_req *req,
		    u64 now_ns);
void edf_debt_sent(struct ssdqos_edf *edf, const struct ssdqos_edf_req *req,
		   u64 now_ns);
struct ssdqos_edf_stream *edf_batch_next(struct ssdqos_edf *edf, u64 now_ns);
u32 edf_batch_right(const struct ssdqos_edf_stream *s);
void edf_batch_sent(struct ssdqos_edf *edf, const struct ssdqos_edf_req *req,
		    u64 now_ns);
bool edf_spare_may_go(const struct ssdqos_edf_stream *s, u64 now_ns);
void edf_lead_begin(struct ssdqos_edf_stream *s);
void edf_lead_forget(struct ssdqos_edf_stream *s, u64 lead_ns);
void edf_lead_is_late(struct ssdqos_edf_stream *s, u64 now_ns);
void edf_lead_learn(struct ssdqos_edf_stream *s, const struct ssdqos_watch_count *count);
struct ssdqos_miss_sums edf_miss_since(const struct ssdqos_edf_stream *s,
				       u32 part);
bool edf_miss_is_limited(const struct ssdqos_edf_stream *s,
			 const struct ssdqos_miss_sums *sums);
void edf_self_limited_count(struct ssdqos_edf_stream *s, const struct ssdqos_watch_count *count);
void edf_debt_forget(struct ssdqos_debt *d);
void edf_budget_begin(struct ssdqos_edf_stream *s);
u64 edf_budget_slack_ns(const struct ssdqos_edf_stream *s);
void edf_budget_count(struct ssdqos_edf_stream *s, const struct ssdqos_watch_count *count);
void edf_slump_begin(struct ssdqos_edf_stream *s);
void edf_slump_count(struct ssdqos_edf_stream *s, const struct ssdqos_watch_count *count);
s64 edf_lead_more_ns(const struct ssdqos_edf_stream *s, u64 own_ns);
void edf_lead_give(struct ssdqos_edf_stream *s, u64 own_ns);
void edf_lead_spare(struct ssdqos_edf_stream *s, u32 cost_ns);
u64 edf_lead_pay(struct ssdqos_edf_stream *s, u64 own_ns);
u64 edf_lead_start_ns(const struct ssdqos_edf_stream *s);
u64 edf_lead_reach_ns(const struct ssdqos_edf_stream *s, u64 now_ns);
u64 edf_spare_wake_ns(const struct ssdqos_edf_stream *s);
void edf_spare_catch_up(struct ssdqos_edf_stream *s,
			const struct ssdqos_edf_req *req);
u64 edf_virtual_ns(const struct ssdqos_edf_stream *s, u32 cost_ns);
void edf_spare_charge(struct ssdqos_edf_stream *s,
		      const struct ssdqos_edf_req *req);
void edf_spare_refund(struct ssdqos_edf_stream *s,
		      const struct ssdqos_edf_req *req);
void edf_spare_place(struct ssdqos_edf_stream *s);
void edf_spare_cancel(struct ssdqos_edf_stream *s);
bool edf_spare_is_held(const struct ssdqos_edf_stream *s, u64 now_ns);
struct ssdqos_edf_stream *edf_spare_first(struct ssdqos_edf *edf, u64 now_ns);
u64 edf_spare_due_ns(const struct ssdqos_edf *edf);
u64 edf_limit_ns(const struct ssdqos_edf_stream *s);
struct edf_limit_steps edf_limit_steps(const struct ssdqos_edf_stream *s,
				       const struct ssdqos_edf_req *req);
void edf_limit_charge(struct ssdqos_edf_stream *s,
		      const struct ssdqos_edf_req *req, u64 now_ns);
void edf_limit_refund(struct ssdqos_edf_stream *s,
		      const struct ssdqos_edf_req *req);
bool edf_waiting_add(struct ssdqos_edf_stream *s, struct ssdqos_edf_req *req);
struct ssdqos_edf_req *edf_waiting_take(struct ssdqos_edf_stream *s);
u32 edf_urgent_depth(const struct ssdqos_edf *edf);
u32 edf_urgent_waits(const struct ssdqos_edf_stream *s, u64 now_ns);
void edf_urgent_charge(struct ssdqos_edf_stream *s,
		       const struct ssdqos_edf_req *req, u64 now_ns);
void edf_urgent_refund(struct ssdqos_edf_stream *s,
		       const struct ssdqos_edf_req *req);
void edf_urgent_settle(struct ssdqos_edf_stream *s);
u64 edf_floor_ns(struct ssdqos_edf *edf, u64 credit_ns, u64 now_ns);
void edf_wake_group(struct ssdqos_edf *edf, u64 now_ns);
void edf_wake_due(struct ssdqos_edf *edf, u64 now_ns);
struct ssdqos_edf_stream *edf_group_turn(struct ssdqos_edf *edf, u64 now_ns);
void edf_place(struct ssdqos_edf_stream *s, u64 now_ns);
void edf_place_again(struct ssdqos_edf_stream *s, u64 now_ns);
void edf_place_group(struct ssdqos_edf *edf, u64 now_ns);
void edf_unplace(struct ssdqos_edf_stream *s);
void edf_share_rest(struct ssdqos_edf *edf);
void edf_forget(struct ssdqos_edf_stream *s);

/* ---- what each request asks, and mostly in vain ---- */

/*
 * edf_past_ns - what was not done before then is not made up for
 *
 * No window that is not over yet began earlier.
 */
static inline u64 edf_past_ns(const struct ssdqos_edf *edf, u64 now_ns)
{
	return now_ns - min(now_ns, edf->longest_ns);
}

/* Steps of the pace: longer than most requests take, shorter than any window by
 * far.
 */
#define EDF_PACE_STEP_NS 10000000ULL
/* Steps of the debt: long enough for a drive's answer to be seen, short against
 * the debt that a wrong rate can make.
 */
#define EDF_DEBT_STEP_NS 500000000ULL

/* The factors g and a are kept in parts of this. */
#define EDF_DEBT_ONE 1024ULL
#define EDF_DEBT_LEAST (EDF_DEBT_ONE / 16)	/* no promise is worth more to others */

/* Nobody waits longer than this for what others have sent, or written: a client's
 * own time-outs are at 30 s.
 */
#define EDF_MOST_WAIT_NS 10000000000ULL

/* The longest stop that an owner is early for: what lasts longer is the profile's
 * concern.
 */
#define EDF_LEAD_MOST_NS 2000000000ULL
/* Four windows that are missed make a lead the longest (lead.c). */
#define EDF_SLUMP_WINDOWS 4

/* No request came for so long: those that wait may be all that there is. */
#define EDF_QUIET_NS EDF_DEBT_STEP_NS

/*
 * edf_steps - let the rates of spare work follow, if a step is over
 */
static inline void edf_steps(struct ssdqos_edf *edf, u64 now_ns)
{
	if (unlikely(now_ns - edf->pace.step_ns >= EDF_PACE_STEP_NS))
		edf_pace_end_step(edf, now_ns);
	if (unlikely(now_ns - edf->debt.step_ns >= EDF_DEBT_STEP_NS))
		edf_debt_end_step(edf, now_ns);
}

/*
 * edf_pace_came - note whose request comes
 */
static inline void edf_pace_came(const struct ssdqos_edf_stream *s)
{
	struct ssdqos_pace *p = &s->edf->pace;

	if (p->came == s->id)
		return;
	p->came = p->came == SSDQOS_NIL ? s->id : SSDQOS_PACE_SEVERAL;
}

/*
 * edf_pace_is_for - is the rate low for this owner, and no other?
 *
 * Then its own spare work is not held back: it would never make up for what it
 * lacks.  Of several, each is in the way of the others.
 */
static inline bool edf_pace_is_for(const struct ssdqos_edf_stream *s)
{
	return s->edf->pace.late == s->id;
}

/*
 * edf_pace_wake_ns - when may spare work of a stream go?
 *
 * Return: time, in the past if at once; SSDQOS_NEVER_NS if some of it has to
 * be completed first.
 */
static inline u64 edf_pace_wake_ns(const struct ssdqos_edf_stream *s,
				   u32 cost_ns)
{
	return s->edf->pace.rate_ppm == SSDQOS_PACE_FREE ? 0 :
		edf_pace_slow_wake_ns(s, cost_ns);
}

/*
 * edf_window_got - part of its promise that a stream got in its last window that counts
 * @s: the stream
 * @most: no more than this
 *
 * Return: in EDF_DEBT_ONE.
 */
static inline u64 edf_window_got(const struct ssdqos_edf_stream *s, u64 most)
{
	const struct ssdqos_watch *w = &s->watch;

	return min(div64_u64(w->counted * EDF_DEBT_ONE, max(w->promise.amount, 1ULL)),
		   most);
}

/*
 * edf_missed_since - is that the first window that counts since something, and missed too much?
 * @s: the stream; its account knows of the windows
 * @since: that something was, and no window has counted since
 * @count: windows that have ended
 */
static inline bool edf_missed_since(const struct ssdqos_edf_stream *s, bool *since,
				    const struct ssdqos_watch_count *count)
{
	if (!*since || (!count->met && !count->missed))
		return false;
	*since = false;
	return count->missed && edf_is_overdrawn(s);
}

/*
 * edf_part_rise - a part that is learned grows
 * @part: in EDF_DEBT_ONE, all of it at the most
 * @rest: of what it has grown by, less than one
 * @divisor: by so much of itself
 */
static inline void edf_part_rise(u32 *part, u32 *rest, u32 divisor)
{
	*rest += *part;
	*part = min_t(u32, *part + *rest / divisor, EDF_DEBT_ONE);
	*rest %= divisor;
}

/*
 * edf_part_of - a part that is learned falls
 * @part: in EDF_DEBT_ONE
 * @of: to so much of itself, likewise
 *
 * Return: that, or the least that it may be.
 */
static inline u32 edf_part_of(u32 part, u64 of)
{
	return (u32)max(div64_u64(part * of, EDF_DEBT_ONE), EDF_DEBT_LEAST);
}

/*
 * edf_pace_excuse - pauses excuse no more than an owner is late
 * @s: the stream
 * @late_ns: S is so long ago
 *
 * What is beyond that, it had of what it is owed.
 */
static inline void edf_pace_excuse(struct ssdqos_edf_stream *s, u64 late_ns)
{
	if (s->paused_ns <= late_ns)
		return;
	s->owed_ns -= min(s->owed_ns, s->paused_ns - late_ns);
	s->paused_ns = late_ns;
}

/*
 * edf_pace_owner_paused - the client has not asked for all for a while
 * @s: the stream; S is what the idle rule will move on
 * @pause_ns: how long; before its first request, since the system was started
 * @now_ns: time
 */
static inline void edf_pace_owner_paused(struct ssdqos_edf_stream *s,
					 u64 pause_ns, u64 now_ns)
{
	u64 reach_ns;

	s->paused_ns += pause_ns;
	if (s->paused_ns) {
		reach_ns = edf_lead_reach_ns(s, now_ns);
		edf_pace_excuse(s, reach_ns - min(reach_ns, s->start_ns));
	}
	if (s->late_since_ns)
		s->late_since_ns += pause_ns;
}

/*
 * edf_debt_owner_came - a request comes of a stream that has none waiting
 *
 * Its time is not for spare writes any more, at once.
 */
static inline void edf_debt_owner_came(struct ssdqos_edf_stream *s)
{
	if (unlikely(s->util_ppm && !s->is_there))
		edf_debt_owner_is_there(s);
}

/*
 * edf_debt_holds - does a request have to wait for the debt?
 */
static inline bool edf_debt_holds(const struct ssdqos_edf_stream *s,
				  const struct ssdqos_edf_req *req)
{
	const struct ssdqos_edf *edf = s->edf;

	return edf->profile && req->kind == SSDQOS_EDF_KIND_WRITE &&
	       edf->cfg.drive_debt && !s->draining &&
	       edf->load.util_ppm[SSDQOS_QOS_READ] +
	       edf->load.util_ppm[SSDQOS_QOS_WRITE] != s->util_ppm;
}

/*
 * edf_order_until_ns - until when a spare write waits for others in order (order.c)
 *
 * Return: time, in the past if it doesn't.
 */
static inline u64 edf_order_until_ns(const struct ssdqos_edf_stream *s,
				     const struct ssdqos_edf_req *req)
{
	const struct ssdqos_debt *d = &s->edf->debt;

	return d->order_kib_ns && req->pattern == SSDQOS_QOS_SEQ ?
		       d->order_until_ns : 0;
}

/*
 * edf_debt_until_ns - until when a spare write that the debt holds has to wait
 */
static inline u64 edf_debt_until_ns(const struct ssdqos_edf_stream *s,
				    const struct ssdqos_edf_req *req)
{
	const struct ssdqos_debt *d = &s->edf->debt;

	return req->urgent ? d->urgent_until_ns :
			     max(d->until_ns, edf_order_until_ns(s, req));
}

/*
 * edf_pace_is_exhausted - was an owner behind in the last step, though spare work is at
 *	its least? (pace.c)
 */
static inline bool edf_pace_is_exhausted(const struct ssdqos_edf *edf)
{
	return edf->pace.was_behind && edf->pace.rate_ppm <= edf->group_ppm;
}

/*
 * edf_depth_is_least - does an owner wait in the drive, with as few requests there
 *	as there can be? (depth.c)
 */
static inline bool edf_depth_is_least(const struct ssdqos_edf *edf)
{
	return edf->depth.now == edf->depth.least &&
	       edf->depth.now < edf->cfg.drive_queue_depth;
}

/*
 * edf_is_slump - are windows missed for longer than any stop lasts? (slump.c)
 */
static inline bool edf_is_slump(const struct ssdqos_edf_stream *s)
{
	return s->slump.row_ns > EDF_LEAD_MOST_NS +
				 EDF_SLUMP_WINDOWS * s->watch.promise.window_ns;
}

/*
 * edf_lead_is_due - does a stream have to be early?
 *
 * Not as long as no window was missed for it.
 */
static inline bool edf_lead_is_due(const struct ssdqos_edf_stream *s)
{
	return s->lead_ns > s->lead_seen_ns;
}

/*
 * edf_lead_due_ns - up to which start a guarantee has to have paid at a time
 */
static inline u64 edf_lead_due_ns(const struct ssdqos_edf_stream *s, u64 now_ns)
{
	return edf_lead_is_due(s) ? edf_lead_reach_ns(s, now_ns) : now_ns;
}

/*
 * edf_pace_owner_came - a request comes of a stream that has none waiting
 * @s: the stream; S is what the idle rule made of it
 * @cost_ns: of the request
 * @now_ns: time
 */
static inline void edf_pace_owner_came(struct ssdqos_edf_stream *s, u32 cost_ns, u64 now_ns)
{
	if (!s->util_ppm || s->self_limited || !s->edf->cfg.drive_pace)
		return;
	if (s->start_ns < edf_lead_due_ns(s, now_ns))
		edf_pace_owner_late(s, cost_ns, now_ns);
	else
		s->late_since_ns = 0;
}

/*
 * edf_lead_lag - a guarantee pays for a request: how late?
 *
 * A stop that is longer than the lead leaves S in the past; who bore it has nothing to
 * learn.
 */
static inline void edf_lead_lag(struct ssdqos_edf_stream *s, u64 now_ns)
{
	if (now_ns > s->start_ns)
		edf_lead_is_late(s, now_ns);
}

/*
 * edf_lead_may_grant - is it not enough for a stream to be early? (lead.c)
 */
static inline bool edf_lead_may_grant(const struct ssdqos_edf_stream *s)
{
	return s->watch.promise.sliding || s->cfg.op == SSDQOS_QOS_WRITE;
}

/*
 * edf_lead_has_begun - does a guarantee pay for a stream's next request?
 *
 * It does so at S, or before that by no more than the lead.
 */
static inline bool edf_lead_has_begun(const struct ssdqos_edf_stream *s,
				      u64 now_ns)
{
	return s->start_ns <= now_ns ||
	       (s->start_ns <= now_ns + s->lead_ns &&
		edf_lead_start_ns(s) <= now_ns);
}

/*
 * edf_batch_is_on - do requests of one class go first?
 */
static inline bool edf_batch_is_on(const struct ssdqos_edf *edf, u64 now_ns)
{
	return edf->cfg.drive_batch_ms && edf->batch.class &&
	       now_ns < edf->batch.until_ns;
}

/*
 * edf_is_due - has edf_wake_due() something to do?
 */
static inline bool edf_is_due(const struct ssdqos_edf *edf, u64 now_ns)
{
	return ssdqos_evq_next_ns(&edf->limited) <= now_ns ||
	       ssdqos_evq_next_ns(&edf->early) <= now_ns;
}

/*
 * edf_is_limited - does its maximum hold a stream back?
 */
static inline bool edf_is_limited(const struct ssdqos_edf_stream *s, u64 now_ns)
{
	return max(s->limit_iops_ns, s->limit_bytes_ns) > now_ns &&
	       !s->draining && edf_limit_ns(s) > now_ns;
}

#endif /* SSDQOS_QOS_INTERNAL_H */
