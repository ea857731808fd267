// SPDX-License-Identifier: GPL-2.0
/*
 * share.c - which share of the drive a task has (AutoSSD, section 3.3)
 *
 * Shares are parts of all operations that the chips can take at a time.  Those
 * of flush, gc, scrub, wear and verify are static, or moved every share_period_ns by
 *
 *	S[t] = P x e[t] + I x S[t-1]					(1)
 *	e_gc = max(0, target - free blocks)				(2)
 *	e_scrub = max(0, most reads of a block - target)		(3)
 *	e_wear = max(0, largest difference of cycles - target)
 *	e_verify = max(0, copied pages that are not verified - target)
 *	e_flush = max(0, units in the write buffer - target)
 *
 * between the task's own share parameter and share_max_permille, in parts per
 * million.  With gc_scope plane, equation 2 is summed over the planes unless there is
 * a target, because each plane starts by itself.  Targets are by
 * default where a task starts.  The paper controls gc and scrub; flush is ours: the
 * write buffer can wait, so a burst of writes need not keep every plane from
 * reads, as long as there is room in it.
 *
 * A task at its least share can wait: with quiet_ns it works only while the host
 * is quiet (sched.c).  When something is amiss its share grows, and it works on
 * whatever the host does.
 *
 * The host has what gc, scrub, wear and (where it is on) verify leave.  Reading and
 * writing the map and writing out the buffer is work for the host: their shares limit
 * them, but are not taken from it.  A share is no reason to keep the host waiting: with
 * share_lend, what a request waits for goes beyond it (press.c).
 *
 * The controller's timer runs while one of these tasks has work, so that an
 * idle drive is idle; what it missed meanwhile is made up for when work comes,
 * with an error of 0.
 */
#include "sched.h"

#define SHARE_PERMILLE_PPM (FLASH_PPM / 1000)

/* What the host is left with at the least, so that it always has a claim. */
#define SHARE_HOST_LEAST_PPM (FLASH_PPM / 10)

/* A share that has decayed for longer than this is at its least. */
#define SHARE_DECAY_STEPS 1000

static u64 share_param(const struct ssdqos_flash *f, u32 param)
{
	return ((const u64 *)&f->cfg)[param];
}

static u32 share_floor_ppm(const struct ssdqos_flash *f, u32 task)
{
	u32 share = ssdqos_flash_task_rows[task].share;

	return share == SSDQOS_NIL ? 0 :
	       (u32)share_param(f, share) * SHARE_PERMILLE_PPM;
}

static u32 share_ceiling_ppm(const struct ssdqos_flash *f, u32 task)
{
	u32 most_ppm = (u32)f->cfg.share_max_permille * SHARE_PERMILLE_PPM;

	return max(most_ppm, share_floor_ppm(f, task));
}

static bool share_has_feedback(const struct ssdqos_flash *f, u32 task)
{
	u32 mode = ssdqos_flash_task_rows[task].mode;

	return mode != SSDQOS_NIL &&
	       share_param(f, mode) == SSDQOS_FLASH_SHARE_FEEDBACK;
}

/* Does it do anything at all? */
static bool share_is_on(const struct ssdqos_flash *f, u32 task)
{
	return !f->tasks[task]->is_off || !f->tasks[task]->is_off(f);
}

/* Has a task no more than its least share, so that it can wait? */
bool flash_share_is_least(const struct ssdqos_flash *f, u32 task)
{
	return f->task[task].share_ppm <= share_floor_ppm(f, task);
}

/* ---- the controller ---- */

static u32 share_limit(const struct ssdqos_flash *f, u32 share_ppm)
{
	u64 slots = (u64)f->geo.nr_chips * f->chip_queue_depth;

	return max_t(u32, 1, (u32)div64_u64(slots * share_ppm + FLASH_PPM / 2,
					    FLASH_PPM));
}

/* With wfq, shares are weights.  With share_lend the host never has less than all
 * the others together, however feedback moves them.
 */
static void share_weigh(struct ssdqos_flash *f)
{
	u32 task, others_ppm = 0;

	for (task = 0; task < SSDQOS_NR_TASKS; task++) {
		f->task[task].weight_ppm = f->task[task].share_ppm;
		if (task != FLASH_TASK_FIRST && share_is_on(f, task))
			others_ppm += f->task[task].share_ppm;
	}
	if (f->cfg.share_lend)
		f->task[FLASH_TASK_FIRST].weight_ppm =
			max(f->task[FLASH_TASK_FIRST].share_ppm, others_ppm);
}

/* Limits have changed: which tasks are within theirs? */
void flash_share_count(struct ssdqos_flash *f)
{
	u32 task;

	f->within_tasks = 0;
	for (task = 0; task < SSDQOS_NR_TASKS; task++)
		if (f->task[task].outstanding < f->task[task].limit)
			f->within_tasks |= 1u << task;
}

/* The host's share and all limits follow from the other shares. */
static void share_settle(struct ssdqos_flash *f)
{
	u32 rest_ppm = FLASH_PPM, task;

	for (task = 0; task < SSDQOS_NR_TASKS; task++)
		if (flash_task_is_internal(task) && share_is_on(f, task))
			rest_ppm -= min(rest_ppm, f->task[task].share_ppm);
	rest_ppm = max(rest_ppm, SHARE_HOST_LEAST_PPM);
	f->task[FLASH_TASK_FIRST].share_ppm = rest_ppm;
	f->resting_tasks = 0;
	for (task = 0; task < SSDQOS_NR_TASKS; task++) {
		u32 share_ppm = f->task[task].share_ppm;

		if (!flash_task_is_internal(task))
			share_ppm = min(share_ppm, rest_ppm);
		f->task[task].limit = share_limit(f, share_ppm);
		/* nothing is amiss: it has no more than its least share */
		if (f->cfg.quiet_ns && share_has_feedback(f, task) &&
		    share_ppm == share_floor_ppm(f, task))
			f->resting_tasks |= 1u << task;
	}
	flash_share_count(f);
	share_weigh(f);
}

