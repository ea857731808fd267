// SPDX-License-Identifier: GPL-2.0
#include "shape.h"

#include <stdio.h>

#include "../common/text.h"

/* A number, and its range: bursts need some seconds, and leave some to the others. */
static const struct life_shape_row {
	const char *key;
	size_t field;
	u32 min;
	u32 max;
} rows[] = {
	{ "quiet_permille", offsetof(struct life_shape, quiet_permille), 0, 1000 },
	{ "weekend_permille", offsetof(struct life_shape, weekend_permille), 0, 1000 },
	{ "stretch_s", offsetof(struct life_shape, stretch_s), 1, 604800 },
	{ "spread_permille", offsetof(struct life_shape, spread_permille), 1000, 10000 },
	{ "burst_ppm", offsetof(struct life_shape, burst_ppm), 100, 999900 },
	{ "burst_pct", offsetof(struct life_shape, burst_pct), 0, 100 },
};

static const struct life_shape_row *row_of(const char *key)
{
	for (u32 i = 0; i < SIM_ARRAY_SIZE(rows); i++)
		if (!strcmp(rows[i].key, key))
			return &rows[i];
	return NULL;
}

static int fail_key(const char *key, struct sim_error *error)
{
	char keys[SIM_ERROR_BYTES / 2] = "";
	size_t used = 0;

	for (u32 i = 0; i < SIM_ARRAY_SIZE(rows) && used < sizeof(keys); i++)
		used += (size_t)snprintf(keys + used, sizeof(keys) - used, "%s%s", i ? ", " : "",
					 rows[i].key);
	return sim_error_set(error, "'%s' is not one of %s", key, keys);
}

int life_shape_set(struct life_shape *shape, const char *key, const char *value,
		   struct sim_error *error)
{
	const struct life_shape_row *row = row_of(key);
	u64 number;

	if (!row)
		return fail_key(key, error);
	if (!text_to_u64(text_of(value), &number) || number < row->min || number > row->max)
		return sim_error_set(error, "%s: '%s' is not a number from %u to %u", key, value,
				     row->min, row->max);
	*(u32 *)((char *)shape + row->field) = (u32)number;
	return 0;
}
