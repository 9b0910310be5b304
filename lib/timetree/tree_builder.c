/* SPDX-License-Identifier: MIT
 * tree_builder: goes down by intervals while samples come, and up again with counts. */
#include "timetree/tree_builder.h"

#include "choose/moments.h"
#include "timetree/left_out.h"

#define COUNTS_PAY 4		/* a leaf keeps counts when it has at least this many times as many samples */
#define GATHER_LEAST 4096	/* samples that are asked for at once */

struct builder {
	struct tree_shape shape;
	const struct tree_feed *feed;
	const struct tree_sink *sink;
	struct tree_samples samples;
	size_t at;			/* samples before it are done */
	uint64_t row;			/* of the sample at `at` */
	bool ended;
	/* counting a leaf: sums by type, and a bit for each type that was met */
	ARRAY(struct tree_count) sums;
	ARRAY(uint64_t) met;
};

/* --- samples --- */

static void
forget_done(struct builder *b)
{
	size_t left = b->samples.times.count - b->at;

	memmove(b->samples.times.at, b->samples.times.at + b->at, left * sizeof *b->samples.times.at);
	memmove(b->samples.types.at, b->samples.types.at + b->at, left * sizeof *b->samples.types.at);
	memmove(b->samples.weights.at, b->samples.weights.at + b->at, left * sizeof *b->samples.weights.at);
	b->samples.times.count = b->samples.types.count = b->samples.weights.count = left;
	b->at = 0;
}

/* How many samples are at hand, `wanted` or all there are; -1. */
static int64_t
have(struct builder *b, size_t wanted, struct stk_error *err)
{
	while (b->samples.times.count - b->at < wanted && !b->ended) {
		int got;

		if (b->at > 0 && b->at >= b->samples.times.count / 2)
			forget_done(b);
		got = b->feed->more(b->feed->context, &b->samples, err);
		if (got < 0)
			return -1;
		b->ended = got == 0;
	}
	return (int64_t)(b->samples.times.count - b->at);
}

/* How many of the next `most` samples are before a moment. */
static size_t
count_before(const struct builder *b, size_t most, int64_t to)
{
	const int64_t *times = b->samples.times.at + b->at;
	size_t low = 0, high = most;

	while (low < high) {
		size_t middle = low + (high - low) / 2;

		if (times[middle] < to)
			low = middle + 1;
		else
			high = middle;
	}
	return low;
}

/* --- counts --- */

static void
count_samples(struct builder *b, size_t count)
{
	const uint32_t *types = b->samples.types.at + b->at;
	const uint64_t *weights = b->samples.weights.at + b->at;

	for (size_t i = 0; i < count; i++) {
		uint32_t type = types[i];

		if (type >= b->sums.count) {
			array_lengthen(&b->sums, (size_t)type + 1);
			array_lengthen(&b->met, (size_t)type / 64 + 1);
		}
		b->sums.at[type].count++;
		b->sums.at[type].weight += weights[i];
		b->met.at[type / 64] |= UINT64_C(1) << type % 64;
	}
	b->at += count;
	b->row += count;
}

/* The sums as a list by type; they are empty after it. Type 0 is counted and dropped. Their samples. */
static uint64_t
take_sums(struct builder *b, struct tree_counts *to)
{
	uint64_t samples = 0;

	for (size_t word = 0; word < b->met.count; word++) {
		for (uint64_t bits = b->met.at[word]; bits != 0; bits &= bits - 1) {
			uint32_t type = (uint32_t)(word * 64 + (unsigned)__builtin_ctzll(bits));
			struct tree_count *sum = &b->sums.at[type];

			if (type != 0) {
				*array_push(&to->list) = (struct tree_count){ type, sum->count, sum->weight };
				samples += sum->count;
			}
			*sum = (struct tree_count){ 0 };
		}
		b->met.at[word] = 0;
	}
	return samples;
}

static int
compare_types(const void *a, const void *b)
{
	const struct tree_count *x = a, *y = b;

	return (x->type > y->type) - (x->type < y->type);
}

void
tree_counts_settle(struct tree_counts *counts)
{
	size_t kept = 0;

	if (counts->list.count > 1)
		qsort(counts->list.at, counts->list.count, sizeof *counts->list.at, compare_types);
	for (size_t i = 0; i < counts->list.count; i++) {
		struct tree_count *one = &counts->list.at[i], *before = kept == 0 ? NULL : &counts->list.at[kept - 1];

		if (before != NULL && before->type == one->type) {
			before->count += one->count;
			before->weight += one->weight;
		} else
			counts->list.at[kept++] = *one;
	}
	counts->list.count = kept;
}

