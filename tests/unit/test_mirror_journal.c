// SPDX-License-Identifier: GPL-2.0
/*
 * Whatever a power cut loses, keeps or tears, what is replayed is a run of whole records
 * from the tail on, and every record whose flush was answered is among them.
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "../../dm-ssdqos/core/engine/crc32c.h"
#include "../../dm-ssdqos/core/engine/rng.h"
#include "../../dm-ssdqos/core/mirror/journal.h"
#include "../../tools/sim/platform/env.h"

#define BYTES SSDQOS_DISK_BLOCK_BYTES
#define SECTOR SSDQOS_DISK_SECTOR_BYTES
#define SECTORS SSDQOS_DISK_BLOCK_SECTORS
#define LEAST SSDQOS_JOURNAL_MIN_SIZE
#define FIRST SSDQOS_JOURNAL_FIRST
#define MAX_NR SSDQOS_JOURNAL_MAX_BLOCKS
#define MOST_BLOCKS 300
#define MIRROR_BLOCKS 1000
#define KEY 0x1122334455667788ULL
#define AT_CHECKSUM 8
#define AT_VERSION 12
#define AT_NR 72
#define CUTS 400
#define CUTS_OF_A_LIFE 40

static const u8 uuid[SSDQOS_DISK_UUID_BYTES] = "mirror number 1";
static u8 disk[MOST_BLOCKS][BYTES];
static u8 block[BYTES];
static char err[256];
static struct ssdqos_rng rng;
static struct ssdqos_journal j;
static struct ssdqos_journal_super super;
static struct ssdqos_disk_choice choice;

static u32 draw(u32 below)
{
	return ssdqos_rng_below(&rng, below);
}

#define assert_said(what)							\
	do {									\
		if (!strstr(err, what))						\
			fail_msg("\"%s\" lacks \"%s\"", err, what);		\
	} while (0)

/* ---- a device with a volatile cache ---- */

#define MOST_PENDING 8192

static struct {
	u64 at;
	u8 data[BYTES];
} pending[MOST_PENDING];
static u32 nr_pending;

static void issue(u64 at, const u8 *data)
{
	assert_in_range(at, 0, super.blocks - 1);
	assert_true(nr_pending < MOST_PENDING);
	pending[nr_pending].at = at;
	memcpy(pending[nr_pending++].data, data, BYTES);
}

static void device_flush(void)
{
	u32 i;

	for (i = 0; i < nr_pending; i++)
		memcpy(disk[pending[i].at], pending[i].data, BYTES);
	nr_pending = 0;
}

static void tear(u32 i)
{
	u32 sector, which = draw(1u << SECTORS);

	for (sector = 0; sector < SECTORS; sector++)
		if (which >> sector & 1)
			memcpy(disk[pending[i].at] + sector * SECTOR, pending[i].data + sector * SECTOR, SECTOR);
}

/* Of what was not flushed some is there, some is not, some is torn, the last one always. */
static void device_cut(void)
{
	static const u32 kept_of_8[] = { 0, 1, 4, 7, 8 };
	u32 i, kept = kept_of_8[draw(ARRAY_SIZE(kept_of_8))], torn = draw(2);

	for (i = 0; i < nr_pending; i++) {
		if (i + 1 == nr_pending || (torn && !draw(8)))
			tear(i);
		else if (draw(8) < kept)
			memcpy(disk[pending[i].at], pending[i].data, BYTES);
	}
	nr_pending = 0;
}

/* ---- a mirror that uses it ---- */

/* What is known of the records since the machine got power. */
#define MOST_RECORDS 2048

static struct {
	u64 seq;
	u32 nr, left;
	bool acked;
	u64 targets[MAX_NR];
} records[MOST_RECORDS];
static u32 nr_records, first_left;
/* Numbers of the tails of which one is on the device. */
static u64 tail_seqs[2];
static u32 lives_replayed, lives_torn;

static u64 stamp(u64 seq, u32 i, u32 sector)
{
	return (seq << 16 | i << 8 | sector) * 0x9e3779b97f4a7c15ULL;
}

