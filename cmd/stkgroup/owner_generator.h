/* SPDX-License-Identifier: MIT
 * owner_generator: a scheme whose groups are owners of source files: as a CODEOWNERS file says, or as git's history shows. */
#ifndef STKGROUP_OWNER_GENERATOR_H
#define STKGROUP_OWNER_GENERATOR_H

#include "base/text_buffer.h"
#include "model/model.h"

struct owner_generator;

void owner_generator_open(struct owner_generator **out);
void owner_generator_close(struct owner_generator *generator);
/* Notes the files that the frames of a stack are in. */
void owner_generator_add(struct owner_generator *generator, const struct model *model, uint64_t stack);

/* root: the folder in the repository below which packages are, or "". -1 with *err. */
int owner_generator_print_codeowners(struct owner_generator *generator, const char *path, const char *root, struct text_buffer *to, struct stk_error *err) STK_MUST_CHECK;
/* The team of a file is the e-mail domain of who changed it most often, of equals who changed it last; .mailmap is heeded. */
int owner_generator_print_git(struct owner_generator *generator, const char *repository, const char *root, struct text_buffer *to, struct stk_error *err) STK_MUST_CHECK;

#endif
