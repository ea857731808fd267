// SPDX-License-Identifier: GPL-2.0
#include "journal.h"

#include <string.h>

/* A write of a client on its way through the journal. */
struct journal_write {
	struct ssdqos_flow_write flow;
	void *owner;
	u64 block;
	u32 slots[SSDQOS_MIRROR_MAX_RUN];
};

/* ---- clients ---- */

bool mirror_journal_add(struct mirror_journal *journal, u64 block, u32 nr, const u32 *slots,
			void *owner)
{
	struct journal_write *write = pool_get(&journal->writes);

	write->flow.nr = nr;
	write->owner = owner;
	write->block = block;
	memcpy(write->slots, slots, nr * sizeof(*slots));
	if (ssdqos_flow_add(&journal->flow, &write->flow))
		return true;
	pool_put(&journal->writes, write);
	return false;
}

/* It is in a safe record, whose number is @seq, or there is no journal any more. */
static void answer(struct mirror_journal *journal, struct ssdqos_flow_write *flow, u64 seq)
{
	struct journal_write *write = container_of(flow, struct journal_write, flow);

	for (u32 i = 0; i < flow->nr; i++) {
		mirror_data_publish(journal->data, write->block + i, write->slots[i]);
		ssdqos_mirror_publish(journal->mirror, write->block + i, write->slots[i]);
		if (seq)
			ssdqos_mirror_journaled(journal->mirror, write->slots[i], seq);
	}
	journal->answered(write->owner, seq);
	pool_put(&journal->writes, write);
}

static void answer_all(struct mirror_journal *journal)
{
	struct ssdqos_flow_record *record;
	struct ssdqos_flow_write *write;
	u64 seq;

	while ((record = ssdqos_flow_ended(&journal->flow, &seq))) {
		while ((write = ssdqos_flow_pop(&record->writes)))
			answer(journal, write, seq);
		ssdqos_flow_answered(&journal->flow);
	}
	while ((write = ssdqos_flow_leave(&journal->flow)))
		answer(journal, write, 0);
}

/* ---- the device ---- */

static void record_done(void *owner, bool failed)
{
	struct mirror_journal_record *record = owner;
	struct mirror_journal *journal = record->journal;

	record->failed |= failed;
	if (--record->left)
		return;
	if (!record->failed)
		ssdqos_hist_add(&journal->latency, journal->device.now_ns - record->began_ns);
	ssdqos_flow_written(record->flow, record->failed);
	journal->touched = true;
}

static void write_record(struct mirror_journal *journal, struct ssdqos_flow_record *flow)
{
	struct mirror_journal_record *record = &journal->records[flow->number];
	const struct ssdqos_journal_record *place = &flow->place;

	*record = (struct mirror_journal_record){
		.journal = journal, .flow = flow, .left = place->filler_at ? 2 : 1,
		.began_ns = journal->device.now_ns,
	};
	if (place->filler_at)
		journal_device_write(&journal->device, place->filler_at, 1, record_done, record);
	journal_device_write(&journal->device, place->at, 1 + place->nr, record_done, record);
}

static void tail_done(void *owner, bool failed)
{
	struct mirror_journal *journal = owner;

	ssdqos_flow_tail_ended(&journal->flow, failed);
	journal->touched = true;
}

void mirror_journal_step(struct mirror_journal *journal)
{
	struct ssdqos_flow_record *record;

	journal->touched = false;
	answer_all(journal);
	while ((record = ssdqos_flow_next(&journal->flow)))
		write_record(journal, record);
	if (!ssdqos_flow_wants_tail(&journal->flow))
		return;
	journal_device_write(&journal->device, journal->tail_slot, 1, tail_done, journal);
	journal->tail_slot = !journal->tail_slot;
}

/* ---- from beginning to end ---- */

bool mirror_journal_start(struct mirror_journal *journal, struct ssdqos_mirror *mirror,
			  struct mirror_data *data, mirror_journal_fn answered)
{
	const struct ssdqos_journal_super super = {
		.blocks = journal->device.blocks, .tail_at = SSDQOS_JOURNAL_FIRST, .tail_seq = 1,
	};

	journal->mirror = mirror;
	journal->data = data;
	journal->answered = answered;
	pool_init(&journal->writes, sizeof(struct journal_write));
	ssdqos_hist_init(&journal->latency);
	mirror->journal = SSDQOS_MIRROR_JOURNAL_USED;
	return !ssdqos_flow_init(&journal->flow, mirror, &super);
}

void mirror_journal_destroy(struct mirror_journal *journal)
{
	ssdqos_flow_exit(&journal->flow);
	pool_free(&journal->writes);
	journal_device_destroy(&journal->device);
}

void mirror_journal_count(const struct mirror_journal *journal,
			  struct mirror_journal_counts *counts)
{
	const struct ssdqos_journal_stats *stats = &journal->flow.ring.stats;

	*counts = (struct mirror_journal_counts){
		.records = stats->records,
		.data_blocks = stats->data_blocks,
		.filler_blocks = stats->filler_blocks,
		.tails = stats->tails,
		.waits = journal->flow.waits,
	};
}
