// SPDX-License-Identifier: GPL-2.0
/*
 * life.c - a drive's life passes, and its wear is counted
 */
#include "internal.h"

/**
 * ssdqos_ready_period_ns - length of a period
 * @r: the drive
 *
 * Return: by the caller's clock.
 */
u64 ssdqos_ready_period_ns(const struct ssdqos_ready *r)
{
	return div64_u64(ready_life_period_ns(r), r->cfg.drive_time_scale);
}

static void ready_remember(struct ssdqos_ready *r, u64 bytes)
{
	u64 pages = bytes / SSDQOS_READY_PAGE_BYTES;

	r->history[r->next_history] = (u32)min_t(u64, pages, 0xffffffffu);
	r->next_history = (r->next_history + 1) % SSDQOS_READY_HISTORY;
	r->nr_history = min(r->nr_history + 1, SSDQOS_READY_HISTORY);
}

/* What @bytes of the endurance are in cycles, up to a million. */
static u64 ready_cycles_fp(const struct ssdqos_ready *r, u64 bytes)
{
	u64 cycles_fp;

	/* cycles first, so that small charges are not rounded away */
	if (bytes < ~0ULL / SSDQOS_RECOVERY_CYCLES)
		cycles_fp = ready_part_fp(SSDQOS_RECOVERY_CYCLES * bytes,
					  r->endurance_bytes);
	else
		cycles_fp = SSDQOS_RECOVERY_CYCLES *
			min_t(u64, ready_part_fp(bytes, r->endurance_bytes),
			      1ULL << 51);
	return min_t(u64, cycles_fp, 1ULL << 52);
}

/* Time passes for the cells, in which @bytes were charged. */
static void ready_wear(struct ssdqos_ready *r, u64 elapsed_ns, u64 bytes)
{
	u64 flash = ready_counts_host(r) ? ready_flash_of(r, bytes) : bytes;

	ssdqos_recovery_advance(&r->recovery, elapsed_ns,
				ready_part_fp(flash, r->capacity_bytes),
				ready_cycles_fp(r, bytes));
}

/*
 * ready_rewear - what is used, or the endurance, was corrected
 * @r: the drive
 *
 * Of wear that nobody has seen here the idle times are not known: as if there
 * had been none.  What this window has used is counted at its end.
 */
void ready_rewear(struct ssdqos_ready *r)
{
	struct ssdqos_recovery *c = &r->recovery;
	u64 seen = r->used_bytes - min(r->used_bytes, r->window_bytes);
	u64 was_fp = c->trap_fp;

	c->cycles_fp = ready_cycles_fp(r, seen);
	c->trap_fp = ssdqos_recovery_trap_fp(c->cycles_fp);
	if (c->trap_fp >= was_fp)
		c->vth_fp += c->trap_fp - was_fp;
	else
		c->vth_fp = ready_share(c->vth_fp, c->trap_fp, was_fp);
}

static void ready_window_end(struct ssdqos_ready *r)
{
	ready_remember(r, r->window_host_bytes);
	ready_wear(r, ready_window_ns(r), r->window_bytes);
	r->window_bytes = 0;
	r->window_host_bytes = 0;
	r->burst_bytes = r->window_burst_bytes;
	r->window_burst_bytes = 0;
	r->window_end_ns += ready_window_ns(r);
	if (++r->epoch.done_windows >= r->epoch.windows)
		ready_epoch_end(r);
}

/* Life goes on to @end_ns, as if somebody had looked at the end of each window. */
static void ready_pass(struct ssdqos_ready *r, u64 end_ns)
{
	while (end_ns >= r->window_end_ns) {
		ready_idle(r, end_ns);
		r->life_ns = r->window_end_ns;
		ready_window_end(r);
		r->rolled_windows++;
	}
	r->life_ns = end_ns;
}

/*
 * ready_roll - let life go on
 * @r: the drive, with a budget
 * @now_ns: time
 */
