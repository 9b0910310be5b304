/* SPDX-License-Identifier: MIT
 * file_list: operands become a flat list of files; declared in input.h. */
#include "base/arena.h"
#include "base/array.h"
#include "base/input.h"
#include "base/open_file.h"

#include <dirent.h>
#include <errno.h>
#include <stdio.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

typedef ARRAY(char *) name_array;

struct file_list {
	struct arena arena;
	name_array files;
	size_t next;
	int64_t bytes;		/* -1 once a pipe was among them */
	void (*complain)(const char *path, const struct stk_error *why);
};

static void
complain_errno(const struct file_list *list, const char *path)
{
	struct stk_error why = { 0 };

	(void)stk_fail(&why, is_missing_file(errno) ? STK_EDATA : STK_ESYSTEM, "%s", strerror(errno));
	list->complain(path, &why);
}

static void
complain_of(const struct file_list *list, const char *path, const char *reason)
{
	struct stk_error why = { 0 };

	(void)stk_fail(&why, STK_EDATA, "%s", reason);
	list->complain(path, &why);
}

bool
input_is_file(const char *path)
{
	struct stat is;

	return strcmp(path, "-") != 0 && stat(path, &is) == 0 && S_ISREG(is.st_mode);
}

static void
add_file(struct file_list *list, const char *path, const struct stat *is)
{
	*array_push(&list->files) = arena_copy(&list->arena, path, strlen(path));
	if (!S_ISREG(is->st_mode))
		list->bytes = -1;
	else if (list->bytes >= 0)
		list->bytes += is->st_size;
}

static int
by_bytes(const void *a, const void *b)
{
	return strcmp(*(char *const *)a, *(char *const *)b);
}

/* The names in a directory that are not hidden, sorted. 0, or -1 with errno. */
static int
read_names(struct arena *arena, const char *path, name_array *names)
{
	DIR *dir = opendir(path);
	struct dirent *entry;
	int why;

	if (dir == NULL)
		return -1;
	errno = 0;
	while ((entry = readdir(dir)) != NULL) {
		if (entry->d_name[0] != '.')
			*array_push(names) = arena_copy(arena, entry->d_name, strlen(entry->d_name));
		errno = 0;
	}
	why = errno;
	closedir(dir);
	if (names->count > 1)
		qsort(names->at, names->count, sizeof *names->at, by_bytes);
	errno = why;
	return why == 0 ? 0 : -1;
}

static void walk(struct file_list *list, const char *path);

/* Links to directories are not followed: that is what keeps a loop of links from being one. */
static void
take_entry(struct file_list *list, const char *path)
{
	struct stat is, target;

	if (lstat(path, &is) < 0 || stat(path, &target) < 0)
		complain_errno(list, path);
	else if (S_ISLNK(is.st_mode) && S_ISDIR(target.st_mode))
		complain_of(list, path, "a link to a directory is not followed: name it as an operand to have it read");
	else if (S_ISDIR(target.st_mode))
		walk(list, path);
	else if (S_ISREG(target.st_mode))
		add_file(list, path, &target);
	else
		complain_of(list, path, "not a regular file: name it as an operand to have it read");
}

static void
walk(struct file_list *list, const char *path)
{
	struct arena scratch = { 0 };
	name_array names = { 0 };
	size_t length = strlen(path);
	const char *slash = length > 0 && path[length - 1] == '/' ? "" : "/";

	if (read_names(&scratch, path, &names) < 0)
		complain_errno(list, path);
	for (size_t i = 0; i < names.count; i++) {
		size_t size = length + strlen(names.at[i]) + 2;
		char *joined = arena_alloc(&scratch, size);

		snprintf(joined, size, "%s%s%s", path, slash, names.at[i]);
		take_entry(list, joined);
	}
	array_release(&names);
	arena_release(&scratch);
}

static void
take_operand(struct file_list *list, const char *path)
{
	struct stat is;
	bool is_stdin = strcmp(path, "-") == 0;

	if ((is_stdin ? fstat(STDIN_FILENO, &is) : stat(path, &is)) < 0)
		complain_errno(list, path);
	else if (S_ISDIR(is.st_mode) && !is_stdin)
		walk(list, path);
	else
		add_file(list, path, &is);
}

int
file_list_open(struct file_list **out, char **operands, int count,
	       void (*complain)(const char *path, const struct stk_error *why))
{
	struct file_list *list = mem_new(1, sizeof *list);

	list->complain = complain;
	for (int i = 0; i < count; i++)
		take_operand(list, operands[i]);
	if (count == 0)
		take_operand(list, "-");
	*out = list;
	return 0;
}

const char *
file_list_next(struct file_list *list)
{
	return list->next < list->files.count ? list->files.at[list->next++] : NULL;
}

int64_t
file_list_bytes(const struct file_list *list)
{
	return list->bytes;
}

void
file_list_close(struct file_list *list)
{
	if (list == NULL)
		return;
	array_release(&list->files);
	arena_release(&list->arena);
	free(list);
}
