/* SPDX-License-Identifier: GPL-2.0 */
/*
 * cli.h - the command "ssdqos-sim limits"
 */
#ifndef SSDQOS_SIM_LIMITS_CLI_H
#define SSDQOS_SIM_LIMITS_CLI_H

#include <stdio.h>

/**
 * limits_main - the command
 * @argc: words, the name of the command first
 * @argv: the words
 *
 * Return: exit status.
 */
int limits_main(int argc, char **argv);

/**
 * limits_print_help - print its options
 * @file: where to
 */
void limits_print_help(FILE *file);

#endif
