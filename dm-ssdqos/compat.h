/* SPDX-License-Identifier: GPL-2.0 */
/*
 * compat.h - every difference between kernel versions
 *
 * Kbuild looks for features in the kernel's headers and defines
 * SSDQOS_HAVE_*; the rest of the module reads as for the newest kernel.
 */
#ifndef SSDQOS_COMPAT_H
#define SSDQOS_COMPAT_H

#include <linux/device-mapper.h>
#include <linux/hrtimer.h>
#include <linux/sysfs.h>

#ifndef SSDQOS_HAVE_HRTIMER_SETUP
static inline void
hrtimer_setup(struct hrtimer *timer,
	      enum hrtimer_restart (*function)(struct hrtimer *),
	      clockid_t clock_id, enum hrtimer_mode mode)
{
	hrtimer_init(timer, clock_id, mode);
	timer->function = function;
}
#endif

/* What a binary attribute's read and write get. */
#ifdef SSDQOS_HAVE_CONST_BIN_ATTRIBUTE
typedef const struct bin_attribute ssdqos_bin_attribute;
#else
typedef struct bin_attribute ssdqos_bin_attribute;
#endif

/* What a target's prepare_ioctl gets after the device's place. */
#ifdef SSDQOS_HAVE_PREPARE_IOCTL_CMD
#define SSDQOS_PREPARE_IOCTL_REST \
	, unsigned int cmd, unsigned long arg, bool *forward
#else
#define SSDQOS_PREPARE_IOCTL_REST
#endif

/* Atomic writes pass through targets that say so. */
#ifdef DM_TARGET_ATOMIC_WRITES
#define SSDQOS_TARGET_ATOMIC_WRITES DM_TARGET_ATOMIC_WRITES
#else
#define SSDQOS_TARGET_ATOMIC_WRITES 0
#endif

/* Work queues were per CPU unless they said otherwise; then they have to say
 * either.
 */
#ifdef SSDQOS_HAVE_WQ_PERCPU
#define SSDQOS_WQ_PERCPU WQ_PERCPU
#else
#define SSDQOS_WQ_PERCPU 0
#endif

#endif /* SSDQOS_COMPAT_H */
