// SPDX-License-Identifier: GPL-2.0
/*
 * What fio writes with write_iolog= and reads with read_iolog=. After a first line with the version
 * a line is
 *
 *     version 2   filename action [offset length]
 *     version 3   timestamp filename action [offset length]
 *
 * with the actions add, open, close, read, write, trim, sync, datasync. Version 2 has no times but
 * an action wait, whose offset is a time since the wait before; version 3 (fio 3.31) has no wait.
 *
 * Unit of time. fio's HOWTO says microseconds for wait and does not say it for the time stamp. fio
 * itself writes and reads the time stamp in microseconds (iolog.c: utime_since_now() in log_io_u(),
 * iolog_delay()). In replay fio takes the argument of wait for milliseconds since the start,
 * against its HOWTO; the HOWTO is followed here, --unit changes it.
 */
#include "format.h"

#define HEADER_V2 "fio version 2 iolog"
#define HEADER_V3 "fio version 3 iolog"

#define EXPECTED_V2 "'filename action [offset length]'"
#define EXPECTED_V3 "'timestamp filename action [offset length]'"

enum { IOLOG_V2 = 2, IOLOG_V3 = 3 };

static enum convert_verdict parse_header(struct convert_state *state, struct text line)
{
	line = text_trim(line);
	if (text_is(line, HEADER_V2))
		state->version = IOLOG_V2;
	else if (text_is(line, HEADER_V3))
		state->version = IOLOG_V3;
	else {
		state->expected = "'" HEADER_V2 "' or '" HEADER_V3 "'";
		return CONVERT_WRONG_FORMAT;
	}
	return CONVERT_LEFT_OUT;
}

static const struct fio_action {
	const char *name;
	bool is_request;
	u8 op;
} fio_actions[] = {
	{ "read", true, SIM_OP_READ },
	{ "write", true, SIM_OP_WRITE },
	{ "trim", true, SIM_OP_DISCARD },
	{ "add", false, 0 },
	{ "open", false, 0 },
	{ "close", false, 0 },
	{ "sync", false, 0 },
	{ "datasync", false, 0 },
	{ "sync_file_range", false, 0 },
	{ "syncfs", false, 0 },
};

static const struct fio_action *find_action(struct text name)
{
	for (size_t i = 0; i < SIM_ARRAY_SIZE(fio_actions); i++)
		if (text_is(name, fio_actions[i].name))
			return &fio_actions[i];
	return NULL;
}

static enum convert_verdict parse_wait(struct convert_state *state, struct text line)
{
	struct text word;
	u64 wait_ns;

	if (state->version != IOLOG_V2)
		return convert_bad(state, "no action wait in version 3");
	if (!text_take_word(&line, &word) || !convert_time(state, word, &wait_ns) ||
	    __builtin_add_overflow(state->clock_ns, wait_ns, &wait_ns))
		return convert_bad(state, "a time behind wait");
	state->clock_ns = wait_ns;
	return CONVERT_LEFT_OUT;
}

static enum convert_verdict parse_range(struct convert_state *state, struct text line,
					struct sim_request *request)
{
	struct text offset, length, surplus;

	if (!text_take_word(&line, &offset) || !text_take_word(&line, &length) ||
	    text_take_word(&line, &surplus))
		return convert_bad(state, state->version == IOLOG_V2 ? EXPECTED_V2 : EXPECTED_V3);
	if (!text_to_u64(offset, &request->offset_bytes) ||
	    !text_to_u64(length, &request->size_bytes))
		return convert_bad(state, "numbers of bytes as offset and length");
	return CONVERT_ROW;
}

static enum convert_verdict parse(struct convert_state *state, struct text line,
				  struct convert_record *record)
{
	const struct fio_action *action;
	struct text time, name;

	if (!state->version)
		return parse_header(state, line);
	record->request.arrival_ns = state->clock_ns;
	if (state->version == IOLOG_V3 && (!text_take_word(&line, &time) ||
					   !convert_time(state, time, &record->request.arrival_ns)))
		return convert_bad(state, EXPECTED_V3);
	if (!text_take_word(&line, &record->device) || !text_take_word(&line, &name))
		return convert_bad(state, state->version == IOLOG_V2 ? EXPECTED_V2 : EXPECTED_V3);
	if (text_is(name, "wait"))
		return parse_wait(state, line);
	action = find_action(name);
	if (!action)
		return convert_bad(
			state,
			"an action that fio knows: read, write, trim, add, open, close, sync, ...");
	record->request.op = action->op;
	return action->is_request ? parse_range(state, line, &record->request) : CONVERT_LEFT_OUT;
}

const struct convert_format convert_fio_iolog = {
	.name = "fio-iolog",
	.help = "fio's write_iolog/read_iolog, version 2 (times from wait actions) and 3 (time stamps)",
	.unit = "us",
	.events = "",
	.assumed =
		"version 2: wait counts from the wait before; version 3: the time stamp unit that fio writes",
	.parse = parse,
};
