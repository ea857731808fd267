/* SPDX-License-Identifier: GPL-2.0 */
/*
 * cli.h - the command "ssdqos-sim qos"
 */
#ifndef SSDQOS_SIM_QOS_CLI_H
#define SSDQOS_SIM_QOS_CLI_H

#include <stdio.h>

/**
 * qos_main - the command
 * @argc: words, the name of the command first
 * @argv: the words
 *
 * Return: exit status.
 */
int qos_main(int argc, char **argv);

/**
 * qos_print_help - print its options
 * @file: where to
 */
void qos_print_help(FILE *file);

#endif
