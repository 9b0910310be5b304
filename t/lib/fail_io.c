/* SPDX-License-Identifier: MIT
 * fail_io: a library to preload that makes one call go wrong: FAIL=read:3 the third read, FAIL=read:3+ the third and
 * all that follow. Calls are read, pread, write, pwrite, fsync (and fdatasync), rename, close, ftruncate, open (and
 * openat), mmap; malloc (and calloc, realloc, aligned_alloc, posix_memalign), room (mmap of no file), thread
 * (pthread_create), unlink (and unlinkat), seek (lseek), stat (fstat), lock (flock), folder (opendir); short:3 is the
 * third write that takes one byte only. FAILWITH says how: EIO, ENOSPC, EINTR, EMFILE and others, short, which passes
 * one byte, kill, which is SIGKILL in its place, or half, which writes half of it before that; else writes find the
 * disk full, rename is not permitted, memory is short, and the others fail as if the disk were bad.
 *
 * Where FAIL is not set and COUNTED names a file, how many calls of each kind there were is written there at the end:
 * lines of NAME and a number.
 *
 * What counts: read and pread of files and pipes that are not empty, open of what is not the system's own, mmap of
 * files, and the others for what is written, but for stderr; of memory, what is asked for after libraries are loaded.
 * Where FAILED names a file, something is in it when the call has gone wrong, so that a test knows.
 *
 *	cc -shared -fPIC -o fail_io.so fail_io.c -ldl */
#define _GNU_SOURCE
#include <dirent.h>
#include <dlfcn.h>
#include <errno.h>
#include <fcntl.h>
#include <pthread.h>
#include <signal.h>
#include <stdarg.h>
#include <stdatomic.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/file.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <unistd.h>

#define REAL(name, result, ...) ((result (*)(__VA_ARGS__))dlsym(RTLD_NEXT, name))

static const char *const kinds[] = { "read",   "pread", "write",  "pwrite", "fsync", "rename", "close",
				     "ftruncate", "open", "mmap", "short",  "malloc", "room",  "thread",
				     "unlink", "seek",  "stat",   "lock",   "folder" };

#define KINDS (sizeof kinds / sizeof *kinds)

static atomic_int calls[KINDS];
static int mark_fd = -1, counts_fd = -1;

/* What FAIL and FAILWITH ask for, read once: a filter may ask for memory a million times. */
static struct { bool ready, and_all_that_follow; size_t kind; int number; const char *way; } plan = { .kind = KINDS };

static int
real_fstat(int fd, struct stat *is)
{
	return REAL("fstat", int, int, struct stat *)(fd, is);
}

static bool
is_written(int fd)
{
	int flags = fcntl(fd, F_GETFL);
	struct stat is;

	return fd != STDERR_FILENO && flags >= 0 && (flags & O_ACCMODE) != O_RDONLY &&
	       real_fstat(fd, &is) == 0 && (is.st_mode & S_IFMT) != 0;		/* no files of the kernel's own */
}

/* Files in /proc have no size. */
static bool
is_input(int fd)
{
	struct stat is;

	return real_fstat(fd, &is) == 0 && ((S_ISREG(is.st_mode) && is.st_size > 0) || S_ISFIFO(is.st_mode));
}

static bool
is_the_systems(const char *path)
{
	static const char *const roots[] = { "/proc/", "/sys/", "/dev/", "/etc/", "/usr/", "/lib" };

	for (size_t i = 0; i < sizeof roots / sizeof *roots; i++)
		if (strncmp(path, roots[i], strlen(roots[i])) == 0)
			return true;
	return false;
}

/* True when this call is the one. */
static bool
is_chosen(const char *what)
{
	size_t kind = 0;
	int number;

	if (!plan.ready)
		return false;
	while (strcmp(kinds[kind], what) != 0)
		kind++;
	number = atomic_fetch_add(&calls[kind], 1) + 1;
	if (kind != plan.kind || (plan.and_all_that_follow ? number < plan.number : number != plan.number))
		return false;
	if (mark_fd >= 0 && syscall(SYS_write, mark_fd, "!", (size_t)1) < 0)
		abort();
	return true;
}

static void
read_plan(const char *text)
{
	for (size_t kind = 0; text != NULL && kind < KINDS; kind++) {
		size_t size = strlen(kinds[kind]);
		char *end;

		if (strncmp(text, kinds[kind], size) != 0 || text[size] != ':')
			continue;
		plan.kind = kind;
		plan.number = (int)strtol(text + size + 1, &end, 10);
		plan.and_all_that_follow = *end == '+';
	}
	plan.way = getenv("FAILWITH");
	plan.ready = true;
}

