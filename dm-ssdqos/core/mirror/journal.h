/* SPDX-License-Identifier: GPL-2.0 */
/*
 * journal.h - writes of a mirror that are safe before its members have them (journal.c)
 */
#ifndef SSDQOS_MIRROR_JOURNAL_H
#define SSDQOS_MIRROR_JOURNAL_H

#include "disk.h"

/* Data of a record: 256 KiB, so its header is little beside it. */
#define SSDQOS_JOURNAL_MAX_BLOCKS 64u
#define SSDQOS_JOURNAL_MAX_RECORD (1 + SSDQOS_JOURNAL_MAX_BLOCKS)
/* Records lie from here on, behind both superblocks. */
#define SSDQOS_JOURNAL_FIRST SSDQOS_DISK_SLOTS
/* With fewer there is a place where an empty journal can't take the longest record:
 * it fits neither there nor in what is before.
 */
#define SSDQOS_JOURNAL_MIN_SIZE \
	(SSDQOS_JOURNAL_FIRST + 2 * SSDQOS_JOURNAL_MAX_RECORD - 1)
/* 16 TiB: numbers of records last for millions of power cuts. */
#define SSDQOS_JOURNAL_MAX_SIZE (1ULL << 32)
#define SSDQOS_JOURNAL_MAX_SEQ (1ULL << 62)

/**
 * struct ssdqos_journal_super - what a journal knows of itself
 * @uuid: of the mirror
 * @seq: number of this write; 1 is the first one
 * @key: random, drawn when the journal is made and told to nobody: so no client can
 *	write data that looks like a record
 * @blocks: size of the journal, superblocks included
 * @tail_at: block of the oldest record that may be needed
 * @tail_seq: its number
 */
struct ssdqos_journal_super {
	u8 uuid[SSDQOS_DISK_UUID_BYTES];
	u64 seq;
	u64 key;
	u64 blocks;
	u64 tail_at;
	u64 tail_seq;
};

/**
 * struct ssdqos_journal_record - where a record goes
 * @seq: its number, by which the caller knows it
 * @at: block of its header; its data follow
 * @filler_at: block of a filler that has to be written, too; 0: of none
 * @nr: blocks of data
 */
struct ssdqos_journal_record {
	u64 seq;
	u64 at;
	u64 filler_at;
	u32 nr;
};

/**
 * struct ssdqos_journal_tail - what a superblock would say, and what that brings
 * @at: block of the oldest record that is needed, or where the next one goes
 * @seq: its number
 * @frees: blocks that can be written again when that is on disk
 */
struct ssdqos_journal_tail {
	u64 at;
	u64 seq;
	u64 frees;
};

/* S(name, unit, help): what a journal has done, or has */
#define SSDQOS_JOURNAL_STATS(S)						\
	S(records, "records", "records that got a place")		\
	S(data_blocks, "blocks", "blocks of data in them")		\
	S(filler_blocks, "blocks", "blocks that were left out at the end of the device") \
	S(tails, "writes", "superblocks that were written to free space") \
	S(most_used, "blocks", "most blocks that were in use at a time")

struct ssdqos_journal_stats {
#define S(name, ...) u64 name;
	SSDQOS_JOURNAL_STATS(S)
#undef S
};

/**
 * struct ssdqos_journal_live - a record in memory
 * @blocks: that it takes, with its header and the filler before it
 * @left: of its data, that are needed yet
 */
struct ssdqos_journal_live {
	u32 blocks;
	u32 left;
};

/**
 * struct ssdqos_journal - the ring in memory; fields are private, but for those with (*)
 * @live: records from the oldest one on, a ring
 * @max_live: places in it
 * @nr_live: records in it
 * @oldest: the first one's place
 * @area: blocks for records
 * @head_at: where the next one goes
 * @head_seq: its number
 * @tail_at: block of the oldest one
 * @tail_seq: its number
 * @used: (*) blocks from the tail on disk to the head
 * @frees: (*) of them, before the tail in memory
 * @needed: (*) blocks of data that are needed yet
 * @stats: (*) what was done
 */
struct ssdqos_journal {
	struct ssdqos_journal_live *live;
	u32 max_live;
	u32 nr_live;
	u32 oldest;
	u64 area;
	u64 head_at;
	u64 head_seq;
	u64 tail_at;
	u64 tail_seq;
	u64 used;
	u64 frees;
	u64 needed;
	struct ssdqos_journal_stats stats;
};

/**
 * enum ssdqos_journal_fed - what is to be done with a block that was fed
 * @SSDQOS_JOURNAL_READ_ON: nothing
 * @SSDQOS_JOURNAL_APPLY: it goes to the mirror; its whole record is known to be good
 * @SSDQOS_JOURNAL_END: nothing, and there is no next one
 */
