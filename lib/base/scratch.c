/* SPDX-License-Identifier: MIT
 * scratch: a temporary file without a name. */
#include "base/scratch.h"

#include "base/host.h"
#include "base/memory.h"
#include "base/open_file.h"

#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>

#define PATH_ROOM 4096

struct scratch {
	int fd;
	int64_t size;
	const char *lender;	/* the name of the file that was lent; NULL: a file of its own */
};

/* Where the file system does not support nameless files, one with a name that is removed at once. */
static int
open_nameless(const char *folder)
{
	char path[PATH_ROOM];
	int fd = open_file(folder, O_TMPFILE | O_RDWR, 0600);

	if (fd >= 0 || snprintf(path, sizeof path, "%s/stkpipe.XXXXXX", folder) >= (int)sizeof path)
		return fd;
	fd = mkostemp(path, O_CLOEXEC);
	if (fd >= 0)
		unlink(path);
	return fd;
}

int
scratch_open(struct scratch **out, struct stk_error *err)
{
	const char *folder = host_scratch_folder();
	int fd = open_nameless(folder);

	*out = NULL;
	if (fd < 0)
		return stk_fail_errno(err, "cannot create a temporary file in %s (set TMPDIR to use another folder)",
				      folder);
	*out = mem_new(1, sizeof **out);
	(*out)->fd = fd;
	return 0;
}

struct scratch *
scratch_lent(int fd, const char *name)
{
	struct scratch *scratch = mem_new(1, sizeof *scratch);

	scratch->fd = fd;
	scratch->lender = name;
	return scratch;
}

bool
scratch_is_in(const struct scratch *scratch, int fd)
{
	return scratch->lender != NULL && scratch->fd == fd;
}

static const char *
name_of(const struct scratch *scratch)
{
	return scratch->lender == NULL ? "a temporary file" : scratch->lender;
}

int
scratch_write(struct scratch *scratch, const void *from, size_t size, struct stk_error *err)
{
	const char *at = from;

	while (size > 0) {
		ssize_t written = pwrite(scratch->fd, at, size, scratch->size);

		if (written < 0 && errno == EINTR)
			continue;
		if (written < 0)
			return stk_fail_errno(err, "cannot write to %s", name_of(scratch));
		at += written;
		size -= (size_t)written;
		scratch->size += written;
	}
	return 0;
}

long
scratch_read_at(const struct scratch *scratch, void *to, size_t size, int64_t offset, struct stk_error *err)
{
	size_t done = 0;

	while (done < size) {
		ssize_t got = pread(scratch->fd, (char *)to + done, size - done, offset + (int64_t)done);

		if (got < 0 && errno == EINTR)
			continue;
		if (got < 0)
			return stk_fail_errno(err, "cannot read %s", name_of(scratch));
		if (got == 0)
			break;
		done += (size_t)got;
	}
	return (long)done;
}

int64_t
scratch_size(const struct scratch *scratch)
{
	return scratch->size;
}

void
scratch_empty(struct scratch *scratch)
{
	scratch->size = 0;
}

void
scratch_close(struct scratch *scratch)
{
	if (scratch == NULL)
		return;
	if (scratch->lender == NULL)
		close(scratch->fd);
	free(scratch);
}
