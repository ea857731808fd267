// SPDX-License-Identifier: GPL-2.0
/*
 * print.c - a mirror's state, counters and parameters as text
 *
 * The status has all rows of print.h in one line, and sysfs a file for each.
 */
#include <linux/device-mapper.h>

#include "ianus.h"
#include "print.h"

#define IANUS_STATUS_VERSION 1

const char *const ianus_gauge_names[IANUS_NR_GAUGES] = {
#define G(name, ...) #name,
	IANUS_GAUGES(G)
#undef G
};

const char *const ianus_member_gauge_names[IANUS_NR_MEMBER_GAUGES] = {
#define G(name, ...) #name,
	IANUS_MEMBER_GAUGES(G)
#undef G
};

static const char *const ianus_member_keys[IANUS_NR_MEMBER_GAUGES] = {
#define G(name, key, ...) #key,
	IANUS_MEMBER_GAUGES(G)
#undef G
};

const char *const ianus_stat_names[] = {
#define S(name, ...) #name,
	SSDQOS_MIRROR_STATS(S)
#undef S
#define S(name, ...) "journal_" #name,
	SSDQOS_JOURNAL_STATS(S)
#undef S
	"journal_waits",
	"journal_replayed",
};

static_assert(ARRAY_SIZE(ianus_stat_names) == IANUS_NR_STATS);

/* Until the metadata were read nobody knows who has what.  A status may ask in that moment,
 * when another table is resumed, and who waits for all to be whole must not believe it.
 */
static const char ianus_unread[] = "unread";

static const char *ianus_journal_state(const struct ianus *x)
{
	if (!x->resumed)
		return ianus_unread;
	if (x->journal.flow.on)
		return "on";
	if (x->journal.dev)
		return "lost";
	return x->journal.absent ? "absent" : "none";
}

static const char *ianus_member_state(const struct ianus *x, u32 i)
{
	return x->resumed ? ssdqos_mirror_state_names[x->mirror.members[i].state] :
			    ianus_unread;
}

static u32 ianus_stale_regions(const struct ianus *x, u32 stale)
{
	return x->resumed ? stale : x->mirror.regions.nr;
}

/* What follows is called with the lock held. */

#define G(name, format, value)						\
	static int gauge_##name(const struct ianus *x, char *buf,	\
				unsigned int size)			\
	{								\
		return scnprintf(buf, size, format, value);		\
	}
IANUS_GAUGES(G)
#undef G

static int (*const print_gauge[IANUS_NR_GAUGES])(const struct ianus *x, char *buf,
						 unsigned int size) = {
#define G(name, ...) gauge_##name,
	IANUS_GAUGES(G)
#undef G
};

#define G(name, key, format, value)					\
	static int member_##name(const struct ianus *x, u32 i, char *buf, \
				 unsigned int size)			\
	{								\
		return scnprintf(buf, size, format, value);		\
	}
IANUS_MEMBER_GAUGES(G)
#undef G

static int (*const print_member[IANUS_NR_MEMBER_GAUGES])(const struct ianus *x, u32 i,
							 char *buf, unsigned int size) = {
#define G(name, ...) member_##name,
	IANUS_MEMBER_GAUGES(G)
#undef G
};

static void take_stats(const struct ianus *x, struct ianus_stats *stats)
{
	stats->mirror = x->mirror.stats;
	stats->journal = x->journal.flow.ring.stats;
	stats->journal_waits = x->journal.flow.waits;
	stats->journal_replayed = x->journal.replayed;
}

static unsigned int print_members(const struct ianus *x, char *result,
				  unsigned int maxlen)
{
	unsigned int sz = 0;
	u32 i, gauge;

	for (i = 0; i < x->nr; i++) {
		for (gauge = 0; gauge < IANUS_NR_MEMBER_GAUGES; gauge++) {
			DMEMIT(" %s%u=", ianus_member_keys[gauge], i);
			sz += print_member[gauge](x, i, result + sz,
						  maxlen - sz);
		}
	}
	return sz;
}

