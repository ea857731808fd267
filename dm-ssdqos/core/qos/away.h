/* SPDX-License-Identifier: GPL-2.0 */
/*
 * away.h - what spare writes have of the time of owners that are away; the opening
 * comment of away.c has the rules
 */
#ifndef SSDQOS_QOS_AWAY_H
#define SSDQOS_QOS_AWAY_H

#include "../env.h"

/**
 * struct ssdqos_away - what spare writes have of that time (away.c)
 * @part: a, in 1024ths
 * @rest: of what it has grown by, less than one
 * @told: a when somebody was last told of it
 * @somebody: an owner is away
 * @wrote: spare writes went since somebody is
 */
struct ssdqos_away {
	u32 part;
	u32 rest;
	u32 told;
	bool somebody;
	bool wrote;
};

#endif /* SSDQOS_QOS_AWAY_H */
