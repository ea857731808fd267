// SPDX-License-Identifier: GPL-2.0
/*
 * rng.c - seeding of the random number generator
 */
#include "rng.h"

/* splitmix64: spreads any seed, 0 included, over a state that is never 0. */
static u64 rng_splitmix(u64 *x)
{
	u64 z = (*x += 0x9e3779b97f4a7c15ULL);

	z = (z ^ (z >> 30)) * 0xbf58476d1ce4e5b9ULL;
	z = (z ^ (z >> 27)) * 0x94d049bb133111ebULL;
	return z ^ (z >> 31);
}

/**
 * ssdqos_rng_seed - start a sequence
 * @r: the generator
 * @seed: any number; equal seeds give equal sequences in both worlds
 */
void ssdqos_rng_seed(struct ssdqos_rng *r, u64 seed)
{
	int i;

	for (i = 0; i < 4; i++)
		r->s[i] = rng_splitmix(&seed);
}
