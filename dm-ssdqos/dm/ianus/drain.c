// SPDX-License-Identifier: GPL-2.0
/*
 * drain.c - all that is in a mirror's cache is written to all members, and it rests
 */
#include <linux/device-mapper.h>

#include "ianus.h"

/* All that is in the cache has to be written to all members when a mirror is suspended.
 * Drives answer within their time-outs; who does nothing for longer than this has failed.
 */
#define IANUS_DRAIN_S 600
/* If it is the metadata only that can't be written, so long: nobody's data wait for them. */
#define IANUS_DRAIN_META_S 30

static bool ianus_is_idle(struct ianus *x)
{
	bool idle;

	spin_lock_irq(&x->lock);
	idle = x->resting && !x->in_flight;
	spin_unlock_irq(&x->lock);
	return idle;
}

/**
 * ianus_halt - no instructions any more; those that were given end
 * @x: the mirror
 *
 * Context: may sleep, until devices have answered.
 */
void ianus_halt(struct ianus *x)
{
	/* the work looks at it and writes it with the lock, and must not undo this */
	spin_lock_irq(&x->lock);
	x->resting = true;
	spin_unlock_irq(&x->lock);
	wait_event(x->idle, ianus_is_idle(x));
	/* what runs now may set the timer, and the timer may let it run again */
	flush_workqueue(x->wq);
	hrtimer_cancel(&x->timer);
	flush_workqueue(x->wq);
}

static bool ianus_lacks_metadata(struct ianus *x)
{
	bool lacks;

	spin_lock_irq(&x->lock);
	lacks = ssdqos_mirror_lacks_metadata(&x->mirror);
	spin_unlock_irq(&x->lock);
	return lacks;
}

static u64 ianus_left(struct ianus *x)
{
	u64 left;

	spin_lock_irq(&x->lock);
	left = ssdqos_mirror_left(&x->mirror);
	spin_unlock_irq(&x->lock);
	return left;
}

/**
 * ianus_drain - write all that is in the cache, and rest
 * @x: the mirror; no client's bio is under way
 *
 * Context: may sleep: as long as less and less is left, and IANUS_DRAIN_S more, or twice
 * IANUS_DRAIN_META_S if only the metadata can't be written, and then until devices have answered.
 * Return: whether all members that are used have all.
 */
bool ianus_drain(struct ianus *x)
{
	u64 least = U64_MAX, left;
	u32 waited_s = 0;

	spin_lock_irq(&x->lock);
	ssdqos_mirror_drain(&x->mirror, true, ktime_get_ns());
	spin_unlock_irq(&x->lock);
	ianus_kick(x);
	while (waited_s < IANUS_DRAIN_S &&
	       !wait_event_timeout(x->idle, ianus_is_idle(x), IANUS_DRAIN_META_S * HZ) &&
	       !ianus_lacks_metadata(x)) {
		left = ianus_left(x);
		/* slow is not dead: who gives up loses what was answered */
		waited_s = left < least ? 0 : waited_s + IANUS_DRAIN_META_S;
		least = min(least, left);
	}
	ianus_halt(x);
	return !x->mirror.broken && ssdqos_mirror_is_drained(&x->mirror);
}
