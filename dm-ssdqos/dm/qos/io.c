// SPDX-License-Identifier: GPL-2.0
/*
 * io.c - bios pass the scheduler; drive.h has the picture
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
#include "dm/common/bio_keep.h"
#include "drive.h"
#include "trace.h"

/* So many go, or end, in one hold of the lock: some ten microseconds without
 * interrupts.  The work does the rest, with as many at a time.
 */
#define IO_BATCH 64u

static struct bio *qos_io_bio(struct qos_io *io)
{
	return dm_bio_from_per_bio_data(io, sizeof(*io));
}

/* The scheduler's view of a client that a request belongs to. */
static struct ssdqos_edf_stream *qos_io_side(struct qos_stream *st,
					     const struct qos_io *io)
{
	return ssdqos_apart_side(&st->drive->edf, &st->edf, io->req.kind);
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
	case REQ_OP_WRITE_ZEROES:
		if (bio->bi_opf & REQ_NOUNMAP)
			return SSDQOS_EDF_KIND_WRITE;
		fallthrough;
	default:
		/* drives unmap what shall be erased or read as zeroes; and
		 * resets of zones and the like
		 */
		return SSDQOS_EDF_KIND_DISCARD;
	}
}

/* Has the block layer below to flush the drive behind it, as the drive knows no
 * write that does not stay in its cache?
 */
static bool qos_io_is_flushed(const struct bio *bio)
{
	return bio->bi_opf & REQ_FUA && bdev_write_cache(bio->bi_bdev) &&
	       !bdev_fua(bio->bi_bdev);
}

/* What holds others up when it waits.  Writes to zones must not overtake each
 * other.
 */
static inline u32 qos_io_flags(const struct bio *bio, u8 kind)
{
	u32 flags = 0;

	if (kind == SSDQOS_EDF_KIND_FLUSH)
		return SSDQOS_EDF_FLAG_URGENT |
		       (bdev_write_cache(bio->bi_bdev) ? 0 :
			SSDQOS_EDF_FLAG_NO_CACHE);
	if (bio->bi_opf & (REQ_META | REQ_SWAP) &&
	    (kind == SSDQOS_EDF_KIND_READ || !bdev_is_zoned(bio->bi_bdev)))
		flags |= SSDQOS_EDF_FLAG_URGENT;
	if (unlikely(qos_io_is_flushed(bio)))
		flags |= SSDQOS_EDF_FLAG_FLUSHED;
	return flags;
}

/* Zeroes move the write pointer of a zone; elsewhere drives unmap where they may. */
static bool qos_io_wears(const struct bio *bio, u8 kind)
{
	return kind == SSDQOS_EDF_KIND_WRITE ||
	       (bio_op(bio) == REQ_OP_WRITE_ZEROES &&
		bdev_is_zoned(bio->bi_bdev));
}

static void qos_io_add(struct qos_cpu_sums *c, const struct bio *bio,
		       const struct qos_io *io)
{
	u32 bytes = io->req.bytes;

	if (bio_op(bio) == REQ_OP_WRITE_ZEROES &&
	    io->req.kind != SSDQOS_EDF_KIND_WRITE)
		u64_stats_add(&c->unseen_bytes, bytes);
	if (!io->throttled && qos_io_wears(bio, io->req.kind))
		u64_stats_add(&c->bypassed_bytes, bytes);
	if (io->managed)
		return;
	u64_stats_inc(&c->nr[io->req.kind]);
	switch (io->req.kind) {
	case SSDQOS_EDF_KIND_READ:
		u64_stats_add(&c->read_bytes, bytes);
		break;
	case SSDQOS_EDF_KIND_WRITE:
		u64_stats_add(&c->write_bytes, bytes);
		u64_stats_add(&c->unseen_bytes, bytes);
		break;
	}
}

/* Nothing of it costs more than this_cpu_add() where words have 64 bits; where
 * they don't, who adds up must not see one half of a sum.  What the drive has
 * refused is counted apart: whoever sends it again is not counted twice.
 */
