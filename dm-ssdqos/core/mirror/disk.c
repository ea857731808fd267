// SPDX-License-Identifier: GPL-2.0
/*
 * disk.c - what a mirror keeps on its metadata device
 *
 * In blocks of 4 KiB, numbers in little-endian order:
 *
 *	0, 1		the superblock, twice
 *	2 + 2i, 3 + 2i	block i of the region map, twice: a byte for each region,
 *			whose bit m says that member m may lack what is newest there
 *	behind those	which disk is which member, twice: the tool's own
 *
 * Every block begins alike; the journal's do, too (journal.c):
 *
 *	 0 magic	 8 checksum	12 version	16 kind		20 zero
 *	24 uuid		40 index	48 seq		56 zero		64 payload
 *
 * The checksum is that of all behind it; magic, checksum and version stay where they
 * are in all versions, so that a newer one is told from a damaged one.  The index is
 * which one of its kind a block is: one that was written to a wrong place is found.
 *
 * A write has the next number, and goes to the slot of the older copy, or of the one
 * that is no good.  A power cut tears one write at most, so the other copy is whole;
 * it is what counted before, and nobody has been told yet that it does not any more.
 * That holds if there is one write to a block at a time, durable before the next one.
 * Who writes a mirror's first superblock writes the region map before, and then both
 * slots: what an earlier mirror has left in one of them might be chosen otherwise.
 *
 *	both slots			what counts
 *	one of a later version		none: who wrote it knew better
 *	one none of ours		none: no torn write looks so, somebody else has
 *					written there.  Not so in the region map, where
 *					the second slot has what was there before
 *	good, good			the larger number
 *	good, blank			the good one
 *	good, damaged			the good one, @alone: the other one was torn, or
 *					was newer and has been damaged since
 *	blank, blank			none: the device is new
 *	else				none, and the sentence is about the first one that
 *					is not blank
 */
#include "../engine/crc32c.h"
#include "disk.h"

#define DISK_MAGIC 0x524f5252494d5144ULL	/* "DQMIRROR" */
#define DISK_VERSION 1u

/* Places in each block. */
#define DISK_AT_MAGIC 0u
#define DISK_AT_CHECKSUM 8u
#define DISK_AT_VERSION 12u
#define DISK_AT_KIND 16u
#define DISK_AT_UUID 24u
#define DISK_AT_INDEX 40u
#define DISK_AT_SEQ 48u

/* Places in a superblock. */
#define SUPER_AT_SECTORS (SSDQOS_DISK_HEADER_BYTES + 0u)
#define SUPER_AT_REGION_SECTORS (SSDQOS_DISK_HEADER_BYTES + 8u)
#define SUPER_AT_NR_MEMBERS (SSDQOS_DISK_HEADER_BYTES + 12u)
#define SUPER_AT_DURABILITY (SSDQOS_DISK_HEADER_BYTES + 16u)
#define SUPER_AT_LEADER (SSDQOS_DISK_HEADER_BYTES + 20u)
#define SUPER_AT_CLEAN (SSDQOS_DISK_HEADER_BYTES + 24u)
#define SUPER_AT_OUT_MASK (SSDQOS_DISK_HEADER_BYTES + 28u)

/* Why a block is not the one that is looked for, in the order of looking. */
enum disk_fault {
	DISK_GOOD,
	DISK_BLANK,
	DISK_FOREIGN,
	DISK_DAMAGED,
	DISK_LATER,
	DISK_OTHER_KIND,
	DISK_OTHER_MIRROR,
	DISK_MISPLACED,
	DISK_NR_FAULTS,
};

static const int disk_errnos[DISK_NR_FAULTS] = {
	[DISK_BLANK] = -ENOENT,
	[DISK_FOREIGN] = -EINVAL,
	[DISK_DAMAGED] = -EBADMSG,
	[DISK_LATER] = -EOVERFLOW,
	[DISK_OTHER_KIND] = -EINVAL,
	[DISK_OTHER_MIRROR] = -EINVAL,
	[DISK_MISPLACED] = -EBADMSG,
};

