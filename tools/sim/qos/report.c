// SPDX-License-Identifier: GPL-2.0
#include "report.h"

#include "../mirror/device_report.h"

#define MILLI_DIGITS 3
#define PCT_PPM 10000
#define S_PER_H 3600
#define TEXT_BYTES 64

static void report_params(struct json *json, const u64 *value, u32 first, u32 nr)
{
	char text[TEXT_BYTES];

	json_begin_object(json, "params");
	for (u32 i = first; i < first + nr; i++) {
		const struct ssdqos_param *row = &ssdqos_qos_params[i];

		ssdqos_param_format(row, value[i - first], text, sizeof(text));
		if (row->choices)
			json_string(json, row->name, text);
		else
			json_u64(json, row->name, value[i - first]);
	}
	json_end(json);
}

/* ---- a stream ---- */

static u64 requests_of(const struct qos_stream *stream)
{
	return stream->latency.n;
}

static u64 bytes_of(const struct qos_stream *stream)
{
	return stream->moved_bytes;
}

static u64 mean_achieved(const struct qos_stream *stream)
{
	return stream->achieved.n ? stream->achieved.sum / stream->achieved.n : 0;
}

static void report_promise(struct json *json, const struct qos_stream *stream)
{
	json_u64(json, "util_ppm", stream->end.util_ppm);
	json_u64(json, "cost_ns", stream->end.promise_cost_ns);
	json_u64(json, "promised", stream->end.watch.promise.amount);
	json_u64(json, "achieved", stream->end.watch.achieved);
	json_u64(json, "achieved_min", stream->achieved.min);
	json_u64(json, "achieved_mean", mean_achieved(stream));
	json_bool(json, "kept", qos_stream_kept(stream));
}

static void report_stream(struct json *json, const struct qos_stream *stream, u64 ns)
{
	const u64 *stats = (const u64 *)&stream->end.stats;

	json_begin_object(json, stream->name);
	json_string(json, "load", stream->job);
	json_u64(json, "requests", requests_of(stream));
	json_u64(json, "bytes", bytes_of(stream));
	json_fixed(json, "iops", report_per_s_milli(requests_of(stream), ns), MILLI_DIGITS);
	json_fixed(json, "bytes_per_s", report_per_s_milli(bytes_of(stream), ns), MILLI_DIGITS);
	report_promise(json, stream);
	for (u32 i = 0; i < SSDQOS_EDF_NR_STATS; i++)
		json_u64(json, ssdqos_edf_stat_names[i], stats[i]);
	for (u32 i = 0; i < SSDQOS_READY_NR_STATS; i++)
		json_u64(json, ssdqos_ready_stat_names[i],
			 ((const u64 *)&stream->ready_end)[i]);
	report_hist(json, "latency_ns", &stream->latency);
	report_hist(json, "queue_ns", &stream->end.queue_hist);
	report_hist(json, "device_ns", &stream->end.device_hist);
	report_params(json, (const u64 *)&stream->end.cfg, 0, SSDQOS_QOS_NR_STREAM_PARAMS);
	json_end(json);
}

/* ---- the drive ---- */

static const char *profile_state(const struct ssdqos_edf *edf, const struct ssdqos_drift *drift)
{
	if (!edf->profile)
		return "none";
	return drift->stale ? "stale" : "ok";
}

/* Each class by itself, as in "drift_pct_read_rand". */
static void report_drift(struct json *json, const struct ssdqos_drift *drift)
{
	const char *const *ops = ssdqos_qos_params[SSDQOS_QOS_P_op].choices;
	const char *const *patterns = ssdqos_qos_params[SSDQOS_QOS_P_pattern].choices;
	char key[TEXT_BYTES];

	if (drift->known)
		json_s64(json, "drift_pct", drift->all_pct);
	else
		json_null(json, "drift_pct");
	for (u32 op = 0; op < SSDQOS_QOS_NR_OPS; op++) {
		for (u32 pattern = 0; pattern < SSDQOS_QOS_NR_PATTERNS; pattern++) {
			snprintf(key, sizeof(key), "drift_pct_%s_%s", ops[op], patterns[pattern]);
			json_s64(json, key, drift->pct[op][pattern]);
		}
	}
}

static void report_life(struct json *json, const struct ssdqos_ready_gauges *life)
{
	const s64 *value = (const s64 *)life;

	for (u32 i = 0; i < SSDQOS_READY_NR_GAUGES; i++) {
		const char *name = ssdqos_ready_gauge_names[i];

		if (i == SSDQOS_READY_GAUGE_life_delay_why)
			json_string(json, name, ssdqos_ready_why_names[value[i]]);
		else
			json_s64(json, name, value[i]);
	}
}

/* Only of profiles that have them. */
static void report_discard_costs(struct json *json, const struct qos_plan *plan,
				 const struct qos_result *result)
{
	if (!ssdqos_profile_has_discards(plan->edf.reads->profile))
		return;
	json_string(json, "discard_costs", "profile");
	json_u64(json, "trim_cost_ns", result->trim_cost_ns);
}

static void report_scheduler(struct json *json, const struct ssdqos_edf *edf,
			     const struct ssdqos_drift *drift)
{
	json_u64(json, "used_ppm", ssdqos_edf_used_ppm(edf));
	json_u64(json, "free_ppm", ssdqos_edf_free_ppm(edf));
	json_string(json, "profile", profile_state(edf, drift));
	report_drift(json, drift);
}

