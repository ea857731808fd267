// SPDX-License-Identifier: GPL-2.0
/*
 * The command line of ``ssdqos-sim convert``: one table of options makes the parser and the help
 * text.
 */
#include <string.h>

#include "convert.h"
#include "formats.h"

#define EXIT_BAD_INPUT 2
#define HELP_COLUMN 16

static int set_format(struct convert_options *options, const char *value, struct sim_error *error)
{
	struct sim_quote quote;
	char names[SIM_ERROR_BYTES / 2] = "";
	size_t used = 0;

	options->format = convert_find_format(value);
	if (options->format)
		return 0;
	for (size_t i = 0; i < nr_convert_formats && used < sizeof(names); i++)
		used += (size_t)snprintf(names + used, sizeof(names) - used, "%s%s", i ? ", " : "",
					 convert_formats[i]->name);
	return sim_error_set(error, "--from is '%s', expected one of %s",
			     sim_quote(&quote, text_of(value)), names);
}

static int set_unit(struct convert_options *options, const char *value, struct sim_error *error)
{
	struct sim_quote quote;
	char names[SIM_ERROR_BYTES / 2] = "";
	size_t used = 0;

	options->unit = convert_find_unit(value);
	if (options->unit)
		return 0;
	for (size_t i = 0; i < nr_convert_units && used < sizeof(names); i++)
		used += (size_t)snprintf(names + used, sizeof(names) - used, "%s%s", i ? ", " : "",
					 convert_units[i].name);
	return sim_error_set(error, "--unit is '%s', expected one of %s",
			     sim_quote(&quote, text_of(value)), names);
}

static int set_event(struct convert_options *options, const char *value, struct sim_error *error)
{
	struct sim_quote quote;

	if (strlen(value) != 1)
		return sim_error_set(error, "--event is '%s', expected one letter",
				     sim_quote(&quote, text_of(value)));
	options->event = value[0];
	return 0;
}

static int set_device(struct convert_options *options, const char *value, struct sim_error *error)
{
	(void)error;
	options->device = value;
	return 0;
}

static int set_output(struct convert_options *options, const char *value, struct sim_error *error)
{
	if (!*value)
		return sim_error_set(error, "-o is empty, expected a file name");
	options->output = value;
	return 0;
}

static const struct convert_option {
	const char *name;
	const char *value;
	int (*set)(struct convert_options *options, const char *value, struct sim_error *error);
	const char *help;
} convert_option_table[] = {
	{ "--from", "FORMAT", set_format, "format of FILE (must be given)" },
	{ "--unit", "UNIT", set_unit, "unit of its times, when it is not the format's own" },
	{ "--event", "EVENT", set_event,
	  "blkparse: Q queued (default), D issued to the driver, C completed" },
	{ "--device", "NAME", set_device,
	  "only this device, spelled as in FILE, such as 8,0 or 1; default all, laid one after another" },
	{ "-o", "OUT", set_output,
	  "write OUT, compressed when it ends in .gz; default standard output" },
};

static const struct convert_option *find_option(const char *name)
{
	for (size_t i = 0; i < SIM_ARRAY_SIZE(convert_option_table); i++)
		if (!strcmp(convert_option_table[i].name, name))
			return &convert_option_table[i];
	return NULL;
}

static bool is_option(const char *argument)
{
	return argument[0] == '-' && argument[1];
}

static int take_input(struct convert_options *options, const char *argument,
		      struct sim_error *error)
{
	struct sim_quote quote;

	if (options->input)
		return sim_error_set(error, "'%s' is a second input file, expected one FILE or -",
				     sim_quote(&quote, text_of(argument)));
	options->input = argument;
	return 0;
}

static bool has_event(const struct convert_format *format, char event)
{
	return event >= 'A' && event <= 'Z' && strchr(format->events, event);
}

static int check_options(const struct convert_options *options, struct sim_error *error)
{
	struct sim_quote quote;
	const char event[] = { options->event, '\0' };

	if (options->wants_help)
		return 0;
	if (!options->format)
		return sim_error_set(error,
				     "--from FORMAT is missing (see ssdqos-sim convert --help)");
	if (!options->input)
		return sim_error_set(
			error,
			"the input file is missing, expected FILE or - for the standard input");
	if (options->event && !*options->format->events)
		return sim_error_set(error, "--event is given, but format %s has one event only",
				     options->format->name);
	if (options->event && !has_event(options->format, options->event))
		return sim_error_set(error, "--event is '%s', expected one of the letters %s",
				     sim_quote(&quote, text_of(event)), options->format->events);
	return 0;
}

static int take_option(struct convert_options *options, const char *name, const char *value,
		       struct sim_error *error)
{
	const struct convert_option *option = find_option(name);
	struct sim_quote quote;

	if (!option)
		return sim_error_set(error, "'%s' is not an option (see ssdqos-sim convert --help)",
				     sim_quote(&quote, text_of(name)));
	if (!value)
		return sim_error_set(error, "%s has no value, expected %s", name, option->value);
	return option->set(options, value, error);
}

int convert_parse_options(struct convert_options *options, int argc, char *const *argv,
			  struct sim_error *error)
{
	int ret = 0;

	memset(options, 0, sizeof(*options));
	for (int i = 0; i < argc && !ret; i++) {
		if (!strcmp(argv[i], "--help")) {
			options->wants_help = true;
		} else if (is_option(argv[i])) {
			ret = take_option(options, argv[i], i + 1 < argc ? argv[i + 1] : NULL,
					  error);
			i++;
		} else {
			ret = take_input(options, argv[i], error);
		}
	}
	return ret ? ret : check_options(options, error);
}

static void print_formats(FILE *file)
{
	fprintf(file, "\nFormats:\n");
	for (size_t i = 0; i < nr_convert_formats; i++)
		fprintf(file, "  %-*s %s; time unit %s; %s\n", HELP_COLUMN,
			convert_formats[i]->name, convert_formats[i]->help,
			convert_formats[i]->unit, convert_formats[i]->assumed);
	fprintf(file, "\nUnits:");
	for (size_t i = 0; i < nr_convert_units; i++)
		fprintf(file, " %s", convert_units[i].name);
	fprintf(file, "\n");
}

void convert_print_help(FILE *file)
{
	fprintf(file,
		"Usage: ssdqos-sim convert --from FORMAT [options] FILE|-\n"
		"Make a trace for ssdqos-sim run out of another trace, plain or gzip. The summary goes to the standard error.\n\n"
		"Options:\n");
	for (size_t i = 0; i < SIM_ARRAY_SIZE(convert_option_table); i++)
		fprintf(file, "  %-8s %-*s %s\n", convert_option_table[i].name, HELP_COLUMN / 2,
			convert_option_table[i].value, convert_option_table[i].help);
	print_formats(file);
}

int convert_main(int argc, char *const *argv)
{
	struct convert_options options;
	struct sim_error error;

	if (convert_parse_options(&options, argc, argv, &error))
		goto failed;
	if (options.wants_help) {
		convert_print_help(stdout);
		return 0;
	}
	if (!convert_run(&options, stderr, &error))
		return 0;
failed:
	fprintf(stderr, "ssdqos-sim convert: %s\n", error.text);
	return EXIT_BAD_INPUT;
}
