// SPDX-License-Identifier: GPL-2.0
/*
 * trim-model.c - writes, discards, zeroes and reads a device at random, and knows what it may read
 *
 *	trim-model [OPTION]... DEVICE SECTORS SEED
 *	  -n NUMBER   so many operations
 *	  -s SECONDS  or so long
 *	  -j FILE:N   a journal in the Nth sector of a device: how many operations have ended
 *	  -c          goes by the journal of a machine that is no more, and reads what it has left
 *	  -f          allocations of the kernel may fail in it (fault injection)
 *	  -o SECTORS  begins so far from the beginning of the device
 *	  -d          no discards
 *	  -y PARTS    so many of some 80 operations are flushes; otherwise 1
 *	  -a SECTORS  all begins and ends on multiples of that
 *	  -u          discards are hints: what has read as zeroes may be there again
 *	  -z          no zeroes
 *	  -w          what was written may be lost until the next flush has ended
 *	  -m MS       after the end, there may be what was at any moment, but none longer before it; with -z and no
 *		      other writes, so that what is there says when that was
 *	  -w -m MS    after the end, of what was written so long before it or later each may be lost
 *
 * Each sector that is written holds the number of its write.  After a discard it may hold that or
 * zeroes; once zeroes were read, only these.  After an error of a write anything may be there.
 * Operations follow from the seed alone, so a journal needs no more than their number: what was
 * under way at the end may be there or not, all else has to be there.
 *
 * Prints how many operations there were; exits with 1 at the first sector that is not what it may
 * be, and with 2 if it can't look.
 */
#define _GNU_SOURCE
#include <errno.h>
#include <fcntl.h>
#include <linux/fs.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/ioctl.h>
#include <sys/mman.h>
#include <time.h>
#include <unistd.h>

#define SECTOR 512u
/* Of a write or a read. */
#define MOST_SHIFT 8u
#define MOST (1u << MOST_SHIFT)
/* One discard in so many is of any size. */
#define LARGE_ONE_IN 256u
/* Where half of the operations begin: 4 KiB. */
#define ALIGN 8u
#define MAGIC 0x544d53514f534454ULL
/* Times in a journal. */
#define PAST 26u
#define EXIT_WRONG 1
#define EXIT_BLIND 2

struct stamp {
	uint64_t number;
	uint64_t sector;
};

#define STAMPS (SECTOR / sizeof(struct stamp))

/* What a sector may hold: what write @number left there (0: zeroes), or zeroes too; or anything. */
struct sector {
	uint32_t number;
	bool or_zero;
	bool anything;
};

/* In the first bytes of the journal's sector. */
struct journal {
	uint64_t magic;
	uint64_t seed;
	uint64_t sectors;
	uint64_t ended;
	/* operations that the last flush was for */
	uint64_t flushed;
	struct {
		uint64_t ms;
		uint64_t ended;
	} now, past[PAST];
};

_Static_assert(sizeof(struct journal) <= SECTOR, "a journal is written at once");

enum op { WRITE, DISCARD, ZERO, READ, SYNC, NR_OPS };

static const char *const op_names[NR_OPS] = { "writes", "discards", "zeroes", "reads", "flushes" };
static uint32_t op_shares[NR_OPS] = { 32, 24, 4, 20, 1 };

static struct {
	const char *path;
	int device;
	int journal;
	off_t journal_at;
	uint64_t begin;
	uint64_t sectors;
	uint64_t seed;
	uint64_t random;
	uint64_t unit;
	bool hints;
	bool write_back;
	uint64_t moment_ms;
	uint64_t lost;
	struct journal noted;
	uint64_t ops[NR_OPS];
	uint64_t ended;
	uint64_t failed;
	struct sector *may;
	char *buffer;
	char *journal_buffer;
	/* of a machine that is no more: nothing is done, but known */
	bool remembering;
} m = { .journal = -1, .unit = 1 };

