/* SPDX-License-Identifier: GPL-2.0 */
/*
 * input.h - a file that is read as a whole
 */
#ifndef SSDQOS_SIM_INPUT_H
#define SSDQOS_SIM_INPUT_H

#include "types.h"

/**
 * input_read - read a file
 * @path: its name
 * @size: gets its length
 *
 * Return: what is in it, with a 0 behind it, to be freed; or NULL with errno set.
 */
void *input_read(const char *path, u64 *size);

#endif