/* Both are opened before the filter gives up writing anywhere else. */
__attribute__((constructor)) static void
open_files(void)
{
	const char *mark = getenv("FAILED"), *counted = getenv("COUNTED");

	if (mark != NULL)
		mark_fd = (int)syscall(SYS_openat, AT_FDCWD, mark, O_WRONLY | O_CREAT | O_APPEND | O_CLOEXEC, 0666);
	if (counted != NULL && getenv("FAIL") == NULL)
		counts_fd = (int)syscall(SYS_openat, AT_FDCWD, counted, O_WRONLY | O_CREAT | O_CLOEXEC, 0666);
	read_plan(getenv("FAIL"));
}

__attribute__((destructor)) static void
write_counts(void)
{
	char text[KINDS * 40];
	size_t used = 0;

	if (counts_fd < 0)
		return;
	for (size_t i = 0; i < KINDS; i++)
		used += (size_t)snprintf(text + used, sizeof text - used, "%s %d\n", kinds[i], atomic_load(&calls[i]));
	if (syscall(SYS_ftruncate, counts_fd, (off_t)0) < 0 ||
	    syscall(SYS_pwrite64, counts_fd, text, used, (off_t)0) < 0)
		abort();
}

static bool
is_way(const char *name)
{
	return plan.way != NULL && strcmp(plan.way, name) == 0;
}

/* How much of a transfer is let through: all but of short and half ones. */
static size_t
part_of(size_t size)
{
	return is_way("short") ? size > 0 : size / 2;
}

static int
error_of(const char *way, int usual)
{
	static const struct { const char *name; int number; } errors[] = {
		{ "EIO", EIO },       { "ENOSPC", ENOSPC }, { "EINTR", EINTR },	  { "EMFILE", EMFILE },
		{ "EPIPE", EPIPE },   { "ENOMEM", ENOMEM }, { "EACCES", EACCES }, { "EAGAIN", EAGAIN },
		{ "EDQUOT", EDQUOT }, { "ENOLCK", ENOLCK }, { "ENOENT", ENOENT },
	};

	for (size_t i = 0; way != NULL && i < sizeof errors / sizeof *errors; i++)
		if (strcmp(way, errors[i].name) == 0)
			return errors[i].number;
	return usual;
}

static int
failure(int usual)
{
	if (is_way("kill") || is_way("half"))
		kill(getpid(), SIGKILL);
	errno = error_of(plan.way, usual);
	return -1;
}

ssize_t
read(int fd, void *to, size_t size)
{
	ssize_t (*real)(int, void *, size_t) = REAL("read", ssize_t, int, void *, size_t);

	if (!is_input(fd) || !is_chosen("read"))
		return real(fd, to, size);
	return is_way("short") ? real(fd, to, part_of(size)) : failure(EIO);
}

ssize_t
pread(int fd, void *to, size_t size, off_t offset)
{
	ssize_t (*real)(int, void *, size_t, off_t) = REAL("pread", ssize_t, int, void *, size_t, off_t);

	if (!is_input(fd) || !is_chosen("pread"))
		return real(fd, to, size, offset);
	return is_way("short") ? real(fd, to, part_of(size), offset) : failure(EIO);
}

ssize_t
write(int fd, const void *from, size_t size)
{
	ssize_t (*real)(int, const void *, size_t) = REAL("write", ssize_t, int, const void *, size_t);

	if (is_written(fd) && is_chosen("write"))
		return is_way("short") || (is_way("half") && real(fd, from, part_of(size)) < 0)
			       ? real(fd, from, part_of(size))
			       : failure(ENOSPC);
	if (is_written(fd) && size > 1 && is_chosen("short"))
		return real(fd, from, 1);
	return real(fd, from, size);
}

ssize_t
pwrite(int fd, const void *from, size_t size, off_t offset)
{
	ssize_t (*real)(int, const void *, size_t, off_t) = REAL("pwrite", ssize_t, int, const void *, size_t, off_t);

	if (!is_chosen("pwrite"))
		return real(fd, from, size, offset);
	return is_way("short") || (is_way("half") && real(fd, from, part_of(size), offset) < 0)
		       ? real(fd, from, part_of(size), offset)
		       : failure(ENOSPC);
}

int
close(int fd)
{
	int (*real)(int) = REAL("close", int, int);
	bool failing = fd > STDERR_FILENO && is_written(fd) && is_chosen("close");
	int result = real(fd);

	return failing ? failure(EIO) : result;
}

