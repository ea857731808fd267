// SPDX-License-Identifier: GPL-2.0
/*
 * event.c - a drive's clock: requests arrive, events happen
 *
 * Floors call downwards.  What has to go up is a row of operations (a task's), what a
 * call returns (the operation that has ended), or a mark that is settled here, when
 * the event ends.
 */
#include "drive.h"

#define BYTES_NS_PER_MB_S 1000	/* 1 byte at 1 MB/s takes 1000 ns */
#define FLASH_SECTOR_SHIFT 9
#define FLASH_EVENT_UNITS 8	/* an event that looks at so many units takes as long as two */

/* ---- what an event has changed ---- */

/* A plane has one more free block: who can go on? */
static void settle_erased(struct ssdqos_flash *f)
{
	u32 plane = f->marks.erased;

	f->marks.erased = SSDQOS_NIL;
	flash_buffer_plane_changed(f, plane);
	/* before the host takes what there is: reads may wait for the map */
	flash_mapcache_space(f);
	flash_buffer_pump(f);
	flash_scrub_check(f, plane);
	flash_wear_check(f, plane);
}

/* There is room in the write buffer: for writes that wait, and then for programs. */
static void settle_slots_freed(struct ssdqos_flash *f)
{
	f->marks.slots_freed = false;
	flash_host_slots_freed(f);
	flash_buffer_pump(f);
}

/* Planes that waited for their turn to empty a block, and may now. */
static void settle_turns(struct ssdqos_flash *f)
{
	u32 plane;

	f->marks.turns_put = false;
	while ((plane = flash_turn_next(f)) != SSDQOS_NIL) {
		flash_gc_check(f, plane);
		flash_scrub_check(f, plane);
		flash_wear_check(f, plane);
		flash_turn_asked(f, plane);
	}
}

/* The end of an event: who has to know of what it has changed, in this order. */
void flash_settle_marks(struct ssdqos_flash *f)
{
	while (f->marks.any) {
		f->marks.any = false;
		flash_page_settle(f);
		if (f->marks.erased != SSDQOS_NIL)
			settle_erased(f);
		if (f->marks.turns_put)
			settle_turns(f);
		if (f->marks.slots_freed)
			settle_slots_freed(f);
	}
}

/* ---- commands ---- */

/* How long the controller and the interface are busy with a command. */
static u64 flash_command_ns(const struct ssdqos_flash *f,
			    const struct ssdqos_flash_req *req)
{
	u64 bytes = (u64)req->nr_sectors << FLASH_SECTOR_SHIFT, ns = 0;

	if (req->op == SSDQOS_FLASH_DISCARD && f->cfg.trim_command)
		return flash_trim_ns(f, req);
	if (req->op != SSDQOS_FLASH_READ && req->op != SSDQOS_FLASH_WRITE)
		return 0;
	if (f->cfg.link_mb_s)
		ns = div64_u64(bytes * BYTES_NS_PER_MB_S, f->cfg.link_mb_s);
	return ns + (req->op == SSDQOS_FLASH_READ ? f->cfg.read_command_ns :
						    f->cfg.write_command_ns);
}

static void flash_command_arm(struct ssdqos_flash *f)
{
	struct ssdqos_flash_req *req = f->command_wait.head;

	req->command_ns = flash_command_ns(f, req);
	ssdqos_evq_set(&f->evq, flash_timer_id(f, FLASH_TIMER_COMMAND),
		       f->now_ns + req->command_ns);
}

/* The controller has taken a command. */
static void flash_command_event(struct ssdqos_flash *f)
{
	struct ssdqos_flash_req *req = flash_reqs_pop(&f->command_wait);

	if (f->command_wait.head)
		flash_command_arm(f);
	flash_host_start(f, req);
}

static void flash_command(struct ssdqos_flash *f, struct ssdqos_flash_req *req)
{
	bool first = !f->command_wait.head;

	if (first && !flash_command_ns(f, req)) {
		flash_host_start(f, req);
		return;
	}
	flash_reqs_push(&f->command_wait, req);
	if (first)
		flash_command_arm(f);
}

