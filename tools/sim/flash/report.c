// SPDX-License-Identifier: GPL-2.0
/*
 * report.c - print results
 */
#include "../common/json.h"
#include "report.h"

#define PCT_PPM 10000		/* a percent in parts per million */
#define MILLI_DIGITS 3
#define PPM_DIGITS 6
#define TEXT_BYTES 64

/* One row per quantile: key of the JSON, head of the table, share. */
static const struct report_quantile {
	const char *key;
	const char *head;
	u32 ppm;
} report_quantiles[] = {
	{ "p50", "p50", 500000 },
	{ "p90", "p90", 900000 },
	{ "p99", "p99", 990000 },
	{ "p999", "p99.9", 999000 },
	{ "p9999", "p99.99", 999900 },
	{ "p999999", "p99.9999", 999999 },
};

u64 report_per_s_milli(u64 num, u64 ns)
{
	return ns ? (u64)((u128)num * NS_PER_S * 1000 / ns) : 0;
}

static u64 report_pct_milli(u64 part, u64 whole)
{
	return whole ? (u64)((u128)part * 100000 / whole) : 0;
}

void report_hist(struct json *json, const char *key, const struct ssdqos_hist *h)
{
	u32 i;

	json_begin_object(json, key);
	json_u64(json, "n", h->n);
	json_u64(json, "mean", ssdqos_hist_mean_ns(h));
	for (i = 0; i < SIM_ARRAY_SIZE(report_quantiles); i++)
		json_u64(json, report_quantiles[i].key,
			 ssdqos_hist_percentile_ns(h, report_quantiles[i].ppm));
	json_u64(json, "max", h->max_ns);
	json_end(json);
}

static void report_latency(struct json *json, const struct run_result *result)
{
	u32 op;

	json_begin_object(json, "latency_ns");
	for (op = 0; op < SSDQOS_FLASH_NR_OPS; op++)
		report_hist(json, ssdqos_flash_op_names[op], &result->latency[op]);
	report_hist(json, "read_small", &result->latency_read_small);
	json_end(json);
}

static void report_waits(struct json *json, const char *key, u64 nr, const u64 *ns)
{
	u32 i;

	json_begin_object(json, key);
	json_u64(json, "nr", nr);
	for (i = 0; i < SSDQOS_NR_WAITS; i++)
		json_u64(json, ssdqos_flash_wait_names[i], ns[i]);
	json_end(json);
}

/* As the host sees them; host_wait_ns has flash reads as the model counts them. */
static void report_request_waits(struct json *json, const struct run_result *result)
{
	json_begin_object(json, "request_wait_ns");
	report_waits(json, ssdqos_flash_op_names[SSDQOS_FLASH_READ],
		     result->latency[SSDQOS_FLASH_READ].n, result->read_wait_ns);
	json_end(json);
}

static void report_counters(struct json *json, const struct ssdqos_flash *drive)
{
	const u64 *value = (const u64 *)ssdqos_flash_stats(drive);
	u32 i;

	json_begin_object(json, "counters");
	for (i = 0; i < SSDQOS_FLASH_NR_STATS; i++)
		json_u64(json, ssdqos_flash_stat_names[i], value[i]);
	json_end(json);
}

static void report_flash(struct json *json, const struct ssdqos_flash *drive)
{
	const struct ssdqos_flash_stats *s = ssdqos_flash_stats(drive);
	struct ssdqos_flash_gauges g;

	ssdqos_flash_gauges(drive, &g);
	json_begin_object(json, "flash");
	json_u64(json, "reads", s->flash_reads);
	json_u64(json, "programs", s->flash_programs);
	json_u64(json, "erases", s->flash_erases);
	json_u64(json, "copybacks", s->flash_copybacks);
	json_fixed(json, "waf", g.waf_milli, MILLI_DIGITS);
	json_fixed(json, "gc_blocked_read_pct", report_pct_milli(s->gc_blocked_reads, s->reads),
		   MILLI_DIGITS);
	json_fixed(json, "queue_blocked_read_pct",
		   report_pct_milli(s->queue_blocked_reads, s->reads), MILLI_DIGITS);
	json_u64(json, "reconstructed_reads", s->reconstructed_reads);
	json_u64(json, "free_blocks", g.free_blocks);
	json_u64(json, "free_blocks_min", g.free_blocks_min);
	json_u64(json, "wear_min", g.wear_min);
	json_u64(json, "wear_max", g.wear_max);
	json_u64(json, "wear_plane_pct", g.wear_plane_pct);
	json_u64(json, "wear_group_pct", g.wear_group_pct);
	json_fixed(json, "map_hit_pct", g.map_hit_milli, MILLI_DIGITS);
	json_u64(json, "mapped_units", g.mapped_units);
	json_u64(json, "memory_bytes", g.memory_bytes);
	json_end(json);
	report_counters(json, drive);
}

