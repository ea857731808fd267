/* SPDX-License-Identifier: GPL-2.0 */
/*
 * trace.h - trace events of dm-ssdqos
 *
 * Every number is a field of its own, so that bpftrace can calculate with it.
 * All times named *_ns are model time, except late_ns, which is a duration.
 */
#undef TRACE_SYSTEM
#define TRACE_SYSTEM ssdqos

#if !defined(SSDQOS_FLASH_TRACE_H) || defined(TRACE_HEADER_MULTI_READ)
#define SSDQOS_FLASH_TRACE_H

#include <linux/types.h>
#include <linux/kdev_t.h>
#include <linux/tracepoint.h>

#include "core/flash/flash.h"

/* Their numbers, for programs that read the events' formats. */
TRACE_DEFINE_ENUM(SSDQOS_FLASH_READ);
TRACE_DEFINE_ENUM(SSDQOS_FLASH_WRITE);
TRACE_DEFINE_ENUM(SSDQOS_FLASH_DISCARD);
TRACE_DEFINE_ENUM(SSDQOS_FLASH_FLUSH);
TRACE_DEFINE_ENUM(SSDQOS_NAND_READ);
TRACE_DEFINE_ENUM(SSDQOS_NAND_PROGRAM);
TRACE_DEFINE_ENUM(SSDQOS_NAND_ERASE);
TRACE_DEFINE_ENUM(SSDQOS_NAND_COPYBACK);
#define FLASH_TASK_NUMBER(X, NAME, ...) TRACE_DEFINE_ENUM(SSDQOS_TASK_##NAME);
SSDQOS_FLASH_TASKS(FLASH_TASK_NUMBER)
TRACE_DEFINE_ENUM(SSDQOS_FLASH_EV_GC_STARTED);
TRACE_DEFINE_ENUM(SSDQOS_FLASH_EV_GC_VICTIM_CHOSEN);
TRACE_DEFINE_ENUM(SSDQOS_FLASH_EV_GC_NO_VICTIM);
TRACE_DEFINE_ENUM(SSDQOS_FLASH_EV_GC_STOPPED);
TRACE_DEFINE_ENUM(SSDQOS_FLASH_STALL_BUFFER);
TRACE_DEFINE_ENUM(SSDQOS_FLASH_STALL_SPACE);
TRACE_DEFINE_ENUM(SSDQOS_FLASH_PARITY_FULL);
TRACE_DEFINE_ENUM(SSDQOS_FLASH_PARITY_REST);
TRACE_DEFINE_ENUM(SSDQOS_FLASH_PARITY_OLD);

#define show_flash_op(op)				\
	__print_symbolic(op,				\
		{ SSDQOS_FLASH_READ, "read" },		\
		{ SSDQOS_FLASH_WRITE, "write" },	\
		{ SSDQOS_FLASH_DISCARD, "discard" },	\
		{ SSDQOS_FLASH_FLUSH, "flush" })

#define show_nand_op(op)				\
	__print_symbolic(op,				\
		{ SSDQOS_NAND_READ, "read" },		\
		{ SSDQOS_NAND_PROGRAM, "program" },	\
		{ SSDQOS_NAND_ERASE, "erase" },		\
		{ SSDQOS_NAND_COPYBACK, "copyback" })

/* A list of rows is spelled out before it is taken apart. */
#define show_of_list(...) __print_symbolic(__VA_ARGS__)
#define FLASH_TASK_NAME(X, NAME, name, ...) , { SSDQOS_TASK_##NAME, #name }
#define show_flash_task(task)				\
	show_of_list(task SSDQOS_FLASH_TASKS(FLASH_TASK_NAME))

/* What a request waited for: a field for each cause. */
#define FLASH_WAIT_FIELD(NAME, name, help) __field(u64, wait_##name##_ns)
#define FLASH_WAIT_ASSIGN(NAME, name, help) \
	__entry->wait_##name##_ns = req->wait_ns[SSDQOS_WAIT_##NAME];
