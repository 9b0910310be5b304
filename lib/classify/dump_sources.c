/* SPDX-License-Identifier: MIT
 * dump_sources: the sources whose dumps were counted. */
#include "classify/dump_sources.h"

#include "base/arena.h"
#include "base/array.h"
#include "base/bytes.h"
#include "base/memory.h"

#include <stdlib.h>

struct source_entry { struct dump_times times; bool marked; };

struct dump_sources {
	struct arena names;
	ARRAY(struct source_entry) entries;	/* by number */
};

void
dump_sources_open(struct dump_sources **out)
{
	struct dump_sources *s = *out = mem_new(1, sizeof *s);

	*array_push(&s->entries) = (struct source_entry){ .times = { .source = { "", 0 }, .range = TIME_RANGE_NONE } };
}

void
dump_sources_close(struct dump_sources *s)
{
	if (s == NULL)
		return;
	arena_release(&s->names);
	array_release(&s->entries);
	free(s);
}

uint32_t
dump_sources_number(struct dump_sources *s, struct stk_text name)
{
	struct stk_text kept;

	for (uint32_t i = 0; i < s->entries.count; i++)
		if (text_equal(s->entries.at[i].times.source, name))
			return i;
	kept = (struct stk_text){ arena_copy(&s->names, name.data, name.size), name.size };
	*array_push(&s->entries) = (struct source_entry){ .times = { .source = kept, .range = TIME_RANGE_NONE } };
	return (uint32_t)s->entries.count - 1;
}

uint32_t
dump_sources_last(const struct dump_sources *s)
{
	return (uint32_t)s->entries.count - 1;
}

struct dump_times
dump_sources_get(const struct dump_sources *s, uint32_t source)
{
	return s->entries.at[source].times;
}

void
dump_sources_mark(struct dump_sources *s, uint32_t source)
{
	s->entries.at[source].marked = true;
}

void
dump_sources_count(struct dump_sources *s, int64_t time_ns)
{
	for (size_t i = 0; i < s->entries.count; i++)
		if (s->entries.at[i].marked) {
			s->entries.at[i].times.dumps++;
			time_range_add(&s->entries.at[i].times.range, time_ns);
		}
}

void
dump_sources_unmark(struct dump_sources *s)
{
	for (size_t i = 0; i < s->entries.count; i++)
		s->entries.at[i].marked = false;
}

uint32_t
dump_sources_restore(struct dump_sources *s, const struct dump_times *times)
{
	uint32_t source = dump_sources_number(s, times->source);
	struct dump_times *is = &s->entries.at[source].times;

	if (is->dumps == 0) {
		is->dumps = times->dumps;
		is->range = times->range;
	}
	return source;
}

uint32_t
dump_sources_add(struct dump_sources *s, const struct dump_times *times)
{
	uint32_t source = dump_sources_number(s, times->source);
	struct dump_times *is = &s->entries.at[source].times;

	is->dumps += times->dumps;
	time_range_join(&is->range, &times->range);
	return source;
}
