// SPDX-License-Identifier: GPL-2.0
#include "output.h"

#include <string.h>

int output_open(const char *path, FILE **file, struct sim_error *error)
{
	if (!path)
		return 0;
	*file = strcmp(path, "-") ? fopen(path, "w") : stdout;
	return *file ? 0 : sim_error_set(error, "'%s' can't be written", path);
}

int output_close(FILE *file, const char *path, struct sim_error *error)
{
	if (!file)
		return 0;
	if (file == stdout ? fflush(file) : fclose(file))
		return sim_error_set(error, "'%s' can't be written", path);
	return 0;
}
