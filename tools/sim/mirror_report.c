// SPDX-License-Identifier: GPL-2.0
#include "mirror_report.h"

#define MILLI_DIGITS 3
#define PCT 100
#define PCT_PPM 10000
#define TEXT_BYTES 64
#define P99_PPM 990000
#define P999_PPM 999000

const char *const mirror_peer_names[NR_MIRROR_PEERS + 1] = {
	[MIRROR_PEER_ONE] = "one",
	[MIRROR_PEER_RAID1] = "raid1",
	[MIRROR_PEER_IANUS] = "ianus",
};

static u64 requests_of(const struct mirror_stream *stream)
{
	u64 n = 0;

	for (u32 op = 0; op < SSDQOS_FLASH_NR_OPS; op++)
		n += stream->latency[op].n;
	return n;
}

/* ---- for scripts ---- */

static void report_latency(struct json *json, const struct mirror_stream *stream)
{
	json_begin_object(json, "latency_ns");
	for (u32 op = 0; op < SSDQOS_FLASH_NR_OPS; op++)
		report_hist(json, ssdqos_flash_op_names[op], &stream->latency[op]);
	json_end(json);
}

static void report_stream(struct json *json, const struct mirror_stream *stream, u64 ns)
{
	const u64 requests = requests_of(stream);

	json_begin_object(json, stream->name);
	json_string(json, stream->load ? "load" : "trace", stream->source);
	json_bool(json, "fsync", stream->fsync);
	json_u64(json, "requests", requests);
	json_u64(json, "bytes", stream->moved_bytes);
	json_fixed(json, "iops", report_per_s_milli(requests, ns), MILLI_DIGITS);
	json_fixed(json, "bytes_per_s", report_per_s_milli(stream->moved_bytes, ns), MILLI_DIGITS);
	mirror_windows_report(json, "windows", &stream->windows);
	report_latency(json, stream);
	json_end(json);
}

static void report_windows(struct json *json, const struct mirror_series *series)
{
	json_begin_object(json, "windows");
	json_fixed(json, "length_s", series->window_ns, 9);
	for (u32 op = 0; op < SSDQOS_FLASH_NR_OPS; op++)
		mirror_windows_report(json, ssdqos_flash_op_names[op], &series->windows[op]);
	json_end(json);
}

static void report_params(struct json *json, const struct ssdqos_mirror_config *cfg)
{
	const u64 *value = (const u64 *)cfg;
	char text[TEXT_BYTES];

	json_begin_object(json, "params");
	for (u32 i = 0; i < SSDQOS_MIRROR_NR_PARAMS; i++) {
		const struct ssdqos_param *row = &ssdqos_mirror_params[i];

		ssdqos_param_format(row, value[i], text, sizeof(text));
		if (row->choices)
			json_string(json, row->name, text);
		else
			json_u64(json, row->name, value[i]);
	}
	json_end(json);
}

static void report_states(struct json *json, const struct mirror_plan *plan,
			  const struct mirror_result *result)
{
	json_begin_array(json, "members");
	for (u32 i = 0; i < plan->mirror.nr; i++) {
		json_begin_object(json, NULL);
		for (u32 state = 0; state < SSDQOS_NR_MIRROR_STATES; state++)
			json_u64(json, ssdqos_mirror_state_names[state],
				 result->watch.state_ns[i][state]);
		json_end(json);
	}
	json_end(json);
}

static void report_journal_device(struct json *json, const struct journal_device *device)
{
	json_begin_object(json, "device");
	if (device->drive.nr) {
		report_drive(json, device->drive.member[0].drive);
	} else {
		json_u64(json, "latency_ns", device->latency_ns);
		json_u64(json, "bytes_per_s", device->rate);
	}
	json_end(json);
}

static void report_journal(struct json *json, const struct mirror_plan *plan,
			   const struct mirror_result *result)
{
	const struct mirror_journal *journal = &plan->journal;

	json_begin_object(json, "journal");
	json_bool(json, "lost", !journal->flow.on);
	json_u64(json, "blocks", journal->flow.ring.area);
	json_u64(json, "most_used", result->watch.journal_high);
#define S(name) json_u64(json, #name, result->counts.name);
	MIRROR_JOURNAL_COUNTS(S)
#undef S
	report_hist(json, "latency_ns", &result->journal_latency);
	report_journal_device(json, &journal->device);
	json_end(json);
}

static void report_mirror(struct json *json, const struct mirror_plan *plan,
			  const struct mirror_result *result)
{
	const u64 *stat = (const u64 *)&result->stats;

	json_begin_object(json, "mirror");
	for (u32 i = 0; i < SSDQOS_NR_MIRROR_STATS; i++)
		json_u64(json, ssdqos_mirror_stat_names[i], stat[i]);
	json_u64(json, "cache_blocks", plan->mirror.cache.nr);
	json_u64(json, "cache_high_blocks", result->watch.cache_high);
	json_u64(json, "failed_requests", result->watch.failed);
	if (plan->data.is_on)
		json_u64(json, "wrong_blocks", result->watch.wrong);
	else
		json_null(json, "wrong_blocks");
	report_states(json, plan, result);
	if (plan->has_journal)
		report_journal(json, plan, result);
	report_params(json, &plan->mirror.cfg);
	json_end(json);
}

