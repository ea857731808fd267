// SPDX-License-Identifier: GPL-2.0
/*
 * batch.c - requests of one class in a row
 *
 * Some drives are faster if they get much of one class before they get another
 * one: the paper (section 4.4) sends sequential and random writes apart, for
 * ten seconds each, and a drive with a small cache does twice as much.  With
 * drive_batch_ms, what waits goes like that.  Classes are reads, random writes
 * and sequential writes.  All else belongs to none, and goes by V or deadline
 * beside those of the batch.  So do spare writes beside an owner: the debt says
 * when they go (debt.c), a few at a time, and that is never a batch.
 *
 *	begins	with the request whose turn it is, by deadline or by V
 *	then	requests of its class go first, the owed ones by deadline, before
 *		spare ones by V
 *	ends	after drive_batch_ms,
 *		when nobody waits with a request of the class that may go, or
 *		when it is cut: an owner that waits with a request of another
 *		class, whose S is over, would lack time, that is when
 *
 *			now + costs of what the drive has > S + (1 - U) e / u
 *
 * where U is what all owners own together.  In e / u the drive owes them
 * U e / u, and others may have the rest; with one owner that is D - e.  So more
 * than is promised leaves nothing to batches.  The request for which a batch is
 * cut begins none.
 *
 * Whoever comes next has his turn by deadline or by V, and V has gone on for
 * those of the batch only.  So shares by weight hold over several batches; only
 * the order within them is another one.
 *
 * Nothing waits that would not wait otherwise: a batch chooses between requests
 * that may go, and the drive is never idle for it.  So it never has to wake up,
 * and does nothing until the drive has all the requests that it gets.  Choosing
 * takes a look at each stream.
 */
#include "internal.h"

/* Of a request, enum ssdqos_edf_class.  @owed: it goes by a guarantee. */
static u32 batch_class(const struct ssdqos_edf_stream *s,
		       const struct ssdqos_edf_req *req, bool owed)
{
	if (!owed && edf_debt_holds(s, req))
		return SSDQOS_EDF_CLASS_NONE;
	switch (req->kind) {
	case SSDQOS_EDF_KIND_READ:
		return SSDQOS_EDF_CLASS_READ;
	case SSDQOS_EDF_KIND_WRITE:
		return req->pattern == SSDQOS_QOS_SEQ ?
			       SSDQOS_EDF_CLASS_WRITE_SEQ :
			       SSDQOS_EDF_CLASS_WRITE_RAND;
	default:
		return SSDQOS_EDF_CLASS_NONE;
	}
}

static bool batch_is_owed(const struct ssdqos_edf_stream *s)
{
	return s->util_ppm && ssdqos_evq_pending(&s->edf->ready, s->id);
}

/* Has an owner that is owed time to go now? */
static bool batch_is_pressing(const struct ssdqos_edf_stream *s, u64 now_ns)
{
	const struct ssdqos_edf *edf = s->edf;
	u64 owned_ppm = edf->load.util_ppm[SSDQOS_QOS_READ] +
			edf->load.util_ppm[SSDQOS_QOS_WRITE] + edf->group_ppm;
	u64 free_ppm = owned_ppm < SSDQOS_QOS_PPM ?
			       SSDQOS_QOS_PPM - owned_ppm : 0;

	return now_ns + edf->batch.under_way_ns >
	       s->start_ns + div64_u64(s->first->cost_ns * free_ppm, s->util_ppm);
}

static u64 batch_deadline_ns(const struct ssdqos_edf_stream *s)
{
	return s->start_ns + edf_own_ns(s->first->cost_ns, s->util_ppm);
}

/* Owed comes before spare, then the earliest deadline, or the least V. */
static bool batch_is_before(const struct ssdqos_edf_stream *s,
			    const struct ssdqos_edf_stream *best)
{
	bool owed = batch_is_owed(s);

	if (!best)
		return true;
	if (owed != batch_is_owed(best))
		return owed;
	return owed ? batch_deadline_ns(s) < batch_deadline_ns(best) :
		      s->virtual_ns < best->virtual_ns;
}

/*
 * edf_batch_next - whose request goes, because it is of the batch
 *
 * Return: NULL if the batch ends; then it is the turn of who would come without
 * one.
 */
struct ssdqos_edf_stream *edf_batch_next(struct ssdqos_edf *edf, u64 now_ns)
{
	struct ssdqos_edf_stream *best = NULL, *s;
	bool found = false, owed;
	u32 class;

	for (s = edf->streams; s; s = s->next) {
		if (!s->queued)
			continue;
		owed = batch_is_owed(s);
		class = batch_class(s, s->first, owed);
		if (!class || class == edf->batch.class) {
			if (!owed && !edf_spare_may_go(s, now_ns))
				continue;
			found |= class;
			if (batch_is_before(s, best))
				best = s;
		} else if (owed && batch_is_pressing(s, now_ns)) {
			edf->batch.cut = true;
			return NULL;
		}
	}
	return found ? best : NULL;
}

/*
 * edf_batch_right - by which right it goes
 */
u32 edf_batch_right(const struct ssdqos_edf_stream *s)
{
	if (batch_is_owed(s))
		return SSDQOS_EDF_RESERVED;
	return edf_is_owed(s) ? SSDQOS_EDF_OWED : SSDQOS_EDF_SPARE;
}

/*
 * edf_batch_sent - a request goes to the drive, and there may be batches
 *
 * If it is not of the batch, that is over, and the next one begins.
 */
void edf_batch_sent(struct ssdqos_edf *edf, const struct ssdqos_edf_req *req,
		    u64 now_ns)
{
	struct ssdqos_batch *b = &edf->batch;
	u32 class;

	class = batch_class(req->stream, req, !edf_is_unowed(req->decision));
	if (b->cut) {
		b->cut = false;
		b->class = SSDQOS_EDF_CLASS_NONE;
	} else if (class && req->decision != SSDQOS_EDF_URGENT &&
		   (class != b->class || !edf_batch_is_on(edf, now_ns))) {
		b->class = class;
		b->until_ns = now_ns + edf->cfg.drive_batch_ms * EDF_NS_PER_MS;
	}
}
