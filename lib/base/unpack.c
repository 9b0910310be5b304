/* SPDX-License-Identifier: MIT
 * unpack: libarchive, given bytes by functions of ours. Only the formats and compressions that are asked for are
 * enabled, and each only for what its first bytes say. */
#include "base/unpack.h"

#ifdef HAVE_ARCHIVE

#include "base/bytes.h"
#include "base/late_library.h"
#include "base/memory.h"

#include <archive.h>
#include <archive_entry.h>
#include <errno.h>
#include <locale.h>
#include <stdlib.h>
#include <string.h>

#define BLOCK_BYTES ((size_t)64 << 10)	/* of what is read at a place */

/* Loaded with the first archive: with it come twelve libraries, which most inputs do not need. */
#define CALLS(X) \
	X(archive_entry_filetype) \
	X(archive_entry_free) \
	X(archive_entry_hardlink) \
	X(archive_entry_is_encrypted) \
	X(archive_entry_mtime) \
	X(archive_entry_mtime_is_set) \
	X(archive_entry_mtime_nsec) \
	X(archive_entry_new) \
	X(archive_entry_pathname) \
	X(archive_entry_pathname_utf8) \
	X(archive_entry_size) \
	X(archive_entry_size_is_set) \
	X(archive_entry_symlink) \
	X(archive_errno) \
	X(archive_error_string) \
	X(archive_filter_bytes) \
	X(archive_read_data_block) \
	X(archive_read_free) \
	X(archive_read_new) \
	X(archive_read_next_header2) \
	X(archive_read_open1) \
	X(archive_read_set_callback_data) \
	X(archive_read_set_read_callback) \
	X(archive_read_set_seek_callback) \
	X(archive_read_set_skip_callback) \
	X(archive_read_support_filter_bzip2) \
	X(archive_read_support_filter_lz4) \
	X(archive_read_support_filter_xz) \
	X(archive_read_support_format_7zip) \
	X(archive_read_support_format_cpio) \
	X(archive_read_support_format_empty) \
	X(archive_read_support_format_raw) \
	X(archive_read_support_format_tar) \
	X(archive_read_support_format_zip) \
	X(archive_set_error)

#ifndef ARCHIVE_FILE
#define ARCHIVE_FILE "libarchive.so.13"	/* Debian's; the Makefile asks the compiler */
#endif

#define MEMBER(name)   __typeof__(name) *name;
#define FUNCTION(name) { #name, &la.name },

static struct { CALLS(MEMBER) } la;
static const struct late_function functions[] = { CALLS(FUNCTION) };
static struct late_library library = {
	.file = ARCHIVE_FILE, .functions = functions, .count = sizeof functions / sizeof *functions
};

struct unpacker {
	struct archive *archive;
	struct archive_entry *entry;	/* the present one; libarchive's own may be missing without memory, which it
					 * does not notice */
	struct unpack_source source;
	struct stk_error failed;	/* of the source, which explains what libarchive says then */
	enum packing packing;
	int64_t at;	/* of the source, with read_at */
	unsigned char *block;
	const unsigned char *latest;	/* block that the source gave */
	int64_t latest_size, taken;	/* of it, and of all */
	const unsigned char *data;	/* of the member, not given yet */
	size_t data_size;
	int64_t data_at, given;	/* where that is in the member; a hole before it is zeros */
	struct stk_error later;	/* to report once the good part was given */
	bool over;
	int64_t end;	/* of a zip or 7z file, by its list */
	bool second;	/* its list is of a second zip file after another */
	bool listless;	/* a zip file whose end is missing: nothing says how many members it had */
	locale_t locale;	/* names are put into its encoding, UTF-8; 0: there is none */
};

/* --- the source --- */

