/* SPDX-License-Identifier: MIT
 * Time trees: the worked example of the method, node by node; windows against a plain scan, for thousands of them over
 * every shape of recording. */
#include "../lib/tap.h"

#include "base/array.h"
#include "timetree/tree_builder.h"
#include "timetree/tree_query.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define MS INT64_C(1000000)
#define TYPES_MOST 64

/* --- a tree in memory --- */

struct memory_tree {
	ARRAY(int64_t) times;
	ARRAY(uint32_t) types;
	ARRAY(uint64_t) weights;
	size_t fed, batch;
	ARRAY(struct stk_tree_node) nodes;
	ARRAY(struct tree_count) counts;
	ARRAY(uint64_t) roots;
	/* of the present query */
	uint64_t sums[TYPES_MOST], weighed[TYPES_MOST];
	char visited[512];
	uint64_t broken;		/* a node whose counts cannot be read */
	uint64_t missing;		/* one that cannot be read at all */
	unsigned unanswered;
	struct tree_interval lost;
};

static int
feed_more(void *context, struct tree_samples *to, struct stk_error *err)
{
	struct memory_tree *m = context;
	size_t end = m->fed + m->batch < m->times.count ? m->fed + m->batch : m->times.count;

	(void)err;
	if (m->fed == m->times.count)
		return 0;
	for (; m->fed < end; m->fed++) {
		*array_push(&to->times) = m->times.at[m->fed];
		*array_push(&to->types) = m->types.at[m->fed];
		*array_push(&to->weights) = m->weights.at[m->fed];
	}
	return 1;
}

static int
sink_counts(void *context, struct stk_tree_node *node, const struct tree_count *counts, size_t count,
	    struct stk_error *err)
{
	struct memory_tree *m = context;

	(void)err;
	node->first_count = m->counts.count;
	for (size_t i = 0; i < count; i++)
		*array_push(&m->counts) = counts[i];
	return 0;
}

static int
sink_nodes(void *context, struct stk_tree_node *nodes, size_t count, struct stk_error *err)
{
	struct memory_tree *m = context;

	(void)err;
	for (size_t i = 0; i < count; i++) {
		nodes[i].id = m->nodes.count + 1;
		*array_push(&m->nodes) = nodes[i];
	}
	return 0;
}

static void
add_sample(struct memory_tree *m, int64_t time, uint32_t type, uint64_t weight)
{
	*array_push(&m->times) = time;
	*array_push(&m->types) = type;
	*array_push(&m->weights) = weight;
}

static bool
build(struct memory_tree *m, const struct tree_shape *shape)
{
	struct stk_error err = { 0 };
	struct tree_feed feed = { .context = m,
				  .more = feed_more,
				  .last_ns = m->times.count == 0 ? 0 : m->times.at[m->times.count - 1] };
	struct tree_sink sink = { m, sink_counts, sink_nodes };
	struct tree_roots roots = { 0 };
	bool well;

	m->fed = m->nodes.count = m->counts.count = m->roots.count = 0;
	m->batch = m->batch == 0 ? 1000 : m->batch;
	well = tree_build(shape, &feed, &sink, &roots, &err) == 0;
	for (size_t i = 0; i < roots.made.count && well; i++) {
		well = sink_nodes(m, &roots.made.at[i].node, 1, &err) == 0;
		*array_push(&m->roots) = m->nodes.count;
	}
	tree_roots_release(&roots);
	return well;
}

static enum tree_access_result
give_node(void *context, uint64_t id, struct stk_tree_node *node, struct stk_error *err)
{
	struct memory_tree *m = context;

	(void)err;
	if (id == 0 || id > m->nodes.count || id == m->missing)
		return TREE_DAMAGED;
	*node = m->nodes.at[id - 1];
	return TREE_TAKEN;
}

static void
note_visit(struct memory_tree *m, const char *what, const struct stk_tree_node *node)
{
	size_t at = strlen(m->visited);

	(void)snprintf(m->visited + at, sizeof m->visited - at, "%s%s[%lld,%lld]", at == 0 ? "" : " ", what,
		       (long long)(node->time / MS), (long long)((tree_node_end(node) - 1 + MS - 1) / MS));
}

static enum tree_access_result
give_counts(void *context, const struct stk_tree_node *node, struct stk_error *err)
{
	struct memory_tree *m = context;

	(void)err;
	if (node->id == m->broken)
		return TREE_DAMAGED;
	note_visit(m, "counts", node);
	for (uint64_t i = node->first_count; i < node->first_count + node->counts; i++) {
		m->sums[m->counts.at[i].type] += m->counts.at[i].count;
		m->weighed[m->counts.at[i].type] += m->counts.at[i].weight;
	}
	return TREE_TAKEN;
}

