/* SPDX-License-Identifier: GPL-2.0 */
/*
 * journal.h - writes of clients go through the mirror's journal before they are answered
 */
#ifndef SSDQOS_SIM_MIRROR_JOURNAL_H
#define SSDQOS_SIM_MIRROR_JOURNAL_H

#include "data.h"
#include "journal_device.h"
#include "../../../dm-ssdqos/core/engine/hist.h"
#include "../../../dm-ssdqos/core/mirror/flow.h"

struct mirror_journal;

/**
 * typedef mirror_journal_fn - a write was published
 * @owner: whose
 * @safe: it is in a record that is durable; if not, there is no journal any more
 */
typedef void (*mirror_journal_fn)(void *owner, bool safe);

/**
 * struct mirror_journal_record - a record on its way to the device
 * @journal: whose
 * @flow: which
 * @left: writes to the device that have not ended
 * @failed: one of them has failed
 * @began_ns: when it was sent
 */
struct mirror_journal_record {
	struct mirror_journal *journal;
	struct ssdqos_flow_record *flow;
	u32 left;
	bool failed;
	u64 began_ns;
};

/**
 * struct mirror_journal - the journal
 * @device: where it is
 * @flow: who decides
 * @mirror: whose it is
 * @data: what is where
 * @answered: is called when a write was published
 * @writes: those on their way
 * @records: likewise
 * @tail_slot: of the superblock that is written next
 * @latency: of records, from when they are sent until they are durable
 * @touched: it may have something to do
 */
struct mirror_journal {
	struct journal_device device;
	struct ssdqos_flow flow;
	struct ssdqos_mirror *mirror;
	struct mirror_data *data;
	mirror_journal_fn answered;
	struct pool writes;
	struct mirror_journal_record records[SSDQOS_FLOW_RECORDS];
	u32 tail_slot;
	struct ssdqos_hist latency;
	bool touched;
};

/* S(name): what of a journal is counted, beside its latencies */
#define MIRROR_JOURNAL_COUNTS(S)	\
	S(records)			\
	S(data_blocks)			\
	S(filler_blocks)		\
	S(tails)			\
	S(waits)

/**
 * struct mirror_journal_counts - what it has done
 */
struct mirror_journal_counts {
#define S(name) u64 name;
	MIRROR_JOURNAL_COUNTS(S)
#undef S
};

/**
 * mirror_journal_start - writes go through it from now on
 * @journal: its device was made, the rest is zero
 * @mirror: the mirror, which has begun
 * @data: what is where
 * @answered: is called when a write was published
 *
 * Return: false without memory; mirror_journal_destroy() is right either way.
 */
bool mirror_journal_start(struct mirror_journal *journal, struct ssdqos_mirror *mirror,
			  struct mirror_data *data, mirror_journal_fn answered);

/**
 * mirror_journal_destroy - free it
 * @journal: the journal
 */
void mirror_journal_destroy(struct mirror_journal *journal);

/**
 * mirror_journal_add - a client writes
 * @journal: the journal
 * @block: the first block
 * @nr: blocks
 * @slots: of the cache, that were taken for them
 * @owner: whose
 *
 * Return: false if there is no journal any more: it is to be published at once.
 */
bool mirror_journal_add(struct mirror_journal *journal, u64 block, u32 nr, const u32 *slots,
			void *owner);

/**
 * mirror_journal_step - publish what is durable, and write what waits
 * @journal: the journal
 */
void mirror_journal_step(struct mirror_journal *journal);

/**
 * mirror_journal_count - what it has done until now
 * @journal: the journal
 * @counts: to be filled
 */
void mirror_journal_count(const struct mirror_journal *journal,
			  struct mirror_journal_counts *counts);

#endif