static _Noreturn void blind(const char *what)
{
	fprintf(stderr, "trim-model: %s: %s\n", what, strerror(errno));
	exit(EXIT_BLIND);
}

static void *memory(size_t bytes)
{
	void *found = mmap(NULL, bytes, PROT_READ | PROT_WRITE,
			   MAP_PRIVATE | MAP_ANONYMOUS | MAP_POPULATE, -1, 0);

	if (found == MAP_FAILED)
		blind("memory");
	return found;
}

/* splitmix64 */
static uint64_t dice(uint64_t n)
{
	uint64_t x = m.random += 0x9e3779b97f4a7c15ULL;

	x = (x ^ (x >> 30)) * 0xbf58476d1ce4e5b9ULL;
	x = (x ^ (x >> 27)) * 0x94d049bb133111ebULL;
	return (x ^ (x >> 31)) % n;
}

/* ---- what sectors may hold ---- */

static void set(uint64_t start, uint64_t count, struct sector may)
{
	for (uint64_t i = start; i < start + count; i++)
		m.may[i] = may;
}

static void forget(uint64_t start, uint64_t count)
{
	set(start, count, (struct sector){ .anything = true });
}

static bool is_zero(const struct stamp *found)
{
	return !found->number && !found->sector;
}

static bool is_allowed(uint64_t sector, const struct stamp *found)
{
	const struct sector *may = &m.may[sector];
	struct stamp want = { m.seed << 32 | may->number, sector };

	if (may->anything)
		return true;
	for (uint32_t i = 1; i < STAMPS; i++)
		if (memcmp(&found[i], &found[0], sizeof(*found)))
			return false;
	if (is_zero(found))
		return may->or_zero || !may->number;
	return may->number && !memcmp(found, &want, sizeof(want));
}

static void look(uint64_t sector, const struct stamp *found)
{
	struct sector *may = &m.may[sector];
	uint64_t want = m.seed << 32 | may->number;

	if (is_allowed(sector, found)) {
		if (!may->anything && is_zero(found) && !m.hints)
			*may = (struct sector){ 0 };
		return;
	}
	printf("%s, seed %ju: sector %ju holds %#jx of sector %ju, and not %#jx%s; after %ju operations\n",
	       m.path, (uintmax_t)m.seed, (uintmax_t)sector, (uintmax_t)found->number,
	       (uintmax_t)found->sector, (uintmax_t)(may->number ? want : 0),
	       may->or_zero ? " or zeroes" : "", (uintmax_t)m.ended);
	exit(EXIT_WRONG);
}

/* ---- operations: 0, or -1 and errno ---- */

static int do_write(uint64_t start, uint64_t count, uint32_t number)
{
	struct stamp *to = (struct stamp *)m.buffer;
	ssize_t done;

	forget(start, count);
	if (!m.remembering) {
		for (uint64_t i = start; i < start + count; i++)
			for (uint32_t at = 0; at < STAMPS; at++)
				*to++ = (struct stamp){ m.seed << 32 | number, i };
		done = pwrite(m.device, m.buffer, count * SECTOR, (m.begin + start) * SECTOR);
		if (done != (ssize_t)(count * SECTOR))
			return -1;
	}
	set(start, count, (struct sector){ .number = number });
	return 0;
}

static int ask(unsigned long request, uint64_t start, uint64_t count)
{
	uint64_t range[2] = { (m.begin + start) * SECTOR, count * SECTOR };

	return m.remembering ? 0 : ioctl(m.device, request, range);
}

static int do_discard(uint64_t start, uint64_t count)
{
	for (uint64_t i = start; i < start + count; i++)
		m.may[i].or_zero = true;
	return ask(BLKDISCARD, start, count);
}

static int do_zero(uint64_t start, uint64_t count)
{
	forget(start, count);
	if (ask(BLKZEROOUT, start, count))
		return -1;
	set(start, count, (struct sector){ 0 });
	return 0;
}

