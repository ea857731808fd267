/* SPDX-License-Identifier: GPL-2.0 */
/*
 * profile.h - what requests cost on a drive, as measured
 *
 * A drive is profiled under each type of request alone (the paper, section
 * 4.2): throughput in windows of several lengths gives distributions, and
 *
 *	cost(class, size, depth, window, confidence) =
 *		window / requests completed in the window that is worse than
 *		all but (1 - confidence) of them
 *
 * is the device time of one request that a promise has to count with.  Large
 * windows average blocking events away, so cost falls as the window grows.
 *
 * The text is what "ssdqos profile" writes; its words:
 *
 *	ssdqos-profile 1
 *	window_ms <ms>...
 *	cost <read|write> <seq|rand> <bytes> <depth> <confidence permille>
 *		<ns for each window, "-" where a window saw no request>...
 *	mix <part of writes in device time, %> <permille of the single costs>
 *	mixed <part of writes in device time, %> <depth> <confidence permille>
 *		<permille of the single costs for each window, or "-">...
 *	beside <rate of writes, % of what they alone get> <depth of reads>
 *		<confidence permille>
 *		<permille of what reads cost alone for each window, or "-">...
 *	beside_of <bytes of a read> <the same as beside>...
 *	flush <confidence permille> <ns for each window, or "-">...
 *	discard <seq|rand> <bytes> <ns of one, one at a time, on average>
 *	stop <ms that the drive stands still> <KiB written in order before that>
 *
 * "#", "meta" and "fit" begin lines for people; those must be gone where the
 * text comes without line ends.  No locks; parsing allocates and may sleep.
 */
#ifndef SSDQOS_QOS_PROFILE_H
#define SSDQOS_QOS_PROFILE_H

#include "../rules/config.h"

#define SSDQOS_PROFILE_MAX_WINDOWS 16
/* Four classes, nine sizes, six depths, four confidences. */
#define SSDQOS_PROFILE_MAX_ROWS 1024
#define SSDQOS_PROFILE_MAX_MIXES 16
/* Sixteen parts, four depths, four confidences; rows beside writes likewise, and
 * those have sizes.
 */
#define SSDQOS_PROFILE_MAX_MIXED 256
/* One for each confidence. */
#define SSDQOS_PROFILE_MAX_FLUSHES 8
/* Of each order: sizes from 4 KiB to 1 GiB are 19. */
#define SSDQOS_PROFILE_MAX_DISCARDS 24
/* Larger ones may be sent, and go by the largest that was measured. */
#define SSDQOS_PROFILE_DISCARD_BYTES (1u << 30)
/* "-": nothing can be promised. */
#define SSDQOS_COST_NONE 0xffffffffu

/**
 * struct ssdqos_profile_row - costs of one class, size, depth and confidence
 * @bytes: size, a power of two
 * @depth: requests in flight
 * @confidence_permille: part of the windows in which the cost held
 * @op: enum ssdqos_qos_op
 * @pattern: enum ssdqos_qos_pattern
 * @ns: cost by window
 */
struct ssdqos_profile_row {
	u32 bytes;
	u16 depth;
	u16 confidence_permille;
	u8 op;
	u8 pattern;
	u32 ns[SSDQOS_PROFILE_MAX_WINDOWS];
};

/**
 * struct ssdqos_profile_mix - what mixing reads and writes does
 * @write_pct: part of the device time, by single costs, that goes to writes
 * @factor_permille: time that the mixture takes, against its single costs
 */
struct ssdqos_profile_mix {
	u32 write_pct;
	u32 factor_permille;
};

/**
 * struct ssdqos_profile_mixed - likewise, as windows of a mixture have shown it,
 *	or of reads of one client beside another one's writes
 * @write_pct: as above; beside writes what these take, whatever reads take
 * @depth: requests in flight
 * @confidence_permille: part of the windows in which it held
 * @bytes: beside writes: of a read; 0 if the row is for all sizes.  Of mixtures 0.
 * @permille: by window, of the single costs in that window, beside writes of
 *	the reads' cost; SSDQOS_COST_NONE where a window saw no request
 */
struct ssdqos_profile_mixed {
	u16 write_pct;
	u16 depth;
	u16 confidence_permille;
	u32 bytes;
	u32 permille[SSDQOS_PROFILE_MAX_WINDOWS];
};

/**
 * struct ssdqos_profile_flush - what a flush costs
 * @confidence_permille: part of the windows in which the cost held
 * @ns: cost by window
 */
struct ssdqos_profile_flush {
	u32 confidence_permille;
	u32 ns[SSDQOS_PROFILE_MAX_WINDOWS];
};

/**
 * struct ssdqos_profile_discard - what a discard costs
 * @bytes: its size
 * @ns: its cost, on average: no promise is made of discards
 */
struct ssdqos_profile_discard {
	u32 bytes;
	u32 ns;
};

