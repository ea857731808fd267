/* SPDX-License-Identifier: GPL-2.0 */
/*
 * flash.h - the emulated flash drive as its users see it
 *
 * A drive is told of requests and of the time; it answers when a request is
 * complete and when it wants to be woken.  Time is model time: events are
 * processed at their own time stamps, so a late wake-up changes when the
 * outside learns of a completion, never when it happened.
 *
 *	ssdqos_flash_advance(f, now)	process all events up to now
 *	ssdqos_flash_submit(f, req)	a request arrives (at req->arrival_ns)
 *	ssdqos_flash_take_done(f)	requests that have completed since
 *	ssdqos_flash_next_ns(f)		wake me then
 *
 * The caller serialises.  Only create, destroy, age, save and load may sleep
 * or take long; all others are safe in interrupt context.
 */
#ifndef SSDQOS_FLASH_FLASH_H
#define SSDQOS_FLASH_FLASH_H

#include "config.h"
#include "geometry.h"
#include "log.h"
#include "stats.h"

struct ssdqos_flash;

enum ssdqos_flash_op {
	SSDQOS_FLASH_READ,
	SSDQOS_FLASH_WRITE,
	SSDQOS_FLASH_DISCARD,
	SSDQOS_FLASH_FLUSH,
	SSDQOS_FLASH_NR_OPS,
};

/* T(X, NAME, name, works, share, "what a read waits for then"): who works with flash, the
 * most important one first.  Reads of host requests; pages of the map, read and written; what
 * is in the write buffer, and parity; garbage collection; read scrubbing, which moves data
 * that was read very often; wear levelling, which moves data that is never changed; reads
 * of what was only copied inside flash, to see whether it is right.
 *
 * @works: FOR_HOST, or OWN: for the drive's own sake, or MOVES: that, and it empties
 * blocks, so each plane has a mover for it.
 * @share: NONE, or STATIC: it has the parameter @name_share_permille, or FEEDBACK: it has
 * also those that move its share.
 * @X is handed through, for lists that are made of this one.
 */
#define SSDQOS_FLASH_TASKS_WITH(T, X)					\
	T(X, HOST, host, FOR_HOST, NONE, "other host reads")		\
	T(X, MAP, map, FOR_HOST, STATIC, "the map")			\
	T(X, FLUSH, flush, FOR_HOST, FEEDBACK, "host writes")		\
	T(X, GC, gc, MOVES, FEEDBACK, "garbage collection, or a burst of it") \
	T(X, SCRUB, scrub, MOVES, FEEDBACK, "read scrubbing")		\
	T(X, WEAR, wear, MOVES, FEEDBACK, "wear levelling")		\
	T(X, VERIFY, verify, OWN, FEEDBACK, "verifying copied pages")

#define SSDQOS_FLASH_TASKS(T) SSDQOS_FLASH_TASKS_WITH(T, 0)

enum ssdqos_flash_task {
#define T(X, NAME, ...) SSDQOS_TASK_##NAME,
	SSDQOS_FLASH_TASKS(T)
#undef T
	SSDQOS_NR_TASKS,
};

/**
 * struct ssdqos_flash_task_row - a task and the parameters of its share
 * @name: key
 * @share: enum ssdqos_flash_param of its share, SSDQOS_NIL for the host, who
 *	has what the others leave, and for one that always has the least
 * @mode: of its mode, SSDQOS_NIL if its share is always static
 * @p: of coefficient P
 * @i: of coefficient I
 * @target: of the target of its error
 */
struct ssdqos_flash_task_row {
	const char *name;
	u32 share;
	u32 mode;
	u32 p;
	u32 i;
	u32 target;
};

extern const struct ssdqos_flash_task_row
	ssdqos_flash_task_rows[SSDQOS_NR_TASKS];

/* W(NAME, name, help): what a host request waits for; BY_HOST, BY_MAP and so on are
 * the tasks, in their order.
 */
#define SSDQOS_FLASH_WAITS(W)						\
	W(FLASH, flash, "its own array access and transfer")		\
	W(CONTROLLER, controller, "handling in the controller, its memory, the interface") \
	W(MAP_MISS, map_miss, "a page of the map that is not in memory") \
	W(SLOT, slot, "commands before it, a slot of the controller, room in the write buffer") \
	W(SCHED, sched, "to be handed to the chip by the scheduler")	\
	SSDQOS_FLASH_TASKS_WITH(SSDQOS_FLASH_WAIT_BY, W)

