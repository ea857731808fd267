// SPDX-License-Identifier: GPL-2.0
#include "load.h"

#include <stdlib.h>

#include "../random/geometric.h"
#include "../random/random.h"
#include "../random/zipf.h"
#include "arrival.h"
#include "job.h"

#define PERCENT 100

/* A part of the drive in percent starts and ends at a multiple of this. */
#define PART_ALIGN_BYTES 4096ULL

/* Bytes given as such must be a multiple of this. */
#define SECTOR_BYTES 512ULL

/**
 * struct load_stream - the requests of one operation
 * @base_bytes: where the used part of the drive starts
 * @block_bytes: size of a request; its unit if sizes are geometric
 * @blocks: blocks in the used part
 * @hot_blocks: blocks in its hot part
 * @next_block: of a sequential stream
 * @scatter: of one that has each block once
 * @zipf: of a zipf stream
 * @sizes: blocks of a request, if they are geometric
 */
struct load_stream {
	u64 base_bytes;
	u64 block_bytes;
	u64 blocks;
	u64 hot_blocks;
	u64 next_block;
	struct scatter scatter;
	struct zipf zipf;
	struct geometric sizes;
};

/**
 * struct load - a generator
 * @random: its random numbers
 * @pattern: where requests go
 * @is_open: open loop
 * @is_mixed: reads and writes
 * @op: operation of a kind that is not mixed
 * @read_limit: a random number below this makes a read
 * @hot_limit: a random number below this goes to the hot part
 * @thinktime_ns: between a completion and the next request
 * @issued: requests given out
 * @ahead: in a closed loop those to come, by number
 * @issue_limit: how many there will be
 * @runtime_ns: how long it will go on
 * @start_ns: from when on there are requests
 * @arrival: arrival times of an open loop
 * @job: what was asked for
 * @streams: per operation
 */
struct load {
	struct sim_random random;
	enum load_pattern pattern;
	bool is_open;
	bool is_mixed;
	u8 op;
	u64 read_limit;
	u64 hot_limit;
	u64 thinktime_ns;
	u64 issued;
	struct sim_request ahead[LOAD_AHEAD];
	u64 issue_limit;
	u64 runtime_ns;
	u64 start_ns;
	struct arrival arrival;
	struct load_job job;
	struct load_stream streams[NR_SIM_OPS];
};

static u64 extent_bytes(const struct load_extent *extent, u64 drive_bytes)
{
	u64 bytes;

	if (!extent->is_part)
		return extent->bytes;
	bytes = (u64)((u128)drive_bytes * extent->part_ppm / PPM_ONE);
	return extent->part_ppm == PPM_ONE ? bytes : bytes / PART_ALIGN_BYTES * PART_ALIGN_BYTES;
}

/* size=100% behind an offset means all the rest of the drive. */
static u64 size_bytes(const struct load_job *job, u64 offset_bytes, u64 drive_bytes)
{
	const u64 bytes = extent_bytes(&job->size, drive_bytes);
	const u64 rest_bytes = offset_bytes < drive_bytes ? drive_bytes - offset_bytes : 0;

	return job->size.is_part && bytes > rest_bytes ? rest_bytes : bytes;
}

static bool is_operation_used(const struct load *load, int op)
{
	return load->is_mixed ? op != SIM_OP_DISCARD : op == load->op;
}

/* A share as a limit for 64 random bits. */
static u64 share_limit(u64 share, u64 whole)
{
	return (u64)(((u128)share << 64) / whole);
}

