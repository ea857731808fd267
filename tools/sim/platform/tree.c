// SPDX-License-Identifier: GPL-2.0
/*
 * tree.c - ordered sets for core/, by libbsd's red-black trees
 */
#include <bsd/sys/tree.h>

#include "ssdqos_platform.h"

static int tree_compare(struct ssdqos_tree_node *a, struct ssdqos_tree_node *b)
{
	return a->key < b->key ? -1 : a->key > b->key;
}

RB_PROTOTYPE(ssdqos_tree, ssdqos_tree_node, entry, tree_compare)
RB_GENERATE(ssdqos_tree, ssdqos_tree_node, entry, tree_compare)

void ssdqos_tree_init(struct ssdqos_tree *tree)
{
	RB_INIT(tree);
}

void ssdqos_tree_insert(struct ssdqos_tree *tree, struct ssdqos_tree_node *node)
{
	RB_INSERT(ssdqos_tree, tree, node);
}

void ssdqos_tree_erase(struct ssdqos_tree *tree, struct ssdqos_tree_node *node)
{
	RB_REMOVE(ssdqos_tree, tree, node);
}

/* libbsd's look-ups change nothing, but don't say so. */
struct ssdqos_tree_node *ssdqos_tree_from(const struct ssdqos_tree *tree, u64 key)
{
	struct ssdqos_tree_node wanted = { .key = key };

	return RB_NFIND(ssdqos_tree, (struct ssdqos_tree *)tree, &wanted);
}

struct ssdqos_tree_node *ssdqos_tree_next(const struct ssdqos_tree_node *node)
{
	return RB_NEXT(ssdqos_tree, NULL, (struct ssdqos_tree_node *)node);
}

struct ssdqos_tree_node *ssdqos_tree_prev(const struct ssdqos_tree_node *node)
{
	return RB_PREV(ssdqos_tree, NULL, (struct ssdqos_tree_node *)node);
}

struct ssdqos_tree_node *ssdqos_tree_last(const struct ssdqos_tree *tree)
{
	return RB_MAX(ssdqos_tree, (struct ssdqos_tree *)tree);
}
