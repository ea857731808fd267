// SPDX-License-Identifier: GPL-2.0
/*
 * change.c - guarantees, drives and profiles change
 *
 * What a change takes is reckoned before anything changes, and without the lock
 * under which requests pass: costs of a thousand streams take some ten milliseconds.
 * To commit it takes a step for each stream then.
 */
#include "asking_way.h"

/**
 * struct edf_reckoned - a stream as it is going to be
 * @s: the stream
 * @cfg: its parameters
 * @demand: what its guarantee takes
 * @slow_permille: likewise, with fewer requests at a time
 * @costs: of its requests
 */
struct edf_reckoned {
	struct ssdqos_edf_stream *s;
	struct ssdqos_qos_stream_config cfg;
	struct edf_demand demand;
	u32 slow_permille[SSDQOS_LOAD_DEPTHS];
	struct ssdqos_cost_table costs;
};

/**
 * struct ssdqos_edf_change - what is going to be
 * @edf: the drive
 * @drive: its parameters
 * @profile: its profile, or NULL
 * @is_profile: the profile changes
 * @nr: length of @streams
 * @streams: those that change
 */
struct ssdqos_edf_change {
	struct ssdqos_edf *edf;
	struct ssdqos_qos_drive_config drive;
	struct ssdqos_profile *profile;
	bool is_profile;
	u32 nr;
	struct edf_reckoned streams[];
};

static bool edf_has_rule(const struct ssdqos_edf_stream *s)
{
	return s->util_ppm || s->cfg.max_iops || s->cfg.max_mb_s ||
	       s->cfg.weight != SSDQOS_QOS_DEFAULT_WEIGHT;
}

/* Takes a stream out of all heaps, and its guarantee out of the drive's sums. */
static void edf_take_out(struct ssdqos_edf_stream *s)
{
	struct ssdqos_edf *edf = s->edf;

	edf_unplace(s);
	edf->nr_rules -= edf_has_rule(s);
}

/* The streams without a guarantee own more from now on: what they had was not reckoned so. */
static void edf_share_rest_anew(struct ssdqos_edf *edf, u64 now_ns)
{
	u32 group_ppm = edf->group_ppm;

	edf_share_rest(edf);
	if (edf->group_ppm > group_ppm)
		edf->group_start_ns = min(edf->group_start_ns,
					  edf_floor_ns(edf, 0, now_ns));
}

/*
 * edf_forget - a stream leaves: nobody has what it owned
 */
void edf_forget(struct ssdqos_edf_stream *s)
{
	edf_take_out(s);
	s->util_ppm = 0;
	edf_pace_forget(s);
	edf_share_rest_anew(s->edf, s->edf->drift.at_ns);
	edf_place_group(s->edf, s->edf->drift.at_ns);
}

static struct ssdqos_promise edf_promise(const struct ssdqos_edf_stream *s)
{
	const struct ssdqos_qos_stream_config *c = &s->cfg;
	u64 window_ns = c->window_ms * EDF_NS_PER_MS;
	struct ssdqos_promise p = { 0 };

	if (!s->util_ppm)
		return p;
	p.window_ns = window_ns;
	p.sliding = c->windows == SSDQOS_QOS_SLIDING;
	p.device_ns = div64_u64(window_ns, SSDQOS_QOS_PPM) * s->promised_ppm;
	if (c->min_iops) {
		p.unit = SSDQOS_WATCH_REQUESTS;
		p.amount = div64_u64(c->min_iops * c->window_ms, 1000);
		p.slack = 1;
	} else if (c->min_mb_s) {
		p.unit = SSDQOS_WATCH_BYTES;
		p.amount = div64_u64(c->min_mb_s * EDF_BYTES_PER_MB *
				     c->window_ms, 1000);
		p.slack = c->block_bytes;
	} else {
		p.unit = SSDQOS_WATCH_DEVICE_NS;
		p.amount = p.device_ns;
		p.slack = s->costs.ns[c->op][c->pattern][0];
	}
	return p;
}

static bool edf_same_promise(const struct ssdqos_promise *a,
			     const struct ssdqos_promise *b)
{
	return a->window_ns == b->window_ns && a->sliding == b->sliding &&
	       a->unit == b->unit && a->amount == b->amount &&
	       a->device_ns == b->device_ns && a->slack == b->slack;
}

