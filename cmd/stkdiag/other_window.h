/* SPDX-License-Identifier: MIT
 * other_window: what --compare compares with. */
#ifndef STKDIAG_OTHER_WINDOW_H
#define STKDIAG_OTHER_WINDOW_H

#include "program/sample_choice.h"

#define OTHER_WINDOWS_MOST (OPTION_TEXTS_MOST + 1)

struct other_window {
	struct time_window own[OTHER_WINDOWS_MOST];			/* in order; what is compared with */
	struct time_window both[2 * OTHER_WINDOWS_MOST];		/* and those of the choice, in order */
	unsigned own_count, both_count;
	bool touches;							/* one begins where the other one ends */
};

/* text: FROM..TO, yesterday, last-week. A mistake ends the program. */
void other_window_read(struct other_window *other, const char *text, const struct sample_choice *choice);
/* The same samples of other windows. */
struct selection_options other_window_selection(const struct sample_choice *choice, const struct time_window *windows,
						unsigned count);

#endif
