// SPDX-License-Identifier: GPL-2.0
/*
 * suspend.c - erases and programs that make way for host reads
 *
 * A host read that waits for a plane while its array erases or programs has that
 * suspended, on a drive that can (erase_suspend_ns, program_suspend_ns):
 *
 *	NONE	 it runs, until a read waits
 *	STOPPING for suspend_ns
 *	HELD	 until the reads have left the array
 *	NONE	 it runs again: for suspend_ns, and for what was left
 *
 * While it is held, nothing but host reads begins in the plane: those that wait when
 * the array has stopped, before all else.  For others that came meanwhile it stays
 * held, as if it had been suspended again, but at no cost.  FLASH_SUSPENDS_MOST times,
 * then it runs to its end, so it does end whatever the host reads.
 *
 * The paper on this is "Reducing SSD Read Latency via NAND Flash Program and Erase
 * Suspension" (FAST 2012).  That the page of a held program waits in a latch of its own is
 * ours: its register serves the reads, and it goes on when it has that again.  An erase has no
 * register: if loaded pages have all of them, no read could begin, and it isn't
 * suspended.  A copy inside the plane is a read first, which isn't suspended, either.
 */
#include "media.h"

/* Times that one operation makes way.  Chips have a bound, too; with a read of 50 us each
 * time, and 100 us to suspend and to resume, an erase of 5 ms ends within 9 ms.
 */
#define FLASH_SUSPENDS_MOST 16

/* What can be suspended, and the time that takes. */
void flash_suspend_tune(struct ssdqos_flash *f)
{
	u64 *suspend_ns = f->timing.suspend_ns;

	suspend_ns[SSDQOS_NAND_ERASE] = f->cfg.erase_suspend_ns;
	suspend_ns[SSDQOS_NAND_PROGRAM] = f->cfg.program_suspend_ns;
	suspend_ns[SSDQOS_NAND_COPYBACK] = f->cfg.program_suspend_ns;
	f->timing.suspends |= f->cfg.erase_suspend_ns ||
			      f->cfg.program_suspend_ns;
}

static bool suspend_read_waits(const struct ssdqos_flash *f,
			       const struct flash_plane *p)
{
	u32 op = p->wait.head;

	while (op != SSDQOS_NIL && !f->ops[op].trip)
		op = f->ops[op].next;
	return op != SSDQOS_NIL;
}

/* Could it be suspended, and could a read begin then? */
static bool suspend_can(const struct ssdqos_flash *f,
			const struct flash_plane *p, const struct flash_op *op)
{
	const struct flash_suspend *s = flash_suspend_of(f, p);

	return f->timing.suspend_ns[op->kind] &&
	       s->state == FLASH_SUSPEND_NONE && s->nr_times < FLASH_SUSPENDS_MOST &&
	       (op->kind != SSDQOS_NAND_ERASE || p->registers) &&
	       suspend_read_waits(f, p);
}

/* When the array can begin to stop. */
static u64 suspend_from_ns(const struct ssdqos_flash *f,
			   const struct flash_plane *p,
			   const struct flash_op *op)
{
	u64 start_ns = p->use.start_ns;

	if (op->kind == SSDQOS_NAND_COPYBACK &&
	    !flash_suspend_of(f, p)->nr_times)
		start_ns += f->timing.read_ns;
	return max(f->now_ns, start_ns);
}

/* What the array does now makes way, if it can and a host read waits. */
void flash_suspend_ask(struct ssdqos_flash *f, struct flash_plane *p)
{
	struct flash_suspend *s = flash_suspend_of(f, p);
	u64 from_ns, stop_ns, end_ns;
	struct flash_op *op;

	if (p->array_op == SSDQOS_NIL)
		return;
	op = &f->ops[p->array_op];
	if (!suspend_can(f, p, op))
		return;
	from_ns = suspend_from_ns(f, p, op);
	stop_ns = from_ns + f->timing.suspend_ns[op->kind];
	end_ns = ssdqos_evq_time_ns(&f->evq, op->plane);
	if (stop_ns >= end_ns)
		return;		/* it will have ended */
	s->state = FLASH_SUSPEND_STOPPING;
	s->left_ns = end_ns - from_ns;
	ssdqos_evq_set(&f->evq, op->plane, stop_ns);
}

static void suspend_join(struct ssdqos_flash *f, struct flash_list *l,
			 const struct flash_list *behind)
{
	if (flash_list_empty(l)) {
		*l = *behind;
	} else if (!flash_list_empty(behind)) {
		f->ops[l->tail].next = behind->head;
		l->tail = behind->tail;
	}
}

