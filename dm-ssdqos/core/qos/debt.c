// SPDX-License-Identifier: GPL-2.0
/*
 * debt.c - spare writes pay what they cost in the end
 *
 * A write ends in the drive's buffer at once, and leaves collection behind that
 * lasts for seconds.  When an owner is late for that, it is too late to hold
 * writes back: the drive works off its debt first.  So spare writes go at a
 * rate that the drive can bear for good.  They cost what the profile says, which
 * was measured while collection ran, and may use
 *
 *	c = (1 / mix - sum of u of the owners that are there) x g
 *
 * of the device time, where mix is what the profile says of so many writes
 * among the reads.  g begins with 1 and is learned, for the writes that come
 * are not those of the profile: at the end of each step of half a second, of
 * the owners that asked for all of their promise all the time (asking.c), the one with
 * the least part of it decides.
 *
 *	less than its promise		g falls by what is missing, a quarter at most, if its
 *					window can't make up for that (catch_up.c)
 *	more than it, by a twentieth	g rises by a sixty-fourth of what is beyond
 *
 * A step ends with the first request that comes after its time, and none comes
 * while the drive stands still with all that its clients ask for.  So a long step
 * in which an owner asked for all of it all the time is a stop, and g falls as in so
 * many steps of half a second, eight at the most.  It rises in none.  Where no
 * owner has a request, and none of anybody has come for so long, one that goes
 * ends it, too (edf.c): what waits then may be all that there is.
 *
 * Where no owner asks for all of its promise, or none is there, nobody tells what is too
 * much or too little.  What was learned is forgotten then: as long as writes are held, g
 * rises by a sixty-fourth of it until it is 1.  Above that it stays: the profile may be
 * wrong for these writes for good.  But those who have missed more than they may (budget.c)
 * are waited for, if they pause only (away.c); and while those that ask for less get that only
 * just (lend.c), nothing is forgotten, either.
 *
 * What owners leave that are away counts in part only where those that came back
 * have missed windows for it (away.c).  What those that are there don't ask for counts
 * as long as the drive is faster for them than it has to be (lend.c).
 *
 * A drive answers after one to eight seconds, so a rate that follows faster
 * swings: writers get much, then nothing.  And some drives stop for a window
 * whenever they have taken so many writes, with much to spare in between.  So
 * the g with which an owner began to lack something is remembered.  From three
 * quarters of it on, g rises so slowly that it takes two times as many windows
 * to be there again as the promise may miss one of.  (Not the least g: less is not
 * to be had, so that is not what an owner lacks something for.)  While an owner that is there
 * is strained (budget.c) g does not rise beyond that at all: a stop of the drive may
 * cost several windows.
 *
 * What streams without a guarantee own together is never held, nor is what is
 * urgent and goes before its turn (urgent.c), nor discards, nor the writes of an
 * owner that is the only one: it would be in nobody's way but its own.  Without a
 * profile nothing is held: the costs are no times then.  What was not used is
 * kept for a thirty-second of the shortest window.  Writes in order may cost
 * more than that (order.c).
 *
 * What is urgent and may not go before its turn has half of that rate, or whoever
 * says that all of his writes are metadata would have all of the drive.  But it
 * waits for what was urgent before it only: others wait for a journal, which must
 * not wait for what somebody else has written.  Those others do wait for it.
 */
#include "asking_way.h"

#define DEBT_MOST (EDF_DEBT_ONE * 64)	/* writes that cost the drive nothing */
#define DEBT_MOST_LACK_DIVISOR 4
#define DEBT_RISE_DIVISOR 64
/* From three quarters to all of it is a third: in 2 / (1 - confidence) windows,
 * a sixth of (1 - confidence) in each, or a little less.
 */
#define DEBT_SLOW_DIVISOR 8
/* Who gets this much more than its promise can do with less. */
#define DEBT_SURPLUS_DIVISOR 20
/* Part of a step without requests, beyond which a client asked for less. */
#define DEBT_IDLE_DIVISOR 20
/* Of a stop so many steps count: g is a tenth then, and longer ones are rare. */
#define DEBT_MOST_STEPS 8ULL
/* So much of the rate is left to what is not urgent: one in so many. */
#define DEBT_URGENT_SHARE 2
/* Part of the shortest window for which what was not used is kept. */
#define DEBT_BURST_DIVISOR 32

