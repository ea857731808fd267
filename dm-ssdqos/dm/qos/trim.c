// SPDX-License-Identifier: GPL-2.0
/*
 * trim.c - discards of a drive's clients are kept, and sent later
 *
 *	map:  discard -> taken, ended at once .. work -> drive -> done
 *	      write   -> cuts what is kept; of what is under way: @held .. work .. @seen
 *	done: @seen   -> @held, since any of them may go now
 *
 * What a bio's way asks is in trim_ask.c, which calls nobody here; here is the
 * work, which lets bios go on their way.
 *
 * core/trim/trim.c decides what goes when; the work here asks it, since only a
 * process may submit bios.  While the drive has rules, each discard is also a
 * request without a guarantee: the batch is a stream of the scheduler.  It first
 * gets the drive's time and then chooses what to send, so that nothing that
 * waits for its turn keeps a write.
 *
 * Ranges are numbered by the sectors of the disk below, with a number for the
 * disk above them (qos_trim_find_base()), so that streams that share sectors see
 * each other's discards.  No two streams' ranges are merged.
 *
 * A stream that is suspended leaves nothing behind (qos_trim_leave()): its
 * discards are sent to the device of the table that took them.
 *
 * Locks: drive.h.  The work takes @mutex, so nobody waits for it who holds it.
 */
#include <linux/blkdev.h>
#include <linux/device-mapper.h>
#include <linux/jiffies.h>
#include <linux/ktime.h>
#include <linux/mm.h>
#include <linux/slab.h>

#include "compat.h"
#include "core/qos/discard.h"
#include "drive.h"
#include "trace.h"
#include "trim_batch.h"

#define DM_MSG_PREFIX "ssdqos"

/* A device that is suspended, or a message, waits no longer: what is still kept
 * then is forgotten, and counted.
 */
#define QOS_TRIM_FLUSH_S 30
/* Numbers of disks stand above all sectors of any. */
#define QOS_TRIM_DISK_SHIFT 48
/* Behind the last sector of any disk. */
#define QOS_TRIM_ALL (~0ULL)
/* Writes that are looked at in one hold of the lock. */
#define QOS_TRIM_HELD_STEP 64u

/* ---- sectors ---- */

/* Does a stream that is live use this number for another disk? */
static bool qos_trim_base_is_taken(const struct qos_drive *d, u64 base)
{
	const struct qos_stream *each;

	list_for_each_entry(each, &d->streams, list)
		if (each->below && each->trim_base == base)
			return true;
	return false;
}

/**
 * qos_trim_find_base - the number of the disk below a stream, for @trim_base
 * @st: the stream; no bio of it is under way
 * @below: the device with its data
 *
 * Context: @mutex is held until the stream has both, or another one may choose
 * the same number for another disk.
 * Return: that of the streams on the same disk, or a new one.
 */
u64 qos_trim_find_base(const struct qos_stream *st,
		       const struct block_device *below)
{
	const struct qos_drive *d = st->drive;
	const struct qos_stream *each;
	u64 base = 0;

	lockdep_assert_held(&d->mutex);
	list_for_each_entry(each, &d->streams, list)
		if (each != st && each->below &&
		    each->below->bd_disk == below->bd_disk)
			return each->trim_base;
	while (qos_trim_base_is_taken(d, base))
		base += 1ULL << QOS_TRIM_DISK_SHIFT;
	return base;
}

/* ---- batches come and go ---- */

static struct qos_trim_batch *
qos_trim_make(struct qos_drive *d, const struct ssdqos_trim_config *cfg)
{
	struct qos_trim_batch *b = kvzalloc(sizeof(*b), GFP_KERNEL);
	unsigned int i;

	if (!b)
		return NULL;
	if (ssdqos_trim_init(&b->core, cfg)) {
		kvfree(b);
		return NULL;
	}
	b->cfg = *cfg;
	INIT_LIST_HEAD(&b->free);
	INIT_LIST_HEAD(&b->granted);
	for (i = 0; i < b->core.cfg.depth; i++) {
		b->slots[i].drive = d;
		list_add_tail(&b->slots[i].list, &b->free);
	}
	return b;
}

/**
 * qos_trim_drop - a batch is not needed
 * @batch: nothing is kept in it; or NULL
 *
 * Context: may sleep.
 */
void qos_trim_drop(struct qos_trim_batch *batch)
{
	if (!batch)
		return;
	ssdqos_trim_exit(&batch->core);
	kvfree(batch);
}

