/* SPDX-License-Identifier: MIT
 * call_sequences: counts over random programs, whose calls recurse, jump out of several and are in two threads, are
 * those of a search that tries every way to lay a sequence over every call. */
#include "../lib/tap.h"

#include "base/bytes.h"
#include "base/text_buffer.h"
#include "path/sequence_counts.h"

#include <stdlib.h>
#include <string.h>

enum { FUNCTIONS = 3, BLOCKS = 2, EVENTS = 60, THREADS = 2, SEQUENCES = 4 };

static uint64_t seed = 0x9e3779b97f4a7c15u;

static unsigned
chance(unsigned below)
{
	seed ^= seed << 13, seed ^= seed >> 7, seed ^= seed << 17;
	return (unsigned)(seed >> 33) % below;
}

/* --- a program --- */

struct event { unsigned thread, function, block; enum sequence_place place; uint64_t call; };
struct call { uint64_t number; unsigned function; };

struct program {
	struct event events[EVENTS];
	struct call open[THREADS][EVENTS];
	unsigned depth[THREADS], count;
	uint64_t calls;
};

static void
add_event(struct program *p, unsigned thread, enum sequence_place place)
{
	const struct call *top = &p->open[thread][p->depth[thread] - 1];

	p->events[p->count++] = (struct event){ thread, top->function, chance(BLOCKS), place, top->number };
}

static void
run(struct program *p)
{
	*p = (struct program){ 0 };
	while (p->count < EVENTS) {
		unsigned thread = chance(THREADS), *depth = &p->depth[thread], way = *depth == 0 ? 0 : chance(10);

		if (way < 3) {
			p->open[thread][(*depth)++] = (struct call){ ++p->calls, chance(FUNCTIONS) };
			add_event(p, thread, SEQUENCE_BEGINS);
		} else if (way < 6) {
			add_event(p, thread, SEQUENCE_BLOCK);
		} else if (way < 9) {
			add_event(p, thread, SEQUENCE_ENDS);
			(*depth)--;
		} else if (*depth > 1) {	/* jumps out */
			*depth = 1 + chance(*depth - 1);
			add_event(p, thread, SEQUENCE_BLOCK);
		}
	}
}

static const char *const function_names[FUNCTIONS] = { "f0", "f1", "f2" };
static const char *const block_names[BLOCKS] = { "a@1", "b@2" };

static unsigned
feed(const struct program *p, struct sequence_counts *counts)
{
	unsigned wrong = 0;

	for (unsigned i = 0; i < p->count; i++) {
		const struct event *e = &p->events[i];
		const struct sequence_call call = { 7, e->thread, e->call, text_from(function_names[e->function]) };

		wrong += (e->place == SEQUENCE_BEGINS ? sequence_counts_begin(counts, &call)
			  : e->place == SEQUENCE_ENDS ? sequence_counts_end(counts, &call)
						      : sequence_counts_block(counts, &call,
									      text_from(block_names[e->block]))) < 0;
	}
	sequence_counts_break(counts);
	return wrong;
}

/* --- sequences --- */

static void
add_name(struct text_buffer *to)
{
	static const char *const ends[] = { "", "", ":a", ":@2", ":b@2", ":<" };

	add_format(to, "f%u%s", chance(FUNCTIONS), ends[chance(sizeof ends / sizeof *ends)]);
}

static void
add_sequence(struct text_buffer *to)
{
	unsigned items = 1 + chance(4);
	bool gap = false;

	add_format(to, "  - \"f%u", chance(FUNCTIONS));
	for (unsigned i = 0; i < items; i++) {
		add_char(to, ' ');
		if (!gap && chance(3) > 0) {
			gap = true;
			add_string(to, "...");
			if (chance(2) > 0) {
				add_string(to, " without ");
				add_name(to);
				if (chance(3) == 0) {
					add_char(to, ',');
					add_name(to);
				}
			}
		} else if (chance(5) == 0 && !gap) {
			add_string(to, "(... ");
			add_name(to);
			add_string(to, ")*2");
		} else {
			gap = false;
			add_name(to);
		}
	}
	add_string(to, "\"\n");
}

/* --- the search --- */

static uint64_t
names_of(const struct call_sequences *all, const struct call_sequence *s, const struct event *e, bool *sees)
{
	uint64_t names = 0;

	*sees = false;
	for (size_t i = 0; i < s->names.count; i++) {
		const struct sequence_name *name = &s->names.at[i];
		const char *function = function_names[e->function], *block = block_names[e->block];
		char written[8];

		if (!text_is(all->functions.texts.at[name->function - 1], function) || name->place != e->place)
			continue;
		*sees = true;
		snprintf(written, sizeof written, "%.*s", (int)name->block.size, name->block.data);
		if (e->place != SEQUENCE_BLOCK || strcmp(written, block) == 0 || strcmp(written, block + 1) == 0 ||
		    (written[0] == block[0] && written[1] == '\0'))
			names |= UINT64_C(1) << i;
	}
	return names;
}

/* Whether the items from one on can be laid over all of a word. */
static bool
lies(const struct call_sequence *s, size_t item, const uint64_t *word, size_t size)
{
	const struct sequence_item *at = &s->items.at[item];

	if (item == s->items.count)
		return size == 0;
	if (at->name != 0)
		return size > 0 && (word[0] & at->name) != 0 && lies(s, item + 1, word + 1, size - 1);
	return lies(s, item + 1, word, size) ||
	       (size > 0 && (word[0] & at->without) == 0 && lies(s, item, word + 1, size - 1));
}

