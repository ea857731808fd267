// SPDX-License-Identifier: GPL-2.0
#include "serve.h"

/* ---- queues ---- */

static void push(struct mirror_queue *queue, struct mirror_request *request)
{
	request->next = NULL;
	if (queue->first)
		queue->last->next = request;
	else
		queue->first = request;
	queue->last = request;
}

static struct mirror_request *pop(struct mirror_queue *queue)
{
	struct mirror_request *request = queue->first;

	if (request)
		queue->first = request->next;
	return request;
}

static u64 now_ns(const struct mirror_serve *serve)
{
	return serve->members->now_ns;
}

static void answer(struct mirror_request *request)
{
	request->serve->watch.failed += request->failed;
	push(&request->serve->done, request);
}

static void part_done(struct mirror_request *request)
{
	if (!--request->parts)
		answer(request);
}

/* It waits for memory, beside what it waits for already. */
static void add_memory(struct mirror_request *request)
{
	request->parts++;
	request->due_ns = now_ns(request->serve) + MIRROR_MEMORY_NS;
	push(&request->serve->memory, request);
}

/* ---- writes go to all drives, and reads to one of them ---- */

static void plain_send(struct mirror_request *request, u32 member, u32 op);

static void plain_done(struct member_io *io, bool failed)
{
	struct mirror_request *request = io->owner;
	struct mirror_serve *serve = request->serve;

	request->failed |= failed;
	if (--request->parts)
		return;
	if (!request->durable || request->is_written) {
		answer(request);
		return;
	}
	request->is_written = true;
	for (u32 i = 0; i < serve->members->nr; i++)
		plain_send(request, i, SSDQOS_FLASH_FLUSH);
}

static void plain_send(struct mirror_request *request, u32 member, u32 op)
{
	struct members *members = request->serve->members;
	struct member_io *io = members_io(members, plain_done, request);

	io->member = member;
	io->block = request->block;
	io->nr = op == SSDQOS_FLASH_FLUSH ? 0 : (u32)request->nr;
	request->parts++;
	members_send(members, io, op, false);
}

/* As md raid1 does it: who has the fewest requests under way. */
static u32 plain_choose(const struct members *members)
{
	u32 best = 0;

	for (u32 i = 1; i < members->nr; i++)
		if (members->member[i].under_way < members->member[best].under_way)
			best = i;
	return best;
}

static void plain_submit(struct mirror_request *request)
{
	const struct members *members = request->serve->members;

	if (request->op == SSDQOS_FLASH_READ) {
		plain_send(request, plain_choose(members), request->op);
		return;
	}
	for (u32 i = 0; i < members->nr; i++)
		plain_send(request, i, request->op);
}

/* ---- reads from members that take turns ---- */

static void read_done(struct member_io *io, bool failed);

/* Blocks up to @end, by nobody of @tried.  Return: some of them needed no drive. */
static bool read_from(struct mirror_request *request, u64 block, u64 end, u8 tried)
{
	struct mirror_serve *serve = request->serve;
	struct ssdqos_mirror_source source;
	bool memory = false;

	for (; block < end; block += source.nr) {
		struct member_io *io;

		ssdqos_mirror_read(serve->mirror, block, (u32)(end - block), tried, &source);
		serve->watch.wrong += mirror_data_wrong(serve->data, block, &source);
		if (source.member == SSDQOS_MIRROR_NOBODY) {
			memory = true;
			if (source.slot == SSDQOS_NIL)
				request->failed = true;
			else
				ssdqos_mirror_unpin(serve->mirror, source.slot);
			continue;
		}
		io = members_io(serve->members, read_done, request);
		io->member = source.member;
		io->block = block;
		io->nr = source.nr;
		io->tried = tried;
		request->parts++;
		members_send(serve->members, io, SSDQOS_FLASH_READ, false);
	}
	return memory;
}

static void read_done(struct member_io *io, bool failed)
{
	struct mirror_request *request = io->owner;
	struct mirror_serve *serve = request->serve;

	ssdqos_mirror_read_done(serve->mirror, io->member, failed, now_ns(serve));
	if (failed) {
		serve->ops.touched = true;
		read_from(request, io->block, io->block + io->nr,
			  (u8)(io->tried | 1u << io->member));
	}
	part_done(request);
}

