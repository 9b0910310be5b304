/* SPDX-License-Identifier: MIT
 * function_rows: what comes from the kernel's memory is returned to it; nothing but system calls is called. */
#include "function_rows.h"

#include "own_counts.h"
#include "runtime_memory.h"

#include "stkpipe/rows.h"

#include <string.h>
#include <sys/mman.h>

#define PATH_TEXT_MOST (1u << 25)	/* bytes of a path's text; longer ones are truncated */

void
function_rows_name_blocks(struct probed_function *f)
{
	const char *name = f->blocks;

	if (f->names != NULL)
		return;
	f->names = runtime_pages(f->block_count * sizeof *f->names);
	for (uint64_t b = 0; b < f->block_count; b++) {
		f->names[b] = name;
		name += strlen(name) + 1;
	}
}

static void
begin_path(struct function_rows *w)
{
	w->path.count = 0;
}

static void
add_block(struct function_rows *w, const struct probed_function *f, uint64_t block)
{
	if (w->path.count > PATH_TEXT_MOST)
		return;
	if (w->path.count > 0)
		plain_put(&w->path, " ", 1);
	plain_put(&w->path, f->names[block], strlen(f->names[block]));
	if (w->path.count > PATH_TEXT_MOST)
		plain_put(&w->path, " ...", 4);
}

static void
put_common(struct function_rows *w, struct plain_block *block, const struct probed_function *f)
{
	plain_word(block, w->now);
	plain_word(block, 1);			/* the source */
	plain_text(block, f->name, strlen(f->name));
	plain_text(block, f->file, strlen(f->file));
}

static void
put_path(struct function_rows *w, const struct probed_function *f, uint64_t count)
{
	put_common(w, &w->counts, f);
	plain_text(&w->counts, (const char *)w->path.at, w->path.count);
	plain_word(&w->counts, count);
	plain_row(&w->stream, &w->counts);
}

void
function_rows_put_graph(struct function_rows *w, const struct probed_function *f)
{
	for (uint64_t e = 0; e < f->edge_count; e++) {
		const char *from = f->names[f->edges[2 * e]], *to = f->names[f->edges[2 * e + 1]];

		plain_text(&w->edges, f->name, strlen(f->name));
		plain_text(&w->edges, f->file, strlen(f->file));
		plain_word(&w->edges, e);
		plain_text(&w->edges, from, strlen(from));
		plain_text(&w->edges, to, strlen(to));
		plain_row(&w->stream, &w->edges);
	}
}

/* --- from counts to paths --- */

/* What all threads counted in place. */
static uint64_t
sum_of(const struct probed_function *f, uint64_t i)
{
	uint64_t sum = 0;

	for (const struct own_counts *own = own_counts_first(f); own != NULL; own = own->next)
		sum += *(const volatile uint64_t *)&own->counts[i];
	return sum;
}

void
function_rows_pass_over(struct probed_function *f)
{
	for (uint64_t i = 0; i < f->count_total; i++)
		f->written[i] = sum_of(f, i);
	for (struct own_counts *own = own_counts_first(f); own != NULL; own = own->next)
		for (uint64_t i = 0; i < counted_ids_total(&own->ids); i++)
			(void)counted_ids_take(&own->ids, i);
}

/* Since the last writing. */
static uint64_t
take(struct probed_function *f, uint64_t i)
{
	uint64_t now = sum_of(f, i), count = now - f->written[i];

	f->written[i] = now;
	return count;
}

static uint64_t
put_listed(struct function_rows *w, struct probed_function *f)
{
	const uint32_t *at = f->data;
	uint64_t finished = 0;

	for (uint64_t i = PROBED_MARKS; i < f->count_total; i++) {
		uint32_t length = *at++;
		uint64_t count = take(f, i);

		begin_path(w);
		for (uint32_t k = 0; k < length; k++)
			add_block(w, f, *at++);
		put_path(w, f, count);		/* those of interest, also when the count is 0 */
		finished += count;
	}
	return finished;
}

