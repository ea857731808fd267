// SPDX-License-Identifier: GPL-2.0
/*
 * trip.c - where the time of a host read goes
 *
 * A host read is, from the arrival of its request on,
 *
 *	waiting for a page of the map or for a slot	(the request, host.c)
 *	being taken by the controller, a command	CONTROLLER
 *	in the queue of its chip			SCHED, and BY_GC while
 *							a burst holds the drive
 *	parked, as its plane is held (hold.c)		BY_GC
 *	handed over, its plane busy			BY_task, by who used it
 *	being made by the controller			CONTROLLER
 *	served by the array				FLASH
 *	waiting for the channel				BY_task
 *	transferred					FLASH
 *
 * Each server keeps how long it worked for each task; who has waited for it
 * compares that with what it was when the wait began.  What no task used is
 * time without a register or a free slot: it counts as SCHED.  So the causes
 * add up to the time from arrival to end, to the nanosecond.
 */
#include "media.h"

void flash_trips_init(struct ssdqos_flash *f, u32 nr)
{
	u32 i;

	f->free_trip = NULL;
	for (i = 0; i < nr; i++) {
		f->trips[i].next = f->free_trip;
		f->free_trip = &f->trips[i];
	}
}

/* Did it wait for collection, or in a queue: for its turn, or for others? */
static u8 trip_met(const u64 *wait_ns)
{
	u64 gc_ns = wait_ns[SSDQOS_WAIT_BY_GC];
	u64 queue_ns = wait_ns[SSDQOS_WAIT_SLOT] + wait_ns[SSDQOS_WAIT_SCHED];
	u32 i;

	for (i = SSDQOS_WAIT_BY_HOST; i < SSDQOS_NR_WAITS; i++)
		queue_ns += wait_ns[i];
	queue_ns -= gc_ns;
	return (gc_ns ? SSDQOS_FLASH_MET_GC : 0) |
	       (queue_ns ? SSDQOS_FLASH_MET_QUEUE : 0);
}

/* What ended last was no flash read: the controller's memory at most, and
 * before that a wait for the map, for room in the buffer or for old data.
 */
void flash_trip_none(const struct ssdqos_flash *f, struct ssdqos_flash_req *req)
{
	u64 rest_ns = req->complete_ns - req->arrival_ns;
	u64 *wait_ns = req->wait_ns;

	memset(wait_ns, 0, sizeof(req->wait_ns));
	wait_ns[SSDQOS_WAIT_CONTROLLER] =
		min_t(u64, rest_ns, req->command_ns +
				    (req->op == SSDQOS_FLASH_DISCARD ?
				     f->cfg.trim_ns : f->cfg.ram_ns));
	rest_ns -= wait_ns[SSDQOS_WAIT_CONTROLLER];
	wait_ns[SSDQOS_WAIT_MAP_MISS] = min(rest_ns, req->map_ns);
	wait_ns[SSDQOS_WAIT_SLOT] = rest_ns - wait_ns[SSDQOS_WAIT_MAP_MISS];
	if (req->op == SSDQOS_FLASH_READ)
		req->met |= trip_met(wait_ns);
}

/* A read of the request is being made now. */
struct flash_trip *flash_trip_begin(struct ssdqos_flash *f,
				    struct ssdqos_flash_req *req)
{
	struct flash_trip *trip = f->free_trip;

	f->free_trip = trip->next;
	memset(trip->wait_ns, 0, sizeof(trip->wait_ns));
	trip->req = req;
	trip->wait_ns[SSDQOS_WAIT_MAP_MISS] = req->map_ns;
	trip->wait_ns[SSDQOS_WAIT_CONTROLLER] = req->command_ns;
	trip->wait_ns[SSDQOS_WAIT_SLOT] = f->now_ns - req->arrival_ns -
					  req->map_ns - req->command_ns;
	trip->held_ns = flash_burst_held_ns(f);
	return trip;
}