#define FLASH_WAIT_FORMAT(NAME, name, help) " wait_" #name "_ns=%llu"
#define FLASH_WAIT_VALUE(NAME, name, help) , __entry->wait_##name##_ns

#define show_gc_decision(event)						\
	__print_symbolic(event,						\
		{ SSDQOS_FLASH_EV_GC_STARTED, "gc_started" },		\
		{ SSDQOS_FLASH_EV_GC_VICTIM_CHOSEN, "gc_victim_chosen" }, \
		{ SSDQOS_FLASH_EV_GC_NO_VICTIM, "gc_no_victim" },	\
		{ SSDQOS_FLASH_EV_GC_STOPPED, "gc_stopped" })

#define show_stall_reason(reason)			\
	__print_symbolic(reason,			\
		{ SSDQOS_FLASH_STALL_BUFFER, "buffer" },	\
		{ SSDQOS_FLASH_STALL_SPACE, "space" })

#define show_parity(parity)				\
	__print_symbolic(parity,			\
		{ SSDQOS_FLASH_PARITY_FULL, "full" },	\
		{ SSDQOS_FLASH_PARITY_REST, "rest" },	\
		{ SSDQOS_FLASH_PARITY_OLD, "old" })

TRACE_EVENT(ssdqos_flash_request_submitted,
	TP_PROTO(dev_t dev, u64 seq, const struct ssdqos_flash_req *req),
	TP_ARGS(dev, seq, req),
	TP_STRUCT__entry(
		__field(dev_t, dev)
		__field(u64, seq)
		__field(u64, arrival_ns)
		__field(u64, sector)
		__field(u32, nr_sectors)
		__field(u8, op)
		__field(bool, fua)
	),
	TP_fast_assign(
		__entry->dev = dev;
		__entry->seq = seq;
		__entry->arrival_ns = req->arrival_ns;
		__entry->sector = req->sector;
		__entry->nr_sectors = req->nr_sectors;
		__entry->op = req->op;
		__entry->fua = req->fua;
	),
	TP_printk("dev=%d:%d seq=%llu op=%s sector=%llu nr_sectors=%u fua=%d arrival_ns=%llu",
		  MAJOR(__entry->dev), MINOR(__entry->dev), __entry->seq,
		  show_flash_op(__entry->op), __entry->sector,
		  __entry->nr_sectors, __entry->fua, __entry->arrival_ns)
);

TRACE_EVENT(ssdqos_flash_request_completed,
	TP_PROTO(dev_t dev, u64 seq, const struct ssdqos_flash_req *req,
		 u64 late_ns),
	TP_ARGS(dev, seq, req, late_ns),
	TP_STRUCT__entry(
		__field(dev_t, dev)
		__field(u64, seq)
		__field(u64, arrival_ns)
		__field(u64, complete_ns)
		__field(u64, late_ns)
		__field(u64, sector)
		__field(u32, nr_sectors)
		__field(u8, op)
		__field(u8, met)
		__field(bool, fua)
		SSDQOS_FLASH_WAITS(FLASH_WAIT_FIELD)
	),
	TP_fast_assign(
		__entry->dev = dev;
		__entry->seq = seq;
		__entry->arrival_ns = req->arrival_ns;
		__entry->complete_ns = req->complete_ns;
		__entry->late_ns = late_ns;
		__entry->sector = req->sector;
		__entry->nr_sectors = req->nr_sectors;
		__entry->op = req->op;
		__entry->met = req->met;
		__entry->fua = req->fua;
		SSDQOS_FLASH_WAITS(FLASH_WAIT_ASSIGN)
	),
	TP_printk("dev=%d:%d seq=%llu op=%s sector=%llu nr_sectors=%u fua=%d arrival_ns=%llu complete_ns=%llu met=%u late_ns=%llu"
		  SSDQOS_FLASH_WAITS(FLASH_WAIT_FORMAT),
		  MAJOR(__entry->dev), MINOR(__entry->dev), __entry->seq,
		  show_flash_op(__entry->op), __entry->sector,
		  __entry->nr_sectors, __entry->fua, __entry->arrival_ns,
		  __entry->complete_ns, __entry->met, __entry->late_ns
		  SSDQOS_FLASH_WAITS(FLASH_WAIT_VALUE))
);

