// SPDX-License-Identifier: GPL-2.0
/*
 * env.c - the outside world of core/ in user space
 *
 * See dm-ssdqos/core/env.h.  Tests can make the n-th allocation fail, and
 * count broken promises (WARN_ON_ONCE) instead of overlooking them.
 */
#include <stdarg.h>
#include <stdio.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>

#include "env.h"

u64 ssdqos_env_warnings;
u64 ssdqos_env_fail_at;
s64 ssdqos_env_live;

/* Before every allocation; a cache line, which keeps what follows aligned. */
struct env_header {
	void *base;		/* what free() or munmap() wants */
	u64 mapped_bytes;	/* 0: it is free() */
} __attribute__((aligned(64)));

/* Maps of some hundred megabytes are hit at random: with small pages, every hit
 * would also miss the TLB.
 */
#define ENV_HUGE_PAGE_BYTES (2ULL << 20)
#define ENV_HUGE_MIN_BYTES (2 * ENV_HUGE_PAGE_BYTES)

#ifdef __SANITIZE_ADDRESS__
#define ENV_MAY_MAP false	/* the sanitizer watches the heap only */
#else
#define ENV_MAY_MAP true
#endif

static struct env_header *env_calloc(u64 bytes)
{
	struct env_header *header = aligned_alloc(sizeof(*header),
						  (sizeof(*header) + bytes + 63) & ~63ULL);

	if (!header)
		return NULL;
	memset(header, 0, sizeof(*header) + bytes);
	header->base = header;
	return header;
}

static struct env_header *env_map(u64 bytes)
{
	u64 mapped_bytes = bytes + 2 * ENV_HUGE_PAGE_BYTES;
	struct env_header *header;
	char *base, *mem;

	base = mmap(NULL, mapped_bytes, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
	if (base == MAP_FAILED)
		return NULL;
	madvise(base, mapped_bytes, MADV_HUGEPAGE);
	mem = base + ENV_HUGE_PAGE_BYTES;
	mem += -(uintptr_t)mem & (ENV_HUGE_PAGE_BYTES - 1);
	header = (struct env_header *)mem - 1;
	header->base = base;
	header->mapped_bytes = mapped_bytes;
	return header;
}

void *ssdqos_env_alloc(u64 bytes)
{
	struct env_header *header;

	if (ssdqos_env_fail_at && --ssdqos_env_fail_at == 0)
		return NULL;
	header = ENV_MAY_MAP && bytes >= ENV_HUGE_MIN_BYTES ? env_map(bytes) : env_calloc(bytes);
	if (!header)
		return NULL;
	ssdqos_env_live++;
	return header + 1;
}

void ssdqos_env_free(void *mem)
{
	struct env_header *header;

	if (!mem)
		return;
	header = (struct env_header *)mem - 1;
	ssdqos_env_live--;
	if (header->mapped_bytes)
		munmap(header->base, header->mapped_bytes);
	else
		free(header->base);
}

int ssdqos_env_scnprintf(char *buf, size_t size, const char *fmt, ...)
{
	va_list args;
	int n;

	if (!size)
		return 0;
	va_start(args, fmt);
	n = vsnprintf(buf, size, fmt, args);
	va_end(args);
	return n < (int)size ? n : (int)size - 1;
}

void ssdqos_env_warn(const char *file, int line, const char *what)
{
	ssdqos_env_warnings++;
	fprintf(stderr, "WARNING: %s:%d: %s\n", file, line, what);
}
