// SPDX-License-Identifier: GPL-2.0
/*
 * admit.c - guarantees: what they cost, whether they fit, how they change
 *
 * A rate r of requests of one class, whose cost at the promise's window and
 * confidence is e, takes the part u = r e of the device time (the paper,
 * section 4.2).  Guarantees fit as long as
 *
 *	(sum of u) x mix <= 1 - best effort
 *
 * where mix is what the profile says of reads and writes together, by the
 * parts that the guarantees of each take.  Parts are rounded up.
 */
#include "internal.h"

#define PPM SSDQOS_QOS_PPM
/* ns of device time per second, as parts per million of it */
#define NS_PER_PPM 1000ULL
/* A part beyond this is refused or overcommitted beyond reason. */
#define MAX_UTIL_PPM 1000000000ULL
#define BITS_OF_RATE 27		/* 2^27 is above the highest rate there is */

/**
 * struct edf_demand - what a guarantee takes
 * @util_ppm: part of the device time
 * @cost_ns: of one request; 0 if the guarantee is device time
 */
struct edf_demand {
	u64 util_ppm;
	u32 cost_ns;
};

static u64 admit_div_up(u64 n, u64 by)
{
	return div64_u64(n + by - 1, by);
}

/* Part of the device time for a rate at a cost. */
static u64 admit_util(const struct ssdqos_qos_stream_config *c, u32 cost_ns)
{
	u64 util_ppm;

	if (c->min_iops)
		util_ppm = admit_div_up(c->min_iops * cost_ns, NS_PER_PPM);
	else
		util_ppm = admit_div_up(c->min_mb_s * (EDF_BYTES_PER_MB /
					NS_PER_PPM) * cost_ns, c->block_bytes);
	return min(util_ppm, MAX_UTIL_PPM);
}

static const char *admit_name(u32 param, u64 value)
{
	return ssdqos_qos_params[param].choices[value];
}

/* Which parameter is the guarantee. */
static u32 admit_param(const struct ssdqos_qos_stream_config *c)
{
	if (c->min_iops)
		return SSDQOS_QOS_P_min_iops;
	return c->min_mb_s ? SSDQOS_QOS_P_min_mb_s : SSDQOS_QOS_P_util_ppm;
}

static u64 admit_value(const struct ssdqos_qos_stream_config *c)
{
	return c->min_iops ? c->min_iops : c->min_mb_s ? c->min_mb_s :
							 c->util_ppm;
}

/* Cost of a promised request, SSDQOS_COST_NONE if none can be promised. */
static u32 admit_cost(const struct ssdqos_profile *p,
		      const struct ssdqos_qos_stream_config *c, u64 depth,
		      u64 window_ms)
{
	const struct ssdqos_cost_key key = {
		.window_ms = window_ms,
		.confidence_permille = c->confidence_permille,
		.depth = depth,
	};

	return ssdqos_profile_promise(p, &key, (u32)c->op, (u32)c->pattern,
				      (u32)c->block_bytes);
}

/* Says from which window on something can be promised. */
static void admit_say_window(const struct ssdqos_profile *p,
			     const struct ssdqos_qos_stream_config *c,
			     u64 depth, char *err, u32 err_size)
{
	u32 i = 0;

	while (i < p->nr_windows &&
	       admit_cost(p, c, depth, p->window_ms[i]) == SSDQOS_COST_NONE)
		i++;
	if (i < p->nr_windows)
		scnprintf(err, err_size,
			  "window_ms: '%llu' is too short to promise a %s %s of %llu bytes, the profile allows %u and more",
			  c->window_ms, admit_name(SSDQOS_QOS_P_pattern,
						   c->pattern),
			  admit_name(SSDQOS_QOS_P_op, c->op), c->block_bytes,
			  p->window_ms[i]);
	else
		scnprintf(err, err_size,
			  "window_ms: in no window of the profile can a %s %s of %llu bytes be promised",
			  admit_name(SSDQOS_QOS_P_pattern, c->pattern),
			  admit_name(SSDQOS_QOS_P_op, c->op), c->block_bytes);
}

