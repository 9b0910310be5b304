/* SPDX-License-Identifier: MIT
 * thread_rules: stuck, spin, hot, allocation, thread-leak, finalizer, gc-threads, torn, safepoint-late: what single
 * threads and pools do from dump to dump. A thread is known by its name and numbers; of each process the threads of its
 * latest dump are kept. */
#include "diag/diag_view.h"
#include "diag/habit_findings.h"

#include "base/bytes.h"
#include "base/quantities.h"
#include "base/time_math.h"

#include <math.h>

#define NS_PER_S    1e9
#define WAKES_NS    1e6	/* of a processor, that a thread may use between dumps and have done nothing */
#define GO_LATE_MINUTES 3	/* Go notes that a goroutine waits at a collection, every 2 minutes, and rounds down */
#define SEEN_LEAST  1e4	/* samples, over which runs by chance are expected: recordings go on */
#define SIZES_KEPT  1024	/* of a pool, over time: then every second one goes */

struct thread_memory {
	uint64_t key;
	uint32_t stack;
	uint32_t same;			/* dumps in a row with this stack, without doing anything */
	int64_t since_ns;
	int64_t cpu_ns;			/* in the latest dump */
	uint32_t spins;			/* dumps in a row in which it used a processor since the one before */
	int64_t spins_since_ns;
	uint64_t allocated;		/* in the latest dump */
	bool moved;			/* it was seen with several stacks */
	bool noted;			/* that it is stuck there, before */
};

/* How often threads of a pool were in a stack, where dumps do not show CPU time. */
struct stack_memory {
	uint32_t pool, stack;
	uint64_t samples;
	uint64_t in_runs;		/* of these, so long in it that they look stuck */
};

struct pool_memory {
	uint32_t pool;
	uint32_t step, skipped;		/* every step-th size is kept */
	int64_t cpu_ns;
	uint64_t allocated;
	ARRAY(uint32_t) sizes;
	struct time_range times;
	uint32_t most;
	uint64_t sum, dumps;
	uint32_t hottest;		/* its stack, of the thread that used most at one time */
	int64_t hottest_ns;
};

struct process_memory {
	int64_t time_ns;		/* of its latest dump */
	int64_t measured_ns;		/* the time over which CPU time was seen */
	struct time_range times;
	uint64_t dumps;
	uint32_t collectors;		/* threads that collect garbage, at most */
	ARRAY(struct thread_memory) threads, before;
	struct hash_map by_key;		/* places in threads, from 1 */
	ARRAY(struct pool_memory) pools;
	struct hash_map by_pool;
	ARRAY(struct stack_memory) stacks;
	struct hash_map by_stack;
};

struct thread_rules {
	ARRAY(struct process_memory) processes;
	struct resting_places *rests;
	ARRAY(uint8_t) collects;	/* by name: 2 when such a thread collects garbage, 1 when not */
};

void
thread_rules_open(struct thread_rules **out)
{
	struct thread_rules *rules = *out = mem_new(1, sizeof *rules);

	resting_places_open(&rules->rests);
}

void
thread_rules_close(struct thread_rules *rules)
{
	if (rules == NULL)
		return;
	for (size_t p = 0; p < rules->processes.count; p++) {
		struct process_memory *process = &rules->processes.at[p];

		for (size_t i = 0; i < process->pools.count; i++)
			array_release(&process->pools.at[i].sizes);
		array_release(&process->threads);
		array_release(&process->before);
		array_release(&process->pools);
		hash_map_release(&process->by_key);
		hash_map_release(&process->by_pool);
		array_release(&process->stacks);
		hash_map_release(&process->by_stack);
	}
	array_release(&rules->processes);
	resting_places_close(rules->rests);
	array_release(&rules->collects);
	free(rules);
}

/* --- what is remembered --- */

static struct process_memory *
process_memory(struct thread_rules *rules, uint32_t process)
{
	while (rules->processes.count < process) {
		struct process_memory *new = array_push(&rules->processes);

		*new = (struct process_memory){ .time_ns = STK_TIME_UNKNOWN, .times = TIME_RANGE_NONE };
	}
	return &rules->processes.at[process - 1];
}

/* Of those that by_key has, which are `of`. */
static const struct thread_memory *
thread_of_key(const struct process_memory *process, const struct thread_memory *of, uint64_t key)
{
	uint64_t hash = hash_pair(key, 1);
	uint32_t at = hash_map_start(&process->by_key, hash), place;

	while ((place = hash_map_next(&process->by_key, hash, &at)) != 0)
		if (of[place - 1].key == key)
			return &of[place - 1];
	return NULL;
}

