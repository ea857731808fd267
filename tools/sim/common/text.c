// SPDX-License-Identifier: GPL-2.0
#include "text.h"

#include <strings.h>

/*
 * More fraction digits than this add nothing to a factor of at most 10^12, and 10^18 times it still
 * fits 128 bits.
 */
#define FRACTION_DIGITS_MAX 18

bool text_is(struct text text, const char *word)
{
	return text_length(text) == strlen(word) && !memcmp(text.at, word, text_length(text));
}

bool text_is_nocase(struct text text, const char *word)
{
	return text_length(text) == strlen(word) && !strncasecmp(text.at, word, text_length(text));
}

bool text_starts_with(struct text text, const char *word)
{
	return text_length(text) >= strlen(word) && !memcmp(text.at, word, strlen(word));
}

struct text text_trim(struct text text)
{
	while (!text_is_empty(text) && text_is_blank(*text.at))
		text.at++;
	while (!text_is_empty(text) && text_is_blank(text.end[-1]))
		text.end--;
	return text;
}

struct text text_cut(struct text *text, char separator)
{
	struct text head = *text;
	const char *at = text_is_empty(*text) ? NULL :
						memchr(text->at, separator, text_length(*text));

	head.end = at ? at : text->end;
	text->at = at ? at + 1 : text->end;
	return head;
}

bool text_take_word(struct text *text, struct text *word)
{
	while (!text_is_empty(*text) && text_is_blank(*text->at))
		text->at++;
	word->at = text->at;
	while (!text_is_empty(*text) && !text_is_blank(*text->at))
		text->at++;
	word->end = text->at;
	return !text_is_empty(*word);
}

bool text_to_u64(struct text text, u64 *value)
{
	return text_take_u64(&text, value) && text_is_empty(text);
}

/*
 * The digits behind a point, as a numerator over a power of ten. Digits beyond what matters are
 * read and dropped.
 */
static void take_fraction(struct text *text, u64 *numerator, u64 *denominator)
{
	*numerator = 0;
	*denominator = 1;
	for (int digits = 0; text_starts_with_digit(*text); text->at++, digits++) {
		if (digits >= FRACTION_DIGITS_MAX)
			continue;
		*numerator = *numerator * DECIMAL_BASE + (u64)(*text->at - '0');
		*denominator *= DECIMAL_BASE;
	}
}

bool text_to_scaled(struct text text, u64 factor, u64 *value)
{
	u64 whole, numerator = 0, denominator = 1;

	if (!text_take_u64(&text, &whole))
		return false;
	if (text_take_char(&text, '.')) {
		if (!text_starts_with_digit(text))
			return false;
		take_fraction(&text, &numerator, &denominator);
	}
	if (!text_is_empty(text) || __builtin_mul_overflow(whole, factor, &whole))
		return false;
	return !__builtin_add_overflow(whole, (u64)((u128)numerator * factor / denominator), value);
}
