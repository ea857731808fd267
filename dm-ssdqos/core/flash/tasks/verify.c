// SPDX-License-Identifier: GPL-2.0
/*
 * verify.c - pages that were only copied inside flash are read through the controller
 * (ttFlash, section 7)
 *
 * A copy inside a plane (gc_copyback) doesn't pass the controller, so nobody looks whether
 * its bits are right, and what is wrong is copied along.  A page that was written so is
 * *unverified*, and is read once when there is time:
 *
 *	(copied) -> unverified -> (read, whole, over the channel) -> verified
 *	                 |
 *	                 +-> its block is erased, or its data has gone: forgotten
 *
 * There is a bit for each flash page, and a count for each block, however much is copied.
 * Planes come one after the other, a page of each, block by block; a plane has one such
 * read at a time, the drive as many as the task's share of its operations is, whatever
 * the scheduler.
 *
 * With its least share the task is for idle time: it begins a read only when no read or
 * write came for verify_quiet_ns (and, with feedback, quiet_ns) and nothing for the host
 * is under way.  With feedback its share grows where too many pages are unverified; then
 * it works beside the host.
 *
 * A read takes no turn (turn.c): it holds nothing, and a read of the host that meets it
 * waits as for another read of the host, so the rest of a stripe is still there for
 * others (rebuild.c).  But planes that empty a block, or are held for one, are left alone.
 */
#include "tasks.h"
#include "../../engine/bits.h"

/* Pages that are looked at in one go, as most of them may have no data any more. */
#define VERIFY_LOOKS 64

/* With verify_target 0: one of so many flash pages of the drive. */
#define VERIFY_TARGET_PART 16

static u32 verify_nr_pages(const struct ssdqos_flash *f)
{
	return f->geo.nr_psn >> f->geo.page_shift;
}

/* The next unverified page of a block that has one. */
static u32 verify_page_in(const struct ssdqos_flash *f, u32 block)
{
	return flash_bits_next(f->verify.pages, NULL, verify_nr_pages(f),
			       flash_block_first(f, block) >> f->geo.page_shift);
}

static void verify_add(struct ssdqos_flash *f, u32 block, u32 page)
{
	struct flash_verify *v = &f->verify;

	if (!flash_bits_assign(v->pages, page, true))
		return;
	v->nr++;
	if (!v->nr_of[block]++)
		flash_bits_assign(v->blocks, block, true);
}

static void verify_remove(struct ssdqos_flash *f, u32 block, u32 page)
{
	struct flash_verify *v = &f->verify;

	flash_bits_assign(v->pages, page, false);
	v->nr--;
	if (!--v->nr_of[block])
		flash_bits_assign(v->blocks, block, false);
}

/* ---- when ---- */

/* Is something for the host under way, or does a request wait until that can begin? */
static bool verify_host_works(const struct ssdqos_flash *f)
{
	u32 rest = FLASH_HOST_TASKS;

	if (f->read_wait.head || f->write_wait.head)
		return true;
	for (; rest; rest &= rest - 1) {
		const struct flash_task *t = &f->task[__ffs(rest)];

		if (t->waiting || t->outstanding)
			return true;
	}
	return false;
}

/* What the scheduler would hold is not queued: it may have gone before it is read. */
static u64 verify_quiet_ns(const struct ssdqos_flash *f)
{
	return f->resting_tasks >> SSDQOS_TASK_VERIFY & 1 ?
	       max(f->cfg.verify_quiet_ns, f->cfg.quiet_ns) :
	       f->cfg.verify_quiet_ns;
}

/* A drive that was loaded may be younger than the host's rest: only differences count. */
static bool verify_is_quiet(const struct ssdqos_flash *f)
{
	return f->now_ns - f->host_ns >= verify_quiet_ns(f) &&
	       !verify_host_works(f);
}

/* Look again when the host may be quiet, or what kept a plane busy may be over. */
static void verify_arm(struct ssdqos_flash *f)
{
	u32 timer = flash_timer_id(f, FLASH_TIMER_VERIFY);
	u64 quiet_ns = verify_quiet_ns(f);
	u64 since_ns = f->now_ns - f->host_ns;

	if (ssdqos_evq_pending(&f->evq, timer))
		return;
	ssdqos_evq_set(&f->evq, timer, f->now_ns + quiet_ns -
		       (since_ns < quiet_ns ? since_ns : 0));
}

