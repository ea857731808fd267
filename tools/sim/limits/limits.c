// SPDX-License-Identifier: GPL-2.0
#include "limits.h"

#include <math.h>

#define S_PER_NS 1e-9
#define BYTES_PER_MB 1e6
#define BISECTIONS 60
#define PERMILLE 1000.0
#define WIDTH_LEAST 2
/* Beyond that, no drive has the channels, and a double not the digits. */
#define WIDTH_MOST 1000000

/* The part of its units that a plane has valid, if blocks are collected at @valid. */
static double filled_of(double valid)
{
	return (1 - valid) / -log(valid);
}

/* Valid part of the block that is collected, where all is overwritten at random: age_plane.c. */
static double random_valid(double filled)
{
	double low = 0, high = 1;

	for (int i = 0; i < BISECTIONS; i++) {
		const double middle = (low + high) / 2;

		if (filled_of(middle) < filled)
			low = middle;
		else
			high = middle;
	}
	return (low + high) / 2;
}

static double page_transfer_s(const struct ssdqos_flash_config *config, double page_bytes)
{
	return page_bytes / ((double)config->channel_mb_s * BYTES_PER_MB);
}

/* Copying one page of a victim: a page is read if one of its units is valid. */
static double copy_s(const struct ssdqos_flash_config *config, const struct limits *limits,
		     u32 units_per_page)
{
	const double valid = limits->valid;
	const double reads = 1 - pow(1 - valid, units_per_page);
	double s = reads * (double)config->read_ns * S_PER_NS +
		   valid * (double)config->program_ns * S_PER_NS;

	/* out of the plane and back */
	if (!config->gc_copyback)
		s += 2 * valid * page_transfer_s(config, (double)limits->page_bytes);
	return s;
}

static double collect_s(const struct ssdqos_flash_config *config,
			const struct ssdqos_flash_geo *geo, const struct limits *limits,
			bool as_paper)
{
	const double copy = copy_s(config, limits, geo->units_per_page);

	if (as_paper)
		return copy;
	return (copy + (double)config->erase_ns * S_PER_NS / geo->pages_per_block) /
	       (1 - limits->valid);
}

/* The largest N with N x @collect_s below one second. */
static u64 widest(double collect_s)
{
	const double width = collect_s > 1.0 / WIDTH_MOST ? ceil(1 / collect_s) - 1 : WIDTH_MOST;

	return width < WIDTH_LEAST ? 0 : (u64)width;
}

static struct limits_load load_of(const struct limits *limits, double plane_bytes_s,
				  bool as_paper)
{
	const double pages_s = plane_bytes_s / (double)limits->page_bytes;
	const double copies = as_paper ? limits->valid : limits->valid / (1 - limits->valid);

	return (struct limits_load){
		.plane_bytes_s = plane_bytes_s,
		.pages_s = pages_s,
		.copies_s = pages_s * copies,
		.collect_s = pages_s * limits->collect_s,
		.width = widest(pages_s * limits->collect_s),
	};
}

static double least(double a, double b)
{
	return a < b ? a : b;
}

/* The most that the planes, the channels and the interface take. */
static double drive_bytes_s(const struct ssdqos_flash_config *config,
			    const struct ssdqos_flash_geo *geo, const struct limits *limits)
{
	double most = limits->most.plane_bytes_s * geo->nr_planes;

	most = least(most, (double)config->channel_mb_s * BYTES_PER_MB * geo->channels);
	if (config->link_mb_s)
		most = least(most, (double)config->link_mb_s * BYTES_PER_MB);
	return most;
}

static void find_drive(struct limits *limits, const struct ssdqos_flash_config *config,
		       const struct ssdqos_flash_geo *geo, const struct limits_wish *wish)
{
	const u32 units = wish->as_paper ? geo->nr_psn : geo->nr_lpn;

	limits->width = wish->width ? wish->width :
			geo->stripe_units > 1 ? geo->stripe_units : geo->channels;
	limits->nr_planes = geo->nr_planes;
	limits->page_bytes = (u64)geo->units_per_page << SSDQOS_UNIT_SHIFT;
	limits->plane_bytes = (double)((u64)units << SSDQOS_UNIT_SHIFT) / geo->nr_planes;
	limits->write_s = (double)config->program_ns * S_PER_NS +
			  page_transfer_s(config, (double)limits->page_bytes);
	limits->valid = wish->valid < 0 ? random_valid((double)geo->nr_all / geo->nr_psn) :
					  wish->valid;
	limits->collect_s = collect_s(config, geo, limits, wish->as_paper);
}

void limits_find(struct limits *limits, const struct ssdqos_flash_config *config,
		 const struct ssdqos_flash_geo *geo, const struct limits_wish *wish)
{
	const double day_s = (double)wish->day_ns * S_PER_NS;
	double page_bytes, asked;

	find_drive(limits, config, geo, wish);
	page_bytes = (double)limits->page_bytes;
	asked = wish->write_bytes_s ? (double)wish->write_bytes_s / geo->nr_planes :
		limits->plane_bytes * (double)wish->writes_permille / PERMILLE / day_s;
	limits->most = load_of(limits, page_bytes / limits->write_s, wish->as_paper);
	limits->asked = load_of(limits, asked, wish->as_paper);
	limits->bound = load_of(limits, page_bytes / ((double)limits->width * limits->collect_s),
				wish->as_paper);
	limits->bound_writes = limits->bound.plane_bytes_s * day_s / limits->plane_bytes;
	limits->drive_bytes_s = drive_bytes_s(config, geo, limits);
	limits->buffer_bytes = (wish->write_bytes_s ? (double)wish->write_bytes_s :
						      limits->drive_bytes_s) /
			       (double)limits->width;
}