static noinline void qos_io_count_here(struct qos_stream *st,
				       const struct bio *bio,
				       const struct qos_io *io, bool refused)
{
	struct qos_cpu_counts *c = get_cpu_ptr(st->counts);
	unsigned long flags;

	flags = u64_stats_update_begin_irqsave(&c->sync);
	qos_io_add(refused ? &c->refused : &c->sent, bio, io);
	u64_stats_update_end_irqrestore(&c->sync, flags);
	put_cpu_ptr(st->counts);
}

/* Reads that are scheduled count there. */
static void qos_io_count(struct qos_stream *st, const struct bio *bio,
			 const struct qos_io *io, bool refused)
{
	if (!io->managed || io->req.kind != SSDQOS_EDF_KIND_READ)
		qos_io_count_here(st, bio, io, refused);
}

static struct qos_lane *qos_io_lane(struct qos_drive *d, const struct bio *bio)
{
	return &d->lanes[bio_op(bio) == REQ_OP_READ ? QOS_LANE_READ :
						       QOS_LANE_OTHER];
}

/* The drive's lock is held. */
static void qos_io_go(struct qos_drive *d, struct bio *bio)
{
	bio_list_add(&qos_io_lane(d, bio)->go, bio);
}

/* Zones are written in order: nothing may overtake what is about to go.  The
 * drive's lock is held.
 */
static bool qos_io_must_follow(struct qos_drive *d, const struct bio *bio)
{
	return qos_io_lane(d, bio)->kicked && bdev_is_zoned(bio->bi_bdev);
}

/* A request ends a step of the debt if it is the first one after it; or, if none
 * comes, one that goes.  The drive's lock is held.
 */
static noinline void qos_io_trace_debt(const struct qos_stream *st, u64 now_ns)
{
	struct ssdqos_debt_change change;

	if (ssdqos_edf_take_debt_change(ssdqos_apart_writes(&st->drive->edf),
					now_ns, &change))
		trace_ssdqos_qos_debt_changed(st, &change);
}

/* The scheduler is asked; without a call, for it is on everybody's way.
 * Return: it goes now.
 */
static __always_inline bool
qos_io_may_go(struct qos_stream *st, struct qos_io *io, u32 flags, u64 now_ns)
{
	enum ssdqos_edf_verdict verdict =
		ssdqos_edf_submit(qos_io_side(st, io), &io->req, io->sector,
				  flags, now_ns);

	if (trace_ssdqos_qos_debt_changed_enabled())
		qos_io_trace_debt(st, now_ns);
	return verdict == SSDQOS_EDF_GO;
}

/* REQ_NOWAIT is for the device below, where a submitter might sleep: it may
 * refuse.  To wait here keeps no submitter, so nothing is refused here, as in
 * blk-throttle.  io_uring asks for it with every request, and would send each
 * refused one again from a thread of its own, for twice the CPU time.
 *
 * Without a call, too.  The drive's lock is held.  Return: DM_MAPIO_*.
 */
static __always_inline int
qos_io_schedule(struct qos_stream *st, struct bio *bio, struct qos_io *io,
		u64 now_ns)
{
	struct qos_drive *d = st->drive;
	u32 flags = qos_io_flags(bio, io->req.kind);

	lockdep_assert_held(&d->lock);
	/* what waits may have done so for a rule that is gone */
	io->managed = ssdqos_apart_is_configured(&d->edf) ||
		      qos_io_side(st, io)->queued;
	qos_io_count(st, bio, io, false);
	/* it takes a place of the drive, and who looks for it himself may not look */
	if (io->managed)
		bio->bi_opf &= ~REQ_POLLED;
	if (io->managed && !qos_io_may_go(st, io, flags, now_ns)) {
		qos_io_will_wait(bio);
		trace_ssdqos_qos_request_queued(st, io, now_ns);
		return DM_MAPIO_SUBMITTED;
	}
	if (likely(!qos_io_must_follow(d, bio)))
		return DM_MAPIO_REMAPPED;
	qos_io_will_wait(bio);
	qos_io_go(d, bio);
	return DM_MAPIO_SUBMITTED;
}

