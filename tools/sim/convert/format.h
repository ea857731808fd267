/* SPDX-License-Identifier: GPL-2.0 */
/*
 * What a trace format is. A new one is a new file <name>.c and one row in formats.c.
 */
#ifndef SSDQOS_SIM_CONVERT_FORMAT_H
#define SSDQOS_SIM_CONVERT_FORMAT_H

#include "../common/sim_error.h"
#include "../common/text.h"
#include "../load/request.h"

#define SECTOR_BYTES 512ULL

/**
 * struct convert_unit - a unit of time
 * @name: as in --unit
 * @ns: nanoseconds
 */
struct convert_unit {
	const char *name;
	u64 ns;
};

/**
 * enum convert_verdict - what a line turned out to be
 * @CONVERT_ROW: a request, stored in the record
 * @CONVERT_LEFT_OUT: a good line that is not a request to convert: header, other event, flush
 * without data, summary
 * @CONVERT_BAD: a line that should not be there; expected says what should
 * @CONVERT_WRONG_FORMAT: the whole file is something else; expected says what should be there
 */
enum convert_verdict {
	CONVERT_ROW,
	CONVERT_LEFT_OUT,
	CONVERT_BAD,
	CONVERT_WRONG_FORMAT,
};

/* Events are upper-case letters. */
#define CONVERT_EVENTS ('Z' - 'A' + 1)

/**
 * struct convert_state - what a format may remember between lines; zeroed before the first
 * @unit_ns: unit of the times
 * @event: letter of the wanted event
 * @line: number of this line, from 1
 * @version: version of the format, when the file says so
 * @clock_ns: running time, for formats that give time as waits
 * @is_over: nothing but a summary follows
 * @expected: for CONVERT_BAD and CONVERT_WRONG_FORMAT
 * @seen: how many lines of each event there were
 */
struct convert_state {
	u64 unit_ns;
	char event;
	u64 line;
	u32 version;
	u64 clock_ns;
	bool is_over;
	const char *expected;
	u64 seen[CONVERT_EVENTS];
};

/**
 * struct convert_record - one request as the trace has it
 * @request: with the time as in the trace, not from 0
 * @device: the name of the device, valid until the next line
 */
struct convert_record {
	struct sim_request request;
	struct text device;
};

/**
 * struct convert_format - one row of the table of formats
 * @name: as in --from
 * @help: what it is and where it comes from
 * @unit: name of its unit of time
 * @events: letters that --event may take, the first is the default; empty when the format has one
 * event only
 * @assumed: what the summary says the conversion takes for granted
 * @parse: turns a line, never empty, into a record
 */
struct convert_format {
	const char *name;
	const char *help;
	const char *unit;
	const char *events;
	const char *assumed;
	enum convert_verdict (*parse)(struct convert_state *state, struct text line,
				      struct convert_record *record);
};

extern const struct convert_format convert_blkparse;
extern const struct convert_format convert_csv;
extern const struct convert_format convert_fio_iolog;
extern const struct convert_format convert_mqsim;
extern const struct convert_format convert_msr;
extern const struct convert_format convert_spc;

extern const struct convert_unit convert_units[];
extern const size_t nr_convert_units;

/**
 * convert_find_unit - find a unit of time by name
 * @name: as in --unit
 *
 * Return: the unit, or NULL.
 */
const struct convert_unit *convert_find_unit(const char *name);

/**
 * convert_bad - say what was expected
 * @state: remembers it
 * @expected: words that fit behind "expected"
 *
 * Return: CONVERT_BAD.
 */
enum convert_verdict convert_bad(struct convert_state *state, const char *expected);

/**
 * convert_time - read a time in the unit of the trace
 * @state: has the unit
 * @text: the whole field
 * @time_ns: the result
 */
bool convert_time(const struct convert_state *state, struct text text, u64 *time_ns);

/**
 * convert_sectors - read a number of 512-byte sectors
 * @text: the whole field
 * @bytes: the result
 */
bool convert_sectors(struct text text, u64 *bytes);

#endif