/* ---- what ---- */

static bool verify_plane_works(const struct ssdqos_flash *f, u32 plane)
{
	return flash_bits_test(f->verify.reading, plane) ||
	       f->holds[plane].emptying || flash_plane_held(f, plane);
}

/* A block of the next plane that has one and can be read now; SSDQOS_NIL: none. */
static u32 verify_next_block(struct ssdqos_flash *f)
{
	u32 nr = f->geo.nr_planes, plane = f->verify.next_plane, tries, block;

	for (tries = 0; tries < nr; tries++) {
		block = flash_bits_next(f->verify.blocks, NULL, f->geo.nr_blocks,
					plane * f->geo.blocks_per_plane);
		if (block == SSDQOS_NIL)
			return SSDQOS_NIL;
		plane = f->blocks[block].plane;
		f->verify.next_plane = plane + 1 == nr ? 0 : plane + 1;
		if (!verify_plane_works(f, plane))
			return block;
		plane = f->verify.next_plane;
	}
	return SSDQOS_NIL;
}

static bool verify_has_data(const struct ssdqos_flash *f, u32 psn)
{
	u32 i;

	for (i = 0; i < f->geo.units_per_page; i++)
		if (f->p2l[psn + i] != SSDQOS_NIL)
			return true;
	return false;
}

/* A page of the block was dealt with: was it the last one? */
static void verify_look_at_block(struct ssdqos_flash *f, u32 block)
{
	struct ssdqos_flash_record rec = {
		.time_ns = f->now_ns,
		.event = SSDQOS_FLASH_EV_BLOCK_VERIFIED,
		.task = SSDQOS_TASK_VERIFY,
		.plane = f->blocks[block].plane,
		.block = block,
		.page = f->verify.nr,
	};

	if (f->verify.nr_of[block])
		return;
	f->stats.verify_blocks++;
	if (flash_log_wants(f, SSDQOS_FLASH_EV_BLOCK_VERIFIED))
		flash_log_write(f, &rec);
}

static void verify_read(struct ssdqos_flash *f, u32 psn)
{
	u32 plane = flash_plane_of(f, psn);
	struct flash_op *op = flash_op_get(f, SSDQOS_TASK_VERIFY,
					   SSDQOS_NAND_READ, plane);

	op->psn = psn;
	op->nr_units = (u8)f->geo.units_per_page;
	f->verify.nr_reads++;
	flash_bits_assign(f->verify.reading, plane, true);
	flash_chip_queue(f, op);
}

/* Deal with a page of a block. */
static void verify_block(struct ssdqos_flash *f, u32 block)
{
	u32 page = verify_page_in(f, block);
	u32 psn = page << f->geo.page_shift;

	verify_remove(f, block, page);
	if (verify_has_data(f, psn)) {
		verify_read(f, psn);
		return;
	}
	f->stats.verify_forgotten++;
	verify_look_at_block(f, block);
}

/* Begin as many reads as there may be. */
static void verify_begin(struct ssdqos_flash *f)
{
	u32 most = f->task[SSDQOS_TASK_VERIFY].limit, looks, block;

	for (looks = 0; looks < VERIFY_LOOKS && f->verify.nr &&
	     f->verify.nr_reads < most; looks++) {
		block = verify_next_block(f);
		if (block == SSDQOS_NIL)
			return;
		verify_block(f, block);
	}
}

/* There may be something to read, and time for it. */
void flash_verify_check(struct ssdqos_flash *f)
{
	if (!f->cfg.verify || !f->verify.nr || f->rest.on)
		return;
	if (!flash_share_is_least(f, SSDQOS_TASK_VERIFY) || verify_is_quiet(f))
		verify_begin(f);
	if (f->verify.nr && !f->verify.nr_reads)
		verify_arm(f);
}

