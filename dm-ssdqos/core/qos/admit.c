// SPDX-License-Identifier: GPL-2.0
/*
 * admit.c - guarantees: what they cost, and whether they fit
 *
 * A rate r of requests of one class, whose cost at the promise's window and
 * confidence is e, takes the part u = r e of the device time (the paper,
 * section 4.2).  Guarantees fit as long as
 *
 *	(sum of u + best effort) x mix <= 1
 *
 * where mix is what the profile says of reads and writes together (load.c).
 * Parts are rounded up, and a rate owns a margin beyond what it promises.
 *
 * A read waits in the drive behind what others have there.  With all of the
 * drive's queue depth in use, who has d of Q requests there at a time gets no
 * more than d / Q of its time, however early it goes; so a promise of reads
 * needs a client with u Q at a time.  Writes end in the drive's buffer.
 */
#include "internal.h"

#define PPM SSDQOS_QOS_PPM
/* ns of device time per second, as parts per million of it */
#define NS_PER_PPM 1000ULL
/* A part beyond this is refused or overcommitted beyond reason. */
#define MAX_UTIL_PPM 1000000000ULL
#define BITS_OF_MOST 27		/* 2^27 is above the highest rate there is */

static u64 admit_div_up(u64 n, u64 by)
{
	return div64_u64(n + by - 1, by);
}

/* Part of the device time for a rate at a cost. */
static u64 admit_promised(const struct ssdqos_qos_stream_config *c, u32 cost_ns)
{
	u64 util_ppm;

	if (c->min_iops)
		util_ppm = admit_div_up(c->min_iops * cost_ns, NS_PER_PPM);
	else
		util_ppm = admit_div_up(c->min_mb_s * (EDF_BYTES_PER_MB /
					NS_PER_PPM) * cost_ns, c->block_bytes);
	return min(util_ppm, MAX_UTIL_PPM);
}

/* ... and with what is owned beyond that. */
static u64 admit_util(const struct ssdqos_qos_stream_config *c, u32 cost_ns,
		      u64 margin_permille)
{
	u64 util_ppm = admit_promised(c, cost_ns) *
		(SSDQOS_QOS_PERMILLE + margin_permille);

	return min(admit_div_up(util_ppm, SSDQOS_QOS_PERMILLE), MAX_UTIL_PPM);
}

static const char *admit_name(u32 param, u64 value)
{
	return ssdqos_qos_params[param].choices[value];
}

/*
 * edf_asked_param - which parameter is the guarantee
 */
u32 edf_asked_param(const struct ssdqos_qos_stream_config *c)
{
	if (c->min_iops)
		return SSDQOS_QOS_P_min_iops;
	return c->min_mb_s ? SSDQOS_QOS_P_min_mb_s : SSDQOS_QOS_P_util_ppm;
}

u64 edf_asked(const struct ssdqos_qos_stream_config *c)
{
	return c->min_iops ? c->min_iops : c->min_mb_s ? c->min_mb_s :
							 c->util_ppm;
}

/*
 * edf_cost_key - with which of a profile's costs a stream is reckoned
 *
 * A client with few requests at a time gets no more than a drive that has no
 * more of them.
 */
struct ssdqos_cost_key edf_cost_key(const struct ssdqos_qos_stream_config *c,
				    const struct ssdqos_qos_drive_config *drive)
{
	u64 depth = drive->drive_queue_depth;

	return (struct ssdqos_cost_key){
		.window_ms = c->window_ms,
		.confidence_permille = c->confidence_permille,
		.depth = c->iodepth ? min(c->iodepth, depth) : depth,
	};
}

/* Cost of a promised request, SSDQOS_COST_NONE if none can be promised. */
static u32 admit_cost(const struct ssdqos_profile *p,
		      const struct ssdqos_qos_stream_config *c,
		      const struct ssdqos_qos_drive_config *drive,
		      u64 window_ms)
{
	struct ssdqos_cost_key key = edf_cost_key(c, drive);

	key.window_ms = window_ms;
	return ssdqos_profile_promise(p, &key, (u32)c->op, (u32)c->pattern,
				      (u32)c->block_bytes);
}

