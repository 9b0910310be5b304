/* SPDX-License-Identifier: MIT
 * thread_history: a dump is compared with the one before it: a thread that is where it was makes its run longer. */
#include "plot/thread_history.h"

#include "base/text_table.h"

#define GAP_HALVES 3 /* a dump covers at most 3 halves of the median distance on either side */
#define IDLE_WEIGHT 0.2
#define BLOCKED_WEIGHT 3

/* --- rows and locks --- */

static uint32_t
process_place(struct thread_history *h, uint32_t process)
{
	uint32_t place = thread_history_process(h, process);

	if (place == h->processes.count)
		*array_push(&h->processes) = (struct history_process){ .process = process };
	return place;
}

/* Its number; 0 when there are too many. */
static uint32_t
row_number(struct thread_history *h, uint32_t process, const struct dump_thread *thread)
{
	uint64_t hash = hash_pair(thread->key, process);
	uint32_t at = hash_map_start(&h->by_key, hash), number;

	while ((number = hash_map_next(&h->by_key, hash, &at)) != 0)
		if (h->rows.at[number - 1].key == thread->key && h->rows.at[number - 1].process == process)
			return number;
	if (h->rows.count == HISTORY_ROWS_MOST)
		return 0;
	*array_push(&h->rows) = (struct history_row){ .key = thread->key,
						      .process = process,
						      .name = thread->name,
						      .pool = thread->pool,
						      .vm = thread->role == STK_ROLE_VM };
	hash_map_put(&h->by_key, hash, (uint32_t)h->rows.count);
	return (uint32_t)h->rows.count;
}

/* The latest lock that was put under a hash, of this class. */
static uint32_t
lock_under(const struct thread_history *h, uint64_t hash, uint32_t process, uint32_t class)
{
	uint32_t at = hash_map_start(&h->by_lock, hash), number, latest = 0;

	while ((number = hash_map_next(&h->by_lock, hash, &at)) != 0)
		if (h->locks.at[number - 1].process == process && h->locks.at[number - 1].class == class &&
		    number > latest)
			latest = number;
	return latest;
}

static uint32_t
history_lock_new(struct thread_history *h, uint32_t process, uint32_t class, uint32_t wanted_at)
{
	uint64_t by_class = hash_pair(class, hash_pair(process, 1));
	uint32_t before = lock_under(h, by_class, process, class);

	*array_push(&h->locks) =
		(struct history_lock){ .process = process,
				       .class = class,
				       .wanted_at = wanted_at,
				       .number = before == 0 ? 1 : h->locks.at[before - 1].number + 1 };
	hash_map_put(&h->by_lock, by_class, (uint32_t)h->locks.count);
	return (uint32_t)h->locks.count;
}

/* A lock is the one that had its address, else one of its class that was wanted in the same function and is not wanted
 * otherwise in this dump: collectors move objects. Without addresses, those of a class are not told apart. */
static uint32_t
lock_number(struct thread_history *h, uint32_t process, const struct wait_lock *lock, uint32_t wanted_at, uint32_t dump)
{
	uint64_t by_class = hash_pair(lock->class, hash_pair(process, 1)), by_address = 0, by_place;
	uint32_t number;

	if (lock->address == 0 || h->locks.count >= HISTORY_LOCKS_MOST) {
		number = lock_under(h, by_class, process, lock->class);
		return number != 0 ? number : history_lock_new(h, process, lock->class, wanted_at);
	}
	by_address = hash_pair(lock->address, hash_pair(lock->class, hash_pair(process, 2)));
	by_place = hash_pair(wanted_at, hash_pair(lock->class, hash_pair(process, 3)));
	number = lock_under(h, by_address, process, lock->class);
	if (number == 0) {
		number = lock_under(h, by_place, process, lock->class);
		if (number == 0 || h->locks.at[number - 1].dump == dump + 1) {
			number = history_lock_new(h, process, lock->class, wanted_at);
			hash_map_put(&h->by_lock, by_place, number);
		}
		hash_map_put(&h->by_lock, by_address, number);
	}
	h->locks.at[number - 1].dump = dump + 1;
	return number;
}

