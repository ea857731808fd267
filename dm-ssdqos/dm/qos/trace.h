/* SPDX-License-Identifier: GPL-2.0 */
/*
 * trace.h - trace events of the target ssdqos
 *
 * Every number is a field of its own, so that bpftrace can calculate with it.
 * dev is the mapped device, stream the number of the client on its drive.
 * Times named *_ns are durations, but deadline_ns and time_ns: those are
 * readings of CLOCK_MONOTONIC.
 */
#undef TRACE_SYSTEM
#define TRACE_SYSTEM ssdqos

#if !defined(SSDQOS_QOS_TRACE_H) || defined(TRACE_HEADER_MULTI_READ)
#define SSDQOS_QOS_TRACE_H

#include <linux/types.h>
#include <linux/kdev_t.h>
#include <linux/tracepoint.h>

#include "drive.h"

/* The numbers of symbols, for programs that read the events' formats. */
#define QOS_DECISION_NUMBER(name, text) TRACE_DEFINE_ENUM(SSDQOS_EDF_##name);
#define QOS_REASON_NUMBER(name, text) TRACE_DEFINE_ENUM(SSDQOS_EDF_WAITS_##name);
SSDQOS_EDF_DECISIONS(QOS_DECISION_NUMBER)
SSDQOS_EDF_REASONS(QOS_REASON_NUMBER)
TRACE_DEFINE_ENUM(SSDQOS_EDF_KIND_READ);
TRACE_DEFINE_ENUM(SSDQOS_EDF_KIND_WRITE);
TRACE_DEFINE_ENUM(SSDQOS_EDF_KIND_DISCARD);
TRACE_DEFINE_ENUM(SSDQOS_EDF_KIND_FLUSH);
TRACE_DEFINE_ENUM(SSDQOS_QOS_RAND);
TRACE_DEFINE_ENUM(SSDQOS_QOS_SEQ);

#define QOS_DECISION_SYMBOL(name, text) { SSDQOS_EDF_##name, text },
#define QOS_REASON_SYMBOL(name, text) { SSDQOS_EDF_WAITS_##name, text },

#define QOS_MISS_NUMBER(A, NAME, name, text) TRACE_DEFINE_ENUM(SSDQOS_MISS_##NAME);
#define QOS_MISS_SYMBOL(A, NAME, name, text) { SSDQOS_MISS_##NAME, #name },
TRACE_DEFINE_ENUM(SSDQOS_MISS_NONE);
SSDQOS_MISS_WHYS(QOS_MISS_NUMBER, 0)

#define QOS_DEBT_NUMBER(name, text) TRACE_DEFINE_ENUM(SSDQOS_DEBT_WHY_##name);
#define QOS_DEBT_SYMBOL(name, text) { SSDQOS_DEBT_WHY_##name, text },
SSDQOS_DEBT_WHYS(QOS_DEBT_NUMBER)

#define show_qos_debt_why(why)					\
	__print_symbolic(why,					\
		SSDQOS_DEBT_WHYS(QOS_DEBT_SYMBOL)		\
		{ 0xff, "?" })

#define QOS_TRIM_NUMBER(name, text) TRACE_DEFINE_ENUM(SSDQOS_TRIM_##name);
#define QOS_TRIM_SYMBOL(name, text) { SSDQOS_TRIM_##name, text },
SSDQOS_TRIM_WHYS(QOS_TRIM_NUMBER)

#define show_qos_trim_why(why)					\
	__print_symbolic(why,					\
		SSDQOS_TRIM_WHYS(QOS_TRIM_SYMBOL)		\
		{ 0xff, "?" })

#define QOS_READY_NUMBER(name, text) TRACE_DEFINE_ENUM(SSDQOS_READY_##name);
#define QOS_WHY_NUMBER(name, text) TRACE_DEFINE_ENUM(SSDQOS_READY_WHY_##name);
#define QOS_EVENT_NUMBER(name, text) TRACE_DEFINE_ENUM(SSDQOS_WATCH_##name);
SSDQOS_READY_DECISIONS(QOS_READY_NUMBER)
SSDQOS_READY_WHYS(QOS_WHY_NUMBER)
SSDQOS_WATCH_EVENTS(QOS_EVENT_NUMBER)

