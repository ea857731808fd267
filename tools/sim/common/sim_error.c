// SPDX-License-Identifier: GPL-2.0
#include "sim_error.h"

#include <stdarg.h>
#include <stdio.h>
#include <string.h>

#define CUT_MARK "..."

int sim_error_set(struct sim_error *error, const char *format, ...)
{
	va_list args;

	va_start(args, format);
	vsnprintf(error->text, sizeof(error->text), format, args);
	va_end(args);
	return -1;
}

static bool is_printable(char c)
{
	return c >= ' ' && c <= '~';
}

const char *sim_quote(struct sim_quote *quote, struct text value)
{
	const size_t room = sizeof(quote->text) - sizeof(CUT_MARK);
	size_t length = text_length(value);
	bool is_cut = length > room;

	if (is_cut)
		length = room;
	for (size_t i = 0; i < length; i++)
		quote->text[i] = is_printable(value.at[i]) ? value.at[i] : '?';
	strcpy(quote->text + length, is_cut ? CUT_MARK : "");
	return quote->text;
}