static bool
in_window(int64_t time, struct tree_interval window)
{
	if (time == STK_TIME_UNKNOWN)
		return window.from == INT64_MIN && window.to == INT64_MAX;
	return time >= window.from && (time < window.to || window.to == INT64_MAX);
}

static enum tree_access_result
give_samples(void *context, const struct stk_tree_node *leaf, struct tree_interval window, uint64_t *taken,
	     struct stk_error *err)
{
	struct memory_tree *m = context;

	(void)err;
	note_visit(m, "samples", leaf);
	for (uint64_t i = leaf->first_row; i < leaf->first_row + leaf->rows; i++) {
		if (m->types.at[i] != 0 && in_window(m->times.at[i], window)) {
			m->sums[m->types.at[i]]++;
			m->weighed[m->types.at[i]] += m->weights.at[i];
		}
	}
	*taken += leaf->rows;
	return TREE_TAKEN;
}

static void
note_unanswered(void *context, struct tree_interval interval)
{
	struct memory_tree *m = context;

	m->unanswered++;
	m->lost = interval;
}

static struct tree_answer
query(struct memory_tree *m, struct tree_interval window)
{
	struct tree_access access = { .context = m,
				      .nodes = m->nodes.count,
				      .node = give_node,
				      .counts = give_counts,
				      .samples = give_samples,
				      .unanswered = note_unanswered };
	struct tree_answer answer = { 0 };
	struct stk_error err = { 0 };

	memset(m->sums, 0, sizeof m->sums);
	memset(m->weighed, 0, sizeof m->weighed);
	*m->visited = '\0';
	m->unanswered = 0;
	if (tree_query(&access, m->roots.at, m->roots.count, window, &answer, &err) < 0)
		answer.damaged = UINT64_MAX;
	return answer;
}

static void
release(struct memory_tree *m)
{
	array_release(&m->times);
	array_release(&m->types);
	array_release(&m->weights);
	array_release(&m->nodes);
	array_release(&m->counts);
	array_release(&m->roots);
	*m = (struct memory_tree){ 0 };
}

/* --- the worked example --- */

/* The table of the source, as it stands: what each node keeps. */
static void
test_selection(void)
{
	static const struct {
		const char *interval;
		uint64_t samples;
		uint64_t counts[9];
		const char *kept;
		uint64_t covered;
	} rows[] = { { "[0,1000]", 330, { 113, 75, 46, 25, 24, 19, 13, 9, 6 }, "ABCDEFG", 315 },
		     { "[0,500]", 216, { 72, 44, 35, 20, 21, 14, 10, 0, 0 }, "ABCDEF", 206 },
		     { "[250,500]", 116, { 40, 26, 25, 9, 15, 1, 0, 0, 0 }, "ABCDE", 115 } };

	for (size_t r = 0; r < sizeof rows / sizeof *rows; r++) {
		struct tree_count list[9];
		size_t count = 0, kept;
		uint64_t bound, covered = 0;
		char names[16] = "";

		for (uint32_t t = 0; t < 9; t++)
			if (rows[r].counts[t] > 0)
				list[count++] = (struct tree_count){ t + 1, rows[r].counts[t], rows[r].counts[t] };
		kept = tree_keep(list, count, rows[r].samples, 95, &bound);
		for (size_t i = 0; i < kept; i++) {
			names[i] = (char)('A' + list[i].type - 1);
			covered += list[i].count;
		}
		is_text(names, rows[r].kept, "%s", rows[r].interval);
		ok(covered == rows[r].covered, "%s: covers %llu", rows[r].interval,
		   (unsigned long long)rows[r].covered);
	}
	{
		struct tree_count list[2] = { { 7, 5, 5 }, { 3, 5, 5 } };
		uint64_t bound;

		ok(tree_keep(list, 2, 10, 100, &bound) == 2 && bound == 0, "P = 100 keeps all");
		ok(tree_keep(list, 2, 8, 60, &bound) == 1 && list[0].type == 3 && bound == 5,
		   "of equal counts the lower type is kept, and the bound is the count of the next");
	}
}

/* Samples whose counts give the intervals of the table: 90 in [0,250), 45 in [250,375), 71 in [375,500), 99 in
 * [500,1000], so that totals add up. */
