/* SPDX-License-Identifier: MIT
 * stkplot: the options, and the pictures. */
#ifndef STKPLOT_STKPLOT_H
#define STKPLOT_STKPLOT_H

#include <stdint.h>

struct plot_settings { const char *function; int64_t paths; };

int draw_graph(const struct plot_settings *settings, char **operands, int count);

#endif
