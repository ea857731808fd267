/* SPDX-License-Identifier: GPL-2.0 */
/*
 * compat.h - every difference between kernel versions
 *
 * Kbuild looks for features in the kernel's headers and defines
 * SSDQOS_HAVE_*; the rest of the module reads as for the newest kernel.
 */
#ifndef SSDQOS_COMPAT_H
#define SSDQOS_COMPAT_H

#include <linux/blkdev.h>
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

#ifdef REQ_ATOMIC
#define SSDQOS_REQ_ATOMIC REQ_ATOMIC
#else
#define SSDQOS_REQ_ATOMIC 0
#endif

/* What a request is answered that no drive could do: it is too small, say. */
#ifdef BLK_STS_INVAL
#define SSDQOS_STS_INVAL BLK_STS_INVAL
#else
#define SSDQOS_STS_INVAL BLK_STS_NOTSUPP
#endif

/* Write zeroes of so many sectors at most; those that unmap are the same. */
static inline void ssdqos_limit_write_zeroes(struct queue_limits *limits,
					     unsigned int sectors)
{
	limits->max_write_zeroes_sectors =
		min(limits->max_write_zeroes_sectors, sectors);
#ifdef SSDQOS_HAVE_WZEROES_UNMAP
	limits->max_hw_wzeroes_unmap_sectors =
		min(limits->max_hw_wzeroes_unmap_sectors, sectors);
#endif
}

/* Work queues were per CPU unless they said otherwise; then they have to say
 * either.
 */
#ifdef SSDQOS_HAVE_WQ_PERCPU
#define SSDQOS_WQ_PERCPU WQ_PERCPU
#else
#define SSDQOS_WQ_PERCPU 0
#endif

/* What the mode of a table says if it may write. */
#ifdef SSDQOS_HAVE_BLK_OPEN
#define SSDQOS_MODE_WRITE BLK_OPEN_WRITE
#else
#define SSDQOS_MODE_WRITE FMODE_WRITE
#endif

/* A device that is open for one owner alone. */
#if defined(SSDQOS_HAVE_BDEV_FILE)
typedef struct file ssdqos_bdev_handle;

static inline ssdqos_bdev_handle *
ssdqos_bdev_claim(dev_t dev, bool writable, void *owner)
{
	return bdev_file_open_by_dev(dev, BLK_OPEN_READ |
				     (writable ? BLK_OPEN_WRITE : 0), owner,
				     NULL);
}

static inline struct block_device *ssdqos_bdev_of(ssdqos_bdev_handle *handle)
{
	return file_bdev(handle);
}

static inline void ssdqos_bdev_release(ssdqos_bdev_handle *handle,
				       bool writable, void *owner)
{
	bdev_fput(handle);
}
#elif defined(SSDQOS_HAVE_BDEV_HANDLE)
typedef struct bdev_handle ssdqos_bdev_handle;

static inline ssdqos_bdev_handle *
ssdqos_bdev_claim(dev_t dev, bool writable, void *owner)
{
	return bdev_open_by_dev(dev, BLK_OPEN_READ |
				(writable ? BLK_OPEN_WRITE : 0), owner, NULL);
}

static inline struct block_device *ssdqos_bdev_of(ssdqos_bdev_handle *handle)
{
	return handle->bdev;
}

static inline void ssdqos_bdev_release(ssdqos_bdev_handle *handle,
				       bool writable, void *owner)
{
	bdev_release(handle);
}
#else
typedef struct block_device ssdqos_bdev_handle;

#ifdef SSDQOS_HAVE_BLK_OPEN
static inline ssdqos_bdev_handle *
ssdqos_bdev_claim(dev_t dev, bool writable, void *owner)
{
	return blkdev_get_by_dev(dev, BLK_OPEN_READ |
				 (writable ? BLK_OPEN_WRITE : 0), owner, NULL);
}

static inline void ssdqos_bdev_release(ssdqos_bdev_handle *handle,
				       bool writable, void *owner)
{
	blkdev_put(handle, owner);
}
#else
static inline fmode_t ssdqos_bdev_mode(bool writable)
{
	return FMODE_READ | FMODE_EXCL | (writable ? FMODE_WRITE : 0);
}

static inline ssdqos_bdev_handle *
ssdqos_bdev_claim(dev_t dev, bool writable, void *owner)
{
	return blkdev_get_by_dev(dev, ssdqos_bdev_mode(writable), owner);
}

static inline void ssdqos_bdev_release(ssdqos_bdev_handle *handle,
				       bool writable, void *owner)
{
	blkdev_put(handle, ssdqos_bdev_mode(writable));
}
#endif

static inline struct block_device *ssdqos_bdev_of(ssdqos_bdev_handle *handle)
{
	return handle;
}
#endif

#endif /* SSDQOS_COMPAT_H */