#define QOS_READY_SYMBOL(name, text) { SSDQOS_READY_##name, text },
#define QOS_WHY_SYMBOL(name, text) { SSDQOS_READY_WHY_##name, text },
#define QOS_EVENT_SYMBOL(name, text) { SSDQOS_WATCH_##name, text },

#define show_qos_ready(decision)				\
	__print_symbolic(decision,				\
		SSDQOS_READY_DECISIONS(QOS_READY_SYMBOL)	\
		{ 0xff, "?" })

#define show_qos_why(why)					\
	__print_symbolic(why,					\
		SSDQOS_READY_WHYS(QOS_WHY_SYMBOL)		\
		{ 0xff, "?" })

#define show_qos_event(event)					\
	__print_symbolic(event,					\
		SSDQOS_WATCH_EVENTS(QOS_EVENT_SYMBOL)		\
		{ 0xff, "?" })

#define show_qos_decision(decision)				\
	__print_symbolic(decision,				\
		SSDQOS_EDF_DECISIONS(QOS_DECISION_SYMBOL)	\
		{ 0xff, "?" })

#define show_qos_miss_why(why)					\
	__print_symbolic(why,					\
		SSDQOS_MISS_WHYS(QOS_MISS_SYMBOL, 0)		\
		{ SSDQOS_MISS_NONE, "none" })

#define show_qos_reason(reason)					\
	__print_symbolic(reason,				\
		SSDQOS_EDF_REASONS(QOS_REASON_SYMBOL)		\
		{ 0xff, "?" })

#define show_qos_kind(kind)					\
	__print_symbolic(kind,					\
		{ SSDQOS_EDF_KIND_READ, "read" },		\
		{ SSDQOS_EDF_KIND_WRITE, "write" },		\
		{ SSDQOS_EDF_KIND_DISCARD, "discard" },		\
		{ SSDQOS_EDF_KIND_FLUSH, "flush" })

#define show_qos_pattern(pattern)				\
	__print_symbolic(pattern,				\
		{ SSDQOS_QOS_RAND, "rand" },			\
		{ SSDQOS_QOS_SEQ, "seq" })

/* No two events have the same fields, but many begin with the same ones: of a
 * stream, of a request, and of a write that the lifetime holds up.  Here is how
 * these are declared, filled and printed.
 */
#define QOS_STREAM_FIELDS						\
	__field(dev_t, dev)						\
	__field(u32, stream)

#define QOS_STREAM_ASSIGN(st)						\
	do {								\
		__entry->dev = (st)->dev;				\
		__entry->stream = (st)->edf.reads.id;				\
	} while (0)

#define QOS_STREAM_FORMAT "dev=%d:%d stream=%u"
#define QOS_STREAM_VALUES						\
	MAJOR(__entry->dev), MINOR(__entry->dev), __entry->stream

#define QOS_REQUEST_FIELDS						\
	QOS_STREAM_FIELDS						\
	__field(u64, seq)						\
	__field(u64, sector)						\
	__field(u32, bytes)						\
	__field(u32, cost_ns)

#define QOS_REQUEST_ASSIGN(st, io)					\
	do {								\
		QOS_STREAM_ASSIGN(st);					\
		__entry->seq = (io)->seq;				\
		__entry->sector = (io)->sector;				\
		__entry->bytes = (io)->req.bytes;			\
		__entry->cost_ns = (io)->req.cost_ns;			\
		__entry->kind = (io)->req.kind;				\
		__entry->pattern = (io)->req.pattern;			\
	} while (0)

/* Last, as they are the smallest. */
#define QOS_REQUEST_KIND_FIELDS						\
	__field(u8, kind)						\
	__field(u8, pattern)

#define QOS_REQUEST_FORMAT						\
	QOS_STREAM_FORMAT " seq=%llu kind=%s pattern=%s sector=%llu bytes=%u cost_ns=%u"
#define QOS_REQUEST_VALUES						\
	QOS_STREAM_VALUES, __entry->seq, show_qos_kind(__entry->kind),	\
	show_qos_pattern(__entry->pattern), __entry->sector,		\
	__entry->bytes, __entry->cost_ns

#define QOS_READY_FIELDS						\
	QOS_STREAM_FIELDS						\
	__field(u64, seq)						\
	__field(u32, bytes)

