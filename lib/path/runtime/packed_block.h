/* SPDX-License-Identifier: MIT
 * packed_block: compressed blocks of zstd frames, from within another program and from signal handlers: no library is
 * called. */
#ifndef PATH_RUNTIME_PACKED_BLOCK_H
#define PATH_RUNTIME_PACKED_BLOCK_H

#include "plain_stream.h"

/* What earlier blocks of the frame contain. */
struct packing {
	const unsigned char *content;	/* of the whole frame */
	uint32_t *places;		/* where the content last had bytes of this hash, from 1 */
	unsigned log;			/* of the number of places */
	struct plain_bytes literals, sequences, bits;
};

/* Fewer than 2^30 bytes. */
void packing_begin(struct packing *packing, const unsigned char *content, size_t size);
/* Adds the next bytes of the content, at most 131,072, as the body of a compressed block. False: that would not be
 * shorter, or there is no memory; nothing is added. */
bool packing_put(struct packing *packing, struct plain_bytes *to, size_t from, size_t size);
void packing_end(struct packing *packing);

#endif
