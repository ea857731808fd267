// SPDX-License-Identifier: GPL-2.0
#include "mirror_cli.h"

#include <stdlib.h>
#include <string.h>

#include "clock.h"
#include "exit.h"
#include "mirror_report.h"
#include "output.h"

#define ERR_BYTES SIM_ERROR_BYTES
#define MEMBERS_MIN 2
#define WINDOW_NS NS_PER_S
/* Loads of one run have seeds one after the other, drives too; so far apart are those of two. */
#define SEEDS_OF_A_RUN 65536ULL
#define BYTES_PER_KIB 1024
#define TRACE_LINE_BYTES (PAIR_TEXT_BYTES + 32)

struct mirror_command {
	struct drive_options drive;
	u64 members;
	u64 seed;
	u64 peer;
	struct option_list parameters;
	struct option_list streams;
	struct option_list events;
	struct journal_device_options journal;
	const char *trace_path;
	u64 runtime_ns;
	u64 warm_up_ns;
	u64 window_ns;
	const char *json_path;
	const char *series_path;
	bool is_stdout;		/* something of it goes to the standard output */
};

static const struct ssdqos_param numbers[] = {
	{ .name = "members", .unit = "", .min = MEMBERS_MIN, .max = SSDQOS_MIRROR_MAX_MEMBERS },
	{ .name = "seed", .unit = "", .min = 1, .max = 1000000000 },
	{ .name = "peer", .unit = "", .max = NR_MIRROR_PEERS - 1, .choices = mirror_peer_names },
};

/* A number or a word, in the range that @numbers has. */
static int take_number(const struct option_row *row, const char *value, void *field,
		       struct sim_error *error)
{
	char err[ERR_BYTES];

	for (u32 i = 0; i < SIM_ARRAY_SIZE(numbers); i++)
		if (!strcmp(numbers[i].name, row->name) &&
		    ssdqos_param_parse(&numbers[i], value, field, err, sizeof(err)))
			return sim_error_set(error, "--%s", err);
	return 0;
}

#define FIELD(field) offsetof(struct mirror_command, field)

static const struct option_row rows[] = {
	DRIVE_MODEL_OPTION_ROWS(mirror_command, drive),
	{ "members", "N", take_number, "drives of the mirror; default 2", FIELD(members) },
	{ "peer", "one|raid1|ianus", take_number, "who serves: members that take turns (the default), all drives written at once and one of them read, or one drive", FIELD(peer) },
	{ "mirror", "KEY=VALUE", option_repeated, "a parameter of the mirror (see: ssdqos-sim params mirror); may be repeated", FIELD(parameters) },
	{ "journal-drive", "PRESET|FILE", option_text, "with --mirror durability=journal: drive model of the journal; without, it has a latency and a rate", FIELD(journal.drive.model) },
	{ "journal-set", "KEY=VALUE", option_repeated, "change a parameter of that model; may be repeated", FIELD(journal.drive.sets) },
	{ "journal-size", "BYTES", option_bytes, "size of the journal; default: twice the cache", FIELD(journal.size_bytes) },
	{ "journal-latency", "TIME", option_time, "how long a write to the journal takes, but for its transfer; default 20us", FIELD(journal.latency_ns) },
	{ "journal-rate", "BYTES", option_bytes, "what is transferred to it in a second; default 1g", FIELD(journal.rate) },
	{ "stream", "STREAM", option_repeated, "'name=log load=\"write bs=4k\" fsync=on': a load as of run, whose writes are made durable each; or 'name=search trace=FILE loop=10 scale=0.5', or with iodepth=31 whatever its times; may be repeated", FIELD(streams) },
	{ "trace", "FILE", option_text, "as --stream 'name=trace trace=FILE'", FIELD(trace_path) },
	{ "event", "EVENT", option_repeated, "'10s:fail:1' takes member 1 away, '20s:join:1' brings it back, '20s:replace:1' another one in its place, '10s:rot:1' lets it lose some blocks, '20s:scrub' compares members, '10s:journal' takes the journal away; may be repeated", FIELD(events) },
	{ "runtime", "TIME", option_time, "how long", FIELD(runtime_ns) },
	{ "warm-up", "TIME", option_time, "nothing is counted, and no window begins, before this virtual time", FIELD(warm_up_ns) },
	{ "window", "TIME", option_time, "length of a window in which requests are counted; default 1s", FIELD(window_ns) },
	{ "seed", "N", take_number, "another one has other requests and other drives; default 1", FIELD(seed) },
	{ "json", "FILE", option_text, "results as JSON, - for the standard output", FIELD(json_path) },
	{ "series", "FILE", option_text, "a row for each window: requests and bytes completed by stream, cache, states of members", FIELD(series_path) },
};

