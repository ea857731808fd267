/* SPDX-License-Identifier: GPL-2.0 */
/*
 * pace.h - how much spare work the drive gets; the opening comment of pace.c has
 * the rules
 */
#ifndef SSDQOS_QOS_PACE_H
#define SSDQOS_QOS_PACE_H

#include "../rules/config.h"
#include "plateau.h"

/* As good as no limit: a drive that is 100 times as fast as its profile. */
#define SSDQOS_PACE_FREE (100ULL * SSDQOS_QOS_PPM)

/* No stream has this number, nor SSDQOS_NIL. */
#define SSDQOS_PACE_SEVERAL (SSDQOS_NIL - 1)

/* Reads and writes come in pieces of this size at the most, or of the size that was
 * promised: some ten milliseconds of a slow drive, so that with a hundredth of it
 * left for spare work one piece holds others up for a second, and an owner that
 * waits behind it for less than most windows bear.
 */
#define SSDQOS_EDF_PIECE_BYTES (1u << 20)

/**
 * struct ssdqos_pace - how much spare work the drive gets
 * @rate_ppm: costs per time; SSDQOS_PACE_FREE is no limit
 * @known_ppm: that much is borne, as far as is known
 * @seen_ppm: what was sent lately, costs per time
 * @plateau: from where on the rate rises slowly
 * @until_ns: time at which what was sent would have been the rate
 * @under_way_ns: costs of spare work under way
 * @sent_ns: costs of spare work sent in this step
 * @step_ns: begin of the step
 * @least_since_ns: since then spare work is hardly more than the least; 0 if it is
 * @late: number of the owner for which the rate is low, SSDQOS_NIL if for none,
 *	SSDQOS_PACE_SEVERAL if for several
 * @came: number of the stream whose requests came in this step, SSDQOS_NIL if
 *	none did, SSDQOS_PACE_SEVERAL if they were of several
 * @came_before: likewise, in the step before
 * @was_behind: likewise, in the step before
 * @behind: an owner fell behind in this step
 * @full: who is next waits for what is under way, and so do all behind it
 * @behinds: steps in which one did
 */
struct ssdqos_pace {
	u64 rate_ppm;
	u64 known_ppm;
	u64 seen_ppm;
	struct ssdqos_plateau plateau;
	u64 until_ns;
	u64 under_way_ns;
	u64 sent_ns;
	u64 step_ns;
	u64 least_since_ns;
	u32 late;
	u32 came;
	u32 came_before;
	bool was_behind;
	bool behind;
	bool full;
	u32 behinds;
};

/* Does the next request wait for what is under way? */
static inline bool edf_pace_is_full(const struct ssdqos_pace *p)
{
	return p->full && p->under_way_ns;
}

#endif /* SSDQOS_QOS_PACE_H */
