// SPDX-License-Identifier: GPL-2.0
/*
 * trim.c - discards that help instead of hurting
 *
 * Drives gain nothing from discards in random order, and are busy for 400 us to
 * 10 ms with each ("Revisiting Widely Held SSD Expectations", sections 6.1, 6.2);
 * in order, all of one place at a time, they are worth a pristine drive.  So they
 * are kept here for a while (7.3, "TRIM Buffer and Scheduler").  A discard is
 *
 *	          take                next              done
 *	(comes) --------> waiting -----------> under way -----> (gone)
 *	                     |  cut
 *	                     +--------> (written meanwhile: never sent)
 *
 * - It is a hint, so its client is answered as soon as it waits.  Sectors that
 *   touch are merged, within an area: what one client may not touch is not
 *   discarded for another one.
 * - A write that comes later cuts its sectors out; one of sectors that are under
 *   way waits until that is done.  So nothing that was written after its discard
 *   was answered is ever discarded.  What was written before and had not ended
 *   when the discard came has no order with it, here or in a drive.
 * - While the drive is quiet (nobody has sent it anything for QUIET, since a
 *   discard that has begun is in the way of whoever comes then) whole granules go,
 *   upwards from where the last one ended, like an elevator.  What is less than a
 *   granule waits for its neighbours.
 * - When the oldest one has waited for half of max_age, all goes once in ascending
 *   order, whoever uses the drive, so evenly that the oldest one is sent in time:
 *   the next of n goes after an nth of the time that is left.  Ranges that are still
 *   smaller than min_sectors are left out then.
 * - When an eighth of the memory is left, the oldest go first, until there is a
 *   fourth; when none is, discards pass as they come.
 *
 * A read of sectors that wait returns what was written before, each time, until
 * the discard is sent.  Then it is what the drive says of discarded sectors.
 *
 * Integers in, instructions out; the caller serialises, sends, and tells when
 * there is nothing else to do.
 */
#include "trim.h"

/* Room that is kept for what comes while the oldest are sent. */
#define TRIM_ROOM_DIVISOR 8
/* Sending the oldest goes on until so much is free. */
#define TRIM_RELIEF_DIVISOR 4
/* After this part of max_age all begins to go. */
#define TRIM_DUE_DIVISOR 2
/* Each discard that is seen has so much of the average cost. */
#define TRIM_COST_DIVISOR 8

const char *const ssdqos_trim_why_names[SSDQOS_NR_TRIM_WHYS] = {
#define E(name, text) [SSDQOS_TRIM_##name] = text,
	SSDQOS_TRIM_WHYS(E)
#undef E
};

/* As they stand beside others' counters. */
const char *const ssdqos_trim_stat_names[SSDQOS_NR_TRIM_STATS] = {
#define S(name, ...) "trim_" #name,
	SSDQOS_TRIM_STATS(S)
#undef S
};

/**
 * ssdqos_trim_init - a batcher with nothing in it
 * @t: the batcher
 * @cfg: what it goes by
 *
 * Context: may sleep.
 * Return: 0 or -ENOMEM.
 */
int ssdqos_trim_init(struct ssdqos_trim *t, const struct ssdqos_trim_config *cfg)
{
	*t = (struct ssdqos_trim){ .cfg = *cfg };
	t->cost_ns = SSDQOS_TRIM_FIRST_COST_NS;
	t->cfg.depth = min(max(cfg->depth, 1u), SSDQOS_TRIM_MAX_DEPTH);
	t->cfg.max_ranges = max(cfg->max_ranges, SSDQOS_RANGES_LEAST);
	t->cfg.min_sectors = min(cfg->min_sectors, cfg->max_sectors);
	return ssdqos_ranges_init(&t->waiting, t->cfg.max_ranges, cfg->granule,
				  cfg->align, t->cfg.min_sectors);
}

/**
 * ssdqos_trim_exit - give the memory back
 * @t: the batcher; nothing is under way
 *
 * Context: may sleep.
 */
void ssdqos_trim_exit(struct ssdqos_trim *t)
{
	ssdqos_ranges_exit(&t->waiting);
}

/* ---- what comes ---- */

/**
 * ssdqos_trim_take - a discard comes
 * @t: the batcher
 * @area: whose sectors they are
 * @start: the first sector
 * @end: the one behind the last, above @start
 * @now_ns: the time
 *
 * Context: any; looks at SSDQOS_RANGES_STEP ranges.
 * Return: up to where it is taken: @end, and the client can be answered; more than
 * @start, and another call takes the rest; or @start, and the rest is to be sent as it
 * came.
 */
