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

static int
open_set(struct tree_make *m, unsigned number, struct stk_error *err)
{
	const struct maker_options *options = m->options;
	struct tree_set *set = &m->set[number];

	set->by = key_sets_by(&options->keys, number);
	if (stack_prefixes_open(&set->prefixes, m->model, set->by, err) < 0)
		return -1;
	set->nodes = (struct node_writer){ .prefixes = set->prefixes, .numbers = &m->numbers, .set = number };
	if (options->shape.keep < 100)
		set->nodes.alike = alike_stacks_open(m->model);
	set->thin = (struct tree_thin){ .prefixes = set->prefixes,
		.nodes = &set->nodes,
		.retention = &options->retention,
		.by = set->by,
		.event = options->event };
	return 0;
}

int
tree_make_open(struct tree_make *m, const struct maker_options *options, struct tree_stage *stage, struct model *model,
	struct stk_error *err)
{
	*m = (struct tree_make){ .options = options, .stage = stage, .model = model, .times = TIME_RANGE_NONE };
	if (options->event != NULL)
		note_event(m, strcmp(options->event, "all") == 0 ? "" : options->event);
	for (m->sets = 0; m->sets < key_sets_count(&options->keys);)
		if (open_set(m, m->sets++, err) < 0)
			return -1;
	return 0;
}

void
tree_make_close(struct tree_make *m)
{
	for (unsigned i = 0; i < m->sets; i++) {
		struct tree_set *set = &m->set[i];

		tree_thin_release(&set->thin);
		tree_roots_release(&set->roots);
		node_writer_release(&set->nodes);
		alike_stacks_close(set->nodes.alike);
		stack_prefixes_close(set->prefixes);
	}
	selection_close(m->selection);
}

/* --- what is counted --- */

/* The event of the first sample is that of the tree, unless it is damaged. */
static int
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
	if (err->code == STK_ESYSTEM)
		return -1;
	stk_error_clear(err);		/* damage was reported */
	return 0;
}

/* The selection of the samples that are counted: of the event that is asked for, or that the base counts, or the first
 * that samples have. */
