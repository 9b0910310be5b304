/* SPDX-License-Identifier: MIT
 * progress: one line on stderr that shows how far we are: on a terminal drawn a few times a second, into a log now and
 * then. One a process. */
#ifndef PROGRAM_PROGRESS_H
#define PROGRAM_PROGRESS_H

#include <stdbool.h>
#include <stdint.h>

enum progress_when { PROGRESS_NEVER, PROGRESS_ON_TERMINAL, PROGRESS_ALWAYS };

/* What the line begins with (borrowed), and when it is shown. Until then: never. */
void progress_set(const char *name, enum progress_when when);

void progress_begin(int64_t total_bytes);		/* -1 when the total is not known */
void progress_add(int64_t bytes, int64_t rows);		/* cheap, from any thread; call it once a chunk */
void progress_end(void);
void progress_hide(void);				/* takes the line off the terminal, so that a message can be
							 * there; it comes back */

#endif
