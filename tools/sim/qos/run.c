// SPDX-License-Identifier: GPL-2.0
/*
 * run.c - the event loop with a scheduler between the clients and what is below, a drive or a
 * mirror
 *
 * At one instant events below come first, then the scheduler sends what
 * may go now, then clients make requests: nobody answers a completion before
 * the place that it left is given to somebody who waits.
 */
#include "run.h"

#include <stdlib.h>

#include "../common/clock.h"
#include "../common/progress.h"
#include "../flash/pool.h"
#include "events.h"
#include "ready.h"

#define SECTOR_SHIFT 9
/* More steps at one instant than requests could make. */
#define STEPS_MAX 10000000
/* What has not come to an end so long after the run never will. */
#define DRAIN_NS (10 * 365 * 24 * 3600 * NS_PER_S)

/* A request under way. */
struct qos_slot {
	struct qos_below_req below;
	struct ssdqos_edf_req edf;
	struct ssdqos_ready_req ready;
	struct qos_stream *stream;
	u64 seq;
	u64 arrival_ns;
	struct qos_slot *next_held;
	/* Of a piece: what it is cut from, and that one's pieces that have not completed. */
	struct qos_slot *whole;
	u32 nr_pieces;
	bool urgent;
};

/* @clock has an arrival for each stream, then the end of a window for each, then the lifetime's.
 * @held are writes to what is being discarded.
 */
struct qos_run {
	struct qos_plan *plan;
	struct qos_result *result;
	struct sim_error *error;
	struct ssdqos_evq clock;
	void *clock_mem;
	struct pool slots;
	struct qos_trim trim;
	struct qos_slot *held;
	struct progress progress;
	u64 now_ns;
	u64 submitted;
	u64 completed;
	u32 next_change;
	bool is_warm;
	bool is_over;
	bool has_failed;
};

static const struct {
	u8 flash;	/* enum ssdqos_flash_op */
	u8 edf;		/* enum ssdqos_edf_kind */
} kinds[NR_SIM_OPS] = {
	[SIM_OP_READ] = { SSDQOS_FLASH_READ, SSDQOS_EDF_KIND_READ },
	[SIM_OP_WRITE] = { SSDQOS_FLASH_WRITE, SSDQOS_EDF_KIND_WRITE },
	[SIM_OP_DISCARD] = { SSDQOS_FLASH_DISCARD, SSDQOS_EDF_KIND_DISCARD },
};

/* ---- the clock ---- */

static void set_clock(struct qos_run *run, u32 id, u64 time_ns)
{
	if (time_ns == SSDQOS_NEVER_NS)
		ssdqos_evq_cancel(&run->clock, id);
	else
		ssdqos_evq_set(&run->clock, id, time_ns);
}

static void set_arrival(struct qos_run *run, struct qos_stream *stream)
{
	set_clock(run, (u32)(stream - run->plan->streams), client_next_ns(&stream->client));
}

static void set_window(struct qos_run *run, struct qos_stream *stream)
{
	const struct ssdqos_watch *watch = &qos_stream_owner(stream)->watch;
	const u64 length_ns = watch->promise.window_ns;

	set_clock(run, run->plan->nr_streams + (u32)(stream - run->plan->streams),
		  length_ns ? watch->start_ns + length_ns : SSDQOS_NEVER_NS);
}

static void set_all_windows(struct qos_run *run)
{
	for (u32 i = 0; i < run->plan->nr_streams; i++)
		set_window(run, &run->plan->streams[i]);
}

static void set_life(struct qos_run *run)
{
	set_clock(run, 2 * run->plan->nr_streams, qos_ready_tick_ns(run->plan, run->now_ns));
}

static u64 next_change_ns(const struct qos_run *run)
{
	const struct qos_plan *plan = run->plan;

	return run->next_change < plan->nr_changes ? plan->changes[run->next_change].at_ns :
						     SSDQOS_NEVER_NS;
}

static u64 next_ns(const struct qos_run *run)
{
	const struct qos_plan *plan = run->plan;
	u64 ns = min(plan->below.ops->next_ns(&plan->below), ssdqos_apart_wake_ns(&plan->edf));

	ns = min(ns, ssdqos_ready_wake_ns(plan->ready));
	ns = min(ns, qos_trim_wake_ns(&run->trim));
	ns = min(ns, ssdqos_evq_next_ns(&run->clock));
	ns = min(ns, next_change_ns(run));
	if (!run->is_warm)
		ns = min(ns, plan->warm_up_ns);
	return max(ns, run->now_ns);
}

