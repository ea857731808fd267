// SPDX-License-Identifier: GPL-2.0
#include "scatter.h"

#define WORD_BITS 64

/* Odd numbers without structure: multiplying by one is one-to-one modulo a power of two. */
#define SCATTER_FACTOR_1 0x9e3779b97f4a7c15ULL
#define SCATTER_FACTOR_2 0xd6e8feb86659fd93ULL

void scatter_init(struct scatter *scatter, u64 count, u64 key)
{
	const u32 bits = count > 1 ? WORD_BITS - (u32)__builtin_clzll(count - 1) : 0;

	*scatter = (struct scatter){
		.count = count,
		.mask = bits ? ~0ULL >> (WORD_BITS - bits) : 0,
		.key = key,
		.shift = (bits + 1) / 2,
	};
}

/*
 * Every step is one-to-one on the numbers up to mask; those outside the range go round again (at
 * most half of them).
 */
u64 scatter_number(const struct scatter *scatter, u64 number)
{
	do {
		number = ((number ^ scatter->key) * SCATTER_FACTOR_1) & scatter->mask;
		number ^= number >> scatter->shift;
		number = (number * SCATTER_FACTOR_2 + 1) & scatter->mask;
		number ^= number >> scatter->shift;
	} while (number >= scatter->count);
	return number;
}
