/* SPDX-License-Identifier: MIT
 * report_windows: the section of stkplot report on when there were how many samples. */
#ifndef STKPLOT_REPORT_WINDOWS_H
#define STKPLOT_REPORT_WINDOWS_H

#include "plot/window_map.h"

/* With a sentence on what is drawn; what there is no room for is said, there and as a message. */
void report_windows_add(struct text_buffer *to, struct flame_tree *tree, const struct window_map_options *options);

/* What comes from a recording as ASCII: pictures have their names in UTF-8. */
void report_add_ascii(struct text_buffer *to, struct stk_text text);

#endif
