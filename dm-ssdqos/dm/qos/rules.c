// SPDX-License-Identifier: GPL-2.0
/*
 * rules.c - what clients are promised: change it, ask, look at it
 *
 * Whatever comes by table line, message or sysfs arrives here.  Nothing
 * changes if anything is wrong, and @err says in one sentence what it is.
 */
#include <linux/mm.h>
#include <linux/slab.h>

#include "drive.h"
#include "print.h"
#include "trace.h"

/* What is in force now, with nothing given.  @mutex is held. */
static void qos_rules_get(const struct qos_stream *st,
			  struct ssdqos_qos_config *cfg)
{
	lockdep_assert_held(&st->drive->mutex);
	cfg->stream = qos_stream_owner(st)->cfg;
	cfg->drive = st->drive->edf.reads->cfg;
	cfg->given = 0;
}

static void qos_rules_trace(const struct qos_stream *st)
{
	const struct ssdqos_edf *edf = qos_stream_owner(st)->edf;

	if (trace_ssdqos_qos_share_reserved_enabled())
		trace_ssdqos_qos_share_reserved(st, ssdqos_edf_used_ppm(edf),
						ssdqos_edf_free_ppm(edf));
}

/* ---- drive_locked: who may change the drive ---- */

/* A value that is in force already may be said again.  @mutex is held. */
static int qos_rules_check_owner(const struct qos_stream *st,
				 const struct ssdqos_qos_config *cfg, char *err)
{
	struct ssdqos_qos_config old, new = *cfg;
	u32 i;

	qos_rules_get(st, &old);
	for (i = SSDQOS_QOS_NR_STREAM_PARAMS; i < SSDQOS_QOS_NR_PARAMS; i++)
		if (cfg->given & BIT_ULL(i) &&
		    *ssdqos_qos_config_value(&old, i) !=
		    *ssdqos_qos_config_value(&new, i))
			return qos_owner_may_change(st, ssdqos_qos_params[i].name,
							  err);
	return 0;
}

/* ---- change ---- */

/* @mutex is held. */
static int qos_rules_put(struct qos_stream *st,
			 const struct ssdqos_qos_config *cfg, char *err)
{
	struct qos_drive *d = st->drive;
	u32 util_ppm = qos_stream_owner(st)->util_ppm;
	struct ssdqos_apart_change change;
	struct qos_trim_batch *batch;
	u64 now_ns;
	int r;

	r = qos_rules_check_owner(st, cfg, err);
	if (r)
		return r;
	/* the mutex is enough to reckon; requests pass meanwhile */
	r = ssdqos_apart_prepare_set(&d->edf, &st->edf, cfg, &change, err,
				     QOS_ERR_BYTES);
	if (r)
		return r;
	r = qos_trim_prepare(d, ssdqos_edf_changed_drive(change.reads), &batch,
			     err);
	if (r)
		goto out;
	now_ns = qos_ready_change_begin(d);
	ssdqos_apart_commit(&change, now_ns);
	batch = qos_trim_commit(d, batch, now_ns);
	qos_ready_set(st, now_ns);
	qos_io_change_end(d, now_ns);
	qos_trim_drop(batch);
out:
	ssdqos_apart_end_change(&change);
	if (r)
		return r;
	qos_owner_set(st);
	if (qos_stream_owner(st)->util_ppm != util_ppm)
		qos_rules_trace(st);
	return 0;
}

static bool qos_rules_same(const struct qos_stream *st,
			   const struct ssdqos_qos_config *cfg)
{
	struct ssdqos_qos_config old, new = *cfg;
	u32 i;

	qos_rules_get(st, &old);
	for (i = 0; i < SSDQOS_QOS_NR_PARAMS; i++)
		if ((i < SSDQOS_QOS_NR_STREAM_PARAMS || cfg->given & BIT_ULL(i)) &&
		    *ssdqos_qos_config_value(&old, i) !=
		    *ssdqos_qos_config_value(&new, i))
			return false;
	return true;
}

/**
 * qos_rules_check - would qos_rules_apply() succeed now?
 * @st: the stream
 * @cfg: its parameters; those of the drive count if they are given
 * @err: QOS_ERR_BYTES for one sentence if not
 *
 * Context: may sleep.
 * Return: 0 or a negative error.
 */
