/* SPDX-License-Identifier: MIT
 * patient_write: writes bytes to a file, or to a pipe whose reader may be slow: it waits for the reader, but not for
 * long once we are to stop. */
#ifndef CAPTURE_PATIENT_WRITE_H
#define CAPTURE_PATIENT_WRITE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* Writes to fd. waits: it may be a pipe, so write in small pieces, and only when there is room. *give_up_ns: until when
 * (monotonic_ns) to wait for a reader that takes nothing; 0 until the host is stopping, and set then; use the same
 * variable for all calls. Returns how many bytes were written: fewer than size with errno (ETIMEDOUT: given up). */
size_t patient_write(int fd, bool waits, const char *from, size_t size, int64_t *give_up_ns);

#endif
