/* SPDX-License-Identifier: MIT
 * typed_windows: windows and their bounds as users type them: "09:00..09:05", of which either end may be missing. */
#ifndef PROGRAM_TYPED_WINDOWS_H
#define PROGRAM_TYPED_WINDOWS_H

#include "program/sample_choice.h"
#include "timetree/recording.h"

/* Whether a text is a window rather than a file. */
bool looks_like_window(const char *text);

/* A bound of a window, clamped to the accepted times. -1 with *err. last: the latest time of the recording, on whose
 * day clock times are. */
int bound_parse(const char *text, const struct sample_choice *choice, int64_t last, int64_t *bound,
		struct stk_error *err) STK_MUST_CHECK;
/* "FROM..TO", either of which may be empty. */
int window_parse(const char *text, const struct sample_choice *choice, int64_t last, struct tree_interval *window,
		 struct stk_error *err) STK_MUST_CHECK;

#endif
