// SPDX-License-Identifier: GPL-2.0
/*
 * ready.c - a drive's life goes on, and its wear is counted
 *
 * Writes come here one by one only while a policy is enforced (io.c).
 * Those that passed otherwise are counted per CPU, and charged together by
 * whoever looks next; a byte is in either, so policies come and go without
 * one being lost or charged twice.
 */
#include <linux/ktime.h>
#include <linux/mm.h>
#include <linux/timekeeping.h>

#include "drive.h"

/* Gauges take some ten microseconds without interrupts, and anybody may read
 * them: not more often than this.
 */
#define READY_GAUGES_NS (20 * NSEC_PER_MSEC)

/* For how long the machine has slept since it has power. */
static u64 qos_ready_slept_ns(void)
{
	return ktime_to_ns(ktime_mono_to_any(0, TK_OFFS_BOOT));
}

/**
 * qos_ready_change_begin - as qos_io_change_begin(), for who looks at the lifetime
 * @d: the drive
 *
 * What was written without coming here has been charged then.
 * Context: @mutex is held, irqs are on; the drive's lock is held on return.
 * Return: time, for the change and for qos_io_change_end().
 */
u64 qos_ready_change_begin(struct qos_drive *d)
	__acquires(&d->lock)
{
	struct qos_counts counts;
	u64 now_ns;

	/* not with the lock: there may be many CPUs */
	qos_drive_counts(d, &counts);
	now_ns = qos_io_change_begin(d);
	ssdqos_ready_clock(d->ready, qos_life_wall_s(), qos_ready_slept_ns(),
			   now_ns);
	/* less, when the device has refused what was charged: made up for later */
	if (counts.bypassed_bytes > d->charged_bypassed_bytes) {
		ssdqos_ready_wrote(d->ready, counts.bypassed_bytes -
				   d->charged_bypassed_bytes, now_ns);
		d->charged_bypassed_bytes = counts.bypassed_bytes;
	}
	return now_ns;
}

/**
 * qos_ready_set - put parameters of the lifetime in force
 * @st: the stream; the scheduler has its parameters, and the drive's
 * @now_ns: time
 *
 * Context: the drive's lock and its mutex are held.
 */
void qos_ready_set(struct qos_stream *st, u64 now_ns)
{
	struct qos_drive *d = st->drive;

	lockdep_assert_held(&d->lock);
	ssdqos_ready_set(d->ready, &d->edf.reads->cfg, d->disk_bytes, now_ns);
	ssdqos_ready_set_stream(&st->ready, st->edf.reads.cfg.delay_weight);
}

/**
 * qos_ready_tick - time has passed
 * @d: the drive
 * @now_ns: time
 *
 * Context: the drive's lock is held.
 */
void qos_ready_tick(struct qos_drive *d, u64 now_ns)
{
	struct ssdqos_watch_event events[SSDQOS_READY_MAX_EVENTS];
	u32 nr;

	lockdep_assert_held(&d->lock);
	nr = ssdqos_ready_tick(d->ready, now_ns, events);
	if (nr)
		qos_tell_add(d, NULL, events, nr);
}

/**
 * qos_ready_stale - what a drive shows of its life has been changed
 * @d: the drive
 *
 * Context: @mutex is held.
 */
void qos_ready_stale(struct qos_drive *d)
{
	lockdep_assert_held(&d->mutex);
	d->gauges_until_ns = 0;
}

/* @mutex is held. */
static void qos_ready_refresh(struct qos_drive *d)
{
	u64 now_ns;

	lockdep_assert_held(&d->mutex);
	if (ktime_get_ns() < d->gauges_until_ns)
		return;
	now_ns = qos_ready_change_begin(d);
	qos_ready_tick(d, now_ns);
	ssdqos_ready_look(d->ready, now_ns, &d->gauges);
	d->gauges_until_ns = now_ns + READY_GAUGES_NS;
	qos_io_change_end(d, now_ns);
}

/**
 * qos_ready_look - what a drive shows of its life
 * @d: the drive
 * @gauges: filled, with what is not older than READY_GAUGES_NS
 *
 * Context: @mutex is held; may sleep.
 */
void qos_ready_look(struct qos_drive *d, struct ssdqos_ready_gauges *gauges)
{
	qos_ready_refresh(d);
	*gauges = d->gauges;
}

