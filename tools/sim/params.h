/* SPDX-License-Identifier: GPL-2.0 */
/*
 * params.h - the command "ssdqos-sim params": what can be set
 */
#ifndef SSDQOS_SIM_PARAMS_H
#define SSDQOS_SIM_PARAMS_H

/**
 * params_main - the command
 * @argc: words, the name of the command first
 * @argv: the words: [flash|qos] [--rst]
 *
 * Return: exit status.
 */
int params_main(int argc, char **argv);

#endif
