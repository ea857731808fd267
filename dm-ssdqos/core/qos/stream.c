// SPDX-License-Identifier: GPL-2.0
/*
 * stream.c - drives and their streams come and go
 */
#include "asking_way.h"

const char *const ssdqos_edf_stat_names[SSDQOS_EDF_NR_STATS] = {
#define S(name, ...) #name,
	SSDQOS_EDF_STATS(S)
#undef S
};

/* Costs for the stream's window and confidence. */
static void edf_recost(struct ssdqos_edf_stream *s)
{
	const struct ssdqos_cost_key key = edf_cost_key(&s->cfg, &s->edf->cfg);

	ssdqos_profile_costs(s->edf->profile, &key, &s->costs);
}

/**
 * ssdqos_edf_create - a drive without streams
 *
 * Context: may sleep.
 * Return: the drive, for ssdqos_edf_destroy(), or NULL.
 */
struct ssdqos_edf *ssdqos_edf_create(void)
{
	struct ssdqos_qos_config defaults;
	struct ssdqos_edf *edf;
	struct ssdqos_evq *heaps[4 + SSDQOS_EDF_NR_SPARES];
	u64 heap_bytes = ALIGN(ssdqos_evq_bytes(EDF_NR_IDS), sizeof(u64));
	u64 ids_bytes = SSDQOS_QOS_MAX_STREAMS * sizeof(*edf->by_id);
	u8 *mem;
	u32 i;

	mem = ssdqos_env_alloc(sizeof(*edf) + ids_bytes +
			       ARRAY_SIZE(heaps) * heap_bytes);
	if (!mem)
		return NULL;
	edf = (struct ssdqos_edf *)mem;
	mem += sizeof(*edf);
	edf->by_id = (struct ssdqos_edf_stream **)mem;
	mem += ids_bytes;
	heaps[0] = &edf->limited;
	heaps[1] = &edf->early;
	heaps[2] = &edf->ready;
	heaps[3] = &edf->effort;
	for (i = 0; i < SSDQOS_EDF_NR_SPARES; i++)
		heaps[4 + i] = &edf->spare[i];
	for (i = 0; i < ARRAY_SIZE(heaps); i++, mem += heap_bytes)
		ssdqos_evq_init(heaps[i], EDF_NR_IDS, mem);
	ssdqos_qos_config_init(&defaults);
	edf->cfg = defaults.drive;
	edf_pace_init(&edf->pace);
	edf_debt_init(&edf->debt);
	edf_share_rest(edf);
	return edf;
}

/**
 * ssdqos_edf_destroy - the drive is not needed any more
 * @edf: without streams; or NULL
 *
 * Context: may sleep.
 */
void ssdqos_edf_destroy(struct ssdqos_edf *edf)
{
	if (!edf)
		return;
	ssdqos_profile_free(edf->profile);
	ssdqos_env_free(edf);
}

/**
 * ssdqos_edf_add - a stream joins, without a guarantee
 * @edf: the drive
 * @s: zeroed memory of the caller
 * @now_ns: time
 * @err: gets one sentence on failure
 * @err_size: its size
 *
 * Context: caller serialises.
 * Return: 0, or -ENOSPC if the drive has all the streams that it may have.
 */
int ssdqos_edf_add(struct ssdqos_edf *edf, struct ssdqos_edf_stream *s,
		   u64 now_ns, char *err, u32 err_size)
{
	struct ssdqos_qos_config defaults;
	u32 id = 0;

	if (edf->nr_streams == SSDQOS_QOS_MAX_STREAMS) {
		scnprintf(err, err_size,
			  "the drive has %u streams already, and that is the most",
			  SSDQOS_QOS_MAX_STREAMS);
		return -ENOSPC;
	}
	while (edf->by_id[id])
		id++;
	s->edf = edf;
	s->id = id;
	s->spare = SSDQOS_EDF_NR_SPARES;
	s->next = edf->streams;
	edf->streams = s;
	edf->by_id[id] = s;
	edf->nr_streams++;
	memset(s->track, 0xff, sizeof(s->track));
	s->discard_track = ~0ULL;
	ssdqos_edf_reset_stats(s);
	ssdqos_qos_config_init(&defaults);
	s->cfg = defaults.stream;
	edf_asking_reckon(s);
	s->piece_bytes = SSDQOS_EDF_PIECE_BYTES;
	edf_recost(s);
	ssdqos_watch_promise(&s->watch, &(struct ssdqos_promise){ 0 }, now_ns);
	return 0;
}

