// SPDX-License-Identifier: GPL-2.0
/*
 * trim.c - discards are kept for a while between the clients and the drive
 */
#include "trim.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* A slot is asked for, waits for the drive's time, has it, and is sent. */
enum qos_trim_state {
	SLOT_FREE,
	SLOT_ASKED,
	SLOT_GRANTED,
	SLOT_SENT,
};

/* Behind the last sector of any drive. */
#define ALL_SECTORS (~0ULL)

void qos_trim_init(struct qos_trim *t, struct qos_below *below, const struct ssdqos_apart *edf)
{
	*t = (struct qos_trim){ .below = below, .edf = edf };
}

static void leave(struct qos_trim *t)
{
	if (!t->is_on)
		return;
	qos_trim_stats(t, &t->gone);
	ssdqos_edf_remove(&t->stream);
	ssdqos_trim_exit(&t->core);
	t->is_on = false;
}

void qos_trim_destroy(struct qos_trim *t)
{
	leave(t);
}

static void join(struct qos_trim *t, u64 now_ns)
{
	char err[SIM_ERROR_BYTES];

	t->cfg = t->wanted;
	memset(&t->stream, 0, sizeof(t->stream));
	if (ssdqos_trim_init(&t->core, &t->cfg) ||
	    ssdqos_edf_add(ssdqos_apart_writes(t->edf), &t->stream, now_ns, err, sizeof(err)))
		abort();
	t->is_on = true;
}

static u32 nr_out(const struct qos_trim *t)
{
	u32 nr = 0;

	for (u32 i = 0; i < SSDQOS_TRIM_MAX_DEPTH; i++)
		nr += t->slots[i].state != SLOT_FREE;
	return nr;
}

/* Slots that wait for the drive's time, or have it. */
static u32 nr_asked(const struct qos_trim *t)
{
	return nr_out(t) - t->core.nr_under_way;
}

bool qos_trim_is_empty(const struct qos_trim *t)
{
	return !t->is_on || (ssdqos_trim_is_empty(&t->core) && !nr_out(t));
}

static bool is_as_wanted(const struct qos_trim *t)
{
	return t->is_on == t->is_wanted &&
	       (!t->is_on || !memcmp(&t->cfg, &t->wanted, sizeof(t->cfg)));
}

/* Once nothing is kept, other parameters are in force. */
static void settle(struct qos_trim *t, u64 now_ns)
{
	if (is_as_wanted(t) || !qos_trim_is_empty(t))
		return;
	leave(t);
	if (t->is_wanted)
		join(t, now_ns);
}

void qos_trim_set(struct qos_trim *t, u64 now_ns)
{
	const struct ssdqos_qos_drive_config *cfg = &t->edf->reads->cfg;

	t->is_wanted = cfg->drive_trim == SSDQOS_QOS_TRIM_BATCH;
	ssdqos_qos_trim_config(cfg, qos_below_discard_bytes(t->below), &t->wanted);
	if (t->is_on && is_as_wanted(t))
		ssdqos_trim_end_flush(&t->core);
	else if (t->is_on)
		ssdqos_trim_flush(&t->core, 0, ALL_SECTORS);
	settle(t, now_ns);
}

bool qos_trim_take(struct qos_trim *t, struct ssdqos_edf_stream *s,
		   const struct ssdqos_edf_req *req, u64 start, u64 nr, u64 now_ns)
{
	u64 at = start, until = start;

	if (!t->is_on || !ssdqos_edf_pass(s, req, now_ns))
		return false;
	do {
		at = until;
		until = ssdqos_trim_take(&t->core, s->id, at, start + nr, now_ns);
	} while (until != at && until < start + nr);
	if (until != start + nr)
		ssdqos_edf_pass_back(s, req);
	return until == start + nr;
}

bool qos_trim_cut(struct qos_trim *t, u64 start, u64 nr)
{
	u64 at = start;

	if (!t->is_on)
		return false;
	while (at < start + nr)
		at = ssdqos_trim_cut(&t->core, at, start + nr);
	t->core.stats.held += qos_trim_holds(t, start, nr);
	return qos_trim_holds(t, start, nr);
}

bool qos_trim_holds(const struct qos_trim *t, u64 start, u64 nr)
{
	return t->is_on && ssdqos_trim_holds(&t->core, start, start + nr);
}

/* ---- what is kept is sent ---- */

static struct qos_trim_slot *free_slot(struct qos_trim *t)
{
	for (u32 i = 0; i < t->core.cfg.depth; i++)
		if (t->slots[i].state == SLOT_FREE)
			return &t->slots[i];
	return NULL;
}

