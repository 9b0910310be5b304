/* SPDX-License-Identifier: MIT
 * attribution: patterns that a frame matches, members that follow from them, and which group wins. */
#include "group/attribution.h"

#include "base/bytes.h"
#include "base/hash_map.h"
#include "base/memory.h"

#include <stdlib.h>
#include <string.h>
#include <xxhash.h>

/* What a frame matches: patterns by part, ascending; and members whose own parts it satisfies. Or only the group
 * that it belongs to. Of a frame of a library the only member is that of OF_LIBRARIES. */
struct frame { uint32_t patterns[MEMBER_PARTS], counts[MEMBER_PARTS], members, members_count, group; };

struct numbers { ARRAY(uint32_t) list; };

#define NOWHERE UINT32_MAX

/* How far a member's conditions on frames anywhere in the stack are met. Checked frame by frame they would cost the
 * stack's depth for each of its frames. */
struct reach {
	uint64_t stack;			/* for which this was computed */
	uint32_t gaps_end;		/* all runs before the last gap fit in this many frames from the root; 0 no
					 * gap */
	uint32_t under_end;		/* the first frame from the root that fits `under`, and one; NOWHERE */
	uint32_t over;			/* the frame nearest the leaf that fits `over`; NOWHERE */
};

/* What a name of a part matches, in the pool. Modules and files are few, and are in many frames. */
struct matched { uint64_t hash; uint32_t first, count; };

struct attribution {
	const struct scheme *scheme;
	ARRAY(struct frame) frames;		/* frame n at n - 1 */
	struct hash_map by_hash;
	ARRAY(uint64_t) hashes;
	ARRAY(uint32_t) pool;			/* patterns and members of frames */
	/* members by the first pattern that can select them, of the part that they begin with */
	struct numbers *members_of[MEMBER_PARTS];
	ARRAY(uint32_t) marks;			/* by member: the frame + 1 that was checked last */
	ARRAY(uint32_t) above;			/* by group: the round in which it was above another that is claimed */
	uint32_t round;
	ARRAY(struct reach) reaches;		/* by member */
	uint64_t stack;				/* how many stacks there were */
	struct pattern_set set;
	struct hash_map by_name;
	ARRAY(struct matched) names;
	ARRAY(uint32_t) of_groups;		/* by group: its own frame; 0: not asked yet */
};

/* The part by which a member is found: a method where it has one. */
static enum member_part
trigger_of(const struct scheme_member *member)
{
	return member->parts[PART_METHOD].patterns.count > 0 ? PART_METHOD
		: member->parts[PART_MODULE].patterns.count > 0 ? PART_MODULE : PART_FILE;
}

void
attribution_open(struct attribution **out, const struct scheme *scheme)
{
	struct attribution *a = *out = mem_new(1, sizeof *a);

	a->scheme = scheme;
	for (unsigned p = 0; p < MEMBER_PARTS; p++)
		a->members_of[p] = mem_new(name_automaton_patterns(scheme->names[p]) + 1, sizeof *a->members_of[p]);
	for (uint32_t m = 0; m < scheme->members.count; m++) {
		const struct scheme_member *member = &scheme->members.at[m];
		enum member_part part = trigger_of(member);

		for (size_t i = 0; i < member->parts[part].patterns.count; i++)
			*array_push(&a->members_of[part][member->parts[part].patterns.at[i]].list) = m;
	}
	array_lengthen(&a->marks, scheme->members.count);
	array_lengthen(&a->reaches, scheme->members.count);
}

void
attribution_close(struct attribution *a)
{
	if (a == NULL)
		return;
	for (unsigned p = 0; p < MEMBER_PARTS; p++) {
		for (uint32_t i = 0; i < name_automaton_patterns(a->scheme->names[p]); i++)
			array_release(&a->members_of[p][i].list);
		free(a->members_of[p]);
	}
	array_release(&a->frames);
	array_release(&a->hashes);
	array_release(&a->pool);
	array_release(&a->marks);
	array_release(&a->reaches);
	array_release(&a->set.list);
	array_release(&a->names);
	array_release(&a->above);
	array_release(&a->of_groups);
	hash_map_release(&a->by_name);
	hash_map_release(&a->by_hash);
	free(a);
}