static const struct thread_memory *
thread_before(const struct process_memory *process, uint64_t key)
{
	return thread_of_key(process, process->before.at, key);
}

static struct pool_memory *
pool_memory(struct process_memory *process, uint32_t pool)
{
	uint64_t hash = hash_pair(pool, 2);
	uint32_t at = hash_map_start(&process->by_pool, hash), place;

	while ((place = hash_map_next(&process->by_pool, hash, &at)) != 0)
		if (process->pools.at[place - 1].pool == pool)
			return &process->pools.at[place - 1];
	*array_push(&process->pools) = (struct pool_memory){ .pool = pool, .step = 1, .times = TIME_RANGE_NONE };
	hash_map_put(&process->by_pool, hash, (uint32_t)process->pools.count);
	return &process->pools.at[process->pools.count - 1];
}

static struct stack_memory *
stack_memory(struct process_memory *process, uint32_t pool, uint32_t stack)
{
	uint64_t hash = hash_pair(stack, pool);
	uint32_t at = hash_map_start(&process->by_stack, hash), place;

	while ((place = hash_map_next(&process->by_stack, hash, &at)) != 0)
		if (process->stacks.at[place - 1].stack == stack && process->stacks.at[place - 1].pool == pool)
			return &process->stacks.at[place - 1];
	*array_push(&process->stacks) = (struct stack_memory){ .pool = pool, .stack = stack };
	hash_map_put(&process->by_stack, hash, (uint32_t)process->stacks.count);
	return &process->stacks.at[process->stacks.count - 1];
}

static void
note_size(struct pool_memory *memory, uint32_t threads, int64_t time_ns)
{
	memory->most = threads > memory->most ? threads : memory->most;
	memory->sum += threads;
	memory->dumps++;
	time_range_add(&memory->times, time_ns);
	if (++memory->skipped < memory->step)
		return;
	memory->skipped = 0;
	if (memory->sizes.count == SIZES_KEPT) {
		for (size_t i = 0; i < SIZES_KEPT / 2; i++)
			memory->sizes.at[i] = memory->sizes.at[2 * i];
		memory->sizes.count = SIZES_KEPT / 2;
		memory->step *= 2;
	}
	*array_push(&memory->sizes) = threads;
}

/* --- one thread --- */

/* Whether a thread did nothing since the dump before: what wakes up now and then to look at a clock did nothing. */
static bool
stood_still(const struct diag_view *view, int64_t used_ns, int64_t passed_ns)
{
	double most = diag_limit(view, LIMIT_STUCK_CPU) * (double)(passed_ns > 0 ? passed_ns : 0) + WAKES_NS;

	return used_ns >= 0 && (double)used_ns <= most;
}

static bool
spun(const struct diag_view *view, int64_t used_ns, int64_t passed_ns)
{
	return passed_ns > 0 && (double)used_ns >= diag_limit(view, LIMIT_SPIN_CPU) * (double)passed_ns;
}

/* Go prints for how many minutes a goroutine waits. One that waits for less than since it was first seen there has been
 * somewhere else meanwhile. */
static bool
came_back(const struct diag_view *view, const struct dump_thread *thread, int64_t since_ns)
{
	return thread->says >= SAYS_SEND && since_ns != STK_TIME_UNKNOWN &&
	       (view->dump->time_ns - since_ns) / (60 * NS_PER_S) > (int64_t)thread->minutes + GO_LATE_MINUTES;
}

/* What a thread is now, given what it was. passed_ns: since the dump before; -1: not known. */
static struct thread_memory
remember(const struct diag_view *view, const struct thread_memory *was, const struct dump_thread *thread,
	 int64_t passed_ns)
{
	struct thread_memory now = { .key = thread->key, .stack = thread->stack, .same = 1,
				     .since_ns = view->dump->time_ns, .cpu_ns = thread->cpu_ns,
				     .spins_since_ns = view->dump->time_ns, .allocated = thread->allocated };

	now.moved = was != NULL && (was->moved || (was->stack != thread->stack && was->stack != 0));
	if (was == NULL || was->stack != thread->stack || thread->stack == 0 ||
	    (double)passed_ns > diag_limit(view, LIMIT_STUCK_APART) * NS_PER_S ||
	    (passed_ns > 0 && came_back(view, thread, was->since_ns)))
		return now;
	if (stood_still(view, thread->cpu_ns - was->cpu_ns, passed_ns)) {
		now.same = was->same + 1;
		now.since_ns = was->since_ns;
		now.noted = was->noted;
	} else if (spun(view, thread->cpu_ns - was->cpu_ns, passed_ns)) {
		now.spins = was->spins + 1;
		now.spins_since_ns = was->spins_since_ns;
	}
	return now;
}