/* Puts into the sums what a stream is from now on. */
static void edf_put_in(const struct edf_reckoned *e, u64 now_ns)
{
	struct ssdqos_edf_stream *s = e->s;
	struct ssdqos_edf *edf = s->edf;

	/* level with the others: it would wait behind all that they lack */
	if (!s->util_ppm)
		s->start_ns = edf_floor_ns(edf, 0, now_ns);
	if (e->cfg.max_iops != s->cfg.max_iops)
		s->limit_iops_ns = 0;
	if (e->cfg.max_mb_s != s->cfg.max_mb_s)
		s->limit_bytes_ns = 0;
	s->cfg = e->cfg;
	s->util_ppm = (u32)e->demand.util_ppm;
	s->promised_ppm = (u32)e->demand.promised_ppm;
	s->promise_cost_ns = e->demand.cost_ns;
	edf_asking_reckon(s);
	memcpy(s->slow_permille, e->slow_permille, sizeof(s->slow_permille));
	s->costs = e->costs;
	s->piece_bytes = max_t(u32, SSDQOS_EDF_PIECE_BYTES, e->cfg.block_bytes);
	edf->nr_rules += edf_has_rule(s);
}

/* Nothing is owed to a stream, or by it: S, and what was counted since, is of what was
 * promised before.  In the step of the debt that goes on it has not asked for this promise.
 */
static void edf_level(struct ssdqos_edf_stream *s, u64 now_ns)
{
	s->start_ns = edf_floor_ns(s->edf, 0, now_ns);
	s->owed_ns = 0;
	s->paused_ns = 0;
	s->late_since_ns = 0;
	s->asking.credit_ns = 0;
	s->step_work_ns = 0;
	s->step_idle_ns = now_ns - s->edf->debt.step_ns;
	s->has_come = true;
}

/* ... and into the heaps; a new promise begins with nothing owed. */
static void edf_begin(struct ssdqos_edf_stream *s, u64 now_ns)
{
	struct ssdqos_promise promise = edf_promise(s);

	if (!edf_same_promise(&promise, &s->watch.promise)) {
		ssdqos_watch_promise(&s->watch, &promise, now_ns);
		edf_miss_begin(s, SSDQOS_WATCH_PARTS);
		edf_level(s, now_ns);
		edf_lead_begin(s);
		edf_budget_begin(s);
		edf_slump_begin(s);
		edf_catch_up_begin(s);
		if (!s->util_ppm)
			edf_pace_forget(s);
		s->self_limited = false;
		edf_urgent_settle(s);
	}
	if (s->queued)
		edf_place(s, now_ns);
}

/* Another mode, or batches: others may take spare time, or go by another sum. */
static void edf_place_all(struct ssdqos_edf *edf, u64 now_ns)
{
	struct ssdqos_edf_stream *s;

	for (s = edf->streams; s; s = s->next)
		if (s->queued)
			edf_place(s, now_ns);
}

/* ---- reckoning ---- */

/* The sums if all guarantees but one were reckoned anew; -EINVAL if one makes
 * no sense then.
 */
static int edf_sum(const struct ssdqos_edf *edf,
		   const struct ssdqos_profile *profile,
		   const struct ssdqos_qos_drive_config *drive,
		   const struct ssdqos_edf_stream *self,
		   struct ssdqos_edf_load *load, char *err, u32 err_size)
{
	const struct ssdqos_edf_stream *s;
	struct edf_demand d;

	edf_load_init(load, drive);
	for (s = edf->streams; s; s = s->next) {
		if (s == self)
			continue;
		if (edf_demand(profile, &s->cfg, drive, &d, err, err_size))
			return -EINVAL;
		edf_load_add(load, &s->cfg, d.util_ppm);
	}
	return 0;
}

/* Less too much than now is always possible; who is promised less, and who keeps
 * less for those without a promise, both make it so.
 */
static bool edf_is_too_much(const struct ssdqos_edf *edf,
			    const struct ssdqos_qos_drive_config *drive,
			    u64 used_ppm)
{
	u64 limit_ppm = edf_limit_ppm(drive);

	return !drive->drive_overcommit && used_ppm > limit_ppm &&
	       used_ppm + edf_limit_ppm(&edf->cfg) >
		       ssdqos_edf_used_ppm(edf) + limit_ppm;
}

