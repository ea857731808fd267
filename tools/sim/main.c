// SPDX-License-Identifier: GPL-2.0
/*
 * main.c - ssdqos-sim: an emulated flash drive without a kernel
 *
 * Exit status: 0; 1 when the run broke a promise (a request never completed,
 * an invariant does not hold); 2 on bad input, with one sentence on the
 * standard error.
 */
#include <getopt.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#include "convert.h"
#include "drive.h"
#include "platform/env.h"
#include "quantity.h"
#include "report.h"

#define EXIT_BROKEN 1
#define EXIT_INPUT 2
#define MAIN_TEXT_BYTES 256

/* What is done with the argument of an option. */
enum main_action {
	MAIN_KEEP,
	MAIN_TIME,
	MAIN_SET,
	MAIN_SIZE,
	MAIN_SCALE_TIME,
	MAIN_LOOP,
	MAIN_HELP,
};

struct main_run {
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
	const char *load_state_path;
	const char *save_state_path;
};

#define FIELD(field) offsetof(struct main_run, field)

/* One row per option: name, argument, what it does, and where texts and times are kept. */
static const struct main_row {
	const char *name;
	const char *argument;
	enum main_action action;
	const char *help;
	size_t field;
} main_rows[] = {
	{ "drive", "PRESET|FILE", MAIN_KEEP, "drive model: autossd, ttflash, or a file of key-value lines", FIELD(drive.model) },
	{ "set", "KEY=VALUE", MAIN_SET, "change a parameter (see: ssdqos-sim params); may be repeated", 0 },
	{ "size", "BYTES", MAIN_SIZE, "capacity, such as 8g; default: that of the model", 0 },
	{ "trace", "FILE", MAIN_KEEP, "requests from a trace: time_us,op,offset_bytes,size_bytes (op R, W, D, F flush, U write with FUA); may be .gz", FIELD(trace_path) },
	{ "load", "JOB", MAIN_KEEP, "synthetic requests: 'randrw rwmixread=70 bs=4k iodepth=32 runtime=10s', or 'synthetic-RAD-AS fraction=10%' (see: ssdqos-sim loads)", FIELD(load_line) },
	{ "scale-time", "X", MAIN_SCALE_TIME, "multiply the trace's times, 0.5 is twice as fast", 0 },
	{ "loop", "N", MAIN_LOOP, "replay the trace N times", 0 },
	{ "json", "FILE", MAIN_KEEP, "results as JSON, - for the standard output", FIELD(json_path) },
	{ "requests", "FILE", MAIN_KEEP, "a row for each request: number,arrival_ns,op,offset,size,complete_ns,met, and what it waited for", FIELD(requests_path) },
	{ "events", "FILE", MAIN_KEEP, "a row for each NAND operation and GC decision", FIELD(events_path) },
	{ "series", "FILE", MAIN_KEEP, "a row for each interval: latency of small reads, state of the drive, shares", FIELD(series_path) },
	{ "series-interval", "TIME", MAIN_TIME, "length of an interval; default 100ms", FIELD(series.interval_ns) },
	{ "series-from", "TIME", MAIN_TIME, "first interval starts at this virtual time", FIELD(series.from_ns) },
	{ "series-to", "TIME", MAIN_TIME, "no interval starts at or after this virtual time", FIELD(series.to_ns) },
	{ "cdf", "FILE", MAIN_KEEP, "cumulative counts of the latencies of small reads (64 KiB at most)", FIELD(cdf_path) },
	{ "load-state", "FILE", MAIN_KEEP, "start with a saved state of a drive of this geometry", FIELD(load_state_path) },
	{ "save-state", "FILE", MAIN_KEEP, "save the drive's state at the end", FIELD(save_state_path) },
	{ "help", NULL, MAIN_HELP, "this text", 0 },
};

static void main_help(FILE *file)
{
	u32 i;

	fprintf(file,
		"usage: ssdqos-sim run --drive PRESET|FILE (--trace FILE | --load JOB) [OPTION]...\n"
		"       ssdqos-sim convert --help    turn other traces into the project's\n"
		"       ssdqos-sim params [--rst]    the drive's parameters\n"
		"       ssdqos-sim loads             the keys of --load, and named loads\n\n"
		"options of run:\n");
	for (i = 0; i < SIM_ARRAY_SIZE(main_rows); i++)
		fprintf(file, "  --%-15s %-12s %s\n", main_rows[i].name,
			main_rows[i].argument ? main_rows[i].argument : "", main_rows[i].help);
}

static int main_fail(const struct sim_error *error)
{
	fprintf(stderr, "ssdqos-sim: %s\n", error->text);
	return EXIT_INPUT;
}

/* ---- options ---- */

static int main_apply(struct main_run *m, const struct main_row *row, char *argument,
		      struct sim_error *error)
{
	void *field = (char *)m + row->field;