static int check_files(struct mirror_command *c, struct sim_error *error)
{
	const struct output_file files[] = {
		{ "drive", c->drive.model, OUTPUT_IS_READ },
		{ "journal-drive", c->journal.drive.model, OUTPUT_IS_READ },
		{ "trace", c->trace_path, OUTPUT_IS_READ },
		{ "json", c->json_path, OUTPUT_IS_WRITTEN },
		{ "series", c->series_path, OUTPUT_IS_WRITTEN },
	};

	c->is_stdout = output_is_stdout(files, SIM_ARRAY_SIZE(files));
	return output_check(files, SIM_ARRAY_SIZE(files), error);
}

/* Is something said of a journal? */
static bool tells_of_journal(const struct journal_device_options *journal)
{
	return journal->drive.model || journal->drive.sets.nr || journal->size_bytes ||
	       journal->latency_ns != SSDQOS_NEVER_NS || journal->rate;
}

static int check_journal(const struct journal_device_options *journal, struct sim_error *error)
{
	const bool timed = journal->latency_ns != SSDQOS_NEVER_NS || journal->rate;

	if (journal->drive.model && timed)
		return sim_error_set(error, "--journal-drive has its own times; --journal-latency and --journal-rate are those of a journal without a drive model");
	if (!journal->drive.model && journal->drive.sets.nr)
		return sim_error_set(error, "--journal-set needs --journal-drive");
	return 0;
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
	if (c->peer != MIRROR_PEER_IANUS && (c->parameters.nr || c->events.nr))
		return sim_error_set(error, "--mirror and --event need --peer ianus");
	return check_journal(&c->journal, error) ? -1 : check_files(options, error);
}

/* ---- making things ---- */

static int configure(const struct mirror_command *c, struct ssdqos_mirror_config *cfg,
		     struct sim_error *error)
{
	char err[ERR_BYTES];
	struct sim_error why;
	struct pair pair;

	ssdqos_mirror_config_init(cfg);
	for (u32 i = 0; i < c->parameters.nr; i++) {
		struct text rest = text_of(c->parameters.text[i]);
		int r;

		while ((r = pair_take(&rest, &pair, &why)) > 0)
			if (ssdqos_mirror_config_set(cfg, pair.key, pair.value, err,
						     sizeof(err)) < 0)
				return sim_error_set(error, "--mirror: %s", err);
		if (r)
			return sim_error_set(error, "--mirror: %s", why.text);
	}
	if (ssdqos_mirror_config_check(cfg, (u32)c->members, err, sizeof(err)))
		return sim_error_set(error, "--mirror: %s", err);
	if (cfg->durability != SSDQOS_MIRROR_JOURNAL && tells_of_journal(&c->journal))
		return sim_error_set(error, "--journal-...: there is a journal with --mirror durability=journal only");
	return 0;
}

static int make_mirror(const struct mirror_command *c, struct mirror_plan *plan,
		       const struct ssdqos_mirror_config *cfg, struct sim_error *error)
{
	const struct ssdqos_flash *drive = plan->members.member[0].drive;
	const u32 nr = plan->members.nr;

	plan->data.blocks = members_blocks(&plan->members);
	if (plan->peer != MIRROR_PEER_IANUS)
		return 0;
	if (ssdqos_mirror_init(&plan->mirror, cfg, nr, plan->data.blocks))
		return sim_error_set(error, "not enough memory for the cache");
	for (u32 i = 0; i < nr; i++)
		plan->mirror.members[i].write_back =
			ssdqos_flash_config(drive)->cache == SSDQOS_FLASH_CACHE_VOLATILE;
	if (verify_is_wanted(drive, c->drive.verify) &&
	    !mirror_data_create(&plan->data, plan->data.blocks, plan->mirror.cache.nr, nr))
		return sim_error_set(error, "not enough memory for --verify");
	return 0;
}

