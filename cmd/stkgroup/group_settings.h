/* SPDX-License-Identifier: MIT
 * group_settings: the options of stkgroup. */
#ifndef STKGROUP_GROUP_SETTINGS_H
#define STKGROUP_GROUP_SETTINGS_H

#include "group/group_figures.h"
#include "group/grouped_stacks.h"
#include "group/query_file.h"
#include "group/scheme_set.h"
#include "program/sample_choice.h"
#include "report/row_printer.h"

#include <stdbool.h>

enum group_view {
	GROUPS_RECORDS,
	GROUPS_TABLE,
	GROUPS_FOLDED,
	GROUPS_EXPLAIN,
	GROUPS_LINT,
	GROUPS_TEST,
	GROUPS_COVERAGE,
	GROUPS_LIST,
	GROUPS_GENERATE,
	GROUPS_IMPORT,
	GROUPS_EXPORT
};

enum group_report { REPORT_GROUPS, REPORT_HIERARCHY, REPORT_PAYLOADS, REPORT_CROSS_CHECK, REPORT_PATH };

struct settings {
	const char *schemes[SCHEMES_MOST];
	unsigned schemes_count;
	enum group_view view;
	enum row_form form;
	enum frames_as frames;
	enum time_from time;
	struct sample_choice choice;
	struct selection_options selection;	/* of choice */
	const struct time_zone *zone;	/* of choice; at last that of filter_zone */
	const char *subject;		/* of --explain, --generate, --import, --export */
	const char *events;
	struct time_window window;	/* of settings_events, where there is one */
	const char *by;			/* without "activity" at its end, which is in by_activity */
	bool by_activity;
	char keys[200];			/* `by`, where it is not as the user wrote it */
	const char *owners, *repository, *root;	/* of --generate owners and git */
	bool no_platform;		/* --generate packages */
	const char *update;		/* --generate: the file to bring up to date */
	int64_t step_ns;
	const char *queries;		/* the file of --queries */
	const struct group_query *query;	/* that these settings are of; or NULL */
	bool embed, follow;
	enum group_report report;
	int64_t top, depth;
	double least;			/* percent */
};

int  settings_read(struct settings *s, int argc, char **argv);
void settings_choose(struct settings *s, bool to_terminal);
void settings_release(struct settings *s);

/* Those of one query: what it says, and the others for the rest. Do not copy *out: it points into itself. */
void settings_of_query(struct settings *out, const struct settings *all, const struct query_file *file,
		       const struct group_query *query);

/* How many elements a key of --by has. */
unsigned settings_levels(const struct settings *s);

/* What the chosen view needs: a stream (given the number of operands), a scheme, sums by group. */
bool settings_need_stream(const struct settings *s, int operands);
bool settings_need_scheme(const struct settings *s);
bool settings_need_sums(const struct settings *s);

/* Whether samples are to be looked at inside of pairs of events. */
bool settings_combine(const struct settings *s);

/* Which time of events counts; borrows the settings. */
struct event_choice settings_events(struct settings *s);

/* Ends with a mistake in the usage when --where, or a query, names a group that no scheme has. */
void settings_need_groups(const struct settings *s, const struct scheme_set *set);

#endif