static la_ssize_t
give_next(struct archive *archive, void *context, const void **block)
{
	struct unpacker *unpacker = context;
	long got = unpacker->source.read(unpacker->source.context, block, &unpacker->failed);

	if (got < 0)
		la.archive_set_error(archive, EIO, "%s", unpacker->failed.text);
	if (got > 0) {
		unpacker->latest = *block;
		unpacker->latest_size = got;
		unpacker->taken += got;
	}
	return got < 0 ? ARCHIVE_FATAL : got;
}

static la_ssize_t
give_at(struct archive *archive, void *context, const void **block)
{
	struct unpacker *unpacker = context;
	long got = unpacker->source.read_at(unpacker->source.context, unpacker->block, BLOCK_BYTES, unpacker->at,
					    &unpacker->failed);

	if (got < 0)
		la.archive_set_error(archive, EIO, "%s", unpacker->failed.text);
	*block = unpacker->block;
	unpacker->at += got < 0 ? 0 : got;
	return got < 0 ? ARCHIVE_FATAL : got;
}

static la_int64_t
seek_to(struct archive *archive, void *context, la_int64_t offset, int whence)
{
	struct unpacker *unpacker = context;
	int64_t from = whence == SEEK_SET ? 0 : whence == SEEK_CUR ? unpacker->at : unpacker->source.size;

	(void)archive;
	if (offset < -from || offset > INT64_MAX - from)
		return ARCHIVE_FATAL;
	return unpacker->at = from + offset;
}

static la_int64_t
skip_over(struct archive *archive, void *context, la_int64_t request)
{
	struct unpacker *unpacker = context;
	int64_t left = unpacker->source.size - unpacker->at;

	(void)archive;
	if (request > left)
		request = left > 0 ? left : 0;
	unpacker->at += request;
	return request;
}

/* --- opening --- */

/* What libarchive says, unless the source failed. */
static int
fail_of(struct unpacker *unpacker, const char *more, struct stk_error *err)
{
	const char *text = la.archive_error_string(unpacker->archive);

	if (unpacker->failed.code != STK_EOK)
		return stk_fail(err, unpacker->failed.code, "%s", unpacker->failed.text);
	/* without memory it often gives no reason */
	if (unpacker->packing == PACK_TAR && (text == NULL || la.archive_errno(unpacker->archive) == ENOMEM))
		return stk_fail(err, STK_ESYSTEM, "no memory to read tar data: %s",
				text != NULL ? text : "no reason given");
	/* of the others no memory, too: lengths in damaged data ask for any size */
	return stk_fail(err, STK_EDATA, "damaged or truncated %s data: %s%s", packing_name(unpacker->packing),
			text != NULL ? text : "no reason given", more);
}

/* A zip file ends with a record that may be followed by a comment. Where that ends; 0 without one. The record has the
 * size and place of the list before it, unless these are in a larger one (ffffffff): in a file of two the second has
 * another place. */
static int64_t
end_of_zip(struct unpacker *unpacker)
{
	size_t most = 22 + 65535;
	int64_t from = unpacker->source.size > (int64_t)most ? unpacker->source.size - (int64_t)most : 0;
	unsigned char *tail = mem_new(most, 1);
	long got = unpacker->source.read_at(unpacker->source.context, tail, most, from, &unpacker->failed);
	int64_t end = 0;

	for (long at = got - 22; at >= 0 && end == 0; at--)
		if (memcmp(tail + at, "PK\5\6", 4) == 0) {
			const char *list = (const char *)tail + at + 12;
			uint64_t size = load32(list), place = load32(list + 4);

			unpacker->second = place != UINT32_MAX && size != UINT32_MAX &&
					   (uint64_t)(from + at) > place + size;
			end = from + at + 22 + (tail[at + 20] | tail[at + 21] << 8);
		}
	free(tail);
	return end;
}

/* The head of a 7z file says where its list is, and how long. */
static int64_t
end_of_7z(struct unpacker *unpacker)
{
	unsigned char head[32];
	uint64_t offset, size;

	if (unpacker->source.read_at(unpacker->source.context, head, sizeof head, 0, &unpacker->failed) <
	    (long)sizeof head)
		return INT64_MAX;
	offset = load64((const char *)head + 12);
	size = load64((const char *)head + 20);
	return offset < INT64_MAX / 2 && size < INT64_MAX / 2 - 32 ? 32 + (int64_t)(offset + size) : INT64_MAX;
}

