/* SPDX-License-Identifier: GPL-2.0 */
/*
 * param.h - one row per tunable
 *
 * A component keeps its parameters as a struct of u64 members and an array of
 * rows in the same order.  The table line, dmsetup message, sysfs, the
 * simulator's --set, --help and the documentation page are all made from the
 * rows, so there is no second list to forget.
 */
#ifndef SSDQOS_CORE_PARAM_H
#define SSDQOS_CORE_PARAM_H

#include "env.h"

/**
 * enum ssdqos_param_when - when a parameter may be set
 * @SSDQOS_PARAM_CREATE: only when the device is made
 * @SSDQOS_PARAM_LIVE: at any time
 */
enum ssdqos_param_when {
	SSDQOS_PARAM_CREATE,
	SSDQOS_PARAM_LIVE,
};

/**
 * struct ssdqos_param - one tunable
 * @name: key, with the unit as its last part where it has one
 * @unit: for people; "" for none
 * @min: smallest value
 * @max: largest value
 * @def: default (a preset may have another)
 * @when: enum ssdqos_param_when
 * @choices: names of the values 0, 1, ... (NULL-terminated), NULL for a number
 * @help: one sentence
 */
struct ssdqos_param {
	const char *name;
	const char *unit;
	u64 min;
	u64 max;
	u64 def;
	enum ssdqos_param_when when;
	const char *const *choices;
	const char *help;
};

/* A row of an x-macro, P(name, unit, ...), in an array of rows. */
#define SSDQOS_PARAM_ROW(number_, name_, unit_, min_, max_, def_, when_, choices_, help_) \
	[number_] = {							\
		.name = name_, .unit = unit_, .min = min_, .max = max_,	\
		.def = def_, .when = SSDQOS_PARAM_##when_,		\
		.choices = choices_, .help = help_,			\
	},

int ssdqos_param_find(const struct ssdqos_param *rows, u32 nr,
		      const char *name);
int ssdqos_param_parse(const struct ssdqos_param *row, const char *text,
		       u64 *value, char *err, u32 err_size);
int ssdqos_param_set(const struct ssdqos_param *rows, u32 nr, const char *owner,
		     const char *name, const char *text, u64 *value, char *err,
		     u32 err_size);
int ssdqos_param_format(const struct ssdqos_param *row, u64 value, char *buf,
			u32 size);

#endif /* SSDQOS_CORE_PARAM_H */