/* A pool and where it stands: the subject. */
static uint32_t
subject_in(struct diag_view *view, const struct dump_thread *thread)
{
	view->text.count = 0;
	add_text(&view->text, diag_text(view, thread->pool));
	add_string(&view->text, " in ");
	add_text(&view->text, diag_text(view, stack_fact(view->facts, thread->stack)->own));
	return text_table_number(view->texts, text_in(&view->text, 0));
}

static struct incident *
note_thread(struct diag_view *view, enum diag_rule rule, const struct dump_thread *thread, int64_t since_ns,
	    uint32_t same)
{
	uint32_t place = stack_fact(view->facts, thread->stack)->own;
	uint32_t index = (uint32_t)(thread - view->dump->threads.at);
	struct incident *incident = incidents_see(view->incidents, rule, subject_in(view, thread), view->dump);

	incident->at = place;
	if (incident->dumps == 0)		/* it began before it could be known */
		incident->dumps = same - 1;
	time_range_add(&incident->times, since_ns);
	incident_add_waiter(incident, view->dump, thread, 0, 0);
	note_pools(incident, view, &index, 1);
	incident_settle(incident, view->dump, 1, view->torn);
	return incident;
}

/* A stay is noted from its beginning, and once: what another rule told meanwhile is not told again. Of the incident is
 * kept its longest stay, and the longest that is known only by the stack. */
static void
note_stuck(const struct thread_rules *rules, struct diag_view *view, struct thread_memory *now,
	   const struct dump_thread *thread)
{
	int64_t since_ns = now->noted ? view->dump->time_ns : now->since_ns;
	struct incident *incident = note_thread(view, RULE_STUCK, thread, since_ns, now->noted ? 1 : now->same);

	if (incident->run == 0)
		incident->before = resting_places_counts(rules->rests, incident->process, thread->pool, incident->at);
	now->noted = true;
	incident->run = now->same > incident->run ? now->same : incident->run;
	if (thread->cpu_ns > 0 || now->same < incident->longest)
		return;
	incident->longest = now->same;
	incident->marks[0] = thread->pool;
	incident->marks[1] = thread->stack;
}

static bool
could_run(const struct dump_thread *thread)
{
	return thread->state == STK_STATE_RUNNABLE || thread->says == SAYS_ACTIVE || thread->says == SAYS_GIL;
}

/* Where nothing tells how much CPU time a thread used, one that could run is not called stuck. */
static bool
is_stuck(const struct diag_view *view, const struct thread_memory *now, const struct dump_thread *thread)
{
	int64_t passed_ns = view->dump->time_ns == STK_TIME_UNKNOWN || now->since_ns == STK_TIME_UNKNOWN
		? 0 : view->dump->time_ns - now->since_ns;

	if (now->same < diag_limit(view, LIMIT_STUCK_DUMPS) ||
	    (thread->cpu_ns <= 0 && now->same < diag_limit(view, LIMIT_STUCK_BLIND)) ||
	    (double)passed_ns < diag_limit(view, LIMIT_STUCK_SECONDS) * NS_PER_S)
		return false;
	return thread->cpu_ns > 0 || !could_run(thread) || stack_fact(view->facts, thread->stack)->waits == WAIT_IO;
}

static bool
is_cleaner(const struct diag_view *view, const struct dump_thread *thread)
{
	static const char *const names[] = { "Finalizer", "Reference Handler", "Common-Cleaner" };
	struct stk_text name = diag_text(view, thread->name);

	for (size_t n = 0; n < sizeof names / sizeof *names; n++)
		if (text_is(name, names[n]))
			return true;
	return false;
}

/* Whether another rule reports what a thread does: it waits for a lock, or for what its pool waits for; it is a
 * cleaner. So it is when it keeps a lock that others want, or when its whole pool stands there: unless it was stuck
 * before, which goes on. A goroutine that receives is a worker without work. */
