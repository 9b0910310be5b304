/* SPDX-License-Identifier: MIT
 * old_files: what glob finds is looked at one by one; the lock of a file is held while it is removed, so that no
 * capture begins to write to it meanwhile. */
#include "capture/old_files.h"

#include "base/array.h"
#include "capture/file_pattern.h"
#include "stream/block.h"

#include <errno.h>
#include <fcntl.h>
#include <glob.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/file.h>
#include <sys/stat.h>
#include <unistd.h>

static bool
is_stream(int fd)
{
	unsigned char first[64];
	const char *unused;
	long got = pread(fd, first, sizeof first, 0);

	return got > 0 && block_header_find(first, (size_t)got, &unused) >= 0;
}

/* Whether the path still names the file that is open. */
static bool
is_named(const char *path, const struct stat *is)
{
	struct stat named;

	return lstat(path, &named) == 0 && named.st_dev == is->st_dev && named.st_ino == is->st_ino;
}

/* A record stream that nobody writes, locked until it is closed; -1: it is not one. */
static int
hold(const char *path, struct stat *is)
{
	int fd = open(path, O_RDONLY | O_CLOEXEC | O_NOCTTY | O_NOFOLLOW | O_NONBLOCK);

	if (fd >= 0 && fstat(fd, is) == 0 && S_ISREG(is->st_mode) && flock(fd, LOCK_EX | LOCK_NB) == 0 &&
	    is_named(path, is) && is_stream(fd))
		return fd;
	if (fd >= 0)
		close(fd);
	return -1;
}

/* The latest first, by when a file was last written: a name need not tell (%H), and a file may have been appended
 * to. */
static int
compare_changed(const void *a, const void *b)
{
	const struct old_file *left = a, *right = b;

	if (left->changed.tv_sec != right->changed.tv_sec)
		return left->changed.tv_sec < right->changed.tv_sec ? 1 : -1;
	if (left->changed.tv_nsec != right->changed.tv_nsec)
		return left->changed.tv_nsec < right->changed.tv_nsec ? 1 : -1;
	return strcmp(right->path, left->path);
}

void
old_files_choose(struct old_file *files, size_t count, const struct old_files_plan *plan, int64_t present_bytes)
{
	int64_t total = present_bytes;

	if (count > 0)
		qsort(files, count, sizeof *files, compare_changed);
	for (size_t i = 0; i < count; i++) {
		bool too_many = plan->keep > 0 && (int64_t)i + 2 > plan->keep;

		total += files[i].bytes;
		files[i].removed = too_many || (plan->most_bytes > 0 && total > plan->most_bytes) ||
				   files[i].changed.tv_sec < plan->written_after;
	}
}

static void
remove_file(const char *path, void (*hear)(const char *path, int error))
{
	struct stat is;
	int fd = hold(path, &is);

	if (fd < 0)
		return;
	hear(path, unlink(path) == 0 ? 0 : errno);
	close(fd);
}

void
old_files_remove(const struct old_files_plan *plan, const char *present, int64_t present_bytes,
		 void (*hear)(const char *path, int error))
{
	ARRAY(struct old_file) old = { 0 };
	char pattern[PATH_MAX];
	glob_t found;

	if (plan->keep == 0 && plan->most_bytes == 0 && plan->written_after == 0)
		return;
	file_pattern_glob(plan->pattern, pattern);
	if (glob(pattern, GLOB_NOSORT | GLOB_PERIOD, NULL, &found) != 0)
		return;
	for (size_t i = 0; i < found.gl_pathc; i++) {
		const char *path = found.gl_pathv[i];
		struct stat is;
		int fd;

		if (strcmp(path, present) == 0 || !file_pattern_made(plan->pattern, plan->zone, path))
			continue;
		fd = hold(path, &is);
		if (fd < 0)
			continue;
		close(fd);
		*array_push(&old) = (struct old_file){ .path = path, .bytes = is.st_size, .changed = is.st_mtim };
	}
	old_files_choose(old.at, old.count, plan, present_bytes);
	for (size_t i = 0; i < old.count; i++)
		if (old.at[i].removed)
			remove_file(old.at[i].path, hear);
	array_release(&old);
	globfree(&found);
}

bool
old_files_latest(const char *pattern, const struct time_zone *zone, char to[PATH_MAX])
{
	struct old_file latest = { .path = NULL };
	char globbed[PATH_MAX];
	glob_t found;

	file_pattern_glob(pattern, globbed);
	if (glob(globbed, GLOB_NOSORT | GLOB_PERIOD, NULL, &found) != 0)
		return false;
	for (size_t i = 0; i < found.gl_pathc; i++) {
		struct old_file file = { .path = found.gl_pathv[i] };
		struct stat is;

		if (!file_pattern_made(pattern, zone, file.path) || lstat(file.path, &is) < 0 || !S_ISREG(is.st_mode))
			continue;
		file.changed = is.st_mtim;
		if (latest.path == NULL || compare_changed(&file, &latest) < 0)
			latest = file;
	}
	if (latest.path != NULL)
		snprintf(to, PATH_MAX, "%s", latest.path);
	globfree(&found);
	return latest.path != NULL;
}
