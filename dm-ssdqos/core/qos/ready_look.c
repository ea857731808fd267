// SPDX-License-Identifier: GPL-2.0
/*
 * ready_look.c - what write throttling shows: nobody shall have to guess
 */
#include "ready_internal.h"

const char *const ssdqos_ready_gauge_names[SSDQOS_READY_NR_GAUGES] = {
#define G(name, ...) [SSDQOS_READY_GAUGE_##name] = #name,
	SSDQOS_READY_GAUGES(G)
#undef G
};

const char *const ssdqos_ready_stat_names[SSDQOS_READY_NR_STATS] = {
#define S(name, ...) [SSDQOS_READY_STAT_##name] = #name,
	SSDQOS_READY_STATS(S)
#undef S
};

/* A forecast looks back for a week: loads repeat weekly, if at all. */
#define LOOK_BACK_NS (7 * 24 * READY_NS_PER_H)
/* Writes were held up for more than that: what they would be without is a
 * guess, and not a larger one than this.
 */
#define LOOK_MOST_HELD_PERMILLE 950
#define LOOK_MAX_S 3153600000000ULL	/* 100,000 years: as good as never */
#define LOOK_UV_PER_V 1000000

/* Life time in which @bytes are charged, as hosts write; ~0 is never. */
static u64 look_ahead_s(const struct ssdqos_ready *r, u64 bytes)
{
	u64 most = max(div64_u64(LOOK_BACK_NS, ready_window_ns(r)), 1ULL);
	u32 nr = (u32)min_t(u64, r->nr_history, most), i;
	u64 written = r->window_host_bytes, charged, seconds;

	seconds = div64_u64(r->life_ns + ready_window_ns(r) -
			    r->window_end_ns, READY_NS_PER_S);
	for (i = 1; i <= nr; i++)
		written += (u64)SSDQOS_READY_PAGE_BYTES *
			r->history[(r->next_history + SSDQOS_READY_HISTORY - i)
				   % SSDQOS_READY_HISTORY];
	seconds += nr * r->cfg.drive_window_s;
	charged = ready_mean_charge(r, written);
	if (!charged || !seconds)
		return ~0ULL;
	while (bytes >> 32 || seconds >> 31) {
		bytes >>= 1;
		charged >>= 1;
		if (seconds >> 31)
			return ~0ULL;
	}
	return charged ? div64_u64(bytes * seconds, charged) : ~0ULL;
}

static s64 look_end_s(u64 age_s, u64 ahead_s)
{
	return ahead_s > LOOK_MAX_S ? -1 : (s64)(age_s + ahead_s);
}

static void look_at_forecast(const struct ssdqos_ready *r,
			     struct ssdqos_ready_gauges *g)
{
	u64 held = min_t(u64, r->held_permille, LOOK_MOST_HELD_PERMILLE);
	u64 age_s = (u64)g->life_age_s;
	u64 ahead_s = look_ahead_s(r, (u64)g->life_left_bytes);

	g->life_forecast_s = look_end_s(age_s, ahead_s);
	if (ahead_s <= LOOK_MAX_S)
		ahead_s = div64_u64(ahead_s * (READY_PERMILLE - held),
				    READY_PERMILLE);
	g->life_forecast_unthrottled_s = look_end_s(age_s, ahead_s);
}

/* Where the policy goes by a plan, bursts may take what it allows. */
static void look_at_plan(const struct ssdqos_ready *r,
			 struct ssdqos_ready_gauges *g)
{
	u64 left = ready_horizon_left(r), plan = ready_plan_left(r);
	u64 most = left + ready_horizon_allowed(r);

	if (!r->enforcing || ready_is_over(r))
		return;
	g->life_max_wait_ns = READY_MAX_HOLD_NS;
	if (!ready_plans(r))
		return;
	g->life_max_wait_ns = r->plan.wait_ns;
	g->life_plan_bytes = g->life_used_bytes + (s64)(left - plan);
	g->life_spare_bytes = (s64)(most - min(most, plan));
}

static void look_at_waiting(const struct ssdqos_ready *r,
			    struct ssdqos_ready_gauges *g)
{
	const struct ssdqos_ready_stream *s;

	for (s = r->streams; s; s = s->next) {
		g->life_stopped += s->lists[SSDQOS_READY_STOPPED].nr;
		g->life_late += s->lists[SSDQOS_READY_BEFORE].nr +
				s->lists[SSDQOS_READY_AFTER].nr;
	}
}

static s64 look_at_source_s(const struct ssdqos_ready *r)
{
	if (!r->source.known || r->source.lost)
		return -1;
	return (s64)div64_u64(r->now_ns - r->source.at_ns, READY_NS_PER_S);
}

/**
 * ssdqos_ready_look - all that a drive shows of its life
 * @r: the drive
 * @now_ns: time
 * @g: gets the numbers; all are 0 if wear is not counted
 *
 * Context: caller serialises; some ten microseconds.
 */
void ssdqos_ready_look(struct ssdqos_ready *r, u64 now_ns,
		       struct ssdqos_ready_gauges *g)
{
	const struct ssdqos_ready_epoch *e = &r->epoch;

	memset(g, 0, sizeof(*g));
	g->life_delay_why = r->why;
	look_at_waiting(r, g);
	if (!r->counting)
		return;
	ready_roll(r, now_ns);
	g->life_age_s = (s64)div64_u64(r->life_ns, READY_NS_PER_S);
	g->life_target_s = (s64)(r->cfg.drive_lifetime_h * 3600);
	g->life_endurance_bytes = (s64)r->endurance_bytes;
	g->life_left_bytes = (s64)ssdqos_ready_left_bytes(r);
	g->life_used_bytes = (s64)r->used_bytes;
	g->life_effective_bytes = g->life_used_bytes + g->life_left_bytes;
	g->life_host_bytes = (s64)r->host_bytes;
	g->life_waf_permille = r->waf_permille;
	g->life_source_age_s = look_at_source_s(r);
	g->life_idle_s = (s64)div64_u64(r->recovery.idle_ns, READY_NS_PER_S);
	g->life_vth_uv = (s64)(ssdqos_fp_mul(LOOK_UV_PER_V,
					     r->recovery.vth_fp));
	g->life_epoch_s = (s64)div64_u64(e->length_ns, READY_NS_PER_S);
	g->life_epoch_bytes = (s64)e->capacity_bytes;
	g->life_epoch_used_bytes = (s64)e->used_bytes;
	g->life_epoch_expected_bytes = (s64)e->expected_bytes;
	g->life_spare_bytes = (s64)e->spare_bytes;
	look_at_plan(r, g);
	g->life_floor_kb_s = (s64)ready_floor_kb_s(r);
	g->life_expected_well_permille = r->epochs ?
		(s64)div64_u64(r->good_epochs * READY_PERMILLE, r->epochs) : 0;
	g->life_delay_ns = (s64)div64_u64(r->delay_ns,
					  r->cfg.drive_time_scale);
	g->life_delay_why = r->why;
	look_at_forecast(r, g);
}
