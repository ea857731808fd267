// SPDX-License-Identifier: GPL-2.0
#include "cli.h"

#include <errno.h>
#include <stdlib.h>

#include "../common/clock.h"
#include "../common/exit.h"
#include "../common/input.h"
#include "../common/output.h"
#include "ready.h"
#include "report.h"

#define ERR_BYTES SIM_ERROR_BYTES

struct qos_command {
	struct drive_options drive;
	struct mirror_device_options device;
	const char *profile_path;
	struct option_list parameters;
	struct option_list streams;
	struct option_list changes;
	u64 runtime_ns;
	u64 warm_up_ns;
	bool bypass;
	bool silent;
	bool check;
	const char *json_path;
	const char *series_path;
	u64 series_interval_ns;
	const char *events_path;
	bool is_stdout;		/* something of it goes to the standard output */
};

#define FIELD(field) offsetof(struct qos_command, field)

static const struct option_row rows[] = {
	DRIVE_OPTION_ROWS(qos_command, drive),
	MIRROR_DEVICE_OPTION_ROWS(qos_command, device, "what the clients share: a drive (the default), drives that are all written at once and one of them read, or a mirror whose members take turns"),
	{ "profile", "FILE", option_text, "what requests cost on the drive, from ssdqos profile", FIELD(profile_path) },
	{ "qos", "KEY=VALUE", option_repeated, "a parameter of the drive's scheduler or of all streams (see: ssdqos-sim params qos); may be repeated", FIELD(parameters) },
	{ "stream", "STREAM", option_repeated, "'name=reader load=\"randread bs=16k iodepth=31\" min_iops=250 window_ms=10000': a load as of run, and parameters of the stream; urgent=PCT: so many of its requests are metadata; may be repeated", FIELD(streams) },
	{ "runtime", "TIME", option_time, "how long", FIELD(runtime_ns) },
	{ "warm-up", "TIME", option_time, "nothing is counted, and no window begins, before this virtual time", FIELD(warm_up_ns) },
	{ "at", "CHANGE", option_repeated, "'10s reader min_iops=500': parameters of a stream that change, or with the name drive those of the drive model; may be repeated", FIELD(changes) },
	{ "no-qos", NULL, option_switch, "all requests go straight to the drive", FIELD(bypass) },
	{ "no-wear", NULL, option_switch, "the drive tells nobody how worn its flash is, so drive_pe_cycles goes by a guess of the write amplification", FIELD(silent) },
	{ "check", NULL, option_switch, "exit status 1 if a promise was broken: more windows missed than its confidence allows", FIELD(check) },
	{ "json", "FILE", option_text, "results as JSON, - for the standard output", FIELD(json_path) },
	{ "series", "FILE", option_text, "a row for each interval: requests and bytes completed by stream", FIELD(series_path) },
	{ "series-interval", "TIME", option_time, "length of an interval; default 100ms", FIELD(series_interval_ns) },
	{ "events", "FILE", option_text, "a row for each missed window, and for what profile and lifetime do", FIELD(events_path) },
};

static int check_files(struct qos_command *c, struct sim_error *error)
{
	const struct output_file files[] = {
		DRIVE_FILES(c->drive),
		{ "journal-drive", c->device.journal.drive.model, OUTPUT_IS_READ },
		{ "profile", c->profile_path, OUTPUT_IS_READ },
		{ "json", c->json_path, OUTPUT_IS_WRITTEN },
		{ "series", c->series_path, OUTPUT_IS_WRITTEN },
		{ "events", c->events_path, OUTPUT_IS_WRITTEN },
	};

	c->is_stdout = output_is_stdout(files, SIM_ARRAY_SIZE(files));
	return output_check(files, SIM_ARRAY_SIZE(files), error);
}

static int check(void *options, struct sim_error *error)
{
	const struct qos_command *c = options;

	if (!c->drive.model)
		return sim_error_set(error, "--drive is missing; see ssdqos-sim qos --help");
	if (!c->streams.nr)
		return sim_error_set(error, "--stream is missing; see ssdqos-sim qos --help");
	if (!c->runtime_ns)
		return sim_error_set(error, "--runtime is missing; see ssdqos-sim qos --help");
	if (c->warm_up_ns >= c->runtime_ns)
		return sim_error_set(error, "--warm-up is not shorter than --runtime");
	if (!c->series_interval_ns)
		return sim_error_set(error, "--series-interval: 0 is too short");
	if (c->device.peer != MIRROR_PEER_IANUS && c->device.parameters.nr)
		return sim_error_set(error, "--mirror needs --peer ianus");
	if (c->device.peer != MIRROR_PEER_ONE &&
	    (c->drive.load_state_path || c->drive.save_state_path))
		return sim_error_set(error, "--load-state and --save-state are of one drive, not of those of a mirror");
	return mirror_device_check(&c->device, error) ? -1 : check_files(options, error);
}

