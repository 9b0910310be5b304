/* SPDX-License-Identifier: MIT
 * scheme_files: where schemes are: a file by its path, or NAME.yaml in one of some folders. */
#ifndef GROUP_SCHEME_FILES_H
#define GROUP_SCHEME_FILES_H

#include "group/scheme.h"

/* Where schemes are looked for by name, in this order. Borrowed; an empty path is left out. */
struct scheme_folders {
	const char *const *paths;
	unsigned count;
};

/* The file of a scheme, malloc'ed; NULL when there is none. from: the file that includes it, or NULL. A
 * scheme_find_function whose context is a struct scheme_folders. */
char *scheme_file_find(void *folders, const char *name, const char *from);

/* The same for a scheme of a stream, which anybody may have written: a name in the folders, and no file of its
 * choice. */
char *scheme_name_find(void *folders, const char *name, const char *from);

/* A scheme by file or name. -1 with *err and *out NULL. */
int scheme_file_read(struct scheme **out, const char *name, const struct scheme_folders *folders,
		     struct stk_error *err) STK_MUST_CHECK;

/* The names of the schemes in the folders, in order, one a line, to be freed. */
char *scheme_file_names(const struct scheme_folders *folders);

#endif
