/* SPDX-License-Identifier: GPL-2.0 */
/*
 * ready.h - a drive that lasts as long as promised: write throttling (READY)
 *
 * Model (lee-dissertation, chapter 5).  A drive can take C bytes until it is
 * worn out, and shall last until T.  Time is cut into epochs of u windows of
 * ten minutes.  At the begin of an epoch, what is left of C is shared out by
 * time,
 *
 *	c = C_left * F / T_left			F = length of the epoch
 *
 * and it is expected that as much will be written as in the one before, W.
 * Every page (write element) that is written is delayed by d, which changes by
 *
 *	F * (W / c - 1) / m	if W > c	(5.6)	m = c / page
 *	-F * (c / W - 1) / m	if W < c	(5.7)
 *
 * so that a drive looks a little slower all the time, rather than now and then
 * very slow.  Pages of a stream are delayed one after the other, as in Figure
 * 30: the drive is slower, and not just further away.
 *
 * While writes stop (below), less is written than was wanted, and a delay for
 * what was written would leave it at stops.  So W is what would have been
 * written without: W * F / (F - stopped).  The paper has no such correction.
 *
 * If the expectation was wrong, c is enforced (section 5.4.3): an epoch has
 * periods of one second; by the end of the p-th one, of n, at most c * p / n
 * may have been written, and *ready_opt* lends a tenth of what is left for
 * later epochs beyond that.  Who borrowed lives on 0.9 * c, and borrows what
 * is not shared out with that, until an epoch has got along with its own.
 * Writes that are more than that *stop*: they wait here, before the scheduler,
 * for a later period.
 *
 * Epoch length (section 5.4.4): when an expectation was wrong by more than 25 %
 * three times in a row, the length is taken for which the writes of the past
 * changed least from epoch to epoch (5.8).
 *
 * C comes from the endurance, and grows as cells recover (recovery.h) with the
 * policies ready_pes, ready_opt and horizon.  *static* is a fixed rate C / T,
 * what a second does not use being lost; *dynamic* is ready_opt without
 * recovery; *horizon* delays by what the life so far has spent
 * (horizon.c), and stops nothing.
 *
 * Who has stopped for drive_max_stop_s goes at the floor's rate: half a minute
 * is what a disk may take for a request until Linux calls it hung, and a file
 * system that can't be unmounted until the drive is five years old is no gain.
 *
 * Priority (section 7.2.3): streams with a smaller delay_weight get a smaller
 * part of d, and the others so much more that the mean over the last epoch's
 * pages is d.  A stream with weight 0 is not delayed, and stops only when the
 * epoch has nothing left; it is the others that then stop earlier.
 *
 * What a write is charged: its bytes times the write amplification if the
 * endurance is that of the flash, its bytes if it is given in what hosts write.
 * Wear reports correct it: the flash below knows better.  They correct what is
 * used, not what is expected.  A flash programs in bursts, when its buffer is
 * full or it has to collect, and SMART tells of hours at once; W is what hosts
 * wrote, times the write amplification, which is a mean.
 *
 * Time here is *life* time: time_scale times as fast as the caller's clock.
 * It begins when the drive's endurance is first given, goes on while the drive
 * is not in use, and is part of the saved state.
 *
 * Nothing that waits for a flush, metadata or swap stops; it is charged.  So
 * that it does not overdraw what is left, others leave it twice the most that
 * such writes took in an eighth of the last window, for a burst may come just
 * before T; no budget shares that out.  Reads do not come here at all.
 *
 * The caller serialises, owns the memory of requests and streams, and gives
 * the time, which never goes back.  Nothing here sleeps, except where said.
 */
#ifndef SSDQOS_READY_READY_H
#define SSDQOS_READY_READY_H

#include "../engine/evq.h"
#include "../rules/config.h"
#include "../rules/event.h"
#include "recovery.h"

/* A write element (section 5.3.2). */
#define SSDQOS_READY_PAGE_BYTES 4096u