/* In the call that begins with an event. */
static void
search_call(const struct program *p, const struct call_sequences *all, const struct call_sequence *s, unsigned first,
	    struct sequence_count *to)
{
	uint64_t word[EVENTS], call = p->events[first].call;
	size_t size = 0;
	unsigned times = 0;
	bool ended = false, over = false;

	for (unsigned i = first; i < p->count && !ended && !over; i++) {
		const struct event *e = &p->events[i];
		bool sees;
		uint64_t names;

		if (e->thread != p->events[first].thread)
			continue;
		over = e->call < call;		/* an outer call goes on */
		names = names_of(all, s, e, &sees);
		if (over)
			continue;
		if (sees)
			word[size++] = names;
		times += sees && !s->to_end && lies(s, 0, word, size);
		ended = e->call == call && e->place == SEQUENCE_ENDS;
	}
	if (s->to_end)
		times = ended && lies(s, 0, word, size);
	to->calls++;
	to->on += times > 0;
	to->times += times;
	to->unfinished += !ended;
}

static struct sequence_count
search(const struct program *p, const struct call_sequences *all, const struct call_sequence *s)
{
	struct sequence_count found = { 0 };

	for (unsigned i = 0; i < p->count; i++)
		if (p->events[i].place == SEQUENCE_BEGINS &&
		    text_is(all->functions.texts.at[s->root - 1], function_names[p->events[i].function]))
			search_call(p, all, s, i, &found);
	return found;
}

/* --- checks --- */

static unsigned occurred;

static unsigned
try_once(void)
{
	static struct program program;
	struct text_buffer text = { 0 };
	struct call_sequences sequences;
	struct sequence_counts *counts;
	struct stk_error err = { 0 };
	unsigned wrong;

	add_string(&text, "sequences:\n");
	for (unsigned i = 0; i < SEQUENCES; i++)
		add_sequence(&text);
	if (call_sequences_read(&sequences, "random", text.at, text.count, &err) < 0) {
		printf("# %s\n# %.*s", err.text, (int)text.count, text.at);
		array_release(&text);
		return 1;
	}
	run(&program);
	sequence_counts_open(&counts, &sequences);
	wrong = feed(&program, counts) + (sequence_counts_check(counts, &err) < 0);
	for (unsigned i = 0; i < SEQUENCES; i++) {
		struct sequence_count got = sequence_counts_of(counts, i),
				      true_one = search(&program, &sequences, &sequences.list.at[i]);

		occurred += true_one.on > 0;
		wrong += memcmp(&got, &true_one, sizeof got) != 0;
	}
	sequence_counts_close(counts);
	call_sequences_release(&sequences);
	array_release(&text);
	return wrong;
}

/* A recursion a hundred thousand deep, whose calls are all in the same state. */
static void
try_deep(void)
{
	static const char text[] = "sequences:\n  - [f0, ..., f1]\n";
	enum { DEEP = 100000 };
	struct call_sequences sequences;
	struct sequence_counts *counts;
	struct stk_error err = { 0 };
	struct sequence_call call = { 1, 1, 0, text_from("f0") };
	struct sequence_count got;
	unsigned wrong = (unsigned)-call_sequences_read(&sequences, "deep", text, sizeof text - 1, &err);

	sequence_counts_open(&counts, &sequences);
	for (unsigned i = 0; i < DEEP; i++) {
		call.number++;
		wrong += sequence_counts_begin(counts, &call) < 0;
	}
	for (unsigned i = 0; i < DEEP; i++) {
		call = (struct sequence_call){ 1, 1, call.number + 1, text_from("f1") };
		wrong += sequence_counts_begin(counts, &call) < 0 || sequence_counts_end(counts, &call) < 0;
	}
	sequence_counts_break(counts);
	got = sequence_counts_of(counts, 0);
	ok(wrong == 0 && got.calls == DEEP && got.on == DEEP && got.times == (uint64_t)DEEP * DEEP &&
	   got.unfinished == DEEP,
	   "calls that have come equally far are followed as one");
	sequence_counts_close(counts);
	call_sequences_release(&sequences);
}

static void
refuses(const char *sequence, const char *why)
{
	struct text_buffer text = { 0 };
	struct call_sequences sequences;
	struct stk_error err = { 0 };
	int result;

	add_format(&text, "sequences:\n  - %s\n", sequence);
	result = call_sequences_read(&sequences, "x.yaml", text.at, text.count, &err);
	ok(result < 0 && strstr(err.text, why) != NULL && strstr(err.text, "x.yaml:2:") != NULL, "refused: %s: %s",
	   sequence, err.text);
	array_release(&text);
}

int
main(void)
{
	unsigned wrong = 0;

	for (unsigned i = 0; i < 3000; i++)
		wrong += try_once();
	ok(wrong == 0, "sequences of 3,000 random programs: %u wrong", wrong);
	ok(occurred > 3000, "%u of 12,000 sequences occur", occurred);
	try_deep();
	refuses("[..., f]", "begin with a function");
	refuses("[\"f:a\", g]", "begin with a function");
	refuses("[f, ..., ..., g]", "two gaps");
	refuses("[f, \"(g\"]", "not a repetition");
	refuses("[f, \"(((( )*4096)*4096)*4096)*4096\", g]", "not a repetition");
	refuses("[f, \"g:\"]", "not a name");
	refuses("[f, \"(g h)*2000 (h g)*2000\"]", "4096");
	return tap_end();
}
