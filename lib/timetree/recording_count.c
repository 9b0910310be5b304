/* SPDX-License-Identifier: MIT
 * recording_count: the stacks of a window: from the tree, and from the samples that it does not answer for. */
#include "timetree/recording_parts.h"

#include "base/memory.h"
#include "base/text_buffer.h"
#include "timetree/count_spread.h"
#include "timetree/tree_builder.h"	/* tree_node_end */

#include <stdlib.h>
#include <string.h>

#define WANTED (SAMPLE_TIME | SAMPLE_WEIGHT | SAMPLE_TYPE_COLUMNS)

/* A part that is asked: the context of tree_access. */
struct question {
	struct recording *recording;
	struct part *part;
	struct tree_interval window;
	struct answer *answer;
	struct pair_sums node;		/* counts of one, before they are chosen or estimated */
	bool unanswered;		/* by the tree, for samples in this interval */
	struct tree_interval lost;
	uint64_t skipped_blocks, skipped_samples;
	struct tree_interval within;	/* where the samples at hand are: in the leaf that is asked */
	bool has_unread;		/* samples that are damaged, */
	struct tree_interval unread;	/* here: reported when no further ones follow */
};

/* --- samples --- */

static bool
in_window(int64_t time, struct tree_interval window)
{
	if (time == STK_TIME_UNKNOWN)
		return window.from == INT64_MIN && window.to == INT64_MAX;
	return time >= window.from && (time < window.to || window.to == INT64_MAX);
}

static void
count_row(struct part *part, const struct sample_columns *c, uint32_t row)
{
	uint64_t stack = sample_value(&c->stack, row);
	struct pair_sum *sum;

	(void)model_id(part->model, STK_THREAD, sample_value(&c->thread, row));		/* counts it when it is lost */
	sum = pair_sums_at(
		&part->sums, sample_prefix(&part->types, c, row), stack < UINT32_MAX ? (uint32_t)stack : UINT32_MAX);
	sum->count++;
	sum->weight += sample_value(&c->weight, row);
}

/* Counts the rows from..to of a sample block that are in the window. */
static enum tree_access_result
count_rows(struct question *q, const struct file_block *at, uint32_t from, uint32_t to, struct tree_interval window,
	struct stk_error *err)
{
	struct part *part = q->part;
	struct stk_reader *reader = stream_file_reader(q->recording->file);
	struct sample_columns c;
	struct stk_block block;
	const uint32_t *rows;
	uint32_t count;
	int got = stream_file_go(q->recording->file, part->stream, at, &block, err);

	if (got > 0 && (sample_columns_load(&c, WANTED, NULL, reader, &block, err) < 0 ||
			       selection_rows(part->selection, reader, &block, &rows, &count, err) < 0))
		got = err->code == STK_EDATA ? 0 : -1;
	if (got < 0)
		return TREE_FAILED;
	if (got == 0) {
		stk_error_clear(err);
		return TREE_DAMAGED;
	}
	for (uint32_t i = 0; i < count; i++) {
		uint32_t row = selected_row(rows, i);

		if (row >= from && row < to && in_window(sample_time(&c, row), window))
			count_row(part, &c, row);
	}
	return TREE_TAKEN;
}

static void
report_lost(struct question *q, int64_t from, int64_t to)
{
	q->recording->listener.lost(q->recording->listener.context, from, to, "damaged");
}

static int64_t
later(int64_t a, int64_t b)
{
	return a > b ? a : b;
}

static int64_t
earlier(int64_t a, int64_t b)
{
	return a < b ? a : b;
}

static void
report_unread(struct question *q)
{
	if (q->has_unread)
		report_lost(q, q->unread.from, q->unread.to);
	q->has_unread = false;
}

/* The samples of a block are damaged: as far as the window and the leaf have them. Leaves that follow each other are
 * reported as one. */
static void
note_unread(struct question *q, const struct file_block *at)
{
	struct tree_interval is;

	q->answer->incomplete = true;
	if (!at->has_time) {
		report_lost(q, STK_TIME_UNKNOWN, STK_TIME_UNKNOWN);
		return;
	}
	is.from = later(at->from_ns, later(q->window.from, q->within.from));
	is.to = earlier(at->to_ns, earlier(q->window.to, q->within.to));
	if (q->has_unread && is.from <= q->unread.to && is.to >= q->unread.from) {
		q->unread = (struct tree_interval){ earlier(q->unread.from, is.from), later(q->unread.to, is.to) };
		return;
	}
	report_unread(q);
	q->unread = is;
	q->has_unread = true;
}

