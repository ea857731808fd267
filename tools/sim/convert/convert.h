/* SPDX-License-Identifier: GPL-2.0 */
/*
 * ``ssdqos-sim convert``: make a project trace out of somebody else's.
 *
 * The whole trace is read into memory (32 bytes a row), because rows in other formats are not
 * always in order of time.
 */
#ifndef SSDQOS_SIM_CONVERT_H
#define SSDQOS_SIM_CONVERT_H

#include <stdio.h>

#include "../common/sim_error.h"
#include "../common/types.h"

struct convert_format;
struct convert_unit;

/**
 * struct convert_options - what to convert and how
 * @format: the format of the input
 * @unit: unit of its times, NULL for the format's own
 * @event: which event of a request counts, for formats that have several; 0 for the format's own
 * @device: only rows of this device, in the spelling of the trace; NULL for all
 * @output: file name, compressed when it ends in .gz; NULL for the standard output
 * @input: file name, "-" for the standard input
 * @wants_help: print how to use it and do nothing else
 */
struct convert_options {
	const struct convert_format *format;
	const struct convert_unit *unit;
	char event;
	const char *device;
	const char *output;
	const char *input;
	bool wants_help;
};

/**
 * convert_run - convert one trace
 * @options: what and how; format and input are a must
 * @report: gets the bad rows and the summary
 * @error: says why it failed
 *
 * Return: 0, or -1 when nothing usable has been written.
 */
int convert_run(const struct convert_options *options, FILE *report, struct sim_error *error);

/**
 * convert_parse_options - read the command line
 * @options: the result
 * @argc: number of @argv
 * @argv: the arguments behind the word "convert"
 * @error: says what is wrong with them
 *
 * Return: 0, or -1.
 */
int convert_parse_options(struct convert_options *options, int argc, char *const *argv,
			  struct sim_error *error);

/**
 * convert_print_help - print options, units and formats
 * @file: where to
 */
void convert_print_help(FILE *file);

/**
 * convert_main - the sub-command
 * @argc: number of @argv
 * @argv: the arguments behind the word "convert"
 *
 * Return: the exit status: 0, or 2 on bad input or arguments, with one sentence on the standard
 * error.
 */
int convert_main(int argc, char *const *argv);

#endif
