/* SPDX-License-Identifier: GPL-2.0 */
/*
 * config.h - what a client is promised, and how its drive is run: two tables
 *
 * A row P(name, unit, min, max, default, when, choices, help) for each
 * tunable; the table line, messages, sysfs, the simulator and the
 * documentation are made from the rows.  Rows of a drive may be given on any
 * of its streams and hold for all of them.
 */
#ifndef SSDQOS_RULES_CONFIG_H
#define SSDQOS_RULES_CONFIG_H

#include "../param.h"

/* Streams of a drive.  A bound on memory (some 310 KiB a drive, 122 KiB a
 * stream); more than LVM users make of one disk.
 */
#define SSDQOS_QOS_MAX_STREAMS 1024u

/* What costs differ by, besides the size (the paper, section 4.2). */
enum ssdqos_qos_op {
	SSDQOS_QOS_READ,
	SSDQOS_QOS_WRITE,
	SSDQOS_QOS_NR_OPS,
};

enum ssdqos_qos_pattern {
	SSDQOS_QOS_RAND,
	SSDQOS_QOS_SEQ,
	SSDQOS_QOS_NR_PATTERNS,
};

/**
 * enum ssdqos_qos_mode - who gets device time that nobody has reserved or used
 * @SSDQOS_QOS_WORK_CONSERVING: all who wait, by their weights
 * @SSDQOS_QOS_STRICT: streams without a reservation only; a reservation is
 *	also a limit
 */
enum ssdqos_qos_mode {
	SSDQOS_QOS_WORK_CONSERVING,
	SSDQOS_QOS_STRICT,
};

/**
 * enum ssdqos_qos_windows - which windows of a promise are judged
 * @SSDQOS_QOS_ALIGNED: one after the other
 * @SSDQOS_QOS_SLIDING: one ends with each eighth of a window
 */
enum ssdqos_qos_windows {
	SSDQOS_QOS_ALIGNED,
	SSDQOS_QOS_SLIDING,
};

/**
 * enum ssdqos_qos_policy - how writes are throttled for the lifetime
 * @SSDQOS_QOS_NONE: not at all; wear is counted
 * @SSDQOS_QOS_STATIC: to a fixed rate
 * @SSDQOS_QOS_DYNAMIC: as ready_opt, without recovery of the cells
 * @SSDQOS_QOS_READY_PES: by delays, and to the budget of each second
 * @SSDQOS_QOS_READY_OPT: by delays, bursts borrow from the future
 * @SSDQOS_QOS_HORIZON: by delays, as the life so far was spent
 */
enum ssdqos_qos_policy {
	SSDQOS_QOS_NONE,
	SSDQOS_QOS_STATIC,
	SSDQOS_QOS_DYNAMIC,
	SSDQOS_QOS_READY_PES,
	SSDQOS_QOS_READY_OPT,
	SSDQOS_QOS_HORIZON,
};

/**
 * enum ssdqos_qos_trim - what becomes of discards
 * @SSDQOS_QOS_TRIM_PASS: they go to the drive as they come
 * @SSDQOS_QOS_TRIM_BATCH: they are answered at once, and go later (trim.c)
 */
enum ssdqos_qos_trim {
	SSDQOS_QOS_TRIM_PASS,
	SSDQOS_QOS_TRIM_BATCH,
};

/* Where a write is delayed. */
enum ssdqos_qos_delay_at {
	SSDQOS_QOS_AT_COMPLETION,
	SSDQOS_QOS_AT_SUBMISSION,
};

/* Parts per million: shares of device time. */
#define SSDQOS_QOS_PPM 1000000u
#define SSDQOS_QOS_PERMILLE 1000u
#define SSDQOS_QOS_MIN_BYTES 512u
#define SSDQOS_QOS_MAX_BYTES 16777216u
/* Averages over longer times say little of a service. */
#define SSDQOS_QOS_MAX_WINDOW_MS 60000u
/* More than any drive does: a bound that keeps products in 64 bits. */
#define SSDQOS_QOS_MAX_IOPS 100000000u
#define SSDQOS_QOS_MAX_MB_S 1000000u
#define SSDQOS_QOS_DEFAULT_WEIGHT 100u
#define SSDQOS_QOS_DEFAULT_DELAY_WEIGHT 100u
/* Five years, the usual warranty (the dissertation, section 5.5.1). */
#define SSDQOS_QOS_DEFAULT_LIFETIME_H 43800u
/* A century. */
#define SSDQOS_QOS_MAX_LIFETIME_H 876000u
/* Stopped until the end of the longest life: no bound. */
#define SSDQOS_QOS_MAX_STOP_S (SSDQOS_QOS_MAX_LIFETIME_H * 3600ULL)
/* What a request can say: 32 bits of bytes. */
#define SSDQOS_QOS_MAX_TRIM_KIB 4194303u
/* Drives are busy for 754 ms with a discard of 2 GiB ("Revisiting Widely Held SSD
 * Expectations", section 6.1), so for 12 ms with one of these.
 */