#define QOS_READY_ASSIGN(st, io)					\
	do {								\
		QOS_STREAM_ASSIGN(st);					\
		__entry->seq = (io)->seq;				\
		__entry->bytes = (io)->req.bytes;			\
	} while (0)

#define QOS_READY_FORMAT QOS_STREAM_FORMAT " seq=%llu bytes=%u"
#define QOS_READY_VALUES						\
	QOS_STREAM_VALUES, __entry->seq, __entry->bytes

TRACE_EVENT(ssdqos_qos_request_queued,
	TP_PROTO(const struct qos_stream *st, const struct qos_io *io,
		 u64 now_ns),
	TP_ARGS(st, io, now_ns),
	TP_STRUCT__entry(
		QOS_REQUEST_FIELDS
		__field(u32, queued)
		__field(u32, drive_queued)
		__field(u32, drive_in_flight)
		QOS_REQUEST_KIND_FIELDS
		__field(u8, reason)
	),
	TP_fast_assign(
		QOS_REQUEST_ASSIGN(st, io);
		__entry->queued = io->req.stream->queued;
		__entry->drive_queued = io->req.stream->edf->queued;
		__entry->drive_in_flight = io->req.stream->edf->in_flight;
		__entry->reason = ssdqos_edf_why(io->req.stream, now_ns);
	),
	TP_printk(QOS_REQUEST_FORMAT " reason=%s queued=%u drive_queued=%u drive_in_flight=%u",
		  QOS_REQUEST_VALUES, show_qos_reason(__entry->reason),
		  __entry->queued, __entry->drive_queued,
		  __entry->drive_in_flight)
);

TRACE_EVENT(ssdqos_qos_request_dispatched,
	TP_PROTO(const struct qos_stream *st, const struct qos_io *io),
	TP_ARGS(st, io),
	TP_STRUCT__entry(
		QOS_REQUEST_FIELDS
		__field(u64, deadline_ns)
		__field(u64, queue_ns)
		QOS_REQUEST_KIND_FIELDS
		__field(u8, decision)
	),
	TP_fast_assign(
		QOS_REQUEST_ASSIGN(st, io);
		__entry->deadline_ns = io->req.deadline_ns;
		__entry->queue_ns = io->req.sent_ns - io->req.queued_ns;
		__entry->decision = io->req.decision;
	),
	TP_printk(QOS_REQUEST_FORMAT " decision=%s deadline_ns=%llu queue_ns=%llu",
		  QOS_REQUEST_VALUES, show_qos_decision(__entry->decision),
		  __entry->deadline_ns, __entry->queue_ns)
);

TRACE_EVENT(ssdqos_qos_request_completed,
	TP_PROTO(const struct qos_stream *st, const struct qos_io *io,
		 u64 now_ns),
	TP_ARGS(st, io, now_ns),
	TP_STRUCT__entry(
		QOS_REQUEST_FIELDS
		__field(u64, time_ns)
		__field(u64, deadline_ns)
		__field(u64, queue_ns)
		__field(u64, device_ns)
		QOS_REQUEST_KIND_FIELDS
		__field(u8, decision)
	),
	TP_fast_assign(
		QOS_REQUEST_ASSIGN(st, io);
		__entry->time_ns = now_ns;
		__entry->deadline_ns = io->req.deadline_ns;
		__entry->queue_ns = io->req.sent_ns - io->req.queued_ns;
		__entry->device_ns = now_ns - io->req.sent_ns;
		__entry->decision = io->req.decision;
	),
	TP_printk(QOS_REQUEST_FORMAT " decision=%s deadline_ns=%llu time_ns=%llu queue_ns=%llu device_ns=%llu",
		  QOS_REQUEST_VALUES, show_qos_decision(__entry->decision),
		  __entry->deadline_ns, __entry->time_ns, __entry->queue_ns,
		  __entry->device_ns)
);

