// SPDX-License-Identifier: GPL-2.0
/*
 * gc.c - garbage collection: when a plane collects, and which block
 *
 * A plane collects from fewer than gc_start free blocks on until it has
 * gc_stop.  A round takes one victim and empties it (relocate.c):
 *
 *	OFF -> (free < start) -> SEEKING -> victim -> COPYING -> ERASING
 *	^                         |    ^                            |
 *	+---- (free >= stop) -----+    +----------------------------+
 *
 * With gc_scope drive all planes collect from the moment when the drive has
 * fewer than gc_start free blocks for each plane until it has gc_stop for each
 * (AutoSSD, section 4.2: 128 and 256 of the drive).  A plane that is down to
 * what garbage collection itself needs collects in any case, and one that has
 * twice gc_stop (less on a small drive) has done its part.
 *
 * With gc_blocking bursts, a real drive's firmware that does one thing at a
 * time: from the first victim until no plane collects any more, or for
 * gc_burst_ns, nothing is started for the host, whatever waits in the queues of
 * the chips.  Collection itself needs nothing of what is held, so a burst always
 * ends; then the host gets at least what the chips can take.  With gc_defer_kib,
 * collection waits while the host writes long runs.
 *
 * A victim must gain at least one page, padding included, so that
 *  - one spare block is enough for every round, and
 *  - a plane that finds no victim has nothing to gain from collecting.
 *
 * Policies: greedy takes the fewest valid units.  cost_benefit maximises
 * age x (1 - u) / 2u (Rosenblum and Ousterhout, TOCS 10(1), 1992; AutoSSD
 * section 4.2), where u is the valid share and age the time since the block's
 * valid count last changed.  All blocks with equal u hang in one ring, oldest
 * first, so looking at the first of each ring finds the exact maximum.
 */
#include "tasks.h"

/* Collection that is put off begins when a plane has no more than these, on
 * average: a block for the host, one for collection, and one in between.
 */
#define GC_DEFERRED_BLOCKS (FLASH_GC_RESERVE_BLOCKS + 2)

#define GC_RUN_MAX_UNITS 0x40000000u	/* longer runs are not told apart */
#define GC_UNITS_PER_KIB_SHIFT 2	/* a unit is 4 KiB */
#define GC_PCT 100

#define GC_LEAST_ROTATE_START 4u	/* where planes take turns, see gc_least_start() */

/* With gc_scope drive, a plane gathers at most so many times gc_stop, and on a
 * small drive not all that is spare.
 */
#define GC_DRIVE_MOST 2

static void gc_check_plane(struct ssdqos_flash *f, u32 plane);

/* Most valid units with which a block is worth collecting: a page less than it has,
 * and than the block has into which they go.
 */
static u32 gc_limit(const struct ssdqos_flash *f, u32 kind)
{
	return min(flash_kind_units(&f->geo, kind),
		   flash_stream_units(f, FLASH_STREAM_GC)) -
	       f->geo.units_per_page;
}

static void gc_log(struct ssdqos_flash *f, enum ssdqos_flash_event event,
		   u32 plane, u32 block, u32 valid)
{
	flash_mover_log(f, event, SSDQOS_TASK_GC, plane, block, valid);
}

/* A block in which nothing is valid. */
static u32 gc_free_victim(const struct flash_plane *p)
{
	u32 kind;

	for (kind = 0; kind < FLASH_NR_KINDS; kind++)
		if (p->bucket[kind][0] != SSDQOS_NIL)
			return p->bucket[kind][0];
	return SSDQOS_NIL;
}

/* Lowest bucket in use; the hint only ever lags behind downwards. */
static u32 gc_min_valid(const struct ssdqos_flash *f, struct flash_plane *p,
			u32 kind)
{
	u32 end = flash_kind_units(&f->geo, kind);
	u32 *valid = &p->min_valid[kind];

	while (*valid < end && p->bucket[kind][*valid] == SSDQOS_NIL)
		(*valid)++;
	return *valid;
}

/* What is valid has to be moved, whatever kind its block is. */
static u32 gc_pick_greedy(struct ssdqos_flash *f, struct flash_plane *p)
{
	u32 best = SSDQOS_NIL, least = SSDQOS_NIL, kind;

	for (kind = 0; kind < FLASH_NR_KINDS; kind++) {
		u32 valid = gc_min_valid(f, p, kind);

		if (valid > gc_limit(f, kind) || valid >= least)
			continue;
		best = p->bucket[kind][valid];
		least = valid;
	}
	return best;
}

