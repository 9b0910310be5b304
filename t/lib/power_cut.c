/* SPDX-License-Identifier: MIT
 * power_cut: a library to preload that says what a power cut could undo: files that get their final name before what is
 * in them is on the disk, and names that are not on the disk when the program ends. It keeps a mark for each file and
 * folder that was changed and not synced since; writes to what is not a regular file do not count.
 *
 * Lines in the file that POWER_CUT names: "unsynced file NAME" at a rename; "unsynced folder" at the end, for each
 * folder in which something was renamed; "placed NAME" for each rename, so that a test knows that it was watched.
 *
 *	cc -shared -fPIC -o power_cut.so power_cut.c -ldl */
#define _GNU_SOURCE
#include <dlfcn.h>
#include <fcntl.h>
#include <libgen.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#define REAL(name, result, ...) ((result (*)(__VA_ARGS__))dlsym(RTLD_NEXT, name))
#define MARKS 256

static struct { dev_t device; ino_t file; int folder; } unsynced[MARKS];	/* file 0: none here */

static void
say(const char *what, const char *name)
{
	const char *to = getenv("POWER_CUT");
	int fd = to == NULL ? -1 : REAL("open", int, const char *, int, ...)(to, O_WRONLY | O_CREAT | O_APPEND, 0666);

	if (fd >= 0 && dprintf(fd, "%s%s%s\n", what, *name != '\0' ? " " : "", name) < 0)
		abort();
	if (fd >= 0)
		REAL("close", int, int)(fd);
}

static void
unmark(const struct stat *is)
{
	for (int i = 0; i < MARKS; i++)
		if (unsynced[i].file == is->st_ino && unsynced[i].device == is->st_dev)
			unsynced[i].file = 0;
}

static void
mark(const struct stat *is)
{
	unmark(is);
	for (int i = 0; i < MARKS; i++)
		if (unsynced[i].file == 0) {
			unsynced[i].file = is->st_ino;
			unsynced[i].device = is->st_dev;
			unsynced[i].folder = S_ISDIR(is->st_mode);
			return;
		}
	abort();
}

static int
is_marked(const struct stat *is)
{
	for (int i = 0; i < MARKS; i++)
		if (unsynced[i].file == is->st_ino && unsynced[i].device == is->st_dev)
			return 1;
	return 0;
}

static void
changed(int fd)
{
	struct stat is;

	if (fstat(fd, &is) == 0 && S_ISREG(is.st_mode))
		mark(&is);
}

static void
synced(int fd)
{
	struct stat is;

	if (fstat(fd, &is) == 0)
		unmark(&is);
}

ssize_t
write(int fd, const void *from, size_t size)
{
	ssize_t got = REAL("write", ssize_t, int, const void *, size_t)(fd, from, size);

	changed(fd);
	return got;
}

ssize_t
pwrite(int fd, const void *from, size_t size, off_t offset)
{
	ssize_t got = REAL("pwrite", ssize_t, int, const void *, size_t, off_t)(fd, from, size, offset);

	changed(fd);
	return got;
}

int
ftruncate(int fd, off_t size)
{
	int got = REAL("ftruncate", int, int, off_t)(fd, size);

	changed(fd);
	return got;
}

int
fsync(int fd)
{
	int got = REAL("fsync", int, int)(fd);

	if (got == 0)
		synced(fd);
	return got;
}

int
fdatasync(int fd)
{
	int got = REAL("fdatasync", int, int)(fd);

	if (got == 0)
		synced(fd);
	return got;
}

int
rename(const char *from, const char *to)
{
	char folder[PATH_MAX];
	struct stat is;
	int got;

	if (stat(from, &is) == 0 && is_marked(&is))
		say("unsynced file", to);
	got = REAL("rename", int, const char *, const char *)(from, to);
	snprintf(folder, sizeof folder, "%s", to);
	if (got == 0 && stat(dirname(folder), &is) == 0)
		mark(&is);
	say("placed", to);
	return got;
}

__attribute__((destructor)) static void
look_at_folders(void)
{
	for (int i = 0; i < MARKS; i++)
		if (unsynced[i].file != 0 && unsynced[i].folder)
			say("unsynced folder", "");
}