/**
 * ssdqos_edf_remove - a stream leaves; its guarantee is free again
 * @s: nothing of it waits or is under way
 *
 * Context: caller serialises.
 */
void ssdqos_edf_remove(struct ssdqos_edf_stream *s)
{
	struct ssdqos_edf *edf = s->edf;
	struct ssdqos_edf_stream **link = &edf->streams;

	WARN_ON_ONCE(s->queued || s->in_flight);
	edf_forget(s);
	while (*link != s)
		link = &(*link)->next;
	*link = s->next;
	edf->by_id[s->id] = NULL;
	edf->nr_streams--;
}

/**
 * ssdqos_edf_at - a stream by its number
 * @edf: the drive
 * @id: the number, less than SSDQOS_QOS_MAX_STREAMS
 *
 * Context: caller serialises.
 * Return: the stream, or NULL.
 */
struct ssdqos_edf_stream *ssdqos_edf_at(const struct ssdqos_edf *edf, u32 id)
{
	return edf->by_id[id];
}

/**
 * ssdqos_edf_drain - let all of a stream's requests go, or not any more
 * @s: the stream
 * @draining: limits and strictness don't count from now on
 * @now_ns: time
 *
 * Context: caller serialises; ssdqos_edf_next() has to be called then.
 */
void ssdqos_edf_drain(struct ssdqos_edf_stream *s, bool draining, u64 now_ns)
{
	s->draining = draining;
	if (s->queued)
		edf_place(s, now_ns);
}

/**
 * ssdqos_edf_reset_stats - count from zero
 * @s: the stream
 *
 * Context: caller serialises.
 */
void ssdqos_edf_reset_stats(struct ssdqos_edf_stream *s)
{
	memset(&s->stats, 0, sizeof(s->stats));
	ssdqos_hist_init(&s->queue_hist);
	ssdqos_hist_init(&s->device_hist);
	ssdqos_hist_init(&s->total_hist);
	edf_miss_begin(s, SSDQOS_WATCH_PARTS);
}

/**
 * ssdqos_edf_why - why a stream's first request waits
 * @s: the stream
 * @now_ns: time
 *
 * Return: enum ssdqos_edf_reason.
 */
enum ssdqos_edf_reason ssdqos_edf_why(const struct ssdqos_edf_stream *s,
				      u64 now_ns)
{
	const struct ssdqos_edf *edf = s->edf;

	if (!s->queued)
		return SSDQOS_EDF_WAITS_NOTHING;
	if (edf_is_limited(s, now_ns))
		return SSDQOS_EDF_WAITS_LIMIT;
	if (s->first->urgent)
		return s->first->reason;
	if (ssdqos_edf_is_full(edf))
		return SSDQOS_EDF_WAITS_DEPTH;
	if (edf_is_strict(edf) &&
	    !ssdqos_evq_pending(&edf->ready, s->util_ppm ? s->id : EDF_GROUP))
		return SSDQOS_EDF_WAITS_STRICT;
	if (s->util_ppm && ssdqos_evq_pending(&edf->ready, s->id))
		return SSDQOS_EDF_WAITS_DEADLINE;
	if (edf_pace_wake_ns(s, s->first->cost_ns) > now_ns)
		return SSDQOS_EDF_WAITS_PACE;
	if (edf_spare_is_held(s, now_ns))
		return SSDQOS_EDF_WAITS_DEBT;
	return SSDQOS_EDF_WAITS_DEADLINE;
}
