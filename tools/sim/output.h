/* SPDX-License-Identifier: GPL-2.0 */
/*
 * output.h - a file that results are written to; - is the standard output
 */
#ifndef SSDQOS_SIM_OUTPUT_H
#define SSDQOS_SIM_OUTPUT_H

#include <stdio.h>

#include "sim_error.h"

/**
 * output_open - open a file
 * @path: which, or NULL for none
 * @file: gets it; left alone if there is none
 * @error: says that it can't be written
 *
 * Return: 0, or -1.
 */
int output_open(const char *path, FILE **file, struct sim_error *error);

/**
 * output_close - close a file
 * @file: from output_open(), or NULL
 * @path: its name
 * @error: says that it could not be written
 *
 * Return: 0, or -1.
 */
int output_close(FILE *file, const char *path, struct sim_error *error);

#endif
