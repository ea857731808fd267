// SPDX-License-Identifier: GPL-2.0
/*
 * qos_trace.c - code of the target's trace events
 */
#define CREATE_TRACE_POINTS
#include "qos_trace.h"
