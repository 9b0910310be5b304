/* SPDX-License-Identifier: MIT
 * output: writes to standard output, to a special file, or beside a regular file that a good close replaces. */
#include "base/output.h"
#include "base/folder_sync.h"
#include "base/host.h"
#include "base/memory.h"
#include "base/shared_folder.h"
#include "base/temp_file.h"

#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <poll.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#define COPY_BYTES (1u << 20)
#define STOP_PATIENCE_MS 5000	/* wait for a reader that takes nothing, once asked to stop */

struct output {
	int fd;
	mode_t kind;		/* S_IFMT bits */
	bool is_terminal;
	char *path;		/* what it is called in messages, and will be renamed to */
	char *beside;		/* the file written until then; NULL when path itself is written */
	bool lent;		/* that file, to a scratch */
};

static int
open_beside(struct output *out, struct stk_error *err)
{
	out->fd = temp_file_create(&out->beside, out->path);
	return out->fd < 0 ? stk_fail_errno(err, "cannot create %s", out->path) : 0;
}

/* Replaces the target of a symbolic link, not the link; but the link itself where another user may have put it
 * there. */
static void
resolve(struct output *out)
{
	char *real = NULL;

	errno = 0;
	if (shared_folder_may_follow(out->path))
		real = realpath(out->path, NULL);
	if (real == NULL && errno == ENOMEM)
		host_out_of_memory(1, PATH_MAX);
	if (real == NULL)
		return;
	free(out->path);
	out->path = real;
}

static int
open_path(struct output *out, struct stk_error *err)
{
	struct stat is;

	if (stat(out->path, &is) < 0)
		return open_beside(out, err);
	if (S_ISDIR(is.st_mode))
		return stk_fail(err, STK_ESYSTEM, "cannot write to %s: it is a directory", out->path);
	if (S_ISREG(is.st_mode)) {
		if (!shared_folder_allows(out->path, &is, err))
			return -1;
		resolve(out);
		if (access(out->path, W_OK) < 0)	/* renaming would replace a file that is write-protected */
			return stk_fail_errno(err, "cannot write to %s", out->path);
		if (open_beside(out, err) < 0)
			return -1;
		/* best effort: the file may belong to another user in a directory of ours */
		(void)fchmod(out->fd, is.st_mode & 07777);
		return 0;
	}
	out->fd = shared_folder_open(out->path, O_WRONLY, 0, err);	/* a device or a pipe */
	return out->fd < 0 ? -1 : 0;
}

/* It has its final name by now, or is removed. */
static void
drop_beside(struct output *out, bool remove)
{
	if (remove)
		unlink(out->beside);
	temp_file_forget(out->beside);
	free(out->beside);
	out->beside = NULL;
}

static int
release(struct output *out, int result)
{
	if (out->beside != NULL)
		drop_beside(out, result < 0);
	free(out->path);
	free(out);
	return result;
}

int
output_open(struct output **to, const char *path, struct stk_error *err)
{
	bool is_stdout = path == NULL || strcmp(path, "-") == 0;
	const char *name = is_stdout ? "stdout" : path;
	struct output *out = mem_new(1, sizeof *out);
	struct stat is;

	*to = NULL;
	out->path = memcpy(mem_new(strlen(name) + 1, 1), name, strlen(name));
	out->fd = STDOUT_FILENO;
	if (!is_stdout && open_path(out, err) < 0)
		return release(out, -1);
	if (fstat(out->fd, &is) < 0)
		return release(out, stk_fail_errno(err, "cannot examine %s", name));
	out->kind = is.st_mode & S_IFMT;
	out->is_terminal = out->kind == S_IFCHR && isatty(out->fd) == 1;
	*to = out;
	return 0;
}

/* True when writing is worth another attempt. Whoever shares stdout may have made it non-blocking: then we wait. */
static bool
may_retry(int fd)
{
	struct pollfd wait = { .fd = fd, .events = POLLOUT };

	if (errno == EAGAIN || errno == EWOULDBLOCK)
		return poll(&wait, 1, -1) >= 0 || errno == EINTR;
	return errno == EINTR;
}

/* How much to write at once. After a request to stop, no more than a pipe takes without blocking, because its reader
 * may take nothing; 0: it takes nothing. */