/* Says from which window on something can be promised. */
static void admit_say_window(const struct ssdqos_profile *p,
			     const struct ssdqos_qos_stream_config *c,
			     const struct ssdqos_qos_drive_config *drive,
			     char *err, u32 err_size)
{
	u32 i = 0;

	while (i < p->nr_windows &&
	       admit_cost(p, c, drive, p->window_ms[i]) == SSDQOS_COST_NONE)
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

/*
 * edf_demand - what a guarantee takes
 *
 * Return: 0, or -EINVAL if it can't be had, as @err says.
 */
int edf_demand(const struct ssdqos_profile *p,
	       const struct ssdqos_qos_stream_config *c,
	       const struct ssdqos_qos_drive_config *drive,
	       struct edf_demand *d, char *err, u32 err_size)
{
	*d = (struct edf_demand){
		.util_ppm = c->util_ppm, .promised_ppm = c->util_ppm,
	};
	if (!c->min_iops && !c->min_mb_s)
		return 0;
	if (!p) {
		scnprintf(err, err_size,
			  "%s: '%llu' needs a profile of the drive; load one, or reserve device time with util_ppm",
			  ssdqos_qos_params[edf_asked_param(c)].name,
			  edf_asked(c));
		return -EINVAL;
	}
	d->cost_ns = admit_cost(p, c, drive, c->window_ms);
	if (d->cost_ns == SSDQOS_COST_NONE) {
		admit_say_window(p, c, drive, err, err_size);
		return -EINVAL;
	}
	d->promised_ppm = admit_promised(c, d->cost_ns);
	d->util_ppm = admit_util(c, d->cost_ns, drive->drive_margin_permille);
	return 0;
}

u64 edf_limit_ppm(const struct ssdqos_qos_drive_config *c)
{
	return (SSDQOS_QOS_PERMILLE - c->drive_best_effort_permille) *
	       (PPM / SSDQOS_QOS_PERMILLE);
}

static u64 admit_free(u64 limit_ppm, u64 used_ppm)
{
	return limit_ppm - min(limit_ppm, used_ppm);
}

/**
 * ssdqos_edf_used_ppm - device time that guarantees take together
 * @edf: the drive
 *
 * Return: parts per million, corrected for the mixture of reads and writes.
 */
u64 ssdqos_edf_used_ppm(const struct ssdqos_edf *edf)
{
	return edf_load_used(edf->profile, &edf->load);
}

/**
 * ssdqos_edf_free_ppm - device time that guarantees can take yet
 * @edf: the drive
 *
 * Return: parts per million.
 */
u64 ssdqos_edf_free_ppm(const struct ssdqos_edf *edf)
{
	return admit_free(edf_limit_ppm(&edf->cfg), ssdqos_edf_used_ppm(edf));
}

/* ---- would it fit? ---- */

/* A question: these guarantees of others, this one of one stream. */
struct edf_question {
	const struct ssdqos_profile *profile;
	struct ssdqos_edf_load others;
	u64 limit_ppm;
	const struct ssdqos_qos_drive_config *drive;
};

/* What a guarantee would take at a cost. */
static u64 question_util(const struct edf_question *q,
			 const struct ssdqos_qos_stream_config *c, u32 cost_ns)
{
	if (c->util_ppm)
		return c->util_ppm;
	return admit_util(c, cost_ns, q->drive->drive_margin_permille);
}

static u64 question_used(const struct edf_question *q,
			 const struct ssdqos_qos_stream_config *c, u64 util_ppm)
{
	struct ssdqos_edf_load load = q->others;

	edf_load_add(&load, c, util_ppm);
	return edf_load_used(q->profile, &load);
}

/* The highest rate at this cost that fits, or the largest part of the device
 * time, by halving.
 */
static u64 question_most(const struct edf_question *q,
			 struct ssdqos_qos_stream_config c, u32 cost_ns)
{
	u64 most = 0, *asked = c.min_iops ? &c.min_iops :
			       c.min_mb_s ? &c.min_mb_s : &c.util_ppm;
	u64 max_asked = ssdqos_qos_params[edf_asked_param(&c)].max;
	int bit;

	for (bit = BITS_OF_MOST - 1; bit >= 0; bit--) {
		*asked = most | 1ULL << bit;
		if (*asked <= max_asked &&
		    question_used(q, &c,
				  question_util(q, &c, cost_ns)) <=
			    q->limit_ppm)
			most = *asked;
	}
	return most;
}

/* The shortest measured window in which it fits; 0 is none. */
static u32 question_window(const struct edf_question *q,
			   struct ssdqos_qos_stream_config c)
{
	u32 i, cost_ns;

	for (i = 0; i < q->profile->nr_windows; i++) {
		c.window_ms = q->profile->window_ms[i];
		cost_ns = admit_cost(q->profile, &c, q->drive, c.window_ms);
		if (cost_ns != SSDQOS_COST_NONE &&
		    question_used(q, &c, question_util(q, &c, cost_ns)) <=
			    q->limit_ppm)
			return q->profile->window_ms[i];
	}
	return 0;
}

/* Requests at a time, without which a drive that is full keeps no promise. */
static u64 question_depth(const struct edf_question *q,
			  const struct ssdqos_qos_stream_config *c, u64 util_ppm)
{
	if (c->op != SSDQOS_QOS_READ)
		return 0;
	return c->iodepth ? c->iodepth :
		admit_div_up(util_ppm * q->drive->drive_queue_depth, PPM);
}

/* Says what the cost comes from. */
static void question_source(const struct edf_question *q,
			    const struct ssdqos_qos_stream_config *c,
			    struct ssdqos_edf_answer *a)
{
	const struct ssdqos_cost_key key = edf_cost_key(c, q->drive);
	struct ssdqos_cost_source source;

	if (!ssdqos_profile_source(q->profile, &key, (u32)c->op,
				   (u32)c->pattern, (u32)c->block_bytes,
				   &source))
		return;
	a->asked_depth = key.depth;
	a->from_pattern = source.pattern;
	a->from_bytes = source.bytes;
	a->from_bytes_to = source.bytes_to;
	a->from_window_ms = source.window_ms;
	a->from_depth = source.depth;
	a->from_depth_to = source.depth_to;
	a->from_confidence_permille = source.confidence_permille;
}

static u64 question_left(u64 used_ppm)
{
	return PPM - min_t(u64, used_ppm, PPM);
}

/* Says what it costs others. */
static void question_others(const struct edf_question *q,
			    const struct ssdqos_edf_load *with, u64 used_ppm,
			    struct ssdqos_edf_answer *a)
{
	a->spare_write_before_ppm = edf_load_room_ppm(q->profile, &q->others);
	a->spare_write_ppm = edf_load_room_ppm(q->profile, with);
	a->left_before_ppm = question_left(used_ppm);
	a->left_ppm = question_left(a->used_ppm);
}

/* Says whose guarantee is the largest; of several, the oldest. */
static void question_largest(const struct ssdqos_edf *edf,
			     const struct ssdqos_edf_stream *self,
			     struct ssdqos_edf_answer *a)
{
	const struct ssdqos_edf_stream *s;

	for (s = edf->streams; s; s = s->next) {
		if (s == self || !s->util_ppm || s->util_ppm < a->largest_ppm)
			continue;
		a->largest_ppm = s->util_ppm;
		a->largest = s;
	}
}

/* What there is with this load, and without a promise to look at. */
static void question_begin(const struct edf_question *q,
			   const struct ssdqos_edf_load *with,
			   struct ssdqos_edf_answer *a)
{
	u64 used = edf_load_used(q->profile, &q->others);

	*a = (struct ssdqos_edf_answer){
		.used_ppm = edf_load_used(q->profile, with),
		.free_ppm = admit_free(q->limit_ppm, used),
		.mix_factor_permille = edf_load_mix_permille(q->profile, with),
		.from_pattern = SSDQOS_QOS_NR_PATTERNS,
	};
	question_others(q, with, used, a);
}

static void question_answer(const struct edf_question *q,
			    const struct ssdqos_qos_stream_config *c,
			    const struct edf_demand *d,
			    struct ssdqos_edf_answer *a)
{
	struct ssdqos_edf_load load = q->others;

	edf_load_add(&load, c, d->util_ppm);
	question_begin(q, &load, a);
	a->util_ppm = d->util_ppm;
	a->cost_ns = d->cost_ns;
	a->least_depth = question_depth(q, c, d->util_ppm);
	a->fits = a->used_ppm <= q->limit_ppm;
	if (c->min_iops)
		a->fit_iops = question_most(q, *c, d->cost_ns);
	if (c->min_mb_s)
		a->fit_mb_s = question_most(q, *c, d->cost_ns);
	if (c->util_ppm)
		a->fit_util_ppm = question_most(q, *c, 0);
	if (!c->min_iops && !c->min_mb_s)
		return;
	a->fit_window_ms = question_window(q, *c);
	question_source(q, c, a);
}

/* The profile promises nothing of the kind in such windows: nothing changes, and
 * another window may do.
 */
static void question_nothing(const struct edf_question *q,
			     const struct ssdqos_qos_stream_config *c,
			     struct ssdqos_edf_answer *a)
{
	question_begin(q, &q->others, a);
	a->fit_window_ms = question_window(q, *c);
}

struct ssdqos_qos_drive_config
edf_said_drive(const struct ssdqos_edf *edf, const struct ssdqos_qos_config *cfg)
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
 * Changes nothing.  The answer says with what device time, what that rests
 * on, what it costs others, and what would fit.  What the profile promises nothing
 * of does not fit.
 * Context: caller serialises; some thousand steps.
 * Return: 0 or -EINVAL.
 */
int ssdqos_edf_admit(const struct ssdqos_edf *edf,
		     const struct ssdqos_edf_stream *self,
		     const struct ssdqos_qos_config *cfg,
		     struct ssdqos_edf_answer *answer, char *err, u32 err_size)
{
	struct ssdqos_qos_drive_config drive = edf_said_drive(edf, cfg);
	struct ssdqos_qos_config all = { .stream = cfg->stream };
	struct edf_question q = {
		.profile = edf->profile,
		.limit_ppm = edf_limit_ppm(&drive),
		.drive = &drive,
	};
	struct edf_demand d;

	all.drive = drive;
	if (ssdqos_qos_config_check(&all, err, err_size))
		return -EINVAL;
	edf_load_of(edf, self, &drive, &q.others);
	if (!edf_demand(edf->profile, &cfg->stream, &drive, &d, err, err_size))
		question_answer(&q, &cfg->stream, &d, answer);
	else if (edf->profile)
		question_nothing(&q, &cfg->stream, answer);
	else
		return -EINVAL;
	question_largest(edf, self, answer);
	return 0;
}

static const char *const answer_names[] = {
#define A(name) #name,
	SSDQOS_EDF_ANSWERS(A)
#undef A
};

/**
 * ssdqos_edf_answer_format - an answer as text
 * @a: the answer
 * @buf: gets "key=value ...", less than a KiB; @largest is the caller's to name
 * @size: its size
 *
 * Return: number of characters.
 */
int ssdqos_edf_answer_format(const struct ssdqos_edf_answer *a, char *buf,
			     u32 size)
{
	const u64 *value = (const u64 *)a;
	int len = 0;
	u32 i;

	for (i = 0; i < ARRAY_SIZE(answer_names); i++)
		len += scnprintf(buf + len, size - (u32)len, "%s=%llu ",
				 answer_names[i], value[i]);
	return len + scnprintf(buf + len, size - (u32)len, "from_pattern=%s",
			       a->from_pattern < SSDQOS_QOS_NR_PATTERNS ?
			       admit_name(SSDQOS_QOS_P_pattern, a->from_pattern) :
			       "none");
}
