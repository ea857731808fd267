/* SPDX-License-Identifier: GPL-2.0 */
/*
 * config.h - how a mirror is run: one table
 *
 * A row P(name, unit, min, max, default, when, choices, help) for each tunable; the
 * table line, messages, sysfs, the simulator and the documentation are made from them.
 */
#ifndef SSDQOS_MIRROR_CONFIG_H
#define SSDQOS_MIRROR_CONFIG_H

#include "../param.h"

#define SSDQOS_MIRROR_MAX_MEMBERS 8u
/* Sets of them, a bit each. */
#define SSDQOS_MIRROR_NR_MASKS (1u << SSDQOS_MIRROR_MAX_MEMBERS)
/* What is kept, sent and compared: a page. */
#define SSDQOS_MIRROR_BLOCK_BYTES 4096u
#define SSDQOS_MIRROR_BLOCK_SECTORS (SSDQOS_MIRROR_BLOCK_BYTES / 512)
#define SSDQOS_MIRROR_BLOCK_KIB (SSDQOS_MIRROR_BLOCK_BYTES / 1024)
/* Largest region_kib in blocks. */
#define SSDQOS_MIRROR_MAX_REGION_BLOCKS (4096 / SSDQOS_MIRROR_BLOCK_KIB)
/* Blocks of one write to a member: 256 KiB, a stripe of pages on most drives. */
#define SSDQOS_MIRROR_MAX_RUN 64u
/* Writes under way at a member. */
#define SSDQOS_MIRROR_MAX_DEPTH 64u

/**
 * enum ssdqos_mirror_durability - when a flush is answered
 * @SSDQOS_MIRROR_STRICT: when all before it is on stable storage of a member, and the
 *	metadata say of which
 * @SSDQOS_MIRROR_JOURNAL: when all before it is in the journal
 * @SSDQOS_MIRROR_VOLATILE: at once; a power cut takes the writes of the last turns, all
 *	from some moment on
 */
enum ssdqos_mirror_durability {
	SSDQOS_MIRROR_STRICT,
	SSDQOS_MIRROR_JOURNAL,
	SSDQOS_MIRROR_VOLATILE,
};

#define SSDQOS_MIRROR_PARAMS(P)						\
	P(durability, "", 0, 2, SSDQOS_MIRROR_STRICT, CREATE, mirror_durabilities, \
	  "when a flush is answered: data on a member, in the journal, or at once") \
	P(switch_ms, "ms", 10, 600000, 5000, LIVE, NULL,		\
	  "members change roles after this time, or when the one that writes has caught up") \
	P(idle_ms, "ms", 0, 60000, 0, LIVE, NULL,			\
	  "part of it in which nothing is written, so that the drive gets its own work done") \
	P(writers, "members", 1, SSDQOS_MIRROR_MAX_MEMBERS - 1, 1, CREATE, NULL, \
	  "so many write at a time, the others read")			\
	P(cache_kib, "KiB", 1024, 1073741824, 262144, CREATE, NULL,	\
	  "memory for writes that not all have yet; twice a member's rate by switch_ms") \
	P(region_kib, "KiB", 64, 4096, 1024, CREATE, NULL,		\
	  "unit in which the metadata say where members differ; a power of two") \
	P(depth, "requests", 1, SSDQOS_MIRROR_MAX_DEPTH, 32, LIVE, NULL, \
	  "writes under way at a member")				\
	P(run_kib, "KiB", SSDQOS_MIRROR_BLOCK_KIB,			\
	  SSDQOS_MIRROR_MAX_RUN * SSDQOS_MIRROR_BLOCK_KIB,		\
	  SSDQOS_MIRROR_MAX_RUN * SSDQOS_MIRROR_BLOCK_KIB, LIVE, NULL,	\
	  "largest write to a member; blocks that touch are sent together") \
	P(assume_same, "", 0, 1, 0, CREATE, mirror_switches,		\
	  "a new mirror: members have the same already, so nothing is copied") \
	P(throttle, "", 0, 1, 1, LIVE, mirror_switches,			\
	  "when half of the cache is full, writes are taken as fast as members do them") \
	P(rebuild_mb_s, "MB/s", 0, 1000000, 100, LIVE, NULL,		\
	  "rate at which a member is brought up to date, and members are compared; 0 is no limit") \
	P(max_errors, "errors", 1, 1000000, 20, LIVE, NULL,		\
	  "a member whose reads have failed so often is not used any more")

struct ssdqos_mirror_config {
#define P(name, ...) u64 name;
	SSDQOS_MIRROR_PARAMS(P)
#undef P
};

enum ssdqos_mirror_param {
#define P(name, ...) SSDQOS_MIRROR_P_##name,
	SSDQOS_MIRROR_PARAMS(P)
#undef P
	SSDQOS_MIRROR_NR_PARAMS,
};

extern const struct ssdqos_param ssdqos_mirror_params[SSDQOS_MIRROR_NR_PARAMS];

/**
 * ssdqos_mirror_config_value - a parameter by number
 * @cfg: the configuration
 * @param: enum ssdqos_mirror_param
 *
 * Return: where it is kept.
 */
static inline u64 *ssdqos_mirror_config_value(struct ssdqos_mirror_config *cfg,
					      u32 param)
{
	return (u64 *)cfg + param;
}

void ssdqos_mirror_config_init(struct ssdqos_mirror_config *cfg);
int ssdqos_mirror_config_set(struct ssdqos_mirror_config *cfg, const char *key,
			     const char *value, char *err, u32 err_size);
int ssdqos_mirror_config_check(const struct ssdqos_mirror_config *cfg,
			       u32 members, char *err, u32 err_size);

#endif /* SSDQOS_MIRROR_CONFIG_H */
