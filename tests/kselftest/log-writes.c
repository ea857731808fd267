// SPDX-License-Identifier: GPL-2.0
/*
 * log-writes.c - what a disk had at each moment, by the log of dm-log-writes, and what had been promised then
 *
 *	log-writes write LOGGED DEVICE AREA SEED WRITES MOST
 *			writes blocks of an area of a device at random, so many; flushes after 1 to MOST of them, or never
 *			if that is 0; and notes in the log, as a mark, up to which write all was promised: was
 *			flushed, or was answered if there are no flushes.  LOGGED is the device-mapper's name of
 *			the logged disk.
 *	log-writes points LOG
 *			how many flushes and forced writes there are: after each of them power could have been cut
 *	log-writes replay LOG POINT DISK
 *			the disk becomes what there was then: what had not been flushed is not there
 *	log-writes check LOG POINT DEVICE AREA SEED
 *			has the area what had been promised then?
 *
 * Each block holds the number of its write.  After promise N a block may have the last write of it up to N, or any
 * later one.  Writes follow from the seed alone.  The format of the log is that of Documentation/admin-guide/
 * device-mapper/log-writes.rst in the kernel's sources.
 *
 * Exits with 1 at the first block that is not what it may be, and with 2 if it can't look.
 */
#define _GNU_SOURCE
#include <endian.h>
#include <fcntl.h>
#include <linux/fs.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/ioctl.h>
#include <sys/wait.h>
#include <unistd.h>

#define SECTOR 512u
#define BLOCK 4096u
#define AREA_BLOCKS 256u
#define LOG_MAGIC 0x6a736677736872ULL
#define LOG_FLUSH 1u
#define LOG_FUA 2u
#define LOG_DISCARD 4u
#define LOG_MARK 8u
#define MARK_BYTES 64u
#define EXIT_WRONG 1
#define EXIT_BLIND 2

struct log_super {
	uint64_t magic;
	uint64_t version;
	uint64_t entries;
	uint32_t sector_bytes;
} __attribute__((packed));

struct log_entry {
	uint64_t sector;
	uint64_t sectors;
	uint64_t flags;
	uint64_t mark_bytes;
};

struct stamp {
	uint64_t number;
	uint64_t block;
};

#define STAMPS (BLOCK / sizeof(struct stamp))

/* Goes through a log. */
struct log {
	int file;
	off_t at;
	uint64_t left;
	struct log_entry entry;
	char mark[MARK_BYTES];
	/* of what was written */
	off_t data_at;
};

static void blind(const char *what)
{
	perror(what);
	exit(EXIT_BLIND);
}

static void *memory(size_t bytes)
{
	void *p = NULL;

	if (posix_memalign(&p, BLOCK, bytes))
		blind("memory");
	memset(p, 0, bytes);
	return p;
}

static int open_file(const char *path, int flags)
{
	int file = open(path, flags);

	if (file < 0)
		blind(path);
	return file;
}

static uint64_t number_of(const char *word) { return strtoull(word, NULL, 0); }

/* ---- writes that follow from a seed ---- */

/* Multiply-with-carry is enough for dice. */
static uint32_t draw(uint64_t *random, uint32_t most)
{
	*random = (uint32_t)*random * 4164903690ULL + (*random >> 32);
	return (uint32_t)*random % most;
}

static uint64_t begin_random(uint64_t seed) { return (seed + 1) << 20 | 1; }

/* ---- the log ---- */

static void log_open(struct log *l, const char *path)
{
	struct log_super super;

	*l = (struct log){ .file = open_file(path, O_RDONLY), .at = SECTOR };
	if (pread(l->file, &super, sizeof(super), 0) != sizeof(super))
		blind(path);
	if (le64toh(super.magic) != LOG_MAGIC || le32toh(super.sector_bytes) != SECTOR) {
		fprintf(stderr, "%s: not a log of sectors of %u bytes\n", path, SECTOR);
		exit(EXIT_BLIND);
	}
	l->left = le64toh(super.entries);
}

static bool log_next(struct log *l)
{
	struct log_entry *e = &l->entry;
	char sector[SECTOR];

	if (!l->left--)
		return false;
	if (pread(l->file, sector, SECTOR, l->at) != SECTOR)
		blind("log");
	memcpy(e, sector, sizeof(*e));
	*e = (struct log_entry){ le64toh(e->sector), le64toh(e->sectors), le64toh(e->flags), le64toh(e->mark_bytes) };
	snprintf(l->mark, MARK_BYTES, "%.*s", e->flags & LOG_MARK ? MARK_BYTES - 1 : 0, sector + sizeof(*e));
	l->data_at = l->at + SECTOR;
	l->at = l->data_at + (e->flags & LOG_DISCARD ? 0 : (off_t)(e->sectors * SECTOR));
	return true;
}

static bool log_is_point(const struct log *l) { return l->entry.flags & (LOG_FLUSH | LOG_FUA); }

/* Up to the end of what was there at a point. */
static bool log_before(struct log *l, uint64_t *points)
{
	if (!*points || !log_next(l))
		return false;
	*points -= log_is_point(l);
	return true;
}

/* ---- what is done ---- */

