/* SPDX-License-Identifier: GPL-2.0 */
/*
 * trace.h - trace events of the target ssdqos-ianus
 *
 * Every number is a field of its own.  dev is the mapped device; writers has a bit for each
 * member that is written.
 */
#undef TRACE_SYSTEM
#define TRACE_SYSTEM ssdqos

#if !defined(SSDQOS_IANUS_TRACE_H) || defined(TRACE_HEADER_MULTI_READ)
#define SSDQOS_IANUS_TRACE_H

#include <linux/types.h>
#include <linux/kdev_t.h>
#include <linux/tracepoint.h>

#include "core/mirror/mirror.h"

#define IANUS_STATE_NUMBER(name, text) TRACE_DEFINE_ENUM(SSDQOS_MIRROR_##name);
#define IANUS_STATE_SYMBOL(name, text) { SSDQOS_MIRROR_##name, text },
#define IANUS_WHY_NUMBER(name, text) TRACE_DEFINE_ENUM(SSDQOS_MIRROR_WHY_##name);
#define IANUS_WHY_SYMBOL(name, text) { SSDQOS_MIRROR_WHY_##name, text },

SSDQOS_MIRROR_STATES(IANUS_STATE_NUMBER)
SSDQOS_MIRROR_WHYS(IANUS_WHY_NUMBER)

#define show_ianus_state(state)					\
	__print_symbolic(state,					\
		SSDQOS_MIRROR_STATES(IANUS_STATE_SYMBOL)	\
		{ 0xff, "?" })
#define show_ianus_why(why)					\
	__print_symbolic(why,					\
		SSDQOS_MIRROR_WHYS(IANUS_WHY_SYMBOL)		\
		{ 0xff, "?" })

TRACE_EVENT(ssdqos_ianus_turn,
	TP_PROTO(dev_t dev, u32 lead, u8 writers, u32 why, u32 used, u32 slots),
	TP_ARGS(dev, lead, writers, why, used, slots),
	TP_STRUCT__entry(
		__field(dev_t, dev)
		__field(u32, lead)
		__field(u8, writers)
		__field(u32, why)
		__field(u32, cache_used_blocks)
		__field(u32, cache_blocks)
	),
	TP_fast_assign(
		__entry->dev = dev;
		__entry->lead = lead;
		__entry->writers = writers;
		__entry->why = why;
		__entry->cache_used_blocks = used;
		__entry->cache_blocks = slots;
	),
	TP_printk("dev %d:%d lead %u writers 0x%x why %s cache_used_blocks %u cache_blocks %u",
		  MAJOR(__entry->dev), MINOR(__entry->dev), __entry->lead,
		  __entry->writers, show_ianus_why(__entry->why),
		  __entry->cache_used_blocks, __entry->cache_blocks)
);

TRACE_EVENT(ssdqos_ianus_state,
	TP_PROTO(dev_t dev, u32 member, u32 before, u32 state),
	TP_ARGS(dev, member, before, state),
	TP_STRUCT__entry(
		__field(dev_t, dev)
		__field(u32, member)
		__field(u32, before)
		__field(u32, state)
	),
	TP_fast_assign(
		__entry->dev = dev;
		__entry->member = member;
		__entry->before = before;
		__entry->state = state;
	),
	TP_printk("dev %d:%d member %u %s -> %s", MAJOR(__entry->dev),
		  MINOR(__entry->dev), __entry->member,
		  show_ianus_state(__entry->before),
		  show_ianus_state(__entry->state))
);

TRACE_EVENT(ssdqos_ianus_differ,
	TP_PROTO(dev_t dev, u64 block, u32 nr, u32 differ, u32 bad),
	TP_ARGS(dev, block, nr, differ, bad),
	TP_STRUCT__entry(
		__field(dev_t, dev)
		__field(u64, block)
		__field(u32, nr)
		__field(u32, differ)
		__field(u32, bad)
	),
	TP_fast_assign(
		__entry->dev = dev;
		__entry->block = block;
		__entry->nr = nr;
		__entry->differ = differ;
		__entry->bad = bad;
	),
	TP_printk("dev %d:%d block %llu nr %u differ %u members 0x%x",
		  MAJOR(__entry->dev), MINOR(__entry->dev), __entry->block,
		  __entry->nr, __entry->differ, __entry->bad)
);

TRACE_EVENT(ssdqos_ianus_record,
	TP_PROTO(dev_t dev, u64 record, u64 at, u32 blocks, u64 took_ns, bool failed),
	TP_ARGS(dev, record, at, blocks, took_ns, failed),
	TP_STRUCT__entry(
		__field(dev_t, dev)
		__field(u64, record)
		__field(u64, at_block)
		__field(u32, blocks)
		__field(u64, took_ns)
		__field(bool, failed)
	),
	TP_fast_assign(
		__entry->dev = dev;
		__entry->record = record;
		__entry->at_block = at;
		__entry->blocks = blocks;
		__entry->took_ns = took_ns;
		__entry->failed = failed;
	),
	TP_printk("dev %d:%d record %llu at_block %llu blocks %u took_ns %llu failed %d",
		  MAJOR(__entry->dev), MINOR(__entry->dev), __entry->record,
		  __entry->at_block, __entry->blocks, __entry->took_ns,
		  __entry->failed)
);

TRACE_EVENT(ssdqos_ianus_journal,
	TP_PROTO(dev_t dev, bool on, u64 replayed),
	TP_ARGS(dev, on, replayed),
	TP_STRUCT__entry(
		__field(dev_t, dev)
		__field(bool, on)
		__field(u64, replayed_records)
	),
	TP_fast_assign(
		__entry->dev = dev;
		__entry->on = on;
		__entry->replayed_records = replayed;
	),
	TP_printk("dev %d:%d on %d replayed_records %llu", MAJOR(__entry->dev),
		  MINOR(__entry->dev), __entry->on, __entry->replayed_records)
);

#endif /* SSDQOS_IANUS_TRACE_H */

#undef TRACE_INCLUDE_PATH
#undef TRACE_INCLUDE_FILE
#define TRACE_INCLUDE_PATH .
#define TRACE_INCLUDE_FILE trace
#include <trace/define_trace.h>
