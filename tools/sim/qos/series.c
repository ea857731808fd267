// SPDX-License-Identifier: GPL-2.0
#include "series.h"

void qos_series_start(struct qos_series *series, const struct qos_stream *streams, u32 nr)
{
	series->end_ns = series->file ? series->interval_ns : SSDQOS_NEVER_NS;
	if (!series->file)
		return;
	fprintf(series->file, "time_s");
	for (u32 i = 0; i < nr; i++)
		fprintf(series->file, ",%s_n,%s_bytes", streams[i].name, streams[i].name);
	fputc('\n', series->file);
}

void qos_series_step(struct qos_series *series, struct qos_stream *streams, u32 nr)
{
	fprintf(series->file, "%llu.%09llu", series->end_ns / NS_PER_S, series->end_ns % NS_PER_S);
	for (u32 i = 0; i < nr; i++) {
		fprintf(series->file, ",%llu,%llu", streams[i].requests, streams[i].bytes);
		streams[i].requests = 0;
		streams[i].bytes = 0;
	}
	fputc('\n', series->file);
	series->end_ns += series->interval_ns;
}
