// SPDX-License-Identifier: GPL-2.0
/*
 * state.c - a drive's life survives power
 *
 * Two parts, in little-endian order: the header has all numbers, and is small
 * enough to be written every period; the history is written when a window
 * ends.  Each has a checksum, and the header names the history that it goes
 * with, and the drive.  A history that is missing, broken or another one costs
 * only the search for an epoch length.
 *
 * Version 1, which had neither and a weaker checksum, is read yet.
 */
#include "../engine/crc32c.h"
#include "internal.h"
#include "state.h"

#define STATE_MAGIC 0x3159444145525144ULL	/* "DQREADY1" */
#define STATE_VERSION 2u
#define STATE_VERSION_1 1u
#define STATE_WORD 8
/* Version 1: FNV-1a by words, and so many fields, the last three zeroes. */
#define STATE_HASH_INIT 0xcbf29ce484222325ULL
#define STATE_HASH_PRIME 0x100000001b3ULL
#define STATE_NR_FIELDS_1 56u

/* F(field): numbers of the header, behind those of enum state_word.  New ones
 * come at the end: a state that has fewer leaves them as they are.
 */
#define STATE_FIELDS(F)							\
	F(endurance_bytes)						\
	F(cfg.drive_window_s)						\
	F(life_ns)							\
	F(host_bytes)							\
	F(used_bytes)							\
	F(charge_rest)							\
	F(waf_permille)							\
	F(recovery.cycles_fp)						\
	F(recovery.trap_fp)						\
	F(recovery.vth_fp)						\
	F(recovery.idle_ns)						\
	F(recovery.mean_idle_ns)					\
	F(source.known)							\
	F(source.lost)							\
	F(source.flash_bytes)						\
	F(source.host_bytes)						\
	F(source.own_bytes)						\
	F(source.charged_bytes)						\
	F(source.waf_flash_bytes)					\
	F(source.waf_own_bytes)						\
	F(epoch.windows)						\
	F(epoch.done_windows)						\
	F(epoch.start_ns)						\
	F(epoch.length_ns)						\
	F(epoch.left_bytes)						\
	F(epoch.capacity_bytes)						\
	F(epoch.spare_bytes)						\
	F(epoch.used_bytes)						\
	F(epoch.expected_bytes)						\
	F(epoch.fair_bytes)						\
	F(epoch.fair_ns)						\
	F(epoch.period_end_ns)						\
	F(epoch.period_bytes)						\
	F(epoch.delay_ns)						\
	F(epoch.wrong)							\
	F(delay_ns)							\
	F(why)								\
	F(window_bytes)							\
	F(window_host_bytes)						\
	F(window_burst_bytes)						\
	F(burst_bytes)							\
	F(window_end_ns)						\
	F(nr_history)							\
	F(next_history)							\
	F(held_permille)						\
	F(epochs)							\
	F(good_epochs)							\
	F(cfg.drive_throttle)						\
	F(cfg.drive_lifetime_h)						\
	F(cfg.drive_endurance_gb)					\
	F(cfg.drive_pe_cycles)						\
	F(cfg.drive_spare_permille)					\
	F(cfg.drive_recovery)						\
	F(plan.start_ns)						\
	F(plan.start_bytes)						\
	F(plan.since_ns) /* a mean rest, by who counted that */	\
	F(clock.birth_s)						\
	F(clock.powered_ns)						\
	F(clock.away_ns)						\
	F(plan.seen_ns)							\
	F(plan.seen_pages)						\
	F(plan.seen_delay_ns)						\
	F(clock.passed_ns)

/**
 * struct state_field - where a number of the header is
 * @offset: in struct ssdqos_ready
 * @bytes: its size
 */
struct state_field {
	u32 offset;
	u32 bytes;
};

static const struct state_field state_fields[] = {
#define F(field) { offsetof(struct ssdqos_ready, field),		\
		   sizeof_field(struct ssdqos_ready, field) },
	STATE_FIELDS(F)
#undef F
};

/* Words of the header. */
enum state_word {
	STATE_W_MAGIC,
	STATE_W_CHECKSUM,
	STATE_W_VERSION,
	STATE_W_SEQ,
	STATE_W_WALL_S,
	STATE_W_FIELDS_1,
	STATE_W_NR_FIELDS = STATE_W_FIELDS_1,
	STATE_W_UNIQUE,
	STATE_W_UNIQUE_REST,
	STATE_W_PLACE,
	STATE_W_HISTORY_SEQ,
	STATE_W_HISTORY_CHECKSUM,
	STATE_W_FIELDS,
};