/* Sample rows first..end of the stream, block by block. */
static enum tree_access_result
count_range(struct question *q, uint64_t first, uint64_t end, struct tree_interval window, uint64_t *looked_at,
	struct stk_error *err)
{
	size_t count;
	const struct file_block *blocks = stream_file_blocks(q->recording->file, q->part->stream, STK_SAMPLE, &count);
	enum tree_access_result result = TREE_TAKEN;
	size_t low = 0, high = count;

	while (low < high) {		/* the first block that ends after `first` */
		size_t middle = low + (high - low) / 2;

		if (blocks[middle].first_row + blocks[middle].rows <= first)
			low = middle + 1;
		else
			high = middle;
	}
	for (; low < count && blocks[low].first_row < end; low++) {
		const struct file_block *at = &blocks[low];
		uint64_t from = first > at->first_row ? first - at->first_row : 0,
			 to = end - at->first_row < at->rows ? end - at->first_row : at->rows;
		enum tree_access_result got;

		if (at->has_time && (at->to_ns < window.from || (at->from_ns >= window.to && window.to != INT64_MAX)))
			continue;
		if (!selection_may_pass(q->part->selection, &stk_schema()->kind[STK_SAMPLE], at)) {
			q->skipped_blocks++;
			q->skipped_samples += to - from;
			continue;
		}
		got = count_rows(q, at, (uint32_t)from, (uint32_t)to, window, err);
		if (got == TREE_FAILED)
			return TREE_FAILED;
		if (got == TREE_DAMAGED) {
			result = TREE_DAMAGED;
			note_unread(q, at);
		}
		*looked_at += to - from;
	}
	return result;
}

/* --- asking a tree --- */

static void
note_visit(struct question *q, const struct stk_tree_node *node, bool samples)
{
	const struct recording_listener *listener = &q->recording->listener;

	if (listener->visit != NULL)
		listener->visit(listener->context, node, samples);
}

static enum tree_access_result
give_node(void *context, uint64_t id, struct stk_tree_node *node, struct stk_error *err)
{
	return tree_reader_node(((struct question *)context)->part->tree, id, node, err);
}

/* Samples of which only counts are left, that do not know what is asked. */
static void
note_unseen(struct question *q, const struct stk_tree_node *node)
{
	struct tree_interval *at = &q->answer->unseen_at;
	int64_t from = later(node->time, q->window.from), to = earlier(tree_node_end(node), q->window.to);

	at->from = q->answer->unseen == 0 ? from : earlier(at->from, from);
	at->to = q->answer->unseen == 0 ? to : later(at->to, to);
	q->answer->unseen += node->samples;
}

static struct stack_prefixes *
prefixes_of_tree(const struct part *part)
{
	return part->of_tree != NULL ? part->of_tree : part->prefixes;
}

/* The elements of a prefix of the tree that are asked for. */
static uint32_t
make_prefix(struct part *part, uint32_t of_tree)
{
	struct stk_text whole = stack_prefix_text(prefixes_of_tree(part), of_tree);
	struct text_buffer text = { 0 };
	uint32_t prefix;

	if (part->key_count == 0 && !part->bare)
		return stack_prefix_of_text(part->prefixes, whole, stack_prefix_is_java(of_tree));
	for (unsigned k = 0; k < part->key_count; k++) {
		size_t from = 0, to;

		for (unsigned place = 0; place < part->keys[k] && from < whole.size; from++)
			place += whole.data[from] == ';';
		for (to = from; to < whole.size && whole.data[to] != ';'; )
			to++;
		if (k > 0)
			add_char(&text, ';');
		add_text(&text, text_of(whole.data + from, to - from));
	}
	prefix = stack_prefix_of_text(part->prefixes, text_in(&text, 0), stack_prefix_is_java(of_tree));
	array_release(&text);
	return prefix;
}

static uint32_t
prefix_asked(struct part *part, uint32_t of_tree)
{
	array_lengthen(&part->prefix_of_keys, (size_t)of_tree + 1);
	if (part->prefix_of_keys.at[of_tree] == 0)
		part->prefix_of_keys.at[of_tree] = make_prefix(part, of_tree);
	return part->prefix_of_keys.at[of_tree];
}

/* A count of a node, with what it is called. */
struct named_count { struct pair_sum sum; struct stk_text name; };