TRACE_EVENT(ssdqos_flash_backing_late,
	TP_PROTO(dev_t dev, u64 seq, u64 late_ns),
	TP_ARGS(dev, seq, late_ns),
	TP_STRUCT__entry(
		__field(dev_t, dev)
		__field(u64, seq)
		__field(u64, late_ns)
	),
	TP_fast_assign(
		__entry->dev = dev;
		__entry->seq = seq;
		__entry->late_ns = late_ns;
	),
	TP_printk("dev=%d:%d seq=%llu late_ns=%llu", MAJOR(__entry->dev),
		  MINOR(__entry->dev), __entry->seq, __entry->late_ns)
);

DECLARE_EVENT_CLASS(ssdqos_flash_nand,
	TP_PROTO(dev_t dev, const struct ssdqos_flash_record *rec),
	TP_ARGS(dev, rec),
	TP_STRUCT__entry(
		__field(dev_t, dev)
		__field(u64, time_ns)
		__field(u32, plane)
		__field(u32, block)
		__field(u32, page)
		__field(u16, units)
		__field(u8, task)
		__field(u8, op)
	),
	TP_fast_assign(
		__entry->dev = dev;
		__entry->time_ns = rec->time_ns;
		__entry->plane = rec->plane;
		__entry->block = rec->block;
		__entry->page = rec->page;
		__entry->units = rec->units;
		__entry->task = rec->task;
		__entry->op = rec->op;
	),
	TP_printk("dev=%d:%d time_ns=%llu task=%s op=%s plane=%u block=%u page=%u units=%u",
		  MAJOR(__entry->dev), MINOR(__entry->dev), __entry->time_ns,
		  show_flash_task(__entry->task), show_nand_op(__entry->op),
		  __entry->plane, __entry->block, __entry->page,
		  __entry->units)
);

DEFINE_EVENT(ssdqos_flash_nand, ssdqos_flash_nand_started,
	TP_PROTO(dev_t dev, const struct ssdqos_flash_record *rec),
	TP_ARGS(dev, rec)
);

DEFINE_EVENT(ssdqos_flash_nand, ssdqos_flash_nand_completed,
	TP_PROTO(dev_t dev, const struct ssdqos_flash_record *rec),
	TP_ARGS(dev, rec)
);

DEFINE_EVENT(ssdqos_flash_nand, ssdqos_flash_nand_suspended,
	TP_PROTO(dev_t dev, const struct ssdqos_flash_record *rec),
	TP_ARGS(dev, rec)
);

DEFINE_EVENT(ssdqos_flash_nand, ssdqos_flash_nand_resumed,
	TP_PROTO(dev_t dev, const struct ssdqos_flash_record *rec),
	TP_ARGS(dev, rec)
);

TRACE_EVENT(ssdqos_flash_gc_decided,
	TP_PROTO(dev_t dev, const struct ssdqos_flash_record *rec),
	TP_ARGS(dev, rec),
	TP_STRUCT__entry(
		__field(dev_t, dev)
		__field(u64, time_ns)
		__field(u32, plane)
		__field(u32, block)
		__field(u32, valid_units)
		__field(u16, free_blocks)
		__field(u8, decision)
	),
	TP_fast_assign(
		__entry->dev = dev;
		__entry->time_ns = rec->time_ns;
		__entry->plane = rec->plane;
		__entry->block = rec->block;
		__entry->valid_units = rec->page;
		__entry->free_blocks = rec->units;
		__entry->decision = rec->event;
	),
	TP_printk("dev=%d:%d time_ns=%llu decision=%s plane=%u block=%u valid_units=%u free_blocks=%u",
		  MAJOR(__entry->dev), MINOR(__entry->dev), __entry->time_ns,
		  show_gc_decision(__entry->decision), __entry->plane,
		  __entry->block, __entry->valid_units, __entry->free_blocks)
);

