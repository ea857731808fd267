/* SPDX-License-Identifier: GPL-2.0 */
/*
 * budget.h - how many windows a promise may still miss; the opening comment of
 * budget.c has the rules
 */
#ifndef SSDQOS_QOS_BUDGET_H
#define SSDQOS_QOS_BUDGET_H

#include "../env.h"

/**
 * struct ssdqos_budget - how many windows a promise may still miss
 * @left: A, in 2000ths of a window; overdrawn if it is less than 0
 * @doubted: what windows have cost that were missed since ...
 * @doubted_since_ns: ... spare work is at its least; 0 if it is not
 * @owed: what was given back and is not made up for yet
 * @is_given: nothing was owed when that began
 * @is_whole: nothing was missed since it was promised, or for long
 */
struct ssdqos_budget {
	s64 left;
	s64 doubted;
	u64 doubted_since_ns;
	s64 owed;
	bool is_given;
	bool is_whole;
};

#endif /* SSDQOS_QOS_BUDGET_H */
