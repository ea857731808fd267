// SPDX-License-Identifier: GPL-2.0
/*
 * idle.c - time in which nothing was written, and nobody asked
 *
 * After a week of sleep 1,008 windows have passed, after years without power
 * so many that to end each of them would take a tenth of a second with the
 * drive's lock held.  Windows without a write differ in nothing but the time,
 * so they pass together; and epochs of such windows do once the one before
 * was expected to be, and was, without a write as well.  What comes out is the
 * same as if somebody had looked at the end of each window, but for the
 * rounding of the cells' mean rest.
 *
 * The epoch that ends last is always ended by ready_epoch_end(), which lays
 * the next one out.  So it takes a few of these, for any time.
 */
#include "internal.h"

/* So often a quarter less, and nothing is left of a permille. */
#define IDLE_MOST_QUARTERS 32

/* Nothing was written in this window, nor a burst of what never stops kept. */
static bool idle_is_empty(const struct ssdqos_ready *r)
{
	return !(r->window_bytes | r->window_host_bytes |
		 r->window_burst_bytes | r->burst_bytes);
}

/* Nor in the epoch that begins with it, nor the one before; and no delay is
 * left that would become smaller.
 */
static bool idle_is_settled(const struct ssdqos_ready *r)
{
	const struct ssdqos_ready_epoch *e = &r->epoch;

	return !(e->done_windows | e->used_bytes | e->expected_bytes |
		 e->wrong | r->held_ns) &&
	       (!r->delay_ns || ready_plans(r));
}

static void idle_forget(struct ssdqos_ready *r, u64 windows)
{
	u32 i, nr = (u32)min_t(u64, windows, SSDQOS_READY_HISTORY);

	for (i = 0; i < nr; i++) {
		r->history[r->next_history] = 0;
		r->next_history = (r->next_history + 1) % SSDQOS_READY_HISTORY;
	}
	r->nr_history = min(r->nr_history + nr, SSDQOS_READY_HISTORY);
}

/* What is left of so many after whole histories. */
static u32 idle_rest(u64 windows)
{
	u64 whole = div64_u64(windows, SSDQOS_READY_HISTORY);

	return (u32)(windows - whole * SSDQOS_READY_HISTORY);
}

/* Windows without a write, at whose ends no epoch does. */
static void idle_pass(struct ssdqos_ready *r, u64 windows)
{
	/* a full history begins where it would after each of them */
	if (windows > SSDQOS_READY_HISTORY)
		r->next_history = (r->next_history + idle_rest(windows)) %
			SSDQOS_READY_HISTORY;
	idle_forget(r, windows);
	ssdqos_recovery_rest(&r->recovery, ready_window_ns(r), windows);
	r->window_end_ns += windows * ready_window_ns(r);
	ready_plan_rest(r, windows);
}

/* How much of an epoch without a write it is held up: all, or nothing. */
static u64 idle_held_permille(const struct ssdqos_ready *r)
{
	u64 length_ns = r->epoch.length_ns;

	if (!r->heaps[SSDQOS_READY_STOPPED].nr)
		return 0;
	return div64_u64(length_ns, div64_u64(length_ns, READY_PERMILLE) + 1);
}

/* Epochs without a write have ended; the one that begins at @start_ns has not. */
static void idle_count(struct ssdqos_ready *r, u64 epochs, u64 start_ns)
{
	u64 held = idle_held_permille(r), i;
	struct ssdqos_ready_stream *s;

	for (i = 0; i < min_t(u64, epochs, IDLE_MOST_QUARTERS); i++)
		r->held_permille = (3 * r->held_permille + held) / 4;
	r->epochs += epochs;
	r->good_epochs += epochs;
	r->stopped_ns = 0;
	r->stopped_since_ns = max(r->stopped_since_ns, start_ns);
	for (s = r->streams; s && !ready_plans(r); s = s->next)
		s->last_pages = 0;
}

/* Epochs of @windows from @start_ns on that pass alike, of those that end. */
static u64 idle_alike(const struct ssdqos_ready *r, u64 start_ns, u64 windows,
		      u64 end_ns)
{
	u64 epoch_ns = windows * ready_window_ns(r);
	u64 shrinks_ns = ready_target_ns(r) -
		min(ready_target_ns(r), READY_MIN_LEFT * epoch_ns);
	u64 nr = div64_u64(end_ns - start_ns, epoch_ns);

	if (windows > 1)
		nr = min(nr, div64_u64(shrinks_ns - min(shrinks_ns, start_ns),
				       epoch_ns) + 1);
	return nr;
}

/* All epochs that end by @end_ns, but for the last one of them. */
static void idle_epochs(struct ssdqos_ready *r, u64 end_ns)
{
	u64 window_ns = ready_window_ns(r), epochs = 0, nr;
	u64 from_ns = r->window_end_ns - window_ns, start_ns = from_ns;
	u32 windows = r->epoch.windows, next;

	for (;;) {
		nr = idle_alike(r, start_ns, windows, end_ns);
		next = min(windows, ready_most_windows(r, start_ns + nr *
						       windows * window_ns));
		/* the last one is left */
		if (nr && start_ns + (nr * windows + next) * window_ns > end_ns)
			nr--;
		if (!nr)
			break;
		start_ns += nr * windows * window_ns;
		windows = min(windows, ready_most_windows(r, start_ns));
		epochs += nr;
	}
	if (!epochs)
		return;
	idle_pass(r, div64_u64(start_ns - from_ns, window_ns));
	r->epoch.windows = windows;
	r->epoch.start_ns = start_ns;
	idle_count(r, epochs, start_ns);
}

/*
 * ready_idle - pass over windows in which nothing was written
 * @r: the drive
 * @end_ns: life time by which they have ended
 *
 * Leaves at least one that ends by then.
 */
void ready_idle(struct ssdqos_ready *r, u64 end_ns)
{
	struct ssdqos_ready_epoch *e = &r->epoch;
	u64 nr;

	if (!idle_is_empty(r))
		return;
	if (idle_is_settled(r))
		idle_epochs(r, end_ns);
	nr = div64_u64(end_ns - r->window_end_ns, ready_window_ns(r));
	nr = min_t(u64, nr, e->windows - e->done_windows - 1);
	if (!nr)
		return;
	idle_pass(r, nr);
	e->done_windows += (u32)nr;
}