/* Some of the data look like a record; only the key of the journal is not known. */
static void fill(const struct ssdqos_journal_record *r, u32 i)
{
	struct ssdqos_journal_super liar = super;
	struct ssdqos_journal_record lie = { .seq = r->seq + draw(3), .at = r->at + 1 + i, .nr = 1 };
	u32 sector;

	memset(block, (u8)r->seq, BYTES);
	for (sector = 0; sector < SECTORS; sector++)
		ssdqos_disk_put(block, (sector + 1) * SECTOR - 8, 8, stamp(r->seq, i, sector));
	if (draw(4))
		return;
	liar.key++;
	ssdqos_journal_record_seal(block, &liar, &lie);
}

static void check_data(const u8 *data, u64 seq, u32 i)
{
	u32 sector;

	for (sector = 0; sector < SECTORS; sector++)
		assert_int_equal(ssdqos_disk_get(data, (sector + 1) * SECTOR - 8, 8), stamp(seq, i, sector));
}

static void write_record(const struct ssdqos_journal_record *r)
{
	static u8 header[BYTES];
	u32 i;

	assert_true(nr_records < MOST_RECORDS);
	if (r->filler_at) {
		ssdqos_journal_filler_encode(block, &super, r);
		issue(r->filler_at, block);
	}
	ssdqos_journal_record_begin(header);
	records[nr_records].seq = r->seq;
	records[nr_records].nr = r->nr;
	records[nr_records].left = r->nr;
	records[nr_records].acked = false;
	for (i = 0; i < r->nr; i++) {
		u64 target = draw(MIRROR_BLOCKS);

		fill(r, i);
		ssdqos_journal_record_add(header, i, target, ssdqos_crc32c(block, BYTES));
		records[nr_records].targets[i] = target;
		issue(r->at + 1 + i, block);
	}
	nr_records++;
	ssdqos_journal_record_seal(header, &super, r);
	issue(r->at, header);
}

static void flush(void)
{
	u32 i;

	device_flush();
	for (i = nr_records; i-- && !records[i].acked;)
		records[i].acked = true;
}

static void put(u32 nth, u32 nr)
{
	nr = min(nr, records[nth].left);
	records[nth].left -= nr;
	ssdqos_journal_put(&j, records[nth].seq, nr);
	while (first_left < nr_records && !records[first_left].left)
		first_left++;
}

/* False if the power was cut meanwhile. */
static bool write_super(const struct ssdqos_journal_super *new)
{
	tail_seqs[1] = new->tail_seq;
	ssdqos_journal_super_encode(new, block);
	issue(!choice.newest, block);
	if (!draw(20))
		return false;
	flush();
	choice.newest = !choice.newest;
	super = *new;
	tail_seqs[0] = new->tail_seq;
	return true;
}

static bool write_tail(void)
{
	struct ssdqos_journal_super new = super;
	struct ssdqos_journal_tail tail;
	u64 used = j.used;

	ssdqos_journal_tail(&j, &tail);
	new.seq++;
	new.tail_at = tail.at;
	new.tail_seq = tail.seq;
	if (!write_super(&new))
		return false;
	/* what becomes free meanwhile is not in it */
	if (first_left < nr_records && draw(2))
		put(first_left, MAX_NR);
	assert_int_equal(j.used, used);
	ssdqos_journal_tail_written(&j, &tail);
	assert_int_equal(j.used, used - tail.frees);
	return true;
}

/* ---- power comes back ---- */

/* Each record that is replayed is the next one, whole, with its data. */
static u32 replay(struct ssdqos_journal_replay *p)
{
	u32 nth = 0, done = 0, steps = 0;
	int ret;

	while (nth < nr_records && records[nth].seq < super.tail_seq)
		nth++;
	ssdqos_journal_replay_begin(p, &super, MIRROR_BLOCKS);
	do {
		u64 at = p->at;

		assert_in_range(at, FIRST, super.blocks - 1);
		assert_in_range(p->run, 1, super.blocks - at);
		assert_true(++steps < 4 * MOST_BLOCKS);
		ret = ssdqos_journal_replay_feed(p, disk[at], err, sizeof(err));
		if (ret < 0)
			fail_msg("%s", err);
		if (ret != SSDQOS_JOURNAL_APPLY) {
			assert_true(ret == SSDQOS_JOURNAL_END || !done);
			continue;
		}
		assert_true(nth < nr_records);
		assert_int_equal(p->block, records[nth].targets[done]);
		check_data(disk[at], records[nth].seq, done);
		if (++done == records[nth].nr) {
			nth++;
			done = 0;
		}
	} while (ret != SSDQOS_JOURNAL_END);
	assert_int_equal(done, 0);
	assert_int_equal(ssdqos_journal_replay_feed(p, block, err, sizeof(err)), SSDQOS_JOURNAL_END);
	return nth;
}

