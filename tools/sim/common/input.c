// SPDX-License-Identifier: GPL-2.0
#include "input.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>

#define FIRST_BYTES 65536

/* It may be a pipe, so its length is not known before. */
static char *read_all(FILE *file, u64 *size)
{
	size_t room = FIRST_BYTES, used = 0, got;
	char *buffer = malloc(room);

	while (buffer && (got = fread(buffer + used, 1, room - used, file))) {
		char *larger = buffer;

		used += got;
		if (used == room)
			larger = realloc(buffer, room *= 2);
		if (!larger)
			free(buffer);
		buffer = larger;
	}
	if (buffer && ferror(file)) {
		free(buffer);
		buffer = NULL;
	}
	if (buffer)
		buffer[used] = '\0';
	*size = used;
	return buffer;
}

void *input_read(const char *path, u64 *size)
{
	FILE *file = fopen(path, "rb");
	char *buffer;
	int error;

	if (!file)
		return NULL;
	buffer = read_all(file, size);
	error = errno;
	fclose(file);
	errno = error;
	return buffer;
}