#define SSDQOS_QOS_DEFAULT_TRIM_KIB 32768u
/* An exabyte: a bound that keeps products in 64 bits. */
#define SSDQOS_QOS_MAX_GB 1000000000u

#define SSDQOS_QOS_STREAM_PARAMS(P)					\
	P(min_iops, "IOPS", 0, SSDQOS_QOS_MAX_IOPS, 0, LIVE, NULL,	\
	  "guaranteed requests per second of the declared class; 0 is none") \
	P(min_mb_s, "MB/s", 0, SSDQOS_QOS_MAX_MB_S, 0, LIVE, NULL,	\
	  "guaranteed megabytes per second of the declared class; 0 is none") \
	P(util_ppm, "ppm", 0, SSDQOS_QOS_PPM, 0, LIVE, NULL,		\
	  "guaranteed part of the device time; 0 is none")		\
	P(op, "", 0, 1, SSDQOS_QOS_READ, LIVE, qos_ops,			\
	  "what the guarantee is for")					\
	P(pattern, "", 0, 1, SSDQOS_QOS_RAND, LIVE, qos_patterns,	\
	  "random or sequential requests")				\
	P(block_bytes, "bytes", SSDQOS_QOS_MIN_BYTES,			\
	  SSDQOS_QOS_MAX_BYTES, 4096, LIVE, NULL,			\
	  "size of the requests that the guarantee is for")		\
	P(window_ms, "ms", 100, SSDQOS_QOS_MAX_WINDOW_MS, 1000, LIVE, NULL, \
	  "granularity: the guarantee holds on average over windows of this length") \
	P(confidence_permille, "permille", 500, 999, 990, LIVE, NULL,	\
	  "confidence: part of the windows in which it holds")		\
	P(windows, "", 0, 1, SSDQOS_QOS_ALIGNED, LIVE, qos_windows,	\
	  "which windows count: one after the other, or one that ends with each eighth") \
	P(iodepth, "requests", 0, 1024, 0, LIVE, NULL,			\
	  "requests that the client has at a time; 0: as many as the drive gets") \
	P(max_iops, "IOPS", 0, SSDQOS_QOS_MAX_IOPS, 0, LIVE, NULL,	\
	  "upper limit of requests per second; 0 is none")		\
	P(max_mb_s, "MB/s", 0, SSDQOS_QOS_MAX_MB_S, 0, LIVE, NULL,	\
	  "upper limit of megabytes per second; 0 is none")		\
	P(burst_ms, "ms", 0, 60000, 100, LIVE, NULL,			\
	  "unused maximum is saved up for so long")			\
	P(weight, "", 1, 10000, SSDQOS_QOS_DEFAULT_WEIGHT, LIVE, NULL,	\
	  "share of the device time that is left")			\
	P(delay_weight, "%", 0, 1000, SSDQOS_QOS_DEFAULT_DELAY_WEIGHT, LIVE, NULL, \
	  "part of the lifetime's write delay that this client gets; 0 is none, others pay")