int
fsync(int fd)
{
	return is_chosen("fsync") ? failure(EIO) : REAL("fsync", int, int)(fd);
}

int
fdatasync(int fd)
{
	return is_chosen("fsync") ? failure(EIO) : REAL("fdatasync", int, int)(fd);
}

int
ftruncate(int fd, off_t size)
{
	return is_chosen("ftruncate") ? failure(EIO) : REAL("ftruncate", int, int, off_t)(fd, size);
}

int
rename(const char *from, const char *to)
{
	return is_chosen("rename") ? failure(EACCES) : REAL("rename", int, const char *, const char *)(from, to);
}

#define MODE_OF(flags, mode) do { \
	if (((flags) & (O_CREAT | O_TMPFILE)) != 0) { \
		va_list args_; \
		va_start(args_, flags); \
		mode = (mode_t)va_arg(args_, int); \
		va_end(args_); \
	} \
} while (0)

int
open(const char *path, int flags, ...)
{
	mode_t mode = 0;

	MODE_OF(flags, mode);
	if (!is_the_systems(path) && is_chosen("open"))
		return failure(EIO);
	return REAL("open", int, const char *, int, ...)(path, flags, mode);
}

int
openat(int folder, const char *path, int flags, ...)
{
	mode_t mode = 0;

	MODE_OF(flags, mode);
	if (!is_the_systems(path) && is_chosen("open"))
		return failure(EIO);
	return REAL("openat", int, int, const char *, int, ...)(folder, path, flags, mode);
}

void *
mmap(void *at, size_t size, int protection, int flags, int fd, off_t offset)
{
	if (fd >= 0 ? is_chosen("mmap") : is_chosen("room"))
		return failure(fd >= 0 ? ENODEV : ENOMEM), MAP_FAILED;
	return REAL("mmap", void *, void *, size_t, int, int, int, off_t)(at, size, protection, flags, fd, offset);
}

/* --- memory --- */

void *__libc_malloc(size_t size);
void *__libc_calloc(size_t count, size_t size);
void *__libc_realloc(void *old, size_t size);
void *__libc_memalign(size_t alignment, size_t size);

/* Memory is short whatever FAILWITH says, but for a kill. */
static bool
memory_is_short(void)
{
	if (!is_chosen("malloc"))
		return false;
	(void)failure(ENOMEM);
	errno = ENOMEM;
	return true;
}

void *
malloc(size_t size)
{
	return memory_is_short() ? NULL : __libc_malloc(size);
}

void *
calloc(size_t count, size_t size)
{
	return memory_is_short() ? NULL : __libc_calloc(count, size);
}

void *
realloc(void *old, size_t size)
{
	return memory_is_short() ? NULL : __libc_realloc(old, size);
}

void *
aligned_alloc(size_t alignment, size_t size)
{
	return memory_is_short() ? NULL : __libc_memalign(alignment, size);
}

int
posix_memalign(void **to, size_t alignment, size_t size)
{
	void *new = memory_is_short() ? NULL : __libc_memalign(alignment, size);

	if (new == NULL)
		return ENOMEM;
	*to = new;
	return 0;
}

int
pthread_create(pthread_t *to, const pthread_attr_t *how, void *(*run)(void *), void *with)
{
	int (*real)(pthread_t *, const pthread_attr_t *, void *(*)(void *), void *) =
		REAL("pthread_create", int, pthread_t *, const pthread_attr_t *, void *(*)(void *), void *);

	return is_chosen("thread") ? failure(EAGAIN), EAGAIN : real(to, how, run, with);
}

/* --- files that are not read or written --- */

int
unlink(const char *path)
{
	return is_chosen("unlink") ? failure(EIO) : REAL("unlink", int, const char *)(path);
}

int
unlinkat(int folder, const char *path, int flags)
{
	return is_chosen("unlink") ? failure(EIO) : REAL("unlinkat", int, int, const char *, int)(folder, path, flags);
}

off_t
lseek(int fd, off_t offset, int from)
{
	return is_chosen("seek") ? failure(EIO) : REAL("lseek", off_t, int, off_t, int)(fd, offset, from);
}

int
fstat(int fd, struct stat *is)
{
	return is_chosen("stat") ? failure(EIO) : real_fstat(fd, is);
}

int
flock(int fd, int how)
{
	return is_chosen("lock") ? failure(ENOLCK) : REAL("flock", int, int, int)(fd, how);
}

DIR *
opendir(const char *path)
{
	return is_chosen("folder") ? failure(EMFILE), NULL : REAL("opendir", DIR *, const char *)(path);
}