static void
make_example(struct memory_tree *m)
{
	static const char types[] = "AAAAAAABBBBCCCDDEEFGHI";
	static const struct {
		int64_t from, to;
		unsigned count;
	} parts[] = { { 0, 250, 90 }, { 250, 375, 45 }, { 375, 500, 71 }, { 500, 1000, 98 } };

	for (size_t p = 0; p < 4; p++)
		for (unsigned i = 0; i < parts[p].count; i++)
			add_sample(m, (parts[p].from + (parts[p].to - parts[p].from) * i / parts[p].count) * MS,
				   (uint32_t)(types[(i * 5 + (unsigned)p) % (sizeof types - 1)] - 'A') + 1, 1);
	add_sample(m, 1000 * MS, 1, 1);
}

static void
test_example(void)
{
	struct memory_tree m = { 0 };
	struct tree_shape shape = { .leaf = 100, .keep = 95, .split = 2 };
	struct tree_answer a;

	make_example(&m);
	ok(build(&m, &shape) && m.nodes.count == 7 && m.roots.count == 1, "the example has seven nodes under one root");
	a = query(&m, (struct tree_interval){ 700 * MS, 1000 * MS + 1 });
	is_text(m.visited, "samples[500,1000]", "[700,1000]: one leaf is enumerated");
	ok(a.nodes == 2 && a.stacks == 99 && a.left.samples == 0,
	   "and nothing else is read: root and leaf, 99 stacks (%llu, %llu)", (unsigned long long)a.nodes,
	   (unsigned long long)a.stacks);
	a = query(&m, (struct tree_interval){ 0, 700 * MS });
	is_text(m.visited, "counts[0,500] samples[500,1000]",
		"[0,700]: stored counts of the half that is inside, without its children");
	ok(a.nodes == 3 && a.left.samples == 206 - m.nodes.at[m.nodes.at[m.roots.at[0] - 1].last - 2].kept,
	   "and what those do not stand for is said: %llu", (unsigned long long)a.left.samples);
	a = query(&m, (struct tree_interval){ 300 * MS, 700 * MS });
	is_text(m.visited, "samples[250,375] counts[375,500] samples[500,1000]",
		"[300,700]: down to [250,500], whose halves are a cut leaf and a whole one");
	ok(a.nodes == 6, "six nodes");
	a = query(&m, (struct tree_interval){ INT64_MIN, INT64_MAX });
	is_text(m.visited, "counts[0,1000]", "everything: the root alone");
	ok(a.left.bound > 0 && a.left.samples > 0, "which does not keep all");
	release(&m);
}

/* --- windows against a scan --- */

static uint64_t chance = 88172645463325252u;

static uint64_t
random_below(uint64_t n)
{
	chance ^= chance << 13, chance ^= chance >> 7, chance ^= chance << 17;
	return chance % n;
}

static int
compare_times(const void *a, const void *b)
{
	int64_t x = *(const int64_t *)a, y = *(const int64_t *)b;

	return (x > y) - (x < y);
}

enum recording { EVEN, SKEWED, BURSTS, ONE_INSTANT, SPARSE, UNTIMED, RECORDINGS };

static void
make_recording(struct memory_tree *m, enum recording kind, size_t count)
{
	int64_t time = (int64_t)random_below(1000000), *times = mem_new(count, sizeof *times);

	for (size_t i = 0; i < count; i++) {
		switch (kind) {
		case EVEN:        times[i] = (int64_t)random_below(1000 * (uint64_t)MS); break;
		case SKEWED:      times[i] = (int64_t)pow(2, (double)random_below(5000) / 100); break;
		case BURSTS:
			times[i] = time += random_below(50) == 0 ? (int64_t)random_below(100 * (uint64_t)MS)
								 : (int64_t)random_below(3);
			break;
		case ONE_INSTANT: times[i] = i == 0 ? 0 : 77 * MS; break;
		case SPARSE:      times[i] = (int64_t)i * 86400 * 1000 * MS; break;
		default: times[i] = random_below(4) == 0 ? STK_TIME_UNKNOWN : (int64_t)random_below(1000); break;
		}
	}
	qsort(times, count, sizeof *times, compare_times);
	for (size_t i = 0; i < count; i++)
		add_sample(m, times[i], random_below(10) == 0 ? 0 : 1 + (uint32_t)(random_below(7) * random_below(7)),
			   random_below(5));
	free(times);
}

