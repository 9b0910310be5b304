/* SPDX-License-Identifier: MIT
 * plot_forms: which form a picture gets, and the options that each form has. */
#ifndef STKPLOT_PLOT_FORMS_H
#define STKPLOT_PLOT_FORMS_H

#include "stkplot.h"

#include "plot/flame_terminal.h"
#include "program/filter.h"
#include "program/printing.h"

enum plot_form { FORM_HTML, FORM_SVG, FORM_TERM };

/* As -f says, else by the name of the output, else a drawing for a terminal and a page for everything else. Still
 * pictures and drawings are there only when `still`. */
enum plot_form plot_form(const struct filter *filter, bool still);
/* Options that a form does not have end the program. */
void plot_check_form(const struct plot_settings *settings, enum plot_form form, const struct filter *filter,
		     int least_pixels);
/* So does a palette for a terminal without colours. */
void plot_check_palette(void);
/* What the terminal has, as far as its variables say. */
enum flame_colours plot_colours(bool any);

/* What a flame graph in a terminal had no room for, of all that was counted. */
void plot_remark_undrawn(struct printer *printer, const struct flame_undrawn *undrawn, uint64_t whole,
			 const char *unit);

#endif
