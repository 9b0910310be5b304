/* SPDX-License-Identifier: MIT
 * class_tree: what classes have in common, from the root: a tree whose nodes are leaf segments. A node counts all
 * stacks that begin with the way to it. */
#include "views.h"

#include "base/array.h"
#include "base/hash_map.h"
#include "base/text_table.h"
#include "report/label_cut.h"
#include "report/leaf_labels.h"
#include "report/short_name.h"
#include "report/table.h"

#include <stdlib.h>

#define COUNTS_WIDTH 36		/* of what is usually before the frames */

struct node {
	uint32_t parent, segment, part;
	uint32_t child, sibling;	/* the first child; the next child of the same parent */
	uint64_t now, total, own;	/* own: of stacks that end here */
	uint32_t class;			/* that ends here; 0 none */
};

struct tree {
	const struct view_of *of;
	ARRAY(struct node) nodes;	/* 0: above all parts */
	struct hash_map map;
};

static uint32_t
child_of(struct tree *tree, uint32_t parent, uint32_t segment, uint32_t part)
{
	uint64_t hash = hash_pair(hash_pair(parent, segment), part);
	uint32_t at = hash_map_start(&tree->map, hash), id;

	while ((id = hash_map_next(&tree->map, hash, &at)) != 0)
		if (tree->nodes.at[id].parent == parent && tree->nodes.at[id].segment == segment &&
		    tree->nodes.at[id].part == part)
			return id;
	id = (uint32_t)tree->nodes.count;
	*array_push(&tree->nodes) = (struct node){
		.parent = parent, .segment = segment, .part = part, .sibling = tree->nodes.at[parent].child
	};
	tree->nodes.at[parent].child = id;
	hash_map_put(&tree->map, hash, id);
	return id;
}

static void
add_class(struct tree *tree, uint32_t id)
{
	struct classifier *c = tree->of->classifier;
	const struct segments *segments = classifier_segments(c);
	const struct class *class = classifier_get(c, id);
	uint64_t now = class_now(c, id);
	uint32_t depth, at = class->part == 0 ? 0 : child_of(tree, 0, 0, class->part);
	const uint32_t *trace = classifier_trace(c, class->stack, &depth);

	tree->nodes.at[0].now += now;
	tree->nodes.at[0].total += class->total;
	if (at != 0) {
		tree->nodes.at[at].now += now;
		tree->nodes.at[at].total += class->total;
	}
	for (uint32_t i = 0; i < depth; ) {
		uint32_t leaf = segments_leaf_of(segments, trace[i]);

		at = child_of(tree, at, leaf, class->part);
		tree->nodes.at[at].now += now;
		tree->nodes.at[at].total += class->total;
		i += segments_get(segments, leaf).to - segments_get(segments, leaf).from;
	}
	tree->nodes.at[at].own += class->total;
	tree->nodes.at[at].class = id;
}

static void
tree_open(struct tree *tree, const struct view_of *of)
{
	*tree = (struct tree){ .of = of };
	*array_push(&tree->nodes) = (struct node){ 0 };
	for (uint32_t id = 1; id <= classifier_classes(of->classifier); id++)
		if (classifier_get(of->classifier, id)->total > 0)
			add_class(tree, id);
}

static void
tree_close(struct tree *tree)
{
	array_release(&tree->nodes);
	hash_map_release(&tree->map);
}

/* --- the tree, shown --- */

static int
by_total(const void *a, const void *b, void *context)
{
	const struct tree *tree = context;
	const struct node *x = &tree->nodes.at[*(const uint32_t *)a], *y = &tree->nodes.at[*(const uint32_t *)b];

	if (x->total != y->total)
		return (x->total < y->total) - (x->total > y->total);
	return x->part != y->part ? (x->part > y->part) - (x->part < y->part)
				  : (x->segment > y->segment) - (x->segment < y->segment);
}

