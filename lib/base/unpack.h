/* SPDX-License-Identifier: MIT
 * unpack: the members of archives (tar, cpio, zip, 7z), and compressions that are rarer than gzip and zstd (xz, bzip2,
 * lz4), by libarchive. Built without it (HAVE_ARCHIVE), unpack_open fails and says so. */
#ifndef BASE_UNPACK_H
#define BASE_UNPACK_H

#include "base/packing.h"
#include "stkpipe/error.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* The packed bytes, from which read takes the next ones: *block is valid until the next call. 0 at the end, -1 with
 * *err. read_at may be NULL, except where packing_needs_seek; then read is not called. */
struct unpack_source {
	long (*read)(void *context, const void **block, struct stk_error *err);
	long (*read_at)(void *context, void *to, size_t size, int64_t offset, struct stk_error *err);
	int64_t size;	/* with read_at */
	void *context;
};

struct unpacker;

enum member_kind { MEMBER_FILE, MEMBER_FOLDER, MEMBER_LINK, MEMBER_OTHER };

struct unpacked {
	const char *name;	/* NULL: it has none that can be read */
	enum member_kind kind;
	const char *link;	/* of a link: where to; or NULL */
	int64_t size;	/* -1: not known */
	int64_t modified_ns;	/* INT64_MIN: not known */
	bool encrypted;
};

/* 0, or -1 with *err and *out NULL. */
int unpack_open(struct unpacker **out, enum packing packing, const struct unpack_source *source,
		struct stk_error *err) STK_MUST_CHECK;

/* The next member: 1; 0 at the end; -1 with *err: damage, after which more may follow unless unpack_is_over. Of a
 * compression, there is one, which must be asked for like others. Texts are valid until the next call. */
int unpack_next(struct unpacker *unpacker, struct unpacked *out, struct stk_error *err) STK_MUST_CHECK;

/* Bytes of the member, as input_read gives them. */
long unpack_read(struct unpacker *unpacker, void *to, size_t size, struct stk_error *err) STK_MUST_CHECK;

/* After a failure: nothing more comes. */
bool unpack_is_over(const struct unpacker *unpacker);

void unpack_close(struct unpacker *unpacker);	/* NULL does nothing */

/* These, for an input that is to decompress with them: whoever does not name them is not linked with libarchive, which
 * doubles the time that a program takes to start. */
struct unpack_calls {
	int (*open)(struct unpacker **out, enum packing packing, const struct unpack_source *source,
		    struct stk_error *err);
	int (*next)(struct unpacker *unpacker, struct unpacked *out, struct stk_error *err);
	long (*read)(struct unpacker *unpacker, void *to, size_t size, struct stk_error *err);
	void (*close)(struct unpacker *unpacker);
};
extern const struct unpack_calls unpack_calls;

#endif