int qos_rules_check(struct qos_stream *st, const struct ssdqos_qos_config *cfg,
		    char *err)
{
	unsigned int noio = qos_drive_lock(st->drive);
	int r = 0;

	if (!qos_rules_same(st, cfg))
		r = qos_rules_check_owner(st, cfg, err);
	if (!r && !qos_rules_same(st, cfg))
		r = ssdqos_apart_check(&st->drive->edf, &st->edf, cfg, err,
				       QOS_ERR_BYTES);
	qos_drive_unlock(st->drive, noio);
	return r;
}

/**
 * qos_rules_apply - put a table line in force
 * @st: the stream
 * @cfg: its parameters; those of the drive count if they are given
 * @err: QOS_ERR_BYTES for one sentence on failure
 *
 * A line that is in force already changes nothing.  Context: may sleep.
 * Return: 0 or a negative error.
 */
int qos_rules_apply(struct qos_stream *st, const struct ssdqos_qos_config *cfg,
		    char *err)
{
	unsigned int noio = qos_drive_lock(st->drive);
	int r = 0;

	if (!qos_rules_same(st, cfg))
		r = qos_rules_put(st, cfg, err);
	if (!r)
		qos_life_begin(st->drive);
	qos_drive_unlock(st->drive, noio);
	return r;
}

/* @argv: keys and values */
static int qos_rules_parse(struct ssdqos_qos_config *cfg, unsigned int argc,
			   char **argv, char *err)
{
	unsigned int i;
	int r;

	if (!argc || argc % 2) {
		scnprintf(err, QOS_ERR_BYTES,
			  "'%s': every parameter needs a value",
			  argc ? argv[argc - 1] : "");
		return -EINVAL;
	}
	for (i = 0; i < argc; i += 2) {
		r = ssdqos_qos_config_set(cfg, argv[i], argv[i + 1], err,
					  QOS_ERR_BYTES);
		if (r < 0)
			return -EINVAL;
	}
	return 0;
}

/**
 * qos_rules_set - change parameters, all or none
 * @st: the stream
 * @argc: length of @argv
 * @argv: keys and values
 * @err: QOS_ERR_BYTES for one sentence on failure
 *
 * Context: may sleep.
 * Return: 0 or a negative error.
 */
int qos_rules_set(struct qos_stream *st, unsigned int argc, char **argv,
		  char *err)
{
	unsigned int noio = qos_drive_lock(st->drive);
	struct ssdqos_qos_config cfg;
	int r;

	qos_rules_get(st, &cfg);
	r = qos_rules_parse(&cfg, argc, argv, err);
	if (!r)
		r = qos_rules_put(st, &cfg, err);
	if (!r)
		qos_life_begin(st->drive);
	qos_drive_unlock(st->drive, noio);
	return r;
}

/**
 * qos_rules_admit - would a new stream get this guarantee?
 * @st: a stream of the drive
 * @argc: length of @argv
 * @argv: keys and values of the new stream
 * @buf: gets the answer as text if the question makes sense
 * @size: its size
 * @err: QOS_ERR_BYTES for one sentence if not
 *
 * Context: may sleep.
 * Return: 0 or a negative error.
 */
int qos_rules_admit(struct qos_stream *st, unsigned int argc, char **argv,
		    char *buf, unsigned int size, char *err)
{
	unsigned int noio = qos_drive_lock(st->drive);
	struct ssdqos_edf_answer answer;
	struct ssdqos_qos_config cfg;
	int r;

	ssdqos_qos_config_init(&cfg);
	r = qos_rules_parse(&cfg, argc, argv, err);
	if (!r)
		r = ssdqos_edf_admit(cfg.stream.op == SSDQOS_QOS_WRITE ?
				     ssdqos_apart_writes(&st->drive->edf) :
				     st->drive->edf.reads, NULL, &cfg, &answer,
				     err, QOS_ERR_BYTES);
	/* under the mutex: the stream with the largest guarantee may go */
	if (!r)
		qos_answer_print(st->drive, &answer, buf, size);
	qos_drive_unlock(st->drive, noio);
	return r;
}

/* The words as one text again. */
static char *qos_rules_join(unsigned int argc, char **argv)
{
	size_t bytes = 1;
	char *text, *to;
	unsigned int i;

	for (i = 0; i < argc; i++)
		bytes += strlen(argv[i]) + 1;
	text = kvmalloc(bytes, GFP_NOIO);
	if (!text)
		return NULL;
	for (i = 0, to = text; i < argc; i++)
		to += scnprintf(to, bytes - (to - text), "%s ", argv[i]);
	return text;
}

