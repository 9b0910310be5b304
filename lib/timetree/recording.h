/* SPDX-License-Identifier: MIT
 * recording: a file of samples that answers for windows of time: from its time tree where it has one and the question
 * allows, else from the samples in the window. */
#ifndef TIMETREE_RECORDING_H
#define TIMETREE_RECORDING_H

#include "base/time_range.h"
#include "choose/call_tree.h"
#include "choose/folded_lines.h"
#include "choose/naming.h"
#include "choose/selection.h"
#include "timetree/tree_reader.h"

struct recording;

struct recording_options {
	const char *by; /* what precedes the frames; "": the usual; NULL: as in the tree, or the usual */
	struct selection_options selection;	/* without a window */
	bool filtered;				/* it has conditions on rows: then the samples must be read */
	struct naming_options naming;
	bool samples;				/* count samples, not their weights */
	enum { AS_FRAMES, AS_CLASSES, AS_GROUPS, AS_POOLS } as;	/* what a stack is shown as */
	struct stream_file *file;		/* the file, open and sound, which is taken over; NULL */
};

struct recording_facts {
	struct time_range times;		/* of its samples */
	uint64_t untimed;			/* samples without a time, as far as known */
	bool monotonic, wall;			/* clocks of its sources */
	bool tree;				/* there is a tree over all of its samples */
	char event[TREE_TEXT_MAX];		/* which is counted: its name, EVENT_NONE or "all"; "": no samples */
	char by[TREE_TEXT_MAX];			/* what precedes the frames; "": the usual */
	bool labels;				/* some stack has the class or group that `as` asks for */
	bool bounded;				/* answers can be too small, or estimates: the tree does not keep all
						 * counts, or has thinned nodes */
};

/* What answers were made of; sums over all windows asked for. */
struct answer {
	struct tree_answer tree;
	uint64_t samples, weight;		/* in the windows, as far as they were given away */
	uint64_t scanned;			/* samples looked at without a tree */
	uint64_t skipped_blocks;		/* not read: by the index no row of them is selected */
	uint64_t skipped_samples;		/* in them */
	uint64_t several;			/* samples that are of several groups */
	uint64_t replaced;			/* damaged nodes in whose place the samples were counted */
	bool incomplete;			/* some samples, or counts that are left of them, cannot be read */
	uint64_t estimated;			/* samples that thinned nodes may have in the windows which cut them */
	uint64_t unseen;			/* samples of which only counts are left, and these do not know */
	struct tree_interval unseen_at;		/* what is asked; as far as it is in the windows */
};

/* Reports what cannot be answered: damaged or missing. The context is the listener's. */
typedef void recording_lost_function(void *context, int64_t from_ns, int64_t to_ns, const char *why);

/* A node of a tree that answers: by its counts, or by the samples of a leaf. */
typedef void recording_visit_function(void *context, const struct stk_tree_node *node, bool samples);

struct recording_listener {
	stk_damage_function *damage;
	recording_lost_function *lost;
	void (*growing)(void *context);	/* the file is still being written, and read as far as it is; may be NULL */
	recording_visit_function *visit;	/* may be NULL */
	void *context;
};

/* Whether a file is to be opened with the ids of its blocks, to be handed over in recording_options. */
bool recording_asks_ids(bool filtered, const char *event);

/* Opens *out: definitions are read, samples and, where they can be found by their ids, stacks are not.
 * What the options and the listener point at is borrowed. -1 with
 * *err: the file cannot be read, or (STK_EUSAGE) the options ask for what cannot be; recording_close(*out) all the
 * same. */
int recording_open(struct recording **out, const char *path, const struct recording_options *options,
	const struct recording_listener *listener, struct stk_error *err) STK_MUST_CHECK;
/* NULL does nothing. */
void recording_close(struct recording *recording);

const struct recording_facts *recording_facts(const struct recording *recording);
uint64_t recording_bytes(const struct recording *recording);		/* of the file */
uint64_t recording_bytes_read(const struct recording *recording);	/* so far */

/* Samples of which other events were left out so far, and are known to have been: with a tree, all that it does not
 * count. */
uint64_t recording_other_events(const struct recording *recording);
/* How many events samples had that were looked at because all events are counted: 0, 1 or 2 for several; and the first.
 * What their weights count differs. */
unsigned recording_events_met(const struct recording *recording, struct stk_text *first);

