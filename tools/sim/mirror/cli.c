// SPDX-License-Identifier: GPL-2.0
#include "cli.h"

#include <stdlib.h>
#include <string.h>

#include "../common/clock.h"
#include "../common/exit.h"
#include "../common/output.h"
#include "report.h"

#define WINDOW_NS NS_PER_S
#define TRACE_LINE_BYTES (PAIR_TEXT_BYTES + 32)

struct mirror_command {
	struct drive_options drive;
	struct mirror_device_options device;
	struct option_list streams;
	struct option_list events;
	const char *trace_path;
	u64 runtime_ns;
	u64 warm_up_ns;
	u64 window_ns;
	const char *json_path;
	const char *series_path;
	bool is_stdout;		/* something of it goes to the standard output */
};

#define FIELD(field) offsetof(struct mirror_command, field)

static const struct option_row rows[] = {
	DRIVE_MODEL_OPTION_ROWS(mirror_command, drive),
	MIRROR_DEVICE_OPTION_ROWS(mirror_command, device, "who serves: members that take turns (the default), all drives written at once and one of them read, or one drive"),
	{ "stream", "STREAM", option_repeated, "'name=log load=\"write bs=4k\" fsync=on': a load as of run, whose writes are made durable each; or 'name=search trace=FILE loop=10 scale=0.5', or with iodepth=31 whatever its times; may be repeated", FIELD(streams) },
	{ "trace", "FILE", option_text, "as --stream 'name=trace trace=FILE'", FIELD(trace_path) },
	{ "event", "EVENT", option_repeated, "'10s:fail:1' takes member 1 away, '20s:join:1' brings it back, '20s:replace:1' another one in its place, '10s:rot:1' lets it lose some blocks, '20s:scrub' compares members, '10s:journal' takes the journal away; may be repeated", FIELD(events) },
	{ "runtime", "TIME", option_time, "how long", FIELD(runtime_ns) },
	{ "warm-up", "TIME", option_time, "nothing is counted, and no window begins, before this virtual time", FIELD(warm_up_ns) },
	{ "window", "TIME", option_time, "length of a window in which requests are counted; default 1s", FIELD(window_ns) },
	{ "json", "FILE", option_text, "results as JSON, - for the standard output", FIELD(json_path) },
	{ "series", "FILE", option_text, "a row for each window: requests and bytes completed by stream, cache, states of members", FIELD(series_path) },
};

static int check_files(struct mirror_command *c, struct sim_error *error)
{
	const struct output_file files[] = {
		{ "drive", c->drive.model, OUTPUT_IS_READ },
			{ "trace", c->trace_path, OUTPUT_IS_READ },
		{ "json", c->json_path, OUTPUT_IS_WRITTEN },
		{ "series", c->series_path, OUTPUT_IS_WRITTEN },
	};

	c->is_stdout = output_is_stdout(files, SIM_ARRAY_SIZE(files));
	return output_check(files, SIM_ARRAY_SIZE(files), error);
}

static int check(void *options, struct sim_error *error)
{
	const struct mirror_command *c = options;

	if (!c->drive.model)
		return sim_error_set(error, "--drive is missing; see ssdqos-sim mirror --help");
	if (!c->streams.nr == !c->trace_path)
		return sim_error_set(error, "one of --stream and --trace is needed");
	if (!c->runtime_ns)
		return sim_error_set(error, "--runtime is missing; see ssdqos-sim mirror --help");
	if (c->warm_up_ns >= c->runtime_ns)
		return sim_error_set(error, "--warm-up is not shorter than --runtime");
	if (!c->window_ns)
		return sim_error_set(error, "--window: 0 is too short");
	if (c->device.peer != MIRROR_PEER_IANUS && (c->device.parameters.nr || c->events.nr))
		return sim_error_set(error, "--mirror and --event need --peer ianus");
	return mirror_device_check(&c->device, error) ? -1 : check_files(options, error);
}

/* ---- making things ---- */

static int make_stream(const struct mirror_command *c, struct mirror_plan *plan, const char *line,
		       struct sim_error *error)
{
	struct mirror_stream *stream = &plan->streams[plan->nr_streams];
	const u64 seed = (c->device.seed - 1) * MIRROR_SEEDS_OF_A_RUN + plan->nr_streams + 1;

	plan->nr_streams++;
	if (mirror_stream_init(stream, line, seed,
			       plan->device.data.blocks * SSDQOS_MIRROR_BLOCK_BYTES, error))
		return -1;
	for (struct mirror_stream *other = plan->streams; other < stream; other++)
		if (!strcmp(other->name, stream->name))
			return sim_error_set(error, "--stream %s: there are two of this name",
					     stream->name);
	return 0;
}