#define SSDQOS_QOS_DRIVE_PARAMS(P)					\
	P(drive_queue_depth, "requests", 1, 1024, 32, LIVE, NULL,	\
	  "requests that the drive gets at a time")			\
	P(drive_urgent_depth, "requests", 0, 1024, 0, LIVE, NULL,	\
	  "urgent requests that the drive gets before their turn; 0: a quarter of its depth") \
	P(drive_urgent_us, "us", 0, 1000000, 2000, LIVE, NULL,		\
	  "device time of urgent requests before their turn that a client may owe")	\
	P(drive_mode, "", 0, 1, SSDQOS_QOS_WORK_CONSERVING, LIVE, qos_modes, \
	  "who gets the time that nobody uses: all by weight, or streams without a guarantee") \
	P(drive_best_effort_permille, "permille", 1, 500, 10, LIVE, NULL, \
	  "device time that is kept for streams without a guarantee")	\
	P(drive_overcommit, "", 0, 1, 0, LIVE, qos_switches,		\
	  "allow guarantees that exceed what the drive can do")		\
	P(drive_margin_permille, "permille", 0, 500, 25, LIVE, NULL,	\
	  "a guaranteed rate owns so much more, to make up for moments in which it falls behind") \
	P(drive_debt, "", 0, 1, 1, LIVE, qos_switches,			\
	  "spare writes go at a rate that the drive can bear for good")	\
	P(drive_pace, "", 0, 1, 1, LIVE, qos_switches,			\
	  "spare work slows down while an owner is behind though it waits for the drive only") \
	P(drive_owe, "", 0, 1, 1, LIVE, qos_switches,			\
	  "a client gets back in spare time what the drive kept its requests for") \
	P(drive_batch_ms, "ms", 0, 10000, 0, LIVE, NULL,		\
	  "requests of one class go in a row for so long, while no owner lacks time; 0: never") \
	P(drive_lead, "", 0, 1, 1, LIVE, qos_switches,			\
	  "an owner has time to make up for a short stop of the drive within a window") \
	P(drive_budget, "", 0, 1, 1, LIVE, qos_switches,		\
	  "spare work does not try again what broke a promise that misses too much") \
	P(drive_away, "", 0, 1, 1, LIVE, qos_switches,			\
	  "spare writes have less while owners are away that missed windows when they came back") \
	P(drive_lend, "", 0, 1, 1, LIVE, qos_switches,			\
	  "spare writes have more while owners ask for less than they were promised") \
	P(drive_catch_up, "", 0, 1, 1, LIVE, qos_switches,		\
	  "spare work is not slowed for what an owner's window can make up for") \
	P(drive_plateau, "", 0, 1, 1, LIVE, qos_switches,		\
	  "spare work stays for a while near a rate that made owners late") \
	P(drive_narrow, "", 0, 1, 1, LIVE, qos_switches,		\
	  "the drive gets fewer requests at a time while an owner waits behind others' in it") \
	P(drive_credit_ms, "ms", 0, 10000, 100, LIVE, NULL,		\
	  "a client keeps at most this much of the guaranteed time that it has not used") \
	P(drive_flush_ns, "ns", 0, 1000000000, 0, LIVE, NULL,		\
	  "device time that a flush is charged; 0: as the profile says, or 1 ms without one") \
	P(drive_drift_pct, "%", 0, 1000, 50, LIVE, NULL,		\
	  "the profile is stale when requests cost so much more than it says; 0 is never") \
	P(drive_foreign_pct, "%", 0, 100, 5, LIVE, NULL,		\
	  "somebody else writes when so much of what the disk writes is not ours; 0 is never") \
	P(drive_accept_life, "", 0, 1, 0, LIVE, NULL,			\
	  "1: a saved life is taken over even if it is that of another disk") \
	P(drive_throttle, "", 0, 5, SSDQOS_QOS_NONE, LIVE, qos_policies, \
	  "how writes are throttled so that the drive lasts")		\
	P(drive_lifetime_h, "h", 1, SSDQOS_QOS_MAX_LIFETIME_H,		\
	  SSDQOS_QOS_DEFAULT_LIFETIME_H, LIVE, NULL,			\
	  "how long the drive shall last")				\
	P(drive_age_h, "h", 0, SSDQOS_QOS_MAX_LIFETIME_H, 0, LIVE, NULL, \
	  "age of the drive when it came here")				\
	P(drive_endurance_gb, "GB", 0, SSDQOS_QOS_MAX_GB, 0, LIVE, NULL, \
	  "what hosts may write in its life, as makers promise it; 0: see drive_pe_cycles") \
	P(drive_pe_cycles, "cycles", 0, 1000000, 0, LIVE, NULL,		\
	  "how often its flash can be programmed and erased; 0 is unknown") \
	P(drive_capacity_mb, "MB", 0, 1000000000, 0, LIVE, NULL,		\
	  "size of its flash; 0 is that of the disk")			\
	P(drive_used_mb, "MB", 0, 1000000000000, 0, LIVE, NULL,		\
	  "what was written before it came here, of the endurance")	\
	P(drive_waf_permille, "permille", 0, 100000, 0, LIVE, NULL,	\
	  "flash writes per host write, with drive_pe_cycles; 0: 2000 until reports tell") \
	P(drive_recovery, "", 0, 2, 0, LIVE, qos_recoveries,		\
	  "ready_* counts on cells that recover at rest: as the paper states, or as it shows") \
	P(drive_spare_permille, "permille", 0, 500, 100, LIVE, NULL,	\
	  "part of the later budget that bursts may borrow")		\
	P(drive_max_delay_ms, "ms", 1, 10000, 100, LIVE, NULL,		\
	  "horizon: longest wait of a write, while what was borrowed is no more than allowed") \
	P(drive_max_stop_s, "s", 1, SSDQOS_QOS_MAX_STOP_S, 30, LIVE, NULL, \
	  "other policies: a write that waited for the budget so long goes at the floor's rate") \
	P(drive_floor_kb_s, "KB/s", 0, 1000000000, 0, LIVE, NULL,	\
	  "writes are never throttled below this rate; 0: a quarter of endurance by lifetime") \
	P(drive_delay_at, "", 0, 1, SSDQOS_QOS_AT_COMPLETION, LIVE, qos_delay_ats, \
	  "where writes are delayed: when they are done, or before they go") \
	P(drive_window_s, "s", 1, 86400, 600, LIVE, NULL,		\
	  "unit of the epochs' length")					\
	P(drive_time_scale, "", 1, 1000000, 1, LIVE, NULL,		\
	  "the drive's life passes so much faster: for experiments")	\
	P(drive_trim, "", 0, 1, SSDQOS_QOS_TRIM_PASS, LIVE, qos_trims,	\
	  "discards go to the drive as they come, or are kept, merged and sent while it is quiet") \
	P(drive_trim_age_ms, "ms", 1, 86400000, 30000, LIVE, NULL,	\
	  "a discard that is kept is sent after this time at the latest") \
	P(drive_trim_min_kib, "KiB", 0, SSDQOS_QOS_MAX_TRIM_KIB, 0, LIVE, NULL, \
	  "what is still smaller then is not sent; 0: all is")		\
	P(drive_trim_max_kib, "KiB", 4, SSDQOS_QOS_MAX_TRIM_KIB,	\
	  SSDQOS_QOS_DEFAULT_TRIM_KIB, LIVE, NULL,			\
	  "largest discard that is sent")				\
	P(drive_trim_granule_kib, "KiB", 0, 1048576, 0, LIVE, NULL,	\
	  "the drive can do nothing with less; 0: as it says")		\
	P(drive_trim_depth, "requests", 1, 32, 1, LIVE, NULL,		\
	  "discards that the drive gets at a time")			\
	P(drive_trim_ranges, "ranges", 1024, 16777216, 65536, LIVE, NULL, \
	  "as many are kept, of some 100 bytes of memory each")		\
	P(drive_apart, "", 0, 1, 0, CREATE, qos_switches,		\
	  "reads and writes have a drive's time each, as on a mirror whose members take turns") \
	P(drive_locked, "", 0, 1, 0, LIVE, qos_switches,		\
	  "the drive is changed only through the client that has set this")

