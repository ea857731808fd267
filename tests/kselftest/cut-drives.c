// SPDX-License-Identifier: GPL-2.0
/*
 * cut-drives.c - drives with caches that a power cut empties, as network block devices
 *
 *	cut-drives FIRST SEED DRIVE...
 *
 * A DRIVE is its size in KiB: its cache loses what it was not flushed; or "stable:" and that: it
 * has no cache.  There are two sets of them, /dev/nbd<FIRST> and so on: first all drives, and
 * then all drives again.  Requests of a drive that are under way at a time are done in any order.
 *
 * It is told on its standard input
 *
 *	cut SET SEED	the power of set 0 or 1 is cut: the other one becomes what is left of
 *			it.  Nobody may use that one; the first one goes on as if nothing had
 *			happened, so whoever uses it can be asked to end in good order.
 *
 * and says on its standard output how many writes that were not flushed it had and how many of
 * them were lost, in part or in whole;
 *
 *	cut SET SEED DRIVE BYTE MS
 *			the same, when a sector of a drive is written, and with it other 8 bytes from that byte
 *			on than there were: somebody notes that something was promised, and the next moment
 *			there is no power; or after so many milliseconds at the latest;
 *
 *	same SET NR FILE	have the first drives of a set, so many, all what is in a file, which
 *				is as long as they are?
 *
 * and says "same", or where they differ.  The cut is one moment for all drives.  What was flushed
 * or forced is there after it, and of the rest, by chance: all; nothing; each write or not; each sector of
 * each write or not.  Each drive has a chance of its own.
 */
#define _GNU_SOURCE
#include <endian.h>
#include <errno.h>
#include <fcntl.h>
#include <linux/nbd.h>
#include <poll.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/ioctl.h>
#include <sys/mman.h>
#include <sys/socket.h>
#include <time.h>
#include <unistd.h>

#define SECTOR 512u
#define KIB 1024u
#define SETS 2u
#define MOST_DRIVES 8u
/* The block layer has no more under way at a time at each. */
#define MOST_REQUESTS (MOST_DRIVES * SETS * 128u)
/* What is no read takes up to so long, and a flush so many times that, so that some are under way when
 * power is cut, and end in another order.
 */
#define MOST_NS 200000u
#define FLUSH_TIMES 10u
/* What a drive has in its cache at most; then it writes what is oldest to its flash. */
#define CACHE_BYTES (1u << 20)
#define NS_PER_S 1000000000ULL
#define NS_PER_MS 1000000ULL

/* What is in a cache, in order. */
struct write {
	struct write *next;
	uint64_t at;
	uint32_t bytes;
	/* none: it was discarded */
	bool has_data;
	/* it is in the flash already, but what came before it may come there later */
	bool is_forced;
	char data[];
};

struct drive {
	int socket;
	uint64_t bytes;
	bool is_stable;
	/* what a power cut leaves, and what is read */
	char *flash;
	char *now;
	struct write *oldest, **end;
	uint64_t cached_bytes;
};

struct request {
	struct drive *drive;
	uint64_t due_ns;
	uint32_t command;
	bool force;
	char handle[8];
	uint64_t at;
	uint32_t bytes;
	struct write *write;
};

/* A cut that is to come. */
struct plan {
	uint32_t set, drive, byte, most_ms;
	uint64_t seed, due_ns;
	bool is_on;
};

static struct {
	uint32_t nr;
	struct plan plan;
	struct drive drives[SETS][MOST_DRIVES];
	struct request requests[MOST_REQUESTS];
	uint32_t nr_requests;
	uint64_t random;
} s;

static _Noreturn void quit(const char *what)
{
	fprintf(stderr, "cut-drives: %s: %s\n", what, strerror(errno));
	exit(1);
}

/* splitmix64 */
static uint64_t dice(uint64_t *random, uint64_t n)
{
	uint64_t x = *random += 0x9e3779b97f4a7c15ULL;

	x = (x ^ (x >> 30)) * 0xbf58476d1ce4e5b9ULL;
	x = (x ^ (x >> 27)) * 0x94d049bb133111ebULL;
	return (x ^ (x >> 31)) % n;
}

