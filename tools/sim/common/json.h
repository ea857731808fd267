/* SPDX-License-Identifier: GPL-2.0 */
/*
 * Streaming JSON writer.
 *
 * Values are written as they come, nothing is kept but the nesting. Inside an object every value
 * needs a key, inside an array and at the top it is NULL. Errors, of the file or in the nesting,
 * are remembered and reported once, by json_finish(). Output is indented by two spaces, one value a
 * line.
 */
#ifndef SSDQOS_SIM_JSON_H
#define SSDQOS_SIM_JSON_H

#include <stdio.h>

#include "types.h"

#define JSON_DEPTH_MAX 16

/**
 * struct json - a document being written
 * @file: where to
 * @depth: open objects and arrays
 * @is_array: what each of them is
 * @has_values: whether each of them has something in it; [0] is the top
 * @has_failed: the calls did not fit each other
 */
struct json {
	FILE *file;
	u32 depth;
	bool is_array[JSON_DEPTH_MAX + 1];
	bool has_values[JSON_DEPTH_MAX + 1];
	bool has_failed;
};

/**
 * json_start - start a document
 * @json: the writer
 * @file: where to; stays the caller's
 */
void json_start(struct json *json, FILE *file);

/**
 * json_begin_object - open an object
 * @json: the writer
 * @key: its name, or NULL
 */
void json_begin_object(struct json *json, const char *key);

/**
 * json_begin_array - open an array
 * @json: the writer
 * @key: its name, or NULL
 */
void json_begin_array(struct json *json, const char *key);

/**
 * json_end - close the object or array opened last
 * @json: the writer
 */
void json_end(struct json *json);

/**
 * json_u64 - write a whole number
 * @json: the writer
 * @key: its name, or NULL
 * @value: the number
 */
void json_u64(struct json *json, const char *key, u64 value);

/**
 * json_s64 - write a whole number that may be negative
 * @json: the writer
 * @key: its name, or NULL
 * @value: the number
 */
void json_s64(struct json *json, const char *key, s64 value);

/**
 * json_fixed - write a decimal from a whole number
 * @json: the writer
 * @key: its name, or NULL
 * @value: the number times 10^@decimals
 * @decimals: digits behind the point, 0 to 19
 *
 * json_fixed(json, "waf", 1234, 3) writes 1.234.
 */
void json_fixed(struct json *json, const char *key, u64 value, u32 decimals);

/**
 * json_string - write a string
 * @json: the writer
 * @key: its name, or NULL
 * @value: the string; what JSON does not allow is escaped, bytes that are not UTF-8 become U+FFFD
 */
void json_string(struct json *json, const char *key, const char *value);

/**
 * json_bool - write true or false
 * @json: the writer
 * @key: its name, or NULL
 * @value: which
 */
void json_bool(struct json *json, const char *key, bool value);

/**
 * json_null - write null
 * @json: the writer
 * @key: its name, or NULL
 */
void json_null(struct json *json, const char *key);

/**
 * json_finish - end the document with a newline and flush the file
 * @json: the writer
 *
 * Return: 0, or -1 when the file could not be written or objects and arrays do not match.
 */
int json_finish(struct json *json);

#endif
