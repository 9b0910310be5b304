/* SPDX-License-Identifier: MIT
 * classifier_inside: what a classifier consists of: only classifier.c, classifier_counts.c and classifier_restore.c
 * know. */
#ifndef CLASSIFY_CLASSIFIER_INSIDE_H
#define CLASSIFY_CLASSIFIER_INSIDE_H

#include "base/arena.h"
#include "base/hash_map.h"
#include "classify/classifier.h"
#include "classify/segment_walk.h"

struct frame_entry { struct stk_text text; };
struct part_entry { struct stk_text text; uint32_t clock; };
struct clock_entry { uint64_t ticks; bool ticked; };

struct classifier {
	struct arena texts;
	struct segments *segments;
	ARRAY(struct frame_entry) frames;	/* number n is at[n - 1], here and below */
	ARRAY(uint64_t) frame_hashes;		/* by number */
	struct hash_map frame_map;
	struct stack_runs stacks;
	ARRAY(struct part_entry) parts;		/* by number */
	struct hash_map part_map;
	ARRAY(struct clock_entry) clocks;	/* by number */

	ARRAY(struct class) classes;
	struct hash_map class_map;		/* by stack and part */
	ARRAY(uint64_t) ends;			/* a bit for each stack: there is a class of it */
	struct number_list signatures;

	struct segment_tallies tallies;

	/* of the current dump */
	ARRAY(uint64_t) counts;			/* by class */
	struct number_list counted;		/* classes with a count */

	/* scratch */
	struct number_list trace;
	struct segment_walk walk;
	ARRAY(uint64_t) sums;			/* by segment */
	struct measures class_measures, segment_measures;
};

/* The class of a stack in a part, 0 when there is none. */
uint32_t classifier_find_class(const struct classifier *c, uint32_t stack, uint32_t part);
/* Adds a class, whose stack and part have none yet, and returns its number. */
uint32_t classifier_file_class(struct classifier *c, const struct class *class);
uint64_t classifier_class_name(const struct classifier *c, const uint32_t *trace, uint32_t depth, uint32_t part);
/* The segments that a class holds; valid until the next call. */
const struct number_list *classifier_walk(struct classifier *c, uint32_t class);

#endif
