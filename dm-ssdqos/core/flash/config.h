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
	SSDQOS_FLASH_NR_PRESETS,
};

enum ssdqos_flash_allocation {
	SSDQOS_FLASH_DYNAMIC,
	SSDQOS_FLASH_STATIC,
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

enum ssdqos_flash_trim_mode {
	SSDQOS_FLASH_TRIM_INVALIDATE,
	SSDQOS_FLASH_TRIM_ERASE,
};

/* Every plane and channel has an event, see engine/evq.h. */
#define SSDQOS_FLASH_MAX_PLANES 32768u

#define SSDQOS_MAX_NS 10000000000ULL	/* 10 s: no NAND operation lasts longer */

#define SSDQOS_FLASH_PARAMS(P)						\
	P(preset, "", 0, 1, 0, CREATE, presets,				\
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
	P(channel_mb_s, "MB/s", 1, 100000, 400, LIVE, NULL,		\
	  "transfer rate of a channel")					\
	P(ram_ns, "ns", 0, SSDQOS_MAX_NS, 2000, LIVE, NULL,		\
	  "time of the controller to serve a request from its memory")	\
	P(trim_ns, "ns", 0, SSDQOS_MAX_NS, 20000, LIVE, NULL,		\
	  "time of a TRIM command, and again for each further 4 MiB of it") \
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
	P(gc_start_blocks, "blocks", 2, 65535, 4, LIVE, NULL,		\
	  "a plane collects garbage from fewer free blocks than this on") \
	P(gc_stop_blocks, "blocks", 3, 65535, 8, LIVE, NULL,		\
	  "and stops when it has as many as this")			\
	P(gc_copyback, "", 0, 1, 0, LIVE, switches,			\
	  "garbage collection copies inside the plane, off the channel, where it can")

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
int ssdqos_flash_config_set(struct ssdqos_flash_config *cfg, const char *key,
			    const char *value, char *err, u32 err_size);
bool ssdqos_flash_config_same_drive(const struct ssdqos_flash_config *a,
				    const struct ssdqos_flash_config *b);
int ssdqos_flash_config_check(const struct ssdqos_flash_config *cfg, char *err,
			      u32 err_size);

#endif /* SSDQOS_FLASH_CONFIG_H */
