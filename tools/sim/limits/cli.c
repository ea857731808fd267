// SPDX-License-Identifier: GPL-2.0
#include "cli.h"

#include "../common/exit.h"
#include "../common/option.h"
#include "../common/output.h"
#include "../flash/drive.h"
#include "limits.h"
#include "report.h"

#define BYTES_PER_MB 1000000
#define WRITES_SCALE 1000
#define PPM_PER_PCT 10000
#define PPM 1000000
#define ERR_BYTES 256
/* The paper's worst case: 5 drive writes in a working day, victims that are 25 % valid. */
#define DEFAULT_WRITES_PERMILLE 5000
#define DEFAULT_DAY_NS (8 * 3600 * NS_PER_S)
#define DAY_MOST_NS (24 * 3600 * NS_PER_S)
#define PAPER_VALID_PPM 250000
#define WIDTH_MIN 2
#define WIDTH_MAX 1000000
/* Bounds that keep each result within its digits. */
#define WRITE_MAX_BYTES_S 1000000000000ULL
#define WRITES_MAX_PERMILLE 1000000
#define NOT_GIVEN (~0ULL)

struct limits_command {
	struct drive_options drive;
	u64 width;
	u64 write_bytes_s;
	u64 writes_permille;
	u64 day_ns;
	u64 valid_ppm;
	bool as_paper;
	const char *json_path;
	bool is_stdout;		/* the result goes to the standard output */
};

static int take_scaled(const struct option_row *row, const char *value, u64 scale, u64 most,
		       u64 *field, struct sim_error *error)
{
	if (!text_to_scaled(text_of(value), scale, field) || !*field || *field > most)
		return sim_error_set(error, "--%s: '%s' is not a number above 0, at most %llu",
				     row->name, value, most / scale);
	return 0;
}

static int take_mb_s(const struct option_row *row, const char *value, void *field,
		     struct sim_error *error)
{
	return take_scaled(row, value, BYTES_PER_MB, WRITE_MAX_BYTES_S, field, error);
}

static int take_writes(const struct option_row *row, const char *value, void *field,
		       struct sim_error *error)
{
	return take_scaled(row, value, WRITES_SCALE, WRITES_MAX_PERMILLE, field, error);
}

static int take_valid(const struct option_row *row, const char *value, void *field,
		      struct sim_error *error)
{
	u64 *ppm = field;

	if (!text_to_scaled(text_of(value), PPM_PER_PCT, ppm) || *ppm >= PPM)
		return sim_error_set(error, "--%s: '%s' is not a percentage from 0 to below 100",
				     row->name, value);
	return 0;
}

static int take_width(const struct option_row *row, const char *value, void *field,
		      struct sim_error *error)
{
	u64 *width = field;

	if (!text_to_u64(text_of(value), width) || *width < WIDTH_MIN || *width > WIDTH_MAX)
		return sim_error_set(error, "--%s: '%s' is not a number of units from %u to %u",
				     row->name, value, WIDTH_MIN, WIDTH_MAX);
	return 0;
}

#define FIELD(field) offsetof(struct limits_command, field)

static const struct option_row rows[] = {
	{ "drive", "PRESET|FILE", option_text, "drive model: a preset (see: ssdqos-sim params), or a file of key-value lines", FIELD(drive.model) },
	{ "set", "KEY=VALUE", option_repeated, "change a parameter (see: ssdqos-sim params); may be repeated", FIELD(drive.sets) },
	{ "size", "BYTES", option_bytes, "capacity, such as 8g; default: that of the model", FIELD(drive.size_bytes) },
	{ "width", "N", take_width, "units of a stripe, parity included; default: one on each channel", FIELD(width) },
	{ "write-mb-s", "MB/S", take_mb_s, "written in the drive in a second, parity included, in place of --drive-writes", FIELD(write_bytes_s) },
	{ "drive-writes", "N", take_writes, "times that the drive is written in a day; default 5", FIELD(writes_permille) },
	{ "day", "TIME", option_time, "hours of a day in which that comes; default 8h", FIELD(day_ns) },
	{ "valid-pct", "PERCENT", take_valid, "valid part of a block that is collected; default: that of uniform random writes", FIELD(valid_ppm) },
	{ "paper", NULL, option_switch, "as in the paper: 25 % valid, no erases, copies need no room, a drive write is all of the flash", FIELD(as_paper) },
	{ "json", "FILE", option_text, "results as JSON, - for the standard output", FIELD(json_path) },
};

