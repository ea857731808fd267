// SPDX-License-Identifier: GPL-2.0
#include "cli.h"

#include "../common/clock.h"
#include "../common/exit.h"
#include "../common/output.h"
#include "drive.h"
#include "report.h"

struct run_command {
	struct drive_options drive;
	struct trace_options trace;
	const char *trace_path;
	const char *load_line;
	const char *json_path;
	const char *requests_path;
	const char *events_path;
	const char *series_path;
	const char *cdf_path;
	struct series_options series;
	bool is_stdout;		/* something of it goes to the standard output */
};

static int take_scale(const struct option_row *row, const char *value, void *field,
		      struct sim_error *error)
{
	(void)row;
	return trace_parse_scale(value, field, error);
}

static int take_loops(const struct option_row *row, const char *value, void *field,
		      struct sim_error *error)
{
	(void)row;
	return trace_parse_loops(value, field, error);
}

#define FIELD(field) offsetof(struct run_command, field)

static const struct option_row rows[] = {
	DRIVE_OPTION_ROWS(run_command, drive),
	{ "trace", "FILE", option_text, "requests from a trace: time_us,op,offset_bytes,size_bytes (op R, W, D, F flush, U write with FUA); may be .gz", FIELD(trace_path) },
	{ "load", "JOB", option_text, "synthetic requests: 'randrw rwmixread=70 bs=4k iodepth=32 runtime=10s', or 'synthetic-RAD-AS fraction=10%' (see: ssdqos-sim loads)", FIELD(load_line) },
	{ "scale-time", "X", take_scale, "multiply the trace's times, 0.5 is twice as fast", FIELD(trace.scale_ppm) },
	{ "loop", "N", take_loops, "replay the trace N times", FIELD(trace.loops) },
	{ "json", "FILE", option_text, "results as JSON, - for the standard output", FIELD(json_path) },
	{ "requests", "FILE", option_text, "a row for each request: number,arrival_ns,op,offset,size,complete_ns,met, and what it waited for", FIELD(requests_path) },
	{ "events", "FILE", option_text, "a row for each NAND operation and GC decision", FIELD(events_path) },
	{ "series", "FILE", option_text, "a row for each interval: latency of small reads, state of the drive, shares, completions", FIELD(series_path) },
	{ "series-interval", "TIME", option_time, "length of an interval; default 100ms", FIELD(series.interval_ns) },
	{ "series-from", "TIME", option_time, "first interval starts at this virtual time", FIELD(series.from_ns) },
	{ "series-to", "TIME", option_time, "no interval starts at or after this virtual time", FIELD(series.to_ns) },
	{ "cdf", "FILE", option_text, "cumulative counts of the latencies of small reads (64 KiB at most)", FIELD(cdf_path) },
};

static int check_series(const struct run_command *c, struct sim_error *error)
{
	const struct series_options *series = &c->series;

	if (!series->interval_ns)
		return sim_error_set(error, "--series-interval: 0 is too short");
	if (series->from_ns >= series->to_ns)
		return sim_error_set(error, "--series-from is not before --series-to");
	if (!c->series_path && (series->from_ns || series->to_ns != SSDQOS_NEVER_NS ||
				series->interval_ns != SERIES_INTERVAL_NS))
		return sim_error_set(error, "--series-... is given without --series FILE");
	return 0;
}

static int check_files(struct run_command *c, struct sim_error *error)
{
	const struct output_file files[] = {
		{ "trace", c->trace_path, OUTPUT_IS_READ },
		DRIVE_FILES(c->drive),
		{ "json", c->json_path, OUTPUT_IS_WRITTEN },
		{ "requests", c->requests_path, OUTPUT_IS_WRITTEN },
		{ "events", c->events_path, OUTPUT_IS_WRITTEN },
		{ "series", c->series_path, OUTPUT_IS_WRITTEN },
		{ "cdf", c->cdf_path, OUTPUT_IS_WRITTEN },
	};

	c->is_stdout = output_is_stdout(files, SIM_ARRAY_SIZE(files));
	return output_check(files, SIM_ARRAY_SIZE(files), error);
}

