// SPDX-License-Identifier: GPL-2.0
/*
 * env.c - the outside world of core/ in user space
 *
 * See dm-ssdqos/core/env.h.  Tests can make the n-th allocation fail, and
 * count broken promises (WARN_ON_ONCE) instead of overlooking them.
 */
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>

#include "env.h"

u64 ssdqos_env_warnings;
u64 ssdqos_env_fail_at;
s64 ssdqos_env_live;

void *ssdqos_env_alloc(u64 bytes)
{
	void *mem;

	if (ssdqos_env_fail_at && --ssdqos_env_fail_at == 0)
		return NULL;
	mem = calloc(1, bytes);
	ssdqos_env_live += mem != NULL;
	return mem;
}

void ssdqos_env_free(void *mem)
{
	ssdqos_env_live -= mem != NULL;
	free(mem);
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
