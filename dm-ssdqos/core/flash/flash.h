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

enum ssdqos_flash_task {
	SSDQOS_TASK_HOST,
	SSDQOS_TASK_FLUSH,
	SSDQOS_TASK_GC,
	SSDQOS_NR_TASKS,
};

enum ssdqos_nand_op {
	SSDQOS_NAND_READ,
	SSDQOS_NAND_PROGRAM,
	SSDQOS_NAND_ERASE,
	SSDQOS_NAND_COPYBACK,
	SSDQOS_NR_NAND_OPS,
};

extern const char *const ssdqos_flash_task_names[SSDQOS_NR_TASKS];
extern const char *const ssdqos_nand_op_names[SSDQOS_NR_NAND_OPS];
extern const char *const ssdqos_flash_op_names[SSDQOS_FLASH_NR_OPS];

/* What a host read met on its way, in @met of the request. */
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
	struct ssdqos_flash_req *next;
	/* private: */
	struct ssdqos_flash_req *ram_next;
	u64 due_ns;		/* leaves the controller's memory; stall start */
	u64 flush_seq;
	u32 lpn;		/* next unit to deal with */
	u32 lpn_end;
	u32 pending;		/* what the completion waits for */
	u8 phase;
	u8 edges;
};

struct ssdqos_flash *
ssdqos_flash_create(const struct ssdqos_flash_config *cfg, u64 nr_sectors,
		    char *err, u32 err_size);
void ssdqos_flash_destroy(struct ssdqos_flash *f);

void ssdqos_flash_submit(struct ssdqos_flash *f, struct ssdqos_flash_req *req);
bool ssdqos_flash_advance(struct ssdqos_flash *f, u64 now_ns);
u64 ssdqos_flash_next_ns(const struct ssdqos_flash *f);
struct ssdqos_flash_req *ssdqos_flash_take_done(struct ssdqos_flash *f);

int ssdqos_flash_set(struct ssdqos_flash *f, const char *key,
		     const char *value, char *err, u32 err_size);
int ssdqos_flash_retune(struct ssdqos_flash *f,
			const struct ssdqos_flash_config *cfg, char *err,
			u32 err_size);
const struct ssdqos_flash_config *
ssdqos_flash_config(const struct ssdqos_flash *f);
const struct ssdqos_flash_geo *ssdqos_flash_geo(const struct ssdqos_flash *f);
const struct ssdqos_flash_stats *
ssdqos_flash_stats(const struct ssdqos_flash *f);
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
 * @read_count_max: most reads of a block since its erase
 * @buffered_units: units in the write buffer
 * @waf_milli: write amplification x 1000: units programmed (padding
 *	included) per unit written by the host, since the last reset
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
	u32 read_count_max;
	u32 buffered_units;
	u64 waf_milli;
	u64 memory_bytes;
};

void ssdqos_flash_gauges(const struct ssdqos_flash *f,
			 struct ssdqos_flash_gauges *g);

int ssdqos_flash_age(struct ssdqos_flash *f, u32 fill_pct, u64 seed, char *err,
		     u32 err_size);
bool ssdqos_flash_idle(const struct ssdqos_flash *f);
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
