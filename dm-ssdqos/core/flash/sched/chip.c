// SPDX-License-Identifier: GPL-2.0
/*
 * chip.c - the queues of the chips
 *
 * Tasks queue at the chips, each in a list of its own.  The controller hands a chip
 * at most chip_queue_depth operations; which task's operation comes next is the
 * scheduler's choice (sched.c).
 */
#include "sched.h"

static void chip_account_issue(struct ssdqos_flash *f, struct flash_chip *chip,
			       struct flash_op *op)
{
	struct flash_task *t = &f->task[op->task];
	u64 waited_ns = f->now_ns - op->queued_ns;

	flash_sched_goes(f, op);
	if (++t->outstanding == t->limit)
		f->within_tasks &= ~(1u << op->task);
	t->stats.issued++;
	t->stats.wait_ns += waited_ns;
	if (op->trip)
		flash_trip_issued(f, op->trip, waited_ns);
	if (++chip->issued == f->chip_queue_depth)
		flash_bits_assign(f->chips_room, (u32)(chip - f->chips), false);
}

/* Is the plane, or the chip whose array it shares, busy for the drive itself? */
bool flash_plane_internal(const struct ssdqos_flash *f, u32 plane)
{
	const struct flash_plane *p = &f->planes[plane];

	return flash_chip_bound(f) ? f->chips[p->chip].nr_internal :
				     p->nr_internal;
}

static void chip_issue(struct ssdqos_flash *f, struct flash_chip *chip,
		       struct flash_op *op)
{
	struct flash_plane *p = &f->planes[op->plane];

	chip_account_issue(f, chip, op);
	if (flash_task_is_internal(op->task))
		flash_count_internal(f, p, 1);
	flash_plane_take(f, p, op);
}

/* The others that wait for the chip let one of a task go before. */
static void chip_pass(struct flash_chip *chip, u32 task)
{
	u32 rest = chip->tasks;

	for (; rest; rest &= rest - 1)
		chip->passed[__ffs(rest)]++;
	chip->passed[task] = 0;
}

/* Hand the chip the operation of a task that has waited longest. */
static void chip_issue_next(struct ssdqos_flash *f, struct flash_chip *chip,
			    u32 task)
{
	struct flash_op *op = flash_ops_pop(f, &chip->queue[task]);

	chip_pass(chip, task);
	chip->waiting--;
	f->task[task].waiting--;
	if (flash_list_empty(&chip->queue[task])) {
		chip->tasks &= ~(1u << task);
		flash_bits_assign(f->task[task].chips, (u32)(chip - f->chips),
				  false);
	}
	chip_issue(f, chip, op);
}

static void chip_refill(struct ssdqos_flash *f, struct flash_chip *chip)
{
	while (chip->waiting && chip->issued < f->chip_queue_depth) {
		u32 task = f->sched->pick(f, chip);

		if (task == SSDQOS_NR_TASKS)
			break;
		chip_issue_next(f, chip, task);
	}
}

/* May a task hand a chip another operation, where the scheduler limits tasks?  One that
 * is within its share may.
 */
static bool chip_may_go_on(struct ssdqos_flash *f, u32 task)
{
	return flash_tasks_free(f, f->open_tasks & (1u << task)) ||
	       f->sched->may(f, task);
}

/* The chip whose turn it is, where the scheduler limits tasks and this one may
 * go on; SSDQOS_NIL if there is none.  Chips take turns, so that no plane's
 * work waits for ever.
 */
static u32 chip_next_turn(struct ssdqos_flash *f, u32 task)
{
	struct flash_task *t = &f->task[task];
	u32 chip;

	if (!t->waiting || !chip_may_go_on(f, task))
		return SSDQOS_NIL;
	chip = flash_bits_next(t->chips, f->chips_room, f->geo.nr_chips,
			       t->next_chip);
	if (chip != SSDQOS_NIL)
		t->next_chip = chip + 1 == f->geo.nr_chips ? 0 : chip + 1;
	return chip;
}

/* A task may have come below its limit, or what held it is over: chips where it
 * waits and that have room choose.
 */
void flash_chip_kick(struct ssdqos_flash *f, u32 task)
{
	u32 chip, next, passed_over = 0;

	if (!f->sched->may)
		return;
	/* where the task yields to the host, none may go */
	while (passed_over < f->geo.nr_chips &&
	       (chip = chip_next_turn(f, task)) != SSDQOS_NIL) {
		next = f->sched->pick(f, &f->chips[chip]);
		if (next == SSDQOS_NR_TASKS) {
			passed_over++;
			continue;
		}
		chip_issue_next(f, &f->chips[chip], next);
		passed_over = 0;
	}
}

/* A task's operation has ended on chip @own.  If others wait for the task's
 * limit, one of them may go now, unless it is this chip's turn: this chip is
 * asked next and would keep for ever what its task may have.  Does one of them wait?
 */
static bool chip_pass_on(struct ssdqos_flash *f, u32 task, u32 own)
{
	u32 chip = chip_next_turn(f, task);

	if (chip != SSDQOS_NIL && chip != own &&
	    flash_tasks_ready(f, &f->chips[chip]) & (1u << task))
		chip_issue_next(f, &f->chips[chip], task);
	return chip != SSDQOS_NIL;
}

/* The scheduler or its shares were changed: look at every chip again. */
void flash_chip_kick_all(struct ssdqos_flash *f)
{
	u32 i;

	for (i = 0; i < f->geo.nr_chips; i++)
		chip_refill(f, &f->chips[i]);
}