/* ---- what waits goes ---- */

/* Has the work look at the bios that may go, when qos_io_pump() said so.  The
 * drive's lock is held only by who may lose the drive with it.  @kick: lanes
 */
static void qos_io_kick(struct qos_drive *d, u32 kick)
{
	for (; kick; kick &= kick - 1)
		queue_work(d->wq, &d->lanes[__ffs(kick)].work);
}

/* Does the lifetime hold a write back? */
static bool qos_io_writes_wait(const struct qos_drive *d)
{
	const struct ssdqos_evq *heaps = d->ready->heaps;

	return heaps[SSDQOS_READY_STOPPED].nr | heaps[SSDQOS_READY_BEFORE].nr |
	       heaps[SSDQOS_READY_AFTER].nr;
}

/* Sets the timer; one that fires too early is cheaper than moving it.  With the
 * lock: of two who set it, the last one has to know of the earlier time.
 * @writes: some wait for the lifetime
 */
static void qos_io_arm(struct qos_drive *d, bool writes)
{
	u64 wake_ns = ssdqos_apart_wake_ns(&d->edf);

	if (writes)
		wake_ns = min(wake_ns, ssdqos_ready_wake_ns(d->ready));
	if (wake_ns >= d->armed_ns)
		return;
	d->armed_ns = wake_ns;
	hrtimer_start(&d->timer, ns_to_ktime(wake_ns), HRTIMER_MODE_ABS);
}

/* Without rules: does nobody wait, and is nothing in force that would make
 * anybody wait?
 */
static bool qos_io_is_calm(const struct qos_drive *d)
{
	const struct ssdqos_ready *r = d->ready;

	return !d->lanes[QOS_LANE_READ].kicked &&
	       !d->lanes[QOS_LANE_OTHER].kicked && !d->more &&
	       !ssdqos_apart_queued(&d->edf) && !r->enforcing &&
	       !r->heaps[SSDQOS_READY_STOPPED].nr &&
	       !r->heaps[SSDQOS_READY_BEFORE].nr;
}

/* Who sees it calm also sees all written that has waited: writes to zones pass
 * freely then, and must not overtake.
 */
static inline void qos_io_settle(struct qos_drive *d)
{
	bool calm = !ssdqos_apart_is_configured(&d->edf) && qos_io_is_calm(d);

	if (d->calm != calm)
		smp_store_release(&d->calm, calm); /* to qos_io_is_free() */
}

static void qos_io_release(struct qos_drive *d, struct ssdqos_ready_req *req,
			   u64 now_ns)
{
	struct qos_io *io = container_of(req, struct qos_io, ready);
	struct qos_stream *st = container_of(req->stream, struct qos_stream,
					     ready);
	struct bio *bio = qos_io_bio(io);

	trace_ssdqos_ready_released(st, io, now_ns);
	if (qos_io_schedule(st, bio, io, now_ns) == DM_MAPIO_REMAPPED)
		qos_io_go(d, bio);
}

static void qos_io_done(struct qos_drive *d, struct ssdqos_ready_req *req)
{
	bio_list_add(&d->done,
		     qos_io_bio(container_of(req, struct qos_io, ready)));
}

/* The disk has gone: what has not been sent ends with an error. */
static void qos_io_fail(struct qos_drive *d, struct ssdqos_ready_req *req)
{
	qos_io_bio(container_of(req, struct qos_io, ready))->bi_status =
		BLK_STS_IOERR;
	qos_io_done(d, req);
}

static void qos_io_granted(struct qos_drive *d, struct qos_io *io, u64 now_ns)
{
	if (trace_ssdqos_qos_debt_changed_enabled())
		qos_io_trace_debt(io->stream, now_ns);
	qos_io_go(d, qos_io_bio(io));
}

/* Takes out of the scheduler and the lifetime what may go, or end; leaves the
 * rest for the next time, and notes that in @more.
 */
