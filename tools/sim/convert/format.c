// SPDX-License-Identifier: GPL-2.0
#include "format.h"

const struct convert_unit convert_units[] = {
	{ "ns", 1 },
	{ "100ns", 100 },
	{ "us", NS_PER_US },
	{ "ms", NS_PER_MS },
	{ "s", NS_PER_S },
};

const size_t nr_convert_units = SIM_ARRAY_SIZE(convert_units);

const struct convert_unit *convert_find_unit(const char *name)
{
	for (size_t i = 0; i < nr_convert_units; i++)
		if (!strcmp(convert_units[i].name, name))
			return &convert_units[i];
	return NULL;
}

enum convert_verdict convert_bad(struct convert_state *state, const char *expected)
{
	state->expected = expected;
	return CONVERT_BAD;
}

bool convert_time(const struct convert_state *state, struct text text, u64 *time_ns)
{
	return text_to_scaled(text, state->unit_ns, time_ns);
}

bool convert_sectors(struct text text, u64 *bytes)
{
	u64 sectors;

	return text_to_u64(text, &sectors) && !__builtin_mul_overflow(sectors, SECTOR_BYTES, bytes);
}
