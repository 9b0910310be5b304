/* SPDX-License-Identifier: MIT
 * open_file: open(2) that a signal in passing does not make fail, and what its failures mean. */
#ifndef BASE_OPEN_FILE_H
#define BASE_OPEN_FILE_H

#include <stdbool.h>
#include <sys/types.h>

/* The descriptor, or -1 with errno; EINTR only when the program was asked to stop. O_CLOEXEC and O_NOCTTY are added to
 * the flags. */
int open_file(const char *path, int flags, mode_t mode);

/* Whether errno says that a named file does not exist or may not be opened, rather than that the system failed. */
bool is_missing_file(int error);

#endif
