/* SPDX-License-Identifier: GPL-2.0 */
/*
 * config.h - parameters of an emulated flash drive: the one table
 *
 * SSDQOS_FLASH_PARAMS(P) has a row P(name, unit, min, max, default, when,
 * choices, help) for each tunable; everything else is made from it.
 */
#ifndef SSDQOS_FLASH_CONFIG_H
#define SSDQOS_FLASH_CONFIG_H

#include "../param.h"

enum ssdqos_flash_preset {
	SSDQOS_FLASH_AUTOSSD,
	SSDQOS_FLASH_TTFLASH,
	SSDQOS_FLASH_X25E_LIKE,
	SSDQOS_FLASH_INTEL510_LIKE,
	SSDQOS_FLASH_TTFLASH_AUTOSSD,
	SSDQOS_FLASH_NR_PRESETS,
};

enum ssdqos_flash_allocation {
	SSDQOS_FLASH_DYNAMIC,
	SSDQOS_FLASH_STATIC,
};

/**
 * enum ssdqos_flash_array_scope - what works on one array operation at a time
 * @SSDQOS_FLASH_ARRAY_PLANE: each plane, whatever the others of its chip do
 * @SSDQOS_FLASH_ARRAY_CHIP: a chip; planes work together on operations of one
 *	kind and page number that begin at one time (multi-plane operations)
 */
enum ssdqos_flash_array_scope {
	SSDQOS_FLASH_ARRAY_PLANE,
	SSDQOS_FLASH_ARRAY_CHIP,
};

/**
 * enum ssdqos_flash_cache - what the write buffer promises
 * @SSDQOS_FLASH_CACHE_NONE: a write ends when it is programmed
 * @SSDQOS_FLASH_CACHE_VOLATILE: a write ends in the buffer; FLUSH and FUA
 *	wait until the data is programmed
 * @SSDQOS_FLASH_CACHE_PLP: a write ends in the buffer, which a capacitor
 *	protects (power loss protection), so FLUSH and FUA cost nothing more
 */
enum ssdqos_flash_cache {
	SSDQOS_FLASH_CACHE_NONE,
	SSDQOS_FLASH_CACHE_VOLATILE,
	SSDQOS_FLASH_CACHE_PLP,
};

enum ssdqos_flash_gc_policy {
	SSDQOS_FLASH_GREEDY,
	SSDQOS_FLASH_COST_BENEFIT,
};

/**
 * enum ssdqos_flash_gc_scope - who starts and stops collecting
 * @SSDQOS_FLASH_GC_PLANE: each plane, by its own free blocks
 * @SSDQOS_FLASH_GC_DRIVE: all planes together, by the free blocks of the drive
 *	(as many as the thresholds say, times the planes)
 */
enum ssdqos_flash_gc_scope {
	SSDQOS_FLASH_GC_PLANE,
	SSDQOS_FLASH_GC_DRIVE,
};

/**
 * enum ssdqos_flash_gc_blocking - what waits while a block is collected
 * @SSDQOS_FLASH_GC_BLOCKS_NOTHING: whatever finds its plane or channel busy
 * @SSDQOS_FLASH_GC_BLOCKS_BURSTS: the whole drive: while a burst of
 *	collection is under way, no operation for the host is started
 * @SSDQOS_FLASH_GC_BLOCKS_PLANE: the plane, while a block of it is emptied (ttFlash,
 *	section 4.1)
 * @SSDQOS_FLASH_GC_BLOCKS_CHANNEL: all planes of its channel (section 3); one block at
 *	a time is emptied there
 * @SSDQOS_FLASH_GC_BLOCKS_CONTROLLER: all planes, one block of the drive at a time
 * @SSDQOS_FLASH_GC_BLOCKS_PREEMPTIVE: nothing: the host goes before each copy (section
 *	6.2); but the channel in a plane with few free blocks (gc_hard_blocks)
 */
enum ssdqos_flash_gc_blocking {
	SSDQOS_FLASH_GC_BLOCKS_NOTHING,
	SSDQOS_FLASH_GC_BLOCKS_BURSTS,
	SSDQOS_FLASH_GC_BLOCKS_PLANE,
	SSDQOS_FLASH_GC_BLOCKS_CHANNEL,
	SSDQOS_FLASH_GC_BLOCKS_CONTROLLER,
	SSDQOS_FLASH_GC_BLOCKS_PREEMPTIVE,
};

