/* SPDX-License-Identifier: GPL-2.0 */
/*
 * cli.h - the command "ssdqos-sim run"
 */
#ifndef SSDQOS_SIM_RUN_CLI_H
#define SSDQOS_SIM_RUN_CLI_H

#include <stdio.h>

/**
 * run_main - the command
 * @argc: words, the name of the command first
 * @argv: the words
 *
 * Return: exit status.
 */
int run_main(int argc, char **argv);

/**
 * run_print_help - print its options
 * @file: where to
 */
void run_print_help(FILE *file);

#endif