DECLARE_EVENT_CLASS(ssdqos_qos_promise,
	TP_PROTO(const struct qos_stream *st,
		 const struct ssdqos_watch_event *what),
	TP_ARGS(st, what),
	TP_STRUCT__entry(
		QOS_STREAM_FIELDS
		__field(u64, time_ns)
		__field(u64, promised)
		__field(u64, achieved)
		__field(u64, windows)
		__field(u8, why)
	),
	TP_fast_assign(
		QOS_STREAM_ASSIGN(st);
		__entry->time_ns = what->time_ns;
		__entry->promised = what->promised;
		__entry->achieved = what->achieved;
		__entry->windows = what->windows;
		__entry->why = what->missed_why;
	),
	TP_printk(QOS_STREAM_FORMAT " promised=%llu achieved=%llu windows=%llu why=%s time_ns=%llu",
		  QOS_STREAM_VALUES, __entry->promised, __entry->achieved,
		  __entry->windows, show_qos_miss_why(__entry->why),
		  __entry->time_ns)
);

DEFINE_EVENT(ssdqos_qos_promise, ssdqos_qos_window_missed,
	TP_PROTO(const struct qos_stream *st,
		 const struct ssdqos_watch_event *what),
	TP_ARGS(st, what)
);

/* behind at the half of several windows in a row; promised by now, achieved */
DEFINE_EVENT(ssdqos_qos_promise, ssdqos_qos_promise_at_risk,
	TP_PROTO(const struct qos_stream *st,
		 const struct ssdqos_watch_event *what),
	TP_ARGS(st, what)
);

DEFINE_EVENT(ssdqos_qos_promise, ssdqos_qos_promise_safe,
	TP_PROTO(const struct qos_stream *st,
		 const struct ssdqos_watch_event *what),
	TP_ARGS(st, what)
);

/* dev is the device whose request brought it to light; it concerns the drive */
TRACE_EVENT(ssdqos_qos_profile_drifted,
	TP_PROTO(const struct qos_stream *st,
		 const struct ssdqos_watch_event *what),
	TP_ARGS(st, what),
	TP_STRUCT__entry(
		QOS_STREAM_FIELDS
		__field(u64, time_ns)
		__field(s64, drift_pct)
		__field(bool, stale)
	),
	TP_fast_assign(
		QOS_STREAM_ASSIGN(st);
		__entry->time_ns = what->time_ns;
		__entry->drift_pct = what->drift_pct;
		__entry->stale = what->kind == SSDQOS_WATCH_PROFILE_STALE;
	),
	TP_printk(QOS_STREAM_FORMAT " drift_pct=%lld stale=%d time_ns=%llu",
		  QOS_STREAM_VALUES, __entry->drift_pct, __entry->stale,
		  __entry->time_ns)
);

TRACE_EVENT(ssdqos_qos_share_reserved,
	TP_PROTO(const struct qos_stream *st, u64 used_ppm, u64 free_ppm),
	TP_ARGS(st, used_ppm, free_ppm),
	TP_STRUCT__entry(
		QOS_STREAM_FIELDS
		__field(u32, util_ppm)
		__field(u64, used_ppm)
		__field(u64, free_ppm)
	),
	TP_fast_assign(
		QOS_STREAM_ASSIGN(st);
		__entry->util_ppm = qos_stream_owner(st)->util_ppm;
		__entry->used_ppm = used_ppm;
		__entry->free_ppm = free_ppm;
	),
	TP_printk(QOS_STREAM_FORMAT " util_ppm=%u used_ppm=%llu free_ppm=%llu",
		  QOS_STREAM_VALUES, __entry->util_ppm, __entry->used_ppm,
		  __entry->free_ppm)
);

/* A step of the debt changed what spare writes may use.  dev and stream are of
 * the request that ended the step, which came then, or went if none had come for
 * long; owner is the number of the client that had the least part of its promise,
 * -1 if none asked for all of it.
 */
