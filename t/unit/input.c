/* SPDX-License-Identifier: MIT
 * input: the same bytes come out of a file and of a pipe, plain or compressed, whole, joined, cut or damaged; and lists
 * of files. */
#include "../lib/tap.h"

#include "base/input.h"

#include <fcntl.h>
#include <sys/socket.h>
#include <sys/un.h>
#include <zlib.h>
#include <zstd.h>

#define SIZE 700000	/* several zstd blocks, several fillings of a buffer once compressed */

struct blob { unsigned char *data; size_t size; };

static unsigned char content[SIZE];	/* compresses to about a half */
static struct stk_error err;

/* --- making inputs --- */

static void
make_content(void)
{
	uint32_t state = 1;

	for (size_t i = 0; i < SIZE; i++) {
		state = state * 1664525 + 1013904223;
		content[i] = i % 2 == 0 ? (unsigned char)(state >> 24) : 'a';
	}
}

static struct blob
blob_of(const void *data, size_t size)
{
	struct blob blob = { malloc(size + 1), size };

	if (size != 0)
		memcpy(blob.data, data, size);
	return blob;
}

static struct blob
joined(struct blob a, struct blob b)
{
	struct blob both = { malloc(a.size + b.size + 1), a.size + b.size };

	if (a.size != 0)
		memcpy(both.data, a.data, a.size);
	if (b.size != 0)
		memcpy(both.data + a.size, b.data, b.size);
	free(a.data);
	free(b.data);
	return both;
}

static struct blob
gzipped(const void *from, size_t size)
{
	struct blob blob = { malloc(size + 1000), 0 };
	z_stream z = { .next_in = (Bytef *)(uintptr_t)from, .avail_in = (uInt)size };

	if (deflateInit2(&z, 1, Z_DEFLATED, 15 + 16, 8, Z_DEFAULT_STRATEGY) != Z_OK)
		abort();
	z.next_out = blob.data, z.avail_out = (uInt)size + 1000;
	if (deflate(&z, Z_FINISH) != Z_STREAM_END)
		abort();
	blob.size = z.total_out;
	deflateEnd(&z);
	return blob;
}

static struct blob
zstandard(const void *from, size_t size, int window_log)
{
	struct blob blob = { malloc(ZSTD_compressBound(size)), 0 };
	ZSTD_CCtx *context = ZSTD_createCCtx();
	ZSTD_outBuffer out = { blob.data, ZSTD_compressBound(size), 0 };
	ZSTD_inBuffer in = { from, size, 0 };

	ZSTD_CCtx_setParameter(context, ZSTD_c_checksumFlag, 1);
	if (window_log != 0)	/* as a stream, so that the frame does not know its size and keeps its window */
		ZSTD_CCtx_setParameter(context, ZSTD_c_windowLog, window_log);
	if (ZSTD_isError(ZSTD_compressStream2(context, &out, &in, ZSTD_e_flush)) ||
	    ZSTD_compressStream2(context, &out, &in, ZSTD_e_end) != 0)
		abort();
	blob.size = out.pos;
	ZSTD_freeCCtx(context);
	return blob;
}

static struct blob
skippable(void)
{
	return blob_of("\x51\x2a\x4d\x18\x05\0\0\0hello", 13);
}

static void
write_file(const char *path, struct blob blob)
{
	FILE *file = fopen(path, "w");

	if (file == NULL || fwrite(blob.data, 1, blob.size, file) != blob.size || fclose(file) != 0)
		abort();
}

/* --- reading them --- */

/* Reads all with pieces of a size. What came out is in *got; false when it ended in an error. */
static bool
read_all(struct input *in, size_t piece, struct blob *got)
{
	size_t room = 4 * SIZE + piece;
	long n;

	*got = (struct blob){ malloc(room), 0 };
	stk_error_clear(&err);
	while ((n = input_read(in, got->data + got->size, piece, &err)) > 0) {
		got->size += (size_t)n;
		if ((size_t)n > piece || got->size + piece > room)
			abort();
	}
	if (n == 0 && input_read(in, got->data, piece, &err) != 0)	/* the end stays the end */
		abort();
	if (n < 0) {						/* and an error stays an error */
		struct stk_error again = { 0 };

		if (input_read(in, got->data + got->size, 1, &again) != -1 || again.code != err.code)
			abort();
	}
	return n == 0;
}

static bool
read_path(const char *path, const struct input_limits *limits, size_t piece, struct blob *got)
{
	struct input *in;
	bool good;

	*got = (struct blob){ 0 };
	stk_error_clear(&err);
	if (input_open(&in, path, limits, &err) < 0)
		return false;
	good = read_all(in, piece, got);
	input_close(in);
	return good;
}

