// SPDX-License-Identifier: GPL-2.0
/*
 * ready.c - write throttling for the lifetime: drives and streams come and go
 */
#include "internal.h"

const char *const ssdqos_ready_why_names[SSDQOS_READY_NR_WHYS] = {
#define E(name, text) [SSDQOS_READY_WHY_##name] = text,
	SSDQOS_READY_WHYS(E)
#undef E
};

const char *const ssdqos_ready_decision_names[SSDQOS_READY_NR_DECISIONS] = {
#define E(name, text) [SSDQOS_READY_##name] = text,
	SSDQOS_READY_DECISIONS(E)
#undef E
};

/**
 * ssdqos_ready_create - a drive whose endurance is not known
 *
 * Context: may sleep.
 * Return: the drive, for ssdqos_ready_destroy(), or NULL.
 */
struct ssdqos_ready *ssdqos_ready_create(void)
{
	u64 heap_bytes = ALIGN(ssdqos_evq_bytes(SSDQOS_QOS_MAX_STREAMS),
			       sizeof(u64));
	u64 ids_bytes = SSDQOS_QOS_MAX_STREAMS * sizeof(void *);
	struct ssdqos_qos_config defaults;
	struct ssdqos_ready *r;
	u8 *mem;
	u32 i;

	mem = ssdqos_env_alloc(sizeof(*r) + ids_bytes +
			       SSDQOS_READY_NR_PLACES * heap_bytes +
			       SSDQOS_READY_HISTORY * sizeof(u32));
	if (!mem)
		return NULL;
	r = (struct ssdqos_ready *)mem;
	mem += sizeof(*r);
	r->by_id = (struct ssdqos_ready_stream **)mem;
	mem += ids_bytes;
	for (i = 0; i < SSDQOS_READY_NR_PLACES; i++, mem += heap_bytes)
		ssdqos_evq_init(&r->heaps[i], SSDQOS_QOS_MAX_STREAMS, mem);
	r->history = (u32 *)mem;
	ssdqos_qos_config_init(&defaults);
	r->cfg = defaults.drive;
	r->waf_permille = READY_WAF_PERMILLE;
	return r;
}

/**
 * ssdqos_ready_destroy - the drive is not needed any more
 * @r: without streams; or NULL
 *
 * Context: may sleep.
 */
void ssdqos_ready_destroy(struct ssdqos_ready *r)
{
	ssdqos_env_free(r);
}

/**
 * ssdqos_ready_add - a stream joins
 * @r: the drive
 * @s: zeroed memory of the caller
 * @id: its number, below SSDQOS_QOS_MAX_STREAMS; nobody else has it
 *
 * Context: caller serialises.
 */
void ssdqos_ready_add(struct ssdqos_ready *r, struct ssdqos_ready_stream *s,
		      u32 id)
{
	s->ready = r;
	s->id = id;
	s->delay_weight = SSDQOS_QOS_DEFAULT_DELAY_WEIGHT;
	s->delay_ns = r->delay_ns;
	s->next = r->streams;
	r->streams = s;
	r->by_id[id] = s;
}

/**
 * ssdqos_ready_remove - a stream leaves
 * @s: nothing of it waits
 *
 * Context: caller serialises.
 */
void ssdqos_ready_remove(struct ssdqos_ready_stream *s)
{
	struct ssdqos_ready_stream **link = &s->ready->streams;

	while (*link != s)
		link = &(*link)->next;
	*link = s->next;
	s->ready->by_id[s->id] = NULL;
	s->ready = NULL;
}

static u64 ready_endurance(const struct ssdqos_qos_drive_config *cfg,
			   u64 capacity_bytes)
{
	if (cfg->drive_endurance_gb)
		return cfg->drive_endurance_gb * 1000000000ULL;
	/* 10^6 cycles of 10^13 bytes fit; more would be 60 bits */
	if (capacity_bytes >> 43)
		return min_t(u64, (capacity_bytes >> 20) * cfg->drive_pe_cycles,
			     (1ULL << 40)) << 20;
	return capacity_bytes * cfg->drive_pe_cycles;
}

/*
 * ready_forget_history - windows of another length can't be compared
 * @r: the drive
 */
void ready_forget_history(struct ssdqos_ready *r)
{
	r->nr_history = 0;
	r->next_history = 0;
	r->epoch.windows = 1;
}

/* How old it was; may be corrected later. */
static void ready_set_age(struct ssdqos_ready *r,
			  const struct ssdqos_qos_drive_config *cfg, bool begun)
{
	u64 age_ns = cfg->drive_age_h * READY_NS_PER_H;
	u64 old_age_ns = begun ? r->cfg.drive_age_h * READY_NS_PER_H : 0;

	r->life_ns += age_ns;
	r->life_ns -= min(r->life_ns, old_age_ns);
	r->window_end_ns += age_ns;
	r->window_end_ns -= min(r->window_end_ns, old_age_ns);
	if (begun && cfg->drive_window_s == r->cfg.drive_window_s &&
	    r->window_end_ns > r->life_ns)
		return;
	r->window_end_ns = r->life_ns + cfg->drive_window_s * READY_NS_PER_S;
	if (begun)
		ready_forget_history(r);
}

