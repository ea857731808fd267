/* SPDX-License-Identifier: GPL-2.0 */
/*
 * output.h - a file that results are written to; - is the standard output
 */
#ifndef SSDQOS_SIM_OUTPUT_H
#define SSDQOS_SIM_OUTPUT_H

#include <stdio.h>

#include "sim_error.h"

/* Can a file replace what was read from it?  Written at the end only, it can. */
enum output_use {
	OUTPUT_IS_READ,
	OUTPUT_IS_WRITTEN,
	OUTPUT_IS_REPLACED,
};

/**
 * struct output_file - a file that a command line names
 * @option: of which option
 * @path: which, or NULL
 * @use: what for
 */
struct output_file {
	const char *option;
	const char *path;
	enum output_use use;
};

/**
 * output_check - see that files don't get in each other's way, and can be written
 * @files: all files of a command
 * @nr: their number
 * @error: says which can't
 *
 * Before anything is done, and without touching any of them.
 * Return: 0, or -1.
 */
int output_check(const struct output_file *files, u32 nr, struct sim_error *error);

/**
 * output_is_stdout - is something written to the standard output?
 * @files: all files of a command
 * @nr: their number
 */
bool output_is_stdout(const struct output_file *files, u32 nr);

/**
 * output_open - open a file
 * @path: which, or NULL for none
 * @file: gets it; left alone if there is none
 * @error: says that it can't be written
 *
 * Return: 0, or -1.
 */
int output_open(const char *path, FILE **file, struct sim_error *error);

/**
 * output_close - close a file
 * @file: from output_open(), or NULL
 * @path: its name
 * @error: says that it could not be written
 *
 * Return: 0, or -1.
 */
int output_close(FILE *file, const char *path, struct sim_error *error);

#endif
