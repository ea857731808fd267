// SPDX-License-Identifier: GPL-2.0
/*
 * waiting.c - a stream's requests that wait, and which of them is the first
 *
 * Urgent requests, reads, and the others wait in a list each, which keeps
 * their order: writes to zones need it.  Lists come in that order, so what a
 * maximum lets go are reads before the writes that use it up.  A list that was
 * passed over for some time has a turn, so none starves: a client's journal
 * waits for its data.
 */
#include "internal.h"

/* A list that waits gets at least one turn in so many, and one more. */
#define WAITING_PASSED_MAX 8

static u32 waiting_list(const struct ssdqos_edf_req *req)
{
	if (req->urgent)
		return SSDQOS_EDF_LIST_URGENT;
	return req->kind == SSDQOS_EDF_KIND_READ ? SSDQOS_EDF_LIST_READ :
						   SSDQOS_EDF_LIST_OTHER;
}

static struct ssdqos_edf_req *
waiting_first(const struct ssdqos_edf_stream *s)
{
	u32 i;

	for (i = SSDQOS_EDF_NR_LISTS - 1; i > 0; i--)
		if (s->lists[i].first &&
		    s->lists[i].passed >= WAITING_PASSED_MAX)
			return s->lists[i].first;
	for (i = 0; i < SSDQOS_EDF_NR_LISTS; i++)
		if (s->lists[i].first)
			return s->lists[i].first;
	return NULL;
}

/*
 * edf_waiting_add - a request begins to wait
 *
 * Return: true if it is the first now.
 */
bool edf_waiting_add(struct ssdqos_edf_stream *s, struct ssdqos_edf_req *req)
{
	struct ssdqos_edf_list *list = &s->lists[waiting_list(req)];

	req->next = NULL;
	s->queued++;
	s->edf->queued++;
	if (list->first) {
		list->last->next = req;
		list->last = req;
		return false;
	}
	list->first = req;
	list->last = req;
	s->first = waiting_first(s);
	return s->first == req;
}

/*
 * edf_waiting_take - the first request waits no more
 *
 * Return: the request.
 */
struct ssdqos_edf_req *edf_waiting_take(struct ssdqos_edf_stream *s)
{
	struct ssdqos_edf_req *req = s->first;
	u32 i = waiting_list(req);

	s->lists[i].first = req->next;
	s->lists[i].passed = 0;
	while (++i < SSDQOS_EDF_NR_LISTS)
		if (s->lists[i].first)
			s->lists[i].passed++;
	s->queued--;
	s->edf->queued--;
	s->first = waiting_first(s);
	return req;
}
