/* SPDX-License-Identifier: MIT
 * tree_make: the stage is read once in the order of time, and nodes are written after what it has. */
#include "timetree/tree_make.h"

#include "base/text_buffer.h"
#include "timetree/stage_feed.h"
#include "timetree/tree_join.h"

#include <stdio.h>
#include <string.h>

/* It is described even if no sample comes. */
static void
note_event(struct tree_make *m, const char *event)
{
	(void)snprintf(m->event, sizeof m->event, "%s", event);
	m->event_known = true;
}

int
tree_make_open(struct tree_make *m, const struct maker_options *options, struct tree_stage *stage, struct model *model,
	struct stk_error *err)
{
	*m = (struct tree_make){ .options = options, .stage = stage, .model = model, .times = TIME_RANGE_NONE };
	if (options->event != NULL)
		note_event(m, strcmp(options->event, "all") == 0 ? "" : options->event);
	if (stack_prefixes_open(&m->prefixes, model, options->by, err) < 0)
		return -1;
	m->nodes.prefixes = m->prefixes;
	if (options->shape.keep < 100)
		m->nodes.alike = alike_stacks_open(model);
	m->thin.prefixes = m->prefixes;
	m->thin.nodes = &m->nodes;
	m->thin.retention = &options->retention;
	m->thin.by = options->by;
	m->thin.event = options->event;
	return 0;
}

void
tree_make_close(struct tree_make *m)
{
	tree_thin_release(&m->thin);
	tree_roots_release(&m->roots);
	node_writer_release(&m->nodes);
	alike_stacks_close(m->nodes.alike);
	selection_close(m->selection);
	stack_prefixes_close(m->prefixes);
}

/* --- what is counted --- */

/* The event of the first sample is that of the tree, as long as it can be read. */
static void
know_event(struct tree_make *m, const struct file_block *first, struct stk_error *err)
{
	struct stream_file *file = m->stage->staged;
	struct sample_columns c;
	struct stk_block block;
	struct stk_text name;

	if (stream_file_go(file, 0, first, &block, err) > 0 && block.rows > 0 &&
		sample_columns_load(&c, SAMPLE_EVENT, NULL, stream_file_reader(file), &block, err) == 0) {
		name = model_string(m->model, sample_value(&c.event, 0));
		(void)snprintf(m->event, sizeof m->event, "%.*s", (int)name.size, name.data);
		if (name.size == 0)
			(void)snprintf(m->event, sizeof m->event, "%s", EVENT_NONE);
		m->event_known = true;
	}
	stk_error_clear(err);
}

/* The selection of the samples that are counted: of the event that is asked for, or that the base counts, or the first
 * that samples have. */
static int
select_event(struct tree_make *m, struct stk_error *err)
{
	struct selection_options options = { .from_ns = INT64_MIN, .to_ns = INT64_MAX, .event = m->options->event };
	size_t count;
	const struct file_block *blocks = tree_stage_samples(m->stage, &count);

	if (!m->event_known && count > 0)
		know_event(m, &blocks[0], err);
	if (m->thin.taken && m->event_known && thin_check_event(m->thin.event_taken, m->event, err) < 0)
		return -1;
	if (m->options->event == NULL)
		options.event = *m->event == '\0' ? "all" : m->event;
	selection_close(m->selection);
	m->selection = NULL;
	if (selection_open(&m->selection, m->model, &options, err) < 0)
		return -1;
	selection_head(m->selection, stream_file_reader(m->stage->staged), 0);
	return 0;
}

void
tree_make_note_thinned(struct tree_make *m)
{
	if (m->thin.taken && !m->event_known)
		note_event(m, m->thin.event_taken);
}

/* --- nodes --- */

static uint64_t
end_row(const struct file_block *blocks, size_t count)
{
	return count == 0 ? 0 : blocks[count - 1].first_row + blocks[count - 1].rows;
}

static uint64_t
rows_of_base(const struct tree_make *m)
{
	size_t count = 0;
	const struct file_block *blocks =
		m->stage->base == NULL ? NULL : stream_file_blocks(m->stage->base, 0, STK_SAMPLE, &count);

	return end_row(blocks, count);
}

static struct stage_feed
feed_of_stage(struct tree_make *m, uint64_t *lost_stacks)
{
	struct stage_feed feed = { .file = m->stage->staged,
		.selection = m->selection,
		.last = INT64_MIN,
		.types = {
			.model = m->model, .prefixes = m->prefixes, .pairs = &m->nodes.types, .lost = lost_stacks } };

	feed.blocks = tree_stage_samples(m->stage, &feed.count);
	return feed;
}

/* Before anything is built: what is thinned is a tree of its own. A recording that was thinned before may have no
 * samples any more: its age is counted from the latest of its nodes. */
static int
thin_old(struct tree_make *m, int64_t last, struct stk_error *err)
{
	int64_t latest = tree_thin_latest(&m->thin), newest = latest > last ? latest : last;
	size_t count;

	(void)tree_stage_samples(m->stage, &count);
	if (m->options->retention.steps > 0 && count > 0 &&
		tree_thin_stage(&m->thin, m->stage, m->model, m->selection, newest, err) < 0)
		return -1;
	tree_thin_unite(&m->thin, newest);
	return 0;
}

/* Whether times are of clocks without dates, all of them. */
static bool
counts_seconds(struct model *model)
{
	bool any = false;

	for (uint32_t id = model_next(model, STK_SOURCE, 0); id != 0; id = model_next(model, STK_SOURCE, id)) {
		if (model_source(model, id).clock != STK_CLOCK_MONOTONIC)
			return false;
		any = true;
	}
	return any;
}

