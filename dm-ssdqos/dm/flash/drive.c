// SPDX-License-Identifier: GPL-2.0
/*
 * drive.c - run the flash model on the kernel's clock
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
 * Whoever takes @pending to zero ends the bio.  The long operations (age,
 * save, load) hold new requests back, wait until the model is idle, and then
 * own it.
 */
#include <linux/device-mapper.h>
#include <linux/ktime.h>
#include <linux/sched/mm.h>
#include <linux/slab.h>
#include <linux/vmalloc.h>

#include "compat.h"
#include "dm/common/bio_keep.h"
#include "drive.h"
#include "trace_record.h"

/* Interrupts are off for so many events of the model, a microsecond or so each.
 * What is more is the timer's, which leaves the processor to others in between.
 */
#define FLASH_MAX_EVENTS 64u
#define FLASH_BREATH_NS 20000u

/* The mutex is for who makes a drive, for as long as that takes; the lock, inside
 * it, for who looks for one.
 */
static LIST_HEAD(flash_drives);
static DEFINE_MUTEX(flash_drives_mutex);
static DEFINE_SPINLOCK(flash_drives_lock);

static u64 flash_now_ns(const struct flash_drive *d)
{
	return ktime_get_ns() - d->epoch_ns;
}

static struct bio *flash_io_bio(struct flash_io *io)
{
	return dm_bio_from_per_bio_data(io, sizeof(*io));
}

/* A long operation keeps all requests out, and a device that is resumed waits
 * for @mutex: whoever has it must not wait for memory that is written there
 * first.
 */
static unsigned int flash_drive_lock(struct flash_drive *d)
{
	unsigned int noio = memalloc_noio_save();

	mutex_lock(&d->mutex);
	return noio;
}

static void flash_drive_unlock(struct flash_drive *d, unsigned int noio)
{
	mutex_unlock(&d->mutex);
	memalloc_noio_restore(noio);
}

/* ---- the model's clock ---- */

/* Model time for which the timer is to be set.  If the model is behind the clock,
 * the timer must not be over at once, or its interrupt would not end before the
 * model has caught up; nor put off by whoever comes by.
 */
static u64 flash_drive_wake_ns(const struct flash_drive *d)
{
	u64 next_ns = ssdqos_flash_next_ns(d->model), wake_ns;

	if (!d->behind || next_ns == SSDQOS_NEVER_NS)
		return next_ns;
	wake_ns = flash_now_ns(d) + FLASH_BREATH_NS;
	return max(next_ns, min(d->armed_ns, wake_ns));
}