/* --- a dump --- */

static void
number_threads(struct thread_history *h, uint32_t process, const struct diag_dump *dump, const struct wait_graph *graph)
{
	h->row_of.count = 0;
	for (uint32_t t = 0; t < dump->threads.count; t++) {
		const struct wait_node *node = &graph->nodes.at[t];
		bool needed = dump->threads.at[t].chosen || node->wants != NOBODY || node->keeps;
		uint32_t number = needed ? row_number(h, process, &dump->threads.at[t]) : 0;

		h->left_out += number == 0 && dump->threads.at[t].chosen;
		*array_push(&h->row_of) = number;
	}
}

static void
number_locks(struct thread_history *h, uint32_t process, const struct diag_dump *dump, const struct wait_graph *graph,
	     uint32_t place)
{
	h->lock_of.count = 0;
	array_lengthen(&h->lock_of, graph->locks.count);
	for (uint32_t t = 0; t < dump->threads.count; t++) {
		const struct wait_node *node = &graph->nodes.at[t];

		if (node->wants != NOBODY && h->lock_of.at[node->wants] == 0)
			h->lock_of.at[node->wants] =
				lock_number(h, process, &graph->locks.at[node->wants], node->wanted_at, place);
	}
}

static void
add_run(struct history_row *row, const struct history_run *run)
{
	struct history_run *last = row->runs.count > 0 ? &row->runs.at[row->runs.count - 1] : NULL;

	if (last != NULL && last->last == run->first) /* a thread that is in the dump twice */
		return;
	if (last != NULL && last->last + 1 == run->first && last->stack == run->stack && last->lock == run->lock &&
	    last->holder == run->holder && last->look == run->look)
		last->last = run->first;
	else
		*array_push(&row->runs) = *run;
}

static void
add_threads(struct thread_history *h, const struct diag_dump *dump, const struct wait_graph *graph, uint32_t place)
{
	for (uint32_t t = 0; t < dump->threads.count; t++) {
		const struct dump_thread *thread = &dump->threads.at[t];
		uint32_t lock = graph->nodes.at[t].wants, holder = wait_graph_holder(graph, t);
		unsigned look = look_of(thread->state, thread->idle);
		struct history_row *row;

		if (h->row_of.at[t] == 0)
			continue;
		row = &h->rows.at[h->row_of.at[t] - 1];
		row->chosen |= thread->chosen;
		row->samples[look] += thread->chosen;
		h->samples += thread->chosen;
		add_run(row, &(struct history_run){ .first = place,
						    .last = place,
						    .stack = thread->stack,
						    .lock = lock == NOBODY ? 0 : h->lock_of.at[lock],
						    .holder = holder == NOBODY ? 0 : h->row_of.at[holder],
						    .look = (uint8_t)look });
	}
}

/* The lock at which a thread's way ends; of a ring, that which one and the same of its threads wants. */
static uint32_t
end_of(const struct wait_graph *graph, uint32_t thread)
{
	const struct wait_node *node = &graph->nodes.at[thread];

	return node->doomed ? graph->nodes.at[node->root].wants : node->ends_at;
}

static void
add_waiter(struct thread_history *h, const struct diag_dump *dump, const struct wait_graph *graph, uint32_t thread,
	   uint32_t place)
{
	uint32_t end = end_of(graph, thread), number = end == NOBODY ? 0 : h->lock_of.at[end];
	const struct wait_lock *is = end == NOBODY ? NULL : &graph->locks.at[end];
	struct history_lock *lock;
	struct history_wait *last;

	if (number == 0)
		return;
	lock = &h->locks.at[number - 1];
	last = lock->waits.count > 0 ? &lock->waits.at[lock->waits.count - 1] : NULL;
	if (last == NULL || last->last != place) {
		last = array_push(&lock->waits);
		*last = (struct history_wait){ .first = place,
					       .last = place,
					       .held_at = is->held_at,
					       .holder = is->holder == NOBODY ? 0 : h->row_of.at[is->holder],
					       .ring = graph->nodes.at[thread].doomed };
		lock->dumps++;
	}
	last->waiters++;
	last->lost_ns += dump->weight_ns;
	lock->ring |= last->ring;
	lock->most = last->waiters > lock->most ? last->waiters : lock->most;
	lock->samples++;
	lock->lost_ns += dump->weight_ns;
	lock->chosen |=
		dump->threads.at[thread].chosen || (is->holder != NOBODY && dump->threads.at[is->holder].chosen);
}

