/* SPDX-License-Identifier: MIT
 * group_views: the output about groupings, and about schemes, for people and scripts. */
#ifndef STKGROUP_GROUP_VIEWS_H
#define STKGROUP_GROUP_VIEWS_H

#include "group_settings.h"

#include "choose/naming.h"
#include "choose/stack_prefix.h"
#include "group/sample_groups.h"
#include "group/uncovered.h"

struct grouped {			/* the input of the views; all borrowed */
	const struct settings *settings;
	struct scheme_set *set;
	struct stack_prefixes *prefixes;	/* keys are its numbers; NULL: no keys */
	struct printer *printer;
	const struct sampling *sampling;
	struct tree_window { int64_t from, to; } window;	/* of --step */
	bool first;			/* nothing was printed yet */
};

/* group_table.c */
int show_table(struct grouped *grouped, struct stk_error *err);

/* scheme_views.c */
void show_scheme_names(struct text_buffer *to);
void show_explanations(const struct scheme_set *set, const char *stack, struct text_buffer *to);
void show_use(const struct scheme_set *set, bool with_data, struct text_buffer *to);
void show_examples(const struct scheme_set *set, struct text_buffer *to);
int  show_import(const char *path, struct text_buffer *to, struct stk_error *err) STK_MUST_CHECK;
void show_export(const struct scheme_set *set, const char *form, struct text_buffer *to);
/* Events from a text file, given to all groupings. -1 with *err: it cannot be read. Lines that are not events are
 * reported. */
int  read_event_file(const struct grouped *grouped, const char *path, struct stk_error *err) STK_MUST_CHECK;
/* Says which conditions do not choose events; threads: but those on threads and processes do. */
void tell_unchosen_events(const char *of, bool threads);
/* After the last event: reports inconsistent ones. */
void end_events(struct scheme_set *set);

/* stack_views.c */
int print_grouped_stacks(const struct grouped_stacks *stacks, struct printer *printer,
			 struct stk_error *err) STK_MUST_CHECK;
/* What uncovered_take gives, --top of them. */
int print_uncovered(struct uncovered *uncovered, const struct settings *settings, struct printer *printer,
		    struct stk_error *err) STK_MUST_CHECK;

#endif
