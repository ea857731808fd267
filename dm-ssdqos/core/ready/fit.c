// SPDX-License-Identifier: GPL-2.0
/*
 * fit.c - a life that was read: can it be, and does it fit?
 */
#include "internal.h"

#define STATE_MAX_WINDOW_S 86400
#define STATE_MAX_WAF_PERMILLE 100000
/* No sum of bytes has more. */
#define STATE_BYTES_BITS 62

static bool state_times_are_sane(const struct ssdqos_ready *r)
{
	const struct ssdqos_ready_epoch *e = &r->epoch;

	return r->life_ns <= READY_MAX_LIFE_NS &&
	       r->cfg.drive_window_s &&
	       r->cfg.drive_window_s <= STATE_MAX_WINDOW_S &&
	       r->window_end_ns <= r->life_ns + ready_window_ns(r) &&
	       r->window_end_ns >= ready_window_ns(r) &&
	       e->windows && e->windows <= SSDQOS_READY_HISTORY &&
	       e->done_windows < e->windows && e->length_ns &&
	       e->length_ns <= e->windows * ready_window_ns(r) &&
	       e->fair_ns <= READY_MAX_LIFE_NS && e->start_ns <= r->life_ns &&
	       r->plan.start_ns <= r->life_ns &&
	       r->recovery.idle_ns <= READY_MAX_LIFE_NS &&
	       r->recovery.mean_idle_ns <= READY_MAX_LIFE_NS &&
	       r->plan.since_ns <= READY_MAX_LIFE_NS &&
	       r->plan.seen_ns <= READY_MAX_LIFE_NS &&
	       r->clock.powered_ns <= READY_MAX_LIFE_NS &&
	       r->clock.away_ns <= READY_MAX_LIFE_NS &&
	       r->clock.passed_ns <= READY_MAX_LIFE_NS &&
	       r->clock.birth_s <= READY_MAX_WALL_S;
}

static bool state_bytes_are_sane(const struct ssdqos_ready *r)
{
	const struct ssdqos_ready_epoch *e = &r->epoch;

	return !((r->endurance_bytes | r->host_bytes | r->used_bytes |
		  r->window_bytes | r->window_host_bytes |
		  r->window_burst_bytes | r->burst_bytes |
		  r->source.waf_flash_bytes | r->source.waf_own_bytes |
		  e->left_bytes | e->capacity_bytes |
		  e->spare_bytes | e->used_bytes | e->expected_bytes |
		  e->fair_bytes | e->period_bytes |
		  r->plan.start_bytes | r->plan.seen_pages |
		  r->plan.seen_delay_ns) >> STATE_BYTES_BITS);
}

/*
 * ready_state_is_sane - can these numbers be?
 * @r: what was read
 *
 * Whoever can write a header can write nonsense.
 */
bool ready_state_is_sane(const struct ssdqos_ready *r)
{
	return r->endurance_bytes && state_times_are_sane(r) &&
	       state_bytes_are_sane(r) &&
	       r->nr_history <= SSDQOS_READY_HISTORY &&
	       r->next_history < SSDQOS_READY_HISTORY &&
	       r->why < SSDQOS_READY_NR_WHYS &&
	       r->delay_ns <= READY_MAX_DELAY_NS &&
	       r->epoch.delay_ns <= READY_MAX_DELAY_NS &&
	       r->recovery.trap_fp >> SSDQOS_FP_SHIFT < 64 &&
	       r->recovery.vth_fp >> SSDQOS_FP_SHIFT < 64 &&
	       r->recovery.cycles_fp >> 52 == 0 &&
	       r->charge_rest < READY_PERMILLE &&
	       r->held_permille <= READY_PERMILLE &&
	       r->good_epochs <= r->epochs && !(r->epochs >> STATE_BYTES_BITS) &&
	       r->waf_permille && r->waf_permille <= STATE_MAX_WAF_PERMILLE;
}

/*
 * ready_state_fit - go on with the parameters of now, which may not be those of then
 * @r: what was read
 * @cfg: of now
 * @endurance_bytes: of now
 */
void ready_state_fit(struct ssdqos_ready *r,
		     const struct ssdqos_qos_drive_config *cfg,
		     u64 endurance_bytes)
{
	const struct ssdqos_qos_drive_config saved = r->cfg;
	bool host = cfg->drive_endurance_gb;
	bool other_unit = host != !!saved.drive_endurance_gb;
	bool other_window = cfg->drive_window_s != saved.drive_window_s;
	bool other_endurance = endurance_bytes != r->endurance_bytes;

	r->cfg = *cfg;
	if (other_unit)
		ready_set_unit(r, host);
	if (other_window) {
		ready_forget_history(r);
		r->window_end_ns = r->life_ns + ready_window_ns(r);
	}
	r->endurance_bytes = endurance_bytes;
	if (other_unit || other_endurance)
		ready_rewear(r);
	if (other_unit || other_endurance ||
	    cfg->drive_throttle != saved.drive_throttle ||
	    cfg->drive_lifetime_h != saved.drive_lifetime_h)
		ready_plan_begin(r);
	if (other_unit || other_window || other_endurance ||
	    cfg->drive_throttle != saved.drive_throttle ||
	    cfg->drive_lifetime_h != saved.drive_lifetime_h ||
	    cfg->drive_spare_permille != saved.drive_spare_permille ||
	    cfg->drive_recovery != saved.drive_recovery)
		ready_epoch_begin(r, r->epoch.windows);
}
