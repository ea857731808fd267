// SPDX-License-Identifier: GPL-2.0
/*
 * run.c - the event loop of the command mirror
 *
 * At one instant drives answer first, then the mirror goes on, then clients ask.
 */
#include "run.h"

#include "../common/clock.h"
#include "../common/progress.h"

/* More steps at one instant than requests could make. */
#define STEPS_MAX 10000000
/* What has not come to an end so long after the run never will: a drive is rebuilt in less. */
#define DRAIN_NS (24 * 3600 * NS_PER_S)

/* @coming are members that want to join, a bit each; @emptied those of them that have nothing. */
struct mirror_run {
	struct mirror_plan *plan;
	struct mirror_result *result;
	struct sim_error *error;
	struct mirror_serve serve;
	struct ssdqos_mirror *mirror;	/* or NULL */
	struct pool requests;
	struct progress progress;
	u64 now_ns;
	u64 submitted;
	u64 completed;
	u32 next_event;
	u32 coming;
	u32 emptied;
	bool is_warm;
	bool is_over;
};

static const struct {
	u8 op;		/* enum ssdqos_flash_op */
	bool durable;
} kinds[NR_TRACE_OPS] = {
	[SIM_OP_READ] = { SSDQOS_FLASH_READ, false },
	[SIM_OP_WRITE] = { SSDQOS_FLASH_WRITE, false },
	[SIM_OP_DISCARD] = { SSDQOS_FLASH_DISCARD, false },
	[SIM_OP_FLUSH] = { SSDQOS_FLASH_FLUSH, false },
	[SIM_OP_WRITE_FUA] = { SSDQOS_FLASH_WRITE, true },
};

/* ---- requests ---- */

static void count(struct mirror_run *run, const struct mirror_request *request)
{
	struct mirror_stream *stream = request->owner;
	struct run_result *result = &run->result->run;
	const u64 latency_ns = run->now_ns - request->arrival_ns;

	if (run->is_over)
		return;
	stream->requests++;
	stream->bytes += request->bytes;
	if (request->op != SSDQOS_FLASH_DISCARD)
		stream->moved_bytes += request->bytes;
	ssdqos_hist_add(&stream->latency[request->op], latency_ns);
	run->plan->series.done[request->op]++;
	result->requests++;
	result->bytes += request->bytes;
	ssdqos_hist_add(&result->latency[request->op], latency_ns);
	if (request->op == SSDQOS_FLASH_READ &&
	    request->nr * SSDQOS_MIRROR_BLOCK_SECTORS <= SERIES_SMALL_SECTORS)
		ssdqos_hist_add(&result->latency_read_small, latency_ns);
}

static void take_done(struct mirror_run *run)
{
	struct mirror_request *request;

	while ((request = mirror_serve_take_done(&run->serve))) {
		run->completed++;
		count(run, request);
		mirror_stream_completed(request->owner, run->now_ns);
		pool_put(&run->requests, request);
	}
}

/* Requests beyond the end come back at the beginning, and end there at the latest. */
static void place(struct mirror_run *run, struct mirror_request *request,
		  const struct sim_request *in)
{
	const u64 most = run->plan->device.data.blocks * SSDQOS_MIRROR_BLOCK_BYTES;
	u64 from = in->offset_bytes, end = from + in->size_bytes;

	if (end > most) {
		run->result->run.wrapped++;
		from %= most;
		end = from + in->size_bytes;
		run->result->run.cut += end > most;
		end = min(end, most);
	}
	mirror_request_place(request, from, end);
}

static void submit(struct mirror_run *run, struct mirror_stream *stream,
		   const struct sim_request *in)
{
	struct mirror_request *request = pool_get(&run->requests);

	request->owner = stream;
	request->arrival_ns = run->now_ns;
	request->op = kinds[in->op].op;
	request->durable = kinds[in->op].durable ||
			   (stream->fsync && request->op == SSDQOS_FLASH_WRITE);
	place(run, request, in);
	run->submitted++;
	mirror_serve_submit(&run->serve, request);
	if (progress_is_due(run->submitted))
		progress_show(&run->progress, run->submitted, run->now_ns,
			      (u64)((u128)run->now_ns * PPM_ONE / run->plan->runtime_ns));
}

