/* SPDX-License-Identifier: MIT
 * compressors: zstd's contexts, one for small contents and one for large ones. A context has just the memory that its
 * content needs: it asks for all of it anew, page by page, for a content that is a little larger, and gives it back
 * when the last 128 needed far less. So a context is made for more than it needs now, and small contents, of which
 * there are many, use another one than large ones. */
#ifndef STREAM_COMPRESSORS_H
#define STREAM_COMPRESSORS_H

#include <stddef.h>
#include <zstd.h>

struct compressor {
	ZSTD_CCtx *context;
	size_t room;		/* the largest content that it has memory for */
	int level;
};

struct compressors { struct compressor small, large; };		/* zeroed at first */

/* One that begins a frame of so many bytes. NULL: there is no memory, or zstd does not know the level. */
ZSTD_CCtx *compressor_for(struct compressors *compressors, size_t bytes, int level);
void compressors_release(struct compressors *compressors);

#endif