/**
 * enum ssdqos_flash_rain_flush - how a write buffer is written out with stripes
 * @SSDQOS_FLASH_FLUSH_UNITS: each unit when its plane is free
 * @SSDQOS_FLASH_FLUSH_STRIPES: stripe by stripe (ttFlash, section 4.5)
 */
enum ssdqos_flash_rain_flush {
	SSDQOS_FLASH_FLUSH_UNITS,
	SSDQOS_FLASH_FLUSH_STRIPES,
};

/**
 * enum ssdqos_flash_rotate - how many planes of a group empty blocks at a time
 * @SSDQOS_FLASH_ROTATE_OFF: any
 * @SSDQOS_FLASH_ROTATE_ON: one, and more where the host would have no block (ttFlash,
 *	section 4.4)
 * @SSDQOS_FLASH_ROTATE_FORCED: one, whatever comes of it (its Figure 11b)
 */
enum ssdqos_flash_rotate {
	SSDQOS_FLASH_ROTATE_OFF,
	SSDQOS_FLASH_ROTATE_ON,
	SSDQOS_FLASH_ROTATE_FORCED,
};

/**
 * enum ssdqos_flash_aged_pattern - how an aged drive was written
 * @SSDQOS_FLASH_AGED_RANDOM: each write anywhere
 * @SSDQOS_FLASH_AGED_SEQUENTIAL: from begin to end, again and again
 * @SSDQOS_FLASH_AGED_MIXED: half of the data anywhere, the other half in runs of
 *	1 MiB that are anywhere
 */
enum ssdqos_flash_aged_pattern {
	SSDQOS_FLASH_AGED_RANDOM,
	SSDQOS_FLASH_AGED_SEQUENTIAL,
	SSDQOS_FLASH_AGED_MIXED,
};

enum ssdqos_flash_trim_mode {
	SSDQOS_FLASH_TRIM_INVALIDATE,
	SSDQOS_FLASH_TRIM_ERASE,
};

/**
 * enum ssdqos_flash_trim_preset - how a kind of drive takes discards
 * @SSDQOS_FLASH_OWN_TRIM: as the drive's preset says
 * @SSDQOS_FLASH_E_TRIM: it erases at once
 * @SSDQOS_FLASH_I_TRIM: it marks what is invalid
 */
enum ssdqos_flash_trim_preset {
	SSDQOS_FLASH_OWN_TRIM,
	SSDQOS_FLASH_E_TRIM,
	SSDQOS_FLASH_I_TRIM,
};

/**
 * enum ssdqos_flash_scheduler - which task's operation a chip gets next
 * @SSDQOS_FLASH_FIFO: the one that came first
 * @SSDQOS_FLASH_PRIORITY: the one of the most important task, in the order of
 *	enum ssdqos_flash_task
 * @SSDQOS_FLASH_WFQ: weighted fair queueing in device time, weights are shares
 * @SSDQOS_FLASH_DEBIT: of a task that has fewer operations outstanding in the
 *	drive than its share allows; reserves what is left
 */
enum ssdqos_flash_scheduler {
	SSDQOS_FLASH_FIFO,
	SSDQOS_FLASH_PRIORITY,
	SSDQOS_FLASH_WFQ,
	SSDQOS_FLASH_DEBIT,
};

/**
 * enum ssdqos_flash_share_mode - where a task's share comes from
 * @SSDQOS_FLASH_SHARE_STATIC: it is the parameter
 * @SSDQOS_FLASH_SHARE_FEEDBACK: the controller moves it, from the parameter up
 */
enum ssdqos_flash_share_mode {
	SSDQOS_FLASH_SHARE_STATIC,
	SSDQOS_FLASH_SHARE_FEEDBACK,
};

/* Every plane and channel has an event, see engine/evq.h. */
#define SSDQOS_FLASH_MAX_PLANES 32768u

#define SSDQOS_MAX_NS 10000000000ULL	/* 10 s: no NAND operation lasts longer */