void
tree_counts_add(struct tree_counts *to, const struct tree_counts *more)
{
	const struct tree_count *c = more->list.at;
	size_t a = to->list.count, left = more->list.count, end = a + left, at = end;
	struct tree_count *list;

	array_reserve(&to->list, left + 1);
	list = to->list.at;
	while (left > 0) {		/* from the last on, into the room after the list */
		const struct tree_count *one = &c[left - 1];

		if (a > 0 && list[a - 1].type >= one->type) {
			list[--at] = list[--a];
			if (list[at].type != one->type)
				continue;
			list[at].count += one->count;
			list[at].weight += one->weight;
		} else {
			list[--at] = *one;
		}
		left--;
	}
	memmove(list + a, list + at, (end - at) * sizeof *list);
	to->list.count = a + (end - at);
}

void
tree_roots_release(struct tree_roots *roots)
{
	for (size_t i = 0; i < roots->made.count; i++)
		array_release(&roots->made.at[i].counts.list);
	array_release(&roots->made);
}

/* A node's kept counts, to the sink. What is left out stays in made->counts, for the nodes above. Only a choice puts
 * counts in another order, and needs a copy. left: what is not even there. */
static int
keep_counts(const struct tree_shape *shape, const struct tree_sink *sink, struct left_out left, struct tree_made *made,
	    struct stk_error *err)
{
	size_t count = made->counts.list.count;
	struct tree_count *copy = NULL, *kept = made->counts.list.at;
	struct stk_tree_node *node = &made->node;
	struct left_out dropped;
	uint64_t bound;
	int result;

	if (shape->keep < 100 && count > 0) {
		copy = mem_new(count, sizeof *copy);
		memcpy(copy, kept, count * sizeof *copy);
		kept = copy;
	}
	node->counts = tree_keep(kept, count, node->samples, shape->keep, &bound);
	dropped = left_out_of_counts(kept + node->counts, count - (size_t)node->counts, sink);
	left_out_add(&left, &dropped);
	left_out_store(&left, node);
	node->kept = 0;
	for (size_t i = 0; i < node->counts; i++)
		node->kept += kept[i].count;
	result = node->counts == 0 ? 0 : sink->counts(sink->context, node, kept, (size_t)node->counts, err);
	free(copy);
	return result;
}

int
tree_join(const struct tree_shape *shape, const struct tree_sink *sink, struct tree_made *children, size_t count,
	  const struct tree_interval *interval, struct tree_made *parent, struct stk_error *err)
{
	struct stk_tree_node *nodes = mem_new(count, sizeof *nodes);
	struct left_out left = { 0 };
	int64_t to = INT64_MIN, end;
	int result;

	*parent = (struct tree_made){
		.node = { .time = children[0].node.time, .form = STK_NODE_INNER, .children = count }
	};
	for (size_t i = 0; i < count; i++) {
		const struct stk_tree_node *child = &children[i].node;

		nodes[i] = *child;
		parent->node.samples += child->samples;
		if (children[i].counts.list.count == child->counts) {	/* all that is known of it */
			struct left_out of_child = left_out_of(child);

			left_out_add(&left, &of_child);
		}
		parent->node.time = child->time < parent->node.time ? child->time : parent->node.time;
		end = tree_node_end(child);
		to = end > to ? end : to;
		if (i == 0) {
			parent->counts = children[0].counts;
			children[0].counts = (struct tree_counts){ 0 };
		} else {
			tree_counts_add(&parent->counts, &children[i].counts);
			array_release(&children[i].counts.list);
		}
	}
	parent->node.length = tree_span(parent->node.time, to);
	if (interval != NULL) {
		parent->node.time = interval->from;
		parent->node.length = tree_span(interval->from, interval->to);
	}
	result = sink->nodes(sink->context, nodes, count, err);
	if (result == 0) {
		parent->node.last = nodes[count - 1].id;
		result = keep_counts(shape, sink, left, parent, err);
	}
	free(nodes);
	return result;
}

/* --- nodes --- */