/**
 * ssdqos_flash_submit - a request arrives
 * @f: the drive, advanced to at least the arrival
 * @req: the request with its input fields set; it belongs to the model until
 *	 ssdqos_flash_take_done() gives it back
 *
 * An arrival before the drive's time is moved up to it.  Context: any; the
 * caller serialises.
 */
void ssdqos_flash_submit(struct ssdqos_flash *f, struct ssdqos_flash_req *req)
{
	u64 end = req->sector + req->nr_sectors + SSDQOS_UNIT_SECTORS - 1;

	f->now_ns = max(f->now_ns, req->arrival_ns);
	req->arrival_ns = f->now_ns;
	req->met = 0;
	req->stall = 0;
	req->traced = false;
	req->uncached = false;
	req->command_ns = 0;
	req->map_ns = 0;
	req->map_page = SSDQOS_NIL;
	req->pending = 1;
	req->lpn = (u32)(req->sector >> SSDQOS_UNIT_SECTOR_SHIFT);
	req->lpn_end = min_t(u64, end >> SSDQOS_UNIT_SECTOR_SHIFT,
			     f->geo.nr_lpn);
	if (req->op == SSDQOS_FLASH_READ || req->op == SSDQOS_FLASH_WRITE)
		f->host_ns = f->now_ns;
	flash_command(f, req);
	flash_settle(f);
}

/**
 * ssdqos_flash_foresee - a request will come, some others before it
 * @f: the drive
 * @op: enum ssdqos_flash_op
 * @sector: where it begins
 * @soon: few others
 *
 * The maps of a large drive are in no cache, and a request that looks something
 * up there waits for memory.  A caller that knows what will come says so twice:
 * first what the map says is fetched, then what it says is there.  That is for
 * speed only; nothing changes, whether the request comes or not.  Context: any;
 * the caller serialises.
 */
void ssdqos_flash_foresee(const struct ssdqos_flash *f, u32 op, u64 sector,
			  bool soon)
{
	u32 lpn = (u32)(sector >> SSDQOS_UNIT_SECTOR_SHIFT);

	if (lpn >= f->geo.nr_lpn)
		return;
	if (!soon) {
		flash_foresee_unit(f, lpn);
		return;
	}
	if (f->map.page)
		prefetchw(&f->l2p[f->geo.map_lpn + (lpn >> SSDQOS_MAP_SHIFT)]);
	if (f->l2p[lpn] & FLASH_IN_BUFFER)	/* unmapped ones, too */
		return;
	prefetchw(&f->blocks[flash_block_of(f, f->l2p[lpn])]);
	if (op == SSDQOS_FLASH_WRITE)
		prefetchw(&f->p2l[f->l2p[lpn]]);
}

/* ---- the clock ---- */

static void flash_timer_event(struct ssdqos_flash *f, u32 timer)
{
	switch (timer) {
	case FLASH_TIMER_RAM:
		flash_host_ram_event(f);
		break;
	case FLASH_TIMER_TRIM:
		flash_trim_event(f);
		break;
	case FLASH_TIMER_FILL:
		flash_buffer_fill_timeout(f);
		break;
	case FLASH_TIMER_SHARE:
		flash_share_step(f);
		flash_chip_kick_all(f);
		flash_verify_check(f);
		flash_share_go_on(f);
		break;
	case FLASH_TIMER_QUIET:
		flash_chip_quiet_event(f);
		break;
	case FLASH_TIMER_BURST:
		flash_gc_burst_event(f);
		break;
	case FLASH_TIMER_COMMAND:
		flash_command_event(f);
		break;
	case FLASH_TIMER_VERIFY:
		flash_verify_check(f);
		break;
	}
}