/* Words of the history; the ring is behind the first one. */
enum state_history_word {
	STATE_H_CHECKSUM,
	STATE_H_RING,
	STATE_H_NR = SSDQOS_READY_HISTORY_BYTES / STATE_WORD - 3,
	STATE_H_NEXT,
	STATE_H_SEQ,
};

static_assert((STATE_W_FIELDS + ARRAY_SIZE(state_fields)) * STATE_WORD <=
	      SSDQOS_READY_HEADER_BYTES);
static_assert(SSDQOS_READY_HISTORY * sizeof(u32) <=
	      (STATE_H_NR - STATE_H_RING) * STATE_WORD);

static void state_put(u8 *block, u32 word, u64 value)
{
	u8 *to = block + word * STATE_WORD;
	u32 i;

	for (i = 0; i < STATE_WORD; i++, value >>= 8)
		to[i] = (u8)value;
}

static u64 state_get(const u8 *block, u32 word)
{
	const u8 *from = block + word * STATE_WORD;
	u64 value = 0;
	u32 i;

	for (i = STATE_WORD; i-- > 0;)
		value = value << 8 | from[i];
	return value;
}

static void state_put_fields(const struct ssdqos_ready *r, u8 *header)
{
	const struct state_field *f = state_fields;
	u64 value;
	u32 i;

	for (i = 0; i < ARRAY_SIZE(state_fields); i++, f++) {
		const u8 *from = (const u8 *)r + f->offset;

		if (f->bytes == sizeof(u64))
			value = *(const u64 *)from;
		else if (f->bytes == sizeof(u32))
			value = *(const u32 *)from;
		else
			value = *(const bool *)from;
		state_put(header, STATE_W_FIELDS + i, value);
	}
}

/* @nr of them, the first one at word @first. */
static void state_get_fields(struct ssdqos_ready *r, const u8 *header,
			     u32 first, u32 nr)
{
	const struct state_field *f = state_fields;
	u64 value;
	u32 i;

	for (i = 0; i < nr; i++, f++) {
		u8 *to = (u8 *)r + f->offset;

		value = state_get(header, first + i);
		if (f->bytes == sizeof(u64))
			*(u64 *)to = value;
		else if (f->bytes == sizeof(u32))
			*(u32 *)to = (u32)value;
		else
			*(bool *)to = value;
	}
}

/* ---- checksums: of all that is behind that word ---- */

static u64 state_checksum(const u8 *block, u32 word, u32 bytes)
{
	u32 from = (word + 1) * STATE_WORD;

	return ssdqos_crc32c(block + from, bytes - from);
}

static u64 state_checksum_1(const u8 *block, u32 word, u32 bytes)
{
	u64 hash = STATE_HASH_INIT;
	u32 i;

	for (i = word + 1; i < bytes / STATE_WORD; i++)
		hash = (hash ^ state_get(block, i)) * STATE_HASH_PRIME;
	return hash;
}

/* ---- save ---- */

/**
 * ssdqos_ready_save_header - the numbers of a life
 * @r: the drive
 * @seq: larger than in all headers before
 * @wall_s: time of day, in seconds since 1970
 * @header: gets SSDQOS_READY_HEADER_BYTES; names no history
 *
 * Context: caller serialises.
 */
void ssdqos_ready_save_header(const struct ssdqos_ready *r, u64 seq, u64 wall_s,
			      u8 *header)
{
	memset(header, 0, SSDQOS_READY_HEADER_BYTES);
	state_put(header, STATE_W_MAGIC, STATE_MAGIC);
	state_put(header, STATE_W_VERSION, STATE_VERSION);
	state_put(header, STATE_W_SEQ, seq);
	state_put(header, STATE_W_WALL_S, wall_s);
	state_put(header, STATE_W_NR_FIELDS, ARRAY_SIZE(state_fields));
	state_put(header, STATE_W_UNIQUE, r->identity.unique[0]);
	state_put(header, STATE_W_UNIQUE_REST, r->identity.unique[1]);
	state_put(header, STATE_W_PLACE, r->identity.place);
	state_put_fields(r, header);
}

/**
 * ssdqos_ready_name_history - say which history a header goes with
 * @header: the header
 * @seq: number of the history, or SSDQOS_READY_NO_HISTORY
 * @checksum: by ssdqos_ready_seal_history()
 */
