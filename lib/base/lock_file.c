/* SPDX-License-Identifier: MIT
 * lock_file: a lock beside a file, held by flock, so that it ends with the process whatever happens. */
#include "base/lock_file.h"

#include "base/memory.h"
#include "base/shared_folder.h"

#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/file.h>
#include <unistd.h>

struct lock_file { int fd; };

bool
lock_file_try(int fd)
{
	int locked;

	while ((locked = flock(fd, LOCK_EX | LOCK_NB)) < 0 && errno == EINTR)
		continue;
	return locked == 0;
}

int
lock_file_take(struct lock_file **out, const char *path, struct stk_error *err)
{
	size_t size = strlen(path) + sizeof ".lock";
	char *name = mem_new(size, 1);
	int fd, result = 0;

	*out = NULL;
	(void)snprintf(name, size, "%s.lock", path);
	fd = shared_folder_open(name, O_RDWR | O_CREAT, 0666, err);
	if (fd < 0)
		result = -1;
	else if (!lock_file_try(fd))
		result = errno == EWOULDBLOCK
				 ? stk_fail(err, STK_ESYSTEM, "another run holds it (%s); nothing was changed", name)
				 : stk_fail_errno(err, "cannot lock %s", name);
	free(name);
	if (result < 0) {
		if (fd >= 0)
			close(fd);
		return -1;
	}
	*out = mem_new(1, sizeof **out);
	(*out)->fd = fd;
	return 0;
}

/* The lock file is not removed: that would let a third run lock what a second one still waits for. */
void
lock_file_release(struct lock_file *lock)
{
	if (lock == NULL)
		return;
	close(lock->fd);
	free(lock);
}
