// SPDX-License-Identifier: GPL-2.0
/*
 * qos_io.c - bios pass the scheduler; qos_drive.h has the picture
 *
 * While no rule is in force on a drive, bios pass as with dm-linear, and only
 * per-CPU counters know of them.  A bio that passed that way stays unknown to
 * the scheduler when rules come into force before it ends.  The same holds for
 * writes and the lifetime; reads never see it.
 */
#include <linux/blkdev.h>
#include <linux/device-mapper.h>
#include <linux/ktime.h>
#include <linux/percpu.h>

#include "compat.h"
#include "qos_drive.h"
#include "qos_trace.h"

static struct bio *qos_io_bio(struct qos_io *io)
{
	return dm_bio_from_per_bio_data(io, sizeof(*io));
}

static struct qos_stream *qos_io_stream(const struct qos_io *io)
{
	return container_of(io->req.stream, struct qos_stream, edf);
}

/* ---- the work: bios that have waited go to the drive, or end ---- */

static void qos_io_submit(struct bio *bio)
{
	struct qos_io *io = dm_per_bio_data(bio, sizeof(*io));

	if (io->managed)
		trace_ssdqos_qos_request_dispatched(qos_io_stream(io), io);
	dm_submit_bio_remap(bio, NULL);
}

/* What comes alone, as with clients that have one request at a time, has nothing
 * to be plugged together with.
 */
static void qos_io_submit_all(struct bio_list *go)
{
	bool plugged = go->head != go->tail;
	struct blk_plug plug;
	struct bio *bio;

	if (plugged)
		blk_start_plug(&plug);
	while ((bio = bio_list_pop(go)))
		qos_io_submit(bio);
	if (plugged)
		blk_finish_plug(&plug);
}

/* This is the second bio_endio() of it: end_io kept the first one.  What a
 * bio's end does below us has been done by then.
 */
static void qos_io_finish(struct bio *bio)
{
	struct qos_io *io = dm_per_bio_data(bio, sizeof(*io));

	io->finished = true;
	bio_endio(bio);
}

/* Takes what there is for the work; false if there is nothing. */
static bool qos_io_take(struct qos_drive *d, struct bio_list *go,
			struct bio_list *done)
{
	bool found;

	spin_lock_irq(&d->lock);
	*go = d->go;
	*done = d->done;
	bio_list_init(&d->go);
	bio_list_init(&d->done);
	found = !bio_list_empty(go) || !bio_list_empty(done);
	if (!found)
		d->kicked = false;
	spin_unlock_irq(&d->lock);
	return found;
}

static void qos_io_work(struct work_struct *work)
{
	struct qos_drive *d = container_of(work, struct qos_drive, work);
	struct bio_list go, done;
	struct bio *bio;

	while (qos_io_take(d, &go, &done)) {
		qos_io_submit_all(&go);
		while ((bio = bio_list_pop(&done)))
			qos_io_finish(bio);
		cond_resched();
	}
}

/* Has the work look at the bios that may go, when qos_io_pump() said so; with the
 * drive's lock held or not.
 */
static void qos_io_kick(struct qos_drive *d)
{
	queue_work(ssdqos_qos_wq, &d->work);
}

/* Sets the timer; one that fires too early is cheaper than moving it. */
static void qos_io_arm(struct qos_drive *d)
{
	u64 wake_ns = min(ssdqos_edf_wake_ns(d->edf),
			  ssdqos_ready_wake_ns(d->ready));

	if (wake_ns >= d->armed_ns)
		return;
	d->armed_ns = wake_ns;
	hrtimer_start(&d->timer, ns_to_ktime(wake_ns), HRTIMER_MODE_ABS);
}

/* ---- what bios are ---- */

static u8 qos_io_kind(const struct bio *bio)
{
	switch (bio_op(bio)) {
	case REQ_OP_READ:
		return SSDQOS_EDF_KIND_READ;
	case REQ_OP_WRITE:
	case REQ_OP_ZONE_APPEND:
		return bio_sectors(bio) ? SSDQOS_EDF_KIND_WRITE :
					  SSDQOS_EDF_KIND_FLUSH;
	case REQ_OP_FLUSH:
		return SSDQOS_EDF_KIND_FLUSH;
	default:
		/* drives unmap what shall be erased or read as zeroes; and
		 * resets of zones and the like
		 */
		return SSDQOS_EDF_KIND_DISCARD;
	}
}

/* What holds others up when it waits.  Writes to zones must not overtake each
 * other.
 */
static u32 qos_io_flags(const struct bio *bio, u8 kind)
{
	if (kind == SSDQOS_EDF_KIND_FLUSH)
		return SSDQOS_EDF_FLAG_URGENT |
		       (bdev_write_cache(bio->bi_bdev) ? 0 :
			SSDQOS_EDF_FLAG_NO_CACHE);
	if (bio->bi_opf & (REQ_META | REQ_SWAP) &&
	    (kind == SSDQOS_EDF_KIND_READ || !bdev_is_zoned(bio->bi_bdev)))
		return SSDQOS_EDF_FLAG_URGENT;
	return 0;
}

