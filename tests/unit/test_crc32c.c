// SPDX-License-Identifier: GPL-2.0
/*
 * The checksum is the one of the standard, and finds what FNV by words did not.
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include <cmocka.h>

#include "../../dm-ssdqos/core/engine/crc32c.h"

/* RFC 3720, B.4, and the usual check value. */
static void it_is_that_of_the_standard(void **state)
{
	u8 data[32];
	u32 i;

	assert_int_equal(ssdqos_crc32c("123456789", 9), 0xe3069283);
	memset(data, 0, sizeof(data));
	assert_int_equal(ssdqos_crc32c(data, sizeof(data)), 0x8a9136aa);
	memset(data, 0xff, sizeof(data));
	assert_int_equal(ssdqos_crc32c(data, sizeof(data)), 0x62a8ab43);
	for (i = 0; i < sizeof(data); i++)
		data[i] = (u8)i;
	assert_int_equal(ssdqos_crc32c(data, sizeof(data)), 0x46dd794e);
	assert_int_equal(ssdqos_crc32c(data, 0), 0);
}

static void two_top_bits_do_not_cancel(void **state)
{
	static u8 data[4096];
	u32 was, i;

	for (i = 0; i < sizeof(data); i++)
		data[i] = (u8)(i * 7);
	was = ssdqos_crc32c(data, sizeof(data));
	for (i = 7; i + 8 < sizeof(data); i += 8) {
		data[i] ^= 0x80;
		data[i + 8] ^= 0x80;
		assert_int_not_equal(ssdqos_crc32c(data, sizeof(data)), was);
		data[i] ^= 0x80;
		data[i + 8] ^= 0x80;
	}
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(it_is_that_of_the_standard),
		cmocka_unit_test(two_top_bits_do_not_cancel),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
