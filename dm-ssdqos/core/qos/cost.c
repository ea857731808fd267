// SPDX-License-Identifier: GPL-2.0
/*
 * cost.c - look up in a profile what requests cost
 */
#include "profile.h"

#define PCT 100u

/**
 * ssdqos_profile_window - which measured window holds for a promise
 * @p: the profile
 * @window_ms: granularity of the promise
 *
 * Return: index of the longest window that is not longer, -ENOENT if all are.
 */
int ssdqos_profile_window(const struct ssdqos_profile *p, u64 window_ms)
{
	int i = (int)p->nr_windows - 1;

	while (i >= 0 && p->window_ms[i] > window_ms)
		i--;
	return i < 0 ? -ENOENT : i;
}

/* From which side a depth is looked for. */
enum profile_side {
	PROFILE_BELOW,	/* the largest that is not above, else the smallest */
	PROFILE_ABOVE,	/* the smallest that is not below, else the largest */
};

/* Is a depth on the other side than it should be? */
static bool profile_is_beyond(u64 depth, u64 wanted, enum profile_side side)
{
	return side == PROFILE_BELOW ? depth > wanted : depth < wanted;
}

/* Is @a a better choice than @b for what was asked?  Confidences: the smallest
 * that is not below, else the largest.
 */
static bool profile_better(const struct ssdqos_profile_row *a,
			   const struct ssdqos_profile_row *b,
			   const struct ssdqos_cost_key *key,
			   enum profile_side side)
{
	bool a_beyond = profile_is_beyond(a->depth, key->depth, side);
	bool b_beyond = profile_is_beyond(b->depth, key->depth, side);
	bool a_low = a->confidence_permille < key->confidence_permille;
	bool b_low = b->confidence_permille < key->confidence_permille;

	if (a_beyond != b_beyond)
		return b_beyond;
	if (a->depth != b->depth)
		return a_beyond == ((a->depth < b->depth) ==
				    (side == PROFILE_BELOW));
	if (a_low != b_low)
		return b_low;
	return a_low == (a->confidence_permille > b->confidence_permille) &&
	       a->confidence_permille != b->confidence_permille;
}

/* The best row of each size of a class, NULL where there is none. */
static void profile_rows_of(const struct ssdqos_profile *p, u32 op, u32 pattern,
			    const struct ssdqos_cost_key *key,
			    enum profile_side side,
			    const struct ssdqos_profile_row **best)
{
	u32 i, size;

	memset(best, 0, SSDQOS_COST_NR_SIZES * sizeof(*best));
	for (i = 0; i < p->nr_rows; i++) {
		const struct ssdqos_profile_row *row = &p->rows[i];

		if (row->op != op || row->pattern != pattern)
			continue;
		size = (u32)fls64(row->bytes) - 1 - SSDQOS_COST_MIN_SHIFT;
		if (!best[size] || profile_better(row, best[size], key, side))
			best[size] = row;
	}
}

/* A request has to be charged something: where nothing can be promised, it is
 * what longer windows say.
 */
static u32 profile_charge(const struct ssdqos_profile *p, const u32 *ns,
			  u32 window)
{
	while (ns[window] == SSDQOS_COST_NONE && window + 1 < p->nr_windows)
		window++;
	return ns[window];
}

/* Requests in a time that is long enough for a rate to be exact. */
#define PROFILE_RATE_NS 100000000000000ULL

/* Cost at a depth below all that were measured, rounded up: the rate is on a
 * straight line to none at all with no requests.
 */
static u32 profile_below(u64 low, u32 low_ns, u64 depth)
{
	u64 ns = div64_u64(low_ns * low + depth - 1, depth);

	return low_ns == SSDQOS_COST_NONE || ns >= SSDQOS_COST_NONE ?
		       SSDQOS_COST_NONE : (u32)ns;
}

/* Cost at a depth, between two that were measured rounded up; what can't be
 * promised spreads.  It is the rate that grows with the depth, and less from
 * one request to the next, so that a straight line promises less than there is.
 */
static u32 profile_at_depth(u64 low, u32 low_ns, u64 high, u32 high_ns,
			    u64 depth)
{
	u64 rate;

	if (low > depth)
		return profile_below(low, low_ns, depth);
	if (low >= high)
		return low_ns;
	if (low_ns == SSDQOS_COST_NONE || high_ns == SSDQOS_COST_NONE)
		return SSDQOS_COST_NONE;
	rate = div64_u64(PROFILE_RATE_NS, low_ns) * (high - depth) +
	       div64_u64(PROFILE_RATE_NS, high_ns) * (depth - low);
	return (u32)div64_u64(PROFILE_RATE_NS + div64_u64(rate, high - low) - 1,
			      div64_u64(rate, high - low));
}