static uint64_t
weight_of(const uint32_t *edge)
{
	return (uint64_t)edge[2] << 32 | edge[1];
}

/* From the entry, always the way with the largest weight that is not above the rest of the id. Returns whether the
 * piece ends at the exit. w may be NULL. */
static int
walk_sum(struct function_rows *w, const struct probed_function *f, uint64_t id)
{
	uint64_t nodes = f->data[0], node = f->entry, left = nodes;
	const uint32_t *first = f->data + 1, *edges = first + nodes + 1;
	int finished = 1;

	if (w != NULL)
		begin_path(w);
	/* an id of a damaged image may lead nowhere */
	while (node != f->exit && left-- > 0 && first[node] < first[node + 1]) {
		uint64_t best = first[node], next;

		for (uint64_t e = best + 1; e < first[node + 1]; e++)
			if (weight_of(edges + 3 * e) <= id && (weight_of(edges + 3 * best) > id ||
							       weight_of(edges + 3 * e) > weight_of(edges + 3 * best)))
				best = e;
		id -= weight_of(edges + 3 * best);
		next = edges[3 * best];
		if (w != NULL && node < f->block_count && !(node == f->entry && next >= f->block_count))
			add_block(w, f, node);
		finished = node < f->block_count;
		node = next;
	}
	if (w != NULL && finished)
		add_block(w, f, f->exit);
	return finished;
}

/* Backwards from the exit; the blocks are turned around. A digit 1 before all others ends a piece. */
static void
walk_digits(struct function_rows *w, const struct probed_function *f, const struct counted_ids *pieces, uint64_t digits,
	    uint64_t piece)
{
	const uint32_t *first = f->data, *before = first + f->block_count + 1;
	struct plain_bytes back = { 0 };
	uint32_t block = (uint32_t)f->exit;
	uint64_t left = f->block_count;	/* without digits no way comes to a block twice, but that of a damaged image */

	plain_put(&back, &block, sizeof block);
	while (block != f->entry && !back.failed && left > 0 && first[block] < first[block + 1]) {
		uint64_t ways = first[block + 1] - first[block], way = 0;

		if (ways > 1) {
			if (digits == 1 && piece != 0) {
				struct counted_id put = counted_ids_entry(pieces, piece - 1);

				digits = put.b;
				piece = put.a;
			}
			left = digits > 0 || piece > 0 ? f->block_count : left - 1;
			way = digits % ways;
			digits /= ways;
		} else {
			left--;
		}
		block = before[first[block] + way];
		plain_put(&back, &block, sizeof block);
	}
	begin_path(w);
	w->path.failed |= back.failed;
	for (size_t i = back.count / sizeof block; i-- > 0; ) {
		memcpy(&block, back.at + i * sizeof block, sizeof block);
		add_block(w, f, block);
	}
	if (back.at != NULL)
		munmap(back.at, back.room);
}

/* The ids of all threads, since the last writing. */
struct all_ids { struct counted_ids ids, pieces; };

/* A thread's pieces have numbers of their own; each is after the one that it continues. */
static void
add_ids(struct all_ids *all, struct own_counts *own)
{
	uint64_t total = counted_ids_total(&own->ids), pieces = counted_ids_total(&own->pieces);
	uint64_t *number = runtime_pages((pieces + 1) * sizeof *number);

	for (uint64_t i = 0; i < pieces; i++) {
		struct counted_id put = counted_ids_entry(&own->pieces, i);

		number[i + 1] = counted_ids_place(&all->pieces, number[put.a], put.b) + 1;
	}
	for (uint64_t i = 0; i < total; i++) {
		struct counted_id id = counted_ids_entry(&own->ids, i);
		uint64_t place = counted_ids_place(&all->ids, id.a, number[id.b]);

		all->ids.entries[place].count += counted_ids_take(&own->ids, i);
	}
	munmap(number, (pieces + 1) * sizeof *number);
}