/* The scheduler has a timer for tasks that it holds: it may be time for them. */
void flash_chip_quiet_event(struct ssdqos_flash *f)
{
	u32 task;

	for (task = 0; task < SSDQOS_NR_TASKS; task++)
		if (flash_share_may_move(task))
			flash_chip_kick(f, task);
}

/* Its task has dealt with it: whose turn is it? */
void flash_chip_next(struct ssdqos_flash *f, u32 chip, struct flash_op *op)
{
	u32 task = op->task;
	struct flash_task *t = &f->task[task];
	bool others;

	flash_op_put(f, op);
	if (t->outstanding-- == t->limit)
		f->within_tasks |= 1u << task;
	/* what the chip is given leaves others less room, not more */
	others = f->sched->may && chip_pass_on(f, task, chip);
	chip_refill(f, &f->chips[chip]);
	if (others)
		flash_chip_kick(f, task);
}

/* How long the controller takes to make an operation. */
static u64 chip_make_ns(struct ssdqos_flash *f, u32 task)
{
	const struct ssdqos_flash_config *cfg = &f->cfg;

	if (task == FLASH_TASK_FIRST)
		return flash_delay_ns(f, cfg->host_delay_min_ns,
				      cfg->host_delay_max_ns);
	return flash_delay_ns(f, cfg->internal_delay_min_ns,
			      cfg->internal_delay_max_ns);
}

/* May a new operation pass by the queues, because no other could go first? */
static bool chip_may_issue(struct ssdqos_flash *f,
			   const struct flash_chip *chip, u32 task)
{
	u32 rest = flash_tasks_ready(f, chip);

	if (chip->issued >= f->chip_queue_depth || f->sched->queued ||
	    !(f->open_tasks & (1u << task)))
		return false;
	if (!f->sched->may)
		return !rest;
	if (f->task[task].waiting || !chip_may_go_on(f, task) ||
	    flash_tasks_free(f, rest))
		return false;
	for (; rest; rest &= rest - 1)
		if (f->sched->may(f, (u32)__ffs(rest)))
			return false;
	return true;
}

/* An operation waits for its chip, or need not. */
static void chip_enter(struct ssdqos_flash *f, struct flash_op *op)
{
	struct flash_plane *p = &f->planes[op->plane];
	struct flash_chip *chip = &f->chips[p->chip];

	flash_share_wake(f, op->task);
	if (chip_may_issue(f, chip, op->task)) {
		chip_issue(f, chip, op);
		return;
	}
	chip->waiting++;
	f->task[op->task].waiting++;
	if (flash_list_empty(&chip->queue[op->task])) {
		chip->tasks |= 1u << op->task;
		flash_bits_assign(f->task[op->task].chips, p->chip, true);
	}
	flash_ops_push(f, &chip->queue[op->task], op);
	if (f->sched->queued)
		f->sched->queued(f, chip, op->task);
	chip_refill(f, chip);
}

/* It can't wait for the chip, as its plane is held. */
static void chip_park(struct ssdqos_flash *f, struct flash_op *op)
{
	if (op->trip)
		flash_trip_issued(f, op->trip, f->now_ns - op->queued_ns);
	f->task[op->task].stats.wait_ns += f->now_ns - op->queued_ns;
	op->queued_ns = f->now_ns;
	flash_ops_push(f, &f->holds[op->plane].parked, op);
}

/* A task hands over an operation; it comes back through the task's op_done. */
void flash_chip_queue(struct ssdqos_flash *f, struct flash_op *op)
{
	prefetchw(&f->blocks[flash_block_of(f, op->psn)]);
	op->order = f->op_order++;
	op->queued_ns = f->now_ns;
	op->ready_ns += f->now_ns + chip_make_ns(f, op->task);
	if (flash_plane_held(f, op->plane) && !flash_task_moves(op->task))
		chip_park(f, op);
	else
		chip_enter(f, op);
}

/* Take those of a task's operations that are for a plane, which is held, out of the
 * queue of its chip.
 */
void flash_chip_park(struct ssdqos_flash *f, u32 plane, u32 task)
{
	u32 nr = f->planes[plane].chip;
	struct flash_chip *chip = &f->chips[nr];
	struct flash_list rest = chip->queue[task];

	flash_list_init(&chip->queue[task]);
	while (!flash_list_empty(&rest)) {
		struct flash_op *op = flash_ops_pop(f, &rest);

		if (op->plane != plane) {
			flash_ops_push(f, &chip->queue[task], op);
			continue;
		}
		chip->waiting--;
		f->task[task].waiting--;
		chip_park(f, op);
	}
	if (!flash_list_empty(&chip->queue[task]))
		return;
	chip->tasks &= ~(1u << task);
	flash_bits_assign(f->task[task].chips, nr, false);
}

/* Its plane is held no more. */
void flash_chip_unpark(struct ssdqos_flash *f, struct flash_op *op)
{
	f->task[op->task].stats.wait_ns += f->now_ns - op->queued_ns;
	if (op->trip)
		flash_trip_parked(f, op->trip);
	op->queued_ns = f->now_ns;
	chip_enter(f, op);
}

static void chip_init(struct ssdqos_flash *f, u32 chip)
{
	u32 task;

	for (task = 0; task < SSDQOS_NR_TASKS; task++)
		flash_list_init(&f->chips[chip].queue[task]);
	flash_bits_assign(f->chips_room, chip, true);
}

/* All queues empty. */
void flash_chips_init(struct ssdqos_flash *f)
{
	u32 i;

	f->open_tasks = FLASH_ALL_TASKS;
	for (i = 0; i < f->geo.nr_chips; i++)
		chip_init(f, i);
}