/* Cost of a size between two, rounded down; what can't be promised spreads. */
static u32 profile_between(u64 low_bytes, u32 low_ns, u64 high_bytes,
			   u32 high_ns, u64 bytes)
{
	s64 rise = (s64)high_ns - (s64)low_ns;
	u64 part = bytes - low_bytes, whole = high_bytes - low_bytes;

	if (low_ns == SSDQOS_COST_NONE || high_ns == SSDQOS_COST_NONE)
		return SSDQOS_COST_NONE;
	if (rise >= 0)
		return low_ns + (u32)div64_u64((u64)rise * part, whole);
	return low_ns - (u32)div64_u64((u64)-rise * part + whole - 1, whole);
}

/* Above the largest measured size, cost goes with the size. */
static u32 profile_beyond(u32 ns, u32 from, u32 to)
{
	u64 more = (u64)ns << (to - from);

	return ns == SSDQOS_COST_NONE || more >= SSDQOS_COST_NONE ?
		       SSDQOS_COST_NONE : (u32)more;
}

static u32 profile_row_ns(const struct ssdqos_profile *p,
			  const struct ssdqos_profile_row *row, u32 window,
			  bool promise)
{
	return promise ? row->ns[window] : profile_charge(p, row->ns, window);
}

/* Costs of one class by size, as measured; false if the profile has none. */
static bool profile_measured(const struct ssdqos_profile *p, u32 op,
			     u32 pattern, const struct ssdqos_cost_key *key,
			     bool promise, u32 *ns)
{
	const struct ssdqos_profile_row *row[SSDQOS_COST_NR_SIZES];
	const struct ssdqos_profile_row *above[SSDQOS_COST_NR_SIZES];
	int w = ssdqos_profile_window(p, key->window_ms);
	u32 window = w < 0 ? 0 : (u32)w;
	u32 i, j, last = SSDQOS_NIL;

	profile_rows_of(p, op, pattern, key, PROFILE_BELOW, row);
	profile_rows_of(p, op, pattern, key, PROFILE_ABOVE, above);
	for (i = 0; i < SSDQOS_COST_NR_SIZES; i++) {
		if (!row[i])
			continue;
		ns[i] = profile_at_depth(row[i]->depth,
					 profile_row_ns(p, row[i], window, promise),
					 above[i]->depth,
					 profile_row_ns(p, above[i], window, promise),
					 key->depth);
		for (j = last == SSDQOS_NIL ? 0 : last + 1; j < i; j++)
			ns[j] = last == SSDQOS_NIL ? ns[i] :
				profile_between(1ULL << last, ns[last],
						1ULL << i, ns[i], 1ULL << j);
		last = i;
	}
	if (last == SSDQOS_NIL)
		return false;
	for (j = last + 1; j < SSDQOS_COST_NR_SIZES; j++)
		ns[j] = profile_beyond(ns[last], last, j);
	return true;
}

/* Likewise; a class that was not measured takes the other pattern's costs. */
static bool profile_class(const struct ssdqos_profile *p, u32 op, u32 pattern,
			  const struct ssdqos_cost_key *key, bool promise,
			  u32 *ns)
{
	return profile_measured(p, op, pattern, key, promise, ns) ||
	       profile_measured(p, op, !pattern, key, promise, ns);
}

/* Without a profile requests need costs all the same, to be weighed against
 * each other: those of a middling SATA drive, 20 us and 250 MB/s.
 */
#define DEFAULT_BASE_NS 20000u
#define DEFAULT_NS_PER_KIB 4000u
/* ... and its flushes take 0.5 to 5 ms, in which it does little else. */
#define DEFAULT_FLUSH_NS 1000000u

static u32 profile_default_ns(u32 size)
{
	u64 kib = (u64)SSDQOS_QOS_MIN_BYTES << size >> 10;

	return (u32)(DEFAULT_BASE_NS + kib * DEFAULT_NS_PER_KIB);
}

static void profile_defaults(struct ssdqos_cost_table *table)
{
	u32 op, pattern, i;

	for (op = 0; op < SSDQOS_QOS_NR_OPS; op++)
		for (pattern = 0; pattern < SSDQOS_QOS_NR_PATTERNS; pattern++)
			for (i = 0; i < SSDQOS_COST_NR_SIZES; i++)
				table->ns[op][pattern][i] =
					profile_default_ns(i);
	table->flush_ns = DEFAULT_FLUSH_NS;
}

