/* SPDX-License-Identifier: MIT
 * stream_mend: a file of dumps that was cut anywhere becomes whole again: it holds the dumps before the cut, each with
 * all its samples, and can be added to. */
#include "../lib/tap.h"

#include "stkpipe/stream.h"
#include "stream/stream_mend.h"

#define DUMPS   6
#define SAMPLES 3

static char file[1 << 16];
static size_t size, committed[DUMPS + 1];	/* where each dump's last byte is */

static int
take_bytes(void *context, const void *from, size_t more, struct stk_error *err)
{
	(void)context, (void)err;
	memcpy(file + size, from, more);
	size += more;
	return 0;
}

static void
make_file(void)
{
	struct stk_writer_options to = { .write = take_bytes, .level = 3 };
	struct stk_error err = { 0 };
	struct stk_writer *writer;
	int failed = stk_writer_open(&writer, &to, &err);

	for (unsigned d = 0; d < DUMPS; d++) {
		struct stk_dump dump = { .time = 1000 + d, .threads = SAMPLES };
		struct stk_string string = { .text = { "a new text with every dump", 10 + d } };

		failed |= stk_writer_add(writer, STK_STRING, &string, &err) |
			  stk_writer_add(writer, STK_DUMP, &dump, &err);
		for (unsigned s = 0; s < SAMPLES; s++) {
			struct stk_sample sample = { .time = dump.time, .dump = d + 1, .weight = 1, .processor = -1 };

			failed |= stk_writer_add(writer, STK_SAMPLE, &sample, &err);
		}
		failed |= stk_writer_flush(writer, &err);
		committed[d + 1] = size;
	}
	failed |= stk_writer_close(writer, true, &err);
	ok(failed == 0 && size < sizeof file, "a stream of %d dumps is %zu bytes", DUMPS, size);
}

static long
read_bytes(void *context, void *to, size_t room, struct stk_error *err)
{
	(void)err;
	return (long)fread(to, 1, room, context);
}

struct seen { unsigned dumps, samples; struct stk_reader_state state; };

static struct seen
seen_in(const char *path)
{
	FILE *from = fopen(path, "r");
	struct stk_reader_options options = { .read = read_bytes, .context = from };
	struct seen seen = { 0 };
	struct stk_error err = { 0 };
	struct stk_reader *reader;
	struct stk_block block;

	if (stk_reader_open(&reader, &options, &err) == 0)
		while (stk_reader_next(reader, &block, &err) > 0) {
			seen.dumps += block.kind == STK_DUMP ? block.rows : 0;
			seen.samples += block.kind == STK_SAMPLE ? block.rows : 0;
		}
	stk_reader_state(reader, &seen.state);
	stk_reader_close(reader);
	fclose(from);
	return seen;
}

static void
write_file(const char *path, const char *mode, size_t bytes)
{
	FILE *to = fopen(path, mode);

	fwrite(file, 1, bytes, to);
	fclose(to);
}

static unsigned
dumps_within(size_t bytes)
{
	unsigned dumps = 0;

	while (dumps < DUMPS && committed[dumps + 1] <= bytes)
		dumps++;
	return dumps;
}

static void
test_every_cut(void)
{
	size_t wrong = 0, first = 0;

	for (size_t cut_at = 0; cut_at <= size; cut_at++) {
		struct stk_error err = { 0 };
		unsigned wanted = dumps_within(cut_at);
		struct seen seen = { 0 };
		uint64_t cut;

		write_file("cut", "w", cut_at);
		if (stream_mend("cut", &cut, &err) == 0)
			seen = seen_in("cut");
		if (err.code != STK_EOK || seen.dumps != wanted || seen.samples != wanted * SAMPLES ||
		    seen.state.damages != 0 || seen.state.ended != seen.state.streams ||
		    (cut_at == size && (cut != 0 || seen.state.writer_lost != 0))) {
			wrong++;
			first = first == 0 ? cut_at : first;
		}
	}
	is_u64(wrong, 0,
	       "cut at every byte: the dumps before it are there, whole, and the stream ends (first wrong at %zu)",
	       first);
}

static void
test_added(void)
{
	struct stk_error err = { 0 };
	struct seen seen;
	uint64_t cut;

	write_file("added", "w", committed[2] + 5);
	ok(stream_mend("added", &cut, &err) == 0 && cut == 5, "five bytes are cut off");
	write_file("added", "a", size);
	ok(stream_mend("added", &cut, &err) == 0 && cut == 0, "what is whole stays as it is");
	seen = seen_in("added");
	ok(seen.dumps == 2 + DUMPS && seen.state.streams == 2 && seen.state.ended == 2 && seen.state.writer_lost == 1,
	   "a stream goes on behind; the end of the first says that something was lost");
}

static void
test_foreign(void)
{
	FILE *to = fopen("foreign", "w");
	struct stk_error err = { 0 };
	uint64_t cut;

	fputs("S*", to);		/* two of the four bytes that a stream begins with */
	fclose(to);
	ok(stream_mend("foreign", &cut, &err) == 0 && cut == 2, "two bytes may be the beginning of a stream");
	to = fopen("foreign", "w");
	fputs("somebody's letters\n", to);
	fclose(to);
	ok(stream_mend("foreign", &cut, &err) < 0 && err.code == STK_EDATA, "what is no stream is refused: %s",
	   err.text);
}

int
main(void)
{
	scratch();
	make_file();
	test_every_cut();
	test_added();
	test_foreign();
	return tap_end();
}