struct ssdqos_qos_stream_config {
#define P(name, ...) u64 name;
	SSDQOS_QOS_STREAM_PARAMS(P)
#undef P
};

struct ssdqos_qos_drive_config {
#define P(name, ...) u64 name;
	SSDQOS_QOS_DRIVE_PARAMS(P)
#undef P
};

/* Numbers of the parameters: those of the stream, then those of the drive. */
enum ssdqos_qos_param {
#define P(name, ...) SSDQOS_QOS_P_##name,
	SSDQOS_QOS_STREAM_PARAMS(P)
	SSDQOS_QOS_DRIVE_PARAMS(P)
#undef P
	SSDQOS_QOS_NR_PARAMS,
};

#define SSDQOS_QOS_NR_STREAM_PARAMS SSDQOS_QOS_P_drive_queue_depth

/**
 * struct ssdqos_qos_config - all that a table line or a message can say
 * @stream: of the stream
 * @drive: of the drive
 * @given: a bit for each parameter (enum ssdqos_qos_param) that was said
 */
struct ssdqos_qos_config {
	struct ssdqos_qos_stream_config stream;
	struct ssdqos_qos_drive_config drive;
	u64 given;
};

static_assert(SSDQOS_QOS_NR_PARAMS <= 64);
static_assert(sizeof(struct ssdqos_qos_stream_config) ==
	      SSDQOS_QOS_NR_STREAM_PARAMS * sizeof(u64));

extern const struct ssdqos_param ssdqos_qos_params[SSDQOS_QOS_NR_PARAMS];

/* Bits of @given that belong to the drive. */
#define SSDQOS_QOS_GIVEN_DRIVE \
	(((1ULL << (SSDQOS_QOS_NR_PARAMS - SSDQOS_QOS_NR_STREAM_PARAMS)) - 1) \
	 << SSDQOS_QOS_NR_STREAM_PARAMS)

/**
 * ssdqos_qos_config_value - a parameter by number
 * @cfg: the configuration
 * @param: enum ssdqos_qos_param
 *
 * Return: where it is kept.
 */
static inline u64 *ssdqos_qos_config_value(struct ssdqos_qos_config *cfg,
					   u32 param)
{
	if (param < SSDQOS_QOS_NR_STREAM_PARAMS)
		return (u64 *)&cfg->stream + param;
	return (u64 *)&cfg->drive + (param - SSDQOS_QOS_NR_STREAM_PARAMS);
}

void ssdqos_qos_config_init(struct ssdqos_qos_config *cfg);
int ssdqos_qos_config_set(struct ssdqos_qos_config *cfg, const char *key,
			  const char *value, char *err, u32 err_size);
int ssdqos_qos_config_check(const struct ssdqos_qos_config *cfg, char *err,
			    u32 err_size);

#endif /* SSDQOS_RULES_CONFIG_H */