DECLARE_EVENT_CLASS(ssdqos_flash_stall,
	TP_PROTO(dev_t dev, const struct ssdqos_flash_record *rec),
	TP_ARGS(dev, rec),
	TP_STRUCT__entry(
		__field(dev_t, dev)
		__field(u64, time_ns)
		__field(u8, reason)
	),
	TP_fast_assign(
		__entry->dev = dev;
		__entry->time_ns = rec->time_ns;
		__entry->reason = rec->op;
	),
	TP_printk("dev=%d:%d time_ns=%llu reason=%s", MAJOR(__entry->dev),
		  MINOR(__entry->dev), __entry->time_ns,
		  show_stall_reason(__entry->reason))
);

DEFINE_EVENT(ssdqos_flash_stall, ssdqos_flash_write_stalled,
	TP_PROTO(dev_t dev, const struct ssdqos_flash_record *rec),
	TP_ARGS(dev, rec)
);

DEFINE_EVENT(ssdqos_flash_stall, ssdqos_flash_write_resumed,
	TP_PROTO(dev_t dev, const struct ssdqos_flash_record *rec),
	TP_ARGS(dev, rec)
);

DECLARE_EVENT_CLASS(ssdqos_flash_relocation,
	TP_PROTO(dev_t dev, const struct ssdqos_flash_record *rec),
	TP_ARGS(dev, rec),
	TP_STRUCT__entry(
		__field(dev_t, dev)
		__field(u64, time_ns)
		__field(u32, plane)
		__field(u32, block)
		__field(u32, valid_units)
		__field(u16, free_blocks)
		__field(u8, task)
	),
	TP_fast_assign(
		__entry->dev = dev;
		__entry->time_ns = rec->time_ns;
		__entry->plane = rec->plane;
		__entry->block = rec->block;
		__entry->valid_units = rec->page;
		__entry->free_blocks = rec->units;
		__entry->task = rec->task;
	),
	TP_printk("dev=%d:%d time_ns=%llu task=%s plane=%u block=%u valid_units=%u free_blocks=%u",
		  MAJOR(__entry->dev), MINOR(__entry->dev), __entry->time_ns,
		  show_flash_task(__entry->task), __entry->plane,
		  __entry->block, __entry->valid_units, __entry->free_blocks)
);

DEFINE_EVENT(ssdqos_flash_relocation, ssdqos_flash_scrub_victim_chosen,
	TP_PROTO(dev_t dev, const struct ssdqos_flash_record *rec),
	TP_ARGS(dev, rec)
);

DEFINE_EVENT(ssdqos_flash_relocation, ssdqos_flash_wear_victim_chosen,
	TP_PROTO(dev_t dev, const struct ssdqos_flash_record *rec),
	TP_ARGS(dev, rec)
);

DEFINE_EVENT(ssdqos_flash_relocation, ssdqos_flash_relocation_abandoned,
	TP_PROTO(dev_t dev, const struct ssdqos_flash_record *rec),
	TP_ARGS(dev, rec)
);

TRACE_EVENT(ssdqos_flash_map_missed,
	TP_PROTO(dev_t dev, const struct ssdqos_flash_record *rec),
	TP_ARGS(dev, rec),
	TP_STRUCT__entry(
		__field(dev_t, dev)
		__field(u64, time_ns)
		__field(u32, map_page)
	),
	TP_fast_assign(
		__entry->dev = dev;
		__entry->time_ns = rec->time_ns;
		__entry->map_page = rec->block;
	),
	TP_printk("dev=%d:%d time_ns=%llu map_page=%u", MAJOR(__entry->dev),
		  MINOR(__entry->dev), __entry->time_ns, __entry->map_page)
);

