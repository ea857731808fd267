// SPDX-License-Identifier: GPL-2.0
/*
 * look.c - a running drive is tuned, and looked at
 */
#include "dm/common/noio.h"
#include "drive.h"
#include "look.h"
#include "run.h"

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
	unsigned int noio = ssdqos_noio_lock(&d->mutex);
	unsigned long flags = flash_run_begin(d);
	int r = ssdqos_flash_set(d->model, key, value, err, FLASH_ERR_BYTES);

	flash_run_end(d, flags);	/* also shares that have changed */
	ssdqos_noio_unlock(&d->mutex, noio);
	return r;
}

/* A line that is in force is no change: the model would look for work, and a
 * recorded run would not repeat.
 */
static int flash_look_take_config(struct flash_drive *d,
				  const struct ssdqos_flash_config *cfg,
				  char *err)
{
	if (!memcmp(cfg, ssdqos_flash_config(d->model), sizeof(*cfg)))
		return 0;
	return ssdqos_flash_retune(d->model, cfg, err, FLASH_ERR_BYTES);
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
	unsigned int noio = ssdqos_noio_lock(&d->mutex);
	unsigned long flags = flash_run_begin(d);
	int r = flash_look_take_config(d, cfg, err);

	flash_run_end(d, flags);
	ssdqos_noio_unlock(&d->mutex, noio);
	return r;
}

/**
 * flash_look_clear_latency - histograms begin anew
 * @d: the drive; its lock is held, or nobody knows it yet
 */
void flash_look_clear_latency(struct flash_drive *d)
{
	u32 op;

	for (op = 0; op < SSDQOS_FLASH_NR_OPS; op++)
		ssdqos_hist_init(&d->latency->model[op]);
	ssdqos_hist_init(&d->latency->late);
	atomic64_set(&d->backing_late, 0);
	atomic64_set(&d->backing_late_ns, 0);
}

/**
 * flash_look_add_wear - add what a drive has done since it was made
 * @d: the drive
 * @wear: to this
 *
 * Context: the drive's lock is held.
 */
void flash_look_add_wear(const struct flash_drive *d, struct flash_wear *wear)
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
	unsigned int noio = ssdqos_noio_lock(&d->mutex);
	struct flash_wear past = { };
	unsigned long flags;

	spin_lock_irqsave(&d->lock, flags);
	flash_look_add_wear(d, &past);
	d->past = past;	/* cells don't forget */
	ssdqos_flash_reset_stats(d->model);
	flash_look_clear_latency(d);
	spin_unlock_irqrestore(&d->lock, flags);
	ssdqos_noio_unlock(&d->mutex, noio);
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
	unsigned int noio = ssdqos_noio_lock(&d->mutex);
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
	ssdqos_noio_unlock(&d->mutex, noio);
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
	unsigned int noio = ssdqos_noio_lock(&d->mutex);
	unsigned long flags;

	spin_lock_irqsave(&d->lock, flags);
	ssdqos_flash_in_force(d->model, cfg);
	spin_unlock_irqrestore(&d->lock, flags);
	ssdqos_noio_unlock(&d->mutex, noio);
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
	unsigned int noio = ssdqos_noio_lock(&d->mutex);
	unsigned long flags;
	u32 task;

	spin_lock_irqsave(&d->lock, flags);
	for (task = 0; task < SSDQOS_NR_TASKS; task++)
		work->task[task] = *ssdqos_flash_task_stats(d->model, task);
	work->waits = *ssdqos_flash_host_waits(d->model);
	spin_unlock_irqrestore(&d->lock, flags);
	ssdqos_noio_unlock(&d->mutex, noio);
}
