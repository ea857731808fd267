/* SPDX-License-Identifier: GPL-2.0 */
/*
 * ssdqos_platform.h - what core/ gets when it is compiled into the kernel
 *
 * See core/env.h for the contract; tools/sim/platform holds the twin.
 */
#ifndef SSDQOS_PLATFORM_H
#define SSDQOS_PLATFORM_H

#include <linux/align.h>
#include <linux/bitops.h>
#include <linux/bug.h>
#include <linux/build_bug.h>
#include <linux/errno.h>
#include <linux/kernel.h>
#include <linux/math64.h>
#include <linux/minmax.h>
#include <linux/mm.h>
#include <linux/prefetch.h>
#include <linux/string.h>
#include <linux/types.h>
#include <linux/vmalloc.h>

#include "ssdqos_tree.h"

/* More than INT_MAX is not for kvmalloc(), which complains.  The maps of a large
 * drive have that, and kvfree() takes both.
 */
static inline void *ssdqos_env_alloc(u64 bytes)
{
	return bytes > INT_MAX ? vzalloc(bytes) : kvzalloc(bytes, GFP_KERNEL);
}

static inline void ssdqos_env_free(void *mem)
{
	kvfree(mem);
}

#endif /* SSDQOS_PLATFORM_H */
