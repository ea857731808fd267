/* SPDX-License-Identifier: GPL-2.0 */
/*
 * debt.h - what a step of the drive's debt has learned (debt.c)
 *
 * For who looks at a drive: it says from which owner the rate of spare writes
 * comes.  It is written down once a step, whether or not anybody asks.
 */
#ifndef SSDQOS_QOS_DEBT_H
#define SSDQOS_QOS_DEBT_H

#include "../env.h"

/* E(name, text): why the rate has changed; trace events print the text */
#define SSDQOS_DEBT_WHYS(E)						\
	E(NONE, "none")		/* it has not */			\
	E(LACK, "lack")		/* an owner got less than its promise */ \
	E(SURPLUS, "surplus")	/* all of them got more */		\
	E(SLOW_SURPLUS, "slow_surplus")	/* likewise, where one lacked before */ \
	E(LOAD_CHANGED, "load_changed")	/* others are there, or own more */

enum ssdqos_debt_why {
#define E(name, text) SSDQOS_DEBT_WHY_##name,
	SSDQOS_DEBT_WHYS(E)
#undef E
	SSDQOS_NR_DEBT_WHYS,
};

extern const char *const ssdqos_debt_why_names[SSDQOS_NR_DEBT_WHYS];

/**
 * struct ssdqos_debt_change - what a step has changed
 * @why: enum ssdqos_debt_why
 * @time_ns: end of the step
 * @owner: number of the stream that had the least part of its promise, of those
 *	that had requests all the time; SSDQOS_NIL if none had
 * @got_permille: that part
 * @old_permille: the factor g before the step
 * @new_permille: and after it
 * @rate_ppm: device time that spare writes may use from now on
 * @room_ppm: of that, what the profile says
 */
struct ssdqos_debt_change {
	u32 why;
	u64 time_ns;
	u32 owner;
	u32 got_permille;
	u32 old_permille;
	u32 new_permille;
	u64 rate_ppm;
	u64 room_ppm;
};

#endif /* SSDQOS_QOS_DEBT_H */