/* An operation has ended.  What follows from that, in this order: */
static void flash_op_ended(struct ssdqos_flash *f, struct flash_op *op)
{
	struct flash_plane *p = &f->planes[op->plane];
	u32 kind = op->kind;

	flash_plane_release(f, p, op);
	flash_chip_release(f, p, op);
	if (kind == SSDQOS_NAND_READ)
		flash_scrub_note(f, flash_block_of(f, op->psn));
	flash_plane_pump(f, p);
	f->tasks[op->task]->op_done(f, op);
	flash_settle(f);
	flash_chip_next(f, p->chip, op);
	flash_plane_resume(f, p, kind);
}

static void flash_event(struct ssdqos_flash *f, u32 id)
{
	struct flash_op *op = NULL;

	if (id < f->geo.nr_planes)
		op = flash_plane_event(f, id);
	else if (id < f->geo.nr_planes + f->geo.channels)
		op = flash_channel_event(f, id - f->geo.nr_planes);
	else
		flash_timer_event(f, id - f->geo.nr_planes - f->geo.channels);
	if (op)
		flash_op_ended(f, op);
	else
		flash_settle(f);
}

static inline void flash_next_event(struct ssdqos_flash *f)
{
	u64 time_ns;
	u32 id = ssdqos_evq_pop(&f->evq, &time_ns);

	f->now_ns = max(f->now_ns, time_ns);
	flash_event(f, id);
}

/**
 * ssdqos_flash_advance - process all events up to a time
 * @f: the drive
 * @now_ns: the time; one before the drive's own changes nothing
 *
 * Events happen at their own times, in order.  Context: any; the caller
 * serialises.
 *
 * Return: true when the drive's time is @now_ns; false when the log is nearly
 * full: empty it with ssdqos_flash_log_take() and call again.
 */
bool ssdqos_flash_advance(struct ssdqos_flash *f, u64 now_ns)
{
	while (ssdqos_evq_next_ns(&f->evq) <= now_ns) {
		if (unlikely(f->log.nr > f->log.size / 2))
			return false;
		flash_next_event(f);
	}
	f->now_ns = max(f->now_ns, now_ns);
	return true;
}

/* Process the next event, which may be worth some. */
static void flash_next_events(struct ssdqos_flash *f, u32 *left)
{
	u32 worth;

	f->event_units = 0;
	flash_next_event(f);
	worth = 1 + f->event_units / FLASH_EVENT_UNITS;
	*left -= min(*left, worth);
}

/**
 * ssdqos_flash_advance_some - the same, or as far as some events lead
 * @f: the drive
 * @now_ns: the time
 * @left: so many events at most; gets what is left of them
 *
 * Events of one time count each, and one of a discard as many as take as long.  Context: any;
 * the caller serialises.
 *
 * Return: true when the drive's time is @now_ns; false when the log is nearly
 * full, or nothing is left.
 */
bool ssdqos_flash_advance_some(struct ssdqos_flash *f, u64 now_ns, u32 *left)
{
	while (ssdqos_evq_next_ns(&f->evq) <= now_ns) {
		if (!*left || f->log.nr > f->log.size / 2)
			return false;
		flash_next_events(f, left);
	}
	f->now_ns = max(f->now_ns, now_ns);
	return true;
}

/**
 * ssdqos_flash_now_ns - the drive's time
 * @f: the drive
 *
 * Return: model time up to which it was advanced.
 */
u64 ssdqos_flash_now_ns(const struct ssdqos_flash *f)
{
	return f->now_ns;
}

/**
 * ssdqos_flash_next_ns - when the drive wants to be woken
 * @f: the drive
 *
 * Return: model time of its next event, SSDQOS_NEVER_NS if it is idle.
 */
u64 ssdqos_flash_next_ns(const struct ssdqos_flash *f)
{
	return ssdqos_evq_next_ns(&f->evq);
}

/**
 * ssdqos_flash_take_done - take the requests that have completed
 * @f: the drive
 *
 * Return: a list linked by @next in the order of completion, or NULL.
 */
struct ssdqos_flash_req *ssdqos_flash_take_done(struct ssdqos_flash *f)
{
	struct ssdqos_flash_req *done = f->done.head;

	f->done.head = NULL;
	return done;
}
