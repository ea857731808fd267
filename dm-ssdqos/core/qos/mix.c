// SPDX-License-Identifier: GPL-2.0
/*
 * mix.c - look up in a profile what reads and writes together cost more
 *
 * Twice: what a mixture takes against its parts, by the part of writes in it
 * ("mixed"), and by how much reads of a client with few requests at a time get
 * slower beside a rate of others' writes ("beside").  Such a client waits for
 * its one read while the flash under it is written or erased, and however much
 * time the drive has left, it can't use it.  A large read needs more of the flash,
 * so these rows have sizes.
 */
#include "profile.h"

/* What can't be promised at all doesn't fit, whatever is asked for. */
#define MIX_NEVER_PERMILLE 1000000u

/* A mixture and what it costs. */
struct mix_point {
	u32 write_pct;
	u32 permille;
};

static u32 mix_between(const struct mix_point *low, const struct mix_point *high,
		       u32 pct)
{
	u64 whole = high->write_pct - low->write_pct, part = pct - low->write_pct;

	if (!part)
		return low->permille;
	if (low->permille == MIX_NEVER_PERMILLE ||
	    high->permille == MIX_NEVER_PERMILLE)
		return MIX_NEVER_PERMILLE;
	return (u32)div64_u64(low->permille * (whole - part) +
			      high->permille * part, whole);
}

/* ---- rows of mixtures by window ---- */

/* Is @a a better choice than @b?  Depths: the largest that is not above, else
 * the smallest; confidences: the smallest that is not below, else the largest.
 */
static bool mix_better(const struct ssdqos_profile_mixed *a,
		       const struct ssdqos_profile_mixed *b,
		       const struct ssdqos_cost_key *key)
{
	bool a_deep = a->depth > key->depth, b_deep = b->depth > key->depth;
	bool a_low = a->confidence_permille < key->confidence_permille;
	bool b_low = b->confidence_permille < key->confidence_permille;

	if (a_deep != b_deep)
		return b_deep;
	if (a->depth != b->depth)
		return a_deep == (a->depth < b->depth);
	if (a_low != b_low)
		return b_low;
	return a_low == (a->confidence_permille > b->confidence_permille);
}

/* Rows of one kind. */
struct mix_rows {
	const struct ssdqos_profile_mixed *row;
	u32 nr;
};

/* A row of the depth and the confidence that hold. */
static const struct ssdqos_profile_mixed *
mix_best(const struct mix_rows *rows, const struct ssdqos_cost_key *key)
{
	const struct ssdqos_profile_mixed *best = &rows->row[0];
	u32 i;

	for (i = 1; i < rows->nr; i++)
		if (mix_better(&rows->row[i], best, key))
			best = &rows->row[i];
	return best;
}

static bool mix_is_alike(const struct ssdqos_profile_mixed *a,
			 const struct ssdqos_profile_mixed *b)
{
	return a->depth == b->depth &&
	       a->confidence_permille == b->confidence_permille;
}

/* Is a row's size nearer than another one's?  Those that are not larger come first,
 * or those that are not smaller.
 */
static bool mix_is_nearer(u32 a, u32 b, u32 bytes, bool up)
{
	bool a_fits = up ? a >= bytes : a <= bytes;
	bool b_fits = up ? b >= bytes : b <= bytes;

	if (a_fits != b_fits)
		return a_fits;
	return max(a, bytes) - min(a, bytes) < max(b, bytes) - min(b, bytes);
}

/* Of rows of the best one's kind, one of the nearest size. */
static const struct ssdqos_profile_mixed *
mix_size(const struct mix_rows *rows, const struct ssdqos_profile_mixed *best,
	 u32 bytes, bool up)
{
	const struct ssdqos_profile_mixed *row, *found = best;
	u32 i;

	for (i = 0; i < rows->nr; i++) {
		row = &rows->row[i];
		if (mix_is_alike(row, best) &&
		    mix_is_nearer(row->bytes, found->bytes, bytes, up))
			found = row;
	}
	return found;
}

/* The worst of the windows from one column to another. */
static u32 mix_worst(const struct ssdqos_profile_mixed *row, u32 from, u32 to)
{
	u32 permille = 0, w;

	for (w = from; w <= to; w++)
		permille = max(permille, min(row->permille[w],
					     MIX_NEVER_PERMILLE));
	return permille;
}

/* The column of a window; the first one for those that are shorter. */
static u32 mix_column(const struct ssdqos_profile *p, u64 window_ms)
{
	int w = ssdqos_profile_window(p, window_ms);

	return w < 0 ? 0 : (u32)w;
}

/* The measured points of the best row's kind and size; 0 where there is none. */
static void mix_points(const struct ssdqos_profile *p,
		       const struct mix_rows *rows,
		       const struct ssdqos_cost_key *key,
		       const struct ssdqos_profile_mixed *best,
		       struct ssdqos_mix_curve *curve)
{
	const struct ssdqos_profile_mixed *row;
	u32 from = mix_column(p, key->window_ms);
	u32 to = max(from, mix_column(p, key->longest_ms));
	u32 i;

	memset(curve, 0, sizeof(*curve));
	curve->permille[0] = SSDQOS_QOS_PERMILLE;
	for (i = 0; i < rows->nr; i++) {
		row = &rows->row[i];
		if (mix_is_alike(row, best) && row->bytes == best->bytes)
			curve->permille[row->write_pct] =
				mix_worst(row, from, to);
	}
}

