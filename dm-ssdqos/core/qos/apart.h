/* SPDX-License-Identifier: GPL-2.0 */
/*
 * apart.h - reads and writes have all of a drive's time each
 *
 * Of a mirror whose members take turns (core/mirror) one member is read while
 * another one is written, so reads and writes hardly share anything.  As one
 * drive it could be promised once; it can be twice, and each client's reads and
 * writes stand apart ("High performance & low latency in solid-state drives
 * through redundancy", section 5.4).
 *
 * With drive_apart the drive has two schedulers, each with all of the device
 * time, a queue depth, a debt and a pace of its own:
 *
 *	reads		of all clients; guarantees with op read
 *	writes		and flushes, discards and the rest; guarantees with op write
 *
 * A client is a stream of both.  Its guarantee is with one of them; with the other
 * one it has none, or a client with a guarantee of reads could write with it.
 * Maximum and weight hold for reads and for writes each.  The drive's parameters
 * are the same in both, and so is the profile, of which the one has what reads
 * cost and the other one what writes do.
 *
 * It is said when the drive is made, and stays so.  Without it there is one
 * scheduler, that of reads, for all.
 */
#ifndef SSDQOS_QOS_APART_H
#define SSDQOS_QOS_APART_H

#include "edf.h"

/**
 * struct ssdqos_apart - who schedules a drive
 * @reads: reads; if they are not apart, all
 * @writes: all else; or NULL
 */
struct ssdqos_apart {
	struct ssdqos_edf *reads;
	struct ssdqos_edf *writes;
};

/**
 * struct ssdqos_apart_stream - a client of the drive; the caller's memory
 * @reads: with who schedules reads; if they are not apart, all of it
 * @writes: with who schedules all else; or all zero
 */
struct ssdqos_apart_stream {
	struct ssdqos_edf_stream reads;
	struct ssdqos_edf_stream writes;
};

/**
 * struct ssdqos_apart_change - what is going to be
 * @reads: of reads, or of all
 * @writes: of all else, or NULL
 */
struct ssdqos_apart_change {
	struct ssdqos_edf_change *reads;
	struct ssdqos_edf_change *writes;
};

/* Who schedules writes and all else that is no read. */
static inline struct ssdqos_edf *
ssdqos_apart_writes(const struct ssdqos_apart *a)
{
	return a->writes ? a->writes : a->reads;
}

/* Of a client, the stream that its requests of a kind belong to. */
static inline struct ssdqos_edf_stream *
ssdqos_apart_side(const struct ssdqos_apart *a, struct ssdqos_apart_stream *s,
		  u32 kind)
{
	return a->writes && kind != SSDQOS_EDF_KIND_READ ? &s->writes :
							   &s->reads;
}

/* The one with the guarantee: of reads or of writes. */
static inline const struct ssdqos_edf_stream *
ssdqos_apart_owner(const struct ssdqos_apart *a,
		   const struct ssdqos_apart_stream *s)
{
	return a->writes && s->reads.cfg.op == SSDQOS_QOS_WRITE ? &s->writes :
								  &s->reads;
}

static inline bool ssdqos_apart_is_configured(const struct ssdqos_apart *a)
{
	return a->reads->configured || ssdqos_apart_writes(a)->configured;
}

/*
 * How much of a request goes to the drive in one piece; what remains is a request of
 * its own.  All of what is neither read nor write.  Context: any, without the
 * caller's lock: while rules change it may be what they said before.
 */
static inline u64 ssdqos_apart_piece_bytes(const struct ssdqos_apart *a,
					   struct ssdqos_apart_stream *s,
					   u32 kind, u64 bytes)
{
	if (likely(bytes <= SSDQOS_EDF_PIECE_BYTES) ||
	    kind > SSDQOS_EDF_KIND_WRITE || !ssdqos_apart_is_configured(a))
		return bytes;
	return min_t(u64, bytes,
		     READ_ONCE(ssdqos_apart_side(a, s, kind)->piece_bytes));
}

