/* SPDX-License-Identifier: MIT
 * Any stacks in any dumps: each is restorable from its signature, leaves count the stacks that hold them, and a state
 * that is written and read is the same state. A byte is a frame; 0xff ends a stack, 0xfe a dump. */
#include "base/bytes.h"
#include "classify/class_state.h"

#include <stdlib.h>

#define MUST(condition) ((condition) ? (void)0 : abort())

struct bytes { unsigned char *at; size_t count, room, read; };

static int
write_memory(void *context, const void *from, size_t size, struct stk_error *err)
{
	struct bytes *to = context;

	(void)err;
	array_reserve(to, size);
	memcpy(to->at + to->count, from, size);
	to->count += size;
	return 0;
}

static long
read_memory(void *context, void *to, size_t size, struct stk_error *err)
{
	struct bytes *from = context;
	size_t left = from->count - from->read;

	(void)err;
	size = size < left ? size : left;
	memcpy(to, from->at + from->read, size);
	from->read += size;
	return (long)size;
}

static struct bytes
state_of(struct classifier *classifier, struct sample_intake *intake)
{
	struct bytes bytes = { 0 };
	struct stk_writer_options options = { .write = write_memory, .context = &bytes, .level = 1 };
	struct stk_writer *writer;
	struct stk_error err = { 0 };

	MUST(stk_writer_open(&writer, &options, &err) == 0);
	MUST(class_state_write(classifier, intake, writer, &err) == 0);
	MUST(stk_writer_close(writer, true, &err) == 0);
	return bytes;
}

static void
restore(struct bytes *bytes, struct classifier *classifier, struct sample_intake *intake)
{
	struct stk_reader_options options = { .read = read_memory, .context = bytes };
	struct stk_reader *reader;
	struct class_state *state;
	struct stk_block block;
	struct stk_error err = { 0 };

	class_state_open(&state);
	MUST(stk_reader_open(&reader, &options, &err) == 0);
	while (stk_reader_next(reader, &block, &err) > 0)
		MUST(class_state_take(state, reader, &block, &err) == 0);
	MUST(class_state_restore(state, classifier, intake, &err) == 0);
	class_state_close(state);
	stk_reader_close(reader);
}

static void
check_signatures(struct classifier *c)
{
	const struct segments *segments = classifier_segments(c);

	for (uint32_t id = 1; id <= classifier_classes(c); id++) {
		uint32_t depth, at = 0;
		const uint32_t *trace = classifier_trace(c, classifier_get(c, id)->stack, &depth);

		for (uint32_t i = 0; i < classifier_get(c, id)->nodes; i++) {
			struct segment is = segments_get(segments, classifier_signature(c, id)[i]);

			for (uint32_t place = is.from; place < is.to; place++, at++)
				MUST(at < depth && segments_frame_at(segments, place) == trace[at]);
		}
		MUST(at == depth);
	}
}

/* Each leaf counts the stacks that hold its first frame. */
static void
check_leaves(struct classifier *c)
{
	const struct segments *segments = classifier_segments(c);

	for (uint32_t frame = 1; frame <= classifier_frames(c); frame++) {
		uint64_t holding = 0;

		for (uint32_t id = 1; id <= classifier_classes(c); id++) {
			uint32_t depth;
			const uint32_t *trace = classifier_trace(c, classifier_get(c, id)->stack, &depth);
			bool holds = false;

			for (uint32_t i = 0; i < depth; i++)
				holds |= trace[i] == frame;
			holding += holds ? classifier_get(c, id)->total : 0;
		}
		MUST(classifier_tally(c, segments_leaf_of(segments, frame), 0).total == holding);
	}
}

static void
learn(struct classifier *c, const uint8_t *data, size_t size)
{
	const struct measures *classes, *segments;
	uint32_t stack = 0;

	for (size_t i = 0; i < size; i++) {
		char name[2] = { (char)('A' + data[i] % 16), '\0' };

		if (data[i] < 0xfe)
			stack = classifier_stack(c, stack, classifier_frame(c, text_of(name, 1)));
		if (stack != 0 && (data[i] >= 0xfe || i + 1 == size)) {
			uint32_t class = classifier_class(c, stack, 0);

			classifier_count(c, &class, &(uint64_t){ 1 + data[i] % 3 }, 1);
			stack = 0;
		}
		if (data[i] == 0xfe || i + 1 == size)
			classifier_end_dump(c, 0, (int64_t)i, &classes, &segments);
	}
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

int
LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	struct sample_options options = { .slice_ns = 1 };
	struct classifier *one, *two;
	struct sample_intake *first, *second;
	struct bytes wrote, again;

	if (size == 0 || size > 2000)
		return 0;
	classifier_open(&one);
	classifier_open(&two);
	sample_intake_open(&first, &options, one, NULL, NULL);
	sample_intake_open(&second, &options, two, NULL, NULL);
	learn(one, data, size);
	check_signatures(one);
	check_leaves(one);
	wrote = state_of(one, first);
	restore(&wrote, two, second);
	check_signatures(two);
	check_leaves(two);
	again = state_of(two, second);
	MUST(wrote.count == again.count && memcmp(wrote.at, again.at, wrote.count) == 0);
	array_release(&wrote);
	array_release(&again);
	sample_intake_close(first);
	sample_intake_close(second);
	classifier_close(one);
	classifier_close(two);
	return 0;
}