/* Between points as on a line; behind the last one as there. */
static void mix_fill(struct ssdqos_mix_curve *curve)
{
	struct mix_point low = { 0, curve->permille[0] }, high;
	u32 pct, i;

	for (pct = 1; pct <= SSDQOS_MIX_PCT; pct++) {
		if (!curve->permille[pct])
			continue;
		high = (struct mix_point){ pct, curve->permille[pct] };
		for (i = low.write_pct + 1; i < pct; i++)
			curve->permille[i] = mix_between(&low, &high, i);
		low = high;
	}
	for (i = low.write_pct + 1; i <= SSDQOS_MIX_PCT; i++)
		curve->permille[i] = low.permille;
}

/* Of the best row's kind and size. */
static void mix_line(const struct ssdqos_profile *p, const struct mix_rows *rows,
		     const struct ssdqos_cost_key *key,
		     const struct ssdqos_profile_mixed *best,
		     struct ssdqos_mix_curve *curve)
{
	mix_points(p, rows, key, best, curve);
	mix_fill(curve);
}

static void mix_flat(struct ssdqos_mix_curve *curve)
{
	u32 pct;

	for (pct = 0; pct <= SSDQOS_MIX_PCT; pct++)
		curve->permille[pct] = SSDQOS_QOS_PERMILLE;
}

static void mix_measured(const struct ssdqos_profile *p,
			 const struct ssdqos_cost_key *key,
			 struct ssdqos_mix_curve *curve)
{
	const struct mix_rows rows = { p->mixed, p->nr_mixed };

	mix_line(p, &rows, key, mix_best(&rows, key), curve);
	/* a few reads may cost as much as many: only writes alone are cheap */
	curve->permille[SSDQOS_MIX_PCT] = SSDQOS_QOS_PERMILLE;
}

/**
 * ssdqos_profile_beside_curve - how much slower reads are beside writes
 * @p: the profile, or NULL
 * @key: window, confidence and depth of the reads
 * @bytes: their size; between two that were measured the worse one counts
 * @curve: gets it, by what writes take of the device time, as permille of what
 *	reads cost alone; 1000 where it was not measured
 *
 * Context: any; some steps for each row of the profile, and some hundred.
 */
void ssdqos_profile_beside_curve(const struct ssdqos_profile *p,
				 const struct ssdqos_cost_key *key, u32 bytes,
				 struct ssdqos_mix_curve *curve)
{
	const struct ssdqos_profile_mixed *best, *small, *large;
	const struct mix_rows rows = { p ? p->beside : NULL,
				       p ? p->nr_beside : 0 };
	struct ssdqos_mix_curve other;
	u32 pct;

	if (!rows.nr) {
		mix_flat(curve);
		return;
	}
	best = mix_best(&rows, key);
	small = mix_size(&rows, best, bytes, false);
	large = mix_size(&rows, best, bytes, true);
	mix_line(p, &rows, key, small, curve);
	if (large->bytes == small->bytes)
		return;
	mix_line(p, &rows, key, large, &other);
	for (pct = 0; pct <= SSDQOS_MIX_PCT; pct++)
		curve->permille[pct] = max(curve->permille[pct],
					   other.permille[pct]);
}

/* ---- profiles without them have the mean of mixtures ---- */

static u32 mix_mean(const struct ssdqos_profile *p, u32 pct)
{
	struct mix_point low, high;
	u32 i;

	if (pct <= p->mix[0].write_pct)
		return p->mix[0].factor_permille;
	for (i = 1; i < p->nr_mixes; i++) {
		low = (struct mix_point){ p->mix[i - 1].write_pct,
					  p->mix[i - 1].factor_permille };
		high = (struct mix_point){ p->mix[i].write_pct,
					   p->mix[i].factor_permille };
		if (pct <= high.write_pct)
			return mix_between(&low, &high, pct);
	}
	return p->mix[p->nr_mixes - 1].factor_permille;
}

/**
 * ssdqos_profile_mix_curve - correction for reads and writes together
 * @p: the profile, or NULL
 * @key: window, confidence and depth
 * @curve: gets it, for each part of writes, as permille of the single costs
 *
 * Context: any; a step for each mixture of the profile, and some hundred.
 */
void ssdqos_profile_mix_curve(const struct ssdqos_profile *p,
			      const struct ssdqos_cost_key *key,
			      struct ssdqos_mix_curve *curve)
{
	u32 pct;

	if (p && p->nr_mixed) {
		mix_measured(p, key, curve);
		return;
	}
	for (pct = 0; pct <= SSDQOS_MIX_PCT; pct++)
		curve->permille[pct] = p && p->nr_mixes ?
			mix_mean(p, pct) : SSDQOS_QOS_PERMILLE;
}

/**
 * ssdqos_profile_mix_permille - likewise, for one part
 * @p: the profile, or NULL
 * @key: window, confidence and depth
 * @read_ppm: device time of the reads, by single costs
 * @write_ppm: likewise of the writes
 *
 * Context: as ssdqos_profile_mix_curve().
 * Return: permille of the single costs.
 */
u32 ssdqos_profile_mix_permille(const struct ssdqos_profile *p,
				const struct ssdqos_cost_key *key, u64 read_ppm,
				u64 write_ppm)
{
	u64 sum = read_ppm + write_ppm;
	struct ssdqos_mix_curve curve;

	if (!sum)
		return SSDQOS_QOS_PERMILLE;
	ssdqos_profile_mix_curve(p, key, &curve);
	return curve.permille[div64_u64(SSDQOS_MIX_PCT * write_ppm, sum)];
}
