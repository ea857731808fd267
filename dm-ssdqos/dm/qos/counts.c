// SPDX-License-Identifier: GPL-2.0
/*
 * counts.c - what passed without the scheduler, summed up
 */
#include <linux/percpu.h>

#include "drive.h"

/* One CPU's sums, none of them seen in two halves. */
static void counts_read(const struct qos_cpu_counts *c,
			const struct qos_cpu_sums *sums, struct qos_counts *to)
{
	unsigned int start, i;

	do {
		start = u64_stats_fetch_begin(&c->sync);
		for (i = 0; i < SSDQOS_EDF_NR_KINDS; i++)
			to->nr[i] = u64_stats_read(&sums->nr[i]);
		to->read_bytes = u64_stats_read(&sums->read_bytes);
		to->write_bytes = u64_stats_read(&sums->write_bytes);
		to->unseen_bytes = u64_stats_read(&sums->unseen_bytes);
		to->bypassed_bytes = u64_stats_read(&sums->bypassed_bytes);
	} while (u64_stats_fetch_retry(&c->sync, start));
}

static void counts_sum(struct qos_counts *sum, const struct qos_counts *more,
		       const struct qos_counts *less)
{
	unsigned int i;

	for (i = 0; i < SSDQOS_EDF_NR_KINDS; i++)
		sum->nr[i] += more->nr[i] - less->nr[i];
	sum->read_bytes += more->read_bytes - less->read_bytes;
	sum->write_bytes += more->write_bytes - less->write_bytes;
	sum->unseen_bytes += more->unseen_bytes - less->unseen_bytes;
	sum->bypassed_bytes += more->bypassed_bytes - less->bypassed_bytes;
}

/**
 * qos_io_add_counts - what passed without the scheduler
 * @st: the stream
 * @sum: grows by the sum over all CPUs, since the stream was made
 *
 * A request that was refused on another CPU than it came by may be missing
 * meanwhile: a sum can be less than it was.
 * Context: any.
 */
void qos_io_add_counts(const struct qos_stream *st, struct qos_counts *sum)
{
	struct qos_counts sent, refused;
	unsigned int cpu;

	for_each_possible_cpu(cpu) {
		const struct qos_cpu_counts *c = per_cpu_ptr(st->counts, cpu);

		counts_read(c, &c->refused, &refused);
		counts_read(c, &c->sent, &sent);
		counts_sum(sum, &sent, &refused);
	}
}

/**
 * qos_drive_counts - what passed without the scheduler since the drive was made
 * @d: the drive
 * @sum: gets the sum over its streams, with those that are no more
 *
 * Context: @mutex is held.
 */
void qos_drive_counts(const struct qos_drive *d, struct qos_counts *sum)
{
	const struct qos_stream *st;

	lockdep_assert_held(&d->mutex);
	*sum = d->gone;
	list_for_each_entry(st, &d->streams, list)
		qos_io_add_counts(st, sum);
}
