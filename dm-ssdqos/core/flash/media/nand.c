// SPDX-License-Identifier: GPL-2.0
/*
 * nand.c - planes and channels as servers
 *
 * An operation is a small machine over two kinds of server:
 *
 *	READ		plane array tR, then channel out
 *	PROGRAM		channel in, then plane array tPROG
 *	ERASE		plane array tBERS
 *	COPYBACK	plane array tR + tPROG, nothing on the channel
 *
 * The controller hands a chip at most chip_queue_depth operations; which
 * task's operation comes next is the scheduler's choice (sched.c).  Within a
 * plane, operations begin in the order of issue.  READ, PROGRAM and COPYBACK
 * hold a page register from beginning to end; with two registers a plane can
 * transfer one page while its array works on another.  A page that was loaded
 * meanwhile has not begun yet: when a program ends, reads that wait by then go
 * before the next, as they would if its page had no register to wait in.  A
 * channel serves its transfers in the order in which they became ready.
 *
 * The controller takes a moment to make an operation (ready_ns); until then a
 * server that is already its own stays idle, which saves an event for a time
 * of a few us.
 *
 * With array_scope chip, planes of a chip share the array (array.c).
 *
 * Every server has one event: the end of what it is doing.
 */
#include "../tasks/tasks.h"
#include "../../engine/bits.h"

#define NAND_ANY_READ 0xffff	/* more than wait */

static u32 nand_units(const struct ssdqos_flash *f, const struct flash_op *op)
{
	/* a program always moves a whole page, padded if need be */
	return op->kind == SSDQOS_NAND_PROGRAM ? f->geo.units_per_page :
						 op->nr_units;
}

static void nand_log(struct ssdqos_flash *f, enum ssdqos_flash_event event,
		     const struct flash_op *op)
{
	u32 block = flash_block_of(f, op->psn);
	struct ssdqos_flash_record rec = {
		.time_ns = f->now_ns,
		.event = (u8)event,
		.task = op->task,
		.op = op->kind,
		.units = op->nr_units,
		.plane = op->plane,
		.block = block,
		.page = (op->psn - (block << f->geo.block_shift)) >>
			f->geo.page_shift,
	};

	flash_log_write(f, &rec);
}

/* Time of the array for an operation. */
u64 flash_nand_array_ns(const struct ssdqos_flash *f, const struct flash_op *op)
{
	switch (op->kind) {
	case SSDQOS_NAND_READ:
		return f->timing.read_ns;
	case SSDQOS_NAND_PROGRAM:
		return f->timing.program_ns;
	case SSDQOS_NAND_ERASE:
		return f->timing.erase_ns;
	default:
		return f->timing.read_ns + f->timing.program_ns;
	}
}

/* A server begins to serve an operation; returns when it will have done so. */
u64 flash_nand_serve(struct ssdqos_flash *f, struct flash_use *use,
		     struct flash_op *op, u64 start_ns, u64 service_ns)
{
	use->start_ns = start_ns;
	if (op->trip) {
		op->trip->wait_ns[SSDQOS_WAIT_CONTROLLER] +=
			start_ns - f->now_ns;
		op->trip->wait_ns[SSDQOS_WAIT_FLASH] += service_ns;
		op->trip->mark_ns = start_ns + service_ns;
	}
	return start_ns + service_ns;
}

/* When a server that is free can begin with an operation. */
u64 flash_nand_start_ns(const struct ssdqos_flash *f, const struct flash_op *op)
{
	return max(f->now_ns, op->ready_ns);
}

static void nand_served(struct ssdqos_flash *f, struct flash_use *use,
			const struct flash_op *op)
{
	use->busy_ns[op->task] += f->now_ns - use->start_ns;
}

static void nand_channel_start(struct ssdqos_flash *f, u32 channel,
			       struct flash_op *op)
{
	struct flash_channel *ch = &f->channels[channel];

	ch->op = flash_op_index(f, op);
	ssdqos_evq_set(&f->evq, f->geo.nr_planes + channel,
		       flash_nand_serve(f, &ch->use, op,
					flash_nand_start_ns(f, op),
					f->timing.xfer_unit_ns[nand_units(f, op)]));
}

/* The task that a server works for, SSDQOS_NR_TASKS if for none. */
static u32 nand_user(const struct ssdqos_flash *f, u32 op)
{
	return op == SSDQOS_NIL ? SSDQOS_NR_TASKS : f->ops[op].task;
}

static void nand_channel_request(struct ssdqos_flash *f, u32 channel,
				 struct flash_op *op)
{
	struct flash_channel *ch = &f->channels[channel];

