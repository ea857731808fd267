/* SPDX-License-Identifier: GPL-2.0 */
/*
 * depth.h - how many requests the drive has at a time; the opening comment of
 * depth.c has the rules
 */
#ifndef SSDQOS_QOS_DEPTH_H
#define SSDQOS_QOS_DEPTH_H

#include "../rules/config.h"

/**
 * struct ssdqos_depth - how many requests the drive gets at a time
 * @now: so many, from @least, or three if that is less, to drive_queue_depth
 * @least: with so many all guarantees fit yet, by the profile
 * @crowded: an owner fell behind in this step of the pace, and others have more in
 *	the drive than it has
 */
struct ssdqos_depth {
	u32 now;
	u32 least;
	bool crowded;
};

#endif /* SSDQOS_QOS_DEPTH_H */