/* ---- requests ---- */

/* @name is a stream's, or the drive's. */
static void hear(struct qos_run *run, const char *name, const struct ssdqos_watch_event *events,
		 u32 nr)
{
	if (run->is_over)
		return;
	for (u32 i = 0; i < nr; i++) {
		run->result->events[events[i].kind]++;
		if (run->plan->events)
			qos_events_watch(run->plan->events, name, &events[i], run->plan->ready);
	}
}

/* What the lifetime does with a write, by one of events.h. */
static void tell(const struct qos_run *run, const struct qos_slot *slot,
		 void (*event)(FILE *file, const struct qos_events_write *write))
{
	const struct qos_events_write write = {
		.stream = slot->stream->name,
		.seq = slot->seq,
		.req = &slot->ready,
		.now_ns = run->now_ns,
	};

	if (run->plan->events && !run->is_over)
		event(run->plan->events, &write);
}

static void count(struct qos_run *run, const struct qos_slot *slot)
{
	struct qos_stream *stream = slot->stream;
	const u64 bytes = (u64)slot->below.flash.nr_sectors << SECTOR_SHIFT;
	const u64 latency_ns = run->now_ns - slot->arrival_ns;
	struct run_result *result = &run->result->run;

	run->completed++;
	if (run->is_over)
		return;
	stream->requests++;
	stream->bytes += bytes;
	if (slot->below.flash.op != SSDQOS_FLASH_DISCARD)
		stream->moved_bytes += bytes;
	ssdqos_hist_add(&stream->latency, latency_ns);
	result->requests++;
	result->bytes += bytes;
	ssdqos_hist_add(&result->latency[slot->below.flash.op], latency_ns);
	if (series_is_small_read(&slot->below.flash))
		ssdqos_hist_add(&result->latency_read_small, latency_ns);
}

/* Its client is told, when all pieces are done. */
static void finish(struct qos_run *run, struct qos_slot *slot)
{
	struct qos_stream *stream = slot->stream;

	if (slot->whole) {
		struct qos_slot *whole = slot->whole;

		pool_put(&run->slots, slot);
		if (--whole->nr_pieces)
			return;
		slot = whole;
	}
	count(run, slot);
	pool_put(&run->slots, slot);
	client_completed(&stream->client, 1, run->now_ns);
	set_arrival(run, stream);
}

static void complete(struct qos_run *run, struct qos_slot *slot)
{
	struct qos_stream *stream = slot->stream;
	struct ssdqos_watch_event events[SSDQOS_WATCH_MAX_EVENTS];
	u32 nr = ssdqos_edf_complete(&slot->edf, SSDQOS_EDF_DONE, run->now_ns, events);

	hear(run, stream->name, events, nr);
	qos_stream_look(stream);
	if (qos_ready_complete(&slot->ready, run->now_ns))
		tell(run, slot, qos_events_kept);
	else
		finish(run, slot);
}

static u32 reap(struct qos_run *run)
{
	struct qos_below *below = &run->plan->below;
	struct qos_below_req *req;
	u32 nr = 0;

	for (; (req = below->ops->take_done(below)); nr++)
		if (!qos_trim_done(&run->trim, req, run->now_ns))
			complete(run, container_of(req, struct qos_slot, below));
	return nr;
}

static void send(struct qos_run *run, struct qos_slot *slot)
{
	run->plan->below.ops->submit(&run->plan->below, &slot->below);
}

/* The scheduler's view of its client. */
static struct ssdqos_edf_stream *side(const struct qos_run *run, const struct qos_slot *slot)
{
	return ssdqos_apart_side(&run->plan->edf, &slot->stream->edf, slot->edf.kind);
}

/* A request has come, or goes: has it ended a step of the debt? */
static void tell_debt(const struct qos_run *run, const struct qos_slot *slot)
{
	FILE *events = run->is_over || run->plan->bypass ? NULL : run->plan->events;
	struct ssdqos_debt_change change;

	if (events && ssdqos_edf_take_debt_change(ssdqos_apart_writes(&run->plan->edf),
						  run->now_ns, &change))
		qos_events_debt(events, slot->stream->name, &change);
}

