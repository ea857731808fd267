/* SPDX-License-Identifier: GPL-2.0 */
/*
 * Generator of a synthetic load.
 *
 * Closed loop: ask for load_iodepth() requests at the start and for one more each time one
 * completes. Open loop (rate_iops or arrival=lognormal): ask for a request, hand it in at its
 * arrival time, ask for the next; completions do not matter. The generator knows nothing of the
 * drive but its size, and gives the same requests for the same job and seed as long as it is asked
 * at the same times.
 */
#ifndef SSDQOS_SIM_LOAD_H
#define SSDQOS_SIM_LOAD_H

#include <stdio.h>

#include "../common/sim_error.h"
#include "request.h"

struct load;

/**
 * load_create - make a generator
 * @line: the job, see load_print_help()
 * @drive_bytes: size of the drive
 * @error: says what is wrong with the job
 *
 * Return: the generator, or NULL.
 */
struct load *load_create(const char *line, u64 drive_bytes, struct sim_error *error);

/**
 * load_next - the next request
 * @load: from load_create()
 * @now_ns: virtual time, never going back; start counts from the first call, runtime from the start
 * @request: the request; in a closed loop it arrives at @now_ns plus thinktime, in an open loop
 * when its time has come
 *
 * Return: false when the job is done, and from then on.
 */
bool load_next(struct load *load, u64 now_ns, struct sim_request *request);

/* Requests of a closed loop that are drawn before they are asked for. */
#define LOAD_AHEAD 8

/**
 * load_peek - a request that will be asked for
 * @load: from load_create()
 * @after: how many will be asked for before it, less than LOAD_AHEAD
 *
 * Return: the request, without a time; NULL in an open loop.
 */
const struct sim_request *load_peek(const struct load *load, u32 after);

/**
 * load_is_open - open or closed loop
 * @load: from load_create()
 */
bool load_is_open(const struct load *load);

/**
 * load_iodepth - requests to be kept under way in a closed loop
 * @load: from load_create()
 */
u32 load_iodepth(const struct load *load);

/**
 * load_seed - the seed of the job
 * @load: from load_create()
 */
u64 load_seed(const struct load *load);

/**
 * load_progress_ppm - how much of the job is done
 * @load: from load_create()
 * @now_ns: virtual time
 *
 * Return: parts per million, by requests or by time, whichever ends first.
 */
u64 load_progress_ppm(const struct load *load, u64 now_ns);

/**
 * load_print_help - print kinds, keys with range, default and meaning, and named loads
 * @file: where to
 */
void load_print_help(FILE *file);

/**
 * load_destroy - free the generator
 * @load: from load_create(), or NULL
 */
void load_destroy(struct load *load);

#endif