	if (ch->op == SSDQOS_NIL) {
		nand_channel_start(f, channel, op);
		return;
	}
	if (op->trip)
		flash_trip_wait(op->trip, &ch->use, nand_user(f, ch->op),
				f->now_ns);
	flash_ops_push(f, &ch->wait, op);
}

/* May the plane's next operation begin now? */
static bool nand_may_begin(const struct flash_plane *p,
			   const struct flash_op *op)
{
	if (op->kind == SSDQOS_NAND_ERASE)
		return !p->begun;
	if (!p->registers)
		return false;
	if (op->kind == SSDQOS_NAND_PROGRAM)
		return true;
	return p->array_op == SSDQOS_NIL &&
	       (flash_list_empty(&p->loaded) ||
		(op->kind == SSDQOS_NAND_READ && p->reads_first));
}

static void nand_begin(struct ssdqos_flash *f, struct flash_plane *p,
		       struct flash_op *op)
{
	if (flash_log_wants(f, SSDQOS_FLASH_EV_NAND_STARTED))
		nand_log(f, SSDQOS_FLASH_EV_NAND_STARTED, op);
	p->begun++;
	if (op->kind != SSDQOS_NAND_ERASE)
		p->registers--;
	if (op->kind == SSDQOS_NAND_READ && p->reads_first)
		p->reads_first--;
	if (op->kind == SSDQOS_NAND_PROGRAM)
		nand_channel_request(f, p->channel, op);
	else
		flash_array_start(f, p, op);
}

static void nand_plane_pump(struct ssdqos_flash *f, struct flash_plane *p)
{
	while (!flash_list_empty(&p->wait) &&
	       nand_may_begin(p, &f->ops[p->wait.head])) {
		struct flash_op *op = flash_ops_pop(f, &p->wait);

		if (op->trip)
			flash_trip_waited(op->trip, &p->use,
					  nand_user(f, p->array_op), f->now_ns);
		nand_begin(f, p, op);
	}
}

static void nand_account_issue(struct ssdqos_flash *f, struct flash_chip *chip,
			       struct flash_op *op)
{
	struct flash_task *t = &f->task[op->task];
	u64 waited_ns = f->now_ns - op->queued_ns;

	flash_sched_goes(f, op);
	t->outstanding++;
	t->stats.issued++;
	t->stats.wait_ns += waited_ns;
	if (op->trip)
		flash_trip_issued(f, op->trip, waited_ns);
	if (++chip->issued == f->chip_queue_depth)
		flash_bits_assign(f->chips_room, (u32)(chip - f->chips), false);
}

/* What a read that could be rebuilt elsewhere need not wait for. */
static void nand_account_internal(struct ssdqos_flash *f, struct flash_plane *p,
				  u32 by)
{
	p->nr_internal += (u16)by;
	f->chips[p->chip].nr_internal += by;
}

/* Is the plane, or the chip whose array it shares, busy for the drive itself? */
bool flash_nand_internal(const struct ssdqos_flash *f, u32 plane)
{
	const struct flash_plane *p = &f->planes[plane];

	return flash_chip_bound(f) ? f->chips[p->chip].nr_internal :
				     p->nr_internal;
}

static void nand_issue(struct ssdqos_flash *f, struct flash_op *op)
{
	struct flash_plane *p = &f->planes[op->plane];

	nand_account_issue(f, &f->chips[p->chip], op);
	if (flash_task_moves(op->task))
		nand_account_internal(f, p, 1);
	if (flash_list_empty(&p->wait) && nand_may_begin(p, op)) {
		nand_begin(f, p, op);
		return;
	}
	if (op->trip)
		flash_trip_wait(op->trip, &p->use, nand_user(f, p->array_op),
				f->now_ns);
	flash_ops_push(f, &p->wait, op);
}

/* The others that wait for the chip let one of a task go before. */
static void nand_pass(struct flash_chip *chip, u32 task)
{
	u32 rest = chip->tasks;

	for (; rest; rest &= rest - 1)
		chip->passed[__ffs(rest)]++;
	chip->passed[task] = 0;
}

/* Hand the chip the operation of a task that has waited longest. */
static void nand_issue_next(struct ssdqos_flash *f, struct flash_chip *chip,
			    u32 task)
{
	struct flash_op *op = flash_ops_pop(f, &chip->queue[task]);

	nand_pass(chip, task);
	chip->waiting--;
	f->task[task].waiting--;
	if (flash_list_empty(&chip->queue[task])) {
		chip->tasks &= ~(1u << task);
		flash_bits_assign(f->task[task].chips, (u32)(chip - f->chips),
				  false);
	}
	nand_issue(f, op);
}

static void nand_chip_refill(struct ssdqos_flash *f, struct flash_chip *chip)
{
	while (chip->waiting && chip->issued < f->chip_queue_depth) {
		u32 task = f->sched->pick(f, chip);

		if (task == SSDQOS_NR_TASKS)
			break;
		nand_issue_next(f, chip, task);
	}
}

