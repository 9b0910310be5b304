/* SPDX-License-Identifier: MIT
 * end_lock: by locks of open files, which the capture's own lock on the whole file (flock) does not know of. */
#include "base/end_lock.h"

#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <stdint.h>
#include <unistd.h>

#define PAUSE_MS       1
#define READER_WAIT_MS 5000
#define WRITER_WAIT_MS 1000

#ifdef F_OFD_SETLK
static bool
set_lock(int fd, short type, unsigned wait_ms)
{
	for (unsigned waited = 0;; waited += PAUSE_MS) {
		struct flock lock = { .l_type = type, .l_whence = SEEK_SET, .l_start = INT64_MAX - 1, .l_len = 1 };

		if (fcntl(fd, F_OFD_SETLK, &lock) == 0)
			return true;
		if ((errno != EAGAIN && errno != EACCES && errno != EINTR) || waited >= wait_ms)
			return false;
		(void)poll(NULL, 0, PAUSE_MS);
	}
}
#else
static bool
set_lock(int fd, short type, unsigned wait_ms)
{
	(void)fd, (void)type, (void)wait_ms;
	return false;
}
#endif

bool
end_lock_to_read(int fd)
{
	return set_lock(fd, F_RDLCK, READER_WAIT_MS);
}

void
end_lock_to_write(int fd)
{
	(void)set_lock(fd, F_WRLCK, WRITER_WAIT_MS);
}

void
end_unlock(int fd)
{
	(void)set_lock(fd, F_UNLCK, 0);
}
