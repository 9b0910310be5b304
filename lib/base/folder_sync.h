/* SPDX-License-Identifier: MIT
 * folder_sync: a name that a file got is on the disk. Without it, the name may be what it was before when the power
 * fails, although the file was synced. */
#ifndef BASE_FOLDER_SYNC_H
#define BASE_FOLDER_SYNC_H

#include "stkpipe/error.h"

/* Before the file at this path gets its name: opens the folder. *folder is -1 for one that we may not read, which keeps
 * its own pace. -1: it cannot be opened, and nothing has changed yet. */
int folder_open(int *folder, const char *path, struct stk_error *err) STK_MUST_CHECK;
/* And then, which closes it. -1: the disk refused, and *err says that the file is there all the same. */
int folder_sync(int folder, const char *path, struct stk_error *err) STK_MUST_CHECK;
/* Or instead, when nothing was renamed. */
void folder_close(int folder);

#endif
