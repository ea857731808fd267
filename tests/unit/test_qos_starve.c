// SPDX-License-Identifier: GPL-2.0
/*
 * Clients that come, go and turn to something else at random: owners keep what they were promised,
 * and nobody starves.
 *
 * The drive takes exactly what requests cost, so whatever is missing was given to somebody else.
 */
#include "qos_helper.h"
#include "../../dm-ssdqos/core/engine/rng.h"

#define DRAWS 8
#define RUN_NS (120 * S)
#define STEP_NS (100 * MS)
#define OWNERS 2
#define CLIENTS 7
/* 36 % and 20 % of the device time, with requests enough for all of it. */
#define OWNER_DEPTH 32
static const char *const promises[OWNERS] = {
	"min_iops=3600 op=read window_ms=1000", "min_iops=2000 op=read window_ms=500",
};
/* One is an owner itself, and one is held back by its maximum. */
static const char *const others[CLIENTS - OWNERS] = {
	"util_ppm=50000 max_iops=500 op=read", "max_iops=400", "", "", "weight=300",
};
#define LIMITED 2	/* of these, the first ones */
/* Half of it for the first window after a pause, of 50 that may miss one. */
#define MISSED_PART 50
/* Ten seconds the scheduler may let somebody wait for what others have sent, and some requests come first then. */
#define WAIT_MOST_NS (12 * S)

/* @since_ns: since when it has requests and got none done; @longest_ns: the longest such time */
struct client {
	u64 until_ns;
	u64 since_ns;
	u64 longest_ns;
	u64 sector;
	u32 depth;
	u32 outstanding;
	u32 kind;
	u32 bytes;
	bool in_order;
};

static struct client clients[CLIENTS];
static struct ssdqos_rng rng;

static u32 below(u32 n)
{
	return ssdqos_rng_below(&rng, n);
}

static struct client *client_of(const struct ssdqos_edf_stream *s)
{
	return &clients[s - qos_streams];
}

static void ask(struct ssdqos_edf_stream *s)
{
	struct client *c = client_of(s);

	if (!c->outstanding)
		c->since_ns = qos_now_ns;
	while (c->outstanding < c->depth) {
		c->outstanding++;
		if (c->in_order) {
			c->sector += c->bytes >> 9;
			qos_submit_at(s, qos_request(c->kind, c->bytes), c->sector, 0);
		} else {
			qos_submit(s, c->kind, c->bytes, 0);
		}
	}
}

static void done(struct ssdqos_edf_stream *s, struct ssdqos_edf_req *req)
{
	struct client *c = client_of(s);

	c->outstanding--;
	if (qos_now_ns - c->since_ns > c->longest_ns)
		c->longest_ns = qos_now_ns - c->since_ns;
	c->since_ns = qos_now_ns;
	ask(s);
}

/* Something else from now on, or nothing for a while. */
static void turn(u32 at)
{
	static const u32 depths[] = { 1, 1, 2, 8, 31, 32, 33, 64 };
	/* what is larger takes longer than that of a hundredth of the drive */
	static const u32 sizes[] = { 4096, 4096, 4096, 8192, 16384, 65536 };
	static const u32 kinds[] = { SSDQOS_EDF_KIND_READ, SSDQOS_EDF_KIND_WRITE };
	/* in ms: most are short, some long enough to save up what others need */
	static const u32 longest[] = { 500, 3000, 40000 };
	struct client *c = &clients[at];

	c->until_ns = qos_now_ns + (100 + below(longest[below(3)])) * MS;
	if (c->depth && below(2)) {
		c->depth = 0;
		return;
	}
	if (at < OWNERS) {
		c->depth = OWNER_DEPTH;
		c->kind = SSDQOS_EDF_KIND_READ;
		c->bytes = 4096;
		return;
	}
	c->depth = depths[below(8)];
	c->kind = kinds[below(2)];
	c->bytes = sizes[below(6)];
	c->in_order = below(2);
	c->sector = (u64)(at + 1) << 40;
}

static void judge(u64 seed)
{
	u32 i;

	for (i = 0; i < OWNERS; i++) {
		const struct ssdqos_edf_stats *stats = &qos_streams[i].stats;

		ssdqos_edf_tick(&qos_streams[i], qos_now_ns, qos_events);
		if (stats->windows_missed > 1 + stats->windows_met / MISSED_PART)
			fail_msg("seed %llu: owner %u missed %llu windows and met %llu", seed, i,
				 stats->windows_missed, stats->windows_met);
	}
	for (i = OWNERS + LIMITED; i < CLIENTS; i++)
		if (clients[i].longest_ns > WAIT_MOST_NS)
			fail_msg("seed %llu: neighbour %u had requests and got nothing for %llu ms", seed, i,
				 clients[i].longest_ns / MS);
}

static void run(u64 seed)
{
	u32 i;

	ssdqos_rng_seed(&rng, seed);
	qos_start(QOS_PROFILE "mix 0 1000 mix 10 1200 mix 90 1200 mix 100 1000 ");
	qos_edf->cfg.drive_margin_permille = 25;
	qos_edf->cfg.drive_debt = 1;
	qos_edf->cfg.drive_lead = 1;
	memset(clients, 0, sizeof(clients));
	for (i = 0; i < CLIENTS; i++)
		qos_add(i < OWNERS ? promises[i] : others[i - OWNERS]);
	while (qos_since(qos_now_ns) < RUN_NS) {
		for (i = 0; i < CLIENTS; i++) {
			if (qos_now_ns >= clients[i].until_ns)
				turn(i);
			ask(&qos_streams[i]);
		}
		qos_serve(qos_now_ns + STEP_NS, done);
	}
	judge(seed);
	for (i = 0; i < CLIENTS; i++)
		clients[i].depth = 0;
	qos_finish(NULL);
}

static void nobody_starves(void **state)
{
	for (u64 seed = 1; seed <= DRAWS; seed++)
		run(seed);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(nobody_starves),
	};

	return cmocka_run_group_tests_name("qos_starve", tests, NULL, NULL);
}
