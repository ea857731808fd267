/* SPDX-License-Identifier: GPL-2.0 */
/*
 * clock.h - real time and CPU time of the simulator itself
 */
#ifndef SSDQOS_SIM_CLOCK_H
#define SSDQOS_SIM_CLOCK_H

#include <time.h>

#include "types.h"

static inline u64 clock_read_ns(clockid_t clock)
{
	struct timespec ts;

	clock_gettime(clock, &ts);
	return (u64)ts.tv_sec * NS_PER_S + (u64)ts.tv_nsec;
}

static inline u64 clock_wall_ns(void)
{
	return clock_read_ns(CLOCK_MONOTONIC);
}

static inline u64 clock_cpu_ns(void)
{
	return clock_read_ns(CLOCK_PROCESS_CPUTIME_ID);
}

#endif
