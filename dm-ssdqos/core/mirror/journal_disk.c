// SPDX-License-Identifier: GPL-2.0
/*
 * journal_disk.c - how a mirror's journal lies on its device
 *
 * In blocks of 4 KiB that begin as those of disk.c:
 *
 *	0, 1		the superblock, twice: where the oldest record is that may be
 *			needed (the tail), and its number
 *	2 ...		a ring of records; the index of each header is its place
 *
 *	record, nr = 3	header | data | data | data
 *	header		64 key	72 nr	76 zero	80 ... nr times: 0 block, 8 checksum
 *	filler		64 key: the record of this number is at the ring's begin, as
 *			there was not room enough for it here
 *
 * Records have numbers without a gap, so what does not have the number that comes next
 * is the end: an older one that has not been overwritten, or nothing.
 *
 * What has to be written in which order is said in journal.c.
 */
#include "journal.h"

/* Places in a superblock. */
#define SUPER_AT_KEY (SSDQOS_DISK_HEADER_BYTES + 0u)
#define SUPER_AT_BLOCKS (SSDQOS_DISK_HEADER_BYTES + 8u)
#define SUPER_AT_TAIL_AT (SSDQOS_DISK_HEADER_BYTES + 16u)
#define SUPER_AT_TAIL_SEQ (SSDQOS_DISK_HEADER_BYTES + 24u)

/* Places in a record's header; the key is in a filler, too. */
#define RECORD_AT_KEY (SSDQOS_DISK_HEADER_BYTES + 0u)
#define RECORD_AT_NR (SSDQOS_DISK_HEADER_BYTES + 8u)
#define RECORD_AT_ENTRIES (SSDQOS_DISK_HEADER_BYTES + 16u)
#define RECORD_ENTRY_BYTES 12u
#define RECORD_ENTRY_CHECKSUM 8u

static_assert(RECORD_AT_ENTRIES +
	      SSDQOS_JOURNAL_MAX_BLOCKS * RECORD_ENTRY_BYTES <=
	      SSDQOS_DISK_BLOCK_BYTES);

/* ---- superblock ---- */

/**
 * ssdqos_journal_super_check - can these numbers be?
 * @s: the superblock
 * @err: gets one sentence on failure
 * @err_size: its size
 *
 * Return: 0 or -EINVAL.
 */
int ssdqos_journal_super_check(const struct ssdqos_journal_super *s, char *err,
			       u32 err_size)
{
	if (s->blocks < SSDQOS_JOURNAL_MIN_SIZE ||
	    s->blocks > SSDQOS_JOURNAL_MAX_SIZE) {
		scnprintf(err, err_size,
			  "the journal has %llu blocks, which have to be %u to %llu",
			  s->blocks, SSDQOS_JOURNAL_MIN_SIZE,
			  SSDQOS_JOURNAL_MAX_SIZE);
		return -EINVAL;
	}
	if (s->tail_at < SSDQOS_JOURNAL_FIRST || s->tail_at >= s->blocks) {
		scnprintf(err, err_size,
			  "the journal's oldest record is in block %llu, which has to be %u to %llu",
			  s->tail_at, SSDQOS_JOURNAL_FIRST, s->blocks - 1);
		return -EINVAL;
	}
	if (!s->tail_seq || s->tail_seq > SSDQOS_JOURNAL_MAX_SEQ) {
		scnprintf(err, err_size,
			  "the journal's oldest record has number %llu, which has to be 1 to %llu",
			  s->tail_seq, SSDQOS_JOURNAL_MAX_SEQ);
		return -EINVAL;
	}
	return 0;
}

/**
 * ssdqos_journal_super_encode - a superblock as it goes to the device
 * @s: what it says; ssdqos_journal_super_check() has nothing against it
 * @block: gets SSDQOS_DISK_BLOCK_BYTES
 *
 * Context: any; twenty microseconds.
 */
