// SPDX-License-Identifier: GPL-2.0
/*
 * ranges.c - a bounded set of sectors that wait to be discarded
 *
 * Ranges do not overlap; those of one area that touch are one.  They are in a
 * tree by their first sector, those that have enough whole granules of the drive
 * in another one, too, and in a list by age: what is merged is as old as the
 * oldest part of it.  Finding, adding and cutting one take O(log n).
 *
 * Memory is there from the begin: nothing is allocated where requests pass.  A
 * cut in the middle of a range needs a second one; where none is left, the
 * smaller part is forgotten and counted, since a discard is a hint.
 *
 * A discard of gigabytes may absorb each range there is, and zeroes cut as many.
 * One call looks at SSDQOS_RANGES_STEP of them and says how far it came, so that
 * the caller can let go of its lock in between.
 *
 * The caller serialises.
 */
#include "ranges.h"

static struct ssdqos_range *range_of(struct ssdqos_tree_node *node)
{
	return node ? container_of(node, struct ssdqos_range, node) : NULL;
}

static struct ssdqos_range *range_next(const struct ssdqos_range *x)
{
	return range_of(ssdqos_tree_next(&x->node));
}

/* ---- memory ---- */

static struct ssdqos_range *range_alloc(struct ssdqos_ranges *r)
{
	struct ssdqos_range *x = r->free;

	if (x) {
		r->free = x->younger;
		r->nr++;
	}
	return x;
}

static void range_free(struct ssdqos_ranges *r, struct ssdqos_range *x)
{
	x->younger = r->free;
	r->free = x;
	r->nr--;
}

/**
 * ssdqos_ranges_init - an empty set
 * @r: the set
 * @max: so many ranges at most, SSDQOS_RANGES_LEAST or more
 * @granule: sectors of the drive's granule, 1 or more
 * @align: first sector of any granule
 * @least: sectors in whole granules that make a range a large one
 *
 * Context: may sleep.
 * Return: 0 or -ENOMEM.
 */
int ssdqos_ranges_init(struct ssdqos_ranges *r, u32 max, u64 granule, u64 align,
		       u64 least)
{
	u32 i;

	*r = (struct ssdqos_ranges){
		.pool = ssdqos_env_alloc((u64)max * sizeof(r->pool[0])),
		.granule = granule,
		.align = align - div64_u64(align, granule) * granule,
		.least = max(granule, least),
		.max = max,
	};
	if (!r->pool)
		return -ENOMEM;
	ssdqos_tree_init(&r->all);
	ssdqos_tree_init(&r->large);
	for (i = max; i--;) {
		r->pool[i].younger = r->free;
		r->free = &r->pool[i];
	}
	return 0;
}

/**
 * ssdqos_ranges_exit - give the memory back
 * @r: the set; what is in it is forgotten
 *
 * Context: may sleep.
 */
void ssdqos_ranges_exit(struct ssdqos_ranges *r)
{
	ssdqos_env_free(r->pool);
	r->pool = NULL;
}

/* ---- granules ---- */

static u64 granule_up(const struct ssdqos_ranges *r, u64 sector)
{
	if (sector <= r->align)
		return r->align;
	return r->align + div64_u64(sector - r->align + r->granule - 1,
				    r->granule) * r->granule;
}

static u64 granule_down(const struct ssdqos_ranges *r, u64 sector)
{
	if (sector <= r->align)
		return 0;
	return r->align + div64_u64(sector - r->align, r->granule) * r->granule;
}

/**
 * ssdqos_ranges_granules - the whole granules in a range
 * @r: the set
 * @x: one of its ranges
 * @start: gets the first sector of them
 * @end: gets the one behind the last; not above @start if there is none
 *
 * Context: any.
 */
void ssdqos_ranges_granules(const struct ssdqos_ranges *r,
			    const struct ssdqos_range *x, u64 *start, u64 *end)
{
	*start = granule_up(r, ssdqos_range_start(x));
	*end = granule_down(r, x->end);
}

/* ---- trees and the list ---- */

static void range_attach(struct ssdqos_ranges *r, struct ssdqos_range *x,
			 u64 start, u64 end)
{
	u64 from, to;

	x->node.key = start;
	x->large.key = start;
	x->end = end;
	r->sectors += end - start;
	ssdqos_tree_insert(&r->all, &x->node);
	ssdqos_ranges_granules(r, x, &from, &to);
	x->is_large = from < to && to - from >= r->least;
	if (x->is_large)
		ssdqos_tree_insert(&r->large, &x->large);
}

static void range_detach(struct ssdqos_ranges *r, struct ssdqos_range *x)
{
	r->sectors -= x->end - ssdqos_range_start(x);
	ssdqos_tree_erase(&r->all, &x->node);
	if (x->is_large)
		ssdqos_tree_erase(&r->large, &x->large);
}

/* Behind another one in the list; NULL is before the oldest. */
static void range_link(struct ssdqos_ranges *r, struct ssdqos_range *x,
		       struct ssdqos_range *older)
{
	struct ssdqos_range *younger = older ? older->younger : r->oldest;

	x->older = older;
	x->younger = younger;
	if (older)
		older->younger = x;
	else
		r->oldest = x;
	if (younger)
		younger->older = x;
	else
		r->youngest = x;
}

static void range_unlink(struct ssdqos_ranges *r, struct ssdqos_range *x)
{
	if (x->older)
		x->older->younger = x->younger;
	else
		r->oldest = x->younger;
	if (x->younger)
		x->younger->older = x->older;
	else
		r->youngest = x->older;
}

