// SPDX-License-Identifier: GPL-2.0
#include "verify.h"

#include <string.h>

#include "../common/clock.h"

static const char *const verify_words[] = { [VERIFY_OFF] = "off", [VERIFY_ON] = "on" };

int option_verify(const struct option_row *row, const char *value, void *field,
		  struct sim_error *error)
{
	for (u32 when = VERIFY_OFF; when < SIM_ARRAY_SIZE(verify_words); when++)
		if (!strcmp(value, verify_words[when])) {
			*(enum verify_when *)field = when;
			return 0;
		}
	return sim_error_set(error, "--%s: '%s' is neither on nor off", row->name, value);
}

bool verify_is_wanted(const struct ssdqos_flash *drive, enum verify_when when)
{
	u64 bytes = (u64)ssdqos_flash_geo(drive)->nr_lpn << SSDQOS_UNIT_SHIFT;

	return when == VERIFY_ON || (when == VERIFY_BY_SIZE && bytes <= VERIFY_MAX_BYTES);
}

void verify_drive(const struct ssdqos_flash *drive, enum verify_when when, struct verify *verify)
{
	u64 begin_ns = clock_cpu_ns();

	memset(verify, 0, sizeof(*verify));
	if (!verify_is_wanted(drive, when))
		return;
	ssdqos_flash_check(drive, verify->broken, sizeof(verify->broken));
	verify->done = true;
	verify->cpu_ns = clock_cpu_ns() - begin_ns;
}
