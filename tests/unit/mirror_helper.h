/* SPDX-License-Identifier: GPL-2.0 */
/*
 * mirror_helper.h - a mirror whose instructions are carried out one by one
 *
 * For tests that look at instructions; what drives make of them is in test_mirror_model.c.
 */
#ifndef SSDQOS_TESTS_MIRROR_HELPER_H
#define SSDQOS_TESTS_MIRROR_HELPER_H

#include "../../dm-ssdqos/core/mirror/mirror.h"
#include "env.h"

#define BLOCKS 1024u
#define SLOTS 256u
/* Instructions after which it would never end. */
#define MANY_OPS 10000u

static struct ssdqos_mirror mirror;
static struct ssdqos_mirror_config cfg;
static struct ssdqos_mirror_op op;
static u64 now;

static inline void begin(u32 members)
{
	now = 0;
	assert_int_equal(ssdqos_mirror_init(&mirror, &cfg, members, BLOCKS), 0);
	ssdqos_mirror_start(&mirror, &(struct ssdqos_mirror_known){ 0 }, now);
}

static inline int finish(void **state)
{
	ssdqos_mirror_exit(&mirror);
	assert_int_equal(ssdqos_env_warnings, 0);
	return 0;
}

static inline bool next(void)
{
	do {
		if (!ssdqos_mirror_next(&mirror, &op, now))
			return false;
	} while (op.kind == SSDQOS_MIRROR_OP_AGAIN);
	return true;
}

static inline void done(u32 failed)
{
	ssdqos_mirror_done(&mirror, &op, failed, now);
}

/* All that is to be done now is done. */
static inline void run(void)
{
	for (u32 i = 0; next(); i++) {
		assert_true(i < MANY_OPS);
		done(0);
	}
}

/* The next instruction of a kind; those before it are done. */
static inline void run_to(u32 kind)
{
	for (u32 i = 0; i < MANY_OPS; i++) {
		assert_true(next());
		if (op.kind == kind)
			return;
		done(0);
	}
	fail();
}

static inline void write_block(u64 block)
{
	u32 slot;

	assert_int_equal(ssdqos_mirror_take(&mirror, 1, &slot, now), 0);
	ssdqos_mirror_publish(&mirror, block, slot);
}

#endif /* SSDQOS_TESTS_MIRROR_HELPER_H */
