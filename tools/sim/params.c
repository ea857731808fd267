// SPDX-License-Identifier: GPL-2.0
#include "params.h"

#include <stdio.h>
#include <string.h>

#include "common/exit.h"
#include "../../dm-ssdqos/core/flash/config.h"
#include "../../dm-ssdqos/core/flash/stats.h"
#include "../../dm-ssdqos/core/mirror/config.h"
#include "../../dm-ssdqos/core/mirror/mirror.h"
#include "../../dm-ssdqos/core/qos/edf.h"
#include "../../dm-ssdqos/core/rules/config.h"

#define TEXT_BYTES 256

struct params_counter {
	const char *name;
	const char *help;
};

#define S(name, help) { #name, help },
static const struct params_counter flash_counters[] = { SSDQOS_FLASH_STATS(S) };
#undef S
#define S(name, unit, help) { #name, help " (" unit ")" },
static const struct params_counter qos_counters[] = { SSDQOS_EDF_STATS(S) };
static const struct params_counter mirror_counters[] = { SSDQOS_MIRROR_STATS(S) };
#undef S

/**
 * struct params_table - the parameters of one component
 * @name: what it is called on the command line
 * @rows: the parameters
 * @nr: their number
 * @counters: what it counts
 * @nr_counters: their number
 */
static const struct params_table {
	const char *name;
	const struct ssdqos_param *rows;
	u32 nr;
	const struct params_counter *counters;
	size_t nr_counters;
} tables[] = {
	{ "flash", ssdqos_flash_params, SSDQOS_FLASH_NR_PARAMS,
	  flash_counters, SIM_ARRAY_SIZE(flash_counters) },
	{ "qos", ssdqos_qos_params, SSDQOS_QOS_NR_PARAMS,
	  qos_counters, SIM_ARRAY_SIZE(qos_counters) },
	{ "mirror", ssdqos_mirror_params, SSDQOS_MIRROR_NR_PARAMS,
	  mirror_counters, SIM_ARRAY_SIZE(mirror_counters) },
};

static void print_range(const struct ssdqos_param *row, char *text, size_t size)
{
	int n = 0, i;

	if (!row->choices) {
		snprintf(text, size, "%llu to %llu%s%s", row->min, row->max,
			 *row->unit ? " " : "", row->unit);
		return;
	}
	for (i = 0; row->choices[i]; i++)
		n += snprintf(text + n, size - (size_t)n, "%s%s", i ? ", " : "", row->choices[i]);
}

/* The documentation's table is this one: docs can't lag behind the code. */
static void print_row(const struct ssdqos_param *row, bool rst)
{
	const char *when = row->when == SSDQOS_PARAM_LIVE ? "live" : "create";
	char range[TEXT_BYTES], def[TEXT_BYTES];

	print_range(row, range, sizeof(range));
	ssdqos_param_format(row, row->def, def, sizeof(def));
	printf(rst ? "``%s``\n    %s.  Range: %s.  Default: %s.  Set: %s.\n\n" :
		     "%-18s %s\n                   %s; default %s; %s\n",
	       row->name, row->help, range, def, when);
}

static void print_counter(const struct params_counter *counter, bool rst)
{
	printf(rst ? "``%s``\n    %s\n" : "%-24s %s\n", counter->name, counter->help);
}

static const struct params_table *find(const char *name)
{
	for (size_t i = 0; i < SIM_ARRAY_SIZE(tables); i++)
		if (!strcmp(tables[i].name, name))
			return &tables[i];
	return NULL;
}

int params_main(int argc, char **argv)
{
	const struct params_table *table = tables;
	struct sim_error error;
	bool rst = false, counters = false;

	for (int i = 1; i < argc; i++) {
		if (!strcmp(argv[i], "--rst")) {
			rst = true;
			continue;
		}
		if (!strcmp(argv[i], "--counters")) {
			counters = true;
			continue;
		}
		table = find(argv[i]);
		if (!table) {
			sim_error_set(&error, "params: '%s' is not flash, qos or mirror", argv[i]);
			return exit_input(&error);
		}
	}
	for (u32 i = 0; !counters && i < table->nr; i++)
		print_row(&table->rows[i], rst);
	for (size_t i = 0; counters && i < table->nr_counters; i++)
		print_counter(&table->counters[i], rst);
	return SIM_EXIT_GOOD;
}