static bool is_synthetic(const struct mirror_plan *plan)
{
	for (u32 i = 0; i < plan->nr_streams; i++)
		if (!plan->streams[i].load)
			return false;
	return true;
}

int mirror_report_json(FILE *file, const struct mirror_plan *plan,
		       const struct mirror_result *result, const struct report_setup *setup)
{
	struct json json;

	json_start(&json, file);
	json_begin_object(&json, NULL);
	json_bool(&json, "synthetic", is_synthetic(plan));
	json_string(&json, "peer", mirror_peer_names[plan->peer]);
	report_result(&json, &result->run, setup);
	report_windows(&json, &plan->series);
	json_begin_object(&json, "streams");
	for (u32 i = 0; i < plan->nr_streams; i++)
		report_stream(&json, &plan->streams[i], result->run.virtual_ns);
	json_end(&json);
	if (plan->peer == MIRROR_PEER_IANUS)
		report_mirror(&json, plan, result);
	json_begin_array(&json, "drives");
	for (u32 i = 0; i < plan->members.nr; i++) {
		json_begin_object(&json, NULL);
		report_drive(&json, plan->members.member[i].drive);
		json_end(&json);
	}
	json_end(&json);
	json_end(&json);
	return json_finish(&json);
}

/* ---- for people ---- */

static void print_stream(FILE *file, const struct mirror_stream *stream, u32 op, u64 ns)
{
	const struct ssdqos_hist *h = &stream->latency[op];

	if (!h->n)
		return;
	fprintf(file, "%-12s %-8s %10.1f %10.1f %10.1f %10.1f %10.1f\n", stream->name,
		ssdqos_flash_op_names[op], (double)report_per_s_milli(h->n, ns) / 1000,
		(double)ssdqos_hist_mean_ns(h) / NS_PER_US,
		(double)ssdqos_hist_percentile_ns(h, P99_PPM) / NS_PER_US,
		(double)ssdqos_hist_percentile_ns(h, P999_PPM) / NS_PER_US,
		(double)h->max_ns / NS_PER_US);
}

static void print_windows(FILE *file, const struct mirror_series *series)
{
	for (u32 op = 0; op < SSDQOS_FLASH_NR_OPS; op++) {
		const struct mirror_windows *windows = &series->windows[op];

		if (windows->sum)
			fprintf(file, "%s in windows of %.3f s: mean %.1f, least %llu, varying by %.2f%%\n",
				ssdqos_flash_op_names[op], (double)series->window_ns / NS_PER_S,
				(double)windows->sum / (double)windows->n, windows->least,
				(double)mirror_windows_cv_ppm(windows) / PCT_PPM);
	}
}

static void print_journal(FILE *file, const struct mirror_plan *plan,
			  const struct mirror_result *result)
{
	const struct ssdqos_hist *h = &result->journal_latency;

	fprintf(file, "journal: %llu records of %.1f blocks, durable after %.1f us (99.9 %%: %.1f us), %llu times without room, at most %.1f%% used%s\n",
		result->counts.records,
		(double)result->counts.data_blocks / (double)max(result->counts.records, 1ULL),
		(double)ssdqos_hist_mean_ns(h) / NS_PER_US,
		(double)ssdqos_hist_percentile_ns(h, P999_PPM) / NS_PER_US, result->counts.waits,
		(double)result->watch.journal_high * PCT / (double)plan->journal.flow.ring.area,
		plan->journal.flow.on ? "" : ", then lost");
}

static void print_mirror(FILE *file, const struct mirror_plan *plan,
			 const struct mirror_result *result)
{
	const struct ssdqos_mirror_stats *stats = &result->stats;

	fprintf(file, "\nmirror: %llu turns (%llu of a full cache), %llu writes waited, at most %.1f%% of the cache used\n",
		stats->switches, stats->full_switches, stats->waits,
		(double)result->watch.cache_high * PCT / plan->mirror.cache.nr);
	if (plan->has_journal)
		print_journal(file, plan, result);
	for (u32 i = 0; i < plan->mirror.nr; i++) {
		fprintf(file, "member %u:", i);
		for (u32 state = 0; state < SSDQOS_NR_MIRROR_STATES; state++)
			if (result->watch.state_ns[i][state])
				fprintf(file, " %s %.3f s", ssdqos_mirror_state_names[state],
					(double)result->watch.state_ns[i][state] / NS_PER_S);
		fputc('\n', file);
	}
}

void mirror_report_text(FILE *file, const struct mirror_plan *plan,
			const struct mirror_result *result)
{
	const u64 ns = result->run.virtual_ns;

	fprintf(file, "%s: %llu requests, %.3f s virtual, %.3f s of CPU\n\n",
		mirror_peer_names[plan->peer], result->run.requests, (double)ns / NS_PER_S,
		(double)result->run.cpu_ns / NS_PER_S);
	fprintf(file, "%-12s %-8s %10s %10s %10s %10s %10s\n", "stream", "", "IOPS", "mean us",
		"p99 us", "p99.9 us", "max us");
	for (u32 i = 0; i < plan->nr_streams; i++)
		for (u32 op = 0; op < SSDQOS_FLASH_NR_OPS; op++)
			print_stream(file, &plan->streams[i], op, ns);
	fputc('\n', file);
	print_windows(file, &plan->series);
	if (plan->peer == MIRROR_PEER_IANUS)
		print_mirror(file, plan, result);
}