static int init_sizes(struct load *load, int op, u64 bytes, struct sim_error *error)
{
	struct load_stream *stream = &load->streams[op];
	const struct load_sizes *sizes = &load->job.sizes;
	const u64 largest = sizes->is_geometric ? GEOMETRIC_UNITS_MAX * GEOMETRIC_UNIT_BYTES :
						  sizes->bytes[op];

	if (bytes < largest)
		return sim_error_set(
			error,
			"load: bs is %s%llu bytes, but size leaves only %llu bytes of the drive",
			sizes->is_geometric ? "up to " : "", largest, bytes);
	if (sizes->is_geometric && stream->base_bytes % GEOMETRIC_UNIT_BYTES)
		return sim_error_set(
			error,
			"load: bs is geometric, but offset is %llu, expected a multiple of %llu",
			stream->base_bytes, GEOMETRIC_UNIT_BYTES);
	stream->block_bytes = sizes->is_geometric ? GEOMETRIC_UNIT_BYTES : sizes->bytes[op];
	stream->blocks = bytes / stream->block_bytes;
	if (sizes->is_geometric)
		geometric_init(&stream->sizes, sizes->bytes[op]);
	return 0;
}

static int init_stream(struct load *load, int op, u64 offset_bytes, u64 bytes,
		       struct sim_error *error)
{
	struct load_stream *stream = &load->streams[op];
	const struct load_distribution *distribution = &load->job.distribution;

	stream->base_bytes = offset_bytes;
	if (init_sizes(load, op, bytes, error))
		return -1;
	if (load->pattern == LOAD_PATTERN_ZIPF &&
	    zipf_init(&stream->zipf, stream->blocks, distribution->theta_ppm))
		return sim_error_set(error, "load: not enough memory for the zipf distribution");
	scatter_init(&stream->scatter, stream->blocks, load->job.seed);
	if (load->pattern == LOAD_PATTERN_HOT) {
		stream->hot_blocks =
			(u64)((u128)stream->blocks * distribution->hot_space_percent / PERCENT);
		if (!stream->hot_blocks)
			return sim_error_set(
				error, "load: random_distribution leaves no hot block among %llu",
				stream->blocks);
	}
	return 0;
}

static int check_range(u64 offset_bytes, u64 bytes, u64 drive_bytes, struct sim_error *error)
{
	if (offset_bytes % SECTOR_BYTES || bytes % SECTOR_BYTES)
		return sim_error_set(
			error,
			"load: offset is %llu and size %llu bytes, expected multiples of %llu",
			offset_bytes, bytes, SECTOR_BYTES);
	if (offset_bytes > drive_bytes || bytes > drive_bytes - offset_bytes)
		return sim_error_set(
			error,
			"load: offset %llu plus size %llu bytes pass the end of the drive at %llu",
			offset_bytes, bytes, drive_bytes);
	return 0;
}

static int init_streams(struct load *load, u64 drive_bytes, struct sim_error *error)
{
	const u64 offset_bytes = extent_bytes(&load->job.offset, drive_bytes);
	const u64 bytes = size_bytes(&load->job, offset_bytes, drive_bytes);

	if (check_range(offset_bytes, bytes, drive_bytes, error))
		return -1;
	for (int op = 0; op < NR_SIM_OPS; op++)
		if (is_operation_used(load, op) &&
		    init_stream(load, op, offset_bytes, bytes, error))
			return -1;
	return 0;
}

/* rwmixread=0 and 100 are not mixed at all, and cost no random number per request. */
static void init_operations(struct load *load)
{
	const struct load_job *job = &load->job;

	load->is_mixed = job->kind->is_mixed && job->read_ppm > 0 && job->read_ppm < PPM_ONE;
	load->op = job->kind->op;
	if (job->kind->is_mixed && !load->is_mixed)
		load->op = job->read_ppm ? SIM_OP_READ : SIM_OP_WRITE;
	if (load->is_mixed)
		load->read_limit = share_limit(job->read_ppm, PPM_ONE);
}

static int init_limits(struct load *load, struct sim_error *error)
{
	const struct load_job *job = &load->job;
	const u8 op = load->is_mixed ? SIM_OP_READ : load->op;

	load->runtime_ns = job->runtime_ns && !job->every_ns ? job->runtime_ns : ~0ULL;
	load->issue_limit = ~0ULL;
	if (job->number_ios) {
		load->issue_limit = (u64)((u128)job->number_ios * job->fraction_ppm / PPM_ONE);
		if (!load->issue_limit)
			return sim_error_set(error, "load: fraction leaves nothing of %llu requests",
					     job->number_ios);
	} else if (!job->runtime_ns) {
		load->issue_limit = load->streams[op].blocks;
	}
	return 0;
}

