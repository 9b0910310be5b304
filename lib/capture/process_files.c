/* SPDX-License-Identifier: MIT
 * process_files: O_PATH descriptors are looked at with fstat(2) and used through /proc/self/fd, so that what was
 * checked is what is used. */
#include "capture/process_files.h"

#include "capture/process_user.h"

#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <stdio.h>
#include <string.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <sys/un.h>
#include <unistd.h>

#ifdef SYS_openat2
#include <linux/openat2.h>
#endif

#define FD_PATH_ROOM 40		/* "/proc/self/fd/N" */

static void
close_keeping_errno(int fd)
{
	int why = errno;

	if (fd >= 0)
		close(fd);
	errno = why;
}

static int
refuse(int fd, int why)
{
	close(fd);
	errno = why;
	return -1;
}

static const char *
fd_path(char to[FD_PATH_ROOM], int fd)
{
	snprintf(to, FD_PATH_ROOM, "/proc/self/fd/%d", fd);
	return to;
}

/* --- one step, and several --- */

/* O_NOFOLLOW with O_PATH opens a link itself: O_DIRECTORY refuses that. */
static int
open_step_by_step(int folder, const char *path, int flags)
{
	int at = folder;

	for (;;) {
		size_t size = strcspn(path, "/");
		char name[NAME_MAX + 1];
		bool last = path[size] == '\0';
		int next;

		if (size > NAME_MAX || size == 0 || (size == 2 && memcmp(path, "..", 2) == 0)) {
			if (at != folder)
				close(at);
			errno = size > NAME_MAX ? ENAMETOOLONG : size == 0 ? ENOENT : EXDEV;
			return -1;
		}
		snprintf(name, sizeof name, "%.*s", (int)size, path);
		next = openat(at, name,
			      last ? flags | O_NOFOLLOW | O_CLOEXEC : O_PATH | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC);
		if (at != folder)
			close_keeping_errno(at);
		if (next < 0 || last)
			return next;
		at = next;
		path += size + strspn(path + size, "/");
	}
}

/* System call filters answer EPERM or ENOSYS to calls they do not know, so no error of the first method tells whether
 * the other would work. */
int
open_without_links(int folder, const char *path, int flags)
{
#ifdef SYS_openat2
	struct open_how how = { .flags = (uint64_t)(flags | O_NOFOLLOW | O_CLOEXEC),
				.resolve = RESOLVE_IN_ROOT | RESOLVE_NO_SYMLINKS | RESOLVE_NO_MAGICLINKS };
	long fd = strstr(path, "..") == NULL ? syscall(SYS_openat2, folder, path, &how, sizeof how) : -1;

	if (fd >= 0)
		return (int)fd;
#endif
	return open_step_by_step(folder, path, flags);
}

/* --- the process's own --- */

/* Numbers are used again: this is the process's root only while the process lives. */
static int
open_root(const struct process *process)
{
	char path[64];
	int fd;

	snprintf(path, sizeof path, "/proc/%ld/root", (long)process->pid);
	fd = open(path, O_PATH | O_DIRECTORY | O_CLOEXEC);
	return fd < 0 || process_is_alive(process) ? fd : refuse(fd, ESRCH);
}

/* The target of an administrator's link, below the process's root. Links of other users are not followed. */
static int
open_where_link_leads(int root, const char *name)
{
	int link = openat(root, name, O_PATH | O_NOFOLLOW | O_CLOEXEC);
	char target[PATH_MAX];
	struct stat is;
	long size;

	if (link < 0)
		return -1;
	if (fstat(link, &is) < 0 || !S_ISLNK(is.st_mode) || is.st_uid != 0)
		return refuse(link, ELOOP);
	size = readlinkat(link, "", target, sizeof target - 1);
	close_keeping_errno(link);
	if (size < 0)
		return -1;
	target[size] = '\0';
	return open_without_links(root, target + strspn(target, "/"), O_PATH | O_DIRECTORY);
}

int
process_open_tmp(const struct process *process, struct stk_error *err)
{
	int root = open_root(process), folder = -1;

	if (root >= 0) {
		folder = open_without_links(root, "tmp", O_PATH | O_DIRECTORY);
		if (folder < 0 && (errno == ELOOP || errno == ENOTDIR))
			folder = open_where_link_leads(root, "tmp");
		close_keeping_errno(root);
	}
	return folder >= 0 ? folder : stk_fail_errno(err, "its /tmp cannot be opened");
}

int
process_open_own_cwd(const struct process *process)
{
	char path[64];
	int fd;

	snprintf(path, sizeof path, "/proc/%ld/cwd", (long)process->pid);
	fd = open(path, O_PATH | O_DIRECTORY | O_CLOEXEC);
	return fd < 0 || (process_is_alive(process) && folder_belongs_to(fd, process->uid)) ? fd : refuse(fd, EPERM);
}

