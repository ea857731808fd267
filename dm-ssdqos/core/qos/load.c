// SPDX-License-Identifier: GPL-2.0
/*
 * load.c - what guarantees take together
 *
 * Whoever has no guarantee may write with the time that is kept for all of
 * them, and a drive that writes is slower for reads, in some windows much.  So
 * guarantees of reads are reckoned beside that many writes, and those of writes
 * beside that many reads, which some drives lose a third for.  All share the
 * drive's bad moments: the highest confidence and the smallest depth that was
 * promised say what a mixture costs, and the worst of the windows.  That need not
 * be the shortest one: what its single costs have taken into account already is not
 * in its mixtures, and others may lack just that.
 *
 * A client with few requests at a time can't use whatever time is left: it waits
 * for a read whose part of the flash is busy with a write, or is being emptied.
 * Beside writes that take the part w of the device time its reads are slower by
 * b(w), as the profile says for that depth and for their size, so its part u is
 * promised only if
 *
 *	u x b(w) <= 1
 *
 * and whoever wants to write more has to leave that so.  Who has as many requests
 * at a time as the drive gets uses whatever time is left: not asked.
 *
 * In w, owners of writes count with an eighth more than they own: so much they may be
 * granted, to bear a stop of the drive (lead.c).  That takes nobody's device time, but
 * it is not time that such reads wait for.
 */
#include "internal.h"

/* As fine as the profile says what mixtures cost. */
#define LOAD_GRAIN_PPM (SSDQOS_QOS_PPM / SSDQOS_MIX_PCT)
/* A lead begins with an eighth of the window. */
#define LOAD_GRANT_DIVISOR 8

/*
 * edf_load_init - nothing is promised
 */
void edf_load_init(struct ssdqos_edf_load *l,
		   const struct ssdqos_qos_drive_config *drive)
{
	*l = (struct ssdqos_edf_load){
		.effort_ppm = drive->drive_best_effort_permille *
			      (SSDQOS_QOS_PPM / SSDQOS_QOS_PERMILLE),
		.key = {
			.window_ms = SSDQOS_QOS_MAX_WINDOW_MS,
			.depth = drive->drive_queue_depth,
		},
		.drive_depth = drive->drive_queue_depth,
	};
}

/* Clients are sorted by the powers of two of their depths. */
static u32 load_class(u64 depth)
{
	u32 class = 0;

	while (class + 1 < SSDQOS_LOAD_DEPTHS && depth >> (class + 1))
		class++;
	return class;
}

/* ... and their sizes likewise, rounded up. */
static u32 load_size(u64 bytes)
{
	u32 size = 0;

	while (size + 1 < SSDQOS_LOAD_SIZES &&
	       bytes > (u64)SSDQOS_LOAD_MIN_BYTES << size)
		size++;
	return size;
}

static void load_add_read(struct ssdqos_edf_load *l,
			  const struct ssdqos_qos_stream_config *c, u64 util_ppm)
{
	u32 *largest = &l->read_ppm[load_class(c->iodepth)]
				   [load_size(c->block_bytes)];

	if (c->iodepth && c->iodepth < l->drive_depth)
		*largest = max(*largest, (u32)util_ppm);
}

/*
 * edf_load_add - a guarantee more
 */
void edf_load_add(struct ssdqos_edf_load *l,
		  const struct ssdqos_qos_stream_config *c, u64 util_ppm)
{
	struct ssdqos_cost_key *key = &l->key;

	if (!util_ppm)
		return;
	l->util_ppm[c->op] += util_ppm;
	key->window_ms = min(key->window_ms, c->window_ms);
	key->longest_ms = max(key->longest_ms, c->window_ms);
	key->confidence_permille = max(key->confidence_permille,
				       c->confidence_permille);
	if (c->iodepth)
		key->depth = min(key->depth, c->iodepth);
	if (c->op == SSDQOS_QOS_READ)
		load_add_read(l, c, util_ppm);
}

/*
 * edf_load_of - the guarantees of a drive's streams, but for one
 * @edf: the drive
 * @self: that one, or NULL
 * @drive: the drive's parameters, as they are going to be
 * @l: gets them
 */
void edf_load_of(const struct ssdqos_edf *edf,
		 const struct ssdqos_edf_stream *self,
		 const struct ssdqos_qos_drive_config *drive,
		 struct ssdqos_edf_load *l)
{
	const struct ssdqos_edf_stream *s;

	edf_load_init(l, drive);
	for (s = edf->streams; s; s = s->next)
		if (s != self)
			edf_load_add(l, &s->cfg, s->util_ppm);
}

/*
 * edf_load_mix_permille - the profile's correction for the mixture
 */
