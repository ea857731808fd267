/* SPDX-License-Identifier: GPL-2.0 */
/*
 * ianus.h - a mirror whose members take turns, in the kernel
 *
 * The mirror (core/mirror) decides; here are its memory, its lock, its clock, and who
 * carries out what it says.
 *
 * Locking: @lock protects the mirror, the lists of bios that wait and what is counted;
 * it is taken in hard interrupts.  Data of slots are copied without it: a slot that was
 * taken is its taker's, one that is pinned does not change.  One work gives members what
 * they have to do, ends flushes and lets writes in that had to wait.
 */
#ifndef SSDQOS_IANUS_H
#define SSDQOS_IANUS_H

#include <linux/bio.h>
#include <linux/blkdev.h>
#include <linux/completion.h>
#include <linux/device-mapper.h>
#include <linux/dm-kcopyd.h>
#include <linux/hrtimer.h>
#include <linux/mempool.h>
#include <linux/spinlock.h>
#include <linux/wait.h>
#include <linux/workqueue.h>

#include "core/mirror/disk.h"
#include "core/mirror/flow.h"

struct ssdqos_dir;

/* One sentence about what is wrong. */
#define IANUS_ERR_BYTES 200
/* Blocks of one bio: what is looked at with the lock held. */
#define IANUS_MAX_BLOCKS 32u
/* Blocks of each member that are compared at a time; a bit each in a u32. */
#define IANUS_COMPARE_BLOCKS 32u
/* What waits to be told; more than comes at once, and older ones go. */
#define IANUS_MAX_NEWS 16u
/* Writes of 256 KiB, at all members: more are never under way. */
#define IANUS_BLOCK_SHIFT 3

/**
 * struct ianus_news - what others should hear of
 * @event: what has happened
 * @member: to which member, or which one leads
 */
struct ianus_news {
	const char *event;
	u32 member;
};

/**
 * struct ianus_member - a device of the mirror
 * @dev: the device, or NULL: it is not here
 * @offset: first sector on it
 */
struct ianus_member {
	struct dm_dev *dev;
	sector_t offset;
};

/**
 * struct ianus_io - what the target keeps of each bio
 * @iter: of a read, to send it to another member
 * @mark: of a flush: it is done when flushes up to this one are
 * @member: who reads it, or SSDQOS_MIRROR_NOBODY
 * @tried: members that could not
 * @write: a write on its way through the journal
 * @slots: likewise, where its data are
 * @checksums: likewise, of each block
 */
struct ianus_io {
	struct bvec_iter iter;
	u64 mark;
	u32 member;
	u8 tried;
	struct ssdqos_flow_write write;
	u32 slots[IANUS_MAX_BLOCKS];
	u32 checksums[IANUS_MAX_BLOCKS];
};

/**
 * struct ianus_op - an instruction that is being carried out
 * @op: the instruction
 * @mirror: whose
 * @work: for what may sleep
 */
struct ianus_op {
	struct ssdqos_mirror_op op;
	struct ianus *mirror;
	struct work_struct work;
};

/**
 * struct ianus_meta - the metadata device
 * @dev: the device
 * @super: what the superblock says
 * @super_slot: the newest one's
 * @slots: by block of masks, where the newest one is
 * @seqs: by block of masks, its number
 * @block: a page for what is written; one block of masks and one superblock at a time
 * @super_block: likewise
 */
struct ianus_meta {
	struct dm_dev *dev;
	struct ssdqos_mirror_super super;
	u32 super_slot;
	u8 *slots;
	u64 *seqs;
	u8 *block;
	u8 *super_block;
};

/**
 * struct ianus_record - a record on its way to the journal
 * @mirror: whose
 * @flow: where it goes, and what is in it
 * @header: its first block
 * @filler: the block before it, if it has one
 * @left: bios that have not ended
 * @failed: one of them has failed
 * @began_ns: when it was sent
 */
struct ianus_record {
	struct ianus *mirror;
	struct ssdqos_flow_record *flow;
	u8 *header;
	u8 *filler;
	atomic_t left;
	bool failed;
	u64 began_ns;
};

/**
 * struct ianus_journal - the journal
 * @dev: its device, or NULL
 * @absent: the table says that it is not here
 * @flow: writes on their way through it
 * @super: what its superblock on the device says
 * @next: what the one says that is being written
 * @super_slot: the newest one's
 * @block: for the superblock
 * @tail_done: that has ended
 * @tail_failed: and failed
 * @records: those under way
 * @replayed: records that were replayed when the mirror began
 */