static int admit_demand(const struct ssdqos_profile *p,
			const struct ssdqos_qos_stream_config *c, u64 depth,
			struct edf_demand *d, char *err, u32 err_size)
{
	*d = (struct edf_demand){ .util_ppm = c->util_ppm };
	if (!c->min_iops && !c->min_mb_s)
		return 0;
	if (!p) {
		scnprintf(err, err_size,
			  "%s: '%llu' needs a profile of the drive; load one, or reserve device time with util_ppm",
			  ssdqos_qos_params[admit_param(c)].name,
			  admit_value(c));
		return -EINVAL;
	}
	d->cost_ns = admit_cost(p, c, depth, c->window_ms);
	if (d->cost_ns == SSDQOS_COST_NONE) {
		admit_say_window(p, c, depth, err, err_size);
		return -EINVAL;
	}
	d->util_ppm = admit_util(c, d->cost_ns);
	return 0;
}

static u64 admit_used(const struct ssdqos_profile *p, const u64 *util_ppm)
{
	u64 sum = util_ppm[SSDQOS_QOS_READ] + util_ppm[SSDQOS_QOS_WRITE];

	return admit_div_up(sum * ssdqos_profile_mix_permille(p,
				util_ppm[SSDQOS_QOS_READ],
				util_ppm[SSDQOS_QOS_WRITE]),
			    SSDQOS_QOS_PERMILLE);
}

static u64 admit_limit(const struct ssdqos_qos_drive_config *c)
{
	return (SSDQOS_QOS_PERMILLE - c->drive_best_effort_permille) *
	       (PPM / SSDQOS_QOS_PERMILLE);
}

/**
 * ssdqos_edf_used_ppm - device time that guarantees take together
 * @edf: the drive
 *
 * Return: parts per million, corrected for the mixture of reads and writes.
 */
u64 ssdqos_edf_used_ppm(const struct ssdqos_edf *edf)
{
	return admit_used(edf->profile, edf->util_ppm);
}

/**
 * ssdqos_edf_free_ppm - device time that guarantees can take yet
 * @edf: the drive
 *
 * Return: parts per million.
 */
u64 ssdqos_edf_free_ppm(const struct ssdqos_edf *edf)
{
	u64 used = ssdqos_edf_used_ppm(edf), limit = admit_limit(&edf->cfg);

	return used < limit ? limit - used : 0;
}

/* ---- would it fit? ---- */

/* A question: these guarantees of others, this one of one stream. */
struct edf_question {
	const struct ssdqos_profile *profile;
	u64 others_ppm[SSDQOS_QOS_NR_OPS];
	u64 limit_ppm;
	u64 depth;
};

static u64 question_used(const struct edf_question *q, u32 op, u64 util_ppm)
{
	u64 sum[SSDQOS_QOS_NR_OPS];

	memcpy(sum, q->others_ppm, sizeof(sum));
	sum[op] += util_ppm;
	return admit_used(q->profile, sum);
}

/* The highest rate at this cost that fits, by halving. */
static u64 question_rate(const struct edf_question *q,
			 struct ssdqos_qos_stream_config c, u32 cost_ns)
{
	u64 rate = 0, *asked = c.min_iops ? &c.min_iops : &c.min_mb_s;
	u64 max_rate = c.min_iops ? SSDQOS_QOS_MAX_IOPS : SSDQOS_QOS_MAX_MB_S;
	int bit;

	for (bit = BITS_OF_RATE - 1; bit >= 0; bit--) {
		*asked = rate | 1ULL << bit;
		if (*asked <= max_rate &&
		    question_used(q, (u32)c.op, admit_util(&c, cost_ns)) <=
			    q->limit_ppm)
			rate = *asked;
	}
	return rate;
}

/* The shortest measured window in which it fits; 0 is none. */
static u32 question_window(const struct edf_question *q,
			   const struct ssdqos_qos_stream_config *c)
{
	u32 i, cost_ns;

	for (i = 0; i < q->profile->nr_windows; i++) {
		cost_ns = admit_cost(q->profile, c, q->depth,
				     q->profile->window_ms[i]);
		if (cost_ns != SSDQOS_COST_NONE &&
		    question_used(q, (u32)c->op, admit_util(c, cost_ns)) <=
			    q->limit_ppm)
			return q->profile->window_ms[i];
	}
	return 0;
}