u64 ssdqos_trim_take(struct ssdqos_trim *t, u32 area, u64 start, u64 end,
		     u64 now_ns)
{
	u64 until = start;

	if (!t->flushing || end <= t->flush_start || start >= t->flush_end)
		until = ssdqos_ranges_add(&t->waiting, area, start, end, now_ns);
	t->stats.taken_sectors += until - start;
	if (until == end)
		t->stats.taken++;
	else if (until == start)
		t->stats.passed++;
	return until;
}

/**
 * ssdqos_trim_cut - a write comes, or whatever else must not be discarded
 * @t: the batcher
 * @start: the first sector
 * @end: the one behind the last
 *
 * Before it goes, ssdqos_trim_holds() is to be asked, in the same hold of the lock
 * as the last call.
 * Context: any; looks at SSDQOS_RANGES_STEP ranges.
 * Return: up to where nothing waits any more; before @end, another call is due.
 */
u64 ssdqos_trim_cut(struct ssdqos_trim *t, u64 start, u64 end)
{
	u64 sectors = t->waiting.sectors, lost = t->waiting.lost;
	u64 until = ssdqos_ranges_cut(&t->waiting, start, end);

	lost = t->waiting.lost - lost;
	t->stats.lost_sectors += lost;
	t->stats.cut_sectors += sectors - t->waiting.sectors - lost;
	return until;
}

/**
 * ssdqos_trim_holds - has a write to wait?
 * @t: the batcher
 * @start: the first sector
 * @end: the one behind the last
 *
 * Context: any.
 * Return: true while some of its sectors are under way; to be asked again after
 * ssdqos_trim_done().
 */
bool ssdqos_trim_holds(const struct ssdqos_trim *t, u64 start, u64 end)
{
	const struct ssdqos_trim_run *run = t->under_way;
	u32 i;

	if (!t->nr_under_way)
		return false;
	for (i = 0; i < t->cfg.depth; i++)
		if (run[i].start < end && run[i].end > start)
			return true;
	return false;
}

/* ---- what goes ---- */

/* When a range begins to be in a hurry. */
static u64 trim_due_ns(const struct ssdqos_trim *t, const struct ssdqos_range *x)
{
	return x->since_ns + t->cfg.max_age_ns / TRIM_DUE_DIVISOR;
}

static bool trim_is_due(const struct ssdqos_trim *t, u64 now_ns)
{
	const struct ssdqos_range *oldest = t->waiting.oldest;

	return oldest && now_ns >= trim_due_ns(t, oldest);
}

/* When the next one of a sweep goes: after its part of the time that is left for the
 * oldest one.
 */
static u64 trim_turn_ns(const struct ssdqos_trim *t,
			const struct ssdqos_range *oldest)
{
	u64 end_ns = oldest->since_ns + t->cfg.max_age_ns;
	u64 begin_ns = max(t->sent_ns, trim_due_ns(t, oldest));

	if (end_ns <= begin_ns)
		return begin_ns;
	return begin_ns + div64_u64(end_ns - begin_ns, t->waiting.nr);
}

static bool trim_is_full(const struct ssdqos_trim *t)
{
	u32 room = t->waiting.max - t->waiting.nr;
	u32 divisor = t->relieving ? TRIM_RELIEF_DIVISOR : TRIM_ROOM_DIVISOR;

	return room < t->waiting.max / divisor;
}

/* The next one upwards, once around. */
static struct ssdqos_range *trim_upwards(const struct ssdqos_trim *t)
{
	struct ssdqos_range *x;

	x = ssdqos_ranges_large_from(&t->waiting, t->cursor);
	return x ? x : ssdqos_ranges_large_from(&t->waiting, 0);
}

/* A sweep ends above the last one; without it, what is due begins one. */
static struct ssdqos_range *trim_sweep(struct ssdqos_trim *t, u64 now_ns)
{
	struct ssdqos_range *x;

	if (!t->sweeping && (t->flushing || trim_is_due(t, now_ns))) {
		t->sweeping = true;
		t->cursor = t->flushing ? t->flush_start : 0;
	}
	if (!t->sweeping)
		return NULL;
	x = ssdqos_ranges_from(&t->waiting, t->cursor);
	if (x && t->flushing && ssdqos_range_start(x) >= t->flush_end)
		x = NULL;
	t->sweeping = !!x;
	return x;
}

