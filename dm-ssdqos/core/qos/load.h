/* SPDX-License-Identifier: GPL-2.0 */
/*
 * load.h - what guarantees take together (load.c)
 */
#ifndef SSDQOS_QOS_LOAD_H
#define SSDQOS_QOS_LOAD_H

#include "profile.h"

/* Clients with 1 request at a time, 2 or 3, 4 to 7, ... 1024 and more. */
#define SSDQOS_LOAD_DEPTHS 11
/* Requests of up to 4 KiB, 8, 16, ... 128 KiB, and larger ones, as 256 KiB. */
#define SSDQOS_LOAD_SIZES 7
#define SSDQOS_LOAD_MIN_BYTES 4096u

/**
 * struct ssdqos_edf_load - what guarantees take together
 * @util_ppm: device time, by operation
 * @effort_ppm: what is kept for streams without one, who may write with it
 * @drive_depth: requests that the drive gets at a time
 * @read_ppm: the largest part of one stream's reads, by how many requests its
 *	client has at a time and by their size, of those that have fewer than the
 *	drive gets; no part is beyond 32 bits (admit.c)
 * @key: the shortest and the longest of their windows, the highest confidence, the
 *	least depth
 */
struct ssdqos_edf_load {
	u64 util_ppm[SSDQOS_QOS_NR_OPS];
	u64 effort_ppm;
	u64 drive_depth;
	u32 read_ppm[SSDQOS_LOAD_DEPTHS][SSDQOS_LOAD_SIZES];
	struct ssdqos_cost_key key;
};

#endif /* SSDQOS_QOS_LOAD_H */
