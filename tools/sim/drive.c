// SPDX-License-Identifier: GPL-2.0
/*
 * drive.c - make the drive of a simulation
 */
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "drive.h"
#include "input.h"

#define DRIVE_TEXT_BYTES 256
#define SECTOR_BYTES 512

/* Capacities of the papers' drives. */
static const u64 drive_default_bytes[] = {
	[SSDQOS_FLASH_AUTOSSD] = 200000000000,		/* 200 GB of 256 GB */
	[SSDQOS_FLASH_TTFLASH] = 239041060864,		/* 256 GiB with 15 % over-provisioning, whole MiB */
	[SSDQOS_FLASH_X25E_LIKE] = 64023257088,		/* as sold: 64 GB */
	[SSDQOS_FLASH_INTEL510_LIKE] = 250059350016,	/* as sold: 250 GB */
};

static int drive_set(struct ssdqos_flash_config *config, const char *key, const char *value,
		     struct sim_error *error)
{
	char err[DRIVE_TEXT_BYTES];

	if (ssdqos_flash_config_set(config, key, value, err, sizeof(err)) < 0)
		return sim_error_set(error, "%s", err);
	return 0;
}

static int drive_set_pair(struct ssdqos_flash_config *config, const char *pair,
			  struct sim_error *error)
{
	char text[DRIVE_TEXT_BYTES], *equals;

	snprintf(text, sizeof(text), "%s", pair);
	equals = strchr(text, '=');
	if (!equals)
		return sim_error_set(error, "--set: '%s' is not key=value", pair);
	*equals = '\0';
	return drive_set(config, text, equals + 1, error);
}

static int drive_fail_model(const char *model, struct sim_error *error)
{
	const char *const *preset = ssdqos_flash_params[SSDQOS_FLASH_P_preset].choices;
	char names[DRIVE_TEXT_BYTES];
	size_t n = 0;

	for (u32 i = 0; preset[i] && n < sizeof(names); i++)
		n += (size_t)snprintf(names + n, sizeof(names) - n, "%s%s", i ? ", " : "",
				      preset[i]);
	return sim_error_set(error, "--drive: '%s' is neither a preset (%s) nor a file that can be read: %s",
			     model, names, strerror(errno));
}

/* A "key value" pair in each line; '#' begins a comment. */
static int drive_read_file(struct ssdqos_flash_config *config, const char *path,
			   struct sim_error *error)
{
	char line[DRIVE_TEXT_BYTES], key[DRIVE_TEXT_BYTES], value[DRIVE_TEXT_BYTES];
	FILE *file = fopen(path, "r");
	u32 number = 0;
	int r = 0;

	if (!file)
		return drive_fail_model(path, error);
	while (!r && fgets(line, sizeof(line), file)) {
		struct sim_error why;

		number++;
		line[strcspn(line, "#\r\n")] = '\0';
		switch (sscanf(line, "%255s %255s", key, value)) {
		case 2:
			r = drive_set(config, key, value, &why);
			if (r)
				sim_error_set(error, "%s, line %u: %s", path, number, why.text);
			break;
		case 1:
			r = sim_error_set(error, "%s, line %u: '%s' has no value", path, number,
					  key);
			break;
		}
	}
	fclose(file);
	return r;
}

int drive_configure(const struct drive_options *options, struct ssdqos_flash_config *config,
		    struct sim_error *error)
{
	char err[DRIVE_TEXT_BYTES];
	u32 i;

	ssdqos_flash_config_init(config, SSDQOS_FLASH_AUTOSSD);
	if (ssdqos_flash_config_set(config, "preset", options->model, err, sizeof(err)) < 0 &&
	    drive_read_file(config, options->model, error))
		return -1;
	for (i = 0; i < options->sets.nr; i++)
		if (drive_set_pair(config, options->sets.text[i], error))
			return -1;
	return 0;
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
	u64 bytes = options->size_bytes;

	if (!options->model) {
		sim_error_set(error, "--drive is missing; --help says what there is");
		return NULL;
	}
	if (drive_configure(options, &config, error))
		return NULL;
	if (!bytes)
		bytes = drive_default_bytes[config.preset];
	drive = ssdqos_flash_create(&config, bytes / SECTOR_BYTES, err, sizeof(err));
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
