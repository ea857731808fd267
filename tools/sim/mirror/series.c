// SPDX-License-Identifier: GPL-2.0
#include "series.h"

#include <string.h>

void mirror_series_start(struct mirror_series *series, const struct mirror_stream *streams, u32 nr,
			 const struct ssdqos_mirror *mirror, const struct mirror_journal *journal)
{
	mirror_series_reset(series, 0);
	if (!series->file)
		return;
	fprintf(series->file, "time_s");
	for (u32 i = 0; i < nr; i++)
		fprintf(series->file, ",%s_n,%s_bytes", streams[i].name, streams[i].name);
	if (mirror)
		fprintf(series->file, ",cache_blocks");
	if (journal)
		fprintf(series->file, ",journal_blocks");
	for (u32 i = 0; mirror && i < mirror->nr; i++)
		fprintf(series->file, ",member_%u", i);
	fputc('\n', series->file);
}

static void print_row(const struct mirror_series *series, const struct mirror_stream *streams,
		      u32 nr, const struct ssdqos_mirror *mirror, const struct mirror_journal *journal)
{
	fprintf(series->file, "%llu.%09llu", series->end_ns / NS_PER_S, series->end_ns % NS_PER_S);
	for (u32 i = 0; i < nr; i++)
		fprintf(series->file, ",%llu,%llu", streams[i].requests, streams[i].bytes);
	if (mirror)
		fprintf(series->file, ",%u", mirror->cache.used);
	if (journal)
		fprintf(series->file, ",%llu", journal->flow.ring.used);
	for (u32 i = 0; mirror && i < mirror->nr; i++)
		fprintf(series->file, ",%s", ssdqos_mirror_state_names[mirror->members[i].state]);
	fputc('\n', series->file);
}

void mirror_series_step(struct mirror_series *series, struct mirror_stream *streams, u32 nr,
			const struct ssdqos_mirror *mirror, const struct mirror_journal *journal)
{
	if (series->file)
		print_row(series, streams, nr, mirror, journal);
	for (u32 i = 0; i < nr; i++) {
		mirror_windows_add(&streams[i].windows, streams[i].requests);
		streams[i].requests = 0;
		streams[i].bytes = 0;
	}
	for (u32 op = 0; op < SSDQOS_FLASH_NR_OPS; op++) {
		mirror_windows_add(&series->windows[op], series->done[op]);
		series->done[op] = 0;
	}
	series->end_ns += series->window_ns;
}

void mirror_series_reset(struct mirror_series *series, u64 now_ns)
{
	series->end_ns = now_ns + series->window_ns;
	memset(series->done, 0, sizeof(series->done));
	memset(series->windows, 0, sizeof(series->windows));
}
