/* SPDX-License-Identifier: GPL-2.0 */
/*
 * qos_helper.h - a scheduler, its clients, and a drive that takes exactly what requests cost
 */
#ifndef SSDQOS_TESTS_QOS_HELPER_H
#define SSDQOS_TESTS_QOS_HELPER_H

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <cmocka.h>

#include "../../dm-ssdqos/core/qos/edf.h"
#include "../../tools/sim/platform/env.h"

#define US 1000ULL
#define MS 1000000ULL
#define S 1000000000ULL

/* 4 KiB: a read is 100 us, a write 400 us; 8 KiB: 150 and 450; 16 KiB: 250 and 550. */
#define QOS_PROFILE_OF(depth)						\
	"ssdqos-profile 1 window_ms 100 1000 "				\
	"cost read rand 4096 " depth " 990 120000 100000 "		\
	"cost read rand 16384 " depth " 990 300000 250000 "		\
	"cost read seq 4096 " depth " 990 60000 50000 "			\
	"cost write rand 4096 " depth " 990 - 400000 "			\
	"cost write rand 16384 " depth " 990 - 550000 "
/* With one at a time, so with more as well. */
#define QOS_PROFILE QOS_PROFILE_OF("1")

#define QOS_READ_NS 100000ULL
#define QOS_WRITE_NS 400000ULL

/* Enough for every test. */
#define QOS_STREAMS 64
#define QOS_REQUESTS 4096

extern struct ssdqos_edf *qos_edf;
extern struct ssdqos_edf_stream qos_streams[QOS_STREAMS];
extern struct ssdqos_watch_event qos_events[SSDQOS_WATCH_MAX_EVENTS];
extern u64 qos_now_ns;
extern char qos_err[256];

void qos_start(const char *profile);
/* As qos_start(), with QOS_PROFILE. */
int qos_setup(void **state);
/* Everything that is under way completes, everything that waits goes. */
int qos_finish(void **state);

/* Sets the clock, which stands at 0 after qos_start(). */
void qos_at(u64 ns);
/* A time of the core on that clock. */
u64 qos_since(u64 ns);

/* Words are "key=value key=value". */
void qos_config(struct ssdqos_qos_config *config, const char *words);
/* Adds the next stream. */
struct ssdqos_edf_stream *qos_add(const char *words);
/* Changes a stream; returns what the core says. */
int qos_set(struct ssdqos_edf_stream *s, const char *words);
/* A profile for the drive; returns what the core says. */
int qos_set_profile(const char *text);

/* A request somewhere else than all before; its verdict. */
struct ssdqos_edf_req *qos_request(u32 kind, u32 bytes);
enum ssdqos_edf_verdict qos_submit_at(struct ssdqos_edf_stream *s, struct ssdqos_edf_req *req,
				      u64 sector, u32 flags);
enum ssdqos_edf_verdict qos_submit(struct ssdqos_edf_stream *s, u32 kind, u32 bytes, u32 flags);
/* As qos_submit() of 4 KiB without flags. */
enum ssdqos_edf_verdict qos_read(struct ssdqos_edf_stream *s);
enum ssdqos_edf_verdict qos_write(struct ssdqos_edf_stream *s);

/* Is in the drive with one request from now on that nobody has to complete, or is no longer. */
void qos_asks(struct ssdqos_edf_stream *s, bool asks);

/* The request that was sent to the drive first of those that it has. */
struct ssdqos_edf_req *qos_oldest(void);
u32 qos_complete(struct ssdqos_edf_req *req);
/* ... with another outcome than that it is done. */
u32 qos_end(struct ssdqos_edf_req *req, enum ssdqos_edf_outcome outcome);
/* ssdqos_edf_next(): whose request it was, or NULL. */
struct ssdqos_edf_stream *qos_next(void);
/* The one sent last. */
struct ssdqos_edf_req *qos_last_sent(void);

/*
 * Runs the drive until a time: it works on the oldest request for exactly its cost; @done is told
 * of each that is complete and may submit.
 */
void qos_serve(u64 until_ns, void (*done)(struct ssdqos_edf_stream *s, struct ssdqos_edf_req *req));

/* An owner that has done something, beside a neighbour; a step of the debt begins, with the debt on. */
struct ssdqos_edf_stream *qos_debt_owner(const char *words);
/* It ends: the owner had requests for so much of what it owns, all the time, and got so much. */
void qos_debt_step(struct ssdqos_edf_stream *owner, u64 step_ns, u64 wants_pct, u64 gets_pct);

#endif
