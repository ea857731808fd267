/* SPDX-License-Identifier: GPL-2.0 */
/*
 * change.h - a change in the middle of a run: "TIME NAME KEY=VALUE..."
 */
#ifndef SSDQOS_SIM_QOS_CHANGE_H
#define SSDQOS_SIM_QOS_CHANGE_H

#include "below.h"
#include "stream.h"

/**
 * struct qos_change - the change
 * @line: as given
 * @at_ns: when
 * @stream: whose parameters, NULL for those of the drive itself
 * @words: the parameters
 */
struct qos_change {
	const char *line;
	u64 at_ns;
	struct qos_stream *stream;
	struct text words;
};

/**
 * qos_change_init - read and check the line
 * @change: to be filled
 * @line: the line
 * @streams: the streams
 * @nr: their number
 * @below: what is below
 * @error: says what is wrong
 *
 * Return: 0, or -1.
 */
int qos_change_init(struct qos_change *change, const char *line, struct qos_stream *streams,
		    u32 nr, const struct qos_below *below, struct sim_error *error);

/**
 * qos_change_sort - bring changes into the order of their times
 * @changes: the changes
 * @nr: their number
 */
void qos_change_sort(struct qos_change *changes, u32 nr);

/**
 * qos_change_apply - make the change
 * @change: the change
 * @below: what is below
 * @now_ns: time
 * @error: says why it was refused
 *
 * Return: 0, or -1.
 */
int qos_change_apply(const struct qos_change *change, struct qos_below *below, u64 now_ns,
		     struct sim_error *error);

#endif
