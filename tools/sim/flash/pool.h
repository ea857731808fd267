/* SPDX-License-Identifier: GPL-2.0 */
/*
 * pool.h - objects of one size that are used again and again; memory comes in chunks
 */
#ifndef SSDQOS_SIM_POOL_H
#define SSDQOS_SIM_POOL_H

#include "../common/types.h"

/**
 * struct pool - the objects; fields are private
 * @bytes: size of an object, at least that of a pointer
 * @chunks: all memory
 * @free: objects that nobody has
 */
struct pool {
	size_t bytes;
	void *chunks;
	void *free;
};

/**
 * pool_init - an empty pool
 * @pool: to be filled
 * @bytes: size of an object
 */
void pool_init(struct pool *pool, size_t bytes);

void pool_grow(struct pool *pool);

/**
 * pool_get - take an object
 * @pool: the pool
 *
 * Return: the object, as its last owner left it but for its first pointer. Out of memory ends the
 * program.
 */
static inline void *pool_get(struct pool *pool)
{
	void *object;

	if (!pool->free)
		pool_grow(pool);
	object = pool->free;
	pool->free = *(void **)object;
	return object;
}

/**
 * pool_put - give an object back
 * @pool: the pool
 * @object: from pool_get()
 */
static inline void pool_put(struct pool *pool, void *object)
{
	*(void **)object = pool->free;
	pool->free = object;
}

/**
 * pool_free - free all objects, given back or not
 * @pool: the pool
 */
void pool_free(struct pool *pool);

#endif