const char *const ssdqos_debt_why_names[SSDQOS_NR_DEBT_WHYS] = {
#define E(name, text) [SSDQOS_DEBT_WHY_##name] = text,
	SSDQOS_DEBT_WHYS(E)
#undef E
};

static u32 debt_permille(u64 part)
{
	return (u32)div64_u64(part * SSDQOS_QOS_PERMILLE, EDF_DEBT_ONE);
}

/*
 * edf_debt_learn_anew - costs are others from now on, and what was learned are parts of them
 */
void edf_debt_learn_anew(struct ssdqos_debt *d)
{
	d->factor = (u32)EDF_DEBT_ONE;
	d->known = (u32)DEBT_MOST;
	d->rest = 0;
	d->falling = false;
	edf_away_init(&d->away);
	edf_lend_init(&d->lend);
}

void edf_debt_init(struct ssdqos_debt *d)
{
	edf_debt_learn_anew(d);
	d->rate_ppm = SSDQOS_QOS_PPM;
	d->change.new_permille = debt_permille(d->factor);
	d->change.rate_ppm = d->rate_ppm;
	d->change.away_permille = debt_permille(d->away.part);
}

/*
 * edf_debt_forget - owners lacked something, and it was nobody's writes
 */
void edf_debt_forget(struct ssdqos_debt *d)
{
	d->known = (u32)DEBT_MOST;
}

/* An owner that has done or wanted something lately. */
static bool debt_is_there(const struct ssdqos_edf_stream *s)
{
	return s->util_ppm && (s->step_work_ns || s->in_flight || s->queued);
}

/* It asked for all that it was promised, all the time (asking.c). */
static bool debt_is_busy(const struct ssdqos_edf_stream *s, u64 step_ns)
{
	return s->step_idle_ns * DEBT_IDLE_DIVISOR <= step_ns;
}

/*
 * edf_debt_reckon - what spare writes may use from now on
 *
 * Called when a step ends, and when guarantees change.
 */
void edf_debt_reckon(struct ssdqos_edf *edf)
{
	struct ssdqos_debt *d = &edf->debt;
	u64 there_ppm = edf_load_room_ppm(edf->profile, &d->load);
	u64 least_ppm = edf->group_ppm;

	d->room_ppm = edf_away_room_ppm(edf, there_ppm) +
		      edf_lend_room_ppm(edf, there_ppm);
	d->rate_ppm = max(div64_u64(d->room_ppm * d->factor, EDF_DEBT_ONE), least_ppm);
	edf_order_reckon(edf);
}

/* Part of its promise that an owner got in the step, in EDF_DEBT_ONE; a request
 * that ends just after the step counts.
 */
static u64 debt_got(const struct ssdqos_edf_stream *s, u64 step_ns, u64 now_ns)
{
	u64 due_ns = edf_lead_reach_ns(s, now_ns) -
		     edf_lead_reach_ns(s, now_ns - step_ns);
	u64 promised_ns;

	/* with a lead, less is due at a window's end, and more at its begin */
	if (!edf_lead_is_due(s))
		due_ns = min(due_ns, step_ns);
	promised_ns = div64_u64(due_ns, SSDQOS_QOS_PPM) * s->promised_ppm;
	return div64_u64((s->step_work_ns + s->promise_cost_ns) * EDF_DEBT_ONE,
			 max(promised_ns, 1ULL));
}

/* Of half a second. */
static u64 debt_steps(u64 step_ns)
{
	return min(div64_u64(step_ns, EDF_DEBT_STEP_NS), DEBT_MOST_STEPS);
}

static void debt_fall(struct ssdqos_debt *d, u64 lack, u64 steps)
{
	u64 part = min(lack, EDF_DEBT_ONE / DEBT_MOST_LACK_DIVISOR);

	if (!d->falling && d->factor > EDF_DEBT_LEAST)
		d->known = d->factor - d->factor / DEBT_MOST_LACK_DIVISOR;
	d->falling = true;
	d->change.why = SSDQOS_DEBT_WHY_LACK;
	for (; steps; steps--)
		d->factor -= (u32)div64_u64(d->factor * part, EDF_DEBT_ONE);
}

