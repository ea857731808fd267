// SPDX-License-Identifier: GPL-2.0
/*
 * turn.c - which planes may empty a block at a time
 *
 * Planes that must not empty blocks at one time are a *domain*:
 *
 *	rotate			planes of a group, over which stripes go: one parity
 *				can stand for one plane (ttFlash, section 4.4)
 *	gc_blocking channel	planes of a channel, which one command loop holds
 *	gc_blocking controller	all planes
 *
 * with gc_blocking preemptive, planes of a channel that have gc_hard_blocks free or fewer.
 * Elsewhere planes have no domain, and nobody waits.
 *
 *	(wants to empty a block) -> turn is free -> HOLDER -> (block is empty) -> free
 *	          |                                                                |
 *	          +-> WANTING -> (next one behind the last holder) <---------------+
 *
 * Collection, scrubbing and wear levelling of a plane share its turn.  With rotate on, a
 * plane that has nothing for the host but what collection needs goes ahead:
 * *overridden*, and reads may then meet two planes of a group.  Forced, it waits; the
 * holder always ends, so the host waits longer, but not for ever.
 *
 * Who gets the next turn is settled when the event ends (event.c).
 */
#include "tasks.h"
#include "../../engine/bits.h"

static void turn_log(struct ssdqos_flash *f, enum ssdqos_flash_event event,
		     u32 plane, u32 holder)
{
	struct ssdqos_flash_record rec = {
		.time_ns = f->now_ns,
		.event = (u8)event,
		.task = SSDQOS_TASK_GC,
		.units = (u16)min_t(u32, f->planes[plane].nr_free, 0xffff),
		.plane = plane,
		.page = holder,
	};

	if (flash_log_wants(f, event))
		flash_log_write(f, &rec);
}

static u32 turn_domain(const struct ssdqos_flash *f, u32 plane)
{
	if (f->cfg.gc_ideal)
		return SSDQOS_NIL;
	if (f->cfg.rotate && f->geo.stripe_units)
		return plane / f->geo.stripe_units;
	switch (f->cfg.gc_blocking) {
	case SSDQOS_FLASH_GC_BLOCKS_PREEMPTIVE:
		if (f->planes[plane].nr_free > f->cfg.gc_hard_blocks)
			return SSDQOS_NIL;
		fallthrough;
	case SSDQOS_FLASH_GC_BLOCKS_CHANNEL:
		return plane % f->geo.channels;
	case SSDQOS_FLASH_GC_BLOCKS_CONTROLLER:
		return 0;
	default:
		return SSDQOS_NIL;
	}
}

/* The plane behind @after that waits for a turn of the domain; SSDQOS_NIL: none. */
static u32 turn_next_wanting(const struct ssdqos_flash *f, u32 domain, u32 after)
{
	u32 nr = f->geo.nr_planes, first = SSDQOS_NIL, plane = after;

	for (;;) {
		plane = flash_bits_next(f->turns.wanting, NULL, nr,
					plane + 1 == nr ? 0 : plane + 1);
		if (plane == SSDQOS_NIL || turn_domain(f, plane) == domain)
			return plane;
		if (plane == first)
			return SSDQOS_NIL;
		if (first == SSDQOS_NIL)
			first = plane;
	}
}

static void turn_give(struct ssdqos_flash *f, u32 plane, u32 domain)
{
	f->turns.holder[domain] = plane;
	f->turns.of[plane] = domain;
}

static bool turn_is_free(const struct ssdqos_flash *f, u32 domain)
{
	return f->turns.holder[domain] == SSDQOS_NIL &&
	       turn_next_wanting(f, domain, f->turns.last[domain]) == SSDQOS_NIL;
}

static bool turn_is_overridden(struct ssdqos_flash *f, u32 plane, u32 domain)
{
	if (f->cfg.rotate != SSDQOS_FLASH_ROTATE_ON ||
	    f->planes[plane].nr_free > FLASH_GC_RESERVE_BLOCKS)
		return false;
	f->stats.turns_overridden++;
	turn_log(f, SSDQOS_FLASH_EV_TURN_OVERRIDDEN, plane,
		 f->turns.holder[domain]);
	return true;
}

