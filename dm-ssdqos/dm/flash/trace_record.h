/* SPDX-License-Identifier: GPL-2.0 */
/*
 * trace_record.h - from the model's records to trace events
 */
#ifndef SSDQOS_FLASH_TRACE_RECORD_H
#define SSDQOS_FLASH_TRACE_RECORD_H

#include "trace.h"

u32 ssdqos_flash_trace_mask(void);
void ssdqos_flash_trace_record(dev_t dev,
			       const struct ssdqos_flash_record *rec);

#endif /* SSDQOS_FLASH_TRACE_RECORD_H */
