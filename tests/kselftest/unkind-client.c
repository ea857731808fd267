// SPDX-License-Identifier: GPL-2.0
/*
 * unkind-client.c - what a client may do with its device that fio doesn't
 *
 *	unkind-client polls DEVICE COUNT
 *			sends so many reads of 4 KiB whose completion it wants to look for itself, and never looks: they
 *			are under way until somebody gives up.  Says "sent", and stays until it is ended.
 *	unkind-client passes DEVICE
 *			asks for what goes past the block layer: the number of an NVMe namespace, for which the driver
 *			wants no rights, as with reads and writes on newer kernels.  Says "passed", or why not.
 */
#define _GNU_SOURCE
#include <errno.h>
#include <fcntl.h>
#include <linux/io_uring.h>
#include <linux/nvme_ioctl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/ioctl.h>
#include <sys/mman.h>
#include <sys/syscall.h>
#include <unistd.h>

#define READ_BYTES 4096u

static int die(const char *what)
{
	printf("%s: %s\n", what, strerror(errno));
	return 1;
}

static void *mapped(int ring, size_t bytes, off_t what)
{
	return mmap(NULL, bytes, PROT_READ | PROT_WRITE, MAP_SHARED | MAP_POPULATE, ring, what);
}

static void fill(struct io_uring_sqe *sqe, int fd, unsigned int at, void *buffer)
{
	memset(sqe, 0, sizeof(*sqe));
	sqe->opcode = IORING_OP_READ;
	sqe->fd = fd;
	sqe->addr = (unsigned long)buffer;
	sqe->len = READ_BYTES;
	sqe->off = (unsigned long long)at * READ_BYTES;
}

static int polls(int fd, unsigned int count)
{
	struct io_uring_params params = { .flags = IORING_SETUP_IOPOLL };
	int ring = syscall(SYS_io_uring_setup, count, &params);
	struct io_uring_sqe *sqes;
	unsigned int *tail, *array, at;
	void *queue, *buffer;

	if (ring < 0)
		return die("io_uring_setup");
	queue = mapped(ring, params.sq_off.array + params.sq_entries * sizeof(*array), IORING_OFF_SQ_RING);
	sqes = mapped(ring, params.sq_entries * sizeof(*sqes), IORING_OFF_SQES);
	if (queue == MAP_FAILED || sqes == MAP_FAILED || posix_memalign(&buffer, READ_BYTES, READ_BYTES))
		return die("memory");
	tail = queue + params.sq_off.tail;
	array = queue + params.sq_off.array;
	for (at = 0; at < count; at++) {
		fill(&sqes[at], fd, at, buffer);
		array[at] = at;
	}
	__atomic_store_n(tail, count, __ATOMIC_RELEASE);
	if (syscall(SYS_io_uring_enter, ring, count, 0, 0, NULL, 0) != (int)count)
		return die("io_uring_enter");
	puts("sent");
	fflush(stdout);
	pause();
	return 0;
}

static int passes(int fd)
{
	if (ioctl(fd, NVME_IOCTL_ID) < 0)
		return die("NVME_IOCTL_ID");
	puts("passed");
	return 0;
}

int main(int argc, char **argv)
{
	int fd = argc > 2 ? open(argv[2], O_RDONLY | O_DIRECT) : -1;

	if (fd < 0)
		return die("open");
	if (!strcmp(argv[1], "polls") && argc == 4)
		return polls(fd, strtoul(argv[3], NULL, 10));
	return passes(fd);
}
