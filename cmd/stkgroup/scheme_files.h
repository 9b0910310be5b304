/* SPDX-License-Identifier: MIT
 * scheme_files: where schemes are: a file; or by name in STKPIPE_SCHEMES, beside the program's share folder, or in the source tree it was built in. */
#ifndef STKGROUP_SCHEME_FILES_H
#define STKGROUP_SCHEME_FILES_H

#include "group/scheme.h"

/* The file of a scheme, malloc'ed; NULL when there is none. from: the file that includes it, or NULL. */
char *scheme_file_find(void *context, const char *name, const char *from);

/* A scheme by file or name. -1 with *err. */
int scheme_file_read(struct scheme **out, const char *name, struct stk_error *err) STK_MUST_CHECK;

/* The names of the schemes that come with the program, in order, one a line, to be freed. */
char *scheme_file_names(void);

#endif