static size_t
piece_of(const struct output *out, size_t size)
{
	struct pollfd wait = { .fd = out->fd, .events = POLLOUT };

	if (out->kind == S_IFREG || !host_stopping())
		return size;
	if (poll(&wait, 1, STOP_PATIENCE_MS) == 0)
		return 0;
	return size < PIPE_BUF ? size : PIPE_BUF;
}

int
output_write(struct output *out, const void *from, size_t size, struct stk_error *err)
{
	const char *at = from;

	while (size > 0) {
		size_t piece = piece_of(out, size);
		ssize_t written = piece == 0 ? -1 : write(out->fd, at, piece);

		if (piece == 0)
			return stk_fail(err, STK_ESYSTEM, "cannot write to %s: nobody reads it, and the program was asked to stop",
					out->path);
		if (written >= 0) {
			at += written;
			size -= (size_t)written;
		} else if (!may_retry(out->fd))
			return stk_fail_errno(err, "cannot write to %s", out->path);
	}
	return 0;
}

/* --- a scratch in its place --- */

struct scratch *
output_scratch(struct output *out)
{
	if (out->beside == NULL || out->lent)
		return NULL;
	out->lent = true;
	return scratch_lent(out->fd, out->path);
}

/* What was written in its place, and is not the result. */
static int
drop_lent(struct output *out, struct stk_error *err)
{
	int result = 0;

	while (out->lent && (result = ftruncate(out->fd, 0)) < 0 && errno == EINTR)
		continue;
	return result < 0 ? stk_fail_errno(err, "cannot write to %s", out->path) : 0;
}

int
output_take(struct output *out, const struct scratch *from, struct stk_error *err)
{
	int64_t at = 0;
	char *buffer;
	long got;
	int result;

	if (out->lent && scratch_is_in(from, out->fd))
		return 0;
	result = drop_lent(out, err);
	buffer = mem_new(COPY_BYTES, 1);
	while (result == 0 && (got = scratch_read_at(from, buffer, COPY_BYTES, at, err)) != 0) {
		result = got < 0 ? -1 : output_write(out, buffer, (size_t)got, err);
		at += got;
	}
	free(buffer);
	return result;
}

/* --- what it is --- */

bool
output_is_terminal(const struct output *out)
{
	return out->is_terminal;
}

bool
output_is_file(const struct output *out)
{
	return out->kind == S_IFREG;
}

/* The descriptor is closed whatever close returns, so EINTR is not a failure: what matters was synced before, or is on
 * a device. */
static int
close_fd(struct output *out)
{
	int fd = out->fd;

	out->fd = -1;
	return close(fd) < 0 && errno != EINTR ? -1 : 0;
}

/* The order matters: what is renamed into place must be on the disk, or a power cut leaves an empty file under a good
 * name. */
static int
put_in_place(struct output *out, struct stk_error *err)
{
	int result, folder;

	while ((result = fsync(out->fd)) < 0 && errno == EINTR)
		continue;
	if (result < 0 && errno != EINVAL && errno != EROFS)
		return stk_fail_errno(err, "cannot write to %s", out->path);
	result = close_fd(out);
	if (result < 0)
		return stk_fail_errno(err, "cannot close %s", out->path);
	if (folder_open(&folder, out->path, err) < 0)
		return -1;
	while ((result = rename(out->beside, out->path)) < 0 && errno == EINTR)
		continue;
	if (result == 0)
		return folder_sync(folder, out->path, err);
	stk_fail_errno(err, "cannot rename to %s", out->path);
	folder_close(folder);
	return -1;
}

/* An unfinished file must not replace the old one. */
static int
replace(struct output *out, struct stk_error *err)
{
	return host_check_finished(out->path, err) < 0 ? -1 : put_in_place(out, err);
}

int
output_close(struct output *out, bool keep, struct stk_error *err)
{
	int result = 0;

	if (out == NULL)
		return 0;
	if (out->fd == STDOUT_FILENO)		/* program_end closes it, and checks */
		return release(out, 0);
	if (out->beside != NULL && keep)
		result = replace(out, err);
	if (out->fd >= 0 && close_fd(out) < 0 && keep && result == 0)
		result = stk_fail_errno(err, "cannot close %s", out->path);
	if (out->beside != NULL && !keep)
		drop_beside(out, true);
	return release(out, result);
}
