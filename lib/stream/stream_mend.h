/* SPDX-License-Identifier: MIT
 * stream_mend: repairs a file whose writer was killed: what was being written is cut off, and the last stream gets its
 * index and its end. */
#ifndef STREAM_STREAM_MEND_H
#define STREAM_STREAM_MEND_H

#include "stkpipe/error.h"

#include <stdint.h>

/* Of a file that holds record streams and nothing else; an empty one is whole. *cut: bytes that were cut off, which the
 * stream's end then reports too. Nothing is written when the file is whole. STK_EDATA: it is something else, and is
 * left unchanged. */
int stream_mend(const char *path, uint64_t *cut, struct stk_error *err) STK_MUST_CHECK;

#endif