static void flash_drive_arm(struct flash_drive *d)
{
	u64 wake_ns = flash_drive_wake_ns(d);

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

static void flash_drive_log(struct flash_drive *d)
{
	struct ssdqos_flash_record rec;

	while (ssdqos_flash_log_take(d->model, &rec, 1))
		ssdqos_flash_trace_record(d->dev, &rec);
}

/* To the present, or as far as one may go with interrupts off. */
static void flash_drive_advance(struct flash_drive *d, u64 now_ns)
{
	u32 mask = ssdqos_flash_trace_mask(), left = FLASH_MAX_EVENTS;

	lockdep_assert_held(&d->lock);
	ssdqos_flash_log_enable(d->model, mask);
	do {
		d->behind = !ssdqos_flash_advance_some(d->model, now_ns, &left);
		if (d->behind || mask)
			flash_drive_log(d);
	} while (d->behind && left);
}

static void flash_drive_account(struct flash_drive *d, struct flash_io *io,
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
static struct flash_io *flash_drive_reap(struct flash_drive *d)
{
	struct ssdqos_flash_req *req = ssdqos_flash_take_done(d->model);
	struct flash_io *first = NULL, **last = &first;
	u64 now_ns = req ? flash_now_ns(d) : 0;

	lockdep_assert_held(&d->lock);
	while (req) {
		struct flash_io *io = container_of(req, struct flash_io, req);

		req = req->next;
		flash_drive_account(d, io, now_ns);
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
static void flash_drive_end_bios(struct flash_io *io)
{
	while (io) {
		struct flash_io *next = io->next;

		io->finished = true;
		bio_endio(flash_io_bio(io));
		io = next;
	}
}

static void flash_drive_wake_idle(struct flash_drive *d)
{
	if (d->held && !d->outstanding && ssdqos_flash_idle(d->model))
		wake_up(&d->idle);
}

static enum hrtimer_restart flash_drive_timer(struct hrtimer *timer)
{
	struct flash_drive *d = container_of(timer, struct flash_drive, timer);
	struct flash_io *done;
	unsigned long flags;

	spin_lock_irqsave(&d->lock, flags);
	d->armed_ns = SSDQOS_NEVER_NS;
	flash_drive_advance(d, flash_now_ns(d));
	done = flash_drive_reap(d);
	flash_drive_arm(d);
	flash_drive_wake_idle(d);
	spin_unlock_irqrestore(&d->lock, flags);
	flash_drive_end_bios(done);
	return HRTIMER_NORESTART;
}

/* ---- bios ---- */

static u8 flash_bio_op(const struct bio *bio)
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

static void flash_drive_submit(struct flash_drive *d, struct bio *bio)
{
	struct flash_io *io = dm_per_bio_data(bio, sizeof(*io));

	lockdep_assert_held(&d->lock);
	io->seq = d->seq++;
	d->outstanding++;
	flash_drive_advance(d, flash_now_ns(d));
	/* in a model that is behind, before what is still to come there */
	io->req.arrival_ns = ssdqos_flash_now_ns(d->model);
	ssdqos_flash_submit(d->model, &io->req);
	trace_ssdqos_flash_request_submitted(d->dev, io->seq, &io->req);
	flash_drive_arm(d);
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
	io->req.op = flash_bio_op(bio);
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
	flash_drive_submit(d, bio);
	done = flash_drive_reap(d);
	spin_unlock_irqrestore(&d->lock, flags);
	flash_drive_end_bios(done);
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
	late_ns = flash_now_ns(d) - io->req.complete_ns;
	atomic64_inc(&d->backing_late);
	atomic64_add(late_ns, &d->backing_late_ns);
	trace_ssdqos_flash_backing_late(d->dev, io->seq, late_ns);
	io->finished = true;
	return true;
}

/* ---- owning the model ---- */

static bool flash_drive_is_idle(struct flash_drive *d)
{
	unsigned long flags;
	bool idle;

	spin_lock_irqsave(&d->lock, flags);
	idle = !d->outstanding && ssdqos_flash_idle(d->model);
	spin_unlock_irqrestore(&d->lock, flags);
	return idle;
}

static void flash_drive_release(struct flash_drive *d)
{
	struct flash_io *done;
	struct bio_list hold;
	struct bio *bio;
	unsigned long flags;

	spin_lock_irqsave(&d->lock, flags);
	d->held = false;
	hold = d->hold;
	bio_list_init(&d->hold);
	/* what it makes up for begins now, not when it came to rest */
	flash_drive_advance(d, flash_now_ns(d));
	ssdqos_flash_rest(d->model, false);
	done = flash_drive_reap(d);
	flash_drive_arm(d);
	spin_unlock_irqrestore(&d->lock, flags);
	flash_drive_end_bios(done);
	while ((bio = bio_list_pop(&hold))) {
		struct flash_io *io = dm_per_bio_data(bio, sizeof(*io));
		bool no_data = io->no_data;

		spin_lock_irqsave(&d->lock, flags);
		flash_drive_submit(d, bio);
		done = flash_drive_reap(d);
		spin_unlock_irqrestore(&d->lock, flags);
		flash_drive_end_bios(done);
		/* without data, the bio may be gone by now */
		if (!no_data)
			dm_submit_bio_remap(bio, NULL);
	}
}

/* Keep requests out and wait until the model has come to rest. */
static int flash_drive_hold(struct flash_drive *d, char *err)
{
	struct flash_io *done;
	unsigned long flags;

	lockdep_assert_held(&d->mutex);
	spin_lock_irqsave(&d->lock, flags);
	d->held = true;
	flash_drive_advance(d, flash_now_ns(d));
	ssdqos_flash_rest(d->model, true);
	done = flash_drive_reap(d);	/* there may be no timer that would */
	flash_drive_arm(d);
	spin_unlock_irqrestore(&d->lock, flags);
	flash_drive_end_bios(done);
	if (wait_event_killable(d->idle, flash_drive_is_idle(d))) {
		flash_drive_release(d);
		scnprintf(err, FLASH_ERR_BYTES,
			  "interrupted while waiting for the drive to be idle");
		return -EINTR;
	}
	hrtimer_cancel(&d->timer);
	return 0;
}

/**
 * flash_drive_age - put the drive into steady state
 * @d: the drive
 * @fill_pct: part of the capacity that holds data
 * @seed: of the placement
 * @err: FLASH_ERR_BYTES for one sentence on failure
 *
 * Context: sleeps.
 * Return: 0 or a negative error.
 */
int flash_drive_age(struct flash_drive *d, u32 fill_pct, u64 seed, char *err)
{
	unsigned int noio = flash_drive_lock(d);
	int r;

	r = flash_drive_hold(d, err);
	if (!r) {
		r = ssdqos_flash_age(d->model, fill_pct, seed, err,
				     FLASH_ERR_BYTES);
		flash_drive_release(d);
	}
	flash_drive_unlock(d, noio);
	return r;
}

/* Without memory, what was saved stays. */
static int flash_drive_state_room(struct flash_drive *d, u64 bytes)
{
	void *state;

	if (d->state_bytes >= bytes)
		return 0;
	/* see ssdqos_env_alloc() */
	state = bytes > INT_MAX ? vmalloc(bytes) : kvmalloc(bytes, GFP_KERNEL);
	if (!state)
		return -ENOMEM;
	kvfree(d->state);
	d->state = state;
	d->state_used = 0;
	d->state_bytes = bytes;
	return 0;
}

/**
 * flash_drive_save - keep the drive's state, for sysfs to read
 * @d: the drive
 * @err: FLASH_ERR_BYTES for one sentence on failure
 *
 * Context: sleeps.
 * Return: 0 or a negative error.
 */
int flash_drive_save(struct flash_drive *d, char *err)
{
	unsigned int noio = flash_drive_lock(d);
	int r;

	r = flash_drive_hold(d, err);
	if (r)
		goto out_unlock;
	r = flash_drive_state_room(d, ssdqos_flash_state_bytes(d->model));
	if (r) {
		scnprintf(err, FLASH_ERR_BYTES, "save: no memory for %llu bytes",
			  ssdqos_flash_state_bytes(d->model));
	} else {
		r = ssdqos_flash_save(d->model, d->state, d->state_bytes);
		d->state_used = ssdqos_flash_state_bytes(d->model);
	}
	flash_drive_release(d);
out_unlock:
	flash_drive_unlock(d, noio);
	return r;
}

/**
 * flash_drive_load - take over the state that was saved or uploaded last
 * @d: the drive
 * @err: FLASH_ERR_BYTES for one sentence on failure
 *
 * Context: sleeps.
 * Return: 0 or a negative error.
 */
int flash_drive_load(struct flash_drive *d, char *err)
{
	unsigned int noio = flash_drive_lock(d);
	int r;

	if (!d->state_used) {
		scnprintf(err, FLASH_ERR_BYTES,
			  "load: there is no state; save one or write one to sysfs first");
		r = -ENODATA;
		goto out_unlock;
	}
	r = flash_drive_hold(d, err);
	if (!r) {
		r = ssdqos_flash_load(d->model, d->state, d->state_used, err,
				      FLASH_ERR_BYTES);
		flash_drive_release(d);
	}
out_unlock:
	flash_drive_unlock(d, noio);
	return r;
}

/**
 * flash_drive_upload - write a part of a state into the buffer
 * @d: the drive
 * @buf: the bytes
 * @offset: where they go; 0 begins a new state
 * @bytes: their number
 *
 * Context: sleeps.
 * Return: 0, -EFBIG beyond the largest state of this drive, -ENOMEM.
 */
int flash_drive_upload(struct flash_drive *d, const char *buf, u64 offset,
		       u64 bytes)
{
	u64 most = ssdqos_flash_state_bytes_max(d->model);
	unsigned int noio;
	int r;

	if (offset > most || bytes > most - offset)
		return -EFBIG;
	noio = flash_drive_lock(d);
	r = flash_drive_state_room(d, most);
	if (!r && !offset)
		d->state_used = 0;
	if (!r && offset > d->state_used)
		r = -EINVAL;	/* a hole */
	if (!r) {
		memcpy(d->state + offset, buf, bytes);
		d->state_used = max(d->state_used, offset + bytes);
	}
	flash_drive_unlock(d, noio);
	return r;
}

/* ---- tuning and looking ---- */

/* A line that is in force is no change: the model would look for work, and a
 * recorded run would not repeat.
 */
static int flash_drive_take_config(struct flash_drive *d,
				   const struct ssdqos_flash_config *cfg,
				   char *err)
{
	if (!memcmp(cfg, ssdqos_flash_config(d->model), sizeof(*cfg)))
		return 0;
	return ssdqos_flash_retune(d->model, cfg, err, FLASH_ERR_BYTES);
}

/* Set one tunable (@key is not NULL) or all of them. */
static int flash_drive_change(struct flash_drive *d, const char *key,
			      const char *value,
			      const struct ssdqos_flash_config *cfg, char *err)
{
	unsigned int noio = flash_drive_lock(d);
	struct flash_io *done;
	unsigned long flags;
	int r;

	spin_lock_irqsave(&d->lock, flags);
	flash_drive_advance(d, flash_now_ns(d));
	if (key)
		r = ssdqos_flash_set(d->model, key, value, err, FLASH_ERR_BYTES);
	else
		r = flash_drive_take_config(d, cfg, err);
	flash_drive_log(d);	/* shares that have changed */
	done = flash_drive_reap(d);
	flash_drive_arm(d);
	spin_unlock_irqrestore(&d->lock, flags);
	flash_drive_unlock(d, noio);
	flash_drive_end_bios(done);
	return r;
}

/**
 * flash_drive_set - change a tunable
 * @d: the drive
 * @key: its name
 * @value: its value as text
 * @err: FLASH_ERR_BYTES for one sentence on failure
 *
 * Context: may sleep.
 * Return: 0 or a negative error; then nothing has changed.
 */
int flash_drive_set(struct flash_drive *d, const char *key, const char *value,
		    char *err)
{
	return flash_drive_change(d, key, value, NULL, err);
}

/**
 * flash_drive_retune - set all live parameters to those of a table line
 * @d: the drive
 * @cfg: the line's parameters
 * @err: FLASH_ERR_BYTES for one sentence on failure
 *
 * Context: may sleep.
 * Return: 0 or a negative error.
 */
int flash_drive_retune(struct flash_drive *d,
		       const struct ssdqos_flash_config *cfg, char *err)
{
	return flash_drive_change(d, NULL, NULL, cfg, err);
}

static void flash_drive_clear_latency(struct flash_drive *d)
{
	u32 op;

	for (op = 0; op < SSDQOS_FLASH_NR_OPS; op++)
		ssdqos_hist_init(&d->latency->model[op]);
	ssdqos_hist_init(&d->latency->late);
	atomic64_set(&d->backing_late, 0);
	atomic64_set(&d->backing_late_ns, 0);
}

/* Adds what a drive has done since it was made; its lock is held. */
static void flash_drive_add_wear(const struct flash_drive *d,
				 struct flash_wear *wear)
{
	const struct ssdqos_flash_stats *s = ssdqos_flash_stats(d->model);
	u32 page_bytes = ssdqos_flash_geo(d->model)->units_per_page *
		SSDQOS_UNIT_BYTES;

	lockdep_assert_held(&d->lock);
	wear->flash_bytes += d->past.flash_bytes +
		(s->flash_programs + s->flash_copybacks) * page_bytes;
	wear->host_bytes += d->past.host_bytes +
		s->host_write_units * SSDQOS_UNIT_BYTES;
}

/**
 * flash_drive_reset_stats - set counters and histograms to zero
 * @d: the drive
 *
 * Context: may sleep.
 */
void flash_drive_reset_stats(struct flash_drive *d)
{
	unsigned int noio = flash_drive_lock(d);
	struct flash_wear past = { };
	unsigned long flags;

	spin_lock_irqsave(&d->lock, flags);
	flash_drive_add_wear(d, &past);
	d->past = past;	/* cells don't forget */
	ssdqos_flash_reset_stats(d->model);
	flash_drive_clear_latency(d);
	spin_unlock_irqrestore(&d->lock, flags);
	flash_drive_unlock(d, noio);
}

/**
 * flash_drive_snapshot - parameters, counters and gauges of one moment
 * @d: the drive
 * @cfg: gets the parameters, or NULL
 * @stats: gets the counters, or NULL
 * @gauges: gets the gauges, or NULL
 *
 * Context: may sleep.
 */
void flash_drive_snapshot(struct flash_drive *d,
			  struct ssdqos_flash_config *cfg,
			  struct ssdqos_flash_stats *stats,
			  struct ssdqos_flash_gauges *gauges)
{
	unsigned int noio = flash_drive_lock(d);
	unsigned long flags;

	spin_lock_irqsave(&d->lock, flags);
	if (cfg)
		*cfg = *ssdqos_flash_config(d->model);
	if (stats)
		*stats = *ssdqos_flash_stats(d->model);
	spin_unlock_irqrestore(&d->lock, flags);
	/* looks at every block: too long for a spinlock, and a gauge may be
	 * a moment old
	 */
	if (gauges)
		ssdqos_flash_gauges(d->model, gauges);
	flash_drive_unlock(d, noio);
}

/**
 * flash_drive_in_force - the parameters as the drive goes by them
 * @d: the drive
 * @cfg: gets them
 *
 * Context: may sleep.
 */
void flash_drive_in_force(struct flash_drive *d,
			  struct ssdqos_flash_config *cfg)
{
	unsigned int noio = flash_drive_lock(d);
	unsigned long flags;

	spin_lock_irqsave(&d->lock, flags);
	ssdqos_flash_in_force(d->model, cfg);
	spin_unlock_irqrestore(&d->lock, flags);
	flash_drive_unlock(d, noio);
}

/**
 * flash_drive_work - what the tasks did since the last reset
 * @d: the drive
 * @work: gets it
 *
 * Context: may sleep.
 */
void flash_drive_work(struct flash_drive *d, struct flash_work *work)
{
	unsigned int noio = flash_drive_lock(d);
	unsigned long flags;
	u32 task;

	spin_lock_irqsave(&d->lock, flags);
	for (task = 0; task < SSDQOS_NR_TASKS; task++)
		work->task[task] = *ssdqos_flash_task_stats(d->model, task);
	work->waits = *ssdqos_flash_host_waits(d->model);
	spin_unlock_irqrestore(&d->lock, flags);
	flash_drive_unlock(d, noio);
}

/* ---- life ---- */

static bool flash_drive_matches(const struct flash_drive *d,
				struct mapped_device *md, u64 begin,
				u64 nr_sectors,
				const struct ssdqos_flash_config *cfg)
{
	return d->md == md && d->begin == begin &&
	       d->nr_sectors == nr_sectors &&
	       ssdqos_flash_config_same_drive(&d->created, cfg);
}

static void flash_drive_free(struct flash_drive *d)
{
	ssdqos_flash_destroy(d->model);
	kvfree(d->state);
	kvfree(d->latency);
	mutex_destroy(&d->mutex);
	kfree(d);
}

static struct flash_drive *flash_drive_create(u64 nr_sectors,
					      const struct ssdqos_flash_config *cfg,
					      char *err)
{
	struct flash_drive *d = kzalloc(sizeof(*d), GFP_KERNEL);

	if (!d)
		goto no_memory;
	spin_lock_init(&d->lock);
	mutex_init(&d->mutex);
	init_waitqueue_head(&d->idle);
	bio_list_init(&d->hold);
	kref_init(&d->ref);
	hrtimer_setup(&d->timer, flash_drive_timer, CLOCK_MONOTONIC,
		      HRTIMER_MODE_ABS);
	d->armed_ns = SSDQOS_NEVER_NS;
	d->latency = kvmalloc(sizeof(*d->latency), GFP_KERNEL);
	if (!d->latency)
		goto no_memory;
	flash_drive_clear_latency(d);
	d->model = ssdqos_flash_create(cfg, nr_sectors, err, FLASH_ERR_BYTES);
	if (!d->model)
		goto failed;
	d->created = *cfg;
	d->nr_sectors = nr_sectors;
	d->epoch_ns = ktime_get_ns();
	return d;

no_memory:
	scnprintf(err, FLASH_ERR_BYTES, "no memory for a drive");
failed:
	if (d)
		flash_drive_free(d);
	return NULL;
}

/**
 * flash_drive_get - the drive of a table segment
 * @md: mapped device
 * @begin: first sector of the segment
 * @nr_sectors: its length
 * @cfg: parameters of the table line
 * @err: FLASH_ERR_BYTES for one sentence on failure
 *
 * Return: with a reference, the drive that the segment has now, if the line
 * describes the same one; else a new drive; NULL on failure.
 */
struct flash_drive *flash_drive_get(struct mapped_device *md, u64 begin,
				    u64 nr_sectors,
				    const struct ssdqos_flash_config *cfg,
				    char *err)
{
	struct flash_drive *d;

	mutex_lock(&flash_drives_mutex);
	list_for_each_entry(d, &flash_drives, list)
		if (flash_drive_matches(d, md, begin, nr_sectors, cfg)) {
			kref_get(&d->ref);
			goto out_unlock;
		}
	d = flash_drive_create(nr_sectors, cfg, err);
	if (d) {
		d->md = md;
		d->begin = begin;
		d->dev = disk_devt(dm_disk(md));
		spin_lock(&flash_drives_lock);
		list_add(&d->list, &flash_drives);
		spin_unlock(&flash_drives_lock);
	}
out_unlock:
	mutex_unlock(&flash_drives_mutex);
	return d;
}

static void flash_drive_last_put(struct kref *ref)
{
	struct flash_drive *d = container_of(ref, struct flash_drive, ref);

	spin_lock(&flash_drives_lock);
	list_del(&d->list);
	spin_unlock(&flash_drives_lock);
	mutex_unlock(&flash_drives_mutex);	/* kref_put_mutex() took it */
	hrtimer_cancel(&d->timer);
	flash_drive_free(d);
}

/**
 * flash_drive_put - give a reference back
 * @d: the drive; no request of the caller's target is in it
 *
 * Context: sleeps.
 */
void flash_drive_put(struct flash_drive *d)
{
	kref_put_mutex(&d->ref, flash_drive_last_put, &flash_drives_mutex);
}

/**
 * flash_drive_wear - what the flash of a mapped device has gone through
 * @dev: number of a device
 * @wear: gets the sum over its segments
 *
 * Does not wait for drives that are being made, so that a suspended device may
 * ask.  Context: process.
 * Return: 0, or -ENOENT if it is none of ours.
 */
int flash_drive_wear(dev_t dev, struct flash_wear *wear)
{
	struct flash_drive *d;
	unsigned long flags;
	int r = -ENOENT;

	*wear = (struct flash_wear){ };
	spin_lock(&flash_drives_lock);
	list_for_each_entry(d, &flash_drives, list) {
		if (d->dev != dev)
			continue;
		spin_lock_irqsave(&d->lock, flags);
		flash_drive_add_wear(d, wear);
		spin_unlock_irqrestore(&d->lock, flags);
		r = 0;
	}
	spin_unlock(&flash_drives_lock);
	return r;
}
