// SPDX-License-Identifier: GPL-2.0
/*
 * floor.c - the rate that is always left to writes
 */
#include "internal.h"

/* The floor is that part of what the whole life would have a second: by it for
 * half of the life, an eighth of the endurance is lost.
 */
#define FLOOR_FLOOR_PART 4
/* Four pages a second: so an orderly shutdown ends on any drive. */
#define FLOOR_MIN_FLOOR_KB_S 16ULL
#define FLOOR_KB 1000
#define FLOOR_S_PER_H 3600

/* What the floor is by default: a part of what the whole life has a second, but
 * some pages a second on any drive.
 */
static u64 floor_default_kb_s(const struct ssdqos_ready *r)
{
	u64 seconds = r->cfg.drive_lifetime_h * FLOOR_S_PER_H * FLOOR_FLOOR_PART;
	u64 bytes_s = ready_counts_host(r) ? r->endurance_bytes :
		ready_share(r->endurance_bytes, READY_PERMILLE,
			    r->waf_permille);

	bytes_s = ssdqos_fp_mul(r->cfg.drive_time_scale * FLOOR_KB,
				ready_part_fp(div64_u64(bytes_s, FLOOR_KB * FLOOR_KB),
					      seconds));
	return max(bytes_s, FLOOR_MIN_FLOOR_KB_S);
}

/*
 * ready_floor_kb_s - the rate that is left to writes, by the caller's clock
 */
u64 ready_floor_kb_s(const struct ssdqos_ready *r)
{
	return r->cfg.drive_floor_kb_s ? r->cfg.drive_floor_kb_s :
					 floor_default_kb_s(r);
}

/*
 * ready_floor_page_ns - time between two pages then
 */
u64 ready_floor_page_ns(const struct ssdqos_ready *r)
{
	return div64_u64(SSDQOS_READY_PAGE_BYTES * READY_NS_PER_MS,
			 ready_floor_kb_s(r));
}