static int
compare_counts(const void *a, const void *b)
{
	const struct named_count *x = a, *y = b;
	size_t least = x->name.size < y->name.size ? x->name.size : y->name.size;
	int order;

	if (x->sum.b != y->sum.b)
		return (x->sum.b > y->sum.b) - (x->sum.b < y->sum.b);
	order = least == 0 ? 0 : memcmp(x->name.data, y->name.data, least);
	if (order == 0)
		order = (x->name.size > y->name.size) - (x->name.size < y->name.size);
	return order != 0 ? order : (int)stack_prefix_is_java(x->sum.a) - (int)stack_prefix_is_java(y->sum.a);
}

/* The place of a count among the others says how it is spread; so trees of the same samples must have the same places,
 * however they grew. */
static void
order_counts(struct question *q)
{
	size_t count = q->node.sums.count;
	struct named_count *named = mem_new(count + 1, sizeof *named);

	for (size_t i = 0; i < count; i++)
		named[i] = (struct named_count){ q->node.sums.at[i],
						 stack_prefix_text(prefixes_of_tree(q->part), q->node.sums.at[i].a) };
	qsort(named, count, sizeof *named, compare_counts);
	for (size_t i = 0; i < count; i++)
		q->node.sums.at[i] = named[i].sum;
	free(named);
}

/* Whether counts are of threads and states that are asked for. */
static bool
keys_are_taken(struct part *part, uint32_t of_tree)
{
	if (part->choice == NULL)
		return true;
	array_lengthen(&part->takes, (size_t)of_tree + 1);
	if (part->takes.at[of_tree] == 0)
		part->takes.at[of_tree] =
			key_choice_takes(part->choice, stack_prefix_text(prefixes_of_tree(part), of_tree)) ? 1 : 2;
	return part->takes.at[of_tree] == 1;
}

/* Of a node's counts those that are chosen, as far as they are in the window: all, unless `spread` says which part. */
static void
add_chosen(struct question *q, const struct spread *spread)
{
	struct part *part = q->part;

	if (spread != NULL)
		order_counts(q);
	for (size_t i = 0; i < q->node.sums.count; i++) {
		struct pair_sum sum = q->node.sums.at[i];

		if (part->counts_chosen &&
			(!keys_are_taken(part, sum.a) || !selection_takes_stack(part->selection, sum.b)))
			continue;
		if (part->other_keys)
			sum.a = prefix_asked(part, sum.a);
		if (spread != NULL) {
			pair_sums_add(&part->possible, &sum);
			q->answer->estimated += sum.count;
			sum.weight = spread_weight(*spread, sum.count, sum.weight, i);
			sum.count = spread_share(*spread, sum.count, i);
			pair_sums_add(&part->guessed, &sum);
		}
		if (sum.count > 0)
			pair_sums_add(&part->sums, &sum);
	}
}

/* Counts of a node, of which `spread` is in the window; NULL: all. */
static enum tree_access_result
take_node(struct question *q, const struct stk_tree_node *node, const struct spread *spread, struct stk_error *err)
{
	struct part *part = q->part;
	bool direct = spread == NULL && !part->counts_chosen && !part->other_keys;
	enum tree_access_result got = tree_reader_counts(part->tree, node, prefixes_of_tree(part),
							 part->bare && !part->other_keys,
							 direct ? &part->sums : &q->node, err);

	if (got == TREE_TAKEN)
		note_visit(q, node, false);
	if (got == TREE_TAKEN && !direct)
		add_chosen(q, spread);
	if (!direct)
		pair_sums_clear(&q->node);
	if (got == TREE_DAMAGED && node->form == STK_NODE_THINNED)
		report_lost(q, node->time, tree_node_end(node));
	return got;
}

static enum tree_access_result
give_counts(void *context, const struct stk_tree_node *node, struct stk_error *err)
{
	struct question *q = context;

	if (q->part->use != USE_NONE)
		return take_node(q, node, NULL, err);
	note_unseen(q, node);
	return TREE_TAKEN;
}

static enum tree_access_result
give_part(void *context, const struct stk_tree_node *node, struct tree_interval window, struct stk_error *err)
{
	struct question *q = context;
	struct spread spread = spread_of((struct tree_interval){ node->time, tree_node_end(node) }, window);

	if (q->part->use != USE_NONE)
		return take_node(q, node, &spread, err);
	note_unseen(q, node);
	return TREE_TAKEN;
}

