// SPDX-License-Identifier: GPL-2.0
/*
 * A life that is saved goes on as if nothing had been, and nonsense is refused.
 */
#include "../../dm-ssdqos/core/engine/crc32c.h"
#include "ready_helper.h"

#define DRIVE "drive_pe_cycles=500 drive_capacity_mb=100 drive_lifetime_h=100 drive_window_s=60 " \
	"drive_recovery=stated "
#define WALL_S 1700000000ULL
#define WORD 8
/* Words of the header, of today and of version 1. */
#define FIRST_FIELD 11
#define WORDS 74
#define FIRST_FIELD_1 5
#define NR_FIELDS_1 56

static u8 header[SSDQOS_READY_HEADER_BYTES];
static u8 history[SSDQOS_READY_HISTORY_BYTES];
static struct ssdqos_ready_stream *s;

static void start(const char *words)
{
	ready_finish(NULL);
	ready_setup(NULL);
	ready_set(words);
	s = ready_add(100);
}

static void save(void)
{
	ssdqos_ready_save_header(ready, 7, WALL_S, header);
	ssdqos_ready_save_history(ready, 3, history);
	ssdqos_ready_name_history(header, 3, ssdqos_ready_seal_history(history));
	ssdqos_ready_seal_header(header);
}

static int load_at(u64 wall_s, u64 now_ns)
{
	memset(qos_err, 0, sizeof(qos_err));
	ready_at(now_ns);
	return ssdqos_ready_load(ready, header, history, wall_s, now_ns, qos_err, sizeof(qos_err));
}

static u64 next_random(u64 *seed)
{
	*seed = *seed * 6364136223846793005ULL + 1442695040888963407ULL;
	return *seed >> 33;
}

/* Writes of a minute, as they come. */
static void live(u64 *seed, u32 minutes)
{
	u32 i;

	for (; minutes; minutes--) {
		for (i = 0; i < 30; i++) {
			ready_write(s, (u32)(1 + next_random(seed) % 100) * PAGE);
			ready_run(ready_now_ns + 2 * S);
		}
	}
}

static void one_goes_on_as_the_other(const char *words)
{
	struct ssdqos_ready_gauges gauges[100];
	u64 seed = 3, was, at_ns;
	u32 i;

	start(words);
	live(&seed, 200);
	ssdqos_ready_drain(s, true);
	ready_run(ready_now_ns);
	ssdqos_ready_drain(s, false);
	/* at the begin of an epoch, so that what was held up in it is no difference */
	ready->held_ns = 0;
	ready->stopped_ns = 0;
	at_ns = ready_now_ns;
	was = seed;
	save();
	for (i = 0; i < 100; i++) {
		live(&seed, 1);
		gauges[i] = ready_look();
	}
	ssdqos_ready_drain(s, true);
	start(words);
	assert_int_equal(load_at(WALL_S, at_ns), 0);
	seed = was;
	for (i = 0; i < 100; i++) {
		struct ssdqos_ready_gauges g;

		live(&seed, 1);
		g = ready_look();
		if (memcmp(&g, &gauges[i], sizeof(g)))
			fail_msg("%s: minute %u: %lld and %lld", words, i, g.life_used_bytes,
				 gauges[i].life_used_bytes);
	}
	ssdqos_ready_drain(s, true);
}

static void a_life_goes_on(void **state)
{
	one_goes_on_as_the_other(DRIVE "drive_throttle=ready_opt");
	assert_true(ready->delay_ns > 0);
	one_goes_on_as_the_other(DRIVE "drive_throttle=ready_pes");
	one_goes_on_as_the_other(DRIVE "drive_throttle=static");
	one_goes_on_as_the_other(DRIVE "drive_throttle=dynamic drive_time_scale=10 drive_waf_permille=1337");
	one_goes_on_as_the_other(DRIVE "drive_throttle=none");
}

static void a_header_has_its_number(void **state)
{
	struct ssdqos_ready_header h;

	start(DRIVE);
	save();
	assert_int_equal(ssdqos_ready_read_header(header, &h), 0);
	assert_int_equal(h.seq, 7);
	assert_int_equal(h.history_seq, 3);
	assert_int_equal(h.wall_s, WALL_S);
	memset(header, 0, sizeof(header));
	assert_int_equal(ssdqos_ready_read_header(header, &h), -EINVAL);
}

