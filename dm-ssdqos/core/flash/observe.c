// SPDX-License-Identifier: GPL-2.0
/*
 * observe.c - what a drive shows: names, counters, gauges
 */
#include "drive.h"

#define MILLI 1000
#define OBSERVE_PCT 100
#define OBSERVE_KIB_SHIFT 10
#define MILLI_PCT 100000	/* all, in thousandths of a percent */

const char *const ssdqos_flash_op_names[SSDQOS_FLASH_NR_OPS] = {
	[SSDQOS_FLASH_READ] = "read",
	[SSDQOS_FLASH_WRITE] = "write",
	[SSDQOS_FLASH_DISCARD] = "discard",
	[SSDQOS_FLASH_FLUSH] = "flush",
};

const char *const ssdqos_flash_wait_names[SSDQOS_NR_WAITS] = {
#define W(NAME, name, help) [SSDQOS_WAIT_##NAME] = #name,
	SSDQOS_FLASH_WAITS(W)
#undef W
};

const char *const ssdqos_nand_op_names[SSDQOS_NR_NAND_OPS] = {
	[SSDQOS_NAND_READ] = "read",
	[SSDQOS_NAND_PROGRAM] = "program",
	[SSDQOS_NAND_ERASE] = "erase",
	[SSDQOS_NAND_COPYBACK] = "copyback",
};

const char *const ssdqos_flash_stat_names[SSDQOS_FLASH_NR_STATS] = {
#define S(name, help) #name,
	SSDQOS_FLASH_STATS(S)
#undef S
};

/* ---- counters and gauges ---- */

/**
 * ssdqos_flash_stats - the counters
 * @f: the drive
 */
const struct ssdqos_flash_stats *
ssdqos_flash_stats(const struct ssdqos_flash *f)
{
	return &f->stats;
}

/**
 * ssdqos_flash_task_stats - counters of a task
 * @f: the drive
 * @task: enum ssdqos_flash_task
 */
const struct ssdqos_flash_task_stats *
ssdqos_flash_task_stats(const struct ssdqos_flash *f, u32 task)
{
	return &f->task[task].stats;
}

/**
 * ssdqos_flash_host_waits - what the host's flash reads waited for
 * @f: the drive
 */
const struct ssdqos_flash_host_waits *
ssdqos_flash_host_waits(const struct ssdqos_flash *f)
{
	return &f->host_waits;
}

/**
 * ssdqos_flash_reset_stats - set all counters to zero
 * @f: the drive
 */
void ssdqos_flash_reset_stats(struct ssdqos_flash *f)
{
	u32 task;

	memset(&f->stats, 0, sizeof(f->stats));
	memset(&f->host_waits, 0, sizeof(f->host_waits));
	for (task = 0; task < SSDQOS_NR_TASKS; task++)
		memset(&f->task[task].stats, 0, sizeof(f->task[task].stats));
	f->nr_free_min = f->nr_free;
}

static u64 flash_waf_milli(const struct ssdqos_flash *f)
{
	u64 units = (f->stats.flash_programs + f->stats.flash_copybacks) *
		    f->geo.units_per_page;

	if (!f->stats.host_write_units)
		return 0;
	return div64_u64(units * MILLI, f->stats.host_write_units);
}

/**
 * ssdqos_flash_map_hit_milli - how often the map was in memory
 * @stats: counters of one moment
 *
 * Return: part of the lookups, in thousandths of a percent; all if none.
 */
u64 ssdqos_flash_map_hit_milli(const struct ssdqos_flash_stats *stats)
{
	u64 hits = stats->map_lookups - stats->map_misses;

	if (!stats->map_lookups)
		return MILLI_PCT;
	return div64_u64(hits * MILLI_PCT, stats->map_lookups);
}

/* Cycles of planes: of all their blocks, and of the most worn one. */
struct gauge_cycles {
	u64 sum;
	u64 most;
	u32 nr;
};

