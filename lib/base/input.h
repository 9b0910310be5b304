/* SPDX-License-Identifier: MIT
 * input: bytes from a file or a pipe, decompressed when the content says so (gzip, zstd, xz, bzip2, lz4; members and
 * frames one after another), never by name. */
#ifndef BASE_INPUT_H
#define BASE_INPUT_H

#include "stkpipe/error.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct input;
struct unpack_calls;

#define INPUT_EXPANDED_MAX (INT64_C(64) << 30)

struct input_limits {
	int64_t expanded_bytes;	/* more than this out of one compressed file is an error (a bomb); 0 for the default,
				 * INPUT_EXPANDED_MAX */
	int window_log;		/* zstd: the largest window, as a power of two; 0 for the default, 27 = 128 MiB */
	bool keep_zstd;		/* zstd passes as it is: for readers of record streams, which are zstd files themselves.
				 * gzip is still taken off */
	const struct unpack_calls *unpack;	/* for xz, bzip2 and lz4; NULL: they are refused */
};

/* Opens a file by name ("-" is stdin). Directories are refused. 0, or -1 with *err and *out NULL. limits may be NULL.
 * Messages of an input do not name the file: who reads it adds that. */
int input_open(struct input **out, const char *path, const struct input_limits *limits,
	       struct stk_error *err) STK_MUST_CHECK;

/* The same for one of many inputs: STK_EDATA when it does not exist or may not be read, so that the others are enough
 * (status 1); STK_ESYSTEM when it exists and the system failed, for which the others do not make up (status 3). */
int input_open_one(struct input **out, const char *path, const struct input_limits *limits,
		   struct stk_error *err) STK_MUST_CHECK;

/* Bytes that come from elsewhere, decompressed likewise. read: as input_read, of the bytes as they are. */
struct input_origin {
	long (*read)(void *context, void *to, size_t size, struct stk_error *err);
	void *context;
	int64_t modified_ns;
};
void input_open_from(struct input **out, const struct input_origin *origin, const struct input_limits *limits);

/* Up to size bytes (size > 0), at least 1; 0 at the end; -1 with *err. Compressed input that is truncated or damaged
 * gives what was good first, then -1 (STK_EDATA); of xz, bzip2 and lz4 the block before the damage may be missing.
 * A signal that asks to stop while the read waits is -1 (STK_ESYSTEM, "interrupted"). */
long input_read(struct input *in, void *to, size_t size, struct stk_error *err) STK_MUST_CHECK;

/* Whether more (bytes, or the end) can be read without waiting longer than this many milliseconds. Buffered bytes
 * count. */
bool input_ready(const struct input *in, int milliseconds);

/* The next bytes that input_read will give, without taking them: *size of them, at least `wanted` (up to
 * INPUT_AHEAD_BYTES) unless the input ends or fails before that. Valid until the next call. */
#define INPUT_AHEAD_BYTES 512
const unsigned char *input_ahead(struct input *in, size_t wanted, size_t *size);

/* Moves to a byte of what input_read gives. -1 when that cannot be done: a pipe, or compressed. */
int input_seek(struct input *in, int64_t offset);

/* Reads bytes at an offset, without moving: up to size, fewer only at the end. -1 with errno when that cannot be done
 * (ESPIPE: a pipe, or compressed) or failed. Any thread. */
long input_read_at(const struct input *in, void *to, size_t size, int64_t offset);

/* Bytes taken from the file itself, for progress and messages. */
int64_t input_raw_bytes(const struct input *in);
int64_t input_raw_size(const struct input *in);		/* -1 when not known */
int64_t input_modified_ns(const struct input *in);	/* modification time, or INT64_MIN (a pipe) */
/* Standard input that is no file: when it ends, nobody is left who could write more. */
bool input_ends_for_good(const struct input *in);
/* Whether another program has it open and says by a lock that it is writing it. */
bool input_is_being_written(const struct input *in);
/* Keeps programs away that replace the end of the file (see end_lock), and says how long it is then; as ever where that
 * was in vain. A file that cannot seek stays as it is: -1. input_let_go_end ends that. */
int64_t input_hold_end(const struct input *in);
void    input_let_go_end(const struct input *in);
/* Whether bytes begin a compressed file of any kind that input_open decompresses. */
bool input_is_packed(const unsigned char *first, size_t size);
bool input_compressed(const struct input *in);		/* of a pipe: known after the first read */
int64_t input_expanded_bytes(const struct input *in);	/* that came out of compressed ones so far */
/* The first bytes as they are in the file, compressed or not: *size of them, at most INPUT_FIRST_BYTES. Of a pipe only
 * once something was read. */
#define INPUT_FIRST_BYTES 16
const unsigned char *input_first_bytes(const struct input *in, size_t *size);
void input_close(struct input *in);				/* NULL does nothing */

/* --- files: operands become a flat list: directories are walked in name order (byte order), "-" stays; hidden files
 * are left out --- */
/* Whether a path names a file that can be read more than once: no pipe, no folder, nor "-". */
bool input_is_file(const char *path);

struct file_list;

/* What cannot be read is reported to `complain`, with the codes of input_open_one, and left out. The list owns its
 * texts. No operand means "-". Named links are followed; while walking, links to files are, links to directories are
 * not, and what is neither file nor directory is reported and left out. Always 0; a list of which nothing is left is
 * empty. */
int file_list_open(struct file_list **out, char **operands, int count,
		   void (*complain)(const char *path, const struct stk_error *why));
const char *file_list_next(struct file_list *list);	/* NULL at the end */
int64_t     file_list_bytes(const struct file_list *list);	/* the sum of the sizes, -1 when a pipe is among them */
void        file_list_close(struct file_list *list);

#endif
