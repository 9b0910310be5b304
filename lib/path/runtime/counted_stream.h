/* SPDX-License-Identifier: MIT
 * counted_stream: how a stream of counts begins: its schema, and the program that counted. */
#ifndef PATH_RUNTIME_COUNTED_STREAM_H
#define PATH_RUNTIME_COUNTED_STREAM_H

#include "plain_stream.h"

struct counted_program { const char *name, *host; uint64_t pid; };

void counted_stream_begin(struct plain_stream *stream, int fd, const struct counted_program *program);
/* A function without probes, and why. Notes: zeroed before the first; to be flushed and released. */
void counted_stream_left_out(struct plain_stream *stream, struct plain_block *notes, const char *text);

#endif