static void read_submit(struct mirror_request *request)
{
	if (read_from(request, request->block, request->block + request->nr, 0))
		add_memory(request);
}

/* ---- writes to them ---- */

static void sync(struct mirror_request *request)
{
	struct mirror_serve *serve = request->serve;

	request->mark = ssdqos_mirror_flush(serve->mirror);
	serve->ops.touched = true;
	/* nothing is promised */
	if (request->mark)
		push(&serve->flushes, request);
	else
		add_memory(request);
}

/* It waits for its parts no more. */
static void write_done(struct mirror_request *request)
{
	if (request->durable && request->unsafe)
		sync(request);
	else
		add_memory(request);
}

static void write_part_done(void *owner, bool safe)
{
	struct mirror_request *request = owner;

	request->unsafe |= !safe;
	if (!--request->parts)
		write_done(request);
}

/* So many blocks of it have their slots. */
static void write_part(struct mirror_request *request, u32 nr, const u32 *slots)
{
	struct mirror_serve *serve = request->serve;

	if (serve->journal &&
	    mirror_journal_add(serve->journal, request->at, nr, slots, request)) {
		request->parts++;
		return;
	}
	for (u32 i = 0; i < nr; i++) {
		mirror_data_publish(serve->data, request->at + i, slots[i]);
		ssdqos_mirror_publish(serve->mirror, request->at + i, slots[i]);
	}
	request->unsafe = true;
}

/* Return: all of it is in the cache. */
static bool write_some(struct mirror_request *request)
{
	struct mirror_serve *serve = request->serve;
	const u64 end = request->block + request->nr;
	u32 slots[SSDQOS_MIRROR_MAX_RUN];

	while (request->at < end) {
		const u32 nr = (u32)min(end - request->at, (u64)SSDQOS_MIRROR_MAX_RUN);

		serve->admit_ns = ssdqos_mirror_take(serve->mirror, nr, slots, now_ns(serve));
		if (serve->admit_ns)
			return false;
		write_part(request, nr, slots);
		request->at += nr;
		serve->ops.touched = true;
		serve->watch.cache_high = max(serve->watch.cache_high, serve->mirror->cache.used);
	}
	return true;
}

static void admit(struct mirror_serve *serve)
{
	while (serve->writes.first && write_some(serve->writes.first))
		write_part_done(pop(&serve->writes), true);
	if (!serve->writes.first)
		serve->admit_ns = SSDQOS_NEVER_NS;
}

static void write_submit(struct mirror_request *request)
{
	request->at = request->block;
	request->unsafe = false;
	/* that it has all its slots */
	request->parts = 1;
	push(&request->serve->writes, request);
	/* those before it go first */
	if (request->serve->writes.first == request)
		request->serve->admit_ns = 0;
}

static void flush_submit(struct mirror_request *request)
{
	struct mirror_serve *serve = request->serve;

	if (serve->journal && ssdqos_flow_flush(&serve->journal->flow))
		add_memory(request);
	else
		sync(request);
}

static void discard_submit(struct mirror_request *request)
{
	struct mirror_serve *serve = request->serve;

	mirror_data_discard(serve->data, request->block, (u32)request->nr);
	ssdqos_mirror_discard(serve->mirror, request->block, (u32)request->nr);
	serve->ops.touched = true;
	add_memory(request);
}

/* ---- all ---- */

void mirror_request_place(struct mirror_request *request, u64 from, u64 end)
{
	u64 first = from / SSDQOS_MIRROR_BLOCK_BYTES;
	u64 behind = DIV_ROUND_UP(end, SSDQOS_MIRROR_BLOCK_BYTES);

	request->bytes = end - from;
	if (request->op == SSDQOS_FLASH_DISCARD) {
		first = DIV_ROUND_UP(from, SSDQOS_MIRROR_BLOCK_BYTES);
		behind = max(first, end / SSDQOS_MIRROR_BLOCK_BYTES);
	}
	request->block = first;
	request->nr = behind - first;
}

void mirror_serve_submit(struct mirror_serve *serve, struct mirror_request *request)
{
	request->serve = serve;
	request->parts = 0;
	request->failed = false;
	request->is_written = false;
	/* a discard of less than a block */
	if (request->op == SSDQOS_FLASH_DISCARD && !request->nr)
		add_memory(request);
	else if (!serve->mirror)
		plain_submit(request);
	else if (request->op == SSDQOS_FLASH_READ)
		read_submit(request);
	else if (request->op == SSDQOS_FLASH_WRITE)
		write_submit(request);
	else if (request->op == SSDQOS_FLASH_DISCARD)
		discard_submit(request);
	else
		flush_submit(request);
}

