/* SPDX-License-Identifier: MIT
 * A file with a time tree that may say anything: opening it as a recording, counting windows, growing call trees and
 * thinning what is thinned already ends without a crash, whatever its nodes, counts and keys claim. Up to 64 bytes are
 * the numbers of lies about a tree that is made here, eight bytes each; more are the file itself. */
#include "../lib/lies.h"

#include "base/scratch.h"
#include "stream/stream_file.h"
#include "timetree/recording.h"
#include "timetree/tree_maker.h"

#include <stdlib.h>
#include <unistd.h>

#define SAMPLES 40
#define LIES_BYTES 64
#define MUST(condition) ((condition) ? (void)0 : abort())
#define ROWS_MOST 100000		/* a few bytes may say many rows, which takes long and is no finding */

static void
hear_lost(void *context, int64_t from_ns, int64_t to_ns, const char *why)
{
	(void)context, (void)from_ns, (void)to_ns, (void)why;
}

static void
hear_damage(void *context, int64_t offset, uint64_t bytes, const char *what)
{
	(void)context, (void)offset, (void)bytes, (void)what;
}

static uint64_t
rows_of(const struct stream_file *file)
{
	uint64_t rows = 0;

	for (unsigned s = 0; s < stream_file_streams(file); s++) {
		size_t count;
		const struct file_block *blocks = stream_file_all_blocks(file, s, &count);

		for (size_t b = 0; b < count && rows <= ROWS_MOST; b++)
			rows += blocks[b].rows;
	}
	return rows;
}

static void
ask(const char *path, struct tree_interval window, struct growth_limits limits, bool groups)
{
	struct recording_options options = {
		.by = groups ? "state" : "none", .as = groups ? AS_GROUPS : AS_FRAMES, .samples = groups
	};
	struct recording_listener listener = { .damage = hear_damage, .lost = hear_lost };
	struct recording *recording;
	struct answer answer = { 0 };
	struct call_tree tree;
	struct stk_error err = { 0 };

	options.filtered = groups;
	options.selection.states = groups ? "waiting,runnable" : NULL;
	call_tree_open(&tree, 1);
	if (recording_open(&recording, path, &options, &listener, &err) == 0 &&
		recording_count(recording, window, &answer, &err) == 0 &&
		recordings_grow(&recording, 1, limits, &tree, 0, &answer, &err) == 0)
		MUST(tree.total.count == tree.self.count);
	recording_close(recording);
	call_tree_release(&tree);
}

static struct some_bytes
bytes_of(const struct scratch *from)
{
	struct some_bytes bytes = { 0 };
	struct stk_error err = { 0 };

	bytes.size = bytes.room = (size_t)scratch_size(from);
	bytes.at = mem_new(bytes.size, 1);
	MUST(scratch_read_at(from, bytes.at, bytes.size, 0, &err) == (long)bytes.size);
	return bytes;
}

/* The file once more through a maker, with its thinned nodes: the stream that it makes, which is the caller's; or NULL.
 * What is older than raw_ns is thinned. */
static struct scratch *
make(struct scratch *from, int64_t raw_ns)
{
	struct scratch *copy = NULL;
	struct maker_options options = { .shape = { .leaf = 2, .keep = 100, .split = 2 },
		.rule = "time",
		.zone = "",
		.keys = { { "none", "state" }, 2 },
		.level = 1,
		.retention = { .step = { { raw_ns, 0 }, { INT64_C(1) << 60, raw_ns } }, .steps = 2 } };
	struct stream_file *file = NULL;
	struct tree_maker *maker;
	struct stk_error err = { 0 };
	int result = tree_maker_open(&maker, &options, NULL, &err);

	if (result == 0)
		result = stream_file_open_scratch(&file, from, NULL, NULL, &err);
	for (unsigned s = 0; result == 0 && s < stream_file_streams(file); s++) {
		size_t count;
		const struct file_block *blocks = stream_file_all_blocks(file, s, &count);

		for (size_t b = 0; b < count && result == 0; b++) {
			struct stk_block block;
			int got = stream_file_go(file, s, &blocks[b], &block, &err);

			if (got > 0 && tree_maker_take(maker, stream_file_reader(file), &block, &err) < 0)
				result = err.code == STK_EDATA ? 0 : -1;
			if (result == 0)
				stk_error_clear(&err);
		}
	}
	if (result == 0 && tree_maker_end_stream(maker, &err) == 0 && tree_maker_finish(maker, &err) == 0) {
		struct some_bytes bytes = bytes_of(tree_maker_result(maker));

		MUST(scratch_open(&copy, &err) == 0 && scratch_write(copy, bytes.at, bytes.size, &err) == 0);
		free(bytes.at);
	}
	tree_maker_close(maker);
	stream_file_close(file);
	return copy;
}

