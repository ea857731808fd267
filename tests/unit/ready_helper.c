// SPDX-License-Identifier: GPL-2.0
#include "ready_helper.h"

struct ssdqos_ready *ready;
struct ssdqos_qos_drive_config ready_cfg;
u64 ready_disk_bytes;
u64 ready_now_ns;
struct ssdqos_watch_event ready_events[SSDQOS_READY_MAX_EVENTS];
void (*ready_done)(struct ssdqos_ready_stream *s, u32 bytes);

static struct ssdqos_ready_stream streams[READY_STREAMS];
static struct ssdqos_ready_req requests[READY_REQUESTS];
static struct ssdqos_ready_req *spare[READY_REQUESTS];
static u32 nr_spare;
static struct ssdqos_ready_req *last;
static u32 nr_streams;
static u64 flash_bytes;

int ready_setup(void **state)
{
	struct ssdqos_qos_config config;

	memset(streams, 0, sizeof(streams));
	for (nr_spare = 0; nr_spare < READY_REQUESTS; nr_spare++)
		spare[nr_spare] = &requests[nr_spare];
	nr_streams = 0;
	flash_bytes = 0;
	ready_now_ns = 0;
	ready_done = NULL;
	ready_disk_bytes = 16 * GB;
	ssdqos_qos_config_init(&config);
	ready_cfg = config.drive;
	ready = ssdqos_ready_create();
	assert_non_null(ready);
	return 0;
}

int ready_finish(void **state)
{
	u32 i;

	ready_done = NULL;
	for (i = 0; i < nr_streams; i++)
		if (streams[i].ready)
			ssdqos_ready_drain(&streams[i], true);
	ready_next();
	ready_next_done();
	assert_int_equal(nr_spare, READY_REQUESTS);
	for (i = 0; i < nr_streams; i++)
		if (streams[i].ready)
			ready_leave(&streams[i]);
	assert_null(ready->streams);
	ssdqos_ready_destroy(ready);
	assert_int_equal(ssdqos_env_live, 0);
	assert_int_equal(ssdqos_env_warnings, 0);
	return 0;
}

void ready_set(const char *words)
{
	struct ssdqos_qos_config config;

	ssdqos_qos_config_init(&config);
	config.drive = ready_cfg;
	qos_config(&config, words);
	if (ssdqos_qos_config_check(&config, qos_err, sizeof(qos_err)))
		fail_msg("%s", qos_err);
	ready_cfg = config.drive;
	ssdqos_ready_set(ready, &ready_cfg, ready_disk_bytes, ready_now_ns);
}

struct ssdqos_ready_stream *ready_add(u32 delay_weight)
{
	struct ssdqos_ready_stream *s = &streams[nr_streams];

	ssdqos_ready_add(ready, s, nr_streams++);
	ssdqos_ready_set_stream(s, delay_weight);
	return s;
}

void ready_leave(struct ssdqos_ready_stream *s)
{
	ssdqos_ready_remove(s);
}

void ready_at(u64 ns)
{
	ready_now_ns = ns;
}

u32 ready_tick(void)
{
	return ssdqos_ready_tick(ready, ready_now_ns, ready_events);
}

bool ready_hears(u64 ns, u32 kind)
{
	u32 i, nr;

	ready_at(ns);
	nr = ready_tick();
	for (i = 0; i < nr; i++)
		if (ready_events[i].kind == kind)
			return true;
	return false;
}

/* ---- writes ---- */

static void finish(struct ssdqos_ready_req *req)
{
	struct ssdqos_ready_stream *s = req->stream;
	u32 bytes = req->bytes;

	spare[nr_spare++] = req;
	if (ready_done)
		ready_done(s, bytes);
}

static void program(struct ssdqos_ready_req *req)
{
	flash_bytes += req->bytes;
	if (!ssdqos_ready_complete(req, ready_now_ns))
		finish(req);
}

static bool submit(struct ssdqos_ready_stream *s, u32 bytes, bool urgent)
{
	struct ssdqos_ready_req *req;

	assert_true(nr_spare);
	req = spare[--nr_spare];
	memset(req, 0x5a, sizeof(*req));
	req->bytes = bytes;
	req->urgent = urgent;
	last = req;
	if (!ssdqos_ready_submit(s, req, ready_now_ns))
		return false;
	program(req);
	return true;
}

bool ready_write(struct ssdqos_ready_stream *s, u32 bytes)
{
	return submit(s, bytes, false);
}

bool ready_urgent(struct ssdqos_ready_stream *s, u32 bytes)
{
	return submit(s, bytes, true);
}

u64 ready_fill(struct ssdqos_ready_stream *s, u32 bytes)
{
	u64 was = flash_bytes;

	while (ready_write(s, bytes))
		;
	return flash_bytes - was;
}

struct ssdqos_ready_req *ready_last(void)
{
	return last;
}

u32 ready_next(void)
{
	struct ssdqos_ready_req *req;
	u32 nr = 0;

	for (; (req = ssdqos_ready_next(ready, ready_now_ns)); nr++)
		program(req);
	return nr;
}

u32 ready_next_done(void)
{
	struct ssdqos_ready_req *req;
	u32 nr = 0;

	for (; (req = ssdqos_ready_next_done(ready, ready_now_ns)); nr++)
		finish(req);
	return nr;
}

u32 ready_fail(void)
{
	struct ssdqos_ready_req *req;
	u32 nr = 0;

	for (; (req = ssdqos_ready_fail(ready, ready_now_ns)); nr++)
		finish(req);
	return nr;
}

void ready_run(u64 until_ns)
{
	u64 ns, idle = 0;

	for (;;) {
		idle = ready_next() + ready_next_done() ? 0 : idle + 1;
		/* it asked to be asked, and had nothing to say */
		assert_true(idle < 100000);
		ns = max(ssdqos_ready_wake_ns(ready), ready_now_ns);
		if (ns > until_ns)
			break;
		ready_now_ns = ns;
	}
	ready_now_ns = until_ns;
	ready_tick();
}

u64 ready_flash_bytes(void)
{
	return flash_bytes;
}

struct ssdqos_ready_gauges ready_look(void)
{
	struct ssdqos_ready_gauges g;

	ssdqos_ready_look(ready, ready_now_ns, &g);
	return g;
}
