// SPDX-License-Identifier: GPL-2.0
#include "fixlog.h"

#define WORD_BITS 64

/*
 * With value = m * 2^n and 1 <= m < 2 the logarithm is n + log2(m). Squaring m doubles log2(m):
 * when the square reaches 2, the next binary digit is 1 and the square is halved.
 */
u64 fixlog_log2(u64 value)
{
	const int whole = WORD_BITS - 1 - __builtin_clzll(value);
	u64 mantissa = value << (WORD_BITS - 1 - whole); /* 63 bits behind the point */
	u64 fraction = 0;

	for (int i = 0; i < LOG2_SHIFT; i++) {
		const u128 square = (u128)mantissa * mantissa; /* 126 bits behind the point */
		const int carry = (int)(square >> 127);

		fraction = fraction << 1 | (u64)carry;
		mantissa = (u64)(square >> (WORD_BITS - 1 + carry));
	}
	return (u64)whole << LOG2_SHIFT | fraction;
}

/* Square root of a number with EXP2_SHIFT bits behind the point, rounded down, bit by bit. */
static u64 fixlog_sqrt(u64 value)
{
	const u128 wide = (u128)value << EXP2_SHIFT;
	u64 root = 0;

	for (int bit = EXP2_SHIFT; bit >= 0; bit--) {
		const u64 trial = root | 1ULL << bit;

		if ((u128)trial * trial <= wide)
			root = trial;
	}
	return root;
}

/*
 * The binary digits of the exponent behind the point stand for 2^-1/2, 2^-1/4, ...: each the root
 * of the one before.
 */
u64 fixlog_exp2_neg(u64 exponent)
{
	const u64 whole = exponent >> LOG2_SHIFT;
	u64 factor = EXP2_ONE / 2;
	u64 result = EXP2_ONE;

	if (whole > EXP2_SHIFT)
		return 0;
	for (int bit = LOG2_SHIFT - 1; bit >= 0; bit--) {
		factor = fixlog_sqrt(factor);
		if (exponent >> bit & 1)
			result = (u64)((u128)result * factor >> EXP2_SHIFT);
	}
	return result >> whole;
}
