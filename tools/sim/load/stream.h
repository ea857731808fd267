/* SPDX-License-Identifier: GPL-2.0 */
/*
 * stream.h - what streams of all commands have: a name, and a load
 */
#ifndef SSDQOS_SIM_STREAM_H
#define SSDQOS_SIM_STREAM_H

#include "load.h"

/* What --at of the command qos calls the drive itself. */
#define STREAM_DRIVE_NAME "drive"

/**
 * stream_check_name - is a name one that the target takes?
 * @name: the name
 * @error: says what is expected
 *
 * Return: 0, or -1.
 */
int stream_check_name(const char *name, struct sim_error *error);

/**
 * stream_load_create - make the load of a stream
 * @job: its job; without a runtime it goes on to the end
 * @seed: of the load, unless the job has one: streams with the same job shall not ask for the
 *	same blocks
 * @drive_bytes: size of the drive
 * @error: says what is wrong
 *
 * Return: the load, or NULL.
 */
struct load *stream_load_create(const char *job, u64 seed, u64 drive_bytes,
				struct sim_error *error);

#endif
