/* SPDX-License-Identifier: GPL-2.0 */
/*
 * report.h - limits of planes that take turns, for people and for scripts
 */
#ifndef SSDQOS_SIM_LIMITS_REPORT_H
#define SSDQOS_SIM_LIMITS_REPORT_H

#include <stdio.h>

#include "limits.h"

/**
 * limits_report_json - write them as JSON
 * @file: where to
 * @limits: what was worked out
 * @wish: what was asked
 *
 * Return: 0, or -1 if writing failed.
 */
int limits_report_json(FILE *file, const struct limits *limits, const struct limits_wish *wish);

/**
 * limits_report_text - print them
 * @file: where to
 * @limits: what was worked out
 * @wish: what was asked
 */
void limits_report_text(FILE *file, const struct limits *limits, const struct limits_wish *wish);

#endif
