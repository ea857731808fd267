/* SPDX-License-Identifier: GPL-2.0 */
/*
 * print.h - what a mirror says of itself: rows of the status, and files of sysfs
 */
#ifndef SSDQOS_IANUS_PRINT_H
#define SSDQOS_IANUS_PRINT_H

#include "core/mirror/journal.h"
#include "core/mirror/mirror.h"

struct ianus;

/* G(name, format, value): how the mirror @x is, and its journal */
#define IANUS_GAUGES(G)							\
	G(why, "%s", ssdqos_mirror_why_names[x->mirror.why])		\
	G(cache_used_blocks, "%u", x->mirror.cache.used)		\
	G(cache_blocks, "%u", x->mirror.cache.nr)			\
	G(regions, "%u", x->mirror.regions.nr)				\
	G(stale_regions, "%u", ianus_stale_regions(x, ssdqos_mirror_stale(&x->mirror))) \
	G(lost_regions, "%u", x->mirror.lost_regions)			\
	G(broken, "%u", x->mirror.broken)				\
	G(meta_failed, "%u", !ssdqos_mirror_knows(&x->mirror))		\
	G(block_ns, "%llu", x->mirror.pace.block_ns)			\
	G(scrub, "%s", x->mirror.scrub.step == SSDQOS_MIRROR_SCRUB_OFF ? "off" : "on") \
	G(scrub_region, "%u", x->mirror.scrub.region)			\
	G(journal, "%s", ianus_journal_state(x))			\
	G(journal_blocks, "%llu", x->journal.flow.ring.area)			\
	G(journal_used_blocks, "%llu", x->journal.flow.ring.used)		\
	G(journal_needed_blocks, "%llu", x->journal.flow.ring.needed)

enum ianus_gauge {
#define G(name, ...) IANUS_GAUGE_##name,
	IANUS_GAUGES(G)
#undef G
	IANUS_NR_GAUGES,
};

extern const char *const ianus_gauge_names[IANUS_NR_GAUGES];

/* G(name, key, format, value): how member @i of the mirror @x is; @key is that of the status,
 * before the member's number
 */
#define IANUS_MEMBER_GAUGES(G)						\
	G(state, member, "%s", ianus_member_state(x, i))		\
	G(stale_regions, stale_regions, "%u",				\
	  ianus_stale_regions(x, ssdqos_mirror_stale_of(&x->mirror, i))) \
	G(errors, errors, "%llu", x->mirror.members[i].errors)		\
	G(block_ns, block_ns, "%llu", x->mirror.members[i].pace.block_ns)

enum ianus_member_gauge {
#define G(name, ...) IANUS_MEMBER_GAUGE_##name,
	IANUS_MEMBER_GAUGES(G)
#undef G
	IANUS_NR_MEMBER_GAUGES,
};

extern const char *const ianus_member_gauge_names[IANUS_NR_MEMBER_GAUGES];

/**
 * struct ianus_stats - all that is counted
 * @mirror: by the mirror
 * @journal: by the ring of its journal
 * @journal_waits: times that writes had to wait for room in it
 * @journal_replayed: records that were replayed when the mirror began
 */
struct ianus_stats {
	struct ssdqos_mirror_stats mirror;
	struct ssdqos_journal_stats journal;
	u64 journal_waits;
	u64 journal_replayed;
};

#define IANUS_NR_STATS (sizeof(struct ianus_stats) / sizeof(u64))

extern const char *const ianus_stat_names[];

int ianus_print_status(struct ianus *x, char *buf, unsigned int size);
int ianus_print_gauge(struct ianus *x, u32 gauge, char *buf, unsigned int size);
int ianus_print_member(struct ianus *x, u32 member, u32 gauge, char *buf,
		       unsigned int size);
int ianus_print_stat(struct ianus *x, u32 stat, char *buf, unsigned int size);
int ianus_print_param(struct ianus *x, u32 param, char *buf, unsigned int size);

#endif /* SSDQOS_IANUS_PRINT_H */
