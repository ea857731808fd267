// SPDX-License-Identifier: GPL-2.0
#include "geometric.h"

#define WORD_BITS 64

/* With a mean of m units there is one more with probability 1 - 1/m, whatever there is so far. */
void geometric_init(struct geometric *geometric, u64 mean_bytes)
{
	const u64 one_more =
		(u64)(((u128)(mean_bytes - GEOMETRIC_UNIT_BYTES) << WORD_BITS) / mean_bytes);
	u64 more = one_more;

	for (size_t i = 0; i < SIM_ARRAY_SIZE(geometric->more); i++) {
		geometric->more[i] = more;
		more = (u64)((u128)more * one_more >> WORD_BITS);
	}
}

u64 geometric_units(const struct geometric *geometric, struct sim_random *random)
{
	const u64 bits = sim_random_next(random);
	u64 units = 1;

	while (units < GEOMETRIC_UNITS_MAX && bits < geometric->more[units - 1])
		units++;
	return units;
}
