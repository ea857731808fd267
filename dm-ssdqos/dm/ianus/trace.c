// SPDX-License-Identifier: GPL-2.0
/*
 * trace.c - the trace events of trace.h
 */
#define CREATE_TRACE_POINTS
#include "trace.h"
