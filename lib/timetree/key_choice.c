/* SPDX-License-Identifier: MIT
 * key_choice: what the keys of a set say of each thread, and whether it is taken, in a table. Two threads of which keys
 * say the same, and only one is taken: then they do not tell enough. */
#include "timetree/key_choice.h"

#include "base/memory.h"
#include "base/text_buffer.h"
#include "base/text_table.h"
#include "choose/stack_prefix.h"

#include <stdlib.h>
#include <string.h>

#define PLACES_MOST 16

enum verdict { UNKNOWN, TAKEN, LEFT };

struct key_choice {
	struct selection *selection;		/* by threads, processes and states alone */
	struct stack_prefixes *prefixes;	/* by those keys that are of threads; NULL: they are not asked for */
	struct text_buffer keys;		/* these, with commas between */
	unsigned places[PLACES_MOST], place_count;	/* of their elements in prefixes of the set */
	int state_place;			/* -1: states are not asked for */
	bool ambiguous;
	struct text_table texts;		/* of threads: their elements, with ';' between */
	ARRAY(unsigned char) verdicts;		/* by text */
	struct text_buffer scratch;
};

static bool
asks_threads(const struct selection_options *asked)
{
	return asked->thread != NULL || asked->process != NULL;
}

bool
key_choice_needed(const struct selection_options *asked)
{
	return asks_threads(asked) || asked->states != NULL;
}

/* --- opening --- */

/* Sorts the keys of a set into those of threads and the state. */
static void
find_places(struct key_choice *c, const char *set)
{
	unsigned place = 0;

	c->state_place = -1;
	for (const char *at = *set == '\0' ? "default" : set; *at != '\0' && place < PLACES_MOST; place++) {
		size_t size = strcspn(at, ",");
		struct stk_text key = text_of(at, size);

		if (text_is(key, "state")) {
			c->state_place = (int)place;
		} else if (!text_is(key, "none")) {
			if (c->place_count > 0)
				add_char(&c->keys, ',');
			add_text(&c->keys, key);
			c->places[c->place_count++] = place;
		}
		at += size + (at[size] == ',');
	}
	add_char(&c->keys, '\0');
}

static void
note_thread(struct key_choice *c, uint64_t thread, uint64_t dump)
{
	uint32_t prefix = stack_prefix(c->prefixes, thread, dump, 0);
	uint32_t text = text_table_number(&c->texts, stack_prefix_text(c->prefixes, prefix));
	unsigned char verdict = selection_takes_thread_in(c->selection, thread, dump) ? TAKEN : LEFT;

	array_lengthen(&c->verdicts, (size_t)text + 1);
	c->ambiguous |= c->verdicts.at[text] != UNKNOWN && c->verdicts.at[text] != verdict;
	c->verdicts.at[text] = verdict;
}

/* All that samples may refer to: threads, in dumps and outside; none, or one that was lost. */
static void
note_threads(struct key_choice *c, struct model *model, bool process)
{
	note_thread(c, 0, 0);
	note_thread(c, UINT32_MAX, 0);
	for (uint32_t id = model_next(model, STK_THREAD, 0); id != 0 && !c->ambiguous;
		id = model_next(model, STK_THREAD, id)) {
		note_thread(c, id, 0);
		note_thread(c, id, UINT32_MAX);
	}
	for (uint32_t id = !process ? 0 : model_next(model, STK_DUMP, 0); id != 0 && !c->ambiguous;
		id = model_next(model, STK_DUMP, id)) {
		note_thread(c, 0, id);
		note_thread(c, UINT32_MAX, id);
	}
}

/* 1: the keys tell it; 0; -1. */
static int
read_threads(struct key_choice *c, struct model *model, const struct selection_options *asked, struct stk_error *err)
{
	if (c->place_count == 0)
		return 0;
	if (stack_prefixes_open(&c->prefixes, model, c->keys.at, err) < 0)
		return -1;
	note_threads(c, model, asked->process != NULL);
	return !c->ambiguous;
}

int
key_choice_open(struct key_choice **out, struct model *model, const struct selection_options *asked, const char *keys,
	struct stk_error *err)
{
	struct selection_options alone = { .from_ns = INT64_MIN,
		.to_ns = INT64_MAX,
		.thread = asked->thread,
		.process = asked->process,
		.states = asked->states };
	struct key_choice *c = mem_new(1, sizeof *c);
	int got;

	find_places(c, keys);
	got = selection_open(&c->selection, model, &alone, err) < 0 ? -1 : 1;
	if (got > 0 && asked->states != NULL)
		got = c->state_place >= 0;
	else
		c->state_place = -1;
	if (got > 0 && asks_threads(asked))
		got = read_threads(c, model, asked, err);
	if (got <= 0) {
		key_choice_close(c);
		c = NULL;
	}
	*out = c;
	return got;
}

void
key_choice_close(struct key_choice *c)
{
	if (c == NULL)
		return;
	selection_close(c->selection);
	stack_prefixes_close(c->prefixes);
	text_table_release(&c->texts);
	array_release(&c->keys);
	array_release(&c->verdicts);
	array_release(&c->scratch);
	free(c);
}

/* --- asking --- */

static struct stk_text
element_at(struct stk_text prefix, unsigned place)
{
	const char *at = prefix.data, *end = at + prefix.size, *stop;

	for (; place > 0; place--) {
		at = memchr(at, ';', (size_t)(end - at));
		if (at == NULL)
			return text_of("", 0);
		at++;
	}
	stop = memchr(at, ';', (size_t)(end - at));
	return text_of(at, (size_t)((stop == NULL ? end : stop) - at));
}

static bool
takes_state(const struct key_choice *c, struct stk_text name)
{
	const char *const *states = stk_schema()->kind[STK_SAMPLE].column[STK_COLUMN(sample, state)].names;

	for (unsigned state = 0; states[state] != NULL; state++)
		if (text_is(name, states[state]))
			return selection_takes_state(c->selection, state);
	return false;		/* a newer version's: it cannot be asked for */
}

/* Whose definition was lost counts as no thread, as it does where samples are selected. */
static bool
takes_threads(struct key_choice *c, struct stk_text prefix)
{
	uint32_t text;

	c->scratch.count = 0;
	for (unsigned i = 0; i < c->place_count; i++) {
		if (i > 0)
			add_char(&c->scratch, ';');
		add_text(&c->scratch, element_at(prefix, c->places[i]));
	}
	text = text_table_find(&c->texts, text_in(&c->scratch, 0));
	return text == 0 ? selection_takes_thread(c->selection, 0) : c->verdicts.at[text] == TAKEN;
}

bool
key_choice_takes(struct key_choice *c, struct stk_text prefix)
{
	if (c->state_place >= 0 && !takes_state(c, element_at(prefix, (unsigned)c->state_place)))
		return false;
	return c->prefixes == NULL || takes_threads(c, prefix);
}