static void verify_op_done(struct ssdqos_flash *f, struct flash_op *op)
{
	f->verify.nr_reads--;
	flash_bits_assign(f->verify.reading, op->plane, false);
	f->stats.verify_pages++;
	verify_look_at_block(f, flash_block_of(f, op->psn));
	flash_verify_check(f);
}

/* ---- what others have done ---- */

/* A page was copied. */
void flash_verify_note(struct ssdqos_flash *f, u32 psn)
{
	verify_add(f, flash_block_of(f, psn), psn >> f->geo.page_shift);
	if (f->rest.on)
		return;
	flash_share_wake(f, SSDQOS_TASK_VERIFY);
	if (!f->verify.nr_reads)
		verify_arm(f);
}

/* The drive is to rest: there will be time for it afterwards. */
void flash_verify_rest(struct ssdqos_flash *f)
{
	ssdqos_evq_cancel(&f->evq, flash_timer_id(f, FLASH_TIMER_VERIFY));
}

/* The rest is over. */
void flash_verify_wake(struct ssdqos_flash *f)
{
	if (f->verify.nr)
		flash_share_wake(f, SSDQOS_TASK_VERIFY);
	flash_verify_check(f);
}

/* A block was erased. */
void flash_verify_forget(struct ssdqos_flash *f, u32 block)
{
	f->stats.verify_forgotten += f->verify.nr_of[block];
	while (f->verify.nr_of[block])
		verify_remove(f, block, verify_page_in(f, block));
}

/* ---- its share ---- */

static bool verify_is_off(const struct ssdqos_flash *f)
{
	return !f->cfg.verify;
}

static bool verify_has_more(const struct ssdqos_flash *f)
{
	return f->cfg.verify && f->verify.nr && !f->rest.on;
}

static u32 verify_share_error(struct ssdqos_flash *f)
{
	u64 target = f->cfg.verify_target ? f->cfg.verify_target :
		     verify_nr_pages(f) / VERIFY_TARGET_PART;

	return f->cfg.verify ? flash_share_above(f->verify.nr, target) : 0;
}

/* ---- making and ending ---- */

/* All that was copied is verified, or is not there any more. */
void flash_verify_clear(struct ssdqos_flash *f)
{
	struct flash_verify *v = &f->verify;

	memset(v->pages, 0, (u64)flash_bits_words(verify_nr_pages(f)) * sizeof(long));
	memset(v->blocks, 0, (u64)flash_bits_words(f->geo.nr_blocks) * sizeof(long));
	memset(v->nr_of, 0, (u64)f->geo.nr_blocks * sizeof(*v->nr_of));
	v->nr = 0;
	v->next_plane = 0;
}

int flash_verify_create(struct ssdqos_flash *f)
{
	u64 page_bytes = (u64)flash_bits_words(verify_nr_pages(f)) * sizeof(long);
	u64 block_bytes = (u64)flash_bits_words(f->geo.nr_blocks) * sizeof(long);
	u64 plane_bytes = (u64)flash_bits_words(f->geo.nr_planes) * sizeof(long);
	u64 count_bytes = (u64)f->geo.nr_blocks * sizeof(*f->verify.nr_of);

	f->verify.pages = ssdqos_env_alloc(page_bytes);
	f->verify.blocks = ssdqos_env_alloc(block_bytes);
	f->verify.reading = ssdqos_env_alloc(plane_bytes);
	f->verify.nr_of = ssdqos_env_alloc(count_bytes);
	if (!f->verify.pages || !f->verify.blocks || !f->verify.reading ||
	    !f->verify.nr_of)
		return -ENOMEM;
	f->memory_bytes += page_bytes + block_bytes + plane_bytes + count_bytes;
	return 0;
}

void flash_verify_destroy(struct ssdqos_flash *f)
{
	ssdqos_env_free(f->verify.nr_of);
	ssdqos_env_free(f->verify.reading);
	ssdqos_env_free(f->verify.blocks);
	ssdqos_env_free(f->verify.pages);
}

const struct flash_task_ops flash_verify_task = {
	.op_done = verify_op_done,
	.is_off = verify_is_off,
	.has_more = verify_has_more,
	.share_error = verify_share_error,
};
