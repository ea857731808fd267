/* SPDX-License-Identifier: GPL-2.0 */
/*
 * Lines of a text file, plain or compressed with gzip.
 *
 * The lines lie in one big buffer and are handed out in place, so nothing is copied or allocated
 * per line. What is compressed is told by the content, not by the name. "-" is the standard input.
 * A byte order mark in front of the first line, the carriage return of a DOS line and a missing
 * newline at the end are all taken care of here.
 */
#ifndef SSDQOS_SIM_LINES_H
#define SSDQOS_SIM_LINES_H

#include "sim_error.h"
#include "text.h"
#include "types.h"

struct gzFile_s;

/* One read call fetches this much; it is also the longest line there may be. */
#define LINES_BUFFER_BYTES (1U << 20)

/**
 * struct lines - a file being read line by line
 * @file: zlib's handle, which also reads plain files
 * @name: what errors call the file
 * @buffer: @capacity bytes
 * @capacity: the longest line, plus its newline
 * @start: first byte in @buffer that was not handed out
 * @end: just behind the last byte read
 * @at_eof: the file has nothing more to give
 * @is_seekable: it can be read a second time
 * @number: number of the line handed out last, from 1
 * @file_bytes: its size on disk, 0 when unknown
 */
struct lines {
	struct gzFile_s *file;
	const char *name;
	char *buffer;
	size_t capacity;
	size_t start;
	size_t end;
	bool at_eof;
	bool is_seekable;
	u64 number;
	u64 file_bytes;
};

/**
 * lines_open - start reading
 * @lines: to be filled
 * @path: file name, kept by reference; "-" for the standard input
 * @buffer_bytes: 0 for the default; tests take tiny ones to meet every border
 * @error: says why it failed
 *
 * Return: 0, or -1.
 */
int lines_open(struct lines *lines, const char *path, size_t buffer_bytes, struct sim_error *error);

/**
 * lines_next - the next line
 * @lines: from lines_open()
 * @line: the line without its end; valid until the next call
 * @error: says why it failed: read error, damaged or cut compressed data, line too long
 *
 * Return: 1 with a line, 0 at the end, -1 on an error.
 */
int lines_next(struct lines *lines, struct text *line, struct sim_error *error);

/**
 * lines_rewind - start again from the first line
 * @lines: from lines_open()
 * @error: says why it failed
 *
 * Return: 0, or -1.
 */
int lines_rewind(struct lines *lines, struct sim_error *error);

/**
 * lines_read_ppm - how much of the file has been read
 * @lines: from lines_open()
 *
 * Return: parts per million of the bytes on disk, 0 when the size is unknown.
 */
u64 lines_read_ppm(const struct lines *lines);

/**
 * lines_close - free everything
 * @lines: from lines_open(), also after an error, also when zeroed
 */
void lines_close(struct lines *lines);

#endif