static void reports_go_on_too(void **state)
{
	struct ssdqos_wear_report wear = { .flash_bytes = 5 * GB };

	start(DRIVE);
	assert_int_equal(ssdqos_ready_report(ready, &wear, 0, qos_err, sizeof(qos_err)), 0);
	ready_write(s, 1 * MB);
	save();
	start(DRIVE);
	assert_int_equal(load_at(WALL_S, 5 * S), 0);
	wear.flash_bytes += 7 * MB;
	assert_int_equal(ssdqos_ready_report(ready, &wear, 5 * S, qos_err, sizeof(qos_err)), 0);
	assert_int_equal(ready_look().life_used_bytes, 7 * MB);
}

/* ---- away ---- */

static void without_power_it_gets_older(void **state)
{
	u64 seed = 1;

	start(DRIVE "drive_throttle=ready_opt");
	live(&seed, 10);
	save();
	start(DRIVE "drive_throttle=ready_opt drive_age_h=5");
	/* the age is part of what was saved */
	assert_int_equal(load_at(WALL_S + 3600, 0), 0);
	assert_int_equal(ready_look().life_age_s, 600 + 3600);
	assert_in_range(ready_look().life_idle_s, 3600, 4200);
	assert_int_equal(ready_look().life_delay_ns, 0);
}

static void a_clock_that_says_nonsense_is_not_believed(void **state)
{
	u64 seed = 1;

	start(DRIVE);
	live(&seed, 10);
	save();
	start(DRIVE);
	assert_int_equal(load_at(0, 0), 0);
	assert_int_equal(ready_look().life_age_s, 600);
	start(DRIVE);
	assert_int_equal(load_at(WALL_S * 10, 0), 0);
	assert_int_equal(ready_look().life_age_s, 600);
}

static void years_away_at_any_speed_are_only_long(void **state)
{
	start(DRIVE "drive_time_scale=1000000 drive_throttle=ready_opt");
	ready_write(s, 1 * MB);
	save();
	start(DRIVE "drive_time_scale=1000000 drive_throttle=ready_opt");
	assert_int_equal(load_at(WALL_S + 364ULL * 86400, 0), 0);
	assert_int_equal(ready_look().life_delay_why, SSDQOS_READY_WHY_REACHED);
	assert_true(ready_look().life_age_s > 100LL * 365 * 86400);
}

static void a_delay_survives_a_short_pause(void **state)
{
	u64 seed = 1, delay_ns;

	start(DRIVE "drive_throttle=ready_opt");
	live(&seed, 10);
	ready_write(s, PAGE);
	ready_run(ready_now_ns + 20 * S);
	delay_ns = ready->delay_ns;
	assert_true(delay_ns > 0);
	save();
	start(DRIVE "drive_throttle=ready_opt");
	assert_int_equal(load_at(WALL_S + 20, 0), 0);
	assert_int_equal(ready->delay_ns, delay_ns);
	assert_int_equal(s->delay_ns, delay_ns);
	assert_int_equal(ready_look().life_delay_why, SSDQOS_READY_WHY_MORE);
}

/* ---- other parameters ---- */

static void without_an_endurance_it_is_refused(void **state)
{
	start(DRIVE);
	save();
	start("drive_lifetime_h=5");
	assert_int_equal(load_at(WALL_S, 0), -ENOENT);
	assert_non_null(strstr(qos_err, "wear is not counted"));
}

static void another_endurance_keeps_what_was_used(void **state)
{
	u64 seed = 1, used;

	start(DRIVE "drive_throttle=ready_pes");
	live(&seed, 100);
	ssdqos_ready_drain(s, true);
	ready_run(ready_now_ns);
	used = (u64)ready_look().life_used_bytes;
	save();
	start("drive_pe_cycles=1000 drive_capacity_mb=100 drive_recovery=stated "
	      "drive_lifetime_h=100 drive_window_s=600 drive_throttle=ready_pes");
	assert_int_equal(load_at(WALL_S, 0), 0);
	assert_int_equal(ready_look().life_used_bytes, used);
	assert_int_equal(ready_look().life_endurance_bytes, 100 * GB);
	assert_in_range(ready_look().life_effective_bytes, 100 * GB - 100 * MB, 102 * GB);
	assert_int_equal(ready_look().life_epoch_s, 600);
	assert_int_equal(ready_look().life_epoch_expected_bytes, 0);
}