static const char *const disk_kinds[] = {
	[SSDQOS_DISK_SUPER] = "superblock of a mirror",
	[SSDQOS_DISK_REGIONS] = "block of a mirror's region map",
	[SSDQOS_DISK_JOURNAL] = "superblock of a mirror's journal",
	[SSDQOS_DISK_RECORD] = "record of a mirror's journal",
	[SSDQOS_DISK_FILLER] = "filler of a mirror's journal",
};

static u32 disk_get32(const u8 *block, u32 at)
{
	return (u32)ssdqos_disk_get(block, at, sizeof(u32));
}

static u64 disk_get64(const u8 *block, u32 at)
{
	return ssdqos_disk_get(block, at, sizeof(u64));
}

static u32 disk_checksum(const u8 *block)
{
	return ssdqos_crc32c(block + DISK_AT_VERSION,
			     SSDQOS_DISK_BLOCK_BYTES - DISK_AT_VERSION);
}

/* ---- any block ---- */

/**
 * ssdqos_disk_is_blank - is there nothing but zeroes?
 * @block: SSDQOS_DISK_BLOCK_BYTES
 */
bool ssdqos_disk_is_blank(const u8 *block)
{
	u32 i;

	for (i = 0; i < SSDQOS_DISK_BLOCK_BYTES; i++)
		if (block[i])
			return false;
	return true;
}

/**
 * ssdqos_disk_seal - last of what a block gets: its header
 * @block: SSDQOS_DISK_BLOCK_BYTES, with its payload, and zeroes behind that
 * @kind: what it is
 * @uuid: of the mirror
 * @index: which one of its kind
 * @seq: number of this write
 *
 * Context: any; twenty microseconds.
 */
void ssdqos_disk_seal(u8 *block, enum ssdqos_disk_kind kind, const u8 *uuid,
		      u64 index, u64 seq)
{
	memset(block, 0, SSDQOS_DISK_HEADER_BYTES);
	ssdqos_disk_put(block, DISK_AT_MAGIC, sizeof(u64), DISK_MAGIC);
	ssdqos_disk_put(block, DISK_AT_VERSION, sizeof(u32), DISK_VERSION);
	ssdqos_disk_put(block, DISK_AT_KIND, sizeof(u32), kind);
	memcpy(block + DISK_AT_UUID, uuid, SSDQOS_DISK_UUID_BYTES);
	ssdqos_disk_put(block, DISK_AT_INDEX, sizeof(u64), index);
	ssdqos_disk_put(block, DISK_AT_SEQ, sizeof(u64), seq);
	ssdqos_disk_put(block, DISK_AT_CHECKSUM, sizeof(u32),
			disk_checksum(block));
}

static enum disk_fault disk_look(const u8 *block, enum ssdqos_disk_kind kind,
				 const u8 *uuid, u64 index)
{
	if (disk_get64(block, DISK_AT_MAGIC) != DISK_MAGIC)
		return ssdqos_disk_is_blank(block) ? DISK_BLANK : DISK_FOREIGN;
	if (disk_get32(block, DISK_AT_CHECKSUM) != disk_checksum(block))
		return DISK_DAMAGED;
	if (disk_get32(block, DISK_AT_VERSION) != DISK_VERSION)
		return DISK_LATER;
	if (disk_get32(block, DISK_AT_KIND) != kind)
		return DISK_OTHER_KIND;
	if (uuid && memcmp(block + DISK_AT_UUID, uuid, SSDQOS_DISK_UUID_BYTES))
		return DISK_OTHER_MIRROR;
	if (disk_get64(block, DISK_AT_INDEX) != index)
		return DISK_MISPLACED;
	return DISK_GOOD;
}

/**
 * ssdqos_disk_is_good - is a block what it should be?
 * @block: SSDQOS_DISK_BLOCK_BYTES
 * @kind: what it should be
 * @uuid: of the mirror; NULL: of any
 * @index: which one of its kind
 * @seq: gets its number if it is
 *
 * Context: any; twenty microseconds.
 */
bool ssdqos_disk_is_good(const u8 *block, enum ssdqos_disk_kind kind,
			 const u8 *uuid, u64 index, u64 *seq)
{
	if (disk_look(block, kind, uuid, index) != DISK_GOOD)
		return false;
	*seq = disk_get64(block, DISK_AT_SEQ);
	return true;
}

