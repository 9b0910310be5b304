/* SPDX-License-Identifier: MIT
 * process_lines: what a line of a dump of a process is, whichever tool printed it: what stands above stacks, frames,
 * and what may be between them. */
#ifndef INGEST_PROCESS_LINES_H
#define INGEST_PROCESS_LINES_H

#include "ingest/ingest.h"
#include "ingest/text_lines.h"

enum line_kind { LINE_OTHER, LINE_BLANK, LINE_DATE, LINE_PROCESS, LINE_THREAD, LINE_FRAME };

/* Of a thread's line, *sample gets what it says. */
enum line_kind process_line_kind(struct stk_text line, struct found_sample *sample);

/* --- lines above stacks --- */

bool process_line_is_thread(struct stk_text line, struct found_sample *sample);
/* The number and the command of the process, of a line that names one. */
bool process_line_read_process(struct stk_text line, uint64_t *pid, struct stk_text *command);
bool process_line_is_date(struct stk_text line, int64_t *civil_ns);
/* "Process 812 stopped" of lldb, below which are threads with their leaf. */
bool process_line_is_stop(struct stk_text line);

/* --- lines of stacks --- */

bool process_line_is_frame(struct stk_text line);
/* Whether a line is surely a frame, whatever is above it; the text goes on at `next`. */
bool process_line_is_sure_frame(struct stk_text line, const char *next, const char *end);
/* A goroutine's frame is two lines: the call, and its place. */
bool process_line_is_call(struct stk_text line);
bool process_line_is_place(struct stk_text line);
bool process_line_is_mixed_frame(struct stk_text line);
bool process_line_is_dotnet_frame(struct stk_text line);
/* Callers that were left out. */
bool process_line_is_left_out(struct stk_text line);
/* What gdb's bt full prints where there is nothing to print. */
bool process_line_is_no_variables(struct stk_text line);

/* --- words --- */

static inline bool
take_words(struct stk_text *line, const char *words)
{
	size_t size = strlen(words);

	if (line->size < size || memcmp(line->data, words, size) != 0)
		return false;
	*line = text_of(line->data + size, line->size - size);
	return true;
}

static inline bool
take_number(struct stk_text *line, uint64_t *number)
{
	const char *at = line->data, *end = line->data + line->size;
	bool hex = text_starts(*line, "0x");

	if (!(hex ? scan_hex(&at, end, number) : scan_decimal(&at, end, number)))
		return false;
	*line = between(at, end);
	return true;
}

#endif
