// SPDX-License-Identifier: GPL-2.0
/*
 * crc32c.c - checksum by the polynomial of Castagnoli (RFC 3720, B.4)
 *
 * By four bits at a time: a small table is enough for what is written once a
 * second, and both worlds get the same number without the kernel's library.
 */
#include "crc32c.h"

/* Remainders of the numbers of four bits, bits in reverse order. */
static const u32 crc32c_table[] = {
	0x00000000, 0x105ec76f, 0x20bd8ede, 0x30e349b1,
	0x417b1dbc, 0x5125dad3, 0x61c69362, 0x7198540d,
	0x82f63b78, 0x92a8fc17, 0xa24bb5a6, 0xb21572c9,
	0xc38d26c4, 0xd3d3e1ab, 0xe330a81a, 0xf36e6f75,
};

static u32 crc32c_four_bits(u32 crc)
{
	return crc >> 4 ^ crc32c_table[crc % ARRAY_SIZE(crc32c_table)];
}

/**
 * ssdqos_crc32c - checksum of memory
 * @data: what
 * @bytes: how much
 *
 * Context: any; five nanoseconds a byte.
 * Return: the checksum, as iSCSI and file systems have it.
 */
u32 ssdqos_crc32c(const void *data, u64 bytes)
{
	const u8 *from = data;
	u32 crc = ~0u;
	u64 i;

	for (i = 0; i < bytes; i++)
		crc = crc32c_four_bits(crc32c_four_bits(crc ^ from[i]));
	return ~crc;
}
