/* SPDX-License-Identifier: GPL-2.0 */
/*
 * edf.h - throughput guarantees by device time: the scheduler of one drive
 *
 * Model (the paper, section 4.2).  A request costs e nanoseconds of device
 * time, from the drive's profile.  A stream with a guarantee owns the part u
 * of the device time.  Its next request may start at S and has to be done by
 *
 *	D = S + e / u,		S = D of its request before
 *
 * and of the requests that may start, the one with the earliest deadline goes
 * to the drive first, as long as the drive has less than its queue depth.
 *
 * A request whose S is not over yet is *ahead* of the guarantee.  It goes when
 * nobody is owed anything, as *spare* time, which all who wait share by weight
 * (start-time fair queueing in device time: V = V + e / weight), and who used what
 * others left does not pay for it later.  With mode strict nobody runs ahead.
 *
 * Streams without a guarantee (best effort) share spare time, and together own a
 * small part of the device time (all that is not reserved with mode strict), which
 * they share as they do spare time, but by an X of its own: who had little of that is
 * not to have all of this.
 *
 * Idle rule: a stream that begins to wait has S = max(S, now - credit), or, if
 * the drive is behind with what it owes others, no more than they are behind.
 * So nobody saves up idle time, nor waits behind others' debts.  The same holds
 * when a maximum lets a stream go on, and for V (spare.c).  What the rule cuts off
 * although the client asked for it (asking.c; the drive stood still) stays *owed*, for
 * one window at most: it comes first in spare time, and is neither paced nor weighed.
 *
 * Nor is anything made up for that is longer ago than the longest window: after an
 * hour in which the drive was slow, it would take all that others could have.
 *
 * A drive that stops at the end of a window leaves no time to catch up in.  So an
 * owner may do its part of it early, or gets more of spare time if its windows
 * slide (lead.c).
 *
 * A drive that is full of spare work makes an owner's request wait in the
 * drive, and a client with few requests at a time then falls behind although
 * it goes first.  So spare work is *paced*: its rate is halved when an owner
 * that has nothing waiting here is behind, and grows again when none is
 * (pace.c), but not to where a promise breaks (budget.c).  If that is not enough,
 * other owners fill it, and the drive gets fewer requests at a time (depth.c).
 *
 * Requests of one class may go in a row, where a drive is faster for that
 * (batch.c).  An upper limit (rate and burst) holds a request back before all that.
 *
 * Urgent requests (flush, metadata, swap) hold others up when they wait.  They
 * are the first of their stream, and go before its turn as long as few have: the
 * drive has so many of them at the most, which leaves slots for who is owed, and
 * their client's rights and other requests pay for it (urgent.c).  Beyond that
 * they lose their priority over other clients only.
 *
 * A stream's requests wait in lists: urgent ones, reads, all others (waiting.c).
 *
 * States of a stream that has requests waiting; a heap each, O(log streams):
 *
 *	limited   its limit says not yet; ordered by when
 *	early     S is not over yet; ordered by S
 *	ready     S is over; ordered by D
 *	spare     may take spare time; ordered by V    (with early or ready)
 *	effort    has no guarantee; ordered by X       (with spare)
 *
 * The caller serialises, owns the memory of requests and streams, and gives
 * the time, which never goes back.  Nothing here sleeps, except where said.
 */
#ifndef SSDQOS_QOS_EDF_H
#define SSDQOS_QOS_EDF_H

#include "../engine/evq.h"
#include "../engine/hist.h"
#include "../rules/config.h"
#include "answer.h"
#include "asking.h"
#include "budget.h"
#include "catch_up.h"
#include "debt.h"
#include "depth.h"
#include "load.h"
#include "pace.h"
#include "profile.h"
#include "slump.h"
#include "watch.h"

/* What a request is. */
enum ssdqos_edf_kind {
	SSDQOS_EDF_KIND_READ,
	SSDQOS_EDF_KIND_WRITE,
	SSDQOS_EDF_KIND_DISCARD,	/* costs by the profile, or as the smallest write */
	SSDQOS_EDF_KIND_FLUSH,
	SSDQOS_EDF_NR_KINDS,
};