/* Confidences: the smallest that is not below what was asked, else the largest;
 * windows as with costs.
 */
static u32 profile_flush_ns(const struct ssdqos_profile *p,
			    const struct ssdqos_cost_key *key)
{
	int w = ssdqos_profile_window(p, key->window_ms);
	u32 i = 0, ns;

	if (!p->nr_flushes)
		return DEFAULT_FLUSH_NS;
	while (i + 1 < p->nr_flushes &&
	       p->flush[i].confidence_permille < key->confidence_permille)
		i++;
	ns = profile_charge(p, p->flush[i].ns, w < 0 ? 0 : (u32)w);
	return ns == SSDQOS_COST_NONE ? DEFAULT_FLUSH_NS : ns;
}

/**
 * ssdqos_profile_costs - what requests are charged, by class and size
 * @p: the profile, or NULL for costs that serve for comparing requests
 * @key: window, confidence and depth
 * @table: gets the costs
 *
 * A class that was not measured takes the other pattern's costs.
 * Context: any; some thousand steps.
 */
void ssdqos_profile_costs(const struct ssdqos_profile *p,
			  const struct ssdqos_cost_key *key,
			  struct ssdqos_cost_table *table)
{
	u32 op, pattern;

	profile_defaults(table);
	if (!p)
		return;
	for (op = 0; op < SSDQOS_QOS_NR_OPS; op++)
		for (pattern = 0; pattern < SSDQOS_QOS_NR_PATTERNS; pattern++)
			profile_class(p, op, pattern, key, false,
				      table->ns[op][pattern]);
	table->flush_ns = profile_flush_ns(p, key);
}

/* Above the largest size of all, too, cost goes with the size. */
static u32 profile_larger(u32 ns, u32 bytes)
{
	u64 more = div64_u64((u64)ns * bytes, SSDQOS_QOS_MAX_BYTES);

	return ns == SSDQOS_COST_NONE ?
		       ns : (u32)min_t(u64, more, SSDQOS_COST_NONE - 1);
}

/* Cost of a size, from the costs of one class. */
static u32 profile_lookup(const u32 *ns, u32 bytes)
{
	u32 i, low;

	if (bytes <= SSDQOS_QOS_MIN_BYTES)
		return ns[0];
	if (bytes >= SSDQOS_QOS_MAX_BYTES)
		return profile_larger(ns[SSDQOS_COST_NR_SIZES - 1], bytes);
	i = (u32)fls64(bytes) - 1 - SSDQOS_COST_MIN_SHIFT;
	low = SSDQOS_QOS_MIN_BYTES << i;
	if (bytes == low)
		return ns[i];
	return profile_between(low, ns[i], (u64)low * 2, ns[i + 1], bytes);
}

/**
 * ssdqos_profile_promise - what a request costs that is promised
 * @p: the profile
 * @key: window, confidence and depth
 * @op: enum ssdqos_qos_op
 * @pattern: enum ssdqos_qos_pattern
 * @bytes: size
 *
 * A class that was not measured takes the other pattern's costs.
 * Context: any; a step for each row of the profile.
 * Return: ns of device time; SSDQOS_COST_NONE if nothing can be promised.
 */
u32 ssdqos_profile_promise(const struct ssdqos_profile *p,
			   const struct ssdqos_cost_key *key, u32 op,
			   u32 pattern, u32 bytes)
{
	u32 ns[SSDQOS_COST_NR_SIZES];

	if (ssdqos_profile_window(p, key->window_ms) < 0 ||
	    !profile_class(p, op, pattern, key, true, ns))
		return SSDQOS_COST_NONE;
	return profile_lookup(ns, bytes);
}

/* A row has a part in the cost. */
static void source_add(struct ssdqos_cost_source *source,
		       const struct ssdqos_profile_row *row)
{
	source->depth = min_t(u32, source->depth, row->depth);
	source->depth_to = max_t(u32, source->depth_to, row->depth);
	source->confidence_permille = min_t(u32, source->confidence_permille,
					    row->confidence_permille);
}

