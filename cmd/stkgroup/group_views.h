/* SPDX-License-Identifier: MIT
 * group_views: the output about groupings, and about schemes, for people and scripts. */
#ifndef STKGROUP_GROUP_VIEWS_H
#define STKGROUP_GROUP_VIEWS_H

#include "group_settings.h"

#include "choose/naming.h"
#include "choose/stack_prefix.h"
#include "group/event_feed.h"
#include "group/sample_groups.h"
#include "group/uncovered.h"

struct grouped {			/* the input of the views; all borrowed */
	const struct settings *settings;
	struct scheme_set *set;
	struct stack_prefixes *prefixes;	/* keys are its numbers; NULL: no keys */
	struct printer *printer;
	const struct sampling *sampling;
	const struct event_feed *feed;
	struct tree_window { int64_t from, to; } window;	/* of --step */
	bool first;			/* nothing was printed yet */
	bool read_events;		/* the file of --events */
};

/* group_table.c: what --report asks for */
int show_report(struct grouped *grouped, struct stk_error *err) STK_MUST_CHECK;
/* What the time of samples is called, as a column: dumps show threads that wait as well as those that run. */
const char *name_of_time(const struct grouped *of);
unsigned group_depth(const struct scheme *scheme, uint32_t group);
/* The groups of one parent (0: at the top) that have anything and are not left out by --depth or, of a whole, --min:
 * for people the largest first, for programs in the order of the scheme. The caller frees *groups. */
size_t list_groups(const struct settings *s, const struct scheme *scheme, uint32_t parent,
		   const struct group_figures *figures, double whole, uint32_t **groups);
/* For people: a part of a whole in percent; seconds. */
void print_share(struct row_printer *rows, double part, double whole);
void print_short_seconds(struct row_printer *rows, double seconds);
/* key_columns.c: the first columns of the tables below */
#define KEY_NAMES_MOST 16
/* The keys that have anything, in the order in which they came: of samples, then those that only events have. The
 * caller frees *keys. */
size_t list_keys(const struct grouped *grouped, uint32_t **keys);
/* Their names, and the others of the table, which end with NULL. */
void name_key_columns(const struct grouped *of, const char *names[KEY_NAMES_MOST], const char *const *others);
/* `from`: the step as text. Group 0 is what is in none. */
void print_key_columns(const struct grouped *of, struct row_printer *rows, const char *from, uint32_t key,
		       const struct scheme *scheme, uint32_t group);

/* hierarchy_table.c: --report hierarchy */
int show_hierarchy(struct grouped *grouped, struct stk_error *err) STK_MUST_CHECK;

/* payload_table.c: --report payloads */
int show_payloads(struct grouped *grouped, struct stk_error *err) STK_MUST_CHECK;

/* path_table.c: --report critical-path */
int show_paths(struct grouped *grouped, struct stk_error *err) STK_MUST_CHECK;

/* check_table.c: --report cross-check */
int show_check(struct grouped *grouped, struct stk_error *err) STK_MUST_CHECK;

/* scheme_views.c */
/* The views of schemes: --explain, --lint, --test, --import, --export, --list. */
int  show_schemes(const struct grouped *grouped, struct text_buffer *to, struct stk_error *err) STK_MUST_CHECK;
/* Events from the text file of --events, given to the feed before those of streams; once, if there is one. -1 with
 * *err: it cannot be read. Lines that are not events are reported. */
int  read_event_file(struct grouped *grouped, struct event_feed *feed, struct stk_error *err) STK_MUST_CHECK;
/* After the last event: reports inconsistent ones. */
void end_events(struct scheme_set *set, struct event_feed *feed);
/* A remark on a scheme of the stream, whose name is the context. */
void warn_of_embedded(void *context, enum remark_weight weight, struct stk_text file, unsigned long line,
		      const char *text);
/* That shares in a table add up to more than the whole, where samples are in several groups. */
void tell_several(const struct settings *settings, const struct scheme_set *set);
void report_sampling(const struct sampling *sampling, const struct event_feed *feed);

/* stack_views.c */
int print_grouped_stacks(const struct grouped_stacks *stacks, struct printer *printer,
			 struct stk_error *err) STK_MUST_CHECK;
/* What uncovered_take gives, --top of them. */
int print_uncovered(struct uncovered *uncovered, const struct settings *settings, struct printer *printer,
		    struct stk_error *err) STK_MUST_CHECK;

#endif
