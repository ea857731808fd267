// SPDX-License-Identifier: GPL-2.0
/*
 * discard.c - discards that some members have to do still
 *
 * They are in the order in which they came, each with the members that lack it, and go when
 * all have done it.  A discard is a hint, so members may differ where only some have done it;
 * nobody may count on what was discarded.  Not so if durability is volatile: what there was
 * at a moment had it still, so then a member does it where the metadata say that it differs,
 * like a write.
 */
#include "internal.h"

/**
 * ssdqos_mirror_discard - a discard comes
 * @m: the mirror
 * @block: the first block
 * @nr: blocks; no more than an instruction can say
 *
 * The caller may answer it.
 * Context: any.
 */
void ssdqos_mirror_discard(struct ssdqos_mirror *m, u64 block, u32 nr)
{
	m->stats.discards++;
	/* one that is about to come back gets what came before in any order */
	if (m->nr_discards == SSDQOS_MIRROR_MAX_DISCARDS || m->coming) {
		m->stats.discards_dropped++;
		return;
	}
	m->discards[m->nr_discards++] = (struct ssdqos_mirror_discard){
		.block = block, .nr = nr, .gen = m->gen++,
		.lacks = mirror_in(m),
	};
}

/**
 * mirror_discard_of - has a member to do a discard before it is written anything newer?
 * @m: the mirror
 * @bit: of the member
 *
 * Return: the first one, or NULL.
 */
struct ssdqos_mirror_discard *mirror_discard_of(struct ssdqos_mirror *m, u8 bit)
{
	u32 i;

	for (i = 0; i < m->nr_discards; i++)
		if (m->discards[i].lacks & bit)
			return &m->discards[i];
	return NULL;
}

/* Those that all have done go, in order. */
static void discards_drop(struct ssdqos_mirror *m)
{
	u32 done = 0, i;

	while (done < m->nr_discards && !m->discards[done].lacks)
		done++;
	m->nr_discards -= done;
	for (i = 0; done && i < m->nr_discards; i++)
		m->discards[i] = m->discards[i + done];
}

/**
 * mirror_discard_done - a member has done its first one
 * @m: the mirror
 * @bit: of the member
 */
void mirror_discard_done(struct ssdqos_mirror *m, u8 bit)
{
	struct ssdqos_mirror_discard *d = mirror_discard_of(m, bit);

	if (!d)
		return;
	d->lacks &= (u8)~bit;
	discards_drop(m);
}

/**
 * mirror_discards_lose - members have failed, and won't do what has been discarded
 * @m: the mirror
 * @members: a bit each
 */
void mirror_discards_lose(struct ssdqos_mirror *m, u8 members)
{
	u32 i;

	for (i = 0; i < m->nr_discards; i++)
		m->discards[i].lacks &= (u8)~members;
	discards_drop(m);
}
