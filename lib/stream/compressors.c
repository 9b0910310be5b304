/* SPDX-License-Identifier: MIT
 * compressors: chooses the context, and makes room in it. */
#include "stream/compressors.h"

#include <stdbool.h>

#define SMALL_MOST ((size_t)64 << 10)

static bool
set_level(struct compressor *of, int level)
{
	if (of->context == NULL) {
		of->context = ZSTD_createCCtx();
		if (of->context == NULL || ZSTD_isError(ZSTD_CCtx_setParameter(of->context, ZSTD_c_checksumFlag, 1)))
			return false;
	} else if (of->level == level) {
		return true;
	}
	of->level = level;
	of->room = 0;
	return !ZSTD_isError(ZSTD_CCtx_setParameter(of->context, ZSTD_c_compressionLevel, level));
}

static bool
begin_frame(ZSTD_CCtx *context, size_t bytes)
{
	return !ZSTD_isError(ZSTD_CCtx_reset(context, ZSTD_reset_session_only)) &&
	       !ZSTD_isError(ZSTD_CCtx_setPledgedSrcSize(context, bytes));
}

/* By the beginning of a frame that is not written. */
static bool
make_room(struct compressor *of, size_t bytes)
{
	char head[32];		/* a frame's head has 18 bytes at most */
	ZSTD_outBuffer out = { head, sizeof head, 0 };
	ZSTD_inBuffer in = { NULL, 0, 0 };

	for (of->room = SMALL_MOST; of->room < bytes; of->room *= 2)
		;
	return begin_frame(of->context, of->room) &&
	       !ZSTD_isError(ZSTD_compressStream2(of->context, &out, &in, ZSTD_e_continue));
}

ZSTD_CCtx *
compressor_for(struct compressors *compressors, size_t bytes, int level)
{
	struct compressor *of = bytes <= SMALL_MOST ? &compressors->small : &compressors->large;

	if (!set_level(of, level) || (bytes > of->room && !make_room(of, bytes)) || !begin_frame(of->context, bytes))
		return NULL;
	return of->context;
}

void
compressors_release(struct compressors *compressors)
{
	ZSTD_freeCCtx(compressors->small.context);
	ZSTD_freeCCtx(compressors->large.context);
	*compressors = (struct compressors){ 0 };
}