static int
enable(struct archive *archive, enum packing packing)
{
	int (*const enabling[])(struct archive *) = {
		[PACK_XZ] = la.archive_read_support_filter_xz,     [PACK_BZIP2] = la.archive_read_support_filter_bzip2,
		[PACK_LZ4] = la.archive_read_support_filter_lz4,   [PACK_TAR] = la.archive_read_support_format_tar,
		[PACK_CPIO] = la.archive_read_support_format_cpio, [PACK_ZIP] = la.archive_read_support_format_zip,
		[PACK_7Z] = la.archive_read_support_format_7zip,
	};

	if (enabling[packing](archive) < ARCHIVE_WARN)
		return -1;
	if (packing_is_archive(packing))
		return 0;
	/* empty: the compressed nothing */
	return la.archive_read_support_format_raw(archive) < ARCHIVE_WARN ||
			       la.archive_read_support_format_empty(archive) < ARCHIVE_WARN
		       ? -1
		       : 0;
}

int
unpack_open(struct unpacker **out, enum packing packing, const struct unpack_source *source, struct stk_error *err)
{
	struct unpacker *unpacker;
	struct archive *archive;
	struct stk_error why = { 0 };
	int result;

	*out = NULL;
	if (late_library_load(&library, &why) < 0)
		return stk_fail(err, why.code, "%s data, for which %s", packing_name(packing), why.text);
	unpacker = mem_new(1, sizeof *unpacker);
	archive = unpacker->archive = la.archive_read_new();
	unpacker->entry = la.archive_entry_new();
	unpacker->source = *source;
	unpacker->packing = packing;
	unpacker->locale = newlocale(LC_CTYPE_MASK, "C.UTF-8", (locale_t)0);
	if (archive == NULL || unpacker->entry == NULL || enable(archive, packing) < 0 ||
	    la.archive_read_set_callback_data(archive, unpacker) < ARCHIVE_WARN) {
		unpack_close(unpacker);
		return stk_fail(err, STK_ESYSTEM, "cannot begin to unpack %s data", packing_name(packing));
	}
	la.archive_read_set_read_callback(archive, source->read_at != NULL ? give_at : give_next);
	if (source->read_at != NULL) {
		unpacker->block = mem_new(BLOCK_BYTES, 1);
		la.archive_read_set_seek_callback(archive, seek_to);
		la.archive_read_set_skip_callback(archive, skip_over);
	}
	if (packing_needs_seek(packing))
		unpacker->end = packing == PACK_ZIP ? end_of_zip(unpacker) : end_of_7z(unpacker);
	unpacker->listless = packing == PACK_ZIP && unpacker->end == 0;
	result = la.archive_read_open1(archive) < ARCHIVE_WARN ? fail_of(unpacker, "", err) : 0;
	if (result < 0)
		unpack_close(unpacker);
	else
		*out = unpacker;
	return result;
}

void
unpack_close(struct unpacker *unpacker)
{
	if (unpacker == NULL)
		return;
	la.archive_entry_free(unpacker->entry);
	if (unpacker->archive != NULL)
		la.archive_read_free(unpacker->archive);
	if (unpacker->locale != (locale_t)0)
		freelocale(unpacker->locale);
	free(unpacker->block);
	free(unpacker);
}

bool
unpack_is_over(const struct unpacker *unpacker)
{
	return unpacker->over;
}

/* --- after the end --- */

static bool
is_zero(const unsigned char *bytes, int64_t size)
{
	for (int64_t i = 0; i < size; i++)
		if (bytes[i] != 0)
			return false;
	return true;
}

