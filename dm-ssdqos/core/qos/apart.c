// SPDX-License-Identifier: GPL-2.0
/*
 * apart.c - who schedules reads, and who all else
 */
#include "apart.h"

/**
 * ssdqos_apart_create - make what schedules a drive
 * @a: to be filled
 * @apart: reads and writes have all of its time each
 *
 * Context: may sleep.
 * Return: false without memory; ssdqos_apart_destroy() is right either way.
 */
bool ssdqos_apart_create(struct ssdqos_apart *a, bool apart)
{
	a->writes = NULL;
	a->reads = ssdqos_edf_create();
	if (!a->reads || !apart)
		return a->reads;
	a->writes = ssdqos_edf_create();
	if (!a->writes)
		return false;
	a->reads->cfg.drive_apart = true;
	a->writes->cfg.drive_apart = true;
	return true;
}

/**
 * ssdqos_apart_destroy - free it, and the drive's profile
 * @a: who schedules; without streams, or all NULL
 *
 * Context: may sleep.
 */
void ssdqos_apart_destroy(struct ssdqos_apart *a)
{
	/* both have the same one */
	if (a->writes)
		a->writes->profile = NULL;
	ssdqos_edf_destroy(a->writes);
	ssdqos_edf_destroy(a->reads);
}

/**
 * ssdqos_apart_add - a client comes
 * @a: who schedules
 * @s: all zero
 * @now_ns: time
 * @err: gets one sentence on failure
 * @err_size: its size
 *
 * Context: as ssdqos_edf_add().
 * Return: 0 or a negative error.
 */
int ssdqos_apart_add(const struct ssdqos_apart *a,
		     struct ssdqos_apart_stream *s, u64 now_ns, char *err,
		     u32 err_size)
{
	int r = ssdqos_edf_add(a->reads, &s->reads, now_ns, err, err_size);

	if (r || !a->writes)
		return r;
	r = ssdqos_edf_add(a->writes, &s->writes, now_ns, err, err_size);
	if (r)
		ssdqos_edf_remove(&s->reads);
	return r;
}

/**
 * ssdqos_apart_remove - a client goes
 * @a: who schedules
 * @s: nothing of it waits or is under way
 *
 * Context: as ssdqos_edf_remove().
 */
void ssdqos_apart_remove(const struct ssdqos_apart *a,
			 struct ssdqos_apart_stream *s)
{
	ssdqos_edf_remove(&s->reads);
	if (a->writes)
		ssdqos_edf_remove(&s->writes);
}

/* ---- changes ---- */

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

/* It stays as it was made. */
static int apart_check_same(const struct ssdqos_apart *a,
			    const struct ssdqos_qos_config *cfg, char *err,
			    u32 err_size)
{
	bool is = a->writes;

	if (!(cfg->given & (1ULL << SSDQOS_QOS_P_drive_apart)) ||
	    cfg->drive.drive_apart == is)
		return 0;
	scnprintf(err, err_size,
		  "drive_apart: '%llu' can't be set, the drive's first client came with '%u'",
		  cfg->drive.drive_apart, is);
	return -EINVAL;
}

/**
 * ssdqos_apart_check - would ssdqos_apart_prepare_set() succeed?
 * @a: who schedules
 * @s: the client
 * @cfg: all its parameters; the drive's count if they are given
 * @err: gets one sentence if not
 * @err_size: its size
 *
 * Context: as ssdqos_edf_check().
 * Return: 0 or a negative error.
 */
int ssdqos_apart_check(const struct ssdqos_apart *a,
		       const struct ssdqos_apart_stream *s,
		       const struct ssdqos_qos_config *cfg, char *err,
		       u32 err_size)
{
	struct ssdqos_qos_config own;
	int r = apart_check_same(a, cfg, err, err_size);

	if (r)
		return r;
	if (!a->writes)
		return ssdqos_edf_check(&s->reads, cfg, err, err_size);
	own = apart_config(cfg, SSDQOS_QOS_READ);
	r = ssdqos_edf_check(&s->reads, &own, err, err_size);
	if (r)
		return r;
	own = apart_config(cfg, SSDQOS_QOS_WRITE);
	return ssdqos_edf_check(&s->writes, &own, err, err_size);
}

