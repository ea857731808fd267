// SPDX-License-Identifier: GPL-2.0
/*
 * flush_ask.c - a flush is asked for, or has to begin again
 *
 * How it is done is flush.c.
 */
#include "internal.h"

/**
 * ssdqos_mirror_flush - somebody wants all that was published to be durable
 * @m: the mirror
 *
 * Context: any.
 * Return: a mark; it is so when ssdqos_mirror_flushed() is not below it.
 */
u64 ssdqos_mirror_flush(struct ssdqos_mirror *m)
{
	u64 mark = m->gen;

	m->stats.flushes++;
	if (m->cfg.durability == SSDQOS_MIRROR_VOLATILE &&
	    (!m->plain || m->turn != SSDQOS_MIRROR_TURN_ON))
		return 0;
	m->flush_wanted = mark;
	m->gen++;
	return mark;
}

/* What is being done begins anew, for all up to now. */
static void flush_anew(struct ssdqos_mirror *m)
{
	m->flush_active = m->flush_wanted;
	m->flush = SSDQOS_MIRROR_FLUSH_WRITE;
	m->urgent_region = SSDQOS_NIL;
}

/**
 * mirror_flush_again - a member has failed: what it had and others lack has to be sent
 * @m: the mirror
 */
void mirror_flush_again(struct ssdqos_mirror *m)
{
	m->flush_wanted = m->gen++;
	if (m->flush == SSDQOS_MIRROR_FLUSH_NONE)
		return;
	flush_anew(m);
}

/**
 * mirror_flush_without_map - the metadata can't be written: all have to have it
 * @m: the mirror
 *
 * What the flush is for may have been written again since: all up to now have to.
 */
void mirror_flush_without_map(struct ssdqos_mirror *m)
{
	if (m->flush == SSDQOS_MIRROR_FLUSH_NONE)
		return;
	m->flush_wanted = m->gen++;
	m->flush_all = true;
	flush_anew(m);
}
