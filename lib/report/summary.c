/* SPDX-License-Identifier: MIT
 * summary: gathers what is in streams. By ids while a stream is read; at its end what the ids stand for is added to
 * what is known by name. */
#include "report/summary.h"

#include "base/time_math.h"
#include "report/tick_shares.h"
#include "stream/block_columns.h"

#include <stdlib.h>

static void summary_close(void *context);

static void *
summary_open(const struct report *report, struct stk_error *err)
{
	struct summary *s = mem_new(1, sizeof *s);

	(void)err;
	s->report = *report;
	s->range = TIME_RANGE_NONE;
	s->thread_uses.size = sizeof(struct thread_use);
	s->node_of.size = s->source_of.size = sizeof(uint32_t);
	lock_summary_open(&s->locks);
	return s;
}

/* --- samples --- */

static unsigned
class_of(struct summary *s, uint64_t state, uint64_t dump, uint64_t stack)
{
	if (state > STK_STATE_SLEEPING)
		state = STK_STATE_UNKNOWN;
	if (dump != 0 && (state == STK_STATE_UNKNOWN || (state == STK_STATE_RUNNABLE && stack == 0)))
		return CLASS_NONE;
	return dump != 0 && is_running_class((unsigned)state) && selection_idle(s->report.selection, stack)
		       ? CLASS_IDLE
		       : (unsigned)state;
}

static void
add_use(struct use *use, unsigned class, uint64_t weight)
{
	use->samples++;
	use->weight += weight;
	if (is_running_class(class)) {
		use->running++;
		use->running_weight += weight;
	} else if (class == STK_STATE_BLOCKED) {
		use->blocked++;
	} else if (class != CLASS_NONE) {
		use->waiting++;
	}
}

static struct thread_use *
thread_use_of(struct summary *s, uint64_t id)
{
	bool known = model_knows(s->report.model, STK_THREAD, id);
	struct thread_use *use = known ? id_table_at(&s->thread_uses, (uint32_t)id) : &s->lost_threads;

	if (!use->met) {
		*use = (struct thread_use){ .range = TIME_RANGE_NONE, .cpu_least = INT64_MAX, .met = true };
		if (known)
			*array_push(&s->thread_ids) = (uint32_t)id;
	}
	return use;
}

/* Of samples that are counted, whatever others the stream has: these may not have been read. */
static void
note_event(struct summary *s, uint64_t id)
{
	struct stk_text name = model_string(s->report.model, id);

	s->last_event = id + 1;
	if (s->event_met && text_equal(name, text_in(&s->event, 0)))
		return;
	s->event.count = 0;
	add_text(&s->event, s->event_met ? text_from("all") : name);
	s->event_met = true;
}

static void
take_sample(struct summary *s, const struct stk_sample *sample)
{
	unsigned class = class_of(s, sample->state, sample->dump, sample->stack);
	struct thread_use *thread = thread_use_of(s, sample->thread);
	struct pair_sum *sum = pair_sums_at(
		&s->now, model_knows(s->report.model, STK_STACK, sample->stack) ? (uint32_t)sample->stack : UINT32_MAX,
		class);

	sum->count++;
	sum->weight += sample->weight;
	s->samples++;
	s->weight += sample->weight;
	s->weighted |= sample->weight != 1;
	s->in_dumps |= sample->dump != 0;
	if (sample->event != s->last_event - 1)
		note_event(s, sample->event);
	add_use(&thread->use, class, sample->weight);
	time_range_add(&thread->range, sample->time);
	if (sample->cpu > 0) {
		s->with_cpu = true;
		thread->cpu_least = sample->cpu < thread->cpu_least ? sample->cpu : thread->cpu_least;
		thread->cpu_most = sample->cpu > thread->cpu_most ? sample->cpu : thread->cpu_most;
	}
	if (sample->dump != 0)
		lock_summary_take(&s->locks, s->report.model, sample);
}

static struct source_use *
source_use_of(struct summary *s, uint64_t source)
{
	uint32_t *place = source == 0 || source > UINT32_MAX ? NULL : id_table_find(&s->source_of, (uint32_t)source);

	return place == NULL || *place == 0 ? NULL : &s->sources.at[*place - 1];
}

static void
take_dump(struct summary *s, const struct stk_dump *dump)
{
	struct source_use *source = source_use_of(s, dump->source);

	s->dumps++;
	if (source == NULL)
		return;
	source->dumps++;
	time_range_add(&source->range, dump->time);
}

/* --- other rows --- */

