/* SPDX-License-Identifier: GPL-2.0 */
/*
 * event.h - what an administrator should hear of a drive and its streams
 *
 * Guarantees (core/qos/watch.h), the lifetime (core/ready) and discards that are
 * kept make events; whoever called them tells those who listen.
 */
#ifndef SSDQOS_RULES_EVENT_H
#define SSDQOS_RULES_EVENT_H

#include "../env.h"

/* E(name, text): what happened; uevents and trace events print the text */
#define SSDQOS_WATCH_EVENTS(E)						\
	E(PROMISE_MISSED, "promise_missed")				\
	E(PROMISE_AT_RISK, "promise_at_risk")				\
	E(PROMISE_SAFE, "promise_safe")					\
	E(PROFILE_STALE, "profile_stale")				\
	E(PROFILE_OK, "profile_ok")					\
	E(FOREIGN_WRITER, "unmanaged_writer")				\
	E(FOREIGN_WRITER_GONE, "unmanaged_writer_gone")			\
	E(LIFE_EPOCH, "lifetime_epoch")					\
	E(LIFE_SPENT, "lifetime_budget_spent")				\
	E(LIFE_REACHED, "lifetime_reached")				\
	E(LIFE_SOURCE_LOST, "wear_source_lost")				\
	E(LIFE_SOURCE_OK, "wear_source_ok")				\
	E(LIFE_META_LOST, "lifetime_meta_lost")				\
	E(LIFE_META_OK, "lifetime_meta_ok")				\
	E(TRIM_FAILING, "discards_failing")				\
	E(TRIM_OK, "discards_ok")

enum ssdqos_watch_event_kind {
#define E(name, text) SSDQOS_WATCH_##name,
	SSDQOS_WATCH_EVENTS(E)
#undef E
	SSDQOS_NR_WATCH_EVENTS,
};

/**
 * struct ssdqos_watch_event - something that somebody should hear of
 * @kind: enum ssdqos_watch_event_kind
 * @time_ns: when
 * @promised: PROMISE_*: requests, bytes or ns of device time per window; of
 *	AT_RISK and SAFE what should be there by now
 * @achieved: what it was
 * @windows: how many windows in a row were missed, or behind at their half
 * @missed_why: PROMISE_*: enum ssdqos_miss_why
 * @drift_pct: PROFILE_*: cost seen against the profile's, in per cent more
 * @foreign_pct: FOREIGN_*: part of the disk's writes that is not ours
 * @delay_ns: LIFE_*: delay of a page, by the caller's clock
 * @why: LIFE_*: enum ssdqos_ready_why
 * @left_bytes: LIFE_*: of the endurance
 * @epoch_bytes: LIFE_*: budget of the epoch
 * @failed: TRIM_*: discards that ended with an error, of all that were kept
 */
struct ssdqos_watch_event {
	u32 kind;
	u64 time_ns;
	u64 promised;
	u64 achieved;
	u64 windows;
	u32 missed_why;
	s64 drift_pct;
	u32 foreign_pct;
	u64 delay_ns;
	u32 why;
	u64 left_bytes;
	u64 epoch_bytes;
	u64 failed;
};

extern const char *const ssdqos_watch_event_names[SSDQOS_NR_WATCH_EVENTS];

#endif /* SSDQOS_RULES_EVENT_H */
