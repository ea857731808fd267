/* SPDX-License-Identifier: GPL-2.0 */
/*
 * event.h - what happens to a mirror: "TIME:fail|join|replace|rot:MEMBER", "TIME:scrub|journal"
 */
#ifndef SSDQOS_SIM_MIRROR_EVENT_H
#define SSDQOS_SIM_MIRROR_EVENT_H

#include "../common/sim_error.h"
#include "../common/types.h"

/**
 * enum mirror_event_kind - what happens
 * @MIRROR_EVENT_FAIL: it is gone, and all that it was given fails
 * @MIRROR_EVENT_JOIN: it is back, with what it had
 * @MIRROR_EVENT_REPLACE: another one takes its place, with nothing
 * @MIRROR_EVENT_ROT: it has lost some of what it was given, and doesn't know
 * @MIRROR_EVENT_SCRUB: members are compared
 * @MIRROR_EVENT_JOURNAL: the journal is gone, and all that is written to it fails
 */
enum mirror_event_kind {
	MIRROR_EVENT_FAIL,
	MIRROR_EVENT_JOIN,
	MIRROR_EVENT_REPLACE,
	MIRROR_EVENT_ROT,
	MIRROR_EVENT_SCRUB,
	MIRROR_EVENT_JOURNAL,
	NR_MIRROR_EVENTS,
};

/**
 * struct mirror_event - what happens when to whom
 * @at_ns: when
 * @kind: enum mirror_event_kind
 * @member: to whom, if not to all
 */
struct mirror_event {
	u64 at_ns;
	u32 kind;
	u32 member;
};

/**
 * mirror_event_parse - read one
 * @event: to be filled
 * @text: the text
 * @members: how many there are
 * @error: says what is wrong
 *
 * Return: 0, or -1.
 */
int mirror_event_parse(struct mirror_event *event, const char *text, u32 members,
		       struct sim_error *error);

/**
 * mirror_events_check - bring events into the order of their times, and see that they can be
 * @events: the events
 * @nr: how many
 * @members: how many there are
 * @journal: whether there is a journal
 * @error: says what is wrong
 *
 * Return: 0, or -1.
 */
int mirror_events_check(struct mirror_event *events, u32 nr, u32 members, bool journal,
			struct sim_error *error);

#endif
