// SPDX-License-Identifier: GPL-2.0
/*
 * left.c - what is left of a drive's life, in bytes of its endurance
 */
#include "internal.h"

/* More than any drive can take: a bound that keeps sums in 63 bits. */
#define LEFT_MAX_LEFT_BYTES (1ULL << 61)

/* Does the policy spread what is left over the rest of the life? */
static bool left_is_spread(const struct ssdqos_ready *r)
{
	return ready_plans(r) && !ready_is_over(r);
}

/* What all cycles that the cells have without rest write, in parts of the flash. */
static u64 left_turns_fp(const struct ssdqos_ready *r)
{
	u64 flash = ready_counts_host(r) ? ready_flash_of(r, r->endurance_bytes) :
					   r->endurance_bytes;

	return ready_part_fp(flash, r->capacity_bytes);
}

/*
 * ready_cells_left - what may be written until the cells are worn out
 * @r: the drive
 *
 * With recovery, if the model has any, whether the policy counts on it or not.
 */
u64 ready_cells_left(const struct ssdqos_ready *r)
{
	const struct ssdqos_recovery *c = &r->recovery;
	u64 part_fp;

	if (r->cfg.drive_recovery == SSDQOS_RECOVERY_NONE)
		return r->endurance_bytes - min(r->endurance_bytes,
						r->used_bytes);
	part_fp = left_is_spread(r) ?
		ssdqos_recovery_left_even_fp(c, ready_target_ns(r) - r->life_ns,
					     left_turns_fp(r)) :
		ssdqos_recovery_left_fp(c);
	part_fp = ready_part_fp(part_fp, (u64)SSDQOS_RECOVERY_CYCLES
					 << SSDQOS_FP_SHIFT);
	/* an exabyte, with cells that rest, would not fit */
	if (r->endurance_bytes && part_fp >> SSDQOS_FP_SHIFT >=
	    div64_u64(LEFT_MAX_LEFT_BYTES, r->endurance_bytes))
		return LEFT_MAX_LEFT_BYTES;
	return ssdqos_fp_mul(r->endurance_bytes, part_fp);
}

/**
 * ssdqos_ready_left_bytes - what may be written until the drive is worn out
 * @r: the drive
 *
 * With recovery if the policy counts on it.
 * Context: caller serialises; some ten microseconds.
 * Return: bytes of the endurance.
 */
u64 ssdqos_ready_left_bytes(const struct ssdqos_ready *r)
{
	if (ready_recovers(r))
		return ready_cells_left(r);
	return r->endurance_bytes - min(r->endurance_bytes, r->used_bytes);
}

/*
 * ready_horizon_left - what is left, but for what never stops
 */
u64 ready_horizon_left(const struct ssdqos_ready *r)
{
	u64 left = ready_left_to_share(r);

	return left - min(left, r->epoch.used_bytes);
}