/* Neighbours that are alike become one. */
static void
join_waits(struct history_lock *lock)
{
	struct history_wait *a, *b;

	if (lock->waits.count < 2)
		return;
	a = &lock->waits.at[lock->waits.count - 2];
	b = a + 1;
	if (a->last + 1 == b->first && a->waiters == b->waiters && a->holder == b->holder && a->held_at == b->held_at &&
	    a->ring == b->ring) {
		a->last = b->last;
		a->lost_ns += b->lost_ns;
		lock->waits.count--;
	}
}

void
thread_history_take(struct thread_history *h, const struct diag_dump *dump, const struct wait_graph *graph)
{
	uint32_t process, place;

	if (dump->time_ns == STK_TIME_UNKNOWN) {
		h->untimed++;
		return;
	}
	process = process_place(h, dump->process);
	place = (uint32_t)h->processes.at[process].dumps.count;
	if (place > 0 && dump->time_ns < h->processes.at[process].dumps.at[place - 1].time_ns) {
		h->backward++;
		return;
	}
	*array_push(&h->processes.at[process].dumps) =
		(struct history_dump){ .time_ns = dump->time_ns, .dumps = 1, .threads = (uint32_t)dump->threads.count };
	h->dumps++;
	number_threads(h, process, dump, graph);
	number_locks(h, process, dump, graph, place);
	add_threads(h, dump, graph, place);
	for (uint32_t t = 0; t < dump->threads.count; t++)
		add_waiter(h, dump, graph, t, place);
	for (uint32_t lock = 0; lock < graph->locks.count; lock++)
		if (h->lock_of.at[lock] != 0)
			join_waits(&h->locks.at[h->lock_of.at[lock] - 1]);
}

/* --- the end --- */

static int
compare_times(const void *a, const void *b)
{
	int64_t x = *(const int64_t *)a, y = *(const int64_t *)b;

	return x < y ? -1 : x > y;
}

/* Half of the usual distance; half a second when there is none. */
static int64_t
half_distance(const struct history_process *process)
{
	size_t count = process->dumps.count, used = 0;
	int64_t *sorted = mem_new(count + 1, sizeof *sorted), half;

	for (size_t i = 1; i < count; i++)
		if (process->dumps.at[i].time_ns > process->dumps.at[i - 1].time_ns)
			sorted[used++] = process->dumps.at[i].time_ns - process->dumps.at[i - 1].time_ns;
	qsort(sorted, used, sizeof *sorted, compare_times);
	half = used == 0 ? 500000000 : sorted[(used - 1) / 2] / 2;
	free(sorted);
	return half > 0 ? half : 1;
}

/* Each dump covers the time half-way to its neighbours, except for gaps. */
static void
spread_dumps(struct thread_history *h, struct history_process *process)
{
	int64_t half = half_distance(process);

	for (size_t i = 0; i < process->dumps.count; i++) {
		struct history_dump *dump = &process->dumps.at[i];
		int64_t before = i > 0 ? (dump->time_ns - dump[-1].time_ns) / 2 : half;
		int64_t after = i + 1 < process->dumps.count
					? dump[1].time_ns - dump->time_ns - (dump[1].time_ns - dump->time_ns) / 2
					: half;

		dump->from_ns = dump->time_ns - (before < GAP_HALVES * half ? before : GAP_HALVES * half);
		dump->to_ns = dump->time_ns + (after < GAP_HALVES * half ? after : GAP_HALVES * half);
		time_range_add(&h->times, dump->from_ns);
		time_range_add(&h->times, dump->to_ns);
	}
}