static uint64_t now_ns(void)
{
	struct timespec now;

	clock_gettime(CLOCK_MONOTONIC, &now);
	return now.tv_sec * NS_PER_S + now.tv_nsec;
}

static void *memory(size_t bytes)
{
	void *found = calloc(1, bytes);

	if (!found)
		quit("memory");
	return found;
}

/* ---- a drive ---- */

static void put(char *to, const struct write *w, uint64_t from, uint64_t bytes)
{
	if (w->has_data)
		memcpy(to + w->at + from, w->data + from, bytes);
	else
		memset(to + w->at + from, 0, bytes);
}

static void drive_forget_oldest(struct drive *d)
{
	struct write *w = d->oldest;

	d->oldest = w->next;
	if (!d->oldest)
		d->end = &d->oldest;
	d->cached_bytes -= w->bytes;
	free(w);
}

static void drive_flush(struct drive *d, uint64_t until_bytes)
{
	while (d->oldest && d->cached_bytes > until_bytes) {
		put(d->flash, d->oldest, 0, d->oldest->bytes);
		drive_forget_oldest(d);
	}
}

static void drive_write(struct drive *d, struct write *w, bool force)
{
	put(d->now, w, 0, w->bytes);
	w->is_forced = force;
	*d->end = w;
	d->end = &w->next;
	d->cached_bytes += w->bytes;
	drive_flush(d, d->is_stable ? 0 : CACHE_BYTES);
}

/* ---- a power cut ---- */

enum chance { ALL, NOTHING, WRITES, SECTORS, NR_CHANCES };

/* Return: whether some of it was lost. */
static bool cut_write(struct drive *d, const struct write *w, enum chance chance, uint64_t *random)
{
	bool lost = false;

	if (!w->is_forced && (chance == NOTHING || (chance == WRITES && dice(random, 2))))
		return true;
	if (w->is_forced || chance != SECTORS) {
		put(d->flash, w, 0, w->bytes);
		return false;
	}
	for (uint64_t at = 0; at < w->bytes; at += SECTOR)
		if (dice(random, 2))
			put(d->flash, w, at, SECTOR);
		else
			lost = true;
	return lost;
}

static void cut_drive(struct drive *d, const struct drive *from, uint64_t *random, uint64_t *cached, uint64_t *lost)
{
	enum chance chance = dice(random, NR_CHANCES);

	while (d->oldest)
		drive_forget_oldest(d);
	memcpy(d->flash, from->flash, d->bytes);
	for (const struct write *w = from->oldest; w; w = w->next) {
		*cached += 1;
		*lost += cut_write(d, w, chance, random);
	}
	memcpy(d->now, d->flash, d->bytes);
}

static void cut(uint32_t set, uint64_t seed)
{
	uint64_t cached = 0, lost = 0;

	for (uint32_t i = 0; i < s.nr; i++)
		cut_drive(&s.drives[!set][i], &s.drives[set][i], &seed, &cached, &lost);
	printf("cached %ju lost %ju\n", (uintmax_t)cached, (uintmax_t)lost);
	fflush(stdout);
	s.plan.is_on = false;
}

/* Is it what the planned cut waits for? */
static bool is_note(const struct drive *d, const struct write *w)
{
	const struct plan *p = &s.plan;

	return p->is_on && d == &s.drives[p->set][p->drive] && w->has_data && w->bytes >= p->byte + sizeof(uint64_t) &&
	       memcmp(d->now + w->at + p->byte, w->data + p->byte, sizeof(uint64_t));
}

static void compare(uint32_t set, uint32_t nr, const char *path)
{
	uint64_t bytes = s.drives[set][0].bytes, at = 0;
	int file = open(path, O_RDONLY);
	char *want;

	if (file < 0)
		quit(path);
	want = mmap(NULL, bytes, PROT_READ, MAP_PRIVATE, file, 0);
	if (want == MAP_FAILED || lseek(file, 0, SEEK_END) != (off_t)bytes)
		quit(path);
	for (uint32_t i = 0; i < nr; i++) {
		if (!memcmp(s.drives[set][i].now, want, bytes))
			continue;
		while (s.drives[set][i].now[at] == want[at])
			at++;
		printf("drive %u has something else in sector %ju\n", i, (uintmax_t)(at / SECTOR));
		goto done;
	}
	puts("same");
done:
	munmap(want, bytes);
	close(file);
}

