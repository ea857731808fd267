// SPDX-License-Identifier: GPL-2.0
/*
 * trace.c - the trace events' code, and the way from records to events
 */
#define CREATE_TRACE_POINTS
#include "trace_record.h"

/**
 * ssdqos_flash_trace_mask - what the model shall record
 *
 * Static branches: next to nothing while tracing is off.
 *
 * Return: bits of enum ssdqos_flash_event of which somebody listens.
 */
u32 ssdqos_flash_trace_mask(void)
{
	u32 mask = 0;

	if (trace_ssdqos_flash_nand_started_enabled())
		mask |= BIT(SSDQOS_FLASH_EV_NAND_STARTED);
	if (trace_ssdqos_flash_nand_completed_enabled())
		mask |= BIT(SSDQOS_FLASH_EV_NAND_COMPLETED);
	if (trace_ssdqos_flash_nand_suspended_enabled())
		mask |= BIT(SSDQOS_FLASH_EV_NAND_SUSPENDED);
	if (trace_ssdqos_flash_nand_resumed_enabled())
		mask |= BIT(SSDQOS_FLASH_EV_NAND_RESUMED);
	if (trace_ssdqos_flash_gc_decided_enabled())
		mask |= BIT(SSDQOS_FLASH_EV_GC_STARTED) |
			BIT(SSDQOS_FLASH_EV_GC_VICTIM_CHOSEN) |
			BIT(SSDQOS_FLASH_EV_GC_NO_VICTIM) |
			BIT(SSDQOS_FLASH_EV_GC_STOPPED);
	if (trace_ssdqos_flash_write_stalled_enabled())
		mask |= BIT(SSDQOS_FLASH_EV_WRITE_STALLED);
	if (trace_ssdqos_flash_write_resumed_enabled())
		mask |= BIT(SSDQOS_FLASH_EV_WRITE_RESUMED);
	if (trace_ssdqos_flash_scrub_victim_chosen_enabled())
		mask |= BIT(SSDQOS_FLASH_EV_SCRUB_VICTIM_CHOSEN);
	if (trace_ssdqos_flash_wear_victim_chosen_enabled())
		mask |= BIT(SSDQOS_FLASH_EV_WEAR_VICTIM_CHOSEN);
	if (trace_ssdqos_flash_relocation_abandoned_enabled())
		mask |= BIT(SSDQOS_FLASH_EV_RELOCATION_ABANDONED);
	if (trace_ssdqos_flash_map_missed_enabled())
		mask |= BIT(SSDQOS_FLASH_EV_MAP_MISSED);
	if (trace_ssdqos_flash_read_reconstructed_enabled())
		mask |= BIT(SSDQOS_FLASH_EV_READ_RECONSTRUCTED);
	if (trace_ssdqos_flash_stripe_evicted_enabled())
		mask |= BIT(SSDQOS_FLASH_EV_STRIPE_EVICTED);
	if (trace_ssdqos_flash_stripe_shifted_enabled())
		mask |= BIT(SSDQOS_FLASH_EV_STRIPE_SHIFTED);
	if (trace_ssdqos_flash_read_blocked_enabled())
		mask |= BIT(SSDQOS_FLASH_EV_READ_BLOCKED);
	if (trace_ssdqos_flash_turn_refused_enabled())
		mask |= BIT(SSDQOS_FLASH_EV_TURN_REFUSED);
	if (trace_ssdqos_flash_turn_overridden_enabled())
		mask |= BIT(SSDQOS_FLASH_EV_TURN_OVERRIDDEN);
	if (trace_ssdqos_flash_block_verified_enabled())
		mask |= BIT(SSDQOS_FLASH_EV_BLOCK_VERIFIED);
	if (trace_ssdqos_flash_share_changed_enabled())
		mask |= BIT(SSDQOS_FLASH_EV_SHARE_CHANGED);
	if (trace_ssdqos_flash_op_lent_enabled())
		mask |= BIT(SSDQOS_FLASH_EV_OP_LENT);
	if (trace_ssdqos_flash_op_passed_enabled())
		mask |= BIT(SSDQOS_FLASH_EV_OP_PASSED);
	return mask;
}