static void attach(u32 max_live)
{
	const u8 *const slots[SSDQOS_DISK_SLOTS] = { disk[0], disk[1] };
	struct ssdqos_journal_replay p;
	struct ssdqos_journal_super new;
	u32 nth, i;

	do {
		device_cut();
		if (ssdqos_journal_super_choose(slots, uuid, &super, &choice, err, sizeof(err)))
			fail_msg("%s", err);
		assert_true(super.tail_seq == tail_seqs[0] || super.tail_seq == tail_seqs[1]);
		nth = replay(&p);
		for (i = 0; i < nr_records; i++) {
			/* all that was acknowledged, and of what is skipped nothing is needed */
			assert_true(i < nth || !records[i].acked);
			assert_true(records[i].seq >= super.tail_seq || !records[i].left);
			/* the members have what was replayed */
			records[i].left = 0;
		}
		lives_replayed += p.records > 0;
		lives_torn += nth < nr_records;
		nr_records = nth;
		tail_seqs[0] = super.tail_seq;
		ssdqos_journal_replay_done(&p, &new);
		assert_int_equal(ssdqos_journal_super_check(&new, err, sizeof(err)), 0);
	} while (!write_super(&new));
	nr_records = 0;
	first_left = 0;
	ssdqos_journal_exit(&j);
	assert_int_equal(ssdqos_journal_init(&j, &super, max_live), 0);
}

static void format(u64 blocks)
{
	super = (struct ssdqos_journal_super){
		.seq = 1, .key = KEY, .blocks = blocks, .tail_at = FIRST, .tail_seq = 1,
	};
	memcpy(super.uuid, uuid, sizeof(uuid));
	memset(disk, 0, sizeof(disk));
	ssdqos_journal_super_encode(&super, disk[0]);
	memcpy(disk[1], disk[0], BYTES);
	choice = (struct ssdqos_disk_choice){ 0 };
	tail_seqs[0] = 1;
	tail_seqs[1] = 1;
	nr_pending = 0;
	nr_records = 0;
	first_left = 0;
	ssdqos_journal_exit(&j);
	assert_int_equal(ssdqos_journal_init(&j, &super, 100), 0);
}

static int finish(void **state)
{
	ssdqos_journal_exit(&j);
	assert_int_equal(ssdqos_env_warnings, 0);
	return 0;
}

/* ---- random histories ---- */

/* A record, if there is room for it; false if the power was cut meanwhile. */
static bool live_write(u32 nr)
{
	struct ssdqos_journal_record r;
	int ret = ssdqos_journal_reserve(&j, nr, &r);

	if (!ret) {
		write_record(&r);
		return true;
	}
	if (ret == -EBUSY || draw(2))
		while (first_left < nr_records && draw(10))
			put(first_left, MAX_NR);
	return write_tail();
}

static void live(u32 most_nr, u32 ops)
{
	bool on = true;

	for (; on && ops && nr_records < MOST_RECORDS; ops--) {
		switch (draw(10)) {
		case 0:
		case 1:
			flush();
			break;
		case 2:
		case 3:
			if (first_left < nr_records)
				put(draw(3) ? first_left : first_left + draw(nr_records - first_left),
				    1 + draw(most_nr));
			break;
		case 4:
			on = draw(5) || write_tail();
			break;
		default:
			on = live_write(1 + draw(most_nr));
			break;
		}
	}
}