static void schedule(struct qos_run *run, struct qos_slot *slot)
{
	const u32 flags = run->plan->bypass || slot->urgent ? SSDQOS_EDF_FLAG_URGENT : 0;

	const enum ssdqos_edf_verdict verdict =
		ssdqos_edf_submit(side(run, slot), &slot->edf, slot->below.flash.sector, flags,
				  run->now_ns);

	tell_debt(run, slot);
	if (verdict == SSDQOS_EDF_GO)
		send(run, slot);
}

/* Writes that waited for the lifetime. */
static void go_on(struct qos_run *run)
{
	struct ssdqos_ready *ready = run->plan->ready;
	struct ssdqos_ready_req *req;

	while ((req = ssdqos_ready_next(ready, run->now_ns))) {
		struct qos_slot *slot = container_of(req, struct qos_slot, ready);

		tell(run, slot, qos_events_released);
		schedule(run, slot);
	}
	while ((req = ssdqos_ready_next_done(ready, run->now_ns)))
		finish(run, container_of(req, struct qos_slot, ready));
}

static void granted(struct qos_run *run, struct qos_slot *slot)
{
	tell_debt(run, slot);
	send(run, slot);
}

static void send_waiting(struct qos_run *run)
{
	struct ssdqos_edf_req *req;

	go_on(run);
	while ((req = ssdqos_apart_next(&run->plan->edf, run->now_ns)))
		if (!qos_trim_granted(&run->trim, req))
			granted(run, container_of(req, struct qos_slot, edf));
}

/* A write passes the lifetime, then it goes the way of the others. */
static void enter(struct qos_run *run, struct qos_slot *slot)
{
	if (slot->below.flash.op != SSDQOS_FLASH_WRITE ||
	    qos_ready_submit(run->plan, slot->stream, &slot->ready, run->now_ns))
		schedule(run, slot);
	else
		tell(run, slot, qos_events_kept);
}

/* Discards that are kept go when it is their time, and writes that waited for them then. */
static void trim(struct qos_run *run)
{
	struct qos_slot **link = &run->held, *slot;

	qos_trim_step(&run->trim, run->submitted, run->now_ns);
	while ((slot = *link)) {
		if (qos_trim_holds(&run->trim, slot->below.flash.sector, slot->below.flash.nr_sectors)) {
			link = &slot->next_held;
			continue;
		}
		*link = slot->next_held;
		enter(run, slot);
	}
}

/* What discards that are kept have to do with a request.  Return: nothing remains to be done. */
static bool is_kept(struct qos_run *run, struct qos_slot *slot)
{
	const u64 sector = slot->below.flash.sector, nr = slot->below.flash.nr_sectors;

	if (slot->below.flash.op == SSDQOS_FLASH_DISCARD &&
	    qos_trim_take(&run->trim, side(run, slot), &slot->edf, sector, nr, run->now_ns)) {
		finish(run, slot);
		return true;
	}
	if (slot->below.flash.op != SSDQOS_FLASH_WRITE || !qos_trim_cut(&run->trim, sector, nr))
		return false;
	slot->next_held = run->held;
	run->held = slot;
	return true;
}

/* @whole: what it is a piece of, or NULL */
static struct qos_slot *slot_fill(struct qos_run *run, struct qos_stream *stream,
				  struct qos_slot *whole, const struct sim_request *in)
{
	struct qos_slot *slot = pool_get(&run->slots);

	slot->seq = whole ? whole->seq : run->submitted;
	slot->stream = stream;
	slot->urgent = whole ? whole->urgent : qos_stream_urgent(stream);
	slot->arrival_ns = run->now_ns;
	slot->whole = whole;
	slot->nr_pieces = 0;
	slot->ready = (struct ssdqos_ready_req){
		.bytes = (u32)in->size_bytes,
		.urgent = slot->urgent,
	};
	slot->below.flash.op = kinds[in->op].flash;
	slot->below.flash.fua = false;
	slot->below.flash.sector = in->offset_bytes >> SECTOR_SHIFT;
	slot->below.flash.nr_sectors = (u32)(in->size_bytes >> SECTOR_SHIFT);
	slot->edf.kind = kinds[in->op].edf;
	/* only discards are larger, and these cost no more */
	slot->edf.bytes = (u32)min_t(u64, in->size_bytes, ~0u);
	return slot;
}

static void come(struct qos_run *run, struct qos_slot *slot)
{
	if (!is_kept(run, slot))
		enter(run, slot);
}

