// SPDX-License-Identifier: GPL-2.0
/*
 * config.c - parameter rows and presets of the emulated flash drive
 */
#include "config.h"

static const char *const presets[] = { "autossd", "ttflash", "x25e-like",
					"intel510-like", "ttflash-autossd", NULL };
static const char *const allocations[] = { "dynamic", "static", NULL };
static const char *const array_scopes[] = { "plane", "chip", NULL };
static const char *const caches[] = { "none", "volatile", "plp", NULL };
static const char *const gc_policies[] = { "greedy", "cost_benefit", NULL };
static const char *const gc_scopes[] = { "plane", "drive", NULL };
static const char *const gc_blockings[] = { "none", "bursts", "plane", "channel",
					    "controller", "preemptive", NULL };
static const char *const rain_flushes[] = { "units", "stripes", NULL };
static const char *const rotations[] = { "off", "on", "forced", NULL };
static const char *const aged_patterns[] = { "random", "sequential", "mixed", NULL };
static const char *const trim_presets[] = { "own", "e-trim", "i-trim", NULL };
static const char *const trim_modes[] = { "invalidate", "erase", NULL };
static const char *const schedulers[] = { "fifo", "priority", "wfq", "debit", NULL };
static const char *const share_modes[] = { "static", "feedback", NULL };
static const char *const switches[] = { "off", "on", NULL };