/* --- frames --- */

static bool
has_pattern(const struct attribution *a, const struct frame *frame, const struct atom *atom)
{
	const uint32_t *patterns = a->pool.at + frame->patterns[atom->part];
	uint32_t count = frame->counts[atom->part];

	for (size_t i = 0; i < atom->patterns.count && count > 0; i++) {
		uint32_t pattern = atom->patterns.at[i], low = 0, high = count;

		while (high - low > 1) {
			uint32_t middle = low + (high - low) / 2;

			if (patterns[middle] <= pattern)
				low = middle;
			else
				high = middle;
		}
		if (patterns[low] == pattern)
			return true;
	}
	return false;
}

static bool
satisfies(const struct attribution *a, const struct frame *frame, const struct scheme_member *member)
{
	for (unsigned p = 0; p < MEMBER_PARTS; p++)
		if (member->parts[p].patterns.count > 0 && !has_pattern(a, frame, &member->parts[p]))
			return false;
	return true;
}

static int
compare_numbers(const void *a, const void *b)
{
	uint32_t x = *(const uint32_t *)a, y = *(const uint32_t *)b;

	return (x > y) - (x < y);
}

static void
find_members(struct attribution *a, struct frame *frame, uint32_t mark)
{
	frame->members = (uint32_t)a->pool.count;
	for (unsigned p = 0; p < MEMBER_PARTS; p++) {
		for (uint32_t i = 0; i < frame->counts[p]; i++) {
			uint32_t pattern = a->pool.at[frame->patterns[p] + i];

			for (size_t k = 0; k < a->members_of[p][pattern].list.count; k++) {
				uint32_t member = a->members_of[p][pattern].list.at[k];

				if (a->marks.at[member] == mark || !satisfies(a, frame, &a->scheme->members.at[member]))
					continue;
				a->marks.at[member] = mark;
				*array_push(&a->pool) = member;
			}
		}
	}
	frame->members_count = (uint32_t)a->pool.count - frame->members;
	if (frame->members_count > 1)
		qsort(a->pool.at + frame->members, frame->members_count, sizeof *a->pool.at, compare_numbers);
}

/* Makes the first member that says that the frame is of a library its only one; without such a member it keeps all
 * that are of groups. Pseudo frames are of no program, and so of no library, whatever a pattern such as * says. */
static void
pass_over_libraries(struct attribution *a, struct frame *frame, struct stk_text module)
{
	uint32_t *members = a->pool.at + frame->members, kept = 0;
	bool pseudo = text_is(module, MODULE_OF_THREADS) || text_is(module, MODULE_OF_STATES);

	for (uint32_t i = 0; i < frame->members_count; i++) {
		bool library = a->scheme->members.at[members[i]].group == OF_LIBRARIES;

		if (library && !pseudo) {
			members[0] = members[i];
			kept = 1;
			break;
		}
		if (!library)
			members[kept++] = members[i];
	}
	frame->members_count = kept;
}

/* A name is matched once for each part; of a part for which there are no patterns not at all. */
static const struct matched *
match(struct attribution *a, unsigned part, struct stk_text name)
{
	static const struct matched nothing;
	uint64_t hash;
	uint32_t at, known;

	if (name_automaton_patterns(a->scheme->names[part]) == 0)
		return &nothing;
	hash = XXH3_64bits_withSeed(name.data, name.size, part);
	at = hash_map_start(&a->by_name, hash);
	while ((known = hash_map_next(&a->by_name, hash, &at)) != 0)
		if (a->names.at[known - 1].hash == hash)
			return &a->names.at[known - 1];
	/* * is any module, also where none is known */
	name_automaton_match(a->scheme->names[part], name, &a->set);
	*array_push(&a->names) = (struct matched){ hash, (uint32_t)a->pool.count, (uint32_t)a->set.list.count };
	for (size_t i = 0; i < a->set.list.count; i++)
		*array_push(&a->pool) = a->set.list.at[i];
	hash_map_put(&a->by_name, hash, (uint32_t)a->names.count);
	return &a->names.at[a->names.count - 1];
}

