// SPDX-License-Identifier: GPL-2.0
/*
 * Text output of blkparse in its default format. A line is
 *
 *     8,0    1      172     0.000104201  1203  Q  WS 41945088 + 8 [jbd2/sda1-8]
 *     device cpu    number  time         pid   |  |  sector     sectors  process
 *                                              |  RWBS
 *                                              event
 *
 * RWBS is [F] op [F] [A] [S] [M]: a leading F asks for a flush before, op is R, W, D (discard, DE
 * secure), F (flush), Z (zone command) or N (nothing), the letters behind it say FUA, read-ahead,
 * sync and metadata. The end of the file holds a summary per CPU and a total.
 */
#include "format.h"

#define EXPECTED_LINE "'major,minor cpu number seconds pid event RWBS sector + sectors'"

/* A line starts with the device, such as "8,0"; nothing else in the output does. */
static bool is_device(struct text word)
{
	u64 number;

	return text_take_u64(&word, &number) && text_take_char(&word, ',') &&
	       text_to_u64(word, &number);
}

static bool is_summary_start(struct text line)
{
	return text_starts_with(line, "CPU") || text_starts_with(line, "Total");
}

static enum convert_verdict parse_other(struct convert_state *state, struct text line)
{
	state->is_over |= is_summary_start(line);
	if (state->is_over || text_starts_with(line, "Input file "))
		return CONVERT_LEFT_OUT;
	return convert_bad(state, EXPECTED_LINE);
}

static void count_event(struct convert_state *state, char event)
{
	if (event >= 'A' && event <= 'Z')
		state->seen[event - 'A']++;
}

/* False when the request moves and discards no data. */
static bool read_rwbs(struct text rwbs, u8 *op)
{
	text_take_char(&rwbs, 'F');
	for (u8 i = 0; i < NR_SIM_OPS; i++) {
		if (text_take_char(&rwbs, SIM_OP_LETTERS[i])) {
			*op = i;
			return true;
		}
	}
	return false;
}

/*
 * "sector + sectors"; a SCSI command passed through has its bytes in brackets instead, an empty
 * flush has nothing.
 */
static enum convert_verdict parse_range(struct convert_state *state, struct text line,
					struct sim_request *request)
{
	struct text sector, plus, sectors;

	if (!text_take_word(&line, &sector) || text_starts_with(sector, "["))
		return CONVERT_LEFT_OUT;
	if (!text_take_word(&line, &plus))
		return convert_bad(state, EXPECTED_LINE);
	if (text_starts_with(plus, "("))
		return CONVERT_LEFT_OUT;
	if (!text_is(plus, "+") || !text_take_word(&line, &sectors))
		return convert_bad(state, EXPECTED_LINE);
	if (!convert_sectors(sector, &request->offset_bytes) ||
	    !convert_sectors(sectors, &request->size_bytes))
		return convert_bad(state, "numbers as sector and sectors");
	return CONVERT_ROW;
}

static bool take_words(struct text *line, struct text *words, size_t count)
{
	for (size_t i = 0; i < count; i++)
		if (!text_take_word(line, &words[i]))
			return false;
	return true;
}

static enum convert_verdict parse(struct convert_state *state, struct text line,
				  struct convert_record *record)
{
	enum { DEVICE, CPU, NUMBER, TIME, PID, EVENT, NR_WORDS };
	struct text words[NR_WORDS], rest = line, rwbs;

	if (!text_take_word(&rest, &words[DEVICE]) || !is_device(words[DEVICE]))
		return parse_other(state, line);
	rest = line;
	if (!take_words(&rest, words, NR_WORDS))
		return convert_bad(state, EXPECTED_LINE);
	if (!convert_time(state, words[TIME], &record->request.arrival_ns))
		return convert_bad(state, "a time in word 4");
	if (text_length(words[EVENT]) != 1)
		return CONVERT_LEFT_OUT;
	count_event(state, *words[EVENT].at);
	if (*words[EVENT].at != state->event)
		return CONVERT_LEFT_OUT;
	if (!text_take_word(&rest, &rwbs))
		return convert_bad(state, EXPECTED_LINE);
	if (!read_rwbs(rwbs, &record->request.op))
		return CONVERT_LEFT_OUT;
	record->device = words[DEVICE];
	return parse_range(state, rest, &record->request);
}

const struct convert_format convert_blkparse = {
	.name = "blkparse",
	.help = "text output of blkparse in its default format (blktrace)",
	.unit = "s",
	.events = "QDC",
	.assumed =
		"sectors of 512 bytes; flushes without data, zone commands and SCSI pass-through left out",
	.parse = parse,
};
