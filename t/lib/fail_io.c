/* SPDX-License-Identifier: MIT
 * fail_io: a library to preload that makes one call fail: FAIL=read:3 fails the third read, as if the disk were bad; write:N as if it were full;
 * short:N writes one byte only; close:N, fsync:N and rename:N fail for files that are written. Calls on stderr and on files that are only read
 * do not count, but for read. Where FAILED names a file, it is created when the call has failed, so that a test knows.
 *
 *	cc -shared -fPIC -o fail_io.so fail_io.c -ldl */
#define _GNU_SOURCE
#include <dlfcn.h>
#include <errno.h>
#include <fcntl.h>
#include <stdatomic.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

static atomic_int calls;

static bool
is_written(int fd)
{
	int flags = fcntl(fd, F_GETFL);

	return fd != STDERR_FILENO && flags >= 0 && (flags & O_ACCMODE) != O_RDONLY;
}

/* True when this call is the one. */
static bool
fails(const char *what)
{
	const char *plan = getenv("FAIL"), *mark = getenv("FAILED");
	size_t size = strlen(what);

	if (plan == NULL || strncmp(plan, what, size) != 0 || plan[size] != ':' || atomic_fetch_add(&calls, 1) + 1 != atoi(plan + size + 1))
		return false;
	if (mark != NULL) {
		int fd = open(mark, O_WRONLY | O_CREAT, 0666);
		int (*real)(int) = (int (*)(int))dlsym(RTLD_NEXT, "close");

		real(fd);
	}
	return true;
}

ssize_t
read(int fd, void *to, size_t size)
{
	ssize_t (*real)(int, void *, size_t) = (ssize_t (*)(int, void *, size_t))dlsym(RTLD_NEXT, "read");

	if (fails("read"))
		return errno = EIO, -1;
	return real(fd, to, size);
}

ssize_t
write(int fd, const void *from, size_t size)
{
	ssize_t (*real)(int, const void *, size_t) = (ssize_t (*)(int, const void *, size_t))dlsym(RTLD_NEXT, "write");

	if (is_written(fd) && fails("write"))
		return errno = ENOSPC, -1;
	if (is_written(fd) && size > 1 && fails("short"))
		return real(fd, from, 1);
	return real(fd, from, size);
}

int
close(int fd)
{
	int (*real)(int) = (int (*)(int))dlsym(RTLD_NEXT, "close");
	bool failing = fd > STDERR_FILENO && is_written(fd) && fails("close");
	int result = real(fd);

	return failing ? errno = EIO, -1 : result;
}

int
fsync(int fd)
{
	int (*real)(int) = (int (*)(int))dlsym(RTLD_NEXT, "fsync");

	return fails("fsync") ? errno = EIO, -1 : real(fd);
}

int
rename(const char *from, const char *to)
{
	int (*real)(const char *, const char *) = (int (*)(const char *, const char *))dlsym(RTLD_NEXT, "rename");

	return fails("rename") ? errno = EACCES, -1 : real(from, to);
}
