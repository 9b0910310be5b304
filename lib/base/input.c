/* SPDX-License-Identifier: MIT
 * input: reads a file or a pipe and decompresses it. Plain bytes go from the kernel straight to the caller. */
#include "base/input.h"
#include "base/bytes.h"
#include "base/end_lock.h"
#include "base/host.h"
#include "base/memory.h"
#include "base/open_file.h"
#include "base/unpack.h"

#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <stdlib.h>
#include <string.h>
#include <sys/file.h>
#include <sys/stat.h>
#include <unistd.h>
#include <zlib.h>
#include <zstd.h>
#include <zstd_errors.h>

#define BUFFER_BYTES  ((size_t)256 << 10)	/* of compressed bytes */
#define MAGIC_BYTES   INPUT_FIRST_BYTES	/* at least as many as the longest signature below */
#define READ_MAX      ((size_t)1 << 30)		/* in one call; also what zlib's counters hold */
#define WINDOW_LOG    27
#define FRAME_BEGIN   5				/* bytes that zstd needs to see what a frame is */

enum compression { UNKNOWN, PLAIN, GZIP, ZSTD, RARE };

struct input {
	int fd;				/* -1: the origin gives the bytes */
	struct input_origin origin;
	bool regular, close_fd;
	enum compression compression;
	int64_t raw_bytes, raw_size, modified_ns;
	int64_t start;			/* where in the file we began: stdin need not be at 0 */
	struct input_limits limits;

	unsigned char *buffer;		/* bytes at..filled are read and not used yet */
	size_t at, filled;
	bool raw_end;			/* the file has no more */

	z_stream gzip;
	ZSTD_DStream *zstd;
	size_t zstd_wants;		/* bytes to the end of its block: fed so, an error costs that block only */
	enum packing rare;
	struct unpacker *unpacker;
	bool rare_end;
	bool inside;			/* a member or frame has begun and not ended */
	bool pending;			/* the decoder may hold output that had no room */
	int64_t expanded;
	struct stk_error later;		/* the error to report once the good part was returned */
	unsigned char first[MAGIC_BYTES];	/* of the file as it is */
	size_t first_size;
	unsigned char ahead[INPUT_AHEAD_BYTES];	/* ahead_at..ahead_filled were read to look at them */
	size_t ahead_at, ahead_filled;
};

/* --- raw bytes --- */

/* All of size but at the end; -1 with errno. */
static long
read_at(const struct input *in, void *to, size_t size, int64_t offset)
{
	size_t had = 0;

	while (had < size) {
		ssize_t got = pread(in->fd, (char *)to + had, size - had, in->start + offset + (int64_t)had);

		if (got < 0 && errno == EINTR)
			continue;
		if (got < 0)
			return -1;
		if (got == 0)
			break;
		had += (size_t)got;
	}
	return (long)had;
}

static long
raw_read(struct input *in, void *to, size_t size, struct stk_error *err)
{
	ssize_t got;

	if (in->fd < 0) {
		got = in->origin.read(in->origin.context, to, size < READ_MAX ? size : READ_MAX, err);
		in->raw_bytes += got > 0 ? got : 0;
		in->raw_end = got == 0;
		return got;
	}
	while ((got = read(in->fd, to, size < READ_MAX ? size : READ_MAX)) < 0 && errno == EINTR && !host_stopping())
		continue;
	if (got < 0 && errno == EINTR)
		return stk_fail(err, STK_ESYSTEM, "interrupted");
	if (got < 0)
		return stk_fail_errno(err, "cannot read");
	in->raw_bytes += got;
	in->raw_end = got == 0;
	return got;
}

/* Fills the buffer anew, or adds to it when something is left. 1, 0 at the end, -1. */
static int
refill(struct input *in, struct stk_error *err)
{
	long got;

	if (in->at == in->filled)
		in->at = in->filled = 0;
	if (in->raw_end)
		return 0;
	got = raw_read(in, in->buffer + in->filled, BUFFER_BYTES - in->filled, err);
	if (got > 0)
		in->filled += (size_t)got;
	return got < 0 ? -1 : got > 0;
}

/* --- what is it --- */

static enum compression
compression_of(const unsigned char *p, size_t size, bool keep_zstd)
{
	if (size >= 3 && memcmp(p, "\x1f\x8b\x08", 3) == 0)
		return GZIP;
	if (size >= 4 && !keep_zstd &&
	    (load32(p) == ZSTD_MAGICNUMBER || (load32(p) & ZSTD_MAGIC_SKIPPABLE_MASK) == ZSTD_MAGIC_SKIPPABLE_START))
		return ZSTD;
	return PLAIN;
}

