// SPDX-License-Identifier: GPL-2.0
/*
 * config.c - parameter rows of mirrors
 */
#include "config.h"

static const char *const mirror_durabilities[] = {
	"strict", "journal", "volatile", NULL
};

static const char *const mirror_switches[] = { "off", "on", NULL };

const struct ssdqos_param ssdqos_mirror_params[SSDQOS_MIRROR_NR_PARAMS] = {
#define P(name, ...) \
	SSDQOS_PARAM_ROW(SSDQOS_MIRROR_P_##name, #name, __VA_ARGS__)
	SSDQOS_MIRROR_PARAMS(P)
#undef P
};

static_assert(sizeof(struct ssdqos_mirror_config) ==
	      SSDQOS_MIRROR_NR_PARAMS * sizeof(u64));

/**
 * ssdqos_mirror_config_init - take the defaults
 * @cfg: gets the values
 */
void ssdqos_mirror_config_init(struct ssdqos_mirror_config *cfg)
{
	u32 i;

	for (i = 0; i < SSDQOS_MIRROR_NR_PARAMS; i++)
		*ssdqos_mirror_config_value(cfg, i) = ssdqos_mirror_params[i].def;
}

/**
 * ssdqos_mirror_config_set - set one parameter by name
 * @cfg: changed on success only
 * @key: its name
 * @value: its value as text
 * @err: gets one sentence on failure
 * @err_size: its size
 *
 * Return: enum ssdqos_mirror_param, -ENOENT for an unknown key, -EINVAL for a value out
 * of range.
 */
int ssdqos_mirror_config_set(struct ssdqos_mirror_config *cfg, const char *key,
			     const char *value, char *err, u32 err_size)
{
	u64 number;
	int i = ssdqos_param_set(ssdqos_mirror_params, SSDQOS_MIRROR_NR_PARAMS,
				 "ssdqos-ianus", key, value, &number, err,
				 err_size);

	if (i >= 0)
		*ssdqos_mirror_config_value(cfg, (u32)i) = number;
	return i;
}

/**
 * ssdqos_mirror_config_check - check what concerns more than one parameter
 * @cfg: the configuration; each value is in its own range
 * @members: how many there are
 * @err: gets one sentence on failure
 * @err_size: its size
 *
 * Return: 0 or -EINVAL.
 */
int ssdqos_mirror_config_check(const struct ssdqos_mirror_config *cfg,
			       u32 members, char *err, u32 err_size)
{
	if (cfg->region_kib & (cfg->region_kib - 1))
		scnprintf(err, err_size,
			  "region_kib: '%llu' is not a power of two",
			  cfg->region_kib);
	else if (cfg->writers >= members)
		scnprintf(err, err_size,
			  "writers: '%llu' leaves none of the %u members to read from",
			  cfg->writers, members);
	else if (cfg->idle_ms >= cfg->switch_ms)
		scnprintf(err, err_size,
			  "idle_ms: '%llu' has to be less than switch_ms (%llu)",
			  cfg->idle_ms, cfg->switch_ms);
	else
		return 0;
	return -EINVAL;
}