static void acknowledged_records_survive_power_cuts(void **state)
{
	static const u32 most_nrs[] = { 1, 3, 1, MAX_NR, 8 };
	static const u32 sizes[] = { LEAST, LEAST + 1, LEAST + 20, MOST_BLOCKS };
	const char *more = getenv("SSDQOS_JOURNAL_CUTS");
	u32 cuts = more ? (u32)strtoul(more, NULL, 10) : CUTS, cut, most_nr = 0, max_live = 0;

	lives_replayed = 0;
	lives_torn = 0;
	for (cut = 0; cut < cuts; cut++) {
		if (cut % CUTS_OF_A_LIFE == 0) {
			ssdqos_rng_seed(&rng, cut);
			most_nr = most_nrs[cut / CUTS_OF_A_LIFE % ARRAY_SIZE(most_nrs)];
			max_live = draw(3) ? 200 : 1 + draw(5);
			format(sizes[cut / CUTS_OF_A_LIFE % ARRAY_SIZE(sizes)]);
		}
		live(most_nr, 1 + draw(draw(4) ? 30 : 200));
		attach(max_live);
	}
	assert_true(lives_replayed > cuts / 4);
	assert_true(lives_torn > cuts / 4);
}

/* ---- on disk ---- */

static void sign(u8 *to)
{
	ssdqos_disk_put(to, AT_CHECKSUM, 4, ssdqos_crc32c(to + AT_VERSION, BYTES - AT_VERSION));
}

static int decode(struct ssdqos_journal_super *s)
{
	memset(err, 0, sizeof(err));
	return ssdqos_journal_super_decode(block, uuid, s, err, sizeof(err));
}

static void a_superblock_comes_back(void **state)
{
	static const u8 payload[] = {
		0x88, 0x77, 0x66, 0x55, 0x44, 0x33, 0x22, 0x11, 44, 1, 0, 0, 0, 0, 0, 0,
		0x34, 0, 0, 0, 0, 0, 0, 0, 0x78, 0x56, 0, 0, 0, 0, 0, 0, 0,
	};
	struct ssdqos_journal_super found;

	format(MOST_BLOCKS);
	super.tail_at = 0x34;
	super.tail_seq = 0x5678;
	ssdqos_journal_super_encode(&super, block);
	assert_memory_equal(block + SSDQOS_DISK_HEADER_BYTES, payload, sizeof(payload));
	assert_int_equal(decode(&found), 0);
	assert_memory_equal(&found, &super, sizeof(super));
	found.uuid[0]++;
	assert_int_equal(ssdqos_journal_super_decode(block, found.uuid, &found, err, sizeof(err)), -EINVAL);
	assert_said("superblock of a mirror's journal 0: it is that of another mirror");
}

static void numbers_that_cannot_be_are_refused(void **state)
{
	static const struct {
		u32 at;
		u64 value;
		const char *said;
	} wrong[] = {
		{ 72, LEAST - 1, "130 blocks, which have to be 131 to 4294967296" },
		{ 72, (1ULL << 32) + 1, "4294967297 blocks" },
		{ 80, 1, "in block 1, which has to be 2 to 299" },
		{ 80, MOST_BLOCKS, "in block 300" },
		{ 88, 0, "number 0" },
		{ 88, ~0ULL, "number 18446744073709551615, which has to be 1 to 4611686018427387904" },
	};
	struct ssdqos_journal_super found;
	u32 i;

	for (i = 0; i < ARRAY_SIZE(wrong); i++) {
		format(MOST_BLOCKS);
		memcpy(block, disk[0], BYTES);
		ssdqos_disk_put(block, wrong[i].at, 8, wrong[i].value);
		sign(block);
		assert_int_equal(decode(&found), -EINVAL);
		assert_said(wrong[i].said);
	}
}

static void the_newer_superblock_counts(void **state)
{
	const u8 *const slots[SSDQOS_DISK_SLOTS] = { disk[0], disk[1] };

	format(LEAST);
	super.seq = 2;
	super.tail_at = 99;
	ssdqos_journal_super_encode(&super, disk[1]);
	assert_int_equal(ssdqos_journal_super_choose(slots, uuid, &super, &choice, err, sizeof(err)), 0);
	assert_int_equal(super.tail_at, 99);
	assert_int_equal(choice.newest, 1);
	disk[1][3000] = 1;
	assert_int_equal(ssdqos_journal_super_choose(slots, uuid, &super, &choice, err, sizeof(err)), 0);
	assert_int_equal(super.tail_at, FIRST);
	assert_true(choice.alone);
	memset(disk, 0, sizeof(disk));
	assert_int_equal(ssdqos_journal_super_choose(slots, uuid, &super, &choice, err, sizeof(err)), -ENOENT);
}