/* What will be in force once nothing is kept any more. */
static struct qos_trim_batch *qos_trim_latest(const struct qos_trim *t)
{
	return t->replacing ? t->next : t->batch;
}

/**
 * qos_trim_prepare - get ready for parameters
 * @d: the drive
 * @cfg: the parameters
 * @next: gets what qos_trim_commit() takes
 * @err: QOS_ERR_BYTES for one sentence on failure
 *
 * Context: @mutex is held; may sleep.
 * Return: 0 or -ENOMEM.
 */
int qos_trim_prepare(struct qos_drive *d,
		     const struct ssdqos_qos_drive_config *cfg,
		     struct qos_trim_batch **next, char *err)
{
	struct qos_trim_batch *latest = qos_trim_latest(&d->trim);
	struct ssdqos_trim_config wanted;

	lockdep_assert_held(&d->mutex);
	*next = NULL;
	if (cfg->drive_trim == SSDQOS_QOS_TRIM_PASS)
		return 0;
	ssdqos_qos_trim_config(cfg, d->trim.granule_bytes, &wanted);
	*next = latest;
	if (latest && !memcmp(&latest->cfg, &wanted, sizeof(wanted)))
		return 0;
	*next = qos_trim_make(d, &wanted);
	if (*next)
		return 0;
	scnprintf(err, QOS_ERR_BYTES, "drive_trim_ranges: no memory for %u",
		  wanted.max_ranges);
	return -ENOMEM;
}

static void qos_trim_join(struct qos_drive *d, struct qos_trim_batch *b,
			  u64 now_ns)
{
	char err[QOS_ERR_BYTES];

	/* a drive with all the streams that it may have gives it no time of its
	 * own: it sends when nobody else does, and when it has to
	 */
	b->joined = !ssdqos_edf_add(ssdqos_apart_writes(&d->edf), &b->edf, now_ns, err,
				    sizeof(err));
}

static void qos_trim_add_stats(struct ssdqos_trim_stats *sum,
			       const struct ssdqos_trim_stats *more)
{
	const u64 *from = (const u64 *)more;
	u64 *to = (u64 *)sum;
	unsigned int i;

	for (i = 0; i < SSDQOS_NR_TRIM_STATS; i++)
		to[i] += from[i];
}

/* Nothing is kept: what shall be in force is.  Return: what was, or NULL. */
static struct qos_trim_batch *qos_trim_replace(struct qos_drive *d, u64 now_ns)
{
	struct qos_trim *t = &d->trim;
	struct qos_trim_batch *old = t->batch;

	if (old) {
		qos_trim_add_stats(&t->gone, &old->core.stats);
		if (old->joined)
			ssdqos_edf_remove(&old->edf);
	}
	t->batch = t->next;
	t->next = NULL;
	t->replacing = false;
	if (t->batch)
		qos_trim_join(d, t->batch, now_ns);
	return old;
}

/* Is nothing kept, under way, or asked for? */
static bool qos_trim_is_empty(const struct qos_trim *t)
{
	const struct qos_trim_batch *b = t->batch;

	return !b || (ssdqos_trim_is_empty(&b->core) && !b->nr_out);
}

/**
 * qos_trim_commit - parameters are in force
 * @d: the drive
 * @next: of qos_trim_prepare()
 * @now_ns: the time
 *
 * What is kept is sent before it changes.
 * Context: the drive's lock and its mutex are held.
 * Return: for qos_trim_drop(), without the lock.
 */
struct qos_trim_batch *qos_trim_commit(struct qos_drive *d,
				       struct qos_trim_batch *next, u64 now_ns)
{
	struct qos_trim *t = &d->trim;
	struct qos_trim_batch *old;

	lockdep_assert_held(&d->lock);
	if (next == qos_trim_latest(t))
		return NULL;
	old = t->replacing ? t->next : NULL;
	t->replacing = next != t->batch;
	t->next = t->replacing ? next : NULL;
	if (t->replacing && !t->busy)
		return qos_trim_replace(d, now_ns);
	if (t->replacing)
		ssdqos_trim_flush(&t->batch->core, 0, QOS_TRIM_ALL);
	else if (t->batch && !t->flushers)
		ssdqos_trim_end_flush(&t->batch->core);
	qos_trim_kick(d);
	return old;
}

