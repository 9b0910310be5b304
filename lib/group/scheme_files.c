/* SPDX-License-Identifier: MIT
 * scheme_files: the search for schemes. */
#include "group/scheme_files.h"

#include "base/host.h"
#include "base/memory.h"

#include <dirent.h>
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#define PATH_ROOM 4096

static char *
if_readable(const char *folder, size_t size, const char *name, const char *end)
{
	char path[PATH_ROOM];

	if (snprintf(path, sizeof path, "%.*s%s%s%s", (int)size, folder, size > 0 ? "/" : "", name,
		     end) >= (int)sizeof path)
		return NULL;
	return access(path, R_OK) == 0 ? mem_string(path) : NULL;
}

static char *
find_in_folders(const struct scheme_folders *folders, const char *name)
{
	char *found = NULL;

	for (unsigned i = 0; found == NULL && strchr(name, '/') == NULL && i < folders->count; i++)
		if (*folders->paths[i] != '\0')
			found = if_readable(folders->paths[i], strlen(folders->paths[i]), name, ".yaml");
	return found;
}

char *
scheme_file_find(void *context, const char *name, const char *from)
{
	const struct scheme_folders *folders = context;
	const char *slash = from == NULL ? NULL : strrchr(from, '/');
	char *found = NULL;

	if (strcmp(name, "-") == 0)
		return mem_string("-");
	if (*name != '/' && slash != NULL) {
		found = if_readable(from, (size_t)(slash - from), name, "");
		if (found == NULL)
			found = if_readable(from, (size_t)(slash - from), name, ".yaml");
	}
	if (found == NULL && (from == NULL || slash == NULL || *name == '/'))
		found = if_readable("", 0, name, "");
	return found != NULL ? found : find_in_folders(folders, name);
}

char *
scheme_name_find(void *context, const char *name, const char *from)
{
	(void)from;
	return find_in_folders(context, name);
}

int
scheme_file_read(struct scheme **out, const char *name, const struct scheme_folders *folders, struct stk_error *err)
{
	void *context = (void *)(uintptr_t)folders;
	char *path = scheme_file_find(context, name, NULL);
	int result;

	*out = NULL;
	if (path == NULL)
		return stk_fail(err, STK_EUSAGE,
				"-s: there is no scheme '%s': expected a file, or a name that --list shows",
				name);
	result = scheme_read_file(out, path, scheme_file_find, context, err);
	free(path);
	return result;
}

static int
is_scheme(const struct dirent *entry)
{
	size_t size = strlen(entry->d_name);

	return size > 5 && entry->d_name[0] != '.' && strcmp(entry->d_name + size - 5, ".yaml") == 0;
}

struct names { ARRAY(char) text; };

static void
add_names(struct names *names, const char *folder)
{
	struct dirent **entries;
	int count = scandir(folder, &entries, is_scheme, alphasort);

	if (count < 0 && errno == ENOMEM)
		host_out_of_memory(1, sizeof **entries);

	for (int i = 0; i < count; i++) {
		size_t size = strlen(entries[i]->d_name) - 5;

		array_reserve(&names->text, size + 1);
		memcpy(names->text.at + names->text.count, entries[i]->d_name, size);
		names->text.at[names->text.count + size] = '\n';
		names->text.count += size + 1;
		free(entries[i]);
	}
	if (count >= 0)
		free(entries);
}

char *
scheme_file_names(const struct scheme_folders *folders)
{
	struct names names = { 0 };

	for (unsigned i = 0; i < folders->count; i++)
		if (*folders->paths[i] != '\0')
			add_names(&names, folders->paths[i]);
	*array_push(&names.text) = '\0';
	return names.text.at;
}
