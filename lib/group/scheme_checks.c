/* SPDX-License-Identifier: MIT
 * scheme_checks: what a scheme says of stacks written by hand: its own examples, and one to explain; and which of its
 * parts have no effect. */
#include "group/scheme_checks.h"

#include "base/memory.h"

#include <stdlib.h>
#include <string.h>

/* "function (module)" or "function": as text formats write a frame. */
static struct frame_parts
parts_of(struct stk_text text)
{
	struct frame_parts parts = { text, text_of("", 0), text_of("", 0) };
	const char *open = text.size > 3 && text.data[text.size - 1] == ')' ? memrchr(text.data, '(', text.size) : NULL;

	if (open == NULL || open == text.data || open[-1] != ' ')
		return parts;
	parts.method.size = (size_t)(open - 1 - text.data);
	parts.module = text_of(open + 1, (size_t)(text.data + text.size - 1 - (open + 1)));
	return parts;
}

struct frames { ARRAY(uint32_t) numbers; ARRAY(struct stk_text) texts; };

static void
read_stack(struct attribution *attribution, struct stk_text stack, struct frames *to)
{
	const char *at = stack.data, *end = at + stack.size;
	struct stk_text module = text_of("", 0);

	to->numbers.count = to->texts.count = 0;
	while (at < end) {
		const char *stop = memchr(at, ';', (size_t)(end - at));
		struct stk_text text = text_of(at, (size_t)((stop == NULL ? end : stop) - at));
		struct frame_parts parts;

		while (text.size > 0 && text.data[0] == ' ')
			text = text_of(text.data + 1, text.size - 1);
		while (text.size > 0 && text.data[text.size - 1] == ' ')
			text.size--;
		parts = parts_of(text);
		if (text_is(parts.module, MODULE_OF_INLINED))
			parts.module = module;		/* as in a recording: of the function that it is part of */
		else
			module = parts.module;
		*array_push(&to->texts) = text;
		*array_push(&to->numbers) = attribution_frame(attribution, &parts);
		at = stop == NULL ? end : stop + 1;
	}
}

static void
release_frames(struct frames *frames)
{
	array_release(&frames->numbers);
	array_release(&frames->texts);
}

static void
add_place(struct text_buffer *to, const struct scheme *scheme, uint32_t file, uint32_t line)
{
	add_masked(to, scheme->files.at[file]);
	add_char(to, ':');
	add_unsigned(to, line);
}

static void
add_winners(struct text_buffer *to, const struct scheme *scheme, const struct claims *claims)
{
	bool any = false;

	for (size_t i = 0; i < claims->list.count; i++) {
		if (!claims->list.at[i].won)
			continue;
		if (any)
			add_string(to, ", ");
		add_masked(to, scheme->groups.at[claims->list.at[i].group - 1].path);
		any = true;
	}
	if (!any)
		add_string(to, "(none)");
}

/* --- examples --- */

unsigned
scheme_check_examples(const struct scheme *scheme, usual_names *usual, struct text_buffer *to)
{
	struct attribution *attribution;
	struct frames frames = { 0 };
	struct claims claims = { 0 };
	struct text_buffer got = { 0 }, stack = { 0 }, names = { 0 };
	unsigned wrong = 0;

	attribution_open(&attribution, scheme);
	for (size_t e = 0; e < scheme->examples.count; e++) {
		const struct scheme_example *example = &scheme->examples.at[e];

		stack.count = names.count = 0;
		add_text(&stack, example->stack);
		add_char(&stack, '\0');
		usual(&names, stack.at);
		read_stack(attribution, text_from(names.at), &frames);
		attribution_claims(attribution, frames.numbers.at, (uint32_t)frames.numbers.count, &claims);
		got.count = 0;
		add_winners(&got, scheme, &claims);
		if (text_equal(text_in(&got, 0), example->group))
			continue;
		wrong++;
		add_place(to, scheme, example->file, example->line);
		add_string(to, ": ");
		add_masked(to, example->stack);
		add_string(to, " goes to ");
		add_text(to, text_in(&got, 0));
		add_string(to, ", the example says ");
		add_masked(to, example->group);
		add_char(to, '\n');
	}
	attribution_close(attribution);
	release_frames(&frames);
	array_release(&claims.list);
	array_release(&got);
	array_release(&stack);
	array_release(&names);
	return wrong;
}

