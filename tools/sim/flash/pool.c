// SPDX-License-Identifier: GPL-2.0
#include "pool.h"

#include <stdlib.h>
#include <string.h>

#define CHUNK_OBJECTS 1024
#define CHUNK_ALIGN 64

void pool_init(struct pool *pool, size_t bytes)
{
	memset(pool, 0, sizeof(*pool));
	pool->bytes = bytes;
}

/* A chunk begins with a pointer to the next one. */
void pool_grow(struct pool *pool)
{
	char *chunk = calloc(1, CHUNK_ALIGN + CHUNK_OBJECTS * pool->bytes);

	if (!chunk)
		abort();
	*(void **)chunk = pool->chunks;
	pool->chunks = chunk;
	for (size_t i = 0; i < CHUNK_OBJECTS; i++)
		pool_put(pool, chunk + CHUNK_ALIGN + i * pool->bytes);
}

void pool_free(struct pool *pool)
{
	while (pool->chunks) {
		void *chunk = pool->chunks;

		pool->chunks = *(void **)chunk;
		free(chunk);
	}
	pool->free = NULL;
}
