/* SPDX-License-Identifier: GPL-2.0 */
/*
 * Geometrically distributed sizes: 1 unit or more, each further unit as likely as the one before,
 * cut at GEOMETRIC_UNITS_MAX units. The distribution with the fewest assumptions of all that have a
 * given mean: small requests are the most frequent ones.
 */
#ifndef SSDQOS_SIM_GEOMETRIC_H
#define SSDQOS_SIM_GEOMETRIC_H

#include "../common/types.h"
#include "random.h"

#define GEOMETRIC_UNIT_BYTES 4096ULL

/* 1 MiB. Up to the largest mean the cut takes less than 0.03 % of it away. */
#define GEOMETRIC_UNITS_MAX 256
#define GEOMETRIC_MEAN_MAX_BYTES (128ULL << 10)

/**
 * struct geometric - a distribution
 * @more: a random number below @more[n] makes more than n + 1 units
 */
struct geometric {
	u64 more[GEOMETRIC_UNITS_MAX - 1];
};

/**
 * geometric_init - set up a distribution
 * @geometric: to be filled
 * @mean_bytes: GEOMETRIC_UNIT_BYTES to GEOMETRIC_MEAN_MAX_BYTES
 */
void geometric_init(struct geometric *geometric, u64 mean_bytes);

/**
 * geometric_units - draw a size
 * @geometric: the distribution
 * @random: where the random bits come from
 *
 * Return: units of GEOMETRIC_UNIT_BYTES, 1 to GEOMETRIC_UNITS_MAX.
 */
u64 geometric_units(const struct geometric *geometric, struct sim_random *random);

#endif
