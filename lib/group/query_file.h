/* SPDX-License-Identifier: MIT
 * query_file: questions about groups, each with a name, written in YAML:
 *
 *	queries:
 *	  - query: busy-database
 *	    group: jdbc			rows of this group and of those below it
 *	    process: web*		samples: also thread, processor, time; several in a list
 *	    where: state = runnable	another condition on samples
 *	    by: process,thread
 *	    step: 10s
 *	    having: total_share >= 20%	rows, by their figures
 */
#ifndef GROUP_QUERY_FILE_H
#define GROUP_QUERY_FILE_H

#include "choose/where.h"
#include "group/group_figures.h"
#include "group/row_condition.h"

#define QUERIES_MOST 64

struct group_query {
	const char *name;
	unsigned line;
	const char *group;		/* by name or path, "(none)"; NULL: all */
	const char *by;			/* NULL */
	int64_t step_ns;		/* 0: none */
	struct where *where;		/* on samples and events; NULL */
	struct row_condition *having;	/* NULL */
};

struct query_file {
	struct group_query *queries;
	unsigned count;
	const char *path;
	struct config *config;		/* has the texts */
};

/* Times are read relative to now, in the zone. The path is borrowed. -1 with *err, which has file and line; then too
 * the file is to be released. */
int  query_file_read(struct query_file *out, const char *path, int64_t now_ns, const struct time_zone *zone,
		     struct stk_error *err) STK_MUST_CHECK;
/* A zeroed struct is empty. */
void query_file_release(struct query_file *file);

/* Whether a row is asked for: that of a group of a scheme, or of none (0). whole: what its parts are parts of. */
bool group_query_takes(const struct group_query *query, const struct scheme *scheme, uint32_t group,
		       const struct group_figures *figures, double whole);

#endif
