/* SPDX-License-Identifier: MIT
 * thread_svg: threads over time as a still picture: findings first, then pools and threads, each with a title that says
 * how many samples of which state it has. At most LINES lines of parts of 3 pixels, however long the recording is. */
#ifndef PLOT_THREAD_SVG_H
#define PLOT_THREAD_SVG_H

#include "plot/thread_lines.h"

#define THREAD_SVG_WIDTH 1200
#define THREAD_SVG_LINES 60

/* The rules of style of its classes, for a page that the picture is part of. */
extern const char thread_svg_style[];

/* inside: a part of a page, which has the style and says the title. Returns how many threads are not in it. */
uint64_t thread_svg_add(struct text_buffer *to, const struct thread_picture *picture, bool inside);

/* What pictures of time share: times on top, marks of findings. Each returns the height that it used. */
void svg_add_opening(struct text_buffer *to, const struct thread_picture *picture, unsigned high, bool inside,
		     const char *about);
unsigned svg_add_times(struct text_buffer *to, const struct thread_picture *picture, unsigned top, unsigned high);
unsigned svg_add_findings(struct text_buffer *to, const struct thread_picture *picture, unsigned top);
/* How many of these there are; and where a moment is. */
size_t svg_findings(const struct thread_picture *picture);
double svg_place(const struct thread_picture *picture, double ns);
/* Beside a line, its middle left out where it is too long. */
void svg_add_label(struct text_buffer *to, struct stk_text label, unsigned top);

#endif
