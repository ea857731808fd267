// SPDX-License-Identifier: GPL-2.0
/*
 * main.c - ssdqos-sim: the core without a kernel
 *
 * Exit status: 0; 1 when the run broke a promise (a request never completed,
 * an invariant does not hold); 2 on bad input, with one sentence on the
 * standard error.
 */
#include <string.h>

#include "common/exit.h"
#include "convert/convert.h"
#include "flash/cli.h"
#include "life/cli.h"
#include "limits/cli.h"
#include "load/load.h"
#include "mirror/cli.h"
#include "params.h"
#include "qos/cli.h"

static int main_help(int argc, char **argv)
{
	(void)argc;
	(void)argv;
	printf("usage: ssdqos-sim run --drive PRESET|FILE (--trace FILE | --load JOB) [OPTION]...\n"
	       "       ssdqos-sim qos --drive PRESET|FILE --stream STREAM... --runtime TIME [OPTION]...\n"
	       "       ssdqos-sim mirror --drive PRESET|FILE --stream STREAM... --runtime TIME [OPTION]...\n"
	       "       ssdqos-sim life --load NAME --policy POLICY [OPTION]...\n"
	       "       ssdqos-sim limits --drive PRESET|FILE [OPTION]...  stripes and rates at which planes collect in turn\n"
	       "       ssdqos-sim convert --help           turn other traces into the project's\n"
	       "       ssdqos-sim params [flash|qos|mirror] [--counters] [--rst]  parameters of the drive, of streams, of a mirror\n"
	       "       ssdqos-sim loads                    the keys of --load, and named loads\n\n");
	run_print_help(stdout);
	printf("\n");
	qos_print_help(stdout);
	printf("\n");
	mirror_print_help(stdout);
	printf("\n");
	life_print_help(stdout);
	printf("\n");
	limits_print_help(stdout);
	return SIM_EXIT_GOOD;
}

static int main_loads(int argc, char **argv)
{
	(void)argc;
	(void)argv;
	load_print_help(stdout);
	return SIM_EXIT_GOOD;
}

static int main_convert(int argc, char **argv)
{
	return convert_main(argc - 1, argv + 1);
}

static const struct main_command {
	const char *name;
	int (*run)(int argc, char **argv);
} main_commands[] = {
	{ "run", run_main },
	{ "qos", qos_main },
	{ "mirror", mirror_main },
	{ "life", life_main },
	{ "limits", limits_main },
	{ "convert", main_convert },
	{ "params", params_main },
	{ "loads", main_loads },
	{ "help", main_help },
	{ "--help", main_help },
};

/* What was printed has to be where it was meant to go. */
static int main_end(int status)
{
	struct sim_error error;

	if (status == SIM_EXIT_INPUT || (!fflush(stdout) && !ferror(stdout)))
		return status;
	sim_error_set(&error, "the standard output can't be written");
	return exit_input(&error);
}

int main(int argc, char **argv)
{
	const char *command = argc > 1 ? argv[1] : "";
	struct sim_error error;
	size_t i;

	for (i = 0; i < SIM_ARRAY_SIZE(main_commands); i++)
		if (!strcmp(command, main_commands[i].name))
			return main_end(main_commands[i].run(argc - 1, argv + 1));
	sim_error_set(&error, "'%s' is not a command; see ssdqos-sim --help", command);
	return exit_input(&error);
}
