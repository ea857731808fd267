// SPDX-License-Identifier: GPL-2.0
/*
 * drive.c - make the drive of a simulation
 */
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "drive.h"
#include "../common/input.h"
#include "../common/lines.h"
#include "../common/pair.h"
#include "../common/progress.h"

#define DRIVE_TEXT_BYTES 256
#define DRIVE_LINE_BYTES 4096
#define SECTOR_BYTES 512

/* Capacities of the papers' drives. */
static const u64 drive_default_bytes[] = {
	[SSDQOS_FLASH_AUTOSSD] = 200000000000,		/* 200 GB of 256 GB */
	[SSDQOS_FLASH_TTFLASH] = 239041060864,		/* 256 GiB with 15 % over-provisioning, whole MiB */
	[SSDQOS_FLASH_X25E_LIKE] = 64023257088,		/* as sold: 64 GB */
	[SSDQOS_FLASH_INTEL510_LIKE] = 250059350016,	/* as sold: 250 GB */
};

/* Parameters under way. */
struct drive_setup {
	struct ssdqos_flash_config *config;
	u32 nr_set;	/* by the drive's file, and by --set */
};

/* As in the kernel, the preset comes first: it would undo what was said before it. */
static int drive_set(struct drive_setup *setup, struct text key, struct text value,
		     struct sim_error *error)
{
	char err[SIM_ERROR_BYTES];
	struct pair pair;
	int param;

	if (pair_set(&pair, key, value, error))
		return -1;
	param = ssdqos_flash_config_set(setup->config, pair.key, pair.value, err, sizeof(err));
	if (param < 0)
		return sim_error_set(error, "%s", err);
	if (param == SSDQOS_FLASH_P_preset && setup->nr_set)
		return sim_error_set(error, "preset: '%s' has to be the first parameter", pair.value);
	setup->nr_set++;
	return 0;
}

static int drive_set_pair(struct drive_setup *setup, const char *pair, struct sim_error *error)
{
	struct text value = text_of(pair), key = text_cut(&value, '=');
	struct sim_quote quote;

	if (text_length(key) == strlen(pair))
		return sim_error_set(error, "--set: '%s' is not key=value", sim_quote(&quote, key));
	return drive_set(setup, key, value, error);
}

static int drive_fail_model(const char *model, struct sim_error *error)
{
	const char *const *preset = ssdqos_flash_params[SSDQOS_FLASH_P_preset].choices;
	char names[DRIVE_TEXT_BYTES];
	const char *why = strerror(errno);
	size_t n = 0;

	for (u32 i = 0; preset[i] && n < sizeof(names); i++)
		n += (size_t)snprintf(names + n, sizeof(names) - n, "%s%s", i ? ", " : "",
				      preset[i]);
	return sim_error_set(error, "--drive: '%s' is neither a preset (%s) nor a file that can be read: %s",
			     model, names, why);
}

static bool drive_is_text(struct text line)
{
	for (; !text_is_empty(line); line.at++)
		if ((u8)*line.at < ' ' && *line.at != '\t')
			return false;
	return true;
}

/* "KEY VALUE", or nothing; '#' begins a comment. */
static int drive_set_line(struct drive_setup *setup, struct text line, struct sim_error *error)
{
	struct text key, value, more;
	struct sim_quote quote;

	if (!drive_is_text(line))
		return sim_error_set(error, "'%s' is not text", sim_quote(&quote, line));
	line = text_cut(&line, '#');
	if (!text_take_word(&line, &key))
		return 0;
	if (!text_take_word(&line, &value))
		return sim_error_set(error, "'%s' has no value", sim_quote(&quote, key));
	if (text_take_word(&line, &more))
		return sim_error_set(error, "'%s' is one word too many, expected KEY VALUE",
				     sim_quote(&quote, more));
	return drive_set(setup, key, value, error);
}

static int drive_read_lines(struct drive_setup *setup, struct lines *lines, struct sim_error *error)
{
	struct sim_error why;
	struct text line;
	int r;

	while ((r = lines_next(lines, &line, error)) > 0)
		if (drive_set_line(setup, line, &why))
			return sim_error_set(error, "%s, line %llu: %s", lines->name, lines->number,
					     why.text);
	return r;
}