static void arrive(struct mirror_run *run)
{
	struct sim_request in;

	for (u32 i = 0; i < run->plan->nr_streams; i++)
		while (mirror_stream_take(&run->plan->streams[i], run->now_ns, &in))
			submit(run, &run->plan->streams[i], &in);
}

/* ---- events ---- */

static u64 next_event_ns(const struct mirror_run *run)
{
	const struct mirror_plan *plan = run->plan;

	return run->next_event < plan->nr_events ? plan->events[run->next_event].at_ns :
						   SSDQOS_NEVER_NS;
}

static void come_back(struct mirror_run *run, u32 who)
{
	run->plan->device.members.member[who].gone = false;
	run->coming |= 1u << who;
	run->emptied &= ~(1u << who);
}

static void happen(struct mirror_run *run, const struct mirror_event *event)
{
	struct member *member = &run->plan->device.members.member[event->member];
	const u32 bit = 1u << event->member;

	switch (event->kind) {
	case MIRROR_EVENT_FAIL:
		member->gone = true;
		member->lives++;
		run->coming &= ~bit;
		ssdqos_mirror_fail(run->mirror, event->member, run->now_ns);
		break;
	case MIRROR_EVENT_JOIN:
		come_back(run, event->member);
		break;
	case MIRROR_EVENT_REPLACE:
		come_back(run, event->member);
		run->emptied |= bit;
		mirror_data_forget(&run->plan->device.data, event->member);
		break;
	case MIRROR_EVENT_ROT:
		mirror_data_rot(&run->plan->device.data, event->member);
		break;
	case MIRROR_EVENT_SCRUB:
		ssdqos_mirror_scrub(run->mirror, true, run->now_ns);
		run->serve.ops.touched = true;
		break;
	case MIRROR_EVENT_JOURNAL:
		run->plan->device.journal.device.lost = true;
		break;
	}
}

/* The mirror takes a member back when it is ready for it. */
static void join(struct mirror_run *run)
{
	for (u32 i = 0; i < run->mirror->nr; i++) {
		const u32 bit = 1u << i;

		if (!(run->coming & bit))
			continue;
		ssdqos_mirror_join(run->mirror, i, run->emptied & bit, run->now_ns);
		if (run->mirror->out & bit)
			continue;
		run->coming &= ~bit;
		run->serve.ops.touched = true;
	}
}

static void change(struct mirror_run *run)
{
	for (; next_event_ns(run) <= run->now_ns; run->next_event++) {
		happen(run, &run->plan->events[run->next_event]);
		run->serve.ops.touched = true;
	}
	if (run->coming)
		join(run);
}

/* ---- an instant ---- */

static void warm_up(struct mirror_run *run)
{
	if (run->is_warm || run->now_ns < run->plan->warm_up_ns)
		return;
	run->is_warm = true;
	run_result_init(&run->result->run);
	for (u32 i = 0; i < run->plan->nr_streams; i++)
		mirror_stream_reset(&run->plan->streams[i]);
	mirror_series_reset(&run->plan->series, run->now_ns);
	mirror_measure_begin(&run->result->measure, &run->plan->device, &run->serve);
}

static void step(struct mirror_run *run, u64 now_ns)
{
	run->now_ns = now_ns;
	members_advance(&run->plan->device.members, now_ns);
	mirror_serve_look(&run->serve);
	change(run);
	mirror_serve_step(&run->serve);
	take_done(run);
	warm_up(run);
	arrive(run);
}

static u64 next_ns(const struct mirror_run *run)
{
	u64 ns = min(mirror_serve_next_ns(&run->serve), next_event_ns(run));

	for (u32 i = 0; i < run->plan->nr_streams; i++)
		ns = min(ns, mirror_stream_next_ns(&run->plan->streams[i]));
	if (!run->is_warm)
		ns = min(ns, run->plan->warm_up_ns);
	return max(ns, run->now_ns);
}

/* ---- from beginning to end ---- */

