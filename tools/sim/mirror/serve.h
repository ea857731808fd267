/* SPDX-License-Identifier: GPL-2.0 */
/*
 * serve.h - how clients' requests are served: by one drive, by all, or by members that
 * take turns
 */
#ifndef SSDQOS_SIM_MIRROR_SERVE_H
#define SSDQOS_SIM_MIRROR_SERVE_H

#include "journal.h"
#include "ops.h"

/* What is answered from memory takes so long: some thousand instructions, and a copy of a few
 * pages.
 */
#define MIRROR_MEMORY_NS (5 * NS_PER_US)

struct mirror_serve;

/**
 * struct mirror_request - a request of a client; memory belongs to the caller
 * @owner: the caller's
 * @arrival_ns: likewise
 * @bytes: likewise
 * @op: enum ssdqos_flash_op
 * @durable: a write that is to be durable when it is answered
 * @block: the first block
 * @nr: blocks
 *
 * The rest is private.
 * @serve: who serves it
 * @parts: what it waits for
 * @at: a write has come so far
 * @mark: the flush that it waits for
 * @due_ns: when memory has answered
 * @failed: it could not be done
 * @is_written: it was written, and is being made durable
 * @unsafe: some of it is not in the journal
 * @next: in a list
 */
struct mirror_request {
	void *owner;
	u64 arrival_ns;
	u64 bytes;
	u8 op;
	bool durable;
	u64 block;
	u64 nr;
	/* private: */
	struct mirror_serve *serve;
	u32 parts;
	u64 at;
	u64 mark;
	u64 due_ns;
	bool failed;
	bool is_written;
	bool unsafe;
	struct mirror_request *next;
};

/**
 * struct mirror_queue - requests in order
 * @first: the first
 * @last: the last, if there is one
 */
struct mirror_queue {
	struct mirror_request *first;
	struct mirror_request *last;
};

/**
 * struct mirror_watch - what is looked at in between
 * @state_ns: by member and enum ssdqos_mirror_state, how long it was in it
 * @cache_high: most blocks in the cache
 * @journal_high: most blocks in use in the journal
 * @failed: requests that could not be done
 * @wrong: blocks that were read and were not what was written last, or that a member did not
 *	have at the end
 */
struct mirror_watch {
	u64 state_ns[SSDQOS_MIRROR_MAX_MEMBERS][SSDQOS_NR_MIRROR_STATES];
	u32 cache_high;
	u64 journal_high;
	u64 failed;
	u64 wrong;
};

/**
 * struct mirror_serve - who serves
 * @members: the drives
 * @mirror: the mirror; NULL if writes go to all drives, and reads to one of them
 * @journal: the mirror's, or NULL
 * @data: what is where
 * @ops: what the mirror wants to have done
 * @writes: that wait for room in the cache
 * @flushes: that wait for the mirror
 * @memory: what memory answers
 * @done: what is done
 * @admit_ns: when the first of @writes may go, if that is a matter of time
 * @wake_ns: when the mirror wants to be asked
 * @seen_ns: @watch goes up to here
 * @watch: what is looked at in between
 */
struct mirror_serve {
	struct members *members;
	struct ssdqos_mirror *mirror;
	struct mirror_journal *journal;
	struct mirror_data *data;
	struct mirror_ops ops;
	struct mirror_queue writes;
	struct mirror_queue flushes;
	struct mirror_queue memory;
	struct mirror_queue done;
	u64 admit_ns;
	u64 wake_ns;
	u64 seen_ns;
	struct mirror_watch watch;
};

/**
 * mirror_serve_init - get ready
 * @serve: to be filled
 * @members: the drives
 * @mirror: the mirror, or NULL
 * @data: what is where
 */
void mirror_serve_init(struct mirror_serve *serve, struct members *members,
		       struct ssdqos_mirror *mirror, struct mirror_data *data);

/**
 * mirror_serve_journal - writes go through a journal
 * @serve: who serves, a mirror that nobody has asked for anything
 * @journal: its device was made
 *
 * Return: false without memory.
 */
bool mirror_serve_journal(struct mirror_serve *serve, struct mirror_journal *journal);

/**
 * mirror_serve_destroy - free what it has
 * @serve: who serves
 */
void mirror_serve_destroy(struct mirror_serve *serve);

/**
 * mirror_request_place - a request is of whole blocks
 * @request: with its operation; a discard is of those that it has all of, the others of those that
 *	they touch
 * @from: its first byte
 * @end: the byte behind its last one
 */
void mirror_request_place(struct mirror_request *request, u64 from, u64 end);

/**
 * mirror_serve_submit - a request comes
 * @serve: who serves
 * @request: the request
 */
void mirror_serve_submit(struct mirror_serve *serve, struct mirror_request *request);

/**
 * mirror_serve_look - members were what they are until now
 * @serve: who serves; its members have advanced
 */
void mirror_serve_look(struct mirror_serve *serve);

/**
 * mirror_serve_step - go on with all that can be done now
 * @serve: who serves; its members have advanced
 */
void mirror_serve_step(struct mirror_serve *serve);

/**
 * mirror_serve_next_ns - when there is something to do
 * @serve: who serves
 */
u64 mirror_serve_next_ns(const struct mirror_serve *serve);

/**
 * mirror_serve_take_done - a request that was answered
 * @serve: who serves
 *
 * Return: the request, or NULL if there is none.
 */
struct mirror_request *mirror_serve_take_done(struct mirror_serve *serve);

#endif