static void qos_io_count(struct qos_stream *st, const struct bio *bio,
			 const struct qos_io *io)
{
	if (bio_op(bio) == REQ_OP_WRITE_ZEROES)
		this_cpu_add(st->counts->unseen_bytes, io->req.bytes);
	if (io->req.kind == SSDQOS_EDF_KIND_WRITE && !io->throttled)
		this_cpu_add(st->counts->bypassed_bytes, io->req.bytes);
	if (io->managed)
		return;
	this_cpu_inc(st->counts->nr[io->req.kind]);
	switch (io->req.kind) {
	case SSDQOS_EDF_KIND_READ:
		this_cpu_add(st->counts->read_bytes, io->req.bytes);
		break;
	case SSDQOS_EDF_KIND_WRITE:
		this_cpu_add(st->counts->write_bytes, io->req.bytes);
		this_cpu_add(st->counts->unseen_bytes, io->req.bytes);
		break;
	}
}

/* When a bio that waits goes, its submitter is gone: nobody could try again,
 * or poll for it.
 */
static void qos_io_will_wait(struct bio *bio)
{
	bio->bi_opf &= ~(REQ_NOWAIT | REQ_POLLED);
}

/* Zones are written in order: nothing may overtake what is about to go. */
static bool qos_io_must_follow(const struct qos_drive *d, const struct bio *bio)
{
	return READ_ONCE(d->kicked) && bdev_is_zoned(bio->bi_bdev);
}

/* REQ_NOWAIT is for the device below, where a submitter might sleep: it may
 * refuse.  To wait here keeps no submitter, so nothing is refused here, as in
 * blk-throttle.  io_uring asks for it with every request, and would send each
 * refused one again from a thread of its own, for twice the CPU time.
 *
 * The drive's lock is held.  Return: DM_MAPIO_*.
 */
static int qos_io_schedule(struct qos_stream *st, struct bio *bio,
			   struct qos_io *io, u64 now_ns)
{
	struct qos_drive *d = st->drive;
	u32 flags = qos_io_flags(bio, io->req.kind);

	lockdep_assert_held(&d->lock);
	io->managed = d->edf->configured;
	qos_io_count(st, bio, io);
	if (io->managed &&
	    ssdqos_edf_submit(&st->edf, &io->req, io->sector, flags, now_ns) !=
	    SSDQOS_EDF_GO) {
		qos_io_will_wait(bio);
		trace_ssdqos_qos_request_queued(st, io, now_ns);
		return DM_MAPIO_SUBMITTED;
	}
	if (likely(!qos_io_must_follow(d, bio)))
		return DM_MAPIO_REMAPPED;
	bio_list_add(&d->go, bio);
	return DM_MAPIO_SUBMITTED;
}

/* ---- what waits goes ---- */

static void qos_io_release(struct qos_drive *d, struct ssdqos_ready_req *req,
			   u64 now_ns)
{
	struct qos_io *io = container_of(req, struct qos_io, ready);
	struct qos_stream *st = container_of(req->stream, struct qos_stream,
					     ready);
	struct bio *bio = qos_io_bio(io);

	trace_ssdqos_ready_released(st, io, now_ns);
	if (qos_io_schedule(st, bio, io, now_ns) == DM_MAPIO_REMAPPED)
		bio_list_add(&d->go, bio);
}

/* Takes out of the scheduler and the lifetime what may go, or end.  The
 * drive's lock is held.
 * Return: true if the caller shall call qos_io_kick().
 */
static bool qos_io_pump(struct qos_drive *d, u64 now_ns)
{
	struct ssdqos_ready_req *write;
	struct ssdqos_edf_req *req;

	lockdep_assert_held(&d->lock);
	while ((write = ssdqos_ready_next(d->ready, now_ns)))
		qos_io_release(d, write, now_ns);
	while ((req = ssdqos_edf_next(d->edf, now_ns)))
		bio_list_add(&d->go,
			     qos_io_bio(container_of(req, struct qos_io, req)));
	while ((write = ssdqos_ready_next_done(d->ready, now_ns)))
		bio_list_add(&d->done,
			     qos_io_bio(container_of(write, struct qos_io,
						     ready)));
	qos_io_arm(d);
	if (d->kicked ||
	    (bio_list_empty(&d->go) && bio_list_empty(&d->done)))
		return false;
	d->kicked = true;
	return true;
}

static enum hrtimer_restart qos_io_timer(struct hrtimer *timer)
{
	struct qos_drive *d = container_of(timer, struct qos_drive, timer);
	unsigned long flags;

