/* SPDX-License-Identifier: MIT
 * code_owners: who owns a file of a repository, as its CODEOWNERS file says. */
#ifndef GROUP_CODE_OWNERS_H
#define GROUP_CODE_OWNERS_H

#include "stkpipe/error.h"
#include "stkpipe/rows.h"

struct code_owners;

/* -1 with *err, and *out NULL: the file cannot be read. */
int code_owners_open(struct code_owners **out, const char *path, struct stk_error *err) STK_MUST_CHECK;
/* NULL does nothing. */
void code_owners_close(struct code_owners *owners);
/* The first owner of the last rule that matches a path in the repository; empty: nobody. Valid until the close. */
struct stk_text code_owners_of(const struct code_owners *owners, const char *path);

/* What is below a folder of an absolute path; NULL: it is not below it. */
const char *path_below(const char *path, const char *folder);

#endif