void ssdqos_journal_super_encode(const struct ssdqos_journal_super *s,
				 u8 *block)
{
	memset(block, 0, SSDQOS_DISK_BLOCK_BYTES);
	ssdqos_disk_put(block, SUPER_AT_KEY, sizeof(u64), s->key);
	ssdqos_disk_put(block, SUPER_AT_BLOCKS, sizeof(u64), s->blocks);
	ssdqos_disk_put(block, SUPER_AT_TAIL_AT, sizeof(u64), s->tail_at);
	ssdqos_disk_put(block, SUPER_AT_TAIL_SEQ, sizeof(u64), s->tail_seq);
	ssdqos_disk_seal(block, SSDQOS_DISK_JOURNAL, s->uuid, 0, s->seq);
}

/**
 * ssdqos_journal_super_decode - a superblock as it was read
 * @block: SSDQOS_DISK_BLOCK_BYTES
 * @uuid: of the mirror
 * @s: filled if it is good
 * @err: gets one sentence on failure
 * @err_size: its size
 *
 * Return: as ssdqos_disk_check(); -EINVAL, too, if its numbers can't be.
 */
int ssdqos_journal_super_decode(const u8 *block, const u8 *uuid,
				struct ssdqos_journal_super *s, char *err,
				u32 err_size)
{
	struct ssdqos_journal_super found = {
		.key = ssdqos_disk_get(block, SUPER_AT_KEY, sizeof(u64)),
		.blocks = ssdqos_disk_get(block, SUPER_AT_BLOCKS, sizeof(u64)),
		.tail_at = ssdqos_disk_get(block, SUPER_AT_TAIL_AT,
					   sizeof(u64)),
		.tail_seq = ssdqos_disk_get(block, SUPER_AT_TAIL_SEQ,
					    sizeof(u64)),
	};
	int ret = ssdqos_disk_check(block, SSDQOS_DISK_JOURNAL, uuid, 0,
				    &found.seq, err, err_size);

	if (!ret)
		ret = ssdqos_journal_super_check(&found, err, err_size);
	if (ret)
		return ret;
	memcpy(found.uuid, uuid, SSDQOS_DISK_UUID_BYTES);
	*s = found;
	return 0;
}

/**
 * ssdqos_journal_super_choose - the superblock of a journal
 * @slots: both copies, as they were read
 * @uuid: of the mirror
 * @s: filled if one is good
 * @choice: which one it is
 * @err: gets one sentence on failure
 * @err_size: its size
 *
 * Return: 0; -ENOENT if both are zeroes: the device is new; or as
 * ssdqos_journal_super_decode().
 */
int ssdqos_journal_super_choose(const u8 *const slots[SSDQOS_DISK_SLOTS],
				const u8 *uuid, struct ssdqos_journal_super *s,
				struct ssdqos_disk_choice *choice, char *err,
				u32 err_size)
{
	struct ssdqos_journal_super found;
	u64 seq[SSDQOS_DISK_SLOTS];
	int ret[SSDQOS_DISK_SLOTS];
	u32 n;

	for (n = 0; n < SSDQOS_DISK_SLOTS; n++) {
		ret[n] = ssdqos_journal_super_decode(slots[n], uuid, &found,
						     NULL, 0);
		seq[n] = ret[n] ? 0 : found.seq;
	}
	ssdqos_disk_newer(ret, seq, choice);
	return ssdqos_journal_super_decode(slots[choice->newest], uuid, s, err,
					   err_size);
}

/* ---- records ---- */

/**
 * ssdqos_journal_record_begin - the header of a record
 * @block: gets SSDQOS_DISK_BLOCK_BYTES
 */
void ssdqos_journal_record_begin(u8 *block)
{
	memset(block, 0, SSDQOS_DISK_BLOCK_BYTES);
}

/**
 * ssdqos_journal_record_add - say what a block of data is
 * @block: the header
 * @i: which one of the record, below SSDQOS_JOURNAL_MAX_BLOCKS
 * @mirror_block: where it goes on the mirror
 * @checksum: crc32c of what is written to the journal; it must not change meanwhile
 */