TRACE_EVENT(ssdqos_qos_debt_changed,
	TP_PROTO(const struct qos_stream *st,
		 const struct ssdqos_debt_change *what),
	TP_ARGS(st, what),
	TP_STRUCT__entry(
		QOS_STREAM_FIELDS
		__field(u64, time_ns)
		__field(u64, rate_ppm)
		__field(u64, room_ppm)
		__field(u32, away_permille)
		__field(u32, old_permille)
		__field(u32, new_permille)
		__field(s32, owner)
		__field(u32, got_permille)
		__field(u8, why)
	),
	TP_fast_assign(
		QOS_STREAM_ASSIGN(st);
		__entry->time_ns = what->time_ns;
		__entry->rate_ppm = what->rate_ppm;
		__entry->room_ppm = what->room_ppm;
		__entry->away_permille = what->away_permille;
		__entry->old_permille = what->old_permille;
		__entry->new_permille = what->new_permille;
		__entry->owner = what->owner;
		__entry->got_permille = what->got_permille;
		__entry->why = what->why;
	),
	TP_printk(QOS_STREAM_FORMAT " why=%s owner=%d got_permille=%u old_permille=%u new_permille=%u rate_ppm=%llu room_ppm=%llu away_permille=%u time_ns=%llu",
		  QOS_STREAM_VALUES, show_qos_debt_why(__entry->why),
		  __entry->owner, __entry->got_permille, __entry->old_permille,
		  __entry->new_permille, __entry->rate_ppm,
		  __entry->room_ppm, __entry->away_permille,
		  __entry->time_ns)
);

/* Sectors of a client's device, as its bios have them below. */
TRACE_EVENT(ssdqos_trim_taken,
	TP_PROTO(const struct qos_stream *st, u64 start, u64 end),
	TP_ARGS(st, start, end),
	TP_STRUCT__entry(
		QOS_STREAM_FIELDS
		__field(u64, start)
		__field(u64, sectors)
	),
	TP_fast_assign(
		QOS_STREAM_ASSIGN(st);
		__entry->start = start - st->trim_base;
		__entry->sectors = end - start;
	),
	TP_printk(QOS_STREAM_FORMAT " start=%llu sectors=%llu",
		  QOS_STREAM_VALUES, __entry->start, __entry->sectors)
);

TRACE_EVENT(ssdqos_trim_cut,
	TP_PROTO(const struct qos_stream *st, u64 start, u64 end, u64 cut,
		 bool held),
	TP_ARGS(st, start, end, cut, held),
	TP_STRUCT__entry(
		QOS_STREAM_FIELDS
		__field(u64, start)
		__field(u64, sectors)
		__field(u64, cut_sectors)
		__field(bool, held)
	),
	TP_fast_assign(
		QOS_STREAM_ASSIGN(st);
		__entry->start = start - st->trim_base;
		__entry->sectors = end - start;
		__entry->cut_sectors = cut;
		__entry->held = held;
	),
	TP_printk(QOS_STREAM_FORMAT " start=%llu sectors=%llu cut_sectors=%llu held=%d",
		  QOS_STREAM_VALUES, __entry->start, __entry->sectors,
		  __entry->cut_sectors, __entry->held)
);

TRACE_EVENT(ssdqos_trim_sent,
	TP_PROTO(const struct qos_stream *st, const struct ssdqos_trim_run *run,
		 u64 now_ns),
	TP_ARGS(st, run, now_ns),
	TP_STRUCT__entry(
		QOS_STREAM_FIELDS
		__field(u64, start)
		__field(u64, sectors)
		__field(u64, age_ns)
		__field(u8, why)
	),
	TP_fast_assign(
		QOS_STREAM_ASSIGN(st);
		__entry->start = run->start - st->trim_base;
		__entry->sectors = run->end - run->start;
		__entry->age_ns = now_ns - run->since_ns;
		__entry->why = run->why;
	),
	TP_printk(QOS_STREAM_FORMAT " start=%llu sectors=%llu why=%s age_ns=%llu",
		  QOS_STREAM_VALUES, __entry->start, __entry->sectors,
		  show_qos_trim_why(__entry->why), __entry->age_ns)
);

TRACE_EVENT(ssdqos_trim_done,
	TP_PROTO(const struct qos_stream *st, const struct ssdqos_trim_run *run,
		 u64 device_ns, bool failed),
	TP_ARGS(st, run, device_ns, failed),
	TP_STRUCT__entry(
		QOS_STREAM_FIELDS
		__field(u64, start)
		__field(u64, sectors)
		__field(u64, device_ns)
		__field(bool, failed)
	),
	TP_fast_assign(
		QOS_STREAM_ASSIGN(st);
		__entry->start = run->start - st->trim_base;
		__entry->sectors = run->end - run->start;
		__entry->device_ns = device_ns;
		__entry->failed = failed;
	),
	TP_printk(QOS_STREAM_FORMAT " start=%llu sectors=%llu device_ns=%llu failed=%d",
		  QOS_STREAM_VALUES, __entry->start, __entry->sectors,
		  __entry->device_ns, __entry->failed)
);

