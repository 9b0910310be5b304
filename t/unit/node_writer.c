/* SPDX-License-Identifier: MIT
 * node_writer: siblings are in one block of at most 1024 nodes, where they are not more themselves; a node is known by
 * how many were written before it. */
#include "../lib/tap.h"

#include "base/memory.h"
#include "stkpipe/stream.h"
#include "timetree/node_writer.h"

#include <stdlib.h>

#define MOST 1024

struct bytes { unsigned char at[1 << 20]; size_t size, read; };

static int
write_bytes(void *context, const void *from, size_t size, struct stk_error *err)
{
	struct bytes *to = context;

	if (size > sizeof to->at - to->size)
		return stk_fail(err, STK_ESYSTEM, "no room");
	memcpy(to->at + to->size, from, size);
	to->size += size;
	return 0;
}

static long
read_bytes(void *context, void *to, size_t size, struct stk_error *err)
{
	struct bytes *from = context;
	size_t left = from->size - from->read, give = size < left ? size : left;

	(void)err;
	memcpy(to, from->at + from->read, give);
	from->read += give;
	return (long)give;
}

/* How many nodes the blocks of a stream have, with a blank behind each. */
static const char *
blocks_of(struct bytes *stream)
{
	static char text[200];
	struct stk_reader_options options = { .read = read_bytes, .context = stream };
	struct stk_reader *reader;
	struct stk_block block;
	static struct stk_error err;
	size_t used = 0;

	*text = '\0';
	if (stk_reader_open(&reader, &options, &err) < 0)
		return err.text;
	while (stk_reader_next(reader, &block, &err) > 0)
		if (block.kind == STK_TREE_NODE)
			used += (size_t)snprintf(text + used, sizeof text - used, "%u ", block.rows);
	stk_reader_close(reader);
	return err.code == 0 ? text : err.text;
}

/* Siblings, so many at a time until 0. */
static const char *
written(const size_t *counts)
{
	static struct bytes stream;
	static struct stk_tree_node rows[2 * MOST];
	struct stk_writer_options options = { .write = write_bytes, .context = &stream };
	struct node_numbers numbers = { 0 };
	struct node_writer nodes = { .numbers = &numbers, .set = 3 };
	struct tree_sink sink = node_writer_sink(&nodes);
	static struct stk_error err;
	uint64_t before = 0, wrong = 0;
	int result;

	stream.size = stream.read = 0;
	result = stk_writer_open(&nodes.writer, &options, &err);
	for (; result == 0 && *counts > 0; before += *counts++) {
		memset(rows, 0, sizeof rows);
		result = sink.nodes(sink.context, rows, *counts, &err);
		for (size_t i = 0; i < *counts; i++)
			wrong += rows[i].id != before + i + 1 || rows[i].set != 3;
	}
	is_u64(wrong, 0, "ids follow one another");
	is_u64(numbers.next_node, before, "... and all are counted");
	if (stk_writer_close(nodes.writer, result == 0, &err) < 0 || result < 0)
		return err.text;
	node_writer_release(&nodes);
	return blocks_of(&stream);
}

int
main(void)
{
	is_text(written((const size_t[]){ 0 }), "", "no nodes are no block");
	is_text(written((const size_t[]){ 1, 0 }), "1 ", "one node");
	is_text(written((const size_t[]){ 2, 3, 1, 0 }), "6 ", "a few, several times");
	is_text(written((const size_t[]){ 1, MOST - 1, 0 }), "1024 ", "as many as a block has");
	is_text(written((const size_t[]){ 1, MOST, 0 }), "1 1024 ", "one too many: siblings stay together");
	is_text(written((const size_t[]){ MOST, 1, 0 }), "1024 1 ", "a full block, and one more");
	is_text(written((const size_t[]){ 2, MOST + 1, 2, 0 }), "2 1025 2 ", "more siblings than a block has are one all the same");
	is_text(written((const size_t[]){ 1000, 20, 20, 1000, 0 }), "1020 1020 ", "a block begins where one ended");
	is_text(written((const size_t[]){ MOST, 1000, 24, 0 }), "1024 1024 ", "... and counts from nothing");
	return tap_end();
}
