/* SPDX-License-Identifier: MIT
 * recorded_groups: groups by scheme and id with their paths; and by stack and state a chain of those it is in. */
#include "model/recorded_groups.h"

#include "base/arena.h"
#include "base/array.h"
#include "base/bytes.h"
#include "base/hash_map.h"
#include "base/id_table.h"
#include "base/memory.h"
#include "base/text_buffer.h"
#include "base/text_table.h"
#include "model/state_stack.h"
#include "stkpipe/rows.h"

#include <stdlib.h>

#define GROUPS_MOST 1000000
#define DEPTH_MOST  64

struct known_group { uint64_t scheme, id; struct stk_text name, path; uint32_t parent; };	/* parent: from 1 */

/* Of a stack in a state, or of a thread; next: of the same one, from 1. group: 0: none of the scheme. */
struct membership { uint64_t scheme; uint32_t group, next; };

struct recorded_groups {
	struct arena texts;
	ARRAY(struct known_group) list;
	struct hash_map map;			/* by scheme and id: places in list, from 1 */
	ARRAY(struct membership) members;
	struct id_table of_stack;		/* uint32_t by state_stack: place in members, from 1 */
	struct id_table of_thread;		/* the same by thread, of those without a stack */
	struct text_buffer path;
	bool missed_threads, missed_stacks;
};

void
recorded_groups_open(struct recorded_groups **out)
{
	*out = mem_new(1, sizeof **out);
	(*out)->of_stack.size = (*out)->of_thread.size = sizeof(uint32_t);
}

static void
forget(struct recorded_groups *groups)
{
	arena_release(&groups->texts);
	groups->list.count = groups->members.count = 0;
	hash_map_release(&groups->map);
	id_table_clear(&groups->of_stack);
	id_table_clear(&groups->of_thread);
}

void
recorded_groups_close(struct recorded_groups *groups)
{
	if (groups == NULL)
		return;
	forget(groups);
	array_release(&groups->list);
	array_release(&groups->members);
	array_release(&groups->path);
	free(groups);
}

/* --- taking --- */

/* Its place, from 1; 0: it is not known. */
static uint32_t
find_group(const struct recorded_groups *groups, uint64_t scheme, uint64_t id)
{
	uint64_t hash = hash_pair(scheme, id);
	uint32_t at = hash_map_start(&groups->map, hash), place;

	while ((place = hash_map_next(&groups->map, hash, &at)) != 0)
		if (groups->list.at[place - 1].scheme == scheme && groups->list.at[place - 1].id == id)
			return place;
	return 0;
}

static struct stk_text
keep(struct recorded_groups *groups, struct stk_text text)
{
	return text_of(arena_copy(&groups->texts, text.data, text.size), text.size);
}

/* A parent comes before its children. A scheme that was read again may define a group anew. */
static void
take_group(struct recorded_groups *groups, const struct stk_group *row)
{
	uint32_t parent = row->parent == 0 ? 0 : find_group(groups, row->scheme, row->parent);
	uint32_t place = find_group(groups, row->scheme, row->id);
	struct known_group *group;

	if (place == 0 && groups->list.count == GROUPS_MOST)
		return;
	groups->path.count = 0;
	if (parent != 0) {
		add_text(&groups->path, groups->list.at[parent - 1].path);
		add_char(&groups->path, '/');
	}
	add_text(&groups->path, row->name);
	if (place == 0) {
		(void)array_push(&groups->list);
		place = (uint32_t)groups->list.count;
		hash_map_put(&groups->map, hash_pair(row->scheme, row->id), place);
	}
	group = &groups->list.at[place - 1];
	*group = (struct known_group){ row->scheme, row->id, keep(groups, row->name),
				       keep(groups, text_in(&groups->path, 0)), parent == place ? 0 : parent };
}

/* Into the chain of an element of a table. */
static void
take_membership(struct recorded_groups *groups, struct id_table *table, uint64_t key, uint64_t scheme, uint64_t id)
{
	uint32_t group = id == 0 ? 0 : find_group(groups, scheme, id), *first;

	if ((id != 0 && group == 0) || groups->members.count == UINT32_MAX - 1)
		return;
	first = id_table_at(table, key);
	*array_push(&groups->members) = (struct membership){ scheme, group, *first };
	*first = (uint32_t)groups->members.count;
}