static int check(void *options, struct sim_error *error)
{
	struct limits_command *c = options;
	const struct output_file files[] = {
		{ "drive", c->drive.model, OUTPUT_IS_READ },
		{ "json", c->json_path, OUTPUT_IS_WRITTEN },
	};

	if (!c->drive.model)
		return sim_error_set(error, "--drive is missing; see ssdqos-sim limits --help");
	if (c->write_bytes_s && c->writes_permille)
		return sim_error_set(error, "--write-mb-s and --drive-writes both say how much is written");
	if (!c->day_ns || c->day_ns > DAY_MOST_NS)
		return sim_error_set(error, "--day: a day has from 1 ns to 24 h");
	c->is_stdout = output_is_stdout(files, SIM_ARRAY_SIZE(files));
	return output_check(files, SIM_ARRAY_SIZE(files), error);
}

static struct limits_wish wish_of(const struct limits_command *c)
{
	u64 valid_ppm = c->valid_ppm;

	if (valid_ppm == NOT_GIVEN && c->as_paper)
		valid_ppm = PAPER_VALID_PPM;
	return (struct limits_wish){
		.width = c->width,
		.write_bytes_s = c->write_bytes_s,
		.writes_permille = c->writes_permille ? c->writes_permille :
							DEFAULT_WRITES_PERMILLE,
		.day_ns = c->day_ns,
		.valid = valid_ppm == NOT_GIVEN ? -1 : (double)valid_ppm / PPM,
		.as_paper = c->as_paper,
	};
}

static int find(const struct limits_command *c, const struct limits_wish *wish,
		struct limits *limits, struct sim_error *error)
{
	struct ssdqos_flash_config config;
	struct ssdqos_flash_geo geo;
	char err[ERR_BYTES];

	if (drive_configure(&c->drive, &config, error))
		return -1;
	if (ssdqos_flash_config_check(&config, err, sizeof(err)) ||
	    ssdqos_flash_geo_fit(&geo, &config, drive_wanted_sectors(&c->drive, &config), err,
				 sizeof(err)))
		return sim_error_set(error, "%s", err);
	if (!c->width && geo.channels < WIDTH_MIN)
		return sim_error_set(error, "--width is missing: the drive has one channel");
	limits_find(limits, &config, &geo, wish);
	if (!(limits->collect_s > 0 && limits->write_s > 0))
		return sim_error_set(error, "collection, or a write, takes no time on this drive: there are no limits");
	return 0;
}

static int run(const void *options, struct sim_error *error)
{
	const struct limits_command *c = options;
	const struct limits_wish wish = wish_of(c);
	struct limits limits;
	FILE *json = NULL;

	if (find(c, &wish, &limits, error) || output_open(c->json_path, &json, error))
		return -1;
	if (json && limits_report_json(json, &limits, &wish))
		return sim_error_set(error, "'%s' can't be written", c->json_path);
	if (!c->is_stdout)
		limits_report_text(stdout, &limits, &wish);
	return output_close(json, c->json_path, error) ? -1 : SIM_EXIT_GOOD;
}

static const struct option_command command = {
	.name = "limits",
	.rows = rows,
	.nr = SIM_ARRAY_SIZE(rows),
	.check = check,
	.run = run,
};

void limits_print_help(FILE *file)
{
	option_print_help(file, &command);
}

int limits_main(int argc, char **argv)
{
	static struct limits_command c = {
		.day_ns = DEFAULT_DAY_NS,
		.valid_ppm = NOT_GIVEN,
	};

	return option_main(&command, argc, argv, &c);
}
