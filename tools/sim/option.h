/* SPDX-License-Identifier: GPL-2.0 */
/*
 * option.h - options of a command: one row each makes the parser and the help
 */
#ifndef SSDQOS_SIM_OPTION_H
#define SSDQOS_SIM_OPTION_H

#include <stdio.h>

#include "sim_error.h"

/* As many of one repeated option as anybody could need. */
#define OPTION_LIST_MAX 1024

/**
 * struct option_list - the values of an option that may be repeated
 * @text: in the order of the command line
 * @nr: their number
 */
struct option_list {
	const char *text[OPTION_LIST_MAX];
	u32 nr;
};

/**
 * struct option_row - one option
 * @name: the word behind "--"
 * @argument: what its value is, NULL if it has none
 * @take: keeps the value in @field
 * @help: what it does
 * @field: where, in the command's struct
 */
struct option_row {
	const char *name;
	const char *argument;
	int (*take)(const struct option_row *row, const char *value, void *field,
		    struct sim_error *error);
	const char *help;
	size_t field;
};

/* What rows can keep: const char *, bool, nanoseconds, bytes, struct option_list. */
int option_text(const struct option_row *row, const char *value, void *field,
		struct sim_error *error);
int option_switch(const struct option_row *row, const char *value, void *field,
		  struct sim_error *error);
int option_time(const struct option_row *row, const char *value, void *field,
		struct sim_error *error);
int option_bytes(const struct option_row *row, const char *value, void *field,
		 struct sim_error *error);
int option_repeated(const struct option_row *row, const char *value, void *field,
		    struct sim_error *error);

/**
 * option_parse - read a command line
 * @rows: the options; "--help" is one by itself
 * @nr: their number
 * @argc: of the command line
 * @argv: it; the first word is the command
 * @into: the command's struct
 * @error: says what is wrong
 *
 * Return: 0, 1 when help is wanted, or -1.
 */
int option_parse(const struct option_row *rows, u32 nr, int argc, char **argv, void *into,
		 struct sim_error *error);

/**
 * option_print_help - print name, argument and meaning of each option
 * @file: where to
 * @rows: the options
 * @nr: their number
 */
void option_print_help(FILE *file, const struct option_row *rows, u32 nr);

#endif