/* ---- making things ---- */

static int set_common(const struct qos_command *c, struct ssdqos_qos_config *common,
		      struct sim_error *error)
{
	struct sim_error why;
	struct pair pair;

	ssdqos_qos_config_init(common);
	for (u32 i = 0; i < c->parameters.nr; i++) {
		struct text rest = text_of(c->parameters.text[i]);
		int r;

		while ((r = pair_take(&rest, &pair, &why)) > 0)
			if (qos_stream_set(common, &pair, &why))
				return sim_error_set(error, "--qos: %s", why.text);
		if (r)
			return sim_error_set(error, "--qos: %s", why.text);
	}
	return 0;
}

static int load_profile(const struct qos_command *c, const struct ssdqos_apart *edf,
			struct sim_error *error)
{
	struct ssdqos_profile *profile;
	char err[ERR_BYTES];
	char *text;
	u64 size;
	int r;

	if (!c->profile_path)
		return 0;
	text = input_read(c->profile_path, &size);
	if (!text)
		return sim_error_set(error, "--profile: %s: %s", c->profile_path, strerror(errno));
	if (size && text[size - 1] != '\n') {
		free(text);
		return sim_error_set(error, "--profile: %s: it is cut: its last line has no end",
				     c->profile_path);
	}
	profile = ssdqos_profile_parse(text, err, sizeof(err));
	free(text);
	if (!profile)
		return sim_error_set(error, "--profile: %s: %s", c->profile_path, err);
	r = ssdqos_apart_set_profile(edf, &profile, 0, err, sizeof(err));
	ssdqos_profile_free(profile);
	return r ? sim_error_set(error, "--profile: %s: %s", c->profile_path, err) : 0;
}

static bool has_name(const struct qos_stream *streams, u32 nr, const char *name)
{
	for (u32 i = 0; i < nr; i++)
		if (!strcmp(streams[i].name, name))
			return true;
	return false;
}

/* As the first stream says. */
static int make_schedulers(const struct qos_command *c, struct qos_plan *plan,
			   struct sim_error *error)
{
	if (!ssdqos_apart_create(&plan->edf, plan->streams[0].config.drive.drive_apart))
		return sim_error_set(error, "not enough memory");
	return load_profile(c, &plan->edf, error);
}

static int join(const struct ssdqos_apart *edf, struct qos_stream *stream, struct sim_error *error)
{
	struct ssdqos_qos_config *config = &stream->config;
	char err[ERR_BYTES];

	/* what streams before it said of the drive */
	for (u32 i = SSDQOS_QOS_NR_STREAM_PARAMS; i < SSDQOS_QOS_NR_PARAMS; i++)
		if (!(config->given & 1ULL << i))
			*ssdqos_qos_config_value(config, i) =
				((const u64 *)&edf->reads->cfg)[i - SSDQOS_QOS_NR_STREAM_PARAMS];
	stream->drive = edf;
	if (ssdqos_apart_add(edf, &stream->edf, 0, err, sizeof(err)) ||
	    ssdqos_apart_set(edf, &stream->edf, config, 0, err, sizeof(err)))
		return sim_error_set(error, "--stream %s: %s", stream->name, err);
	return 0;
}

static int make_stream(const struct qos_command *c, struct qos_plan *plan,
		       const struct ssdqos_qos_config *common, struct sim_error *error)
{
	const u32 i = plan->nr_streams++;
	struct qos_stream *stream = &plan->streams[i];
	const u64 seed = (c->device.seed - 1) * MIRROR_SEEDS_OF_A_RUN + i + 1;

	if (qos_stream_init(stream, c->streams.text[i], common, seed,
			    qos_below_bytes(&plan->below), error))
		return -1;
	if (has_name(plan->streams, i, stream->name))
		return sim_error_set(error, "--stream %s: there are two of this name",
				     stream->name);
	if (!i && make_schedulers(c, plan, error))
		return -1;
	return join(&plan->edf, stream, error);
}

static int make_streams(const struct qos_command *c, struct qos_plan *plan, struct sim_error *error)
{
	struct ssdqos_qos_config common;

	if (set_common(c, &common, error))
		return -1;
	plan->streams = calloc(c->streams.nr, sizeof(*plan->streams));
	if (!plan->streams)
		return sim_error_set(error, "not enough memory");
	while (plan->nr_streams < c->streams.nr)
		if (make_stream(c, plan, &common, error))
			return -1;
	return 0;
}

static int make_changes(const struct qos_command *c, struct qos_plan *plan, struct sim_error *error)
{
	plan->changes = calloc(c->changes.nr + 1, sizeof(*plan->changes));
	if (!plan->changes)
		return sim_error_set(error, "not enough memory");
	for (; plan->nr_changes < c->changes.nr; plan->nr_changes++)
		if (qos_change_init(&plan->changes[plan->nr_changes],
				    c->changes.text[plan->nr_changes], plan->streams,
				    plan->nr_streams, &plan->below, error))
			return -1;
	qos_change_sort(plan->changes, plan->nr_changes);
	return 0;
}

