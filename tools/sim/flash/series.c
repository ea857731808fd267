// SPDX-License-Identifier: GPL-2.0
#include "series.h"

#include <string.h>

bool series_is_small_read(const struct ssdqos_flash_req *req)
{
	return req->op == SSDQOS_FLASH_READ && req->nr_sectors <= SERIES_SMALL_SECTORS;
}

static void write_head(FILE *file)
{
	fprintf(file, "time_s,read_small_n,read_small_mean_ns,read_small_max_ns,writes_n,"
		      "free_blocks,read_count_max,erases,gc_blocks,scrub_blocks");
	for (u32 task = 0; task < SSDQOS_NR_TASKS; task++)
		fprintf(file, ",share_ppm_%s", ssdqos_flash_task_rows[task].name);
	for (u32 op = 0; op < SSDQOS_FLASH_NR_OPS; op++)
		fprintf(file, ",%s_n", ssdqos_flash_op_names[op]);
	fputc('\n', file);
}

void series_init(struct series *series, const struct series_options *options)
{
	memset(series, 0, sizeof(*series));
	series->options = *options;
	series->end_ns = SSDQOS_NEVER_NS;
	if (options->file)
		write_head(options->file);
}

static void open_interval(struct series *series, const struct ssdqos_flash *drive, u64 start_ns,
			  u64 end_ns)
{
	series->start_ns = start_ns;
	series->end_ns = start_ns < series->options.to_ns ? end_ns : SSDQOS_NEVER_NS;
	series->reads = 0;
	series->reads_ns = 0;
	series->reads_max_ns = 0;
	memset(series->done, 0, sizeof(series->done));
	series->before = *ssdqos_flash_stats(drive);
}

/* What is before the window is an interval, too, but has no row. */
void series_start(struct series *series, const struct ssdqos_flash *drive, u64 now_ns)
{
	const struct series_options *options = &series->options;
	u64 start_ns;

	if (!options->file)
		return;
	if (now_ns < options->from_ns) {
		open_interval(series, drive, now_ns, options->from_ns);
		return;
	}
	start_ns = now_ns - (now_ns - options->from_ns) % options->interval_ns;
	open_interval(series, drive, start_ns, start_ns + options->interval_ns);
}

void series_count(struct series *series, const struct ssdqos_flash_req *req)
{
	const u64 latency_ns = req->complete_ns - req->arrival_ns;

	series->done[req->op]++;
	if (!series_is_small_read(req))
		return;
	series->reads++;
	series->reads_ns += latency_ns;
	if (latency_ns > series->reads_max_ns)
		series->reads_max_ns = latency_ns;
}

static void write_row(const struct series *series, const struct ssdqos_flash *drive)
{
	const struct ssdqos_flash_stats *now = ssdqos_flash_stats(drive);
	const struct ssdqos_flash_stats *before = &series->before;
	FILE *file = series->options.file;
	struct ssdqos_flash_gauges gauges;

	ssdqos_flash_gauges(drive, &gauges);
	fprintf(file, "%llu.%09llu,%llu,%llu,%llu,%llu,%u,%u,%llu,%llu,%llu",
		series->end_ns / NS_PER_S, series->end_ns % NS_PER_S, series->reads,
		series->reads ? series->reads_ns / series->reads : 0, series->reads_max_ns,
		series->done[SSDQOS_FLASH_WRITE], gauges.free_blocks, gauges.read_count_max,
		now->flash_erases - before->flash_erases, now->gc_blocks - before->gc_blocks,
		now->scrub_blocks - before->scrub_blocks);
	for (u32 task = 0; task < SSDQOS_NR_TASKS; task++)
		fprintf(file, ",%u", gauges.share_ppm[task]);
	for (u32 op = 0; op < SSDQOS_FLASH_NR_OPS; op++)
		fprintf(file, ",%llu", series->done[op]);
	fputc('\n', file);
}

void series_step(struct series *series, const struct ssdqos_flash *drive)
{
	const u64 end_ns = series->end_ns;

	if (series->start_ns >= series->options.from_ns)
		write_row(series, drive);
	open_interval(series, drive, end_ns, end_ns + series->options.interval_ns);
}

void series_finish(struct series *series, const struct ssdqos_flash *drive, u64 now_ns)
{
	if (series->end_ns == SSDQOS_NEVER_NS || now_ns <= series->start_ns)
		return;
	series->end_ns = now_ns;
	series_step(series, drive);
}
