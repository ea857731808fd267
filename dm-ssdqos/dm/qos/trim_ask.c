// SPDX-License-Identifier: GPL-2.0
/*
 * trim_ask.c - what a bio's way asks of the discards that are kept; trim.c has
 * the picture
 *
 * io.c asks whether a bio is to be taken, or has to wait, and says which of the
 * scheduler's requests are granted.  What is done about it is the work's.
 */
#include <linux/blkdev.h>
#include <linux/jiffies.h>
#include <linux/ktime.h>

#include "core/qos/discard.h"
#include "drive.h"
#include "trace.h"
#include "trim_batch.h"

/**
 * qos_trim_arm - set when the work looks again
 * @d: the drive
 * @now_ns: time
 *
 * Context: the drive's lock is held.
 */
void qos_trim_arm(struct qos_drive *d, u64 now_ns)
{
	struct qos_trim *t = &d->trim;
	u64 wake_ns = t->batch ? ssdqos_trim_wake_ns(&t->batch->core) :
				 SSDQOS_NEVER_NS;

	/* without a slot for it, what comes back looks */
	if (wake_ns == SSDQOS_NEVER_NS || !qos_trim_may_ask(t->batch) ||
	    wake_ns >= t->armed_ns)
		return;
	t->armed_ns = wake_ns;
	mod_delayed_work(d->trim_wq, &t->work, wake_ns <= now_ns ? 0 :
			 nsecs_to_jiffies(wake_ns - now_ns) + 1);
}

/* ---- the scheduler has given time ---- */

/**
 * qos_trim_owns - is it one of the batch's requests?
 * @d: the drive
 * @req: a request
 *
 * Context: the drive's lock is held.
 */
bool qos_trim_owns(const struct qos_drive *d, const struct ssdqos_edf_req *req)
{
	return d->trim.batch && req->stream == &d->trim.batch->edf;
}

/**
 * qos_trim_granted - the scheduler gives time for a discard
 * @d: the drive
 * @req: for which qos_trim_owns()
 *
 * Context: the drive's lock is held.
 */
void qos_trim_granted(struct qos_drive *d, struct ssdqos_edf_req *req)
{
	list_add_tail(&qos_trim_slot_of(req)->list, &d->trim.batch->granted);
	qos_trim_kick(d);
}

/* ---- bios come ---- */

/* Zones are reset, not discarded. */
static bool qos_trim_may_take(const struct bio *bio)
{
	return bio_op(bio) == REQ_OP_DISCARD && !bdev_is_zoned(bio->bi_bdev);
}

static enum qos_trim_verdict
qos_trim_take(struct qos_stream *st, struct bio *bio, struct qos_io *io,
	      bool first)
{
	u64 start = qos_trim_start(st, bio), end = start + bio_sectors(bio);
	struct qos_drive *d = st->drive;
	u64 at = start, until = start;
	struct ssdqos_edf_stream *s;
	unsigned long flags;
	u64 now_ns;

	spin_lock_irqsave(&d->lock, flags);
	now_ns = ktime_get_ns();
	s = ssdqos_apart_side(&d->edf, &st->edf, io->req.kind);
	if (!d->trim.batch ||
	    (first && !ssdqos_edf_pass(s, &io->req, now_ns)))
		goto out;
	while (d->trim.batch && at < end) {
		until = ssdqos_trim_take(&d->trim.batch->core, st->edf.reads.id, at,
					 end, now_ns);
		if (until == at)
			break;
		at = until;
		WRITE_ONCE(d->trim.busy, true);
		qos_trim_arm(d, now_ns);
		spin_unlock_irqrestore(&d->lock, flags);
		spin_lock_irqsave(&d->lock, flags);
	}
	if (at == end)
		trace_ssdqos_trim_taken(st, start, end);
	else if (first)
		ssdqos_edf_pass_back(s, &io->req);
out:
	spin_unlock_irqrestore(&d->lock, flags);
	return at == end ? QOS_TRIM_TAKEN : QOS_TRIM_GO_ON;
}

/* A write, or whatever else is not to be discarded. */
static enum qos_trim_verdict qos_trim_cut(struct qos_stream *st,
					  struct bio *bio, struct qos_io *io)
{
	u64 start = qos_trim_start(st, bio), end = start + bio_sectors(bio);
	enum qos_trim_verdict verdict = QOS_TRIM_GO_ON;
	struct qos_trim *t = &st->drive->trim;
	u64 at = start, waiting = 0;
	unsigned long flags;

	spin_lock_irqsave(&st->drive->lock, flags);
	if (t->batch)
		waiting = t->batch->core.stats.cut_sectors;
	while (t->batch &&
	       (at = ssdqos_trim_cut(&t->batch->core, at, end)) < end) {
		spin_unlock_irqrestore(&st->drive->lock, flags);
		spin_lock_irqsave(&st->drive->lock, flags);
	}
	if (t->batch && ssdqos_trim_holds(&t->batch->core, start, end)) {
		t->batch->core.stats.held++;
		qos_io_will_wait(bio);
		bio_list_add(&t->held, bio);
		verdict = QOS_TRIM_HELD;
	}
	if (t->batch && (verdict != QOS_TRIM_GO_ON ||
			 t->batch->core.stats.cut_sectors != waiting))
		trace_ssdqos_trim_cut(st, start, end,
				      t->batch->core.stats.cut_sectors - waiting,
				      verdict == QOS_TRIM_HELD);
	spin_unlock_irqrestore(&st->drive->lock, flags);
	return verdict;
}

/**
 * qos_trim_ask - what has a bio to do with discards that are kept?
 * @st: the stream
 * @bio: a clone, remapped; no read
 * @io: what is known of it
 * @first: it has not waited for its client's maximum
 *
 * Context: process.
 * Return: enum qos_trim_verdict.
 */
enum qos_trim_verdict qos_trim_ask(struct qos_stream *st, struct bio *bio,
				   struct qos_io *io, bool first)
{
	const struct qos_trim *t = &st->drive->trim;

	if (!bio_sectors(bio))
		return QOS_TRIM_GO_ON;
	if (qos_trim_may_take(bio))
		return READ_ONCE(t->batch) ?
			       qos_trim_take(st, bio, io, first) :
			       QOS_TRIM_GO_ON;
	if (!first || !READ_ONCE(t->busy))
		return QOS_TRIM_GO_ON;
	return qos_trim_cut(st, bio, io);
}