static noinline void qos_io_fill(struct qos_drive *d, u64 now_ns)
{
	struct ssdqos_ready_req *write;
	struct ssdqos_edf_req *req;
	u32 left = IO_BATCH;
	bool writes;

	lockdep_assert_held(&d->lock);
	for (; left && d->lost &&
	     (write = ssdqos_ready_fail(d->ready, now_ns)); left--)
		qos_io_fail(d, write);
	writes = qos_io_writes_wait(d);
	for (; left && writes &&
	     (write = ssdqos_ready_next(d->ready, now_ns)); left--)
		qos_io_release(d, write, now_ns);
	for (; left && ssdqos_apart_may_go(&d->edf) &&
	     (req = ssdqos_apart_next(&d->edf, now_ns)); left--) {
		if (unlikely(qos_trim_owns(d, req)))
			qos_trim_granted(d, req);
		else
			qos_io_granted(d, container_of(req, struct qos_io, req),
				       now_ns);
	}
	for (; left && writes &&
	     (write = ssdqos_ready_next_done(d->ready, now_ns)); left--)
		qos_io_done(d, write);
	d->more = !left;
	if (!d->more && (writes || ssdqos_apart_may_go(&d->edf)))
		qos_io_arm(d, writes);
}

/* Might qos_io_fill() find something?  With most requests it would not: the drive
 * has all that it may have, or nobody waits.
 */
static bool qos_io_may_fill(const struct qos_drive *d)
{
	return ssdqos_apart_may_go(&d->edf) || d->more || qos_io_writes_wait(d);
}

/* Has a lane's work something to do? */
static bool qos_io_has_work(const struct qos_drive *d, enum qos_lane_id id)
{
	return !bio_list_empty(&d->lanes[id].go) ||
	       (id == QOS_LANE_READ && (d->more || !bio_list_empty(&d->done)));
}

/* Whoever may have let bios go calls it.  The drive's lock is held.
 * Return: lanes for which the caller shall call qos_io_kick(), a bit for each.
 */
static u32 qos_io_pump(struct qos_drive *d, u64 now_ns)
{
	enum qos_lane_id id;
	u32 kick = 0;

	if (qos_io_may_fill(d))
		qos_io_fill(d, now_ns);
	for (id = 0; id < QOS_NR_LANES; id++) {
		if (d->lanes[id].kicked || !qos_io_has_work(d, id))
			continue;
		d->lanes[id].kicked = true;
		kick |= BIT(id);
	}
	qos_io_settle(d);
	return kick;
}

static enum hrtimer_restart qos_io_timer(struct hrtimer *timer)
{
	struct qos_drive *d = container_of(timer, struct qos_drive, timer);
	unsigned long flags;
	u32 kick;

	spin_lock_irqsave(&d->lock, flags);
	d->armed_ns = SSDQOS_NEVER_NS;
	kick = qos_io_pump(d, ktime_get_ns());
	spin_unlock_irqrestore(&d->lock, flags);
	qos_io_kick(d, kick);	/* qos_io_stop() waits for us */
	return HRTIMER_NORESTART;
}

/* ---- the work: bios that have waited go to the drive, or end ---- */