void ssdqos_ready_name_history(u8 *header, u64 seq, u64 checksum)
{
	state_put(header, STATE_W_HISTORY_SEQ, seq);
	state_put(header, STATE_W_HISTORY_CHECKSUM, checksum);
}

/**
 * ssdqos_ready_seal_header - last of what a header gets
 * @header: as it shall be
 *
 * Context: any; twenty microseconds.
 */
void ssdqos_ready_seal_header(u8 *header)
{
	state_put(header, STATE_W_CHECKSUM,
		  state_checksum(header, STATE_W_CHECKSUM,
				 SSDQOS_READY_HEADER_BYTES));
}

/**
 * ssdqos_ready_save_history - what was written in the last windows
 * @r: the drive
 * @seq: its number
 * @history: gets SSDQOS_READY_HISTORY_BYTES
 *
 * Context: caller serialises.
 */
void ssdqos_ready_save_history(const struct ssdqos_ready *r, u64 seq,
			       u8 *history)
{
	u32 i;

	memset(history, 0, SSDQOS_READY_HISTORY_BYTES);
	for (i = 0; i < SSDQOS_READY_HISTORY; i += 2)
		state_put(history, STATE_H_RING + i / 2,
			  r->history[i] | (u64)r->history[i + 1] << 32);
	state_put(history, STATE_H_NR, r->nr_history);
	state_put(history, STATE_H_NEXT, r->next_history);
	state_put(history, STATE_H_SEQ, seq);
}

/**
 * ssdqos_ready_seal_history - last of what a history gets
 * @history: as it shall be
 *
 * Context: any; two hundred microseconds.
 * Return: its checksum.
 */
u64 ssdqos_ready_seal_history(u8 *history)
{
	u64 checksum = state_checksum(history, STATE_H_CHECKSUM,
				      SSDQOS_READY_HISTORY_BYTES);

	state_put(history, STATE_H_CHECKSUM, checksum);
	return checksum;
}

/* ---- what is it? ---- */

/**
 * ssdqos_ready_read_header - is it a header, and which?
 * @header: SSDQOS_READY_HEADER_BYTES
 * @h: filled if it is one
 *
 * Return: 0, -EINVAL if it is none, -EOVERFLOW if it is of a later version,
 * -EBADMSG if it is broken.
 */
int ssdqos_ready_read_header(const u8 *header, struct ssdqos_ready_header *h)
{
	u64 checksum = state_get(header, STATE_W_CHECKSUM);

	memset(h, 0, sizeof(*h));
	if (state_get(header, STATE_W_MAGIC) != STATE_MAGIC)
		return -EINVAL;
	h->version = state_get(header, STATE_W_VERSION);
	h->seq = state_get(header, STATE_W_SEQ);
	h->wall_s = state_get(header, STATE_W_WALL_S);
	h->history_seq = SSDQOS_READY_NO_HISTORY;
	h->nr_fields = STATE_NR_FIELDS_1;
	if (h->version == STATE_VERSION_1)
		return checksum == state_checksum_1(header, STATE_W_CHECKSUM,
				SSDQOS_READY_HEADER_BYTES) ? 0 : -EBADMSG;
	if (checksum != state_checksum(header, STATE_W_CHECKSUM,
				       SSDQOS_READY_HEADER_BYTES))
		return -EBADMSG;
	h->identity.unique[0] = state_get(header, STATE_W_UNIQUE);
	h->identity.unique[1] = state_get(header, STATE_W_UNIQUE_REST);
	h->identity.place = state_get(header, STATE_W_PLACE);
	h->history_seq = state_get(header, STATE_W_HISTORY_SEQ);
	h->history_checksum = state_get(header, STATE_W_HISTORY_CHECKSUM);
	h->nr_fields = state_get(header, STATE_W_NR_FIELDS);
	return h->version == STATE_VERSION &&
	       h->nr_fields >= STATE_NR_FIELDS_1 &&
	       h->nr_fields <= ARRAY_SIZE(state_fields) ? 0 : -EOVERFLOW;
}

static u32 state_first_field(const struct ssdqos_ready_header *h)
{
	return h->version == STATE_VERSION_1 ? STATE_W_FIELDS_1 :
					       STATE_W_FIELDS;
}

/**
 * ssdqos_ready_header_place_1 - where the history of a header of version 1 is
 * @header: such a one
 *
 * Return: place in the ring at which its history goes on.
 */
