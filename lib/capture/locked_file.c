/* SPDX-License-Identifier: MIT
 * locked_file: a file that --keep of another capture removed before it was locked is created again. */
#include "capture/locked_file.h"

#include "base/shared_folder.h"
#include "capture/file_changes.h"

#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <stdio.h>
#include <string.h>
#include <sys/file.h>
#include <time.h>
#include <unistd.h>

#define OPEN_ATTEMPTS 10	/* a file whose lock is only tried by another capture is free soon */
#define OPEN_NAP_NS   20000000

int
locked_file_open(const char *path, struct stat *is, struct stk_error *err)
{
	struct timespec nap = { .tv_nsec = OPEN_NAP_NS };

	for (unsigned attempt = 1;; attempt++) {
		int fd = shared_folder_open(path, O_WRONLY | O_CREAT, 0666, err);

		if (fd < 0)
			return -1;
		if (fstat(fd, is) < 0) {
			(void)stk_fail_errno(err, "cannot write to %s", path);
			close(fd);
			return -1;
		}
		if (!S_ISREG(is->st_mode) || (flock(fd, LOCK_EX | LOCK_NB) == 0 && file_is_named(path, is)))
			return fd;
		close(fd);
		if (attempt == OPEN_ATTEMPTS)
			return stk_fail(err, STK_ESYSTEM, "%s: another capture is writing to it", path);
		nanosleep(&nap, NULL);
	}
}

int
locked_file_is_possible(const char *path, struct stk_error *err)
{
	const char *slash = strrchr(path, '/');
	char folder[PATH_MAX];
	struct stat is;

	if (stat(path, &is) == 0) {
		if (S_ISDIR(is.st_mode))
			errno = EISDIR;
		else if (access(path, W_OK) == 0)
			return 0;
		return stk_fail_errno(err, "cannot write to %s", path);
	}
	snprintf(folder, sizeof folder, "%.*s", slash != NULL ? (int)(slash - path) + 1 : 1, slash != NULL ? path : ".");
	if (errno != ENOENT || access(folder, W_OK | X_OK) < 0)
		return stk_fail_errno(err, "cannot write to %s", path);
	return 0;
}
