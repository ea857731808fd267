// SPDX-License-Identifier: GPL-2.0
/*
 * What is below the scheduler of a simulation: who submits does not see whether it is a drive, a
 * mirror, or one whose members take turns.
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>
#include <cmocka.h>

#include "../../tools/sim/qos/below.h"

#define BLOCK 8		/* sectors */
#define MOST_NS (1000 * NS_PER_MS)
#define REQUESTS 64

static struct qos_below below;
static struct qos_below_req requests[REQUESTS];

static void start(enum mirror_peer peer)
{
	static struct drive_options drive = { .model = "autossd", .size_bytes = 64 << 20 };
	static struct mirror_device_options options = { MIRROR_DEVICE_DEFAULTS };
	struct ssdqos_mirror_config cfg;
	struct sim_error error;

	drive.sets = (struct option_list){ .nr = 1, .text = { "aged_pct=100" } };
	options.peer = peer;
	options.parameters = (struct option_list){ .nr = 1, .text = { "switch_ms=50 cache_kib=4096" } };
	memset(&below, 0, sizeof(below));
	assert_int_equal(mirror_device_configure(&options, &cfg, &error), 0);
	assert_int_equal(mirror_device_create(&below.device, &drive, &options, &cfg, &error), 0);
	assert_int_equal(qos_below_start(&below, &error), 0);
}

static int finish(void **state)
{
	qos_below_destroy(&below);
	return 0;
}

static struct qos_below_req *submit(u32 i, u32 op, u64 sector, u32 nr)
{
	requests[i].flash = (struct ssdqos_flash_req){
		.op = (u8)op,
		.sector = sector,
		.nr_sectors = nr,
	};
	below.ops->submit(&below, &requests[i]);
	return &requests[i];
}

/* Time goes on until a request is answered. */
static struct qos_below_req *answer(void)
{
	struct qos_below_req *req;
	u64 ns;

	while (!(req = below.ops->take_done(&below))) {
		ns = below.ops->next_ns(&below);
		assert_true(ns < MOST_NS);
		below.ops->advance(&below, max(ns, below.now_ns));
	}
	return req;
}

static void serves(enum mirror_peer peer, u32 drives)
{
	u64 seen = 0;

	start(peer);
	assert_non_null(qos_below_drive(&below, drives - 1));
	assert_null(qos_below_drive(&below, drives));
	assert_int_equal(qos_below_bytes(&below), 64 << 20);
	below.ops->advance(&below, NS_PER_MS);
	for (u32 i = 0; i < REQUESTS; i++)
		submit(i, i % 2 ? SSDQOS_FLASH_READ : SSDQOS_FLASH_WRITE, i / 2 * BLOCK, BLOCK);
	for (u32 i = 0; i < REQUESTS; i++) {
		struct qos_below_req *req = answer();

		assert_int_equal(req->flash.arrival_ns, NS_PER_MS);
		assert_true(below.now_ns > NS_PER_MS);
		seen |= 1ULL << (req - requests);
	}
	assert_int_equal(seen, ~0ULL);
	assert_null(below.ops->take_done(&below));
	assert_true(qos_below_settle(&below));
	assert_int_equal(below.measure.watch.wrong, 0);
	assert_int_equal(below.measure.watch.failed, 0);
}

static void a_drive_serves(void **state)
{
	serves(MIRROR_PEER_ONE, 1);
}

static void a_mirror_serves(void **state)
{
	serves(MIRROR_PEER_RAID1, MIRROR_MEMBERS_MIN);
}

static void members_that_take_turns_serve(void **state)
{
	serves(MIRROR_PEER_IANUS, MIRROR_MEMBERS_MIN);
	assert_int_equal(below.serve.mirror->stats.writes, REQUESTS / 2);
}

/* The mirror answers a write from memory, a drive does not. */
static void a_write_to_members_that_take_turns_waits_for_no_drive(void **state)
{
	start(MIRROR_PEER_IANUS);
	submit(0, SSDQOS_FLASH_WRITE, 0, BLOCK);
	answer();
	assert_int_equal(below.now_ns, MIRROR_MEMORY_NS);
}

/* A discard is of the blocks that it has all of, other requests of those that they touch. */
static void a_mirror_has_whole_blocks(void **state)
{
	start(MIRROR_PEER_IANUS);
	assert_true(qos_below_discard_bytes(&below) >= SSDQOS_MIRROR_BLOCK_BYTES);
	submit(0, SSDQOS_FLASH_WRITE, BLOCK - 1, 2);
	assert_int_equal(requests[0].mirror.block, 0);
	assert_int_equal(requests[0].mirror.nr, 2);
	submit(1, SSDQOS_FLASH_DISCARD, BLOCK - 1, 2 + BLOCK);
	assert_int_equal(requests[1].mirror.block, 1);
	assert_int_equal(requests[1].mirror.nr, 1);
	submit(2, SSDQOS_FLASH_DISCARD, BLOCK - 1, 2);
	assert_int_equal(requests[2].mirror.nr, 0);
	for (u32 i = 0; i < 3; i++)
		answer();
	assert_true(qos_below_settle(&below));
	assert_int_equal(below.measure.watch.wrong, 0);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test_teardown(a_drive_serves, finish),
		cmocka_unit_test_teardown(a_mirror_serves, finish),
		cmocka_unit_test_teardown(members_that_take_turns_serve, finish),
		cmocka_unit_test_teardown(a_write_to_members_that_take_turns_waits_for_no_drive, finish),
		cmocka_unit_test_teardown(a_mirror_has_whole_blocks, finish),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