/* Which range, and why. */
static struct ssdqos_range *trim_choose(struct ssdqos_trim *t, u64 now_ns,
					u32 *why)
{
	struct ssdqos_range *x = trim_sweep(t, now_ns);

	*why = t->flushing ? SSDQOS_TRIM_FLUSH : SSDQOS_TRIM_AGE;
	if (x && (t->flushing || now_ns >= trim_turn_ns(t, t->waiting.oldest)))
		return x;
	*why = SSDQOS_TRIM_MEMORY;
	t->relieving = trim_is_full(t);
	if (t->relieving)
		return t->waiting.oldest;
	*why = SSDQOS_TRIM_IDLE;
	return t->quiet ? trim_upwards(t) : NULL;
}

/* What of it goes: in idle time whole granules, else all, but no more than the
 * drive takes at once.  The next piece begins with a granule again.
 */
static void trim_piece(const struct ssdqos_trim *t, const struct ssdqos_range *x,
		       u32 why, struct ssdqos_trim_run *run)
{
	u64 from, to;

	*run = (struct ssdqos_trim_run){
		.start = ssdqos_range_start(x),
		.end = x->end,
		.since_ns = x->since_ns,
		.area = x->area,
		.why = why,
	};
	ssdqos_ranges_granules(&t->waiting, x, &from, &to);
	if (why == SSDQOS_TRIM_IDLE) {
		run->start = from;
		run->end = to;
	}
	if (run->end - run->start <= t->cfg.max_sectors)
		return;
	run->end = run->start + t->cfg.max_sectors;
	if (from + t->cfg.granule <= run->end)
		run->end = from + div64_u64(run->end - from, t->cfg.granule) *
				  t->cfg.granule;
}

static struct ssdqos_trim_run *trim_free_run(struct ssdqos_trim *t)
{
	u32 i;

	for (i = 0; i < t->cfg.depth; i++)
		if (!t->under_way[i].end)
			return &t->under_way[i];
	return NULL;
}

/* Its sectors don't wait any more. */
static void trim_leave(struct ssdqos_trim *t, const struct ssdqos_trim_run *run)
{
	u64 lost = t->waiting.lost;

	ssdqos_ranges_cut(&t->waiting, run->start, run->end);
	t->stats.lost_sectors += t->waiting.lost - lost;
	t->cursor = run->end;
}

static bool trim_is_small(const struct ssdqos_trim *t,
			  const struct ssdqos_trim_run *run)
{
	return run->end - run->start < t->cfg.min_sectors;
}

/**
 * ssdqos_trim_see - is the drive quiet?
 * @t: the batcher
 * @requests: how many others have sent to the drive so far
 * @busy: it has some of them now
 * @now_ns: the time
 *
 * Context: any.  To be called before ssdqos_trim_wants().
 */
void ssdqos_trim_see(struct ssdqos_trim *t, u64 requests, bool busy, u64 now_ns)
{
	if (busy || requests != t->seen_requests)
		t->seen_ns = now_ns;
	t->seen_requests = requests;
	t->quiet = now_ns - t->seen_ns >= SSDQOS_TRIM_QUIET_NS;
}

/**
 * ssdqos_trim_wants - is there something to send?
 * @t: the batcher
 * @now_ns: the time
 *
 * Who has to ask for the drive's time asks for it then, and calls
 * ssdqos_trim_next() when he has got it: what is chosen can't be cut any more.
 * Context: any; O(log n).
 * Return: true if ssdqos_trim_next() has something now; it may turn out too small.
 */
bool ssdqos_trim_wants(struct ssdqos_trim *t, u64 now_ns)
{
	u32 why;

	return t->nr_under_way < t->cfg.depth && trim_choose(t, now_ns, &why);
}

/**
 * ssdqos_trim_may_ask - may one more discard ask for the drive's time?
 * @t: the batcher
 * @asked: so many have asked, and ssdqos_trim_next() was not called for them yet
 *
 * Not if these get all that is kept: one more would come back without work, and has
 * cost others their turn.
 * Context: any.
 */
bool ssdqos_trim_may_ask(const struct ssdqos_trim *t, u32 asked)
{
	return asked < t->waiting.nr + div64_u64(t->waiting.sectors, t->cfg.max_sectors);
}

/**
 * ssdqos_trim_next - what is to be sent now?
 * @t: the batcher
 * @now_ns: the time
 *
 * Context: any; O(log n), for at most SSDQOS_RANGES_STEP ranges that are left out.
 * Return: a discard for ssdqos_trim_done(), or NULL: nothing, or enough is under way.
 */
struct ssdqos_trim_run *ssdqos_trim_next(struct ssdqos_trim *t, u64 now_ns)
{
	struct ssdqos_trim_run *run = trim_free_run(t);
	u32 left = SSDQOS_RANGES_STEP, why;
	struct ssdqos_range *x;