/**
 * ssdqos_apart_prepare_set - reckon what other parameters would change
 * @a: who schedules
 * @s: the client
 * @cfg: all its parameters; the drive's count if they are given
 * @change: gets it, for ssdqos_apart_commit() and ssdqos_apart_end_change()
 * @err: gets one sentence on failure
 * @err_size: its size
 *
 * Context: as ssdqos_edf_prepare_set().
 * Return: 0 or a negative error.
 */
int ssdqos_apart_prepare_set(const struct ssdqos_apart *a,
			     struct ssdqos_apart_stream *s,
			     const struct ssdqos_qos_config *cfg,
			     struct ssdqos_apart_change *change, char *err,
			     u32 err_size)
{
	struct ssdqos_qos_config own;
	int r = apart_check_same(a, cfg, err, err_size);

	*change = (struct ssdqos_apart_change){ 0 };
	if (r)
		return r;
	if (!a->writes)
		return ssdqos_edf_prepare_set(&s->reads, cfg, &change->reads,
					      err, err_size);
	own = apart_config(cfg, SSDQOS_QOS_READ);
	r = ssdqos_edf_prepare_set(&s->reads, &own, &change->reads, err,
				   err_size);
	if (r)
		return r;
	own = apart_config(cfg, SSDQOS_QOS_WRITE);
	r = ssdqos_edf_prepare_set(&s->writes, &own, &change->writes, err,
				   err_size);
	if (r)
		ssdqos_apart_end_change(change);
	return r;
}

/**
 * ssdqos_apart_prepare_profile - reckon what another profile would change
 * @a: who schedules
 * @profile: the new one, or NULL for none; the drive's when it is committed
 * @change: as ssdqos_apart_prepare_set()
 * @err: gets one sentence on failure
 * @err_size: its size
 *
 * Context: as ssdqos_edf_prepare_profile().
 * Return: 0 or a negative error.
 */
int ssdqos_apart_prepare_profile(const struct ssdqos_apart *a,
				 struct ssdqos_profile *profile,
				 struct ssdqos_apart_change *change, char *err,
				 u32 err_size)
{
	int r;

	*change = (struct ssdqos_apart_change){ 0 };
	r = ssdqos_edf_prepare_profile(a->reads, profile, &change->reads, err,
				       err_size);
	if (r || !a->writes)
		return r;
	r = ssdqos_edf_prepare_profile(a->writes, profile, &change->writes, err,
				       err_size);
	if (r)
		ssdqos_apart_end_change(change);
	return r;
}

/**
 * ssdqos_apart_commit - put a change in force
 * @change: it was prepared
 * @now_ns: time
 *
 * Context: as ssdqos_edf_commit(); ssdqos_apart_next() has to be called then.
 * Return: the profile that is no longer used, NULL if there is none.
 */
struct ssdqos_profile *
ssdqos_apart_commit(const struct ssdqos_apart_change *change, u64 now_ns)
{
	if (change->writes)
		ssdqos_edf_commit(change->writes, now_ns);
	return ssdqos_edf_commit(change->reads, now_ns);
}

/**
 * ssdqos_apart_end_change - a change was committed, or won't be
 * @change: the change
 *
 * Context: may sleep.
 */
void ssdqos_apart_end_change(struct ssdqos_apart_change *change)
{
	ssdqos_edf_end_change(change->reads);
	if (change->writes)
		ssdqos_edf_end_change(change->writes);
}

/**
 * ssdqos_apart_set - change a client, and what is given of its drive
 * @a: who schedules
 * @s: the client
 * @cfg: all its parameters; the drive's count if they are given
 * @now_ns: time
 * @err: gets one sentence on failure
 * @err_size: its size
 *
 * All or nothing.  Context: as ssdqos_edf_set().
 * Return: 0 or a negative error.
 */