static int qos_rules_put_profile(struct qos_drive *d,
				 struct ssdqos_profile **profile, char *err)
{
	struct ssdqos_apart_change change;
	const struct qos_stream *each;
	u64 now_ns;
	int r;

	lockdep_assert_held(&d->mutex);
	r = ssdqos_apart_prepare_profile(&d->edf, *profile, &change, err,
					 QOS_ERR_BYTES);
	if (r)
		return r;
	now_ns = qos_io_change_begin(d);
	*profile = ssdqos_apart_commit(&change, now_ns);
	qos_io_change_end(d, now_ns);
	ssdqos_apart_end_change(&change);
	/* what guarantees take has been reckoned anew */
	list_for_each_entry(each, &d->streams, list)
		qos_rules_trace(each);
	return 0;
}

/**
 * qos_rules_profile - give the drive a profile, or take it away
 * @st: a stream of the drive
 * @argc: length of @argv
 * @argv: words of the profile, or "none"
 * @err: QOS_ERR_BYTES for one sentence on failure
 *
 * Context: may sleep.
 * Return: 0 or a negative error.
 */
int qos_rules_profile(struct qos_stream *st, unsigned int argc, char **argv,
		      char *err)
{
	unsigned int noio = qos_drive_lock(st->drive);
	struct ssdqos_profile *profile = NULL;
	char *text = NULL;
	int r = qos_owner_may_change(st, "profile", err);

	if (!r && (argc != 1 || strcmp(argv[0], "none"))) {
		text = qos_rules_join(argc, argv);
		if (text)
			profile = ssdqos_profile_parse(text, err,
						       QOS_ERR_BYTES);
		else
			scnprintf(err, QOS_ERR_BYTES,
				  "no memory for a profile");
		r = profile ? 0 : -EINVAL;
	}
	if (!r)
		r = qos_rules_put_profile(st->drive, &profile, err);
	/* the one that is not used: the old one, or the refused one */
	ssdqos_profile_free(profile);
	kvfree(text);
	qos_drive_unlock(st->drive, noio);
	return r;
}

/**
 * qos_rules_reset_stats - count a stream's requests from zero
 * @st: the stream
 *
 * Context: may sleep.
 */
void qos_rules_reset_stats(struct qos_stream *st)
{
	unsigned int noio = qos_drive_lock(st->drive);

	spin_lock_irq(&st->drive->lock);
	ssdqos_apart_reset_stats(&st->drive->edf, &st->edf);
	memset(&st->ready.stats, 0, sizeof(st->ready.stats));
	spin_unlock_irq(&st->drive->lock);
	st->since_reset = (struct qos_counts){ };
	qos_io_add_counts(st, &st->since_reset);
	qos_drive_unlock(st->drive, noio);
}

/**
 * qos_rules_config - parameters in force
 * @st: the stream
 * @cfg: filled, with nothing given
 *
 * Context: may sleep.
 */
void qos_rules_config(struct qos_stream *st, struct ssdqos_qos_config *cfg)
{
	unsigned int noio = qos_drive_lock(st->drive);

	qos_rules_get(st, cfg);
	qos_drive_unlock(st->drive, noio);
}

/**
 * qos_rules_owns - has this stream locked the drive?
 * @st: the stream
 *
 * Return: true if so.
 */
bool qos_rules_owns(const struct qos_stream *st)
{
	return READ_ONCE(st->drive->owner) == st;
}

/* What passed without the scheduler counts, too.  @mutex is held. */
static void qos_rules_add_direct(const struct qos_stream *st,
				 struct qos_stats *stats)
{
	const struct qos_counts *old = &st->since_reset;
	struct ssdqos_edf_stats *s = &stats->edf;
	u64 nr[SSDQOS_EDF_NR_KINDS];
	struct qos_counts sum = { };
	u32 i;

