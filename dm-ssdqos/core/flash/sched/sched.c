// SPDX-License-Identifier: GPL-2.0
/*
 * sched.c - which task's operation a chip gets next
 *
 *	fifo		the operation that came first (AutoSSD's "Vanilla")
 *	priority	of the most important task (its "RAIN")
 *	wfq		of the task that has used least of the chip's time in
 *			proportion to its share (its "QoSFC"): start-time fair
 *			queueing, where an operation of cost c moves the task's
 *			virtual time by c / share; a task that comes back from
 *			idling starts at the chip's present virtual time
 *	debit		of a task that has fewer operations outstanding in the
 *			whole drive than its limit, which is its share of all
 *			that the chips can take; among several, at random,
 *			skewed towards the smaller outstanding / limit
 *			(AutoSSD, section 3.2).  With quiet_ns, a task that has
 *			feedback and is at rest is held until the host was
 *			quiet for that long: requests come in bursts, so the
 *			longer none has come, the longer none will come
 *			("when host idleness is expected", section 6)
 *
 * fifo, priority and wfq always have a task to pick if an open one waits.  debit may
 * let a chip idle: what is not lent is there at once when the host comes.
 *
 * Those are the papers' rules, and what comes of them where writes arrive faster than
 * flash takes them, reads among them, was worse than fifo by far:
 *
 *  - debit counts operations, also those that stand behind a program.  As flush and
 *    gc fall behind, feedback gives them all planes and the host what is left of
 *    100 %; each of its reads then takes the time of a program, so limit / time in
 *    the chip (Little's law) is less than what arrives, and its 1,024 slots fill up.
 *  - static shares throttle what a full buffer waits for, and the planes idle.
 *  - a large share of gc, which always has something to do, keeps flush waiting.
 *  - with priority, a flood of reads lets no program through; wfq's weights of flush
 *    and gc grow past that of the reads.
 *
 * So with share_lend (press.c says who presses):
 *
 *  - debit: the host goes first; another pressing task draws whatever its share, and
 *    with the weight of one that has used nothing of it;
 *  - wfq: the host weighs as much as all others together (share.c).
 *
 * And with bypass_max, a pressing task, or with debit one within its share, that so
 * many operations of others have passed on a chip goes next: what the host floods the
 * drive with reaches the others as slowly as with fifo, but it does reach them.
 *
 * While a burst of collection blocks the drive (gc.c), tasks that work for the
 * host are not open, whatever the scheduler.
 */
#include "sched.h"

/* Weights below 2^12, of limits below 2^20. */
#define SCHED_WEIGHT_SHIFT 12

/* ---- what was decided ---- */

static void sched_log(struct ssdqos_flash *f, enum ssdqos_flash_event event,
		      const struct flash_op *op)
{
	struct ssdqos_flash_record rec = {
		.time_ns = f->now_ns,
		.event = event,
		.task = op->task,
		.plane = op->plane,
		.block = f->task[op->task].outstanding,
		.page = f->task[op->task].limit,
	};

	if (flash_log_wants(f, event))
		flash_log_write(f, &rec);
}

/* Shares are limits: does it go on its task's own, or on what others lend? */
void flash_sched_limited_goes(struct ssdqos_flash *f, const struct flash_op *op)
{
	u32 bit = 1u << op->task;

	if (flash_tasks_free(f, bit) ||
	    (f->within_tasks & bit && f->sched->within(f, op->task)))
		return;
	f->stats.lent_ops++;
	sched_log(f, SSDQOS_FLASH_EV_OP_LENT, op);
}

/* Enough others have passed the task; without that another one might go. */
static u32 sched_passed_goes(struct ssdqos_flash *f, struct flash_chip *chip,
			     u32 task)
{
	f->stats.passed_ops++;
	sched_log(f, SSDQOS_FLASH_EV_OP_PASSED,
		  &f->ops[chip->queue[task].head]);
	return task;
}

/* ---- who goes next ---- */