static void another_unit_converts_what_was_used(void **state)
{
	start(DRIVE "drive_waf_permille=4000");
	ready_write(s, 10 * MB);
	save();
	start("drive_endurance_gb=50 drive_window_s=60");
	assert_int_equal(load_at(WALL_S, 0), 0);
	assert_in_range(ready_look().life_used_bytes, 10 * MB - 10, 10 * MB + 10);
	assert_int_equal(ready_look().life_host_bytes, 10 * MB);
}

static void another_policy_decides_anew(void **state)
{
	u64 seed = 1;

	start(DRIVE "drive_throttle=ready_opt");
	live(&seed, 10);
	ready_run(ready_now_ns + 20 * S);
	assert_true(ready->delay_ns > 0);
	save();
	start(DRIVE "drive_throttle=static");
	assert_int_equal(load_at(WALL_S, 0), 0);
	assert_int_equal(s->delay_ns, 0);
	assert_int_equal(ready_look().life_delay_why, SSDQOS_READY_WHY_STATIC);
	start(DRIVE "drive_throttle=ready_pes drive_lifetime_h=50");
	assert_int_equal(load_at(WALL_S, 0), 0);
	assert_in_range(ready_look().life_epoch_bytes, 2 * 49 * GB / 6000, 2 * 51 * GB / 6000);
	/* a drive that is older than its new target */
	start(DRIVE "drive_throttle=ready_pes drive_lifetime_h=1");
	assert_int_equal(load_at(WALL_S + 3600, 0), 0);
	assert_int_equal(ready_look().life_delay_why, SSDQOS_READY_WHY_REACHED);
}

/* The state of a drive that is in use, which gets younger. */
static void it_may_be_loaded_while_writes_wait(void **state)
{
	u64 stopped_ns;

	start(DRIVE "drive_throttle=ready_pes");
	save();
	ready_at(2 * H);
	while (ready_write(s, PAGE))
		;
	assert_int_equal(load_at(WALL_S, 2 * H), 0);
	assert_int_equal(ready_look().life_age_s, 0);
	ready_run(2 * H + 1 * S);
	assert_int_equal(ready_look().life_stopped, 0);
	stopped_ns = ready->stopped_ns;
	assert_true(stopped_ns <= 1 * S);
}

/* ---- nonsense ---- */

static void every_flipped_bit_of_the_header_is_found(void **state)
{
	struct ssdqos_ready was;
	u64 seed = 1;
	u32 bit;

	start(DRIVE "drive_throttle=ready_opt");
	live(&seed, 10);
	ssdqos_ready_drain(s, true);
	ready_run(ready_now_ns);
	save();
	was = *ready;
	for (bit = 0; bit < 8 * SSDQOS_READY_HEADER_BYTES; bit++) {
		header[bit / 8] ^= (u8)(1 << bit % 8);
		if (!load_at(WALL_S, ready_now_ns))
			fail_msg("bit %u", bit);
		header[bit / 8] ^= (u8)(1 << bit % 8);
	}
	assert_non_null(strstr(qos_err, "broken"));
	assert_memory_equal(&was, ready, sizeof(was));
}

/* ... and a broken history costs nothing but itself. */
static void a_broken_history_is_left_away(void **state)
{
	u64 seed = 1, used;
	u32 bit;

	start(DRIVE);
	live(&seed, 20);
	used = (u64)ready_look().life_used_bytes;
	save();
	for (bit = 0; bit < 8 * SSDQOS_READY_HISTORY_BYTES; bit += 97) {
		history[bit / 8] ^= (u8)(1 << bit % 8);
		assert_int_equal(load_at(WALL_S, ready_now_ns), 0);
		assert_int_equal(ready->nr_history, 0);
		assert_int_equal(ready_look().life_used_bytes, used);
		history[bit / 8] ^= (u8)(1 << bit % 8);
	}
	assert_int_equal(load_at(WALL_S, ready_now_ns), 0);
	assert_int_equal(ready->nr_history, 20);
	assert_int_equal(ssdqos_ready_load(ready, header, NULL, WALL_S, ready_now_ns, qos_err,
					   sizeof(qos_err)), 0);
	assert_int_equal(ready->nr_history, 0);
}