u64 ssdqos_ready_header_place_1(const u8 *header)
{
	u32 i;

	for (i = 0; i < STATE_NR_FIELDS_1; i++)
		if (state_fields[i].offset ==
		    offsetof(struct ssdqos_ready, next_history))
			break;
	return state_get(header, STATE_W_FIELDS_1 + i);
}

/**
 * ssdqos_ready_is_other - is a state that of another drive?
 * @r: the drive
 * @identity: of the state
 *
 * What is unique in the world decides if both have it, otherwise the size or
 * the name; a state that has neither may be of any drive.
 */
bool ssdqos_ready_is_other(const struct ssdqos_ready *r,
			   const struct ssdqos_ready_identity *identity)
{
	const struct ssdqos_ready_identity *own = &r->identity;

	if ((own->unique[0] | own->unique[1]) &&
	    (identity->unique[0] | identity->unique[1]))
		return own->unique[0] != identity->unique[0] ||
		       own->unique[1] != identity->unique[1];
	return own->place && identity->place && own->place != identity->place;
}

/* ---- load ---- */

static bool state_history_is_good(const struct ssdqos_ready_header *h,
				  const u8 *history)
{
	u64 checksum;

	if (!history)
		return false;
	checksum = state_get(history, STATE_H_CHECKSUM);
	if (h->version == STATE_VERSION_1)
		return checksum == state_checksum_1(history, STATE_H_CHECKSUM,
						    SSDQOS_READY_HISTORY_BYTES);
	return h->history_seq == state_get(history, STATE_H_SEQ) &&
	       h->history_checksum == checksum &&
	       checksum == state_checksum(history, STATE_H_CHECKSUM,
					  SSDQOS_READY_HISTORY_BYTES) &&
	       state_get(history, STATE_H_NR) <= SSDQOS_READY_HISTORY &&
	       state_get(history, STATE_H_NEXT) < SSDQOS_READY_HISTORY;
}

/* A history may be older than its header, by windows that nobody knows. */
static void state_load_history(struct ssdqos_ready *r,
			       const struct ssdqos_ready_header *h,
			       const u8 *history)
{
	u64 word;
	u32 i;

	for (i = 0; i < SSDQOS_READY_HISTORY; i += 2) {
		word = state_get(history, STATE_H_RING + i / 2);
		r->history[i] = (u32)word;
		r->history[i + 1] = (u32)(word >> 32);
	}
	if (h->version == STATE_VERSION_1)
		return;
	r->nr_history = (u32)state_get(history, STATE_H_NR);
	r->next_history = (u32)state_get(history, STATE_H_NEXT);
}

/* Why a state is refused, one sentence for each. */
static int state_refuse(int why, char *err, u32 err_size)
{
	scnprintf(err, err_size, "the state of the lifetime is %s",
		  why == -EINVAL ? "not one" :
		  why == -EBADMSG ? "broken" : "of a later version");
	return why;
}

/**
 * ssdqos_ready_check_state - may it be loaded?
 * @r: the drive
 * @header: SSDQOS_READY_HEADER_BYTES
 * @accept: even if it is another drive's
 * @h: filled
 * @err: gets one sentence on failure
 * @err_size: its size
 *
 * Return: 0, -EINVAL, -EBADMSG or -EOVERFLOW as ssdqos_ready_read_header(), or
 * -ENOENT if it is the life of another drive.
 */
int ssdqos_ready_check_state(const struct ssdqos_ready *r, const u8 *header,
			     bool accept, struct ssdqos_ready_header *h,
			     char *err, u32 err_size)
{
	int ret = ssdqos_ready_read_header(header, h);

	if (ret)
		return state_refuse(ret, err, err_size);
	if (accept || !ssdqos_ready_is_other(r, &h->identity))
		return 0;
	scnprintf(err, err_size,
		  "the state of the lifetime is that of another drive (its serial number, size or name differs); drive_accept_life 1 takes it over");
	return -ENOENT;
}

static void state_load_numbers(struct ssdqos_ready *r, const u8 *header,
			       const struct ssdqos_ready_header *h)
{
	r->clock.passed_ns = 0;	/* the field is younger than some states */
	if (h->version == STATE_VERSION_1)
		memset(&r->clock, 0, sizeof(r->clock));
	state_get_fields(r, header, state_first_field(h), (u32)h->nr_fields);
	if (!r->clock.birth_s)
		r->clock.birth_s = h->wall_s;
}