	spin_lock_irqsave(&d->lock, flags);
	d->armed_ns = SSDQOS_NEVER_NS;
	if (qos_io_pump(d, ktime_get_ns()))
		qos_io_kick(d);
	spin_unlock_irqrestore(&d->lock, flags);
	return HRTIMER_NORESTART;
}

/**
 * qos_io_init - prepare a drive for bios
 * @d: the drive
 */
void qos_io_init(struct qos_drive *d)
{
	bio_list_init(&d->go);
	bio_list_init(&d->done);
	INIT_WORK(&d->work, qos_io_work);
	hrtimer_setup(&d->timer, qos_io_timer, CLOCK_MONOTONIC,
		      HRTIMER_MODE_ABS);
	d->armed_ns = SSDQOS_NEVER_NS;
}

/**
 * qos_io_stop - no bio will come any more
 * @d: the drive; it has no streams
 *
 * Context: sleeps.
 */
void qos_io_stop(struct qos_drive *d)
{
	hrtimer_cancel(&d->timer);
	cancel_work_sync(&d->work);
}

/* ---- bios come ---- */

/* May it pass without anybody being asked? */
static bool qos_io_is_free(const struct qos_drive *d, const struct bio *bio,
			   const struct qos_io *io)
{
	if (READ_ONCE(d->edf->configured) || qos_io_must_follow(d, bio))
		return false;
	return io->req.kind != SSDQOS_EDF_KIND_WRITE ||
	       !READ_ONCE(d->ready->enforcing);
}

/* A write that only is counted: somebody has to look from time to time. */
static void qos_io_note(struct qos_drive *d, const struct qos_io *io)
{
	unsigned long flags;

	if (likely(!READ_ONCE(d->ready->counting) || READ_ONCE(d->looking)) ||
	    io->req.kind != SSDQOS_EDF_KIND_WRITE)
		return;
	spin_lock_irqsave(&d->lock, flags);
	if (!d->looking)
		qos_watch_start_looking(d);
	spin_unlock_irqrestore(&d->lock, flags);
}

/* Does the lifetime let it go?  The drive's lock is held. */
static bool qos_io_throttle(struct qos_stream *st, struct bio *bio,
			    struct qos_io *io, u64 now_ns)
{
	u8 kind = io->req.kind;

	if (kind != SSDQOS_EDF_KIND_WRITE || !st->drive->ready->enforcing)
		return true;
	io->throttled = true;
	io->ready.bytes = io->req.bytes;
	io->ready.urgent = qos_io_flags(bio, kind) & SSDQOS_EDF_FLAG_URGENT;
	/* who polls for it would not find its delay */
	bio->bi_opf &= ~REQ_POLLED;
	if (ssdqos_ready_submit(&st->ready, &io->ready, now_ns))
		return true;
	qos_io_will_wait(bio);
	if (io->ready.until_ns)
		trace_ssdqos_ready_delayed(st, io, now_ns);
	else
		trace_ssdqos_ready_stopped(st, io);
	return false;
}

/* The drive's lock is held.  Return: DM_MAPIO_*. */
static int qos_io_enter(struct qos_stream *st, struct bio *bio,
			struct qos_io *io, bool *kick)
{
	struct qos_drive *d = st->drive;
	u64 now_ns = ktime_get_ns();
	int r = DM_MAPIO_SUBMITTED;

	lockdep_assert_held(&d->lock);
	io->seq = d->seq++;
	if (unlikely(!d->looking))
		qos_watch_start_looking(d);
	if (qos_io_throttle(st, bio, io, now_ns))
		r = qos_io_schedule(st, bio, io, now_ns);
	if (r == DM_MAPIO_SUBMITTED)
		*kick = qos_io_pump(d, now_ns);
	return r;
}

/**
 * qos_io_map - a bio comes
 * @st: the stream
 * @bio: a clone, remapped
 * @sector: where it begins in the segment
 *
 * Context: process.
 * Return: DM_MAPIO_*.
 */
int qos_io_map(struct qos_stream *st, struct bio *bio, u64 sector)
{
	struct qos_io *io = dm_per_bio_data(bio, sizeof(*io));
	struct qos_drive *d = st->drive;
	unsigned long flags;
	bool kick = false;
	int r;

	io->req.kind = qos_io_kind(bio);
	io->req.bytes = bio->bi_iter.bi_size;
	io->sector = sector;
	io->managed = false;
	io->throttled = false;
	io->finished = false;
	if (qos_io_is_free(d, bio, io)) {
		qos_io_count(st, bio, io);
		qos_io_note(d, io);
		return DM_MAPIO_REMAPPED;
	}
	spin_lock_irqsave(&d->lock, flags);
	r = qos_io_enter(st, bio, io, &kick);
	spin_unlock_irqrestore(&d->lock, flags);
	if (kick)
		qos_io_kick(d);
	if (r == DM_MAPIO_REMAPPED && io->managed)
		trace_ssdqos_qos_request_dispatched(st, io);
	return r;
}

