/* SPDX-License-Identifier: GPL-2.0 */
/*
 * Writer of the project trace.
 */
#ifndef SSDQOS_SIM_CONVERT_WRITE_H
#define SSDQOS_SIM_CONVERT_WRITE_H

#include "../common/sim_error.h"
#include "rows.h"

/**
 * convert_write - write all rows, with a header row
 * @rows: sorted rows
 * @path: compressed with gzip when it ends in .gz; NULL for the standard output
 * @error: says why it failed
 *
 * Return: 0, or -1.
 */
int convert_write(const struct convert_rows *rows, const char *path, struct sim_error *error);

#endif
