/* SPDX-License-Identifier: MIT
 * tree_file: the facts of a tree are copied, so that its reader need not live. */
#include "timetree/tree_file.h"

#include "model/model.h"

#include <stdio.h>
#include <string.h>

static void
note_keys(struct kind_of_tree *kind, const struct tree_reader *reader)
{
	tree_reader_sets(reader, &kind->keys);
	for (unsigned i = 0; i < kind->keys.count; i++) {
		(void)snprintf(kind->texts[i], sizeof kind->texts[i], "%s", kind->keys.by[i]);
		kind->keys.by[i] = kind->texts[i];
	}
}

int
tree_file_look(const char *path, struct stream_file *file, struct kind_of_tree *kind, struct stk_error *err)
{
	struct tree_reader *reader;
	struct model *model;
	static const unsigned needed[] = { STK_STRING, STK_SOURCE };
	int got;

	if (stream_file_streams(file) != 1)
		return stk_fail(err, STK_EDATA,
			"%s: %u streams (expected one, with a tree): build a tree of it first", path,
			stream_file_streams(file));
	got = tree_reader_open(&reader, file, 0, err);
	if (got <= 0)
		return got < 0 ? -1
			       : stk_fail(err, STK_EDATA, "%s: it has no tree: build one first (stktree -o FILE %s)",
					 path, path);
	kind->facts = *tree_reader_facts(reader);
	memset(&kind->facts.roots, 0, sizeof kind->facts.roots);
	note_keys(kind, reader);
	tree_reader_close(reader);
	if (model_open(&model) < 0)
		return -1;
	for (unsigned k = 0; k < 2; k++) {
		size_t count;
		const struct file_block *blocks = stream_file_blocks(file, 0, needed[k], &count);
		struct stk_block block;

		for (size_t b = 0; b < count && err->code != STK_ESYSTEM; b++) {
			stk_error_clear(err);		/* damage was reported */
			if (stream_file_go(file, 0, &blocks[b], &block, err) > 0)
				(void)model_take(model, stream_file_reader(file), &block, err);
		}
	}
	if (err->code == STK_ESYSTEM) {
		model_close(model);
		return -1;
	}
	stk_error_clear(err);
	for (uint32_t id = model_next(model, STK_SOURCE, 0); id != 0; id = model_next(model, STK_SOURCE, id)) {
		uint64_t clock = model_source(model, id).clock;

		kind->wall |= clock == STK_CLOCK_WALL;
		kind->monotonic |= clock == STK_CLOCK_MONOTONIC;
	}
	model_close(model);
	return 0;
}

int
tree_file_options(
	const struct kind_of_tree *kind, struct maker_options *o, struct time_zone **zone_out, struct stk_error *err)
{
	const struct tree_facts *facts = &kind->facts;
	struct time_zone *zone = NULL;
	struct stk_error why = { 0 };
	bool known;

	*zone_out = NULL;
	memset(o->shape.below, 0, sizeof o->shape.below);
	known = rule_read(&o->shape, facts->rule);
	if (!known || facts->row.leaf < 1 || facts->row.leaf > TREE_LEAF_MOST || facts->row.split < 2 ||
		facts->row.split > TREE_SPLIT_MOST || !(facts->row.keep >= 80 && facts->row.keep <= 100))
		return stk_fail(err, STK_EDATA, "the tree has a shape that stktree does not make");
	o->shape.leaf = (uint32_t)facts->row.leaf;
	o->shape.split = (uint32_t)facts->row.split;
	o->shape.keep = facts->row.keep;
	if (*facts->zone != '\0' && time_zone_open(&zone, facts->zone, &why) < 0)
		return stk_fail(err, STK_EDATA, "the tree's calendar: %s", why.text);
	o->shape.zone = *zone_out = zone;
	o->rule = facts->rule;
	o->zone = facts->zone;
	o->keys = kind->keys;
	if (facts->row.rows > 0)		/* else none was met yet, and there is nothing to resume */
		o->event = *facts->event == '\0' ? "all" : facts->event;
	return 0;
}

bool
tree_file_forget_unfinished(struct stream_file *file)
{
	size_t count, all, total;
	const struct file_block *blocks, *trees;

	if (stream_file_streams(file) != 1 || stream_file_is_whole(file, 0))
		return false;
	trees = stream_file_blocks(file, 0, STK_TREE, &count);
	if (count == 0)
		return false;
	blocks = stream_file_all_blocks(file, 0, &all);
	for (total = all; all > 0 && blocks[all - 1].offset > trees[count - 1].offset;)
		all--;
	if (all == total)
		return false;
	stream_file_shorten(file, 0, all);
	return true;
}

int64_t
tree_file_end(const struct stream_file *file)
{
	size_t count, at;
	const struct file_block *blocks = stream_file_all_blocks(file, 0, &count);

	for (at = count; at > 0 && blocks[at - 1].kind != STK_TREE; at--)
		continue;
	while (at > 0 && at < count && (blocks[at].kind == STK_TREE_KEY || blocks[at].kind == STK_TREE_COUNT))
		at++;
	return at == 0 ? 0 : blocks[at - 1].offset + (int64_t)blocks[at - 1].bytes;
}
