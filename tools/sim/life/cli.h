/* SPDX-License-Identifier: GPL-2.0 */
/*
 * cli.h - the command "ssdqos-sim life"
 */
#ifndef SSDQOS_SIM_LIFE_CLI_H
#define SSDQOS_SIM_LIFE_CLI_H

#include <stdio.h>

/**
 * life_main - the command
 * @argc: words, the name of the command first
 * @argv: the words
 *
 * Return: exit status.
 */
int life_main(int argc, char **argv);

/**
 * life_print_help - print its options
 * @file: where to
 */
void life_print_help(FILE *file);

#endif
