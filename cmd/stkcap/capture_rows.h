/* SPDX-License-Identifier: MIT
 * capture_rows: dumps and samples, counted together. */
#ifndef STKCAP_CAPTURE_ROWS_H
#define STKCAP_CAPTURE_ROWS_H

#include <stdint.h>

struct capture_rows { uint64_t dumps, samples; };

static inline void
capture_rows_add(struct capture_rows *to, const struct capture_rows *rows)
{
	to->dumps += rows->dumps;
	to->samples += rows->samples;
}

static inline void
capture_rows_subtract(struct capture_rows *from, const struct capture_rows *rows)
{
	from->dumps -= rows->dumps;
	from->samples -= rows->samples;
}

#endif
