/* SPDX-License-Identifier: MIT
 * recording_parts: what a recording is made of; for those that make a recording's answers. */
#ifndef TIMETREE_RECORDING_PARTS_H
#define TIMETREE_RECORDING_PARTS_H

#include "base/id_table.h"
#include "base/pair_sums.h"
#include "timetree/key_choice.h"
#include "timetree/recording.h"
#include "timetree/sample_types.h"
#include "timetree/stack_labels.h"
#include "timetree/stack_lender.h"
#include "timetree/tree_reader.h"

#define KEYS_MOST 16

/* What a tree answers: all that it covers; what was thinned, since of the other samples not all counts are there; or
 * nothing, as counts do not know what is asked, so that what was thinned cannot be seen. */
enum tree_use { USE_ALL, USE_THINNED, USE_NONE };

/* A stream of a recording, with ids of its own. */
struct part {
	unsigned stream;
	struct model *model;
	struct stack_lender *lender;	/* NULL: all stacks are in the model */
	struct naming *naming;
	struct stack_prefixes *prefixes;
	struct selection *selection;
	struct tree_reader *tree;	/* NULL: none, or not for this question */
	enum tree_use use;		/* of the tree */
	bool counts_chosen;		/* of the counts, only those of stacks that the selection takes, */
	struct key_choice *choice;	/* and whose keys do; NULL: these are not asked for */
	struct stack_prefixes *of_tree;	/* prefixes of its counts, which those of the answer fold; NULL: the same */
	ARRAY(unsigned char) takes;	/* by prefix of the tree: 0 not yet known, 1 yes, 2 no */
	bool thinned;			/* of some samples only the tree's counts are left */
	bool bare;			/* --by none of a tree that has prefixes */
	unsigned key_count;		/* --by some keys of the tree: how many of the elements of its prefixes, */
	unsigned keys[KEYS_MOST];	/* and which, from 0; 0 of them: all, as they are */
	bool other_keys;		/* prefixes of the tree become those of these elements, of none if bare, or
					 * folded */
	ARRAY(uint32_t) prefix_of_keys;	/* by prefix of the tree: the one of these elements; 0: not yet known */
	bool has_lost;			/* counts of a tree that cannot be read, */
	struct tree_interval lost;	/* of this interval */
	bool has_hole;			/* bytes are missing: of samples in this interval, if there were any */
	struct tree_interval hole;
	uint64_t covered;		/* sample rows that the tree answers for */
	struct pair_sums sums;		/* what was counted since it was last given away, by prefix and stack */
	struct pair_sums guessed;	/* how much of the sums is estimated, */
	struct pair_sums possible;	/* and how much it can be instead */
	struct left_out left, left_guessed, left_possible;	/* the same of what counts leave out */
	struct sample_types types;	/* of which the prefixes alone are used */
	struct id_table names[2]; /* by frame, otherwise and of Java processes: its name in the call tree; 0: not one */
	struct stack_labels *labels;	/* what replaces the frames of stacks */
};

struct recording {
	struct recording_options options;
	struct recording_listener listener;
	struct recording_facts facts;
	struct stream_file *file;
	ARRAY(struct part *) parts;
};

/* Whoever gives the sums of a part away adds them to the answer, and counts the stacks that are not defined; then they
 * are to be cleared. */
void part_add_answer(const struct part *part, struct answer *answer);
void part_count_lost(struct part *part);

/* 0; -1 with *err: definitions of a part could not be read. */
int part_error(const struct part *part, struct stk_error *err) STK_MUST_CHECK;
int recordings_error(struct recording *const *recordings, size_t count, struct stk_error *err) STK_MUST_CHECK;

#endif
