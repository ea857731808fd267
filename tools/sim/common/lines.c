// SPDX-License-Identifier: GPL-2.0
#include "lines.h"

#include <errno.h>
#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>
#include <zlib.h>

#define STDIN_NAME "standard input"
#define BYTE_ORDER_MARK "\xef\xbb\xbf"

/* zlib's own buffer for compressed bytes; its default of 8 KiB costs a system call every 8 KiB. */
#define ZLIB_BUFFER_BYTES (1U << 17)

static int open_descriptor(struct lines *lines, const char *path)
{
	struct stat status;
	bool is_stdin = !strcmp(path, "-");
	int fd = is_stdin ? dup(STDIN_FILENO) : open(path, O_RDONLY | O_CLOEXEC);

	lines->name = is_stdin ? STDIN_NAME : path;
	if (fd < 0 || fstat(fd, &status))
		return fd;
	lines->is_seekable = S_ISREG(status.st_mode) && !is_stdin;
	lines->file_bytes = lines->is_seekable ? (u64)status.st_size : 0;
	return fd;
}

static int attach_zlib(struct lines *lines, int fd, struct sim_error *error)
{
	lines->file = gzdopen(fd, "rb");
	if (!lines->file) {
		close(fd);
		return sim_error_set(error, "%s: not enough memory to open it", lines->name);
	}
	gzbuffer(lines->file, ZLIB_BUFFER_BYTES);
	return 0;
}

int lines_open(struct lines *lines, const char *path, size_t buffer_bytes, struct sim_error *error)
{
	int fd;

	memset(lines, 0, sizeof(*lines));
	lines->capacity = buffer_bytes ? buffer_bytes : LINES_BUFFER_BYTES;
	lines->buffer = malloc(lines->capacity);
	if (!lines->buffer)
		return sim_error_set(error, "%s: not enough memory to read it", path);
	fd = open_descriptor(lines, path);
	if (fd < 0)
		return sim_error_set(error, "%s: cannot be opened: %s", lines->name,
				     strerror(errno));
	return attach_zlib(lines, fd, error);
}

static int read_error(const struct lines *lines, struct sim_error *error)
{
	int code;
	const char *message = gzerror(lines->file, &code);

	if (code == Z_BUF_ERROR)
		return sim_error_set(error,
				     "%s: the compressed data ends too early, after line %llu",
				     lines->name, lines->number);
	if (code == Z_ERRNO)
		return sim_error_set(error, "%s: cannot be read after line %llu: %s", lines->name,
				     lines->number, strerror(errno));
	return sim_error_set(error, "%s: the compressed data is damaged after line %llu: %s",
			     lines->name, lines->number, message);
}

/* Make room by moving the unread rest to the front, then read as much as fits. */
static int refill(struct lines *lines, struct sim_error *error)
{
	int bytes, code;

	memmove(lines->buffer, lines->buffer + lines->start, lines->end - lines->start);
	lines->end -= lines->start;
	lines->start = 0;
	if (lines->end == lines->capacity)
		return sim_error_set(
			error,
			"%s:%llu: the line is longer than %zu bytes, so this is not text",
			lines->name, lines->number + 1, lines->capacity - 1);
	bytes = gzread(lines->file, lines->buffer + lines->end,
		       (unsigned int)(lines->capacity - lines->end));
	if (bytes < 0)
		return read_error(lines, error);
	lines->end += (size_t)bytes;
	if (bytes == 0) {
		gzerror(lines->file, &code);
		if (code == Z_BUF_ERROR)
			return read_error(lines, error);
		lines->at_eof = true;
	}
	return 0;
}

static void strip(struct lines *lines, struct text *line)
{
	if (lines->number == 1 && text_starts_with(*line, BYTE_ORDER_MARK))
		line->at += strlen(BYTE_ORDER_MARK);
	if (!text_is_empty(*line) && line->end[-1] == '\r')
		line->end--;
}

/* Hand out the bytes up to @end; @skip bytes (the newline) lie between this line and the next. */
static int hand_out(struct lines *lines, const char *end, size_t skip, struct text *line)
{
	*line = (struct text){ lines->buffer + lines->start, end };
	lines->start = (size_t)(end - lines->buffer) + skip;
	lines->number++;
	strip(lines, line);
	return 1;
}

int lines_next(struct lines *lines, struct text *line, struct sim_error *error)
{
	size_t searched = 0;

	for (;;) {
		const char *from = lines->buffer + lines->start + searched;
		const char *end = lines->buffer + lines->end;
		const char *newline = from < end ? memchr(from, '\n', (size_t)(end - from)) : NULL;

		if (newline)
			return hand_out(lines, newline, 1, line);
		if (lines->at_eof)
			return lines->start == lines->end ? 0 : hand_out(lines, end, 0, line);
		searched = lines->end - lines->start;
		if (refill(lines, error))
			return -1;
	}
}

int lines_rewind(struct lines *lines, struct sim_error *error)
{
	if (!lines->is_seekable)
		return sim_error_set(
			error, "%s: cannot be read a second time, because it is not a regular file",
			lines->name);
	if (gzrewind(lines->file))
		return read_error(lines, error);
	lines->start = 0;
	lines->end = 0;
	lines->at_eof = false;
	lines->number = 0;
	return 0;
}

u64 lines_read_ppm(const struct lines *lines)
{
	z_off_t offset = gzoffset(lines->file);

	if (!lines->file_bytes || offset < 0)
		return 0;
	return (u64)((u128)offset * PPM_ONE / lines->file_bytes);
}

void lines_close(struct lines *lines)
{
	if (lines->file)
		gzclose(lines->file);
	free(lines->buffer);
	memset(lines, 0, sizeof(*lines));
}
