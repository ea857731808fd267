// SPDX-License-Identifier: GPL-2.0
/*
 * ranges.c - the set of ranges (core/trim/ranges.c) does what a file of bytes says
 *
 *	fuzz-ranges FILE
 *
 * The first bytes are its size and granule; of what follows, each six are an operation: which and
 * whose, first sector, length, how much time passes.  After each the set is compared with a map
 * that has a byte for each sector.  Exits with 1 at the first difference.
 */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "../../dm-ssdqos/core/trim/ranges.h"

#define SECTORS 4096u
#define NOBODY 0xffu
#define HEAD_BYTES 4u
#define OP_BYTES 6u
#define MOST_BYTES 65536u
#define MOST_RANGES 256u
/* More than one call looks at. */
#define MOST_LENGTH 2048u
#define AREAS 4u

static struct ssdqos_ranges set;
/* Whose each sector is that waits. */
static u8 owner[SECTORS];
static u64 now_ns = 1, lost;
static u32 op;

static _Noreturn void differs(const char *what, u64 sector)
{
	fprintf(stderr, "fuzz-ranges: operation %u: %s at sector %llu\n", op, what, (unsigned long long)sector);
	exit(EXIT_FAILURE);
}

static void want(bool good, const char *what, u64 sector)
{
	if (!good)
		differs(what, sector);
}

/* ---- all that the set says is so ---- */

static void look_at_one(const struct ssdqos_range *x, const struct ssdqos_range *before)
{
	u64 start = ssdqos_range_start(x), from, to;

	want(x->end > start && x->end <= SECTORS, "an empty range, or a long one,", start);
	want(!before || before->end < start || (before->end == start && before->area != x->area),
	     "two ranges that are one", start);
	for (u64 i = start; i < x->end; i++)
		want(owner[i] == x->area, "a sector that nobody gave", i);
	ssdqos_ranges_granules(&set, x, &from, &to);
	want(x->is_large == (from < to && to - from >= set.least), "a wrong size", start);
	want(!x->is_large || ssdqos_ranges_large_from(&set, start) == x, "a large range that is not found", start);
}

static void look_at_ages(u32 nr)
{
	const struct ssdqos_range *x, *before = NULL;

	for (x = set.oldest; x; x = x->younger, nr--) {
		want(x->older == before && x->since_ns <= now_ns, "a broken list", ssdqos_range_start(x));
		want(!before || before->since_ns <= x->since_ns, "a wrong age", ssdqos_range_start(x));
		before = x;
	}
	want(!nr && set.youngest == before, "a list that is no whole one", 0);
}

static void look_at_memory(void)
{
	const struct ssdqos_range *x;
	u32 nr = set.nr;

	for (x = set.free; x; x = x->younger)
		nr++;
	want(nr == set.max, "memory that is not there", 0);
}

/* What the set forgot, and says so, leaves the map, too. */
static void forget(void)
{
	u64 start, before = 0, gone = 0;
	const struct ssdqos_range *x;

	do {
		x = ssdqos_ranges_from(&set, before);
		start = x ? ssdqos_range_start(x) : SECTORS;
		for (u64 i = before; i < start; i++) {
			gone += owner[i] != NOBODY;
			owner[i] = NOBODY;
		}
		before = x ? x->end : SECTORS;
	} while (x);
	want(gone == set.lost - lost, "a sector that was forgotten", 0);
	lost = set.lost;
}

static void look(void)
{
	const struct ssdqos_range *x, *before = NULL;
	u64 sectors = 0;
	u32 nr = 0;

	forget();
	for (x = ssdqos_ranges_from(&set, 0); x; x = ssdqos_ranges_from(&set, before->end)) {
		look_at_one(x, before);
		sectors += x->end - ssdqos_range_start(x);
		before = x;
		nr++;
	}
	want(nr == set.nr && sectors == set.sectors, "wrong sums", 0);
	for (u32 i = 0; i < SECTORS; i++)
		sectors -= owner[i] != NOBODY;
	want(!sectors, "other sectors than given", 0);
	look_at_ages(nr);
	look_at_memory();
}

/* ---- operations ---- */

static void add(u32 area, u64 start, u64 end)
{
	u64 until;

	while (start < end) {
		bool room = set.nr + 2 <= set.max;

		until = ssdqos_ranges_add(&set, area, start, end, now_ns);
		want(until >= start && until <= end && (until > start) == room, "an end that is none", until);
		memset(owner + start, (int)area, until - start);
		look();
		if (until == start)
			return;
		start = until;
	}
}

static void cut(u64 start, u64 end)
{
	u64 until;

	while (start < end) {
		u64 from = start;

		until = ssdqos_ranges_cut(&set, start, end);
		want(until > from && until <= end, "an end that is none", until);
		memset(owner + start, NOBODY, until - start);
		look();
		start = until;
	}
}

static void act(const u8 *bytes)
{
	u64 start = (bytes[1] | bytes[2] << 8) % SECTORS;
	u64 end = start + 1 + (bytes[3] | bytes[4] << 8) % MOST_LENGTH;

	end = end < SECTORS ? end : SECTORS;
	now_ns += bytes[5];
	if (bytes[0] & 1)
		cut(start, end);
	else
		add((bytes[0] >> 1) % AREAS, start, end);
}

static void live(const u8 *bytes, size_t nr)
{
	u32 max = SSDQOS_RANGES_LEAST + bytes[0] % MOST_RANGES;

	if (ssdqos_ranges_init(&set, max, 1 + bytes[1], bytes[2], bytes[3]))
		abort();
	memset(owner, NOBODY, sizeof(owner));
	for (size_t at = HEAD_BYTES; at + OP_BYTES <= nr; at += OP_BYTES) {
		op++;
		act(bytes + at);
	}
	ssdqos_ranges_exit(&set);
}

int main(int argc, char **argv)
{
	static u8 bytes[MOST_BYTES];
	FILE *file = argc == 2 ? fopen(argv[1], "rb") : NULL;
	size_t nr;

	if (!file) {
		fputs("fuzz-ranges: FILE\n", stderr);
		return EXIT_FAILURE;
	}
	nr = fread(bytes, 1, sizeof(bytes), file);
	fclose(file);
	if (nr >= HEAD_BYTES)
		live(bytes, nr);
	return EXIT_SUCCESS;
}