/**
 * struct edf_plan - a change that makes sense and fits
 * @drive: the drive's parameters
 * @demand: what the stream's guarantee takes
 * @anew: what all guarantees are reckoned with changes; or 0, else the number
 *	of the parameter
 */
struct edf_plan {
	struct ssdqos_qos_drive_config drive;
	struct edf_demand demand;
	u32 anew;
};

/* Which parameter of the drive changes that all guarantees are reckoned with? */
static u32 edf_anew(const struct ssdqos_qos_drive_config *old,
		    const struct ssdqos_qos_drive_config *new)
{
	if (new->drive_queue_depth != old->drive_queue_depth)
		return SSDQOS_QOS_P_drive_queue_depth;
	if (new->drive_margin_permille != old->drive_margin_permille)
		return SSDQOS_QOS_P_drive_margin_permille;
	return 0;
}

/* Which parameter is it that makes it too much? */
static u32 edf_to_blame(const struct ssdqos_edf_stream *s,
			const struct edf_plan *plan,
			const struct ssdqos_qos_stream_config *c)
{
	if (plan->anew)
		return plan->anew;
	if (plan->demand.util_ppm <= s->util_ppm &&
	    edf_limit_ppm(&plan->drive) < edf_limit_ppm(&s->edf->cfg))
		return SSDQOS_QOS_P_drive_best_effort_permille;
	return edf_asked_param(c);
}

static int edf_refuse(const struct ssdqos_edf_stream *s,
		      const struct edf_plan *plan, u64 used_ppm,
		      const struct ssdqos_qos_stream_config *c, char *err,
		      u32 err_size)
{
	struct ssdqos_qos_config all = { .stream = *c, .drive = plan->drive };
	u32 param = edf_to_blame(s, plan, c);

	scnprintf(err, err_size,
		  "%s: '%llu' would make guarantees take %llu ppm of the device time, and %llu ppm can be reserved",
		  ssdqos_qos_params[param].name,
		  *ssdqos_qos_config_value(&all, param), used_ppm, edf_limit_ppm(&plan->drive));
	return -ENOSPC;
}

/* All that is reckoned before anything changes. */
static int edf_make_plan(const struct ssdqos_edf_stream *s,
			 const struct ssdqos_qos_config *cfg,
			 struct edf_plan *plan, char *err, u32 err_size)
{
	const struct ssdqos_edf *edf = s->edf;
	struct ssdqos_qos_config all = { .stream = cfg->stream };
	struct ssdqos_edf_load load;
	u64 used;

	plan->drive = edf_said_drive(edf, cfg);
	plan->anew = edf_anew(&edf->cfg, &plan->drive);
	/* what others have said holds, too */
	all.drive = plan->drive;
	if (ssdqos_qos_config_check(&all, err, err_size) ||
	    edf_demand(edf->profile, &cfg->stream, &plan->drive, &plan->demand,
		       err, err_size))
		return -EINVAL;
	edf_load_of(edf, s, &plan->drive, &load);
	if (plan->anew &&
	    edf_sum(edf, edf->profile, &plan->drive, s, &load, err, err_size))
		return -EINVAL;
	edf_load_add(&load, &cfg->stream, plan->demand.util_ppm);
	used = edf_load_used(edf->profile, &load);
	if (edf_is_too_much(edf, &plan->drive, used))
		return edf_refuse(s, plan, used, &cfg->stream, err, err_size);
	return 0;
}

/**
 * ssdqos_edf_check - would ssdqos_edf_set() succeed?
 * @s: the stream
 * @cfg: all parameters of the stream; the drive's count if they are given
 * @err: gets one sentence if not
 * @err_size: its size
 *
 * Changes nothing.  Context: caller serialises; as ssdqos_edf_set().
 * Return: what ssdqos_edf_set() would.
 */
int ssdqos_edf_check(const struct ssdqos_edf_stream *s,
		     const struct ssdqos_qos_config *cfg, char *err,
		     u32 err_size)
{
	struct edf_plan plan;

	return edf_make_plan(s, cfg, &plan, err, err_size);
}

