/* SPDX-License-Identifier: GPL-2.0 */
/*
 * flash_helper.h - what the tests of the flash drive share
 *
 * A test makes a drive, hands in requests and looks at their times.  Every
 * wrong step of the drive itself (an invariant, a promise, a leak) fails the
 * test that made it take the step.
 */
#ifndef SSDQOS_TESTS_FLASH_HELPER_H
#define SSDQOS_TESTS_FLASH_HELPER_H

#include "../../dm-ssdqos/core/flash/flash.h"

#define MIB_SECTORS 2048ULL
#define HELPER_MAX_DEPTH 64

extern char helper_err[256];

/* Setup and teardown of every flash test: no leak, no broken promise. */
int helper_start(void **state);
int helper_finish(void **state);

/* The preset's hardware with the plainest controller: it takes no time, knows
 * the whole map, serves in order of arrival and leaves blocks alone.
 */
struct ssdqos_flash_config helper_config(u32 preset);
struct ssdqos_flash *helper_create(const struct ssdqos_flash_config *cfg, u64 mib);
void helper_check(const struct ssdqos_flash *f);

/* The smallest over-provisioning with which a drive of this shape exists. */
u32 helper_least_op_permille(struct ssdqos_flash_config cfg, u64 nr_sectors);
u64 helper_now(const struct ssdqos_flash *f);

/* Process the events that come next; there are some. */
void helper_step(struct ssdqos_flash *f);

/* Process all events; afterwards the drive is idle. */
void helper_settle(struct ssdqos_flash *f);

/* Hand in a request at the drive's time; complete_ns is "never" until done. */
void helper_submit(struct ssdqos_flash *f, struct ssdqos_flash_req *req, u32 op, u64 sector,
		   u32 nr_sectors);
void helper_submit_units(struct ssdqos_flash *f, struct ssdqos_flash_req *req, u32 op, u64 unit,
			 u32 nr_units);
void helper_submit_fua(struct ssdqos_flash *f, struct ssdqos_flash_req *req, u64 unit,
		       u32 nr_units);

/* Run until the request is complete; its latency. */
u64 helper_wait(struct ssdqos_flash *f, struct ssdqos_flash_req *req);

/* All of it for one request of whole units, or of sectors. */
u64 helper_do(struct ssdqos_flash *f, u32 op, u64 unit, u32 nr_units);
u64 helper_do_sectors(struct ssdqos_flash *f, u32 op, u64 sector, u32 nr_sectors);

static inline u64 helper_latency(const struct ssdqos_flash_req *req)
{
	return req->complete_ns - req->arrival_ns;
}

/**
 * struct helper_load - random requests in a closed loop
 * @seed: of everything
 * @nr: requests
 * @depth: requests under way, at most HELPER_MAX_DEPTH
 * @read_pct: of all requests; what is left over are writes
 * @discard_pct: of all requests
 * @flush_pct: of all requests
 * @fua_pct: of writes
 * @max_units: largest request
 * @read_slots: if not 0, so many of @depth are always reads, the others writes
 * @any_sector: requests begin and end anywhere, not at units
 * @units: part of the drive that is used, 0 for all
 * @check_every: check the drive's invariants after so many requests, 0: never
 */
struct helper_load {
	u64 seed;
	u32 nr;
	u32 depth;
	u32 read_pct;
	u32 discard_pct;
	u32 flush_pct;
	u32 fua_pct;
	u32 max_units;
	u32 read_slots;
	bool any_sector;
	u32 units;
	u32 check_every;
};

/* Run it; returns a digest of all latencies.  Fails if a request gets lost. */
u64 helper_run(struct ssdqos_flash *f, const struct helper_load *load);

#endif