static bool
is_told(const struct diag_view *view, const struct thread_memory *now, const struct dump_thread *thread)
{
	const struct dump_pool *pool = dump_pools_find(view->pools, thread->pool);
	enum wait_kind waits = stack_fact(view->facts, thread->stack)->waits;
	const struct wait_node *node = &view->graph->nodes.at[thread - view->dump->threads.at];

	return node->wants != NOBODY || thread->says == SAYS_RECEIVE || thread->says == SAYS_SELECT ||
		(waits >= WAIT_CONNECTION && waits <= WAIT_FULL) ||
		(waits == WAIT_NOTIFY && thread->state == STK_STATE_WAITING) || is_cleaner(view, thread) ||
		(!now->noted && (node->keeps || (pool != NULL && pool->exhausted)));
}

static void
look_at_thread(const struct thread_rules *rules, struct diag_view *view, struct thread_memory *now,
	       const struct dump_thread *thread)
{
	if (thread->idle || !thread->chosen || thread->stack == 0 || !is_of_program(thread) ||
	    thread->role == STK_ROLE_CARRIER || (view->habits.at[thread - view->dump->threads.at] & HABIT_TOLD) != 0)
		return;
	if (now->spins + 1 >= diag_limit(view, LIMIT_SPIN_DUMPS) && thread->state == STK_STATE_RUNNABLE)
		(void)note_thread(view, RULE_SPIN, thread, now->spins_since_ns, now->spins + 1);
	else if (is_stuck(view, now, thread) && !is_told(view, now, thread))
		note_stuck(rules, view, now, thread);
}

static void
note_cpu(const struct thread_memory *was, const struct dump_thread *thread, struct pool_memory *pool)
{
	int64_t used = was == NULL ? 0 : thread->cpu_ns - was->cpu_ns;

	if (used <= 0)
		return;
	pool->cpu_ns = time_sum(pool->cpu_ns, used);
	if (used > pool->hottest_ns && thread->stack != 0) {
		pool->hottest_ns = used;
		pool->hottest = thread->stack;
	}
}

/* --- looking --- */

static void
look_at_cleaners(struct diag_view *view, const struct dump_thread *thread)
{
	if (!thread->idle && thread->chosen && thread->stack != 0 && is_cleaner(view, thread))
		(void)note_thread(view, RULE_FINALIZER, thread, view->dump->time_ns, 1);
}

static void
note_dump(struct diag_view *view, enum diag_rule rule)
{
	struct incident *incident = incidents_see(view->incidents, rule,
						  text_table_number(view->texts, text_from("thread dump")), view->dump);

	incident->marks[0] += (uint64_t)(view->dump->took_ns > 0 ? view->dump->took_ns : 0);
	incident_settle(incident, view->dump, 0, true);
}

static void
look_at_dump(struct diag_view *view)
{
	if (!view->dump->chosen)
		return;
	if (view->dump->cut || view->graph->contradictions > 0)
		note_dump(view, RULE_TORN);
	if ((double)view->dump->took_ns > diag_limit(view, LIMIT_LATE_SECONDS) * NS_PER_S)
		note_dump(view, RULE_LATE);
}

/* --- collectors of garbage --- */

static bool
is_collectors_name(struct stk_text name)
{
	static const char *const beginnings[] = { "GC Thread", "GC task thread", "Gang worker", "ParGC Thread",
						  "G1 Parallel Marking Thread", "G1 Conc#", "ZWorker", "XWorker",
						  "Shenandoah GC Threads", "GC Worker" };

	for (size_t b = 0; b < sizeof beginnings / sizeof *beginnings; b++)
		if (text_starts(name, beginnings[b]))
			return true;
	return false;
}

static bool
is_collector(struct thread_rules *rules, const struct diag_view *view, const struct dump_thread *thread)
{
	uint8_t *known;

	if (thread->role != STK_ROLE_VM)
		return false;
	array_lengthen(&rules->collects, thread->name + 1);
	known = &rules->collects.at[thread->name];
	if (*known == 0)
		*known = is_collectors_name(diag_text(view, thread->name)) ? 2 : 1;
	return *known == 2;
}

/* --- remembering --- */

/* The first of a key is found again; threads without a name have all the same, so the others are not put. */
static void
remember_dump(struct process_memory *process)
{
	hash_map_clear(&process->by_key);
	for (size_t t = 0; t < process->threads.count; t++) {
		uint64_t key = process->threads.at[t].key;

		if (thread_of_key(process, process->threads.at, key) == NULL)
			hash_map_put(&process->by_key, hash_pair(key, 1), (uint32_t)t + 1);
	}
}

