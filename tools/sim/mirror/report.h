/* SPDX-License-Identifier: GPL-2.0 */
/*
 * report.h - the results of the command mirror, for people and for scripts
 */
#ifndef SSDQOS_SIM_MIRROR_REPORT_H
#define SSDQOS_SIM_MIRROR_REPORT_H

#include "../flash/report.h"
#include "run.h"

/**
 * mirror_report_json - write the contract's JSON (docs/simulator.rst)
 * @file: where to
 * @plan: what was done
 * @result: what was measured
 * @setup: what came before
 *
 * Return: 0, or -1 if writing failed.
 */
int mirror_report_json(FILE *file, const struct mirror_plan *plan,
		       const struct mirror_result *result, const struct report_setup *setup);

/**
 * mirror_report_text - print a row for each stream, and one for each member
 * @file: where to
 * @plan: what was done
 * @result: what was measured
 */
void mirror_report_text(FILE *file, const struct mirror_plan *plan,
			const struct mirror_result *result);

#endif