/* The measured sizes around one; false if there is none. */
static bool source_sizes(const struct ssdqos_profile_row **row, u32 bytes,
			 u32 *low, u32 *high)
{
	u32 i, last = SSDQOS_NIL;

	*low = SSDQOS_NIL;
	*high = SSDQOS_NIL;
	for (i = 0; i < SSDQOS_COST_NR_SIZES; i++) {
		if (!row[i])
			continue;
		last = i;
		if (*low == SSDQOS_NIL || row[i]->bytes <= bytes)
			*low = i;
		if (*high == SSDQOS_NIL && row[i]->bytes >= bytes)
			*high = i;
	}
	if (*high == SSDQOS_NIL)
		*high = last;
	return last != SSDQOS_NIL;
}

/**
 * ssdqos_profile_source - from which rows the cost of a promise comes
 * @p: the profile
 * @key: window, confidence and depth
 * @op: enum ssdqos_qos_op
 * @pattern: enum ssdqos_qos_pattern
 * @bytes: size
 * @source: filled if there is such a cost
 *
 * Context: any; some steps for each row of the profile.
 * Return: whether ssdqos_profile_promise() has rows for it.
 */
bool ssdqos_profile_source(const struct ssdqos_profile *p,
			   const struct ssdqos_cost_key *key, u32 op,
			   u32 pattern, u32 bytes,
			   struct ssdqos_cost_source *source)
{
	const struct ssdqos_profile_row *row[SSDQOS_COST_NR_SIZES];
	const struct ssdqos_profile_row *above[SSDQOS_COST_NR_SIZES];
	int w = ssdqos_profile_window(p, key->window_ms);
	u32 low, high;

	if (w < 0)
		return false;
	profile_rows_of(p, op, pattern, key, PROFILE_BELOW, row);
	if (!source_sizes(row, bytes, &low, &high)) {
		pattern = !pattern;
		profile_rows_of(p, op, pattern, key, PROFILE_BELOW, row);
		if (!source_sizes(row, bytes, &low, &high))
			return false;
	}
	profile_rows_of(p, op, pattern, key, PROFILE_ABOVE, above);
	*source = (struct ssdqos_cost_source){
		.pattern = pattern,
		.bytes = row[low]->bytes,
		.bytes_to = row[high]->bytes,
		.window_ms = p->window_ms[w],
		.depth = row[low]->depth,
		.confidence_permille = row[low]->confidence_permille,
	};
	source_add(source, row[low]);
	source_add(source, above[low]);
	source_add(source, row[high]);
	source_add(source, above[high]);
	return true;
}

/**
 * ssdqos_cost_lookup - what a request is charged
 * @t: the costs
 * @op: enum ssdqos_qos_op
 * @pattern: enum ssdqos_qos_pattern
 * @bytes: size
 *
 * Return: ns of device time; SSDQOS_COST_NONE where no window of the
 * profile has a cost.
 */
u32 ssdqos_cost_lookup(const struct ssdqos_cost_table *t, u32 op, u32 pattern,
		       u32 bytes)
{
	return profile_lookup(t->ns[op][pattern], bytes);
}

/**
 * ssdqos_profile_has_discards - were discards measured?
 * @p: the profile, or NULL
 */
bool ssdqos_profile_has_discards(const struct ssdqos_profile *p)
{
	return p && (p->nr_discards[SSDQOS_QOS_SEQ] ||
		     p->nr_discards[SSDQOS_QOS_RAND]);
}

/**
 * ssdqos_profile_discard_ns - what a discard is charged
 * @p: the profile; it has discards
 * @pattern: enum ssdqos_qos_pattern
 * @bytes: size
 *
 * An order that was not measured takes the other one's costs.  Between two sizes
 * the cost is on a line, below the smallest it is the smallest's, above the
 * largest it goes with the size.
 * Context: any; a step for each size.
 * Return: ns of device time.
 */
u32 ssdqos_profile_discard_ns(const struct ssdqos_profile *p, u32 pattern,
			      u64 bytes)
{
	const struct ssdqos_profile_discard *row;
	u32 nr, i = 0;

	if (!p->nr_discards[pattern])
		pattern = !pattern;
	row = p->discard[pattern];
	nr = p->nr_discards[pattern];
	while (i < nr && row[i].bytes < bytes)
		i++;
	if (!i)
		return row[0].ns;
	if (i < nr)
		return profile_between(row[i - 1].bytes, row[i - 1].ns,
				       row[i].bytes, row[i].ns, bytes);
	bytes = div64_u64(min_t(u64, bytes, SSDQOS_COST_NONE) * row[nr - 1].ns,
			  row[nr - 1].bytes);
	return (u32)min(bytes, SSDQOS_COST_NONE - 1ULL);
}
