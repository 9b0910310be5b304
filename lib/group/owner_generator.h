/* SPDX-License-Identifier: MIT
 * owner_generator: a scheme whose groups are owners of source files: as a CODEOWNERS file says, or as the history of a
 * repository shows. */
#ifndef GROUP_OWNER_GENERATOR_H
#define GROUP_OWNER_GENERATOR_H

#include "base/text_buffer.h"
#include "group/file_history.h"
#include "group/scheme_update.h"
#include "model/model.h"

struct owner_generator;

void owner_generator_open(struct owner_generator **out);
/* NULL does nothing. */
void owner_generator_close(struct owner_generator *generator);

/* Notes the files that the frames of a stack are in. */
void owner_generator_add(struct owner_generator *generator, const struct model *model, uint64_t stack);
/* How many files were noted. */
size_t owner_generator_files(const struct owner_generator *generator);

/* These add the scheme in YAML to a text, or, with an existing scheme, what that does not have to that: new files to
 * the group of their owner, which is the one that is called so or has another of the owner's files, and groups of new
 * owners. They return how many of the files have an owner. root: the folder of the repository that packages are below,
 * or "". -1 with *err: nothing can be added to the existing scheme, or, by a CODEOWNERS file, of which the last rule
 * that matches decides: it cannot be read. */
int owner_generator_print_codeowners(struct owner_generator *generator, const char *path, const char *root,
				     struct scheme_update *update, struct text_buffer *to, size_t *owned,
				     struct stk_error *err) STK_MUST_CHECK;
/* By who changed a file most often. Takes time proportional to the number of files times that of changes. */
int owner_generator_print_history(const struct owner_generator *generator, const struct file_history *history,
				  const char *root, struct scheme_update *update, struct text_buffer *to,
				  size_t *owned, struct stk_error *err) STK_MUST_CHECK;

#endif
