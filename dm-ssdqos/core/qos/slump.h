/* SPDX-License-Identifier: GPL-2.0 */
/*
 * slump.h - windows of a promise are missed for longer than any stop lasts; the opening
 * comment of slump.c has the rules
 */
#ifndef SSDQOS_QOS_SLUMP_H
#define SSDQOS_QOS_SLUMP_H

#include "../env.h"

/**
 * struct ssdqos_slump - windows that are missed in a row
 * @row_ns: for so long; 0 if it is over
 * @lead_ns: the lead before that (lead.c)
 */
struct ssdqos_slump {
	u64 row_ns;
	u64 lead_ns;
};

#endif /* SSDQOS_QOS_SLUMP_H */
