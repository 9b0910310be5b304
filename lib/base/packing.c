/* SPDX-License-Identifier: MIT
 * packing: signatures, and what tells a tar or cpio file from a text. */
#include "base/packing.h"

#include <string.h>

#define TAR_HEAD 512
#define TAR_MODE 100	/* after the name: eight octal digits, blanks or NULs */
#define TAR_CHECK 148
#define CPIO_HEAD 26	/* of the binary forms */
#define CPIO_NAME_MOST 4096
#define CPIO_NAME_SIZE 94		/* where the name's length is, in eight digits */

struct signature {
	enum packing packing;
	unsigned char size;
	const char *bytes;
};

static const struct signature signatures[] = {
	{ PACK_XZ, 6,
	  "\xfd"
	  "7zXZ\0" },
	{ PACK_LZ4, 4, "\x04\x22\x4d\x18" },
	{ PACK_LZ4, 4, "\x02\x21\x4c\x18" },	/* of versions before 1.0 */
	{ PACK_ZIP, 4, "PK\3\4" },
	{ PACK_ZIP, 4, "PK\5\6" },	/* without a member */
	{ PACK_7Z, 6, "7z\xbc\xaf\x27\x1c" },
	{ PACK_CPIO, 6, "070701" },
	{ PACK_CPIO, 6, "070702" },
	{ PACK_CPIO, 6, "070707" },
};

const char *
packing_name(enum packing packing)
{
	static const char *const names[] = { "plain", "xz", "bzip2", "lz4", "tar", "cpio", "zip", "7z" };

	return names[packing];
}

static bool
is_octal(const unsigned char *p, size_t size)
{
	for (size_t i = 0; i < size; i++)
		if ((p[i] < '0' || p[i] > '7') && p[i] != ' ' && p[i] != '\0')
			return false;
	return true;
}

static bool
is_hex(const unsigned char *p, size_t size)
{
	for (size_t i = 0; i < size; i++)
		if (strchr("0123456789abcdefABCDEF", p[i]) == NULL || p[i] == '\0')
			return false;
	return true;
}

/* The checksum is the sum of the head's bytes, with blanks in its own place; some programs summed signed ones. */
static bool
tar_sum_is_right(const unsigned char *p)
{
	long sum = 8 * ' ', signed_sum = 8 * ' ', wanted = 0;
	const unsigned char *digit = p + TAR_CHECK;

	for (size_t i = 0; i < TAR_HEAD; i++) {
		bool own = i >= TAR_CHECK && i < TAR_CHECK + 8;

		sum += own ? 0 : p[i];
		signed_sum += own ? 0 : (signed char)p[i];
	}
	while (*digit == ' ')
		digit++;
	while (*digit >= '0' && *digit <= '7' && digit < p + TAR_CHECK + 8)
		wanted = wanted * 8 + (*digit++ - '0');
	return wanted == sum || wanted == signed_sum;
}

/* The first name in a tar file has no end of a line, and its mode is digits. A text that differs is no tar file. */
static bool
is_tar(const unsigned char *p, size_t size, bool *more)
{
	size_t name = size < TAR_MODE ? size : TAR_MODE;

	if (size == 0 || p[0] == '\0' || memchr(p, '\n', name) != NULL ||
	    (size > TAR_MODE && !is_octal(p + TAR_MODE, size < TAR_MODE + 8 ? size - TAR_MODE : 8)))
		return false;
	*more |= size < TAR_HEAD;
	return size >= TAR_HEAD && tar_sum_is_right(p);
}

/* The binary head is of 16-bit numbers in either order: the last byte of its name is NUL. */
static bool
is_binary_cpio(const unsigned char *p, size_t size, bool *more)
{
	bool little = size >= 2 && memcmp(p, "\xc7\x71", 2) == 0;
	size_t name;

	if (!little && !(size >= 2 && memcmp(p, "\x71\xc7", 2) == 0))
		return false;
	*more |= size < CPIO_HEAD;
	if (size < CPIO_HEAD)
		return false;
	name = little ? p[20] | (size_t)p[21] << 8 : p[21] | (size_t)p[20] << 8;
	if (name < 2 || name > CPIO_NAME_MOST)
		return false;
	return CPIO_HEAD + name > size || (p[CPIO_HEAD + name - 1] == '\0' && p[CPIO_HEAD + name - 2] != '\0');
}

/* The digits after the magic of the forms in ASCII. libarchive would allocate any length of a name. */
static bool
is_cpio_text(const unsigned char *p, size_t size, bool *more)
{
	bool odc = p[5] == '7';
	size_t head = odc ? 76 : 110;

	*more |= size < head;
	return size >= head && (odc ? is_octal(p, head) : is_hex(p, head) && memcmp(p + CPIO_NAME_SIZE, "0000", 4) == 0);
}

static bool
is_bzip2(const unsigned char *p, size_t size, bool *more)
{
	if (size >= 3 && memcmp(p, "BZh", 3) != 0)
		return false;
	*more |= size < 10 && memcmp(p, "BZh", size < 3 ? size : 3) == 0;
	return size >= 10 && p[3] >= '1' && p[3] <= '9' &&
	       (memcmp(p + 4, "1AY&SY", 6) == 0 || memcmp(p + 4, "\x17\x72\x45\x38\x50\x90", 6) == 0);
}

enum packing
packing_of(const unsigned char *bytes, size_t size, bool *more)
{
	*more = size == 0;
	for (size_t i = 0; i < sizeof signatures / sizeof *signatures; i++) {
		const struct signature *s = &signatures[i];

		if (memcmp(bytes, s->bytes, size < s->size ? size : s->size) != 0)
			continue;
		*more |= size < s->size;
		if (size >= s->size && (s->packing != PACK_CPIO || is_cpio_text(bytes, size, more)))
			return s->packing;
	}
	if (is_bzip2(bytes, size, more))
		return PACK_BZIP2;
	if (is_binary_cpio(bytes, size, more))
		return PACK_CPIO;
	return is_tar(bytes, size, more) ? PACK_TAR : PACK_NONE;
}
