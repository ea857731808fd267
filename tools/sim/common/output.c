// SPDX-License-Identifier: GPL-2.0
#include "output.h"

#include <errno.h>
#include <libgen.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#define DEVICES "/dev/"

static bool is_stdout(const char *path)
{
	return !strcmp(path, "-");
}

/* Where there is no such file yet, its folder has to let one be made. */
static bool can_write(const char *path)
{
	struct stat status;
	char *copy;
	bool can;

	if (is_stdout(path))
		return true;
	if (!stat(path, &status)) {
		if (!S_ISDIR(status.st_mode))
			return !access(path, W_OK);
		errno = EISDIR;
		return false;
	}
	copy = errno == ENOENT && *path ? strdup(path) : NULL;
	can = copy && !access(dirname(copy), W_OK | X_OK);
	free(copy);
	return can;
}

/* Devices such as /dev/null take whatever comes. */
static bool are_one_file(const struct output_file *a, const struct output_file *b)
{
	return !strcmp(a->path, b->path) && strncmp(a->path, DEVICES, strlen(DEVICES));
}

static bool get_in_the_way(const struct output_file *a, const struct output_file *b)
{
	if (!b->path || !are_one_file(a, b))
		return false;
	if (a->use == OUTPUT_IS_READ || b->use == OUTPUT_IS_READ)
		return a->use == OUTPUT_IS_WRITTEN || b->use == OUTPUT_IS_WRITTEN;
	return true;
}

int output_check(const struct output_file *files, u32 nr, struct sim_error *error)
{
	for (u32 i = 0; i < nr; i++) {
		const struct output_file *file = &files[i];

		if (!file->path)
			continue;
		for (u32 j = 0; j < i; j++)
			if (get_in_the_way(file, &files[j]))
				return sim_error_set(error, "--%s and --%s are both '%s'",
						     files[j].option, file->option, file->path);
		if (file->use != OUTPUT_IS_READ && !can_write(file->path))
			return sim_error_set(error, "--%s: '%s' can't be written: %s", file->option,
					     file->path, strerror(errno));
	}
	return 0;
}

bool output_is_stdout(const struct output_file *files, u32 nr)
{
	for (u32 i = 0; i < nr; i++)
		if (files[i].path && files[i].use == OUTPUT_IS_WRITTEN && is_stdout(files[i].path))
			return true;
	return false;
}

int output_open(const char *path, FILE **file, struct sim_error *error)
{
	if (!path)
		return 0;
	*file = is_stdout(path) ? stdout : fopen(path, "w");
	return *file ? 0 : sim_error_set(error, "'%s' can't be written: %s", path,
					       strerror(errno));
}

int output_close(FILE *file, const char *path, struct sim_error *error)
{
	bool failed;

	if (!file)
		return 0;
	failed = ferror(file);
	if (file == stdout ? fflush(file) : fclose(file))
		failed = true;
	return failed ? sim_error_set(error, "'%s' can't be written", path) : 0;
}