/* --- in a folder --- */

/* Opens the checked file for reading: takes the O_PATH descriptor. O_NONBLOCK, because a lease of its owner could block
 * us. */
static int
reopen(int at)
{
	char path[FD_PATH_ROOM];
	int fd = open(fd_path(path, at), O_RDONLY | O_NONBLOCK | O_CLOEXEC);

	close_keeping_errno(at);
	return fd;
}

int
file_open_regular(const char *path)
{
	int at = open(path, O_PATH | O_CLOEXEC);
	struct stat is;

	if (at < 0)
		return -1;
	return fstat(at, &is) == 0 && S_ISREG(is.st_mode) ? reopen(at) : refuse(at, EPERM);
}

int
process_open_file(const struct process *process, const char *path)
{
	int root = open_root(process);
	int at = root >= 0 ? open_without_links(root, path + strspn(path, "/"), O_PATH) : -1;
	struct stat is;

	if (root >= 0)
		close_keeping_errno(root);
	if (at < 0)
		return -1;
	return fstat(at, &is) == 0 && S_ISREG(is.st_mode) ? reopen(at) : refuse(at, EPERM);
}

int
folder_open_in(int folder, const char *name)
{
	return open_without_links(folder, name, O_PATH | O_DIRECTORY);
}

/* A second name may be a hard link to a file of an unsuspecting user. */
int
file_open_in(int folder, const char *name, uid_t owner)
{
	int at = open_without_links(folder, name, O_PATH);
	struct stat is;

	if (at < 0)
		return -1;
	if (fstat(at, &is) < 0 || !S_ISREG(is.st_mode) || is.st_nlink != 1 || (owner != ANYBODY && is.st_uid != owner))
		return refuse(at, EPERM);
	return reopen(at);
}

bool
socket_is_in(int folder, const char *name)
{
	struct stat is;

	return fstatat(folder, name, &is, AT_SYMLINK_NOFOLLOW) == 0 && S_ISSOCK(is.st_mode);
}

/* The process that called listen(2), as the kernel recorded it then: its number could be that of an earlier process,
 * its user could not. */
static bool
is_peer(int fd, const struct process *process)
{
	struct ucred peer;
	socklen_t size = sizeof peer;

	return getsockopt(fd, SOL_SOCKET, SO_PEERCRED, &peer, &size) == 0 && peer.pid == process->pid &&
	       (peer.uid == process->uid || peer.uid == 0);
}

int
socket_connect_in(int folder, const char *name, const struct process *process)
{
	struct sockaddr_un to = { .sun_family = AF_UNIX };
	int at = open_without_links(folder, name, O_PATH), fd = -1;
	struct process_user user;
	char path[FD_PATH_ROOM];
	struct stat is;

	if (at < 0)
		return -1;
	if (fstat(at, &is) < 0 || !S_ISSOCK(is.st_mode))
		return refuse(at, ENOTSOCK);
	memcpy(to.sun_path, fd_path(path, at), sizeof path);
	if (process_user_take(&user, process) == 0)
		fd = socket(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC | SOCK_NONBLOCK, 0);
	if (fd >= 0 && connect(fd, (const struct sockaddr *)&to, sizeof to) < 0) {
		close_keeping_errno(fd);
		fd = -1;
	}
	process_user_leave(&user);
	close_keeping_errno(at);
	return fd < 0 || is_peer(fd, process) ? fd : refuse(fd, EPERM);
}

/* --- ownership --- */

bool
folder_belongs_to(int folder, uid_t user)
{
	struct stat is;

	return fstat(folder, &is) == 0 && is.st_uid == user;
}

bool
folder_takes_files_of(int folder, uid_t user)
{
	struct stat is;

	return fstat(folder, &is) == 0 && (is.st_uid == user || user == 0 || (is.st_mode & S_IWOTH) != 0);
}

int
folder_create_for(int folder, const char *name, mode_t mode, const struct process *process)
{
	struct process_user user;
	int fd;

	if (process_user_take(&user, process) < 0)
		return -1;
	fd = openat(folder, name, O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC | O_NOFOLLOW, mode);
	process_user_leave(&user);
	return fd;
}

bool
folder_keeps_files_for(int folder, const struct process *process)
{
	int root = open_root(process);
	struct stat top, is;
	bool known = root >= 0 && fstat(root, &top) == 0 && fstat(folder, &is) == 0;

	if (root >= 0)
		close(root);
	return known && (is.st_uid == process->uid || is.st_uid == 0 || is.st_uid == top.st_uid) &&
	       ((is.st_mode & (S_IWGRP | S_IWOTH)) == 0 || (is.st_mode & S_ISVTX) != 0);
}