/* Rows of a task whose share the controller can move:
 *
 *	share = p x error + i x share of the period before	(AutoSSD, eq. 1)
 */
#define SSDQOS_FLASH_TASK_PARAMS(P, task, share, target_unit, target_help) \
	P(task##_share_permille, "permille", 1, 1000, share, LIVE, NULL, \
	  "share of task " #task "; with feedback the least one")	\
	P(task##_share_mode, "", 0, 1, SSDQOS_FLASH_SHARE_STATIC, LIVE, share_modes, \
	  "who sets the share of task " #task)				\
	P(task##_share_p_ppm, "ppm", 0, 1000000, 0, LIVE, NULL,		\
	  "share that task " #task " gains in a period for each " target_unit " of error") \
	P(task##_share_i_ppm, "ppm", 0, 1000000, 900000, LIVE, NULL,	\
	  "part of its share that task " #task " keeps from period to period") \
	P(task##_target, target_unit, 0, 100000000, 0, LIVE, NULL, target_help)

#define SSDQOS_FLASH_PARAMS(P)						\
	P(preset, "", 0, SSDQOS_FLASH_NR_PRESETS - 1, 0, CREATE, presets, \
	  "drive model whose values the other parameters start from")	\
	P(channels, "", 1, 64, 4, CREATE, NULL,				\
	  "channels (halved on drives too small for them)")		\
	P(chips_per_channel, "", 1, 64, 4, CREATE, NULL,		\
	  "chips on a channel (halved on drives too small for them)")	\
	P(planes_per_chip, "", 1, 16, 2, CREATE, NULL,			\
	  "planes in a chip (halved on drives too small for them)")	\
	P(pages_per_block, "", 4, 4096, 512, CREATE, NULL,		\
	  "flash pages in an erase block, a power of two (halved on drives too small for it)") \
	P(page_kib, "KiB", 4, 16, 16, CREATE, NULL,			\
	  "size of a flash page: 4, 8 or 16")				\
	P(op_permille, "permille", 5, 4000, 280, CREATE, NULL,		\
	  "over-provisioning: flash beyond the logical capacity, per thousand of it") \
	P(registers, "", 1, 2, 2, CREATE, NULL,				\
	  "page registers of a plane; with 2 a transfer overlaps the array's work") \
	P(array_scope, "", 0, 1, SSDQOS_FLASH_ARRAY_PLANE, CREATE, array_scopes, \
	  "who works on one array operation at a time: a plane, or a chip with all its planes") \
	P(chip_queue_depth, "", 1, 64, 4, CREATE, NULL,			\
	  "operations that the controller hands to a chip at a time")	\
	P(allocation, "", 0, 1, SSDQOS_FLASH_DYNAMIC, CREATE, allocations, \
	  "where a write goes: any idle plane, or the plane that its address fixes") \
	P(cache, "", 0, 2, SSDQOS_FLASH_CACHE_PLP, CREATE, caches,	\
	  "what the write buffer promises: nothing, until power loss, or always") \
	P(buffer_kib, "KiB", 64, 1048576, 4096, CREATE, NULL,		\
	  "size of the write buffer")					\
	P(gc_depth, "", 1, 16, 2, CREATE, NULL,				\
	  "flash pages that a plane's garbage collection moves at a time") \
	P(aged_pct, "%", 0, 100, 0, CREATE, NULL,			\
	  "start with this part of the capacity written, in steady state; 0 is a fresh drive") \
	P(aged_pattern, "", 0, 2, SSDQOS_FLASH_AGED_RANDOM, CREATE, aged_patterns, \
	  "how an aged drive was written: at random, from begin to end, or half in runs of 1 MiB") \
	P(aged_bs, "bytes", 4096, 1048576, 4096, CREATE, NULL,		\
	  "size of the writes with which it was, a power of two")	\
	P(aged_pe_cycles, "cycles", 0, 1000000, 100, CREATE, NULL,	\
	  "mean program/erase cycles of the blocks of an aged drive")	\
	P(aged_reads, "reads", 0, 1000000, 80000, CREATE, NULL,		\
	  "blocks of an aged drive were read at random fewer times than this") \
	P(seed, "", 0, ~0ULL, 1, CREATE, NULL,				\
	  "seed of everything random in the model")			\
	P(read_ns, "ns", 0, SSDQOS_MAX_NS, 50000, LIVE, NULL,		\
	  "time of the array to read a page into the register (tR)")	\
	P(program_ns, "ns", 0, SSDQOS_MAX_NS, 500000, LIVE, NULL,	\
	  "time of the array to program a page (tPROG)")		\
	P(erase_ns, "ns", 0, SSDQOS_MAX_NS, 5000000, LIVE, NULL,	\
	  "time of the array to erase a block (tBERS)")			\
	P(program_suspend_ns, "ns", 0, SSDQOS_MAX_NS, 0, LIVE, NULL,	\
	  "time of the array to suspend a program for host reads, and to resume it; 0: it can't") \
	P(erase_suspend_ns, "ns", 0, SSDQOS_MAX_NS, 0, LIVE, NULL,	\
	  "time of the array to suspend an erase for host reads, and to resume it; 0: it can't") \
	P(channel_mb_s, "MB/s", 1, 100000, 400, LIVE, NULL,		\
	  "transfer rate of a channel")					\
	P(ram_ns, "ns", 0, SSDQOS_MAX_NS, 2000, LIVE, NULL,		\
	  "time of the controller to serve a request from its memory")	\
	P(trim_preset, "", 0, 2, SSDQOS_FLASH_OWN_TRIM, CREATE, trim_presets, \
	  "kind of drive whose values the other trim_ parameters start from") \
	P(trim_ns, "ns", 0, SSDQOS_MAX_NS, 20000, LIVE, NULL,		\
	  "time of a TRIM command")					\
	P(trim_step_ns, "ns", 0, SSDQOS_MAX_NS, 20000, LIVE, NULL,	\
	  "and of each further 4 MiB of it")				\
	P(trim_command, "", 0, 1, 0, LIVE, switches,			\
	  "the controller takes no other command meanwhile, as where TRIM can't be queued") \
	P(trim_mode, "", 0, 1, SSDQOS_FLASH_TRIM_INVALIDATE, LIVE, trim_modes, \
	  "TRIM marks pages invalid, or also erases emptied blocks at once") \
	P(trim_granule_kib, "KiB", 4, 1048576, 4, LIVE, NULL,		\
	  "TRIM acts on whole aligned granules of this size")		\
	P(fill_timeout_ns, "ns", 0, SSDQOS_MAX_NS, 100000, LIVE, NULL,	\
	  "with cache none or FUA: time that a part of a flash page waits for more writes") \
	P(flush_start_pct, "%", 0, 95, 0, LIVE, NULL,			\
	  "the write buffer is written out from this fill level on; 0 is at once") \
	P(gc_policy, "", 0, 1, SSDQOS_FLASH_GREEDY, LIVE, gc_policies,	\
	  "how garbage collection picks a block")			\
	P(gc_scope, "", 0, 1, SSDQOS_FLASH_GC_PLANE, LIVE, gc_scopes,	\
	  "planes collect garbage each for itself, or all when the drive has few free blocks") \
	P(gc_start_blocks, "blocks", 2, 65535, 4, LIVE, NULL,		\
	  "a plane collects garbage from fewer free blocks than this on") \
	P(gc_stop_blocks, "blocks", 3, 65535, 8, LIVE, NULL,		\
	  "and stops when it has as many as this")			\
	P(gc_plane_blocks, "blocks", 0, 16777216, 0, LIVE, NULL,	\
	  "both are for planes of so many blocks, scaled to others; 0: as they are") \
	P(gc_copyback, "", 0, 1, 0, LIVE, switches,			\
	  "garbage collection copies inside the plane, off the channel, where it can") \
	P(gc_blocking, "", 0, 5, SSDQOS_FLASH_GC_BLOCKS_NOTHING, LIVE, gc_blockings, \
	  "what the host can't use while a block is emptied, or during a burst of that") \
	P(gc_hard_blocks, "blocks", 1, 65535, 2, LIVE, NULL,		\
	  "with gc_blocking preemptive: its channel waits for a plane with no more free blocks") \
	P(gc_ideal, "", 0, 1, 0, LIVE, switches,			\
	  "emptying blocks takes no time and blocks nothing: what no collection could beat") \
	P(gc_burst_ns, "ns", 0, SSDQOS_MAX_NS, 0, LIVE, NULL,		\
	  "a blocking burst ends after this time, from 100000 on, whatever is left; 0 is never") \
	P(gc_pause_ns, "ns", 0, SSDQOS_MAX_NS, 20000000, LIVE, NULL,	\
	  "and the next one begins this much later")			\
	P(gc_burst_spread_pct, "%", 0, 100, 0, LIVE, NULL,		\
	  "bursts and pauses are drawn up to this much shorter or longer")	\
	P(gc_defer_kib, "KiB", 0, 1073741824, 0, LIVE, NULL,		\
	  "collection waits while the host writes runs of so much and a block is free; 0: never") \
	P(write_granule_kib, "KiB", 4, 1024, 4, LIVE, NULL,		\
	  "a write that continues none before it programs whole granules of this size") \
	P(uncached_writes, "", 0, 65536, 0, LIVE, NULL,			\
	  "with cache none: writes that are programmed at a time; 0 is any number") \
	P(read_command_ns, "ns", 0, SSDQOS_MAX_NS, 0, LIVE, NULL,	\
	  "time of the controller for a read command; it takes one at a time") \
	P(write_command_ns, "ns", 0, SSDQOS_MAX_NS, 0, LIVE, NULL,	\
	  "time of the controller for a write command")			\
	P(link_mb_s, "MB/s", 0, 100000, 0, LIVE, NULL,			\
	  "transfer rate of the interface, which takes one command at a time; 0: any rate") \
	P(map_cache_kib, "KiB", 0, 16777216, 0, CREATE, NULL,		\
	  "memory for the map; the rest of it is in flash and read on demand; 0 is all in memory") \
	P(rain, "", 0, 1, 0, CREATE, switches,				\
	  "parity across the channels, in flash of its own; needs allocation static") \
	P(rain_width, "units", 0, 32, 0, CREATE, NULL,			\
	  "units of a stripe, parity included: a divisor of channels; 0: one on each channel") \
	P(rain_reconstruct, "", 0, 1, 1, LIVE, switches,		\
	  "with rain: a read that internal work blocks is rebuilt from the rest of its stripe") \
	P(rotate, "", 0, 2, SSDQOS_FLASH_ROTATE_OFF, LIVE, rotations,	\
	  "with rain: planes of a group empty blocks one by one; on: unless out of space") \
	P(rain_flush, "", 0, 1, SSDQOS_FLASH_FLUSH_UNITS, CREATE, rain_flushes, \
	  "with rain: the write buffer goes out unit by unit, or by stripes, full ones first") \
	P(rain_shift_pct, "%", 0, 1000, 0, LIVE, NULL,			\
	  "with rain_flush stripes: they leave planes worn so much more than others; 0: never") \
	P(scheduler, "", 0, 3, SSDQOS_FLASH_FIFO, LIVE, schedulers,	\
	  "how a chip chooses among the tasks that wait for it")	\
	P(lookup_min_ns, "ns", 0, SSDQOS_MAX_NS, 0, LIVE, NULL,		\
	  "shortest time of the controller to look up a request in the map") \
	P(lookup_max_ns, "ns", 0, SSDQOS_MAX_NS, 0, LIVE, NULL,		\
	  "longest time for that; times between are equally likely")	\
	P(host_delay_min_ns, "ns", 0, SSDQOS_MAX_NS, 0, LIVE, NULL,	\
	  "shortest time of the controller to make a flash operation for the host") \
	P(host_delay_max_ns, "ns", 0, SSDQOS_MAX_NS, 0, LIVE, NULL,	\
	  "longest time for that")					\
	P(internal_delay_min_ns, "ns", 0, SSDQOS_MAX_NS, 0, LIVE, NULL,	\
	  "shortest time of the controller to make a flash operation for another task") \
	P(internal_delay_max_ns, "ns", 0, SSDQOS_MAX_NS, 0, LIVE, NULL,	\
	  "longest time for that")					\
	P(scrub_start_reads, "reads", 0, 100000000, 0, LIVE, NULL,	\
	  "a plane is scrubbed when a block was read more often than this; 0 is never") \
	P(scrub_stop_reads, "reads", 0, 100000000, 0, LIVE, NULL,	\
	  "and until no block was read more often than this")		\
	P(wear_start_cycles, "cycles", 0, 1000000, 0, LIVE, NULL,	\
	  "the least worn block is emptied when another has this many more; 0 is never") \
	P(share_period_ns, "ns", 100000, SSDQOS_MAX_NS, 10000000, LIVE, NULL, \
	  "time between two steps of the share controller")		\
	P(share_max_permille, "permille", 1, 1000, 800, LIVE, NULL,	\
	  "the share controller gives no task more than this")		\
	P(share_lend, "", 0, 1, 1, LIVE, switches,			\
	  "what a host request waits for goes first, over its share; off: the paper's rules") \
	P(bypass_max, "", 0, 65535, 24, LIVE, NULL,			\
	  "operations that may pass one that a host request waits for; 0 is any number") \
	P(quiet_ns, "ns", 0, SSDQOS_MAX_NS, 0, LIVE, NULL,		\
	  "with debit, tasks with feedback at rest wait until the host was quiet so long") \
	P(map_share_permille, "permille", 1, 1000, 250, LIVE, NULL,	\
	  "share of reading and writing the map")			\
	SSDQOS_FLASH_TASK_PARAMS(P, flush, 500, "units",		\
	  "units in the write buffer above which its share grows; 0 is a quarter of it") \
	SSDQOS_FLASH_TASK_PARAMS(P, gc, 50, "blocks",			\
	  "free blocks of the drive below which its share grows; 0 is where it starts") \
	SSDQOS_FLASH_TASK_PARAMS(P, scrub, 20, "reads",			\
	  "reads of a block above which its share grows; 0 is where it starts") \
	SSDQOS_FLASH_TASK_PARAMS(P, wear, 20, "cycles",			\
	  "difference in cycles above which its share grows; 0 is where it starts") \
	P(verify, "", 0, 1, 0, LIVE, switches,				\
	  "what gc_copyback has copied is read through the controller when the host is quiet") \
	P(verify_quiet_ns, "ns", 10000, SSDQOS_MAX_NS, 1000000, LIVE, NULL, \
	  "no read or write came for so long before; a share that has grown doesn't wait") \
	SSDQOS_FLASH_TASK_PARAMS(P, verify, 20, "pages",		\
	  "copied flash pages to verify above which its share grows; 0 is a sixteenth of all")

struct ssdqos_flash_config {
#define P(name, ...) u64 name;
	SSDQOS_FLASH_PARAMS(P)
#undef P
};

enum ssdqos_flash_param {
#define P(name, ...) SSDQOS_FLASH_P_##name,
	SSDQOS_FLASH_PARAMS(P)
#undef P
	SSDQOS_FLASH_NR_PARAMS,
};

static_assert(sizeof(struct ssdqos_flash_config) ==
	      SSDQOS_FLASH_NR_PARAMS * sizeof(u64));

extern const struct ssdqos_param ssdqos_flash_params[SSDQOS_FLASH_NR_PARAMS];

/**
 * ssdqos_flash_config_value - a parameter by number
 * @cfg: the configuration
 * @param: enum ssdqos_flash_param
 *
 * Return: where it is kept.
 */
static inline u64 *
ssdqos_flash_config_value(struct ssdqos_flash_config *cfg, u32 param)
{
	return (u64 *)cfg + param;
}

void ssdqos_flash_config_init(struct ssdqos_flash_config *cfg, u32 preset);
void ssdqos_flash_config_trim(struct ssdqos_flash_config *cfg, u32 preset);
u32 ssdqos_flash_config_named(struct ssdqos_flash_config *cfg, bool *named);
int ssdqos_flash_config_set(struct ssdqos_flash_config *cfg, const char *key,
			    const char *value, char *err, u32 err_size);
bool ssdqos_flash_config_same_drive(const struct ssdqos_flash_config *a,
				    const struct ssdqos_flash_config *b);
int ssdqos_flash_config_check(const struct ssdqos_flash_config *cfg, char *err,
			      u32 err_size);

#endif /* SSDQOS_FLASH_CONFIG_H */
