/* SPDX-License-Identifier: GPL-2.0 */
/*
 * catch_up.h - what an owner lacks, and its window makes up for; the opening comment of
 * catch_up.c has the rule
 */
#ifndef SSDQOS_QOS_CATCH_UP_H
#define SSDQOS_QOS_CATCH_UP_H

#include "../env.h"

/**
 * struct ssdqos_catch_up - what an owner lacks, and its window makes up for (catch_up.c)
 * @headroom: h, in 1024ths
 * @lack_ns: D, in time of its promise
 * @run_ns: T, for how long it has lacked something
 */
struct ssdqos_catch_up {
	u64 headroom;
	u64 lack_ns;
	u64 run_ns;
};

#endif /* SSDQOS_QOS_CATCH_UP_H */