static int do_read(uint64_t start, uint64_t count)
{
	const struct stamp *found = (const struct stamp *)m.buffer;

	if (m.remembering)
		return 0;
	if (pread(m.device, m.buffer, count * SECTOR, (m.begin + start) * SECTOR) != (ssize_t)(count * SECTOR))
		return -1;
	for (uint64_t i = start; i < start + count; i++, found += STAMPS)
		look(i, found);
	return 0;
}

static enum op choose(void)
{
	uint32_t sum = 0, at = 0, drawn;

	for (uint32_t i = 0; i < NR_OPS; i++)
		sum += op_shares[i];
	drawn = dice(sum);
	while (drawn >= op_shares[at])
		drawn -= op_shares[at++];
	return at;
}

/* Half of them small, half on granules, at any sector. */
static void place(enum op op, uint64_t *start, uint64_t *count)
{
	*count = 1ULL << dice(MOST_SHIFT + 1);
	if (dice(2))
		*count = 1 + dice(*count);
	if (op == DISCARD && !dice(LARGE_ONE_IN))
		*count = 1 + dice(m.sectors);
	*start = dice(m.sectors - *count + 1);
	if (dice(2))
		*start -= *start % ALIGN;
	*count += *start % m.unit;
	*start -= *start % m.unit;
	*count += (m.unit - *count % m.unit) % m.unit;
	if (op != DISCARD && *count > MOST)
		*count = MOST;
}

static void draw(enum op *op, uint64_t *start, uint64_t *count)
{
	*op = choose();
	place(*op, start, count);
}

static void step(void)
{
	uint64_t start, count;
	enum op op;
	int status = 0;

	draw(&op, &start, &count);
	m.ops[op]++;
	switch (op) {
	case WRITE:
		/* no write has the number of zeroes */
		status = do_write(start, count, m.ended + 1);
		break;
	case DISCARD:
		status = do_discard(start, count);
		break;
	case ZERO:
		status = do_zero(start, count);
		break;
	case READ:
		status = do_read(start, count);
		break;
	default:
		status = m.remembering ? 0 : fdatasync(m.device);
	}
	m.failed += !!status;
	m.ended++;
	if (op == SYNC && !status)
		m.noted.flushed = m.ended;
}

/* ---- the journal ---- */

static double now_s(void)
{
	struct timespec now;

	clock_gettime(CLOCK_MONOTONIC, &now);
	return now.tv_sec + now.tv_nsec / 1e9;
}

/* Times are kept so seldom that they go back twice as far as is looked at. */
static void note_time(struct journal *j)
{
	uint32_t oldest = 0, newest = 0;

	j->now.ms = now_s() * 1000;
	j->now.ended = m.ended;
	for (uint32_t i = 0; i < PAST; i++) {
		if (j->past[i].ms < j->past[oldest].ms)
			oldest = i;
		if (j->past[i].ms > j->past[newest].ms)
			newest = i;
	}
	if (j->now.ms - j->past[newest].ms >= 2 * m.moment_ms / PAST)
		j->past[oldest] = j->now;
}

static void note(void)
{
	struct journal *j = &m.noted;

	if (m.journal < 0)
		return;
	j->magic = MAGIC;
	j->seed = m.seed;
	j->sectors = m.sectors;
	j->ended = m.ended;
	if (m.moment_ms)
		note_time(j);
	memcpy(m.journal_buffer, j, sizeof(*j));
	if (pwrite(m.journal, m.journal_buffer, SECTOR, m.journal_at) != SECTOR)
		blind("the journal");
}

/* An operation that may have been done, in part, or not. */
static void maybe_step(void)
{
	uint64_t start, count;
	enum op op;

	draw(&op, &start, &count);
	if (op == WRITE || op == ZERO)
		forget(start, count);
	else if (op == DISCARD)
		do_discard(start, count);
	m.ended++;
}