static void disk_say(enum disk_fault fault, const u8 *block,
		     enum ssdqos_disk_kind kind, u64 index, char *err,
		     u32 err_size)
{
	const char *what = disk_kinds[kind];

	switch (fault) {
	case DISK_BLANK:
		scnprintf(err, err_size, "%s %llu: there are only zeroes", what,
			  index);
		break;
	case DISK_FOREIGN:
		scnprintf(err, err_size,
			  "%s %llu: there is something else, which begins with 0x%016llx",
			  what, index, disk_get64(block, DISK_AT_MAGIC));
		break;
	case DISK_DAMAGED:
		scnprintf(err, err_size,
			  "%s %llu: it is damaged, its checksum is 0x%08x instead of 0x%08x",
			  what, index, disk_checksum(block),
			  disk_get32(block, DISK_AT_CHECKSUM));
		break;
	case DISK_LATER:
		scnprintf(err, err_size,
			  "%s %llu: it is of version %u, this code knows version %u only",
			  what, index, disk_get32(block, DISK_AT_VERSION),
			  DISK_VERSION);
		break;
	case DISK_OTHER_KIND:
		scnprintf(err, err_size,
			  "%s %llu: there is a block of kind %u instead of %u",
			  what, index, disk_get32(block, DISK_AT_KIND), kind);
		break;
	case DISK_OTHER_MIRROR:
		scnprintf(err, err_size, "%s %llu: it is that of another mirror",
			  what, index);
		break;
	default:
		scnprintf(err, err_size, "%s %llu: there is number %llu instead",
			  what, index, disk_get64(block, DISK_AT_INDEX));
		break;
	}
}

/**
 * ssdqos_disk_check - is a block what it should be, and why not?
 * @block: SSDQOS_DISK_BLOCK_BYTES
 * @kind: what it should be
 * @uuid: of the mirror; NULL: of any
 * @index: which one of its kind
 * @seq: gets its number if it is
 * @err: gets one sentence on failure; NULL: nobody wants to know
 * @err_size: its size
 *
 * Context: any; forty microseconds.
 * Return: 0; -ENOENT if all of it is zeroes, -EINVAL if it is none of ours, or of
 * another kind or mirror, -EBADMSG if it is damaged or was written to a wrong place,
 * -EOVERFLOW if it is of a later version.
 */
int ssdqos_disk_check(const u8 *block, enum ssdqos_disk_kind kind,
		      const u8 *uuid, u64 index, u64 *seq, char *err,
		      u32 err_size)
{
	enum disk_fault fault = disk_look(block, kind, uuid, index);

	if (fault == DISK_GOOD)
		*seq = disk_get64(block, DISK_AT_SEQ);
	else
		disk_say(fault, block, kind, index, err, err_size);
	return disk_errnos[fault];
}

/**
 * ssdqos_disk_newer - which one of two copies counts?
 * @ret: of each: 0 if it is good, or why not, as ssdqos_disk_check()
 * @seq: number of each that is good
 * @choice: filled; on failure with the copy that it is about
 *
 * Return: 0, or as ssdqos_disk_check().
 */
int ssdqos_disk_newer(const int ret[SSDQOS_DISK_SLOTS],
		      const u64 seq[SSDQOS_DISK_SLOTS],
		      struct ssdqos_disk_choice *choice)
{
	u32 n;

	if (ret[0] == -EOVERFLOW || ret[1] == -EOVERFLOW)
		n = ret[0] != -EOVERFLOW;
	else if (ret[0] == -EINVAL || ret[1] == -EINVAL)
		n = ret[0] != -EINVAL;
	else if (!ret[0] && !ret[1])
		n = seq[1] > seq[0];
	else
		n = ret[0] && (!ret[1] || ret[0] == -ENOENT);
	choice->newest = n;
	choice->alone = ret[!n] && ret[!n] != -ENOENT;
	return ret[n];
}

/* ---- the superblock ---- */

static bool super_is_power_of_two(u32 n)
{
	return n && !(n & (n - 1));
}

