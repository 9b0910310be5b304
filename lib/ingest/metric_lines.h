/* SPDX-License-Identifier: MIT
 * metric_lines: what formats of metrics have in common: each line, or a few lines, are independent of the others. */
#ifndef INGEST_METRIC_LINES_H
#define INGEST_METRIC_LINES_H

#include "ingest/ingest.h"

/* A moment that a metric was measured at. */
struct metric_time { int64_t ns; bool zoned; };

void metric_say(struct findings *findings, uint32_t line, struct metric_time time, const char *name,
		struct stk_text more, double value);

/* A date and time with its zone, if it has one: "2026-11-20T22:14:44.123+0100". */
bool metric_date(struct stk_text text, struct metric_time *time);
/* Seconds: "1.994", at the beginning of the text; how many bytes they take, 0 when there are none. */
size_t metric_seconds(struct stk_text text, double *seconds);

/* Whether most lines at the beginning of a text are of a format: three of them for one that is not. */
enum line_sort { LINE_OURS, LINE_EITHER, LINE_FOREIGN };
bool metric_lines_are(struct stk_text text, enum line_sort (*sort)(struct stk_text line));

/* The beginning of a text that holds whole lines. */
size_t metric_cut(struct stk_text text);
/* The first of two lines after each other that both begin something; NULL. */
const char *metric_find(struct stk_text text, bool (*begins)(struct stk_text line));
/* The beginning of a text up to the last line that begins something, of which lines after it may be a part. */
size_t metric_cut_before(struct stk_text text, bool (*begins)(struct stk_text line));
/* Nothing here is a stack. */
void metric_no_stack(struct stack_reading *reading, struct stk_text stack);
bool metric_no_frame(struct frame_parts *parts, struct stk_text line);

#endif