static void destroy_plan(struct qos_plan *plan)
{
	for (u32 i = 0; i < plan->nr_streams; i++)
		qos_stream_destroy(&plan->streams[i]);
	if (plan->ready)
		qos_ready_leave(plan);
	ssdqos_ready_destroy(plan->ready);
	free(plan->streams);
	free(plan->changes);
	ssdqos_apart_destroy(&plan->edf);
	qos_below_destroy(&plan->below);
}

static int make_below(const struct qos_command *c, struct qos_below *below,
		      struct sim_error *error)
{
	struct ssdqos_mirror_config cfg;

	if (mirror_device_configure(&c->device, &cfg, error) ||
	    mirror_device_create(&below->device, &c->drive, &c->device, &cfg, error))
		return -1;
	return qos_below_start(below, error);
}

static int make_plan(const struct qos_command *c, struct qos_plan *plan, struct sim_error *error)
{
	if (make_below(c, &plan->below, error))
		return -1;
	plan->ready = ssdqos_ready_create();
	if (!plan->ready)
		return sim_error_set(error, "not enough memory");
	if (make_streams(c, plan, error))
		return -1;
	qos_ready_join(plan);
	return make_changes(c, plan, error);
}

/* ---- a run ---- */

static int open_files(const struct qos_command *c, struct qos_plan *plan, FILE **json,
		      struct sim_error *error)
{
	if (output_open(c->json_path, json, error) ||
	    output_open(c->series_path, &plan->series.file, error))
		return -1;
	return output_open(c->events_path, &plan->events, error);
}

static int print(const struct qos_command *c, const struct qos_plan *plan, FILE *json,
		 const struct qos_result *result, const struct report_setup *setup,
		 struct sim_error *error)
{
	if (json && qos_report_json(json, plan, result, setup))
		return sim_error_set(error, "'%s' can't be written", c->json_path);
	if (!c->is_stdout)
		qos_report_text(stdout, plan, result);
	if (output_close(json, c->json_path, error) ||
	    output_close(plan->series.file, c->series_path, error))
		return -1;
	return output_close(plan->events, c->events_path, error);
}

static int verdict(const struct qos_command *c, const struct qos_plan *plan)
{
	int r = SIM_EXIT_GOOD;

	for (u32 i = 0; c->check && i < plan->nr_streams; i++) {
		const struct qos_stream *stream = &plan->streams[i];

		if (qos_stream_kept(stream))
			continue;
		fprintf(stderr, "ssdqos-sim: stream %s: %llu of %llu windows were missed\n",
			stream->name, stream->end.stats.windows_missed,
			stream->end.stats.windows_met + stream->end.stats.windows_missed);
		r = SIM_EXIT_BROKEN;
	}
	return r;
}

static int execute(const struct qos_command *c, struct qos_plan *plan,
		   struct report_setup *setup, struct sim_error *error)
{
	static struct qos_result result;
	FILE *json = NULL;
	int r;

	if (open_files(c, plan, &json, error) || qos_run(plan, &result, error))
		return -1;
	mirror_device_verify(&plan->below.device, c->drive.verify, &setup->verify);
	if (print(c, plan, json, &result, setup, error) ||
	    drive_save(&c->drive, qos_below_drive(&plan->below, 0), error))
		return -1;
	r = exit_verdict(setup->verify.broken, result.run.stuck);
	if (!r)
		r = mirror_device_verdict(&plan->below.measure.watch);
	return r ? r : verdict(c, plan);
}

static int run(const void *options, struct sim_error *error)
{
	const struct qos_command *c = options;
	struct report_setup setup = { .cpu_ns = clock_cpu_ns() };
	static struct qos_plan plan;
	int r;

	plan.runtime_ns = c->runtime_ns;
	plan.warm_up_ns = c->warm_up_ns;
	plan.bypass = c->bypass;
	plan.silent = c->silent;
	plan.series.interval_ns = c->series_interval_ns;
	r = make_plan(c, &plan, error);
	setup.cpu_ns = clock_cpu_ns() - setup.cpu_ns;
	if (!r)
		r = execute(c, &plan, &setup, error);
	destroy_plan(&plan);
	return r;
}

static const struct option_command command = {
	.name = "qos",
	.rows = rows,
	.nr = SIM_ARRAY_SIZE(rows),
	.check = check,
	.run = run,
};

void qos_print_help(FILE *file)
{
	option_print_help(file, &command);
}

int qos_main(int argc, char **argv)
{
	static struct qos_command c = {
		.device = { MIRROR_DEVICE_DEFAULTS, .peer = MIRROR_PEER_ONE },
		.series_interval_ns = SERIES_INTERVAL_NS,
	};

	return option_main(&command, argc, argv, &c);
}
