// SPDX-License-Identifier: GPL-2.0
/*
 * print.c - a drive's parameters, counters and latencies as text
 *
 * Status is a list of key=value; keys are only ever added, at the end of
 * their group.  Every function prints at most what fits and returns its
 * length, as scnprintf() does.
 */
#include <linux/kernel.h>
#include <linux/slab.h>

#include "drive.h"
#include "print.h"

#define STATUS_VERSION 1

#define PPM_PER_PERMILLE 1000

/* What a histogram's line shows, in parts per million. */
static const struct {
	const char *name;
	u32 ppm;
} flash_quantiles[] = {
	{ "p50", 500000 },
	{ "p99", 990000 },
	{ "p999", 999000 },
	{ "p9999", 999900 },
};

/**
 * flash_print_args - the optional arguments of a table line
 * @cfg: the parameters
 * @buf: gets "<#args> key value ..."
 * @size: its size
 *
 * A line with these arguments makes the same drive.
 *
 * Return: number of characters.
 */
int flash_print_args(struct ssdqos_flash_config *cfg, char *buf,
		     unsigned int size)
{
	bool named[SSDQOS_FLASH_NR_PARAMS];
	u32 i, nr = ssdqos_flash_config_named(cfg, named);
	int len;

	len = scnprintf(buf, size, "%u", 2 * nr);
	for (i = 0; i < SSDQOS_FLASH_NR_PARAMS; i++) {
		if (!named[i])
			continue;
		len += scnprintf(buf + len, size - len, " %s ",
				 ssdqos_flash_params[i].name);
		len += ssdqos_param_format(&ssdqos_flash_params[i],
					   *ssdqos_flash_config_value(cfg, i),
					   buf + len, size - len);
	}
	return len;
}

/**
 * flash_print_share - a share in permille, as its parameter is given
 * @share_ppm: the share
 * @buf: gets "16", or "16.285" where a controller has set it
 * @size: its size
 *
 * Return: number of characters.
 */
int flash_print_share(u32 share_ppm, char *buf, unsigned int size)
{
	u32 fraction = share_ppm % PPM_PER_PERMILLE;
	int len = scnprintf(buf, size, "%u", share_ppm / PPM_PER_PERMILLE);

	if (fraction)
		len += scnprintf(buf + len, size - len, ".%03u", fraction);
	return len;
}

static int flash_print_gauges(struct flash_drive *d,
			      const struct ssdqos_flash_stats *stats,
			      const struct ssdqos_flash_gauges *g, char *buf,
			      unsigned int size)
{
	/* from counters of one moment: those of the gauges may change between */
	u32 hit = (u32)ssdqos_flash_map_hit_milli(stats), waf_fraction, i;
	u64 waf = div_u64_rem(g->waf_milli, 1000, &waf_fraction);
	int len;

	len = scnprintf(buf, size,
			"version=%d time_ns=%llu waf=%llu.%03u free_blocks=%u free_blocks_min=%u mapped_units=%u buffered_units=%u wear_min=%u wear_max=%u read_count_max=%u memory_bytes=%llu late_requests=%lld late_sum_ns=%lld",
			STATUS_VERSION, g->now_ns, waf, waf_fraction,
			g->free_blocks, g->free_blocks_min, g->mapped_units,
			g->buffered_units, g->wear_min, g->wear_max,
			g->read_count_max, g->memory_bytes,
			(long long)atomic64_read(&d->backing_late),
			(long long)atomic64_read(&d->backing_late_ns));
	len += scnprintf(buf + len, size - len,
			 " map_hit_pct=%u.%03u map_cached_pages=%u",
			 hit / 1000, hit % 1000, g->map_cached_pages);
	len += scnprintf(buf + len, size - len,
			 " unverified_pages=%u wear_plane_pct=%u wear_group_pct=%u",
			 g->unverified_pages, g->wear_plane_pct, g->wear_group_pct);
	for (i = 0; i < SSDQOS_NR_TASKS; i++) {
		len += scnprintf(buf + len, size - len, " share_%s=",
				 ssdqos_flash_task_rows[i].name);
		len += flash_print_share(g->share_ppm[i], buf + len,
					 size - len);
	}
	return len;
}

