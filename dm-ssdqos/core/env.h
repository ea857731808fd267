/* SPDX-License-Identifier: GPL-2.0 */
/*
 * env.h - the one door between core/ and the world outside
 *
 * core/ is plain C that is compiled twice: into the kernel module and into
 * the simulator.  Everything it needs from either world comes through this
 * header; the include path decides which ssdqos_platform.h is found
 * (dm-ssdqos/platform in the kernel, tools/sim/platform in user space), so
 * core/ itself holds no #ifdef for the two worlds.
 *
 * A platform gives, with the kernel's meaning: u8 ... u64, s64, bool, NULL,
 * -E* numbers, memcpy/memset/memcmp/strlen/strcmp, min/max/clamp (min_t ...),
 * div64_u64, ALIGN, DIV_ROUND_UP, ARRAY_SIZE, offsetof, sizeof_field, BITS_PER_LONG, __ffs,
 * __ffs64, hweight64, likely/unlikely, prefetchw, static_assert, WARN_ON_ONCE, snprintf (->
 * scnprintf), and the pair below.
 *
 *   void *ssdqos_env_alloc(u64 bytes)   zeroed memory or NULL; may sleep, so
 *                                       only create and resize paths call it
 *   void ssdqos_env_free(void *mem)     NULL is allowed; may sleep
 *
 * and ordered sets, struct ssdqos_tree with ssdqos_tree_insert(), _erase(), _from()
 * and their like (ssdqos_tree.h of the platform).
 */
#ifndef SSDQOS_CORE_ENV_H
#define SSDQOS_CORE_ENV_H

#include "ssdqos_platform.h"

/* The empty index of every index-linked list in core/. */
#define SSDQOS_NIL 0xffffffffu

/* "No time": later than every event. */
#define SSDQOS_NEVER_NS (~0ULL)

#endif /* SSDQOS_CORE_ENV_H */
