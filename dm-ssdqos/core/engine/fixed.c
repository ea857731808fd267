// SPDX-License-Identifier: GPL-2.0
/*
 * fixed.c - logarithm and exponential in fixed point
 *
 * -ln(x) for 0 < x <= 1: normalise x to m * 2^-k with 1 <= m < 2, take
 * log2(m) bit by bit (square; if the square is 2 or more, the bit is 1), then
 * -ln(x) = (k - log2(m)) * ln 2.
 *
 * exp(-x) for x >= 0: split x / ln 2 into integer and fraction, multiply the
 * constants 2^(-2^-i) of the fraction's bits, shift by the integer.
 *
 * x^p for x > 1: with x = m * 2^k, 1/2 < m <= 1, ln x = k * ln 2 + ln m, and
 * x^p = 2^n * exp(-(n * ln 2 - p * ln x)) for the smallest n that leaves the
 * exponent negative.  Error: below 2^-24 of the result.
 *
 * Error: below 2^-27 absolute for arguments up to 22 (tests/unit checks it).
 */
#include "fixed.h"

#define FP_LN2		0xb17217f8ULL		/* ln 2 * 2^32 */
#define FP_INV_LN2	0x171547653ULL		/* 1 / ln 2 * 2^32 */
#define FP_FRAC_BITS	32

/* 2^(-2^-i) * 2^32, i = 1 ... 32 */
static const u32 fp_exp2_bit[FP_FRAC_BITS] = {
	0xb504f334, 0xd744fccb, 0xeac0c6e8, 0xf5257d15,
	0xfa83b2db, 0xfd3e0c0d, 0xfe9e115c, 0xff4ecb59,
	0xffa75652, 0xffd3a752, 0xffe9d2b3, 0xfff4e91c,
	0xfffa747f, 0xfffd3a3b, 0xfffe9d1d, 0xffff4e8e,
	0xffffa747, 0xffffd3a3, 0xffffe9d2, 0xfffff4e9,
	0xfffffa74, 0xfffffd3a, 0xfffffe9d, 0xffffff4f,
	0xffffffa7, 0xffffffd4, 0xffffffea, 0xfffffff5,
	0xfffffffa, 0xfffffffd, 0xffffffff, 0xffffffff,
};

/**
 * ssdqos_fp_neg_ln - minus the natural logarithm
 * @x: fixed-point, above 0, at most 1
 *
 * Return: -ln(@x), fixed-point.
 */
u64 ssdqos_fp_neg_ln(u64 x)
{
	u32 shift = 33 - (u32)fls64(x);
	u64 m = x << shift;			/* 1 <= m < 2 */
	u64 log2_frac = 0;
	int bit;

	for (bit = FP_FRAC_BITS - 1; bit >= 0; bit--) {
		m = ssdqos_fp_mul(m, m);
		if (m >= 2 * SSDQOS_FP_ONE) {
			m >>= 1;
			log2_frac |= 1ULL << bit;
		}
	}
	return ssdqos_fp_mul(((u64)shift << SSDQOS_FP_SHIFT) - log2_frac,
			     FP_LN2);
}

/**
 * ssdqos_fp_exp_neg - exponential of a negative number
 * @x: fixed-point, 0 or more
 *
 * Return: exp(-@x), fixed-point, at most 1.
 */
u64 ssdqos_fp_exp_neg(u64 x)
{
	u64 t, result = SSDQOS_FP_ONE;
	int i;

	if (x >= (u64)FP_FRAC_BITS << SSDQOS_FP_SHIFT)
		return 0;
	t = ssdqos_fp_mul(x, FP_INV_LN2);
	for (i = 0; i < FP_FRAC_BITS; i++)
		if (t & (1ULL << (FP_FRAC_BITS - 1 - i)))
			result = ssdqos_fp_mul(result, fp_exp2_bit[i]);
	t >>= SSDQOS_FP_SHIFT;
	return t >= FP_FRAC_BITS ? 0 : result >> t;
}

/**
 * ssdqos_fp_pow - a number to the power of a fraction
 * @x: fixed-point
 * @p: fixed-point, above 0; the result has to be below 2^31
 *
 * Return: @x to the power of @p, fixed-point.
 */
u64 ssdqos_fp_pow(u64 x, u64 p)
{
	u64 exponent, shift;
	u32 k;

	if (!x)
		return 0;
	if (x <= SSDQOS_FP_ONE)
		return ssdqos_fp_exp_neg(ssdqos_fp_mul(p, ssdqos_fp_neg_ln(x)));
	k = (u32)fls64(x - 1) - FP_FRAC_BITS;
	exponent = ssdqos_fp_mul(p, k * FP_LN2 - ssdqos_fp_neg_ln(x >> k));
	shift = div64_u64(exponent + FP_LN2 - 1, FP_LN2);
	return ssdqos_fp_exp_neg(shift * FP_LN2 - exponent) << shift;
}
