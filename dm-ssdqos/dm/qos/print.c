// SPDX-License-Identifier: GPL-2.0
/*
 * print.c - a stream's parameters, counters and latencies as text
 *
 * Status is a list of key=value; keys are only ever added, at the end.  Every
 * function prints at most what fits and returns its length, as scnprintf()
 * does.
 */
#include <linux/kernel.h>
#include <linux/slab.h>

#include "drive.h"
#include "print.h"

/* Tenths of a per cent. */
#define LIFE_PARTS 1000

/* What status says of latencies, in parts per million. */
static const struct {
	const char *name;
	size_t hist;	/* offset in the stream */
	u32 ppm;
} qos_quantiles[] = {
	{ "queue_ns_p50", offsetof(struct ssdqos_edf_stream, queue_hist), 500000 },
	{ "queue_ns_p99", offsetof(struct ssdqos_edf_stream, queue_hist), 990000 },
	{ "device_ns_p50", offsetof(struct ssdqos_edf_stream, device_hist), 500000 },
	{ "device_ns_p99", offsetof(struct ssdqos_edf_stream, device_hist), 990000 },
	{ "total_ns_p50", offsetof(struct ssdqos_edf_stream, total_hist), 500000 },
	{ "total_ns_p99", offsetof(struct ssdqos_edf_stream, total_hist), 990000 },
	{ "total_ns_p999", offsetof(struct ssdqos_edf_stream, total_hist), 999000 },
};

static bool qos_print_wants(struct ssdqos_qos_config *cfg, u32 i)
{
	return *ssdqos_qos_config_value(cfg, i) != ssdqos_qos_params[i].def;
}

/**
 * qos_print_args - the optional arguments of a table line
 * @d: the drive
 * @meta: name of its metadata device, or NULL
 * @cfg: the parameters
 * @buf: gets "<#args> key value ..."
 * @size: its size
 *
 * The drive, if it was named, and all parameters that differ from their
 * defaults: a line with these arguments makes the same stream.
 *
 * Return: number of characters.
 */
int qos_print_args(const struct qos_drive *d, const char *meta,
		   struct ssdqos_qos_config *cfg, char *buf, unsigned int size)
{
	u32 i, nr = !d->whole + !!meta;
	int len;

	for (i = 0; i < SSDQOS_QOS_NR_PARAMS; i++)
		nr += qos_print_wants(cfg, i);
	len = scnprintf(buf, size, "%u", 2 * nr);
	if (!d->whole)
		len += scnprintf(buf + len, size - len, " drive %s", d->name);
	if (meta)
		len += scnprintf(buf + len, size - len, " drive_meta %s", meta);
	for (i = 0; i < SSDQOS_QOS_NR_PARAMS; i++) {
		if (!qos_print_wants(cfg, i))
			continue;
		len += scnprintf(buf + len, size - len, " %s ",
				 ssdqos_qos_params[i].name);
		len += ssdqos_param_format(&ssdqos_qos_params[i],
					   *ssdqos_qos_config_value(cfg, i),
					   buf + len, size - len);
	}
	return len;
}

static const char *qos_print_profile(const struct qos_snapshot *snap)
{
	if (!snap->profiled)
		return "none";
	return snap->stale ? "stale" : "ok";
}

static int qos_print_gauges(const struct qos_stream *st,
			    const struct qos_snapshot *snap, char *buf,
			    unsigned int size)
{
	int len = scnprintf(buf, size, "drive=");

	len += qos_drive_print_name(st->drive, buf + len, size - len);
	return len + scnprintf(buf + len, size - len,
			       " state=%s util_ppm=%u used_ppm=%llu free_ppm=%llu spare_write_ppm=%llu profile=%s discard_costs=%s drift_pct=%lld unmanaged=%d queued=%u in_flight=%u drive_queued=%u drive_in_flight=%u drive_depth=%u lead_ns=%llu promised=%llu achieved=%llu at_risk=%u missed_why=%s reason=%s dispatched_direct=%llu",
			       snap->util_ppm ? "reserved" : "best_effort",
			       snap->util_ppm, snap->used_ppm, snap->free_ppm,
			       snap->spare_write_ppm, qos_print_profile(snap),
			       snap->discards ? "profile" : "default",
			       snap->drift_pct,
			       snap->unmanaged, snap->queued, snap->in_flight,
			       snap->drive_queued, snap->drive_in_flight,
			       snap->drive_depth, snap->lead_ns,
			       snap->promised, snap->achieved, snap->at_risk,
			       ssdqos_miss_why_names[snap->missed_why],
			       ssdqos_edf_reason_names[snap->reason],
			       snap->stats.direct);
}

