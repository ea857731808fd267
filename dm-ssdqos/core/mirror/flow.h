/* SPDX-License-Identifier: GPL-2.0 */
/*
 * flow.h - clients' writes on their way through the journal of a mirror (flow.c)
 */
#ifndef SSDQOS_MIRROR_FLOW_H
#define SSDQOS_MIRROR_FLOW_H

#include "journal.h"
#include "mirror.h"

/* Records under way: a drive's inner parallelism, at 256 KiB each. */
#define SSDQOS_FLOW_RECORDS 8u

/**
 * struct ssdqos_flow_write - a write; memory belongs to the caller
 * @next: in its list
 * @nr: its blocks, 1 to SSDQOS_JOURNAL_MAX_BLOCKS
 */
struct ssdqos_flow_write {
	struct ssdqos_flow_write *next;
	u32 nr;
};

/**
 * struct ssdqos_flow_list - writes in order
 * @first: the first one, or NULL
 * @last: the last one, if there is one
 */
struct ssdqos_flow_list {
	struct ssdqos_flow_write *first;
	struct ssdqos_flow_write *last;
};

/**
 * struct ssdqos_flow_record - a record on its way
 * @place: where it goes
 * @writes: what is in it
 * @number: its number among those that can be under way
 * @done: it was written, or could not be
 * @failed: it could not
 */
struct ssdqos_flow_record {
	struct ssdqos_journal_record place;
	struct ssdqos_flow_list writes;
	u32 number;
	bool done;
	bool failed;
};

/**
 * struct ssdqos_flow - all of them; fields are private, but for those with (*)
 * @mirror: whose journal it is
 * @ring: (*) where records lie
 * @on: (*) writes go through the journal; false if all is zero
 * @full: it has no room for what is at the head of @queue
 * @queue: writes that wait to become part of a record
 * @queued: blocks of them
 * @records: those under way, a ring
 * @oldest: the first one
 * @nr: how many
 * @tail: (*) what the superblock says that is being written
 * @tail_writing: it is being written
 * @waits: (*) times that @queue had to wait for room
 */
struct ssdqos_flow {
	struct ssdqos_mirror *mirror;
	struct ssdqos_journal ring;
	bool on;
	bool full;
	struct ssdqos_flow_list queue;
	u32 queued;
	struct ssdqos_flow_record records[SSDQOS_FLOW_RECORDS];
	u32 oldest;
	u32 nr;
	struct ssdqos_journal_tail tail;
	bool tail_writing;
	u64 waits;
};

int ssdqos_flow_init(struct ssdqos_flow *f, struct ssdqos_mirror *m,
		     const struct ssdqos_journal_super *s);
void ssdqos_flow_exit(struct ssdqos_flow *f);

bool ssdqos_flow_add(struct ssdqos_flow *f, struct ssdqos_flow_write *write);
bool ssdqos_flow_flush(struct ssdqos_flow *f);
struct ssdqos_flow_write *ssdqos_flow_pop(struct ssdqos_flow_list *list);

struct ssdqos_flow_record *ssdqos_flow_next(struct ssdqos_flow *f);
void ssdqos_flow_written(struct ssdqos_flow_record *record, bool failed);
struct ssdqos_flow_record *ssdqos_flow_ended(struct ssdqos_flow *f, u64 *seq);
void ssdqos_flow_answered(struct ssdqos_flow *f);
struct ssdqos_flow_write *ssdqos_flow_leave(struct ssdqos_flow *f);

bool ssdqos_flow_wants_tail(struct ssdqos_flow *f);
void ssdqos_flow_tail_ended(struct ssdqos_flow *f, bool failed);

#endif /* SSDQOS_MIRROR_FLOW_H */