DECLARE_EVENT_CLASS(ssdqos_flash_read_around,
	TP_PROTO(dev_t dev, const struct ssdqos_flash_record *rec),
	TP_ARGS(dev, rec),
	TP_STRUCT__entry(
		__field(dev_t, dev)
		__field(u64, time_ns)
		__field(u32, plane)
		__field(u32, block)
		__field(u16, units)
	),
	TP_fast_assign(
		__entry->dev = dev;
		__entry->time_ns = rec->time_ns;
		__entry->plane = rec->plane;
		__entry->block = rec->block;
		__entry->units = rec->units;
	),
	TP_printk("dev=%d:%d time_ns=%llu plane=%u block=%u units=%u",
		  MAJOR(__entry->dev), MINOR(__entry->dev), __entry->time_ns,
		  __entry->plane, __entry->block, __entry->units)
);

DEFINE_EVENT(ssdqos_flash_read_around, ssdqos_flash_read_reconstructed,
	TP_PROTO(dev_t dev, const struct ssdqos_flash_record *rec),
	TP_ARGS(dev, rec)
);

DEFINE_EVENT(ssdqos_flash_read_around, ssdqos_flash_read_blocked,
	TP_PROTO(dev_t dev, const struct ssdqos_flash_record *rec),
	TP_ARGS(dev, rec)
);

DECLARE_EVENT_CLASS(ssdqos_flash_turn,
	TP_PROTO(dev_t dev, const struct ssdqos_flash_record *rec),
	TP_ARGS(dev, rec),
	TP_STRUCT__entry(
		__field(dev_t, dev)
		__field(u64, time_ns)
		__field(u32, plane)
		__field(u32, holder)
		__field(u16, free_blocks)
	),
	TP_fast_assign(
		__entry->dev = dev;
		__entry->time_ns = rec->time_ns;
		__entry->plane = rec->plane;
		__entry->holder = rec->page;
		__entry->free_blocks = rec->units;
	),
	TP_printk("dev=%d:%d time_ns=%llu plane=%u holder=%u free_blocks=%u",
		  MAJOR(__entry->dev), MINOR(__entry->dev), __entry->time_ns,
		  __entry->plane, __entry->holder, __entry->free_blocks)
);

DEFINE_EVENT(ssdqos_flash_turn, ssdqos_flash_turn_refused,
	TP_PROTO(dev_t dev, const struct ssdqos_flash_record *rec),
	TP_ARGS(dev, rec)
);

DEFINE_EVENT(ssdqos_flash_turn, ssdqos_flash_turn_overridden,
	TP_PROTO(dev_t dev, const struct ssdqos_flash_record *rec),
	TP_ARGS(dev, rec)
);

TRACE_EVENT(ssdqos_flash_block_verified,
	TP_PROTO(dev_t dev, const struct ssdqos_flash_record *rec),
	TP_ARGS(dev, rec),
	TP_STRUCT__entry(
		__field(dev_t, dev)
		__field(u64, time_ns)
		__field(u32, plane)
		__field(u32, block)
		__field(u32, unverified_pages)
	),
	TP_fast_assign(
		__entry->dev = dev;
		__entry->time_ns = rec->time_ns;
		__entry->plane = rec->plane;
		__entry->block = rec->block;
		__entry->unverified_pages = rec->page;
	),
	TP_printk("dev=%d:%d time_ns=%llu plane=%u block=%u unverified_pages=%u",
		  MAJOR(__entry->dev), MINOR(__entry->dev), __entry->time_ns,
		  __entry->plane, __entry->block, __entry->unverified_pages)
);

TRACE_EVENT(ssdqos_flash_share_changed,
	TP_PROTO(dev_t dev, const struct ssdqos_flash_record *rec),
	TP_ARGS(dev, rec),
	TP_STRUCT__entry(
		__field(dev_t, dev)
		__field(u64, time_ns)
		__field(u32, error)
		__field(u32, old_ppm)
		__field(u32, new_ppm)
		__field(u8, task)
	),
	TP_fast_assign(
		__entry->dev = dev;
		__entry->time_ns = rec->time_ns;
		__entry->error = rec->block;
		__entry->old_ppm = rec->plane;
		__entry->new_ppm = rec->page;
		__entry->task = rec->task;
	),
	TP_printk("dev=%d:%d time_ns=%llu task=%s error=%u old_ppm=%u new_ppm=%u",
		  MAJOR(__entry->dev), MINOR(__entry->dev), __entry->time_ns,
		  show_flash_task(__entry->task), __entry->error,
		  __entry->old_ppm, __entry->new_ppm)
);

