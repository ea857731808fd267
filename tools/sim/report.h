/* SPDX-License-Identifier: GPL-2.0 */
/*
 * report.h - the results of a simulation, for people and for scripts
 */
#ifndef SSDQOS_SIM_REPORT_H
#define SSDQOS_SIM_REPORT_H

#include <stdio.h>

#include "run.h"

/**
 * struct report_setup - what making the drive has cost
 * @cpu_ns: user and system time, ageing included
 */
struct report_setup {
	u64 cpu_ns;
};

/**
 * report_json - write the contract's JSON (docs/simulator.rst)
 * @file: where to
 * @drive: the drive after the run
 * @result: what was measured
 * @setup: what came before
 *
 * Return: 0, or -1 if writing failed.
 */
int report_json(FILE *file, const struct ssdqos_flash *drive, const struct run_result *result,
		const struct report_setup *setup);

/**
 * report_text - print a short table
 * @file: where to
 * @drive: the drive after the run
 * @result: what was measured
 */
void report_text(FILE *file, const struct ssdqos_flash *drive, const struct run_result *result);

#endif
