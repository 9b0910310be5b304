/* SPDX-License-Identifier: MIT
 * tree_shape: what a time tree looks like: when a node is a leaf, how an interval is split, and which stacks a node
 * keeps. Intervals are half-open, in ns. */
#ifndef TIMETREE_TREE_SHAPE_H
#define TIMETREE_TREE_SHAPE_H

#include "base/time_text.h"

#include <stddef.h>
#include <stdint.h>

enum tree_rule { TREE_BY_TIME, TREE_BY_SAMPLES, TREE_BY_CALENDAR };

#define TREE_LEAF_USUAL  65536
#define TREE_LEAF_MOST   (1u << 22)
#define TREE_SPLIT_USUAL 4
#define TREE_SPLIT_MOST  1024
#define TREE_BELOW_MOST  7

struct tree_interval { int64_t from, to; };

struct tree_shape {
	uint32_t leaf;			/* M: a node with fewer samples is a leaf */
	double keep;			/* P: percent of a node's samples that its counts cover; 100 is exact */
	uint32_t split;			/* N: parts of an interval, */
	uint32_t below[TREE_BELOW_MOST];	/* and of those one level below the root, two, and so on, up to the
						 * first 0: the last N goes on */
	enum tree_rule rule;
	const struct time_zone *zone;	/* of the calendar; NULL: UTC */
	struct tree_interval span;	/* of the root, but not by samples; empty: from the first sample to the last */
};

/* The N of a level; the root's is 0. */
uint32_t tree_split(const struct tree_shape *shape, unsigned level);

/* The part of an interval of a level that holds the moment `at`, which lies in it. Parts are neither empty nor the
 * whole, unless the whole is one nanosecond, or, by calendar, within a second. */
struct tree_interval tree_part(const struct tree_shape *shape, unsigned level, struct tree_interval whole,
			       int64_t at);

/* What a node counts of a type of stack. */
struct tree_count { uint32_t type; uint64_t count, weight; };

/* The types to keep: by count, most frequent first (the lower type where these are equal), until they cover `keep`
 * percent of the samples. They are moved to the front, in the order of their types; their number. *bound: the count of
 * the most frequent of the others. */
size_t tree_keep(struct tree_count *counts, size_t count, uint64_t samples, double keep, uint64_t *bound);

#endif