static void question_answer(const struct edf_question *q,
			    const struct ssdqos_qos_stream_config *c,
			    const struct edf_demand *d,
			    struct ssdqos_edf_answer *a)
{
	u64 used = admit_used(q->profile, q->others_ppm);
	u64 sum[SSDQOS_QOS_NR_OPS];

	memcpy(sum, q->others_ppm, sizeof(sum));
	sum[c->op] += d->util_ppm;
	*a = (struct ssdqos_edf_answer){
		.util_ppm = (u32)d->util_ppm,
		.used_ppm = admit_used(q->profile, sum),
		.free_ppm = used < q->limit_ppm ? q->limit_ppm - used : 0,
		.mix_permille = ssdqos_profile_mix_permille(q->profile,
			sum[SSDQOS_QOS_READ], sum[SSDQOS_QOS_WRITE]),
		.cost_ns = d->cost_ns,
	};
	a->fits = a->used_ppm <= q->limit_ppm;
	if (c->min_iops)
		a->fit_iops = question_rate(q, *c, d->cost_ns);
	if (c->min_mb_s)
		a->fit_mb_s = question_rate(q, *c, d->cost_ns);
	if (c->min_iops || c->min_mb_s)
		a->fit_window_ms = question_window(q, c);
}

static struct ssdqos_qos_drive_config
admit_drive(const struct ssdqos_edf *edf, const struct ssdqos_qos_config *cfg)
{
	struct ssdqos_qos_config all = { .drive = edf->cfg };
	struct ssdqos_qos_config said = *cfg;
	u32 i;

	for (i = SSDQOS_QOS_NR_STREAM_PARAMS; i < SSDQOS_QOS_NR_PARAMS; i++)
		if (cfg->given & (1ULL << i))
			*ssdqos_qos_config_value(&all, i) =
				*ssdqos_qos_config_value(&said, i);
	return all.drive;
}

/**
 * ssdqos_edf_admit - would a guarantee fit?
 * @edf: the drive
 * @self: the stream whose guarantee it replaces, or NULL for a new stream
 * @cfg: what is asked for; the drive's parameters count if they are given
 * @answer: filled if the question makes sense
 * @err: gets one sentence if it doesn't
 * @err_size: its size
 *
 * Changes nothing.  The answer says with what device time, and what would fit.
 * Context: caller serialises; some thousand steps.
 * Return: 0 or -EINVAL.
 */
int ssdqos_edf_admit(const struct ssdqos_edf *edf,
		     const struct ssdqos_edf_stream *self,
		     const struct ssdqos_qos_config *cfg,
		     struct ssdqos_edf_answer *answer, char *err, u32 err_size)
{
	struct ssdqos_qos_drive_config drive = admit_drive(edf, cfg);
	struct edf_question q = {
		.profile = edf->profile,
		.limit_ppm = admit_limit(&drive),
		.depth = drive.drive_queue_depth,
	};
	struct edf_demand d;

	if (ssdqos_qos_config_check(cfg, err, err_size) ||
	    admit_demand(edf->profile, &cfg->stream, q.depth, &d, err,
			 err_size))
		return -EINVAL;
	memcpy(q.others_ppm, edf->util_ppm, sizeof(q.others_ppm));
	if (self)
		q.others_ppm[self->cfg.op] -= self->util_ppm;
	question_answer(&q, &cfg->stream, &d, answer);
	return 0;
}

/* ---- changes ---- */

static bool edf_has_rule(const struct ssdqos_edf_stream *s)
{
	return s->util_ppm || s->cfg.max_iops || s->cfg.max_mb_s ||
	       s->cfg.weight != SSDQOS_QOS_DEFAULT_WEIGHT;
}

/* Takes a stream's guarantee and its place out of the drive's sums and heaps. */
void edf_forget(struct ssdqos_edf_stream *s)
{
	struct ssdqos_edf *edf = s->edf;

	edf_unplace(s);
	edf->util_ppm[s->cfg.op] -= s->util_ppm;
	edf->nr_rules -= edf_has_rule(s);
	edf_share_rest(edf);
}

static struct ssdqos_promise edf_promise(const struct ssdqos_edf_stream *s)
{
	const struct ssdqos_qos_stream_config *c = &s->cfg;
	u64 window_ns = c->window_ms * EDF_NS_PER_MS;
	struct ssdqos_promise p = { 0 };