static int super_check_members(const struct ssdqos_mirror_super *s, char *err,
			       u32 err_size)
{
	if (s->nr_members < SSDQOS_DISK_MIN_MEMBERS ||
	    s->nr_members > SSDQOS_DISK_MAX_MEMBERS) {
		scnprintf(err, err_size,
			  "the superblock has %u members, which have to be %u to %u",
			  s->nr_members, SSDQOS_DISK_MIN_MEMBERS,
			  SSDQOS_DISK_MAX_MEMBERS);
		return -EINVAL;
	}
	if (s->leader >= s->nr_members) {
		scnprintf(err, err_size,
			  "the superblock has leader %u, which has to be 0 to %u",
			  s->leader, s->nr_members - 1);
		return -EINVAL;
	}
	if (s->out_mask >> s->nr_members) {
		scnprintf(err, err_size,
			  "the superblock has members 0x%x out, which have to be of 0x%x",
			  s->out_mask, (1u << s->nr_members) - 1);
		return -EINVAL;
	}
	if (s->out_mask >> s->leader & 1) {
		scnprintf(err, err_size,
			  "the superblock has leader %u among members 0x%x, which are out",
			  s->leader, s->out_mask);
		return -EINVAL;
	}
	return 0;
}

/**
 * ssdqos_mirror_super_check - can these numbers be?
 * @s: the superblock
 * @err: gets one sentence on failure
 * @err_size: its size
 *
 * Return: 0 or -EINVAL.
 */
int ssdqos_mirror_super_check(const struct ssdqos_mirror_super *s, char *err,
			      u32 err_size)
{
	if (!super_is_power_of_two(s->region_sectors) ||
	    s->region_sectors < SSDQOS_DISK_MIN_REGION_SECTORS ||
	    s->region_sectors > SSDQOS_DISK_MAX_REGION_SECTORS) {
		scnprintf(err, err_size,
			  "the superblock has regions of %u sectors, which have to be a power of two, %u to %u",
			  s->region_sectors, SSDQOS_DISK_MIN_REGION_SECTORS,
			  SSDQOS_DISK_MAX_REGION_SECTORS);
		return -EINVAL;
	}
	if (!s->sectors || s->sectors > SSDQOS_DISK_MAX_REGIONS *
					s->region_sectors) {
		scnprintf(err, err_size,
			  "the superblock has %llu sectors, which have to be 1 to %llu in regions of %u",
			  s->sectors, SSDQOS_DISK_MAX_REGIONS * s->region_sectors,
			  s->region_sectors);
		return -EINVAL;
	}
	if (s->durability >= SSDQOS_DISK_DURABILITIES) {
		scnprintf(err, err_size,
			  "the superblock has durability %u, which has to be 0 to %u",
			  s->durability, SSDQOS_DISK_DURABILITIES - 1);
		return -EINVAL;
	}
	return super_check_members(s, err, err_size);
}

/**
 * ssdqos_mirror_super_encode - a superblock as it goes to the device
 * @s: what it says; ssdqos_mirror_super_check() has nothing against it
 * @block: gets SSDQOS_DISK_BLOCK_BYTES
 *
 * Context: any; twenty microseconds.
 */
void ssdqos_mirror_super_encode(const struct ssdqos_mirror_super *s, u8 *block)
{
	memset(block, 0, SSDQOS_DISK_BLOCK_BYTES);
	ssdqos_disk_put(block, SUPER_AT_SECTORS, sizeof(u64), s->sectors);
	ssdqos_disk_put(block, SUPER_AT_REGION_SECTORS, sizeof(u32),
			s->region_sectors);
	ssdqos_disk_put(block, SUPER_AT_NR_MEMBERS, sizeof(u32), s->nr_members);
	ssdqos_disk_put(block, SUPER_AT_DURABILITY, sizeof(u32), s->durability);
	ssdqos_disk_put(block, SUPER_AT_LEADER, sizeof(u32), s->leader);
	ssdqos_disk_put(block, SUPER_AT_CLEAN, sizeof(u32), s->clean);
	ssdqos_disk_put(block, SUPER_AT_OUT_MASK, sizeof(u32), s->out_mask);
	ssdqos_disk_seal(block, SSDQOS_DISK_SUPER, s->uuid, 0, s->seq);
}