static void init_pattern(struct load *load)
{
	const struct load_distribution *distribution = &load->job.distribution;

	load->pattern = load->job.kind->is_random ? distribution->pattern : LOAD_PATTERN_SEQUENTIAL;
	if (load->pattern == LOAD_PATTERN_HOT)
		load->hot_limit = share_limit(distribution->hot_access_percent, PERCENT);
}

static int init_load(struct load *load, const char *line, u64 drive_bytes, struct sim_error *error)
{
	if (load_job_parse(&load->job, line, error))
		return -1;
	init_operations(load);
	init_pattern(load);
	if (init_streams(load, drive_bytes, error) || init_limits(load, error))
		return -1;
	load->thinktime_ns = load->job.thinktime_us * NS_PER_US;
	load->is_open = load_job_is_open(&load->job);
	if (load->is_open)
		arrival_init(&load->arrival, &load->job);
	sim_random_init(&load->random, load->job.seed);
	return 0;
}

struct load *load_create(const char *line, u64 drive_bytes, struct sim_error *error)
{
	struct load *load = calloc(1, sizeof(*load));

	if (!load) {
		sim_error_set(error, "load: not enough memory");
		return NULL;
	}
	if (init_load(load, line, drive_bytes, error)) {
		load_destroy(load);
		return NULL;
	}
	return load;
}

static u64 next_sequential(struct load_stream *stream)
{
	const u64 block = stream->next_block++;

	if (stream->next_block == stream->blocks)
		stream->next_block = 0;
	return block;
}

static u64 hot_block(struct load *load, const struct load_stream *stream)
{
	if (sim_random_next(&load->random) < load->hot_limit)
		return sim_random_below(&load->random, stream->hot_blocks);
	return stream->hot_blocks +
	       sim_random_below(&load->random, stream->blocks - stream->hot_blocks);
}

static u64 next_block(struct load *load, struct load_stream *stream)
{
	switch (load->pattern) {
	case LOAD_PATTERN_SEQUENTIAL:
		return next_sequential(stream);
	case LOAD_PATTERN_UNIFORM:
		return sim_random_below(&load->random, stream->blocks);
	case LOAD_PATTERN_ZIPF:
		return zipf_scatter(&stream->zipf, zipf_rank(&stream->zipf, &load->random));
	case LOAD_PATTERN_ONCE:
		return scatter_number(&stream->scatter, next_sequential(stream));
	case LOAD_PATTERN_HOT:
		return hot_block(load, stream);
	}
	return 0;
}

static u64 scaled_ns(u64 ns, u64 by, u64 divisor)
{
	return (u64)((u128)ns * by / divisor);
}

/* An open loop's time stands still while the load is away, or goes slower while it rests. */
static u64 with_pauses_ns(const struct load *load, u64 time_ns)
{
	const struct load_job *job = &load->job;
	u64 rest_ns, round_ns, into_ns, begin_ns;

	if (!job->every_ns)
		return time_ns;
	rest_ns = job->rest_iops ? scaled_ns(job->every_ns - job->runtime_ns, job->rest_iops,
					     job->rate_iops) : 0;
	round_ns = job->runtime_ns + rest_ns;
	into_ns = time_ns % round_ns;
	begin_ns = time_ns / round_ns * job->every_ns;
	if (into_ns < job->runtime_ns)
		return begin_ns + into_ns;
	return begin_ns + job->runtime_ns +
	       scaled_ns(into_ns - job->runtime_ns, job->rate_iops, job->rest_iops);
}

