/* SPDX-License-Identifier: GPL-2.0 */
/*
 * Logarithm and power of two in fixed point.
 *
 * The load generator uses these instead of libm, so that the same job and seed give the same
 * requests on every machine and with every C library. They are slow (tens of multiplications) and
 * meant for setting up tables.
 */
#ifndef SSDQOS_SIM_FIXLOG_H
#define SSDQOS_SIM_FIXLOG_H

#include "../common/types.h"

/* Logarithms have 32 bits behind the point. */
#define LOG2_SHIFT 32
#define LOG2_ONE (1ULL << LOG2_SHIFT)

/* Powers of two below one have 62 bits behind the point. */
#define EXP2_SHIFT 62
#define EXP2_ONE (1ULL << EXP2_SHIFT)

/**
 * fixlog_log2 - logarithm to base 2
 * @value: at least 1
 *
 * Return: log2(@value) * LOG2_ONE, too small by less than 2^-31.
 */
u64 fixlog_log2(u64 value);

/**
 * fixlog_exp2_neg - two to the power of minus @exponent
 * @exponent: with LOG2_SHIFT bits behind the point
 *
 * Return: 2^-@exponent * EXP2_ONE, relative error below 2^-50 while the result is above 2^-10, 0
 * when it is tiny.
 */
u64 fixlog_exp2_neg(u64 exponent);

#endif