static void answer_memory(struct mirror_serve *serve)
{
	while (serve->memory.first && serve->memory.first->due_ns <= now_ns(serve))
		part_done(pop(&serve->memory));
}

static void answer_flushes(struct mirror_serve *serve)
{
	while (serve->flushes.first &&
	       serve->flushes.first->mark <= ssdqos_mirror_flushed(serve->mirror))
		answer(pop(&serve->flushes));
}

static void run_journal(struct mirror_serve *serve)
{
	struct mirror_journal *journal = serve->journal;

	if (!journal)
		return;
	mirror_journal_step(journal);
	serve->watch.journal_high = max(serve->watch.journal_high, journal->flow.ring.used);
}

/* Does somebody wait for room? */
static bool has_waiting(const struct mirror_serve *serve)
{
	return serve->writes.first || (serve->journal && serve->journal->flow.queued);
}

/* Slots may become free without an instruction, when a flush is noted. */
static void run_mirror(struct mirror_serve *serve)
{
	struct ssdqos_mirror *mirror = serve->mirror;

	mirror_ops_metadata(&serve->ops);
	serve->ops.touched |= min(serve->wake_ns, serve->admit_ns) <= now_ns(serve);
	serve->ops.touched |= serve->journal && serve->journal->touched;
	while (serve->ops.touched) {
		u32 free;

		serve->ops.touched = false;
		admit(serve);
		run_journal(serve);
		free = mirror->cache.free.nr;
		mirror_ops_begin(&serve->ops);
		serve->ops.touched |= has_waiting(serve) && mirror->cache.free.nr != free;
	}
	serve->wake_ns = ssdqos_mirror_wake_ns(mirror, now_ns(serve));
	answer_flushes(serve);
}

static u32 reap(struct mirror_serve *serve)
{
	u32 nr = members_reap(serve->members);

	return serve->journal ? nr + journal_device_reap(&serve->journal->device) : nr;
}

void mirror_serve_step(struct mirror_serve *serve)
{
	if (serve->journal)
		journal_device_advance(&serve->journal->device, now_ns(serve));
	reap(serve);
	do {
		answer_memory(serve);
		if (serve->mirror)
			run_mirror(serve);
	} while (reap(serve));
}

void mirror_serve_look(struct mirror_serve *serve)
{
	const u64 ns = now_ns(serve) - serve->seen_ns;

	for (u32 i = 0; serve->mirror && i < serve->mirror->nr; i++)
		serve->watch.state_ns[i][serve->mirror->members[i].state] += ns;
	serve->seen_ns = now_ns(serve);
}

u64 mirror_serve_next_ns(const struct mirror_serve *serve)
{
	u64 ns = members_next_ns(serve->members);

	if (serve->ops.touched)
		return now_ns(serve);
	if (serve->memory.first)
		ns = min(ns, serve->memory.first->due_ns);
	if (!serve->mirror)
		return ns;
	ns = min(ns, mirror_ops_next_ns(&serve->ops));
	if (serve->journal)
		ns = min(ns, journal_device_next_ns(&serve->journal->device));
	return min(ns, min(serve->wake_ns, serve->admit_ns));
}

struct mirror_request *mirror_serve_take_done(struct mirror_serve *serve)
{
	return pop(&serve->done);
}

void mirror_serve_init(struct mirror_serve *serve, struct members *members,
		       struct ssdqos_mirror *mirror, struct mirror_data *data)
{
	*serve = (struct mirror_serve){
		.members = members, .mirror = mirror, .data = data,
		.admit_ns = SSDQOS_NEVER_NS, .wake_ns = mirror ? 0 : SSDQOS_NEVER_NS,
	};
	mirror_ops_init(&serve->ops, mirror, members, data);
}

bool mirror_serve_journal(struct mirror_serve *serve, struct mirror_journal *journal)
{
	serve->journal = journal;
	return mirror_journal_start(journal, serve->mirror, serve->data, write_part_done);
}

void mirror_serve_destroy(struct mirror_serve *serve)
{
	mirror_ops_destroy(&serve->ops);
}
