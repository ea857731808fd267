// SPDX-License-Identifier: GPL-2.0
/*
 * look.c - what write throttling shows: nobody shall have to guess
 */
#include "internal.h"

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
#define LOOK_NEVER_S (2 * LOOK_MAX_S)
#define LOOK_KB 1000
#define LOOK_UV_PER_V 1000000

/**
 * struct look_pace - what was charged in the last week
 * @bytes: of the endurance
 * @seconds: in which
 */
struct look_pace {
	u64 bytes;
	u64 seconds;
};

static struct look_pace look_at_pace(const struct ssdqos_ready *r)
{
	u64 most = max(div64_u64(LOOK_BACK_NS, ready_window_ns(r)), 1ULL);
	u32 nr = (u32)min_t(u64, r->nr_history, most), i;
	u64 written = r->window_host_bytes, seconds;

	seconds = div64_u64(r->life_ns + ready_window_ns(r) -
			    r->window_end_ns, READY_NS_PER_S);
	for (i = 1; i <= nr; i++)
		written += (u64)SSDQOS_READY_PAGE_BYTES *
			r->history[(r->next_history + SSDQOS_READY_HISTORY - i)
				   % SSDQOS_READY_HISTORY];
	return (struct look_pace){
		.bytes = ready_mean_charge(r, written),
		.seconds = seconds + nr * r->cfg.drive_window_s,
	};
}

/* Life time in which @bytes are charged; LOOK_NEVER_S if none are. */
static u64 look_ahead_s(const struct look_pace *pace, u64 bytes)
{
	u64 ahead_s;

	if (!bytes)
		return 0;
	if (!pace->bytes || !pace->seconds)
		return LOOK_NEVER_S;
	ahead_s = ssdqos_fp_mul(pace->seconds,
				ready_part_fp(bytes, pace->bytes));
	return min_t(u64, ahead_s, LOOK_NEVER_S);
}

static s64 look_end_s(u64 age_s, u64 ahead_s)
{
	return ahead_s > LOOK_MAX_S ? -1 : (s64)(age_s + ahead_s);
}

/* Has it a floor that takes more than what is left would be shared out to? */
static u64 look_at_floor_s(const struct ssdqos_ready *r, u64 left)
{
	struct look_pace pace = { .seconds = r->cfg.drive_time_scale };

	if (!ready_plans(r) && !r->cfg.drive_floor_kb_s)
		return LOOK_NEVER_S;
	pace.bytes = ready_mean_charge(r, LOOK_KB * ready_floor_kb_s(r));
	/* a KB a second by the caller's clock is one in drive_time_scale */
	return look_ahead_s(&pace, left);
}

/* Age at which it is worn out while the policy is in force: what is wanted is
 * written as far as the budget has it, and at the target's age no limit holds.
 */
static s64 look_at_throttled_s(const struct ssdqos_ready *r,
			       const struct ssdqos_ready_gauges *g,
			       const struct look_pace *pace,
			       const struct look_pace *wanted)
{
	u64 age_s = (u64)g->life_age_s, left_s = (u64)g->life_target_s - age_s;
	u64 left = (u64)g->life_left_bytes, cells = ready_cells_left(r);
	u64 ahead_s = look_ahead_s(pace, left), used = left;

	if (!cells)
		return (s64)age_s;
	if (ahead_s < left_s) {
		ahead_s = max(ahead_s, look_at_floor_s(r, left));
		if (ahead_s < left_s)
			return (s64)(age_s + ahead_s);
	} else if (ahead_s) {
		used = ready_share(left, left_s, ahead_s);
	}
	ahead_s = look_ahead_s(wanted, cells - min(cells, used));
	return look_end_s((u64)g->life_target_s, ahead_s);
}

/* Without throttling, what was written would have taken the time in which
 * nothing was held up.
 */
static void look_at_forecast(const struct ssdqos_ready *r,
			     struct ssdqos_ready_gauges *g)
{
	u64 held = min_t(u64, r->held_permille, LOOK_MOST_HELD_PERMILLE);
	struct look_pace pace = look_at_pace(r), wanted = pace;

	wanted.bytes = ready_share(pace.bytes, READY_PERMILLE,
				   READY_PERMILLE - held);
	g->life_forecast_unthrottled_s =
		look_end_s((u64)g->life_age_s,
			   look_ahead_s(&wanted, ready_cells_left(r)));
	g->life_forecast_s = g->life_forecast_unthrottled_s;
	if (r->enforcing && !ready_is_over(r))
		g->life_forecast_s = look_at_throttled_s(r, g, &pace, &wanted);
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
	g->life_meta_bytes = (s64)r->meta_bytes;
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