/* Another read is made in place of one that is parked: what that has waited for is
 * past, whoever reads.
 */
struct flash_trip *flash_trip_again(struct ssdqos_flash *f,
				    const struct flash_trip *of)
{
	struct flash_trip *trip = f->free_trip;

	f->free_trip = trip->next;
	memcpy(trip->wait_ns, of->wait_ns, sizeof(trip->wait_ns));
	trip->req = of->req;
	trip->wait_ns[SSDQOS_WAIT_BY_GC] += f->now_ns - of->mark_ns;
	trip->held_ns = flash_burst_held_ns(f);
	return trip;
}

/* A read is not made after all. */
void flash_trip_drop(struct ssdqos_flash *f, struct flash_trip *trip)
{
	trip->next = f->free_trip;
	f->free_trip = trip;
}

/* The chip is given the read, which has been in its queue for @waited_ns. */
void flash_trip_issued(const struct ssdqos_flash *f, struct flash_trip *trip,
		       u64 waited_ns)
{
	u64 held_ns = flash_burst_held_ns(f) - trip->held_ns;

	trip->wait_ns[SSDQOS_WAIT_BY_GC] += held_ns;
	trip->wait_ns[SSDQOS_WAIT_SCHED] += waited_ns - held_ns;
	trip->mark_ns = f->now_ns;
}

/* It waits in a queue again, after a time in which its plane was held. */
void flash_trip_parked(const struct ssdqos_flash *f, struct flash_trip *trip)
{
	trip->wait_ns[SSDQOS_WAIT_BY_GC] += f->now_ns - trip->mark_ns;
	trip->held_ns = flash_burst_held_ns(f);
	trip->mark_ns = f->now_ns;
}

/* For how long a server has done what it does now. */
static u64 trip_present_ns(const struct flash_use *use, u64 now_ns)
{
	return now_ns > use->start_ns ? now_ns - use->start_ns : 0;
}

/* A wait for a server begins; @user: the task that it works for. */
void flash_trip_wait(struct flash_trip *trip, const struct flash_use *use,
		     u32 user, u64 now_ns)
{
	memcpy(trip->busy_ns, use->busy_ns, sizeof(trip->busy_ns));
	if (user < SSDQOS_NR_TASKS)
		trip->busy_ns[user] += trip_present_ns(use, now_ns);
}

/* The wait is over. */
void flash_trip_waited(struct flash_trip *trip, const struct flash_use *use,
		       u32 user, u64 now_ns)
{
	u64 *by_ns = &trip->wait_ns[SSDQOS_WAIT_BY_HOST];
	u64 rest_ns = now_ns - trip->mark_ns, present_ns;
	u32 task;

	for (task = 0; task < SSDQOS_NR_TASKS; task++) {
		u64 busy_ns = use->busy_ns[task] - trip->busy_ns[task];

		by_ns[task] += busy_ns;
		rest_ns -= busy_ns;
	}
	if (user < SSDQOS_NR_TASKS) {
		present_ns = trip_present_ns(use, now_ns);
		by_ns[user] += present_ns;
		rest_ns -= present_ns;
	}
	trip->wait_ns[SSDQOS_WAIT_SCHED] += rest_ns;
	trip->mark_ns = now_ns;
}

/* The read has ended; if it is its request's last part, its causes are the
 * request's.
 */
void flash_trip_end(struct ssdqos_flash *f, struct flash_trip *trip)
{
	struct ssdqos_flash_req *req = trip->req;
	u32 i;

	f->host_waits.nr++;
	for (i = 0; i < SSDQOS_NR_WAITS; i++)
		f->host_waits.ns[i] += trip->wait_ns[i];
	req->met |= trip_met(trip->wait_ns);
	if (req->op == SSDQOS_FLASH_READ && req->pending == 1) {
		memcpy(req->wait_ns, trip->wait_ns, sizeof(req->wait_ns));
		req->traced = true;
	}
	trip->next = f->free_trip;
	f->free_trip = trip;
}
