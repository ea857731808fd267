// SPDX-License-Identifier: GPL-2.0
/*
 * Whatever a power cut tears, or an error leaves undone, the life that is found
 * on the device is the last one that was written, or the one before, and its
 * history is the one that belongs to it.
 */
#include "../../dm-ssdqos/core/ready/disk.h"
#include "ready_helper.h"

#define DRIVE "drive_endurance_gb=500 drive_lifetime_h=1000 drive_window_s=60 drive_throttle=none "
#define WALL_S 1700000000ULL
#define SECTOR 512u
#define ROUNDS 400

static u8 device[SSDQOS_READY_DISK_BYTES];
static u8 image[SSDQOS_READY_DISK_BYTES];
static u8 found[SSDQOS_READY_DISK_BYTES];
static u8 torn[SSDQOS_READY_DISK_BYTES];
static struct ssdqos_ready_disk disk;
static struct ssdqos_ready_stream *s;
static u64 seed;
/* Some writes fail: a header may go with a history that is some windows older. */
static bool errors;

static u32 draw(u32 below)
{
	seed = seed * 6364136223846793005ULL + 1442695040888963407ULL;
	return (u32)((seed >> 33) % below);
}

static void attach(void)
{
	memset(&disk, 0, sizeof(disk));
	memcpy(image, device, sizeof(image));
	disk.image = image;
	assert_int_equal(ssdqos_ready_disk_find(&disk), 0);
}

static void begin(u64 number)
{
	seed = number;
	errors = false;
	ready_finish(NULL);
	ready_setup(NULL);
	ready_set(DRIVE);
	s = ready_add(100);
	memset(device, 0, sizeof(device));
	attach();
}

/* What there was when a state was taken. */
struct moment {
	u64 host_bytes;
	u32 nr_history;
	u32 last[4];
};

static struct moment moment_of(const struct ssdqos_ready *r)
{
	struct moment m = { .host_bytes = r->host_bytes, .nr_history = r->nr_history };
	u32 i;

	for (i = 0; i < 4; i++)
		m.last[i] = r->history[(r->next_history + SSDQOS_READY_HISTORY - 1 - i) % SSDQOS_READY_HISTORY];
	return m;
}

/* Writes, and sometimes some windows end. */
static void live(u32 windows)
{
	ready_write(s, (1 + draw(100)) * PAGE);
	ready_at(ready_now_ns + windows * 60 * S + draw(20) * S);
	ready_tick();
}

static void put(u8 *to, const struct ssdqos_ready_write *w)
{
	memcpy(to + w->at_bytes, image + w->at_bytes, w->bytes);
}

static void put_sectors(const struct ssdqos_ready_write *w, u64 which)
{
	u32 i;

	for (i = 0; i * SECTOR < w->bytes; i++)
		if (which >> i % 64 & 1)
			memcpy(torn + w->at_bytes + i * SECTOR, image + w->at_bytes + i * SECTOR, SECTOR);
}

/* What a machine that gets power again finds; false if that is nothing yet. */
static bool find(const u8 *from, struct moment *m)
{
	struct ssdqos_ready_disk d = { .image = found };
	struct ssdqos_ready *r;

	memcpy(found, from, sizeof(found));
	assert_int_equal(ssdqos_ready_disk_find(&d), 0);
	if (!d.found)
		return false;
	r = ssdqos_ready_create();
	ssdqos_ready_set(r, &ready_cfg, ready_disk_bytes, 0);
	assert_int_equal(ssdqos_ready_disk_load(&d, r, WALL_S, 0, qos_err, sizeof(qos_err)), 0);
	*m = moment_of(r);
	ssdqos_ready_destroy(r);
	return true;
}

