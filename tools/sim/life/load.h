/* SPDX-License-Identifier: GPL-2.0 */
/*
 * load.h - what a drive is asked to write in its life: pages for each second of a cycle
 *
 * Loads stand for Table 8 of the READY paper (lee-dissertation, section 5.5.1), whose traces are
 * not there to be used: a cycle of the same length, in which exactly the published volume, times
 * the published write amplification, is written. The rest is ours, and said here:
 *
 *   - a day has busy hours and others; where a cycle has no days they are left out;
 *   - each stretch of some minutes is weighed by a log-normally distributed number: that makes a
 *     load hard to predict, or easy;
 *   - of its seconds some are bursts, the others share what remains.
 *
 * The same seed makes the same load.
 */
#ifndef SSDQOS_SIM_LIFE_LOAD_H
#define SSDQOS_SIM_LIFE_LOAD_H

#include "../common/sim_error.h"
#include "shape.h"

/**
 * struct life_burst - pages that are asked for one after the other, and a rest
 * @pages: how many, at least 1
 * @rest_s: seconds from their begin, not counting what throttling adds
 */
struct life_burst {
	u32 pages;
	u32 rest_s;
};

/**
 * struct life_load - a cycle that is repeated
 * @name: of the named load
 * @flash_bytes: size of the drive's flash
 * @seconds: length of the cycle
 * @pages: in it
 * @bursts: seconds in which something is written
 * @nr: their number
 */
struct life_load {
	const char *name;
	u64 flash_bytes;
	u64 seconds;
	u64 pages;
	struct life_burst *bursts;
	u64 nr;
};

/**
 * life_load_shape - the shape that a named load has of its own
 * @name: which
 * @shape: gets it
 * @error: says that there is no such load
 *
 * Return: 0, or -1.
 */
int life_load_shape(const char *name, struct life_shape *shape, struct sim_error *error);

/**
 * life_load_named - make one of the named loads
 * @load: to be filled, for life_load_destroy()
 * @name: which
 * @shape: in place of its own, NULL for that
 * @seed: of its pattern
 * @error: says why it failed
 *
 * Return: 0, or -1.
 */
int life_load_named(struct life_load *load, const char *name, const struct life_shape *shape,
		    u64 seed, struct sim_error *error);

/**
 * life_load_traced - the pattern of a trace with the volume of a named load
 * @load: to be filled, for life_load_destroy()
 * @name: the named load, for volume for each hour and size
 * @path: a trace in the project's format (trace.h); its writes and their sizes count
 * @error: says why it failed
 *
 * The cycle is as long as the trace, in whole seconds.
 * Return: 0, or -1.
 */
int life_load_traced(struct life_load *load, const char *name, const char *path,
		     struct sim_error *error);

/**
 * life_load_scale - pages for each second that make up a volume exactly
 * @weights: of the seconds; becomes the pages
 * @seconds: their number
 * @pages: the volume, at most 2^32 - 1 for any second
 *
 * Return: whether anything weighs something.
 */
bool life_load_scale(u64 *weights, u64 seconds, u64 pages);

/**
 * life_load_destroy - free the cycle
 * @load: the load; or zeroed
 */
void life_load_destroy(struct life_load *load);

/**
 * life_load_names - the named loads
 * @i: from 0
 *
 * Return: a name, or NULL behind the last one.
 */
const char *life_load_names(u32 i);

#endif
