/* SPDX-License-Identifier: GPL-2.0 */
/*
 * The kernel's short integer names for the user-space tools.
 *
 * u64 is unsigned long long, as in the kernel on every architecture, so that "%llu" prints it
 * without a cast.
 */
#ifndef SSDQOS_SIM_TYPES_H
#define SSDQOS_SIM_TYPES_H

#include <stdbool.h>
#include <stddef.h>

typedef unsigned char u8;
typedef unsigned short u16;
typedef unsigned int u32;
typedef unsigned long long u64;
typedef long long s64;
typedef unsigned __int128 u128;

_Static_assert(sizeof(u32) == 4 && sizeof(u64) == 8,
	       "u32 and u64 must be as wide as their names say");

#define SIM_ARRAY_SIZE(a) (sizeof(a) / sizeof((a)[0]))

/* Time and page units that more than one file needs. */
#define NS_PER_US 1000ULL
#define NS_PER_MS 1000000ULL
#define NS_PER_S 1000000000ULL

/* Parts per million: the fixed point of ratios (time scale, progress). */
#define PPM_ONE 1000000ULL

#endif
