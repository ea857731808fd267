/* SPDX-License-Identifier: GPL-2.0 */
/*
 * shape.h - how what a load of load.h writes is spread over its cycle
 *
 * The volume is published, the shape is assumed: so it can be changed, to see what depends on it.
 */
#ifndef SSDQOS_SIM_LIFE_SHAPE_H
#define SSDQOS_SIM_LIFE_SHAPE_H

#include "../common/sim_error.h"

/**
 * struct life_shape - hours, stretches and bursts
 * @quiet_permille: weight of hours that are not busy, of that of the busy ones
 * @weekend_permille: weight of a weekend, likewise
 * @stretch_s: how long a random weight holds
 * @spread_permille: mean of the random weights, of their median; 1000 is all the same
 * @burst_ppm: part of the seconds that are bursts
 * @burst_pct: what of the volume is in bursts
 */
struct life_shape {
	u32 quiet_permille;
	u32 weekend_permille;
	u32 stretch_s;
	u32 spread_permille;
	u32 burst_ppm;
	u32 burst_pct;
};

/**
 * life_shape_set - change one of the numbers
 * @shape: it; as it was if this fails
 * @key: name of the number
 * @value: what it shall be
 * @error: says what is wrong, and what is allowed
 *
 * Return: 0, or -1.
 */
int life_shape_set(struct life_shape *shape, const char *key, const char *value,
		   struct sim_error *error);

#endif