static u32 sched_fifo_pick(struct ssdqos_flash *f, struct flash_chip *chip)
{
	u32 rest = flash_tasks_ready(f, chip), best = SSDQOS_NR_TASKS;
	u32 best_age = 0;

	for (; rest; rest &= rest - 1) {
		u32 task = (u32)__ffs(rest), age;

		/* the order counter wraps, so compare distances from now */
		age = f->op_order - f->ops[chip->queue[task].head].order;
		if (best == SSDQOS_NR_TASKS || age > best_age) {
			best = task;
			best_age = age;
		}
	}
	return best;
}

/* Those of @tasks that too many others have passed. */
static u32 sched_passed(const struct ssdqos_flash *f,
			const struct flash_chip *chip, u32 tasks)
{
	u32 passed = 0;

	if (!f->cfg.bypass_max)
		return 0;
	for (; tasks; tasks &= tasks - 1)
		if (chip->passed[__ffs(tasks)] >= f->cfg.bypass_max)
			passed |= tasks & -tasks;
	return passed;
}

static u32 sched_first(u32 tasks)
{
	return tasks ? (u32)__ffs(tasks) : SSDQOS_NR_TASKS;
}

static u32 sched_priority_pick(struct ssdqos_flash *f, struct flash_chip *chip)
{
	u32 ready = flash_tasks_ready(f, chip);
	u32 passed = flash_chip_pressing(f, chip,
					 sched_passed(f, chip, ready));

	if (!passed || sched_first(passed) == sched_first(ready))
		return sched_first(ready);
	return sched_passed_goes(f, chip, sched_first(passed));
}

/* Time of the chip that an operation will take. */
static u64 sched_cost_ns(const struct ssdqos_flash *f, const struct flash_op *op)
{
	u64 array_ns = flash_array_ns(f, op);

	if (op->kind == SSDQOS_NAND_READ)
		return array_ns + f->timing.xfer_unit_ns[op->nr_units];
	if (op->kind == SSDQOS_NAND_PROGRAM)
		return array_ns + f->timing.xfer_unit_ns[f->geo.units_per_page];
	return array_ns;
}

/* A task that had nothing to do for this chip has lost its claim to the past. */
static void sched_wfq_queued(struct ssdqos_flash *f, struct flash_chip *chip,
			     u32 task)
{
	if (chip->queue[task].head == chip->queue[task].tail)
		chip->vtime[task] = max(chip->vtime[task], chip->vnow);
}

/* Neither has one that was not open: what stood in a queue from before would now keep
 * away all that came since, for as long as others had the chip.
 */
static void sched_wfq_opened(struct ssdqos_flash *f, struct flash_chip *chip)
{
	u32 task;

	for (task = 0; task < SSDQOS_NR_TASKS; task++)
		chip->vtime[task] = max(chip->vtime[task], chip->vnow);
}

/* Tasks that were not open, while a burst of collection blocked the drive, are again. */
void flash_sched_opened(struct ssdqos_flash *f)
{
	u32 i;

	for (i = 0; f->sched->opened && i < f->geo.nr_chips; i++)
		f->sched->opened(f, &f->chips[i]);
}

static u32 sched_wfq_pick(struct ssdqos_flash *f, struct flash_chip *chip)
{
	u32 rest = flash_tasks_ready(f, chip), best = SSDQOS_NR_TASKS;
	u64 cost_ns;

	for (; rest; rest &= rest - 1) {
		u32 task = (u32)__ffs(rest);

		if (best == SSDQOS_NR_TASKS ||
		    chip->vtime[task] < chip->vtime[best])
			best = task;
	}
	if (best == SSDQOS_NR_TASKS)
		return best;
	chip->vnow = chip->vtime[best];
	cost_ns = sched_cost_ns(f, &f->ops[chip->queue[best].head]);
	chip->vtime[best] += div64_u64(cost_ns * FLASH_PPM,
				       f->task[best].weight_ppm);
	return best;
}

static u32 sched_debit_weight(const struct flash_task *t)
{
	return ((t->limit - t->outstanding) << SCHED_WEIGHT_SHIFT) / t->limit;
}

/* Those of @tasks, which rest, that are held until the host is quiet.  Then there is a
 * timer for them.  A drive that was loaded may be younger than the host's rest, so only
 * differences count.
 */