static enum tree_access_result
give_samples(void *context, const struct stk_tree_node *leaf, struct tree_interval window, uint64_t *taken,
	struct stk_error *err)
{
	struct question *q = context;
	struct tree_interval window_of = q->within;
	enum tree_access_result got;

	note_visit(q, leaf, true);
	if (leaf->time != STK_TIME_UNKNOWN)
		q->within = (struct tree_interval){ leaf->time, tree_node_end(leaf) };
	got = count_range(q, leaf->first_row, leaf->first_row + leaf->rows, window, taken, err);
	q->within = window_of;
	return got;
}

static void
note_unanswered(void *context, struct tree_interval interval)
{
	struct question *q = context;

	if (!q->unanswered || interval.from < q->lost.from)
		q->lost.from = interval.from;
	if (!q->unanswered || interval.to > q->lost.to)
		q->lost.to = interval.to;
	q->unanswered = true;
}

static int
ask_tree(struct question *q, struct tree_interval window, struct answer *answer, struct stk_error *err)
{
	const struct tree_facts *facts = tree_reader_facts(q->part->tree);
	struct tree_access access = { .context = q,
				      .nodes = tree_reader_nodes(q->part->tree),
				      .node = give_node,
				      .thinned = q->part->use != USE_ALL,
				      .counts = give_counts,
				      .part = give_part,
				      .samples = give_samples,
				      .unanswered = note_unanswered };

	return tree_query(&access, facts->roots.at, facts->roots.count, window, &answer->tree, err);
}

/* Where only some counts are chosen, nobody knows how many of what these leave out would be. */
static void
choose_left(struct tree_answer *a)
{
	left_out_add(&a->possible, &a->left);
	a->possible.samples -= a->guessed.samples;
	a->possible.weight -= a->guessed.weight;
	a->left = a->guessed = (struct left_out){ 0 };
}

/* --- answers --- */

/* Of some samples in the interval only counts were left, and these are lost: as far as that is in the window. */
static void
report_incomplete(struct question *q, struct tree_interval lost, struct tree_interval window, struct answer *answer)
{
	int64_t from = later(lost.from, window.from), to = earlier(lost.to, window.to);

	if (from >= to)
		return;
	answer->incomplete = true;
	report_lost(q, from == INT64_MIN ? STK_TIME_UNKNOWN : from, to);
}

/* A root's interval is not known when it cannot be read: that of the tree is. */
static struct tree_interval
unanswered_interval(const struct question *q)
{
	const struct stk_tree *tree = &tree_reader_facts(q->part->tree)->row;

	return (struct tree_interval){ later(q->lost.from, tree->from),
				       tree->to == INT64_MAX ? q->lost.to : earlier(q->lost.to, tree->to + 1) };
}

/* From the tree, and what it does not cover from the samples; all from the samples where nodes of it cannot be read. */
static int
ask_part(struct question *q, struct tree_interval window, struct answer *answer, struct stk_error *err)
{
	struct part *part = q->part;
	uint64_t covered = part->covered;

	if (part->tree != NULL && ask_tree(q, window, answer, err) < 0)
		return -1;
	if (part->use == USE_NONE)
		answer->tree = (struct tree_answer){ .damaged = answer->tree.damaged };
	else if (part->counts_chosen)
		choose_left(&answer->tree);
	if (q->unanswered && !part->thinned) {
		pair_sums_clear(&part->sums);
		answer->tree = (struct tree_answer){ .damaged = answer->tree.damaged };
		answer->replaced += answer->tree.damaged;
		covered = 0;
	} else if (q->unanswered) {
		report_incomplete(q, unanswered_interval(q), window, answer);
	}
	if (part->has_lost)
		report_incomplete(q, part->lost, window, answer);
	return count_range(q, covered, UINT64_MAX, window, &answer->scanned, err) == TREE_FAILED ? -1 : 0;
}

/* What was counted before comes back beside it. */
static void
join_sums(struct pair_sums *to, struct pair_sums *earlier)
{
	if (to->sums.count < earlier->sums.count) {
		struct pair_sums swap = *to;

		*to = *earlier;
		*earlier = swap;
	}
	for (size_t i = 0; i < earlier->sums.count; i++)
		pair_sums_add(to, &earlier->sums.at[i]);
	pair_sums_release(earlier);
}

