/* SPDX-License-Identifier: GPL-2.0 */
/*
 * Random numbers for the load generator: xoshiro256** of Blackman and Vigna ("Scrambled linear
 * pseudorandom number generators", 2021), state filled by splitmix64. Inline, because it runs per
 * request.
 */
#ifndef SSDQOS_SIM_RANDOM_H
#define SSDQOS_SIM_RANDOM_H

#include "../common/types.h"

/**
 * struct sim_random - a stream of random numbers
 * @state: never all zero
 */
struct sim_random {
	u64 state[4];
};

static inline u64 rotate_left(u64 value, int bits)
{
	return value << bits | value >> (64 - bits);
}

/**
 * sim_random_init - start a stream
 * @random: the stream
 * @seed: the same seed gives the same stream
 */
static inline void sim_random_init(struct sim_random *random, u64 seed)
{
	for (int i = 0; i < 4; i++) {
		u64 mixed = seed += 0x9e3779b97f4a7c15ULL;

		mixed = (mixed ^ mixed >> 30) * 0xbf58476d1ce4e5b9ULL;
		mixed = (mixed ^ mixed >> 27) * 0x94d049bb133111ebULL;
		random->state[i] = mixed ^ mixed >> 31;
	}
}

/**
 * sim_random_next - 64 random bits
 * @random: the stream
 */
static inline u64 sim_random_next(struct sim_random *random)
{
	u64 *state = random->state;
	const u64 result = rotate_left(state[1] * 5, 7) * 9;
	const u64 shifted = state[1] << 17;

	state[2] ^= state[0];
	state[3] ^= state[1];
	state[1] ^= state[2];
	state[0] ^= state[3];
	state[2] ^= shifted;
	state[3] = rotate_left(state[3], 45);
	return result;
}

/**
 * sim_random_below - a number from 0 to @limit - 1
 * @random: the stream
 * @limit: at least 1
 *
 * Multiply and shift instead of a division; the bias is below @limit / 2^64.
 */
static inline u64 sim_random_below(struct sim_random *random, u64 limit)
{
	return (u64)((u128)sim_random_next(random) * limit >> 64);
}

#endif
