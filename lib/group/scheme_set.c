/* SPDX-License-Identifier: MIT
 * scheme_set: schemes and groupings side by side. */
#include "group/scheme_set.h"

#include "base/bytes.h"
#include "group/scheme_files.h"

#include <stdio.h>

void
scheme_set_release(struct scheme_set *set)
{
	for (unsigned i = 0; i < set->count; i++) {
		grouping_close(set->groupings[i]);
		scheme_close(set->schemes[i]);
	}
	set->count = 0;
}

void
scheme_set_add(struct scheme_set *set, struct scheme *scheme)
{
	set->schemes[set->count] = scheme;
	grouping_open(&set->groupings[set->count], scheme);
	event_time_choose(grouping_events(set->groupings[set->count++]), &set->events);
}

bool
scheme_set_has(const struct scheme_set *set, struct stk_text name)
{
	for (unsigned i = 0; i < set->count; i++)
		if (text_equal(set->schemes[i]->name, name))
			return true;
	return false;
}

void
scheme_set_replace(struct scheme_set *set, unsigned i, struct scheme *scheme)
{
	grouping_close(set->groupings[i]);
	scheme_close(set->schemes[i]);
	set->schemes[i] = scheme;
	grouping_open(&set->groupings[i], scheme);
	event_time_choose(grouping_events(set->groupings[i]), &set->events);
}

int
scheme_set_take_embedded(struct scheme_set *set, struct stk_reader *reader, const struct stk_block *block,
			 const struct scheme_folders *folders, const struct remarks *remarks, struct stk_error *err)
{
	if (stk_reader_rows(reader, err) < 0)
		return -1;
	for (uint32_t row = 0; row < block->rows; row++) {
		struct stk_scheme carried;
		struct scheme *scheme;
		struct stk_error why = { 0 };
		char name[200];

		stk_reader_row(reader, row, &carried);
		if (scheme_set_has(set, carried.name) || carried.text.size == 0 || set->count == SCHEMES_MOST)
			continue;
		(void)snprintf(name, sizeof name, "(embedded)/%.*s.yaml",
			       (int)(carried.name.size < 100 ? carried.name.size : 100), carried.name.data);
		if (scheme_read_text(&scheme, name, carried.text, scheme_name_find, (void *)(uintptr_t)folders,
				     &why) < 0) {
			remark(remarks, REMARK_FAULT, text_from(name), 0, "%s", why.text);
			stk_error_clear(&why);
			continue;
		}
		if (scheme_set_has(set, scheme->name))		/* of another name than its row */
			scheme_close(scheme);
		else
			scheme_set_add(set, scheme);
	}
	return 0;
}

void
scheme_set_turn(struct scheme_set *set)
{
	for (unsigned i = 0; i < set->count; i++)
		grouping_turn(set->groupings[i]);
}

bool
scheme_set_has_pairs(const struct scheme_set *set)
{
	bool any = false;

	for (unsigned i = 0; i < set->count; i++)
		for (size_t g = 0; g < set->schemes[i]->groups.count && !any; g++)
			any = set->schemes[i]->groups.at[g].start.size > 0;
	return any;
}

void
scheme_set_clear(struct scheme_set *set)
{
	for (unsigned i = 0; i < set->count; i++)
		grouping_clear(set->groupings[i]);
}

uint32_t
scheme_set_groups(struct scheme_set *set, unsigned i, const struct model *model, uint64_t stack, uint64_t state,
		  uint64_t thread, const uint32_t **groups)
{
	return stack == 0 ? grouping_of_thread(set->groupings[i], model, thread, groups)
			  : grouping_of_sample(set->groupings[i], model, stack, state, groups);
}

bool
scheme_set_takes(struct scheme_set *set, const struct model *model, uint64_t stack, uint64_t state, uint64_t thread)
{
	const uint32_t *groups;

	for (unsigned i = 0; i < set->count; i++)
		if (scheme_set_groups(set, i, model, stack, state, thread, &groups) > 0)
			return true;
	return false;
}

bool
scheme_set_is_library(struct scheme_set *set, const struct model *model, uint32_t frame)
{
	for (unsigned i = 0; i < set->count; i++)
		if (!grouping_is_library(set->groupings[i], model, frame))
			return false;
	return set->count > 0;
}

bool
scheme_group_is(const struct scheme *scheme, uint32_t group, struct stk_text name, bool below)
{
	for (uint32_t at = group; at != 0; at = below ? scheme->groups.at[at - 1].parent : 0) {
		const struct scheme_group *one = &scheme->groups.at[at - 1];

		if (text_equal(one->path, name) || (below && text_equal(one->name, name)))
			return true;
	}
	return false;
}

static bool
is_in(struct scheme_set *set, unsigned i, const struct model *model, const struct where_sample *sample,
      struct stk_text name, bool below)
{
	const uint32_t *groups;
	uint32_t count, named;

	if (sample->is_event) {
		named = event_time_group_of_name(grouping_events(set->groupings[i]), sample->name);
		if (named != 0)
			return scheme_group_is(set->schemes[i], named, name, below);
	}
	count = scheme_set_groups(set, i, model, sample->stack, sample->state, sample->thread, &groups);
	if (count == 0 && text_is(name, "(none)"))
		return true;
	for (uint32_t g = 0; g < count; g++)
		if (scheme_group_is(set->schemes[i], groups[g], name, below))
			return true;
	return false;
}

bool
scheme_set_is_in(struct scheme_set *set, const struct model *model, const struct where_sample *sample,
		 struct stk_text name, bool below)
{
	if (sample->scheme != NULL)
		return sample->group == 0 ? text_is(name, "(none)")
					  : scheme_group_is(sample->scheme, sample->group, name, below);
	for (unsigned i = 0; i < set->count; i++)
		if (is_in(set, i, model, sample, name, below))
			return true;
	return false;
}

const struct stk_text *
scheme_set_group(const struct scheme_set *set, struct stk_text name, bool below)
{
	for (unsigned i = 0; i < set->count; i++)
		for (size_t g = 0; g < set->schemes[i]->groups.count; g++) {
			const struct scheme_group *one = &set->schemes[i]->groups.at[g];

			if (text_equal(one->path, name) || (below && text_equal(one->name, name)))
				return &one->path;
		}
	return NULL;
}