/**
 * ssdqos_mirror_super_decode - a superblock as it was read
 * @block: SSDQOS_DISK_BLOCK_BYTES
 * @uuid: of the mirror; NULL: of any
 * @s: filled if it is good
 * @err: gets one sentence on failure
 * @err_size: its size
 *
 * Return: as ssdqos_disk_check(); -EINVAL, too, if its numbers can't be.
 */
int ssdqos_mirror_super_decode(const u8 *block, const u8 *uuid,
			       struct ssdqos_mirror_super *s, char *err,
			       u32 err_size)
{
	struct ssdqos_mirror_super found = {
		.sectors = disk_get64(block, SUPER_AT_SECTORS),
		.region_sectors = disk_get32(block, SUPER_AT_REGION_SECTORS),
		.nr_members = disk_get32(block, SUPER_AT_NR_MEMBERS),
		.durability = disk_get32(block, SUPER_AT_DURABILITY),
		.leader = disk_get32(block, SUPER_AT_LEADER),
		.clean = disk_get32(block, SUPER_AT_CLEAN),
		.out_mask = disk_get32(block, SUPER_AT_OUT_MASK),
	};
	int ret = ssdqos_disk_check(block, SSDQOS_DISK_SUPER, uuid, 0,
				    &found.seq, err, err_size);

	if (!ret)
		ret = ssdqos_mirror_super_check(&found, err, err_size);
	if (ret)
		return ret;
	memcpy(found.uuid, block + DISK_AT_UUID, SSDQOS_DISK_UUID_BYTES);
	*s = found;
	return 0;
}

/**
 * ssdqos_mirror_super_choose - the superblock of a metadata device
 * @slots: both copies, as they were read
 * @uuid: of the mirror; NULL: of any
 * @s: filled if one is good
 * @choice: which one it is
 * @err: gets one sentence on failure
 * @err_size: its size
 *
 * Return: 0; -ENOENT if both are zeroes: the device is new; or as
 * ssdqos_mirror_super_decode(), and -EINVAL if they are of two mirrors.
 */
int ssdqos_mirror_super_choose(const u8 *const slots[SSDQOS_DISK_SLOTS],
			       const u8 *uuid, struct ssdqos_mirror_super *s,
			       struct ssdqos_disk_choice *choice, char *err,
			       u32 err_size)
{
	struct ssdqos_mirror_super found[SSDQOS_DISK_SLOTS];
	u64 seq[SSDQOS_DISK_SLOTS];
	int ret[SSDQOS_DISK_SLOTS];
	u32 n;

	for (n = 0; n < SSDQOS_DISK_SLOTS; n++) {
		ret[n] = ssdqos_mirror_super_decode(slots[n], uuid, &found[n],
						    NULL, 0);
		seq[n] = ret[n] ? 0 : found[n].seq;
	}
	if (ssdqos_disk_newer(ret, seq, choice))
		return ssdqos_mirror_super_decode(slots[choice->newest], uuid, s,
						  err, err_size);
	if (!ret[0] && !ret[1] &&
	    memcmp(found[0].uuid, found[1].uuid, SSDQOS_DISK_UUID_BYTES)) {
		scnprintf(err, err_size,
			  "the two superblocks are of two mirrors: which one is meant has to be said");
		return -EINVAL;
	}
	*s = found[choice->newest];
	return 0;
}

/* ---- the region map ---- */

/**
 * ssdqos_mirror_regions_encode - a block of the region map as it goes to the device
 * @uuid: of the mirror
 * @index: which block
 * @seq: number of this write
 * @masks: a byte for each region
 * @nr: how many, SSDQOS_MIRROR_REGIONS_PER_BLOCK at most; zeroes follow
 * @block: gets SSDQOS_DISK_BLOCK_BYTES
 *
 * Context: any; twenty microseconds.
 */
void ssdqos_mirror_regions_encode(const u8 *uuid, u64 index, u64 seq,
				  const u8 *masks, u32 nr, u8 *block)
{
	if (WARN_ON_ONCE(nr > SSDQOS_MIRROR_REGIONS_PER_BLOCK))
		nr = SSDQOS_MIRROR_REGIONS_PER_BLOCK;
	memset(block, 0, SSDQOS_DISK_BLOCK_BYTES);
	memcpy(block + SSDQOS_DISK_HEADER_BYTES, masks, nr);
	ssdqos_disk_seal(block, SSDQOS_DISK_REGIONS, uuid, index, seq);
}