static inline u32 ssdqos_apart_queued(const struct ssdqos_apart *a)
{
	return a->reads->queued + (a->writes ? a->writes->queued : 0);
}

/* As ssdqos_edf_may_go(). */
static inline bool ssdqos_apart_may_go(const struct ssdqos_apart *a)
{
	return ssdqos_edf_may_go(a->reads) ||
	       (a->writes && ssdqos_edf_may_go(a->writes));
}

static inline u32 ssdqos_apart_in_flight(const struct ssdqos_apart *a)
{
	return a->reads->in_flight + (a->writes ? a->writes->in_flight : 0);
}

/* ... and how many the drive gets at a time. */
static inline u32 ssdqos_apart_depth(const struct ssdqos_apart *a)
{
	return a->reads->depth.now + (a->writes ? a->writes->depth.now : 0);
}

/**
 * ssdqos_apart_next - the request that goes to the drive now
 * @a: who schedules
 * @now_ns: time
 *
 * Context: as ssdqos_edf_next().
 * Return: the request, which counts as sent; NULL if none may go now.
 */
static inline struct ssdqos_edf_req *
ssdqos_apart_next(const struct ssdqos_apart *a, u64 now_ns)
{
	struct ssdqos_edf_req *req = ssdqos_edf_next(a->reads, now_ns);

	return req || !a->writes ? req : ssdqos_edf_next(a->writes, now_ns);
}

bool ssdqos_apart_create(struct ssdqos_apart *a, bool apart);
void ssdqos_apart_destroy(struct ssdqos_apart *a);
int ssdqos_apart_add(const struct ssdqos_apart *a,
		     struct ssdqos_apart_stream *s, u64 now_ns, char *err,
		     u32 err_size);
void ssdqos_apart_remove(const struct ssdqos_apart *a,
			 struct ssdqos_apart_stream *s);

int ssdqos_apart_check(const struct ssdqos_apart *a,
		       const struct ssdqos_apart_stream *s,
		       const struct ssdqos_qos_config *cfg, char *err,
		       u32 err_size);
int ssdqos_apart_prepare_set(const struct ssdqos_apart *a,
			     struct ssdqos_apart_stream *s,
			     const struct ssdqos_qos_config *cfg,
			     struct ssdqos_apart_change *change, char *err,
			     u32 err_size);
int ssdqos_apart_prepare_profile(const struct ssdqos_apart *a,
				 struct ssdqos_profile *profile,
				 struct ssdqos_apart_change *change, char *err,
				 u32 err_size);
struct ssdqos_profile *
ssdqos_apart_commit(const struct ssdqos_apart_change *change, u64 now_ns);
void ssdqos_apart_end_change(struct ssdqos_apart_change *change);
int ssdqos_apart_set(const struct ssdqos_apart *a,
		     struct ssdqos_apart_stream *s,
		     const struct ssdqos_qos_config *cfg, u64 now_ns, char *err,
		     u32 err_size);
int ssdqos_apart_set_profile(const struct ssdqos_apart *a,
			     struct ssdqos_profile **profile, u64 now_ns,
			     char *err, u32 err_size);

u64 ssdqos_apart_wake_ns(const struct ssdqos_apart *a);
void ssdqos_apart_drain(const struct ssdqos_apart *a,
			struct ssdqos_apart_stream *s, bool draining,
			u64 now_ns);
void ssdqos_apart_reset_stats(const struct ssdqos_apart *a,
			      struct ssdqos_apart_stream *s);
void ssdqos_apart_stats(const struct ssdqos_apart *a,
			const struct ssdqos_apart_stream *s,
			struct ssdqos_edf_stats *sum);
const struct ssdqos_apart_stream *
ssdqos_apart_stream_of(const struct ssdqos_apart *a,
		       const struct ssdqos_edf_stream *s);

#endif /* SSDQOS_QOS_APART_H */
