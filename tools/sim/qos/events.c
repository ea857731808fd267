// SPDX-License-Identifier: GPL-2.0
#include "events.h"

#include "../common/types.h"

/* What a row says, beside its time, event and stream. */
struct row {
	u64 promised, achieved, windows;
	s64 drift_pct;
	u64 seq;
	u32 bytes;
	const char *decision;
	u64 stop_ns, delay_ns;
	const char *why;
	u64 capacity_bytes, used_bytes, expected_bytes, left_bytes;
	const struct ssdqos_debt_change *debt;
};

void qos_events_start(FILE *file)
{
	fprintf(file, "time_s,event,stream,promised,achieved,windows,drift_pct,seq,bytes,decision,"
		"stop_ns,delay_ns,why,capacity_bytes,used_bytes,expected_bytes,left_bytes,"
		"owner,got_permille,old_permille,new_permille,rate_ppm,room_ppm,away_permille\n");
}

static void print(FILE *file, u64 time_ns, const char *event, const char *stream,
		  const struct row *row)
{
	const struct ssdqos_debt_change none = {}, *debt = row->debt ? row->debt : &none;

	fprintf(file, "%llu.%09llu,%s,%s,%llu,%llu,%llu,%lld,", time_ns / NS_PER_S,
		time_ns % NS_PER_S, event, stream, row->promised, row->achieved, row->windows,
		row->drift_pct);
	fprintf(file, "%llu,%u,%s,%llu,%llu,%s,%llu,%llu,%llu,%llu,", row->seq, row->bytes,
		row->decision ? row->decision : "", row->stop_ns, row->delay_ns,
		row->why ? row->why : "", row->capacity_bytes, row->used_bytes,
		row->expected_bytes, row->left_bytes);
	fprintf(file, "%d,%u,%u,%u,%llu,%llu,%u\n", (s32)debt->owner, debt->got_permille,
		debt->old_permille, debt->new_permille, debt->rate_ppm, debt->room_ppm,
		debt->away_permille);
}

void qos_events_watch(FILE *file, const char *name, const struct ssdqos_watch_event *event,
		      const struct ssdqos_ready *ready)
{
	struct row row = {
		.promised = event->promised,
		.achieved = event->achieved,
		.windows = event->windows,
		.drift_pct = event->drift_pct,
	};

	if (event->missed_why)
		row.why = ssdqos_miss_why_names[event->missed_why];

	if (event->kind >= SSDQOS_WATCH_LIFE_EPOCH) {
		row.delay_ns = event->delay_ns;
		row.why = ssdqos_ready_why_names[event->why];
		row.capacity_bytes = event->epoch_bytes;
		row.used_bytes = ready->epoch.used_bytes;
		row.expected_bytes = ready->epoch.expected_bytes;
		row.left_bytes = event->left_bytes;
	}
	print(file, event->time_ns, ssdqos_watch_event_names[event->kind], name, &row);
}

void qos_events_debt(FILE *file, const char *name, const struct ssdqos_debt_change *change)
{
	const struct row row = { .why = ssdqos_debt_why_names[change->why], .debt = change };

	print(file, change->time_ns, "debt_changed", name, &row);
}

void qos_events_kept(FILE *file, const struct qos_events_write *write)
{
	const struct ssdqos_ready_req *req = write->req;
	struct row row = { .seq = write->seq, .bytes = req->bytes };

	if (req->until_ns)
		row.delay_ns = req->until_ns - write->now_ns;
	else
		row.decision = ssdqos_ready_decision_names[req->decision];
	print(file, write->now_ns, req->until_ns ? "ready_delayed" : "ready_stopped",
	      write->stream, &row);
}

void qos_events_released(FILE *file, const struct qos_events_write *write)
{
	const struct row row = {
		.seq = write->seq,
		.bytes = write->req->bytes,
		.decision = ssdqos_ready_decision_names[write->req->decision],
		.stop_ns = write->now_ns - write->req->since_ns,
	};

	print(file, write->now_ns, "ready_released", write->stream, &row);
}