/* It is one of both moments, with its history; @is_new: or nothing yet. */
static void check_found(const struct moment *older, const struct moment *newer, bool is_new)
{
	struct moment m;
	u32 i;

	if (!find(torn, &m)) {
		assert_true(is_new);
		return;
	}
	/* what failed may be there, or get whole by the other half of the next one, or not */
	if (errors)
		assert_in_range(m.host_bytes, older->host_bytes, newer->host_bytes);
	else if (m.host_bytes != older->host_bytes && m.host_bytes != newer->host_bytes)
		fail_msg("%llu is neither %llu nor %llu", m.host_bytes, older->host_bytes, newer->host_bytes);
	/* the first header has none, and a bridge the one before */
	for (i = 0; i < min(m.nr_history, 4u); i++)
		assert_int_equal(m.last[i], ready->history[m.nr_history - 1 - i]);
	if (!errors && m.host_bytes == older->host_bytes && older->host_bytes != newer->host_bytes)
		assert_int_equal(m.nr_history, older->nr_history);
}

static void check_cuts(const struct ssdqos_ready_write *w, const struct moment *older, const struct moment *newer,
		       bool is_new)
{
	u32 i, sectors = w->bytes / SECTOR;

	for (i = 0; i <= min(sectors, 16u); i++) {
		memcpy(torn, device, sizeof(torn));
		put_sectors(w, (1ULL << i) - 1);
		check_found(older, newer, is_new);
		memcpy(torn, device, sizeof(torn));
		put_sectors(w, (u64)draw(1u << 31) << 32 | draw(1u << 31));
		check_found(older, newer, is_new);
	}
}

/* Takes a state and writes it; all power cuts are tried.  True if it was written. */
static bool save(struct moment *last)
{
	struct moment newer = moment_of(ready);
	struct ssdqos_ready_write w;
	bool is_new = !disk.seq;
	u64 bytes = 0, said = ssdqos_ready_disk_bytes(&disk, ready);

	ssdqos_ready_disk_take(&disk, ready, WALL_S);
	/* what happens meanwhile is not in it */
	ready_write(s, PAGE);
	while (ssdqos_ready_disk_next(&disk, &w)) {
		check_cuts(&w, last, &newer, is_new);
		if (errors && !draw(3)) {
			memcpy(torn, device, sizeof(torn));
			put_sectors(&w, (u64)draw(1u << 31) << 32 | draw(1u << 31));
			memcpy(device, torn, sizeof(device));
			ssdqos_ready_disk_failed(&disk);
			return false;
		}
		put(device, &w);
		bytes += w.bytes;
		ssdqos_ready_disk_done(&disk);
	}
	assert_int_equal(bytes, said);
	/* the first header has no history */
	if (is_new)
		newer.nr_history = 0;
	*last = newer;
	return true;
}

static void a_power_cut_costs_a_period(void **state)
{
	struct moment last = { 0 };
	u32 round;

	begin(1);
	for (round = 0; round < ROUNDS; round++) {
		live(draw(4));
		save(&last);
	}
	assert_true(disk.history_seq > 100 && disk.seq >= ROUNDS);
}

/* ... and a machine that gets power again goes on. */
static void again_and_again(void **state)
{
	struct moment last = { 0 };
	u32 round;

	begin(2);
	for (round = 0; round < ROUNDS; round++) {
		live(draw(3));
		save(&last);
		if (!draw(4))
			attach();
	}
}

/* What an error leaves on the device is not known, and a cut may come then, too. */
static void errors_are_tried_again(void **state)
{
	struct moment last = { 0 };
	u32 round, failed = 0;

	begin(3);
	save(&last);
	errors = true;
	for (round = 0; round < ROUNDS; round++) {
		live(draw(3));
		if (!save(&last))
			failed++;
	}
	assert_true(failed > ROUNDS / 10);
}

