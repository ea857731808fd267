/* SPDX-License-Identifier: GPL-2.0 */
/*
 * The table of trace formats.
 */
#ifndef SSDQOS_SIM_CONVERT_FORMATS_H
#define SSDQOS_SIM_CONVERT_FORMATS_H

#include "format.h"

extern const struct convert_format *const convert_formats[];
extern const size_t nr_convert_formats;

/**
 * convert_find_format - find a format by name
 * @name: as in --from
 *
 * Return: the format, or NULL.
 */
const struct convert_format *convert_find_format(const char *name);

#endif