static void report_geometry(struct json *json, const struct ssdqos_flash *drive)
{
	const struct ssdqos_flash_geo *g = ssdqos_flash_geo(drive);

	json_begin_object(json, "geometry");
	json_u64(json, "channels", g->channels);
	json_u64(json, "chips", g->nr_chips);
	json_u64(json, "planes", g->nr_planes);
	json_u64(json, "blocks_per_plane", g->blocks_per_plane);
	json_u64(json, "pages_per_block", g->pages_per_block);
	json_u64(json, "page_bytes", (u64)g->units_per_page << SSDQOS_UNIT_SHIFT);
	json_u64(json, "logical_units", g->nr_lpn);
	json_u64(json, "physical_units", g->nr_psn);
	json_end(json);
}

static void report_params(struct json *json, const struct ssdqos_flash *drive)
{
	struct ssdqos_flash_config config;
	const u64 *value = (const u64 *)&config;
	char text[TEXT_BYTES];
	u32 i;

	ssdqos_flash_in_force(drive, &config);
	json_begin_object(json, "params");
	for (i = 0; i < SSDQOS_FLASH_NR_PARAMS; i++) {
		const struct ssdqos_param *row = &ssdqos_flash_params[i];

		ssdqos_param_format(row, value[i], text, sizeof(text));
		if (row->choices)
			json_string(json, row->name, text);
		else
			json_u64(json, row->name, value[i]);
	}
	json_end(json);
}

static void report_tasks(struct json *json, const struct ssdqos_flash *drive)
{
	const struct ssdqos_flash_task_stats *stats;
	struct ssdqos_flash_gauges g;
	u32 i;

	ssdqos_flash_gauges(drive, &g);
	json_begin_object(json, "tasks");
	for (i = 0; i < SSDQOS_NR_TASKS; i++) {
		stats = ssdqos_flash_task_stats(drive, i);
		json_begin_object(json, ssdqos_flash_task_rows[i].name);
		json_u64(json, "issued", stats->issued);
		json_fixed(json, "share", g.share_ppm[i], PPM_DIGITS);
		json_u64(json, "wait_ns", stats->wait_ns);
		json_end(json);
	}
	json_end(json);
}

static void report_source(struct json *json, const struct report_setup *setup)
{
	if (setup->load)
		json_string(json, "load", setup->load);
	else
		json_null(json, "load");
	json_bool(json, "synthetic", setup->load);
}

static void report_verify(struct json *json, const struct verify *verify)
{
	if (verify->done)
		json_fixed(json, "verify_cpu_s", verify->cpu_ns, 9);
	else
		json_null(json, "verify_cpu_s");
}

void report_result(struct json *json, const struct run_result *result,
		   const struct report_setup *setup)
{
	json_u64(json, "requests", result->requests);
	json_u64(json, "bytes", result->bytes);
	json_u64(json, "wrapped", result->wrapped);
	json_u64(json, "cut", result->cut);
	json_u64(json, "stuck", result->stuck);
	json_fixed(json, "virtual_s", result->virtual_ns, 9);
	json_fixed(json, "wall_s", result->wall_ns, 9);
	json_fixed(json, "cpu_s", result->cpu_ns, 9);
	json_fixed(json, "setup_cpu_s", setup->cpu_ns, 9);
	report_verify(json, &setup->verify);
	json_fixed(json, "requests_per_wall_s",
		   report_per_s_milli(result->requests, result->wall_ns), MILLI_DIGITS);
	json_fixed(json, "requests_per_cpu_s",
		   report_per_s_milli(result->requests, result->cpu_ns), MILLI_DIGITS);
	json_fixed(json, "iops", report_per_s_milli(result->requests, result->virtual_ns),
		   MILLI_DIGITS);
	json_fixed(json, "bytes_per_s", report_per_s_milli(result->bytes, result->virtual_ns),
		   MILLI_DIGITS);
	report_latency(json, result);
}

void report_drive(struct json *json, const struct ssdqos_flash *drive)
{
	const struct ssdqos_flash_host_waits *host = ssdqos_flash_host_waits(drive);

	report_flash(json, drive);
	report_tasks(json, drive);
	report_waits(json, "host_wait_ns", host->nr, host->ns);
	json_u64(json, "seed", ssdqos_flash_config(drive)->seed);
	report_geometry(json, drive);
	report_params(json, drive);
}

int report_json(FILE *file, const struct ssdqos_flash *drive, const struct run_result *result,
		const struct report_setup *setup)
{
	struct json json;

	json_start(&json, file);
	json_begin_object(&json, NULL);
	report_source(&json, setup);
	report_result(&json, result, setup);
	report_request_waits(&json, result);
	report_drive(&json, drive);
	json_end(&json);
	return json_finish(&json);
}

