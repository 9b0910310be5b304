/* SPDX-License-Identifier: MIT
 * dump_line_kind: what a line of a thread dump is that is not of a thread's section: its date, its head, the lists of
 * the VM's threads, deadlocks, the heap. */
#ifndef INGEST_DUMP_LINE_KIND_H
#define INGEST_DUMP_LINE_KIND_H

#include "ingest/text_lines.h"

#define DUMP_HEAD_WORDS    "Full thread dump"		/* a blank and the VM's name follow, or a colon */
#define DUMP_JROCKIT_WORDS "===== FULL THREAD DUMP ===="
#define DUMP_JCMD_WORDS    "Thread dump from jcmd "

enum line_kind {
	LINE_FOREIGN, LINE_OF_STACK,
	LINE_REPLY, LINE_DATE, LINE_HEAD, LINE_LIST, LINE_LIST_SIZE,			/* before a dump's threads */
	LINE_END, LINE_JNI, LINE_RING, LINE_RING_STACKS, LINE_RING_COUNT, LINE_HEAP	/* after them */
};

/* `end` ends the text: what a line is may depend on those after it. */
enum line_kind dump_line_kind(struct stk_text line, const char *end);

/* A line of a stack that lost its indentation. */
bool dump_line_is_unindented(struct stk_text line);

/* The date of a dump's head at the end of a line: two files were joined, and the first had no newline at its end. */
bool dump_line_ends_in_date(struct stk_text line, const char *end, int64_t *date);

/* Whether the line at `at` can be a thread's header: a name, "os_prio=" where there is none, or "Thread 12: (state =
 * BLOCKED)". */
static inline bool
dump_line_may_be_header(const char *at)
{
	return *at == '"' || *at == 'o' || *at == 'T';
}

#endif