uint32_t
attribution_frame(struct attribution *a, const struct frame_parts *parts)
{
	const struct stk_text texts[MEMBER_PARTS] = {
		[PART_METHOD] = parts->method, [PART_MODULE] = parts->module, [PART_FILE] = parts->file
	};
	uint64_t hash = 0;
	uint32_t at, known, number;
	struct frame frame = { 0 };

	for (unsigned p = 0; p < MEMBER_PARTS; p++)
		hash = XXH3_64bits_withSeed(texts[p].data, texts[p].size, hash + p + 1);
	at = hash_map_start(&a->by_hash, hash);
	while ((known = hash_map_next(&a->by_hash, hash, &at)) != 0)
		if (a->hashes.at[known - 1] == hash)		/* 64 bits of it: names are not kept */
			return known;
	for (unsigned p = 0; p < MEMBER_PARTS; p++) {
		const struct matched *matched = match(a, p, texts[p]);

		frame.patterns[p] = matched->first;
		frame.counts[p] = matched->count;
	}
	number = (uint32_t)a->frames.count + 1;
	find_members(a, &frame, number);
	pass_over_libraries(a, &frame, parts->module);
	*array_push(&a->frames) = frame;
	*array_push(&a->hashes) = hash;
	hash_map_put(&a->by_hash, hash, number);
	return number;
}

bool
attribution_is_library(const struct attribution *a, uint32_t number, uint32_t *member)
{
	const struct frame *frame = &a->frames.at[number - 1];

	if (frame->members_count != 1)
		return false;
	*member = a->pool.at[frame->members];
	return a->scheme->members.at[*member].group == OF_LIBRARIES;
}

uint32_t
attribution_frame_of_group(struct attribution *a, uint32_t group)
{
	array_lengthen(&a->of_groups, a->scheme->groups.count + 1);
	if (a->of_groups.at[group] == 0) {
		*array_push(&a->frames) = (struct frame){ .group = group };
		*array_push(&a->hashes) = 0;		/* never looked up */
		a->of_groups.at[group] = (uint32_t)a->frames.count;
	}
	return a->of_groups.at[group];
}

/* --- stacks --- */

static bool
frame_has(const struct attribution *a, uint32_t frame, const struct atom *atom)
{
	return frame != 0 && has_pattern(a, &a->frames.at[frame - 1], atom);
}

/* Whether `count` atoms match the frames from `at` on, one each. */
static bool
run_fits(const struct attribution *a, const uint32_t *frames, uint32_t at, const struct atom *atoms, uint32_t count)
{
	for (uint32_t i = 0; i < count; i++)
		if (!frame_has(a, frames[at + i], &atoms[i]))
			return false;
	return true;
}

/* The end of the first place at or after `from` where a run of atoms matches; NOWHERE when there is none. */
static uint32_t
first_end(const struct attribution *a, const uint32_t *frames, uint32_t count, uint32_t from, const struct atom *atoms,
	  uint32_t atoms_count)
{
	for (uint32_t at = from; atoms_count <= count && at <= count - atoms_count; at++)
		if (run_fits(a, frames, at, atoms, atoms_count))
			return at + atoms_count;
	return NOWHERE;
}

static uint32_t
last_place(const struct attribution *a, const uint32_t *frames, uint32_t count, const struct atom *atom)
{
	while (count > 0 && !frame_has(a, frames[count - 1], atom))
		count--;
	return count == 0 ? NOWHERE : count - 1;
}

/* How many atoms at the end of a sequence, before its last frame, must be adjacent to that frame: those after its last
 * gap. */
static uint32_t
last_run(const struct scheme_member *member)
{
	uint32_t count = 0, atoms = (uint32_t)member->before.count;

	while (count < atoms && !member->gap.at[atoms - 1 - count])
		count++;
	return count;
}

/* Where the runs before the last gap of a sequence can end at the earliest. Each is taken at its first place: a later
 * one never leaves more room for the rest, so there is no backtracking. */
