// SPDX-License-Identifier: GPL-2.0
#include "progress.h"

#include <string.h>
#include <time.h>
#include <unistd.h>

#define PPM_PER_PERCENT_TENTH 1000
#define TENTHS 10
#define SECONDS_PER_MINUTE 60
#define LINE_BYTES 128
#define YEAR_S (365 * 24 * 3600)
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
	progress->is_terminal = isatty(fileno(file));
	progress->start_ns = wall_clock_ns();
	progress->next_ns = progress->start_ns +
			    (progress->is_terminal ? 0 : PROGRESS_LOG_INTERVAL_NS);
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

static void write_line(struct progress *progress, const char *line, u64 now_ns)
{
	if (progress->is_terminal)
		fprintf(progress->file, ERASE_LINE "%s", line);
	else
		fprintf(progress->file, "ssdqos-sim: %s\n", line);
	fflush(progress->file);
	progress->next_ns = now_ns + (progress->is_terminal ? PROGRESS_INTERVAL_NS :
							      PROGRESS_LOG_INTERVAL_NS);
	progress->has_line = progress->is_terminal;
}

void progress_show(struct progress *progress, u64 requests, u64 virtual_ns, u64 done_ppm)
{
	const u64 now_ns = wall_clock_ns();
	char line[LINE_BYTES];

	if (now_ns < progress->next_ns)
		return;
	progress_format(line, sizeof(line), now_ns - progress->start_ns, requests, virtual_ns,
			done_ppm);
	write_line(progress, line, now_ns);
}

void progress_show_years(struct progress *progress, u64 now_ns, u64 most_ns)
{
	const u64 wall_ns = wall_clock_ns();
	char line[LINE_BYTES];

	if (wall_ns < progress->next_ns)
		return;
	snprintf(line, sizeof(line), "%.2f years, at most %.2f", (double)now_ns / NS_PER_S / YEAR_S,
		 (double)most_ns / NS_PER_S / YEAR_S);
	write_line(progress, line, wall_ns);
}

void progress_note(FILE *file, const char *what)
{
	if (!isatty(fileno(file)))
		return;
	fprintf(file, ERASE_LINE "%s", what);
	fflush(file);
}

void progress_end(struct progress *progress)
{
	if (!progress->has_line)
		return;
	fputs(ERASE_LINE, progress->file);
	fflush(progress->file);
	progress->has_line = false;
}