static struct tree_interval
random_window(const struct memory_tree *m)
{
	int64_t a = m->times.at[random_below(m->times.count)], b = m->times.at[random_below(m->times.count)];

	if (random_below(20) == 0)
		return (struct tree_interval){ INT64_MIN, INT64_MAX };
	if (a == STK_TIME_UNKNOWN || random_below(8) == 0)
		a = INT64_MIN;
	if (b == STK_TIME_UNKNOWN || random_below(8) == 0)
		b = INT64_MAX;
	a += a == INT64_MIN ? 0 : (int64_t)random_below(3) - 1;
	b += b == INT64_MAX ? 0 : (int64_t)random_below(3) - 1;
	return a < b ? (struct tree_interval){ a, b } : (struct tree_interval){ b, a };
}

/* Every type's count and weight; with P < 100 none is counted too high, what is missing is stated, and no single one
 * misses more than the bound. */
static bool
answer_is_right(struct memory_tree *m, struct tree_interval window, bool exact)
{
	uint64_t sums[TYPES_MOST] = { 0 }, weights[TYPES_MOST] = { 0 }, missing = 0;
	struct tree_answer a = query(m, window);

	for (size_t i = 0; i < m->times.count; i++) {
		if (m->types.at[i] == 0 || !in_window(m->times.at[i], window))
			continue;
		sums[m->types.at[i]]++;
		weights[m->types.at[i]] += m->weights.at[i];
	}
	for (unsigned t = 0; t < TYPES_MOST; t++) {
		if (exact && (m->sums[t] != sums[t] || m->weighed[t] != weights[t]))
			return false;
		if (m->sums[t] > sums[t] || sums[t] - m->sums[t] > a.left.bound)
			return false;
		missing += sums[t] - m->sums[t];
	}
	return a.damaged == 0 && missing == a.left.samples;
}

static bool
tree_is_sound(const struct memory_tree *m)
{
	uint64_t rows = 0;

	for (size_t n = 0; n < m->nodes.count; n++) {
		const struct stk_tree_node *node = &m->nodes.at[n];

		rows += node->form == STK_NODE_LEAF ? node->rows : 0;
		if (node->form == STK_NODE_INNER && (node->children < 2 || node->last >= node->id))
			return false;		/* an inner node is a choice */
		if (node->samples > 0 && node->form == STK_NODE_INNER && node->counts == 0)
			return false;
	}
	return rows == m->times.count;
}

static void
test_windows(void)
{
	static const enum tree_rule rules[] = { TREE_BY_TIME, TREE_BY_SAMPLES, TREE_BY_CALENDAR };
	static const char *const names[] = { "even",           "skewed",    "in bursts",
					     "in one instant", "one a day", "partly without times" };
	unsigned windows = 0;

	for (enum recording kind = EVEN; kind < RECORDINGS; kind++) {
		unsigned wrong = 0, unsound = 0;

		for (unsigned round = 0; round < 36; round++) {
			struct memory_tree m = { .batch = 1 + random_below(500) };
			struct tree_shape shape = { .leaf = 1 + (uint32_t)random_below(200),
						    .keep = round % 3 == 0 ? 80 + (double)random_below(20) : 100,
						    .split = 2 + (uint32_t)random_below(6),
						    .rule = rules[round % 4 % 3] };

			for (unsigned l = 0; round % 2 == 0 && shape.rule != TREE_BY_SAMPLES && l < round % 5; l++)
				shape.below[l] = 2 + (uint32_t)random_below(9);
			make_recording(&m, kind, 1 + random_below(2000));
			if (!build(&m, &shape) || !tree_is_sound(&m))
				unsound++;
			for (unsigned w = 0; w < 50; w++, windows++)
				wrong += !answer_is_right(&m, random_window(&m), shape.keep >= 100);
			release(&m);
		}
		ok(unsound == 0, "samples %s: every row is in one leaf, every inner node has two children or more",
		   names[kind]);
		ok(wrong == 0, "samples %s: windows equal a scan, and what is left out is stated (%u wrong)",
		   names[kind], wrong);
	}
	ok(windows >= 10000, "%u windows", windows);
}

/* --- odd inputs --- */

