// SPDX-License-Identifier: GPL-2.0
/*
 * ready_state.c - a drive's life survives power
 *
 * Two parts, in little-endian order: the header has all numbers, and is small
 * enough to be written every period; the history is written when a window
 * ends.  Each has a checksum.  A history that is missing or broken costs only
 * the search for an epoch length.
 */
#include "ready_internal.h"

#define STATE_MAGIC 0x3159444145525144ULL	/* "DQREADY1" */
#define STATE_VERSION 1u
#define STATE_WORD 8
/* More than that without power is a wrong clock. */
#define STATE_MAX_AWAY_S (20ULL * 365 * 24 * 3600)
#define STATE_MAX_WINDOW_S 86400
#define STATE_MAX_WAF_PERMILLE 100000
/* No sum of bytes has more. */
#define STATE_BYTES_BITS 62
/* FNV-1a by words: finds what a power cut leaves, and is the same everywhere. */
#define STATE_HASH_INIT 0xcbf29ce484222325ULL
#define STATE_HASH_PRIME 0x100000001b3ULL

/* F(field): numbers of the header, behind those that save_header() is given */
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
	F(recovery.long_idle_ns)

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
	STATE_W_FIELDS,
};

static void state_put(u8 *to, u64 value)
{
	u32 i;

	for (i = 0; i < STATE_WORD; i++, value >>= 8)
		to[i] = (u8)value;
}

static u64 state_get(const u8 *from)
{
	u64 value = 0;
	u32 i;

	for (i = STATE_WORD; i-- > 0;)
		value = value << 8 | from[i];
	return value;
}

static void state_put_fields(const struct ssdqos_ready *r, u8 *to)
{
	const struct state_field *f = state_fields;
	u64 value;
	u32 i;

	for (i = 0; i < ARRAY_SIZE(state_fields); i++, f++, to += STATE_WORD) {
		const u8 *from = (const u8 *)r + f->offset;

		if (f->bytes == sizeof(u64))
			value = *(const u64 *)from;
		else if (f->bytes == sizeof(u32))
			value = *(const u32 *)from;
		else
			value = *(const bool *)from;
		state_put(to, value);
	}
}

static void state_get_fields(struct ssdqos_ready *r, const u8 *from)
{
	const struct state_field *f = state_fields;
	u64 value;
	u32 i;

	for (i = 0; i < ARRAY_SIZE(state_fields); i++, f++, from += STATE_WORD) {
		u8 *to = (u8 *)r + f->offset;

		value = state_get(from);
		if (f->bytes == sizeof(u64))
			*(u64 *)to = value;
		else if (f->bytes == sizeof(u32))
			*(u32 *)to = (u32)value;
		else
			*(bool *)to = value;
	}
}

static u64 state_hash(const u8 *from, u64 bytes)
{
	u64 hash = STATE_HASH_INIT, i;

	for (i = 0; i < bytes; i += STATE_WORD)
		hash = (hash ^ state_get(from + i)) * STATE_HASH_PRIME;
	return hash;
}

static u64 state_header_hash(const u8 *header)
{
	return state_hash(header + STATE_W_VERSION * STATE_WORD,
			  SSDQOS_READY_HEADER_BYTES -
			  STATE_W_VERSION * STATE_WORD);
}

/**
 * ssdqos_ready_save_header - the numbers of a life
 * @r: the drive
 * @seq: larger than in all headers before
 * @wall_s: time of day, in seconds since 1970
 * @header: gets SSDQOS_READY_HEADER_BYTES
 *
 * Context: caller serialises.
 */
void ssdqos_ready_save_header(const struct ssdqos_ready *r, u64 seq, u64 wall_s,
			      u8 *header)
{
	memset(header, 0, SSDQOS_READY_HEADER_BYTES);
	state_put(header + STATE_W_MAGIC * STATE_WORD, STATE_MAGIC);
	state_put(header + STATE_W_VERSION * STATE_WORD, STATE_VERSION);
	state_put(header + STATE_W_SEQ * STATE_WORD, seq);
	state_put(header + STATE_W_WALL_S * STATE_WORD, wall_s);
	state_put_fields(r, header + STATE_W_FIELDS * STATE_WORD);
	state_put(header + STATE_W_CHECKSUM * STATE_WORD,
		  state_header_hash(header));
}

/**
 * ssdqos_ready_save_history - what was written in the last windows
 * @r: the drive
 * @history: gets SSDQOS_READY_HISTORY_BYTES
 *
 * Context: caller serialises.
 */
