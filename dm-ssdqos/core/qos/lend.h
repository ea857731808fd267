/* SPDX-License-Identifier: GPL-2.0 */
/*
 * lend.h - what spare writes have of the time for which owners don't ask; the opening
 * comment of lend.c has the rules
 */
#ifndef SSDQOS_QOS_LEND_H
#define SSDQOS_QOS_LEND_H

#include "load.h"

/**
 * struct ssdqos_lend - what spare writes have of that time (lend.c)
 * @load: what the owners ask for that are there
 * @part: b, in 1024ths
 * @rest: of what it has grown by, less than one
 * @behinds: steps of the pace in which an owner was behind, when b was learned last
 * @headroom: h of the owner that has the least, in 1024ths
 * @somebody: an owner is there that asks for less
 */
struct ssdqos_lend {
	struct ssdqos_edf_load load;
	u32 part;
	u32 rest;
	u32 behinds;
	u64 headroom;
	bool somebody;
};

#endif /* SSDQOS_QOS_LEND_H */