struct ianus_journal {
	struct dm_dev *dev;
	bool absent;
	struct ssdqos_flow flow;
	struct ssdqos_journal_super super;
	struct ssdqos_journal_super next;
	u32 super_slot;
	u8 *block;
	bool tail_done;
	bool tail_failed;
	struct ianus_record records[SSDQOS_FLOW_RECORDS];
	u64 replayed;
};

/**
 * struct ianus_unnoted - what could not be noted in the metadata
 * @list: of all mirrors that have something; empty if this one has not
 * @lacking: members that lack what the metadata don't say; a bit each
 * @same: the others have the same
 * @uuid: whose
 */
struct ianus_unnoted {
	struct list_head list;
	u8 lacking;
	bool same;
	u8 uuid[SSDQOS_DISK_UUID_BYTES];
};

/**
 * struct ianus - a mirror
 * @ti: the target
 * @lock: see above
 * @mirror: who decides
 * @cfg: parameters of the table line
 * @members: its devices
 * @nr: how many
 * @pages: data by slot
 * @meta: the metadata device
 * @compare: for what members have, when they are compared
 * @journal: the journal
 * @bios: for writes to members and to the journal
 * @ops: for instructions
 * @spare: of @work: memory for the next instruction, if there was none when it asked last
 * @kcopyd: copies regions
 * @wq: of @work and copies
 * @work: see above
 * @timer: calls @work
 * @writes: writes that wait for slots, in order
 * @letting_in: one of them is on its way
 * @flushes: flushes that wait, in order
 * @retries: reads that have failed at a member
 * @in_flight: instructions that are being carried out
 * @idle: somebody waits until there are none, and none are given any more
 * @asked_ns: when the mirror was asked last what is to be done
 * @accept_ns: when the first of @writes may come
 * @sysfs: its directory, or NULL
 * @news: what others should hear of
 * @first_news: index of the oldest
 * @nr_news: how many
 * @tell: tells them
 * @states: of members, as they were told last
 * @told_switches: turns that were told
 * @told_broken: likewise, that the last member has failed
 * @told_meta: likewise, that the metadata can't be written
 * @told_scrubs: comparisons of members that were told
 * @told_differing: blocks that differed when that was told last
 * @told_journal: likewise, that the journal can't be
 * @unnoted: what could not be noted when it was suspended
 * @spoiled: it has begun to begin, and could not: another table has to
 * @resumed: it has begun
 * @resting: it has not begun, or is suspended: no instructions are given
 */
struct ianus {
	struct dm_target *ti;
	spinlock_t lock;
	struct ssdqos_mirror mirror;
	struct ssdqos_mirror_config cfg;
	struct ianus_member members[SSDQOS_MIRROR_MAX_MEMBERS];
	u32 nr;
	struct page **pages;
	struct ianus_meta meta;
	struct page **compare;
	struct ianus_journal journal;
	struct bio_set bios;
	mempool_t ops;
	struct ianus_op *spare;
	struct dm_kcopyd_client *kcopyd;
	struct workqueue_struct *wq;
	struct work_struct work;
	struct hrtimer timer;
	struct bio_list writes;
	bool letting_in;
	struct bio_list flushes;
	struct bio_list retries;
	u32 in_flight;
	wait_queue_head_t idle;
	u64 asked_ns;
	u64 accept_ns;
	struct ssdqos_dir *sysfs;
	struct ianus_news news[IANUS_MAX_NEWS];
	u32 first_news;
	u32 nr_news;
	struct work_struct tell;
	u32 states[SSDQOS_MIRROR_MAX_MEMBERS];
	u64 told_switches;
	bool told_broken;
	bool told_meta;
	u64 told_scrubs;
	u64 told_differing;
	bool told_journal;
	struct ianus_unnoted unnoted;
	bool spoiled;
	bool resumed;
	bool resting;
};

/**
 * ianus_kick - the mirror may have something to do
 * @x: the mirror
 *
 * Context: any.
 */
static inline void ianus_kick(struct ianus *x)
{
	queue_work(x->wq, &x->work);
}

/* The mapped device, for those who watch. */
static inline dev_t ianus_dev(struct ianus *x)
{
	return disk_devt(dm_disk(dm_table_get_md(x->ti->table)));
}

/* Members that are not here, a bit each. */
static inline u8 ianus_absent(const struct ianus *x)
{
	u8 absent = 0;
	u32 i;

	for (i = 0; i < x->nr; i++)
		if (!x->members[i].dev)
			absent |= (u8)(1u << i);
	return absent;
}

