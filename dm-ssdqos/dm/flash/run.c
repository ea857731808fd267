// SPDX-License-Identifier: GPL-2.0
/*
 * run.c - run the flash model on the kernel's clock
 *
 * A bio goes to the backing device and to the model at once, and ends when
 * both are done.  The model is advanced to the present whenever somebody
 * comes by (a new request, the timer); the timer is set to its next event.
 * Where that is too much at a time, the model stays behind for a while, and
 * requests that come meanwhile are late.
 *
 *	map -> flash_drive_start -> model ... timer -> model says done --+
 *	  \-> backing device ... end_io -> flash_drive_data_done --------+-> end
 *
 * Whoever takes @pending to zero ends the bio.  Who is to own the model (state.c)
 * holds new requests back, and waits until it is idle.
 */
#include <linux/device-mapper.h>
#include <linux/ktime.h>

#include "compat.h"
#include "dm/common/bio_keep.h"
#include "drive.h"
#include "run.h"
#include "trace_record.h"

/* Interrupts are off for so many events of the model, a microsecond or so each, or until one
 * step of a discard has been done.  What is more is the timer's, which leaves the processor to
 * others in between.
 */
#define FLASH_MAX_EVENTS 64u
#define FLASH_BREATH_NS 20000u

static u64 flash_run_now_ns(const struct flash_drive *d)
{
	return ktime_get_ns() - d->epoch_ns;
}

static struct bio *flash_io_bio(struct flash_io *io)
{
	return dm_bio_from_per_bio_data(io, sizeof(*io));
}

/* ---- the model's clock ---- */

/* Model time for which the timer is to be set.  If the model is behind the clock,
 * the timer must not be over at once, or its interrupt would not end before the
 * model has caught up; nor put off by whoever comes by.
 */
static u64 flash_run_wake_ns(const struct flash_drive *d)
{
	u64 next_ns = ssdqos_flash_next_ns(d->model), wake_ns;

	if (!d->behind || next_ns == SSDQOS_NEVER_NS)
		return next_ns;
	wake_ns = flash_run_now_ns(d) + FLASH_BREATH_NS;
	return max(next_ns, min(d->armed_ns, wake_ns));
}

static void flash_run_arm(struct flash_drive *d)
{
	u64 wake_ns = flash_run_wake_ns(d);

	if (wake_ns == d->armed_ns)
		return;
	d->armed_ns = wake_ns;
	if (wake_ns == SSDQOS_NEVER_NS)
		return;	/* it may fire once for nothing */
	/* as late as a timer can be: what overflows would be over at once */
	wake_ns = min_t(u64, wake_ns, KTIME_MAX - d->epoch_ns);
	hrtimer_start(&d->timer, ns_to_ktime(d->epoch_ns + wake_ns),
		      HRTIMER_MODE_ABS);
}

static void flash_run_log(struct flash_drive *d)
{
	struct ssdqos_flash_record rec;

	while (ssdqos_flash_log_take(d->model, &rec, 1))
		ssdqos_flash_trace_record(d->dev, &rec);
}

/* To the present, or as far as one may go with interrupts off. */
static void flash_run_advance(struct flash_drive *d, u64 now_ns)
{
	u32 mask = ssdqos_flash_trace_mask(), left = FLASH_MAX_EVENTS;

	lockdep_assert_held(&d->lock);
	ssdqos_flash_log_enable(d->model, mask);
	do {
		d->behind = !ssdqos_flash_advance_some(d->model, now_ns, &left);
		if (d->behind || mask)
			flash_run_log(d);
	} while (d->behind && left);
}

static void flash_run_account(struct flash_drive *d, struct flash_io *io,
			      u64 now_ns)
{
	const struct ssdqos_flash_req *req = &io->req;
	u64 late_ns = now_ns - req->complete_ns;

	ssdqos_hist_add(&d->latency->model[req->op],
			req->complete_ns - req->arrival_ns);
	ssdqos_hist_add(&d->latency->late, late_ns);
	trace_ssdqos_flash_request_completed(d->dev, io->seq, req, late_ns);
}

/* What the model has completed: account it, return the bios that can end. */
static struct flash_io *flash_run_reap(struct flash_drive *d)
{
	struct ssdqos_flash_req *req = ssdqos_flash_take_done(d->model);
	struct flash_io *first = NULL, **last = &first;
	u64 now_ns = req ? flash_run_now_ns(d) : 0;

