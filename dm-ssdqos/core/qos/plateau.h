/* SPDX-License-Identifier: GPL-2.0 */
/*
 * plateau.h - a rate of spare work stays near what made owners late; the opening comment of
 * plateau.c has the rule
 */
#ifndef SSDQOS_QOS_PLATEAU_H
#define SSDQOS_QOS_PLATEAU_H

#include "../env.h"

/**
 * struct ssdqos_plateau - from where on the pace rises slowly (plateau.c)
 * @rate_ppm: R; SSDQOS_PACE_FREE if there is none
 * @peak_ppm: P, the most that was sent since an owner fell behind
 * @last_ppm: P', that up to then
 * @fell_ns: when that was
 * @interval_ns: T', time from the one before to it
 * @steps: n, steps at R and beyond since then
 */
struct ssdqos_plateau {
	u64 rate_ppm;
	u64 peak_ppm;
	u64 last_ppm;
	u64 fell_ns;
	u64 interval_ns;
	u32 steps;
};

#endif /* SSDQOS_QOS_PLATEAU_H */