u32 edf_load_mix_permille(const struct ssdqos_profile *p,
			  const struct ssdqos_edf_load *l)
{
	u64 read_ppm = l->util_ppm[SSDQOS_QOS_READ];
	u64 write_ppm = l->util_ppm[SSDQOS_QOS_WRITE];

	if (!read_ppm && !write_ppm)
		return SSDQOS_QOS_PERMILLE;
	return max(ssdqos_profile_mix_permille(p, &l->key, read_ppm,
					       write_ppm + l->effort_ppm),
		   ssdqos_profile_mix_permille(p, &l->key,
					       read_ppm + l->effort_ppm,
					       write_ppm));
}

/* Corrected for a mixture. */
static u64 load_corrected(u64 ppm, u32 permille)
{
	return div64_u64(ppm * permille + SSDQOS_QOS_PERMILLE - 1,
			 SSDQOS_QOS_PERMILLE);
}

/* Takes in what the reads of one class of depths and sizes take beside writes. */
static void load_beside_class(const struct ssdqos_profile *p,
			      const struct ssdqos_edf_load *l, u32 class,
			      u32 size, u64 most_ppm[SSDQOS_MIX_PCT + 1])
{
	struct ssdqos_cost_key key = l->key;
	struct ssdqos_mix_curve curve;
	u32 pct;
	u64 ppm;

	key.depth = 1ULL << class;
	ssdqos_profile_beside_curve(p, &key, SSDQOS_LOAD_MIN_BYTES << size,
				    &curve);
	for (pct = 0; pct <= SSDQOS_MIX_PCT; pct++) {
		ppm = load_corrected(l->read_ppm[class][size],
				     curve.permille[pct]);
		most_ppm[pct] = max(most_ppm[pct], ppm);
	}
}

/* For each part of writes, the most that a client's reads take beside it. */
static void load_beside(const struct ssdqos_profile *p,
			const struct ssdqos_edf_load *l,
			u64 most_ppm[SSDQOS_MIX_PCT + 1])
{
	u32 class, size;

	memset(most_ppm, 0, (SSDQOS_MIX_PCT + 1) * sizeof(most_ppm[0]));
	if (!p || !p->nr_beside)
		return;
	for (class = 0; class < SSDQOS_LOAD_DEPTHS; class++)
		for (size = 0; size < SSDQOS_LOAD_SIZES; size++)
			if (l->read_ppm[class][size])
				load_beside_class(p, l, class, size, most_ppm);
}

/* What owners of writes may have, with what they are granted. */
static u64 load_granted_ppm(const struct ssdqos_edf_load *l)
{
	u64 own_ppm = l->util_ppm[SSDQOS_QOS_WRITE];

	return own_ppm + own_ppm / LOAD_GRANT_DIVISOR;
}

static u64 load_write_pct(u64 write_ppm)
{
	return min_t(u64, div64_u64(write_ppm + LOAD_GRAIN_PPM - 1,
				    LOAD_GRAIN_PPM), SSDQOS_MIX_PCT);
}

/*
 * edf_load_used - device time of guarantees together, corrected for that
 */
u64 edf_load_used(const struct ssdqos_profile *p,
		  const struct ssdqos_edf_load *l)
{
	u64 write_ppm = l->util_ppm[SSDQOS_QOS_WRITE] + l->effort_ppm;
	u64 sum = l->util_ppm[SSDQOS_QOS_READ] + write_ppm;
	u64 all = load_corrected(sum, edf_load_mix_permille(p, l));
	u64 most_ppm[SSDQOS_MIX_PCT + 1];

	load_beside(p, l, most_ppm);
	all = max(all, most_ppm[load_write_pct(load_granted_ppm(l) +
					       l->effort_ppm)]);
	return all > l->effort_ppm ? all - l->effort_ppm : 0;
}

/*
 * edf_load_room_ppm - how much writes fit besides
 *
 * What a mixture costs goes up and down with its parts, so each hundredth is
 * tried, the most first: some hundred steps, and one for each mixture of the
 * profile.
 */
u64 edf_load_room_ppm(const struct ssdqos_profile *p,
		      const struct ssdqos_edf_load *l)
{
	u64 write_ppm = l->util_ppm[SSDQOS_QOS_WRITE];
	u64 sum = l->util_ppm[SSDQOS_QOS_READ] + write_ppm;
	u64 most_ppm[SSDQOS_MIX_PCT + 1];
	struct ssdqos_mix_curve curve;
	u64 room = SSDQOS_QOS_PPM, pct;

	ssdqos_profile_mix_curve(p, &l->key, &curve);
	load_beside(p, l, most_ppm);
	for (; room; room -= LOAD_GRAIN_PPM) {
		pct = div64_u64(SSDQOS_MIX_PCT * (write_ppm + room), sum + room);
		if (load_corrected(sum + room, curve.permille[pct]) <=
			    SSDQOS_QOS_PPM &&
		    most_ppm[load_write_pct(load_granted_ppm(l) + room)] <=
			    SSDQOS_QOS_PPM)
			break;
	}
	return room;
}
