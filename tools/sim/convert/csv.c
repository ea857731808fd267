// SPDX-License-Identifier: GPL-2.0
/*
 * The project's own trace, for traces that the strict reader refuses: out of order, with blanks,
 * with damaged rows, or with another unit of time.
 */
#include "../load/trace.h"
#include "format.h"

#define CSV_DEVICE "0"

static bool read_op(struct text text, u8 *op)
{
	for (u8 i = 0; i < NR_SIM_OPS; i++) {
		const char letter[] = { SIM_OP_LETTERS[i], '\0' };

		if (text_is_nocase(text, letter)) {
			*op = i;
			return true;
		}
	}
	return false;
}

static enum convert_verdict parse(struct convert_state *state, struct text line,
				  struct convert_record *record)
{
	struct sim_request *request = &record->request;

	if (text_is_nocase(line, TRACE_HEADER))
		return CONVERT_LEFT_OUT;
	record->device = text_of(CSV_DEVICE);
	if (!convert_time(state, text_trim(text_cut(&line, ',')), &request->arrival_ns))
		return convert_bad(state, "a time in field 1 of " TRACE_HEADER);
	if (!read_op(text_trim(text_cut(&line, ',')), &request->op))
		return convert_bad(state, "R, W or D in field 2 of " TRACE_HEADER);
	if (!text_to_u64(text_trim(text_cut(&line, ',')), &request->offset_bytes))
		return convert_bad(state, "a number of bytes in field 3 of " TRACE_HEADER);
	if (!text_to_u64(text_trim(line), &request->size_bytes))
		return convert_bad(state,
				   "a number of bytes in field 4, the last, of " TRACE_HEADER);
	return CONVERT_ROW;
}

const struct convert_format convert_csv = {
	.name = "csv",
	.help = "the project's own " TRACE_HEADER ", to sort it or to drop bad rows",
	.unit = "us",
	.events = "",
	.assumed = "offset and size in bytes",
	.parse = parse,
};