void ssdqos_journal_record_add(u8 *block, u32 i, u64 mirror_block, u32 checksum)
{
	u32 at = RECORD_AT_ENTRIES + i * RECORD_ENTRY_BYTES;

	if (WARN_ON_ONCE(i >= SSDQOS_JOURNAL_MAX_BLOCKS))
		return;
	ssdqos_disk_put(block, at, sizeof(u64), mirror_block);
	ssdqos_disk_put(block, at + RECORD_ENTRY_CHECKSUM, sizeof(u32),
			checksum);
}

/**
 * ssdqos_journal_record_seal - last of what a header gets
 * @block: the header, of which all blocks of data are known
 * @s: of the journal
 * @r: the record
 *
 * Context: any; twenty microseconds.
 */
void ssdqos_journal_record_seal(u8 *block, const struct ssdqos_journal_super *s,
				const struct ssdqos_journal_record *r)
{
	ssdqos_disk_put(block, RECORD_AT_KEY, sizeof(u64), s->key);
	ssdqos_disk_put(block, RECORD_AT_NR, sizeof(u32), r->nr);
	ssdqos_disk_seal(block, SSDQOS_DISK_RECORD, s->uuid, r->at, r->seq);
}

/**
 * ssdqos_journal_filler_encode - the filler before a record that has one
 * @block: gets SSDQOS_DISK_BLOCK_BYTES, for block @filler_at
 * @s: of the journal
 * @r: the record
 *
 * Context: any; twenty microseconds.
 */
void ssdqos_journal_filler_encode(u8 *block,
				  const struct ssdqos_journal_super *s,
				  const struct ssdqos_journal_record *r)
{
	memset(block, 0, SSDQOS_DISK_BLOCK_BYTES);
	ssdqos_disk_put(block, RECORD_AT_KEY, sizeof(u64), s->key);
	ssdqos_disk_seal(block, SSDQOS_DISK_FILLER, s->uuid, r->filler_at,
			 r->seq);
}

/**
 * ssdqos_journal_header_decode - is there the header of a record, or a filler?
 * @block: SSDQOS_DISK_BLOCK_BYTES
 * @s: of the journal
 * @at: block of the journal from which it was read
 * @r: filled if there is one, as ssdqos_journal_reserve() did; its numbers may be any
 *
 * Context: any; twenty microseconds, forty for a filler.
 */
bool ssdqos_journal_header_decode(const u8 *block,
				  const struct ssdqos_journal_super *s, u64 at,
				  struct ssdqos_journal_record *r)
{
	*r = (struct ssdqos_journal_record){ .at = at };
	if (ssdqos_disk_is_good(block, SSDQOS_DISK_RECORD, s->uuid, at,
				&r->seq)) {
		r->nr = (u32)ssdqos_disk_get(block, RECORD_AT_NR, sizeof(u32));
	} else if (ssdqos_disk_is_good(block, SSDQOS_DISK_FILLER, s->uuid, at,
				       &r->seq)) {
		r->filler_at = at;
		r->at = SSDQOS_JOURNAL_FIRST;
	} else {
		return false;
	}
	return ssdqos_disk_get(block, RECORD_AT_KEY, sizeof(u64)) == s->key;
}

/**
 * ssdqos_journal_entry_decode - what is a block of data?
 * @block: the header of its record
 * @i: which one of the record, below SSDQOS_JOURNAL_MAX_BLOCKS
 * @entry: filled
 */
void ssdqos_journal_entry_decode(const u8 *block, u32 i,
				 struct ssdqos_journal_entry *entry)
{
	u32 at = RECORD_AT_ENTRIES + i * RECORD_ENTRY_BYTES;

	entry->block = ssdqos_disk_get(block, at, sizeof(u64));
	entry->checksum = (u32)ssdqos_disk_get(block,
					       at + RECORD_ENTRY_CHECKSUM,
					       sizeof(u32));
}
