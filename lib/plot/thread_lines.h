/* SPDX-License-Identifier: MIT
 * thread_lines: what a still picture of threads over time has from top to bottom, and how it is cut where it would be
 * too long: what is wrong is first, and threads are shown one by one only there. */
#ifndef PLOT_THREAD_LINES_H
#define PLOT_THREAD_LINES_H

#include "diag/finding_lines.h"
#include "plot/palette.h"
#include "plot/thread_history.h"

struct thread_picture { /* all are borrowed */
	const struct thread_history *history;
	const struct diag_findings *findings;
	const struct finding_lines *found; /* the same by lines */
	const char *title;
	const struct time_zone *zone; /* of times; NULL: UTC */
	enum palette palette;
	unsigned width; /* letters or pixels */
	size_t lines_most; /* pools and threads */
};

enum thread_line_kind { LINE_PROCESS, LINE_POOL, LINE_THREAD, LINE_MORE, LINE_IDLE };

struct thread_line {
	enum thread_line_kind kind;
	uint32_t place; /* of a process or pool; the number of a row; else how many threads */
};

struct thread_lines {
	ARRAY(struct thread_line) list;
	uint64_t pools, threads; /* that are not in it */
};

void thread_lines_make(struct thread_lines *out, const struct thread_picture *picture);
void thread_lines_release(struct thread_lines *lines);

/* What a line is called: "http-* (8)", "  http-1". */
void add_line_label(struct text_buffer *to, const struct thread_picture *picture, const struct thread_line *line);
/* How long the threads of a line were of each look, in each of `count` parts of the time: LOOKS numbers a part. */
void thread_line_parts(const struct thread_picture *picture, const struct thread_line *line, size_t count,
		       double *parts);
/* How many samples they have of each look. */
const uint64_t *thread_line_samples(const struct thread_picture *picture, const struct thread_line *line);

/* "warning, blocked, TIMES: SUMMARY; 24 in all, TIMES": a line of findings in words. */
void add_finding_words(struct text_buffer *to, const struct thread_picture *picture, const struct finding_line *line);
/* "5 blocked", "5 x24 blocked": its number, how many they are, and the rule. */
void add_finding_name(struct text_buffer *to, const struct thread_picture *picture, const struct finding_line *line);
/* From the beginning of its first to the end of its last dump. */
struct time_range span_of_finding(const struct thread_picture *picture, const struct finding *finding);
/* "12 dumps of 78 threads, 2026-11-20T23:53:55Z to 23:54:20Z" */
void add_what_is_drawn(struct text_buffer *to, const struct thread_picture *picture);
/* " A part is 27m, ..." where the time has fewer parts than a process has dumps, which then share one. */
void add_how_parts_are_drawn(struct text_buffer *to, const struct thread_picture *picture, size_t parts);
/* "2026-11-20T23:53:55Z to 23:54:20Z" */
void add_time_range(struct text_buffer *to, const struct thread_picture *picture, const struct time_range *times);

#endif
