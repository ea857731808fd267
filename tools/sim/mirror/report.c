// SPDX-License-Identifier: GPL-2.0
#include "report.h"

#include "device_report.h"

#define MILLI_DIGITS 3
#define PCT_PPM 10000
#define P99_PPM 990000
#define P999_PPM 999000

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
	json_string(&json, "peer", mirror_peer_names[plan->device.peer]);
	report_result(&json, &result->run, setup);
	report_windows(&json, &plan->series);
	json_begin_object(&json, "streams");
	for (u32 i = 0; i < plan->nr_streams; i++)
		report_stream(&json, &plan->streams[i], result->run.virtual_ns);
	json_end(&json);
	mirror_device_report_json(&json, &plan->device, &result->measure);
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

void mirror_report_text(FILE *file, const struct mirror_plan *plan,
			const struct mirror_result *result)
{
	const u64 ns = result->run.virtual_ns;

	fprintf(file, "%s: %llu requests, %.3f s virtual, %.3f s of CPU\n\n",
		mirror_peer_names[plan->device.peer], result->run.requests, (double)ns / NS_PER_S,
		(double)result->run.cpu_ns / NS_PER_S);
	fprintf(file, "%-12s %-8s %10s %10s %10s %10s %10s\n", "stream", "", "IOPS", "mean us",
		"p99 us", "p99.9 us", "max us");
	for (u32 i = 0; i < plan->nr_streams; i++)
		for (u32 op = 0; op < SSDQOS_FLASH_NR_OPS; op++)
			print_stream(file, &plan->streams[i], op, ns);
	fputc('\n', file);
	print_windows(file, &plan->series);
	mirror_device_report_text(file, &plan->device, &result->measure);
}
