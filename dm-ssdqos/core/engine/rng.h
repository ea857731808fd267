/* SPDX-License-Identifier: GPL-2.0 */
/*
 * rng.h - seeded random numbers: xoshiro256++ 1.0, seeded by splitmix64
 *
 * Algorithms: D. Blackman, S. Vigna, "Scrambled linear pseudorandom number
 * generators", ACM TOMS 47(4), 2021.  Not for secrets.  The state is a plain
 * struct, so it can be saved and a run can be repeated.
 */
#ifndef SSDQOS_CORE_RNG_H
#define SSDQOS_CORE_RNG_H

#include "../env.h"

struct ssdqos_rng {
	u64 s[4];
};

void ssdqos_rng_seed(struct ssdqos_rng *r, u64 seed);

static inline u64 ssdqos_rng_rotl(u64 x, int k)
{
	return (x << k) | (x >> (64 - k));
}

/**
 * ssdqos_rng_next - 64 random bits
 * @r: the generator
 */
static inline u64 ssdqos_rng_next(struct ssdqos_rng *r)
{
	u64 result = ssdqos_rng_rotl(r->s[0] + r->s[3], 23) + r->s[0];
	u64 t = r->s[1] << 17;

	r->s[2] ^= r->s[0];
	r->s[3] ^= r->s[1];
	r->s[1] ^= r->s[2];
	r->s[0] ^= r->s[3];
	r->s[2] ^= t;
	r->s[3] = ssdqos_rng_rotl(r->s[3], 45);
	return result;
}

/**
 * ssdqos_rng_below - a number from 0 to @n - 1
 * @r: the generator
 * @n: at least 1
 *
 * Multiply and shift: the bias is below @n / 2^32, which no test here can
 * see, and there is no division.
 */
static inline u32 ssdqos_rng_below(struct ssdqos_rng *r, u32 n)
{
	return (u32)(((ssdqos_rng_next(r) >> 32) * n) >> 32);
}

#endif /* SSDQOS_CORE_RNG_H */
