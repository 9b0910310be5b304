/* SPDX-License-Identifier: MIT
 * patient_write: a pipe takes PIPE_BYTES at once when it has any room. */
#include "capture/patient_write.h"

#include "base/host.h"
#include "capture/attach.h"	/* monotonic_ns */

#include <errno.h>
#include <poll.h>
#include <unistd.h>

#define PIPE_BYTES  4096	/* written at a time, so that writing to a pipe that has room never waits */
#define PIPE_MS     200
#define PATIENCE_NS INT64_C(1000000000)	/* time for a reader to take the rest, once we are to stop */

/* False when we are to stop and nobody reads. */
static bool
wait_for_room(int fd, int64_t *give_up_ns)
{
	struct pollfd room = { .fd = fd, .events = POLLOUT };

	for (;;) {
		int ready = poll(&room, 1, PIPE_MS);

		if (ready > 0 || (ready < 0 && errno != EINTR))
			return true;		/* write says what is wrong */
		if (host_stopping() && *give_up_ns == 0)
			*give_up_ns = monotonic_ns() + PATIENCE_NS;
		if (*give_up_ns != 0 && monotonic_ns() > *give_up_ns)
			break;
	}
	errno = ETIMEDOUT;
	return false;
}

static ssize_t
write_some(int fd, bool waits, const char *from, size_t size, int64_t *give_up_ns)
{
	if (!waits)
		return write(fd, from, size);
	return wait_for_room(fd, give_up_ns) ? write(fd, from, size < PIPE_BYTES ? size : PIPE_BYTES) : -1;
}

size_t
patient_write(int fd, bool waits, const char *from, size_t size, int64_t *give_up_ns)
{
	size_t done = 0;

	while (done < size) {
		ssize_t written = write_some(fd, waits, from + done, size - done, give_up_ns);

		if (written < 0 && errno == EINTR)
			continue;
		if (written <= 0)
			break;
		done += (size_t)written;
	}
	return done;
}
