// SPDX-License-Identifier: GPL-2.0
/*
 * event.c - names of events
 */
#include "event.h"

const char *const ssdqos_watch_event_names[SSDQOS_NR_WATCH_EVENTS] = {
#define E(name, text) [SSDQOS_WATCH_##name] = text,
	SSDQOS_WATCH_EVENTS(E)
#undef E
};
