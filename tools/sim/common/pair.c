// SPDX-License-Identifier: GPL-2.0
#include "pair.h"

#include <stdio.h>

static int keep(char *to, struct text from, struct sim_error *error)
{
	struct sim_quote quote;

	if (text_length(from) >= PAIR_TEXT_BYTES)
		return sim_error_set(error, "'%s' has more than %u characters",
				     sim_quote(&quote, from), PAIR_TEXT_BYTES - 1);
	memcpy(to, from.at, text_length(from));
	to[text_length(from)] = '\0';
	return 0;
}

int pair_set(struct pair *pair, struct text key, struct text value, struct sim_error *error)
{
	return keep(pair->key, key, error) || keep(pair->value, value, error) ? -1 : 0;
}

/* Up to the quote that closes, or to the next blank. */
static bool take_value(struct text *line, struct text *value)
{
	const char quote = text_is_empty(*line) ? '\0' : *line->at;

	if (quote != '"' && quote != '\'') {
		value->at = line->at;
		while (!text_is_empty(*line) && !text_is_blank(*line->at))
			line->at++;
		value->end = line->at;
		return true;
	}
	value->at = ++line->at;
	value->end = memchr(line->at, quote, text_length(*line));
	if (!value->end)
		return false;
	line->at = value->end + 1;
	return text_is_empty(*line) || text_is_blank(*line->at);
}

int pair_take(struct text *line, struct pair *pair, struct sim_error *error)
{
	struct sim_quote quote;
	struct text word, key, value;

	*line = text_trim(*line);
	if (text_is_empty(*line))
		return 0;
	word = key = *line;
	while (!text_is_empty(*line) && !text_is_blank(*line->at) && *line->at != '=')
		line->at++;
	key.end = line->at;
	if (text_is_empty(key) || !text_take_char(line, '='))
		return sim_error_set(error, "'%s' is not KEY=VALUE", sim_quote(&quote, word));
	if (!take_value(line, &value))
		return sim_error_set(error, "'%s' has quotes that don't match",
				     sim_quote(&quote, word));
	return pair_set(pair, key, value, error) ? -1 : 1;
}
