/* SPDX-License-Identifier: MIT
 * file_owners: owners of the source files of a program with probes, as the repository's CODEOWNERS file says. */
#ifndef STKPATH_FILE_OWNERS_H
#define STKPATH_FILE_OWNERS_H

#include "group/code_owners.h"

struct file_owners {			/* zeroed at first */
	struct code_owners *rules;
	char *root;			/* the folder of the repository */
	size_t asked, outside;		/* of functions: files; those not below the root */
};

/* root: the folder in which the repository was built; NULL: the one that has the CODEOWNERS file. */
int file_owners_open(struct file_owners *owners, const char *path, const char *root,
		     struct stk_error *err) STK_MUST_CHECK;
/* Who owns a file; "(none)": nobody. */
struct stk_text file_owners_of(struct file_owners *owners, struct stk_text file);
/* Says how many functions are of files outside of the repository; warns when all are. */
void file_owners_tell(const struct file_owners *owners);
void file_owners_release(struct file_owners *owners);

#endif