static void
add_what(const struct tree *tree, const struct node *node, struct text_buffer *to)
{
	if (node->segment == 0)
		add_escaped(to, classifier_part_text(tree->of->classifier, node->part));
	else
		add_frames(tree->of->classifier, node->segment, ';', to);
}

static void
add_row_tsv(const struct tree *tree, const struct node *node, unsigned depth, struct text_buffer *to)
{
	add_format(to, "%u\t%u\t", depth, node->segment);
	if (node->segment != 0)
		add_segment_name(tree->of->names, node->segment, to);
	add_format(to, "\t%llu\t%llu\t%llu\t%.6g\t%u\t", (unsigned long long)node->now, (unsigned long long)node->total,
		   (unsigned long long)node->own, (double)node->total / (double)tree->nodes.at[node->parent].total,
		   node->class);
	add_what(tree, node, to);
	add_char(to, '\n');
}

/* Where the way from a node goes on without a branch or an end: to people that is one line. *frames: how many there
 * are. */
static uint32_t
way_end(const struct tree *tree, uint32_t at, uint32_t *frames)
{
	const struct segments *segments = classifier_segments(tree->of->classifier);

	for (*frames = 0;;) {
		const struct node *node = &tree->nodes.at[at];

		if (node->segment != 0)
			*frames +=
				segments_get(segments, node->segment).to - segments_get(segments, node->segment).from;
		if (node->segment == 0 || node->class != 0 || node->child == 0 ||
		    tree->nodes.at[node->child].sibling != 0)
			return at;
		at = node->child;
	}
}

/* --- for people --- */

struct tree_row { uint32_t node, end, frames; unsigned depth; };	/* end: of the way that the line tells */

struct tree_text {
	const struct tree *tree;
	ARRAY(struct tree_row) rows;
	struct table table;
	unsigned depth;		/* of the deepest row */
	size_t room;		/* for frames and the blanks before them */
};

static void
add_frame_at(const struct tree *tree, uint32_t place, struct text_buffer *to)
{
	const struct classifier *c = tree->of->classifier;

	add_masked(to, short_name(classifier_frame_text(c, segments_frame_at(classifier_segments(c), place))));
}

/* The outermost frame of the way and its innermost tell most; what is between is counted. Where there is no room for
 * both, the innermost tells more. */
static void
add_way(const struct tree *tree, const struct tree_row *row, size_t room, struct text_buffer *to)
{
	const struct segments *segments = classifier_segments(tree->of->classifier);
	uint32_t first = segments_get(segments, tree->nodes.at[row->node].segment).from,
		 last = segments_get(segments, tree->nodes.at[row->end].segment).to - 1;
	size_t from = to->count;

	if (row->frames > 1) {
		add_frame_at(tree, first, to);
		if (row->frames > 2)
			add_format(to, " ...%u...", row->frames - 2);
		add_char(to, ' ');
	}
	add_frame_at(tree, last, to);
	if (row->frames == 1 || text_characters(text_in(to, from)) <= room)
		return;
	to->count = from;
	add_format(to, "...%u... ", row->frames - 1);
	add_frame_at(tree, last, to);
}

/* Deep trees are set closer, so that frames have half of the room. */
static size_t
indent_of(const struct tree_text *t, unsigned depth)
{
	size_t blanks = 2 * (size_t)(depth - 1), most = 2 * (size_t)(t->depth - 1);

	return most <= t->room / 2 ? blanks : blanks * (t->room / 2) / most;
}

static void
add_row_text(struct tree_text *t, const struct tree_row *row)
{
	const struct tree *tree = t->tree;
	const struct node *node = &tree->nodes.at[row->node];
	struct text_buffer *to = &t->table.text;
	size_t blanks = indent_of(t, row->depth), from = to->count;

#define CELL(add) do { from = to->count; add; table_cell_from(&t->table, from); } while (0)
	CELL(add_quantity(to, (double)node->total));
	CELL(add_quantity(to, (double)node->now));
	CELL(add_share(to, (double)node->total, (double)tree->nodes.at[node->parent].total));
	if (tree->nodes.at[row->end].class != 0)
		table_format(&t->table, "%u", tree->nodes.at[row->end].class);
	else
		table_cell(&t->table, text_of("-", 1));
#undef CELL
	from = to->count;
	for (size_t i = 0; i < blanks; i++)
		add_char(to, ' ');
	if (node->segment == 0)
		add_masked(to, classifier_part_text(tree->of->classifier, node->part));
	else
		add_way(tree, row, t->room > blanks ? t->room - blanks : 0, to);
	table_cell_from(&t->table, from);
}