void ready_roll(struct ssdqos_ready *r, u64 now_ns)
{
	u64 target_ns = ready_target_ns(r), end_ns;
	u64 passed_ns = min(now_ns - r->now_ns,
			    div64_u64(READY_MAX_LIFE_NS,
				      r->cfg.drive_time_scale));

	r->now_ns = now_ns;
	r->rolled_windows = 0;
	end_ns = min(r->life_ns + passed_ns * r->cfg.drive_time_scale,
		     READY_MAX_LIFE_NS);
	if (r->life_ns < target_ns && end_ns >= target_ns) {
		ready_pass(r, target_ns);
		ready_epoch_begin(r, r->epoch.windows);
		ready_tell(r, SSDQOS_WATCH_LIFE_REACHED);
	}
	ready_pass(r, end_ns);
	if (r->life_ns >= r->epoch.period_end_ns) {
		ready_period_begin(r);
		if (r->life_ns >= r->plan.look_ns)
			ready_horizon_look(r);
	}
}

/* @bytes of the endurance are used. */
void ready_charge(struct ssdqos_ready *r, u64 bytes)
{
	bool spent = r->epoch.used_bytes >= r->epoch.left_bytes;

	r->used_bytes += bytes;
	r->epoch.used_bytes += bytes;
	r->window_bytes += bytes;
	if (r->used_bytes >= r->plan.look_bytes)
		ready_horizon_look(r);
	if (spent || r->epoch.used_bytes < r->epoch.left_bytes)
		return;
	if (r->enforcing && !ready_is_over(r))
		r->why = SSDQOS_READY_WHY_SPENT;
	ready_tell(r, SSDQOS_WATCH_LIFE_SPENT);
}

/*
 * ready_count_host - a client here has written
 * @r: the drive, with a budget
 * @bytes: of data
 */
void ready_count_host(struct ssdqos_ready *r, u64 bytes)
{
	u64 paid = min(r->refund_bytes, bytes);

	r->refund_bytes -= paid;
	bytes -= paid;
	r->host_bytes += bytes;
	r->window_host_bytes += bytes;
	ready_charge(r, ready_charge_of(r, bytes, &r->charge_rest));
}

/* Charges were wrong by so much. */
void ready_correct(struct ssdqos_ready *r, s64 bytes)
{
	u64 less = (u64)-bytes;
	bool is_past;

	if (bytes >= 0) {
		ready_charge(r, (u64)bytes);
		return;
	}
	r->used_bytes -= min(r->used_bytes, less);
	r->epoch.used_bytes -= min(r->epoch.used_bytes, less);
	is_past = less > r->window_bytes;
	r->window_bytes -= min(r->window_bytes, less);
	if (is_past)
		ready_rewear(r);
}

/**
 * ssdqos_ready_wrote - writes went without coming here
 * @r: the drive
 * @bytes: of data
 * @now_ns: time
 *
 * For drives that only count, and for what could not be asked.
 * Context: caller serialises.
 */
void ssdqos_ready_wrote(struct ssdqos_ready *r, u64 bytes, u64 now_ns)
{
	if (!r->counting)
		return;
	ready_roll(r, now_ns);
	ready_count_host(r, bytes);
}

/**
 * ssdqos_ready_tick - time passes
 * @r: the drive
 * @now_ns: time
 * @events: gets up to SSDQOS_READY_MAX_EVENTS
 *
 * To be called once a second or more often.
 * Context: caller serialises; some ten microseconds where an epoch ends.
 * Return: number of events.
 */
u32 ssdqos_ready_tick(struct ssdqos_ready *r, u64 now_ns,
		      struct ssdqos_watch_event *events)
{
	u32 kind, nr = 0;

	if (!r->counting)
		return 0;
	ready_roll(r, now_ns);
	for (kind = 0; r->pending && nr < SSDQOS_READY_MAX_EVENTS; kind++) {
		if (!(r->pending & (1u << kind)))
			continue;
		r->pending &= ~(1u << kind);
		events[nr++] = (struct ssdqos_watch_event) {
			.kind = kind,
			.time_ns = now_ns,
			.delay_ns = div64_u64(r->delay_ns,
					      r->cfg.drive_time_scale),
			.why = r->why,
			.left_bytes = ssdqos_ready_left_bytes(r),
			.epoch_bytes = r->epoch.capacity_bytes,
		};
	}
	return nr;
}
