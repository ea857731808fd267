/* SPDX-License-Identifier: GPL-2.0 */
/*
 * cli.h - the command "ssdqos-sim mirror"
 */
#ifndef SSDQOS_SIM_MIRROR_CLI_H
#define SSDQOS_SIM_MIRROR_CLI_H

#include <stdio.h>

/**
 * mirror_main - the command
 * @argc: words, the name of the command first
 * @argv: the words
 *
 * Return: exit status.
 */
int mirror_main(int argc, char **argv);

/**
 * mirror_print_help - print its options
 * @file: where to
 */
void mirror_print_help(FILE *file);

#endif