static enum packing
rare_of(const unsigned char *p, size_t size)
{
	bool unused;
	enum packing packing = packing_of(p, size, &unused);

	return packing_is_archive(packing) ? PACK_NONE : packing;
}

static int
begin_gzip(struct input *in, struct stk_error *err)
{
	if (inflateInit2(&in->gzip, 15 + 16) != Z_OK)	/* the largest window, gzip headers only */
		return stk_fail(err, STK_ESYSTEM, "cannot begin to decompress gzip");
	return 0;
}

static int
begin_zstd(struct input *in, struct stk_error *err)
{
	in->zstd = ZSTD_createDStream();
	if (in->zstd == NULL ||
	    ZSTD_isError(ZSTD_DCtx_setParameter(in->zstd, ZSTD_d_windowLogMax, in->limits.window_log)))
		return stk_fail(err, STK_ESYSTEM, "cannot begin to decompress zstd with a window of 2^%d bytes",
				in->limits.window_log);
	in->zstd_wants = FRAME_BEGIN;
	return 0;
}

bool
input_is_packed(const unsigned char *first, size_t size)
{
	return compression_of(first, size, false) != PLAIN || rare_of(first, size) != PACK_NONE;
}

/* All of the buffer, for the unpacker. */
static long
give_block(void *context, const void **block, struct stk_error *err)
{
	struct input *in = context;
	int got = in->at < in->filled ? 1 : refill(in, err);
	size_t size = in->filled - in->at;

	*block = in->buffer + in->at;
	in->at = in->filled;
	return got <= 0 ? got : (long)size;
}

/* The buffer has the beginning of a file that is read from its begin on. */
static int
begin_rare(struct input *in, struct stk_error *err)
{
	struct unpack_source source = { .read = give_block, .context = in };
	struct unpacked unused;
	int got;

	if (in->limits.unpack == NULL)
		return stk_fail(err, STK_EDATA, "compressed with %s, which only stkcap reads: decompress it first",
				packing_name(in->rare));
	if (in->limits.unpack->open(&in->unpacker, in->rare, &source, err) < 0)
		return -1;
	got = in->limits.unpack->next(in->unpacker, &unused, err);
	in->rare_end = got == 0;
	return got < 0 ? -1 : 0;
}

static int
begin(struct input *in, const unsigned char *first, size_t size, struct stk_error *err)
{
	in->compression = compression_of(first, size, in->limits.keep_zstd);
	in->rare = in->compression == PLAIN ? rare_of(first, size) : PACK_NONE;
	if (in->rare != PACK_NONE)
		in->compression = RARE;
	if (in->compression != PLAIN && in->buffer == NULL)
		in->buffer = mem_new(BUFFER_BYTES, 1);
	switch (in->compression) {
	case GZIP: return begin_gzip(in, err);
	case ZSTD: return begin_zstd(in, err);
	case RARE: return begin_rare(in, err);
	default: return 0;
	}
}

/* A file can be examined without moving in it. */
static int
sniff_file(struct input *in, struct stk_error *err)
{
	long got = read_at(in, in->first, sizeof in->first, 0);

	if (got < 0)
		return stk_fail_errno(err, "cannot read");
	if (got > 0 && in->raw_size == 0)
		in->raw_size = -1;	/* files in /proc have content but no size */
	in->first_size = (size_t)got;
	return begin(in, in->first, in->first_size, err);
}

/* How many first bytes are enough to recognise it; a caller that accepts skippable zstd frames needs more, to see whose
 * it is. */
static size_t
enough(const unsigned char *p, size_t size)
{
	if (size < 4)
		return 4;
	if ((load32(p) & ZSTD_MAGIC_SKIPPABLE_MASK) == ZSTD_MAGIC_SKIPPABLE_START || memcmp(p, "\xfd" "7zX", 4) == 0 ||
	    memcmp(p, "BZh", 3) == 0)
		return MAGIC_BYTES;
	return 4;
}

/* The first bytes of a pipe go through the buffer. A live pipe may deliver few: wait for no more than the shortest
 * signatures need. */
