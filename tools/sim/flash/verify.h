/* SPDX-License-Identifier: GPL-2.0 */
/*
 * verify.h - look at the end of a run whether the drive's tables agree
 */
#ifndef SSDQOS_SIM_VERIFY_H
#define SSDQOS_SIM_VERIFY_H

#include "../common/option.h"
#include "../../../dm-ssdqos/core/flash/flash.h"

#define VERIFY_TEXT_BYTES 256

/* Larger drives are not looked at unless that is wanted: it takes some 3 ms of
 * CPU a GiB, more than making them, and on these longer than short runs.
 */
#define VERIFY_MAX_BYTES (64ULL << 30)

/**
 * enum verify_when - which drives are looked at
 * @VERIFY_BY_SIZE: those of at most VERIFY_MAX_BYTES
 * @VERIFY_OFF: none
 * @VERIFY_ON: all
 */
enum verify_when {
	VERIFY_BY_SIZE,
	VERIFY_OFF,
	VERIFY_ON,
};

/**
 * struct verify - what was found
 * @done: the drive was looked at
 * @cpu_ns: user and system time of that
 * @broken: one sentence about what does not agree, empty if all does
 */
struct verify {
	bool done;
	u64 cpu_ns;
	char broken[VERIFY_TEXT_BYTES];
};

/* Of struct option_row: "on" or "off" into an enum verify_when. */
int option_verify(const struct option_row *row, const char *value, void *field,
		  struct sim_error *error);

/**
 * verify_is_wanted - is a drive to be looked at?
 * @drive: the drive
 * @when: which drives
 */
bool verify_is_wanted(const struct ssdqos_flash *drive, enum verify_when when);

/**
 * verify_drive - look at the drive, if that is wanted
 * @drive: the drive, at any moment
 * @when: which drives
 * @verify: gets what was found
 */
void verify_drive(const struct ssdqos_flash *drive, enum verify_when when, struct verify *verify);

#endif
