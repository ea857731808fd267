/* SPDX-License-Identifier: GPL-2.0 */
/*
 * Numbers from 0 to count - 1 in an order that looks random, each of them once.
 */
#ifndef SSDQOS_SIM_SCATTER_H
#define SSDQOS_SIM_SCATTER_H

#include "../common/types.h"

/**
 * struct scatter - a one-to-one mapping
 * @count: of the numbers
 * @mask: smallest 2^n - 1 that holds every number
 * @shift: half of that n
 * @key: tells one mapping from another
 */
struct scatter {
	u64 count;
	u64 mask;
	u64 key;
	u32 shift;
};

/**
 * scatter_init - set up a mapping
 * @scatter: to be filled
 * @count: how many numbers, at least 1
 * @key: another one is another mapping
 */
void scatter_init(struct scatter *scatter, u64 count, u64 key);

/**
 * scatter_number - where a number goes
 * @scatter: the mapping
 * @number: from 0 to count - 1
 *
 * Return: a number from 0 to count - 1, another one for each.
 */
u64 scatter_number(const struct scatter *scatter, u64 number);

#endif