static inline struct ianus_io *ianus_io_of(struct bio *bio)
{
	return dm_per_bio_data(bio, sizeof(struct ianus_io));
}

/* As the table has them; a mirror that is there already has the same. */
static inline u32 ianus_region_sectors(const struct ianus *x)
{
	return (u32)x->cfg.region_kib * SSDQOS_DISK_SECTORS_PER_KIB;
}

static inline u64 ianus_block_of(const struct ianus *x, const struct bio *bio)
{
	return dm_target_offset(x->ti, bio->bi_iter.bi_sector) >>
	       IANUS_BLOCK_SHIFT;
}

static inline u32 ianus_blocks_of(const struct bio *bio)
{
	return bio_sectors(bio) >> IANUS_BLOCK_SHIFT;
}

/* answer.c: what was written can be read, and who wrote hears of it */
void ianus_end_bio(struct bio *bio, blk_status_t status);
void ianus_add_flush(struct ianus *x, struct bio *bio);
bool ianus_publish(struct ianus *x, struct bio *bio, const u32 *slots,
		   u64 record);

/* apart.c: devices that are the same place */
int ianus_check_apart(const struct ianus *x, char *err);

/* io.c: bios of clients */
int ianus_map(struct dm_target *ti, struct bio *bio);
int ianus_end_io(struct dm_target *ti, struct bio *bio, blk_status_t *error);
void ianus_let_in(struct ianus *x, u64 now_ns);
void ianus_end_flushes(struct ianus *x);
void ianus_retry(struct ianus *x);

/* op.c: what was given has ended */
void ianus_ended(struct ianus *x);
void ianus_op_done(struct ianus_op *op, u32 failed);

/* begin.c: instructions */
void ianus_begin(struct ianus_op *op);

/* compare.c: members are compared */
int ianus_compare_init(struct ianus *x);
void ianus_compare_exit(struct ianus *x);
void ianus_do_compare(struct work_struct *work);

/* message.c: messages, and who else changes parameters */
int ianus_message(struct dm_target *ti, unsigned int argc, char **argv,
		  char *result, unsigned int maxlen);
int ianus_set(struct ianus *x, const char *key, const char *value, char *err);

/* drain.c: rest */
void ianus_halt(struct ianus *x);
bool ianus_drain(struct ianus *x);

/* tell.c: others hear of it */
void ianus_note_news(struct ianus *x);
void ianus_tell(struct work_struct *work);

/* work.c: the work, suspend and resume */
void ianus_work(struct work_struct *work);
enum hrtimer_restart ianus_timer(struct hrtimer *timer);
int ianus_start(struct ianus *x, char *err);
void ianus_stop(struct ianus *x);
void ianus_go_on(struct ianus *x);

/* meta.c: the metadata device */
int ianus_meta_init(struct ianus *x, char *err);
void ianus_meta_exit(struct ianus *x);
int ianus_meta_look(struct ianus *x, char *err);
int ianus_meta_load(struct ianus *x, struct ssdqos_mirror_known *known,
		    char *err);
sector_t ianus_meta_prepare(struct ianus *x, const struct ssdqos_mirror_op *op,
			    void **data);
void ianus_meta_written(struct ianus *x, const struct ssdqos_mirror_op *op,
			bool failed);
int ianus_meta_note(struct ianus *x, char *err);

/* unnoted.c: what a mirror knows and could not note */
void ianus_unnoted_begin(struct ianus *x);
void ianus_unnoted_tell(struct ianus *x, struct ssdqos_mirror_known *known);
void ianus_unnoted_keep(struct ianus *x);
void ianus_unnoted_forget(struct ianus *x);

/* journal.c: writes that are safe before members have them */
int ianus_journal_init(struct ianus *x, char *err);
void ianus_journal_exit(struct ianus *x);
void ianus_journal_checksum(struct ianus *x, struct bio *bio, const u32 *slots,
			    u32 nr);
bool ianus_journal_add(struct ianus *x, struct bio *bio, const u32 *slots,
		       u32 nr);
void ianus_journal_work(struct ianus *x);

/* replay.c: the journal, when the mirror begins and ends */
int ianus_journal_may(struct ianus *x, char *err);
int ianus_journal_look(struct ianus *x, u8 *rebuild, char *err);
int ianus_journal_begin(struct ianus *x, char *err);
int ianus_journal_go_on(struct ianus *x, char *err);
void ianus_journal_rest(struct ianus *x);

#endif /* SSDQOS_IANUS_H */