/* A change of so many streams; NULL if there is no memory. */
static struct ssdqos_edf_change *change_alloc(struct ssdqos_edf *edf, u32 nr,
					      char *err, u32 err_size)
{
	struct ssdqos_edf_change *c;

	c = ssdqos_env_alloc(sizeof(*c) + (u64)nr * sizeof(c->streams[0]));
	if (c)
		c->edf = edf;
	else
		scnprintf(err, err_size,
			  "no memory to reckon the costs of %u streams", nr);
	return c;
}

/* It makes sense, as somebody has asked before. */
static void change_reckon(struct ssdqos_edf_change *c,
			  struct ssdqos_edf_stream *s,
			  const struct ssdqos_qos_stream_config *cfg)
{
	struct edf_reckoned *e = &c->streams[c->nr++];
	const struct ssdqos_cost_key key = edf_cost_key(cfg, &c->drive);
	char unused[1];

	e->s = s;
	e->cfg = *cfg;
	edf_demand(c->profile, cfg, &c->drive, &e->demand, unused,
		   sizeof(unused));
	edf_depth_slow(c->profile, cfg, &c->drive, e->slow_permille);
	ssdqos_profile_costs(c->profile, &key, &e->costs);
}

/**
 * ssdqos_edf_prepare_set - reckon what ssdqos_edf_set() would change
 * @s: the stream
 * @cfg: all parameters of the stream; the drive's count if they are given
 * @change: gets the change, for ssdqos_edf_commit() and ssdqos_edf_end_change()
 * @err: gets one sentence on failure
 * @err_size: its size
 *
 * Changes nothing.  Until the change is committed, no other may be, and no
 * stream come or go; requests may.
 * Context: may sleep; some thousand steps, for each stream if the drive's queue
 * depth changes.
 * Return: 0; -EINVAL if it makes no sense; -ENOSPC if it doesn't fit; -ENOMEM.
 */
int ssdqos_edf_prepare_set(struct ssdqos_edf_stream *s,
			   const struct ssdqos_qos_config *cfg,
			   struct ssdqos_edf_change **change, char *err,
			   u32 err_size)
{
	struct ssdqos_edf *edf = s->edf;
	struct ssdqos_edf_stream *each;
	struct ssdqos_edf_change *c;
	struct edf_plan plan;
	int r = edf_make_plan(s, cfg, &plan, err, err_size);

	if (r)
		return r;
	c = change_alloc(edf, plan.anew ? edf->nr_streams : 1, err, err_size);
	if (!c)
		return -ENOMEM;
	c->drive = plan.drive;
	c->profile = edf->profile;
	change_reckon(c, s, &cfg->stream);
	for (each = edf->streams; each && plan.anew; each = each->next)
		if (each != s)
			change_reckon(c, each, &each->cfg);
	*change = c;
	return 0;
}

/**
 * ssdqos_edf_prepare_profile - reckon what another profile would change
 * @edf: the drive
 * @profile: the new one, or NULL for none; the drive's when it is committed
 * @change: as with ssdqos_edf_prepare_set()
 * @err: gets one sentence on failure
 * @err_size: its size
 *
 * The guarantees stay as they are; what they take is reckoned anew and has to
 * fit, as with ssdqos_edf_set().
 * Context: as with ssdqos_edf_prepare_set(); some thousand steps a stream.
 * Return: 0; -EINVAL if a guarantee can't be had with it; -ENOSPC if they
 * don't fit together; -ENOMEM.
 */
int ssdqos_edf_prepare_profile(struct ssdqos_edf *edf,
			       struct ssdqos_profile *profile,
			       struct ssdqos_edf_change **change, char *err,
			       u32 err_size)
{
	struct ssdqos_edf_change *c;
	struct ssdqos_edf_stream *s;
	struct ssdqos_edf_load load;
	u64 used;

	if (edf_sum(edf, profile, &edf->cfg, NULL, &load, err, err_size))
		return -EINVAL;
	used = edf_load_used(profile, &load);
	if (edf_is_too_much(edf, &edf->cfg, used)) {
		scnprintf(err, err_size,
			  "profile: with it guarantees would take %llu ppm of the device time, and %llu ppm can be reserved",
			  used, edf_limit_ppm(&edf->cfg));
		return -ENOSPC;
	}
	c = change_alloc(edf, edf->nr_streams, err, err_size);
	if (!c)
		return -ENOMEM;
	c->drive = edf->cfg;
	c->profile = profile;
	c->is_profile = true;
	for (s = edf->streams; s; s = s->next)
		change_reckon(c, s, &s->cfg);
	*change = c;
	return 0;
}