	qos_io_add_counts(st, &sum);
	stats->direct = 0;
	for (i = 0; i < SSDQOS_EDF_NR_KINDS; i++) {
		nr[i] = sum.nr[i] - old->nr[i];
		stats->direct += nr[i];
	}
	s->reads += nr[SSDQOS_EDF_KIND_READ];
	s->writes += nr[SSDQOS_EDF_KIND_WRITE];
	s->discards += nr[SSDQOS_EDF_KIND_DISCARD];
	s->flushes += nr[SSDQOS_EDF_KIND_FLUSH];
	s->read_bytes += sum.read_bytes - old->read_bytes;
	s->write_bytes += sum.write_bytes - old->write_bytes;
}

/* @lock is held; windows that have ended are counted. */
static void qos_rules_get_stats(struct qos_stream *st, u64 now_ns,
				struct qos_stats *stats)
{
	struct qos_trim_look trim;

	lockdep_assert_held(&st->drive->lock);
	qos_watch_tick(st, now_ns);
	ssdqos_apart_stats(&st->drive->edf, &st->edf, &stats->edf);
	stats->ready = st->ready.stats;
	qos_trim_look(st->drive, now_ns, &trim);
	stats->trim = trim.stats;
}

/**
 * qos_rules_stats - counters of a stream
 * @st: the stream
 * @stats: filled
 *
 * Context: may sleep.
 */
void qos_rules_stats(struct qos_stream *st, struct qos_stats *stats)
{
	struct qos_drive *d = st->drive;
	unsigned int noio = qos_drive_lock(d);
	u64 now_ns = qos_io_change_begin(d);

	qos_rules_get_stats(st, now_ns, stats);
	qos_io_change_end(d, now_ns);
	qos_rules_add_direct(st, stats);
	qos_drive_unlock(d, noio);
}

/* @lock is held. */
static void qos_rules_look(const struct qos_stream *st, u64 now_ns,
			   struct qos_snapshot *snap)
{
	const struct ssdqos_edf_stream *own = qos_stream_owner(st);
	const struct ssdqos_edf *edf = own->edf;
	bool apart = st->drive->edf.writes;

	lockdep_assert_held(&st->drive->lock);
	snap->util_ppm = own->util_ppm;
	snap->queued = st->edf.reads.queued + (apart ? st->edf.writes.queued : 0);
	snap->in_flight = st->edf.reads.in_flight +
			  (apart ? st->edf.writes.in_flight : 0);
	snap->drive_queued = ssdqos_apart_queued(&st->drive->edf);
	snap->drive_in_flight = ssdqos_apart_in_flight(&st->drive->edf);
	snap->drive_depth = ssdqos_apart_depth(&st->drive->edf);
	snap->lead_ns = own->lead_ns;
	snap->promised = own->watch.promise.amount;
	snap->achieved = own->watch.achieved;
	snap->at_risk = own->watch.behind;
	snap->missed_why = own->missed_why;
	snap->reason = ssdqos_edf_why(own, now_ns);
	snap->profiled = edf->profile;
	snap->discards = ssdqos_profile_has_discards(edf->profile);
	snap->stale = edf->profile && edf->drift.stale;
	snap->drift_pct = edf->drift.known ? edf->drift.all_pct : 0;
	snap->unmanaged =
		ssdqos_apart_writes(&st->drive->edf)->foreign.found;
	snap->counting = st->drive->ready->counting;
	qos_trim_look(st->drive, now_ns, &snap->trim);
}

/**
 * qos_rules_snapshot - a stream and its drive at one moment
 * @st: the stream
 * @snap: filled
 *
 * All that a line of status says; who needs less of it asks for that.
 * Context: may sleep.
 */
void qos_rules_snapshot(struct qos_stream *st, struct qos_snapshot *snap)
{
	struct qos_drive *d = st->drive;
	unsigned int noio = qos_drive_lock(d);
	u64 now_ns;

	qos_rules_get(st, &snap->cfg);
	snap->used_ppm = ssdqos_edf_used_ppm(qos_stream_owner(st)->edf);
	snap->free_ppm = ssdqos_edf_free_ppm(qos_stream_owner(st)->edf);
	snap->spare_write_ppm =
		ssdqos_edf_spare_write_ppm(ssdqos_apart_writes(&d->edf));
	qos_ready_look(d, &snap->life);
	now_ns = qos_io_change_begin(d);
	qos_rules_get_stats(st, now_ns, &snap->stats);
	qos_rules_look(st, now_ns, snap);
	qos_io_change_end(d, now_ns);
	qos_rules_add_direct(st, &snap->stats);
	qos_drive_unlock(d, noio);
}