/* Eight weeks of ten minutes: a load that repeats weekly is seen eight times. */
#define SSDQOS_READY_HISTORY 8064u
/* Sums of it, from nothing to all. */
#define SSDQOS_READY_NR_SUMS (SSDQOS_READY_HISTORY + 1)

/* E(name, text): why the delay is what it is; trace events print the text */
#define SSDQOS_READY_WHYS(E)						\
	E(OFF, "off")			/* no policy, or no endurance */ \
	E(FIRST, "first_epoch")		/* nothing to expect yet */	\
	E(ENOUGH, "within_budget")	/* no delay is needed */	\
	E(MORE, "over_budget")		/* (5.6): it was raised */	\
	E(LESS, "under_budget")		/* (5.7): it was lowered */	\
	E(STATIC, "fixed_rate")		/* writes stop, nothing else */	\
	E(SPENT, "budget_spent")	/* nothing is left */		\
	E(REACHED, "target_reached")	/* older than promised: no limit */ \
	E(AHEAD, "ahead_of_plan")	/* horizon: something is spared */ \
	E(SPARING, "sparing")		/* horizon: less than planned is left */ \
	E(OVERDRAWN, "overdrawn")	/* horizon: by more than is allowed */

enum ssdqos_ready_why {
#define E(name, text) SSDQOS_READY_WHY_##name,
	SSDQOS_READY_WHYS(E)
#undef E
	SSDQOS_READY_NR_WHYS,
};

/* E(name, text): why a write goes, or stops */
#define SSDQOS_READY_DECISIONS(E)					\
	E(FREE, "free")			/* nothing is enforced */	\
	E(PERIOD, "period")		/* within its period */		\
	E(SPARE, "spare")		/* borrowed from later epochs */ \
	E(IMPORTANT, "important")	/* weight 0: from its epoch */	\
	E(URGENT, "urgent")		/* never stopped */		\
	E(FLOOR, "floor")		/* the rate that is always left */ \
	E(DRAIN, "drain")		/* the device is suspended */	\
	E(PLAN, "plan")			/* horizon: delayed, never stopped */ \
	E(STOP_PERIOD, "stop_period")	/* waits for the next period */	\
	E(STOP_SPENT, "stop_spent")	/* waits for the target's time */

enum ssdqos_ready_decision {
#define E(name, text) SSDQOS_READY_##name,
	SSDQOS_READY_DECISIONS(E)
#undef E
	SSDQOS_READY_NR_DECISIONS,
};

/**
 * struct ssdqos_ready_req - a write; the caller's memory
 * @next: the stream's next one that waits
 * @stream: whose
 * @bytes: size
 * @urgent: flush, metadata or swap
 * @decision: enum ssdqos_ready_decision
 * @since_ns: when it began to wait
 * @until_ns: end of its delay
 */
struct ssdqos_ready_req {
	struct ssdqos_ready_req *next;
	struct ssdqos_ready_stream *stream;
	u32 bytes;
	bool urgent;
	u8 decision;
	u64 since_ns;
	u64 until_ns;
};

/**
 * struct ssdqos_ready_list - requests in the order in which they came
 * @first: waits longest
 * @last: waits shortest
 * @nr: how many
 */
struct ssdqos_ready_list {
	struct ssdqos_ready_req *first;
	struct ssdqos_ready_req *last;
	u32 nr;
};

/* S(name, unit, help): counters of a stream */
#define SSDQOS_READY_STATS(S)						\
	S(delayed, "requests", "writes delayed for the lifetime")	\
	S(delay_ns, "ns", "of delay in all")				\
	S(stopped, "requests", "writes that waited for the budget")	\
	S(stop_ns, "ns", "that they waited in all")

struct ssdqos_ready_stats {
#define S(name, ...) u64 name;
	SSDQOS_READY_STATS(S)
#undef S
};

enum ssdqos_ready_stat {
#define S(name, ...) SSDQOS_READY_STAT_##name,
	SSDQOS_READY_STATS(S)
#undef S
	SSDQOS_READY_NR_STATS,
};

