/* SPDX-License-Identifier: MIT
 * upload_marks: a mark is found by its name alone, and trusted only where it and its file are ours. */
#include "capture/upload_marks.h"

#include "base/shared_folder.h"
#include "capture/file_pattern.h"
#include "stream/stream_mend.h"

#include <errno.h>
#include <fcntl.h>
#include <glob.h>
#include <limits.h>
#include <stdio.h>
#include <string.h>
#include <sys/file.h>
#include <sys/stat.h>
#include <unistd.h>

#define ENDING ".upload"

/* How long the folders of a path are, with the last slash. */
static int
folders_of(const char *path)
{
	const char *slash = strrchr(path, '/');

	return slash == NULL ? 0 : (int)(slash - path) + 1;
}

/* Of a path, or of a pattern of glob(3). False: it is too long. */
static bool
mark_of(const char *path, char to[PATH_MAX])
{
	int folders = folders_of(path);

	return snprintf(to, PATH_MAX, "%.*s.%s" ENDING, folders, path, path + folders) < PATH_MAX;
}

static void
path_of(const char *mark, char to[PATH_MAX])
{
	int folders = folders_of(mark);
	const char *name = mark + folders + 1;

	snprintf(to, PATH_MAX, "%.*s%.*s", folders, mark, (int)(strlen(name) - strlen(ENDING)), name);
}

int
upload_mark_set(const char *path, struct stk_error *err)
{
	char mark[PATH_MAX];
	int fd;

	if (!mark_of(path, mark))
		return stk_fail(err, STK_ESYSTEM, "%s: the name is too long", path);
	fd = shared_folder_open(mark, O_WRONLY | O_CREAT, 0666, err);
	if (fd < 0)
		return -1;
	close(fd);
	return 0;
}

void
upload_mark_remove(const char *path)
{
	char mark[PATH_MAX];

	if (mark_of(path, mark))
		(void)unlink(mark);
}

static bool
is_ours(const char *path, struct stat *is)
{
	return lstat(path, is) == 0 && S_ISREG(is->st_mode) && is->st_uid == geteuid();
}

/* Whether no capture writes to it; then what a killed one left incomplete at its end is removed. */
static bool
is_left(const char *path)
{
	int fd = open(path, O_RDONLY | O_CLOEXEC | O_NOFOLLOW | O_NONBLOCK);
	bool left = fd >= 0 && flock(fd, LOCK_EX | LOCK_NB) == 0;
	struct stk_error unused = { 0 };
	uint64_t cut;

	if (left && stream_mend(path, &cut, &unused) < 0)
		stk_error_clear(&unused);
	if (fd >= 0)
		close(fd);
	return left;
}

/* An empty file is one that nothing was written to, and is not worth it. */
static void
see_marked(const char *mark, const char *path, upload_marks_see *see, void *context)
{
	struct stat is;
	bool ours;

	if (!is_ours(mark, &is))
		return;
	ours = is_ours(path, &is);
	if (ours && is.st_size > 0) {
		if (is_left(path))
			see(context, path);
	} else if (ours || (access(path, F_OK) < 0 && errno == ENOENT)) {
		(void)unlink(mark);
	}
}

void
upload_marks_each(const char *pattern, const struct time_zone *zone, const char *present, upload_marks_see *see,
		  void *context)
{
	char files[PATH_MAX], marks[PATH_MAX], path[PATH_MAX];
	glob_t found;

	file_pattern_glob(pattern, files);
	if (!mark_of(files, marks) || glob(marks, 0, NULL, &found) != 0)
		return;
	for (size_t i = 0; i < found.gl_pathc; i++) {
		path_of(found.gl_pathv[i], path);
		if (strcmp(path, present) != 0 && file_pattern_made(pattern, zone, path))
			see_marked(found.gl_pathv[i], path, see, context);
	}
	globfree(&found);
}