static void
take_row(struct recorded_groups *groups, unsigned kind, struct stk_reader *reader, uint32_t i)
{
	union {
		struct stk_group group;
		struct stk_group_of_stack of_stack;
		struct stk_group_of_thread of_thread;
	} row;

	stk_reader_row(reader, i, &row);
	if (kind == STK_GROUP)
		take_group(groups, &row.group);
	else if (kind == STK_GROUP_OF_STACK)
		take_membership(groups, &groups->of_stack, state_stack(row.of_stack.stack, row.of_stack.state),
				row.of_stack.scheme, row.of_stack.group);
	else
		take_membership(groups, &groups->of_thread, row.of_thread.thread, row.of_thread.scheme,
				row.of_thread.group);
}

int
recorded_groups_take(struct recorded_groups *groups, struct stk_reader *reader, const struct stk_block *block,
		     struct stk_error *err)
{
	if (block->kind == STK_HEAD)
		forget(groups);
	if (block->kind != STK_GROUP && block->kind != STK_GROUP_OF_STACK && block->kind != STK_GROUP_OF_THREAD)
		return 0;
	if (stk_reader_rows(reader, err) < 0)
		return -1;
	for (uint32_t i = 0; i < block->rows; i++)
		take_row(groups, (unsigned)block->kind, reader, i);
	return 0;
}

/* --- asking --- */

bool
recorded_groups_any(const struct recorded_groups *groups)
{
	return groups->list.count > 0;
}

const struct stk_text *
recorded_groups_find(const struct recorded_groups *groups, struct stk_text name, bool below)
{
	for (size_t i = 0; i < groups->list.count; i++) {
		const struct known_group *group = &groups->list.at[i];

		if (text_equal(group->path, name) || (below && text_equal(group->name, name)))
			return &group->path;
	}
	return NULL;
}

/* Rings of parents, which only damaged records have, end at the most levels. */
static bool
is_called(const struct recorded_groups *groups, uint32_t group, struct stk_text name, bool below)
{
	for (unsigned level = 0; group != 0 && level < DEPTH_MOST; level++) {
		const struct known_group *at = &groups->list.at[group - 1];

		if (text_equal(at->path, name) || (below && text_equal(at->name, name)))
			return true;
		group = below ? at->parent : 0;
	}
	return false;
}

static uint32_t
first_of(const struct id_table *table, uint64_t key)
{
	const uint32_t *first = id_table_find(table, key);

	return first == NULL ? 0 : *first;
}

static bool
chain_has_scheme(const struct recorded_groups *groups, uint32_t first, uint64_t scheme)
{
	for (uint32_t at = first; at != 0; at = groups->members.at[at - 1].next)
		if (groups->members.at[at - 1].scheme == scheme)
			return true;
	return false;
}

/* One chain, but what it says of schemes that the chain `before` speaks of. */
static bool
chain_has_group(const struct recorded_groups *groups, uint32_t first, uint32_t before, struct stk_text name, bool below)
{
	for (uint32_t at = first; at != 0; at = groups->members.at[at - 1].next) {
		const struct membership *member = &groups->members.at[at - 1];

		if (chain_has_scheme(groups, before, member->scheme))
			continue;
		if (member->group == 0 ? text_is(name, "(none)") : is_called(groups, member->group, name, below))
			return true;
	}
	return false;
}

/* Schemes that ask for states have rows for each state, and those that ask for threads without a stack for each thread;
 * where there is none of this state or thread, that of all others counts. */
bool
recorded_groups_has(struct recorded_groups *groups, const struct grouped_row *row, struct stk_text name, bool below)
{
	uint32_t thread = row->stack == 0 ? first_of(&groups->of_thread, row->thread) : 0;
	uint32_t own = first_of(&groups->of_stack, state_stack(row->stack, row->state));
	uint32_t others = first_of(&groups->of_stack, state_stack(row->stack, STK_STATE_UNKNOWN));

	if (thread == 0 && own == 0 && others == 0)
		*(row->stack == 0 ? &groups->missed_threads : &groups->missed_stacks) = true;
	return chain_has_group(groups, thread, 0, name, below) || chain_has_group(groups, own, thread, name, below) ||
	       (others != own && chain_has_group(groups, others, own, name, below));
}

bool
recorded_groups_missed_threads(const struct recorded_groups *groups)
{
	return groups->missed_threads;
}

bool
recorded_groups_missed_stacks(const struct recorded_groups *groups)
{
	return groups->missed_stacks;
}