/* --- explanation --- */

static void
add_reason(struct text_buffer *to, const struct scheme *scheme, const struct claims *claims, const struct claim *claim)
{
	const struct scheme_group *group = &scheme->groups.at[claim->group - 1];
	uint32_t deepest = 0;

	for (size_t i = 0; i < claims->list.count; i++) {
		const struct claim *other = &claims->list.at[i];
		const struct scheme_group *its = &scheme->groups.at[other->group - 1];

		if (its->priority > group->priority) {
			add_format(to, "lost: a group of priority %lld is there", (long long)its->priority);
			return;
		}
		if (other->group != claim->group && scheme_is_below(scheme, other->group, claim->group) &&
		    its->priority == group->priority) {
			add_string(to, "lost: ");
			add_masked(to, its->path);
			add_string(to, " is below it");
			return;
		}
		deepest = other->won ? other->depth : deepest;
	}
	add_string(to, claim->depth < deepest ? "lost: another is nearer to the leaf"
		   : "lost: a sibling before it has the frame");
}

/* The line for scripts: the group that a claim is of, or none; and where the claim is written. */
static void
add_verdict(struct text_buffer *to, const struct scheme *scheme, const struct claim *claim)
{
	const struct scheme_member *member = &scheme->members.at[claim->member];

	add_masked(to, claim->won ? scheme->groups.at[claim->group - 1].path : text_from("(none)"));
	add_char(to, '\t');
	add_place(to, scheme, member->file, member->line);
	add_char(to, '\n');
}

static void
add_claim(struct text_buffer *to, const struct scheme *scheme, const struct claims *claims, const struct claim *claim,
	  struct stk_text frame)
{
	const struct scheme_member *member = &scheme->members.at[claim->member];

	add_string(to, "  ");
	add_masked(to, scheme->groups.at[claim->group - 1].path);
	add_char(to, '\t');
	add_place(to, scheme, member->file, member->line);
	add_char(to, '\t');
	add_masked(to, frame);
	add_char(to, '\t');
	if (claim->won)
		add_string(to, "won");
	else
		add_reason(to, scheme, claims, claim);
	add_char(to, '\n');
}

static void
add_passed_over(struct text_buffer *to, struct grouping *grouping, const struct frames *frames)
{
	const struct scheme *scheme = grouping_scheme(grouping);
	uint32_t number;

	for (size_t i = 0; i < frames->numbers.count; i++) {
		if (!attribution_is_library(grouping_attribution(grouping), frames->numbers.at[i], &number))
			continue;
		add_string(to, "  (library)\t");
		add_place(to, scheme, scheme->members.at[number].file, scheme->members.at[number].line);
		add_char(to, '\t');
		add_masked(to, frames->texts.at[i]);
		add_string(to, "\tpassed over: a frame of a library\n");
	}
}

void
scheme_explain(struct grouping *grouping, const char *stack, struct text_buffer *to)
{
	const struct scheme *scheme = grouping_scheme(grouping);
	struct frames frames = { 0 };
	struct claims claims = { 0 };
	bool any = false;

	read_stack(grouping_attribution(grouping), text_from(stack), &frames);
	attribution_claims(grouping_attribution(grouping), frames.numbers.at, (uint32_t)frames.numbers.count, &claims);
	for (int won = 1; won >= 0; won--)
		for (size_t i = 0; i < claims.list.count; i++) {
			const struct claim *claim = &claims.list.at[i];

			if (claim->won != (won == 1))
				continue;
			if (!any)
				add_verdict(to, scheme, claim);
			any = true;
			add_claim(to, scheme, &claims, claim, frames.texts.at[claim->depth]);
		}
	if (!any) {
		add_string(to, "(none)\t");
		add_masked(to, scheme->files.at[0]);
		add_string(to, ":0\n  no member of any group names a frame of it\n");
	}
	add_passed_over(to, grouping, &frames);
	release_frames(&frames);
	array_release(&claims.list);
}