static uint32_t
gaps_end(const struct attribution *a, const uint32_t *frames, uint32_t count, const struct scheme_member *member)
{
	uint32_t end = 0, atoms = (uint32_t)member->before.count - last_run(member);

	for (uint32_t from = 0, next; from < atoms && end != NOWHERE; from = next) {
		for (next = from + 1; !member->gap.at[next - 1]; next++)
			continue;
		end = first_end(a, frames, count, end, member->before.at + from, next - from);
	}
	return end;
}

/* What is true of a member at every frame of the current stack, computed when the first frame needs it. */
static const struct reach *
reach_of(struct attribution *a, const uint32_t *frames, uint32_t count, uint32_t number)
{
	const struct scheme_member *member = &a->scheme->members.at[number];
	struct reach *reach = &a->reaches.at[number];

	if (reach->stack == a->stack)
		return reach;
	*reach = (struct reach){ .stack = a->stack, .gaps_end = gaps_end(a, frames, count, member) };
	if (member->contexts[CONTEXT_UNDER].patterns.count > 0)
		reach->under_end = first_end(a, frames, count, 0, &member->contexts[CONTEXT_UNDER], 1);
	if (member->contexts[CONTEXT_OVER].patterns.count > 0)
		reach->over = last_place(a, frames, count, &member->contexts[CONTEXT_OVER]);
	return reach;
}

/* The frames before the last one of a sequence: those after the last gap end at it, the others anywhere before
 * these. */
static bool
sequence_fits(const struct attribution *a, const uint32_t *frames, uint32_t at, const struct scheme_member *member,
	      const struct reach *reach)
{
	uint32_t run = last_run(member);

	return run <= at && reach->gaps_end <= at - run &&
		run_fits(a, frames, at - run, member->before.at + member->before.count - run, run);
}

static bool
asks_far(const struct scheme_member *member)
{
	return member->before.count > 0 || member->contexts[CONTEXT_UNDER].patterns.count > 0 ||
		member->contexts[CONTEXT_OVER].patterns.count > 0;
}

static bool
context_holds(struct attribution *a, const uint32_t *frames, uint32_t count, uint32_t at, uint32_t number)
{
	const struct scheme_member *member = &a->scheme->members.at[number];
	const struct atom *c = member->contexts;
	const struct reach *reach;

	if (c[CONTEXT_CALLER].patterns.count > 0 && (at == 0 || !frame_has(a, frames[at - 1], &c[CONTEXT_CALLER])))
		return false;
	if (c[CONTEXT_CALLEE].patterns.count > 0 &&
	    (at + 1 == count || !frame_has(a, frames[at + 1], &c[CONTEXT_CALLEE])))
		return false;
	if (!asks_far(member))
		return true;
	reach = reach_of(a, frames, count, number);
	return (member->before.count == 0 || sequence_fits(a, frames, at, member, reach)) &&
		(c[CONTEXT_UNDER].patterns.count == 0 || reach->under_end <= at) &&
		(c[CONTEXT_OVER].patterns.count == 0 || (reach->over != NOWHERE && reach->over > at));
}

/* One claim per frame and group, by the first member. */
static void
gather(struct attribution *a, const uint32_t *frames, uint32_t count, uint32_t at, struct claims *to)
{
	const struct frame *frame = &a->frames.at[frames[at] - 1];
	size_t first = to->list.count;
	uint32_t library;

	if (frame->group != 0)
		*array_push(&to->list) = (struct claim){ .group = frame->group, .depth = at };
	if (attribution_is_library(a, frames[at], &library))
		return;
	for (uint32_t i = 0; i < frame->members_count; i++) {
		uint32_t number = a->pool.at[frame->members + i];
		uint32_t group = a->scheme->members.at[number].group;
		bool known = false;

		for (size_t k = first; k < to->list.count; k++)
			known |= to->list.at[k].group == group;
		if (!known && context_holds(a, frames, count, at, number))
			*array_push(&to->list) = (struct claim){ group, number, at, false };
	}
}