static void
print_tree(struct tree_text *t, size_t left)
{
	struct printer *printer = t->tree->of->printer;
	size_t width = printer->screen.width > 0 ? printer->screen.width : SCREEN_WIDTH_USUAL;

	t->room = width > COUNTS_WIDTH ? width - COUNTS_WIDTH : 0;
	t->table.fair = LABEL_FAIR;
	table_column(&t->table, TABLE_RIGHT, "total");
	table_column(&t->table, TABLE_RIGHT | TABLE_SPARE, "now");
	table_column(&t->table, TABLE_RIGHT, "share");
	table_column(&t->table, TABLE_RIGHT | TABLE_SPARE, "class");
	table_column(&t->table, TABLE_CUT, "frames, root first");
	for (size_t i = 0; i < t->rows.count; i++)
		add_row_text(t, &t->rows.at[i]);
	table_print(&t->table, printer);
	if (left > 0)
		printer_remark(printer, "%zu more branch%s: --top", left, left == 1 ? "" : "es");
}

/* --- all nodes --- */

struct visit { uint32_t node; unsigned depth; };

/* Shows a node, and returns the one whose children follow. */
static uint32_t
show_node(struct tree_text *t, struct visit visit, struct text_buffer *to)
{
	struct tree_row row = { .node = visit.node, .depth = visit.depth };

	if (t->tree->of->settings->tsv) {
		add_row_tsv(t->tree, &t->tree->nodes.at[visit.node], visit.depth, to);
		return visit.node;
	}
	row.end = way_end(t->tree, visit.node, &row.frames);
	t->depth = visit.depth > t->depth ? visit.depth : t->depth;
	*array_push(&t->rows) = row;
	return row.end;
}

/* As deep as stacks are: by a list, not by recursion. Of each node's children the heaviest come first. Returns how many
 * branches are left. */
static size_t
walk_tree(struct tree *tree, struct tree_text *text, struct text_buffer *to)
{
	const struct settings *settings = tree->of->settings;
	ARRAY(struct visit) todo = { 0 };
	ARRAY(uint32_t) children = { 0 };
	size_t left;

	*array_push(&todo) = (struct visit){ 0, 0 };
	while (todo.count > 0 &&
	       (settings->tsv || settings->top == 0 || text->rows.count < (size_t)settings->top)) {
		struct visit visit = todo.at[--todo.count];
		uint32_t end = visit.node == 0 ? 0 : show_node(text, visit, to);

		children.count = 0;
		for (uint32_t child = tree->nodes.at[end].child; child != 0; child = tree->nodes.at[child].sibling)
			*array_push(&children) = child;
		if (children.count > 0)
			qsort_r(children.at, children.count, sizeof *children.at, by_total, tree);
		for (size_t i = children.count; i-- > 0; )
			*array_push(&todo) = (struct visit){ children.at[i], visit.depth + 1 };
	}
	left = todo.count;
	array_release(&todo);
	array_release(&children);
	return left;
}

void
view_tree(const struct view_of *of, struct text_buffer *to)
{
	struct tree tree;
	struct tree_text text = { .tree = &tree };
	size_t left;

	tree_open(&tree, of);
	if (of->settings->tsv)
		add_string(to, "depth\tsegment\tname\tnow\ttotal\town\tshare\tclass\tframes\n");
	left = walk_tree(&tree, &text, to);
	if (!of->settings->tsv)
		print_tree(&text, left);
	array_release(&text.rows);
	table_release(&text.table);
	tree_close(&tree);
}