uint32_t
thread_history_process(const struct thread_history *h, uint32_t process)
{
	uint32_t place = 0;

	while (place < h->processes.count && h->processes.at[place].process != process)
		place++;
	return place;
}

bool
finding_has(const struct finding *finding, uint32_t thread)
{
	for (size_t e = 0; e < finding->evidence.count; e++)
		if (finding->evidence.at[e].thread == thread)
			return true;
	return false;
}

/* Only what is wrong moves a pool to the front. */
static uint32_t
finding_of_row(const struct thread_history *h, const struct diag_findings *findings, const struct history_row *row)
{
	for (size_t f = 0; f < findings->list.count; f++) {
		const struct finding *finding = &findings->list.at[f];

		if (finding->severity > STK_SEVERITY_INFO &&
		    thread_history_process(h, finding->process) == row->process && finding_has(finding, row->name))
			return (uint32_t)f + 1;
	}
	return 0;
}

static uint64_t
busy_of(const uint64_t samples[LOOKS])
{
	uint64_t busy = 0;

	for (unsigned look = 0; look < LOOKS; look += 2)
		busy += samples[look];
	return busy;
}

static uint64_t
blocked_of(const uint64_t samples[LOOKS])
{
	return samples[look_of(STK_STATE_BLOCKED, false)] + samples[look_of(STK_STATE_BLOCKED, true)];
}

struct ranked {
	struct history_pool pool;
	struct stk_text name;
};

/* What findings are about, then what was blocked, then what was busy; the machine's own threads are last. */
static int
compare_pools(const void *a, const void *b)
{
	const struct ranked *x = a, *y = b;
	uint32_t fx = x->pool.finding - 1, fy = y->pool.finding - 1;
	uint64_t bx = blocked_of(x->pool.samples), by = blocked_of(y->pool.samples);
	int order;

	if (fx != fy)
		return fx < fy ? -1 : 1;
	if (x->pool.vm != y->pool.vm)
		return x->pool.vm ? 1 : -1;
	if (bx != by)
		return bx > by ? -1 : 1;
	bx = busy_of(x->pool.samples);
	by = busy_of(y->pool.samples);
	if (bx != by)
		return bx > by ? -1 : 1;
	order = text_compare(x->name, y->name);
	return order != 0 ? order : (x->pool.process > y->pool.process) - (x->pool.process < y->pool.process);
}

struct ranked_row {
	uint32_t number;
	struct stk_text name;
};

static int
compare_rows(const void *a, const void *b)
{
	const struct ranked_row *x = a, *y = b;

	if (x->name.size != y->name.size) /* worker-2 before worker-10 */
		return x->name.size < y->name.size ? -1 : 1;
	if (text_compare(x->name, y->name) != 0)
		return text_compare(x->name, y->name);
	return x->number < y->number ? -1 : x->number > y->number;
}

static void
sort_rows(const struct thread_history *h, struct history_pool *pool)
{
	struct ranked_row *ranked = mem_new(pool->rows.count + 1, sizeof *ranked);

	for (size_t i = 0; i < pool->rows.count; i++)
		ranked[i] = (struct ranked_row){ pool->rows.at[i],
						 diagnosis_text(h->diagnosis, h->rows.at[pool->rows.at[i] - 1].name) };
	qsort(ranked, pool->rows.count, sizeof *ranked, compare_rows);
	for (size_t i = 0; i < pool->rows.count; i++)
		pool->rows.at[i] = ranked[i].number;
	free(ranked);
}

static void
sort_pools(struct thread_history *h)
{
	struct ranked *ranked = mem_new(h->pools.count + 1, sizeof *ranked);

	for (size_t i = 0; i < h->pools.count; i++) {
		sort_rows(h, &h->pools.at[i]);
		ranked[i] = (struct ranked){ h->pools.at[i], diagnosis_text(h->diagnosis, h->pools.at[i].pool) };
	}
	qsort(ranked, h->pools.count, sizeof *ranked, compare_pools);
	for (size_t i = 0; i < h->pools.count; i++)
		h->pools.at[i] = ranked[i].pool;
	free(ranked);
}