/* Too many rows, or nothing that is a stream. */
static bool
is_worth(const struct scratch *scratch)
{
	struct stream_file *file = NULL;
	struct stk_error err = { 0 };
	bool worth = stream_file_open_scratch(&file, scratch, NULL, NULL, &err) == 0 && stream_file_streams(file) > 0 &&
		     rows_of(file) <= ROWS_MOST;

	stream_file_close(file);
	return worth;
}

/* --- a good tree, and lies about it --- */

static int
keep_bytes(void *context, const void *from, size_t size, struct stk_error *err)
{
	return scratch_write(context, from, size, err);
}

/* Samples ten seconds apart, of three functions in turn. */
static void
write_samples(struct scratch *to)
{
	static const char *const names[] = { "cycles", "a", "b", "c" };
	struct stk_writer_options options = { .write = keep_bytes, .context = to, .level = 1 };
	struct stk_error err = { 0 };
	struct stk_writer *writer;

	MUST(stk_writer_open(&writer, &options, &err) == 0 && stk_writer_head(writer, NULL, &err) == 0);
	for (unsigned i = 0; i < 4; i++)
		MUST(stk_writer_add(writer, STK_STRING, &(struct stk_string){ .text = text_from(names[i]) }, &err) ==
			0);
	for (unsigned i = 0; i < 3; i++) {
		struct stk_stack stack = { .parent = i, .frame = i + 1 };

		MUST(stk_writer_add(writer, STK_FRAME, &(struct stk_frame){ .function = i + 2 }, &err) == 0);
		MUST(stk_writer_add(writer, STK_STACK, &stack, &err) == 0);
	}
	for (unsigned i = 0; i < SAMPLES; i++) {
		struct stk_sample sample = {
			.time = LIE_TIME + i * INT64_C(10000000000), .event = 1, .stack = i % 3 + 1, .weight = 1
		};

		MUST(stk_writer_add(writer, STK_SAMPLE, &sample, &err) == 0);
	}
	MUST(stk_writer_close(writer, true, &err) == 0);
}

/* Half of it thinned. */
static const struct lie_file *
good_tree(void)
{
	static struct arena arena;
	static struct lie_file file;
	struct scratch *samples, *tree;
	struct some_bytes bytes;
	struct stk_error err = { 0 };

	if (file.arena != NULL)
		return &file;
	file.arena = &arena;
	MUST(scratch_open(&samples, &err) == 0);
	write_samples(samples);
	tree = make(samples, INT64_C(200000000000));
	MUST(tree != NULL);
	bytes = bytes_of(tree);
	lie_file_read(&file, bytes);
	free(bytes.at);
	scratch_close(tree);
	scratch_close(samples);
	return &file;
}

static struct some_bytes
lies_about(const struct lie_file *good, const uint8_t *data, size_t size)
{
	struct arena arena = { 0 };
	struct lie_file file = { .arena = &arena };
	struct some_bytes bytes = { 0 };
	uint64_t number = 0;

	lie_file_open(&file, good, &number);
	for (; size >= sizeof number; data += sizeof number, size -= sizeof number) {
		memcpy(&number, data, sizeof number);
		lie_tell(&file, number);
	}
	lie_file_bytes(&file, &bytes);
	array_release(&file.blocks);
	arena_release(&arena);
	return bytes;
}

static void
try_file(const uint8_t *data, size_t size)
{
	char path[] = "/tmp/tree_file.XXXXXX";
	struct scratch *scratch;
	struct stk_error err = { 0 };
	int fd;

	MUST(scratch_open(&scratch, &err) == 0 && scratch_write(scratch, data, size, &err) == 0);
	if (is_worth(scratch)) {
		fd = mkstemp(path);
		MUST(fd >= 0 && write(fd, data, size) == (ssize_t)size && close(fd) == 0);
		ask(path, (struct tree_interval){ INT64_MIN, INT64_MAX }, (struct growth_limits){ 0 }, false);
		ask(path, (struct tree_interval){ 1000, LIE_TIME + 1 }, (struct growth_limits){ 1, 10 }, false);
		ask(path, (struct tree_interval){ INT64_MIN, LIE_TIME }, (struct growth_limits){ 0 }, true);
		MUST(unlink(path) == 0);
		scratch_close(make(scratch, 1000));
	}
	scratch_close(scratch);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

int
LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	struct some_bytes bytes;

	if (size > LIES_BYTES) {
		try_file(data, size);
		return 0;
	}
	bytes = lies_about(good_tree(), data, size);
	try_file(bytes.at, bytes.size);
	free(bytes.at);
	return 0;
}