static struct ssdqos_journal_record reserve(u32 nr)
{
	struct ssdqos_journal_record r = { 0 };

	assert_int_equal(ssdqos_journal_reserve(&j, nr, &r), 0);
	return r;
}

static void write_one(u32 nr)
{
	struct ssdqos_journal_record r = reserve(nr);

	write_record(&r);
}

/* The places of the numbers are a promise to the versions that come. */
static void a_record_has_its_places(void **state)
{
	static const u8 payload[] = {
		0x88, 0x77, 0x66, 0x55, 0x44, 0x33, 0x22, 0x11, 2, 0, 0, 0, 0, 0, 0, 0,
		5, 0, 0, 0, 0, 0, 0, 0, 0xd, 0xc, 0xb, 0xa, 6, 0, 0, 0, 0, 0, 1, 0, 0xe, 0, 0, 0, 0,
	};
	struct ssdqos_journal_record r = { .seq = 9, .at = 40, .nr = 2 }, found;
	struct ssdqos_journal_entry entry;

	format(LEAST);
	ssdqos_journal_record_begin(block);
	ssdqos_journal_record_add(block, 0, 5, 0x0a0b0c0d);
	ssdqos_journal_record_add(block, 1, 6 + (1ULL << 48), 0xe);
	ssdqos_journal_record_seal(block, &super, &r);
	assert_memory_equal(block + SSDQOS_DISK_HEADER_BYTES, payload, sizeof(payload));
	assert_true(ssdqos_journal_header_decode(block, &super, 40, &found));
	assert_int_equal(found.seq, 9);
	assert_int_equal(found.at, 40);
	assert_int_equal(found.filler_at, 0);
	assert_int_equal(found.nr, 2);
	ssdqos_journal_entry_decode(block, 1, &entry);
	assert_int_equal(entry.block, 6 + (1ULL << 48));
	assert_int_equal(entry.checksum, 0xe);
	assert_false(ssdqos_journal_header_decode(block, &super, 41, &found));
	r.filler_at = 130;
	ssdqos_journal_filler_encode(block, &super, &r);
	assert_true(ssdqos_journal_header_decode(block, &super, 130, &found));
	assert_int_equal(found.seq, 9);
	assert_int_equal(found.filler_at, 130);
	super.key++;
	assert_false(ssdqos_journal_header_decode(block, &super, 130, &found));
}

/* ---- the ring ---- */

static void space_is_free_when_the_superblock_says_so(void **state)
{
	struct ssdqos_journal_tail tail;
	struct ssdqos_journal_record r;
	u32 i;

	format(LEAST);
	for (i = 0; i < 64; i++)
		write_one(1);
	assert_int_equal(j.used, 128);
	/* one block is left: it would be a filler */
	assert_int_equal(ssdqos_journal_reserve(&j, 1, &r), -ENOSPC);
	for (i = 1; i < 64; i++)
		put(i, 1);
	ssdqos_journal_tail(&j, &tail);
	assert_int_equal(tail.frees, 0);
	assert_int_equal(tail.at, FIRST);
	put(0, 1);
	assert_int_equal(j.needed, 0);
	ssdqos_journal_tail(&j, &tail);
	assert_int_equal(tail.frees, 128);
	assert_int_equal(tail.at, FIRST + 128);
	assert_int_equal(tail.seq, 65);
	assert_int_equal(ssdqos_journal_reserve(&j, 1, &r), -ENOSPC);
	ssdqos_journal_tail_written(&j, &tail);
	assert_int_equal(j.used, 0);
	r = reserve(1);
	assert_int_equal(r.seq, 65);
	assert_int_equal(r.filler_at, FIRST + 128);
	assert_int_equal(r.at, FIRST);
	assert_int_equal(j.used, 3);
	assert_int_equal(j.stats.records, 65);
	assert_int_equal(j.stats.data_blocks, 65);
	assert_int_equal(j.stats.filler_blocks, 1);
	assert_int_equal(j.stats.most_used, 128);
	assert_int_equal(j.stats.tails, 1);
}