/* What a closed loop would ask for while it is away, it asks for when it is there again. */
static u64 after_pause_ns(const struct load *load, u64 time_ns)
{
	const u64 every_ns = load->job.every_ns;

	return every_ns && time_ns % every_ns >= load->job.runtime_ns ?
		       (time_ns / every_ns + 1) * every_ns :
		       time_ns;
}

/* In a closed loop, all that is asked for before the start comes at the start. */
static u64 next_arrival_ns(const struct load *load, u64 now_ns)
{
	const u64 passed_ns = now_ns > load->start_ns ? now_ns - load->start_ns : 0;

	return load->start_ns + (load->is_open ?
					 with_pauses_ns(load, load->arrival.time_ns) :
					 after_pause_ns(load, passed_ns + load->thinktime_ns));
}

static u8 next_op(struct load *load)
{
	if (!load->is_mixed)
		return load->op;
	return sim_random_next(&load->random) < load->read_limit ? SIM_OP_READ : SIM_OP_WRITE;
}

/* A request of several blocks that would pass the end of the part lies at its end. */
static void place(struct load *load, struct load_stream *stream, struct sim_request *request)
{
	const u64 blocks =
		load->job.sizes.is_geometric ? geometric_units(&stream->sizes, &load->random) : 1;
	u64 block = next_block(load, stream);

	if (block > stream->blocks - blocks)
		block = stream->blocks - blocks;
	request->offset_bytes = stream->base_bytes + block * stream->block_bytes;
	request->size_bytes = blocks * stream->block_bytes;
}

static void draw(struct load *load, struct sim_request *request)
{
	request->op = next_op(load);
	place(load, &load->streams[request->op], request);
}

/* What comes does not depend on when it does. */
static void draw_ahead(struct load *load)
{
	for (u32 i = 0; i < LOAD_AHEAD && !load->is_open; i++)
		draw(load, &load->ahead[i]);
}

static void take_drawn(struct load *load, struct sim_request *request)
{
	struct sim_request *drawn = &load->ahead[load->issued % LOAD_AHEAD];

	drawn->arrival_ns = request->arrival_ns;
	*request = *drawn;
	draw(load, drawn);
}

const struct sim_request *load_peek(const struct load *load, u32 after)
{
	return load->is_open ? NULL : &load->ahead[(load->issued + after) % LOAD_AHEAD];
}

bool load_next(struct load *load, u64 now_ns, struct sim_request *request)
{
	if (load->issued == 0) {
		load->start_ns = now_ns + load->job.first_ns;
		draw_ahead(load);
	}
	request->arrival_ns = next_arrival_ns(load, now_ns);
	if (load->issued >= load->issue_limit ||
	    request->arrival_ns - load->start_ns >= load->runtime_ns)
		return false;
	if (load->is_open)
		draw(load, request);
	else
		take_drawn(load, request);
	load->issued++;
	if (load->is_open)
		arrival_step(&load->arrival, &load->random);
	return true;
}

bool load_is_open(const struct load *load)
{
	return load->is_open;
}

u32 load_iodepth(const struct load *load)
{
	return (u32)load->job.iodepth;
}

u64 load_seed(const struct load *load)
{
	return load->job.seed;
}

static u64 part_ppm(u64 part, u64 whole)
{
	return part >= whole ? PPM_ONE : (u64)((u128)part * PPM_ONE / whole);
}

u64 load_progress_ppm(const struct load *load, u64 now_ns)
{
	const u64 by_requests = part_ppm(load->issued, load->issue_limit);
	const u64 by_time = now_ns > load->start_ns ?
				    part_ppm(now_ns - load->start_ns, load->runtime_ns) : 0;

	return by_requests > by_time ? by_requests : by_time;
}

void load_print_help(FILE *file)
{
	load_job_print_help(file);
}

void load_destroy(struct load *load)
{
	if (!load)
		return;
	for (int op = 0; op < NR_SIM_OPS; op++)
		zipf_free(&load->streams[op].zipf);
	free(load);
}
