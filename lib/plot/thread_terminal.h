/* SPDX-License-Identifier: MIT
 * thread_terminal: threads over time as lines of letters, one a state. */
#ifndef PLOT_THREAD_TERMINAL_H
#define PLOT_THREAD_TERMINAL_H

#include "plot/flame_terminal.h"
#include "plot/thread_lines.h"

/* The lines of findings, then pools and threads. Returns how many threads are not in it. */
uint64_t thread_terminal_add(struct text_buffer *to, const struct thread_picture *picture, enum flame_colours colours);

/* How many parts of the time it has. */
size_t thread_terminal_columns(const struct thread_picture *picture);

/* A label in `room` columns; what does not fit is left out in its middle. */
void add_label_fitted(struct text_buffer *to, struct stk_text label, size_t room);
/* Black letters on a fill follow. */
void add_fill_colour(struct text_buffer *to, enum flame_colours colours, const struct palette_fill *fill);
/* The times at which parts begin, in a line of `width` letters after `margin` blanks. */
void add_time_line(struct text_buffer *to, const struct thread_picture *picture, size_t margin, size_t width);

#endif