static void debt_rise(struct ssdqos_debt *d, const struct ssdqos_cost_key *key,
		      u64 more, u64 step_ns)
{
	u64 rise = div64_u64(d->factor * min(more, EDF_DEBT_ONE),
			     DEBT_RISE_DIVISOR);
	u64 slow;

	d->change.why = SSDQOS_DEBT_WHY_SURPLUS;
	if (d->factor >= d->known) {
		if (d->strained)
			return;
		d->change.why = SSDQOS_DEBT_WHY_SLOW_SURPLUS;
		slow = d->factor * step_ns * (SSDQOS_QOS_PERMILLE -
			key->confidence_permille);
		rise = min(rise, div64_u64(slow, key->window_ms *
					   EDF_NS_PER_MS * DEBT_SLOW_DIVISOR));
	}
	d->rest += rise;
	d->factor += (u32)div64_u64(d->rest, EDF_DEBT_ONE);
	d->rest &= EDF_DEBT_ONE - 1;
}

/* Nobody tells whether it is too much. */
static void debt_recover(struct ssdqos_edf *edf, u64 step_ns, u64 now_ns)
{
	struct ssdqos_debt *d = &edf->debt;

	if (!d->held || d->factor >= EDF_DEBT_ONE || debt_steps(step_ns) != 1 ||
	    edf_lend_is_scarce(edf) || edf_away_is_overdrawn(edf, now_ns))
		return;
	debt_rise(d, &edf->load.key, EDF_DEBT_ONE, step_ns);
	d->factor = min_t(u32, d->factor, EDF_DEBT_ONE);
	d->change.why = SSDQOS_DEBT_WHY_FORGET;
}

static void debt_learn(struct ssdqos_debt *d, u64 got, u64 step_ns)
{
	u64 steps = debt_steps(step_ns);
	u64 enough = EDF_DEBT_ONE + EDF_DEBT_ONE / DEBT_SURPLUS_DIVISOR;

	if (got < EDF_DEBT_ONE)
		debt_fall(d, EDF_DEBT_ONE - got, steps);
	else
		d->falling = false;
	if (got > enough && d->held && steps == 1)
		debt_rise(d, &d->load.key, got - enough, step_ns);
	d->factor = (u32)min(max((u64)d->factor, EDF_DEBT_LEAST), DEBT_MOST);
}

/* Writes down what the step has changed.  @factor is the one before. */
static void debt_note(struct ssdqos_debt *d, u32 factor, u64 now_ns)
{
	struct ssdqos_debt_change *c = &d->change;

	if (d->rate_ppm == c->rate_ppm)
		c->why = SSDQOS_DEBT_WHY_NONE;
	else if (d->factor == factor)
		c->why = edf_away_why(&d->away);
	if (c->why == SSDQOS_DEBT_WHY_LOAD_CHANGED && d->lend.somebody)
		c->why = SSDQOS_DEBT_WHY_LEND;
	c->time_ns = now_ns;
	c->old_permille = debt_permille(factor);
	c->new_permille = debt_permille(d->factor);
	c->rate_ppm = d->rate_ppm;
	c->room_ppm = d->room_ppm;
	c->away_permille = debt_permille(d->away.part);
}

/* What an owner got that was there, if it tells; the one with the least decides. */
static u64 debt_decide(struct ssdqos_edf_stream *s, u64 step_ns, u64 now_ns,
		       u64 least)
{
	struct ssdqos_debt_change *change = &s->edf->debt.change;
	u64 got;

	if (s->self_limited || !debt_is_busy(s, step_ns)) {
		edf_catch_up_rest(s);
		return least;
	}
	got = edf_catch_up_got(s, debt_got(s, step_ns, now_ns), step_ns);
	if (got >= least)
		return least;
	change->owner = s->id;
	change->got_permille = debt_permille(got);
	return got;
}

/*
 * edf_debt_end_step - learn: a step is over
 */
