// SPDX-License-Identifier: GPL-2.0
#include "quantity.h"

#define PPM_PER_PERCENT (PPM_ONE / 100)

struct suffix {
	const char *name;
	u64 factor;
};

static const struct suffix byte_suffixes[] = {
	{ "", 1 },
	{ "b", 1 },
	{ "k", 1ULL << 10 },
	{ "ki", 1ULL << 10 },
	{ "kib", 1ULL << 10 },
	{ "m", 1ULL << 20 },
	{ "mi", 1ULL << 20 },
	{ "mib", 1ULL << 20 },
	{ "g", 1ULL << 30 },
	{ "gi", 1ULL << 30 },
	{ "gib", 1ULL << 30 },
	{ "t", 1ULL << 40 },
	{ "ti", 1ULL << 40 },
	{ "tib", 1ULL << 40 },
};

static const struct suffix time_suffixes[] = {
	{ "", NS_PER_S },	  { "ns", 1 },	     { "us", NS_PER_US },
	{ "ms", NS_PER_MS },	  { "s", NS_PER_S }, { "m", 60 * NS_PER_S },
	{ "h", 3600 * NS_PER_S },
};

static const struct suffix ppm_suffixes[] = {
	{ "%", PPM_PER_PERCENT },
};

/* Where the number ends and the suffix begins. */
static const char *find_suffix(struct text text)
{
	while (!text_is_empty(text) && (text_is_digit(*text.at) || *text.at == '.'))
		text.at++;
	return text.at;
}

static bool read_quantity(struct text text, const struct suffix *suffixes, size_t count, u64 *value)
{
	const char *border = find_suffix(text);
	const struct text number = { text.at, border }, suffix = { border, text.end };

	for (size_t i = 0; i < count; i++)
		if (text_is_nocase(suffix, suffixes[i].name))
			return text_to_scaled(number, suffixes[i].factor, value);
	return false;
}

bool quantity_bytes(struct text text, u64 *bytes)
{
	return read_quantity(text, byte_suffixes, SIM_ARRAY_SIZE(byte_suffixes), bytes);
}

bool quantity_time_ns(struct text text, u64 *ns)
{
	return read_quantity(text, time_suffixes, SIM_ARRAY_SIZE(time_suffixes), ns);
}

bool quantity_ppm(struct text text, u64 *ppm)
{
	return read_quantity(text, ppm_suffixes, SIM_ARRAY_SIZE(ppm_suffixes), ppm);
}
