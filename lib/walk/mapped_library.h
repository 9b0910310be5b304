/* SPDX-License-Identifier: MIT
 * mapped_library: the dynamic symbols of a library or a program that is mapped in a process. They are read as they are
 * in its memory, so no file is opened, and a process in a container or one whose files were replaced is read like any
 * other. */
#ifndef WALK_MAPPED_LIBRARY_H
#define WALK_MAPPED_LIBRARY_H

#include "stkpipe/error.h"
#include "walk/remote_memory.h"

#define MAPPED_TEXT_MAX 256u /* of a name, with its NUL */

struct mapped_library;

/* The first mapped file whose path is_it accepts; " (deleted)" is not part of a path. -1 (STK_EDATA): there is none, it
 * may not be read, or it has no symbols; *err says which, and calls it `what`. */
int mapped_library_open(struct mapped_library **out, struct remote_memory *memory, bool (*is_it)(const char *path),
			const char *what, struct stk_error *err) STK_MUST_CHECK;
void mapped_library_close(struct mapped_library *library);

const char *mapped_library_path(const struct mapped_library *library);

/* The next defined symbol, from *at = 0 on. False: there are no more. */
bool mapped_symbol(struct mapped_library *library, size_t *at, char name[MAPPED_TEXT_MAX], uint64_t *address);

/* Memory of the process that does not change: pages are kept. */
bool mapped_read(struct mapped_library *library, uint64_t from, void *to, size_t size);
/* False: it cannot be read, or is too long. */
bool mapped_text(struct mapped_library *library, uint64_t from, char text[MAPPED_TEXT_MAX]);

#endif
