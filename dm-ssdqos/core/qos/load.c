// SPDX-License-Identifier: GPL-2.0
/*
 * load.c - what guarantees take together
 *
 * Whoever has no guarantee may write with the time that is kept for all of
 * them, and a drive that writes is slower for reads, in some windows much.  So
 * guarantees of reads are reckoned beside that many writes.  All share the
 * drive's bad moments: the shortest window, the highest confidence and the
 * smallest depth that was promised say what a mixture costs.
 */
#include "internal.h"

/* As fine as the profile says what mixtures cost. */
#define LOAD_GRAIN_PPM (SSDQOS_QOS_PPM / SSDQOS_MIX_PCT)

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
	};
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
	key->confidence_permille = max(key->confidence_permille,
				       c->confidence_permille);
	if (c->iodepth)
		key->depth = min(key->depth, c->iodepth);
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
	return ssdqos_profile_mix_permille(p, &l->key, read_ppm,
					   write_ppm + l->effort_ppm);
}

/* Corrected for a mixture. */
static u64 load_corrected(u64 ppm, u32 permille)
{
	return div64_u64(ppm * permille + SSDQOS_QOS_PERMILLE - 1,
			 SSDQOS_QOS_PERMILLE);
}

/*
 * edf_load_used - device time of guarantees together, corrected for that
 */
u64 edf_load_used(const struct ssdqos_profile *p,
		  const struct ssdqos_edf_load *l)
{
	u64 sum = l->util_ppm[SSDQOS_QOS_READ] + l->util_ppm[SSDQOS_QOS_WRITE];
	u64 all = load_corrected(sum + l->effort_ppm,
				 edf_load_mix_permille(p, l));

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
	struct ssdqos_mix_curve curve;
	u64 room = SSDQOS_QOS_PPM, pct;

	ssdqos_profile_mix_curve(p, &l->key, &curve);
	for (; room; room -= LOAD_GRAIN_PPM) {
		pct = div64_u64(SSDQOS_MIX_PCT * (write_ppm + room), sum + room);
		if (load_corrected(sum + room, curve.permille[pct]) <=
		    SSDQOS_QOS_PPM)
			break;
	}
	return room;
}