	lockdep_assert_held(&d->lock);
	while (req) {
		struct flash_io *io = container_of(req, struct flash_io, req);

		req = req->next;
		flash_run_account(d, io, now_ns);
		d->outstanding--;
		/* from here on, the bio is ours or end_io's */
		if (!atomic_dec_and_test(&io->pending))
			continue;
		io->next = NULL;
		*last = io;
		last = &io->next;
	}
	return first;
}

/* For a bio whose data was first, this is the second bio_endio(): end_io kept
 * the first one.  What a bio's end does below us has been done by then (its
 * blkg is gone and its trace flag is off), so nothing is counted twice.
 */
static void flash_run_end_bios(struct flash_io *io)
{
	while (io) {
		struct flash_io *next = io->next;

		io->finished = true;
		bio_endio(flash_io_bio(io));
		io = next;
	}
}

static void flash_run_wake_idle(struct flash_drive *d)
{
	if (d->held && !d->outstanding && ssdqos_flash_idle(d->model))
		wake_up(&d->idle);
}

static enum hrtimer_restart flash_run_timer(struct hrtimer *timer)
{
	struct flash_drive *d = container_of(timer, struct flash_drive, timer);
	struct flash_io *done;
	unsigned long flags;

	spin_lock_irqsave(&d->lock, flags);
	d->armed_ns = SSDQOS_NEVER_NS;
	flash_run_advance(d, flash_run_now_ns(d));
	done = flash_run_reap(d);
	flash_run_arm(d);
	flash_run_wake_idle(d);
	spin_unlock_irqrestore(&d->lock, flags);
	flash_run_end_bios(done);
	return HRTIMER_NORESTART;
}

/**
 * flash_run_begin - take a drive's lock, with the model at the present
 * @d: the drive
 *
 * Context: any but with the lock held.
 * Return: for flash_run_end().
 */
unsigned long flash_run_begin(struct flash_drive *d)
{
	unsigned long flags;

	spin_lock_irqsave(&d->lock, flags);
	flash_run_advance(d, flash_run_now_ns(d));
	return flags;
}

/**
 * flash_run_end - see to what has followed, and give the lock back
 * @d: the drive
 * @flags: what flash_run_begin() has returned
 */
void flash_run_end(struct flash_drive *d, unsigned long flags)
{
	struct flash_io *done;

	flash_run_log(d);
	done = flash_run_reap(d);
	flash_run_arm(d);
	spin_unlock_irqrestore(&d->lock, flags);
	flash_run_end_bios(done);
}

/* ---- bios ---- */

static u8 flash_run_op(const struct bio *bio)
{
	switch (bio_op(bio)) {
	case REQ_OP_READ:
		return SSDQOS_FLASH_READ;
	case REQ_OP_DISCARD:
	case REQ_OP_WRITE_ZEROES:	/* drives unmap what is to read as zeroes */
		return SSDQOS_FLASH_DISCARD;
	default:
		return bio_sectors(bio) ? SSDQOS_FLASH_WRITE :
					  SSDQOS_FLASH_FLUSH;
	}
}

static void flash_run_submit(struct flash_drive *d, struct bio *bio)
{
	struct flash_io *io = dm_per_bio_data(bio, sizeof(*io));

	lockdep_assert_held(&d->lock);
	io->seq = d->seq++;
	d->outstanding++;
	flash_run_advance(d, flash_run_now_ns(d));
	/* in a model that is behind, before what is still to come there */
	io->req.arrival_ns = ssdqos_flash_now_ns(d->model);
	ssdqos_flash_submit(d->model, &io->req);
	trace_ssdqos_flash_request_submitted(d->dev, io->seq, &io->req);
	flash_run_arm(d);
}

/**
 * flash_drive_start - give a bio to the model
 * @d: the drive
 * @bio: a clone, remapped, whose per-bio data has @no_data and @no_wait set
 * @sector: where it begins on the drive
 *
 * Context: any but with @d->lock held.
 *
 * Return: true if the caller shall submit the data now; false if that is
 * taken care of: the model is being replaced, so the bio waits, or ends
 * because it must not wait.
 */
bool flash_drive_start(struct flash_drive *d, struct bio *bio, sector_t sector)
{
	struct flash_io *io = dm_per_bio_data(bio, sizeof(*io)), *done;
	unsigned long flags;

	io->finished = false;
	io->req.op = flash_run_op(bio);
	io->req.fua = bio->bi_opf & REQ_FUA;
	io->req.sector = sector;
	io->req.nr_sectors = bio_sectors(bio);
	atomic_set(&io->pending, io->no_data ? 1 : 2);
	spin_lock_irqsave(&d->lock, flags);
	if (unlikely(d->held)) {
		bool no_wait = io->no_wait;	/* once listed, it may be gone */

		if (!no_wait)
			bio_list_add(&d->hold, bio);
		spin_unlock_irqrestore(&d->lock, flags);
		if (no_wait) {
			io->finished = true;
			bio_wouldblock_error(bio);
		}
		return false;
	}
	flash_run_submit(d, bio);
	done = flash_run_reap(d);
	spin_unlock_irqrestore(&d->lock, flags);
	flash_run_end_bios(done);
	return true;
}