static void memory_is_bounded(void **state)
{
	struct ssdqos_journal_record r;
	u32 i;

	format(LEAST);
	ssdqos_journal_exit(&j);
	assert_int_equal(ssdqos_journal_init(&j, &super, 3), 0);
	for (i = 0; i < 3; i++)
		reserve(2);
	assert_int_equal(ssdqos_journal_reserve(&j, 1, &r), -EBUSY);
	ssdqos_journal_put(&j, 2, 2);
	assert_int_equal(ssdqos_journal_reserve(&j, 1, &r), -EBUSY);
	ssdqos_journal_put(&j, 1, 1);
	assert_int_equal(ssdqos_journal_reserve(&j, 1, &r), -EBUSY);
	ssdqos_journal_put(&j, 1, 1);
	assert_int_equal(reserve(1).seq, 4);
	assert_int_equal(reserve(1).seq, 5);
	assert_int_equal(ssdqos_journal_reserve(&j, 1, &r), -EBUSY);
	assert_int_equal(j.needed, 4);
}

/* Wherever it stands, an empty journal of the least size takes the longest record. */
static void the_least_size_is_enough(void **state)
{
	struct ssdqos_journal_record r;
	u64 at;

	for (at = FIRST; at < LEAST; at++) {
		format(LEAST);
		super.tail_at = at;
		ssdqos_journal_exit(&j);
		assert_int_equal(ssdqos_journal_init(&j, &super, 1), 0);
		r = reserve(MAX_NR);
		assert_in_range(r.at, FIRST, LEAST - 1 - MAX_NR);
		assert_int_equal(r.filler_at, r.at == at ? 0 : at);
		assert_true(r.at == at || r.at + 1 + MAX_NR <= at);
	}
}

/* One call moves the tail over 64 records at most, the next ones go on. */
static void a_call_is_bounded(void **state)
{
	struct ssdqos_journal_tail tail;
	u32 i;

	format(1000);
	ssdqos_journal_exit(&j);
	assert_int_equal(ssdqos_journal_init(&j, &super, 400), 0);
	for (i = 0; i < 400; i++)
		reserve(1);
	for (i = 2; i <= 399; i++)
		ssdqos_journal_put(&j, i, 1);
	assert_int_equal(j.frees, 0);
	ssdqos_journal_put(&j, 1, 1);
	assert_int_equal(j.frees, 128);
	for (i = 2; i < 8; i++) {
		ssdqos_journal_tail(&j, &tail);
		assert_int_equal(tail.frees, min(i * 128, 798u));
	}
	assert_int_equal(tail.seq, 400);
}

static u64 owners[MOST_BLOCKS];

static void take_blocks(const struct ssdqos_journal_record *r)
{
	u64 at, end = r->at + 1 + r->nr;

	assert_true(end <= super.blocks);
	for (at = r->filler_at; at && at < super.blocks; at++) {
		assert_int_equal(owners[at], 0);
		owners[at] = r->seq;
	}
	for (at = r->at; at < end; at++) {
		assert_int_equal(owners[at], 0);
		owners[at] = r->seq;
	}
}

static u64 give_blocks(u64 below_seq)
{
	u64 at, used = 0;

	for (at = 0; at < super.blocks; at++) {
		if (owners[at] < below_seq)
			owners[at] = 0;
		used += owners[at] > 0;
	}
	return used;
}

