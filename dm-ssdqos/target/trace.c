// SPDX-License-Identifier: GPL-2.0
/*
 * trace.c - the trace events' code, and the way from records to events
 */
#define CREATE_TRACE_POINTS
#include "flash_trace.h"

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
	if (trace_ssdqos_flash_gc_decided_enabled())
		mask |= BIT(SSDQOS_FLASH_EV_GC_STARTED) |
			BIT(SSDQOS_FLASH_EV_GC_VICTIM_CHOSEN) |
			BIT(SSDQOS_FLASH_EV_GC_NO_VICTIM) |
			BIT(SSDQOS_FLASH_EV_GC_STOPPED);
	if (trace_ssdqos_flash_write_stalled_enabled())
		mask |= BIT(SSDQOS_FLASH_EV_WRITE_STALLED);
	if (trace_ssdqos_flash_write_resumed_enabled())
		mask |= BIT(SSDQOS_FLASH_EV_WRITE_RESUMED);
	return mask;
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
	case SSDQOS_FLASH_EV_WRITE_STALLED:
		trace_ssdqos_flash_write_stalled(dev, rec);
		break;
	case SSDQOS_FLASH_EV_WRITE_RESUMED:
		trace_ssdqos_flash_write_resumed(dev, rec);
		break;
	default:
		trace_ssdqos_flash_gc_decided(dev, rec);
	}
}