static bool turn_may_begin(struct ssdqos_flash *f, u32 plane)
{
	u32 domain = turn_domain(f, plane);

	if (domain == SSDQOS_NIL || f->holds[plane].emptying ||
	    f->turns.of[plane] != SSDQOS_NIL)
		return true;
	if (turn_is_free(f, domain)) {
		turn_give(f, plane, domain);
		return true;
	}
	return turn_is_overridden(f, plane, domain);
}

/* May the plane empty a block now?  If not, it is asked again when it is its turn. */
bool flash_turn_take(struct ssdqos_flash *f, u32 plane)
{
	if (turn_may_begin(f, plane)) {
		flash_bits_assign(f->turns.wanting, plane, false);
		return true;
	}
	if (flash_bits_assign(f->turns.wanting, plane, true)) {
		f->stats.turns_refused++;
		turn_log(f, SSDQOS_FLASH_EV_TURN_REFUSED, plane,
			 f->turns.holder[turn_domain(f, plane)]);
	}
	return false;
}

/* The plane's block is empty, or was given up, or it wants to empty none after all.  While it is
 * asked, each of its tasks may say so, and the turn stays for the next one.
 */
void flash_turn_put(struct ssdqos_flash *f, u32 plane)
{
	u32 domain = f->turns.of[plane];

	if (domain == SSDQOS_NIL || f->holds[plane].emptying || f->turns.offered == plane)
		return;
	f->turns.of[plane] = SSDQOS_NIL;
	f->turns.holder[domain] = SSDQOS_NIL;
	f->turns.last[domain] = plane;
	flash_bits_assign(f->turns.due, domain, true);
	f->marks.turns_put = true;
	f->marks.any = true;
}

/* A plane that was given the turn for which it waited, and is to be asked until
 * flash_turn_asked(); SSDQOS_NIL if there is none.
 */
u32 flash_turn_next(struct ssdqos_flash *f)
{
	u32 nr = f->geo.nr_planes, domain, plane;

	while ((domain = flash_bits_next(f->turns.due, NULL, nr, 0)) != SSDQOS_NIL) {
		flash_bits_assign(f->turns.due, domain, false);
		if (f->turns.holder[domain] != SSDQOS_NIL)
			continue;
		plane = turn_next_wanting(f, domain, f->turns.last[domain]);
		if (plane == SSDQOS_NIL)
			continue;
		flash_bits_assign(f->turns.wanting, plane, false);
		turn_give(f, plane, domain);
		f->turns.offered = plane;
		return plane;
	}
	return SSDQOS_NIL;
}

/* All of its tasks were asked. */
void flash_turn_asked(struct ssdqos_flash *f, u32 plane)
{
	f->turns.offered = SSDQOS_NIL;
	flash_turn_put(f, plane);
}

/* Who takes turns with whom has changed: all who wait are to ask again. */
void flash_turns_tune(struct ssdqos_flash *f)
{
	u32 i;

	for (i = 0; i < f->geo.nr_planes; i++)
		flash_bits_assign(f->turns.wanting, i, false);
}

int flash_turns_create(struct ssdqos_flash *f)
{
	u32 nr = f->geo.nr_planes, i;
	u64 words = flash_bits_words(nr);

	f->turns.holder = ssdqos_env_alloc((u64)nr * sizeof(u32));
	f->turns.last = ssdqos_env_alloc((u64)nr * sizeof(u32));
	f->turns.of = ssdqos_env_alloc((u64)nr * sizeof(u32));
	f->turns.wanting = ssdqos_env_alloc(words * sizeof(long));
	f->turns.due = ssdqos_env_alloc(words * sizeof(long));
	if (!f->turns.holder || !f->turns.last || !f->turns.of ||
	    !f->turns.wanting || !f->turns.due)
		return -ENOMEM;
	f->memory_bytes += 3 * nr * sizeof(u32) + 2 * words * sizeof(long);
	f->turns.offered = SSDQOS_NIL;
	for (i = 0; i < nr; i++) {
		f->turns.holder[i] = SSDQOS_NIL;
		f->turns.of[i] = SSDQOS_NIL;
	}
	return 0;
}

void flash_turns_destroy(struct ssdqos_flash *f)
{
	ssdqos_env_free(f->turns.due);
	ssdqos_env_free(f->turns.wanting);
	ssdqos_env_free(f->turns.of);
	ssdqos_env_free(f->turns.last);
	ssdqos_env_free(f->turns.holder);
}
