/* SPDX-License-Identifier: MIT
 * column_planes: numbers as planes: all lowest bytes, all second ones; `packed` bits of each; the bytes above. */
#ifndef STREAM_COLUMN_PLANES_H
#define STREAM_COLUMN_PLANES_H

#include "stream/column.h"

/* Bytes of `count` numbers of so many bits. */
static inline size_t
column_packed_size(unsigned bits, size_t count)
{
	return (count * bits + 7) / 8;
}

/* Writes the planes of `count` numbers; reads them again. Their size follows from the coding. */
void column_put_planes(const struct column_coding *coding, unsigned char *to, const uint64_t *numbers, size_t count);
void column_take_planes(const struct column_coding *coding, const unsigned char *from, uint64_t *numbers, size_t count);

#endif
