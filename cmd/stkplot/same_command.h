/* SPDX-License-Identifier: MIT
 * same_command: the command that gives the numbers of a picture. */
#ifndef STKPLOT_SAME_COMMAND_H
#define STKPLOT_SAME_COMMAND_H

#include "base/text_buffer.h"
#include "program/options.h"

/* The options of a command line that all filters have, as they were typed. windows: also those about time, and
 * --samples, which only some have. */
void same_command_begin(struct text_buffer *to, int argc, char **argv, bool windows);
void same_command_word(struct text_buffer *to, const char *word);
/* " --NAME VALUE", unless the value is NULL. */
void same_command_option(struct text_buffer *to, const char *name, const char *value);
void same_command_operands(struct text_buffer *to, char **operands, int count);
/* The difference between the operands and other files or windows, or between windows of these. */
void same_command_diff(struct text_buffer *to, char **operands, int count,
		       const struct option_lists *others);

#endif