static int64_t
priority_of(const struct attribution *a, const struct claim *claim)
{
	return a->scheme->groups.at[claim->group - 1].priority;
}

/* Marks the ancestors of groups that are claimed with the highest priority: they are overruled. */
static void
mark_above(struct attribution *a, const struct claims *claims, int64_t highest)
{
	array_lengthen(&a->above, a->scheme->groups.count + 1);
	a->round++;
	for (size_t i = 0; i < claims->list.count; i++) {
		uint32_t group = claims->list.at[i].group;

		if (priority_of(a, &claims->list.at[i]) != highest)
			continue;
		while ((group = a->scheme->groups.at[group - 1].parent) != 0 && a->above.at[group] != a->round)
			a->above.at[group] = a->round;
	}
}

static unsigned
depth_of(const struct scheme *scheme, uint32_t group)
{
	unsigned depth = 0;

	for (; group != 0; group = scheme->groups.at[group - 1].parent)
		depth++;
	return depth;
}

/* Whether two groups are siblings, or are below siblings. */
static bool
exclude_each_other(const struct scheme *scheme, uint32_t a, uint32_t b)
{
	unsigned x = depth_of(scheme, a), y = depth_of(scheme, b);

	for (; x > y; x--)
		a = scheme->groups.at[a - 1].parent;
	for (; y > x; y--)
		b = scheme->groups.at[b - 1].parent;
	while (a != b && scheme->groups.at[a - 1].parent != scheme->groups.at[b - 1].parent) {
		a = scheme->groups.at[a - 1].parent;
		b = scheme->groups.at[b - 1].parent;
	}
	return a != b && scheme->groups.at[a - 1].exclusive && scheme->groups.at[b - 1].exclusive;
}

/* Of several at one frame all win, except that of siblings only the first in the file does. */
static void
settle_siblings(const struct attribution *a, struct claims *claims)
{
	for (size_t i = 0; i < claims->list.count; i++)
		for (size_t k = 0; k < claims->list.count && claims->list.at[i].won; k++)
			if (claims->list.at[k].won && claims->list.at[k].group < claims->list.at[i].group &&
			    exclude_each_other(a->scheme, claims->list.at[k].group, claims->list.at[i].group))
				claims->list.at[i].won = false;
}

static void
decide(struct attribution *a, struct claims *claims)
{
	int64_t highest = INT64_MIN;
	uint32_t deepest = 0;

	for (size_t i = 0; i < claims->list.count; i++)
		highest = priority_of(a, &claims->list.at[i]) > highest ? priority_of(a, &claims->list.at[i]) : highest;
	mark_above(a, claims, highest);
	for (size_t i = 0; i < claims->list.count; i++) {
		struct claim *claim = &claims->list.at[i];

		claim->won = priority_of(a, claim) == highest && a->above.at[claim->group] != a->round;
		if (claim->won && claim->depth > deepest)
			deepest = claim->depth;
	}
	for (size_t i = 0; i < claims->list.count; i++)
		claims->list.at[i].won &= claims->list.at[i].depth == deepest;
	settle_siblings(a, claims);
}

void
attribution_claims(struct attribution *a, const uint32_t *frames, uint32_t count, struct claims *to)
{
	to->list.count = 0;
	a->stack++;
	for (uint32_t at = 0; at < count; at++)
		if (frames[at] != 0)
			gather(a, frames, count, at, to);
	if (to->list.count > 0)
		decide(a, to);
}

void
attribution_of_frames(struct attribution *a, const uint32_t *frames, uint32_t count, uint32_t *groups)
{
	struct claims claims = { 0 };

	a->stack++;
	for (uint32_t at = 0; at < count; at++) {
		groups[at] = 0;
		claims.list.count = 0;
		if (frames[at] != 0)
			gather(a, frames, count, at, &claims);
		if (claims.list.count > 0)
			decide(a, &claims);
		for (size_t i = 0; i < claims.list.count && groups[at] == 0; i++)
			if (claims.list.at[i].won)
				groups[at] = claims.list.at[i].group;
	}
	array_release(&claims.list);
}
