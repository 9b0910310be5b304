/* SPDX-License-Identifier: MIT
 * scheme_generator: a scheme with a group for each package or module that samples are in. */
#ifndef GROUP_SCHEME_GENERATOR_H
#define GROUP_SCHEME_GENERATOR_H

#include "base/text_buffer.h"
#include "group/scheme_update.h"
#include "model/model.h"

struct scheme_generator;

enum generated_groups { GENERATE_PACKAGES, GENERATE_MODULES };

void scheme_generator_open(struct scheme_generator **out, enum generated_groups of);
/* Leaves out what is of the Java platform: then a sample belongs to the package nearest to its leaf that is not. */
void scheme_generator_skip_platform(struct scheme_generator *generator);
/* NULL does nothing. */
void scheme_generator_close(struct scheme_generator *generator);

/* Notes the packages or modules of the frames of a stack. */
void scheme_generator_add(struct scheme_generator *generator, const struct model *model, uint64_t stack,
			  uint64_t weight);

/* How many packages or modules were noted. */
size_t scheme_generator_names(const struct scheme_generator *generator);

/* Adds the scheme in YAML to a text; or, with an existing scheme, the groups that it does not have to that. -1 with
 * *err: its groups are in a list to which none can be added. */
int scheme_generator_print(struct scheme_generator *generator, struct scheme_update *update, struct text_buffer *to,
			   struct stk_error *err) STK_MUST_CHECK;

#endif
