// SPDX-License-Identifier: GPL-2.0
#include "progress.h"

#include <string.h>
#include <time.h>
#include <unistd.h>

#define PPM_PER_PERCENT_TENTH 1000
#define TENTHS 10
#define SECONDS_PER_MINUTE 60
#define LINE_BYTES 128
#define ERASE_LINE "\r\033[K"

static u64 wall_clock_ns(void)
{
	struct timespec now;

	clock_gettime(CLOCK_MONOTONIC, &now);
	return (u64)now.tv_sec * NS_PER_S + (u64)now.tv_nsec;
}

void progress_start(struct progress *progress, FILE *file)
{
	memset(progress, 0, sizeof(*progress));
	progress->file = file;
	progress->is_on = isatty(fileno(file));
	progress->start_ns = wall_clock_ns();
}

static u64 per_second(u64 count, u64 wall_ns)
{
	return wall_ns ? (u64)((u128)count * NS_PER_S / wall_ns) : 0;
}

static u64 seconds_left(u64 wall_ns, u64 done_ppm)
{
	return (u64)((u128)wall_ns * (PPM_ONE - done_ppm) / done_ppm / NS_PER_S);
}

void progress_format(char *buffer, size_t bytes, u64 wall_ns, u64 requests, u64 virtual_ns,
		     u64 done_ppm)
{
	const u64 virtual_ms = virtual_ns / NS_PER_MS;
	const u64 ms_per_s = NS_PER_S / NS_PER_MS;
	char percent[16] = "", left[32] = "";

	if (done_ppm && done_ppm <= PPM_ONE) {
		const u64 tenths = done_ppm / PPM_PER_PERCENT_TENTH;
		const u64 seconds = seconds_left(wall_ns, done_ppm);

		snprintf(percent, sizeof(percent), "%llu.%llu %%  ", tenths / TENTHS,
			 tenths % TENTHS);
		snprintf(left, sizeof(left), "  ETA %llu:%02llu", seconds / SECONDS_PER_MINUTE,
			 seconds % SECONDS_PER_MINUTE);
	}
	snprintf(buffer, bytes, "%s%llu requests  %llu.%03llu s virtual  %llu requests/s%s",
		 percent, requests, virtual_ms / ms_per_s, virtual_ms % ms_per_s,
		 per_second(requests, wall_ns), left);
}

void progress_show(struct progress *progress, u64 requests, u64 virtual_ns, u64 done_ppm)
{
	char line[LINE_BYTES];
	const u64 now_ns = wall_clock_ns();

	if (!progress->is_on ||
	    (progress->has_line && now_ns - progress->shown_ns < PROGRESS_INTERVAL_NS))
		return;
	progress_format(line, sizeof(line), now_ns - progress->start_ns, requests, virtual_ns,
			done_ppm);
	fprintf(progress->file, ERASE_LINE "%s", line);
	fflush(progress->file);
	progress->shown_ns = now_ns;
	progress->has_line = true;
}

void progress_end(struct progress *progress)
{
	if (!progress->has_line)
		return;
	fputs(ERASE_LINE, progress->file);
	fflush(progress->file);
	progress->has_line = false;
}