/* Of what goes round collection, and of what it leaves; or a decision of it. */
static void trace_around_record(dev_t dev, const struct ssdqos_flash_record *rec)
{
	switch (rec->event) {
	case SSDQOS_FLASH_EV_READ_RECONSTRUCTED:
		trace_ssdqos_flash_read_reconstructed(dev, rec);
		break;
	case SSDQOS_FLASH_EV_READ_BLOCKED:
		trace_ssdqos_flash_read_blocked(dev, rec);
		break;
	case SSDQOS_FLASH_EV_TURN_REFUSED:
		trace_ssdqos_flash_turn_refused(dev, rec);
		break;
	case SSDQOS_FLASH_EV_TURN_OVERRIDDEN:
		trace_ssdqos_flash_turn_overridden(dev, rec);
		break;
	case SSDQOS_FLASH_EV_STRIPE_EVICTED:
		trace_ssdqos_flash_stripe_evicted(dev, rec);
		break;
	case SSDQOS_FLASH_EV_STRIPE_SHIFTED:
		trace_ssdqos_flash_stripe_shifted(dev, rec);
		break;
	case SSDQOS_FLASH_EV_BLOCK_VERIFIED:
		trace_ssdqos_flash_block_verified(dev, rec);
		break;
	default:
		trace_ssdqos_flash_gc_decided(dev, rec);
	}
}

/**
 * ssdqos_flash_trace_record - emit the event of a record
 * @dev: the mapped device
 * @rec: what the model did
 *
 * Context: any.
 */
void ssdqos_flash_trace_record(dev_t dev, const struct ssdqos_flash_record *rec)
{
	switch (rec->event) {
	case SSDQOS_FLASH_EV_NAND_STARTED:
		trace_ssdqos_flash_nand_started(dev, rec);
		break;
	case SSDQOS_FLASH_EV_NAND_COMPLETED:
		trace_ssdqos_flash_nand_completed(dev, rec);
		break;
	case SSDQOS_FLASH_EV_NAND_SUSPENDED:
		trace_ssdqos_flash_nand_suspended(dev, rec);
		break;
	case SSDQOS_FLASH_EV_NAND_RESUMED:
		trace_ssdqos_flash_nand_resumed(dev, rec);
		break;
	case SSDQOS_FLASH_EV_WRITE_STALLED:
		trace_ssdqos_flash_write_stalled(dev, rec);
		break;
	case SSDQOS_FLASH_EV_WRITE_RESUMED:
		trace_ssdqos_flash_write_resumed(dev, rec);
		break;
	case SSDQOS_FLASH_EV_SCRUB_VICTIM_CHOSEN:
		trace_ssdqos_flash_scrub_victim_chosen(dev, rec);
		break;
	case SSDQOS_FLASH_EV_WEAR_VICTIM_CHOSEN:
		trace_ssdqos_flash_wear_victim_chosen(dev, rec);
		break;
	case SSDQOS_FLASH_EV_RELOCATION_ABANDONED:
		trace_ssdqos_flash_relocation_abandoned(dev, rec);
		break;
	case SSDQOS_FLASH_EV_MAP_MISSED:
		trace_ssdqos_flash_map_missed(dev, rec);
		break;
	case SSDQOS_FLASH_EV_SHARE_CHANGED:
		trace_ssdqos_flash_share_changed(dev, rec);
		break;
	case SSDQOS_FLASH_EV_OP_LENT:
		trace_ssdqos_flash_op_lent(dev, rec);
		break;
	case SSDQOS_FLASH_EV_OP_PASSED:
		trace_ssdqos_flash_op_passed(dev, rec);
		break;
	default:
		trace_around_record(dev, rec);
	}
}