/* What matters most of the drive's lifetime; sysfs has the rest. */
static int qos_print_life(const struct qos_snapshot *snap, char *buf,
			  unsigned int size)
{
	const struct ssdqos_param *policy =
		&ssdqos_qos_params[SSDQOS_QOS_P_drive_throttle];
	u64 used = snap->life.life_used_bytes;
	u64 all = max_t(u64, snap->life.life_effective_bytes, LIFE_PARTS);
	u32 parts = div64_u64(used, div64_u64(all, LIFE_PARTS));
	int len = scnprintf(buf, size, " throttle=");

	len += ssdqos_param_format(policy, snap->cfg.drive.drive_throttle,
				   buf + len, size - len);
	return len + scnprintf(buf + len, size - len,
			       " life_used_pct=%u.%u life_delay_ns=%lld life_why=%s",
			       parts / 10, parts % 10,
			       snap->life.life_delay_ns,
			       ssdqos_ready_why_names[snap->life.life_delay_why]);
}

/* Discards that are kept; of the drive. */
static int qos_print_trim(const struct qos_trim_look *trim, char *buf,
			  unsigned int size)
{
	const u64 *value = (const u64 *)&trim->stats;
	int len = scnprintf(buf, size,
			    " trim=%s trim_waiting=%u trim_waiting_sectors=%llu trim_under_way=%u trim_oldest_ms=%llu trim_cost_ns=%u",
			    trim->on ? "batch" : "pass", trim->waiting,
			    trim->waiting_sectors, trim->under_way,
			    trim->oldest_ms, trim->cost_ns);
	u32 i;

	for (i = 0; i < SSDQOS_NR_TRIM_STATS; i++)
		len += scnprintf(buf + len, size - len, " %s=%llu",
				 ssdqos_trim_stat_names[i], value[i]);
	return len;
}

/**
 * qos_print_status - gauges and counters
 * @st: the stream
 * @buf: gets "key=value ..."
 * @size: its size
 *
 * Context: may sleep.
 * Return: number of characters.
 */
int qos_print_status(struct qos_stream *st, char *buf, unsigned int size)
{
	struct qos_snapshot snap;
	const u64 *value = (const u64 *)&snap.stats.edf;
	u32 i;
	int len;

	qos_rules_snapshot(st, &snap);
	len = qos_print_gauges(st, &snap, buf, size);
	for (i = 0; i < SSDQOS_EDF_NR_STATS; i++)
		len += scnprintf(buf + len, size - len, " %s=%llu",
				 ssdqos_edf_stat_names[i], value[i]);
	/* histograms are read while they grow: the newest may be missing */
	for (i = 0; i < ARRAY_SIZE(qos_quantiles); i++) {
		const void *hist = (void *)qos_stream_owner(st) +
				   qos_quantiles[i].hist;

		len += scnprintf(buf + len, size - len, " %s=%llu",
				 qos_quantiles[i].name,
				 ssdqos_hist_percentile_ns(hist,
							   qos_quantiles[i].ppm));
	}
	if (snap.counting)
		len += qos_print_life(&snap, buf + len, size - len);
	if (snap.trim.on || snap.trim.stats.taken)
		len += qos_print_trim(&snap.trim, buf + len, size - len);
	return len;
}

static int qos_print_hist(const char *name, const struct ssdqos_hist *h,
			  char *buf, unsigned int size)
{
	return scnprintf(buf, size,
			 "%s n=%llu mean=%llu p50=%llu p99=%llu p999=%llu p9999=%llu max=%llu\n",
			 name, h->n, ssdqos_hist_mean_ns(h),
			 ssdqos_hist_percentile_ns(h, 500000),
			 ssdqos_hist_percentile_ns(h, 990000),
			 ssdqos_hist_percentile_ns(h, 999000),
			 ssdqos_hist_percentile_ns(h, 999900), h->max_ns);
}

/**
 * qos_print_latency - where requests spent their time, in nanoseconds
 * @st: the stream
 * @buf: gets a line each for waiting, the drive, and both
 * @size: its size
 *
 * Only of requests that passed the scheduler.
 *
 * Return: number of characters.
 */
int qos_print_latency(struct qos_stream *st, char *buf, unsigned int size)
{
	const struct ssdqos_edf_stream *own = qos_stream_owner(st);
	int len = qos_print_hist("queue", &own->queue_hist, buf, size);

	len += qos_print_hist("device", &own->device_hist, buf + len,
			      size - len);
	return len + qos_print_hist("total", &own->total_hist, buf + len,
				    size - len);
}
