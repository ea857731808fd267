// SPDX-License-Identifier: GPL-2.0
#include "event.h"

#include <stdint.h>

#include "../common/quantity.h"

static const char *const kind_names[NR_MIRROR_EVENTS] = {
	[MIRROR_EVENT_FAIL] = "fail",
	[MIRROR_EVENT_JOIN] = "join",
	[MIRROR_EVENT_REPLACE] = "replace",
	[MIRROR_EVENT_ROT] = "rot",
	[MIRROR_EVENT_SCRUB] = "scrub",
	[MIRROR_EVENT_JOURNAL] = "journal",
};

static bool take_kind(struct text word, u32 *kind)
{
	for (*kind = 0; *kind < NR_MIRROR_EVENTS; ++*kind)
		if (text_is(word, kind_names[*kind]))
			return true;
	return false;
}

/* Does it happen to one member? */
static bool has_member(const struct mirror_event *event)
{
	return event->kind != MIRROR_EVENT_SCRUB && event->kind != MIRROR_EVENT_JOURNAL;
}

/* Is the rest of it what belongs to its kind? */
static bool take_member(struct text rest, struct mirror_event *event)
{
	u64 member = 0;

	if (has_member(event) ? !text_to_u64(rest, &member) : !text_is_empty(rest))
		return false;
	event->member = member > UINT32_MAX ? UINT32_MAX : (u32)member;
	return true;
}

int mirror_event_parse(struct mirror_event *event, const char *text, u32 members,
		       struct sim_error *error)
{
	struct text rest = text_of(text), time = text_cut(&rest, ':'), kind = text_cut(&rest, ':');

	if (!quantity_time_ns(time, &event->at_ns) || !take_kind(kind, &event->kind) ||
	    !take_member(rest, event))
		return sim_error_set(error, "--event: '%.80s' is not TIME:fail:MEMBER, nor join, replace or rot instead of fail, nor TIME:scrub or TIME:journal, such as 10s:fail:1",
				     text);
	if (event->member >= members)
		return sim_error_set(error, "--event: '%.80s': members are numbers from 0 to %u",
				     text, members - 1);
	return 0;
}

/* Those of one time stay in the order of the command line. */
static void sort(struct mirror_event *events, u32 nr)
{
	for (u32 i = 1; i < nr; i++)
		for (u32 j = i; j && events[j].at_ns < events[j - 1].at_ns; j--) {
			struct mirror_event later = events[j - 1];

			events[j - 1] = events[j];
			events[j] = later;
		}
}

int mirror_events_check(struct mirror_event *events, u32 nr, u32 members, bool journal,
			struct sim_error *error)
{
	const u32 all = (1u << members) - 1;
	u32 gone = 0;

	sort(events, nr);
	for (u32 i = 0; i < nr; i++) {
		const u32 bit = 1u << events[i].member;
		const bool fails = events[i].kind == MIRROR_EVENT_FAIL;

		if (events[i].kind == MIRROR_EVENT_JOURNAL && !journal)
			return sim_error_set(error, "--event: there is no journal; it needs --mirror durability=journal");
		if (events[i].kind == MIRROR_EVENT_ROT || !has_member(&events[i]))
			continue;
		if (fails == !!(gone & bit))
			return sim_error_set(error, "--event: member %u can't %s at %llu ms, it is %s then",
					     events[i].member, kind_names[events[i].kind],
					     events[i].at_ns / NS_PER_MS,
					     fails ? "gone" : "there");
		gone ^= bit;
		if (gone == all)
			return sim_error_set(error, "--event: there is no member left at %llu ms",
					     events[i].at_ns / NS_PER_MS);
	}
	return 0;
}