int ssdqos_apart_set(const struct ssdqos_apart *a,
		     struct ssdqos_apart_stream *s,
		     const struct ssdqos_qos_config *cfg, u64 now_ns, char *err,
		     u32 err_size)
{
	struct ssdqos_apart_change change;
	int r = ssdqos_apart_prepare_set(a, s, cfg, &change, err, err_size);

	if (r)
		return r;
	ssdqos_apart_commit(&change, now_ns);
	ssdqos_apart_end_change(&change);
	return 0;
}

/**
 * ssdqos_apart_set_profile - take another profile
 * @a: who schedules
 * @profile: the new one, or NULL for none; gets the one that is no longer used
 * @now_ns: time
 * @err: gets one sentence on failure
 * @err_size: its size
 *
 * Context: as ssdqos_edf_set_profile().
 * Return: 0 or a negative error.
 */
int ssdqos_apart_set_profile(const struct ssdqos_apart *a,
			     struct ssdqos_profile **profile, u64 now_ns,
			     char *err, u32 err_size)
{
	struct ssdqos_apart_change change;
	int r = ssdqos_apart_prepare_profile(a, *profile, &change, err,
					     err_size);

	if (r)
		return r;
	*profile = ssdqos_apart_commit(&change, now_ns);
	ssdqos_apart_end_change(&change);
	return 0;
}

/* ---- requests ---- */

/**
 * ssdqos_apart_wake_ns - when to call ssdqos_apart_next() without an event
 * @a: who schedules
 *
 * Return: as ssdqos_edf_wake_ns().
 */
u64 ssdqos_apart_wake_ns(const struct ssdqos_apart *a)
{
	u64 wake_ns = ssdqos_edf_wake_ns(a->reads);

	return a->writes ? min(wake_ns, ssdqos_edf_wake_ns(a->writes)) :
			   wake_ns;
}

/**
 * ssdqos_apart_drain - let all requests of a client go, whatever its rules say
 * @a: who schedules
 * @s: the client
 * @draining: or not any more
 * @now_ns: time
 *
 * Context: as ssdqos_edf_drain().
 */
void ssdqos_apart_drain(const struct ssdqos_apart *a,
			struct ssdqos_apart_stream *s, bool draining,
			u64 now_ns)
{
	ssdqos_edf_drain(&s->reads, draining, now_ns);
	if (a->writes)
		ssdqos_edf_drain(&s->writes, draining, now_ns);
}

/* ---- what was done ---- */

/**
 * ssdqos_apart_reset_stats - count a client's requests from zero
 * @a: who schedules
 * @s: the client
 */
void ssdqos_apart_reset_stats(const struct ssdqos_apart *a,
			      struct ssdqos_apart_stream *s)
{
	ssdqos_edf_reset_stats(&s->reads);
	if (a->writes)
		ssdqos_edf_reset_stats(&s->writes);
}

/**
 * ssdqos_apart_stats - what a client's requests count
 * @a: who schedules
 * @s: the client
 * @sum: filled with that of its reads and all else together
 */
void ssdqos_apart_stats(const struct ssdqos_apart *a,
			const struct ssdqos_apart_stream *s,
			struct ssdqos_edf_stats *sum)
{
	const u64 *more = (const u64 *)&s->writes.stats;
	u64 *to = (u64 *)sum;
	u32 i;

	*sum = s->reads.stats;
	for (i = 0; a->writes && i < SSDQOS_EDF_NR_STATS; i++)
		to[i] += more[i];
}

/**
 * ssdqos_apart_stream_of - the client to which a scheduler's stream belongs
 * @a: who schedules
 * @s: of either; a client's, not that of discards that are kept
 */
const struct ssdqos_apart_stream *
ssdqos_apart_stream_of(const struct ssdqos_apart *a,
		       const struct ssdqos_edf_stream *s)
{
	return s->edf == a->writes ?
		       container_of(s, struct ssdqos_apart_stream, writes) :
		       container_of(s, struct ssdqos_apart_stream, reads);
}
