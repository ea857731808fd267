// SPDX-License-Identifier: GPL-2.0
#include "members.h"

#include <stdio.h>

#define SEED_BYTES 64

/* As the options say, with a seed of its own: drives that age alike would rest alike. */
static struct ssdqos_flash *create(const struct drive_options *options, u64 seed,
				   struct sim_error *error)
{
	struct drive_options own = *options;
	struct ssdqos_flash_config config;
	char set[SEED_BYTES];

	if (drive_configure(&own, &config, error))
		return NULL;
	snprintf(set, sizeof(set), "seed=%llu", config.seed + seed);
	if (own.sets.nr < OPTION_LIST_MAX)
		own.sets.text[own.sets.nr++] = set;
	return drive_create(&own, error);
}

int members_create(struct members *members, const struct drive_options *options, u32 nr, u64 seed,
		   struct sim_error *error)
{
	pool_init(&members->ios, sizeof(struct member_io));
	for (; members->nr < nr; members->nr++) {
		struct member *member = &members->member[members->nr];

		member->drive = create(options, seed + members->nr, error);
		if (!member->drive)
			return -1;
	}
	return 0;
}

void members_destroy(struct members *members)
{
	for (u32 i = 0; i < members->nr; i++)
		ssdqos_flash_destroy(members->member[i].drive);
	pool_free(&members->ios);
}

u64 members_blocks(const struct members *members)
{
	return drive_bytes(members->member[0].drive) / SSDQOS_MIRROR_BLOCK_BYTES;
}

struct member_io *members_io(struct members *members, member_done_fn done, void *owner)
{
	struct member_io *io = pool_get(&members->ios);

	*io = (struct member_io){ .done = done, .owner = owner };
	return io;
}

void members_send(struct members *members, struct member_io *io, u32 op, bool fua)
{
	struct member *member = &members->member[io->member];

	io->life = member->lives;
	io->flash.op = (u8)op;
	io->flash.fua = fua;
	io->flash.sector = io->block * SSDQOS_MIRROR_BLOCK_SECTORS;
	io->flash.nr_sectors = io->nr * SSDQOS_MIRROR_BLOCK_SECTORS;
	io->flash.arrival_ns = members->now_ns;
	member->under_way++;
	ssdqos_flash_submit(member->drive, &io->flash);
}

void members_advance(struct members *members, u64 now_ns)
{
	members->now_ns = now_ns;
	for (u32 i = 0; i < members->nr; i++)
		while (!ssdqos_flash_advance(members->member[i].drive, now_ns))
			;
}

static u32 reap(struct members *members, struct member *member)
{
	struct ssdqos_flash_req *req = ssdqos_flash_take_done(member->drive);
	u32 nr = 0;

	for (; req; nr++) {
		struct member_io *io = container_of(req, struct member_io, flash);

		req = req->next;
		member->under_way--;
		io->done(io, member->gone || io->life != member->lives);
		pool_put(&members->ios, io);
	}
	return nr;
}

u32 members_reap(struct members *members)
{
	u32 nr = 0;

	for (u32 i = 0; i < members->nr; i++)
		nr += reap(members, &members->member[i]);
	return nr;
}

u64 members_next_ns(const struct members *members)
{
	u64 ns = SSDQOS_NEVER_NS;

	for (u32 i = 0; i < members->nr; i++)
		ns = min(ns, ssdqos_flash_next_ns(members->member[i].drive));
	return ns;
}
