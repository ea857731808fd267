/* SPDX-License-Identifier: GPL-2.0 */
/*
 * drive.h - the drive of a simulation: preset or file, overrides, capacity
 */
#ifndef SSDQOS_SIM_DRIVE_H
#define SSDQOS_SIM_DRIVE_H

#include "../common/option.h"
#include "../common/sim_error.h"
#include "verify.h"
#include "../../../dm-ssdqos/core/flash/flash.h"

/**
 * struct drive_options - what the command line says of the drive
 * @model: a preset, or a file with a "key value" pair in each line
 * @sets: "key=value" of each --set, in order
 * @size_bytes: capacity, 0 for that of the preset
 * @load_state_path: state to start with, or NULL
 * @save_state_path: where to save the state at the end, or NULL
 * @verify: whether to look at the end that its tables agree
 */
struct drive_options {
	const char *model;
	struct option_list sets;
	u64 size_bytes;
	const char *load_state_path;
	const char *save_state_path;
	enum verify_when verify;
};

/* Rows of struct option_row for a struct drive_options that is a member of a command's struct. */
#define DRIVE_MODEL_OPTION_ROWS(command, member)						\
	{ "drive", "PRESET|FILE", option_text,							\
	  "drive model: a preset (see: ssdqos-sim params), or a file of key-value lines",	\
	  offsetof(struct command, member.model) },						\
	{ "set", "KEY=VALUE", option_repeated,							\
	  "change a parameter (see: ssdqos-sim params); may be repeated",			\
	  offsetof(struct command, member.sets) },						\
	{ "size", "BYTES", option_bytes,							\
	  "capacity, such as 8g; default: that of the model",					\
	  offsetof(struct command, member.size_bytes) },					\
	{ "verify", "on|off", option_verify,							\
	  "check the drive's tables at the end; default: on up to 64 GiB",			\
	  offsetof(struct command, member.verify) }

/* The same, and those of its state. */
#define DRIVE_OPTION_ROWS(command, member)							\
	DRIVE_MODEL_OPTION_ROWS(command, member),						\
	{ "load-state", "FILE", option_text,							\
	  "start with a saved state of a drive of this geometry",				\
	  offsetof(struct command, member.load_state_path) },					\
	{ "save-state", "FILE", option_text, "save the drive's state at the end",		\
	  offsetof(struct command, member.save_state_path) }

/* Rows of struct output_file for a struct drive_options. */
#define DRIVE_FILES(options)									\
	{ "drive", (options).model, OUTPUT_IS_READ },						\
	{ "load-state", (options).load_state_path, OUTPUT_IS_READ },				\
	{ "save-state", (options).save_state_path, OUTPUT_IS_REPLACED }

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
 * drive_wanted_sectors - capacity in sectors of 512 bytes
 * @options: what the user wants
 * @config: from drive_configure()
 */
u64 drive_wanted_sectors(const struct drive_options *options,
			 const struct ssdqos_flash_config *config);

/**
 * drive_create - make the drive, with its saved state if there is one
 * @options: what the user wants
 * @error: says what is wrong
 *
 * Return: the drive, or NULL.
 */
struct ssdqos_flash *drive_create(const struct drive_options *options, struct sim_error *error);

/**
 * drive_bytes - capacity
 * @drive: the drive
 */
u64 drive_bytes(const struct ssdqos_flash *drive);

/**
 * drive_save - save the drive's state, if wanted
 * @options: what the user wants
 * @drive: a drive without requests; its garbage collection comes to rest
 * @error: says what is wrong
 *
 * Return: 0, or -1.
 */
int drive_save(const struct drive_options *options, struct ssdqos_flash *drive,
	       struct sim_error *error);

#endif