enum ssdqos_journal_fed {
	SSDQOS_JOURNAL_READ_ON,
	SSDQOS_JOURNAL_APPLY,
	SSDQOS_JOURNAL_END,
};

/**
 * enum ssdqos_journal_phase - what the next block is for
 * @SSDQOS_JOURNAL_HEADER: a header
 * @SSDQOS_JOURNAL_VERIFY: data, looked at
 * @SSDQOS_JOURNAL_REPLAY: data, read again to be applied
 */
enum ssdqos_journal_phase {
	SSDQOS_JOURNAL_HEADER,
	SSDQOS_JOURNAL_VERIFY,
	SSDQOS_JOURNAL_REPLAY,
};

/**
 * struct ssdqos_journal_entry - a block of data in a record
 * @block: where it goes on the mirror
 * @checksum: its crc32c
 */
struct ssdqos_journal_entry {
	u64 block;
	u32 checksum;
};

/**
 * struct ssdqos_journal_replay - after a power cut; fields are private, but for (*)
 * @super: of the journal
 * @mirror_blocks: size of the mirror
 * @at: (*) block of the journal that is to be fed next
 * @run: (*) so many from there on are asked for in a row, unless one is torn
 * @block: (*) where on the mirror goes what was fed
 * @records: (*) that were replayed
 * @phase: what the next block is for
 * @header_at: block of the record's header
 * @seq: number of the record
 * @nr: its blocks of data
 * @done: of them, in this phase
 * @entries: all of them
 */
struct ssdqos_journal_replay {
	struct ssdqos_journal_super super;
	u64 mirror_blocks;
	u64 at;
	u32 run;
	u64 block;
	u64 records;
	enum ssdqos_journal_phase phase;
	u64 header_at;
	u64 seq;
	u32 nr;
	u32 done;
	struct ssdqos_journal_entry entries[SSDQOS_JOURNAL_MAX_BLOCKS];
};

/* On disk (journal_disk.c). */
int ssdqos_journal_super_check(const struct ssdqos_journal_super *s, char *err,
			       u32 err_size);
void ssdqos_journal_super_encode(const struct ssdqos_journal_super *s,
				 u8 *block);
int ssdqos_journal_super_decode(const u8 *block, const u8 *uuid,
				struct ssdqos_journal_super *s, char *err,
				u32 err_size);
int ssdqos_journal_super_choose(const u8 *const slots[SSDQOS_DISK_SLOTS],
				const u8 *uuid, struct ssdqos_journal_super *s,
				struct ssdqos_disk_choice *choice, char *err,
				u32 err_size);
void ssdqos_journal_record_begin(u8 *block);
void ssdqos_journal_record_add(u8 *block, u32 i, u64 mirror_block,
			       u32 checksum);
void ssdqos_journal_record_seal(u8 *block, const struct ssdqos_journal_super *s,
				const struct ssdqos_journal_record *r);
void ssdqos_journal_filler_encode(u8 *block,
				  const struct ssdqos_journal_super *s,
				  const struct ssdqos_journal_record *r);
bool ssdqos_journal_header_decode(const u8 *block,
				  const struct ssdqos_journal_super *s, u64 at,
				  struct ssdqos_journal_record *r);
void ssdqos_journal_entry_decode(const u8 *block, u32 i,
				 struct ssdqos_journal_entry *entry);

/* In memory. */
int ssdqos_journal_init(struct ssdqos_journal *j,
			const struct ssdqos_journal_super *s, u32 max_live);
void ssdqos_journal_exit(struct ssdqos_journal *j);
int ssdqos_journal_reserve(struct ssdqos_journal *j, u32 nr,
			   struct ssdqos_journal_record *r);
void ssdqos_journal_put(struct ssdqos_journal *j, u64 seq, u32 nr);
void ssdqos_journal_tail(struct ssdqos_journal *j,
			 struct ssdqos_journal_tail *tail);
void ssdqos_journal_tail_written(struct ssdqos_journal *j,
				 const struct ssdqos_journal_tail *tail);

/* After a power cut. */
void ssdqos_journal_replay_begin(struct ssdqos_journal_replay *p,
				 const struct ssdqos_journal_super *s,
				 u64 mirror_blocks);
int ssdqos_journal_replay_feed(struct ssdqos_journal_replay *p, const u8 *block,
			       char *err, u32 err_size);
void ssdqos_journal_replay_done(const struct ssdqos_journal_replay *p,
				struct ssdqos_journal_super *s);

#endif /* SSDQOS_MIRROR_JOURNAL_H */