static unsigned int print_gauges(const struct ianus *x, char *result,
				 unsigned int maxlen)
{
	unsigned int sz = 0;
	u32 gauge;

	for (gauge = 0; gauge < IANUS_NR_GAUGES; gauge++) {
		DMEMIT(" %s=", ianus_gauge_names[gauge]);
		sz += print_gauge[gauge](x, result + sz, maxlen - sz);
	}
	return sz;
}

static unsigned int print_stats(const struct ianus *x, char *result,
				unsigned int maxlen)
{
	struct ianus_stats stats;
	unsigned int sz = 0;
	u32 stat;

	take_stats(x, &stats);
	for (stat = 0; stat < IANUS_NR_STATS; stat++)
		DMEMIT(" %s=%llu", ianus_stat_names[stat],
		       ((u64 *)&stats)[stat]);
	return sz;
}

/* From here on nobody has to hold it. */

/**
 * ianus_print_status - all that the status says, of one moment
 * @x: the mirror
 * @result: gets it
 * @maxlen: its size
 *
 * Context: process; takes the lock.
 * Return: its length.
 */
int ianus_print_status(struct ianus *x, char *result, unsigned int maxlen)
{
	unsigned int sz = 0;

	spin_lock_irq(&x->lock);
	DMEMIT("v=%u members=%u", IANUS_STATUS_VERSION, x->nr);
	sz += print_members(x, result + sz, maxlen - sz);
	sz += print_gauges(x, result + sz, maxlen - sz);
	sz += print_stats(x, result + sz, maxlen - sz);
	spin_unlock_irq(&x->lock);
	return sz;
}

/**
 * ianus_print_gauge - a row of IANUS_GAUGES
 * @x: the mirror
 * @gauge: enum ianus_gauge
 * @buf: gets it
 * @size: of @buf
 *
 * Context: process; takes the lock.
 * Return: its length.
 */
int ianus_print_gauge(struct ianus *x, u32 gauge, char *buf, unsigned int size)
{
	int len;

	spin_lock_irq(&x->lock);
	len = print_gauge[gauge](x, buf, size);
	spin_unlock_irq(&x->lock);
	return len;
}

/**
 * ianus_print_member - a row of IANUS_MEMBER_GAUGES
 * @x: the mirror
 * @member: one of its members
 * @gauge: enum ianus_member_gauge
 * @buf: gets it
 * @size: of @buf
 *
 * Context: process; takes the lock.
 * Return: its length.
 */
int ianus_print_member(struct ianus *x, u32 member, u32 gauge, char *buf,
		       unsigned int size)
{
	int len;

	spin_lock_irq(&x->lock);
	len = print_member[gauge](x, member, buf, size);
	spin_unlock_irq(&x->lock);
	return len;
}

/**
 * ianus_print_stat - a counter
 * @x: the mirror
 * @stat: index of it in struct ianus_stats
 * @buf: gets it
 * @size: of @buf
 *
 * Context: process; takes the lock.
 * Return: its length.
 */
int ianus_print_stat(struct ianus *x, u32 stat, char *buf, unsigned int size)
{
	struct ianus_stats stats;

	spin_lock_irq(&x->lock);
	take_stats(x, &stats);
	spin_unlock_irq(&x->lock);
	return scnprintf(buf, size, "%llu", ((u64 *)&stats)[stat]);
}

/**
 * ianus_print_param - a parameter, as in the table line
 * @x: the mirror
 * @param: enum ssdqos_mirror_param
 * @buf: gets it
 * @size: of @buf
 *
 * Context: process; takes the lock.
 * Return: its length.
 */
int ianus_print_param(struct ianus *x, u32 param, char *buf, unsigned int size)
{
	u64 value;

	spin_lock_irq(&x->lock);
	value = *ssdqos_mirror_config_value(&x->cfg, param);
	spin_unlock_irq(&x->lock);
	return ssdqos_param_format(&ssdqos_mirror_params[param], value, buf,
				   size);
}
