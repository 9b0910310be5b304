/* SPDX-License-Identifier: MIT
 * top_terminal: a whole screen of the terminal, and its keys, while standard input is a stream. However the program
 * ends, by a signal too, the terminal is as it was; ^Z leaves the screen, and fg comes back to it. What is printed to
 * standard error meanwhile is shown afterwards, if that is the same terminal. */
#ifndef STKPLOT_TOP_TERMINAL_H
#define STKPLOT_TOP_TERMINAL_H

#include "base/text_buffer.h"
#include "stkpipe/error.h"

enum top_key {		/* others are characters */
	TOP_KEY_NONE = 0, TOP_KEY_ESCAPE = 27, TOP_KEY_BACKSPACE = 127,
	TOP_KEY_UP = 0x110000, TOP_KEY_DOWN, TOP_KEY_LEFT, TOP_KEY_RIGHT, TOP_KEY_PAGE_UP, TOP_KEY_PAGE_DOWN,
	TOP_KEY_HOME, TOP_KEY_END, TOP_KEY_RESIZE, TOP_KEY_GONE	/* the terminal is not there any more */
};

/* -1 (STK_EUSAGE): standard output is not a terminal, or there is none for keys. */
int top_terminal_open(struct stk_error *err) STK_MUST_CHECK;
/* Does nothing when it is not open. */
void top_terminal_close(void);

void top_terminal_size(unsigned *columns, unsigned *lines);
/* Waits for a key, at most so long. */
int top_terminal_key(int patience_ms);
/* The whole screen. */
void top_terminal_show(const struct text_buffer *screen);

#endif