/* Where writes wait. */
enum ssdqos_ready_place {
	SSDQOS_READY_STOPPED,	/* for the budget, before the scheduler */
	SSDQOS_READY_BEFORE,	/* delayed, before the scheduler */
	SSDQOS_READY_AFTER,	/* delayed, when the drive has done them */
	SSDQOS_READY_NR_PLACES,
};

/**
 * struct ssdqos_ready_stream - a client; the caller's memory
 * @ready: the drive
 * @next: in the drive's list
 * @id: its number in the heaps
 * @delay_weight: its part of the delay, in per cent
 * @delay_ns: what a page of it is delayed now, in life time
 * @pages: written in this epoch
 * @last_pages: written in the last one
 * @release_ns: end of the last delay
 * @virtual_bytes: written, so that those who stop take turns
 * @lists: what waits, by enum ssdqos_ready_place
 * @draining: limits and delays don't count, the stream is being suspended
 * @stats: counters
 */
struct ssdqos_ready_stream {
	struct ssdqos_ready *ready;
	struct ssdqos_ready_stream *next;
	u32 id;
	u32 delay_weight;
	u64 delay_ns;
	u64 pages;
	u64 last_pages;
	u64 release_ns;
	u64 virtual_bytes;
	struct ssdqos_ready_list lists[SSDQOS_READY_NR_PLACES];
	bool draining;
	struct ssdqos_ready_stats stats;
};

/**
 * struct ssdqos_ready_source - what reports say of wear
 * @known: there was a report
 * @lost: the last one was not plausible, or none came
 * @flash_bytes: written to flash, by the last report; 0 is unknown
 * @host_bytes: written by all hosts, likewise
 * @own_bytes: what we had written by then
 * @charged_bytes: what we had charged by then
 * @waf_flash_bytes: of the running estimate of the write amplification
 * @waf_own_bytes: likewise
 * @at_ns: when it came
 */
struct ssdqos_ready_source {
	bool known;
	bool lost;
	u64 flash_bytes;
	u64 host_bytes;
	u64 own_bytes;
	u64 charged_bytes;
	u64 waf_flash_bytes;
	u64 waf_own_bytes;
	u64 at_ns;
};

/**
 * struct ssdqos_ready_epoch - an epoch and its budget; times are life time
 * @windows: length, in windows
 * @done_windows: of it
 * @start_ns: begin
 * @length_ns: F, shorter than @windows at the end of the life
 * @left_bytes: C_left at its begin
 * @capacity_bytes: c
 * @spare_bytes: what may be borrowed
 * @used_bytes: charged so far
 * @expected_bytes: W
 * @fair_bytes: c when nothing was borrowed
 * @fair_ns: F, then
 * @period_end_ns: end of the period
 * @period_bytes: what may have been charged by then
 * @delay_ns: d of the epoch before
 * @wrong: expectations in a row that were wrong
 */
struct ssdqos_ready_epoch {
	u32 windows;
	u32 done_windows;
	u64 start_ns;
	u64 length_ns;
	u64 left_bytes;
	u64 capacity_bytes;
	u64 spare_bytes;
	u64 used_bytes;
	u64 expected_bytes;
	u64 fair_bytes;
	u64 fair_ns;
	u64 period_end_ns;
	u64 period_bytes;
	u64 delay_ns;
	u32 wrong;
};

/**
 * struct ssdqos_ready_plan - what the policy "horizon" goes by; times are life
 *	time, where not said
 * @start_ns: t0, when it began
 * @start_bytes: used by then
 * @seen_ns: how long what is written has been looked at, at most some weeks
 * @seen_pages: of hosts, in that time
 * @seen_delay_ns: for which they were delayed
 * @since_ns: since when it is behind the plan, if a second of writes that are
 *	too much counts as a second
 * @look_ns: when the delay is decided again
 * @wait_ns: longest wait of a write now, by the caller's clock
 * @most_ns: longest delay of a page that leaves the floor's rate, likewise
 * @look_bytes: when so much is used, the delay is decided again
 */