/* After each change of what is kept.  The drive's lock is held.
 * Return: for qos_trim_drop(), or NULL.
 */
static struct qos_trim_batch *qos_trim_settle(struct qos_drive *d, u64 now_ns)
{
	struct qos_trim *t = &d->trim;
	bool busy = !qos_trim_is_empty(t);

	if (t->busy != busy)
		WRITE_ONCE(t->busy, busy);
	if (t->flushers)
		wake_up_all(&t->wait);
	if (!busy && t->replacing)
		return qos_trim_replace(d, now_ns);
	if (t->batch && t->batch->core.flushing && !t->flushers &&
	    !t->replacing &&
	    !ssdqos_trim_has(&t->batch->core, t->batch->core.flush_start,
			     t->batch->core.flush_end))
		ssdqos_trim_end_flush(&t->batch->core);
	return NULL;
}

/* ---- what is kept is sent ---- */

/* How many requests have come so far. */
static u64 qos_trim_requests(struct qos_drive *d)
{
	struct qos_counts sum;
	u64 nr = d->seq;
	unsigned int i;

	qos_drive_counts(d, &sum);
	for (i = 0; i < SSDQOS_EDF_NR_KINDS; i++)
		nr += sum.nr[i];
	return nr;
}

/* Has the drive requests of anybody, as far as the scheduler knows? */
static bool qos_trim_is_disturbed(const struct qos_drive *d,
				  const struct qos_trim_batch *b)
{
	return ssdqos_apart_queued(&d->edf) + ssdqos_apart_in_flight(&d->edf) >
	       b->edf.queued + b->edf.in_flight;
}

/* Asks the scheduler for the drive's time, if it is there for that.  A slot that
 * gets it at once is the last one of those granted.
 */
static void qos_trim_apply_for(struct qos_drive *d, struct qos_trim_batch *b,
			       struct qos_trim_slot *slot, u64 now_ns)
{
	enum ssdqos_edf_verdict verdict = SSDQOS_EDF_GO;

	b->nr_out++;
	slot->run = NULL;
	/* the one that it had may be gone by the time it is used again */
	slot->stream = NULL;
	slot->managed = b->joined && (ssdqos_apart_is_configured(&d->edf) ||
				     b->edf.queued);
	slot->req.cost_ns =
		ssdqos_edf_trim_cost(ssdqos_apart_writes(&d->edf), &b->core);
	if (slot->managed) {
		slot->req.kind = SSDQOS_EDF_KIND_DISCARD;
		slot->req.bytes = 0;
		verdict = ssdqos_edf_submit(&b->edf, &slot->req, 0,
					    SSDQOS_EDF_FLAG_COST, now_ns);
	}
	if (verdict == SSDQOS_EDF_GO)
		list_move_tail(&slot->list, &b->granted);
	else
		list_del_init(&slot->list);
}

/* A slot is not used any more, after a discard or without. */
static void qos_trim_give_back(struct qos_trim_batch *b,
			       struct qos_trim_slot *slot,
			       enum ssdqos_edf_outcome outcome, u64 now_ns)
{
	struct qos_drive *d = slot->drive;
	u32 nr;

	list_add(&slot->list, &b->free);
	b->nr_out--;
	if (!slot->managed)
		return;
	nr = ssdqos_edf_complete(&slot->req, outcome, now_ns, d->said);
	if (nr)
		qos_tell_add(d, slot->stream, d->said, nr);
}

/* The stream with these sectors; it does not go as long as any are kept. */
static struct qos_stream *qos_trim_stream(const struct qos_drive *d, u32 id)
{
	return container_of(ssdqos_edf_at(d->edf.reads, id), struct qos_stream,
			    edf.reads);
}

static void qos_trim_end_io(struct bio *bio);

/* What was chosen becomes a bio. */
static void qos_trim_fill(struct qos_trim_slot *slot, u64 now_ns)
{
	const struct ssdqos_trim_run *run = slot->run;
	struct qos_stream *st = slot->stream;
	struct bio *bio = &slot->bio;

	bio_init(bio, st->below, NULL, 0, REQ_OP_DISCARD);
	bio->bi_iter.bi_sector = run->start - qos_trim_base(st, st->below);
	bio->bi_iter.bi_size = (u32)(run->end - run->start) << SECTOR_SHIFT;
	bio->bi_end_io = qos_trim_end_io;
	bio->bi_private = slot;
	slot->sent_ns = now_ns;
	trace_ssdqos_trim_sent(st, run, now_ns);
}