DECLARE_EVENT_CLASS(ssdqos_flash_op,
	TP_PROTO(dev_t dev, const struct ssdqos_flash_record *rec),
	TP_ARGS(dev, rec),
	TP_STRUCT__entry(
		__field(dev_t, dev)
		__field(u64, time_ns)
		__field(u32, plane)
		__field(u32, outstanding)
		__field(u32, limit)
		__field(u8, task)
	),
	TP_fast_assign(
		__entry->dev = dev;
		__entry->time_ns = rec->time_ns;
		__entry->plane = rec->plane;
		__entry->outstanding = rec->block;
		__entry->limit = rec->page;
		__entry->task = rec->task;
	),
	TP_printk("dev=%d:%d time_ns=%llu task=%s plane=%u outstanding=%u limit=%u",
		  MAJOR(__entry->dev), MINOR(__entry->dev), __entry->time_ns,
		  show_flash_task(__entry->task), __entry->plane,
		  __entry->outstanding, __entry->limit)
);

DEFINE_EVENT(ssdqos_flash_op, ssdqos_flash_op_lent,
	TP_PROTO(dev_t dev, const struct ssdqos_flash_record *rec),
	TP_ARGS(dev, rec)
);

DEFINE_EVENT(ssdqos_flash_op, ssdqos_flash_op_passed,
	TP_PROTO(dev_t dev, const struct ssdqos_flash_record *rec),
	TP_ARGS(dev, rec)
);

TRACE_EVENT(ssdqos_flash_stripe_evicted,
	TP_PROTO(dev_t dev, const struct ssdqos_flash_record *rec),
	TP_ARGS(dev, rec),
	TP_STRUCT__entry(
		__field(dev_t, dev)
		__field(u64, time_ns)
		__field(u32, stripe)
		__field(u32, plane)
		__field(u32, reads)
		__field(u16, units)
		__field(u8, parity)
	),
	TP_fast_assign(
		__entry->dev = dev;
		__entry->time_ns = rec->time_ns;
		__entry->stripe = rec->block;
		__entry->plane = rec->plane;
		__entry->reads = rec->page;
		__entry->units = rec->units;
		__entry->parity = rec->op;
	),
	TP_printk("dev=%d:%d time_ns=%llu stripe=%u plane=%u units=%u parity=%s reads=%u",
		  MAJOR(__entry->dev), MINOR(__entry->dev), __entry->time_ns,
		  __entry->stripe, __entry->plane, __entry->units,
		  show_parity(__entry->parity), __entry->reads)
);

TRACE_EVENT(ssdqos_flash_stripe_shifted,
	TP_PROTO(dev_t dev, const struct ssdqos_flash_record *rec),
	TP_ARGS(dev, rec),
	TP_STRUCT__entry(
		__field(dev_t, dev)
		__field(u64, time_ns)
		__field(u32, stripe)
		__field(u32, plane)
		__field(u32, columns)
		__field(u16, units)
	),
	TP_fast_assign(
		__entry->dev = dev;
		__entry->time_ns = rec->time_ns;
		__entry->stripe = rec->block;
		__entry->plane = rec->plane;
		__entry->columns = rec->page;
		__entry->units = rec->units;
	),
	TP_printk("dev=%d:%d time_ns=%llu stripe=%u plane=%u units=%u columns=%u",
		  MAJOR(__entry->dev), MINOR(__entry->dev), __entry->time_ns,
		  __entry->stripe, __entry->plane, __entry->units, __entry->columns)
);

#endif /* SSDQOS_FLASH_TRACE_H */

#undef TRACE_INCLUDE_PATH
#define TRACE_INCLUDE_PATH .
#undef TRACE_INCLUDE_FILE
#define TRACE_INCLUDE_FILE trace
#include <trace/define_trace.h>