/* As device-mapper cuts bios: the next piece comes when the one before is on its way. */
static void cut(struct qos_run *run, struct qos_stream *stream, struct qos_slot *whole,
		const struct sim_request *in, u64 piece_bytes)
{
	struct sim_request piece = *in;
	u64 left = in->size_bytes;

	whole->nr_pieces = (u32)((left + piece_bytes - 1) / piece_bytes);
	for (; left; left -= piece.size_bytes) {
		piece.size_bytes = min(left, piece_bytes);
		come(run, slot_fill(run, stream, whole, &piece));
		piece.offset_bytes += piece.size_bytes;
	}
}

static void submit(struct qos_run *run, struct qos_stream *stream, const struct sim_request *in)
{
	struct qos_slot *slot = slot_fill(run, stream, NULL, in);
	u64 piece_bytes = ssdqos_apart_piece_bytes(&run->plan->edf, &stream->edf, slot->edf.kind,
						   in->size_bytes);

	run->submitted++;
	if (piece_bytes < in->size_bytes && !run->plan->bypass)
		cut(run, stream, slot, in, piece_bytes);
	else
		come(run, slot);
	if (progress_is_due(run->submitted))
		progress_show(&run->progress, run->submitted, run->now_ns,
			      (u64)((u128)run->now_ns * PPM_ONE / run->plan->runtime_ns));
}

/* ---- an instant ---- */

static void arrive(struct qos_run *run, struct qos_stream *stream)
{
	struct sim_request in;

	while (client_take(&stream->client, run->now_ns, &in))
		submit(run, stream, &in);
	set_arrival(run, stream);
}

static void tick(struct qos_run *run, struct qos_stream *stream, struct ssdqos_edf_stream *s)
{
	struct ssdqos_watch_event events[SSDQOS_WATCH_MAX_EVENTS];

	hear(run, stream->name, events, ssdqos_edf_tick(s, run->now_ns, events));
}

static void end_window(struct qos_run *run, struct qos_stream *stream)
{
	tick(run, stream, &stream->edf.reads);
	if (run->plan->edf.writes)
		tick(run, stream, &stream->edf.writes);
	qos_stream_look(stream);
	set_window(run, stream);
}

static void live(struct qos_run *run)
{
	struct ssdqos_watch_event events[SSDQOS_READY_MAX_EVENTS];
	u32 nr = qos_ready_tick(run->plan, run->now_ns, events);

	hear(run, STREAM_DRIVE_NAME, events, nr);
	set_life(run);
}

static void warm_up(struct qos_run *run)
{
	if (run->is_warm || run->now_ns < run->plan->warm_up_ns)
		return;
	run->is_warm = true;
	run_result_init(&run->result->run);
	memset(run->result->events, 0, sizeof(run->result->events));
	for (u32 i = 0; i < run->plan->nr_streams; i++)
		qos_stream_reset(&run->plan->streams[i], run->now_ns);
	mirror_measure_begin(&run->plan->below.measure, &run->plan->below.device,
			     &run->plan->below.serve);
	set_all_windows(run);
}

static void change(struct qos_run *run)
{
	while (next_change_ns(run) <= run->now_ns) {
		if (qos_change_apply(&run->plan->changes[run->next_change++], &run->plan->below,
				     run->now_ns, run->error))
			run->has_failed = true;
		qos_ready_set(run->plan, run->now_ns);
		qos_trim_set(&run->trim, run->now_ns);
		set_all_windows(run);
		set_life(run);
	}
}

static void ring(struct qos_run *run)
{
	const u32 nr = run->plan->nr_streams;
	u64 time_ns;
	u32 id;

	while (ssdqos_evq_next_ns(&run->clock) <= run->now_ns) {
		id = ssdqos_evq_pop(&run->clock, &time_ns);
		if (id < nr)
			arrive(run, &run->plan->streams[id]);
		else if (id < 2 * nr)
			end_window(run, &run->plan->streams[id - nr]);
		else
			live(run);
	}
}

static void step(struct qos_run *run, u64 now_ns)
{
	run->now_ns = now_ns;
	run->plan->below.ops->advance(&run->plan->below, now_ns);
	warm_up(run);
	do {
		reap(run);
		send_waiting(run);
		change(run);
		ring(run);
		trim(run);
		send_waiting(run);
	} while (reap(run));
}

/* ---- from beginning to end ---- */

static void step_series(struct qos_run *run, u64 until_ns)
{
	struct qos_plan *plan = run->plan;

	while (plan->series.end_ns < until_ns)
		qos_series_step(&plan->series, plan->streams, plan->nr_streams);
}