/* If reads and writes are apart, who schedules writes. */
static void report_writes(struct json *json, const struct qos_plan *plan,
			  const struct qos_result *result)
{
	if (!plan->edf.writes)
		return;
	json_begin_object(json, "writes");
	report_scheduler(json, plan->edf.writes, &result->drift[1]);
	json_end(json);
}

/* What is below; its drives, if it is not one. */
static void report_below(struct json *json, const struct qos_below *below)
{
	json_string(json, "peer", mirror_peer_names[below->device.peer]);
	if (below->device.peer == MIRROR_PEER_ONE)
		report_drive(json, qos_below_drive(below, 0));
	else
		mirror_device_report_json(json, &below->device, &below->measure);
}

static void report_qos(struct json *json, const struct qos_plan *plan,
		       const struct qos_result *result)
{
	json_begin_object(json, "drive");
	json_bool(json, "scheduled", !plan->bypass);
	report_scheduler(json, plan->edf.reads, &result->drift[0]);
	report_writes(json, plan, result);
	for (u32 i = 0; i < SSDQOS_NR_WATCH_EVENTS; i++)
		json_u64(json, ssdqos_watch_event_names[i], result->events[i]);
	report_life(json, &result->life);
	for (u32 i = 0; i < SSDQOS_NR_TRIM_STATS; i++)
		json_u64(json, ssdqos_trim_stat_names[i], ((const u64 *)&result->trim)[i]);
	report_discard_costs(json, plan, result);
	report_params(json, (const u64 *)&plan->edf.reads->cfg, SSDQOS_QOS_NR_STREAM_PARAMS,
		      SSDQOS_QOS_NR_PARAMS - SSDQOS_QOS_NR_STREAM_PARAMS);
	json_end(json);
}

int qos_report_json(FILE *file, const struct qos_plan *plan, const struct qos_result *result,
		    const struct report_setup *setup)
{
	struct json json;

	json_start(&json, file);
	json_begin_object(&json, NULL);
	json_bool(&json, "synthetic", true);
	report_result(&json, &result->run, setup);
	json_begin_object(&json, "streams");
	for (u32 i = 0; i < plan->nr_streams; i++)
		report_stream(&json, &plan->streams[i], result->run.virtual_ns);
	json_end(&json);
	report_qos(&json, plan, result);
	report_below(&json, &plan->below);
	json_end(&json);
	return json_finish(&json);
}

/* ---- for people ---- */

static void print_stream(FILE *file, const struct qos_stream *stream, u64 ns)
{
	const struct ssdqos_edf_stats *stats = &stream->end.stats;

	fprintf(file, "%-12s %10.1f %9.2f %9.1f %9.1f %7.2f %10llu %10llu %10llu %7llu %7llu %7llu\n",
		stream->name, (double)report_per_s_milli(requests_of(stream), ns) / 1000,
		(double)report_per_s_milli(bytes_of(stream), ns) / 1000 / 1e6,
		(double)ssdqos_hist_mean_ns(&stream->latency) / NS_PER_US,
		(double)ssdqos_hist_percentile_ns(&stream->latency, 990000) / NS_PER_US,
		(double)stream->end.util_ppm / PCT_PPM, stream->end.watch.promise.amount,
		mean_achieved(stream), stream->achieved.min, stats->windows_met,
		stats->windows_missed, stats->windows_idle);
}

static void print_life(FILE *file, const struct ssdqos_ready_gauges *life)
{
	if (!life->life_endurance_bytes)
		return;
	fprintf(file, "lifetime: %.1f of %.1f h, %.3f of %.3f GB used, delay %.3f us a page: %s\n\n",
		(double)life->life_age_s / S_PER_H, (double)life->life_target_s / S_PER_H,
		(double)life->life_used_bytes / 1e9, (double)life->life_effective_bytes / 1e9,
		(double)life->life_delay_ns / NS_PER_US,
		ssdqos_ready_why_names[life->life_delay_why]);
}

void qos_report_text(FILE *file, const struct qos_plan *plan, const struct qos_result *result)
{
	fprintf(file, "%llu requests, %.3f s virtual, %.3f s of CPU, scheduler %s, profile %s",
		result->run.requests, (double)result->run.virtual_ns / NS_PER_S,
		(double)result->run.cpu_ns / NS_PER_S, plan->bypass ? "off" : "on",
		profile_state(plan->edf.reads, &result->drift[0]));
	if (result->drift[0].known)
		fprintf(file, ", drift %lld%%", result->drift[0].all_pct);
	fprintf(file, ", reserved %.2f%%", (double)ssdqos_edf_used_ppm(plan->edf.reads) / PCT_PPM);
	if (plan->edf.writes)
		fprintf(file, " of reads and %.2f%% of writes",
			(double)ssdqos_edf_used_ppm(plan->edf.writes) / PCT_PPM);
	fprintf(file, "\n\n");
	print_life(file, &result->life);
	fprintf(file, "%-12s %10s %9s %9s %9s %7s %10s %10s %10s %7s %7s %7s\n", "stream", "IOPS",
		"MB/s", "mean us", "p99 us", "util%", "promised", "achieved", "least", "met",
		"missed", "idle");
	for (u32 i = 0; i < plan->nr_streams; i++)
		print_stream(file, &plan->streams[i], result->run.virtual_ns);
	mirror_device_report_text(file, &plan->below.device, &plan->below.measure);
}
