/* SPDX-License-Identifier: MIT
 * old_files: --keep: of the files that a pattern made, the latest stay. */
#ifndef STKCAP_OLD_FILES_H
#define STKCAP_OLD_FILES_H

#include "capture_files.h"

/* Removes what the plan does not keep beside the present file. A file is removed only when it is a record stream, the pattern can have made its name, and no
 * capture holds it; others do not count either. */
void old_files_remove(const struct file_plan *plan, const char *present, int64_t present_bytes);

#endif
