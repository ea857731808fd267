// SPDX-License-Identifier: GPL-2.0
/*
 * work.c - what makes a mirror go: its work, its begin and its end
 *
 * The work asks the mirror what is to be done until there is nothing, begins that, ends
 * flushes, lets writes in, notes what others should hear of, and sets the timer.
 */
#include <linux/device-mapper.h>
#include <linux/blkdev.h>

#include "ianus.h"

#define DM_MSG_PREFIX "ssdqos-ianus"

/* Instructions that are begun before others' turns are looked at. */
#define IANUS_BATCH 64u

/* ---- the work ---- */

/* Is there an instruction?  If all is done and nothing comes, that was the last one. */
static bool ianus_ask(struct ianus *x, struct ssdqos_mirror_op *op)
{
	lockdep_assert_held(&x->lock);
	if (x->resting)
		return false;
	x->asked_ns = ktime_get_ns();
	if (ssdqos_mirror_next(&x->mirror, op, x->asked_ns)) {
		x->in_flight += op->kind != SSDQOS_MIRROR_OP_AGAIN;
		return true;
	}
	x->resting = x->mirror.draining && !x->in_flight &&
		     ssdqos_mirror_is_drained(&x->mirror);
	return false;
}

/* Who asks must have memory for the answer, and more than half of the time there is none:
 * that memory is for the next time, as kernels that clear what they allocate take as long
 * for it as for the answer.
 */
static struct ianus_op *ianus_blank(struct ianus *x)
{
	struct ianus_op *op = x->spare;

	x->spare = NULL;
	return op ? op : mempool_alloc(&x->ops, GFP_NOIO);
}

/* The next instruction; NULL if there is none. */
static struct ianus_op *ianus_next(struct ianus *x)
{
	struct ianus_op *op = ianus_blank(x);
	bool more;

	do {
		spin_lock_irq(&x->lock);
		more = ianus_ask(x, &op->op);
		spin_unlock_irq(&x->lock);
		cond_resched();
	} while (more && op->op.kind == SSDQOS_MIRROR_OP_AGAIN);
	if (more) {
		op->mirror = x;
		return op;
	}
	x->spare = op;
	return NULL;
}

/* What has become due since the mirror was asked is not done yet: the timer ends at once. */
static void ianus_set_timer(struct ianus *x)
{
	u64 wake_ns;

	spin_lock_irq(&x->lock);
	wake_ns = min(ssdqos_mirror_wake_ns(&x->mirror, x->asked_ns),
		      x->accept_ns);
	if (x->resting)
		wake_ns = SSDQOS_NEVER_NS;
	spin_unlock_irq(&x->lock);
	if (wake_ns == SSDQOS_NEVER_NS)
		hrtimer_try_to_cancel(&x->timer);
	else if (!hrtimer_is_queued(&x->timer) ||
		 hrtimer_get_expires(&x->timer) != ns_to_ktime(wake_ns))
		hrtimer_start(&x->timer, ns_to_ktime(wake_ns), HRTIMER_MODE_ABS);
}

/**
 * ianus_work - go on with all there is
 * @work: of a mirror
 */
void ianus_work(struct work_struct *work)
{
	struct ianus *x = container_of(work, struct ianus, work);
	struct ianus_op *op;
	struct blk_plug plug;
	u32 n = 0;

	ianus_retry(x);
	ianus_journal_work(x);
	blk_start_plug(&plug);
	while (n++ < IANUS_BATCH && (op = ianus_next(x)))
		ianus_begin(op);
	blk_finish_plug(&plug);
	ianus_end_flushes(x);
	ianus_let_in(x, ktime_get_ns());
	ianus_note_news(x);
	if (n > IANUS_BATCH)
		ianus_kick(x);
	else
		ianus_set_timer(x);
	if (READ_ONCE(x->resting))
		wake_up_all(&x->idle);
}

/**
 * ianus_timer - the time has come
 * @timer: of a mirror
 */
enum hrtimer_restart ianus_timer(struct hrtimer *timer)
{
	ianus_kick(container_of(timer, struct ianus, timer));
	return HRTIMER_NORESTART;
}

/* ---- begin and end ---- */

/**
 * ianus_start - the first resume: read the metadata, and begin
 * @x: the mirror
 * @err: gets one sentence on failure
 *
 * Context: may sleep.
 * Return: 0 or a negative error.
 */
int ianus_start(struct ianus *x, char *err)
{
	struct ssdqos_mirror_known known;
	u32 i;
	int r;

	ianus_unnoted_begin(x);
	r = ianus_meta_load(x, &known, err);
	if (r)
		return r;
	ianus_unnoted_tell(x, &known);
	r = ianus_journal_look(x, &known.rebuild, err);
	if (r)
		return r;
	x->mirror.out = ianus_absent(x);
	if (!(x->mirror.all & (u8)~(x->mirror.out | known.rebuild))) {
		scnprintf(err, IANUS_ERR_BYTES,
			  "members: none that is here has all, and what they lack is not known");
		return -ENXIO;
	}
	ssdqos_mirror_start(&x->mirror, &known, ktime_get_ns());
	if (x->mirror.lost_regions)
		DMERR("%u regions: what was newest there is on a member that is not here",
		      x->mirror.lost_regions);
	for (i = 0; i < x->nr; i++)
		x->states[i] = x->mirror.members[i].state;
	r = ianus_journal_begin(x, err);
	x->spoiled = r;
	/* from now on a status says what was read */
	spin_lock_irq(&x->lock);
	x->resumed = !r;
	spin_unlock_irq(&x->lock);
	if (r)
		ianus_halt(x);
	return r;
}

/**
 * ianus_go_on - clients may come
 * @x: the mirror
 *
 * Context: may sleep.
 */
void ianus_go_on(struct ianus *x)
{
	spin_lock_irq(&x->lock);
	x->resting = false;
	ssdqos_mirror_drain(&x->mirror, false, ktime_get_ns());
	spin_unlock_irq(&x->lock);
	ianus_kick(x);
}

/**
 * ianus_stop - write all that is in the cache, and rest
 * @x: the mirror; no client's bio is under way
 *
 * Context: may sleep, as ianus_drain().
 */
void ianus_stop(struct ianus *x)
{
	bool drained;

	if (!x->resumed)
		return;
	drained = ianus_drain(x);
	if (ssdqos_mirror_knows(&x->mirror))
		ianus_unnoted_forget(x);
	else
		ianus_unnoted_keep(x);
	if (drained) {
		ianus_journal_rest(x);
		return;
	}
	if (x->mirror.cache.used)
		DMERR("%u blocks could not be written to all members",
		      x->mirror.cache.used);
	if (!ssdqos_mirror_knows(&x->mirror))
		DMERR("the metadata could not be written: they do not say what who failed lacks");
}
