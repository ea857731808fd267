// SPDX-License-Identifier: GPL-2.0
/*
 * flash.c - a drive as a whole: make it, change its parameters
 */
#include "drive.h"
#include "../engine/bits.h"

#define BYTES_NS_PER_MB_S 1000	/* 1 byte at 1 MB/s takes 1000 ns */

/* The log holds this many records and what each plane, and each operation that a
 * chip has room for, may write at once; half of it is kept for the records of one
 * event or arrival.
 */
#define FLASH_LOG_RECORDS	4096u
#define FLASH_LOG_PER_PLANE	16u
#define FLASH_LOG_PER_SLOT	4u

static const struct flash_task_ops *const flash_tasks[SSDQOS_NR_TASKS] = {
#define T(X, NAME, name, ...) [SSDQOS_TASK_##NAME] = &flash_##name##_task,
	SSDQOS_FLASH_TASKS(T)
#undef T
};

/* ---- making and ending ---- */

static void flash_tune(struct ssdqos_flash *f)
{
	const struct ssdqos_flash_config *cfg = &f->cfg;
	u32 units;

	f->timing.read_ns = cfg->read_ns;
	f->timing.program_ns = cfg->program_ns;
	f->timing.erase_ns = cfg->erase_ns;
	for (units = 0; units <= SSDQOS_MAX_UNITS_PER_PAGE; units++)
		f->timing.xfer_unit_ns[units] =
			div64_u64((u64)units * SSDQOS_UNIT_BYTES *
				  BYTES_NS_PER_MB_S, cfg->channel_mb_s);
	flash_suspend_tune(f);
	flash_gc_tune(f);
	flash_buffer_tune(f);
	flash_share_tune(f);
}

static void *flash_alloc(struct ssdqos_flash *f, u64 nr, u64 size)
{
	f->memory_bytes += nr * size;
	return ssdqos_env_alloc(nr * size);
}

static u32 flash_host_ops(const struct ssdqos_flash *f)
{
	return max_t(u32, f->geo.nr_chips * FLASH_HOST_OPS_PER_CHIP,
		     FLASH_HOST_OPS_MIN);
}

/* Host reads and the map are limited by count, the other tasks by their own
 * rules: programs and what they read for parity; two programs of each mover
 * beyond gc_depth; and an operation in hand while one is given back.
 */
static u32 flash_nr_ops(const struct ssdqos_flash *f)
{
	u32 per_plane = f->plane_programs_max +
			FLASH_NR_MOVERS * ((u32)f->cfg.gc_depth + 2);

	per_plane++;	/* a read to verify what was copied */
	return flash_host_ops(f) + 1 + f->geo.nr_planes * per_plane +
	       flash_parity_reads_max(f) + f->geo.nr_chips * FLASH_MAP_OPS_PER_CHIP;
}

static int flash_alloc_tasks(struct ssdqos_flash *f)
{
	u32 words = flash_bits_words(f->geo.nr_chips), task;
	unsigned long *bits = flash_alloc(f, SSDQOS_NR_TASKS + 1,
					  words * sizeof(*bits));

	f->trips = flash_alloc(f, flash_host_ops(f), sizeof(*f->trips));
	f->chips_room = bits;
	if (!bits || !f->trips)
		return -ENOMEM;
	for (task = 0; task < SSDQOS_NR_TASKS; task++)
		f->task[task].chips = bits + (task + 1) * words;
	flash_trips_init(f, flash_host_ops(f));
	return 0;
}

/* By valid units, for each kind of blocks. */
static u32 flash_plane_buckets(const struct ssdqos_flash *f)
{
	u32 kind, nr = 0;

	for (kind = 0; kind < FLASH_NR_KINDS; kind++)
		nr += flash_kind_units(&f->geo, kind) + 1;
	return nr;
}

static void flash_deal_buckets(struct ssdqos_flash *f, u32 *buckets)
{
	u32 plane, kind;

	for (plane = 0; plane < f->geo.nr_planes; plane++) {
		for (kind = 0; kind < FLASH_NR_KINDS; kind++) {
			f->planes[plane].bucket[kind] = buckets;
			buckets += flash_kind_units(&f->geo, kind) + 1;
		}
	}
}

static int flash_alloc_servers(struct ssdqos_flash *f)
{
	u32 nr_ids = f->geo.nr_planes + f->geo.channels + FLASH_NR_TIMERS;
	u32 nr_buckets = flash_plane_buckets(f), *buckets;

	f->planes = flash_alloc(f, f->geo.nr_planes, sizeof(*f->planes));
	f->suspend = flash_alloc(f, f->geo.nr_planes, sizeof(*f->suspend));
	f->chips = flash_alloc(f, f->geo.nr_chips, sizeof(*f->chips));
	f->channels = flash_alloc(f, f->geo.channels, sizeof(*f->channels));
	f->mem_evq = flash_alloc(f, 1, ssdqos_evq_bytes(nr_ids));
	buckets = flash_alloc(f, (u64)f->geo.nr_planes * nr_buckets,
			      sizeof(u32));
	if (f->planes)
		f->planes[0].bucket[0] = buckets;	/* which frees them all */
	else
		ssdqos_env_free(buckets);
	if (!f->planes || !f->suspend || !f->chips || !f->channels ||
	    !f->mem_evq || !buckets)
		return -ENOMEM;
	flash_deal_buckets(f, buckets);
	return 0;
}

