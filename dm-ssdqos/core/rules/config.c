// SPDX-License-Identifier: GPL-2.0
/*
 * config.c - parameter rows of streams and drives
 */
#include "config.h"

static const char *const qos_ops[] = { "read", "write", NULL };
static const char *const qos_patterns[] = { "rand", "seq", NULL };
static const char *const qos_windows[] = { "aligned", "sliding", NULL };
static const char *const qos_modes[] = { "work_conserving", "strict", NULL };
static const char *const qos_switches[] = { "off", "on", NULL };
static const char *const qos_policies[] = {
	"none", "static", "dynamic", "ready_pes", "ready_opt", "horizon",
	NULL
};

static const char *const qos_recoveries[] = { "none", "stated", "fitted", NULL };
static const char *const qos_trims[] = { "pass", "batch", NULL };
static const char *const qos_delay_ats[] = { "completion", "submission", NULL };

const struct ssdqos_param ssdqos_qos_params[SSDQOS_QOS_NR_PARAMS] = {
#define P(name, ...) \
	SSDQOS_PARAM_ROW(SSDQOS_QOS_P_##name, #name, __VA_ARGS__)
	SSDQOS_QOS_STREAM_PARAMS(P)
	SSDQOS_QOS_DRIVE_PARAMS(P)
#undef P
};

/**
 * ssdqos_qos_config_init - take the defaults
 * @cfg: gets the values; nothing counts as given
 */
void ssdqos_qos_config_init(struct ssdqos_qos_config *cfg)
{
	u32 i;

	for (i = 0; i < SSDQOS_QOS_NR_PARAMS; i++)
		*ssdqos_qos_config_value(cfg, i) = ssdqos_qos_params[i].def;
	cfg->given = 0;
}

/**
 * ssdqos_qos_config_set - set one parameter by name
 * @cfg: changed on success only
 * @key: its name
 * @value: its value as text
 * @err: gets one sentence on failure
 * @err_size: its size
 *
 * Return: enum ssdqos_qos_param, -ENOENT for an unknown key, -EINVAL for a
 * value out of range.
 */
int ssdqos_qos_config_set(struct ssdqos_qos_config *cfg, const char *key,
			  const char *value, char *err, u32 err_size)
{
	u64 number;
	int i = ssdqos_param_set(ssdqos_qos_params, SSDQOS_QOS_NR_PARAMS,
				 "ssdqos", key, value, &number, err, err_size);

	if (i < 0)
		return i;
	*ssdqos_qos_config_value(cfg, (u32)i) = number;
	cfg->given |= 1ULL << i;
	return i;
}

/**
 * ssdqos_qos_config_check - check what concerns more than one parameter
 * @cfg: the configuration; each value is in its own range
 * @err: gets one sentence on failure
 * @err_size: its size
 *
 * Return: 0 or -EINVAL.
 */
int ssdqos_qos_config_check(const struct ssdqos_qos_config *cfg, char *err,
			    u32 err_size)
{
	const struct ssdqos_qos_stream_config *s = &cfg->stream;
	const struct ssdqos_qos_drive_config *d = &cfg->drive;

	if (!!s->min_iops + !!s->min_mb_s + !!s->util_ppm > 1)
		scnprintf(err, err_size,
			  "min_iops, min_mb_s, util_ppm: only one of them can be the guarantee, the others have to be 0");
	else if (s->max_iops && s->min_iops > s->max_iops)
		scnprintf(err, err_size,
			  "min_iops: '%llu' is more than max_iops (%llu)",
			  s->min_iops, s->max_iops);
	else if (s->max_mb_s && s->min_mb_s > s->max_mb_s)
		scnprintf(err, err_size,
			  "min_mb_s: '%llu' is more than max_mb_s (%llu)",
			  s->min_mb_s, s->max_mb_s);
	else if (d->drive_throttle && !d->drive_endurance_gb &&
		 !d->drive_pe_cycles)
		scnprintf(err, err_size,
			  "drive_throttle: '%s' needs drive_endurance_gb or drive_pe_cycles",
			  qos_policies[d->drive_throttle]);
	else if (d->drive_endurance_gb && d->drive_pe_cycles)
		scnprintf(err, err_size,
			  "drive_endurance_gb, drive_pe_cycles: only one of them can be the endurance, the other has to be 0");
	else if (d->drive_trim_min_kib > d->drive_trim_max_kib)
		scnprintf(err, err_size,
			  "drive_trim_min_kib: '%llu' is more than drive_trim_max_kib (%llu)",
			  d->drive_trim_min_kib, d->drive_trim_max_kib);
	else
		return 0;
	return -EINVAL;
}