/* The review's: the history is the header's, whatever windows have passed since. */
static void the_history_is_that_of_the_header(void **state)
{
	struct moment last = { 0 };
	u32 away_s, windows = 0;

	begin(4);
	for (; windows < 9; windows++) {
		live(1);
		save(&last);
	}
	for (away_s = 0; away_s < 300; away_s += 60) {
		struct ssdqos_ready_disk d = { .image = found };
		struct ssdqos_ready *was = ready;

		memcpy(found, device, sizeof(found));
		assert_int_equal(ssdqos_ready_disk_find(&d), 0);
		ready = ssdqos_ready_create();
		ssdqos_ready_set(ready, &ready_cfg, ready_disk_bytes, 0);
		assert_int_equal(ssdqos_ready_disk_load(&d, ready, WALL_S + away_s, 0, qos_err, sizeof(qos_err)), 0);
		assert_in_range(ready->nr_history, last.nr_history + away_s / 60, last.nr_history + away_s / 60 + 1);
		assert_int_equal(ready->history[last.nr_history - 1], last.last[0]);
		ssdqos_ready_destroy(ready);
		ready = was;
	}
}

static void look_at_the_clock(void)
{
	ssdqos_ready_clock(ready, WALL_S + ready_now_ns / S, 0, ready_now_ns);
}

/* The device was away while another stream of the drive went on, or comes after that one. */
static void what_was_counted_meanwhile_stays(void **state)
{
	struct ssdqos_ready_disk d = { .image = found };
	struct ssdqos_ready *another;
	struct moment last = { 0 };
	u64 counted;

	begin(5);
	look_at_the_clock();
	live(2);
	look_at_the_clock();
	save(&last);
	save(&last);
	memcpy(found, device, sizeof(found));
	assert_int_equal(ssdqos_ready_disk_find(&d), 0);
	live(3);
	look_at_the_clock();
	counted = ready->host_bytes;
	assert_true(counted > last.host_bytes);
	assert_int_equal(ssdqos_ready_disk_load(&d, ready, WALL_S, ready_now_ns, qos_err, sizeof(qos_err)), 1);
	assert_int_equal(ready->host_bytes, counted);

	another = ssdqos_ready_create();
	ssdqos_ready_set(another, &ready_cfg, ready_disk_bytes, 0);
	ssdqos_ready_clock(another, WALL_S + 600, 0, 0);
	ssdqos_ready_clock(another, WALL_S + 600, 0, 0);
	ssdqos_ready_wrote(another, 1 << 20, 0);
	assert_int_equal(ssdqos_ready_disk_load(&d, another, WALL_S + 600, 0, qos_err, sizeof(qos_err)), 0);
	assert_int_equal(another->host_bytes, last.host_bytes + (1 << 20));
	/* what it has now is a later moment of the same life */
	assert_int_equal(ssdqos_ready_disk_load(&d, another, WALL_S + 600, 0, qos_err, sizeof(qos_err)), 1);
	assert_int_equal(another->host_bytes, last.host_bytes + (1 << 20));
	ssdqos_ready_destroy(another);
}

static void what_is_not_ours_is_left_alone(void **state)
{
	static const u32 places[] = { 0, 510, 1080, 4096, 4608, 8191, 8192, 40000, 65600, SSDQOS_READY_DISK_BYTES - 1 };
	struct moment last = { 0 };
	u32 i;

	for (i = 0; i < ARRAY_SIZE(places); i++) {
		struct ssdqos_ready_disk d = { .image = found };

		memset(found, 0, sizeof(found));
		found[places[i]] = 1;
		/* only there a first header may have been torn */
		assert_int_equal(ssdqos_ready_disk_find(&d), places[i] == 4608 ? 0 : -EINVAL);
		assert_false(d.found);
	}
	begin(5);
	live(1);
	save(&last);
	live(1);
	save(&last);
	memcpy(found, device, sizeof(found));
	memset(found + SSDQOS_READY_HEADER_BYTES + 100, 1, 50);
	memset(found + 100, 1, 50);
	assert_int_equal(ssdqos_ready_disk_find(&(struct ssdqos_ready_disk){ .image = found }), -EINVAL);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		READY_TEST(a_power_cut_costs_a_period),
		READY_TEST(again_and_again),
		READY_TEST(errors_are_tried_again),
		READY_TEST(the_history_is_that_of_the_header),
		READY_TEST(what_was_counted_meanwhile_stays),
		READY_TEST(what_is_not_ours_is_left_alone),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
