/* SPDX-License-Identifier: GPL-2.0 */
/*
 * report.h - what a simulated life came to, as JSON and as text
 */
#ifndef SSDQOS_SIM_LIFE_REPORT_H
#define SSDQOS_SIM_LIFE_REPORT_H

#include "run.h"

/**
 * life_report_json - write the results
 * @file: where to
 * @plan: what was simulated
 * @policy: its name
 * @result: what came of it
 *
 * Return: 0, or -1 when the file could not be written.
 */
int life_report_json(FILE *file, const struct life_plan *plan, const char *policy,
		     const struct life_result *result);

/**
 * life_report_text - a few lines for people
 * @file: where to
 * @plan: what was simulated
 * @policy: its name
 * @result: what came of it
 */
void life_report_text(FILE *file, const struct life_plan *plan, const char *policy,
		      const struct life_result *result);

#endif