static int make_journal(const struct mirror_command *c, struct mirror_plan *plan,
			const struct ssdqos_mirror_config *cfg, struct sim_error *error)
{
	struct journal_device_options options = c->journal;
	/* no member has this one */
	const u64 seed = (c->seed - 1) * SEEDS_OF_A_RUN + SSDQOS_MIRROR_MAX_MEMBERS;

	plan->has_journal = cfg->durability == SSDQOS_MIRROR_JOURNAL;
	if (!plan->has_journal)
		return 0;
	if (options.latency_ns == SSDQOS_NEVER_NS)
		options.latency_ns = JOURNAL_DEVICE_LATENCY_NS;
	if (!options.rate)
		options.rate = JOURNAL_DEVICE_RATE;
	return journal_device_create(&plan->journal.device, &options, cfg->cache_kib * BYTES_PER_KIB,
				     seed, error);
}

static int make_stream(const struct mirror_command *c, struct mirror_plan *plan, const char *line,
		       struct sim_error *error)
{
	struct mirror_stream *stream = &plan->streams[plan->nr_streams];
	const u64 seed = (c->seed - 1) * SEEDS_OF_A_RUN + plan->nr_streams + 1;

	plan->nr_streams++;
	if (mirror_stream_init(stream, line, seed, plan->data.blocks * SSDQOS_MIRROR_BLOCK_BYTES,
			       error))
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
	const u32 members = (u32)c->members;

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
	const u32 nr = plan->peer == MIRROR_PEER_ONE ? 1 : (u32)c->members;
	struct ssdqos_mirror_config cfg;

	if (configure(c, &cfg, error) || make_events(c, plan, &cfg, error) ||
	    members_create(&plan->members, &c->drive, nr, (c->seed - 1) * SEEDS_OF_A_RUN, error))
		return -1;
	if (make_mirror(c, plan, &cfg, error) || make_journal(c, plan, &cfg, error))
		return -1;
	return make_streams(c, plan, error);
}

static void destroy_plan(struct mirror_plan *plan)
{
	for (u32 i = 0; i < plan->nr_streams; i++)
		mirror_stream_destroy(&plan->streams[i]);
	free(plan->streams);
	free(plan->events);
	mirror_data_destroy(&plan->data);
	mirror_journal_destroy(&plan->journal);
	ssdqos_mirror_exit(&plan->mirror);
	members_destroy(&plan->members);
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

/* Of all drives together; the first one that is broken says so. */
static void verify(const struct mirror_command *c, const struct mirror_plan *plan,
		   struct verify *all)
{
	for (u32 i = 0; i < plan->members.nr && !*all->broken; i++) {
		const u64 cpu_ns = all->cpu_ns;

		verify_drive(plan->members.member[i].drive, c->drive.verify, all);
		all->cpu_ns += cpu_ns;
	}
}

static int verdict(const struct mirror_result *result)
{
	if (result->watch.wrong) {
		fprintf(stderr, "ssdqos-sim: %llu blocks were not what was written last\n",
			result->watch.wrong);
		return SIM_EXIT_BROKEN;
	}
	if (result->watch.failed) {
		fprintf(stderr, "ssdqos-sim: %llu requests failed\n", result->watch.failed);
		return SIM_EXIT_BROKEN;
	}
	return SIM_EXIT_GOOD;
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
	verify(c, plan, &setup->verify);
	if (print(c, plan, json, &result, setup, error))
		return -1;
	r = exit_verdict(&setup->verify, result.run.stuck);
	return r ? r : verdict(&result);
}

static int run(const void *options, struct sim_error *error)
{
	const struct mirror_command *c = options;
	struct report_setup setup = { .cpu_ns = clock_cpu_ns() };
	static struct mirror_plan plan;
	int r;

	plan.peer = (enum mirror_peer)c->peer;
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
		.members = MEMBERS_MIN,
		.seed = 1,
		.peer = MIRROR_PEER_IANUS,
		.window_ns = WINDOW_NS,
		.journal.latency_ns = SSDQOS_NEVER_NS,
	};

	return option_main(&command, argc, argv, &c);
}
