/* SPDX-License-Identifier: MIT
 * file_end: the old end is kept in a temporary file until the new one is on the disk. */
#include "timetree/file_end.h"

#include "base/end_lock.h"
#include "base/host.h"
#include "base/memory.h"

#include <errno.h>
#include <stdlib.h>
#include <unistd.h>

#define COPY_BYTES (1u << 20)

/* What a scratch holds becomes the end of the file, from a place on. */
static int
end_file_with(const struct scratch *from, int fd, int64_t place, const char *path, struct stk_error *err)
{
	char *buffer = mem_new(COPY_BYTES, 1);
	int64_t at = 0, size = scratch_size(from);
	int result = 0;

	end_lock_to_write(fd);
	while (result == 0 && at < size) {
		long got = scratch_read_at(from, buffer, COPY_BYTES, at, err);

		for (long done = 0; got > 0 && done < got && result == 0; ) {
			ssize_t written = pwrite(fd, buffer + done, (size_t)(got - done), place + at + done);

			if (written < 0 && errno != EINTR)
				result = stk_fail_errno(err, "cannot write to %s", path);
			done += written > 0 ? written : 0;
		}
		if (got <= 0)
			result = got < 0 ? -1 : stk_fail(err, STK_ESYSTEM, "a temporary file became shorter");
		at += got;
	}
	free(buffer);
	while (result == 0 && ftruncate(fd, place + at) < 0)
		if (errno != EINTR)
			result = stk_fail_errno(err, "cannot write to %s", path);
	end_unlock(fd);		/* readers see it: they need not wait for the disk */
	while (result == 0 && fdatasync(fd) < 0)
		if (errno != EINTR)
			result = stk_fail_errno(err, "cannot write to %s", path);
	return result;
}

static int
save_end(struct scratch *to, int fd, int64_t place, const char *path, struct stk_error *err)
{
	char *buffer = mem_new(COPY_BYTES, 1);
	ssize_t got;
	int result = 0;

	while (result == 0 && (got = pread(fd, buffer, COPY_BYTES, place + scratch_size(to))) != 0)
		if (got > 0)
			result = scratch_write(to, buffer, (size_t)got, err);
		else if (errno != EINTR)
			result = stk_fail_errno(err, "cannot read %s", path);
	free(buffer);
	return result;
}

int
file_end_replace(int fd, int64_t place, const struct scratch *with, const char *path, bool *torn, struct stk_error *err)
{
	struct scratch *old = NULL;
	struct stk_error unused = { 0 };
	int result = host_check_finished(path, err);

	*torn = false;
	if (result == 0)
		result = scratch_open(&old, err);
	if (result == 0)
		result = save_end(old, fd, place, path, err);
	if (result == 0 && end_file_with(with, fd, place, path, err) < 0) {
		result = -1;
		*torn = end_file_with(old, fd, place, path, &unused) < 0;
	}
	scratch_close(old);
	return result;
}