static uint8_t
habits_of(const struct diag_view *view, const struct thread_memory *was, const struct thread_memory *now,
	  int64_t passed_ns)
{
	uint8_t habits = now->moved ? HABIT_MOVED : 0;

	if (was == NULL || passed_ns <= 0 || now->cpu_ns <= 0)
		return habits;
	habits |= HABIT_MEASURED;
	if ((double)(now->cpu_ns - was->cpu_ns) >= diag_limit(view, LIMIT_LIVELOCK_CPU) * (double)passed_ns)
		habits |= HABIT_WORKED;
	return habits;
}

static void
note_use(const struct thread_memory *was, const struct dump_thread *thread, struct pool_memory *pool)
{
	note_cpu(was, thread, pool);
	if (was != NULL && thread->allocated > was->allocated)
		pool->allocated += thread->allocated - was->allocated;
}

/* A run that is long enough to look stuck counts from its beginning. */
static void
note_blind(const struct diag_view *view, struct process_memory *process, const struct dump_thread *thread,
	   const struct thread_memory *now)
{
	struct stack_memory *memory = stack_memory(process, thread->pool, thread->stack);
	uint32_t enough = (uint32_t)diag_limit(view, LIMIT_STUCK_BLIND);

	memory->samples++;
	if (now->same >= enough)
		memory->in_runs += now->same == enough ? enough : 1;
}

/* Where a thread is that has something to do, or is not known not to. */
static void
note_place(const struct thread_rules *rules, const struct diag_view *view, const struct dump_thread *thread,
	   const struct thread_memory *now)
{
	bool timed = thread->state == STK_STATE_TIMED_WAITING || thread->state == STK_STATE_SLEEPING;

	if (thread->chosen && !thread->idle && thread->pool != 0 && thread->stack != 0)
		resting_places_note(rules->rests, view->dump->process, thread->pool,
				    stack_fact(view->facts, thread->stack)->own, now->same == 1, timed);
}

/* What was new becomes old, in the other's room. */
static void
turn_memory(struct process_memory *process)
{
	struct { struct thread_memory *at; size_t count, room; } old = { process->before.at, 0, process->before.room };

	process->before.at = process->threads.at;
	process->before.count = process->threads.count;
	process->before.room = process->threads.room;
	process->threads.at = old.at;
	process->threads.count = 0;
	process->threads.room = old.room;
}

void
thread_rules_remember(struct thread_rules *rules, struct diag_view *view)
{
	const struct diag_dump *dump = view->dump;
	struct process_memory *process = process_memory(rules, dump->process);
	int64_t passed_ns = process->time_ns == STK_TIME_UNKNOWN || dump->time_ns == STK_TIME_UNKNOWN ||
			dump->time_ns <= process->time_ns ? -1 : dump->time_ns - process->time_ns;
	uint32_t collectors = 0;

	turn_memory(process);
	view->habits.count = 0;
	for (size_t t = 0; t < dump->threads.count; t++) {
		const struct dump_thread *thread = &dump->threads.at[t];
		const struct thread_memory *was = thread_before(process, thread->key);
		struct thread_memory now = remember(view, was, thread, passed_ns);

		*array_push(&process->threads) = now;
		*array_push(&view->habits) = habits_of(view, was, &now, passed_ns);
		collectors += thread->chosen && is_collector(rules, view, thread);
		if (thread->chosen && passed_ns > 0 && thread->pool != 0)
			note_use(was, thread, pool_memory(process, thread->pool));
		if (thread->chosen && thread->cpu_ns <= 0 && thread->pool != 0 && thread->stack != 0)
			note_blind(view, process, thread, &now);
		note_place(rules, view, thread, &now);
	}
	process->collectors = collectors > process->collectors ? collectors : process->collectors;
	for (size_t p = 0; p < view->pools->pools.count; p++) {
		const struct dump_pool *pool = &view->pools->pools.at[p];

		if (!pool->chosen)
			continue;
		note_size(pool_memory(process, pool->pool), pool->threads, dump->time_ns);
		resting_places_count(rules->rests, dump->process, pool->pool, pool->threads);
	}
	process->dumps++;
	time_range_add(&process->times, dump->time_ns);
	if (passed_ns > 0)
		process->measured_ns = time_sum(process->measured_ns, passed_ns);
	process->time_ns = dump->time_ns;
	remember_dump(process);
}

