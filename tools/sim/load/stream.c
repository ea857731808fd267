// SPDX-License-Identifier: GPL-2.0
#include "stream.h"

#include <stdio.h>
#include <string.h>

#include "../common/pair.h"

#define ADDED_BYTES 128
#define FOREVER " runtime=100000h"
#define NAME_LENGTH_MAX 31U
#define NAME_CHARACTERS "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789_.-"

int stream_check_name(const char *name, struct sim_error *error)
{
	const size_t length = strlen(name);
	struct sim_quote quote;

	if (length && length <= NAME_LENGTH_MAX && strspn(name, NAME_CHARACTERS) == length &&
	    strcmp(name, STREAM_DRIVE_NAME))
		return 0;
	return sim_error_set(error, "--stream: name is '%s', expected 1 to %u letters, digits, '_', '.' or '-' other than "
			     STREAM_DRIVE_NAME, sim_quote(&quote, text_of(name)), NAME_LENGTH_MAX);
}

static bool has_key(const char *job, const char *key)
{
	struct text rest = text_of(job), word;

	while (text_take_word(&rest, &word))
		if (text_starts_with(word, key))
			return true;
	return false;
}

struct load *stream_load_create(const char *job, u64 seed, u64 drive_bytes,
				struct sim_error *error)
{
	char line[PAIR_TEXT_BYTES + ADDED_BYTES], seed_word[ADDED_BYTES / 2];

	snprintf(seed_word, sizeof(seed_word), " seed=%llu", seed);
	snprintf(line, sizeof(line), "%s%s%s", job, has_key(job, "seed=") ? "" : seed_word,
		 has_key(job, "runtime=") || has_key(job, "number_ios=") ? "" : FOREVER);
	return load_create(line, drive_bytes, error);
}
