/* SPDX-License-Identifier: GPL-2.0 */
/*
 * report.h - the results of the command qos, for people and for scripts
 */
#ifndef SSDQOS_SIM_QOS_REPORT_H
#define SSDQOS_SIM_QOS_REPORT_H

#include "../flash/report.h"
#include "run.h"

/**
 * qos_report_json - write the contract's JSON (docs/simulator.rst)
 * @file: where to
 * @plan: what was done
 * @result: what was measured
 * @setup: what came before
 *
 * Return: 0, or -1 if writing failed.
 */
int qos_report_json(FILE *file, const struct qos_plan *plan, const struct qos_result *result,
		    const struct report_setup *setup);

/**
 * qos_report_text - print a row for each stream
 * @file: where to
 * @plan: what was done
 * @result: what was measured
 */
void qos_report_text(FILE *file, const struct qos_plan *plan, const struct qos_result *result);

#endif