static int drive_read_file(struct drive_setup *setup, const char *path, struct sim_error *error)
{
	struct lines lines;
	int r;

	if (access(path, R_OK))
		return drive_fail_model(path, error);
	r = lines_open(&lines, path, DRIVE_LINE_BYTES, error) ||
	    drive_read_lines(setup, &lines, error) ? -1 : 0;
	lines_close(&lines);
	return r;
}

int drive_configure(const struct drive_options *options, struct ssdqos_flash_config *config,
		    struct sim_error *error)
{
	struct drive_setup setup = { .config = config };
	char err[DRIVE_TEXT_BYTES];
	u32 i;

	ssdqos_flash_config_init(config, SSDQOS_FLASH_AUTOSSD);
	if (ssdqos_flash_config_set(config, "preset", options->model, err, sizeof(err)) < 0 &&
	    drive_read_file(&setup, options->model, error))
		return -1;
	for (i = 0; i < options->sets.nr; i++)
		if (drive_set_pair(&setup, options->sets.text[i], error))
			return -1;
	return 0;
}

u64 drive_wanted_sectors(const struct drive_options *options,
			 const struct ssdqos_flash_config *config)
{
	const u64 bytes = options->size_bytes;

	return (bytes ? bytes : drive_default_bytes[config->preset]) / SECTOR_BYTES;
}

static int drive_load(struct ssdqos_flash *drive, const char *path, struct sim_error *error)
{
	char err[DRIVE_TEXT_BYTES];
	u64 size;
	void *buffer = input_read(path, &size);
	int r;

	if (!buffer)
		return sim_error_set(error, "--load-state: %s: %s", path, strerror(errno));
	r = ssdqos_flash_load(drive, buffer, size, err, sizeof(err));
	free(buffer);
	return r ? sim_error_set(error, "--load-state: %s: %s", path, err) : 0;
}

struct ssdqos_flash *drive_create(const struct drive_options *options, struct sim_error *error)
{
	struct ssdqos_flash_config config;
	struct ssdqos_flash *drive;
	char err[DRIVE_TEXT_BYTES];

	if (!options->model) {
		sim_error_set(error, "--drive is missing; --help says what there is");
		return NULL;
	}
	if (drive_configure(options, &config, error))
		return NULL;
	progress_note(stderr, "making the drive");
	drive = ssdqos_flash_create(&config, drive_wanted_sectors(options, &config), err,
				    sizeof(err));
	progress_note(stderr, "");
	if (!drive)
		sim_error_set(error, "%s", err);
	if (drive && options->load_state_path &&
	    drive_load(drive, options->load_state_path, error)) {
		ssdqos_flash_destroy(drive);
		return NULL;
	}
	return drive;
}

u64 drive_bytes(const struct ssdqos_flash *drive)
{
	return (u64)ssdqos_flash_geo(drive)->nr_lpn << SSDQOS_UNIT_SHIFT;
}

/* Garbage collection comes to rest: a state can only be saved then. */
static void drive_settle(struct ssdqos_flash *drive)
{
	u64 next_ns;

	ssdqos_flash_log_enable(drive, 0);
	while ((next_ns = ssdqos_flash_next_ns(drive)) != SSDQOS_NEVER_NS)
		ssdqos_flash_advance(drive, next_ns);
}

static int drive_write(const struct ssdqos_flash *drive, const char *path,
		       struct sim_error *error)
{
	u64 bytes = ssdqos_flash_state_bytes(drive);
	void *buffer = malloc(bytes);
	FILE *file = fopen(path, "wb");
	int r = -1;

	if (buffer && file && !ssdqos_flash_save(drive, buffer, bytes) &&
	    fwrite(buffer, 1, bytes, file) == bytes)
		r = 0;
	if (file && fclose(file))
		r = -1;
	free(buffer);
	return r ? sim_error_set(error, "--save-state: %s can't be written", path) : 0;
}

int drive_save(const struct drive_options *options, struct ssdqos_flash *drive,
	       struct sim_error *error)
{
	if (!options->save_state_path)
		return 0;
	drive_settle(drive);
	return drive_write(drive, options->save_state_path, error);
}