	switch (row->action) {
	case MAIN_KEEP:
		*(const char **)field = argument;
		return 0;
	case MAIN_TIME:
		if (!quantity_time_ns(text_of(argument), field))
			return sim_error_set(error, "--%s: '%s' is not a time such as 100ms or 10s",
					     row->name, argument);
		return 0;
	case MAIN_SET:
		if (m->drive.nr_sets == DRIVE_SETS_MAX)
			return sim_error_set(error, "--set: more than %u of them", DRIVE_SETS_MAX);
		m->drive.sets[m->drive.nr_sets++] = argument;
		return 0;
	case MAIN_SIZE:
		if (!quantity_bytes(text_of(argument), &m->drive.size_bytes))
			return sim_error_set(error, "--size: '%s' is not a number of bytes such as 8g",
					     argument);
		return 0;
	case MAIN_SCALE_TIME:
		return trace_parse_scale(argument, &m->trace.scale_ppm, error);
	case MAIN_LOOP:
		return trace_parse_loops(argument, &m->trace.loops, error);
	case MAIN_HELP:
		main_help(stdout);
		exit(0);
	}
	return 0;
}

static int main_check_series(const struct main_run *m, struct sim_error *error)
{
	const struct series_options *series = &m->series;

	if (!series->interval_ns)
		return sim_error_set(error, "--series-interval: 0 is too short");
	if (series->from_ns >= series->to_ns)
		return sim_error_set(error, "--series-from is not before --series-to");
	if (!m->series_path && (series->from_ns || series->to_ns != SSDQOS_NEVER_NS ||
				series->interval_ns != SERIES_INTERVAL_NS))
		return sim_error_set(error, "--series-... is given without --series FILE");
	return 0;
}

static int main_parse(struct main_run *m, int argc, char **argv, struct sim_error *error)
{
	struct option options[SIM_ARRAY_SIZE(main_rows) + 1] = { 0 };
	int id;
	u32 i;

	for (i = 0; i < SIM_ARRAY_SIZE(main_rows); i++) {
		options[i].name = main_rows[i].name;
		options[i].has_arg = main_rows[i].argument ? required_argument : no_argument;
		options[i].val = (int)i + 1;
	}
	opterr = 0;
	while ((id = getopt_long(argc, argv, "", options, NULL)) != -1) {
		if (id == '?')
			return sim_error_set(error, "unknown option or missing argument; "
						    "see ssdqos-sim run --help");
		if (main_apply(m, &main_rows[id - 1], optarg, error))
			return -1;
	}
	if (optind < argc)
		return sim_error_set(error, "'%s' is not an option; see ssdqos-sim run --help",
				     argv[optind]);
	if (!m->drive.model)
		return sim_error_set(error, "--drive is missing; see ssdqos-sim run --help");
	if (!m->trace_path == !m->load_line)
		return sim_error_set(error, "one of --trace and --load is needed");
	return main_check_series(m, error);
}

/* ---- a run ---- */

static int main_open_output(const char *path, FILE **file, struct sim_error *error)
{
	if (!path)
		return 0;
	*file = strcmp(path, "-") ? fopen(path, "w") : stdout;
	return *file ? 0 : sim_error_set(error, "'%s' can't be written", path);
}

static int main_close_output(FILE *file, const char *path, struct sim_error *error)
{
	if (!file)
		return 0;
	if (file == stdout ? fflush(file) : fclose(file))
		return sim_error_set(error, "'%s' can't be written", path);
	return 0;
}

static int main_open_source(const struct main_run *m, const struct ssdqos_flash *drive,
			    struct run_source *source, struct sim_error *error)
{
	u64 bytes = (u64)ssdqos_flash_geo(drive)->nr_lpn << SSDQOS_UNIT_SHIFT;

	if (m->load_line)
		source->load = load_create(m->load_line, bytes, error);
	else
		source->trace = trace_open(m->trace_path, &m->trace, error);
	return source->load || source->trace ? 0 : -1;
}

static int main_verdict(const struct ssdqos_flash *drive, const struct run_result *result)
{
	char err[MAIN_TEXT_BYTES];

	if (result->stuck) {
		fprintf(stderr, "ssdqos-sim: %llu requests never completed\n", result->stuck);
		return EXIT_BROKEN;
	}
	if (ssdqos_flash_check(drive, err, sizeof(err))) {
		fprintf(stderr, "ssdqos-sim: the drive is inconsistent: %s\n", err);
		return EXIT_BROKEN;
	}
	return ssdqos_env_warnings ? EXIT_BROKEN : 0;
}

static u64 main_cpu_ns(void)
{
	struct timespec ts;

	clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &ts);
	return (u64)ts.tv_sec * NS_PER_S + (u64)ts.tv_nsec;
}

/* Let garbage collection come to rest: a state can only be saved then. */
static void main_settle(struct ssdqos_flash *drive)
{
	u64 next_ns;

	ssdqos_flash_log_enable(drive, 0);
	while ((next_ns = ssdqos_flash_next_ns(drive)) != SSDQOS_NEVER_NS)
		ssdqos_flash_advance(drive, next_ns);
}

static int main_print(const struct main_run *m, const struct ssdqos_flash *drive,
		      const struct run_result *result, const struct report_setup *setup,
		      struct sim_error *error)
{
	FILE *json = NULL;

