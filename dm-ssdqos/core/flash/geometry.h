/* SPDX-License-Identifier: GPL-2.0 */
/*
 * geometry.h - how a drive's flash is cut up, and addresses in it
 *
 * A *unit* is 4 KiB, what the map knows; a flash page holds 1, 2 or 4 units.
 * Logical units are numbered lpn: those of the host from 0, then parity (rain),
 * then the pages of the map (map_cache_kib); physical units
 *
 *	psn = block * units_per_block + page * units_per_page + unit
 *	block = plane * blocks_per_plane + block in the plane
 *
 * Planes are numbered so that neighbours lie on different channels, and then
 * on different chips: channel = plane % channels, chip = plane % nr_chips.
 */
#ifndef SSDQOS_FLASH_GEOMETRY_H
#define SSDQOS_FLASH_GEOMETRY_H

#include "config.h"

#define SSDQOS_UNIT_SHIFT 12			/* 4 KiB */
#define SSDQOS_UNIT_BYTES (1u << SSDQOS_UNIT_SHIFT)
#define SSDQOS_UNIT_SECTOR_SHIFT 3		/* 8 sectors of 512 bytes */
#define SSDQOS_UNIT_SECTORS (1u << SSDQOS_UNIT_SECTOR_SHIFT)
#define SSDQOS_MAX_UNITS_PER_PAGE 4

/* A page of the map is a unit and has entries of 4 bytes. */
#define SSDQOS_MAP_SHIFT 10
#define SSDQOS_MAP_ENTRIES (1u << SSDQOS_MAP_SHIFT)

/* Capacity: one bit of a map entry says "in the write buffer". */
#define SSDQOS_FLASH_MIN_SECTORS (64ULL << 11)		/* 64 MiB */
#define SSDQOS_FLASH_MAX_SECTORS (1ULL << 31)		/* 1 TiB */

/**
 * struct ssdqos_flash_geo - the effective geometry
 * @channels: channels
 * @nr_chips: chips in all
 * @nr_planes: planes in all
 * @blocks_per_plane: erase blocks in a plane
 * @nr_blocks: erase blocks in all
 * @pages_per_block: flash pages in a block, a power of two
 * @units_per_page: units in a flash page: 1, 2 or 4
 * @page_shift: log2 of @units_per_page
 * @block_shift: log2 of the units in a block
 * @nr_lpn: logical units of the host
 * @nr_psn: physical units
 * @stripe_units: units of a stripe, parity included; 0 without rain
 * @parity_lpn: first unit of parity, = @nr_lpn
 * @map_lpn: first page of the map
 * @map_frames: pages of the map that fit into memory
 * @nr_streams: open blocks of a plane: host, moved data, and the map unless all of
 *	it is in memory
 * @nr_all: logical units, parity and the map's pages included
 */
struct ssdqos_flash_geo {
	u32 channels;
	u32 nr_chips;
	u32 nr_planes;
	u32 blocks_per_plane;
	u32 nr_blocks;
	u32 pages_per_block;
	u32 units_per_page;
	u32 page_shift;
	u32 block_shift;
	u32 nr_lpn;
	u32 nr_psn;
	u32 stripe_units;
	u32 parity_lpn;
	u32 map_lpn;
	u32 map_frames;
	u32 nr_streams;
	u32 nr_all;
};

int ssdqos_flash_geo_fit(struct ssdqos_flash_geo *geo,
			 const struct ssdqos_flash_config *cfg, u64 nr_sectors,
			 char *err, u32 err_size);

#endif /* SSDQOS_FLASH_GEOMETRY_H */
