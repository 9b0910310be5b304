/* SPDX-License-Identifier: MIT
 * Any bytes as a file of streams with a tree: opening it, and walking its tree, ends without a crash, whatever its
 * index, nodes and counts claim. What is a YAML text is read as one. */
#include "base/config_text.h"
#include "base/scratch.h"
#include "stream/stream_file.h"
#include "timetree/tree_query.h"

#include <stdlib.h>

#define MUST(condition) ((condition) ? (void)0 : abort())

struct asked { struct stream_file *file; unsigned stream; };

static enum tree_access_result
give_node(void *context, uint64_t id, struct stk_tree_node *node, struct stk_error *err)
{
	struct asked *a = context;
	size_t count;
	const struct file_block *blocks = stream_file_blocks(a->file, a->stream, STK_TREE_NODE, &count);

	for (size_t b = 0; b < count; b++) {
		struct stk_block block;

		if (id <= blocks[b].first_row || id > blocks[b].first_row + blocks[b].rows)
			continue;
		if (stream_file_go(a->file, a->stream, &blocks[b], &block, err) <= 0 ||
		    stk_reader_rows(stream_file_reader(a->file), err) < 0)
			break;
		stk_reader_row(stream_file_reader(a->file), (uint32_t)(id - 1 - blocks[b].first_row), node);
		return TREE_TAKEN;
	}
	stk_error_clear(err);
	return TREE_DAMAGED;
}

static enum tree_access_result
give_counts(void *context, const struct stk_tree_node *node, struct stk_error *err)
{
	(void)context, (void)err;
	return node->counts % 2 == 0 ? TREE_TAKEN : TREE_DAMAGED;
}

static enum tree_access_result
give_samples(void *context, const struct stk_tree_node *leaf, struct tree_interval window, uint64_t *taken,
	     struct stk_error *err)
{
	(void)context, (void)window, (void)err;
	*taken += leaf->rows;
	return TREE_TAKEN;
}

static void
give_up(void *context, struct tree_interval interval)
{
	(void)context, (void)interval;
}

static void
walk(struct stream_file *file, unsigned stream)
{
	struct asked asked = { file, stream };
	struct tree_access access = { .context = &asked,
				      .node = give_node,
				      .counts = give_counts,
				      .samples = give_samples,
				      .unanswered = give_up };
	struct tree_answer answer = { 0 };
	struct stk_error err = { 0 };
	size_t count;
	const struct file_block *blocks = stream_file_blocks(file, stream, STK_TREE_NODE, &count);

	access.nodes = count == 0 ? 0 : blocks[count - 1].first_row + blocks[count - 1].rows;
	if (access.nodes > 0 && access.nodes < 10000)
		MUST(tree_query(&access, &access.nodes, 1, (struct tree_interval){ -1000, 1000000000000 }, &answer,
				&err) == 0);
	MUST(answer.nodes <= access.nodes);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

int
LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	struct scratch *scratch;
	struct stream_file *file = NULL;
	struct config *config;
	struct stk_error err = { 0 };

	if (config_read(&config, (const char *)data, size, &err) == 0)
		config_close(config);
	stk_error_clear(&err);
	MUST(scratch_open(&scratch, &err) == 0 && scratch_write(scratch, data, size, &err) == 0);
	if (stream_file_open_scratch(&file, scratch, NULL, NULL, &err) == 0)
		for (unsigned s = 0; s < stream_file_streams(file) && s < 4; s++)
			walk(file, s);
	stk_error_clear(&err);
	stream_file_close(file);
	scratch_close(scratch);
	return 0;
}