/* --- looking --- */

void
thread_rules_look(struct thread_rules *rules, struct diag_view *view)
{
	struct process_memory *process = process_memory(rules, view->dump->process);

	look_at_dump(view);
	for (size_t t = 0; t < view->dump->threads.count; t++) {
		look_at_thread(rules, view, &process->threads.at[t], &view->dump->threads.at[t]);
		look_at_cleaners(view, &view->dump->threads.at[t]);
	}
}

/* --- judging --- */

/* How many runs as long as the longest one of the incident are expected by chance in all that was seen of the pool: a
 * thread that often calls the same thing is often found there, several times in a row. How often it is there does not
 * count runs that look stuck. */
static double
expected_by_chance(struct thread_rules *rules, const struct incident *incident)
{
	struct process_memory *process = process_memory(rules, incident->process);
	uint32_t pool = (uint32_t)incident->marks[0];
	const struct stack_memory *stack = stack_memory(process, pool, (uint32_t)incident->marks[1]);
	double all = (double)(pool_memory(process, pool)->sum - stack->in_runs);
	double there = (double)(stack->samples - stack->in_runs);

	return all > 0 ? fmax(all, SEEN_LEAST) * pow(there / all, (double)incident->longest - 1) : 0;
}

static bool
judge_stuck(struct thread_rules *rules, struct incident *incident, const struct diag_view *view,
	    struct diag_findings *findings)
{
	struct text_buffer *to = &findings->text;
	uint32_t stack = incident->waiters.list.count > 0 ? incident->waiters.list.at[0].stack : 0;
	struct finding *finding;
	struct rest_counts seen;

	if (incident->longest > 0 &&
	    (incident->occasions > 1 || expected_by_chance(rules, incident) > diag_limit(view, LIMIT_STUCK_CHANCE)))
		return false;
	to->count = 0;
	add_affected(to, view, incident);
	add_string(to, incident->most == 1 ? " stands in " : " stand in ");
	add_text(to, diag_text(view, incident->at));
	if (stack_fact_function(view->facts, stack, 0) != incident->at) {
		add_string(to, " (");
		add_text(to, diag_text(view, stack_fact_function(view->facts, stack, 0)));
		add_char(to, ')');
	}
	if (incident->longest > 0)
		add_format(to, " in %llu dumps in a row, which do not show CPU time",
			   (unsigned long long)incident->longest);
	else
		add_string(to, " without using a processor");
	finding = finding_of(incident, RULE_STUCK, STK_SEVERITY_WARNING, view, findings);
	note_habit(finding, incident, view);
	seen = resting_places_counts(rules->rests, incident->process, finding->pool, incident->at);
	finding->within = (struct rest_counts){ seen.samples - incident->before.samples,
						seen.stays - incident->before.stays };
	return true;
}

static bool
judge_spin(struct incident *incident, const struct diag_view *view, struct diag_findings *findings)
{
	struct text_buffer *to = &findings->text;

	to->count = 0;
	add_affected(to, view, incident);
	add_string(to, incident->most == 1 ? " uses a whole processor in " : " use a whole processor each in ");
	add_text(to, diag_text(view, incident->at));
	(void)finding_of(incident, RULE_SPIN, STK_SEVERITY_WARNING, view, findings);
	return true;
}

static bool
judge_cleaner(struct incident *incident, const struct diag_view *view, struct diag_findings *findings)
{
	struct text_buffer *to = &findings->text;

	if (incident->dumps < diag_limit(view, LIMIT_FINALIZER_DUMPS))
		return false;
	to->count = 0;
	add_affected(to, view, incident);
	add_string(to, " is held up in ");
	add_text(to, diag_text(view, incident->at));
	add_string(to, "; memory that waits for it is not freed");
	(void)finding_of(incident, RULE_FINALIZER, STK_SEVERITY_WARNING, view, findings);
	return true;
}

static bool
judge_torn(struct incident *incident, const struct diag_view *view, struct diag_findings *findings)
{
	struct text_buffer *to = &findings->text;

	to->count = 0;
	add_format(to, "%llu %s not of one moment: cut, or with threads that contradict each other",
		   (unsigned long long)incident->dumps, plural(incident->dumps, "dump is", "dumps are"));
	(void)finding_of(incident, RULE_TORN, STK_SEVERITY_INFO, view, findings);
	return true;
}

