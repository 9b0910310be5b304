/* SPDX-License-Identifier: MIT
 * file_groups: sums by file, folder or owner: owners of source files are those of a CODEOWNERS file. */
#ifndef STKPATH_FILE_GROUPS_H
#define STKPATH_FILE_GROUPS_H

#include "group/code_owners.h"

struct file_owners {			/* zeroed at first */
	struct code_owners *rules;
	char *root;			/* the folder of the repository */
	size_t asked, outside;		/* of functions: files; those not below the root */
};

/* root: the folder in which the repository was built; NULL: the one that has the CODEOWNERS file. */
int file_owners_open(struct file_owners *owners, const char *path, const char *root,
		     struct stk_error *err) STK_MUST_CHECK;
/* What the sums of functions of a file are added to: the file itself, its folder, or its owner, "(none)" for nobody. */
struct stk_text file_group(struct file_owners *owners, const char *by, struct stk_text file, size_t functions);
/* Says how many functions are of files outside of the repository; warns when all are. */
void file_owners_tell(const struct file_owners *owners);
void file_owners_release(struct file_owners *owners);

#endif
