// SPDX-License-Identifier: GPL-2.0
#include "data.h"

#include <stdlib.h>
#include <string.h>

bool mirror_data_create(struct mirror_data *data, u64 blocks, u32 slots, u32 members)
{
	data->blocks = blocks;
	data->is_on = true;
	data->newest = calloc(blocks, sizeof(*data->newest));
	data->slots = calloc(slots, sizeof(*data->slots));
	for (u32 i = 0; i < members; i++) {
		data->members[i] = calloc(blocks, sizeof(*data->members[i]));
		if (!data->members[i])
			return false;
	}
	return data->newest && data->slots;
}

void mirror_data_destroy(struct mirror_data *data)
{
	free(data->newest);
	free(data->slots);
	for (u32 i = 0; i < SSDQOS_MIRROR_MAX_MEMBERS; i++)
		free(data->members[i]);
}

void mirror_data_publish(struct mirror_data *data, u64 block, u32 slot)
{
	if (!data->is_on)
		return;
	data->newest[block] = ++data->writes;
	data->slots[slot] = data->writes;
}

void mirror_data_discard(struct mirror_data *data, u64 block, u32 nr)
{
	if (data->is_on)
		memset(&data->newest[block], 0, nr * sizeof(*data->newest));
}

void mirror_data_write(struct mirror_data *data, const struct ssdqos_mirror_op *op)
{
	for (u32 i = 0; data->is_on && i < op->nr; i++)
		data->members[op->member][op->block + i] = data->slots[op->slots[i]];
}

void mirror_data_trim(struct mirror_data *data, const struct ssdqos_mirror_op *op)
{
	if (data->is_on)
		memset(&data->members[op->member][op->block], 0, op->nr * sizeof(*data->newest));
}

void mirror_data_copy(struct mirror_data *data, const struct ssdqos_mirror_op *op)
{
	for (u32 i = 0; data->is_on && i < SSDQOS_MIRROR_MAX_MEMBERS; i++)
		if (op->to & 1u << i)
			memcpy(&data->members[i][op->block],
			       &data->members[op->member][op->block],
			       op->nr * sizeof(*data->newest));
}

void mirror_data_forget(struct mirror_data *data, u32 member)
{
	if (data->is_on)
		memset(data->members[member], 0, data->blocks * sizeof(*data->newest));
}

void mirror_data_rot(struct mirror_data *data, u32 member)
{
	for (u64 i = 0; data->is_on && i < data->blocks; i += MIRROR_DATA_ROT_BLOCKS)
		if (data->newest[i])
			data->members[member][i] = 0;
}

static u32 wrong_about(const struct mirror_data *data, const struct ssdqos_mirror_op *op, u64 block)
{
	const u32 who = op->to | 1u << op->member;
	u32 twins[SSDQOS_MIRROR_MAX_MEMBERS] = { 0 };

	for (u32 i = 0; i < SSDQOS_MIRROR_MAX_MEMBERS; i++) {
		u32 first = 0;

		while (first < i && (!(who & 1u << first) || !(who & 1u << i) ||
				     data->members[first][block] != data->members[i][block]))
			first++;
		twins[i] = first;
	}
	return ssdqos_mirror_judge(op, 0, twins);
}

u32 mirror_data_compare(const struct mirror_data *data, const struct ssdqos_mirror *mirror,
			struct ssdqos_mirror_op *op)
{
	u32 bad = 0;

	for (u32 i = 0; data->is_on && i < op->nr; i++) {
		u32 wrong = ssdqos_mirror_skips(&mirror->scrub, i) ?
			    0 : wrong_about(data, op, op->block + i);

		op->differ += !!wrong;
		bad |= wrong;
	}
	return bad;
}

u64 mirror_data_stale(const struct mirror_data *data, u32 member, u64 block, u64 nr)
{
	u64 stale = 0;

	for (u64 i = block; data->is_on && i < block + nr; i++)
		stale += data->newest[i] && data->members[member][i] != data->newest[i];
	return stale;
}

u64 mirror_data_wrong(const struct mirror_data *data, u64 block,
		      const struct ssdqos_mirror_source *source)
{
	if (!data->is_on || (source->slot == SSDQOS_NIL && source->member == SSDQOS_MIRROR_NOBODY))
		return 0;
	if (source->slot == SSDQOS_NIL)
		return mirror_data_stale(data, source->member, block, source->nr);
	return data->newest[block] && data->slots[source->slot] != data->newest[block];
}