/* No block has two owners, none crosses the end, numbers have no gap, for 2000 laps. */
static void blocks_have_one_owner_for_many_laps(void **state)
{
	struct ssdqos_journal_record r;
	struct ssdqos_journal_tail tail;
	u64 next = 1, oldest = 1;
	u32 nrs[256], ops;

	format(LEAST + 7);
	memset(owners, 0, sizeof(owners));
	ssdqos_rng_seed(&rng, 5);
	for (ops = 0; ops < 60000; ops++) {
		u32 nr = 1 + draw(draw(4) ? 4 : MAX_NR);
		int ret = ssdqos_journal_reserve(&j, nr, &r);

		if (!ret) {
			assert_int_equal(r.seq, next);
			assert_int_equal(r.nr, nr);
			nrs[next++ % 256] = nr;
			take_blocks(&r);
			continue;
		}
		assert_int_equal(ret, -ENOSPC);
		for (; oldest < next && draw(8); oldest++)
			ssdqos_journal_put(&j, oldest, nrs[oldest % 256]);
		ssdqos_journal_tail(&j, &tail);
		assert_int_equal(tail.seq, oldest);
		ssdqos_journal_tail_written(&j, &tail);
		assert_int_equal(give_blocks(tail.seq), j.used);
	}
	assert_true(j.stats.data_blocks > 2000 * j.area);
	assert_true(j.stats.filler_blocks > 2000);
}

/* ---- replay ---- */

static int feed_all(struct ssdqos_journal_replay *p)
{
	int ret = SSDQOS_JOURNAL_READ_ON;
	u32 steps;

	memset(err, 0, sizeof(err));
	ssdqos_journal_replay_begin(p, &super, MIRROR_BLOCKS);
	for (steps = 0; ret >= 0 && ret != SSDQOS_JOURNAL_END; steps++) {
		assert_true(steps < 4 * MOST_BLOCKS);
		ret = ssdqos_journal_replay_feed(p, disk[p->at], err, sizeof(err));
	}
	return ret;
}

static void a_torn_record_is_not_replayed_at_all(void **state)
{
	struct ssdqos_journal_replay p;
	u32 torn;

	format(LEAST);
	write_one(2);
	write_one(5);
	write_one(1);
	flush();
	for (torn = 0; torn < 6; torn++) {
		disk[5 + torn][BYTES - 9] ^= 1;
		assert_int_equal(replay(&p), 1);
		assert_int_equal(p.records, 1);
		assert_int_equal(p.at, 5);
		disk[5 + torn][BYTES - 9] ^= 1;
	}
	assert_int_equal(replay(&p), 3);
}

/* Of three records the second is lost; a new one comes where it was. */
static void what_was_behind_the_end_is_forgotten(void **state)
{
	struct ssdqos_journal_replay p;

	format(LEAST);
	write_one(1);
	write_one(1);
	write_one(1);
	flush();
	memset(disk[4], 0, BYTES);
	assert_int_equal(replay(&p), 1);
	ssdqos_journal_replay_done(&p, &super);
	assert_int_equal(super.seq, 2);
	assert_int_equal(super.tail_at, 4);
	assert_true(super.tail_seq > 3);
	nr_records = 0;
	ssdqos_journal_exit(&j);
	assert_int_equal(ssdqos_journal_init(&j, &super, 10), 0);
	write_one(1);
	flush();
	assert_int_equal(replay(&p), 1);
	assert_int_equal(p.at, 6);
}

static void a_lost_superblock_is_noticed(void **state)
{
	struct ssdqos_journal_super was;
	struct ssdqos_journal_replay p;
	u32 i;

	format(LEAST);
	was = super;
	for (i = 0; i < 200; i++) {
		struct ssdqos_journal_record r;

		while (ssdqos_journal_reserve(&j, 1, &r)) {
			struct ssdqos_journal_tail tail;

			ssdqos_journal_tail(&j, &tail);
			ssdqos_journal_tail_written(&j, &tail);
		}
		write_record(&r);
		put(i, 1);
	}
	flush();
	super = was;
	assert_int_equal(feed_all(&p), -EBADMSG);
	assert_said("where 1 has to be: its newest superblock is lost");
}

static void what_changes_between_two_reads_is_an_error(void **state)
{
	struct ssdqos_journal_replay p;
	u32 i;

	format(LEAST);
	write_one(2);
	flush();
	ssdqos_journal_replay_begin(&p, &super, MIRROR_BLOCKS);
	for (i = 0; i < 4; i++)
		assert_int_equal(ssdqos_journal_replay_feed(&p, disk[p.at], err, sizeof(err)),
				 i < 3 ? SSDQOS_JOURNAL_READ_ON : SSDQOS_JOURNAL_APPLY);
	assert_int_equal(p.run, 1);
	disk[p.at][7]++;
	assert_int_equal(ssdqos_journal_replay_feed(&p, disk[p.at], err, sizeof(err)), -EBADMSG);
	assert_said("block 4 of the journal was good and is damaged");
}