/* Flags of a request. */
#define SSDQOS_EDF_FLAG_URGENT 1u	/* metadata, swap, flush: others wait for it */
#define SSDQOS_EDF_FLAG_NO_CACHE 2u	/* the drive keeps what it has written */
#define SSDQOS_EDF_FLAG_COST 4u		/* a discard: @cost_ns is known */
#define SSDQOS_EDF_FLAG_FLUSHED 8u	/* a write: the drive is flushed behind it */

/* E(name, text): why a request went to the drive; trace events print the text */
#define SSDQOS_EDF_DECISIONS(E)						\
	E(NONE, "none")							\
	E(RESERVED, "reserved")		/* time of its guarantee */	\
	E(OWED, "owed")			/* what comes first of spare time */ \
	E(SPARE, "spare")		/* time nobody is owed */	\
	E(BEST_EFFORT, "best_effort")	/* time kept for all without */	\
	E(URGENT, "urgent")		/* before its turn (urgent.c) */

enum ssdqos_edf_decision {
#define E(name, text) SSDQOS_EDF_##name,
	SSDQOS_EDF_DECISIONS(E)
#undef E
	SSDQOS_EDF_NR_DECISIONS,
};

/* E(name, text): why a stream's first request waits */
#define SSDQOS_EDF_REASONS(E)						\
	E(NOTHING, "none")						\
	E(DEPTH, "depth")		/* the drive has all it gets */	\
	E(DEADLINE, "deadline")		/* others come first */		\
	E(LIMIT, "limit")		/* its maximum */		\
	E(STRICT, "strict")		/* ahead, with mode strict */	\
	E(PACE, "pace")			/* spare work, and an owner is behind */ \
	E(URGENT_CAP, "urgent_cap")	/* enough went before their turn */ \
	E(URGENT_DEBT, "urgent_debt")	/* its client pays for such ones yet */ \
	E(DEBT, "debt")			/* a spare write, as fast as the drive bears */

enum ssdqos_edf_reason {
#define E(name, text) SSDQOS_EDF_WAITS_##name,
	SSDQOS_EDF_REASONS(E)
#undef E
	SSDQOS_EDF_NR_REASONS,
};

/* What ssdqos_edf_submit() says. */
enum ssdqos_edf_verdict {
	SSDQOS_EDF_GO,		/* goes to the drive now */
	SSDQOS_EDF_WAIT,	/* comes out of ssdqos_edf_next() later */
};

/**
 * enum ssdqos_edf_outcome - what became of a request that went to the drive
 * @SSDQOS_EDF_DONE: what it asked for
 * @SSDQOS_EDF_FAILED: an error; charged, but nothing that was promised
 * @SSDQOS_EDF_REFUSED: the drive never had it, its client will try again; what
 *	it was charged is given back
 */
enum ssdqos_edf_outcome {
	SSDQOS_EDF_DONE,
	SSDQOS_EDF_FAILED,
	SSDQOS_EDF_REFUSED,
};

struct ssdqos_edf_stream;

/**
 * struct ssdqos_edf_req - a request; the caller's memory
 * @next: the stream's next one that waits
 * @stream: whose
 * @queued_ns: when it came
 * @sent_ns: when it went to the drive
 * @deadline_ns: D, of a request that went by its guarantee
 * @clock_ns: the drive's clock when it went (watch.h)
 * @own_ns: what S of its client, or of all without a guarantee, was moved by
 * @owed_ns: what was owed to its client and paid for it
 * @more_ns: what its client's lead got for it, or less than 0, what it cost (lead.c)
 * @cost_ns: device time that it is charged
 * @bytes: size
 * @kind: enum ssdqos_edf_kind
 * @op: enum ssdqos_qos_op whose costs it has
 * @pattern: enum ssdqos_qos_pattern, as detected
 * @decision: enum ssdqos_edf_decision
 * @reason: of an urgent one that waits: enum ssdqos_edf_reason
 * @urgent: others wait for it
 * @saturated: the drive had enough to do when it went
 * @paced: spare work that counts for the pace
 */
struct ssdqos_edf_req {
	struct ssdqos_edf_req *next;
	struct ssdqos_edf_stream *stream;
	u64 queued_ns;
	u64 sent_ns;
	u64 deadline_ns;
	u64 clock_ns;
	u64 own_ns;
	u64 owed_ns;
	s64 more_ns;
	u32 cost_ns;
	u32 bytes;
	u8 kind;
	u8 op;
	u8 pattern;
	u8 decision;
	u8 reason;
	bool urgent;
	bool saturated;
	bool paced;
};

