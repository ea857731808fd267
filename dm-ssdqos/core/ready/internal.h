/* SPDX-License-Identifier: GPL-2.0 */
/*
 * internal.h - what the files of core/ready share
 */
#ifndef SSDQOS_READY_INTERNAL_H
#define SSDQOS_READY_INTERNAL_H

#include "../engine/fixed.h"
#include "ready.h"

#define READY_NS_PER_S 1000000000ULL
#define READY_NS_PER_MS 1000000ULL
#define READY_NS_PER_H (3600 * READY_NS_PER_S)
#define READY_PERMILLE 1000u
/* Write amplification until somebody knows: the middle of Table 8. */
#define READY_WAF_PERMILLE 2000u
/* A request is not kept longer than that: people, and hung_task, get nervous. */
#define READY_MAX_HOLD_NS (10 * READY_NS_PER_S)
/* The same for a page: nothing is that slow. */
#define READY_MAX_DELAY_NS (10 * READY_NS_PER_S)
/* Life time stands still after three centuries: so, sums of times fit. */
#define READY_MAX_LIFE_NS (1ULL << 63)
/* A period of the budget (section 5.4.3) in life time. */
#define READY_PERIOD_NS READY_NS_PER_S
/* And what it is at least by the caller's clock: timers fire with it. */
#define READY_MIN_PERIOD_NS 1000000ULL
/* The time of day, in seconds since 1970, as long as life time can be. */
#define READY_MAX_WALL_S (READY_MAX_LIFE_NS / READY_NS_PER_S)
/* A bound that quotients have, so that they can be multiplied. */
#define READY_MAX_PART_FP (1ULL << 63)

/* Who is throttled by delays, rather than by stops alone? */
static inline bool ready_delays(const struct ssdqos_ready *r)
{
	return r->cfg.drive_throttle >= SSDQOS_QOS_DYNAMIC;
}

/* Does the policy count on recovery of the cells? */
static inline bool ready_recovers(const struct ssdqos_ready *r)
{
	return r->cfg.drive_throttle != SSDQOS_QOS_STATIC &&
	       r->cfg.drive_throttle != SSDQOS_QOS_DYNAMIC &&
	       r->cfg.drive_recovery != SSDQOS_RECOVERY_NONE;
}

static inline bool ready_borrows(const struct ssdqos_ready *r)
{
	return r->cfg.drive_throttle == SSDQOS_QOS_DYNAMIC ||
	       r->cfg.drive_throttle == SSDQOS_QOS_READY_OPT;
}

/* Does it go by what the life so far has spent? */
static inline bool ready_plans(const struct ssdqos_ready *r)
{
	return r->cfg.drive_throttle == SSDQOS_QOS_HORIZON;
}

/* Is the endurance given in what hosts write? */
static inline bool ready_counts_host(const struct ssdqos_ready *r)
{
	return r->cfg.drive_endurance_gb;
}

static inline u64 ready_target_ns(const struct ssdqos_ready *r)
{
	return r->cfg.drive_lifetime_h * READY_NS_PER_H;
}

/* Length of a period in life time. */
static inline u64 ready_life_period_ns(const struct ssdqos_ready *r)
{
	return max(READY_PERIOD_NS,
		   READY_MIN_PERIOD_NS * r->cfg.drive_time_scale);
}

static inline bool ready_is_over(const struct ssdqos_ready *r)
{
	return r->life_ns >= ready_target_ns(r);
}

static inline u64 ready_window_ns(const struct ssdqos_ready *r)
{
	return r->cfg.drive_window_s * READY_NS_PER_S;
}

/* An epoch is at most this part of what is left of the life, so that there are
 * a few yet to make up for a wrong one.
 */
#define READY_MIN_LEFT 8

/* Windows of the longest epoch that makes sense at @life_ns. */
static inline u32 ready_most_windows(const struct ssdqos_ready *r, u64 life_ns)
{
	u64 target_ns = ready_target_ns(r);
	u64 left_ns = target_ns - min(target_ns, life_ns);
	u64 most = div64_u64(left_ns, READY_MIN_LEFT * ready_window_ns(r));

	return (u32)min_t(u64, max(most, 1ULL), SSDQOS_READY_HISTORY);
}

/* @part / @whole in fixed point, for numbers of any size; nothing is larger
 * than READY_MAX_PART_FP.
 */
static inline u64 ready_part_fp(u64 part, u64 whole)
{
	while (part >> 32) {
		part >>= 1;
		whole >>= 1;
	}
	if (!whole)
		return part ? READY_MAX_PART_FP : 0;
	return min_t(u64, ssdqos_fp_ratio(part, whole), READY_MAX_PART_FP);
}

