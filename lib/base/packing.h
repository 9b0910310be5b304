/* SPDX-License-Identifier: MIT
 * packing: which archive or rarer compression a file is, by its first bytes. */
#ifndef BASE_PACKING_H
#define BASE_PACKING_H

#include <stdbool.h>
#include <stddef.h>

enum packing { PACK_NONE, PACK_XZ, PACK_BZIP2, PACK_LZ4, PACK_TAR, PACK_CPIO, PACK_ZIP, PACK_7Z };

#define PACK_FIRST_BYTES 512	/* of a file, which are enough to know what it is */

const char *packing_name(enum packing packing);
static inline bool
packing_is_archive(enum packing packing)
{
	return packing >= PACK_TAR;
}
static inline bool
packing_needs_seek(enum packing packing)	/* its list of members is at the end */
{
	return packing >= PACK_ZIP;
}

/* What begins with these bytes; PACK_NONE, too, while these do not decide. *more: they do not, and bytes that follow
 * may. */
enum packing packing_of(const unsigned char *bytes, size_t size, bool *more);

#endif
