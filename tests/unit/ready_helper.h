/* SPDX-License-Identifier: GPL-2.0 */
/*
 * ready_helper.h - a drive with a lifetime, its clients, and flash that takes no time
 */
#ifndef SSDQOS_TESTS_READY_HELPER_H
#define SSDQOS_TESTS_READY_HELPER_H

/* before the helper's S, a name that its rows use too */
#include "../../dm-ssdqos/core/ready/state.h"
#include "qos_helper.h"

#define H (3600 * S)
#define KB 1000ULL
#define MB 1000000ULL
#define GB 1000000000ULL
#define PAGE SSDQOS_READY_PAGE_BYTES

/* 18 GB in five hours: 1 MB a second, and 4 MB in an epoch of four seconds. */
#define READY_MB_A_SECOND "drive_endurance_gb=18 drive_lifetime_h=5 drive_window_s=4 "

/* Enough for every test. */
#define READY_STREAMS 8
#define READY_REQUESTS 4096

extern struct ssdqos_ready *ready;
extern struct ssdqos_qos_drive_config ready_cfg;
extern u64 ready_disk_bytes;
extern u64 ready_now_ns;
extern struct ssdqos_watch_event ready_events[SSDQOS_READY_MAX_EVENTS];
/* Told of each write that is done, whose memory is not used any more; may write. */
extern void (*ready_done)(struct ssdqos_ready_stream *s, u32 bytes);

/* A drive of 16 GB, the clock stands at 0. */
int ready_setup(void **state);
/* Everything that waits goes. */
int ready_finish(void **state);

/* Words are "key=value key=value"; what they don't name stays as it is. */
void ready_set(const char *words);
struct ssdqos_ready_stream *ready_add(u32 delay_weight);
void ready_leave(struct ssdqos_ready_stream *s);

/* Sets the clock; what waits stays where it is. */
void ready_at(u64 ns);
/* Tells of the time; returns the number of events. */
u32 ready_tick(void);
/* ready_tick() at a time, has there been an event of this kind? */
bool ready_hears(u64 ns, u32 kind);

/* A write that goes to the flash is complete at once; was it let go? */
bool ready_write(struct ssdqos_ready_stream *s, u32 bytes);
bool ready_urgent(struct ssdqos_ready_stream *s, u32 bytes);
/* Writes of a size until one stops; what has gone. */
u64 ready_fill(struct ssdqos_ready_stream *s, u32 bytes);
/* The write that was made last. */
struct ssdqos_ready_req *ready_last(void);

/* ssdqos_ready_next(), ssdqos_ready_next_done() until there are no more; how many. */
u32 ready_next(void);
u32 ready_next_done(void);
/* The disk is gone: what waits to get there is done; how many. */
u32 ready_fail(void);
/* Lets time pass, and goes on with whatever waits at the time that the core says. */
void ready_run(u64 until_ns);

/* Bytes that flash has got. */
u64 ready_flash_bytes(void);
/* A gauge, now. */
struct ssdqos_ready_gauges ready_look(void);

#define READY_TEST(name) cmocka_unit_test_setup_teardown(name, ready_setup, ready_finish)

#endif
