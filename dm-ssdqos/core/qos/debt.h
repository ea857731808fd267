/* SPDX-License-Identifier: GPL-2.0 */
/*
 * debt.h - the drive's debt, and what a step of it has learned; the opening comment
 * of debt.c has the rules
 *
 * The latter is for who looks at a drive: it says from which owner the rate of
 * spare writes comes.  It is written down once a step, whether or not anybody asks.
 */
#ifndef SSDQOS_QOS_DEBT_H
#define SSDQOS_QOS_DEBT_H

#include "../env.h"
#include "away.h"
#include "lend.h"
#include "load.h"

/* E(name, text): why the rate has changed; trace events print the text */
#define SSDQOS_DEBT_WHYS(E)						\
	E(NONE, "none")		/* it has not */			\
	E(LACK, "lack")		/* an owner got less than its promise */ \
	E(SURPLUS, "surplus")	/* all of them got more */		\
	E(SLOW_SURPLUS, "slow_surplus")	/* likewise, where one lacked before */ \
	E(LOAD_CHANGED, "load_changed")	/* others are there, or own more */ \
	E(RETURN_LACK, "return_lack")	/* one lacked something when it came back */ \
	E(AWAY, "away")		/* nobody does who comes back (away.c) */ \
	E(LEND, "lend")		/* owners ask for less than they own (lend.c) */ \
	E(FORGET, "forget")	/* nobody asks for all: what was learned is forgotten */

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
 *	that asked for all of it all the time (asking.c); SSDQOS_NIL if none did
 * @got_permille: that part
 * @old_permille: the factor g before the step
 * @new_permille: and after it
 * @rate_ppm: device time that spare writes may use from now on
 * @room_ppm: what fits, by the profile, and by what owners leave and don't ask for
 * @away_permille: a, what spare writes have of the time of owners that are away
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
	u32 away_permille;
};

/**
 * struct ssdqos_debt - what spare writes may use (debt.c)
 * @rate_ppm: c
 * @room_ppm: c / g
 * @factor: g, in 1024ths
 * @until_ns: time at which what was sent would have been the rate
 * @urgent_until_ns: the same of what was urgent
 * @order_kib_ns: what a KiB in order takes at the least (order.c); 0 is nothing
 * @order_until_ns: time at which what was sent in order would have taken that
 * @step_ns: begin of the step
 * @load: what the owners own that are there
 * @away: what spare writes have of the time of the others
 * @lend: what they have of that for which the former do not ask
 * @rest: of what it has grown by, less than one
 * @known: up to here nobody has lacked anything
 * @strained: an owner that is there is (budget.c)
 * @heeded: an owner is there for whom others are slowed down if it lacks something
 * @falling: somebody lacked something in the step before
 * @held: a write had to wait for it in this step
 * @change: what the step before has changed
 */
struct ssdqos_debt {
	u64 rate_ppm;
	u64 room_ppm;
	u32 factor;
	u64 until_ns;
	u64 urgent_until_ns;
	u64 order_kib_ns;
	u64 order_until_ns;
	u64 step_ns;
	struct ssdqos_edf_load load;
	struct ssdqos_away away;
	struct ssdqos_lend lend;
	u64 rest;
	u32 known;
	bool strained;
	bool heeded;
	bool falling;
	bool held;
	struct ssdqos_debt_change change;
};

#endif /* SSDQOS_QOS_DEBT_H */