/* The best block of those that are collected. */
struct gc_best {
	u32 block;
	u64 score;
};

/* + 1: a block of this instant still has its benefit; >> 14: 16 us steps keep
 * age x units in 64 bits for 200 years
 */
static void gc_best_of_kind(struct ssdqos_flash *f, struct flash_plane *p,
			    u32 kind, struct gc_best *best)
{
	u32 units = flash_kind_units(&f->geo, kind), limit = gc_limit(f, kind);
	u32 valid;

	for (valid = gc_min_valid(f, p, kind); valid <= limit; valid++) {
		u32 block = p->bucket[kind][valid];
		u64 age_ns, score;

		if (block == SSDQOS_NIL)
			continue;
		age_ns = f->now_ns - f->blocks[block].change_ns;
		score = div64_u64(((age_ns >> 14) + 1) * (units - valid),
				  valid);
		if (best->block == SSDQOS_NIL || score > best->score) {
			best->block = block;
			best->score = score;
		}
	}
}

static u32 gc_pick_cost_benefit(struct ssdqos_flash *f, struct flash_plane *p)
{
	struct gc_best best = { .block = gc_free_victim(p) };
	u32 kind;

	if (best.block != SSDQOS_NIL)
		return best.block;
	for (kind = 0; kind < FLASH_NR_KINDS; kind++)
		gc_best_of_kind(f, p, kind, &best);
	return best.block;
}

const struct flash_victim_ops flash_victim_table[] = {
	[SSDQOS_FLASH_GREEDY] = { "greedy", gc_pick_greedy },
	[SSDQOS_FLASH_COST_BENEFIT] = { "cost_benefit", gc_pick_cost_benefit },
};

/* ---- bursts that block the drive ---- */

/* A length that is drawn around a parameter. */
static u64 gc_spread_ns(struct ssdqos_flash *f, u64 mean_ns)
{
	u64 off_ns = div64_u64(mean_ns * f->cfg.gc_burst_spread_pct, GC_PCT);

	if (!off_ns)
		return mean_ns;
	return flash_delay_ns(f, mean_ns - off_ns, mean_ns + off_ns);
}

static void gc_burst_arm(struct ssdqos_flash *f, u64 mean_ns)
{
	ssdqos_evq_set(&f->evq, flash_timer_id(f, FLASH_TIMER_BURST),
		       f->now_ns + gc_spread_ns(f, mean_ns));
}

/* From now on nothing is started for the host; what has begun ends. */
static void gc_burst_begin(struct ssdqos_flash *f)
{
	f->burst.state = FLASH_BURST_BLOCKING;
	f->burst.since_ns = f->now_ns;
	f->open_tasks &= ~FLASH_HOST_TASKS;
	f->stats.blocking_bursts++;
	if (f->cfg.gc_burst_ns)
		gc_burst_arm(f, f->cfg.gc_burst_ns);
}

static void gc_burst_end(struct ssdqos_flash *f, enum flash_burst_state next)
{
	ssdqos_evq_cancel(&f->evq, flash_timer_id(f, FLASH_TIMER_BURST));
	f->burst.state = (u8)next;
	f->burst.held_ns += f->now_ns - f->burst.since_ns;
	f->stats.blocking_ns += f->now_ns - f->burst.since_ns;
	f->open_tasks = FLASH_ALL_TASKS;
	flash_sched_opened(f);
	if (next == FLASH_BURST_PAUSING)
		gc_burst_arm(f, f->cfg.gc_pause_ns);
	flash_chip_kick_all(f);
}

/* Does what is collected now begin or end a burst? */
static void gc_burst_check(struct ssdqos_flash *f)
{
	bool wanted = f->burst.nr_collecting &&
		      f->cfg.gc_blocking == SSDQOS_FLASH_GC_BLOCKS_BURSTS;

	if (wanted && f->burst.state == FLASH_BURST_NONE)
		gc_burst_begin(f);
	else if (!wanted && f->burst.state == FLASH_BURST_BLOCKING)
		gc_burst_end(f, FLASH_BURST_NONE);
}

