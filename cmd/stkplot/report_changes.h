/* SPDX-License-Identifier: MIT
 * report_changes: what threads did during the worst finding against as long before it. */
#ifndef STKPLOT_REPORT_CHANGES_H
#define STKPLOT_REPORT_CHANGES_H

#include "diff_counts.h"

#include "plot/palette.h"
#include "plot/thread_lines.h"

#define CHANGES_WINDOW_MOST (2 * TIME_TEXT_MAX + 4)

struct report_changes {
	uint32_t number; /* of the finding's line; 0: none has a time before it */
	char windows[2][CHANGES_WINDOW_MOST]; /* as --diff takes them */
	struct option_lists words;
	struct diff_counts counts;
	bool counted;
	enum palette palette;
};

/* Looks for the worst finding that does not begin with the recording, and compares. Operands that cannot be read again,
 * such as pipes, leave number at 0; so does a failure, which is reported. */
void report_changes_make(struct report_changes *out, const struct plot_settings *settings,
			 const struct thread_picture *picture, char **operands, int count);
void report_changes_release(struct report_changes *changes);
/* A sentence, a table of functions and a picture, which needs report_page_source; and the command that shows more. */
void report_changes_add(struct text_buffer *to, struct report_changes *changes);
void report_changes_add_command(struct text_buffer *to, const struct report_changes *changes);

#endif