/**
 * struct ssdqos_profile - a drive's costs; read only once parsed
 * @nr_windows: used entries of @window_ms
 * @window_ms: ascending
 * @nr_mixes: used entries of @mix
 * @mix: ascending in @write_pct
 * @nr_flushes: used entries of @flush; 0 where flushes were not measured
 * @flush: ascending in @confidence_permille
 * @nr_discards: used entries of @discard; 0 where they were not measured
 * @discard: by enum ssdqos_qos_pattern, ascending in @bytes
 * @stop_ms: the longest time for which the drive stands still when it is
 *	written in order; 0 where it doesn't, or that was not measured
 * @stop_kib: what was written before that
 * @nr_mixed: length of @mixed
 * @mixed: in the text's order; behind @rows
 * @nr_beside: length of @beside
 * @beside: in the text's order; behind @mixed
 * @nr_rows: length of @rows
 * @rows: in the text's order
 */
struct ssdqos_profile {
	u32 nr_windows;
	u32 window_ms[SSDQOS_PROFILE_MAX_WINDOWS];
	u32 nr_mixes;
	struct ssdqos_profile_mix mix[SSDQOS_PROFILE_MAX_MIXES];
	u32 nr_flushes;
	struct ssdqos_profile_flush flush[SSDQOS_PROFILE_MAX_FLUSHES];
	u32 nr_discards[SSDQOS_QOS_NR_PATTERNS];
	struct ssdqos_profile_discard discard[SSDQOS_QOS_NR_PATTERNS]
					     [SSDQOS_PROFILE_MAX_DISCARDS];
	u32 stop_ms;
	u32 stop_kib;
	u32 nr_mixed;
	struct ssdqos_profile_mixed *mixed;
	u32 nr_beside;
	struct ssdqos_profile_mixed *beside;
	u32 nr_rows;
	struct ssdqos_profile_row rows[];
};

/* Sizes 512 bytes, 1 KiB, ... 16 MiB. */
#define SSDQOS_COST_NR_SIZES 16
#define SSDQOS_COST_MIN_SHIFT 9

/**
 * struct ssdqos_cost_key - which of a profile's costs
 * @window_ms: granularity
 * @longest_ms: of mixtures: likewise, of the promise with the longest window, if
 *	that is another one
 * @confidence_permille: confidence
 * @depth: requests that the drive gets at a time
 */
struct ssdqos_cost_key {
	u64 window_ms;
	u64 longest_ms;
	u64 confidence_permille;
	u64 depth;
};

/**
 * struct ssdqos_cost_table - costs for one key, ready for look-ups
 * @ns: cost of a request by class and size (512 << index)
 * @flush_ns: cost of a flush
 */
struct ssdqos_cost_table {
	u32 ns[SSDQOS_QOS_NR_OPS][SSDQOS_QOS_NR_PATTERNS][SSDQOS_COST_NR_SIZES];
	u32 flush_ns;
};

/**
 * struct ssdqos_cost_source - from which rows of a profile a cost comes
 * @pattern: enum ssdqos_qos_pattern; not the one asked for if that was not
 *	measured
 * @bytes: the measured size that is not above what was asked, or the smallest
 * @bytes_to: the one that is not below, or the largest
 * @window_ms: the measured window
 * @depth: the least measured depth; the cost lies between those two, or on a line
 *	to zero if both are above what was asked
 * @depth_to: the greatest
 * @confidence_permille: the least of the rows
 */
struct ssdqos_cost_source {
	u32 pattern;
	u32 bytes;
	u32 bytes_to;
	u32 window_ms;
	u32 depth;
	u32 depth_to;
	u32 confidence_permille;
};

#define SSDQOS_MIX_PCT 100u

/**
 * struct ssdqos_mix_curve - what mixtures cost
 * @permille: by the part of writes in the device time, in %
 */
struct ssdqos_mix_curve {
	u32 permille[SSDQOS_MIX_PCT + 1];
};

struct ssdqos_profile *ssdqos_profile_parse(const char *text, char *err,
					    u32 err_size);
void ssdqos_profile_free(struct ssdqos_profile *p);
int ssdqos_profile_window(const struct ssdqos_profile *p, u64 window_ms);
void ssdqos_profile_costs(const struct ssdqos_profile *p,
			  const struct ssdqos_cost_key *key,
			  struct ssdqos_cost_table *table);
u32 ssdqos_profile_promise(const struct ssdqos_profile *p,
			   const struct ssdqos_cost_key *key, u32 op,
			   u32 pattern, u32 bytes);
bool ssdqos_profile_source(const struct ssdqos_profile *p,
			   const struct ssdqos_cost_key *key, u32 op,
			   u32 pattern, u32 bytes,
			   struct ssdqos_cost_source *source);
bool ssdqos_profile_has_discards(const struct ssdqos_profile *p);
u32 ssdqos_profile_discard_ns(const struct ssdqos_profile *p, u32 pattern,
			      u64 bytes);
u32 ssdqos_profile_mix_permille(const struct ssdqos_profile *p,
				const struct ssdqos_cost_key *key, u64 read_ppm,
				u64 write_ppm);
void ssdqos_profile_mix_curve(const struct ssdqos_profile *p,
			      const struct ssdqos_cost_key *key,
			      struct ssdqos_mix_curve *curve);
void ssdqos_profile_beside_curve(const struct ssdqos_profile *p,
				 const struct ssdqos_cost_key *key, u32 bytes,
				 struct ssdqos_mix_curve *curve);
u32 ssdqos_cost_lookup(const struct ssdqos_cost_table *t, u32 op, u32 pattern,
		       u32 bytes);

#endif /* SSDQOS_QOS_PROFILE_H */