static bool
judge_late(struct incident *incident, const struct diag_view *view, struct diag_findings *findings)
{
	struct text_buffer *to = &findings->text;

	to->count = 0;
	add_format(to, "%llu %s %.1f seconds on average, most of it until all threads had stopped: what they show is not "
		   "of one moment",
		   (unsigned long long)incident->dumps, plural(incident->dumps, "dump took", "dumps took"),
		   (double)incident->marks[0] / (double)incident->dumps / NS_PER_S);
	(void)finding_of(incident, RULE_LATE, STK_SEVERITY_INFO, view, findings);
	return true;
}

bool
thread_rules_judge(struct thread_rules *rules, struct incident *incident, const struct diag_view *view,
		   struct diag_findings *findings)
{
	switch (incident->rule) {
	case RULE_STUCK: return judge_stuck(rules, incident, view, findings);
	case RULE_SPIN:  return judge_spin(incident, view, findings);
	case RULE_TORN:  return judge_torn(incident, view, findings);
	case RULE_LATE:  return judge_late(incident, view, findings);
	default:         return judge_cleaner(incident, view, findings);
	}
}

/* --- the end --- */

/* The chance that sizes without a trend rise as often as these: Mann and Kendall, with ties. */
static double
chance_of_growth(const uint32_t *sizes, size_t count)
{
	double n = (double)count, rises = 0, ties = 0, variance;

	for (size_t i = 0; i < count; i++) {
		double same = 0;
		bool first = true;

		for (size_t j = 0; j < count; j++) {
			if (j > i)
				rises += (double)((sizes[j] > sizes[i]) - (sizes[j] < sizes[i]));
			same += sizes[j] == sizes[i];
			first &= j >= i || sizes[j] != sizes[i];
		}
		if (first)
			ties += same * (same - 1) * (2 * same + 5);
	}
	variance = (n * (n - 1) * (2 * n + 5) - ties) / 18;
	return variance > 0 && rises > 0 ? 0.5 * erfc((rises - 1) / sqrt(variance) / sqrt(2)) : 1;
}

/* Of some sizes of a pool, from one on. */
static uint32_t
mean_size(const struct pool_memory *pool, size_t from, size_t count)
{
	uint64_t sum = 0;

	for (size_t i = from; i < from + count; i++)
		sum += pool->sizes.at[i];
	return count == 0 ? 0 : (uint32_t)((sum + count / 2) / count);
}

static void
judge_growth(const struct pool_memory *pool, uint32_t process, const struct diag_view *view,
	     struct diag_findings *findings)
{
	size_t count = pool->sizes.count, end = count >= 20 ? count / 10 : count > 0;
	uint32_t first = mean_size(pool, 0, end), last = mean_size(pool, count - end, end);
	struct text_buffer *to = &findings->text;
	struct finding *finding;

	if (pool->sizes.count < 2 || last < first + diag_limit(view, LIMIT_LEAK_THREADS) ||
	    last < first * (1 + diag_limit(view, LIMIT_LEAK_PART)) ||
	    chance_of_growth(pool->sizes.at, pool->sizes.count) >= diag_limit(view, LIMIT_LEAK_P))
		return;
	to->count = 0;
	add_text(to, diag_text(view, pool->pool));
	add_format(to, " grows from %u to %u threads", first, last);
	finding = diag_findings_add(findings, RULE_LEAK, STK_SEVERITY_WARNING, diag_text(view, pool->pool),
				    text_in(to, 0));
	finding->process = process;
	finding->times = pool->times;
	finding->threads = pool->most;
	finding->samples = pool->sum;
	finding->dumps = pool->dumps;
}

static void
judge_heat(const struct pool_memory *pool, const struct process_memory *process, uint32_t number,
	   const struct diag_view *view, struct diag_findings *findings)
{
	double processors = (double)pool->cpu_ns / (double)process->measured_ns;
	struct text_buffer *to = &findings->text;
	struct finding *finding;

	to->count = 0;
	add_text(to, diag_text(view, pool->pool));
	add_format(to, " used %.2f processors on average", processors);
	if (pool->hottest != 0) {
		add_string(to, ", most of it around ");
		add_text(to, diag_text(view, stack_fact(view->facts, pool->hottest)->own));
	}
	finding = diag_findings_add(findings, RULE_HOT, STK_SEVERITY_INFO, diag_text(view, pool->pool), text_in(to, 0));
	finding->process = number;
	finding->times = process->times;
	finding->threads = pool->most;
	finding->samples = pool->sum;
	finding->dumps = process->dumps;
}

