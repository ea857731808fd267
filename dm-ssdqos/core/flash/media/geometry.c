// SPDX-License-Identifier: GPL-2.0
/*
 * geometry.c - scale a drive model to a capacity
 *
 * The number of blocks follows from capacity and over-provisioning, both of
 * which are kept.  On a small drive that would leave a plane with too few
 * blocks to work with, so blocks are made smaller first (timing stays), then
 * planes, chips and channels are halved (parallelism shrinks, as it does on
 * real small drives), then blocks again.
 *
 * A drive never gets stuck if some plane always has a block whose collection
 * gains a page.  In the worst case a plane has one open block for the host, one
 * for the map if that is written, one open block and one spare block for garbage
 * collection, and every other block has units_per_page - 1 invalid units, which
 * gains nothing.  What is over-provisioned must exceed that; one block more keeps
 * garbage collection from eating its own tail.  An open block is of its stream's
 * kind; the others are reckoned to be of the kind that holds least, and one that holds
 * more is not collected as long as it does (gc.c).
 *
 * That it never gets stuck is not enough: collection that stops when nearly all that
 * is invalid has been gathered copies a page many times for each that it gains.
 * Example: 20 blocks in a plane, four of them spare, two of these open; to get from two
 * to three free ones, 7 pages were copied for each that was gained, and reads fell
 * to a tenth for 150 s.  No drive of real size has so few blocks, so blocks are made smaller
 * until, beside what is free when collection stops at the earliest and open ones that
 * are full by half, half a block of each plane may be invalid.
 */
#include "media.h"

#define GEO_MIN_PAGES_PER_BLOCK	64	/* below this, shrink parallelism first */
#define GEO_LEAST_PAGES_PER_BLOCK 4
#define GEO_RESERVED_BLOCKS	2	/* spare, slack; and those that are open */
/* Free in a plane when collection stops, at the least (gc.c). */
#define GEO_LEAST_STOP_BLOCKS	(FLASH_GC_LEAST_START + 1u)

/* A cache of a few pages of the map would only ever wait for itself. */
#define GEO_LEAST_MAP_FRAMES	8
#define GEO_KIB_FRAME_SHIFT	2
#define GEO_MAX_PSN		(1u << 31)

struct geo_shape {
	u32 channels;
	u32 chips;	/* on a channel */
	u32 planes;	/* in a chip */
	u32 pages;	/* in a block */
};

static u32 geo_log2(u32 n)
{
	return (u32)fls64(n) - 1;
}

static bool geo_halve(struct geo_shape *s)
{
	if (s->pages > GEO_MIN_PAGES_PER_BLOCK)
		s->pages /= 2;
	else if (s->planes > 1)
		s->planes /= 2;
	else if (s->chips > 1)
		s->chips /= 2;
	else if (s->channels > 1)
		s->channels /= 2;
	else if (s->pages > GEO_LEAST_PAGES_PER_BLOCK)
		s->pages /= 2;
	else
		return false;
	return true;
}

/* Parity takes flash of its own, so that rain leaves the data what it has
 * without ("additional physical capacity", AutoSSD section 5.2); the map takes
 * its pages from what is over-provisioned.
 */
static u32 geo_parity_units(const struct ssdqos_flash_geo *geo)
{
	u32 data_units = geo->stripe_units - 1;

	return (geo->nr_lpn + data_units - 1) / data_units;
}

/* A map that fits into memory is never written back. */
static void geo_cache_map(struct ssdqos_flash_geo *geo,
			  const struct ssdqos_flash_config *cfg)
{
	u32 nr_pages = geo->nr_all - geo->map_lpn;
	u64 frames = max_t(u64, cfg->map_cache_kib >> GEO_KIB_FRAME_SHIFT,
			   GEO_LEAST_MAP_FRAMES);

	geo->map_frames = (u32)min_t(u64, frames, nr_pages);
	geo->nr_streams = FLASH_STREAM_MAP + (geo->map_frames < nr_pages);
}

/* Units of a stripe.  A drive that got fewer channels has one on each. */
static u32 geo_stripe_units(const struct ssdqos_flash_geo *geo,
			    const struct ssdqos_flash_config *cfg)
{
	if (!cfg->rain)
		return 0;
	if (!cfg->rain_width || geo->channels % (u32)cfg->rain_width)
		return geo->channels;
	return (u32)cfg->rain_width;
}

static void geo_number_units(struct ssdqos_flash_geo *geo,
			     const struct ssdqos_flash_config *cfg)
{
	geo->stripe_units = geo_stripe_units(geo, cfg);
	geo->parity_lpn = geo->nr_lpn;
	geo->map_lpn = geo->nr_lpn;
	if (geo->stripe_units > 1)
		geo->map_lpn += geo_parity_units(geo);
	geo->nr_all = geo->map_lpn;
	if (cfg->map_cache_kib)
		geo->nr_all += (geo->map_lpn + SSDQOS_MAP_ENTRIES - 1) >>
			       SSDQOS_MAP_SHIFT;
	geo_cache_map(geo, cfg);
}

