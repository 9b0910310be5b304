/* SPDX-License-Identifier: MIT
 * stkplot: what the options say, and what is drawn. */
#ifndef STKPLOT_STKPLOT_H
#define STKPLOT_STKPLOT_H

#include <stdint.h>

struct plot_settings { const char *function; int64_t paths; };

int draw_graph(const struct plot_settings *settings, char **operands, int count);

#endif