static void step_series(struct mirror_run *run, u64 until_ns)
{
	struct mirror_plan *plan = run->plan;

	while (plan->series.end_ns < until_ns)
		mirror_series_step(&plan->series, plan->streams, plan->nr_streams, run->mirror,
				   run->serve.journal);
}

static int loop(struct mirror_run *run)
{
	const u64 end_ns = run->plan->runtime_ns;
	u64 steps = 0, ns;

	while ((ns = next_ns(run)) <= end_ns) {
		steps = ns == run->now_ns ? steps + 1 : 0;
		if (steps == STEPS_MAX)
			return sim_error_set(run->error, "the mirror hangs at %llu ns", ns);
		step_series(run, ns);
		step(run, ns);
	}
	step_series(run, end_ns);
	step(run, end_ns);
	/* the last window, if it has its full length */
	step_series(run, end_ns + 1);
	return 0;
}

static int check_traces(const struct mirror_run *run)
{
	for (u32 i = 0; i < run->plan->nr_streams; i++) {
		const char *why = mirror_stream_error(&run->plan->streams[i]);

		if (*why)
			return sim_error_set(run->error, "%s", why);
	}
	return 0;
}

static int start(struct mirror_run *run)
{
	struct mirror_plan *plan = run->plan;

	pool_init(&run->requests, sizeof(struct mirror_request));
	run_result_init(&run->result->run);
	if (!mirror_device_start(&plan->device, &run->serve))
		return sim_error_set(run->error, "not enough memory for the journal");
	run->mirror = run->serve.mirror;
	mirror_series_start(&plan->series, plan->streams, plan->nr_streams, run->mirror,
			    run->serve.journal);
	for (u32 i = 0; i < plan->nr_streams; i++)
		mirror_stream_start(&plan->streams[i]);
	return 0;
}

static void keep_results(struct mirror_run *run)
{
	run->is_over = true;
	mirror_measure_end(&run->result->measure, &run->plan->device, &run->serve);
}

static u64 drain_end_ns(const struct mirror_run *run)
{
	return run->plan->runtime_ns + DRAIN_NS;
}

static void go_on_until_drained(struct mirror_run *run)
{
	u64 ns;

	ssdqos_mirror_drain(run->mirror, true, run->now_ns);
	run->serve.ops.touched = true;
	while (!ssdqos_mirror_is_drained(run->mirror) && (ns = next_ns(run)) < drain_end_ns(run))
		step(run, ns);
	if (!ssdqos_mirror_is_drained(run->mirror))
		run->result->run.stuck++;
}

/* What is measured is measured; all that was asked for has to complete yet. */
static void drain(struct mirror_run *run)
{
	struct mirror_plan *plan = run->plan;
	u64 ns;

	keep_results(run);
	run->next_event = plan->nr_events;
	for (u32 i = 0; i < plan->nr_streams; i++)
		mirror_stream_stop(&plan->streams[i]);
	while (run->completed < run->submitted && (ns = next_ns(run)) < drain_end_ns(run))
		step(run, ns);
	run->result->run.stuck = run->submitted - run->completed;
	if (!run->mirror || run->result->run.stuck)
		return;
	go_on_until_drained(run);
	run->result->measure.watch.wrong =
		run->serve.watch.wrong + mirror_device_stale(&plan->device);
	run->result->measure.watch.failed = run->serve.watch.failed;
}

int mirror_run(struct mirror_plan *plan, struct mirror_result *result, struct sim_error *error)
{
	struct mirror_run run = { .plan = plan, .result = result, .error = error };
	u64 wall_ns = clock_wall_ns(), cpu_ns = clock_cpu_ns();
	int r = start(&run);

	progress_start(&run.progress, stderr);
	if (!r)
		r = loop(&run);
	progress_end(&run.progress);
	if (!r)
		r = check_traces(&run);
	if (!r)
		drain(&run);
	result->run.virtual_ns = plan->runtime_ns - plan->warm_up_ns;
	result->run.wall_ns = clock_wall_ns() - wall_ns;
	result->run.cpu_ns = clock_cpu_ns() - cpu_ns;
	mirror_serve_destroy(&run.serve);
	pool_free(&run.requests);
	return r;
}
