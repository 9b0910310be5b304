/* SPDX-License-Identifier: MIT
 * file_groups: finds files in a repository, and their owners. */
#include "file_groups.h"

#include "covered_functions.h"

#include "base/bytes.h"
#include "base/memory.h"
#include "program/program.h"

#include <stdlib.h>
#include <string.h>

/* The folder of the repository: CODEOWNERS is there, or in one of these folders of it. */
static void
cut_to_root(char *path)
{
	static const char *const folders[] = { "/.github", "/.gitlab", "/.bitbucket", "/docs" };

	*strrchr(path, '/') = '\0';
	for (size_t i = 0; i < sizeof folders / sizeof *folders; i++) {
		size_t length = strlen(path), ending = strlen(folders[i]);

		if (length >= ending && strcmp(path + length - ending, folders[i]) == 0) {
			path[length - ending] = '\0';
			return;
		}
	}
}

int
file_owners_open(struct file_owners *owners, const char *path, const char *root, struct stk_error *err)
{
	char *real = NULL;

	if (code_owners_open(&owners->rules, path, err) < 0)
		return -1;
	if (root != NULL) {
		owners->root = mem_string(root);
		return 0;
	}
	real = realpath(path, NULL);
	if (real == NULL)
		return stk_fail_errno(err, "cannot find the folder of %s", path);
	cut_to_root(real);
	owners->root = real;
	return 0;
}

static struct stk_text
owner_of(struct file_owners *owners, struct stk_text file, size_t functions)
{
	char *path = mem_new(file.size + 1, 1);
	const char *below = path;
	struct stk_text owner = text_of("", 0);

	if (file.size > 0)
		memcpy(path, file.data, file.size);
	owners->asked += functions;
	if (*path == '/')
		below = path_below(path, owners->root);
	if (below == NULL)
		owners->outside += functions;
	else
		owner = code_owners_of(owners->rules, below);
	free(path);
	return owner.size > 0 ? owner : text_from("(none)");
}

struct stk_text
file_group(struct file_owners *owners, const char *by, struct stk_text file, size_t functions)
{
	return strcmp(by, "owner") == 0 ? owner_of(owners, file, functions)
	       : strcmp(by, "folder") == 0 ? covered_folder(file)
					   : file;
}

void
file_owners_tell(const struct file_owners *owners)
{
	if (owners->outside == 0)
		return;
	if (owners->outside < owners->asked)
		program_say("%zu of %zu functions are of files outside of %s, and have no owner", owners->outside,
			    owners->asked, owners->root);
	else
		program_warn("no function is of a file in %s: with --root name the folder that the repository was built in",
			     owners->root);
}

void
file_owners_release(struct file_owners *owners)
{
	code_owners_close(owners->rules);
	free(owners->root);
}
