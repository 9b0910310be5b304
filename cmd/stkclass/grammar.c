/* SPDX-License-Identifier: MIT
 * grammar: classes and segments as production rules, and the parse of a stack step by step. */
#include "views.h"

#include "base/bytes.h"

#include <stdlib.h>

/* --- the rules --- */

static void
add_threads(const struct view_of *of, struct text_buffer *to)
{
	for (uint32_t id = 1; id <= classifier_classes(of->classifier); id++) {
		add_format(to, "Thread%u -> ", id);
		add_signature(of->names, id, (struct signature_marks){ "(", ")", "" }, to);
		add_char(to, '\n');
	}
}

static void
add_inner(const struct view_of *of, struct text_buffer *to)
{
	const struct segments *segments = classifier_segments(of->classifier);

	for (uint32_t id = 1; id <= segments_count(segments); id++) {
		struct segment is = segments_get(segments, id);

		if (is.first == 0)
			continue;
		add_char(to, '(');
		add_segment_name(of->names, id, to);
		add_string(to, ") -> (");
		add_segment_name(of->names, is.first, to);
		add_string(to, ")(");
		add_segment_name(of->names, is.second, to);
		add_string(to, ")\n");
	}
}

struct rule { size_t from, size, name; };	/* of a leaf, in a text; name: bytes of it */

static int
by_name(const void *a, const void *b, void *context)
{
	const struct rule *x = a, *y = b;
	const struct text_buffer *text = context;

	if (x->name != y->name)
		return (x->name > y->name) - (x->name < y->name);
	return memcmp(text->at + x->from, text->at + y->from, x->name);
}

/* In the order of their names, shorter ones first: A to Z, then AA. */
static void
add_leaves(const struct view_of *of, struct text_buffer *to)
{
	const struct segments *segments = classifier_segments(of->classifier);
	ARRAY(struct rule) rules = { 0 };
	struct text_buffer text = { 0 };

	for (uint32_t id = 1; id <= segments_count(segments); id++) {
		struct rule *rule;

		if (segments_get(segments, id).first != 0)
			continue;
		rule = array_push(&rules);
		rule->from = text.count;
		add_segment_name(of->names, id, &text);
		rule->name = text.count - rule->from;
		add_string(&text, " -> ");
		add_frames(of->classifier, id, ' ', &text);
		rule->size = text.count - rule->from;
	}
	if (rules.count > 0)
		qsort_r(rules.at, rules.count, sizeof *rules.at, by_name, &text);
	for (size_t i = 0; i < rules.count; i++) {
		add_bytes(to, text.at + rules.at[i].from, rules.at[i].size);
		add_char(to, '\n');
	}
	array_release(&rules);
	array_release(&text);
}

void
view_grammar(const struct view_of *of, struct text_buffer *to)
{
	add_threads(of, to);
	add_inner(of, to);
	add_leaves(of, to);
}

/* --- a parse --- */

struct parse {
	const struct view_of *of;
	struct text_buffer *to;
	ARRAY(struct stk_text) frames;
	ARRAY(uint32_t) trace;
};

static void
tell_step(void *context, const uint32_t *nodes, size_t count, uint32_t taken)
{
	struct parse *parse = context;

	for (size_t i = 0; i < count; i++) {
		add_char(parse->to, '(');
		add_segment_name(parse->of->names, nodes[i], parse->to);
		add_char(parse->to, ')');
	}
	for (size_t i = taken; i < parse->frames.count; i++) {
		add_char(parse->to, ' ');
		add_escaped(parse->to, parse->frames.at[i]);
	}
	add_char(parse->to, '\n');
}

/* The frames between semicolons, and their numbers in the classifier: 0 for unknown ones. */
static void
read_stack(struct parse *parse, const char *stack)
{
	for (const char *at = stack; ; at++) {
		size_t size = strcspn(at, ";");

		*array_push(&parse->frames) = text_of(at, size);
		*array_push(&parse->trace) = classifier_frame_find(parse->of->classifier, text_of(at, size));
		at += size;
		if (*at == '\0')
			return;
	}
}

static void
tell_classes(struct parse *parse)
{
	struct classifier *c = parse->of->classifier;
	uint32_t stack = 0, found = 0;

	for (size_t i = 0; i < parse->trace.count; i++)
		stack = parse->trace.at[i] == 0 ? 0 : classifier_stack(c, stack, parse->trace.at[i]);
	for (uint32_t id = 1; id <= classifier_classes(c); id++)
		if (classifier_get(c, id)->stack == stack) {
			add_format(parse->to, "Thread%u", id);
			if (classifier_get(c, id)->part != 0) {
				add_char(parse->to, ' ');
				add_escaped(parse->to, classifier_part_text(c, classifier_get(c, id)->part));
			}
			add_char(parse->to, '\n');
			found++;
		}
	if (found == 0)
		add_string(parse->to, "no class: such a stack was not seen, though all of its segments were\n");
}

void
view_explanation(const struct view_of *of, const char *stack, struct text_buffer *to)
{
	struct parse parse = { .of = of, .to = to };
	struct number_list signature = { 0 };

	read_stack(&parse, stack);
	tell_step(&parse, NULL, 0, 0);
	if (segments_trace_parse(classifier_segments(of->classifier), parse.trace.at, (uint32_t)parse.trace.count,
				 &signature, tell_step, &parse))
		tell_classes(&parse);
	else
		add_string(to, "no class: here it is like no stack that was seen\n");
	array_release(&signature);
	array_release(&parse.frames);
	array_release(&parse.trace);
}
