/* SPDX-License-Identifier: GPL-2.0 */
/*
 * journal_device.h - what the journal of a mirror is written to: a drive model, or a latency and
 * a rate
 */
#ifndef SSDQOS_SIM_JOURNAL_DEVICE_H
#define SSDQOS_SIM_JOURNAL_DEVICE_H

#include "members.h"

/**
 * struct journal_device_options - what the command line says of it
 * @drive: the model, if it has one
 * @size_bytes: capacity, 0 for twice the cache
 * @latency_ns: of a write, when it has been transferred; without a model
 * @rate: bytes a second that it takes, likewise
 */
struct journal_device_options {
	struct drive_options drive;
	u64 size_bytes;
	u64 latency_ns;
	u64 rate;
};

/* 20 us and 1 GiB a second: a partition of a drive that need not write flash first. */
#define JOURNAL_DEVICE_LATENCY_NS (20 * NS_PER_US)
#define JOURNAL_DEVICE_RATE (1ULL << 30)

struct journal_io;

/**
 * typedef journal_device_fn - a write has ended
 * @owner: whose
 * @failed: it could not be done; otherwise it is durable
 */
typedef void (*journal_device_fn)(void *owner, bool failed);

/**
 * struct journal_device - the device
 * @drive: the model, a member of its own; none without
 * @latency_ns: of a write
 * @rate: bytes a second
 * @blocks: capacity
 * @now_ns: the time
 * @busy_ns: until then it takes what it was given
 * @lost: nothing can be written any more
 * @ios: writes
 * @first: writes under way without a model, in order of time
 * @last: the last one of them
 */
struct journal_device {
	struct members drive;
	u64 latency_ns;
	u64 rate;
	u64 blocks;
	u64 now_ns;
	u64 busy_ns;
	bool lost;
	struct pool ios;
	struct journal_io *first;
	struct journal_io *last;
};

/**
 * journal_device_create - make it
 * @device: all zero; to be filled
 * @options: what the user wants
 * @cache_bytes: of the mirror
 * @seed: added to the seed of the model
 * @error: says what is wrong
 *
 * Return: 0, or -1; journal_device_destroy() is right either way.
 */
int journal_device_create(struct journal_device *device,
			  const struct journal_device_options *options, u64 cache_bytes, u64 seed,
			  struct sim_error *error);

/**
 * journal_device_destroy - free it
 * @device: the device
 */
void journal_device_destroy(struct journal_device *device);

/**
 * journal_device_write - write blocks with FUA
 * @device: the device
 * @block: the first one
 * @nr: how many
 * @done: is called by journal_device_reap() when they are durable, or could not be written
 * @owner: for @done
 */
void journal_device_write(struct journal_device *device, u64 block, u32 nr, journal_device_fn done,
			  void *owner);

/**
 * journal_device_advance - time goes on
 * @device: the device
 * @now_ns: the time
 */
void journal_device_advance(struct journal_device *device, u64 now_ns);

/**
 * journal_device_reap - tell who has written
 * @device: the device
 *
 * Return: how many writes have ended.
 */
u32 journal_device_reap(struct journal_device *device);

/**
 * journal_device_next_ns - when the next thing happens in it
 * @device: the device
 */
u64 journal_device_next_ns(const struct journal_device *device);

#endif