static void set_word(u32 i, u64 value)
{
	u32 j;

	for (j = 0; j < WORD; j++)
		header[i * WORD + j] = (u8)(value >> 8 * j);
}

static u64 get_word(u32 i)
{
	u64 word;

	memcpy(&word, header + i * WORD, WORD);
	return word;
}

static void sign(void)
{
	set_word(1, ssdqos_crc32c(header + 2 * WORD, SSDQOS_READY_HEADER_BYTES - 2 * WORD));
}

/* As version 1 did it: FNV-1a by words. */
static u64 hash_1(const u8 *from, u32 bytes)
{
	u64 hash = 0xcbf29ce484222325ULL, word;
	u32 i;

	for (i = 0; i < bytes; i += WORD) {
		memcpy(&word, from + i, WORD);
		hash = (hash ^ word) * 0x100000001b3ULL;
	}
	return hash;
}

/* What version 1 would have saved. */
static void make_1(void)
{
	u64 hash;
	u32 i;

	for (i = 0; i < WORDS - FIRST_FIELD; i++)
		set_word(FIRST_FIELD_1 + i, i < NR_FIELDS_1 ? get_word(FIRST_FIELD + i) : 0);
	for (i += FIRST_FIELD_1; i < WORDS; i++)
		set_word(i, 0);
	set_word(2, 1);
	set_word(1, hash_1(header + 2 * WORD, SSDQOS_READY_HEADER_BYTES - 2 * WORD));
	memset(history + SSDQOS_READY_HISTORY_BYTES - 3 * WORD, 0, 3 * WORD);
	hash = hash_1(history + WORD, SSDQOS_READY_HISTORY_BYTES - WORD);
	memcpy(history, &hash, WORD);
}

static void version_1_is_read_yet(void **state)
{
	u64 seed = 1, used;

	start(DRIVE "drive_throttle=ready_opt");
	live(&seed, 20);
	used = (u64)ready_look().life_used_bytes;
	save();
	make_1();
	start(DRIVE "drive_throttle=ready_opt");
	ready->identity.place = 5;
	assert_int_equal(load_at(WALL_S + 3600, 0), 0);
	assert_int_equal(ready_look().life_used_bytes, used);
	assert_int_equal(ready_look().life_age_s, 20 * 60 + 3600);
	assert_int_equal(ready->nr_history, 20 + 60);
	header[300] ^= 1;
	assert_int_equal(load_at(WALL_S, 0), -EBADMSG);
}

static void a_later_version_is_refused(void **state)
{
	struct ssdqos_ready was;

	start(DRIVE);
	save();
	was = *ready;
	set_word(2, 3);
	sign();
	assert_int_equal(load_at(WALL_S, 0), -EOVERFLOW);
	assert_non_null(strstr(qos_err, "of a later version"));
	set_word(2, 2);
	set_word(5, WORDS - FIRST_FIELD + 1);
	sign();
	assert_int_equal(load_at(WALL_S, 0), -EOVERFLOW);
	assert_memory_equal(&was, ready, sizeof(was));
	/* of an earlier one that had fewer numbers */
	set_word(5, NR_FIELDS_1);
	sign();
	assert_int_equal(load_at(WALL_S, 0), 0);
}

/* ---- whose life ---- */

static const struct ssdqos_ready_identity disk_a = { .unique = { 1, 2 }, .place = 1000 };
static const struct ssdqos_ready_identity disk_b = { .unique = { 1, 3 }, .place = 1000 };
static const struct ssdqos_ready_identity large = { .place = 2000 };
static const struct ssdqos_ready_identity small = { .place = 1000 };

static int load_from(const struct ssdqos_ready_identity *from, const struct ssdqos_ready_identity *to, bool accept)
{
	start(DRIVE);
	ready->identity = *from;
	ready_write(s, 1 * MB);
	save();
	start(accept ? DRIVE "drive_accept_life=1" : DRIVE);
	ready->identity = *to;
	return load_at(WALL_S, 0);
}

