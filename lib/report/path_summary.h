/* SPDX-License-Identifier: MIT
 * path_summary: what programs counted of their paths, for people: calls by function, the most frequent paths, and how
 * often each line of the source was come to. */
#ifndef REPORT_PATH_SUMMARY_H
#define REPORT_PATH_SUMMARY_H

#include "base/tally.h"
#include "base/text_buffer.h"
#include "report/counting_methods.h"
#include "report/printer.h"

struct path_calls { uint64_t calls, counted, others; int64_t unfinished; };

struct path_summary {
	struct text_table functions;		/* "function	file" */
	ARRAY(struct path_calls) calls;
	struct tally paths;			/* "function	path	file" */
	struct tally blocks; /* "file:line	function	block"; of blocks whose line is not known no line */
	struct counting_methods methods;
	struct text_buffer scratch;
};

/* A zeroed struct is an empty one. A row of STK_PATH_COUNT or STK_PATH_CALL; others are none of ours. */
void path_summary_take(struct path_summary *summary, unsigned kind, const void *row);
/* Its sections, each with at most `top` rows; nothing when there is nothing. */
void path_summary_write(struct path_summary *summary, struct printer *to, size_t top);
void path_summary_release(struct path_summary *summary);

#endif