static void note(const char *logged, uint64_t seed, uint64_t number)
{
	char mark[MARK_BYTES];
	int status;

	snprintf(mark, sizeof(mark), "%llu:%llu", (unsigned long long)seed, (unsigned long long)number);
	if (!fork()) {
		execlp("dmsetup", "dmsetup", "message", logged, "0", "mark", mark, NULL);
		_exit(EXIT_BLIND);
	}
	if (wait(&status) < 0 || status)
		blind("dmsetup message");
}

static int write_area(char **word)
{
	int device = open_file(word[1], O_RDWR | O_DIRECT);
	uint64_t seed = number_of(word[3]), writes = number_of(word[4]), most = number_of(word[5]);
	uint64_t begin = number_of(word[2]) * AREA_BLOCKS, random = begin_random(seed), dice = begin_random(~seed);
	uint32_t left = most ? draw(&dice, most) : 0;
	struct stamp *data = memory(BLOCK);
	uint32_t i;

	for (uint64_t number = 1; number <= writes; number++) {
		uint64_t block = begin + draw(&random, AREA_BLOCKS);

		for (i = 0; i < STAMPS; i++)
			data[i] = (struct stamp){ number, block };
		if (pwrite(device, data, BLOCK, block * BLOCK) != BLOCK)
			blind(word[1]);
		if (left) {
			left--;
			continue;
		}
		if (most && fsync(device))
			blind("fsync");
		note(word[0], seed, number);
		left = most ? draw(&dice, most) : 0;
	}
	return 0;
}

static int count_points(char **word)
{
	unsigned long long points = 0;
	struct log l;

	log_open(&l, word[0]);
	while (log_next(&l))
		points += log_is_point(&l);
	printf("%llu\n", points);
	return 0;
}

static int replay(char **word)
{
	int disk = open_file(word[2], O_RDWR | O_DIRECT);
	uint64_t points = number_of(word[1]), bytes, from;
	struct log l;
	char *image;

	if (ioctl(disk, BLKGETSIZE64, &bytes))
		blind(word[2]);
	image = memory(bytes);
	log_open(&l, word[0]);
	while (log_before(&l, &points)) {
		from = l.entry.sector * SECTOR;
		if (from + l.entry.sectors * SECTOR > bytes)
			blind("larger than the disk");
		if (l.entry.flags & LOG_DISCARD)
			memset(image + from, 0, l.entry.sectors * SECTOR);
		else if (pread(l.file, image + from, l.entry.sectors * SECTOR, l.data_at) < 0)
			blind(word[0]);
	}
	if (pwrite(disk, image, bytes, 0) != (ssize_t)bytes)
		blind(word[2]);
	return 0;
}

/* Up to which write all had been promised. */
static uint64_t promised(char **word, uint64_t seed)
{
	uint64_t points = number_of(word[1]), number = 0;
	unsigned long long of, until;
	struct log l;

	log_open(&l, word[0]);
	while (log_before(&l, &points))
		if (sscanf(l.mark, "%llu:%llu", &of, &until) == 2 && of == seed)
			number = until;
	return number;
}

/* Is it a write of this block that came after @least? */
static bool is_later(uint64_t seed, uint64_t offset, uint64_t number, uint64_t least)
{
	uint64_t random = begin_random(seed), drawn = 0;

	if (number <= least)
		return false;
	for (uint64_t i = 0; i < number; i++)
		drawn = draw(&random, AREA_BLOCKS);
	return drawn == offset;
}

static int check(char **word)
{
	int device = open_file(word[2], O_RDONLY | O_DIRECT);
	uint64_t begin = number_of(word[3]) * AREA_BLOCKS, seed = number_of(word[4]);
	uint64_t least = promised(word, seed), random = begin_random(seed), last[AREA_BLOCKS] = { 0 };
	struct stamp *data = memory(BLOCK);
	unsigned long later = 0;

	for (uint64_t number = 1; number <= least; number++)
		last[draw(&random, AREA_BLOCKS)] = number;
	for (uint64_t i = 0; i < AREA_BLOCKS; i++) {
		if (pread(device, data, BLOCK, (begin + i) * BLOCK) != BLOCK)
			blind(word[2]);
		for (uint32_t n = 1; n < STAMPS; n++)
			if (memcmp(data + n, data, sizeof(*data)))
				return printf("block %lu has several writes\n", i), EXIT_WRONG;
		if (data->number == last[i] && data->block == (last[i] ? begin + i : 0))
			continue;
		if (data->block != begin + i || !is_later(seed, i, data->number, least))
			return printf("block %lu has %lu, and %lu was promised up to %lu\n", i, data->number, last[i],
				      least), EXIT_WRONG;
		later++;
	}
	printf("# %lu promised, %lu blocks have something later\n", least, later);
	return 0;
}

static const struct command {
	const char *name;
	int (*run)(char **word);
	int words;
} commands[] = {
	{ "write", write_area, 6 }, { "points", count_points, 1 }, { "replay", replay, 3 }, { "check", check, 5 },
};

int main(int argc, char **argv)
{
	for (size_t i = 0; i < sizeof(commands) / sizeof(*commands); i++)
		if (argc > 1 && !strcmp(argv[1], commands[i].name) && argc == commands[i].words + 2)
			return commands[i].run(argv + 2);
	fputs("log-writes: write LOGGED DEVICE AREA SEED WRITES MOST | points LOG | replay LOG POINT DISK | "
	      "check LOG POINT DEVICE AREA SEED\n", stderr);
	return EXIT_BLIND;
}