/* a write waits for the budget of the drive's lifetime */
TRACE_EVENT(ssdqos_ready_stopped,
	TP_PROTO(const struct qos_stream *st, const struct qos_io *io),
	TP_ARGS(st, io),
	TP_STRUCT__entry(
		QOS_READY_FIELDS
		__field(u8, decision)
	),
	TP_fast_assign(
		QOS_READY_ASSIGN(st, io);
		__entry->decision = io->ready.decision;
	),
	TP_printk(QOS_READY_FORMAT " decision=%s",
		  QOS_READY_VALUES, show_qos_ready(__entry->decision))
);

/* it goes on; stop_ns is all of the time that it waited before it went */
TRACE_EVENT(ssdqos_ready_released,
	TP_PROTO(const struct qos_stream *st, const struct qos_io *io,
		 u64 now_ns),
	TP_ARGS(st, io, now_ns),
	TP_STRUCT__entry(
		QOS_READY_FIELDS
		__field(u64, stop_ns)
		__field(u8, decision)
	),
	TP_fast_assign(
		QOS_READY_ASSIGN(st, io);
		__entry->stop_ns = now_ns - io->ready.since_ns;
		__entry->decision = io->ready.decision;
	),
	TP_printk(QOS_READY_FORMAT " stop_ns=%llu decision=%s",
		  QOS_READY_VALUES, __entry->stop_ns,
		  show_qos_ready(__entry->decision))
);

/* a delay begins; delay_ns is how long it will take */
TRACE_EVENT(ssdqos_ready_delayed,
	TP_PROTO(const struct qos_stream *st, const struct qos_io *io,
		 u64 now_ns),
	TP_ARGS(st, io, now_ns),
	TP_STRUCT__entry(
		QOS_READY_FIELDS
		__field(u64, delay_ns)
	),
	TP_fast_assign(
		QOS_READY_ASSIGN(st, io);
		__entry->delay_ns = io->ready.until_ns - now_ns;
	),
	TP_printk(QOS_READY_FORMAT " delay_ns=%llu",
		  QOS_READY_VALUES, __entry->delay_ns)
);

/* Something about the drive's lifetime is new; its streams' devices are told
 * by uevents.  dev is one of them.
 */
TRACE_EVENT(ssdqos_ready_epoch,
	TP_PROTO(const struct qos_drive *d,
		 const struct ssdqos_watch_event *what),
	TP_ARGS(d, what),
	TP_STRUCT__entry(
		__field(dev_t, dev)
		__field(u32, event)
		__field(u32, why)
		__field(u64, time_ns)
		__field(u64, delay_ns)
		__field(u64, capacity_bytes)
		__field(u64, used_bytes)
		__field(u64, expected_bytes)
		__field(u64, left_bytes)
	),
	TP_fast_assign(
		const struct ssdqos_ready_stream *s = d->ready->streams;

		__entry->dev = s ? container_of(s, struct qos_stream,
						ready)->dev : 0;
		__entry->event = what->kind;
		__entry->why = what->why;
		__entry->time_ns = what->time_ns;
		__entry->delay_ns = what->delay_ns;
		__entry->capacity_bytes = what->epoch_bytes;
		__entry->used_bytes = d->ready->epoch.used_bytes;
		__entry->expected_bytes = d->ready->epoch.expected_bytes;
		__entry->left_bytes = what->left_bytes;
	),
	TP_printk("dev=%d:%d event=%s why=%s delay_ns=%llu capacity_bytes=%llu used_bytes=%llu expected_bytes=%llu left_bytes=%llu time_ns=%llu",
		  MAJOR(__entry->dev), MINOR(__entry->dev),
		  show_qos_event(__entry->event), show_qos_why(__entry->why),
		  __entry->delay_ns, __entry->capacity_bytes,
		  __entry->used_bytes, __entry->expected_bytes,
		  __entry->left_bytes, __entry->time_ns)
);

#endif /* SSDQOS_QOS_TRACE_H */

#undef TRACE_INCLUDE_PATH
#define TRACE_INCLUDE_PATH .
#undef TRACE_INCLUDE_FILE
#define TRACE_INCLUDE_FILE trace
#include <trace/define_trace.h>
