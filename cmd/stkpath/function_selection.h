/* SPDX-License-Identifier: MIT
 * function_selection: which functions of a module are to have probes: by name, by the file or folder of their source,
 * by the lines that a change touched. */
#ifndef STKPATH_FUNCTION_SELECTION_H
#define STKPATH_FUNCTION_SELECTION_H

#include "probe/llvm_ir.h"
#include "program/options.h"

struct function_selection;

/* sources: borrowed; none is all. changed: a file of differences as diff -u and git diff write them; NULL: all lines.
 * -1 (STK_EUSAGE, STK_ESYSTEM). */
int function_selection_open(struct function_selection **out, const struct option_texts *sources, const char *changed,
			    struct stk_error *err) STK_MUST_CHECK;
void function_selection_close(struct function_selection *selection);
bool function_selection_has(const struct function_selection *selection, const struct ir_function *function);

/* Whether people may call the function so: by its linker name, or, in C++ and Rust, as the source has it, with its
 * parameters or without. */
bool function_is_called(const struct ir_function *function, struct stk_text name);
/* The next of names with commas between; those within parentheses and brackets are part of a name. */
struct stk_text take_function_name(struct stk_text *names);

#endif