struct ssdqos_ready_plan {
	u64 start_ns;
	u64 start_bytes;
	u64 seen_ns;
	u64 seen_pages;
	u64 seen_delay_ns;
	u64 since_ns;
	u64 look_ns;
	u64 wait_ns;
	u64 most_ns;
	u64 look_bytes;
};

/**
 * struct ssdqos_ready_identity - which drive it is; zeroes are unknown
 * @unique: what no other drive in the world has
 * @place: its size, or a checksum of its name; never the same for both
 */
struct ssdqos_ready_identity {
	u64 unique[2];
	u64 place;
};

/**
 * struct ssdqos_ready_clock - how old a drive is by the time of day
 * @birth_s: when its life began, in seconds since 1970; 0 is unknown
 * @powered_ns: for how long it has been watched since, in real time
 * @away_ns: for how long it has not
 * @passed_ns: life time that was taken back after it had passed
 * @begun: there was a look
 * @at_ns: the caller's time at the last look
 * @slept_ns: for how long the machine had slept then
 * @nonsense_since_ns: @powered_ns when the time of day began to make no sense
 * @nonsense: it does not
 */
struct ssdqos_ready_clock {
	u64 birth_s;
	u64 powered_ns;
	u64 away_ns;
	u64 passed_ns;
	bool begun;
	u64 at_ns;
	u64 slept_ns;
	u64 nonsense_since_ns;
	bool nonsense;
};

/**
 * struct ssdqos_ready - a drive; fields are private, but for those with (*)
 * @cfg: how it is run
 * @capacity_bytes: size of the drive, for idle times
 * @endurance_bytes: C without recovery
 * @enforcing: (*) writes have to come here
 * @counting: (*) there is a budget, so that wear is counted
 * @now_ns: the caller's time at the last call
 * @life_ns: life time then
 * @host_bytes: (*) written so far
 * @refund_bytes: counted in it, but refused by the drive: the next ones are free
 * @used_bytes: charged so far
 * @charge_rest: of the last charge, in 1/1000 bytes
 * @waf_permille: estimate of the write amplification
 * @recovery: the cells
 * @source: reports
 * @epoch: the epoch
 * @plan: of the policy "horizon"
 * @delay_ns: d, of a page, in life time
 * @why: enum ssdqos_ready_why
 * @window_bytes: charged in this window
 * @window_host_bytes: written in this window, by others, too
 * @window_burst_bytes: most that was charged in an eighth of this window for
 *	what never stops
 * @burst_bytes: the same of the last window
 * @eighth_urgent_bytes: charged in this eighth
 * @eighth: which one, in life time
 * @window_end_ns: end of the window, life time
 * @history: what hosts wrote in the last windows, in pages; a ring
 * @nr_history: how many there are
 * @next_history: where the next one goes
 * @search: (*) a better epoch length is wanted: ssdqos_ready_search()
 * @floor_ns: life time at which what was let through by the floor is due
 * @streams: all
 * @by_id: the streams by number
 * @heaps: streams with writes that wait, by enum ssdqos_ready_place; in the
 *	first one by what they have written, in the others by when a delay ends
 * @last_virtual_bytes: of the stream that last took its turn
 * @more_moves: there is more to do for ssdqos_ready_next() at once
 * @stopped_since_ns: life time at which the first one stopped
 * @stopped_ns: life time for which writes stopped in this epoch
 * @held_ns: life time for which writes were held up in this epoch
 * @held_permille: of the last epochs
 * @epochs: how many have passed
 * @good_epochs: of these, expected within 25 %
 * @rolled_windows: that were ended one by one at the last call: its cost
 * @pending: events to be told, a bit for each enum ssdqos_watch_event_kind
 * @meta_bytes: (*) written to keep this life
 * @identity: (*) which drive it is, for those who save and load
 * @clock: time of day
 * @loaded: it goes on with a life that was kept somewhere
 */
