// SPDX-License-Identifier: GPL-2.0
#include "write.h"

#include <errno.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>
#include <zlib.h>

#include "../load/trace.h"

#define GZIP_SUFFIX ".gz"
#define MODE_GZIP "wb6"
#define MODE_PLAIN "wbT"

/* Three numbers of at most 20 digits, ".123", a letter, commas and a newline. */
#define ROW_BYTES_MAX 80

static bool ends_in(const char *text, const char *suffix)
{
	return strlen(text) >= strlen(suffix) &&
	       !strcmp(text + strlen(text) - strlen(suffix), suffix);
}

static gzFile open_output(const char *path)
{
	int fd;
	gzFile file;

	if (path)
		return gzopen(path, ends_in(path, GZIP_SUFFIX) ? MODE_GZIP : MODE_PLAIN);
	fd = dup(STDOUT_FILENO);
	if (fd < 0)
		return NULL;
	file = gzdopen(fd, MODE_PLAIN);
	if (!file)
		close(fd);
	return file;
}

/* Whole microseconds are written without a point. */
static int format_row(char *buffer, const struct convert_row *row)
{
	char fraction[] = ".000";
	const u64 ns = row->time_ns % NS_PER_US;

	if (ns)
		snprintf(fraction, sizeof(fraction), ".%03u",
			 (unsigned int)ns % (unsigned int)NS_PER_US);
	return snprintf(buffer, ROW_BYTES_MAX, "%llu%s,%c,%llu,%llu\n", row->time_ns / NS_PER_US,
			ns ? fraction : "", SIM_OP_LETTERS[row->op], row->offset_bytes,
			row->size_bytes);
}

static bool write_rows(gzFile file, const struct convert_rows *rows)
{
	char buffer[ROW_BYTES_MAX];

	if (gzputs(file, TRACE_HEADER "\n") < 0)
		return false;
	for (size_t i = 0; i < rows->count; i++)
		if (gzwrite(file, buffer, (unsigned int)format_row(buffer, &rows->rows[i])) <= 0)
			return false;
	return true;
}

int convert_write(const struct convert_rows *rows, const char *path, struct sim_error *error)
{
	const char *name = path ? path : "standard output";
	gzFile file = open_output(path);
	bool is_written;
	int cause;

	if (!file)
		return sim_error_set(error, "%s: cannot be opened for writing: %s", name,
				     strerror(errno));
	is_written = write_rows(file, rows);
	cause = errno;
	if (gzclose(file) == Z_OK && is_written)
		return 0;
	return sim_error_set(error, "%s: cannot be written: %s", name,
			     strerror(is_written ? errno : cause));
}