/* Reads a blob as stdin from a pipe, fed bit by bit. */
static bool
read_piped(struct blob blob, size_t feed, struct blob *got)
{
	int ends[2], old = dup(0);
	bool good;

	if (pipe(ends) < 0)
		abort();
	fflush(stdout);
	if (fork() == 0) {
		close(ends[0]);
		for (size_t at = 0; at < blob.size; at += feed)
			if (write(ends[1], blob.data + at, blob.size - at < feed ? blob.size - at : feed) < 0)
				break;
		_exit(0);
	}
	close(ends[1]);
	dup2(ends[0], 0);
	close(ends[0]);
	good = read_path("-", NULL, 100000, got);
	dup2(old, 0);
	close(old);
	return good;
}

/* --- every form, read in every way --- */

static void
test_form(struct blob blob, struct blob wanted, const char *what)
{
	static const size_t pieces[] = { 997, 65536, SIZE * 3 };
	struct blob got;

	write_file("form", blob);
	for (size_t i = 0; i < sizeof pieces / sizeof *pieces; i++) {
		ok(read_path("form", NULL, pieces[i], &got), "%s: read in pieces of %zu", what, pieces[i]);
		is_bytes(got.data, got.size, wanted.data, wanted.size, "%s: all is there in pieces of %zu", what,
			 pieces[i]);
		free(got.data);
	}
	ok(read_piped(blob, 70000, &got), "%s: read from a pipe", what);
	is_bytes(got.data, got.size, wanted.data, wanted.size, "%s: all is there from a pipe", what);
	free(got.data);
	if (blob.size < 2000) {
		ok(read_piped(blob, 1, &got), "%s: read from a pipe that gives single bytes", what);
		is_bytes(got.data, got.size, wanted.data, wanted.size, "%s: all is there by single bytes", what);
		free(got.data);
	}
	free(blob.data);
}

static void
test_forms(void)
{
	const struct blob whole = { content, SIZE }, nothing = { content, 0 }, small = { content, 300 };
	struct blob twice = joined(blob_of(content, SIZE), blob_of(content, SIZE));

	test_form(blob_of(content, SIZE), whole, "plain");
	test_form(blob_of("", 0), nothing, "empty");
	test_form(blob_of(content, 1), (struct blob){ content, 1 }, "one byte");
	test_form(blob_of("\x1f\x8b", 2), (struct blob){ (unsigned char[]){ 0x1f, 0x8b }, 2 },
		  "the begin of gzip only");
	test_form(blob_of("\x28\xb5\x2f", 3), (struct blob){ (unsigned char[]){ 0x28, 0xb5, 0x2f }, 3 },
		  "the begin of zstd only");
	test_form(gzipped(content, SIZE), whole, "gzip");
	test_form(gzipped(content, 300), small, "small gzip");
	test_form(gzipped(content, 0), nothing, "empty gzip");
	test_form(joined(gzipped(content, SIZE), gzipped(content, SIZE)), twice, "two gzip members");
	test_form(joined(gzipped(content, 0), joined(gzipped(content, 0), gzipped(content, 300))), small,
		  "gzip with empty members");
	test_form(joined(gzipped(content, 300), blob_of("\0\0\0\0\0\0", 6)), small, "gzip with zeros behind");
	test_form(zstandard(content, SIZE, 0), whole, "zstd");
	test_form(zstandard(content, 300, 0), small, "small zstd");
	test_form(zstandard(content, 0, 0), nothing, "empty zstd");
	test_form(joined(zstandard(content, SIZE, 0), zstandard(content, SIZE, 0)), twice, "two zstd frames");
	test_form(joined(skippable(), zstandard(content, 300, 0)), small, "zstd behind a skippable frame");
	test_form(joined(zstandard(content, 300, 0), joined(skippable(), skippable())), small,
		  "zstd before skippable frames");
	test_form(skippable(), nothing, "a skippable frame alone");
	free(twice.data);
}

/* --- what is not whole --- */

/* Every cut of the file fails with EDATA, gives a prefix of the content, and never less than the shorter cut before. */
static void
test_cut(struct blob blob, size_t content_size, const char *what)
{
	bool fails = true, prefix = true, rising = true;
	size_t best = 0;

	for (size_t cut = 4; cut < blob.size; cut += 1 + blob.size / 97) {
		struct blob got;
		bool good;

		write_file("cut", (struct blob){ blob.data, cut });
		good = read_path("cut", NULL, 10000, &got);
		fails = fails && !good && err.code == STK_EDATA && strncmp(err.text, "truncated", 9) == 0;
		prefix = prefix && got.size <= content_size && memcmp(got.data, content, got.size) == 0;
		rising = rising && got.size >= best;
		best = got.size;
		free(got.data);
	}
	ok(fails, "%s: every cut is noticed", what);
	ok(prefix && rising, "%s: what stands before a cut is given", what);
	ok(best > content_size / 2, "%s: most of the content stands before a late cut", what);
	free(blob.data);
}

