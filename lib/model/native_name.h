/* SPDX-License-Identifier: MIT
 * native_name: the names of mangled symbols of C++ (Itanium's ABI) and Rust (legacy and v0), by libiberty. */
#ifndef MODEL_NATIVE_NAME_H
#define MODEL_NATIVE_NAME_H

#include "base/text_buffer.h"

/* Adds the name. False, with nothing added: it is not such a symbol, or beyond the bounds of plain_name.h, or this
 * program was built without libiberty (HAVE_IBERTY). */
bool native_name_add(struct text_buffer *to, struct stk_text symbol);
bool native_name_is_built(void);
/* Whether a symbol is called so: the symbol itself, or its name, with parameters or without. */
bool native_name_is(struct stk_text symbol, struct stk_text name);

#endif