static u32 sched_debit_held(struct ssdqos_flash *f, u32 tasks)
{
	u64 quiet_ns = f->host_ns + f->cfg.quiet_ns;
	u32 timer = flash_timer_id(f, FLASH_TIMER_QUIET), held = tasks;

	/* in a burst the host waits for collection, not the other way round */
	if (f->now_ns - f->host_ns >= f->cfg.quiet_ns || flash_burst_blocks(f))
		return 0;
	for (; tasks; tasks &= tasks - 1) {
		const struct flash_task_ops *ops = f->tasks[__ffs(tasks)];

		if (ops->urgent && ops->urgent(f))
			held &= ~(tasks & -tasks);
	}
	if (held && !ssdqos_evq_pending(&f->evq, timer))
		ssdqos_evq_set(&f->evq, timer, quiet_ns);
	return held;
}

/* Those of @tasks that are within their shares, and not held. */
static u32 sched_debit_free(struct ssdqos_flash *f, u32 tasks)
{
	u32 rest = tasks & f->within_tasks & f->resting_tasks;
	u32 within = flash_tasks_free(f, tasks);

	return rest ? within | (rest & ~sched_debit_held(f, rest)) : within;
}

static bool sched_debit_within(struct ssdqos_flash *f, u32 task)
{
	return sched_debit_free(f, 1u << task);
}

static bool sched_debit_may(struct ssdqos_flash *f, u32 task)
{
	u32 bit = f->open_tasks & (1u << task);

	return bit && (sched_debit_free(f, bit) ||
		       (f->cfg.share_lend && flash_tasks_pressing(f, bit)));
}

/* Draw one of the tasks, by weight; one that presses has none of its share used. */
static u32 sched_debit_draw(struct ssdqos_flash *f, u32 tasks, u32 pressing)
{
	u32 weight[SSDQOS_NR_TASKS] = { 0 }, task, sum = 0, draw;

	for (task = 0; task < SSDQOS_NR_TASKS; task++) {
		if (!(tasks & (1u << task)))
			continue;
		weight[task] = 1 + (pressing & (1u << task) ?
				    1u << SCHED_WEIGHT_SHIFT :
				    sched_debit_weight(&f->task[task]));
		sum += weight[task];
	}
	draw = ssdqos_rng_below(&f->rng, sum);
	for (task = 0; draw >= weight[task]; task++)
		draw -= weight[task];
	return task;
}

static u32 sched_debit_pick(struct ssdqos_flash *f, struct flash_chip *chip)
{
	u32 ready = flash_tasks_ready(f, chip), pressing = 0, passed;
	u32 may = sched_debit_free(f, ready);

	/* the only one may go whether it presses or not */
	if (may == ready && !(may & (may - 1)))
		return sched_first(may);
	if (f->cfg.share_lend) {
		/* as below, but the others need not be asked whether they press */
		if (ready & FLASH_TASK_FIRST_BIT &&
		    !sched_passed(f, chip, ready))
			return FLASH_TASK_FIRST;
		pressing = flash_chip_pressing(f, chip, ready);
	}
	may |= pressing;
	if (!(may & (may - 1)))
		return sched_first(may);
	passed = sched_passed(f, chip, may);
	if (passed)
		return sched_passed_goes(f, chip, sched_first(passed));
	if (pressing & FLASH_TASK_FIRST_BIT)
		return FLASH_TASK_FIRST;
	return sched_debit_draw(f, may, pressing);
}

const struct flash_sched_ops flash_sched_table[] = {
	[SSDQOS_FLASH_FIFO] = {
		.name = "fifo",
		.pick = sched_fifo_pick,
	},
	[SSDQOS_FLASH_PRIORITY] = {
		.name = "priority",
		.pick = sched_priority_pick,
	},
	[SSDQOS_FLASH_WFQ] = {
		.name = "wfq",
		.queued = sched_wfq_queued,
		.opened = sched_wfq_opened,
		.pick = sched_wfq_pick,
	},
	[SSDQOS_FLASH_DEBIT] = {
		.name = "debit",
		.pick = sched_debit_pick,
		.may = sched_debit_may,
		.within = sched_debit_within,
	},
};