const struct ssdqos_param ssdqos_flash_params[SSDQOS_FLASH_NR_PARAMS] = {
#define P(name, ...) \
	SSDQOS_PARAM_ROW(SSDQOS_FLASH_P_##name, #name, __VA_ARGS__)
	SSDQOS_FLASH_PARAMS(P)
#undef P
};

/* A preset is what it changes against the defaults, with the source. */
struct flash_preset_row {
	u32 preset;
	u32 param;
	u64 value;
};

#define ROW(preset_, param_, value_)					\
	{ SSDQOS_FLASH_##preset_, SSDQOS_FLASH_P_##param_, value_ }

#define ROW_OF(preset_, param_, value_) ROW(preset_, param_, value_),

/* How AutoSSD controls its tasks, section 3.  The paper tuned by hand and gives no numbers
 * for shares and quiet_ns: these are ours, see docs/results/autossd.
 */
#define AUTOSSD_CONTROL(R, preset)					\
	R(preset, scrub_start_reads, 100000)				\
	R(preset, scrub_stop_reads, 80000)				\
	R(preset, scheduler, SSDQOS_FLASH_DEBIT)			\
	R(preset, quiet_ns, 4000000)					\
	R(preset, gc_share_mode, SSDQOS_FLASH_SHARE_FEEDBACK)		\
	R(preset, gc_share_permille, 32)				\
	R(preset, gc_share_p_ppm, 300)					\
	R(preset, gc_share_i_ppm, 950000)				\
	R(preset, flush_share_mode, SSDQOS_FLASH_SHARE_FEEDBACK)	\
	R(preset, flush_share_permille, 64)				\
	R(preset, flush_share_p_ppm, 2000)				\
	R(preset, flush_share_i_ppm, 900000)				\
	R(preset, scrub_share_mode, SSDQOS_FLASH_SHARE_FEEDBACK)	\
	R(preset, scrub_share_permille, 16)				\
	R(preset, scrub_share_p_ppm, 1)					\
	R(preset, scrub_share_i_ppm, 950000)

static const struct flash_preset_row flash_preset_rows[] = {
	/* AutoSSD, USENIX ATC 2018, Table 1 and section 4 */
	ROW(AUTOSSD, channels, 4),
	ROW(AUTOSSD, chips_per_channel, 4),
	ROW(AUTOSSD, planes_per_chip, 2),
	ROW(AUTOSSD, pages_per_block, 512),
	ROW(AUTOSSD, page_kib, 16),
	ROW(AUTOSSD, op_permille, 280),		/* 256 GB for 200 GB */
	/* section 4.1: "channel and chip parallelism", not that of planes */
	ROW(AUTOSSD, array_scope, SSDQOS_FLASH_ARRAY_CHIP),
	ROW(AUTOSSD, read_ns, 50000),
	ROW(AUTOSSD, program_ns, 500000),
	ROW(AUTOSSD, erase_ns, 5000000),
	ROW(AUTOSSD, channel_mb_s, 400),
	ROW(AUTOSSD, chip_queue_depth, 4),
	ROW(AUTOSSD, gc_policy, SSDQOS_FLASH_COST_BENEFIT),
	ROW(AUTOSSD, gc_scope, SSDQOS_FLASH_GC_DRIVE),
	ROW(AUTOSSD, gc_start_blocks, 4),	/* 128 of the drive's 32 planes */
	ROW(AUTOSSD, gc_stop_blocks, 8),	/* 256 */
	ROW(AUTOSSD, gc_plane_blocks, 954),	/* that are 256 GB */
	ROW(AUTOSSD, map_cache_kib, 131072),	/* section 4.2 */
	ROW(AUTOSSD, lookup_min_ns, 500),
	ROW(AUTOSSD, lookup_max_ns, 1000),
	ROW(AUTOSSD, host_delay_min_ns, 1000),
	ROW(AUTOSSD, host_delay_max_ns, 2000),
	ROW(AUTOSSD, internal_delay_min_ns, 1000),
	ROW(AUTOSSD, internal_delay_max_ns, 3000),
	/* the paper has no interface: PCIe 3.0 x4 and a controller of that year,
	 * 3,500 MB/s and 500,000/s of 4 KiB either way (sheet of Samsung's 970 PRO)
	 */
	ROW(AUTOSSD, read_command_ns, 830),
	ROW(AUTOSSD, write_command_ns, 830),
	ROW(AUTOSSD, link_mb_s, 3500),
	AUTOSSD_CONTROL(ROW_OF, AUTOSSD)
	/* ttFlash, USENIX FAST 2017, Table 1 and sections 3, 4.5 */
	ROW(TTFLASH, channels, 8),
	ROW(TTFLASH, chips_per_channel, 8),
	ROW(TTFLASH, planes_per_chip, 1),
	ROW(TTFLASH, pages_per_block, 256),
	ROW(TTFLASH, page_kib, 4),
	ROW(TTFLASH, op_permille, 150),		/* not in the paper: our choice */
	ROW(TTFLASH, registers, 1),		/* "4-KB register" of a plane */
	ROW(TTFLASH, allocation, SSDQOS_FLASH_STATIC),	/* section 4.2 */
	ROW(TTFLASH, read_ns, 40000),
	ROW(TTFLASH, program_ns, 800000),
	ROW(TTFLASH, erase_ns, 2000000),
	ROW(TTFLASH, channel_mb_s, 41),		/* 4 KiB in 100 us */
	ROW(TTFLASH, flush_start_pct, 80),
	ROW(TTFLASH, buffer_kib, 16384),	/* "tens to hundreds of MB" */
	ROW(TTFLASH, gc_copyback, 1),
	ROW(TTFLASH, gc_start_blocks, 16),	/* of 4096: our choice */
	ROW(TTFLASH, gc_stop_blocks, 18),
	ROW(TTFLASH, gc_plane_blocks, 4096),
	/* not in the paper either: the 960 PRO of 2016, 440,000/s and 360,000/s */
	ROW(TTFLASH, read_command_ns, 1103),
	ROW(TTFLASH, write_command_ns, 1608),
	ROW(TTFLASH, link_mb_s, 3500),
	/* Intel X-25E: drive A of the Ianus paper (2008, SLC, 65 GB, 16 MB cache).
	 * Sections and figures are that paper's, "sheet" is the drive's data
	 * sheet, "chip" what SLC chips of the time take, "ours" our choice: see
	 * docs/ssdqos-flash.rst.
	 */
	ROW(X25E_LIKE, channels, 10),		/* sheet */
	ROW(X25E_LIKE, chips_per_channel, 1),	/* ours: 10 pages in 240 us are */
	ROW(X25E_LIKE, planes_per_chip, 1),	/* the sheet's 170 MB/s of writes */
	ROW(X25E_LIKE, pages_per_block, 64),	/* chip */
	ROW(X25E_LIKE, page_kib, 4),		/* chip */
	ROW(X25E_LIKE, op_permille, 480),	/* ours: half of the time blocked */
	ROW(X25E_LIKE, cache, SSDQOS_FLASH_CACHE_VOLATILE),
	ROW(X25E_LIKE, buffer_kib, 16384),	/* section 2.1 */
	ROW(X25E_LIKE, read_ns, 25000),		/* chip */
	ROW(X25E_LIKE, program_ns, 240000),	/* chip */
	ROW(X25E_LIKE, erase_ns, 1500000),	/* chip */
	ROW(X25E_LIKE, channel_mb_s, 40),	/* chip: ONFI 1.0 */
	ROW(X25E_LIKE, gc_copyback, 1),		/* ours */
	ROW(X25E_LIKE, gc_scope, SSDQOS_FLASH_GC_DRIVE),
	ROW(X25E_LIKE, gc_start_blocks, 126),	/* 2 blocks: ten bursts a second, */
	ROW(X25E_LIKE, gc_stop_blocks, 128),	/* Figure 4; 128: 2 s, Figure 5 */
	ROW(X25E_LIKE, gc_blocking, SSDQOS_FLASH_GC_BLOCKS_BURSTS),
	ROW(X25E_LIKE, gc_defer_kib, 4096),	/* ours, for Figure 5 */
	ROW(X25E_LIKE, uncached_writes, 1),	/* 2,500/s, section 3.1 */
	ROW(X25E_LIKE, read_command_ns, 13000),	/* sheet: 35,000/s of 4 KiB */
	ROW(X25E_LIKE, write_command_ns, 9500),	/* 40,000/s of 4 KiB, Figure 5 */
	ROW(X25E_LIKE, link_mb_s, 265),		/* SATA 3 Gb/s, section 2.1 */
	/* Intel 510: drive B of the same (2011, MLC, 250 GB, 128 MB cache) */
	ROW(INTEL510_LIKE, channels, 8),	/* sheet of its controller */
	ROW(INTEL510_LIKE, chips_per_channel, 1),	/* ours: 16 pages in 1.05 ms */
	ROW(INTEL510_LIKE, planes_per_chip, 2),	/* are 480/s of 256 KiB */
	ROW(INTEL510_LIKE, pages_per_block, 128),	/* ours: 1 MiB, as the chip's */
	ROW(INTEL510_LIKE, page_kib, 8),	/* chip: two planes of 4 KiB */
	ROW(INTEL510_LIKE, op_permille, 360),	/* ours: half of the time blocked */
	ROW(INTEL510_LIKE, cache, SSDQOS_FLASH_CACHE_VOLATILE),
	ROW(INTEL510_LIKE, buffer_kib, 32768),	/* ours: the rest is for the map */
	ROW(INTEL510_LIKE, read_ns, 50000),	/* chip */
	ROW(INTEL510_LIKE, program_ns, 1050000),	/* chip: 0.9 to 1.2 ms */
	ROW(INTEL510_LIKE, erase_ns, 3000000),	/* chip */
	ROW(INTEL510_LIKE, channel_mb_s, 100),	/* chip: ONFI 2 */
	ROW(INTEL510_LIKE, gc_copyback, 1),	/* ours */
	ROW(INTEL510_LIKE, gc_scope, SSDQOS_FLASH_GC_DRIVE),
	ROW(INTEL510_LIKE, gc_start_blocks, 3),	/* ours: 64 MiB in all, */
	ROW(INTEL510_LIKE, gc_stop_blocks, 7),	/* a second or two, Figures 9, 13 */
	ROW(INTEL510_LIKE, gc_blocking, SSDQOS_FLASH_GC_BLOCKS_BURSTS),
	ROW(INTEL510_LIKE, gc_burst_ns, 90000000),	/* "last for 100ms", 5.1 */
	ROW(INTEL510_LIKE, gc_pause_ns, 30000000),	/* ours: a fourth at 1 s */
	ROW(INTEL510_LIKE, gc_burst_spread_pct, 40),	/* ours */
	ROW(INTEL510_LIKE, write_granule_kib, 16),	/* ours: 400 us, Figure 13 */
	ROW(INTEL510_LIKE, read_command_ns, 35000),	/* sheet: 20,000/s */
	ROW(INTEL510_LIKE, write_command_ns, 110000),	/* sheet: 8,000/s */
	ROW(INTEL510_LIKE, link_mb_s, 275),	/* SATA 3 Gb/s, section 2.1 */
	/* ttFlash's drive with all that hides collection, sections 4 and 7, ... */
	ROW(TTFLASH_AUTOSSD, rain, 1),
	ROW(TTFLASH_AUTOSSD, rain_flush, SSDQOS_FLASH_FLUSH_STRIPES),
	ROW(TTFLASH_AUTOSSD, rotate, SSDQOS_FLASH_ROTATE_ON),
	ROW(TTFLASH_AUTOSSD, gc_blocking, SSDQOS_FLASH_GC_BLOCKS_PLANE),
	ROW(TTFLASH_AUTOSSD, verify, 1),
	ROW(TTFLASH_AUTOSSD, rain_shift_pct, 25),	/* ours: half of what section 7 ... */
	/* ours: a plane has blocks left while it waits for seven others, however small; with
	 * ttFlash's 16 of 4096 and 15 %, turns were overridden
	 */
	ROW(TTFLASH_AUTOSSD, op_permille, 280),	/* AutoSSD's */
	ROW(TTFLASH_AUTOSSD, gc_start_blocks, 4),
	ROW(TTFLASH_AUTOSSD, gc_stop_blocks, 6),
	ROW(TTFLASH_AUTOSSD, gc_plane_blocks, 0),
	/* ... and AutoSSD's shares, with the numbers of that preset; not its chips, as planes
	 * that share an array wait for those of other groups
	 */
	ROW(TTFLASH_AUTOSSD, array_scope, SSDQOS_FLASH_ARRAY_PLANE),
	AUTOSSD_CONTROL(ROW_OF, TTFLASH_AUTOSSD)
	/* ours: as of scrubbing, which is as little urgent */
	ROW(TTFLASH_AUTOSSD, verify_share_mode, SSDQOS_FLASH_SHARE_FEEDBACK),
	ROW(TTFLASH_AUTOSSD, verify_share_permille, 16),
	ROW(TTFLASH_AUTOSSD, verify_share_p_ppm, 1),
	ROW(TTFLASH_AUTOSSD, verify_share_i_ppm, 950000),
};

/* A preset that is another one and what it changes there; SSDQOS_FLASH_NR_PRESETS: none. */
static u32 flash_preset_base(u32 preset)
{
	return preset == SSDQOS_FLASH_TTFLASH_AUTOSSD ? SSDQOS_FLASH_TTFLASH :
							SSDQOS_FLASH_NR_PRESETS;
}

/* Likewise, of how discards are taken. */
static const struct flash_preset_row flash_trim_rows[] = {
	/* "Revisiting Widely Held SSD Expectations", SIGMETRICS 2013, section
	 * 6.2: 754 ms for 2 GiB, which are 512 steps, in proportion to the size
	 */
	ROW(E_TRIM, trim_mode, SSDQOS_FLASH_TRIM_ERASE),
	ROW(E_TRIM, trim_ns, 1472656),
	ROW(E_TRIM, trim_step_ns, 1472656),
	/* the same: 0.4 ms for little, 10 ms for 2 GiB */
	ROW(I_TRIM, trim_mode, SSDQOS_FLASH_TRIM_INVALIDATE),
	ROW(I_TRIM, trim_ns, 400000),
	ROW(I_TRIM, trim_step_ns, 18786),
	/* the paper's drives are SATA's, where TRIM can't be queued */
	ROW(E_TRIM, trim_command, 1),
	ROW(I_TRIM, trim_command, 1),
	/* section 6.1: random ones of 64 KiB brought nothing; the paper doesn't
	 * say what would have: ours
	 */
	ROW(E_TRIM, trim_granule_kib, 1024),
	ROW(I_TRIM, trim_granule_kib, 1024),
};

/* Of the rows, those of a preset. */
static void flash_rows_take(struct ssdqos_flash_config *cfg,
			    const struct flash_preset_row *rows, u32 nr,
			    u32 preset)
{
	u32 i;

	for (i = 0; i < nr; i++)
		if (rows[i].preset == preset)
			*ssdqos_flash_config_value(cfg, rows[i].param) =
				rows[i].value;
}

/**
 * ssdqos_flash_config_init - take the values of a preset
 * @cfg: gets the values
 * @preset: enum ssdqos_flash_preset
 */
void ssdqos_flash_config_init(struct ssdqos_flash_config *cfg, u32 preset)
{
	u32 i;

	for (i = 0; i < SSDQOS_FLASH_NR_PARAMS; i++)
		*ssdqos_flash_config_value(cfg, i) = ssdqos_flash_params[i].def;
	flash_rows_take(cfg, flash_preset_rows, ARRAY_SIZE(flash_preset_rows),
			flash_preset_base(preset));
	flash_rows_take(cfg, flash_preset_rows, ARRAY_SIZE(flash_preset_rows),
			preset);
	cfg->preset = preset;
}

/**
 * ssdqos_flash_config_trim - take how a kind of drive does discards
 * @cfg: its trim_ parameters are changed
 * @preset: enum ssdqos_flash_trim_preset
 */
void ssdqos_flash_config_trim(struct ssdqos_flash_config *cfg, u32 preset)
{
	u32 i;

	for (i = 0; i < ARRAY_SIZE(flash_trim_rows); i++) {
		u32 param = flash_trim_rows[i].param;

		*ssdqos_flash_config_value(cfg, param) =
			ssdqos_flash_params[param].def;
	}
	flash_rows_take(cfg, flash_trim_rows, ARRAY_SIZE(flash_trim_rows),
			preset);
	cfg->trim_preset = preset;
}

/**
 * ssdqos_flash_config_set - set one parameter by name
 * @cfg: changed on success only
 * @key: its name; "preset" sets all others to that preset's values, so it
 *       has to come first; "trim_preset" does that with those of discards
 * @value: its value as text
 * @err: gets one sentence on failure
 * @err_size: its size
 *
 * Return: index of the parameter, -ENOENT for an unknown key, -EINVAL for a
 * value out of range.
 */
int ssdqos_flash_config_set(struct ssdqos_flash_config *cfg, const char *key,
			    const char *value, char *err, u32 err_size)
{
	u64 number;
	int i = ssdqos_param_set(ssdqos_flash_params, SSDQOS_FLASH_NR_PARAMS,
				 "ssdqos-flash", key, value, &number, err,
				 err_size);

	if (i < 0)
		return i;
	if (i == SSDQOS_FLASH_P_preset)
		ssdqos_flash_config_init(cfg, (u32)number);
	if (i == SSDQOS_FLASH_P_trim_preset)
		ssdqos_flash_config_trim(cfg, (u32)number);
	/* who sets a number of blocks means that number */
	if (i == SSDQOS_FLASH_P_gc_start_blocks ||
	    i == SSDQOS_FLASH_P_gc_stop_blocks)
		cfg->gc_plane_blocks = 0;
	*ssdqos_flash_config_value(cfg, (u32)i) = number;
	return i;
}

/**
 * ssdqos_flash_config_named - what a line has to name to make the same drive
 * @cfg: the drive's parameters
 * @named: gets, for each parameter, whether it does; in this order, by
 *	   ssdqos_flash_config_set()
 *
 * The preset, and all parameters that differ from it, or from the one of
 * discards.
 *
 * Return: how many.
 */
u32 ssdqos_flash_config_named(struct ssdqos_flash_config *cfg, bool *named)
{
	struct ssdqos_flash_config base;
	u32 i, nr = 0;

	ssdqos_flash_config_init(&base, (u32)cfg->preset);
	ssdqos_flash_config_trim(&base, (u32)cfg->trim_preset);
	base.trim_preset = SSDQOS_FLASH_OWN_TRIM;
	for (i = 0; i < SSDQOS_FLASH_NR_PARAMS; i++)
		named[i] = i == SSDQOS_FLASH_P_preset ||
			   *ssdqos_flash_config_value(cfg, i) !=
			   *ssdqos_flash_config_value(&base, i);
	/* who names one of these sets it to 0, whatever the preset says */
	if (named[SSDQOS_FLASH_P_gc_start_blocks] ||
	    named[SSDQOS_FLASH_P_gc_stop_blocks])
		named[SSDQOS_FLASH_P_gc_plane_blocks] = cfg->gc_plane_blocks;
	for (i = 0; i < SSDQOS_FLASH_NR_PARAMS; i++)
		nr += named[i];
	return nr;
}

/**
 * ssdqos_flash_config_same_drive - do two configurations describe one drive?
 * @a: a configuration
 * @b: another
 *
 * Return: true if they differ at most in what a running drive can change.
 */
bool ssdqos_flash_config_same_drive(const struct ssdqos_flash_config *a,
				    const struct ssdqos_flash_config *b)
{
	const u64 *va = (const u64 *)a, *vb = (const u64 *)b;
	u32 i;

	for (i = 0; i < SSDQOS_FLASH_NR_PARAMS; i++)
		if (ssdqos_flash_params[i].when == SSDQOS_PARAM_CREATE &&
		    va[i] != vb[i])
			return false;
	return true;
}

static bool flash_power_of_two(u64 n)
{
	return n && !(n & (n - 1));
}

/* A stripe of fewer units would be a mirror. */
#define FLASH_LEAST_WIDTH 3u

/* Longest and shortest times, by enum ssdqos_flash_param. */
static const struct {
	u32 max;
	u32 min;
} flash_delays[] = {
	{ SSDQOS_FLASH_P_lookup_max_ns, SSDQOS_FLASH_P_lookup_min_ns },
	{ SSDQOS_FLASH_P_host_delay_max_ns, SSDQOS_FLASH_P_host_delay_min_ns },
	{ SSDQOS_FLASH_P_internal_delay_max_ns,
	  SSDQOS_FLASH_P_internal_delay_min_ns },
};

/* Is a longest time less than its shortest?  Says which. */
static bool flash_delays_wrong(const struct ssdqos_flash_config *cfg, char *err,
			       u32 err_size)
{
	const u64 *value = (const u64 *)cfg;
	u32 i;

	for (i = 0; i < ARRAY_SIZE(flash_delays); i++) {
		u32 max = flash_delays[i].max, min = flash_delays[i].min;

		if (value[max] >= value[min])
			continue;
		scnprintf(err, err_size, "%s: '%llu' is less than %s (%llu)",
			  ssdqos_flash_params[max].name, value[max],
			  ssdqos_flash_params[min].name, value[min]);
		return true;
	}
	return false;
}

/* The shortest burst: each is two events, so a pause may be as short as one likes. */
#define FLASH_LEAST_BURST_NS 100000u

static bool flash_bursts_wrong(const struct ssdqos_flash_config *cfg, char *err,
			       u32 err_size)
{
	if (!cfg->gc_burst_ns || cfg->gc_burst_ns >= FLASH_LEAST_BURST_NS)
		return false;
	scnprintf(err, err_size,
		  "gc_burst_ns: '%llu' is neither 0 nor from %u to %llu ns",
		  cfg->gc_burst_ns, FLASH_LEAST_BURST_NS, SSDQOS_MAX_NS);
	return true;
}

/* Do stripes not fit the channels, or is there nothing that could rotate? */
static bool flash_stripes_wrong(const struct ssdqos_flash_config *cfg, char *err,
				u32 err_size)
{
	bool holds_more = cfg->gc_blocking == SSDQOS_FLASH_GC_BLOCKS_CHANNEL ||
			  cfg->gc_blocking == SSDQOS_FLASH_GC_BLOCKS_CONTROLLER;

	if (cfg->rain && cfg->rain_width &&
	    (cfg->rain_width < FLASH_LEAST_WIDTH || (u32)cfg->channels % (u32)cfg->rain_width))
		scnprintf(err, err_size,
			  "rain_width: '%llu' is not a divisor of channels (%llu) from %u on, or 0",
			  cfg->rain_width, cfg->channels, FLASH_LEAST_WIDTH);
	else if (cfg->rain_flush && !cfg->rain)
		scnprintf(err, err_size,
			  "rain_flush: 'stripes' needs rain 'on', because there are no stripes without");
	else if (cfg->rain_shift_pct && !cfg->rain_flush)
		scnprintf(err, err_size,
			  "rain_shift_pct: '%llu' needs rain_flush stripes, because only what is written as a whole can move",
			  cfg->rain_shift_pct);
	else if (cfg->rotate && !cfg->rain)
		scnprintf(err, err_size,
			  "rotate: needs rain 'on', because planes take turns within the stripes' groups");
	else if (cfg->rotate && holds_more)
		scnprintf(err, err_size,
			  "rotate: needs gc_blocking none, plane or preemptive, because others block planes of all groups");
	else
		return false;
	return true;
}

/**
 * ssdqos_flash_config_check - check what concerns more than one parameter
 * @cfg: the configuration; each value is in its own range
 * @err: gets one sentence on failure
 * @err_size: its size
 *
 * Return: 0 or -EINVAL.
 */
int ssdqos_flash_config_check(const struct ssdqos_flash_config *cfg, char *err,
			      u32 err_size)
{
	if (!flash_power_of_two(cfg->page_kib))
		scnprintf(err, err_size, "page_kib: '%llu' is not 4, 8 or 16",
			  cfg->page_kib);
	else if (!flash_power_of_two(cfg->pages_per_block))
		scnprintf(err, err_size,
			  "pages_per_block: '%llu' is not a power of two from 4 to 4096",
			  cfg->pages_per_block);
	else if (!flash_power_of_two(cfg->aged_bs))
		scnprintf(err, err_size,
			  "aged_bs: '%llu' is not a power of two from 4096 to 1048576",
			  cfg->aged_bs);
	else if (cfg->gc_stop_blocks <= cfg->gc_start_blocks)
		scnprintf(err, err_size,
			  "gc_stop_blocks: '%llu' is not more than gc_start_blocks (%llu)",
			  cfg->gc_stop_blocks, cfg->gc_start_blocks);
	else if (flash_delays_wrong(cfg, err, err_size) ||
		 flash_bursts_wrong(cfg, err, err_size))
		return -EINVAL;
	else if (cfg->scrub_stop_reads > cfg->scrub_start_reads)
		scnprintf(err, err_size,
			  "scrub_stop_reads: '%llu' is more than scrub_start_reads (%llu)",
			  cfg->scrub_stop_reads, cfg->scrub_start_reads);
	else if (cfg->array_scope == SSDQOS_FLASH_ARRAY_CHIP &&
		 (cfg->erase_suspend_ns || cfg->program_suspend_ns))
		scnprintf(err, err_size,
			  "%s: '%llu' needs array_scope plane, because planes that share an array can't be suspended apart",
			  cfg->erase_suspend_ns ? "erase_suspend_ns" :
						  "program_suspend_ns",
			  cfg->erase_suspend_ns ?: cfg->program_suspend_ns);
	else if (cfg->rain && cfg->allocation != SSDQOS_FLASH_STATIC)
		scnprintf(err, err_size,
			  "rain: 'on' needs allocation static, because the stripe fixes the plane");
	else if (flash_stripes_wrong(cfg, err, err_size))
		return -EINVAL;
	else if (cfg->rain && cfg->channels < 2)
		scnprintf(err, err_size,
			  "rain: 'on' needs 2 channels or more, one of them for parity");
	else if (cfg->channels * cfg->chips_per_channel *
		 cfg->planes_per_chip > SSDQOS_FLASH_MAX_PLANES)
		scnprintf(err, err_size,
			  "planes_per_chip: '%llu' makes more than %u planes",
			  cfg->planes_per_chip, SSDQOS_FLASH_MAX_PLANES);
	else
		return 0;
	return -EINVAL;
}