/* Chooses what goes by a slot that was granted.  @send: gets it.  Return: nothing
 * was found, and there is more to look at.
 */
static bool qos_trim_choose_for(struct qos_drive *d, struct qos_trim_batch *b,
				struct qos_trim_slot *slot,
				struct list_head *send, u64 now_ns)
{
	list_del_init(&slot->list);
	slot->run = ssdqos_trim_next(&b->core, now_ns);
	if (slot->run) {
		slot->stream = qos_trim_stream(d, slot->run->area);
		list_add_tail(&slot->list, send);
		return false;
	}
	qos_trim_give_back(b, slot, SSDQOS_EDF_REFUSED, now_ns);
	return ssdqos_trim_wants(&b->core, now_ns);
}

/* Chooses by the slots that were granted before, then asks for one after the
 * other: what one of them gets is not there for the next.  Return: so much was
 * left out as too small that the rest has to wait for the next hold of the lock.
 */
static bool qos_trim_choose(struct qos_drive *d, struct qos_trim_batch *b,
			    struct list_head *send, u64 now_ns)
{
	struct qos_trim_slot *slot;

	for (;;) {
		slot = list_first_entry_or_null(&b->granted,
						struct qos_trim_slot, list);
		if (slot) {
			if (qos_trim_choose_for(d, b, slot, send, now_ns))
				return true;
			continue;
		}
		if (!qos_trim_may_ask(b) ||
		    !ssdqos_trim_wants(&b->core, now_ns))
			return false;
		slot = list_first_entry(&b->free, struct qos_trim_slot, list);
		qos_trim_apply_for(d, b, slot, now_ns);
	}
}

/* Writes that wait for nothing any more go their way.  Return: there are more to
 * look at.
 */
static bool qos_trim_let_go(struct qos_drive *d, u64 now_ns)
{
	struct qos_trim *t = &d->trim;
	u32 left = QOS_TRIM_HELD_STEP;
	struct bio *bio;

	while (left-- && (bio = bio_list_pop(&t->held))) {
		struct qos_stream *st = qos_io_stream_of(bio);
		u64 start = qos_trim_start(st, bio);

		if (t->batch &&
		    ssdqos_trim_holds(&t->batch->core, start,
				      start + bio_sectors(bio)))
			bio_list_add(&t->seen, bio);
		else
			qos_io_go_on(st, bio, now_ns);
	}
	return !bio_list_empty(&t->held);
}

/* Something has ended that writes may have waited for. */
static void qos_trim_look_again(struct qos_trim *t)
{
	bio_list_merge(&t->held, &t->seen);
	bio_list_init(&t->seen);
}

static void qos_trim_send(struct list_head *send)
{
	struct qos_trim_slot *slot;
	struct blk_plug plug;

	blk_start_plug(&plug);
	while (!list_empty(send)) {
		slot = list_first_entry(send, struct qos_trim_slot, list);
		/* it may have ended, and be used again, before this returns */
		list_del_init(&slot->list);
		submit_bio(&slot->bio);
	}
	blk_finish_plug(&plug);
}

static void qos_trim_work(struct work_struct *work)
{
	struct qos_drive *d = container_of(to_delayed_work(work),
					   struct qos_drive, trim.work);
	unsigned int noio = qos_drive_lock(d);
	struct qos_trim_batch *b, *old;
	struct qos_trim_slot *slot;
	u64 requests, now_ns;
	LIST_HEAD(send);
	bool more = false;

	requests = qos_trim_requests(d);
	now_ns = qos_io_change_begin(d);
	d->trim.armed_ns = SSDQOS_NEVER_NS;
	b = d->trim.batch;
	if (b) {
		ssdqos_trim_see(&b->core, requests,
				qos_trim_is_disturbed(d, b), now_ns);
		more = qos_trim_choose(d, b, &send, now_ns);
	}
	more |= qos_trim_let_go(d, now_ns);
	old = qos_trim_settle(d, now_ns);
	if (more)
		qos_trim_kick(d);
	else
		qos_trim_arm(d, now_ns);
	qos_io_change_end(d, now_ns);
	/* streams with discards under way stay */
	list_for_each_entry(slot, &send, list)
		qos_trim_fill(slot, now_ns);
	qos_drive_unlock(d, noio);
	qos_trim_drop(old);
	qos_trim_send(&send);
}