static int
sniff_pipe(struct input *in, struct stk_error *err)
{
	int got = 1;

	if (in->buffer == NULL)
		in->buffer = mem_new(BUFFER_BYTES, 1);
	while (in->filled < enough(in->buffer, in->filled) && (got = refill(in, err)) > 0)
		continue;
	in->first_size = in->filled < sizeof in->first ? in->filled : sizeof in->first;
	memcpy(in->first, in->buffer, in->first_size);
	return got < 0 ? -1 : begin(in, in->first, in->first_size, err);
}

/* --- opening --- */

static int
examine(struct input *in, struct stk_error *err)
{
	struct stat is;

	if (fstat(in->fd, &is) < 0)
		return stk_fail_errno(err, "cannot open");
	if (S_ISDIR(is.st_mode)) {
		errno = EISDIR;
		return stk_fail(err, STK_ESYSTEM, "is a directory");
	}
	in->raw_size = -1;
	in->modified_ns = INT64_MIN;
	if (!S_ISREG(is.st_mode))
		return 0;
	in->regular = true;
	in->start = lseek(in->fd, 0, SEEK_CUR);
	in->raw_size = is.st_size > in->start ? is.st_size - in->start : 0;
	in->modified_ns = (int64_t)is.st_mtim.tv_sec * 1000000000 + is.st_mtim.tv_nsec;
	(void)posix_fadvise(in->fd, in->start, 0, POSIX_FADV_SEQUENTIAL);	/* only advice */
	return sniff_file(in, err);
}

static struct input *
input_new(const struct input_limits *limits)
{
	struct input *in = mem_new(1, sizeof *in);

	if (limits != NULL)
		in->limits = *limits;
	if (in->limits.expanded_bytes <= 0)
		in->limits.expanded_bytes = INPUT_EXPANDED_MAX;
	if (in->limits.window_log <= 0)
		in->limits.window_log = WINDOW_LOG;
	return in;
}

void
input_open_from(struct input **out, const struct input_origin *origin, const struct input_limits *limits)
{
	struct input *in = *out = input_new(limits);

	in->fd = -1;
	in->origin = *origin;
	in->raw_size = -1;
	in->modified_ns = origin->modified_ns;
}

int
input_open(struct input **out, const char *path, const struct input_limits *limits, struct stk_error *err)
{
	struct input *in = input_new(limits);

	*out = NULL;
	in->close_fd = strcmp(path, "-") != 0;
	in->fd = in->close_fd ? open_file(path, O_RDONLY, 0) : STDIN_FILENO;
	if (in->fd < 0 || examine(in, err) < 0) {
		int why = errno;

		if (in->fd < 0)
			(void)stk_fail_errno(err, "cannot open");
		input_close(in);
		errno = why;
		return -1;
	}
	*out = in;
	return 0;
}

int
input_open_one(struct input **out, const char *path, const struct input_limits *limits, struct stk_error *err)
{
	struct stk_error why = { 0 };

	if (input_open(out, path, limits, &why) == 0)
		return 0;
	return stk_fail(err, why.code == STK_ESYSTEM && is_missing_file(errno) ? STK_EDATA : why.code, "%s", why.text);
}

void
input_close(struct input *in)
{
	if (in == NULL)
		return;
	if (in->compression == GZIP)
		inflateEnd(&in->gzip);
	ZSTD_freeDStream(in->zstd);
	if (in->unpacker != NULL)
		in->limits.unpack->close(in->unpacker);
	if (in->close_fd && in->fd >= 0)
		close(in->fd);
	free(in->buffer);
	free(in);
}

/* --- decompressing --- */

static int
fail_cut(struct input *in, struct stk_error *err)
{
	return stk_fail(err, STK_EDATA, "truncated: the compressed data end after %lld bytes",
			(long long)in->raw_bytes);
}

static int
fail_damaged(struct input *in, const char *why, struct stk_error *err)
{
	return stk_fail(err, STK_EDATA, "damaged compressed data before byte %lld: %s",
			(long long)(in->raw_bytes - (int64_t)(in->filled - in->at)), why != NULL ? why : "invalid");
}

/* Between gzip members: 1 when another begins, 0 when only zeros follow, as on tapes. */
static int
next_member(struct input *in, struct stk_error *err)
{
	while (in->at < in->filled && in->buffer[in->at] == 0)
		in->at++;
	if (in->at == in->filled)
		return 0;
	if (in->buffer[in->at] != 0x1f)
		return fail_damaged(in, "something else follows the gzip data", err);
	inflateReset(&in->gzip);
	return 1;
}

