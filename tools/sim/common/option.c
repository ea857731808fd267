// SPDX-License-Identifier: GPL-2.0
#include "option.h"

#include <getopt.h>
#include <stdlib.h>

#include "exit.h"
#include "quantity.h"

static const struct option_row help_row = { "help", NULL, NULL, "this text", 0 };

int option_text(const struct option_row *row, const char *value, void *field,
		struct sim_error *error)
{
	(void)row;
	(void)error;
	*(const char **)field = value;
	return 0;
}

int option_switch(const struct option_row *row, const char *value, void *field,
		  struct sim_error *error)
{
	(void)row;
	(void)value;
	(void)error;
	*(bool *)field = true;
	return 0;
}

int option_time(const struct option_row *row, const char *value, void *field,
		struct sim_error *error)
{
	if (!quantity_time_ns(text_of(value), field))
		return sim_error_set(error, "--%s: '%s' is not a time such as 100ms or 10s",
				     row->name, value);
	return 0;
}

int option_bytes(const struct option_row *row, const char *value, void *field,
		 struct sim_error *error)
{
	if (!quantity_bytes(text_of(value), field) || !*(u64 *)field)
		return sim_error_set(error, "--%s: '%s' is not a number of bytes such as 8g",
				     row->name, value);
	return 0;
}

int option_repeated(const struct option_row *row, const char *value, void *field,
		    struct sim_error *error)
{
	struct option_list *list = field;

	if (list->nr == OPTION_LIST_MAX)
		return sim_error_set(error, "--%s: more than %u of them", row->name,
				     OPTION_LIST_MAX);
	list->text[list->nr++] = value;
	return 0;
}

static struct option option_of(const struct option_row *row, int id)
{
	return (struct option){
		.name = row->name,
		.has_arg = row->argument ? required_argument : no_argument,
		.val = id,
	};
}

static int take_all(const struct option_row *rows, const struct option *options, int help_id,
		    int argc, char **argv, void *into, struct sim_error *error)
{
	int id;

	opterr = 0;
	while ((id = getopt_long(argc, argv, "", options, NULL)) != -1) {
		const struct option_row *row = &rows[id - 1];

		if (id == '?')
			return sim_error_set(error, "unknown option or missing argument; "
						    "see ssdqos-sim %s --help", argv[0]);
		if (id == help_id)
			return 1;
		if (row->take(row, optarg, (char *)into + row->field, error))
			return -1;
	}
	if (optind < argc)
		return sim_error_set(error, "'%s' is not an option; see ssdqos-sim %s --help",
				     argv[optind], argv[0]);
	return 0;
}

/* 1 when help is wanted. */
static int parse(const struct option_row *rows, u32 nr, int argc, char **argv, void *into,
		 struct sim_error *error)
{
	const int help_id = (int)nr + 1;
	struct option *options = calloc(nr + 2, sizeof(*options));
	int r;

	if (!options)
		return sim_error_set(error, "not enough memory");
	for (u32 i = 0; i < nr; i++)
		options[i] = option_of(&rows[i], (int)i + 1);
	options[nr] = option_of(&help_row, help_id);
	r = take_all(rows, options, help_id, argc, argv, into, error);
	free(options);
	return r;
}

static void print_row(FILE *file, const struct option_row *row)
{
	fprintf(file, "  --%-15s %-12s %s\n", row->name, row->argument ? row->argument : "",
		row->help);
}

void option_print_help(FILE *file, const struct option_command *command)
{
	fprintf(file, "options of %s:\n", command->name);
	for (u32 i = 0; i < command->nr; i++)
		print_row(file, &command->rows[i]);
	print_row(file, &help_row);
}

int option_main(const struct option_command *command, int argc, char **argv, void *options)
{
	struct sim_error error;
	int r = parse(command->rows, command->nr, argc, argv, options, &error);

	if (r == 1) {
		option_print_help(stdout, command);
		return SIM_EXIT_GOOD;
	}
	if (!r)
		r = command->check(options, &error);
	if (!r)
		r = command->run(options, &error);
	return r < 0 ? exit_input(&error) : r;
}