static int
select_event(struct tree_make *m, struct stk_error *err)
{
	struct selection_options options = { .from_ns = INT64_MIN, .to_ns = INT64_MAX, .event = m->options->event };
	size_t count;
	const struct file_block *blocks = tree_stage_samples(m->stage, &count);

	if (!m->event_known && count > 0 && know_event(m, &blocks[0], err) < 0)
		return -1;
	if (m->set[0].thin.taken && m->event_known && thin_check_event(m->set[0].thin.event_taken, m->event, err) < 0)
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
	if (m->set[0].thin.taken && !m->event_known)
		note_event(m, m->set[0].thin.event_taken);
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
feed_of_stage(struct tree_make *m, struct tree_set *set, uint64_t *lost_stacks)
{
	struct stage_feed feed = { .file = m->stage->staged,
		.selection = m->selection,
		.lists = set == m->set ? m->stage->writer : NULL,
		.last = INT64_MIN,
		.types = {
			.model = m->model,
			.prefixes = set->prefixes,
			.pairs = &set->nodes.types,
			.lost = lost_stacks } };

	feed.blocks = tree_stage_samples(m->stage, &feed.count);
	return feed;
}

/* Before anything is built: what is thinned is a tree of its own. A recording that was thinned before may have no
 * samples any more: its age is counted from the latest of its nodes. */
static int
thin_old(struct tree_make *m, int64_t last, struct stk_error *err)
{
	struct tree_thin *thin[KEY_SETS_MOST];
	int64_t newest = last;
	size_t count;

	for (unsigned i = 0; i < m->sets; i++) {
		int64_t latest = tree_thin_latest(&m->set[i].thin);

		thin[i] = &m->set[i].thin;
		newest = latest > newest ? latest : newest;
	}
	(void)tree_stage_samples(m->stage, &count);
	if (m->options->retention.steps > 0 && count > 0 &&
		tree_thin_stage(thin, m->sets, m->stage, m->model, m->selection, newest, err) < 0)
		return -1;
	for (unsigned i = 0; i < m->sets; i++)
		tree_thin_unite(thin[i], newest);
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

/* The nodes of a set of keys: the stage is read once for each. 1: done; 0: the stage must be sorted first; -1. */
static int
build_set(struct tree_make *m, struct tree_set *set, int64_t last, struct stk_error *err)
{
	struct tree_sink sink = node_writer_sink(&set->nodes);
	struct node_numbers before = m->numbers;
	struct stage_feed f;
	struct tree_feed feed;
	uint64_t lost_stacks = 0;
	int result;

	set->nodes.writer = m->stage->writer;
	if (tree_thin_write(&set->thin, &m->options->shape, &set->roots, err) < 0)
		return -1;
	f = feed_of_stage(m, set, &lost_stacks);
	feed = stage_feed_of(&f);
	feed.last_ns = last;
	feed.seconds = counts_seconds(m->model);
	feed.first_row = rows_of_base(m);
	result = tree_build(&m->options->shape, &feed, &sink, &set->roots, err);
	sample_types_release(&f.types);
	if (result < 0 && f.disorder) {
		stk_error_clear(err);
		node_writer_go_back(&set->nodes, &before);
		tree_roots_release(&set->roots);
		return 0;
	}
	if (set == m->set) {
		m->other_events += f.others;
		m->lost_stacks += lost_stacks;
	}
	return result < 0 ? -1 : 1;
}

/* As build_set; the first set sees whether the stage is in order. */
static int
build(struct tree_make *m, struct stk_error *err)
{
	struct stage_feed f = feed_of_stage(m, m->set, NULL);
	int64_t last;
	int got = 1;

	if (select_event(m, err) < 0 || stage_feed_last(&f, &last, err) < 0 || thin_old(m, last, err) < 0)
		return -1;
	/* a good compression takes ten times as long over nodes, and gives nothing */
	stk_writer_set_level(m->stage->writer, STK_LEVEL_PIPE);
	for (unsigned i = 0; i < m->sets && got > 0; i++)
		got = build_set(m, &m->set[i], last, err);
	return got;
}

static bool
any_thinned(const struct tree_make *m)
{
	bool any = false;

	for (unsigned i = 0; i < m->sets; i++)
		any |= m->set[i].thin.made.count > 0;
	return any;
}

/* A stage that seems to be in order is sorted once its rows are seen not to be. Only what is in order can be thinned,
 * so that is sorted at first. */
int
tree_make_nodes(struct tree_make *m, bool shuffled, struct stk_error *err)
{
	bool empty = tree_stage_is_empty(m->stage);
	bool sorted = !empty && (shuffled || m->options->retention.steps > 0 || any_thinned(m));
	size_t count;
	const struct file_block *blocks = tree_stage_samples(m->stage, &count);
	int got;

	if (empty && !any_thinned(m))
		return 0;
	/* the first that came: sorted, another one may be first */
	if (!m->event_known && count > 0 && know_event(m, &blocks[0], err) < 0)
		return -1;
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
	const struct tree_roots *roots = &m->set[0].roots;

	for (size_t i = 0; i < roots->made.count; i++) {
		const struct stk_tree_node *node = &roots->made.at[i].node;

		if (node->time == STK_TIME_UNKNOWN) {
			m->untimed += node->samples;
			continue;
		}
		time_range_add(&m->times, node->time);
		time_range_add(&m->times, tree_node_end(node) - 1);
	}
}

/* The roots of a set join those of the base; the first set knows what the base has. */
static int
join_base(struct tree_make *m, struct tree_set *set, struct stk_error *err)
{
	struct tree_base base = { .file = m->stage->base,
		.by = set->by,
		.shape = &m->options->shape,
		.prefixes = set->prefixes,
		.model = m->model,
		.selection = m->selection,
		.nodes = &set->nodes };
	struct stk_tree row;

	if (base.file == NULL)
		return 0;
	if (tree_join_roots(&base, &set->roots, &row, err) < 0)
		return -1;
	if (set != m->set)
		return 0;
	m->untimed += row.untimed;
	if (row.from != STK_TIME_UNKNOWN)
		time_range_join(&m->times, &(struct time_range){ row.from, row.to });
	return 0;
}

/* The nodes of the roots; their ids, with blanks between; how many samples they have. */
static int
write_roots(struct tree_set *set, struct text_buffer *ids, uint64_t *samples, struct stk_error *err)
{
	struct tree_sink sink = node_writer_sink(&set->nodes);

	*samples = 0;
	for (size_t i = 0; i < set->roots.made.count; i++) {
		struct stk_tree_node *node = &set->roots.made.at[i].node;

		if (sink.nodes(sink.context, node, 1, err) < 0)
			return -1;
		*samples += node->samples;
		if (i > 0)
			add_char(ids, ' ');
		add_unsigned(ids, node->id);
	}
	return 0;
}

static int
write_set(struct tree_make *m, unsigned number, struct text_buffer *ids, struct stk_error *err)
{
	struct tree_set *set = &m->set[number];
	uint64_t samples;

	if (join_base(m, set, err) < 0)
		return -1;
	set->nodes.writer = m->stage->writer;
	if (write_roots(set, ids, &samples, err) < 0)
		return -1;
	if (number == 0)
		m->samples = samples;
	return 0;
}

/* A row for each set, the first one last; all in one block. */
static int
describe(struct tree_make *m, const struct text_buffer *roots, struct stk_error *err)
{
	const struct maker_options *o = m->options;
	struct stk_tree row = { .leaf = o->shape.leaf,
		.keep = o->shape.keep,
		.split = o->shape.split,
		.rule = text_from(o->rule),
		.zone = text_from(o->zone),
		.event = text_from(m->event),
		.samples = m->samples,
		.untimed = m->untimed,
		.from = m->times.from_ns,
		.to = m->times.to_ns };
	size_t count;
	const struct file_block *blocks = tree_stage_samples(m->stage, &count);

	row.rows = rows_of_base(m) + end_row(blocks, count);
	for (unsigned i = m->sets; i-- > 0;) {
		row.by = text_from(m->set[i].by);
		row.roots = text_in(&roots[i], 0);
		row.set = i;
		if (stk_writer_add(m->stage->writer, STK_TREE, &row, err) < 0)
			return -1;
	}
	return 0;
}

int
tree_make_write(struct tree_make *m, struct stk_error *err)
{
	struct text_buffer roots[KEY_SETS_MOST] = { 0 };
	int result = 0;

	note_roots(m);
	for (unsigned i = 0; i < m->sets && result == 0; i++)
		result = write_set(m, i, &roots[i], err);
	if (result == 0) /* its block is the last one: a file that was cut before it has the tree before this one */
		result = stk_writer_flush(m->stage->writer, err);
	if (result == 0)
		result = describe(m, roots, err);
	for (unsigned i = 0; i < m->sets; i++)
		array_release(&roots[i]);
	return result;
}

void
tree_make_forget(struct tree_make *m)
{
	for (unsigned i = 0; i < m->sets; i++) {
		tree_thin_clear(&m->set[i].thin);
		tree_roots_release(&m->set[i].roots);
	}
	m->samples = m->untimed = 0;
	m->times = TIME_RANGE_NONE;
}