static void
note_deadlock_time(struct summary *s, uint32_t number, uint64_t id)
{
	struct stk_dump dump = model_dump(s->report.model, id);
	struct deadlock_times *times;

	while (s->deadlock_times.count < number)
		*array_push(&s->deadlock_times) =
			(struct deadlock_times){ .range = TIME_RANGE_NONE, .first = "-", .last = "-" };
	times = &s->deadlock_times.at[number - 1];
	if (!model_knows(s->report.model, STK_DUMP, id))
		return;
	time_range_add(&times->range, dump.time);
	if (times->range.from_ns == dump.time)
		moments_print(s->report.moments, times->first, dump.source, dump.time);
	if (times->range.to_ns == dump.time)
		moments_print(s->report.moments, times->last, dump.source, dump.time);
}

static void
take_deadlock(struct summary *s, const struct stk_deadlock *row)
{
	const struct model *model = s->report.model;

	s->scratch.count = 0;		/* what is the same in each dump is one line: cells with tabs between them */
	add_escaped(&s->scratch, model_string(model, row->thread));
	add_char(&s->scratch, '\t');
	add_escaped(&s->scratch, model_string(model, row->class));
	add_char(&s->scratch, '\t');
	add_escaped(&s->scratch, model_string(model, row->owner));
	add_char(&s->scratch, '\t');
	add_string(&s->scratch, "0x");
	add_hex(&s->scratch, row->object, 1);
	tally_add(&s->deadlocks, text_in(&s->scratch, 0), 1);
	note_deadlock_time(s, text_table_find(&s->deadlocks.texts, text_in(&s->scratch, 0)), row->dump);
}

static void
take_other_time(struct summary *s, uint64_t id, int64_t time)
{
	struct source_use *source = source_use_of(s, id);

	if (source != NULL)
		time_range_add(&source->others, time);
}

static void
take_measure(struct summary *s, struct stk_text name, double value)
{
	uint32_t number;
	struct series_use *use;

	if (!stk_measure_is_believed(value))		/* the reader told */
		return;
	number = text_table_number(&s->series_names, name);
	while (s->series.count < number)
		*array_push(&s->series) = (struct series_use){ value, value, value, value, 0 };
	use = &s->series.at[number - 1];
	use->last = value;
	use->least = value < use->least ? value : use->least;
	use->most = value > use->most ? value : use->most;
	use->count++;
}

const char *const tick_columns[TICK_COLUMNS] = {
	"inside", "gc", "vm-internal", "outside", "idle", "missed", "expected"
};

/* The row of ticks that were expected in a VM's turns, which follows its other rows. */
static void
take_turn(struct summary *s, struct tick_use *use)
{
	const struct tick_use *processor = ticks_of_processor(s, use->cpu);
	const uint64_t *now = use->last, *before = use->before;

	for (unsigned c = TICKS_INSIDE; c <= TICKS_VM && use->by_turns && processor != NULL; c++)
		if (now[TICKS_EXPECTED] >= before[TICKS_EXPECTED] && now[c] >= before[c])
			turn_estimate_add(&use->turns[c], (double)(now[TICKS_EXPECTED] - before[TICKS_EXPECTED]),
					  (double)(now[c] - before[c]), (double)processor->latest);
	use->by_turns = true;
	memcpy(use->before, use->last, sizeof use->before);
}

/* A counter of a processor. One that became smaller began anew. */
static void
take_ticks(struct summary *s, const struct stk_counter *row)
{
	struct tick_use *use;
	uint32_t number;
	unsigned c = 0;

	while (c < TICK_COLUMNS && !text_is(row->state, tick_columns[c]))
		c++;
	if (c == TICK_COLUMNS)
		return;
	s->scratch.count = 0;
	add_format(&s->scratch, "%08lld\t", (long long)row->cpu);
	add_escaped(&s->scratch, model_source_name(s->report.model, row->source));
	number = text_table_number(&s->tick_names, text_in(&s->scratch, 0));
	array_lengthen(&s->ticks, number);
	use = &s->ticks.at[number - 1];
	use->cpu = row->cpu;
	if (!use->counted[c])
		use->last[c] = row->count;
	use->counted[c] = true;
	if (c == TICKS_EXPECTED)
		use->latest = row->count >= use->last[c] ? row->count - use->last[c] : row->count;
	use->grown[c] += row->count >= use->last[c] ? row->count - use->last[c] : row->count;
	use->last[c] = row->count;
	if (c == TICKS_EXPECTED && row->source != 0)
		take_turn(s, use);
}

