/* SPDX-License-Identifier: MIT
 * calm_lines: passes over the lines of a thread's stack at memory speed. Such a line is empty or indented; the next
 * that is neither is the next thread's header, the end of the dump, or something that another program wrote in
 * between. */
#ifndef INGEST_CALM_LINES_H
#define INGEST_CALM_LINES_H

#include <stdint.h>

/* The first place in [from, end) where a newline is followed by a byte above ' ': a pointer to that newline, or end
 * when there is none.
 * *lines is raised by the newlines before that place, the one pointed at not included (all newlines when there is
 * none). */
const char *calm_lines_end(const char *from, const char *end, uint32_t *lines);

#endif
