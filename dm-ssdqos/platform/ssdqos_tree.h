/* SPDX-License-Identifier: GPL-2.0 */
/*
 * ssdqos_tree.h - ordered sets for core/: the kernel's red-black trees
 *
 * tools/sim/platform has the twin.  Nodes lie in what they order, and have a
 * key; no two nodes of a tree have the same.  The caller serialises.
 */
#ifndef SSDQOS_TREE_H
#define SSDQOS_TREE_H

#include <linux/rbtree.h>
#include <linux/types.h>

struct ssdqos_tree {
	struct rb_root root;
};

struct ssdqos_tree_node {
	u64 key;
	struct rb_node rb;
};

static inline struct ssdqos_tree_node *ssdqos_tree_of(struct rb_node *rb)
{
	return rb ? rb_entry(rb, struct ssdqos_tree_node, rb) : NULL;
}

static inline void ssdqos_tree_init(struct ssdqos_tree *tree)
{
	tree->root = RB_ROOT;
}

static inline bool ssdqos_tree_less(struct rb_node *a, const struct rb_node *b)
{
	return rb_entry(a, struct ssdqos_tree_node, rb)->key <
	       rb_entry(b, struct ssdqos_tree_node, rb)->key;
}

static inline void ssdqos_tree_insert(struct ssdqos_tree *tree,
				      struct ssdqos_tree_node *node)
{
	rb_add(&node->rb, &tree->root, ssdqos_tree_less);
}

static inline void ssdqos_tree_erase(struct ssdqos_tree *tree,
				     struct ssdqos_tree_node *node)
{
	rb_erase(&node->rb, &tree->root);
}

/* The least one that is not below a key, or NULL. */
static inline struct ssdqos_tree_node *
ssdqos_tree_from(const struct ssdqos_tree *tree, u64 key)
{
	struct ssdqos_tree_node *node, *found = NULL;
	struct rb_node *rb = tree->root.rb_node;

	while (rb) {
		node = ssdqos_tree_of(rb);
		if (node->key >= key) {
			found = node;
			rb = rb->rb_left;
		} else {
			rb = rb->rb_right;
		}
	}
	return found;
}

static inline struct ssdqos_tree_node *
ssdqos_tree_next(const struct ssdqos_tree_node *node)
{
	return ssdqos_tree_of(rb_next(&node->rb));
}

static inline struct ssdqos_tree_node *
ssdqos_tree_prev(const struct ssdqos_tree_node *node)
{
	return ssdqos_tree_of(rb_prev(&node->rb));
}

static inline struct ssdqos_tree_node *
ssdqos_tree_last(const struct ssdqos_tree *tree)
{
	return ssdqos_tree_of(rb_last(&tree->root));
}

#endif /* SSDQOS_TREE_H */
