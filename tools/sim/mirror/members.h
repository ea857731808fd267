/* SPDX-License-Identifier: GPL-2.0 */
/*
 * members.h - the drives of a mirror, and what they are doing
 */
#ifndef SSDQOS_SIM_MEMBERS_H
#define SSDQOS_SIM_MEMBERS_H

#include "../flash/drive.h"
#include "../flash/pool.h"
#include "../../../dm-ssdqos/core/mirror/mirror.h"

/* A request to one drive; who asked keeps the rest of it. */
struct member_io;

/**
 * typedef member_done_fn - a drive has answered
 * @io: what; goes back to the pool afterwards
 * @failed: it could not
 */
typedef void (*member_done_fn)(struct member_io *io, bool failed);

/**
 * struct member_io - a request to one drive
 * @flash: as the model sees it
 * @done: is called when it is answered
 * @owner: the asker's
 * @block: first block
 * @nr: blocks; 0 for a flush
 * @member: which drive
 * @tried: members that were asked before, a bit each; the asker's
 * @life: of the drive, when it was given
 */
struct member_io {
	struct ssdqos_flash_req flash;
	member_done_fn done;
	void *owner;
	u64 block;
	u32 nr;
	u32 member;
	u8 tried;
	u64 life;
};

/**
 * struct member - one of them
 * @drive: the model
 * @under_way: requests
 * @lives: how often it was taken away: what was given before fails
 * @gone: it is not there: all fails
 */
struct member {
	struct ssdqos_flash *drive;
	u32 under_way;
	u64 lives;
	bool gone;
};

/**
 * struct members - all of them
 * @member: by number
 * @nr: how many
 * @ios: requests
 * @now_ns: the time
 */
struct members {
	struct member member[SSDQOS_MIRROR_MAX_MEMBERS];
	u32 nr;
	struct pool ios;
	u64 now_ns;
};

/**
 * members_create - make the drives
 * @members: all zero; to be filled
 * @options: of all of them
 * @nr: how many
 * @seed: added to the seed of the model: each drive has its own
 * @error: says what is wrong
 *
 * Return: 0, or -1; members_destroy() is right either way.
 */
int members_create(struct members *members, const struct drive_options *options, u32 nr, u64 seed,
		   struct sim_error *error);

/**
 * members_destroy - free the drives
 * @members: the drives
 */
void members_destroy(struct members *members);

/**
 * members_blocks - size of a member
 * @members: the drives, which are of one size
 */
u64 members_blocks(const struct members *members);

/**
 * members_io - a request to be sent
 * @members: the drives
 * @done: is called when it is answered
 * @owner: whatever @done needs
 *
 * Return: the request, with nothing else in it.
 */
struct member_io *members_io(struct members *members, member_done_fn done, void *owner);

/**
 * members_send - give a drive something to do
 * @members: the drives
 * @io: from members_io(), with @block, @nr and @member
 * @op: enum ssdqos_flash_op
 * @fua: it is to be durable when it is done
 */
void members_send(struct members *members, struct member_io *io, u32 op, bool fua);

/**
 * members_advance - time goes on
 * @members: the drives
 * @now_ns: the time
 */
void members_advance(struct members *members, u64 now_ns);

/**
 * members_reap - tell askers what was answered
 * @members: the drives
 *
 * Return: how many requests.
 */
u32 members_reap(struct members *members);

/**
 * members_next_ns - when the next thing happens in a drive
 * @members: the drives
 */
u64 members_next_ns(const struct members *members);

#endif