static void qos_io_submit(struct bio *bio)
{
	struct qos_io *io = dm_per_bio_data(bio, sizeof(*io));

	if (io->managed)
		trace_ssdqos_qos_request_dispatched(io->stream, io);
	if (io->managed && bio_op(bio) == REQ_OP_DISCARD &&
	    qos_trim_ask(io->stream, bio, io, false) == QOS_TRIM_TAKEN)
		bio_endio(bio);
	else
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

/**
 * qos_io_again - a bio is to be sent again, by who may sleep
 * @bio: a clone that nothing is known of yet
 *
 * Context: process.
 * Return: DM_MAPIO_*.
 */
int qos_io_again(struct bio *bio)
{
	bio->bi_status = BLK_STS_AGAIN;
	qos_io_finish(bio);
	return DM_MAPIO_SUBMITTED;
}

/* Takes what there is for a lane's work; false if there is nothing. */
static bool qos_io_take(struct qos_lane *lane, struct bio_list *go,
			struct bio_list *done)
{
	struct qos_drive *d = lane->drive;
	enum qos_lane_id id = lane - d->lanes;
	u32 kick = 0;
	bool found;

	spin_lock_irq(&d->lock);
	if (d->more)
		kick = qos_io_pump(d, ktime_get_ns());
	found = qos_io_has_work(d, id);
	*go = lane->go;
	bio_list_init(&lane->go);
	bio_list_init(done);
	if (id == QOS_LANE_READ) {
		*done = d->done;
		bio_list_init(&d->done);
	}
	lane->kicked = found;
	qos_io_settle(d);
	spin_unlock_irq(&d->lock);
	qos_io_kick(d, kick);
	return found;
}

static void qos_io_work(struct work_struct *work)
{
	struct qos_lane *lane = container_of(work, struct qos_lane, work);
	struct bio_list go, done;
	struct bio *bio;

	while (qos_io_take(lane, &go, &done)) {
		qos_io_submit_all(&go);
		while ((bio = bio_list_pop(&done)))
			qos_io_finish(bio);
		cond_resched();
	}
}

static void qos_io_init_lane(struct qos_drive *d, struct qos_lane *lane)
{
	bio_list_init(&lane->go);
	INIT_WORK(&lane->work, qos_io_work);
	lane->drive = d;
}

/**
 * qos_io_init - prepare a drive for bios
 * @d: the drive
 */
void qos_io_init(struct qos_drive *d)
{
	unsigned int i;

	for (i = 0; i < QOS_NR_LANES; i++)
		qos_io_init_lane(d, &d->lanes[i]);
	bio_list_init(&d->done);
	d->calm = true;
	hrtimer_setup(&d->timer, qos_io_timer, CLOCK_MONOTONIC,
		      HRTIMER_MODE_ABS);
	d->armed_ns = SSDQOS_NEVER_NS;
}

/**
 * qos_io_stop - no bio will come any more
 * @d: the drive; it has no streams, so the work finds nothing to set the timer for
 *
 * Context: sleeps.
 */
void qos_io_stop(struct qos_drive *d)
{
	unsigned int i;

	hrtimer_cancel(&d->timer);
	for (i = 0; i < QOS_NR_LANES; i++)
		cancel_work_sync(&d->lanes[i].work);
}

/* ---- bios come ---- */

/* May it pass without anybody being asked? */
static bool qos_io_is_free(const struct qos_drive *d, const struct bio *bio,
			   const struct qos_io *io)
{
	if (READ_ONCE(d->edf.reads->configured) ||
	    (unlikely(d->edf.writes) && READ_ONCE(d->edf.writes->configured)))
		return false;
	if (io->req.kind == SSDQOS_EDF_KIND_READ)
		return true;
	if (bdev_is_zoned(bio->bi_bdev))
		return smp_load_acquire(&d->calm);	/* of qos_io_settle() */
	return io->req.kind != SSDQOS_EDF_KIND_WRITE ||
	       !READ_ONCE(d->ready->enforcing);
}

/* A write that only is counted: somebody has to look from time to time. */
static void qos_io_note(struct qos_drive *d, const struct bio *bio,
			const struct qos_io *io)
{
	unsigned long flags;

	if (likely(!READ_ONCE(d->ready->counting) || READ_ONCE(d->looking)) ||
	    !qos_io_wears(bio, io->req.kind))
		return;
	spin_lock_irqsave(&d->lock, flags);
	if (!d->looking)
		qos_drive_start_looking(d);
	spin_unlock_irqrestore(&d->lock, flags);
}

/* There is a lifetime: does it let it go? */
static noinline bool qos_io_ask_lifetime(struct qos_stream *st, struct bio *bio,
					 struct qos_io *io, u64 now_ns)
{
	u8 kind = io->req.kind;

	if (!qos_io_wears(bio, kind))
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

/* Does the lifetime, if any, let it go?  The drive's lock is held. */
static bool qos_io_throttle(struct qos_stream *st, struct bio *bio,
			    struct qos_io *io, u64 now_ns)
{
	return !st->drive->ready->enforcing ||
	       qos_io_ask_lifetime(st, bio, io, now_ns);
}

/* What still waits of a batch that was too large must not be overtaken in its
 * zone: it goes first, with the lock free in between.
 */
static void qos_io_lock(struct qos_drive *d, const struct bio *bio,
			unsigned long *flags)
	__acquires(&d->lock)
{
	u32 kick;

	spin_lock_irqsave(&d->lock, *flags);
	while (unlikely(d->more) && bdev_is_zoned(bio->bi_bdev)) {
		kick = qos_io_pump(d, ktime_get_ns());
		spin_unlock_irqrestore(&d->lock, *flags);
		qos_io_kick(d, kick);
		spin_lock_irqsave(&d->lock, *flags);
	}
}

/* It is the drive's next one; without a call, too.  The drive's lock is held.
 * Return: DM_MAPIO_*.
 */
static __always_inline int
qos_io_begin(struct qos_stream *st, struct bio *bio, struct qos_io *io,
	     u64 now_ns)
{
	struct qos_drive *d = st->drive;

	lockdep_assert_held(&d->lock);
	io->seq = d->seq++;
	if (unlikely(!d->looking))
		qos_drive_start_looking(d);
	if (!qos_io_throttle(st, bio, io, now_ns))
		return DM_MAPIO_SUBMITTED;
	return qos_io_schedule(st, bio, io, now_ns);
}

/* The drive's lock is held.  Return: DM_MAPIO_*. */
static int qos_io_enter(struct qos_stream *st, struct bio *bio,
			struct qos_io *io, u32 *kick)
{
	struct qos_drive *d = st->drive;
	u64 now_ns = ktime_get_ns();
	int r = qos_io_begin(st, bio, io, now_ns);

	/* who waits for another one's end is seen to then */
	if (r == DM_MAPIO_SUBMITTED && qos_io_may_fill(d))
		*kick = qos_io_pump(d, now_ns);
	return r;
}

/* Has it something to do with discards that are kept? */
static bool qos_io_may_trim(const struct qos_drive *d, const struct qos_io *io)
{
	switch (io->req.kind) {
	case SSDQOS_EDF_KIND_READ:
		return false;
	case SSDQOS_EDF_KIND_DISCARD:
		return READ_ONCE(d->trim.batch);
	default:
		return READ_ONCE(d->trim.busy);
	}
}

/* Discards may be kept.  Return: nothing remains to be done with the bio. */
static noinline bool qos_io_trim(struct qos_stream *st, struct bio *bio,
				 struct qos_io *io)
{
	switch (qos_trim_ask(st, bio, io, true)) {
	case QOS_TRIM_GO_ON:
		return false;
	case QOS_TRIM_HELD:
		return true;
	case QOS_TRIM_TAKEN:
		break;
	}
	qos_io_count(st, bio, io, false);
	bio_endio(bio);
	return true;
}

/**
 * qos_io_stream_of - whose bio is it?
 * @bio: one that qos_io_map() has seen
 */
struct qos_stream *qos_io_stream_of(struct bio *bio)
{
	const struct qos_io *io = dm_per_bio_data(bio, sizeof(*io));

	return io->stream;
}

/**
 * qos_io_go_on - a bio that has waited elsewhere goes its way
 * @st: the stream
 * @bio: the bio
 * @now_ns: time
 *
 * Context: the drive's lock is held, until qos_io_change_end().
 */
void qos_io_go_on(struct qos_stream *st, struct bio *bio, u64 now_ns)
{
	struct qos_io *io = dm_per_bio_data(bio, sizeof(*io));

	if (qos_io_begin(st, bio, io, now_ns) == DM_MAPIO_REMAPPED)
		qos_io_go(st->drive, bio);
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
	u32 kick = 0;
	int r;

	io->req.kind = qos_io_kind(bio);
	io->req.bytes = bio->bi_iter.bi_size;
	io->stream = st;
	io->sector = sector;
	io->managed = false;
	io->throttled = false;
	io->finished = false;
	if (qos_io_may_trim(d, io) && qos_io_trim(st, bio, io))
		return DM_MAPIO_SUBMITTED;
	if (qos_io_is_free(d, bio, io)) {
		qos_io_count(st, bio, io, false);
		qos_io_note(d, bio, io);
		return DM_MAPIO_REMAPPED;
	}
	qos_io_lock(d, bio, &flags);
	r = qos_io_enter(st, bio, io, &kick);
	spin_unlock_irqrestore(&d->lock, flags);
	qos_io_kick(d, kick);
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

/* Has the device below taken nothing of it?  After other errors it may have
 * written, and worn.
 */
static bool qos_io_is_refused(blk_status_t error)
{
	switch (error) {
	case BLK_STS_AGAIN:
	case BLK_STS_RESOURCE:
	case BLK_STS_DEV_RESOURCE:
	case BLK_STS_DM_REQUEUE:
	case BLK_STS_NOTSUPP:
	case BLK_STS_OFFLINE:
		return true;
	default:
		return false;
	}
}

/* What was counted when it went is taken back. */
static void qos_io_refuse(struct qos_stream *st, const struct bio *bio,
			  struct qos_io *io)
{
	unsigned long flags;

	qos_io_count(st, bio, io, true);
	if (!io->throttled)
		return;
	spin_lock_irqsave(&st->drive->lock, flags);
	ssdqos_ready_refund(&io->ready);
	spin_unlock_irqrestore(&st->drive->lock, flags);
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

/* Lets go what may go now that it has ended, and gives the lock back.  A bio
 * that is late keeps the drive only until then: the work may end it at once.
 */
static void qos_io_unlock(struct qos_drive *d, u64 now_ns, bool late,
			  unsigned long flags)
	__releases(&d->lock)
{
	u32 kick = qos_io_pump(d, now_ns);

	if (late)
		qos_io_kick(d, kick);
	spin_unlock_irqrestore(&d->lock, flags);
	if (!late)
		qos_io_kick(d, kick);
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
	struct qos_drive *d = st->drive;
	unsigned long flags;
	u64 now_ns;
	bool late;
	u32 nr = 0;

	if (io->finished)
		return DM_ENDIO_DONE;
	if (unlikely(error) && qos_io_is_refused(error))
		qos_io_refuse(st, bio, io);
	if (!(io->managed || io->throttled))
		return DM_ENDIO_DONE;
	spin_lock_irqsave(&d->lock, flags);
	now_ns = ktime_get_ns();
	if (io->managed) {
		nr = ssdqos_edf_complete(&io->req, qos_io_outcome(error),
					 now_ns, d->said);
		trace_ssdqos_qos_request_completed(st, io, now_ns);
	}
	if (unlikely(nr))
		qos_tell_add(d, st, d->said, nr);
	late = qos_io_is_late(st, bio, io, error, now_ns);
	if (late)
		ssdqos_bio_keep(bio);
	qos_io_unlock(d, now_ns, late, flags);
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
	u32 kick = qos_io_pump(d, now_ns);

	spin_unlock_irq(&d->lock);
	qos_io_kick(d, kick);
}

/**
 * qos_io_let_go - let all bios of a stream go, whatever its rules say
 * @st: the stream
 * @draining: or not any more
 * @now_ns: of qos_io_change_begin()
 *
 * Context: the drive's lock is held, until qos_io_change_end().
 */
void qos_io_let_go(struct qos_stream *st, bool draining, u64 now_ns)
{
	lockdep_assert_held(&st->drive->lock);
	ssdqos_apart_drain(&st->drive->edf, &st->edf, draining, now_ns);
	ssdqos_ready_drain(&st->ready, draining);
}

/**
 * qos_io_drain - the same, for who has no lock
 * @st: the stream
 * @draining: or not any more
 *
 * Context: may sleep.
 */
void qos_io_drain(struct qos_stream *st, bool draining)
{
	u64 now_ns = qos_io_change_begin(st->drive);

	qos_io_let_go(st, draining, now_ns);
	qos_io_change_end(st->drive, now_ns);
}
