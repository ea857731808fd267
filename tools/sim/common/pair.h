/* SPDX-License-Identifier: GPL-2.0 */
/*
 * pair.h - KEY=VALUE words of a line; a value with blanks stands in quotes
 */
#ifndef SSDQOS_SIM_PAIR_H
#define SSDQOS_SIM_PAIR_H

#include "sim_error.h"

/* A load is the longest value. */
#define PAIR_TEXT_BYTES 512

/**
 * struct pair - one word
 * @key: what stands before "="
 * @value: what stands behind, without quotes
 */
struct pair {
	char key[PAIR_TEXT_BYTES];
	char value[PAIR_TEXT_BYTES];
};

/**
 * pair_set - keep a key and a value
 * @pair: gets them
 * @key: the key
 * @value: the value
 * @error: says which is too long
 *
 * Return: 0, or -1.
 */
int pair_set(struct pair *pair, struct text key, struct text value, struct sim_error *error);

/**
 * pair_take - the next word
 * @line: the line; left behind the word
 * @pair: gets it
 * @error: says what is wrong with it
 *
 * Return: 1, 0 at the end of the line, or -1.
 */
int pair_take(struct text *line, struct pair *pair, struct sim_error *error);

#endif