static int loop(struct qos_run *run)
{
	const u64 end_ns = run->plan->runtime_ns;
	u64 steps = 0, ns;

	while (!run->has_failed && (ns = next_ns(run)) <= end_ns) {
		steps = ns == run->now_ns ? steps + 1 : 0;
		if (steps == STEPS_MAX)
			return sim_error_set(run->error, "the scheduler hangs at %llu ns", ns);
		step_series(run, ns);
		step(run, ns);
	}
	if (run->has_failed)
		return -1;
	step(run, end_ns);
	step_series(run, end_ns);
	if (run->plan->series.file) {
		run->plan->series.end_ns = end_ns;
		qos_series_step(&run->plan->series, run->plan->streams, run->plan->nr_streams);
	}
	return 0;
}

static void start(struct qos_run *run)
{
	struct qos_plan *plan = run->plan;
	const u32 nr_ids = 2 * plan->nr_streams + 1;

	run->clock_mem = calloc(1, ssdqos_evq_bytes(nr_ids));
	if (!run->clock_mem)
		abort();
	ssdqos_evq_init(&run->clock, nr_ids, run->clock_mem);
	pool_init(&run->slots, sizeof(struct qos_slot));
	qos_trim_init(&run->trim, &plan->below, &plan->edf);
	qos_trim_set(&run->trim, 0);
	qos_series_start(&plan->series, plan->streams, plan->nr_streams);
	if (plan->events)
		qos_events_start(plan->events);
	run_result_init(&run->result->run);
	for (u32 i = 0; i < plan->nr_streams; i++) {
		/* what is urgent and drains goes at once, whatever it is */
		if (plan->bypass)
			ssdqos_apart_drain(&plan->edf, &plan->streams[i].edf, true, 0);
		client_start(&plan->streams[i].client, plan->streams[i].load, 0);
		set_arrival(run, &plan->streams[i]);
	}
	set_all_windows(run);
	set_life(run);
}

static void keep_results(struct qos_run *run)
{
	struct qos_plan *plan = run->plan;
	struct qos_result *result = run->result;

	result->drift[0] = plan->edf.reads->drift;
	if (plan->edf.writes)
		result->drift[1] = plan->edf.writes->drift;
	ssdqos_ready_look(plan->ready, run->now_ns, &result->life);
	qos_trim_stats(&run->trim, &result->trim);
	result->trim_cost_ns = run->trim.core.cost_ns;
	mirror_measure_end(&plan->below.measure, &plan->below.device, &plan->below.serve);
}

/* What is measured is measured; all that was asked for has to complete yet. */
static void drain(struct qos_run *run)
{
	struct qos_plan *plan = run->plan;
	u64 ns;

	run->is_over = true;
	run->next_change = plan->nr_changes;
	keep_results(run);
	qos_trim_flush(&run->trim, run->now_ns);
	for (u32 i = 0; i < plan->nr_streams; i++) {
		struct qos_stream *stream = &plan->streams[i];

		qos_stream_end(stream);
		client_stop(&stream->client);
		set_arrival(run, stream);
		ssdqos_apart_drain(&plan->edf, &stream->edf, true, run->now_ns);
		ssdqos_ready_drain(&stream->ready, true);
	}
	step(run, run->now_ns);
	while ((run->completed < run->submitted || !qos_trim_is_empty(&run->trim)) &&
	       (ns = next_ns(run)) < plan->runtime_ns + DRAIN_NS)
		step(run, ns);
	run->result->run.stuck = run->submitted - run->completed;
	if (!run->result->run.stuck && !qos_below_settle(&plan->below))
		run->result->run.stuck++;
}

int qos_run(struct qos_plan *plan, struct qos_result *result, struct sim_error *error)
{
	struct qos_run run = { .plan = plan, .result = result, .error = error };
	u64 wall_ns = clock_wall_ns(), cpu_ns = clock_cpu_ns();
	int r;

	start(&run);
	progress_start(&run.progress, stderr);
	r = loop(&run);
	progress_end(&run.progress);
	if (!r)
		drain(&run);
	result->run.virtual_ns = plan->runtime_ns - plan->warm_up_ns;
	result->run.wall_ns = clock_wall_ns() - wall_ns;
	result->run.cpu_ns = clock_cpu_ns() - cpu_ns;
	qos_trim_destroy(&run.trim);
	pool_free(&run.slots);
	free(run.clock_mem);
	return r;
}
