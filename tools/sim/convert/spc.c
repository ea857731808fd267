// SPDX-License-Identifier: GPL-2.0
/*
 * Storage Performance Council trace format 1.0.1 (UMass repository: Financial, WebSearch): CSV of
 *
 *     ASU,LBA,Size,Opcode,Timestamp[,...]
 *     0,20941264,8192,W,0.551706
 *
 * with the application storage unit (a device), the address in blocks of 512 bytes, the size in
 * bytes, R or W in either case, and the time in seconds. Blanks around fields and further fields
 * are allowed.
 */
#include "format.h"

#define FIELDS "ASU,LBA,Size,Opcode,Timestamp"

static bool read_opcode(struct text text, u8 *op)
{
	*op = text_is_nocase(text, "W") ? SIM_OP_WRITE : SIM_OP_READ;
	return *op == SIM_OP_WRITE || text_is_nocase(text, "R");
}

static enum convert_verdict parse(struct convert_state *state, struct text line,
				  struct convert_record *record)
{
	struct sim_request *request = &record->request;
	u64 unit;

	record->device = text_trim(text_cut(&line, ','));
	if (!text_to_u64(record->device, &unit))
		return convert_bad(state, "a number in field 1 of " FIELDS);
	if (!convert_sectors(text_trim(text_cut(&line, ',')), &request->offset_bytes))
		return convert_bad(state, "a block in field 2 of " FIELDS);
	if (!text_to_u64(text_trim(text_cut(&line, ',')), &request->size_bytes))
		return convert_bad(state, "a number of bytes in field 3 of " FIELDS);
	if (!read_opcode(text_trim(text_cut(&line, ',')), &request->op))
		return convert_bad(state, "R or W in field 4 of " FIELDS);
	if (!convert_time(state, text_trim(text_cut(&line, ',')), &request->arrival_ns))
		return convert_bad(state, "a time in field 5 of " FIELDS);
	return CONVERT_ROW;
}

const struct convert_format convert_spc = {
	.name = "spc",
	.help = "Storage Performance Council CSV: " FIELDS " (UMass Financial, WebSearch)",
	.unit = "s",
	.events = "",
	.assumed = "LBA in blocks of 512 bytes, size in bytes; the device is the ASU",
	.parse = parse,
};
