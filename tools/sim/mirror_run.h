/* SPDX-License-Identifier: GPL-2.0 */
/*
 * mirror_run.h - several streams on one drive, or on the drives of a mirror
 */
#ifndef SSDQOS_SIM_MIRROR_RUN_H
#define SSDQOS_SIM_MIRROR_RUN_H

#include "mirror_event.h"
#include "mirror_series.h"
#include "mirror_serve.h"

/**
 * enum mirror_peer - who serves
 * @MIRROR_PEER_ONE: a drive alone
 * @MIRROR_PEER_RAID1: all are written at once, and one of them is read
 * @MIRROR_PEER_IANUS: members take turns
 */
enum mirror_peer {
	MIRROR_PEER_ONE,
	MIRROR_PEER_RAID1,
	MIRROR_PEER_IANUS,
	NR_MIRROR_PEERS,
};

/**
 * struct mirror_plan - what is to be done
 * @peer: who serves
 * @members: the drives
 * @mirror: of MIRROR_PEER_IANUS
 * @journal: its journal, if it has one
 * @has_journal: it has
 * @data: what is where, likewise
 * @streams: the streams
 * @nr_streams: their number
 * @events: in order of time
 * @nr_events: their number
 * @runtime_ns: how long
 * @warm_up_ns: nothing before this is counted
 * @series: completions by window
 */
struct mirror_plan {
	enum mirror_peer peer;
	struct members members;
	struct ssdqos_mirror mirror;
	struct mirror_journal journal;
	bool has_journal;
	struct mirror_data data;
	struct mirror_stream *streams;
	u32 nr_streams;
	struct mirror_event *events;
	u32 nr_events;
	u64 runtime_ns;
	u64 warm_up_ns;
	struct mirror_series series;
};

/**
 * struct mirror_result - what was measured, beside what streams and windows have
 * @run: all requests together
 * @stats: what the mirror has done
 * @counts: what its journal has
 * @journal_latency: of the journal's records
 * @watch: what was seen in between
 */
struct mirror_result {
	struct run_result run;
	struct ssdqos_mirror_stats stats;
	struct mirror_journal_counts counts;
	struct ssdqos_hist journal_latency;
	struct mirror_watch watch;
};

/**
 * mirror_run - do it
 * @plan: what is to be done
 * @result: the measurements, at the end of the runtime; requests that are under way then complete,
 *	and the cache is written out, but that is not counted
 * @error: says what went wrong
 *
 * Return: 0, or -1.
 */
int mirror_run(struct mirror_plan *plan, struct mirror_result *result, struct sim_error *error);

#endif
