// SPDX-License-Identifier: GPL-2.0
#include "exit.h"

#include <stdio.h>

#include "platform/env.h"

#define EXIT_TEXT_BYTES 256

/* Names come from outside: whatever is in them, it stays one line. */
int exit_input(const struct sim_error *error)
{
	fputs("ssdqos-sim: ", stderr);
	for (const char *c = error->text; *c; c++)
		fputc((unsigned char)*c < ' ' ? '?' : *c, stderr);
	fputc('\n', stderr);
	return SIM_EXIT_INPUT;
}

int exit_verdict(const struct ssdqos_flash *drive, u64 stuck)
{
	char err[EXIT_TEXT_BYTES];

	if (stuck) {
		fprintf(stderr, "ssdqos-sim: %llu requests never completed\n", stuck);
		return SIM_EXIT_BROKEN;
	}
	if (ssdqos_flash_check(drive, err, sizeof(err))) {
		fprintf(stderr, "ssdqos-sim: the drive is inconsistent: %s\n", err);
		return SIM_EXIT_BROKEN;
	}
	return ssdqos_env_warnings ? SIM_EXIT_BROKEN : SIM_EXIT_GOOD;
}