/**
 * flash_print_status - gauges and counters
 * @d: the drive
 * @buf: gets "key=value ..."
 * @size: its size
 *
 * Context: may sleep.
 * Return: number of characters.
 */
int flash_print_status(struct flash_drive *d, char *buf, unsigned int size)
{
	struct ssdqos_flash_gauges g;
	struct ssdqos_flash_stats stats;
	const u64 *value = (const u64 *)&stats;
	u32 i;
	int len;

	flash_drive_snapshot(d, NULL, &stats, &g);
	len = flash_print_gauges(d, &stats, &g, buf, size);
	for (i = 0; i < SSDQOS_FLASH_NR_STATS; i++)
		len += scnprintf(buf + len, size - len, " %s=%llu",
				 ssdqos_flash_stat_names[i], value[i]);
	return len;
}

static int flash_print_hist(const char *name, const struct ssdqos_hist *h,
			    char *buf, unsigned int size)
{
	u32 i;
	int len;

	len = scnprintf(buf, size, "%s n=%llu mean=%llu", name, h->n,
			ssdqos_hist_mean_ns(h));
	for (i = 0; i < ARRAY_SIZE(flash_quantiles); i++)
		len += scnprintf(buf + len, size - len, " %s=%llu",
				 flash_quantiles[i].name,
				 ssdqos_hist_percentile_ns(h,
							   flash_quantiles[i].ppm));
	len += scnprintf(buf + len, size - len, " max=%llu\n", h->max_ns);
	return len;
}

/**
 * flash_print_latency - latencies in nanoseconds, a line for each operation
 * @d: the drive
 * @buf: gets the lines; "late" is how long deliveries were late
 * @size: its size
 *
 * The histograms are read while they grow: a line may miss the newest
 * requests.  Context: may sleep.
 *
 * Return: number of characters.
 */
int flash_print_latency(struct flash_drive *d, char *buf, unsigned int size)
{
	int len = 0;
	u32 op;

	for (op = 0; op < SSDQOS_FLASH_NR_OPS; op++)
		len += flash_print_hist(ssdqos_flash_op_names[op],
					&d->latency->model[op], buf + len,
					size - len);
	return len + flash_print_hist("late", &d->latency->late, buf + len,
				      size - len);
}

/**
 * flash_print_geometry - the effective geometry
 * @d: the drive
 * @buf: gets one "key=value" line
 * @size: its size
 *
 * Return: number of characters.
 */
int flash_print_geometry(struct flash_drive *d, char *buf, unsigned int size)
{
	const struct ssdqos_flash_geo *g = ssdqos_flash_geo(d->model);

	return scnprintf(buf, size,
			 "channels=%u chips=%u planes=%u blocks_per_plane=%u pages_per_block=%u page_bytes=%u logical_units=%u physical_units=%u\n",
			 g->channels, g->nr_chips, g->nr_planes,
			 g->blocks_per_plane, g->pages_per_block,
			 g->units_per_page << SSDQOS_UNIT_SHIFT, g->nr_lpn,
			 g->nr_psn);
}

/**
 * flash_print_waits - what the host's flash reads waited for, in nanoseconds
 * @d: the drive
 * @buf: gets one "key=value" line
 * @size: its size
 *
 * Context: may sleep.
 * Return: number of characters.
 */
int flash_print_waits(struct flash_drive *d, char *buf, unsigned int size)
{
	struct flash_work work;
	u32 i;
	int len;

	flash_drive_work(d, &work);
	len = scnprintf(buf, size, "n=%llu", work.waits.nr);
	for (i = 0; i < SSDQOS_NR_WAITS; i++)
		len += scnprintf(buf + len, size - len, " %s=%llu",
				 ssdqos_flash_wait_names[i],
				 work.waits.ns[i]);
	return len + scnprintf(buf + len, size - len, "\n");
}
