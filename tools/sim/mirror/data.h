/* SPDX-License-Identifier: GPL-2.0 */
/*
 * data.h - what is where: numbers of writes stand for data, a later write has a larger one
 */
#ifndef SSDQOS_SIM_MIRROR_DATA_H
#define SSDQOS_SIM_MIRROR_DATA_H

#include "../../../dm-ssdqos/core/mirror/mirror.h"

/* Some blocks of each region of 1 MiB: many more than drives lose, for short runs. */
#define MIRROR_DATA_ROT_BLOCKS 100

/**
 * struct mirror_data - what is where; 0 is what nobody may count on
 * @newest: by block, what was written last
 * @slots: by slot of the cache
 * @members: by member and block; NULL beyond the last one
 * @blocks: size of the mirror
 * @writes: number of the last one
 * @is_on: somebody looks at it
 */
struct mirror_data {
	u32 *newest;
	u32 *slots;
	u32 *members[SSDQOS_MIRROR_MAX_MEMBERS];
	u64 blocks;
	u32 writes;
	bool is_on;
};

/**
 * mirror_data_create - nothing was written yet
 * @data: all zero; to be filled
 * @blocks: size of the mirror
 * @slots: of its cache
 * @members: how many
 *
 * Return: false without memory; mirror_data_destroy() is right either way.
 */
bool mirror_data_create(struct mirror_data *data, u64 blocks, u32 slots, u32 members);

/**
 * mirror_data_destroy - free it
 * @data: what is where
 */
void mirror_data_destroy(struct mirror_data *data);

/**
 * mirror_data_publish - a client writes a block
 * @data: what is where
 * @block: which
 * @slot: of the cache
 */
void mirror_data_publish(struct mirror_data *data, u64 block, u32 slot);

/**
 * mirror_data_discard - a client discards blocks
 * @data: what is where
 * @block: the first
 * @nr: how many
 */
void mirror_data_discard(struct mirror_data *data, u64 block, u32 nr);

/**
 * mirror_data_write - a member was written
 * @data: what is where
 * @op: what
 */
void mirror_data_write(struct mirror_data *data, const struct ssdqos_mirror_op *op);

/**
 * mirror_data_trim - a member has done a discard
 * @data: what is where
 * @op: what
 */
void mirror_data_trim(struct mirror_data *data, const struct ssdqos_mirror_op *op);

/**
 * mirror_data_copy - members were copied to
 * @data: what is where
 * @op: what
 */
void mirror_data_copy(struct mirror_data *data, const struct ssdqos_mirror_op *op);

/**
 * mirror_data_forget - a member has nothing any more
 * @data: what is where
 * @member: which
 */
void mirror_data_forget(struct mirror_data *data, u32 member);

/**
 * mirror_data_rot - a member has lost what it had in one of MIRROR_DATA_ROT_BLOCKS blocks
 * @data: what is where
 * @member: which
 */
void mirror_data_rot(struct mirror_data *data, u32 member);

/**
 * mirror_data_compare - members are compared
 * @data: what is where
 * @mirror: it says what is to be left out
 * @op: who with whom; gets how many blocks differ
 *
 * Return: those who differ, a bit each.
 */
u32 mirror_data_compare(const struct mirror_data *data, const struct ssdqos_mirror *mirror,
			struct ssdqos_mirror_op *op);

/**
 * mirror_data_stale - what of a region a member does not have as it was written last
 * @data: what is where
 * @member: which
 * @block: the first block
 * @nr: how many
 *
 * Return: so many blocks.
 */
u64 mirror_data_stale(const struct mirror_data *data, u32 member, u64 block, u64 nr);

/**
 * mirror_data_wrong - has a source something else than what was written last?
 * @data: what is where
 * @block: the first block that is read
 * @source: where from
 *
 * Return: so many blocks.
 */
u64 mirror_data_wrong(const struct mirror_data *data, u64 block,
		      const struct ssdqos_mirror_source *source);

#endif
