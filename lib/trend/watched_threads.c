/* SPDX-License-Identifier: MIT
 * watched_threads: a stack is compared by its id while the stream lasts, and hashed once for each thread at its end. */
#include "trend/watched_threads.h"

#include "base/id_table.h"
#include "base/time_math.h"
#include "model/model.h"

#include <xxhash.h>

#define STUCK_DUMPS 3			/* that a thread must be seen in */
#define FRAME_SIZE  1024		/* bytes of a frame's text that tell it from others */

/* A thread of the present stream. */
struct watched { uint64_t stack; uint32_t number; };	/* number: among the standings; 0 is new */

struct watched_threads {
	struct series_set *set;
	struct model *model;
	struct selection *selection;
	struct id_table watched;	/* struct watched, by id */
};

void
watched_threads_open(struct watched_threads **out, struct series_set *set, struct model *model,
		     struct selection *selection)
{
	*out = mem_new(1, sizeof **out);
	**out = (struct watched_threads){ .set = set, .model = model, .selection = selection,
		.watched = { .size = sizeof(struct watched) } };
}

void
watched_threads_close(struct watched_threads *w)
{
	if (w == NULL)
		return;
	id_table_clear(&w->watched);
	free(w);
}

/* --- what is the same in every stream --- */

static uint64_t
hash_of_thread(const struct watched_threads *w, uint64_t id)
{
	struct stk_thread row = model_thread(w->model, id);
	struct stk_text name = model_string(w->model, row.name), source = model_source_name(w->model, row.source);
	uint64_t numbers[3] = { row.number, row.tid, XXH3_64bits(source.data, source.size) };

	return XXH3_64bits_withSeed(name.data, name.size, XXH3_64bits(numbers, sizeof numbers));
}

static uint64_t
hash_of_stack(const struct watched_threads *w, uint64_t id)
{
	uint64_t hash = 0;
	char text[FRAME_SIZE];

	while (id != 0) {
		struct stk_stack at = model_stack(w->model, id);
		size_t size = model_frame_text(w->model, at.frame, text, sizeof text);

		hash = XXH3_64bits_withSeed(text, size < sizeof text ? size : sizeof text, hash);
		id = at.parent < id ? at.parent : 0;	/* as it is unless the stream is damaged */
	}
	return hash;
}

void
watched_threads_settle(struct watched_threads *w)
{
	uint64_t id;

	for (bool more = id_table_next(&w->watched, 0, &id); more;
	     more = id < UINT64_MAX && id_table_next(&w->watched, id + 1, &id)) {
		const struct watched *watched = id_table_at(&w->watched, id);
		struct standing *at = &w->set->standings.at[watched->number - 1];

		if (at->dumps > 0 && watched->stack != 0)
			at->place = hash_of_stack(w, watched->stack);
	}
	id_table_clear(&w->watched);
}

/* --- samples --- */

static void
tell_stuck(const struct watched_threads *w, uint64_t thread, uint64_t stack, const struct standing *at)
{
	struct change change = { .kind = CHANGE_NONE, .time_ns = at->since_ns, .end_ns = at->latest_ns,
		.value = (double)(at->latest_ns - at->since_ns) / 1e9, .expected = 0, .score = at->dumps };
	struct stk_stack leaf = model_stack(w->model, stack);
	struct text_buffer subject = { 0 };

	add_string(&subject, "thread ");
	add_text(&subject, model_string(w->model, model_thread(w->model, thread).name));
	add_string(&subject, " in ");
	add_text(&subject, model_string(w->model, model_frame(w->model, leaf.frame).function));
	series_set_changed(w->set, 0, text_in(&subject, 0), "stuck", &change);
	array_release(&subject);
}

static bool
is_busy(const struct watched_threads *w, uint64_t state, uint64_t stack)
{
	return (state == STK_STATE_BLOCKED || state == STK_STATE_RUNNABLE || state == STK_STATE_RUNNING) &&
	       stack != 0 && !selection_idle(w->selection, stack);
}

/* Where an earlier stream left it: the stack has another id there, or none. */
static void
meet(const struct watched_threads *w, struct watched *watched, uint64_t thread, uint64_t stack)
{
	const struct standing *at;

	watched->number = series_set_standing(w->set, hash_of_thread(w, thread));
	at = &w->set->standings.at[watched->number - 1];
	watched->stack = at->dumps > 0 && stack != 0 && at->place == hash_of_stack(w, stack) ? stack : 0;
}

void
watched_threads_take(struct watched_threads *w, uint64_t thread, uint64_t stack, uint64_t state, int64_t time_ns)
{
	struct watched *watched;
	struct standing *at;

	if (thread == 0 || time_ns == STK_TIME_UNKNOWN)
		return;
	watched = id_table_at(&w->watched, thread);
	if (watched->number == 0)
		meet(w, watched, thread, stack);
	at = &w->set->standings.at[watched->number - 1];
	if (at->latest_ns != STK_TIME_UNKNOWN && time_ns <= at->latest_ns)
		return;			/* an earlier run has it */
	if (at->latest_ns != STK_TIME_UNKNOWN && time_difference(at->latest_ns, time_ns) > STANDING_FORGOTTEN_NS)
		at->dumps = 0;
	at->latest_ns = time_ns;
	if (!is_busy(w, state, stack)) {
		at->dumps = 0;
		return;
	}
	if (at->dumps == 0 || watched->stack != stack) {
		at->since_ns = time_ns;
		at->dumps = 1;
		at->told = false;
		watched->stack = stack;
		return;
	}
	at->dumps++;
	if (at->told || at->dumps < STUCK_DUMPS ||
	    time_difference(at->since_ns, time_ns) < w->set->options->stuck_ns)
		return;
	at->told = true;
	tell_stuck(w, thread, stack, at);
}
