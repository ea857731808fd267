// SPDX-License-Identifier: GPL-2.0
#include "formats.h"

const struct convert_format *const convert_formats[] = {
	&convert_blkparse,
	&convert_fio_iolog,
	&convert_msr,
	&convert_spc,
	&convert_mqsim,
	&convert_csv,
};

const size_t nr_convert_formats = SIM_ARRAY_SIZE(convert_formats);

const struct convert_format *convert_find_format(const char *name)
{
	for (size_t i = 0; i < nr_convert_formats; i++)
		if (!strcmp(convert_formats[i]->name, name))
			return convert_formats[i];
	return NULL;
}