static void report_text_hist(FILE *file, const char *name, const struct ssdqos_hist *h)
{
	u32 i;

	if (!h->n)
		return;
	fprintf(file, "%-10s %10llu %10.1f", name, h->n,
		(double)ssdqos_hist_mean_ns(h) / NS_PER_US);
	for (i = 0; i < SIM_ARRAY_SIZE(report_quantiles); i++)
		fprintf(file, " %10.1f",
			(double)ssdqos_hist_percentile_ns(h, report_quantiles[i].ppm) / NS_PER_US);
	fprintf(file, " %10.1f\n", (double)h->max_ns / NS_PER_US);
}

static void report_text_latency(FILE *file, const struct run_result *result)
{
	u32 op, i;

	fprintf(file, "\n%-10s %10s %10s", "latency", "n", "mean us");
	for (i = 0; i < SIM_ARRAY_SIZE(report_quantiles); i++)
		fprintf(file, " %10s", report_quantiles[i].head);
	fprintf(file, " %10s\n", "max");
	for (op = 0; op < SSDQOS_FLASH_NR_OPS; op++)
		report_text_hist(file, ssdqos_flash_op_names[op], &result->latency[op]);
	report_text_hist(file, "read_small", &result->latency_read_small);
}

static void report_text_shares(FILE *file, const struct ssdqos_flash_gauges *g)
{
	u32 i;

	fprintf(file, "shares at the end:");
	for (i = 0; i < SSDQOS_NR_TASKS; i++)
		fprintf(file, " %s %.1f%%", ssdqos_flash_task_rows[i].name,
			(double)g->share_ppm[i] / PCT_PPM);
	fputc('\n', file);
}

/* Where the time of reads went; causes that never came up are left out. */
static void report_text_waits(FILE *file, const struct run_result *result)
{
	const u64 sum_ns = result->latency[SSDQOS_FLASH_READ].sum_ns;
	u32 i;

	if (!sum_ns)
		return;
	fprintf(file, "time of reads:");
	for (i = 0; i < SSDQOS_NR_WAITS; i++)
		if (result->read_wait_ns[i])
			fprintf(file, " %s %.1f%%", ssdqos_flash_wait_names[i],
				(double)report_pct_milli(result->read_wait_ns[i], sum_ns) / 1000);
	fputc('\n', file);
}

/* What comes before the run and behind it. */
static void report_text_setup(FILE *file, const struct report_setup *setup)
{
	fprintf(file, "besides: %.3f s of CPU to make the drive", (double)setup->cpu_ns / NS_PER_S);
	if (setup->verify.done)
		fprintf(file, ", %.3f s to check it", (double)setup->verify.cpu_ns / NS_PER_S);
	fputc('\n', file);
}

void report_text(FILE *file, const struct ssdqos_flash *drive, const struct run_result *result,
		 const struct report_setup *setup)
{
	const struct ssdqos_flash_stats *s = ssdqos_flash_stats(drive);
	struct ssdqos_flash_gauges g;

	ssdqos_flash_gauges(drive, &g);
	if (setup->load)
		fprintf(file, "synthetic load: %s\n", setup->load);
	fprintf(file,
		"%llu requests, %.3f s virtual, %.3f s of CPU (%.0f requests per CPU-second)\n",
		result->requests, (double)result->virtual_ns / NS_PER_S,
		(double)result->cpu_ns / NS_PER_S,
		(double)report_per_s_milli(result->requests, result->cpu_ns) / 1000);
	report_text_setup(file, setup);
	fprintf(file, "%.0f IOPS, %.1f MB/s\n",
		(double)report_per_s_milli(result->requests, result->virtual_ns) / 1000,
		(double)report_per_s_milli(result->bytes, result->virtual_ns) / 1000 / 1e6);
	report_text_latency(file, result);
	fprintf(file,
		"\nflash: WAF %llu.%03llu, %llu blocks collected, %llu units moved, %u free blocks (least %u)\n",
		g.waf_milli / 1000, g.waf_milli % 1000, s->gc_blocks, s->gc_moved_units,
		g.free_blocks, g.free_blocks_min);
	report_text_shares(file, &g);
	report_text_waits(file, result);
	if (s->buffer_stalls + s->space_stalls)
		fprintf(file, "writes that waited: %llu for the buffer, %llu for space\n",
			s->buffer_stalls, s->space_stalls);
	if (result->wrapped)
		fprintf(file, "%llu requests lay beyond the drive's end and were wrapped\n",
			result->wrapped);
	if (result->cut)
		fprintf(file, "%llu of them were cut at the drive's end\n", result->cut);
}

void report_cdf(FILE *file, const struct run_result *result)
{
	const struct ssdqos_hist *h = &result->latency_read_small;
	u64 count = 0, largest_ns;
	u32 i;

	fprintf(file, "latency_ns,cumulative_count\n");
	for (i = 0; i < SSDQOS_HIST_NR; i++) {
		if (!h->bucket[i])
			continue;
		count += h->bucket[i];
		largest_ns = ssdqos_hist_bucket_low_ns(i + 1) - 1;
		fprintf(file, "%llu,%llu\n", count == h->n ? h->max_ns : largest_ns, count);
	}
}