/* What waits of a stream; the first list comes first. */
enum ssdqos_edf_list_id {
	SSDQOS_EDF_LIST_URGENT,
	SSDQOS_EDF_LIST_READ,
	SSDQOS_EDF_LIST_OTHER,
	SSDQOS_EDF_NR_LISTS,
};

/**
 * struct ssdqos_edf_list - requests that wait, in the order in which they came
 * @first: the one that waits longest
 * @last: the one that waits shortest
 * @passed: how many of other lists went before it since it had a turn
 */
struct ssdqos_edf_list {
	struct ssdqos_edf_req *first;
	struct ssdqos_edf_req *last;
	u32 passed;
};

/* S(name, unit, help): counters of a stream */
#define SSDQOS_EDF_STATS(S)						\
	S(reads, "requests", "reads completed")				\
	S(writes, "requests", "writes completed")			\
	S(discards, "requests", "discards completed")			\
	S(flushes, "requests", "flushes completed")			\
	S(read_bytes, "bytes", "read")					\
	S(write_bytes, "bytes", "written")				\
	S(failed, "requests", "that ended with an error")		\
	S(refused, "requests", "that the device below did not take")	\
	S(dispatched_reserved, "requests", "sent in the time of the guarantee, or owed") \
	S(dispatched_spare, "requests", "sent in time that nobody was owed") \
	S(dispatched_best_effort, "requests", "sent in the time kept for all without") \
	S(dispatched_urgent, "requests", "flushes, metadata, swap, sent before their turn") \
	S(urgent_waited, "requests", "flushes, metadata, swap that had to wait all the same") \
	S(waited, "requests", "that had to wait")			\
	S(limited, "times", "a request was held back by the maximum")	\
	S(charged_ns, "ns", "device time by the profile")		\
	S(observed_ns, "ns", "device time as seen")			\
	S(windows, "windows", "of the guarantee that have passed")	\
	S(windows_met, "windows", "in which the guarantee was met")	\
	S(windows_missed, "windows", "in which it was not")		\
	S(windows_idle, "windows", "in which the client asked for less") \
	SSDQOS_MISS_WHYS(SSDQOS_EDF_MISS_STAT, S)

