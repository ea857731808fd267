/* SPDX-License-Identifier: GPL-2.0 */
/*
 * limits.h - up to which stripe and rate of writing planes can collect one after the other
 *
 * Appendix A of ttFlash (USENIX FAST 2017).  In a group of N planes that empty blocks in turn,
 * each has to be done in 1/N of the time:
 *
 *	N x (collection of a plane in a second) < 1 s
 *
 * What a page costs that is written in a plane: a victim of P pages with a valid part v is copied
 * and erased, and that makes room for (1 - v) P pages,
 *
 *	(copy(v) + erase / P) / (1 - v)
 *
 * where copy(v), for a page of the victim, is a read, if any of its units is valid, and v programs.
 * The paper has v copies for a page that is written, and no erase: its copies need no room.
 */
#ifndef SSDQOS_SIM_LIMITS_H
#define SSDQOS_SIM_LIMITS_H

#include "../common/types.h"
#include "../../../dm-ssdqos/core/flash/config.h"
#include "../../../dm-ssdqos/core/flash/geometry.h"

/**
 * struct limits_wish - what is asked
 * @width: units of a stripe, 0 for the drive's
 * @write_bytes_s: written in the whole drive in a second, 0 for that of @writes_permille
 * @writes_permille: drive writes a day, in thousandths
 * @day_ns: hours of a day in which they come
 * @valid: valid part of a victim, below 0 for that of uniform random writes
 * @as_paper: Table 3: no erase, no room for copies, the plane's size is that of its flash
 */
struct limits_wish {
	u64 width;
	u64 write_bytes_s;
	u64 writes_permille;
	u64 day_ns;
	double valid;
	bool as_paper;
};

/**
 * struct limits_load - one rate of writing
 * @plane_bytes_s: written in a plane in a second
 * @pages_s: that in pages
 * @copies_s: pages copied for them
 * @collect_s: part of the time that a plane collects for them
 * @width: largest stripe with which planes can take turns; 0 if none has two units
 */
struct limits_load {
	double plane_bytes_s;
	double pages_s;
	double copies_s;
	double collect_s;
	u64 width;
};

/**
 * struct limits - what comes out
 * @width: units of a stripe
 * @nr_planes: of the drive
 * @page_bytes: of a flash page
 * @plane_bytes: of which a drive write is, in a plane
 * @write_s: time of a page of the host in its plane
 * @valid: valid part of a victim
 * @collect_s: time of collection for a page that is written
 * @most: as much as a plane takes
 * @asked: the rate that was asked for
 * @bound: the rate up to which planes of stripes of @width can take turns
 * @bound_writes: that in drive writes a day
 * @drive_bytes_s: the most that the whole drive takes
 * @buffer_bytes: least buffer: what is written for one plane of @width in a second
 */
struct limits {
	u64 width;
	u64 nr_planes;
	u64 page_bytes;
	double plane_bytes;
	double write_s;
	double valid;
	double collect_s;
	struct limits_load most;
	struct limits_load asked;
	struct limits_load bound;
	double bound_writes;
	double drive_bytes_s;
	double buffer_bytes;
};

/**
 * limits_find - work them out
 * @limits: the result
 * @config: of the drive
 * @geo: its geometry
 * @wish: what is asked
 */
void limits_find(struct limits *limits, const struct ssdqos_flash_config *config,
		 const struct ssdqos_flash_geo *geo, const struct limits_wish *wish);

#endif
