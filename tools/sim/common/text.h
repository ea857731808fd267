/* SPDX-License-Identifier: GPL-2.0 */
/*
 * A piece of text that is being read from left to right.
 *
 * Every text_take_* function looks at the front of the piece. When it finds what it wants it steps
 * over it and returns true; otherwise it returns false and the piece is to be thrown away. They are
 * inline because the trace reader runs them once per field of every row.
 */
#ifndef SSDQOS_SIM_TEXT_H
#define SSDQOS_SIM_TEXT_H

#include <string.h>

#include "types.h"

#define DECIMAL_BASE 10

/**
 * struct text - characters from @at up to, without, @end
 * @at: the next character
 * @end: just behind the last one
 */
struct text {
	const char *at;
	const char *end;
};

static inline struct text text_of(const char *string)
{
	return (struct text){ string, string + strlen(string) };
}

static inline size_t text_length(struct text text)
{
	return (size_t)(text.end - text.at);
}

static inline bool text_is_empty(struct text text)
{
	return text.at == text.end;
}

static inline bool text_is_digit(char c)
{
	return (u8)(c - '0') < DECIMAL_BASE;
}

static inline bool text_starts_with_digit(struct text text)
{
	return !text_is_empty(text) && text_is_digit(*text.at);
}

static inline bool text_is_blank(char c)
{
	return c == ' ' || c == '\t';
}

static inline bool text_take_char(struct text *text, char wanted)
{
	if (text_is_empty(*text) || *text->at != wanted)
		return false;
	text->at++;
	return true;
}

/**
 * text_take_u64 - read a decimal number
 * @text: the piece; must start with a digit
 * @value: the number
 *
 * Return: false without a digit in front, or when the number does not fit 64 bits.
 */
static inline bool text_take_u64(struct text *text, u64 *value)
{
	enum { SAFE_DIGITS = 19 }; /* 10^19 - 1 < 2^64: no overflow is possible so far */
	const char *start = text->at;
	const char *at = start;
	u64 sum = 0;

	while (at < text->end && text_is_digit(*at) && at - start < SAFE_DIGITS)
		sum = sum * DECIMAL_BASE + (u64)(*at++ - '0');
	for (; at < text->end && text_is_digit(*at); at++)
		if (__builtin_mul_overflow(sum, DECIMAL_BASE, &sum) ||
		    __builtin_add_overflow(sum, *at - '0', &sum))
			return false;
	text->at = at;
	*value = sum;
	return at > start;
}

/**
 * text_is - compare a whole piece with a word
 * @text: the piece
 * @word: the word, in exactly this spelling
 */
bool text_is(struct text text, const char *word);

/**
 * text_is_nocase - compare a whole piece with a word, ASCII letters in any case
 * @text: the piece
 * @word: the word
 */
bool text_is_nocase(struct text text, const char *word);

/**
 * text_starts_with - look whether a piece begins with a word
 * @text: the piece
 * @word: the word, in exactly this spelling
 */
bool text_starts_with(struct text text, const char *word);

/**
 * text_trim - the piece without spaces and tabs at both ends
 * @text: the piece
 */
struct text text_trim(struct text text);

/**
 * text_cut - cut off what stands before the first separator
 * @text: the piece; left behind the separator, or empty when there was none
 * @separator: one character
 *
 * Return: what stood before it.
 */
struct text text_cut(struct text *text, char separator);

/**
 * text_take_word - step over blanks and take all up to the next blank
 * @text: the piece
 * @word: the word found
 *
 * Return: false when nothing but blanks is left.
 */
bool text_take_word(struct text *text, struct text *word);

/**
 * text_to_u64 - the whole piece as one number
 * @text: the piece
 * @value: the number
 */
bool text_to_u64(struct text text, u64 *value);

/**
 * text_to_scaled - the whole piece as a decimal number times a factor
 * @text: digits, with or without a point and more digits
 * @factor: what one whole is worth; 1000000000 turns seconds into nanoseconds
 * @value: the product, cut off below one
 *
 * No floating point is involved. Return: false when it is no such number or the product does not
 * fit 64 bits.
 */
bool text_to_scaled(struct text text, u64 factor, u64 *value);

#endif
