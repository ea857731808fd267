/* SPDX-License-Identifier: GPL-2.0 */
/*
 * asking.h - for how much of its promise a client asks; the opening comment of
 * asking.c has the rules
 */
#ifndef SSDQOS_QOS_ASKING_H
#define SSDQOS_QOS_ASKING_H

#include "../env.h"

/**
 * struct ssdqos_asking - a client's requests, here and in the drive, over time
 * @since_ns: since then there are as many as now
 * @part: so it asks for this part of its promise, in SSDQOS_WATCH_ASKS_ALL
 * @paused_ns: time for which it did not ask, since a request last came while none waited
 * @credit_ns: so much of the credit that it has come back with it has not had yet
 * @peak: the most at a time since @peak_since_ns
 * @peak_before: in the period before that
 * @peak_since_ns: begin of a period
 * @all_from: it asks for all with as many as this
 */
struct ssdqos_asking {
	u64 since_ns;
	u32 part;
	u64 paused_ns;
	u64 credit_ns;
	u32 peak;
	u32 peak_before;
	u64 peak_since_ns;
	u32 all_from;
};

#endif /* SSDQOS_QOS_ASKING_H */