/* Equation 1. */
static u32 share_next_ppm(const struct ssdqos_flash *f, u32 task, u32 error)
{
	const struct ssdqos_flash_task_row *row = &ssdqos_flash_task_rows[task];
	u64 share_ppm = share_param(f, row->p) * error +
			div64_u64(share_param(f, row->i) *
				  f->task[task].share_ppm, FLASH_PPM);

	share_ppm = max_t(u64, share_ppm, share_floor_ppm(f, task));
	return (u32)min_t(u64, share_ppm, share_ceiling_ppm(f, task));
}

static void share_log(struct ssdqos_flash *f, u32 task, u32 error, u32 old_ppm)
{
	struct ssdqos_flash_record rec = {
		.time_ns = f->now_ns,
		.event = SSDQOS_FLASH_EV_SHARE_CHANGED,
		.task = (u8)task,
		.plane = old_ppm,
		.block = error,
		.page = f->task[task].share_ppm,
	};

	f->stats.share_changes++;
	if (flash_log_wants(f, SSDQOS_FLASH_EV_SHARE_CHANGED))
		flash_log_write(f, &rec);
}

static void share_set(struct ssdqos_flash *f, u32 task, u32 share_ppm,
		      u32 error)
{
	u32 old_ppm = f->task[task].share_ppm;

	if (share_ppm == old_ppm)
		return;
	f->task[task].share_ppm = share_ppm;
	share_log(f, task, error, old_ppm);
}

static bool share_task_has_work(const struct ssdqos_flash *f, u32 task)
{
	return f->task[task].waiting || f->task[task].outstanding ||
	       (f->tasks[task]->has_more && f->tasks[task]->has_more(f));
}

static bool share_has_work(const struct ssdqos_flash *f)
{
	u32 task;

	for (task = 0; task < SSDQOS_NR_TASKS; task++)
		if (share_has_feedback(f, task) && share_task_has_work(f, task))
			return true;
	return false;
}

static void share_arm(struct ssdqos_flash *f)
{
	f->share_step_ns = f->now_ns;
	ssdqos_evq_set(&f->evq, flash_timer_id(f, FLASH_TIMER_SHARE),
		       f->now_ns + f->cfg.share_period_ns);
}

/* One step of the controller; then chips choose again, and flash_share_go_on(). */
void flash_share_step(struct ssdqos_flash *f)
{
	u32 task;

	for (task = 0; task < SSDQOS_NR_TASKS; task++) {
		u32 error;

		if (!share_has_feedback(f, task))
			continue;
		error = f->tasks[task]->share_error(f);
		share_set(f, task, share_next_ppm(f, task, error), error);
	}
	share_settle(f);
	f->share_step_ns = f->now_ns;
}

/* Another step will follow, if one of the tasks has work. */
void flash_share_go_on(struct ssdqos_flash *f)
{
	if (share_has_work(f))
		share_arm(f);
}

/* The drive is to rest: a step that has nothing to do is made up for later. */
void flash_share_rest(struct ssdqos_flash *f)
{
	if (!share_has_work(f))
		ssdqos_evq_cancel(&f->evq, flash_timer_id(f, FLASH_TIMER_SHARE));
}

/* What the steps since the last one would have left of a share. */
static u32 share_decayed_ppm(const struct ssdqos_flash *f, u32 task, u64 steps)
{
	u32 floor_ppm = share_floor_ppm(f, task);
	u64 i_ppm = share_param(f, ssdqos_flash_task_rows[task].i);
	u64 share_ppm = f->task[task].share_ppm;

	if (i_ppm == FLASH_PPM)
		return (u32)share_ppm;
	if (steps > SHARE_DECAY_STEPS)
		return floor_ppm;
	for (; steps && share_ppm > floor_ppm; steps--)
		share_ppm = div64_u64(i_ppm * share_ppm, FLASH_PPM);
	return max_t(u32, (u32)share_ppm, floor_ppm);
}

/* One of the tasks whose share can move has got work. */
void flash_share_begin(struct ssdqos_flash *f)
{
	u64 steps;
	u32 task;

	if (ssdqos_evq_pending(&f->evq, flash_timer_id(f, FLASH_TIMER_SHARE)))
		return;
	steps = div64_u64(f->now_ns - f->share_step_ns, f->cfg.share_period_ns);
	for (task = 0; task < SSDQOS_NR_TASKS; task++)
		if (share_has_feedback(f, task))
			share_set(f, task, share_decayed_ppm(f, task, steps), 0);
	share_settle(f);
	share_arm(f);
}

/* Parameters were changed: a static share is its parameter, one with feedback
 * stays where it is within its bounds.
 */
void flash_share_tune(struct ssdqos_flash *f)
{
	u32 task;

	f->sched = &flash_sched_table[f->cfg.scheduler];
	f->share_feedback = false;
	for (task = FLASH_TASK_FIRST + 1; task < SSDQOS_NR_TASKS; task++) {
		u32 share_ppm = share_floor_ppm(f, task);

		if (share_has_feedback(f, task)) {
			f->share_feedback = true;
			share_ppm = min(max(f->task[task].share_ppm, share_ppm),
					share_ceiling_ppm(f, task));
		}
		share_set(f, task, share_ppm, 0);
	}
	share_settle(f);
}