static int
say_rest(struct unpacker *unpacker, struct stk_error *err)
{
	return stk_fail(err, STK_EDATA, "something else follows the end of the %s data, which is not read",
			packing_name(unpacker->packing));
}

/* Where the rest begins of a source that is read at a place. */
static int
say_rest_at(struct unpacker *unpacker, int64_t at, struct stk_error *err)
{
	while (at < unpacker->source.size) {
		long got = unpacker->source.read_at(unpacker->source.context, unpacker->block, BLOCK_BYTES, at, err);

		if (got <= 0)
			return (int)got;
		if (!is_zero(unpacker->block, got))
			return say_rest(unpacker, err);
		at += got;
	}
	return 0;
}

/* What follows the end, of which libarchive says nothing. Padding is nothing. 0, or -1. */
static int
fail_for_rest(struct unpacker *unpacker, struct stk_error *err)
{
	int64_t end = la.archive_filter_bytes(unpacker->archive, -1), left = unpacker->taken - end;
	const unsigned char *rest = unpacker->latest;
	const void *block;
	long got;

	if (unpacker->second)
		return stk_fail(err, STK_EDATA, "a zip file after another, of which only the last is read");
	if (packing_needs_seek(unpacker->packing))
		return say_rest_at(unpacker, unpacker->end, err);
	if (unpacker->source.read_at != NULL)
		return say_rest_at(unpacker, end, err);
	left = left < 0 ? 0 : left > unpacker->latest_size ? unpacker->latest_size : left;
	if (left > 0)
		rest += unpacker->latest_size - left;
	for (got = (long)left;; rest = block) {
		if (!is_zero(rest, got))
			return say_rest(unpacker, err);
		got = unpacker->source.read(unpacker->source.context, &block, err);
		if (got <= 0)
			return (int)got;
	}
}

/* --- members --- */

static enum member_kind
kind_of(struct archive_entry *entry)
{
	if (la.archive_entry_hardlink(entry) != NULL || la.archive_entry_filetype(entry) == AE_IFLNK)
		return MEMBER_LINK;
	if (la.archive_entry_filetype(entry) == AE_IFDIR)
		return MEMBER_FOLDER;
	/* some zip files have no types */
	return la.archive_entry_filetype(entry) == AE_IFREG || la.archive_entry_filetype(entry) == 0 ? MEMBER_FILE
											       : MEMBER_OTHER;
}

static void
describe(struct archive_entry *entry, struct unpacked *out)
{
	*out = (struct unpacked){ .name = la.archive_entry_pathname(entry), .kind = kind_of(entry) };
	if (out->name == NULL)
		out->name = la.archive_entry_pathname_utf8(entry);
	out->link = la.archive_entry_hardlink(entry);
	if (out->link == NULL)
		out->link = la.archive_entry_symlink(entry);
	out->size = la.archive_entry_size_is_set(entry) ? la.archive_entry_size(entry) : -1;
	out->modified_ns = INT64_MIN;
	if (la.archive_entry_mtime_is_set(entry) && la.archive_entry_mtime(entry) < INT64_MAX / 1000000000 &&
	    la.archive_entry_mtime(entry) > INT64_MIN / 1000000000)
		out->modified_ns = (int64_t)la.archive_entry_mtime(entry) * 1000000000 +
				   la.archive_entry_mtime_nsec(entry);
	out->encrypted = la.archive_entry_is_encrypted(entry) != 0;
}

/* In the C locale that the program is in, names that are not ASCII would be lost. */
static int
next_header(struct unpacker *unpacker, struct unpacked *out)
{
	locale_t old = unpacker->locale != (locale_t)0 ? uselocale(unpacker->locale) : (locale_t)0;
	int result = la.archive_read_next_header2(unpacker->archive, unpacker->entry);

	if (result == ARCHIVE_OK || result == ARCHIVE_WARN)
		describe(unpacker->entry, out);
	if (old != (locale_t)0)
		uselocale(old);
	return result;
}