/* How many operations had ended so long before the last one. */
static uint64_t ended_before(const struct journal *j)
{
	uint64_t ended = 0;

	for (uint32_t i = 0; i < PAST; i++)
		if (j->past[i].ms && j->past[i].ms + m.moment_ms <= j->now.ms &&
		    j->past[i].ended > ended)
			ended = j->past[i].ended;
	return ended;
}

static char *read_all(void)
{
	size_t bytes = m.sectors * SECTOR;
	char *found = memory(bytes);

	if (pread(m.device, found, bytes, m.begin * SECTOR) != (ssize_t)bytes)
		blind(m.path);
	return found;
}

/* The number of the newest write of which something is there. */
static uint64_t newest_write(const char *found)
{
	uint64_t newest = 0;

	for (uint64_t i = 0; i < m.sectors; i++) {
		const struct stamp *x = (const struct stamp *)(found + i * SECTOR);

		if (x->sector == i && x->number >> 32 == m.seed && (x->number & UINT32_MAX) > newest)
			newest = x->number & UINT32_MAX;
	}
	return newest;
}

static bool all_allowed(const char *found)
{
	for (uint64_t i = 0; i < m.sectors; i++)
		if (!is_allowed(i, (const struct stamp *)(found + i * SECTOR)))
			return false;
	return true;
}

/* Goes by the newest moment that what is there is of, with an operation that may be done in part.  A write that was
 * there may be gone: it was discarded later.
 */
static void remember_moment(const struct journal *j)
{
	size_t bytes = m.sectors * sizeof(*m.may);
	struct sector *before = memory(bytes), *newest = memory(bytes);
	const char *found = read_all();
	uint64_t newest_number = newest_write(found), least = ended_before(j);
	bool was = false;

	while (m.ended <= j->ended) {
		uint64_t random = m.random;

		memcpy(before, m.may, bytes);
		maybe_step();
		if (m.ended > least && m.ended >= newest_number && all_allowed(found)) {
			memcpy(newest, m.may, bytes);
			m.lost = j->ended + 1 - m.ended;
			was = true;
		}
		memcpy(m.may, before, bytes);
		m.random = random;
		m.ended--;
		step();
	}
	if (!was) {
		printf("%s, seed %ju: it was so at no moment of the last %ju ms, in which operations %ju to %ju ended\n",
		       m.path, (uintmax_t)m.seed, (uintmax_t)m.moment_ms, (uintmax_t)least, (uintmax_t)j->ended);
		exit(EXIT_WRONG);
	}
	memcpy(m.may, newest, bytes);
	m.ended = j->ended;
}

/* How many operations can't be lost. */
static uint64_t promised(const struct journal *j)
{
	if (!m.write_back)
		return j->ended;
	return m.moment_ms ? ended_before(j) : j->flushed;
}

/* What the machine that is no more has done; what it was at may be there or not.
 * Return: whether there was one.
 */
static bool remember(void)
{
	struct journal j;

	if (pread(m.journal, m.journal_buffer, SECTOR, m.journal_at) != SECTOR)
		blind("the journal");
	memcpy(&j, m.journal_buffer, sizeof(j));
	if (j.magic != MAGIC || j.sectors != m.sectors)
		return false;
	m.seed = m.random = j.seed;
	m.remembering = true;
	if (m.moment_ms && !m.write_back) {
		remember_moment(&j);
	} else {
		uint64_t kept = promised(&j);

		m.lost = j.ended - kept;
		while (m.ended < kept)
			step();
		while (m.ended <= j.ended)
			maybe_step();
	}
	m.remembering = false;
	return true;
}

/* ---- what is asked for ---- */

/* A device that fails now and then is asked again. */
static void look_at_all(void)
{
	uint64_t start = 0, count;

	while (start < m.sectors) {
		count = m.sectors - start < MOST ? m.sectors - start : MOST;
		if (do_read(start, count))
			m.failed++;
		else
			start += count;
	}
}