/* When it begins that all fail, and when it ends.  The drive's lock is held. */
static void qos_trim_tell(struct qos_drive *d, u64 now_ns)
{
	const struct ssdqos_trim *core = &d->trim.batch->core;
	bool failing = ssdqos_trim_is_failing(core);
	const struct ssdqos_watch_event event = {
		.kind = failing ? SSDQOS_WATCH_TRIM_FAILING :
				  SSDQOS_WATCH_TRIM_OK,
		.time_ns = now_ns,
		.failed = core->stats.failed,
	};

	if (failing == d->trim.failing || (!failing && core->failed))
		return;
	d->trim.failing = failing;
	qos_tell_add(d, NULL, &event, 1);
}

/* The last access to the drive is with its lock: who waits for this to end takes
 * it, too, before the drive may go.
 */
static void qos_trim_end_io(struct bio *bio)
{
	struct qos_trim_slot *slot = bio->bi_private;
	struct qos_drive *d = slot->drive;
	bool failed = bio->bi_status;
	unsigned long flags;
	u64 now_ns;

	bio_uninit(bio);
	spin_lock_irqsave(&d->lock, flags);
	now_ns = ktime_get_ns();
	trace_ssdqos_trim_done(slot->stream, slot->run, now_ns - slot->sent_ns,
			       failed);
	ssdqos_trim_done(&d->trim.batch->core, slot->run,
			 now_ns - slot->sent_ns, failed);
	qos_trim_tell(d, now_ns);
	qos_trim_give_back(d->trim.batch, slot,
			   failed ? SSDQOS_EDF_FAILED : SSDQOS_EDF_DONE, now_ns);
	qos_trim_look_again(&d->trim);
	qos_trim_kick(d);
	spin_unlock_irqrestore(&d->lock, flags);
}

/* ---- all goes ---- */

/* With the lock, so that the last slot's way back is over. */
static bool qos_trim_is_idle(struct qos_drive *d)
{
	bool idle;

	spin_lock_irq(&d->lock);
	idle = qos_trim_is_empty(&d->trim);
	spin_unlock_irq(&d->lock);
	return idle;
}

/* With the lock, so that the last discard's end is over. */
static bool qos_trim_has_gone(struct qos_drive *d, u64 start, u64 end)
{
	unsigned long flags;
	bool gone;

	spin_lock_irqsave(&d->lock, flags);
	gone = !d->trim.batch ||
	       !ssdqos_trim_has(&d->trim.batch->core, start, end);
	spin_unlock_irqrestore(&d->lock, flags);
	return gone;
}

static void qos_trim_begin_flush(struct qos_drive *d, u64 start, u64 end)
{
	u64 now_ns = qos_io_change_begin(d);
	struct qos_trim *t = &d->trim;

	t->flushers++;
	if (t->batch) {
		ssdqos_trim_flush(&t->batch->core, start, end);
		if (t->batch->joined)
			ssdqos_edf_drain(&t->batch->edf, true, now_ns);
		qos_trim_kick(d);
	}
	qos_io_change_end(d, now_ns);
}

static void qos_trim_end_flush(struct qos_drive *d)
{
	u64 now_ns = qos_io_change_begin(d);
	struct qos_trim *t = &d->trim;

	t->flushers--;
	if (t->batch && !t->flushers) {
		if (t->batch->joined)
			ssdqos_edf_drain(&t->batch->edf, false, now_ns);
		qos_trim_kick(d);
	}
	qos_io_change_end(d, now_ns);
}

/* What the drive has not taken in time is forgotten: it was a hint. */
static void qos_trim_forget(struct qos_drive *d, u64 start, u64 end)
{
	spin_lock_irq(&d->lock);
	while (d->trim.batch && start < end) {
		start = ssdqos_trim_forget(&d->trim.batch->core, start, end);
		spin_unlock_irq(&d->lock);
		spin_lock_irq(&d->lock);
	}
	qos_trim_kick(d);
	spin_unlock_irq(&d->lock);
}

/**
 * qos_trim_leave - a stream's device is suspended: nothing of it stays
 * @st: the stream; no bio of it is under way
 * @start: its first sector on the device with its data
 * @sectors: its length
 *
 * Context: sleeps; no mutex is held.
 */