static void
join_answers(struct answer *to, const struct answer *from)
{
	to->tree.nodes += from->tree.nodes;
	to->tree.stacks += from->tree.stacks;
	left_out_add(&to->tree.left, &from->tree.left);
	left_out_add(&to->tree.guessed, &from->tree.guessed);
	left_out_add(&to->tree.possible, &from->tree.possible);
	to->tree.edges += from->tree.edges;
	to->tree.damaged += from->tree.damaged;
	to->scanned += from->scanned;
	to->replaced += from->replaced;
	to->skipped_blocks += from->skipped_blocks;
	to->skipped_samples += from->skipped_samples;
	to->incomplete |= from->incomplete;
	to->estimated += from->estimated;
	if (from->unseen > 0) {
		to->unseen_at.from = to->unseen == 0 ? from->unseen_at.from
						     : earlier(to->unseen_at.from, from->unseen_at.from);
		to->unseen_at.to = to->unseen == 0 ? from->unseen_at.to : later(to->unseen_at.to, from->unseen_at.to);
		to->unseen += from->unseen;
	}
}

static int
ask(struct recording *r, struct part *part, struct tree_interval window, struct answer *answer, struct stk_error *err)
{
	struct answer now = { 0 };
	struct question q = { .recording = r, .part = part, .window = window, .within = window, .answer = &now };
	struct pair_sums earlier = part->sums;
	int result;

	part->sums = (struct pair_sums){ 0 };
	result = ask_part(&q, window, &now, err);
	report_unread(&q);
	if (part->has_hole && part->hole.to > window.from && part->hole.from < window.to)
		now.incomplete = true;
	now.skipped_blocks = q.skipped_blocks;
	now.skipped_samples = q.skipped_samples;
	join_sums(&part->sums, &earlier);
	pair_sums_release(&q.node);
	left_out_add(&part->left, &now.tree.left);
	left_out_add(&part->left_guessed, &now.tree.guessed);
	left_out_add(&part->left_possible, &now.tree.possible);
	join_answers(answer, &now);
	return result;
}

int
recording_count(struct recording *r, struct tree_interval window, struct answer *answer, struct stk_error *err)
{
	for (size_t p = 0; p < r->parts.count; p++)
		if (ask(r, r->parts.at[p], window, answer, err) < 0)
			return -1;
	return 0;
}

void
part_add_answer(const struct part *part, struct answer *answer)
{
	for (size_t i = 0; i < part->sums.sums.count; i++) {
		answer->samples += part->sums.sums.at[i].count;
		answer->weight += part->sums.sums.at[i].weight;
	}
}

void
part_count_lost(struct part *part)
{
	for (size_t i = 0; i < part->sums.sums.count; i++) {
		const struct pair_sum *sum = &part->sums.sums.at[i];

		(void)model_id_of_rows(part->model, STK_STACK, sum->b, sum->count); /* counts it when it is lost */
	}
}

int
part_error(const struct part *part, struct stk_error *err)
{
	return part->lender == NULL ? 0 : stack_lender_error(part->lender, err);
}

int
recordings_error(struct recording *const *recordings, size_t count, struct stk_error *err)
{
	for (size_t i = 0; i < count; i++)
		for (size_t p = 0; p < recordings[i]->parts.count; p++)
			if (part_error(recordings[i]->parts.at[p], err) < 0)
				return -1;
	return 0;
}

int
recording_stacks(struct recording *r, recording_stack_function *take, void *context, struct answer *answer,
	struct stk_error *err)
{
	for (size_t p = 0; p < r->parts.count; p++) {
		struct part *part = r->parts.at[p];
		int result = 0;

		part_add_answer(part, answer);
		part_count_lost(part);
		for (size_t i = 0; i < part->sums.sums.count && result == 0; i++) {
			const struct pair_sum *sum = &part->sums.sums.at[i];

			result = take(context, part->model, stack_prefix_text(part->prefixes, sum->a), sum->b,
				sum->count, sum->weight, err);
		}
		pair_sums_clear(&part->sums);
		if (result < 0 || part_error(part, err) < 0)
			return -1;
	}
	return 0;
}

int
recordings_lines(struct recording *const *recordings, size_t count, struct folded_lines *to, struct answer *answer,
	struct stk_error *err)
{
	for (size_t i = 0; i < count; i++)
		for (size_t p = 0; p < recordings[i]->parts.count; p++) {
			struct part *part = recordings[i]->parts.at[p];
			uint64_t lost;

			part_add_answer(part, answer);
			lost = folded_lines_add(to, part->model, part->naming, part->prefixes, &part->sums);
			model_count_lost(part->model, STK_STACK, lost);
			if (part_error(part, err) < 0)
				return -1;
		}
	return 0;
}
