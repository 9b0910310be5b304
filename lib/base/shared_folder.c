/* SPDX-License-Identifier: MIT
 * shared_folder: what is opened is checked through its descriptor; what is our own in a sticky folder nobody but root
 * can replace. */
#include "base/shared_folder.h"

#include "base/open_file.h"

#include <fcntl.h>
#include <limits.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

static bool
is_shared(const char *path, struct stat *folder)
{
	const char *slash = strrchr(path, '/');
	char name[PATH_MAX];

	snprintf(name, sizeof name, "%.*s", slash == NULL ? 1 : (int)(slash - path + 1), slash == NULL ? "." : path);
	return stat(name, folder) == 0 && (folder->st_mode & S_ISVTX) != 0 && (folder->st_mode & S_IWOTH) != 0;
}

static bool
is_own(const char *path)
{
	struct stat is;

	return lstat(path, &is) == 0 && is.st_uid == geteuid();
}

bool
shared_folder_may_follow(const char *path)
{
	struct stat folder;

	return !is_shared(path, &folder) || is_own(path);
}

bool
shared_folder_allows(const char *path, const struct stat *is, struct stk_error *err)
{
	struct stat folder;

	if (!is_shared(path, &folder) || is->st_uid == geteuid() || is->st_uid == folder.st_uid)
		return true;
	(void)stk_fail(err, STK_ESYSTEM,
		       "%s belongs to another user, in a folder where anybody may put files: nothing is written there",
		       path);
	return false;
}

int
shared_folder_open(const char *path, int flags, mode_t mode, struct stk_error *err)
{
	struct stat folder, is;
	bool shared = is_shared(path, &folder), own = shared && is_own(path);
	int fd = open_file(path, shared && !own ? flags | O_NOFOLLOW | O_NONBLOCK : flags, mode);

	if (fd < 0)
		return stk_fail_errno(err, "cannot write to %s", path);
	if (!shared || own ||
	    (fstat(fd, &is) == 0 && shared_folder_allows(path, &is, err) && fcntl(fd, F_SETFL, flags & O_APPEND) == 0))
		return fd;
	close(fd);
	return stk_fail_errno(err, "cannot write to %s", path);
}
