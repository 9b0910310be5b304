/* SPDX-License-Identifier: MIT
 * printing: what texts for people are set for, by --width, COLUMNS or the terminal, and by --color or NO_COLOR. */
#ifndef PROGRAM_PRINTING_H
#define PROGRAM_PRINTING_H

#include "report/printer.h"

/* An empty printer to an output that is open. */
struct printer printer_to(struct output *output);

/* Whether the terminal shows the blocks of Unicode, as far as its locale tells. */
bool printing_shows_blocks(void);

#endif