/* All threads of a virtual machine itself are one pool. */
static struct history_pool *
pool_of_row(struct thread_history *h, struct hash_map *map, const struct history_row *row)
{
	uint64_t hash = hash_pair(row->vm ? 0 : row->pool, hash_pair(row->process, row->vm));
	uint32_t at = hash_map_start(map, hash), number;

	while ((number = hash_map_next(map, hash, &at)) != 0) {
		struct history_pool *pool = &h->pools.at[number - 1];

		if (pool->process == row->process && pool->vm == row->vm && (row->vm || pool->pool == row->pool))
			return pool;
	}
	*array_push(&h->pools) =
		(struct history_pool){ .process = row->process, .vm = row->vm, .pool = row->vm ? 0 : row->pool };
	hash_map_put(map, hash, (uint32_t)h->pools.count);
	return &h->pools.at[h->pools.count - 1];
}

void
thread_history_settle(struct thread_history *h, const struct diag_findings *findings)
{
	struct hash_map map = { 0 };

	h->times = TIME_RANGE_NONE;
	h->together = 1;
	for (size_t p = 0; p < h->processes.count; p++)
		spread_dumps(h, &h->processes.at[p]);
	for (uint32_t r = 0; r < h->rows.count; r++) {
		const struct history_row *row = &h->rows.at[r];
		struct history_pool *pool;
		uint32_t finding;

		if (!row->chosen)
			continue;
		pool = pool_of_row(h, &map, row);
		*array_push(&pool->rows) = r + 1;
		for (unsigned look = 0; look < LOOKS; look++)
			pool->samples[look] += row->samples[look];
		finding = finding_of_row(h, findings, row);
		if (finding != 0 && (pool->finding == 0 || finding < pool->finding))
			pool->finding = finding;
	}
	hash_map_release(&map);
	sort_pools(h);
}

/* --- fewer moments --- */

/* What the row was in most of the dumps from `first` on; false when it was in none. */
static bool
most_of_runs(const struct history_row *row, size_t *at, uint32_t first, uint32_t last, struct history_run *out)
{
	uint32_t most = 0;
	size_t i = *at;

	while (i < row->runs.count && row->runs.at[i].last < first)
		i++;
	*at = i;
	for (; i < row->runs.count && row->runs.at[i].first <= last; i++) {
		uint32_t from = row->runs.at[i].first > first ? row->runs.at[i].first : first;
		uint32_t to = row->runs.at[i].last < last ? row->runs.at[i].last : last;

		if (to - from + 1 > most) {
			most = to - from + 1;
			*out = row->runs.at[i];
		}
	}
	return most > 0;
}

static void
coarsen_row(struct history_row *row, uint32_t times, uint32_t dumps)
{
	struct history_row coarse = { .runs = { 0 } };
	size_t at = 0;

	for (uint32_t first = 0; first < dumps; first += times) {
		struct history_run run;

		if (!most_of_runs(row, &at, first, first + times - 1, &run))
			continue;
		run.first = run.last = first / times;
		add_run(&coarse, &run);
	}
	array_release(&row->runs);
	row->runs.at = coarse.runs.at;
	row->runs.count = coarse.runs.count;
	row->runs.room = coarse.runs.room;
}

/* The most waiters of each moment, so that no queue disappears. */
static void
coarsen_lock(struct history_lock *lock, uint32_t times)
{
	size_t kept = 0;

	for (size_t i = 0; i < lock->waits.count; i++) {
		struct history_wait wait = lock->waits.at[i];

		wait.first /= times;
		wait.last /= times;
		if (kept > 0 && lock->waits.at[kept - 1].last >= wait.first) {
			struct history_wait *last = &lock->waits.at[kept - 1];

			if (last->last == wait.first && last->first == last->last && wait.waiters > last->waiters)
				*last = (struct history_wait){ .first = last->first,
							       .last = last->last,
							       .waiters = wait.waiters,
							       .holder = wait.holder,
							       .held_at = wait.held_at,
							       .ring = wait.ring };
			wait.first = last->last + 1;
			if (wait.first > wait.last)
				continue;
		}
		lock->waits.at[kept++] = wait;
	}
	lock->waits.count = kept;
}