static void geo_make(struct ssdqos_flash_geo *geo, const struct geo_shape *s,
		     const struct ssdqos_flash_config *cfg)
{
	u32 units_per_block = s->pages * geo->units_per_page;
	u64 blocks, want_units;

	geo->channels = s->channels;
	geo->nr_chips = s->channels * s->chips;
	geo->nr_planes = geo->nr_chips * s->planes;
	geo->pages_per_block = s->pages;
	geo->block_shift = geo_log2(units_per_block);
	geo_number_units(geo, cfg);
	want_units = geo->map_lpn +
		     div64_u64(geo->map_lpn * cfg->op_permille + 999, 1000);
	blocks = (want_units + units_per_block - 1) >> geo->block_shift;
	geo->blocks_per_plane = (u32)div64_u64(blocks + geo->nr_planes - 1,
					       geo->nr_planes);
	geo->nr_blocks = geo->blocks_per_plane * geo->nr_planes;
}

/* Units of the smallest blocks that are opened: in the worst case all are so. */
static u32 geo_least_block_units(const struct ssdqos_flash_geo *geo)
{
	u32 least = 1u << geo->block_shift, s;

	for (s = 0; s < geo->nr_streams; s++)
		least = min(least, flash_kind_units(geo, flash_stream_kind(s)));
	return least;
}

/* Units that over-provisioning must exceed, see the top of the file. */
u64 flash_geo_least_spare(const struct ssdqos_flash_geo *geo)
{
	u64 units = GEO_RESERVED_BLOCKS *
		    flash_kind_units(geo, flash_stream_kind(FLASH_STREAM_GC));
	u32 s;

	for (s = 0; s < geo->nr_streams; s++)
		units += flash_kind_units(geo, flash_stream_kind(s));
	return geo->nr_planes * units +
	       (u64)geo->nr_blocks * (geo->units_per_page - 1);
}

/* Is there something to collect when collection stops?  See the top of the file; in
 * halves of a block.
 */
static bool geo_has_cycle(const struct ssdqos_flash_geo *geo, u64 units)
{
	u64 halves = 2 * GEO_LEAST_STOP_BLOCKS + geo->nr_streams + 1;

	return 2 * (units - geo->nr_all) >=
	       geo->nr_planes * halves << geo->block_shift;
}

static bool geo_works(const struct ssdqos_flash_geo *geo)
{
	u64 units = (u64)geo->nr_blocks * geo_least_block_units(geo);

	return geo->stripe_units != 1 &&
	       units >= geo->nr_all + flash_geo_least_spare(geo) &&
	       (geo->pages_per_block <= GEO_MIN_PAGES_PER_BLOCK ||
		geo_has_cycle(geo, units));
}

/**
 * ssdqos_flash_geo_fit - scale a drive model to a capacity
 * @geo: gets the geometry
 * @cfg: a checked configuration
 * @nr_sectors: logical capacity in sectors of 512 bytes
 * @err: gets one sentence on failure
 * @err_size: its size
 *
 * Return: 0, or -EINVAL if the capacity is out of range or leaves too little
 * over-provisioning for any geometry.
 */
int ssdqos_flash_geo_fit(struct ssdqos_flash_geo *geo,
			 const struct ssdqos_flash_config *cfg, u64 nr_sectors,
			 char *err, u32 err_size)
{
	struct geo_shape shape = {
		.channels = (u32)cfg->channels,
		.chips = (u32)cfg->chips_per_channel,
		.planes = (u32)cfg->planes_per_chip,
		.pages = (u32)cfg->pages_per_block,
	};

	if (nr_sectors < SSDQOS_FLASH_MIN_SECTORS ||
	    nr_sectors > SSDQOS_FLASH_MAX_SECTORS) {
		scnprintf(err, err_size,
			  "length: '%llu' is not from %llu to %llu sectors (64 MiB to 1 TiB)",
			  nr_sectors, SSDQOS_FLASH_MIN_SECTORS,
			  SSDQOS_FLASH_MAX_SECTORS);
		return -EINVAL;
	}
	geo->nr_lpn = (u32)((nr_sectors + SSDQOS_UNIT_SECTORS - 1) >>
			    SSDQOS_UNIT_SECTOR_SHIFT);
	geo->units_per_page = (u32)cfg->page_kib >> 2;
	geo->page_shift = geo_log2(geo->units_per_page);
	do {
		geo_make(geo, &shape, cfg);
		if (!geo_works(geo))
			continue;
		if ((u64)geo->nr_blocks << geo->block_shift > GEO_MAX_PSN)
			break;
		geo->nr_psn = geo->nr_blocks << geo->block_shift;
		return 0;
	} while (geo_halve(&shape));
	scnprintf(err, err_size,
		  "op_permille: '%llu' leaves no workable drive of %llu MiB; use more over-provisioning or another capacity",
		  cfg->op_permille, nr_sectors >> 11);
	return -EINVAL;
}