void ssdqos_ready_save_history(const struct ssdqos_ready *r, u8 *history)
{
	u8 *to = history + STATE_WORD;
	u32 i;

	memset(history, 0, SSDQOS_READY_HISTORY_BYTES);
	for (i = 0; i < SSDQOS_READY_HISTORY; i += 2, to += STATE_WORD)
		state_put(to, r->history[i] | (u64)r->history[i + 1] << 32);
	state_put(history, state_hash(history + STATE_WORD,
				      SSDQOS_READY_HISTORY_BYTES - STATE_WORD));
}

static_assert(SSDQOS_READY_HISTORY * sizeof(u32) + STATE_WORD <=
	      SSDQOS_READY_HISTORY_BYTES);

/**
 * ssdqos_ready_header_seq - is it a header, and which?
 * @header: SSDQOS_READY_HEADER_BYTES
 * @seq: gets its number
 *
 * Return: 0, -EINVAL if it is none, -EBADMSG if it is broken.
 */
int ssdqos_ready_header_seq(const u8 *header, u64 *seq)
{
	if (state_get(header + STATE_W_MAGIC * STATE_WORD) != STATE_MAGIC ||
	    state_get(header + STATE_W_VERSION * STATE_WORD) != STATE_VERSION)
		return -EINVAL;
	if (state_get(header + STATE_W_CHECKSUM * STATE_WORD) !=
	    state_header_hash(header))
		return -EBADMSG;
	*seq = state_get(header + STATE_W_SEQ * STATE_WORD);
	return 0;
}

static void state_load_history(struct ssdqos_ready *r, const u8 *history)
{
	const u8 *from = history + STATE_WORD;
	u64 word;
	u32 i;

	for (i = 0; i < SSDQOS_READY_HISTORY; i += 2, from += STATE_WORD) {
		word = state_get(from);
		r->history[i] = (u32)word;
		r->history[i + 1] = (u32)(word >> 32);
	}
}

static bool state_history_is_good(const u8 *history)
{
	return history && state_get(history) ==
		state_hash(history + STATE_WORD,
			   SSDQOS_READY_HISTORY_BYTES - STATE_WORD);
}

static bool state_times_are_sane(const struct ssdqos_ready *r)
{
	const struct ssdqos_ready_epoch *e = &r->epoch;

	return r->life_ns <= READY_MAX_LIFE_NS &&
	       r->cfg.drive_window_s &&
	       r->cfg.drive_window_s <= STATE_MAX_WINDOW_S &&
	       r->window_end_ns <= r->life_ns + ready_window_ns(r) &&
	       r->window_end_ns >= ready_window_ns(r) &&
	       e->windows && e->windows <= SSDQOS_READY_HISTORY &&
	       e->done_windows < e->windows && e->length_ns &&
	       e->length_ns <= e->windows * ready_window_ns(r) &&
	       e->fair_ns <= READY_MAX_LIFE_NS && e->start_ns <= r->life_ns &&
	       r->plan.start_ns <= r->life_ns &&
	       r->recovery.idle_ns <= READY_MAX_LIFE_NS &&
	       r->recovery.mean_idle_ns <= READY_MAX_LIFE_NS &&
	       r->recovery.long_idle_ns <= READY_MAX_LIFE_NS;
}

static bool state_bytes_are_sane(const struct ssdqos_ready *r)
{
	const struct ssdqos_ready_epoch *e = &r->epoch;

	return !((r->endurance_bytes | r->host_bytes | r->used_bytes |
		  r->window_bytes | r->window_host_bytes |
		  r->window_burst_bytes | r->burst_bytes |
		  r->source.waf_flash_bytes | r->source.waf_own_bytes |
		  e->left_bytes | e->capacity_bytes |
		  e->spare_bytes | e->used_bytes | e->expected_bytes |
		  e->fair_bytes | e->period_bytes |
		  r->plan.start_bytes) >> STATE_BYTES_BITS);
}

/* Whoever can write a header can write nonsense. */
static bool state_is_sane(const struct ssdqos_ready *r)
{
	return r->endurance_bytes && state_times_are_sane(r) &&
	       state_bytes_are_sane(r) &&
	       r->nr_history <= SSDQOS_READY_HISTORY &&
	       r->next_history < SSDQOS_READY_HISTORY &&
	       r->why < SSDQOS_READY_NR_WHYS &&
	       r->delay_ns <= READY_MAX_DELAY_NS &&
	       r->epoch.delay_ns <= READY_MAX_DELAY_NS &&
	       r->recovery.trap_fp >> SSDQOS_FP_SHIFT < 64 &&
	       r->recovery.vth_fp >> SSDQOS_FP_SHIFT < 64 &&
	       r->recovery.cycles_fp >> 52 == 0 &&
	       r->charge_rest < READY_PERMILLE &&
	       r->held_permille <= READY_PERMILLE &&
	       r->good_epochs <= r->epochs && !(r->epochs >> STATE_BYTES_BITS) &&
	       r->waf_permille && r->waf_permille <= STATE_MAX_WAF_PERMILLE;
}