/* The model of each stream of the file, 0 to recording_streams - 1: it knows which ids were met in answers and are not
 * defined. Borrowed. */
size_t recording_streams(const struct recording *recording);
const struct model *recording_model(const struct recording *recording, size_t stream);

/* Whether what was counted are stacks of threads, or lines of folded stacks, whose weights are how many there were; and
 * not samples of an event, whose weights are periods. */
bool recording_weights_are_counts(const struct recording *recording);
/* From now on samples are given away, or weights: as options.samples. */
void recording_give_samples(struct recording *recording, bool samples);

/* Whether naming.fold gives any two stacks of the recording the same names: whether some frame or pool has another name
 * by it. Cost: all frames are named. */
bool recording_folds_names(const struct recording *recording);

/* AS_CLASSES: the frames of the class of this name, leaf first, and its part; see stack_labels.h. Empty for another
 * name. Valid until the recording is closed. */
struct stk_text recording_class(const struct recording *recording, struct stk_text name);

/* Counts the stacks of a window, beside those that were counted and not yet given away. INT64_MIN, INT64_MAX: all,
 * samples without a time as well. Cost: with a tree the logarithm of the samples in the window, and the different
 * stacks in it; else the samples in it. -1 with *err: the file cannot be read; damage is reported to the listener and
 * is not a failure. */
int recording_count(struct recording *recording, struct tree_interval window, struct answer *answer,
	struct stk_error *err) STK_MUST_CHECK;

/* Passes on what was counted, stack by stack with the ids of the model that it comes from. -1: the function returned
 * it. */
typedef int recording_stack_function(void *context, const struct model *model, struct stk_text prefix, uint32_t stack,
	uint64_t samples, uint64_t weight, struct stk_error *err);
int recording_stacks(struct recording *recording, recording_stack_function *take, void *context, struct answer *answer,
	struct stk_error *err) STK_MUST_CHECK;

/* Gives away what was counted in some recordings, as lines, which borrow the recordings. For recordings that show
 * frames. -1 with *err: definitions could not be read. */
int  recordings_lines(struct recording *const *recordings, size_t count, struct folded_lines *to, struct answer *answer,
	struct stk_error *err) STK_MUST_CHECK;

/* How much of a call tree is wanted: below a node that has less than `least` percent of all, or is `depth` deep (0:
 * any), nothing is. What is there is exact. */
struct growth_limits { double least; uint64_t depth; };

/* Gives away what was counted in some recordings, as self and total of a column of one call tree. A recording must
 * always grow the same call tree. Cost: the stacks that were counted and their callers; the names of those that are
 * wanted. -1 with *err: definitions could not be read. */
int recordings_grow(struct recording *const *recordings, size_t count, struct growth_limits limits,
	struct call_tree *to, unsigned column, struct answer *answer, struct stk_error *err) STK_MUST_CHECK;

/* Gives away what was counted in some recordings, as sums by function: *sums, freed by the caller, has self and total
 * of each name of the call tree's, by its number, 2 for each. Of the tree itself only the root is grown. For recordings
 * that show frames. -1 with *err: definitions could not be read. */
int recordings_functions(struct recording *const *recordings, size_t count, struct call_tree *to, uint64_t **sums,
	struct answer *answer, struct stk_error *err) STK_MUST_CHECK;

/* What is known of counts that a tree leaves out or that are estimated: for columns of a call tree. */
struct answer_bounds {
	struct left_out left;		/* counted in no stack: estimated where a window cuts a thinned node */
	uint64_t value, least, most;	/* of that what is counted, samples or weights; at least and at most */
	uint64_t stack;			/* what a stack can have of it, at most; a function or a class can have all */
	uint64_t estimated, possible;	/* of the counts of stacks: how much is estimated, and how much it can be */
	bool unknown;			/* the weight is not known: a tree of an earlier version; it is counted as 0 */
};

/* After recordings_grow: what no stack has becomes one, LEFT_OUT, in `column`. bounds: the first of two further
 * columns, how much of each count is estimated, and how much it can be instead; 0: none. -1 with *err: definitions
 * could not be read. */
#define LEFT_OUT "(left out)"
int recordings_grow_bounds(struct recording *const *recordings, size_t count, struct call_tree *to, unsigned column,
	unsigned bounds, struct answer_bounds *known, struct stk_error *err) STK_MUST_CHECK;

/* What no stack has, for those who take stacks with recording_stacks. */
struct answer_bounds recording_left_out(struct recording *recording);

#endif