/* One step: takes some of the buffer, gives up to room bytes. 0, or -1; in both cases *made bytes are good. */
static int
step_gzip(struct input *in, unsigned char *to, size_t room, size_t *made, struct stk_error *err)
{
	int result;

	if (!in->inside) {
		int more = next_member(in, err);

		if (more <= 0)
			return more;
		in->inside = true;
	}
	in->gzip.next_in = in->buffer + in->at;
	in->gzip.avail_in = (uInt)(in->filled - in->at);
	in->gzip.next_out = to;
	in->gzip.avail_out = (uInt)room;
	result = inflate(&in->gzip, Z_NO_FLUSH);
	in->at = in->filled - in->gzip.avail_in;
	*made = room - in->gzip.avail_out;
	in->pending = in->gzip.avail_out == 0 && result != Z_STREAM_END;
	if (result == Z_STREAM_END)
		in->inside = false;
	else if (result == Z_MEM_ERROR)
		return stk_fail(err, STK_ESYSTEM, "no memory to decompress gzip");
	else if (result != Z_OK && result != Z_BUF_ERROR)	/* Z_BUF_ERROR: nothing to do this time */
		return fail_damaged(in, in->gzip.msg, err);
	return 0;
}

static int
step_zstd(struct input *in, unsigned char *to, size_t room, size_t *made, struct stk_error *err)
{
	size_t left = in->filled - in->at;
	ZSTD_inBuffer from = { in->buffer + in->at, left < in->zstd_wants ? left : in->zstd_wants, 0 };
	ZSTD_outBuffer into = { to, room, 0 };
	size_t result = ZSTD_decompressStream(in->zstd, &into, &from);

	in->at += from.pos;
	*made = into.pos;
	if (ZSTD_getErrorCode(result) == ZSTD_error_memory_allocation)
		return stk_fail(err, STK_ESYSTEM, "no memory to decompress zstd");	/* windows have a limit */
	if (ZSTD_isError(result))
		return fail_damaged(in, ZSTD_getErrorName(result), err);
	in->inside = result != 0;
	in->pending = into.pos == into.size && result != 0;
	in->zstd_wants = result != 0 ? result : FRAME_BEGIN;
	return 0;
}

static int
step_rare(struct input *in, unsigned char *to, size_t room, size_t *made, struct stk_error *err)
{
	long got = in->limits.unpack->read(in->unpacker, to, room, err);

	*made = got > 0 ? (size_t)got : 0;
	in->rare_end = got == 0;
	return got < 0 ? -1 : 0;
}

static int
step(struct input *in, unsigned char *to, size_t room, size_t *made, struct stk_error *err)
{
	switch (in->compression) {
	case GZIP: return step_gzip(in, to, room, made, err);
	case ZSTD: return step_zstd(in, to, room, made, err);
	default: return step_rare(in, to, room, made, err);
	}
}

/* Makes sure that the decoder has something to do: 1; 0 when everything was decoded; -1. */
static int
supply(struct input *in, struct stk_error *err)
{
	int got;

	if (in->compression == RARE)
		return !in->rare_end;	/* it reads by itself */
	if (in->at < in->filled || in->pending)
		return 1;
	got = refill(in, err);
	return got == 0 && in->inside ? fail_cut(in, err) : got;
}

/* The limit is exceeded when one more byte comes out; that byte is not returned. */
static int
count_expanded(struct input *in, size_t *made, struct stk_error *err)
{
	in->expanded += (int64_t)*made;
	if (in->expanded <= in->limits.expanded_bytes)
		return 0;
	*made -= (size_t)(in->expanded - in->limits.expanded_bytes);
	return stk_fail(err, STK_EDATA, "expands to more than %lld bytes, the limit",
			(long long)in->limits.expanded_bytes);
}

/* Continues until the room is full, or what was read from the file is used up: bytes of a live pipe are returned at
 * once. */
static long
read_compressed(struct input *in, unsigned char *to, size_t size, struct stk_error *err)
{
	int64_t allowed = in->limits.expanded_bytes - in->expanded + 1;
	size_t done = 0, made;
	int result = 0;

	if (size > READ_MAX)
		size = READ_MAX;
	if ((int64_t)size > allowed)
		size = (size_t)allowed;
	while (done < size && (done == 0 || in->at < in->filled || in->pending)) {
		result = supply(in, &in->later);
		if (result <= 0)
			break;
		made = 0;
		result = step(in, to + done, size - done, &made, &in->later);
		if (count_expanded(in, &made, &in->later) < 0)
			result = -1;
		done += made;
		if (result < 0)
			break;
	}
	if (done > 0 || result == 0)
		return (long)done;
	return stk_fail(err, in->later.code, "%s", in->later.text);
}