	if (!s->util_ppm)
		return p;
	p.window_ns = window_ns;
	p.device_ns = div64_u64(window_ns, PPM) * s->util_ppm;
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
	return a->window_ns == b->window_ns && a->unit == b->unit &&
	       a->amount == b->amount && a->device_ns == b->device_ns &&
	       a->slack == b->slack;
}

/* Puts a guarantee in force. */
static void edf_apply(struct ssdqos_edf_stream *s,
		      const struct ssdqos_qos_stream_config *cfg,
		      const struct edf_demand *d, u64 now_ns)
{
	struct ssdqos_edf *edf = s->edf;
	struct ssdqos_promise promise;
	bool owned = s->util_ppm;

	edf_forget(s);
	edf_place_group(edf, now_ns);
	if (cfg->max_iops != s->cfg.max_iops)
		s->limit_iops_ns = 0;
	if (cfg->max_mb_s != s->cfg.max_mb_s)
		s->limit_bytes_ns = 0;
	s->cfg = *cfg;
	s->util_ppm = (u32)d->util_ppm;
	s->promise_cost_ns = d->cost_ns;
	edf_recost(s);
	edf->util_ppm[s->cfg.op] += s->util_ppm;
	edf->nr_rules += edf_has_rule(s);
	edf_share_rest(edf);
	if (!owned)
		s->start_ns = now_ns;
	promise = edf_promise(s);
	if (!edf_same_promise(&promise, &s->watch.promise)) {
		ssdqos_watch_promise(&s->watch, &promise, now_ns);
		s->owed_ns = 0;
		edf_urgent_settle(s);
	}
	if (s->queued)
		edf_place(s, now_ns);
}

/* The sums if all guarantees but one were reckoned anew; -EINVAL if one makes
 * no sense then.
 */
static int edf_sum(const struct ssdqos_edf *edf,
		   const struct ssdqos_profile *profile, u64 depth,
		   const struct ssdqos_edf_stream *self, u64 *util_ppm,
		   char *err, u32 err_size)
{
	const struct ssdqos_edf_stream *s;
	struct edf_demand d;

	util_ppm[SSDQOS_QOS_READ] = 0;
	util_ppm[SSDQOS_QOS_WRITE] = 0;
	for (s = edf->streams; s; s = s->next) {
		if (s == self)
			continue;
		if (admit_demand(profile, &s->cfg, depth, &d, err, err_size))
			return -EINVAL;
		util_ppm[s->cfg.op] += d.util_ppm;
	}
	return 0;
}

/* The sums without a stream, as they stand. */
static void edf_sum_others(const struct ssdqos_edf_stream *self, u64 *util_ppm)
{
	memcpy(util_ppm, self->edf->util_ppm, sizeof(self->edf->util_ppm));
	util_ppm[self->cfg.op] -= self->util_ppm;
}

/* All streams with the profile and the depth that hold now; they make sense. */
static void edf_apply_all(struct ssdqos_edf *edf, u64 now_ns)
{
	struct ssdqos_edf_stream *s;
	struct edf_demand d;
	char unused[1];

	for (s = edf->streams; s; s = s->next) {
		const struct ssdqos_qos_stream_config c = s->cfg;

		admit_demand(edf->profile, &c, edf->cfg.drive_queue_depth, &d,
			     unused, sizeof(unused));
		edf_apply(s, &c, &d, now_ns);
	}
}

/* Another mode: others may take spare time. */
static void edf_place_all(struct ssdqos_edf *edf, u64 now_ns)
{
	struct ssdqos_edf_stream *s;

	for (s = edf->streams; s; s = s->next)
		if (s->queued)
			edf_place(s, now_ns);
}

/* Less than now is always possible. */
static bool edf_is_too_much(const struct ssdqos_edf *edf,
			    const struct ssdqos_qos_drive_config *drive,
			    u64 used_ppm)
{
	return !drive->drive_overcommit && used_ppm > admit_limit(drive) &&
	       used_ppm > ssdqos_edf_used_ppm(edf);
}

/**
 * struct edf_plan - a change that makes sense and fits
 * @drive: the drive's parameters
 * @demand: what the stream's guarantee takes
 * @deeper: all guarantees are reckoned anew, for another queue depth
 */