static int make_streams(const struct mirror_command *c, struct mirror_plan *plan,
			struct sim_error *error)
{
	char line[TRACE_LINE_BYTES];

	plan->streams = calloc(c->streams.nr + 1, sizeof(*plan->streams));
	if (!plan->streams)
		return sim_error_set(error, "not enough memory");
	if (c->trace_path) {
		snprintf(line, sizeof(line), "name=trace trace=\"%s\"", c->trace_path);
		return make_stream(c, plan, line, error);
	}
	for (u32 i = 0; i < c->streams.nr; i++)
		if (make_stream(c, plan, c->streams.text[i], error))
			return -1;
	return 0;
}

static int make_events(const struct mirror_command *c, struct mirror_plan *plan,
		       const struct ssdqos_mirror_config *cfg, struct sim_error *error)
{
	const u32 members = (u32)c->device.members;

	plan->events = calloc(c->events.nr + 1, sizeof(*plan->events));
	if (!plan->events)
		return sim_error_set(error, "not enough memory");
	for (; plan->nr_events < c->events.nr; plan->nr_events++)
		if (mirror_event_parse(&plan->events[plan->nr_events],
				       c->events.text[plan->nr_events], members, error))
			return -1;
	return mirror_events_check(plan->events, plan->nr_events, members,
				   cfg->durability == SSDQOS_MIRROR_JOURNAL, error);
}

static int make_plan(const struct mirror_command *c, struct mirror_plan *plan,
		     struct sim_error *error)
{
	struct ssdqos_mirror_config cfg;

	if (mirror_device_configure(&c->device, &cfg, error) ||
	    make_events(c, plan, &cfg, error) ||
	    mirror_device_create(&plan->device, &c->drive, &c->device, &cfg, error))
		return -1;
	return make_streams(c, plan, error);
}

static void destroy_plan(struct mirror_plan *plan)
{
	for (u32 i = 0; i < plan->nr_streams; i++)
		mirror_stream_destroy(&plan->streams[i]);
	free(plan->streams);
	free(plan->events);
	mirror_device_destroy(&plan->device);
}

/* ---- a run ---- */

static int print(const struct mirror_command *c, const struct mirror_plan *plan, FILE *json,
		 const struct mirror_result *result, const struct report_setup *setup,
		 struct sim_error *error)
{
	if (json && mirror_report_json(json, plan, result, setup))
		return sim_error_set(error, "'%s' can't be written", c->json_path);
	if (!c->is_stdout)
		mirror_report_text(stdout, plan, result);
	if (output_close(json, c->json_path, error))
		return -1;
	return output_close(plan->series.file, c->series_path, error);
}

static int execute(const struct mirror_command *c, struct mirror_plan *plan,
		   struct report_setup *setup, struct sim_error *error)
{
	static struct mirror_result result;
	FILE *json = NULL;
	int r;

	if (output_open(c->json_path, &json, error) ||
	    output_open(c->series_path, &plan->series.file, error) ||
	    mirror_run(plan, &result, error))
		return -1;
	mirror_device_verify(&plan->device, c->drive.verify, &setup->verify);
	if (print(c, plan, json, &result, setup, error))
		return -1;
	r = exit_verdict(setup->verify.broken, result.run.stuck);
	return r ? r : mirror_device_verdict(&result.measure.watch);
}

static int run(const void *options, struct sim_error *error)
{
	const struct mirror_command *c = options;
	struct report_setup setup = { .cpu_ns = clock_cpu_ns() };
	static struct mirror_plan plan;
	int r;

	plan.runtime_ns = c->runtime_ns;
	plan.warm_up_ns = c->warm_up_ns;
	plan.series.window_ns = c->window_ns;
	r = make_plan(c, &plan, error);
	setup.cpu_ns = clock_cpu_ns() - setup.cpu_ns;
	if (!r)
		r = execute(c, &plan, &setup, error);
	destroy_plan(&plan);
	return r;
}

static const struct option_command command = {
	.name = "mirror",
	.rows = rows,
	.nr = SIM_ARRAY_SIZE(rows),
	.check = check,
	.run = run,
};

void mirror_print_help(FILE *file)
{
	option_print_help(file, &command);
}

int mirror_main(int argc, char **argv)
{
	static struct mirror_command c = {
		.device = { MIRROR_DEVICE_DEFAULTS, .peer = MIRROR_PEER_IANUS },
		.window_ns = WINDOW_NS,
	};

	return option_main(&command, argc, argv, &c);
}
