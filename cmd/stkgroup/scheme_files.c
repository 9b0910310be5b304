/* SPDX-License-Identifier: MIT
 * scheme_files: the search for schemes. */
#include "scheme_files.h"

#include "base/memory.h"

#include <dirent.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#define PATH_ROOM 4096

/* The folder of the program, without a slash at its end; "" when it is not known. */
static void
program_folder(char *to, size_t room)
{
	ssize_t size = readlink("/proc/self/exe", to, room - 1);
	char *slash;

	to[size < 0 ? 0 : size] = '\0';
	slash = strrchr(to, '/');
	if (slash != NULL)
		*slash = '\0';
}

/* The folders, in the order of their rank: 0, 1, 2; false behind the last. */
static bool
folder_of_rank(unsigned rank, char to[PATH_ROOM])
{
	static const char *const beside[] = { "/../share/stkpipe/schemes", "/../../schemes" };
	char program[PATH_ROOM - 64];
	const char *wished = getenv("STKPIPE_SCHEMES");

	to[0] = '\0';
	if (rank == 0) {
		if (wished != NULL)
			(void)snprintf(to, PATH_ROOM, "%s", wished);
		return true;
	}
	if (rank > sizeof beside / sizeof *beside)
		return false;
	program_folder(program, sizeof program);
	if (program[0] != '\0')
		(void)snprintf(to, PATH_ROOM, "%s%s", program, beside[rank - 1]);
	return true;
}

static char *
if_readable(const char *folder, size_t size, const char *name, const char *end)
{
	char path[PATH_ROOM];

	if (snprintf(path, sizeof path, "%.*s%s%s%s", (int)size, folder, size > 0 ? "/" : "", name, end) >= (int)sizeof path || access(path, R_OK) != 0)
		return NULL;
	return strdup(path);
}

char *
scheme_file_find(void *context, const char *name, const char *from)
{
	const char *slash = from == NULL ? NULL : strrchr(from, '/');
	char folder[PATH_ROOM], *found = NULL;

	(void)context;
	if (strcmp(name, "-") == 0)
		return strdup("-");
	if (*name != '/' && slash != NULL) {
		found = if_readable(from, (size_t)(slash - from), name, "");
		if (found == NULL)
			found = if_readable(from, (size_t)(slash - from), name, ".yaml");
	}
	if (found == NULL && (from == NULL || slash == NULL || *name == '/'))
		found = if_readable("", 0, name, "");
	for (unsigned rank = 0; found == NULL && strchr(name, '/') == NULL && folder_of_rank(rank, folder); rank++)
		if (*folder != '\0')
			found = if_readable(folder, strlen(folder), name, ".yaml");
	return found;
}

int
scheme_file_read(struct scheme **out, const char *name, struct stk_error *err)
{
	char *path = scheme_file_find(NULL, name, NULL);
	int result;

	*out = NULL;
	if (path == NULL)
		return stk_fail(err, STK_EUSAGE, "-s: there is no scheme '%s': expected a file, or a name that --list shows", name);
	result = scheme_read_file(out, path, scheme_file_find, NULL, err);
	free(path);
	return result;
}

static int
is_scheme(const struct dirent *entry)
{
	size_t size = strlen(entry->d_name);

	return size > 5 && entry->d_name[0] != '.' && strcmp(entry->d_name + size - 5, ".yaml") == 0;
}

char *
scheme_file_names(void)
{
	struct { char *at; size_t count, room; } names = { 0 };
	char folder[PATH_ROOM];

	for (unsigned rank = 0; folder_of_rank(rank, folder); rank++) {
		struct dirent **entries;
		int count = *folder == '\0' ? -1 : scandir(folder, &entries, is_scheme, alphasort);

		for (int i = 0; i < count; i++) {
			size_t size = strlen(entries[i]->d_name) - 5;

			array_reserve(&names, size + 1);
			memcpy(names.at + names.count, entries[i]->d_name, size);
			names.at[names.count + size] = '\n';
			names.count += size + 1;
			free(entries[i]);
		}
		if (count >= 0)
			free(entries);
	}
	*array_push(&names) = '\0';
	return names.at;
}
