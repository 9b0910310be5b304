/* SPDX-License-Identifier: MIT
 * lock_picture: the locks that threads waited for in the end, over time, those that cost most first; as a still picture
 * or as lines of text, with who waits for whom when most did. */
#ifndef PLOT_LOCK_PICTURE_H
#define PLOT_LOCK_PICTURE_H

#include "plot/flame_terminal.h"
#include "plot/thread_lines.h"

/* Each returns how many locks are not in it. */
uint64_t lock_terminal_add(struct text_buffer *to, const struct thread_picture *picture, enum flame_colours colours);
uint64_t lock_svg_add(struct text_buffer *to, const struct thread_picture *picture);

#endif
