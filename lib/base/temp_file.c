/* SPDX-License-Identifier: MIT
 * temp_file: creates files beside outputs, keeps count of them, and removes what dead processes left. */
#include "base/temp_file.h"

#include "base/memory.h"
#include "base/open_file.h"

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <stdatomic.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/file.h>
#include <sys/stat.h>
#include <unistd.h>

#define FILES_MOST    8		/* open at once in one program: an output and a state, with a margin */
#define ATTEMPTS_MOST 100
#define NAME_KEPT     200	/* bytes of the output's name, so that the whole fits into 255 */

/* --- those of this process --- */

/* A signal handler reads this while it is written: a path is in place before `used` says so, and no memory is freed. */
static struct { atomic_bool used; pid_t owner; char path[PATH_MAX]; } ours[FILES_MOST];

/* What does not fit is left to the next run. */
static void
remember(const char *name)
{
	for (unsigned i = 0; i < FILES_MOST && strlen(name) < PATH_MAX; i++) {
		if (atomic_load(&ours[i].used))
			continue;
		memcpy(ours[i].path, name, strlen(name) + 1);
		ours[i].owner = getpid();
		atomic_store(&ours[i].used, true);
		return;
	}
}

void
temp_file_forget(const char *name)
{
	for (unsigned i = 0; i < FILES_MOST; i++)
		if (atomic_load(&ours[i].used) && strcmp(ours[i].path, name) == 0)
			atomic_store(&ours[i].used, false);
}

/* A child before exec has our table, but the files are not its own. */
void
temp_files_remove(void)
{
	for (unsigned i = 0; i < FILES_MOST; i++)
		if (atomic_load(&ours[i].used) && ours[i].owner == getpid())
			unlink(ours[i].path);
}

/* --- processes --- */

/* When a process began, in clock ticks since boot; 0 when there is no such process, or only what its parent has not yet
 * collected. */
static unsigned long long
start_of(long pid)
{
	char path[64], stat[1024];
	const char *at;
	ssize_t size;
	int fd, field = 3;
	bool ended;

	snprintf(path, sizeof path, "/proc/%ld/stat", pid);
	fd = open(path, O_RDONLY | O_CLOEXEC);
	size = fd < 0 ? -1 : read(fd, stat, sizeof stat - 1);
	if (fd >= 0)
		close(fd);
	if (size <= 0)
		return 0;
	stat[size] = '\0';
	at = strrchr(stat, ')');	/* the name before it may hold anything */
	if (at == NULL || at[1] == '\0')
		return 0;
	at += 2;
	ended = *at == 'Z' || *at == 'X';
	while (field < 22 && (at = strchr(at, ' ')) != NULL) {
		at++;
		field++;
		/* a first thread that ended alone is not the end of the others */
		if (field == 20 && ended && strtol(at, NULL, 10) <= 1)
			return 0;
	}
	return at == NULL ? 0 : strtoull(at, NULL, 10);
}

static unsigned long long
our_start(void)
{
	static unsigned long long start;

	if (start == 0)
		start = start_of(getpid());
	return start;
}

/* --- those of dead processes --- */

/* A number without a sign, and the dot after it. */
static bool
take_number(const char **at, unsigned long long most, unsigned long long *value)
{
	char *end;

	if (**at < '0' || **at > '9')
		return false;
	errno = 0;
	*value = strtoull(*at, &end, 10);
	if (errno != 0 || *value > most || *end != '.')
		return false;
	*at = end + 1;
	return true;
}

/* Whether a name is one of ours, of a process that has ended. */
static bool
is_leftover(const char *name, const char *prefix)
{
	const char *at = name + strlen(prefix);
	unsigned long long pid, start, attempt;

	if (strncmp(name, prefix, strlen(prefix)) != 0)
		return false;
	if (!take_number(&at, INT_MAX, &pid) || !take_number(&at, ULLONG_MAX, &start) ||
	    !take_number(&at, ATTEMPTS_MOST, &attempt) || strcmp(at, "tmp") != 0)
		return false;
	return start_of((long)pid) != start;
}

/* Only a regular file of our own, and only while nobody writes it: the holder of the lock is alive, wherever that
 * is. */
static void
remove_leftover(int folder, const char *name)
{
	struct stat is, opened;
	int fd;

	if (fstatat(folder, name, &is, AT_SYMLINK_NOFOLLOW) < 0 || !S_ISREG(is.st_mode) || is.st_uid != geteuid())
		return;
	fd = openat(folder, name, O_RDWR | O_NOFOLLOW | O_NONBLOCK | O_CLOEXEC);
	if (fd < 0)
		return;
	if (flock(fd, LOCK_EX | LOCK_NB) == 0 && fstat(fd, &opened) == 0 && opened.st_ino == is.st_ino &&
	    opened.st_dev == is.st_dev)
		unlinkat(folder, name, 0);
	close(fd);
}

/* The folder of a path, to be freed, and the beginning of the names of its temporary files. */
static char *
folder_of(const char *path, char prefix[NAME_KEPT + 3])
{
	const char *slash = strrchr(path, '/'), *name = slash == NULL ? path : slash + 1;
	size_t size = (size_t)(name - path);
	char *folder = mem_new(size + 2, 1);

	memcpy(folder, size == 0 ? "." : path, size == 0 ? 1 : size);
	snprintf(prefix, NAME_KEPT + 3, ".%.*s.", NAME_KEPT, name);
	return folder;
}

/* Best effort: a folder that cannot be listed is no reason not to write there. Without /proc no process can be known to
 * have ended. */
static void
remove_leftovers(const char *path)
{
	char prefix[NAME_KEPT + 3], *folder = folder_of(path, prefix);
	DIR *dir = our_start() != 0 ? opendir(folder) : NULL;
	const struct dirent *entry;

	while (dir != NULL && (entry = readdir(dir)) != NULL)
		if (is_leftover(entry->d_name, prefix))
			remove_leftover(dirfd(dir), entry->d_name);
	if (dir != NULL)
		closedir(dir);
	free(folder);
}

/* --- creating --- */

/* Hidden, so that a walk over the directory leaves it out. */
static char *
name_beside(const char *path, unsigned attempt)
{
	const char *slash = strrchr(path, '/'), *name = slash == NULL ? path : slash + 1;
	size_t size = strlen(path) + 64;
	char *beside = mem_new(size, 1);

	snprintf(beside, size, "%.*s.%.*s.%ld.%llu.%u.tmp", (int)(name - path), path, NAME_KEPT, name, (long)getpid(),
		 our_start(), attempt);
	return beside;
}

/* Locks the new file. False: another run, which cannot see our process, took it for a leftover before it was locked. */
static bool
hold(int fd)
{
	struct stat is;

	(void)flock(fd, LOCK_EX | LOCK_NB);	/* best effort: not every file system has locks */
	return fstat(fd, &is) < 0 || is.st_nlink > 0;
}

int
temp_file_create(char **name, const char *path)
{
	remove_leftovers(path);
	for (unsigned attempt = 0; attempt < ATTEMPTS_MOST; attempt++) {
		int fd, why;

		*name = name_beside(path, attempt);
		fd = open_file(*name, O_RDWR | O_CREAT | O_EXCL, 0666);
		if (fd >= 0 && hold(fd)) {
			remember(*name);
			return fd;
		}
		why = errno;
		if (fd >= 0)
			close(fd);
		free(*name);
		*name = NULL;
		errno = why;
		if (fd < 0 && why != EEXIST)
			break;
	}
	return -1;
}
