/* SPDX-License-Identifier: GPL-2.0 */
/*
 * fixed.h - fixed-point arithmetic: a number x is held as x * 2^32 in a u64
 *
 * Range 0 to 2^32 - 1, resolution 2.3e-10.  No floating point in core/: the
 * kernel may not use it, and both worlds must get the same last bit.
 */
#ifndef SSDQOS_CORE_FIXED_H
#define SSDQOS_CORE_FIXED_H

#include "../env.h"

#define SSDQOS_FP_SHIFT 32
#define SSDQOS_FP_ONE (1ULL << SSDQOS_FP_SHIFT)

/**
 * ssdqos_fp_mul - product of two fixed-point numbers
 * @a: fixed-point
 * @b: fixed-point; the product must stay below 2^32
 *
 * Return: @a * @b, rounded down.
 */
static inline u64 ssdqos_fp_mul(u64 a, u64 b)
{
	const u64 low = SSDQOS_FP_ONE - 1;
	u64 ah = a >> 32, al = a & low, bh = b >> 32, bl = b & low;

	return ((ah * bh) << 32) + ah * bl + al * bh + ((al * bl) >> 32);
}

/**
 * ssdqos_fp_ratio - the quotient of two integers as fixed-point
 * @num: below 2^32
 * @den: at least 1
 */
static inline u64 ssdqos_fp_ratio(u64 num, u64 den)
{
	return div64_u64(num << SSDQOS_FP_SHIFT, den);
}

u64 ssdqos_fp_neg_ln(u64 x);
u64 ssdqos_fp_exp_neg(u64 x);
u64 ssdqos_fp_pow(u64 x, u64 p);

#endif /* SSDQOS_CORE_FIXED_H */
