/* SPDX-License-Identifier: GPL-2.0 */
/*
 * Named loads: synthetic stand-ins for the traces of Table 2 of AutoSSD (Kim et al., "AutoSSD: an
 * Autonomic SSD Architecture", USENIX ATC 2018, section 4.3).
 *
 * The traces are not in the project. A named load has the counts, mean sizes, and mean and median
 * inter-arrival times of the table; all else about it is made up. Therefore every name begins with
 * LOAD_NAMED_PREFIX.
 */
#ifndef SSDQOS_SIM_LOAD_NAMED_H
#define SSDQOS_SIM_LOAD_NAMED_H

#include <stdio.h>

#include "../common/text.h"

#define LOAD_NAMED_PREFIX "synthetic-"

/* Room for the job of a named load. */
#define LOAD_NAMED_JOB_BYTES 256

/**
 * struct load_named - one row of the table
 * @name: without the prefix
 * @hours: how long the trace is
 * @writes: in 100,000
 * @reads: in 100,000
 * @write_kib: mean size
 * @read_kib: mean size
 * @mean_ms: mean inter-arrival time
 * @median_ms: median inter-arrival time
 *
 * Decimal numbers are kept in the words of the paper, which are those of a job, too.
 */
struct load_named {
	const char *name;
	const char *hours;
	u32 writes;
	u32 reads;
	const char *write_kib;
	const char *read_kib;
	const char *mean_ms;
	const char *median_ms;
};

/**
 * load_named_row - a row by number
 * @row: from 0
 *
 * Return: the row, NULL behind the last.
 */
const struct load_named *load_named_row(size_t row);

/**
 * load_named_find - a row by name
 * @name: with the prefix
 *
 * Return: the row, or NULL.
 */
const struct load_named *load_named_find(struct text name);

/**
 * load_named_job - the job that a name stands for
 * @named: the row
 * @job: LOAD_NAMED_JOB_BYTES of room for it
 */
void load_named_job(const struct load_named *named, char *job);

/**
 * load_named_print_help - print the names and their jobs
 * @file: where to
 */
void load_named_print_help(FILE *file);

#endif