static void the_life_of_another_disk_is_refused(void **state)
{
	assert_int_equal(load_from(&disk_a, &disk_b, false), -ENOENT);
	assert_non_null(strstr(qos_err, "another drive"));
	assert_non_null(strstr(qos_err, "drive_accept_life 1"));
	assert_int_equal(ready_look().life_used_bytes, 0);
	assert_int_equal(load_from(&small, &large, false), -ENOENT);
	/* what is unique has appeared with a new kernel, or is not shown any more */
	assert_int_equal(load_from(&small, &disk_a, false), 0);
	assert_int_equal(load_from(&disk_a, &small, false), 0);
	assert_int_equal(load_from(&disk_a, &large, false), -ENOENT);
	assert_int_equal(load_from(&disk_a, &disk_a, false), 0);
	assert_int_equal(load_from(&disk_a, &disk_b, true), 0);
	assert_true(ready_look().life_used_bytes > 0);
	/* from then on it is its own */
	save();
	start(DRIVE);
	ready->identity = disk_b;
	assert_int_equal(load_at(WALL_S, 0), 0);
}

static void check_use(void)
{
	const s64 *value;
	u32 i, j;

	for (i = 0; i < 20; i++) {
		struct ssdqos_ready_gauges g = ready_look();

		value = (const s64 *)&g;
		for (j = 0; j < SSDQOS_READY_NR_GAUGES; j++)
			if (value[j] < -1)
				fail_msg("%s: %lld", ssdqos_ready_gauge_names[j], value[j]);
		ready_write(s, 100 * PAGE);
		ssdqos_ready_search(ready, ssdqos_ready_most_windows(ready));
		ready_run(ready_now_ns + 7 * S);
	}
}

/* Whoever can sign can write what he likes; it must not hang or trap. */
static void signed_nonsense_is_harmless(void **state)
{
	static u8 good[SSDQOS_READY_HEADER_BYTES];
	u64 seed = 1;
	u32 i, round, taken = 0, refused = 0;

	start(DRIVE "drive_throttle=ready_opt");
	live(&seed, 10);
	ssdqos_ready_drain(s, true);
	ready_run(ready_now_ns);
	save();
	memcpy(good, header, sizeof(good));
	for (round = 0; round < 3000; round++) {
		static const char *const policies[] = { "none", "static", "dynamic", "ready_pes",
							"ready_opt" };
		char words[256];

		memcpy(header, good, sizeof(good));
		for (i = round % 3; i < 3; i++) {
			u64 value = next_random(&seed) << 33 ^ next_random(&seed);

			value = next_random(&seed) % 4 ? value >> next_random(&seed) % 64 :
							 0 - next_random(&seed) % 3;
			set_word(FIRST_FIELD + (u32)(next_random(&seed) % (WORDS - FIRST_FIELD)),
				 value);
		}
		sign();
		snprintf(words, sizeof(words), DRIVE "drive_throttle=%s", policies[round % 5]);
		start(words);
		if (load_at(WALL_S, 600 * S))
			refused++;
		else
			taken++;
		check_use();
		ssdqos_ready_drain(s, true);
	}
	assert_true(taken > 300 && refused > 300);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		READY_TEST(a_life_goes_on),
		READY_TEST(a_header_has_its_number),
		READY_TEST(reports_go_on_too),
		READY_TEST(without_power_it_gets_older),
		READY_TEST(a_clock_that_says_nonsense_is_not_believed),
		READY_TEST(years_away_at_any_speed_are_only_long),
		READY_TEST(a_delay_survives_a_short_pause),
		READY_TEST(without_an_endurance_it_is_refused),
		READY_TEST(another_endurance_keeps_what_was_used),
		READY_TEST(another_unit_converts_what_was_used),
		READY_TEST(another_policy_decides_anew),
		READY_TEST(it_may_be_loaded_while_writes_wait),
		READY_TEST(every_flipped_bit_of_the_header_is_found),
		READY_TEST(a_broken_history_is_left_away),
		READY_TEST(version_1_is_read_yet),
		READY_TEST(a_later_version_is_refused),
		READY_TEST(the_life_of_another_disk_is_refused),
		READY_TEST(signed_nonsense_is_harmless),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
