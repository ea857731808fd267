// SPDX-License-Identifier: GPL-2.0
#include "cli.h"

#include "../common/exit.h"
#include "../common/option.h"
#include "../common/output.h"
#include "../common/pair.h"
#include "report.h"

#define ERR_BYTES SIM_ERROR_BYTES
#define HOURS_PER_YEAR (365 * 24ULL)
#define WAF_ONE_PERMILLE 1000
/* Of section 5.5.1. */
#define DEFAULT_CYCLES 3000
#define SERIES_INTERVAL_NS (600 * NS_PER_S)
/* Policies that the core does not know. */
#define POLICY_OPTIMUM "optimum"

struct life_command {
	const char *load;
	const char *trace_path;
	const char *policy;
	struct option_list parameters;
	struct option_list shape;
	u64 hours;
	u64 seed;
	bool fixed_epochs;
	const char *json_path;
	const char *series_path;
	struct life_series series;
	bool is_stdout;		/* something of it goes to the standard output */
};

static int take_years(const struct option_row *row, const char *value, void *field,
		      struct sim_error *error)
{
	const u64 most_hours = ssdqos_qos_params[SSDQOS_QOS_P_drive_lifetime_h].max;
	u64 *hours = field;

	if (!text_to_scaled(text_of(value), HOURS_PER_YEAR, hours) || !*hours ||
	    *hours > most_hours)
		return sim_error_set(error, "--%s: '%s' is not a number of years such as 5 or 0.5, %llu at most",
				     row->name, value, most_hours / HOURS_PER_YEAR);
	return 0;
}

static int take_number(const struct option_row *row, const char *value, void *field,
		       struct sim_error *error)
{
	if (!text_to_u64(text_of(value), field))
		return sim_error_set(error, "--%s: '%s' is not a number", row->name, value);
	return 0;
}

#define FIELD(field) offsetof(struct life_command, field)

static const struct option_row rows[] = {
	{ "load", "NAME", option_text, "what is written: proxy, proj, exchange, map or msnfs, made to Table 8 of the READY paper", FIELD(load) },
	{ "trace", "FILE", option_text, "take the pattern from a trace instead, repeated, with the volume of the load", FIELD(trace_path) },
	{ "policy", "POLICY", option_text, "none, static, dynamic, ready_pes, ready_opt, horizon, or optimum: the constant delay that fits, found by trying", FIELD(policy) },
	{ "years", "N", take_years, "how long the drive shall last (of 365 days); default 5", FIELD(hours) },
	{ "set", "KEY=VALUE", option_repeated, "a parameter of the drive (see: ssdqos-sim params qos), such as drive_recovery=fitted; may be repeated", FIELD(parameters) },
	{ "shape", "KEY=VALUE", option_repeated, "of the load's pattern: quiet_permille, weekend_permille, stretch_s, spread_permille, burst_ppm or burst_pct in place of the load's own; may be repeated", FIELD(shape) },
	{ "seed", "N", take_number, "of the load's pattern; default 1", FIELD(seed) },
	{ "fixed-epochs", NULL, option_switch, "epochs stay one window long", FIELD(fixed_epochs) },
	{ "json", "FILE", option_text, "results as JSON, - for the standard output", FIELD(json_path) },
	{ "series", "FILE", option_text, "a row for each interval: delay and why, length of the epoch, bytes written, time for which writes stopped", FIELD(series_path) },
	{ "series-interval", "TIME", option_time, "length of an interval; default 600s", FIELD(series.interval_ns) },
	{ "series-from", "TIME", option_time, "first interval starts here", FIELD(series.from_ns) },
	{ "series-to", "TIME", option_time, "no interval starts at or after this", FIELD(series.to_ns) },
};

static int check_files(struct life_command *c, struct sim_error *error)
{
	const struct output_file files[] = {
		{ "trace", c->trace_path, OUTPUT_IS_READ },
		{ "json", c->json_path, OUTPUT_IS_WRITTEN },
		{ "series", c->series_path, OUTPUT_IS_WRITTEN },
	};

	c->is_stdout = output_is_stdout(files, SIM_ARRAY_SIZE(files));
	return output_check(files, SIM_ARRAY_SIZE(files), error);
}

static int check(void *options, struct sim_error *error)
{
	const struct life_command *c = options;

	if (!c->load)
		return sim_error_set(error, "--load is missing; see ssdqos-sim life --help");
	if (c->trace_path && c->shape.nr)
		return sim_error_set(error, "--shape: a trace has a pattern of its own");
	if (!c->series.interval_ns)
		return sim_error_set(error, "--series-interval: 0 is too short");
	if (c->series.from_ns >= c->series.to_ns)
		return sim_error_set(error, "--series-from is not before --series-to");
	return check_files(options, error);
}

/* ---- the drive ---- */

static int set_one(struct ssdqos_qos_config *config, const char *key, const char *value,
		   const char *option, struct sim_error *error)
{
	char err[ERR_BYTES];
	int r = ssdqos_qos_config_set(config, key, value, err, sizeof(err));

	if (r < 0)
		return sim_error_set(error, "--%s: %s", option, err);
	return 0;
}

static int set_given(const struct life_command *c, struct ssdqos_qos_config *config,
		     struct sim_error *error)
{
	struct sim_error why;
	struct pair pair;