/**
 * ssdqos_mirror_regions_choose - a block of the region map, of two copies
 * @slots: both, as they were read
 * @uuid: of the mirror
 * @index: which block
 * @seq: gets its number
 * @choice: which one it is
 * @err: gets one sentence on failure
 * @err_size: its size
 *
 * Return: its masks, in one of the slots; NULL if none is good.
 */
const u8 *
ssdqos_mirror_regions_choose(const u8 *const slots[SSDQOS_DISK_SLOTS],
			     const u8 *uuid, u64 index, u64 *seq,
			     struct ssdqos_disk_choice *choice, char *err,
			     u32 err_size)
{
	u64 seqs[SSDQOS_DISK_SLOTS] = { 0 };
	int ret[SSDQOS_DISK_SLOTS];
	u32 n;

	for (n = 0; n < SSDQOS_DISK_SLOTS; n++) {
		ret[n] = ssdqos_disk_check(slots[n], SSDQOS_DISK_REGIONS, uuid,
					   index, &seqs[n], NULL, 0);
		/* what was there before the mirror does not count */
		if (ret[n] == -EINVAL)
			ret[n] = -EBADMSG;
	}
	ssdqos_disk_newer(ret, seqs, choice);
	return ssdqos_mirror_regions_decode(slots[choice->newest], uuid, index,
					    seq, err, err_size);
}

/**
 * ssdqos_mirror_regions_decode - a block of the region map as it was read
 * @block: SSDQOS_DISK_BLOCK_BYTES
 * @uuid: of the mirror
 * @index: which block
 * @seq: gets its number
 * @err: gets one sentence on failure
 * @err_size: its size
 *
 * Return: its SSDQOS_MIRROR_REGIONS_PER_BLOCK masks, in @block; NULL if it is not good.
 */
const u8 *ssdqos_mirror_regions_decode(const u8 *block, const u8 *uuid,
				       u64 index, u64 *seq, char *err,
				       u32 err_size)
{
	if (ssdqos_disk_check(block, SSDQOS_DISK_REGIONS, uuid, index, seq, err,
			      err_size))
		return NULL;
	return block + SSDQOS_DISK_HEADER_BYTES;
}

/* ---- where it lies ---- */

/**
 * ssdqos_mirror_nr_regions - how many regions a mirror has
 * @sectors: its size
 * @region_sectors: of a region
 */
u64 ssdqos_mirror_nr_regions(u64 sectors, u32 region_sectors)
{
	return div64_u64(sectors + region_sectors - 1, region_sectors);
}

/**
 * ssdqos_mirror_map_blocks - blocks of the region map
 * @nr_regions: of the mirror
 */
u64 ssdqos_mirror_map_blocks(u64 nr_regions)
{
	return div64_u64(nr_regions + SSDQOS_MIRROR_REGIONS_PER_BLOCK - 1,
			 SSDQOS_MIRROR_REGIONS_PER_BLOCK);
}

/**
 * ssdqos_mirror_meta_sectors - what a metadata device has to have
 * @sectors: size of the mirror
 * @region_sectors: of a region
 */
u64 ssdqos_mirror_meta_sectors(u64 sectors, u32 region_sectors)
{
	u64 nr = ssdqos_mirror_nr_regions(sectors, region_sectors);

	return ssdqos_mirror_regions_sector(ssdqos_mirror_map_blocks(nr), 0);
}

/**
 * ssdqos_mirror_super_sector - where a superblock lies
 * @slot: which copy
 *
 * Return: its first sector on the metadata device; on the journal's, too.
 */
u64 ssdqos_mirror_super_sector(u32 slot)
{
	return slot * SSDQOS_DISK_BLOCK_SECTORS;
}

/**
 * ssdqos_mirror_regions_sector - where a block of the region map lies
 * @index: which block
 * @slot: which copy of it
 *
 * Return: its first sector on the metadata device.
 */
u64 ssdqos_mirror_regions_sector(u64 index, u32 slot)
{
	return ((1 + index) * SSDQOS_DISK_SLOTS + slot) *
	       SSDQOS_DISK_BLOCK_SECTORS;
}