/* The chip whose turn it is, where the scheduler limits tasks and this one may
 * go on; SSDQOS_NIL if there is none.  Chips take turns, so that no plane's
 * work waits for ever.
 */
static u32 nand_next_turn(struct ssdqos_flash *f, u32 task)
{
	struct flash_task *t = &f->task[task];
	u32 chip;

	if (!f->sched->may || !t->waiting || !f->sched->may(f, task))
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
void flash_nand_kick(struct ssdqos_flash *f, u32 task)
{
	u32 chip, next;

	while ((chip = nand_next_turn(f, task)) != SSDQOS_NIL) {
		next = f->sched->pick(f, &f->chips[chip]);
		nand_issue_next(f, &f->chips[chip], next);
	}
}

/* A task's operation has ended on chip @own.  If others wait for the task's
 * limit, one of them may go now, unless it is this chip's turn: this chip is
 * asked next and would keep for ever what its task may have.
 */
static void nand_pass_on(struct ssdqos_flash *f, u32 task, u32 own)
{
	u32 chip = nand_next_turn(f, task);

	if (chip != SSDQOS_NIL && chip != own)
		nand_issue_next(f, &f->chips[chip], task);
}

/* The scheduler or its shares were changed: look at every chip again. */
void flash_nand_kick_all(struct ssdqos_flash *f)
{
	u32 i;

	for (i = 0; i < f->geo.nr_chips; i++)
		nand_chip_refill(f, &f->chips[i]);
}

static void nand_count(struct ssdqos_flash *f, const struct flash_op *op)
{
	switch (op->kind) {
	case SSDQOS_NAND_READ:
		f->stats.flash_reads++;
		flash_scrub_note(f, flash_block_of(f, op->psn));
		break;
	case SSDQOS_NAND_PROGRAM:
		f->stats.flash_programs++;
		break;
	case SSDQOS_NAND_ERASE:
		f->stats.flash_erases++;
		break;
	default:
		f->stats.flash_copybacks++;
	}
}

static void nand_complete(struct ssdqos_flash *f, struct flash_plane *p,
			  struct flash_op *op)
{
	struct flash_chip *chip = &f->chips[p->chip];
	u32 task = op->task;

	if (flash_log_wants(f, SSDQOS_FLASH_EV_NAND_COMPLETED))
		nand_log(f, SSDQOS_FLASH_EV_NAND_COMPLETED, op);
	p->begun--;
	if (op->kind != SSDQOS_NAND_ERASE)
		p->registers++;
	if (chip->issued-- == f->chip_queue_depth)
		flash_bits_assign(f->chips_room, p->chip, true);
	if (flash_task_moves(task))
		nand_account_internal(f, p, -1u);
	nand_count(f, op);
	nand_plane_pump(f, p);
	flash_task_table[task]->op_done(f, op);
	flash_op_put(f, op);
	f->task[task].outstanding--;
	nand_pass_on(f, task, p->chip);
	nand_chip_refill(f, chip);
	flash_nand_kick(f, task);
}

/* A loaded page is programmed when the array is free and no read goes before. */
static void nand_array_next(struct ssdqos_flash *f, struct flash_plane *p)
{
	if (p->array_op == SSDQOS_NIL && !p->reads_first &&
	    !flash_list_empty(&p->loaded))
		flash_array_start(f, p, flash_ops_pop(f, &p->loaded));
}

/* Reads behind one that has just got the array: its register will be theirs. */
static u16 nand_reads_passing(const struct ssdqos_flash *f,
			      const struct flash_plane *p)
{
	u32 op = p->wait.head;
	u16 nr = 0;

	if (p->array_op == SSDQOS_NIL ||
	    f->ops[p->array_op].kind != SSDQOS_NAND_READ)
		return 0;
	while (op != SSDQOS_NIL && f->ops[op].kind == SSDQOS_NAND_READ) {
		op = f->ops[op].next;
		nr++;
	}
	return nr;
}

/* Reads that it kept waiting go first, and one that the chip gets instead. */
static void nand_program_done(struct ssdqos_flash *f, struct flash_plane *p,
			      struct flash_op *op)
{
	p->reads_first = NAND_ANY_READ;
	nand_complete(f, p, op);
	p->reads_first = nand_reads_passing(f, p);
	nand_array_next(f, p);
}

/* The array of a plane has finished. */
void flash_plane_event(struct ssdqos_flash *f, u32 plane)
{
	struct flash_plane *p = &f->planes[plane];
	struct flash_op *op = &f->ops[p->array_op];

	p->array_op = SSDQOS_NIL;
	nand_served(f, &p->use, op);
	flash_array_done(f, &f->chips[p->chip]);
	if (op->kind == SSDQOS_NAND_PROGRAM) {
		nand_program_done(f, p, op);
		return;
	}
	nand_array_next(f, p);
	if (op->kind == SSDQOS_NAND_READ) {
		nand_channel_request(f, p->channel, op);
		nand_plane_pump(f, p);
	} else {
		nand_complete(f, p, op);
	}
}

/* The transfer that has waited longest. */
static void nand_channel_next(struct ssdqos_flash *f, u32 channel)
{
	struct flash_channel *ch = &f->channels[channel];
	struct flash_op *op = flash_ops_pop(f, &ch->wait);

	if (op->trip)
		flash_trip_waited(op->trip, &ch->use, SSDQOS_NR_TASKS,
				  f->now_ns);
	nand_channel_start(f, channel, op);
}

static void nand_program_loaded(struct ssdqos_flash *f, struct flash_plane *p,
				struct flash_op *op)
{
	flash_ops_push(f, &p->loaded, op);
	nand_array_next(f, p);
}

/* A channel has finished a transfer. */
void flash_channel_event(struct ssdqos_flash *f, u32 channel)
{
	struct flash_channel *ch = &f->channels[channel];
	struct flash_op *op = &f->ops[ch->op];
	struct flash_plane *p = &f->planes[op->plane];

	ch->op = SSDQOS_NIL;
	nand_served(f, &ch->use, op);
	if (!flash_list_empty(&ch->wait))
		nand_channel_next(f, channel);
	if (op->kind == SSDQOS_NAND_READ)
		nand_complete(f, p, op);
	else
		nand_program_loaded(f, p, op);
}

/* How long the controller takes to make an operation. */
static u64 nand_make_ns(struct ssdqos_flash *f, u32 task)
{
	const struct ssdqos_flash_config *cfg = &f->cfg;

	if (task == SSDQOS_TASK_HOST)
		return flash_delay_ns(f, cfg->host_delay_min_ns,
				      cfg->host_delay_max_ns);
	return flash_delay_ns(f, cfg->internal_delay_min_ns,
			      cfg->internal_delay_max_ns);
}

/* May a new operation pass by the queues, because no other could go first? */
static bool nand_may_issue(struct ssdqos_flash *f,
			   const struct flash_chip *chip, u32 task)
{
	u32 rest = flash_tasks_ready(f, chip);

	if (chip->issued >= f->chip_queue_depth || f->sched->queued ||
	    !(f->open_tasks & (1u << task)))
		return false;
	if (!f->sched->may)
		return !rest;
	if (f->task[task].waiting || !f->sched->may(f, task))
		return false;
	for (; rest; rest &= rest - 1)
		if (f->sched->may(f, (u32)__ffs(rest)))
			return false;
	return true;
}

/* A task hands over an operation; it comes back through the task's op_done. */
void flash_nand_queue(struct ssdqos_flash *f, struct flash_op *op)
{
	struct flash_plane *p = &f->planes[op->plane];
	struct flash_chip *chip = &f->chips[p->chip];

	prefetchw(&f->blocks[flash_block_of(f, op->psn)]);
	op->order = f->op_order++;
	op->queued_ns = f->now_ns;
	op->ready_ns += f->now_ns + nand_make_ns(f, op->task);
	if (op->task >= SSDQOS_TASK_FLUSH)
		flash_share_wake(f);
	if (nand_may_issue(f, chip, op->task)) {
		nand_issue(f, op);
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
	nand_chip_refill(f, chip);
}

static void nand_chip_init(struct ssdqos_flash *f, u32 chip)
{
	u32 task;

	for (task = 0; task < SSDQOS_NR_TASKS; task++)
		flash_list_init(&f->chips[chip].queue[task]);
	flash_list_init(&f->chips[chip].array_wait);
	flash_bits_assign(f->chips_room, chip, true);
}

/* All servers idle, all queues empty. */
void flash_nand_init(struct ssdqos_flash *f)
{
	u32 i;

	f->open_tasks = FLASH_ALL_TASKS;
	for (i = 0; i < f->geo.nr_planes; i++) {
		struct flash_plane *p = &f->planes[i];

		flash_list_init(&p->wait);
		flash_list_init(&p->loaded);
		p->array_op = SSDQOS_NIL;
		p->registers = (u8)f->cfg.registers;
		p->chip = (u16)(i % f->geo.nr_chips);
		p->channel = (u16)(i % f->geo.channels);
	}
	for (i = 0; i < f->geo.nr_chips; i++)
		nand_chip_init(f, i);
	for (i = 0; i < f->geo.channels; i++) {
		f->channels[i].op = SSDQOS_NIL;
		flash_list_init(&f->channels[i].wait);
	}
}