static uint64_t
put_id(struct function_rows *w, const struct probed_function *f, const struct counted_ids *pieces, uint64_t id,
       uint64_t piece, uint64_t count)
{
	int finished = 1;

	if (count == 0)
		return 0;
	if (f->kind == PROBED_SUMS)
		finished = walk_sum(w, f, id);
	else
		walk_digits(w, f, pieces, id, piece);
	put_path(w, f, count);
	return finished ? count : 0;
}

static uint64_t
put_ids(struct function_rows *w, struct probed_function *f)
{
	struct all_ids all = { 0 };
	uint64_t finished = 0;

	for (uint64_t i = PROBED_MARKS; i < f->count_total; i++)
		finished += put_id(w, f, NULL, i - PROBED_MARKS, 0, take(f, i));
	for (struct own_counts *own = own_counts_first(f); own != NULL; own = own->next)
		if (counted_ids_total(&own->ids) > 0)
			add_ids(&all, own);
	for (uint64_t i = 0; i < counted_ids_total(&all.ids); i++) {
		struct counted_id id = counted_ids_entry(&all.ids, i);

		finished += put_id(w, f, &all.pieces, id.a, id.b, id.count);
	}
	counted_ids_release(&all.ids);
	counted_ids_release(&all.pieces);
	return finished;
}

/* Calls that began are visits of the entry, those that ended visits of the exit. */
static uint64_t
put_sub_paths(struct function_rows *w, struct probed_function *f, uint64_t *calls)
{
	uint64_t states = f->data[0], paths = f->data[1], places = f->count_total - PROBED_MARKS, finished = 0;
	const uint32_t *from = f->data + 2, *block = from + states, *link = block + states, *order = link + states,
		       *end = order + states, *state_of = end + paths;
	const uint32_t *block_of = state_of + places, *next = block_of + places;	/* of each place */
	uint64_t *visits = runtime_pages(states * sizeof *visits), size = states * sizeof *visits;
	struct plain_bytes back = { 0 };

	*calls = 0;
	for (uint64_t i = 0; i < places; i++) {
		uint64_t count = take(f, PROBED_MARKS + i), left = places;

		for (uint64_t at = i; at != PROBED_NO_PLACE && count > 0 && left > 0; at = next[at], left--)
			visits[state_of[at]] += count;
		*calls += block_of[i] == f->entry ? count : 0;
		finished += block_of[i] == f->exit ? count : 0;
	}
	for (uint64_t i = states; i-- > 1; )
		visits[link[order[i]]] += visits[order[i]];
	for (uint64_t p = 0; p < paths; p++) {
		if (visits[end[p]] == 0)
			continue;
		back.count = 0;
		for (uint32_t s = end[p]; s != 0; s = from[s])
			plain_put(&back, &block[s], sizeof *block);
		begin_path(w);
		w->path.failed |= back.failed;
		for (size_t i = back.count / sizeof *block; i-- > 0; ) {
			uint32_t b;

			memcpy(&b, back.at + i * sizeof b, sizeof b);
			add_block(w, f, b);
		}
		put_path(w, f, visits[end[p]]);
	}
	if (back.at != NULL)
		munmap(back.at, back.room);
	munmap(visits, size);
	return finished;
}

/* Whether something was counted since the last writing. */
bool
function_rows_changed(const struct probed_function *f)
{
	for (uint64_t i = 0; i < f->count_total; i++)
		if (sum_of(f, i) != f->written[i])
			return true;
	for (const struct own_counts *own = own_counts_first(f); own != NULL; own = own->next)
		if (counted_ids_changed(&own->ids))
			return true;
	return false;
}

/* Also a function that nobody called, once, unless only chosen paths are counted: coverage is of all functions. */
bool
function_rows_are_news(const struct probed_function *f)
{
	bool is_covered = f->kind != PROBED_LISTED && f->names == NULL;

	return f->kind != PROBED_STEPS && (function_rows_changed(f) || is_covered);
}