int
unpack_next(struct unpacker *unpacker, struct unpacked *out, struct stk_error *err)
{
	int result;

	unpacker->data_size = 0;
	unpacker->data_at = unpacker->given = 0;
	stk_error_clear(&unpacker->later);
	if (unpacker->over)
		return 0;
	result = next_header(unpacker, out);
	if (result == ARCHIVE_EOF) {
		unpacker->over = true;
		return unpacker->listless ? stk_fail(err, STK_EDATA,
						     "truncated zip data: the list of members at its end is missing")
					  : fail_for_rest(unpacker, err);
	}
	if (result == ARCHIVE_OK || result == ARCHIVE_WARN)
		return 1;
	/* a damaged head is passed over in steps, each a call that asks to be tried again */
	unpacker->over = result == ARCHIVE_FATAL || unpacker->failed.code != STK_EOK;
	return fail_of(unpacker, unpacker->over ? "; what follows is lost" : "", err);
}

/* More of the member: 1, 0 at its end, -1. */
static int
fetch_data(struct unpacker *unpacker, struct stk_error *err)
{
	const void *data;
	la_int64_t offset;
	int result;

	do
		result = la.archive_read_data_block(unpacker->archive, &data, &unpacker->data_size, &offset);
	while (result == ARCHIVE_OK && unpacker->data_size == 0);
	if (result == ARCHIVE_EOF) {
		unpacker->data_size = 0;
		return packing_is_archive(unpacker->packing) ? 0 : fail_for_rest(unpacker, err);
	}
	unpacker->data = data;
	unpacker->data_at = offset;
	if (result >= ARCHIVE_OK && offset >= unpacker->given)
		return 1;
	unpacker->over |= result == ARCHIVE_FATAL;
	if (result >= ARCHIVE_OK || result < ARCHIVE_WARN)
		unpacker->data_size = 0;
	return fail_of(unpacker, "", err);
}

long
unpack_read(struct unpacker *unpacker, void *to, size_t size, struct stk_error *err)
{
	int64_t hole;

	if (unpacker->data_size == 0 && unpacker->later.code == STK_EOK) {
		int got = fetch_data(unpacker, &unpacker->later);

		if (got == 0)
			return 0;
	}
	if (unpacker->data_size == 0)
		return stk_fail(err, unpacker->later.code, "%s", unpacker->later.text);
	hole = unpacker->data_at - unpacker->given;
	if (hole > 0) {
		size = (int64_t)size < hole ? size : (size_t)hole;
		memset(to, 0, size);
	} else {
		size = size < unpacker->data_size ? size : unpacker->data_size;
		memcpy(to, unpacker->data, size);
		unpacker->data += size;
		unpacker->data_size -= size;
		unpacker->data_at += (int64_t)size;
	}
	unpacker->given += (int64_t)size;
	return (long)size;
}

#else

int
unpack_open(struct unpacker **out, enum packing packing, const struct unpack_source *source, struct stk_error *err)
{
	(void)source;
	*out = NULL;
	return stk_fail(err, STK_EDATA, "%s data, and this program was built without libarchive: %s first",
			packing_name(packing), packing_is_archive(packing) ? "unpack it" : "decompress it");
}

int
unpack_next(struct unpacker *unpacker, struct unpacked *out, struct stk_error *err)
{
	(void)unpacker;
	(void)out;
	return stk_fail(err, STK_EUSAGE, "built without libarchive");
}

long
unpack_read(struct unpacker *unpacker, void *to, size_t size, struct stk_error *err)
{
	(void)unpacker;
	(void)to;
	(void)size;
	return stk_fail(err, STK_EUSAGE, "built without libarchive");
}

bool
unpack_is_over(const struct unpacker *unpacker)
{
	(void)unpacker;
	return true;
}

void
unpack_close(struct unpacker *unpacker)
{
	(void)unpacker;
}

#endif

const struct unpack_calls unpack_calls = { unpack_open, unpack_next, unpack_read, unpack_close };