/* A reason for a missed window is a counter, too. */
#define SSDQOS_EDF_MISS_STAT(S, NAME, name, text)			\
	S(missed_##name, "windows", text)

struct ssdqos_edf_stats {
#define S(name, ...) u64 name;
	SSDQOS_EDF_STATS(S)
#undef S
};

#define S(name, ...) + 1
enum { SSDQOS_EDF_NR_STATS = 0 SSDQOS_EDF_STATS(S) };
#undef S

/* The ends of the last requests, to recognise this many sequential tracks. */
#define SSDQOS_EDF_TRACKS 4

/**
 * struct ssdqos_edf_stream - a client of the drive; the caller's memory
 * @edf: the drive
 * @next: in the drive's list
 * @id: its number in the heaps
 * @cfg: what it was promised
 * @util_ppm: part of the device time that it owns
 * @promised_ppm: of that, what was promised; the rest is margin
 * @promise_cost_ns: cost of a request of its declared class
 * @slow_permille: how much more its requests take with fewer at a time (depth.c)
 * @costs: by class and size
 * @spare: its place in spare time: enum ssdqos_edf_spare, SSDQOS_EDF_NR_SPARES
 *	if it has none
 * @lists: requests that wait (waiting.c)
 * @first: the one of them that goes next
 * @queued: how many wait
 * @in_flight: how many the drive has
 * @discards: of both
 * @draining: limits don't count, the stream is being suspended
 * @start_ns: S, the idle rule not yet applied
 * @lead_ns: a stop of the drive that each window is to bear (lead.c)
 * @lead_seen_ns: of that, what it knows without having missed a window
 * @lag_ns: the longest that it was late, in the window so far
 * @more_ns: M, spare time that it may take for that before others do
 * @withheld_parts: parts of windows that end yet and lie in one in which nothing was
 *	granted to it, since that was in others' way
 * @budget: how many windows it may still miss
 * @slump: windows that are missed in a row
 * @catch_up: what its windows can make up for
 * @owed_ns: time that the idle rule cut off, and the drive owes
 * @asking: for how much of its promise it asks
 * @paused_ns: of the time since S, what the client did not ask for (asking.c)
 * @late_since_ns: when it was found late, and still is, moved on by pauses; or 0
 * @self_limited: it lacks something by its own doing (self_limited.c)
 * @piece_bytes: its largest reads and writes that go to the drive in one piece;
 *	read without serialisation: what is larger is cut before it comes
 * @virtual_ns: V
 * @effort_ns: X
 * @held_ns: W: V of its writes that wait for a debt (spare.c)
 * @held_heap: for which one they did last
 * @done_ns: when its last request was completed
 * @is_there: its guarantee counts for the debt
 * @is_back: no window has counted since it was away and others wrote (away.c)
 * @has_come: in this step of the debt, so for how much it asks is not known (lend.c)
 * @lends: no window has counted since it asked for less than it owns (lend.c)
 * @asked_ppm: for so much of it, lately
 * @step_work_ns: costs of what was completed in this step of the debt
 * @step_idle_ns: time of that step for which it did not ask (asking.c)
 * @limit_iops_ns: time at which the rate so far would have been the maximum
 * @limit_bytes_ns: the same for bytes
 * @urgent_limit_ns: likewise, of what went before its turn only
 * @urgent_paid_ns: when what the stream owns will have paid for that
 * @track: sectors at which a sequential request would go on, by operation
 * @oldest_track: of @track, to be replaced next
 * @discard_track: the sector at which a sequential discard would go on
 * @watch: is the promise kept?
 * @part_sums: at the begin of each part of its window
 * @missed_why: of the last window that was missed
 * @stats: counters
 * @queue_hist: time that requests waited here
 * @device_hist: time that the drive took
 * @total_hist: both
 */
struct ssdqos_edf_stream {
	struct ssdqos_edf *edf;
	struct ssdqos_edf_stream *next;
	u32 id;
	struct ssdqos_qos_stream_config cfg;
	u32 util_ppm;
	u32 promised_ppm;
	u32 promise_cost_ns;
	u32 slow_permille[SSDQOS_LOAD_DEPTHS];
	struct ssdqos_cost_table costs;
	u32 spare;
	struct ssdqos_edf_list lists[SSDQOS_EDF_NR_LISTS];
	struct ssdqos_edf_req *first;
	u32 queued;
	u32 in_flight;
	u32 discards;
	bool draining;
	u64 start_ns;
	u64 lead_ns;
	u64 lead_seen_ns;
	u64 lag_ns;
	s64 more_ns;
	u32 withheld_parts;
	struct ssdqos_budget budget;
	struct ssdqos_slump slump;
	struct ssdqos_catch_up catch_up;
	u64 owed_ns;
	struct ssdqos_asking asking;
	u64 paused_ns;
	u64 late_since_ns;
	bool self_limited;
	u32 piece_bytes;
	u64 virtual_ns;
	u64 effort_ns;
	u64 held_ns;
	u32 held_heap;
	u64 done_ns;
	bool is_there;
	bool is_back;
	bool has_come;
	bool lends;
	u32 asked_ppm;
	u64 step_work_ns;
	u64 step_idle_ns;
	u64 limit_iops_ns;
	u64 limit_bytes_ns;
	u64 urgent_limit_ns;
	u64 urgent_paid_ns;
	u64 track[SSDQOS_QOS_NR_OPS][SSDQOS_EDF_TRACKS];
	u8 oldest_track[SSDQOS_QOS_NR_OPS];
	u64 discard_track;
	struct ssdqos_watch watch;
	struct ssdqos_miss_sums part_sums[SSDQOS_WATCH_PARTS];
	u32 missed_why;
	struct ssdqos_edf_stats stats;
	struct ssdqos_hist queue_hist;
	struct ssdqos_hist device_hist;
	struct ssdqos_hist total_hist;
};

/* What goes in one batch (batch.c). */
enum ssdqos_edf_class {
	SSDQOS_EDF_CLASS_NONE,
	SSDQOS_EDF_CLASS_READ,
	SSDQOS_EDF_CLASS_WRITE_RAND,
	SSDQOS_EDF_CLASS_WRITE_SEQ,
};

/**
 * struct ssdqos_batch - requests of one class in a row
 * @class: enum ssdqos_edf_class; NONE if there is no batch
 * @until_ns: its end
 * @under_way_ns: costs of what the drive has
 * @cut: the next request goes because an owner would lack time
 */
struct ssdqos_batch {
	u32 class;
	u64 until_ns;
	u64 under_way_ns;
	bool cut;
};

/* What spare work waits for, besides its turn (spare.c). */
enum ssdqos_edf_spare {
	SSDQOS_EDF_SPARE_FREE,	/* nothing */
	SSDQOS_EDF_SPARE_PACED,	/* the pace */
	SSDQOS_EDF_SPARE_HELD,	/* the debt, and the pace unless it is for it */
	SSDQOS_EDF_SPARE_ORDER,	/* likewise, and others that were written in order */
	SSDQOS_EDF_SPARE_URGENT, /* the pace, and the debt of what is urgent */
	SSDQOS_EDF_NR_SPARES,
};

/**
 * struct ssdqos_edf - a drive; fields are private, but for @configured
 * @cfg: how it is run
 * @profile: its costs, or NULL
 * @streams: all, newest first
 * @by_id: the streams by number
 * @limited: see the opening comment
 * @early: likewise; the group of streams without a guarantee has a number, too
 * @ready: likewise
 * @spare: likewise
 * @effort: likewise
 * @load: what the guarantees take
 * @nr_streams: number of streams
 * @nr_rules: streams that have a guarantee, a limit or a weight of their own
 * @queued: requests that wait
 * @in_flight: requests that the drive has
 * @urgent_in_flight: those of them that went before their turn
 * @came_ns: when the last request came
 * @looked_ns: when all streams were looked at, as none came
 * @away_ns: when no owner was found that has any
 * @last_start_ns: S of the last request that went by a guarantee
 * @last_virtual_ns: V of the last one that went in spare time
 * @last_held_ns: likewise, W of the last write that would wait for a debt
 * @longest_ns: the longest window of a guarantee; SSDQOS_NEVER_NS if there is none
 * @last_effort_ns: X of the last one that went in the time of those without a guarantee
 * @group_start_ns: S of the streams without a guarantee
 * @group_ppm: what they own together
 * @group_urgent_paid_ns: when that will have paid for what went before its turn
 * @pace: of spare work
 * @depth: how many requests it gets at a time
 * @debt: of spare writes
 * @batch: of one class
 * @drift: does the profile still hold?
 * @work_ns: costs of all that was done
 * @urgent_ns: of that, of what went before its turn
 * @saturated_ns: for which the drive had at least half of its queue depth
 * @foreign: does somebody else write?
 * @configured: there is something to do; if not, requests may bypass
 * @overcommitted: more device time is promised than there is
 */
struct ssdqos_edf {
	struct ssdqos_qos_drive_config cfg;
	struct ssdqos_profile *profile;
	struct ssdqos_edf_stream *streams;
	struct ssdqos_edf_stream **by_id;
	struct ssdqos_evq limited;
	struct ssdqos_evq early;
	struct ssdqos_evq ready;
	struct ssdqos_evq spare[SSDQOS_EDF_NR_SPARES];
	struct ssdqos_evq effort;
	struct ssdqos_edf_load load;
	u32 nr_streams;
	u32 nr_rules;
	u32 queued;
	u32 in_flight;
	u32 urgent_in_flight;
	u64 came_ns;
	u64 looked_ns;
	u64 away_ns;
	u64 last_start_ns;
	u64 last_virtual_ns;
	u64 last_held_ns;
	u64 longest_ns;
	u64 last_effort_ns;
	u64 group_start_ns;
	u32 group_ppm;
	u64 group_urgent_paid_ns;
	struct ssdqos_pace pace;
	struct ssdqos_depth depth;
	struct ssdqos_debt debt;
	struct ssdqos_batch batch;
	struct ssdqos_drift drift;
	u64 work_ns;
	u64 urgent_ns;
	u64 saturated_ns;
	struct ssdqos_foreign foreign;
	bool configured;
	bool overcommitted;
};

struct ssdqos_edf_change;

struct ssdqos_edf *ssdqos_edf_create(void);
void ssdqos_edf_destroy(struct ssdqos_edf *edf);

int ssdqos_edf_add(struct ssdqos_edf *edf, struct ssdqos_edf_stream *s,
		   u64 now_ns, char *err, u32 err_size);
void ssdqos_edf_remove(struct ssdqos_edf_stream *s);
struct ssdqos_edf_stream *ssdqos_edf_at(const struct ssdqos_edf *edf, u32 id);
int ssdqos_edf_admit(const struct ssdqos_edf *edf,
		     const struct ssdqos_edf_stream *self,
		     const struct ssdqos_qos_config *cfg,
		     struct ssdqos_edf_answer *answer, char *err, u32 err_size);
int ssdqos_edf_answer_format(const struct ssdqos_edf_answer *a, char *buf,
			     u32 size);
int ssdqos_edf_check(const struct ssdqos_edf_stream *s,
		     const struct ssdqos_qos_config *cfg, char *err,
		     u32 err_size);
int ssdqos_edf_set(struct ssdqos_edf_stream *s,
		   const struct ssdqos_qos_config *cfg, u64 now_ns, char *err,
		   u32 err_size);
int ssdqos_edf_set_profile(struct ssdqos_edf *edf,
			   struct ssdqos_profile **profile, u64 now_ns,
			   char *err, u32 err_size);
int ssdqos_edf_prepare_set(struct ssdqos_edf_stream *s,
			   const struct ssdqos_qos_config *cfg,
			   struct ssdqos_edf_change **change, char *err,
			   u32 err_size);
int ssdqos_edf_prepare_profile(struct ssdqos_edf *edf,
			       struct ssdqos_profile *profile,
			       struct ssdqos_edf_change **change, char *err,
			       u32 err_size);
struct ssdqos_profile *ssdqos_edf_commit(const struct ssdqos_edf_change *c,
					 u64 now_ns);
const struct ssdqos_qos_drive_config *
ssdqos_edf_changed_drive(const struct ssdqos_edf_change *c);
void ssdqos_edf_end_change(struct ssdqos_edf_change *c);
void ssdqos_edf_drain(struct ssdqos_edf_stream *s, bool draining, u64 now_ns);

enum ssdqos_edf_verdict ssdqos_edf_submit(struct ssdqos_edf_stream *s,
					  struct ssdqos_edf_req *req,
					  u64 sector, u32 flags, u64 now_ns);
struct ssdqos_edf_req *ssdqos_edf_next(struct ssdqos_edf *edf, u64 now_ns);
u64 ssdqos_edf_wake_ns(const struct ssdqos_edf *edf);
u32 ssdqos_edf_complete(struct ssdqos_edf_req *req,
			enum ssdqos_edf_outcome outcome, u64 now_ns,
			struct ssdqos_watch_event *events);
u32 ssdqos_edf_tick(struct ssdqos_edf_stream *s, u64 now_ns,
		    struct ssdqos_watch_event *events);
u32 ssdqos_edf_disk_wrote(struct ssdqos_edf *edf, u64 sectors, u64 now_ns,
			  struct ssdqos_watch_event *events);

enum ssdqos_edf_reason ssdqos_edf_why(const struct ssdqos_edf_stream *s,
				      u64 now_ns);
void ssdqos_edf_reset_stats(struct ssdqos_edf_stream *s);
u64 ssdqos_edf_used_ppm(const struct ssdqos_edf *edf);
u64 ssdqos_edf_free_ppm(const struct ssdqos_edf *edf);
u64 ssdqos_edf_spare_write_ppm(const struct ssdqos_edf *edf);
bool ssdqos_edf_take_debt_change(struct ssdqos_edf *edf, u64 now_ns,
				 struct ssdqos_debt_change *change);

/**
 * ssdqos_edf_is_full - has the drive all the requests that it may have?
 * @edf: the drive
 *
 * Urgent requests that went before their turn leave a slot for the others.
 */
static inline bool ssdqos_edf_is_full(const struct ssdqos_edf *edf)
{
	return edf->in_flight >= edf->depth.now &&
	       edf->in_flight > edf->urgent_in_flight;
}

/**
 * ssdqos_edf_may_go - might a request go before another one ends?
 * @edf: the drive
 *
 * Cheap, for those who else would call ssdqos_edf_next() in vain with each
 * request.
 */
static inline bool ssdqos_edf_may_go(const struct ssdqos_edf *edf)
{
	return edf->queued && !ssdqos_edf_is_full(edf);
}

extern const char *const ssdqos_edf_decision_names[SSDQOS_EDF_NR_DECISIONS];
extern const char *const ssdqos_edf_reason_names[SSDQOS_EDF_NR_REASONS];
extern const char *const ssdqos_edf_stat_names[SSDQOS_EDF_NR_STATS];

#endif /* SSDQOS_QOS_EDF_H */