static void
take_counter(struct summary *s, const struct stk_counter *row)
{
	if (row->cpu < 0)
		missing_moments_take(&s->missing, model_source_name(s->report.model, row->source), row->state,
				     row->count);
	if (row->cpu < 0)
		take_measure(s, row->state, (double)row->count);
	else
		take_ticks(s, row);
}

static void
take_row(struct summary *s, unsigned kind, const void *row)
{
	const struct stk_metric *metric = row;
	const struct stk_counter *counter = row;
	const struct stk_event *event = row;
	const struct stk_note *note = row;

	switch (kind) {
	case STK_SAMPLE:   take_sample(s, row); break;
	case STK_DUMP:     take_dump(s, row); break;
	case STK_DEADLOCK: take_deadlock(s, row); break;
	case STK_METRIC:
		take_other_time(s, metric->source, metric->time);
		take_measure(s, metric->name, metric->value);
		break;
	case STK_COUNTER:
		take_other_time(s, counter->source, counter->time);
		take_counter(s, counter);
		break;
	case STK_EVENT:
		take_other_time(s, model_thread(s->report.model, event->thread).source, event->time);
		if (text_is(event->name, "moment") && event->processor >= 0)
			moment_summary_take(&s->moments, event->values);
		else
			tally_add(&s->events, event->name, 1);
		break;
	case STK_PATH_CALL:
	case STK_PATH_COUNT: path_summary_take(&s->paths, kind, row); break;
	case STK_NOTE:
		s->scratch.count = 0;
		add_text(&s->scratch, note->about);
		add_string(&s->scratch, ": ");
		add_text(&s->scratch, note->text);
		tally_add(&s->notes, text_in(&s->scratch, 0), 1);
		break;
	default:
		break;
	}
}

/* --- definitions --- */

static void
take_sources(struct summary *s, const struct stk_block *block)
{
	for (uint32_t row = 0; row < block->rows; row++) {
		struct source_use use = { .range = TIME_RANGE_NONE, .others = TIME_RANGE_NONE };

		*array_push(&s->sources) = use;
		*array_push(&s->source_ids) = block->first_id + row;
		*(uint32_t *)id_table_at(&s->source_of, block->first_id + row) = (uint32_t)s->sources.count;
	}
}

static int
take_threads(struct summary *s, struct stk_reader *reader, const struct stk_block *block, struct stk_error *err)
{
	const uint64_t *sources;

	if (stk_reader_column(reader, STK_COLUMN(thread, source), &sources, err) < 0)
		return -1;
	s->threads += block->rows;
	for (uint32_t row = 0; row < block->rows; row++) {
		uint32_t *place =
			sources[row] > UINT32_MAX ? NULL : id_table_find(&s->source_of, (uint32_t)sources[row]);

		if (place != NULL && *place != 0)
			s->sources.at[*place - 1].threads++;
	}
	return 0;
}

/* Rows of a kind that is only counted. From a file, blocks that lie outside the window are not read; from a pipe they
 * are, so that it is asked of rows. */
static int
count_other(struct summary *s, struct stk_reader *reader, const struct stk_block *block, struct stk_error *err)
{
	const uint32_t *rows;
	uint32_t count;

	if (selection_rows(s->report.selection, reader, block, &rows, &count, err) < 0)
		return -1;
	if (count == 0)
		return 0;
	s->scratch.count = 0;
	if (block->schema == NULL)
		add_format(&s->scratch, "#%u", block->kind);
	else
		add_string(&s->scratch, block->schema->name);
	tally_add(&s->other_kinds, text_in(&s->scratch, 0), count);
	return 0;
}

static bool
is_shown(unsigned kind)
{
	return kind == STK_DUMP || kind == STK_SAMPLE || kind == STK_EVENT || kind == STK_METRIC ||
	       kind == STK_COUNTER || kind == STK_DEADLOCK || kind == STK_NOTE || kind == STK_PATH_COUNT ||
	       kind == STK_PATH_CALL;
}

static int
summary_take(void *context, struct stk_reader *reader, const struct stk_block *block, struct stk_error *err)
{
	static uint64_t row[STK_COLUMN_MAX * 2];
	struct summary *s = context;
	const uint32_t *rows;
	uint32_t count;

	if (block->kind == STK_HEAD)
		s->streams++;
	else if (block->kind == STK_SOURCE)
		take_sources(s, block);
	else if (block->kind == STK_THREAD)
		return take_threads(s, reader, block, err);
	else if (!is_shown(block->kind) && (block->schema == NULL || !block->schema->definition))
		return count_other(s, reader, block, err);
	if (!is_shown(block->kind))
		return 0;
	if (selection_rows(s->report.selection, reader, block, &rows, &count, err) < 0 ||
	    stk_reader_rows(reader, err) < 0)
		return -1;
	for (uint32_t i = 0; i < count; i++) {
		stk_reader_row(reader, selected_row(rows, i), row);
		take_row(s, block->kind, row);
	}
	return 0;
}