/**
 * flash_drive_data_done - the backing device is done with a bio
 * @d: the drive
 * @io: its per-bio data
 *
 * Context: any.
 * Return: true if the model is, too, so that the bio can end.
 */
bool flash_drive_data_done(struct flash_drive *d, struct flash_io *io)
{
	u64 late_ns;

	/* now, for it may be the model that ends it, from here on */
	ssdqos_bio_keep(flash_io_bio(io));
	if (!atomic_dec_and_test(&io->pending))
		return false;
	late_ns = flash_run_now_ns(d) - io->req.complete_ns;
	atomic64_inc(&d->backing_late);
	atomic64_add(late_ns, &d->backing_late_ns);
	trace_ssdqos_flash_backing_late(d->dev, io->seq, late_ns);
	io->finished = true;
	return true;
}

/* ---- owning the model ---- */

static bool flash_run_is_idle(struct flash_drive *d)
{
	unsigned long flags;
	bool idle;

	spin_lock_irqsave(&d->lock, flags);
	idle = !d->outstanding && ssdqos_flash_idle(d->model);
	spin_unlock_irqrestore(&d->lock, flags);
	return idle;
}

/**
 * flash_run_release - let requests in again
 * @d: the drive
 *
 * Context: sleeps; the mutex is held.
 */
void flash_run_release(struct flash_drive *d)
{
	struct flash_io *done;
	struct bio_list hold;
	struct bio *bio;
	unsigned long flags;

	lockdep_assert_held(&d->mutex);
	/* what it makes up for begins now, not when it came to rest */
	flags = flash_run_begin(d);
	d->held = false;
	hold = d->hold;
	bio_list_init(&d->hold);
	ssdqos_flash_rest(d->model, false);
	flash_run_end(d, flags);
	while ((bio = bio_list_pop(&hold))) {
		struct flash_io *io = dm_per_bio_data(bio, sizeof(*io));
		bool no_data = io->no_data;

		spin_lock_irqsave(&d->lock, flags);
		flash_run_submit(d, bio);
		done = flash_run_reap(d);
		spin_unlock_irqrestore(&d->lock, flags);
		flash_run_end_bios(done);
		/* without data, the bio may be gone by now */
		if (!no_data)
			dm_submit_bio_remap(bio, NULL);
	}
}

/**
 * flash_run_hold - keep requests out and wait until the model has come to rest
 * @d: the drive
 * @err: FLASH_ERR_BYTES for one sentence on failure
 *
 * Then the model is the caller's, until flash_run_release().
 *
 * Context: sleeps; the mutex is held.
 * Return: 0, or -EINTR if the caller is to end; then nothing is held.
 */
int flash_run_hold(struct flash_drive *d, char *err)
{
	unsigned long flags;

	lockdep_assert_held(&d->mutex);
	flags = flash_run_begin(d);
	d->held = true;
	ssdqos_flash_rest(d->model, true);
	flash_run_end(d, flags);	/* there may be no timer that would */
	if (wait_event_killable(d->idle, flash_run_is_idle(d))) {
		flash_run_release(d);
		scnprintf(err, FLASH_ERR_BYTES,
			  "interrupted while waiting for the drive to be idle");
		return -EINTR;
	}
	hrtimer_cancel(&d->timer);
	return 0;
}

/**
 * flash_run_init - prepare a new drive
 * @d: the drive
 */
void flash_run_init(struct flash_drive *d)
{
	spin_lock_init(&d->lock);
	mutex_init(&d->mutex);
	init_waitqueue_head(&d->idle);
	bio_list_init(&d->hold);
	hrtimer_setup(&d->timer, flash_run_timer, CLOCK_MONOTONIC,
		      HRTIMER_MODE_ABS);
	d->armed_ns = SSDQOS_NEVER_NS;
}

/**
 * flash_run_stop - a drive goes; no request is in it
 * @d: the drive
 *
 * Context: sleeps.
 */
void flash_run_stop(struct flash_drive *d)
{
	hrtimer_cancel(&d->timer);
	mutex_destroy(&d->mutex);
}
