// SPDX-License-Identifier: GPL-2.0
/*
 * op.c - what the mirror has given has ended
 */
#include "ianus.h"

/**
 * ianus_ended - one of those who are under way has ended
 * @x: the mirror
 *
 * Context: the lock is held: who waits for the last one frees all when it has the lock.
 */
void ianus_ended(struct ianus *x)
{
	lockdep_assert_held(&x->lock);
	ianus_kick(x);
	x->in_flight--;
	if (x->resting)
		wake_up_all(&x->idle);
}

/**
 * ianus_op_done - an instruction was carried out
 * @op: the instruction; it is freed
 * @failed: members that have failed at it, a bit each; of metadata, whether it did
 *
 * Context: any.
 */
void ianus_op_done(struct ianus_op *op, u32 failed)
{
	struct ianus *x = op->mirror;
	unsigned long flags;

	spin_lock_irqsave(&x->lock, flags);
	if (op->op.kind == SSDQOS_MIRROR_OP_MAP ||
	    op->op.kind == SSDQOS_MIRROR_OP_SUPER)
		ianus_meta_written(x, &op->op, failed);
	ssdqos_mirror_done(&x->mirror, &op->op, failed, ktime_get_ns());
	mempool_free(op, &x->ops);
	ianus_ended(x);
	spin_unlock_irqrestore(&x->lock, flags);
}
