/* SPDX-License-Identifier: GPL-2.0 */
/*
 * noio.h - a mutex for which writes to our own devices may wait
 */
#ifndef SSDQOS_NOIO_H
#define SSDQOS_NOIO_H

#include <linux/mutex.h>
#include <linux/sched/mm.h>

/**
 * ssdqos_noio_lock - take a mutex, and need no memory that is written first
 * @mutex: who waits for it may hold up what would be written to a device of ours
 *
 * Context: may sleep.
 * Return: for ssdqos_noio_unlock().
 */
static inline unsigned int ssdqos_noio_lock(struct mutex *mutex)
{
	unsigned int noio = memalloc_noio_save();

	mutex_lock(mutex);
	return noio;
}

/**
 * ssdqos_noio_unlock - the opposite
 * @mutex: the mutex
 * @noio: what ssdqos_noio_lock() returned
 */
static inline void ssdqos_noio_unlock(struct mutex *mutex, unsigned int noio)
{
	mutex_unlock(mutex);
	memalloc_noio_restore(noio);
}

#endif /* SSDQOS_NOIO_H */
