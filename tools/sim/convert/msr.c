// SPDX-License-Identifier: GPL-2.0
/*
 * Traces of Microsoft Research Cambridge (SNIA IOTTA 388): CSV of
 *
 *     Timestamp,Hostname,DiskNumber,Type,Offset,Size,ResponseTime
 *     128166372003061629,usr,0,Read,7014609920,24576,41286
 *
 * with the time in Windows ticks of 100 ns since 1601, Type Read or Write, offset and size in
 * bytes.
 */
#include "format.h"

#define FIELDS "Timestamp,Hostname,DiskNumber,Type,Offset,Size,ResponseTime"

static bool read_type(struct text text, u8 *op)
{
	*op = text_is_nocase(text, "Write") ? SIM_OP_WRITE : SIM_OP_READ;
	return *op == SIM_OP_WRITE || text_is_nocase(text, "Read");
}

static enum convert_verdict parse(struct convert_state *state, struct text line,
				  struct convert_record *record)
{
	struct sim_request *request = &record->request;
	struct text time = text_trim(text_cut(&line, ','));

	if (text_is_nocase(time, "Timestamp"))
		return CONVERT_LEFT_OUT;
	if (!convert_time(state, time, &request->arrival_ns))
		return convert_bad(state, "a time in field 1 of " FIELDS);
	text_cut(&line, ',');
	record->device = text_trim(text_cut(&line, ','));
	if (text_is_empty(record->device))
		return convert_bad(state, "a disk in field 3 of " FIELDS);
	if (!read_type(text_trim(text_cut(&line, ',')), &request->op))
		return convert_bad(state, "Read or Write in field 4 of " FIELDS);
	if (!text_to_u64(text_trim(text_cut(&line, ',')), &request->offset_bytes) ||
	    !text_to_u64(text_trim(text_cut(&line, ',')), &request->size_bytes))
		return convert_bad(state, "numbers of bytes in fields 5 and 6 of " FIELDS);
	return CONVERT_ROW;
}

const struct convert_format convert_msr = {
	.name = "msr",
	.help = "MSR Cambridge CSV: " FIELDS,
	.unit = "100ns",
	.events = "",
	.assumed = "offset and size in bytes; the device is DiskNumber; ResponseTime not used",
	.parse = parse,
};
