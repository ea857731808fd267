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

/* Who still waits in the end has waited, too. */
static u64 longest_ns(const struct client *c)
{
	u64 waits_ns = c->outstanding ? qos_now_ns - c->since_ns : 0;

	return waits_ns > c->longest_ns ? waits_ns : c->longest_ns;
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
		if (longest_ns(&clients[i]) > WAIT_MOST_NS)
			fail_msg("seed %llu: neighbour %u had requests and got nothing for %llu ms", seed, i,
				 longest_ns(&clients[i]) / MS);
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

static void begin(struct ssdqos_edf_stream *s, u32 kind, u32 bytes, u32 depth)
{
	clients[s - qos_streams] = (struct client){ .kind = kind, .bytes = bytes, .depth = depth };
	ask(s);
}

/* An owner whose requests all go through the drive makes the pace slow.  Requests that are larger than what
 * may be under way then wait until there is nothing: small ones of others could be there for ever.
 */
static void large_ones_have_their_turn_beside_small_ones(void **state)
{
	static const u32 kinds[] = { SSDQOS_EDF_KIND_READ, SSDQOS_EDF_KIND_WRITE };
	static const char *const owners[] = { "min_iops=3000 op=read iodepth=4", "min_iops=3000 op=read iodepth=8",
					      "min_iops=3000 op=read iodepth=16", "min_iops=4500 op=read iodepth=4",
					      "min_iops=4500 op=read iodepth=8", "min_iops=6000 op=read iodepth=4",
					      "min_iops=6000 op=read iodepth=8", "min_iops=6000 op=read iodepth=16" };
	struct ssdqos_edf_stream *owner, *large, *small;
	u32 at;

	for (at = 0; at < 32; at++) {
		qos_start("ssdqos-profile 1 window_ms 100 1000 cost read rand 4096 1 990 110000 100000 "
			  "cost read rand 4096 32 990 110000 100000 cost read rand 1048576 32 990 5000000 5000000 "
			  "cost write rand 4096 32 990 - 200000 cost write rand 1048576 32 990 - 9000000 "
			  "mix 0 1000 mix 10 1100 mix 90 1100 mix 100 1000 ");
		qos_edf->cfg.drive_margin_permille = 25;
		qos_edf->cfg.drive_debt = 1;
		qos_edf->cfg.drive_lead = 1;
		qos_edf->cfg.drive_narrow = 1;
		memset(clients, 0, sizeof(clients));
		owner = qos_add(owners[at >> 2]);
		large = qos_add("");
		small = qos_add("");
		begin(owner, SSDQOS_EDF_KIND_READ, 4096, (u32)owner->cfg.iodepth);
		begin(large, kinds[at & 1], 1 << 20, 2);
		begin(small, kinds[at >> 1 & 1], 4096, 16);
		qos_serve(qos_now_ns + RUN_NS, done);
		if (longest_ns(client_of(large)) > WAIT_MOST_NS)
			fail_msg("case %u: requests of 1 MiB waited for %llu ms", at, longest_ns(client_of(large)) / MS);
		assert_true(owner->stats.windows_missed <= 2);
		for (u32 i = 0; i < 3; i++)
			clients[i].depth = 0;
		qos_finish(NULL);
	}
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(nobody_starves),
		cmocka_unit_test(large_ones_have_their_turn_beside_small_ones),
	};

	return cmocka_run_group_tests_name("qos_starve", tests, NULL, NULL);
}