/* A burst has lasted for long enough, or the pause behind it has. */
void flash_gc_burst_event(struct ssdqos_flash *f)
{
	if (f->burst.state == FLASH_BURST_BLOCKING) {
		gc_burst_end(f, FLASH_BURST_PAUSING);
		return;
	}
	f->burst.state = FLASH_BURST_NONE;
	gc_burst_check(f);
}

/* ---- runs of writes ---- */

/* A write comes in: does it continue one of those before it? */
bool flash_gc_note_write(struct ssdqos_flash *f, u32 lpn, u32 lpn_end)
{
	struct flash_run *run;
	u32 i;

	for (i = 0; i < FLASH_NR_RUNS; i++) {
		run = &f->run[i];
		if (run->end != lpn || !run->units)
			continue;
		run->end = lpn_end;
		run->units = min(run->units + lpn_end - lpn, GC_RUN_MAX_UNITS);
		f->last_run = i;
		return true;
	}
	i = (f->last_run + 1) % FLASH_NR_RUNS;
	f->run[i] = (struct flash_run) { lpn_end, lpn_end - lpn };
	f->last_run = i;
	return false;
}

/* Long runs use to leave blocks without anything valid, which cost nothing to
 * collect: better to wait for them, where there is a cache that can wait.
 */
static bool gc_defers(const struct ssdqos_flash *f)
{
	return f->cfg.gc_defer_kib &&
	       f->cfg.cache != SSDQOS_FLASH_CACHE_NONE &&
	       f->run[f->last_run].units >=
	       f->cfg.gc_defer_kib >> GC_UNITS_PER_KIB_SHIFT;
}

static u32 gc_start_now(const struct ssdqos_flash *f)
{
	return gc_defers(f) ? min_t(u32, f->gc_start, GC_DEFERRED_BLOCKS) :
			      f->gc_start;
}

/* ---- planes ---- */

/* While nothing is collected in a plane, it wants to know of a block that is worth it,
 * or if it seeks none of one in which nothing is valid.
 */
static void gc_look(struct ssdqos_flash *f, u32 plane,
		    enum flash_mover_state state)
{
	u32 kind, below = FLASH_LOOK_NONE;

	for (kind = 0; kind < FLASH_NR_KINDS; kind++) {
		if (state == FLASH_MOVER_SEEKING)
			below = gc_limit(f, kind) + 1;
		else if (state == FLASH_MOVER_OFF)
			below = FLASH_LOOK_EMPTY;
		f->planes[plane].look_below[kind] = (u16)below;
	}
}

static void gc_begin(struct ssdqos_flash *f, u32 plane, u32 victim)
{
	gc_log(f, SSDQOS_FLASH_EV_GC_VICTIM_CHOSEN, plane, victim,
	       f->blocks[victim].valid);
	f->stats.gc_blocks++;
	f->burst.nr_collecting++;
	gc_look(f, plane, FLASH_MOVER_COPYING);
	gc_burst_check(f);
	flash_mover_begin(f, plane, SSDQOS_TASK_GC, victim);
}

static u32 gc_empty_block(const struct ssdqos_flash *f,
			  const struct flash_plane *p)
{
	return f->cfg.trim_mode == SSDQOS_FLASH_TRIM_ERASE && !f->rest.on ?
	       gc_free_victim(p) : SSDQOS_NIL;
}

/* Free blocks below which a plane begins, and up to which it goes on.  A drive that is to
 * rest makes room for the requests that it has, no more.
 */
static u32 gc_plane_start(const struct ssdqos_flash *f)
{
	if (f->rest.on)
		return FLASH_GC_RESERVE_BLOCKS + 1;
	if (f->cfg.gc_scope == SSDQOS_FLASH_GC_PLANE)
		return gc_start_now(f);
	return f->gc_active ? f->gc_most : FLASH_GC_RESERVE_BLOCKS + 1;
}

static u32 gc_plane_stop(const struct ssdqos_flash *f)
{
	if (f->cfg.gc_scope == SSDQOS_FLASH_GC_PLANE && !f->rest.on)
		return f->gc_stop;
	return gc_plane_start(f);
}

static bool gc_still_wanted(const struct ssdqos_flash *f,
			    const struct flash_plane *p)
{
	return p->nr_free < (p->erase_empty ? gc_plane_start(f) :
					      gc_plane_stop(f));
}