/**
 * qos_ready_gauges - the same, for who has no lock
 * @d: the drive
 * @gauges: filled
 *
 * Context: may sleep.
 */
void qos_ready_gauges(struct qos_drive *d, struct ssdqos_ready_gauges *gauges)
{
	unsigned int noio = qos_drive_lock(d);

	qos_ready_look(d, gauges);
	qos_drive_unlock(d, noio);
}

/**
 * qos_ready_search - find a better length for epochs, if one is wanted
 * @d: the drive
 *
 * Context: sleeps; @mutex is held.  Takes some milliseconds, in which bios go on.
 */
void qos_ready_search(struct qos_drive *d)
{
	u32 nr, most, windows;
	u64 *sums, now_ns;

	lockdep_assert_held(&d->mutex);
	if (!READ_ONCE(d->ready->search))
		return;
	/* if there is no memory, the next look has some */
	sums = kvmalloc_array(SSDQOS_READY_NR_SUMS, sizeof(*sums),
			      GFP_NOIO | __GFP_NOWARN);
	if (!sums)
		return;
	spin_lock_irq(&d->lock);
	nr = ssdqos_ready_history(d->ready, sums);
	most = ssdqos_ready_most_windows(d->ready);
	spin_unlock_irq(&d->lock);
	windows = ssdqos_ready_best_windows(sums, nr, most);
	kvfree(sums);
	now_ns = qos_io_change_begin(d);
	ssdqos_ready_search(d->ready, windows);
	qos_io_change_end(d, now_ns);
}

/* ---- message "wear" ---- */

/* What a report may say. */
static const struct {
	const char *name;
	size_t offset;
} qos_ready_report_rows[] = {
	{ "flash_bytes", offsetof(struct ssdqos_wear_report, flash_bytes) },
	{ "host_bytes", offsetof(struct ssdqos_wear_report, host_bytes) },
	{ "used_permyriad", offsetof(struct ssdqos_wear_report, used_permyriad) },
};

static int qos_ready_parse(struct ssdqos_wear_report *report, const char *key,
			   const char *value, char *err)
{
	u32 i;

	for (i = 0; i < ARRAY_SIZE(qos_ready_report_rows); i++) {
		u64 *to = (void *)report + qos_ready_report_rows[i].offset;

		if (strcmp(key, qos_ready_report_rows[i].name))
			continue;
		if (!kstrtou64(value, 10, to))
			return 0;
		scnprintf(err, QOS_ERR_BYTES, "wear: %s: '%s' is not a number",
			  key, value);
		return -EINVAL;
	}
	scnprintf(err, QOS_ERR_BYTES,
		  "wear: '%s' is unknown; use flash_bytes, host_bytes or used_permyriad",
		  key);
	return -EINVAL;
}

/**
 * qos_ready_report - somebody knows how worn the drive is
 * @st: a stream of the drive
 * @argc: length of @argv
 * @argv: keys and values
 * @err: QOS_ERR_BYTES for one sentence on failure
 *
 * Context: may sleep.
 * Return: 0 or a negative error.
 */
int qos_ready_report(struct qos_stream *st, unsigned int argc, char **argv,
		     char *err)
{
	struct ssdqos_wear_report report = { 0 };
	struct qos_drive *d = st->drive;
	unsigned int i, noio;
	u64 now_ns;
	int r = 0;

	if (!argc || argc % 2) {
		scnprintf(err, QOS_ERR_BYTES,
			  "wear: '%s': every number needs its name before it",
			  argc ? argv[argc - 1] : "");
		return -EINVAL;
	}
	for (i = 0; i < argc && !r; i += 2)
		r = qos_ready_parse(&report, argv[i], argv[i + 1], err);
	if (r)
		return r;
	if (READ_ONCE(d->keep.is_flash)) {
		scnprintf(err, QOS_ERR_BYTES,
			  "wear: the ssdqos-flash drive below is asked, and nobody else");
		return -EBUSY;
	}
	noio = qos_drive_lock(d);
	r = qos_owner_may_change(st, "wear", err);
	if (!r) {
		now_ns = qos_ready_change_begin(d);
		r = ssdqos_ready_report(d->ready, &report, now_ns, err,
					QOS_ERR_BYTES);
		/* its events, if it is the only one that uses the drive */
		qos_ready_tick(d, now_ns);
		qos_io_change_end(d, now_ns);
		qos_ready_stale(d);
	}
	qos_drive_unlock(d, noio);
	return r;
}
