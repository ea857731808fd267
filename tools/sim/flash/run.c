// SPDX-License-Identifier: GPL-2.0
/*
 * run.c - the event loop of the simulator
 *
 * Open loop (a trace, or a load with a rate): advance the drive to the next
 * arrival, hand it over, go on.  Closed loop: step from event to event; each
 * completion asks the load for a request that takes its place.  An event and
 * an arrival at one instant happen in this order, as in the kernel.
 */
#include <string.h>

#include "../common/clock.h"
#include "../common/progress.h"
#include "../load/client.h"
#include "drive.h"
#include "pool.h"
#include "run.h"

#define RUN_RECORDS 256
/* A request that so many others come before is looked up a few us later: time for
 * what was asked for LOAD_AHEAD - 1 requests before to arrive, and for what that says.
 */
#define RUN_SOON 3
#define SECTOR_SHIFT 9
#define RUN_ALL_EVENTS ((1u << SSDQOS_FLASH_NR_EVENTS) - 1)

/* A request under way. */
struct run_slot {
	struct ssdqos_flash_req req;
	u64 number;
	u8 op;		/* enum sim_op */
};

struct run {
	struct ssdqos_flash *drive;
	const struct run_source *source;
	const struct run_output *output;
	struct run_result *result;
	struct pool slots;
	struct progress progress;
	struct series series;
	u64 capacity_bytes;
	u64 submitted;
	u64 first_ns;
	u64 last_ns;
	bool failed;		/* the source has an error */
};

static const u8 run_flash_op[NR_TRACE_OPS] = {
	[SIM_OP_READ] = SSDQOS_FLASH_READ,
	[SIM_OP_WRITE] = SSDQOS_FLASH_WRITE,
	[SIM_OP_DISCARD] = SSDQOS_FLASH_DISCARD,
	[SIM_OP_FLUSH] = SSDQOS_FLASH_FLUSH,
	[SIM_OP_WRITE_FUA] = SSDQOS_FLASH_WRITE,
};

/* ---- what comes out ---- */

static void run_write_events(struct run *run)
{
	struct ssdqos_flash_record rec[RUN_RECORDS];
	u32 nr, i;

	if (!run->output->events)
		return;
	while ((nr = ssdqos_flash_log_take(run->drive, rec, RUN_RECORDS)))
		for (i = 0; i < nr; i++)
			fprintf(run->output->events, "%llu,%s,%s,%u,%u,%u,%u,%u\n",
				rec[i].time_ns, ssdqos_flash_event_names[rec[i].event],
				ssdqos_flash_task_rows[rec[i].task].name, rec[i].op, rec[i].plane,
				rec[i].block, rec[i].page, rec[i].units);
}

static void run_write_request(struct run *run, const struct run_slot *slot)
{
	const struct ssdqos_flash_req *req = &slot->req;

	fprintf(run->output->requests, "%llu,%llu,%c,%llu,%llu,%llu,%u", slot->number,
		req->arrival_ns, SIM_OP_LETTERS[slot->op], req->sector << SECTOR_SHIFT,
		(u64)req->nr_sectors << SECTOR_SHIFT, req->complete_ns, req->met);
	for (u32 wait = 0; wait < SSDQOS_NR_WAITS; wait++)
		fprintf(run->output->requests, ",%llu", req->wait_ns[wait]);
	fputc('\n', run->output->requests);
}

static void run_count_read(struct run_result *result, const struct ssdqos_flash_req *req)
{
	if (series_is_small_read(req))
		ssdqos_hist_add(&result->latency_read_small, req->complete_ns - req->arrival_ns);
	for (u32 wait = 0; wait < SSDQOS_NR_WAITS; wait++)
		result->read_wait_ns[wait] += req->wait_ns[wait];
}

static void run_count(struct run *run, const struct run_slot *slot)
{
	const struct ssdqos_flash_req *req = &slot->req;
	struct run_result *result = run->result;

	result->requests++;
	result->bytes += (u64)req->nr_sectors << SECTOR_SHIFT;
	run->last_ns = req->complete_ns;
	ssdqos_hist_add(&result->latency[req->op], req->complete_ns - req->arrival_ns);
	if (req->op == SSDQOS_FLASH_READ)
		run_count_read(result, req);
	series_count(&run->series, req);
	if (run->output->requests)
		run_write_request(run, slot);
}

/* Count and free what has completed, one request at least; returns how many. */
static u32 run_reap_all(struct run *run, struct ssdqos_flash_req *req)
{
	u32 nr = 0;

	while (req) {
		struct run_slot *slot = container_of(req, struct run_slot, req);

		req = req->next;
		run_count(run, slot);
		pool_put(&run->slots, slot);
		nr++;
	}
	return nr;
}

/* Most events complete nothing. */
static inline u32 run_reap(struct run *run)
{
	struct ssdqos_flash_req *req = ssdqos_flash_take_done(run->drive);

	return req ? run_reap_all(run, req) : 0;
}

static void run_advance_to(struct run *run, u64 now_ns)
{
	while (!ssdqos_flash_advance(run->drive, now_ns))
		run_write_events(run);
	run_write_events(run);
}

/* A closed loop goes from event to event: nothing completes at the ends of intervals before. */
static void run_advance(struct run *run, u64 now_ns)
{
	while (run->series.end_ns < now_ns) {
		run_advance_to(run, run->series.end_ns);
		run_reap(run);
		series_step(&run->series, run->drive);
	}
	run_advance_to(run, now_ns);
}

/* ---- what goes in ---- */

