/* SPDX-License-Identifier: MIT
 * code_owners: the rules of a CODEOWNERS file, which are like those of gitignore. */
#include "group/code_owners.h"

#include "base/array.h"
#include "base/bytes.h"
#include "base/memory.h"
#include "base/text_table.h"

#include <fnmatch.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

struct rule { char *pattern; struct stk_text owner; };	/* owner: empty: nobody */

struct code_owners {
	ARRAY(struct rule) list;
	struct text_table texts;
};

/* As in gitignore: a slash before the end anchors to the top, one at the end means everything below; an absolute path
 * may have any beginning. */
static bool
rule_matches(const char *pattern, const char *path)
{
	char anchored[1024];
	size_t size = strlen(pattern);
	bool folder = size > 0 && pattern[size - 1] == '/';
	bool top = *pattern == '/' || (strchr(pattern, '/') != NULL && strchr(pattern, '/') != pattern + size - 1);

	while (*path == '/' && !top)
		path++;
	if (snprintf(anchored, sizeof anchored, "%s%s%s", top ? "" : "*/", *pattern == '/' ? pattern + 1 : pattern,
		     folder ? "*" : "") >= (int)sizeof anchored)
		return false;
	if (fnmatch(anchored, path, top && strstr(pattern, "**") == NULL && !folder ? FNM_PATHNAME : 0) == 0 ||
	    (!top && fnmatch(anchored + 2, path, 0) == 0))
		return true;
	if (*path == '/' && fnmatch(anchored, path + 1, 0) == 0)
		return true;
	/* a star as the last part: what is directly in a folder, not what is in folders of it, unlike in gitignore */
	if (folder || (top && size > 1 && strcmp(pattern + size - 2, "/*") == 0) ||
	    snprintf(anchored, sizeof anchored, "%s%s/*", top ? "" : "*/",
			       *pattern == '/' ? pattern + 1 : pattern) >= (int)sizeof anchored)
		return false;
	/* a folder without its slash */
	return fnmatch(anchored, path, 0) == 0 || (!top && fnmatch(anchored + 2, path, 0) == 0);
}

static void
add_rule(struct code_owners *owners, char *line)
{
	char *rest = line, *pattern = strsep(&rest, " \t\n"), *owner = NULL;
	struct stk_text kept = text_of("", 0);

	while (rest != NULL && (owner = strsep(&rest, " \t\n")) != NULL && *owner == '\0')
		;
	if (*pattern == '\0' || *pattern == '#' || *pattern == '[')
		return;
	if (owner != NULL && *owner != '\0' && *owner != '#')
		kept = text_table_text(&owners->texts, text_table_number(&owners->texts, text_from(owner)));
	*array_push(&owners->list) = (struct rule){ mem_string(pattern), kept };
}

int
code_owners_open(struct code_owners **out, const char *path, struct stk_error *err)
{
	struct code_owners *owners = NULL;
	FILE *file = fopen(path, "r");
	char *line = NULL;
	size_t room = 0;
	int result = 0;

	*out = NULL;
	if (file == NULL)
		return stk_fail_errno(err, "cannot open %s", path);
	owners = mem_new(1, sizeof *owners);
	while (mem_line(&line, &room, file) >= 0)
		add_rule(owners, line);
	if (ferror(file))
		result = stk_fail_errno(err, "cannot read %s", path);
	free(line);
	fclose(file);
	if (result == 0)
		*out = owners;
	else
		code_owners_close(owners);
	return result;
}

void
code_owners_close(struct code_owners *owners)
{
	if (owners == NULL)
		return;
	for (size_t r = 0; r < owners->list.count; r++)
		free(owners->list.at[r].pattern);
	array_release(&owners->list);
	text_table_release(&owners->texts);
	free(owners);
}

struct stk_text
code_owners_of(const struct code_owners *owners, const char *path)
{
	for (size_t r = owners->list.count; r-- > 0; )
		if (rule_matches(owners->list.at[r].pattern, path))
			return owners->list.at[r].owner;
	return text_of("", 0);
}

const char *
path_below(const char *path, const char *folder)
{
	size_t length = strlen(folder);

	while (length > 0 && folder[length - 1] == '/')
		length--;
	return strncmp(path, folder, length) == 0 && path[length] == '/' ? path + length + 1 : NULL;
}

