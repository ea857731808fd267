/* SPDX-License-Identifier: GPL-2.0 */
/*
 * run.h - a whole life of a drive, second by second
 *
 * As the simulator of throttling in section 5.5.1 of the READY paper: what comes is what the
 * firmware sends to flash, a page at a time, and a page that is delayed, or stops, makes all that
 * follow as much later. Service takes LIFE_SERVICE_NS for every page; the load's own times contain
 * it. Pages of a second are taken together as long as nothing stops and their delays are not
 * more than a second.
 *
 * Budgets, epochs, delays and the wear of cells are those of core/ready.
 *
 * A life ends when the cells are worn out with the recovery that they had, whether the policy
 * counts on it or not. Responses are counted until the target; whoever is worn out before goes
 * on to there, because Table 9 has what would have been written. Whoever is not goes on
 * without throttling, as the kernel does.
 */
#ifndef SSDQOS_SIM_LIFE_RUN_H
#define SSDQOS_SIM_LIFE_RUN_H

#include <stdio.h>

#include "../common/progress.h"
#include "load.h"
#include "../../../dm-ssdqos/core/engine/hist.h"
#include "../../../dm-ssdqos/core/ready/ready.h"

/* Time to write a page (section 5.5.1). */
#define LIFE_SERVICE_NS (600 * NS_PER_US)

/* A life is followed for so many times its target. */
#define LIFE_MOST_TARGETS 3

/**
 * struct life_series - rows of what happened, one for each interval
 * @file: where to, or NULL
 * @interval_ns: length of an interval
 * @from_ns: begin of the first one
 * @to_ns: no interval begins from here on
 */
struct life_series {
	FILE *file;
	u64 interval_ns;
	u64 from_ns;
	u64 to_ns;
};

/**
 * struct life_plan - what is simulated
 * @load: what comes
 * @drive: parameters of the drive
 * @delay_ns: of every page, whatever the policy does
 * @fixed_epochs: epochs stay one window long
 * @brief: end at the target, or when worn out, and count no responses
 * @series: what is written on the way
 * @progress: where to say how far it is, or NULL
 */
struct life_plan {
	const struct life_load *load;
	struct ssdqos_qos_drive_config drive;
	u64 delay_ns;
	bool fixed_epochs;
	bool brief;
	struct life_series series;
	struct progress *progress;
};

/**
 * struct life_result - what came of it
 * @target_ns: how long it should last
 * @lifetime_ns: how long it did; SSDQOS_NEVER_NS if that was not seen
 * @written_bytes: to flash, by the target
 * @spec_bytes: that could be, without recovery
 * @able_bytes: that could be, with the recovery there was
 * @delay_ns: of all pages until the target
 * @stop_ns: for which writes stopped until the target
 * @response: of pages until the target
 * @first_week_p999_ns: its 99.9 % quantile in the first week
 * @worst_week_p999_ns: and in the week with the largest one, of those that are whole
 * @epochs: until the target
 * @good_epochs: of these, expected within 25 %
 * @reached_ns: when the event "lifetime_reached" was told; SSDQOS_NEVER_NS if it never was
 * @spent_ns: and "lifetime_budget_spent", the first time
 * @half: what the drive showed at half of the target
 * @gauges: what it showed at the target
 */
struct life_result {
	u64 target_ns;
	u64 lifetime_ns;
	u64 written_bytes;
	u64 spec_bytes;
	u64 able_bytes;
	u64 delay_ns;
	u64 stop_ns;
	struct ssdqos_hist response;
	u64 first_week_p999_ns;
	u64 worst_week_p999_ns;
	u64 epochs;
	u64 good_epochs;
	u64 reached_ns;
	u64 spent_ns;
	struct ssdqos_ready_gauges half;
	struct ssdqos_ready_gauges gauges;
};

/**
 * life_run - simulate a life
 * @plan: what
 * @result: gets the outcome
 * @error: says why it failed
 *
 * Return: 0, or -1.
 */
int life_run(const struct life_plan *plan, struct life_result *result, struct sim_error *error);

/**
 * life_best_delay_ns - the constant delay with which a drive lasts just as long as it should
 * @plan: what; its delay is not looked at
 * @delay_ns: gets it
 * @error: says why it failed
 *
 * It takes knowing all that will come: the offline optimum of the paper (section 5.3.4).
 * Return: 0, or -1.
 */
int life_best_delay_ns(const struct life_plan *plan, u64 *delay_ns, struct sim_error *error);

#endif