/* --- lint --- */

static unsigned
finding(struct text_buffer *to, const struct scheme *scheme, uint32_t file, uint32_t line, struct stk_text group,
	const char *what)
{
	add_place(to, scheme, file, line);
	add_string(to, ": ");
	add_masked(to, group);
	add_string(to, ": ");
	add_string(to, what);
	add_char(to, '\n');
	return 1;
}

static bool
same_atom(const struct atom *a, const struct atom *b)
{
	return a->patterns.count == b->patterns.count &&
		(a->patterns.count == 0 || memcmp(a->patterns.at, b->patterns.at,
						  a->patterns.count * sizeof *a->patterns.at) == 0);
}

static bool
same_member(const struct scheme_member *a, const struct scheme_member *b)
{
	for (unsigned p = 0; p < MEMBER_PARTS; p++)
		if (!same_atom(&a->parts[p], &b->parts[p]))
			return false;
	for (unsigned c = 0; c < CONTEXTS; c++)
		if (!same_atom(&a->contexts[c], &b->contexts[c]))
			return false;
	return a->before.count == 0 && b->before.count == 0;
}

/* A member that names exactly one method without wildcards, and nothing else. */
static bool
single_method(const struct scheme *scheme, const struct scheme_member *member, struct stk_text *method)
{
	bool bare = member->parts[PART_METHOD].patterns.count == 1 && member->parts[PART_MODULE].patterns.count == 0 &&
		member->parts[PART_FILE].patterns.count == 0 && member->before.count == 0;

	for (unsigned c = 0; c < CONTEXTS; c++)
		bare &= member->contexts[c].patterns.count == 0;
	if (!bare)
		return false;
	*method = name_automaton_pattern(scheme->names[PART_METHOD], member->parts[PART_METHOD].patterns.at[0]);
	return memchr(method->data, '*', method->size) == NULL && method->data[0] != '/' &&
		memchr(method->data, '{', method->size) == NULL;
}

/* A frame of the member's method belongs elsewhere whatever is around it. */
static bool
is_shadowed(struct attribution *attribution, const struct scheme_member *member, struct stk_text method)
{
	struct frame_parts parts = { method, text_of("", 0), text_of("", 0) };
	uint32_t frame = attribution_frame(attribution, &parts);
	struct claims claims = { 0 };
	bool won = false;

	attribution_claims(attribution, &frame, 1, &claims);
	for (size_t i = 0; i < claims.list.count; i++)
		won |= claims.list.at[i].won && claims.list.at[i].group == member->group;
	array_release(&claims.list);
	return !won;
}

/* A name of a pattern that has in the places of its wildcards what nobody writes, so that other patterns that match it
 * have wildcards there. False: of alternatives and expressions there is no such name. */
static bool
make_name_of(struct stk_text pattern, struct text_buffer *to)
{
	to->count = 0;
	if (pattern.data[0] == '/' || memchr(pattern.data, '{', pattern.size) != NULL ||
	    memchr(pattern.data, '\\', pattern.size) != NULL)
		return false;
	for (size_t i = 0; i < pattern.size; i++)
		if (pattern.data[i] != '*')
			add_char(to, pattern.data[i]);
		else if (i == 0 || pattern.data[i - 1] != '*')
			add_string(to, "\1.\1/\1:\1");
	return true;
}

