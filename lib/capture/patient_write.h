/* SPDX-License-Identifier: MIT
 * patient_write: bytes to a file, or to a pipe whose reader may be slow: it is waited for, but once we are to stop, not
 * for long. */
#ifndef CAPTURE_PATIENT_WRITE_H
#define CAPTURE_PATIENT_WRITE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* Writes to fd. waits: it may be a pipe, so that writing is done in small pieces, and only where there is room.
 * *give_up_ns: until when (monotonic_ns) a reader that takes nothing is waited for; 0 until the host is stopping, and
 * set then; the same variable for all calls. How many bytes were written: fewer than size with errno (ETIMEDOUT: given
 * up). */
size_t patient_write(int fd, bool waits, const char *from, size_t size, int64_t *give_up_ns);

#endif