struct ssdqos_ready {
	struct ssdqos_qos_drive_config cfg;
	u64 capacity_bytes;
	u64 endurance_bytes;
	bool enforcing;
	bool counting;
	u64 now_ns;
	u64 life_ns;
	u64 host_bytes;
	u64 refund_bytes;
	u64 used_bytes;
	u32 charge_rest;
	u32 waf_permille;
	struct ssdqos_recovery recovery;
	struct ssdqos_ready_source source;
	struct ssdqos_ready_epoch epoch;
	struct ssdqos_ready_plan plan;
	u64 delay_ns;
	u32 why;
	u64 window_bytes;
	u64 window_host_bytes;
	u64 window_burst_bytes;
	u64 burst_bytes;
	u64 eighth_urgent_bytes;
	u64 eighth;
	u64 window_end_ns;
	u32 *history;
	u32 nr_history;
	u32 next_history;
	bool search;
	u64 floor_ns;
	struct ssdqos_ready_stream *streams;
	struct ssdqos_ready_stream **by_id;
	struct ssdqos_evq heaps[SSDQOS_READY_NR_PLACES];
	u64 last_virtual_bytes;
	bool more_moves;
	u64 stopped_since_ns;
	u64 stopped_ns;
	u64 held_ns;
	u64 held_permille;
	u64 epochs;
	u64 good_epochs;
	u32 rolled_windows;
	u32 pending;
	u64 meta_bytes;
	struct ssdqos_ready_identity identity;
	struct ssdqos_ready_clock clock;
	bool loaded;
};

/* G(name, unit, help): what a drive shows, all from ssdqos_ready_look() */
#define SSDQOS_READY_GAUGES(G)						\
	G(life_age_s, "s", "age of the drive, in life time")		\
	G(life_target_s, "s", "how old it shall become")		\
	G(life_endurance_bytes, "bytes", "endurance without recovery of its cells") \
	G(life_effective_bytes, "bytes", "endurance, recovered cells counted in") \
	G(life_used_bytes, "bytes", "of it used")			\
	G(life_left_bytes, "bytes", "of it left")			\
	G(life_host_bytes, "bytes", "written by its clients here")	\
	G(life_meta_bytes, "bytes", "written to its metadata device")	\
	G(life_waf_permille, "permille", "write amplification, estimated") \
	G(life_source_age_s, "s", "since the last report of wear; -1 if none is to be trusted") \
	G(life_idle_s, "s", "how long flash blocks rest before they are programmed again") \
	G(life_vth_uv, "uV", "by which wear has raised the cells' threshold voltage") \
	G(life_epoch_s, "s", "length of an epoch")			\
	G(life_epoch_bytes, "bytes", "that may be written in this epoch") \
	G(life_epoch_used_bytes, "bytes", "that were written in it")	\
	G(life_epoch_expected_bytes, "bytes", "that were expected")	\
	G(life_spare_bytes, "bytes", "that may be borrowed from later epochs") \
	G(life_plan_bytes, "bytes", "horizon: that should be used by now") \
	G(life_max_wait_ns, "ns", "longest wait for its delay that a write may have now") \
	G(life_floor_kb_s, "KB/s", "rate that is left to writes whatever happens") \
	G(life_expected_well_permille, "permille", "of the epochs: expected within 25 %") \
	G(life_delay_ns, "ns", "delay of a page of 4 KiB now")		\
	G(life_delay_why, "", "number of the reason for that")		\
	G(life_stopped, "requests", "writes that wait for the budget")	\
	G(life_late, "requests", "writes whose delay goes on")		\
	G(life_forecast_s, "s", "age when worn out, throttled until the target; -1 is never") \
	G(life_forecast_unthrottled_s, "s", "likewise, if throttling ended now")

struct ssdqos_ready_gauges {
#define G(name, ...) s64 name;
	SSDQOS_READY_GAUGES(G)
#undef G
};

enum ssdqos_ready_gauge {
#define G(name, ...) SSDQOS_READY_GAUGE_##name,
	SSDQOS_READY_GAUGES(G)
#undef G
	SSDQOS_READY_NR_GAUGES,
};

/**
 * struct ssdqos_wear_report - what the flash, or SMART, says; 0 is unknown
 * @flash_bytes: written to flash since it was made
 * @host_bytes: written by hosts since it was made
 * @used_permyriad: of its endurance, in hundredths of a per cent
 */
