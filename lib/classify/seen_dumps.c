/* SPDX-License-Identifier: MIT
 * seen_dumps: which dumps were counted. Of each source a list in the order of time: most come in that order, and go to
 * its end. */
#include "classify/seen_dumps.h"

#include "base/arena.h"
#include "base/array.h"
#include "base/bytes.h"
#include "base/memory.h"

#include <stdlib.h>

struct dump { int64_t time_ns; uint32_t check; };

struct source {
	struct stk_text name;
	ARRAY(struct dump) dumps;	/* by time */
};

struct seen_dumps {
	struct arena texts;
	ARRAY(struct source) sources;
};

void
seen_dumps_open(struct seen_dumps **out)
{
	*out = mem_new(1, sizeof **out);
}

void
seen_dumps_close(struct seen_dumps *s)
{
	if (s == NULL)
		return;
	for (size_t i = 0; i < s->sources.count; i++)
		array_release(&s->sources.at[i].dumps);
	array_release(&s->sources);
	arena_release(&s->texts);
	free(s);
}

static struct source *
source_of(struct seen_dumps *s, struct stk_text name)
{
	for (size_t i = 0; i < s->sources.count; i++) {
		struct stk_text known = s->sources.at[i].name;

		if (known.size == name.size && memcmp(known.data, name.data, name.size) == 0)
			return &s->sources.at[i];
	}
	*array_push(&s->sources) =
		(struct source){ .name = { arena_copy(&s->texts, name.data, name.size), name.size } };
	return &s->sources.at[s->sources.count - 1];
}

/* How many dumps come before this time. */
static size_t
place_of(const struct source *source, int64_t time_ns)
{
	size_t from = 0, to = source->dumps.count;

	if (to > 0 && source->dumps.at[to - 1].time_ns < time_ns)
		return to;
	while (from < to) {
		size_t middle = from + (to - from) / 2;

		if (source->dumps.at[middle].time_ns < time_ns)
			from = middle + 1;
		else
			to = middle;
	}
	return from;
}

/* Twice as many are kept as promised before half of them are dropped, so that dropping is cheap on average. */
static void
forget_oldest(struct source *source)
{
	if (source->dumps.count < 2 * SEEN_DUMPS_MAX)
		return;
	source->dumps.count -= SEEN_DUMPS_MAX;
	memmove(source->dumps.at, source->dumps.at + SEEN_DUMPS_MAX, source->dumps.count * sizeof *source->dumps.at);
}

enum seen
seen_dumps_note(struct seen_dumps *s, struct stk_text name, int64_t time_ns, uint32_t check)
{
	struct source *source;
	size_t place;
	enum seen result = SEEN_NEW;

	if (time_ns == STK_TIME_UNKNOWN)
		return SEEN_NEW;
	source = source_of(s, name);
	place = place_of(source, time_ns);
	if (place == 0 && source->dumps.count >= SEEN_DUMPS_MAX && source->dumps.at[0].time_ns > time_ns)
		return SEEN_TOO_OLD;
	for (size_t i = place; i < source->dumps.count && source->dumps.at[i].time_ns == time_ns; i++) {
		if (source->dumps.at[i].check == check)
			return SEEN_SAME;
		result = SEEN_OTHER;
	}
	(void)array_push(&source->dumps);
	memmove(source->dumps.at + place + 1, source->dumps.at + place,
		(source->dumps.count - 1 - place) * sizeof *source->dumps.at);
	source->dumps.at[place] = (struct dump){ time_ns, check };
	forget_oldest(source);
	return result;
}

size_t
seen_dumps_sources(const struct seen_dumps *s)
{
	return s->sources.count;
}

bool
seen_dumps_get(const struct seen_dumps *s, size_t source, size_t number, struct seen_dump *out)
{
	const struct source *from;

	if (source >= s->sources.count || number >= s->sources.at[source].dumps.count)
		return false;
	from = &s->sources.at[source];
	*out = (struct seen_dump){ from->name, from->dumps.at[number].time_ns, from->dumps.at[number].check };
	return true;
}
