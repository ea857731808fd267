// SPDX-License-Identifier: GPL-2.0
#include "exit.h"

#include <stdio.h>

#include "../platform/env.h"

/* Names come from outside: whatever is in them, it stays one line. */
int exit_input(const struct sim_error *error)
{
	fputs("ssdqos-sim: ", stderr);
	for (const char *c = error->text; *c; c++)
		fputc((unsigned char)*c < ' ' ? '?' : *c, stderr);
	fputc('\n', stderr);
	return SIM_EXIT_INPUT;
}

int exit_verdict(const char *broken, u64 stuck)
{
	if (stuck) {
		fprintf(stderr, "ssdqos-sim: %llu requests never completed\n", stuck);
		return SIM_EXIT_BROKEN;
	}
	if (*broken) {
		fprintf(stderr, "ssdqos-sim: the drive is inconsistent: %s\n", broken);
		return SIM_EXIT_BROKEN;
	}
	return ssdqos_env_warnings ? SIM_EXIT_BROKEN : SIM_EXIT_GOOD;
}