	for (u32 i = 0; i < c->parameters.nr; i++) {
		struct text rest = text_of(c->parameters.text[i]);
		int r;

		while ((r = pair_take(&rest, &pair, &why)) > 0)
			if (set_one(config, pair.key, pair.value, "set", error))
				return -1;
		if (r)
			return sim_error_set(error, "--set: %s", why.text);
	}
	return 0;
}

/* Things that make no sense here. */
static int check_drive(const struct ssdqos_qos_config *config, struct sim_error *error)
{
	char err[ERR_BYTES];

	if (ssdqos_qos_config_check(config, err, sizeof(err)))
		return sim_error_set(error, "--set: %s", err);
	if (config->given & ~SSDQOS_QOS_GIVEN_DRIVE)
		return sim_error_set(error, "--set: only parameters of the drive count here");
	if (config->drive.drive_time_scale != 1 || config->drive.drive_floor_kb_s ||
	    config->drive.drive_age_h)
		return sim_error_set(error, "--set: drive_time_scale, drive_floor_kb_s and drive_age_h are not simulated");
	return 0;
}

static int make_drive(const struct life_command *c, struct ssdqos_qos_drive_config *drive,
		      struct sim_error *error)
{
	const bool optimum = c->policy && !strcmp(c->policy, POLICY_OPTIMUM);
	struct ssdqos_qos_config config;

	ssdqos_qos_config_init(&config);
	config.drive.drive_waf_permille = WAF_ONE_PERMILLE;
	if (c->hours)
		config.drive.drive_lifetime_h = c->hours;
	if (set_given(c, &config, error))
		return -1;
	if (!config.drive.drive_endurance_gb && !config.drive.drive_pe_cycles)
		config.drive.drive_pe_cycles = DEFAULT_CYCLES;
	if (c->policy && set_one(&config, "drive_throttle", optimum ? "none" : c->policy, "policy",
				 error))
		return -1;
	if (check_drive(&config, error))
		return -1;
	*drive = config.drive;
	return 0;
}

/* ---- the load ---- */

static int shape_given(const struct life_command *c, struct life_shape *shape,
		       struct sim_error *error)
{
	struct sim_error why;
	struct pair pair;

	for (u32 i = 0; i < c->shape.nr; i++) {
		struct text rest = text_of(c->shape.text[i]);
		int r;

		while ((r = pair_take(&rest, &pair, &why)) > 0)
			if (life_shape_set(shape, pair.key, pair.value, &why))
				return sim_error_set(error, "--shape: %s", why.text);
		if (r)
			return sim_error_set(error, "--shape: %s", why.text);
	}
	return 0;
}

static int make_load(const struct life_command *c, struct life_load *load,
		     struct sim_error *error)
{
	struct life_shape shape;

	if (c->trace_path)
		return life_load_traced(load, c->load, c->trace_path, error);
	if (life_load_shape(c->load, &shape, error) || shape_given(c, &shape, error))
		return -1;
	return life_load_named(load, c->load, &shape, c->seed, error);
}

/* ---- the run ---- */

static const char *policy_name(const struct life_command *c, const struct life_plan *plan)
{
	const struct ssdqos_param *row = &ssdqos_qos_params[SSDQOS_QOS_P_drive_throttle];

	return c->policy ? c->policy : row->choices[plan->drive.drive_throttle];
}

static int print(const struct life_command *c, const struct life_plan *plan, FILE *json,
		 const struct life_result *result, struct sim_error *error)
{
	const char *policy = policy_name(c, plan);

	if (json && life_report_json(json, plan, policy, result))
		return sim_error_set(error, "'%s' can't be written", c->json_path);
	if (!c->is_stdout)
		life_report_text(stdout, plan, policy, result);
	if (output_close(json, c->json_path, error))
		return -1;
	return output_close(plan->series.file, c->series_path, error);
}

static int execute(const struct life_command *c, struct life_plan *plan, struct sim_error *error)
{
	static struct life_result result;
	FILE *json = NULL;

	if (output_open(c->json_path, &json, error) ||
	    output_open(c->series_path, &plan->series.file, error))
		return -1;
	if (c->policy && !strcmp(c->policy, POLICY_OPTIMUM) &&
	    life_best_delay_ns(plan, &plan->delay_ns, error))
		return -1;
	if (life_run(plan, &result, error))
		return -1;
	return print(c, plan, json, &result, error);
}

static int run(const void *options, struct sim_error *error)
{
	const struct life_command *c = options;
	struct life_load load = { 0 };
	struct progress progress;
	struct life_plan plan = {
		.load = &load,
		.fixed_epochs = c->fixed_epochs,
		.series = c->series,
		.progress = &progress,
	};
	int r = make_drive(c, &plan.drive, error);

	progress_start(&progress, stderr);
	if (!r)
		r = make_load(c, &load, error);
	if (!r)
		r = execute(c, &plan, error);
	life_load_destroy(&load);
	return r ? r : SIM_EXIT_GOOD;
}

static const struct option_command command = {
	.name = "life",
	.rows = rows,
	.nr = SIM_ARRAY_SIZE(rows),
	.check = check,
	.run = run,
};

void life_print_help(FILE *file)
{
	option_print_help(file, &command);
}

int life_main(int argc, char **argv)
{
	static struct life_command c = {
		.seed = 1,
		.series = { .interval_ns = SERIES_INTERVAL_NS, .to_ns = SSDQOS_NEVER_NS },
	};

	return option_main(&command, argc, argv, &c);
}