/* Does the drive begin or end to collect? */
static void gc_check_drive(struct ssdqos_flash *f)
{
	u32 i;

	if (f->cfg.gc_scope == SSDQOS_FLASH_GC_PLANE) {
		f->gc_active = false;
	} else if (f->gc_active) {
		f->gc_active = f->nr_free < f->gc_stop * f->geo.nr_planes;
	} else if (f->nr_free < gc_start_now(f) * f->geo.nr_planes) {
		f->gc_active = true;
		for (i = 0; i < f->geo.nr_planes; i++)
			gc_check_plane(f, i);
	}
}

/* Nothing is collected in a plane. */
static void gc_rest(struct ssdqos_flash *f, u32 plane,
		    enum flash_mover_state state)
{
	flash_mover(f, plane, SSDQOS_TASK_GC)->state = (u8)state;
	gc_look(f, plane, state);
}

/* Between two rounds: stop, go on, or wait for a victim. */
static void gc_seek(struct ssdqos_flash *f, u32 plane)
{
	struct flash_mover *m = flash_mover(f, plane, SSDQOS_TASK_GC);
	struct flash_plane *p = &f->planes[plane];
	u32 victim = gc_empty_block(f, p);

	if (victim == SSDQOS_NIL && !gc_still_wanted(f, p)) {
		gc_rest(f, plane, FLASH_MOVER_OFF);
		gc_log(f, SSDQOS_FLASH_EV_GC_STOPPED, plane, 0, 0);
		return;
	}
	if (!flash_turn_take(f, plane)) {
		m->state = FLASH_MOVER_SEEKING;
		/* for no other block: its turn will come */
		gc_look(f, plane, FLASH_MOVER_COPYING);
		return;
	}
	if (victim == SSDQOS_NIL)
		victim = f->victim->pick(f, p);
	if (victim != SSDQOS_NIL) {
		gc_begin(f, plane, victim);
		return;
	}
	flash_turn_put(f, plane);
	if (m->state != FLASH_MOVER_SEEKING)
		gc_log(f, SSDQOS_FLASH_EV_GC_NO_VICTIM, plane, 0, 0);
	gc_rest(f, plane, FLASH_MOVER_SEEKING);
}

/* A victim was erased. */
static void gc_next(struct ssdqos_flash *f, u32 plane)
{
	f->burst.nr_collecting--;
	gc_check_drive(f);
	gc_seek(f, plane);
	gc_burst_check(f);
}

static void gc_check_plane(struct ssdqos_flash *f, u32 plane)
{
	struct flash_mover *m = flash_mover(f, plane, SSDQOS_TASK_GC);
	struct flash_plane *p = &f->planes[plane];

	if (m->state != FLASH_MOVER_OFF) {
		if (p->nr_free < gc_plane_start(f))
			p->erase_empty = false;
		if (m->state == FLASH_MOVER_SEEKING)
			gc_seek(f, plane);
		return;
	}
	if (p->nr_free < gc_plane_start(f))
		p->erase_empty = false;
	else if (gc_empty_block(f, p) != SSDQOS_NIL)
		p->erase_empty = true;
	else
		return;
	f->stats.gc_starts++;
	gc_log(f, SSDQOS_FLASH_EV_GC_STARTED, plane, 0, 0);
	gc_seek(f, plane);
}

/* The plane's free blocks or its victims have changed. */
void flash_gc_check(struct ssdqos_flash *f, u32 plane)
{
	gc_check_drive(f);
	gc_check_plane(f, plane);
}

/* A plane is as it was when the state was saved. */
void flash_gc_restore(struct ssdqos_flash *f, u32 plane, bool seeking)
{
	gc_rest(f, plane, seeking ? FLASH_MOVER_SEEKING : FLASH_MOVER_OFF);
}

/* The part of a plane that so many blocks are in the drive they are meant for,
 * between bounds.
 */
static u32 gc_scale(const struct ssdqos_flash *f, u64 blocks, u32 least,
		    u32 most)
{
	u64 plane = f->cfg.gc_plane_blocks;

	if (plane)
		blocks = div64_u64(blocks * f->geo.blocks_per_plane + plane / 2,
				   plane);
	return (u32)max_t(u64, min_t(u64, blocks, most), least);
}

