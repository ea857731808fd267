// SPDX-License-Identifier: GPL-2.0
/*
 * journal_device.c - what the journal of a mirror is written to
 *
 * Without a drive model, writes are transferred one after the other at the device's rate, and
 * each is durable a latency after that; so latencies of several overlap, as they do in a drive.
 */
#include "journal_device.h"

#include "../../../dm-ssdqos/core/mirror/journal.h"

/* As large as the cache, if writes are single blocks and each takes a header. */
#define DEFAULT_CACHES 2

/* A write under way; @due_ns without a model. */
struct journal_io {
	struct journal_device *device;
	journal_device_fn done;
	void *owner;
	u64 due_ns;
	struct journal_io *next;
};

static void end(struct journal_io *io, bool failed)
{
	struct journal_device *device = io->device;

	io->done(io->owner, failed || device->lost);
	pool_put(&device->ios, io);
}

static void drive_done(struct member_io *io, bool failed)
{
	end(io->owner, failed);
}

static bool has_drive(const struct journal_device *device)
{
	return device->drive.nr;
}

static void send_to_drive(struct journal_io *io, u64 block, u32 nr)
{
	struct members *drive = &io->device->drive;
	struct member_io *write = members_io(drive, drive_done, io);

	write->block = block;
	write->nr = nr;
	members_send(drive, write, SSDQOS_FLASH_WRITE, true);
}

static void transfer(struct journal_io *io, u32 nr)
{
	struct journal_device *device = io->device;
	const u64 bytes = (u64)nr * SSDQOS_MIRROR_BLOCK_BYTES;

	device->busy_ns = max(device->busy_ns, device->now_ns) + bytes * NS_PER_S / device->rate;
	io->due_ns = device->busy_ns + device->latency_ns;
	io->next = NULL;
	if (device->first)
		device->last->next = io;
	else
		device->first = io;
	device->last = io;
}

void journal_device_write(struct journal_device *device, u64 block, u32 nr, journal_device_fn done,
			  void *owner)
{
	struct journal_io *io = pool_get(&device->ios);

	*io = (struct journal_io){ .device = device, .done = done, .owner = owner };
	if (has_drive(device))
		send_to_drive(io, block, nr);
	else
		transfer(io, nr);
}

void journal_device_advance(struct journal_device *device, u64 now_ns)
{
	device->now_ns = now_ns;
	members_advance(&device->drive, now_ns);
}

u32 journal_device_reap(struct journal_device *device)
{
	u32 nr = members_reap(&device->drive);

	for (; device->first && device->first->due_ns <= device->now_ns; nr++) {
		struct journal_io *io = device->first;

		device->first = io->next;
		end(io, false);
	}
	return nr;
}

u64 journal_device_next_ns(const struct journal_device *device)
{
	const u64 ns = members_next_ns(&device->drive);

	return device->first ? min(ns, device->first->due_ns) : ns;
}

int journal_device_create(struct journal_device *device,
			  const struct journal_device_options *options, u64 cache_bytes, u64 seed,
			  struct sim_error *error)
{
	struct drive_options drive = options->drive;

	drive.size_bytes = options->size_bytes ? options->size_bytes : DEFAULT_CACHES * cache_bytes;
	device->latency_ns = options->latency_ns;
	device->rate = options->rate;
	device->blocks = drive.size_bytes / SSDQOS_MIRROR_BLOCK_BYTES;
	pool_init(&device->ios, sizeof(struct journal_io));
	if (drive.model) {
		if (members_create(&device->drive, &drive, 1, seed, error))
			return -1;
		device->blocks = members_blocks(&device->drive);
	}
	device->blocks = min(device->blocks, (u64)SSDQOS_JOURNAL_MAX_SIZE);
	if (device->blocks < SSDQOS_JOURNAL_MIN_SIZE)
		return sim_error_set(error, "--journal-size: %llu blocks of 4 KiB, and %u are needed",
				     device->blocks, SSDQOS_JOURNAL_MIN_SIZE);
	return 0;
}

void journal_device_destroy(struct journal_device *device)
{
	members_destroy(&device->drive);
	pool_free(&device->ios);
}
