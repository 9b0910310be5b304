/* SPDX-License-Identifier: MIT
 * stream_mend: makes a file whole again whose writer was killed: what was being written is taken off, and the last
 * stream gets its index and its end. */
#ifndef STREAM_STREAM_MEND_H
#define STREAM_STREAM_MEND_H

#include "stkpipe/error.h"

#include <stdint.h>

/* Of a file that holds record streams and nothing else; an empty one is whole. *cut: bytes that were taken off, which
 * the stream's end then tells too. Nothing is written when the file is whole. STK_EDATA: it is something else, and
 * stays as it is. */
int stream_mend(const char *path, uint64_t *cut, struct stk_error *err) STK_MUST_CHECK;

#endif