/* Times by the caller's clock, and what may differ now. */
static void state_go_on(struct ssdqos_ready *r, u64 wall_s, u64 now_ns)
{
	r->source.at_ns = now_ns;
	r->now_ns = now_ns;
	r->floor_ns = 0;
	r->stopped_since_ns = r->life_ns;
	ready_clock_load(r, wall_s, now_ns);
	r->epoch.period_end_ns = min(r->epoch.period_end_ns,
				     r->epoch.start_ns + r->epoch.length_ns +
				     ready_life_period_ns(r));
	if (r->cfg.drive_waf_permille)
		r->waf_permille = (u32)r->cfg.drive_waf_permille;
	ready_share_delay(r);
	ready_roll(r, now_ns);
}

/**
 * ssdqos_ready_load - go on where a life was left
 * @r: the drive; its parameters stay as they are
 * @header: SSDQOS_READY_HEADER_BYTES
 * @history: SSDQOS_READY_HISTORY_BYTES, or NULL
 * @wall_s: time of day, in seconds since 1970
 * @now_ns: time
 * @err: gets one sentence on failure
 * @err_size: its size
 *
 * The time without power is part of the life (clock.c).
 * Context: caller serialises; up to a millisecond.
 * Return: 0, -ENOENT if wear isn't counted on the drive or the state is that of
 * another one, -EINVAL, -EBADMSG or -EOVERFLOW if the state is none.
 */
int ssdqos_ready_load(struct ssdqos_ready *r, const u8 *header,
		      const u8 *history, u64 wall_s, u64 now_ns, char *err,
		      u32 err_size)
{
	struct ssdqos_ready was = *r;
	struct ssdqos_ready_header h;
	int ret;

	if (!r->counting) {
		scnprintf(err, err_size,
			  "wear is not counted without drive_endurance_gb or drive_pe_cycles");
		return -ENOENT;
	}
	ret = ssdqos_ready_check_state(r, header, r->cfg.drive_accept_life, &h,
				       err, err_size);
	if (ret)
		return ret;
	state_load_numbers(r, header, &h);
	if (!ready_state_is_sane(r)) {
		*r = was;
		scnprintf(err, err_size,
			  "the state of the lifetime has numbers that can't be");
		return -EINVAL;
	}
	if (state_history_is_good(&h, history)) {
		state_load_history(r, &h, history);
	} else {
		r->nr_history = 0;
		r->next_history = 0;
	}
	ready_state_fit(r, &was.cfg, was.endurance_bytes);
	state_go_on(r, wall_s, now_ns);
	r->loaded = true;
	return 0;
}

/* Is what is known here a later moment of the life that was left there? */
static bool state_is_earlier(const struct ssdqos_ready *r, const u8 *header)
{
	struct ssdqos_ready left = *r;
	struct ssdqos_ready_header h;

	if (!r->counting || ssdqos_ready_read_header(header, &h) ||
	    ssdqos_ready_is_other(r, &h.identity))
		return false;
	state_load_numbers(&left, header, &h);
	return left.clock.birth_s == r->clock.birth_s &&
	       left.clock.powered_ns <= r->clock.powered_ns &&
	       left.host_bytes <= r->host_bytes;
}

/**
 * ssdqos_ready_take_over - go on where a life was left, without losing anything
 * @r: the drive, which may have counted meanwhile: the device that keeps its life
 *	was away, or comes after others of its streams
 * @header: SSDQOS_READY_HEADER_BYTES
 * @history: SSDQOS_READY_HISTORY_BYTES, or NULL
 * @wall_s: time of day, in seconds since 1970
 * @now_ns: time
 * @err: gets one sentence on failure
 * @err_size: its size
 *
 * What a life that began here has counted is charged to the one that is found.
 * Context: as ssdqos_ready_load().
 * Return: likewise; or 1 if what is known here is a later moment of that life, and
 * stays.
 */
int ssdqos_ready_take_over(struct ssdqos_ready *r, const u8 *header,
			   const u8 *history, u64 wall_s, u64 now_ns, char *err,
			   u32 err_size)
{
	u64 counted = r->loaded ? 0 : r->host_bytes;
	int ret;

	if (state_is_earlier(r, header))
		return 1;
	ret = ssdqos_ready_load(r, header, history, wall_s, now_ns, err,
				err_size);
	if (!ret && counted)
		ssdqos_ready_wrote(r, counted, now_ns);
	return ret;
}