void
function_rows_put(struct function_rows *w, struct probed_function *f)
{
	uint64_t calls, others, finished;

	if (!function_rows_are_news(f))
		return;
	function_rows_name_blocks(f);
	function_rows_put_graph(w, f);
	calls = take(f, PROBED_CALLS);
	others = take(f, PROBED_OTHERS);
	finished = f->kind == PROBED_LISTED      ? put_listed(w, f)
		   : f->kind == PROBED_SUB_PATHS ? put_sub_paths(w, f, &calls)
						 : put_ids(w, f);
	calls += f->adopted;
	f->adopted = 0;
	put_common(w, &w->calls, f);
	plain_text(&w->calls, f->method, strlen(f->method));
	plain_word(&w->calls, calls);
	plain_word(&w->calls, finished);
	plain_word(&w->calls, others);
	/* negative, when they were active at the last writing */
	plain_word(&w->calls, calls - finished - others);
	plain_row(&w->stream, &w->calls);
}

/* Only for sub-paths; for others the data may not be read. */
static const uint32_t *
block_of_places(const struct probed_function *f)
{
	return f->kind == PROBED_SUB_PATHS ? f->data + f->data_count - 2 * (f->count_total - PROBED_MARKS) : NULL;
}

/* How many calls of this thread have ended so far, or were abandoned. */
static uint64_t
ended_calls(const struct probed_function *f, const struct own_counts *own)
{
	const uint32_t *block_of = block_of_places(f);
	uint64_t ended = own->counts[PROBED_OTHERS];

	for (uint64_t i = PROBED_MARKS; i < f->count_total; i++)
		if (f->kind == PROBED_LISTED || f->kind == PROBED_DIGITS ||
		    (f->kind == PROBED_SUMS && own->counts[i] > 0 && walk_sum(NULL, f, i - PROBED_MARKS)) ||
		    (f->kind == PROBED_SUB_PATHS && block_of[i - PROBED_MARKS] == f->exit))
			ended += own->counts[i];
	for (uint64_t i = 0; i < counted_ids_total(&own->ids); i++) {
		struct counted_id id = counted_ids_entry(&own->ids, i);

		if (f->kind == PROBED_DIGITS || walk_sum(NULL, f, id.a))
			ended += id.count;
	}
	return ended;
}

static uint64_t
begun_calls(const struct probed_function *f, const struct own_counts *own)
{
	const uint32_t *block_of = block_of_places(f);
	uint64_t begun = own->counts[PROBED_CALLS];

	for (uint64_t i = PROBED_MARKS; i < f->count_total && f->kind == PROBED_SUB_PATHS; i++)
		begun += block_of[i - PROBED_MARKS] == f->entry ? own->counts[i] : 0;
	return begun;
}

uint64_t
function_rows_active(const struct probed_function *f, const struct own_counts *own)
{
	return begun_calls(f, own) - ended_calls(f, own);
}

/* --- all of one writing --- */

void
function_rows_begin(struct function_rows *w, uint64_t now)
{
	w->now = now;
	w->edges = (struct plain_block){ .kind = STK_CFG, .columns = 5, .time_column = plain_none };
	w->calls = (struct plain_block){ .kind = STK_PATH_CALL, .columns = 9, .time_column = 0 };
	w->counts = (struct plain_block){ .kind = STK_PATH_COUNT, .columns = 6, .time_column = 0 };
}

void
function_rows_end(struct function_rows *w)
{
	struct plain_block *blocks[] = { &w->edges, &w->counts, &w->calls };

	for (size_t i = 0; i < sizeof blocks / sizeof *blocks; i++) {
		plain_flush(&w->stream, blocks[i]);
		plain_release(blocks[i]);
	}
	w->stream.failed |= w->path.failed;
	if (w->path.at != NULL)
		munmap(w->path.at, w->path.room);
}