static void
test_edges(void)
{
	struct memory_tree m = { 0 };
	struct tree_shape shape = { .leaf = 10, .keep = 100, .split = 2 };
	struct tree_answer a;
	size_t deepest = 0;

	ok(build(&m, &shape) && m.nodes.count == 0 && m.roots.count == 0, "no samples, no nodes");
	for (unsigned i = 0; i < 100000; i++)
		add_sample(&m, 5, 1, 1);
	ok(build(&m, &shape) && m.nodes.count == 1, "a hundred thousand equal stamps are one leaf");
	a = query(&m, (struct tree_interval){ 5, 6 });
	ok(m.sums[1] == 100000 && a.stacks == 1, "which is answered by its counts");
	a = query(&m, (struct tree_interval){ 6, 7 });
	ok(m.sums[1] == 0 && a.nodes == 0, "and is outside of the next nanosecond");
	release(&m);
	add_sample(&m, INT64_MIN + 1, 1, 1);
	for (unsigned i = 0; i < 1000; i++)
		add_sample(&m, (int64_t)i - 500, 2, 1);
	add_sample(&m, INT64_MAX - 1, 3, 1);
	ok(build(&m, &shape), "times from one end of 64 bits to the other");
	query(&m, (struct tree_interval){ -1, 1 });
	ok(m.sums[2] == 2 && m.sums[1] == 0 && m.sums[3] == 0, "are cut to the nanosecond");
	for (size_t n = 0; n < m.nodes.count; n++)
		deepest += m.nodes.at[n].form == STK_NODE_INNER;
	ok(deepest < 1002, "without chains: %zu inner nodes", deepest);
	release(&m);
}

static void
test_damage(void)
{
	struct memory_tree m = { 0 };
	struct tree_shape shape = { .leaf = 10, .keep = 100, .split = 2 };
	struct tree_answer a;

	for (unsigned i = 0; i < 1000; i++)
		add_sample(&m, i, 1 + i % 5, 1);
	build(&m, &shape);
	m.broken = m.roots.at[0];
	a = query(&m, (struct tree_interval){ INT64_MIN, INT64_MAX });
	ok(m.sums[1] == 200 && a.damaged == 1 && m.unanswered == 0,
	   "a node whose counts are damaged is answered by its children, and told");
	m.broken = 0;
	m.missing = m.roots.at[0];
	a = query(&m, (struct tree_interval){ 0, 5 });
	ok(m.unanswered == 1 && a.damaged == 1 && m.lost.from == INT64_MIN && m.lost.to == INT64_MAX,
	   "a root that is damaged answers for nothing, at any time");
	m.missing = m.nodes.at[m.roots.at[0] - 1].last;
	a = query(&m, (struct tree_interval){ 0, 999 });
	ok(m.unanswered == 1 && a.damaged == 1 && m.lost.from == 0 && m.lost.to == 1000,
	   "below another it is somewhere in that one's interval");
	a = query(&m, (struct tree_interval){ INT64_MIN, INT64_MAX });
	ok(m.unanswered == 0 && a.damaged == 0 && m.sums[1] == 200,
	   "which does not matter where the counts above it serve");
	m.nodes.at[m.roots.at[0] - 1].form = STK_NODE_THINNED;
	m.missing = 0;
	m.broken = m.roots.at[0];
	a = query(&m, (struct tree_interval){ INT64_MIN, INT64_MAX });
	ok(m.unanswered == 1 && a.damaged == 1, "the counts of a thinned node are all that there was");
	m.nodes.at[m.roots.at[0] - 1].form = STK_NODE_INNER;
	m.broken = 0;
	for (size_t n = 0; n < m.nodes.count; n++)
		if (m.nodes.at[n].form == STK_NODE_INNER)
			m.nodes.at[n].counts = 0, m.nodes.at[n].last = m.nodes.at[n].id - 1, m.nodes.at[n].children = 2;
	a = query(&m, (struct tree_interval){ 0, 5 });
	ok(a.nodes <= m.nodes.count, "children that several nodes claim are not asked for ever");
	for (size_t n = 0; n < m.nodes.count; n++)
		m.nodes.at[n].last = m.nodes.count, m.nodes.at[n].children = 3;
	a = query(&m, (struct tree_interval){ 0, 5 });
	ok(a.damaged > 0, "nor are those that are above their parent");
	release(&m);
}