static void tell(void)
{
	uint64_t held = 0;

	for (uint64_t i = 0; i < m.sectors; i++)
		held += m.may[i].number && !m.may[i].anything && !m.may[i].or_zero;
	printf("%s, seed %ju: %ju operations,", m.path, (uintmax_t)m.seed, (uintmax_t)m.ended);
	for (uint32_t i = 0; i < NR_OPS; i++)
		printf(" %ju %s,", (uintmax_t)m.ops[i], op_names[i]);
	if (m.moment_ms || m.write_back)
		printf(" the last %ju %s,", (uintmax_t)m.lost, m.write_back ? "unpromised" : "undone");
	printf(" %ju failed, %ju sectors have to hold data\n", (uintmax_t)m.failed,
	       (uintmax_t)held);
}

/* Pages that it has can't fail. */
static void let_allocations_fail(void)
{
	int file;

	if (mlockall(MCL_CURRENT | MCL_FUTURE))
		blind("mlockall");
	file = open("/proc/self/make-it-fail", O_WRONLY);
	if (file < 0 || write(file, "1", 1) != 1)
		blind("make-it-fail");
	close(file);
}

static void open_journal(char *text)
{
	char *colon = strrchr(text, ':');

	if (colon)
		*colon = '\0';
	m.journal_at = colon ? strtoull(colon + 1, NULL, 0) * SECTOR : 0;
	m.journal = open(text, O_RDWR | O_DIRECT | O_DSYNC);
	if (m.journal < 0)
		blind(text);
}

static void open_all(char **words)
{
	m.path = words[0];
	m.sectors = strtoull(words[1], NULL, 0);
	m.seed = m.random = strtoull(words[2], NULL, 0) & UINT32_MAX;
	m.device = open(m.path, O_RDWR | O_DIRECT);
	if (m.device < 0)
		blind(m.path);
	m.may = memory(m.sectors * sizeof(*m.may));
	m.buffer = memory(MOST * SECTOR);
	m.journal_buffer = memory(SECTOR);
	forget(0, m.sectors);
}

static void work(uint64_t ops, double seconds)
{
	double end_s = now_s() + seconds;

	note();
	while (ops ? m.ended < ops : now_s() < end_s) {
		step();
		note();
	}
}

int main(int argc, char **argv)
{
	bool check = false, fail = false;
	double seconds = 0;
	uint64_t ops = 0;
	int option;

	while ((option = getopt(argc, argv, "n:s:j:a:m:o:y:cdfuwz")) != -1) {
		if (option == 'n')
			ops = strtoull(optarg, NULL, 0);
		else if (option == 's')
			seconds = strtod(optarg, NULL);
		else if (option == 'j')
			open_journal(optarg);
		else if (option == 'a')
			m.unit = strtoull(optarg, NULL, 0);
		else if (option == 'm')
			m.moment_ms = strtoull(optarg, NULL, 0);
		else if (option == 'o')
			m.begin = strtoull(optarg, NULL, 0);
		else if (option == 'd')
			op_shares[DISCARD] = 0;
		else if (option == 'z')
			op_shares[ZERO] = 0;
		else if (option == 'y')
			op_shares[SYNC] = strtoul(optarg, NULL, 0);
		else if (option == 'u')
			m.hints = true;
		else if (option == 'w')
			m.write_back = true;
		else if (option == 'c')
			check = true;
		else if (option == 'f')
			fail = true;
		else
			return EXIT_BLIND;
	}
	if (argc - optind != 3 || (check && m.journal < 0) || !m.unit || MOST % m.unit) {
		fputs("trim-model: DEVICE SECTORS SEED, and a journal to check\n", stderr);
		return EXIT_BLIND;
	}
	open_all(argv + optind);
	if (fail)
		let_allocations_fail();
	if (!check)
		work(ops, seconds);
	else if (!remember())
		return EXIT_BLIND;
	look_at_all();
	tell();
	return 0;
}
