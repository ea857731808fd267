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
 * transfer one page while its array works on another.  A channel serves its
 * transfers in the order in which they became ready.
 *
 * Every server has one event: the end of what it is doing.
 */
#include "internal.h"

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

static u64 nand_array_ns(const struct ssdqos_flash *f, const struct flash_op *op)
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

static void nand_array_start(struct ssdqos_flash *f, struct flash_plane *p,
			     struct flash_op *op)
{
	p->array_op = flash_op_index(f, op);
	ssdqos_evq_set(&f->evq, op->plane, f->now_ns + nand_array_ns(f, op));
}

static void nand_channel_start(struct ssdqos_flash *f, u32 channel,
			       struct flash_op *op)
{
	f->channels[channel].op = flash_op_index(f, op);
	ssdqos_evq_set(&f->evq, f->geo.nr_planes + channel,
		       f->now_ns + f->timing.xfer_unit_ns[nand_units(f, op)]);
}

static void nand_channel_request(struct ssdqos_flash *f, u32 channel,
				 struct flash_op *op)
{
	struct flash_channel *ch = &f->channels[channel];

	if (ch->op == SSDQOS_NIL)
		nand_channel_start(f, channel, op);
	else
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
	return op->kind == SSDQOS_NAND_PROGRAM ||
	       (p->array_op == SSDQOS_NIL && flash_list_empty(&p->loaded));
}

static void nand_begin(struct ssdqos_flash *f, struct flash_plane *p,
		       struct flash_op *op)
{
	if (flash_log_wants(f, SSDQOS_FLASH_EV_NAND_STARTED))
		nand_log(f, SSDQOS_FLASH_EV_NAND_STARTED, op);
	p->begun++;
	if (op->kind != SSDQOS_NAND_ERASE)
		p->registers--;
	if (op->kind == SSDQOS_NAND_PROGRAM)
		nand_channel_request(f, p->channel, op);
	else
		nand_array_start(f, p, op);
}

static void nand_plane_pump(struct ssdqos_flash *f, struct flash_plane *p)
{
	while (!flash_list_empty(&p->wait) &&
	       nand_may_begin(p, &f->ops[p->wait.head]))
		nand_begin(f, p, flash_ops_pop(f, &p->wait));
}

static void nand_issue(struct ssdqos_flash *f, struct flash_op *op)
{
	struct flash_plane *p = &f->planes[op->plane];

	f->chips[p->chip].issued++;
	if (flash_list_empty(&p->wait) && nand_may_begin(p, op))
		nand_begin(f, p, op);
	else
		flash_ops_push(f, &p->wait, op);
}

static void nand_chip_refill(struct ssdqos_flash *f, struct flash_chip *chip)
{
	while (chip->waiting && chip->issued < f->chip_queue_depth) {
		u32 task = f->sched->pick(f, chip);

		chip->waiting--;
		nand_issue(f, flash_ops_pop(f, &chip->queue[task]));
	}
}

/* The counts by which later reads learn what is in their way. */
static void nand_account(struct flash_plane *p, const struct flash_op *op,
			 u32 by)
{
	p->nr_ops += by;
	if (op->task == SSDQOS_TASK_GC)
		p->nr_gc_ops += by;
}

static void nand_count(struct ssdqos_flash *f, const struct flash_op *op)
{
	switch (op->kind) {
	case SSDQOS_NAND_READ:
		f->stats.flash_reads++;
		f->blocks[flash_block_of(f, op->psn)].read_count++;
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

	if (flash_log_wants(f, SSDQOS_FLASH_EV_NAND_COMPLETED))
		nand_log(f, SSDQOS_FLASH_EV_NAND_COMPLETED, op);
	p->begun--;
	if (op->kind != SSDQOS_NAND_ERASE)
		p->registers++;
	chip->issued--;
	nand_account(p, op, -1u);
	nand_count(f, op);
	nand_plane_pump(f, p);
	flash_task_table[op->task]->op_done(f, op);
	flash_op_put(f, op);
	nand_chip_refill(f, chip);
}

/* The array of a plane has finished. */
void flash_plane_event(struct ssdqos_flash *f, u32 plane)
{
	struct flash_plane *p = &f->planes[plane];
	struct flash_op *op = &f->ops[p->array_op];

	p->array_op = SSDQOS_NIL;
	if (!flash_list_empty(&p->loaded))
		nand_array_start(f, p, flash_ops_pop(f, &p->loaded));
	if (op->kind == SSDQOS_NAND_READ) {
		nand_channel_request(f, p->channel, op);
		nand_plane_pump(f, p);
	} else {
		nand_complete(f, p, op);
	}
}

/* A channel has finished a transfer. */
void flash_channel_event(struct ssdqos_flash *f, u32 channel)
{
	struct flash_channel *ch = &f->channels[channel];
	struct flash_op *op = &f->ops[ch->op];
	struct flash_plane *p = &f->planes[op->plane];

	ch->op = SSDQOS_NIL;
	if (!flash_list_empty(&ch->wait))
		nand_channel_start(f, channel, flash_ops_pop(f, &ch->wait));
	if (op->kind == SSDQOS_NAND_READ)
		nand_complete(f, p, op);
	else if (p->array_op == SSDQOS_NIL)
		nand_array_start(f, p, op);
	else
		flash_ops_push(f, &p->loaded, op);
}

/* A task hands over an operation; it comes back through the task's op_done. */
void flash_nand_queue(struct ssdqos_flash *f, struct flash_op *op)
{
	struct flash_plane *p = &f->planes[op->plane];
	struct flash_chip *chip = &f->chips[p->chip];

	nand_account(p, op, 1);
	op->order = f->op_order++;
	if (!chip->waiting && chip->issued < f->chip_queue_depth) {
		nand_issue(f, op);
		return;
	}
	chip->waiting++;
	flash_ops_push(f, &chip->queue[op->task], op);
}

/* All servers idle, all queues empty. */
void flash_nand_init(struct ssdqos_flash *f)
{
	u32 i, task;

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
		for (task = 0; task < SSDQOS_NR_TASKS; task++)
			flash_list_init(&f->chips[i].queue[task]);
	for (i = 0; i < f->geo.channels; i++) {
		f->channels[i].op = SSDQOS_NIL;
		flash_list_init(&f->channels[i].wait);
	}
}