static void ask(struct qos_trim *t, struct qos_trim_slot *slot, u64 now_ns)
{
	slot->managed = ssdqos_apart_is_configured(t->edf) || t->stream.queued;
	slot->state = SLOT_GRANTED;
	slot->edf.cost_ns = ssdqos_edf_trim_cost(ssdqos_apart_writes(t->edf), &t->core);
	if (!slot->managed)
		return;
	slot->edf.kind = SSDQOS_EDF_KIND_DISCARD;
	slot->edf.bytes = 0;
	if (ssdqos_edf_submit(&t->stream, &slot->edf, 0, SSDQOS_EDF_FLAG_COST, now_ns) ==
	    SSDQOS_EDF_WAIT)
		slot->state = SLOT_ASKED;
}

static void give_back(struct qos_trim_slot *slot, enum ssdqos_edf_outcome outcome, u64 now_ns)
{
	struct ssdqos_watch_event events[SSDQOS_WATCH_MAX_EVENTS];

	slot->state = SLOT_FREE;
	if (slot->managed)
		ssdqos_edf_complete(&slot->edf, outcome, now_ns, events);
}

static void send(struct qos_trim *t, struct qos_trim_slot *slot, u64 now_ns)
{
	slot->run = ssdqos_trim_next(&t->core, now_ns);
	if (!slot->run) {
		give_back(slot, SSDQOS_EDF_REFUSED, now_ns);
		return;
	}
	slot->state = SLOT_SENT;
	slot->below.flash = (struct ssdqos_flash_req){
		.op = SSDQOS_FLASH_DISCARD,
		.sector = slot->run->start,
		.nr_sectors = (u32)(slot->run->end - slot->run->start),
	};
	t->below->ops->submit(t->below, &slot->below);
}

/* Has the drive requests of others? */
static bool is_disturbed(const struct qos_trim *t)
{
	return ssdqos_apart_queued(t->edf) + ssdqos_apart_in_flight(t->edf) >
	       t->stream.queued + t->stream.in_flight;
}

void qos_trim_step(struct qos_trim *t, u64 requests, u64 now_ns)
{
	struct qos_trim_slot *slot;

	if (!t->is_on)
		return;
	ssdqos_trim_see(&t->core, requests, is_disturbed(t), now_ns);
	while ((slot = free_slot(t)) && ssdqos_trim_may_ask(&t->core, nr_asked(t)) &&
	       ssdqos_trim_wants(&t->core, now_ns)) {
		ask(t, slot, now_ns);
		if (slot->state == SLOT_GRANTED)
			send(t, slot, now_ns);
	}
	for (u32 i = 0; i < t->core.cfg.depth; i++)
		if (t->slots[i].state == SLOT_GRANTED)
			send(t, &t->slots[i], now_ns);
	if (qos_trim_is_empty(t))
		ssdqos_trim_end_flush(&t->core);
	settle(t, now_ns);
}

bool qos_trim_granted(struct qos_trim *t, struct ssdqos_edf_req *req)
{
	if (!t->is_on || req->stream != &t->stream)
		return false;
	container_of(req, struct qos_trim_slot, edf)->state = SLOT_GRANTED;
	return true;
}

bool qos_trim_done(struct qos_trim *t, struct qos_below_req *req, u64 now_ns)
{
	for (u32 i = 0; i < SSDQOS_TRIM_MAX_DEPTH; i++) {
		struct qos_trim_slot *slot = &t->slots[i];

		if (req != &slot->below)
			continue;
		ssdqos_trim_done(&t->core, slot->run, now_ns - req->flash.arrival_ns, false);
		give_back(slot, SSDQOS_EDF_DONE, now_ns);
		return true;
	}
	return false;
}

void qos_trim_flush(struct qos_trim *t, u64 now_ns)
{
	t->is_wanted = false;
	if (!t->is_on)
		return;
	ssdqos_trim_flush(&t->core, 0, ALL_SECTORS);
	ssdqos_edf_drain(&t->stream, true, now_ns);
}

u64 qos_trim_wake_ns(const struct qos_trim *t)
{
	bool is_free = false;

	for (u32 i = 0; t->is_on && i < t->core.cfg.depth; i++) {
		if (t->slots[i].state == SLOT_GRANTED)
			return 0;
		is_free |= t->slots[i].state == SLOT_FREE;
	}
	return is_free && ssdqos_trim_may_ask(&t->core, nr_asked(t)) ? ssdqos_trim_wake_ns(&t->core) :
								       SSDQOS_NEVER_NS;
}

void qos_trim_stats(const struct qos_trim *t, struct ssdqos_trim_stats *stats)
{
	const u64 *from = (const u64 *)&t->core.stats;
	u64 *to = (u64 *)stats;

	if (stats != &t->gone)
		*stats = t->gone;
	for (u32 i = 0; t->is_on && i < SSDQOS_NR_TRIM_STATS; i++)
		to[i] += from[i];
}