static int check(void *options, struct sim_error *error)
{
	const struct run_command *c = options;

	if (!c->drive.model)
		return sim_error_set(error, "--drive is missing; see ssdqos-sim run --help");
	if (!c->trace_path == !c->load_line)
		return sim_error_set(error, "one of --trace and --load is needed");
	return check_series(c, error) ? -1 : check_files(options, error);
}

static int open_source(const struct run_command *c, const struct ssdqos_flash *drive,
		       struct run_source *source, struct sim_error *error)
{
	if (c->load_line)
		source->load = load_create(c->load_line, drive_bytes(drive), error);
	else
		source->trace = trace_open(c->trace_path, &c->trace, error);
	return source->load || source->trace ? 0 : -1;
}

/* ---- what comes out ---- */

/* Files that results go to. */
struct run_files {
	struct run_output output;
	FILE *json;
	FILE *cdf;
};

static int open_files(const struct run_command *c, struct run_files *files,
		      struct sim_error *error)
{
	files->output.series = c->series;
	if (output_open(c->json_path, &files->json, error) ||
	    output_open(c->requests_path, &files->output.requests, error) ||
	    output_open(c->events_path, &files->output.events, error) ||
	    output_open(c->series_path, &files->output.series.file, error) ||
	    output_open(c->cdf_path, &files->cdf, error))
		return -1;
	return 0;
}

static int close_files(const struct run_command *c, const struct run_files *files,
		       struct sim_error *error)
{
	if (output_close(files->json, c->json_path, error) ||
	    output_close(files->output.requests, c->requests_path, error) ||
	    output_close(files->output.events, c->events_path, error) ||
	    output_close(files->output.series.file, c->series_path, error) ||
	    output_close(files->cdf, c->cdf_path, error))
		return -1;
	return 0;
}

static int print(const struct run_command *c, const struct ssdqos_flash *drive,
		 const struct run_files *files, const struct run_result *result,
		 const struct report_setup *setup, struct sim_error *error)
{
	if (files->json && report_json(files->json, drive, result, setup))
		return sim_error_set(error, "'%s' can't be written", c->json_path);
	if (files->cdf)
		report_cdf(files->cdf, result);
	if (!c->is_stdout)
		report_text(stdout, drive, result, setup);
	return close_files(c, files, error);
}

static int execute(const struct run_command *c, struct ssdqos_flash *drive,
		   const struct run_source *source, struct report_setup *setup,
		   struct sim_error *error)
{
	static struct run_result result;
	struct run_files files = { 0 };

	if (open_files(c, &files, error) ||
	    run_drive(drive, source, &files.output, &result, error))
		return -1;
	verify_drive(drive, c->drive.verify, &setup->verify);
	if (print(c, drive, &files, &result, setup, error) ||
	    drive_save(&c->drive, drive, error))
		return -1;
	return exit_verdict(setup->verify.broken, result.stuck);
}

static int run(const void *options, struct sim_error *error)
{
	const struct run_command *c = options;
	struct report_setup setup = { .load = c->load_line, .cpu_ns = clock_cpu_ns() };
	struct ssdqos_flash *drive = drive_create(&c->drive, error);
	struct run_source source = { 0 };
	int r = -1;

	if (!drive)
		return -1;
	setup.cpu_ns = clock_cpu_ns() - setup.cpu_ns;
	if (!open_source(c, drive, &source, error))
		r = execute(c, drive, &source, &setup, error);
	load_destroy(source.load);
	trace_close(source.trace);
	ssdqos_flash_destroy(drive);
	return r;
}

static const struct option_command command = {
	.name = "run",
	.rows = rows,
	.nr = SIM_ARRAY_SIZE(rows),
	.check = check,
	.run = run,
};

void run_print_help(FILE *file)
{
	option_print_help(file, &command);
}

int run_main(int argc, char **argv)
{
	static struct run_command c = {
		.series = { .interval_ns = SERIES_INTERVAL_NS, .to_ns = SSDQOS_NEVER_NS },
	};

	return option_main(&command, argc, argv, &c);
}
