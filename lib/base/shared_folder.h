/* SPDX-License-Identifier: MIT
 * shared_folder: writing in a folder such as /tmp, sticky and open to all, where anybody may have put something under
 * the name that we are about to use: a link to a file of ours, a pipe, a file that they can read. There only what
 * belongs to us, or to the folder's owner, is written to: nobody else can replace that. In other folders nothing is
 * checked. The kernel does the same where fs.protected_symlinks, protected_fifos and protected_regular are set. */
#ifndef BASE_SHARED_FOLDER_H
#define BASE_SHARED_FOLDER_H

#include "stkpipe/error.h"

#include <stdbool.h>
#include <sys/stat.h>

/* As open_file. -1: *err names the path. */
int shared_folder_open(const char *path, int flags, mode_t mode, struct stk_error *err) STK_MUST_CHECK;

/* Whether what is at this path, and was found to be so, may be written to or replaced; else *err says why. */
bool shared_folder_allows(const char *path, const struct stat *is, struct stk_error *err);
/* Whether this may be followed if it is a link. */
bool shared_folder_may_follow(const char *path);

#endif
