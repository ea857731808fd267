/* SPDX-License-Identifier: GPL-2.0 */
/*
 * One sentence that says what went wrong.
 *
 * A function that can fail takes a struct sim_error, fills it once and returns -1 (or NULL); only
 * the program's main function prints it.
 */
#ifndef SSDQOS_SIM_SIM_ERROR_H
#define SSDQOS_SIM_SIM_ERROR_H

#include "text.h"
#include "types.h"

#define SIM_ERROR_BYTES 1024
#define SIM_QUOTE_BYTES 48

/**
 * struct sim_error - the sentence about a failure
 * @text: NUL-terminated, without a newline; empty while nothing has failed
 */
struct sim_error {
	char text[SIM_ERROR_BYTES];
};

/**
 * struct sim_quote - room for a value quoted in a sentence
 * @text: printable and short, whatever bytes the value had
 */
struct sim_quote {
	char text[SIM_QUOTE_BYTES];
};

/**
 * sim_error_set - write the sentence
 * @error: where to
 * @format: as for printf
 *
 * Return: always -1, so that a caller can write ``return sim_error_set(...)``.
 */
int sim_error_set(struct sim_error *error, const char *format, ...)
	__attribute__((format(printf, 2, 3)));

/**
 * sim_quote - make any bytes fit to be shown in a sentence
 * @quote: room for the result
 * @value: the bytes; unprintable ones become '?', a long value is cut and marked with "..."
 *
 * Return: the quoted text, stored in @quote.
 */
const char *sim_quote(struct sim_quote *quote, struct text value);

#endif
