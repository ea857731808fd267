/* SPDX-License-Identifier: GPL-2.0 */
/*
 * env.h - handles on the outside world of core/ for tests and the simulator
 */
#ifndef SSDQOS_SIM_ENV_H
#define SSDQOS_SIM_ENV_H

#include "ssdqos_platform.h"

/* Promises broken so far (WARN_ON_ONCE in core/). */
extern u64 ssdqos_env_warnings;

/* 1: the next allocation fails, 2: the one after it, ...; 0: none. */
extern u64 ssdqos_env_fail_at;

/* Allocations that are not freed yet. */
extern s64 ssdqos_env_live;

#endif