/* A flipped bit late in the file leaves what comes before it. */
static void
test_flipped(struct blob blob, const char *what)
{
	struct blob got;

	blob.data[blob.size - 3] ^= 0x10;
	write_file("flipped", blob);
	ok(!read_path("flipped", NULL, SIZE * 2, &got) && err.code == STK_EDATA, "%s: damage is noticed", what);
	ok(got.size >= SIZE - 140000 && memcmp(got.data, content, got.size < SIZE ? got.size : SIZE) == 0,
	   "%s: what stands before the damage is given", what);
	free(got.data);
	free(blob.data);
}

static void
test_garbage(struct blob blob, const char *what)
{
	struct blob got;

	blob = joined(blob, blob_of("garbage", 7));
	write_file("garbage", blob);
	ok(!read_path("garbage", NULL, SIZE * 2, &got) && err.code == STK_EDATA, "%s: garbage behind it is noticed",
	   what);
	is_bytes(got.data, got.size, content, SIZE, "%s: what stands before the garbage is given", what);
	free(got.data);
	free(blob.data);
}

static void
test_refused_kind(struct blob blob, const char *wanted)
{
	struct blob got;

	write_file("kind", blob);
	ok(!read_path("kind", NULL, 100, &got) && err.code == STK_EDATA, "%s: refused", wanted);
	ok(strstr(err.text, wanted) != NULL, "%s: the message names the way on", wanted);
	ok(!read_piped(blob, 100, &got) && err.code == STK_EDATA, "%s: refused from a pipe", wanted);
	free(got.data);
	free(blob.data);
}

static void
test_damage(void)
{
	test_cut(gzipped(content, SIZE), SIZE, "gzip");
	test_cut(zstandard(content, SIZE, 0), SIZE, "zstd");
	test_flipped(gzipped(content, SIZE), "gzip");
	test_flipped(zstandard(content, SIZE, 0), "zstd");
	test_garbage(gzipped(content, SIZE), "gzip");
	test_garbage(zstandard(content, SIZE, 0), "zstd");
	test_refused_kind(blob_of("\xfd" "7zXZ\0rest", 10), "compressed with xz, which only stkcap reads");
	test_refused_kind(blob_of("BZh91AY&SYrest", 14), "compressed with bzip2, which only stkcap reads");
}

/* --- limits --- */

static void
test_limit(struct blob blob, const char *what)
{
	struct input_limits exact = { .expanded_bytes = SIZE }, less = { .expanded_bytes = SIZE - 1 };
	struct blob got;

	write_file("bomb", blob);
	ok(read_path("bomb", &exact, 10000, &got) && got.size == SIZE, "%s: the limit itself may be met", what);
	free(got.data);
	ok(!read_path("bomb", &less, 10000, &got) && err.code == STK_EDATA && strstr(err.text, "the limit") != NULL,
	   "%s: one byte more is refused", what);
	is_bytes(got.data, got.size, content, SIZE - 1, "%s: what is within the limit is given", what);
	free(got.data);
	free(blob.data);
}

static void
test_limits(void)
{
	struct input_limits less = { .expanded_bytes = 10 }, narrow = { .window_log = 18 },
			    kept = { .keep_zstd = true };
	struct blob blob = zstandard(content, SIZE, 20), got;

	test_limit(gzipped(content, SIZE), "gzip");
	test_limit(zstandard(content, SIZE, 0), "zstd");
	write_file("plain", (struct blob){ content, SIZE });
	ok(read_path("plain", &less, 10000, &got) && got.size == SIZE, "plain files have no limit");
	free(got.data);
	write_file("wide", blob);
	ok(!read_path("wide", &narrow, 10000, &got) && err.code == STK_EDATA, "a window that is too large is refused");
	free(got.data);
	ok(read_path("wide", NULL, 10000, &got), "the default window is large enough");
	free(got.data);
	ok(read_path("wide", &kept, 10000, &got), "zstd can be kept");
	is_bytes(got.data, got.size, blob.data, blob.size, "kept zstd is as it was");
	free(got.data);
	free(blob.data);
}

/* --- what is known of an input --- */