void
thread_history_coarsen(struct thread_history *h, uint32_t times)
{
	for (size_t r = 0; r < h->rows.count; r++)
		coarsen_row(&h->rows.at[r], times, (uint32_t)h->processes.at[h->rows.at[r].process].dumps.count);
	for (size_t l = 0; l < h->locks.count; l++)
		coarsen_lock(&h->locks.at[l], times);
	for (size_t p = 0; p < h->processes.count; p++) {
		struct history_process *process = &h->processes.at[p];
		size_t kept = 0;

		for (size_t i = 0; i < process->dumps.count; i++) {
			struct history_dump *to = &process->dumps.at[kept - (i % times != 0)];

			if (i % times == 0) {
				process->dumps.at[kept++] = process->dumps.at[i];
				continue;
			}
			to->to_ns = process->dumps.at[i].to_ns;
			to->dumps += process->dumps.at[i].dumps;
			if (process->dumps.at[i].threads > to->threads)
				to->threads = process->dumps.at[i].threads;
		}
		process->dumps.count = kept;
	}
	h->together *= times;
}

/* --- pictures --- */

void
thread_history_parts(const struct thread_history *h, uint32_t number, struct time_range times, size_t count,
		     double *parts)
{
	const struct history_row *row = &h->rows.at[number - 1];
	const struct history_process *process = &h->processes.at[row->process];
	double part_ns = ((double)times.to_ns - (double)times.from_ns) / (double)count;

	for (size_t r = 0; r < row->runs.count; r++)
		for (uint32_t d = row->runs.at[r].first; d <= row->runs.at[r].last; d++) {
			double from = ((double)process->dumps.at[d].from_ns - (double)times.from_ns) / part_ns;
			double to = ((double)process->dumps.at[d].to_ns - (double)times.from_ns) / part_ns;
			size_t first = from < 0 ? 0 : (size_t)from;

			for (size_t i = first; i < count && (double)i < to; i++) {
				double begin = from > (double)i ? from : (double)i;
				double end = to < (double)i + 1 ? to : (double)i + 1;

				parts[i * LOOKS + row->runs.at[r].look] += end - begin;
			}
		}
}

/* What a thread did counts more than that it had nothing to do, and that it could not go on counts most: else minutes
 * would not be seen in the column of an hour. */
static double
weigh(const double *parts, unsigned look)
{
	return parts[look] * (look % 2 != 0                               ? IDLE_WEIGHT
			      : look == look_of(STK_STATE_BLOCKED, false) ? BLOCKED_WEIGHT
									  : 1);
}

unsigned
most_of_looks(const double *parts)
{
	unsigned most = LOOKS;

	for (unsigned look = 0; look < LOOKS; look++)
		if (parts[look] > 1e-9 && (most == LOOKS || weigh(parts, look) > weigh(parts, most)))
			most = look;
	return most;
}

void
thread_history_release(struct thread_history *h)
{
	for (size_t i = 0; i < h->processes.count; i++)
		array_release(&h->processes.at[i].dumps);
	for (size_t i = 0; i < h->rows.count; i++)
		array_release(&h->rows.at[i].runs);
	for (size_t i = 0; i < h->locks.count; i++)
		array_release(&h->locks.at[i].waits);
	for (size_t i = 0; i < h->pools.count; i++)
		array_release(&h->pools.at[i].rows);
	array_release(&h->processes);
	array_release(&h->rows);
	array_release(&h->locks);
	array_release(&h->pools);
	array_release(&h->row_of);
	array_release(&h->lock_of);
	hash_map_release(&h->by_key);
	hash_map_release(&h->by_lock);
}