static void
judge_allocation(const struct pool_memory *pool, const struct process_memory *process, uint32_t number,
		 const struct diag_view *view, struct diag_findings *findings)
{
	double seconds = (double)process->measured_ns / NS_PER_S;
	struct text_buffer *to = &findings->text;
	struct finding *finding;

	to->count = 0;
	add_text(to, diag_text(view, pool->pool));
	add_format(to, " allocated %.0f MB a second on average", (double)pool->allocated / seconds / 1e6);
	finding = diag_findings_add(findings, RULE_ALLOCATION, STK_SEVERITY_INFO, diag_text(view, pool->pool),
				    text_in(to, 0));
	finding->process = number;
	finding->times = process->times;
	finding->threads = pool->most;
	finding->samples = pool->sum;
	finding->dumps = process->dumps;
}

/* HotSpot starts one collector for each of 8 processors, and five for each eight more. */
static void
judge_collectors(const struct process_memory *process, uint32_t number, const struct diag_view *view,
		 struct diag_findings *findings)
{
	uint32_t count = process->collectors, processors = count <= 8 ? count : 8 + (count - 8) * 8 / 5;
	struct text_buffer *to = &findings->text;
	struct finding *finding;

	if (count < diag_limit(view, LIMIT_GC_THREADS))
		return;
	to->count = 0;
	add_format(to, "%u threads collect garbage, as suits about %u processors; with fewer, as in a container, set "
		   "-XX:ParallelGCThreads", count, processors);
	finding = diag_findings_add(findings, RULE_GC_THREADS, STK_SEVERITY_INFO, text_from("GC threads"),
				    text_in(to, 0));
	finding->process = number;
	finding->times = process->times;
	finding->threads = count;
	finding->dumps = process->dumps;
}

static double
value_of(const struct pool_memory *pool, bool allocated)
{
	return allocated ? (double)pool->allocated : (double)pool->cpu_ns;
}

/* Larger values first. */
static int
compare_values(double a, double b, uint32_t left, uint32_t right)
{
	if (a < b || a > b)
		return a > b ? -1 : 1;
	return left < right ? -1 : 1;
}

static int
compare_heat(const void *left, const void *right)
{
	const struct pool_memory *const *a = left, *const *b = right;

	return compare_values(value_of(*a, false), value_of(*b, false), (*a)->pool, (*b)->pool);
}

static int
compare_allocated(const void *left, const void *right)
{
	const struct pool_memory *const *a = left, *const *b = right;

	return compare_values(value_of(*a, true), value_of(*b, true), (*a)->pool, (*b)->pool);
}

/* The pools that used most of the processors, or allocated most. */
static void
judge_users(const struct process_memory *process, uint32_t number, bool allocated, const struct diag_view *view,
	    struct diag_findings *findings)
{
	double least = allocated ? diag_limit(view, LIMIT_ALLOCATION_BYTES) * 1e6 / NS_PER_S
				 : diag_limit(view, LIMIT_HOT_CPU);
	double most = diag_limit(view, allocated ? LIMIT_ALLOCATION_MOST : LIMIT_HOT_MOST);
	ARRAY(const struct pool_memory *) users = { 0 };

	for (size_t p = 0; p < process->pools.count && process->measured_ns > 0; p++)
		if (value_of(&process->pools.at[p], allocated) >= least * (double)process->measured_ns)
			*array_push(&users) = &process->pools.at[p];
	if (users.count > 0)
		qsort(users.at, users.count, sizeof *users.at, allocated ? compare_allocated : compare_heat);
	for (size_t p = 0; p < users.count && (double)p < most; p++)
		(allocated ? judge_allocation : judge_heat)(users.at[p], process, number, view, findings);
	array_release(&users);
}

void
thread_rules_end(struct thread_rules *rules, const struct diag_view *view, struct diag_findings *findings)
{
	habit_findings_settle(findings, rules->rests, diag_limit(view, LIMIT_STUCK_CHANCE));
	for (uint32_t n = 1; n <= rules->processes.count; n++) {
		const struct process_memory *process = &rules->processes.at[n - 1];

		for (size_t p = 0; p < process->pools.count; p++)
			judge_growth(&process->pools.at[p], n, view, findings);
		judge_users(process, n, false, view, findings);
		judge_users(process, n, true, view, findings);
		judge_collectors(process, n, view, findings);
	}
}