static void gauge_cycles_add(struct gauge_cycles *c, u64 cycles)
{
	c->sum += cycles;
	c->most = max(c->most, cycles);
	c->nr++;
}

/* The most worn one, percent of the mean. */
static u32 gauge_cycles_pct(const struct gauge_cycles *c)
{
	return c->sum ? (u32)div64_u64(c->most * OBSERVE_PCT * c->nr, c->sum) : 0;
}

/* Cycles of a plane's blocks. */
static u64 gauge_plane(const struct ssdqos_flash *f, struct ssdqos_flash_gauges *g, u32 plane)
{
	const struct flash_block *b = &f->blocks[plane * f->geo.blocks_per_plane];
	const struct flash_block *end = b + f->geo.blocks_per_plane;
	u64 sum = 0;

	for (; b < end; b++) {
		g->wear_min = min(g->wear_min, b->pe_cycles);
		g->wear_max = max(g->wear_max, b->pe_cycles);
		g->read_count_max = max(g->read_count_max, b->read_count);
		sum += b->pe_cycles;
	}
	return sum;
}

static void gauge_wear(const struct ssdqos_flash *f, struct ssdqos_flash_gauges *g)
{
	struct gauge_cycles all = { }, group = { };
	u32 i;

	g->wear_min = SSDQOS_NIL;
	for (i = 0; i < f->geo.nr_planes; i++) {
		u64 cycles = gauge_plane(f, g, i);

		gauge_cycles_add(&all, cycles);
		gauge_cycles_add(&group, cycles);
		if (group.nr != f->geo.stripe_units)
			continue;
		if (group.most == all.most)
			g->wear_group_pct = gauge_cycles_pct(&group);
		group = (struct gauge_cycles){ };
	}
	g->wear_sum = all.sum;
	g->wear_plane_pct = gauge_cycles_pct(&all);
}

/**
 * ssdqos_flash_gauges - the state of a drive in a few numbers
 * @f: the drive
 * @g: gets them
 *
 * Looks at every block.  Context: any; the caller serialises.
 */
void ssdqos_flash_gauges(const struct ssdqos_flash *f,
			 struct ssdqos_flash_gauges *g)
{
	u32 i;

	memset(g, 0, sizeof(*g));
	g->now_ns = f->now_ns;
	g->free_blocks = f->nr_free;
	g->free_blocks_min = f->nr_free_min;
	g->mapped_units = f->mapped;
	g->buffered_units = f->buffer.nr_used;
	g->waf_milli = flash_waf_milli(f);
	g->map_hit_milli = ssdqos_flash_map_hit_milli(&f->stats);
	g->map_cached_pages = f->map.nr_clean + f->map.nr_dirty;
	g->unverified_pages = f->verify.nr;
	for (i = 0; i < SSDQOS_NR_TASKS; i++)
		g->share_ppm[i] = f->task[i].share_ppm;
	g->memory_bytes = f->memory_bytes;
	gauge_wear(f, g);
}

/**
 * ssdqos_flash_in_force - the parameters as the drive goes by them
 * @f: the drive
 * @cfg: gets them
 *
 * They differ from ssdqos_flash_config() where a drive is too small for its
 * model: its shape, and when it collects.
 */
void ssdqos_flash_in_force(const struct ssdqos_flash *f,
			   struct ssdqos_flash_config *cfg)
{
	*cfg = f->cfg;
	cfg->channels = f->geo.channels;
	cfg->chips_per_channel = f->geo.nr_chips / f->geo.channels;
	cfg->planes_per_chip = f->geo.nr_planes / f->geo.nr_chips;
	cfg->pages_per_block = f->geo.pages_per_block;
	cfg->buffer_kib = (u64)f->buffer.nr_slots * SSDQOS_UNIT_BYTES >>
			  OBSERVE_KIB_SHIFT;
	cfg->gc_start_blocks = f->gc_start;
	cfg->gc_stop_blocks = f->gc_stop;
	cfg->gc_plane_blocks = f->cfg.gc_plane_blocks ?
			       f->geo.blocks_per_plane : 0;
}