/* --- a stream is over: from ids to names --- */

/* The node of the stack `above` with a frame on it; inlined frames, which one frame's name may hold, are several. */
static uint32_t
node_above(struct summary *s, uint32_t above, struct stk_text name)
{
	while (name.size > 0) {
		const char *end = memchr(name.data, ';', name.size);
		size_t size = end == NULL ? name.size : (size_t)(end - name.data);

		above = pair_sums_index(&s->nodes, above, text_table_number(&s->names, text_of(name.data, size))) + 1;
		name = end == NULL ? text_of(name.data, 0) : text_of(end + 1, name.size - size - 1);
	}
	return above;
}

static uint32_t
node_of(struct summary *s, uint32_t stack)
{
	const struct model *model = s->report.model;
	uint32_t node = 0;

	s->chain.count = 0;
	for (uint64_t at = stack, parent; at != 0; at = parent < at ? parent : 0) {
		const uint32_t *known = id_table_find(&s->node_of, (uint32_t)at);

		if (!model_knows(model, STK_STACK, at)) {
			node = node_above(s, 0, text_from("?"));
			break;
		}
		if (known != NULL && *known != 0) {
			node = *known;
			break;
		}
		*array_push(&s->chain) = (uint32_t)at;
		parent = model_stack(model, at).parent;
	}
	while (s->chain.count > 0) {
		uint32_t at = s->chain.at[--s->chain.count];

		node = node_above(s, node, naming_frame(s->report.naming, model_stack(model, at).frame, true));
		*(uint32_t *)id_table_at(&s->node_of, at) = node;
	}
	return node;
}

static void
turn_stacks(struct summary *s)
{
	for (size_t i = 0; i < s->now.sums.count; i++) {
		struct pair_sum from = s->now.sums.at[i], *sum = pair_sums_at(&s->stacks, node_of(s, from.a), from.b);

		sum->count += from.count;
		sum->weight += from.weight;
	}
	pair_sums_clear(&s->now);
	id_table_clear(&s->node_of);
}

/* "http-nio-8080-exec-12" and its brothers: a name without the number at its end. */
static struct stk_text
pool_name(struct stk_text thread)
{
	size_t size = thread.size;

	while (size > 0 && thread.data[size - 1] >= '0' && thread.data[size - 1] <= '9')
		size--;
	return size == 0 ? thread : text_of(thread.data, size);
}

static struct pool_use *
pool_of(struct summary *s, struct stk_text thread)
{
	struct stk_text pool = pool_name(thread);
	uint32_t number;

	s->scratch.count = 0;
	add_text(&s->scratch, pool);
	add_string(&s->scratch, pool.size < thread.size ? "*" : "");
	number = text_table_number(&s->pool_names, text_in(&s->scratch, 0));
	while (s->pools.count < number)
		*array_push(&s->pools) = (struct pool_use){ .one = text_table_number(&s->names, thread) };
	return &s->pools.at[number - 1];
}

static void
turn_thread(struct summary *s, uint64_t id, const struct thread_use *from)
{
	struct stk_thread thread = model_thread(s->report.model, id);
	struct pool_use *pool = pool_of(s, id == 0 ? text_from("(no thread)") : model_thread_name(s->report.model, id));
	uint32_t *place = thread.source > UINT32_MAX ? NULL : id_table_find(&s->source_of, (uint32_t)thread.source);

	pool->threads++;
	pool->use.samples += from->use.samples;
	pool->use.running += from->use.running;
	pool->use.blocked += from->use.blocked;
	pool->use.waiting += from->use.waiting;
	pool->use.weight += from->use.weight;
	pool->use.running_weight += from->use.running_weight;
	pool->cpu_ns = time_sum(pool->cpu_ns, from->cpu_most > from->cpu_least ? from->cpu_most - from->cpu_least : 0);
	if (place == NULL || *place == 0)
		return;
	s->sources.at[*place - 1].samples += from->use.samples;
	time_range_join(&s->sources.at[*place - 1].range, &from->range);
}

static void
turn_threads(struct summary *s)
{
	for (size_t i = 0; i < s->thread_ids.count; i++)
		turn_thread(s, s->thread_ids.at[i], id_table_find(&s->thread_uses, s->thread_ids.at[i]));
	if (s->lost_threads.met)
		turn_thread(s, MODEL_LOST, &s->lost_threads);
	s->lost_threads.met = false;
	s->thread_ids.count = 0;
	id_table_clear(&s->thread_uses);
}