static u64 ready_to_unit(const struct ssdqos_ready *r, u64 bytes, bool host)
{
	return host ? ready_share(bytes, READY_PERMILLE, r->waf_permille) :
		      ready_flash_of(r, bytes);
}

/*
 * ready_set_unit - what is used is the same in flash writes, or in host writes
 * @r: the drive
 * @host: it shall be in host writes
 */
void ready_set_unit(struct ssdqos_ready *r, bool host)
{
	r->used_bytes = ready_to_unit(r, r->used_bytes, host);
	r->window_bytes = ready_to_unit(r, r->window_bytes, host);
	r->source.charged_bytes = ready_to_unit(r, r->source.charged_bytes,
						host);
}

/* What it can take, and what of that was used before it came here. */
static void ready_set_endurance(struct ssdqos_ready *r,
				const struct ssdqos_qos_drive_config *cfg,
				bool begun)
{
	u64 endurance = ready_endurance(cfg, r->capacity_bytes);
	u64 used = cfg->drive_used_mb * 1000000ULL;
	u64 old_used = begun ? r->cfg.drive_used_mb * 1000000ULL : 0;
	bool host = cfg->drive_endurance_gb;

	if (endurance && r->endurance_bytes && host != ready_counts_host(r))
		ready_set_unit(r, host);
	r->used_bytes += used;
	r->used_bytes -= min(r->used_bytes, old_used);
	r->source.charged_bytes += used;
	r->source.charged_bytes -= min(r->source.charged_bytes, old_used);
	if (endurance == r->endurance_bytes && used == old_used)
		return;
	r->endurance_bytes = endurance;
	if (endurance)
		ready_rewear(r);
}

/* Only what the lifetime depends on is a reason for a new epoch. */
static bool ready_is_same(const struct ssdqos_qos_drive_config *a,
			  const struct ssdqos_qos_drive_config *b)
{
	const u32 first = offsetof(struct ssdqos_qos_drive_config,
				   drive_throttle);

	return !memcmp((const u8 *)a + first, (const u8 *)b + first,
		       sizeof(*a) - first);
}

/* Is something else to be shared out, or by somebody who did not before? */
static bool ready_has_new_plan(const struct ssdqos_ready *r,
			       const struct ssdqos_qos_drive_config *cfg,
			       u64 was_endurance)
{
	return cfg->drive_throttle != r->cfg.drive_throttle ||
	       cfg->drive_lifetime_h != r->cfg.drive_lifetime_h ||
	       cfg->drive_age_h != r->cfg.drive_age_h ||
	       cfg->drive_used_mb != r->cfg.drive_used_mb ||
	       r->endurance_bytes != was_endurance;
}

/**
 * ssdqos_ready_set - parameters of the drive
 * @r: the drive
 * @cfg: checked by ssdqos_qos_config_check()
 * @disk_bytes: size of the disk, where drive_capacity_mb is not given
 * @now_ns: time
 *
 * A delay in force stays unless the policy has none.
 * Context: caller serialises; some ten microseconds.
 */
void ssdqos_ready_set(struct ssdqos_ready *r,
		      const struct ssdqos_qos_drive_config *cfg,
		      u64 disk_bytes, u64 now_ns)
{
	u64 capacity_bytes = cfg->drive_capacity_mb ?
		cfg->drive_capacity_mb * 1000000ULL : disk_bytes;
	struct ssdqos_ready_stream *s;
	u64 was_endurance;
	bool begun = r->window_end_ns, new_plan;

	if (r->capacity_bytes == capacity_bytes && ready_is_same(&r->cfg, cfg)) {
		r->cfg = *cfg;
		return;
	}
	if (r->counting)
		ready_roll(r, now_ns);
	was_endurance = r->endurance_bytes;
	r->now_ns = now_ns;
	r->capacity_bytes = capacity_bytes;
	if (begun || ready_endurance(cfg, capacity_bytes)) {
		ready_set_age(r, cfg, begun);
		ready_set_endurance(r, cfg, begun);
	}
	new_plan = ready_has_new_plan(r, cfg, was_endurance);
	r->cfg = *cfg;
	if (new_plan)
		ready_plan_begin(r);
	r->recovery.model = (u32)cfg->drive_recovery;
	if (cfg->drive_waf_permille)
		r->waf_permille = (u32)cfg->drive_waf_permille;
	r->counting = r->endurance_bytes;
	r->enforcing = r->counting && cfg->drive_throttle != SSDQOS_QOS_NONE;
	ready_epoch_begin(r, ready_plans(r) ? 1 : max(r->epoch.windows, 1u));
	/* old delays end at once, and don't count when a policy comes again */
	for (s = r->streams; s && !r->enforcing; s = s->next)
		s->release_ns = 0;
}

/**
 * ssdqos_ready_set_stream - parameters of a stream
 * @s: the stream
 * @delay_weight: its part of the delay, in per cent
 *
 * Context: caller serialises.
 */
void ssdqos_ready_set_stream(struct ssdqos_ready_stream *s, u64 delay_weight)
{
	s->delay_weight = (u32)delay_weight;
	ready_share_delay(s->ready);
	/* it may go now when nobody else may, or not any more */
	ready_place_stopped(s);
}