static void range_drop(struct ssdqos_ranges *r, struct ssdqos_range *x)
{
	range_unlink(r, x);
	range_free(r, x);
}

/* The first one that ends at a sector or behind it. */
static struct ssdqos_range *range_touching(const struct ssdqos_ranges *r,
					   u64 sector)
{
	struct ssdqos_tree_node *node = ssdqos_tree_from(&r->all, sector);
	struct ssdqos_range *before;

	before = range_of(node ? ssdqos_tree_prev(node) :
				 ssdqos_tree_last(&r->all));
	return before && before->end >= sector ? before : range_of(node);
}

/**
 * ssdqos_ranges_from - the first range that begins at a sector or behind it
 * @r: the set
 * @sector: the sector
 *
 * Context: any; O(log n).
 * Return: the range or NULL.
 */
struct ssdqos_range *ssdqos_ranges_from(const struct ssdqos_ranges *r,
					u64 sector)
{
	return range_of(ssdqos_tree_from(&r->all, sector));
}

/**
 * ssdqos_ranges_large_from - likewise, of the large ones
 * @r: the set
 * @sector: the sector
 *
 * Context: any; O(log n).
 * Return: the range or NULL.
 */
struct ssdqos_range *ssdqos_ranges_large_from(const struct ssdqos_ranges *r,
					      u64 sector)
{
	struct ssdqos_tree_node *node = ssdqos_tree_from(&r->large, sector);

	return node ? container_of(node, struct ssdqos_range, large) : NULL;
}

/* ---- out ---- */

/* What is right of a gap becomes a range of its own, as old as the left. */
static void range_split(struct ssdqos_ranges *r, struct ssdqos_range *left,
			u64 start, u64 end)
{
	struct ssdqos_range *right = range_alloc(r);

	right->since_ns = left->since_ns;
	right->area = left->area;
	range_link(r, right, left);
	range_attach(r, right, start, end);
}

/* Takes sectors out of a range that has some of them. */
static void range_carve(struct ssdqos_ranges *r, struct ssdqos_range *x,
			u64 start, u64 end)
{
	u64 first = ssdqos_range_start(x), last = x->end;
	u64 left = start > first ? start - first : 0;
	u64 right = end < last ? last - end : 0;

	range_detach(r, x);
	if (left && right && !r->free) {
		r->lost += min(left, right);
		if (left < right)
			left = 0;
		else
			right = 0;
	}
	if (!left && !right)
		range_drop(r, x);
	else if (left)
		range_attach(r, x, first, first + left);
	else
		range_attach(r, x, last - right, last);
	if (left && right)
		range_split(r, x, last - right, last);
}

/**
 * ssdqos_ranges_cut - take sectors out
 * @r: the set
 * @start: the first sector
 * @end: the one behind the last
 *
 * Context: any; looks at SSDQOS_RANGES_STEP ranges.
 * Return: up to where it came; if that is before @end, the rest is to be cut
 * by another call.
 */
u64 ssdqos_ranges_cut(struct ssdqos_ranges *r, u64 start, u64 end)
{
	struct ssdqos_range *x = range_touching(r, start), *next;
	u32 left = SSDQOS_RANGES_STEP;

	for (; x && ssdqos_range_start(x) < end; x = next) {
		if (!left--)
			return ssdqos_range_start(x);
		next = range_next(x);
		if (x->end > start)
			range_carve(r, x, start, end);
	}
	return end;
}

/* ---- in ---- */

/* Of two that become one, the older one stays; none is in the trees. */
static struct ssdqos_range *range_older(struct ssdqos_ranges *r,
					struct ssdqos_range *kept,
					struct ssdqos_range *x)
{
	if (!kept)
		return x;
	if (x->since_ns < kept->since_ns) {
		range_drop(r, kept);
		return x;
	}
	range_drop(r, x);
	return kept;
}

static struct ssdqos_range *range_new(struct ssdqos_ranges *r, u32 area,
				      u64 now_ns)
{
	struct ssdqos_range *x = range_alloc(r);

	x->area = area;
	x->since_ns = now_ns;
	range_link(r, x, r->youngest);
	return x;
}

/**
 * ssdqos_ranges_add - put sectors in
 * @r: the set
 * @area: whose they are; what another area has of them is taken from it
 * @start: the first sector
 * @end: the one behind the last, above @start
 * @now_ns: the time, not before that of the last call
 *
 * Context: any; looks at SSDQOS_RANGES_STEP ranges.
 * Return: up to where it came; if that is before @end, the rest is to be added by
 * another call.  @start: there is no memory.
 */
u64 ssdqos_ranges_add(struct ssdqos_ranges *r, u32 area, u64 start, u64 end,
		      u64 now_ns)
{
	struct ssdqos_range *x, *next, *kept = NULL;
	u64 first = start, last, until = end;
	u32 left = SSDQOS_RANGES_STEP;

	/* one is for the sectors, one for what another area has around them */
	if (r->nr + 2 > r->max)
		return start;
	x = range_touching(r, start);
	for (; x && ssdqos_range_start(x) <= end; x = next) {
		if (!left--) {
			until = ssdqos_range_start(x);
			break;
		}
		next = range_next(x);
		if (x->area == area) {
			first = min(first, ssdqos_range_start(x));
			until = max(until, x->end);
			range_detach(r, x);
			kept = range_older(r, kept, x);
		} else if (ssdqos_range_start(x) < end && x->end > start) {
			range_carve(r, x, start, end);
		}
	}
	last = until;
	if (!kept)
		kept = range_new(r, area, now_ns);
	range_attach(r, kept, first, last);
	return min(last, end);
}