/* ---- bios end ---- */

/* Who would have to sleep for it below sends it again. */
static enum ssdqos_edf_outcome qos_io_outcome(blk_status_t error)
{
	if (likely(!error))
		return SSDQOS_EDF_DONE;
	return error == BLK_STS_AGAIN ? SSDQOS_EDF_REFUSED : SSDQOS_EDF_FAILED;
}

/* Does its delay begin?  The drive's lock is held.  Errors are told at once;
 * dm takes the place of an append from a bio's end, so it has only one.
 */
static bool qos_io_is_late(struct qos_stream *st, const struct bio *bio,
			   struct qos_io *io, blk_status_t error, u64 now_ns)
{
	if (!io->throttled || error || bio_op(bio) == REQ_OP_ZONE_APPEND ||
	    !ssdqos_ready_complete(&io->ready, now_ns))
		return false;
	trace_ssdqos_ready_delayed(st, io, now_ns);
	return true;
}

/**
 * qos_io_end - the drive has done a bio
 * @st: the stream
 * @bio: the bio
 * @error: its status
 *
 * Context: any.
 * Return: DM_ENDIO_*; of a bio that is not done yet, the work is the next one
 * to touch it, maybe before this returns.
 */
int qos_io_end(struct qos_stream *st, struct bio *bio, blk_status_t error)
{
	struct qos_io *io = dm_per_bio_data(bio, sizeof(*io));
	struct ssdqos_watch_event events[SSDQOS_WATCH_MAX_EVENTS];
	struct qos_drive *d = st->drive;
	unsigned long flags;
	u64 now_ns;
	bool late;
	u32 nr = 0;

	if (io->finished || !(io->managed || io->throttled))
		return DM_ENDIO_DONE;
	spin_lock_irqsave(&d->lock, flags);
	now_ns = ktime_get_ns();
	if (io->managed) {
		nr = ssdqos_edf_complete(&io->req, qos_io_outcome(error),
					 now_ns, events);
		trace_ssdqos_qos_request_completed(st, io, now_ns);
	}
	if (unlikely(nr))
		qos_watch_add(d, st, events, nr);
	late = qos_io_is_late(st, bio, io, error, now_ns);
	/* with the lock: a bio that is late keeps the drive only until then */
	if (qos_io_pump(d, now_ns))
		qos_io_kick(d);
	spin_unlock_irqrestore(&d->lock, flags);
	return late ? DM_ENDIO_INCOMPLETE : DM_ENDIO_DONE;
}

/* ---- changes ---- */

/**
 * qos_io_change_begin - keep bios out, to change what lets them go
 * @d: the drive
 *
 * Context: irqs on; the drive's lock is held on return.
 * Return: time, for the change and for qos_io_change_end().
 */
u64 qos_io_change_begin(struct qos_drive *d)
	__acquires(&d->lock)
{
	spin_lock_irq(&d->lock);
	return ktime_get_ns();
}

/**
 * qos_io_change_end - let go what may go after a change
 * @d: the drive
 * @now_ns: what qos_io_change_begin() returned
 *
 * Context: the drive's lock is held, and no more on return.
 */
void qos_io_change_end(struct qos_drive *d, u64 now_ns)
	__releases(&d->lock)
{
	bool kick = qos_io_pump(d, now_ns);

	spin_unlock_irq(&d->lock);
	if (kick)
		qos_io_kick(d);
}

/**
 * qos_io_drain - let all bios of a stream go, whatever its rules say
 * @st: the stream
 * @draining: or not any more
 *
 * Context: may sleep.
 */
void qos_io_drain(struct qos_stream *st, bool draining)
{
	u64 now_ns = qos_io_change_begin(st->drive);

	ssdqos_edf_drain(&st->edf, draining, now_ns);
	ssdqos_ready_drain(&st->ready, draining);
	qos_io_change_end(st->drive, now_ns);
}

/**
 * qos_io_add_counts - what passed without the scheduler
 * @st: the stream
 * @sum: grows by the sum over all CPUs, since the stream was made
 *
 * Context: any.
 */
void qos_io_add_counts(const struct qos_stream *st, struct qos_counts *sum)
{
	unsigned int cpu, i;

	for_each_possible_cpu(cpu) {
		const struct qos_counts *c = per_cpu_ptr(st->counts, cpu);

		for (i = 0; i < SSDQOS_EDF_NR_KINDS; i++)
			sum->nr[i] += c->nr[i];
		sum->read_bytes += c->read_bytes;
		sum->write_bytes += c->write_bytes;
		sum->bypassed_bytes += c->bypassed_bytes;
		sum->unseen_bytes += c->unseen_bytes;
	}
}
