/* SPDX-License-Identifier: MIT
 * scheme_update: the text of an existing scheme with groups and members added, and everything else as it was. */
#ifndef GROUP_SCHEME_UPDATE_H
#define GROUP_SCHEME_UPDATE_H

#include "base/config_text.h"
#include "base/text_buffer.h"
#include "group/scheme_files.h"

struct scheme_update;

/* folders: where what the scheme includes by name is. -1 with *err: it cannot be read; *out is then NULL. */
int  scheme_update_open(struct scheme_update **out, const char *path, const struct scheme_folders *folders,
			struct stk_error *err) STK_MUST_CHECK;
/* NULL does nothing. */
void scheme_update_close(struct scheme_update *update);

/* Whether the scheme, or one that it includes, has a group of this name anywhere. */
bool scheme_update_has_group(const struct scheme_update *update, struct stk_text name);
/* Whether the file has a text as a value; or a list of these and no others. */
bool scheme_update_has_text(const struct scheme_update *update, struct stk_text text);
bool scheme_update_has_list(const struct scheme_update *update, const struct stk_text *texts, size_t count);

/* The group in the file that is called so; or that has a member with this file, and with this method if it is not
 * empty. NULL: none. */
const struct config_node *scheme_update_group(const struct scheme_update *update, struct stk_text name);
const struct config_node *scheme_update_group_of_file(const struct scheme_update *update, struct stk_text file,
						      struct stk_text method);

/* Adds a group, whose lines of YAML begin with "- ", at the end of a list of the scheme: "groups" or "siblings"; it
 * gets one if it has none. Adds a line, "- member", before the members of a group. -1 with *err: the list is written
 * in a form to which no line can be added. */
int scheme_update_add_group(struct scheme_update *update, const char *list, struct stk_text lines,
			    struct stk_error *err) STK_MUST_CHECK;
int scheme_update_add_member(struct scheme_update *update, const struct config_node *group, struct stk_text line,
			     struct stk_error *err) STK_MUST_CHECK;

/* The list in which the scheme has its groups: "siblings", unless it has "groups" and no such list. */
const char *scheme_update_list(const struct scheme_update *update);

/* The whole new text. */
void scheme_update_print(struct scheme_update *update, struct text_buffer *to);

#endif
