/* SPDX-License-Identifier: GPL-2.0 */
/*
 * disk.h - what a mirror keeps on its metadata device (disk.c)
 */
#ifndef SSDQOS_MIRROR_DISK_H
#define SSDQOS_MIRROR_DISK_H

#include "../env.h"

/* All is read and written in such blocks; more than any disk's sector. */
#define SSDQOS_DISK_BLOCK_BYTES 4096u
#define SSDQOS_DISK_SECTOR_BYTES 512u
#define SSDQOS_DISK_SECTORS_PER_KIB (1024u / SSDQOS_DISK_SECTOR_BYTES)
#define SSDQOS_DISK_BLOCK_SECTORS \
	(SSDQOS_DISK_BLOCK_BYTES / SSDQOS_DISK_SECTOR_BYTES)
/* What a block says of itself; what it has to say is behind that. */
#define SSDQOS_DISK_HEADER_BYTES 64u
#define SSDQOS_DISK_PAYLOAD_BYTES \
	(SSDQOS_DISK_BLOCK_BYTES - SSDQOS_DISK_HEADER_BYTES)
#define SSDQOS_DISK_UUID_BYTES 16u
/* Copies of each block that is written more than once. */
#define SSDQOS_DISK_SLOTS 2u

/* A bit for each in a region's byte. */
#define SSDQOS_DISK_MAX_MEMBERS 8u
#define SSDQOS_DISK_MIN_MEMBERS 2u
/* Numbers of enum ssdqos_mirror_durability: 0 to 2. */
#define SSDQOS_DISK_DURABILITIES 3u
/* One byte for each: so many are 64 MiB of memory. */
#define SSDQOS_DISK_MAX_REGIONS (1ULL << 26)
#define SSDQOS_MIRROR_REGIONS_PER_BLOCK SSDQOS_DISK_PAYLOAD_BYTES
/* Powers of two: a block, and 1 GiB, which takes seconds to copy. */
#define SSDQOS_DISK_MIN_REGION_SECTORS SSDQOS_DISK_BLOCK_SECTORS
#define SSDQOS_DISK_MAX_REGION_SECTORS (1u << 21)

/**
 * enum ssdqos_disk_kind - what a block is; numbers of the disk
 * @SSDQOS_DISK_SUPER: the superblock of a mirror
 * @SSDQOS_DISK_REGIONS: a part of its region map
 * @SSDQOS_DISK_JOURNAL: the superblock of its journal
 * @SSDQOS_DISK_RECORD: the header of a record in the journal
 * @SSDQOS_DISK_FILLER: the journal goes on at its begin
 * @SSDQOS_DISK_IDENTITIES: what members' disks say of themselves; only the tool knows
 */
enum ssdqos_disk_kind {
	SSDQOS_DISK_SUPER = 1,
	SSDQOS_DISK_REGIONS,
	SSDQOS_DISK_JOURNAL,
	SSDQOS_DISK_RECORD,
	SSDQOS_DISK_FILLER,
	SSDQOS_DISK_IDENTITIES,
};

/**
 * struct ssdqos_mirror_super - what a mirror knows of itself
 * @uuid: its name, random
 * @seq: number of this write; 1 is the first one
 * @sectors: its size
 * @region_sectors: of a region, a power of two
 * @nr_members: how many there are
 * @durability: enum ssdqos_mirror_durability
 * @leader: the member that has all that is newest
 * @clean: it was stopped in order, all members have the same
 * @out_mask: bit m: member m failed, was removed, or does not have all yet
 */
struct ssdqos_mirror_super {
	u8 uuid[SSDQOS_DISK_UUID_BYTES];
	u64 seq;
	u64 sectors;
	u32 region_sectors;
	u32 nr_members;
	u32 durability;
	u32 leader;
	bool clean;
	u32 out_mask;
};

/**
 * struct ssdqos_disk_choice - which one of two copies counts
 * @newest: the slot that it is in; the next write goes to the other one
 * @alone: the other one is damaged: its write was torn, or it was newer once
 */
struct ssdqos_disk_choice {
	u32 newest;
	bool alone;
};

/**
 * ssdqos_disk_put - write a number into a block
 * @block: the block
 * @at: its first byte in it
 * @bytes: 1 to 8
 * @value: the number
 */
static inline void ssdqos_disk_put(u8 *block, u32 at, u32 bytes, u64 value)
{
	for (; bytes; bytes--, value >>= 8)
		block[at++] = (u8)value;
}

/**
 * ssdqos_disk_get - read a number of a block
 * @block: the block
 * @at: its first byte in it
 * @bytes: 1 to 8
 */
static inline u64 ssdqos_disk_get(const u8 *block, u32 at, u32 bytes)
{
	u64 value = 0;

	while (bytes--)
		value = value << 8 | block[at + bytes];
	return value;
}

/* Blocks of any kind: the journal has them, too. */
bool ssdqos_disk_is_blank(const u8 *block);
void ssdqos_disk_seal(u8 *block, enum ssdqos_disk_kind kind,
		      const u8 *uuid, u64 index, u64 seq);
bool ssdqos_disk_is_good(const u8 *block, enum ssdqos_disk_kind kind,
			 const u8 *uuid, u64 index, u64 *seq);
int ssdqos_disk_check(const u8 *block, enum ssdqos_disk_kind kind,
		      const u8 *uuid, u64 index, u64 *seq, char *err,
		      u32 err_size);
int ssdqos_disk_newer(const int ret[SSDQOS_DISK_SLOTS],
		      const u64 seq[SSDQOS_DISK_SLOTS],
		      struct ssdqos_disk_choice *choice);

/* The superblock. */
int ssdqos_mirror_super_check(const struct ssdqos_mirror_super *s, char *err,
			      u32 err_size);
void ssdqos_mirror_super_encode(const struct ssdqos_mirror_super *s, u8 *block);
int ssdqos_mirror_super_decode(const u8 *block, const u8 *uuid,
			       struct ssdqos_mirror_super *s, char *err,
			       u32 err_size);
int ssdqos_mirror_super_choose(const u8 *const slots[SSDQOS_DISK_SLOTS],
			       const u8 *uuid, struct ssdqos_mirror_super *s,
			       struct ssdqos_disk_choice *choice, char *err,
			       u32 err_size);

/* The region map. */
void ssdqos_mirror_regions_encode(const u8 *uuid, u64 index, u64 seq,
				  const u8 *masks, u32 nr, u8 *block);
const u8 *ssdqos_mirror_regions_decode(const u8 *block, const u8 *uuid,
				       u64 index, u64 *seq, char *err,
				       u32 err_size);
const u8 *
ssdqos_mirror_regions_choose(const u8 *const slots[SSDQOS_DISK_SLOTS],
			     const u8 *uuid, u64 index, u64 *seq,
			     struct ssdqos_disk_choice *choice, char *err,
			     u32 err_size);

/* Where it lies. */
u64 ssdqos_mirror_nr_regions(u64 sectors, u32 region_sectors);
u64 ssdqos_mirror_map_blocks(u64 nr_regions);
u64 ssdqos_mirror_meta_sectors(u64 sectors, u32 region_sectors);
u64 ssdqos_mirror_super_sector(u32 slot);
u64 ssdqos_mirror_regions_sector(u64 index, u32 slot);

#endif /* SSDQOS_MIRROR_DISK_H */
