// SPDX-License-Identifier: GPL-2.0
/*
 * param.c - parse and print the value of a tunable
 */
#include "param.h"

#define PARAM_CHOICES_TEXT 160

/**
 * ssdqos_param_find - row of a name
 * @rows: the rows
 * @nr: their number
 * @name: the key
 *
 * Return: index, or -ENOENT.
 */
int ssdqos_param_find(const struct ssdqos_param *rows, u32 nr, const char *name)
{
	u32 i;

	for (i = 0; i < nr; i++)
		if (!strcmp(rows[i].name, name))
			return (int)i;
	return -ENOENT;
}

static u32 param_suffix_shift(char c)
{
	switch (c) {
	case 'k': case 'K':
		return 10;
	case 'm': case 'M':
		return 20;
	case 'g': case 'G':
		return 30;
	}
	return 0;
}

/* Digits with an optional binary suffix; nothing before or after. */
static int param_parse_number(const char *text, u64 *value)
{
	u64 n = 0;
	u32 shift;

	if (*text < '0' || *text > '9')
		return -EINVAL;
	for (; *text >= '0' && *text <= '9'; text++) {
		u64 digit = (u64)(*text - '0');

		if (n > ~0ULL / 10 || n * 10 > ~0ULL - digit)
			return -ERANGE;
		n = n * 10 + digit;
	}
	shift = param_suffix_shift(*text);
	if (shift)
		text++;
	if (*text)
		return -EINVAL;
	if (n << shift >> shift != n)
		return -ERANGE;
	*value = n << shift;
	return 0;
}

static int param_parse_choice(const struct ssdqos_param *row, const char *text,
			      u64 *value, char *err, u32 err_size)
{
	char list[PARAM_CHOICES_TEXT];
	int len = 0;
	u64 i;

	list[0] = '\0';
	for (i = 0; row->choices[i]; i++) {
		if (!strcmp(row->choices[i], text)) {
			*value = i;
			return 0;
		}
		len += scnprintf(list + len, sizeof(list) - (u32)len, "%s%s",
				 i ? ", " : "", row->choices[i]);
	}
	scnprintf(err, err_size, "%s: '%s' is not one of %s", row->name, text,
		  list);
	return -EINVAL;
}

/**
 * ssdqos_param_parse - check and convert a value
 * @row: the tunable
 * @text: what the user wrote
 * @value: set to the value on success, untouched otherwise
 * @err: gets one sentence with name, value and allowed range on failure
 * @err_size: its size
 *
 * Return: 0 or -EINVAL.
 */
int ssdqos_param_parse(const struct ssdqos_param *row, const char *text,
		       u64 *value, char *err, u32 err_size)
{
	u64 n;

	if (row->choices)
		return param_parse_choice(row, text, value, err, err_size);
	if (param_parse_number(text, &n) || n < row->min || n > row->max) {
		scnprintf(err, err_size,
			  "%s: '%s' is not a number from %llu to %llu%s%s",
			  row->name, text, row->min, row->max,
			  *row->unit ? " " : "", row->unit);
		return -EINVAL;
	}
	*value = n;
	return 0;
}

/**
 * ssdqos_param_set - find a tunable by name, check and convert its value
 * @rows: the rows
 * @nr: their number
 * @owner: whose they are, for @err
 * @name: the key
 * @text: what the user wrote
 * @value: set to the value on success, untouched otherwise
 * @err: gets one sentence on failure
 * @err_size: its size
 *
 * Return: index of the row, -ENOENT for an unknown key, -EINVAL for a value
 * out of range.
 */
int ssdqos_param_set(const struct ssdqos_param *rows, u32 nr, const char *owner,
		     const char *name, const char *text, u64 *value, char *err,
		     u32 err_size)
{
	int i = ssdqos_param_find(rows, nr, name);
	int r;

	if (i < 0) {
		scnprintf(err, err_size, "'%s' is not a parameter of %s", name,
			  owner);
		return i;
	}
	r = ssdqos_param_parse(&rows[i], text, value, err, err_size);
	return r ? r : i;
}

/**
 * ssdqos_param_format - print a value so that ssdqos_param_parse() takes it
 * @row: the tunable
 * @value: its value
 * @buf: gets the text
 * @size: its size
 *
 * Return: number of characters.
 */
int ssdqos_param_format(const struct ssdqos_param *row, u64 value, char *buf,
			u32 size)
{
	if (row->choices)
		return scnprintf(buf, size, "%s", row->choices[value]);
	return scnprintf(buf, size, "%llu", value);
}
