/* SPDX-License-Identifier: MIT
 * folder_sync: fsync of the folder in which a file is. */
#include "base/folder_sync.h"

#include "base/memory.h"

#include <errno.h>
#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

/* With its last slash: "/" of "/x"; "." of "x" */
static char *
folder_of(const char *path)
{
	const char *slash = strrchr(path, '/');
	size_t size = slash != NULL ? (size_t)(slash - path) + 1 : 1;

	return memcpy(mem_new(size + 1, 1), slash != NULL ? path : ".", size);
}

int
folder_open(int *folder, const char *path, struct stk_error *err)
{
	char *name = folder_of(path);

	while ((*folder = open(name, O_RDONLY | O_DIRECTORY | O_CLOEXEC)) < 0 && errno == EINTR)
		continue;
	free(name);
	return *folder < 0 && errno != EACCES && errno != EPERM
		       ? stk_fail_errno(err, "cannot open the folder of %s", path)
		       : 0;
}

int
folder_sync(int folder, const char *path, struct stk_error *err)
{
	int result = 0;

	while (folder >= 0 && (result = fsync(folder)) < 0 && errno == EINTR)
		continue;
	if (result < 0 && (errno == EINVAL || errno == EROFS))		/* its file system knows no such request */
		result = 0;
	if (result < 0)
		stk_fail_errno(err, "%s is written, but a power cut may undo it: cannot sync its folder", path);
	folder_close(folder);
	return result < 0 ? -1 : 0;
}

void
folder_close(int folder)
{
	if (folder >= 0)
		(void)close(folder);
}
