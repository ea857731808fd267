// SPDX-License-Identifier: GPL-2.0
/*
 * ianus_trace.c - the trace events of ianus_trace.h
 */
#define CREATE_TRACE_POINTS
#include "ianus_trace.h"