static u32 flash_log_size(const struct ssdqos_flash *f)
{
	u64 want = FLASH_LOG_RECORDS +
		   (u64)f->geo.nr_planes * FLASH_LOG_PER_PLANE +
		   (u64)f->geo.nr_chips * f->chip_queue_depth *
		   FLASH_LOG_PER_SLOT;

	return 1u << fls64(want - 1);
}

static int flash_alloc_tables(struct ssdqos_flash *f)
{
	f->log.size = flash_log_size(f);
	f->l2p = flash_alloc(f, f->geo.nr_all, sizeof(u32));
	f->p2l = flash_alloc(f, f->geo.nr_psn, sizeof(u32));
	f->blocks = flash_alloc(f, f->geo.nr_blocks, sizeof(*f->blocks));
	f->ops = flash_alloc(f, flash_nr_ops(f), sizeof(*f->ops));
	f->log.ring = flash_alloc(f, f->log.size, sizeof(*f->log.ring));
	if (!f->l2p || !f->p2l || !f->blocks || !f->ops || !f->log.ring)
		return -ENOMEM;
	return 0;
}

static void flash_init_ops(struct ssdqos_flash *f)
{
	u32 i, nr = flash_nr_ops(f);

	for (i = 0; i < nr; i++)
		f->ops[i].next = i + 1 < nr ? i + 1 : SSDQOS_NIL;
	f->free_op = 0;
	f->host_ops_left = flash_host_ops(f);
}

static int flash_build(struct ssdqos_flash *f)
{
	f->chip_queue_depth = (u32)f->cfg.chip_queue_depth;
	f->plane_programs_max = (u32)f->cfg.registers;
	f->layout = flash_layout(f);
	f->marks.erased = SSDQOS_NIL;
	flash_list_init(&f->marks.found);
	f->tasks = flash_tasks;
	flash_press_init(f);
	f->memory_bytes = sizeof(*f);
	if (flash_alloc_servers(f) || flash_alloc_tables(f) ||
	    flash_alloc_tasks(f) || flash_holds_create(f) ||
	    flash_turns_create(f) || flash_verify_create(f) ||
	    flash_buffer_create(f) || flash_dirties_create(f) ||
	    flash_shifts_create(f) || flash_mapcache_create(f))
		return -ENOMEM;
	ssdqos_evq_init(&f->evq, f->geo.nr_planes + f->geo.channels +
			FLASH_NR_TIMERS, f->mem_evq);
	ssdqos_rng_seed(&f->rng, f->cfg.seed);
	flash_init_ops(f);
	flash_nand_init(f);
	flash_chips_init(f);
	flash_tune(f);
	ssdqos_flash_reset_stats(f);	/* first values are no changes */
	return 0;
}

/**
 * ssdqos_flash_create - make a drive
 * @cfg: its parameters
 * @nr_sectors: logical capacity in sectors of 512 bytes, 64 MiB to 1 TiB
 * @err: gets one sentence on failure
 * @err_size: its size
 *
 * Context: may sleep.
 * Return: the drive at model time 0, fresh or aged as @cfg says; NULL on
 * failure.
 */
struct ssdqos_flash *
ssdqos_flash_create(const struct ssdqos_flash_config *cfg, u64 nr_sectors,
		    char *err, u32 err_size)
{
	struct ssdqos_flash_geo geo;
	struct ssdqos_flash *f;

	if (ssdqos_flash_config_check(cfg, err, err_size) ||
	    ssdqos_flash_geo_fit(&geo, cfg, nr_sectors, err, err_size))
		return NULL;
	f = ssdqos_env_alloc(sizeof(*f));
	if (!f)
		goto no_memory;
	f->cfg = *cfg;
	f->geo = geo;
	if (flash_build(f))
		goto no_memory;
	if (!cfg->aged_pct) {
		flash_blank(f);
		flash_mapcache_warm(f);
		flash_survey(f);
	} else if (ssdqos_flash_age(f, (u32)cfg->aged_pct, cfg->seed, err,
				    err_size)) {
		ssdqos_flash_destroy(f);
		return NULL;
	}
	return f;

no_memory:
	ssdqos_flash_destroy(f);
	scnprintf(err, err_size,
		  "length: no memory for the model of %llu MiB (about 8 bytes for each 4 KiB)",
		  nr_sectors >> 11);
	return NULL;
}

