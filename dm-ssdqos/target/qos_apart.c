// SPDX-License-Identifier: GPL-2.0
/*
 * qos_apart.c - reads and writes have all of the drive's time each
 *
 * Of a mirror whose members take turns (ssdqos-ianus) one member is read while
 * another one is written, so reads and writes hardly share anything.  As one
 * drive it could be promised once; it can be twice, and each client's reads and
 * writes stand apart ("High performance & low latency in solid-state drives
 * through redundancy", section 5.4).
 *
 * With drive_apart the drive has two schedulers, each with all of the device
 * time, a queue depth, a debt and a pace of its own:
 *
 *	reads		of all clients; guarantees with op read
 *	writes		and flushes, discards and the rest; guarantees with op write
 *
 * A client is a stream of both.  Its guarantee is with one of them; with the other
 * one it has none, or a client with a guarantee of reads could write with it.
 * Maximum and weight hold for reads and for writes each.  The drive's parameters
 * are the same in both, and so is the profile, of which the one has what reads
 * cost and the other one what writes do.
 *
 * It is said when the drive's first client comes, and stays so.
 */
#include "qos_drive.h"

/* What one of the two is told: the other one's guarantee is none of its own. */
static struct ssdqos_qos_config apart_config(const struct ssdqos_qos_config *cfg,
					     u64 op)
{
	struct ssdqos_qos_config own = *cfg;

	if (cfg->stream.op != op) {
		own.stream.min_iops = 0;
		own.stream.min_mb_s = 0;
		own.stream.util_ppm = 0;
	}
	return own;
}

/* It stays as the first client has said. */
static int apart_check_same(const struct qos_drive *d,
			    const struct ssdqos_qos_config *cfg, char *err)
{
	bool is = d->edf_writes;

	if (!(cfg->given & BIT_ULL(SSDQOS_QOS_P_drive_apart)) ||
	    cfg->drive.drive_apart == is)
		return 0;
	scnprintf(err, QOS_ERR_BYTES,
		  "drive_apart: '%llu' can't be set, the drive's first client came with '%u'",
		  cfg->drive.drive_apart, is);
	return -EINVAL;
}

/**
 * qos_apart_check - would qos_apart_prepare_set() succeed?
 * @st: the stream
 * @cfg: all parameters of the stream; the drive's count if they are given
 * @err: QOS_ERR_BYTES for one sentence if not
 *
 * Context: the drive's mutex is held.
 * Return: 0 or a negative error.
 */
int qos_apart_check(const struct qos_stream *st,
		    const struct ssdqos_qos_config *cfg, char *err)
{
	struct ssdqos_qos_config own;
	int r = apart_check_same(st->drive, cfg, err);

	if (r)
		return r;
	if (!st->drive->edf_writes)
		return ssdqos_edf_check(&st->edf, cfg, err, QOS_ERR_BYTES);
	own = apart_config(cfg, SSDQOS_QOS_READ);
	r = ssdqos_edf_check(&st->edf, &own, err, QOS_ERR_BYTES);
	if (r)
		return r;
	own = apart_config(cfg, SSDQOS_QOS_WRITE);
	return ssdqos_edf_check(&st->edf_writes, &own, err, QOS_ERR_BYTES);
}

/**
 * qos_apart_prepare_set - reckon what other parameters would change
 * @st: the stream
 * @cfg: all parameters of the stream; the drive's count if they are given
 * @change: gets it, for qos_apart_commit() and qos_apart_end_change()
 * @err: QOS_ERR_BYTES for one sentence on failure
 *
 * Context: may sleep; the drive's mutex is held until the change is ended.
 * Return: 0 or a negative error.
 */
int qos_apart_prepare_set(struct qos_stream *st,
			  const struct ssdqos_qos_config *cfg,
			  struct qos_change *change, char *err)
{
	struct ssdqos_qos_config own;
	int r = apart_check_same(st->drive, cfg, err);

	*change = (struct qos_change){ };
	if (r)
		return r;
	if (!st->drive->edf_writes)
		return ssdqos_edf_prepare_set(&st->edf, cfg, &change->edf, err,
					      QOS_ERR_BYTES);
	own = apart_config(cfg, SSDQOS_QOS_READ);
	r = ssdqos_edf_prepare_set(&st->edf, &own, &change->edf, err,
				   QOS_ERR_BYTES);
	if (r)
		return r;
	own = apart_config(cfg, SSDQOS_QOS_WRITE);
	r = ssdqos_edf_prepare_set(&st->edf_writes, &own, &change->edf_writes,
				   err, QOS_ERR_BYTES);
	if (r)
		qos_apart_end_change(change);
	return r;
}

/**
 * qos_apart_prepare_profile - reckon what another profile would change
 * @d: the drive
 * @profile: the new one, or NULL for none; the drive's when it is committed
 * @change: as qos_apart_prepare_set()
 * @err: QOS_ERR_BYTES for one sentence on failure
 *
 * Context: as qos_apart_prepare_set().
 * Return: 0 or a negative error.
 */
int qos_apart_prepare_profile(struct qos_drive *d,
			      struct ssdqos_profile *profile,
			      struct qos_change *change, char *err)
{
	int r;

	*change = (struct qos_change){ };
	r = ssdqos_edf_prepare_profile(d->edf, profile, &change->edf, err,
				       QOS_ERR_BYTES);
	if (r || !d->edf_writes)
		return r;
	r = ssdqos_edf_prepare_profile(d->edf_writes, profile,
				       &change->edf_writes, err, QOS_ERR_BYTES);
	if (r)
		qos_apart_end_change(change);
	return r;
}

/**
 * qos_apart_commit - put a change in force
 * @change: it was prepared
 * @now_ns: time
 *
 * Context: the drive's lock is held, until qos_io_change_end().
 * Return: the profile that is no longer used, NULL if there is none.
 */
struct ssdqos_profile *qos_apart_commit(const struct qos_change *change,
					u64 now_ns)
{
	if (change->edf_writes)
		ssdqos_edf_commit(change->edf_writes, now_ns);
	return ssdqos_edf_commit(change->edf, now_ns);
}

/**
 * qos_apart_end_change - a change was committed, or won't be
 * @change: the change
 *
 * Context: may sleep.
 */
void qos_apart_end_change(struct qos_change *change)
{
	ssdqos_edf_end_change(change->edf);
	if (change->edf_writes)
		ssdqos_edf_end_change(change->edf_writes);
}

/**
 * qos_apart_add_stats - what a client's writes count, if they are apart
 * @st: the stream
 * @sum: has what its reads do, and grows
 *
 * Context: the drive's lock is held.
 */
void qos_apart_add_stats(const struct qos_stream *st,
			 struct ssdqos_edf_stats *sum)
{
	const u64 *more = (const u64 *)&st->edf_writes.stats;
	u64 *to = (u64 *)sum;
	u32 i;

	for (i = 0; st->drive->edf_writes && i < SSDQOS_EDF_NR_STATS; i++)
		to[i] += more[i];
}

/**
 * qos_apart_stream_of - the client to which a scheduler's stream belongs
 * @d: the drive
 * @s: of either scheduler; not that of discards that are kept
 *
 * Context: the drive's lock or its mutex is held.
 */
const struct qos_stream *
qos_apart_stream_of(const struct qos_drive *d,
		    const struct ssdqos_edf_stream *s)
{
	return s->edf == d->edf_writes ?
		       container_of(s, struct qos_stream, edf_writes) :
		       container_of(s, struct qos_stream, edf);
}