/* Free blocks with which a plane begins at the latest.  Where planes take turns, one that
 * waits for N - 1 others has less than a block written meanwhile, as each of these gains
 * at most one: with what comes at random twice that, and not the block that is kept.  Who says
 * a number of blocks, not one of a model's, means it.
 */
static u32 gc_least_start(const struct ssdqos_flash *f, u32 most)
{
	if (!f->cfg.rotate || !f->cfg.gc_plane_blocks)
		return FLASH_GC_LEAST_START;
	return max(FLASH_GC_LEAST_START, min(most - 1, GC_LEAST_ROTATE_START));
}

/* Effective thresholds: a small drive can't keep as many blocks free as its
 * model does, so at most half of what is spare (open blocks left out).
 */
void flash_gc_tune(struct ssdqos_flash *f)
{
	u32 spare = (f->geo.nr_psn - f->geo.nr_all) /
		    flash_stream_units(f, FLASH_STREAM_HOST);
	u32 most = (spare / f->geo.nr_planes - f->geo.nr_streams) / 2 + 1, least;

	most = max(most, FLASH_GC_LEAST_START + 1);
	least = gc_least_start(f, most);
	f->gc_stop = gc_scale(f, f->cfg.gc_stop_blocks, least + 1, most);
	f->gc_start = gc_scale(f, f->cfg.gc_start_blocks, least,
			       f->gc_stop - 1);
	f->gc_most = min_t(u32, GC_DRIVE_MOST * f->gc_stop,
			   max(most, f->gc_stop));
	f->victim = &flash_victim_table[f->cfg.gc_policy];
	f->yielding_tasks =
		f->cfg.gc_blocking == SSDQOS_FLASH_GC_BLOCKS_PREEMPTIVE ?
		FLASH_ALL_TASKS & ~FLASH_HOST_TASKS : 0;
	gc_burst_check(f);
}

/* ---- what others ask ---- */

/* Pages of the plane that the host can still program. */
static u32 gc_room(const struct ssdqos_flash *f, const struct flash_plane *p)
{
	const struct flash_open *o = &p->open[FLASH_STREAM_HOST];
	u32 room = 0;

	if (o->block != SSDQOS_NIL)
		room = flash_block_pages(f, o->block) - o->next_page;
	if (p->nr_free > FLASH_GC_RESERVE_BLOCKS)
		room += (p->nr_free - FLASH_GC_RESERVE_BLOCKS) *
			flash_stream_pages(f, FLASH_STREAM_HOST);
	return room;
}

/* Is collection halfway from where it starts to the reserve? */
static bool gc_is_behind(const struct ssdqos_flash *f)
{
	return 2 * f->nr_free <=
	       (f->gc_start + FLASH_GC_RESERVE_BLOCKS) * f->geo.nr_planes;
}

/* Is the plane short of room for the host, or held until this is done? */
static bool gc_presses_in(const struct ssdqos_flash *f, u32 plane)
{
	u32 pages = flash_stream_pages(f, FLASH_STREAM_HOST);

	if (flash_plane_held(f, plane))
		return true;
	if (!gc_is_behind(f))
		pages /= 2;
	return gc_room(f, &f->planes[plane]) <= pages;
}

static u32 gc_share_error(struct ssdqos_flash *f)
{
	u32 i, sum = 0;

	if (f->cfg.gc_target)
		return flash_share_above(f->cfg.gc_target, f->nr_free);
	if (f->cfg.gc_scope == SSDQOS_FLASH_GC_DRIVE)
		return flash_share_above((u64)f->gc_start * f->geo.nr_planes,
				   f->nr_free);
	for (i = 0; i < f->geo.nr_planes; i++)
		sum += flash_share_above(f->gc_start, f->planes[i].nr_free);
	return sum;
}

static void gc_moved(struct ssdqos_flash *f, u32 kind, u32 nr_units)
{
	if (kind == SSDQOS_NAND_READ) {
		f->stats.gc_reads++;
		return;
	}
	f->stats.gc_programs++;
	f->stats.gc_moved_units += nr_units;
}

const struct flash_task_ops flash_gc_task = {
	.op_done = flash_mover_op_done,
	.ends_bursts = true,
	.presses_in = gc_presses_in,
	.share_error = gc_share_error,
	.block_taken = flash_gc_check,
	.block_found = flash_gc_check,
	.next = gc_next,
	.moved = gc_moved,
	.takes_reserve = true,
};