/**
 * ssdqos_flash_destroy - end a drive
 * @f: the drive, or NULL; requests still in it are forgotten
 *
 * Context: may sleep.
 */
void ssdqos_flash_destroy(struct ssdqos_flash *f)
{
	if (!f)
		return;
	flash_mapcache_destroy(f);
	flash_shifts_destroy(f);
	flash_dirties_destroy(f);
	flash_buffer_destroy(f);
	flash_verify_destroy(f);
	flash_turns_destroy(f);
	flash_holds_destroy(f);
	ssdqos_env_free(f->trips);
	ssdqos_env_free(f->chips_room);
	ssdqos_env_free(f->log.ring);
	ssdqos_env_free(f->ops);
	ssdqos_env_free(f->blocks);
	ssdqos_env_free(f->p2l);
	ssdqos_env_free(f->l2p);
	if (f->planes)
		ssdqos_env_free(f->planes[0].bucket[0]);
	ssdqos_env_free(f->mem_evq);
	ssdqos_env_free(f->channels);
	ssdqos_env_free(f->chips);
	ssdqos_env_free(f->suspend);
	ssdqos_env_free(f->planes);
	ssdqos_env_free(f);
}

/* ---- parameters ---- */

/* Who could have something to do in the planes? */
static void flash_check_planes(struct ssdqos_flash *f)
{
	u32 i;

	for (i = 0; i < f->geo.nr_planes; i++) {
		flash_gc_check(f, i);
		flash_scrub_check(f, i);
		flash_wear_check(f, i);
	}
}

/**
 * ssdqos_flash_retune - change all tunables of a running drive
 * @f: the drive
 * @cfg: the same drive (ssdqos_flash_config_same_drive())
 * @err: gets one sentence on failure
 * @err_size: its size
 *
 * Operations that have begun keep their times.  Context: any; the caller
 * serialises.
 *
 * Return: 0 or -EINVAL; then nothing has changed.
 */
int ssdqos_flash_retune(struct ssdqos_flash *f,
			const struct ssdqos_flash_config *cfg, char *err,
			u32 err_size)
{
	if (ssdqos_flash_config_check(cfg, err, err_size))
		return -EINVAL;
	f->cfg = *cfg;
	flash_tune(f);
	flash_turns_tune(f);
	flash_shift_tune(f);
	flash_check_planes(f);
	flash_chip_kick_all(f);
	flash_host_slots_freed(f);
	flash_buffer_pump(f);
	flash_verify_check(f);
	flash_settle(f);
	return 0;
}

/**
 * ssdqos_flash_set - change one tunable of a running drive
 * @f: the drive
 * @key: its name
 * @value: its value as text
 * @err: gets one sentence on failure
 * @err_size: its size
 *
 * As ssdqos_flash_retune().
 *
 * Return: 0, or a negative error; then nothing has changed.
 */
int ssdqos_flash_set(struct ssdqos_flash *f, const char *key,
		     const char *value, char *err, u32 err_size)
{
	struct ssdqos_flash_config cfg = f->cfg;
	int i = ssdqos_param_find(ssdqos_flash_params, SSDQOS_FLASH_NR_PARAMS,
				  key);

	if (i >= 0 && ssdqos_flash_params[i].when != SSDQOS_PARAM_LIVE) {
		scnprintf(err, err_size,
			  "%s: '%s' can't be set on a running drive; give it in the table line",
			  key, value);
		return -EBUSY;
	}
	i = ssdqos_flash_config_set(&cfg, key, value, err, err_size);
	if (i < 0)
		return i;
	return ssdqos_flash_retune(f, &cfg, err, err_size);
}

/**
 * ssdqos_flash_rest - let the drive come to rest, or end that
 * @f: the drive
 * @on: begin no more than what the requests that it has need: no block is emptied
 *	and no page verified that can wait
 *
 * What has begun ends, so the drive is soon idle if nothing arrives, which may
 * take minutes otherwise.  Afterwards it makes up for what it has left, unless
 * it was aged or loaded meanwhile.  Context: any; the caller serialises.
 */
void ssdqos_flash_rest(struct ssdqos_flash *f, bool on)
{
	if (f->rest.on == on)
		return;
	if (on)
		f->rest.busy = !ssdqos_flash_idle(f);
	f->rest.on = on;
	if (on) {
		flash_verify_rest(f);
		flash_share_rest(f);
	} else if (f->rest.busy) {
		flash_check_planes(f);
		flash_verify_wake(f);
		flash_settle(f);
	}
}

/**
 * ssdqos_flash_config - the parameters in force
 * @f: the drive
 */
const struct ssdqos_flash_config *
ssdqos_flash_config(const struct ssdqos_flash *f)
{
	return &f->cfg;
}

/**
 * ssdqos_flash_geo - the effective geometry
 * @f: the drive
 */
const struct ssdqos_flash_geo *ssdqos_flash_geo(const struct ssdqos_flash *f)
{
	return &f->geo;
}
