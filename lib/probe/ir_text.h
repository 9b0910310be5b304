/* SPDX-License-Identifier: MIT
 * ir_text: pieces of a line of LLVM's assembly language: names, words, labels. */
#ifndef PROBE_IR_TEXT_H
#define PROBE_IR_TEXT_H

#include "base/text_buffer.h"
#include "stkpipe/rows.h"

#include <stdbool.h>

bool ir_starts(struct stk_text text, const char *with);
struct stk_text ir_skip_blanks(struct stk_text text);
/* What is left of the text from a place in it. */
struct stk_text ir_from(struct stk_text text, const char *at);
bool ir_name_char(char c);

/* A name after % or @, or before the colon of a label: plain, or in quotes. Empty: there is none. *behind is what
 * follows. */
struct stk_text ir_take_name(struct stk_text text, struct stk_text *behind);

/* What a name in quotes means: "\C3\A4.c" is two bytes and ".c"; a NUL stays as it is written. A first \01 only keeps a
 * function's name from being changed, and is none of it. */
void ir_add_meant(struct text_buffer *to, struct stk_text name);

/* Where a word begins in the text, outside quotes and comments; NULL. */
const char *ir_find_word(struct stk_text text, const char *word);
bool ir_has_char(struct stk_text text, char c);

/* "while.body:    ; preds = %entry": the label's name; false when the line is not a label. */
bool ir_is_label(struct stk_text line, struct stk_text *name);
/* The result's name of "%x = ..."; false: it has none. */
bool ir_result(struct stk_text line, struct stk_text *name);
/* The text after "%x = ", or all of the instruction. */
struct stk_text ir_right_side(struct stk_text line);
/* The instruction's name, after "%x = ", when it is one that ends a block; NULL. */
const char *ir_terminator(struct stk_text line);

/* The name of the function that an instruction calls or invokes by name, as it is written. False: it calls none, or one
 * of LLVM's own. */
bool ir_called_name(struct stk_text line, struct stk_text *name);

/* What only debuggers read: a call of llvm.dbg, a record. */
bool ir_is_debug(struct stk_text line);

#endif
