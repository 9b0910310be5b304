/* SPDX-License-Identifier: MIT
 * column_work: room in the memory for coding columns. Only for column_*.c. */
#ifndef STREAM_COLUMN_WORK_H
#define STREAM_COLUMN_WORK_H

#include <stddef.h>

/* `old`, or a new one, somewhat larger, when that has no room for `count` elements; the content is lost. */
void *column_room(void *old, size_t *room, size_t count, size_t size);

#define ROOM(scratch, array, count) \
	((scratch)->array = column_room((scratch)->array, &(scratch)->array##_room, (count), sizeof *(scratch)->array))

#endif
