/* SPDX-License-Identifier: GPL-2.0 */
/*
 * exit.h - how a command of the simulator can end
 */
#ifndef SSDQOS_SIM_EXIT_H
#define SSDQOS_SIM_EXIT_H

#include "sim_error.h"

/**
 * enum sim_exit - exit status
 * @SIM_EXIT_GOOD: done
 * @SIM_EXIT_BROKEN: the run broke a promise
 * @SIM_EXIT_INPUT: bad input; the standard error has one sentence
 */
enum sim_exit {
	SIM_EXIT_GOOD,
	SIM_EXIT_BROKEN,
	SIM_EXIT_INPUT,
};

/**
 * exit_input - print the sentence
 * @error: it
 *
 * Return: SIM_EXIT_INPUT.
 */
int exit_input(const struct sim_error *error);

/**
 * exit_verdict - has the drive kept its promises?
 * @broken: what its tables disagree about after the run; nothing if they agree
 * @stuck: requests that never completed
 *
 * Return: SIM_EXIT_GOOD, or SIM_EXIT_BROKEN with a sentence on the standard error.
 */
int exit_verdict(const char *broken, u64 stuck);

#endif