#define SSDQOS_FLASH_WAIT_BY(W, NAME, name, works, share, what)		\
	W(BY_##NAME, by_##name, "plane or channel busy for " what)

enum ssdqos_flash_wait {
#define W(name, ...) SSDQOS_WAIT_##name,
	SSDQOS_FLASH_WAITS(W)
#undef W
	SSDQOS_NR_WAITS,
};

extern const char *const ssdqos_flash_wait_names[SSDQOS_NR_WAITS];

/**
 * struct ssdqos_flash_task_stats - what a task did, since the last reset
 * @issued: operations handed to chips
 * @wait_ns: sum of their times between the task's queue and the chip
 */
struct ssdqos_flash_task_stats {
	u64 issued;
	u64 wait_ns;
};

/**
 * struct ssdqos_flash_host_waits - the host's flash reads, by cause
 * @nr: flash reads for the host that have ended since the last reset
 * @ns: sum of what they waited for, by enum ssdqos_flash_wait (Figure 8 of
 *	AutoSSD, section 5.2); MAP_MISS and SLOT are from before the read was
 *	made
 */
struct ssdqos_flash_host_waits {
	u64 nr;
	u64 ns[SSDQOS_NR_WAITS];
};

enum ssdqos_nand_op {
	SSDQOS_NAND_READ,
	SSDQOS_NAND_PROGRAM,
	SSDQOS_NAND_ERASE,
	SSDQOS_NAND_COPYBACK,
	SSDQOS_NR_NAND_OPS,
};

extern const char *const ssdqos_nand_op_names[SSDQOS_NR_NAND_OPS];
extern const char *const ssdqos_flash_op_names[SSDQOS_FLASH_NR_OPS];

/* What some part of a request's flash reads waited for, in its @met: collection
 * (BY_GC), or a queue (SLOT, SCHED, BY_ any other task).
 */
#define SSDQOS_FLASH_MET_GC	(1u << 0)
#define SSDQOS_FLASH_MET_QUEUE	(1u << 1)

/**
 * struct ssdqos_flash_req - a host request; memory belongs to the caller
 * @arrival_ns: in: model time of arrival, not before the last advance
 * @sector: in: first sector of 512 bytes
 * @nr_sectors: in: length; 0 for a flush
 * @op: in: enum ssdqos_flash_op
 * @fua: in: complete only when the data survives a power loss
 * @complete_ns: out: model time of completion
 * @met: out: SSDQOS_FLASH_MET_* bits
 * @wait_ns: out: where the time from arrival to completion went, by enum
 *	ssdqos_flash_wait: the causes of that part of the request which ended
 *	last; they add up to @complete_ns - @arrival_ns
 * @next: out: next in the list of ssdqos_flash_take_done()
 *
 * The rest is private to the model until the request is done.
 */
struct ssdqos_flash_req {
	u64 arrival_ns;
	u64 sector;
	u32 nr_sectors;
	u8 op;
	bool fua;
	u8 met;
	/* private: enum ssdqos_flash_stall + 1 */
	u8 stall;
	/* public: */
	u64 complete_ns;
	u64 wait_ns[SSDQOS_NR_WAITS];
	struct ssdqos_flash_req *next;
	/* private: */
	struct ssdqos_flash_req *ram_next;
	u64 due_ns;		/* leaves the controller's memory; stall start */
	u64 flush_seq;
	u64 command_ns;		/* the controller took it for so long */
	u64 map_ns;		/* waited for the map so far */
	u64 map_since_ns;
	u32 map_page;		/* looked up last */
	u32 lpn;		/* next unit to deal with */
	u32 lpn_end;
	u32 own_lpn;		/* write: what the host itself writes */
	u32 own_end;
	u32 old_lpn;		/* write: next unit to read, see write_granule_kib */
	u32 pending;		/* what the completion waits for */
	u8 phase;
	u8 edges;
	bool uncached;		/* counts for uncached_writes */
	bool traced;		/* @wait_ns is filled in */
};

struct ssdqos_flash *
ssdqos_flash_create(const struct ssdqos_flash_config *cfg, u64 nr_sectors,
		    char *err, u32 err_size);
void ssdqos_flash_destroy(struct ssdqos_flash *f);

void ssdqos_flash_submit(struct ssdqos_flash *f, struct ssdqos_flash_req *req);
void ssdqos_flash_foresee(const struct ssdqos_flash *f, u32 op, u64 sector,
			  bool soon);
bool ssdqos_flash_advance(struct ssdqos_flash *f, u64 now_ns);
bool ssdqos_flash_advance_some(struct ssdqos_flash *f, u64 now_ns, u32 *left);
u64 ssdqos_flash_now_ns(const struct ssdqos_flash *f);
u64 ssdqos_flash_next_ns(const struct ssdqos_flash *f);
struct ssdqos_flash_req *ssdqos_flash_take_done(struct ssdqos_flash *f);

int ssdqos_flash_set(struct ssdqos_flash *f, const char *key,
		     const char *value, char *err, u32 err_size);
int ssdqos_flash_retune(struct ssdqos_flash *f,
			const struct ssdqos_flash_config *cfg, char *err,
			u32 err_size);
const struct ssdqos_flash_config *
ssdqos_flash_config(const struct ssdqos_flash *f);
void ssdqos_flash_in_force(const struct ssdqos_flash *f,
			   struct ssdqos_flash_config *cfg);
const struct ssdqos_flash_geo *ssdqos_flash_geo(const struct ssdqos_flash *f);
const struct ssdqos_flash_stats *
ssdqos_flash_stats(const struct ssdqos_flash *f);
const struct ssdqos_flash_task_stats *
ssdqos_flash_task_stats(const struct ssdqos_flash *f, u32 task);
const struct ssdqos_flash_host_waits *
ssdqos_flash_host_waits(const struct ssdqos_flash *f);
u64 ssdqos_flash_map_hit_milli(const struct ssdqos_flash_stats *stats);
void ssdqos_flash_reset_stats(struct ssdqos_flash *f);

/**
 * struct ssdqos_flash_gauges - the state of a drive in a few numbers
 * @now_ns: model time
 * @free_blocks: erased blocks
 * @free_blocks_min: the fewest since the last reset of the statistics
 * @mapped_units: logical units that have data
 * @wear_min: fewest program/erase cycles of a block
 * @wear_max: most program/erase cycles of a block
 * @wear_sum: program/erase cycles of all blocks
 * @wear_plane_pct: mean cycles of the blocks of the most worn plane, percent of those
 *	of all planes; 0 if there are none
 * @wear_group_pct: percent of those of its group, over which stripes go; 0 without stripes
 * @read_count_max: most reads of a block since its erase
 * @buffered_units: units in the write buffer
 * @waf_milli: write amplification x 1000: units programmed (padding
 *	included) per unit written by the host, since the last reset
 * @map_hit_milli: lookups of the map that found their page in memory, in
 *	thousandths of a percent, since the last reset
 * @map_cached_pages: pages of the map in memory
 * @unverified_pages: flash pages that were only copied inside flash and have not been
 *	verified since, see the task verify
 * @share_ppm: share of each task in the drive now, by enum ssdqos_flash_task
 * @memory_bytes: memory of the model
 */
struct ssdqos_flash_gauges {
	u64 now_ns;
	u32 free_blocks;
	u32 free_blocks_min;
	u32 mapped_units;
	u32 wear_min;
	u32 wear_max;
	u64 wear_sum;
	u32 wear_plane_pct;
	u32 wear_group_pct;
	u32 read_count_max;
	u32 buffered_units;
	u64 waf_milli;
	u64 map_hit_milli;
	u32 map_cached_pages;
	u32 unverified_pages;
	u32 share_ppm[SSDQOS_NR_TASKS];
	u64 memory_bytes;
};

void ssdqos_flash_gauges(const struct ssdqos_flash *f,
			 struct ssdqos_flash_gauges *g);

int ssdqos_flash_age(struct ssdqos_flash *f, u32 fill_pct, u64 seed, char *err,
		     u32 err_size);
bool ssdqos_flash_idle(const struct ssdqos_flash *f);
void ssdqos_flash_rest(struct ssdqos_flash *f, bool on);
u64 ssdqos_flash_state_bytes(const struct ssdqos_flash *f);
u64 ssdqos_flash_state_bytes_max(const struct ssdqos_flash *f);
int ssdqos_flash_save(const struct ssdqos_flash *f, void *buf, u64 size);
int ssdqos_flash_load(struct ssdqos_flash *f, const void *buf, u64 size,
		      char *err, u32 err_size);
int ssdqos_flash_check(const struct ssdqos_flash *f, char *err, u32 err_size);

void ssdqos_flash_log_enable(struct ssdqos_flash *f, u32 event_mask);
u32 ssdqos_flash_log_take(struct ssdqos_flash *f,
			  struct ssdqos_flash_record *out, u32 max);

#endif /* SSDQOS_FLASH_FLASH_H */
