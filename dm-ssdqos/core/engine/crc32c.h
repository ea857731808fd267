/* SPDX-License-Identifier: GPL-2.0 */
/*
 * crc32c.h - checksum that finds every error of up to 32 bits in a row
 */
#ifndef SSDQOS_CORE_CRC32C_H
#define SSDQOS_CORE_CRC32C_H

#include "../env.h"

u32 ssdqos_crc32c(const void *data, u64 bytes);

#endif /* SSDQOS_CORE_CRC32C_H */
