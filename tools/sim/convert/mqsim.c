// SPDX-License-Identifier: GPL-2.0
/*
 * The five columns of SSDSim and MQSim, parted by blanks:
 *
 *     time device sector sectors type
 *     4096000 0 1052672 16 1
 *
 * with the time in nanoseconds, sectors of 512 bytes, type 1 for a read and 0 for a write.
 * (DiskSim's ASCII format looks the same but has milliseconds: --unit ms.)
 */
#include "format.h"

#define COLUMNS "'time device sector sectors type'"

static bool read_type(struct text text, u8 *op)
{
	*op = text_is(text, "0") ? SIM_OP_WRITE : SIM_OP_READ;
	return *op == SIM_OP_WRITE || text_is(text, "1");
}

static enum convert_verdict parse(struct convert_state *state, struct text line,
				  struct convert_record *record)
{
	struct sim_request *request = &record->request;
	struct text time, sector, sectors, type, surplus;

	if (!text_take_word(&line, &time) || !text_take_word(&line, &record->device) ||
	    !text_take_word(&line, &sector) || !text_take_word(&line, &sectors) ||
	    !text_take_word(&line, &type) || text_take_word(&line, &surplus))
		return convert_bad(state, "5 columns, " COLUMNS);
	if (!convert_time(state, time, &request->arrival_ns))
		return convert_bad(state, "a time in column 1 of " COLUMNS);
	if (!convert_sectors(sector, &request->offset_bytes) ||
	    !convert_sectors(sectors, &request->size_bytes))
		return convert_bad(state, "numbers in columns 3 and 4 of " COLUMNS);
	if (!read_type(type, &request->op))
		return convert_bad(state, "1 (read) or 0 (write) in column 5 of " COLUMNS);
	return CONVERT_ROW;
}

const struct convert_format convert_mqsim = {
	.name = "mqsim",
	.help = "five columns of MQSim and SSDSim: " COLUMNS,
	.unit = "ns",
	.events = "",
	.assumed = "sectors of 512 bytes; type 1 is a read, 0 a write",
	.parse = parse,
};