void edf_debt_end_step(struct ssdqos_edf *edf, u64 now_ns)
{
	struct ssdqos_debt *d = &edf->debt;
	u64 step_ns = now_ns - d->step_ns, least = SSDQOS_NEVER_NS;
	struct ssdqos_edf_stream *s;
	u32 factor = d->factor;

	d->change.owner = SSDQOS_NIL;
	d->change.got_permille = 0;
	d->strained = false;
	d->heeded = false;
	edf_load_init(&d->load, &edf->cfg);
	edf_lend_begin(edf);
	for (s = edf->streams; s; s = s->next) {
		s->is_there = debt_is_there(s);
		if (!s->is_there) {
			edf_catch_up_rest(s);
			continue;
		}
		edf_load_add(&d->load, &s->cfg, s->util_ppm);
		d->strained |= edf_is_strained(s);
		d->heeded |= !s->self_limited;
		edf_asking_count(s, now_ns);
		edf_lend_owner(s, step_ns);
		least = debt_decide(s, step_ns, now_ns, least);
		s->step_work_ns = 0;
		s->step_idle_ns = 0;
	}
	if (least != SSDQOS_NEVER_NS)
		debt_learn(d, least, step_ns);
	else
		debt_recover(edf, step_ns, now_ns);
	edf_lend_end_step(edf);
	d->held = false;
	d->step_ns = now_ns;
	edf_away_end_step(edf, now_ns);
	edf_debt_reckon(edf);
	debt_note(d, factor, now_ns);
}

/**
 * ssdqos_edf_take_debt_change - what the debt has learned
 * @edf: the drive
 * @now_ns: the time that ssdqos_edf_submit() or ssdqos_edf_next() just got
 * @change: gets it
 *
 * Return: that request ended a step of the debt in which the rate of spare
 * writes changed, and nobody was told yet.
 */
bool ssdqos_edf_take_debt_change(struct ssdqos_edf *edf, u64 now_ns,
				 struct ssdqos_debt_change *change)
{
	struct ssdqos_debt_change *c = &edf->debt.change;
	bool used = edf->cfg.drive_debt && edf->profile;

	if (!used || !c->why || c->time_ns != now_ns)
		return false;
	*change = *c;
	c->why = SSDQOS_DEBT_WHY_NONE;
	return true;
}

/*
 * edf_debt_owner_is_there - an owner has a request, after it had none for long
 *
 * Its time is not for spare writes any more, at once.
 */
void edf_debt_owner_is_there(struct ssdqos_edf_stream *s)
{
	s->is_there = true;
	s->edf->debt.heeded |= !s->self_limited;
	edf_away_is_back(s);
	edf_load_add(&s->edf->debt.load, &s->cfg, s->util_ppm);
	edf_lend_owner_is_there(s);
	edf_debt_reckon(s->edf);
}

/**
 * ssdqos_edf_spare_write_ppm - device time that spare writes may use
 * @edf: the drive
 *
 * Return: parts per million; all of it if nobody has a guarantee.
 */
u64 ssdqos_edf_spare_write_ppm(const struct ssdqos_edf *edf)
{
	bool promised = edf->load.util_ppm[SSDQOS_QOS_READ] ||
			edf->load.util_ppm[SSDQOS_QOS_WRITE];

	return edf->cfg.drive_debt && edf->profile && promised ?
		       min(edf->debt.rate_ppm, (u64)SSDQOS_QOS_PPM) :
		       SSDQOS_QOS_PPM;
}

static void debt_owe(const struct ssdqos_debt *d, u64 *until_ns, u64 cost_ns,
		     u64 now_ns)
{
	u64 burst_ns = d->load.key.window_ms * EDF_NS_PER_MS / DEBT_BURST_DIVISOR;

	if (*until_ns + burst_ns < now_ns)
		*until_ns = now_ns - burst_ns;
	*until_ns += edf_own_ns(cost_ns, (u32)d->rate_ppm);
	*until_ns = min(*until_ns, now_ns + EDF_MOST_WAIT_NS);
}

/*
 * edf_debt_sent - a request goes that the debt may hold
 *
 * Others are not charged: one would wait for what nobody holds back.
 */
void edf_debt_sent(struct ssdqos_edf *edf, const struct ssdqos_edf_req *req,
		   u64 now_ns)
{
	struct ssdqos_debt *d = &edf->debt;

	d->away.wrote |= d->away.somebody;
	debt_owe(d, &d->until_ns, req->cost_ns, now_ns);
	if (req->urgent)
		debt_owe(d, &d->urgent_until_ns,
			 (u64)req->cost_ns * DEBT_URGENT_SHARE, now_ns);
	edf_order_sent(edf, req, now_ns);
}
