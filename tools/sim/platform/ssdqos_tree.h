/* SPDX-License-Identifier: GPL-2.0 */
/*
 * ssdqos_tree.h - ordered sets for core/ in user space: libbsd's trees
 *
 * dm-ssdqos/platform has the twin, and says what they are.
 */
#ifndef SSDQOS_TREE_H
#define SSDQOS_TREE_H

/* Included by ssdqos_platform.h, when it has the types. */
struct ssdqos_tree_node;

/* As RB_HEAD() and RB_ENTRY() make them, whose header core/ can't have. */
struct ssdqos_tree {
	struct ssdqos_tree_node *rbh_root;
};

struct ssdqos_tree_node {
	u64 key;
	struct {
		struct ssdqos_tree_node *rbe_left;
		struct ssdqos_tree_node *rbe_right;
		struct ssdqos_tree_node *rbe_parent;
		int rbe_color;
	} entry;
};

void ssdqos_tree_init(struct ssdqos_tree *tree);
void ssdqos_tree_insert(struct ssdqos_tree *tree, struct ssdqos_tree_node *node);
void ssdqos_tree_erase(struct ssdqos_tree *tree, struct ssdqos_tree_node *node);
struct ssdqos_tree_node *ssdqos_tree_from(const struct ssdqos_tree *tree, u64 key);
struct ssdqos_tree_node *ssdqos_tree_next(const struct ssdqos_tree_node *node);
struct ssdqos_tree_node *ssdqos_tree_prev(const struct ssdqos_tree_node *node);
struct ssdqos_tree_node *ssdqos_tree_last(const struct ssdqos_tree *tree);

#endif /* SSDQOS_TREE_H */
