// SPDX-License-Identifier: GPL-2.0
#include "named.h"

#define REQUESTS_PER_COUNT 100000U
#define NAME_COLUMN 18

/* Of the mix: percent with four decimals. */
#define MIX_ONE 10000U
#define MIX_ALL (100 * MIX_ONE)

/*
 * Table 2 has neither footprint nor skew, so these are assumptions. A quarter of the drive is far
 * more than its buffers hold, and leaves cold data; zipf with 0.9 gives a tenth of the blocks about
 * three quarters of the requests. Conclusions should be tried with other values of both.
 */
#define FOOTPRINT "25%"
#define SKEW "zipf:0.9"

static const struct load_named rows[] = {
	{ "DAP-DS", "23.5", 1, 13, "7.2", "31.5", "56.9", "31.6" },
	{ "DAP-PS", "23.5", 5, 6, "96.7", "62.1", "79.9", "1.7" },
	{ "DTRS", "23.0", 58, 120, "31.9", "21.8", "4.6", "1.5" },
	{ "LM-TBE", "23.0", 92, 347, "61.9", "53.2", "1.9", "0.8" },
	{ "MSN-CFS", "5.9", 11, 32, "12.9", "8.9", "4.9", "2.0" },
	{ "MSN-BEFS", "5.9", 92, 189, "11.6", "10.7", "0.8", "0.3" },
	{ "RAD-AS", "15.3", 20, 2, "9.9", "11.0", "24.9", "0.8" },
	{ "RAD-BE", "17.0", 43, 10, "13.0", "106.2", "11.7", "2.6" },
};

const struct load_named *load_named_row(size_t row)
{
	return row < SIM_ARRAY_SIZE(rows) ? &rows[row] : NULL;
}

const struct load_named *load_named_find(struct text name)
{
	if (!text_starts_with(name, LOAD_NAMED_PREFIX))
		return NULL;
	name.at += strlen(LOAD_NAMED_PREFIX);
	for (size_t i = 0; i < SIM_ARRAY_SIZE(rows); i++)
		if (text_is(name, rows[i].name))
			return &rows[i];
	return NULL;
}

void load_named_job(const struct load_named *named, char *job)
{
	const u32 counts = named->reads + named->writes;
	const u32 mix = (named->reads * MIX_ALL + counts / 2) / counts;

	snprintf(job, LOAD_NAMED_JOB_BYTES,
		 "randrw number_ios=%u rwmixread=%u.%04u bs=geometric:%sk,%sk "
		 "arrival=lognormal:%sms/%sms size=%s random_distribution=%s",
		 counts * REQUESTS_PER_COUNT, mix / MIX_ONE, mix % MIX_ONE, named->read_kib,
		 named->write_kib, named->mean_ms, named->median_ms, FOOTPRINT, SKEW);
}

void load_named_print_help(FILE *file)
{
	char job[LOAD_NAMED_JOB_BYTES];

	fprintf(file,
		"Named loads are synthetic: random requests with the counts, sizes and times of\n"
		"Table 2 of AutoSSD (USENIX ATC 2018), not the traces. Footprint and skew are\n"
		"assumed. Keys behind the name replace those that it stands for:\n");
	for (size_t i = 0; i < SIM_ARRAY_SIZE(rows); i++) {
		load_named_job(&rows[i], job);
		fprintf(file, "  " LOAD_NAMED_PREFIX "%-*s synthetic; the trace lasts %s h\n  %s\n",
			NAME_COLUMN, rows[i].name, rows[i].hours, job);
	}
}
