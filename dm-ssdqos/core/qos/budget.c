// SPDX-License-Identifier: GPL-2.0
/*
 * budget.c - how many windows a promise may still miss
 *
 * A promise with the confidence c may miss 1 - c of its windows.  Half of that is
 * left to what nobody can help; the other half is an account, in windows:
 *
 *	A = min(A + (1 - c) / 2, 1)	a window ends that was met, or in which the client
 *					asked for less, and got that, or did not by its
 *					own doing (self_limited.c)
 *	A = max(A - 1, -8)		one that was missed
 *
 * so one bad moment after a good time costs nothing, and a minute of overcommitment,
 * or any time, costs no more than eight windows: with 99 % and windows of a second they
 * are made up for in 27 minutes, with windows of 10 s in four and a half hours.  Of
 * windows that slide eight end in the time of one, so all of it is eight times
 * as much.
 *
 * Windows that a drive misses by itself, since it is slower than its profile or more
 * was promised than it has, are not counted.  A window that began when spare work had
 * been at its least for ten seconds (pace.c) was missed for such a reason: what
 * others wrote before that is done by then, mostly.  It costs nothing, and what windows
 * have cost since spare work is at its least is given back.
 *
 * But some drives collect for a minute what others have written in five.  So what is
 * given back is owed, and what windows earn that are met while A is 1 pays for it.
 * Until then nothing more is given back, but for the same trouble: once it costs
 * others nothing, and a promise that misses more in the long run than it may is
 * strained.
 *
 * An owner whose account is overdrawn is *strained*.  The rates of spare work are
 * learned from what owners lack (debt.c, pace.c), and what was learned is tried
 * again and again, for loads and drives change.  While an owner that is there is
 * strained it is not, until the windows that it has cost are made up for.  So
 * spare work is held where a promise breaks, and only for as long as it does.
 * Who is strained also counts as late sooner.
 */
#include "internal.h"

/* Parts of a window in which the account is kept, for each permille of c. */
#define BUDGET_HALVES 2
#define BUDGET_WINDOW ((s64)(BUDGET_HALVES * SSDQOS_QOS_PERMILLE))
#define BUDGET_MOST_WINDOWS 1
#define BUDGET_LEAST_WINDOWS 8
/* Collection for what was written seldom lasts longer. */
#define BUDGET_DOUBT_NS 10000000000ULL
/* Late by less, an owner catches up in the time that spare work leaves ... */
#define BUDGET_SLACK_DIVISOR 16
/* ... or within what a promise owns more than it costs, by default. */
#define BUDGET_STRAINED_SLACK_DIVISOR 64
/* More that end at once count as so many, so that nothing overflows. */
#define BUDGET_WINDOWS_AT_ONCE 1000ULL

/*
 * edf_budget_begin - something new is promised
 */
void edf_budget_begin(struct ssdqos_edf_stream *s)
{
	s->budget = (struct ssdqos_budget){ .is_whole = true };
}

static u64 budget_last_began_ns(const struct ssdqos_edf_stream *s)
{
	return s->watch.start_ns - min(s->watch.start_ns,
				       s->watch.promise.window_ns);
}

/* Windows were missed, which has cost so much: is it to be given back? */
static s64 budget_given_back(struct ssdqos_edf_stream *s, s64 cost)
{
	u64 least_since_ns = s->edf->pace.least_since_ns;
	struct ssdqos_budget *b = &s->budget;

	if (b->doubted_since_ns != least_since_ns) {
		b->doubted = 0;
		b->is_given = !b->owed;
	}
	b->doubted_since_ns = least_since_ns;
	if (!least_since_ns || !b->is_given)
		return 0;
	b->doubted += cost;
	if (budget_last_began_ns(s) < least_since_ns + BUDGET_DOUBT_NS)
		return 0;
	edf_debt_forget(&s->edf->debt);
	cost = b->doubted;
	b->doubted = 0;
	b->owed += cost;
	return cost;
}

/* Windows were met, which has earned so much: the account, then what is owed. */
static void budget_earn(struct ssdqos_budget *b, s64 earned, s64 most)
{
	s64 more = max(b->left + earned - most, 0LL);

	b->left = min(b->left + earned, most);
	b->owed -= min(b->owed, more);
}

/*
 * edf_budget_count - windows have ended
 */
void edf_budget_count(struct ssdqos_edf_stream *s,
		      const struct ssdqos_watch_count *count)
{
	s64 window = BUDGET_WINDOW * ssdqos_watch_parts(&s->watch.promise);
	u64 miss_permille = SSDQOS_QOS_PERMILLE - s->cfg.confidence_permille;
	u64 missed = min(count->missed, BUDGET_WINDOWS_AT_ONCE);
	u64 met = count->met + count->kept + (s->self_limited ? count->lacked : 0);
	s64 most = window * BUDGET_MOST_WINDOWS, after;
	struct ssdqos_budget *b = &s->budget;

	met = min(met, BUDGET_WINDOWS_AT_ONCE);
	budget_earn(b, (s64)(met * miss_permille), most);
	after = max(b->left - (s64)missed * BUDGET_WINDOW,
		    -window * BUDGET_LEAST_WINDOWS);
	if (missed)
		after += budget_given_back(s, b->left - after);
	b->left = min(after, most);
	b->is_whole = b->left == most || (b->is_whole && !missed);
}

/*
 * edf_budget_slack_ns - what an owner can make up for while others' work goes on
 */
u64 edf_budget_slack_ns(const struct ssdqos_edf_stream *s)
{
	u64 divisor = edf_is_strained(s) ? BUDGET_STRAINED_SLACK_DIVISOR :
					   BUDGET_SLACK_DIVISOR;
	u64 slack_ns = min(div64_u64(s->cfg.window_ms * EDF_NS_PER_MS, divisor),
			   s->edf->cfg.drive_credit_ms * EDF_NS_PER_MS / 2);

	return max(slack_ns, edf_catch_up_slack_ns(s));
}