	if (main_open_output(m->json_path, &json, error))
		return -1;
	if (json && report_json(json, drive, result, setup))
		return sim_error_set(error, "'%s' can't be written", m->json_path);
	if (json != stdout)
		report_text(stdout, drive, result, setup);
	return main_close_output(json, m->json_path, error);
}

static int main_print_cdf(const struct main_run *m, const struct run_result *result,
			  struct sim_error *error)
{
	FILE *cdf = NULL;

	if (main_open_output(m->cdf_path, &cdf, error))
		return -1;
	if (cdf)
		report_cdf(cdf, result);
	return main_close_output(cdf, m->cdf_path, error);
}

static int main_drive(const struct main_run *m, struct ssdqos_flash *drive,
		      const struct run_source *source, struct run_result *result,
		      struct sim_error *error)
{
	struct run_output output = { .series = m->series };

	if (main_open_output(m->requests_path, &output.requests, error) ||
	    main_open_output(m->events_path, &output.events, error) ||
	    main_open_output(m->series_path, &output.series.file, error) ||
	    run_drive(drive, source, &output, result, error) ||
	    main_close_output(output.requests, m->requests_path, error) ||
	    main_close_output(output.events, m->events_path, error))
		return -1;
	return main_close_output(output.series.file, m->series_path, error);
}

static int main_execute(const struct main_run *m, struct ssdqos_flash *drive,
			struct run_source *source, const struct report_setup *setup,
			struct sim_error *error)
{
	static struct run_result result;

	if (m->load_state_path && drive_load_state(drive, m->load_state_path, error))
		return -1;
	if (main_drive(m, drive, source, &result, error) ||
	    main_print(m, drive, &result, setup, error) || main_print_cdf(m, &result, error))
		return -1;
	if (m->save_state_path) {
		main_settle(drive);
		if (drive_save_state(drive, m->save_state_path, error))
			return -1;
	}
	return main_verdict(drive, &result);
}

static int main_run(int argc, char **argv)
{
	struct main_run m = {
		.series = { .interval_ns = SERIES_INTERVAL_NS, .to_ns = SSDQOS_NEVER_NS },
	};
	struct report_setup setup;
	struct run_source source = { 0 };
	struct ssdqos_flash *drive;
	struct sim_error error;
	int r = -1;

	if (main_parse(&m, argc, argv, &error))
		return main_fail(&error);
	setup.load = m.load_line;
	setup.cpu_ns = main_cpu_ns();
	drive = drive_create(&m.drive, &error);
	if (!drive)
		return main_fail(&error);
	setup.cpu_ns = main_cpu_ns() - setup.cpu_ns;
	if (!main_open_source(&m, drive, &source, &error))
		r = main_execute(&m, drive, &source, &setup, &error);
	load_destroy(source.load);
	trace_close(source.trace);
	ssdqos_flash_destroy(drive);
	return r < 0 ? main_fail(&error) : r;
}

/* ---- parameters ---- */

static void main_range(const struct ssdqos_param *row, char *text, size_t size)
{
	int n = 0, i;

	if (!row->choices) {
		snprintf(text, size, "%llu to %llu%s%s", row->min, row->max,
			 *row->unit ? " " : "", row->unit);
		return;
	}
	for (i = 0; row->choices[i]; i++)
		n += snprintf(text + n, size - (size_t)n, "%s%s", i ? ", " : "", row->choices[i]);
}

/* The documentation's table is this one: docs can't lag behind the code. */
static int main_params(bool rst)
{
	char range[MAIN_TEXT_BYTES], def[MAIN_TEXT_BYTES];
	u32 i;

	for (i = 0; i < SSDQOS_FLASH_NR_PARAMS; i++) {
		const struct ssdqos_param *row = &ssdqos_flash_params[i];
		const char *when = row->when == SSDQOS_PARAM_LIVE ? "live" : "create";

		main_range(row, range, sizeof(range));
		ssdqos_param_format(row, row->def, def, sizeof(def));
		printf(rst ? "``%s``\n    %s.  Range: %s.  Default: %s.  Set: %s.\n\n" :
			     "%-18s %s\n                   %s; default %s; %s\n",
		       row->name, row->help, range, def, when);
	}
	return 0;
}

int main(int argc, char **argv)
{
	const char *command = argc > 1 ? argv[1] : "";

	if (!strcmp(command, "run"))
		return main_run(argc - 1, argv + 1);
	if (!strcmp(command, "convert"))
		return convert_main(argc - 2, argv + 2);
	if (!strcmp(command, "params"))
		return main_params(argc > 2 && !strcmp(argv[2], "--rst"));
	if (!strcmp(command, "loads")) {
		load_print_help(stdout);
		return 0;
	}
	if (!strcmp(command, "--help") || !strcmp(command, "help")) {
		main_help(stdout);
		return 0;
	}
	fprintf(stderr, "ssdqos-sim: '%s' is not a command; see ssdqos-sim --help\n", command);
	return EXIT_INPUT;
}
