/* SPDX-License-Identifier: GPL-2.0 */
/*
 * drive.h - the drive of a simulation: preset or file, overrides, capacity
 */
#ifndef SSDQOS_SIM_DRIVE_H
#define SSDQOS_SIM_DRIVE_H

#include "sim_error.h"
#include "../../dm-ssdqos/core/flash/flash.h"

/* As many --set options as there could be sensible ones. */
#define DRIVE_SETS_MAX 64

/**
 * struct drive_options - what the command line says of the drive
 * @model: a preset, or a file with a "key value" pair in each line
 * @sets: "key=value" of each --set, in order
 * @nr_sets: their number
 * @size_bytes: capacity, 0 for that of the preset
 */
struct drive_options {
	const char *model;
	const char *sets[DRIVE_SETS_MAX];
	u32 nr_sets;
	u64 size_bytes;
};

/**
 * drive_configure - work out the parameters
 * @options: what the user wants
 * @config: the result
 * @error: says what is wrong
 *
 * Return: 0, or -1.
 */
int drive_configure(const struct drive_options *options, struct ssdqos_flash_config *config,
		    struct sim_error *error);

/**
 * drive_create - make the drive
 * @options: what the user wants
 * @error: says what is wrong
 *
 * Return: the drive, or NULL.
 */
struct ssdqos_flash *drive_create(const struct drive_options *options, struct sim_error *error);

/**
 * drive_load_state - take over a saved state
 * @drive: an idle drive
 * @path: file written by drive_save_state() or read from sysfs
 * @error: says what is wrong
 *
 * Return: 0, or -1.
 */
int drive_load_state(struct ssdqos_flash *drive, const char *path, struct sim_error *error);

/**
 * drive_save_state - write the drive's state to a file
 * @drive: an idle drive
 * @path: the file
 * @error: says what is wrong
 *
 * Return: 0, or -1.
 */
int drive_save_state(struct ssdqos_flash *drive, const char *path, struct sim_error *error);

#endif