/* 1: done; 0: the stage must be sorted first; -1. */
static int
build(struct tree_make *m, struct stk_error *err)
{
	struct tree_sink sink = node_writer_sink(&m->nodes);
	struct node_mark mark = node_writer_mark(&m->nodes);
	struct stage_feed f = feed_of_stage(m, NULL);
	struct tree_feed feed;
	uint64_t lost_stacks = 0;
	int64_t last;
	int result;

	if (select_event(m, err) < 0 || stage_feed_last(&f, &last, err) < 0 || thin_old(m, last, err) < 0)
		return -1;
	m->nodes.writer = m->stage->writer;
	/* a good compression takes ten times as long over nodes, and gives nothing */
	stk_writer_set_level(m->stage->writer, STK_LEVEL_PIPE);
	if (tree_thin_write(&m->thin, &m->options->shape, &m->roots, err) < 0)
		return -1;
	f = feed_of_stage(m, &lost_stacks);
	feed = stage_feed_of(&f);
	feed.last_ns = last;
	feed.seconds = counts_seconds(m->model);
	feed.first_row = rows_of_base(m);
	result = tree_build(&m->options->shape, &feed, &sink, &m->roots, err);
	sample_types_release(&f.types);
	if (result < 0 && f.disorder) {
		stk_error_clear(err);
		node_writer_go_back(&m->nodes, &mark);
		tree_roots_release(&m->roots);
		return 0;
	}
	m->other_events += f.others;
	m->lost_stacks += lost_stacks;
	return result < 0 ? -1 : 1;
}

/* A stage that seems to be in order is sorted once its rows are seen not to be. Only what is in order can be thinned,
 * so that is sorted at first. */
int
tree_make_nodes(struct tree_make *m, bool shuffled, struct stk_error *err)
{
	bool empty = tree_stage_is_empty(m->stage);
	bool sorted = !empty && (shuffled || m->options->retention.steps > 0 || m->thin.made.count > 0);
	size_t count;
	const struct file_block *blocks = tree_stage_samples(m->stage, &count);
	int got;

	if (empty && m->thin.made.count == 0)
		return 0;
	if (!m->event_known && count > 0)	/* the first that came: sorted, another one may be first */
		know_event(m, &blocks[0], err);
	if (sorted && tree_stage_sort(m->stage, &m->lost_blocks, err) < 0)
		return -1;
	got = build(m, err);
	if (got == 0 && !sorted)
		got = tree_stage_sort(m->stage, &m->lost_blocks, err) < 0 ? -1 : build(m, err);
	if (got <= 0)
		return got < 0 ? -1 : stk_fail(err, STK_EDATA, "samples cannot be put in order");
	return 0;
}

/* --- the result --- */

static void
note_roots(struct tree_make *m)
{
	for (size_t i = 0; i < m->roots.made.count; i++) {
		const struct stk_tree_node *node = &m->roots.made.at[i].node;

		if (node->time == STK_TIME_UNKNOWN) {
			m->untimed += node->samples;
			continue;
		}
		time_range_add(&m->times, node->time);
		time_range_add(&m->times, tree_node_end(node) - 1);
	}
}

static int
join_base(struct tree_make *m, struct stk_error *err)
{
	struct tree_base base = { .file = m->stage->base,
		.shape = &m->options->shape,
		.prefixes = m->prefixes,
		.model = m->model,
		.selection = m->selection,
		.nodes = &m->nodes };
	struct stk_tree row;

	if (base.file == NULL)
		return 0;
	if (tree_join_roots(&base, &m->roots, &row, &m->lost_stacks, err) < 0)
		return -1;
	m->untimed += row.untimed;
	if (row.from != STK_TIME_UNKNOWN)
		time_range_join(&m->times, &(struct time_range){ row.from, row.to });
	return 0;
}

/* The nodes of the roots; their ids, with blanks between. */
static int
write_roots(struct tree_make *m, struct text_buffer *ids, struct stk_error *err)
{
	struct tree_sink sink = node_writer_sink(&m->nodes);

	m->samples = 0;
	for (size_t i = 0; i < m->roots.made.count; i++) {
		struct stk_tree_node *node = &m->roots.made.at[i].node;

		if (sink.nodes(sink.context, node, 1, err) < 0)
			return -1;
		m->samples += node->samples;
		if (i > 0)
			add_char(ids, ' ');
		add_unsigned(ids, node->id);
	}
	return 0;
}

int
tree_make_write(struct tree_make *m, struct stk_error *err)
{
	const struct maker_options *o = m->options;
	struct text_buffer roots = { 0 };
	struct stk_tree row = { .leaf = o->shape.leaf,
		.keep = o->shape.keep,
		.split = o->shape.split,
		.rule = text_from(o->rule),
		.zone = text_from(o->zone),
		.by = text_from(o->by == NULL ? "" : o->by),
		.event = text_from(m->event) };
	size_t count;
	const struct file_block *blocks = tree_stage_samples(m->stage, &count);
	int result;

	note_roots(m);
	if (join_base(m, err) < 0)
		return -1;
	m->nodes.writer = m->stage->writer;
	result = write_roots(m, &roots, err);
	row.rows = rows_of_base(m) + end_row(blocks, count);
	row.samples = m->samples;
	row.untimed = m->untimed;
	row.from = m->times.from_ns;
	row.to = m->times.to_ns;
	row.roots = text_in(&roots, 0);
	if (result == 0) /* its block is the last one: a file that was cut before it has the tree before this one */
		result = stk_writer_flush(m->stage->writer, err);
	if (result == 0)
		result = stk_writer_add(m->stage->writer, STK_TREE, &row, err);
	array_release(&roots);
	return result;
}

void
tree_make_forget(struct tree_make *m)
{
	tree_thin_clear(&m->thin);
	tree_roots_release(&m->roots);
	m->samples = m->untimed = 0;
	m->times = TIME_RANGE_NONE;
}