	while (run && left-- && (x = trim_choose(t, now_ns, &why))) {
		trim_piece(t, x, why, run);
		trim_leave(t, run);
		if (!trim_is_small(t, run)) {
			t->nr_under_way++;
			t->sent_ns = now_ns;
			t->stats.sent++;
			t->stats.sent_sectors += run->end - run->start;
			return run;
		}
		t->stats.small_sectors += run->end - run->start;
		run->end = 0;
	}
	return NULL;
}

/**
 * ssdqos_trim_done - a discard has ended
 * @t: the batcher
 * @run: the discard
 * @took_ns: how long the drive was at it
 * @failed: with an error; it was a hint, so nobody is told but the counter
 *
 * Context: any.
 */
void ssdqos_trim_done(struct ssdqos_trim *t, struct ssdqos_trim_run *run,
		      u64 took_ns, bool failed)
{
	t->stats.failed += failed;
	t->failed = failed ? min(t->failed, SSDQOS_TRIM_FAILING) + 1 : 0;
	t->cost_ns += (u32)min(took_ns, SSDQOS_TRIM_MAX_COST_NS) / TRIM_COST_DIVISOR;
	t->cost_ns -= t->cost_ns / TRIM_COST_DIVISOR;
	run->start = 0;
	run->end = 0;
	t->nr_under_way--;
}

/**
 * ssdqos_trim_flush - all goes that lies somewhere
 * @t: the batcher
 * @start: the first sector
 * @end: the one behind the last
 *
 * What comes there is not taken, until ssdqos_trim_end_flush(); a flush that is under
 * way already becomes wider.
 * Context: any.  All has gone when ssdqos_trim_has() says so.
 */
void ssdqos_trim_flush(struct ssdqos_trim *t, u64 start, u64 end)
{
	t->flush_start = t->flushing ? min(t->flush_start, start) : start;
	t->flush_end = t->flushing ? max(t->flush_end, end) : end;
	t->flushing = true;
	t->sweeping = false;
}

/**
 * ssdqos_trim_end_flush - discards are taken, and kept, as before
 * @t: the batcher
 *
 * Context: any.
 */
void ssdqos_trim_end_flush(struct ssdqos_trim *t)
{
	t->flushing = false;
	t->sweeping = false;
}

static bool trim_waits(const struct ssdqos_trim *t, u64 start, u64 end)
{
	const struct ssdqos_range *x = ssdqos_ranges_from(&t->waiting, start);

	return x && ssdqos_range_start(x) < end;
}

/**
 * ssdqos_trim_has - does something that begins there wait, or is it under way?
 * @t: the batcher
 * @start: the first sector
 * @end: the one behind the last
 *
 * Context: any; O(log n).
 */
bool ssdqos_trim_has(const struct ssdqos_trim *t, u64 start, u64 end)
{
	return trim_waits(t, start, end) || ssdqos_trim_holds(t, start, end);
}

/**
 * ssdqos_trim_forget - what waits there is left out, as if there were no memory
 * @t: the batcher
 * @start: the first sector
 * @end: the one behind the last
 *
 * Context: any; looks at SSDQOS_RANGES_STEP ranges.
 * Return: up to where nothing waits any more; before @end, another call is due.
 */
u64 ssdqos_trim_forget(struct ssdqos_trim *t, u64 start, u64 end)
{
	u64 sectors = t->waiting.sectors;
	u64 until = ssdqos_ranges_cut(&t->waiting, start, end);

	t->stats.lost_sectors += sectors - t->waiting.sectors;
	return until;
}

/**
 * ssdqos_trim_wake_ns - when is to be looked again?
 * @t: the batcher
 *
 * Context: any; after ssdqos_trim_see().
 * Return: the time; SSDQOS_NEVER_NS: when a discard comes or ends.
 */
u64 ssdqos_trim_wake_ns(const struct ssdqos_trim *t)
{
	const struct ssdqos_range *oldest = t->waiting.oldest;
	u64 due_ns;

	if (!oldest || t->nr_under_way >= t->cfg.depth)
		return SSDQOS_NEVER_NS;
	if (trim_is_full(t) ||
	    (t->flushing && trim_waits(t, t->flush_start, t->flush_end)))
		return 0;
	due_ns = trim_turn_ns(t, oldest);
	if (ssdqos_ranges_large_from(&t->waiting, 0))
		return min(t->seen_ns + SSDQOS_TRIM_QUIET_NS, due_ns);
	return due_ns;
}