struct edf_plan {
	struct ssdqos_qos_drive_config drive;
	struct edf_demand demand;
	bool deeper;
};

static int edf_refuse(const struct edf_plan *plan, u64 used_ppm,
		      const struct ssdqos_qos_stream_config *c, char *err,
		      u32 err_size)
{
	u32 param = plan->deeper ? SSDQOS_QOS_P_drive_queue_depth :
				   admit_param(c);

	scnprintf(err, err_size,
		  "%s: '%llu' would make guarantees take %llu ppm of the device time, and %llu ppm can be reserved",
		  ssdqos_qos_params[param].name,
		  plan->deeper ? plan->drive.drive_queue_depth : admit_value(c),
		  used_ppm, admit_limit(&plan->drive));
	return -ENOSPC;
}

/* All that is reckoned before anything changes. */
static int edf_make_plan(const struct ssdqos_edf_stream *s,
			 const struct ssdqos_qos_config *cfg,
			 struct edf_plan *plan, char *err, u32 err_size)
{
	const struct ssdqos_edf *edf = s->edf;
	u64 sum[SSDQOS_QOS_NR_OPS], depth, used;

	plan->drive = admit_drive(edf, cfg);
	depth = plan->drive.drive_queue_depth;
	plan->deeper = depth != edf->cfg.drive_queue_depth;
	if (ssdqos_qos_config_check(cfg, err, err_size) ||
	    admit_demand(edf->profile, &cfg->stream, depth, &plan->demand, err,
			 err_size))
		return -EINVAL;
	edf_sum_others(s, sum);
	if (plan->deeper &&
	    edf_sum(edf, edf->profile, depth, s, sum, err, err_size))
		return -EINVAL;
	sum[cfg->stream.op] += plan->demand.util_ppm;
	used = admit_used(edf->profile, sum);
	if (edf_is_too_much(edf, &plan->drive, used))
		return edf_refuse(plan, used, &cfg->stream, err, err_size);
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
 * Context: caller serialises; some thousand steps, for each stream if the
 * drive's queue depth changes.  ssdqos_edf_next() has to be called then.
 * Return: 0; -EINVAL if it makes no sense; -ENOSPC if it doesn't fit.
 */
int ssdqos_edf_set(struct ssdqos_edf_stream *s,
		   const struct ssdqos_qos_config *cfg, u64 now_ns, char *err,
		   u32 err_size)
{
	struct ssdqos_edf *edf = s->edf;
	u64 old_mode = edf->cfg.drive_mode;
	struct edf_plan plan;
	int r = edf_make_plan(s, cfg, &plan, err, err_size);

	if (r)
		return r;
	edf->cfg = plan.drive;
	edf_apply(s, &cfg->stream, &plan.demand, now_ns);
	if (plan.deeper)
		edf_apply_all(edf, now_ns);
	else if (plan.drive.drive_mode != old_mode)
		edf_place_all(edf, now_ns);
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
 * The guarantees stay as they are; what they take is reckoned anew and has to
 * fit, as in ssdqos_edf_set().
 * Context: caller serialises; some thousand steps for each stream.
 * Return: 0; -EINVAL if a guarantee can't be had with it; -ENOSPC if they
 * don't fit together.
 */
int ssdqos_edf_set_profile(struct ssdqos_edf *edf,
			   struct ssdqos_profile **profile, u64 now_ns,
			   char *err, u32 err_size)
{
	struct ssdqos_profile *old = edf->profile;
	u64 sum[SSDQOS_QOS_NR_OPS], used;

	if (edf_sum(edf, *profile, edf->cfg.drive_queue_depth, NULL, sum, err,
		    err_size))
		return -EINVAL;
	used = admit_used(*profile, sum);
	if (edf_is_too_much(edf, &edf->cfg, used)) {
		scnprintf(err, err_size,
			  "profile: with it guarantees would take %llu ppm of the device time, and %llu ppm can be reserved",
			  used, admit_limit(&edf->cfg));
		return -ENOSPC;
	}
	edf->profile = *profile;
	*profile = old;
	edf_apply_all(edf, now_ns);
	ssdqos_drift_restart(&edf->drift, now_ns);
	return 0;
}