void qos_trim_leave(struct qos_stream *st, u64 start, u64 sectors)
{
	struct qos_drive *d = st->drive;
	u64 end;

	if (!READ_ONCE(d->trim.busy) || !st->below)
		return;
	start += qos_trim_base(st, st->below);
	end = start + sectors;
	qos_trim_begin_flush(d, start, end);
	if (!wait_event_timeout(d->trim.wait, qos_trim_has_gone(d, start, end),
				QOS_TRIM_FLUSH_S * HZ)) {
		DMWARN("%u:%u: the drive has not taken all discards in %d s",
		       MAJOR(st->dev), MINOR(st->dev), QOS_TRIM_FLUSH_S);
		qos_trim_forget(d, start, end);
		wait_event(d->trim.wait, qos_trim_has_gone(d, start, end));
	}
	qos_trim_end_flush(d);
}

/**
 * qos_trim_flush - all that is kept goes from now on
 * @d: the drive
 *
 * Context: may sleep.
 */
void qos_trim_flush(struct qos_drive *d)
{
	qos_trim_begin_flush(d, 0, QOS_TRIM_ALL);
	qos_trim_end_flush(d);
}

/**
 * qos_trim_sync - all that is kept has gone, and the drive has done it
 * @d: the drive
 *
 * Context: sleeps; no mutex is held.
 * Return: 0, -ETIMEDOUT, or -ERESTARTSYS.
 */
int qos_trim_sync(struct qos_drive *d)
{
	long left;

	qos_trim_begin_flush(d, 0, QOS_TRIM_ALL);
	left = wait_event_killable_timeout(d->trim.wait,
					   qos_trim_has_gone(d, 0, QOS_TRIM_ALL),
					   QOS_TRIM_FLUSH_S * HZ);
	qos_trim_end_flush(d);
	if (left < 0)
		return (int)left;
	return left ? 0 : -ETIMEDOUT;
}

/* ---- the drive ---- */

/**
 * qos_trim_init - prepare a drive
 * @d: the drive
 * @granule_bytes: of the disk, as it says; 0 if it says nothing
 */
void qos_trim_init(struct qos_drive *d, u32 granule_bytes)
{
	struct qos_trim *t = &d->trim;

	t->granule_bytes = granule_bytes;
	t->armed_ns = SSDQOS_NEVER_NS;
	bio_list_init(&t->held);
	bio_list_init(&t->seen);
	init_waitqueue_head(&t->wait);
	INIT_DELAYED_WORK(&t->work, qos_trim_work);
}

/**
 * qos_trim_stop - nothing comes any more
 * @d: the drive; it has no streams, but its timer and its lanes still work
 *
 * Slots may yet wait for the scheduler, or have got time for what was written
 * over meanwhile.  All of them come back, so that neither the timer nor a lane
 * finds one and starts the work again.
 * Context: sleeps.
 */
void qos_trim_stop(struct qos_drive *d)
{
	struct qos_trim *t = &d->trim;
	struct qos_trim_batch *batch;

	qos_trim_begin_flush(d, 0, QOS_TRIM_ALL);
	wait_event(t->wait, qos_trim_is_idle(d));
	cancel_delayed_work_sync(&t->work);
	spin_lock_irq(&d->lock);
	batch = t->batch;
	if (batch && batch->joined)
		ssdqos_edf_remove(&batch->edf);
	t->batch = NULL;
	spin_unlock_irq(&d->lock);
	qos_trim_drop(batch);
	qos_trim_drop(t->next);
}

/**
 * qos_trim_look - what is kept now, and what was done
 * @d: the drive
 * @now_ns: the time
 * @look: filled
 *
 * Context: the drive's lock is held.
 */
void qos_trim_look(struct qos_drive *d, u64 now_ns, struct qos_trim_look *look)
{
	const struct qos_trim_batch *b = d->trim.batch;
	const struct ssdqos_range *oldest;

	*look = (struct qos_trim_look) { .stats = d->trim.gone };
	if (!b)
		return;
	oldest = b->core.waiting.oldest;
	look->on = true;
	look->waiting = b->core.waiting.nr;
	look->waiting_sectors = b->core.waiting.sectors;
	look->under_way = b->core.nr_under_way;
	look->cost_ns = b->core.cost_ns;
	if (oldest)
		look->oldest_ms = div64_u64(now_ns - oldest->since_ns,
					    NSEC_PER_MSEC);
	qos_trim_add_stats(&look->stats, &b->core.stats);
}