static void command(void)
{
	char line[80], path[40];
	struct plan plan = { .is_on = true };
	uint32_t set, nr;
	int words;

	if (!fgets(line, sizeof(line), stdin))
		exit(0);
	words = sscanf(line, "cut %u %ju %u %u %u", &plan.set, (uintmax_t *)&plan.seed, &plan.drive, &plan.byte,
		       &plan.most_ms);
	plan.due_ns = now_ns() + plan.most_ms * NS_PER_MS;
	if (words == 2 && plan.set < SETS)
		cut(plan.set, plan.seed);
	else if (words == 5 && plan.set < SETS && plan.drive < s.nr)
		s.plan = plan;
	else if (sscanf(line, "same %u %u %39s", &set, &nr, path) == 3 && set < SETS && nr <= s.nr)
		compare(set, nr, path);
	else
		puts("cut SET SEED [DRIVE BYTE MS], or same SET NR FILE");
	fflush(stdout);
}

/* ---- requests ---- */

static void get_all(int from, void *to, size_t bytes)
{
	for (ssize_t done; bytes; to = (char *)to + done, bytes -= done) {
		done = read(from, to, bytes);
		if (done <= 0)
			quit("a socket");
	}
}

static void give_all(int to, const void *from, size_t bytes)
{
	for (ssize_t done; bytes; from = (const char *)from + done, bytes -= done) {
		done = write(to, from, bytes);
		if (done <= 0)
			quit("a socket");
	}
}

static void receive(struct drive *d)
{
	struct request *r = &s.requests[s.nr_requests];
	struct nbd_request wire;
	bool has_data;

	if (s.nr_requests++ == MOST_REQUESTS)
		quit("too many requests");
	get_all(d->socket, &wire, sizeof(wire));
	*r = (struct request){
		.drive = d, .command = be32toh(wire.type) & 0xffff,
		.force = be32toh(wire.type) & NBD_CMD_FLAG_FUA,
		.at = be64toh(wire.from), .bytes = be32toh(wire.len),
	};
	memcpy(r->handle, wire.handle, sizeof(r->handle));
	if (r->command == NBD_CMD_READ)
		return;
	r->due_ns = now_ns() + dice(&s.random, MOST_NS) * (r->command == NBD_CMD_FLUSH ? FLUSH_TIMES : 1);
	if (r->command != NBD_CMD_WRITE && r->command != NBD_CMD_TRIM)
		return;
	has_data = r->command == NBD_CMD_WRITE;
	r->write = memory(sizeof(*r->write) + (has_data ? r->bytes : 0));
	r->write->at = r->at;
	r->write->bytes = r->bytes;
	r->write->has_data = has_data;
	if (has_data)
		get_all(d->socket, r->write->data, r->bytes);
}

static void do_request(const struct request *r)
{
	struct nbd_reply reply = { .magic = htobe32(NBD_REPLY_MAGIC) };
	struct drive *d = r->drive;
	bool was_noted = r->write && is_note(d, r->write);

	if (r->at + r->bytes > d->bytes)
		reply.error = htobe32(EINVAL);
	else if (r->write)
		drive_write(d, r->write, r->force);
	else if (r->command == NBD_CMD_FLUSH)
		drive_flush(d, 0);
	if (was_noted)
		cut(s.plan.set, s.plan.seed);
	memcpy(reply.handle, r->handle, sizeof(reply.handle));
	give_all(d->socket, &reply, sizeof(reply));
	if (r->command == NBD_CMD_READ && !reply.error)
		give_all(d->socket, d->now + r->at, r->bytes);
}

/* Return: how long until then, or until something else is due before. */
static int64_t sooner(int64_t next_ns, int64_t left_ns)
{
	if (left_ns < 0)
		left_ns = 0;
	return next_ns < 0 || left_ns < next_ns ? left_ns : next_ns;
}