/* --- reading --- */

static long
read_plain(struct input *in, void *to, size_t size, struct stk_error *err)
{
	size_t ready = in->filled - in->at;

	if (ready == 0)
		return raw_read(in, to, size, err);
	if (ready > size)
		ready = size;
	memcpy(to, in->buffer + in->at, ready);
	in->at += ready;
	return (long)ready;
}

static long
read_on(struct input *in, void *to, size_t size, struct stk_error *err)
{
	if (in->compression == UNKNOWN)
		(void)sniff_pipe(in, &in->later);
	if (in->later.code != STK_EOK)
		return stk_fail(err, in->later.code, "%s", in->later.text);
	return in->compression == PLAIN ? read_plain(in, to, size, err) : read_compressed(in, to, size, err);
}

long
input_read(struct input *in, void *to, size_t size, struct stk_error *err)
{
	size_t ready = in->ahead_filled - in->ahead_at;

	if (ready == 0)
		return read_on(in, to, size, err);
	size = size < ready ? size : ready;
	memcpy(to, in->ahead + in->ahead_at, size);
	in->ahead_at += size;
	return (long)size;
}

/* A failure is kept in `later`, and so reported by the read that follows. */
const unsigned char *
input_ahead(struct input *in, size_t wanted, size_t *size)
{
	long got;

	memmove(in->ahead, in->ahead + in->ahead_at, in->ahead_filled - in->ahead_at);
	in->ahead_filled -= in->ahead_at;
	in->ahead_at = 0;
	if (wanted > sizeof in->ahead)
		wanted = sizeof in->ahead;
	while (in->ahead_filled < wanted && in->later.code == STK_EOK) {
		got = read_on(in, in->ahead + in->ahead_filled, sizeof in->ahead - in->ahead_filled, &in->later);
		if (got <= 0)
			break;
		in->ahead_filled += (size_t)got;
	}
	*size = in->ahead_filled;
	return in->ahead;
}

int
input_seek(struct input *in, int64_t offset)
{
	if (!in->regular || in->compression != PLAIN || offset < 0)
		return -1;
	if (lseek(in->fd, in->start + offset, SEEK_SET) < 0)
		return -1;
	in->raw_bytes = offset;
	in->raw_end = false;
	in->ahead_at = in->ahead_filled = 0;
	return 0;
}

long
input_read_at(const struct input *in, void *to, size_t size, int64_t offset)
{
	if (!in->regular || in->compression != PLAIN || offset < 0) {
		errno = ESPIPE;
		return -1;
	}
	return read_at(in, to, size, offset);
}

int64_t
input_raw_bytes(const struct input *in)
{
	return in->raw_bytes;
}

int64_t
input_raw_size(const struct input *in)
{
	return in->raw_size;
}

int64_t
input_modified_ns(const struct input *in)
{
	return in->modified_ns;
}

bool
input_ends_for_good(const struct input *in)
{
	return !in->close_fd && !in->regular;
}

bool
input_is_being_written(const struct input *in)
{
	if (flock(in->fd, LOCK_SH | LOCK_NB) < 0)
		return errno == EWOULDBLOCK;
	(void)flock(in->fd, LOCK_UN);
	return false;
}

int64_t
input_hold_end(const struct input *in)
{
	struct stat now;

	if (!in->regular || in->raw_size < 0)
		return -1;
	(void)end_lock_to_read(in->fd);
	return fstat(in->fd, &now) < 0 ? in->raw_size : now.st_size;
}

void
input_let_go_end(const struct input *in)
{
	if (in->regular && in->raw_size >= 0)
		end_unlock(in->fd);
}

bool
input_compressed(const struct input *in)
{
	return in->compression > PLAIN;
}

int64_t
input_expanded_bytes(const struct input *in)
{
	return in->expanded;
}

const unsigned char *
input_first_bytes(const struct input *in, size_t *size)
{
	*size = in->first_size;
	return in->first;
}

bool
input_ready(const struct input *in, int milliseconds)
{
	struct pollfd wait = { .fd = in->fd, .events = POLLIN };

	return in->fd < 0 || in->ahead_at < in->ahead_filled || in->at < in->filled || in->raw_end ||
	       poll(&wait, 1, milliseconds) != 0;
}
