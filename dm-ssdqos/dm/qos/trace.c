// SPDX-License-Identifier: GPL-2.0
/*
 * trace.c - code of the target's trace events
 */
#define CREATE_TRACE_POINTS
#include "trace.h"