static void
test_facts(void)
{
	struct blob blob = gzipped(content, SIZE);
	struct input *in;
	unsigned char byte;

	write_file("plain", (struct blob){ content, SIZE });
	write_file("packed.txt", blob);
	stk_error_clear(&err);
	ok(input_open(&in, "plain", NULL, &err) == 0 && !input_compressed(in) && input_raw_size(in) == SIZE &&
		   input_modified_ns(in) > 0,
	   "a plain file is known by its size");
	ok(input_read(in, &byte, 1, &err) == 1 && input_raw_bytes(in) == 1, "bytes are counted");
	ok(input_seek(in, SIZE - 1) == 0 && input_read(in, &byte, 1, &err) == 1 && byte == content[SIZE - 1],
	   "a plain file can be moved in");
	ok(input_read(in, &byte, 1, &err) == 0 && input_seek(in, 0) == 0 && input_read(in, &byte, 1, &err) == 1 &&
		   byte == content[0],
	   "even from its end");
	input_close(in);
	ok(input_open(&in, "packed.txt", NULL, &err) == 0 && input_compressed(in) &&
		   input_raw_size(in) == (int64_t)blob.size,
	   "compression is known by content");
	ok(input_seek(in, 0) == -1, "a compressed file cannot be moved in");
	input_close(in);
	input_close(NULL);
	ok(input_open(&in, "no such file", NULL, &err) == -1 && in == NULL && err.code == STK_ESYSTEM,
	   "a missing file is refused");
	stk_error_clear(&err);
	ok(input_open(&in, ".", NULL, &err) == -1 && strcmp(err.text, "is a directory") == 0, "a directory is refused");
	free(blob.data);
}

/* stdin need not stand at its begin. */
static void
test_stdin_inside(void)
{
	int old = dup(0), fd = open("plain", O_RDONLY);
	struct blob got;

	if (fd < 0 || lseek(fd, 1000, SEEK_SET) < 0 || dup2(fd, 0) < 0)
		abort();
	ok(read_path("-", NULL, 10000, &got), "stdin may stand inside a file");
	is_bytes(got.data, got.size, content + 1000, SIZE - 1000, "and is read from there");
	free(got.data);
	dup2(old, 0);
	close(old);
	close(fd);
}

/* --- lists of files --- */

static char complaints[2000];

static void
complain(const char *path, const struct stk_error *why)
{
	if (why->code != STK_EDATA)
		strcat(complaints, "failed:");
	strcat(strcat(complaints, path), ";");
}

static const char *
listed(struct file_list *list)
{
	static char names[2000];
	const char *path;

	names[0] = '\0';
	while ((path = file_list_next(list)) != NULL)
		strcat(strcat(names, path), ";");
	return names;
}

static void
make_tree(void)
{
	const struct blob five = { content, 5 };
	struct sockaddr_un name = { .sun_family = AF_UNIX, .sun_path = "tree/socket" };
	int fd = socket(AF_UNIX, SOCK_STREAM, 0);

	if (mkdir("tree", 0777) < 0 || mkdir("tree/b", 0777) < 0 || mkdir("tree/.hidden", 0777) < 0 ||
	    mkdir("tree/empty", 0777) < 0)
		abort();
	write_file("tree/a", five);
	write_file("tree/b/2", five);
	write_file("tree/b/10", five);
	write_file("tree/b.txt", five);
	write_file("tree/Z", five);
	write_file("tree/.file", five);
	write_file("tree/.hidden/file", five);
	if (symlink("..", "tree/b/loop") < 0 || symlink("a", "tree/link") < 0 ||
	    symlink("nowhere", "tree/dangling") < 0 || mkfifo("tree/fifo", 0666) < 0 || fd < 0 ||
	    bind(fd, (struct sockaddr *)&name, sizeof name) < 0)
		abort();
	close(fd);
}

static void
test_list(void)
{
	char tree[] = "tree", slash[] = "tree/b/", missing[] = "missing", fifo[] = "tree/fifo";
	char *operands[] = { tree, slash, missing }, *only_fifo[] = { fifo };
	struct file_list *list;

	make_tree();
	ok(file_list_open(&list, operands, 3, complain) == 0, "a list is made");
	is_i64(file_list_bytes(list), 40, "it knows the sum of sizes");
	is_text(listed(list), "tree/Z;tree/a;tree/b/10;tree/b/2;tree/b.txt;tree/link;tree/b/10;tree/b/2;",
		"directories are walked in byte order, without what is hidden");
	is_text(complaints, "tree/b/loop;tree/dangling;tree/fifo;tree/socket;tree/b/loop;missing;",
		"what cannot be read is told");
	ok(file_list_next(list) == NULL, "the end stays the end");
	file_list_close(list);
	ok(file_list_open(&list, NULL, 0, complain) == 0 && strcmp(listed(list), "-;") == 0, "no operand means stdin");
	file_list_close(list);
	ok(file_list_open(&list, only_fifo, 1, complain) == 0 && file_list_bytes(list) == -1 &&
		   strcmp(listed(list), "tree/fifo;") == 0,
	   "a named fifo is read, and has no size");
	file_list_close(list);
	file_list_close(NULL);
}

int
main(void)
{
	scratch();
	make_content();
	test_forms();
	test_damage();
	test_limits();
	test_facts();
	test_stdin_inside();
	test_list();
	return tap_end();
}
