/* SPDX-License-Identifier: GPL-2.0 */
/*
 * trim.h - discards that help instead of hurting (trim.c)
 */
#ifndef SSDQOS_TRIM_TRIM_H
#define SSDQOS_TRIM_TRIM_H

#include "ranges.h"

/* Discards under way at a time: drives do them one after the other, mostly. */
#define SSDQOS_TRIM_MAX_DEPTH 32u

/* The drive is quiet when nobody has sent it anything for so long: the time of
 * some ten requests, and of two of the smallest discards.
 */
#define SSDQOS_TRIM_QUIET_NS 20000000ULL

/* What one takes until some have been seen, where no profile says it: they take
 * 0.4 to 10 ms.
 */
#define SSDQOS_TRIM_FIRST_COST_NS 1000000u
/* One that took longer had others' work to wait for. */
#define SSDQOS_TRIM_MAX_COST_NS 100000000ULL

/* So many in a row that fail are no accident: somebody should hear of it. */
#define SSDQOS_TRIM_FAILING 8u

/* E(NAME, text): why a discard is sent now; trace events print the text */
#define SSDQOS_TRIM_WHYS(E)						\
	E(IDLE, "idle")		/* nobody else has requests */		\
	E(AGE, "age")		/* something has waited for too long */	\
	E(MEMORY, "memory")	/* there is hardly room for more */	\
	E(FLUSH, "flush")	/* all shall go */

enum ssdqos_trim_why {
#define E(name, text) SSDQOS_TRIM_##name,
	SSDQOS_TRIM_WHYS(E)
#undef E
	SSDQOS_NR_TRIM_WHYS,
};

extern const char *const ssdqos_trim_why_names[SSDQOS_NR_TRIM_WHYS];

/* S(name, unit, help): what a batcher has done */
#define SSDQOS_TRIM_STATS(S)						\
	S(taken, "requests", "discards that were answered at once")	\
	S(taken_sectors, "sectors", "what they covered")		\
	S(passed, "requests",						\
	  "discards that went as they came, for want of memory or during a flush") \
	S(cut_sectors, "sectors", "sectors that were written before their discard was sent") \
	S(sent, "requests", "discards that were sent")			\
	S(sent_sectors, "sectors", "what they covered")			\
	S(failed, "requests", "of them, that ended with an error")	\
	S(held, "requests", "writes that waited for a discard under way") \
	S(small_sectors, "sectors", "sectors that were left out, in ranges that stayed too small") \
	S(lost_sectors, "sectors", "sectors that were left out for want of memory")

struct ssdqos_trim_stats {
#define S(name, ...) u64 name;
	SSDQOS_TRIM_STATS(S)
#undef S
};

#define S(name, ...) + 1
enum { SSDQOS_NR_TRIM_STATS = 0 SSDQOS_TRIM_STATS(S) };
#undef S

extern const char *const ssdqos_trim_stat_names[SSDQOS_NR_TRIM_STATS];

/**
 * struct ssdqos_trim_config - of a drive
 * @max_age_ns: a discard is sent after this time at the latest
 * @min_sectors: ranges that stay smaller are left out; 0: none
 * @max_sectors: of one discard, as the drive takes it
 * @granule: sectors; the drive can do nothing with less
 * @align: first sector of any granule
 * @depth: discards under way at a time
 * @max_ranges: memory
 */
struct ssdqos_trim_config {
	u64 max_age_ns;
	u64 min_sectors;
	u64 max_sectors;
	u64 granule;
	u64 align;
	u32 depth;
	u32 max_ranges;
};

/**
 * struct ssdqos_trim_run - a discard to send
 * @start: the first sector
 * @end: the one behind the last; 0: this run is free
 * @since_ns: when the oldest part of it came
 * @area: whose it is
 * @why: enum ssdqos_trim_why
 */
struct ssdqos_trim_run {
	u64 start;
	u64 end;
	u64 since_ns;
	u32 area;
	u32 why;
};

/**
 * struct ssdqos_trim - the batcher of a drive
 * @cfg: as it was given
 * @waiting: what is to be discarded
 * @under_way: what is being discarded
 * @nr_under_way: how many
 * @cursor: from here on the next one is looked for, upwards
 * @sweeping: all goes, from below to above
 * @relieving: the oldest go, until there is room
 * @flushing: what lies from @flush_start to @flush_end goes, and what comes there is
 *	not taken
 * @flush_start: the first sector
 * @flush_end: the one behind the last
 * @quiet: nobody has sent the drive anything for a while
 * @seen_requests: what others had sent when it was last looked at
 * @seen_ns: when that number was a new one
 * @sent_ns: when the last discard went
 * @failed: so many ended with an error, one after the other
 * @cost_ns: what a discard takes the drive, on average
 * @stats: what it has done
 */
struct ssdqos_trim {
	struct ssdqos_trim_config cfg;
	struct ssdqos_ranges waiting;
	struct ssdqos_trim_run under_way[SSDQOS_TRIM_MAX_DEPTH];
	u32 nr_under_way;
	u64 cursor;
	bool sweeping;
	bool relieving;
	bool flushing;
	u64 flush_start;
	u64 flush_end;
	bool quiet;
	u64 seen_requests;
	u64 seen_ns;
	u64 sent_ns;
	u32 failed;
	u32 cost_ns;
	struct ssdqos_trim_stats stats;
};

/**
 * ssdqos_trim_is_empty - does nothing wait, and is nothing under way?
 * @t: the batcher
 *
 * Context: any; without the caller's lock it is what was so a moment ago.
 */
static inline bool ssdqos_trim_is_empty(const struct ssdqos_trim *t)
{
	return !t->waiting.nr && !t->nr_under_way;
}

/**
 * ssdqos_trim_is_failing - does the drive refuse what it is sent?
 * @t: the batcher
 *
 * Context: caller serialises.
 */
static inline bool ssdqos_trim_is_failing(const struct ssdqos_trim *t)
{
	return t->failed >= SSDQOS_TRIM_FAILING;
}

int ssdqos_trim_init(struct ssdqos_trim *t,
		     const struct ssdqos_trim_config *cfg);
void ssdqos_trim_exit(struct ssdqos_trim *t);
u64 ssdqos_trim_take(struct ssdqos_trim *t, u32 area, u64 start, u64 end,
		     u64 now_ns);
u64 ssdqos_trim_cut(struct ssdqos_trim *t, u64 start, u64 end);
bool ssdqos_trim_holds(const struct ssdqos_trim *t, u64 start, u64 end);
void ssdqos_trim_see(struct ssdqos_trim *t, u64 requests, bool busy, u64 now_ns);
bool ssdqos_trim_may_ask(const struct ssdqos_trim *t, u32 asked);
bool ssdqos_trim_wants(struct ssdqos_trim *t, u64 now_ns);
struct ssdqos_trim_run *ssdqos_trim_next(struct ssdqos_trim *t, u64 now_ns);
void ssdqos_trim_done(struct ssdqos_trim *t, struct ssdqos_trim_run *run,
		      u64 took_ns, bool failed);
void ssdqos_trim_flush(struct ssdqos_trim *t, u64 start, u64 end);
void ssdqos_trim_end_flush(struct ssdqos_trim *t);
bool ssdqos_trim_has(const struct ssdqos_trim *t, u64 start, u64 end);
u64 ssdqos_trim_forget(struct ssdqos_trim *t, u64 start, u64 end);
u64 ssdqos_trim_wake_ns(const struct ssdqos_trim *t);

#endif /* SSDQOS_TRIM_TRIM_H */
