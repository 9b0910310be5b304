/* SPDX-License-Identifier: MIT
 * scheme_set: several schemes at once, each with its grouping. A zeroed struct is an empty set. */
#ifndef GROUP_SCHEME_SET_H
#define GROUP_SCHEME_SET_H

#include "choose/where.h"
#include "group/grouping.h"
#include "group/remarks.h"

struct scheme_folders;

#define SCHEMES_MOST 32

struct scheme_set {
	struct scheme *schemes[SCHEMES_MOST];
	struct grouping *groupings[SCHEMES_MOST];
	unsigned count;
	struct event_choice events;		/* what counts of these; set before schemes are added */
};

/* Frees the schemes and groupings; the set is empty then. */
void scheme_set_release(struct scheme_set *set);

/* Takes ownership of a scheme, whose name must be new; at most SCHEMES_MOST. */
void scheme_set_add(struct scheme_set *set, struct scheme *scheme);
bool scheme_set_has(const struct scheme_set *set, struct stk_text name);
/* Takes ownership of a scheme in place of number i, 0 to count - 1; the sums of the old one are dropped. */
void scheme_set_replace(struct scheme_set *set, unsigned i, struct scheme *scheme);

/* Takes the schemes of a block of STK_SCHEME that carry their texts and have new names. folders: where they include
 * others from. A broken one is reported as a remark and left out. -1 with *err: the block is damaged. */
int scheme_set_take_embedded(struct scheme_set *set, struct stk_reader *reader, const struct stk_block *block,
			     const struct scheme_folders *folders, const struct remarks *remarks,
			     struct stk_error *err) STK_MUST_CHECK;

/* Ids start anew: a new stream. */
void scheme_set_turn(struct scheme_set *set);
/* Whether any group is defined by pairs of events. */
bool scheme_set_has_pairs(const struct scheme_set *set);
/* Clears the sums of all groupings. */
void scheme_set_clear(struct scheme_set *set);

/* The groups of a sample in scheme i, by its stack, or without one by the name of its thread: *groups, valid until the
 * next call, and how many; 0: none. */
uint32_t scheme_set_groups(struct scheme_set *set, unsigned i, const struct model *model, uint64_t stack,
			   uint64_t state, uint64_t thread, const uint32_t **groups);
/* Whether any scheme has a group for it. */
bool scheme_set_takes(struct scheme_set *set, const struct model *model, uint64_t stack, uint64_t state,
		      uint64_t thread);
/* Whether all schemes pass a frame over as one of a library. */
bool scheme_set_is_library(struct scheme_set *set, const struct model *model, uint32_t frame);
/* For --where. Whether it is in the group of a path in any scheme, or below: below a group of that path or name.
 * "(none)": of a scheme that has no group for it. Time of a pair is in the group that is said with it; an event row in
 * the one that its name starts, stops or is a point of, else in that of its stack. */
bool scheme_set_is_in(struct scheme_set *set, const struct model *model, const struct where_sample *sample,
		      struct stk_text name, bool below);

/* Whether a group has this path; below: or is below one of this path or name, or is called so. */
bool scheme_group_is(const struct scheme *scheme, uint32_t group, struct stk_text name, bool below);

/* The path of a group that is called so, or NULL; below: by its name alone too, else by its path. */
const struct stk_text *scheme_set_group(const struct scheme_set *set, struct stk_text name, bool below);

#endif