static void
test_calendar(void)
{
	struct tree_shape shape = { .leaf = 10, .keep = 100, .split = 2, .rule = TREE_BY_CALENDAR };
	const int64_t hour = INT64_C(3600) * 1000 * MS, day = 24 * hour;
	struct tree_interval part = tree_part(&shape, 0, (struct tree_interval){ 5 * hour, 3 * day }, 30 * hour);

	ok(part.from == day && part.to == 2 * day, "three days are split at midnight");
	part = tree_part(&shape, 0, (struct tree_interval){ 5 * hour, 3 * day }, 6 * hour);
	ok(part.from == 5 * hour && part.to == day, "the first day begins where the recording does");
	part = tree_part(&shape, 0, (struct tree_interval){ day, 2 * day }, day + 90 * hour / 60);
	ok(part.from == day + hour && part.to == day + 2 * hour, "a day is split into hours");
	part = tree_part(&shape, 0, (struct tree_interval){ 0, 800 * day }, 40 * day);
	ok(part.from == 0 && part.to == 365 * day, "years at New Year");
	part = tree_part(&shape, 0, (struct tree_interval){ 0, 365 * day }, 40 * day);
	ok(part.from == 31 * day && part.to == 59 * day, "a year into months");
	part = tree_part(&shape, 0, (struct tree_interval){ day, day + hour }, day + hour / 2);
	ok(part.from == day + hour / 2 && part.to == day + hour / 4 * 3, "an hour into quarters");
	part = tree_part(&shape, 0, (struct tree_interval){ day, day + hour / 4 }, day + hour / 10);
	ok(part.from == day + hour / 12 && part.to == day + hour / 6, "these into five minutes each");
	part = tree_part(&shape, 0, (struct tree_interval){ day, day + hour / 60 }, day + 40000 * MS);
	ok(part.from == day + 30000 * MS && part.to == day + 45000 * MS, "a minute into 15 seconds each");
	part = tree_part(&shape, 0, (struct tree_interval){ day, day + 15000 * MS }, day + 14000 * MS);
	ok(part.from == day + 10000 * MS && part.to == day + 15000 * MS, "these into 5 seconds each");
	part = tree_part(&shape, 0, (struct tree_interval){ day, day + 5000 * MS }, day + 4500 * MS);
	ok(part.from == day + 4000 * MS && part.to == day + 5000 * MS, "and these into seconds");
}

/* 6,000 samples a second apart: a node holds what its leaf may, or is split once more. */
static void
test_calendar_size(void)
{
	struct memory_tree m = { .batch = 100 };
	struct tree_shape shape = { .leaf = 50, .keep = 100, .split = 4, .rule = TREE_BY_CALENDAR };
	unsigned small = 0;

	for (unsigned i = 0; i < 6000; i++) {
		*array_push(&m.times) = i * 1000 * MS;
		*array_push(&m.types) = 1 + i % 7;
		*array_push(&m.weights) = 1;
	}
	ok(build(&m, &shape) && tree_is_sound(&m), "a calendar of 6,000 seconds builds");
	for (size_t n = 0; n < m.nodes.count; n++)
		small += m.nodes.at[n].form == STK_NODE_LEAF && m.nodes.at[n].samples < 15;
	ok(m.nodes.count < 600 && small == 0, "it has %zu nodes, and no leaf of a few samples (%u)", m.nodes.count, small);
	release(&m);
}

/* The root in four parts, each of these in five, and so on. */
static void
test_levels(void)
{
	struct memory_tree m = { .batch = 100 };
	struct tree_shape shape = { .leaf = 10, .keep = 100, .split = 4, .below = { 5, 2 } };
	unsigned of[4] = { 0 };

	ok(tree_split(&shape, 0) == 4 && tree_split(&shape, 1) == 5 && tree_split(&shape, 2) == 2 &&
		   tree_split(&shape, 9) == 2,
	   "each level has its N, and the last goes on");
	for (unsigned i = 0; i < 800; i++) {
		*array_push(&m.times) = i;
		*array_push(&m.types) = 1;
		*array_push(&m.weights) = 1;
	}
	ok(build(&m, &shape) && tree_is_sound(&m), "a tree with an N for each level builds");
	for (size_t n = 0; n < m.nodes.count; n++) {
		const struct stk_tree_node *node = &m.nodes.at[n];

		of[0] += node->length == 800 && node->children == 4;
		of[1] += node->length == 200 && node->children == 5;
		of[2] += node->length == 40 && node->children == 2;
		of[3] += node->length == 20 && node->children == 2;
	}
	ok(of[0] == 1 && of[1] == 4 && of[2] == 20 && of[3] == 40, "4 parts, 5 of each, 2 of these, 2 of those");
	release(&m);
}

int
main(void)
{
	test_selection();
	test_example();
	test_windows();
	test_edges();
	test_damage();
	test_calendar();
	test_calendar_size();
	test_levels();
	return tap_end();
}