/* Requests beyond the drive's end come back at its beginning, and end there at the latest. */
static void run_place(struct run *run, struct ssdqos_flash_req *req,
		      const struct sim_request *in)
{
	u64 offset = in->offset_bytes, size = in->size_bytes;

	if (offset + size > run->capacity_bytes) {
		run->result->wrapped++;
		offset %= run->capacity_bytes;
		if (size > run->capacity_bytes - offset) {
			run->result->cut++;
			size = run->capacity_bytes - offset;
		}
	}
	req->sector = offset >> SECTOR_SHIFT;
	req->nr_sectors = (u32)(((offset + size + (1u << SECTOR_SHIFT) - 1) >> SECTOR_SHIFT) -
				req->sector);
}

static void run_submit(struct run *run, const struct sim_request *in)
{
	struct run_slot *slot = pool_get(&run->slots);

	if (!run->submitted)
		series_start(&run->series, run->drive, in->arrival_ns);
	slot->number = run->submitted++;
	slot->op = in->op;
	slot->req.op = run_flash_op[in->op];
	slot->req.fua = in->op == SIM_OP_WRITE_FUA;
	slot->req.arrival_ns = in->arrival_ns;
	run_place(run, &slot->req, in);
	ssdqos_flash_submit(run->drive, &slot->req);
}

static void run_foresee(struct run *run, const struct sim_request *in, bool soon)
{
	if (in)
		ssdqos_flash_foresee(run->drive, run_flash_op[in->op],
				     in->offset_bytes >> SECTOR_SHIFT, soon);
}

static bool run_next(struct run *run, u64 now_ns, struct sim_request *in)
{
	int r;

	if (run->source->load)
		return load_next(run->source->load, now_ns, in);
	r = trace_next(run->source->trace, in);
	run->failed = r < 0;
	return r > 0;
}

/* @steps: calls so far */
static void run_show(struct run *run, u64 now_ns, u64 steps)
{
	u64 ppm;

	if (!progress_is_due(steps))
		return;
	ppm = run->source->load ? load_progress_ppm(run->source->load, now_ns) :
				  trace_progress_ppm(run->source->trace);
	progress_show(&run->progress, run->submitted, now_ns, ppm);
}

/* ---- loops ---- */

static void run_open_loop(struct run *run)
{
	struct sim_request in;
	u64 now_ns = 0;

	while (run_next(run, now_ns, &in)) {
		now_ns = in.arrival_ns;
		if (!run->submitted)
			run->first_ns = now_ns;
		run_foresee(run, &in, false);
		run_advance(run, now_ns);
		run_submit(run, &in);
		run_reap(run);
		run_show(run, now_ns, run->submitted);
	}
}

static void run_closed_loop(struct run *run)
{
	struct sim_request in;
	struct client client;
	u64 now_ns = 0, steps = 0;

	client_start(&client, run->source->load, now_ns);
	for (;;) {
		u64 next_ns;
		u32 done;

		while (client_take(&client, now_ns, &in)) {
			run_foresee(run, load_peek(client.load, LOAD_AHEAD - 1), false);
			run_foresee(run, load_peek(client.load, RUN_SOON), true);
			run_submit(run, &in);
		}
		run_show(run, now_ns, steps++);
		next_ns = min(ssdqos_flash_next_ns(run->drive), client_next_ns(&client));
		done = run_reap(run);
		if (!done) {
			if (next_ns == SSDQOS_NEVER_NS ||
			    (!client.nr && run->result->requests == run->submitted))
				break;
			now_ns = next_ns;
			run_advance(run, now_ns);
			done = run_reap(run);
		}
		client_completed(&client, done, now_ns);
	}
	client_stop(&client);
}

/* Let everything that was submitted complete. */
static void run_drain(struct run *run)
{
	u64 next_ns, steps = 0;

	run_reap(run);
	while (run->result->requests < run->submitted &&
	       (next_ns = ssdqos_flash_next_ns(run->drive)) != SSDQOS_NEVER_NS) {
		run_advance(run, next_ns);
		run_reap(run);
		run_show(run, next_ns, steps++);
	}
	run->result->stuck = run->submitted - run->result->requests;
}

void run_result_init(struct run_result *result)
{
	memset(result, 0, sizeof(*result));
	for (u32 op = 0; op < SSDQOS_FLASH_NR_OPS; op++)
		ssdqos_hist_init(&result->latency[op]);
	ssdqos_hist_init(&result->latency_read_small);
}

int run_drive(struct ssdqos_flash *drive, const struct run_source *source,
	      const struct run_output *output, struct run_result *result,
	      struct sim_error *error)
{
	struct run run = {
		.drive = drive,
		.source = source,
		.output = output,
		.result = result,
		.capacity_bytes = drive_bytes(drive),
	};
	u64 wall_ns = clock_wall_ns();
	u64 cpu_ns = clock_cpu_ns();

	run_result_init(result);
	series_init(&run.series, &output->series);
	if (output->events)
		ssdqos_flash_log_enable(drive, RUN_ALL_EVENTS);
	pool_init(&run.slots, sizeof(struct run_slot));
	progress_start(&run.progress, stderr);
	if (source->load && !load_is_open(source->load))
		run_closed_loop(&run);
	else
		run_open_loop(&run);
	run_drain(&run);
	series_finish(&run.series, drive, run.last_ns);
	progress_end(&run.progress);
	pool_free(&run.slots);
	result->virtual_ns = run.last_ns - run.first_ns;
	result->wall_ns = clock_wall_ns() - wall_ns;
	result->cpu_ns = clock_cpu_ns() - cpu_ns;
	if (run.failed)
		return sim_error_set(error, "%s", trace_error(source->trace));
	if (!run.submitted && source->trace)
		return sim_error_set(error, "%s: the trace has no requests",
				     trace_name(source->trace));
	return 0;
}