/* Data that look like a record, at the place and with the number of the next one. */
static void clients_cannot_write_records(void **state)
{
	struct ssdqos_journal_record lie = { .at = 4, .seq = 2, .nr = 1 };
	struct ssdqos_journal_super liar;
	struct ssdqos_journal_replay p;

	format(LEAST);
	write_one(1);
	flush();
	liar = super;
	liar.key = 0;
	ssdqos_journal_record_begin(disk[4]);
	ssdqos_journal_record_add(disk[4], 0, 7, ssdqos_crc32c(disk[5], BYTES));
	ssdqos_journal_record_seal(disk[4], &liar, &lie);
	assert_int_equal(feed_all(&p), SSDQOS_JOURNAL_END);
	assert_int_equal(p.records, 1);
	ssdqos_journal_record_seal(disk[4], &super, &lie);
	assert_int_equal(feed_all(&p), SSDQOS_JOURNAL_END);
	assert_int_equal(p.records, 2);
}

static void signed_nonsense_is_an_error(void **state)
{
	static const struct {
		u32 at, bytes;
		u64 value;
		const char *said;
	} wrong[] = {
		{ AT_NR, 4, 0, "record 1 in block 2 has 0 blocks of data, which have to be 1 to 64" },
		{ AT_NR, 4, MAX_NR + 1, "has 65 blocks" },
		{ AT_NR, 4, ~0u, "has 4294967295 blocks" },
		{ 80, 8, MIRROR_BLOCKS, "record 1 has data of block 1000, the mirror has 1000 blocks" },
		{ 48, 8, 2, "record 2 in block 2 where 1 has to be" },
	};
	struct ssdqos_journal_record r = { .seq = 1, .filler_at = FIRST };
	struct ssdqos_journal_replay p;
	u32 i;

	for (i = 0; i < ARRAY_SIZE(wrong); i++) {
		format(LEAST);
		write_one(3);
		flush();
		ssdqos_disk_put(disk[FIRST], wrong[i].at, wrong[i].bytes, wrong[i].value);
		sign(disk[FIRST]);
		assert_int_equal(feed_all(&p), -EBADMSG);
		assert_said(wrong[i].said);
	}
	ssdqos_journal_filler_encode(disk[FIRST], &super, &r);
	assert_int_equal(feed_all(&p), -EBADMSG);
	assert_said("filler in block 2");
	/* and one that would go on behind the end */
	format(LEAST);
	super.tail_at = LEAST - 3;
	r = (struct ssdqos_journal_record){ .seq = 1, .at = LEAST - 3, .nr = 3 };
	ssdqos_journal_record_begin(disk[r.at]);
	ssdqos_journal_record_seal(disk[r.at], &super, &r);
	assert_int_equal(feed_all(&p), -EBADMSG);
	assert_said("within 131");
}

#define JOURNAL_TEST(name) cmocka_unit_test_teardown(name, finish)

int main(void)
{
	const struct CMUnitTest tests[] = {
		JOURNAL_TEST(acknowledged_records_survive_power_cuts),
		JOURNAL_TEST(a_superblock_comes_back),
		JOURNAL_TEST(numbers_that_cannot_be_are_refused),
		JOURNAL_TEST(the_newer_superblock_counts),
		JOURNAL_TEST(a_record_has_its_places),
		JOURNAL_TEST(space_is_free_when_the_superblock_says_so),
		JOURNAL_TEST(memory_is_bounded),
		JOURNAL_TEST(the_least_size_is_enough),
		JOURNAL_TEST(a_call_is_bounded),
		JOURNAL_TEST(blocks_have_one_owner_for_many_laps),
		JOURNAL_TEST(a_torn_record_is_not_replayed_at_all),
		JOURNAL_TEST(what_was_behind_the_end_is_forgotten),
		JOURNAL_TEST(a_lost_superblock_is_noticed),
		JOURNAL_TEST(what_changes_between_two_reads_is_an_error),
		JOURNAL_TEST(clients_cannot_write_records),
		JOURNAL_TEST(signed_nonsense_is_an_error),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