static inline u64 ready_share(u64 bytes, u64 part, u64 whole)
{
	return ssdqos_fp_mul(bytes, ready_part_fp(part, whole));
}

/* What is left of a charge that is not handed on: it is rounded down, or up. */
#define READY_ROUND_DOWN 0
#define READY_ROUND_UP (READY_PERMILLE - 1)

/*
 * ready_charge_of - what a write costs of the endurance
 * @r: the drive
 * @bytes: of data
 * @rest: 1/1000 bytes that charges before have left, below READY_PERMILLE; gets
 *	what this one leaves
 *
 * Rounds down to whole bytes, and @rest has what that cuts off.  Who hands the
 * same one to each call loses nothing in the long run, which is how wear is
 * counted; one call alone begins with READY_ROUND_DOWN or READY_ROUND_UP.
 *
 * Return: bytes of the endurance.
 */
static inline u64 ready_charge_of(const struct ssdqos_ready *r, u64 bytes,
				  u32 *rest)
{
	u64 milli, charge;

	if (ready_counts_host(r))
		return bytes;
	milli = bytes * r->waf_permille + *rest;
	charge = div64_u64(milli, READY_PERMILLE);
	*rest = (u32)(milli - charge * READY_PERMILLE);
	return charge;
}

/* What flash writes in the mean for @bytes of hosts, a number of any size. */
static inline u64 ready_flash_of(const struct ssdqos_ready *r, u64 bytes)
{
	return ready_share(bytes, r->waf_permille, READY_PERMILLE);
}

/* As ready_charge_of(), of many writes. */
static inline u64 ready_mean_charge(const struct ssdqos_ready *r, u64 bytes)
{
	return ready_counts_host(r) ? bytes : ready_flash_of(r, bytes);
}

/* What an epoch may be charged, without a burst of what never stops: that is
 * kept for the end of the life, twice, since it may have ended in the next eighth
 * of a window.
 */
static inline u64 ready_left_to_share(const struct ssdqos_ready *r)
{
	u64 kept = 2 * max(r->burst_bytes, r->window_burst_bytes);

	return r->epoch.left_bytes - min(r->epoch.left_bytes, kept);
}

static inline void ready_tell(struct ssdqos_ready *r,
			      enum ssdqos_watch_event_kind kind)
{
	r->pending |= 1u << kind;
}

/* ready.c */
void ready_forget_history(struct ssdqos_ready *r);
void ready_set_unit(struct ssdqos_ready *r, bool host);

/* life.c */
void ready_roll(struct ssdqos_ready *r, u64 now_ns);
void ready_charge(struct ssdqos_ready *r, u64 bytes);
void ready_count_host(struct ssdqos_ready *r, u64 bytes);
void ready_correct(struct ssdqos_ready *r, s64 bytes);
void ready_rewear(struct ssdqos_ready *r);

/* left.c */
u64 ready_cells_left(const struct ssdqos_ready *r);
u64 ready_horizon_left(const struct ssdqos_ready *r);

/* delay.c */
void ready_share_delay(struct ssdqos_ready *r);

/* epoch.c */
void ready_epoch_end(struct ssdqos_ready *r);
void ready_epoch_begin(struct ssdqos_ready *r, u32 windows);
void ready_period_begin(struct ssdqos_ready *r);

/* idle.c */
void ready_idle(struct ssdqos_ready *r, u64 end_ns);

/* plan.c */
void ready_plan_begin(struct ssdqos_ready *r);
u64 ready_plan_left(const struct ssdqos_ready *r);
u64 ready_plan_page_ns(const struct ssdqos_ready *r);
void ready_plan_seen(struct ssdqos_ready *r, u64 bytes);
void ready_plan_rest(struct ssdqos_ready *r, u64 windows);
u64 ready_plan_needed_ns(const struct ssdqos_ready *r, u64 page_ns);
u64 ready_plan_behind_fp(struct ssdqos_ready *r);

/* horizon.c */
u64 ready_horizon_allowed(const struct ssdqos_ready *r);
void ready_horizon_decide(struct ssdqos_ready *r);
void ready_horizon_look(struct ssdqos_ready *r);

/* fit.c */
bool ready_state_is_sane(const struct ssdqos_ready *r);
void ready_state_fit(struct ssdqos_ready *r,
		     const struct ssdqos_qos_drive_config *cfg,
		     u64 endurance_bytes);

/* clock.c */
void ready_clock_load(struct ssdqos_ready *r, u64 wall_s, u64 now_ns);

/* floor.c */
u64 ready_floor_kb_s(const struct ssdqos_ready *r);
u64 ready_floor_page_ns(const struct ssdqos_ready *r);

/* gate.c */
void ready_place_stopped(struct ssdqos_ready_stream *s);

#endif /* SSDQOS_READY_INTERNAL_H */