/* What is due; returns how long until the next one is, or -1. */
static int64_t do_requests(void)
{
	int64_t next_ns = -1;
	uint32_t i = 0;

	if (s.plan.is_on && now_ns() >= s.plan.due_ns)
		cut(s.plan.set, s.plan.seed);
	if (s.plan.is_on)
		next_ns = sooner(next_ns, s.plan.due_ns - now_ns());
	while (i < s.nr_requests) {
		struct request r = s.requests[i];
		int64_t left_ns = r.due_ns ? r.due_ns - now_ns() : 0;

		if (left_ns > 0) {
			next_ns = sooner(next_ns, left_ns);
			i++;
			continue;
		}
		s.requests[i] = s.requests[--s.nr_requests];
		do_request(&r);
	}
	return next_ns;
}

/* ---- begin ---- */

/* The kernel's part of it runs in a process of its own. */
static void serve(struct drive *d, uint32_t number)
{
	int ends[2], device;
	char path[32];

	if (socketpair(AF_UNIX, SOCK_STREAM, 0, ends))
		quit("socketpair");
	d->socket = ends[0];
	if (fork()) {
		close(ends[1]);
		return;
	}
	for (uint32_t fd = ends[0]; fd; fd--)
		if ((int)fd != STDERR_FILENO)
			close(fd);
	snprintf(path, sizeof(path), "/dev/nbd%u", number);
	device = open(path, O_RDWR);
	if (device < 0 || ioctl(device, NBD_SET_SOCK, ends[1]) || ioctl(device, NBD_SET_BLKSIZE, (unsigned long)SECTOR) ||
	    ioctl(device, NBD_SET_SIZE_BLOCKS, (unsigned long)(d->bytes / SECTOR)) ||
	    ioctl(device, NBD_SET_FLAGS, (unsigned long)(NBD_FLAG_HAS_FLAGS | NBD_FLAG_SEND_TRIM | (d->is_stable ? 0 :
		  NBD_FLAG_SEND_FLUSH | NBD_FLAG_SEND_FUA))))
		quit(path);
	ioctl(device, NBD_DO_IT);
	ioctl(device, NBD_CLEAR_SOCK);
	exit(0);
}

static void begin(uint32_t set, uint32_t i, uint32_t number, const char *words)
{
	struct drive *d = &s.drives[set][i];
	const char *stable = "stable:";

	d->is_stable = !strncmp(words, stable, strlen(stable));
	d->bytes = strtoull(words + (d->is_stable ? strlen(stable) : 0), NULL, 0) * KIB;
	d->flash = memory(d->bytes);
	d->now = memory(d->bytes);
	d->end = &d->oldest;
	serve(d, number);
}

static _Noreturn void work(void)
{
	struct pollfd fds[SETS * MOST_DRIVES + 1];
	struct timespec left;
	uint32_t all = SETS * s.nr;

	for (uint32_t i = 0; i < all; i++)
		fds[i] = (struct pollfd){ .fd = s.drives[i / s.nr][i % s.nr].socket, .events = POLLIN };
	fds[all] = (struct pollfd){ .fd = STDIN_FILENO, .events = POLLIN };
	for (;;) {
		int64_t next_ns = do_requests();

		left = (struct timespec){ .tv_sec = next_ns / (int64_t)NS_PER_S, .tv_nsec = next_ns % (int64_t)NS_PER_S };
		if (ppoll(fds, all + 1, next_ns < 0 ? NULL : &left, NULL) < 0)
			quit("poll");
		for (uint32_t i = 0; i < all; i++)
			if (fds[i].revents)
				receive(&s.drives[i / s.nr][i % s.nr]);
		if (fds[all].revents)
			command();
	}
}

int main(int argc, char **argv)
{
	uint32_t first;

	if (argc < 4 || argc - 3 > (int)MOST_DRIVES) {
		fputs("cut-drives: FIRST SEED DRIVE...\n", stderr);
		return 1;
	}
	first = strtoul(argv[1], NULL, 0);
	s.random = strtoull(argv[2], NULL, 0);
	s.nr = argc - 3;
	for (uint32_t i = 0; i < SETS * s.nr; i++)
		begin(i / s.nr, i % s.nr, first + i, argv[3 + i % s.nr]);
	work();
}