/* Whether all frames of a member are of libraries; a member of one part only, others are not looked into. */
static bool
is_of_libraries(struct attribution *attribution, const struct scheme *scheme, const struct scheme_member *member)
{
	struct text_buffer name = { 0 };
	unsigned parts = 0, only = 0;
	bool all = true;

	for (unsigned p = 0; p < MEMBER_PARTS; p++)
		if (member->parts[p].patterns.count > 0) {
			parts++;
			only = p;
		}
	for (size_t i = 0; parts == 1 && all && i < member->parts[only].patterns.count; i++) {
		struct stk_text texts[MEMBER_PARTS] = { { "", 0 }, { "", 0 }, { "", 0 } };
		struct frame_parts frame;
		uint32_t number;

		all = make_name_of(name_automaton_pattern(scheme->names[only], member->parts[only].patterns.at[i]),
				   &name);
		texts[only] = text_in(&name, 0);
		frame = (struct frame_parts){ texts[PART_METHOD], texts[PART_MODULE], texts[PART_FILE] };
		all = all && attribution_is_library(attribution, attribution_frame(attribution, &frame), &number);
	}
	array_release(&name);
	return parts == 1 && all;
}

/* The same member before this one; NULL: there is none. Far apart nobody writes the same twice by mistake. */
static const struct scheme_member *
twin_of(const struct scheme *scheme, uint32_t m)
{
	for (uint32_t k = m > 2000 ? m - 2000 : 0; k < m; k++)
		if (same_member(&scheme->members.at[m], &scheme->members.at[k]))
			return &scheme->members.at[k];
	return NULL;
}

static unsigned
check_library(const struct scheme *scheme, uint32_t m, struct text_buffer *to)
{
	const struct scheme_member *member = &scheme->members.at[m], *twin = twin_of(scheme, m);

	if (twin == NULL || twin->group != OF_LIBRARIES)
		return 0;
	return finding(to, scheme, member->file, member->line, text_from("libraries"), "the same library is here twice");
}

static unsigned
check_members(struct grouping *grouping, struct text_buffer *to)
{
	const struct scheme *scheme = grouping_scheme(grouping);
	unsigned found = 0;

	for (uint32_t m = 0; m < scheme->members.count; m++) {
		const struct scheme_member *member = &scheme->members.at[m], *twin = twin_of(scheme, m);
		struct stk_text group, method;

		if (member->group == OF_LIBRARIES) {
			found += check_library(scheme, m, to);
			continue;
		}
		group = scheme->groups.at[member->group - 1].path;
		if (is_of_libraries(grouping_attribution(grouping), scheme, member)) {
			found += finding(to, scheme, member->file, member->line, group,
					 "of libraries: all frames of this member are passed over");
			continue;
		}
		if (twin != NULL && twin->group == member->group)
			found += finding(to, scheme, member->file, member->line, group,
					 "the same member is here twice");
		if (twin != NULL && twin->group != member->group && twin->group != OF_LIBRARIES)
			found += finding(to, scheme, member->file, member->line, group,
					 "overlapping: another group has the same member");
		if (single_method(scheme, member, &method) &&
		    is_shadowed(grouping_attribution(grouping), member, method))
			found += finding(to, scheme, member->file, member->line, group,
					 "shadowed: another group takes this frame whenever it comes");
	}
	return found;
}

unsigned
scheme_check_use(struct grouping *grouping, bool with_data, struct text_buffer *to)
{
	const struct scheme *scheme = grouping_scheme(grouping);
	unsigned found = check_members(grouping, to);
	size_t count;
	const struct group_sum *sums = grouping_sums(grouping, &count);

	for (uint32_t g = 1; g <= scheme->groups.count; g++) {
		const struct scheme_group *group = &scheme->groups.at[g - 1];
		bool children = false, used = false;

		for (size_t k = 0; k < scheme->groups.count; k++)
			children |= scheme->groups.at[k].parent == g;
		if (group->members == 0 && !children && group->start.size == 0 && group->point.size == 0)
			found += finding(to, scheme, group->file, group->line, group->path,
					 "unreachable: it has neither members, nor children, nor events");
		for (size_t i = 0; i < count; i++)
			used |= sums[i].group != 0 && scheme_is_below(scheme, sums[i].group, g);
		if (with_data && !used && (group->members > 0 || children))
			found += finding(to, scheme, group->file, group->line, group->path,
					 "unused: no sample here belongs to it");
	}
	return found;
}