struct ssdqos_wear_report {
	u64 flash_bytes;
	u64 host_bytes;
	u64 used_permyriad;
};

/* One call makes at most so many: an epoch, the budget's state, the source. */
#define SSDQOS_READY_MAX_EVENTS 3

/* ready.c: a drive and its streams come and go */
struct ssdqos_ready *ssdqos_ready_create(void);
void ssdqos_ready_destroy(struct ssdqos_ready *r);
void ssdqos_ready_add(struct ssdqos_ready *r, struct ssdqos_ready_stream *s,
		      u32 id);
void ssdqos_ready_remove(struct ssdqos_ready_stream *s);
void ssdqos_ready_set(struct ssdqos_ready *r,
		      const struct ssdqos_qos_drive_config *cfg,
		      u64 disk_bytes, u64 now_ns);
void ssdqos_ready_set_stream(struct ssdqos_ready_stream *s, u64 delay_weight);

/* life.c: time passes, wear is counted */
u32 ssdqos_ready_tick(struct ssdqos_ready *r, u64 now_ns,
		      struct ssdqos_watch_event *events);
void ssdqos_ready_wrote(struct ssdqos_ready *r, u64 bytes, u64 now_ns);
u64 ssdqos_ready_period_ns(const struct ssdqos_ready *r);

/* source.c: others know better */
int ssdqos_ready_report(struct ssdqos_ready *r,
			const struct ssdqos_wear_report *report, u64 now_ns,
			char *err, u32 err_size);

/* epoch.c: epochs, their budgets, the delay */
u64 ssdqos_ready_left_bytes(const struct ssdqos_ready *r);
u32 ssdqos_ready_best_windows(const u64 *sums, u32 nr, u32 most);
u32 ssdqos_ready_history(const struct ssdqos_ready *r, u64 *sums);
u32 ssdqos_ready_most_windows(const struct ssdqos_ready *r);
void ssdqos_ready_search(struct ssdqos_ready *r, u32 windows);

/* gate.c: writes stop, go and are delayed */
bool ssdqos_ready_submit(struct ssdqos_ready_stream *s,
			 struct ssdqos_ready_req *req, u64 now_ns);
struct ssdqos_ready_req *ssdqos_ready_next(struct ssdqos_ready *r, u64 now_ns);
struct ssdqos_ready_req *ssdqos_ready_fail(struct ssdqos_ready *r, u64 now_ns);
void ssdqos_ready_refund(const struct ssdqos_ready_req *req);
bool ssdqos_ready_complete(struct ssdqos_ready_req *req, u64 now_ns);
struct ssdqos_ready_req *ssdqos_ready_next_done(struct ssdqos_ready *r,
						u64 now_ns);
u64 ssdqos_ready_wake_ns(const struct ssdqos_ready *r);
void ssdqos_ready_drain(struct ssdqos_ready_stream *s, bool draining);
u64 ssdqos_ready_room(struct ssdqos_ready_stream *s, u64 now_ns);
void ssdqos_ready_bulk(struct ssdqos_ready_stream *s, u64 bytes, u64 now_ns);
u64 ssdqos_ready_bulk_stop(struct ssdqos_ready_stream *s, u64 now_ns);

/* look.c: what it shows */
void ssdqos_ready_look(struct ssdqos_ready *r, u64 now_ns,
		       struct ssdqos_ready_gauges *g);
extern const char *const ssdqos_ready_gauge_names[SSDQOS_READY_NR_GAUGES];
extern const char *const ssdqos_ready_stat_names[SSDQOS_READY_NR_STATS];
extern const char *const ssdqos_ready_why_names[SSDQOS_READY_NR_WHYS];
extern const char *const ssdqos_ready_decision_names[SSDQOS_READY_NR_DECISIONS];

/* clock.c: time without power is part of the life */
void ssdqos_ready_clock(struct ssdqos_ready *r, u64 wall_s, u64 slept_ns,
			u64 now_ns);

#endif /* SSDQOS_READY_READY_H */
