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
 * Within a plane, operations begin in the order in which it is handed them.  READ,
 * PROGRAM and COPYBACK hold a page register from beginning to end; with two registers a plane can
 * transfer one page while its array works on another.  A page that was loaded
 * meanwhile has not begun yet: when a program ends, reads that wait by then go
 * before the next, as they would if its page had no register to wait in.  A
 * channel serves its transfers in the order in which they became ready.
 *
 * The controller takes a moment to make an operation (ready_ns); until then a
 * server that is already its own stays idle, which saves an event for a time
 * of a few us.
 *
 * With array_scope chip, planes of a chip share the array (array.c).  What the array
 * does may make way for host reads (suspend.c); until it goes on, only these begin.
 *
 * Every server has one event: the end of what it is doing.  If an operation ends
 * with that, the caller gets it and sees to what follows.
 */
#include "media.h"

#define NAND_ANY_READ 0xffff	/* more than wait */

static u32 nand_units(const struct ssdqos_flash *f, const struct flash_op *op)
{
	/* a program always moves a whole page, padded if need be */
	return op->kind == SSDQOS_NAND_PROGRAM ? f->geo.units_per_page :
						 op->nr_units;
}

static void nand_channel_start(struct ssdqos_flash *f, u32 channel,
			       struct flash_op *op)
{
	struct flash_channel *ch = &f->channels[channel];

	u64 service_ns = flash_op_is_ideal(f, op) ? 0 :
			 f->timing.xfer_unit_ns[nand_units(f, op)];

	ch->op = flash_op_index(f, op);
	ssdqos_evq_set(&f->evq, f->geo.nr_planes + channel,
		       flash_serve(f, &ch->use, op, flash_start_ns(f, op),
				   service_ns));
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
static bool nand_may_begin(const struct ssdqos_flash *f,
			   const struct flash_plane *p,
			   const struct flash_op *op)
{
	if (op->kind == SSDQOS_NAND_ERASE)
		return !p->begun;
	if (!p->registers)
		return false;
	if (op->kind == SSDQOS_NAND_PROGRAM)
		return !flash_suspended(f, p);
	return p->array_op == SSDQOS_NIL &&
	       (flash_list_empty(&p->loaded) ||
		(op->kind == SSDQOS_NAND_READ && p->reads_first));
}

static void nand_begin(struct ssdqos_flash *f, struct flash_plane *p,
		       struct flash_op *op)
{
	if (flash_log_wants(f, SSDQOS_FLASH_EV_NAND_STARTED))
		flash_log_op(f, SSDQOS_FLASH_EV_NAND_STARTED, op);
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

/* Begin what waits, as far as the plane can. */
void flash_plane_begin(struct ssdqos_flash *f, struct flash_plane *p)
{
	while (!flash_list_empty(&p->wait) &&
	       nand_may_begin(f, p, &f->ops[p->wait.head])) {
		struct flash_op *op = flash_ops_pop(f, &p->wait);

		if (op->trip)
			flash_trip_waited(op->trip, &p->use,
					  nand_user(f, p->array_op), f->now_ns);
		nand_begin(f, p, op);
	}
	if (unlikely(f->timing.suspends))
		flash_suspend_ask(f, p);
}

/* A plane is handed an operation. */
void flash_plane_take(struct ssdqos_flash *f, struct flash_plane *p,
		      struct flash_op *op)
{
	if (flash_list_empty(&p->wait) && nand_may_begin(f, p, op)) {
		nand_begin(f, p, op);
		return;
	}
	if (op->trip)
		flash_trip_wait(op->trip, &p->use, nand_user(f, p->array_op),
				f->now_ns);
	flash_ops_push(f, &p->wait, op);
	if (unlikely(f->timing.suspends))
		flash_suspend_ask(f, p);
}

/* A loaded page is programmed when the array is free and no read goes before.  Mostly
 * there is none.
 */
static void nand_array_next(struct ssdqos_flash *f, struct flash_plane *p)
{
	if (flash_list_empty(&p->loaded) || p->array_op != SSDQOS_NIL ||
	    p->reads_first)
		return;
	if (unlikely(f->timing.suspends))
		flash_suspend_next(f, p);
	else
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

/* What has ended was a program, and all that follows from it has been done. */
void flash_program_ended(struct ssdqos_flash *f, struct flash_plane *p)
{
	p->reads_first = nand_reads_passing(f, p);
	nand_array_next(f, p);
}

/* The array of a plane has finished.  Returns the operation that has ended with it,
 * NULL if it goes on.
 */
struct flash_op *flash_plane_event(struct ssdqos_flash *f, u32 plane)
{
	struct flash_plane *p = &f->planes[plane];
	struct flash_op *op = &f->ops[p->array_op];

	p->array_op = SSDQOS_NIL;
	flash_served(f, &p->use, op);
	flash_array_done(f, &f->chips[p->chip]);
	if (unlikely(f->timing.suspends) && flash_suspend_stopped(f, p, op)) {
		flash_plane_pump(f, p);
		return NULL;
	}
	if (op->kind == SSDQOS_NAND_PROGRAM) {
		/* reads that it kept waiting go first, and one that the chip gets */
		p->reads_first = NAND_ANY_READ;
		return op;
	}
	nand_array_next(f, p);
	if (op->kind != SSDQOS_NAND_READ)
		return op;
	nand_channel_request(f, p->channel, op);
	flash_plane_pump(f, p);
	return NULL;
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

/* A channel has finished a transfer.  Returns as flash_plane_event(). */
struct flash_op *flash_channel_event(struct ssdqos_flash *f, u32 channel)
{
	struct flash_channel *ch = &f->channels[channel];
	struct flash_op *op = &f->ops[ch->op];
	struct flash_plane *p = &f->planes[op->plane];

	ch->op = SSDQOS_NIL;
	flash_served(f, &ch->use, op);
	if (!flash_list_empty(&ch->wait))
		nand_channel_next(f, channel);
	if (op->kind == SSDQOS_NAND_READ)
		return op;
	nand_program_loaded(f, p, op);
	return NULL;
}

/* All servers idle. */
void flash_nand_init(struct ssdqos_flash *f)
{
	u32 i;

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
		flash_list_init(&f->chips[i].array_wait);
	for (i = 0; i < f->geo.channels; i++) {
		f->channels[i].op = SSDQOS_NIL;
		flash_list_init(&f->channels[i].wait);
	}
}