/* A leaf of the next `count` samples; more = true: and of all that follow with the same time as the last. */
static int
make_leaf(struct builder *b, struct tree_interval interval, size_t count, bool more, struct tree_made *made,
	  struct stk_error *err)
{
	int64_t last = count == 0 ? 0 : b->samples.times.at[b->at + count - 1], got;

	*made = (struct tree_made){ .node = { .time = interval.from,
					      .length = tree_span(interval.from, interval.to),
					      .form = STK_NODE_LEAF,
					      .first_row = b->row } };
	count_samples(b, count);
	while (more && (got = have(b, GATHER_LEAST, err)) != 0) {
		size_t equal;

		if (got < 0)
			return -1;
		equal = last == INT64_MAX ? (size_t)got : count_before(b, (size_t)got, last + 1);
		if (equal == 0)
			break;
		count_samples(b, equal);
	}
	made->node.rows = b->row - made->node.first_row;
	made->node.samples = take_sums(b, &made->counts);
	made->node.kept = made->node.samples;
	if (made->node.rows < COUNTS_PAY * made->counts.list.count)
		return 0;
	return keep_counts(&(struct tree_shape){ .keep = 100 }, b->sink, (struct left_out){ 0 }, made, err);
}

static int make_node(struct builder *b, unsigned level, struct tree_interval interval, struct tree_made *made,
		     struct stk_error *err);

/* The node above the parts of an interval that have samples; a part that has them all takes its place, so that no chain
 * is without a choice. */
static int
make_inner(struct builder *b, unsigned level, struct tree_interval interval, struct tree_made *made,
	   struct stk_error *err)
{
	struct tree_roots parts = { 0 };
	int64_t got;
	int result = 0;

	while (result == 0 && (got = have(b, 1, err)) != 0) {
		if (got < 0 || b->samples.times.at[b->at] >= interval.to) {
			result = got < 0 ? -1 : 0;
			break;
		}
		result = make_node(b, level + 1, tree_part(&b->shape, level, interval, b->samples.times.at[b->at]),
				   array_push(&parts.made), err);
	}
	if (result == 0 && parts.made.count == 1) {
		*made = parts.made.at[0];
		parts.made.count = 0;
	} else if (result == 0) {
		result = tree_join(&b->shape, b->sink, parts.made.at, parts.made.count, &interval, made, err);
	}
	tree_roots_release(&parts);
	return result;
}

static int
make_node(struct builder *b, unsigned level, struct tree_interval interval, struct tree_made *made,
	  struct stk_error *err)
{
	int64_t got = have(b, b->shape.leaf, err);
	size_t count;

	*made = (struct tree_made){ 0 };
	if (got < 0)
		return -1;
	count = count_before(b, (size_t)got < b->shape.leaf ? (size_t)got : b->shape.leaf, interval.to);
	if (count < b->shape.leaf)
		return make_leaf(b, interval, count, false, made, err);
	if (tree_span(interval.from, interval.to) == 1)		/* cannot be split */
		return make_leaf(b, interval, count, true, made, err);
	return make_inner(b, level, interval, made, err);
}

/* A leaf of up to `most` samples, that does not part samples of the same time. */
static int
make_next_leaf(struct builder *b, size_t most, struct tree_made *made, struct stk_error *err)
{
	const int64_t *times = b->samples.times.at + b->at;
	size_t have_now = b->samples.times.count - b->at, count = most < have_now ? most : have_now;
	bool more = false;

	while (count < have_now && count > 0 && times[count] == times[count - 1])
		count--;
	if (count == 0) {
		count = 1;
		more = true;
	}
	return make_leaf(b, (struct tree_interval){ times[0], times[count - 1] + 1 }, count, more, made, err);
}

static int
build_by_samples(struct builder *b, struct tree_roots *roots, struct stk_error *err)
{
	size_t most = b->shape.leaf > 1 ? b->shape.leaf - 1 : 1;
	struct tree_grouping grouping = { 0 };
	struct tree_made leaf;
	int64_t got;
	int result = 0;

	while (result == 0 && (got = have(b, most + 1, err)) != 0) {
		result = got < 0 ? -1 : make_next_leaf(b, most, &leaf, err);
		if (result == 0)
			result = tree_grouping_add(&grouping, &b->shape, b->sink, &leaf, err);
	}
	return tree_grouping_end(&grouping, &b->shape, b->sink, result == 0 ? roots : NULL, err) < 0 ? -1 : result;
}

/* --- groups of nodes --- */

