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
 * struct option_command - a command that has nothing but options
 * @name: the word
 * @rows: the options; "--help" is one by itself
 * @nr: their number
 * @check: what concerns more than one option; 0 or -1
 * @run: does it; an exit status, or -1
 *
 * @check and @run get the command's struct.
 */
struct option_command {
	const char *name;
	const struct option_row *rows;
	u32 nr;
	int (*check)(void *options, struct sim_error *error);
	int (*run)(const void *options, struct sim_error *error);
};

/**
 * option_main - read a command line, and do what it says
 * @command: the command
 * @argc: of the command line
 * @argv: it; the first word is the command
 * @options: the command's struct, with the defaults
 *
 * Return: exit status.
 */
int option_main(const struct option_command *command, int argc, char **argv, void *options);

/**
 * option_print_help - print name, argument and meaning of each option
 * @file: where to
 * @command: the command
 */
void option_print_help(FILE *file, const struct option_command *command);

#endif