/* The host reads that wait go before all else.  Returns their number. */
static u16 suspend_gather(struct ssdqos_flash *f, struct flash_plane *p)
{
	struct flash_list all = p->wait, rest;
	u16 nr = 0;

	flash_list_init(&p->wait);
	flash_list_init(&rest);
	while (!flash_list_empty(&all)) {
		struct flash_op *op = flash_ops_pop(f, &all);

		flash_ops_push(f, op->trip ? &p->wait : &rest, op);
		nr += !!op->trip;
	}
	suspend_join(f, &p->wait, &rest);
	f->stats.suspend_reads += nr;
	return nr;
}

static void suspend_note(struct ssdqos_flash *f, const struct flash_op *op)
{
	if (op->kind == SSDQOS_NAND_ERASE)
		f->stats.erase_suspends++;
	else
		f->stats.program_suspends++;
	if (flash_log_wants(f, SSDQOS_FLASH_EV_NAND_SUSPENDED))
		flash_log_op(f, SSDQOS_FLASH_EV_NAND_SUSPENDED, op);
}

/* The operation is the next to go on, behind the reads. */
static void suspend_hold(struct ssdqos_flash *f, struct flash_plane *p,
			 struct flash_op *op)
{
	struct flash_suspend *s = flash_suspend_of(f, p);
	struct flash_list behind = p->loaded;

	flash_list_init(&p->loaded);
	flash_ops_push(f, &p->loaded, op);
	suspend_join(f, &p->loaded, &behind);
	s->nr_times++;
	suspend_note(f, op);
	s->state = FLASH_SUSPEND_HELD;
	s->lent = op->kind != SSDQOS_NAND_ERASE;
	p->registers += s->lent;
	p->reads_first = suspend_gather(f, p);
}

/* The array has stopped: to make way, or because the operation has ended?  The caller
 * sees to what may begin.
 */
bool flash_suspend_stopped(struct ssdqos_flash *f, struct flash_plane *p,
			   struct flash_op *op)
{
	struct flash_suspend *s = flash_suspend_of(f, p);

	if (s->state == FLASH_SUSPEND_STOPPING) {
		suspend_hold(f, p, op);
		return true;
	}
	if (op->kind != SSDQOS_NAND_READ)
		s->nr_times = 0;
	return false;
}

/* The array does the rest of it. */
static void suspend_resume(struct ssdqos_flash *f, struct flash_plane *p,
			   struct flash_op *op)
{
	struct flash_suspend *s = flash_suspend_of(f, p);
	u64 rest_ns = f->timing.suspend_ns[op->kind] + s->left_ns;

	p->registers -= s->lent;
	s->state = FLASH_SUSPEND_NONE;
	s->lent = false;
	p->array_op = flash_op_index(f, op);
	ssdqos_evq_set(&f->evq, op->plane,
		       flash_serve(f, &p->use, op, f->now_ns, rest_ns));
	if (flash_log_wants(f, SSDQOS_FLASH_EV_NAND_RESUMED))
		flash_log_op(f, SSDQOS_FLASH_EV_NAND_RESUMED, op);
}

/* The reads that it made way for have left the array: it goes on, unless there are
 * more, or one of them is still in its register.  The caller sees to what may begin.
 */
static void suspend_end(struct ssdqos_flash *f, struct flash_plane *p)
{
	struct flash_suspend *s = flash_suspend_of(f, p);

	if (s->nr_times < FLASH_SUSPENDS_MOST)
		p->reads_first = suspend_gather(f, p);
	if (p->reads_first)
		s->nr_times++;
	else if (!s->lent || p->registers)
		suspend_resume(f, p, flash_ops_pop(f, &p->loaded));
}

/* The array is free: what is held goes on, or else the first page that is loaded is
 * programmed, for which reads may wait already.
 */
void flash_suspend_next(struct ssdqos_flash *f, struct flash_plane *p)
{
	if (flash_suspend_of(f, p)->state == FLASH_SUSPEND_HELD)
		suspend_end(f, p);
	else
		flash_array_start(f, p, flash_ops_pop(f, &p->loaded));
	flash_suspend_ask(f, p);
}

/* A register is free again, for which what is held may have waited.  Returns whether
 * it had: others may begin now.
 */
bool flash_suspend_freed(struct ssdqos_flash *f, struct flash_plane *p)
{
	if (flash_suspend_of(f, p)->state != FLASH_SUSPEND_HELD ||
	    p->array_op != SSDQOS_NIL || p->reads_first)
		return false;
	flash_suspend_next(f, p);
	return true;
}
