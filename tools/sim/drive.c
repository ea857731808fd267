// SPDX-License-Identifier: GPL-2.0
/*
 * drive.c - make the drive of a simulation
 */
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "drive.h"

#define DRIVE_TEXT_BYTES 256
#define SECTOR_BYTES 512

/* Capacities of the papers' drives, in bytes. */
#define AUTOSSD_BYTES 200000000000ULL	/* 200 GB of 256 GB */
#define TTFLASH_BYTES 239041060864ULL	/* 256 GiB with 15 % over-provisioning, whole MiB */

static u64 drive_default_bytes(const struct ssdqos_flash_config *config)
{
	return config->preset == SSDQOS_FLASH_TTFLASH ? TTFLASH_BYTES : AUTOSSD_BYTES;
}

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

/* A "key value" pair in each line; '#' begins a comment. */
static int drive_read_file(struct ssdqos_flash_config *config, const char *path,
			   struct sim_error *error)
{
	char line[DRIVE_TEXT_BYTES], key[DRIVE_TEXT_BYTES], value[DRIVE_TEXT_BYTES];
	FILE *file = fopen(path, "r");
	u32 number = 0;
	int r = 0;

	if (!file)
		return sim_error_set(error,
				     "--drive: '%s' is neither a preset (autossd, ttflash) nor a file that can be read: %s",
				     path, strerror(errno));
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
	for (i = 0; i < options->nr_sets; i++)
		if (drive_set_pair(config, options->sets[i], error))
			return -1;
	return 0;
}

struct ssdqos_flash *drive_create(const struct drive_options *options, struct sim_error *error)
{
	struct ssdqos_flash_config config;
	struct ssdqos_flash *drive;
	char err[DRIVE_TEXT_BYTES];
	u64 bytes = options->size_bytes;

	if (drive_configure(options, &config, error))
		return NULL;
	if (!bytes)
		bytes = drive_default_bytes(&config);
	drive = ssdqos_flash_create(&config, bytes / SECTOR_BYTES, err, sizeof(err));
	if (!drive)
		sim_error_set(error, "%s", err);
	return drive;
}

static void *drive_read_all(FILE *file, u64 *size)
{
	void *buffer;
	long end;

	if (fseek(file, 0, SEEK_END) || (end = ftell(file)) < 0 || fseek(file, 0, SEEK_SET))
		return NULL;
	*size = (u64)end;
	buffer = malloc(*size + 1);
	if (buffer && fread(buffer, 1, *size, file) != *size) {
		free(buffer);
		buffer = NULL;
	}
	return buffer;
}

int drive_load_state(struct ssdqos_flash *drive, const char *path, struct sim_error *error)
{
	char err[DRIVE_TEXT_BYTES] = "it can't be read";
	FILE *file = fopen(path, "rb");
	void *buffer = NULL;
	u64 size;
	int r = -1;

	if (!file)
		return sim_error_set(error, "--load-state: %s: %s", path, strerror(errno));
	buffer = drive_read_all(file, &size);
	if (buffer)
		r = ssdqos_flash_load(drive, buffer, size, err, sizeof(err));
	free(buffer);
	fclose(file);
	return r ? sim_error_set(error, "--load-state: %s: %s", path, err) : 0;
}

int drive_save_state(struct ssdqos_flash *drive, const char *path, struct sim_error *error)
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
