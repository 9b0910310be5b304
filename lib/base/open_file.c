/* SPDX-License-Identifier: MIT
 * open_file: opens a file, again when a signal came between. */
#include "base/open_file.h"

#include "base/host.h"

#include <errno.h>
#include <fcntl.h>

int
open_file(const char *path, int flags, mode_t mode)
{
	int fd;

	while ((fd = open(path, flags | O_CLOEXEC | O_NOCTTY, mode)) < 0 && errno == EINTR && !host_stopping())
		continue;
	return fd;
}

bool
is_missing_file(int error)
{
	static const int missing[] = { ENOENT, ENOTDIR, EISDIR, EACCES, EPERM, ELOOP, ENAMETOOLONG, ENXIO, ENODEV };

	for (unsigned i = 0; i < sizeof missing / sizeof *missing; i++)
		if (error == missing[i])
			return true;
	return false;
}