int
tree_grouping_add(struct tree_grouping *grouping, const struct tree_shape *shape, const struct tree_sink *sink,
		  struct tree_made *made, struct stk_error *err)
{
	struct tree_made node = *made;

	for (unsigned l = 0; l < TREE_LEVELS_MOST; l++) {
		struct tree_roots *level = &grouping->level[l];
		int result;

		*array_push(&level->made) = node;
		if (level->made.count < shape->split)
			return 0;
		result = tree_join(shape, sink, level->made.at, level->made.count, NULL, &node, err);
		tree_roots_release(level);
		if (result < 0) {
			array_release(&node.counts.list);
			return -1;
		}
	}
	return 0;		/* 2^64 leaves */
}

int
tree_grouping_end(struct tree_grouping *grouping, const struct tree_shape *shape, const struct tree_sink *sink,
		  struct tree_roots *roots, struct stk_error *err)
{
	struct tree_made node;
	bool pending = false;		/* a node from below, which comes after those of the level */
	int result = 0;

	for (unsigned l = 0; l < TREE_LEVELS_MOST; l++) {
		struct tree_roots *level = &grouping->level[l];

		if (level->made.count > 0 && roots != NULL && result == 0) {
			if (pending)
				*array_push(&level->made) = node;
			pending = true;
			if (level->made.count == 1) {
				node = level->made.at[0];
				level->made.count = 0;
			} else {
				result = tree_join(shape, sink, level->made.at, level->made.count, NULL, &node, err);
			}
		}
		tree_roots_release(level);
	}
	if (pending && result == 0)
		*array_push(&roots->made) = node;
	else if (pending)
		array_release(&node.counts.list);
	return result;
}

/* Samples without a time come first. */
static int
build_untimed(struct builder *b, struct tree_roots *roots, struct stk_error *err)
{
	int64_t got = have(b, 1, err);

	if (got <= 0 || b->samples.times.at[b->at] != STK_TIME_UNKNOWN)
		return got < 0 ? -1 : 0;
	return make_leaf(b, (struct tree_interval){ STK_TIME_UNKNOWN, STK_TIME_UNKNOWN + 1 }, 1, true,
			 array_push(&roots->made), err);
}

/* The root's interval. -1: a sample is outside of the one that was asked for. */
static int
choose_root(const struct builder *b, struct tree_interval *root, struct stk_error *err)
{
	const struct tree_interval *span = &b->shape.span;
	int64_t first = b->samples.times.at[b->at], last = b->feed->last_ns;
	char text[TIME_TEXT_MAX + 1] = "@";
	int64_t outside = first < span->from ? first : last;

	*root = (struct tree_interval){ first, last + 1 };
	if (span->from >= span->to)
		return 0;
	*root = *span;
	if (first >= span->from && last < span->to)
		return 0;
	if (b->feed->seconds)
		(void)seconds_print(text + 1, outside);
	else
		(void)time_print(text, outside, b->shape.zone);
	return stk_fail(err, STK_EUSAGE, "--span: there is a sample outside of it, at %s", text);
}

static int
build_by_time(struct builder *b, struct tree_roots *roots, struct stk_error *err)
{
	struct tree_made *made = array_push(&roots->made);
	struct tree_interval root;

	*made = (struct tree_made){ 0 };
	if (choose_root(b, &root, err) < 0 || make_node(b, 0, root, made, err) < 0)
		return -1;
	made->node.time = root.from;	/* it may be that of the one part that has all samples */
	made->node.length = tree_span(root.from, root.to);
	return 0;
}

int
tree_build(const struct tree_shape *shape, const struct tree_feed *feed, const struct tree_sink *sink,
	   struct tree_roots *roots, struct stk_error *err)
{
	struct builder b = { .shape = *shape, .feed = feed, .sink = sink, .row = feed->first_row };
	int result = build_untimed(&b, roots, err);
	int64_t got = result < 0 ? -1 : have(&b, 1, err);

	if (got < 0)
		result = -1;
	else if (got > 0 && shape->rule == TREE_BY_SAMPLES)
		result = build_by_samples(&b, roots, err);
	else if (got > 0)
		result = build_by_time(&b, roots, err);
	array_release(&b.samples.times);
	array_release(&b.samples.types);
	array_release(&b.samples.weights);
	array_release(&b.sums);
	array_release(&b.met);
	return result;
}