/* ---- changing ---- */

/**
 * ssdqos_edf_commit - put a change in force
 * @c: the change
 * @now_ns: time
 *
 * Context: caller serialises; some hundred nanoseconds for each stream that
 * changes.  ssdqos_edf_next() has to be called then.
 * Return: the profile that is no longer used, NULL if there is none.
 */
struct ssdqos_profile *ssdqos_edf_commit(const struct ssdqos_edf_change *c,
					 u64 now_ns)
{
	struct ssdqos_edf *edf = c->edf;
	struct ssdqos_profile *old = edf->profile;
	const struct ssdqos_qos_drive_config was = edf->cfg;
	u32 i;

	for (i = 0; i < c->nr; i++) {
		edf_take_out(c->streams[i].s);
		edf_put_in(&c->streams[i], now_ns);
	}
	edf->cfg = c->drive;
	edf->profile = c->profile;
	if (c->is_profile) {
		edf_pace_learn_anew(&edf->pace);
		edf_debt_learn_anew(&edf->debt);
	}
	edf_share_rest_anew(edf, now_ns);
	edf_place_group(edf, now_ns);
	for (i = 0; i < c->nr; i++)
		edf_begin(c->streams[i].s, now_ns);
	if (edf->cfg.drive_mode != was.drive_mode ||
	    !edf->cfg.drive_batch_ms != !was.drive_batch_ms)
		edf_place_all(edf, now_ns);
	if (!c->is_profile)
		return NULL;
	ssdqos_drift_restart(&edf->drift, now_ns);
	return old;
}

/**
 * ssdqos_edf_changed_drive - how the drive will be run
 * @c: the change
 *
 * Return: its parameters, until ssdqos_edf_end_change().
 */
const struct ssdqos_qos_drive_config *
ssdqos_edf_changed_drive(const struct ssdqos_edf_change *c)
{
	return &c->drive;
}

/**
 * ssdqos_edf_end_change - a change was committed, or won't be
 * @c: the change
 *
 * Context: may sleep.
 */
void ssdqos_edf_end_change(struct ssdqos_edf_change *c)
{
	ssdqos_env_free(c);
}

/**
 * ssdqos_edf_set - change a stream, and what is given of its drive
 * @s: the stream
 * @cfg: all parameters of the stream; the drive's count if they are given
 * @now_ns: time
 * @err: gets one sentence on failure
 * @err_size: its size
 *
 * All or nothing.  A guarantee that doesn't fit is refused, unless the drive
 * allows overcommitment, or it takes less than now.
 * Context: caller serialises; may sleep.  ssdqos_edf_next() has to be called
 * then.
 * Return: what ssdqos_edf_prepare_set() does.
 */
int ssdqos_edf_set(struct ssdqos_edf_stream *s,
		   const struct ssdqos_qos_config *cfg, u64 now_ns, char *err,
		   u32 err_size)
{
	struct ssdqos_edf_change *c;
	int r = ssdqos_edf_prepare_set(s, cfg, &c, err, err_size);

	if (r)
		return r;
	ssdqos_edf_commit(c, now_ns);
	ssdqos_edf_end_change(c);
	return 0;
}

/**
 * ssdqos_edf_set_profile - take another profile
 * @edf: the drive
 * @profile: the new one, or NULL for none; gets the one that is no longer used
 * @now_ns: time
 * @err: gets one sentence on failure
 * @err_size: its size
 *
 * Context: as ssdqos_edf_set().
 * Return: what ssdqos_edf_prepare_profile() does.
 */
int ssdqos_edf_set_profile(struct ssdqos_edf *edf,
			   struct ssdqos_profile **profile, u64 now_ns,
			   char *err, u32 err_size)
{
	struct ssdqos_edf_change *c;
	int r = ssdqos_edf_prepare_profile(edf, *profile, &c, err, err_size);

	if (r)
		return r;
	*profile = ssdqos_edf_commit(c, now_ns);
	ssdqos_edf_end_change(c);
	return 0;
}
