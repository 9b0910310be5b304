/* SPDX-License-Identifier: MIT
 * selection: the rows that the user asked for: kinds, a window of time, states, threads, processes, frames, an event. A
 * condition applies to rows that have what it is about; definitions and other rows pass. Frames are examined once for
 * each distinct stack. */
#ifndef CHOOSE_SELECTION_H
#define CHOOSE_SELECTION_H

#include "base/time_text.h"
#include "choose/where.h"
#include "model/model.h"
#include "stream/stream_file.h"

#include <stdbool.h>

enum activity {
	ACTIVITY_ANY,
	ACTIVITY_RUNNING,	/* states runnable and running (and unknown outside of dumps), without what only waits
				 * inside the system */
	ACTIVITY_JSTACK		/* what FlameGraph's stackcollapse-jstack.pl counts as running */
};

/* The event of samples that name none: threads of dumps, and texts that count something without a name. */
#define EVENT_NONE "none"

struct selection_options {
	const char *only;		/* kinds by name or #NUMBER, with commas; NULL all */
	int64_t from_ns, to_ns;		/* INT64_MIN, INT64_MAX: no window */
	const struct time_window *windows;	/* several, all within from_ns to to_ns; NULL: that is one. Borrowed */
	unsigned windows_count;
	const char *grep;		/* regular expression for frames; NULL */
	bool invert;			/* stacks without such a frame */
	const char *thread, *process;	/* regular expressions for names; NULL */
	const char *states;		/* by name, with commas; NULL all */
	const char *
		event; /* the name of the sampling event, "all"; NULL: that of the first sample of the input, whether it
		        * is chosen or not, where one_event, else all */
	const char *first_event;	/* is taken for that; NULL */
	bool one_event;			/* counts of several events must not be mixed */
	enum activity activity;
	struct where *where;		/* conditions on samples; borrowed; NULL */
	bool (*needs_all)(const struct model *model, uint64_t event);	/* events of which each sample in the window
					 * is looked at, chosen or not; NULL: none */
};

struct selection;

/* -1 with *err (STK_EUSAGE): a bad regular expression or state. The model and the texts are borrowed; from now on the
 * model keeps the groups of records, if conditions ask for them. */
int selection_open(struct selection **out, struct model *model, const struct selection_options *options,
		   struct stk_error *err) STK_MUST_CHECK;
void selection_close(struct selection *selection);

/* Ids start anew: decisions are cleared. Lets the reader skip kinds that are not asked for, and blocks outside the
 * window. kinds: further ones that are not needed are those without a bit here; 0: all are. */
void selection_head(struct selection *selection, struct stk_reader *reader, uint64_t kinds);

/* Whether rows of a kind are wanted. */
bool selection_kind(const struct selection *selection, const struct stk_kind_schema *kind, unsigned number);
/* Whether the reader was asked for blocks of a kind by the last selection_head. */
bool selection_wants(const struct selection *selection, unsigned kind);
/* The number of kinds that --only names; 0 when there is no --only. And the name of the first. */
unsigned selection_kinds(const struct selection *selection, struct stk_text *first);
/* True when --only has a name that no stream so far declared: returns the first such name. */
bool selection_unmet(const struct selection *selection, struct stk_text *name);
/* True when any condition on rows is set, so that a block cannot be passed on unread. */
bool selection_rows_matter(const struct selection *selection);

/* The rows of the reader's present block that pass: their numbers, ascending, in *rows, which is valid until the next
 * call; NULL when all *count of them do. -1: damaged. */
int selection_rows(struct selection *selection, struct stk_reader *reader, const struct stk_block *block,
		   const uint32_t **rows, uint32_t *count, struct stk_error *err) STK_MUST_CHECK;

/* Whether samples like this one, of its dump or else its time, its process and its event, may pass: what happened then
 * is known, though it may be that nothing did which was asked for. Its thread, state and stack do not matter. */
bool selection_takes_moment(struct selection *selection, const struct where_sample *sample);

/* Whether an event, or time of a pair that it began, is asked for, but for windows: by its thread, its stack, --where,
 * and by its name where --event says one. It has no state. */
bool selection_takes_event(struct selection *selection, const struct where_sample *event);
/* Whether there are such conditions, beside those on threads and processes; hands over the times at which the answer
 * may change. */
bool selection_chooses_events(const struct selection *selection, where_time_function *cut, void *context);

/* Whether there are conditions about what an index says of blocks. That of one_event is not one: it is known from rows
 * only. */
bool selection_asks_index(const struct selection *selection);
/* False when no row of a block passes, by what the index of the file says of it: its times, and which ids its rows
 * have. kind is that of the block in its stream's schema. A block with ids that are not defined so far passes, so that
 * they are met. */
bool selection_may_pass(struct selection *selection, const struct stk_kind_schema *kind,
			const struct file_block *block);

/* The number of samples that one_event left out, and the name of the event that was kept, or, where one was asked for,
 * met first; "" when there was none, or it has no name. */
uint64_t selection_other_events(const struct selection *selection, struct stk_text *kept);
/* How many events the samples had whose event was looked at, those without a name as one, in each stream anew; and the
 * name of the first. */
unsigned selection_events_met(const struct selection *selection, struct stk_text *first);

/* Whether the frames of a stack show that its thread only waits, though its state is runnable. */
bool selection_idle(struct selection *selection, uint64_t stack);

/* Whether the frames of a stack are such as are asked for, as far as only they matter (--grep, --invert). */
bool selection_takes_stack(struct selection *selection, uint64_t stack);

/* Whether a thread is such as is asked for, as far as only threads and processes matter. */
bool selection_takes_thread(struct selection *selection, uint64_t thread);
/* The same of a sample: one whose thread is not known is of the process of its dump. */
bool selection_takes_thread_in(struct selection *selection, uint64_t thread, uint64_t dump);
/* Whether a state is one of those that are asked for. */
bool selection_takes_state(const struct selection *selection, uint64_t state);

/* Row i of what selection_rows gave. */
static inline uint32_t
selected_row(const uint32_t *rows, uint32_t i)
{
	return rows == NULL ? i : rows[i];
}

#endif
