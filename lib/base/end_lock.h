/* SPDX-License-Identifier: MIT
 * end_lock: programs that replace the end of a file in place (file_end), and those that look for what this end
 * says (stream_file), keep each other away meanwhile, so that nobody reads half of it. The lock is advisory, of
 * one byte that no file has, and ends with the process. */
#ifndef BASE_END_LOCK_H
#define BASE_END_LOCK_H

#include <stdbool.h>

/* Waits until nobody replaces the end, at most some seconds. False when that was in vain, or the file system has no
 * locks: then what is read is to be checked, as ever. */
bool end_lock_to_read(int fd);
/* Waits until nobody looks at the end; at most a second, since a reader may have been stopped. */
void end_lock_to_write(int fd);
void end_unlock(int fd);

#endif