static char *
copy_text(struct stk_text text)
{
	char *copy = mem_new(text.size + 1, 1);

	if (text.size > 0)
		memcpy(copy, text.data, text.size);
	return copy;
}

static void
turn_source(struct summary *s, struct source_use *use, uint32_t id)
{
	static const char *const clocks[] = { "unknown", "UTC", "monotonic" };
	const struct model *model = s->report.model;
	struct stk_source source = model_source(model, id);
	struct stk_text zone = model_string(model, source.zone);
	char time[TIME_TEXT_MAX];

	if (!time_range_is_known(&use->range))
		use->range = use->others;
	use->name = copy_text(model_source_name(model, id));
	use->process = copy_text(model_string(model, source.process != 0 ? source.process : source.vm));
	use->pid = source.pid;
	s->scratch.count = 0;
	add_string(&s->scratch, source.clock <= STK_CLOCK_MONOTONIC ? clocks[source.clock] : "unknown");
	if (source.clock == STK_CLOCK_WALL && zone.size > 0) {
		s->scratch.count = 0;
		add_text(&s->scratch, zone);
	}
	use->clock = copy_text(text_in(&s->scratch, 0));
	use->from = copy_text(text_from(moments_print(s->report.moments, time, id, use->range.from_ns)));
	use->length = copy_text(text_from(time_range_is_known(&use->range) ?
			duration_print(time, time_difference(use->range.from_ns, use->range.to_ns)) : "-"));
	if (source.clock == STK_CLOCK_WALL)
		time_range_join(&s->range, &use->range);
}

static void
turn_sources(struct summary *s)
{
	size_t first = s->sources.count - s->source_ids.count;

	for (size_t i = 0; i < s->source_ids.count; i++)
		turn_source(s, &s->sources.at[first + i], s->source_ids.at[i]);
	s->source_ids.count = 0;
	id_table_clear(&s->source_of);
}

static void
turn_locks(struct summary *s)
{
	struct lock_summary *locks = &s->locks;

	lock_summary_settle(locks, s->report.model);
	for (size_t i = 0; i < locks->fresh.count; i++) {
		struct lock_hold *hold = &locks->holds.at[locks->fresh.at[i] - 1];
		bool known = model_knows(s->report.model, STK_STACK, hold->stack);

		hold->node = known ? node_of(s, (uint32_t)hold->stack) : 0;
		hold->stack = 0;
	}
	lock_summary_turn(locks);
}

static int
summary_turn(void *context, struct stk_error *err)
{
	struct summary *s = context;

	(void)err;
	turn_locks(s);
	turn_stacks(s);
	turn_threads(s);
	turn_sources(s);
	s->last_event = 0;
	return 0;
}

static int
summary_finish(void *context, struct stk_error *err)
{
	return summary_text(context, err);
}

static void
close_sources(struct summary *s)
{
	for (size_t i = 0; i < s->sources.count; i++) {
		free(s->sources.at[i].name);
		free(s->sources.at[i].process);
		free(s->sources.at[i].clock);
		free(s->sources.at[i].from);
		free(s->sources.at[i].length);
	}
	array_release(&s->sources);
}

static void
summary_close(void *context)
{
	struct summary *s = context;
	text_table_release(&s->names);
	text_table_release(&s->pool_names);
	lock_summary_release(&s->locks);
	text_table_release(&s->series_names);
	text_table_release(&s->tick_names);
	array_release(&s->ticks);
	path_summary_release(&s->paths);
	moment_summary_release(&s->moments);
	missing_moments_release(&s->missing);
	tally_release(&s->deadlocks);
	array_release(&s->deadlock_times);
	tally_release(&s->events);
	tally_release(&s->notes);
	tally_release(&s->other_kinds);
	pair_sums_release(&s->nodes);
	pair_sums_release(&s->stacks);
	pair_sums_release(&s->now);
	id_table_clear(&s->thread_uses);
	id_table_clear(&s->node_of);
	id_table_clear(&s->source_of);
	array_release(&s->pools);
	array_release(&s->series);
	array_release(&s->thread_ids);
	array_release(&s->chain);
	array_release(&s->source_ids);
	array_release(&s->event);
	array_release(&s->scratch);
	close_sources(s);
	free(s);
}

const struct report_form summary_form = { .name = "text",
					  .open = summary_open,
					  .turn = summary_turn,
					  .take = summary_take,
					  .finish = summary_finish,
					  .close = summary_close };