/* A life goes on with the parameters of now, which may not be those of then. */
static void state_fit(struct ssdqos_ready *r,
		      const struct ssdqos_qos_drive_config *cfg,
		      u64 endurance_bytes)
{
	const struct ssdqos_qos_drive_config saved = r->cfg;
	bool host = cfg->drive_endurance_gb;
	bool other_unit = host != !!saved.drive_endurance_gb;
	bool other_window = cfg->drive_window_s != saved.drive_window_s;
	bool other_endurance = endurance_bytes != r->endurance_bytes;

	r->cfg = *cfg;
	if (other_unit)
		ready_set_unit(r, host);
	if (other_window) {
		ready_forget_history(r);
		r->window_end_ns = r->life_ns + ready_window_ns(r);
	}
	r->endurance_bytes = endurance_bytes;
	if (other_unit || other_endurance)
		ready_rewear(r);
	if (other_unit || other_endurance ||
	    cfg->drive_throttle != saved.drive_throttle ||
	    cfg->drive_lifetime_h != saved.drive_lifetime_h)
		ready_plan_begin(r);
	if (other_unit || other_window || other_endurance ||
	    cfg->drive_throttle != saved.drive_throttle ||
	    cfg->drive_lifetime_h != saved.drive_lifetime_h ||
	    cfg->drive_spare_permille != saved.drive_spare_permille ||
	    cfg->drive_recovery != saved.drive_recovery)
		ready_epoch_begin(r, r->epoch.windows);
}

/* The time without power, unless a clock says nonsense. */
static u64 state_away_ns(const struct ssdqos_ready *r, const u8 *header,
			 u64 wall_s)
{
	u64 saved_s = state_get(header + STATE_W_WALL_S * STATE_WORD);
	u64 away_s = wall_s - min(wall_s, saved_s);

	if (away_s > STATE_MAX_AWAY_S)
		return 0;
	return min(away_s * READY_NS_PER_S,
		   div64_u64(READY_MAX_LIFE_NS, r->cfg.drive_time_scale)) *
		r->cfg.drive_time_scale;
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
 * The time without power is part of the life, unless a clock says nonsense.
 * Context: caller serialises; up to a millisecond.
 * Return: 0, -ENOENT if wear isn't counted on the drive, -EINVAL or -EBADMSG
 * if the state is none.
 */
int ssdqos_ready_load(struct ssdqos_ready *r, const u8 *header,
		      const u8 *history, u64 wall_s, u64 now_ns, char *err,
		      u32 err_size)
{
	struct ssdqos_ready was = *r;
	u64 seq;
	int ret;

	if (!r->counting) {
		scnprintf(err, err_size,
			  "wear is not counted without drive_endurance_gb or drive_pe_cycles");
		return -ENOENT;
	}
	ret = ssdqos_ready_header_seq(header, &seq);
	if (ret) {
		scnprintf(err, err_size, "the state of the lifetime is %s",
			  ret == -EINVAL ? "not one" : "broken");
		return ret;
	}
	state_get_fields(r, header + STATE_W_FIELDS * STATE_WORD);
	if (!state_is_sane(r)) {
		*r = was;
		scnprintf(err, err_size,
			  "the state of the lifetime has numbers that can't be");
		return -EINVAL;
	}
	if (state_history_is_good(history)) {
		state_load_history(r, history);
	} else {
		r->nr_history = 0;
		r->next_history = 0;
	}
	state_fit(r, &was.cfg, was.endurance_bytes);
	r->source.at_ns = now_ns;
	r->now_ns = now_ns;
	r->floor_ns = 0;
	r->life_ns = min(r->life_ns + state_away_ns(r, header, wall_s),
			 READY_MAX_LIFE_NS);
	r->stopped_since_ns = r->life_ns;
	r->epoch.period_end_ns = min(r->epoch.period_end_ns,
				     r->epoch.start_ns + r->epoch.length_ns +
				     ready_life_period_ns(r));
	if (r->cfg.drive_waf_permille)
		r->waf_permille = (u32)r->cfg.drive_waf_permille;
	ready_share_delay(r);
	ready_roll(r, now_ns);
	return 0;
}
