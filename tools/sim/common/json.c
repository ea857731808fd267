// SPDX-License-Identifier: GPL-2.0
#include "json.h"

#include <string.h>

#define INDENT 2
#define DECIMALS_MAX 19
#define FIRST_PRINTABLE 0x20
#define FIRST_WIDE 0x80
#define REPLACEMENT "\\ufffd"

void json_start(struct json *json, FILE *file)
{
	memset(json, 0, sizeof(*json));
	json->file = file;
}

static void write_newline(struct json *json)
{
	fprintf(json->file, "\n%*s", (int)(json->depth * INDENT), "");
}

/*
 * Length of the UTF-8 sequence in front, 0 when it is none. Overlong forms and surrogates are none.
 */
static size_t utf8_length(const u8 *bytes)
{
	static const struct {
		u8 first_min, first_max, second_min, second_max;
		size_t length;
	} rows[] = {
		{ 0xc2, 0xdf, 0x80, 0xbf, 2 }, { 0xe0, 0xe0, 0xa0, 0xbf, 3 },
		{ 0xe1, 0xec, 0x80, 0xbf, 3 }, { 0xed, 0xed, 0x80, 0x9f, 3 },
		{ 0xee, 0xef, 0x80, 0xbf, 3 }, { 0xf0, 0xf0, 0x90, 0xbf, 4 },
		{ 0xf1, 0xf3, 0x80, 0xbf, 4 }, { 0xf4, 0xf4, 0x80, 0x8f, 4 },
	};

	for (size_t i = 0; i < SIM_ARRAY_SIZE(rows); i++) {
		if (bytes[0] < rows[i].first_min || bytes[0] > rows[i].first_max)
			continue;
		if (bytes[1] < rows[i].second_min || bytes[1] > rows[i].second_max)
			return 0;
		for (size_t j = 2; j < rows[i].length; j++)
			if ((bytes[j] & 0xc0) != 0x80)
				return 0;
		return rows[i].length;
	}
	return 0;
}

/* Writes a character that is not ASCII; returns how many bytes it took. */
static size_t write_wide_char(struct json *json, const u8 *bytes)
{
	const size_t length = utf8_length(bytes);

	if (!length) {
		fputs(REPLACEMENT, json->file);
		return 1;
	}
	fwrite(bytes, length, 1, json->file);
	return length;
}

/* Writes the character in front; returns how many bytes it took. */
static size_t write_char(struct json *json, const u8 *bytes)
{
	if (bytes[0] >= FIRST_WIDE)
		return write_wide_char(json, bytes);
	if (bytes[0] == '"' || bytes[0] == '\\')
		fprintf(json->file, "\\%c", bytes[0]);
	else if (bytes[0] < FIRST_PRINTABLE)
		fprintf(json->file, "\\u%04x", bytes[0]);
	else
		fputc(bytes[0], json->file);
	return 1;
}

static void write_string(struct json *json, const char *value)
{
	const u8 *bytes = (const u8 *)value;

	fputc('"', json->file);
	while (*bytes)
		bytes += write_char(json, bytes);
	fputc('"', json->file);
}

/* A key in an object and nowhere else; one value at the top. */
static bool fits(const struct json *json, const char *key)
{
	const bool needs_key = json->depth && !json->is_array[json->depth];

	return needs_key == (key != NULL) && (json->depth || !json->has_values[0]);
}

/* What stands before a value: comma, newline, indent, key. */
static void write_front(struct json *json, const char *key)
{
	if (!fits(json, key))
		json->has_failed = true;
	if (json->has_values[json->depth])
		fputc(',', json->file);
	json->has_values[json->depth] = true;
	if (json->depth)
		write_newline(json);
	if (key) {
		write_string(json, key);
		fputs(": ", json->file);
	}
}

static void begin(struct json *json, const char *key, bool is_array)
{
	if (json->depth == JSON_DEPTH_MAX) {
		json->has_failed = true;
		return;
	}
	write_front(json, key);
	fputc(is_array ? '[' : '{', json->file);
	json->depth++;
	json->is_array[json->depth] = is_array;
	json->has_values[json->depth] = false;
}

void json_begin_object(struct json *json, const char *key)
{
	begin(json, key, false);
}

void json_begin_array(struct json *json, const char *key)
{
	begin(json, key, true);
}

void json_end(struct json *json)
{
	const u32 depth = json->depth;

	if (!depth) {
		json->has_failed = true;
		return;
	}
	json->depth--;
	if (json->has_values[depth])
		write_newline(json);
	fputc(json->is_array[depth] ? ']' : '}', json->file);
}

void json_u64(struct json *json, const char *key, u64 value)
{
	write_front(json, key);
	fprintf(json->file, "%llu", value);
}

void json_s64(struct json *json, const char *key, s64 value)
{
	write_front(json, key);
	fprintf(json->file, "%lld", value);
}

void json_fixed(struct json *json, const char *key, u64 value, u32 decimals)
{
	u64 one = 1;

	if (decimals > DECIMALS_MAX) {
		json->has_failed = true;
		return;
	}
	for (u32 i = 0; i < decimals; i++)
		one *= 10;
	write_front(json, key);
	fprintf(json->file, "%llu", value / one);
	if (decimals)
		fprintf(json->file, ".%0*llu", (int)decimals, value % one);
}

void json_string(struct json *json, const char *key, const char *value)
{
	write_front(json, key);
	write_string(json, value);
}

void json_bool(struct json *json, const char *key, bool value)
{
	write_front(json, key);
	fputs(value ? "true" : "false", json->file);
}

void json_null(struct json *json, const char *key)
{
	write_front(json, key);
	fputs("null", json->file);
}

int json_finish(struct json *json)
{
	if (json->depth || !json->has_values[0])
		json->has_failed = true;
	fputc('\n', json->file);
	if (fflush(json->file) || ferror(json->file))
		json->has_failed = true;
	return json->has_failed ? -1 : 0;
}
