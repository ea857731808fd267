// SPDX-License-Identifier: GPL-2.0
#include "ops.h"

/* An instruction under way; @left parts of a copy or comparison, @failed is a bit each. */
struct mirror_work {
	struct ssdqos_mirror_op op;
	struct mirror_ops *ops;
	u32 left;
	u32 failed;
	u64 due_ns;
	struct mirror_work *next;
};

static void finish(struct mirror_work *work)
{
	struct mirror_ops *ops = work->ops;

	if (work->op.kind == SSDQOS_MIRROR_OP_WRITE && !work->failed)
		mirror_data_write(ops->data, &work->op);
	if (work->op.kind == SSDQOS_MIRROR_OP_DISCARD && !work->failed)
		mirror_data_trim(ops->data, &work->op);
	ssdqos_mirror_done(ops->mirror, &work->op, work->failed, ops->members->now_ns);
	ops->touched = true;
	pool_put(&ops->works, work);
}

static void send(struct mirror_work *work, u32 member, u32 op, member_done_fn done)
{
	struct member_io *io = members_io(work->ops->members, done, work);

	io->member = member;
	io->block = work->op.block;
	io->nr = op == SSDQOS_FLASH_FLUSH ? 0 : work->op.nr;
	/* of instructions only a copy has to be on stable storage, and reads don't care */
	members_send(work->ops->members, io, op, work->op.kind == SSDQOS_MIRROR_OP_COPY);
}

static void done(struct member_io *io, bool failed)
{
	struct mirror_work *work = io->owner;

	work->failed = failed;
	finish(work);
}

/* ---- copies ---- */

static void copy_written(struct member_io *io, bool failed)
{
	struct mirror_work *work = io->owner;

	work->failed |= (u32)failed << io->member;
	if (!--work->left)
		finish(work);
}

static void copy_read(struct member_io *io, bool failed)
{
	struct mirror_work *work = io->owner;
	const u32 to = work->op.to;

	if (failed) {
		work->failed = 1u << io->member;
		finish(work);
		return;
	}
	/* nobody reads them there before the copy is done */
	mirror_data_copy(work->ops->data, &work->op);
	work->left = (u32)__builtin_popcount(to);
	for (u32 i = 0; i < SSDQOS_MIRROR_MAX_MEMBERS; i++)
		if (to & 1u << i)
			send(work, i, SSDQOS_FLASH_WRITE, copy_written);
}

/* ---- comparisons ---- */

static void compare_read(struct member_io *io, bool failed)
{
	struct mirror_work *work = io->owner;

	/* who can't be read can't be compared; the mirror will find out when it needs them */
	(void)failed;
	if (--work->left)
		return;
	work->failed = mirror_data_compare(work->ops->data, work->ops->mirror, &work->op);
	finish(work);
}

static void begin_compare(struct mirror_work *work)
{
	const u32 who = work->op.to | 1u << work->op.member;

	work->left = (u32)__builtin_popcount(who);
	for (u32 i = 0; i < SSDQOS_MIRROR_MAX_MEMBERS; i++)
		if (who & 1u << i)
			send(work, i, SSDQOS_FLASH_READ, compare_read);
}

/* ---- instructions ---- */

static void begin_metadata(struct mirror_work *work)
{
	struct mirror_ops *ops = work->ops;

	work->due_ns = ops->members->now_ns + MIRROR_METADATA_NS;
	work->next = NULL;
	if (ops->metadata)
		ops->last->next = work;
	else
		ops->metadata = work;
	ops->last = work;
}

static void begin(struct mirror_work *work)
{
	switch (work->op.kind) {
	case SSDQOS_MIRROR_OP_WRITE:
		send(work, work->op.member, SSDQOS_FLASH_WRITE, done);
		break;
	case SSDQOS_MIRROR_OP_FLUSH:
		send(work, work->op.member, SSDQOS_FLASH_FLUSH, done);
		break;
	case SSDQOS_MIRROR_OP_DISCARD:
		send(work, work->op.member, SSDQOS_FLASH_DISCARD, done);
		break;
	case SSDQOS_MIRROR_OP_COPY:
		send(work, work->op.member, SSDQOS_FLASH_READ, copy_read);
		break;
	case SSDQOS_MIRROR_OP_COMPARE:
		begin_compare(work);
		break;
	default:
		begin_metadata(work);
	}
}

void mirror_ops_begin(struct mirror_ops *ops)
{
	for (;;) {
		struct mirror_work *work = pool_get(&ops->works);

		work->ops = ops;
		work->failed = 0;
		if (!ssdqos_mirror_next(ops->mirror, &work->op, ops->members->now_ns)) {
			pool_put(&ops->works, work);
			return;
		}
		if (work->op.kind == SSDQOS_MIRROR_OP_AGAIN)
			pool_put(&ops->works, work);
		else
			begin(work);
	}
}

void mirror_ops_metadata(struct mirror_ops *ops)
{
	while (mirror_ops_next_ns(ops) <= ops->members->now_ns) {
		struct mirror_work *work = ops->metadata;

		ops->metadata = work->next;
		finish(work);
	}
}

u64 mirror_ops_next_ns(const struct mirror_ops *ops)
{
	return ops->metadata ? ops->metadata->due_ns : SSDQOS_NEVER_NS;
}

void mirror_ops_init(struct mirror_ops *ops, struct ssdqos_mirror *mirror, struct members *members,
		     struct mirror_data *data)
{
	*ops = (struct mirror_ops){ .mirror = mirror, .members = members, .data = data };
	pool_init(&ops->works, sizeof(struct mirror_work));
}

void mirror_ops_destroy(struct mirror_ops *ops)
{
	pool_free(&ops->works);
}
